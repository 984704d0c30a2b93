(** * Further theorems on concrete data

    What the other two files of instances do not use: strings and places of trees, the scan, the width
    equations, ReLU, the heads with softmax, the error recursions, Equation (1), decoders with explicit
    constants. Each theorem is applied, and something comes out.

    Main theorems: one example for each theorem named in it. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Theorem1 Softmax Recursion Spectral Activation InUse.
From Assay Require Import Trees Theorem3 Pebbling.
From Assay Require Model Sizes Scan Gap Attention Saturation Equation1 SecondLayer Gelu Hypotheses Relu.
From Assay Require Combs Height LogDepth Places SoftToHard TreeModel TreeScores TreeLayers TreeSoft TreeRecursion.
From Assay Require TreeSimulation NoPads NoPadsWeights Pass PassTrees Fits SharedUnits ReluSpan ReluTransformers ReluTrees.
From Assay Require DecoderModel DecoderWeights DecoderStates DecoderActivation Decoder DecoderForm DecoderEntries.
From Assay Require TreeDecoderModel TreeDecoder TreeDecoderEnds TreeDecoderSteps TreeDecoderRates TreeDecoderHeld.
From Assay Require Simulation Theorem2 Theorem2Rates Main Instances InstancesMain.
Import Instances(sample, leaf, ones, four_at_root, sample_right, sign, sign_norm).
Import InstancesMain(pair, values, relu_odd, relu_one, plastic_large, pair_leaves).
Import ListNotations.
Open Scope R_scope.

(** ** Trees, their strings and their places *)

Example str_injective_sample t : str t = str sample -> t = sample.
Proof. apply str_injective. Qed.

Example depth_formula_sample : depth_at (str sample) 2 = 1%Z.
Proof. exact (depth_formula _ sample 2 1 _ sample_right). Qed.

Example printed_depth_differs : printed_depth (str (Node (Leaf true) (Leaf false))) 1
  <> depth_at (str (Node (Leaf true) (Leaf false))) 1.
Proof.
  destruct printed_depth_refuted as [H G].
  apply (f_equal (fun l => nth 1 l 0%Z)) in H, G. cbn [map nth] in H, G. rewrite H, G. discriminate.
Qed.

Example tau_exactly_one_sample : exists! u, occurs (str sample) 2 u.
Proof. apply (tau_exactly_one _ sample 2 Open); [reflexivity|discriminate]. Qed.

Example places_sample : exists! way, Places.place sample way = Some 2%nat.
Proof. apply (Places.places_one_to_one sample) with (s := Open); [reflexivity|discriminate]. Qed.

Example comb_height_three : Trees.height (Combs.comb true [false; false]) = 2%nat.
Proof. pose proof (Combs.comb_height true [false; false]) as H. cbn in *. lia. Qed.

Example steps_height_sample : mode 2 sample = Pebbled.
Proof. exact (Height.steps_height sample). Qed.

Example bound_attained_three : mode 2 (Height.slow 3) <> Pebbled /\ mode 3 (Height.slow 3) = Pebbled.
Proof. destruct (Height.bound_attained 3 ltac:(lia)) as (_ & H). exact H. Qed.

Example logdepth_pair rho : 0 < rho -> rho ^ 3 = rho + 1 ->
  LogDepth.b (LogDepth.run 1 values (fun _ _ _ => 5) 1 pair) 0%nat = 30.
Proof.
  intros Hr H3. rewrite (LogDepth.logdepth_plastic 1 values (fun _ _ _ => 5) rho pair 1 0%nat Hr H3 ltac:(lia)
    (pair_leaves rho Hr H3)). exact InstancesMain.pair_state.
Qed.

Example steps_bound_slow rho : 0 < rho -> rho ^ 3 = rho + 1 ->
  rho ^ 3 <= (INR (leaves (Height.slow 3)) + 1) / 2.
Proof.
  intros Hr H3. apply (LogDepth.steps_bound rho 3); auto. exact (proj1 bound_attained_three).
Qed.

Example steps_suffice_ten : (5 < padovan (DecoderEntries.steps_for 10 + 4))%nat.
Proof. apply (DecoderEntries.steps_suffice 10). discriminate. Qed.

(** ** The scan and the width equations *)

Example scan_rounds_three : Scan.pscan (list nat) (@app nat) (fun j => [j]) 2 3 = [0; 1; 2; 3]%nat.
Proof. exact (Scan.scan_rounds _ (@app nat) (fun x y z => eq_sym (app_assoc x y z)) _ 3 3 ltac:(lia) (le_n 3)). Qed.

Example printed_scan_commutes : Scan.printed nat Nat.add (fun j => j) 2 3 = 6%nat.
Proof.
  rewrite (Scan.printed_scan_commutative nat Nat.add (fun x y z => eq_sym (Nat.add_assoc x y z)) _ 2 3
    Nat.add_comm ltac:(simpl; lia)). reflexivity.
Qed.

Example printed_scan_differs : Scan.printed (list nat) (@app nat) (fun j => [j]) 1 1
  <> Scan.segment (list nat) (@app nat) (fun j => [j]) 0 1.
Proof. destruct Scan.printed_scan_refuted as [H G]. rewrite H, G. discriminate. Qed.

Example widths_at_two : Sizes.binomial (2 ^ 2 + 2) 2 <> 45%nat /\ Sizes.binomial (2 * 2 ^ 2 + 2) 2 = 45%nat /\
  Sizes.binomial (2 * 2 ^ 2 + 2 + 2) 2 = 66%nat /\ 2%nat <> (2 ^ 2)%nat.
Proof.
  split; [exact (Sizes.width_refuted 2 ltac:(lia))|]. split; [exact (Sizes.width_charitable 2)|].
  split; [exact (Sizes.width_as_invoked 2)|]. intro H. apply Sizes.no_small_tensor in H. lia.
Qed.

Example shared_units_two :
  (length (SharedUnits.shared (TreeModel.products (TreeModel.parse_layer 2 8 TreeModel.Soft))) <= 48)%nat.
Proof. exact (SharedUnits.shared_units_parse 2 8 TreeModel.Soft). Qed.

(** ** Attention *)

Example argmax_gap_three : Gap.score 4 1 < 1.
Proof.
  destruct (argmax_gap 2 0 4 3 ltac:(cbn; lia) ltac:(cbn; lia) ltac:(cbn; lia)) as [_ H].
  cbn in H. specialize (H ltac:(discriminate)). lra.
Qed.

Example argmax_unique_three s : (s < 8)%nat -> Gap.score 4 (4 - Z.of_nat s) = 1 -> s = 4%nat.
Proof.
  intros Hs H. apply (argmax_unique 2 0 4 s 4 ltac:(cbn; lia) ltac:(cbn; lia) Hs ltac:(cbn; lia)).
  - cbn [Model.T Nat.pow]. replace (Z.of_nat 4 - Z.of_nat s - Z.of_nat 0)%Z with (4 - Z.of_nat s)%Z by lia.
    exact H.
  - change (Z.of_nat 4 - Z.of_nat 4 - Z.of_nat 0)%Z with (2 * 4 * 0)%Z. now apply Gap.score_hit.
Qed.

Example saturation_three : exists C, 1 - softmax 8 (Attention.shifted 2 (sqrt C) 1) 4%nat (source 2 1 4) < 1 / 2.
Proof.
  destruct (saturation 2 (1 / 2) ltac:(lra)) as (C & _ & H). exists C.
  apply (H C (Rle_refl C) 1%nat 4%nat); cbn; lia.
Qed.

Definition two_scores (_ j : nat) : R := INR j.

Example soft_to_hard_two : exists C, 1 - softmax 2 (fun i j => C * two_scores i j) 0%nat 1%nat < 1 / 2.
Proof.
  destruct (SoftToHard.soft_to_hard 2 two_scores (1 / 2) ltac:(lra)) as (C & _ & H). exists C.
  apply (H C (Rle_refl C) 0%nat 1%nat ltac:(lia) ltac:(lia)).
  unfold hard, two_scores, all_below. cbn. unfold Rltb.
  repeat match goal with |- context [Rlt_dec ?a ?b] => destruct (Rlt_dec a b) end; cbn; try lra; simpl in *; lra.
Qed.

Example left_head_soft_three : exists C,
  1 - softmax 3 (fun i j => C * left_score 3 i j) 0%nat 1%nat < 1 / 2.
Proof.
  destruct (SoftToHard.left_head_soft 3 (1 / 2) ltac:(lra)) as (C & _ & H). exists C.
  exact (H C (Rle_refl C) 0%nat ltac:(lia)).
Qed.

Example right_head_soft_sample : exists C,
  1 - softmax 7 (fun i j => C * right_score 7 2 (depth_at (str sample)) i j) 0%nat 2%nat < 1 / 2.
Proof.
  destruct (SoftToHard.right_head_soft (str sample) 2 (1 / 2) ltac:(lra) ltac:(lra)) as (C & _ & H). exists C.
  refine (H C (Rle_refl C) 0%nat (Leaf true) (Node (Leaf false) (Leaf false)) _).
  apply (node_occurs bool sample 0 0 sample). constructor.
Qed.

(** ** Activations and ReLU *)

Example gelu_exists_at_zero : exists Phi : R -> R, Phi 0 = 1 / 2.
Proof. destruct Gelu.gelu_exists as (Phi & _ & H). now exists Phi. Qed.

Example one_tanh_unit_fails : exists x, 1 <= Rabs (Hypotheses.net tanh 1 (fun _ => 1) (fun _ => 1) (fun _ => 0) 0 x - x ^ 2).
Proof. destruct (Hypotheses.biases_needed 1 (fun _ => 1) (fun _ => 1)) as (x & _ & H). now exists x. Qed.

Example one_sigmoid_unit_fails : exists x,
  9 <= Rabs (Hypotheses.net sigmoid 1 (fun _ => 1) (fun _ => 1) (fun _ => 0) 0 x - x ^ 2).
Proof. apply (Hypotheses.domain_needed 1 (fun _ => 1) (fun _ => 1) (fun _ => 0) 0 9). Qed.

Example one_relu_unit_misses : exists x, 0 <= x <= 1 /\
  / 32 <= Rabs (Relu.relu_net 1 (fun _ => 1) (fun _ => 1) (fun _ => 0) 0 x - x ^ 2).
Proof.
  destruct (Relu.relu_floor 1 (fun _ => 1) (fun _ => 1) (fun _ => 0) 0) as (x & Hx & H). exists x.
  split; [exact Hx|]. simpl in H. replace (/ 32) with (/ (8 * ((1 + 1) * ((1 + 1) * 1)))) by field. exact H.
Qed.

Example relu_width_one v w b off : (forall x, 0 <= x <= 1 ->
  Rabs (Relu.relu_net 1 v w b off x - x ^ 2) <= / 1000) -> False.
Proof.
  intro H. apply (Relu.relu_width 1 v w b off (/ 1000) ltac:(lra)) in H. simpl in H.
  replace (/ (8 * / 1000)) with 125 in H by field. lra.
Qed.

Example relu_fixed_width_two : exists eps, 0 < eps /\ forall v w b off, exists x,
  0 <= x <= 1 /\ eps < Rabs (Relu.relu_net 2 v w b off x - x ^ 2).
Proof. exact (Relu.relu_fixed_width 2). Qed.

Example relu_fails_on_trees : exists n K (leaf : ReluTransformers.letters_below K -> nat -> R) tensor eps,
  0 < eps /\ forall transformer embedding, ReluSpan.within (Rmax 0) 1 1 5 transformer ->
  ~ TreeSimulation.approximately_simulates_trees n 4 leaf tensor (fun _ => True) eps
      (fun w i => ReluSpan.forward 4 transformer (ReluTransformers.reads_letters embedding (fun r => r) w) i).
Proof.
  destruct ReluTransformers.piecewise_linear_in_use as [Hrelu _].
  destruct (ReluTrees.piecewise_linear_fails_trees _ 4 1 1 (fun _ => 4%nat) Hrelu ltac:(lia)) as (n & H).
  destruct (H n 5%nat (le_n n)) as (K & leaf & tensor & eps & He & G).
  exists n, K, leaf, tensor, eps. split; [exact He|]. intros transformer embedding Hw.
  apply (G transformer embedding (fun r => r) (fun i => i) Hw). lia.
Qed.

(** ** The models in the one forward pass *)

Example no_pads_restated_counts :
  NoPads.clean_simulator 2 3 3 Instances.alpha Instances.count Instances.endless 3%nat 0%nat = 2.
Proof.
  destruct (NoPads.no_pads_restated bool 2 3 Instances.alpha Instances.count ltac:(lia))
    as (_ & _ & _ & _ & _ & H). rewrite H by lia. exact Instances.two_are_counted.
Qed.

Example clean_pass_counts : Pass.forward 4 (Pass.model_of TreeModel.Hard (fun y => y) (fun _ => false)
    (Simulation.network_of Instances.alpha 1 (NoPadsWeights.clean 2 3)))
  (Model.real Instances.alpha (fun t => Instances.count (Instances.endless t)) 1
     (NoPadsWeights.clean_embedding 2 3 3)) 3%nat 0%nat = 2.
Proof.
  change 4%nat with (3 + 1)%nat. rewrite <- Pass.clean_pass. exact no_pads_restated_counts.
Qed.

Example masked_pass_one value E r : Pass.forward 5 (PassTrees.model_of_tree (TreeModel.dimension 1) value
    (fun ly => TreeModel.block value (TreeModel.products ly)) (TreeModel.tree_model 1 5 TreeModel.Hard 2)) E r 0%nat
  = TreeModel.forward value 5 (TreeModel.tree_model 1 5 TreeModel.Hard 2) E r 0%nat.
Proof. symmetry. apply PassTrees.masked_pass. lia. Qed.

(** A coordinate beyond the embedding's dimension does not matter. *)
Example narrow_counts : exists m, forall (E : mat) x, Pass.forward 4 m E
  = Pass.forward 4 m (fun r c => if (c =? 10)%nat then x else E r c).
Proof.
  destruct InstancesMain.theorem1_counts as (m & _ & F & _). exists m. intros E x.
  apply (Fits.narrow 4 _ _ m _ _ F). intros r c Hc. cbn in Hc.
  destruct (Nat.eqb_spec c 10); [lia|reflexivity].
Qed.

Example prefix_products_one :
  Model.run_layers (fun _ => 1) (fun _ _ _ => 2) 1 (hard (Model.N 1)) (Model.N 1)
    (Model.Matrix (Model.N 1) (Model.d 1) (Model.position_entry 1 1))
    (Model.layers (Model.construction 1 1 (fun w => w)))
    (Model.real (fun _ => 1) (fun _ _ _ => 2) 1 (Model.embedding 1 1)) 3%nat 1%nat = 4.
Proof.
  etransitivity; [exact (prefix_products 1 1 (fun _ => 1) (fun _ _ _ => 2) 2 0 (le_n 2) ltac:(simpl; lia))|].
  unfold Attention.vec. cbn. unfold mmul, I. cbn. ring.
Qed.

(** ** The error recursion *)

Example product_error_one : spectral 1 (mminus (fun _ _ => 1.1) (mmul 1 (fun _ _ => 1) (fun _ _ => 1))) <= 0.5.
Proof.
  eapply Rle_trans; [apply (product_error_spectral 1 (fun _ _ => 1) (fun _ _ => 1) (fun _ _ => 1.1)
    (fun _ _ => 1) (fun _ _ => 1.1) 0.1 0)|]; rewrite ?(proj1 (spectral_1 _)); unfold mminus, mmul; cbn [sum];
    rewrite ?Rabs_right; lra.
Qed.

Lemma sign_run C : soft_run 1 1 (spectral 1) (Simulation.padded sign)
  (fun t => Simulation.letter [true; false] (Z.of_nat t)) (sqrt C) 0
  (Attention.factors 1 1 (fun t => Simulation.padded sign (Simulation.letter [true; false] (Z.of_nat t))) (sqrt C)
     (softmax (Model.N 1))).
Proof. exact (Theorem2.exact_run 1 1 _ (Simulation.padded sign) _ (sqrt C) 0 (spectral_norm 1) (Rle_refl 0)). Qed.

Lemma padded_sign_norm w : spectral 1 (word_product 1 (Simulation.padded sign) w) <= 1.
Proof.
  rewrite (proj1 (spectral_1 _)). apply Req_le. induction w as [|o w IH]; cbn; [apply Rabs_R1|].
  fold (word_product 1 (Simulation.padded sign) w). rewrite Rplus_0_l, Rabs_mult, IH.
  destruct o as [[]|]; cbn; rewrite ?Rabs_R1; [lra| |lra]. unfold sign. rewrite Rabs_left; lra.
Qed.

Example corrected_recursion_sign C : let F := Attention.factors 1 1
    (fun t => Simulation.padded sign (Simulation.letter [true; false] (Z.of_nat t))) (sqrt C)
    (softmax (Model.N 1)) in
  let x := fun t => Simulation.letter [true; false] (Z.of_nat t) in
  let delta := total_error 1 1 (spectral 1) (Simulation.padded sign) x F 0
               + attention_error 1 (spectral 1) (sqrt C) F 1 in
  total_error 1 1 (spectral 1) (Simulation.padded sign) x F 1 <= 2 * 1 * delta + delta ^ 2 + 0.
Proof.
  intros F x delta. apply (corrected_recursion_spectral 1 1 (Simulation.padded sign) x (sqrt C) 0 F 1 1);
    [apply sign_run|lia|]. intros. apply padded_sign_norm.
Qed.

Example saturation_rate_sign : exists C, total_error 1 1 (spectral 1) (Simulation.padded sign)
  (fun t => Simulation.letter [true; false] (Z.of_nat t))
  (Attention.factors 1 1 (fun t => Simulation.padded sign (Simulation.letter [true; false] (Z.of_nat t))) (sqrt C)
     (softmax (Model.N 1))) 1 <= 1 / 4.
Proof.
  exists 288. apply (Saturation.saturation_rate_spectral 1 1 (Simulation.padded sign) 1 (1 / 4) 288 _ _
    (Rle_refl 1)); [intros; apply padded_sign_norm|lra|lra| |apply sign_run|lia].
  unfold Saturation.amplification. cbn [INR Nat.pow Nat.mul Nat.add pow].
  replace (2 * 288 / ((1 + 1) * (1 + 1))) with 144 by lra. pose proof (exp_lower 144 ltac:(lra)). lra.
Qed.

(** Equation (1), for one state. *)
Example equation1_fails : Equation1.error (1 / 8) 1 16 1
  > Equation1.attention (1 / 8) 1 16 1 * Equation1.M (1 / 8) + Equation1.attention (1 / 8) 1 16 1 ^ 2.
Proof. exact (proj2 (proj2 (proj2 (Main.equation1_first (1 / 8) 16 ltac:(lra) ltac:(lra))))). Qed.

Example equation1_fails_at_the_second_layer : exists C,
  Equation1.error 2 2 C 2 > Equation1.error 2 2 C 1 * Equation1.M 2 + Equation1.error 2 2 C 1 ^ 2.
Proof. exists 444. apply SecondLayer.equation1_second. lra. Qed.

Example equation1_redefined_fails : exists C,
  let delta := 2 * Equation1.error 2 2 C 1 + Equation1.attention 2 2 C 2 in
  Equation1.error 2 2 C 2 > delta * Equation1.M 2 + delta ^ 2.
Proof. exists 4000. apply SecondLayer.equation1_redefined. lra. Qed.

(** ** Trees with softmax: one state, products that are exact *)

Definition runs_of (C : R) : nat -> mat := fun l => Nat.iter l (fun X =>
  TreeModel.run_layer (TreeModel.value leaf ones C (str sample)) (TreeModel.rows (str sample))
    [TreeModel.at_place 1; TreeModel.at_square 1] (TreeModel.embedded 1 leaf ones C (str sample)) X
    (TreeModel.parse_layer 1 8 TreeModel.Soft))
  (TreeScores.after 1 leaf ones C (str sample) 8 TreeModel.Soft 0).

Lemma runs_are C : 0 <= C -> TreeSoft.block_run 1 leaf ones (fun x => Rabs (x 0%nat)) C 7 sample 0 (runs_of C).
Proof.
  intro HC. split; [reflexivity|]. intros l r Hr. split; [reflexivity|].
  unfold TreeRecursion.vminus. cbn. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
Qed.

Example soft_error_sample : Rabs (runs_of 9 1%nat 0%nat 0%nat - TreeLayers.held 1 leaf ones 1 sample 0%nat 0%nat)
  <= TreeRecursion.errors 1 4 (TreeSoft.tree_leak 7 9) 0 1.
Proof.
  apply (TreeSoft.soft_error 1 leaf ones (fun x => Rabs (x 0%nat)) 1 TreeSoft.scalar_norm Rle_0_1)
    with (t := sample) (C := 9) (T := 7%nat) (S := 4) (blk := 0) (X := runs_of 9) (l := 1%nat) (r := 0%nat);
    [|lra|simpl; lia|lra| |apply runs_are; lra|unfold TreeModel.rows; simpl; lia].
  - intros x y. unfold bilinear_state, ones. cbn [sum]. rewrite !Rplus_0_l, !Rabs_mult, Rabs_R1.
    apply Req_le. ring.
  - intros i d u Hu.
    assert (G : forall x, 0 <= x <= 4 -> Rabs x <= 4) by (intros x Hx; rewrite Rabs_right; lra).
    repeat match goal with H : node _ _ _ _ |- _ => inversion H; subst; clear H end;
      apply G; cbn; unfold bilinear_state, ones, leaf; cbn; lra.
Qed.

(** ** Decoders with explicit constants: one letter that does nothing *)

Definition still (_ : nat) : mat := I.

Lemma still_word w : word_product 1 still w 0%nat 0%nat = 1.
Proof.
  induction w as [|a w IH]; cbn; [reflexivity|]. fold (word_product 1 still w). rewrite IH. unfold still, I.
  cbn. ring.
Qed.

Lemma still_norm w : spectral 1 (word_product 1 still w) <= 1.
Proof. rewrite (proj1 (spectral_1 _)), still_word, Rabs_R1. lra. Qed.

Lemma still_distance w : spectral 1 (mminus (word_product 1 still w) I) <= 0.
Proof.
  rewrite (proj1 (spectral_1 _)). unfold mminus. rewrite still_word. unfold I. cbn.
  rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
Qed.

Lemma unit_length : length2 1 (fun _ => 1) = 1.
Proof. unfold length2, dot. cbn. rewrite Rplus_0_l, Rmult_1_l. apply sqrt_1. Qed.

Lemma exp_large : 11 / 5 * (16 * (1 + 0)) <= exp 36 /\ forall g, 11 / 5 * (0 * g / (1 / 4)) <= exp 36 /\
  11 / 5 * (2 * 0 * g / (1 / 4)) <= exp 36.
Proof.
  pose proof (exp_lower 36 ltac:(lra)). split; [lra|]. intro g. unfold Rdiv. rewrite !Rmult_0_r, !Rmult_0_l.
  split; lra.
Qed.

Local Notation stays f := (length2 1 (fun j => f [1; 0]%nat 1%nat j
  - DecoderStates.read_word 1 still (fun _ => 1) [0%nat] j) <= 1 / 4).

Example theorem_B_rate_still : stays (DecoderModel.forward
  (DecoderStates.weights_for (fun _ => 1) still 36 (fun y => Rmax y 0) 1 1) softmax
  (DecoderWeights.construction 1 1 1 1 true 0)).
Proof.
  destruct exp_large as [H1 H2].
  refine (Decoder.theorem_B_rate 1 1 1 1 (fun _ => 1) still (fun y => Rmax y 0) (le_n 1) Nat.lt_0_1 relu_odd
    relu_one 36 1 0 (1 / 4) (Rle_refl 1) (fun w _ _ => still_norm w) (fun w _ _ => still_distance w) _ H1 _
    [0%nat] _ (le_n 1) 1%nat (le_n 1)).
  - rewrite unit_length. lra.
  - apply H2.
  - repeat constructor.
Qed.

Example theorem_B_hard_still : DecoderModel.forward
  (DecoderStates.weights_for (fun _ => 1) still 1 (fun y => Rmax y 0) 1 1) hard
  (DecoderWeights.construction 1 1 1 1 true 0) [1; 0]%nat 1%nat 0%nat = 1.
Proof.
  etransitivity; [exact (Decoder.theorem_B_hard 1 1 1 1 (fun _ => 1) still (fun y => Rmax y 0) (le_n 1)
    Nat.lt_0_1 relu_odd relu_one 1 Rlt_0_1 [0%nat] ltac:(repeat constructor) (le_n 1) 1%nat 0%nat (le_n 1)
    Nat.lt_0_1)|].
  cbn. unfold still, I. cbn. ring.
Qed.

Example theorem_A_rate_still : stays (DecoderModel.forward
  (DecoderStates.weights_for (fun _ => 1) still 36 (fun y => y * sigmoid y) (1 / 100) (1 / 2)) softmax
  (DecoderWeights.construction 1 1 1 1 false 0)).
Proof.
  destruct exp_large as [H1 H2].
  refine (Decoder.theorem_A_rate 1 1 1 1 (fun _ => 1) still _ _ _ (le_n 1) Nat.lt_0_1
    DecoderActivation.gentle_silu 36 (1 / 100) 1 0 (1 / 4) ltac:(lra) (Rle_refl 1)
    (fun w _ _ => still_norm w) (fun w _ _ => still_distance w) _ H1 _ _ [0%nat] _ (le_n 1) 1%nat (le_n 1)).
  - rewrite unit_length. lra.
  - apply H2.
  - rewrite unit_length. cbn. lra.
  - repeat constructor.
Qed.

Example theorem_A_gelu_still : stays (DecoderModel.forward
  (DecoderStates.weights_for (fun _ => 1) still 36 Gelu.gelu (1 / 100) (2 * Gelu.density 0)) softmax
  (DecoderWeights.construction 1 1 1 1 false 0)).
Proof.
  destruct exp_large as [H1 H2].
  refine (Decoder.theorem_A_gelu 1 1 1 1 (fun _ => 1) still 36 (1 / 100) 1 0 (1 / 4) (le_n 1) Nat.lt_0_1
    ltac:(lra) (Rle_refl 1) (fun w _ _ => still_norm w) (fun w _ _ => still_distance w) _ H1 _ _ [0%nat] _
    (le_n 1) 1%nat (le_n 1)).
  - rewrite unit_length. lra.
  - apply H2.
  - rewrite unit_length. cbn. lra.
  - repeat constructor.
Qed.

Example theorem_A_silu_still : exists C h, stays (DecoderModel.forward
  (DecoderStates.weights_for (fun _ => 1) still C (fun y => y * sigmoid y) h (1 / 2)) softmax
  (DecoderWeights.construction 1 1 1 1 false 0)).
Proof.
  destruct (Decoder.theorem_A_silu 1 1 1 (fun _ => 1) still (le_n 1) (1 / 4) ltac:(lra)) as (C & h & Hh & H).
  exists C, h. exact (H C h (Rle_refl C) (conj Hh (Rle_refl h)) [0%nat] ltac:(repeat constructor) (le_n 1)
    1%nat (le_n 1)).
Qed.

(** The program's form has the same outputs. *)
Example same_outputs_still e filter :
  DecoderForm.program_forward e filter (DecoderForm.program_form (DecoderWeights.construction 1 1 1 1 true 0))
    [1; 0]%nat
  = DecoderModel.forward e filter (DecoderWeights.construction 1 1 1 1 true 0) [1; 0]%nat.
Proof. symmetry. apply DecoderForm.same_outputs, DecoderForm.words_fit. Qed.

Example same_outputs_pair e filter :
  DecoderForm.program_forward e filter (DecoderForm.program_form (TreeDecoderModel.tree_decoder 1 2 4 1))
    [4; 2; 0; 1; 3]%nat
  = DecoderModel.forward e filter (TreeDecoderModel.tree_decoder 1 2 4 1) [4; 2; 0; 1; 3]%nat.
Proof. symmetry. apply DecoderForm.same_outputs, DecoderForm.trees_fit. Qed.

Example tree_decoder_rate_pair : exists C, Rabs (DecoderModel.forward
  (TreeDecoder.tree_weights_for values (fun _ _ _ => 5) C (fun y => Rmax y 0)) softmax
  (TreeDecoderModel.tree_decoder 1 2 4 1) [4; 2; 0; 1; 3]%nat 4%nat 0%nat - 30) < 1.
Proof.
  set (e := TreeDecoder.tree_weights_for values (fun _ _ _ => 5) 1 (fun y => Rmax y 0)).
  set (K := TreeDecoderHeld.held_bound 1 4 1 e 3).
  set (G := (1 + TreeDecoderRates.copied 1 4) * (1 + (2 * K + 1) * TreeDecoderRates.blocks_weigh 1 e)).
  set (need := 2 * K * (INR 4 + 1) * (INR 3 * G ^ 3 * (1 + 4 * ((2 * K + 1) * TreeDecoderRates.scored_by 1 4) + / 1))).
  exists (2 * Rabs need).
  assert (Hleaf : forall a i, (i < 1)%nat -> Rabs (values a i) <= 3).
  { intros [|a] i _; cbn; rewrite Rabs_right; lra. }
  assert (HC : TreeDecoderRates.enough_C 1 4 1 e K 1 (2 * Rabs need)).
  { unfold TreeDecoderRates.enough_C. cbv zeta. change (2 + 1)%nat with 3%nat. fold G. fold need.
    split; [pose proof (Rabs_pos need); lra|]. replace (2 * Rabs need / 2) with (Rabs need) by lra.
    pose proof (exp_lower (Rabs need) (Rabs_pos need)). pose proof (Rle_abs need). lra. }
  rewrite <- InstancesMain.pair_state.
  apply (TreeDecoderHeld.tree_decoder_rate_closed 1 2 4 0 values (fun _ _ _ => 5) (fun y => Rmax y 0) 3 1
    (2 * Rabs need) (le_n 1) relu_odd relu_one Rlt_0_1 ltac:(lra) Hleaf HC pair); try (simpl; lia).
  - apply InstancesMain.pair_fits.
  - exact (TreeDecoderEnds.ends_whole pair).
Qed.
