(** * The weights of the MLP as text, for comparison with the program

    For concrete n and L the model of MLPModel.v, the one the theorems are about, evaluates to lists
    of entries. They are printed in the plain form of Entries.v: row, column, weight, where a weight is
    a multiple of the step h or of the scale s, or the point b.

    Main definitions: [show_mlp], [network_weights], [mlp_weights_of]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool String.
From Assay Require Import Model Entries MLP MLPModel.
Import ListNotations.
Open Scope string_scope.

Definition show_mlp (w : mlp_weight) : string :=
  match w with
  | Nought => "0"
  | Step k => "h " ++ show_int k
  | Scale k => "s " ++ show_int k
  | Point => "b"
  end.

Definition mlp_line (place : list nat) (w : mlp_weight) : list string :=
  match w with
  | Nought => []
  | _ => [fold_right (fun k text => show_nat k ++ " " ++ text) "" place ++ ": " ++ show_mlp w]
  end.

Definition mlp_entries (height width : nat) (entry : nat -> nat -> mlp_weight) : string :=
  let size := "size " ++ show_nat height ++ " " ++ show_nat width in
  let found := flat_map (fun i => flat_map (fun j => mlp_line [i; j] (entry i j)) (seq 0 width))
                        (seq 0 height) in
  String.concat "; " (size :: found).

(** The weights of a network, by name; biases are rows. *)
Definition network_weights (name : string) (B : mlp) : list (string * string) :=
  [(name ++ " hidden", mlp_entries (inputs B) (units B) (inward B));
   (name ++ " bias", mlp_entries 1 (units B) (fun _ => bias B));
   (name ++ " output", mlp_entries (units B) (outputs B) (outward B));
   (name ++ " offset", mlp_entries 1 (outputs B) (fun _ => offset B))].

Definition mlp_layer_weights (l : nat * mlp_layer) : list (string * string) :=
  let name := "layer " ++ show_nat (fst l) in
  (name ++ " combine", entries (mlp_WO (snd l)))
  :: flat_map (head_weights name) (numbered (mlp_heads (snd l)))
  ++ network_weights name (network (snd l)).

(** All weights of the model with an MLP in every layer. *)
Definition mlp_weights_of (n L extra : nat) : list (string * string) :=
  let model := soft_model n L extra in
  around n L (mlp_readout model) (mlp_encoding model)
  ++ flat_map mlp_layer_weights (numbered (mlp_layers model)).
