(** * Decoder layers made of whole forms

    Beyond the paper. A layer made by [make_head] and [make_block] (TreeDecoderModel.v), as data: the
    forms of its heads and the products of its block. Every row of a head has one top, or the head has no
    query at all ([decided]); scores are C times a polynomial of the stream, and nothing else in the
    layer depends on C. Place 0 keeps the constant one. DecoderBudget.v bounds the error with softmax.

    Main definitions: [at_C], [head_form], [head_fits], [decided], [made_layer].
    Main lemmas:      [free_amount], [heads_place_0], [layer_one]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Theorem1 Softmax DecoderModel TreeDecoderModel.
Import ListNotations.
Open Scope R_scope.

Definition at_C (e : setting) (c : R) : setting :=
  Setting (alpha e) (A e) (leaf e) (tensor e) c (act e) (h e) (bend e) (slope e).

Fixpoint free (w : scalar) : bool :=
  match w with
  | Score _ _ => false
  | Over w => free w
  | Times _ w => free w
  | Plus v w => free v && free w
  | _ => true
  end.

Lemma free_amount e c c' w : free w = true -> amount (at_C e c) w = amount (at_C e c') w.
Proof.
  induction w; cbn [free amount at_C]; intro Hw; try reflexivity; try discriminate.
  - now rewrite IHw.
  - now rewrite IHw.
  - apply andb_true_iff in Hw. destruct Hw. now rewrite IHw1, IHw2.
Qed.

Lemma free_share e c c' f k : (forall p, In p f -> free (snd p) = true) ->
  share (at_C e c) f k = share (at_C e c') f k.
Proof.
  intro H. apply lsum_ext. intros p Hp. now rewrite (free_amount e c c' _ (H p Hp)).
Qed.

Record head_form := HeadForm { h_q0 : zform; h_q1 : zform; h_k0 : zform; h_k1 : zform; h_copies : copy_list }.

Definition made_head (d width : nat) (F : head_form) : head :=
  make_head d width (h_q0 F) (h_q1 F) (h_k0 F) (h_k1 F) (h_copies F).

Section Layer.
Context (d width N : nat) (e : setting).
Hypothesis width_2 : (2 <= width)%nat.
Hypothesis d_pos : (0 < d)%nat.
Hypothesis act_odd : forall y, act e y - act e (- y) = y.
Hypothesis act_1 : act e 1 <> 0.

Definition head_fits (F : head_form) : Prop :=
  zbelow d (h_q0 F) /\ zbelow d (h_q1 F) /\ zbelow d (h_k0 F) /\ zbelow d (h_k1 F)
  /\ (length (h_copies F) <= width)%nat
  /\ forall r, In r (h_copies F) -> zbelow d (fst r) /\ snd r <> 0%nat.

Definition score_1 (F : head_form) (X : mat) (i j : nat) : R :=
  zreads (X i) (h_q0 F) * zreads (X j) (h_k0 F) + zreads (X i) (h_q1 F) * zreads (X j) (h_k1 F).

(** Every row has one top, by at least 1, or there is no query. *)
Definition decided (F : head_form) (X : mat) : Prop :=
  (h_q0 F = [] /\ h_q1 F = []) \/
  forall i, (i < N)%nat -> exists t, (t <= i)%nat /\
    forall j, (j <= i)%nat -> j <> t -> score_1 F X i j + 1 <= score_1 F X i t.

(** A head writes nothing at place 0. *)
Lemma head_place_0 c filter F Y i : head_fits F -> (i < N)%nat ->
  attend (at_C e c) filter N Y (made_head d width F) i 0%nat = 0.
Proof.
  intros (H0 & H1 & H2 & H3 & Hlen & Hcop) Hi. unfold made_head.
  rewrite head_adds by (auto; intros r Hr; now apply Hcop).
  apply lsum_zero. intros r Hr. destruct (Hcop r Hr) as [_ Hne].
  destruct (Nat.eqb_spec 0 (snd r)); [congruence|reflexivity].
Qed.

Context (Fs : list head_form) (products : list (zform * zform * form))
  (linears : list (zform * form)).
Hypothesis heads_fit : forall F, In F Fs -> head_fits F.
Hypothesis products_fit : forall u, In u products -> zbelow d (fst (fst u)) /\ zbelow d (snd (fst u)).
Hypothesis linears_fit : forall u, In u linears -> zbelow d (fst u).
Hypothesis products_free : forall u p, In u products -> In p (snd u) -> free (snd p) = true /\ fst p <> 0%nat.
Hypothesis linears_free : forall u p, In u linears -> In p (snd u) -> free (snd p) = true /\ fst p <> 0%nat.

Definition made_layer : layer :=
  Layer (map (made_head d width) Fs) (make_block d 0 products linears).

Lemma heads_place_0 c filter Y i : (i < N)%nat ->
  heads_add (at_C e c) filter N (map (made_head d width) Fs) Y i 0%nat = 0.
Proof.
  intro Hi. induction Fs as [|F l IH]; cbn [map heads_add]; [reflexivity|].
  rewrite head_place_0 by (auto; apply heads_fit; now left).
  rewrite IH; [ring|]. intros G HG. apply heads_fit. now right.
Qed.

(** Place 0 keeps the constant one. *)
Lemma layer_one c filter Z i : (i < N)%nat -> Z i 0%nat = 1 ->
  run_layer (at_C e c) filter N Z made_layer i 0%nat = 1.
Proof.
  intros Hi HZ. unfold run_layer.
  assert (H1 : after_attention (at_C e c) filter N Z made_layer i 0%nat = 1).
  { unfold after_attention. cbn [made_layer heads]. rewrite heads_place_0, HZ by auto. ring. }
  rewrite H1. cbn [made_layer mlp]. rewrite make_block_adds by auto.
  rewrite !lsum_zero; [ring| |].
  - intros u Hu. rewrite share_away; [ring|]. intros p Hp. now apply (linears_free u).
  - intros u Hu. rewrite share_away; [ring|]. intros p Hp. now apply (products_free u).
Qed.
End Layer.
