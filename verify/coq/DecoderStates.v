(** * The decoder: from the error of the matrices to that of the states

    Beyond the paper. The state of the automaton letter by letter; and the step from the error bound of DecoderError.v to the
    output: a filter that leaks lambda and products that are right up to kappa (|x| + |y|)^4 keep all
    states within eps, and without leak and with exact products there is no error at all.

    Main definitions: [read_word], [over], [weights_for].
    Main theorems:    [read_word_product], [within], [exactly],
                      [leak_small], [words_bounded]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Theorem1 Softmax Recursion Spectral Activation InUse.
From Assay Require Import DecoderModel DecoderWeights DecoderLayers DecoderError.
Import ListNotations.
Open Scope R_scope.

Ltac nonneg := repeat match goal with |- 0 <= _ * _ => apply Rmult_le_pos end.

(** ** The automaton *)

(** The state after a word, letter by letter. *)
Definition read_word (n : nat) (A : nat -> mat) (v : nat -> R) (w : list nat) : nat -> R :=
  fold_left (fun v a => fun j => sum n (fun i => v i * A a i j)) w v.

Theorem read_word_product n A w : forall v j, (j < n)%nat ->
  read_word n A v w j = sum n (fun i => v i * word_product n A w i j).
Proof.
  induction w as [|a w IH]; intros v j Hj.
  - cbn. symmetry. rewrite (sum_single n _ j Hj).
    + unfold I. rewrite Nat.eqb_refl. simpl. ring.
    + intros i Hi Hne. unfold I. solve01.
  - cbn [read_word fold_left]. fold (read_word n A (fun k => sum n (fun i => v i * A a i k)) w).
    rewrite IH by exact Hj. cbn [word_product fold_right]. fold (word_product n A w).
    unfold mmul.
    rewrite (sum_ext n _ (fun k => sum n (fun i => v i * A a i k * word_product n A w k j)))
      by (intros; apply sum_scal_r).
    rewrite sum_swap. apply sum_ext. intros i Hi. rewrite sum_scal_l. apply sum_ext. intros; ring.
Qed.

Definition over (q : nat) (w : list nat) : Prop := Forall (fun a => (a < q)%nat) w.

Lemma over_factor q word a b : over q word -> over q (factor word a b).
Proof.
  unfold over. rewrite !Forall_forall. intros H x Hx. apply H. unfold factor in Hx.
  rewrite <- (firstn_skipn b word). apply in_or_app. left.
  rewrite <- (firstn_skipn a (firstn b word)). apply in_or_app. now right.
Qed.

(** ** The models *)

(** What the weights are made of: the automaton, C, the activation, and for MLPs without gates the
    step h and half the bend of act(y) + act(-y) at 0. *)
Definition weights_for (alpha : nat -> R) (A : nat -> mat) (C : R) (act : R -> R) (h bend : R)
  : setting := Setting alpha A (fun _ _ => 0) (fun _ _ _ => 0) C act h bend (1 / 2).

(** ** From the error of the matrices to that of the states *)

Section Common.
Context (n q T p : nat) (gated : bool) (e : setting) (filter : nat -> mat -> mat)
  (pr : R -> R -> R).
Hypothesis T_1 : (1 <= T)%nat.
Hypothesis p_1 : (0 < p)%nat.
Hypothesis local : forall k S S' r, (forall s, (s < k)%nat -> S r s = S' r s) ->
  forall s, (s < k)%nat -> filter k S r s = filter k S' r s.
Hypothesis block_multiplies : multiplies n gated e pr (multiplier n gated).

Local Notation L := (Nat.log2_up T).

Lemma log_covers t : (t <= T)%nat -> (t - 2 ^ L = 0)%nat.
Proof.
  intro Ht. assert (T <= 2 ^ L)%nat; [|lia].
  destruct (Nat.eq_dec T 1) as [->|]; [simpl; lia|]. apply Nat.log2_up_spec. lia.
Qed.

Theorem state_error word t j : over q word -> (length word <= T)%nat -> (t <= length word)%nat ->
  (j < n)%nat ->
  forward e filter (construction n q T p gated L) (q :: word) t j
    - read_word n (A e) (alpha e) (firstn t word) j
  = sum n (fun i => alpha e i * err n e filter pr word L t i j).
Proof.
  intros Hq Hw Ht Hj.
  rewrite (output_reads n q T p gated e filter (S (length word)) p_1 local pr block_multiplies
             word eq_refl Hq L t j) by (auto; lia).
  rewrite read_word_product by exact Hj. rewrite <- sum_minus. apply sum_ext. intros i Hi.
  unfold err, window. rewrite log_covers by lia. unfold factor. cbn [skipn]. ring.
Qed.

