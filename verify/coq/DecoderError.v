(** * The decoder: how much a row leaks, and the error recursion

    Beyond the paper. With scores - C (j - (i - s))^2 over the positions up to i the softmax keeps
    all but lambda = 2 exp(-C) / (1 - exp(-3C)) of its weight at max(i - s, 0), for every s, every
    i, and every length: the gap does not shrink with T. If N bounds the products A^w and M bounds
    A^w - I over all factors w of the word, and lambda <= 1 / (16 (N + M)), then with products that
    are right up to k (|x| + |y|)^4 the error of layer l is at most

        ((2N + 1)^l - 1) eta / (2N),     eta = 2 lambda N M + n^2 k (2M + 1)^4,

    as long as (2N + 1)^L eta <= N / 2. With hard attention lambda = 0.

    Main definitions: [leak], [focused] (a filter with leak lambda), [window].
    Main theorems:    [softmax_focused], [hard_focused], [error_identity], [error_bound]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool Morphisms.
From Assay Require Import Compat Sums Attention Theorem1 Softmax Recursion Spectral.
From Assay Require Import DecoderModel DecoderWeights DecoderLayers.
Import ListNotations.
Open Scope R_scope.

(** ** Filters that keep most of a row at i - s *)

Definition leak (c : R) : R := 2 * exp (- c) / (1 - exp (- (3 * c))).

Definition focused (e : setting) (filter : nat -> mat -> mat) (lambda : R) : Prop :=
  forall s i, let w := filter (i + 1)%nat (parabola e s) i in
    (forall j, (j < i + 1)%nat -> 0 <= w j) /\ sum (i + 1) w = 1
    /\ sum (i + 1) (fun j => if (j =? i - s)%nat then 0 else w j) <= lambda.

(** Off the top j* = max(i - s, 0) the score falls by at least C (j - j* )^2. *)
Lemma parabola_falls e s i j : 0 <= C e ->
  parabola e s i j - parabola e s i (i - s)%nat
  <= - (C e * (INR j - INR (i - s)) * (INR j - INR (i - s))).
Proof.
  intro HC. unfold parabola. pose proof (pos_INR j) as Hj.
  destruct (Nat.le_gt_cases s i) as [H|H].
  - rewrite minus_INR by exact H. nra.
  - replace (i - s)%nat with 0%nat by lia. simpl (INR 0).
    assert (INR i < INR s) by now apply lt_INR.
    assert (0 <= C e * INR j) by now apply Rmult_le_pos. nra.
Qed.

(** At most two positions are at distance m from j*. *)
Fixpoint powers (q : R) (k : nat) : R := match k with O => 0 | S k' => powers q k' + q ^ k' end.

Lemma powers_bound q k : 0 <= q < 1 -> powers q k <= / (1 - q).
Proof.
  intro Hq. assert (H : powers q k * (1 - q) = 1 - q ^ k).
  { induction k as [|k IH]; simpl; [ring|]. rewrite Rmult_plus_distr_r, IH. ring. }
  assert (0 <= q ^ k) by (apply pow_le; lra).
  apply (Rmult_le_reg_r (1 - q)); [lra|]. rewrite H, Rinv_l by lra. lra.
Qed.

Lemma sum_powers q k : sum k (fun m => q ^ m) = powers q k.
Proof. induction k as [|k IH]; simpl; [reflexivity|]. now rewrite IH. Qed.

Lemma sum_reverse k f : sum k f = sum k (fun m => f (k - 1 - m)%nat).
Proof.
  revert f; induction k as [|k IH]; intro f; [reflexivity|].
  change (S k) with (1 + k)%nat at 1. rewrite sum_add. cbn [sum].
  replace (S k - 1 - k)%nat with 0%nat by lia. rewrite (IH (fun p => f (1 + p)%nat)).
  rewrite Rplus_0_l, Rplus_comm. f_equal. apply sum_ext. intros m Hm. f_equal. lia.
Qed.

(** exp(-C m^2) <= exp(-C) exp(-3C)^(m-1) for m >= 1. *)
Lemma exp_square c m : 0 <= c ->
  exp (- (c * INR (S m) * INR (S m))) <= exp (- c) * exp (- (3 * c)) ^ m.
Proof.
  intro Hc. assert (E : exp (- (3 * c)) ^ m = exp (INR m * - (3 * c))).
  { induction m as [|m IH]; [simpl; now rewrite Rmult_0_l, exp_0|].
    cbn [pow]. rewrite IH, <- exp_plus, S_INR. f_equal. ring. }
  rewrite E, <- exp_plus. apply exp_le. rewrite S_INR. pose proof (pos_INR m).
  assert (0 <= INR m * (INR m - 1)).
  { destruct m as [|m]; [simpl; lra|]. rewrite S_INR. pose proof (pos_INR m). nra. }
  assert (0 <= c * (INR m * (INR m - 1))) by now apply Rmult_le_pos. nra.
Qed.

Lemma gaussian_tail c k s0 : 0 < c -> (s0 < k)%nat ->
  sum k (fun j => if (j =? s0)%nat then 0 else exp (- (c * (INR j - INR s0) * (INR j - INR s0))))
  <= leak c.
Proof.
  intros Hc Hs. set (r := exp (- (3 * c))).
  assert (Hr : 0 <= r < 1).
  { unfold r. split; [left; apply exp_pos|]. rewrite exp_Ropp.
    pose proof (exp_lower (3 * c) ltac:(lra)). rewrite <- Rinv_1. apply Rinv_lt_contravar; lra. }
  assert (Hside : forall m, sum m (fun t => exp (- (c * INR (S t) * INR (S t))))
                            <= exp (- c) * / (1 - r)).
  { intro m. apply Rle_trans with (sum m (fun t => exp (- c) * r ^ t)).
    - apply sum_le. intros t _. apply exp_square. lra.
    - rewrite <- sum_scal_l. apply Rmult_le_compat_l; [left; apply exp_pos|].
      rewrite sum_powers. now apply powers_bound. }
  replace k with (s0 + (1 + (k - s0 - 1)))%nat by lia. rewrite !sum_add. cbn [sum].
  rewrite Nat.add_0_r, Nat.eqb_refl.
  rewrite (sum_reverse s0).
  rewrite (sum_ext s0 _ (fun t => exp (- (c * INR (S t) * INR (S t))))).
  2: { intros t Ht. destruct (Nat.eqb_spec (s0 - 1 - t) s0); [lia|].
       replace (s0 - 1 - t)%nat with (s0 - S t)%nat by lia. rewrite minus_INR by lia.
       f_equal. ring. }
  rewrite (sum_ext (k - s0 - 1) _ (fun t => exp (- (c * INR (S t) * INR (S t))))).
  2: { intros t Ht. destruct (Nat.eqb_spec (s0 + (1 + t)) s0); [lia|].
       replace (s0 + (1 + t))%nat with (s0 + S t)%nat by lia. rewrite plus_INR.
       f_equal. ring. }
  pose proof (Hside s0). pose proof (Hside (k - s0 - 1)%nat).
  unfold leak. fold r. unfold Rdiv. lra.
Qed.

Theorem softmax_focused e : 0 < C e -> focused e softmax (leak (C e)).
Proof.
  intros HC s i w. assert (Hk : (0 < i + 1)%nat) by lia.
  split; [intros j Hj; left; now apply softmax_pos|].
  split; [now apply softmax_sum|].
  eapply Rle_trans; [|apply (gaussian_tail (C e) (i + 1) (i - s)); [exact HC|lia]].
  apply sum_le. intros j Hj. destruct (Nat.eqb_spec j (i - s)) as [|Hne]; [lra|].
  unfold w, softmax. set (S := parabola e s) in *.
  assert (HD : exp (S i (i - s)%nat) <= sum (i + 1) (fun s' => exp (S i s'))).
  { rewrite (sum_split (i + 1) _ (i - s)%nat) by lia.
    assert (0 <= sum (i + 1) (fun t => if (t =? i - s)%nat then 0 else exp (S i t))).
    { apply sum_nonneg. intros t _. destruct (t =? i - s)%nat; [lra|left; apply exp_pos]. }
    lra. }
  pose proof (exp_pos (S i (i - s)%nat)) as Hp.
  apply Rle_trans with (exp (S i j) / exp (S i (i - s)%nat)).
  - apply Rmult_le_compat_l; [left; apply exp_pos|]. now apply Rinv_le_contravar.
  - unfold Rdiv. rewrite <- exp_Ropp, <- exp_plus. apply exp_le.
    pose proof (parabola_falls e s i j ltac:(lra)). fold S in H. lra.
