(** * Decoders as instances of the one forward pass

    Beyond the paper. The decoders of DecoderModel.v, for sequences and for trees, run through the pass
    of Pass.v: causal masks, residual connections, the scores divided by sqrt d_head by way of the query
    weights, the heads' output matrices one below the other as W_O, nothing taken from the embedding
    again. The outputs are the same at every token.

    Main definitions: [stacked], [decoder_model], [heads_fit].
    Main theorems:    [decoder_pass], [softmax_causal], [hard_causal], [averaged_causal],
                      [sequence_decoder_pass], [tree_decoder_pass]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Sums Theorem1 Softmax DecoderModel.
From Assay Require TreeModel DecoderWeights TreeDecoderModel Model Simulation Pass.
Import TreeModel(attention, Hard, Saturated, Soft, mask, Causal).
Import Simulation(dense, Dense, height, breadth, number_at).
Import ListNotations.
Open Scope R_scope.

(** ** Causal attention *)

Definition agrees (N : nat) (kind : attention) (filter : nat -> mat -> mat) : Prop :=
  forall S i j, (i < N)%nat -> (j < N)%nat ->
    causal filter S i j = TreeModel.attend N kind Causal S i j.

Lemma sum_seen N i f : (i < N)%nat ->
  sum N (fun s => b2r (s <=? i)%nat * f s) = sum (i + 1) f.
Proof.
  intro Hi. replace N with (i + 1 + (N - (i + 1)))%nat by lia. rewrite sum_add.
  rewrite (sum_zero (N - (i + 1))).
  - rewrite Rplus_0_r. apply sum_ext. intros s Hs. destruct (Nat.leb_spec s i); [cbn; ring|lia].
  - intros s _. destruct (Nat.leb_spec (i + 1 + s) i); [lia|cbn; ring].
Qed.

Lemma softmax_causal N : agrees N Soft softmax.
Proof.
  intros S i j Hi Hj. unfold causal, TreeModel.attend, TreeModel.soft_masked, softmax.
  cbn [TreeModel.allowed]. rewrite (sum_seen N i (fun s => exp (S i s)) Hi).
  destruct (j <=? i)%nat; cbn [b2r]; unfold Rdiv; ring.
Qed.

Lemma seen_below N i (p : nat -> bool) : (i < N)%nat ->
  all_below (i + 1) p = all_below N (fun s => negb (s <=? i)%nat || p s).
Proof.
  intro Hi. apply eq_true_iff_eq. rewrite !all_below_spec. split; intros H s Hs.
  - destruct (Nat.leb_spec s i); [|reflexivity]. cbn. apply H. lia.
  - specialize (H s ltac:(lia)). destruct (Nat.leb_spec s i); [exact H|lia].
Qed.

Lemma all_below_ext N (p q : nat -> bool) : (forall s, (s < N)%nat -> p s = q s) ->
  all_below N p = all_below N q.
Proof.
  intro H. apply eq_true_iff_eq. rewrite !all_below_spec.
  split; intros G s Hs; [rewrite <- H|rewrite H]; auto.
Qed.

Lemma hard_causal N : agrees N Hard hard.
Proof.
  intros S i j Hi Hj. unfold causal, TreeModel.attend, TreeModel.hard_masked, hard.
  cbn [TreeModel.allowed]. destruct (j <=? i)%nat; [|reflexivity]. cbn [andb]. f_equal.
  rewrite (seen_below N i _ Hi). apply all_below_ext. intros s _.
  destruct (s =? j)%nat, (s <=? i)%nat; reflexivity.
Qed.

Lemma averaged_causal N : agrees N Saturated TreeDecoderModel.averaged.
Proof.
  intros S i j Hi Hj. unfold causal, TreeModel.attend, TreeModel.saturated, TreeDecoderModel.averaged.
  assert (L : forall s, TreeModel.largest N Causal S i s
                        = ((s <=? i)%nat && TreeDecoderModel.best (i + 1) S i s)%bool).
  { intro s. unfold TreeModel.largest, TreeDecoderModel.best. cbn [TreeModel.allowed]. f_equal.
    rewrite (seen_below N i _ Hi). apply all_below_ext. intros s' _. f_equal.
    unfold TreeDecoderModel.Rleb, Rltb. destruct (Rle_dec (S i s') (S i s)), (Rlt_dec (S i s) (S i s'));
      reflexivity || lra. }
  rewrite L. rewrite (sum_ext N (fun s' => b2r (TreeModel.largest N Causal S i s'))
    (fun s => b2r (s <=? i)%nat * b2r (TreeDecoderModel.best (i + 1) S i s))).
  - rewrite sum_seen by exact Hi. destruct (j <=? i)%nat; cbn [andb]; [reflexivity|].
    cbn [b2r]. unfold Rdiv. ring.
  - intros s _. rewrite L. destruct (s <=? i)%nat; cbn [andb b2r]; ring.
