(** * Theorem 3 with softmax: the error of the states

    Section 4.2 and Appendix C, repaired. The model of TreeModel.v with softmax of C times the
    scores, in all heads, those of the two preparing layers included. Depths are exact (equal
    scores); flags are off by at most 2 T exp(-C), so the right head's gap is at least
    1 - 4 (T + 2) T exp(-C), and every head of a parse layer gives away at most [tree_leak]. With
    the recursion of TreeRecursion.v that bounds the error at every token of every tree with
    |str(t)| <= T, where the blocks of the parse layers are right up to blk on the states and exact
    on the other coordinates, and those of the first two layers are exact. MLPs are in TreeMLP.v.

    Main definitions: [flags_off], [tree_leak], [block_run].
    Main theorems:    [flags_near], [right_near], [soft_error], [states_bounded]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Activation Theorem1 Softmax Spectral Trees Theorem3.
From Assay Require Import TreeModel TreeBlocks TreeScores TreeLayers TreeRecursion.
Import ListNotations.
Open Scope R_scope.

(** ** The built model with softmax *)

(** How far a flag may be off, and what a head of a parse layer gives away at most. *)
Definition flags_off (T : nat) (C : R) : R := 2 * (INR T * exp (- C)).
Definition tree_leak (T : nat) (C : R) : R :=
  INR T * exp (- (C * (1 - 2 * IZR (beta (S T)) * flags_off T C))).

Lemma scalar_norm : vector_norm 1 (fun x => Rabs (x 0%nat)).
Proof.
  split; intros.
  - now rewrite H by lia.
  - apply Rabs_pos.
  - apply Rabs_triang.
  - rewrite Rabs_mult. lra.
Qed.

Section SoftModel.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R)
  (C : R) (T : nat) (t : tree Sigma).
Hypothesis C_pos : 0 <= C.
Hypothesis fits : (length (str t) <= T)%nat.

Local Notation w := (str t).
Local Notation M := (rows w).
Local Notation val := (value leaf tensor C w).
Local Notation E := (embedded n leaf tensor C w).
Local Notation tokens := (S T).
Local Notation after := (after n leaf tensor C w tokens Soft).
Local Notation held := (held n leaf tensor).
Local Notation left := (left_head n tokens Soft).
Local Notation right := (right_head n tokens Soft).
Local Notation previous := (previous_head n Soft).
Local Notation parsed X :=
  (run_layer val M [at_place n; at_square n] E X (parse_layer n tokens Soft)).

Local Notation stands := (stands_out leaf tensor C w Soft).
Lemma soft_stands h X r s0 g : how h = Soft -> stands h X r s0 g ->
  near M (INR T * exp (- (C * g))) (weights val M h X r) s0.
Proof.
  intros Hh (H0 & Ha & H). apply (near_le M (INR (M - 1) * exp (- (C * g)))).
  - apply Rmult_le_compat_r; [left; apply exp_pos|]. apply le_INR. unfold rows. lia.
  - unfold weights. rewrite Hh. now apply soft_near.
Qed.

Theorem previous_near r : (r < M)%nat ->
  near M (INR T * exp (- C)) (weights val M previous E r) (r - 1).
Proof.
  intro Hr. rewrite <- (Rmult_1_r C) at 1. now apply soft_stands, previous_out.
Qed.

Theorem flags_near r : (r < M)%nat ->
  Rabs (read val M previous E r 0%nat - IZR (flag w r)) <= flags_off T C.
Proof.
  intro Hr. set (F := fun s (_ : nat) => E s (at_kind n)).
  pose proof (mean_error 1 _ scalar_norm M _ _ (r - 1)%nat F F 0 1 (previous_near r Hr)
                ltac:(lia)) as H.
  assert (Hk : forall s, F s 0%nat = IZR (kind_at w s)).
  { intro s. unfold F.
    now destruct (embedded_row n leaf tensor C w s) as (_ & _ & _ & _ & -> & _). }
  unfold vminus in H at 2. rewrite Hk in H. fold (flag w r) in H.
  unfold flags_off. rewrite <- (Rplus_0_l (2 * _)), <- (Rmult_1_r 2) at 1. apply H.
  - intros s Hs. unfold vminus. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - intros s Hs. rewrite Hk, <- abs_IZR. apply (IZR_le _ 1). pose proof (kind_range w s Hs). lia.
Qed.

(** After the first two layers depths are exact and flags off by at most [flags_off]. *)
Theorem prepared_soft : prepared n w (flags_off T C) (after 0) /\
  forall r k, (r < M)%nat -> (k < n)%nat -> after 0 r k = E r k.
Proof. apply prepared_after_two; [discriminate|]. exact flags_near. Qed.

