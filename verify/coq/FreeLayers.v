(** * Theorem 3 without masks: hard attention, for every tree

    Section 2.4, Section 4.2 and Appendix C, on the model of FreeModel.v, in which no head has a
    mask. For every WTA with any number of states over any alphabet, every T and every tree t with
    |str(t)| <= T: at every token of every layer each of the three heads has one largest score, in
    whole numbers, by at least 1. Let rho be 0 at a letter and max(rho_left + 2, rho_right + 1) at a
    node. After l layers every letter, and every opening bracket with rho <= l, holds the state of
    its subtree, 1 and its length; every other token holds 0. An opening bracket whose left child
    has rho < l knows where its right child begins. So rho(t) layers, 2 height(t) at the most, give
    the state of the subtree at every position of I_t.

    Where we differ from the print: see FreeModel.v.

    Main definitions: [aim] (the target of a token), [holds] (the invariant), [after_free].
    Main theorems:    [next_target], [aimed_target], [own_target], [third_head_copies],
                      [holds_after], [theorem3_free], [theorem3_free_height],
                      [theorem3_free_length]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Theorem1 Softmax Spectral Trees Theorem3.
From Assay Require Import TreeModel TreeBlocks TreeScores TreeLayers TreeContinuity.
From Assay Require Import FreeModel FreeBlocks FreeStates.
Import ListNotations.
Open Scope R_scope.

(** ** What the heads read, side by side *)

(** A left head that looks at row i, a right one that looks at row j and one that looks at the token itself,
    where tokens hold what is ready. *)
Lemma heads_read {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor C (w : list (symbol Sigma)) t l Y hs qs ks qs' d r i j :
  hs = [scored Hard qs ks (passed n) Everywhere; scored Hard qs' (places n) (passed n) Everywhere;
        scored Hard (own_queries n) (places n) (seq 0 d) Everywhere] -> (n + 7 <= d)%nat ->
  (forall r k, (r < rows w)%nat -> (k < n)%nat -> Y r k = state_of n leaf tensor (ready l t r) k) ->
  (forall r, (r < rows w)%nat -> Y r (free_done n) = IZR (done_of (ready l t r))) ->
  (forall r, (r < rows w)%nat -> Y r (free_size n) = IZR (size_of (ready l t r))) ->
  target w qs ks Everywhere Y r i -> target w qs' (places n) Everywhere Y r j ->
  target w (own_queries n) (places n) Everywhere Y r r ->
  let y := joined (value leaf tensor C w) (rows w) hs Y r in
  (forall k, (k < n)%nat -> y k = state_of n leaf tensor (ready l t i) k) /\
  y (left_done n) = IZR (done_of (ready l t i)) /\ y (left_size n) = IZR (size_of (ready l t i)) /\
  (forall k, (k < n)%nat -> y (right_from n + k)%nat = state_of n leaf tensor (ready l t j) k) /\
  y (right_done n) = IZR (done_of (ready l t j)) /\ y (right_size n) = IZR (size_of (ready l t j)) /\
  forall c, (c < d)%nat -> y (own_at n c) = Y r c.
Proof.
  intros -> Hd HS HD HZ HL HR HO y. pose proof HL as [Hi _]. pose proof HR as [Hj _].
  assert (L : forall k, (k < n + 2)%nat -> y k = Y i (nth k (passed n) 0%nat)).
  { intros k Hk. unfold y. cbn [joined scored reads]. rewrite length_passed. decide_eqb.
    exact (hard_target leaf tensor C w _ _ (passed n) _ Y r i k HL). }
  assert (Q : forall k, (k < n + 2)%nat -> y (right_from n + k)%nat = Y j (nth k (passed n) 0%nat)).
  { intros k Hk. unfold y, right_from. cbn [joined scored reads]. rewrite !length_passed. decide_eqb.
    replace (n + 2 + k - (n + 2))%nat with k by lia. exact (hard_target leaf tensor C w _ _ (passed n) _ Y r j k HR). }
  unfold left_done, left_size, right_done, right_size.
  repeat split; intros; rewrite ?L, ?Q, ?nth_passed, ?nth_passed_done, ?nth_passed_size by lia; auto.
  unfold y. cbn [joined scored reads]. rewrite !length_passed, seq_length. free_coordinates. decide_eqb.
  replace (n + 2 + (n + 2) + c - (n + 2) - (n + 2))%nat with c by lia.
  etransitivity; [exact (hard_target leaf tensor C w _ _ (seq 0 d) _ Y r r c HO)|]. now rewrite seq_nth.
Qed.

(** ** The invariant *)

Section Free.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R)
  (C : R) (T : nat) (t : tree Sigma).
Hypothesis fits : (length (str t) <= T)%nat.

Local Notation w := (str t).
Local Notation M := (rows w).
Local Notation tokens := (S T).
Local Notation val := (value leaf tensor C w).
Local Notation E := (free_embedded n tokens leaf tensor C w).
Local Notation again := [at_place n; at_square n].
Local Notation state_of := (state_of n leaf tensor).
Local Notation layer_of X := (run_layer val M again E X (free_layer n tokens Hard)).

(** The place where the right child begins, once the left child is known. *)
Definition known (r : nat) (o : option (tree Sigma)) : Z :=
  match o with
  | Some u => Z.of_nat r + 1 + 1 + Z.of_nat (length (str u))
  | None => beyond tokens
  end.
Definition aim (l r : nat) : Z :=
  match l with
  | 0 => beyond tokens
  | S l' => if (kind_at w r =? 1)%Z then known r (ready l' t (r + 1)) else beyond tokens
  end%nat.

