(** * With ReLU and letters from an interval, the number of units grows at least as log(1/eps)

    Section 3.2, beside ReluTransformers.v. There the alphabet is finite and may be chosen after everything
    else. Here there is one automaton, whose letters are numbers between 0 and 1, of two kinds, and whose
    weights are powers of the letter. Numbers of layers, heads and tokens are given. If a transformer with a
    piecewise linear activation, ReLU among them, and at most W hidden units in each layer simulates it
    within eps, then eps >= 1 / c^(W+1), that is W + 1 >= log(1/eps) / log c, where c > 1 depends on none of
    eps, W and n. Every embedding of the letters is allowed, continuous or not. Theorem 2's sizes, which do
    not mention eps, are out of reach of ReLU for this one automaton.

    The proof is that of ReluTransformers.v: with P colours a grid of about P^(m+1) numbers is enough, and the
    interpolation loses a factor that is a power of its size (ReluGrid.v); P is exponential in W.

    Alphabets. The letters are all numbers between 0 and 1, in two kinds; the automaton is chosen after the
    numbers of layers, heads and tokens, before W and eps.

    Main definitions: [interval], [number_of].
    Main theorems:    [size_of_grid], [piecewise_linear_rate]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums ReluGrid ReluSpan ReluTransformers.
From Assay Require Simulation.
Import ListNotations.
Open Scope R_scope.

(** ** The automaton *)

Definition interval : Type := {x : R | 0 <= x <= 1}.

(** A letter's kind and its number, for [ReluTransformers.powers]. *)
Definition number_of (z : bool * interval) : bool * R := (fst z, proj1_sig (snd z)).

(** The a-th letter of the interval. *)
Definition point_letter (Q a : nat) : interval :=
  match Rle_dec 0 (point Q a), Rle_dec (point Q a) 1 with
  | left H, left H' => exist _ (point Q a) (conj H H')
  | _, _ => exist _ 0 (conj (Rle_refl 0) Rle_0_1)
  end.

Lemma point_letter_is Q a : (a < Q)%nat -> proj1_sig (point_letter Q a) = point Q a.
Proof.
  intro H. destruct (point_between Q a H). unfold point_letter.
  destruct (Rle_dec 0 _); [|contradiction]. destruct (Rle_dec _ 1); [reflexivity|contradiction].
Qed.

(** ** The theorem *)

(** All that depends on the numbers of pieces, layers, heads and tokens. *)
Lemma size_of_grid m K e W : (1 <= K)%nat ->
  (m * m * (5 * enough m (K ^ (e * W))) ^ (m + m)
   <= (m * m * (5 * (m + 1) ^ (m + 1) * K ^ (e * (m + 1))) ^ (m + m) + 2) ^ S W)%nat.
Proof.
  intro HK. set (P := (K ^ (e * W))%nat).
  assert (HP : (1 <= P)%nat) by (unfold P; pose proof (Nat.pow_nonzero K (e * W) ltac:(lia)); lia).
  assert (HQ : (enough m P <= (m + 1) ^ (m + 1) * P ^ (m + 1))%nat).
  { unfold enough. assert (H1 : (S (m * P) <= (m + 1) * P)%nat) by nia.
    apply (Nat.pow_le_mono_l _ _ m) in H1. rewrite Nat.pow_mul_l in H1. rewrite !Nat.add_1_r, !Nat.pow_succ_r'.
    rewrite Nat.add_1_r in H1. set (X := (S (m * P) ^ m)%nat) in *. set (Y := (S m ^ m)%nat) in *.
    set (Z := (P ^ m)%nat) in *.
    assert (1 <= Y * Z)%nat by (unfold Y, Z; pose proof (Nat.pow_nonzero (S m) m ltac:(lia));
      pose proof (Nat.pow_nonzero P m ltac:(lia)); nia).
    assert (S (m * (P * X)) <= S m * (P * (Y * Z)))%nat by nia. nia. }
  assert (HP' : (P ^ (m + 1) = (K ^ (e * (m + 1))) ^ W)%nat).
  { unfold P. rewrite <- !Nat.pow_mul_r. f_equal. ring. }
  set (U := (K ^ (e * (m + 1)))%nat) in *. set (c := (5 * (m + 1) ^ (m + 1))%nat).
  assert (Hc : (1 <= c)%nat) by (unfold c; pose proof (Nat.pow_nonzero (m + 1) (m + 1) ltac:(lia)); lia).
  assert (HU : (1 <= U)%nat) by (unfold U; pose proof (Nat.pow_nonzero K (e * (m + 1)) ltac:(lia)); lia).
  assert (H5 : (5 * enough m P <= c * U ^ W)%nat) by (rewrite <- HP'; unfold c; nia).
  apply (Nat.pow_le_mono_l _ _ (m + m)) in H5. rewrite (Nat.pow_mul_l c), <- (Nat.pow_mul_r U) in H5.
  set (V := (U ^ (m + m))%nat).
  assert (HV : (U ^ (W * (m + m)) = V ^ W)%nat) by (unfold V; rewrite <- !Nat.pow_mul_r; f_equal; ring).
  rewrite HV in H5. rewrite (Nat.pow_mul_l c U). fold V. set (b := (c ^ (m + m))%nat) in *.
  assert (Hb : (1 <= b)%nat) by (unfold b; pose proof (Nat.pow_nonzero c (m + m) ltac:(lia)); lia).
  assert (HV1 : (1 <= V)%nat) by (unfold V; pose proof (Nat.pow_nonzero U (m + m) ltac:(lia)); lia).
  destruct (Nat.eq_dec m 0) as [->|Hm]; [cbn [Nat.mul]; apply Nat.le_0_l|]. rewrite Nat.pow_succ_r'.
  assert (Hd : (1 <= m * m * b)%nat) by (change (1 * 1 * 1 <= m * m * b)%nat; repeat apply Nat.mul_le_mono; lia).
  rewrite !Nat.mul_assoc. set (d := (m * m * b)%nat) in *.
  assert (HW : (V ^ W <= (d * V + 2) ^ W)%nat) by (apply Nat.pow_le_mono_l; nia).
  transitivity (d * V ^ W)%nat; [|apply Nat.mul_le_mono; [nia|exact HW]].
  unfold d. rewrite <- (Nat.mul_assoc (m * m) b). now apply Nat.mul_le_mono_l.
Qed.

(** One automaton for all W and eps: W + 1 is at least the logarithm of 1/eps to a base c. The letters are
    numbers between 0 and 1, in two kinds; the automaton and the constant are chosen after the activation, T,
    L, h and N. *)
Theorem piecewise_linear_rate (sigma : R -> R) (T L h N : nat) : piecewise_linear sigma -> (2 <= T)%nat ->
  exists n0 (alpha : nat -> R) (A : bool * interval -> mat) (c : R), 1 < c /\ forall n W eps, (n0 <= n)%nat ->
  forall (transformer : model) (embedding : nat -> option (bool * interval) -> nat -> R) (place row : nat -> nat),
    within sigma L h W transformer -> (forall t, (t <= T)%nat -> (row t < N)%nat) ->
    Simulation.approximately_simulates n T alpha A eps
      (fun w t => forward N transformer (reads_letters embedding place w) (row t)) ->
    / c ^ S W <= eps.
Proof.
  intros (K & which & slope & intercept & HP) HT. assert (HK : (1 <= K)%nat) by (destruct (HP 0); lia).
  set (m := S (paths h N L + constants h N L)).
  set (base := (m * m * (5 * (m + 1) ^ (m + 1) * K ^ (L * N * (m + 1))) ^ (m + m) + 2)%nat).
  assert (Hbase : 1 < INR base) by (apply (lt_INR 1); unfold base; lia).
  exists (m * m)%nat, first_state, (fun z => powers m (number_of z)), (INR base). split; [exact Hbase|].
  intros n W eps Hn transformer embedding place row Hm Hrow Hsim.
  set (Q := enough m (K ^ (L * N * W))).
  assert (H1 : 1 <= INR (m * m * (5 * Q) ^ (m + m)) * eps).
  { apply (words_missed sigma K which slope intercept HP N L h W transformer Hm number_of
      (fun a => (false, point_letter Q a)) (fun b => (true, point_letter Q b)) n T embedding place row); auto.
    intros a Ha. unfold number_of. cbn [fst snd]. now rewrite point_letter_is. }
  assert (Heps : 0 < eps) by (pose proof (pos_INR (m * m * (5 * Q) ^ (m + m))); nra).
  rewrite <- pow_INR. assert (Hpos : 0 < INR (base ^ S W)) by (rewrite pow_INR; apply pow_lt; lra).
  apply (Rmult_le_reg_l (INR (base ^ S W))); [exact Hpos|]. rewrite Rinv_r by lra.
  eapply Rle_trans; [exact H1|]. apply Rmult_le_compat_r; [lra|]. apply le_INR.
  exact (size_of_grid m K (L * N) W HK).
Qed.
