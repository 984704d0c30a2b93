(** * Theorem 3, repaired: hard attention on the built model, for every tree

    Section 4.2 and Appendix C. For every WTA with any number of states over any alphabet, every T
    and every tree t with |str(t)| <= T, on the model of TreeModel.v with hard attention: in every
    parse layer the left head of an opening bracket attends to the next token and that of any other
    token to the end token, the right head of an opening bracket attends to the beginning of its
    right subtree, and no two tokens ever have the same score there. After l parse layers every
    subtree of height at most l holds its state and every other token holds 0. The model with
    2 + H layers returns the state of the subtree at every position of I_t of every tree of height
    at most H; with H = tallest(T) that is every tree with |str(t)| <= T.

    Where we differ from the print: see TreeModel.v. Two layers find the depths.

    Main definitions: [held] (what a token holds after l parse layers), [tallest].
    Main theorems:    [left_attends], [right_attends], [parse_states],
                      [theorem3_model], [theorem3_length]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Theorem1 Trees Theorem3 TreeModel TreeBlocks TreeScores.
Import ListNotations.
Open Scope R_scope.

(** ** What every token holds after l parse layers *)

Section States.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R).
Local Notation mu := (mu n leaf tensor).
Local Notation bilinear_state := (bilinear_state n tensor).

Definition zero : nat -> R := fun _ => 0.

(** The subtree that begins at i. *)
Fixpoint beginning (t : tree Sigma) (i : nat) : option (tree Sigma) :=
  if (i =? 0)%nat then Some t else
  match t with
  | Leaf _ => None
  | Node a b => if (i - 1 <? length (str a))%nat then beginning a (i - 1)
                else beginning b (i - 1 - length (str a))
  end.

(** The state of a subtree of height at most l where it begins, 0 elsewhere. *)
Definition held (l : nat) (t : tree Sigma) (i : nat) : nat -> R :=
  match beginning t i with Some u => if (height u <=? l)%nat then mu u else zero | None => zero end.

Lemma node_inside (t : tree Sigma) i d u : node t i d u ->
  (i + length (str u) <= length (str t))%nat.
Proof. induction 1; simpl; rewrite ?app_length; simpl; lia. Qed.

Lemma beginning_node t i d u : node t i d u -> beginning t i = Some u.
Proof.
  induction 1 as [t|a b i d u H IH|a b i d u H IH].
  - destruct t; reflexivity.
  - pose proof (node_inside _ _ _ _ H). pose proof (str_length Sigma u). cbn [beginning]. decide_eqb.
    now replace (1 + i - 1)%nat with i by lia.
  - cbn [beginning]. decide_eqb.
    now replace (1 + length (str a) + i - 1 - length (str a))%nat with i by lia.
Qed.

Lemma beginning_beyond t : forall i, (length (str t) <= i)%nat -> beginning t i = None.
Proof.
  induction t as [a|a IHa b IHb]; intros i Hi; simpl in Hi; cbn [beginning]; decide_eqb; auto.
  rewrite !app_length in Hi. simpl in Hi. decide_eqb. apply IHb. lia.
Qed.

Lemma beginning_close t : forall i, nth_error (str t) i = Some Close -> beginning t i = None.
Proof.
  induction t as [a|a IHa b IHb]; intros i Hs.
  - destruct i as [|[|i]]; discriminate.
  - destruct i as [|i]; [discriminate|]. simpl in Hs. cbn [beginning]. decide_eqb.
    replace (S i - 1)%nat with i by lia. destruct (Nat.ltb_spec i (length (str a))) as [Hi|Hi].
    + rewrite nth_error_app1 in Hs by auto. auto.
    + rewrite nth_error_app2 in Hs by auto.
      destruct (Nat.lt_ge_cases (i - length (str a)) (length (str b))).
      * rewrite nth_error_app1 in Hs by auto. auto.
      * now apply beginning_beyond.
Qed.

