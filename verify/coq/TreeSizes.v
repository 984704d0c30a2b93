(** * Sizes of states, scores and blocks of the tree model

    Section 4.2 and Appendix C. Let the weights of letters be at most U and the sums
    sum_(a,b) |T_(k,a,b)| at most W in absolute value, U, W >= 1. A tree with |str(t)| <= T has at most
    (T + 2) / 3 leaves, so states are at most (U W)^((T+2)/3). From these come bounds on all that a token
    holds, on the weights of scores and on those of a block.

    Main definitions: [state_size], [token_size], [block_weight], [score_weight].
    Main theorems:    [states_grow], [sizes_below], [scores_below], [block_below]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Theorem1 Trees Theorem3 Pebbling TreeModel TreeBlocks TreeContinuity.
From Assay Require Import FreeModel TreeBudget TreeRates.
Import ListNotations.
Open Scope R_scope.

(** ** The bounds *)

Definition state_size (T : nat) (U W : R) : R := (U * W) ^ ((T + 2) / 3).
Definition token_size (T : nat) (U W : R) : R := (INR T + 2) * (INR T + 2) + state_size T U W.
Definition block_weight (n T : nat) (W : R) : R := INR n * W + 2 * INR n + 2 * INR T + 16.
Definition score_weight (T : nat) : R := 2 * ((INR T + 3) * (INR T + 3)) + 5.

(** ** They hold *)

Section Sizes.
Context {Sigma : Type} (n T : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R)
  (U W : R).
Hypothesis U_1 : 1 <= U.
Hypothesis W_1 : 1 <= W.
Hypothesis leaf_U : forall x k, (k < n)%nat -> Rabs (leaf x k) <= U.
Hypothesis tensor_W : forall k, (k < n)%nat ->
  sum n (fun a => sum n (fun b => Rabs (tensor k a b))) <= W.

Lemma UW_1 : 1 <= U * W.
Proof. rewrite <- (Rmult_1_l 1). apply Rmult_le_compat; lra. Qed.

Lemma state_leaves (t : tree Sigma) : forall k, (k < n)%nat ->
  W * Rabs (mu n leaf tensor t k) <= (U * W) ^ leaves t.
Proof.
  induction t as [x|l IHl r IHr]; intros k Hk; cbn [mu leaves].
  - rewrite pow_1, (Rmult_comm U). apply Rmult_le_compat_l; [lra|auto].
  - rewrite pow_add. set (X := (U * W) ^ leaves l) in *. set (Y := (U * W) ^ leaves r) in *.
    assert (Q : forall x Z, W * Rabs x <= Z -> Rabs x <= Z / W).
    { intros x Z H. apply (Rmult_le_reg_l W); [lra|]. unfold Rdiv.
      replace (W * (Z * / W)) with (Z * (W * / W)) by ring. rewrite Rinv_r by lra. lra. }
    assert (B : Rabs (bilinear_state n tensor (mu n leaf tensor l) (mu n leaf tensor r) k)
                <= W * (X / W * (Y / W))).
    { unfold bilinear_state. apply Rle_trans with
        (sum n (fun a => sum n (fun b => Rabs (tensor k a b))) * (X / W * (Y / W))).
      - eapply Rle_trans; [apply sum_abs|]. rewrite sum_scal_r. apply sum_le. intros a Ha.
        eapply Rle_trans; [apply sum_abs|]. rewrite sum_scal_r. apply sum_le. intros b Hb.
        rewrite Rmult_assoc, Rabs_mult. apply Rmult_le_compat_l; [apply Rabs_pos|].
        rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos.
      - apply Rmult_le_compat_r; [|auto].
        pose proof (Rle_trans _ _ _ (Rabs_pos _) (Q _ _ (IHl k Hk))).
        pose proof (Rle_trans _ _ _ (Rabs_pos _) (Q _ _ (IHr k Hk))). now apply Rmult_le_pos. }
    apply Rle_trans with (W * (W * (X / W * (Y / W)))); [apply Rmult_le_compat_l; [lra|exact B]|].
    right. field. lra.
Qed.

Theorem states_grow (t : tree Sigma) : (length (str t) <= T)%nat -> forall k, (k < n)%nat ->
  Rabs (mu n leaf tensor t k) <= state_size T U W.
Proof.
  intros Ht k Hk. pose proof (state_leaves t k Hk) as H. pose proof (length_leaves t) as L.
  assert (E : (U * W) ^ leaves t <= state_size T U W).
  { apply Rle_pow; [exact UW_1|]. apply Nat.div_le_lower_bound; lia. }
  pose proof (Rabs_pos (mu n leaf tensor t k)).
  assert (1 * Rabs (mu n leaf tensor t k) <= W * Rabs (mu n leaf tensor t k))
    by (apply Rmult_le_compat_r; lra). lra.
Qed.

Lemma state_size_1 : 1 <= state_size T U W.
Proof. apply pow_R1_Rle, UW_1. Qed.

Lemma sizes_below c : 0 <= free_sizes n T (fun _ => state_size T U W) c <= token_size T U W.
Proof.
  pose proof state_size_1. pose proof (pos_INR T).
  assert (H2 : 0 <= INR T * INR T) by now apply Rmult_le_pos.
  assert (H3 : token_size T U W = INR T * INR T + 4 * INR T + 4 + state_size T U W)
    by (unfold token_size; ring).
  unfold free_sizes. destruct (c <? n)%nat; [lra|].
  destruct (c - n)%nat as [|[|[|[|[|[|[|m]]]]]]]; lra.
Qed.

Lemma IZR_end : IZR (end_weight (S T)) = (INR T + 3) * (INR T + 3).
Proof.
  unfold end_weight. rewrite Z.pow_2_r, mult_IZR, plus_IZR, <- INR_IZR_INZ, S_INR. ring.
Qed.

Lemma scores_below : Forall (fun h => wssize (asks h) (answers h) <= score_weight T)
  (free_specs n (S T)).
Proof.
  pose proof (pos_INR T). assert (0 <= INR T * INR T) by now apply Rmult_le_pos.
  unfold score_weight. set (q := (INR T + 3) * (INR T + 3)).
  assert (Hq : 0 <= q) by (apply Rmult_le_pos; lra).
  assert (A : Rabs (IZR (end_weight (S T))) = q) by (rewrite IZR_end; now apply Rabs_pos_eq).
  assert (A' : Rabs (IZR (- end_weight (S T))) = q) by (rewrite opp_IZR, Rabs_Ropp; exact A).
  repeat constructor; unfold wssize, wsize, next_queries, next_keys, aimed_queries, own_queries,
    towards, places; cbn [asks answers app combine];
    unfold lsum; cbn -[IZR Z.opp Z.mul end_weight Rabs]; rewrite ?A, ?A';
    rewrite <- ?abs_IZR; cbn [Z.abs Z.mul Pos.mul]; lra.
Qed.

Lemma psize_app (l l' : list product) : psize tensor (l ++ l') = psize tensor l + psize tensor l'.
Proof. apply lsum_app. Qed.

Lemma psize_ones (g : nat -> product) k :
  (forall c, Rabs (plain_value tensor (times (g c))) = 1) -> psize tensor (map g (seq 0 k)) = INR k.
Proof.
  intro H. unfold psize. rewrite lsum_map, lsum_seq, (sum_ext k _ (fun _ => 1)) by auto.
  rewrite sum_const. ring.
Qed.

Lemma block_below : psize tensor (free_products n (S T)) <= block_weight n T W.
Proof.
  assert (A : psize tensor (free_tensor n) <= INR n * W).
  { unfold psize, free_tensor. rewrite lsum_flat_map, lsum_seq, <- sum_const. apply sum_le.
    intros k Hk. eapply Rle_trans; [|apply (tensor_W k Hk)]. right.
    rewrite lsum_flat_map, lsum_seq. apply sum_ext. intros a Ha.
    now rewrite lsum_map, lsum_seq. }
  assert (One : Rabs (IZR 1) = 1) by apply Rabs_R1.
  assert (Minus : Rabs (IZR (-1)) = 1) by (rewrite Rabs_left1; lra).
  assert (B : IZR (beyond (S T)) = INR T + 2).
  { unfold beyond. rewrite plus_IZR, <- INR_IZR_INZ, S_INR. ring. }
  pose proof (pos_INR T) as HT.
  assert (B1 : Rabs (IZR (beyond (S T))) = INR T + 2) by (rewrite B; apply Rabs_pos_eq; lra).
  assert (B2 : Rabs (IZR (1 - beyond (S T))) = INR T + 1).
  { rewrite minus_IZR, B, Rabs_left1; lra. }
  unfold free_products, block_weight, kept. rewrite !psize_app.
  rewrite (psize_ones (copy n (own_from n))) by (intro; exact One).
  rewrite (psize_ones (free_gate n)) by (intro; exact Minus).
  assert (C1 : psize tensor (map (copy n (own_from n))
                 [at_one n; free_kind n; free_done n; free_size n]) = 4).
  { unfold psize, lsum. cbn -[Rabs IZR]. rewrite One. ring. }
  assert (C2 : psize tensor (map (free_gate n) [free_done n; free_size n]) = 2).
  { unfold psize, lsum. cbn -[Rabs IZR]. rewrite Minus. ring. }
  rewrite C1, C2. unfold psize at 2, lsum. cbn -[Rabs IZR beyond Z.sub psize].
  rewrite One, B1, B2. rewrite (Rabs_pos_eq 2) by lra. lra.
Qed.
End Sizes.
