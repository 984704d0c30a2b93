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
From Assay Require Import TreeContinuity TreeTargets.
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

Lemma choose Z K rho : 0 <= Z -> 0 <= K -> 0 < rho ->
  exists d eta, 0 < d <= 1 /\ 0 < eta /\
    forall delta e, 0 <= delta <= d -> 0 <= e <= eta -> e + delta * (2 * K + 1) * Z <= rho.
Proof.
  intros HZ HK Hr. set (q := (2 * K + 1) * Z + 1).
  assert (0 <= (2 * K + 1) * Z) by (apply Rmult_le_pos; lra).
  assert (Hq : 1 <= q) by (unfold q; lra).
  exists (Rmin 1 (rho / (2 * q))), (rho / 2).
  assert (0 < rho / (2 * q)) by (apply Rdiv_lt_0_compat; lra).
  split; [split; [apply Rmin_glb_lt; lra|apply Rmin_l]|]. split; [lra|].
  intros delta e Hd He. pose proof (Rmin_r 1 (rho / (2 * q))).
  assert (delta * q <= rho / 2).
  { apply Rle_trans with (rho / (2 * q) * q); [apply Rmult_le_compat_r; lra|right; field; lra]. }
  unfold q in *. replace (delta * (2 * K + 1) * Z) with (delta * ((2 * K + 1) * Z)) by ring. nra.
Qed.

Lemma leak_small a eps : 0 <= a -> 0 < eps ->
  exists C0, 0 <= C0 /\ forall C, C0 <= C -> a * exp (- (C / 2)) <= eps.
Proof.
  intros Ha He. assert (Hae : 0 <= 2 * a / eps).
  { apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]. }
  exists (2 * a / eps). split; [exact Hae|]. intros C HC.
  pose proof (exp_small (C / 2) ltac:(lra)) as H1. pose proof (exp_pos (- (C / 2))).
  assert (a <= eps * (C / 2)).
  { apply Rle_trans with (eps * (2 * a / eps / 2)); [right; field; lra|].
    apply Rmult_le_compat_l; lra. }
  set (x := exp (- (C / 2))) in *.
  assert (a * x <= eps * (C / 2) * x) by (apply Rmult_le_compat_r; lra).
  assert (eps * (x * (1 + C / 2)) <= eps * 1) by (apply Rmult_le_compat_l; lra). nra.
Qed.

Lemma computes_le tensor bound eta eta' B ps : eta <= eta' ->
  computes tensor bound eta B ps -> computes tensor bound eta' B ps.
Proof. intros H HB x Hx c. eapply Rle_trans; [now apply HB|exact H]. Qed.

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
Local Notation E C t := (embedded n leaf tensor C (str t)).
Local Notation hard C t := (after n leaf tensor C (str t) tokens Hard).
Local Notation first C t := (run_layer (value leaf tensor C (str t)) (rows (str t))
  [at_place n; at_square n] (E C t) (E C t) (first_layer n Hard)).
Local Notation with_block C t := (layer_with n leaf tensor C (str t)).

Lemma K_pos : 0 <= K.
Proof. unfold size_bound. pose proof (pos_INR T). nra. Qed.

Lemma subtree_norm t : (length (str t) <= T)%nat ->
  forall i d u, node t i d u -> length2 n (mu n leaf tensor u) <= S.
Proof. intros H i d u Hn. apply states_norm. pose proof (node_inside _ _ _ _ Hn). lia. Qed.

Lemma follows_le C (w : list (symbol Sigma)) delta delta' X Y r h h' : delta <= delta' ->
  follows leaf tensor C w delta X Y r h h' -> follows leaf tensor C w delta' X Y r h h'.
Proof. intros H [H1 H2]. split; auto. intros k Hk. eapply Rle_trans; [now apply H2|exact H]. Qed.

(** What the leak adds, for any tree that fits. *)
Lemma leak_rows C (t : tree Sigma) x : (length (str t) <= T)%nat ->
  2 * K * INR T * exp (- (C / 2)) <= x ->
  2 * K * (INR (rows (str t) - 1) * exp (- (C / 2))) <= x.
Proof.
  intros Hl H. eapply Rle_trans; [|exact H]. rewrite !Rmult_assoc. apply Rmult_le_compat_l; [lra|].
  apply Rmult_le_compat_l; [apply K_pos|]. apply Rmult_le_compat_r; [left; apply exp_pos|].
  apply le_INR. unfold rows. lia.
Qed.

