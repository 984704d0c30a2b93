(** * Every head of the exact tree model has one target, and its first tokens are bounded

    Section 4.2 and Appendix C, on the model of TreeModel.v with hard attention and exact blocks. At
    every token the head for the flags and, in every parse layer, the left and the right head have
    one largest score, by at least 1 (in the right head of a token that is no opening bracket
    because no two scores are the same). Coordinates of the embedded tokens are at most (T + 2)^2 + S in
    absolute value, S a bound on the states of all trees with |str(t)| <= T.

    Main definitions: [left_queries], [left_keys], [right_queries], [right_keys], [size_bound].
    Main lemmas:      [previous_target], [left_target], [right_target], [bounded_embedded]. *)

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

Lemma target_of qs ks vs m X r s0 : stands_out leaf tensor C w Hard (scored Hard qs ks vs m) X r s0 1 ->
  target w qs ks m X r s0.
Proof.
  intros (H0 & Ha & H). split; [exact H0|]. split; [exact Ha|]. intros s Hs Hne Hal.
  specialize (H s Hs Hne Hal). rewrite !score_whole in H. cbn [kappa] in H. lra.
Qed.

Lemma previous_target r : (r < M)%nat -> target w (towards n (-1)) (places n) Everywhere E r (r - 1).
Proof. intro Hr. apply (target_of _ _ [at_kind n]). now apply (previous_out n leaf tensor C w Hard Rle_0_1). Qed.

Lemma left_target Y r : prepared n w 0 Y -> (r < M)%nat ->
  target w (left_queries n tokens) (left_keys n) Everywhere Y r (next_row w r).
Proof.
  intros HY Hr. apply (target_of _ _ (seq 0 n)).
  apply (left_out n leaf tensor C w Hard Rle_0_1 tokens) with (eta := 0); auto. unfold rows. lia.
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

(** ** Bounds on what the embedded tokens hold *)

Variable S : R.
Hypothesis S_pos : 0 <= S.
Hypothesis states_norm : forall i d u, node t i d u -> length2 n (mu n leaf tensor u) <= S.

Definition size_bound : R := (INR T + 2) * (INR T + 2) + S.
Local Notation K := size_bound.

Lemma K_pos : 0 <= K.
Proof. unfold size_bound. pose proof (pos_INR T). nra. Qed.

Lemma held_coordinate l r k : (k < n)%nat -> Rabs (held n leaf tensor l t r k) <= S.
Proof.
  intro Hk. eapply Rle_trans; [apply (length2_entry n (held n leaf tensor l t r) k Hk)|].
  apply (held_norm n (length2 n) (euclidean n) tensor leaf t S states_norm).
Qed.

Lemma whole_bound z : (- ((Z.of_nat T + 2) * (Z.of_nat T + 2)) <= z
                       <= (Z.of_nat T + 2) * (Z.of_nat T + 2))%Z -> Rabs (IZR z) <= K.
Proof.
  intros [H1 H2]. apply IZR_le in H1, H2. rewrite opp_IZR in H1.
  rewrite mult_IZR, plus_IZR, <- INR_IZR_INZ in *. unfold size_bound.
  apply Rabs_le. lra.
Qed.

Lemma bounded_embedded : bounded w K E.
Proof.
  intros r c Hr. assert (S <= K) by (unfold size_bound; pose proof (pos_INR T); nra).
  destruct (Nat.lt_ge_cases c n) as [Hc|Hc].
  { rewrite held_embedded by auto. eapply Rle_trans; [now apply held_coordinate|lra]. }
  destruct (Nat.lt_ge_cases c (n + 6)) as [Hc'|Hc']; [|rewrite embedded_beyond, Rabs_R0 by auto; lra].
  destruct (embedded_row n leaf tensor C w r) as (E1 & E2 & E3 & E4 & E5 & E6).
  pose proof (kind_range w r Hr). unfold rows in Hr.
  assert (Hsix : c = at_one n \/ c = at_place n \/ c = at_square n \/ c = at_count n \/ c = at_kind n \/ c = at_mark n)
    by (coordinates; lia).
  destruct Hsix as [->|[->|[->|[->|[->| ->]]]]]; rewrite ?E1, ?E2, ?E3, ?E4, ?E5, ?E6; apply whole_bound; try nia.
  unfold mark_of. destruct (nth_error w r) as [[a| |]|]; simpl mark; nia.
Qed.
End Targets.
