(** * The decoders fit their sizes

    Beyond the paper. The decoders of Theorems A and B ([sequence_fits]) and the tree decoder
    ([tree_decoder_fits]) as models of Pass.v with the sizes of Fits.v, and their token and position
    embeddings.

    Main definitions: [decoder_fits], [embeds].
    Main theorems:    [sequence_fits], [tree_decoder_fits]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums DecoderModel DecoderWeights TreeDecoderModel.
From Assay Require TreeModel Pass PassDecoder Fits Simulation.
Import Simulation(dense, Dense, height, breadth, number_at).
Import Fits(Sizes, fits, consists, block_fits, given_once, kind, MLPs, GatedMLPs, activation, of_kind).
Import ListNotations.
Open Scope R_scope.

(** ** Tables *)

Definition block_of_tables (e : setting) (B : block) : Fits.block :=
  match B with
  | Gated W1 Wg W2 => Fits.Gated (PassDecoder.dense_of e W1) (PassDecoder.dense_of e Wg) (PassDecoder.dense_of e W2)
  | Plain W1 b1 W2 b2 => Fits.Perceptron (PassDecoder.dense_of e W1) (fun u => amount e (b1 u))
      (PassDecoder.dense_of e W2) (fun c => amount e (b2 c))
  end.

Definition tables_fit (d hidden : nat) (B : block) : Prop :=
  match B with
  | Gated W1 Wg W2 => high W1 = d /\ high Wg = d /\ wide Wg = wide W1 /\ (wide W1 <= hidden)%nat /\
      high W2 = wide W1 /\ wide W2 = d
  | Plain W1 _ W2 _ => high W1 = d /\ (wide W1 <= hidden)%nat /\ high W2 = wide W1 /\ wide W2 = d
  end.

Definition tables_of_kind (gated : bool) (B : block) : Prop :=
  match B with Gated _ _ _ => gated = true | Plain _ _ _ _ => gated = false end.

(** Gated MLPs or MLPs, with the activation of a setting. *)
Definition kind_of (gated : bool) (e : setting) : Fits.kind :=
  if gated then GatedMLPs (act e) else MLPs (act e).

Definition table_head_fits (d width : nat) (H : head) : Prop :=
  high (W_Q H) = d /\ high (W_K H) = d /\ high (W_V H) = d /\ wide (W_K H) = wide (W_Q H) /\
  (wide (W_Q H) <= width)%nat /\ (wide (W_V H) <= width)%nat.

Definition decoder_fits (d count width hidden : nat) (gated : bool) (model : decoder) : Prop :=
  wide (W_E model) = d /\ wide (W_pos model) = d /\ high (W_U model) = d /\
  Forall (fun ly => (length (heads ly) <= count)%nat /\ Forall (table_head_fits d width) (heads ly) /\
                    tables_fit d hidden (mlp ly) /\ tables_of_kind gated (mlp ly)) (layers model).

Lemma model_fits e way depth d count width hidden gated model :
  length (layers model) = depth -> decoder_fits d count width hidden gated model ->
  let m := PassDecoder.decoder_model e way model in
  fits (Sizes depth d count width d hidden (wide (W_U model))) (kind_of gated e) m /\
  consists way TreeModel.Causal true m /\ given_once m.
Proof.
  intros HD (HE & _ & HU & HL) m. split; [|split; [|intro; reflexivity]].
  - split; [cbn; now rewrite map_length|]. split; [|split; [exact HU|reflexivity]].
    cbn [m PassDecoder.decoder_model Pass.layers]. apply Forall_map.
    eapply Forall_impl; [|exact HL]. intros ly (H1 & H2 & H3 & H4).
    split; [cbn; now rewrite map_length|]. split.
    { apply Forall_map. eapply Forall_impl; [|exact H2]. intros H HH. exact HH. }
    split.
    { cbn [PassDecoder.layer_of Pass.combine Pass.heads height]. clear.
      induction (heads ly) as [|H Hs IH]; [reflexivity|].
      cbn [PassDecoder.widths fold_right map]. fold (PassDecoder.widths Hs). rewrite IH. reflexivity. }
    cbn [PassDecoder.layer_of Pass.combine Pass.residual Pass.feedforward breadth Fits.joined_width
      Fits.embedding Fits.hidden_width]. rewrite HE.
    split; [apply le_n|]. split; [reflexivity|].
    exists (block_of_tables e (mlp ly)). split; [destruct (mlp ly); exact H3|].
    destruct (mlp ly); cbn [tables_of_kind] in H4; subst gated; now split.
  - apply Forall_map, Forall_forall. intros ly _. split; [reflexivity|].
    apply Forall_map, Forall_forall. intros H _. now split.
Qed.

(** Token and position embeddings: so many letters, so many places, one dimension. *)
Definition embeds (letters context d : nat) (E P : dense) : Prop :=
  height E = letters /\ breadth E = d /\ height P = context /\ breadth P = d.

(** ** The decoder for sequences *)

Section Sequences.
Context (n q T p : nat) (gated : bool) (L : nat) (e : setting) (way : TreeModel.attention).
Local Notation width := (2 * n ^ 2 + (if gated then 3 else 2))%nat.
Local Notation model := (construction n q T p gated L).

Theorem sequence_fits :
  let m := PassDecoder.decoder_model e way model in
  fits (Sizes L width 1 (Nat.max (n ^ 2) 2) width (if gated then 2 * n ^ 3 + n ^ 2 else 4 * n ^ 3)%nat n)
    (kind_of gated e) m /\
  consists way TreeModel.Causal true m /\ given_once m /\
  embeds (q + 1) (T + 1) width (PassDecoder.dense_of e (W_E model)) (PassDecoder.dense_of e (W_pos model)).
Proof.
  destruct (sizes n q T p gated L) as (H1 & H2 & H3 & H4 & H5 & H6).
  assert (D : decoder_fits width 1 (Nat.max (n ^ 2) 2)
    (if gated then 2 * n ^ 3 + n ^ 2 else 4 * n ^ 3)%nat gated model).
  { assert (E : d n gated = width) by (rewrite <- H4; reflexivity).
    split; [exact E|]. split; [exact E|]. split; [exact H4|]. apply Forall_forall. intros ly Hly.
    destruct (H6 ly Hly) as (G1 & G2 & G3). split; [now rewrite G1|].
    cbn [construction layers] in Hly. apply in_map_iff in Hly as (l & <- & _). split.
    - apply Forall_forall. intros H HH. destruct (G2 H HH) as (A1 & A2 & A3).
      destruct HH as [<-|[]]. repeat split; try exact E; rewrite ?A1, ?A2, ?A3; auto.
    - cbn [layer_at mlp] in *. unfold multiplier in *. destruct gated; cbn [hidden gated_block plain_block wide columns] in G3;
        cbn [tables_fit tables_of_kind gated_block plain_block high wide columns lines]; rewrite ?G3;
        repeat split; auto; lia. }
  destruct (model_fits e way L _ _ _ _ gated model H1 D) as (M1 & M2 & M3).
  split; [|split; [exact M2|split; [exact M3|]]].
  - rewrite H5 in M1. exact M1.
  - destruct D as (D1 & D2 & _). repeat split; auto.
Qed.
End Sequences.

(** ** The decoder for trees *)

Section Trees.
Context (n q T steps : nat) (e : setting) (way : TreeModel.attention).
Local Notation model := (tree_decoder n q T steps).

Theorem tree_decoder_fits :
  let m := PassDecoder.decoder_model e way model in
  fits (Sizes (2 + steps) (2 * n ^ 2 + 4 * n + 11) 3 (n ^ 2 + n + 2) (2 * n ^ 2 + 4 * n + 11)
          (2 * n ^ 3 + 5 * n ^ 2 + 7 * n + 11) n) (GatedMLPs (act e)) m /\
  consists way TreeModel.Causal true m /\ given_once m /\
  embeds (q + 3) (T + 1) (2 * n ^ 2 + 4 * n + 11) (PassDecoder.dense_of e (W_E model))
    (PassDecoder.dense_of e (W_pos model)).
Proof.
  destruct (tree_sizes n q T steps) as (H1 & H2 & H3 & H4 & H6).
  assert (E : width n = (2 * n ^ 2 + 4 * n + 11)%nat) by (rewrite <- H4; reflexivity).
  assert (D : decoder_fits (2 * n ^ 2 + 4 * n + 11) 3 (n ^ 2 + n + 2)
    (2 * n ^ 3 + 5 * n ^ 2 + 7 * n + 11) true model).
  { split; [exact E|]. split; [exact E|]. split; [exact H4|]. apply Forall_forall. intros ly Hly.
    destruct (H6 ly Hly) as (G1 & G2 & G3). split; [exact G1|].
    assert (Hs : ly = Layer [mean n; previous n] (first_block n) \/ ly = Layer [] (second_block n)
      \/ ly = Layer [match_begin n T; near n T] (step_block n false)
      \/ ly = Layer [near n T; far n T; pointer n] (step_block n true)).
    { destruct steps as [|k]; cbn [tree_decoder layers tree_layers] in Hly.
      - destruct Hly as [<-|[<-|[]]]; auto.
      - destruct Hly as [<-|[<-|[<-|Hly]]]; auto. apply repeat_spec in Hly. auto. }
    split.
    - apply Forall_forall. intros H HH. destruct (G2 H HH) as (A1 & A2).
      destruct Hs as [->|[->|[->| ->]]]; cbn [heads] in HH;
        repeat destruct HH as [<-|HH]; try contradiction;
        unfold table_head_fits; rewrite <- E; repeat split; try reflexivity; cbn in *; lia.
    - destruct Hs as [->|[->|[->| ->]]]; cbn [mlp] in *; unfold step_block in *;
        unfold first_block, second_block in *;
        cbn [tables_fit tables_of_kind units_of make_block gated_block high wide columns lines] in *;
        rewrite E; repeat split; auto. }
  destruct (model_fits e way (2 + steps) _ _ _ _ true model H1 D) as (M1 & M2 & M3).
  split; [exact M1|]. split; [exact M2|]. split; [exact M3|].
  destruct D as (D1 & D2 & _). repeat split; auto.
Qed.
End Trees.
