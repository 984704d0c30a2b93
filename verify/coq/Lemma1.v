(** * Lemma 1: one tensor multiplies matrices, for all n and over every commutative ring

    Lemma 1 (Appendix B.1). With vec the row-major vectorisation (MathComp's [mxvec]), the tensor
    1{i' = i, j' = i'', j'' = j} of size n^2 x n^2 x n^2 takes vec A and vec B to vec (A B).

    Where we differ from the print: the statement says n x n x n; no tensor of that size takes
    vectors of length n^2. The proof's n^2 x n^2 x n^2 is meant.

    Main definitions: [tens], [bil].
    Main theorem:     [matmul_lemma]. *)

From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

Section Lemma1.
Variables (R : comRingType) (n : nat).

Definition unvec (a : 'I_(n * n)) : 'I_n * 'I_n :=
  enum_val (cast_ord (esym (mxvec_cast n n)) a).

Definition tens (a b c : 'I_(n * n)) : R :=
  let (i', j') := unvec a in
  let (i'', j'') := unvec b in
  let (i, j) := unvec c in
  ((i' == i) && (j' == i'') && (j'' == j))%:R.

(** tens x_1 x x_2 y *)
Definition bil (x y : 'rV[R]_(n * n)) : 'rV[R]_(n * n) :=
  \row_c \sum_a \sum_b tens a b c * x 0 a * y 0 b.

Lemma tensE i' j' i'' j'' i j :
  tens (mxvec_index i' j') (mxvec_index i'' j'') (mxvec_index i j)
  = ((i' == i) && (j' == i'') && (j'' == j))%:R.
Proof. by rewrite /tens /unvec /mxvec_index !cast_ordK !enum_rankK. Qed.

Lemma sum_mxvec (F : 'I_(n * n) -> R) : \sum_a F a = \sum_i \sum_j F (mxvec_index i j).
Proof. by rewrite (reindex _ (curry_mxvec_bij _ _)) /= pair_bigA; apply: eq_bigr => [[i j]]. Qed.

Theorem matmul_lemma (A B : 'M[R]_n) : bil (mxvec A) (mxvec B) = mxvec (A *m B).
Proof.
apply/rowP => c; case/mxvec_indexP: c => i j; rewrite mxE mxvecE mxE sum_mxvec.
rewrite (bigD1 i) //= [X in _ + X]big1 ?addr0; last first.
  move=> i' /negPf ne; apply: big1 => j' _; rewrite sum_mxvec; apply: big1 => i'' _.
  by apply: big1 => j'' _; rewrite tensE ne /= !mul0r.
apply: eq_bigr => k _; rewrite sum_mxvec (bigD1 k) //= [X in _ + X]big1 ?addr0; last first.
  move=> i'' /negPf ne; apply: big1 => j'' _; by rewrite tensE eqxx eq_sym ne /= !mul0r.
rewrite (bigD1 j) //= [X in _ + X]big1 ?addr0; last first.
  by move=> j'' /negPf ne; rewrite tensE !eqxx ne /= !mul0r.
by rewrite tensE !eqxx mul1r !mxvecE.
Qed.
End Lemma1.
