(** * Heads and blocks of the tree model on tokens that are off

    Appendix C, "to arbitrary precision". Let Y be the tokens of the model with hard attention and
    exact blocks, X tokens that differ from them by at most rho in every coordinate. Where every
    score of Y at a head has one maximum, by at least 1, the same head with softmax of C times the
    scores reads from X what the hard one reads from Y, up to rho + 2 K T exp(-C/2), if rho is small
    ([scored_follows]); K bounds the coordinates of Y.

    Main definitions: [wscore] (a score in whole numbers), [target], [close], [bounded], [computes]
                      (a block that is right up to eta on bounded inputs).
    Main lemmas:      [scored_follows], [own_follows], [mean_follows], [block_off]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Activation Theorem1 Softmax Trees Theorem3.
From Assay Require Import TreeModel TreeBlocks TreeScores TreeLayers TreeRecursion TreeSoft FreeModel.
Import ListNotations.
Open Scope R_scope.

(** ** Sums and products of numbers that are off *)

Lemma lsum_le {A : Type} (f g : A -> R) l : (forall x, f x <= g x) -> lsum f l <= lsum g l.
Proof.
  intro H. induction l as [|x l IH]; [right; reflexivity|].
  change (f x + lsum f l <= g x + lsum g l). pose proof (H x). lra.
Qed.

Lemma lsum_abs {A : Type} (f : A -> R) l : Rabs (lsum f l) <= lsum (fun x => Rabs (f x)) l.
Proof.
  induction l as [|x l IH]; [right; apply Rabs_R0|].
  change (Rabs (f x + lsum f l) <= Rabs (f x) + lsum (fun x => Rabs (f x)) l).
  pose proof (Rabs_triang (f x) (lsum f l)). lra.
Qed.

Lemma lsum_minus {A : Type} (f g : A -> R) l :
  lsum f l - lsum g l = lsum (fun x => f x - g x) l.
Proof.
  induction l as [|x l IH]; [unfold lsum; simpl; ring|].
  change (f x + lsum f l - (g x + lsum g l) = f x - g x + lsum (fun x => f x - g x) l).
  rewrite <- IH. ring.
Qed.

Lemma lsum_scal {A : Type} (f : A -> R) c l : lsum f l * c = lsum (fun x => f x * c) l.
Proof.
  induction l as [|x l IH]; [unfold lsum; simpl; ring|].
  change ((f x + lsum f l) * c = f x * c + lsum (fun x => f x * c) l). rewrite <- IH. ring.
Qed.

Lemma lsum_nonneg {A : Type} (f : A -> R) l : (forall x, 0 <= f x) -> 0 <= lsum f l.
Proof.
  intro H. induction l as [|x l IH]; [right; reflexivity|].
  change (0 <= f x + lsum f l). pose proof (H x). lra.
Qed.

Lemma lsum_in {A : Type} (f : A -> R) x l : (forall x, 0 <= f x) -> In x l -> f x <= lsum f l.
Proof.
  intro H. induction l as [|y l IH]; [intros []|]. change (lsum f (y :: l)) with (f y + lsum f l).
  pose proof (H y). pose proof (lsum_nonneg f l H). intros [->|Hx]; [lra|]. specialize (IH Hx). lra.
Qed.

Lemma lsum_ext {A : Type} (f g : A -> R) l : (forall x, In x l -> f x = g x) -> lsum f l = lsum g l.
Proof.
  intro H. induction l as [|x l IH]; [reflexivity|].
  change (f x + lsum f l = g x + lsum g l). rewrite H, IH; simpl; auto.
  intros; apply H; simpl; auto.
Qed.

(** a b and a' b' where the factors are off by rho A and rho B. *)
Lemma product_off a b a' b' A B K rho : 0 <= A -> 0 <= B -> 0 <= K -> 0 <= rho <= 1 ->
  Rabs (a - a') <= rho * A -> Rabs (b - b') <= rho * B ->
  Rabs a' <= K * A -> Rabs b' <= K * B ->
  Rabs (a * b - a' * b') <= rho * (2 * K + 1) * (A * B).
Proof.
  intros HA HB HK Hr Ha Hb Ha' Hb'.
  replace (a * b - a' * b') with ((a - a') * (b - b') + ((a - a') * b' + a' * (b - b'))) by ring.
  eapply Rle_trans; [apply Rabs_triang|].
  pose proof (Rabs_triang ((a - a') * b') (a' * (b - b'))) as H. rewrite !Rabs_mult in *.
  pose proof (Rmult_le_compat _ _ _ _ (Rabs_pos _) (Rabs_pos _) Ha Hb) as H1.
  pose proof (Rmult_le_compat _ _ _ _ (Rabs_pos _) (Rabs_pos _) Ha Hb') as H2.
  pose proof (Rmult_le_compat _ _ _ _ (Rabs_pos _) (Rabs_pos _) Ha' Hb) as H3.
  assert (0 <= A * B) by now apply Rmult_le_pos.
  assert (rho * A * (rho * B) <= rho * (A * B)).
  { replace (rho * A * (rho * B)) with (rho * (A * B) * rho) by ring.
    assert (0 <= rho * (A * B)) by (apply Rmult_le_pos; lra). nra. }
  replace (rho * (2 * K + 1) * (A * B))
    with (rho * (A * B) + (rho * A * (K * B) + K * A * (rho * B))) by ring. lra.
Qed.

Lemma mean_small r (f : nat -> R) K : (forall s, (s < S r)%nat -> Rabs (f s) <= K) ->
  Rabs (sum (S r) f * / (INR r + 1)) <= K.
Proof.
  intro H. pose proof (pos_INR r). rewrite Rabs_mult, (Rabs_pos_eq (/ _))
    by (left; apply Rinv_0_lt_compat; lra).
  apply (Rmult_le_reg_r (INR r + 1)); [lra|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  eapply Rle_trans; [apply sum_abs|]. apply Rle_trans with (sum (S r) (fun _ => K)).
  - now apply sum_le.
  - rewrite sum_const, S_INR. lra.
Qed.

(** ** Scores of whole numbers *)

Definition wform (f : whole) (x : nat -> R) : R := lsum (fun p => IZR (snd p) * x (fst p)) f.
Definition wsize (f : whole) : R := lsum (fun p => Rabs (IZR (snd p))) f.
Definition wscore (qs ks : list whole) (x y : nat -> R) : R :=
  lsum (fun p => wform (fst p) x * wform (snd p) y) (combine qs ks).
Definition wssize (qs ks : list whole) : R :=
  lsum (fun p => wsize (fst p) * wsize (snd p)) (combine qs ks).

Lemma wsize_pos f : 0 <= wsize f.
Proof. apply lsum_nonneg. intros; apply Rabs_pos. Qed.

Lemma wssize_pos qs ks : 0 <= wssize qs ks.
Proof. apply lsum_nonneg. intros; apply Rmult_le_pos; apply wsize_pos. Qed.

Lemma wform_off f x y rho : (forall c, Rabs (x c - y c) <= rho) ->
  Rabs (wform f x - wform f y) <= rho * wsize f.
Proof.
  intro H. unfold wform, wsize. rewrite lsum_minus, (Rmult_comm rho), lsum_scal.
  eapply Rle_trans; [apply lsum_abs|]. apply lsum_le. intros [c z]. cbn [fst snd].
  rewrite <- Rmult_minus_distr_l, Rabs_mult. apply Rmult_le_compat_l; [apply Rabs_pos|apply H].
Qed.

Lemma wform_bound f y K : (forall c, Rabs (y c) <= K) -> Rabs (wform f y) <= K * wsize f.
Proof.
  intro H. unfold wform, wsize. rewrite (Rmult_comm K), lsum_scal.
  eapply Rle_trans; [apply lsum_abs|]. apply lsum_le. intros [c z]. cbn [fst snd].
  rewrite Rabs_mult. apply Rmult_le_compat_l; [apply Rabs_pos|apply H].
Qed.

Lemma wscore_off qs ks x x' y y' K rho : 0 <= K -> 0 <= rho <= 1 ->
  (forall c, Rabs (x c - y c) <= rho) -> (forall c, Rabs (x' c - y' c) <= rho) ->
  (forall c, Rabs (y c) <= K) -> (forall c, Rabs (y' c) <= K) ->
  Rabs (wscore qs ks x x' - wscore qs ks y y') <= rho * (2 * K + 1) * wssize qs ks.
Proof.
  intros HK Hr Hx Hx' Hy Hy'. unfold wscore, wssize.
  rewrite lsum_minus, (Rmult_comm (rho * _)), lsum_scal.
  eapply Rle_trans; [apply lsum_abs|]. apply lsum_le. intros [q k]. cbn [fst snd].
  rewrite (Rmult_comm (_ * _) (rho * _)).
  apply product_off; auto using wsize_pos, wform_off, wform_bound.
Qed.

Section Scored.
Context {Sigma : Type} (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R) (C : R)
  (w : list (symbol Sigma)).
Local Notation val := (value leaf tensor C w).
Local Notation M := (rows w).

Lemma score_whole kind qs ks vs m X r s :
  score val (scored kind qs ks vs m) X r s = kappa C kind * wscore qs ks (X r) (X s).
Proof.
  unfold score, scored, wscore. cbn [queries keys].
  assert (Hq : forall f x, apply_form val (query_form kind f) x = kappa C kind * wform f x).
  { intros f x. unfold apply_form, query_form, wform. rewrite lsum_map, Rmult_comm, lsum_scal.
    apply lsum_ext. intros [c z] _. cbn [fst snd]. rewrite value_scale. ring. }
  assert (Hk : forall f x, apply_form val (key_form f) x = wform f x).
  { intros f x. unfold apply_form, key_form, wform. now rewrite lsum_map. }
  rewrite (Rmult_comm (kappa C kind)), lsum_scal. revert ks.
  induction qs as [|q qs IH]; intros [|k ks]; try reflexivity. cbn [map combine].
  change (apply_form val (query_form kind q) (X r) * apply_form val (key_form k) (X s)
    + lsum (fun p => apply_form val (fst p) (X r) * apply_form val (snd p) (X s))
        (combine (map (query_form kind) qs) (map key_form ks))
    = wform q (X r) * wform k (X s) * kappa C kind
    + lsum (fun p => wform (fst p) (X r) * wform (snd p) (X s) * kappa C kind) (combine qs ks)).
  rewrite IH, Hq, Hk. ring.
Qed.

(** Rows that stand out by 1 in whole numbers still stand out by C / 2 where tokens are off. *)
Definition target (qs ks : list whole) (m : mask) (Y : mat) (r s0 : nat) : Prop :=
  (s0 < M)%nat /\ allowed m r s0 = true /\
  forall s, (s < M)%nat -> s <> s0 -> allowed m r s = true ->
    wscore qs ks (Y r) (Y s) + 1 <= wscore qs ks (Y r) (Y s0).

Definition close (rho : R) (X Y : mat) : Prop :=
  forall r c, (r < M)%nat -> Rabs (X r c - Y r c) <= rho.
Definition bounded (K : R) (Y : mat) : Prop := forall r c, (r < M)%nat -> Rabs (Y r c) <= K.

Lemma soft_target qs ks vs m X Y r s0 K rho :
  0 <= C -> 0 <= K -> 0 <= rho <= 1 -> rho * (2 * K + 1) * wssize qs ks <= 1 / 4 ->
  close rho X Y -> bounded K Y -> (r < M)%nat -> target qs ks m Y r s0 ->
  near M (INR (M - 1) * exp (- (C / 2))) (weights val M (scored Soft qs ks vs m) X r) s0.
Proof.
  intros HC HK Hr Hq HX HY Hrow (H0 & Hm & Hgap).
  assert (Hoff : forall s, (s < M)%nat ->
    Rabs (wscore qs ks (X r) (X s) - wscore qs ks (Y r) (Y s)) <= 1 / 4).
  { intros s Hs. eapply Rle_trans; [|exact Hq]. apply wscore_off; auto. }
  unfold weights. cbn [how seen scored attend]. apply soft_near; auto. intros s Hs Hne Ha.
  change (score val (scored Soft qs ks vs m) X r s + C / 2
          <= score val (scored Soft qs ks vs m) X r s0).
  rewrite !score_whole. cbn [kappa]. pose proof (abs_between _ _ (Hoff s Hs)).
  pose proof (abs_between _ _ (Hoff s0 H0)). pose proof (Hgap s Hs Hne Ha).
  replace (C * wscore qs ks (X r) (X s) + C / 2)
    with (C * (wscore qs ks (X r) (X s) + 1 / 2)) by field.
  apply Rmult_le_compat_l; [exact HC|lra].
Qed.

Lemma hard_target qs ks vs m Y r s0 k : target qs ks m Y r s0 ->
  read val M (scored Hard qs ks vs m) Y r k = Y s0 (nth k vs 0%nat).
Proof.
  intros (H0 & Hm & Hgap). unfold read.
  rewrite (sum_ext M _ (fun s => b2r (s =? s0)%nat * Y s (nth k vs 0%nat))).
  - apply (sum_hit M (fun s => Y s (nth k vs 0%nat)) s0 H0).
  - intros s Hs. f_equal. unfold weights. cbn [how seen scored attend].
    apply hard_masked_row; auto. intros q Hq Hne Ha.
    change (score val (scored Hard qs ks vs m) Y r q < score val (scored Hard qs ks vs m) Y r s0).
    rewrite !score_whole. cbn [kappa]. pose proof (Hgap q Hq Hne Ha). lra.
Qed.

(** What a soft head reads from tokens that are off, against what the hard one reads. *)
Lemma scored_follows qs ks vs m X Y r s0 K rho k :
  0 <= C -> 0 <= K -> 0 <= rho <= 1 -> rho * (2 * K + 1) * wssize qs ks <= 1 / 4 ->
  close rho X Y -> bounded K Y -> (r < M)%nat -> target qs ks m Y r s0 ->
  Rabs (read val M (scored Soft qs ks vs m) X r k - read val M (scored Hard qs ks vs m) Y r k)
  <= rho + 2 * K * (INR (M - 1) * exp (- (C / 2))).
Proof.
  intros HC HK Hr Hq HX HY Hrow Ht. rewrite (hard_target qs ks vs m Y r s0 k Ht).
  pose proof (soft_target qs ks vs m X Y r s0 K rho HC HK Hr Hq HX HY Hrow Ht) as Hn.
  set (c := nth k vs 0%nat).
  apply (mean_error 1 _ scalar_norm M _ _ s0 (fun s _ => X s c) (fun s _ => Y s c) rho K Hn).
  - apply Ht.
  - intros s Hs. now apply HX.
  - intros s Hs. now apply HY.
Qed.
End Scored.

(** 2 (j0 + 1) (j + 1) - (j + 1)^2 is largest at j = j0. *)
Lemma parabola {Sigma : Type} (w : list (symbol Sigma)) qs ks (Y : mat) r s0 : (s0 < rows w)%nat ->
  (forall q, (q < rows w)%nat -> wscore qs ks (Y r) (Y q)
     = IZR (2 * (Z.of_nat s0 + 1) * (Z.of_nat q + 1) - (Z.of_nat q + 1) * (Z.of_nat q + 1))) ->
  target w qs ks Everywhere Y r s0.
Proof.
  intros H0 H. split; [exact H0|]. split; [reflexivity|]. intros s Hs Hne _.
  rewrite !H by auto. rewrite <- plus_IZR. apply IZR_le.
  pose proof (square_pos (Z.of_nat s - Z.of_nat s0) ltac:(lia)). nia.
Qed.

(** A head that looks at the token itself, by its place. *)
Lemma own_place_target {Sigma : Type} n (w : list (symbol Sigma)) (Y : mat) :
  (forall r, (r < rows w)%nat -> Y r (at_one n) = 1) ->
  (forall r, (r < rows w)%nat -> Y r (at_place n) = IZR (Z.of_nat r + 1)) ->
  (forall r, (r < rows w)%nat -> Y r (at_square n) = IZR ((Z.of_nat r + 1) * (Z.of_nat r + 1))) ->
  forall r, (r < rows w)%nat -> target w (own_queries n) (places n) Everywhere Y r r.
Proof.
  intros H1 H2 H3 r Hr. apply parabola; [exact Hr|]. intros q Hq.
  unfold wscore, wform, own_queries, places. cbn -[IZR Z.mul Z.add Z.opp].
  rewrite H1, !H2, H3 by auto. push_IZR. ring.
Qed.

(** ** Layers with other blocks *)

Definition plain (x : weight) : Prop :=
  match x with Whole _ | Entry _ _ _ => True | _ => False end.
Definition plain_value (tensor : nat -> nat -> nat -> R) (x : weight) : R :=
  match x with Whole z => IZR z | Entry a b c => tensor a b c | _ => 0 end.

(** B computes the products ps up to eta, on inputs up to bound. *)
Definition computes (tensor : nat -> nat -> nat -> R) (bound eta : R)
    (B : (nat -> R) -> nat -> R) (ps : list product) : Prop :=
  forall x, (forall k, Rabs (x k) <= bound) ->
  forall c, Rabs (B x c - block (plain_value tensor) ps x c) <= eta.

Definition psize (tensor : nat -> nat -> nat -> R) (ps : list product) : R :=
  lsum (fun p => Rabs (plain_value tensor (times p))) ps.

Lemma psize_pos tensor ps : 0 <= psize tensor ps.
Proof. apply lsum_nonneg. intros; apply Rabs_pos. Qed.

Lemma block_off v ps x y K rho c : 0 <= K -> 0 <= rho <= 1 ->
  (forall k, Rabs (x k - y k) <= rho) -> (forall k, Rabs (y k) <= K) ->
  Rabs (block v ps x c - block v ps y c)
  <= rho * (2 * K + 1) * lsum (fun p => Rabs (v (times p))) ps.
Proof.
  intros HK Hr Hx Hy. unfold block. rewrite lsum_minus, (Rmult_comm (rho * _)), lsum_scal.
  eapply Rle_trans; [apply lsum_abs|]. apply lsum_le. intros p.
  assert (0 <= rho * (2 * K + 1)) by (apply Rmult_le_pos; lra).
  pose proof (Rabs_pos (v (times p))). destruct (out p =? c)%nat.
  - rewrite !Rmult_assoc, <- Rmult_minus_distr_l, Rabs_mult.
    apply Rmult_le_compat_l; [apply Rabs_pos|].
    pose proof (product_off (x (left_of p)) (x (right_of p)) (y (left_of p)) (y (right_of p))
      1 1 K rho ltac:(lra) ltac:(lra) HK Hr) as G. rewrite !Rmult_1_r in G. auto.
  - rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. now apply Rmult_le_pos.
Qed.

(** Lists of products that are written out or made from coordinates. *)
Ltac plain_list := unfold kept, tensor_products;
  repeat (apply Forall_flat_map, Forall_forall; intros ? _);
  first [apply Forall_map, Forall_forall; intros; exact Logic.I | repeat constructor].

Section Layer.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R)
  (C : R) (w : list (symbol Sigma)).
Local Notation val := (value leaf tensor C w).
Local Notation M := (rows w).
Local Notation E := (embedded n leaf tensor C w).

Lemma block_plain ps x c : Forall (fun p => plain (times p)) ps ->
  block val ps x c = block (plain_value tensor) ps x c.
Proof.
  intro H. apply lsum_ext. intros p Hp. rewrite Forall_forall in H. specialize (H p Hp).
  destruct (times p); cbn in *; easy.
Qed.

Definition follows (delta : R) (X Y : mat) (r : nat) (h h' : head) : Prop :=
  reads h = reads h' /\
  forall k, (k < length (reads h'))%nat -> Rabs (read val M h X r k - read val M h' Y r k) <= delta.

Definition limited (K : R) (Y : mat) (r : nat) (h : head) : Prop :=
  forall k, (k < length (reads h))%nat -> Rabs (read val M h Y r k) <= K.

Lemma follows_le delta delta' X Y r h h' : delta <= delta' ->
  follows delta X Y r h h' -> follows delta' X Y r h h'.
Proof. intros H [H1 H2]. split; auto. intros k Hk. eapply Rle_trans; [now apply H2|exact H]. Qed.

Lemma joined_follows delta X Y r hs hh : 0 <= delta -> Forall2 (follows delta X Y r) hs hh ->
  forall k, Rabs (joined val M hs X r k - joined val M hh Y r k) <= delta.
Proof.
  intros Hd H. induction H as [|h h' hs hh [Hl Hf] _ IH]; intro k; cbn [joined].
  - rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. exact Hd.
  - rewrite Hl. destruct (Nat.ltb_spec k (length (reads h'))); auto.
Qed.

Lemma joined_bounded K Y r hs : 0 <= K ->
  Forall (limited K Y r) hs ->
  forall k, Rabs (joined val M hs Y r k) <= K.
Proof.
  intros HK H. induction H as [|h hs Hh _ IH]; intro k; cbn [joined].
  - now rewrite Rabs_R0.
  - destruct (Nat.ltb_spec k (length (reads h))); auto.
Qed.

(** *** The heads of the model *)

Lemma own_follows rho X Y r : close w rho X Y -> (r < M)%nat ->
  follows rho X Y r (own_head n Soft) (own_head n Hard).
Proof.
  intros H Hr. split; [reflexivity|]. intros k Hk. cbn [reads own_head] in Hk.
  rewrite seq_length in Hk. rewrite !own_reads by (auto; discriminate). now apply H.
Qed.

Lemma own_limited K Y r : bounded w K Y -> (r < M)%nat -> limited K Y r (own_head n Hard).
Proof.
  intros H Hr k Hk. cbn [reads own_head] in Hk. rewrite seq_length in Hk.
  rewrite own_reads by (auto; discriminate). now apply H.
Qed.

Lemma scored_limited qs ks vs m K Y r s0 : target w qs ks m Y r s0 -> bounded w K Y ->
  limited K Y r (scored Hard qs ks vs m).
Proof.
  intros Ht H k _. rewrite (hard_target leaf tensor C w qs ks vs m Y r s0 k Ht). apply H, Ht.
Qed.

(** The mean of the tokens so far is the same with hard attention and with softmax. *)
Lemma mean_follows rho X Y r : close w rho X Y -> (r < M)%nat ->
  follows rho X Y r (mean_head n Soft) (mean_head n Hard).
Proof.
  intros H Hr. split; [reflexivity|]. intros [|k] Hk; [|simpl in Hk; lia].
  rewrite !mean_reads by auto. unfold Rdiv. rewrite <- Rmult_minus_distr_r, <- sum_minus.
  apply mean_small. intros s Hs. apply H. lia.
Qed.

Lemma mean_limited K Y r : bounded w K Y -> (r < M)%nat -> limited K Y r (mean_head n Hard).
Proof.
  intros H Hr [|k] Hk; [|simpl in Hk; lia]. rewrite mean_reads by auto.
  apply mean_small. intros s Hs. apply H. lia.
Qed.

(** *** No coordinate beyond n + 6 *)

Lemma embedded_beyond r c : (n + 6 <= c)%nat -> E r c = 0.
Proof.
  intro Hc. unfold embedded, embedding. decide_eqb.
  destruct (c - n)%nat as [|[|[|[|[|[|k]]]]]] eqn:Ek; try lia. reflexivity.
Qed.

(** *** Products of the three kinds of layers *)

Lemma first_plain kind : Forall (fun p => plain (times p)) (products (first_layer n kind)).
Proof. apply Forall_app. split; plain_list. Qed.

Lemma second_plain kind : Forall (fun p => plain (times p)) (products (second_layer n kind)).
Proof. apply Forall_app. split; plain_list. Qed.

Lemma parse_plain tokens kind :
  Forall (fun p => plain (times p)) (products (parse_layer n tokens kind)).
Proof. cbn [products parse_layer]. rewrite !Forall_app. repeat split; plain_list. Qed.
End Layer.
