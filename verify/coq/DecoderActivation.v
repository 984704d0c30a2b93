(** * Activations for the decoder's MLP without gates

    Beyond the paper. An activation is gentle with c and k if act(y) - act(-y) = y and
    c y^2 (1 - k y^2) <= act(y) + act(-y) <= c y^2. SiLU is, with c = 1/2 and k = 1/12. GELU is, with
    c = sqrt(2/pi) and k = 1/6.

    Main definitions: [gentle].
    Main theorems:    [gentle_silu], [gentle_gelu]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Softmax Activation Gelu InUse.
Open Scope R_scope.

(** The activations: act(y) - act(-y) = y, and act(y) + act(-y) is c y^2 up to c k y^4. *)
Definition gentle (act : R -> R) (c k : R) : Prop :=
  0 < c /\ 0 <= k /\ (forall y, act y - act (- y) = y) /\
  forall y, c * (y * y) * (1 - k * (y * y)) <= act y + act (- y) <= c * (y * y).

(** y P(y) with P(y) + P(-y) = 1, and P(y) - P(-y) between c y (1 - k y^2) and c y for y >= 0. *)
Lemma gentle_gate P c k : 0 < c -> 0 <= k -> (forall y, P y + P (- y) = 1) ->
  (forall y, 0 <= y -> c * y * (1 - k * (y * y)) <= P y - P (- y) <= c * y) ->
  gentle (fun y => y * P y) c k.
Proof.
  intros Hc Hk Hsum Hd. split; [exact Hc|]. split; [exact Hk|]. split.
  - intro y. pose proof (Hsum y). nra.
  - intro y. destruct (Rle_lt_dec 0 y) as [Hy|Hy].
    + pose proof (Hd y Hy) as [D1 D2]. split; nra.
    + pose proof (Hd (- y) ltac:(lra)) as [D1 D2]. rewrite Ropp_involutive in *.
      replace (- y * - y) with (y * y) in * by ring. split; nra.
Qed.

Lemma cube_slope a b y : derivable_pt_lim (fun v => a * v - b * (v * v * v)) y (a - 3 * b * (y * y)).
Proof.
  replace (a - 3 * b * (y * y)) with (a * 1 - b * ((1 * y + y * 1) * y + y * y * 1)) by ring.
  apply (derivable_pt_lim_minus (fun v => a * v) (fun v => b * (v * v * v))).
  - apply (derivable_pt_lim_scal id), derivable_pt_lim_id.
  - apply (derivable_pt_lim_scal (fun v => v * v * v)).
    apply (derivable_pt_lim_mult (fun v => v * v) id); [|apply derivable_pt_lim_id].
    apply (derivable_pt_lim_mult id id); apply derivable_pt_lim_id.
Qed.

(** A function that starts at 0 and whose slope is between c (1 - 3 k y^2) and c. *)
Lemma between_cubes G s c k : G 0 = 0 -> (forall y, derivable_pt_lim G y (s y)) ->
  (forall y, 0 <= y -> c * (1 - 3 * k * (y * y)) <= s y <= c) ->
  forall y, 0 <= y -> c * y * (1 - k * (y * y)) <= G y <= c * y.
Proof.
  intros G0 Gs Hs y Hy. split.
  - pose (f := fun v => G v - (c * v - c * k * (v * v * v))). assert (H : f 0 <= f y).
    { apply increasing; [exact Hy|]. intros v Hv. exists (s v - (c - 3 * (c * k) * (v * v))).
      split; [pose proof (Hs v ltac:(lra)); lra|].
      apply (derivable_pt_lim_minus G (fun v => c * v - c * k * (v * v * v))); [apply Gs|apply cube_slope]. }
    unfold f in H. rewrite G0 in H. lra.
  - pose (f := fun v => c * v - 0 * (v * v * v) - G v). assert (H : f 0 <= f y).
    { apply increasing; [exact Hy|]. intros v Hv. exists (c - 3 * 0 * (v * v) - s v).
      split; [pose proof (Hs v ltac:(lra)); lra|].
      apply (derivable_pt_lim_minus (fun v => c * v - 0 * (v * v * v)) G); [apply cube_slope|apply Gs]. }
    unfold f in H. rewrite G0 in H. lra.
Qed.

Lemma difference_slope P s : (forall y, derivable_pt_lim P y (s y)) ->
  forall y, derivable_pt_lim (fun v => P v - P (- v)) y (s y + s (- y)).
Proof.
  intros H y. replace (s y + s (- y)) with (s y - s (- y) * - (1)) by ring.
  apply (derivable_pt_lim_minus P (fun v => P (- v))); [apply H|].
  apply (derivable_pt_lim_comp (fun v => - v) P); [|apply H].
  apply derivable_pt_lim_opp, derivable_pt_lim_id.
Qed.

Lemma sigmoid_mirror y : sigmoid y + sigmoid (- y) = 1.
Proof.
  unfold sigmoid. rewrite Ropp_involutive, exp_Ropp. pose proof (exp_pos y). field. lra.
Qed.

Theorem gentle_silu : gentle (fun y => y * sigmoid y) (1 / 2) (1 / 12).
Proof.
  apply gentle_gate; [lra|lra|apply sigmoid_mirror|].
  set (s := fun y => sigmoid y * (1 - sigmoid y) + sigmoid (- y) * (1 - sigmoid (- y))).
  set (G := fun v => sigmoid v - sigmoid (- v)).
  assert (G0 : G 0 = 0) by (unfold G; rewrite Ropp_0; ring).
  assert (Gs : forall y, derivable_pt_lim G y (s y)).
  { intro y. apply (difference_slope sigmoid (fun v => sigmoid v * (1 - sigmoid v))).
    intro z. apply sigmoid_slope. }
  assert (Es : forall y, s y = (1 - G y * G y) / 2).
  { intro y. unfold s, G. pose proof (sigmoid_mirror y).
    replace (sigmoid (- y)) with (1 - sigmoid y) by lra. field. }
  assert (Gup : forall y, 0 <= y -> 0 <= G y <= y / 2).
  { intros y Hy. split.
    - rewrite <- G0. apply increasing; [exact Hy|]. intros v Hv. exists (s v). split; [|apply Gs].
      unfold s. pose proof (sigmoid_bounds v). pose proof (sigmoid_bounds (- v)). nra.
    - pose (f := fun v => 1 / 2 * v - 0 * (v * v * v) - G v). assert (H : f 0 <= f y).
      { apply increasing; [exact Hy|]. intros v Hv. exists (1 / 2 - 3 * 0 * (v * v) - s v). split.
        - rewrite Es. nra.
        - apply (derivable_pt_lim_minus (fun v => 1 / 2 * v - 0 * (v * v * v)) G); [apply cube_slope|apply Gs]. }
      unfold f in H. rewrite G0 in H. lra. }
  apply (between_cubes G s); [exact G0|exact Gs|].
  intros y Hy. rewrite Es. pose proof (Gup y Hy). split; nra.
Qed.

Theorem gentle_gelu : gentle gelu (2 * density 0) (1 / 6).
Proof.
  assert (Hd0 : 0 < density 0).
  { apply Rmult_lt_0_compat; [|apply exp_pos].
    apply Rinv_0_lt_compat, sqrt_lt_R0. pose proof PI_RGT_0. lra. }
  assert (Hd : forall y, density 0 * (1 - y * y / 2) <= density y <= density 0).
  { intro y. unfold density. rewrite Rmult_0_l, Rmult_0_r, exp_0.
    assert (Hi : 0 < / sqrt (2 * PI)).
    { apply Rinv_0_lt_compat, sqrt_lt_R0. pose proof PI_RGT_0. lra. }
    pose proof (exp_lower_all (- / 2 * (y * y))) as E1.
    pose proof (exp_le (- / 2 * (y * y)) 0 ltac:(nra)) as E2. rewrite exp_0 in E2.
    split; [|apply Rmult_le_compat_l; lra].
    rewrite Rmult_1_r. apply Rmult_le_compat_l; lra. }
  apply (gentle_gate normal); [lra|lra| |].
  - intro y. rewrite normal_mirror. ring.
  - apply (between_cubes (fun v => normal v - normal (- v)) (fun v => density v + density (- v))).
    + rewrite Ropp_0. ring.
    + apply difference_slope, normal_slope.
    + intros y Hy. rewrite density_even. pose proof (Hd y). split; lra.
Qed.
