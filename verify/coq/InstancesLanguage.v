(** * Language models of written-out processes

    Two logits for which the bounds by tanh are attained, one letter that is certain, and a fair coin: one
    state, two letters of weight 1/2.

    Main theorems: one example for each theorem of Variation.v and Ville.v. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Theorem1 Softmax DecoderStates Variation Ville.
From Assay Require Main.
Import ListNotations.
Open Scope R_scope.

(** ** Logits: the bounds are attained *)

Definition opposite (x : R) (i : nat) : R := match i with O => x | _ => - x end.

Lemma opposite_variation x : 0 <= x ->
  variation 2 (probabilities 2 (opposite x)) (probabilities 2 (opposite (- x))) = tanh x.
Proof.
  intro Hx. unfold variation, probabilities, softmax, tanh, sinh, cosh. cbn [sum opposite].
  rewrite Ropp_involutive, exp_Ropp. pose proof (exp_pos x) as He. pose proof (exp_lower x Hx) as H1.
  set (e := exp x) in *. assert (H : / e <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  pose proof (Rinv_0_lt_compat e He).
  replace (e / (0 + e + / e) - / e / (0 + / e + e)) with ((e - / e) / (e + / e)) by (field; nra).
  replace (/ e / (0 + e + / e) - e / (0 + / e + e)) with (- ((e - / e) / (e + / e))) by (field; nra).
  rewrite Rabs_Ropp, Rabs_right; [field; nra|]. apply Rle_ge, Rmult_le_pos; [lra|].
  left. apply Rinv_0_lt_compat. lra.
Qed.

Lemma opposite_errors x i j : 0 <= x ->
  (opposite x i - opposite (- x) i) - (opposite x j - opposite (- x) j) <= 4 * x.
Proof. intro Hx. destruct i, j; cbn; lra. Qed.

Example logits_attained x : 0 <= x ->
  let p := probabilities 2 (opposite x) in let q := probabilities 2 (opposite (- x)) in
  variation 2 p q <= tanh (4 * x / 4) /\ variation 2 p q = tanh x.
Proof.
  intro Hx. split; [|now apply opposite_variation]. apply variation_of_logits; [lia|].
  intros i j _ _. now apply opposite_errors.
Qed.

Example euclidean_attained x eps : 0 <= x -> sqrt 2 * eps = 4 * x ->
  let p := probabilities 2 (opposite x) in let q := probabilities 2 (opposite (- x)) in
  variation 2 p q <= tanh (sqrt 2 * eps / 4) /\ variation 2 p q = tanh (sqrt 2 * eps / 4).
Proof.
  intros Hx He. split; [|rewrite He, opposite_variation by exact Hx; f_equal; lra].
  apply variation_of_logits_euclidean; [lia|]. cbn [sum opposite].
  pose proof (sqrt_sqrt 2 ltac:(lra)). pose proof (sqrt_lt_R0 2 ltac:(lra)). set (r := sqrt 2) in *.
  assert (E : eps = 2 * r * x) by (apply (Rmult_eq_reg_l r); [|lra]; rewrite He; nra).
  rewrite <- (sqrt_Rsqr eps) by (rewrite E; apply Rmult_le_pos; lra).
  apply Req_le. f_equal. unfold Rsqr. rewrite E. simpl. nra.
Qed.

(** Weights 1, 2 and 2, 1: ratios within a factor of 4. *)
Example ratios_three D : 0 <= D -> exp D = 4 ->
  variation 2 (normalised 2 (fun i => INR (i + 1))) (normalised 2 (fun i => INR (2 - i))) <= tanh (D / 4).
Proof.
  intros HD E. apply variation_of_ratios; auto using pos_INR; try (cbn; lra).
  intros i j Hi Hj. rewrite E. assert (i = 0 \/ i = 1)%nat as [-> | ->] by lia.
  all: assert (j = 0 \/ j = 1)%nat as [-> | ->] by lia; cbn; lra.
Qed.

Lemma tanh_zero : tanh 0 = 0.
Proof. unfold tanh. rewrite sinh_0. unfold Rdiv. ring. Qed.

(** ** One symbol that is certain, one that is impossible *)

Lemma certain : sum 2 (fun i => if (i =? 0)%nat then exp 0 else 0) = 1.
Proof. cbn. rewrite exp_0. ring. Qed.

Example one_hot_certain low :
  variation 2 (fun i => if (i =? 0)%nat then exp 0 else 0)
    (probabilities 2 (fun i => if (i =? 0)%nat then 0 else low)) <= 2 * exp low.
Proof.
  eapply Rle_trans; [apply (variation_one_hot 2 (fun i => i =? 0)%nat (fun _ => 0) low _ 0); [lia|exact certain|]|].
  - intros i j _ _. lra.
  - replace (0 / 4) with 0 by lra. rewrite tanh_zero. cbn. lra.
Qed.

Example one_hot_euclidean_certain low :
  variation 2 (fun i => if (i =? 0)%nat then exp 0 else 0)
    (probabilities 2 (fun i => if (i =? 0)%nat then 0 else low)) <= 2 * exp low.
Proof.
  eapply Rle_trans; [apply (Main.variation_one_hot_euclidean 2 (fun i => i =? 0)%nat (fun _ => 0) low _ 0);
    [lia|exact certain|]|].
  - rewrite sum_zero by (intros; ring). rewrite sqrt_0. lra.
  - replace (sqrt 2 * 0 / 4) with 0 by lra. rewrite tanh_zero. cbn. lra.
Qed.

(** ** A fair coin *)

Definition half : nat -> mat := fun _ _ _ => / 2.
Definition coin (w : list nat) : R := sum 1 (fun j => read_word 1 half (fun _ => 1) w j * 1).

Lemma coin_next w x : coin (w ++ [x]) = coin w / 2.
Proof. unfold coin, read_word. rewrite fold_left_app. cbn. unfold half. field. Qed.

Lemma coin_is w : coin w = shares_of (fun _ => / 2) w.
Proof.
  induction w as [|x w IH] using rev_ind; [cbn; ring|]. rewrite coin_next, shares_last, IH. reflexivity.
Qed.

Lemma coin_process : process 2 coin.
Proof.
  apply automaton_process; [intros i _; cbn; unfold half; lra|cbn; lra|].
  intros w _. fold (coin w). rewrite coin_is.
  induction w as [|x w IH]; cbn [shares_of fold_right] in *; [lra|]. fold (shares_of (fun _ => / 2) w) in *. lra.
Qed.

(** Beside a source that always gives the letter 0, three zeros leave the range. *)
Definition zeros (x : nat) : R := if (x =? 0)%nat then 1 else 0.

Example ville_coin :
  let event := ever (fun w => Rltb (coin w) (1 / 7 * shares_of zeros w)) in
  probability 2 3 coin event <= 1 / 7 /\ event [0; 0; 0]%nat = true.
Proof.
  split.
  - apply ville; [exact coin_process| |cbn; lra|lra]. intros x _. unfold zeros. destruct (x =? 0)%nat; lra.
  - apply ever_prefix. exists 3%nat. split; [cbn; lia|]. unfold Rltb.
    destruct (Rlt_dec _ _) as [|H]; [reflexivity|]. exfalso. apply H. rewrite coin_is. cbn. lra.
Qed.

Section Coin.
(** The logarithm from 1/1000 on, and its value there below. *)
Context (log : R -> R).
Hypothesis log_above : forall x, / 1000 <= x -> exp (log x) = x.
Hypothesis log_below : forall x, x < / 1000 -> exp (log x) = / 1000.

Lemma log_units : logarithmic log 1 (/ 1000) 0 0 (/ 1000).
Proof.
  split; intros x Hx; [rewrite Ropp_0, exp_0, log_above; lra|]. rewrite log_below; lra.
Qed.

Lemma coin_bound : general_bound 2 3 (1 / 2) 1 (/ 1000) 0 0 (/ 1000) (- 40) <= 1 / 50.
Proof.
  unfold general_bound. replace (0 / 2) with 0 by lra. rewrite tanh_zero, exp_0.
  assert (H : exp (- 40) <= / 10000).
  { replace (exp (- 40)) with (/ exp 40) by (rewrite <- exp_Ropp; f_equal; lra).
    apply Rinv_le_contravar; [lra|].
    replace 40 with (10 + 10 + (10 + 10)) by lra. rewrite !exp_plus. pose proof (exp_lower 10 ltac:(lra)).
    assert (121 <= exp 10 * exp 10) by nra. nra. }
  cbn [INR]. pose proof (exp_pos (- 40)).
  replace (1 / 2 - (1 + 1) * (/ 1000 * 1 + 2 * 0)) with (498 / 1000) by lra.
  assert (/ (498 / 1000) = 1000 / 498) by lra. unfold Rdiv at 2. lra.
Qed.

(** At every prefix the model with exact readings is within 1/50. *)
Example general_coin : variation 5 (extended 2 (normalised 2 (fun _ => 1 / 2)))
  (probabilities 5 (unit_logits 2 log 1 (- 40) (fun _ => 1 / 2))) <= 1 / 50.
Proof.
  eapply Rle_trans; [|exact coin_bound]. apply (variation_general 2 3); try lra; try exact log_units.
  - intros. lra.
  - cbn. lra.
  - intros. rewrite minus_self, Rabs_R0. lra.
  - intros. lra.
  - cbn. lra.
Qed.

Example sampled_coin T : probability 2 T coin (ever (fun w =>
  Rltb (general_bound 2 3 (1 / 2) 1 (/ 1000) 0 0 (/ 1000) (- 40))
    (variation 5 (extended 2 (normalised 2 (fun x => coin (w ++ [x]))))
       (probabilities 5 (unit_logits 2 log 1 (- 40) (fun _ => 1 / 2)))))) <= 1 / 2.
Proof.
  apply (Main.sampled_variation 2 3 T coin (fun _ => / 2) (fun _ _ => 1 / 2)); try lra; try exact log_units.
  - exact coin_process.
  - intros. lra.
  - cbn. lra.
  - intros w x Hw _ _. rewrite coin_next, coin_is.
    pose proof (shares_pos 2 (fun _ => / 2) w ltac:(intros; lra) Hw).
    replace (shares_of (fun _ => / 2) w / 2 / shares_of (fun _ => / 2) w) with (1 / 2) by (field; lra).
    rewrite minus_self, Rabs_R0. lra.
  - cbn. lra.
Qed.
End Coin.
