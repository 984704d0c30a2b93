(** * Theorem 3 as one would cite it

    Section 4.2. There is one model, whose numbers and hidden units are chosen before the tree, that
    simulates the automaton at length T in the sense of Definition 4.2 (TreeSimulation.v): exactly with
    hard attention and exact products ([theorem3_exact]), and up to every eps > 0 with softmax and MLPs,
    without any mask, at the printed orders of size ([theorem3_simulates]): fewer than T layers for all
    trees, 2 k log T layers for the trees of height at most k log T.

    Where we differ from the print: the construction is another one (FreeModel.v), on T + 1 tokens, the
    last one an end token; positions are (i, i^2) and are written anew after each layer; MLPs of O(n^2)
    units in place of O(n^3); log T is rounded up; the activation is named.

    Main definitions: [tree_network].
    Main theorems:    [theorem3_exact], [theorem3_simulates]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Trees Theorem3 Activation TreeModel TreeLayers.
From Assay Require Import FreeModel FreeLayers SharedUnits TreeSimulation.
Open Scope R_scope.

(** The model without masks, with softmax and shared hidden units in all layers. *)
Definition tree_network {Sigma : Type} n T depth (leaf : Sigma -> nat -> R) tensor sigma
    (C b h s : R) : list (symbol Sigma) -> mat :=
  run_tree (fixed tensor C) (free_model n (S T) Soft depth)
    (fun ly => run_units tensor sigma b h s (shared (products ly))) (free_tokens n T leaf).

Theorem theorem3_exact {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor T :
  simulates_trees n T leaf tensor (fun _ => True)
    (run_tree (fixed tensor 1) (free_model n (S T) Hard (2 * tallest T))
       (fun ly => block (fixed tensor 1) (products ly)) (free_tokens n T leaf)).
Proof.
  intros t i d u Ht _ Hn k Hk. rewrite <- exact_free_is_fixed.
  now apply theorem3_free_length with (d := d).
Qed.

Theorem theorem3_simulates {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor
    (letters : list Sigma) T sigma :
  (1 <= n)%nat -> (1 <= T)%nat -> (forall a, In a letters) -> usable sigma ->
  forall eps, 0 < eps ->
  (exists C b h s,
     let depth := (2 * tallest T)%nat in
     shared_sizes n (free_model n (S T) Soft depth) /\ (depth < T)%nat /\
     approximately_simulates_trees n T leaf tensor (fun _ => True) eps
       (tree_network n T depth leaf tensor sigma C b h s)) /\
  (forall k, exists C b h s,
     let depth := (2 * (k * Nat.log2_up T))%nat in
     shared_sizes n (free_model n (S T) Soft depth) /\
     approximately_simulates_trees n T leaf tensor
       (fun t => (Trees.height t <= k * Nat.log2_up T)%nat) eps
       (tree_network n T depth leaf tensor sigma C b h s)).
Proof.
  intros Hn HT Hall Hu eps He.
  destruct (theorem3_free_shared n leaf tensor letters T sigma Hn HT Hall Hu eps He)
    as [(C & b & h & s & Hs & Hl & H) Hk]. split.
  - exists C, b, h, s. split; [exact Hs|].
    split; [cbn [layers free_model] in Hl; now rewrite repeat_length in Hl|].
    intros t i d u Ht _ Hnode. unfold tree_network. rewrite <- free_is_fixed.
    now apply (H t i d u).
  - intro k. destruct (Hk k) as (C' & b' & h' & s' & Hs' & _ & H').
    exists C', b', h', s'. split; [exact Hs'|]. intros t i d u Ht Hh Hnode.
    unfold tree_network. rewrite <- free_is_fixed. now apply (H' t i d u).
Qed.
