(** * Iterated differences: a product of steps, times a derivative

    Appendix B.2 cites a theorem that MLPs of a fixed width approximate polynomials. Its analysis is
    here. Let D 0, D 1, .. D d be a function with its derivatives near b. The differences of D 0 with
    steps t_1 .. t_k are (D k b) t_1 .. t_k, as closely as D k is constant near b; and where D d is
    not zero, there is a point near by at which none of D 0 .. D d is zero.

    Main definitions: [derivatives], [diff], [steps].
    Main theorems:    [diff_near], [all_nonzero]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Activation.
Import ListNotations.
Open Scope R_scope.

(** ** Derivatives near a point *)

(** D (j + 1) is the derivative of D j, and D d is continuous, at all points within r of b. *)
Definition derivatives (d : nat) (D : nat -> R -> R) (b r : R) : Prop :=
  (forall j x, (j < d)%nat -> Rabs (x - b) < r -> derivable_pt_lim (D j) x (D (S j) x)) /\
  (forall x, Rabs (x - b) < r -> continuity_pt (D d) x).

Definition later (D : nat -> R -> R) (j : nat) : R -> R := D (S j).

Lemma derivatives_later d D b r : derivatives (S d) D b r -> derivatives d (later D) b r.
Proof. intros [H C]. split; [|exact C]. intros j x Hj Hx. apply H; [lia|exact Hx]. Qed.

Lemma derivatives_within d D b r p s : derivatives d D b r -> Rabs (p - b) + s <= r ->
  derivatives d D p s.
Proof.
  intros [H C] Hs.
  assert (N : forall x, Rabs (x - p) < s -> Rabs (x - b) < r).
  { intros x Hx. replace (x - b) with ((x - p) + (p - b)) by ring.
    eapply Rle_lt_trans; [apply Rabs_triang|lra]. }
  split; [intros j x Hj Hx; apply H; auto|intros x Hx; apply C; auto].
Qed.

Lemma continuous_near f x e : continuity_pt f x -> 0 < e ->
  exists s, 0 < s /\ forall y, Rabs (y - x) < s -> Rabs (f y - f x) < e.
Proof.
  intros C He. destruct (C e He) as (s & Hs & H). exists s. split; [exact Hs|]. intros y Hy.
  destruct (Req_dec y x) as [->|Hne].
  - rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. exact He.
  - apply H. repeat split; auto.
Qed.

Lemma derivatives_continuous d D b r j x : derivatives d D b r -> (j <= d)%nat ->
  Rabs (x - b) < r -> continuity_pt (D j) x.
Proof.
  intros [H C] Hj Hx. destruct (Nat.eq_dec j d) as [->|]; [now apply C|].
  apply derivable_continuous_pt. exists (D (S j) x). apply H; [lia|exact Hx].
Qed.

(** ** Differences *)

Fixpoint diff (ts : list R) (f : R -> R) (y : R) : R :=
  match ts with [] => f y | t :: ts => diff ts f (y + t) - diff ts f y end.

Fixpoint steps (ts : list R) : R := match ts with [] => 1 | t :: ts => t * steps ts end.
Fixpoint reach (ts : list R) : R := match ts with [] => 0 | t :: ts => Rabs t + reach ts end.

(** A derivative that is within e of k makes differences that are within e |t| of k t. *)
Lemma mean_value g g' a t k e : 0 <= e ->
  (forall y, Rabs (y - a) <= Rabs t -> derivable_pt_lim g y (g' y) /\ Rabs (g' y - k) <= e) ->
  Rabs (g (a + t) - g a - k * t) <= e * Rabs t.
Proof.
  intros He H.
  assert (Up : forall s u v, s = 1 \/ s = -1 -> u <= v ->
    (forall y, u <= y <= v -> derivable_pt_lim g y (g' y) /\ Rabs (g' y - k) <= e) ->
    s * (g v - g u - k * (v - u)) <= e * (v - u)).
  { intros s u v Hs Huv Hy.
    assert (M : (e + s * k) * u - s * g u <= (e + s * k) * v - s * g v).
    { apply (increasing (fun y => (e + s * k) * y - s * g y) u v Huv). intros c Hc.
      destruct (Hy c Hc) as [Hd Hk]. apply abs_between in Hk.
      exists ((e + s * k) * 1 - s * g' c). split; [destruct Hs as [->| ->]; lra|].
      apply (derivable_pt_lim_minus (fun y => (e + s * k) * y) (fun y => s * g y)).
      - apply (derivable_pt_lim_scal id). apply derivable_pt_lim_id.
      - apply (derivable_pt_lim_scal g). exact Hd. }
    lra. }
  apply Rabs_le. destruct (Rle_dec 0 t) as [Ht|Ht].
  - rewrite (Rabs_pos_eq t Ht) in *.
    assert (Hy : forall y, a <= y <= a + t -> derivable_pt_lim g y (g' y) /\ Rabs (g' y - k) <= e)
      by (intros y Hy; apply H, Rabs_le; lra).
    pose proof (Up 1 a (a + t) (or_introl eq_refl) ltac:(lra) Hy).
    pose proof (Up (-1) a (a + t) (or_intror eq_refl) ltac:(lra) Hy). lra.
  - rewrite (Rabs_left t) in * by lra.
    assert (Hy : forall y, a + t <= y <= a -> derivable_pt_lim g y (g' y) /\ Rabs (g' y - k) <= e)
      by (intros y Hy; apply H, Rabs_le; lra).
    pose proof (Up 1 (a + t) a (or_introl eq_refl) ltac:(lra) Hy).
    pose proof (Up (-1) (a + t) a (or_intror eq_refl) ltac:(lra) Hy). lra.
Qed.

Lemma derivable_diff ts f f' y :
  (forall z, Rabs (z - y) <= reach ts -> derivable_pt_lim f z (f' z)) ->
  derivable_pt_lim (diff ts f) y (diff ts f' y).
Proof.
  revert y. induction ts as [|t ts IH]; intros y H; cbn [diff reach] in *.
  - apply H. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - apply (derivable_pt_lim_minus (fun y => diff ts f (y + t)) (diff ts f)).
    + replace (diff ts f' (y + t)) with (diff ts f' (y + t) * (1 + 0)) by ring.
      apply (derivable_pt_lim_comp (fun y => y + t) (diff ts f)).
      * apply derivable_pt_lim_plus; [apply derivable_pt_lim_id|apply derivable_pt_lim_const].
      * apply IH. intros z Hz. apply H. replace (z - y) with ((z - (y + t)) + t) by ring.
        eapply Rle_trans; [apply Rabs_triang|lra].
    + apply IH. intros z Hz. apply H. pose proof (Rabs_pos t). lra.
Qed.

(** The differences of D 0 with k steps are k's derivative times the steps, up to how much the
    derivative changes within their reach. *)
Theorem diff_near ts : forall D y r k e, 0 <= e -> reach ts < r ->
  derivatives (length ts) D y r ->
  (forall z, Rabs (z - y) < r -> Rabs (D (length ts) z - k) <= e) ->
  Rabs (diff ts (D 0%nat) y - k * steps ts) <= e * Rabs (steps ts).
Proof.
  induction ts as [|t ts IH]; intros D y r k e He Hr HD Hk; cbn [diff reach steps length] in *.
  - rewrite Rabs_R1, !Rmult_1_r. apply Hk. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - replace (diff ts (D 0%nat) (y + t) - diff ts (D 0%nat) y - k * (t * steps ts))
      with (diff ts (D 0%nat) (y + t) - diff ts (D 0%nat) y - (k * steps ts) * t) by ring.
    replace (e * Rabs (t * steps ts)) with ((e * Rabs (steps ts)) * Rabs t)
      by (rewrite Rabs_mult; ring).
    apply (mean_value _ (diff ts (D 1%nat)));
      [apply Rmult_le_pos; [exact He|apply Rabs_pos]|].
    intros z Hz. split.
    + apply derivable_diff. intros v Hv. apply (proj1 HD); [lia|].
      replace (v - y) with ((v - z) + (z - y)) by ring.
      eapply Rle_lt_trans; [apply Rabs_triang|lra].
    + assert (HD' : derivatives (length ts) (later D) z (r - Rabs t)).
      { apply (derivatives_within _ _ y r); [now apply derivatives_later|lra]. }
      apply (IH (later D) z (r - Rabs t) k e He); [lra|exact HD'|].
      intros v Hv. apply Hk. replace (v - y) with ((v - z) + (z - y)) by ring.
      eapply Rle_lt_trans; [apply Rabs_triang|lra].
Qed.

(** ** A point at which no derivative is zero *)

(** Near a point where its derivative is not zero a function is not zero everywhere. *)
Lemma leaves_zero g g' p s : 0 < s -> (forall y, Rabs (y - p) < s -> derivable_pt_lim g y (g' y)) ->
  continuity_pt g' p -> g' p <> 0 -> exists q, Rabs (q - p) < s /\ g q <> 0.
Proof.
  intros Hs Hg Hc Hn. destruct (Req_dec (g p) 0) as [Hz|Hz].
  2: { exists p. split; [rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; exact Hs|exact Hz]. }
  assert (Ha : 0 < Rabs (g' p)) by now apply Rabs_pos_lt.
  destruct (continuous_near g' p (Rabs (g' p) / 2) Hc ltac:(lra)) as (u & Hu & H).
  set (t := Rmin s u / 2).
  assert (Ht : 0 < t) by (unfold t; pose proof (Rmin_pos s u Hs Hu); lra).
  assert (Hts : t < s) by (unfold t in *; pose proof (Rmin_l s u); lra).
  assert (Htu : t < u) by (unfold t in *; pose proof (Rmin_r s u); lra).
  exists (p + t). replace (p + t - p) with t by ring. rewrite (Rabs_pos_eq t) by lra.
  split; [exact Hts|]. intro Hz'.
  assert (M : Rabs (g (p + t) - g p - g' p * t) <= Rabs (g' p) / 2 * Rabs t).
  { apply (mean_value g g'); [lra|]. rewrite (Rabs_pos_eq t) by lra. intros y Hy.
    split; [apply Hg; lra|left; apply H; lra]. }
  rewrite Hz, Hz' in M. replace (0 - 0 - g' p * t) with (- (g' p * t)) in M by ring.
  rewrite Rabs_Ropp, Rabs_mult in M. rewrite (Rabs_pos_eq t) in M by lra.
  assert (0 < Rabs (g' p) * t) by now apply Rmult_lt_0_compat. lra.
Qed.

Lemma stays_nonzero f p : continuity_pt f p -> f p <> 0 ->
  exists s, 0 < s /\ forall y, Rabs (y - p) < s -> f y <> 0.
Proof.
  intros C Hn. destruct (continuous_near f p (Rabs (f p)) C (Rabs_pos_lt _ Hn)) as (s & Hs & H).
  exists s. split; [exact Hs|]. intros y Hy Hz. specialize (H y Hy). rewrite Hz in H.
  replace (0 - f p) with (- f p) in H by ring. rewrite Rabs_Ropp in H. lra.
Qed.

Lemma nonzero_from d D b r : 0 < r -> derivatives d D b r -> D d b <> 0 -> forall k, (k <= d)%nat ->
  exists p s, 0 < s /\ Rabs (p - b) + s <= r /\
    forall j y, (d - k <= j <= d)%nat -> Rabs (y - p) < s -> D j y <> 0.
Proof.
  intros Hr HD Hn. induction k as [|k IH]; intro Hk.
  - destruct (stays_nonzero (D d) b) as (s & Hs & H);
      [apply (proj2 HD); rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; exact Hr|exact Hn|].
    exists b, (Rmin s r). split; [now apply Rmin_pos|].
    rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. split; [pose proof (Rmin_r s r); lra|].
    intros j y Hj Hy. replace j with d by lia. apply H. pose proof (Rmin_l s r). lra.
  - destruct (IH ltac:(lia)) as (p & s & Hs & Hp & H).
    assert (Hin : forall y, Rabs (y - p) < s -> Rabs (y - b) < r).
    { intros y Hy. replace (y - b) with ((y - p) + (p - b)) by ring.
      eapply Rle_lt_trans; [apply Rabs_triang|lra]. }
    assert (Hpp : Rabs (p - p) < s) by (rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; exact Hs).
    destruct (leaves_zero (D (d - S k)%nat) (D (S (d - S k))) p s Hs) as (q & Hq & Hnq).
    + intros y Hy. apply (proj1 HD); [lia|auto].
    + apply (derivatives_continuous d D b r); [exact HD|lia|auto].
    + apply H; [lia|exact Hpp].
    + destruct (stays_nonzero (D (d - S k)%nat) q) as (u & Hu & H');
        [apply (derivatives_continuous d D b r); [exact HD|lia|auto]|exact Hnq|].
      exists q, (Rmin u (s - Rabs (q - p))). split; [apply Rmin_pos; [exact Hu|lra]|].
      pose proof (Rmin_l u (s - Rabs (q - p))). pose proof (Rmin_r u (s - Rabs (q - p))). split.
      * replace (q - b) with ((q - p) + (p - b)) by ring.
        pose proof (Rabs_triang (q - p) (p - b)). lra.
      * intros j y Hj Hy. destruct (Nat.eq_dec j (d - S k)) as [->|]; [apply H'; lra|].
        apply H; [lia|]. replace (y - p) with ((y - q) + (q - p)) by ring.
        eapply Rle_lt_trans; [apply Rabs_triang|lra].
Qed.

Theorem all_nonzero d D b r : 0 < r -> derivatives d D b r -> D d b <> 0 ->
  exists p s, 0 < s /\ derivatives d D p s /\ forall j, (j <= d)%nat -> D j p <> 0.
Proof.
  intros Hr HD Hn. destruct (nonzero_from d D b r Hr HD Hn d (le_n d)) as (p & s & Hs & Hp & H).
  exists p, s. split; [exact Hs|]. split; [now apply (derivatives_within d D b r)|].
  intros j Hj. apply H; [lia|]. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. exact Hs.
Qed.
