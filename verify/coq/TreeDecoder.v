(** * Every weighted tree automaton in an ordinary decoder, with O(log N) layers, on every tree

    Beyond the paper: an answer to the question of Section 4.2 in an architecture that people run.
    For all numbers of states n >= 1 and letters q, every weighted tree automaton, every length T and
    every number of steps k >= 1 there is a decoder (token and position embeddings, a begin token, the
    causal mask and no other, at most three heads a layer, residual stream, gated MLP, nothing
    supplied again; sizes in TreeDecoderModel.v) with 2 + k layers whose output, on the string of any
    tree of length at most T, at every position where a subtree with N leaves ends, is the state of
    that subtree, as soon as N + 1 < P_(k+1), P = 2, 3, 4, 5, 7, 9, 12, .. (Padovan, padovan (k + 4)
    in Pebbling.v); k = 3 log2(N + 1) - 1 is always enough. Hard attention (the mean over the
    maximisers; every top but the first layer's mean is unique), any act with act(y) - act(-y) = y
    and act(1) <> 0, for example ReLU, SiLU, GELU. The weights do not depend on the tree.

    Main definitions: [tree_weights_for].
    Main theorems:    [tree_stream], [tree_decoder_exact], [tree_decoder_plastic], [tree_decoder_log],
                      [pair_of_leaves]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool Morphisms.
From Assay Require Import Sums Attention Trees Pebbling Theorem3.
From Assay Require LogDepth.
From Assay Require Import DecoderModel TreeDecoderModel TreeDecoderBlocks TreeDecoderFields.
From Assay Require Import TreeDecoderLayers TreeDecoderEnds TreeDecoderSteps TreeDecoderFirst.
Import ListNotations.
Open Scope R_scope.

Section Exact.
Variable n q T : nat.
Variable e : setting.
Hypothesis n_1 : (1 <= n)%nat.
Hypothesis C_pos : 0 < C e.
Hypothesis act_odd : forall y, act e y - act e (- y) = y.
Hypothesis act_1 : act e 1 <> 0.

Variable t : tree nat.
Local Notation w := (str t).
Local Notation N := (S (length w)).
Hypothesis fits : (length w <= T)%nat.
Hypothesis letters : letters_below q w.

Local Notation holds := (holds n N).

Local Notation good := (good n e t).
Local Notation base := (base n e t).
Local Notation prepared := (prepared n e t).

(** ** All layers *)

Theorem tree_stream k :
  exists cells, holds (stream e averaged N (tree_decoder n q T (S k)) ((q + 2)%nat :: map (code q) w)) cells
    /\ forall i, (i < N)%nat -> good (S k) i (cells i).
Proof.
  unfold stream. cbn [tree_decoder layers tree_layers fold_left].
  set (X0 := embedded e (tree_decoder n q T (S k)) ((q + 2)%nat :: map (code q) w)).
  assert (H0 : holds X0 base) by now apply (embedded_holds n q T e n_1 t fits).
  set (X1 := run_layer e averaged N X0 (Layer [mean n; previous n] (first_block n))).
  assert (H1 : holds X1 (after_first base)) by (apply first_layer; auto; intros; apply base_clear).
  set (X2 := run_layer e averaged N X1 (Layer [] (second_block n))).
  assert (H2 : holds X2 prepared) by (apply second_layer; auto).
  set (X3 := run_layer e averaged N X2 (Layer [match_begin n T; near n T] (step_block n false))).
  clearbody X0. induction k as [|k IH].
  - cbn [repeat fold_left]. now apply (match_good n T e).
  - replace (repeat (Layer [near n T; far n T; pointer n] (step_block n true)) (S k))
      with (repeat (Layer [near n T; far n T; pointer n] (step_block n true)) k
            ++ [Layer [near n T; far n T; pointer n] (step_block n true)])
      by (symmetry; apply repeat_cons).
    rewrite fold_left_app. destruct IH as (cells & HX & Hgood).
    cbn [fold_left]. now apply (jump_good n T e n_1 C_pos act_odd act_1 t fits (S k) _ cells).
Qed.

Theorem tree_output k v i a : ends w i v -> mode (S k) v = Pebbled -> (a < n)%nat ->
  forward e averaged (tree_decoder n q T (S k)) ((q + 2)%nat :: map (code q) w) i a
  = mu n (leaf e) (tensor e) v a.
Proof.
  intros Hv Hm Ha. pose proof (ends_range _ _ _ Hv) as Hi.
  destruct (tree_stream k) as (cells & HX & Hgood).
  unfold forward, readout, shifted.
  replace (length ((q + 2)%nat :: map (code q) w)) with N by (cbn [length]; now rewrite map_length).
  cbn [tree_decoder W_U b_U amount]. rewrite Rplus_0_r.
  rewrite columns_read by (intros x [<-|[]]; cbn [fst]; unfold p_b, width; lia).
  unfold reads. cbn [lsum fst snd amount].
  rewrite HX by (try lia; unfold p_b, width; lia). rewrite row_b by exact Ha.
  destruct (Hgood i ltac:(lia)) as (_ & _ & _ & _ & _ & Hcell).
  destruct (Hcell v Hv) as ((_ & _ & _ & Hb) & _). rewrite Hb by exact Ha.
  pose proof (run_agrees n e (S k) v) as HA. rewrite Hm in HA. destruct HA as (_ & _ & _ & HB).
  rewrite HB by exact Ha. ring.
Qed.
End Exact.

(** ** The theorem *)

(** What the weights are made of: leaf vectors, tensor, C and the activation. *)
Definition tree_weights_for (leaf : nat -> nat -> R) (tensor : nat -> nat -> nat -> R) (C : R)
  (act : R -> R) : setting := Setting (fun _ => 0) (fun _ _ _ => 0) leaf tensor C act 1 1 1.

Theorem tree_decoder_exact n q T k leaf tensor C act : (1 <= n)%nat -> 0 < C ->
  (forall y, act y - act (- y) = y) -> act 1 <> 0 ->
  forall t : tree nat, (length (str t) <= T)%nat -> letters_below q (str t) ->
  forall i v, ends (str t) i v -> (leaves v + 1 < padovan (S k + 4))%nat ->
  forall a, (a < n)%nat ->
  forward (tree_weights_for leaf tensor C act) averaged (tree_decoder n q T (S k))
    ((q + 2)%nat :: map (code q) (str t)) i a = mu n leaf tensor v a.
Proof.
  intros Hn HC Hodd H1 t Hfit Hlet i v Hv Hleaves a Ha.
  apply (tree_output n q T (tree_weights_for leaf tensor C act)); auto.
  destruct (mode (S k) v) as [| |c'] eqn:E; [reflexivity| |]; exfalso;
    pose proof (least_leaves (S k) v ltac:(congruence)); lia.
Qed.

(** The sharp count: s steps are enough for N leaves as soon as rho^(s+1) > (N + 1) / 2, where
    rho^3 = rho + 1 is the plastic number. *)
Theorem tree_decoder_plastic n q T k leaf tensor C act rho : (1 <= n)%nat -> 0 < C ->
  (forall y, act y - act (- y) = y) -> act 1 <> 0 -> 0 < rho -> rho ^ 3 = rho + 1 ->
  length (layers (tree_decoder n q T (S k))) = (2 + S k)%nat /\
  forall t : tree nat, (length (str t) <= T)%nat -> letters_below q (str t) ->
  forall i v, ends (str t) i v -> (INR (leaves v) + 1) / 2 < rho ^ (S k + 1) ->
  forall a, (a < n)%nat ->
  forward (tree_weights_for leaf tensor C act) averaged (tree_decoder n q T (S k))
    ((q + 2)%nat :: map (code q) (str t)) i a = mu n leaf tensor v a.
Proof.
  intros Hn HC Hodd H1 Hr H3. destruct (tree_sizes n q T (S k)) as (S1 & _). split; [exact S1|].
  intros t Hfit Hlet i v Hv Hleaves a Ha. apply tree_decoder_exact; auto.
  pose proof (LogDepth.plastic_power rho (S k + 1) Hr H3) as HP.
  apply INR_lt. rewrite plus_INR. replace (S k + 4)%nat with (S k + 1 + 3)%nat by lia. simpl (INR 1). lra.
Qed.

(** 3 log2(N + 1) - 1 steps are enough for N leaves; with the sizes. *)
Theorem tree_decoder_log n q T leaf tensor C act : (1 <= n)%nat -> 0 < C ->
  (forall y, act y - act (- y) = y) -> act 1 <> 0 ->
  forall leaf_count, (1 <= leaf_count)%nat ->
  let steps := (3 * Nat.log2 (leaf_count + 1) - 1)%nat in
  let model := tree_decoder n q T steps in
  length (layers model) = (2 + steps)%nat /\
  high (W_U model) = (2 * n ^ 2 + 4 * n + 11)%nat /\
  (forall ly, In ly (layers model) -> (length (heads ly) <= 3)%nat /\
     (units_of (mlp ly) <= 2 * n ^ 3 + 5 * n ^ 2 + 7 * n + 11)%nat) /\
  forall t : tree nat, (length (str t) <= T)%nat -> letters_below q (str t) ->
  forall i v, ends (str t) i v -> (leaves v <= leaf_count)%nat -> forall a, (a < n)%nat ->
  forward (tree_weights_for leaf tensor C act) averaged model
    ((q + 2)%nat :: map (code q) (str t)) i a = mu n leaf tensor v a.
Proof.
  intros Hn HC Hodd H1 m Hm steps model.
  destruct (tree_sizes n q T steps) as (S1 & _ & _ & S2 & S3).
  split; [exact S1|]. split; [exact S2|]. split; [intros ly Hly; destruct (S3 ly Hly) as (? & ? & ?); auto|].
  intros t Hfit Hlet i v Hv Hleaves a Ha.
  assert (Hlog : (1 <= Nat.log2 (m + 1))%nat) by (apply Nat.log2_le_pow2; simpl; lia).
  assert (Es : steps = S (steps - 1)) by (unfold steps; lia).
  unfold model. rewrite Es. apply (tree_output n q T (tree_weights_for leaf tensor C act)); auto.
  rewrite <- Es.
  assert (Hlater : forall s, (3 * Nat.log2 (leaves v + 1) - 1 <= s)%nat -> mode s v = Pebbled).
  { intros s Hle. induction Hle; [apply steps_log2|now apply pebbled_stays]. }
  apply Hlater.
  unfold steps. assert (Nat.log2 (leaves v + 1) <= Nat.log2 (m + 1))%nat by (apply Nat.log2_le_mono; lia). lia.
Qed.

(** An instance: one state, the tree (a, b) with leaves 2 and 3 and tensor 5, ReLU gates. *)
Example pair_of_leaves : let relu := fun y => Rmax y 0 in
  forward (tree_weights_for (fun a _ => match a with O => 2 | _ => 3 end) (fun _ _ _ => 5) 1 relu) averaged
    (tree_decoder 1 2 4 1) [4; 2; 0; 1; 3]%nat 4%nat 0%nat = 30.
Proof.
  intro relu. assert (Hodd : forall y, relu y - relu (- y) = y).
  { intro y. unfold relu, Rmax. repeat destruct (Rle_dec _ _); lra. }
  assert (H1 : relu 1 <> 0) by (unfold relu, Rmax; destruct (Rle_dec 1 0); lra).
  pose (t := Node (Leaf 0%nat) (Leaf 1%nat)).
  pose proof (tree_decoder_exact 1 2 4 0 (fun a _ => match a with O => 2 | _ => 3 end) (fun _ _ _ => 5) 1 relu
    ltac:(lia) ltac:(lra) Hodd H1 t ltac:(simpl; lia) ltac:(repeat constructor) 4%nat t
    (ends_whole t) ltac:(simpl; lia) 0%nat ltac:(lia)) as H.
  etransitivity; [exact H|]. cbn. ring.
Qed.
