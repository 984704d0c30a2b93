(** * Theorem 3 with softmax and blocks that are not exact

    Section 4.2 and Appendix C, repaired. For every WTA over finitely many letters, every T, every
    height and every eps > 0 there are C0, a bound and eta > 0 such that for every C >= C0 the model
    of TreeModel.v with softmax, and in all layers, the first two included, any blocks that compute
    their products up to eta on inputs up to the bound, is within eps in Euclidean length at every
    position of I_t of every tree with |str(t)| <= T and at most that height. No rate is given here;
    for exact copies TreeSoft.v has a recursion.

    Main definitions: [run_blocks].
    Main theorems:    [blocks_precision], [theorem3_blocks]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Theorem1 Softmax Spectral Trees Theorem3.
From Assay Require Import TreeModel TreeBlocks TreeScores TreeLayers TreeRecursion TreeSoft.
From Assay Require Import TreeContinuity TreeTargets SoftStep.
Import ListNotations.
Open Scope R_scope.

(** ** The model with softmax and other blocks *)

Definition run_blocks {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor C T (t : tree Sigma)
    (B1 B2 Bp : (nat -> R) -> nat -> R) : nat -> mat :=
  let step := layer_with n leaf tensor C (str t) in
  fun l => Nat.iter l (step Bp (heads (parse_layer n (S T) Soft)))
    (step B2 (heads (second_layer n Soft)) (step B1 (heads (first_layer n Soft)) (embedded n leaf tensor C (str t)))).

(** The heads of the three kinds of layers. *)
Definition first_specs (n : nat) : list spec :=
  [Averages n; Looks (towards n (-1)) (places n) [at_kind n] Everywhere; Copies n].
Definition second_specs (n : nat) : list spec := [Copies n].
Definition parse_specs (n tokens : nat) : list spec :=
  [Looks (left_queries n tokens) (left_keys n) (seq 0 n) Everywhere;
   Looks (right_queries n tokens) (right_keys n) (seq 0 n) Anticausal; Copies n].

Section Steps.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R)
  (T : nat) (S : R).
Hypothesis S_pos : 0 <= S.
Hypothesis states_norm : forall t : tree Sigma, (length (str t) <= T)%nat ->
  length2 n (mu n leaf tensor t) <= S.

Local Notation K := (size_bound T S).
Local Notation tokens := (Datatypes.S T).
Local Notation E C t := (embedded n leaf tensor C (str t)).
Local Notation hard C t := (after n leaf tensor C (str t) tokens Hard).
Local Notation first C t := (run_layer (value leaf tensor C (str t)) (rows (str t))
  [at_place n; at_square n] (E C t) (E C t) (first_layer n Hard)).
Local Notation with_block C t := (layer_with n leaf tensor C (str t)).

Lemma subtree_norm t : (length (str t) <= T)%nat ->
  forall i d u, node t i d u -> length2 n (mu n leaf tensor u) <= S.
Proof. intros H i d u Hn. apply states_norm. pose proof (node_inside _ _ _ _ Hn). lia. Qed.

(** The layers one after the other, as [lift] has them. *)
Definition spec_at (l : nat) : list spec :=
  match l with 0%nat => first_specs n | 1%nat => second_specs n | _ => parse_specs n tokens end.
Definition products_at (l : nat) : list product :=
  match l with
  | 0%nat => products (first_layer n Hard) | 1%nat => products (second_layer n Hard)
  | _ => products (parse_layer n tokens Hard) end.

Lemma plain_at l : Forall (fun p => plain (times p)) (products_at l).
Proof. destruct l as [|[|l]]; [apply first_plain|apply second_plain|apply parse_plain]. Qed.

Theorem blocks_precision l eps : 0 < eps -> exists C0 eta, 0 < eta /\
  forall C t B1 B2 Bp, C0 <= C -> (length (str t) <= T)%nat ->
    computes tensor (K + 1) eta B1 (products_at 0) -> computes tensor (K + 1) eta B2 (products_at 1) ->
    computes tensor (K + 1) eta Bp (products_at 2) ->
    close (str t) eps (run_blocks n leaf tensor C T t B1 B2 Bp l) (hard C t l).
Proof.
  intro He. set (z k := psize tensor (products_at k) + reach (spec_at k) + 1).
  assert (Hz : forall k, 0 <= z k).
  { intro k. pose proof (psize_pos tensor (products_at k)). pose proof (reach_pos (spec_at k)). unfold z. lra. }
  pose proof (Hz 0%nat). pose proof (Hz 1%nat). pose proof (Hz 2%nat).
  destruct (lift_small leaf tensor K T (2 + l) (z 0%nat + z 1%nat + z 2%nat) eps (K_pos T S S_pos) ltac:(lra) He)
    as (C0 & eta & Het & HL).
  exists C0, eta. split; [exact Het|]. intros C t B1 B2 Bp HC Hl G1 G2 G3. pose proof (subtree_norm t Hl) as Hs.
  apply (HL C (str t) [at_place n; at_square n] (E C t) spec_at products_at
    (fun k => match k with 0%nat => B1 | 1%nat => B2 | _ => Bp end)
    (fun k => match k with
      | 0%nat => E C t | 1%nat => with_block C t B1 (heads (first_layer n Soft)) (E C t)
      | Datatypes.S (Datatypes.S k') => run_blocks n leaf tensor C T t B1 B2 Bp k' end)
    (fun k => match k with 0%nat => E C t | 1%nat => first C t | Datatypes.S (Datatypes.S k') => hard C t k' end));
    auto; [apply close_refl; lra|].
  intros k _. split; [apply plain_at|].
  split; [destruct k as [|[|k]]; unfold z in *; cbn [spec_at products_at] in *; lra|].
  split; [now destruct k as [|[|k]]|]. split; [now destruct k as [|[|k]]|].
  split; [destruct k as [|[|k]]; [reflexivity|reflexivity|apply after_S]|].
  split; [destruct k as [|[|k]]; [now apply bounded_embedded|now apply bounded_first|now apply bounded_after]|].
  intros q Hq. destruct k as [|[|k]]; repeat constructor; cbn [aims];
    [eexists; now apply (previous_target n leaf tensor C T t)| |];
    destruct (parse_states n leaf tensor C T t Hl k) as [HP _];
    [now apply (left_target n leaf tensor C)|now apply (right_target n leaf tensor C)].
Qed.
End Steps.

(** Theorem 3 with softmax and blocks that are right up to some eta: for every eps > 0 there are C0,
    a bound on inputs and eta > 0 such that for every C >= C0 and all such blocks the model is
    within eps at every position of I_t of every tree with |str(t)| <= T and at most that height. *)
Theorem theorem3_blocks {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor (letters : list Sigma)
    T height :
  (forall a, In a letters) -> forall eps, 0 < eps ->
  exists C0 bound eta, 0 < bound /\ 0 < eta /\ forall C B1 B2 Bp, C0 <= C ->
    computes tensor bound eta B1 (products (first_layer n Soft)) ->
    computes tensor bound eta B2 (products (second_layer n Soft)) ->
    computes tensor bound eta Bp (products (parse_layer n (S T) Soft)) ->
    forall (t : tree Sigma) i d u,
      (length (str t) <= T)%nat -> (Trees.height t <= height)%nat -> node t i d u ->
      sqrt (sum n (fun k => (run_blocks n leaf tensor C T t B1 B2 Bp height i k
                             - mu n leaf tensor u k) ^ 2)) < eps.
Proof.
  intros Hall eps He.
  destruct (states_bounded n leaf tensor (length2 n) (frobenius n tensor) letters T (euclidean n)
    (sqrt_pos _) (frobenius_bound n tensor) Hall) as (Sz & HS & HB).
  assert (Hq : 0 < eps / (INR n + 1)) by (apply Rdiv_lt_0_compat; [lra|pose proof (pos_INR n); lra]).
  destruct (blocks_precision n leaf tensor T Sz HS HB height _ Hq) as (C0 & eta & Het & H).
  exists C0, (size_bound T Sz + 1), eta.
  split; [pose proof (K_pos T Sz HS); lra|]. split; [exact Het|].
  intros C B1 B2 Bp HC G1 G2 G3 t i d u Hl Hh Hn.
  pose proof (node_inside _ _ _ _ Hn) as Hi. pose proof (str_length Sigma u).
  assert (Hrow : (i < rows (str t))%nat) by (unfold rows; lia).
  destruct (parse_states n leaf tensor C T t Hl height) as [_ Hst].
  apply length_small; [exact He|]. intros k Hk.
  pose proof (H C t B1 B2 Bp HC Hl G1 G2 G3 i k Hrow) as G.
  rewrite Hst, (held_node _ _ _ _ _ _ _ _ Hn) in G by auto. pose proof (node_height _ _ _ _ Hn).
  now replace (Trees.height u <=? height)%nat with true in G by (symmetry; apply Nat.leb_le; lia).
Qed.
