(** * Layers with softmax, where tokens and blocks are off by a little

    Section 2.4 and "to arbitrary precision" in Appendices B.2 and C. A layer whose heads have one
    largest score each, by at least 1 (TreeContinuity.v), or copy the token, or take the mean of the
    tokens so far, on tokens that are bounded by K: with softmax, tokens that are off by rho and a block
    that computes its products up to e, what comes out is off from hard attention and exact products on
    exact tokens by at most e + (rho + leak)(2K + 1) z, where z is the sum of the products' weights. So L
    such layers are off by at most (e + leak) g^L, where g = 2 (2K + 1) Z for a bound Z on the sizes of the
    layers ([lift]): log C is of the order L log (K Z) + log (1/eps). Coordinates that are given anew
    after a layer are not off at all.

    Main definitions: [spec] (a head), [heads_of], [aims], [leak], [growth],
                      [part], [all_aim].
    Main theorems:    [soft_step], [lift], [enough], [lift_parts], [length_small]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Activation Trees Softmax TreeModel TreeBlocks TreeSoft TreeContinuity.
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

Lemma reach_pos specs : 0 <= reach specs.
Proof. apply lsum_nonneg. intros [qs ks vs m| |]; cbn; [apply wssize_pos|lra|lra]. Qed.

Lemma reach_in s specs : In s specs -> reach_of s <= reach specs.
Proof. apply lsum_in. intros [qs ks vs m| |]; cbn; [apply wssize_pos|lra|lra]. Qed.

Lemma close_refl {Sigma : Type} (w : list (symbol Sigma)) rho X : 0 <= rho -> close w rho X X.
Proof. intros H r c _. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. exact H. Qed.

(** ** How little is little enough *)

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

(** Coordinates that are off by little make a vector that is off by little. *)
Lemma length_small n (f g : nat -> R) eps : 0 < eps ->
  (forall k, (k < n)%nat -> Rabs (f k - g k) <= eps / (INR n + 1)) ->
  sqrt (sum n (fun k => (f k - g k) ^ 2)) < eps.
Proof.
  intros He H. pose proof (frobenius_below 1 n (fun _ k => f k - g k) eps He) as G.
  cbn [sum INR] in G. rewrite Rmult_1_l, Rplus_0_l in G. apply G. intros _ k _. apply H.
Qed.

(** ** The layer *)

(** What a head gives away: 2 K for each of at most T other rows. *)
Definition leak (K : R) (T : nat) (C : R) : R := 2 * K * (INR T * exp (- (C / 2))).
Definition growth (K Z : R) : R := 2 * ((2 * K + 1) * Z).

Lemma leak_pos K T C : 0 <= K -> 0 <= leak K T C.
Proof.
  intro H. pose proof (pos_INR T). pose proof (exp_pos (- (C / 2))).
  apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; lra.
Qed.

Section Layers.
Context {Sigma : Type} (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R) (K : R) (T : nat) (C : R)
  (w : list (symbol Sigma)) (again : list nat) (E : mat).
Hypothesis K_0 : 0 <= K.
Hypothesis C_0 : 0 <= C.
Hypothesis short : (length w <= T)%nat.
Local Notation val := (value leaf tensor C w).
Local Notation soft B specs X := (run_with val (rows w) (fun _ => B) again E X (Layer (heads_of Soft specs) [])).
Local Notation hard ps specs Y := (run_layer val (rows w) again E Y (Layer (heads_of Hard specs) ps)).

(** What heads read from bounded tokens is bounded. *)
Lemma heads_limited specs Y r : bounded w K Y -> (r < rows w)%nat -> Forall (aims w Y r) specs ->
  Forall (limited leaf tensor C w K Y r) (heads_of Hard specs).
Proof.
  intros HY Hr Ht. apply Forall_map. eapply Forall_impl; [|exact Ht].
  intros [qs ks vs m|n|n] Hs; cbn [head_of aims] in *; [|now apply own_limited|now apply mean_limited].
  destruct Hs as (s0 & Hs0). exact (scored_limited leaf tensor C w _ _ _ _ K _ r _ Hs0 HY).
Qed.

Theorem soft_step specs ps B e rho X Y :
  Forall (fun p => plain (times p)) ps -> 0 <= rho -> 0 <= e -> rho + leak K T C <= 1 ->
  rho * (2 * K + 1) * reach specs <= 1 / 4 -> computes tensor (K + 1) e B ps ->
  close w rho X Y -> bounded w K Y -> (forall r, (r < rows w)%nat -> Forall (aims w Y r) specs) ->
  close w (e + (rho + leak K T C) * (2 * K + 1) * psize tensor ps) (soft B specs X) (hard ps specs Y).
Proof.
  intros Hp Hr He Hd HS HB HX HY Ht r c Hrow. pose proof (leak_pos K T C K_0) as HL.
  set (d := rho + leak K T C) in *. pose proof (psize_pos tensor ps) as HZ. unfold run_layer, run_with.
  assert (0 <= d * (2 * K + 1) * psize tensor ps) by (repeat apply Rmult_le_pos; unfold d; lra).
  destruct (existsb _ _); [rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra|].
  cbn [heads products]. specialize (Ht r Hrow).
  assert (Hleak : rho + 2 * K * (INR (rows w - 1) * exp (- (C / 2))) <= d).
  { apply Rplus_le_compat_l, Rmult_le_compat_l; [lra|].
    apply Rmult_le_compat_r; [left; apply exp_pos|]. apply le_INR. unfold rows. lia. }
  assert (F : forall l, incl l specs -> Forall2 (follows leaf tensor C w d X Y r) (heads_of Soft l) (heads_of Hard l)).
  { induction l as [|s l IH]; intro Hl; constructor; [|exact (IH (fun q Hq => Hl q (or_intror Hq)))].
    assert (Hin : In s specs) by (apply Hl; now left).
    pose proof (proj1 (Forall_forall _ _) Ht s Hin) as Hs.
    assert (Hq : rho * (2 * K + 1) * reach_of s <= 1 / 4).
    { eapply Rle_trans; [|exact HS]. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|now apply reach_in]. }
    assert (rho <= d) by (unfold d; lra).
    destruct s as [qs ks vs m|n|n]; cbn [head_of aims reach_of] in *.
    - destruct Hs as (s0 & Hs0). split; [reflexivity|]. intros k _. eapply Rle_trans; [|exact Hleak].
      apply (scored_follows leaf tensor C w qs ks vs m X Y r s0 K rho k) with (8 := Hs0); auto; lra.
    - apply (follows_le _ _ _ _ rho); [auto|now apply own_follows].
    - apply (follows_le _ _ _ _ rho); [auto|now apply mean_follows]. }
  rewrite (block_plain leaf tensor C w) by exact Hp.
  set (x := joined _ _ (heads_of Soft specs) X r). set (y := joined _ _ (heads_of Hard specs) Y r).
  assert (Hxy : forall k, Rabs (x k - y k) <= d) 
    by (apply joined_follows; [unfold d; lra|apply F, incl_refl]).
  assert (Hy : forall k, Rabs (y k) <= K) by now apply joined_bounded, heads_limited.
  assert (Hx : forall k, Rabs (x k) <= K + 1).
  { intro k. pose proof (Rabs_triang (x k - y k) (y k)) as G.
    replace (x k - y k + y k) with (x k) in G by ring. pose proof (Hxy k). pose proof (Hy k). lra. }
  pose proof (HB x Hx c) as G1.
  pose proof (block_off (plain_value tensor) ps x y K d c K_0 ltac:(unfold d in *; lra) Hxy Hy) as G2.
  fold (psize tensor ps) in G2.
  pose proof (Rabs_triang (B x c - block (plain_value tensor) ps x c)
    (block (plain_value tensor) ps x c - block (plain_value tensor) ps y c)) as G3.
  match goal with |- Rabs ?a <= _ => match type of G3 with Rabs ?b <= _ =>
    replace b with a in G3 by ring end end. lra.
