(** Theorem 2: the sum of the first n cubes is the square of the sum of the first n numbers. *)

From Coq Require Import Arith Lia.

Fixpoint sum (f : nat -> nat) (n : nat) : nat :=
  match n with
  | O => 0
  | S m => sum f m + f (S m)
  end.

Lemma triangle (n : nat) : 2 * sum (fun k => k) n = n * (n + 1).
Proof. induction n as [| m IH]; cbn [sum]; lia. Qed.

Theorem cubes (n : nat) :
  sum (fun k => k * k * k) n = sum (fun k => k) n * sum (fun k => k) n.
Proof.
  induction n as [| m IH]; cbn [sum]; [reflexivity |].
  rewrite IH. pose proof (triangle m). nia.
Qed.
