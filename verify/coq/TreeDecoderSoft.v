(** * The tree decoder with softmax attention: every eps, all trees up to a length

    Beyond the paper. The decoder of TreeDecoder.v with softmax in place of hard attention: for every
    automaton, every length T, every number of steps k >= 1 and every eps > 0 there is a C0 such that
    for all C >= C0, on the strings of all trees of length at most T over q letters, the output at
    every position where a subtree v with leaves(v) + 1 < P_(k+1) ends is within eps of its state. The
    MLPs are gated and exact, for any act with act(y) - act(-y) = y and act(1) <> 0 (SiLU for example).
    C0 is that of TreeDecoderHeld.v, with a bound on the weights of the q letters.

    Main theorem: [tree_decoder_soft]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Trees Pebbling Theorem3 Softmax DecoderModel TreeDecoderModel.
From Assay Require Import TreeDecoderEnds TreeDecoderSteps TreeDecoder TreeDecoderRates TreeDecoderHeld.
Import ListNotations.
Open Scope R_scope.

Theorem tree_decoder_soft n q T k leaf tensor act : (1 <= n)%nat ->
  (forall y, act y - act (- y) = y) -> act 1 <> 0 -> forall eps, 0 < eps ->
  exists C0, forall C, C0 <= C ->
  forall t : tree nat, (length (str t) <= T)%nat -> letters_below q (str t) ->
  forall i v, ends (str t) i v -> (leaves v + 1 < padovan (S k + 4))%nat -> forall a, (a < n)%nat ->
  Rabs (forward (tree_weights_for leaf tensor C act) softmax (tree_decoder n q T (S k))
          ((q + 2)%nat :: map (code q) (str t)) i a - mu n leaf tensor v a) < eps.
Proof.
  intros Hn Hodd H1 eps He. set (e := tree_weights_for leaf tensor 1 act).
  set (U := sum q (fun a => sum n (fun i => Rabs (leaf a i)))).
  assert (P : forall a, 0 <= sum n (fun i => Rabs (leaf a i)))
    by (intro; apply sum_nonneg; intros; apply Rabs_pos).
  assert (HU : 0 <= U) by (apply sum_nonneg; auto).
  assert (Hleaf : forall a i, (a < q)%nat -> (i < n)%nat -> Rabs (leaf a i) <= U).
  { intros a i Ha Hi. apply Rle_trans with (sum n (fun i => Rabs (leaf a i))).
    - apply (sum_term n (fun i => Rabs (leaf a i)) i Hi). intros. apply Rabs_pos.
    - apply (sum_term q (fun a => sum n (fun i => Rabs (leaf a i))) a Ha). auto. }
  destruct (enough_C_exists n T (S k) e (held_bound n T (S k) e U) eps) as (C0 & HC0).
  exists C0. intros C HC.
  apply (tree_decoder_rate n q T k leaf tensor act (held_bound n T (S k) e U) eps C); auto.
  - now apply held_bound_pos.
  - intros t Ht Hlet. now apply tree_held.
  - now apply (enough_C_le n T (S k) e _ eps C0).
Qed.
