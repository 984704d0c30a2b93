(** * Corollary 1: transformers simulate tree automata

    Section 4.3 and Appendix C. A tree automaton with n states has a set of states for each letter and
    transitions (a, b) -> q. A state is reachable at a tree if some run ends in it. Read over the
    reals with weights 0 and 1, the automaton is a WTA that counts runs ([runs]): a state is reachable
    exactly where its count is at least 1, and otherwise the count is 0. So the transformers of
    Theorem 3 at precision 1/2 decide reachability at every node of every tree with |str(t)| <= T,
    for every state: the output is above 1/2 exactly where the state is reachable. Sizes and depths
    are those of Theorem 3.

    Where we differ from the print: "interpreting any non-zero value as true" would need exact
    outputs; the threshold 1/2 is what an approximate simulation gives.

    Main definitions: [reach], [leaf_of], [tensor_of], [decides].
    Main theorems:    [runs], [half_decides]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Spectral Trees Theorem3 Activation.
From Assay Require Import TreeModel TreeLayers TreeTargets FreeModel SharedUnits TreeStatements.
Open Scope R_scope.

Section Automaton.
Context {Sigma : Type} (n : nat).
Variable initial : Sigma -> nat -> bool.             (* the states of a letter *)
Variable delta : nat -> nat -> nat -> bool.          (* delta q a b: there is a transition (a, b) -> q *)

Fixpoint some (k : nat) (p : nat -> bool) : bool :=
  match k with O => false | S k' => some k' p || p k' end.

(** Whether some run on the tree ends in a state. *)
Fixpoint reach (t : tree Sigma) (q : nat) : bool :=
  match t with
  | Leaf a => initial a q
  | Node l r => some n (fun a => some n (fun b => delta q a b && reach l a && reach r b))
  end.

(** The same automaton with weights 0 and 1. *)
Definition leaf_of (a : Sigma) (q : nat) : R := b2r (initial a q).
Definition tensor_of (q a b : nat) : R := b2r (delta q a b).
Local Notation count := (mu n leaf_of tensor_of).

Lemma some_spec k p : some k p = true <-> exists a, (a < k)%nat /\ p a = true.
Proof.
  induction k as [|k IH]; simpl; [split; [discriminate|intros (a & H & _); lia]|].
  rewrite orb_true_iff, IH. split.
  - intros [(a & Ha & H)|H]; [exists a|exists k]; split; auto; lia.
  - intros (a & Ha & H). destruct (Nat.eq_dec a k) as [->|]; auto. left. exists a. split; auto; lia.
Qed.

(** The state of the WTA counts runs: at least 1 where a state is reachable, 0 elsewhere. *)
Theorem runs t : forall q, (q < n)%nat ->
  0 <= count t q /\ (reach t q = true -> 1 <= count t q) /\ (reach t q = false -> count t q = 0).
Proof.
  induction t as [a|l IHl r IHr]; intros q Hq; cbn [mu reach].
  - unfold leaf_of. destruct (initial a q); simpl; repeat split; intros; try discriminate; lra.
  - unfold bilinear_state.
    assert (P : forall a b, (a < n)%nat -> (b < n)%nat ->
      0 <= tensor_of q a b * count l a * count r b).
    { intros a b Ha Hb. destruct (IHl a Ha) as [H1 _]. destruct (IHr b Hb) as [H2 _].
      repeat apply Rmult_le_pos; auto. apply b2r_nonneg. }
    split; [apply sum_nonneg; intros; apply sum_nonneg; intros; auto|]. split.
    + rewrite some_spec. intros (a & Ha & H). apply some_spec in H as (b & Hb & H).
      apply andb_true_iff in H as [H Hr]. apply andb_true_iff in H as [Hd Hl].
      eapply Rle_trans; [|apply (sum_term n _ a Ha)]; [|intros; apply sum_nonneg; intros; auto].
      eapply Rle_trans; [|apply (sum_term n _ b Hb)]; [|intros; auto].
      cbv beta. unfold tensor_of. rewrite Hd. cbn [b2r].
      destruct (IHl a Ha) as (_ & H1 & _). destruct (IHr b Hb) as (_ & H2 & _).
      specialize (H1 Hl). specialize (H2 Hr). unfold tensor_of in *. nra.
    + intro H. apply sum_zero. intros a Ha. apply sum_zero. intros b Hb.
      destruct (delta q a b) eqn:Ed; unfold tensor_of at 1; rewrite Ed; cbn [b2r]; [|ring].
      destruct (reach l a) eqn:El; [|destruct (IHl a Ha) as (_ & _ & ->); auto; ring].
      destruct (reach r b) eqn:Er; [|destruct (IHr b Hb) as (_ & _ & ->); auto; ring].
      exfalso. rewrite <- not_true_iff_false in H. apply H. apply some_spec. exists a. split; auto.
      apply some_spec. exists b. rewrite Ed, El, Er. auto.
Qed.

(** Outputs Y above 1/2 exactly where a state is reachable. *)
Definition decides (u : tree Sigma) (Y : nat -> R) : Prop :=
  forall q, (q < n)%nat -> (reach u q = true <-> 1 / 2 < Y q).

Lemma half_decides u Y : sqrt (sum n (fun q => (Y q - count u q) ^ 2)) < 1 / 2 -> decides u Y.
Proof.
  intros H q Hq. pose proof (length2_entry n (fun k => Y k - count u k) q Hq) as Hc.
  unfold length2, dot in Hc.
  assert (E : sum n (fun k => (Y k - count u k) ^ 2)
              = sum n (fun k => (Y k - count u k) * (Y k - count u k)))
    by (apply sum_ext; intros; ring).
  rewrite E in H. assert (B : Rabs (Y q - count u q) < 1 / 2) by lra.
  apply Rabs_def2 in B. destruct (runs u q Hq) as (_ & H1 & H0). split.
  - intro Hr. specialize (H1 Hr). lra.
  - intro Hy. destruct (reach u q); auto. rewrite H0 in B by auto. lra.
Qed.
End Automaton.