Qed.

Theorem hard_focused e : 0 < C e -> focused e hard 0.
Proof.
  intros HC s i w.
  assert (Hw : forall j, (j < i + 1)%nat -> w j = b2r (j =? i - s)%nat).
  { apply hard_row; [lia|]. intros j Hj Hne.
    pose proof (parabola_falls e s i j ltac:(lra)) as H.
    assert (Hd : INR j - INR (i - s) <> 0).
    { intro E. apply Hne, INR_eq. lra. }
    assert (0 < (INR j - INR (i - s)) * (INR j - INR (i - s))) by now apply Rsqr_pos_lt.
    assert (0 < C e * ((INR j - INR (i - s)) * (INR j - INR (i - s)))) by now apply Rmult_lt_0_compat.
    lra. }
  split; [intros j Hj; rewrite Hw by exact Hj; unfold b2r; destruct (j =? i - s)%nat; lra|]. split.
  - rewrite (sum_single (i + 1) w (i - s)%nat); [|lia|].
    + rewrite Hw, Nat.eqb_refl by lia. reflexivity.
    + intros j Hj Hne. rewrite Hw by exact Hj. destruct (Nat.eqb_spec j (i - s)); [lia|reflexivity].
  - rewrite sum_zero; [lra|]. intros j Hj. rewrite Hw by exact Hj.
    destruct (j =? i - s)%nat; reflexivity.