Lemma held_node l t i d u : node t i d u ->
  held l t i = if (height u <=? l)%nat then mu u else zero.
Proof. intro H. unfold held. now rewrite (beginning_node _ _ _ _ H). Qed.

Lemma held_beyond l t i : (length (str t) <= i)%nat -> held l t i = zero.
Proof. intro H. unfold held. now rewrite beginning_beyond. Qed.

Lemma held_close l t i : nth_error (str t) i = Some Close -> held l t i = zero.
Proof. intro H. unfold held. now rewrite beginning_close. Qed.

Lemma node_symbol (t : tree Sigma) i d u : node t i d u ->
  nth_error (str t) i = match u with Leaf a => Some (Sym a) | Node _ _ => Some Open end.
Proof.
  intro H. destruct (node_occurs _ _ _ _ _ H) as (b & a & -> & Hb).
  rewrite nth_error_app2 by lia. replace (i - length b)%nat with 0%nat by lia.
  destruct u; reflexivity.
Qed.

Lemma open_node (t : tree Sigma) i : kind_at (str t) i = 1%Z -> exists d a b, node t i d (Node a b).
Proof.
  rewrite kind_open. intro Hs.
  destruct (tau_exists Sigma t i Open Hs ltac:(discriminate)) as (d & u & H).
  rewrite (node_symbol _ _ _ _ H) in Hs. destruct u as [a|a b]; [discriminate|]. now exists d, a, b.
Qed.

Lemma node_children (t : tree Sigma) i d a b : node t i d (Node a b) ->
  node t (i + 1) (S d) a /\ node t (i + 1 + length (str a)) (S d) b.
Proof.
  intro H. remember (Node a b) as u eqn:Eu.
  induction H as [t|l r i d u H IH|l r i d u H IH]; subst.
  - split; [exact (at_left _ a b 0 0 a (at_root _ a))|].
    rewrite <- (Nat.add_0_r (0 + 1 + _)). exact (at_right _ a b 0 0 b (at_root _ b)).
  - destruct (IH eq_refl) as [H1 H2]. rewrite <- !Nat.add_assoc in *.
    split; now apply at_left.
  - destruct (IH eq_refl) as [H1 H2]. rewrite <- !Nat.add_assoc in *. rewrite !Nat.add_assoc in *.
    split; [|rewrite <- !Nat.add_assoc]; rewrite <- ?Nat.add_assoc in *;
      rewrite (Nat.add_assoc 1); now apply at_right.
Qed.

Lemma bilinear_zero_l y k : bilinear_state zero y k = 0.
Proof. apply sum_zero. intros a Ha. apply sum_zero. intros. unfold zero. ring. Qed.

Lemma bilinear_zero_r x k : bilinear_state x zero k = 0.
Proof. apply sum_zero. intros a Ha. apply sum_zero. intros. unfold zero. ring. Qed.

(** The three steps of the induction: brackets, all other tokens, the embedding. *)
Lemma held_open l t i d a b k : node t i d (Node a b) ->
  held (S l) t i k = bilinear_state (held l t (i + 1)) (held l t (i + 1 + length (str a))) k.
Proof.
  intro H. destruct (node_children t i d a b H) as [Ha Hb].
  rewrite (held_node _ _ _ _ _ H), (held_node _ _ _ _ _ Ha), (held_node _ _ _ _ _ Hb).
  cbn [height]. destruct (Nat.leb_spec (height a) l), (Nat.leb_spec (height b) l);
    destruct (Nat.leb_spec (S (Nat.max (height a) (height b))) (S l)); try lia;
    rewrite ?bilinear_zero_l, ?bilinear_zero_r; reflexivity.
Qed.

