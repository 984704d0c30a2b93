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

    Main theorems:    [soft_within], [theorem_B_hard], [theorem_B_rate], [theorem_B], [theorem_A_rate], [theorem_A],
                      [theorem_A_gelu], [theorem_A_silu]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Theorem1 Softmax Recursion Spectral Activation Gelu InUse.
From Assay Require Import DecoderModel DecoderWeights DecoderLayers DecoderError DecoderStates DecoderActivation.
Import ListNotations.
Open Scope R_scope.

(** ** Softmax, with either block *)

(** One number t bounds what the heads may leak and what the products may miss. *)
Lemma little_enough N M a x eps : 1 <= N -> 0 <= M -> 0 <= a -> 0 <= x -> 0 < eps ->
  exists C0 t, 0 < t /\ forall C missed, C0 <= C -> missed <= t ->
    11 / 5 <= t * exp C /\ t * (16 * (N + M)) <= 1 /\
    x * (2 * t * N * M + missed) <= N / 2 /\ a * x * (2 * t * N * M + missed) <= 2 * N * eps.
Proof.
  intros HN HM Ha Hx He. set (y := 2 * N * M + 1). assert (Hy : 1 <= y) by (unfold y; nra).
  assert (Hxy : 0 <= x * y) by (apply Rmult_le_pos; lra). assert (Haxy : 0 <= a * (x * y)) by now apply Rmult_le_pos.
  set (Z := 16 * (N + M) + 2 * (x * y) + 2 * (a * (x * y))). assert (HZ : 0 < Z) by (unfold Z; lra).
  set (m := Rmin 1 eps). assert (Hm : 0 < m) by (apply Rmin_glb_lt; lra).
  assert (Hm1 : m <= 1) by apply Rmin_l. assert (Hm2 : m <= eps) by apply Rmin_r.
  set (t := m / Z). assert (Ht : 0 < t) by now apply Rdiv_lt_0_compat.
  assert (HtZ : t * Z = m) by (unfold t; field; lra).
  exists (11 / 5 / t), t. split; [exact Ht|]. intros C missed HC Hmiss.
  assert (Hs : 2 * t * N * M + missed <= t * y) by (unfold y; lra).
  assert (t * (16 * (N + M)) <= m /\ 2 * (t * (x * y)) <= m /\ 2 * (t * (a * (x * y))) <= m) as (Q1 & Q2 & Q3).
  { assert (0 <= t * (N + M)) by (apply Rmult_le_pos; lra). assert (0 <= t * (x * y)) by (apply Rmult_le_pos; lra).
    assert (0 <= t * (a * (x * y))) by (apply Rmult_le_pos; lra). rewrite <- HtZ. unfold Z. repeat split; lra. }
  split; [|split; [lra|split]].
  - assert (0 < 11 / 5 / t) by (apply Rdiv_lt_0_compat; lra). pose proof (exp_lower C ltac:(lra)).
    replace (11 / 5) with (t * (11 / 5 / t)) by (field; lra). apply Rmult_le_compat_l; lra.
  - apply Rle_trans with (x * (t * y)); [now apply Rmult_le_compat_l|]. lra.
  - apply Rle_trans with (a * x * (t * y)); [apply Rmult_le_compat_l; [now apply Rmult_le_pos|exact Hs]|]. nra.
Qed.

Section Soft.
Context (n q T p : nat) (alpha : nat -> R) (A : nat -> mat) (act : R -> R) (gated : bool) (h c kappa : R)
  (pr : R -> R -> R -> R) (N M : R).
Local Notation e C := (weights_for alpha A C act h c).
Local Notation L := (Nat.log2_up T).
Hypothesis T_1 : (1 <= T)%nat.
Hypothesis p_1 : (0 < p)%nat.
Hypothesis block_multiplies : forall C, multiplies n gated (e C) (pr C) (multiplier n gated).
Hypothesis product_near : forall C x y, Rabs (pr C x y - x * y) <= kappa * (Rabs x + Rabs y) ^ 4.
Hypothesis kappa_0 : 0 <= kappa.
Hypothesis N_1 : 1 <= N.
Hypothesis states_N : forall w, over q w -> (length w <= T)%nat -> spectral n (word_product n A w) <= N.
Hypothesis states_M :
  forall w, over q w -> (length w <= T)%nat -> spectral n (mminus (word_product n A w) I) <= M.

Local Notation a := (length2 n alpha).
Local Notation x := ((2 * N + 1) ^ L).
Local Notation missed := (INR n * (INR n * (kappa * (2 * M + 1) ^ 4))).
Local Notation close C eps := (forall word, over q word -> (length word <= T)%nat ->
  forall t, (t <= length word)%nat ->
  length2 n (fun j => forward (e C) softmax (construction n q T p gated L) (q :: word) t j
                      - read_word n A alpha (firstn t word) j) <= eps).

Lemma M_0 : 0 <= M.
Proof. eapply Rle_trans; [apply (spectral_pos n)|apply (states_M nil); [constructor|simpl; lia]]. Qed.