Qed.

(** ** What R should hold: the product of the last 2^l letters, less I *)

Section Error.
Context (n : nat) (e : setting) (filter : nat -> mat -> mat) (pr : R -> R -> R) (word : list nat).

(** The letters at positions a + 1 .. b. *)
Definition factor (a b : nat) : list nat := skipn a (firstn b word).

Definition window (l i : nat) : mat := word_product n (A e) (factor (i - 2 ^ l) i).

Lemma factor_join a b c : (a <= b <= c)%nat -> (c <= length word)%nat ->
  factor a c = factor a b ++ factor b c.
Proof.
  intros H Hc. unfold factor.
  assert (E : firstn c word = firstn b word ++ skipn b (firstn c word)).
  { rewrite <- (firstn_skipn b (firstn c word)) at 1. f_equal.
    rewrite firstn_firstn, Nat.min_l by lia. reflexivity. }
  rewrite E at 1. rewrite skipn_app, firstn_length, Nat.min_l by lia.
  now replace (a - b)%nat with 0%nat by lia.
Qed.

Lemma factor_short a b : (length (factor a b) <= b - a)%nat /\ (length (factor a b) <= length word)%nat.
Proof. unfold factor. rewrite skipn_length, firstn_length. lia. Qed.

Lemma factor_one i : (i < length word)%nat -> factor i (S i) = [nth i word 0%nat].
Proof.
  intro Hi. unfold factor. revert Hi. generalize word as w. induction i as [|i IH]; intros [|a w] Hi;
    simpl in Hi; try lia; [reflexivity|]. cbn [firstn skipn nth]. apply IH. lia.
Qed.

Lemma window_double l i : (i <= length word)%nat ->
  meq n (window (S l) i) (mmul n (window l (i - 2 ^ l)) (window l i)).
Proof.
  intro Hi. unfold window. rewrite <- word_product_app.
  replace (i - 2 ^ S l)%nat with (i - 2 ^ l - 2 ^ l)%nat by (simpl; lia).
  rewrite (factor_join (i - 2 ^ l - 2 ^ l) (i - 2 ^ l) i) by lia. reflexivity.
