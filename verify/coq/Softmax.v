(** * The softmax of Theorem 2: how much attention leaks

    Appendix B.2, "Attention mechanism": the scores are C cos(pi (t - s - w) / T). The row of the
    softmax keeps at least 1 - (2T-1) exp(-C (1 - cos(pi/T))) of its weight at the source, for every
    T = 2^L, every position and every C >= 0; no other key gets more than exp(-C (1 - cos(pi/T))).

    Main definitions: [softmax], [gap], [leak].
    Main theorems:    [softmax_leak], [ahead_leaks], [softmax_sum], [leak_vanishes], [saturation]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Gap Model Attention Theorem1.
Open Scope R_scope.

Definition softmax (N : nat) (S : mat) : mat :=
  fun r s => exp (S r s) / sum N (fun s' => exp (S r s')).

Definition gap (L : nat) : R := 1 - cos (PI / INR (T L)).
Definition leak (L : nat) (C : R) : R := INR (N L - 1) * exp (- C * gap L).

(** From the series alone: the mean value theorem of the library would bring in one more axiom. *)
Lemma exp_lower x : 0 <= x -> 1 + x <= exp x.
Proof.
  intro Hx. unfold exp. destruct (exist_exp x) as (l & Hl). simpl.
  replace (1 + x) with (sum_f_R0 (fun i => / INR (fact i) * x ^ i) 1) by (simpl; field).
  apply sum_incr; [exact Hl|]. intro k. apply Rmult_le_pos; [|now apply pow_le].
  left. apply Rinv_0_lt_compat, INR_fact_lt_0.
Qed.

Lemma constant_exists X : exists C, 0 <= C /\ X <= exp (C / 2).
Proof.
  exists (2 * Rabs X). pose proof (Rabs_pos X). split; [lra|].
  replace (2 * Rabs X / 2) with (Rabs X) by field.
  pose proof (exp_lower (Rabs X) ltac:(auto)). pose proof (Rle_abs X). lra.
Qed.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof.
  intro H. replace y with ((y - x) + x) by ring. rewrite exp_plus.
  pose proof (exp_lower (y - x) ltac:(lra)). pose proof (exp_pos x). nra.
Qed.

