(** * Theorem 1 without pads: the weights

    The model of NoPads.v, as data in the types of Model.v, and the products that its layers carry:
    after l layers token r carries the product of the last 2^l letters up to r, or of all there are.

    Main definitions: [clean] (the model), [clean_embedding], [spanned], [segment].
    Main theorems:    [spanned_segment], [segment_prefix], [prefix_state]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool Morphisms.
From Assay Require Import Sums Gap Model Sizes Attention Theorem1.
Import ListNotations.
Open Scope R_scope.

(** ** The weights *)

Section Weights.
Variable n T : nat.                 (* states, longest word *)

Local Notation n2 := (n2 n).
Local Notation d := (d n).
Local Notation L := (Nat.log2_up T).

(** Angles are multiples of pi / K. *)
Definition K : nat := T * 2 ^ L.

Definition turn (k : Z) (i j : nat) : weight :=
  match i, j with
  | 0, 0 => Cos k K
  | 0, 1 => Sin k K
  | 1, 0 => Minus (Sin k K)
  | 1, 1 => Cos k K
  | _, _ => Zero
  end.

Definition plain (w : weight) : weight := w.

Definition clean_query : matrix := below n plain identity.
Definition key_same : matrix := below n plain identity.
(** Layer l = 0, 1, .. looks 2^l tokens back, where the unit of the angles is pi 2^l / K. *)
Definition key_back (l : nat) : matrix := below n plain (turn (- (2 ^ Z.of_nat l * 2 ^ Z.of_nat l))).

Definition hold (from width : nat) : matrix :=
  Matrix d d (fun p q => bit ((p =? q) && ((from <=? p) && (p <? from + width)))%nat).

Definition add_three : matrix :=
  Matrix (d + (d + d)) d (fun p q => bit ((p =? q) || (p =? d + q) || (p =? d + (d + q)))%nat).

Definition select_left : matrix :=
  Matrix d (n2 + 2) (fun p q => bit (p =? (if (q <? n2)%nat then q else n2 + q))%nat).
Definition select_right : matrix := Matrix d (n2 + 2) (fun p q => bit (p =? n2 + q)%nat).

(** (x + i y)(u + i v) = (x u - y v) + i (x v + y u) *)
Definition complex_tensor (a b c : nat) : weight :=
  match a, b, c with
  | 0, 0, 0 => One
  | 1, 1, 0 => Minus One
  | 0, 1, 1 => One
  | 1, 0, 1 => One
  | _, _, _ => Zero
  end.

Definition clean_tensor (a b c : nat) : weight :=
  if (c <? n2)%nat then
    if ((a <? n2) && (b <? n2))%nat then product_tensor n a b c else Zero
  else
    if ((n2 <=? a) && (n2 <=? b))%nat then complex_tensor (a - n2) (b - n2) (c - n2) else Zero.

Definition clean_out : matrix :=
  Matrix (n2 + 2) d (fun v c => bit ((c =? n2 + v) || ((c =? v) && (v <? n2)))%nat).

Definition clean_layer_at (l : nat) : layer :=
  Layer [Head clean_query (key_back l) (hold 0 n2);
         Head clean_query key_same (hold n2 n2);
         Head clean_query key_same (hold (2 * n2) 2)]
        add_three (Bilinear select_left select_right clean_tensor clean_out).

Definition clean : transformer :=
  Transformer (map clean_layer_at (seq 0 L)) (Matrix (T + 1) d (fun _ _ => Zero)) (W_readout n).

Definition clean_token (r v : nat) : weight :=
  if (r =? 0)%nat then identity (v / n) (v mod n) else Letter r (v / n) (v mod n).

Definition clean_position (r c : nat) : weight :=
  if (c =? 2 * n2)%nat then Cos (Z.of_nat r) K else
  if (c =? 2 * n2 + 1)%nat then Sin (Z.of_nat r) K else Zero.

(** The begin token and m letters. *)
Definition clean_embedding (m : nat) : matrix :=
  Matrix (m + 1) d (fun r c =>
    if (c <? n2)%nat then clean_token r c else
    if (c <? 2 * n2)%nat then clean_token r (c - n2)%nat else clean_position r c).
End Weights.

(** ** What is carried after l layers: the product of the last 2^l letters *)

Section Products.
Context (n : nat) (alpha : nat -> R) (A : nat -> mat).

Definition clean_step (l : nat) (M : nat -> mat) (r : nat) : mat :=
  mmul n (M (r - 2 ^ l)%nat) (M r).

Definition token (r : nat) : mat := match r with O => I | S _ => A r end.

Fixpoint spanned (l : nat) : nat -> mat :=
  match l with O => token | S l' => clean_step l' (spanned l') end.

(** The product of the last k letters before and at r, or of all there are. *)
Fixpoint segment (k r : nat) : mat :=
  match k, r with
  | S k', S r' => mmul n (segment k' r') (A r)
  | _, _ => I
  end.

Lemma segment_0 r : segment 0 r = I.
Proof. destruct r; reflexivity. Qed.

Lemma segment_begin k : segment k 0 = I.
Proof. destruct k; reflexivity. Qed.

Lemma segment_add k1 k2 r : meq n (segment (k1 + k2) r) (mmul n (segment k1 (r - k2)) (segment k2 r)).
Proof.
  revert r; induction k2 as [|k2 IH]; intro r.
  - rewrite Nat.add_0_r, Nat.sub_0_r, segment_0. symmetry. apply mulm1.
  - destruct r as [|r].
    + rewrite !segment_begin. symmetry. apply mulm1.
    + rewrite Nat.add_succ_r. cbn [segment Nat.sub]. rewrite IH. apply mulmA.
Qed.

Lemma spanned_segment l r : meq n (spanned l r) (segment (2 ^ l) r).
Proof.
  revert r; induction l as [|l IH]; intro r.
  - destruct r as [|r]; cbn [spanned token]; [rewrite segment_begin; reflexivity|].
    change (2 ^ 0)%nat with 1%nat. cbn [segment]. symmetry.
    etransitivity; [|apply mul1m]. destruct r; reflexivity.
  - cbn [spanned]. unfold clean_step. rewrite !IH. rewrite <- segment_add.
    replace (2 ^ l + 2 ^ l)%nat with (2 ^ S l)%nat by (simpl; lia). reflexivity.
Qed.

Lemma segment_prefix k r : (r <= k)%nat -> meq n (segment k r) (prefix n A r).
Proof.
  revert r; induction k as [|k IH]; intros [|r] Hr; try lia; try reflexivity.
  cbn [segment prefix]. rewrite IH by lia. reflexivity.
Qed.

Lemma prefix_state t j : (j < n)%nat ->
  sum n (fun i => alpha i * prefix n A t i j) = state n alpha A t j.
Proof.
  revert j; induction t as [|t IH]; intros j Hj.
  - simpl. rewrite (sum_single n _ j Hj).
    + unfold I. rewrite Nat.eqb_refl. unfold b2r; ring.
    + intros p Hp Hne. unfold I. solve01.
  - cbn [prefix state]. unfold mmul.
    rewrite (sum_ext n _ (fun i => sum n (fun k => alpha i * prefix n A t i k * A (S t) k j))).
    + rewrite sum_swap. apply sum_ext. intros k Hk. rewrite <- IH by exact Hk. now rewrite sum_scal_r.
    + intros i Hi. rewrite sum_scal_l. apply sum_ext. intros; ring.
Qed.

End Products.
