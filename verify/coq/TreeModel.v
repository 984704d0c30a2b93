(** * The transformer of Theorem 3, repaired, as data

    Section 4.2 and Appendix C. The model that [constructions.theorem3] builds with positions on the
    line: tokens of n + 6 coordinates (state, one, place i and i^2, count, kind, mark) and an end
    token; a first layer that finds the depths and the flags of left children, a second one for
    d^2 + c, then parse layers that are all alike. Queries and keys are lists of linear forms, a
    score is the sum of query times key over them; masks are part of a head; a feed-forward block is
    a list of products. One forward pass runs it on the reals, with hard attention or with softmax.

    Where we differ from the print: the depth sums the markers strictly before i; the mean has a
    causal mask, the right head an anticausal one, and a third head sees only itself; left
    children are flagged in place of a Fourier sum; what is no opening bracket looks at the end
    token with its left head, in place of a gate of degree four; positions are i and i^2. Rows
    count from 0, row r has place i = r + 1.

    Main definitions: [weight], [head], [layer], [transformer], [attend], [forward_with], [forward],
                      [tree_model], [embedding], [run_model]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Theorem1 Trees.
Import ListNotations.
Open Scope R_scope.

(** ** Weights, heads and layers *)

Inductive weight : Type :=
| Whole (z : Z)
| Times (z : Z)                    (* the saturating constant C, times z *)
| Entry (a b c : nat)              (* the entry T_(a,b,c) of the tensor of the automaton *)
| Vector (r k : nat).              (* the k-th weight of the letter in row r *)

Definition form := list (nat * weight).    (* a linear form: coordinates with their weights *)

Inductive mask := Everywhere | Causal | Anticausal | Self.
Inductive attention := Hard | Saturated | Soft.

Record head := Head
  { queries : list form; keys : list form; reads : list nat; how : attention; seen : mask }.

(** weight * x_left * x_right is added to coordinate [out]. *)
Record product := Product { left_of : nat; right_of : nat; out : nat; times : weight }.

Record layer := Layer { heads : list head; products : list product }.

Record transformer := Transformer
  { layers : list layer; renewed : list nat; readout : list nat }.

(** ** The construction *)

Section Construction.
Variable n : nat.                   (* states *)
Variable tokens : nat.              (* N = T + 1 *)
Variable kind : attention.          (* Hard, or Soft with queries times C *)

Definition at_one := n.
Definition at_place := (n + 1)%nat.
Definition at_square := (n + 2)%nat.
Definition at_count := (n + 3)%nat.
Definition at_kind := (n + 4)%nat.
Definition at_mark := (n + 5)%nat.
Definition dimension := (n + 6)%nat.

Definition beta : Z := Z.of_nat tokens + 1.
Definition end_weight : Z := (Z.of_nat tokens + 2) ^ 2.

Definition whole := list (nat * Z).
Definition scale (z : Z) : weight := match kind with Soft => Times z | _ => Whole z end.
Definition query_form (f : whole) : form := map (fun p => (fst p, scale (snd p))) f.
Definition key_form (f : whole) : form := map (fun p => (fst p, Whole (snd p))) f.
Definition scored (qs ks : list whole) (values : list nat) (m : mask) : head :=
  Head (map query_form qs) (map key_form ks) values kind m.

(** The score is largest at j = i + step. *)
Definition towards (step : Z) : list whole :=
  [[(at_place, 2%Z); (at_one, (2 * step)%Z)]; [(at_one, (-1)%Z)]].
Definition places : list whole := [[(at_place, 1%Z)]; [(at_square, 1%Z)]].

Definition previous_head : head := scored (towards (-1)) places [at_kind] Everywhere.
Definition mean_head : head :=
  Head [] [] [at_mark] (match kind with Soft => Soft | _ => Saturated end) Causal.
Definition own_head : head := Head [] [] (seq 0 dimension) kind Self.

Definition left_head : head :=
  scored (towards 1 ++ [[(at_one, (- end_weight)%Z); (at_kind, end_weight)]])
         (places ++ [[(at_kind, 1%Z)]]) (seq 0 n) Everywhere.

Definition right_head : head :=
  scored [[(at_one, (- beta)%Z)];
          [(at_count, (2 * beta)%Z); (at_one, (2 * beta)%Z)]; [(at_one, (-1)%Z)]]
         [[(at_mark, 1%Z)]; [(at_count, 1%Z)]; [(at_place, 1%Z)]] (seq 0 n) Anticausal.

(** What the heads read stands before the token itself, whose coordinates begin at [own]. *)
Definition copy (own c : nat) : product := Product (own + at_one) (own + c) c (Whole 1).
Definition kept (own : nat) : list product := map (copy own) (seq 0 n).

Definition first_layer : layer :=
  Layer [mean_head; previous_head; own_head]
    ([Product (2 + at_count) 0 at_count (Whole 1);
      Product (2 + at_one) (2 + at_mark) at_count (Whole (-1));
      Product (2 + at_one) 1 at_mark (Whole 1); copy 2 at_one; copy 2 at_kind] ++ kept 2).

Definition second_layer : layer :=
  Layer [own_head]
    ([Product at_count at_count at_mark (Whole 1);
      copy 0 at_one; copy 0 at_count; copy 0 at_kind; copy 0 at_mark] ++ kept 0).

Definition tensor_products : list product :=
  flat_map (fun a => flat_map (fun b => map (fun c =>
    Product b (n + c) a (Entry a b c)) (seq 0 n)) (seq 0 n)) (seq 0 n).

Definition parse_layer : layer :=
  let own := (n + n)%nat in
  Layer [left_head; right_head; own_head]
    ([copy own at_one; copy own at_count; copy own at_kind; copy own at_mark]
     ++ tensor_products ++ kept own
     ++ map (fun a => Product (own + at_kind) (own + a) a (Whole (-1))) (seq 0 n)).

Definition tree_model (height : nat) : transformer :=
  Transformer (first_layer :: second_layer :: repeat parse_layer height)
    [at_place; at_square] (seq 0 n).

(** ** Tokens: the symbols of str(t), then the end token *)

Context {Sigma : Type} (w : list (symbol Sigma)).

Definition kind_of (s : option (symbol Sigma)) : Z :=
  match s with Some Open => 1 | Some _ => 0 | None => -1 end.
Definition mark_of (s : option (symbol Sigma)) : Z :=
  match s with Some s' => mark s' | None => 0 end.

Definition embedding (r c : nat) : weight :=
  let s := nth_error w r in
  let i := (Z.of_nat r + 1)%Z in
  if (c <? n)%nat then match s with Some (Sym _) => Vector r c | _ => Whole 0 end else
  match (c - n)%nat with
  | 0 => Whole 1
  | 1 => Whole i
  | 2 => Whole (i * i)
  | 3 => Whole i
  | 4 => Whole (kind_of s)
  | 5 => Whole (mark_of s)
  | _ => Whole 0
  end%nat.
End Construction.

(** ** The forward pass *)

Definition lsum {A : Type} (f : A -> R) (l : list A) : R := fold_right (fun x s => f x + s) 0 l.

Definition allowed (m : mask) (r s : nat) : bool :=
  match m with
  | Everywhere => true | Causal => s <=? r | Anticausal => r <=? s | Self => s =? r
  end%nat.

Section Forward.
Variable value : weight -> R.
Variable tokens : nat.              (* how many rows X has *)

(** 1 at the strict maximum among the positions that are seen, 0 elsewhere. *)
Definition hard_masked (m : mask) (S : mat) : mat := fun r s =>
  b2r (allowed m r s && all_below tokens (fun s' =>
    (s' =? s)%nat || negb (allowed m r s') || Rltb (S r s') (S r s))).

(** All maxima among the positions that are seen, alike. *)
Definition largest (m : mask) (S : mat) (r s : nat) : bool :=
  allowed m r s && all_below tokens (fun s' =>
    negb (allowed m r s') || negb (Rltb (S r s) (S r s'))).
Definition saturated (m : mask) (S : mat) : mat := fun r s =>
  b2r (largest m S r s) / sum tokens (fun s' => b2r (largest m S r s')).

Definition soft_masked (m : mask) (S : mat) : mat := fun r s =>
  b2r (allowed m r s) * exp (S r s)
  / sum tokens (fun s' => b2r (allowed m r s') * exp (S r s')).

Definition attend (a : attention) : mask -> mat -> mat :=
  match a with Hard => hard_masked | Saturated => saturated | Soft => soft_masked end.

Definition apply_form (f : form) (x : nat -> R) : R :=
  lsum (fun p => value (snd p) * x (fst p)) f.

(** The sum of query_k(x_r) key_k(x_s) over k. *)
Definition score (h : head) (X : mat) : mat := fun r s =>
  lsum (fun p => apply_form (fst p) (X r) * apply_form (snd p) (X s))
       (combine (queries h) (keys h)).

Definition weights (h : head) (X : mat) : mat := attend (how h) (seen h) (score h X).

Definition read (h : head) (X : mat) : mat := fun r k =>
  sum tokens (fun s => weights h X r s * X s (nth k (reads h) 0%nat)).

(** Heads side by side (W_O is the identity). *)
Fixpoint joined (hs : list head) (X : mat) : mat := fun r k =>
  match hs with
  | nil => 0
  | h :: rest =>
      if (k <? length (reads h))%nat then read h X r k
      else joined rest X r (k - length (reads h))%nat
  end.

Definition block (ps : list product) (x : nat -> R) (c : nat) : R :=
  lsum (fun p => if (out p =? c)%nat then value (times p) * x (left_of p) * x (right_of p) else 0)
       ps.

(** One layer, where [blocks] is what a layer's feed-forward block computes; some coordinates, the places,
    are taken from the embedding E again. *)
Definition run_with (blocks : layer -> (nat -> R) -> nat -> R) (again : list nat) (E X : mat)
    (ly : layer) : mat := fun r c =>
  if existsb (Nat.eqb c) again then E r c else blocks ly (joined (heads ly) X r) c.

Definition forward_with (blocks : layer -> (nat -> R) -> nat -> R) (model : transformer) (E : mat) : mat :=
  fun r k => fold_left (run_with blocks (renewed model) E) (layers model) E r (nth k (readout model) 0%nat).

(** Where the block of a layer is its list of products. *)
Definition run_layer (again : list nat) (E X : mat) (ly : layer) : mat :=
  run_with (fun ly => block (products ly)) again E X ly.

Definition run_layers (again : list nat) (E : mat) (lys : list layer) : mat :=
  fold_left (run_layer again E) lys E.

Definition forward (model : transformer) (E : mat) : mat :=
  forward_with (fun ly => block (products ly)) model E.
End Forward.

(** ** The model of an automaton, on the string of a tree and the end token *)

Section Run.
Context {Sigma : Type} (n : nat).
Variable leaf : Sigma -> nat -> R.                  (* v_sigma *)
Variable tensor : nat -> nat -> nat -> R.           (* T_(a,b,c), a the state of the node *)
Variable C : R.                                     (* the saturating constant *)
Variable w : list (symbol Sigma).

Definition value (x : weight) : R :=
  match x with
  | Whole z => IZR z
  | Times z => C * IZR z
  | Entry a b c => tensor a b c
  | Vector r k => match nth_error w r with Some (Sym a) => leaf a k | _ => 0 end
  end.

Definition rows : nat := S (length w).
Definition embedded : mat := fun r c => value (embedding n w r c).

(** What the model for strings of length at most T and trees up to a height returns. *)
Definition run_model (kind : attention) (T height : nat) : mat :=
  forward value rows (tree_model n (S T) kind height) embedded.
End Run.
