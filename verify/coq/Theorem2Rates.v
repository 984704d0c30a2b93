(** * How large C and how small h must be: Theorem 2 with explicit constants

    Appendix B.2, "Error analysis", repaired and made explicit, for every T >= 1. In the spectral norm,
    with mu_l and D_l as in Rates.v, all T + 1 states are within |alpha| sqrt(T + 1) e_L in the
    Frobenius norm of Definition 3.2, e_L the budget ([states_within]).

    [theorem2_rate]         softmax and exact products: if the budget for the leak of C keeps the
                            states within eps, then they are; this is what the program evaluates
    [theorem2_mlp_rate]     the same with the MLP of 4n^3 units, right up to rho on numbers of size B
    [theorem2_rate_closed]  C > ln((2T' - 1) G m) / (1 - cos(pi/T')) is enough, where T' is the
                            power of two and m = max(1, |alpha| sqrt(T + 1) / eps)
    [theorem2_mlp_closed]   with the MLP: the same with 2m, and a step h with
                            n^2 K B^4 h^2 H m / (3 |c|) <= 1/2, where K bounds the fourth derivative

    G and H are sums of products of the mu_l (Rates.v); as 1 - cos(pi/T') >= 2/T'^2, C grows like
    T^2 (log T + log 1/eps + log G).

    Main definitions: [enough_C].
    Main theorems:    as above. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Gap Model Attention Theorem1 Softmax Recursion Spectral Theorem2.
From Assay Require Import Activation FourUnits MLP MLPModel Rates Simulation Statements.
Import ListNotations.
Open Scope R_scope.

Section Words.
Context {Sigma : Type} (n T : nat) (alpha : nat -> R) (A : Sigma -> mat).
Hypothesis T_1 : (1 <= T)%nat.
Let L := Nat.log2_up T.
Local Notation word w := (fun t => letter w (Z.of_nat t)).

(** ** Norms and distances of products *)

Variable mu D : nat -> R.
(** The letters' products: norms of at most mu_l, distances of at most D_l, up to 2^l letters. *)
Hypothesis mu_words : forall l w, (length w <= 2 ^ l)%nat -> spectral n (word_product n A w) <= mu l.
Hypothesis D_words : forall l u v, (length u <= 2 ^ l)%nat -> (length v <= 2 ^ l)%nat ->
  spectral n (mminus (word_product n A u) (word_product n A v)) <= D l.

Lemma drop_pads (w : list (option Sigma)) :
  exists u, (length u <= length w)%nat /\ meq n (word_product n (padded A) w) (word_product n A u).
Proof.
  induction w as [|[a|] w (u & Hu & E)].
  - exists []. split; [auto|reflexivity].
  - exists (a :: u). split; [simpl; lia|]. intros i j Hi Hj.
    cbn [word_product fold_right padded]. fold (word_product n (padded A) w). fold (word_product n A u).
    apply sum_ext. intros k Hk. now rewrite E.
  - exists u. split; [simpl; lia|]. intros i j Hi Hj.
    cbn [word_product fold_right padded]. fold (word_product n (padded A) w).
    rewrite (mul1m n _ i j Hi Hj). now apply E.
Qed.

Lemma mu_padded l w : (length w <= 2 ^ l)%nat -> spectral n (word_product n (padded A) w) <= mu l.
Proof.
  intro Hw. destruct (drop_pads w) as (u & Hu & E).
  rewrite (nu_meq n _ (spectral_norm n) _ _ E). apply mu_words. lia.
Qed.

Lemma D_padded l u v : (length u <= 2 ^ l)%nat -> (length v <= 2 ^ l)%nat ->
  spectral n (mminus (word_product n (padded A) u) (word_product n (padded A) v)) <= D l.
Proof.
  intros Hu Hv. destruct (drop_pads u) as (u' & Hu' & Eu). destruct (drop_pads v) as (v' & Hv' & Ev).
  rewrite (nu_meq n _ (spectral_norm n) _ (mminus (word_product n A u') (word_product n A v'))).
  - apply D_words; lia.
  - intros i j Hi Hj. unfold mminus. now rewrite Eu, Ev by auto.
Qed.

(** From what is carried to all T + 1 states. *)
Lemma states_within (F : nat -> nat -> mat) e w (f : mat) :
  (forall r, (r < N L)%nat ->
     spectral n (mminus (F L r) (scanned n L (fun t => padded A (word w t)) L r)) <= e) ->
  (forall t j, (t <= T)%nat -> (j < n)%nat ->
     f t j = sum n (fun i => alpha i * F L (t + 2 ^ L - 1)%nat i j)) ->
  sqrt (sum (S T) (fun t => sum n (fun j => (f t j - states n alpha A w t j) ^ 2)))
  <= length2 n alpha * sqrt (INR (S T)) * e.
Proof.
  intros HF Hf. pose proof (fits T T_1 : (T <= 2 ^ L)%nat) as HT. pose proof (T_pos L) as HP. unfold Model.T in HP.
  assert (He : 0 <= e).
  { eapply Rle_trans; [|apply (HF 0%nat), N_pos]. apply spectral_pos. }
  assert (Ha : 0 <= length2 n alpha) by apply length2_pos.
  rewrite <- (sqrt_Rsqr (length2 n alpha * sqrt (INR (S T)) * e))
    by (repeat apply Rmult_le_pos; auto; apply sqrt_pos).
  apply sqrt_le_1_alt. unfold Rsqr.
  replace (length2 n alpha * sqrt (INR (S T)) * e * (length2 n alpha * sqrt (INR (S T)) * e))
    with (sqrt (INR (S T)) * sqrt (INR (S T)) * ((length2 n alpha * e) * (length2 n alpha * e))) by ring.
  rewrite sqrt_sqrt by apply pos_INR. rewrite <- sum_const. apply sum_le. intros t Ht.
  set (r := (t + 2 ^ L - 1)%nat).
  assert (Hr : (r < N L)%nat) by (unfold r, N, Model.T; lia).
  set (M := mminus (F L r) (scanned n L (fun t => padded A (word w t)) L r)).
  assert (E : sum n (fun j => (f t j - states n alpha A w t j) ^ 2)
              = dot n (fun j => sum n (fun i => alpha i * M i j)) (fun j => sum n (fun i => alpha i * M i j))).
  { unfold dot. apply sum_ext. intros j Hj. rewrite Hf by (auto; lia). unfold states.
    rewrite <- (scanned_state n L (fun t => padded A (word w t)) alpha t j) by (unfold Model.T; auto; lia).
    unfold Model.T. fold r. rewrite <- sum_minus.
    rewrite (sum_ext n _ (fun i => alpha i * M i j)); [ring|]. intros i Hi. unfold M, mminus. ring. }
  rewrite E, <- length2_sqr. pose proof (row_length n alpha M) as HR.
  pose proof (length2_pos n (fun j => sum n (fun i => alpha i * M i j))).
  assert (length2 n alpha * spectral n M <= length2 n alpha * e)
    by (apply Rmult_le_compat_l; [exact Ha|apply HF; exact Hr]).
  apply Rmult_le_compat; lra.
Qed.

Lemma leaks_of C : 0 <= C -> forall w r, (w < N L)%nat -> (r < N L)%nat ->
  1 - attend L (sqrt C) w r (source L w r) <= leak L C.
Proof.
  intros HC w r Hw Hr. pose proof (softmax_leak L (sqrt C) w r Hw Hr) as H.
  now rewrite sqrt_def in H.
Qed.

Local Notation F := (length2 n alpha * sqrt (INR (S T))).

(** Softmax and exact products: if the budget, for the leak p of C, keeps the states within eps. *)
Theorem theorem2_rate sigma C p eps : 0 <= C ->
  (forall w r, (w < N L)%nat -> (r < N L)%nat -> 1 - attend L (sqrt C) w r (source L w r) <= p) ->
  F * budget mu D p 0 L < eps ->
  approximately_simulates n T alpha A eps
    (answers softmax sigma n L A (network_of alpha C (construction n L RootC))).
Proof.
  intros HC Hp He w Hw. eapply Rle_lt_trans; [|exact He].
  apply (states_within (factors n L (fun t => padded A (word w t)) (sqrt C) (softmax (N L)))).
  - intros r Hr. apply (budget_bounds n L (spectral n) (spectral_norm n) (padded A) mu D
      (fun l w _ => mu_padded l w) (fun l u v _ => D_padded l u v) (sqrt C) p Hp (word w) 0); auto. apply exact_run; [apply spectral_norm|lra].
  - intros t j Ht Hj. rewrite <- (soft_answers n T). unfold soft_simulator.
    pose proof (fits T T_1 : (T <= 2 ^ L)%nat). pose proof (T_pos L). unfold Model.T in *.
    apply (output_reads n L alpha _ C RootC (sqrt C)); auto; [apply softmax_local|].
    unfold N, Model.T. lia.
Qed.

(** Softmax and the MLP: products are right up to rho on numbers of size B. *)
Theorem theorem2_mlp_rate extra sigma b h s C p B rho eps : 0 <= C ->
  (forall w r, (w < N L)%nat -> (r < N L)%nat -> 1 - attend L (sqrt C) w r (source L w r) <= p) ->
  (forall l, (l < L)%nat -> mu l + 1 <= B) -> 0 <= rho ->
  (forall y z, Rabs y <= B -> Rabs z <= B -> Rabs (four_units sigma b h s y z - y * z) <= rho) ->
  let e := budget mu D p (INR n * (INR n * rho)) in
  (forall l, (l < L)%nat -> e l + p * D l <= 1) ->
  F * e L < eps ->
  approximately_simulates n T alpha A eps
    (answers softmax sigma n L A (mlp_network_of alpha C b h s (soft_model n L extra))).
Proof.
  intros HC Hp HB Hrho Hunits e Hsmall He w Hw. eapply Rle_lt_trans; [|exact He].
  apply (states_within (carried n L (fun t => padded A (word w t)) C sigma b h s)).
  - intros r Hr. apply (mlp_budget_bounds n L (spectral n) (spectral_norm n) (padded A) mu D
      (fun l w _ => mu_padded l w) (fun l u v _ => D_padded l u v) (sqrt C) p Hp (word w) (spectral_entry n) (spectral_small n) C eq_refl sigma b h s B rho Hrho
      Hunits HB Hsmall L r); auto.
  - intros t j Ht Hj. rewrite <- (mlp_answers n T).
    pose proof (fits T T_1 : (T <= 2 ^ L)%nat). pose proof (T_pos L). unfold Model.T in *.
    apply mlp_output_reads; auto. unfold N, Model.T. lia.
Qed.

(** ** In closed form *)

Hypothesis mu_1 : forall l, 1 <= mu l.

Lemma D_nonneg l : 0 <= D l.
Proof.
  eapply Rle_trans; [apply spectral_pos|]. apply (D_words l [] []); simpl; lia.
Qed.

Lemma leak_nonneg C : 0 <= leak L C.
Proof. unfold leak. apply Rmult_le_pos; [apply pos_INR|left; apply exp_pos]. Qed.

(** C > ln((2T' - 1) G m) / g, written without the logarithm. *)
Definition enough_C (m C : R) : Prop :=
  0 <= C /\ INR (N L - 1) * gain mu D L * m < exp (C * gap L).

(** There is such a C: (2T' - 1) G m / g is one. *)
Lemma enough_exists m : 0 <= m -> enough_C m (INR (N L - 1) * gain mu D L * m / gap L).
Proof.
  intro Hm. unfold enough_C. pose proof (gap_pos L) as Hg.
  destruct (gain_grows mu D mu_1 D_nonneg L) as [HG _].
  set (X := INR (N L - 1) * gain mu D L * m).
  assert (HX : 0 <= X) by (unfold X; repeat apply Rmult_le_pos; auto; apply pos_INR).
  split; [unfold Rdiv; apply Rmult_le_pos; [exact HX|left; now apply Rinv_0_lt_compat]|].
  replace (X / gap L * gap L) with X by (field; lra). pose proof (exp_lower X HX). lra.
Qed.

Lemma enough_leak m C : enough_C m C -> leak L C * gain mu D L * m < 1.
Proof.
  intros [HC HE]. unfold leak. replace (- C * gap L) with (- (C * gap L)) by ring. rewrite exp_Ropp.
  set (X := INR (N L - 1) * gain mu D L * m) in *.
  replace (INR (N L - 1) * / exp (C * gap L) * gain mu D L * m) with (X * / exp (C * gap L))
    by (unfold X; ring).
  pose proof (exp_pos (C * gap L)) as Hp. apply (Rmult_lt_reg_r (exp (C * gap L))); [exact Hp|].
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra. exact HE.
Qed.

Lemma within_both q eps : 0 < eps -> 0 <= q -> q * Rmax 1 (F / eps) < 1 -> q <= 1 /\ F * q < eps.
Proof.
  intros He Hq H. pose proof (Rmax_l 1 (F / eps)) as Hl. pose proof (Rmax_r 1 (F / eps)) as Hr.
  split; [nra|].
  assert (H1 : q * (F / eps) < 1) by (eapply Rle_lt_trans; [apply Rmult_le_compat_l; [exact Hq|exact Hr]|exact H]).
  apply (Rmult_lt_compat_r eps) in H1; [|exact He].
  replace (q * (F / eps) * eps) with (F * q) in H1 by (field; lra). lra.
Qed.

(** Exact products, every T >= 1: every C above an explicit one. *)
Theorem theorem2_rate_closed sigma eps C : 0 < eps -> enough_C (Rmax 1 (F / eps)) C ->
  approximately_simulates n T alpha A eps
    (answers softmax sigma n L A (network_of alpha C (construction n L RootC))).
Proof.
  intros He HC. set (m := Rmax 1 (F / eps)) in *.
  pose proof (enough_leak m C HC) as Hl. destruct HC as [HC0 _].
  destruct (gain_grows mu D mu_1 D_nonneg L) as [HG _]. pose proof (leak_nonneg C) as Hp.
  destruct (within_both (leak L C * gain mu D L) eps He) as [H1 H2];
    [now apply Rmult_le_pos|exact Hl|].
  apply (theorem2_rate sigma C (leak L C)); [exact HC0|now apply leaks_of|].
  destruct (closed_form mu D (leak L C) 0 mu_1 D_nonneg Hp (Rle_refl 0) L ltac:(lra) L
    (Nat.le_refl L)) as [Hb _].
  assert (HF : 0 <= F) by (apply Rmult_le_pos; [apply length2_pos|apply sqrt_pos]).
  eapply Rle_lt_trans; [apply Rmult_le_compat_l; [exact HF|exact Hb]|]. lra.
Qed.

(** Softmax and the MLP, every T >= 1: every C above an explicit one, every step h with
    h^2 K B^4 n^2 H m / (3 |c|) <= 1/2 and 2 h B <= r, with m = max(1, |alpha| sqrt(T+1) / eps). *)
Theorem theorem2_mlp_closed extra sigma b c r K B h eps C :
  smooth sigma b c r K -> c <> 0 -> (forall l, (l < L)%nat -> mu l + 1 <= B) -> 0 < eps ->
  let m := Rmax 1 (F / eps) in
  enough_C (2 * m) C -> 0 < h -> 2 * h * B <= r -> 0 <= B ->
  INR n * (INR n * (K * B ^ 4 * h ^ 2 / (3 * Rabs c))) * heaped mu L * m <= 1 / 2 ->
  approximately_simulates n T alpha A eps (answers softmax sigma n L A
    (mlp_network_of alpha C b h (/ (4 * h ^ 2 * c)) (soft_model n L extra))).
Proof.
  intros Hs Hc HB He m HC Hh Hr HB0 Heta. set (rho := K * B ^ 4 * h ^ 2 / (3 * Rabs c)) in *.
  assert (Hm : 1 <= m) by apply Rmax_l.
  pose proof (enough_leak (2 * m) C HC) as Hl. destruct HC as [HC0 _].
  assert (Hc' : 0 < Rabs c) by now apply Rabs_pos_lt.
  pose proof (four_units_matched sigma b c r K h B Hs Hc Hh Hr) as Hunits. fold rho in Hunits.
  assert (Hrho : 0 <= rho).
  { eapply Rle_trans; [apply Rabs_pos|apply (Hunits 0 0); rewrite Rabs_R0; exact HB0]. }
  set (eta := INR n * (INR n * rho)) in *.
  assert (Heta0 : 0 <= eta).
  { apply Rmult_le_pos; [apply pos_INR|]. apply Rmult_le_pos; [apply pos_INR|exact Hrho]. }
  destruct (gain_grows mu D mu_1 D_nonneg L) as [HG _]. pose proof (leak_nonneg C) as Hp.
  destruct (heaped_grows mu mu_1 L) as [HH _].
  set (q := leak L C * gain mu D L + eta * heaped mu L).
  assert (Hq0 : 0 <= q) by (unfold q; apply Rplus_le_le_0_compat; now apply Rmult_le_pos).
  assert (Hq : q * m < 1) by (unfold q; lra).
  destruct (within_both q eps He Hq0 Hq) as [H1 H2].
  assert (HF : 0 <= F) by (apply Rmult_le_pos; [apply length2_pos|apply sqrt_pos]).
  pose proof (closed_form mu D (leak L C) eta mu_1 D_nonneg Hp Heta0 L H1) as HCF.
  apply (theorem2_mlp_rate extra sigma b h (/ (4 * h ^ 2 * c)) C (leak L C) B rho); auto.
  - now apply leaks_of.
  - intros l Hlt. apply (HCF l ltac:(lia)). exact Hlt.
  - destruct (HCF L (Nat.le_refl L)) as [Hb _].
    eapply Rle_lt_trans; [apply Rmult_le_compat_l; [exact HF|exact Hb]|exact H2].
Qed.
End Words.
