(** * Theorem 3 fails for ReLU

    Section 4.2. As for Theorem 2 (ReluTransformers.v): with a piecewise linear activation, no number of
    hidden units that depends on n and T alone is enough for all weighted tree automata. The tree [a b] with
    two leaves is enough: the state of a leaf holds the powers of its letter, that of the root the products
    a^i b^j.

    Main definitions: [powers], [outer].
    Main theorems:    [piecewise_linear_fails_trees]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Trees Theorem3 ReluGrid ReluSpan ReluTransformers.
From Assay Require TreeSimulation.
Import ListNotations.
Open Scope R_scope.

Definition powers (m x i : nat) : R := if (i <? m)%nat then INR x ^ i else 0.

(** State i m + j of a node is state i of its left child times state j of its right child. *)
Definition outer (m k a b : nat) : R := b2r ((k <? m * m) && (a =? k / m) && (b =? k mod m))%nat.

Lemma root_state {Sigma : Type} n m (leaf : Sigma -> nat -> R) u v a b c : (0 < m)%nat -> (m * m <= n)%nat ->
  leaf u = powers m a -> leaf v = powers m b -> (c < m * m)%nat ->
  mu n leaf (outer m) (Node (Leaf u) (Leaf v)) c = INR a ^ (c / m) * INR b ^ (c mod m).
Proof.
  intros Hm Hn Hu Hv Hc. pose proof (Nat.div_lt_upper_bound c m m ltac:(lia) Hc) as Hd.
  pose proof (Nat.mod_upper_bound c m ltac:(lia)) as Hr.
  cbn [mu]. unfold bilinear_state. rewrite Hu, Hv.
  rewrite (sum_single n _ (c / m)); [|nia|].
  - rewrite (sum_single n _ (c mod m)); [|nia|].
    + unfold outer, powers. apply Nat.ltb_lt in Hc, Hd, Hr. rewrite Hc, Hd, Hr, !Nat.eqb_refl.
      cbn [andb b2r]. ring.
    + intros p _ Hp. unfold outer. apply Nat.eqb_neq in Hp. rewrite Hp, andb_false_r. cbn [b2r]. ring.
  - intros p _ Hp. apply sum_zero. intros q _. unfold outer. apply Nat.eqb_neq in Hp.
    rewrite Hp, andb_false_r. cbn [andb b2r]. ring.
Qed.

(** A string of l symbols has [tokens l] tokens. *)
Theorem piecewise_linear_fails_trees (sigma : R -> R) (T L h : nat) (tokens : nat -> nat) :
  piecewise_linear sigma -> (4 <= T)%nat ->
  exists n0, forall n W, (n0 <= n)%nat ->
  exists K (leaf : letters_below K -> nat -> R) (tensor : nat -> nat -> nat -> R) (eps : R), 0 < eps /\
  forall (transformer : model) (embedding : nat -> option (symbol (letters_below K)) -> nat -> R)
         (place row : nat -> nat),
    within sigma L h W transformer -> (forall l t, (t < l <= T)%nat -> (row t < tokens l)%nat) ->
    ~ TreeSimulation.approximately_simulates_trees n T leaf tensor (fun _ => True) eps
        (fun w i => forward (tokens (length w)) transformer (reads_letters embedding place w) (row i)).
Proof.
  intros (K & which & slope & intercept & HP) HT. set (N := tokens 4%nat).
  set (m := S (paths h N L + constants h N L)). exists (m * m)%nat. intros n W Hn.
  destruct (rectangle_core (paths h N L) (constants h N L) (K ^ (L * N * W))) as (Q & eps & He & core).
  fold m in core.
  exists (S Q), (fun x => powers m (proj1_sig x)), (outer m), eps. split; [exact He|].
  intros transformer embedding place row Hm Hrow Hsim.
  set (number := letter Q). set (root := fun a b => Node (Leaf (number a)) (Leaf (number b))).
  set (F0 := fun a r c => if (place r =? 1)%nat then embedding r (Some (Sym (number a))) c else 0).
  set (G0 := fun b r c => if (place r =? 1)%nat then 0
                          else embedding r (nth_error (str (root 0%nat b)) (place r)) c).
  destruct (network_spans which slope intercept sigma K HP N L h W transformer Hm nat nat
    (fun a b => reads_letters embedding place (str (root a b))) F0 G0)
    as (colours & colour & F & G & Hlen & Hspan).
  { intros a b r c _. unfold reads_letters, F0, G0. destruct (place r) as [|[|p]]; cbn; ring. }
  apply (core (list nat) (list_eq_dec Nat.eq_dec) colours colour (fun D a => F D a (row 0%nat))
    (fun D b => G D b (row 0%nat))
    (fun a b => forward N transformer (reads_letters embedding place (str (root a b))) (row 0%nat)) Hlen).
  - intros a b _ _. destruct (Hspan a b) as (Hin & Hs). split; [exact Hin|]. apply Hs, Hrow. lia.
  - intros a b c Ha Hb Hc.
    rewrite <- (root_state n m (fun x => powers m (proj1_sig x)) (number a) (number b) a b c)
      by (unfold number; rewrite ?letter_is by lia; auto; lia).
    apply (entry_of_norm n
      (forward N transformer (reads_letters embedding place (str (root a b))) (row 0%nat))); [|lia].
    apply (Hsim (root a b) 0%nat 0%nat); [cbn; lia|exact Logic.I|apply at_root].
Qed.