Lemma aim_is l r : aim l r = match right_child l t r with Some j => (Z.of_nat j + 1)%Z | None => beyond tokens end.
Proof.
  destruct l as [|l]; [reflexivity|]. cbn [aim right_child]. destruct (kind_at w r =? 1)%Z; [|reflexivity].
  destruct (ready l t (r + 1)); cbn [option_map known]; [lia|reflexivity].
Qed.

(** Where the right head looks; the left one looks at [next_row]. *)
Definition aimed_row (l r : nat) : nat :=
  match right_child l t r with Some j => j | None => length w end.

Record holds (l : nat) (Y : mat) : Prop := Holds
  { h_one : forall r, (r < M)%nat -> Y r (at_one n) = 1;
    h_place : forall r, (r < M)%nat -> Y r (at_place n) = IZR (Z.of_nat r + 1);
    h_square : forall r, (r < M)%nat ->
      Y r (at_square n) = IZR ((Z.of_nat r + 1) * (Z.of_nat r + 1));
    h_kind : forall r, (r < M)%nat -> Y r (free_kind n) = IZR (kind_at w r);
    h_state : forall r k, (r < M)%nat -> (k < n)%nat -> Y r k = state_of (ready l t r) k;
    h_done : forall r, (r < M)%nat -> Y r (free_done n) = IZR (done_of (ready l t r));
    h_size : forall r, (r < M)%nat -> Y r (free_size n) = IZR (size_of (ready l t r));
    h_target : forall r, (r < M)%nat -> Y r (free_target n) = IZR (aim l r);
    h_beyond : forall r c, (r < M)%nat -> (n + 7 <= c)%nat -> Y r c = 0 }.

Lemma aimed_row_inside l r : (aimed_row l r < M)%nat.
Proof.
  unfold aimed_row, rows. destruct (right_child l t r) as [j|] eqn:E; [apply right_child_inside in E|]; lia.
Qed.

(** ** Every head has one largest score, by at least 1 *)

Section Targets.
Context (l : nat) (Y : mat).
Hypothesis HY : holds l Y.

Theorem next_target r : (r < M)%nat ->
  target w (next_queries n tokens) (next_keys n) Everywhere Y r (next_row w r).
Proof.
  intro Hr.
  assert (H : forall q, (q < M)%nat -> wscore (next_queries n tokens) (next_keys n) (Y r) (Y q)
                        = IZR (left_score w tokens r q)).
  { intros q Hq. destruct HY as [H1 H2 H3 H4 _ _ _ _ _].
    unfold wscore, wform, next_queries, next_keys, towards, places.
    cbn -[IZR Z.mul Z.add Z.opp end_weight].
    rewrite H1, !H2, H3, !H4 by auto. unfold left_score. push_IZR. ring. }
  split; [apply next_row_inside|]. split; [reflexivity|]. intros s Hs Hne _.
  rewrite !H by (auto using next_row_inside). rewrite <- plus_IZR. apply IZR_le.
  apply left_gap; auto. unfold rows. lia.
Qed.

