(** * Theorem 2 with O(log T + log 1/eps) bits a number

    Appendix B.2, with the format of Rounded.v, and hidden units that are rounded before and after the
    activation ([rounded_activation]). Rounding them costs half of the places: with steps h = 2^-j and 4 j
    places four units multiply up to O(4^-j) ([rounded_units]). If all products of letters have norm at most
    2^k, for example 1 for stochastic matrices in the row-sum norm, then p places after the point and p
    before it are enough as soon as 4^(p/4) >= Z T^(k+3) / eps, where Z does not depend on T, eps and p:
    p = 2 (k + 3) log2 T + 2 log2 (1/eps) + O(1) ([log_places]). The saturating constant is C = (2^L p)^2.

    Main definitions: [rounded_activation], [matrix_norm].
    Main theorems:    [rounded_units], [rounded_states], [log_places]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Gap Model Attention Theorem1 Softmax Recursion.
From Assay Require Import Activation FourUnits MLP MLPModel Rates Rounded.
From Assay Require TreeModel Pass Simulation Theorem2MLP Theorem2Rates Statements Fits FitsWords.
Import Simulation(number_at, times).
Open Scope R_scope.

Definition rounded_activation (round sigma : R -> R) : R -> R := fun x => round (sigma (round x)).

(** ** Rounded hidden units *)

Section Units.
Context (sigma : R -> R) (b c r K lip B : R) (p j : nat) (round : R -> R).
Hypothesis is_smooth : smooth sigma b c r K.
Hypothesis c_not_0 : c <> 0.
Hypothesis r_pos : 0 < r.
Hypothesis lipschitz : forall x y, Rabs (x - b) <= r -> Rabs (y - b) <= r ->
  Rabs (sigma x - sigma y) <= lip * Rabs (x - y).
Hypothesis B_pos : 0 <= B.
Hypothesis rounding : rounds p round.
Hypothesis places : (4 * j <= p)%nat.
Hypothesis near_b : (2 * B + 1) * / 2 ^ j <= r.
Hypothesis in_range : Rabs b + r <= 2 ^ p /\ Rabs (sigma b) + lip * r <= 2 ^ p /\ / (4 * Rabs c) * 4 ^ j <= 2 ^ p.

Definition units_constant : R := (/ (4 * Rabs c) + 1) * (4 / 3 * K * B ^ 4 + 4 * (1 + lip)) + 4 * Rabs c * B ^ 2.

Lemma bounds_pos : 0 <= K /\ 0 <= lip.
Proof.
  assert (H0 : Rabs (b - b) <= r) by (rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra). split.
  - destruct is_smooth as (d1 & d2 & d3 & d4 & _ & H). destruct (H b H0) as (_ & _ & _ & _ & Hd).
    pose proof (Rabs_pos (d4 b)). lra.
  - assert (E : b + r - b = r) by ring.
    pose proof (lipschitz (b + r) b ltac:(rewrite E, Rabs_pos_eq; lra) H0) as H. rewrite E, (Rabs_pos_eq r) in H by lra.
    pose proof (Rabs_pos (sigma (b + r) - sigma b)). nra.
Qed.

Theorem rounded_units : let h := / 2 ^ j in let s := round (/ (4 * h ^ 2 * c)) in
  forall y z, Rabs y <= B -> Rabs z <= B ->
    Rabs (four_units (rounded_activation round sigma) b h s y z - y * z) <= units_constant * / 4 ^ j.
Proof.
  intros h s y z Hy Hz. set (q := / 4 ^ j). set (u := / 2 ^ p). set (s0 := / (4 * h ^ 2 * c)) in *.
  destruct bounds_pos as [HK Hlip]. destruct in_range as (R1 & R2 & R3).
  assert (Hc : 0 < Rabs c) by now apply Rabs_pos_lt. destruct (two_p p) as [_ [Hu0 Hu1]]. destruct (two_p j) as [P2 _].
  fold u in Hu0, Hu1. assert (E4 : 4 ^ j = 2 ^ j * 2 ^ j) by (rewrite <- Rpow_mult_distr; f_equal; ring).
  assert (Eh : h ^ 2 = q) by (unfold h, q; rewrite E4; field; lra).
  assert (Hh : 0 < h <= 1) by apply two_p. assert (Hq : 0 < q <= 1) by (rewrite <- Eh; simpl; nra).
  assert (Huq : u <= q * q).
  { unfold u, q. rewrite <- Rinv_mult. apply Rinv_le_contravar; [apply Rmult_lt_0_compat; apply pow_lt; lra|].
    rewrite <- pow_add. replace 4 with (2 ^ 2) by ring. rewrite <- pow_mult. apply Rle_pow; [lra|lia]. }
  assert (Huh : u <= h) by (simpl in Eh; nra). fold h in near_b.
  assert (Hs : Rabs (s - s0) <= u /\ Rabs s0 = / (4 * q * Rabs c)).
  { assert (E : Rabs s0 = / (4 * q * Rabs c))
      by (unfold s0; rewrite Eh, Rabs_inv, Rabs_mult, (Rabs_pos_eq (4 * q)) by lra; reflexivity).
    split; [|exact E]. apply rounding. rewrite E. eapply Rle_trans; [|exact R3]. right. unfold q. field.
    split; [lra|apply pow_nonzero; lra]. }
  destruct Hs as [Hs Hs0].
  assert (HU : forall x, Rabs (x - b) <= 2 * h * B -> Rabs (rounded_activation round sigma x - sigma x) <= (1 + lip) * u).
  { intros x Hx. unfold rounded_activation.
    assert (G1 : Rabs (round x - x) <= u).
    { apply rounding. pose proof (near_bound x b _ _ Hx (Rle_refl _)). nra. }
    assert (G2 : Rabs (round x - b) <= r).
    { replace (round x - b) with (x - b + (round x - x)) by ring. eapply Rle_trans; [apply Rabs_triang|]. nra. }
    assert (Hb : Rabs (b - b) <= r) by (rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra).
    assert (G3 : Rabs (round (sigma (round x)) - sigma (round x)) <= u).
    { apply rounding. pose proof (near_bound _ _ _ _ (lipschitz _ _ G2 Hb) (Rle_refl _)). nra. }
    pose proof (lipschitz (round x) x G2 ltac:(nra)) as G4.
    replace (round (sigma (round x)) - sigma x)
      with (round (sigma (round x)) - sigma (round x) + (sigma (round x) - sigma x)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. nra. }
  assert (HY : forall e1 e2, (e1 = h \/ e1 = - h) -> (e2 = h \/ e2 = - h) ->
    Rabs (e1 * y + e2 * z + b - b) <= 2 * h * B).
  { intros e1 e2 He1 He2. replace (e1 * y + e2 * z + b - b) with (e1 * y + e2 * z) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult.
    assert (Rabs e1 = h) by (destruct He1; subst e1; rewrite ?Rabs_Ropp; apply Rabs_pos_eq; lra).
    assert (Rabs e2 = h) by (destruct He2; subst e2; rewrite ?Rabs_Ropp; apply Rabs_pos_eq; lra). nra. }
  assert (H2 : Rabs (four_units (rounded_activation round sigma) b h s y z - four_units sigma b h s y z)
               <= Rabs s * (4 * (1 + lip) * u)).
  { unfold four_units.
    pose proof (HU _ (HY h h (or_introl eq_refl) (or_introl eq_refl))) as U1.
    pose proof (HU _ (HY (- h) (- h) (or_intror eq_refl) (or_intror eq_refl))) as U2.
    pose proof (HU _ (HY h (- h) (or_introl eq_refl) (or_intror eq_refl))) as U3.
    pose proof (HU _ (HY (- h) h (or_intror eq_refl) (or_introl eq_refl))) as U4.
    apply abs_between in U1, U2, U3, U4.
    match type of U1 with _ <= ?f - ?g <= _ => set (f1 := f) in *; set (g1 := g) in * end.
    match type of U2 with _ <= ?f - ?g <= _ => set (f2 := f) in *; set (g2 := g) in * end.
    match type of U3 with _ <= ?f - ?g <= _ => set (f3 := f) in *; set (g3 := g) in * end.
    match type of U4 with _ <= ?f - ?g <= _ => set (f4 := f) in *; set (g4 := g) in * end.
    replace (s * f1 + s * f2 + - s * f3 + - s * f4 - (s * g1 + s * g2 + - s * g3 + - s * g4))
      with (s * (f1 - g1 + (f2 - g2) - (f3 - g3) - (f4 - g4))) by ring.
    rewrite Rabs_mult. apply Rmult_le_compat_l; [apply Rabs_pos|]. apply Rabs_le. lra. }
  pose proof (four_units_rate sigma b c r K h s B B is_smooth (proj1 Hh) ltac:(nra) y z Hy Hz) as H1.
  replace (remainder K h B B) with (4 / 3 * K * B ^ 4 * (q * q)) in H1 by (unfold remainder; rewrite <- Eh; field).
  replace (Rabs (4 * h ^ 2 * c * s - 1)) with (4 * q * Rabs c * Rabs (s - s0)) in H1.
  2: { rewrite <- (Rabs_pos_eq (4 * q)), <- !Rabs_mult by lra. f_equal. unfold s0. rewrite Eh. field. lra. }
  assert (Hsb : Rabs s <= / (4 * q * Rabs c) + u) by (rewrite <- Hs0; now apply (near_bound _ s0); [|lra]).
  set (X := 4 / 3 * K * B ^ 4 + 4 * (1 + lip)).
  assert (HX : 0 <= 4 / 3 * K * B ^ 4) by (apply Rmult_le_pos; [lra|now apply pow_le]).
  assert (HB2 : 0 <= B ^ 2) by apply pow2_ge_0.
  assert (P1 : Rabs s * (4 / 3 * K * B ^ 4 * (q * q) + 4 * (1 + lip) * u) <= (/ (4 * Rabs c) + 1) * X * q).
  { apply Rle_trans with ((/ (4 * q * Rabs c) + u) * (X * (q * q))).
    - apply Rmult_le_compat; [apply Rabs_pos|nra|exact Hsb|unfold X; nra].
    - replace ((/ (4 * q * Rabs c) + u) * (X * (q * q))) with ((/ (4 * Rabs c) + u * q) * (X * q)) by (field; lra).
      rewrite (Rmult_assoc _ X). apply Rmult_le_compat_r; unfold X; nra. }
  assert (P2' : 4 * q * Rabs c * Rabs (s - s0) * (B * B) <= 4 * Rabs c * B ^ 2 * q).
  { replace (4 * q * Rabs c * Rabs (s - s0) * (B * B)) with (4 * Rabs c * B ^ 2 * q * Rabs (s - s0)) by ring.
    rewrite <- (Rmult_1_r (4 * Rabs c * B ^ 2 * q)) at 2. apply Rmult_le_compat_l; [|lra].
    repeat apply Rmult_le_pos; lra. }
  set (f2 := four_units (rounded_activation round sigma) b h s y z) in *. set (f1 := four_units sigma b h s y z) in *.
  replace (f2 - y * z) with (f2 - f1 + (f1 - y * z)) by ring. eapply Rle_trans; [apply Rabs_triang|].
  unfold units_constant. fold X. nra.
Qed.
End Units.

(** ** The recursion *)

(** Norms by which entries are bounded, and which entries bound. *)
Definition matrix_norm (n : nat) (nu : mat -> R) : Prop := submultiplicative n nu /\
  (forall M i j, (i < n)%nat -> (j < n)%nat -> Rabs (M i j) <= nu M) /\
  (forall M q, 0 <= q -> (forall i j, (i < n)%nat -> (j < n)%nat -> Rabs (M i j) <= q) -> nu M <= INR n * q).

Lemma row_sum_matrix_norm n : matrix_norm n (norm n).
Proof. split; [apply row_sum_norm|split; [apply norm_entry|apply Theorem2MLP.norm_small]]. Qed.

Section Words.
Context {Sigma : Type} (n T extra : nat) (alpha : nat -> R) (A : Sigma -> mat) (kappa : R) (sigma : R -> R)
  (b h s : R) (p : nat) (round : R -> R).
Hypothesis T_1 : (1 <= T)%nat.
Let L := Nat.log2_up T.
Hypothesis rounding : rounds p round.
Hypothesis kappa_1 : 1 <= kappa.
Hypothesis kappa_format : format p kappa.
Hypothesis b_format : format p b.
Hypothesis h_format : format p h.
Hypothesis s_format : format p s.
Hypothesis enough_places : (2 * L + 6 <= p)%nat.
Local Notation u := (/ 2 ^ p).
Local Notation N := (N L).
Local Notation n2 := (n2 n).
Hypothesis leak : INR (N - 1) * exp (- (kappa * kappa * gap L / 2)) <= u.
Variable nu : mat -> R.
Hypothesis norm_nu : matrix_norm n nu.
Context (top rho : R).
Hypothesis top_1 : 1 <= top.
Hypothesis words : forall w, nu (word_product n A w) <= top.
Hypothesis rho_pos : 0 <= rho.
Hypothesis units_close : forall y z, Rabs y <= top + 1 -> Rabs z <= top + 1 ->
  Rabs (four_units sigma b h s y z - y * z) <= rho.
Let a1 := sum n (fun i => Rabs (alpha i)).
Hypothesis in_range : (a1 + INR n + 1) * (top + 1 + INR n) <= 2 ^ p.
Let m := rounded_model n L extra alpha kappa sigma b h s round.

(** What attention and two roundings add to the factors of a layer, and what its products miss. *)
Definition added : R := u * (2 * top) + 2 * (INR n * u).
Definition missed : R := INR n * (INR n * rho).
Local Notation budget := (budget (fun _ => top) (fun _ => added) 1 missed).
Hypothesis small : 1 * gain (fun _ => top) (fun _ => added) L + missed * heaped (fun _ => top) L <= 1.

Local Notation sm := (proj1 norm_nu).
Local Notation nu_entry := (proj1 (proj2 norm_nu)).
Local Notation nu_full := (proj2 (proj2 norm_nu)).

Lemma signs : 0 < u <= 1 /\ 0 <= INR n /\ 0 <= added /\ 0 <= missed /\ 0 <= a1.
Proof.
  destruct (two_p p) as [_ Hu]. pose proof (pos_INR n). assert (0 <= INR n * rho) by (apply Rmult_le_pos; auto).
  assert (0 <= a1) by (apply sum_nonneg; intros; apply Rabs_pos). unfold added, missed. repeat split; nra.
Qed.

Lemma top_range : top + 1 <= 2 ^ p /\ a1 <= 2 ^ p.
Proof. destruct signs as (_ & Hn & _ & _ & Ha). split; eapply Rle_trans; try exact in_range; nra. Qed.

Lemma budget_small l : (l <= L)%nat -> 0 <= budget l <= 1 /\ ((l < L)%nat -> budget l + 1 * added <= 1).
Proof.
  intro Hl. destruct signs as (_ & _ & Hw & Hm & _).
  destruct (closed_form (fun _ => top) (fun _ => added) 1 missed (fun _ => top_1) (fun _ => Hw) Rle_0_1 Hm L small l Hl)
    as [H1 H2].
  pose proof (gain_le _ _ (fun _ => top_1) (fun _ => Hw) l L Hl). pose proof (heaped_le _ (fun _ => top_1) l L Hl).
  split; [|exact H2]. split; [apply budget_pos; auto; lra|]. cbv beta in *. nra.
Qed.

Lemma leak_small w r (S : mat) : (w < N)%nat -> (r < N)%nat ->
  (forall t, (t < N)%nat -> Rabs (S r t - shifted L kappa w r t) <= 28 * (kappa * kappa) * u) ->
  1 - softmax N S r (source L w r) <= u.
Proof.
  intros Hw Hr HS. pose proof (source_lt L w r Hw Hr) as H0. pose proof (half_a_gap L p enough_places) as Hg.
  assert (Hk : 0 <= kappa * kappa) by nra.
  pose proof (Rmult_le_compat_l _ _ _ Hk Hg) as Hg'.
  eapply Rle_trans; [apply (ahead_leaks N S r (source L w r) (kappa * kappa * gap L / 2) H0)|exact leak].
  intros t Ht Hne. pose proof (HS t Ht) as H1. pose proof (HS _ H0) as H2. apply abs_between in H1, H2.
  unfold shifted in H1, H2. rewrite hit_score in H2 by auto. rewrite gap_score in Hg' |- *.
  pose proof (Rmult_le_compat_l _ _ _ Hk (proj1 (miss_score L w r t Hw Hr Ht Hne))). lra.
Qed.

Lemma rounded_near M M' e : nu M <= 2 ^ p -> nu (mminus M M') <= e ->
  nu (mminus (rounded round M) M') <= e + INR n * u.
Proof.
  intros HM H. eapply Rle_trans; [apply (nu_triangle n nu sm _ M)|]. rewrite Rplus_comm. apply Rplus_le_compat; [exact H|].
  apply nu_full; [apply Rlt_le, two_p|]. intros i j Hi Hj. apply rounding.
  eapply Rle_trans; [now apply nu_entry|exact HM].
Qed.

Variable word : list Sigma.
Local Notation letters := (fun t => Simulation.padded A (Simulation.letter word (Z.of_nat t))).
Local Notation exact := (scanned n L letters).
Local Notation E := (Simulation.tokens_of n L A word).

Lemma padded_words w : nu (word_product n (Simulation.padded A) w) <= top.
Proof.
  destruct (Theorem2Rates.drop_pads n 1 A (le_n 1) w) as (w' & _ & E). rewrite (nu_meq n nu sm _ _ E). apply words.
Qed.

Lemma exact_top l r : (l <= L)%nat -> (r < N)%nat -> nu (exact l r) <= top.
Proof.
  intros Hl Hr. apply (carried_norm n L nu (Simulation.padded A) (fun t => Simulation.letter word (Z.of_nat t)) sm l);
    auto using padded_words.
Qed.

Lemma from_exact M l r e : (l <= L)%nat -> (r < N)%nat -> nu (mminus M (exact l r)) <= e -> e <= 1 -> nu M <= top + 1.
Proof.
  intros Hl Hr He H1. eapply Rle_trans; [apply (nu_from n nu sm _ (exact l r))|].
  apply Rplus_le_compat; [now apply exact_top|lra].
Qed.

(** A rounded mean of what is held, by scores that are nearly those of the exact model. *)
Lemma mean_off M l w r S : (l < L)%nat -> (w < N)%nat -> (r < N)%nat ->
  (forall t, (t < N)%nat -> Rabs (S r t - shifted L kappa w r t) <= 28 * (kappa * kappa) * u) ->
  (forall t, (t < N)%nat -> nu (mminus (M t) (exact l t)) <= budget l + INR n * u) ->
  nu (mminus (rounded round (mix N (softmax N S r) M)) (exact l (source L w r))) <= budget l + 1 * added.
Proof.
  intros Hl Hw Hr HS HM. destruct (budget_small l ltac:(lia)) as [_ H1]. destruct signs as (Hu & Hn & _).
  pose proof (source_lt L w r Hw Hr) as H0.
  assert (HD : forall l u v, (length u <= 2 ^ l)%nat -> (length v <= 2 ^ l)%nat ->
    nu (mminus (word_product n (Simulation.padded A) u) (word_product n (Simulation.padded A) v)) <= 2 * top).
  { intros _ x y _ _. eapply Rle_trans; [apply (nu_minus n nu sm)|].
    pose proof (padded_words x). pose proof (padded_words y). lra. }
  pose proof (mean_near n L nu sm (Simulation.padded A) (fun _ => 2 * top) (fun l u v _ => HD l u v) u
    (fun t => Simulation.letter word (Z.of_nat t)) M l _ (softmax N S r) (source L w r) ltac:(lia) H0
    (softmax_sum N S r (N_pos L)) (fun t => softmax_pos N S r t (N_pos L)) (leak_small w r S Hw Hr HS) HM) as H.
  cbv beta in H. specialize (H1 Hl). set (e := budget l) in *.
  replace (e + 1 * added) with (e + INR n * u + u * (2 * top) + INR n * u) in * by (unfold added; ring).
  apply rounded_near; [|exact H]. apply Rle_trans with (top + 1); [|apply top_range].
  apply (from_exact _ l (source L w r) _ ltac:(lia) H0 H). nra.
Qed.

Local Notation holds := (holds n L round).
Local Notation made := (made n L alpha kappa sigma b h s round).

Lemma made_near X M l : holds X M -> (l < L)%nat ->
  (forall r, (r < N)%nat -> nu (mminus (M r) (exact l r)) <= budget l + INR n * u) ->
  forall r, (r < N)%nat -> nu (mminus (made (S l) X M r) (exact (S l) r)) <= budget (S l) + INR n * u.
Proof.
  intros HX Hl He r Hr. destruct (budget_small l ltac:(lia)) as [_ Hd]. specialize (Hd Hl).
  assert (Hw : (width (S l) < N)%nat) by (apply width_lt; lia). pose proof (source_lt L (width (S l)) r Hw Hr) as Hs.
  pose proof (mean_off M l (width (S l)) r _ Hl Hw Hr
    (fun t Ht => left_near n L alpha kappa p round rounding kappa_1 kappa_format X M (S l) r t HX Hr Ht) He) as H1.
  pose proof (mean_off M l 0 r _ Hl (N_pos L) Hr
    (fun t Ht => right_near n L alpha kappa p round rounding kappa_1 kappa_format X M r t HX Hr Ht) He) as H2.
  rewrite source_0 in H2. unfold Rounded.made, left_mean, right_mean.
  set (X1 := rounded round _) in *. set (X2 := rounded round (mix N (softmax N (head_scores n alpha kappa round (W_K_right n RootC) X) r) M)) in *.
  assert (H : nu (mminus (approximate n sigma b h s X1 X2) (exact (S l) r)) <= budget (S l)).
  { cbn [budget scanned]. cbv zeta. set (delta := budget l + 1 * added) in *.
    replace (2 * top * delta) with (delta * (top + top)) by ring.
    apply product_error with (X' := X1) (Y' := X2); auto; try (apply exact_top; auto; lia); [exact sm|].
    apply (approximate_near n nu nu_entry nu_full sigma b h s (top + 1) rho rho_pos units_close);
      [exact (from_exact X1 l _ _ ltac:(lia) Hs H1 Hd)|exact (from_exact X2 l r _ ltac:(lia) Hr H2 Hd)]. }
  apply rounded_near; [|exact H]. apply Rle_trans with (top + 1); [|apply top_range].
  apply (from_exact _ (S l) r _ ltac:(lia) Hr H). apply budget_small. lia.
Qed.

Local Notation layer l := (Pass.layer_of TreeModel.Soft sigma (rounded_layer_at n L extra alpha kappa b h s round l)).

Theorem rounded_steps l : (l <= L)%nat ->
  exists M, holds (fold_left (fun X ly r c => if Pass.angles n c then round (E r c) else rounded_layer round N ly X r c)
                     (map (fun l => layer l) (seq 1 l)) (rounded round E)) M /\
    forall r, (r < N)%nat -> nu (mminus (M r) (exact l r)) <= budget l + INR n * u.
Proof.
  induction l as [|l IH]; intro Hl.
  - exists (fun r => rounded round (token L letters r)). split.
    + intros r c Hr Hc. cbn [seq map fold_left]. unfold rounded at 1.
      rewrite <- (Simulation.tokens_are n L A (fun _ => 0) 0 word).
      rewrite (embedding_carries n L (fun _ => 0) letters 0 r c Hr Hc).
      unfold row, vec, rounded. destruct (c <? n2)%nat; [reflexivity|]. destruct (c <? 2 * n2)%nat; [reflexivity|].
      unfold Simulation.number_of, position_entry. destruct (c =? _)%nat; [reflexivity|].
      destruct (c =? _)%nat; reflexivity.
    + intros r Hr. cbn [scanned budget]. apply rounded_near.
      * pose proof (exact_top 0 r ltac:(lia) Hr) as H. cbn [scanned] in H. pose proof (proj1 top_range). lra.
      * apply (nu_zero n nu sm). intros i j Hi Hj. unfold mminus. ring.
  - destruct (IH ltac:(lia)) as (M & HX & He).
    rewrite seq_S, map_app, fold_left_app. cbn [map fold_left]. rewrite Nat.add_1_l.
    match type of HX with Rounded.holds _ _ _ ?Y _ => set (X := Y) in * end.
    exists (made (S l) X M). split; [|now apply made_near].
    apply (layer_holds n L extra alpha kappa sigma b h s p round rounding b_format h_format s_format); [exact HX|].
    intros r c Hc. unfold Simulation.tokens_of, Simulation.token_of. bool_cases; try lia. reflexivity.
Qed.

Lemma read_out X M r j : (r < N)%nat -> (j < n)%nat -> holds X M ->
  times X (Pass.readout m) r j = sum n (fun i => round (alpha i) * M r i j).
Proof.
  intros Hr Hj HX.
  rewrite <- (readout_reads n (fun i => round (alpha i)) (fun _ _ _ => 0) (kappa * kappa) X (M r) r j Hj).
  - assert (R0 : round 0 = 0) by apply (round_0 p round rounding).
    unfold times, apply. cbn. unfold mmul, real, rounded. apply sum_ext. intros k Hk. f_equal.
    repeat match goal with |- context [if ?x then _ else _] => destruct x end; reflexivity || exact R0.
  - intros v Hv. rewrite HX by (auto; unfold d; lia). bool_cases; try lia. f_equal. lia.
Qed.

Theorem rounded_states t j : (t <= T)%nat -> (j < n)%nat ->
  Rabs (rounded_forward round N m E (t + 2 ^ L - 1)%nat j - Simulation.states n alpha A word t j)
  <= (a1 + INR n * u) * (budget L + INR n * u) + INR n * u * top + u.
Proof.
  intros Ht Hj. pose proof (Statements.fits T T_1 : (T <= 2 ^ L)%nat) as HT.
  pose proof (T_pos L) as HP. unfold Model.T in HP. set (r := (t + 2 ^ L - 1)%nat).
  assert (Hr : (r < N)%nat) by (unfold r, Model.N, Model.T; lia).
  destruct (rounded_steps L (Nat.le_refl L)) as (M & HX & He). specialize (He r Hr).
  destruct (budget_small L (Nat.le_refl L)) as [Hb _]. destruct signs as (Hu & Hn & _ & _ & Ha).
  set (e := budget L + INR n * u) in *. set (S1 := sum n (fun i => round (alpha i) * M r i j)).
  assert (E1 : rounded_forward round N m E r j = round S1).
  { unfold rounded_forward. unfold rounded at 1. f_equal. cbn [Pass.offset m rounded_model Pass.model_of].
    rewrite Rplus_0_r. unfold S1. rewrite <- (read_out _ M r j Hr Hj HX). do 2 f_equal.
    cbn [m rounded_model Pass.model_of Pass.layers Pass.renewed rounded_net round_network Simulation.real_layers
      Simulation.mlp_network_of mlp_layers soft_model with_mlp construction Model.layers].
    rewrite !map_map. reflexivity. }
  assert (ES : Simulation.states n alpha A word t j = sum n (fun i => alpha i * exact L r i j)).
  { symmetry. apply (scanned_state n L letters alpha t j); unfold Model.T; auto; lia. }
  assert (HA : forall i, (i < n)%nat -> Rabs (round (alpha i) - alpha i) <= u).
  { intros i Hi. apply rounding. eapply Rle_trans; [|apply top_range].
    apply (sum_term n (fun i => Rabs (alpha i)) i Hi). intros; apply Rabs_pos. }
  assert (HM : forall i, (i < n)%nat -> Rabs (M r i j - exact L r i j) <= e)
    by (intros i Hi; eapply Rle_trans; [exact (nu_entry (mminus (M r) (exact L r)) i j Hi Hj)|exact He]).
  assert (HE : forall i, (i < n)%nat -> Rabs (exact L r i j) <= top)
    by (intros i Hi; eapply Rle_trans; [exact (nu_entry (exact L r) i j Hi Hj)|now apply exact_top]).
  assert (Each : forall f v, (forall i, (i < n)%nat -> Rabs (f i) <= Rabs (alpha i) * v + u * v) ->
    Rabs (sum n f) <= (a1 + INR n * u) * v).
  { intros f v Hf. eapply Rle_trans; [apply sum_abs|]. eapply Rle_trans; [apply sum_le, Hf|].
    rewrite sum_plus, <- sum_scal_r, sum_const. right. unfold a1. ring. }
  assert (H2 : Rabs (S1 - sum n (fun i => alpha i * exact L r i j)) <= (a1 + INR n * u) * e + INR n * u * top).
  { replace (S1 - _) with (sum n (fun i => round (alpha i) * (M r i j - exact L r i j))
      + sum n (fun i => (round (alpha i) - alpha i) * exact L r i j)).
    - eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat.
      + apply Each. intros i Hi. rewrite <- Rmult_plus_distr_r. apply abs_product; [|auto].
        now apply (near_bound _ (alpha i)); [apply HA|lra].
      + eapply Rle_trans; [apply sum_abs|]. rewrite Rmult_assoc, <- sum_const. apply sum_le. intros i Hi.
        now apply abs_product; auto.
    - unfold S1. rewrite <- sum_plus, <- sum_minus. apply sum_ext. intros. ring. }
  assert (H3 : Rabs (round S1 - S1) <= u).
  { apply rounding. eapply Rle_trans; [|exact in_range]. apply Rle_trans with ((a1 + INR n * u) * (top + e)).
    - apply Each. intros i Hi. rewrite <- Rmult_plus_distr_r. apply abs_product;
        [now apply (near_bound _ (alpha i)); [apply HA|lra]|now apply (near_bound _ (exact L r i j)); auto].
    - assert (INR n * u <= INR n) by nra. unfold e. apply Rmult_le_compat; nra. }
  rewrite E1, ES. replace (round S1 - sum n (fun i => alpha i * exact L r i j))
    with (round S1 - S1 + (S1 - sum n (fun i => alpha i * exact L r i j))) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.
End Words.

Theorem rounded_fits n L alpha kappa sigma b h s round :
  let m := rounded_model n L 0 alpha kappa sigma b h s round in
  Fits.fits (Fits.Sizes L (2 * n ^ 2 + 2) 2 (2 * n ^ 2 + 2) (2 * n ^ 2 + 2) (4 * n ^ 3) n) (Fits.MLPs sigma) m /\
  Fits.consists TreeModel.Soft TreeModel.Everywhere false m.
Proof.
  assert (E : (2 * n ^ 2 + 2 = d n)%nat) by (unfold d, n2; simpl; lia).
  assert (E2 : (4 * n ^ 3 = slim_units n + 0)%nat) by (unfold slim_units; simpl; lia).
  intro m. rewrite E, E2. unfold m, rounded_model, rounded_net, round_network; FitsWords.layers_fit (Fits.MLPs sigma).
Qed.

(** ** Bounded products: O(log T + log 1/eps) places *)

(** An integer kappa = sqrt C, 2^L p, below 2^p, whose leak is below 2^-p. *)
Lemma enough_kappa L p : (2 * L + 6 <= p)%nat -> let kappa := 2 ^ L * INR p in
  1 <= kappa /\ format p kappa /\ INR (N L - 1) * exp (- (kappa * kappa * gap L / 2)) <= / 2 ^ p.
Proof.
  intros Hp kappa. destruct (two_p L) as [P _]. destruct (two_p p) as [Pp [Hu _]].
  assert (Hpr : 6 <= INR p) by (apply (le_INR 6) in Hp || (assert (6 <= p)%nat as H by lia; apply le_INR in H); simpl in *; lra).
  assert (Ek : kappa = IZR (2 ^ Z.of_nat L * Z.of_nat p)) by (unfold kappa; now rewrite mult_IZR, <- pow_IZR, INR_IZR_INZ).
  assert (Hk : kappa <= 2 ^ p).
  { assert (G : (p <= 2 ^ (p - L))%nat).
    { replace (p - L)%nat with (S (p - L - 1)) by lia. pose proof (Nat.pow_gt_lin_r 2 (p - L - 1) ltac:(lia)). simpl. lia. }
    apply le_INR in G. rewrite pow_INR in G. unfold kappa. replace p with (L + (p - L))%nat at 2 by lia. rewrite pow_add.
    apply Rmult_le_compat_l; [lra|exact G]. }
  assert (Hk1 : 1 <= kappa) by (unfold kappa; nra). split; [exact Hk1|]. split.
  { rewrite Ek. apply format_IZR. rewrite <- Ek, Rabs_pos_eq; lra. }
  assert (Hg : INR p * INR p <= kappa * kappa * gap L / 2).
  { pose proof (T_pos L) as HT. rewrite gap_score.
    pose proof (gap_bound (Z.of_nat (T L)) ltac:(lia)) as H. set (x := IZR (Z.of_nat (T L))) in *.
    assert (Hx : x = 2 ^ L) by (unfold x, T; rewrite <- INR_IZR_INZ, pow_INR; reflexivity).
    apply (Rmult_le_compat_l (kappa * kappa)) in H; [|nra]. unfold kappa in *. rewrite <- Hx in *.
    replace (x * INR p * (x * INR p) * (2 / (x * x))) with (2 * (INR p * INR p)) in H by (field; lra). lra. }
  assert (He : forall q, 2 ^ q <= exp (INR q)).
  { induction q as [|q IH]; [change (INR 0) with 0; rewrite exp_0; simpl; lra|]. rewrite S_INR, exp_plus. cbn [pow].
    pose proof (exp_lower 1 Rle_0_1). pose proof (exp_pos (INR q)). nra. }
  set (y := kappa * kappa * gap L / 2) in *. rewrite exp_Ropp. pose proof (exp_pos y) as Hy.
  apply (Rmult_le_reg_r (exp y)); [exact Hy|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply (Rmult_le_reg_l (2 ^ p)); [lra|]. rewrite <- (Rmult_assoc (2 ^ p) (/ 2 ^ p)), Rinv_r, Rmult_1_l by lra.
  assert (HN : INR (N L - 1) <= INR (N L)) by (apply le_INR; lia).
  apply Rle_trans with (2 ^ p * INR (N L)); [apply Rmult_le_compat_l; lra|]. clear HN.
  apply Rle_trans with (2 ^ (p * p)).
  - unfold N, T. rewrite mult_INR, pow_INR. change (INR 2) with 2. change (2 * 2 ^ L) with (2 ^ S L).
    rewrite <- pow_add. apply Rle_pow; [lra|nia].
  - eapply Rle_trans; [apply He|]. rewrite mult_INR. now apply exp_le.
Qed.

Lemma constant_gain top W l : 1 <= top -> 0 <= W ->
  gain (fun _ => top) (fun _ => W) l + W <= (4 * top) ^ l * W /\ heaped (fun _ => top) l + 1 <= (4 * top) ^ l.
Proof.
  intros Ht HW. assert (P : 1 <= (4 * top) ^ l) by (apply pow_R1_Rle; lra).
  induction l as [|l IH]; cbn [gain heaped pow]; [lra|]. assert (P' : 1 <= (4 * top) ^ l) by (apply pow_R1_Rle; lra).
  destruct (IH P') as [G H]. set (x := (4 * top) ^ l) in *. assert (W <= x * W) by nra. split; nra.
Qed.

(** Weights, tokens, hidden units and outputs with p places after the point and p before it: Theorem 2 as
    printed for automata whose products of letters are bounded. Z comes before T, eps, p and the rounding. *)
Theorem log_places {Sigma : Type} n (alpha : nat -> R) (A : Sigma -> mat) (nu : mat -> R) k sigma b c r K lip p0 :
  matrix_norm n nu -> (forall w, nu (word_product n A w) <= 2 ^ k) ->
  smooth sigma b c r K -> c <> 0 -> 0 < r -> format p0 b ->
  (forall x y, Rabs (x - b) <= r -> Rabs (y - b) <= r -> Rabs (sigma x - sigma y) <= lip * Rabs (x - y)) ->
  exists Z, forall T p eps round, (1 <= T)%nat -> 0 < eps <= 1 -> (p0 <= p)%nat -> rounds p round ->
  Z * INR T ^ (k + 3) <= eps * 4 ^ (p / 4) -> let L := Nat.log2_up T in
  exists net token,
    let m := Pass.model_of TreeModel.Soft (rounded_activation round sigma) (Pass.angles n) (round_network round net) in
    Fits.fits (Fits.Sizes L (2 * n ^ 2 + 2) 2 (2 * n ^ 2 + 2) (2 * n ^ 2 + 2) (4 * n ^ 3) n)
      (Fits.MLPs (rounded_activation round sigma)) m /\
    Fits.consists TreeModel.Soft TreeModel.Everywhere false m /\
    Simulation.approximately_simulates n T alpha A eps (fun w t => rounded_forward round (2 * 2 ^ L) m
      (fun r => token (Simulation.letter w (Z.of_nat r - Z.of_nat (2 ^ L) + 1)) r) (t + 2 ^ L - 1)%nat).
Proof.
  intros Hnu words Hs Hc Hr Hb lipschitz. set (top := 2 ^ k). destruct (two_p k) as [Htop _]. fold top in Htop.
  destruct (bounds_pos sigma b c r K lip Hs Hr lipschitz) as [HK Hlip].
  assert (Hc' : 0 < Rabs c) by now apply Rabs_pos_lt. pose proof (pos_INR n) as Hn.
  set (B := top + 1). set (c1 := units_constant c K lip B).
  assert (Hinv : 0 < / (4 * Rabs c)) by (apply Rinv_0_lt_compat; lra).
  assert (Hc1 : 0 <= c1).
  { unfold c1, units_constant. assert (0 <= 4 / 3 * K * B ^ 4) by (apply Rmult_le_pos; [lra|apply pow_le; unfold B; lra]).
    assert (0 <= 4 * Rabs c * B ^ 2) by (apply Rmult_le_pos; [lra|apply pow2_ge_0]). nra. }
  set (a1 := sum n (fun i => Rabs (alpha i))). assert (Ha : 0 <= a1) by (apply sum_nonneg; intros; apply Rabs_pos).
  set (c2 := 2 * top + 2 * INR n + INR n * (INR n * c1)).
  assert (Hc2 : 0 <= c2) by (unfold c2; assert (0 <= INR n * (INR n * c1)) by (repeat apply Rmult_le_pos; auto); lra).
  set (c3 := (a1 + INR n) * (c2 + INR n) + INR n * top + 1).
  assert (Hc3 : 1 <= c3).
  { unfold c3. assert (0 <= (a1 + INR n) * (c2 + INR n)) by (apply Rmult_le_pos; lra). nra. }
  set (y := (2 * B + 1) / r). pose proof (pow2_ge_0 y) as Hy.
  set (range := (a1 + INR n + 1) * (top + 1 + INR n)). assert (Hrange : 0 <= range) by (apply Rmult_le_pos; lra).
  pose proof (Rabs_pos b) as Hb0. pose proof (Rabs_pos (sigma b)) as Hsb. assert (Hlr : 0 <= lip * r) by nra.
  (* at least each of the numbers that must be in range, and the constants *)
  set (Z := c3 * (INR n + 1) + c2 + 64 + y ^ 2 + range + (Rabs b + r) + (Rabs (sigma b) + lip * r) + / (4 * Rabs c)).
  assert (Hc3n : 0 <= c3 * (INR n + 1)) by (apply Rmult_le_pos; lra).
  exists (Z * 2 ^ (k + 3)). intros T p eps round HT He Hp0 rounding Hbig L.
  set (j := (p / 4)%nat) in *. set (q := / 4 ^ j). set (u := / 2 ^ p).
  assert (Hj : (4 * j <= p)%nat) by (apply Nat.mul_div_le; lia). assert (P4 : 0 < 4 ^ j) by (apply pow_lt; lra).
  assert (Hq : 0 < q) by now apply Rinv_0_lt_compat. destruct (two_p p) as [P2 Hu]. fold u in Hu.
  assert (E4 : 4 ^ j = 2 ^ j * 2 ^ j) by (rewrite <- Rpow_mult_distr; f_equal; ring).
  assert (H4p : 4 ^ j * 4 ^ j <= 2 ^ p).
  { rewrite E4, <- !pow_add. apply Rle_pow; [lra|lia]. }
  set (t := 2 * INR T). assert (Ht : 2 <= t) by (unfold t; apply (le_INR 1) in HT; simpl in HT; lra).
  set (tk := t ^ (k + 2)). assert (Htk : t <= tk) by (unfold tk; rewrite <- (pow_1 t) at 1; apply Rle_pow; [lra|lia]).
  assert (Hbig' : Z * (tk * t) <= eps * 4 ^ j).
  { eapply Rle_trans; [|exact Hbig]. right. unfold tk, t.
    replace (k + 3)%nat with (S (k + 2)) by lia. cbn [pow]. rewrite Rpow_mult_distr. ring. }
  assert (Htt : 4 <= tk * t) by (replace 4 with (2 * 2) by ring; apply Rmult_le_compat; lra).
  assert (HZ4 : Z * 4 <= 4 ^ j).
  { apply Rle_trans with (Z * (tk * t)); [apply Rmult_le_compat_l; [unfold Z; lra|exact Htt]|].
    eapply Rle_trans; [exact Hbig'|]. rewrite <- (Rmult_1_l (4 ^ j)) at 2. apply Rmult_le_compat_r; lra. }
  assert (HZ : 0 <= Z /\ c2 <= Z /\ c3 * (INR n + 1) <= Z /\ 64 <= Z /\ y ^ 2 <= Z /\ range <= Z /\ Rabs b + r <= Z /\
    Rabs (sigma b) + lip * r <= Z /\ / (4 * Rabs c) <= Z) by (unfold Z; repeat split; lra).
  destruct HZ as (Z0 & Z1 & Z2 & Z3 & Z4 & Z5 & Z6 & Z7 & Z8). clearbody Z.
  assert (H41 : 1 <= 4 ^ j) by lra. assert (H4p' : 4 ^ j <= 2 ^ p).
  { eapply Rle_trans; [|exact H4p]. rewrite <- (Rmult_1_r (4 ^ j)) at 1. apply Rmult_le_compat_l; lra. }
  assert (Huq : u <= q) by (apply Rinv_le_contravar; auto).
  assert (Hq4 : q * 4 ^ j = 1) by (unfold q; field; lra).
  assert (HZq : Z * (tk * t) * q <= eps).
  { apply (Rmult_le_compat_r q) in Hbig'; [|lra]. rewrite (Rmult_assoc eps), (Rmult_comm (4 ^ j)), Hq4 in Hbig'. lra. }
  assert (HL : 2 ^ L <= t).
  { unfold t, L. destruct (Nat.eq_dec T 1) as [->|Hne]; [cbn; lra|].
    pose proof (Nat.log2_up_spec T ltac:(lia)) as [H _]. pose proof (Nat.log2_up_pos T ltac:(lia)) as H0.
    replace (Nat.log2_up T) with (S (Nat.pred (Nat.log2_up T))) by lia. cbn [pow].
    apply lt_INR in H. rewrite pow_INR in H. change (INR 2) with 2 in H. lra. }
  assert (Hplaces : (2 * L + 6 <= p)%nat).
  { apply Nat.nlt_ge. intro Hlt. assert (2 ^ S p <= 2 ^ (2 * L + 6)) by (apply Rle_pow; [lra|lia]).
    assert (E : 2 ^ (2 * L + 6) = 64 * (2 ^ L * 2 ^ L)).
    { rewrite pow_add, pow_mult. replace (2 ^ 2) with (2 * 2) by ring. rewrite Rpow_mult_distr. simpl. ring. }
    destruct (two_p L) as [P2L _]. assert (2 ^ L * 2 ^ L <= tk * t) by (apply Rmult_le_compat; lra).
    assert (64 * (tk * t) <= Z * (tk * t)) by (apply Rmult_le_compat_r; lra).
    assert (eps * 4 ^ j <= 1 * 4 ^ j) by (apply Rmult_le_compat_r; lra). cbn [pow] in *. lra. }
  destruct (enough_kappa L p Hplaces) as (Hk1 & Hkf & Hleak). set (kappa := 2 ^ L * INR p) in *.
  assert (Hnear : (2 * B + 1) * / 2 ^ j <= r).
  { assert (P2j : 0 < 2 ^ j) by (apply pow_lt; lra). assert (y <= 2 ^ j) by (apply Rsqr_incr_0_var; unfold Rsqr; simpl in *; lra).
    apply (Rmult_le_reg_r (2 ^ j)); [exact P2j|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    replace (2 * B + 1) with (r * y) by (unfold y; field; lra). apply Rmult_le_compat_l; lra. }
  assert (Hin : Rabs b + r <= 2 ^ p /\ Rabs (sigma b) + lip * r <= 2 ^ p /\ / (4 * Rabs c) * 4 ^ j <= 2 ^ p).
  { repeat split; try lra. eapply Rle_trans; [|exact H4p]. apply Rmult_le_compat_r; lra. }
  set (h := / 2 ^ j) in *. set (s := round (/ (4 * h ^ 2 * c))).
  exists (Simulation.mlp_network_of alpha (kappa * kappa) b h s (soft_model n L 0)), (Simulation.token_of n L A).
  intro m. destruct (rounded_fits n L alpha kappa (rounded_activation round sigma) b h s round) as [F G].
  split; [exact F|]. split; [exact G|]. intros w Hw. apply (frobenius_below (S T) n
    (fun i i' => rounded_forward round (N L) m (Simulation.tokens_of n L A w) (i + 2 ^ L - 1)%nat i'
                - Simulation.states n alpha A w i i') eps ltac:(lra)).
  intros i i' Hi Hi'.
  set (W := added n p top). set (eta := missed n (c1 * q)).
  assert (HW : 0 <= W <= (2 * top + 2 * INR n) * q).
  { unfold W, added. fold u. assert (INR n * u <= INR n * q) by (apply Rmult_le_compat_l; lra).
    assert (0 <= INR n * u) by (apply Rmult_le_pos; lra). assert (0 <= u * (2 * top)) by (apply Rmult_le_pos; lra).
    assert (u * (2 * top) <= q * (2 * top)) by (apply Rmult_le_compat_r; lra). lra. }
  assert (Eeta : eta = INR n * (INR n * c1) * q) by (unfold eta, missed; ring).
  assert (Heta : 0 <= eta) by (rewrite Eeta; repeat apply Rmult_le_pos; lra).
  destruct (constant_gain top W L Htop (proj1 HW)) as [HG HH].
  assert (Hpow : (4 * top) ^ L <= tk).
  { replace (4 * top) with (2 ^ (k + 2)) by (unfold top; rewrite pow_add; ring).
    rewrite <- pow_mult, Nat.mul_comm, pow_mult. apply pow_incr. destruct (two_p L). lra. }
  assert (HS : 1 * gain (fun _ => top) (fun _ => W) L + eta * heaped (fun _ => top) L <= tk * c2 * q).
  { assert ((4 * top) ^ L * W <= tk * ((2 * top + 2 * INR n) * q)) by (apply Rmult_le_compat; [apply pow_le; lra|lra..]).
    assert (eta * heaped (fun _ => top) L <= eta * tk) by (apply Rmult_le_compat_l; lra).
    unfold c2. rewrite Eeta in *. lra. }
  assert (Hc2q : tk * c2 * q <= 1).
  { apply Rle_trans with (Z * (tk * t) * q); [|lra]. apply Rmult_le_compat_r; [lra|].
    rewrite (Rmult_comm Z), Rmult_assoc. apply Rmult_le_compat_l; [lra|].
    apply Rle_trans with (1 * Z); [lra|]. apply Rmult_le_compat_r; lra. }
  assert (Hsmall : 1 * gain (fun _ => top) (fun _ => W) L + eta * heaped (fun _ => top) L <= 1) by lra.
  assert (Hrho : 0 <= c1 * q) by (apply Rmult_le_pos; lra).
  assert (Hunits : forall y z, Rabs y <= B -> Rabs z <= B ->
    Rabs (four_units (rounded_activation round sigma) b h s y z - y * z) <= c1 * q).
  { apply (rounded_units sigma b c r K lip B p j round); auto; unfold B; lra. }
  assert (Hh : format p h).
  { destruct (two_p j) as [_ Hh]. fold h in Hh. split; [rewrite Rabs_pos_eq; lra|].
    exists (2 ^ Z.of_nat (p - j))%Z. rewrite <- pow_IZR. unfold h. replace p with (j + (p - j))%nat at 2 by lia.
    rewrite pow_add. field. split; apply pow_nonzero; lra. }
  pose proof (rounded_states n T 0 alpha A kappa (rounded_activation round sigma) b h s p round HT rounding Hk1 Hkf
    (format_more _ _ _ Hp0 Hb) Hh (proj1 rounding _) Hplaces Hleak nu Hnu top (c1 * q) Htop words Hrho Hunits
    ltac:(fold a1; fold range; lra) Hsmall w i i' ltac:(lia) Hi') as H.
  eapply Rle_trans; [exact H|]. clear H.
  destruct (closed_form (fun _ => top) (fun _ => W) 1 eta (fun _ => Htop) (fun _ => proj1 HW) Rle_0_1 Heta L Hsmall L
    (Nat.le_refl L)) as [Hbud _].
  pose proof (budget_pos (fun _ => top) (fun _ => W) 1 eta (fun _ => Htop) (fun _ => proj1 HW) Rle_0_1 Heta L) as Hbud0.
  fold L u a1. fold W eta. cbv beta in *. set (e := budget (fun _ => top) (fun _ => W) 1 eta L) in *.
  assert (Hnu1 : 0 <= INR n * u <= INR n).
  { split; [apply Rmult_le_pos; lra|]. rewrite <- (Rmult_1_r (INR n)) at 2. apply Rmult_le_compat_l; lra. }
  assert (Htq : q <= tk * q) by (rewrite <- (Rmult_1_l q) at 1; apply Rmult_le_compat_r; lra).
  assert (H1 : (a1 + INR n * u) * (e + INR n * u) <= (a1 + INR n) * ((c2 + INR n) * (tk * q))).
  { apply Rmult_le_compat; [lra..|]. assert (INR n * u <= INR n * (tk * q)) by (apply Rmult_le_compat_l; lra). lra. }
  assert (H2 : INR n * u * top + u <= (INR n * top + 1) * (tk * q)).
  { assert (INR n * top * u <= INR n * top * (tk * q)) by (apply Rmult_le_compat_l; [apply Rmult_le_pos|]; lra). lra. }
  apply Rle_trans with (c3 * (tk * q)); [unfold c3; lra|].
  set (dd := INR (S T) * INR n + 1).
  assert (Hdd : 0 < dd <= t * (INR n + 1)).
  { unfold dd, t in *. rewrite S_INR. assert (0 <= (INR T - 1) * INR n) by (apply Rmult_le_pos; lra).
    assert (0 <= (INR T + 1) * INR n) by (apply Rmult_le_pos; lra). split; lra. }
  apply (Rmult_le_reg_r dd); [lra|]. replace (eps / dd * dd) with eps by (field; lra).
  apply Rle_trans with (Z * (tk * t) * q); [|exact HZq].
  apply Rle_trans with (c3 * (tk * q) * (t * (INR n + 1))).
  - apply Rmult_le_compat_l; [apply Rmult_le_pos|]; lra.
  - replace (c3 * (tk * q) * (t * (INR n + 1))) with (c3 * (INR n + 1) * (tk * t * q)) by ring.
    replace (Z * (tk * t) * q) with (Z * (tk * t * q)) by ring. apply Rmult_le_compat_r; [|lra].
    apply Rmult_le_pos; [apply Rmult_le_pos|]; lra.
Qed.
