(** * Theorem 1 without pads: one layer, and all of them

    The scores are cosines of differences of angles that stay below pi, so that the token nearest to
    t - 2^l is attended ([clean_attends]); the bilinear block multiplies what the first two heads
    read and doubles the angle that the third one carries ([clean_layer]).

    Main definitions: [angle], [back] (the scores), [carries].
    Main theorems:    [clean_attends], [contract_product], [contract_square], [clean_layer],
                      [clean_carries], [clean_output]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool Morphisms.
From Assay Require Import Sums Gap Model Attention Theorem1 NoPadsWeights.
Import ListNotations.
Open Scope R_scope.

(** ** Which token is attended: t - 2^l, or the begin token *)

Lemma cos_abs u z : cos (u * IZR z) = cos (u * IZR (Z.abs z)).
Proof.
  destruct (Z.abs_eq_or_opp z) as [->|E]; [reflexivity|].
  rewrite E, opp_IZR, Ropp_mult_distr_r_reverse, cos_neg. reflexivity.
Qed.

Lemma cos_farther u z z' : 0 < u -> (Z.abs z < Z.abs z')%Z -> u * IZR (Z.abs z') <= PI ->
  cos (u * IZR z') < cos (u * IZR z).
Proof.
  intros Hu Hz Hp. rewrite (cos_abs u z), (cos_abs u z').
  assert (0 <= IZR (Z.abs z)) by (apply IZR_le; lia).
  assert (IZR (Z.abs z) < IZR (Z.abs z')) by now apply IZR_lt.
  apply cos_decreasing_1; try lra; try nra.
Qed.

Section Layers.
Context (n T m : nat) (alpha : nat -> R) (A : nat -> mat).
Hypothesis T_1 : (1 <= T)%nat.
Hypothesis m_T : (m <= T)%nat.

Local Notation n2 := (n2 n).
Local Notation d := (d n).
Local Notation L := (Nat.log2_up T).
Local Notation K := (K T).
Local Notation N := (m + 1)%nat.
Local Notation value := (value alpha A 1).
Local Notation apply := (apply alpha A 1).
Local Notation scores := (scores alpha A 1).
Local Notation vec := (vec n).
Local Notation token := (token A).
Local Notation spanned := (spanned n A).

(** The unit of the angles before layer l. *)
Definition angle (l : nat) : R := PI * INR (2 ^ l) / INR K.

Lemma K_pos : 0 < INR K.
Proof.
  apply (lt_INR 0). unfold NoPadsWeights.K. pose proof (Nat.pow_nonzero 2 L). nia.
Qed.

Lemma angle_pos l : 0 < angle l.
Proof.
  unfold angle. pose proof K_pos. pose proof PI_RGT_0.
  assert (0 < INR (2 ^ l)) by (apply (lt_INR 0), Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
  apply Rmult_lt_0_compat; [nra|now apply Rinv_0_lt_compat].
Qed.

Lemma pow_double l : INR (2 ^ S l) = 2 * INR (2 ^ l).
Proof. rewrite Nat.pow_succ_r', mult_INR. reflexivity. Qed.

Lemma angle_double l : angle (S l) = 2 * angle l.
Proof. unfold angle. rewrite pow_double. pose proof K_pos. field. lra. Qed.

Lemma powers_fit l : (l < L)%nat -> (2 ^ l <= T)%nat /\ (2 ^ l * (T + 2 ^ l) <= T * 2 ^ L)%nat.
Proof.
  intro Hl. destruct (Nat.eq_dec T 1) as [E|]; [rewrite E, Nat.log2_up_1 in Hl; lia|].
  pose proof (Nat.log2_up_spec T ltac:(lia)) as [H _].
  assert (E : (2 ^ L = 2 * 2 ^ Nat.pred L)%nat).
  { replace L with (S (Nat.pred L)) at 1 by lia. apply Nat.pow_succ_r'. }
  assert (H1 : (2 ^ l <= 2 ^ Nat.pred L)%nat) by (apply Nat.pow_le_mono_r; lia).
  split; [lia|]. nia.
Qed.

(** All angles stay below pi. *)
Lemma angle_fits l k : (l < L)%nat -> (k <= T + 2 ^ l)%nat -> angle l * INR k <= PI.
Proof.
  intros Hl Hk. destruct (powers_fit l Hl) as [_ H]. pose proof K_pos as HK. pose proof PI_RGT_0.
  unfold angle. apply (Rmult_le_reg_r (INR K)); [exact HK|].
  replace (PI * INR (2 ^ l) / INR K * INR k * INR K) with (PI * (INR (2 ^ l) * INR k)) by (field; lra).
  apply Rmult_le_compat_l; [lra|]. rewrite <- mult_INR. apply le_INR. unfold NoPadsWeights.K.
  apply Nat.le_trans with (2 := H). now apply Nat.mul_le_mono_l.
Qed.

(** The score of a head that looks w tokens back. *)
Definition back (l w : nat) : mat :=
  fun r s => cos (angle l * IZR (Z.of_nat r - Z.of_nat s - Z.of_nat w)).

Theorem clean_attends l w r s : (l < L)%nat -> (w <= 2 ^ l)%nat -> (r < N)%nat -> (s < N)%nat ->
  hard N (back l w) r s = b2r (s =? r - w)%nat.
Proof.
  intros Hl Hw Hr Hs. apply hard_row; auto; [lia|]. intros k Hk Hne. unfold back.
  apply cos_farther; [apply angle_pos|lia|].
  apply Rle_trans with (angle l * INR (T + 2 ^ l)); [|apply angle_fits; auto].
  apply Rmult_le_compat_l; [left; apply angle_pos|]. rewrite INR_IZR_INZ. apply IZR_le. lia.
Qed.

(** ** What a token carries before layer l *)

Definition carry (l : nat) (M : mat) (r c : nat) : R :=
  if (c <? n2)%nat then vec M c else
  if (c <? 2 * n2)%nat then vec M (c - n2)%nat else
  if (c =? 2 * n2)%nat then cos (angle l * INR r) else sin (angle l * INR r).

Definition carries (l : nat) (X : mat) (M : nat -> mat) : Prop :=
  forall r c, (r < N)%nat -> (c < d)%nat -> X r c = carry l (M r) r c.

Lemma carries_cos l X M r : carries l X M -> (r < N)%nat -> X r (2 * n2)%nat = cos (angle l * INR r).
Proof.
  intros H Hr. rewrite H by (auto; unfold Model.d; lia). unfold carry. bool_cases; try lia; auto.
Qed.

Lemma carries_sin l X M r : carries l X M -> (r < N)%nat -> X r (2 * n2 + 1)%nat = sin (angle l * INR r).
Proof.
  intros H Hr. rewrite H by (auto; unfold Model.d; lia). unfold carry. bool_cases; try lia; auto.
Qed.

Lemma apply_below l X M B r q : carries l X M -> (r < N)%nat ->
  apply X (below n plain B) r q
  = cos (angle l * INR r) * value (B q 0%nat) + sin (angle l * INR r) * value (B q 1%nat).
Proof.
  intros HX Hr. rewrite (apply_last n alpha A 1 X plain 1) by (intros; unfold plain; ring).
  now rewrite (carries_cos l X M), (carries_sin l X M), Rmult_1_l.
Qed.

Lemma score_same l X M WV r s : carries l X M -> (r < N)%nat -> (s < N)%nat ->
  scores (Head (clean_query n) (key_same n) WV) X r s = back l 0 r s.
Proof.
  intros HX Hr Hs. unfold Model.scores, clean_query, key_same. cbn [cols below WQ WK sum].
  rewrite !(apply_below l X M) by auto. unfold identity. cbn. unfold back.
  rewrite Z.sub_0_r, minus_IZR, <- !INR_IZR_INZ, Rmult_minus_distr_l, cos_minus. ring.
Qed.

Lemma score_back l X M WV r s : carries l X M -> (r < N)%nat -> (s < N)%nat ->
  scores (Head (clean_query n) (key_back n T l) WV) X r s = back l (2 ^ l) r s.
Proof.
  intros HX Hr Hs. unfold Model.scores, clean_query, key_back. cbn [cols below WQ WK sum].
  rewrite !(apply_below l X M) by auto. unfold identity, turn. cbn [bit Nat.eqb Model.value].
  replace (PI * IZR (- (2 ^ Z.of_nat l * 2 ^ Z.of_nat l)) / IZR (Z.of_nat K))
    with (- (angle l * INR (2 ^ l))).
  2: { unfold angle. rewrite opp_IZR, mult_IZR, <- INR_IZR_INZ.
       replace (IZR (2 ^ Z.of_nat l)) with (INR (2 ^ l)).
       - pose proof K_pos. field. lra.
       - rewrite INR_IZR_INZ, Nat2Z.inj_pow. reflexivity. }
  rewrite cos_neg, sin_neg. unfold back.
  rewrite !minus_IZR, <- !INR_IZR_INZ.
  replace (angle l * (INR r - INR s - INR (2 ^ l)))
    with (angle l * INR r - (angle l * INR s + angle l * INR (2 ^ l))) by ring.
  rewrite cos_minus, cos_plus, sin_plus. ring.
Qed.

(** Hard attention copies the row of the attended token. *)
Lemma head_copies l X h w r c : (l < L)%nat -> (w <= 2 ^ l)%nat -> (r < N)%nat ->
  (forall s, (s < N)%nat -> scores h X r s = back l w r s) ->
  mmul N (hard N (scores h X)) X r c = X (r - w)%nat c.
Proof.
  intros Hl Hw Hr HS. unfold mmul.
  assert (HH : forall s, (s < N)%nat -> hard N (scores h X) r s = b2r (s =? r - w)%nat).
  { intros s Hs. rewrite (hard_local N (scores h X) (back l w) r) by auto.
    now apply clean_attends. }
  rewrite (sum_single N _ (r - w)%nat); [|lia|].
  - rewrite HH, Nat.eqb_refl by lia. simpl. ring.
  - intros s Hs Hne. rewrite HH by auto. solve01.
Qed.

Lemma apply_hold X from width r c : (c < d)%nat ->
  apply X (hold n from width) r c = if ((from <=? c) && (c <? from + width))%nat then X r c else 0.
Proof. apply apply_kept. Qed.

Lemma clean_attention l X M r c : (l < L)%nat -> carries l X M -> (r < N)%nat -> (c < d)%nat ->
  attention alpha A 1 (hard N) N (clean_layer_at n T l) X r c
  = if (c <? n2)%nat then X (r - 2 ^ l)%nat c else X r c.
Proof.
  intros Hl HX Hr Hc. unfold attention. cbn [clean_layer_at heads map WV WO].
  unfold Model.apply at 1. cbn [rows add_three]. unfold mmul at 1. unfold real. cbn [entry add_three].
  rewrite !sum_add.
  rewrite (sum_single d _ c) by (auto; intros p Hp Hne; rewrite value_bit; solve01).
  rewrite (sum_single d (fun p => _ * value (bit ((d + p =? c) || _ || _)%nat)) c)
    by (auto; intros p Hp Hne; rewrite value_bit; solve01).
  rewrite (sum_single d (fun p => _ * value (bit ((d + (d + p) =? c) || _ || _)%nat)) c)
    by (auto; intros p Hp Hne; rewrite value_bit; solve01).
  rewrite !value_bit, !Nat.eqb_refl, ?orb_true_r. cbn [orb b2r concat].
  change (cols (hold n 0 n2)) with d. change (cols (hold n n2 n2)) with d.
  change (cols (hold n (2 * n2) 2)) with d.
  destruct (Nat.ltb_spec c d); [|lia]. destruct (Nat.ltb_spec (d + c) d); [lia|].
  destruct (Nat.ltb_spec (d + (d + c)) d); [lia|].
  replace (d + c - d)%nat with c by lia. replace (d + (d + c) - d)%nat with (d + c)%nat by lia.
  destruct (Nat.ltb_spec c d); [|lia]. destruct (Nat.ltb_spec (d + c) d); [lia|].
  replace (d + c - d)%nat with c by lia. destruct (Nat.ltb_spec c d); [|lia].
  unfold run_head. cbn [WV]. rewrite !apply_hold by auto.
  pose proof (Nat.pow_nonzero 2 l).
  rewrite (head_copies l X _ (2 ^ l)) by (auto; intros; now apply (score_back l X M)).
  rewrite !(head_copies l X _ 0) by (auto; try lia; intros; now apply (score_same l X M)).
  rewrite Nat.sub_0_r. clear - Hc. unfold Model.d in Hc. bool_cases; cbn [andb]; try lia; ring.
Qed.

(** ** The bilinear block multiplies and doubles the angle *)

Lemma left_selected Y r q : (q < n2 + 2)%nat ->
  apply Y (select_left n) r q = Y r (if (q <? n2)%nat then q else n2 + q)%nat.
Proof.
  intro Hq. apply (apply_picked n); [reflexivity| |reflexivity].
  unfold Model.d. destruct (Nat.ltb_spec q n2); lia.
Qed.

Lemma right_selected Y r q : (q < n2 + 2)%nat -> apply Y (select_right n) r q = Y r (n2 + q)%nat.
Proof. intro Hq. apply (apply_picked n); [reflexivity|unfold Model.d; lia|reflexivity]. Qed.

Lemma clean_written Z r c : (c < d)%nat ->
  apply Z (clean_out n) r c = if (c <? n2)%nat then Z r c else Z r (c - n2)%nat.
Proof.
  intro Hc. unfold Model.apply, mmul, real. cbn [rows entry clean_out].
  unfold Model.d in Hc. destruct (Nat.ltb_spec c n2).
  - rewrite (sum_single (n2 + 2) _ c); [|lia|].
    + rewrite value_bit, Nat.eqb_refl. destruct (Nat.ltb_spec c n2); [|lia].
      rewrite orb_true_r. simpl. ring.
    + intros p Hp Hne. rewrite value_bit. bool_cases; cbn [orb andb b2r]; try lia; ring.
  - rewrite (sum_single (n2 + 2) _ (c - n2)%nat); [|lia|].
    + rewrite value_bit. destruct (Nat.eqb_spec c (n2 + (c - n2))); [|lia]. simpl. ring.
    + intros p Hp Hne. rewrite value_bit. bool_cases; cbn [orb andb b2r]; try lia; ring.
Qed.

Definition clean_block : bilinear :=
  Bilinear (select_left n) (select_right n) (clean_tensor n) (clean_out n).

Lemma contract_product (XL XR : mat) (P Q : mat) r c : (c < n2)%nat ->
  (forall v, (v < n2)%nat -> XL r v = vec P v) -> (forall v, (v < n2)%nat -> XR r v = vec Q v) ->
  contract alpha A 1 clean_block XL XR r c = vec (mmul n P Q) c.
Proof.
  intros Hc HP HQ. unfold contract, clean_block. cbn [WselL WselR tensor cols select_left select_right].
  rewrite <- (tensor_multiplies n alpha A 1 P Q c Hc).
  rewrite sum_add, (sum_zero 2).
  - rewrite Rplus_0_r. apply sum_ext. intros a Ha. rewrite sum_add, (sum_zero 2).
    + rewrite Rplus_0_r. apply sum_ext. intros b Hb. rewrite HP, HQ by auto.
      unfold clean_tensor. bool_cases; try lia. reflexivity.
    + intros b Hb. unfold clean_tensor. bool_cases; try lia. cbn [andb Model.value]. ring.
  - intros a Ha. apply sum_zero. intros b Hb. unfold clean_tensor.
    bool_cases; try lia; cbn [andb Model.value]; ring.
Qed.

Lemma contract_square (XL XR : mat) r c : (c < 2)%nat ->
  XL r n2 = XR r n2 -> XL r (n2 + 1)%nat = XR r (n2 + 1)%nat ->
  let x := XR r n2 in let y := XR r (n2 + 1)%nat in
  contract alpha A 1 clean_block XL XR r (n2 + c)%nat = if (c =? 0)%nat then x * x - y * y else 2 * x * y.
Proof.
  intros Hc H0 H1 x y. unfold contract, clean_block. cbn [WselL WselR tensor cols select_left select_right].
  assert (Ht : forall a b, value (clean_tensor n a b (n2 + c))
    = if ((n2 <=? a) && (n2 <=? b))%nat then value (complex_tensor (a - n2) (b - n2) c) else 0).
  { intros a b. unfold clean_tensor. destruct (Nat.ltb_spec (n2 + c) n2); [lia|].
    replace (n2 + c - n2)%nat with c by lia. destruct ((n2 <=? a) && (n2 <=? b))%nat; reflexivity. }
  rewrite sum_add, (sum_zero n2).
  2: { intros a Ha. apply sum_zero. intros b Hb. rewrite Ht.
       destruct (Nat.leb_spec n2 a); [lia|]. cbn [andb]. ring. }
  assert (Hin : forall a, sum (n2 + 2) (fun b => value (clean_tensor n (n2 + a) b (n2 + c))
      * XL r (n2 + a)%nat * XR r b)
    = value (complex_tensor a 0 c) * XL r (n2 + a)%nat * x
      + value (complex_tensor a 1 c) * XL r (n2 + a)%nat * y).
  { intro a. rewrite sum_add, (sum_zero n2).
    - cbn [sum]. rewrite !Ht. destruct (Nat.leb_spec n2 (n2 + a)); [|lia].
      destruct (Nat.leb_spec n2 (n2 + 0)); [|lia]. destruct (Nat.leb_spec n2 (n2 + 1)); [|lia].
      cbn [andb]. replace (n2 + a - n2)%nat with a by lia. replace (n2 + 0 - n2)%nat with 0%nat by lia.
      replace (n2 + 1 - n2)%nat with 1%nat by lia. rewrite Nat.add_0_r. fold x y. ring.
    - intros b Hb. rewrite Ht. destruct (Nat.leb_spec n2 b); [lia|]. rewrite andb_false_r. ring. }
  cbn [sum]. rewrite !Hin. rewrite Nat.add_0_r, H0, H1. fold x y.
  destruct c as [|[|c]]; [| |lia]; cbn [complex_tensor Nat.eqb Model.value]; ring.
Qed.

(** ** One layer *)

Theorem clean_layer l X M : (l < L)%nat -> carries l X M ->
  carries (S l) (run_layer alpha A 1 (hard N) N (Matrix (T + 1) d (fun _ _ => Zero)) X
                   (clean_layer_at n T l)) (clean_step n l M).
Proof.
  intros Hl HX r c Hr Hc. unfold run_layer.
  change (Model.feedforward (clean_layer_at n T l)) with clean_block.
  set (Y := attention alpha A 1 (hard N) N (clean_layer_at n T l) X).
  assert (HY : forall k, (k < d)%nat -> Y r k = if (k <? n2)%nat then X (r - 2 ^ l)%nat k else X r k)
    by (intros k Hk; now apply (clean_attention l X M)).
  unfold real. cbn [entry Model.value]. rewrite Rplus_0_r.
  unfold run_bilinear. change (Model.Wout clean_block) with (clean_out n).
  rewrite clean_written by exact Hc.
  change (WselL clean_block) with (select_left n). change (WselR clean_block) with (select_right n).
  set (XL := apply Y (select_left n)). set (XR := apply Y (select_right n)).
  assert (HXL : forall v, (v < n2)%nat -> XL r v = vec (M (r - 2 ^ l)%nat) v).
  { intros v Hv. unfold XL. rewrite left_selected by lia. destruct (Nat.ltb_spec v n2); [|lia].
    rewrite HY by (unfold Model.d; lia). destruct (Nat.ltb_spec v n2); [|lia].
    rewrite HX by (unfold Model.d; lia). unfold carry. destruct (Nat.ltb_spec v n2); [reflexivity|lia]. }
  assert (HXR : forall v, (v < n2)%nat -> XR r v = vec (M r) v).
  { intros v Hv. unfold XR. rewrite right_selected by lia. rewrite HY by (unfold Model.d; lia).
    destruct (Nat.ltb_spec (n2 + v) n2); [lia|]. rewrite HX by (auto; unfold Model.d; lia).
    unfold carry. bool_cases; try lia. now replace (n2 + v - n2)%nat with v by lia. }
  assert (HP : forall k, (k < 2)%nat -> XL r (n2 + k)%nat = X r (2 * n2 + k)%nat
                                        /\ XR r (n2 + k)%nat = X r (2 * n2 + k)%nat).
  { intros k Hk. unfold XL, XR. rewrite left_selected, right_selected by lia.
    destruct (Nat.ltb_spec (n2 + k) n2); [lia|]. rewrite HY by (unfold Model.d; lia).
    destruct (Nat.ltb_spec (n2 + (n2 + k)) n2); [lia|].
    replace (n2 + (n2 + k))%nat with (2 * n2 + k)%nat by lia. auto. }
  destruct (HP 0%nat ltac:(lia)) as [PL0 PR0]. destruct (HP 1%nat ltac:(lia)) as [PL1 PR1].
  rewrite !Nat.add_0_r in *.
  rewrite (carries_cos l X M) in PL0, PR0 by auto. rewrite (carries_sin l X M) in PL1, PR1 by auto.
  unfold carry. destruct (Nat.ltb_spec c n2).
  - now apply contract_product.
  - destruct (Nat.ltb_spec c (2 * n2)).
    + apply contract_product; auto. lia.
    + unfold Model.d in Hc. replace (c - n2)%nat with (n2 + (c - 2 * n2))%nat by lia.
      rewrite contract_square; [|lia|congruence|congruence]. rewrite PR0, PR1.
      rewrite angle_double.
      replace (2 * angle l * INR r) with (2 * (angle l * INR r)) by ring.
      destruct (Nat.eqb_spec (c - 2 * n2) 0); destruct (Nat.eqb_spec c (2 * n2)); try lia.
      * rewrite cos_2a. ring.
      * rewrite sin_2a. ring.
Qed.

(** ** All layers *)

Lemma embedding_carries : carries 0 (real alpha A 1 (clean_embedding n T m)) token.
Proof.
  intros r c Hr Hc. unfold real, carry, clean_embedding, clean_token, NoPadsWeights.token, Attention.vec, I, identity.
  cbn [entry].
  assert (Ea : forall z, PI * IZR (Z.of_nat z) / IZR (Z.of_nat K) = angle 0 * INR z).
  { intro z. unfold angle. rewrite <- !INR_IZR_INZ. pose proof K_pos. simpl (INR (2 ^ 0)). field. lra. }
  destruct (Nat.ltb_spec c n2); [|destruct (Nat.ltb_spec c (2 * n2))].
  - destruct r as [|r]; [apply value_bit|reflexivity].
  - destruct r as [|r]; [apply value_bit|reflexivity].
  - unfold clean_position. unfold Model.d in Hc. destruct (Nat.eqb_spec c (2 * n2)).
    + cbn [Model.value]. now rewrite Ea.
    + destruct (Nat.eqb_spec c (2 * n2 + 1)); [|lia]. cbn [Model.value]. now rewrite Ea.
Qed.

Theorem clean_carries l : (l <= L)%nat ->
  carries l (run_layers alpha A 1 (hard N) N (Matrix (T + 1) d (fun _ _ => Zero))
               (map (clean_layer_at n T) (seq 0 l)) (real alpha A 1 (clean_embedding n T m)))
          (spanned l).
Proof.
  induction l as [|l IH]; intro Hl; [apply embedding_carries|].
  rewrite seq_S, map_app. unfold run_layers. rewrite fold_left_app. cbn [map fold_left NoPadsWeights.spanned].
  apply clean_layer; [lia|]. apply IH. lia.
Qed.

Lemma clean_output r j : (r < N)%nat -> (j < n)%nat ->
  forward alpha A 1 (hard N) N (clean n T) (real alpha A 1 (clean_embedding n T m)) r j
  = sum n (fun i => alpha i * spanned L r i j).
Proof.
  intros Hr Hj. unfold forward, clean. cbn [encoding layers Wreadout].
  apply (readout_reads n); [exact Hj|]. intros v Hv.
  rewrite (clean_carries L (Nat.le_refl L) r (n2 + v)%nat) by (auto; unfold Model.d; lia).
  unfold carry. bool_cases; try lia. f_equal. lia.
Qed.
End Layers.
