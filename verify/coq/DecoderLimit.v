(** * From hard attention to the softmax, for decoders made of whole forms

    Beyond the paper. A layer made by [make_head] and [make_block] (TreeDecoderModel.v) with softmax
    attention and scores C times a polynomial of the stream comes close to the same layer with hard
    attention, at the rate exp(-rho C) for some rho > 0, if every row of every head has one top, or
    has no query at all; errors of the stream itself may be of the same kind. Products are exact, so
    that nothing is asked of the activation but act(y) - act(-y) = y and act(1) <> 0.

    Main definitions: [tends] (convergence at an exponential rate), [at_C], [made_layer].
    Main theorems:    [tends_softmax], [soft_layer], [tends_limit]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Theorem1 Softmax Activation InUse DecoderModel TreeDecoderModel.
Import ListNotations.
Open Scope R_scope.

(** ** Convergence at an exponential rate *)

Definition tends (a : R -> R) (b : R) : Prop :=
  exists K rho, 0 <= K /\ 0 < rho /\ forall c, 1 <= c -> Rabs (a c - b) <= K * exp (- (rho * c)).

Lemma tends_const b : tends (fun _ => b) b.
Proof.
  exists 0, 1. split; [lra|]. split; [lra|]. intros c _.
  rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
Qed.

Lemma tends_ext a a' b : (forall c, 1 <= c -> a c = a' c) -> tends a b -> tends a' b.
Proof.
  intros H (K & rho & HK & Hr & Ha). exists K, rho. split; [exact HK|]. split; [exact Hr|].
  intros c Hc. rewrite <- H by exact Hc. now apply Ha.
Qed.

Lemma tends_eq a b b' : b = b' -> tends a b -> tends a b'.
Proof. now intros ->. Qed.

