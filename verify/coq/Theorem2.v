(** * Theorem 2: soft attention simulates every WFA to any precision

    Theorem 2 (Section 3.2, proof in Appendix B.2), repaired. For every automaton over a finite
    alphabet, every T >= 1 and every eps > 0 there is a C0 such that for every C >= C0 the model with
    softmax attention, scores C cos(..), exact products and ceil(log2 T) layers is within eps of all
    T+1 states of every word, in the Frobenius norm of Definition 3.2 ([theorem2]). Where products
    are only right up to some eta > 0 that depends on the automaton, T and eps, the matrices carried
    at every layer are within eps in the row-sum norm ([precision_everywhere]).

    Where we differ from the print: the corrected recursion (Recursion.v) in place of Equation (1).
    An MLP that multiplies up to eta, and Theorem 2 with it, are in Theorem2MLP.v.

    Main definitions: [soft_simulator].
    Main theorems:    [precision_everywhere], [theorem2]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Gap Model Attention Theorem1 Softmax Recursion Rates.
Import ListNotations.
Open Scope R_scope.

(** ** A bound on the norms of all words of at most k letters *)

Lemma word_norm {Sigma : Type} n (A : Sigma -> mat) b w :
  1 <= b -> (forall a, norm n (A a) <= b) -> norm n (word_product n A w) <= b ^ length w.
Proof.
  intros Hb HA. induction w as [|a w IH]; [apply norm_I|]. cbn [word_product fold_right length pow].
  fold (word_product n A w). eapply Rle_trans; [apply norm_mulm|].
  apply Rmult_le_compat; auto using norm_pos.
Qed.

Lemma finite_bound {Sigma : Type} n (A : Sigma -> mat) (letters : list Sigma) :
  (forall a, In a letters) -> exists b, 1 <= b /\ forall a, norm n (A a) <= b.
Proof.
  intro Hall. destruct (finite_max (fun a => norm n (A a)) letters) as (b & Hb & H). exists b. auto.
Qed.

(** ** The error of the carried matrices, with products up to eta *)

(** All small leaks and errors of products keep the budget of Rates.v below eps, and every product's input
    within 1 of what it should be. *)
Lemma budget_small mu D L eps : (forall l, 1 <= mu l) -> (forall l, 0 <= D l) -> 0 < eps ->
  exists t, 0 < t /\ forall p eta, 0 <= p <= t -> 0 <= eta <= t -> forall l, (l <= L)%nat ->
    budget mu D p eta l <= eps /\ ((l < L)%nat -> budget mu D p eta l + p * D l <= 1).
Proof.
  intros Hmu HD He. destruct (gain_grows mu D Hmu HD L) as [HG _]. destruct (heaped_grows mu Hmu L) as [HH _].
  set (G := gain mu D L) in *. set (H := heaped mu L) in *. set (q := Rmin eps 1).
  assert (Hq : 0 < q) by (apply Rmin_glb_lt; lra). pose proof (Rmin_l eps 1 : q <= eps). pose proof (Rmin_r eps 1 : q <= 1).
  exists (q / (G + H + 1)). split; [apply Rdiv_lt_0_compat; lra|]. intros p eta Hp Heta l Hl.
  assert (Hs : p * G + eta * H <= q).
  { apply Rle_trans with (q / (G + H + 1) * (G + H)); [nra|].
    apply (Rmult_le_reg_r (G + H + 1)); [lra|].
    replace (q / (G + H + 1) * (G + H) * (G + H + 1)) with (q * (G + H)) by (field; lra). nra. }
  destruct (closed_form mu D p eta Hmu HD ltac:(lra) ltac:(lra) L ltac:(fold G H; lra) l Hl) as [Hb Hd].
  split; [|exact Hd]. eapply Rle_trans; [exact Hb|]. apply Rle_trans with (p * G + eta * H); [|lra].
  apply Rplus_le_compat; (apply Rmult_le_compat_l; [lra|]); [now apply gain_le|now apply heaped_le].
Qed.

Section Finite.
Context {Sigma : Type} (n L : nat) (A : Sigma -> mat) (b : R).
Hypothesis b_1 : 1 <= b.
Hypothesis A_b : forall a, norm n (A a) <= b.

(** Bounds on all products of at most 2^l letters, and on their distances. *)
Definition size (l : nat) : R := b ^ (2 ^ l).
Definition distance (l : nat) : R := 2 * size l.

Lemma size_1 l : 1 <= size l.
Proof. apply pow_R1_Rle, b_1. Qed.

Lemma distance_pos l : 0 <= distance l.
Proof. pose proof (size_1 l). unfold distance. lra. Qed.

Lemma size_words l w : (length w <= 2 ^ l)%nat -> norm n (word_product n A w) <= size l.
Proof.
  intro Hw. eapply Rle_trans; [apply (word_norm n A b w b_1 A_b)|]. now apply Rle_pow.
Qed.

Lemma distance_words l u v : (length u <= 2 ^ l)%nat -> (length v <= 2 ^ l)%nat ->
  norm n (mminus (word_product n A u) (word_product n A v)) <= distance l.
Proof.
  intros Hu Hv. eapply Rle_trans; [apply (nu_minus n (norm n) (row_sum_norm n))|]. unfold distance.
  pose proof (size_words l u Hu). pose proof (size_words l v Hv). lra.
Qed.

Lemma leaks_small t : 0 < t -> exists C0, 0 <= C0 /\ forall kappa, C0 <= kappa * kappa ->
  forall w r, (w < N L)%nat -> (r < N L)%nat -> 1 - attend L kappa w r (source L w r) <= t.
Proof.
  intro Ht. destruct (leak_vanishes L t Ht) as (C0 & HC0 & H). exists C0. split; [exact HC0|].
  intros kappa HC w r Hw Hr. eapply Rle_trans; [now apply softmax_leak|]. left. now apply H.
Qed.

Lemma run_close eps : 0 < eps -> exists C0 eta, 0 <= C0 /\ 0 < eta /\
  forall kappa x F, C0 <= kappa * kappa -> soft_run n L (norm n) A x kappa eta F ->
    forall l r, (l <= L)%nat -> (r < N L)%nat ->
    norm n (mminus (F l r) (scanned n L (fun t => A (x t)) l r)) <= eps.
Proof.
  intro He. destruct (budget_small size distance L eps size_1 distance_pos He) as (t & Ht & Hs).
  destruct (leaks_small t Ht) as (C0 & HC0 & Hl). exists C0, t. split; [exact HC0|]. split; [exact Ht|].
  intros kappa x F HC HF l r Hll Hr. eapply Rle_trans.
  - exact (budget_bounds n L (norm n) (row_sum_norm n) A size distance
      (fun l w _ => size_words l w) (fun l u v _ => distance_words l u v) kappa t
      (Hl kappa HC) x t F HF l r Hll Hr).
  - apply Hs; auto; lra.
Qed.
End Finite.

(** For every tolerance some C and some precision of the products keep the error of every layer
    below it, for all words at once. *)
Theorem precision_everywhere {Sigma : Type} n L (A : Sigma -> mat) (letters : list Sigma) :
  (forall a, In a letters) -> forall eps, 0 < eps ->
  exists C0 eta, 0 <= C0 /\ 0 < eta /\
    forall kappa x F, C0 <= kappa * kappa -> soft_run n L (norm n) A x kappa eta F ->
      forall l, (l <= L)%nat -> total_error n L (norm n) A x F l <= eps.
Proof.
  intros Hall eps Heps. destruct (finite_bound n A letters Hall) as (b & Hb & HA).
  destruct (run_close n L A b Hb HA eps Heps) as (C0 & eta & HC0 & Het & H). exists C0, eta.
  split; [exact HC0|]. split; [exact Het|]. intros kappa x F HC HF l Hl.
  apply maxover_le; [lra|]. intros r Hr. now apply (H kappa).
Qed.

(** ** The model with softmax attention and exact products *)

Definition soft_simulator {Sigma : Type} (n L : nat) (alpha : nat -> R) (A : Sigma -> mat) (C : R)
  (x : nat -> Sigma) : mat :=
  let letters := fun t => A (x t) in
  forward alpha letters C (softmax (N L)) (N L)
    (construction n L RootC) (real alpha letters C (embedding n L)).

Lemma exact_run {Sigma : Type} n L nu (A : Sigma -> mat) x kappa eta : submultiplicative n nu -> 0 <= eta ->
  soft_run n L nu A x kappa eta (factors n L (fun t => A (x t)) kappa (softmax (N L))).
Proof.
  intros sm He. split; [reflexivity|]. intros l r Hl Hr. apply Rle_trans with (2 := He).
  apply (nu_zero n nu sm). intros i j Hi Hj. unfold mminus. cbn [factors]. unfold attend. ring.
Qed.

(** A state is read off a matrix, with the initial vector as weights. *)
Lemma state_close {Sigma : Type} n L (alpha : nat -> R) (A : Sigma -> mat) x (F : nat -> mat) out eps t j :
  0 < eps -> (t <= 2 ^ L)%nat -> (j < n)%nat ->
  (forall r, (r < N L)%nat -> norm n (mminus (F r) (scanned n L (fun t => A (x t)) L r))
     <= eps / (sum n (fun i => Rabs (alpha i)) + 1)) ->
  out = sum n (fun i => alpha i * F (t + 2 ^ L - 1)%nat i j) ->
  Rabs (out - state n alpha (fun t => A (x t)) t j) < eps.
Proof.
  intros Heps Ht Hj HF ->. set (a := sum n (fun i => Rabs (alpha i))) in *.
  assert (Ha : 0 <= a) by (apply sum_nonneg; intros; apply Rabs_pos).
  fold (T L) in *. pose proof (T_pos L). set (r := (t + T L - 1)%nat) in *.
  assert (Hr : (r < N L)%nat) by (unfold r, N; lia).
  rewrite <- (scanned_state n L) by auto. fold r.
  apply Rle_lt_trans with (a * (eps / (a + 1))); [|now apply part_small].
  apply weighted_off. intros i Hi. eapply Rle_trans; [|exact (HF r Hr)].
  now apply (norm_entry n (mminus (F r) (scanned n L (fun t => A (x t)) L r))).
Qed.

(** Definition 3.2 for every length T >= 1, with ceil(log2 T) layers: the Frobenius norm of the
    difference of all T+1 states is below eps. *)
Theorem theorem2 {Sigma : Type} n T (alpha : nat -> R) (A : Sigma -> mat) (letters : list Sigma) :
  (1 <= T)%nat -> (forall a, In a letters) -> forall eps, 0 < eps ->
  let L := Nat.log2_up T in
  exists C0, forall C, C0 <= C -> forall x,
    sqrt (sum (S T) (fun t => sum n (fun j =>
      (soft_simulator n L alpha A C x (t + 2 ^ L - 1)%nat j
       - state n alpha (fun t => A (x t)) t j) ^ 2))) < eps.
Proof.
  intros HT Hall eps Heps L. set (K := INR (S T) * INR n).
  assert (HK : 0 <= K) by (apply Rmult_le_pos; apply pos_INR).
  assert (HTL : (T <= 2 ^ L)%nat).
  { unfold L. destruct (Nat.eq_dec T 1) as [->|]; [simpl; lia|]. apply Nat.log2_up_spec. lia. }
  assert (Hq : 0 < eps / (K + 1)) by (apply Rdiv_lt_0_compat; lra).
  destruct (finite_bound n A letters Hall) as (b & Hb & HA). set (a := sum n (fun i => Rabs (alpha i))).
  assert (Ha : 0 <= a) by (apply sum_nonneg; intros; apply Rabs_pos).
  destruct (run_close n L A b Hb HA (eps / (K + 1) / (a + 1))) as (C0 & eta & HC0 & Het & H).
  { apply Rdiv_lt_0_compat; lra. }
  exists C0. intros C HC x.
  apply (frobenius_below (S T) n (fun t j => soft_simulator n L alpha A C x (t + 2 ^ L - 1)%nat j
    - state n alpha (fun t => A (x t)) t j)); [exact Heps|].
  intros t j Ht Hj. left.
  apply (state_close n L alpha A x (factors n L (fun t => A (x t)) (sqrt C) (softmax (N L)) L)); auto; [lia| |].
  - intros r Hr. apply (H (sqrt C)); [rewrite sqrt_def; lra|apply exact_run; [apply row_sum_norm|lra]|auto|exact Hr].
  - unfold soft_simulator. apply output_reads; auto; [apply softmax_local|].
    pose proof (Nat.pow_nonzero 2 L ltac:(lia)). unfold N, Model.T. lia.
Qed.