Lemma step_first rho : 0 < rho -> exists C0 eta, 0 <= C0 /\ 0 < eta /\
  forall C t B, C0 <= C -> (length (str t) <= T)%nat ->
    computes tensor (K + 1) eta B (products (first_layer n Hard)) ->
    close (str t) rho (with_block C t B (heads (first_layer n Soft)) (E C t)) (first C t).
Proof.
  intro Hr. pose proof K_pos as HK.
  destruct (choose (psize tensor (products (first_layer n Hard))) K rho (psize_pos _ _) HK Hr)
    as (d & eta & Hd & He & H).
  destruct (leak_small (2 * K * INR T) d) as (C0 & HC0 & HL); [|lra|].
  { pose proof (pos_INR T). apply Rmult_le_pos; lra. }
  exists C0, eta. split; [exact HC0|]. split; [exact He|]. intros C t B HC Hl HB r c Hrow.
  eapply Rle_trans; [|apply (H d eta); lra].
  pose proof (bounded_embedded n leaf tensor C T t Hl S S_pos (subtree_norm t Hl)) as HE.
  apply (layer_off n leaf tensor C (str t) B (heads (first_layer n Soft))
           (heads (first_layer n Hard)) (products (first_layer n Hard))); auto; try lra.
  - constructor; [eapply follows_le; [|now apply mean_follows]; lra|].
    constructor; [|constructor; [|constructor]].
    + split; [reflexivity|]. intros k Hk.
      eapply Rle_trans; [apply (scored_follows leaf tensor C (str t) (towards n (-1)) (places n)
        [at_kind n] Everywhere (E C t) (E C t) r (r - 1) K 0 k); auto; try lra|].
      * intros q c' Hq. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
      * now apply (previous_target n leaf tensor C T t).
      * rewrite Rplus_0_l. apply leak_rows; [exact Hl|]. apply HL. lra.
    + apply own_follows; auto. intros q c' Hq.
      rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - constructor; [now apply mean_limited|]. constructor; [|constructor; [|constructor]].
    + apply (scored_limited leaf tensor C (str t) _ _ _ _ K (E C t) r (r - 1)); auto.
      now apply (previous_target n leaf tensor C T t).
    + now apply own_limited.
  - apply first_plain.
Qed.

Lemma step_second rho : 0 < rho -> exists rho0 eta, 0 < rho0 /\ 0 < eta /\
  forall C t B X, (length (str t) <= T)%nat ->
    computes tensor (K + 1) eta B (products (second_layer n Hard)) ->
    close (str t) rho0 X (first C t) ->
    close (str t) rho (with_block C t B (heads (second_layer n Soft)) X) (hard C t 0%nat).
Proof.
  intro Hr. pose proof K_pos as HK.
  destruct (choose (psize tensor (products (second_layer n Hard))) K rho (psize_pos _ _) HK Hr)
    as (d & eta & Hd & He & H).
  exists d, eta. split; [lra|]. split; [exact He|]. intros C t B X Hl HB HX r c Hrow.
  eapply Rle_trans; [|apply (H d eta); lra].
  pose proof (bounded_first n leaf tensor C T t Hl S S_pos (subtree_norm t Hl)) as HE.
  apply (layer_off n leaf tensor C (str t) B (heads (second_layer n Soft))
           (heads (second_layer n Hard)) (products (second_layer n Hard))); auto; try lra.
  - constructor; [now apply own_follows|constructor].
  - constructor; [now apply own_limited|constructor].
  - apply second_plain.
Qed.

Lemma step_parse rho : 0 < rho -> exists rho0 C0 eta, 0 < rho0 /\ 0 <= C0 /\ 0 < eta /\
  forall C t B X l, C0 <= C -> (length (str t) <= T)%nat ->
    computes tensor (K + 1) eta B (products (parse_layer n tokens Hard)) ->
    close (str t) rho0 X (hard C t l) ->
    close (str t) rho (with_block C t B (heads (parse_layer n tokens Soft)) X)
      (hard C t (Datatypes.S l)).
