(** * Theorem 3 with softmax and blocks that are not exact

    Section 4.2 and Appendix C, repaired. For every WTA over finitely many letters, every T, every
    height and every eps > 0 there are C0, a bound and eta > 0 such that for every C >= C0 the model
    of TreeModel.v with softmax, and in all layers, the first two included, any blocks that compute
    their products up to eta on inputs up to the bound, is within eps in Euclidean length at every
    position of I_t of every tree with |str(t)| <= T and at most that height. No rate is given here;
    for exact copies TreeSoft.v has a recursion.

    Main definitions: [run_blocks], [good_blocks].
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
  fix run (l : nat) : mat :=
    match l with
    | O => step B2 (heads (second_layer n Soft))
             (step B1 (heads (first_layer n Soft)) (embedded n leaf tensor C (str t)))
    | S l' => step Bp (heads (parse_layer n (S T) Soft)) (run l')
    end.

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

Lemma step_first rho : 0 < rho -> exists C0 eta, 0 < eta /\
  forall C t B, C0 <= C -> (length (str t) <= T)%nat ->
    computes tensor (K + 1) eta B (products (first_layer n Hard)) ->
    close (str t) rho (with_block C t B (heads (first_layer n Soft)) (E C t)) (first C t).
Proof.
  intro Hr. destruct (soft_step leaf tensor (first_specs n) _ K T rho (K_pos T S S_pos) Hr
    (first_plain n Hard)) as (rho0 & C0 & eta & H0 & _ & He & H).
  exists C0, eta. split; [exact He|]. intros C t B HC Hl HB.
  apply (H C (str t) [at_place n; at_square n] (E C t) B (E C t) (E C t)); auto.
  - intros r c Hrow. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - exact (bounded_embedded n leaf tensor C T t Hl S S_pos (subtree_norm t Hl)).
  - intros r Hrow. repeat constructor; cbn [aims].
    eexists. now apply (previous_target n leaf tensor C T t).
Qed.

Lemma step_second rho : 0 < rho -> exists rho0 C0 eta, 0 < rho0 /\ 0 < eta /\
  forall C t B X, C0 <= C -> (length (str t) <= T)%nat ->
    computes tensor (K + 1) eta B (products (second_layer n Hard)) ->
    close (str t) rho0 X (first C t) ->
    close (str t) rho (with_block C t B (heads (second_layer n Soft)) X) (hard C t 0%nat).
Proof.
  intro Hr. destruct (soft_step leaf tensor (second_specs n) _ K T rho (K_pos T S S_pos) Hr
    (second_plain n Hard)) as (rho0 & C0 & eta & H0 & _ & He & H).
  exists rho0, C0, eta. repeat split; auto. intros C t B X HC Hl HB HX.
  apply (H C (str t) [at_place n; at_square n] (E C t) B X (first C t)); auto.
  - exact (bounded_first n leaf tensor C T t Hl S S_pos (subtree_norm t Hl)).
  - intros r Hrow. repeat constructor.
Qed.

Lemma step_parse rho : 0 < rho -> exists rho0 C0 eta, 0 < rho0 /\ 0 < eta /\
  forall C t B X l, C0 <= C -> (length (str t) <= T)%nat ->
    computes tensor (K + 1) eta B (products (parse_layer n tokens Hard)) ->
    close (str t) rho0 X (hard C t l) ->
    close (str t) rho (with_block C t B (heads (parse_layer n tokens Soft)) X)
      (hard C t (Datatypes.S l)).
Proof.
  intro Hr. destruct (soft_step leaf tensor (parse_specs n tokens) _ K T rho (K_pos T S S_pos) Hr
    (parse_plain n tokens Hard)) as (rho0 & C0 & eta & H0 & _ & He & H).
  exists rho0, C0, eta. repeat split; auto. intros C t B X l HC Hl HB HX. rewrite after_S.
  destruct (parse_states n leaf tensor C T t Hl l) as [HP _].
  apply (H C (str t) [at_place n; at_square n] (E C t) B X (hard C t l)); auto.
  - exact (bounded_after n leaf tensor C T t Hl S S_pos (subtree_norm t Hl) l).
  - intros r Hrow. repeat constructor; cbn [aims];
      [now apply (left_target n leaf tensor C)|now apply (right_target n leaf tensor C)].
Qed.

Definition good_blocks (eta : R) (B1 B2 Bp : (nat -> R) -> nat -> R) : Prop :=
  computes tensor (K + 1) eta B1 (products (first_layer n Hard)) /\
  computes tensor (K + 1) eta B2 (products (second_layer n Hard)) /\
  computes tensor (K + 1) eta Bp (products (parse_layer n tokens Hard)).

Lemma good_le eta eta' B1 B2 Bp : eta <= eta' -> good_blocks eta B1 B2 Bp ->
  good_blocks eta' B1 B2 Bp.
Proof. intros H (H1 & H2 & H3). repeat split; eapply computes_le; eauto. Qed.

Theorem blocks_precision l : forall eps, 0 < eps -> exists C0 eta, 0 < eta /\
  forall C t B1 B2 Bp, C0 <= C -> (length (str t) <= T)%nat -> good_blocks eta B1 B2 Bp ->
    close (str t) eps (run_blocks n leaf tensor C T t B1 B2 Bp l) (hard C t l).
Proof.
  induction l as [|l IH]; intros eps He.
  - destruct (step_second eps He) as (rho & C2 & e2 & Hrho & He2 & H2).
    destruct (step_first rho Hrho) as (C1 & e1 & He1 & H1).
    exists (Rmax C1 C2), (Rmin e1 e2). split; [now apply Rmin_glb_lt|].
    intros C t B1 B2 Bp HC Hl HB. pose proof (Rmax_l C1 C2). pose proof (Rmax_r C1 C2).
    destruct (good_le _ e1 _ _ _ (Rmin_l e1 e2) HB) as (G1 & _).
    destruct (good_le _ e2 _ _ _ (Rmin_r e1 e2) HB) as (_ & G2 & _).
    apply H2; auto; [lra|]. apply H1; auto. lra.
  - destruct (step_parse eps He) as (rho & C1 & e1 & Hrho & He1 & H1).
    destruct (IH rho Hrho) as (C0 & e0 & He0 & H0).
    exists (Rmax C0 C1), (Rmin e0 e1). split; [now apply Rmin_glb_lt|].
    intros C t B1 B2 Bp HC Hl HB. pose proof (Rmax_l C0 C1). pose proof (Rmax_r C0 C1).
    pose proof (good_le _ e0 _ _ _ (Rmin_l e0 e1) HB) as G0.
    destruct (good_le _ e1 _ _ _ (Rmin_r e0 e1) HB) as (_ & _ & G3).
    apply H1; auto; [lra|]. apply H0; auto. lra.
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
  pose proof (H C t B1 B2 Bp HC Hl (conj G1 (conj G2 G3)) i k Hrow) as G.
  rewrite Hst, (held_node _ _ _ _ _ _ _ _ Hn) in G by auto. pose proof (node_height _ _ _ _ Hn).
  now replace (Trees.height u <=? height)%nat with true in G by (symmetry; apply Nat.leb_le; lia).
Qed.
