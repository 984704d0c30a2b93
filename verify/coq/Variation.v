(** * Total variation of a language model

    Beyond the paper. The next-symbol distribution of a language model is the softmax of its logits;
    how far it is from the true one is measured in total variation, half the sum of the absolute
    differences. Three bounds, as verify.bounds.language computes them:

    logits whose errors lie within a range D                        tanh(D / 4)
    logits with a Euclidean error eps                               tanh(sqrt 2 eps / 4)
    logits that are logarithms, made by units, of weights f         [general_bound]

    In the last one k symbols have weights f with sum at least s0, known up to eps; the units are within
    eta of the logarithm on [delta, 1] and below G as an exponential under delta; special tokens have the
    logit [low]. The logarithm of the library would bring in one more axiom, so that it is spoken of by
    exponentials.

    Main definitions: [variation], [normalised], [probabilities], [general_bound], [logarithmic].
    Main theorems:    [variation_of_ratios], [variation_of_logits], [variation_of_logits_euclidean],
                      [variation_one_hot], [variation_one_hot_euclidean], [variation_general]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Softmax.
Open Scope R_scope.

Definition variation (k : nat) (p q : nat -> R) : R := / 2 * sum k (fun i => Rabs (p i - q i)).

(** Weights divided by their sum. *)
Definition normalised (k : nat) (f : nat -> R) (i : nat) : R := f i / sum k f.

(** The softmax of a row of logits. *)
Definition probabilities (k : nat) (a : nat -> R) : nat -> R := softmax k (fun _ => a) 0%nat.

Lemma probabilities_normalised k a i : probabilities k a i = normalised k (fun j => exp (a j)) i.
Proof. reflexivity. Qed.

(** ** Variation *)

Lemma minus_self x : x - x = 0.
Proof. ring. Qed.

Lemma variation_triangle k p q r : variation k p r <= variation k p q + variation k q r.
Proof.
  unfold variation. rewrite <- Rmult_plus_distr_l, <- sum_plus.
  apply Rmult_le_compat_l; [lra|]. apply sum_le. intros i _.
  replace (p i - r i) with ((p i - q i) + (q i - r i)) by ring. apply Rabs_triang.
Qed.

Lemma variation_ext k p q p' q' : (forall i, (i < k)%nat -> p i = p' i) ->
  (forall i, (i < k)%nat -> q i = q' i) -> variation k p q = variation k p' q'.
Proof. intros Hp Hq. unfold variation. f_equal. apply sum_ext. intros i Hi. now rewrite Hp, Hq. Qed.

Lemma normalised_sum k f : 0 < sum k f -> sum k (normalised k f) = 1.
Proof. intro H. unfold normalised, Rdiv. rewrite <- sum_scal_r. field. lra. Qed.

(** Distributions are as far apart as they differ where the first is larger. *)
Lemma variation_excess k p q : sum k p = sum k q ->
  variation k p q = sum k (fun i => Rmax 0 (p i - q i)).
Proof.
  intro H. unfold variation.
  rewrite (sum_ext k (fun i => Rabs (p i - q i)) (fun i => 2 * Rmax 0 (p i - q i) - (p i - q i))).
  - rewrite sum_minus, <- sum_scal_l, (sum_minus k p q), H. lra.
  - intros i _. unfold Rmax, Rabs. destruct (Rcase_abs _), (Rle_dec _ _); lra.
Qed.

(** ** Ratios within a range *)

(** Two points: with P (1 - Q) at most t^2 (1 - P) Q they are (t - 1)/(t + 1) apart at most. *)
Lemma two_points P Q t : 0 <= P <= 1 -> 0 <= Q <= 1 -> 1 <= t ->
  P * (1 - Q) <= t ^ 2 * ((1 - P) * Q) -> P - Q <= (t - 1) / (t + 1).
Proof.
  intros HP HQ Ht H. set (x := P * (1 - Q)) in *. set (y := (1 - P) * Q) in *.
  assert (Hx : 0 <= x) by (apply Rmult_le_pos; lra). assert (Hy : 0 <= y) by (apply Rmult_le_pos; lra).
  pose proof (sqrt_pos x) as Hu. pose proof (sqrt_pos y) as Hv.
  pose proof (sqrt_sqrt x Hx) as Eu. pose proof (sqrt_sqrt y Hy) as Ev.
  set (u := sqrt x) in *. set (v := sqrt y) in *.
  assert (Huv : u <= t * v).
  { apply Rsqr_incr_0_var; [|nra]. unfold Rsqr. nra. }
  (* u v = sqrt (P Q) sqrt ((1 - P) (1 - Q)), at most the mean of P Q and (1 - P) (1 - Q) *)
  assert (Hmean : 2 * (u * v) <= P * Q + (1 - P) * (1 - Q)).
  { apply Rsqr_incr_0_var; [|nra]. unfold Rsqr.
    replace (2 * (u * v) * (2 * (u * v))) with (4 * ((u * u) * (v * v))) by ring.
    rewrite Eu, Ev. unfold x, y. pose proof (pow2_ge_0 (P * Q - (1 - P) * (1 - Q))). nra. }
  assert (Hone : (u + v) * (u + v) <= 1) by (unfold x, y in *; nra).
  apply (Rmult_le_reg_r (t + 1)); [lra|].
  replace ((t - 1) / (t + 1) * (t + 1)) with (t - 1) by (field; lra).
  replace (P - Q) with ((u - v) * (u + v)) by (replace ((u - v) * (u + v)) with (u * u - v * v) by ring;
    rewrite Eu, Ev; unfold x, y; ring).
  assert (Hd : (u - v) * (t + 1) <= (t - 1) * (u + v)) by nra.
  assert (0 <= u + v) by lra.
  apply Rle_trans with ((t - 1) * ((u + v) * (u + v))); nra.
Qed.

Lemma tanh_quotient x : tanh (x / 2) = (exp x - 1) / (exp x + 1).
Proof.
  unfold tanh, sinh, cosh. set (e := exp (x / 2)).
  assert (He : 0 < e) by apply exp_pos.
  assert (E : exp x = e * e) by (unfold e; rewrite <- exp_plus; f_equal; lra).
  rewrite exp_Ropp, E. fold e. field. repeat split; nra.
Qed.

(** The mass of a set, and of what is outside of it. *)
Lemma sum_where k (c : nat -> bool) p :
  sum k p = sum k (fun i => if c i then p i else 0) + sum k (fun i => if c i then 0 else p i).
Proof. rewrite <- sum_plus. apply sum_ext. intros i _. destruct (c i); ring. Qed.

(** Distributions whose ratios lie within a factor exp D of each other. *)
Lemma variation_of_quotients k p q D : 0 <= D ->
  (forall i, (i < k)%nat -> 0 <= p i) -> (forall i, (i < k)%nat -> 0 <= q i) ->
  sum k p = 1 -> sum k q = 1 ->
  (forall i j, (i < k)%nat -> (j < k)%nat -> p i * q j <= exp D * (p j * q i)) ->
  variation k p q <= tanh (D / 4).
Proof.
  intros HD Hp Hq Sp Sq H. rewrite variation_excess by congruence.
  set (c := fun i => if Rlt_dec (q i) (p i) then true else false).
  set (inside := fun r : nat -> R => sum k (fun i => if c i then r i else 0)).
  set (outside := fun r : nat -> R => sum k (fun i => if c i then 0 else r i)).
  assert (Ep : outside p = 1 - inside p) by (pose proof (sum_where k c p); unfold inside, outside; lra).
  assert (Eq : outside q = 1 - inside q) by (pose proof (sum_where k c q); unfold inside, outside; lra).
  assert (Hin : forall r, (forall i, (i < k)%nat -> 0 <= r i) -> 0 <= inside r /\ 0 <= outside r).
  { intros r Hr. split; apply sum_nonneg; intros i Hi; destruct (c i); auto; lra. }
  destruct (Hin p Hp), (Hin q Hq).
  replace (sum k (fun i => Rmax 0 (p i - q i))) with (inside p - inside q).
  2:{ unfold inside. rewrite <- sum_minus. apply sum_ext. intros i _. unfold c.
      destruct (Rlt_dec (q i) (p i)); unfold Rmax; destruct (Rle_dec _ _); lra. }
  replace (D / 4) with (D / 2 / 2) by lra. rewrite tanh_quotient.
  apply two_points; [lra|lra| |].
  { pose proof (exp_lower (D / 2) ltac:(lra)). lra. }
  replace (exp (D / 2) ^ 2) with (exp D) by (simpl; rewrite Rmult_1_r, <- exp_plus; f_equal; lra).
  rewrite <- Ep, <- Eq. unfold inside, outside.
  rewrite !sum_scal_r, sum_scal_l. rewrite (sum_ext k _ (fun i => sum k (fun j =>
    (if c i then p i else 0) * (if c j then 0 else q j)))) by (intros; apply sum_scal_l).
  rewrite (sum_ext k (fun p0 => exp D * _) (fun j => sum k (fun i =>
    exp D * ((if c j then 0 else p j) * (if c i then q i else 0)))))
    by (intros; now rewrite sum_scal_l, sum_scal_l).
  rewrite (sum_swap k k (fun j i => exp D * _)).
  apply sum_le. intros i Hi. apply sum_le. intros j Hj.
  destruct (c i), (c j); rewrite ?Rmult_0_l, ?Rmult_0_r; try lra. now apply H.
Qed.

(** Weights, which need not add up to 1. *)
Theorem variation_of_ratios k f g D : 0 <= D ->
  (forall i, (i < k)%nat -> 0 <= f i) -> (forall i, (i < k)%nat -> 0 <= g i) ->
  0 < sum k f -> 0 < sum k g ->
  (forall i j, (i < k)%nat -> (j < k)%nat -> f i * g j <= exp D * (f j * g i)) ->
  variation k (normalised k f) (normalised k g) <= tanh (D / 4).
Proof.
  intros HD Hf Hg Sf Sg H. pose proof (Rinv_0_lt_compat _ Sf). pose proof (Rinv_0_lt_compat _ Sg).
  apply variation_of_quotients; auto using normalised_sum.
  - intros i Hi. apply Rmult_le_pos; [auto|lra].
  - intros i Hi. apply Rmult_le_pos; [auto|lra].
  - intros i j Hi Hj. unfold normalised, Rdiv.
    replace (f i * / sum k f * (g j * / sum k g)) with (f i * g j * (/ sum k f * / sum k g)) by ring.
    replace (exp D * (f j * / sum k f * (g i * / sum k g)))
      with (exp D * (f j * g i) * (/ sum k f * / sum k g)) by ring.
    apply Rmult_le_compat_r; [|auto]. apply Rmult_le_pos; lra.
Qed.

(** ** Logits *)

(** Logits a and b: the errors a - b lie within a range D. *)
Theorem variation_of_logits k a b D : (0 < k)%nat ->
  (forall i j, (i < k)%nat -> (j < k)%nat -> (a i - b i) - (a j - b j) <= D) ->
  variation k (probabilities k a) (probabilities k b) <= tanh (D / 4).
Proof.
  intros Hk H. rewrite (variation_ext k _ _ (normalised k (fun i => exp (a i)))
    (normalised k (fun i => exp (b i)))) by (intros; apply probabilities_normalised).
  apply variation_of_ratios.
  - specialize (H 0%nat 0%nat Hk Hk). lra.
  - intros. left. apply exp_pos.
  - intros. left. apply exp_pos.
  - exact (denominator_pos k (fun _ => a) 0 Hk).
  - exact (denominator_pos k (fun _ => b) 0 Hk).
  - intros i j Hi Hj. rewrite <- !exp_plus. apply exp_le. specialize (H i j Hi Hj). lra.
Qed.

(** Errors of Euclidean length eps lie within a range of sqrt 2 eps. *)
Lemma range_euclidean k d eps i j : sqrt (sum k (fun p => d p ^ 2)) <= eps ->
  (i < k)%nat -> (j < k)%nat -> d i - d j <= sqrt 2 * eps.
Proof.
  intros H Hi Hj. assert (Hpos : forall p, (p < k)%nat -> 0 <= d p ^ 2) by (intros; apply pow2_ge_0).
  pose proof (sqrt_pos (sum k (fun p => d p ^ 2))) as Hroot. pose proof (sqrt_pos 2).
  destruct (Nat.eq_dec i j) as [->|Hne]; [rewrite minus_self; apply Rmult_le_pos; lra|].
  apply Rle_trans with (sqrt 2 * sqrt (sum k (fun p => d p ^ 2))); [|now apply Rmult_le_compat_l].
  rewrite <- sqrt_mult_alt by lra.
  destruct (Rle_dec (d i - d j) 0); [eapply Rle_trans; [eassumption|apply sqrt_pos]|].
  rewrite <- (sqrt_Rsqr (d i - d j)) by lra. apply sqrt_le_1_alt.
  rewrite (sum_split k _ i Hi), (sum_split k _ j Hj).
  assert (0 <= sum k (fun p => if (p =? j)%nat then 0 else if (p =? i)%nat then 0 else d p ^ 2)).
  { apply sum_nonneg. intros p Hp. destruct (p =? j)%nat, (p =? i)%nat; auto; lra. }
  destruct (Nat.eqb_spec j i); [congruence|]. unfold Rsqr. pose proof (pow2_ge_0 (d i + d j)). nra.
Qed.

(** Logits with a Euclidean error of at most eps. *)
Theorem variation_of_logits_euclidean k a b eps : (0 < k)%nat ->
  sqrt (sum k (fun i => (a i - b i) ^ 2)) <= eps ->
  variation k (probabilities k a) (probabilities k b) <= tanh (sqrt 2 * eps / 4).
Proof.
  intros Hk H. apply variation_of_logits; [exact Hk|]. intros i j Hi Hj.
  exact (range_euclidean k (fun i => a i - b i) eps i j H Hi Hj).
Qed.

(** ** Weights that differ *)

Lemma variation_of_differences k f h : (forall i, (i < k)%nat -> 0 <= h i) -> 0 < sum k f -> 0 < sum k h ->
  variation k (normalised k f) (normalised k h) <= sum k (fun i => Rabs (f i - h i)) / sum k f.
Proof.
  intros Hh Sf Sh. set (s := sum k f) in *. set (s' := sum k h) in *.
  set (D := sum k (fun i => Rabs (f i - h i))).
  assert (HD : Rabs (s' - s) <= D).
  { unfold s, s'. rewrite <- sum_minus. eapply Rle_trans; [apply sum_abs|]. apply Req_le, sum_ext.
    intros. apply Rabs_minus_sym. }
  assert (H : sum k (fun i => Rabs (normalised k f i - normalised k h i)) <= D / s + Rabs (s' - s) / s).
  { apply Rle_trans with (sum k (fun i => Rabs (f i - h i) * / s + h i * (Rabs (s' - s) / s * / s'))).
    - apply sum_le. intros i Hi. unfold normalised. fold s s'.
      replace (f i / s - h i / s') with ((f i - h i) * / s + h i * ((s' - s) / s * / s')) by (field; lra).
      eapply Rle_trans; [apply Rabs_triang|]. apply Req_le. f_equal.
      + rewrite Rabs_mult, (Rabs_right (/ s)); [reflexivity|]. left. now apply Rinv_0_lt_compat.
      + pose proof (Rinv_0_lt_compat s Sf). pose proof (Rinv_0_lt_compat s' Sh). unfold Rdiv.
        rewrite !Rabs_mult, (Rabs_right (h i)), (Rabs_right (/ s)), (Rabs_right (/ s')); try lra.
        apply Rle_ge, Hh, Hi.
    - rewrite sum_plus, <- !sum_scal_r. fold D s'. apply Req_le. field. lra. }
  unfold variation. assert (Rabs (s' - s) / s <= D / s); [|lra].
  apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|exact HD].
Qed.

(** ** A readout of logarithms: one-hot states *)

(** The tokens for which c holds have the probabilities exp (l i), the others 0 and the logit [low]. *)
Theorem variation_one_hot k (c : nat -> bool) l low b D : (0 < k)%nat ->
  let p i := if c i then exp (l i) else 0 in
  let a i := if c i then l i else low in
  sum k p = 1 ->
  (forall i j, (i < k)%nat -> (j < k)%nat -> (a i - b i) - (a j - b j) <= D) ->
  variation k p (probabilities k b) <= tanh (D / 4) + INR k * exp low.
Proof.
  intros Hk p a Hp Hb. pose proof (exp_pos low) as Hlow.
  assert (Ha : 0 < sum k (fun i => exp (a i))) by exact (denominator_pos k (fun _ => a) 0 Hk).
  eapply Rle_trans; [apply (variation_triangle k _ (probabilities k a))|].
  rewrite Rplus_comm. apply Rplus_le_compat; [now apply variation_of_logits|].
  rewrite (variation_ext k _ _ (normalised k p) (normalised k (fun i => exp (a i))));
    [|intros; unfold normalised; rewrite Hp; field|intros; apply probabilities_normalised].
  eapply Rle_trans; [apply variation_of_differences; [intros; left; apply exp_pos|lra|exact Ha]|].
  rewrite Hp. unfold Rdiv. rewrite Rinv_1, Rmult_1_r, <- sum_const. apply sum_le. intros i _.
  unfold p, a. destruct (c i); [rewrite minus_self, Rabs_R0; lra|].
  rewrite Rminus_0_l, Rabs_Ropp, Rabs_right; lra.
Qed.

(** The same with a Euclidean error of the logits. *)
Theorem variation_one_hot_euclidean k (c : nat -> bool) l low b eps : (0 < k)%nat ->
  let p i := if c i then exp (l i) else 0 in
  let a i := if c i then l i else low in
  sum k p = 1 -> sqrt (sum k (fun i => (a i - b i) ^ 2)) <= eps ->
  variation k p (probabilities k b) <= tanh (sqrt 2 * eps / 4) + INR k * exp low.
Proof.
  intros Hk p a Hp H. apply variation_one_hot; [exact Hk|exact Hp|]. intros i j Hi Hj.
  exact (range_euclidean k (fun i => a i - b i) eps i j H Hi Hj).
Qed.

(** ** Units for the logarithm: the general case *)

(** k symbols and m special tokens. *)
Definition general_bound (k m : nat) (s0 M delta eps eta G low : R) : R :=
  let dropped := INR k * (delta * M + 2 * eps) in
  dropped / s0 + tanh (eta / 2)
  + (INR k * G + INR m * exp low) * M * exp eta / (s0 - dropped).

(** What units g and readings y of weights make logits of: k symbols, then special tokens. *)
Definition unit_logits (k : nat) (g : R -> R) (M low : R) (y : nat -> R) (i : nat) : R :=
  if (i <? k)%nat then g (y i / M) else low.

(** Within eta of the logarithm on [delta, 1], at most log G on [- eps / M, delta]. *)
Definition logarithmic (g : R -> R) (M delta eps eta G : R) : Prop :=
  (forall x, delta <= x <= 1 -> exp (- eta) * x <= exp (g x) <= exp eta * x) /\
  (forall x, - eps / M <= x < delta -> exp (g x) <= G).

(** A distribution of k symbols on further tokens too, which have probability 0. *)
Definition extended (k : nat) (p : nat -> R) (i : nat) : R := if (i <? k)%nat then p i else 0.

Lemma sum_extended k m f : sum (k + m) (extended k f) = sum k f.
Proof.
  rewrite sum_add, (sum_zero m), Rplus_0_r.
  - apply sum_ext. intros i Hi. unfold extended. now rewrite (proj2 (Nat.ltb_lt i k) Hi).
  - intros i _. unfold extended. now rewrite (proj2 (Nat.ltb_ge (k + i) k) ltac:(lia)).
Qed.

Section General.
Context (k m : nat) (f y : nat -> R) (g : R -> R) (s0 M delta eps eta G low : R).
Hypothesis M_pos : 0 < M.
Hypothesis delta_pos : 0 <= delta.
Hypothesis eps_pos : 0 <= eps.
Hypothesis eta_pos : 0 <= eta.
Hypothesis G_pos : 0 <= G.
Hypothesis units : logarithmic g M delta eps eta G.
Hypothesis f_pos : forall i, (i < k)%nat -> 0 <= f i.
Hypothesis f_sum : s0 <= sum k f.
Hypothesis y_near : forall i, (i < k)%nat -> Rabs (y i - f i) <= eps.
Hypothesis y_below : forall i, (i < k)%nat -> y i <= M.

Let dropped := INR k * (delta * M + 2 * eps).
Hypothesis enough : dropped < s0.

Let logits := unit_logits k g M low y.

(** The symbols that the units can read. *)
Let readable (i : nat) : bool := (i <? k)%nat && if Rle_dec (delta * M) (y i) then true else false.
Let h (i : nat) : R := if readable i then y i else 0.
Let u (i : nat) : R := if readable i then exp (logits i) else 0.

Let readable_range i : readable i = true -> (i < k)%nat /\ delta <= y i / M <= 1 /\ logits i = g (y i / M).
Proof.
  unfold readable. intro H. apply andb_true_iff in H as [Hi Hy]. pose proof Hi as Hlt.
  apply Nat.ltb_lt in Hlt. destruct (Rle_dec (delta * M) (y i)) as [Hle|]; [|discriminate].
  split; [exact Hlt|]. split; [|unfold logits, unit_logits; now rewrite Hi].
  split; apply (Rmult_le_reg_r M _ _ M_pos); unfold Rdiv.
  - rewrite Rmult_assoc, Rinv_l by lra. lra.
  - rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra. exact (y_below i Hlt).
Qed.

Let h_pos i : 0 <= h i.
Proof.
  unfold h. destruct (readable i) eqn:E; [|lra]. destruct (readable_range i E) as (_ & Hy & _).
  apply (Rmult_le_reg_r (/ M)); [now apply Rinv_0_lt_compat|]. unfold Rdiv in Hy. lra.
Qed.

Let dropped_pos : 0 <= dropped.
Proof. apply Rmult_le_pos; [apply pos_INR|]. nra. Qed.

Let h_near : sum (k + m) (fun i => Rabs (extended k f i - h i)) <= dropped.
Proof.
  unfold dropped. rewrite <- sum_const, sum_add, (sum_zero m), Rplus_0_r.
  - apply sum_le. intros i Hi. specialize (y_near i Hi) as Hn. specialize (f_pos i Hi) as Hf.
    assert (0 <= delta * M) by nra.
    unfold extended, h, readable. rewrite (proj2 (Nat.ltb_lt i k) Hi). cbn [andb].
    destruct (Rle_dec (delta * M) (y i)); [rewrite Rabs_minus_sym; lra|].
    rewrite Rminus_0_r, Rabs_right by lra. unfold Rabs in Hn. destruct (Rcase_abs _) in Hn; lra.
  - intros i _. unfold extended, h, readable. rewrite (proj2 (Nat.ltb_ge (k + i) k) ltac:(lia)).
    cbn [andb]. rewrite minus_self. apply Rabs_R0.
Qed.

Let h_sum : s0 - dropped <= sum (k + m) h.
Proof.
  assert (sum k f - sum (k + m) h <= dropped); [|lra].
  eapply Rle_trans; [|exact h_near]. eapply Rle_trans; [|apply sum_abs].
  rewrite sum_minus, sum_extended. apply Rle_abs.
Qed.

Let u_bounds i : exp (- eta) * h i <= M * u i <= exp eta * h i.
Proof.
  unfold h, u. destruct (readable i) eqn:E; [|lra]. destruct (readable_range i E) as (_ & Hy & ->).
  destruct (proj1 units _ Hy) as [Hl Hu].
  replace (y i) with (M * (y i / M)) at 1 4 by (field; lra). nra.
Qed.

Let u_sum : exp (- eta) * (s0 - dropped) <= M * sum (k + m) u.
Proof.
  apply Rle_trans with (exp (- eta) * sum (k + m) h).
  - apply Rmult_le_compat_l; [left; apply exp_pos|exact h_sum].
  - rewrite !sum_scal_l. apply sum_le. intros i _. apply u_bounds.
Qed.

Let u_sum_pos : 0 < sum (k + m) u.
Proof.
  apply (Rmult_lt_reg_l M _ _ M_pos). rewrite Rmult_0_r. eapply Rlt_le_trans; [|exact u_sum].
  apply Rmult_lt_0_compat; [apply exp_pos|lra].
Qed.

Let u_ratios i j : h i * u j <= exp (2 * eta) * (h j * u i).
Proof.
  pose proof (h_pos i). pose proof (h_pos j). pose proof (u_bounds i) as [Hi _].
  pose proof (u_bounds j) as [_ Hj]. pose proof (exp_pos eta).
  assert (E : exp (2 * eta) = exp eta * exp eta) by (rewrite <- exp_plus; f_equal; ring).
  assert (E1 : exp eta * exp (- eta) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  apply (Rmult_le_reg_l M _ _ M_pos). apply Rle_trans with (h i * (exp eta * h j)); [nra|].
  replace (M * (exp (2 * eta) * (h j * u i))) with (exp eta * exp eta * h j * (M * u i)) by (rewrite E; ring).
  apply Rle_trans with (exp eta * exp eta * h j * (exp (- eta) * h i)).
  - replace (exp eta * exp eta * h j * (exp (- eta) * h i)) with (exp eta * (exp eta * exp (- eta)) * h j * h i)
      by ring. rewrite E1. lra.
  - apply Rmult_le_compat_l; [|exact Hi]. repeat apply Rmult_le_pos; lra.
Qed.

Let others : sum (k + m) (fun i => Rabs (u i - exp (logits i))) <= INR k * G + INR m * exp low.
Proof.
  rewrite sum_add, <- !sum_const. apply Rplus_le_compat; apply sum_le; intros i Hi; unfold u.
  - destruct (readable i) eqn:E; [rewrite minus_self, Rabs_R0; exact G_pos|].
    rewrite Rminus_0_l, Rabs_Ropp, Rabs_right by (left; apply exp_pos).
    unfold logits, unit_logits. rewrite (proj2 (Nat.ltb_lt i k) Hi). apply (proj2 units).
    unfold readable in E. rewrite (proj2 (Nat.ltb_lt i k) Hi) in E. cbn [andb] in E.
    destruct (Rle_dec (delta * M) (y i)); [discriminate|]. specialize (y_near i Hi) as Hn.
    specialize (f_pos i Hi). unfold Rabs in Hn. pose proof (Rinv_0_lt_compat M M_pos).
    split; [apply Rmult_le_compat_r; [lra|destruct (Rcase_abs _) in Hn; lra]|].
    apply (Rmult_lt_reg_r M _ _ M_pos). unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  - unfold readable, logits, unit_logits. rewrite (proj2 (Nat.ltb_ge (k + i) k) ltac:(lia)). cbn [andb].
    rewrite Rminus_0_l, Rabs_Ropp, Rabs_right; [lra|]. left. apply exp_pos.
Qed.

Theorem variation_general :
  variation (k + m) (extended k (normalised k f)) (probabilities (k + m) (unit_logits k g M low y))
  <= general_bound k m s0 M delta eps eta G low.
Proof.
  pose proof dropped_pos. fold logits.
  assert (Hkm : (0 < k + m)%nat) by (pose proof u_sum_pos; destruct (k + m)%nat; [cbn in *; lra|lia]).
  assert (Sf : 0 < sum (k + m) (extended k f)) by (rewrite sum_extended; lra).
  assert (Sh : 0 < sum (k + m) h) by (pose proof h_sum; lra).
  rewrite (variation_ext (k + m) _ _ (normalised (k + m) (extended k f))
    (normalised (k + m) (fun i => exp (logits i)))).
  2:{ intros i _. unfold normalised, extended at 1 2. rewrite sum_extended.
      destruct (i <? k)%nat; [reflexivity|]. unfold Rdiv. now rewrite Rmult_0_l. }
  2:{ intros. apply probabilities_normalised. }
  unfold general_bound. fold dropped. apply Rle_trans with (dropped / s0 + (tanh (2 * eta / 4) +
    (INR k * G + INR m * exp low) / sum (k + m) u)).
  - eapply Rle_trans; [apply (variation_triangle _ _ (normalised (k + m) h))|]. apply Rplus_le_compat.
    + eapply Rle_trans; [apply variation_of_differences; auto|]. rewrite sum_extended.
      apply Rle_trans with (dropped / sum k f); unfold Rdiv.
      * apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|exact h_near].
      * apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
    + eapply Rle_trans; [apply (variation_triangle _ _ (normalised (k + m) u))|]. apply Rplus_le_compat.
      * apply variation_of_ratios; auto; [lra|]. intros i _. unfold u.
        destruct (readable i); [left; apply exp_pos|lra].
      * eapply Rle_trans; [apply variation_of_differences;
          [intros; left; apply exp_pos|exact u_sum_pos|exact (denominator_pos _ (fun _ => logits) 0 Hkm)]|].
        apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, u_sum_pos|exact others].
  - replace (2 * eta / 4) with (eta / 2) by lra. rewrite !Rplus_assoc. do 2 apply Rplus_le_compat_l.
    unfold Rdiv. rewrite !Rmult_assoc. apply Rmult_le_compat_l.
    { pose proof (pos_INR k). pose proof (pos_INR m). pose proof (exp_pos low). nra. }
    replace (M * (exp eta * / (s0 - dropped))) with (/ (exp (- eta) * (s0 - dropped) * / M)).
    + apply Rinv_le_contravar.
      * repeat apply Rmult_lt_0_compat; [apply exp_pos|lra|now apply Rinv_0_lt_compat].
      * apply (Rmult_le_reg_r M _ _ M_pos). rewrite Rmult_assoc, Rinv_l by lra. pose proof u_sum. lra.
    + rewrite exp_Ropp. field. repeat split; try lra. apply Rgt_not_eq, exp_pos.
Qed.
End General.
