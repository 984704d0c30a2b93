(** * Every head of the exact tree model has one target, and its tokens are bounded

    Section 4.2 and Appendix C, on the model of TreeModel.v with hard attention and exact blocks. At
    every token the head for the flags and, in every parse layer, the left and the right head have
    one largest score, by at least 1 (in the right head of a token that is no opening bracket
    because no two scores are the same). Coordinates are at most (T + 2)^2 + S in absolute value, S
    a bound on the states of all trees with |str(t)| <= T.

    Main definitions: [left_queries], [left_keys], [right_queries], [right_keys], [size_bound].
    Main lemmas:      [previous_target], [left_target], [right_target], [bounded_embedded],
                      [bounded_first], [bounded_after]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Theorem1 Softmax Spectral Trees Theorem3.
From Assay Require Import TreeModel TreeBlocks TreeScores TreeLayers TreeRecursion TreeSoft.
From Assay Require Import TreeContinuity.
Import ListNotations.
Open Scope R_scope.

(** ** Every head of the hard model has one target *)

Definition left_queries (n tokens : nat) : list whole :=
  towards n 1 ++ [[(at_one n, (- end_weight tokens)%Z); (at_kind n, end_weight tokens)]].
Definition left_keys (n : nat) : list whole := places n ++ [[(at_kind n, 1%Z)]].
Definition right_queries (n tokens : nat) : list whole :=
  [[(at_one n, (- beta tokens)%Z)];
   [(at_count n, (2 * beta tokens)%Z); (at_one n, (2 * beta tokens)%Z)]; [(at_one n, (-1)%Z)]].
Definition right_keys (n : nat) : list whole :=
  [[(at_mark n, 1%Z)]; [(at_count n, 1%Z)]; [(at_place n, 1%Z)]].

Section Targets.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R)
  (C : R) (T : nat) (t : tree Sigma).
Hypothesis fits : (length (str t) <= T)%nat.

Local Notation w := (str t).
Local Notation M := (rows w).
Local Notation E := (embedded n leaf tensor C w).
Local Notation tokens := (S T).

Lemma previous_target r : (r < M)%nat ->
  target w (towards n (-1)) (places n) Everywhere E r (r - 1).
Proof.
  intro Hr. split; [lia|]. split; [reflexivity|]. intros s Hs Hne _.
  assert (H : forall q, wscore (towards n (-1)) (places n) (E r) (E q) = IZR (previous_score r q)).
  { intro q. pose proof (score_previous n leaf tensor C w Hard r q) as H.
    unfold previous_head in H. rewrite score_whole in H. cbn [kappa] in H. lra. }
  rewrite !H, <- plus_IZR. apply IZR_le. now apply previous_gap.
Qed.

Lemma left_target Y r : prepared n w 0 Y -> (r < M)%nat ->
  exists s0, target w (left_queries n tokens) (left_keys n) Everywhere Y r s0.
Proof.
  intros HY Hr.
  assert (H : forall q, (q < M)%nat -> wscore (left_queries n tokens) (left_keys n) (Y r) (Y q)
                        = IZR (left_score w tokens r q)).
  { intros q Hq. pose proof (score_left n leaf tensor C w tokens Hard 0 Y r q HY Hr Hq) as H.
    unfold left_head in H. rewrite score_whole in H. cbn [kappa] in H.
    unfold left_queries, left_keys. lra. }
  destruct (Z.eq_dec (kind_at w r) 1) as [Hk|Hk].
  - assert (Hi : (r < length w)%nat).
    { apply kind_open in Hk. apply nth_error_Some. congruence. }
    exists (r + 1)%nat. split; [unfold rows; lia|]. split; [reflexivity|]. intros s Hs Hne _.
    rewrite !H by (auto; unfold rows; lia). rewrite <- plus_IZR. apply IZR_le.
    now apply left_gap_open.
  - exists (length w). split; [unfold rows; lia|]. split; [reflexivity|]. intros s Hs Hne _.
    rewrite !H by (auto; unfold rows; lia). rewrite <- plus_IZR. apply IZR_le.
    apply left_gap_other; auto. unfold rows. lia.
Qed.

(** In the right head of any token some score is above all others: there are no ties. *)
Lemma right_largest r m : (r < M)%nat -> (S r + m <= M)%nat ->
  exists s0, (r <= s0 < S r + m)%nat /\ forall s, (r <= s < S r + m)%nat -> s <> s0 ->
    (right_score w tokens r s + 1 <= right_score w tokens r s0)%Z.
