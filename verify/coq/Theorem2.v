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
    Main theorems:    [precision_everywhere], [theorem2_uniform], [theorem2]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Gap Model Attention Theorem1 Softmax Recursion.
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

Lemma word_norm_le {Sigma : Type} n (A : Sigma -> mat) b k w :
  1 <= b -> (forall a, norm n (A a) <= b) -> (length w <= k)%nat ->
  norm n (word_product n A w) <= b ^ k.
Proof.
  intros Hb HA Hw. eapply Rle_trans; [apply (word_norm n A b w Hb HA)|]. now apply Rle_pow.
Qed.

Lemma finite_bound {Sigma : Type} n (A : Sigma -> mat) (letters : list Sigma) :
  (forall a, In a letters) -> exists b, 1 <= b /\ forall a, norm n (A a) <= b.
Proof.
  intro Hall.
  assert (H : exists b, 1 <= b /\ forall a, In a letters -> norm n (A a) <= b).
  { clear Hall. induction letters as [|c cs (b & Hb & IH)]; [exists 1; split; [lra|intros a []]|].
    exists (Rmax b (norm n (A c))). split; [eapply Rle_trans; [exact Hb|apply Rmax_l]|].
    intros a [->|Ha]; [apply Rmax_r|]. eapply Rle_trans; [now apply IH|apply Rmax_l]. }
  destruct H as (b & Hb & H). exists b. split; auto.
Qed.

(** ** The error of the carried matrices, with products up to eta *)

Lemma precision {Sigma : Type} n L (A : Sigma -> mat) b :
  1 <= b -> (forall a, norm n (A a) <= b) ->
  forall l, (l <= L)%nat -> forall eps, 0 < eps ->
  exists C0 eta, 0 <= C0 /\ 0 < eta /\
    forall kappa x F, C0 <= kappa * kappa -> soft_run n L (norm n) A x kappa eta F ->
      total_error n L (norm n) A x F l <= eps.
