(** * The transformer of Theorem 3 without any mask, as data

    Section 2.4, Section 4.2 and Appendix C. The heads of Section 2.4 see every position; this is
    the model that [constructions.variants.theorem3_variants.build_free] builds, in which no head has a mask.
    Tokens have n + 7 coordinates: state, one, place i and i^2, kind, done, size, target; the last
    token is an end token. All layers are alike. A bracket learns the length of its left subtree and
    so where its right one begins: the left head looks at the next token, or at the end token where
    there is no opening bracket, the right head at the target, the third head at the token itself.
    The feed-forward block makes state, done and size of a node whose children are done, and the
    target i + 1 + |left| of a node whose left child is done.

    Where we differ from the print: depths, the Fourier sum and masks are not needed; there is an
    end token; positions are i and i^2; a tree takes 2 height(t) layers. Rows count from 0, row r
    has place i = r + 1; records and the forward pass are those of TreeModel.v.

    Main definitions: [free_layer], [free_products], [free_model], [free_embedding], [run_free]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Trees TreeModel.
Import ListNotations.
Open Scope R_scope.

(** ** The construction *)

Section Construction.
Variable n : nat.                   (* states *)
Variable tokens : nat.              (* N = T + 1 *)
Variable mode : attention.          (* Hard, or Soft with queries times C *)

Definition free_kind := (n + 3)%nat.
Definition free_done := (n + 4)%nat.
Definition free_size := (n + 5)%nat.
Definition free_target := (n + 6)%nat.
Definition free_dimension := (n + 7)%nat.

(** Where the right head looks as long as it has no target. *)
Definition beyond : Z := Z.of_nat tokens + 1.

Definition next_queries : list whole :=
  towards n 1 ++ [[(at_one n, (- end_weight tokens)%Z); (free_kind, end_weight tokens)]].
Definition next_keys : list whole := places n ++ [[(free_kind, 1%Z)]].
Definition aimed_queries : list whole := [[(free_target, 2%Z)]; [(at_one n, (-1)%Z)]].
Definition own_queries : list whole := [[(at_place n, 2%Z)]; [(at_one n, (-1)%Z)]].
Definition passed : list nat := seq 0 n ++ [free_done; free_size].

Definition free_left : head := scored mode next_queries next_keys passed Everywhere.
Definition free_right : head := scored mode aimed_queries (places n) passed Everywhere.
Definition free_own : head :=
  scored mode own_queries (places n) (seq 0 free_dimension) Everywhere.

(** What the heads read, side by side: left, right, the token itself. *)
Definition left_done := n.
Definition left_size := (n + 1)%nat.
Definition right_from := (n + 2)%nat.
Definition right_done := (right_from + n)%nat.
Definition right_size := (right_from + (n + 1))%nat.
Definition own_from := (right_from + (n + 2))%nat.
Definition own_at (c : nat) : nat := (own_from + c)%nat.

Definition free_tensor : list product :=
  flat_map (fun a => flat_map (fun b => map (fun c =>
    Product b (right_from + c) a (Entry a b c)) (seq 0 n)) (seq 0 n)) (seq 0 n).

(** (1 - kind) times the coordinate. *)
Definition free_gate (c : nat) : product := Product (own_at free_kind) (own_at c) c (Whole (-1)).

Definition free_products : list product :=
  free_tensor ++ kept n own_from ++ map free_gate (seq 0 n)
  ++ map (copy n own_from) [at_one n; free_kind; free_done; free_size]
  ++ map free_gate [free_done; free_size]
  ++ [Product left_done right_done free_done (Whole 1);
      Product left_size right_done free_size (Whole 1);
      Product left_done right_size free_size (Whole 1);
      Product left_done right_done free_size (Whole 2);
      Product (own_at (at_one n)) (own_at (at_one n)) free_target (Whole beyond);
      Product left_done (own_at (at_place n)) free_target (Whole 1);
      Product left_done (own_at (at_one n)) free_target (Whole (1 - beyond));
      Product (own_at (at_one n)) left_size free_target (Whole 1)].

Definition free_layer : layer := Layer [free_left; free_right; free_own] free_products.

Definition free_model (count : nat) : transformer :=
  Transformer (repeat free_layer count) [at_place n; at_square n] (seq 0 n).

(** ** Tokens: the symbols of str(t), then the end token *)

Context {Sigma : Type} (w : list (symbol Sigma)).

Definition letter_of (s : option (symbol Sigma)) : Z :=
  match s with Some (Sym _) => 1 | _ => 0 end.

Definition free_embedding (r c : nat) : weight :=
  let s := nth_error w r in
  let i := (Z.of_nat r + 1)%Z in
  if (c <? n)%nat then match s with Some (Sym _) => Vector r c | _ => Whole 0 end else
  match (c - n)%nat with
  | 0 => Whole 1
  | 1 => Whole i
  | 2 => Whole (i * i)
  | 3 => Whole (kind_of s)
  | 4 => Whole (letter_of s)
  | 5 => Whole (letter_of s)
  | 6 => Whole beyond
  | _ => Whole 0
  end%nat.
End Construction.

Definition free_embedded {Sigma : Type} n tokens (leaf : Sigma -> nat -> R) tensor C w : mat :=
  fun r c => value leaf tensor C w (free_embedding n tokens w r c).

(** What the model for strings of length at most T with so many layers returns. *)
Definition run_free {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor C (w : list (symbol Sigma))
    (mode : attention) (T count : nat) : mat :=
  forward (value leaf tensor C w) (rows w) (free_model n (S T) mode count)
    (free_embedded n (S T) leaf tensor C w).
