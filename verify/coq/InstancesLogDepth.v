(** * The encoders of logarithmic depth on a concrete automaton

    The theorems of LogDepthEncoderStatements.v and LogDepthEncoderShort.v applied to the automaton of one
    state whose leaves weigh 1 and 2 and whose tensor is 1, and to the tree (true, (false, false)), whose
    state is 4: a number comes out. Nothing else depends on this file.

    Main theorems: one example for each theorem named in it. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Trees Pebbling Theorem3 Activation InUse TreeModel TreeSimulation Corollary1.
From Assay Require Import CleanTreeModel TreeMLP LogDepthEncoder LogDepthEncoderStatements.
From Assay Require Import LogDepthEncoderSum LogDepthEncoderShort LogDepthEncoderEntries.
From Assay Require Pass PassTrees Main.
Import ListNotations.
Open Scope R_scope.

Definition weight_of (a : bool) (k : nat) : R := if a then 1 else 2.
Definition unit_tensor (k a b : nat) : R := 1.
Definition three : tree bool := Node (Leaf true) (Node (Leaf false) (Leaf false)).

Lemma letters_all (b : bool) : In b [true; false].
Proof. destruct b; simpl; auto. Qed.

Lemma state_four : mu 1 weight_of unit_tensor three 0%nat = 4.
Proof. cbn. unfold bilinear_state, unit_tensor, weight_of. cbn. ring. Qed.

Lemma near_four y : sqrt (sum 1 (fun k => (y k - mu 1 weight_of unit_tensor three k) ^ 2)) < 1 / 2 ->
  7 / 2 < y 0%nat < 9 / 2.
Proof.
  intro H. cbn [sum] in H. rewrite Rplus_0_l, state_four in H.
  replace ((y 0%nat - 4) ^ 2) with (Rsqr (y 0%nat - 4)) in H by (unfold Rsqr; ring).
  rewrite sqrt_Rsqr_abs in H. apply Rabs_def2 in H. lra.
Qed.

Example logdepth_encoder_exact_four :
  run_clean (fixed (signed 1 unit_tensor) 1) (encoder 1 7 Hard 2)
    (fun ly => block (fixed (signed 1 unit_tensor) 1) (products ly)) (encoder_tokens 1 7 weight_of)
    (str three) 0%nat 0%nat = 4.
Proof.
  destruct Main.plastic_number as (rho & Hr & H3 & Hb).
  destruct (logdepth_encoder_exact 1 weight_of unit_tensor 7 3 rho 2 Hr H3) as [_ H].
  - simpl in *. nra.
  - rewrite (H three 0%nat 0%nat three); [exact state_four|simpl; lia|simpl; lia|constructor|lia].
Qed.

(** With depths by one head: two layers and the steps. *)
Example short_encoder_leaves_four : exists steps base sink A C b h s, (steps <= 2)%nat /\
  let y := short_network 1 7 steps base sink A weight_of unit_tensor sigmoid C b h s (str three) 0%nat in
  7 / 2 < y 0%nat < 9 / 2.
Proof.
  destruct Main.plastic_number as (rho & Hr & H3 & Hb).
  destruct (short_encoder_leaves 1 weight_of unit_tensor [true; false] 7 3 sigmoid rho ltac:(lia) letters_all
    (in_use_usable _ Sigmoid) Hr H3 (1 / 2) ltac:(lra)) as (steps & base & sink & A & C & b & h & s & Hs & _ & H).
  exists steps, base, sink, A, C, b, h, s. split.
  - destruct (Nat.le_gt_cases steps 2) as [|Hgt]; [assumption|]. exfalso.
    pose proof (Rle_pow rho 3 steps ltac:(lra) ltac:(lia)). simpl (INR 3) in Hs. lra.
  - apply near_four, (H three 0%nat 0%nat three); [simpl; lia|simpl; lia|constructor].
Qed.

(** The same for all trees with three leaves, whatever their length. *)
Example short_encoder_trees_four : exists steps base sink A C b h s, (steps <= 2)%nat /\
  let y := short_network 1 9 steps base sink A weight_of unit_tensor sigmoid C b h s (str three) 0%nat in
  7 / 2 < y 0%nat < 9 / 2.
Proof.
  destruct Main.plastic_number as (rho & Hr & H3 & Hb).
  destruct (short_encoder_trees 1 weight_of unit_tensor [true; false] 3 sigmoid rho ltac:(lia) letters_all
    (in_use_usable _ Sigmoid) Hr H3 (1 / 2) ltac:(lra)) as (steps & base & sink & A & C & b & h & s & Hs & _ & H).
  exists steps, base, sink, A, C, b, h, s. split.
  - destruct (Nat.le_gt_cases steps 2) as [|Hgt]; [assumption|]. exfalso.
    pose proof (Rle_pow rho 3 steps ltac:(lra) ltac:(lia)). simpl (INR 3) in Hs. lra.
  - apply near_four, (H three 0%nat 0%nat three); [simpl; lia|constructor].
Qed.

Example short_encoder_all_four : exists steps base sink A C b h s,
  let y := short_network 1 7 steps base sink A weight_of unit_tensor sigmoid C b h s (str three) 0%nat in
  7 / 2 < y 0%nat < 9 / 2.
Proof.
  destruct (short_encoder_all 1 weight_of unit_tensor [true; false] 7 sigmoid ltac:(lia) letters_all
    (in_use_usable _ Sigmoid) (1 / 2) ltac:(lra)) as (count & steps & base & sink & A & C & b & h & s & _ & _ & H).
  exists steps, base, sink, A, C, b, h, s. apply near_four, (H three 0%nat 0%nat three);
    [simpl; lia|exact Logic.I|constructor].
Qed.

(** The same as matrices in the one forward pass. *)
Example short_pass_four : exists steps base sink A C b h s,
  let y := Pass.forward (length (str three))
    (PassTrees.model_of_tree (encoder_dimension 1) (fixed (signed 1 unit_tensor) C)
       (fun ly => run_network sigmoid b (network (signed 1 unit_tensor) h s (products ly)))
       (short_encoder 1 7 A steps))
    (fun r => short_tokens 1 7 base sink weight_of (nth_error (str three) r) r) 0%nat in
  7 / 2 < y 0%nat < 9 / 2.
Proof.
  destruct short_encoder_all_four as (steps & base & sink & A & C & b & h & s & H).
  exists steps, base, sink, A, C, b, h, s. cbv zeta. rewrite <- short_pass by lia. exact H.
Qed.

(** What is compared with the program: 16^(-2) at the third place, and the sink at the first. *)
Example fall_is_written : encoder_tokens 1 7 weight_of (nth_error (str three) 2) 2 e_fall = / 256.
Proof. rewrite (encoder_tokens_written 1 7 weight_of unit_tensor 1). reflexivity. Qed.

Example sink_is_written : short_tokens 1 7 2 5 weight_of (nth_error (str three) 0) 0 e_depth2 = 5.
Proof. rewrite (short_tokens_written 1 7 2 5 weight_of unit_tensor 1). reflexivity. Qed.