Theorem aimed_target r : (r < M)%nat ->
  target w (aimed_queries n) (places n) Everywhere Y r (aimed_row l r).
Proof.
  intro Hr.
  assert (H : forall q, (q < M)%nat -> wscore (aimed_queries n) (places n) (Y r) (Y q)
      = IZR (2 * aim l r * (Z.of_nat q + 1) - (Z.of_nat q + 1) * (Z.of_nat q + 1))).
  { intros q Hq. destruct HY as [H1 H2 H3 _ _ _ _ H8 _].
    unfold wscore, wform, aimed_queries, places. cbn -[IZR Z.mul Z.add Z.opp].
    rewrite H1, H2, H3, H8 by auto. push_IZR. ring. }
  split; [apply aimed_row_inside|]. split; [reflexivity|]. intros s Hs Hne _.
  rewrite !H by (auto using aimed_row_inside). rewrite <- plus_IZR. apply IZR_le.
  rewrite aim_is. unfold aimed_row in *. destruct (right_child l t r) as [j|].
  - pose proof (square_pos (Z.of_nat s - Z.of_nat j) ltac:(lia)). nia.
  - unfold beyond, rows in *. rewrite Nat2Z.inj_succ.
    assert (Z.of_nat s < Z.of_nat (length w) <= Z.of_nat T)%Z by lia. nia.
Qed.

Theorem own_target r : (r < M)%nat -> target w (own_queries n) (places n) Everywhere Y r r.
Proof using fits HY. apply own_place_target; apply HY. Qed.

(** The third head copies every coordinate of every token, without a mask. *)
Theorem third_head_copies r c : (r < M)%nat -> (c < n + 7)%nat ->
  read val M (free_own n Hard) Y r c = Y r c.
Proof.
  intros Hr Hc. unfold free_own.
  rewrite (hard_target leaf tensor C w _ _ _ _ _ r r) by exact (own_target r Hr).
  now rewrite seq_nth.
Qed.
End Targets.

(** ** One layer *)

(** What a token holds after one more layer, in terms of what its heads find. *)
Lemma ready_step l r : (r < M)%nat ->
  let x := ready l t (next_row w r) in
  aim (S l) r = known r x /\
  ((kind_at w r = 1%Z /\ ready (S l) t r = pair_of x (ready l t (aimed_row l r))) \/
   (x = None /\ ready (S l) t r = ready l t r /\ (kind_at w r = 0%Z \/ ready l t r = None))).
Proof.
  intros Hr x. unfold x, next_row. cbn [aim].
  destruct (Z.eqb_spec (kind_at w r) 1) as [Hk|Hk].
  - split; [reflexivity|]. left. split; [exact Hk|].
    destruct (open_node t r Hk) as (d & a & b & Hn). rewrite (ready_open l t r d a b Hn). unfold aimed_row.
    destruct (right_child l t r); [reflexivity|]. now rewrite (ready_beyond l t (length w)) by lia.
  - rewrite (ready_beyond l t (length w)) by lia. split; [reflexivity|]. right.
    split; [reflexivity|]. split; [now apply ready_stays|]. unfold rows in Hr.
    destruct (Nat.eq_dec r (length w)) as [->|]; [right; now apply ready_beyond|left].
    pose proof (kind_inside w r ltac:(lia)). lia.
Qed.

