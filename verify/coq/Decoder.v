(** * Every weighted automaton in an ordinary decoder: Theorems A and B

    Beyond the paper. For all numbers of states n and letters q, every T >= 1, every automaton
    (alpha, A) and every word of at most T letters, a decoder with ceil(log2 T) layers, one causal
    head a layer, a residual stream, a begin token, and nothing supplied again, has at position t
    the state alpha^T A^{x_1 .. x_t}, t = 0 .. |x|. The weights do not depend on the word; the
    automaton is in the embedding and in the readout only.

    Theorem B (gated MLP, any act with act(y) - act(-y) = y and act(1) <> 0, for example ReLU, SiLU,
    GELU; width 2n^2 + 3, 2n^3 + n^2 hidden units): exact with hard attention ([theorem_B_hard]).
    With softmax, if N >= 1 bounds the spectral norms of A^w and M those of A^w - I, |w| <= T, and

        exp C >= 2.2 max(16 (N + M), M g / eps),    g = |alpha| (2N + 1)^L,    eps <= |alpha| / 4,

    every state is within eps in Euclidean norm ([theorem_B_rate]); C does not grow with T but for
    the number L of layers. For every eps > 0 all large C will do ([theorem_B]).

    Theorem A (MLP without gates, 4 n^3 hidden units, width 2n^2 + 2, act(y) - act(-y) = y and
    c y^2 (1 - k y^2) <= act(y) + act(-y) <= c y^2; SiLU with c = 1/2 and k = 1/12, GELU with
    c = sqrt(2/pi) and k = 1/6): within eps if exp C >= 2.2 max(16 (N + M), 2 M g / eps) and
    n^2 k h^2 (2M + 1)^4 g <= 4 N eps ([theorem_A_rate]); for every eps > 0 all large C and small h
    will do ([theorem_A]).

    The logarithm of the library would bring in one more axiom, so that C is bounded by its
    exponential.

    Main theorems:    [theorem_B_hard], [theorem_B_rate], [theorem_B], [theorem_A_rate], [theorem_A],
                      [theorem_A_gelu], [theorem_A_silu]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Theorem1 Softmax Recursion Spectral Activation Gelu InUse.
From Assay Require Import DecoderModel DecoderWeights DecoderLayers DecoderError DecoderStates DecoderActivation.
Import ListNotations.
Open Scope R_scope.

(** ** Theorem B: a gated MLP *)

Section Gated.
Context (n q T p : nat) (alpha : nat -> R) (A : nat -> mat) (act : R -> R).
Hypothesis T_1 : (1 <= T)%nat.
Hypothesis p_1 : (0 < p)%nat.
Hypothesis act_odd : forall y, act y - act (- y) = y.
Hypothesis act_1 : act 1 <> 0.

Local Notation L := (Nat.log2_up T).
Local Notation model := (construction n q T p true L).
Local Notation e C := (weights_for alpha A C act 1 1).

Lemma gated_product C : multiplies n true (e C) Rmult (multiplier n true).
Proof. now apply (gated_multiplies n p). Qed.

Theorem theorem_B_hard C : 0 < C ->
  forall word, over q word -> (length word <= T)%nat ->
  forall t j, (t <= length word)%nat -> (j < n)%nat ->
  forward (e C) hard model (q :: word) t j = read_word n A alpha (firstn t word) j.
Proof.
  intros HC word Hq Hw t j Ht Hj.
  apply (exactly n q T p true (e C) hard Rmult T_1 p_1 hard_local (gated_product C)); auto.
  now apply hard_focused.
Qed.

Lemma gated_within C N M eps : 1 <= N ->
  (forall w, over q w -> (length w <= T)%nat -> spectral n (word_product n A w) <= N) ->
  (forall w, over q w -> (length w <= T)%nat -> spectral n (mminus (word_product n A w) I) <= M) ->
  11 / 5 * (16 * (N + M)) <= exp C ->
  11 / 5 * (4 * (M * (2 * N + 1) ^ L)) <= exp C ->
  11 / 5 * (M * (length2 n alpha * (2 * N + 1) ^ L)) <= eps * exp C ->
  forall word, over q word -> (length word <= T)%nat -> forall t, (t <= length word)%nat ->
  length2 n (fun j => forward (e C) softmax model (q :: word) t j
                      - read_word n A alpha (firstn t word) j) <= eps.
Proof.
  intros HN1 HN HM H1 H2 H3.
  assert (HM0 : 0 <= M).
  { eapply Rle_trans; [apply (spectral_pos n)|apply (HM nil); [constructor|simpl; lia]]. }
  destruct (leak_small C) as (HC & Hl0 & Hl); [lra|].
  set (E := exp (- C)) in *. assert (HE : 0 < E) by apply exp_pos.
  assert (EC : E * exp C = 1) by (unfold E; rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
  assert (Hg : 0 <= (2 * N + 1) ^ L) by (apply pow_le; lra).
  set (g := (2 * N + 1) ^ L) in *. set (a := length2 n alpha) in *.
  assert (Ha : 0 <= a) by apply length2_pos.
  assert (K1 : E * (11 / 5 * (16 * (N + M))) <= 1)
    by (rewrite <- EC; apply Rmult_le_compat_l; lra).
  assert (K2 : E * (11 / 5 * (4 * (M * g))) <= 1)
    by (rewrite <- EC; apply Rmult_le_compat_l; lra).
  assert (K3 : E * (11 / 5 * (M * (a * g))) <= eps).
  { replace eps with (E * (eps * exp C)) by (rewrite (Rmult_comm eps), <- Rmult_assoc, EC; ring).
    apply Rmult_le_compat_l; lra. }
  assert (Hmono : forall z, 0 <= z -> leak C * z <= E * (11 / 5 * z)).
  { intros z Hz. replace (E * (11 / 5 * z)) with (11 / 5 * E * z) by ring.
    now apply Rmult_le_compat_r. }
  assert (HMg : 0 <= M * g) by now apply Rmult_le_pos.
  assert (HMag : 0 <= M * (a * g)) by (nonneg; auto).
  apply (within n q T p true (e C) softmax Rmult T_1 p_1 softmax_local (gated_product C)
           (leak C) 0 N M eps); auto.
  - now apply softmax_focused.
  - intros x y. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - lra.
  - eapply Rle_trans; [apply Hmono; lra|exact K1].
  - fold g. unfold eta. pose proof (Hmono (4 * (M * g)) ltac:(lra)) as HH.
    assert (Hq : leak C * (4 * (M * g)) * N <= 1 * N) by (apply Rmult_le_compat_r; lra).
    replace (g * (2 * leak C * N * M + INR n * (INR n * (0 * (2 * M + 1) ^ 4))))
      with (leak C * (4 * (M * g)) * N / 2) by field. lra.
  - fold g. cbn [DecoderModel.alpha weights_for]. fold a. unfold eta.
    pose proof (Hmono (M * (a * g)) HMag) as HH.
    assert (Hq : leak C * (M * (a * g)) * (2 * N) <= eps * (2 * N)) by (apply Rmult_le_compat_r; lra).
    replace (a * g * (2 * leak C * N * M + INR n * (INR n * (0 * (2 * M + 1) ^ 4))))
      with (leak C * (M * (a * g)) * (2 * N)) by ring. lra.
Qed.

Theorem theorem_B_rate C N M eps : 1 <= N ->
  (forall w, over q w -> (length w <= T)%nat -> spectral n (word_product n A w) <= N) ->
  (forall w, over q w -> (length w <= T)%nat -> spectral n (mminus (word_product n A w) I) <= M) ->
  let g := length2 n alpha * (2 * N + 1) ^ L in
  0 < eps <= length2 n alpha / 4 ->
  11 / 5 * (16 * (N + M)) <= exp C -> 11 / 5 * (M * g / eps) <= exp C ->
  forall word, over q word -> (length word <= T)%nat -> forall t, (t <= length word)%nat ->
  length2 n (fun j => forward (e C) softmax model (q :: word) t j
                      - read_word n A alpha (firstn t word) j) <= eps.
Proof.
  intros HN1 HN HM g Heps H1 H2.
  assert (HM0 : 0 <= M).
  { eapply Rle_trans; [apply (spectral_pos n)|apply (HM nil); [constructor|simpl; lia]]. }
  assert (Hg : 0 <= (2 * N + 1) ^ L) by (apply pow_le; lra).
  assert (H3 : 11 / 5 * (M * g) <= eps * exp C).
  { replace (11 / 5 * (M * g)) with (eps * (11 / 5 * (M * g / eps))) by (field; lra).
    apply Rmult_le_compat_l; lra. }
  apply (gated_within C N M eps); auto.
  unfold g in H3. set (x := (2 * N + 1) ^ L) in *. set (a := length2 n alpha) in *.
  pose proof (exp_pos C).
  assert (0 <= M * x) by now apply Rmult_le_pos.
  apply (Rmult_le_reg_l eps); [lra|]. apply Rle_trans with (11 / 5 * (M * (a * x))); [|exact H3].
  assert (4 * eps * (M * x) <= a * (M * x)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** For every eps some C0, and every larger C. *)
Theorem theorem_B eps : 0 < eps -> exists C0, forall C, C0 <= C ->
  forall word, over q word -> (length word <= T)%nat -> forall t, (t <= length word)%nat ->
  length2 n (fun j => forward (e C) softmax model (q :: word) t j
                      - read_word n A alpha (firstn t word) j) <= eps.
Proof.
  intro He. destruct (words_bounded n q T A) as (N & M & HN1 & HM0 & HN & HM).
  set (x := (2 * N + 1) ^ L). set (a := length2 n alpha).
  assert (Hx : 0 <= x) by (apply pow_le; lra). assert (Ha : 0 <= a) by apply length2_pos.
  assert (HMx : 0 <= M * x) by now apply Rmult_le_pos.
  assert (HMax : 0 <= M * (a * x)) by (nonneg; auto).
  set (P1 := 11 / 5 * (16 * (N + M))). set (P2 := 11 / 5 * (4 * (M * x))).
  set (P3 := 11 / 5 * (M * (a * x)) / eps).
  assert (0 <= P1) by (unfold P1; lra). assert (0 <= P2) by (unfold P2; lra).
  assert (0 <= P3) by (unfold P3; apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]).
  exists (P1 + P2 + P3). intros C HC.
  pose proof (exp_lower C ltac:(lra)).
  apply (gated_within C N M eps); auto.
  - fold P1. lra.
  - fold x. fold P2. lra.
  - fold x a. replace (11 / 5 * (M * (a * x))) with (eps * P3) by (unfold P3; field; lra).
    apply Rmult_le_compat_l; lra.
Qed.
End Gated.

(** ** Theorem A: an MLP without gates *)

Lemma gentle_product alpha A C act h c k : gentle act c k -> 0 < h ->
  forall x y, Rabs (even_product (weights_for alpha A C act h c) x y - x * y)
              <= k * (h * h) / 4 * (Rabs x + Rabs y) ^ 4.
Proof.
  intros (Hc & Hk & _ & Hev) Hh x y. unfold even_product, even_part.
  cbn [DecoderModel.act DecoderModel.h bend weights_for].
  set (z := Rabs x + Rabs y).
  assert (Hz : forall u, u = x + y \/ u = x - y -> u * u <= z * z).
  { intros u Hu. assert (B : Rabs u <= z).
    { unfold z. destruct Hu as [->| ->]; [apply Rabs_triang|].
      eapply Rle_trans; [apply (Rabs_triang x (- y))|]. rewrite Rabs_Ropp. lra. }
    replace (u * u) with (Rabs u * Rabs u) by (rewrite <- Rabs_mult; apply Rabs_pos_eq; nra).
    apply Rmult_le_compat; auto using Rabs_pos. }
  pose proof (Hz (x + y) (or_introl eq_refl)) as B1. pose proof (Hz (x - y) (or_intror eq_refl)) as B2.
  pose proof (Hev (h * (x + y))) as E1. pose proof (Hev (h * (x - y))) as E2.
  set (s1 := act (h * (x + y)) + act (- (h * (x + y)))) in *.
  set (s2 := act (h * (x - y)) + act (- (h * (x - y)))) in *.
  set (H := h * h). assert (HH : 0 < H) by (unfold H; nra).
  assert (R1 : forall u, 0 <= u * u <= z * z -> c * (H * (u * u)) * (k * (H * (u * u))) <= c * k * (H * H) * z ^ 4).
  { intros u [U0 U]. replace (c * (H * (u * u)) * (k * (H * (u * u))))
      with (c * k * (H * H) * ((u * u) * (u * u))) by ring.
    apply Rmult_le_compat_l; [apply Rmult_le_pos; [now apply Rmult_le_pos; lra|nra]|].
    replace (z ^ 4) with ((z * z) * (z * z)) by ring. apply Rmult_le_compat; auto. }
  pose proof (R1 (x + y) (conj (Rle_0_sqr _) B1)) as Q1.
  pose proof (R1 (x - y) (conj (Rle_0_sqr _) B2)) as Q2.
  assert (D1 : h * (x + y) * (h * (x + y)) = H * ((x + y) * (x + y))) by (unfold H; ring).
  assert (D2 : h * (x - y) * (h * (x - y)) = H * ((x - y) * (x - y))) by (unfold H; ring).
  rewrite D1 in E1. rewrite D2 in E2.
  set (W := c * k * (H * H) * z ^ 4) in *.
  assert (HB : Rabs (s1 - s2 - 4 * H * c * (x * y)) <= W).
  { apply Rabs_le. split; lra. }
  fold H. replace ((s1 - s2) / (4 * H * c) - x * y) with ((s1 - s2 - 4 * H * c * (x * y)) * / (4 * H * c))
    by (field; lra).
  assert (Hi : 0 < / (4 * H * c)) by (apply Rinv_0_lt_compat; repeat apply Rmult_lt_0_compat; lra).
  rewrite Rabs_mult, (Rabs_pos_eq (/ (4 * H * c))) by lra.
  apply Rle_trans with (W * / (4 * H * c)); [apply Rmult_le_compat_r; lra|].
  apply Req_le. unfold W. field. lra.
Qed.

Section PlainMLP.
Context (n q T p : nat) (alpha : nat -> R) (A : nat -> mat) (act : R -> R) (c k : R).
Hypothesis T_1 : (1 <= T)%nat.
Hypothesis p_1 : (0 < p)%nat.
Hypothesis act_gentle : gentle act c k.

Local Notation L := (Nat.log2_up T).
Local Notation model := (construction n q T p false L).
Local Notation e C h := (weights_for alpha A C act h c).

Lemma plain_product C h : 0 < h ->
  multiplies n false (e C h) (even_product (e C h)) (multiplier n false).
Proof.
  intro Hh. destruct act_gentle as (_ & _ & Hodd & _).
  apply (plain_multiplies n p); auto. cbn. lra.
Qed.

Lemma plain_within C h N M eps : 0 < h -> 1 <= N ->
  (forall w, over q w -> (length w <= T)%nat -> spectral n (word_product n A w) <= N) ->
  (forall w, over q w -> (length w <= T)%nat -> spectral n (mminus (word_product n A w) I) <= M) ->
  let x := (2 * N + 1) ^ L in
  let b := INR n * INR n * k * (h * h) * (2 * M + 1) ^ 4 in
  11 / 5 * (16 * (N + M)) <= exp C -> 11 / 5 * (8 * (M * x)) <= exp C -> b * x <= N ->
  11 / 5 * (2 * (M * (length2 n alpha * x))) <= eps * exp C ->
  b * (length2 n alpha * x) <= 4 * N * eps ->
  forall word, over q word -> (length word <= T)%nat -> forall t, (t <= length word)%nat ->
  length2 n (fun j => forward (e C h) softmax model (q :: word) t j
                      - read_word n A alpha (firstn t word) j) <= eps.
Proof.
  intros Hh HN1 HN HM x b H1 H2 Hb H3 H4.
  assert (HM0 : 0 <= M).
  { eapply Rle_trans; [apply (spectral_pos n)|apply (HM nil); [constructor|simpl; lia]]. }
  pose proof act_gentle as (Hc & Hk & _ & _).
  destruct (leak_small C) as (HC & Hl0 & Hl); [lra|].
  set (E := exp (- C)) in *. assert (HE : 0 < E) by apply exp_pos.
  assert (EC : E * exp C = 1) by (unfold E; rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
  assert (Hx : 0 <= x) by (apply pow_le; lra).
  set (a := length2 n alpha) in *. assert (Ha : 0 <= a) by apply length2_pos.
  assert (HMx : 0 <= M * x) by now apply Rmult_le_pos.
  assert (HMax : 0 <= M * (a * x)) by (nonneg; auto).
  assert (K1 : E * (11 / 5 * (16 * (N + M))) <= 1)
    by (rewrite <- EC; apply Rmult_le_compat_l; lra).
  assert (K2 : E * (11 / 5 * (8 * (M * x))) <= 1)
    by (rewrite <- EC; apply Rmult_le_compat_l; lra).
  assert (K3 : E * (11 / 5 * (2 * (M * (a * x)))) <= eps).
  { replace eps with (E * (eps * exp C)) by (rewrite (Rmult_comm eps), <- Rmult_assoc, EC; ring).
    apply Rmult_le_compat_l; lra. }
  assert (Hmono : forall z, 0 <= z -> leak C * z <= E * (11 / 5 * z)).
  { intros z Hz. replace (E * (11 / 5 * z)) with (11 / 5 * E * z) by ring.
    now apply Rmult_le_compat_r. }
  apply (within n q T p false (e C h) softmax (even_product (e C h)) T_1 p_1 softmax_local
           (plain_product C h Hh) (leak C) (k * (h * h) / 4) N M eps); auto.
  - now apply softmax_focused.
  - now apply gentle_product.
  - apply Rmult_le_pos; [apply Rmult_le_pos; [exact Hk|exact (Rle_0_sqr h)]|lra].
  - eapply Rle_trans; [apply Hmono; lra|exact K1].
  - fold x. unfold eta. pose proof (Hmono (8 * (M * x)) ltac:(lra)) as HH.
    assert (Hq : leak C * (8 * (M * x)) * N <= 1 * N) by (apply Rmult_le_compat_r; lra).
    replace (x * (2 * leak C * N * M + INR n * (INR n * (k * (h * h) / 4 * (2 * M + 1) ^ 4))))
      with (leak C * (8 * (M * x)) * N / 4 + b * x / 4) by (unfold b; field). lra.
  - fold x. cbn [DecoderModel.alpha weights_for]. fold a. unfold eta.
    pose proof (Hmono (2 * (M * (a * x))) ltac:(lra)) as HH.
    assert (Hq : leak C * (2 * (M * (a * x))) * N <= eps * N) by (apply Rmult_le_compat_r; lra).
    replace (a * x * (2 * leak C * N * M + INR n * (INR n * (k * (h * h) / 4 * (2 * M + 1) ^ 4))))
      with (leak C * (2 * (M * (a * x))) * N + b * (a * x) / 4) by (unfold b; field). lra.
Qed.

Theorem theorem_A_rate C h N M eps : 0 < h -> 1 <= N ->
  (forall w, over q w -> (length w <= T)%nat -> spectral n (word_product n A w) <= N) ->
  (forall w, over q w -> (length w <= T)%nat -> spectral n (mminus (word_product n A w) I) <= M) ->
  let g := length2 n alpha * (2 * N + 1) ^ L in
  0 < eps <= length2 n alpha / 4 ->
  11 / 5 * (16 * (N + M)) <= exp C -> 11 / 5 * (2 * M * g / eps) <= exp C ->
  INR n ^ 2 * k * h ^ 2 * (2 * M + 1) ^ 4 * g <= 4 * N * eps ->
  forall word, over q word -> (length word <= T)%nat -> forall t, (t <= length word)%nat ->
  length2 n (fun j => forward (e C h) softmax model (q :: word) t j
                      - read_word n A alpha (firstn t word) j) <= eps.
Proof.
  intros Hh HN1 HN HM g Heps H1 H2 H4.
  assert (HM0 : 0 <= M).
  { eapply Rle_trans; [apply (spectral_pos n)|apply (HM nil); [constructor|simpl; lia]]. }
  pose proof act_gentle as (Hc & Hk & _ & _).
  assert (Hx : 0 <= (2 * N + 1) ^ L) by (apply pow_le; lra).
  assert (H3 : 11 / 5 * (2 * (M * g)) <= eps * exp C).
  { replace (11 / 5 * (2 * (M * g))) with (eps * (11 / 5 * (2 * M * g / eps))) by (field; lra).
    apply Rmult_le_compat_l; lra. }
  set (b := INR n * INR n * k * (h * h) * (2 * M + 1) ^ 4).
  assert (Hb0 : 0 <= b).
  { unfold b. pose proof (pos_INR n). nonneg; try lra. apply pow_le. lra. }
  assert (Hb : b * g <= 4 * N * eps).
  { eapply Rle_trans; [|exact H4]. apply Req_le. unfold b. ring. }
  unfold g in *. set (x := (2 * N + 1) ^ L) in *. set (a := length2 n alpha) in *.
  pose proof (exp_pos C). assert (0 <= M * x) by now apply Rmult_le_pos.
  assert (0 <= b * x) by now apply Rmult_le_pos.
  apply (plain_within C h N M eps); auto.
  - fold x. apply (Rmult_le_reg_l eps); [lra|].
    apply Rle_trans with (11 / 5 * (2 * (M * (a * x)))); [|exact H3].
    assert (4 * eps * (M * x) <= a * (M * x)) by (apply Rmult_le_compat_r; lra). lra.
  - fold x b. apply (Rmult_le_reg_l (4 * eps)); [lra|].
    assert (4 * eps * (b * x) <= a * (b * x)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** For every eps some C0 and h0, and all larger C and smaller h. *)
Theorem theorem_A eps : 0 < eps -> exists C0 h0, 0 < h0 /\ forall C h, C0 <= C -> 0 < h <= h0 ->
  forall word, over q word -> (length word <= T)%nat -> forall t, (t <= length word)%nat ->
  length2 n (fun j => forward (e C h) softmax model (q :: word) t j
                      - read_word n A alpha (firstn t word) j) <= eps.
Proof.
  intro He. destruct (words_bounded n q T A) as (N & M & HN1 & HM0 & HN & HM).
  pose proof act_gentle as (Hc & Hk & _ & _).
  set (x := (2 * N + 1) ^ L). set (a := length2 n alpha).
  assert (Hx : 0 <= x) by (apply pow_le; lra). assert (Ha : 0 <= a) by apply length2_pos.
  assert (HMx : 0 <= M * x) by now apply Rmult_le_pos.
  assert (HMax : 0 <= M * (a * x)) by (nonneg; auto).
  set (P1 := 11 / 5 * (16 * (N + M))). set (P2 := 11 / 5 * (8 * (M * x))).
  set (P3 := 11 / 5 * (2 * (M * (a * x))) / eps).
  assert (0 <= P1) by (unfold P1; lra). assert (0 <= P2) by (unfold P2; lra).
  assert (0 <= P3) by (unfold P3; apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]).
  set (D := INR n * INR n * k * (2 * M + 1) ^ 4 * (x + a * x)).
  assert (HD1 : 0 <= INR n * INR n * k * (2 * M + 1) ^ 4).
  { pose proof (pos_INR n). nonneg; auto. apply pow_le. lra. }
  assert (Hax : 0 <= a * x) by now apply Rmult_le_pos.
  assert (HD : 0 <= D) by (unfold D; apply Rmult_le_pos; lra).
  set (m := Rmin 1 eps). assert (Hm : 0 < m) by (apply Rmin_glb_lt; lra).
  assert (Hm1 : m <= 1) by apply Rmin_l. assert (Hm2 : m <= eps) by apply Rmin_r.
  set (h0 := Rmin 1 (m / (D + 1))).
  assert (Hh0 : 0 < h0) by (apply Rmin_glb_lt; [lra|apply Rdiv_lt_0_compat; lra]).
  exists (P1 + P2 + P3), h0. split; [exact Hh0|]. intros C h HC Hh.
  pose proof (exp_lower C ltac:(lra)).
  assert (Hhm : h * h * D <= m).
  { assert (Hh1 : h <= 1) by (eapply Rle_trans; [apply Hh|apply Rmin_l]).
    assert (Hhd : h * (D + 1) <= m).
    { apply Rle_trans with (m / (D + 1) * (D + 1)); [|right; field; lra].
      apply Rmult_le_compat_r; [lra|]. eapply Rle_trans; [apply Hh|apply Rmin_r]. }
    assert (h * (h * D) <= 1 * (h * D)) by (apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|exact Hh1]).
    lra. }
  assert (Hsplit : h * h * D = INR n * INR n * k * (h * h) * (2 * M + 1) ^ 4 * x
                    + INR n * INR n * k * (h * h) * (2 * M + 1) ^ 4 * (a * x)) by (unfold D; ring).
  set (b := INR n * INR n * k * (h * h) * (2 * M + 1) ^ 4) in *.
  assert (Hb0 : 0 <= b).
  { replace b with (INR n * INR n * k * (2 * M + 1) ^ 4 * (h * h)) by (unfold b; ring).
    apply Rmult_le_pos; [exact HD1|exact (Rle_0_sqr h)]. }
  assert (0 <= b * x) by now apply Rmult_le_pos.
  assert (0 <= b * (a * x)) by (apply Rmult_le_pos; [exact Hb0|now apply Rmult_le_pos]).
  apply (plain_within C h N M eps); auto; try lra; fold x a b P1 P2; try lra.
  - replace (11 / 5 * (2 * (M * (a * x)))) with (eps * P3) by (unfold P3; field; lra).
    apply Rmult_le_compat_l; lra.
  - apply Rle_trans with (1 * eps); [lra|]. apply Rmult_le_compat_r; lra.
