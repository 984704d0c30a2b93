(** * The transformer of Theorem 3 with nothing but the tree's string

    Section 2.4, Section 4.2 and Appendix C. A model without masks, without an end token and with
    positional encodings in the input alone: every layer passes them on. Tokens have 2n + 8
    coordinates: state, one, place i and i^2, kind (1 at an opening bracket), done, size, target,
    letter (1 at a letter), and the vector of the letter times -1. All layers are alike. The left
    head looks at the next token if the token is an opening bracket, otherwise at the token itself;
    the right head at the target; the third head at the token itself. A letter thus reads its own
    state as that of a left child; its last coordinates take it away again, since the block
    multiplies what the left head reads, less the vector, the flag and the size of the letter, by
    what the right head reads. The target of a token is its own place, or i + 1 + |left| once the
    left child is done.

    Where we differ from the print: depths, the Fourier sum and masks are not needed; positions are
    i and i^2; a tree takes 2 height(t) layers. Rows count from 0, row r has place i = r + 1; heads,
    products and attention are those of TreeModel.v, coordinates up to the target those of
    FreeModel.v.

    Main definitions: [clean_layer], [clean_products], [clean_model], [clean_tokens], [run_clean]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Trees TreeModel FreeModel.
Import ListNotations.
Open Scope R_scope.

(** ** The construction *)

Section Construction.
Variable n : nat.                   (* states *)
Variable mode : attention.          (* Hard, or Soft with queries times C *)

Definition clean_letter := (n + 7)%nat.
Definition clean_vector := (n + 8)%nat.             (* the first of n coordinates *)
Definition clean_dimension := (2 * n + 8)%nat.

Definition child_queries : list whole :=
  [[(at_place n, 2%Z); (free_kind n, 2%Z)]; [(at_one n, (-1)%Z)]].

Definition clean_left : head := scored mode child_queries (places n) (passed n) Everywhere.
Definition clean_right : head := scored mode (aimed_queries n) (places n) (passed n) Everywhere.
Definition clean_own : head :=
  scored mode (own_queries n) (places n) (seq 0 clean_dimension) Everywhere.

(** The letter's own vector in the place of a left child. *)
Definition vector_tensor : list product :=
  flat_map (fun a => flat_map (fun b => map (fun c =>
    Product (own_at n (clean_vector + b)) (right_from n + c) a (Entry a b c))
    (seq 0 n)) (seq 0 n)) (seq 0 n).

(** What stays: state, one, places, kind, done and size, and what tells of the letter. *)
Definition clean_copies : list product :=
  map (copy n (own_from n)) (seq 0 (n + 6)) ++ map (copy n (own_from n)) (seq (n + 7) (n + 1)).

Definition clean_rest : list product :=
  [Product (left_done n) (right_done n) (free_done n) (Whole 1);
   Product (own_at n clean_letter) (right_done n) (free_done n) (Whole (-1));
   Product (left_size n) (right_done n) (free_size n) (Whole 1);
   Product (left_done n) (right_size n) (free_size n) (Whole 1);
   Product (own_at n clean_letter) (right_size n) (free_size n) (Whole (-1));
   Product (left_done n) (right_done n) (free_size n) (Whole 2);
   Product (own_at n clean_letter) (right_done n) (free_size n) (Whole (-3));
   Product (own_at n (at_one n)) (own_at n (at_place n)) (free_target n) (Whole 1);
   Product (own_at n (at_one n)) (left_done n) (free_target n) (Whole 1);
   Product (own_at n (at_one n)) (left_size n) (free_target n) (Whole 1);
   Product (own_at n (at_one n)) (own_at n clean_letter) (free_target n) (Whole (-2))].

Definition clean_products : list product :=
  free_tensor n ++ vector_tensor ++ clean_copies
  ++ map (free_gate n) (seq 0 n) ++ map (free_gate n) [free_done n; free_size n] ++ clean_rest.

Definition clean_layer : layer := Layer [clean_left; clean_right; clean_own] clean_products.

(** No coordinate is given anew. *)
Definition clean_model (count : nat) : transformer :=
  Transformer (repeat clean_layer count) [] (seq 0 n).

End Construction.

(** ** Tokens: the symbols of str(t), and nothing else *)

Section Tokens.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R).

Definition vector_of (o : option (symbol Sigma)) (k : nat) : R :=
  match o with Some (Sym a) => leaf a k | _ => 0 end.
Definition open_of (o : option (symbol Sigma)) : Z := match o with Some Open => 1 | _ => 0 end.

Definition clean_tokens (o : option (symbol Sigma)) (r c : nat) : R :=
  let i := IZR (Z.of_nat r + 1) in
  if (c <? n)%nat then vector_of o c else
  match (c - n)%nat with
  | 0%nat => 1
  | 1%nat => i
  | 2%nat => i * i
  | 3%nat => IZR (open_of o)
  | 4%nat => IZR (letter_of o)
  | 5%nat => IZR (letter_of o)
  | 6%nat => i
  | 7%nat => IZR (letter_of o)
  | _ => if (c <? 2 * n + 8)%nat then - vector_of o (c - (n + 8)) else 0
  end.
End Tokens.

(** The forward pass on the tokens of a string; [blocks] is what a layer's block computes. *)
Definition run_clean {Sigma : Type} (number : weight -> R) (model : transformer)
    (blocks : layer -> (nat -> R) -> nat -> R) (token : option (symbol Sigma) -> nat -> nat -> R)
    (w : list (symbol Sigma)) : mat :=
  forward_with number (length w) blocks model (fun r => token (nth_error w r) r).