Qed.

Lemma window_start i a b : (i <= length word)%nat -> (a < n)%nat -> (b < n)%nat ->
  start e word i a b = window 0 i a b - I a b.
Proof.
  intros Hi Ha Hb. unfold window. destruct i as [|i]; cbn [start].
  - unfold factor. simpl. ring.
  - simpl (2 ^ 0)%nat. replace (S i - 1)%nat with i by lia. rewrite factor_one by lia.
    cbn [word_product fold_right]. rewrite (mulm1 n) by auto. reflexivity.
Qed.

(** ** The new error, in terms of the old one *)

Local Notation held := (held n e filter pr (start e word)).
Local Notation mean := (mean e filter).

Definition err (l i : nat) : mat := fun a b => held l i a b - (window l i a b - I a b).

(** How far the head's reading is from what it should read. *)
Definition missed (l i : nat) : mat :=
  fun a b => mean (2 ^ l) (held l) i a b - (window l (i - 2 ^ l) a b - I a b).

(** What the MLP adds, less the product. *)
Definition inexact (l i : nat) : mat :=
  mminus (product_of n pr (mean (2 ^ l) (held l) i) (held l i))
         (mmul n (mean (2 ^ l) (held l) i) (held l i)).

Theorem error_identity l i : (i <= length word)%nat ->
  meq n (err (S l) i)
    (mplus (mplus (mmul n (window l (i - 2 ^ l)) (err l i))
                  (mplus (mmul n (missed l i) (window l i)) (mmul n (missed l i) (err l i))))
           (inexact l i)).
Proof.
  intros Hi a b Ha Hb. unfold err at 1. cbn [DecoderLayers.held]. unfold advance.
  rewrite (window_double l i Hi a b Ha Hb).
  set (V := mean (2 ^ l) (held l) i). set (Y := held l i).
  set (P := window l (i - 2 ^ l)). set (Q := window l i).
  unfold mplus, inexact, mminus. fold V Y.
  assert (E1 : mmul n P (err l i) a b = mmul n P Y a b - mmul n P Q a b + P a b).
  { rewrite <- (mulm1 n P a b) by auto. unfold mmul. rewrite <- sum_minus, <- sum_plus.
    apply sum_ext. intros k Hk. unfold err. fold Y Q. ring. }
  assert (E2 : mmul n (missed l i) Q a b = mmul n V Q a b - mmul n P Q a b + Q a b).
  { rewrite <- (mul1m n Q a b) by auto. unfold mmul. rewrite <- sum_minus, <- sum_plus.
    apply sum_ext. intros k Hk. unfold missed. fold V P. ring. }
  assert (E3 : mmul n (missed l i) (err l i) a b
    = mmul n V Y a b - mmul n V Q a b + V a b - mmul n P Y a b + mmul n P Q a b - P a b
      + Y a b - Q a b + I a b).
  { rewrite <- (mulm1 n V a b), <- (mulm1 n P a b), <- (mul1m n Y a b), <- (mul1m n Q a b),
      <- (mul1m n I a b) by auto.
    unfold mmul. repeat rewrite <- sum_minus || rewrite <- sum_plus.
    apply sum_ext. intros k Hk. unfold missed, err. fold V P Y Q. ring. }
  rewrite E1, E2, E3. ring.
Qed.

(** ** The bound, in any submultiplicative norm that is not below the entries *)

Variable nu : mat -> R.
Hypothesis sm : submultiplicative n nu.
Hypothesis nu_entry : forall X a b, (a < n)%nat -> (b < n)%nat -> Rabs (X a b) <= nu X.
Hypothesis nu_small : forall X eta, 0 <= eta ->
  (forall a b, (a < n)%nat -> (b < n)%nat -> Rabs (X a b) <= eta) -> nu X <= INR n * eta.

Variable lambda kappa N M : R.
Hypothesis focus : focused e filter lambda.
Hypothesis near : forall x y, Rabs (pr x y - x * y) <= kappa * (Rabs x + Rabs y) ^ 4.
Hypothesis lambda_0 : 0 <= lambda.
Hypothesis kappa_0 : 0 <= kappa.
Hypothesis N_1 : 1 <= N.
Hypothesis M_0 : 0 <= M.
Hypothesis windows_N : forall l i, (i <= length word)%nat -> nu (window l i) <= N.
Hypothesis windows_M : forall l i, (i <= length word)%nat -> nu (mminus (window l i) I) <= M.

(** A row that keeps all but lambda moves the mean by at most 2 lambda times the largest norm. *)
Lemma mean_moves s i B (F : nat -> mat) : (forall j, (j <= i)%nat -> nu (F j) <= B) ->
  nu (mminus (mean s F i) (F (i - s)%nat)) <= 2 * lambda * B.
Proof.
  intro HB. destruct (focus s i) as (H0 & H1 & Hl). cbv zeta in *. unfold DecoderLayers.mean.
  set (w := filter (i + 1)%nat (parabola e s) i) in *. set (t := (i - s)%nat) in *.
  assert (Ht : (t <= i)%nat) by (unfold t; lia).
  assert (HB0 : 0 <= B) by (eapply Rle_trans; [apply (nu_pos n nu sm)|apply (HB t Ht)]).
  assert (Heq : meq n (mminus (mix (i + 1) w F) (F t))
    (fun a b => sum (i + 1) (fun j => if (j =? t)%nat then 0 else w j * (F j a b - F t a b)))).
  { intros a b Ha Hb. unfold mminus, mix.
    replace (F t a b) with (sum (i + 1) (fun j => w j * F t a b)) at 1.
    2: { rewrite <- sum_scal_r, H1. ring. }
    rewrite <- sum_minus. apply sum_ext. intros j Hj.
    destruct (Nat.eqb_spec j t) as [->|]; ring. }
  rewrite (nu_meq n nu sm _ _ Heq).
  eapply Rle_trans; [apply (nu_sum n nu sm (i + 1) (fun j a b =>
    if (j =? t)%nat then 0 else w j * (F j a b - F t a b)))|].
  apply Rle_trans with (sum (i + 1) (fun j => if (j =? t)%nat then 0 else w j) * (2 * B)).
  - rewrite sum_scal_r. apply sum_le. intros j Hj. destruct (Nat.eqb_spec j t) as [->|].
    + rewrite Rmult_0_l. apply (nu_zero n nu sm). intros a b Ha Hb. reflexivity.
    + eapply Rle_trans; [apply (nu_scal n nu sm (w j) (mminus (F j) (F t)))|].
      rewrite Rabs_pos_eq by now apply H0. apply Rmult_le_compat_l; [now apply H0|].
      pose proof (nu_minus n nu sm (F j) (F t)).
      pose proof (HB j ltac:(lia)). pose proof (HB t Ht). lra.
  - replace (2 * lambda * B) with (lambda * (2 * B)) by ring. apply Rmult_le_compat_r; lra.
Qed.

Lemma held_bound l i x : (i <= length word)%nat -> nu (err l i) <= x -> nu (held l i) <= M + x.
Proof.
  intros Hi Hx. eapply Rle_trans; [apply (nu_from n nu sm (held l i) (mminus (window l i) I))|].
  apply Rplus_le_compat; [now apply windows_M|exact Hx].
Qed.

(** One layer. *)
Lemma error_step l x : 0 <= x -> (forall i, (i <= length word)%nat -> nu (err l i) <= x) ->
  let f := x + 2 * lambda * (M + x) in
  forall i, (i <= length word)%nat ->
  nu (err (S l) i) <= N * x + N * f + f * x + INR n * (INR n * (kappa * (2 * M + x + f) ^ 4)).
Proof.
  intros Hx0 Hx f i Hi. assert (Hf0 : 0 <= f).
  { unfold f. assert (0 <= lambda * (M + x)) by (apply Rmult_le_pos; lra). lra. }
  set (V := mean (2 ^ l) (held l) i). set (t := (i - 2 ^ l)%nat).
  assert (Ht : (t <= length word)%nat) by (unfold t; lia).
  assert (HF : nu (missed l i) <= f).
  { rewrite (nu_meq n nu sm (missed l i) (mplus (err l t) (mminus V (held l t)))).
    - eapply Rle_trans; [apply (nu_plus n nu sm)|]. unfold f. apply Rplus_le_compat; [now apply Hx|].
      apply mean_moves. intros j Hj. apply held_bound; [lia|apply Hx; lia].
    - intros a b Ha Hb. unfold missed, mplus, mminus, err. fold V t. ring. }
  assert (HV : nu V <= M + f).
  { eapply Rle_trans; [apply (nu_from n nu sm V (mminus (window l t) I))|].
    apply Rplus_le_compat; [now apply windows_M|exact HF]. }
  pose proof (held_bound l i x Hi (Hx i Hi)) as HY.
  assert (HM : nu (inexact l i) <= INR n * (INR n * (kappa * (2 * M + x + f) ^ 4))).
  { assert (Hk : 0 <= kappa * (2 * M + x + f) ^ 4) by (apply Rmult_le_pos; [lra|apply pow_le; lra]).
    apply nu_small; [apply Rmult_le_pos; [apply pos_INR|exact Hk]|]. intros a b Ha Hb.
    unfold inexact, mminus, product_of, mmul. fold V. rewrite <- sum_minus.
    eapply Rle_trans; [apply sum_abs|]. rewrite <- sum_const. apply sum_le. intros k Hk'.
    eapply Rle_trans; [apply near|]. apply Rmult_le_compat_l; [exact kappa_0|].
    apply pow_incr. split; [pose proof (Rabs_pos (V a k)); pose proof (Rabs_pos (held l i k b)); lra|].
    pose proof (nu_entry V a k Ha Hk'). pose proof (nu_entry (held l i) k b Hk' Hb). lra. }
  rewrite (nu_meq n nu sm _ _ (error_identity l i Hi)).
  eapply Rle_trans; [apply (nu_plus n nu sm)|]. apply Rplus_le_compat; [|exact HM].
  eapply Rle_trans; [apply (nu_plus n nu sm)|].
  pose proof (nu_plus n nu sm (mmul n (missed l i) (window l i)) (mmul n (missed l i) (err l i))).
  pose proof (nu_mul n nu sm (window l (i - 2 ^ l)) (err l i)).
  pose proof (nu_mul n nu sm (missed l i) (window l i)).
  pose proof (nu_mul n nu sm (missed l i) (err l i)).
  pose proof (windows_N l (i - 2 ^ l)%nat Ht). pose proof (windows_N l i Hi). pose proof (Hx i Hi).
  pose proof (nu_pos n nu sm (window l (i - 2 ^ l))). pose proof (nu_pos n nu sm (window l i)).
  pose proof (nu_pos n nu sm (missed l i)). pose proof (nu_pos n nu sm (err l i)).
  assert (nu (window l (i - 2 ^ l)) * nu (err l i) <= N * x) by (apply Rmult_le_compat; auto).
  assert (nu (missed l i) * nu (window l i) <= f * N) by (apply Rmult_le_compat; auto).
  assert (nu (missed l i) * nu (err l i) <= f * x) by (apply Rmult_le_compat; auto). lra.
Qed.

Definition eta : R := 2 * lambda * N * M + INR n * (INR n * (kappa * (2 * M + 1) ^ 4)).

Theorem error_bound L : lambda * (16 * (N + M)) <= 1 -> (2 * N + 1) ^ L * eta <= N / 2 ->
  forall l i, (l <= L)%nat -> (i <= length word)%nat ->
  nu (err l i) <= ((2 * N + 1) ^ l - 1) * eta / (2 * N).
Proof.
  intros Hl Heta. set (g := 2 * N + 1) in *.
  assert (Hg : 1 <= g) by (unfold g; lra).
  assert (Hkap : 0 <= INR n * (INR n * kappa)).
  { apply Rmult_le_pos; [apply pos_INR|]. apply Rmult_le_pos; [apply pos_INR|exact kappa_0]. }
  assert (Heta0 : 0 <= eta).
  { unfold eta. assert (0 <= (2 * M + 1) ^ 4) by (apply pow_le; lra).
    assert (0 <= lambda * N * M) by (repeat apply Rmult_le_pos; lra). nra. }
  intro l. induction l as [|l IH]; intros i HlL Hi.
  - simpl. replace ((1 - 1) * eta / (2 * N)) with 0 by (unfold Rdiv; ring).
    apply (nu_zero n nu sm). intros a b Ha Hb. unfold err. cbn [DecoderLayers.held].
    rewrite window_start by auto. ring.
  - set (x := (g ^ l - 1) * eta / (2 * N)).
    assert (Hgl : 1 <= g ^ l) by now apply pow_R1_Rle.
    assert (Hx0 : 0 <= x).
    { unfold x. apply Rmult_le_pos; [apply Rmult_le_pos; lra|]. left. apply Rinv_0_lt_compat. lra. }
    assert (Hx4 : x <= 1 / 4).
    { unfold x. apply (Rmult_le_reg_r (2 * N)); [lra|].
      replace ((g ^ l - 1) * eta / (2 * N) * (2 * N)) with ((g ^ l - 1) * eta) by (field; lra).
      assert (g ^ l <= g ^ L) by (apply Rle_pow; [exact Hg|lia]).
      assert ((g ^ l - 1) * eta <= g ^ L * eta) by (apply Rmult_le_compat_r; lra). lra. }
    pose proof (error_step l x Hx0 (fun j Hj => IH j ltac:(lia) Hj) i Hi) as Hs. cbv zeta in Hs.
    set (f := x + 2 * lambda * (M + x)) in *.
    assert (HlNM : lambda * N + lambda * M <= 1 / 16) by lra.
    assert (HlM : 0 <= lambda * M) by (apply Rmult_le_pos; lra).
    assert (Hl16 : lambda * 1 <= lambda * N) by (apply Rmult_le_compat_l; lra).
    assert (Hlx : 0 <= lambda * x <= 1 / 16 * (1 / 4)).
    { split; [now apply Rmult_le_pos|]. apply Rmult_le_compat; lra. }
    assert (Hf0 : 0 <= f) by (unfold f; assert (0 <= lambda * (M + x)) by (apply Rmult_le_pos; lra); lra).
    assert (Hf : f <= 1 / 4 + 1 / 8 + 1 / 32) by (unfold f; lra).
    assert (Hpow : INR n * (INR n * (kappa * (2 * M + x + f) ^ 4))
                   <= INR n * (INR n * (kappa * (2 * M + 1) ^ 4))).
    { replace (INR n * (INR n * (kappa * (2 * M + x + f) ^ 4)))
        with (INR n * (INR n * kappa) * (2 * M + x + f) ^ 4) by ring.
      replace (INR n * (INR n * (kappa * (2 * M + 1) ^ 4)))
        with (INR n * (INR n * kappa) * (2 * M + 1) ^ 4) by ring.
      apply Rmult_le_compat_l; [exact Hkap|]. apply pow_incr. lra. }
    eapply Rle_trans; [exact Hs|].
    apply Rle_trans with (g * x + eta).
    + unfold eta. assert (Hmain : N * x + N * f + f * x <= g * x + 2 * lambda * N * M).
      { unfold f, g.
        assert (Hq : x * (2 * lambda * N + x + 2 * lambda * M + 2 * (lambda * x)) <= x * 1).
        { apply Rmult_le_compat_l; [exact Hx0|]. lra. }
        lra. }
      lra.
    + cbn [pow]. fold g. unfold x. apply Req_le.
      assert (E : g - 1 = 2 * N) by (unfold g; ring).
      replace ((g * g ^ l - 1) * eta / (2 * N))
        with (g * ((g ^ l - 1) * eta / (2 * N)) + (g - 1) * eta / (2 * N)) by (field; lra).
      rewrite E. field. lra.
Qed.
End Error.
