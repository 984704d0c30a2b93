(** * The weights as text, for comparison with the program

    For concrete n and L the definitions of Model.v, the ones the theorems are about, evaluate to
    lists of entries. They are printed here in a plain form (row, column, weight) that the program
    compares, entry by entry, with the matrices it builds.

    Main definitions: [show], [entries], [tensor_entries], [weights_of]. *)

From Coq Require Import ZArith List String Decimal DecimalString DecimalNat DecimalZ.
From Assay Require Import Model.
Import ListNotations.
Open Scope string_scope.

Definition show_nat (k : nat) : string := NilZero.string_of_uint (Nat.to_uint k).
Definition show_int (k : Z) : string := NilZero.string_of_int (Z.to_int k).

Fixpoint show (w : weight) : string :=
  match w with
  | Zero => "0"
  | One => "1"
  | Cos k T => "cos " ++ show_int k ++ "/" ++ show_nat T
  | Sin k T => "sin " ++ show_int k ++ "/" ++ show_nat T
  | Minus w => "minus " ++ show w
  | RootC w => "rootC " ++ show w
  | Alpha i => "alpha " ++ show_nat i
  | Letter t i j => "letter " ++ show_nat t ++ " " ++ show_nat i ++ " " ++ show_nat j
  end.

Definition line (place : list nat) (w : weight) : list string :=
  match w with
  | Zero => []
  | _ => [fold_right (fun k text => show_nat k ++ " " ++ text) "" place ++ ": " ++ show w]
  end.

(** The non-zero entries of a matrix, after its size. *)
Definition entries (W : matrix) : string :=
  let size := "size " ++ show_nat (rows W) ++ " " ++ show_nat (cols W) in
  let found := flat_map (fun i => flat_map (fun j => line [i; j] (entry W i j)) (seq 0 (cols W)))
                        (seq 0 (rows W)) in
  String.concat "; " (size :: found).

Definition tensor_entries (m : nat) (t : nat -> nat -> nat -> weight) : string :=
  let s := seq 0 m in
  let size := "size " ++ show_nat m ++ " " ++ show_nat m ++ " " ++ show_nat m in
  String.concat "; " (size :: flat_map (fun a => flat_map (fun b => flat_map (fun c =>
    line [a; b; c] (t a b c)) s) s) s).

(** All weights of the construction, by name. *)
Definition weights_of (n L : nat) (scale : weight -> weight) : list (string * string) :=
  [("query", entries (W_Q n scale)); ("right key", entries (W_K_right n scale));
   ("left value", entries (W_V_left n)); ("right value", entries (W_V_right n));
   ("combine", entries (W_O n)); ("left select", entries (W_sel_left n));
   ("right select", entries (W_sel_right n));
   ("tensor", tensor_entries (n2 n) (product_tensor n)); ("output", entries (W_out n));
   ("readout", entries (W_readout n)); ("embedding", entries (embedding n L))]
  ++ map (fun l => ("left key " ++ show_nat l, entries (W_K_left n L scale l))) (seq 1 L).