Lemma held_stays l t i : kind_at (str t) i <> 1%Z -> held (S l) t i = held l t i.
Proof.
  intro Hk. destruct (nth_error (str t) i) as [[a| |]|] eqn:Es.
  - destruct (tau_exists Sigma t i (Sym a) Es ltac:(discriminate)) as (d & u & H).
    rewrite !(held_node _ _ _ _ _ H). rewrite (node_symbol _ _ _ _ H) in Es.
    destruct u; [reflexivity|discriminate].
  - contradiction Hk. now apply kind_open.
  - now rewrite !held_close.
  - apply nth_error_None in Es. now rewrite !held_beyond.
Qed.

Lemma held_embedded C t r k : (k < n)%nat ->
  embedded n leaf tensor C (str t) r k = held 0 t r k.
Proof.
  intro Hk. unfold embedded, embedding. decide_eqb.
  destruct (nth_error (str t) r) as [[a| |]|] eqn:Es; cbn [value]; rewrite ?Es.
  - destruct (tau_exists Sigma t r (Sym a) Es ltac:(discriminate)) as (d & u & H).
    rewrite (held_node _ _ _ _ _ H). rewrite (node_symbol _ _ _ _ H) in Es.
    destruct u; [now injection Es as ->|discriminate].
  - destruct (tau_exists Sigma t r Open Es ltac:(discriminate)) as (d & u & H).
    rewrite (held_node _ _ _ _ _ H). rewrite (node_symbol _ _ _ _ H) in Es.
    destruct u; [discriminate|reflexivity].
  - now rewrite held_close.
  - apply nth_error_None in Es. now rewrite held_beyond.
Qed.

Lemma held_end l t : held l t (length (str t)) = zero.
Proof. now apply held_beyond. Qed.

Lemma node_height (t : tree Sigma) i d u : node t i d u -> (height u <= height t)%nat.
Proof. induction 1; simpl; lia. Qed.
End States.

(** ** The model with hard attention *)

Section Hard.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R)
  (C : R) (T : nat) (t : tree Sigma).
Hypothesis fits : (length (str t) <= T)%nat.

Local Notation w := (str t).
Local Notation M := (rows w).
Local Notation val := (value leaf tensor C w).
Local Notation E := (embedded n leaf tensor C w).
Local Notation tokens := (S T).
Local Notation after := (after n leaf tensor C w tokens Hard).
Local Notation held := (held n leaf tensor).

Lemma rows_fit : (M <= tokens)%nat.
Proof. unfold rows. lia. Qed.

Lemma prepared_exact X s : prepared n w 0 X -> (s < M)%nat ->
  X s (at_mark n) - IZR (depth w s * depth w s + flag w s) = 0.
Proof.
  intros HX Hs. pose proof (p_mark _ _ _ _ HX s Hs) as H.
  destruct (Req_dec (X s (at_mark n) - IZR (depth w s * depth w s + flag w s)) 0) as [|Hne]; auto.
  apply Rabs_pos_lt in Hne. lra.
Qed.

Lemma hard_stands h X r s0 g : how h = Hard -> 0 < g -> stands_out leaf tensor C w Hard h X r s0 g ->
  forall s, (s < M)%nat -> weights val M h X r s = b2r (s =? s0)%nat.
Proof.
  intros Hh Hg (H0 & Ha & H) s Hs. unfold weights. rewrite Hh. apply hard_masked_row; auto.
  intros q Hq Hne Hal. pose proof (H q Hq Hne Hal). cbn [kappa] in *. lra.
Qed.

(** The head for the flags looks at the token before. *)
Theorem previous_attends r s : (r < M)%nat -> (s < M)%nat ->
  weights val M (previous_head n Hard) E r s = b2r (s =? r - 1)%nat.
Proof using fits.
  intros Hr Hs. apply (hard_stands _ _ _ _ 1); auto; [lra|]. apply previous_out; [exact Rle_0_1|exact Hr].
Qed.

(** The left head attends to the next token, or to the end token if there is no opening bracket. *)
Theorem left_attends X r : prepared n w 0 X -> (r < M)%nat -> forall s, (s < M)%nat ->
  weights val M (left_head n tokens Hard) X r s = b2r (s =? next_row w r)%nat.
