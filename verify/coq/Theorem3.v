(** * Theorem 3, repaired: hard attention on str(t) finds both children, for all trees

    Section 4 and Appendix C. For every tree t, with T = |str(t)| positions on a half circle, the
    left head of an opening bracket attends to its left child and the right head, with the repaired
    depth (opening minus closing brackets strictly before) and an exact step function, to its right
    child; after as many layers as the height of the tree, every position of I_t carries the state
    of its subtree, for every WTA with any number of states and exact products.

    Where we differ from the print: the depth is the repaired one (Trees.v); [j >= i + 2] is the step
    itself, not a Fourier sum; the state of a node contracts modes two and three. Positions count
    from 0 here. Depths, squares and heads enter as numbers; the layers that compute the depth and
    the matrices behind the scores are not written out.

    Main definitions: [left_score], [right_score], [mu], [tree_layer], [run_tree].
    Main theorems:    [left_head], [right_head], [theorem3_states]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Gap Theorem1 Trees.

(** ** The heads *)

Open Scope R_scope.

Section Heads.
Variable T : nat.                   (* the number of positions *)

(** p_i, and the score p_i^T R^T p_j with R the rotation by k pi / T. *)
Definition pcos (i : nat) : R := cos (PI * INR i / INR T).
Definition psin (i : nat) : R := sin (PI * INR i / INR T).
Definition rotated (k i j : nat) : R :=
  let a := PI * INR k / INR T in
  (cos a * pcos i - sin a * psin i) * pcos j + (sin a * pcos i + cos a * psin i) * psin j.

Definition left_score (i j : nat) : R := rotated 1 i j.

Definition right_score (beta : R) (d : nat -> Z) (i j : nat) : R :=
  - beta * (1 - (IZR (d j) - IZR (d i))) ^ 2 + rotated 2 i j + 2 * b2r (i + 2 <=? j)%nat.

Lemma rotated_cos k i j : (0 < T)%nat ->
  rotated k i j = score (Z.of_nat T) (Z.of_nat j - Z.of_nat i - Z.of_nat k).
Proof.
  intro HT. unfold rotated, pcos, psin, score.
  set (a := PI * INR k / INR T). set (p := PI * INR i / INR T). set (q := PI * INR j / INR T).
  replace (PI * IZR (Z.of_nat j - Z.of_nat i - Z.of_nat k) / IZR (Z.of_nat T)) with (q - (p + a)).
  - rewrite cos_minus, cos_plus, sin_plus. ring.
  - unfold a, p, q. rewrite !minus_IZR, <- !INR_IZR_INZ. field. apply not_0_INR. lia.
Qed.

Lemma score_0 : (0 < T)%nat -> score (Z.of_nat T) 0 = 1.
Proof.
  intro HT. replace 0%Z with (2 * Z.of_nat T * 0)%Z at 1 by lia. apply score_hit. lia.
Qed.

Lemma score_le_1 m : score (Z.of_nat T) m <= 1.
Proof. unfold score. apply COS_bound. Qed.

Lemma score_miss m : (0 < T)%nat -> (0 < Z.abs m < 2 * Z.of_nat T)%Z -> score (Z.of_nat T) m < 1.
Proof.
  intros HT Hm. destruct (miss_gap (Z.of_nat T) m) as [H1 H2]; [lia| |lra].
  intro H. apply Z.mod_divide in H; [|lia]. destruct H as [k Hk].
  assert (k = 0 \/ 1 <= k \/ k <= -1)%Z as [|[|]] by lia; nia.
Qed.

(** On 0 .. T the score falls. *)
Lemma score_decreasing m m' : (0 <= m < m')%Z -> (m' <= Z.of_nat T)%Z ->
  score (Z.of_nat T) m' < score (Z.of_nat T) m.
Proof.
  intros Hm Hm'. unfold score. pose proof PI_RGT_0 as HP.
  assert (HT : 0 < IZR (Z.of_nat T)) by (apply (IZR_lt 0); lia).
  assert (B : forall z, (0 <= z <= Z.of_nat T)%Z -> 0 <= PI * IZR z / IZR (Z.of_nat T) <= PI).
  { intros z Hz. assert (0 <= IZR z) by (apply (IZR_le 0); lia).
    assert (IZR z <= IZR (Z.of_nat T)) by (apply IZR_le; lia). split.
    - apply Rmult_le_pos; [nra|left; now apply Rinv_0_lt_compat].
    - apply (Rmult_le_reg_r (IZR (Z.of_nat T))); auto. unfold Rdiv.
      rewrite Rmult_assoc, Rinv_l by lra. nra. }
  pose proof (B m ltac:(lia)). pose proof (B m' ltac:(lia)).
  apply cos_decreasing_1; try lra.
  apply Rmult_lt_compat_r; [now apply Rinv_0_lt_compat|].
  apply Rmult_lt_compat_l; auto. apply IZR_lt. lia.
Qed.

Lemma score_gt_m1 m : (0 <= m < Z.of_nat T)%Z -> -1 < score (Z.of_nat T) m.
Proof.
  intro Hm. eapply Rle_lt_trans; [|apply (score_decreasing m (Z.of_nat T)); lia].
  unfold score. apply COS_bound.
Qed.

(** The left head of position i attends to i + 1, and to nothing else. *)
Theorem left_head i : (i + 1 < T)%nat ->
  forall s, (s < T)%nat -> hard T left_score i s = b2r (s =? i + 1)%nat.
Proof.
  intros Hi. apply hard_row; [lia|]. intros s Hs Hne. unfold left_score.
  rewrite !rotated_cos by lia.
  replace (Z.of_nat (i + 1) - Z.of_nat i - Z.of_nat 1)%Z with 0%Z by lia.
  rewrite score_0 by lia. apply score_miss; lia.
Qed.
End Heads.

(** The right head of an opening bracket attends to its right child, and to nothing else. *)
Theorem right_head {Sigma : Type} (w : list (symbol Sigma)) i l r beta :
  2 <= beta -> occurs w i (Node l r) ->
  forall s, (s < length w)%nat ->
    hard (length w) (right_score (length w) beta (depth_at w)) i s
    = b2r (s =? i + 1 + length (str l))%nat.
Proof.
  intros Hb Ho. set (T := length w).
  destruct (right_child Sigma w i l r Ho) as (Hj & _ & Hd & Hfirst).
  set (j := (i + 1 + length (str l))%nat) in *. fold T in Hj.
  apply hard_row; [lia|]. intros s Hs Hne. unfold right_score. rewrite !rotated_cos by lia.
  rewrite Hd, plus_IZR.
  assert (E : 1 - (IZR (depth_at w i) + 1 - IZR (depth_at w i)) = 0) by ring.
  rewrite E. clear E.
  replace (i + 2 <=? j)%nat with true by (symmetry; apply Nat.leb_le; lia). cbn [b2r].
  assert (Hlow : -1 < score (Z.of_nat T) (Z.of_nat j - Z.of_nat i - Z.of_nat 2))
    by (apply score_gt_m1; lia).
  pose proof (score_le_1 T (Z.of_nat s - Z.of_nat i - Z.of_nat 2)) as Hup.
  assert (Hsq : depth_at w s <> (depth_at w i + 1)%Z ->
    1 <= (1 - (IZR (depth_at w s) - IZR (depth_at w i))) ^ 2).
  { intro H. rewrite <- minus_IZR. replace 1 with (IZR 1) at 2 by reflexivity.
    rewrite <- minus_IZR. set (z := (1 - (depth_at w s - depth_at w i))%Z).
    rewrite pow_IZR. apply (IZR_le 1). assert (z <> 0)%Z by (unfold z; lia). simpl. nia. }
  destruct (Nat.leb_spec (i + 2) s) as [Hs2|Hs2]; cbn [b2r].
  - destruct (Z.eq_dec (depth_at w s) (depth_at w i + 1)) as [Heq|Hneq].
    + assert (Hlt : (j < s)%nat).
      { destruct (Nat.lt_trichotomy s j) as [H|[H|H]]; [|lia|lia].
        exfalso. now apply (Hfirst s). }
      rewrite Heq, plus_IZR.
      replace (1 - (IZR (depth_at w i) + 1 - IZR (depth_at w i))) with 0 by ring.
      pose proof (score_decreasing T (Z.of_nat j - Z.of_nat i - Z.of_nat 2)
        (Z.of_nat s - Z.of_nat i - Z.of_nat 2) ltac:(lia) ltac:(lia)). lra.
    + specialize (Hsq Hneq). simpl in *. nra.
  - pose proof (pow2_ge_0 (1 - (IZR (depth_at w s) - IZR (depth_at w i)))). simpl in *. nra.
Qed.

(** ** The layers *)

Section Layers.
Context {Sigma : Type} (n : nat).
Variable leaf : Sigma -> nat -> R.                  (* v_sigma *)
Variable tensor : nat -> nat -> nat -> R.           (* T_(k,a,b), k the state of the node *)
Variable beta : R.
Hypothesis beta_large : 2 <= beta.

Definition bilinear_state (x y : nat -> R) (k : nat) : R :=
  sum n (fun a => sum n (fun b => tensor k a b * x a * y b)).

Fixpoint mu (t : tree Sigma) : nat -> R :=
  match t with Leaf a => leaf a | Node l r => bilinear_state (mu l) (mu r) end.

Variable w : list (symbol Sigma).
Local Notation T := (length w).

Definition symbol_at (i : nat) : symbol Sigma := nth i w Close.
Definition gate (i : nat) : R := IZR (mark (symbol_at i)) ^ 2.

(** v_sigma at the leaves, 0 at the brackets. *)
Definition embed_tree : mat :=
  fun i k => match symbol_at i with Sym a => leaf a k | _ => 0 end.

(** m^2 T(left, right) + (1 - m^2) x, with the two heads of hard attention. *)
Definition tree_layer (X : mat) : mat :=
  fun i k =>
    gate i * bilinear_state (mmul T (hard T (left_score T)) X i)
                            (mmul T (hard T (right_score T beta (depth_at w))) X i) k
    + (1 - gate i) * X i k.

Fixpoint run_tree (l : nat) : mat :=
  match l with O => embed_tree | S l' => tree_layer (run_tree l') end.

Lemma gathered H X i j k : (j < T)%nat ->
  (forall s, (s < T)%nat -> H i s = b2r (s =? j)%nat) -> mmul T H X i k = X j k.
Proof.
  intros Hj HH. unfold mmul. rewrite (sum_single T _ j); auto.
  - rewrite HH, Nat.eqb_refl by auto. simpl. ring.
  - intros p Hp Hne. rewrite HH by auto. solve01.
Qed.

Lemma occurs_first i t : occurs w i t -> symbol_at i = nth 0 (str t) Close /\ (i < T)%nat.
Proof.
  intros (b & a & E & Hb). unfold symbol_at. rewrite E.
  rewrite app_nth2 by lia. replace (i - length b)%nat with 0%nat by lia.
  pose proof (str_length Sigma t). rewrite app_nth1 by lia.
  split; [reflexivity|]. rewrite !app_length. lia.
Qed.

(** After l layers every subtree of height at most l has its state. *)
Theorem theorem3_states l : forall i t k,
  occurs w i t -> (height t <= l)%nat -> (k < n)%nat -> run_tree l i k = mu t k.
Proof.
  induction l as [|l IH]; intros i t k Ho Hh Hk;
    destruct (occurs_first i t Ho) as [Es Hi]; destruct t as [a|t1 t2]; simpl in Hh, Es.
  - simpl. unfold embed_tree. now rewrite Es.
  - lia.
  - cbn [run_tree]. unfold tree_layer, gate. rewrite Es. simpl (IZR _).
    rewrite (IH i (Leaf a) k) by (auto; simpl; lia). simpl. ring.
  - cbn [run_tree]. unfold tree_layer, gate. rewrite Es. simpl (IZR _).
    destruct (left_child Sigma w i t1 t2 Ho) as [Hl _].
    destruct (right_child Sigma w i t1 t2 Ho) as (Hj & Hr & _).
    replace (1 ^ 2) with 1 by ring. rewrite Rmult_1_l, Rminus_diag_eq, Rmult_0_l, Rplus_0_r by auto.
    cbn [mu]. unfold bilinear_state. apply sum_ext. intros p Hp. apply sum_ext. intros q Hq.
    rewrite (gathered _ _ i (i + 1)%nat) by (lia || (apply left_head; lia)).
    rewrite (gathered _ _ i (i + 1 + length (str t1))%nat)
      by (lia || (apply (right_head w i t1 t2); auto)).
    rewrite (IH (i + 1)%nat t1 p) by (auto; lia).
    rewrite (IH (i + 1 + length (str t1))%nat t2 q) by (auto; lia). reflexivity.
Qed.
End Layers.