Proof.
  intro Hr. pose proof K_pos as HK.
  destruct (choose (psize tensor (products (parse_layer n tokens Hard))) K rho (psize_pos _ _) HK
    Hr) as (d & eta & Hd & He & H).
  set (Q := wssize (left_queries n tokens) (left_keys n)
            + wssize (right_queries n tokens) (right_keys n) + 1).
  pose proof (wssize_pos (left_queries n tokens) (left_keys n)) as Q1.
  pose proof (wssize_pos (right_queries n tokens) (right_keys n)) as Q2.
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
  eapply Rle_trans; [|apply (H d eta); lra]. rewrite after_S.
  pose proof (bounded_after n leaf tensor C T t Hl S S_pos (subtree_norm t Hl) l) as HE.
  destruct (parse_states n leaf tensor C T t Hl l) as [HP _].
  destruct (left_target n leaf tensor C T t Hl _ r HP Hrow) as (sl & Tl).
  destruct (right_target n leaf tensor C T t Hl _ r HP Hrow) as (sr & Tr).
  assert (Hleak : rho0 + 2 * K * (INR (rows (str t) - 1) * exp (- (C / 2))) <= d).
  { pose proof (leak_rows C t (d / 2) Hl (HL C HC)). lra. }
  apply (layer_off n leaf tensor C (str t) B (heads (parse_layer n tokens Soft))
           (heads (parse_layer n tokens Hard)) (products (parse_layer n tokens Hard)));
    auto; try lra.
  - constructor; [|constructor; [|constructor; [|constructor]]].
    + split; [reflexivity|]. intros k Hk. eapply Rle_trans; [|exact Hleak].
      apply (scored_follows leaf tensor C (str t) (left_queries n tokens) (left_keys n)
        (seq 0 n) Everywhere X (hard C t l) r sl K rho0 k); auto; try lra.
      apply HQ. unfold Q. lra.
    + split; [reflexivity|]. intros k Hk. eapply Rle_trans; [|exact Hleak].
      apply (scored_follows leaf tensor C (str t) (right_queries n tokens) (right_keys n)
        (seq 0 n) Anticausal X (hard C t l) r sr K rho0 k); auto; try lra.
      apply HQ. unfold Q. lra.
    + eapply follows_le; [|now apply own_follows; [exact HX|]]. lra.
  - constructor; [|constructor; [|constructor; [|constructor]]].
    + apply (scored_limited leaf tensor C (str t) (left_queries n tokens) (left_keys n)
        (seq 0 n) Everywhere K (hard C t l) r sl); auto.
    + apply (scored_limited leaf tensor C (str t) (right_queries n tokens) (right_keys n)
        (seq 0 n) Anticausal K (hard C t l) r sr); auto.
    + now apply own_limited.
  - apply parse_plain.
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
  - destruct (step_second eps He) as (rho & e2 & Hrho & He2 & H2).
    destruct (step_first rho Hrho) as (C0 & e1 & HC0 & He1 & H1).
    exists C0, (Rmin e1 e2). split; [now apply Rmin_glb_lt|].
    intros C t B1 B2 Bp HC Hl HB.
    destruct (good_le _ e1 _ _ _ (Rmin_l e1 e2) HB) as (G1 & _).
    destruct (good_le _ e2 _ _ _ (Rmin_r e1 e2) HB) as (_ & G2 & _).
    apply H2; auto.
  - destruct (step_parse eps He) as (rho & C1 & e1 & Hrho & HC1 & He1 & H1).
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
  pose proof (pos_INR n) as Hn0. set (q := eps / (INR n + 1)).
  assert (Hq : 0 < q) by (apply Rdiv_lt_0_compat; lra).
  destruct (blocks_precision n leaf tensor T Sz HS HB height q Hq) as (C0 & eta & Het & H).
  exists C0, (size_bound T Sz + 1), eta.
  split; [pose proof (K_pos T Sz HS); lra|]. split; [exact Het|].
  intros C B1 B2 Bp HC G1 G2 G3 t i d u Hl Hh Hn.
  pose proof (node_inside _ _ _ _ Hn) as Hi. pose proof (str_length Sigma u).
  assert (Hrow : (i < rows (str t))%nat) by (unfold rows; lia).
  destruct (parse_states n leaf tensor C T t Hl height) as [_ Hst].
  rewrite <- (sqrt_Rsqr eps) by lra. apply sqrt_lt_1_alt. split.
  - apply sum_nonneg. intros k Hk. apply pow2_ge_0.
  - apply Rle_lt_trans with (sum n (fun _ => q ^ 2)).
    + apply sum_le. intros k Hk. rewrite <- pow2_abs. apply pow_incr. split; [apply Rabs_pos|].
      pose proof (H C t B1 B2 Bp HC Hl (conj G1 (conj G2 G3)) i k Hrow) as G.
      rewrite Hst, (held_node _ _ _ _ _ _ _ _ Hn) in G by auto.
      pose proof (node_height _ _ _ _ Hn).
      now replace (Trees.height u <=? height)%nat with true in G
        by (symmetry; apply Nat.leb_le; lia).
    + rewrite sum_const. assert (E : eps = q * (INR n + 1)) by (unfold q; field; lra).
      rewrite E. unfold Rsqr. simpl. nra.
Qed.