Proof.
  intros Hr. induction m as [|m IH]; intro Hm.
  - exists r. split; [lia|]. intros s Hs Hne. lia.
  - destruct IH as (s0 & Hs0 & H); [lia|]. set (q := (S r + m)%nat).
    assert (Hne : right_score w tokens r q <> right_score w tokens r s0).
    { apply right_no_tie; unfold q, rows in *; lia. }
    destruct (Z.lt_ge_cases (right_score w tokens r q) (right_score w tokens r s0)) as [Hlt|Hge].
    + exists s0. split; [lia|]. intros s Hs Hn. destruct (Nat.eq_dec s q) as [->|].
      * lia.
      * apply H; [unfold q in *; lia|exact Hn].
    + exists q. split; [unfold q; lia|]. intros s Hs Hn. destruct (Nat.eq_dec s s0) as [->|Hs'].
      * lia.
      * pose proof (H s ltac:(unfold q in *; lia) Hs'). lia.
Qed.

Lemma right_target Y r : prepared n w 0 Y -> (r < M)%nat ->
  exists s0, target w (right_queries n tokens) (right_keys n) Anticausal Y r s0.
Proof.
  intros HY Hr. destruct (right_largest r (M - S r) Hr ltac:(lia)) as (s0 & Hs0 & H).
  assert (G : forall q, (q < M)%nat -> wscore (right_queries n tokens) (right_keys n) (Y r) (Y q)
                        = IZR (right_score w tokens r q)).
  { intros q Hq. pose proof (score_right n leaf tensor C w tokens Hard 0 Y r q HY Hr Hq) as G.
    unfold right_head in G. rewrite score_whole, (prepared_exact n t Y q HY Hq) in G.
    cbn [kappa] in G. unfold right_queries, right_keys. lra. }
  exists s0. split; [lia|]. split; [cbn; apply Nat.leb_le; lia|]. intros s Hs Hne Ha.
  cbn in Ha. apply Nat.leb_le in Ha. rewrite !G by lia. rewrite <- plus_IZR. apply IZR_le.
  apply H; [lia|exact Hne].
Qed.

(** ** Bounds on what the tokens of the hard model hold *)

Variable S : R.
Hypothesis S_pos : 0 <= S.
Hypothesis states_norm : forall i d u, node t i d u -> length2 n (mu n leaf tensor u) <= S.

Definition size_bound : R := (INR T + 2) * (INR T + 2) + S.
Local Notation K := size_bound.
Local Notation after := (after n leaf tensor C w tokens Hard).
Local Notation Y1 := (run_layer (value leaf tensor C w) M [at_place n; at_square n] E E
                        (first_layer n Hard)).

Lemma K_pos : 0 <= K.
Proof. unfold size_bound. pose proof (pos_INR T). nra. Qed.

Lemma held_coordinate l r k : (k < n)%nat -> Rabs (held n leaf tensor l t r k) <= S.
Proof.
  intro Hk. eapply Rle_trans; [apply (length2_entry n (held n leaf tensor l t r) k Hk)|].
  apply (held_norm n (length2 n) (euclidean n) tensor leaf t S states_norm).
Qed.

Lemma depth_range r : (r < M)%nat -> (- Z.of_nat T <= depth w r <= Z.of_nat T)%Z.
Proof.
  intro Hr. assert (H : (- Z.of_nat r <= depth w r <= Z.of_nat r)%Z).
  { clear Hr. induction r as [|r IH]; [unfold depth, depth_at; simpl; lia|].
    rewrite depth_step. unfold mark_of. destruct (nth_error w r) as [[a| |]|]; simpl mark; lia. }
  unfold rows in Hr. lia.
Qed.

Lemma whole_bound z : (- ((Z.of_nat T + 2) * (Z.of_nat T + 2)) <= z
                       <= (Z.of_nat T + 2) * (Z.of_nat T + 2))%Z -> Rabs (IZR z) <= K.
Proof.
  intros [H1 H2]. apply IZR_le in H1, H2. rewrite opp_IZR in H1.
  rewrite mult_IZR, plus_IZR, <- INR_IZR_INZ in *. unfold size_bound.
  apply Rabs_le. lra.
Qed.

(** The six coordinates after the state. *)
Lemma bounded_by_cases (Y : mat) :
  (forall r k, (r < M)%nat -> (k < n)%nat -> Rabs (Y r k) <= S) ->
  (forall r c, (r < M)%nat -> (n <= c < n + 6)%nat -> Rabs (Y r c) <= K) ->
  (forall r c, (r < M)%nat -> (n + 6 <= c)%nat -> Y r c = 0) -> bounded w K Y.
Proof.
  intros H1 H2 H3 r c Hr. assert (S <= K) by (unfold size_bound; pose proof (pos_INR T); nra).
  destruct (Nat.lt_ge_cases c n); [eapply Rle_trans; [now apply H1|lra]|].
  destruct (Nat.lt_ge_cases c (n + 6)); [apply H2; auto|]. rewrite H3, Rabs_R0 by auto. lra.
Qed.

Lemma six c : (n <= c < n + 6)%nat -> c = at_one n \/ c = at_place n \/ c = at_square n \/
  c = at_count n \/ c = at_kind n \/ c = at_mark n.
Proof. coordinates. lia. Qed.

Lemma flag_range r : (r < M)%nat -> (0 <= flag w r <= 1)%Z.
Proof. intro Hr. apply flag_inside; auto. apply (str_length Sigma t). Qed.

Lemma bounded_embedded : bounded w K E.
Proof.
  apply bounded_by_cases.
  - intros r k Hr Hk. rewrite held_embedded by auto. now apply held_coordinate.
  - intros r c Hr Hc. destruct (embedded_row n leaf tensor C w r) as (E1 & E2 & E3 & E4 & E5 & E6).
    pose proof (kind_range w r Hr). unfold rows in Hr.
    destruct (six c Hc) as [->|[->|[->|[->|[->| ->]]]]];
      rewrite ?E1, ?E2, ?E3, ?E4, ?E5, ?E6; apply whole_bound; try nia.
    unfold mark_of. destruct (nth_error w r) as [[a| |]|]; simpl mark; nia.
  - intros. now apply embedded_beyond.
Qed.

Lemma bounded_first : bounded w K Y1.
Proof.
  assert (H : forall r, (r < M)%nat ->
    read (value leaf tensor C w) M (previous_head n Hard) E r 0%nat = IZR (flag w r)).
  { intros r Hr. unfold previous_head. rewrite (hard_target leaf tensor C w _ _ _ _ _ r (r - 1)%nat)
      by now apply previous_target.
    destruct (embedded_row n leaf tensor C w (r - 1)) as (_ & _ & _ & _ & E5 & _). exact E5. }
  apply bounded_by_cases; intros r c Hr Hc.
  - destruct (first_layer_row n leaf tensor C w Hard ltac:(discriminate) E r Hr)
      as (_ & _ & _ & _ & ->); auto.
    destruct (embedded_row n leaf tensor C w r) as (-> & _). rewrite Rmult_1_l.
    rewrite held_embedded by auto. now apply held_coordinate.
  - destruct (first_layer_row n leaf tensor C w Hard ltac:(discriminate) E r Hr)
      as (F1 & _ & F3 & F4 & _).
    pose proof (first_layer_depth n leaf tensor C w Hard ltac:(discriminate) r Hr) as F2.
    destruct (place_again n leaf tensor C w E (first_layer n Hard) r) as [F5 F6].
    destruct (embedded_row n leaf tensor C w r) as (E1 & E2 & E3 & _ & E5 & _).
    rewrite E1 in F1, F3, F4. rewrite H in F4 by auto. rewrite Rmult_1_l in *.
    pose proof (kind_range w r Hr). pose proof (depth_range r Hr). pose proof (flag_range r Hr).
    unfold rows in Hr.
    destruct (six c Hc) as [->|[->|[->|[->|[->| ->]]]]];
      rewrite ?F1, ?F2, ?F3, ?F4, ?F5, ?F6, ?E2, ?E3, ?E5; apply whole_bound; nia.
  - now apply first_beyond.
Qed.

Lemma bounded_after l : bounded w K (after l).
Proof.
  destruct (parse_states n leaf tensor C T t fits l) as [[P1 P2 P3 P4 P5 P6] Hst].
  apply bounded_by_cases; intros r c Hr Hc.
  - rewrite Hst by auto. now apply held_coordinate.
  - assert (Hm : after l r (at_mark n) = IZR (depth w r * depth w r + flag w r)).
    { assert (HP : prepared n w 0 (after l)) by (split; auto).
      pose proof (prepared_exact n t (after l) r HP Hr). lra. }
    pose proof (kind_range w r Hr). pose proof (depth_range r Hr). pose proof (flag_range r Hr).
    destruct (six c Hc) as [->|[->|[->|[->|[->| ->]]]]];
      rewrite ?P1, ?P2, ?P3, ?P4, ?P5, ?Hm by auto; apply whole_bound; unfold rows in Hr; nia.
  - destruct l as [|l]; [|rewrite after_S; now apply parse_beyond].
    unfold TreeScores.after, run_layers. cbn [fold_left repeat]. now apply second_beyond.
Qed.
End Targets.
