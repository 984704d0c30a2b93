(** * The parallel scan over any monoid, and the printed pseudocode

    Appendix A.1. The step that reads its left neighbour at distance 2^i computes, after i steps,
    the product of the 2^i factors that end at j ([window_invariant], [prefix_scan]); on the cyclic
    positions -T+1 .. T of Theorem 1 the wrap-around never reaches positions 0 .. T
    ([scan_correct]). The pseudocode writes the operands in the other order: for a commutative
    operator nothing changes ([printed_scan_commutative]), for concatenation of strings, which the
    paper names as an example, the second prefix is already wrong ([printed_scan_refuted]).

    Main definitions: [product], [attended], [scan], [pscan], [printed].
    Main theorems:    [window_invariant], [scan_correct], [pscan_window], [prefix_scan], [scan_rounds],
                      [printed_scan_commutative], [printed_scan_refuted]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
Import ListNotations.

Section Monoid.
Variable M : Type.
Variable op : M -> M -> M.
Variable e : M.
Hypothesis opA : forall x y z, op (op x y) z = op x (op y z).
Hypothesis op1l : forall x, op e x = x.
Hypothesis op1r : forall x, op x e = x.

(** ** On the cyclic positions of Theorem 1 *)

Open Scope Z_scope.
Variable A : Z -> M.                       (* A t for t = -T+1 .. T; padding: t <= 0 *)

(** A (t-k+1) ... A t *)
Fixpoint product (k : nat) (t : Z) : M :=
  match k with O => e | S k' => op (product k' (t-1)) (A t) end.

(** The position attended by the left head: the one s in [-T+1, T] with s = t - w modulo 2T. *)
Definition attended (T w t : Z) : Z := if (t - w >=? - T + 1) then t - w else t - w + 2 * T.

Fixpoint scan (T : Z) (l : nat) (t : Z) : M :=
  match l with
  | O => A t
  | S l' => op (scan T l' (attended T (2 ^ Z.of_nat l') t)) (scan T l' t)
  end.

Lemma product_add k1 k2 t :
  product (k1 + k2) t = op (product k1 (t - Z.of_nat k2)) (product k2 t).
Proof.
  revert t; induction k2 as [|k2 IH]; intro t.
  - rewrite Nat.add_0_r, Z.sub_0_r; simpl; now rewrite op1r.
  - rewrite Nat.add_succ_r; simpl product. rewrite IH, opA. do 2 f_equal. lia.
Qed.

Theorem attended_spec T w t s : 1 <= w < 2*T -> -T+1 <= t <= T -> -T+1 <= s <= T ->
  ((exists k, t - s - w = 2*T*k) <-> s = attended T w t).
Proof.
  intros Hw Ht Hs; unfold attended; destruct (Z.geb_spec (t-w) (-T+1)); split.
  - intros [k Hk]; assert (k = 0) by nia; subst; lia.
  - intros ->; exists 0; lia.
  - intros [k Hk]; assert (k = -1) by nia; subst; lia.
  - intros ->; exists (-1); lia.
Qed.

Theorem window_invariant T l t :
  2 ^ Z.of_nat l <= T -> 2 ^ Z.of_nat l - T <= t <= T ->
  scan T l t = product (2 ^ l) t.
Proof.
  revert t; induction l as [|l IH]; intros t HT Ht.
  - simpl; now rewrite op1l.
  - assert (E : 2 ^ Z.of_nat (S l) = 2 * 2 ^ Z.of_nat l)
      by (rewrite Nat2Z.inj_succ, Z.pow_succ_r; lia).
    assert (P : 0 < 2 ^ Z.of_nat l) by (apply Z.pow_pos_nonneg; lia).
    simpl scan. unfold attended. destruct (Z.geb_spec (t - 2 ^ Z.of_nat l) (-T+1)); [|lia].
    rewrite !IH by lia.
    replace (2 ^ S l)%nat with (2 ^ l + 2 ^ l)%nat by (simpl; lia).
    rewrite product_add. do 2 f_equal.
    rewrite Nat2Z.inj_pow; lia.
Qed.

Hypothesis pads : forall t, t <= 0 -> A t = e.

Lemma product_pads k t : t <= 0 -> product k t = e.
Proof.
  revert t; induction k as [|k IH]; intros t Ht; simpl; auto.
  rewrite IH by lia. rewrite pads by lia. apply op1l.
Qed.

Theorem scan_correct L t : (t <= 2 ^ L)%nat ->
  scan (2 ^ Z.of_nat L) L (Z.of_nat t) = product t (Z.of_nat t).
Proof.
  intro Ht.
  assert (P : 0 < 2 ^ Z.of_nat L) by (apply Z.pow_pos_nonneg; lia).
  assert (E : Z.of_nat (2 ^ L) = 2 ^ Z.of_nat L) by (rewrite Nat2Z.inj_pow; lia).
  rewrite window_invariant by lia.
  replace (2 ^ L)%nat with ((2 ^ L - t) + t)%nat by lia.
  rewrite product_add, product_pads by lia. apply op1l.
Qed.
End Monoid.

(** ** The pseudocode, on indices 0 .. n *)

Section Pseudocode.
Local Open Scope nat_scope.
Variable M : Type.
Variable op : M -> M -> M.
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
