(** * The tree decoder with softmax, by the plastic number

    Section 4.2 asks whether arbitrary trees can be simulated with O(log T) layers. The decoder of
    TreeDecoder.v with 2 + k layers gives the state of every subtree with N leaves where
    (N + 1) / 2 < rho^(k+1), rho^3 = rho + 1 (rho = 1.3247..), at the position where the subtree ends:
    exactly with attention to all maxima alike (TreeDecoder.v), and within every eps with softmax and C
    large. So 2 + log_rho((N + 1) / 2) layers serve all trees with N leaves. With the sizes: Main.v.

    Main theorem: [tree_decoder_soft_plastic]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Trees Pebbling LogDepth Theorem3 Softmax DecoderModel TreeDecoderModel.
From Assay Require Import TreeDecoderEnds TreeDecoderSteps TreeDecoder TreeDecoderSoft.
Import ListNotations.
Open Scope R_scope.

(** So many leaves are done after so many steps. *)
Lemma few_leaves rho k (v : tree nat) : 0 < rho -> rho ^ 3 = rho + 1 ->
  (INR (leaves v) + 1) / 2 < rho ^ (S k + 1) -> (leaves v + 1 < padovan (S k + 4))%nat.
Proof.
  intros Hr H3 H. pose proof (plastic_power rho (S k + 1) Hr H3) as P.
  replace (S k + 1 + 3)%nat with (S k + 4)%nat in P by lia.
  apply INR_lt. rewrite plus_INR. simpl (INR 1). lra.
Qed.

Theorem tree_decoder_soft_plastic n q T k leaf tensor act rho : (1 <= n)%nat ->
  (forall y, act y - act (- y) = y) -> act 1 <> 0 -> 0 < rho -> rho ^ 3 = rho + 1 ->
  forall eps, 0 < eps -> exists C0, forall C, C0 <= C ->
  forall t : tree nat, (length (str t) <= T)%nat -> letters_below q (str t) ->
  forall i v, ends (str t) i v -> (INR (leaves v) + 1) / 2 < rho ^ (S k + 1) ->
  forall a, (a < n)%nat ->
  Rabs (forward (tree_weights_for leaf tensor C act) softmax (tree_decoder n q T (S k))
          ((q + 2)%nat :: map (code q) (str t)) i a - mu n leaf tensor v a) < eps.
Proof.
  intros Hn Hodd H1 Hr H3 eps He.
  destruct (tree_decoder_soft n q T k leaf tensor act Hn Hodd H1 eps He) as (C0 & H).
  exists C0. intros C HC t Ht Hlet i v Hv Hl a Ha. apply H; auto. now apply (few_leaves rho).
Qed.