Proof.
  intros HX Hr. apply (hard_stands _ _ _ _ 1); [reflexivity|lra|].
  apply (left_out n leaf tensor C w Hard Rle_0_1 tokens rows_fit 0); auto.
Qed.

(** The right head of an opening bracket attends to the beginning of its right subtree. *)
Theorem right_attends X i d a b : prepared n w 0 X -> node t i d (Node a b) ->
  forall s, (s < M)%nat ->
  weights val M (right_head n tokens Hard) X i s = b2r (s =? i + 1 + length (str a))%nat.
Proof.
  intros HX Hn. pose proof (node_inside _ _ _ _ Hn) as Hi. simpl in Hi. rewrite !app_length in Hi.
  apply (hard_stands _ _ _ _ (1 - 2 * IZR (beta tokens) * 0)); [reflexivity|lra|].
  apply (right_out n leaf tensor C w Hard Rle_0_1 tokens rows_fit 0 X i a b HX (node_occurs _ _ _ _ _ Hn)).
  unfold rows. simpl in Hi. lia.
Qed.

Lemma reads_hit h X r j k : (j < M)%nat -> reads h = seq 0 n -> (k < n)%nat ->
  (forall s, (s < M)%nat -> weights val M h X r s = b2r (s =? j)%nat) ->
  read val M h X r k = X j k.
Proof.
  intros Hj Hh Hk H. unfold read. rewrite (sum_ext M _ (fun s => b2r (s =? j)%nat * X s k)).
  - now apply (sum_hit M (fun s => X s k)).
  - intros s Hs. rewrite H, Hh, seq_nth by auto. reflexivity.
Qed.

(** After the first two layers: count is the depth d, mark is d^2 plus the flag. *)
Theorem prepared_hard :
  prepared n w 0 (after 0) /\ forall r k, (r < M)%nat -> (k < n)%nat -> after 0 r k = E r k.
Proof.
  apply prepared_after_two; [discriminate|]. intros r Hr. apply Req_le.
  replace (read val M (previous_head n Hard) E r 0%nat) with (E (r - 1)%nat (at_kind n)).
  - destruct (embedded_row n leaf tensor C w (r - 1)) as (_ & _ & _ & _ & -> & _).
    unfold flag. rewrite Rminus_diag_eq by reflexivity. apply Rabs_R0.
  - unfold read. rewrite (sum_ext M _ (fun s => b2r (s =? r - 1)%nat * E s (at_kind n))).
    + symmetry. apply (sum_hit M (fun s => E s (at_kind n))). lia.
    + intros s Hs. now rewrite previous_attends.
Qed.

(** After l parse layers subtrees of height at most l hold their state, all other tokens 0. *)
Theorem parse_states l : prepared n w 0 (after l) /\
  forall r k, (r < M)%nat -> (k < n)%nat -> after l r k = held l t r k.
