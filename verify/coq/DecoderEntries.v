(** * The decoders' weights as text, for comparison with the program

    For concrete sizes the decoders that the theorems are about, in the form in which the program
    writes them (DecoderForm.v: the same outputs), evaluate to lists of entries, printed as in
    Entries.v: after the size, row, column and weight of every entry that is not zero. A weight
    stands with its operands behind it: [plus transition 0 1 1 -1].

    Main definitions: [show_scalar], [table_entries], [decoder_entries], [words_decoder],
                      [trees_decoder].
    Main theorem:     [steps_suffice] (the printed tree decoder has as many steps as
                      [TreeDecoder.tree_decoder_exact] asks for). *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool String.
From Assay Require Import Trees Pebbling Entries DecoderModel DecoderWeights DecoderForm.
From Assay Require Import TreeDecoderModel TreeDecoderSteps.
Import ListNotations.
Open Scope nat_scope.
Open Scope string_scope.

Fixpoint show_scalar (w : scalar) : string :=
  match w with
  | Whole k => show_int k
  | Ratio k m => "ratio " ++ show_nat k ++ "/" ++ show_nat m
  | Score width k => "score " ++ show_nat width ++ " " ++ show_int k
  | Step k => "step " ++ show_int k
  | Even k => "even " ++ show_int k
  | Odd k => "odd " ++ show_int k
  | PerGate k => "pergate " ++ show_int k
  | Initial i => "initial " ++ show_nat i
  | Transition a i j => "transition " ++ show_nat a ++ " " ++ show_nat i ++ " " ++ show_nat j
  | LeafState a i => "leaf " ++ show_nat a ++ " " ++ show_nat i
  | Tensor a l r => "tensor " ++ show_nat a ++ " " ++ show_nat l ++ " " ++ show_nat r
  | Over w => "over " ++ show_scalar w
  | Times k w => "times " ++ show_int k ++ " " ++ show_scalar w
  | Plus v w => "plus " ++ show_scalar v ++ " " ++ show_scalar w
  end.

Definition scalar_line (place : list nat) (w : scalar) : list string :=
  if nought w then []
  else [fold_right (fun k text => show_nat k ++ " " ++ text) "" place ++ ": " ++ show_scalar w].

Definition table_entries (W : table) : string :=
  let size := "size " ++ show_nat (high W) ++ " " ++ show_nat (wide W) in
  let found := flat_map (fun i => flat_map (fun j => scalar_line [i; j] (item W i j))
                 (seq 0 (wide W))) (seq 0 (high W)) in
  String.concat "; " (size :: found).

(** A bias is a row. *)
Definition row_entries (k : nat) (b : nat -> scalar) : string := table_entries (Table 1 k (fun _ => b)).

Definition head_entries (name : string) (h : nat * head) : list (string * string) :=
  let H := snd h in
  let name := name ++ " head " ++ show_nat (fst h) in
  [(name ++ " query", table_entries (W_Q H)); (name ++ " bias", row_entries (wide (W_Q H)) (b_Q H));
   (name ++ " key", table_entries (W_K H)); (name ++ " value", table_entries (W_V H))].

Definition block_entries (name : string) (B : block) : list (string * string) :=
  match B with
  | Gated Win Wgate Wout =>
      [(name ++ " inward", table_entries Win); (name ++ " gate", table_entries Wgate);
       (name ++ " output", table_entries Wout)]
  | Plain Win bin Wout bout =>
      [(name ++ " hidden", table_entries Win); (name ++ " bias", row_entries (wide Win) bin);
       (name ++ " output", table_entries Wout); (name ++ " offset", row_entries (wide Wout) bout)]
  end.

Definition layer_entries (d : nat) (l : nat * layer) : list (string * string) :=
  let name := "layer " ++ show_nat (fst l) in
  (name ++ " combine", table_entries (combined d (heads (snd l))))
  :: flat_map (head_entries name) (numbered (heads (snd l))) ++ block_entries name (mlp (snd l)).

(** What [embedded] adds up. *)
Definition embedding_of (model : decoder) (toks : list nat) : table :=
  Table (List.length toks) (wide (W_E model))
    (fun r c => join (item (W_E model) (nth r toks 0) c) (item (W_pos model) r c)).

(** All weights of a decoder in the program's form, and the embedding of some tokens, by name. *)
Definition decoder_entries (given : decoder) (toks : list nat) : list (string * string) :=
  let model := program_form given in
  [("tokens", table_entries (W_E model)); ("places", table_entries (W_pos model));
   ("embedding", table_entries (embedding_of model toks));
   ("readout", table_entries (W_U model)); ("readout bias", row_entries (wide (W_U model)) (b_U model))]
  ++ flat_map (layer_entries (high (W_U model))) (numbered (layers model)).

(** The decoder of Theorems A and B, and its tokens for a word: the begin token is q. *)
Definition words_decoder (n q T : nat) (gated : bool) (word : list nat) : list (string * string) :=
  let L := Nat.log2_up T in
  decoder_entries (construction n q T (2 ^ L) gated L) (q :: word).

(** The tree decoder with the least number of steps for strings of at most T tokens. *)
Definition steps_for (T : nat) : nat :=
  match find (fun k => Nat.ltb ((T + 2) / 3 + 1) (padovan (k + 4))) (seq 1 (T + 1)) with
  | Some k => k
  | None => 0
  end.

Theorem steps_suffice T : steps_for T <> 0 -> (T + 2) / 3 + 1 < padovan (steps_for T + 4).
Proof.
  unfold steps_for. destruct (find _ _) as [k|] eqn:E; [intros _|congruence].
  apply find_some in E. now apply Nat.ltb_lt.
Qed.

Definition trees_decoder (n q T : nat) (w : list (symbol nat)) : list (string * string) :=
  decoder_entries (tree_decoder n q T (steps_for T)) ((q + 2) :: map (code q) w).