(** With a filter that leaks lambda and products up to kappa (|x| + |y|)^4. *)
Theorem within lambda kappa N M eps :
  focused e filter lambda -> (forall x y, Rabs (pr x y - x * y) <= kappa * (Rabs x + Rabs y) ^ 4) ->
  0 <= lambda -> 0 <= kappa -> 1 <= N ->
  (forall w, over q w -> (length w <= T)%nat -> spectral n (word_product n (A e) w) <= N) ->
  (forall w, over q w -> (length w <= T)%nat -> spectral n (mminus (word_product n (A e) w) I) <= M) ->
  lambda * (16 * (N + M)) <= 1 ->
  (2 * N + 1) ^ L * eta n lambda kappa N M <= N / 2 ->
  length2 n (alpha e) * (2 * N + 1) ^ L * eta n lambda kappa N M <= 2 * N * eps ->
  forall word, over q word -> (length word <= T)%nat -> forall t, (t <= length word)%nat ->
  length2 n (fun j => forward e filter (construction n q T p gated L) (q :: word) t j
                      - read_word n (A e) (alpha e) (firstn t word) j) <= eps.
Proof.
  intros Hf Hn Hl Hk HN1 HN HM Hleak Hsmall Heps word Hq Hw t Ht.
  assert (HM0 : 0 <= M).
  { eapply Rle_trans; [apply (spectral_pos n)|apply (HM nil); [constructor|simpl; lia]]. }
  rewrite (length2_ext n _ (fun j => sum n (fun i => alpha e i * err n e filter pr word L t i j)))
    by (intros j Hj; now apply state_error).
  assert (Hshort : forall l i, (length (factor word (i - 2 ^ l) i) <= T)%nat).
  { intros l i. pose proof (factor_short word (i - 2 ^ l) i). lia. }
  pose proof (error_bound n e filter pr word (spectral n) (spectral_norm n) (spectral_entry n)
    (spectral_small n) lambda kappa N M Hf Hn Hl Hk HN1 HM0
    (fun l i _ => HN _ (over_factor q word _ _ Hq) (Hshort l i))
    (fun l i _ => HM _ (over_factor q word _ _ Hq) (Hshort l i)) L Hleak Hsmall L t
    (Nat.le_refl _) Ht) as HE.
  eapply Rle_trans; [apply row_length|].
  set (E := eta n lambda kappa N M) in *. set (a := length2 n (alpha e)) in *.
  assert (Ha : 0 <= a) by apply length2_pos.
  assert (HE0 : 0 <= E).
  { unfold E, eta. assert (0 <= (2 * M + 1) ^ 4) by (apply pow_le; lra).
    assert (0 <= lambda * N * M) by (nonneg; lra).
    assert (0 <= INR n * (INR n * (kappa * (2 * M + 1) ^ 4)))
      by (nonneg; auto; apply pos_INR). lra. }
  apply Rle_trans with (a * (((2 * N + 1) ^ L - 1) * E / (2 * N))); [now apply Rmult_le_compat_l|].
  apply (Rmult_le_reg_r (2 * N)); [lra|].
  replace (a * (((2 * N + 1) ^ L - 1) * E / (2 * N)) * (2 * N))
    with (a * (2 * N + 1) ^ L * E - a * E) by (field; lra).
  assert (0 <= a * E) by now apply Rmult_le_pos. lra.
Qed.

(** Without any leak and with exact products: no error. *)
Theorem exactly word t j : focused e filter 0 -> (forall x y, pr x y = x * y) ->
  over q word -> (length word <= T)%nat -> (t <= length word)%nat -> (j < n)%nat ->
  forward e filter (construction n q T p gated L) (q :: word) t j
  = read_word n (A e) (alpha e) (firstn t word) j.
Proof.
  intros Hf Hpr Hq Hw Ht Hj. apply Rminus_diag_uniq. rewrite state_error by auto.
  set (nu := norm n). set (m := length word).
  set (N := Rmax 1 (maxover (S m) (fun i => maxover (S m) (fun a => nu (word_product n (A e) (factor word a i)))))).
  set (M := maxover (S m) (fun i => maxover (S m) (fun a => nu (mminus (word_product n (A e) (factor word a i)) I)))).
  assert (HN1 : 1 <= N) by apply Rmax_l.
  assert (HM0 : 0 <= M) by apply maxover_pos.
  assert (HN : forall l i, (i <= m)%nat -> nu (window n e word l i) <= N).
  { intros l i Hi. unfold window. eapply Rle_trans; [|apply Rmax_r].
    eapply Rle_trans; [|apply (maxover_ge (S m) _ i); lia].
    apply (maxover_ge (S m) (fun a => nu (word_product n (A e) (factor word a i)))). lia. }
  assert (HM : forall l i, (i <= m)%nat -> nu (mminus (window n e word l i) I) <= M).
  { intros l i Hi. unfold window. eapply Rle_trans; [|apply (maxover_ge (S m) _ i); lia].
    apply (maxover_ge (S m) (fun a => nu (mminus (word_product n (A e) (factor word a i)) I))). lia. }
  assert (E0 : eta n 0 0 N M = 0) by (unfold eta; ring).
  assert (Hent : forall X a b, (a < n)%nat -> (b < n)%nat -> Rabs (X a b) <= nu X)
    by (intros; now apply norm_entry).
  assert (Hsm : forall X x, 0 <= x -> (forall a b, (a < n)%nat -> (b < n)%nat -> Rabs (X a b) <= x) ->
                  nu X <= INR n * x).
  { intros X x Hx H. apply maxover_le; [apply Rmult_le_pos; [apply pos_INR|exact Hx]|].
    intros i Hi. rewrite <- sum_const. apply sum_le. intros k Hk. now apply H. }
  pose proof (error_bound n e filter pr word nu (row_sum_norm n) Hent Hsm 0 0 N M Hf) as HE.
  specialize (HE ltac:(intros x y; rewrite Hpr, Rminus_diag_eq, Rabs_R0 by reflexivity; lra)
    ltac:(lra) ltac:(lra) HN1 HM0 HN HM L ltac:(lra) ltac:(rewrite E0; lra) L t (Nat.le_refl _) Ht).
  rewrite E0 in HE. replace (((2 * N + 1) ^ L - 1) * 0 / (2 * N)) with 0 in HE by (unfold Rdiv; ring).
  apply sum_zero. intros i Hi. pose proof (norm_entry n (err n e filter pr word L t) i j Hi Hj) as H.
  fold nu in H. pose proof (Rabs_pos (err n e filter pr word L t i j)).
  destruct (Req_dec (err n e filter pr word L t i j) 0) as [->|Hne]; [ring|].
  pose proof (Rabs_pos_lt _ Hne). lra.
