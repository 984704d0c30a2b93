(** * Softmax with large scores attends as hard attention does

    Appendix C, "Left head" and "Right head": "by multiplying the weight matrices by a large enough
    constant, the attention mechanism will have each position attend to" the position of its largest
    score. For all scores of N tokens, whatever they are, and every eps one constant serves all rows
    that have one largest score.

    Main theorems: [soft_to_hard], [left_head_soft], [right_head_soft]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Theorem1 Softmax Trees Theorem3.
Open Scope R_scope.

(** Finitely many positive bounds have a positive one below them all. *)
Lemma least (P : nat -> R -> Prop) k :
  (forall p g g', P p g -> 0 < g' <= g -> P p g') ->
  (forall p, (p < k)%nat -> exists g, 0 < g /\ P p g) ->
  exists g, 0 < g /\ forall p, (p < k)%nat -> P p g.
Proof.
  intros Hle. induction k as [|k IH]; intro H; [exists 1; split; [lra|lia]|].
  destruct IH as (g & Hg & HP); [intros p Hp; apply H; lia|].
  destruct (H k ltac:(lia)) as (g' & Hg' & HP').
  exists (Rmin g g'). assert (0 < Rmin g g') by now apply Rmin_pos. split; [assumption|].
  intros p Hp. destruct (Nat.eq_dec p k) as [->|].
  - apply (Hle k g'); [exact HP'|]. split; [assumption|apply Rmin_r].
  - apply (Hle p g); [apply HP; lia|]. split; [assumption|apply Rmin_l].
Qed.

Lemma hard_is_ahead N (S : mat) r s0 s : hard N S r s0 = 1 -> (s < N)%nat -> s <> s0 ->
  S r s < S r s0.
Proof.
  unfold hard. intros H Hs Hne.
  destruct (all_below N _) eqn:E; cbn [b2r] in H; [|lra].
  apply (proj1 (all_below_spec _ _)) with (q := s) in E; [|exact Hs].
  apply orb_true_iff in E as [E|E]; [apply Nat.eqb_eq in E; contradiction|].
  unfold Rltb in E. now destruct (Rlt_dec (S r s) (S r s0)).
Qed.

(** The rows that have one largest score have it by some margin. *)
Lemma margin N (S : mat) : exists g, 0 < g /\ forall r, (r < N)%nat -> forall s0, (s0 < N)%nat ->
  forall s, (s < N)%nat -> hard N S r s0 = 1 -> s <> s0 -> S r s + g <= S r s0.
Proof.
  apply (least (fun r g => forall s0, (s0 < N)%nat -> forall s, (s < N)%nat ->
    hard N S r s0 = 1 -> s <> s0 -> S r s + g <= S r s0)).
  { intros r g g' H Hg s0 H0 s Hs Hh Hne. specialize (H s0 H0 s Hs Hh Hne). lra. }
  intros r Hr. apply (least (fun s0 g => forall s, (s < N)%nat ->
    hard N S r s0 = 1 -> s <> s0 -> S r s + g <= S r s0)).
  { intros s0 g g' H Hg s Hs Hh Hne. specialize (H s Hs Hh Hne). lra. }
  intros s0 H0. apply (least (fun s g => hard N S r s0 = 1 -> s <> s0 -> S r s + g <= S r s0)).
  { intros s g g' H Hg Hh Hne. specialize (H Hh Hne). lra. }
  intros s Hs. destruct (Rlt_dec (S r s) (S r s0)) as [Hlt|Hge].
  - exists (S r s0 - S r s). split; [lra|]. intros. lra.
  - exists 1. split; [lra|]. intros Hh Hne. pose proof (hard_is_ahead N S r s0 s Hh Hs Hne). lra.
Qed.

Theorem soft_to_hard N (S : mat) eps : 0 < eps -> exists C0, 0 <= C0 /\ forall C, C0 <= C ->
  forall r s0, (r < N)%nat -> (s0 < N)%nat -> hard N S r s0 = 1 ->
    1 - softmax N (fun i j => C * S i j) r s0 < eps.
Proof.
  intro He. destruct (margin N S) as (g & Hg & H). pose proof (pos_INR N) as HN.
  exists (INR N / (eps * g)). split.
  { apply Rmult_le_pos; [exact HN|]. left. apply Rinv_0_lt_compat. nra. }
  intros C HC r s0 Hr H0 Hh.
  assert (HCg : INR N <= eps * (C * g)).
  { apply Rle_trans with (eps * (INR N / (eps * g) * g)); [right; field; split; lra|].
    apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; lra. }
  assert (HC0 : 0 <= C * g).
  { apply Rmult_le_pos; [|lra]. eapply Rle_trans; [|exact HC].
    apply Rmult_le_pos; [exact HN|]. left. apply Rinv_0_lt_compat. nra. }
  apply Rle_lt_trans with (INR N * exp (- (C * g))).
  { eapply Rle_trans; [apply (ahead_leaks N _ r s0 (C * g) H0)|apply Rmult_le_compat_r;
      [left; apply exp_pos|apply le_INR; lia]]. intros s Hs Hne.
    pose proof (H r Hr s0 H0 s Hs Hh Hne).
    assert (0 <= C).
    { eapply Rle_trans; [|exact HC]. apply Rmult_le_pos; [exact HN|].
      left. apply Rinv_0_lt_compat. nra. }
    nra. }
  rewrite exp_Ropp. pose proof (exp_pos (C * g)). pose proof (exp_lower (C * g) HC0).
  apply (Rmult_lt_reg_r (exp (C * g))); [assumption|].
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rle_lt_trans with (eps * (C * g)); [exact HCg|]. apply Rmult_lt_compat_l; lra.
Qed.

(** The heads of Appendix C, with the printed scores. *)
Corollary left_head_soft T eps : 0 < eps -> exists C0, 0 <= C0 /\ forall C, C0 <= C ->
  forall i, (i + 1 < T)%nat -> 1 - softmax T (fun i j => C * left_score T i j) i (i + 1)%nat < eps.
Proof.
  intro He. destruct (soft_to_hard T (left_score T) eps He) as (C0 & H0 & H).
  exists C0. split; [exact H0|]. intros C HC i Hi. apply H; [exact HC|lia|exact Hi|].
  rewrite left_head by auto. now rewrite Nat.eqb_refl.
Qed.

Corollary right_head_soft {Sigma : Type} (w : list (symbol Sigma)) beta eps :
  2 <= beta -> 0 < eps -> exists C0, 0 <= C0 /\ forall C, C0 <= C ->
  forall i l r, occurs w i (Node l r) ->
    1 - softmax (length w) (fun i j => C * right_score (length w) beta (depth_at w) i j) i
          (i + 1 + length (str l))%nat < eps.
Proof.
  intros Hb He.
  destruct (soft_to_hard (length w) (right_score (length w) beta (depth_at w)) eps He) as (C0 & H0 & H).
  exists C0. split; [exact H0|]. intros C HC i l r Ho.
  destruct (right_child _ w i l r Ho) as [Hj _].
  apply H; [exact HC|lia|lia|]. rewrite (right_head w i l r beta Hb Ho) by lia.
  now rewrite Nat.eqb_refl.
Qed.
