(** * Equation (1) of Appendix B.2 is false at the second layer

    One state, one letter of weight 2, T = 4, exact products, the weights of the construction. For
    every C >= 444 the printed inequality fails at layer 2 by itself ([equation1_second]); for
    C >= 4000 it fails even with the attention error of the second layer counted in ([equation1_redefined]). M = 4 here, and
    counting the pads does not change it: the factors of layer 2 are products, of norm 4.

    Main definitions: [table4], [g4] (the weight that a row of the softmax gives at distance k),
                      [mean1], [after1] (what the rows carry after one layer).
    Main theorems:    [equation1_second], [equation1_redefined]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Gap Model Attention Theorem1 Softmax Recursion Equation1.
Open Scope R_scope.

Ltac each_row r :=
  assert (r = 0 \/ r = 1 \/ r = 2 \/ r = 3 \/ r = 4 \/ r = 5 \/ r = 6 \/ r = 7)%nat
    as [->|[->|[->|[->|[->|[->|[->| ->]]]]]]] by lia.

(** ** The weights of one row *)

Definition c4 : R := cos (PI / 4).
Definition table4 (k : Z) : R :=
  match k with
  | 0%Z => 1 | 1%Z => c4 | 2%Z => 0 | 3%Z => - c4 | 4%Z => -1 | 5%Z => - c4 | 6%Z => 0 | _ => c4
  end.

Lemma c4_bounds : 1 / 2 < c4 < 3 / 4.
Proof.
  assert (E : c4 * c4 = 1 / 2).
  { pose proof (cos2 (PI / 4)) as H. rewrite sin_cos_PI4 in H. unfold Rsqr in H.
    fold c4 in H. lra. }
  assert (0 < c4) by (apply cos_gt_0; pose proof PI_RGT_0; lra).
  split; nra.
Qed.

Lemma score_4 m : score 4 m = table4 (m mod 8).
Proof.
  rewrite score_mod by lia. change (2 * 4)%Z with 8%Z.
  pose proof (Z.mod_pos_bound m 8 ltac:(lia)).
  assert (m mod 8 = 0 \/ m mod 8 = 1 \/ m mod 8 = 2 \/ m mod 8 = 3 \/
          m mod 8 = 4 \/ m mod 8 = 5 \/ m mod 8 = 6 \/ m mod 8 = 7)%Z
    as [E|[E|[E|[E|[E|[E|[E|E]]]]]]] by lia; rewrite E; unfold score, table4, c4.
  - replace (PI * 0 / 4) with 0 by field. apply cos_0.
  - f_equal. field.
  - replace (PI * 2 / 4) with (PI / 2) by field. apply cos_PI2.
  - replace (PI * 3 / 4) with (- (PI / 4) + PI) by field. rewrite neg_cos. now rewrite cos_neg.
  - replace (PI * 4 / 4) with PI by field. apply cos_PI.
  - replace (PI * 5 / 4) with (PI / 4 + PI) by field. apply neg_cos.
  - replace (PI * 6 / 4) with (3 * (PI / 2)) by field. apply cos_3PI2.
  - replace (PI * 7 / 4) with (- (PI / 4) + 2 * PI) by field.
    rewrite <- (cos_neg (PI / 4)). rewrite <- (cos_period (- (PI / 4)) 1). f_equal. simpl. ring.
Qed.

Definition Z4 (C : R) : R := exp C + 2 * exp (C * c4) + 2 + 2 * exp (C * - c4) + exp (- C).
Definition g4 (C : R) (k : Z) : R := exp (C * table4 k) / Z4 C.

Lemma attend_4 C w r s : 0 < C -> (w < 3)%nat -> (r < 8)%nat -> (s < 8)%nat ->
  attend 2 (sqrt C) w r s = g4 C ((Z.of_nat r - Z.of_nat w - Z.of_nat s) mod 8).
Proof.
  intros HC Hw Hr Hs. unfold attend, softmax, shifted, g4.
  rewrite sqrt_def by lra. change (N 2) with 8%nat. change (Z.of_nat (T 2)) with 4%Z.
  assert (E : forall c, (-2 <= c < 8)%Z ->
    sum 8 (fun s => exp (C * table4 ((c - Z.of_nat s) mod 8))) = Z4 C).
  { intros c Hc.
    assert (c = -2 \/ c = -1 \/ c = 0 \/ c = 1 \/ c = 2 \/ c = 3 \/ c = 4 \/ c = 5 \/ c = 6 \/ c = 7)%Z
      as H by lia.
    destruct H as [->|[->|[->|[->|[->|[->|[->|[->|[->| ->]]]]]]]]]; unfold Z4; simpl;
      replace (C * 1) with C by ring; replace (C * 0) with 0 by ring;
      replace (C * -1) with (- C) by ring; rewrite exp_0; ring. }
  rewrite (sum_ext 8 _ (fun s => exp (C * table4 ((Z.of_nat r - Z.of_nat w - Z.of_nat s) mod 8)))).
  - rewrite E, score_4 by lia. now replace (Z.of_nat r - Z.of_nat s - Z.of_nat w)%Z
      with (Z.of_nat r - Z.of_nat w - Z.of_nat s)%Z by lia.
  - intros p Hp. rewrite score_4. now replace (Z.of_nat r - Z.of_nat p - Z.of_nat w)%Z
      with (Z.of_nat r - Z.of_nat w - Z.of_nat p)%Z by lia.
Qed.

Lemma attend_means_4 C w r (F : nat -> mat) : 0 < C -> (w < 3)%nat -> (r < 8)%nat ->
  mix 8 (attend 2 (sqrt C) w r) F 0%nat 0%nat
  = sum 8 (fun s => g4 C ((Z.of_nat r - Z.of_nat w - Z.of_nat s) mod 8) * F s 0%nat 0%nat).
Proof.
  intros HC Hw Hr. unfold mix. apply sum_ext. intros s Hs. now rewrite attend_4.
Qed.

(** The five weights: positive, falling with the distance, of sum 1, and nearly all at the source. *)
Lemma weights_4 C : 444 <= C ->
  g4 C 0 + 2 * g4 C 1 + 2 * g4 C 2 + 2 * g4 C 3 + g4 C 4 = 1 /\
  g4 C 5 = g4 C 3 /\ g4 C 6 = g4 C 2 /\ g4 C 7 = g4 C 1 /\
  0 < g4 C 4 <= g4 C 3 /\ g4 C 3 <= g4 C 2 /\ g4 C 2 <= g4 C 1 /\ 15 / 16 <= g4 C 0.
Proof.
  intro HC. set (w := g4 C). pose proof c4_bounds as Hc.
  assert (HZ : 0 < Z4 C).
  { unfold Z4. pose proof (exp_pos C). pose proof (exp_pos (C * c4)).
    pose proof (exp_pos (C * - c4)). pose proof (exp_pos (- C)). lra. }
  assert (Hmono : forall x y, x <= y -> exp x / Z4 C <= exp y / Z4 C).
  { intros x y Hxy. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
    now apply exp_le. }
  assert (Hsum : w 0%Z + 2 * w 1%Z + 2 * w 2%Z + 2 * w 3%Z + w 4%Z = 1).
  { unfold w, g4, table4. replace (C * 1) with C by ring. replace (C * 0) with 0 by ring.
    replace (C * -1) with (- C) by ring. rewrite exp_0. unfold Z4 in *. field. lra. }
  repeat split; try exact Hsum; try (apply Hmono; unfold table4; nra).
  - unfold w, g4. apply Rdiv_lt_0_compat; [apply exp_pos|exact HZ].
  - assert (H : 111 * w 1%Z <= w 0%Z).
    { unfold w, g4, table4. replace (C * 1) with C by ring. unfold Rdiv.
      rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
      replace (exp C) with (exp (C * (1 - c4)) * exp (C * c4))
        by (rewrite <- exp_plus; f_equal; ring).
      apply Rmult_le_compat_r; [left; apply exp_pos|].
      eapply Rle_trans; [|apply exp_lower; nra]. nra. }
    assert (w 2%Z <= w 1%Z) by (apply Hmono; unfold table4; nra).
    assert (w 3%Z <= w 2%Z) by (apply Hmono; unfold table4; nra).
    assert (w 4%Z <= w 3%Z) by (apply Hmono; unfold table4; nra). lra.
Qed.

Lemma M_2 : M 2 = 4.
Proof. unfold M. rewrite norm_1. unfold weight_of. rewrite Rabs_pos_eq by lra. ring. Qed.

(** What the rows carry after one layer, in terms of u and v. *)
Section Four.
Variable C : R.
Hypothesis HC : 444 <= C.
Let u := g4 C 1 + g4 C 2 + g4 C 3 + g4 C 4.
Let v := g4 C 2 + 2 * g4 C 3 + g4 C 4.

Definition mean1 (u v : R) (r : nat) : R :=
  match r with
  | 0%nat => 1 + u | 1%nat => 1 + v | 2%nat => 1 + v | 3%nat => 1 + u
  | 4%nat => 2 - u | 5%nat => 2 - v | 6%nat => 2 - v | _ => 2 - u
  end.

Lemma means_first r : (r < 8)%nat ->
  mix 8 (attend 2 (sqrt C) 0 r) (carried 2 2 C 0) 0%nat 0%nat = mean1 u v r /\
  mix 8 (attend 2 (sqrt C) 1 r) (carried 2 2 C 0) 0%nat 0%nat = mean1 u v ((r + 7) mod 8)%nat.
Proof.
  intro Hr. destruct (weights_4 C HC) as (S1 & E5 & E6 & E7 & _).
  rewrite !attend_means_4 by (auto; lra || lia). cbn [sum]. rewrite !carried_0.
  each_row r;
    cbn; rewrite ?E5, ?E6, ?E7; unfold u, v; split; lra.
Qed.

Definition after1 (u v : R) (r : nat) : R := mean1 u v ((r + 7) mod 8)%nat * mean1 u v r.

Lemma carried_first r : (r < 8)%nat -> carried 2 2 C 1 r 0%nat 0%nat = after1 u v r.
Proof.
  intro Hr. rewrite carried_S. change (N 2) with 8%nat. change (width 1) with 1%nat.
  destruct (means_first r Hr) as [E1 E2]. now rewrite E1, E2.
Qed.

Lemma uv : 0 < v /\ v <= u /\ u <= 1 / 16 /\ u <= 4 * g4 C 1 /\ 15 / 16 <= g4 C 0.
Proof.
  destruct (weights_4 C HC) as (S1 & E5 & E6 & E7 & H4 & H3 & H2 & H0).
  unfold u, v. lra.
Qed.

Lemma error_first : error 2 2 C 1 <= 2 * u + 2 * v - u * v.
Proof.
  destruct uv as (Hv & Huv & Hu & _). apply error_le; [nra|].
  change (N 2) with 8%nat. intros r Hr. rewrite carried_first by auto.
  rewrite exact_S, !exact_0.
  each_row r;
    cbn; unfold after1; cbn; apply Rabs_le; split; nra.
Qed.

(** After the second layer position 4 should carry 16; its two factors fall short of 4. *)
Lemma error_second :
  let m := g4 C 0 * (2 * u + 2 * v - u * v) + 7 / 4 * g4 C 1 in
  8 * m - m ^ 2 <= error 2 2 C 2.
Proof.
  destruct (weights_4 C HC) as (S1 & E5 & E6 & E7 & H4 & H3 & H2 & H0).
  destruct uv as (Hv & Huv & Hu & _). intro m.
  eapply Rle_trans; [|apply (error_ge 2 2 C 2 7%nat); change (N 2) with 8%nat; lia].
  rewrite carried_S, !exact_S, !exact_0. change (N 2) with 8%nat. change (width 2) with 2%nat.
  rewrite !attend_means_4 by (auto; lra || lia). cbn [sum].
  rewrite !carried_first by lia. cbn. unfold after1. cbn. rewrite ?E5, ?E6, ?E7.
  match goal with |- _ <= Rabs (?l * ?r - _) => set (FL := l); set (FR := r) end.
  set (e := 2 * u + 2 * v - u * v) in *.
  assert (He : 0 < e) by (unfold e; nra).
  assert (He1 : e <= 1 / 4) by (unfold e; clear - Hv Hu Huv; nra).
  assert (B0 : (2 - u) * (2 - v) = 4 - e) by (unfold e; ring).
  assert (B0' : (2 - v) * (2 - u) = 4 - e) by (unfold e; ring).
  assert (B1 : 0 <= (2 - u) * (1 + u) <= 9 / 4) by (clear - Hv Hu Huv; nra).
  assert (B1' : 0 <= (1 + u) * (2 - u) <= 9 / 4) by (clear - Hv Hu Huv; nra).
  assert (B2 : 0 <= (2 - v) * (2 - v) <= 4) by (clear - Hv Hu Huv; nra).
  assert (B3 : 0 <= (1 + u) * (1 + v) <= 4) by (clear - Hv Hu Huv; nra).
  assert (B3' : 0 <= (1 + v) * (1 + u) <= 4) by (clear - Hv Hu Huv; nra).
  assert (B4 : 0 <= (1 + v) * (1 + v) <= 4) by (clear - Hv Hu Huv; nra).
  unfold FL, FR, m. clear FL FR m. rewrite B0, B0'. clearbody e.
  set (y1 := (2 - u) * (1 + u)) in *. set (y2 := (1 + u) * (2 - u)) in *.
  set (y3 := (2 - v) * (2 - v)) in *. set (y4 := (1 + u) * (1 + v)) in *.
  set (y5 := (1 + v) * (1 + u)) in *. set (y6 := (1 + v) * (1 + v)) in *.
  clearbody y1 y2 y3 y4 y5 y6. clear B0 B0'.
  set (w0 := g4 C 0) in *. set (w1 := g4 C 1) in *. set (w2 := g4 C 2) in *.
  set (w3 := g4 C 3) in *. set (w4 := g4 C 4) in *.
  assert (P : forall w y b, 0 <= w -> 0 <= y <= b -> 0 <= w * y <= w * b)
    by (intros w y b Hw Hy; split; [now apply Rmult_le_pos|now apply Rmult_le_compat_l]).
  match goal with |- _ <= Rabs (?l * ?r - _) => set (FL := l); set (FR := r) end.
  assert (HL : 0 <= FL <= 4 - (w0 * e + 7 / 4 * w1)).
  { unfold FL. pose proof (P w3 y1 4). pose proof (P w4 y4 4). pose proof (P w3 y6 4).
    pose proof (P w2 y5 4). pose proof (P w1 y2 (9 / 4)). pose proof (P w0 (4 - e) (4 - e)).
    pose proof (P w1 y3 4). pose proof (P w2 (4 - e) 4). lra. }
  assert (HR : 0 <= FR <= 4 - (w0 * e + 7 / 4 * w1)).
  { unfold FR. pose proof (P w1 y1 (9 / 4)). pose proof (P w2 y4 4). pose proof (P w3 y6 4).
    pose proof (P w4 y5 4). pose proof (P w3 y2 4). pose proof (P w2 (4 - e) 4).
    pose proof (P w1 y3 4). pose proof (P w0 (4 - e) (4 - e)). lra. }
  assert (Hp : FL * FR <= (4 - (w0 * e + 7 / 4 * w1)) * (4 - (w0 * e + 7 / 4 * w1)))
    by (apply Rmult_le_compat; lra).
  rewrite Rabs_minus_sym. eapply Rle_trans; [|apply Rle_abs]. lra.
Qed.

Lemma second_layer : error 2 2 C 2 > error 2 2 C 1 * M 2 + error 2 2 C 1 ^ 2.
Proof.
  pose proof error_first as H1. pose proof error_second as H2. cbv zeta in H2.
  destruct uv as (Hv & Huv & Hu & Hu1 & H0).
  assert (Hp : 0 <= error 2 2 C 1) by apply maxover_pos. rewrite M_2.
  set (e := 2 * u + 2 * v - u * v) in *.
  assert (He : 0 < e <= 1 / 4) by (unfold e; split; nra). clearbody e.
  set (E1 := error 2 2 C 1) in *. set (E2 := error 2 2 C 2) in *.
  assert (Hle : E1 * 4 + E1 ^ 2 <= e * 4 + e ^ 2) by (simpl; nra).
  assert (Hw1 : 0 <= g4 C 1 <= 1 / 16).
  { pose proof (weights_4 C HC). lra. }
  set (m := g4 C 0 * e + 7 / 4 * g4 C 1) in *.
  assert (Hm : 15 / 16 * e <= m <= 1).
  { pose proof (weights_4 C HC). unfold m. assert (0 <= (g4 C 0 - 15 / 16) * e <= (1 - 15 / 16) * e)
      by (split; [apply Rmult_le_pos|apply Rmult_le_compat_r]; lra). lra. }
  clearbody m. assert (8 * (15 / 16 * e) - (15 / 16 * e) ^ 2 <= 8 * m - m ^ 2) by (clear - He Hm; simpl; nra).
  assert (e * e <= e * (1 / 4)) by (apply Rmult_le_compat_l; lra). simpl in *. lra.
Qed.

End Four.

(** Four letters of weight 2, C >= 444. Equation (1) at the second layer, from the true error of the
    first: it fails. *)
Theorem equation1_second C : 444 <= C ->
  error 2 2 C 2 > error 2 2 C 1 * M 2 + error 2 2 C 1 ^ 2.
Proof. exact (second_layer C). Qed.

(** ** The attention error counted in as well *)

(** A weighted mean that keeps most of its weight moves by the second differences. *)
Lemma mean_moves g0 g1 g2 g3 g4 a b c d e B :
  g0 + 2 * g1 + 2 * g2 + 2 * g3 + g4 = 1 -> 0 <= g1 -> 0 <= g2 -> 0 <= g3 -> 0 <= g4 ->
  Rabs (b - 2 * a) <= B -> Rabs (c - 2 * a) <= 8 -> Rabs (d - 2 * a) <= 8 -> Rabs (e - a) <= 8 ->
  Rabs (g0 * a + g1 * b + g2 * c + g3 * d + g4 * e - a) <= g1 * B + 8 * (g2 + g3 + g4).
Proof.
  intros H H1 H2 H3 H4 Hb Hc Hd He.
  replace (g0 * a + g1 * b + g2 * c + g3 * d + g4 * e - a)
    with (g1 * (b - 2 * a) + (g2 * (c - 2 * a) + (g3 * (d - 2 * a) + g4 * (e - a)))).
  2: { replace g0 with (1 - 2 * g1 - 2 * g2 - 2 * g3 - g4) by lra. ring. }
  assert (P : forall g x k, 0 <= g -> Rabs x <= k -> Rabs (g * x) <= g * k).
  { intros g x k Hg Hx. rewrite Rabs_mult, (Rabs_pos_eq g Hg). now apply Rmult_le_compat_l. }
  pose proof (P _ _ _ H1 Hb). pose proof (P _ _ _ H2 Hc). pose proof (P _ _ _ H3 Hd).
  pose proof (P _ _ _ H4 He).
  eapply Rle_trans; [apply Rabs_triang|]. eapply Rle_trans; [apply Rplus_le_compat_l, Rabs_triang|].
  eapply Rle_trans; [apply Rplus_le_compat_l, Rplus_le_compat_l, Rabs_triang|]. lra.
Qed.

Section Redefined.
Variable C : R.
Hypothesis HC : 4000 <= C.
Let u := g4 C 1 + g4 C 2 + g4 C 3 + g4 C 4.
Let v := g4 C 2 + 2 * g4 C 3 + g4 C 4.

Lemma small_weights : g4 C 2 <= g4 C 1 / 1000 /\ g4 C 1 <= 1 / 1000.
Proof.
  destruct (weights_4 C ltac:(lra)) as (S1 & _ & _ & _ & H4 & H3 & H2 & H0).
  pose proof c4_bounds as Hc.
  assert (HZ : 0 < Z4 C).
  { unfold Z4. pose proof (exp_pos C). pose proof (exp_pos (C * c4)).
    pose proof (exp_pos (C * - c4)). pose proof (exp_pos (- C)). lra. }
  assert (P : forall x y k, 0 <= y - x -> k <= 1 + (y - x) -> k * (exp x / Z4 C) <= exp y / Z4 C).
  { intros x y k Hxy Hk. unfold Rdiv. rewrite <- Rmult_assoc.
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
    replace (exp y) with (exp (y - x) * exp x) by (rewrite <- exp_plus; f_equal; ring).
    apply Rmult_le_compat_r; [left; apply exp_pos|].
    eapply Rle_trans; [exact Hk|now apply exp_lower]. }
  assert (A2 : 1000 * g4 C 2 <= g4 C 1) by (apply P; unfold table4; nra).
  assert (A1 : 1000 * g4 C 1 <= g4 C 0) by (apply P; unfold table4; nra).
  split; lra.
Qed.

Lemma attention_second : attention 2 2 C 2 <= 21 / 10 * u.
Proof.
  destruct (weights_4 C ltac:(lra)) as (S1 & E5 & E6 & E7 & H4 & H3 & H2 & H0).
  destruct small_weights as [Q2 Q1].
  assert (Hv : 0 < v <= 1 / 1000) by (unfold v; lra).
  assert (Hu : 0 < u <= 1 / 900) by (unfold u; lra).
  assert (Hmean : forall a b c d e, Rabs (b - 2 * a) <= 51 / 25 -> Rabs (c - 2 * a) <= 8 ->
    Rabs (d - 2 * a) <= 8 -> Rabs (e - a) <= 8 ->
    Rabs (g4 C 0 * a + g4 C 1 * b + g4 C 2 * c + g4 C 3 * d + g4 C 4 * e - a) <= 21 / 10 * u).
  { intros. eapply Rle_trans; [apply mean_moves; eassumption || lra|]. unfold u. lra. }
  assert (Hfirst : forall r, (r < 8)%nat -> carried 2 2 C 1 r 0%nat 0%nat = after1 u v r)
    by (intros; apply carried_first; auto; lra).
  assert (Hrow : forall r, (r < 8)%nat ->
    Rabs (sum 8 (fun s => g4 C ((Z.of_nat r - Z.of_nat s) mod 8) * after1 u v s) - after1 u v r)
    <= 21 / 10 * u).
  { clearbody u v. intros r Hr. set (P := after1 u v).
    assert (E : sum 8 (fun s => g4 C ((Z.of_nat r - Z.of_nat s) mod 8) * P s) - P r
      = g4 C 0 * P r + g4 C 1 * (P ((r + 7) mod 8)%nat + P ((r + 1) mod 8)%nat)
        + g4 C 2 * (P ((r + 6) mod 8)%nat + P ((r + 2) mod 8)%nat)
        + g4 C 3 * (P ((r + 5) mod 8)%nat + P ((r + 3) mod 8)%nat)
        + g4 C 4 * P ((r + 4) mod 8)%nat - P r).
    { each_row r; cbn; rewrite ?E5, ?E6, ?E7; ring. }
    rewrite E. clear E.
    assert (B : forall r, (r < 8)%nat ->
      Rabs (P ((r + 7) mod 8)%nat + P ((r + 1) mod 8)%nat - 2 * P r) <= 51 / 25 /\
      Rabs (P ((r + 6) mod 8)%nat + P ((r + 2) mod 8)%nat - 2 * P r) <= 8 /\
      Rabs (P ((r + 5) mod 8)%nat + P ((r + 3) mod 8)%nat - 2 * P r) <= 8 /\
      Rabs (P ((r + 4) mod 8)%nat - P r) <= 8).
    { clear - Hu Hv. intros r Hr. unfold P, after1.
      each_row r; cbn;
        repeat split; apply Rabs_le; split; nra. }
    destruct (B r Hr) as (B1 & B2 & B3 & B4). now apply Hmean. }
  apply attention_le; [lra|]. change (N 2) with 8%nat. intros r Hr. cbn [Nat.sub].
  change (width 2) with 2%nat.
  rewrite !attend_means_4 by (auto; lra || lia).
  assert (Hs : (source 2 2 r < 8)%nat) by (apply (source_lt 2 2 r); change (N 2) with 8%nat; lia).
  rewrite !Hfirst by auto.
  rewrite (sum_ext 8 _ (fun s => g4 C ((Z.of_nat (source 2 2 r) - Z.of_nat s) mod 8) * after1 u v s)).
  - rewrite (sum_ext 8 (fun s => g4 C ((Z.of_nat r - Z.of_nat 0 - Z.of_nat s) mod 8) * _)
      (fun s => g4 C ((Z.of_nat r - Z.of_nat s) mod 8) * after1 u v s)).
    + split; now apply Hrow.
    + intros s Hs'. rewrite Hfirst by auto. do 3 f_equal. lia.
  - intros s Hs'. rewrite Hfirst by auto. f_equal. f_equal. unfold source. change (N 2) with 8%nat.
    destruct (Nat.leb_spec 2 r); [f_equal; lia|].
    replace (Z.of_nat (r + 8 - 2) - Z.of_nat s)%Z
      with (Z.of_nat r - Z.of_nat 2 - Z.of_nat s + 1 * 8)%Z by lia.
    symmetry. apply Z_mod_plus_full.
Qed.

Lemma redefined :
  let delta := 2 * error 2 2 C 1 + attention 2 2 C 2 in
  error 2 2 C 2 > delta * M 2 + delta ^ 2.
Proof.
  assert (HC' : 444 <= C) by lra.
  pose proof (error_first C HC') as H1. pose proof (error_second C HC') as H2. cbv zeta in *.
  pose proof attention_second as Ha. destruct small_weights as [Q2 Q1].
  destruct (weights_4 C HC') as (S1 & _ & _ & _ & H4 & H3 & _ & H0).
  fold u v in H1, H2. assert (Hv : 0 < v <= 4 / 1000 * u) by (unfold u, v; lra).
  assert (Hu : 0 < u <= 1 / 900) by (unfold u; lra).
  assert (Hw : 997 / 1000 * u <= g4 C 1 <= u) by (unfold u; lra).
  assert (P1 : 0 <= error 2 2 C 1) by apply maxover_pos.
  assert (P2 : 0 <= attention 2 2 C 2) by apply maxover_pos. rewrite M_2.
  set (w0 := g4 C 0) in *. set (w1 := g4 C 1) in *.
  set (x := 2 * error 2 2 C 1 + attention 2 2 C 2) in *.
  assert (Huv : 0 <= u * v <= 1 * v) by (split; [apply Rmult_le_pos|apply Rmult_le_compat_r]; lra).
  assert (Hx : 0 <= x <= 62 / 10 * u).
  { unfold x. split; lra. }
  set (m := w0 * (2 * u + 2 * v - u * v) + 7 / 4 * w1) in *.
  assert (Hm : 36 / 10 * u <= m <= 1).
  { unfold m. assert (15 / 16 * (2 * u) <= w0 * (2 * u + 2 * v - u * v))
      by (apply Rmult_le_compat; lra).
    assert (w0 * (2 * u + 2 * v - u * v) <= 1 * (1 / 4)) by (apply Rmult_le_compat; lra). lra. }
  clearbody x m. assert (L1 : 8 * (36 / 10 * u) - (36 / 10 * u) ^ 2 <= 8 * m - m ^ 2)
    by (simpl; nra).
  assert (L2 : x * 4 + x ^ 2 <= 62 / 10 * u * 4 + (62 / 10 * u) ^ 2) by (simpl; nra).
  assert (L3 : u ^ 2 <= u * (1 / 900))
    by (replace (u ^ 2) with (u * u) by ring; apply Rmult_le_compat_l; lra).
  replace ((36 / 10 * u) ^ 2) with (1296 / 100 * u ^ 2) in L1 by field.
  replace ((62 / 10 * u) ^ 2) with (3844 / 100 * u ^ 2) in L2 by field. lra.
Qed.
End Redefined.

(** With the redefined error of the second layer, at most 2 eps_1 + a_2, in the place of eps_1: the
    printed inequality fails still. *)
Theorem equation1_redefined C : 4000 <= C ->
  let delta := 2 * error 2 2 C 1 + attention 2 2 C 2 in
  error 2 2 C 2 > delta * M 2 + delta ^ 2.
Proof. exact (redefined C). Qed.