Theorem holds_step l Y : holds l Y -> holds (S l) (layer_of Y).
Proof.
  intro HY.
  assert (G : forall r, (r < M)%nat ->
    layer_of Y r (at_one n) = 1 /\ layer_of Y r (free_kind n) = IZR (kind_at w r) /\
    (forall k, (k < n)%nat -> layer_of Y r k = state_of (ready (S l) t r) k) /\
    layer_of Y r (free_done n) = IZR (done_of (ready (S l) t r)) /\
    layer_of Y r (free_size n) = IZR (size_of (ready (S l) t r)) /\
    layer_of Y r (free_target n) = IZR (aim (S l) r) /\
    (forall c, (n + 7 <= c)%nat -> layer_of Y r c = 0)).
  { intros r Hr.
    set (y := joined val M (heads (free_layer n tokens Hard)) Y r).
    pose proof HY as [H1 H2 H3 H4 H5 H6 H7 H8 H9].
    destruct (heads_read n leaf tensor C w t l Y (heads (free_layer n tokens Hard)) _ _ _ _ r _ _ eq_refl (le_n _) H5 H6 H7
      (next_target l Y HY r Hr) (aimed_target l Y HY r Hr) (own_target l Y HY r Hr)) as (L1 & L2 & L3 & Q1 & Q2 & Q3 & O).
    fold y in L1, L2, L3, Q1, Q2, Q3, O. unfold free_dimension in O.
    set (x := ready l t (next_row w r)) in *. set (z := ready l t (aimed_row l r)) in *.
    pose proof (free_block_row n leaf tensor C w tokens y) as B. cbv beta zeta in B.
    destruct B as (B1 & B2 & B3 & B4 & B5 & B6 & B7).
    rewrite L2, Q2 in B3, B4. rewrite L3, Q3 in B4. rewrite L2, L3 in B5.
    assert (O1 := O (at_one n) ltac:(unfold at_one; lia)).
    assert (O2 := O (at_place n) ltac:(unfold at_place; lia)).
    assert (O4 := O (free_kind n) ltac:(unfold free_kind; lia)).
    rewrite O1, O4 in B2, B3, B4. rewrite O1 in B1. rewrite O1, O2 in B5.
    rewrite O in B3 by (unfold free_done; lia). rewrite O in B4 by (unfold free_size; lia).
    rewrite H1 in B1, B2, B3, B4, B5 by auto. rewrite H4 in B2, B3, B4 by auto.
    rewrite H6 in B3 by auto. rewrite H7 in B4 by auto. rewrite H2 in B5 by auto.
    assert (B8 : forall k, (k < n)%nat -> block val (free_products n tokens) y k
      = bilinear_state n tensor (state_of x) (state_of z) k
        + (1 - IZR (kind_at w r)) * state_of (ready l t r) k).
    { intros k Hk. rewrite B6, O1, O4, O, H1, H4, H5 by (auto; lia). f_equal.
      apply sum_ext. intros a Ha'. apply sum_ext. intros b Hb'. now rewrite L1, Q1. }
    destruct (ready_step l r Hr) as [EA ER]. fold x z in EA, ER. rewrite EA.
    assert (F : forall c, c <> at_place n -> c <> at_square n ->
      layer_of Y r c = block val (free_products n tokens) y c)
      by (intros; now apply not_again).
    repeat split; intros; rewrite F by (free_coordinates; lia); rewrite ?B1, ?B2, ?B3, ?B4, ?B5;
      try ring; auto.
    - rewrite B8 by auto.
      destruct ER as [[Hk ->]|(-> & -> & [Hk|Hk])]; rewrite Hk; [destruct x as [a|], z as [b|]| |];
        cbn [FreeStates.state_of pair_of]; rewrite ?bilinear_zero_l, ?bilinear_zero_r; cbn [Theorem3.mu];
        unfold zero; ring.
    - destruct ER as [[Hk ->]|(-> & -> & [Hk|Hk])]; rewrite Hk; [destruct x as [a|], z as [b|]| |];
        cbn [done_of pair_of]; ring.
    - destruct ER as [[Hk ->]|(-> & -> & [Hk|Hk])]; rewrite Hk; cbn [done_of size_of]; try ring.
      destruct x as [a|], z as [b|]; cbn [done_of size_of pair_of]; try ring.
      cbn [str length]. rewrite !app_length. cbn [length].
      replace (Z.of_nat (S (length (str a) + (length (str b) + 1))))
        with (Z.of_nat (length (str a)) + Z.of_nat (length (str b)) + 2)%Z by lia.
      push_IZR. ring.
    - destruct x as [a|]; cbn [known done_of size_of]; push_IZR; ring. }
  split.
  all: intros r; intros.
  - now destruct (G r H) as (-> & _).
  - unfold run_layer, run_with. cbn [existsb]. rewrite Nat.eqb_refl.
    now destruct (free_embedded_row n leaf tensor C w tokens r) as (_ & -> & _).
  - unfold run_layer, run_with. cbn [existsb]. rewrite Nat.eqb_refl, !orb_true_r.
    now destruct (free_embedded_row n leaf tensor C w tokens r) as (_ & _ & -> & _).
  - now destruct (G r H) as (_ & -> & _).
  - destruct (G r H) as (_ & _ & G3 & _). now apply G3.
  - now destruct (G r H) as (_ & _ & _ & -> & _).
  - now destruct (G r H) as (_ & _ & _ & _ & -> & _).
  - now destruct (G r H) as (_ & _ & _ & _ & _ & -> & _).
  - destruct (G r H) as (_ & _ & _ & _ & _ & _ & G7). now apply G7.
