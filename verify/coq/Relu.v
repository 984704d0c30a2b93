(** * ReLU: no fixed width multiplies to every precision

    Appendix B.2: the cited theorem, as printed, admits every activation that is no polynomial of
    low degree, ReLU among them, with a number of units that does not depend on eps. For ReLU that
    is false: N units in one hidden layer miss x^2 on [0, 1] by at least 1/(8 (N+1)^2), whatever
    the weights and biases.

    The idea: of the N + 1 equal parts of [0, 1] one has no bend of a unit inside; the network is
    affine there, x^2 is not.

    Main definitions: [relu_net], [bends].
    Main theorems:    [relu_floor], [relu_width], [relu_fixed_width]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Activation.
Open Scope R_scope.

(** ** A lower bound for one hidden layer *)

Definition relu_net (N : nat) (v w b : nat -> R) (off x : R) : R :=
  sum N (fun u => v u * Rmax 0 (w u * x + b u)) + off.

Section Floor.
Context (N : nat) (v w b : nat -> R) (off : R).

Local Notation net := (relu_net N v w b off).

(** The k-th of N + 1 equal parts of [0, 1], its middle, and whether a unit changes sign inside. *)
Definition part (k : nat) : R := INR k / (INR N + 1).
Definition bends (u k : nat) : bool :=
  if Rlt_dec ((w u * part k + b u) * (w u * part (S k) + b u)) 0 then true else false.

Lemma parts_pos : 0 < INR N + 1.
Proof. pose proof (pos_INR N). lra. Qed.

Lemma part_step k : part (S k) = part k + / (INR N + 1).
Proof. unfold part. rewrite S_INR. pose proof parts_pos. field. lra. Qed.

Lemma part_le j k : (j <= k)%nat -> part j <= part k.
Proof.
  intro H. pose proof parts_pos. apply Rmult_le_compat_r; [|now apply le_INR].
  left. now apply Rinv_0_lt_compat.
Qed.

Lemma bends_once u j k : bends u j = true -> bends u k = true -> j = k.
Proof.
  unfold bends. intros Hj Hk.
  destruct (Rlt_dec _ 0) as [Pj|]; [|discriminate].
  destruct (Rlt_dec _ 0) as [Pk|]; [|discriminate].
  clear Hj Hk. pose proof parts_pos as HN. pose proof (Rinv_0_lt_compat _ HN) as Hi.
  assert (Hno : forall i m, (S i <= m)%nat ->
    (w u * part i + b u) * (w u * part (S i) + b u) < 0 ->
    (w u * part m + b u) * (w u * part (S m) + b u) < 0 -> False).
  { intros i m Him Pi Pm. pose proof (part_le _ _ Him) as Hle.
    pose proof (part_step i) as Ei. pose proof (part_step m) as Em.
    set (p := part i) in *. set (q := part (S i)) in *. set (p' := part m) in *.
    set (q' := part (S m)) in *. set (a := w u) in *. set (c := b u) in *.
    destruct (Rle_lt_dec 0 a) as [Ha|Ha].
    - assert (a * p <= a * q) by (apply Rmult_le_compat_l; lra).
      assert (a * q <= a * p') by (apply Rmult_le_compat_l; lra).
      assert (a * p' <= a * q') by (apply Rmult_le_compat_l; lra).
      destruct (Rle_lt_dec 0 (a * p + c)); destruct (Rle_lt_dec (a * q + c) 0); nra.
    - assert (a * q <= a * p) by (apply Rmult_le_compat_neg_l; lra).
      assert (a * p' <= a * q) by (apply Rmult_le_compat_neg_l; lra).
      assert (a * q' <= a * p') by (apply Rmult_le_compat_neg_l; lra).
      destruct (Rle_lt_dec (a * p + c) 0); destruct (Rle_lt_dec 0 (a * q + c)); nra. }
  destruct (Nat.lt_trichotomy j k) as [H|[H|H]]; [|exact H|].
  - destruct (Hno j k); auto.
  - destruct (Hno k j); auto.
Qed.

(** N units and N + 1 parts: one part is without a bend. *)
Lemma at_most_one m u : sum m (fun k => b2r (bends u k)) <= 1.
Proof.
  induction m as [|m IH]; [simpl; lra|]. simpl. destruct (bends u m) eqn:E; [|simpl; lra].
  rewrite sum_zero; [simpl; lra|]. intros k Hk. destruct (bends u k) eqn:E'; [|reflexivity].
  pose proof (bends_once u k m E' E). lia.
Qed.

Lemma some_below m (f : nat -> R) : sum m f < INR m -> exists k, (k < m)%nat /\ f k < 1.
Proof.
  induction m as [|m IH]; [simpl; lra|]. rewrite S_INR. simpl. intro H.
  destruct (Rlt_dec (f m) 1) as [Hm|Hm]; [exists m; split; [lia|exact Hm]|].
  destruct IH as (k & Hk & Hf); [lra|]. exists k. split; [lia|exact Hf].
Qed.

Lemma sum_bool_zero m (p : nat -> bool) : sum m (fun u => b2r (p u)) < 1 ->
  forall u, (u < m)%nat -> p u = false.
Proof.
  intros H u Hu. destruct (p u) eqn:E; [|reflexivity]. rewrite (sum_split m _ u Hu), E in H.
  assert (0 <= sum m (fun q => if (q =? u)%nat then 0 else b2r (p q))).
  { apply sum_nonneg. intros q Hq. destruct (q =? u)%nat; [lra|]. destruct (p q); simpl; lra. }
  simpl in H. lra.
Qed.

Lemma straight_part : exists k, (k <= N)%nat /\ forall u, (u < N)%nat -> bends u k = false.
Proof.
  destruct (some_below (S N) (fun k => sum N (fun u => b2r (bends u k)))) as (k & Hk & H).
  - rewrite sum_swap, S_INR. apply Rle_lt_trans with (INR N); [|lra].
    rewrite <- (Rmult_1_r (INR N)), <- sum_const. apply sum_le. intros u Hu. apply at_most_one.
  - exists k. split; [lia|]. now apply sum_bool_zero.
Qed.

Lemma unit_straight u k : bends u k = false ->
  Rmax 0 (w u * ((part k + part (S k)) / 2) + b u)
  = (Rmax 0 (w u * part k + b u) + Rmax 0 (w u * part (S k) + b u)) / 2.
Proof.
  unfold bends. destruct (Rlt_dec _ 0) as [|H]; [discriminate|]. intros _.
  apply Rnot_lt_le in H.
  set (p := w u * part k + b u) in *. set (q := w u * part (S k) + b u) in *.
  replace (w u * ((part k + part (S k)) / 2) + b u) with ((p + q) / 2) by (unfold p, q; field).
  unfold Rmax. repeat destruct (Rle_dec _ _); try lra; nra.
Qed.

Lemma net_straight : exists k, (k <= N)%nat /\
  net ((part k + part (S k)) / 2) = (net (part k) + net (part (S k))) / 2.
Proof.
  destruct straight_part as (k & Hk & H). exists k. split; [exact Hk|]. unfold relu_net.
  rewrite (sum_ext N (fun u => v u * Rmax 0 (w u * ((part k + part (S k)) / 2) + b u))
    (fun u => / 2 * (v u * Rmax 0 (w u * part k + b u) + v u * Rmax 0 (w u * part (S k) + b u)))).
  - rewrite <- sum_scal_l, sum_plus. field.
  - intros u Hu. rewrite unit_straight by auto. field.
Qed.

Theorem relu_floor : exists x, 0 <= x <= 1 /\ / (8 * (INR N + 1) ^ 2) <= Rabs (net x - x ^ 2).
Proof.
  destruct net_straight as (k & Hk & E). pose proof parts_pos as HN.
  set (l := / (INR N + 1)). assert (Hl : 0 < l) by now apply Rinv_0_lt_compat.
  set (a := part k) in *. set (c := part (S k)) in *. set (m := (a + c) / 2) in *.
  assert (Ec : c = a + l) by apply part_step.
  assert (H0 : 0 <= a) by (replace 0 with (part 0) by (unfold part; simpl; field; lra);
                           apply part_le; lia).
  assert (H1 : c <= 1).
  { replace 1 with (part (S N)) by (unfold part; rewrite S_INR; field; lra). apply part_le. lia. }
  replace (/ (8 * (INR N + 1) ^ 2)) with (l * l / 8) by (unfold l; field; lra).
  assert (Emid : m = a + l / 2) by (unfold m; lra).
  destruct (Rle_lt_dec (l * l / 8) (Rabs (net a - a ^ 2))); [exists a; split; [lra|auto]|].
  destruct (Rle_lt_dec (l * l / 8) (Rabs (net c - c ^ 2))); [exists c; split; [lra|auto]|].
  exists m. split; [lra|]. apply Rnot_lt_le. intro H.
  apply Rabs_def2 in r. apply Rabs_def2 in r0. apply Rabs_def2 in H.
  rewrite E in H. rewrite Emid in H. rewrite Ec in *. nra.
Qed.
End Floor.

(** An error of at most eps takes N + 1 >= 1/sqrt(8 eps) units. *)
Theorem relu_width N v w b off eps : 0 < eps ->
  (forall x, 0 <= x <= 1 -> Rabs (relu_net N v w b off x - x ^ 2) <= eps) ->
  / (8 * eps) <= (INR N + 1) ^ 2.
Proof.
  intros He H. destruct (relu_floor N v w b off) as (x & Hx & Hf).
  pose proof (Rle_trans _ _ _ Hf (H x Hx)) as Hle. pose proof (parts_pos N) as HN.
  assert (H2 : 0 < (INR N + 1) ^ 2) by now apply pow_lt.
  apply (Rmult_le_reg_l (8 * eps)); [lra|]. rewrite Rinv_r by lra.
  apply (Rmult_le_compat_r (8 * (INR N + 1) ^ 2)) in Hle; [|lra].
  rewrite Rinv_l in Hle by lra. lra.
Qed.

(** For every number of units there is a precision that they do not reach. *)
Theorem relu_fixed_width N : exists eps, 0 < eps /\ forall v w b off,
  exists x, 0 <= x <= 1 /\ eps < Rabs (relu_net N v w b off x - x ^ 2).
Proof.
  pose proof (parts_pos N) as HN. assert (H2 : 0 < (INR N + 1) ^ 2) by now apply pow_lt.
  assert (Hf : 0 < / (8 * (INR N + 1) ^ 2)) by (apply Rinv_0_lt_compat; lra).
  exists (/ (8 * (INR N + 1) ^ 2) / 2). split; [lra|]. intros v w b off.
  destruct (relu_floor N v w b off) as (x & Hx & H). exists x. split; [exact Hx|lra].
Qed.
