(** * Theorem 1 has one feed-forward block, and it acts on each row by itself

    Appendix B.1, "Feedforward network". All layers of the construction, for every n and every depth, have
    the block that selects the two halves, multiplies and writes the product twice; what it makes of a row
    depends on the entries of this row alone, and not on which row it is. The same block serves Theorem 2
    with exact products, whose heads are scaled.

    Main theorems: [same_block], [row_by_row], [one_block]. *)

From Coq Require Import Reals List Lia Arith.
From Assay Require Import Sums Model.
Import ListNotations.
Open Scope R_scope.

Theorem same_block n L scale ly : In ly (layers (construction n L scale)) ->
  feedforward ly = Bilinear (W_sel_left n) (W_sel_right n) (product_tensor n) (W_out n).
Proof. cbn [construction layers]. rewrite in_map_iff. now intros (l & <- & _). Qed.

Theorem row_by_row n L scale ly alpha A C (Y Y' : mat) r r' : In ly (layers (construction n L scale)) ->
  (forall c, (c < d n)%nat -> Y r c = Y' r' c) ->
  forall c, run_bilinear alpha A C (feedforward ly) Y r c = run_bilinear alpha A C (feedforward ly) Y' r' c.
Proof.
  intros Hly H c. rewrite (same_block n L scale ly Hly). unfold run_bilinear, contract.
  cbn [WselL WselR tensor Wout cols W_sel_left W_sel_right]. unfold apply at 1 4, mmul.
  assert (E : forall W a, rows W = d n -> apply alpha A C Y W r a = apply alpha A C Y' W r' a).
  { intros W a HW. apply sum_ext. rewrite HW. intros p Hp. now rewrite H. }
  apply sum_ext. intros p _. f_equal. apply sum_ext. intros a _. apply sum_ext. intros b _.
  now rewrite (E (W_sel_left n) a), (E (W_sel_right n) b) by reflexivity.
Qed.

(** Both, as they are cited. *)
Theorem one_block n L scale : exists B, forall ly, In ly (layers (construction n L scale)) ->
  feedforward ly = B /\
  forall alpha A C (Y Y' : mat) r r', (forall c, (c < d n)%nat -> Y r c = Y' r' c) ->
  forall c, run_bilinear alpha A C (feedforward ly) Y r c = run_bilinear alpha A C (feedforward ly) Y' r' c.
Proof.
  eexists. intros ly Hly. split; [exact (same_block n L scale ly Hly)|]. intros. now apply (row_by_row n L scale).
Qed.
