(** * Theorem 3 with nothing but the tree's string: hard attention, for every tree

    Section 2.4, Section 4.2 and Appendix C, on the model of CleanTreeModel.v. For every WTA with any
    number of states over any alphabet and every tree t: at every token of every layer each of the
    three heads has one largest score, in whole numbers, by at least 1. After l layers every letter,
    and every opening bracket whose rho (FreeStates.v) is at most l, holds the state of its subtree, 1
    and its length; every other token holds 0; every token still has its place. So 2 height(t)
    layers give the state of the subtree at every position of I_t.

    Main definitions: [clean_aim] (the target of a token), [keeps] (the invariant), [clean_step].
    Main theorems:    [child_target], [right_target_clean], [same_target], [keeps_step],
                      [keeps_after]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Theorem1 Softmax Spectral Trees Theorem3.
From Assay Require Import TreeModel TreeBlocks TreeScores TreeLayers TreeContinuity.
From Assay Require Import FreeModel FreeBlocks FreeStates FreeLayers CleanTreeModel.
Import ListNotations.
Open Scope R_scope.

Ltac clean_coordinates := unfold clean_letter, clean_vector, clean_dimension in *; free_coordinates.

(** ** What the block makes of what the heads read *)

Section Block.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R)
  (C : R) (w : list (symbol Sigma)).
Local Notation val := (value leaf tensor C w).
Local Notation M := (rows w).

Lemma block_vector_tensor y c : block val (vector_tensor n) y c
  = if (c <? n)%nat then bilinear_state n tensor (fun b => y (own_at n (clean_vector n + b)))
                           (fun k => y (right_from n + k)%nat) c else 0.
Proof.
  exact (block_entries n leaf tensor C w (fun b => own_at n (clean_vector n + b))
    (fun c => right_from n + c)%nat y c).
Qed.

Lemma block_copies y c m s : block val (map (copy n (own_from n)) (seq s m)) y c
  = if (s <=? c)%nat && (c <? s + m)%nat
    then y (own_at n (at_one n)) * y (own_at n c) else 0.
Proof. rewrite block_each by reflexivity. destruct (_ && _)%bool; cbn; unfold own_at; ring. Qed.

Lemma clean_block_row y :
  let own := fun c => y (own_at n c) in
  let made := block val (clean_products n) y in
  let one := own (at_one n) in
  let letter := own (clean_letter n) in
  let rest := one - own (free_kind n) in
  (forall c, (n <= c < n + 4 \/ n + 7 <= c < 2 * n + 8)%nat -> made c = one * own c) /\
  made (free_done n) = (y (left_done n) - letter) * y (right_done n) + rest * own (free_done n) /\
  made (free_size n) = (y (left_size n) - letter) * y (right_done n)
                       + (y (left_done n) - letter) * y (right_size n)
                       + 2 * ((y (left_done n) - letter) * y (right_done n))
                       + rest * own (free_size n) /\
  made (free_target n) = one * (own (at_place n) + (y (left_done n) - letter)
                                + (y (left_size n) - letter)) /\
  (forall k, (k < n)%nat -> made k
     = bilinear_state n tensor y (fun c => y (right_from n + c)%nat) k
       + bilinear_state n tensor (fun b => own (clean_vector n + b)%nat)
                        (fun c => y (right_from n + c)%nat) k
       + rest * own k) /\
  (forall c, (2 * n + 8 <= c)%nat -> made c = 0).
Proof.
  cbv zeta. unfold clean_products, clean_copies, clean_rest.
  repeat split; intros; rewrite !block_app, block_free_tensor, block_vector_tensor, !block_copies,
    block_free_gate; unfold free_gate; clean_coordinates;
    cbn -[Nat.eqb Nat.ltb Nat.leb Nat.add Nat.mul IZR]; decide_eqb; cbn [andb]; try ring.
  destruct H as [H|H]; decide_eqb; cbn [andb]; try ring.
Qed.
End Block.

