(** * The models of Theorems 2 and 3 on their tokens alone fit their sizes

    Section 4.2. Models of TreeModel.v, with exact products or with hidden units, as models of Pass.v with
    the sizes of Fits.v: Theorem 2 on a begin token and the word ([word_model_fits]), Theorem 3 and
    Corollary 1 on the tokens of str(t) ([clean_model_fits]), and both with exact products.

    Main definitions: [units_block], [products_block].
    Main theorems:    [tree_layers_fit], [word_model_fits], [clean_model_fits]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Compat Sums Theorem1 Theorem3 TreeModel TreeBlocks TreeContinuity TreeMLP TreeLayers.
From Assay Require Import FreeModel FreeBlocks CleanWords CleanWordsSoft CleanWordsEntries.
From Assay Require Import TreeSimulation CleanTreeModel CleanTreeLayers CleanTreeStatements.
From Assay Require Pass PassTrees Fits.
From Assay Require Simulation.
Import Simulation(dense, Dense, height, breadth, number_at).
Import Fits(sizes, Sizes, fits, consists, layer_fits, block_fits, run_block, row_times).
Import Fits(kind, Bilinears, MLPs, activation, of_kind).
Import ListNotations.
Open Scope R_scope.

(** ** Hidden units as an MLP *)

Definition no_neuron : neuron := Neuron 0 0 0 0 0 0.

Definition units_block (b : R) (entering leaving : nat) (us : list neuron) : Fits.block :=
  Fits.Perceptron
    (Dense entering (length us) (fun p u => let v := nth u us no_neuron in
       (if (p =? from_left v)%nat then left_gain v else 0)
       + (if (p =? from_right v)%nat then right_gain v else 0)))
    (fun _ => b)
    (Dense (length us) leaving (fun u c => let v := nth u us no_neuron in
       if (to v =? c)%nat then gain v else 0))
    (fun _ => 0).

Lemma lsum_nth {X} (f : X -> R) d : forall l, lsum f l = sum (length l) (fun u => f (nth u l d)).
Proof.
  induction l as [|x l IH]; [reflexivity|]. change (length (x :: l)) with (1 + length l)%nat.
  rewrite sum_add. cbn [sum nth]. rewrite Rplus_0_l.
  change (lsum f (x :: l)) with (f x + lsum f l). now rewrite IH.
Qed.

Lemma sum_at d k (x : nat -> R) g : (k < d)%nat ->
  sum d (fun p => x p * (if (p =? k)%nat then g else 0)) = x k * g.
Proof.
  intro Hk. rewrite (sum_single d _ k Hk).
  - now rewrite Nat.eqb_refl.
  - intros p _ Hne. apply Nat.eqb_neq in Hne. rewrite Hne. ring.
Qed.

Lemma units_are sigma b entering leaving us x c :
  Forall (fun v => (from_left v < entering)%nat /\ (from_right v < entering)%nat) us ->
  run_network sigma b us x c = run_block sigma (units_block b entering leaving us) x c.
Proof.
  intro H. unfold run_network, units_block. cbn [run_block]. rewrite Rplus_0_r.
  unfold row_times at 1. cbn [height number_at]. rewrite (lsum_nth _ no_neuron).
  apply sum_ext. intros u Hu.
  pose proof (proj1 (Forall_forall _ _) H (nth u us no_neuron) (nth_In _ _ Hu)) as [HL HR].
  set (v := nth u us no_neuron) in *. unfold row_times. cbn [height number_at]. fold v.
  rewrite (sum_ext entering _ (fun p => x p * (if (p =? from_left v)%nat then left_gain v else 0)
    + x p * (if (p =? from_right v)%nat then right_gain v else 0))) by (intros; ring).
  rewrite sum_plus, !sum_at by assumption. unfold fires.
  rewrite (Rmult_comm (x (from_left v))), (Rmult_comm (x (from_right v))).
  destruct (to v =? c)%nat; ring.
Qed.

(** Products of coordinates that enter. *)
Definition products_read (entering : nat) (ps : list product) : Prop :=
  Forall (fun p => (left_of p < entering)%nat /\ (right_of p < entering)%nat) ps.

Lemma network_reads tensor h s entering ps : products_read entering ps ->
  Forall (fun v => (from_left v < entering)%nat /\ (from_right v < entering)%nat) (network tensor h s ps).
Proof.
  intro H. apply Forall_forall. intros v Hv. apply in_flat_map in Hv as (p & Hp & Hv).
  pose proof (proj1 (Forall_forall _ _) H p Hp) as [HL HR].
  cbn in Hv. destruct Hv as [<-|[<-|[<-|[<-|[]]]]]; now split.
Qed.

(** ** Exact products as a bilinear layer *)

Definition products_block (number : weight -> R) (entering leaving : nat) (ps : list product) : Fits.block :=
  Fits.Bilinear (Dense entering entering I) (Dense entering entering I)
    (fun a b c => lsum (fun p => if (out p =? c)%nat then
       number (times p) * (if (a =? left_of p)%nat then 1 else 0) * (if (b =? right_of p)%nat then 1 else 0)
       else 0) ps)
    (Dense leaving leaving I).

Lemma row_identity d x c : (c < d)%nat -> row_times x (Dense d d I) c = x c.
Proof.
  intro Hc. unfold row_times. cbn [height number_at]. unfold I.
  rewrite (sum_ext d _ (fun p => x p * (if (p =? c)%nat then 1 else 0))).
  - rewrite sum_at by exact Hc. ring.
  - intros p _. destruct (p =? c)%nat; reflexivity.
Qed.

Lemma row_beyond d x c : (d <= c)%nat -> row_times x (Dense d d I) c = 0.
Proof.
  intro Hc. unfold row_times. cbn [height number_at]. apply sum_zero. intros p Hp. unfold I.
  destruct (Nat.eqb_spec p c); [lia|]. cbn [b2r]. ring.
Qed.

Lemma lsum_cons {X} (f : X -> R) x l : lsum f (x :: l) = f x + lsum f l.
Proof. reflexivity. Qed.

Lemma lsum_double k (g : product -> nat -> nat -> R) (x : nat -> R) ps :
  sum k (fun a => sum k (fun b => lsum (fun p => g p a b) ps * x a * x b))
  = lsum (fun p => sum k (fun a => sum k (fun b => g p a b * x a * x b))) ps.
Proof.
  induction ps as [|p ps IH].
  - apply sum_zero. intros. apply sum_zero. intros. unfold lsum. cbn. ring.
  - rewrite lsum_cons, <- IH, <- sum_plus. apply sum_ext. intros a _. rewrite <- sum_plus.
    apply sum_ext. intros b _. rewrite lsum_cons. ring.
Qed.

Lemma products_are sigma number entering leaving ps x c : products_read entering ps ->
  Forall (fun p => (out p < leaving)%nat) ps ->
  block number ps x c = run_block sigma (products_block number entering leaving ps) x c.
Proof.
  intros HR HO. unfold products_block. cbn [run_block]. unfold block.
  destruct (Nat.lt_ge_cases c leaving) as [Hc|Hc].
  - rewrite row_identity by exact Hc. cbn [breadth].
    rewrite (sum_ext entering _ (fun a => sum entering (fun b => lsum (fun p => if (out p =? c)%nat then
      number (times p) * (if (a =? left_of p)%nat then 1 else 0) * (if (b =? right_of p)%nat then 1 else 0)
      else 0) ps * x a * x b)))
      by (intros a Ha; apply sum_ext; intros b Hb; now rewrite !row_identity).
    rewrite (lsum_double entering (fun p a b => if (out p =? c)%nat then number (times p)
      * (if (a =? left_of p)%nat then 1 else 0) * (if (b =? right_of p)%nat then 1 else 0) else 0)).
    apply lsum_ext. intros p Hp. pose proof (proj1 (Forall_forall _ _) HR p Hp) as [HL Hr].
    destruct (out p =? c)%nat.
    2: { symmetry. apply sum_zero. intros. apply sum_zero. intros. ring. }
    rewrite (sum_single entering _ (left_of p) HL).
    + rewrite (sum_single entering _ (right_of p) Hr); rewrite ?Nat.eqb_refl; [ring|].
      intros b _ Hne. apply Nat.eqb_neq in Hne. rewrite Hne. ring.
    + intros a _ Hne. apply Nat.eqb_neq in Hne. apply sum_zero. intros b _. rewrite Hne. ring.
  - rewrite row_beyond by exact Hc. clear HR. induction HO as [|p ps Hp _ IH]; [reflexivity|].
    rewrite lsum_cons, IH. destruct (Nat.eqb_spec (out p) c); [lia|ring].
Qed.

(** ** Layers of TreeModel.v *)

Section Layers.
Context (d : nat) (number : weight -> R) (blocks : layer -> (nat -> R) -> nat -> R) (s : sizes)
  (k : Fits.kind).
Hypothesis dimension_is : Fits.embedding s = d.

(** What is asked of a layer: so many heads, queries and reads, and a block that fits. *)
Definition narrow_layer (ly : layer) : Prop :=
  let width := length (flat_map reads (heads ly)) in
  (length (heads ly) <= Fits.head_count s)%nat /\ Forall (PassTrees.head_fits d) (heads ly) /\
  Forall (fun h => (length (queries h) <= Fits.attention_width s)%nat /\
                   (length (reads h) <= Fits.attention_width s)%nat) (heads ly) /\
  (width <= Fits.joined_width s)%nat /\
  exists B, block_fits width d (Fits.hidden_width s) B /\ of_kind k B /\
    forall x c, blocks ly x c = run_block (activation k) B x c.

Lemma tree_layer_fits ly : narrow_layer ly ->
  layer_fits s k (PassTrees.layer_of_tree d number blocks ly).
Proof.
  intros (H1 & H2 & H3 & H4 & B & HB & HK & HF). split; [cbn; now rewrite map_length|]. split.
  { apply Forall_map, Forall_forall. intros h Hh.
    pose proof (proj1 (Forall_forall _ _) H2 h Hh) as (_ & _ & HQ & _).
    pose proof (proj1 (Forall_forall _ _) H3 h Hh) as [Hq Hr].
    unfold Fits.head_fits. rewrite dimension_is. cbn. now repeat split. }
  split.
  { cbn [PassTrees.layer_of_tree Pass.combine Pass.heads height]. clear.
    induction (heads ly) as [|h hs IH]; [reflexivity|].
    cbn [flat_map map]. rewrite app_length, IH. reflexivity. }
  split; [exact H4|]. split; [discriminate|]. exists B. rewrite dimension_is. now split.
Qed.

Theorem tree_layers_fit lys : Forall narrow_layer lys ->
  Forall (layer_fits s k) (map (PassTrees.layer_of_tree d number blocks) lys).
Proof. intro H. apply Forall_map. eapply Forall_impl; [|exact H]. exact tree_layer_fits. Qed.
End Layers.

Lemma tree_consists d number blocks kind lys :
  Forall (fun ly => Forall (fun h => how h = kind /\ seen h = Everywhere) (heads ly)) lys ->
  Forall (fun ly => Pass.residual ly = false /\
                    Forall (fun h => Pass.how h = kind /\ Pass.seen h = Everywhere) (Pass.heads ly))
    (map (PassTrees.layer_of_tree d number blocks) lys).
Proof.
  intro H. apply Forall_map. eapply Forall_impl; [|exact H]. intros ly Hly. split; [reflexivity|].
  apply Forall_map. exact Hly.
Qed.

(** ** Words *)

Section Words.
Variable n : nat.
Local Notation entering := (n ^ 2 + (n ^ 2 + 3))%nat.

Lemma word_reads mode l : length (flat_map reads (heads (word_layer n mode l))) = entering.
Proof.
  cbn [flat_map heads word_layer back_head self_head scored reads].
  rewrite !app_length, !seq_length. unfold word_dimension, entries. simpl. lia.
Qed.

Lemma word_products_fit :
  products_read entering (word_products n) /\ Forall (fun p => (out p < n ^ 2 + 3)%nat) (word_products n).
Proof.
  assert (E : (n ^ 2 = n * n)%nat) by (simpl; lia). rewrite E.
  split; apply Forall_app; (split; [apply Forall_forall; intros p Hp; unfold matrix_products in Hp;
    apply in_flat_map in Hp as (i & Hi & Hp); apply in_flat_map in Hp as (j & Hj & Hp);
    apply in_map_iff in Hp as (k & <- & Hk); apply in_seq in Hi, Hj, Hk; cbn; unfold entries; nia
  | repeat constructor; cbn; unfold entries, at_one, at_place, at_square; lia]).
Qed.

Lemma word_units h s : length (network nothing h s (word_products n)) = (4 * (n ^ 3 + 3))%nat.
Proof.
  rewrite width_of_network. unfold word_products. rewrite app_length, map_length. cbn [length].
  unfold matrix_products. rewrite (flat_map_length _ (n * n)%nat), seq_length; [simpl; lia|].
  intro a. rewrite (flat_map_length _ n), seq_length; [reflexivity|]. intro a'.
  now rewrite map_length, seq_length.
Qed.

Lemma word_layers_fit number blocks mode depth hidden k :
  (exists B, block_fits entering (n ^ 2 + 3) hidden B /\ of_kind k B /\
    forall l x c, blocks (word_layer n mode l) x c = run_block (activation k) B x c) ->
  Forall (layer_fits (Sizes depth (n ^ 2 + 3) 2 (n ^ 2 + 3) entering hidden n) k)
    (map (PassTrees.layer_of_tree (word_dimension n) number blocks) (word_model n mode depth)).
Proof.
  intros (B & HB & HK & HF). assert (E : (n ^ 2 + 3 = word_dimension n)%nat)
    by (unfold word_dimension, entries; simpl; lia).
  apply tree_layers_fit; [exact E|]. apply Forall_forall. intros ly Hly.
  apply in_map_iff in Hly as (l & <- & _). split; [cbn; lia|]. split; [apply word_fits|]. split.
  - repeat constructor; cbn [queries reads scored back_head self_head heads word_layer];
      rewrite ?map_length, ?seq_length; cbn -[Nat.pow]; unfold word_dimension, entries; simpl; lia.
  - rewrite word_reads, <- E. split; [apply le_n|]. exists B. split; [exact HB|]. split; [exact HK|]. intros. apply HF.
Qed.

Lemma word_consists d number blocks mode depth :
  Forall (fun ly => Pass.residual ly = false /\
                    Forall (fun h => Pass.how h = mode /\ Pass.seen h = Everywhere) (Pass.heads ly))
    (map (PassTrees.layer_of_tree d number blocks) (word_model n mode depth)).
Proof.
  apply tree_consists, Forall_forall. intros ly Hly. apply in_map_iff in Hly as (l & <- & _).
  repeat constructor.
Qed.

Theorem word_model_fits depth alpha sigma C b h s :
  let m := word_pass_model n depth alpha sigma C b h s in
  fits (Sizes depth (n ^ 2 + 3) 2 (n ^ 2 + 3) entering (4 * (n ^ 3 + 3)) n) (MLPs sigma) m /\
  consists Soft Everywhere false m /\ Fits.given_once m.
Proof.
  intro m. split; [|split; [apply word_consists|intro; reflexivity]].
  split; [cbn; unfold word_model; now rewrite !map_length, seq_length|].
  split; [|split; [cbn; unfold word_dimension, entries; simpl; lia|reflexivity]].
  apply word_layers_fit. exists (units_block b entering (n ^ 2 + 3) (network nothing h s (word_products n))).
  split; [|split; [exact Logic.I|]].
  - cbn [block_fits units_block height breadth]. rewrite word_units. repeat split; auto.
  - intros l x c. apply units_are, network_reads, word_products_fit.
Qed.

(** The same with hard attention and exact products. *)
Definition exact_word_model depth alpha : Pass.model :=
  pass_model n alpha (fixed nothing 1) (fun ly => block (fixed nothing 1) (products ly)) (word_model n Hard depth).

Theorem exact_words_pass {Sigma : Type} depth alpha (A : Sigma -> mat) x r j : (j < n)%nat ->
  exact_words n depth alpha A x r j
  = Pass.forward (S (length x)) (exact_word_model depth alpha)
      (fun r => word_tokens n A (Simulation.letter x (Z.of_nat r)) r) r j.
Proof. apply run_words_pass. Qed.

Theorem exact_model_fits depth alpha :
  let m := exact_word_model depth alpha in
  fits (Sizes depth (n ^ 2 + 3) 2 (n ^ 2 + 3) entering (2 * entering) n) Bilinears m /\
  consists Hard Everywhere false m /\ Fits.given_once m.
Proof.
  intro m. split; [|split; [apply word_consists|intro; reflexivity]].
  split; [cbn; unfold word_model; now rewrite !map_length, seq_length|].
  split; [|split; [cbn; unfold word_dimension, entries; simpl; lia|reflexivity]].
  apply word_layers_fit. exists (products_block (fixed nothing 1) entering (n ^ 2 + 3) (word_products n)).
  split; [|split; [exact Logic.I|]].
  - cbn [block_fits products_block height breadth]. repeat split; lia.
  - intros l x c. apply products_are; apply word_products_fit.
Qed.
End Words.

(** ** Trees *)

Section Trees.
Variable n : nat.
Local Notation entering := (4 * n + 12)%nat.

Lemma clean_reads mode : length (flat_map reads (heads (clean_layer n mode))) = entering.
Proof.
  cbn [flat_map heads clean_layer clean_left clean_right clean_own scored reads].
  rewrite !app_length, !length_passed, seq_length. unfold clean_dimension. simpl. lia.
Qed.

Ltac each_product H := unfold clean_products, clean_copies, clean_rest, free_tensor, vector_tensor in H;
  repeat (apply in_app_iff in H as [H|H]);
  try (apply in_flat_map in H as (? & ?H & H); apply in_flat_map in H as (? & ?H & H));
  try (apply in_map_iff in H as (? & <- & ?H)); cbn [In] in *;
  repeat match goal with I : In _ (seq _ _) |- _ => apply in_seq in I end;
  repeat match goal with I : _ \/ _ |- _ => destruct I as [I|I] end; try contradiction; subst;
  cbn [left_of right_of out copy free_gate]; unfold left_done, left_size, right_done, right_size,
    right_from, own_at, own_from in *; unfold free_gate, copy, own_at, own_from, right_from;
  cbn [left_of right_of out]; clean_coordinates.

Lemma clean_products_read : products_read entering (clean_products n).
Proof. apply Forall_forall. intros p Hp. each_product Hp; lia. Qed.

Lemma clean_products_write : Forall (fun p => (out p < 2 * n + 8)%nat) (clean_products n).
Proof. apply Forall_forall. intros p Hp. each_product Hp; lia. Qed.

Theorem clean_model_fits number blocks mode depth hidden k :
  (exists B, block_fits entering (2 * n + 8) hidden B /\ of_kind k B /\
    forall x c, blocks (clean_layer n mode) x c = run_block (activation k) B x c) ->
  let m := PassTrees.model_of_tree (clean_dimension n) number blocks (clean_model n mode depth) in
  fits (Sizes depth (2 * n + 8) 3 (2 * n + 8) entering hidden n) k m /\
  consists mode Everywhere false m /\ Fits.given_once m.
Proof.
  intros (B & HB & HK & HF) m. destruct (clean_fits n mode depth) as [Hfits _].
  split; [|split; [|intro; reflexivity]].
  - split; [cbn; now rewrite map_length, repeat_length|].
    split; [|split; [reflexivity|cbn; now rewrite seq_length]].
    apply tree_layers_fit; [reflexivity|]. apply Forall_forall. intros ly Hly.
    pose proof (Hfits ly Hly) as Hheads. apply repeat_spec in Hly as ->.
    split; [cbn; lia|]. split; [exact Hheads|]. split.
    + repeat constructor; cbn [queries reads scored clean_left clean_right clean_own];
        rewrite ?map_length, ?length_passed, ?seq_length; cbn; unfold clean_dimension; lia.
    + rewrite clean_reads. split; [apply le_n|]. exists B. now split.
  - apply tree_consists, Forall_forall. intros ly Hly. apply repeat_spec in Hly as ->. repeat constructor.
Qed.

Lemma clean_units_fit depth tensor C sigma b h s :
  let m := PassTrees.model_of_tree (clean_dimension n) (fixed tensor C)
    (fun ly => run_network sigma b (network tensor h s (products ly))) (clean_model n Soft depth) in
  fits (Sizes depth (2 * n + 8) 3 (2 * n + 8) entering (4 * (2 * n ^ 3 + 3 * n + 20)) n) (MLPs sigma) m /\
  consists Soft Everywhere false m /\ Fits.given_once m.
Proof.
  apply clean_model_fits.
  exists (units_block b entering (2 * n + 8) (network tensor h s (clean_products n))). split; [|split; [exact Logic.I|]].
  - cbn [block_fits units_block height breadth]. rewrite clean_width. repeat split; auto.
  - intros x c. apply units_are, network_reads, clean_products_read.
Qed.

Lemma clean_products_fit depth tensor :
  let m := PassTrees.model_of_tree (clean_dimension n) (fixed tensor 1)
    (fun ly => block (fixed tensor 1) (products ly)) (clean_model n Hard depth) in
  fits (Sizes depth (2 * n + 8) 3 (2 * n + 8) entering (2 * entering) n) Bilinears m /\
  consists Hard Everywhere false m /\ Fits.given_once m.
Proof.
  apply clean_model_fits.
  exists (products_block (fixed tensor 1) entering (2 * n + 8) (clean_products n)). split; [|split; [exact Logic.I|]].
  - cbn [block_fits products_block height breadth]. repeat split; lia.
  - intros x c. apply products_are; [apply clean_products_read|apply clean_products_write].
Qed.
End Trees.
