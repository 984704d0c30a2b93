(** * The weights of the tree model without masks as text, for comparison with the program

    For a concrete number of states and tokens the definitions of FreeModel.v, the ones the theorems
    are about, evaluate to lists of entries, printed in the plain form of TreeEntries.v: queries,
    keys and values of every head with its kind of attention and its mask, the products of the
    block, the coordinates that are written anew, the readout, and the embedding of a string.

    Main definitions: [free_weights_of]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool String.
From Assay Require Import Trees Entries TreeModel TreeEntries FreeModel.
Import ListNotations.
Open Scope string_scope.

(** All weights of the model for strings of length at most T, with a number of layers, by name. *)
Definition free_weights_of (n T count : nat) (mode : attention) (w : list (symbol nat))
  : list (string * string) :=
  let d := free_dimension n in
  model_entries d (free_model n (S T) mode count)
    (map (fun r => map (free_embedding n (S T) w r) (seq 0 d)) (seq 0 (rows w))).
