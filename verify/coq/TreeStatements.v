(** * Theorem 3 with an end token, without masks

    Section 4.2. There is one model, whose numbers and hidden units are chosen before the tree, that
    simulates the automaton at length T in the sense of Definition 4.2 (TreeSimulation.v) exactly, with
    hard attention and exact products ([theorem3_exact]). [tree_network] is the same with softmax and MLPs;
    TreeClosed.v has the C and h that are enough for it.

    Where we differ from the print: the construction is another one (FreeModel.v), on T + 1 tokens, the
    last one an end token; positions are (i, i^2) and are written anew after each layer; MLPs of O(n^2)
    units in place of O(n^3); log T is rounded up; the activation is named.

    Main definitions: [tree_network].
    Main theorem:    [theorem3_exact]. *)

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

