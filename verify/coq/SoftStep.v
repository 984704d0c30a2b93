(** * One layer with softmax, where tokens and block are off by a little

    Section 2.4 and "to arbitrary precision" in Appendices B.2 and C. A layer whose heads have one
    largest score each, by at least 1 (TreeContinuity.v), or copy the token, or take the mean of the
    tokens so far, on tokens that are bounded: for every rho > 0 there are rho0, C0 and eta such that
    with softmax and every C >= C0, tokens that are off by at most rho0 and a block that computes its
    products up to eta, what comes out is off by at most rho from hard attention and exact products
    on exact tokens. Coordinates that are given anew after the layer are not off at all.

    Main definitions: [spec] (a head), [heads_of], [aims], [renewing].
    Main theorems:    [soft_step], [length_small]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Trees Softmax TreeModel TreeBlocks TreeSoft TreeContinuity.
Import ListNotations.
Open Scope R_scope.

(** Queries, keys, the coordinates that are read and the mask; or a head of TreeModel.v. *)
Inductive spec :=
| Looks (asks answers : list whole) (brings : list nat) (sees : mask)
| Copies (n : nat)
| Averages (n : nat).

Definition head_of (mode : attention) (s : spec) : head :=
  match s with
  | Looks qs ks vs m => scored mode qs ks vs m
  | Copies n => own_head n mode
  | Averages n => mean_head n mode
  end.
Definition heads_of (mode : attention) (specs : list spec) : list head := map (head_of mode) specs.

Definition reach_of (s : spec) : R := match s with Looks qs ks _ _ => wssize qs ks | _ => 0 end.
Definition reach (specs : list spec) : R := lsum reach_of specs.

(** In a row r of the exact tokens Y one score is the largest, by at least 1. *)
Definition aims {Sigma : Type} (w : list (symbol Sigma)) (Y : mat) (r : nat) (s : spec) : Prop :=
  match s with Looks qs ks _ m => exists s0, target w qs ks m Y r s0 | _ => True end.

(** Some coordinates are given anew after a layer. *)
Definition renewing (again : list nat) (E X : mat) : mat := fun r c =>
  if existsb (Nat.eqb c) again then E r c else X r c.

Lemma reach_pos specs : 0 <= reach specs.
Proof. apply lsum_nonneg. intros [qs ks vs m| |]; cbn; [apply wssize_pos|lra|lra]. Qed.

Lemma reach_in s specs : In s specs -> reach_of s <= reach specs.
Proof.
  assert (P : forall q, 0 <= reach_of q) by (intros [qs ks vs m| |]; cbn; [apply wssize_pos|lra|lra]).
  unfold reach, lsum. induction specs as [|q specs IH]; [intros []|]. cbn [fold_right].
  pose proof (P q). pose proof (reach_pos specs) as H0.
  unfold reach, lsum in H0. intros [<-|Hs]; [lra|]. specialize (IH Hs). lra.
Qed.

(** ** How little is little enough *)

Lemma choose Z K rho : 0 <= Z -> 0 <= K -> 0 < rho ->
  exists d eta, 0 < d <= 1 /\ 0 < eta /\
    forall delta e, 0 <= delta <= d -> 0 <= e <= eta -> e + delta * (2 * K + 1) * Z <= rho.
Proof.
  intros HZ HK Hr. set (q := (2 * K + 1) * Z + 1).
  assert (0 <= (2 * K + 1) * Z) by (apply Rmult_le_pos; lra).
  assert (Hq : 1 <= q) by (unfold q; lra).
  exists (Rmin 1 (rho / (2 * q))), (rho / 2).
  assert (0 < rho / (2 * q)) by (apply Rdiv_lt_0_compat; lra).
  split; [split; [apply Rmin_glb_lt; lra|apply Rmin_l]|]. split; [lra|].
  intros delta e Hd He. pose proof (Rmin_r 1 (rho / (2 * q))).
  assert (delta * q <= rho / 2).
  { apply Rle_trans with (rho / (2 * q) * q); [apply Rmult_le_compat_r; lra|right; field; lra]. }
  unfold q in *. replace (delta * (2 * K + 1) * Z) with (delta * ((2 * K + 1) * Z)) by ring. nra.
Qed.

Lemma leak_small a eps : 0 <= a -> 0 < eps ->
  exists C0, 0 <= C0 /\ forall C, C0 <= C -> a * exp (- (C / 2)) <= eps.
Proof.
  intros Ha He. assert (Hae : 0 <= 2 * a / eps).
  { apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]. }
  exists (2 * a / eps). split; [exact Hae|]. intros C HC.
  pose proof (exp_small (C / 2) ltac:(lra)) as H1. pose proof (exp_pos (- (C / 2))).
  assert (a <= eps * (C / 2)).
  { apply Rle_trans with (eps * (2 * a / eps / 2)); [right; field; lra|].
    apply Rmult_le_compat_l; lra. }
  set (x := exp (- (C / 2))) in *.
  assert (a * x <= eps * (C / 2) * x) by (apply Rmult_le_compat_r; lra).
  assert (eps * (x * (1 + C / 2)) <= eps * 1) by (apply Rmult_le_compat_l; lra). nra.
