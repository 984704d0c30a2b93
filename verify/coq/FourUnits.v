(** * The error of four hidden units, with its constant

    Appendix B.2. Where the activation has four derivatives within r of b, the fourth at most K in
    size, the second difference at b is c u^2 up to K u^4 / 12 (Taylor), and so four units multiply
    numbers of size P and Q up to

        |s| K h^4 (2 P^4 + 12 P^2 Q^2 + 2 Q^4) / 12 + |4 h^2 c s - 1| P Q   where h (P + Q) <= r.

    This is the remainder that the program uses.

    Main definitions: [smooth], [remainder].
    Main theorems:    [second_difference_rate], [four_units_rate], [four_units_matched],
                      [step_exists]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Activation.
Open Scope R_scope.

(** Four derivatives within r of b; the second one is c at b, the fourth is at most K in size. *)
Definition smooth (sigma : R -> R) (b c r K : R) : Prop :=
  exists d1 d2 d3 d4 : R -> R, d2 b = c /\
    forall x, Rabs (x - b) <= r ->
      derivable_pt_lim sigma x (d1 x) /\ derivable_pt_lim d1 x (d2 x) /\
      derivable_pt_lim d2 x (d3 x) /\ derivable_pt_lim d3 x (d4 x) /\ Rabs (d4 x) <= K.

(** A function that starts at 0 and whose derivative is at most that of g in size is at most g. *)
Lemma integrate f g f' g' u : 0 <= u -> f 0 = 0 -> g 0 = 0 ->
  (forall v, 0 <= v <= u -> derivable_pt_lim f v (f' v) /\ derivable_pt_lim g v (g' v) /\
     Rabs (f' v) <= g' v) -> Rabs (f u) <= g u.
Proof.
  intros Hu Hf Hg H. apply Rabs_le. split.
  - assert (I : f 0 + g 0 <= f u + g u); [|lra].
    apply (increasing (fun v => f v + g v)); [exact Hu|]. intros v Hv.
    destruct (H v Hv) as (D1 & D2 & D3). exists (f' v + g' v). apply abs_between in D3.
    split; [lra|]. now apply derivable_pt_lim_plus.
  - assert (I : g 0 - f 0 <= g u - f u); [|lra].
    apply (increasing (fun v => g v - f v)); [exact Hu|]. intros v Hv.
    destruct (H v Hv) as (D1 & D2 & D3). exists (g' v - f' v). apply abs_between in D3.
    split; [lra|]. now apply derivable_pt_lim_minus.
Qed.

Lemma derivable_power k m v : derivable_pt_lim (fun v => k * v ^ S m) v (k * (INR (S m) * v ^ m)).
Proof. apply derivable_pt_lim_scal. apply derivable_pt_lim_pow. Qed.

Lemma derivable_line k v : derivable_pt_lim (fun v => k * v) v k.
Proof.
  pose proof (derivable_pt_lim_scal id k v 1 (derivable_pt_lim_id v)) as H.
  now rewrite Rmult_1_r in H.
Qed.

Theorem second_difference_rate sigma b c r K : smooth sigma b c r K ->
  forall u, 0 <= u <= r -> Rabs (second sigma b u - c * u ^ 2) <= K / 12 * u ^ 4.
Proof.
  intros (d1 & d2 & d3 & d4 & Hc & H) u Hu.
  assert (At : forall v, 0 <= v <= u -> Rabs (b + v - b) <= r /\ Rabs (b - v - b) <= r).
  { intros v Hv. replace (b + v - b) with v by ring. replace (b - v - b) with (- v) by ring.
    rewrite Rabs_Ropp, Rabs_pos_eq by lra. lra. }
  (* the difference of third derivatives *)
  assert (S3 : forall v, 0 <= v <= u -> Rabs (d3 (b + v) - d3 (b - v)) <= 2 * K * v).
  { intros v Hv. apply (integrate (fun v => d3 (b + v) - d3 (b - v)) (fun v => 2 * K * v)
      (fun v => d4 (b + v) + d4 (b - v)) (fun _ => 2 * K)); [lra| | |].
    - replace (b + 0) with b by ring. replace (b - 0) with b by ring. ring.
    - ring.
    - intros w Hw. destruct (At w ltac:(lra)) as [A1 A2].
      destruct (H _ A1) as (_ & _ & _ & D1 & K1). destruct (H _ A2) as (_ & _ & _ & D2 & K2).
      split; [|split; [apply derivable_line|]].
      + replace (d4 (b + w) + d4 (b - w)) with (d4 (b + w) - - d4 (b - w)) by ring.
        apply (derivable_pt_lim_minus (fun v => d3 (b + v)) (fun v => d3 (b - v)));
          [now apply derivable_shift|now apply derivable_mirror].
      + eapply Rle_trans; [apply Rabs_triang|]. lra. }
  (* the sum of second derivatives *)
  assert (S2 : forall v, 0 <= v <= u -> Rabs (d2 (b + v) + d2 (b - v) - 2 * c) <= K * v ^ 2).
  { intros v Hv. apply (integrate (fun v => d2 (b + v) + d2 (b - v) - 2 * c) (fun v => K * v ^ 2)
      (fun v => d3 (b + v) - d3 (b - v)) (fun v => 2 * K * v)); [lra| |simpl; ring|].
    - replace (b + 0) with b by ring. replace (b - 0) with b by ring. rewrite Hc. ring.
    - intros w Hw. destruct (At w ltac:(lra)) as [A1 A2].
      destruct (H _ A1) as (_ & _ & D1 & _). destruct (H _ A2) as (_ & _ & D2 & _).
      split; [|split; [|apply S3; lra]].
      + replace (d3 (b + w) - d3 (b - w)) with (d3 (b + w) + - d3 (b - w) - 0) by ring.
        apply derivable_pt_lim_minus with (f2 := fun _ => 2 * c); [|apply derivable_pt_lim_const].
        apply (derivable_pt_lim_plus (fun v => d2 (b + v)) (fun v => d2 (b - v)));
          [now apply derivable_shift|now apply derivable_mirror].
      + pose proof (derivable_power K 1 w) as D. simpl INR in D.
        replace (2 * K * w) with (K * ((1 + 1) * w ^ 1)) by ring. exact D. }
  (* the difference of slopes *)
  assert (S1 : forall v, 0 <= v <= u ->
    Rabs (d1 (b + v) - d1 (b - v) - 2 * c * v) <= K / 3 * v ^ 3).
  { intros v Hv. apply (integrate (fun v => d1 (b + v) - d1 (b - v) - 2 * c * v)
      (fun v => K / 3 * v ^ 3) (fun v => d2 (b + v) + d2 (b - v) - 2 * c) (fun v => K * v ^ 2));
      [lra| |simpl; ring|].
    - replace (b + 0) with b by ring. replace (b - 0) with b by ring. ring.
    - intros w Hw. destruct (At w ltac:(lra)) as [A1 A2].
      destruct (H _ A1) as (_ & D1 & _). destruct (H _ A2) as (_ & D2 & _).
      split; [|split; [|apply S2; lra]].
      + replace (d2 (b + w) + d2 (b - w) - 2 * c) with (d2 (b + w) - - d2 (b - w) - 2 * c) by ring.
        apply (derivable_pt_lim_minus (fun v => d1 (b + v) - d1 (b - v)) (fun v => 2 * c * v));
          [|apply derivable_line].
        apply (derivable_pt_lim_minus (fun v => d1 (b + v)) (fun v => d1 (b - v)));
          [now apply derivable_shift|now apply derivable_mirror].
      + pose proof (derivable_power (K / 3) 2 w) as D. simpl INR in D.
        replace (K * w ^ 2) with (K / 3 * ((1 + 1 + 1) * w ^ 2)) by field. exact D. }
  apply (integrate (fun v => second sigma b v - c * v ^ 2) (fun v => K / 12 * v ^ 4)
    (fun v => d1 (b + v) - d1 (b - v) - 2 * c * v) (fun v => K / 3 * v ^ 3)); [lra| |simpl; ring|].
  - rewrite second_0. simpl. ring.
  - intros w Hw. destruct (At w ltac:(lra)) as [A1 A2].
    destruct (H _ A1) as (D1 & _). destruct (H _ A2) as (D2 & _).
    split; [|split; [|apply S1; lra]].
    + apply derivable_pt_lim_minus; [now apply derivable_second|].
      pose proof (derivable_power c 1 w) as D. simpl INR in D.
      replace (2 * c * w) with (c * ((1 + 1) * w ^ 1)) by ring. exact D.
    + pose proof (derivable_power (K / 12) 3 w) as D. simpl INR in D.
      replace (K / 3 * w ^ 3) with (K / 12 * ((1 + 1 + 1 + 1) * w ^ 3)) by field. exact D.
Qed.

Lemma second_even sigma b u : second sigma b (- u) = second sigma b u.
Proof.
  unfold second. replace (b + - u) with (b - u) by ring. replace (b - - u) with (b + u) by ring. ring.
Qed.

Lemma second_rate_abs sigma b c r K : smooth sigma b c r K ->
  forall u, Rabs u <= r -> Rabs (second sigma b u - c * u ^ 2) <= K / 12 * u ^ 4.
Proof.
  intros H u Hu. apply abs_between in Hu. destruct (Rle_lt_dec 0 u).
  - apply (second_difference_rate sigma b c r K H). lra.
  - pose proof (second_difference_rate sigma b c r K H (- u) ltac:(lra)) as G.
    rewrite second_even in G. replace ((- u) ^ 2) with (u ^ 2) in G by ring.
    replace ((- u) ^ 4) with (u ^ 4) in G by ring. exact G.
Qed.

Definition remainder (K h P Q : R) : R :=
  K * h ^ 4 * (2 * P ^ 4 + 12 * P ^ 2 * Q ^ 2 + 2 * Q ^ 4) / 12.

Theorem four_units_rate sigma b c r K h s P Q : smooth sigma b c r K ->
  0 < h -> h * (P + Q) <= r ->
  forall x y, Rabs x <= P -> Rabs y <= Q ->
    Rabs (four_units sigma b h s x y - x * y)
    <= Rabs s * remainder K h P Q + Rabs (4 * h ^ 2 * c * s - 1) * (P * Q).
Proof.
  intros H Hh Hr x y Hx Hy. pose proof (abs_product x y P Q Hx Hy) as Hxy.
  assert (HK : 0 <= K).
  { destruct H as (d1 & d2 & d3 & d4 & _ & H). pose proof (Rabs_pos x). pose proof (Rabs_pos y).
    assert (Hb : Rabs (b - b) <= r).
    { replace (b - b) with 0 by ring. rewrite Rabs_R0. assert (0 <= h * (P + Q)) by nra. lra. }
    destruct (H b Hb) as (_ & _ & _ & _ & Hd). pose proof (Rabs_pos (d4 b)). lra. }
  apply abs_between in Hx. apply abs_between in Hy.
  assert (Hsmall : forall z, - (P + Q) <= z <= P + Q -> Rabs (h * z) <= r).
  { intros z Hz. apply Rle_trans with (h * (P + Q)); [|exact Hr].
    apply abs_product; [rewrite Rabs_pos_eq; lra|apply Rabs_le; lra]. }
  pose proof (second_rate_abs sigma b c r K H (h * (x + y)) (Hsmall (x + y) ltac:(lra))) as U.
  pose proof (second_rate_abs sigma b c r K H (h * (x - y)) (Hsmall (x - y) ltac:(lra))) as V.
  rewrite four_units_second.
  set (E := second sigma b (h * (x + y)) - c * (h * (x + y)) ^ 2
            - (second sigma b (h * (x - y)) - c * (h * (x - y)) ^ 2)).
  replace (s * (second sigma b (h * (x + y)) - second sigma b (h * (x - y))) - x * y)
    with (s * E + (4 * h ^ 2 * c * s - 1) * (x * y)) by (unfold E; ring).
  eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult. apply Rplus_le_compat.
  - apply Rmult_le_compat_l; [apply Rabs_pos|]. unfold E, remainder.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp.
    eapply Rle_trans; [apply Rplus_le_compat; [exact U|exact V]|].
    replace (K / 12 * (h * (x + y)) ^ 4 + K / 12 * (h * (x - y)) ^ 4)
      with (K * h ^ 4 * (2 * (x ^ 2) ^ 2 + 12 * x ^ 2 * y ^ 2 + 2 * (y ^ 2) ^ 2) / 12) by field.
    replace (2 * P ^ 4 + 12 * P ^ 2 * Q ^ 2 + 2 * Q ^ 4)
      with (2 * (P ^ 2) ^ 2 + 12 * P ^ 2 * Q ^ 2 + 2 * (Q ^ 2) ^ 2) by ring.
    assert (Hx2 : 0 <= x ^ 2 <= P ^ 2) by (split; [apply pow2_ge_0|apply pow_maj_Rabs, Rabs_le; lra]).
    assert (Hy2 : 0 <= y ^ 2 <= Q ^ 2) by (split; [apply pow2_ge_0|apply pow_maj_Rabs, Rabs_le; lra]).
    assert (Hh4 : 0 <= h ^ 4) by (apply pow_le; lra).
    apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; [now apply Rmult_le_pos|].
    set (X := x ^ 2) in *. set (Y := y ^ 2) in *. set (P2 := P ^ 2) in *. set (Q2 := Q ^ 2) in *.
    assert (X * Y <= P2 * Q2) by (apply Rmult_le_compat; lra).
    assert (X ^ 2 <= P2 ^ 2) by (apply pow_incr; lra).
    assert (Y ^ 2 <= Q2 ^ 2) by (apply pow_incr; lra). lra.
  - apply Rmult_le_compat_l; [apply Rabs_pos|]. rewrite <- Rabs_mult. exact Hxy.
Qed.

(** With s = 1 / (4 h^2 c) and numbers of size B: K B^4 h^2 / (3 |c|). *)
Corollary four_units_matched sigma b c r K h B : smooth sigma b c r K -> c <> 0 ->
  0 < h -> 2 * h * B <= r ->
  forall x y, Rabs x <= B -> Rabs y <= B ->
    Rabs (four_units sigma b h (/ (4 * h ^ 2 * c)) x y - x * y) <= K * B ^ 4 * h ^ 2 / (3 * Rabs c).
Proof.
  intros H Hc Hh Hr x y Hx Hy.
  pose proof (four_units_rate sigma b c r K h (/ (4 * h ^ 2 * c)) B B H Hh ltac:(lra) x y Hx Hy) as G.
  assert (Hh2 : h ^ 2 <> 0) by (apply pow_nonzero; lra).
  rewrite Rinv_r in G by (repeat apply Rmult_integral_contrapositive_currified; auto; lra).
  rewrite (Rminus_diag_eq 1 1 eq_refl), Rabs_R0, Rmult_0_l, Rplus_0_r in G.
  eapply Rle_trans; [exact G|]. right. unfold remainder.
  assert (Hc' : 0 < Rabs c) by now apply Rabs_pos_lt.
  rewrite Rabs_inv, !Rabs_mult, (Rabs_pos_eq 4), (Rabs_pos_eq (h ^ 2)) by (try apply pow2_ge_0; lra).
  field. split; lra.
Qed.

(** Steps that are small enough for a bound of this form. *)
Lemma step_exists B r M c X : 0 < B -> 0 < r -> c <> 0 ->
  exists h, 0 < h /\ 2 * h * B <= r /\ M * B ^ 4 * h ^ 2 / (3 * Rabs c) * X <= 1 / 2.
Proof.
  intros HB Hr Hc.
  set (y := M * B ^ 4 / (3 * Rabs c) * X). set (D := 2 * B / r + 2 * Rabs y + 1).
  assert (H1 : 0 < 2 * B / r) by (apply Rdiv_lt_0_compat; lra). pose proof (Rabs_pos y).
  pose proof (Rle_abs y). exists (/ D). set (h := / D).
  assert (Hh : 0 < h) by (apply Rinv_0_lt_compat; unfold D; lra).
  assert (HD : h * D = 1) by (apply Rinv_l; unfold D; lra).
  assert (E : h * (2 * B / r) + h * (2 * Rabs y) + h = 1) by (rewrite <- HD; unfold D; ring).
  assert (0 < h * (2 * B / r)) by (apply Rmult_lt_0_compat; lra).
  assert (0 <= h * (2 * Rabs y)) by (apply Rmult_le_pos; lra).
  split; [exact Hh|]. split.
  - replace (2 * h * B) with (h * (2 * B / r) * r) by (field; lra).
    apply Rle_trans with (1 * r); [apply Rmult_le_compat_r; lra|lra].
  - replace (M * B ^ 4 * h ^ 2 / (3 * Rabs c) * X) with (y * h * h)
      by (unfold y; field; now apply Rabs_no_R0).
    assert (y * h <= 1 / 2).
    { apply Rle_trans with (Rabs y * h); [apply Rmult_le_compat_r; lra|lra]. }
    apply Rle_trans with (1 / 2 * h); [apply Rmult_le_compat_r; lra|lra].
Qed.
