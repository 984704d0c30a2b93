(** * The decoder as the program writes it

    Beyond the paper. The decoders of DecoderModel.v are what libraries run: all heads of a layer have
    one width, scores are divided by the root of that width, each head has its own output matrix.
    The program writes the same model down without the root and without the columns that are zero,
    with one output matrix for the joined heads of a layer:

        scores = (x W_Q + b_Q)(x W_K)^T,    x += [head_1 .. head_H] W_O.

    Both compute the same outputs, for all weights, all filters and all tokens.

    Main definitions: [bare], [program_form], [program_forward], [combined].
    Main theorems:    [same_outputs], [words_fit], [trees_fit]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Sums DecoderModel DecoderWeights TreeDecoderModel.
Import ListNotations.
Open Scope R_scope.

(** ** Columns that are zero *)

Definition nought (w : scalar) : bool := match w with Whole Z0 => true | _ => false end.

Fixpoint all_nought (f : nat -> scalar) (k : nat) : bool :=
  match k with O => true | S j => nought (f j) && all_nought f j end.

(** How many of the first k places there are up to the last one that is not empty. *)
Fixpoint used (empty : nat -> bool) (k : nat) : nat :=
  match k with O => O | S j => if empty j then used empty j else k end.

Lemma nought_is w : nought w = true -> w = Whole 0.
Proof. destruct w as [[]|?|?|?|?|?|?|?|?|?|?|?|?|?]; try discriminate. reflexivity. Qed.

Lemma all_nought_at f k j : all_nought f k = true -> (j < k)%nat -> f j = Whole 0.
Proof.
  induction k as [|k IH]; intros H Hj; [lia|]. cbn in H. apply andb_prop in H. destruct H as [H1 H2].
  destruct (Nat.eq_dec j k) as [->|]; [now apply nought_is|]. apply IH; [exact H2|lia].
Qed.

Lemma used_most empty k : (used empty k <= k)%nat.
Proof. induction k as [|k IH]; cbn; [lia|]. destruct (empty k); lia. Qed.

Lemma used_beyond empty k j : (used empty k <= j)%nat -> (j < k)%nat -> empty j = true.
Proof.
  induction k as [|k IH]; intros H Hj; [lia|]. cbn in H. destruct (empty k) eqn:E; [|lia].
  destruct (Nat.eq_dec j k) as [->|]; [exact E|]. apply IH; [exact H|lia].
Qed.

Lemma sum_used empty k f : (forall j, (j < k)%nat -> empty j = true -> f j = 0) ->
  sum k f = sum (used empty k) f.
Proof.
  intro H. pose proof (used_most empty k).
  replace k with (used empty k + (k - used empty k))%nat at 1 by lia.
  rewrite sum_add, (sum_zero (k - used empty k)); [ring|]. intros j Hj.
  apply H; [lia|]. apply (used_beyond empty k); lia.
Qed.

(** ** Scores without the root *)

Fixpoint unrooted (w : scalar) : scalar :=
  match w with
  | Score _ k => Score 1 k
  | Plus v w => Plus (unrooted v) (unrooted w)
  | w => w
  end.

Fixpoint rooted (width : nat) (w : scalar) : Prop :=
  match w with
  | Score m _ => m = width
  | Plus v w => rooted width v /\ rooted width w
  | w => w = Whole 0
  end.

Lemma rooted_amount e width w : rooted width w ->
  amount e w = sqrt (INR width) * amount e (unrooted w).
Proof.
  induction w as [k|? ?|m k|?|?|?|?|?|? ? ?|? ?|? ? ?|? ?|? ? ?|v IHv w IHw]; cbn [rooted]; intro H;
    try discriminate.
  - injection H as ->. cbn [unrooted amount]. ring.
  - subst m. cbn [unrooted amount INR]. rewrite sqrt_1. ring.
  - destruct H as [Hv Hw]. cbn [unrooted amount]. rewrite IHv, IHw by assumption. ring.
Qed.

Lemma rooted_at width f p : (forall q, In q f -> exists k, snd q = Score width k) ->
  rooted width (weight_at f p).
Proof.
  induction f as [|q f IH]; intro H; [reflexivity|]. cbn [weight_at fold_right].
  assert (Hf : rooted width (weight_at f p)) by (apply IH; intros r Hr; apply H; now right).
  fold (weight_at f p). destruct (p =? fst q)%nat; [|exact Hf].
  destruct (H q (or_introl eq_refl)) as [k ->].
  destruct (weight_at f p) as [[]|?|?|?|?|?|?|?|?|?|?|?|?|?]; cbn in *; auto; discriminate.
Qed.

(** ** A head *)

Definition empty_column (W : table) (c : nat) : bool := all_nought (fun r => item W r c) (high W).
Definition empty_line (W : table) (r : nat) : bool := all_nought (item W r) (wide W).

Definition bare (H : head) : head :=
  let k := used (empty_column (W_K H)) (wide (W_K H)) in
  let v := used (empty_line (W_O H)) (high (W_O H)) in
  Head (Table (high (W_Q H)) k (fun r c => unrooted (item (W_Q H) r c)))
       (fun c => unrooted (b_Q H c))
       (Table (high (W_K H)) k (item (W_K H)))
       (Table (high (W_V H)) v (item (W_V H)))
       (Table v (wide (W_O H)) (item (W_O H))).

Record fits (H : head) : Prop := Fits
  { queries_rooted : forall r c, rooted (wide (W_Q H)) (item (W_Q H) r c);
    biases_rooted : forall c, rooted (wide (W_Q H)) (b_Q H c);
    some_width : (0 < wide (W_Q H))%nat;
    same_width : wide (W_K H) = wide (W_Q H);
    no_further : forall r c, (wide (W_O H) <= c)%nat -> item (W_O H) r c = Whole 0 }.

Section Pass.
Context (e : setting) (filter : nat -> mat -> mat) (tokens : nat).

(** (X W_Q + b_Q)(X W_K)^T *)
Definition program_scores (H : head) (X : mat) : mat := fun i j =>
  sum (wide (W_Q H)) (fun q => shifted e (times e X (W_Q H)) (b_Q H) i q * times e X (W_K H) j q).

Definition head_reads (H : head) (X : mat) : mat :=
  mmul tokens (causal filter (program_scores H X)) (times e X (W_V H)).

(** The heads of a layer side by side, and their output matrices one below the other. *)
Fixpoint joined (Hs : list head) (X : mat) : mat :=
  match Hs with
  | nil => fun _ _ => 0
  | H :: rest => fun r c => if (c <? high (W_O H))%nat then head_reads H X r c
                            else joined rest X r (c - high (W_O H))%nat
  end.

Fixpoint stacked (Hs : list head) (r c : nat) : scalar :=
  match Hs with
  | nil => Whole 0
  | H :: rest => if (r <? high (W_O H))%nat then item (W_O H) r c
                 else stacked rest (r - high (W_O H))%nat c
  end.

Definition combined (d : nat) (Hs : list head) : table :=
  Table (fold_right (fun H k => (high (W_O H) + k)%nat) O Hs) d (stacked Hs).

Definition program_layer (d : nat) (X : mat) (ly : layer) : mat :=
  let Y := fun r c => X r c + times e (joined (heads ly) X) (combined d (heads ly)) r c in
  fun r c => Y r c + block_adds e (mlp ly) Y r c.

Lemma combined_adds d Hs X r c : times e (joined Hs X) (combined d Hs) r c
  = fold_right (fun H s => times e (head_reads H X) (W_O H) r c + s) 0 Hs.
Proof.
  induction Hs as [|H Hs IH]; [reflexivity|]. cbn [fold_right]. rewrite <- IH.
  unfold times, mmul. cbn [combined high fold_right]. rewrite sum_add. f_equal.
  - apply sum_ext. intros k Hk. unfold real. cbn [item combined stacked joined].
    destruct (Nat.ltb_spec k (high (W_O H))); [reflexivity|lia].
  - apply sum_ext. intros k Hk. unfold real. cbn [item combined stacked joined].
    destruct (Nat.ltb_spec (high (W_O H) + k) (high (W_O H))); [lia|].
    now replace (high (W_O H) + k - high (W_O H))%nat with k by lia.
Qed.

Lemma bare_scores H X : fits H -> scores e H X = program_scores (bare H) X.
Proof.
  intro F. apply functional_extensionality. intro i. apply functional_extensionality. intro j.
  assert (Hs : 0 < sqrt (INR (wide (W_Q H)))) by (apply sqrt_lt_R0, (lt_INR 0), F).
  unfold scores, program_scores. cbn [bare W_Q W_K b_Q wide].
  rewrite (same_width H F), (sum_used (empty_column (W_K H))).
  - unfold Rdiv. rewrite sum_scal_r. apply sum_ext. intros c Hc.
    replace (shifted e (times e X (W_Q H)) (b_Q H) i c) with
      (sqrt (INR (wide (W_Q H))) * shifted e (times e X (W_Q (bare H))) (b_Q (bare H)) i c).
    + cbn [bare W_Q b_Q]. change (times e X (W_K (bare H)) j c) with (times e X (W_K H) j c).
      unfold times, mmul, real. cbn [high item bare W_K]. field. lra.
    + unfold shifted. cbn [bare W_Q b_Q]. unfold times, mmul. cbn [high].
      rewrite Rmult_plus_distr_l, <- (rooted_amount e _ _ (biases_rooted H F c)). f_equal.
      rewrite sum_scal_l. apply sum_ext. intros p Hp. unfold real. cbn [item].
      rewrite (rooted_amount e _ _ (queries_rooted H F p c)). ring.
  - intros c Hc E. replace (times e X (W_K H) j c) with 0; [ring|]. symmetry.
    apply sum_zero. intros p Hp. unfold real.
    rewrite (all_nought_at _ _ _ E Hp). cbn [amount]. ring.
Qed.

Lemma bare_attends H X r c : fits H ->
  attend e filter tokens X H r c = times e (head_reads (bare H) X) (W_O (bare H)) r c.
Proof.
  intro F. unfold attend, head_reads. rewrite (bare_scores H X F).
  unfold times at 1 3. unfold mmul at 1 3. cbn [bare W_O high].
  apply (sum_used (empty_line (W_O H))). intros k Hk E. unfold real. cbn [item].
  destruct (Nat.lt_ge_cases c (wide (W_O H))) as [Hc|Hc].
  - rewrite (all_nought_at _ _ _ E Hc). cbn [amount]. ring.
  - rewrite (no_further H F k c Hc). cbn [amount]. ring.
Qed.
End Pass.

(** ** A model *)

Definition program_form (model : decoder) : decoder :=
  Decoder (W_E model) (W_pos model)
    (map (fun ly => Layer (map bare (heads ly)) (mlp ly)) (layers model)) (W_U model) (b_U model).

Definition program_forward (e : setting) (filter : nat -> mat -> mat) (model : decoder)
  (toks : list nat) : mat :=
  readout e model (fold_left (program_layer e filter (length toks) (high (W_U model)))
                     (layers model) (embedded e model toks)).

Definition all_fit (model : decoder) : Prop :=
  forall ly, In ly (layers model) -> forall H, In H (heads ly) -> fits H.

Lemma bare_layer e filter tokens d X ly : (forall H, In H (heads ly) -> fits H) ->
  run_layer e filter tokens X ly
  = program_layer e filter tokens d X (Layer (map bare (heads ly)) (mlp ly)).
Proof.
  intro F. unfold run_layer, program_layer. cbn [heads mlp].
  assert (E : after_attention e filter tokens X ly = fun r c => X r c
    + times e (joined e filter tokens (map bare (heads ly)) X) (combined d (map bare (heads ly))) r c).
  { apply functional_extensionality. intro r. apply functional_extensionality. intro c.
    unfold after_attention. f_equal. rewrite combined_adds.
    induction (heads ly) as [|H Hs IH]; [reflexivity|]. cbn [heads_add map fold_right].
    rewrite IH by (intros; apply F; now right). f_equal. apply bare_attends, F. now left. }
  now rewrite E.
Qed.

(** The program's model computes what the model of the theorems computes. *)
Theorem same_outputs e filter model toks : all_fit model ->
  forward e filter model toks = program_forward e filter (program_form model) toks.
Proof.
  intro F. unfold forward, program_forward, stream. cbn [program_form layers W_U].
  change (embedded e (program_form model) toks) with (embedded e model toks).
  change (readout e (program_form model)) with (readout e model). f_equal.
  apply fold_left_map_same. intros ly Hly X. apply bare_layer. intros H HH. now apply (F ly).
Qed.

(** ** The decoders of the theorems *)

Lemma beyond d f c : below d f -> (d <= c)%nat -> weight_at f c = Whole 0.
Proof.
  intros H Hc. induction f as [|q f IH]; [reflexivity|]. cbn [weight_at fold_right].
  fold (weight_at f c). pose proof (H q (or_introl eq_refl)).
  destruct (Nat.eqb_spec c (fst q)); [lia|]. apply IH. intros r Hr. apply H. now right.
Qed.

Theorem words_fit n q T p gated L : all_fit (construction n q T p gated L).
Proof.
  intros ly Hly H HH. cbn [construction layers] in Hly. apply in_map_iff in Hly.
  destruct Hly as (l & <- & _). destruct HH as [<-|[]]. split.
  - intros r c. apply rooted_at. intros [x w] Hq. unfold query in Hq.
    destruct c as [|[|c]]; destruct gated; cbn in Hq; intuition; subst; eexists;
      match goal with E : (_, _) = (_, _) |- _ => injection E as <- <-; reflexivity end.
  - intro c. cbn [head_at b_Q]. unfold query_bias. destruct gated; [reflexivity|].
    destruct c as [|[|c]]; reflexivity.
  - cbn [head_at W_Q wide columns]. unfold d_head. lia.
  - reflexivity.
  - intros r c Hc. cbn [head_at W_O item lines wide] in *. apply (beyond (d n gated)); [|exact Hc].
    unfold copy. destruct (Nat.ltb_spec r (n2 n)); [|intros x []].
    intros x [<-|[<-|[]]]; cbn [fst]; unfold d, n2 in *; destruct gated; lia.
Qed.

Lemma made_fits d width q0 q1 k0 k1 copies : (0 < width)%nat ->
  (forall r, In r copies -> (snd r < d)%nat) -> fits (make_head d width q0 q1 k0 k1 copies).
Proof.
  intros Hw Hc. split; try assumption; try reflexivity.
  - intros r c. apply rooted_at. intros x Hx.
    assert (S : forall f, In x (scored width f) -> exists k, snd x = Score width k).
    { intros f Hf. apply in_map_iff in Hf. destruct Hf as (y & <- & _). eexists. reflexivity. }
    destruct c as [|[|c]]; cbn [two] in Hx; [exact (S _ Hx)|exact (S _ Hx)|destruct Hx].
  - intros r c Hd. cbn [make_head W_O item lines wide] in *. apply (beyond d); [|exact Hd].
    destruct (nth_error copies r) as [x|] eqn:E; [|intros y []].
    intros y [<-|[]]. cbn [fst]. apply Hc. now apply nth_error_In in E.
Qed.

Lemma copies_below d k source target : (target + k <= d)%nat ->
  forall r, In r (copies_of k source target) -> (snd r < d)%nat.
Proof.
  intros H r Hr. apply in_map_iff in Hr. destruct Hr as (a & <- & Ha). apply in_seq in Ha.
  cbn [snd]. lia.
Qed.

Theorem trees_fit n q T steps : all_fit (tree_decoder n q T steps).
Proof.
  assert (Hw : (0 < head_width n)%nat) by (unfold head_width; lia).
  intros ly Hly H HH.
  assert (Hs : In H [mean n; previous n; match_begin n T; near n T; far n T; pointer n]).
  { destruct steps as [|k]; cbn [tree_decoder layers tree_layers] in Hly.
    - destruct Hly as [<-|[<-|[]]]; cbn [heads In] in HH |- *; tauto.
    - destruct Hly as [<-|[<-|[<-|Hly]]]; [cbn [heads In] in HH |- *; tauto..|].
      apply repeat_spec in Hly. subst ly. cbn [heads In] in HH |- *. tauto. }
  destruct Hs as [<-|[<-|[<-|[<-|[<-|[<-|[]]]]]]]; apply made_fits; try exact Hw; intros r Hr;
    repeat (apply in_app_or in Hr; destruct Hr as [Hr|Hr]);
    repeat match goal with
    | Hr : In _ (_ :: _) |- _ => destruct Hr as [<-|Hr]
    | Hr : In _ (_ ++ _) |- _ => apply in_app_or in Hr; destruct Hr as [Hr|Hr]
    | Hr : In _ [] |- _ => destruct Hr
    | Hr : In _ (one_copy _ _) |- _ => destruct Hr as [<-|[]]
    | Hr : In _ (copies_of _ _ _) |- _ => revert r Hr; apply copies_below
    end; cbn [snd];
    unfold width, p_N, p_phi, p_F, p_Bn, p_Bf, p_S, p_s, p_h, p_k; unfold nn; lia.
Qed.
