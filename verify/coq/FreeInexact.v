(** * Theorem 3 without masks: softmax and blocks that are not exact

    Section 2.4, Section 4.2 and Appendix C, "to arbitrary precision", on the model of FreeModel.v
    with softmax in all heads, the one that copies the token too. Every head of the exact model has
    one largest score, by at least 1, and its tokens are bounded; so if tokens and blocks are off by
    little and C is large, a layer gives tokens that are off by little (TreeContinuity.v). For every
    WTA over finitely many letters, every T, every number of layers and every eps > 0 there are C0,
    a bound and eta > 0 such that for every C >= C0 and every block that computes the products up to
    eta on inputs up to the bound, the model is within eps in Euclidean length at every position of
    I_t of every tree with |str(t)| <= T and rho(t) at most the number of layers. No rate is given.

    Main definitions: [free_with] (a layer with another block), [run_free_blocks].
    Main theorems:    [bounded_free], [free_precision], [theorem3_free_blocks]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Theorem1 Softmax Spectral Trees Theorem3.
From Assay Require Import TreeModel TreeBlocks TreeScores TreeLayers TreeRecursion TreeSoft.
From Assay Require Import TreeContinuity TreeTargets TreeInexact.
From Assay Require Import FreeModel FreeBlocks FreeStates FreeLayers.
Import ListNotations.
Open Scope R_scope.

(** ** Layers with other blocks *)

Section With.
Context {Sigma : Type}.
Variable n : nat.
Variable leaf : Sigma -> nat -> R.
Variable tensor : nat -> nat -> nat -> R.
Variable C : R.
Variable T : nat.
Variable w : list (symbol Sigma).
Local Notation val := (value leaf tensor C w).
Local Notation M := (rows w).
Local Notation E := (free_embedded n (S T) leaf tensor C w).
Local Notation again := [at_place n; at_square n].

(** A layer with the block B in the place of the exact one. *)
Definition free_with (B : (nat -> R) -> nat -> R) (hs : list head) (X : mat) : mat := fun r c =>
  if existsb (Nat.eqb c) again then E r c else B (joined val M hs X r) c.

(** The places are those of TreeModel.v. *)
Lemma places_same r c : existsb (Nat.eqb c) again = true -> E r c = embedded n leaf tensor C w r c.
Proof.
  cbn [existsb]. rewrite orb_false_r, orb_true_iff, !Nat.eqb_eq.
  destruct (free_embedded_row n leaf tensor C w (S T) r) as (_ & E2 & E3 & _).
  destruct (embedded_row n leaf tensor C w r) as (_ & F2 & F3 & _).
  intros [->| ->]; [now rewrite E2, F2|now rewrite E3, F3].
Qed.

Lemma free_off B hs hh ps X Y r K delta eta c : 0 <= K -> 0 <= delta <= 1 -> 0 <= eta ->
  Forall2 (follows leaf tensor C w delta X Y r) hs hh ->
  Forall (limited leaf tensor C w K Y r) hh ->
  Forall (fun p => plain (times p)) ps -> computes tensor (K + 1) eta B ps ->
  Rabs (free_with B hs X r c - run_layer val M again E Y (Layer hh ps) r c)
  <= eta + delta * (2 * K + 1) * psize tensor ps.
Proof.
  intros HK Hd He Hf Hb Hp HB.
  pose proof (layer_off n leaf tensor C w B hs hh ps X Y r K delta eta c HK Hd He Hf Hb Hp HB) as H.
  unfold free_with, layer_with, run_layer in *.
  destruct (existsb _ _) eqn:Ec; [now rewrite places_same|exact H].
Qed.
End With.

Lemma free_plain n tokens : Forall (fun p => plain (times p)) (free_products n tokens).
Proof.
  unfold free_products. rewrite !Forall_app. repeat split.
  - apply Forall_flat_map, Forall_forall. intros a _. apply Forall_flat_map, Forall_forall.
    intros b _. apply Forall_map, Forall_forall. intros; exact Logic.I.
  - apply kept_plain.
  - apply Forall_map, Forall_forall. intros; exact Logic.I.
  - apply Forall_map, Forall_forall. intros; exact Logic.I.
  - apply Forall_map, Forall_forall. intros; exact Logic.I.
  - repeat constructor.
Qed.

(** ** The tokens of the exact model are bounded *)

Section Bounds.
Context {Sigma : Type}.
Variable n : nat.
Variable leaf : Sigma -> nat -> R.
Variable tensor : nat -> nat -> nat -> R.
Variable C : R.
Variable T : nat.
Variable t : tree Sigma.
Variable S : R.
Hypothesis fits : (length (str t) <= T)%nat.
Hypothesis S_pos : 0 <= S.
Hypothesis states_norm : forall i d u, node t i d u -> length2 n (mu n leaf tensor u) <= S.
Local Notation K := (size_bound T S).
Local Notation w := (str t).

Lemma state_coordinate l r k : (k < n)%nat ->
  Rabs (state_of n leaf tensor (ready l t r) k) <= S.
Proof.
  intro Hk. destruct (ready l t r) as [u|] eqn:Eu; cbn [state_of].
  - destruct (ready_inside _ _ _ _ Eu) as (d & Hn).
    eapply Rle_trans; [now apply (coordinate_length n)|]. now apply (states_norm r d).
  - unfold zero. now rewrite Rabs_R0.
Qed.

Lemma bounded_free l : bounded w K (after_free n leaf tensor C T t Hard l).
Proof.
  destruct (holds_after n leaf tensor C T t fits l) as [H1 H2 H3 H4 H5 H6 H7 H8 H9].
  intros r c Hr. assert (S <= K) by (unfold size_bound; pose proof (pos_INR T); nra).
  destruct (Nat.lt_ge_cases c n) as [Hc|Hc].
  { rewrite H5 by auto. eapply Rle_trans; [now apply state_coordinate|lra]. }
  destruct (Nat.lt_ge_cases c (n + 7)) as [Hc'|Hc'].
  2: { rewrite H9, Rabs_R0 by auto. lra. }
  assert (Hseven : c = at_one n \/ c = at_place n \/ c = at_square n \/ c = free_kind n \/
    c = free_done n \/ c = free_size n \/ c = free_target n) by (free_coordinates; lia).
  pose proof (kind_range w r Hr) as Hk.
  assert (Hd : (0 <= done_of (ready l t r) <= 1)%Z) by (destruct (ready l t r); cbn; lia).
  assert (Hz : (0 <= size_of (ready l t r) <= Z.of_nat T)%Z).
  { destruct (ready l t r) as [u|] eqn:Eu; cbn [size_of]; [|lia].
    destruct (ready_inside _ _ _ _ Eu) as (d & Hn). pose proof (node_inside _ _ _ _ Hn). lia. }
  assert (Ha : (0 <= aim T t l r <= Z.of_nat T + 2)%Z).
  { destruct (aim_cases T t fits l r) as [->|(l' & d & a & b & _ & _ & _ & _ & -> & Hj)];
      unfold beyond; lia. }
  assert (Hr' : (0 <= Z.of_nat r <= Z.of_nat T)%Z) by (unfold rows in Hr; lia).
  destruct Hseven as [->|[->|[->|[->|[->|[->| ->]]]]]];
    rewrite ?H1, ?H2, ?H3, ?H4, ?H6, ?H7, ?H8 by auto; apply whole_bound; auto; nia.
Qed.
End Bounds.

(** ** One layer with softmax, tokens and block off a little *)

Section Steps.
Context {Sigma : Type}.
Variable n : nat.
Variable leaf : Sigma -> nat -> R.
Variable tensor : nat -> nat -> nat -> R.
Variable T : nat.
Variable S : R.
Hypothesis S_pos : 0 <= S.
Hypothesis states_norm : forall t : tree Sigma, (length (str t) <= T)%nat ->
  length2 n (mu n leaf tensor t) <= S.

Local Notation K := (size_bound T S).
Local Notation tokens := (Datatypes.S T).
Local Notation hard C t := (after_free n leaf tensor C T t Hard).
Local Notation soft_heads := (heads (free_layer n tokens Soft)).

Lemma step_free rho : 0 < rho -> exists rho0 C0 eta, 0 < rho0 /\ 0 <= C0 /\ 0 < eta /\
  forall C t B X l, C0 <= C -> (length (str t) <= T)%nat ->
    computes tensor (K + 1) eta B (free_products n tokens) ->
    close (str t) rho0 X (hard C t l) ->
    close (str t) rho (free_with n leaf tensor C T (str t) B soft_heads X)
      (hard C t (Datatypes.S l)).
Proof.
  intro Hr. pose proof (K_pos T S S_pos) as HK.
  destruct (choose (psize tensor (free_products n tokens)) K rho (psize_pos _ _) HK Hr)
    as (d & eta & Hd & He & H).
  set (Q1 := wssize (next_queries n tokens) (next_keys n)).
  set (Q2 := wssize (aimed_queries n) (places n)). set (Q3 := wssize (own_queries n) (places n)).
  assert (P1 : 0 <= Q1) by apply wssize_pos. assert (P2 : 0 <= Q2) by apply wssize_pos.
  assert (P3 : 0 <= Q3) by apply wssize_pos. set (Q := Q1 + Q2 + Q3 + 1).
  set (D := (2 * K + 1) * Q). assert (HD : 0 < D) by (apply Rmult_lt_0_compat; unfold Q; lra).
  destruct (leak_small (2 * K * INR T) (d / 2)) as (C0 & HC0 & HL); [|lra|].
  { pose proof (pos_INR T). apply Rmult_le_pos; lra. }
  set (rho0 := Rmin (d / 2) (/ (4 * D))).
  assert (H0 : 0 < rho0) by (apply Rmin_glb_lt; [lra|apply Rinv_0_lt_compat; lra]).
  assert (H1 : rho0 <= d / 2) by apply Rmin_l.
  assert (HQ : forall q, 0 <= q <= Q -> rho0 * (2 * K + 1) * q <= 1 / 4).
  { intros q Hq. apply Rle_trans with (rho0 * D).
    - unfold D. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|].
      apply Rmult_le_compat_l; lra.
    - apply Rle_trans with (/ (4 * D) * D); [apply Rmult_le_compat_r; [lra|apply Rmin_r]|].
      right. field. lra. }
  exists rho0, C0, eta. repeat split; auto. intros C t B X l HC Hl HB HX r c Hrow.
  eapply Rle_trans; [|apply (H d eta); lra]. rewrite after_free_S.
  assert (HE : bounded (str t) K (hard C t l)).
  { apply bounded_free; auto. intros i e u Hn. apply states_norm.
    pose proof (node_inside _ _ _ _ Hn). lia. }
  pose proof (holds_after n leaf tensor C T t Hl l) as HY.
  pose proof (next_target n leaf tensor T t Hl l _ HY r Hrow) as T1.
  pose proof (aimed_target n leaf tensor T t Hl l _ HY r Hrow) as T2.
  pose proof (own_target n leaf tensor T t Hl l _ HY r Hrow) as T3.
  assert (Hleak : rho0 + 2 * K * (INR (rows (str t) - 1) * exp (- (C / 2))) <= d).
  { pose proof (leak_rows T S S_pos C t (d / 2) Hl (HL C HC)). lra. }
  apply (free_off n leaf tensor C T (str t) B soft_heads (heads (free_layer n tokens Hard))
           (free_products n tokens)); auto; try lra.
  - constructor; [|constructor; [|constructor; [|constructor]]];
      (split; [reflexivity|]; intros k Hk; eapply Rle_trans; [|exact Hleak]).
    + apply (scored_follows leaf tensor C (str t) (next_queries n tokens) (next_keys n)
        (passed n) Everywhere X (hard C t l) r _ K rho0 k) with (8 := T1); auto; try lra.
      apply HQ. unfold Q. fold Q1. lra.
    + apply (scored_follows leaf tensor C (str t) (aimed_queries n) (places n)
        (passed n) Everywhere X (hard C t l) r _ K rho0 k) with (8 := T2); auto; try lra.
      apply HQ. unfold Q. fold Q2. lra.
    + apply (scored_follows leaf tensor C (str t) (own_queries n) (places n)
        (seq 0 (free_dimension n)) Everywhere X (hard C t l) r _ K rho0 k) with (8 := T3);
        auto; try lra.
      apply HQ. unfold Q. fold Q3. lra.
  - constructor; [|constructor; [|constructor; [|constructor]]].
    + exact (scored_limited leaf tensor C (str t) _ _ _ _ K _ r _ T1 HE).
    + exact (scored_limited leaf tensor C (str t) _ _ _ _ K _ r _ T2 HE).
    + exact (scored_limited leaf tensor C (str t) _ _ _ _ K _ r _ T3 HE).
  - apply free_plain.
Qed.

(** The model with softmax and another block in all layers. *)
Definition run_free_blocks (C : R) (t : tree Sigma) (B : (nat -> R) -> nat -> R) (l : nat) : mat :=
  Nat.iter l (free_with n leaf tensor C T (str t) B soft_heads)
    (free_embedded n tokens leaf tensor C (str t)).

Theorem free_precision l : forall eps, 0 < eps -> exists C0 eta, 0 < eta /\
  forall C t B, C0 <= C -> (length (str t) <= T)%nat ->
    computes tensor (K + 1) eta B (free_products n tokens) ->
    close (str t) eps (run_free_blocks C t B l) (hard C t l).
Proof.
  induction l as [|l IH]; intros eps He.
  - exists 0, 1. split; [lra|]. intros C t B HC Hl HB r c Hr.
    change (Rabs (free_embedded n tokens leaf tensor C (str t) r c
                  - free_embedded n tokens leaf tensor C (str t) r c) <= eps).
    rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - destruct (step_free eps He) as (rho & C1 & e1 & Hrho & HC1 & He1 & H1).
    destruct (IH rho Hrho) as (C0 & e0 & He0 & H0).
    exists (Rmax C0 C1), (Rmin e0 e1). split; [now apply Rmin_glb_lt|].
    intros C t B HC Hl HB. pose proof (Rmax_l C0 C1). pose proof (Rmax_r C0 C1).
    apply H1; auto; [lra| |].
    + eapply computes_le; [apply Rmin_r|exact HB].
    + apply H0; auto; [lra|]. eapply computes_le; [apply Rmin_l|exact HB].
Qed.
End Steps.

(** Theorem 3 without masks, with softmax and blocks that are right up to some eta. *)
Theorem theorem3_free_blocks {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor
    (letters : list Sigma) T count :
  (forall a, In a letters) -> forall eps, 0 < eps ->
  exists C0 bound eta, 0 < bound /\ 0 < eta /\ forall C B, C0 <= C ->
    computes tensor bound eta B (free_products n (S T)) ->
    forall (t : tree Sigma) i d u,
      (length (str t) <= T)%nat -> (rank t <= count)%nat -> node t i d u ->
      sqrt (sum n (fun k => (run_free_blocks n leaf tensor T C t B count i k
                             - mu n leaf tensor u k) ^ 2)) < eps.
Proof.
  intros Hall eps He.
  destruct (states_bounded n leaf tensor (length2 n) (frobenius n tensor) letters T (euclidean n)
    (sqrt_pos _) (frobenius_bound n tensor) Hall) as (Sz & HS & HB).
  pose proof (pos_INR n) as Hn0. set (q := eps / (INR n + 1)).
  assert (Hq : 0 < q) by (apply Rdiv_lt_0_compat; lra).
  destruct (free_precision n leaf tensor T Sz HS HB count q Hq) as (C0 & eta & Het & H).
  exists C0, (size_bound T Sz + 1), eta.
  split; [pose proof (K_pos T Sz HS); lra|]. split; [exact Het|].
  intros C B HC G t i d u Hl Hh Hn.
  pose proof (node_inside _ _ _ _ Hn) as Hi. pose proof (str_length Sigma u).
  assert (Hrow : (i < rows (str t))%nat) by (unfold rows; lia).
  pose proof (h_state _ _ _ _ _ _ _ (holds_after n leaf tensor C T t Hl count)) as Hst.
  rewrite <- (sqrt_Rsqr eps) by lra. apply sqrt_lt_1_alt. split.
  - apply sum_nonneg. intros k Hk. apply pow2_ge_0.
  - apply Rle_lt_trans with (sum n (fun _ => q ^ 2)).
    + apply sum_le. intros k Hk. rewrite <- pow2_abs. apply pow_incr. split; [apply Rabs_pos|].
      pose proof (H C t B HC Hl G i k Hrow) as F.
      rewrite Hst, (ready_node _ _ _ _ _ Hn) in F by auto.
      pose proof (node_rank _ _ _ _ Hn).
      now replace (rank u <=? count)%nat with true in F by (symmetry; apply Nat.leb_le; lia).
    + rewrite sum_const. assert (E : eps = q * (INR n + 1)) by (unfold q; field; lra).
      rewrite E. unfold Rsqr. simpl. nra.
Qed.
