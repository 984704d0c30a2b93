(** * The decoder's weights as text, for comparison with the program

    For concrete n, q, T and p the definitions of DecoderLayers.v, the ones that Theorems A and B are
    about, evaluate to lists of entries, printed as in Entries.v: after the size, row, column and
    weight of every entry that is not zero.

    Main definitions: [show_scalar], [table_entries], [layer_entries], [decoder_entries]. *)

From Coq Require Import ZArith List String.
From Assay Require Import Entries DecoderModel DecoderWeights DecoderLayers.
Import ListNotations.
Open Scope string_scope.

Fixpoint show_scalar (w : scalar) : string :=
  match w with
  | Whole k => show_int k
  | Ratio k m => "ratio " ++ show_nat k ++ "/" ++ show_nat m
  | Score width k => "score " ++ show_int k ++ " root " ++ show_nat width
  | Step k => "step " ++ show_int k
  | Even k => "even " ++ show_int k
  | Odd k => "odd " ++ show_int k
  | PerGate k => "pergate " ++ show_int k
  | Initial i => "initial " ++ show_nat i
  | Transition a i j => "transition " ++ show_nat a ++ " " ++ show_nat i ++ " " ++ show_nat j
  | LeafState a i => "leaf " ++ show_nat a ++ " " ++ show_nat i
  | Tensor a l r => "tensor " ++ show_nat a ++ " " ++ show_nat l ++ " " ++ show_nat r
  | Over w => "over gate (" ++ show_scalar w ++ ")"
  | Times k w => show_int k ++ " times (" ++ show_scalar w ++ ")"
  | Plus v w => "(" ++ show_scalar v ++ ") plus (" ++ show_scalar w ++ ")"
  end.

Definition scalar_line (place : list nat) (w : scalar) : list string :=
  match w with
  | Whole Z0 => []
  | _ => [fold_right (fun k text => show_nat k ++ " " ++ text) "" place ++ ": " ++ show_scalar w]
  end.

Definition table_entries (W : table) : string :=
  let size := "size " ++ show_nat (high W) ++ " " ++ show_nat (wide W) in
  let found := flat_map (fun i => flat_map (fun j => scalar_line [i; j] (item W i j))
                 (seq 0 (wide W))) (seq 0 (high W)) in
  String.concat "; " (size :: found).

Definition bias_entries (k : nat) (b : nat -> scalar) : string :=
  String.concat "; " (("size " ++ show_nat k)
    :: flat_map (fun j => scalar_line [j] (b j)) (seq 0 k)).

Definition head_entries (name : string) (H : head) : list (string * string) :=
  [(name ++ " W_Q", table_entries (W_Q H)); (name ++ " b_Q", bias_entries (wide (W_Q H)) (b_Q H));
   (name ++ " W_K", table_entries (W_K H)); (name ++ " W_V", table_entries (W_V H));
   (name ++ " W_O", table_entries (W_O H))].

Definition block_entries (name : string) (B : block) : list (string * string) :=
  match B with
  | Gated Win Wgate Wout =>
      [(name ++ " W_in", table_entries Win); (name ++ " W_gate", table_entries Wgate);
       (name ++ " W_out", table_entries Wout)]
  | Plain Win bin Wout bout =>
      [(name ++ " W_in", table_entries Win); (name ++ " b_in", bias_entries (wide Win) bin);
       (name ++ " W_out", table_entries Wout); (name ++ " b_out", bias_entries (wide Wout) bout)]
  end.

Definition layer_entries (l : nat) (ly : layer) : list (string * string) :=
  let name := "layer " ++ show_nat l in
  flat_map (fun h => head_entries (name ++ " head " ++ show_nat (fst h)) (snd h))
    (combine (seq 0 (List.length (heads ly))) (heads ly))
  ++ block_entries name (mlp ly).

(** All weights of a decoder, by name. *)
Definition decoder_entries (model : decoder) : list (string * string) :=
  [("W_E", table_entries (W_E model)); ("W_pos", table_entries (W_pos model));
   ("W_U", table_entries (W_U model)); ("b_U", bias_entries (wide (W_U model)) (b_U model))]
  ++ flat_map (fun ly => layer_entries (fst ly) (snd ly))
       (combine (seq 0 (List.length (layers model))) (layers model)).