Lemma softmax_local N S S' r :
  (forall s, (s < N)%nat -> S r s = S' r s) ->
  forall s, (s < N)%nat -> softmax N S r s = softmax N S' r s.
Proof.
  intros H s Hs. unfold softmax. rewrite H by auto.
  rewrite (sum_ext N _ (fun s' => exp (S' r s'))); [reflexivity|]. intros p Hp. now rewrite H.
Qed.

Lemma denominator_pos N (S : mat) r : (0 < N)%nat -> 0 < sum N (fun s => exp (S r s)).
Proof.
  destruct N as [|N]; [lia|]. intros _. simpl.
  assert (0 <= sum N (fun s => exp (S r s)))
    by (apply sum_nonneg; intros; left; apply exp_pos).
  pose proof (exp_pos (S r N)). lra.
Qed.

Theorem softmax_sum N S r : (0 < N)%nat -> sum N (softmax N S r) = 1.
Proof.
  intro HN. pose proof (denominator_pos N S r HN) as H. unfold softmax, Rdiv.
  rewrite <- sum_scal_r. field. lra.
Qed.

Lemma softmax_pos N S r s : (0 < N)%nat -> 0 < softmax N S r s.
Proof.
  intro HN. unfold softmax. apply Rdiv_lt_0_compat; [apply exp_pos|now apply denominator_pos].
Qed.

Lemma gap_score L : gap L = 1 - score (Z.of_nat (T L)) 1.
Proof.
  unfold gap, score. do 2 f_equal. rewrite INR_IZR_INZ. unfold Rdiv. ring.
Qed.

Theorem gap_pos L : 0 < gap L.
Proof.
  rewrite gap_score. pose proof (T_pos L).
  assert (score (Z.of_nat (T L)) 1 < 1) by (apply score_1_lt; lia). lra.
Qed.

Lemma N_pos L : (0 < N L)%nat.
Proof. unfold N. pose proof (T_pos L). lia. Qed.

(** A row whose largest score is ahead by g gives away at most (N - 1) exp(-g). *)
Lemma ahead_leaks N (S : mat) r s0 g : (s0 < N)%nat ->
  (forall s, (s < N)%nat -> s <> s0 -> S r s + g <= S r s0) ->
  1 - softmax N S r s0 <= INR (N - 1) * exp (- g).
Proof.
  intros H0 HS. rewrite <- (softmax_sum N S r ltac:(lia)) at 1.
  rewrite (sum_split N _ s0 H0). set (W := softmax N S r).
  replace (W s0 + sum N (fun p => if (p =? s0)%nat then 0 else W p) - W s0)
    with (sum N (fun p => if (p =? s0)%nat then 0 else W p)) by ring.
  apply Rle_trans with (sum N (fun p => if (p =? s0)%nat then 0 else exp (- g))).
  - apply sum_le. intros s Hs. destruct (Nat.eqb_spec s s0) as [|Hne]; [lra|].
    assert (HD : exp (S r s0) <= sum N (fun s' => exp (S r s'))).
    { apply (sum_term N (fun s' => exp (S r s')) s0 H0). intros. left. apply exp_pos. }
    pose proof (exp_pos (S r s0)). unfold W, softmax. apply Rle_trans with (exp (S r s) / exp (S r s0)).
    + apply Rmult_le_compat_l; [left; apply exp_pos|]. now apply Rinv_le_contravar.
    + unfold Rdiv. rewrite <- exp_Ropp, <- exp_plus. apply exp_le. specialize (HS s Hs Hne). lra.
  - pose proof (sum_split N (fun _ => exp (- g)) s0 H0) as H. rewrite sum_const in H.
    rewrite minus_INR by lia. simpl (INR 1). lra.
Qed.

(** The leak of a row: 1 - w_max <= (2T-1) exp(-C (1 - cos(pi/T))). *)
Theorem softmax_leak L kappa w r : (w < N L)%nat -> (r < N L)%nat ->
  1 - softmax (N L) (shifted L kappa w) r (source L w r) <= leak L (kappa * kappa).
Proof.
  intros Hw Hr. unfold leak. rewrite Ropp_mult_distr_l_reverse. apply ahead_leaks; [now apply source_lt|].
  intros s Hs Hne. unfold shifted. rewrite hit_score, gap_score by auto.
  pose proof (Rmult_le_compat_l (kappa * kappa) _ _ ltac:(nra) (proj1 (miss_score L w r s Hw Hr Hs Hne))). lra.
Qed.

(** For every tolerance some C makes the leak smaller, and so does every larger C. *)
Theorem leak_vanishes L eps : 0 < eps ->
  exists C0, 0 <= C0 /\ forall C, C0 <= C -> leak L C < eps.
Proof.
  intro He. pose proof (gap_pos L) as Hg. pose proof (pos_INR (N L - 1)) as HN.
  exists (INR (N L - 1) / (eps * gap L)). split.
  - apply Rmult_le_pos; auto. left. apply Rinv_0_lt_compat. nra.
  - intros C HC. unfold leak.
    assert (HCg : INR (N L - 1) / eps <= C * gap L).
    { apply Rle_trans with (INR (N L - 1) / (eps * gap L) * gap L).
      - right. field. split; lra.
      - apply Rmult_le_compat_r; lra. }
    assert (H0 : 0 <= INR (N L - 1) / eps).
    { apply Rmult_le_pos; auto. left. now apply Rinv_0_lt_compat. }
    assert (Hexp : 1 + C * gap L <= exp (C * gap L)) by (apply exp_lower; lra).
    replace (- C * gap L) with (- (C * gap L)) by ring. rewrite exp_Ropp.
    assert (0 < exp (C * gap L)) by apply exp_pos.
    apply (Rmult_lt_reg_r (exp (C * gap L))); auto.
    rewrite Rmult_assoc, Rinv_l by lra. rewrite Rmult_1_r.
    apply Rle_lt_trans with (eps * (C * gap L)).
    + apply (Rmult_le_reg_r (/ eps)); [now apply Rinv_0_lt_compat|].
      apply Rle_trans with (1 := HCg). right. field. lra.
    + apply Rmult_lt_compat_l; lra.
Qed.

(** As C grows every row of both heads comes as close to hard attention as one likes. *)
Theorem saturation L eps : 0 < eps ->
  exists C0, 0 <= C0 /\ forall C, C0 <= C -> forall w r, (w < N L)%nat -> (r < N L)%nat ->
    1 - softmax (N L) (shifted L (sqrt C) w) r (source L w r) < eps.
Proof.
  intro He. destruct (leak_vanishes L eps He) as (C0 & H0 & H). exists C0. split; [exact H0|].
  intros C HC w r Hw Hr. eapply Rle_lt_trans; [now apply softmax_leak|].
  rewrite sqrt_def by lra. now apply H.
Qed.