Qed.
End PlainMLP.

(** ** The activations in use *)

(** The rate for GELU as in print: h^2 <= 24 N eps / (n^2 (2M + 1)^4 g). *)
Corollary theorem_A_gelu n q T p alpha A C h N M eps :
  (1 <= T)%nat -> (0 < p)%nat -> 0 < h -> 1 <= N ->
  (forall w, over q w -> (length w <= T)%nat -> spectral n (word_product n A w) <= N) ->
  (forall w, over q w -> (length w <= T)%nat -> spectral n (mminus (word_product n A w) I) <= M) ->
  let L := Nat.log2_up T in let g := length2 n alpha * (2 * N + 1) ^ L in
  0 < eps <= length2 n alpha / 4 ->
  11 / 5 * (16 * (N + M)) <= exp C -> 11 / 5 * (2 * M * g / eps) <= exp C ->
  INR n ^ 2 * (2 * M + 1) ^ 4 * g * h ^ 2 <= 24 * N * eps ->
  forall word, over q word -> (length word <= T)%nat -> forall t, (t <= length word)%nat ->
  length2 n (fun j =>
    forward (weights_for alpha A C gelu h (2 * density 0)) softmax
      (construction n q T p false L) (q :: word) t j
    - read_word n A alpha (firstn t word) j) <= eps.