Lemma missed_0 : 0 <= missed.
Proof. pose proof (pos_INR n). pose proof M_0. nonneg; auto. apply pow_le. lra. Qed.

(** r bounds what the heads leak. *)
Lemma soft_within C r eps : 11 / 5 <= r * exp C -> r * (16 * (N + M)) <= 1 ->
  x * (2 * r * N * M + missed) <= N / 2 -> a * x * (2 * r * N * M + missed) <= 2 * N * eps -> close C eps.
Proof.
  intros Hr H1 H2 H3. pose proof M_0 as HM. pose proof (exp_pos C) as HE.
  assert (Hr0 : 0 < r) by nra.
  destruct (leak_small C) as (HC & Hl0 & Hl).
  { assert (r * 16 <= 1) by nra. assert (r * exp C * 16 <= exp C) by nra. lra. }
  assert (Hlr : leak C <= r).
  { eapply Rle_trans; [exact Hl|]. apply (Rmult_le_reg_r (exp C)); [exact HE|].
    rewrite Rmult_assoc, <- exp_plus, Rplus_opp_l, exp_0. lra. }
  assert (Heta : 0 <= eta n (leak C) kappa N M <= 2 * r * N * M + missed).
  { unfold eta. pose proof missed_0. assert (0 <= N * M) by nra.
    assert (leak C * (N * M) <= r * (N * M)) by (apply Rmult_le_compat_r; lra).
    split; [apply Rplus_le_le_0_compat; [|assumption]; nonneg; lra|lra]. }
  assert (Hx : 0 <= x) by (apply pow_le; lra). assert (Ha : 0 <= a) by apply length2_pos.
  apply (within n q T p gated (e C) softmax (pr C) T_1 p_1 softmax_local (block_multiplies C)
           (leak C) kappa N M eps); auto.
  - now apply softmax_focused.
  - eapply Rle_trans; [|exact H1]. apply Rmult_le_compat_r; lra.
  - eapply Rle_trans; [|exact H2]. apply Rmult_le_compat_l; lra.
  - eapply Rle_trans; [|exact H3]. apply Rmult_le_compat_l; [now apply Rmult_le_pos|]. apply Heta.
Qed.

(** For eps up to a quarter of alpha's length one condition follows from the other. *)
Lemma soft_rate C eps : 0 < eps <= a / 4 -> 11 / 5 * (16 * (N + M)) <= exp C ->
  a * x * (2 * (11 / 5 / exp C) * N * M + missed) <= 2 * N * eps -> close C eps.
Proof.
  intros He H1 H3. pose proof (exp_pos C) as HE.
  apply (soft_within C (11 / 5 / exp C)); auto.
  - right. field. lra.
  - apply (Rmult_le_reg_r (exp C)); [exact HE|].
    replace (11 / 5 / exp C * (16 * (N + M)) * exp C) with (11 / 5 * (16 * (N + M))) by (field; lra). lra.
  - apply (Rmult_le_reg_l a); [lra|]. rewrite <- Rmult_assoc. eapply Rle_trans; [exact H3|]. nra.
Qed.

End Soft.

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

Lemma product_exact (C : R) y z : Rabs (y * z - y * z) <= 0 * (Rabs y + Rabs z) ^ 4.
Proof. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra. Qed.

Theorem theorem_B_hard C : 0 < C ->
  forall word, over q word -> (length word <= T)%nat ->
  forall t j, (t <= length word)%nat -> (j < n)%nat ->
  forward (e C) hard model (q :: word) t j = read_word n A alpha (firstn t word) j.
Proof.
  intros HC word Hq Hw t j Ht Hj.
  apply (exactly n q T p true (e C) hard Rmult T_1 p_1 hard_local (gated_product C)); auto.
  now apply hard_focused.
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
  apply (soft_rate n q T p alpha A act true 1 1 0 (fun _ => Rmult) N M T_1 p_1 gated_product product_exact
    (Rle_refl 0) HN1 HN HM C eps Heps H1).
  fold g. pose proof (exp_pos C).
  assert (11 / 5 / exp C * (M * g) <= eps).
  { apply (Rmult_le_reg_r (exp C / eps)); [apply Rdiv_lt_0_compat; lra|].
    replace (11 / 5 / exp C * (M * g) * (exp C / eps)) with (11 / 5 * (M * g / eps)) by (field; lra).
    now replace (eps * (exp C / eps)) with (exp C) by (field; lra). }
  replace (g * _) with (2 * N * (11 / 5 / exp C * (M * g))) by (field; lra). apply Rmult_le_compat_l; lra.
Qed.

(** For every eps some C0, and every larger C. *)
Theorem theorem_B eps : 0 < eps -> exists C0, forall C, C0 <= C ->
  forall word, over q word -> (length word <= T)%nat -> forall t, (t <= length word)%nat ->
  length2 n (fun j => forward (e C) softmax model (q :: word) t j
                      - read_word n A alpha (firstn t word) j) <= eps.
Proof.
  intro He. destruct (words_bounded n q T A) as (N & M & HN1 & HM0 & HN & HM).
  destruct (little_enough N M (length2 n alpha) ((2 * N + 1) ^ L) eps HN1 HM0 (length2_pos n alpha)
    ltac:(apply pow_le; lra) He) as (C0 & t & Ht & H).
  exists C0. intros C HC. destruct (H C (INR n * (INR n * (0 * (2 * M + 1) ^ 4))) HC ltac:(lra)) as (H1 & H2 & H3 & H4).
  now apply (soft_within n q T p alpha A act true 1 1 0 (fun _ => Rmult) N M T_1 p_1 gated_product product_exact
    (Rle_refl 0) HN1 HN HM C t).
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

Lemma plain_product h C : 0 < h ->
  multiplies n false (e C h) (even_product (e C h)) (multiplier n false).
Proof.
  intro Hh. destruct act_gentle as (_ & _ & Hodd & _).
  apply (plain_multiplies n p); auto. cbn. lra.
Qed.

Lemma miss_0 h : 0 <= k * (h * h) / 4.
Proof.
  destruct act_gentle as (_ & Hk & _ & _). pose proof (Rle_0_sqr h) as Hh. unfold Rsqr in Hh.
  assert (0 <= k * (h * h)) by now apply Rmult_le_pos. lra.
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
  apply (soft_rate n q T p alpha A act false h c (k * (h * h) / 4) (fun C => even_product (e C h)) N M T_1 p_1
    (fun C => plain_product h C Hh) (fun C => gentle_product alpha A C act h c k act_gentle Hh) (miss_0 h)
    HN1 HN HM C eps Heps H1).
  fold g. pose proof (exp_pos C).
  assert (11 / 5 / exp C * (2 * M * g) <= eps).
  { apply (Rmult_le_reg_r (exp C / eps)); [apply Rdiv_lt_0_compat; lra|].
    replace (11 / 5 / exp C * (2 * M * g) * (exp C / eps)) with (11 / 5 * (2 * M * g / eps)) by (field; lra).
    now replace (eps * (exp C / eps)) with (exp C) by (field; lra). }
  replace (g * _) with (N * (11 / 5 / exp C * (2 * M * g)) + INR n ^ 2 * k * h ^ 2 * (2 * M + 1) ^ 4 * g / 4)
    by (field; lra).
  assert (N * (11 / 5 / exp C * (2 * M * g)) <= N * eps) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** For every eps some C0 and h0, and all larger C and smaller h. *)
