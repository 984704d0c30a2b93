(** * The models of Theorems 1 and 2 fit their sizes

    Section 3.2. Networks of Simulation.v as models of Pass.v with the sizes of Fits.v: Theorem 1 as printed
    ([printed_fits]), without its assumptions ([clean_fits]), Theorem 2 as printed ([mlp_fits]).

    Main definition:  [block_of_real].
    Main theorems:    [printed_fits], [clean_fits], [mlp_fits]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Compat Sums TreeModel Pass Fits.
From Assay Require Model MLP MLPModel Simulation NoPadsWeights.
Import Simulation(dense, Dense, height, breadth, number_at).
Import ListNotations.
Open Scope R_scope.

(** ** Networks *)

Definition block_of_real (B : Simulation.real_block) : block :=
  match B with
  | Simulation.Products l r t out => Bilinear l r t out
  | Simulation.Units W1 b1 W2 b2 => Perceptron W1 b1 W2 b2
  end.

Definition real_head_fits (s : sizes) (h : Simulation.real_head) : Prop :=
  height (Simulation.query h) = embedding s /\ height (Simulation.key h) = embedding s /\
  height (Simulation.value_of h) = embedding s /\
  breadth (Simulation.key h) = breadth (Simulation.query h) /\
  (breadth (Simulation.query h) <= attention_width s)%nat /\
  (breadth (Simulation.value_of h) <= attention_width s)%nat.

Definition real_layer_fits (s : sizes) (k : Fits.kind) (ly : Simulation.real_layer) : Prop :=
  (length (Simulation.real_heads ly) <= head_count s)%nat /\
  Forall (real_head_fits s) (Simulation.real_heads ly) /\
  height (Simulation.joining ly)
  = fold_right (fun h k => breadth (Simulation.value_of h) + k)%nat 0%nat (Simulation.real_heads ly) /\
  (breadth (Simulation.joining ly) <= joined_width s)%nat /\
  block_fits (breadth (Simulation.joining ly)) (embedding s) (hidden_width s)
    (block_of_real (Simulation.block_of ly)) /\ of_kind k (block_of_real (Simulation.block_of ly)).

Lemma run_real sigma B entering leaving hidden x c : block_fits entering leaving hidden (block_of_real B) ->
  Simulation.run_block sigma B (fun _ => x) 0%nat c = run_block sigma (block_of_real B) x c.
Proof.
  destruct B as [l r t out|W1 b1 W2 b2]; cbn [block_of_real block_fits]; intro H; [reflexivity|].
  destruct H as (_ & _ & H & _). cbn [Simulation.run_block run_block]. unfold row_times at 1.
  rewrite H. reflexivity.
Qed.

Lemma network_fits s k way columns (net : Simulation.network) :
  length (Simulation.real_layers net) = depth s ->
  Forall (real_layer_fits s k) (Simulation.real_layers net) ->
  height (Simulation.reading net) = embedding s -> breadth (Simulation.reading net) = outputs s ->
  fits s k (model_of way (activation k) columns net) /\
  consists way Everywhere false (model_of way (activation k) columns net).
Proof.
  intros HD HL HR HO. split.
  - split; [cbn [model_of layers]; now rewrite map_length|]. split; [|now split].
    apply Forall_map. eapply Forall_impl; [|exact HL]. intros ly (H1 & H2 & H3 & H4 & H5 & H6).
    split; [cbn [layer_of heads]; now rewrite map_length|]. split.
    { apply Forall_map. eapply Forall_impl; [|exact H2]. intros h Hh. exact Hh. }
    split.
    { cbn [layer_of combine heads]. rewrite H3. unfold values_width.
      generalize (Simulation.real_heads ly). induction l as [|h l IH]; [reflexivity|].
      cbn [map fold_right head_of value]. now rewrite IH. }
    split; [exact H4|]. split; [discriminate|].
    exists (block_of_real (Simulation.block_of ly)). split; [exact H5|]. split; [exact H6|].
    intros x c. cbn [layer_of feedforward]. exact (run_real (activation k) _ _ _ _ x c H5).
  - apply Forall_map, Forall_forall. intros ly _. split; [reflexivity|].
    apply Forall_map, Forall_forall. intros h _. now split.
Qed.

(** ** Theorem 1 as printed, and with exact products and softmax *)

Ltac layers_fit k := apply (network_fits _ k);
  [cbn; now rewrite !map_length, seq_length
  |let ly := fresh in let H := fresh in apply Forall_forall; intros ly H;
   cbn [Simulation.network_of Simulation.mlp_network_of Simulation.real_layers MLPModel.soft_model
     MLPModel.with_mlp MLPModel.mlp_layers Model.layers Model.construction NoPadsWeights.clean] in H;
   rewrite ?map_map in H; apply in_map_iff in H as (? & <- & _);
   split; [cbn; lia|split; [repeat constructor; cbn; unfold Model.d; lia|cbn; repeat split; auto; lia]]
  |reflexivity|reflexivity].

Lemma printed_fits n L alpha C scale way :
  let m := model_of way (fun y => y) (angles n) (Simulation.network_of alpha C (Model.construction n L scale)) in
  fits (Sizes L (2 * n ^ 2 + 2) 2 (2 * n ^ 2 + 2) (2 * n ^ 2 + 2) (2 * n ^ 2) n) Bilinears m /\
  consists way Everywhere false m.
Proof.
  assert (E : (2 * n ^ 2 + 2 = Model.d n)%nat) by (unfold Model.d, Model.n2; simpl; lia).
  assert (E2 : (2 * n ^ 2 = Model.n2 n + Model.n2 n)%nat) by (unfold Model.n2; simpl; lia).
  intros; rewrite E, E2. layers_fit Bilinears.
Qed.

(** ** Theorem 1 on a begin token and the word *)

Lemma clean_fits n T alpha :
  fits (Sizes (Nat.log2_up T) (2 * n ^ 2 + 2) 3 (2 * n ^ 2 + 2) (2 * n ^ 2 + 2) (2 * n ^ 2 + 4) n)
    Bilinears
    (model_of Hard (fun y => y) (fun _ => false)
       (Simulation.network_of alpha 1 (NoPadsWeights.clean n T))) /\
  consists Hard Everywhere false
    (model_of Hard (fun y => y) (fun _ => false)
       (Simulation.network_of alpha 1 (NoPadsWeights.clean n T))).
Proof.
  assert (E : (2 * n ^ 2 + 2 = Model.d n)%nat) by (unfold Model.d, Model.n2; simpl; lia).
  assert (E2 : (2 * n ^ 2 + 4 = (Model.n2 n + 2) + (Model.n2 n + 2))%nat)
    by (unfold Model.n2; simpl; lia).
  intros; rewrite E, E2. layers_fit Bilinears.
Qed.

(** ** Theorem 2 as printed, with MLPs *)

Theorem mlp_fits n L alpha C b h s extra sigma :
  fits (Sizes L (2 * n ^ 2 + 2) 2 (2 * n ^ 2 + 2) (2 * n ^ 2 + 2) (4 * n ^ 3 + extra) n) (MLPs sigma)
    (model_of Soft sigma (angles n)
       (Simulation.mlp_network_of alpha C b h s (MLPModel.soft_model n L extra))) /\
  consists Soft Everywhere false
    (model_of Soft sigma (angles n)
       (Simulation.mlp_network_of alpha C b h s (MLPModel.soft_model n L extra))).
Proof.
  assert (E : (2 * n ^ 2 + 2 = Model.d n)%nat) by (unfold Model.d, Model.n2; simpl; lia).
  assert (E2 : (4 * n ^ 3 = MLP.slim_units n)%nat) by (unfold MLP.slim_units; simpl; lia).
  intros; rewrite E, E2. layers_fit (MLPs sigma).
Qed.
