(** * The weights of the encoder of logarithmic depth as text, for comparison with the program

    For concrete numbers the definitions of LogDepthEncoder.v and LogDepthEncoderSum.v, the ones the theorems
    are about, evaluate to lists of entries, printed in the plain form of TreeEntries.v. The tokens of a string
    are written with weights, inverses of whole numbers, powers of base and sink ([encoder_embedding],
    [short_embedding]); they are those of the theorems ([encoder_tokens_written], [short_tokens_written]).

    Main definitions: [encoder_embedding], [encoder_weights_of], [short_embedding], [short_weights_of].
    Main theorems:    [encoder_tokens_written], [short_tokens_written]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool String.
From Assay Require Import Sums Trees Entries TreeModel TreeEntries CleanTreeModel.
From Assay Require Import LogDepthEncoderLift LogDepthEncoder LogDepthEncoderSum.
From Assay Require FreeModel.
Import ListNotations.
Open Scope string_scope.

(** A weight, or the inverse of a whole number. *)
Inductive written := Plain (x : weight) | Inverse (z : Z).

Definition encoder_embedding {Sigma : Type} (n T : nat) (w : list (symbol Sigma)) (r c : nat) : written :=
  let o := nth_error w r in
  let i := (Z.of_nat r + 1)%Z in
  if (c <? 12)%nat then
    match c with
    | 0%nat => Plain (Whole 1)
    | 1%nat => Plain (Whole i)
    | 2%nat => Plain (Whole (i * i))
    | 3%nat => Plain (Whole i)
    | 4%nat => Plain (Whole (FreeModel.letter_of o))
    | 5%nat => Plain (Whole (open_of o))
    | 6%nat => Plain (Whole i)
    | 7%nat => Plain (Whole (if (r =? 0)%nat then 0 else mark_of o))
    | 8%nat => Plain (Whole (mark_of o))
    | 9%nat => Plain (Whole (if (r =? 0)%nat then mark_of o * mark_of o else 0))
    | 10%nat => Plain (Whole (open_of o * W T ^ Z.of_nat (r + 2)))
    | _ => Inverse (W T ^ Z.of_nat r)
    end
  else if (c <? e_M n)%nat then
    Plain (match o with Some (Sym _) => Vector r (c - 12) | _ => Whole 0 end)
  else if (c <? encoder_dimension n)%nat then
    Plain (Whole (if ((c - e_M n) / n =? (c - e_M n) mod n)%nat then open_of o else 0))
  else Plain (Whole 0).

(** The tokens that are written are those of the theorems. *)
Theorem encoder_tokens_written {Sigma : Type} n T (leaf : Sigma -> nat -> R) tensor C w r c :
  encoder_tokens n T leaf (nth_error w r) r c
  = match encoder_embedding n T w r c with
    | Plain x => value leaf tensor C w x
    | Inverse z => / IZR z
    end%R.
Proof.
  unfold encoder_tokens, encoder_embedding. destruct (Nat.ltb_spec c 12) as [Hc|Hc].
  - do 12 (destruct c as [|c]; [cbn -[IZR Z.pow Z.mul Z.of_nat pow Z.add Nat.eqb W];
      rewrite ?pow_IZR, ?mult_IZR, <- ?pow_IZR; try destruct (r =? 0)%nat;
      rewrite ?mult_IZR; reflexivity|]). lia.
  - destruct (c <? e_M n)%nat.
    + unfold vector_of. destruct (nth_error w r) as [[a| |]|] eqn:E; cbn [value]; rewrite ?E; reflexivity.
    + destruct (c <? encoder_dimension n)%nat; [|reflexivity]. unfold I.
      destruct (_ =? _)%nat; cbn [value b2r]; ring.
Qed.

Definition show_written (place : list nat) (x : written) : list string :=
  match x with
  | Plain y => placed place y
  | Inverse z => [fold_right (fun k text => show_nat k ++ " " ++ text) "" place
                  ++ ": inverse " ++ show_int z]
  end.

(** All weights of the model with a number of steps, and the tokens of a string, by name. *)
Definition encoder_weights_of (n T steps : nat) (mode : attention) (w : list (symbol nat))
  : list (string * string) :=
  let d := encoder_dimension n in
  let model := encoder n T mode steps in
  [("renewed", picked d (renewed model)); ("readout", picked d (readout model));
   ("embedding", sized [List.length w; d] (flat_map (fun r => flat_map (fun c =>
      show_written [r; c] (encoder_embedding n T w r c)) (seq 0 d)) (seq 0 (List.length w))))]
  ++ flat_map (layer_entries d) (numbered (layers model)).

(** ** The encoder with depths by one head *)

(** A number as above, or a power of base, or sink. *)
Inductive noted := Written (x : written) | Low (r : nat) | High (r : nat) | Sink.

Definition short_embedding {Sigma : Type} (n T : nat) (w : list (symbol Sigma)) (r c : nat) : noted :=
  if (c =? e_phi)%nat then Low r else
  if (c =? e_c)%nat then High r else
  if (c =? e_depth2)%nat then (if (r =? 0)%nat then Sink else Written (Plain (Whole 0))) else
  Written (encoder_embedding n T w r c).

Definition noted_value {Sigma : Type} (leaf : Sigma -> nat -> R) tensor C w (base sink : R) (x : noted) : R :=
  match x with
  | Written (Plain y) => value leaf tensor C w y
  | Written (Inverse z) => / IZR z
  | Low r => / (base * (base * base) ^ r)
  | High r => (base * base) ^ r
  | Sink => sink
  end%R.

Theorem short_tokens_written {Sigma : Type} n T base sink (leaf : Sigma -> nat -> R) tensor C w r c :
  short_tokens n T base sink leaf (nth_error w r) r c
  = noted_value leaf tensor C w base sink (short_embedding n T w r c).
Proof.
  unfold short_tokens, short_embedding. destruct (c =? e_phi)%nat; [reflexivity|].
  destruct (c =? e_c)%nat; [reflexivity|].
  destruct (c =? e_depth2)%nat; [now destruct (r =? 0)%nat|].
  rewrite (encoder_tokens_written n T leaf tensor C w). cbn [noted_value].
  now destruct (encoder_embedding n T w r c).
Qed.

Definition show_noted (place : list nat) (x : noted) : list string :=
  let at_place := fold_right (fun k text => show_nat k ++ " " ++ text) "" place in
  match x with
  | Written y => show_written place y
  | Low r => [at_place ++ ": low " ++ show_nat r]
  | High r => [at_place ++ ": high " ++ show_nat r]
  | Sink => [at_place ++ ": sink"]
  end.

(** All weights of the model with the factor A and a number of steps, and the tokens of a string, by name. *)
Definition short_weights_of (n T : nat) (A : Z) (steps : nat) (w : list (symbol nat))
  : list (string * string) :=
  let d := encoder_dimension n in
  let model := short_encoder n T A steps in
  [("renewed", picked d (renewed model)); ("readout", picked d (readout model));
   ("embedding", sized [List.length w; d] (flat_map (fun r => flat_map (fun c =>
      show_noted [r; c] (short_embedding n T w r c)) (seq 0 d)) (seq 0 (List.length w))))]
  ++ flat_map (layer_entries d) (numbered (layers model)).