Theorem theorem_A eps : 0 < eps -> exists C0 h0, 0 < h0 /\ forall C h, C0 <= C -> 0 < h <= h0 ->
  forall word, over q word -> (length word <= T)%nat -> forall t, (t <= length word)%nat ->
  length2 n (fun j => forward (e C h) softmax model (q :: word) t j
                      - read_word n A alpha (firstn t word) j) <= eps.
Proof.
  intro He. destruct (words_bounded n q T A) as (N & M & HN1 & HM0 & HN & HM).
  destruct (little_enough N M (length2 n alpha) ((2 * N + 1) ^ L) eps HN1 HM0 (length2_pos n alpha)
    ltac:(apply pow_le; lra) He) as (C0 & t & Ht & H).
  pose proof act_gentle as (_ & Hk & _ & _). pose proof (pos_INR n).
  set (D := INR n * (INR n * (k * (2 * M + 1) ^ 4))).
  assert (HD : 0 <= D) by (unfold D; nonneg; auto; apply pow_le; lra).
  exists C0, (Rmin 1 (t / (D + 1))).
  split; [apply Rmin_glb_lt; [lra|apply Rdiv_lt_0_compat; lra]|]. intros C h HC Hh.
  assert (Hmiss : INR n * (INR n * (k * (h * h) / 4 * (2 * M + 1) ^ 4)) <= t).
  { pose proof (Rmin_l 1 (t / (D + 1))). pose proof (Rmin_r 1 (t / (D + 1))).
    replace (_ * _) with (h * h * D / 4) by (unfold D; field).
    assert (h * (D + 1) <= t).
    { apply (Rmult_le_reg_r (/ (D + 1))); [apply Rinv_0_lt_compat; lra|].
      rewrite Rmult_assoc, Rinv_r by lra. unfold Rdiv in *. lra. }
    assert (h * (h * D) <= 1 * (h * D)) by (apply Rmult_le_compat_r; [apply Rmult_le_pos|]; lra). lra. }
  destruct (H C _ HC Hmiss) as (H1 & H2 & H3 & H4).
  now apply (soft_within n q T p alpha A act false h c (k * (h * h) / 4) (fun C => even_product (e C h)) N M T_1
    p_1 (fun C => plain_product h C (proj1 Hh)) (fun C => gentle_product alpha A C act h c k act_gentle (proj1 Hh))
    (miss_0 h) HN1 HN HM C t).
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