(** ** The invariant *)

Section Clean.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R)
  (C : R) (t : tree Sigma).

(** TreeContinuity.v speaks of one row more than a string has; the string without its first symbol
    has the rows of this model. *)
Local Notation w := (str t).
Local Notation v := (tl (str t)).
Local Notation M := (rows v).
Local Notation val := (value leaf tensor C v).
Local Notation mu := (mu n leaf tensor).
Local Notation clean_state := (state_of n leaf tensor).

Lemma rows_string : M = length w.
Proof. unfold rows. pose proof (str_length Sigma t). destruct w; simpl in *; lia. Qed.

Lemma inside r : (r < M)%nat <-> (r < length w)%nat.
Proof. now rewrite rows_string. Qed.

(** The row where the right child begins, once the left child is known, and its place: where the right head
    looks. *)
Definition right_row (l r : nat) : nat := match right_child l t r with Some j => j | None => r end.
Definition clean_aim (l r : nat) : Z := Z.of_nat (right_row l r) + 1.

(** Where the left head looks. *)
Definition child_row (r : nat) : nat := (r + Z.to_nat (open_of (nth_error w r)))%nat.

Record keeps (l : nat) (Y : mat) : Prop := Keeps
  { k_one : forall r, (r < M)%nat -> Y r (at_one n) = 1;
    k_place : forall r, (r < M)%nat -> Y r (at_place n) = IZR (Z.of_nat r + 1);
    k_square : forall r, (r < M)%nat ->
      Y r (at_square n) = IZR ((Z.of_nat r + 1) * (Z.of_nat r + 1));
    k_kind : forall r, (r < M)%nat -> Y r (free_kind n) = IZR (open_of (nth_error w r));
    k_state : forall r k, (r < M)%nat -> (k < n)%nat -> Y r k = clean_state (ready l t r) k;
    k_done : forall r, (r < M)%nat -> Y r (free_done n) = IZR (done_of (ready l t r));
    k_size : forall r, (r < M)%nat -> Y r (free_size n) = IZR (size_of (ready l t r));
    k_target : forall r, (r < M)%nat -> Y r (free_target n) = IZR (clean_aim l r);
    k_letter : forall r, (r < M)%nat -> Y r (clean_letter n) = IZR (letter_of (nth_error w r));
    k_vector : forall r k, (r < M)%nat -> (k < n)%nat ->
      Y r (clean_vector n + k)%nat = - vector_of leaf (nth_error w r) k;
    k_beyond : forall r c, (r < M)%nat -> (2 * n + 8 <= c)%nat -> Y r c = 0 }.

Lemma open_kind r : (open_of (nth_error w r) = 1 <-> kind_at w r = 1)%Z.
Proof. unfold kind_at. destruct (nth_error w r) as [[a| |]|]; cbn; split; intro; lia. Qed.

Lemma open_range r : (0 <= open_of (nth_error w r) <= 1)%Z.
Proof. destruct (nth_error w r) as [[a| |]|]; cbn; lia. Qed.

Lemma child_row_open r : kind_at w r = 1%Z -> child_row r = (r + 1)%nat.
Proof. intro H. apply open_kind in H. unfold child_row. now rewrite H. Qed.

Lemma child_row_other r : kind_at w r <> 1%Z -> child_row r = r.
Proof.
  intro H. rewrite <- open_kind in H. pose proof (open_range r). unfold child_row.
  replace (open_of _) with 0%Z by lia. simpl. lia.
Qed.

Lemma child_row_inside r : (r < M)%nat -> (child_row r < M)%nat.
Proof.
  rewrite !inside. intro Hr. destruct (Z.eq_dec (kind_at w r) 1) as [Hk|Hk].
  - rewrite (child_row_open r Hk). destruct (open_node t r Hk) as (d & a & b & Hn).
    destruct (node_children t r d a b Hn) as [Ha _].
    pose proof (node_inside _ _ _ _ Ha). pose proof (str_length Sigma a). lia.
  - now rewrite child_row_other.
