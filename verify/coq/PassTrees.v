(** * The models of Theorem 3 as instances of the one forward pass

    Section 4.2. The models of TreeModel.v and FreeModel.v are lists of linear forms, of coordinates that
    are read and of products; as matrices they run through the pass of Pass.v: W_Q and W_K have the
    coefficients of the forms, W_V and the readout pick coordinates, W_O is the identity, positions are
    taken from the embedding again, and the block is what the layer's products, or the hidden units in
    their place, compute.

    Main definitions: [form_matrix], [picking], [model_of_tree], [fits].
    Main theorems:    [any_pass], [tree_pass], [theorem3_pass], [theorem3_exact_pass], [masked_pass]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Compat Sums Trees Theorem3 Activation TreeModel TreeBlocks TreeLayers TreeContinuity.
From Assay Require Import FreeModel SharedUnits TreeSimulation TreeStatements.
From Assay Require Model Simulation Pass.
Import Simulation(dense, Dense, height, breadth, number_at).
Import ListNotations.
Open Scope R_scope.

(** ** Forms and coordinates as matrices *)

Section Matrices.
Variable d : nat.                   (* coordinates of a token *)
Variable number : weight -> R.

Definition coefficient (f : form) (c : nat) : R :=
  lsum (fun p => if (fst p =? c)%nat then number (snd p) else 0) f.
Definition form_matrix (fs : list form) : dense :=
  Dense d (length fs) (fun c i => coefficient (nth i fs []) c).
Definition picking (cs : list nat) : dense :=
  Dense d (length cs) (fun c k => b2r (c =? nth k cs 0)%nat).

Definition head_of_tree (h : head) : Pass.head :=
  Pass.Head (form_matrix (queries h)) (fun _ => 0) (form_matrix (keys h)) (picking (reads h))
    (how h) (seen h).

Definition layer_of_tree (blocks : layer -> (nat -> R) -> nat -> R) (ly : layer) : Pass.layer :=
  let width := length (flat_map reads (heads ly)) in
  Pass.Layer (map head_of_tree (heads ly)) (Dense width width I) (blocks ly) false.

Definition model_of_tree (blocks : layer -> (nat -> R) -> nat -> R) (m : transformer) : Pass.model :=
  Pass.Model (map (layer_of_tree blocks) (layers m)) (fun c => existsb (Nat.eqb c) (renewed m))
    (picking (readout m)) (fun _ => 0).

(** All coordinates are below d, and there are as many queries as keys. *)
Definition form_fits (f : form) : Prop := Forall (fun p => (fst p < d)%nat) f.
Definition head_fits (h : head) : Prop :=
  Forall form_fits (queries h) /\ Forall form_fits (keys h) /\
  length (queries h) = length (keys h) /\ Forall (fun c => (c < d)%nat) (reads h).
Definition fits (m : transformer) : Prop :=
  (forall ly, In ly (layers m) -> Forall head_fits (heads ly)) /\
  Forall (fun c => (c < d)%nat) (readout m).

Lemma form_times f x : form_fits f -> sum d (fun c => x c * coefficient f c) = apply_form number f x.
Proof.
  induction 1 as [|[k v] f Hk _ IH].
  - apply sum_zero. intros. unfold coefficient, lsum. cbn. ring.
  - cbn [fst] in Hk. unfold apply_form, coefficient, lsum in *. cbn [fold_right fst snd] in *.
    rewrite <- IH. rewrite (sum_ext d _ (fun c => (if (c =? k)%nat then x k * number v else 0)
      + x c * fold_right (fun p s => (if (fst p =? c)%nat then number (snd p) else 0) + s) 0 f)).
    + rewrite sum_plus. f_equal. rewrite (sum_single d _ k Hk); [now rewrite Nat.eqb_refl; ring|].
      intros p _ Hne. now destruct (Nat.eqb_spec p k).
    + intros c _. rewrite (Nat.eqb_sym k c). destruct (Nat.eqb_spec c k) as [->|]; ring.
Qed.

Lemma form_matrix_times X fs r i : Forall form_fits fs -> (i < length fs)%nat ->
  Simulation.times X (form_matrix fs) r i = apply_form number (nth i fs []) (X r).
Proof.
  intros H Hi. unfold Simulation.times, mmul. cbn [form_matrix height number_at].
  apply form_times. apply (proj1 (Forall_forall _ _) H), nth_In, Hi.
Qed.

Lemma picking_times X cs r k : Forall (fun c => (c < d)%nat) cs -> (k < length cs)%nat ->
  Simulation.times X (picking cs) r k = X r (nth k cs 0%nat).
Proof.
  intros H Hk. unfold Simulation.times, mmul. cbn [picking height number_at].
  pose proof (proj1 (Forall_forall _ _) H (nth k cs 0%nat) (nth_In _ _ Hk)) as Hd.
  rewrite (sum_single d _ (nth k cs 0%nat) Hd).
  - rewrite Nat.eqb_refl. cbn [b2r]. ring.
  - intros p _ Hne. apply Nat.eqb_neq in Hne. rewrite Hne. cbn [b2r]. ring.
Qed.

Lemma lsum_combine (g : form * form -> R) : forall l l', length l = length l' ->
  lsum g (combine l l') = sum (length l) (fun i => g (nth i l [], nth i l' [])).
