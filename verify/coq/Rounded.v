(** * Theorem 2 in a finite number format: the rounded pass and its layers

    Appendix B.2, with numbers of p binary places after the point and p before it: multiples of 2^-p that
    are at most 2^p in size ([format]). A rounding is any function into the format that moves numbers of
    size at most 2^p by at most 2^-p and numbers of the format not at all ([rounds]). Rounded are all weights,
    the embedding, the positional encodings, the token vectors after each attention and after each MLP, and
    the output ([round_network], [rounded_forward]); scores, softmax and the sums within one layer are exact.

    Scores are off by at most 28 C 2^-p ([left_near], [right_near]), for any C. As the gap between scores is
    C (1 - cos(pi/T')), T' the power of two, at least 2 C / T'^2, 2 log2 T' + 6 places keep half of it
    ([half_a_gap]). What a layer carries is [made] of what it was given ([layer_holds]).

    Main definitions: [format], [rounds], [rounded_forward], [round_network], [holds], [made].
    Main theorems:    [some_rounding], [half_a_gap], [left_near], [right_near], [layer_holds]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Compat Sums Gap Model Attention Theorem1 Softmax Recursion Activation MLP MLPModel.
From Assay Require TreeModel Pass Simulation.
Import Simulation(dense, Dense, height, breadth, number_at, times).
Import ListNotations.
Open Scope R_scope.

(** ** The format *)

Definition format (p : nat) (x : R) : Prop := Rabs x <= 2 ^ p /\ exists z : Z, x = IZR z / 2 ^ p.

Definition rounds (p : nat) (round : R -> R) : Prop :=
  (forall x, format p (round x)) /\ (forall x, Rabs x <= 2 ^ p -> Rabs (round x - x) <= / 2 ^ p) /\
  (forall x, format p x -> round x = x).

Lemma two_p p : 1 <= 2 ^ p /\ 0 < / 2 ^ p <= 1.
Proof.
  assert (1 <= 2 ^ p) by (apply pow_R1_Rle; lra). split; [assumption|]. split; [apply Rinv_0_lt_compat; lra|].
  rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
Qed.

Lemma format_IZR p z : Rabs (IZR z) <= 2 ^ p -> format p (IZR z).
Proof.
  intro H. split; [exact H|]. exists (z * 2 ^ Z.of_nat p)%Z. rewrite mult_IZR, <- pow_IZR. field.
  apply pow_nonzero. lra.
Qed.

Lemma format_opp p x : format p x -> format p (- x).
Proof.
  intros (H & z & ->). split; [now rewrite Rabs_Ropp|]. exists (- z)%Z. rewrite opp_IZR. unfold Rdiv. ring.
Qed.

Lemma format_more p q x : (p <= q)%nat -> format p x -> format q x.
Proof.
  intros Hp (H & z & E). split; [eapply Rle_trans; [exact H|apply Rle_pow; [lra|exact Hp]]|].
  exists (z * 2 ^ Z.of_nat (q - p))%Z. rewrite mult_IZR, <- pow_IZR, E.
  replace q with (p + (q - p))%nat at 2 by lia. rewrite pow_add. field. split; apply pow_nonzero; lra.
Qed.

(** Down to the next multiple is a rounding. *)
Theorem some_rounding p : exists round, rounds p round.
Proof.
  exists (fun x => if Rle_dec (Rabs x) (2 ^ p) then IZR (Int_part (x * 2 ^ p)) / 2 ^ p else 0).
  destruct (two_p p) as [H1 Hu]. assert (H2 : 2 ^ p * / 2 ^ p = 1) by (field; lra). split; [|split].
  - intro x. destruct (Rle_dec _ _) as [H|_]; [|apply (format_IZR p 0); rewrite Rabs_R0; lra].
    split; [|now eexists]. apply abs_between in H. pose proof (base_Int_part (x * 2 ^ p)) as [B1 B2].
    assert (B3 : - (2 ^ p * 2 ^ p) <= IZR (Int_part (x * 2 ^ p))).
    { assert (E : - (2 ^ p * 2 ^ p) = IZR (- (2 ^ Z.of_nat p * 2 ^ Z.of_nat p)))
        by (rewrite opp_IZR, mult_IZR, <- !pow_IZR; reflexivity).
      rewrite E. apply IZR_le, Zlt_succ_le, lt_IZR. unfold Z.succ. rewrite plus_IZR, <- E. nra. }
    set (z := IZR (Int_part _)) in *. assert (z <= 2 ^ p * 2 ^ p) by nra.
    apply Rabs_le. split; apply (Rmult_le_reg_r (2 ^ p)); try lra;
      replace (z / 2 ^ p * 2 ^ p) with z by (field; lra); lra.
  - intros x H. destruct (Rle_dec _ _) as [_|]; [|contradiction]. pose proof (base_Int_part (x * 2 ^ p)) as [B1 B2].
    set (z := IZR (Int_part (x * 2 ^ p))) in *. apply Rabs_le.
    replace (z / 2 ^ p - x) with ((z - x * 2 ^ p) * / 2 ^ p) by (field; lra). nra.
  - intros x (H & z & ->). destruct (Rle_dec _ _) as [_|]; [|contradiction].
    replace (IZR z / 2 ^ p * 2 ^ p) with (IZR z) by (field; lra). do 2 f_equal.
    pose proof (base_Int_part (IZR z)) as [B1 B2]. assert (Int_part (IZR z) <= z)%Z by now apply le_IZR.
    assert (z - 1 < Int_part (IZR z))%Z by (apply lt_IZR; rewrite minus_IZR; lra). lia.
Qed.

(** ** The pass *)

Section RoundedPass.
Variable round : R -> R.

Definition rounded (X : mat) : mat := fun r c => round (X r c).

Definition rounded_layer (N : nat) (ly : Pass.layer) (X : mat) : mat :=
  let Y := rounded (Pass.after_attention N ly X) in
  rounded (Pass.added ly Y (fun r => Pass.feedforward ly (Y r))).

Definition rounded_forward (N : nat) (m : Pass.model) (E : mat) : mat :=
  rounded (fun r c => times
    (fold_left (fun X ly r c => if Pass.renewed m c then round (E r c) else rounded_layer N ly X r c)
       (Pass.layers m) (rounded E)) (Pass.readout m) r c + Pass.offset m c).

(** All weights of a network. *)
Definition round_dense (W : dense) : dense := Dense (height W) (breadth W) (rounded (number_at W)).
Definition round_head (h : Simulation.real_head) : Simulation.real_head :=
  Simulation.RealHead (round_dense (Simulation.query h)) (round_dense (Simulation.key h))
    (round_dense (Simulation.value_of h)).
Definition round_block (B : Simulation.real_block) : Simulation.real_block :=
  match B with
  | Simulation.Products l r t out =>
      Simulation.Products (round_dense l) (round_dense r) (fun a b c => round (t a b c)) (round_dense out)
  | Simulation.Units W1 b1 W2 b2 =>
      Simulation.Units (round_dense W1) (fun u => round (b1 u)) (round_dense W2) (fun c => round (b2 c))
  end.
Definition round_layer (ly : Simulation.real_layer) : Simulation.real_layer :=
  Simulation.RealLayer (map round_head (Simulation.real_heads ly)) (round_dense (Simulation.joining ly))
    (round_block (Simulation.block_of ly)).
Definition round_network (net : Simulation.network) : Simulation.network :=
  Simulation.Network (map round_layer (Simulation.real_layers net)) (round_dense (Simulation.again net))
    (round_dense (Simulation.reading net)).
End RoundedPass.

(** ** Scores that are off *)

Lemma near_bound x y d b : Rabs (x - y) <= d -> Rabs y <= b -> Rabs x <= b + d.
Proof. intros H Hb. replace x with (y + (x - y)) by ring. eapply Rle_trans; [apply Rabs_triang|]. lra. Qed.

Lemma dot_off x y x' y' a b a' b' d e X A : Rabs (x - x') <= d -> Rabs (y - y') <= d -> Rabs (a - a') <= e ->
  Rabs (b - b') <= e -> Rabs x' <= X -> Rabs y' <= X -> Rabs a <= A -> Rabs b <= A ->
  Rabs (x * a + y * b - (x' * a' + y' * b')) <= 2 * (d * A + X * e).
Proof.
  intros Hx Hy Ha Hb Hx' Hy' HA HB.
  replace (x * a + y * b - (x' * a' + y' * b'))
    with ((x - x') * a + x' * (a - a') + ((y - y') * b + y' * (b - b'))) by ring.
  pose proof (abs_product _ _ _ _ Hx HA). pose proof (abs_product _ _ _ _ Hx' Ha).
  pose proof (abs_product _ _ _ _ Hy HB). pose proof (abs_product _ _ _ _ Hy' Hb).
  repeat (eapply Rle_trans; [apply Rabs_triang|]; try apply Rplus_le_compat).
  eapply Rle_trans; [apply Rplus_le_compat; apply Rabs_triang|]. lra.
Qed.

(** Two positions and a rotation, each number off by u. *)
Lemma score_off kappa u (c s c' s' a b a' b' k00 k01 k10 k11 e00 e01 e10 e11 : R) : 1 <= kappa -> 0 <= u <= 1 ->
  Rabs (c - a) <= u -> Rabs (s - b) <= u -> Rabs (c' - a') <= u -> Rabs (s' - b') <= u ->
  Rabs a <= 1 -> Rabs b <= 1 -> Rabs a' <= 1 -> Rabs b' <= 1 ->
  Rabs (k00 - kappa * e00) <= u -> Rabs (k01 - kappa * e01) <= u ->
  Rabs (k10 - kappa * e10) <= u -> Rabs (k11 - kappa * e11) <= u ->
  Rabs e00 <= 1 -> Rabs e01 <= 1 -> Rabs e10 <= 1 -> Rabs e11 <= 1 ->
  Rabs (kappa * (c * (c' * k00 + s' * k01) + s * (c' * k10 + s' * k11))
        - kappa * (a * (a' * (kappa * e00) + b' * (kappa * e01)) + b * (a' * (kappa * e10) + b' * (kappa * e11))))
  <= 28 * (kappa * kappa) * u.
Proof.
  intros Hk Hu Hc Hs Hc' Hs' Ha Hb Ha' Hb' K00 K01 K10 K11 E00 E01 E10 E11.
  assert (Big : forall e, Rabs e <= 1 -> Rabs (kappa * e) <= kappa).
  { intros e He. rewrite <- (Rmult_1_r kappa) at 2. apply abs_product; [rewrite Rabs_pos_eq; lra|exact He]. }
  assert (Inner : forall k e k' e', Rabs (k - kappa * e) <= u -> Rabs e <= 1 -> Rabs (k' - kappa * e') <= u ->
    Rabs e' <= 1 -> Rabs (c' * k + s' * k' - (a' * (kappa * e) + b' * (kappa * e'))) <= 6 * kappa * u /\
    Rabs (c' * k + s' * k') <= 8 * kappa).
  { intros k e k' e' H1 H2 H3 H4.
    assert (D : Rabs (c' * k + s' * k' - (a' * (kappa * e) + b' * (kappa * e'))) <= 6 * kappa * u).
    { eapply Rle_trans; [apply (dot_off c' s' a' b' k k' _ _ u u 1 (kappa + u)); auto; now apply (near_bound _ _ _ _ H1), Big
        || now apply (near_bound _ _ _ _ H3), Big|]. nra. }
    split; [exact D|]. replace (8 * kappa) with (2 * kappa + 6 * kappa) by ring.
    eapply Rle_trans; [apply (near_bound _ _ _ (2 * kappa) D)|nra].
    eapply Rle_trans; [apply Rabs_triang|].
    pose proof (abs_product _ _ _ _ Ha' (Big e H2)). pose proof (abs_product _ _ _ _ Hb' (Big e' H4)). lra. }
  destruct (Inner k00 e00 k01 e01 K00 E00 K01 E01) as [I0 B0].
  destruct (Inner k10 e10 k11 e11 K10 E10 K11 E11) as [I1 B1].
  rewrite <- Rmult_minus_distr_l, Rabs_mult, (Rabs_pos_eq kappa) by lra.
  pose proof (dot_off _ _ _ _ _ _ _ _ _ _ _ _ Hc Hs I0 I1 Ha Hb B0 B1).
  replace (28 * (kappa * kappa) * u) with (kappa * (28 * kappa * u)) by ring.
  apply Rmult_le_compat_l; nra.
Qed.

Lemma half_a_gap L p : (2 * L + 6 <= p)%nat -> 56 * / 2 ^ p <= gap L / 2.
Proof.
  intro Hp. pose proof (T_pos L) as HT. rewrite gap_score.
  pose proof (gap_bound (Z.of_nat (T L)) ltac:(lia)) as H. set (x := IZR (Z.of_nat (T L))) in *.
  assert (Hx : x = 2 ^ L) by (unfold x, T; rewrite <- INR_IZR_INZ, pow_INR; reflexivity).
  assert (E : 2 ^ (2 * L + 6) = 64 * (x * x)).
  { rewrite Hx, pow_add, pow_mult. replace (2 ^ 2) with (2 * 2) by ring. rewrite Rpow_mult_distr. simpl. ring. }
  assert (0 < x * x) by (rewrite Hx; apply Rmult_lt_0_compat; apply pow_lt; lra).
  assert (G : / 2 ^ p <= / (64 * (x * x))) by (rewrite <- E; apply Rinv_le_contravar; [lra|now apply Rle_pow; [lra|]]).
  rewrite Rinv_mult in G. assert (0 < / (x * x)) by now apply Rinv_0_lt_compat. unfold Rdiv in *. lra.
Qed.

(** ** One layer *)

Section Model.
Context (n L extra : nat) (alpha : nat -> R) (kappa : R) (sigma : R -> R) (b h s : R) (p : nat) (round : R -> R).
Hypothesis rounding : rounds p round.
Hypothesis kappa_1 : 1 <= kappa.
Hypothesis kappa_format : format p kappa.
Hypothesis b_format : format p b.
Hypothesis h_format : format p h.
Hypothesis s_format : format p s.
Local Notation u := (/ 2 ^ p).
Local Notation N := (N L).
Local Notation n2 := (n2 n).
Local Notation d := (d n).
Local Notation T := (T L).
Local Notation number := (Simulation.number_of alpha (kappa * kappa)).
Local Notation exact_dense := (Simulation.dense_of alpha (kappa * kappa)).
Local Notation place r c := (Simulation.number_of (fun _ => 0) 0 (position_entry n L r c)).
Local Notation no_letters := (fun _ _ _ : nat => 0).

Definition rounded_net : Simulation.network :=
  round_network round (Simulation.mlp_network_of alpha (kappa * kappa) b h s (soft_model n L extra)).
Definition rounded_model : Pass.model := Pass.model_of TreeModel.Soft sigma (Pass.angles n) rounded_net.

Lemma off_1 x e : Rabs e <= 1 -> x = e -> Rabs (round x - e) <= u.
Proof. intros H ->. apply rounding. destruct (two_p p). lra. Qed.

Lemma off_kappa e : Rabs e <= 1 -> Rabs (round (kappa * e) - kappa * e) <= u.
Proof.
  intro H. apply rounding. rewrite <- (Rmult_1_r (2 ^ p)). apply abs_product; [apply kappa_format|exact H].
Qed.

Lemma round_0 : round 0 = 0.
Proof. apply rounding, (format_IZR p 0). rewrite Rabs_R0. apply (Rle_trans _ 1); [lra|apply two_p]. Qed.

Lemma round_bit q : round (number (bit q)) = number (bit q).
Proof.
  apply rounding. destruct q; [apply (format_IZR p 1)|apply (format_IZR p 0)];
    rewrite ?Rabs_R0, ?Rabs_R1; destruct (two_p p); lra.
Qed.

Lemma round_bits W : (forall i j, exists q, entry W i j = bit q) -> round_dense round (exact_dense W) = exact_dense W.
Proof.
  intro H. unfold round_dense, Simulation.dense_of, rounded. cbn [number_at height breadth]. f_equal.
  apply functional_extensionality. intro i. apply functional_extensionality. intro j.
  destruct (H i j) as (q & ->). apply round_bit.
Qed.

(** Queries and keys. *)
Lemma read_last X B r q :
  times X (round_dense round (exact_dense (below n RootC B))) r q
  = X r (2 * n2)%nat * round (kappa * number (B q 0%nat)) + X r (2 * n2 + 1)%nat * round (kappa * number (B q 1%nat)).
Proof.
  unfold times, mmul. cbn [height round_dense Simulation.dense_of rows below]. unfold Model.d. rewrite sum_add, sum_zero.
  - cbn [sum number_at round_dense]. unfold rounded. cbn [number_at Simulation.dense_of below entry].
    rewrite Nat.add_0_r. bool_cases; try lia. unfold Simulation.number_of. cbn [value].
    replace (2 * n2 - 2 * n2)%nat with 0%nat by lia. replace (2 * n2 + 1 - 2 * n2)%nat with 1%nat by lia.
    rewrite sqrt_square by lra. ring.
  - intros k Hk. cbn [number_at round_dense]. unfold rounded. cbn [number_at Simulation.dense_of below entry].
    bool_cases; [|lia]. cbn. rewrite round_0. ring.
Qed.

(** Two heads that keep one half each, joined by W_O. *)
Lemma two_means filter (Q K Q' K' : dense) B X r c : (c < d)%nat ->
  let S Q K := fun r s => sum (breadth Q) (fun q => times X Q r q * times X K s q) in
  Simulation.joined_heads filter N (Simulation.RealLayer
    [Simulation.RealHead Q K (round_dense round (exact_dense (keep n 0)));
     Simulation.RealHead Q' K' (round_dense round (exact_dense (keep n n2)))]
    (round_dense round (exact_dense (W_O n))) B) X r c
  = if (c <? n2)%nat then mmul N (filter (S Q K)) X r c
    else if (c <? 2 * n2)%nat then mmul N (filter (S Q' K')) X r c else 0.
Proof.
  intros Hc S. rewrite !round_bits by (intros; eexists; reflexivity). unfold Simulation.joined_heads.
  cbn [map Simulation.real_heads Simulation.joining]. unfold times at 1. cbn [height Simulation.dense_of rows W_O].
  unfold mmul at 1. cbn [number_at Simulation.dense_of entry W_O].
  assert (Bit : forall q, number (bit q) = b2r q) by (intros []; reflexivity).
  replace (2 * d)%nat with (d + d)%nat by lia. rewrite sum_add.
  rewrite (sum_single d _ c) by (auto; intros k Hk Hne; rewrite Bit; solve01).
  rewrite (sum_single d (fun k => _ * number (bit ((d + k =? c) || _)%nat)) c)
    by (auto; intros k Hk Hne; rewrite Bit; solve01).
  rewrite !Bit, !Nat.eqb_refl, orb_true_r. cbn [orb b2r concat].
  assert (Keep : forall Z from, times Z (exact_dense (keep n from)) r c
    = if ((from <=? c) && (c <? from + n2))%nat then Z r c else 0).
  { intros Z from. rewrite <- (Simulation.apply_fixed alpha (kappa * kappa) no_letters); [now apply apply_kept|].
    intros i j. cbn [entry keep]. now destruct (_ && _). }
  change (breadth (Simulation.value_of (Simulation.RealHead Q K (exact_dense (keep n 0))))) with d.
  change (breadth (Simulation.value_of (Simulation.RealHead Q' K' (exact_dense (keep n n2))))) with d.
  destruct (Nat.ltb_spec c d); [|lia]. destruct (Nat.ltb_spec (d + c) d); [lia|].
  replace (d + c - d)%nat with c by lia. destruct (Nat.ltb_spec c d); [|lia].
  unfold Simulation.attended. cbn [Simulation.value_of Simulation.query Simulation.key].
  rewrite !Keep. fold (S Q K) (S Q' K'). clear. bool_cases; cbn [andb]; try lia; ring.
Qed.

(** Row r holds M r twice, and its position, rounded. *)
Definition holds (X : mat) (M : nat -> mat) : Prop := forall r c, (r < N)%nat -> (c < d)%nat ->
  X r c = if (c <? n2)%nat then vec n (M r) c
          else if (c <? 2 * n2)%nat then vec n (M r) (c - n2) else round (place r c).

Definition head_scores (K : matrix) (X : mat) : mat := fun r s => sum 2 (fun q =>
  times X (round_dense round (exact_dense (W_Q n RootC))) r q
  * times X (round_dense round (exact_dense K)) s q).

Lemma position_off X M r : holds X M -> (r < N)%nat ->
  let a := PI * IZR (pos L r) / IZR (Z.of_nat T) in
  Rabs (X r (2 * n2)%nat - cos a) <= u /\ Rabs (X r (2 * n2 + 1)%nat - sin a) <= u /\
  Rabs (cos a) <= 1 /\ Rabs (sin a) <= 1.
Proof.
  intros H Hr a. pose proof (COS_bound a). pose proof (SIN_bound a).
  assert (C : Rabs (cos a) <= 1 /\ Rabs (sin a) <= 1) by (split; apply Rabs_le; lra).
  destruct C as [C S]. rewrite !H by (auto; unfold Model.d; lia). unfold position_entry.
  bool_cases; try lia. repeat split; auto; now apply off_1.
Qed.

(** Against the scores of the exact model, whatever rows hold. *)
Lemma scores_near X M B WV r t : holds X M -> (r < N)%nat -> (t < N)%nat ->
  (forall i j, Rabs (number (B i j)) <= 1) ->
  Rabs (head_scores (below n RootC B) X r t - scores alpha no_letters (kappa * kappa)
          (Head (W_Q n RootC) (below n RootC B) WV) (fun r => row n L alpha no_letters (kappa * kappa) I r) r t)
  <= 28 * (kappa * kappa) * u.
Proof.
  intros HX Hr Ht HB. destruct (position_off X M r HX Hr) as (C1 & S1 & A1 & B1).
  destruct (position_off X M t HX Ht) as (C2 & S2 & A2 & B2). cbv zeta in *.
  unfold head_scores, scores, W_Q. cbn [sum cols below WQ WK]. rewrite !read_last, !Rplus_0_l.
  assert (Root : forall w, value alpha no_letters (kappa * kappa) (RootC w) = kappa * number w)
    by (intro; cbn [value]; now rewrite sqrt_square by lra).
  rewrite !(apply_below n L alpha no_letters (kappa * kappa) RootC kappa Root _ (fun _ => I)) by
    (auto; intros ? ? ? ?; reflexivity).
  change (value alpha no_letters (kappa * kappa)) with number. unfold identity. cbn [Nat.eqb].
  assert (E1 : round (kappa * number (bit true)) = kappa).
  { cbn. rewrite Rmult_1_r. now apply rounding. }
  assert (E0 : round (kappa * number (bit false)) = 0).
  { cbn. rewrite Rmult_0_r. apply round_0. }
  rewrite E1, E0. change (number (bit true)) with 1. change (number (bit false)) with 0.
  pose proof (off_kappa _ (HB 0%nat 0%nat)) as K00. pose proof (off_kappa _ (HB 0%nat 1%nat)) as K01.
  pose proof (off_kappa _ (HB 1%nat 0%nat)) as K10. pose proof (off_kappa _ (HB 1%nat 1%nat)) as K11.
  destruct (two_p p) as [_ [Hu0 Hu1]].
  pose proof (score_off kappa u _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ kappa_1 (conj (Rlt_le _ _ Hu0) Hu1) C1 S1 C2 S2
    A1 B1 A2 B2 K00 K01 K10 K11 (HB _ _) (HB _ _) (HB _ _) (HB _ _)) as H.
  eapply Rle_trans; [apply Req_le|exact H]. f_equal. ring.
Qed.

Lemma left_near X M l r t : holds X M -> (r < N)%nat -> (t < N)%nat ->
  Rabs (head_scores (W_K_left n L RootC l) X r t - shifted L kappa (width l) r t) <= 28 * (kappa * kappa) * u.
Proof.
  intros HX Hr Ht.
  rewrite <- (score_left n L alpha no_letters (kappa * kappa) RootC kappa) with (X := fun r => row n L alpha no_letters (kappa * kappa) I r)
    (M := fun _ => I) (WV := W_O n); auto; [|intro; cbn [value]; now rewrite sqrt_square by lra|intros ? ? ? ?; reflexivity].
  apply (scores_near X M); auto. intros i j.
  assert (forall x, Rabs (cos x) <= 1) by (intro x; pose proof (COS_bound x); apply Rabs_le; lra).
  assert (forall x, Rabs (sin x) <= 1) by (intro x; pose proof (SIN_bound x); apply Rabs_le; lra).
  destruct i as [|[|i]], j as [|[|j]]; cbn; rewrite ?Rabs_Ropp, ?Rabs_R0; auto; lra.
Qed.

Lemma right_near X M r t : holds X M -> (r < N)%nat -> (t < N)%nat ->
  Rabs (head_scores (W_K_right n RootC) X r t - shifted L kappa 0 r t) <= 28 * (kappa * kappa) * u.
Proof.
  intros HX Hr Ht.
  rewrite <- (score_right n L alpha no_letters (kappa * kappa) RootC kappa) with (X := fun r => row n L alpha no_letters (kappa * kappa) I r)
    (M := fun _ => I) (WV := W_O n); auto; [|intro; cbn [value]; now rewrite sqrt_square by lra|intros ? ? ? ?; reflexivity].
  apply (scores_near X M); auto. intros i j. unfold identity.
  destruct (i =? j)%nat; cbn; rewrite ?Rabs_R0, ?Rabs_R1; lra.
Qed.

(** The weights of the MLP, 0, h, - h, s, - s and b, are numbers of the format. *)
Lemma round_multiplier : round_block round (Simulation.mlp_of b h s (multiplier n extra))
  = Simulation.mlp_of b h s (multiplier n extra).
Proof.
  assert (Sg : forall q, (left_sign q = 1 \/ left_sign q = -1)%Z /\ (right_sign q = 1 \/ right_sign q = -1)%Z
                         /\ (out_sign q = 1 \/ out_sign q = -1)%Z) by (intros [|[|[|[|q]]]]; cbn; auto).
  assert (Unit : forall k x, (k = 1 \/ k = -1)%Z -> format p x -> round (IZR k * x) = IZR k * x).
  { intros k x Hk Hx. apply rounding. destruct Hk as [-> | ->]; [now rewrite Rmult_1_l|].
    replace (-1 * x) with (- x) by ring. now apply format_opp. }
  unfold Simulation.mlp_of. cbn [round_block multiplier inputs units outputs inward bias outward MLP.offset].
  unfold round_dense, rounded. cbn [height breadth number_at].
  f_equal; [f_equal| |f_equal|]; repeat (apply functional_extensionality; intro).
  - unfold inward_entry. destruct (Sg (x0 mod 4)%nat) as (S1 & S2 & _).
    repeat match goal with |- context [if ?x then _ else _] => destruct x end; cbn [MLP.number]; auto using round_0.
  - cbn [MLP.number]. now apply rounding.
  - unfold outward_entry. destruct (Sg (x mod 4)%nat) as (_ & _ & S3).
    repeat match goal with |- context [if ?x then _ else _] => destruct x end; cbn [MLP.number]; auto using round_0.
  - apply round_0.
Qed.

Definition rounded_layer_at (l : nat) : Simulation.real_layer :=
  round_layer round (Simulation.RealLayer (map (Simulation.head_of alpha (kappa * kappa)) (heads (layer_at n L RootC l)))
    (exact_dense (W_O n)) (Simulation.mlp_of b h s (multiplier n extra))).

Definition left_mean (X : mat) (M : nat -> mat) (l r : nat) : mat :=
  mix N (softmax N (head_scores (W_K_left n L RootC l) X) r) M.
Definition right_mean (X : mat) (M : nat -> mat) (r : nat) : mat :=
  mix N (softmax N (head_scores (W_K_right n RootC) X) r) M.

(** What a layer makes of what is held. *)
Definition made (l : nat) (X : mat) (M : nat -> mat) (r : nat) : mat :=
  rounded round (approximate n sigma b h s (rounded round (left_mean X M l r)) (rounded round (right_mean X M r))).

Lemma holds_mean W X M r q side : holds X M -> (q < n2)%nat -> (side = 0 \/ side = n2)%nat ->
  mmul N W X r (side + q)%nat = vec n (mix N (W r) M) q.
Proof.
  intros HX Hq Hs. unfold vec, mix, mmul. apply sum_ext. intros t Ht.
  rewrite HX by (auto; unfold Model.d; lia). unfold vec. destruct Hs; subst side; [rewrite Nat.add_0_l|];
    bool_cases; try lia; replace (n2 + q - n2)%nat with q by lia; ring.
Qed.

Lemma layer_holds l X M (E : mat) : holds X M -> (forall r c, (2 * n2 <= c)%nat -> E r c = place r c) ->
  holds (fun r c => if Pass.angles n c then round (E r c)
                    else rounded_layer round N (Pass.layer_of TreeModel.Soft sigma (rounded_layer_at l)) X r c)
        (made l X M).
Proof.
  intros HX HE r c Hr Hc. unfold Pass.angles. destruct (Nat.leb_spec (2 * n2) c) as [H|H].
  { rewrite HE by exact H. bool_cases; try lia. reflexivity. }
  unfold rounded_layer, Pass.added. cbn [Pass.layer_of Pass.residual Pass.feedforward]. unfold rounded at 1.
  unfold rounded_layer_at at 1. cbn [round_layer Simulation.block_of]. rewrite round_multiplier.
  set (Y := rounded round (Pass.after_attention _ _ _)).
  change (Simulation.run_block sigma _ (fun _ => Y r) 0%nat c) with (run_mlp sigma b h s (multiplier n extra) Y r c).
  rewrite multiplier_computes by exact Hc. cbv zeta.
  assert (HY : forall c, (c < d)%nat -> Y r c
    = round (if (c <? n2)%nat then mmul N (softmax N (head_scores (W_K_left n L RootC l) X)) X r c
             else if (c <? 2 * n2)%nat then mmul N (softmax N (head_scores (W_K_right n RootC) X)) X r c else 0)).
  { intros c' Hc'. unfold Y, rounded. f_equal.
    rewrite <- (Pass.attention_is TreeModel.Soft sigma N (softmax N) (Pass.softmax_everywhere N)).
    exact (two_means (softmax N) _ _ _ _ _ X r c' Hc'). }
  assert (Block : forall side Z, (side = 0 \/ side = n2)%nat ->
    (forall q, (q < n2)%nat -> Y r (side + q)%nat = round (vec n Z q)) -> meq n (block n side Y r) (rounded round Z)).
  { intros side Z _ H0 i j Hi Hj. pose proof (index_lt n i j Hi Hj). unfold block. rewrite H0 by auto.
    unfold vec, rounded. now rewrite divn, modn. }
  assert (BL : meq n (block n 0 Y r) (rounded round (left_mean X M l r))).
  { apply Block; [now left|]. intros q Hq. rewrite HY by (unfold Model.d; lia). bool_cases; try lia.
    f_equal. now apply holds_mean; [..|left]. }
  assert (BR : meq n (block n n2 Y r) (rounded round (right_mean X M r))).
  { apply Block; [now right|]. intros q Hq. rewrite HY by (unfold Model.d; lia). bool_cases; try lia.
    f_equal. now apply holds_mean; [..|right]. }
  pose proof (approximate_meq n sigma b h s _ _ _ _ BL BR) as HA.
  assert (Hv : forall v, (v < n2)%nat -> (v / n < n /\ v mod n < n)%nat).
  { intros v Hv. assert (0 < n)%nat by (unfold Model.n2 in Hv; destruct n; lia). split.
    - apply Nat.div_lt_upper_bound; unfold Model.n2 in Hv; lia.
    - apply Nat.mod_upper_bound; lia. }
  unfold made. bool_cases; try lia; unfold vec; unfold rounded at 1; f_equal; apply HA; apply Hv; lia.
Qed.
End Model.
