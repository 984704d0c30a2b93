(** * What a layer of a decoder made of whole forms does to errors

    Beyond the paper. A layer made by [make_head] and [make_block] (TreeDecoderModel.v), with softmax of
    scores times C on tokens that are off by at most rho, against the same layer with hard attention on
    the exact tokens, which are at most K in size before and after attention. If every row of every head
    has one top, by at least 1, or there is no query, and rho is small, the tokens after the layer are
    off by at most G (rho + a), where a = 2 K N exp(-C/2) for N tokens, and
    G = (1 + A) (1 + (2 K + 1) B) comes from A, the sizes of what the heads copy, and B, the sizes of the
    weights of the block. Products are exact: only the leak counts.

    Main definitions: [zsize], [score_size], [copies_size], [block_size].
    Main theorems:    [layer_off]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Theorem1 Softmax DecoderModel TreeDecoderModel DecoderForms.
From Assay Require TreeModel TreeContinuity TreeRecursion TreeSoft Pass.
Import ListNotations.
Open Scope R_scope.

(** ** Sizes *)

Definition zsize (f : zform) : R := lsum (fun q => Rabs (IZR (snd q))) f.
Definition score_size (F : head_form) : R :=
  zsize (h_q0 F) * zsize (h_k0 F) + zsize (h_q1 F) * zsize (h_k1 F).
Definition copies_size (F : head_form) : R := lsum (fun r => zsize (fst r)) (h_copies F).
Definition share_size (e : setting) (f : form) : R := lsum (fun p => Rabs (amount e (snd p))) f.
Definition block_size (e : setting) (P : list (zform * zform * form)) (L : list (zform * form)) : R :=
  lsum (fun u => zsize (fst (fst u)) * zsize (snd (fst u)) * share_size e (snd u)) P
  + lsum (fun u => zsize (fst u) * share_size e (snd u)) L.

Lemma lsum_off {X : Type} (f g h : X -> R) l : (forall x, In x l -> Rabs (f x - g x) <= h x) ->
  Rabs (lsum f l - lsum g l) <= lsum h l.
Proof.
  induction l as [|x l IH]; intro H; cbn [lsum].
  - rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - replace (f x + lsum f l - (g x + lsum g l)) with (f x - g x + (lsum f l - lsum g l)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. pose proof (H x (or_introl eq_refl)).
    pose proof (IH (fun y Hy => H y (or_intror Hy))). lra.
Qed.

Lemma lsum_size {X : Type} (f h : X -> R) l : (forall x, In x l -> Rabs (f x) <= h x) ->
  Rabs (lsum f l) <= lsum h l.
Proof.
  intro H. pose proof (lsum_off f (fun _ => 0) h l) as G. rewrite (lsum_zero (fun _ => 0)) in G by auto.
  rewrite Rminus_0_r in G. apply G. intros x Hx. rewrite Rminus_0_r. auto.
Qed.

Lemma lsum_times {X : Type} (f : X -> R) c l : lsum (fun x => f x * c) l = lsum f l * c.
Proof. induction l as [|x l IH]; cbn [lsum]; [ring|]. rewrite IH. ring. Qed.

Lemma lsum_pos {X : Type} (f : X -> R) l : (forall x, 0 <= f x) -> 0 <= lsum f l.
Proof. intro H. induction l as [|x l IH]; cbn [lsum]; [lra|]. pose proof (H x). lra. Qed.

Lemma zsize_pos f : 0 <= zsize f.
Proof. apply lsum_pos. intros; apply Rabs_pos. Qed.

Lemma share_size_pos e f : 0 <= share_size e f.
Proof. apply lsum_pos. intros; apply Rabs_pos. Qed.

Lemma copies_size_pos F : 0 <= copies_size F.
Proof. apply lsum_pos. intros; apply zsize_pos. Qed.

Lemma zreads_off d x y f rho : zbelow d f -> (forall p, (p < d)%nat -> Rabs (x p - y p) <= rho) ->
  Rabs (zreads x f - zreads y f) <= rho * zsize f.
Proof.
  intros Hf H. unfold zsize. rewrite Rmult_comm, <- lsum_times. apply lsum_off. intros q Hq.
  rewrite <- Rmult_minus_distr_r, Rabs_mult, Rmult_comm.
  apply Rmult_le_compat_l; [apply Rabs_pos|apply H, Hf, Hq].
Qed.

Lemma zreads_size d y f K : zbelow d f -> (forall p, (p < d)%nat -> Rabs (y p) <= K) ->
  Rabs (zreads y f) <= K * zsize f.
Proof.
  intros Hf H. unfold zsize. rewrite Rmult_comm, <- lsum_times. apply lsum_size. intros q Hq.
  rewrite Rabs_mult, Rmult_comm. apply Rmult_le_compat_l; [apply Rabs_pos|apply H, Hf, Hq].
Qed.

Lemma share_bound e f k : Rabs (share e f k) <= share_size e f.
Proof.
  apply lsum_size. intros p _. destruct (k =? fst p)%nat; [lra|]. rewrite Rabs_R0. apply Rabs_pos.
Qed.

(** ** One layer *)

Section Layer.
Context (d width N : nat) (e : setting) (c : R).
Hypothesis width_2 : (2 <= width)%nat.
Hypothesis d_pos : (0 < d)%nat.
Hypothesis act_odd : forall y, act e y - act e (- y) = y.
Hypothesis act_1 : act e 1 <> 0.
Hypothesis c_pos : 0 <= c.

Context (X' X : mat) (K rho : R).
Hypothesis K_pos : 0 <= K.
Hypothesis rho_1 : 0 <= rho <= 1.
Hypothesis close : forall i k, (i < N)%nat -> (k < d)%nat -> Rabs (X' i k - X i k) <= rho.
Hypothesis sizes : forall i k, (i < N)%nat -> (k < d)%nat -> Rabs (X i k) <= K.
Local Notation a := (2 * K * (INR N * exp (- (c / 2)))).

Lemma a_pos : 0 <= a.
Proof.
  pose proof (pos_INR N). pose proof (exp_pos (- (c / 2))). repeat apply Rmult_le_pos; lra.
Qed.

Lemma score_off F i j : head_fits d width F -> (i < N)%nat -> (j < N)%nat ->
  Rabs (score_1 F X' i j - score_1 F X i j) <= rho * (2 * K + 1) * score_size F.
Proof.
  intros (H0 & H1 & H2 & H3 & _) Hi Hj. unfold score_1, score_size.
  assert (P : forall f g, zbelow d f -> zbelow d g ->
    Rabs (zreads (X' i) f * zreads (X' j) g - zreads (X i) f * zreads (X j) g)
    <= rho * (2 * K + 1) * (zsize f * zsize g)).
  { intros f g Hf Hg. apply TreeContinuity.product_off; auto using zsize_pos;
      first [apply (zreads_off d)|apply (zreads_size d)]; auto. }
  pose proof (P _ _ H0 H2). pose proof (P _ _ H1 H3).
  replace (zreads (X' i) (h_q0 F) * zreads (X' j) (h_k0 F) + zreads (X' i) (h_q1 F) * zreads (X' j) (h_k1 F)
    - (zreads (X i) (h_q0 F) * zreads (X j) (h_k0 F) + zreads (X i) (h_q1 F) * zreads (X j) (h_k1 F)))
    with ((zreads (X' i) (h_q0 F) * zreads (X' j) (h_k0 F) - zreads (X i) (h_q0 F) * zreads (X j) (h_k0 F))
    + (zreads (X' i) (h_q1 F) * zreads (X' j) (h_k1 F) - zreads (X i) (h_q1 F) * zreads (X j) (h_k1 F))) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.

Lemma head_off F i k : head_fits d width F -> decided N F X ->
  rho * (2 * K + 1) * score_size F <= 1 / 4 -> (i < N)%nat ->
  Rabs (attend (at_C e c) softmax N X' (made_head d width F) i k
        - attend (at_C e 1) averaged N X (made_head d width F) i k) <= copies_size F * (rho + a).
Proof.
  intros HF Hdec Hs Hi. pose proof HF as (H0 & H1 & H2 & H3 & Hlen & Hcop).
  assert (Hb : forall r, In r (h_copies F) -> zbelow d (fst r)) by (intros r Hr; now apply Hcop).
  unfold made_head. rewrite !head_adds by auto. unfold copies_size. rewrite <- lsum_times.
  apply lsum_off. intros r Hr. pose proof (Hb r Hr) as Hf. pose proof a_pos as Ha.
  pose proof (zsize_pos (fst r)) as Hz.
  assert (E : forall c' Y m, scores (at_C e c') (make_head d width (h_q0 F) (h_q1 F) (h_k0 F) (h_k1 F) (h_copies F)) Y i m
    = c' * score_1 F Y i m) by (intros; rewrite head_score by auto; reflexivity).
  set (H := make_head d width (h_q0 F) (h_q1 F) (h_k0 F) (h_k1 F) (h_copies F)) in *.
  destruct (k =? snd r)%nat.
  2: { rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. apply Rmult_le_pos; lra. }
  assert (Z : forall j, (j < i + 1)%nat -> Rabs (zreads (X' j) (fst r) - zreads (X j) (fst r)) <= rho * zsize (fst r)).
  { intros j Hj. apply (zreads_off d); auto. intros p Hp. apply close; auto. lia. }
  destruct Hdec as [[E0 E1]|Htop].
  - assert (Ez : forall Y m, score_1 F Y i m = 0)
      by (intros Y m; unfold score_1; rewrite E0, E1; unfold zreads; cbn [lsum]; ring).
    assert (Es : forall j, (j < i + 1)%nat -> softmax (i + 1) (scores (at_C e c) H X') i j = / INR (i + 1)).
    { intros j Hj. unfold softmax. rewrite E, Ez, Rmult_0_r, exp_0.
      rewrite (sum_ext (i + 1) _ (fun _ => 1)) by (intros m Hm; now rewrite E, Ez, Rmult_0_r, exp_0).
      rewrite sum_const, Rmult_1_r. unfold Rdiv. ring. }
    assert (Hn : 0 < INR (i + 1)) by (apply lt_0_INR; lia).
    rewrite (sum_ext (i + 1) (fun j => softmax (i + 1) (scores (at_C e c) H X') i j * zreads (X' j) (fst r))
      (fun j => / INR (i + 1) * zreads (X' j) (fst r))) by (intros j Hj; now rewrite Es).
    rewrite (sum_ext (i + 1) (fun j => averaged (i + 1) (scores (at_C e 1) H X) i j * zreads (X j) (fst r))
      (fun j => / INR (i + 1) * zreads (X j) (fst r)))
      by (intros j Hj; rewrite averaged_flat; [reflexivity|intros; now rewrite !E, !Ez|exact Hj]).
    rewrite <- sum_minus. eapply Rle_trans; [apply sum_abs|].
    apply Rle_trans with (sum (i + 1) (fun _ => / INR (i + 1) * (rho * zsize (fst r)))).
    + apply sum_le. intros j Hj. rewrite <- Rmult_minus_distr_l, Rabs_mult.
      rewrite (Rabs_pos_eq (/ _)) by (left; now apply Rinv_0_lt_compat).
      apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|now apply Z].
    + rewrite sum_const, <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
      rewrite (Rmult_comm rho). apply Rmult_le_compat_l; lra.
  - destruct (Htop i Hi) as (t & Ht & Hmax).
    rewrite (sum_ext (i + 1) (fun j => averaged (i + 1) (scores (at_C e 1) H X) i j * zreads (X j) (fst r))
      (fun j => b2r (j =? t)%nat * zreads (X j) (fst r))).
    2: { intros j Hj. rewrite (averaged_top (i + 1) _ i t); [reflexivity|lia| |exact Hj].
         intros m Hm Hne. rewrite !E, !Rmult_1_l. pose proof (Hmax m ltac:(lia) Hne). lra. }
    rewrite (sum_single (i + 1) (fun j => b2r (j =? t)%nat * zreads (X j) (fst r)) t ltac:(lia)).
    2: { intros j Hj Hne. apply Nat.eqb_neq in Hne. rewrite Hne. cbn [b2r]. ring. }
    rewrite Nat.eqb_refl. cbn [b2r]. rewrite Rmult_1_l.
    assert (Hn : TreeRecursion.near (i + 1) (INR N * exp (- (c / 2)))
                   (softmax (i + 1) (scores (at_C e c) H X') i) t).
    { rewrite Pass.softmax_everywhere.
      apply (TreeRecursion.near_le (i + 1) (INR (i + 1 - 1) * exp (- (c / 2)))).
      { apply Rmult_le_compat_r; [left; apply exp_pos|]. apply le_INR. lia. }
      apply TreeRecursion.soft_near; [lia|reflexivity|]. intros s Hss Hne _. rewrite !E.
      pose proof (Hmax s ltac:(lia) Hne) as G. pose proof (score_off F i s HF Hi ltac:(lia)) as S1.
      pose proof (score_off F i t HF Hi ltac:(lia)) as S2.
      apply Activation.abs_between in S1. apply Activation.abs_between in S2.
      replace (c * score_1 F X' i s + c / 2) with (c * (score_1 F X' i s + 1 / 2)) by field.
      apply Rmult_le_compat_l; [exact c_pos|lra]. }
    pose proof (TreeRecursion.mean_error 1 _ TreeSoft.scalar_norm (i + 1) _ _ t
      (fun s _ => zreads (X' s) (fst r)) (fun s _ => zreads (X s) (fst r)) (rho * zsize (fst r))
      (K * zsize (fst r)) Hn ltac:(lia) (fun s Hs' => Z s Hs')) as G.
    eapply Rle_trans; [apply G|].
    + intros s Hs'. apply (zreads_size d); auto. intros p Hp. apply sizes; auto. lia.
    + right. ring.
Qed.

Context (Fs : list head_form) (P : list (zform * zform * form)) (L : list (zform * form))
  (A B Q : R).
Hypothesis heads_fit : forall F, In F Fs -> head_fits d width F.
Hypothesis heads_decided : forall F, In F Fs -> decided N F X.
Hypothesis heads_Q : forall F, In F Fs -> score_size F <= Q.
Hypothesis heads_A : lsum copies_size Fs <= A.
Hypothesis block_B : block_size (at_C e 1) P L <= B.
Hypothesis products_fit : forall u, In u P -> zbelow d (fst (fst u)) /\ zbelow d (snd (fst u)).
Hypothesis linears_fit : forall u, In u L -> zbelow d (fst u).
Hypothesis products_free : forall u p, In u P -> In p (snd u) -> free (snd p) = true /\ fst p <> 0%nat.
Hypothesis linears_free : forall u p, In u L -> In p (snd u) -> free (snd p) = true /\ fst p <> 0%nat.
Hypothesis rho_Q : rho * (2 * K + 1) * Q <= 1 / 4.
Hypothesis ones' : forall i, (i < N)%nat -> X' i 0%nat = 1.
Hypothesis ones : forall i, (i < N)%nat -> X i 0%nat = 1.
Local Notation made := (made_layer d width Fs P L).
Local Notation Y' := (after_attention (at_C e c) softmax N X' made).
Local Notation Y := (after_attention (at_C e 1) averaged N X made).
Hypothesis sizes_after : forall i k, (i < N)%nat -> (k < d)%nat -> Rabs (Y i k) <= K.
Hypothesis d_1 : (1 + A) * (rho + a) <= 1.

Lemma heads_off i k : (i < N)%nat ->
  Rabs (heads_add (at_C e c) softmax N (map (made_head d width) Fs) X' i k
        - heads_add (at_C e 1) averaged N (map (made_head d width) Fs) X i k) <= A * (rho + a).
Proof.
  intro Hi. pose proof a_pos. apply Rle_trans with (lsum copies_size Fs * (rho + a)).
  2: { apply Rmult_le_compat_r; lra. }
  clear heads_A d_1 sizes_after. induction Fs as [|F l IH]; cbn [map heads_add lsum].
  - rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - match goal with |- Rabs (?x + ?y - (?u + ?v)) <= _ =>
      replace (x + y - (u + v)) with ((x - u) + (y - v)) by ring end.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite Rmult_plus_distr_r. apply Rplus_le_compat.
    + apply head_off; auto; [apply heads_fit; now left|apply heads_decided; now left|].
      eapply Rle_trans; [|exact rho_Q].
      apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|apply heads_Q; now left].
    + apply IH; intros G HG; [apply heads_fit|apply heads_decided|apply heads_Q]; now right.
Qed.

Lemma after_off i k : (i < N)%nat -> (k < d)%nat -> Rabs (Y' i k - Y i k) <= (1 + A) * (rho + a).
Proof.
  intros Hi Hk. unfold after_attention. cbn [made_layer heads]. pose proof a_pos.
  match goal with |- Rabs (?x + ?y - (?u + ?v)) <= _ =>
    replace (x + y - (u + v)) with ((x - u) + (y - v)) by ring end.
  eapply Rle_trans; [apply Rabs_triang|]. pose proof (close i k Hi Hk). pose proof (heads_off i k Hi). lra.
Qed.

Lemma A_pos : 0 <= A.
Proof. pose proof (lsum_pos copies_size Fs copies_size_pos). lra. Qed.

Theorem layer_off i k : (i < N)%nat -> (k < d)%nat ->
  Rabs (run_layer (at_C e c) softmax N X' made i k - run_layer (at_C e 1) averaged N X made i k)
  <= (1 + A) * (1 + (2 * K + 1) * B) * (rho + a).
Proof.
  intros Hi Hk. unfold run_layer. set (D := (1 + A) * (rho + a)) in *. pose proof A_pos. pose proof a_pos.
  assert (HD : 0 <= D) by (apply Rmult_le_pos; lra).
  assert (O' : Y' i 0%nat = 1).
  { unfold after_attention. cbn [made_layer heads].
    rewrite (heads_place_0 d width N e width_2 Fs heads_fit), ones' by auto. ring. }
  assert (O : Y i 0%nat = 1).
  { unfold after_attention. cbn [made_layer heads].
    rewrite (heads_place_0 d width N e width_2 Fs heads_fit), ones by auto. ring. }
  cbn [made_layer mlp]. rewrite !make_block_adds by auto.
  assert (Hoff : forall p, (p < d)%nat -> Rabs (Y' i p - Y i p) <= D) by (intros; now apply after_off).
  assert (Hsz : forall p, (p < d)%nat -> Rabs (Y i p) <= K) by auto.
  set (y' := Y' i) in *. set (y := Y i) in *.
  assert (B1 : Rabs (lsum (fun u => zreads y' (fst (fst u)) * zreads y' (snd (fst u)) * share (at_C e c) (snd u) k) P
    - lsum (fun u => zreads y (fst (fst u)) * zreads y (snd (fst u)) * share (at_C e 1) (snd u) k) P)
    <= lsum (fun u => zsize (fst (fst u)) * zsize (snd (fst u)) * share_size (at_C e 1) (snd u)) P * (D * (2 * K + 1))).
  { rewrite <- lsum_times. apply lsum_off. intros u Hu. destruct (products_fit u Hu) as [P1 P2].
    rewrite (free_share e c 1) by (intros p Hp; now apply (products_free u)).
    rewrite <- Rmult_minus_distr_r, Rabs_mult.
    pose proof (TreeContinuity.product_off (zreads y' (fst (fst u))) (zreads y' (snd (fst u)))
      (zreads y (fst (fst u))) (zreads y (snd (fst u))) (zsize (fst (fst u))) (zsize (snd (fst u))) K D
      (zsize_pos _) (zsize_pos _) K_pos (conj HD d_1) (zreads_off d _ _ _ _ P1 Hoff)
      (zreads_off d _ _ _ _ P2 Hoff) (zreads_size d _ _ _ P1 Hsz) (zreads_size d _ _ _ P2 Hsz)) as G.
    pose proof (share_bound (at_C e 1) (snd u) k) as S1.
    eapply Rle_trans; [apply Rmult_le_compat; [apply Rabs_pos|apply Rabs_pos|exact G|exact S1]|].
    right. ring. }
  assert (B2 : Rabs (lsum (fun u => zreads y' (fst u) * share (at_C e c) (snd u) k) L
    - lsum (fun u => zreads y (fst u) * share (at_C e 1) (snd u) k) L)
    <= lsum (fun u => zsize (fst u) * share_size (at_C e 1) (snd u)) L * D).
  { rewrite <- lsum_times. apply lsum_off. intros u Hu.
    rewrite (free_share e c 1) by (intros p Hp; now apply (linears_free u)).
    rewrite <- Rmult_minus_distr_r, Rabs_mult.
    pose proof (zreads_off d y' y _ D (linears_fit u Hu) Hoff) as G.
    pose proof (share_bound (at_C e 1) (snd u) k) as S1.
    eapply Rle_trans; [apply Rmult_le_compat; [apply Rabs_pos|apply Rabs_pos|exact G|exact S1]|].
    right. ring. }
  pose proof (Hoff k Hk) as B0. unfold block_size in block_B.
  set (p1 := lsum _ P) in B1. set (p0 := lsum _ P) in B1. set (l1 := lsum _ L) in B2. set (l0 := lsum _ L) in B2.
  set (bp := lsum _ P) in *. set (bl := lsum _ L) in *.
  assert (Hbp : 0 <= bp).
  { apply lsum_pos. intro u. repeat apply Rmult_le_pos; auto using zsize_pos, share_size_pos. }
  assert (Hbl : 0 <= bl).
  { apply lsum_pos. intro u. apply Rmult_le_pos; auto using zsize_pos, share_size_pos. }
  fold p1 p0 l1 l0.
  replace (y' k + (p1 + l1) - (y k + (p0 + l0))) with ((y' k - y k) + ((p1 - p0) + (l1 - l0))) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. pose proof (Rabs_triang (p1 - p0) (l1 - l0)).
  replace ((1 + A) * (1 + (2 * K + 1) * B) * (rho + a)) with (D + D * (2 * K + 1) * B) by (unfold D; ring).
  assert (D * (2 * K + 1) * (bp + bl) <= D * (2 * K + 1) * B).
  { apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|exact block_B]. }
  assert (bl * D <= D * (2 * K + 1) * bl).
  { rewrite (Rmult_comm bl). apply Rmult_le_compat_r; [exact Hbl|].
    rewrite <- (Rmult_1_r D) at 1. apply Rmult_le_compat_l; lra. }
  lra.
Qed.
End Layer.