Qed.

Lemma right_row_inside l r : (r < M)%nat -> (right_row l r < M)%nat.
Proof.
  rewrite !inside. intro Hr. unfold right_row.
  destruct (right_child l t r) as [j|] eqn:E; [now apply right_child_inside in E|exact Hr].
Qed.

(** ** Every head has one largest score, by at least 1 *)

Section Targets.
Context (l : nat) (Y : mat).
Hypothesis HY : keeps l Y.

Theorem child_target r : (r < M)%nat ->
  target v (child_queries n) (places n) Everywhere Y r (child_row r).
Proof.
  intro Hr. apply parabola; [now apply child_row_inside|]. intros q Hq.
  destruct HY as [H1 H2 H3 H4 _ _ _ _ _ _ _].
  unfold wscore, wform, child_queries, places. cbn -[IZR Z.mul Z.add Z.opp].
  rewrite H1, !H2, H3, H4 by auto. unfold child_row. pose proof (open_range r).
  rewrite Nat2Z.inj_add, Z2Nat.id by lia. push_IZR. ring.
Qed.

Theorem right_target_clean r : (r < M)%nat ->
  target v (aimed_queries n) (places n) Everywhere Y r (right_row l r).
Proof.
  intro Hr. apply parabola; [now apply right_row_inside|]. intros q Hq.
  destruct HY as [H1 H2 H3 _ _ _ _ H8 _ _ _].
  unfold wscore, wform, aimed_queries, places. cbn -[IZR Z.mul Z.add Z.opp].
  rewrite H1, H2, H3, H8 by auto. unfold clean_aim. push_IZR. ring.
Qed.

Theorem same_target r : (r < M)%nat -> target v (own_queries n) (places n) Everywhere Y r r.
Proof. apply own_place_target; apply HY. Qed.
End Targets.

(** ** One layer *)

Lemma bilinear_ext x x' y k : (forall b, x b = x' b) ->
  bilinear_state n tensor x y k = bilinear_state n tensor x' y k.
Proof. intro H. apply sum_ext. intros a Ha. apply sum_ext. intros b Hb. now rewrite H. Qed.

(** What a token holds after one more layer, in terms of what its heads find. *)
Lemma clean_ready_step l r : (r < M)%nat ->
  let x := ready l t (child_row r) in
  let z := ready l t (right_row l r) in
  let letter := letter_of (nth_error w r) in
  (kind_at w r = 1%Z /\ letter = 0%Z /\ vector_of leaf (nth_error w r) = zero /\
   clean_aim (S l) r = (Z.of_nat r + 1 + done_of x + size_of x)%Z /\
   ready (S l) t r = pair_of x z) \/
  (open_of (nth_error w r) = 0%Z /\ clean_aim (S l) r = (Z.of_nat r + 1)%Z /\
   ready (S l) t r = x /\ done_of x = letter /\ size_of x = letter /\
   forall k, clean_state x k = vector_of leaf (nth_error w r) k).