Proof.
  induction l as [|l [HP IH]].
  - destruct prepared_hard as [HP H]. split; auto. intros r k Hr Hk.
    rewrite H by auto. now apply held_embedded.
  - rewrite after_S. split; [apply parse_keeps; [discriminate|exact HP]|]. intros r k Hr Hk.
    destruct (parse_layer_row n leaf tensor C w tokens Hard ltac:(discriminate) (after l) r Hr)
      as (_ & _ & _ & _ & ->); auto.
    rewrite (p_one _ _ _ _ HP), (p_kind _ _ _ _ HP) by auto.
    destruct (Z.eq_dec (kind_at w r) 1) as [Hk1|Hk1].
    + destruct (open_node t r Hk1) as (d & a & b & Hn). pose proof (node_inside _ _ _ _ Hn) as Hi.
      simpl in Hi. rewrite !app_length in Hi. simpl in Hi.
      rewrite Hk1, (held_open _ _ _ _ _ _ _ _ _ _ Hn), Rminus_diag_eq, Rmult_0_l, Rplus_0_r by auto.
      apply sum_ext. intros p Hp. apply sum_ext. intros q Hq.
      rewrite (reads_hit _ _ r (r + 1)%nat), (reads_hit _ _ r (r + 1 + length (str a))%nat), !IH;
        auto; try (unfold rows; lia); [now apply (right_attends _ r d a b)|].
      intros s Hs. rewrite left_attends by auto. unfold next_row. now rewrite Hk1.
    + rewrite held_stays by auto. rewrite (IH r k) by auto.
      assert (Hz : forall p, (p < n)%nat -> read val M (left_head n tokens Hard) (after l) r p = 0).
      { intros p Hp. rewrite (reads_hit _ _ r (length w)); auto.
        2: { intros s Hs. rewrite left_attends by auto. unfold next_row. now rewrite (proj2 (Z.eqb_neq _ _) Hk1). }
        rewrite IH by (auto; unfold rows; lia). now rewrite held_end. }
      replace (bilinear_state n tensor _ _ k) with 0.
      * unfold rows in Hr. destruct (Nat.eq_dec r (length w)) as [->|Hne].
        -- rewrite held_end. unfold zero. ring.
        -- pose proof (kind_inside w r ltac:(lia)). replace (kind_at w r) with 0%Z by lia. ring.
      * symmetry. apply sum_zero. intros a Ha. apply sum_zero. intros b Hb.
        rewrite Hz by auto. ring.
Qed.
End Hard.

(** ** Theorem 3 *)

(** With 2 + height layers, the state of the subtree at every position of I_t. *)
Theorem theorem3_model {Sigma : Type} n leaf tensor C T height (t : tree Sigma) i d u k :
  (length (str t) <= T)%nat -> (Trees.height t <= height)%nat -> node t i d u -> (k < n)%nat ->
  run_model n leaf tensor C (str t) Hard T height i k = mu n leaf tensor u k.
Proof.
  intros HT Hh Hn Hk.
  change (after n leaf tensor C (str t) (S T) Hard height i (nth k (seq 0 n) 0%nat) = mu n leaf tensor u k).
  rewrite seq_nth by auto. pose proof (node_inside _ _ _ _ Hn). pose proof (str_length Sigma u).
  destruct (parse_states n leaf tensor C T t HT height) as [_ H1].
  rewrite Nat.add_0_l, H1 by (auto; unfold rows; lia).
  rewrite (held_node _ _ _ _ _ _ _ _ Hn). pose proof (node_height _ _ _ _ Hn).
  now replace (Trees.height u <=? height)%nat with true by (symmetry; apply Nat.leb_le; lia).
Qed.

(** The largest height of a tree with |str(t)| <= T. *)
Definition tallest (T : nat) : nat := (T + 2) / 3 - 1.

Lemma height_bound {Sigma : Type} (t : tree Sigma) : (3 * height t + 1 <= length (str t))%nat.
Proof.
  induction t as [a|a IHa b IHb]; simpl; [lia|]. rewrite !app_length. simpl.
  pose proof (str_length Sigma a). pose proof (str_length Sigma b). lia.
Qed.

Lemma tallest_bound {Sigma : Type} (t : tree Sigma) T :
  (length (str t) <= T)%nat -> (height t <= tallest T)%nat.
Proof.
  intro HT. pose proof (height_bound t). unfold tallest.
  assert ((height t + 1 <= (T + 2) / 3)%nat) by (apply Nat.div_le_lower_bound; lia). lia.
Qed.

(** One model for all trees with |str(t)| <= T. *)
Corollary theorem3_length {Sigma : Type} n leaf tensor C T (t : tree Sigma) i d u k :
  (length (str t) <= T)%nat -> node t i d u -> (k < n)%nat ->
  run_model n leaf tensor C (str t) Hard T (tallest T) i k = mu n leaf tensor u k.
Proof.
  intros HT. apply theorem3_model; auto. now apply tallest_bound.
Qed.