Lemma tends_slower a b K rho rho' : 0 <= K -> rho' <= rho ->
  (forall c, 1 <= c -> Rabs (a c - b) <= K * exp (- (rho * c))) ->
  forall c, 1 <= c -> Rabs (a c - b) <= K * exp (- (rho' * c)).
Proof.
  intros HK Hr H c Hc. eapply Rle_trans; [now apply H|]. apply Rmult_le_compat_l; [exact HK|].
  apply exp_le. nra.
Qed.

Lemma tends_plus a a' b b' : tends a b -> tends a' b' -> tends (fun c => a c + a' c) (b + b').
Proof.
  intros (K & rho & HK & Hr & Ha) (K' & rho' & HK' & Hr' & Ha').
  exists (K + K'), (Rmin rho rho'). split; [lra|]. split; [now apply Rmin_glb_lt|].
  intros c Hc. pose proof (tends_slower a b K rho (Rmin rho rho') HK (Rmin_l _ _) Ha c Hc).
  pose proof (tends_slower a' b' K' rho' (Rmin rho rho') HK' (Rmin_r _ _) Ha' c Hc).
  replace (a c + a' c - (b + b')) with ((a c - b) + (a' c - b')) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.

Lemma exp_small rho c : 0 < rho -> 1 <= c -> 0 < exp (- (rho * c)) <= 1.
Proof.
  intros Hr Hc. split; [apply exp_pos|]. rewrite <- exp_0. apply exp_le. nra.
Qed.

Lemma tends_mult a a' b b' : tends a b -> tends a' b' -> tends (fun c => a c * a' c) (b * b').
Proof.
  intros (K & rho & HK & Hr & Ha) (K' & rho' & HK' & Hr' & Ha').
  set (r := Rmin rho rho'). assert (Hr0 : 0 < r) by now apply Rmin_glb_lt.
  exists (K * K' + K * Rabs b' + Rabs b * K'), r.
  pose proof (Rabs_pos b). pose proof (Rabs_pos b').
  split; [assert (0 <= K * K') by nra; assert (0 <= K * Rabs b') by nra; assert (0 <= Rabs b * K') by nra; lra|].
  split; [exact Hr0|]. intros c Hc.
  pose proof (tends_slower a b K rho r HK (Rmin_l _ _) Ha c Hc) as A1.
  pose proof (tends_slower a' b' K' rho' r HK' (Rmin_r _ _) Ha' c Hc) as A2.
  destruct (exp_small r c Hr0 Hc) as [E0 E1]. set (E := exp (- (r * c))) in *.
  replace (a c * a' c - b * b') with ((a c - b) * (a' c - b') + ((a c - b) * b' + b * (a' c - b'))) by ring.
  eapply Rle_trans; [apply Rabs_triang|].
  pose proof (Rabs_triang ((a c - b) * b') (b * (a' c - b'))) as T2. rewrite !Rabs_mult in *.
  pose proof (Rabs_pos (a c - b)). pose proof (Rabs_pos (a' c - b')).
  assert (M1 : Rabs (a c - b) * Rabs (a' c - b') <= K * E * (K' * E)) by (apply Rmult_le_compat; auto).
  assert (M2 : K * E * (K' * E) <= K * K' * E).
  { replace (K * E * (K' * E)) with (K * K' * E * E) by ring.
    rewrite <- (Rmult_1_r (K * K' * E)) at 2. apply Rmult_le_compat_l; [|exact E1].
    apply Rmult_le_pos; [nra|lra]. }
  assert (M3 : Rabs (a c - b) * Rabs b' <= K * E * Rabs b') by (apply Rmult_le_compat_r; auto).
  assert (M4 : Rabs b * Rabs (a' c - b') <= Rabs b * (K' * E)) by (apply Rmult_le_compat_l; auto).
  lra.
Qed.

Lemma tends_sum k (a : nat -> R -> R) (b : nat -> R) : (forall j, (j < k)%nat -> tends (a j) (b j)) ->
  tends (fun c => sum k (fun j => a j c)) (sum k b).
Proof.
  induction k as [|k IH]; intro H; [exact (tends_const 0)|]. cbn [sum].
  apply tends_plus; [apply IH; auto|apply H; lia].
Qed.

Lemma tends_lsum {X : Type} (l : list X) (a : X -> R -> R) (b : X -> R) :
  (forall x, In x l -> tends (a x) (b x)) -> tends (fun c => lsum (fun x => a x c) l) (lsum b l).
Proof.
  induction l as [|x l IH]; intro H; [exact (tends_const 0)|]. cbn [lsum].
  apply tends_plus; [apply H; now left|apply IH; intros y Hy; apply H; now right].
Qed.

Lemma tends_zreads (x : nat -> R -> R) (y : nat -> R) d f : zbelow d f ->
  (forall c, (c < d)%nat -> tends (x c) (y c)) ->
  tends (fun c => zreads (fun p => x p c) f) (zreads y f).
Proof.
  intros Hf H. unfold zreads. apply (tends_lsum f (fun q c => x (fst q) c * IZR (snd q))). intros q Hq.
  apply tends_mult; [apply H, Hf, Hq|apply tends_const].
Qed.

(** c exp(-rho c) <= 1 / rho *)
Lemma linear_exp rho c : 0 < rho -> 0 <= c -> c * exp (- (rho * c)) <= / rho.
Proof.
  intros Hr Hc. rewrite exp_Ropp. pose proof (exp_lower (rho * c) ltac:(nra)) as H.
  pose proof (exp_pos (rho * c)). apply (Rmult_le_reg_r (rho * exp (rho * c))); [nra|].
  replace (c * / exp (rho * c) * (rho * exp (rho * c))) with (rho * c) by (field; lra).
  replace (/ rho * (rho * exp (rho * c))) with (exp (rho * c)) by (field; lra). lra.
Qed.

(** A row of the softmax with one top. *)
Theorem tends_softmax N (sigma : nat -> R -> R) (s : nat -> R) t : (t < N)%nat ->
  (forall j, (j < N)%nat -> tends (sigma j) (s j)) ->
  (forall j, (j < N)%nat -> j <> t -> s j < s t) ->
  forall j, (j < N)%nat ->
  tends (fun c => softmax N (fun _ k => c * sigma k c) 0%nat j) (b2r (j =? t)%nat).
Proof.
  intros Ht Hnear Htop.
  assert (Hoff : forall j, (j < N)%nat -> j <> t ->
    tends (fun c => softmax N (fun _ k => c * sigma k c) 0%nat j) 0).
  { intros j Hj Hne. destruct (Hnear j Hj) as (K1 & r1 & HK1 & Hr1 & H1).
    destruct (Hnear t Ht) as (K2 & r2 & HK2 & Hr2 & H2). pose proof (Htop j Hj Hne) as Hgap.
    set (r := Rmin r1 r2). assert (Hr : 0 < r) by now apply Rmin_glb_lt.
    exists (exp ((K1 + K2) * / r)), (s t - s j). split; [left; apply exp_pos|]. split; [lra|].
    intros c Hc. pose proof (tends_slower _ _ K1 r1 r HK1 (Rmin_l _ _) H1 c Hc) as A1.
    pose proof (tends_slower _ _ K2 r2 r HK2 (Rmin_r _ _) H2 c Hc) as A2.
    apply abs_between in A1. apply abs_between in A2.
    rewrite Rminus_0_r, Rabs_pos_eq by (left; apply softmax_pos; lia).
    unfold softmax. set (S := fun k => c * sigma k c).
    assert (HD : exp (S t) <= sum N (fun k => exp (S k))).
    { rewrite (sum_split N _ t Ht).
      assert (0 <= sum N (fun k => if (k =? t)%nat then 0 else exp (S k))).
      { apply sum_nonneg. intros k _. destruct (k =? t)%nat; [lra|left; apply exp_pos]. }
      lra. }
    pose proof (exp_pos (S t)) as Hp. change (c * sigma j c) with (S j).
    apply Rle_trans with (exp (S j) / exp (S t)).
    - apply Rmult_le_compat_l; [left; apply exp_pos|]. now apply Rinv_le_contravar.
    - unfold Rdiv. rewrite <- exp_Ropp, <- !exp_plus. apply exp_le. unfold S.
      set (E := exp (- (r * c))) in *.
      assert (HL : c * E <= / r) by (apply linear_exp; lra).
      assert (c * (sigma j c - sigma t c) <= c * (s j - s t + (K1 + K2) * E))
        by (apply Rmult_le_compat_l; lra).
      assert ((K1 + K2) * (c * E) <= (K1 + K2) * / r) by (apply Rmult_le_compat_l; lra).
      lra. }
  intros j Hj. destruct (Nat.eqb_spec j t) as [->|Hne]; cbn [b2r]; [|now apply Hoff].
  assert (HS : tends (fun c => sum N (fun k => if (k =? t)%nat then 0
      else softmax N (fun _ k => c * sigma k c) 0%nat k)) (sum N (fun _ => 0))).
  { apply (tends_sum N (fun k c => if (k =? t)%nat then 0 else softmax N (fun _ k => c * sigma k c) 0%nat k)).
    intros k Hk. destruct (Nat.eqb_spec k t); [apply tends_const|now apply Hoff]. }
  rewrite sum_zero in HS by reflexivity.
  pose proof (tends_plus _ _ _ _ (tends_const 1) (tends_mult _ _ _ _ (tends_const (-1)) HS)) as H.
  apply (tends_eq _ (1 + -1 * 0)); [ring|]. refine (tends_ext _ _ _ _ H). intros c Hc. cbv beta.
  pose proof (softmax_sum N (fun _ k => c * sigma k c) 0%nat ltac:(lia)) as HT.
  rewrite (sum_split N _ t Ht) in HT. lra.
Qed.

(** For every eps all large C come within eps. *)
Theorem tends_limit a b : tends a b -> forall eps, 0 < eps -> exists c0, forall c, c0 <= c -> Rabs (a c - b) < eps.
Proof.
  intros (K & rho & HK & Hr & H) eps He. exists (Rmax 1 (K / (rho * eps))). intros c Hc.
  assert (Hc1 : 1 <= c) by (eapply Rle_trans; [apply Rmax_l|exact Hc]).
  assert (Hc2 : K / (rho * eps) <= c) by (eapply Rle_trans; [apply Rmax_r|exact Hc]).
  eapply Rle_lt_trans; [now apply H|]. rewrite exp_Ropp.
  pose proof (exp_lower (rho * c) ltac:(nra)) as HE. pose proof (exp_pos (rho * c)).
  apply (Rmult_lt_reg_r (exp (rho * c))); [assumption|].
  replace (K * / exp (rho * c) * exp (rho * c)) with K by (field; lra).
  assert (HKc : K <= c * (rho * eps)).
  { replace K with (K / (rho * eps) * (rho * eps)) by (field; lra). apply Rmult_le_compat_r; [nra|exact Hc2]. }
  assert (eps * (1 + rho * c) <= eps * exp (rho * c)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** ** Layers made of whole forms *)

Definition at_C (e : setting) (c : R) : setting :=
  Setting (alpha e) (A e) (leaf e) (tensor e) c (act e) (h e) (bend e) (slope e).

Fixpoint free (w : scalar) : bool :=
  match w with
  | Score _ _ => false
  | Over w => free w
  | Times _ w => free w
  | Plus v w => free v && free w
  | _ => true
  end.

Lemma free_amount e c c' w : free w = true -> amount (at_C e c) w = amount (at_C e c') w.
Proof.
  induction w; cbn [free amount at_C]; intro Hw; try reflexivity; try discriminate.
  - now rewrite IHw.
  - now rewrite IHw.
  - apply andb_true_iff in Hw. destruct Hw. now rewrite IHw1, IHw2.
Qed.

Lemma free_share e c c' f k : (forall p, In p f -> free (snd p) = true) ->
  share (at_C e c) f k = share (at_C e c') f k.
Proof.
  intro H. apply lsum_ext. intros p Hp. now rewrite (free_amount e c c' _ (H p Hp)).
Qed.

Record head_form := HeadForm { h_q0 : zform; h_q1 : zform; h_k0 : zform; h_k1 : zform; h_copies : copy_list }.

Definition made_head (d width : nat) (F : head_form) : head :=
  make_head d width (h_q0 F) (h_q1 F) (h_k0 F) (h_k1 F) (h_copies F).

Section Layer.
Variable d width N : nat.
Variable e : setting.
Hypothesis width_2 : (2 <= width)%nat.
Hypothesis d_pos : (0 < d)%nat.
Hypothesis act_odd : forall y, act e y - act e (- y) = y.
Hypothesis act_1 : act e 1 <> 0.

Definition head_fits (F : head_form) : Prop :=
  zbelow d (h_q0 F) /\ zbelow d (h_q1 F) /\ zbelow d (h_k0 F) /\ zbelow d (h_k1 F)
  /\ (length (h_copies F) <= width)%nat
  /\ forall r, In r (h_copies F) -> zbelow d (fst r) /\ snd r <> 0%nat.

Definition score_1 (F : head_form) (X : mat) (i j : nat) : R :=
  zreads (X i) (h_q0 F) * zreads (X j) (h_k0 F) + zreads (X i) (h_q1 F) * zreads (X j) (h_k1 F).

(** Every row has one top, by at least 1, or there is no query. *)
Definition decided (F : head_form) (X : mat) : Prop :=
  (h_q0 F = [] /\ h_q1 F = []) \/
  forall i, (i < N)%nat -> exists t, (t <= i)%nat /\
    forall j, (j <= i)%nat -> j <> t -> score_1 F X i j + 1 <= score_1 F X i t.

Variable X' : R -> mat.
Variable X : mat.
Hypothesis close : forall i k, (i < N)%nat -> (k < d)%nat -> tends (fun c => X' c i k) (X i k).
Hypothesis one' : forall c i, (i < N)%nat -> X' c i 0%nat = 1.
Hypothesis one : forall i, (i < N)%nat -> X i 0%nat = 1.

Lemma head_near F i k : head_fits F -> decided F X -> (i < N)%nat ->
  tends (fun c => attend (at_C e c) softmax N (X' c) (made_head d width F) i k)
       (attend (at_C e 1) averaged N X (made_head d width F) i k).
Proof.
  intros (H0 & H1 & H2 & H3 & Hlen & Hcop) Hdec Hi.
  assert (Hb : forall r, In r (h_copies F) -> zbelow d (fst r)) by (intros r Hr; now apply Hcop).
  unfold made_head. rewrite head_adds by auto.
  apply (tends_ext (fun c => lsum (fun r => if (k =? snd r)%nat
      then sum (i + 1) (fun j => softmax (i + 1) (fun _ m => c * score_1 F (X' c) i m) 0%nat j
                                 * zreads (X' c j) (fst r)) else 0) (h_copies F))).
  { intros c Hc. rewrite head_adds by auto. apply lsum_ext. intros r Hr.
    destruct (k =? snd r)%nat; [|reflexivity]. apply sum_ext. intros j Hj. f_equal.
    set (H := make_head d width (h_q0 F) (h_q1 F) (h_k0 F) (h_k1 F) (h_copies F)).
    assert (ES : forall m, scores (at_C e c) H (X' c) i m = c * score_1 F (X' c) i m)
      by (intro m; unfold H; rewrite head_score by auto; reflexivity).
    unfold softmax. rewrite ES.
    rewrite (sum_ext (i + 1) (fun s' => exp (scores (at_C e c) H (X' c) i s'))
               (fun s' => exp (c * score_1 F (X' c) i s'))) by (intros m Hm; now rewrite ES).
    reflexivity. }
  apply (tends_lsum (h_copies F) (fun r c => if (k =? snd r)%nat
      then sum (i + 1) (fun j => softmax (i + 1) (fun _ m => c * score_1 F (X' c) i m) 0%nat j
                                 * zreads (X' c j) (fst r)) else 0)).
  intros r Hr. destruct (k =? snd r)%nat; [|apply tends_const].
  apply (tends_sum (i + 1) (fun j c => softmax (i + 1) (fun _ m => c * score_1 F (X' c) i m) 0%nat j
                                      * zreads (X' c j) (fst r))).
  intros j Hj. apply tends_mult.
  - assert (Hscore : forall m, (m < i + 1)%nat -> tends (fun c => score_1 F (X' c) i m) (score_1 F X i m)).
    { intros m Hm. unfold score_1.
      apply (tends_plus (fun c => zreads (X' c i) (h_q0 F) * zreads (X' c m) (h_k0 F))
                       (fun c => zreads (X' c i) (h_q1 F) * zreads (X' c m) (h_k1 F)));
        [apply (tends_mult (fun c => zreads (X' c i) (h_q0 F)) (fun c => zreads (X' c m) (h_k0 F)))
        |apply (tends_mult (fun c => zreads (X' c i) (h_q1 F)) (fun c => zreads (X' c m) (h_k1 F)))];
        [apply (tends_zreads (fun p c => X' c i p) (X i) d)|apply (tends_zreads (fun p c => X' c m p) (X m) d)
        |apply (tends_zreads (fun p c => X' c i p) (X i) d)|apply (tends_zreads (fun p c => X' c m p) (X m) d)];
        auto; intros p Hp; apply close; auto; lia. }
    destruct Hdec as [[E0 E1]|Htop].
    + (* no query: both are flat *)
      assert (Ez : forall Y m, score_1 F Y i m = 0) by (intros Y m; unfold score_1; rewrite E0, E1; unfold zreads; simpl; ring).
      rewrite averaged_flat; [|intros s s' Hs Hs'; rewrite !head_score by auto; fold (score_1 F X i s) (score_1 F X i s'); now rewrite !Ez|exact Hj].
      apply (tends_ext (fun _ => / INR (i + 1))); [|apply tends_const]. intros c Hc. unfold softmax.
      rewrite Ez, Rmult_0_r, exp_0.
      rewrite (sum_ext (i + 1) _ (fun _ => 1)) by (intros m Hm; now rewrite Ez, Rmult_0_r, exp_0).
      rewrite sum_const, Rmult_1_r. unfold Rdiv. ring.
    + destruct (Htop i Hi) as (t & Ht & Hmax).
      rewrite (averaged_top (i + 1) _ i t); [|lia| |exact Hj].
      * apply (tends_softmax (i + 1) (fun m c => score_1 F (X' c) i m) (fun m => score_1 F X i m)); auto; [lia|].
        intros m Hm Hne. pose proof (Hmax m ltac:(lia) Hne). lra.
      * intros m Hm Hne. rewrite !head_score by auto. cbn [C at_C]. rewrite !Rmult_1_l.
        fold (score_1 F X i m) (score_1 F X i t). pose proof (Hmax m ltac:(lia) Hne). lra.
  - apply (tends_zreads (fun p c => X' c j p) (X j) d); [now apply Hb|]. intros p Hp. apply close; auto. lia.
Qed.

(** A head writes nothing at place 0. *)
Lemma head_place_0 c filter F Y i : head_fits F -> (i < N)%nat ->
  attend (at_C e c) filter N Y (made_head d width F) i 0%nat = 0.
Proof.
  intros (H0 & H1 & H2 & H3 & Hlen & Hcop) Hi. unfold made_head.
  rewrite head_adds by (auto; intros r Hr; now apply Hcop).
  apply lsum_zero. intros r Hr. destruct (Hcop r Hr) as [_ Hne].
  destruct (Nat.eqb_spec 0 (snd r)); [congruence|reflexivity].
Qed.

Variable Fs : list head_form.
Variable products : list (zform * zform * form).
Variable linears : list (zform * form).
Hypothesis heads_fit : forall F, In F Fs -> head_fits F.
Hypothesis heads_decided : forall F, In F Fs -> decided F X.
Hypothesis products_fit : forall u, In u products -> zbelow d (fst (fst u)) /\ zbelow d (snd (fst u)).
Hypothesis linears_fit : forall u, In u linears -> zbelow d (fst u).
Hypothesis products_free : forall u p, In u products -> In p (snd u) -> free (snd p) = true /\ fst p <> 0%nat.
Hypothesis linears_free : forall u p, In u linears -> In p (snd u) -> free (snd p) = true /\ fst p <> 0%nat.

Definition made_layer : layer :=
  Layer (map (made_head d width) Fs) (make_block d 0 products linears).

Lemma heads_near i k : (i < N)%nat ->
  tends (fun c => heads_add (at_C e c) softmax N (map (made_head d width) Fs) (X' c) i k)
       (heads_add (at_C e 1) averaged N (map (made_head d width) Fs) X i k).
Proof.
  intro Hi. induction Fs as [|F l IH]; cbn [map heads_add]; [exact (tends_const 0)|].
  apply tends_plus.
  - apply head_near; auto; [apply heads_fit|apply heads_decided]; now left.
  - apply IH; intros G HG; [apply heads_fit|apply heads_decided]; now right.
Qed.

Lemma heads_place_0 c filter Y i : (i < N)%nat ->
  heads_add (at_C e c) filter N (map (made_head d width) Fs) Y i 0%nat = 0.
Proof.
  intro Hi. induction Fs as [|F l IH]; cbn [map heads_add]; [reflexivity|].
  rewrite head_place_0 by (auto; apply heads_fit; now left).
  rewrite IH; [ring| |]; intros G HG; [apply heads_fit|apply heads_decided]; now right.
Qed.

Theorem soft_layer i k : (i < N)%nat -> (k < d)%nat ->
  tends (fun c => run_layer (at_C e c) softmax N (X' c) made_layer i k)
       (run_layer (at_C e 1) averaged N X made_layer i k).
Proof.
  intros Hi Hk. unfold run_layer.
  set (Y' := fun c => after_attention (at_C e c) softmax N (X' c) made_layer).
  set (Y := after_attention (at_C e 1) averaged N X made_layer).
  assert (HY : forall m, (m < d)%nat -> tends (fun c => Y' c i m) (Y i m)).
  { intros m Hm. unfold Y', Y, after_attention. cbn [made_layer heads].
    apply tends_plus; [now apply close|now apply heads_near]. }
  assert (HY1' : forall c, Y' c i 0%nat = 1).
  { intro c. unfold Y', after_attention. cbn [made_layer heads]. rewrite heads_place_0, one' by auto. ring. }
  assert (HY1 : Y i 0%nat = 1).
  { unfold Y, after_attention. cbn [made_layer heads]. rewrite heads_place_0, one by auto. ring. }
  apply (tends_plus (fun c => Y' c i k) (fun c => block_adds (at_C e c) (mlp made_layer) (Y' c) i k));
    [now apply HY|]. cbn [made_layer mlp].
  rewrite make_block_adds by auto.
  apply (tends_ext (fun c =>
    lsum (fun u => zreads (Y' c i) (fst (fst u)) * zreads (Y' c i) (snd (fst u)) * share (at_C e 1) (snd u) k) products
    + lsum (fun u => zreads (Y' c i) (fst u) * share (at_C e 1) (snd u) k) linears)).
  { intros c Hc. rewrite make_block_adds by auto. f_equal; apply lsum_ext; intros u Hu; f_equal;
      apply free_share; intros p Hp; [now apply (products_free u)|now apply (linears_free u)]. }
  apply tends_plus.
  - apply (tends_lsum products (fun u c => zreads (Y' c i) (fst (fst u)) * zreads (Y' c i) (snd (fst u))
                                          * share (at_C e 1) (snd u) k)).
    intros u Hu. destruct (products_fit u Hu) as [P1 P2]. apply tends_mult; [|apply tends_const].
    apply tends_mult; [apply (tends_zreads (fun p c => Y' c i p) (Y i) d)|apply (tends_zreads (fun p c => Y' c i p) (Y i) d)]; auto.
  - apply (tends_lsum linears (fun u c => zreads (Y' c i) (fst u) * share (at_C e 1) (snd u) k)).
    intros u Hu. apply tends_mult; [|apply tends_const].
    apply (tends_zreads (fun p c => Y' c i p) (Y i) d); auto.
Qed.

(** Place 0 keeps the constant one. *)
Lemma layer_one c filter Z i : (i < N)%nat -> Z i 0%nat = 1 ->
  run_layer (at_C e c) filter N Z made_layer i 0%nat = 1.
Proof.
  intros Hi HZ. unfold run_layer.
  assert (H1 : after_attention (at_C e c) filter N Z made_layer i 0%nat = 1).
  { unfold after_attention. cbn [made_layer heads]. rewrite heads_place_0, HZ by auto. ring. }
  rewrite H1. cbn [made_layer mlp]. rewrite make_block_adds by auto.
  rewrite !lsum_zero; [ring| |].
  - intros u Hu. rewrite share_away; [ring|]. intros p Hp. now apply (linears_free u).
  - intros u Hu. rewrite share_away; [ring|]. intros p Hp. now apply (products_free u).
Qed.
End Layer.
