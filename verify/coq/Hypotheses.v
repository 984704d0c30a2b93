(** * Two hypotheses that the MLP theorem needs: biases and a bounded domain

    Appendix B.2, the cited theorem as printed: two matrices and no biases, and the sup norm over
    the whole space. Without biases no tanh network comes within 1 of x^2 on [-1, 1], for it is odd;
    with biases every sigmoid network is bounded, so that far out its error exceeds every bound.

    Main definitions: [net] (a network with one hidden layer and one input).
    Main theorems:    [biases_needed], [domain_needed]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums InUse.
Open Scope R_scope.

Definition net (sigma : R -> R) (N : nat) (v w b : nat -> R) (off x : R) : R :=
  sum N (fun u => v u * sigma (w u * x + b u)) + off.

Lemma tanh_odd x : tanh (- x) = - tanh x.
Proof.
  unfold tanh, sinh, cosh. rewrite Ropp_involutive.
  pose proof (exp_pos x). pose proof (exp_pos (- x)). field. lra.
Qed.

Theorem biases_needed N v w : exists x, -1 <= x <= 1 /\
  1 <= Rabs (net tanh N v w (fun _ => 0) 0 x - x ^ 2).
Proof.
  set (f := net tanh N v w (fun _ => 0) 0).
  assert (Hodd : f (-1) = - f 1).
  { unfold f, net. rewrite !Rplus_0_r. rewrite <- (Rmult_1_l (sum N _)) at 1.
    replace (- sum N (fun u => v u * tanh (w u * 1 + 0)))
      with (-1 * sum N (fun u => v u * tanh (w u * 1 + 0))) by ring.
    rewrite !sum_scal_l. apply sum_ext. intros u Hu.
    replace (w u * -1 + 0) with (- (w u * 1 + 0)) by ring. rewrite tanh_odd. ring. }
  destruct (Rle_lt_dec (f 1) 0).
  - exists 1. split; [lra|]. rewrite Rabs_left1; lra.
  - exists (-1). split; [lra|]. rewrite Hodd, Rabs_left1; lra.
Qed.

Lemma net_bounded N v w b off x :
  Rabs (net sigmoid N v w b off x) <= sum N (fun u => Rabs (v u)) + Rabs off.
Proof.
  unfold net. eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat_r.
  eapply Rle_trans; [apply sum_abs|]. apply sum_le. intros u Hu. rewrite Rabs_mult.
  pose proof (sigmoid_bounds (w u * x + b u)). rewrite (Rabs_pos_eq (sigmoid _)) by lra.
  rewrite <- (Rmult_1_r (Rabs (v u))) at 2. apply Rmult_le_compat_l; [apply Rabs_pos|lra].
Qed.

Theorem domain_needed N v w b off D : exists x,
  D <= Rabs (net sigmoid N v w b off x - x ^ 2).
Proof.
  set (K := sum N (fun u => Rabs (v u)) + Rabs off).
  set (x := K + Rabs D + 1). exists x.
  assert (HK : 0 <= K) by (eapply Rle_trans; [apply Rabs_pos|apply (net_bounded N v w b off 0)]).
  pose proof (Rabs_pos D). pose proof (Rle_abs D).
  assert (Hx : x <= x ^ 2) by (unfold x; simpl; nra).
  pose proof (net_bounded N v w b off x) as Hb. fold K in Hb.
  pose proof (Rle_abs (net sigmoid N v w b off x)).
  rewrite Rabs_left1; unfold x in *; lra.
Qed.