Proof.
  rewrite inside. intros Hr x z letter. unfold x, z, letter.
  destruct (Z.eq_dec (kind_at w r) 1) as [Hk|Hk]; [left|right].
  - pose proof Hk as Ho. rewrite kind_open in Ho. rewrite (child_row_open r Hk).
    destruct (open_node t r Hk) as (d & a & b & Hn).
    destruct (node_children t r d a b Hn) as [Ha Hb].
    rewrite Ho. repeat split; auto.
    { unfold clean_aim, right_row. cbn [right_child]. rewrite Hk. cbn [Z.eqb Pos.eqb].
      destruct (ready l t (r + 1)); cbn [option_map done_of size_of]; lia. }
    rewrite (ready_open l t r d a b Hn). unfold right_row.
    rewrite (right_child_node l t r d a b Hn). destruct (Nat.ltb_spec (rank a) l); [reflexivity|].
    rewrite (ready_node l t r d (Node a b) Hn). cbn [rank].
    now replace (Nat.max (rank a + 2) (rank b + 1) <=? l)%nat with false by (symmetry; apply Nat.leb_gt; lia).
  - rewrite (child_row_other r Hk).
    assert (Ho : open_of (nth_error w r) = 0%Z).
    { rewrite <- open_kind in Hk. pose proof (open_range r). lia. }
    split; [exact Ho|]. split.
    { unfold clean_aim, right_row. cbn [right_child]. destruct (Z.eqb_spec (kind_at w r) 1); [contradiction|lia]. }
    split; [now apply ready_stays|].
    destruct (nth_error w r) as [[a| |]|] eqn:Es.
    + rewrite (ready_letter _ _ _ _ Es). repeat split; reflexivity.
    + discriminate.
    + rewrite ready_close by auto. repeat split; reflexivity.
    + apply nth_error_None in Es. lia.
Qed.

Definition clean_step (Y : mat) : mat := fun r =>
  block val (clean_products n) (joined val M (heads (clean_layer n Hard)) Y r).

