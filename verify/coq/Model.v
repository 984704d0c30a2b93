(** * The transformer of Section 2.4 and the weights of Theorem 1

    Weights are exact data ([weight]); a model is lists of matrices with their sizes
    ([transformer]); one forward pass ([forward]) runs it on the reals, for any attention filter.
    The same data, evaluated for concrete n and L, are what the program's matrices are compared with.

    Where we differ from the print (Appendix B.1): the blocks of W_Q, W_K, W_V are given the sizes
    that fit together, W_out is used as (I I 0) on row vectors, and W_O = (I ; I) and W_readout,
    which the paper describes in words only, are written out.

    Main definitions: [weight], [value], [transformer], [forward], [construction], [embedding]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums.
Import ListNotations.
Open Scope R_scope.

(** ** Weights as exact data *)

Inductive weight : Type :=
| Zero
| One
| Cos (k : Z) (T : nat)            (* cos (pi k / T) *)
| Sin (k : Z) (T : nat)            (* sin (pi k / T) *)
| Minus (w : weight)
| RootC (w : weight)               (* the square root of C, times w *)
| Alpha (i : nat)                  (* the i-th initial weight *)
| Letter (t i j : nat).            (* the entry i, j of the matrix of the t-th letter *)

Record matrix := Matrix { rows : nat; cols : nat; entry : nat -> nat -> weight }.

Record head := Head { WQ : matrix; WK : matrix; WV : matrix }.

Record bilinear := Bilinear
  { WselL : matrix; WselR : matrix; tensor : nat -> nat -> nat -> weight; Wout : matrix }.

Record layer := Layer { heads : list head; WO : matrix; feedforward : bilinear }.

Record transformer := Transformer
  { layers : list layer; encoding : matrix; Wreadout : matrix }.

(** ** The construction: n states, L layers, T = 2^L, positions -T+1 .. T as rows 0 .. 2T-1 *)

Section Construction.
Context (n : nat) (L : nat).
Variable scale : weight -> weight.  (* Theorem 1: the weight itself; Theorem 2: sqrt C times it *)

Definition T : nat := 2 ^ L.
Definition N : nat := 2 * T.
Definition n2 : nat := n * n.
Definition d : nat := 2 * n2 + 2.
Definition pos (r : nat) : Z := Z.of_nat r - Z.of_nat T + 1.

Definition bit (b : bool) : weight := if b then One else Zero.
Definition identity (i j : nat) : weight := bit (i =? j)%nat.

(** The rotation by theta = - pi 2^(l-1) / T, as printed. *)
Definition theta (l : nat) : Z := - 2 ^ Z.of_nat (l - 1).
Definition rho (k : Z) (i j : nat) : weight :=
  match i, j with
  | 0, 0 => Cos k T
  | 0, 1 => Sin k T
  | 1, 0 => Minus (Sin k T)
  | 1, 1 => Cos k T
  | _, _ => Zero
  end.

(** (0 0 B)^T for a 2 x 2 block B. *)
Definition below (B : nat -> nat -> weight) : matrix :=
  Matrix d 2 (fun p q => if (p <? 2 * n2)%nat then Zero else scale (B q (p - 2 * n2)%nat)).

Definition W_Q : matrix := below identity.
Definition W_K_right : matrix := below identity.
Definition W_K_left (l : nat) : matrix := below (rho (theta l)).

(** The identity on coordinates from .. from + n^2 - 1, zero elsewhere. *)
Definition keep (from : nat) : matrix :=
  Matrix d d (fun p q => bit ((p =? q) && ((from <=? p) && (p <? from + n2)))%nat).
Definition W_V_left : matrix := keep 0.
Definition W_V_right : matrix := keep n2.

Definition W_O : matrix := Matrix (2 * d) d (fun p q => bit ((p =? q) || (p =? d + q))%nat).
Definition W_sel_left : matrix := Matrix d n2 (fun p q => bit (p =? q)%nat).
Definition W_sel_right : matrix := Matrix d n2 (fun p q => bit (p =? n2 + q)%nat).

(** 1{i' = i, j' = i'', j'' = j} at ((i',j'), (i'',j''), (i,j)), row-major. *)
Definition product_tensor (a b c : nat) : weight :=
  bit ((a / n =? c / n) && (a mod n =? b / n) && (b mod n =? c mod n))%nat.

Definition W_out : matrix := Matrix n2 d (fun p q => bit ((q =? p) || (q =? n2 + p))%nat).

(** vec(M) -> alpha^T M on the right dimensions. *)
Definition W_readout : matrix :=
  Matrix d n (fun p j =>
    if ((n2 <=? p) && (p <? 2 * n2))%nat
    then if ((p - n2) mod n =? j)%nat then Alpha ((p - n2) / n) else Zero
    else Zero).

Definition position_entry (r c : nat) : weight :=
  if (c =? 2 * n2)%nat then Cos (pos r) T else
  if (c =? 2 * n2 + 1)%nat then Sin (pos r) T else Zero.

Definition token_entry (r v : nat) : weight :=
  if (pos r <=? 0)%Z then identity (v / n) (v mod n)
  else Letter (Z.to_nat (pos r)) (v / n) (v mod n).

Definition embedding : matrix :=
  Matrix N d (fun r c =>
    if (c <? n2)%nat then token_entry r c else
    if (c <? 2 * n2)%nat then token_entry r (c - n2)%nat else position_entry r c).

Definition layer_at (l : nat) : layer :=
  Layer [Head W_Q (W_K_left l) W_V_left; Head W_Q W_K_right W_V_right]
        W_O
        (Bilinear W_sel_left W_sel_right product_tensor W_out).

Definition construction : transformer :=
  Transformer (map layer_at (seq 1 L)) (Matrix N d position_entry) W_readout.
End Construction.

(** ** The forward pass of Section 2.4 *)

Section Forward.
Variable alpha : nat -> R.          (* the initial weights *)
Variable A : nat -> mat.            (* A t, the transition matrix of the t-th letter *)
Variable C : R.                     (* the saturating constant *)

Fixpoint value (w : weight) : R :=
  match w with
  | Zero => 0
  | One => 1
  | Cos k T => cos (PI * IZR k / IZR (Z.of_nat T))
  | Sin k T => sin (PI * IZR k / IZR (Z.of_nat T))
  | Minus w => - value w
  | RootC w => sqrt C * value w
  | Alpha i => alpha i
  | Letter t i j => A t i j
  end.

Definition real (W : matrix) : mat := fun i j => value (entry W i j).

(** X W *)
Definition apply (X : mat) (W : matrix) : mat := mmul (rows W) X (real W).

(** X W_Q W_K^T X^T *)
Definition scores (h : head) (X : mat) : mat :=
  fun r s => sum (cols (WQ h)) (fun q => apply X (WQ h) r q * apply X (WK h) s q).

Variable filter : mat -> mat.       (* softmax, or hard attention, row by row *)
Variable tokens : nat.              (* how many rows X has *)

Definition run_head (X : mat) (h : head) : mat :=
  apply (mmul tokens (filter (scores h X)) X) (WV h).

Fixpoint concat (Ys : list (nat * mat)) : mat :=
  match Ys with
  | nil => fun _ _ => 0
  | (width, Y) :: rest =>
      fun r c => if (c <? width)%nat then Y r c else concat rest r (c - width)%nat
  end.

Definition attention (ly : layer) (X : mat) : mat :=
  apply (concat (map (fun h => (cols (WV h), run_head X h)) (heads ly))) (WO ly).

(** T x_1 XL x_2 XR, on every row. *)
Definition contract (B : bilinear) (XL XR : mat) : mat :=
  fun r c => sum (cols (WselL B)) (fun a => sum (cols (WselR B)) (fun b =>
    value (tensor B a b c) * XL r a * XR r b)).

Definition run_bilinear (B : bilinear) (Y : mat) : mat :=
  apply (contract B (apply Y (WselL B)) (apply Y (WselR B))) (Wout B).

(** One layer; the positional encodings are there again after it (an assumption of the paper). *)
Definition run_layer (P : matrix) (X : mat) (ly : layer) : mat :=
  fun r c => run_bilinear (feedforward ly) (attention ly X) r c + real P r c.

Definition run_layers (P : matrix) (lys : list layer) (X : mat) : mat :=
  fold_left (run_layer P) lys X.

Definition forward (model : transformer) (X : mat) : mat :=
  apply (run_layers (encoding model) (layers model) X) (Wreadout model).
End Forward.

(** ** The automaton: the state after t letters *)

Section Automaton.
Context (n : nat) (alpha : nat -> R) (A : nat -> mat).

Fixpoint state (t : nat) : nat -> R :=
  match t with
  | O => alpha
  | S t' => fun j => sum n (fun i => state t' i * A (S t') i j)
  end.
End Automaton.
