(** * What a layer of the tree model without masks does to a token

    Section 4.2 and Appendix C, on the model of FreeModel.v: each coordinate that the feed-forward
    block makes, in terms of what the three heads read; the coordinates that heads bring; the coordinates of
    an embedded token.

    Main definitions: none beyond those of FreeModel.v.
    Main lemmas: [free_block_row], [free_embedded_row]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Theorem1 Trees Theorem3 TreeModel TreeBlocks TreeScores FreeModel.
Import ListNotations.
Open Scope R_scope.

(** ** What the block makes of what the heads read *)

Ltac free_coordinates :=
  unfold own_at, own_from, right_from, left_done, left_size, right_done, right_size,
    free_kind, free_done, free_size, free_target, free_dimension in *; coordinates.

Section Block.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R)
  (C : R) (w : list (symbol Sigma)) (tokens : nat).
Local Notation val := (value leaf tensor C w).
Local Notation M := (rows w).

Lemma block_free_tensor y c : block val (free_tensor n) y c
  = if (c <? n)%nat then bilinear_state n tensor y (fun k => y (right_from n + k)%nat) c else 0.
Proof. exact (block_entries n leaf tensor C w (fun b => b) (fun c => right_from n + c)%nat y c). Qed.

Lemma block_free_gate y c : block val (map (free_gate n) (seq 0 n)) y c
  = if (c <? n)%nat then - y (own_at n (free_kind n)) * y (own_at n c) else 0.
Proof.
  rewrite block_each by reflexivity. change (0 <=? c)%nat with true.
  cbn [andb Nat.add]. destruct (c <? n)%nat; cbn; ring.
Qed.

Ltac finish_free :=
  unfold copy, free_gate; free_coordinates; cbn -[Nat.eqb Nat.ltb Nat.add IZR Z.sub Z.add beyond];
  decide_eqb; try ring.

(** Coordinates after the block, y the tokens that the heads read. *)
Lemma free_block_row y :
  let own := fun c => y (own_at n c) in
  let made := block val (free_products n tokens) y in
  let both := y (left_done n) * y (right_done n) in
  let rest := own (at_one n) - own (free_kind n) in
  made (at_one n) = own (at_one n) * own (at_one n) /\
  made (free_kind n) = own (at_one n) * own (free_kind n) /\
  made (free_done n) = both + rest * own (free_done n) /\
  made (free_size n) = y (left_size n) * y (right_done n) + y (left_done n) * y (right_size n)
                       + 2 * both + rest * own (free_size n) /\
  made (free_target n) = IZR (beyond tokens) * (own (at_one n) * own (at_one n))
                         + y (left_done n) * own (at_place n)
                         + (1 - IZR (beyond tokens)) * (y (left_done n) * own (at_one n))
                         + own (at_one n) * y (left_size n) /\
  (forall k, (k < n)%nat ->
     made k = bilinear_state n tensor y (fun c => y (right_from n + c)%nat) k + rest * own k) /\
  (forall c, (n + 7 <= c)%nat -> made c = 0).
Proof.
  cbv zeta. unfold free_products.
  repeat split; intros; rewrite !block_app, block_free_tensor, block_kept, block_free_gate;
    rewrite <- ?minus_IZR.
  all: finish_free.
Qed.

(** ** The coordinates that the left and the right head bring *)

Lemma nth_passed k : (k < n)%nat -> nth k (passed n) 0%nat = k.
Proof. intro Hk. unfold passed. rewrite app_nth1, seq_nth; rewrite ?seq_length; lia. Qed.
Lemma nth_passed_done : nth n (passed n) 0%nat = free_done n.
Proof. unfold passed. rewrite app_nth2, seq_length, Nat.sub_diag; rewrite ?seq_length; auto. Qed.
Lemma nth_passed_size : nth (n + 1) (passed n) 0%nat = free_size n.
Proof.
  unfold passed. rewrite app_nth2, seq_length; rewrite ?seq_length; [|lia].
  now replace (n + 1 - n)%nat with 1%nat by lia.
Qed.
Lemma length_passed : length (passed n) = (n + 2)%nat.
Proof. unfold passed. now rewrite app_length, seq_length. Qed.

(** ** The embedded tokens *)

Lemma free_embedded_row r :
  let E := free_embedded n tokens leaf tensor C w in
  E r (at_one n) = 1 /\ E r (at_place n) = IZR (Z.of_nat r + 1) /\
  E r (at_square n) = IZR ((Z.of_nat r + 1) * (Z.of_nat r + 1)) /\
  E r (free_kind n) = IZR (kind_at w r) /\
  E r (free_done n) = IZR (letter_of (nth_error w r)) /\
  E r (free_size n) = IZR (letter_of (nth_error w r)) /\
  E r (free_target n) = IZR (beyond tokens) /\
  (forall c, (n + 7 <= c)%nat -> E r c = 0).
Proof.
  cbv zeta. unfold free_embedded, free_embedding, kind_at. free_coordinates.
  repeat split; intros; decide_eqb.
  all: rewrite ?Nat.sub_diag, ?offset; try reflexivity.
  destruct (c - n)%nat as [|[|[|[|[|[|[|k]]]]]]] eqn:Ek; try lia. reflexivity.
Qed.
End Block.
