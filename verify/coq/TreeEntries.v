(** * The weights of the tree model as text, for comparison with the program

    For a concrete number of states and tokens the definitions of TreeModel.v, the ones the theorems
    are about, evaluate to lists of entries: queries, keys and values of every head with its kind of
    attention and its mask, the products of every block, the coordinates that are written anew, the
    readout, and the embedding of a string. They are printed in the plain form of Entries.v.

    Main definitions: [show_weight], [head_entries], [model_entries], [tree_weights_of]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool String.
From Assay Require Import Trees Entries TreeModel.
Import ListNotations.
Open Scope string_scope.

Definition show_weight (x : weight) : string :=
  match x with
  | Whole z => show_int z
  | Times z => "C " ++ show_int z
  | Entry a b c => "entry " ++ show_nat a ++ " " ++ show_nat b ++ " " ++ show_nat c
  | Vector r k => "vector " ++ show_nat r ++ " " ++ show_nat k
  end.

Definition placed (place : list nat) (x : weight) : list string :=
  match x with
  | Whole 0 => []
  | _ => [fold_right (fun k text => show_nat k ++ " " ++ text) "" place ++ ": " ++ show_weight x]
  end.

Definition sized (size : list nat) (found : list string) : string :=
  let shape := fold_right (fun k text => text ++ " " ++ show_nat k) "size" (rev size) in
  String.concat "; " (shape :: found).

(** Linear forms as the columns of a matrix. *)
Definition form_entries (dimension : nat) (fs : list form) : string :=
  sized [dimension; List.length fs]
    (flat_map (fun f => flat_map (fun p => placed [fst p; fst f] (snd p)) (snd f)) (numbered fs)).

Definition picked (dimension : nat) (coordinates : list nat) : string :=
  sized [dimension; List.length coordinates]
    (flat_map (fun c => placed [snd c; fst c] (Whole 1)) (numbered coordinates)).

Definition show_attention (a : attention) : string :=
  match a with Hard => "hard" | Saturated => "saturated" | Soft => "soft" end.
Definition show_mask (m : mask) : string :=
  match m with
  | Everywhere => "none" | Causal => "causal" | Anticausal => "anticausal" | Self => "self"
  end.

Definition head_entries (dimension : nat) (name : string) (h : head) : list (string * string) :=
  [(name ++ " query", form_entries dimension (queries h));
   (name ++ " key", form_entries dimension (keys h));
   (name ++ " value", picked dimension (reads h));
   (name ++ " attention", show_attention (how h) ++ " " ++ show_mask (seen h))].

Definition product_entries (ps : list product) : string :=
  sized [] (flat_map (fun p => placed [left_of p; right_of p; out p] (times p)) ps).

(** Heads stand side by side: W_O is the identity on all that they read. *)
Definition layer_entries (dimension : nat) (l : nat * layer) : list (string * string) :=
  let name := "layer " ++ show_nat (fst l) in
  let width := list_sum (map (fun h => List.length (reads h)) (heads (snd l))) in
  (name ++ " combine", picked width (seq 0 width))
  :: (name ++ " products", product_entries (products (snd l)))
  :: flat_map (fun h => head_entries dimension (name ++ " head " ++ show_nat (fst h)) (snd h))
       (numbered (heads (snd l))).

Definition model_entries (d : nat) (model : transformer) (tokens : list (list weight))
  : list (string * string) :=
  [("renewed", picked d (renewed model)); ("readout", picked d (readout model));
   ("embedding", sized [List.length tokens; d] (flat_map (fun t => flat_map (fun c =>
      placed [fst t; fst c] (snd c)) (numbered (snd t))) (numbered tokens)))]
  ++ flat_map (layer_entries d) (numbered (layers model)).

(** All weights of the model for strings of length at most T and trees up to a height, by name. *)
Definition tree_weights_of (n T height : nat) (kind : attention) (w : list (symbol nat))
  : list (string * string) :=
  model_entries (dimension n) (tree_model n (S T) kind height)
    (map (fun r => map (embedding n w r) (seq 0 (dimension n))) (seq 0 (rows w))).