Theorem keeps_step l Y : keeps l Y -> keeps (S l) (clean_step Y).
Proof.
  intro HY. pose proof HY as [H1 H2 H3 H4 H5 H6 H7 H8 H9 H10 H11].
  assert (G : forall r, (r < M)%nat ->
    (forall c, (n <= c < n + 4 \/ n + 7 <= c < 2 * n + 8)%nat -> clean_step Y r c = Y r c) /\
    (forall k, (k < n)%nat -> clean_step Y r k = clean_state (ready (S l) t r) k) /\
    clean_step Y r (free_done n) = IZR (done_of (ready (S l) t r)) /\
    clean_step Y r (free_size n) = IZR (size_of (ready (S l) t r)) /\
    clean_step Y r (free_target n) = IZR (clean_aim (S l) r) /\
    (forall c, (2 * n + 8 <= c)%nat -> clean_step Y r c = 0)).
  { intros r Hr. unfold clean_step.
    set (y := joined val M (heads (clean_layer n Hard)) Y r).
    destruct (heads_read n leaf tensor C v t l Y (heads (clean_layer n Hard)) _ _ _ (clean_dimension n) r _ _ eq_refl
      ltac:(unfold clean_dimension; lia) H5 H6 H7 (child_target l Y HY r Hr) (right_target_clean l Y HY r Hr)
      (same_target l Y HY r Hr)) as (L1 & L2 & L3 & Q1 & Q2 & Q3 & O).
    fold y in L1, L2, L3, Q1, Q2, Q3, O. unfold clean_dimension in O.
    set (x := ready l t (child_row r)) in *. set (z := ready l t (right_row l r)) in *.
    assert (O1 : y (own_at n (at_one n)) = 1) by (rewrite O, H1 by (auto; coordinates; lia); auto).
    assert (O2 : y (own_at n (at_place n)) = IZR (Z.of_nat r + 1))
      by (rewrite O, H2 by (auto; coordinates; lia); auto).
    assert (O4 : y (own_at n (free_kind n)) = IZR (open_of (nth_error w r)))
      by (rewrite O, H4 by (auto; free_coordinates; lia); auto).
    assert (O6 : y (own_at n (free_done n)) = IZR (done_of (ready l t r)))
      by (rewrite O, H6 by (auto; free_coordinates; lia); auto).
    assert (O7 : y (own_at n (free_size n)) = IZR (size_of (ready l t r)))
      by (rewrite O, H7 by (auto; free_coordinates; lia); auto).
    assert (O9 : y (own_at n (clean_letter n)) = IZR (letter_of (nth_error w r)))
      by (rewrite O, H9 by (auto; clean_coordinates; lia); auto).
    assert (O10 : forall k, (k < n)%nat ->
      y (own_at n (clean_vector n + k)) = - vector_of leaf (nth_error w r) k)
      by (intros; rewrite O, H10 by (auto; clean_coordinates; lia); auto).
    pose proof (clean_block_row n leaf tensor C v y) as B. cbv beta zeta in B.
    destruct B as (B1 & B2 & B3 & B4 & B5 & B6).
    rewrite O1, O4, L2, Q2, O6, O9 in B2. rewrite O1, O4, L2, L3, Q2, Q3, O7, O9 in B3.
    rewrite O1, O2, L2, L3, O9 in B4.
    assert (B5' : forall k, (k < n)%nat -> block val (clean_products n) y k
      = bilinear_state n tensor (fun b => clean_state x b - vector_of leaf (nth_error w r) b)
          (clean_state z) k
        + (1 - IZR (open_of (nth_error w r))) * clean_state (ready l t r) k).
    { intros k Hk. rewrite B5, O1, O4, O, H5 by (auto; lia). f_equal.
      unfold bilinear_state. rewrite <- sum_plus. apply sum_ext. intros a Ha'.
      rewrite <- sum_plus. apply sum_ext. intros b Hb'.
      rewrite O10, L1, Q1 by auto. ring. }
    split; [intros c Hc; rewrite B1 by auto; rewrite O1, O by lia; ring|].
    pose proof (clean_ready_step l r Hr) as RS. cbv zeta in RS. fold x z in RS.
    destruct RS as [(Hk & E1 & E2 & E3 & E4)|(Ho & E1 & E2 & E3 & E4 & E5)].
    - pose proof Hk as Hk'. apply open_kind in Hk'. rewrite Hk', E1 in B2, B3. rewrite E1 in B4.
      rewrite E3, E4.
      split; [|split; [|split; [|split]]].
      + intros k Hkn. rewrite B5', Hk', E2 by auto.
        destruct x as [a|], z as [b|]; cbn [state_of pair_of].
        * rewrite (bilinear_ext _ (mu a)) by (intros; unfold zero; ring).
          cbn [Theorem3.mu]. ring.
        * rewrite bilinear_zero_r. unfold zero. ring.
        * rewrite (bilinear_ext _ zero) by (intros; unfold zero; ring).
          rewrite bilinear_zero_l. unfold zero. ring.
        * rewrite bilinear_zero_r. unfold zero. ring.
      + rewrite B2. destruct x as [a|], z as [b|]; cbn [done_of pair_of]; ring.
      + rewrite B3. destruct x as [a|], z as [b|]; cbn [done_of size_of pair_of]; try ring.
        cbn [str length]. rewrite !app_length. cbn [length].
        replace (Z.of_nat (S (length (str a) + (length (str b) + 1))))
          with (Z.of_nat (length (str a)) + Z.of_nat (length (str b)) + 2)%Z by lia.
        push_IZR. ring.
      + rewrite B4. push_IZR. ring.
      + exact B6.
    - assert (Er : ready l t r = x).
      { unfold x. rewrite child_row_other; [reflexivity|]. rewrite <- open_kind. lia. }
      rewrite Er, Ho, ?E3 in B2, B3. rewrite E4 in B3. rewrite E3, E4 in B4. rewrite E1, E2, E3, E4.
      split; [|split; [|split; [|split]]].
      + intros k Hkn. rewrite B5', Er, Ho by auto.
        rewrite (bilinear_ext _ zero) by (intros; rewrite E5; unfold zero; ring).
        rewrite bilinear_zero_l. unfold zero. ring.
      + rewrite B2. set (q := IZR (letter_of _)). set (d := IZR (done_of z)). clearbody q d. ring.
      + rewrite B3. set (q := IZR (letter_of _)). set (d := IZR (done_of z)).
        set (e := IZR (size_of z)). clearbody q d e. ring.
      + rewrite B4. set (q := IZR (letter_of _)). set (i := IZR (_ + 1)). clearbody q i. ring.
      + exact B6. }
  split; intros r; intros; destruct (G r H) as (G1 & G2 & G3 & G4 & G5 & G6); auto.
  - rewrite G1 by (coordinates; lia). auto.
  - rewrite G1 by (coordinates; lia). auto.
  - rewrite G1 by (coordinates; lia). auto.
  - rewrite G1 by (free_coordinates; lia). auto.
  - rewrite G1 by (clean_coordinates; lia). auto.
  - rewrite G1 by (clean_coordinates; lia). auto.
