(** * The encoder of logarithmic depth fits its sizes

    Section 4.2. The model of LogDepthEncoderShort.v, with hidden units, as a model of Pass.v with the
    sizes of Fits.v: embedding n^2 + n + 12, at most four heads, O(n^3) hidden units, whatever the length
    and the tree.

    Main theorem: [short_model_fits]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Theorem3 TreeModel TreeBlocks TreeContinuity TreeMLP TreeSimulation SoftStep.
From Assay Require Import CleanTreeModel FitsTrees LogDepthEncoderLift LogDepthEncoder.
From Assay Require Import LogDepthEncoderStatements LogDepthEncoderSum LogDepthEncoderShort.
From Assay Require Pass PassTrees Fits.
Import Fits(Sizes, fits, consists, block_fits, run_block, MLPs).
Import ListNotations.
Open Scope R_scope.

Section LogDepth.
Variable n : nat.
Local Notation d := (encoder_dimension n).

Definition terms_read (width : nat) (g : stage) : Prop :=
  forall c x, (c < d)%nat -> In x (terms g c) -> (fst (fst x) < width)%nat /\ (snd (fst x) < width)%nat.

Lemma terms_products width g : terms_read width g -> products_read width (products_of d g).
Proof.
  intro H. apply Forall_forall. intros p Hp. apply in_flat_map in Hp as (c & Hc & Hp).
  apply in_map_iff in Hp as (x & <- & Hx). apply in_seq in Hc. apply (H c x); [lia|exact Hx].
Qed.

(** Each of finitely many terms that are written out. *)
Ltac each_term := unfold keep, left_known, right_known, both_known, one_term in *; cbn [In app] in *;
  repeat match goal with I : _ \/ _ |- _ => destruct I as [I|I] end; try contradiction; subst;
  cbn [fst snd]; unfold at_left, at_right, under, e_M, encoder_dimension in *; e_unfold; try (split; nia).

Lemma sum_read A : terms_read (2 * d) (sum_stage n A).
Proof.
  intros c x Hc H. cbn [terms sum_stage] in H. unfold sum_terms in H.
  destruct (c =? e_count)%nat; [each_term|]. destruct (c =? e_depth2)%nat; [each_term|].
  destruct ((c =? e_phi) || (c =? e_c))%nat; each_term.
Qed.

Lemma match_read T : terms_read (2 * d) (match_stage n T).
Proof.
  intros c x Hc H. cbn [terms match_stage] in H. unfold match_terms in H.
  destruct (c =? e_phi)%nat; [each_term|]. destruct ((7 <=? c) && (c <? 12))%nat; each_term.
Qed.

Lemma state_read k x : (k < n)%nat -> In x (state_terms n k) ->
  (fst (fst x) < 4 * d)%nat /\ (snd (fst x) < 4 * d)%nat.
Proof.
  intros Hk H. unfold state_terms in H. rewrite !in_app_iff in H. destruct H as [H|[H|H]].
  - each_term.
  - apply in_map_iff in H as (m & <- & Hm). apply in_seq in Hm. cbn [one_term fst snd].
    unfold under, e_M, encoder_dimension. e_unfold. split; nia.
  - apply in_flat_map in H as (l & Hl & H). apply in_flat_map in H as (r & Hr & H). apply in_seq in Hl, Hr.
    each_term.
Qed.

Lemma matrix_read a q x : (a < n)%nat -> (q < n)%nat -> In x (matrix_terms n a q) ->
  (fst (fst x) < 4 * d)%nat /\ (snd (fst x) < 4 * d)%nat.
Proof.
  intros Ha Hq H. unfold matrix_terms in H. rewrite !in_app_iff in H. destruct H as [H|[H|H]].
  - apply in_map_iff in H as (m & <- & Hm). apply in_seq in Hm. cbn [one_term fst snd].
    unfold under, e_M, encoder_dimension. e_unfold. split; nia.
  - apply in_flat_map in H as (j & Hj & H). apply in_seq in Hj. each_term.
  - unfold diagonal_terms in H. destruct (a =? q)%nat; each_term.
Qed.

Lemma step_read : terms_read (4 * d) (step_stage n).
Proof.
  intros c x Hc H. cbn [terms step_stage] in H. unfold step_terms in H.
  destruct (c <? 4)%nat; [each_term|]. destruct (c =? e_f)%nat; [each_term|].
  destruct (c =? e_g)%nat; [each_term|]. destruct (c =? e_c)%nat; [each_term|].
  destruct (Nat.ltb_spec c 12) as [|H12]; [each_term|].
  destruct (Nat.ltb_spec c (e_M n)) as [HM|HM]; unfold e_M, encoder_dimension in *.
  - apply (state_read (c - 12)); [lia|exact H].
  - assert (n <> 0)%nat by (intro E; rewrite E in *; lia).
    apply (matrix_read ((c - (12 + n)) / n) ((c - (12 + n)) mod n)); [|now apply Nat.mod_upper_bound|exact H].
    apply Nat.div_lt_upper_bound; lia.
Qed.

(** ** The model *)

Local Notation embedding := (n ^ 2 + n + 12)%nat.
Local Notation units := (4 * (10 * n ^ 3 + 6 * n ^ 2 + n + 108))%nat.

Lemma embedding_is : embedding = d.
Proof. unfold encoder_dimension. simpl. lia. Qed.

Lemma looks_reads g : length (flat_map reads (heads (layer_of d Soft g))) = (length (looks g) * d)%nat.
Proof.
  cbn [heads layer_of]. unfold heads_of, specs. induction (looks g) as [|p ps IH]; [reflexivity|].
  cbn [map flat_map length]. rewrite app_length, IH. cbn [spec_of head_of scored reads].
  rewrite seq_length. lia.
Qed.

Theorem short_model_fits T A steps tensor C sigma b h s :
  let m := PassTrees.model_of_tree d (fixed tensor C)
    (fun ly => run_network sigma b (network tensor h s (products ly))) (short_encoder n T A steps) in
  fits (Sizes (2 + steps) embedding 4 embedding (4 * embedding) units n) (MLPs sigma) m /\
  consists Soft Everywhere false m /\ Fits.given_once m.
Proof.
  intro m. pose proof embedding_is as E. pose proof (dimension_12 n) as D.
  destruct (short_fits n T A steps) as [Hheads _].
  destruct (short_sizes_are n T A steps tensor h s) as (Hlength & _ & _ & Hsizes).
  assert (Hblocks : forall ly, In ly (layers (short_encoder n T A steps)) ->
    exists width, length (flat_map reads (heads ly)) = width /\ (width <= 4 * d)%nat /\
                  products_read width (products ly)).
  { intros ly [<-|Hly].
    - exists (2 * d)%nat. split; [|split; [lia|apply (terms_products _ (sum_stage n A)), sum_read]].
      cbn [heads sum_layer flat_map head_of spec_of scored reads sum_head].
      rewrite !app_length, !seq_length. cbn [length]. lia.
    - apply in_map_iff in Hly as (g & <- & Hg). exists (length (looks g) * d)%nat.
      split; [apply looks_reads|]. destruct Hg as [<-|Hg].
      + cbn [looks match_stage length]. split; [lia|]. apply terms_products, match_read.
      + apply repeat_spec in Hg as ->. cbn [looks step_stage length]. split; [lia|].
        apply terms_products, step_read. }
  split; [|split; [|intro; reflexivity]].
  - split; [cbn [m PassTrees.model_of_tree Pass.layers]; now rewrite map_length|].
    split; [|split; [cbn; lia|cbn; now rewrite seq_length]].
    apply tree_layers_fit; [exact E|]. apply Forall_forall. intros ly Hly.
    destruct (Hsizes ly Hly) as (H1 & H2 & H3). destruct (Hblocks ly Hly) as (width & <- & Hw & Hr).
    split; [exact H1|]. split; [exact (Hheads ly Hly)|]. split.
    { apply Forall_forall. intros hd Hhd. destruct (H2 hd Hhd) as (_ & _ & H4 & H5).
      cbn [Fits.attention_width]. lia. }
    split; [cbn [Fits.joined_width]; lia|].
    exists (units_block b (length (flat_map reads (heads ly))) d (network tensor h s (products ly))).
    split; [|split; [exact Logic.I|intros; now apply units_are, network_reads]].
    cbn [block_fits units_block Simulation.height Simulation.breadth Fits.hidden_width]. repeat split. exact H3.
  - apply tree_consists, Forall_forall. intros ly Hly. apply Forall_forall. intros hd Hhd.
    destruct (Hsizes ly Hly) as (_ & H2 & _). now destruct (H2 hd Hhd) as (? & ? & _).
Qed.
End LogDepth.