Lemma flags_off_pos : 0 <= flags_off T C.
Proof.
  unfold flags_off. pose proof (pos_INR T). pose proof (exp_pos (- C)).
  assert (0 <= INR T * exp (- C)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma beta_pos : 0 <= IZR (beta tokens).
Proof. apply (IZR_le 0). unfold beta. lia. Qed.

Lemma leak_exact v s0 : near M (INR T * exp (- C)) v s0 -> near M (tree_leak T C) v s0.
Proof.
  apply near_le. unfold tree_leak. apply Rmult_le_compat_l; [apply pos_INR|]. apply exp_le.
  pose proof flags_off_pos. pose proof beta_pos.
  assert (0 <= 2 * IZR (beta tokens) * flags_off T C) by (apply Rmult_le_pos; lra). nra.
Qed.

Variable X : mat.
Hypothesis HX : prepared n w (flags_off T C) X.

Theorem left_near r : (r < M)%nat -> near M (tree_leak T C) (weights val M left X r) (next_row w r).
Proof.
  intro Hr. apply leak_exact. rewrite <- (Rmult_1_r C) at 1. apply soft_stands; [reflexivity|].
  now apply (left_out n leaf tensor C w Soft C_pos tokens (rows_fit T t fits) (flags_off T C)).
Qed.

Theorem right_near i d a b : node t i d (Node a b) ->
  near M (tree_leak T C) (weights val M right X i) (i + 1 + length (str a)).
Proof.
  intro Hn. pose proof (node_inside _ _ _ _ Hn) as Hi. simpl in Hi. rewrite !app_length in Hi.
  apply soft_stands; [reflexivity|].
  apply (right_out n leaf tensor C w Soft C_pos tokens (rows_fit T t fits) (flags_off T C) X i a b HX (node_occurs _ _ _ _ _ Hn)).
  unfold rows. simpl in Hi. lia.
Qed.

Theorem right_convex r : (r < M)%nat -> convex M (weights val M right X r).
Proof.
  intro Hr. unfold weights. cbn [how seen right_head scored attend].
  apply (soft_convex M _ _ r r Hr). cbn. apply Nat.leb_refl.
Qed.
End SoftModel.

(** Runs of the model whose parse blocks compute the states up to blk, and copy the rest. *)
Section Blocks.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R)
  (nu : (nat -> R) -> R) (tau : R).
Hypothesis vn : vector_norm n nu.
Hypothesis tau_pos : 0 <= tau.
Hypothesis tensor_norm : forall x y, nu (bilinear_state n tensor x y) <= tau * nu x * nu y.

Definition block_run (C : R) (T : nat) (t : tree Sigma) (blk : R) (X : nat -> mat) : Prop :=
  let M := rows (str t) in
  let val := value leaf tensor C (str t) in
  let E := embedded n leaf tensor C (str t) in
  (forall r c, (r < M)%nat -> (c < n + 6)%nat ->
     X 0%nat r c = after n leaf tensor C (str t) (S T) Soft 0 r c) /\
  forall l r, (r < M)%nat ->
    let Y := run_layer val M [at_place n; at_square n] E (X l) (parse_layer n (S T) Soft) r in
    (forall c, (n <= c < n + 6)%nat -> X (S l) r c = Y c) /\ nu (vminus (X (S l) r) Y) <= blk.

Lemma prepared_ext (w : list (symbol Sigma)) eta (X Y : mat) :
  (forall r c, (r < rows w)%nat -> (n <= c < n + 6)%nat -> X r c = Y r c) ->
  prepared n w eta Y -> prepared n w eta X.
Proof.
  intros H [P1 P2 P3 P4 P5 P6].
  split; intros r Hr; rewrite H by (auto; unfold at_one, at_place, at_square, at_count, at_kind,
    at_mark; lia); auto.
Qed.

(** The recursion for the built model, for every tree, C >= 0 and norm. *)
Theorem soft_error C T t S blk X : 0 <= C -> (length (str t) <= T)%nat -> 0 <= blk ->
  (forall i d u, node t i d u -> nu (mu n leaf tensor u) <= S) ->
  block_run C T t blk X ->
  forall l r, (r < rows (str t))%nat ->
    nu (vminus (X l r) (held n leaf tensor l t r)) <= errors tau S (tree_leak T C) blk l.
