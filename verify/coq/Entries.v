(** * The weights as text, for comparison with the program

    For concrete n and L the definitions of Model.v, the ones the theorems are about, evaluate to
    lists of entries. They are printed here in a plain form (row, column, weight) that the program
    compares, entry by entry, with the matrices it builds.

    Main definitions: [show], [entries], [tensor_entries], [layer_weights], [weights_of]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool String Decimal DecimalString DecimalNat DecimalZ.
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

(** Heads, W_O, block, readout, positions and tokens of a model, by their place in it. *)
Definition numbered {A : Type} (l : list A) : list (nat * A) := combine (seq 0 (List.length l)) l.

Definition head_weights (name : string) (h : nat * head) : list (string * string) :=
  let name := name ++ " head " ++ show_nat (fst h) in
  [(name ++ " query", entries (WQ (snd h))); (name ++ " key", entries (WK (snd h)));
   (name ++ " value", entries (WV (snd h)))].

Definition block_weights (name : string) (B : bilinear) : list (string * string) :=
  [(name ++ " left select", entries (WselL B)); (name ++ " right select", entries (WselR B));
   (name ++ " tensor", tensor_entries (cols (WselL B)) (tensor B));
   (name ++ " output", entries (Wout B))].

Definition layer_weights (l : nat * layer) : list (string * string) :=
  let name := "layer " ++ show_nat (fst l) in
  (name ++ " combine", entries (WO (snd l)))
  :: flat_map (head_weights name) (numbered (heads (snd l)))
  ++ block_weights name (feedforward (snd l)).

(** The rows whose positions are 0 .. T. *)
Definition read_rows (L : nat) : string :=
  String.concat " " (flat_map (fun t => flat_map (fun r =>
    if Z.eqb (pos L r) (Z.of_nat t) then [show_nat r] else []) (seq 0 (N L))) (seq 0 (S (T L)))).

(** What is the same with an MLP: readout, what is written anew after a layer, embedding. *)
Definition around (n L : nat) (Wreadout encoding : matrix) : list (string * string) :=
  [("readout", entries Wreadout); ("encoding", entries encoding);
   ("embedding", entries (embedding n L)); ("rows", read_rows L)].

(** All weights of the construction. *)
Definition weights_of (n L : nat) (scale : weight -> weight) : list (string * string) :=
  let model := construction n L scale in
  around n L (Wreadout model) (encoding model)
  ++ flat_map layer_weights (numbered (layers model)).
