(** * The weights of the MLP as text, for comparison with the program

    For concrete n the network of MLP.v, the one the theorems are about, evaluates to lists of
    entries. They are printed in the plain form of Entries.v: row, column, weight, where a weight is
    a multiple of the step h or of the scale s, or the point b.

    Main definitions: [show_mlp], [mlp_weights_of]. *)

From Coq Require Import ZArith List String.
From Assay Require Import Entries MLP.
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
Definition mlp_weights_of (B : mlp) : list (string * string) :=
  [("hidden", mlp_entries (inputs B) (units B) (inward B));
   ("bias", mlp_entries 1 (units B) (fun _ => bias B));
   ("output", mlp_entries (units B) (outputs B) (outward B));
   ("offset", mlp_entries 1 (outputs B) (fun _ => offset B))].