Proof.
  intros Hb HA. set (mu := b ^ (2 ^ L)).
  assert (Hmu1 : 1 <= mu) by (apply pow_R1_Rle; exact Hb).
  assert (Hmu : forall l w, (1 <= l <= L)%nat -> (length w <= 2 ^ (l - 1))%nat ->
                  norm n (word_product n A w) <= mu).
  { intros l w Hl Hw. apply word_norm_le; auto.
    apply Nat.le_trans with (1 := Hw). apply Nat.pow_le_mono_r; lia. }
  induction l as [|l IH]; intros Hl eps Heps.
  - exists 0, 1. split; [lra|]. split; [lra|]. intros kappa x F _ [H0 _].
    apply maxover_le; [lra|]. intros r Hr. cbn [scanned].
    apply Rle_trans with 0; [|lra]. apply maxover_le; [lra|]. intros i Hi.
    rewrite sum_zero; [lra|]. intros j Hj. unfold mminus. rewrite H0 by auto.
    rewrite Rminus_diag_eq by reflexivity. apply Rabs_R0.
  - set (d0 := Rmin 1 (eps / (2 * (2 * mu + 1)))).
    assert (Hd0 : 0 < d0).
    { unfold d0. apply Rmin_glb_lt; [lra|]. apply Rdiv_lt_0_compat; lra. }
    assert (Hd1 : d0 <= 1) by apply Rmin_l.
    assert (Hd2 : d0 * (2 * mu + 1) <= eps / 2).
    { apply Rle_trans with (eps / (2 * (2 * mu + 1)) * (2 * mu + 1)).
      - apply Rmult_le_compat_r; [lra|apply Rmin_r].
      - right. field. lra. }
    destruct (IH ltac:(lia) (d0 / 2) ltac:(lra)) as (C1 & eta1 & HC1 & He1 & H1).
    destruct (leak_vanishes L (d0 / (4 * (mu + 1)))) as (C2 & HC2 & H2).
    { apply Rdiv_lt_0_compat; lra. }
    exists (Rmax C1 C2), (Rmin eta1 (eps / 2)). split; [|split].
    + eapply Rle_trans; [exact HC1|apply Rmax_l].
    + apply Rmin_glb_lt; lra.
    + intros kappa x F HC HF.
      assert (Hle : total_error n L (norm n) A x F l <= d0 / 2).
      { apply (H1 kappa); [eapply Rle_trans; [apply Rmax_l|exact HC]|].
        destruct HF as [Ha Hb']. split; auto. intros l' r Hl' Hr.
        eapply Rle_trans; [now apply Hb'|apply Rmin_l]. }
      assert (Hk : leak L (kappa * kappa) < d0 / (4 * (mu + 1)))
        by (apply H2; eapply Rle_trans; [apply Rmax_r|exact HC]).
      assert (Hk0 : 0 <= leak L (kappa * kappa)).
      { unfold leak. apply Rmult_le_pos; [apply pos_INR|left; apply exp_pos]. }
      pose proof (attention_error_bound n L (norm n) A x kappa (row_sum_norm n) F (S l) mu ltac:(lia)
                    (fun w => Hmu (S l) w ltac:(lia))) as Hatt.
      pose proof (corrected_recursion n L (norm n) A x kappa (row_sum_norm n) _ F (S l) mu HF ltac:(lia)
                    (fun w => Hmu (S l) w ltac:(lia))) as Hrec. cbv zeta in Hrec.
      replace (S l - 1)%nat with l in * by lia.
      set (e := total_error n L (norm n) A x F l) in *.
      set (a := attention_error L (norm n) kappa F (S l)) in *.
      assert (He0 : 0 <= e) by apply maxover_pos.
      assert (Ha0 : 0 <= a) by apply maxover_pos.
      assert (Ha : a <= d0 / 2).
      { apply Rle_trans with (1 := Hatt).
        apply Rle_trans with (2 * (mu + 1) * (d0 / (4 * (mu + 1)))).
        - apply Rmult_le_compat; try lra.
        - right. field. lra. }
      assert (Hsum : e + a <= d0) by lra.
      apply Rle_trans with (1 := Hrec).
      pose proof (Rmin_r eta1 (eps / 2)).
      assert ((e + a) * (e + a) <= (e + a) * 1) by (apply Rmult_le_compat_l; lra).
      assert ((e + a) * (2 * mu + 1) <= d0 * (2 * mu + 1)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** For every tolerance some C and some precision of the products keep the error of every layer
    below it, for all words at once. *)
Theorem precision_everywhere {Sigma : Type} n L (A : Sigma -> mat) (letters : list Sigma) :
  (forall a, In a letters) -> forall eps, 0 < eps ->
  exists C0 eta, 0 <= C0 /\ 0 < eta /\
    forall kappa x F, C0 <= kappa * kappa -> soft_run n L (norm n) A x kappa eta F ->
      forall l, (l <= L)%nat -> total_error n L (norm n) A x F l <= eps.
Proof.
  intros Hall eps Heps. destruct (finite_bound n A letters Hall) as (b & Hb & HA).
  assert (H : forall m, (m <= L)%nat -> exists C0 eta, 0 <= C0 /\ 0 < eta /\
    forall kappa x F, C0 <= kappa * kappa -> soft_run n L (norm n) A x kappa eta F ->
      forall l, (l <= m)%nat -> total_error n L (norm n) A x F l <= eps).
  { induction m as [|m IH]; intro Hm.
    - destruct (precision n L A b Hb HA 0 Hm eps Heps) as (C0 & eta & H0 & He & H).
      exists C0, eta. split; auto. split; auto. intros kappa x F HC HF l Hl.
      replace l with 0%nat by lia. now apply (H kappa).
    - destruct (IH ltac:(lia)) as (C1 & e1 & HC1 & He1 & H1).
      destruct (precision n L A b Hb HA (S m) Hm eps Heps) as (C2 & e2 & HC2 & He2 & H2).
      exists (Rmax C1 C2), (Rmin e1 e2).
      split; [eapply Rle_trans; [exact HC1|apply Rmax_l]|].
      split; [apply Rmin_glb_lt; lra|]. intros kappa x F HC HF l Hl.
      assert (Hw : forall e, Rmin e1 e2 <= e -> soft_run n L (norm n) A x kappa e F).
      { intros e He. destruct HF as [Ha Hb']. split; auto. intros l' r Hl' Hr.
        eapply Rle_trans; [now apply Hb'|exact He]. }
      destruct (Nat.eq_dec l (S m)) as [->|].
      + apply (H2 kappa); [eapply Rle_trans; [apply Rmax_r|exact HC]|apply Hw, Rmin_r].
      + apply (H1 kappa); [eapply Rle_trans; [apply Rmax_l|exact HC]|apply Hw, Rmin_l|lia]. }
  exact (H L (Nat.le_refl L)).
Qed.

(** ** The model with softmax attention and exact products *)

Definition soft_simulator {Sigma : Type} (n L : nat) (alpha : nat -> R) (A : Sigma -> mat) (C : R)
  (x : nat -> Sigma) : mat :=
  let letters := fun t => A (x t) in
  forward alpha letters C (softmax (N L)) (N L)
    (construction n L RootC) (real alpha letters C (embedding n L)).

Lemma exact_run {Sigma : Type} n L (A : Sigma -> mat) x kappa eta : 0 <= eta ->
  soft_run n L (norm n) A x kappa eta (factors n L (fun t => A (x t)) kappa (softmax (N L))).
Proof.
  intro He. split; [reflexivity|]. intros l r Hl Hr. cbn [factors]. unfold attend.
  apply Rle_trans with 0; auto. apply maxover_le; [lra|]. intros i Hi. rewrite sum_zero; [lra|].
  intros j Hj. unfold mminus. rewrite Rminus_diag_eq by reflexivity. apply Rabs_R0.
Qed.

Theorem theorem2_uniform {Sigma : Type} n L (alpha : nat -> R) (A : Sigma -> mat)
    (letters : list Sigma) :
  (forall a, In a letters) -> forall eps, 0 < eps ->
  exists C0, forall C, C0 <= C -> forall x t j, (t <= 2 ^ L)%nat -> (j < n)%nat ->
    Rabs (soft_simulator n L alpha A C x (t + 2 ^ L - 1)%nat j
          - state n alpha (fun t => A (x t)) t j) < eps.
Proof.
  intros Hall eps Heps. destruct (finite_bound n A letters Hall) as (b & Hb & HA).
  set (a := sum n (fun i => Rabs (alpha i))).
  assert (Ha : 0 <= a) by (apply sum_nonneg; intros; apply Rabs_pos).
  destruct (precision n L A b Hb HA L (Nat.le_refl L) (eps / (a + 1))) as (C0 & eta & HC0 & Het & H).
  { apply Rdiv_lt_0_compat; lra. }
  exists C0. intros C HC x t j Ht Hj. fold (T L) in *. pose proof (T_pos L).
  assert (Hr : (t + T L - 1 < N L)%nat) by (unfold N; lia).
  set (F := factors n L (fun t => A (x t)) (sqrt C) (softmax (N L))).
  assert (HF : total_error n L (norm n) A x F L <= eps / (a + 1)).
  { apply (H (sqrt C)); [rewrite sqrt_def; lra|]. apply exact_run. lra. }
  unfold soft_simulator.
  rewrite output_reads with (kappa := sqrt C); auto; [|apply softmax_local].
  rewrite <- (scanned_state n L) by auto. fold F.
  set (r := (t + T L - 1)%nat) in *.
  apply Rle_lt_trans with (a * (eps / (a + 1))); [|now apply part_small].
  apply weighted_off. intros i Hi. apply Rle_trans with (2 := HF).
  apply Rle_trans with (norm n (mminus (F L r) (scanned n L (fun t => A (x t)) L r))).
  - apply (norm_entry n (mminus (F L r) (scanned n L (fun t => A (x t)) L r))); auto.
  - apply (maxover_ge (N L) (fun r => norm n (mminus (F L r) (scanned n L (fun t => A (x t)) L r)))).
    exact Hr.
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
  destruct (theorem2_uniform n L alpha A letters Hall (eps / (K + 1))) as (C0 & H).
  { apply Rdiv_lt_0_compat; lra. }
  exists C0. intros C HC x.
  apply (frobenius_below (S T) n (fun t j => soft_simulator n L alpha A C x (t + 2 ^ L - 1)%nat j
    - state n alpha (fun t => A (x t)) t j)); [exact Heps|].
  intros t j Ht Hj. left. apply H; auto; lia.
Qed.
