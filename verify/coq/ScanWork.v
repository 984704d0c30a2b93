(** * How many sums the scan makes

    Appendix A.1. The rounds i = 0, .., floor(log2 n) of the scan (Scan.v) update x_0, .., x_n; round i makes
    one sum for each j that is not below 2^i. So a round makes at most n sums, and the scan at most
    n (floor(log2 n) + 1), which is at most 2 n log2 n for n >= 2.

    Main definitions: [round_sums], [scan_sums].
    Main theorems:    [round_sums_is], [scan_work]. *)

From Coq Require Import Reals List Lia Arith Bool.
From Assay Require Import Compat Scan.
Import ListNotations.

(** The j in 0, .., n for which round i of [pscan] applies the operator. *)
Definition round_sums (n i : nat) : nat := length (filter (fun j => negb (j <? 2 ^ i)) (seq 0 (S n))).

Definition scan_sums (n : nat) : nat := list_sum (map (round_sums n) (seq 0 (S (Nat.log2 n)))).

Lemma sums_below m k : length (filter (fun j => negb (j <? m)) (seq 0 k)) = k - m.
Proof.
  induction k as [|k IH]; [reflexivity|]. rewrite seq_S, filter_app, app_length, IH. cbn [filter Nat.add].
  destruct (Nat.ltb_spec k m); cbn [negb length]; lia.
Qed.

Lemma round_sums_is n i : round_sums n i = S n - 2 ^ i.
Proof. apply sums_below. Qed.

Lemma sums_bounded (f : nat -> nat) b k : (forall i, f i <= b) -> list_sum (map f (seq 0 k)) <= b * k.
Proof.
  intro H. induction k as [|k IH]; [cbn; lia|]. rewrite seq_S, map_app, list_sum_app. cbn [map list_sum fold_right Nat.add].
  specialize (H k). lia.
Qed.

(** All running sums after these rounds ([scan_rounds]), with so many sums. *)
Theorem scan_work n : 1 <= n ->
  (forall i, round_sums n i <= n) /\ scan_sums n <= n * S (Nat.log2 n) /\
  (2 <= n -> scan_sums n <= 2 * (n * Nat.log2 n)) /\
  forall (M : Type) (op : M -> M -> M), (forall x y z, op (op x y) z = op x (op y z)) ->
    forall x j, j <= n -> pscan M op x (S (Nat.log2 n)) j = segment M op x 0 j.
Proof.
  intro Hn. assert (R : forall i, round_sums n i <= n).
  { intro i. rewrite round_sums_is. pose proof (Nat.pow_nonzero 2 i). lia. }
  assert (W : scan_sums n <= n * S (Nat.log2 n)) by (apply sums_bounded; exact R).
  split; [exact R|]. split; [exact W|]. split.
  - intro H2. assert (1 <= Nat.log2 n) by (apply Nat.log2_le_pow2; cbn; lia). nia.
  - intros M op opA x j Hj. now apply scan_rounds.
Qed.
