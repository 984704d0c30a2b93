(** * The spectral norm is submultiplicative

    Section 2.1 and Appendix B.2: the error analysis of Theorem 2 is in the spectral norm, the least
    b with |A x| <= b |x| for all x, |x| the Euclidean length. It satisfies what Recursion.v asks of
    a norm, so that the corrected recursion holds in it.

    Main definitions: [length2], [mapply], [spectral].
    Main theorems:    [cauchy_schwarz], [spectral_bound], [spectral_norm], [spectral_1],
                      [product_error_spectral], [corrected_recursion_spectral]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Gap Activation Model Attention Theorem1 Softmax Recursion.
Open Scope R_scope.

Section Spectral.
Variable n : nat.

Definition dot (x y : nat -> R) : R := sum n (fun i => x i * y i).
Definition length2 (x : nat -> R) : R := sqrt (dot x x).
Definition mapply (A : mat) (x : nat -> R) : nat -> R := fun i => sum n (fun j => A i j * x j).

Lemma square_sums k a b s u v : 0 <= u -> 0 <= v -> s * s <= u * v ->
  k = 2 * s * a * b -> k <= u * (b * b) + v * (a * a).
Proof.
  intros Hu Hv H ->. apply Rsqr_incr_0_var; [|nra]. unfold Rsqr.
  assert (0 <= (u * (b * b) - v * (a * a)) * (u * (b * b) - v * (a * a))) by apply Rle_0_sqr.
  assert (0 <= (a * b) * (a * b)) by apply Rle_0_sqr. nra.
Qed.

Theorem cauchy_schwarz x y : dot x y * dot x y <= dot x x * dot y y.
Proof.
  assert (P : forall k (z : nat -> R), 0 <= sum k (fun i => z i * z i))
    by (intros; apply sum_nonneg; intros; apply Rle_0_sqr).
  unfold dot. induction n as [|k IH]; simpl; [lra|].
  pose proof (P k x) as Px. pose proof (P k y) as Py.
  set (s := sum k (fun i => x i * y i)) in *. set (u := sum k (fun i => x i * x i)) in *.
  set (v := sum k (fun i => y i * y i)) in *.
  pose proof (square_sums _ (x k) (y k) s u v Px Py IH eq_refl). nra.
Qed.

Lemma dot_nonneg x : 0 <= dot x x.
Proof. apply sum_nonneg. intros; apply Rle_0_sqr. Qed.

Lemma length2_pos x : 0 <= length2 x.
Proof. apply sqrt_pos. Qed.

Lemma length2_sqr x : length2 x * length2 x = dot x x.
Proof. apply sqrt_def, dot_nonneg. Qed.

Lemma length2_ext x y : (forall i, (i < n)%nat -> x i = y i) -> length2 x = length2 y.
Proof. intro H. unfold length2, dot. f_equal. apply sum_ext. intros i Hi. now rewrite H. Qed.

Lemma length2_plus x y : length2 (fun i => x i + y i) <= length2 x + length2 y.
Proof.
  pose proof (length2_pos x). pose proof (length2_pos y).
  apply Rsqr_incr_0_var; [|lra]. unfold Rsqr. rewrite length2_sqr.
  replace (dot (fun i => x i + y i) (fun i => x i + y i)) with (dot x x + 2 * dot x y + dot y y).
  - pose proof (cauchy_schwarz x y) as H1. rewrite <- !length2_sqr in *.
    assert (dot x y <= length2 x * length2 y); [|lra].
    apply Rsqr_incr_0_var; [|nra]. unfold Rsqr. nra.
  - unfold dot. rewrite sum_scal_l, <- !sum_plus. apply sum_ext. intros; ring.
Qed.

Lemma length2_scal c x : length2 (fun i => c * x i) = Rabs c * length2 x.
Proof.
  unfold length2. replace (dot (fun i => c * x i) (fun i => c * x i)) with (c * c * dot x x).
  - rewrite sqrt_mult; [|apply Rle_0_sqr|apply dot_nonneg]. f_equal. apply sqrt_Rsqr_abs.
  - unfold dot. rewrite sum_scal_l. apply sum_ext. intros; ring.
Qed.

Lemma length2_zero x : length2 x = 0 -> forall i, (i < n)%nat -> x i = 0.
Proof.
  intros H i Hi. pose proof (length2_sqr x) as E. rewrite H in E. unfold dot in E.
  rewrite (sum_split n _ i Hi) in E.
  assert (0 <= sum n (fun p => if (p =? i)%nat then 0 else x p * x p)).
  { apply sum_nonneg. intros p Hp. destruct (p =? i)%nat; [lra|apply Rle_0_sqr]. }
  nra.
Qed.

(** ** The set of lengths |A x|, |x| <= 1, is bounded: the spectral norm is its supremum *)

Definition lengths (A : mat) (r : R) : Prop :=
  exists x, length2 x <= 1 /\ r = length2 (mapply A x).

Lemma lengths_bounded A : bound (lengths A).
Proof.
  exists (sqrt (sum n (fun i => dot (A i) (A i)))). intros r (x & Hx & ->). apply sqrt_le_1_alt.
  apply sum_le. intros i Hi. pose proof (cauchy_schwarz (A i) x) as H.
  change (mapply A x i) with (dot (A i) x). rewrite <- (length2_sqr x) in H.
  pose proof (dot_nonneg (A i)) as HA. pose proof (length2_pos x).
  assert (H1 : length2 x * length2 x <= 1) by nra.
  eapply Rle_trans; [exact H|]. rewrite <- (Rmult_1_r (dot (A i) (A i))) at 2.
  now apply Rmult_le_compat_l.
Qed.

Lemma lengths_some A : exists r, lengths A r.
Proof.
  exists (length2 (mapply A (fun _ => 0))), (fun _ => 0). split; [|reflexivity].
  unfold length2, dot. rewrite sum_zero by (intros; ring). rewrite sqrt_0. lra.
Qed.

Definition spectral (A : mat) : R :=
  proj1_sig (completeness (lengths A) (lengths_bounded A) (lengths_some A)).

Lemma spectral_upper A x : length2 x <= 1 -> length2 (mapply A x) <= spectral A.
Proof.
  intro Hx. unfold spectral. destruct (completeness _ _ _) as (m & Hm & Hl). simpl.
  apply Hm. now exists x.
Qed.

Lemma spectral_least A b :
  (forall x, length2 x <= 1 -> length2 (mapply A x) <= b) -> spectral A <= b.
Proof.
  intro H. unfold spectral. destruct (completeness _ _ _) as (m & Hu & Hm). simpl.
  apply Hm. intros r (x & Hx & ->). now apply H.
Qed.

Lemma spectral_pos A : 0 <= spectral A.
Proof.
  eapply Rle_trans; [apply (length2_pos (mapply A (fun _ => 0)))|]. apply spectral_upper.
  unfold length2, dot. rewrite sum_zero by (intros; ring). rewrite sqrt_0. lra.
Qed.

Theorem spectral_bound A x : length2 (mapply A x) <= spectral A * length2 x.
Proof.
  destruct (Req_dec (length2 x) 0) as [E|E].
  - rewrite E, Rmult_0_r. rewrite (length2_ext (mapply A x) (fun i => 0 * x i)).
    + rewrite length2_scal, Rabs_R0. lra.
    + intros i Hi. rewrite Rmult_0_l. apply sum_zero. intros j Hj.
      rewrite (length2_zero x E) by auto. ring.
  - pose proof (length2_pos x) as Hp. assert (Hx : 0 < length2 x) by lra.
    set (c := / length2 x). assert (Hc : 0 < c) by now apply Rinv_0_lt_compat.
    pose proof (spectral_upper A (fun i => c * x i)) as H.
    rewrite length2_scal, Rabs_pos_eq in H by lra.
    rewrite (length2_ext (mapply A (fun i => c * x i)) (fun i => c * mapply A x i)) in H.
    + rewrite length2_scal, Rabs_pos_eq in H by lra.
      assert (E1 : c * length2 x = 1) by (unfold c; field; lra).
      assert (H' : c * length2 (mapply A x) <= spectral A) by (apply H; lra).
      apply (Rmult_le_reg_l c); [exact Hc|].
      replace (c * (spectral A * length2 x)) with (spectral A * (c * length2 x)) by ring.
      rewrite E1. lra.
    + intros i Hi. unfold mapply. rewrite sum_scal_l. apply sum_ext. intros; ring.
Qed.

Theorem spectral_norm : submultiplicative n spectral.
Proof.
  split.
  - assert (H : forall A B, meq n A B -> spectral A <= spectral B).
    { intros A B H. apply spectral_least. intros x Hx.
      rewrite (length2_ext (mapply A x) (mapply B x)); [now apply spectral_upper|].
      intros i Hi. apply sum_ext. intros j Hj. now rewrite H. }
    intros A B HAB. apply Rle_antisym; apply H; [|symmetry]; exact HAB.
  - apply spectral_pos.
  - intros A B. apply spectral_least. intros x Hx.
    rewrite (length2_ext (mapply (mplus A B) x) (fun i => mapply A x i + mapply B x i)).
    + eapply Rle_trans; [apply length2_plus|].
      pose proof (spectral_upper A x Hx). pose proof (spectral_upper B x Hx). lra.
    + intros i Hi. unfold mapply. rewrite <- sum_plus. apply sum_ext. intros j Hj.
      unfold mplus. ring.
  - intros c A. apply spectral_least. intros x Hx.
    rewrite (length2_ext (mapply (fun i j => c * A i j) x) (fun i => c * mapply A x i)).
    + rewrite length2_scal. apply Rmult_le_compat_l; [apply Rabs_pos|now apply spectral_upper].
    + intros i Hi. unfold mapply. rewrite sum_scal_l. apply sum_ext. intros; ring.
  - intros A B. apply spectral_least. intros x Hx.
    rewrite (length2_ext (mapply (mmul n A B) x) (mapply A (mapply B x))).
    + eapply Rle_trans; [apply spectral_bound|].
      apply Rmult_le_compat_l; [apply spectral_pos|now apply spectral_upper].
    + intros i Hi. unfold mapply, mmul.
      rewrite (sum_ext n _ (fun q => sum n (fun p => A i p * B p q * x q)))
        by (intros; apply sum_scal_r).
      rewrite sum_swap. apply sum_ext. intros p Hp. rewrite sum_scal_l. apply sum_ext. intros; ring.
Qed.

(** ** Entries and rows *)

Lemma length2_entry y a : (a < n)%nat -> Rabs (y a) <= length2 y.
Proof.
  intro Ha. apply Rsqr_incr_0_var; [|apply length2_pos]. rewrite <- Rsqr_abs. unfold Rsqr.
  rewrite length2_sqr. unfold dot. rewrite (sum_split n _ a Ha).
  rewrite <- (Rplus_0_r (y a * y a)) at 1. apply Rplus_le_compat_l, sum_nonneg. intros p _.
  destruct (p =? a)%nat; [lra|apply Rle_0_sqr].
Qed.

Lemma spectral_entry X a b : (a < n)%nat -> (b < n)%nat -> Rabs (X a b) <= spectral X.
Proof.
  intros Ha Hb. pose proof (spectral_upper X (fun j => b2r (j =? b)%nat)) as H.
  assert (E : length2 (fun j => b2r (j =? b)%nat) <= 1).
  { unfold length2, dot. rewrite (sum_single n _ b Hb).
    - rewrite Nat.eqb_refl. simpl. rewrite Rmult_1_l, sqrt_1. lra.
    - intros p Hp Hne. solve01. }
  apply Rle_trans with (2 := H E).
  apply Rle_trans with (2 := length2_entry _ a Ha). unfold mapply.
  rewrite (sum_single n _ b Hb).
  - rewrite Nat.eqb_refl. simpl. rewrite Rmult_1_r. lra.
  - intros p Hp Hne. solve01.
Qed.

Lemma spectral_small M q : 0 <= q ->
  (forall i j, (i < n)%nat -> (j < n)%nat -> Rabs (M i j) <= q) -> spectral M <= INR n * q.
Proof.
  intros Hq HM. assert (Hn : 0 <= INR n) by apply pos_INR.
  apply spectral_least. intros y Hy.
  apply Rsqr_incr_0_var; [|now apply Rmult_le_pos]. unfold Rsqr. rewrite length2_sqr. unfold dot at 1.
  replace (INR n * q * (INR n * q)) with (INR n * (INR n * (q * q))) by ring.
  rewrite <- (sum_const n (INR n * (q * q))). apply sum_le. intros i Hi.
  change (mapply M y i) with (dot (M i) y). eapply Rle_trans; [apply cauchy_schwarz|].
  rewrite <- (length2_sqr y). pose proof (length2_pos y).
  assert (length2 y * length2 y <= 1 * 1) by (apply Rmult_le_compat; lra).
  assert (Hd : dot (M i) (M i) <= INR n * (q * q)).
  { unfold dot. rewrite <- sum_const. apply sum_le. intros j Hj. specialize (HM i j Hi Hj).
    apply abs_between in HM. nra. }
  pose proof (dot_nonneg (M i)). nra.
Qed.

(** |v^T X| <= |v| |X| *)
Lemma row_length v X :
  length2 (fun j => sum n (fun i => v i * X i j)) <= length2 v * spectral X.
Proof.
  set (y := fun j => sum n (fun i => v i * X i j)).
  assert (E : length2 y * length2 y = dot v (mapply X y)).
  { rewrite length2_sqr. unfold dot, mapply, y at 1.
    rewrite (sum_ext n _ (fun j => sum n (fun i => v i * X i j * y j)))
      by (intros; apply sum_scal_r).
    rewrite sum_swap. apply sum_ext. intros i Hi. rewrite sum_scal_l. apply sum_ext.
    intros; ring. }
  pose proof (length2_pos y) as Hy. pose proof (length2_pos v) as Hv.
  pose proof (spectral_pos X) as HX. pose proof (spectral_bound X y) as HB.
  pose proof (length2_pos (mapply X y)) as Hm.
  assert (CS : dot v (mapply X y) <= length2 v * length2 (mapply X y)).
  { apply Rsqr_incr_0_var; [|now apply Rmult_le_pos]. unfold Rsqr.
    pose proof (cauchy_schwarz v (mapply X y)) as H. rewrite <- !length2_sqr in H. lra. }
  destruct (Req_dec (length2 y) 0) as [->|Hne]; [now apply Rmult_le_pos|].
  apply (Rmult_le_reg_r (length2 y)); [lra|]. rewrite E.
  eapply Rle_trans; [exact CS|]. rewrite Rmult_assoc. now apply Rmult_le_compat_l.
Qed.
End Spectral.

(** With one state the spectral norm is the absolute value, and so is the row-sum norm. *)
Theorem spectral_1 (A : mat) : spectral 1 A = Rabs (A 0%nat 0%nat) /\ norm 1 A = spectral 1 A.
Proof.
  assert (L : forall y, length2 1 y = Rabs (y 0%nat)).
  { intro y. unfold length2, dot. cbn [sum]. rewrite Rplus_0_l. apply sqrt_Rsqr_abs. }
  assert (E : forall x, length2 1 (mapply 1 A x) = Rabs (A 0%nat 0%nat) * Rabs (x 0%nat)).
  { intro x. rewrite L. unfold mapply. cbn [sum]. rewrite Rplus_0_l. apply Rabs_mult. }
  assert (H : spectral 1 A = Rabs (A 0%nat 0%nat)).
  { apply Rle_antisym.
    - apply spectral_least. intros x Hx. rewrite E. rewrite L in Hx.
      pose proof (Rabs_pos (A 0%nat 0%nat)). pose proof (Rabs_pos (x 0%nat)). nra.
    - rewrite <- (Rmult_1_r (Rabs _)). rewrite <- Rabs_R1.
      rewrite <- (E (fun _ => 1)). apply spectral_upper. rewrite L, Rabs_R1. lra. }
  split; [exact H|]. rewrite H. unfold norm. simpl. rewrite Rplus_0_l. apply Rmax_right, Rabs_pos.
Qed.

(** The inequality for one product, and the corrected recursion, in the norm of the paper. *)
Corollary product_error_spectral n X Y X' Y' P delta eta :
  spectral n (mminus X' X) <= delta -> spectral n (mminus Y' Y) <= delta ->
  spectral n (mminus P (mmul n X' Y')) <= eta ->
  spectral n (mminus P (mmul n X Y))
  <= delta * (spectral n X + spectral n Y) + delta ^ 2 + eta.
Proof.
  intros HX HY HP.
  now apply product_error with (X' := X') (Y' := Y'); auto using spectral_norm, Rle_refl.
Qed.

Corollary corrected_recursion_spectral {Sigma : Type} n L (A : Sigma -> mat) x kappa eta F l mu :
  soft_run n L (spectral n) A x kappa eta F -> (1 <= l <= L)%nat ->
  (forall w, (length w <= 2 ^ (l - 1))%nat -> spectral n (word_product n A w) <= mu) ->
  let delta := total_error n L (spectral n) A x F (l - 1)
               + attention_error L (spectral n) kappa F l in
  total_error n L (spectral n) A x F l <= 2 * mu * delta + delta ^ 2 + eta.
Proof. apply corrected_recursion, spectral_norm. Qed.
