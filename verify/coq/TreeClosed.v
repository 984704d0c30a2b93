(** * Closed forms of C and h for trees

    Section 4.2 and Appendix C. Let the weights of letters be at most U and the sums
    sum_(a,b) |T_(k,a,b)| at most W in absolute value, U, W >= 1. A tree with |str(t)| <= T has at most
    (T + 2) / 3 leaves, so states are at most (U W)^((T+2)/3). With

        K = (T + 2)^2 + (U W)^((T+2)/3)           all that a token holds
        G = (2 K + 1) (n W + 2 n + 2 T + 16)      how much a layer enlarges errors
        m = 4 (2 K + 1) (2 (T + 3)^2 + 5) + (n + 1) / eps

    and L layers, C >= 2 ln(4 K T L G^L m) is enough for softmax with exact products; with hidden
    units a step h with M B^4 h^2 L G^L m / (3 |c|) <= 1/2 too, where B = K + 1 and M bounds the fourth
    derivative within 2 h B of b. So C grows like L log G + log 1/eps, L < T; the recursion of
    TreeRates.v, from which these follow, gives smaller ones.

    Main definitions: [growth], [margin], [enough_saturation], [enough_fineness].
    Main theorems:    [theorem3_rate_closed], [theorem3_mlp_closed], [theorem3_closed],
                      [corollary1_closed]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Theorem1 Softmax Trees Theorem3 Activation FourUnits.
From Assay Require Import TreeModel TreeLayers FreeModel FreeStates FreeLayers TreeSimulation.
From Assay Require Import TreeStatements TreeRates TreeUniform TreeSizes Corollary1.
Import ListNotations.
Open Scope R_scope.

(** ** The constants *)

Definition growth (n T : nat) (U W : R) : R := (2 * token_size T U W + 1) * block_weight n T W.
Definition margin (n T : nat) (U W eps : R) : R :=
  4 * (2 * token_size T U W + 1) * score_weight T + (INR n + 1) / eps.

(** C >= 2 ln(4 K T L G^L m). *)
Definition enough_saturation (n T count : nat) (U W eps C : R) : Prop :=
  0 <= C /\ 4 * token_size T U W * INR T
            * (INR count * growth n T U W ^ count * margin n T U W eps) <= exp (C / 2).

(** Hidden units that miss products by at most eta are fine enough. *)
Definition enough_fineness (n T count : nat) (U W eps eta : R) : Prop :=
  eta * (INR count * growth n T U W ^ count * margin n T U W eps) <= 1 / 2.

(** ** Softmax and exact products *)

Lemma all_low {Sigma : Type} n T (leaf : Sigma -> nat -> R) tensor eps f :
  approximately_simulates_trees n T leaf tensor (fun t => (rank t <= 2 * tallest T)%nat) eps f ->
  approximately_simulates_trees n T leaf tensor (fun _ => True) eps f.
Proof.
  intros H t i d u Ht _. apply H; auto. pose proof (rank_height t). pose proof (tallest_bound t T Ht).
  lia.
Qed.

Section Closed.
Context {Sigma : Type} (n T count : nat) (leaf : Sigma -> nat -> R)
  (tensor : nat -> nat -> nat -> R) (U W eps C : R).
Hypothesis U_1 : 1 <= U.
Hypothesis W_1 : 1 <= W.
Hypothesis leaf_U : forall x k, (k < n)%nat -> Rabs (leaf x k) <= U.
Hypothesis tensor_W : forall k, (k < n)%nat ->
  sum n (fun a => sum n (fun b => Rabs (tensor k a b))) <= W.
Hypothesis eps_pos : 0 < eps.
Hypothesis C_enough : enough_saturation n T count U W eps C.
Local Notation K := (token_size T U W).
Local Notation Q := (score_weight T).
Local Notation m := (margin n T U W eps).
Local Notation G := (growth n T U W).
Local Notation X := (INR count * G ^ count * m).
Local Notation a := (2 * K * (INR T * exp (- (C / 2)))).
Local Notation S := (fun _ : nat => state_size T U W).
Local Notation low := (fun t : tree Sigma => (rank t <= count)%nat).

Lemma K_1 : 1 <= K.
Proof.
  pose proof (state_size_1 T U W U_1 W_1). pose proof (pos_INR T). unfold token_size.
  assert (0 <= (INR T + 2) * (INR T + 2)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma Z_1 : 1 <= block_weight n T W.
Proof.
  pose proof (pos_INR T). pose proof (pos_INR n). unfold block_weight.
  assert (0 <= INR n * W) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma margins : 1 <= m /\ 4 * ((2 * K + 1) * Q) <= m /\ (INR n + 1) / eps <= m.
Proof.
  pose proof K_1. pose proof (pos_INR T). pose proof (pos_INR n).
  assert (0 < (INR n + 1) / eps) by (apply Rdiv_lt_0_compat; lra).
  assert (HQ : 1 <= Q).
  { unfold score_weight. assert (0 <= (INR T + 3) * (INR T + 3)) by (apply Rmult_le_pos; lra). lra. }
  assert (1 * 1 <= (2 * K + 1) * Q) by (apply Rmult_le_compat; lra).
  unfold margin. replace (4 * (2 * K + 1) * Q) with (4 * ((2 * K + 1) * Q)) by ring. lra.
Qed.

Lemma X_pos : 0 <= X.
Proof.
  destruct margins as [Hm _]. pose proof (pos_INR count).
  assert (0 <= G ^ count).
  { apply pow_le, Rmult_le_pos; [pose proof K_1; lra|pose proof Z_1; lra]. }
  repeat apply Rmult_le_pos; lra.
Qed.

Lemma saturated : 0 <= C /\ 0 <= a /\ a * X <= 1 / 2.
Proof.
  destruct C_enough as [HC He]. pose proof X_pos as HX. pose proof K_1. pose proof (pos_INR T).
  set (x := X) in *. clearbody x. set (y := 4 * K * INR T * x) in *.
  pose proof (exp_pos (- (C / 2))) as Hx. split; [lra|].
  split; [repeat apply Rmult_le_pos; lra|].
  replace (a * x) with (y * exp (- (C / 2)) / 2) by (unfold y; field).
  assert (E : exp (C / 2) * exp (- (C / 2)) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  assert (y * exp (- (C / 2)) <= exp (C / 2) * exp (- (C / 2)))
    by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** What the recursion gives where products are off by at most eta. *)
Lemma closed_budget own eta : 0 <= eta -> eta * X <= 1 / 2 ->
  (forall p, In p (free_products n (Datatypes.S T)) -> 0 <= own p <= eta) ->
  (forall l k, (l < count)%nat -> free_reads n T tensor S C own l k <= 1) /\
  sqrt (sum n (fun k => free_errors n T tensor S C own count k ^ 2)) < eps.
Proof.
  intros He Hh Hown. destruct saturated as (HC & Ha & Hs). destruct margins as (M1 & M2 & M3).
  pose proof (pos_INR n) as Hn. pose proof (pos_INR count) as Hcount. pose proof K_1.
  assert (HG : 0 <= G ^ count).
  { apply pow_le, Rmult_le_pos; [lra|pose proof Z_1; lra]. }
  set (bound := INR count * G ^ count * (a + eta)).
  assert (B0 : 0 <= bound) by (unfold bound; repeat apply Rmult_le_pos; lra).
  assert (Bm : bound * m <= 1).
  { replace (bound * m) with (a * X + eta * X) by (unfold bound; ring). lra. }
  assert (B : forall x, 0 <= x -> x <= m -> bound * x <= 1).
  { intros x Hx Hxm. eapply Rle_trans; [|exact Bm]. now apply Rmult_le_compat_l. }
  assert (B1 : bound <= 1) by (rewrite <- (Rmult_1_r bound); apply B; lra).
  assert (B2 : bound * ((2 * K + 1) * Q) <= 1 / 4).
  { assert (0 <= (2 * K + 1) * Q).
    { apply Rmult_le_pos; [lra|]. unfold score_weight. pose proof (pos_INR T).
      assert (0 <= (INR T + 3) * (INR T + 3)) by (apply Rmult_le_pos; lra). lra. }
    pose proof (B (4 * ((2 * K + 1) * Q)) ltac:(lra) M2). lra. }
  assert (B3 : bound <= eps / (INR n + 1)).
  { assert (P : 0 < (INR n + 1) / eps) by (apply Rdiv_lt_0_compat; lra).
    apply (Rmult_le_reg_r ((INR n + 1) / eps)); [exact P|].
    replace (eps / (INR n + 1) * ((INR n + 1) / eps)) with 1 by (field; lra). apply B; lra. }
  pose proof (sizes_below n T U W U_1 W_1) as Sz. pose proof (scores_below n T) as Sc.
  pose proof (block_below n T tensor W tensor_W) as Bl. pose proof Z_1 as HZ.
  split.
  - intros l k Hl. exact (reads_near n T count tensor S C K Q (block_weight n T W) eta own Sz Sc Bl HZ
      HC He Hown B1 B2 l k Hl).
  - pose proof (errors_grow n T count tensor S C K Q (block_weight n T W) eta own Sz Sc Bl HZ
      HC He Hown B1 B2 count (Nat.le_refl _)) as E. set (q := eps / (INR n + 1)) in *.
    assert (Hq : 0 < q) by (apply Rdiv_lt_0_compat; lra).
    rewrite <- (sqrt_Rsqr eps) by lra. apply sqrt_lt_1_alt. split.
    + apply sum_nonneg. intros. apply pow2_ge_0.
    + apply Rle_lt_trans with (sum n (fun _ => q ^ 2)).
      * apply sum_le. intros k Hk. apply pow_incr. destruct (E k) as [E1 E2]. split; [exact E1|].
        eapply Rle_trans; [exact E2|exact B3].
      * rewrite sum_const. replace eps with (q * (INR n + 1)) by (unfold q; field; lra).
        unfold Rsqr. assert (0 < q * q) by now apply Rmult_lt_0_compat.
        replace (q * (INR n + 1) * (q * (INR n + 1)))
          with (INR n * q ^ 2 + (q * q + INR n * (INR n * (q * q)) + INR n * (q * q))) by ring.
        assert (0 <= INR n * (q * q)) by (apply Rmult_le_pos; lra).
        assert (0 <= INR n * (INR n * (q * q))) by (apply Rmult_le_pos; lra). lra.
Qed.

Theorem theorem3_rate_closed :
  approximately_simulates_trees n T leaf tensor low eps (soft_tree n T count leaf tensor C).
Proof.
  destruct saturated as (HC & _ & _).
  apply (theorem3_rate n T count leaf tensor S C HC
    (states_grow n T leaf tensor U W U_1 W_1 leaf_U tensor_W)).
  apply (closed_budget (fun _ => 0) 0); [lra|lra|intros; lra].
Qed.

(** ** Softmax and hidden units *)

Lemma smooth_within sigma b c r r' M : r' <= r -> smooth sigma b c r M -> smooth sigma b c r' M.
Proof.
  intros Hr (d1 & d2 & d3 & d4 & H2 & H). exists d1, d2, d3, d4. split; [exact H2|].
  intros x Hx. apply H. lra.
Qed.

Lemma factor_below k : 0 <= factor n T S k <= K.
Proof.
  destruct saturated as (HC & _ & _).
  destruct (reads_le T C K 0 (free_sizes n T S) (fun _ => 0) (sizes_below n T U W U_1 W_1)
    ltac:(intros; lra) ltac:(lra) HC (free_specs n (Datatypes.S T)) Q (scores_below n T)
    ltac:(lra) k) as [F _]. exact F.
Qed.

Theorem theorem3_mlp_closed sigma b c r M h : smooth sigma b c r M -> c <> 0 ->
  0 < h -> 2 * h * (K + 1) <= r ->
  enough_fineness n T count U W eps (M * (K + 1) ^ 4 * h ^ 2 / (3 * Rabs c)) ->
  approximately_simulates_trees n T leaf tensor low eps
    (tree_network n T count leaf tensor sigma C b h (/ (4 * h ^ 2 * c))).
Proof.
  intros Hsm Hc Hh Hr Hfine. set (s := / (4 * h ^ 2 * c)). set (B := K + 1) in *.
  destruct saturated as (HC & _ & _). pose proof K_1 as HK.
  assert (HM : 0 <= M).
  { destruct Hsm as (d1 & d2 & d3 & d4 & _ & H). assert (Hb : Rabs (b - b) <= r).
    { rewrite Rminus_diag_eq, Rabs_R0 by reflexivity.
      assert (0 < h * B) by (apply Rmult_lt_0_compat; unfold B; lra). lra. }
    destruct (H b Hb) as (_ & _ & _ & _ & Hd). pose proof (Rabs_pos (d4 b)). lra. }
  assert (Hc' : 0 < Rabs c) by now apply Rabs_pos_lt.
  assert (Hh2 : 0 < h ^ 2) by (apply pow_lt; lra).
  assert (HB4 : 0 <= B ^ 4) by (apply pow_le; unfold B; lra).
  set (eta := M * B ^ 4 * h ^ 2 / (3 * Rabs c)) in *.
  assert (Heta : 0 <= eta).
  { apply Rmult_le_pos; [apply Rmult_le_pos; [apply Rmult_le_pos|]; lra|left; apply Rinv_0_lt_compat; lra]. }
  assert (Hown : forall p, In p (free_products n (Datatypes.S T)) ->
    0 <= unit_error n T S c h s (fun _ => M) p <= eta).
  { intros p _. unfold unit_error. cbv zeta. pose proof (factor_below (left_of p)).
    pose proof (factor_below (right_of p)).
    set (P := factor n T S (left_of p) + 1). set (R := factor n T S (right_of p) + 1).
    assert (P4 : forall x, 1 <= x <= B -> 0 <= x ^ 2 <= B ^ 2).
    { intros x Hx. split; [apply pow2_ge_0|apply pow_incr; lra]. }
    pose proof (P4 P ltac:(unfold P, B; lra)) as HP. pose proof (P4 R ltac:(unfold R, B; lra)) as HR.
    replace (4 * h ^ 2 * c * s - 1) with 0 by (unfold s; field; split; [exact Hc|lra]).
    rewrite Rabs_R0, Rmult_0_l, Rplus_0_r.
    assert (Hs : Rabs s = / (4 * h ^ 2 * Rabs c)).
    { unfold s. rewrite Rabs_inv, !Rabs_mult, (Rabs_pos_eq 4), (Rabs_pos_eq (h ^ 2)) by lra.
      reflexivity. }
    rewrite Hs. assert (Hs0 : 0 < / (4 * h ^ 2 * Rabs c)).
    { apply Rinv_0_lt_compat. repeat apply Rmult_lt_0_compat; lra. }
    assert (Hpoly : 0 <= 2 * P ^ 4 + 12 * P ^ 2 * R ^ 2 + 2 * R ^ 4 <= 16 * B ^ 4).
    { replace (P ^ 4) with (P ^ 2 * P ^ 2) by ring. replace (R ^ 4) with (R ^ 2 * R ^ 2) by ring.
      replace (B ^ 4) with (B ^ 2 * B ^ 2) by ring. set (x := P ^ 2) in *. set (y := R ^ 2) in *.
      set (z := B ^ 2) in *.
      assert (0 <= x * x <= z * z) by (split; [apply Rmult_le_pos|apply Rmult_le_compat]; lra).
      assert (0 <= x * y <= z * z) by (split; [apply Rmult_le_pos|apply Rmult_le_compat]; lra).
      assert (0 <= y * y <= z * z) by (split; [apply Rmult_le_pos|apply Rmult_le_compat]; lra).
      rewrite (Rmult_assoc 12). lra. }
    assert (Hh4 : 0 <= M * h ^ 4) by (apply Rmult_le_pos; [exact HM|apply pow_le; lra]).
    unfold remainder. set (poly := 2 * P ^ 4 + 12 * P ^ 2 * R ^ 2 + 2 * R ^ 4) in *.
    assert (0 <= M * h ^ 4 * poly <= M * h ^ 4 * (16 * B ^ 4)).
    { split; [apply Rmult_le_pos; lra|apply Rmult_le_compat_l; lra]. }
    split; [apply Rmult_le_pos; lra|].
    apply Rle_trans with (/ (4 * h ^ 2 * Rabs c) * (M * h ^ 4 * (16 * B ^ 4) / 12)).
    - apply Rmult_le_compat_l; lra.
    - right. unfold eta. field. split; lra. }
  destruct (closed_budget _ eta Heta Hfine Hown) as [Hnear Hend].
  apply (theorem3_mlp_rate n T count leaf tensor S C HC
    (states_grow n T leaf tensor U W U_1 W_1 leaf_U tensor_W) sigma b c h s (fun _ => M) Hh); auto.
  intros p _. apply (smooth_within _ _ _ r); [|exact Hsm].
  pose proof (factor_below (left_of p)). pose proof (factor_below (right_of p)).
  eapply Rle_trans; [|exact Hr]. replace (2 * h * B) with (h * (2 * B)) by ring.
  apply Rmult_le_compat_l; [lra|]. unfold B. lra.
Qed.
End Closed.

(** Theorem 3 for all trees with |str(t)| <= T, with fewer than T layers, softmax and MLPs. *)
Theorem theorem3_closed {Sigma : Type} n T (leaf : Sigma -> nat -> R) tensor U W eps C
    sigma b c r M h :
  let depth := (2 * tallest T)%nat in
  let B := token_size T U W + 1 in
  (1 <= T)%nat -> 1 <= U -> 1 <= W -> (forall x k, (k < n)%nat -> Rabs (leaf x k) <= U) ->
  (forall k, (k < n)%nat -> sum n (fun a => sum n (fun b => Rabs (tensor k a b))) <= W) ->
  0 < eps -> enough_saturation n T depth U W eps C ->
  smooth sigma b c r M -> c <> 0 -> 0 < h -> 2 * h * B <= r ->
  enough_fineness n T depth U W eps (M * B ^ 4 * h ^ 2 / (3 * Rabs c)) ->
  (depth < T)%nat /\
  approximately_simulates_trees n T leaf tensor (fun _ => True) eps
    (tree_network n T depth leaf tensor sigma C b h (/ (4 * h ^ 2 * c))).
Proof.
  intros depth B HT HU HW Hleaf Htensor He HC Hsm Hc Hh Hr Hfine.
  split; [now apply tallest_layers|]. apply all_low.
  now apply (theorem3_mlp_closed n T depth leaf tensor U W eps C HU HW Hleaf Htensor He HC)
    with (r := r) (M := M).
Qed.

(** ** Corollary 1 *)

(** Every tree automaton with n >= 1 states, with softmax and MLPs, at every node of every tree with
    |str(t)| <= T: U = 1 and W = n^2, eps = 1/2. *)
Theorem corollary1_closed {Sigma : Type} n (initial : Sigma -> nat -> bool) delta T C
    sigma b c r M h :
  let depth := (2 * tallest T)%nat in
  let W := INR n * INR n in
  let B := token_size T 1 W + 1 in
  (1 <= n)%nat -> enough_saturation n T depth 1 W (1 / 2) C ->
  smooth sigma b c r M -> c <> 0 -> 0 < h -> 2 * h * B <= r ->
  enough_fineness n T depth 1 W (1 / 2) (M * B ^ 4 * h ^ 2 / (3 * Rabs c)) ->
  forall (t : tree Sigma) i d u, (length (str t) <= T)%nat -> node t i d u ->
    decides n initial delta u
      (tree_network n T depth (leaf_of initial) (tensor_of delta) sigma C b h
         (/ (4 * h ^ 2 * c)) (str t) i).
Proof.
  intros depth W B Hn HC Hsm Hc Hh Hr Hfine t i d u Ht Hnode.
  assert (Hn1 : 1 <= INR n) by (apply (le_INR 1); lia).
  assert (Hb : forall x, Rabs (b2r x) <= 1).
  { intros []; simpl; [rewrite Rabs_R1|rewrite Rabs_R0]; lra. }
  assert (HW : 1 <= W) by (unfold W; rewrite <- (Rmult_1_l 1); apply Rmult_le_compat; lra).
  apply half_decides.
  refine (proj2 (theorem3_closed n T (leaf_of initial) (tensor_of delta) 1 W (1 / 2) C sigma b c r M h
    _ (Rle_refl 1) HW _ _ ltac:(lra) HC Hsm Hc Hh Hr Hfine) t i d u Ht Logic.I Hnode);
    [pose proof (str_length Sigma t); lia|intros; apply Hb|].
  intros k Hk. unfold W. rewrite <- sum_const. apply sum_le. intros p Hp.
  rewrite <- (Rmult_1_r (INR n)), <- sum_const. apply sum_le. intros q Hq. apply Hb.
Qed.