Qed.

(** Attention in a row depends on that row of the scores. *)
Lemma attend_local N kind m S S' i : (forall j, (j < N)%nat -> S i j = S' i j) ->
  forall j, (j < N)%nat -> TreeModel.attend N kind m S i j = TreeModel.attend N kind m S' i j.
Proof.
  intros H j Hj.
  assert (G : forall s, (s < N)%nat -> TreeModel.largest N m S i s = TreeModel.largest N m S' i s).
  { intros s Hs. unfold TreeModel.largest. f_equal. apply all_below_ext. intros s' Hs'.
    now rewrite !H. }
  assert (E : forall a b : R, a = b -> / a = / b) by (intros ? ? ->; reflexivity).
  destruct kind; cbn [TreeModel.attend].
  - unfold TreeModel.hard_masked. do 2 f_equal. apply all_below_ext. intros s Hs. now rewrite !H.
  - unfold TreeModel.saturated. rewrite G by exact Hj. unfold Rdiv. f_equal.
    apply E, sum_ext. intros s Hs. now rewrite G.
  - unfold TreeModel.soft_masked. rewrite H by exact Hj. unfold Rdiv. f_equal.
    apply E, sum_ext. intros s Hs. now rewrite H.
Qed.

(** ** Decoders as models *)

Section Decoder.
Context (e : setting) (kind : attention) (filter : nat -> mat -> mat).

Definition dense_of (W : table) : dense := Dense (high W) (wide W) (real e W).

Definition head_of (H : head) : Pass.head :=
  let root := sqrt (INR (wide (W_Q H))) in
  Pass.Head (Dense (high (W_Q H)) (wide (W_Q H)) (fun i j => real e (W_Q H) i j / root))
    (fun q => amount e (b_Q H q) / root) (dense_of (W_K H)) (dense_of (W_V H)) kind Causal.

(** The output matrices of the heads, one below the other. *)
Fixpoint stacked (Hs : list head) : mat :=
  match Hs with
  | [] => fun _ _ => 0
  | H :: rest => fun p c => if (p <? wide (W_V H))%nat then real e (W_O H) p c
                            else stacked rest (p - wide (W_V H))%nat c
  end.
Definition widths (Hs : list head) : nat := fold_right (fun H k => wide (W_V H) + k)%nat 0%nat Hs.

Definition layer_of (d : nat) (ly : layer) : Pass.layer :=
  Pass.Layer (map head_of (heads ly)) (Dense (widths (heads ly)) d (stacked (heads ly)))
    (fun x => block_adds e (mlp ly) (fun _ => x) 0%nat) true.

Definition decoder_model (model : decoder) : Pass.model :=
  Pass.Model (map (layer_of (wide (W_E model))) (layers model)) (fun _ => false)
    (dense_of (W_U model)) (fun c => amount e (b_U model c)).

Definition heads_fit (model : decoder) : Prop :=
  forall ly H, In ly (layers model) -> In H (heads ly) -> wide (W_V H) = high (W_O H).

Lemma scores_are H X : scores e H X = Pass.scores (head_of H) X.
Proof.
  apply functional_extensionality. intro i. apply functional_extensionality. intro j.
  unfold scores, Pass.scores. cbn [head_of Pass.query Pass.key Pass.query_bias breadth].
  unfold Rdiv at 1. rewrite sum_scal_r. apply sum_ext. intros q _.
  unfold shifted, times, Simulation.times, mmul. cbn [height number_at dense_of].
  unfold Rdiv. set (root := / sqrt _).
  rewrite (sum_ext (high (W_Q H)) (fun p => X i p * (real e (W_Q H) p q * root))
    (fun p => X i p * real e (W_Q H) p q * root)) by (intros; ring).
  rewrite <- sum_scal_r. ring.
Qed.

Variable N : nat.
Hypothesis filter_is : agrees N kind filter.

Lemma attend_is H X r c : wide (W_V H) = high (W_O H) -> (r < N)%nat ->
  attend e filter N X H r c
  = sum (wide (W_V H)) (fun p => Pass.attended N (head_of H) X r p * real e (W_O H) p c).
Proof.
  intros Hw Hr. unfold attend, times at 1. unfold mmul at 1. rewrite Hw. apply sum_ext. intros p _.
  f_equal. unfold Pass.attended, mmul. cbn [head_of Pass.how Pass.seen Pass.value].
  apply sum_ext. intros s Hs. rewrite filter_is by assumption. rewrite scores_are. reflexivity.
Qed.

Lemma heads_are Hs X r c : (forall H, In H Hs -> wide (W_V H) = high (W_O H)) -> (r < N)%nat ->
  heads_add e filter N Hs X r c
  = sum (widths Hs) (fun p => Pass.joined N (map head_of Hs) X r p * stacked Hs p c).
Proof.
  intros Hw Hr. induction Hs as [|H Hs IH]; [reflexivity|].
  cbn [heads_add widths fold_right]. fold (widths Hs).
  rewrite sum_add, IH by (intros; apply Hw; now right).
  rewrite (attend_is H X r c (Hw H (or_introl eq_refl)) Hr). unfold Pass.joined.
  cbn [map Model.concat]. cbn [head_of Pass.value dense_of breadth]. fold (dense_of (W_V H)).
  f_equal; apply sum_ext; intros p Hp; cbn [stacked].
  - destruct (Nat.ltb_spec p (wide (W_V H))); [reflexivity|lia].
  - destruct (Nat.ltb_spec (wide (W_V H) + p) (wide (W_V H))); [lia|].
    now replace (wide (W_V H) + p - wide (W_V H))%nat with p by lia.
Qed.

Lemma layer_is d ly X r c : (forall H, In H (heads ly) -> wide (W_V H) = high (W_O H)) -> (r < N)%nat ->
  run_layer e filter N X ly r c = Pass.run_layer N (layer_of d ly) X r c.
Proof.
  intros Hw Hr.
  assert (A : forall c, after_attention e filter N X ly r c
                        = Pass.after_attention N (layer_of d ly) X r c).
  { intro c'. unfold after_attention, Pass.after_attention, Pass.added.
    cbn [layer_of Pass.residual Pass.heads Pass.combine]. rewrite heads_are by assumption. reflexivity. }
  unfold run_layer, Pass.run_layer. unfold Pass.added at 1.
  cbn [layer_of Pass.residual Pass.feedforward]. rewrite A. f_equal.
  assert (E : after_attention e filter N X ly r = Pass.after_attention N (layer_of d ly) X r)
    by (apply functional_extensionality; exact A).
  fold (layer_of d ly). rewrite <- E.
  destruct (mlp ly); reflexivity.
Qed.

(** Rows that are no tokens do not matter. *)
Lemma attended_local h X X' : (forall r c, (r < N)%nat -> X r c = X' r c) ->
  forall r c, (r < N)%nat -> Pass.attended N h X r c = Pass.attended N h X' r c.