Qed.

(** ** All layers *)

Definition after_free (mode : attention) (l : nat) : mat :=
  run_layers val M again E (repeat (free_layer n tokens mode) l).

Lemma after_free_S mode l : after_free mode (S l)
  = run_layer val M again E (after_free mode l) (free_layer n tokens mode).
Proof.
  unfold after_free, run_layers. cbn [repeat]. rewrite repeat_cons. now rewrite fold_left_app.
Qed.

Lemma holds_start : holds 0 E.
Proof.
  assert (K : forall r, (letter_of (nth_error w r) = done_of (ready 0 t r)
                      /\ letter_of (nth_error w r) = size_of (ready 0 t r))%Z
                      /\ forall k, (k < n)%nat -> E r k = state_of (ready 0 t r) k).
  { intro r. rewrite ready_first. unfold free_embedded, free_embedding.
    destruct (nth_error w r) as [[a| |]|] eqn:Es; repeat split; intros k Hk; decide_eqb; cbn; now rewrite ?Es. }
  split; intros r; intros;
    destruct (free_embedded_row n leaf tensor C w tokens r)
      as (E1 & E2 & E3 & E4 & E5 & E6 & E7 & E8); destruct (K r) as [[K1 K2] K3]; auto.
  - now rewrite E5, K1.
  - now rewrite E6, K2.
Qed.

(** The invariant after l layers. *)
Theorem holds_after l : holds l (after_free Hard l).
Proof.
  induction l as [|l IH]; [exact holds_start|]. rewrite after_free_S. now apply holds_step.
Qed.
End Free.

(** ** Theorem 3 *)

(** With rho(t) layers or more, the state of the subtree at every position of I_t. *)
Theorem theorem3_free {Sigma : Type} n leaf tensor C T count (t : tree Sigma) i d u k :
  (length (str t) <= T)%nat -> (rank t <= count)%nat -> node t i d u -> (k < n)%nat ->
  run_free n leaf tensor C (str t) Hard T count i k = mu n leaf tensor u k.
Proof.
  intros HT Hc Hn Hk.
  change (after_free n leaf tensor C T t Hard count i (nth k (seq 0 n) 0%nat) = mu n leaf tensor u k).
  rewrite seq_nth by auto. pose proof (node_inside _ _ _ _ Hn). pose proof (str_length Sigma u).
  pose proof (h_state _ _ _ _ _ _ _ (holds_after n leaf tensor C T t HT count)) as H1.
  rewrite Nat.add_0_l, H1 by (auto; unfold rows; lia).
  rewrite (ready_node _ _ _ _ _ Hn). pose proof (node_rank _ _ _ _ Hn).
  now replace (rank u <=? count)%nat with true by (symmetry; apply Nat.leb_le; lia).
Qed.

(** 2 H layers for every tree of height at most H. *)
Corollary theorem3_free_height {Sigma : Type} n leaf tensor C T height (t : tree Sigma) i d u k :
  (length (str t) <= T)%nat -> (Trees.height t <= height)%nat -> node t i d u -> (k < n)%nat ->
  run_free n leaf tensor C (str t) Hard T (2 * height) i k = mu n leaf tensor u k.
Proof.
  intros HT Hh. apply theorem3_free; auto. pose proof (rank_height t). lia.
Qed.

(** One model for all trees with |str(t)| <= T, with fewer than T layers. *)
Lemma tallest_layers T : (1 <= T)%nat -> (2 * tallest T < T)%nat.
Proof.
  intro HT. unfold tallest. pose proof (Nat.mul_div_le (T + 2) 3 ltac:(lia)). lia.
Qed.

Corollary theorem3_free_length {Sigma : Type} n leaf tensor C T (t : tree Sigma) i d u k :
  (length (str t) <= T)%nat -> node t i d u -> (k < n)%nat ->
  run_free n leaf tensor C (str t) Hard T (2 * tallest T) i k = mu n leaf tensor u k.
Proof.
  intros HT. apply theorem3_free_height; auto. now apply tallest_bound.
Qed.
