(** * How large the saturating constant must be

    Appendix B.2, last paragraph of "Error analysis": some C is large enough. In closed form: if all
    words of at most T = 2^L letters have norm at most mu >= 1, and

        exp(2 C / T^2) >= (2T - 1) K / eps,   K = 2 mu (6 mu)^L,   0 < eps <= 1/4,

    that is C >= T^2/2 ln((2T - 1) K / eps), then the error of every layer is at most eps, for all
    words, with exact products, in every submultiplicative norm, the spectral one for example. With
    L = log2 T this is T^2 (log T + log 1/eps + log of the amplification), up to constants.

    Main definition: [amplification].
    Main theorems:   [error_linear] (the error is at most K times the leak), [saturation_rate]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Gap Model Attention Theorem1 Softmax Recursion Spectral Rates.
Open Scope R_scope.

Definition amplification (mu : R) (L : nat) : R := 2 * mu * (6 * mu) ^ L.

Lemma power_ge_1 mu l : 1 <= mu -> 1 <= (6 * mu) ^ l.
Proof. intro H. apply pow_R1_Rle. lra. Qed.

Section Rate.
Context {Sigma : Type} (n L : nat) (nu : mat -> R).
Hypothesis sm : submultiplicative n nu.
Context (A : Sigma -> mat) (mu : R).
Hypothesis mu_1 : 1 <= mu.
Hypothesis mu_words : forall w, (length w <= 2 ^ L)%nat -> nu (word_product n A w) <= mu.

(** A small leak p gives errors of at most mu p (2 (6 mu)^l - 2) after l layers. *)
Lemma error_linear_step kappa x F :
  soft_run n L nu A x kappa 0 F ->
  let p := leak L (kappa * kappa) in
  p * (4 * amplification mu L) <= 1 ->
  forall l, (l <= L)%nat -> total_error n L nu A x F l <= mu * p * (2 * (6 * mu) ^ l - 2).
Proof.
  intros HF p Hp l Hl.
  assert (Hp0 : 0 <= p) by (unfold p, leak; apply Rmult_le_pos; [apply pos_INR|left; apply exp_pos]).
  assert (HD : forall k : nat, 0 <= 2 * mu) by (intros _; lra).
  assert (Hgain : forall k, gain (fun _ => mu) (fun _ => 2 * mu) k <= mu * (2 * (6 * mu) ^ k - 2)).
  { induction k as [|k IH]; cbn [gain pow]; [lra|]. pose proof (power_ge_1 mu k mu_1).
    set (y := (6 * mu) ^ k) in *. assert (mu <= mu * mu * y) by nra. nra. }
  assert (Hgain' : forall k, p * gain (fun _ => mu) (fun _ => 2 * mu) k <= mu * p * (2 * (6 * mu) ^ k - 2)).
  { intro k. replace (mu * p * (2 * (6 * mu) ^ k - 2)) with (p * (mu * (2 * (6 * mu) ^ k - 2))) by ring.
    now apply Rmult_le_compat_l. }
  destruct (closed_form (fun _ => mu) (fun _ => 2 * mu) p 0 (fun _ => mu_1) HD Hp0 (Rle_refl 0) L) with (l := l)
    as [Hb _]; [|exact Hl|].
  { pose proof (Hgain' L). unfold amplification in Hp. nra. }
  assert (Hmu : forall k w, (k <= L)%nat -> (length w <= 2 ^ k)%nat -> nu (word_product n A w) <= mu).
  { intros k w Hk Hw. apply mu_words. eapply Nat.le_trans; [exact Hw|]. apply Nat.pow_le_mono_r; lia. }
  assert (HB : forall r, (r < N L)%nat -> nu (mminus (F l r) (scanned n L (fun t => A (x t)) l r))
                                         <= mu * p * (2 * (6 * mu) ^ l - 2)).
  { intros r Hr. eapply Rle_trans; [|eapply Rle_trans; [exact Hb|specialize (Hgain' l); lra]].
    apply (budget_bounds n L nu sm A (fun _ => mu) (fun _ => 2 * mu) Hmu) with (kappa := kappa) (x := x); auto.
    - intros k u v Hk Hu Hv. eapply Rle_trans; [apply (nu_minus n nu sm)|].
      pose proof (Hmu k u Hk Hu). pose proof (Hmu k v Hk Hv). lra.
    - intros w r' Hw Hr'. now apply softmax_leak. }
  apply maxover_le; [|exact HB]. eapply Rle_trans; [apply (nu_pos n nu sm)|apply (HB 0%nat), N_pos].
Qed.

(** The error of every layer is at most K times the leak. *)
Theorem error_linear kappa x F :
  soft_run n L nu A x kappa 0 F ->
  leak L (kappa * kappa) * (4 * amplification mu L) <= 1 ->
  forall l, (l <= L)%nat ->
  total_error n L nu A x F l <= amplification mu L * leak L (kappa * kappa).
Proof.
  intros HF Hp l Hl. eapply Rle_trans; [now apply (error_linear_step kappa x F HF Hp)|].
  assert (Hp0 : 0 <= leak L (kappa * kappa))
    by (unfold leak; apply Rmult_le_pos; [apply pos_INR|left; apply exp_pos]).
  assert ((6 * mu) ^ l <= (6 * mu) ^ L) by (apply Rle_pow; [lra|lia]).
  pose proof (power_ge_1 mu l mu_1). unfold amplification.
  set (p := leak L (kappa * kappa)) in *. assert (0 <= mu * p) by nra. nra.
Qed.

(** The closed form. *)
Theorem saturation_rate eps C x F :
  0 < eps <= 1 / 4 -> 0 <= C ->
  (2 * INR (2 ^ L) - 1) * amplification mu L <= eps * exp (2 * C / (INR (2 ^ L) * INR (2 ^ L))) ->
  soft_run n L nu A x (sqrt C) 0 F ->
  forall l, (l <= L)%nat -> total_error n L nu A x F l <= eps.
Proof.
  intros He HC0 HC HF l Hl. set (K := amplification mu L) in *.
  assert (HK : 1 <= K).
  { unfold K, amplification. pose proof (power_ge_1 mu L mu_1). nra. }
  assert (Hleak : leak L C * K <= eps).
  { unfold leak. set (T := INR (2 ^ L)) in *. pose proof (T_pos L) as HT.
    assert (HT1 : 1 <= T) by (apply (le_INR 1); exact HT).
    assert (HN : INR (N L - 1) = 2 * T - 1).
    { unfold N. rewrite minus_INR, mult_INR by lia. reflexivity. }
    assert (Hg : 2 / (T * T) <= gap L).
    { rewrite gap_score. unfold T. rewrite INR_IZR_INZ. apply gap_bound. fold (Model.T L). lia. }
    rewrite HN. assert (Hexp : exp (- C * gap L) <= / exp (2 * C / (T * T))).
    { rewrite <- exp_Ropp. apply exp_le. unfold Rdiv in *. nra. }
    set (E := exp (2 * C / (T * T))) in *. assert (HE : 0 < E) by apply exp_pos.
    apply Rle_trans with ((2 * T - 1) * / E * K).
    - apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; lra.
    - apply (Rmult_le_reg_r E); [exact HE|].
      replace ((2 * T - 1) * / E * K * E) with ((2 * T - 1) * K) by (field; lra). exact HC. }
  rewrite <- (sqrt_def C HC0) in Hleak.
  eapply Rle_trans; [apply (error_linear (sqrt C) x F HF); [fold K; lra|exact Hl]|].
  fold K. lra.
Qed.
End Rate.

(** In the norm of the paper. *)
Corollary saturation_rate_spectral {Sigma : Type} n L (A : Sigma -> mat) mu eps C x F :
  1 <= mu -> (forall w, (length w <= 2 ^ L)%nat -> spectral n (word_product n A w) <= mu) ->
  0 < eps <= 1 / 4 -> 0 <= C ->
  (2 * INR (2 ^ L) - 1) * amplification mu L <= eps * exp (2 * C / (INR (2 ^ L) * INR (2 ^ L))) ->
  soft_run n L (spectral n) A x (sqrt C) 0 F ->
  forall l, (l <= L)%nat -> total_error n L (spectral n) A x F l <= eps.
Proof. intros H1 Hw. now apply saturation_rate; auto using spectral_norm. Qed.