Qed.
End Common.

(** ** The constants *)

Lemma leak_small c : 11 / 5 * 16 <= exp c -> 0 < c /\ 0 <= leak c <= 11 / 5 * exp (- c).
Proof.
  intro H. assert (Hc : 0 < c).
  { apply Rnot_le_lt. intro Hc. pose proof (exp_le c 0 Hc) as H0. rewrite exp_0 in H0. lra. }
  split; [exact Hc|]. unfold leak. set (E := exp (- c)).
  assert (HE : 0 < E) by apply exp_pos.
  assert (EC : E * exp c = 1) by (unfold E; rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
  assert (HE1 : E <= 1 / 11) by nra.
  assert (E3 : exp (- (3 * c)) = E * E * E).
  { unfold E. rewrite <- !exp_plus. f_equal. ring. }
  rewrite E3. assert (H3 : 0 <= E * E * E <= 1 / 11) by (split; [nra|]; assert (E * E <= 1) by nra; nra).
  assert (Hi : 0 < / (1 - E * E * E) <= 11 / 10).
  { split; [apply Rinv_0_lt_compat; lra|].
    apply (Rmult_le_reg_r (1 - E * E * E)); [lra|]. rewrite Rinv_l by lra. lra. }
  unfold Rdiv. split; nra.
Qed.

(** All words of at most T letters are bounded. *)
Lemma words_bounded n q T (A : nat -> mat) : exists N M, 1 <= N /\ 0 <= M /\
  (forall w, over q w -> (length w <= T)%nat -> spectral n (word_product n A w) <= N) /\
  (forall w, over q w -> (length w <= T)%nat -> spectral n (mminus (word_product n A w) I) <= M).
Proof.
  set (b := Rmax 1 (maxover q (fun a => norm n (A a)))).
  assert (Hb : 1 <= b) by apply Rmax_l.
  assert (Hn : forall w, over q w -> norm n (word_product n A w) <= b ^ length w).
  { induction w as [|a w IH]; intro Hw; [apply norm_I|]. inversion Hw as [|? ? Ha Hw']; subst.
    cbn [word_product fold_right length pow]. fold (word_product n A w).
    eapply Rle_trans; [apply norm_mulm|]. apply Rmult_le_compat; auto using norm_pos.
    eapply Rle_trans; [|apply Rmax_r]. now apply (maxover_ge q (fun a => norm n (A a))). }
  assert (Hs : forall w, over q w -> (length w <= T)%nat ->
                 spectral n (word_product n A w) <= INR n * b ^ T).
  { intros w Hw Hl. assert (Hp : norm n (word_product n A w) <= b ^ T).
    { eapply Rle_trans; [now apply Hn|]. now apply Rle_pow. }
    apply spectral_small; [eapply Rle_trans; [apply (norm_pos n (word_product n A w))|exact Hp]|].
    intros i j Hi Hj. eapply Rle_trans; [apply (norm_entry n _ i j Hi Hj)|exact Hp]. }
  exists (Rmax 1 (INR n * b ^ T)), (INR n * b ^ T + spectral n I).
  split; [apply Rmax_l|]. split.
  - apply Rplus_le_le_0_compat; [|apply spectral_pos].
    apply Rmult_le_pos; [apply pos_INR|apply pow_le; lra].
  - split; intros w Hw Hl.
    + eapply Rle_trans; [now apply Hs|apply Rmax_r].
    + eapply Rle_trans; [apply (nu_minus n _ (spectral_norm n))|]. apply Rplus_le_compat_r. now apply Hs.
Qed.