Qed.

(** ** Many layers *)

Context (specs : nat -> list spec) (ps : nat -> list product) (B : nat -> (nat -> R) -> nat -> R)
  (X Y : nat -> mat) (Z e : R) (L : nat).

(** X with softmax and the blocks B, Y with hard attention and exact products; Y is bounded and has targets. *)
Definition layer_runs (l : nat) : Prop :=
  Forall (fun p => plain (times p)) (ps l) /\ psize tensor (ps l) + reach (specs l) + 1 <= Z /\
  computes tensor (K + 1) e (B l) (ps l) /\
  X (S l) = soft (B l) (specs l) (X l) /\ Y (S l) = hard (ps l) (specs l) (Y l) /\
  bounded w K (Y l) /\ forall r, (r < rows w)%nat -> Forall (aims w (Y l) r) (specs l).

Theorem lift : 0 <= e -> (forall l, (l < L)%nat -> layer_runs l) -> close w (e + leak K T C) (X 0%nat) (Y 0%nat) ->
  (e + leak K T C) * growth K Z ^ L <= 1 / 2 ->
  forall l, (l <= L)%nat -> close w ((e + leak K T C) * growth K Z ^ l) (X l) (Y l).
Proof.
  intros e_0 layers H0 HL. pose proof (leak_pos K T C K_0) as Hk. set (q := leak K T C) in *. set (g := growth K Z) in *.
  induction l as [|l IH]; intro Hl; [cbn [pow]; now rewrite Rmult_1_r|]. specialize (IH ltac:(lia)).
  destruct (layers l ltac:(lia)) as (Hplain & HZ & HB & EX & EY & HY & Ht). pose proof (psize_pos tensor (ps l)). pose proof (reach_pos (specs l)).
  set (G := (2 * K + 1) * Z). assert (Eg : g = 2 * G) by reflexivity.
  assert (HG : 1 <= G) by (unfold G; nra).
  assert (Hp : 1 <= g ^ l) by (apply pow_R1_Rle; lra).
  set (rho := (e + q) * g ^ l) in *. assert (Hq : e + q <= rho) by (unfold rho; nra).
  assert (Hn : rho * g <= 1 / 2).
  { eapply Rle_trans; [|exact HL]. unfold rho. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|].
    replace (g ^ l * g) with (g ^ S l) by (simpl; ring). apply Rle_pow; [lra|lia]. }
  replace ((e + q) * g ^ S l) with (rho * g) by (unfold rho; simpl; ring).
  rewrite EX, EY. intros r c Hrow. eapply Rle_trans.
  - apply (soft_step (specs l) (ps l) (B l) e rho (X l) (Y l)); auto; try lra; fold q; [nra|].
    assert ((2 * K + 1) * reach (specs l) <= G) by (unfold G; apply Rmult_le_compat_l; lra). nra.
  - fold q. assert ((2 * K + 1) * psize tensor (ps l) <= G - 1) by (unfold G; nra).
    rewrite Eg, Rmult_assoc. nra.
