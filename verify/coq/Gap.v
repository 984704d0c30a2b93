(** * The score of Theorem 1 and its gap, for every T

    Appendix B.1, "Attention mechanism" (and B.2 for the softmax). With the printed rotation the
    score of query t and key s is cos(pi (t - s - 2^(l-1)) / T). It is 1 exactly when
    s = t - 2^(l-1) modulo 2T, and every other position loses at least 1 - cos(pi/T) > 0.

    Main definition: [score].
    Main theorems:   [score_hit], [miss_gap], [gap_value] (the gap is 2 sin^2(pi/2T)), [gap_bound]
                     (it is at least 2/T^2, so a constant C of order T^2 log(T/eps) saturates). *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
Open Scope R_scope.

(** The score as a function of the integer m = t - s - w. *)
Definition score (T m : Z) : R := cos (PI * IZR m / IZR T).

Lemma one_minus_cos x : 1 - cos x = 2 * (sin (x/2) * sin (x/2)).
Proof. replace (cos x) with (cos (2*(x/2))) by (f_equal; field). rewrite cos_2a_sin. ring. Qed.

Lemma cos_period_Z x k : cos (x + 2 * IZR k * PI) = cos x.
Proof.
  destruct k as [|p|p].
  - f_equal; lra.
  - rewrite <- (cos_period x (Pos.to_nat p)). do 3 f_equal.
    now rewrite INR_IZR_INZ, positive_nat_Z.
  - rewrite <- (cos_period (x + 2 * IZR (Z.neg p) * PI) (Pos.to_nat p)). f_equal.
    rewrite INR_IZR_INZ, positive_nat_Z.
    change (Z.neg p) with (- Z.pos p)%Z. rewrite opp_IZR. ring.
Qed.

Lemma score_period T m k : (0 < T)%Z -> score T (m + 2*T*k) = score T m.
Proof.
  intro HT. unfold score. rewrite <- (cos_period_Z (PI * IZR m / IZR T) k). f_equal.
  rewrite plus_IZR, !mult_IZR. field. apply not_0_IZR; lia.
Qed.

Theorem score_hit T k : (0 < T)%Z -> score T (2*T*k) = 1.
Proof.
  intro HT. replace (2*T*k)%Z with (0 + 2*T*k)%Z by lia. rewrite score_period by lia.
  unfold score. replace (PI * 0 / IZR T) with 0 by (unfold Rdiv; ring). apply cos_0.
Qed.

Lemma score_gap_range T r : (0 < T)%Z -> (1 <= r <= 2*T-1)%Z -> score T r <= score T 1.
Proof.
  intros HT Hr. unfold score.
  assert (HT' : 0 < IZR T) by (apply (IZR_lt 0); lia).
  pose proof PI_RGT_0 as HP.
  assert (E : cos (PI * 1 / IZR T) - cos (PI * IZR r / IZR T) =
    2 * (sin (PI * (IZR r + 1) / (2 * IZR T)) * sin (PI * (IZR r - 1) / (2 * IZR T)))).
  { set (p := PI * (IZR r + 1) / (2 * IZR T)). set (q := PI * (IZR r - 1) / (2 * IZR T)).
    replace (PI * 1 / IZR T) with (p - q) by (unfold p, q; field; lra).
    replace (PI * IZR r / IZR T) with (p + q) by (unfold p, q; field; lra).
    rewrite cos_minus, cos_plus. ring. }
  assert (H1 : 1 <= IZR r) by (apply (IZR_le 1); lia).
  assert (H2 : IZR r <= 2 * IZR T - 1).
  { replace (2 * IZR T - 1) with (IZR (2*T-1)) by (rewrite minus_IZR, mult_IZR; reflexivity).
    apply IZR_le; lia. }
  assert (S1 : 0 <= sin (PI * (IZR r + 1) / (2 * IZR T))).
  { apply sin_ge_0.
    - apply Rmult_le_pos; [nra|left; apply Rinv_0_lt_compat; lra].
    - apply (Rmult_le_reg_r (2 * IZR T)); [lra|]. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l by lra. nra. }
  assert (S2 : 0 <= sin (PI * (IZR r - 1) / (2 * IZR T))).
  { apply sin_ge_0.
    - apply Rmult_le_pos; [nra|left; apply Rinv_0_lt_compat; lra].
    - apply (Rmult_le_reg_r (2 * IZR T)); [lra|]. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l by lra. nra. }
  nra.
Qed.

Lemma score_1_lt T : (1 <= T)%Z -> score T 1 < 1.
Proof.
  intro HT. unfold score.
  assert (HT' : 1 <= IZR T) by (apply (IZR_le 1); lia). pose proof PI_RGT_0.
  assert (0 < PI * 1 / IZR T <= PI).
  { split. apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; lra].
    apply (Rmult_le_reg_r (IZR T)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra. }
  assert (cos (PI * 1 / IZR T) < cos 0) by (apply cos_decreasing_1; lra). rewrite cos_0 in *; lra.
Qed.

(** Every miss loses by at least 1 - cos(pi/T) > 0. *)
Theorem miss_gap T m : (1 <= T)%Z -> (m mod (2*T) <> 0)%Z ->
  score T m <= score T 1 /\ score T 1 < 1.
Proof.
  intros HT Hm. split; [|now apply score_1_lt].
  rewrite (Z.div_mod m (2*T)) by lia.
  rewrite Z.add_comm, score_period by lia.
  apply score_gap_range; [lia|]. pose proof (Z.mod_pos_bound m (2*T)). lia.
Qed.

Theorem gap_value T : (1 <= T)%Z ->
  1 - score T 1 = 2 * (sin (PI / (2 * IZR T)) * sin (PI / (2 * IZR T))).
Proof.
  intro HT. unfold score. rewrite one_minus_cos.
  replace (PI * 1 / IZR T / 2) with (PI / (2 * IZR T)); [reflexivity|field].
  apply not_0_IZR; lia.
Qed.

Lemma sin_multiple k y : Rabs (sin (INR k * y)) <= INR k * Rabs (sin y).
Proof.
  induction k as [|k IH]; [simpl; rewrite Rmult_0_l, sin_0, Rabs_R0; lra|].
  rewrite S_INR. replace ((INR k + 1) * y) with (INR k * y + y) by ring. rewrite sin_plus.
  apply Rle_trans with (1 := Rabs_triang _ _). rewrite !Rabs_mult.
  assert (H : forall z, Rabs (cos z) <= 1).
  { intro z. apply Rabs_le. pose proof (COS_bound z). lra. }
  pose proof (H y). pose proof (H (INR k * y)).
  pose proof (Rabs_pos (sin y)). pose proof (Rabs_pos (sin (INR k * y))). nra.
Qed.

(** The gap is at least 2/T^2, with equality at T = 1. *)
Theorem gap_bound T : (1 <= T)%Z -> 2 / (IZR T * IZR T) <= 1 - score T 1.
Proof.
  intro HT. rewrite gap_value by lia. set (s := sin (PI / (2 * IZR T))).
  assert (HT' : 1 <= IZR T) by (apply (IZR_le 1); lia).
  assert (H : 1 <= IZR T * Rabs s).
  { pose proof (sin_multiple (Z.to_nat T) (PI / (2 * IZR T))) as H. fold s in H.
    rewrite INR_IZR_INZ, Z2Nat.id in H by lia.
    replace (IZR T * (PI / (2 * IZR T))) with (PI / 2) in H by (field; lra).
    rewrite sin_PI2, Rabs_R1 in H. lra. }
  assert (E : s * s = Rabs s * Rabs s)
    by (unfold Rabs; destruct (Rcase_abs s); ring).
  apply (Rmult_le_reg_r (IZR T * IZR T)); [nra|].
  replace (2 / (IZR T * IZR T) * (IZR T * IZR T)) with 2 by (field; lra).
  rewrite E. set (a := Rabs s) in *. nra.
Qed.
