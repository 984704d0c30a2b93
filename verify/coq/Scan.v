(** * The parallel scan over any associative operator, and the printed pseudocode

    Appendix A.1. The step that reads its left neighbour at distance 2^i computes, after i steps,
    the product of the 2^i factors that end at j ([pscan_window], [prefix_scan]). The pseudocode
    writes the operands in the other order: for a commutative operator nothing changes
    ([printed_scan_commutative]), for concatenation of strings, which the paper names as an example,
    the second prefix is already wrong ([printed_scan_refuted]).

    Main definitions: [segment], [pscan], [printed].
    Main theorems:    [pscan_window], [prefix_scan], [scan_rounds], [printed_scan_commutative],
                      [printed_scan_refuted]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
Import ListNotations.

Section Pseudocode.
Local Open Scope nat_scope.
Context (M : Type) (op : M -> M -> M).
Hypothesis opA : forall x y z, op (op x y) z = op x (op y z).
Variable x : nat -> M.

(** x_a (+) x_(a+1) (+) .. (+) x_(a+k) *)
Fixpoint segment (a k : nat) : M :=
  match k with O => x a | S k' => op (segment a k') (x (a + S k')) end.

(** The step with its operands in reading order, and as printed. *)
Fixpoint pscan (i j : nat) : M :=
  match i with
  | O => x j
  | S i' => if j <? 2 ^ i' then pscan i' j else op (pscan i' (j - 2 ^ i')) (pscan i' j)
  end.

Fixpoint printed (i j : nat) : M :=
  match i with
  | O => x j
  | S i' => if j <? 2 ^ i' then printed i' j else op (printed i' j) (printed i' (j - 2 ^ i'))
  end.

Lemma segment_join a k1 k2 :
  segment a (k1 + S k2) = op (segment a k1) (segment (a + S k1) k2).
Proof.
  induction k2 as [|k2 IH].
  - rewrite Nat.add_1_r. simpl. reflexivity.
  - rewrite Nat.add_succ_r. simpl segment at 1. rewrite IH, opA. simpl segment.
    do 3 f_equal. lia.
Qed.

(** After i steps position j holds the last 2^i terms, or all there are. *)
Theorem pscan_window i j :
  pscan i j = segment (j - (2 ^ i - 1)) (Nat.min j (2 ^ i - 1)).
Proof.
  revert j; induction i as [|i IH]; intro j.
  - simpl. rewrite Nat.min_0_r, Nat.sub_0_r. reflexivity.
  - assert (P : 0 < 2 ^ i) by (apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
    assert (E : 2 ^ S i = 2 ^ i + 2 ^ i) by (simpl; lia).
    simpl pscan. destruct (Nat.ltb_spec j (2 ^ i)).
    + rewrite IH. f_equal; lia.
    + rewrite !IH, E. destruct (Nat.le_gt_cases (2 ^ i + 2 ^ i - 1) j).
      * replace (Nat.min j (2 ^ i + 2 ^ i - 1)) with ((2 ^ i - 1) + S (2 ^ i - 1)) by lia.
        rewrite segment_join. f_equal; f_equal; lia.
      * replace (Nat.min j (2 ^ i + 2 ^ i - 1)) with ((j - 2 ^ i) + S (2 ^ i - 1)) by lia.
        rewrite segment_join. f_equal; f_equal; lia.
Qed.

(** In reading order every associative operator gives all prefixes after i steps, j < 2^i. *)
Theorem prefix_scan i j : j < 2 ^ i -> pscan i j = segment 0 j.
Proof. intro H. rewrite pscan_window. f_equal; lia. Qed.

(** Steps 0 .. floor(log2 n) are enough for x_0 .. x_n. *)
Theorem scan_rounds n j : 1 <= n -> j <= n -> pscan (S (Nat.log2 n)) j = segment 0 j.
Proof.
  intros Hn Hj. apply prefix_scan. pose proof (Nat.log2_spec n ltac:(lia)). lia.
Qed.

Theorem printed_scan_commutative i j :
  (forall a b, op a b = op b a) -> j < 2 ^ i -> printed i j = segment 0 j.
Proof.
  intros comm H. rewrite <- (prefix_scan i j H). clear H. revert j.
  induction i as [|i IH]; intro j; simpl; auto.
  rewrite !IH. destruct (j <? 2 ^ i); auto.
Qed.
End Pseudocode.

(** Strings "0", "1", .. under concatenation: the printed order yields "10" where "01" is due. *)
Theorem printed_scan_refuted :
  let x := fun j : nat => [j] in
  printed (list nat) (@app nat) x 1 1 = [1; 0]%nat
  /\ segment (list nat) (@app nat) x 0 1 = [0; 1]%nat.
Proof. split; reflexivity. Qed.
