(** * Combs: where a tree is a word

    Section 4.2. On a comb (s_1, (s_2, (s_3, ...))) the computation of a WTA can be carried out by a
    WFA, "which could be simulated by a transformer with O(log T) layers from our previous results".
    The WFA has n + 1 states and reads the leaves from the last to the first: the first letter leads
    from the new state to its vector, every further one contracts the tensor with its vector. After
    t + 1 letters it is in the state of the subtree of the last t + 1 leaves, so that Theorem 1 gives
    the states of all subtrees with two leaves or more in ceil(log2 N) layers, N the number of leaves
    ([Main.combs]).

    Where we differ from the print: the word is the leaves in reverse order, not str(t).

    Main definitions: [comb], [comb_start], [comb_step].
    Main theorems:    [comb_height], [comb_states]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Model Trees Theorem3 Simulation.
Import ListNotations.
Open Scope R_scope.

Section Combs.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R).

(** The comb whose leaves, from the last to the first, are a and the letters of w. *)
Definition comb (a : Sigma) (w : list Sigma) : tree Sigma :=
  fold_left (fun t b => Node (Leaf b) t) w (Leaf a).

(** No tree is higher for its length ([TreeLayers.height_bound]). *)
Theorem comb_height a w : (3 * Trees.height (comb a w) + 1 = length (str (comb a w)))%nat.
Proof.
  unfold comb. rewrite <- fold_left_rev_right. induction (rev w) as [|b u IH]; [reflexivity|].
  cbn [fold_right Trees.height str]. cbn [length]. rewrite !app_length. cbn [length]. lia.
Qed.

(** The automaton; n is its further state. *)
Definition comb_start (i : nat) : R := if (i =? n)%nat then 1 else 0.

Definition comb_step (b : Sigma) : mat := fun i j =>
  if (j =? n)%nat then 0 else
  if (i =? n)%nat then leaf b j else sum n (fun p => tensor j p i * leaf b p).

Local Notation states := (states (S n) comb_start comb_step).

Lemma comb_next a w t b : nth_error w t = Some b ->
  comb a (firstn (S t) w) = Node (Leaf b) (comb a (firstn t w)).
Proof.
  intro H. replace (firstn (S t) w) with (firstn t w ++ [b]).
  - unfold comb. now rewrite fold_left_app.
  - revert w H. induction t as [|t IH]; intros [|c w] H; try discriminate.
    + injection H as ->. reflexivity.
    + cbn [firstn app]. f_equal. now apply IH.
Qed.

Lemma letter_next (a : Sigma) w t : letter (a :: w) (Z.of_nat (S t)) = nth_error (a :: w) t.
Proof.
  unfold letter. destruct (Z.leb_spec (Z.of_nat (S t)) 0) as [|_]; [lia|].
  f_equal. lia.
Qed.

Lemma states_next a w t b j : nth_error (a :: w) t = Some b ->
  states (a :: w) (S t) j = sum (S n) (fun i => states (a :: w) t i * comb_step b i j).
Proof.
  intro H. unfold Simulation.states. cbn [state]. rewrite letter_next, H. reflexivity.
Qed.

(** After t + 1 letters: the state of the comb of the last t + 1 leaves, and 0 in the further state. *)
Lemma comb_run a w t : (t <= length w)%nat ->
  (forall j, (j < n)%nat -> states (a :: w) (S t) j = mu n leaf tensor (comb a (firstn t w)) j)
  /\ states (a :: w) (S t) n = 0.
Proof.
  induction t as [|t IH]; intro Ht.
  - assert (E : forall j, states (a :: w) (S 0) j = comb_step a n j).
    { intro j. rewrite (states_next a w 0 a) by reflexivity.
      rewrite (sum_single (S n) _ n); [|lia|].
      - unfold Simulation.states, comb_start. cbn [state]. rewrite Nat.eqb_refl. ring.
      - intros i Hi Hne. unfold Simulation.states, comb_start. cbn [state].
        apply Nat.eqb_neq in Hne. rewrite Hne. ring. }
    split; [intros j Hj|]; rewrite E; unfold comb_step; rewrite Nat.eqb_refl; [|reflexivity].
    replace (j =? n)%nat with false by (symmetry; apply Nat.eqb_neq; lia). reflexivity.
  - destruct (nth_error w t) as [b|] eqn:Eb; [|apply nth_error_None in Eb; lia].
    destruct (IH ltac:(lia)) as [Hs Hn]. clear IH. rewrite (comb_next a w t b Eb).
    split; [intros j Hj|]; rewrite (states_next a w (S t) b) by exact Eb.
    + cbn [sum mu]. rewrite Hn. unfold bilinear_state. rewrite sum_swap.
      match goal with |- ?x + 0 * ?y = _ => transitivity x; [ring|] end.
      apply sum_ext. intros i Hi. rewrite Hs by exact Hi. unfold comb_step.
      replace (j =? n)%nat with false by (symmetry; apply Nat.eqb_neq; lia).
      replace (i =? n)%nat with false by (symmetry; apply Nat.eqb_neq; lia).
      rewrite sum_scal_l. apply sum_ext. intros p Hp. ring.
    + apply sum_zero. intros i _. unfold comb_step. rewrite Nat.eqb_refl. ring.
Qed.

Theorem comb_states a w t j : (t <= length w)%nat -> (j < n)%nat ->
  states (a :: w) (S t) j = mu n leaf tensor (comb a (firstn t w)) j.
Proof. intros Ht Hj. now apply comb_run. Qed.
End Combs.
