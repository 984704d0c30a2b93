(** * The shared hidden units of the tree models as text, for comparison with the program

    For a concrete number of states the units of SharedUnits.v, the ones the theorems are about,
    evaluate to lists, printed in a plain form: the two coordinates that a unit reads with their
    signs, its own sign, and the coordinates to which it adds with their weights.

    Main definitions: [show_unit], [units_of], [without_products]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool String.
From Assay Require Import Entries TreeModel TreeEntries SharedUnits.
Import ListNotations.
Open Scope string_scope.

Definition show_target (t : nat * weight) : string :=
  show_nat (fst t) ++ " = " ++ show_weight (snd t).

Definition show_unit (u : unit) : string :=
  show_nat (reads_left u) ++ " " ++ show_int (left_factor u) ++ " "
  ++ show_nat (reads_right u) ++ " " ++ show_int (right_factor u) ++ " " ++ show_int (sign u)
  ++ " : " ++ String.concat " , " (map show_target (targets u)).

(** The units of every layer, by name. *)
Definition units_of (model : transformer) : list (string * string) :=
  map (fun l => ("layer " ++ show_nat (fst l) ++ " units",
                 String.concat "; " (map show_unit (shared (products (snd l))))))
      (numbered (layers model)).

(** The weights of a model but for its blocks, in whose place the units stand. *)
Definition without_products (weights : list (string * string)) : list (string * string) :=
  let ends := fun name => String.eqb (substring (length name - 8) 8 name) "products" in
  filter (fun w => negb (ends (fst w))) weights.