Proof.
  intros HC HT Hb HS [H0 HR]. set (w := str t) in *. set (M := rows w) in *.
  set (val := value leaf tensor C w) in *. cbv zeta in HR.
  destruct (prepared_soft n leaf tensor C T t HC HT) as [P0 Hemb].
  assert (HP : forall l, prepared n w (flags_off T C) (X l)).
  { induction l as [|l IH].
    - eapply prepared_ext; [|exact P0]. intros r c Hr Hc. apply H0; auto. lia.
    - eapply prepared_ext; [intros r c Hr Hc; apply (proj1 (HR l r Hr) c Hc)|].
      apply parse_keeps; [discriminate|exact IH]. }
  apply (tree_recursion n nu vn tensor tau tau_pos tensor_norm leaf t S HS _ blk
    (fun l => weights val M (left_head n (Datatypes.S T) Soft) (X l))
    (fun l => weights val M (right_head n (Datatypes.S T) Soft) (X l)) X); auto.
  - unfold tree_leak. apply Rmult_le_pos; [apply pos_INR|left; apply exp_pos].
  - split.
    + intros r k Hr Hk. rewrite H0 by (auto; lia). unfold w. rewrite Hemb by auto.
      now apply held_embedded.
    + intros l r Hr Hk. pose proof (left_near n leaf tensor C T t HC HT _ (HP l) r) as G. unfold next_row in G.
      rewrite Hk in G. apply G. apply kind_open in Hk. unfold rows. apply Nat.lt_lt_succ_r, nth_error_Some. congruence.
    + intros l r Hr Hk. pose proof (left_near n leaf tensor C T t HC HT _ (HP l) r Hr) as G. unfold next_row in G.
      now rewrite (proj2 (Z.eqb_neq _ _) Hk) in G.
    + intros l i d a b Hn. now apply (right_near n leaf tensor C T t HC HT _ (HP l) i d a b).
    + intros l r Hr. now apply right_convex.
    + intros l r Hr. destruct (HR l r Hr) as [_ Hs]. eapply Rle_trans; [|exact Hs].
      right. apply (v_ext n nu vn). intros k Hk. unfold vminus. f_equal.
      destruct (parse_layer_row n leaf tensor C w (Datatypes.S T) Soft ltac:(discriminate)
        (X l) r Hr) as (_ & _ & _ & _ & ->); auto.
      rewrite (p_one _ _ _ _ (HP l)), (p_kind _ _ _ _ (HP l)) by auto. f_equal.
      apply sum_ext. intros a Ha. apply sum_ext. intros b Hb'. unfold read, mean.
      cbn [reads left_head right_head scored]. now rewrite !seq_nth.
Qed.

End Blocks.

(** ** How large states are *)

Lemma exp_small x : 0 <= x -> exp (- x) * (1 + x) <= 1.
Proof.
  intro Hx. rewrite exp_Ropp. pose proof (exp_lower x Hx). pose proof (exp_pos x).
  apply (Rmult_le_reg_l (exp x)); auto. rewrite <- Rmult_assoc, Rinv_r by lra. lra.
Qed.

(** All states of trees with |str(t)| <= T are bounded, if the letters are finitely many. *)
Lemma states_bounded {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor nu tau
    (letters : list Sigma) T :
  vector_norm n nu -> 0 <= tau ->
  (forall x y, nu (bilinear_state n tensor x y) <= tau * nu x * nu y) ->
  (forall a, In a letters) ->
  exists S, 0 <= S /\ forall t : tree Sigma, (length (str t) <= T)%nat ->
    nu (mu n leaf tensor t) <= S.
Proof.
  intros vn Ht HT Hall.
  destruct (finite_max (fun a => nu (leaf a)) letters) as (b & Hb & Hleaf). set (q := (1 + tau) * b).
  assert (Hq : 1 <= q) by (unfold q; nra). assert (Hqt : tau <= q) by (unfold q; nra).
  assert (G : forall t : tree Sigma, nu (mu n leaf tensor t) <= q ^ length (str t)).
  { induction t as [a|x IHx y IHy].
    - cbn. rewrite Rmult_1_r. eapply Rle_trans; [apply Hleaf, Hall|]. unfold q. nra.
    - cbn [mu]. eapply Rle_trans; [apply HT|]. cbn [str length].
      rewrite !app_length. cbn [length]. rewrite <- tech_pow_Rmult, Nat.add_assoc, !pow_add.
      assert (0 <= q ^ length (str x)) by (apply pow_le; lra).
      assert (0 <= q ^ length (str y)) by (apply pow_le; lra).
      rewrite Rmult_assoc. apply Rmult_le_compat; auto.
      + apply Rmult_le_pos; apply (v_pos n nu vn).
      + apply Rle_trans with (q ^ length (str x) * q ^ length (str y)).
        * apply Rmult_le_compat; auto; apply (v_pos n nu vn).
        * rewrite <- (Rmult_1_r (_ * _)) at 1. apply Rmult_le_compat_l; [now apply Rmult_le_pos|].
          simpl. lra. }
  exists (q ^ T). split; [apply pow_le; lra|]. intros t Hl.
  eapply Rle_trans; [apply G|]. now apply Rle_pow.
Qed.
