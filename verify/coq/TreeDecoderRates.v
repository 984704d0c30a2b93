(** * How large C must be for the tree decoder

    Beyond the paper. Let K bound all that the tree decoder with hard attention holds, before and after
    attention, in every layer on every tree with |str(t)| <= T ([held]). With A the sizes of what its heads
    copy, Q those of its scores and B those of its blocks' weights, finite sums over the weights, and

        G = (1 + A) (1 + (2 K + 1) B)     how much a layer enlarges errors
        m = 1 + 4 (2 K + 1) Q + 1 / eps

    the decoder with 2 + k layers and softmax is within eps of every state that it holds, for every C with
    exp(C/2) >= 2 K (T + 1) L G^L m, L = 2 + k: C >= 2 ln(2 K (T + 1) L G^L m). Products are exact, so
    only the leak counts.

    Main definitions: [held], [copied], [scored_by], [blocks_weigh], [enough_C].
    Main theorems:    [course_off], [tree_decoder_rate]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Trees Pebbling Theorem3 Softmax DecoderModel TreeDecoderModel DecoderForms.
From Assay Require Import TreeDecoderBlocks TreeDecoderEnds TreeDecoderSteps TreeDecoder TreeDecoderForms.
From Assay Require Import DecoderBudget.
Import ListNotations.
Open Scope R_scope.

Section Tree.
Context (n q T : nat) (e0 : setting).
Hypothesis n_1 : (1 <= n)%nat.
Hypothesis act_odd : forall y, act e0 y - act e0 (- y) = y.
Hypothesis act_1 : act e0 1 <> 0.
Variable t : tree nat.
Hypothesis fits : (length (str t) <= T)%nat.
Hypothesis letters : letters_below q (str t).
Local Notation N := (S (length (str t))).
Local Notation width := (TreeDecoderModel.width n).
Local Notation hw := (head_width n).
Local Notation hard := (run_layer (at_C e0 1) averaged N).
Local Notation soft C := (run_layer (at_C e0 C) softmax N).

(** ** The exact decoder holds nothing larger than K *)

Definition within (K : R) (X : mat) : Prop :=
  forall i k, (i < N)%nat -> (k < width)%nat -> Rabs (X i k) <= K.

Fixpoint held (K : R) (lys : list layer) (X : mat) : Prop :=
  match lys with
  | [] => True
  | ly :: rest => within K X /\ within K (after_attention (at_C e0 1) averaged N X ly)
                  /\ held K rest (hard X ly)
  end.

(** ** The weights of the four kinds of layers *)

Definition all_forms : list head_form := forms_first n ++ forms_match n T ++ forms_jump n T.
Definition copied : R := lsum copies_size all_forms.
Definition scored_by : R := lsum score_size all_forms.
Definition blocks_weigh : R :=
  block_size (at_C e0 1) (first_products n) (first_linears n)
  + block_size (at_C e0 1) (second_products n) []
  + block_size (at_C e0 1) (step_products n) (match_linears n)
  + block_size (at_C e0 1) (step_products n ++ jump_products n) (jump_linears n).

Definition light Fs P (L : list (zform * form)) : Prop :=
  (forall F, In F Fs -> score_size F <= scored_by) /\ lsum copies_size Fs <= copied /\
  block_size (at_C e0 1) P L <= blocks_weigh.

Lemma score_size_pos F : 0 <= score_size F.
Proof.
  apply Rplus_le_le_0_compat; apply Rmult_le_pos; apply zsize_pos.
Qed.

Lemma block_size_pos P L : 0 <= block_size (at_C e0 1) P L.
Proof.
  apply Rplus_le_le_0_compat; apply lsum_pos; intro u; repeat apply Rmult_le_pos;
    auto using zsize_pos, share_size_pos.
Qed.

Lemma term_below {X : Type} (f : X -> R) l x : (forall y, 0 <= f y) -> In x l -> f x <= lsum f l.
Proof.
  intros H. induction l as [|y l IH]; intros []; cbn [lsum].
  - subst. pose proof (lsum_pos f l H). lra.
  - pose proof (IH H0). pose proof (H y). lra.
Qed.

Lemma all_light : light (forms_first n) (first_products n) (first_linears n) /\
  light [] (second_products n) [] /\ light (forms_match n T) (step_products n) (match_linears n) /\
  light (forms_jump n T) (step_products n ++ jump_products n) (jump_linears n).
Proof.
  pose proof (block_size_pos (first_products n) (first_linears n)).
  pose proof (block_size_pos (second_products n) []).
  pose proof (block_size_pos (step_products n) (match_linears n)).
  pose proof (block_size_pos (step_products n ++ jump_products n) (jump_linears n)).
  pose proof (lsum_pos copies_size (forms_first n) copies_size_pos).
  pose proof (lsum_pos copies_size (forms_match n T) copies_size_pos).
  pose proof (lsum_pos copies_size (forms_jump n T) copies_size_pos).
  unfold light, copied, scored_by, blocks_weigh, all_forms. rewrite !lsum_app. cbn [lsum].
  assert (S : forall F, In F (forms_first n ++ forms_match n T ++ forms_jump n T) ->
    score_size F <= lsum score_size (forms_first n) + (lsum score_size (forms_match n T)
                    + lsum score_size (forms_jump n T))).
  { intros F HF. rewrite <- !lsum_app. now apply term_below; [apply score_size_pos|]. }
  repeat split; try lra; intros F HF; try (destruct HF; fail);
    apply S; rewrite !in_app_iff; auto.
Qed.

(** ** All layers *)

Variable C K : R.
Hypothesis C_pos : 0 <= C.
Hypothesis K_pos : 0 <= K.
Local Notation G := ((1 + copied) * (1 + (2 * K + 1) * blocks_weigh)).
Local Notation a := (2 * K * ((INR T + 1) * exp (- (C / 2)))).

Lemma weights_pos : 0 <= copied /\ 0 <= blocks_weigh /\ 1 <= G /\ 1 + copied <= G /\ 0 <= a.
Proof.
  assert (H1 : 0 <= copied) by apply lsum_pos, copies_size_pos.
  assert (H2 : 0 <= blocks_weigh).
  { destruct all_light as ((_ & _ & B) & _).
    pose proof (block_size_pos (first_products n) (first_linears n)). lra. }
  assert (H3 : 0 <= (2 * K + 1) * blocks_weigh) by (apply Rmult_le_pos; lra).
  assert (H4 : (1 + copied) * 1 <= G) by (apply Rmult_le_compat_l; lra).
  pose proof (pos_INR T). pose proof (exp_pos (- (C / 2))).
  repeat split; try lra. repeat apply Rmult_le_pos; lra.
Qed.

Definition near_by (rho : R) (X' X : mat) : Prop :=
  (forall i k, (i < N)%nat -> (k < width)%nat -> Rabs (X' i k - X i k) <= rho) /\
  (forall i, (i < N)%nat -> X' i 0%nat = 1) /\ (forall i, (i < N)%nat -> X i 0%nat = 1).

Lemma near_layer X' X Fs P L rho : near_by rho X' X -> 0 <= rho ->
  light Fs P L -> sound n t X Fs P L -> within K X ->
  within K (after_attention (at_C e0 1) averaged N X (made_layer width hw Fs P L)) ->
  G * (rho + a) <= 1 -> rho * (2 * K + 1) * scored_by <= 1 / 4 ->
  near_by (G * (rho + a)) (soft C X' (made_layer width hw Fs P L)) (hard X (made_layer width hw Fs P L)).
Proof.
  intros (H1 & H2 & H3) Hr (LQ & LA & LB) (HF & HD & HP & HL & HPf & HLf) HX HY HG HQ.
  destruct weights_pos as (W1 & W2 & W3 & W4 & W5).
  pose proof (hw_2 n) as Hw. pose proof (width_pos n) as Hd.
  assert (HPf' : forall u p, In u P -> In p (snd u) -> free (snd p) = true /\ fst p <> 0%nat)
    by (intros u p Hu Hp; now apply (HPf u)).
  assert (HLf' : forall u p, In u L -> In p (snd u) -> free (snd p) = true /\ fst p <> 0%nat)
    by (intros u p Hu Hp; now apply (HLf u)).
  assert (Ha : 2 * K * (INR N * exp (- (C / 2))) <= a).
  { apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; [left; apply exp_pos|].
    rewrite <- S_INR. apply le_INR. lia. }
  assert (Ha0 : 0 <= 2 * K * (INR N * exp (- (C / 2)))).
  { pose proof (pos_INR N). pose proof (exp_pos (- (C / 2))). repeat apply Rmult_le_pos; lra. }
  assert (Hd1 : (1 + copied) * (rho + 2 * K * (INR N * exp (- (C / 2)))) <= 1).
  { eapply Rle_trans; [|exact HG]. apply Rmult_le_compat; lra. }
  assert (Hr1 : rho <= 1).
  { apply Rle_trans with (1 * (rho + a)); [lra|]. eapply Rle_trans; [|exact HG].
    apply Rmult_le_compat_r; lra. }
  split; [|split].
  - intros i k Hi Hk. eapply Rle_trans.
    + apply (layer_off width hw N e0 C Hw Hd act_odd act_1 C_pos X' X K rho K_pos (conj Hr Hr1) H1 HX
        Fs P L copied blocks_weigh scored_by); auto.
    + apply Rmult_le_compat_l; lra.
  - intros i Hi. apply (layer_one width hw N e0); auto.
  - intros i Hi. apply (layer_one width hw N e0); auto.
Qed.

(** After j layers errors are at most j G^j a, as long as that is small. *)
Theorem course_off lys X : course n e0 t light lys X -> forall j X',
  held K lys X -> near_by (INR j * G ^ j * a) X' X ->
  let bound := INR (j + length lys) * G ^ (j + length lys) * a in
  bound <= 1 -> bound * ((2 * K + 1) * scored_by) <= 1 / 4 ->
  near_by bound (fold_left (soft C) lys X') (fold_left hard lys X).
Proof.
  destruct weights_pos as (W1 & W2 & W3 & W4 & W5).
  assert (Q0 : 0 <= (2 * K + 1) * scored_by).
  { apply Rmult_le_pos; [lra|apply lsum_pos, score_size_pos]. }
  induction 1 as [X|Fs P L lys X HL HS _ IH]; intros j X' Hh Hn bound Hb HQ.
  { unfold bound. cbn [length fold_left]. now rewrite Nat.add_0_r. }
  cbn [fold_left]. destruct Hh as (B1 & B2 & B3).
  set (rho := INR j * G ^ j * a) in *.
  assert (Hj : 0 <= INR j) by apply pos_INR.
  assert (Gj : 1 <= G ^ j) by now apply pow_R1_Rle.
  assert (R0 : 0 <= rho) by (unfold rho; apply Rmult_le_pos; [apply Rmult_le_pos; lra|exact W5]).
  assert (Step : G * (rho + a) <= INR (S j) * G ^ S j * a).
  { rewrite S_INR. cbn [pow]. replace ((INR j + 1) * (G * G ^ j) * a) with (G * (rho + G ^ j * a))
      by (unfold rho; ring). apply Rmult_le_compat_l; [lra|]. apply Rplus_le_compat_l.
    rewrite <- (Rmult_1_l a) at 1. apply Rmult_le_compat_r; lra. }
  assert (Mono : INR (S j) * G ^ S j * a <= bound).
  { unfold bound. cbn [length]. apply Rmult_le_compat_r; [exact W5|].
    apply Rmult_le_compat; [apply pos_INR|apply pow_le; lra|apply le_INR; lia|].
    apply Rle_pow; [exact W3|lia]. }
  assert (Rb : rho <= bound).
  { apply Rle_trans with (G * (rho + a)); [|lra].
    apply Rle_trans with (1 * (rho + a)); [lra|apply Rmult_le_compat_r; lra]. }
  assert (HN : near_by (G * (rho + a)) (soft C X' (made_layer width hw Fs P L))
                 (hard X (made_layer width hw Fs P L))).
  { apply near_layer; auto; [lra|]. rewrite Rmult_assoc.
    apply Rle_trans with (bound * ((2 * K + 1) * scored_by)); [|exact HQ].
    apply Rmult_le_compat_r; assumption. }
  assert (E : (j + length (made_layer width hw Fs P L :: lys) = S j + length lys)%nat) by (cbn [length]; lia).
  unfold bound in *. rewrite E in *. apply IH; auto.
  destruct HN as (N1 & N2 & N3). split; [|split; assumption].
  intros i k Hi Hk. eapply Rle_trans; [now apply N1|exact Step].
Qed.
End Tree.

(** ** The theorem *)

(** C >= 2 ln(2 K (T + 1) L G^L m). *)
Definition enough_C (n T steps : nat) (e : setting) (K eps C : R) : Prop :=
  let G := (1 + copied n T) * (1 + (2 * K + 1) * blocks_weigh n e) in
  let m := 1 + 4 * ((2 * K + 1) * scored_by n T) + / eps in
  let L := (2 + steps)%nat in
  0 <= C /\ 2 * K * (INR T + 1) * (INR L * G ^ L * m) <= exp (C / 2).

Theorem tree_decoder_rate n q T k leaf tensor act K eps C : (1 <= n)%nat ->
  (forall y, act y - act (- y) = y) -> act 1 <> 0 -> 0 < eps -> 0 <= K ->
  let model := tree_decoder n q T (S k) in
  let e := tree_weights_for leaf tensor 1 act in
  let tokens t := (q + 2)%nat :: map (code q) (str t) in
  (forall t, (length (str t) <= T)%nat -> letters_below q (str t) ->
     held n e t K (layers model) (embedded e model (tokens t))) ->
  enough_C n T (S k) e K eps C ->
  forall t : tree nat, (length (str t) <= T)%nat -> letters_below q (str t) ->
  forall i v, ends (str t) i v -> (leaves v + 1 < padovan (S k + 4))%nat -> forall a, (a < n)%nat ->
  Rabs (forward (tree_weights_for leaf tensor C act) softmax model (tokens t) i a
        - mu n leaf tensor v a) < eps.
Proof.
  intros Hn Hodd H1 He HK model e tokens Hheld (HC & Henough) t Ht Hlet i v Hv Hl b Hb.
  rewrite <- (tree_decoder_exact n q T k leaf tensor 1 act Hn ltac:(lra) Hodd H1 t Ht Hlet i v Hv Hl b Hb).
  pose proof (ends_range _ _ _ Hv) as Hi.
  destruct (weights_pos n T e C K HK) as (W1 & W2 & W3 & W4 & W5).
  set (G := (1 + copied n T) * (1 + (2 * K + 1) * blocks_weigh n e)) in *.
  set (Q := (2 * K + 1) * scored_by n T) in *.
  assert (Q0 : 0 <= Q).
  { apply Rmult_le_pos; [lra|apply lsum_pos, score_size_pos]. }
  assert (Hinv : 0 < / eps) by now apply Rinv_0_lt_compat.
  set (m := 1 + 4 * Q + / eps) in *. set (L := (2 + S k)%nat) in *.
  set (bound := INR L * G ^ L * (2 * K * ((INR T + 1) * exp (- (C / 2))))).
  assert (Bm : bound * m <= 1).
  { assert (E : exp (C / 2) * exp (- (C / 2)) = 1)
      by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
    replace (bound * m) with (2 * K * (INR T + 1) * (INR L * G ^ L * m) * exp (- (C / 2)))
      by (unfold bound; ring).
    apply Rle_trans with (exp (C / 2) * exp (- (C / 2))); [|lra].
    apply Rmult_le_compat_r; [left; apply exp_pos|exact Henough]. }
  assert (B0 : 0 <= bound).
  { unfold bound. apply Rmult_le_pos; [|exact W5].
    apply Rmult_le_pos; [apply pos_INR|apply pow_le; lra]. }
  assert (B : forall x, x <= m -> bound * x <= 1).
  { intros x Hx. eapply Rle_trans; [|exact Bm]. now apply Rmult_le_compat_l. }
  assert (B1 : bound <= 1) by (rewrite <- (Rmult_1_r bound); apply B; unfold m; lra).
  assert (B2 : bound * Q <= 1 / 4).
  { pose proof (B (4 * Q) ltac:(unfold m; lra)). lra. }
  assert (B3 : bound < eps).
  { assert (G1 : bound * (1 + / eps) <= 1) by (apply B; unfold m; lra).
    apply (Rmult_lt_reg_r (/ eps)); [exact Hinv|]. rewrite Rinv_r by lra.
    destruct (Rle_lt_or_eq_dec 0 bound B0) as [Hp| <-]; [|lra]. lra. }
  destruct (all_light n T e) as (L1 & L2 & L3 & L4).
  pose proof (tree_course n q T e Hn Hodd H1 t Ht Hlet (light n T e) L1 L2 L3 L4 k) as HCr.
  assert (Hlen : length (layers model) = L).
  { destruct (tree_sizes n q T (S k)) as (S1 & _). exact S1. }
  pose proof (course_off n T e Hn Hodd H1 t Ht C K HC HK _ _ HCr 0
    (embedded (at_C e C) model (tokens t)) (Hheld t Ht Hlet)) as F.
  cbv zeta in F. rewrite Nat.add_0_l in F. change (layers (tree_decoder n q T (S k))) with (layers model) in F.
  rewrite Hlen in F. fold G in F. fold bound in F. fold Q in F.
  destruct F as (F1 & _ & _).
  { split; [|split].
    - intros i' m' Hi' Hm'. rewrite (embedded_same n q T e t k C). cbn [INR].
      rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
    - intros i' Hi'. rewrite (embedded_same n q T e t k C). now apply embedded_one.
    - intros i' Hi'. now apply embedded_one. }
  { exact B1. }
  { exact B2. }
  assert (El : length (tokens t) = S (length (str t))) by (unfold tokens; cbn [length]; now rewrite map_length).
  assert (E : forall c filter, forward (at_C e c) filter model (tokens t) i b
    = stream (at_C e c) filter (S (length (str t))) model (tokens t) i (p_b n + b)%nat).
  { intros c filter. unfold forward, readout, shifted. rewrite El. cbn [model tree_decoder W_U b_U amount].
    rewrite columns_read by (intros x [<-|[]]; exact (place_below n (P_b b) Hb)).
    unfold reads. cbn [lsum fst snd amount]. ring. }
  change (tree_weights_for leaf tensor C act) with (at_C e C).
  change (tree_weights_for leaf tensor 1 act) with (at_C e 1). rewrite !E.
  eapply Rle_lt_trans; [apply F1; [lia|exact (place_below n (P_b b) Hb)]|exact B3].
Qed.