Qed.
End Layers.

(** e^(C/2) at least 4 K T m makes the leak at most 1/(2 m). *)
Lemma leak_below K T C m : 4 * K * INR T * m <= exp (C / 2) -> leak K T C * m <= 1 / 2.
Proof.
  intro H. unfold leak. rewrite exp_Ropp. pose proof (exp_pos (C / 2)).
  apply (Rmult_le_reg_r (exp (C / 2))); [auto|].
  replace (2 * K * (INR T * / exp (C / 2)) * m * exp (C / 2)) with (4 * K * INR T * m / 2) by (field; lra). lra.
Qed.

(** A constant C and a precision of blocks that are enough. *)
Lemma enough K T m : 0 <= K ->
  exists C0 eta, 0 <= C0 /\ 0 < eta /\ forall C, C0 <= C -> (eta + leak K T C) * m <= 1.
Proof.
  intro HK. pose proof (Rabs_pos m) as Hm. pose proof (Rle_abs m). pose proof (pos_INR T).
  destruct (leak_small (2 * K * INR T * Rabs m) (1 / 2)) as (C0 & HC0 & Hl0); [|lra|].
  { repeat apply Rmult_le_pos; lra. }
  set (eta := / (2 * (Rabs m + 1))). assert (Het : 0 < eta) by (apply Rinv_0_lt_compat; lra).
  assert (eta * (Rabs m + 1) = 1 / 2) by (unfold eta; field; lra).
  exists C0, eta. split; [exact HC0|]. split; [exact Het|]. intros C HC. specialize (Hl0 C HC).
  pose proof (leak_pos K T C HK) as Hl. apply Rle_trans with ((eta + leak K T C) * Rabs m).
  - apply Rmult_le_compat_l; lra.
  - unfold leak in *. nra.
