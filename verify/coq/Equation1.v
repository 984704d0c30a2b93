(** * Equation (1) of Appendix B.2 is false as printed

    The paper: eps_l <= eps_(l-1) M + eps_(l-1)^2 + eps_mlp with M = 2 max ||A^sigma||. All products
    are exact here, so eps_mlp = 0; one state, one letter, the weights of the construction.

    - Two letters, a weight from 0 to 1/8, any C >= 2: the first layer already fails, whether eps_0 is
      the error of the embedding (which is 0) or the attention error, at position 1, where a pad meets
      the letter. The identity of the pads has norm 1 > M/2. The report's witness is weight 1/8, C = 16.
    - Four letters of weight 2: the second layer fails (SecondLayer.v).

    Main definitions: [weight_of] (the automaton with one state and one letter of that weight),
                      [carried], [error], [attention], [M].
    Main theorem:     [equation1_first]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Gap Model Attention Theorem1 Softmax Recursion Theorem2.
Open Scope R_scope.

(** ** One state, one letter *)

Definition weight_of (a : R) : unit -> mat := fun _ _ _ => a.
Definition word : nat -> unit := fun _ => tt.

(** What the soft model carries, its total error and its attention error, at saturation C. *)
Definition carried (a : R) (L : nat) (C : R) : nat -> nat -> mat :=
  factors 1 L (fun t => weight_of a (word t)) (sqrt C) (softmax (N L)).
Definition error (a : R) (L : nat) (C : R) (l : nat) : R :=
  total_error 1 L (norm 1) (weight_of a) word (carried a L C) l.
Definition attention (a : R) (L : nat) (C : R) (l : nat) : R :=
  attention_error L (norm 1) (sqrt C) (carried a L C) l.
Definition M (a : R) : R := 2 * norm 1 (weight_of a tt).

Lemma norm_1 (X : mat) : norm 1 X = Rabs (X 0%nat 0%nat).
Proof.
  unfold norm. simpl. rewrite Rplus_0_l. apply Rmax_right, Rabs_pos.
Qed.

Lemma score_mod T m : (0 < T)%Z -> score T m = score T (m mod (2 * T)).
Proof.
  intro HT. rewrite (Z.div_mod m (2 * T)) at 1 by lia. rewrite Z.add_comm. now apply score_period.
Qed.

Definition exact (a : R) (L l r : nat) : R :=
  scanned 1 L (fun t => weight_of a (word t)) l r 0%nat 0%nat.

Lemma carried_0 a L C r : carried a L C 0 r 0%nat 0%nat = if (pos L r <=? 0)%Z then 1 else a.
Proof. unfold carried. cbn [factors]. unfold token. now destruct (pos L r <=? 0)%Z. Qed.

Lemma exact_0 a L r : exact a L 0 r = if (pos L r <=? 0)%Z then 1 else a.
Proof. unfold exact. cbn [scanned]. unfold token. now destruct (pos L r <=? 0)%Z. Qed.

Lemma carried_S a L C l r : carried a L C (S l) r 0%nat 0%nat
  = mix (N L) (attend L (sqrt C) (width (S l)) r) (carried a L C l) 0%nat 0%nat
    * mix (N L) (attend L (sqrt C) 0 r) (carried a L C l) 0%nat 0%nat.
Proof. unfold carried at 1. cbn [factors]. unfold mmul. cbn [sum]. apply Rplus_0_l. Qed.

Lemma exact_S a L l r :
  exact a L (S l) r = exact a L l (source L (width (S l)) r) * exact a L l r.
Proof. unfold exact at 1. cbn [scanned]. unfold mmul. cbn [sum]. apply Rplus_0_l. Qed.

Lemma error_ge a L C l r : (r < N L)%nat ->
  Rabs (carried a L C l r 0%nat 0%nat - exact a L l r) <= error a L C l.
Proof.
  intro Hr. eapply Rle_trans; [|apply (maxover_ge (N L) (fun r => norm 1 (mminus (carried a L C l r)
    (scanned 1 L (fun t => weight_of a (word t)) l r))) r Hr)].
  rewrite norm_1. apply Rle_refl.
Qed.

Lemma error_le a L C l b : 0 <= b ->
  (forall r, (r < N L)%nat -> Rabs (carried a L C l r 0%nat 0%nat - exact a L l r) <= b) ->
  error a L C l <= b.
Proof. intros Hb H. apply maxover_le; auto. intros r Hr. rewrite norm_1. now apply H. Qed.

Lemma attention_le a L C l b : 0 <= b ->
  (forall r, (r < N L)%nat ->
     Rabs (mix (N L) (attend L (sqrt C) (width l) r) (carried a L C (l - 1)) 0%nat 0%nat
           - carried a L C (l - 1) (source L (width l) r) 0%nat 0%nat) <= b /\
     Rabs (mix (N L) (attend L (sqrt C) 0 r) (carried a L C (l - 1)) 0%nat 0%nat
           - carried a L C (l - 1) r 0%nat 0%nat) <= b) ->
  attention a L C l <= b.
Proof.
  intros Hb H. apply maxover_le; auto. intros r Hr. rewrite !norm_1.
  destruct (H r Hr). now apply Rmax_lub.
Qed.

(** ** T = 2 *)

Definition table2 (k : Z) : R :=
  match k with 0%Z => 1 | 1%Z => 0 | 2%Z => -1 | _ => 0 end.

Lemma score_2 m : score 2 m = table2 (m mod 4).
Proof.
  rewrite score_mod by lia. change (2 * 2)%Z with 4%Z.
  pose proof (Z.mod_pos_bound m 4 ltac:(lia)).
  assert (m mod 4 = 0 \/ m mod 4 = 1 \/ m mod 4 = 2 \/ m mod 4 = 3)%Z as [E|[E|[E|E]]] by lia;
    rewrite E; unfold score, table2.
  - replace (PI * 0 / 2) with 0 by field. apply cos_0.
  - replace (PI * 1 / 2) with (PI / 2) by field. apply cos_PI2.
  - replace (PI * 2 / 2) with PI by field. apply cos_PI.
  - replace (PI * 3 / 2) with (3 * (PI / 2)) by field. apply cos_3PI2.
Qed.

(** The weight that a row of the softmax gives at distance k. *)
Definition g2 (C : R) (k : Z) : R := exp (C * table2 k) / (exp C + 2 + exp (- C)).

Lemma attend_2 C w r s : 0 < C -> (w < 2)%nat -> (r < 4)%nat -> (s < 4)%nat ->
  attend 1 (sqrt C) w r s = g2 C ((Z.of_nat r - Z.of_nat w - Z.of_nat s) mod 4).
Proof.
  intros HC Hw Hr Hs. unfold attend, softmax, shifted, g2.
  rewrite sqrt_def by lra. change (N 1) with 4%nat. change (Z.of_nat (T 1)) with 2%Z.
  cbn [sum]. rewrite !score_2.
  assert (E : forall c, (-1 <= c < 4)%Z ->
    0 + exp (C * table2 ((c - 0) mod 4)) + exp (C * table2 ((c - 1) mod 4))
      + exp (C * table2 ((c - 2) mod 4)) + exp (C * table2 ((c - 3) mod 4))
    = exp C + 2 + exp (- C)).
  { intros c Hc. assert (c = -1 \/ c = 0 \/ c = 1 \/ c = 2 \/ c = 3)%Z as H by lia.
    destruct H as [->|[->|[->|[->| ->]]]]; simpl;
      replace (C * 1) with C by ring; replace (C * 0) with 0 by ring;
      replace (C * -1) with (- C) by ring; rewrite exp_0; ring. }
  rewrite <- (E (Z.of_nat r - Z.of_nat w)%Z) by lia.
  replace (Z.of_nat r - Z.of_nat s - Z.of_nat w)%Z
    with (Z.of_nat r - Z.of_nat w - Z.of_nat s)%Z by lia.
  replace (Z.of_nat r - Z.of_nat 0 - Z.of_nat w)%Z with (Z.of_nat r - Z.of_nat w - 0)%Z by lia.
  replace (Z.of_nat r - Z.of_nat 1 - Z.of_nat w)%Z with (Z.of_nat r - Z.of_nat w - 1)%Z by lia.
  replace (Z.of_nat r - Z.of_nat 2 - Z.of_nat w)%Z with (Z.of_nat r - Z.of_nat w - 2)%Z by lia.
  replace (Z.of_nat r - Z.of_nat 3 - Z.of_nat w)%Z with (Z.of_nat r - Z.of_nat w - 3)%Z by lia.
  reflexivity.
Qed.

Lemma attend_means_2 C w r (F : nat -> mat) : 0 < C -> (w < 2)%nat -> (r < 4)%nat ->
  mix 4 (attend 1 (sqrt C) w r) F 0%nat 0%nat
  = let m := (Z.of_nat r - Z.of_nat w)%Z in
    g2 C ((m - 0) mod 4) * F 0%nat 0%nat 0%nat + g2 C ((m - 1) mod 4) * F 1%nat 0%nat 0%nat
    + g2 C ((m - 2) mod 4) * F 2%nat 0%nat 0%nat + g2 C ((m - 3) mod 4) * F 3%nat 0%nat 0%nat.
Proof.
  intros HC Hw Hr. unfold mix. cbn [sum]. rewrite !attend_2 by (auto; lia). cbv zeta.
  change (Z.of_nat 0) with 0%Z. change (Z.of_nat 1) with 1%Z. change (Z.of_nat 2) with 2%Z.
  change (Z.of_nat 3) with 3%Z. ring.
Qed.

Lemma weights_2 C : 0 < C ->
  let eta := g2 C 1 + g2 C 2 in
  0 < eta < 1 /\ g2 C 0 + g2 C 1 = 1 - eta /\ g2 C 3 = g2 C 1.
Proof.
  intros HC eta.
  assert (0 < exp C) by apply exp_pos. assert (0 < exp (- C)) by apply exp_pos.
  assert (E : g2 C 0 + g2 C 1 = 1 - eta).
  { unfold eta, g2, table2. replace (C * 1) with C by ring. replace (C * 0) with 0 by ring.
    replace (C * -1) with (- C) by ring. rewrite exp_0. field. lra. }
  assert (P : forall k, 0 < g2 C k)
    by (intro k; unfold g2; apply Rdiv_lt_0_compat; [apply exp_pos|lra]).
  pose proof (P 0%Z). pose proof (P 1%Z). pose proof (P 2%Z).
  split; [unfold eta in *; lra|]. split; [exact E|reflexivity].
Qed.

Lemma leak_2 C : 2 <= C -> g2 C 1 + g2 C 2 <= 1 / 4.
Proof.
  intro HC. pose proof (exp_lower C ltac:(lra)). assert (0 < exp C) by apply exp_pos.
  assert (He : 0 < exp (- C)) by apply exp_pos.
  assert (E : exp (- C) * exp C = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
  assert (exp (- C) <= 1 / 3) by nra.
  unfold g2, table2. replace (C * 0) with 0 by ring. replace (C * -1) with (- C) by ring. rewrite exp_0.
  apply (Rmult_le_reg_r (exp C + 2 + exp (- C))); [lra|]. field_simplify; lra.
Qed.

(** Two letters of a weight from 0 to 1/8 (the report's witness has 1/8 and C = 16): for every C >= 2 the
    printed inequality fails at the first layer, with the error of the embedding or with the attention
    error in the place of eps_0, at position 1 (row 2), where a pad meets the letter, and so in the largest
    error. *)
Theorem equation1_first a C : 0 <= a <= 1 / 8 -> 2 <= C ->
  let e0 := error a 1 C 0 in
  let a1 := attention a 1 C 1 in
  let here := Rabs (carried a 1 C 1 2 0%nat 0%nat - exact a 1 1 2) in
  here > e0 * M a + e0 ^ 2 /\ here > a1 * M a + a1 ^ 2 /\
  error a 1 C 1 > e0 * M a + e0 ^ 2 /\ error a 1 C 1 > a1 * M a + a1 ^ 2.
Proof.
  intros Ha HC e0 a1 here. destruct (weights_2 C ltac:(lra)) as (Heta & E01 & E3). cbv zeta in *.
  pose proof (leak_2 C HC) as Hq. set (eta := g2 C 1 + g2 C 2) in *.
  assert (HM : M a = 2 * a).
  { unfold M. rewrite norm_1. unfold weight_of. rewrite Rabs_pos_eq; lra. }
  assert (He0 : e0 = 0).
  { apply Rle_antisym; [|apply maxover_pos]. apply error_le; [lra|]. intros r Hr.
    rewrite carried_0, exact_0, Rminus_diag_eq by reflexivity. rewrite Rabs_R0. lra. }
  set (d := 1 - a). assert (Hd : 7 / 8 <= d <= 1) by (unfold d; lra).
  assert (Ha1 : a1 <= eta * d).
  { assert (0 <= eta * d) by (apply Rmult_le_pos; lra).
    apply attention_le; [lra|]. intros r Hr. change (N 1) with 4%nat in *. cbn [Nat.sub].
    change (width 1) with 1%nat. rewrite !attend_means_2 by (auto; lra || lia). cbv zeta.
    rewrite !carried_0.
    assert (r = 0 \/ r = 1 \/ r = 2 \/ r = 3)%nat as [->|[->|[->| ->]]] by lia; cbn;
      rewrite ?E3; split; apply Rabs_le; unfold d, eta in *; nra. }
  assert (Ha0 : 0 <= a1) by apply maxover_pos.
  assert (He1 : here = eta * (1 - eta) * (d * d)).
  { unfold here. rewrite carried_S, exact_S, !exact_0. change (N 1) with 4%nat. change (width 1) with 1%nat.
    rewrite !attend_means_2 by (auto; lra || lia). cbv zeta. rewrite !carried_0. cbn. rewrite E3.
    replace (g2 C 1 * 1 + g2 C 0 * 1 + g2 C 1 * a + g2 C 2 * a) with (1 - eta * d)
      by (unfold d, eta in *; lra).
    replace (g2 C 2 * 1 + g2 C 1 * 1 + g2 C 0 * a + g2 C 1 * a) with (a + eta * d)
      by (unfold d, eta in *; nra).
    replace ((1 - eta * d) * (a + eta * d) - 1 * a) with (eta * (1 - eta) * (d * d))
      by (unfold d; ring). apply Rabs_pos_eq. repeat apply Rmult_le_pos; lra. }
  assert (Hle : here <= error a 1 C 1).
  { apply (error_ge a 1 C 1 2%nat). change (N 1) with 4%nat. lia. }
  assert (Hpos : 0 < eta * d) by (apply Rmult_lt_0_compat; lra).
  assert (G : a1 * M a + a1 ^ 2 < here).
  { rewrite HM, He1. apply Rle_lt_trans with (eta * d * (2 * a) + (eta * d) ^ 2).
    - assert (a1 ^ 2 <= (eta * d) ^ 2) by (apply pow_incr; lra). nra.
    - replace (eta * (1 - eta) * (d * d)) with (eta * d * ((1 - eta) * d)) by ring.
      replace (eta * d * (2 * a) + (eta * d) ^ 2) with (eta * d * (2 * a + eta * d)) by ring.
      apply Rmult_lt_compat_l; [exact Hpos|]. nra. }
  assert (G0 : e0 * M a + e0 ^ 2 < here).
  { rewrite He0. replace (0 * M a + 0 ^ 2) with 0 by ring. rewrite He1.
    apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|apply Rmult_lt_0_compat]; lra. }
  repeat split; lra.
Qed.
