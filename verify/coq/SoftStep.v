(** * One layer with softmax, where tokens and block are off by a little

    Section 2.4 and "to arbitrary precision" in Appendices B.2 and C. A layer of scored heads without
    masks, each of which has one largest score, by at least 1 (TreeContinuity.v), on tokens that are
    bounded: for every rho > 0 there are rho0, C0 and eta such that with softmax and every C >= C0,
    tokens that are off by at most rho0 and a block that computes its products up to eta, what comes
    out is off by at most rho from hard attention and exact products on exact tokens.

    Main definitions: [spec], [heads_of].
    Main theorem:     [soft_step]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Trees Softmax TreeModel TreeBlocks TreeContinuity TreeInexact.
Import ListNotations.
Open Scope R_scope.

(** Queries, keys, and the coordinates that are read. *)
Definition spec := (list whole * list whole * list nat)%type.
Definition heads_of (mode : attention) (specs : list spec) : list head :=
  map (fun s => scored mode (fst (fst s)) (snd (fst s)) (snd s) Everywhere) specs.
Definition reach (specs : list spec) : R := lsum (fun s => wssize (fst (fst s)) (snd (fst s))) specs.

Lemma reach_pos specs : 0 <= reach specs.
Proof. apply lsum_nonneg. intro. apply wssize_pos. Qed.

Lemma reach_in s specs : In s specs -> wssize (fst (fst s)) (snd (fst s)) <= reach specs.
Proof.
  unfold reach, lsum. induction specs as [|t specs IH]; [intros []|]. cbn [fold_right].
  pose proof (wssize_pos (fst (fst t)) (snd (fst t))). pose proof (reach_pos specs) as H0.
  unfold reach, lsum in H0. intros [<-|Hs]; [lra|]. specialize (IH Hs). lra.
Qed.

Theorem soft_step tensor (specs : list spec) ps K T rho : 0 <= K -> 0 < rho ->
  Forall (fun p => plain (times p)) ps ->
  exists rho0 C0 eta, 0 < rho0 /\ 0 <= C0 /\ 0 < eta /\
  forall (Sigma : Type) (leaf : Sigma -> nat -> R) C (w : list (symbol Sigma)) B X Y r c,
    C0 <= C -> (length w <= T)%nat -> computes tensor (K + 1) eta B ps ->
    close w rho0 X Y -> bounded w K Y -> (r < rows w)%nat ->
    Forall (fun s => exists s0, target w (fst (fst s)) (snd (fst s)) Everywhere Y r s0) specs ->
    let val := value leaf tensor C w in
    Rabs (B (joined val (rows w) (heads_of Soft specs) X r) c
          - block val ps (joined val (rows w) (heads_of Hard specs) Y r) c) <= rho.
Proof.
  intros HK Hr Hp.
  destruct (choose (psize tensor ps) K rho (psize_pos _ _) HK Hr) as (d & eta & Hd & He & H).
  pose proof (reach_pos specs) as HQ. set (D := (2 * K + 1) * (reach specs + 1)).
  assert (HD : 0 < D) by (apply Rmult_lt_0_compat; lra).
  destruct (leak_small (2 * K * INR T) (d / 2)) as (C0 & HC0 & HL); [|lra|].
  { pose proof (pos_INR T). apply Rmult_le_pos; lra. }
  set (rho0 := Rmin (d / 2) (/ (4 * D))).
  assert (H0 : 0 < rho0) by (apply Rmin_glb_lt; [lra|apply Rinv_0_lt_compat; lra]).
  assert (H1 : rho0 <= d / 2) by apply Rmin_l.
  assert (HS : forall s, In s specs -> rho0 * (2 * K + 1) * wssize (fst (fst s)) (snd (fst s)) <= 1 / 4).
  { intros s Hs. pose proof (reach_in s specs Hs). apply Rle_trans with (rho0 * D).
    - unfold D. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; lra.
    - apply Rle_trans with (/ (4 * D) * D); [apply Rmult_le_compat_r; [lra|apply Rmin_r]|].
      right. field. lra. }
  exists rho0, C0, eta. repeat split; auto.
  intros Sigma leaf C w B X Y r c HC Hw HB HX HY Hrow Ht val.
  assert (Hleak : rho0 + 2 * K * (INR (rows w - 1) * exp (- (C / 2))) <= d).
  { pose proof (HL C HC). assert (2 * K * (INR (rows w - 1) * exp (- (C / 2)))
      <= 2 * K * INR T * exp (- (C / 2))); [|lra].
    rewrite !Rmult_assoc. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; [lra|].
    apply Rmult_le_compat_r; [left; apply exp_pos|]. apply le_INR. unfold rows. lia. }
  assert (F : forall l, incl l specs ->
    Forall2 (follows leaf tensor C w d X Y r) (heads_of Soft l) (heads_of Hard l) /\
    Forall (limited leaf tensor C w K Y r) (heads_of Hard l)).
  { induction l as [|s l IH]; intro Hl; [split; constructor|].
    destruct (IH (fun q Hq => Hl q (or_intror Hq))) as [I1 I2].
    assert (Hin : In s specs) by (apply Hl; now left).
    destruct (proj1 (Forall_forall _ _) Ht s Hin) as (s0 & Hs0).
    split; constructor; auto; [|exact (scored_limited leaf tensor C w _ _ _ _ K _ r _ Hs0 HY)].
    split; [reflexivity|]. intros k _. eapply Rle_trans; [|exact Hleak].
    apply (scored_follows leaf tensor C w (fst (fst s)) (snd (fst s)) (snd s) Everywhere X Y r s0 K rho0 k)
      with (8 := Hs0); auto; lra. }
  destruct (F specs (incl_refl specs)) as [F1 F2]. unfold val.
  rewrite (block_plain leaf tensor C w) by exact Hp.
  set (x := joined _ _ (heads_of Soft specs) X r). set (y := joined _ _ (heads_of Hard specs) Y r).
  assert (Hxy : forall k, Rabs (x k - y k) <= d) by (apply joined_follows; auto; lra).
  assert (Hy : forall k, Rabs (y k) <= K) by now apply joined_bounded.
  assert (Hx : forall k, Rabs (x k) <= K + 1).
  { intro k. pose proof (Rabs_triang (x k - y k) (y k)) as G.
    replace (x k - y k + y k) with (x k) in G by ring.
    pose proof (Hxy k). pose proof (Hy k). lra. }
  pose proof (HB x Hx c) as G1.
  pose proof (block_off (plain_value tensor) ps x y K d c HK ltac:(lra) Hxy Hy) as G2.
  fold (psize tensor ps) in G2.
  pose proof (Rabs_triang (B x c - block (plain_value tensor) ps x c)
    (block (plain_value tensor) ps x c - block (plain_value tensor) ps y c)) as G3.
  match goal with |- Rabs ?a <= _ => match type of G3 with Rabs ?b <= _ =>
    replace b with a in G3 by ring end end.
  pose proof (H d eta ltac:(lra) ltac:(lra)). lra.
Qed.
