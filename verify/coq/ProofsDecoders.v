(** * The proofs of Main.v on decoders

    Each theorem is restated in Main.v, where its comment is.

    Main theorems: [theorem_B], [theorem_A], [tree_decoder], [tree_decoder_log], [tree_decoder_soft]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Compat Sums Theorem1 Softmax Trees Theorem3 Activation Simulation TreeSimulation.
From Assay Require Import Pass Fits FitsDecoders.
From Assay Require TreeModel Pebbling.
From Assay Require DecoderModel DecoderWeights DecoderStates DecoderActivation Decoder PassDecoder Spectral.
From Assay Require TreeDecoderModel TreeDecoderEnds TreeDecoderSteps TreeDecoder TreeDecoderCount.
Import TreeModel(attention, Saturated, Soft, Causal).
Import ListNotations.
Open Scope R_scope.

(** [Main.run_decoder], written out. *)
Local Notation run_decoder m E P toks :=
  (Pass.forward (length toks) m (fun r c => number_at E (nth r toks 0%nat) c + number_at P r c)).

Theorem theorem_B n q T alpha (A : nat -> mat) act : (1 <= T)%nat ->
  (forall y, act y - act (- y) = y) -> act 1 <> 0 -> forall eps, 0 < eps ->
  exists m E P,
    fits (Sizes (Nat.log2_up T) (2 * n ^ 2 + 3) 1 (Nat.max (n ^ 2) 2) (2 * n ^ 2 + 3)
            (2 * n ^ 3 + n ^ 2) n) (GatedMLPs act) m /\
    consists Soft Causal true m /\ given_once m /\ embeds (q + 1) (T + 1) (2 * n ^ 2 + 3) E P /\
    forall word, DecoderStates.over q word -> (length word <= T)%nat ->
    forall t, (t <= length word)%nat ->
    Spectral.length2 n (fun j => run_decoder m E P (q :: word) t j
                        - DecoderStates.read_word n A alpha (firstn t word) j) <= eps.
Proof.
  intros HT Hodd H1 eps He. set (p := (2 ^ Nat.log2_up T)%nat).
  assert (Hp : (0 < p)%nat) by (apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
  destruct (Decoder.theorem_B n q T p alpha A act HT Hp Hodd H1 eps He) as (C & H).
  specialize (H C (Rle_refl C)). set (e := DecoderStates.weights_for alpha A C act 1 1) in *.
  destruct (sequence_fits n q T p true (Nat.log2_up T) e Soft) as (F & K & G & D).
  eexists. eexists. eexists. split; [exact F|]. split; [exact K|]. split; [exact G|]. split; [exact D|].
  intros word Hw Hl t Ht. eapply Rle_trans; [|exact (H word Hw Hl t Ht)]. apply Req_le. f_equal.
  apply functional_extensionality. intro j.
  now rewrite (proj1 (PassDecoder.sequence_decoder_pass e n q T p true _ (q :: word) t j
    ltac:(cbn; lia))).
Qed.

Theorem theorem_A n q T alpha (A : nat -> mat) act c k : (1 <= T)%nat ->
  DecoderActivation.gentle act c k -> forall eps, 0 < eps ->
  exists m E P,
    fits (Sizes (Nat.log2_up T) (2 * n ^ 2 + 2) 1 (Nat.max (n ^ 2) 2) (2 * n ^ 2 + 2) (4 * n ^ 3) n)
      (MLPs act) m /\
    consists Soft Causal true m /\ given_once m /\ embeds (q + 1) (T + 1) (2 * n ^ 2 + 2) E P /\
    forall word, DecoderStates.over q word -> (length word <= T)%nat ->
    forall t, (t <= length word)%nat ->
    Spectral.length2 n (fun j => run_decoder m E P (q :: word) t j
                        - DecoderStates.read_word n A alpha (firstn t word) j) <= eps.
Proof.
  intros HT Hgentle eps He. set (p := (2 ^ Nat.log2_up T)%nat).
  assert (Hp : (0 < p)%nat) by (apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
  destruct (Decoder.theorem_A n q T p alpha A act c k HT Hp Hgentle eps He) as (C & h & Hh & H).
  specialize (H C h (Rle_refl C) (conj Hh (Rle_refl h))).
  set (e := DecoderStates.weights_for alpha A C act h c) in *.
  destruct (sequence_fits n q T p false (Nat.log2_up T) e Soft) as (F & K & G & D).
  eexists. eexists. eexists. split; [exact F|]. split; [exact K|]. split; [exact G|]. split; [exact D|].
  intros word Hw Hl t Ht. eapply Rle_trans; [|exact (H word Hw Hl t Ht)]. apply Req_le. f_equal.
  apply functional_extensionality. intro j.
  now rewrite (proj1 (PassDecoder.sequence_decoder_pass e n q T p false _ (q :: word) t j
    ltac:(cbn; lia))).
Qed.

Section TreeDecoder.
Context (n q T : nat) (leaf : nat -> nat -> R) (tensor : nat -> nat -> nat -> R) (act : R -> R).
Hypothesis n_1 : (1 <= n)%nat.
Hypothesis act_odd : forall y, act y - act (- y) = y.
Hypothesis act_1 : act 1 <> 0.

Local Notation tree_decoder_of kind steps m E P :=
  (fits (Sizes (2 + steps) (2 * n ^ 2 + 4 * n + 11) 3 (n ^ 2 + n + 2) (2 * n ^ 2 + 4 * n + 11)
           (2 * n ^ 3 + 5 * n ^ 2 + 7 * n + 11) n) (GatedMLPs act) m /\
   consists kind Causal true m /\ given_once m /\ embeds (q + 3) (T + 1) (2 * n ^ 2 + 4 * n + 11) E P).
Local Notation state_at m E P t :=
  (run_decoder m E P ((q + 2)%nat :: map (TreeDecoderSteps.code q) (str t))).

Local Notation fitting t := ((length (str t) <= T)%nat /\ TreeDecoderSteps.letters_below q (str t)).

Theorem tree_decoder k rho : 0 < rho -> rho ^ 3 = rho + 1 ->
  exists m E P, tree_decoder_of Saturated (S k) m E P /\
    forall t, fitting t -> forall i v, TreeDecoderEnds.ends (str t) i v ->
    (INR (Pebbling.leaves v) + 1) / 2 < rho ^ (S k + 1) ->
    forall a, (a < n)%nat -> state_at m E P t i a = mu n leaf tensor v a.
Proof.
  intros Hr H3. set (e := TreeDecoder.tree_weights_for leaf tensor 1 act).
  destruct (tree_decoder_fits n q T (S k) e Saturated) as (F & K & G & D).
  eexists. eexists. eexists. split; [exact (conj F (conj K (conj G D)))|].
  intros t [Ht Hlet] i v Hv Hleaves a Ha.
  destruct (TreeDecoder.tree_decoder_plastic n q T k leaf tensor 1 act rho n_1 Rlt_0_1 act_odd act_1 Hr H3)
    as [_ H]. rewrite <- (H t Ht Hlet i v Hv Hleaves a Ha).
  symmetry. apply (PassDecoder.tree_decoder_pass e n q T k).
  cbn [length]. rewrite map_length. apply TreeDecoderEnds.ends_range in Hv. lia.
Qed.

Theorem tree_decoder_log leaf_count : (1 <= leaf_count)%nat ->
  exists m E P, tree_decoder_of Saturated (3 * Nat.log2 (leaf_count + 1) - 1) m E P /\
    forall t, fitting t -> forall i v, TreeDecoderEnds.ends (str t) i v ->
    (Pebbling.leaves v <= leaf_count)%nat ->
    forall a, (a < n)%nat -> state_at m E P t i a = mu n leaf tensor v a.
Proof.
  intro Hc. set (steps := (3 * Nat.log2 (leaf_count + 1) - 1)%nat).
  assert (Es : steps = S (steps - 1)).
  { assert (1 <= Nat.log2 (leaf_count + 1))%nat by (apply Nat.log2_le_pow2; simpl; lia). unfold steps. lia. }
  set (e := TreeDecoder.tree_weights_for leaf tensor 1 act).
  destruct (tree_decoder_fits n q T steps e Saturated) as (F & K & G & D).
  eexists. eexists. eexists. split; [exact (conj F (conj K (conj G D)))|].
  intros t [Ht Hlet] i v Hv Hleaves a Ha.
  rewrite <- (TreeDecoder.tree_decoder_log n q T leaf tensor 1 act n_1 Rlt_0_1 act_odd act_1 leaf_count Hc
    t Ht Hlet i v Hv Hleaves a Ha). fold steps e.
  rewrite Es. symmetry. apply (PassDecoder.tree_decoder_pass e n q T (steps - 1)).
  cbn [length]. rewrite map_length. apply TreeDecoderEnds.ends_range in Hv. lia.
Qed.

Theorem tree_decoder_soft k rho eps : 0 < rho -> rho ^ 3 = rho + 1 -> 0 < eps ->
  exists m E P, tree_decoder_of Soft (S k) m E P /\
    forall t, fitting t -> forall i v, TreeDecoderEnds.ends (str t) i v ->
    (INR (Pebbling.leaves v) + 1) / 2 < rho ^ (S k + 1) ->
    forall a, (a < n)%nat -> Rabs (state_at m E P t i a - mu n leaf tensor v a) < eps.
Proof.
  intros Hr H3 He. destruct (TreeDecoderCount.tree_decoder_soft_plastic n q T k leaf tensor act rho n_1
    act_odd act_1 Hr H3 eps He) as (C & H). specialize (H C (Rle_refl C)).
  set (e := TreeDecoder.tree_weights_for leaf tensor C act) in *.
  destruct (tree_decoder_fits n q T (S k) e Soft) as (F & K & G & D).
  eexists. eexists. eexists. split; [exact (conj F (conj K (conj G D)))|].
  intros t [Ht Hlet] i v Hv Hleaves a Ha. eapply Rle_lt_trans; [|exact (H t Ht Hlet i v Hv Hleaves a Ha)].
  apply Req_le. f_equal. f_equal. symmetry. apply (PassDecoder.tree_decoder_pass e n q T k).
  cbn [length]. rewrite map_length. apply TreeDecoderEnds.ends_range in Hv. lia.
Qed.
End TreeDecoder.
