(** * The weights of the unrolled model as text, for comparison with the program

    The model of Unrolled.v, evaluated for concrete n, L and numbers of layers, printed as Entries.v prints
    the weights of Theorem 1.

    Main definition: [unrolled_weights_of]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool String.
From Assay Require Import Model Entries Unrolled.
Import ListNotations.
Open Scope string_scope.

(** A tensor whose three sizes may differ. *)
Definition tensor_box (k l m : nat) (t : nat -> nat -> nat -> weight) : string :=
  let size := "size " ++ show_nat k ++ " " ++ show_nat l ++ " " ++ show_nat m in
  String.concat "; " (size :: flat_map (fun a => flat_map (fun b => flat_map (fun c =>
    line [a; b; c] (t a b c)) (seq 0 m)) (seq 0 l)) (seq 0 k)).

Definition step_weights (l : nat * layer) : list (string * string) :=
  let name := "layer " ++ show_nat (fst l) in
  let B := feedforward (snd l) in
  [(name ++ " combine", entries (WO (snd l)));
   (name ++ " left select", entries (WselL B)); (name ++ " right select", entries (WselR B));
   (name ++ " tensor", tensor_box (cols (WselL B)) (cols (WselR B)) (rows (Wout B)) (tensor B));
   (name ++ " output", entries (Wout B))]
  ++ flat_map (head_weights name) (numbered (heads (snd l))).

(** All weights of the model with so many layers. *)
Definition unrolled_weights_of (n L steps : nat) : list (string * string) :=
  let model := unrolled n L steps in
  [("readout", entries (Wreadout model)); ("encoding", entries (encoding model));
   ("embedding", entries (unrolled_embedding n L)); ("rows", read_rows L)]
  ++ flat_map step_weights (numbered (layers model)).