Proof.
  induction l as [|x l IH]; intros [|y l'] H; try discriminate; [reflexivity|].
  cbn [combine length]. injection H as H. change (S (length l)) with (1 + length l)%nat.
  rewrite sum_add. cbn [sum nth]. rewrite Rplus_0_l.
  change (g (x, y) + lsum g (combine l l') = g (x, y) + sum (length l) (fun i => g (nth i l [], nth i l' []))).
  now rewrite IH.
Qed.

Lemma scores_are h X : head_fits h -> score number h X = Pass.scores (head_of_tree h) X.
Proof.
  intros (HQ & HK & HL & _). apply functional_extensionality. intro r.
  apply functional_extensionality. intro s. unfold score, Pass.scores.
  cbn [head_of_tree Pass.query Pass.key Pass.query_bias]. rewrite lsum_combine by exact HL.
  cbn [form_matrix breadth]. apply sum_ext. intros i Hi.
  rewrite !form_matrix_times by (auto; lia). cbn [fst snd]. ring.
Qed.

Lemma joined_are tokens hs X : Forall head_fits hs ->
  joined number tokens hs X = Pass.joined tokens (map head_of_tree hs) X.
Proof.
  induction 1 as [|h hs Hh _ IH]; [reflexivity|].
  apply functional_extensionality. intro r. apply functional_extensionality. intro k.
  unfold Pass.joined in *. cbn [map joined Model.concat]. cbn [head_of_tree Pass.value picking breadth].
  destruct (Nat.ltb_spec k (length (reads h))) as [Hk|Hk]; [|now rewrite IH].
  unfold Pass.attended, mmul, read, weights.
  cbn [Pass.how Pass.seen Pass.value head_of_tree]. rewrite <- (scores_are h X Hh).
  apply sum_ext. intros s _. f_equal. symmetry. apply picking_times; [apply Hh|exact Hk].
Qed.

(** Beyond its width nothing is read. *)
Lemma joined_beyond tokens hs X r : forall k, (length (flat_map reads hs) <= k)%nat ->
  joined number tokens hs X r k = 0.
Proof.
  induction hs as [|h hs IH]; intros k Hk; [reflexivity|]. cbn [joined flat_map] in *.
  rewrite app_length in Hk. destruct (Nat.ltb_spec k (length (reads h))); [lia|]. apply IH. lia.
Qed.

Lemma combined_are tokens hs X : Forall head_fits hs ->
  Simulation.times (Pass.joined tokens (map head_of_tree hs) X)
    (Dense (length (flat_map reads hs)) (length (flat_map reads hs)) I)
  = joined number tokens hs X.
Proof.
  intro H. rewrite <- joined_are by exact H.
  apply functional_extensionality. intro r. apply functional_extensionality. intro k.
  unfold Simulation.times, mmul. cbn [height number_at]. set (w := length _).
  destruct (Nat.lt_ge_cases k w) as [Hk|Hk].
  - rewrite (sum_single w _ k Hk); unfold I.
    + rewrite Nat.eqb_refl. cbn [b2r]. ring.
    + intros p _ Hne. apply Nat.eqb_neq in Hne. rewrite Hne. cbn [b2r]. ring.
  - rewrite joined_beyond by exact Hk. apply sum_zero. intros p Hp. unfold I.
    destruct (Nat.eqb_spec p k); [lia|]. cbn [b2r]. ring.
Qed.

(** All layers, some coordinates of which are taken from E again. *)
Lemma layers_are tokens blocks again (E : mat) lys X : (forall ly, In ly lys -> Forall head_fits (heads ly)) ->
  fold_left (run_with number tokens blocks again E) lys X
  = fold_left (fun X ly r c => if existsb (Nat.eqb c) again then E r c else Pass.run_layer tokens ly X r c)
      (map (layer_of_tree blocks) lys) X.
Proof.
  intro HL. apply fold_left_map_same. intros ly Hly Y.
  apply functional_extensionality. intro r'. apply functional_extensionality. intro c.
  unfold run_with. destruct (existsb _ _); [reflexivity|].
  unfold Pass.run_layer, Pass.after_attention, Pass.added.
  cbn [layer_of_tree Pass.residual Pass.feedforward Pass.heads Pass.combine].
  now rewrite combined_are by now apply HL.
Qed.

(** The pass of TreeModel.v is the one of Pass.v. *)
Theorem any_pass tokens m blocks E r k : fits m -> (k < length (readout m))%nat ->
  forward_with number tokens blocks m E r k = Pass.forward tokens (model_of_tree blocks m) E r k.
Proof.
  intros [HL HR] Hk. unfold forward_with, Pass.forward, Pass.run_layers.
  cbn [model_of_tree Pass.layers Pass.renewed Pass.readout Pass.offset]. rewrite Rplus_0_r.
  rewrite picking_times by assumption. now rewrite layers_are.
