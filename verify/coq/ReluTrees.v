(** * Theorem 3 fails for ReLU

    Section 4.2. As for Theorem 2 (ReluTransformers.v): with a piecewise linear activation, no number of
    hidden units that depends on n and T alone is enough for all weighted tree automata. The tree [a b] with
    two leaves is enough: the state of a leaf holds the powers of its letter, that of the root the products
    a^i b^j.

    Main definitions: [powers_of], [outer].
    Main theorems:    [piecewise_linear_fails_trees]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Trees Theorem3 ReluGrid ReluSpan ReluTransformers.
From Assay Require TreeSimulation.
Import ListNotations.
Open Scope R_scope.

(** The state of a leaf: the powers of a number. *)
Definition powers_of (m : nat) (x : R) (i : nat) : R := if (i <? m)%nat then x ^ i else 0.

(** State i m + j of a node is state i of its left child times state j of its right child. *)
Definition outer (m k a b : nat) : R := b2r ((k <? m * m) && (a =? k / m) && (b =? k mod m))%nat.

Lemma root_state {Sigma : Type} n m (leaf : Sigma -> nat -> R) u v x y c : (0 < m)%nat -> (m * m <= n)%nat ->
  leaf u = powers_of m x -> leaf v = powers_of m y -> (c < m * m)%nat ->
  mu n leaf (outer m) (Node (Leaf u) (Leaf v)) c = x ^ (c / m) * y ^ (c mod m).
Proof.
  intros Hm Hn Hu Hv Hc. pose proof (Nat.div_lt_upper_bound c m m ltac:(lia) Hc) as Hd.
  pose proof (Nat.mod_upper_bound c m ltac:(lia)) as Hr.
  cbn [mu]. unfold bilinear_state. rewrite Hu, Hv.
  rewrite (sum_single n _ (c / m)); [|nia|].
  - rewrite (sum_single n _ (c mod m)); [|nia|].
    + unfold outer, powers_of. apply Nat.ltb_lt in Hc, Hd, Hr. rewrite Hc, Hd, Hr, !Nat.eqb_refl.
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
  set (Q := enough m (K ^ (L * N * W))).
  destruct (too_precise (paths h N L + constants h N L) (K ^ (L * N * W))) as (eps & He & Hno).
  set (leaf := fun x : letters_below (S Q) => powers_of m (point Q (proj1_sig x))).
  exists (S Q), leaf, (outer m), eps. split; [exact He|].
  intros transformer embedding place row Hm Hrow Hsim. apply Hno.
  set (root := fun a b => Node (Leaf (letter Q a)) (Leaf (letter Q b))).
  apply (powers_missed sigma K which slope intercept HP N L h W transformer Hm
    (fun a b => reads_letters embedding place (str (root a b)))
    (fun a r c => if (place r =? 1)%nat then embedding r (Some (Sym (letter Q a))) c else 0)
    (fun b r c => if (place r =? 1)%nat then 0
                  else embedding r (nth_error (str (root 0%nat b)) (place r)) c) (row 0%nat));
    [|apply Hrow; lia|].
  - intros a b r c. unfold reads_letters. destruct (place r) as [|[|p]]; cbn; ring.
  - fold m. fold Q. intros a b c Ha Hb Hc.
    rewrite <- (root_state n m leaf (letter Q a) (letter Q b) (point Q a) (point Q b) c)
      by (unfold leaf; rewrite ?letter_is by lia; auto; lia).
    apply (entry_of_norm n (forward N transformer (reads_letters embedding place (str (root a b))) (row 0%nat)));
      [|lia].
    apply (Hsim (root a b) 0%nat 0%nat); [cbn; lia|exact Logic.I|apply at_root].
Qed.