Proof.
  intros H r c Hr.
  assert (T : forall W s p, (s < N)%nat -> Simulation.times X W s p = Simulation.times X' W s p).
  { intros W s p Hs. apply sum_ext. intros q _. now rewrite H. }
  unfold Pass.attended, mmul. apply sum_ext. intros s Hs. rewrite T by exact Hs. f_equal.
  apply attend_local; [|exact Hs]. intros j Hj. unfold Pass.scores. apply sum_ext. intros q _.
  now rewrite !T.
Qed.

Lemma layer_local ly X X' : (forall r c, (r < N)%nat -> X r c = X' r c) ->
  forall r c, (r < N)%nat -> Pass.run_layer N ly X r c = Pass.run_layer N ly X' r c.
Proof.
  intros H r c Hr.
  assert (J : forall hs p, Pass.joined N hs X r p = Pass.joined N hs X' r p).
  { intro hs. unfold Pass.joined. induction hs as [|h hs IH]; intro p; [reflexivity|].
    cbn [map Model.concat]. destruct (p <? _)%nat; [now apply attended_local|apply IH]. }
  assert (A : Pass.after_attention N ly X r = Pass.after_attention N ly X' r).
  { apply functional_extensionality. intro p. unfold Pass.after_attention, Pass.added.
    rewrite H by exact Hr.
    assert (E : Simulation.times (Pass.joined N (Pass.heads ly) X) (Pass.combine ly) r p
                = Simulation.times (Pass.joined N (Pass.heads ly) X') (Pass.combine ly) r p).
    { apply sum_ext. intros q _. now rewrite J. }
    now rewrite E. }
  unfold Pass.run_layer, Pass.added. now rewrite A.
Qed.
End Decoder.

(** ** The pass of DecoderModel.v is the one of Pass.v, at every token *)

Theorem decoder_pass e kind filter model toks r c : heads_fit model ->
  agrees (length toks) kind filter -> (r < length toks)%nat ->
  forward e filter model toks r c
  = Pass.forward (length toks) (decoder_model e kind model) (embedded e model toks) r c.
Proof.
  intros Hfit Hf Hr. set (N := length toks) in *.
  unfold forward, readout, shifted, Pass.forward. cbn [decoder_model Pass.readout Pass.offset]. f_equal.
  apply sum_ext. intros p _. f_equal. unfold stream, Pass.run_layers.
  cbn [decoder_model Pass.layers Pass.renewed].
  assert (G : forall lys, (forall ly H, In ly lys -> In H (heads ly) -> wide (W_V H) = high (W_O H)) ->
    forall X X', (forall r c, (r < N)%nat -> X r c = X' r c) -> forall r c, (r < N)%nat ->
    fold_left (run_layer e filter N) lys X r c
    = fold_left (fun X ly r c => if false then embedded e model toks r c else Pass.run_layer N ly X r c)
        (map (layer_of e kind (wide (W_E model))) lys) X' r c);
    [|apply G; [exact Hfit|reflexivity|exact Hr]].
  clear p. induction lys as [|ly lys IH]; intros Hl X X' H r' c' Hr'; [now apply H|].
  cbn [map fold_left]. apply IH; [exact (fun ly' Hd I => Hl ly' Hd (or_intror I))| |exact Hr'].
  intros r0 c0 H0. rewrite (layer_is e kind filter N Hf (wide (W_E model)) ly X r0 c0
    (fun Hd => Hl ly Hd (or_introl eq_refl)) H0). now apply layer_local.
Qed.

(** The decoder for sequences, with softmax and with hard attention. *)
Corollary sequence_decoder_pass e n q T p gated L toks r c : (r < length toks)%nat ->
  let model := DecoderWeights.construction n q T p gated L in
  let pass kind := Pass.forward (length toks) (decoder_model e kind model) (embedded e model toks) in
  forward e softmax model toks r c = pass Soft r c /\ forward e hard model toks r c = pass Hard r c.
Proof.
  intros Hr model pass. assert (F : heads_fit model).
  { intros ly H Hly HH. cbn in Hly. apply in_map_iff in Hly as (s & <- & _).
    destruct HH as [<-|[]]. reflexivity. }
  split; apply decoder_pass; auto using softmax_causal, hard_causal.
Qed.

(** The decoder for trees, with softmax and with attention to all maxima alike. *)
Corollary tree_decoder_pass e n q T k toks r c : (r < length toks)%nat ->
  let model := TreeDecoderModel.tree_decoder n q T (S k) in
  let pass kind := Pass.forward (length toks) (decoder_model e kind model) (embedded e model toks) in
  forward e softmax model toks r c = pass Soft r c /\
  forward e TreeDecoderModel.averaged model toks r c = pass Saturated r c.
Proof.
  intros Hr model pass. assert (F : heads_fit model).
  { intros ly H Hly HH.
    cbn [model TreeDecoderModel.tree_decoder layers TreeDecoderModel.tree_layers] in Hly.
    destruct Hly as [<-|[<-|[<-|Hly]]]; [| | |apply repeat_spec in Hly as ->];
      cbn [heads] in HH; repeat destruct HH as [<-|HH]; try reflexivity; destruct HH. }
  split; apply decoder_pass; auto using softmax_causal, averaged_causal.
Qed.