Proof.
  intros HT Hp Hh HN1 HN HM L g Heps H1 H2 H3.
  apply (theorem_A_rate n q T p alpha A gelu (2 * density 0) (1 / 6) HT Hp gentle_gelu C h N M eps);
    auto.
  replace (INR n ^ 2 * (1 / 6) * h ^ 2 * (2 * M + 1) ^ 4 * (length2 n alpha * (2 * N + 1) ^ Nat.log2_up T))
    with (INR n ^ 2 * (2 * M + 1) ^ 4 * g * h ^ 2 / 6) by (unfold g, L; field). lra.
Qed.

(** For every eps: SiLU. *)
Corollary theorem_A_silu n q T alpha A : (1 <= T)%nat -> forall eps, 0 < eps ->
  let L := Nat.log2_up T in
  exists C0 h0, 0 < h0 /\ forall C h, C0 <= C -> 0 < h <= h0 ->
  forall word, over q word -> (length word <= T)%nat -> forall t, (t <= length word)%nat ->
  length2 n (fun j =>
    forward (weights_for alpha A C (fun y => y * sigmoid y) h (1 / 2)) softmax
      (construction n q T (2 ^ L) false L) (q :: word) t j
    - read_word n A alpha (firstn t word) j) <= eps.
Proof.
  intros HT eps He L. assert (Hp : (0 < 2 ^ L)%nat) by (apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
  destruct (theorem_A n q T (2 ^ L) alpha A _ _ _ HT Hp gentle_silu eps He) as (C0 & h0 & Hh & H).
  exists C0, h0. split; [exact Hh|]. intros C h HC Hh'. exact (H C h HC Hh').
Qed.