Qed.

(** ** Layers of which nothing is known but where their heads look *)

(** The heads and the products of a layer. *)
Definition part : Type := (list spec * list product)%type.
Definition part_layer (mode : attention) (p : part) : layer := Layer (heads_of mode (fst p)) (snd p).

Section Parts.
Context {Sigma : Type} (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R) (C : R)
  (w : list (symbol Sigma)) (again : list nat) (E : mat).

Definition hard_part (Y : mat) (p : part) : mat :=
  run_layer (value leaf tensor C w) (rows w) again E Y (part_layer Hard p).
Definition soft_part (B : list product -> (nat -> R) -> nat -> R) (X : mat) (p : part) : mat :=
  run_with (value leaf tensor C w) (rows w) (fun ly => B (products ly)) again E X (part_layer Soft p).

Lemma soft_parts_are B ps X : fold_left (soft_part B) ps X
  = fold_left (run_with (value leaf tensor C w) (rows w) (fun ly => B (products ly)) again E)
      (map (part_layer Soft) ps) X.
Proof. now apply fold_left_map_same. Qed.

(** In every layer every head has one largest score, by at least 1. *)
Fixpoint all_aim (Y : mat) (ps : list part) : Prop :=
  match ps with
  | [] => True
  | p :: rest => (forall r, (r < rows w)%nat -> Forall (aims w Y r) (fst p)) /\ all_aim (hard_part Y p) rest
  end.

Lemma all_aim_repeat p (Y : nat -> mat) :
  (forall l r, (r < rows w)%nat -> Forall (aims w (Y l) r) (fst p)) -> (forall l, hard_part (Y l) p = Y (S l)) ->
  forall m l, all_aim (Y l) (repeat p m) /\ fold_left hard_part (repeat p m) (Y l) = Y (l + m)%nat.
Proof.
  intros Ha HY. induction m as [|m IH]; intro l; [now rewrite Nat.add_0_r|].
  cbn [repeat all_aim fold_left]. rewrite HY, Nat.add_succ_r. destruct (IH (S l)) as [I1 I2]. auto.
Qed.

(** Tokens that are bounded stay so. *)
Lemma hard_bounded K Y p : 0 <= K -> Forall (fun q => plain (times q)) (snd p) ->
  (forall r, (r < rows w)%nat -> Forall (aims w Y r) (fst p)) -> bounded w K E -> bounded w K Y ->
  bounded w (K + psize tensor (snd p) * (K * K)) (hard_part Y p).
Proof.
  intros HK Hp Ha HE HY r c Hr. pose proof (psize_pos tensor (snd p)). assert (HKK : 0 <= K * K) by nra.
  unfold hard_part, run_layer, run_with. cbn [part_layer heads products].
  destruct (existsb _ _); [eapply Rle_trans; [now apply HE|nra]|]. rewrite block_plain by exact Hp.
  set (y := joined _ _ _ Y r).
  assert (Hy : forall k, Rabs (y k) <= K) by (apply joined_bounded; [exact HK|apply heads_limited; auto]).
  apply Rle_trans with (psize tensor (snd p) * (K * K)); [|lra].
  unfold block, psize. rewrite lsum_scal. eapply Rle_trans; [apply lsum_abs|]. apply lsum_le. intro q.
  pose proof (Rabs_pos (plain_value tensor (times q))).
  destruct (out q =? c)%nat; [|rewrite Rabs_R0; now apply Rmult_le_pos].
  rewrite Rmult_assoc, Rabs_mult. apply Rmult_le_compat_l; [assumption|]. now apply abs_product.
