(** * The weights of the tree model on the string alone as text, for comparison with the program

    For a concrete number of states the definitions of CleanTreeModel.v, the ones the theorems are
    about, evaluate to lists of entries, printed in the plain form of TreeEntries.v. The tokens of a
    string are written with weights and signs ([clean_embedding]); they are those of the theorems
    ([tokens_written]).

    Main definitions: [clean_embedding], [clean_weights_of].
    Main theorems:    [tokens_written]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool String.
From Assay Require Import Trees Entries TreeModel TreeEntries FreeModel CleanTreeModel.
Import ListNotations.
Open Scope string_scope.

(** A weight, or the same times -1. *)
Definition signed := (bool * weight)%type.

Definition clean_embedding {Sigma : Type} (n : nat) (w : list (symbol Sigma)) (r c : nat) : signed :=
  let o := nth_error w r in
  let i := (Z.of_nat r + 1)%Z in
  let vector := fun k => match o with Some (Sym _) => Vector r k | _ => Whole 0 end in
  if (c <? n)%nat then (false, vector c) else
  match (c - n)%nat with
  | 0%nat => (false, Whole 1)
  | 1%nat => (false, Whole i)
  | 2%nat => (false, Whole (i * i))
  | 3%nat => (false, Whole (open_of o))
  | 4%nat => (false, Whole (letter_of o))
  | 5%nat => (false, Whole (letter_of o))
  | 6%nat => (false, Whole i)
  | 7%nat => (false, Whole (letter_of o))
  | _ => if (c <? 2 * n + 8)%nat then (true, vector (c - (n + 8))%nat) else (false, Whole 0)
  end.

(** The tokens that are written are those of the theorems. *)
Theorem tokens_written {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor C w r c :
  clean_tokens n leaf (nth_error w r) r c
  = (let x := value leaf tensor C w (snd (clean_embedding n w r c)) in
     if fst (clean_embedding n w r c) then - x else x)%R.
Proof.
  unfold clean_tokens, clean_embedding, vector_of.
  destruct (c <? n)%nat.
  - destruct (nth_error w r) as [[a| |]|] eqn:E; cbn [fst snd value]; rewrite ?E; reflexivity.
  - generalize (c - n)%nat. intro m.
    do 8 (destruct m as [|m]; [cbn [fst snd value]; rewrite ?mult_IZR; reflexivity|]).
    destruct (c <? 2 * n + 8)%nat; [|reflexivity].
    destruct (nth_error w r) as [[a| |]|] eqn:E; cbn [fst snd value]; rewrite ?E; try reflexivity;
      now rewrite Ropp_0.
Qed.

Definition show_signed (place : list nat) (x : signed) : list string :=
  match x with
  | (true, Whole z) => placed place (Whole (- z))
  | (true, y) => [fold_right (fun k text => show_nat k ++ " " ++ text) "" place
                  ++ ": minus " ++ show_weight y]
  | (false, y) => placed place y
  end.

(** All weights of the model with a number of layers, and the tokens of a string, by name. *)
Definition clean_weights_of (n count : nat) (mode : attention) (w : list (symbol nat))
  : list (string * string) :=
  let d := clean_dimension n in
  let model := clean_model n mode count in
  [("renewed", picked d (renewed model)); ("readout", picked d (readout model));
   ("embedding", sized [List.length w; d] (flat_map (fun r => flat_map (fun c =>
      show_signed [r; c] (clean_embedding n w r c)) (seq 0 d)) (seq 0 (List.length w))))]
  ++ flat_map (layer_entries d) (numbered (layers model)).