Qed.

Lemma computes_le tensor bound eta eta' B ps : eta <= eta' ->
  computes tensor bound eta B ps -> computes tensor bound eta' B ps.
Proof. intros H HB x Hx c. eapply Rle_trans; [now apply HB|exact H]. Qed.

(** Coordinates that are off by little make a vector that is off by little. *)
Lemma length_small n (f g : nat -> R) eps : 0 < eps ->
  (forall k, (k < n)%nat -> Rabs (f k - g k) <= eps / (INR n + 1)) ->
  sqrt (sum n (fun k => (f k - g k) ^ 2)) < eps.
Proof.
  intros He H. pose proof (frobenius_below 1 n (fun _ k => f k - g k) eps He) as G.
  cbn [sum INR] in G. rewrite Rmult_1_l, Rplus_0_l in G. apply G. intros _ k _. apply H.
Qed.

(** ** The layer *)

Theorem soft_step {Sigma : Type} (leaf : Sigma -> nat -> R) tensor (specs : list spec) ps K T rho :
  0 <= K -> 0 < rho -> Forall (fun p => plain (times p)) ps ->
  exists rho0 C0 eta, 0 < rho0 /\ 0 <= C0 /\ 0 < eta /\
  forall C (w : list (symbol Sigma)) again E B X Y,
    C0 <= C -> (length w <= T)%nat -> computes tensor (K + 1) eta B ps ->
    close w rho0 X Y -> bounded w K Y ->
    (forall r, (r < rows w)%nat -> Forall (aims w Y r) specs) ->
    let val := value leaf tensor C w in
    close w rho (renewing again E (fun r => B (joined val (rows w) (heads_of Soft specs) X r)))
      (run_layer val (rows w) again E Y (Layer (heads_of Hard specs) ps)).
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
  assert (HS : forall s, In s specs -> rho0 * (2 * K + 1) * reach_of s <= 1 / 4).
  { intros s Hs. pose proof (reach_in s specs Hs). apply Rle_trans with (rho0 * D).
    - unfold D. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; lra.
    - apply Rle_trans with (/ (4 * D) * D); [apply Rmult_le_compat_r; [lra|apply Rmin_r]|].
      right. field. lra. }
  exists rho0, C0, eta. repeat split; auto.
  intros C w again E B X Y HC Hw HB HX HY Ht val r c Hrow. unfold renewing, run_layer.
  destruct (existsb _ _); [rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra|].
  cbn [heads products]. specialize (Ht r Hrow).
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
    pose proof (proj1 (Forall_forall _ _) Ht s Hin) as Hs. pose proof (HS s Hin) as Hq.
    enough (follows leaf tensor C w d X Y r (head_of Soft s) (head_of Hard s) /\
            limited leaf tensor C w K Y r (head_of Hard s)) as [G1 G2] by (split; constructor; auto).
    destruct s as [qs ks vs m|n|n]; cbn [head_of aims reach_of] in *.
    - destruct Hs as (s0 & Hs0).
      split; [|exact (scored_limited leaf tensor C w _ _ _ _ K _ r _ Hs0 HY)].
      split; [reflexivity|]. intros k _. eapply Rle_trans; [|exact Hleak].
      apply (scored_follows leaf tensor C w qs ks vs m X Y r s0 K rho0 k) with (8 := Hs0); auto; lra.
    - split; [|now apply own_limited]. apply (follows_le _ _ _ _ rho0); [lra|now apply own_follows].
    - split; [|now apply mean_limited]. apply (follows_le _ _ _ _ rho0); [lra|now apply mean_follows]. }
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