Qed.
End Parts.

(** For all layers and first tokens of a bounded size some C, some bound on what blocks are given and some
    precision of the blocks are enough. *)
Theorem lift_parts {Sigma : Type} (leaf : Sigma -> nat -> R) tensor T ps :
  Forall (fun p => Forall (fun q => plain (times q)) (snd p)) ps -> forall K eps, 0 <= K -> 0 < eps ->
  exists rho C0 bound eta, 0 < rho /\ 0 < bound /\ 0 < eta /\ forall C w again E B X Y,
    C0 <= C -> (length w <= T)%nat -> (forall p, In p ps -> computes tensor bound eta (B (snd p)) (snd p)) ->
    bounded w K E -> bounded w K Y -> all_aim leaf tensor C w again E Y ps -> close w rho X Y ->
    close w eps (fold_left (soft_part leaf tensor C w again E B) ps X)
                (fold_left (hard_part leaf tensor C w again E) ps Y).
Proof.
  induction 1 as [|p ps Hp _ IH]; intros K eps HK He.
  { exists eps, 0, 1, 1. repeat (split; [lra|]). intros. assumption. }
  pose proof (psize_pos tensor (snd p)) as Hz. pose proof (reach_pos (fst p)).
  set (K' := K + psize tensor (snd p) * (K * K)). assert (HK' : K <= K') by (unfold K'; nra).
  destruct (IH K' eps ltac:(lra) He) as (rho1 & C1 & b1 & eta1 & Hrho1 & Hb1 & Heta1 & H1).
  set (G := (2 * K + 1) * (psize tensor (snd p) + reach (fst p) + 1)). assert (HG : 1 <= G) by (unfold G; nra).
  set (q := Rmin rho1 (1 / 4)). assert (Hq : 0 < q) by (apply Rmin_glb_lt; lra).
  assert (q <= rho1 /\ q <= 1 / 4) as [Hq1 Hq2] by (split; [apply Rmin_l|apply Rmin_r]).
  destruct (enough K T (G * / q) HK) as (C2 & eta & HC2 & Heta & Hm).
  exists eta, (Rmax C1 C2), (Rmax b1 (K + 1)), (Rmin eta1 eta).
  split; [exact Heta|]. split; [eapply Rlt_le_trans; [exact Hb1|apply Rmax_l]|].
  split; [now apply Rmin_glb_lt|]. intros C w again E B X Y HC Hw HB HE HY [Ha Hrest] HX.
  pose proof (Rmax_l C1 C2). pose proof (Rmax_r C1 C2). specialize (Hm C ltac:(lra)).
  pose proof (leak_pos K T C HK) as Hl.
  assert (HB' : forall b' e', b' <= Rmax b1 (K + 1) -> Rmin eta1 eta <= e' -> forall p', In p' (p :: ps) ->
    computes tensor b' e' (B (snd p')) (snd p')).
  { intros b' e' Hb He' p' Hin x Hx c. eapply Rle_trans; [|exact He']. apply (HB p' Hin).
    intro k. eapply Rle_trans; [apply Hx|exact Hb]. }
  assert (HL : (eta + leak K T C) * G <= q).
  { apply (Rmult_le_reg_r (/ q)); [now apply Rinv_0_lt_compat|]. rewrite Rinv_r by lra. lra. }
  cbn [fold_left]. apply H1; auto; try lra.
  - intros p' Hin. apply HB'; [apply Rmax_l|apply Rmin_l|now right].
  - intros r c Hr. eapply Rle_trans; [now apply HE|exact HK'].
  - now apply hard_bounded.
  - assert (HR : (2 * K + 1) * reach (fst p) <= G /\ 1 + (2 * K + 1) * psize tensor (snd p) <= G)
      by (unfold G; split; nra).
    intros r c Hr. eapply Rle_trans.
    + apply (soft_step leaf tensor K T C w again E HK ltac:(lra) Hw (fst p) (snd p) (B (snd p)) eta eta X Y); auto;
        [lra|lra|nra|nra|apply HB'; [apply Rmax_r|apply Rmin_r|now left]].
    + nra.
Qed.
