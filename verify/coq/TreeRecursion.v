(** * The error recursion for soft attention on trees

    Appendix C, last paragraph: the print concludes for any number of layers without an analysis. In
    every norm with |T(x, y)| <= tau |x| |y|, if all states have norm at most S, every head gives
    away at most lam of its weight and every feed-forward block is right up to blk,

        delta = eps_l + 2 S lam,
        eps_(l+1) = tau (S delta + delta^2) + max(tau S delta, 2 eps_l) + blk,    eps_0 = 0,

    bounds the error of the state at every token after l parse layers, the end token included. The
    2 in front of eps_l is due to the end token: its kind is -1 and its own state, 0 if all is
    exact, is multiplied by 1 - kind = 2. Euclidean lengths are such a norm, with tau the Frobenius
    norm of the tensor.

    Main definitions: [near] (a row that gives away at most lam), [vector_norm], [step], [errors],
                      [soft_run], [frobenius].
    Main theorems:    [tree_recursion], [euclidean], [frobenius_bound]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Theorem1 Softmax Spectral Trees Theorem3.
From Assay Require Import TreeModel TreeBlocks TreeScores TreeLayers.
Import ListNotations.
Open Scope R_scope.

(** ** Rows of the softmax *)

Definition convex (M : nat) (v : nat -> R) : Prop :=
  (forall s, (s < M)%nat -> 0 <= v s) /\ sum M v = 1.

(** Weights that give away at most lam from s0. *)
Definition near (M : nat) (lam : R) (v : nat -> R) (s0 : nat) : Prop :=
  convex M v /\ 1 - v s0 <= lam.

Lemma near_le M lam lam' v s0 : lam <= lam' -> near M lam v s0 -> near M lam' v s0.
Proof. intros H [H1 H2]. split; auto. lra. Qed.

Lemma soft_denominator M m S r s0 : (s0 < M)%nat -> allowed m r s0 = true ->
  exp (S r s0) <= sum M (fun s => b2r (allowed m r s) * exp (S r s)).
Proof.
  intros H0 Hm. rewrite (sum_split M _ s0 H0), Hm. cbn [b2r]. rewrite Rmult_1_l.
  rewrite <- (Rplus_0_r (exp _)) at 1. apply Rplus_le_compat_l, sum_nonneg. intros p Hp.
  destruct (p =? s0)%nat; [lra|]. pose proof (exp_pos (S r p)).
  destruct (allowed m r p); cbn [b2r]; lra.
Qed.

Lemma soft_convex M m S r s0 : (s0 < M)%nat -> allowed m r s0 = true ->
  convex M (soft_masked M m S r).
Proof.
  intros H0 Hm. pose proof (soft_denominator M m S r s0 H0 Hm) as HD.
  pose proof (exp_pos (S r s0)) as HE. unfold soft_masked, Rdiv. split.
  - intros s Hs. apply Rmult_le_pos.
    + pose proof (exp_pos (S r s)). destruct (allowed m r s); cbn [b2r]; lra.
    + left. apply Rinv_0_lt_compat. lra.
  - rewrite <- sum_scal_r. apply Rinv_r. lra.
Qed.

(** A row whose largest score stands out by g gives away at most (M - 1) exp(-g). *)
Lemma soft_near M m S r s0 g : (s0 < M)%nat -> allowed m r s0 = true ->
  (forall s, (s < M)%nat -> s <> s0 -> allowed m r s = true -> S r s + g <= S r s0) ->
  near M (INR (M - 1) * exp (- g)) (soft_masked M m S r) s0.
Proof.
  intros H0 Hm HS. pose proof (soft_convex M m S r s0 H0 Hm) as Hc. split; [exact Hc|].
  destruct Hc as [_ Hsum]. set (v := soft_masked M m S r) in *.
  rewrite (sum_split M v s0 H0) in Hsum.
  apply Rle_trans with (sum M (fun s => if (s =? s0)%nat then 0 else exp (- g))).
  - replace (1 - v s0) with (sum M (fun s => if (s =? s0)%nat then 0 else v s)) by lra.
    apply sum_le. intros s Hs. destruct (Nat.eqb_spec s s0) as [|Hne]; [lra|].
    pose proof (soft_denominator M m S r s0 H0 Hm) as HD. pose proof (exp_pos (S r s0)) as HE.
    unfold v, soft_masked. destruct (allowed m r s) eqn:Ha; cbn [b2r].
    + apply Rle_trans with (exp (S r s) / exp (S r s0)).
      * rewrite Rmult_1_l. apply Rmult_le_compat_l; [left; apply exp_pos|].
        now apply Rinv_le_contravar.
      * unfold Rdiv. rewrite <- exp_Ropp, <- exp_plus. apply exp_le.
        pose proof (HS s Hs Hne Ha). lra.
    + unfold Rdiv. rewrite !Rmult_0_l. left. apply exp_pos.
  - pose proof (sum_split M (fun _ => exp (- g)) s0 H0) as H. rewrite sum_const in H.
    rewrite minus_INR by lia. simpl (INR 1). lra.
Qed.

(** ** Norms of vectors and of the tensor *)

Record vector_norm (n : nat) (nu : (nat -> R) -> R) : Prop := VectorNorm
  { v_ext : forall x y, (forall k, (k < n)%nat -> x k = y k) -> nu x = nu y;
    v_pos : forall x, 0 <= nu x;
    v_plus : forall x y, nu (fun k => x k + y k) <= nu x + nu y;
    v_scal : forall c x, nu (fun k => c * x k) <= Rabs c * nu x }.

Definition vminus (x y : nat -> R) : nat -> R := fun k => x k - y k.
Definition mean (M : nat) (v : nat -> R) (F : mat) : nat -> R :=
  fun k => sum M (fun s => v s * F s k).

Section Norm.
Context (n : nat) (nu : (nat -> R) -> R).
Hypothesis vn : vector_norm n nu.

Lemma v_zero x : (forall k, (k < n)%nat -> x k = 0) -> nu x = 0.
Proof.
  intro H. apply Rle_antisym; [|apply (v_pos n nu vn)].
  rewrite (v_ext n nu vn x (fun k => 0 * x k)) by (intros; rewrite H by auto; ring).
  eapply Rle_trans; [apply (v_scal n nu vn)|]. rewrite Rabs_R0. lra.
Qed.

Lemma v_sum M (F : mat) : nu (fun k => sum M (fun s => F s k)) <= sum M (fun s => nu (F s)).
Proof.
  induction M as [|M IH]; simpl; [right; now apply v_zero|].
  eapply Rle_trans; [apply (v_plus n nu vn (fun k => sum M (fun s => F s k)) (F M))|]. lra.
Qed.

Lemma v_minus x y : nu (vminus x y) <= nu x + nu y.
Proof.
  pose proof (v_scal n nu vn (-1) y) as H. rewrite Rabs_left in H by lra.
  rewrite (v_ext n nu vn _ (fun k => x k + (-1) * y k)) by (intros; unfold vminus; ring).
  eapply Rle_trans; [apply (v_plus n nu vn)|]. lra.
Qed.

Lemma v_triangle x y z : nu (vminus x z) <= nu (vminus x y) + nu (vminus y z).
Proof.
  rewrite (v_ext n nu vn _ (fun k => vminus x y k + vminus y z k)) by (intros; unfold vminus; ring).
  apply (v_plus n nu vn).
Qed.

Lemma v_from x y : nu x <= nu y + nu (vminus x y).
Proof.
  rewrite (v_ext n nu vn x (fun k => y k + vminus x y k)) by (intros; unfold vminus; ring).
  apply (v_plus n nu vn).
Qed.

Lemma mean_norm M v (F : mat) B : convex M v -> (forall s, (s < M)%nat -> nu (F s) <= B) ->
  nu (mean M v F) <= B.
Proof.
  intros [Hp Hs] HB. eapply Rle_trans; [apply (v_sum M (fun s k => v s * F s k))|].
  replace B with (sum M (fun s => v s * B)) by (rewrite <- sum_scal_r, Hs; ring).
  apply sum_le. intros s Hs'. eapply Rle_trans; [apply (v_scal n nu vn)|].
  rewrite Rabs_pos_eq by auto. apply Rmult_le_compat_l; auto.
Qed.

(** What a head returns, against what it should single out: delta = eps + 2 S lam. *)
Lemma mean_error M lam v s0 (F H : mat) eps S : near M lam v s0 -> (s0 < M)%nat ->
  (forall s, (s < M)%nat -> nu (vminus (F s) (H s)) <= eps) ->
  (forall s, (s < M)%nat -> nu (H s) <= S) ->
  nu (vminus (mean M v F) (H s0)) <= eps + 2 * S * lam.
Proof.
  intros [Hc Hl] H0 HF HH. pose proof Hc as [Hp Hs].
  set (G := fun s k => if (s =? s0)%nat then 0 else v s * vminus (H s) (H s0) k).
  rewrite (v_ext n nu vn _ (fun k => mean M v (fun s => vminus (F s) (H s)) k
                                     + sum M (fun s => G s k))).
  - eapply Rle_trans; [apply (v_plus n nu vn)|]. apply Rplus_le_compat.
    + now apply mean_norm.
    + eapply Rle_trans; [apply (v_sum M G)|].
      assert (HS : 0 <= S) by (eapply Rle_trans; [apply (v_pos n nu vn)|apply (HH s0 H0)]).
      apply Rle_trans with (sum M (fun s => if (s =? s0)%nat then 0 else v s) * (2 * S)).
      * rewrite sum_scal_r. apply sum_le. intros s Hs'. unfold G.
        destruct (Nat.eqb_spec s s0); [rewrite v_zero by auto; lra|].
        eapply Rle_trans; [apply (v_scal n nu vn)|]. rewrite Rabs_pos_eq by auto.
        apply Rmult_le_compat_l; auto. pose proof (v_minus (H s) (H s0)).
        pose proof (HH s Hs'). pose proof (HH s0 H0). lra.
      * rewrite (sum_split M v s0 H0) in Hs.
        set (q := sum M (fun s => if (s =? s0)%nat then 0 else v s)) in *. nra.
  - intros k Hk. unfold mean, vminus, G. rewrite <- sum_plus.
    replace (H s0 k) with (sum M (fun s => v s * H s0 k)) at 1 by (rewrite <- sum_scal_r, Hs; ring).
    rewrite <- sum_minus. apply sum_ext. intros s _.
    destruct (Nat.eqb_spec s s0) as [->|]; unfold vminus; ring.
Qed.

(** ** The recursion *)

Context (tensor : nat -> nat -> nat -> R) (tau : R).
Hypothesis tau_pos : 0 <= tau.
Hypothesis tensor_norm : forall x y, nu (bilinear_state n tensor x y) <= tau * nu x * nu y.
Local Notation bilinear_state := (bilinear_state n tensor).

(** delta = eps + 2 S lam, eps' = tau (S delta + delta^2) + max(tau S delta, 2 eps) + blk. *)
Definition step (S lam blk eps : R) : R :=
  let delta := eps + 2 * S * lam in
  tau * (S * delta + delta * delta) + Rmax (tau * S * delta) (2 * eps) + blk.

Fixpoint errors (S lam blk : R) (l : nat) : R :=
  match l with O => 0 | Datatypes.S l' => step S lam blk (errors S lam blk l') end.

Lemma bilinear_difference x y x' y' k :
  bilinear_state x' y' k - bilinear_state x y k
  = bilinear_state (vminus x' x) y k
    + (bilinear_state x (vminus y' y) k + bilinear_state (vminus x' x) (vminus y' y) k).
Proof.
  unfold Theorem3.bilinear_state. rewrite <- !sum_plus, <- sum_minus. apply sum_ext. intros a Ha.
  rewrite <- !sum_plus, <- sum_minus. apply sum_ext. intros b Hb. unfold vminus. ring.
Qed.

Lemma bilinear_error x y x' y' S delta : nu x <= S -> nu y <= S ->
  nu (vminus x' x) <= delta -> nu (vminus y' y) <= delta ->
  nu (vminus (bilinear_state x' y') (bilinear_state x y))
  <= tau * (S * delta + delta * delta) + tau * S * delta.
Proof.
  intros Hx Hy Hx' Hy'. set (a := vminus x' x) in *. set (b := vminus y' y) in *.
  rewrite (v_ext n nu vn _ (fun k => bilinear_state a y k
    + (bilinear_state x b k + bilinear_state a b k))) by (intros; apply bilinear_difference).
  eapply Rle_trans; [apply (v_plus n nu vn)|].
  pose proof (v_plus n nu vn (bilinear_state x b) (bilinear_state a b)).
  pose proof (tensor_norm a y). pose proof (tensor_norm x b). pose proof (tensor_norm a b).
  assert (P : forall u v U V, nu u <= U -> nu v <= V -> tau * nu u * nu v <= tau * (U * V)).
  { intros u v U V Hu Hv. rewrite Rmult_assoc. apply Rmult_le_compat_l; auto.
    apply Rmult_le_compat; auto; apply (v_pos n nu vn). }
  pose proof (P a y delta S Hx' Hy). pose proof (P x b S delta Hx Hy').
  pose proof (P a b delta delta Hx' Hy'). nra.
Qed.

Lemma errors_pos S lam blk l : 0 <= S -> 0 <= lam -> 0 <= blk -> 0 <= errors S lam blk l.
Proof.
  intros HS Hl Hb. induction l as [|l IH]; simpl; [lra|]. unfold step.
  set (e := errors S lam blk l) in *. set (d := e + 2 * S * lam).
  assert (0 <= d) by (unfold d; nra). pose proof (Rmax_r (tau * S * d) (2 * e)).
  assert (0 <= tau * (S * d + d * d)) by (apply Rmult_le_pos; nra). lra.
Qed.

Section Run.
Context {Sigma : Type} (leaf : Sigma -> nat -> R) (t : tree Sigma) (S : R).
Hypothesis states_norm : forall i d u, node t i d u -> nu (mu n leaf tensor u) <= S.

Local Notation w := (str t).
Local Notation M := (rows w).
Local Notation held := (held n leaf tensor).

(** F l is what the tokens carry after l parse layers; the heads give away at most lam, each block
    is right up to blk. *)
Record soft_run (lam blk : R) (Al Ar : nat -> mat) (F : nat -> mat) : Prop := SoftRun
  { run_start : forall r k, (r < M)%nat -> (k < n)%nat -> F 0%nat r k = held 0 t r k;
    run_left : forall l r, (r < M)%nat -> kind_at w r = 1%Z -> near M lam (Al l r) (r + 1);
    run_end : forall l r, (r < M)%nat -> kind_at w r <> 1%Z -> near M lam (Al l r) (length w);
    run_right : forall l i d a b, node t i d (Node a b) ->
      near M lam (Ar l i) (i + 1 + length (str a));
    run_other : forall l r, (r < M)%nat -> convex M (Ar l r);
    run_step : forall l r, (r < M)%nat ->
      nu (vminus (F (Datatypes.S l) r)
            (fun k => bilinear_state (mean M (Al l r) (F l)) (mean M (Ar l r) (F l)) k
                      + (1 - IZR (kind_at w r)) * F l r k)) <= blk }.

Lemma S_pos : 0 <= S.
Proof.
  eapply Rle_trans; [apply (v_pos n nu vn)|exact (states_norm 0 0 t (at_root _ t))].
Qed.

Lemma held_norm l r : nu (held l t r) <= S.
Proof.
  pose proof S_pos. assert (Z : nu zero <= S) by (rewrite v_zero by auto; lra).
  destruct (nth_error w r) as [s|] eqn:Es.
  - destruct s as [a| |]; [| |now rewrite held_close].
    all: destruct (tau_exists Sigma t r _ Es ltac:(discriminate)) as (d & u & Hn);
      rewrite (held_node _ _ _ _ _ _ _ _ Hn); destruct (height u <=? l)%nat; auto;
      now apply (states_norm r d u).
  - apply nth_error_None in Es. now rewrite held_beyond.
Qed.

(** The error after l parse layers, at every token, the end token included. *)
Theorem tree_recursion lam blk Al Ar F : 0 <= lam -> 0 <= blk -> soft_run lam blk Al Ar F ->
  forall l r, (r < M)%nat -> nu (vminus (F l r) (held l t r)) <= errors S lam blk l.
Proof.
  intros Hlam Hblk [R0 RL RE RR RO RS]. induction l as [|l IH]; intros r Hr.
  - cbn [errors]. right. apply v_zero. intros k Hk. unfold vminus. rewrite R0 by auto. ring.
  - cbn [errors]. pose proof S_pos as HS. pose proof (errors_pos S lam blk l HS Hlam Hblk) as He.
    set (e := errors S lam blk l) in *. unfold step. set (d := e + 2 * S * lam).
    assert (Hed : e <= d) by (unfold d; nra).
    set (x := mean M (Al l r) (F l)). set (y := mean M (Ar l r) (F l)).
    specialize (RS l r Hr). fold x y in RS.
    eapply Rle_trans; [apply (v_triangle _ (fun k => bilinear_state x y k
                         + (1 - IZR (kind_at w r)) * F l r k))|].
    rewrite Rplus_comm. apply Rplus_le_compat; [|exact RS].
    assert (Hmean : forall v s0, (s0 < M)%nat -> near M lam v s0 ->
              nu (vminus (mean M v (F l)) (held l t s0)) <= d).
    { intros v s0 H0 Hv. apply (mean_error M lam v s0 (F l) (held l t)); auto.
      intros; apply held_norm. }
    pose proof (Rmax_l (tau * S * d) (2 * e)). pose proof (Rmax_r (tau * S * d) (2 * e)).
    destruct (Z.eq_dec (kind_at w r) 1) as [Hk|Hk].
    + destruct (open_node t r Hk) as (dd & a & b & Hn). pose proof (node_inside _ _ _ _ Hn) as Hi.
      simpl in Hi. rewrite !app_length in Hi. simpl in Hi.
      rewrite (v_ext n nu vn _ (vminus (bilinear_state x y)
        (bilinear_state (held l t (r + 1)%nat) (held l t (r + 1 + length (str a))%nat)))).
      * pose proof (bilinear_error (held l t (r + 1)%nat) (held l t (r + 1 + length (str a))%nat)
          x y S d (held_norm l _) (held_norm l _)
          (Hmean _ (r + 1)%nat ltac:(unfold rows; lia) (RL l r Hr Hk))
          (Hmean _ (r + 1 + length (str a))%nat ltac:(unfold rows; lia) (RR l r dd a b Hn))). lra.
      * intros k Hk'. unfold vminus. rewrite Hk, (held_open _ _ _ _ _ _ _ _ _ _ Hn). ring.
    + assert (Hx : nu x <= d).
      { pose proof (Hmean _ (length w) ltac:(unfold rows; lia) (RE l r Hr Hk)) as H1. fold x in H1.
        rewrite held_end in H1. rewrite (v_ext n nu vn x (vminus x zero));
          [exact H1|]. intros; unfold vminus, zero; ring. }
      assert (Hy : nu y <= S + d).
      { apply mean_norm; [now apply RO|]. intros s Hs.
        eapply Rle_trans; [apply (v_from (F l s) (held l t s))|].
        pose proof (held_norm l s). pose proof (IH s Hs). lra. }
      set (c := 1 - IZR (kind_at w r)).
      assert (Hc : (c = 1 \/ c = 2) /\ forall k, c * held l t r k = held l t r k).
      { unfold c, rows in *. destruct (Nat.eq_dec r (length w)) as [->|Hne].
        - rewrite kind_end, held_end. unfold zero. split; [right; lra|intro; ring].
        - pose proof (kind_inside w r ltac:(lia)). replace (kind_at w r) with 0%Z by lia.
          split; [left; lra|intro; lra]. }
      destruct Hc as [Hc1 Hc2]. rewrite (held_stays _ _ _ _ _ _ Hk).
      rewrite (v_ext n nu vn _ (fun k => bilinear_state x y k + c * vminus (F l r) (held l t r) k)).
      * eapply Rle_trans; [apply (v_plus n nu vn)|]. apply Rplus_le_compat.
        -- eapply Rle_trans; [apply tensor_norm|]. rewrite Rmult_assoc.
           apply Rmult_le_compat_l; auto.
           pose proof (Rmult_le_compat (nu x) d (nu y) (S + d) (v_pos n nu vn x) (v_pos n nu vn y)
             Hx Hy). lra.
        -- eapply Rle_trans; [apply (v_scal n nu vn)|]. pose proof (IH r Hr) as H1. fold e in H1.
           pose proof (v_pos n nu vn (vminus (F l r) (held l t r))).
           rewrite Rabs_pos_eq by (destruct Hc1; lra). destruct Hc1 as [->| ->]; lra.
      * intros k Hk'. unfold vminus. rewrite Rmult_minus_distr_l, Hc2. ring.
Qed.
End Run.
End Norm.

(** ** The Euclidean norm of states, the Frobenius norm of the tensor *)

Theorem euclidean n : vector_norm n (length2 n).
Proof.
  split; intros; [now apply length2_ext|apply length2_pos|apply length2_plus|].
  rewrite length2_scal. lra.
Qed.

Definition squares (n : nat) (tensor : nat -> nat -> nat -> R) : R :=
  sum n (fun k => sum n (fun a => sum n (fun b => tensor k a b * tensor k a b))).
Definition frobenius (n : nat) (tensor : nat -> nat -> nat -> R) : R := sqrt (squares n tensor).

Lemma squares_pos n tensor : 0 <= squares n tensor.
Proof.
  apply sum_nonneg. intros k Hk. apply sum_nonneg. intros a Ha. apply sum_nonneg. intros b Hb.
  apply Rle_0_sqr.
Qed.

Theorem frobenius_bound n tensor x y :
  length2 n (bilinear_state n tensor x y) <= frobenius n tensor * length2 n x * length2 n y.
Proof.
  pose proof (length2_pos n x) as Px. pose proof (length2_pos n y) as Py.
  assert (Pf : 0 <= frobenius n tensor) by apply sqrt_pos.
  apply Rsqr_incr_0_var; [|apply Rmult_le_pos; auto; now apply Rmult_le_pos]. unfold Rsqr.
  replace (frobenius n tensor * length2 n x * length2 n y
           * (frobenius n tensor * length2 n x * length2 n y))
    with (squares n tensor * (dot n x x * dot n y y)).
  2: { rewrite <- !length2_sqr. rewrite <- (sqrt_def (squares n tensor)) at 1 by apply squares_pos.
       unfold frobenius. ring. }
  rewrite length2_sqr. unfold squares. rewrite sum_scal_r. apply sum_le. intros k Hk.
  set (s := fun a => dot n (tensor k a) y).
  assert (E : bilinear_state n tensor x y k = dot n x s).
  { apply sum_ext. intros a Ha. unfold s, dot. rewrite sum_scal_l. apply sum_ext. intros; ring. }
  rewrite E. eapply Rle_trans; [apply cauchy_schwarz|].
  pose proof (dot_nonneg n x). rewrite (Rmult_comm (dot n x x)), (Rmult_comm (dot n x x)).
  rewrite <- Rmult_assoc. apply Rmult_le_compat_r; auto. rewrite sum_scal_r. unfold dot at 1.
  apply sum_le. intros a Ha. apply cauchy_schwarz.
Qed.