Qed.

(** ** All layers *)

Definition clean_start : mat := fun r => clean_tokens n leaf (nth_error w r) r.

Lemma clean_start_row r :
  clean_start r (at_one n) = 1 /\ clean_start r (at_place n) = IZR (Z.of_nat r + 1) /\
  clean_start r (at_square n) = IZR ((Z.of_nat r + 1) * (Z.of_nat r + 1)) /\
  clean_start r (free_kind n) = IZR (open_of (nth_error w r)) /\
  clean_start r (free_done n) = IZR (letter_of (nth_error w r)) /\
  clean_start r (free_size n) = IZR (letter_of (nth_error w r)) /\
  clean_start r (free_target n) = IZR (Z.of_nat r + 1) /\
  clean_start r (clean_letter n) = IZR (letter_of (nth_error w r)) /\
  (forall k, (k < n)%nat -> clean_start r k = vector_of leaf (nth_error w r) k) /\
  (forall k, (k < n)%nat ->
     clean_start r (clean_vector n + k)%nat = - vector_of leaf (nth_error w r) k) /\
  (forall c, (2 * n + 8 <= c)%nat -> clean_start r c = 0).
Proof.
  unfold clean_start, clean_tokens. clean_coordinates. rewrite mult_IZR.
  repeat split; intros; decide_eqb; auto.
  1-8: now rewrite ?Nat.sub_diag, ?offset.
  - replace (n + 8 + k - n)%nat with (8 + k)%nat by lia. cbn [Nat.add].
    now replace (n + 8 + k - (n + 8))%nat with k by lia.
  - destruct (c - n)%nat as [|[|[|[|[|[|[|[|q]]]]]]]] eqn:Ek; try lia. reflexivity.
Qed.

Lemma keeps_start : keeps 0 clean_start.
Proof.
  assert (K : forall r, (letter_of (nth_error w r) = done_of (ready 0 t r)
                      /\ letter_of (nth_error w r) = size_of (ready 0 t r))%Z
                      /\ forall k, vector_of leaf (nth_error w r) k = clean_state (ready 0 t r) k).
  { intro r. rewrite ready_first. destruct (nth_error w r) as [[a| |]|]; repeat split. }
  split; intros r; intros;
    destruct (clean_start_row r) as (E1 & E2 & E3 & E4 & E5 & E6 & E7 & E8 & E9 & E10 & E11);
    destruct (K r) as [[K1 K2] K3]; auto.
  - now rewrite E9, K3.
  - now rewrite E5, K1.
  - now rewrite E6, K2.
Qed.

Definition clean_after (l : nat) : mat := Nat.iter l clean_step clean_start.

(** The invariant after l layers. *)
Theorem keeps_after l : keeps l (clean_after l).
Proof. induction l as [|l IH]; [exact keeps_start|]. now apply keeps_step. Qed.

(** After rho(t) layers or more, the state of the subtree at every position of I_t. *)
Theorem clean_states count i d u k : (rank t <= count)%nat -> node t i d u -> (k < n)%nat ->
  clean_after count i k = mu u k.
Proof.
  intros Hc Hn Hk. pose proof (node_inside _ _ _ _ Hn). pose proof (str_length Sigma u).
  rewrite (k_state _ _ (keeps_after count)) by (auto; apply inside; lia).
  rewrite (ready_node _ _ _ _ _ Hn). pose proof (node_rank _ _ _ _ Hn).
  now replace (rank u <=? count)%nat with true by (symmetry; apply Nat.leb_le; lia).
Qed.
End Clean.
