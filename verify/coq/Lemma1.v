(** * Lemma 1: one tensor multiplies matrices, for all n and over every commutative ring

    Lemma 1 (Appendix B.1). With [vec] the row-major vectorisation, the tensor
    1{i' = i, j' = i'', j'' = j} of size n^2 x n^2 x n^2 takes vec A and vec B to vec (A B).

    Where we differ from the print: the statement says n x n x n; no tensor of that size takes
    vectors of length n^2. The proof's n^2 x n^2 x n^2 is meant.

    Main definitions: [vec], [tens], [bil], [product].
    Main theorem:     [matmul_lemma]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool Ring.
From Assay Require Import Compat.

Section Lemma1.
Variable R : Type.
Variables (zero one : R) (add mul sub : R -> R -> R) (opp : R -> R).
Hypothesis commutative_ring : ring_theory zero one add mul sub opp eq.
Add Ring R_ring : commutative_ring.
Variable n : nat.

Fixpoint total (k : nat) (f : nat -> R) : R :=
  match k with O => zero | S k' => add (total k' f) (f k') end.

Definition vec (A : nat -> nat -> R) (a : nat) : R := A (a / n) (a mod n).
Definition product (A B : nat -> nat -> R) (i j : nat) : R :=
  total n (fun k => mul (A i k) (B k j)).

Definition tens (a b c : nat) : R :=
  if (a / n =? c / n) && (a mod n =? b / n) && (b mod n =? c mod n) then one else zero.

(** tens x_1 x x_2 y *)
Definition bil (x y : nat -> R) (c : nat) : R :=
  total (n * n) (fun a => total (n * n) (fun b => mul (mul (tens a b c) (x a)) (y b))).

Lemma total_ext k f g : (forall p, p < k -> f p = g p) -> total k f = total k g.
Proof. induction k; simpl; intro H; auto. rewrite IHk, H; auto. Qed.

Lemma total_zero k f : (forall p, p < k -> f p = zero) -> total k f = zero.
Proof. induction k; simpl; intro H; auto. rewrite IHk, H by auto. ring. Qed.

Lemma total_single k f q : q < k -> (forall p, p < k -> p <> q -> f p = zero) -> total k f = f q.
Proof.
  induction k; simpl; intros Hq H; [lia|].
  destruct (Nat.eq_dec q k) as [->|].
  - rewrite total_zero; [ring|]. intros; apply H; lia.
  - rewrite IHk, (H k); try lia; [ring|]. intros; apply H; lia.
Qed.

Lemma total_add a b f : total (a + b) f = add (total a f) (total b (fun p => f (a + p))).
Proof.
  induction b; simpl; rewrite ?Nat.add_0_r, ?Nat.add_succ_r; simpl; [ring|rewrite IHb; ring].
Qed.

Lemma total_mul a b f : total (a * b) f = total a (fun i => total b (fun j => f (i * b + j))).
Proof. induction a; simpl; auto. rewrite Nat.add_comm, total_add, IHa. reflexivity. Qed.

Lemma place i j : j < n -> (i * n + j) / n = i /\ (i * n + j) mod n = j.
Proof.
  intro H. split; [rewrite div_add_l, Nat.div_small|rewrite Nat.add_comm, mod_add,
    Nat.mod_small]; lia.
Qed.

Theorem matmul_lemma (A B : nat -> nat -> R) c :
  c < n * n -> bil (vec A) (vec B) c = vec (product A B) c.
Proof.
  intro Hc. assert (Hn : n <> 0) by (intros ->; lia).
  assert (Hi : c / n < n) by (apply Nat.div_lt_upper_bound; lia).
  assert (Hj : c mod n < n) by (now apply Nat.mod_upper_bound).
  unfold bil, vec at 3, product. rewrite total_mul, (total_single n _ (c / n) Hi).
  - apply total_ext. intros k Hk. rewrite total_mul, (total_single n _ k Hk).
    + rewrite (total_single n _ (c mod n) Hj).
      * unfold tens, vec. destruct (place (c / n) k Hk) as [-> ->].
        destruct (place k (c mod n) Hj) as [-> ->]. rewrite !Nat.eqb_refl. simpl. ring.
      * intros j Hlt Hne. unfold tens. destruct (place k j Hlt) as [_ ->].
        apply Nat.eqb_neq in Hne. rewrite Hne, andb_false_r. ring.
    + intros i Hlt Hne. apply total_zero. intros j Hjn. unfold tens.
      destruct (place (c / n) k Hk) as [_ ->]. destruct (place i j Hjn) as [-> _].
      apply not_eq_sym, Nat.eqb_neq in Hne. rewrite Hne, andb_false_r. simpl. ring.
  - intros i Hlt Hne. apply total_zero. intros j Hjn. apply total_zero. intros b _. unfold tens.
    destruct (place i j Hjn) as [-> _]. apply Nat.eqb_neq in Hne. rewrite Hne. simpl. ring.
Qed.
End Lemma1.