Qed.

(** So is the pass of TreeSimulation.v. *)
Theorem tree_pass {Sigma : Type} m blocks token (w : list (symbol Sigma)) r k :
  fits m -> (k < length (readout m))%nat ->
  run_tree number m blocks token w r k
  = Pass.forward (rows w) (model_of_tree blocks m) (fun r => token (nth_error w r) r) r k.
Proof. apply any_pass. Qed.
End Matrices.

(** ** The models *)

Lemma below_all k d : (k <= d)%nat -> Forall (fun c => (c < d)%nat) (seq 0 k).
Proof. intro H. apply Forall_forall. intros c Hc. apply in_seq in Hc. lia. Qed.

Ltac small := repeat constructor; cbn [fst snd]; unfold free_dimension, dimension, free_kind, free_done,
  free_size, free_target, at_one, at_place, at_square, at_count, at_kind, at_mark; lia.

Lemma free_fits n tokens mode count : fits (free_dimension n) (free_model n tokens mode count).
Proof.
  split; [|apply below_all; unfold free_dimension; lia].
  intros ly H. cbn in H. apply repeat_spec in H as ->. cbn [heads free_layer].
  assert (P : Forall (fun c => (c < free_dimension n)%nat) (passed n)).
  { apply Forall_app. split; [apply below_all; unfold free_dimension; lia|small]. }
  repeat apply Forall_cons; [| | |constructor]; (split; [|split; [|split; [reflexivity|]]]);
    cbn [free_left free_right free_own scored queries keys reads]; try exact P.
  all: try (apply below_all; lia).
  all: cbn; small.
Qed.

Lemma tree_fits n tokens kind count : fits (dimension n) (tree_model n tokens kind count).
Proof.
  split; [|apply below_all; unfold dimension; lia].
  assert (S0 : Forall (fun c => (c < dimension n)%nat) (seq 0 n))
    by (apply below_all; unfold dimension; lia).
  assert (Own : head_fits (dimension n) (own_head n kind)).
  { split; [constructor|]. split; [constructor|]. split; [reflexivity|]. apply below_all. lia. }
  assert (Mean : head_fits (dimension n) (mean_head n kind)).
  { split; [constructor|]. split; [constructor|]. split; [reflexivity|]. small. }
  assert (Previous : head_fits (dimension n) (previous_head n kind)).
  { split; [cbn; small|]. split; [cbn; small|]. split; [reflexivity|]. small. }
  assert (Left : head_fits (dimension n) (left_head n tokens kind)).
  { split; [cbn; small|]. split; [cbn; small|]. split; [reflexivity|exact S0]. }
  assert (Right : head_fits (dimension n) (right_head n tokens kind)).
  { split; [cbn; small|]. split; [cbn; small|]. split; [reflexivity|exact S0]. }
  intros ly H. cbn [tree_model layers] in H.
  destruct H as [<-|[<-|H]]; [| |apply repeat_spec in H as ->];
    cbn [heads first_layer second_layer parse_layer]; auto.
Qed.

(** Theorem 3: the model with softmax and MLPs, without masks. *)
Theorem theorem3_pass {Sigma : Type} n T depth (leaf : Sigma -> nat -> R) tensor sigma C b h s w r k :
  (k < n)%nat -> tree_network n T depth leaf tensor sigma C b h s w r k
  = Pass.forward (rows w)
      (model_of_tree (free_dimension n) (fixed tensor C)
         (fun ly => run_units tensor sigma b h s (shared (products ly))) (free_model n (S T) Soft depth))
      (fun r => free_tokens n T leaf (nth_error w r) r) r k.
Proof.
  intro Hk. apply tree_pass; [apply free_fits|]. cbn [readout free_model]. now rewrite seq_length.
Qed.

(** Theorem 3 with hard attention and exact products, or softmax and exact products. *)
Theorem theorem3_exact_pass {Sigma : Type} n T depth mode (leaf : Sigma -> nat -> R) tensor C w r k :
  (k < n)%nat -> run_free n leaf tensor C w mode T depth r k
  = Pass.forward (rows w)
      (model_of_tree (free_dimension n) (fixed tensor C)
         (fun ly => block (fixed tensor C) (products ly)) (free_model n (S T) mode depth))
      (fun r => free_tokens n T leaf (nth_error w r) r) r k.
Proof.
  intro Hk. rewrite exact_free_is_fixed. apply tree_pass; [apply free_fits|].
  cbn [readout free_model]. now rewrite seq_length.
Qed.

(** The pass of TreeModel.v itself, for the models with masks, on any embedding. *)
Theorem masked_pass n tokens kind height value N (E : mat) r k : (k < n)%nat ->
  forward value N (tree_model n tokens kind height) E r k
  = Pass.forward N
      (model_of_tree (dimension n) value (fun ly => block value (products ly))
         (tree_model n tokens kind height)) E r k.
Proof.
  intro Hk. apply any_pass; [apply tree_fits|]. cbn [readout tree_model]. now rewrite seq_length.
Qed.
