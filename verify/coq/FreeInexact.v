(** * Theorem 3 without masks: where softmax and blocks that are not exact begin

    Section 2.4, Section 4.2 and Appendix C, "to arbitrary precision", on the model of FreeModel.v. Every
    head of the exact model has one largest score, by at least 1, in every layer, and the embedded tokens
    are bounded; that is what SoftStep.v asks for.

    Main definitions: [free_part].
    Main lemmas:      [free_parts_aim], [bounded_free]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Theorem1 Softmax Spectral Trees Theorem3.
From Assay Require Import TreeModel TreeBlocks TreeScores TreeLayers TreeRecursion TreeSoft.
From Assay Require Import TreeContinuity TreeTargets SoftStep.
From Assay Require Import FreeModel FreeBlocks FreeStates FreeLayers.
Import ListNotations.
Open Scope R_scope.

Lemma free_plain n tokens : Forall (fun p => plain (times p)) (free_products n tokens).
Proof.
  unfold free_products, free_tensor. rewrite !Forall_app. repeat split; plain_list.
Qed.

(** What a token holds of the states. *)
Lemma state_coordinate {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor t S : 0 <= S ->
  (forall i d u, node t i d u -> length2 n (mu n leaf tensor u) <= S) -> forall l r k, (k < n)%nat ->
  Rabs (state_of n leaf tensor (ready l t r) k) <= S.
Proof.
  intros HS states_norm l r k Hk. destruct (ready l t r) as [u|] eqn:Eu; cbn [state_of].
  - destruct (ready_inside _ _ _ _ Eu) as (d & Hn).
    eapply Rle_trans; [now apply (length2_entry n)|]. now apply (states_norm r d).
  - unfold zero. now rewrite Rabs_R0.
Qed.

(** Every head of the exact model has one target, in every layer. *)
Definition free_part (n tokens : nat) : part :=
  ([Looks (next_queries n tokens) (next_keys n) (passed n) Everywhere;
    Looks (aimed_queries n) (places n) (passed n) Everywhere;
    Looks (own_queries n) (places n) (seq 0 (free_dimension n)) Everywhere], free_products n tokens).

Lemma free_parts_aim {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor C T count t : (length (str t) <= T)%nat ->
  let E := free_embedded n (S T) leaf tensor C (str t) in
  let again := [at_place n; at_square n] in
  all_aim leaf tensor C (str t) again E E (repeat (free_part n (S T)) count) /\
  fold_left (hard_part leaf tensor C (str t) again E) (repeat (free_part n (S T)) count) E
  = after_free n leaf tensor C T t Hard count.
Proof.
  intros Ht E again.
  apply (all_aim_repeat leaf tensor C (str t) again E (free_part n (S T)) (after_free n leaf tensor C T t Hard))
    with (l := 0%nat).
  - intros l r Hr. pose proof (holds_after n leaf tensor C T t Ht l) as HY. repeat constructor; eexists.
    + exact (next_target n leaf tensor T t Ht l _ HY r Hr).
    + exact (aimed_target n leaf tensor T t Ht l _ HY r Hr).
    + exact (own_target n leaf tensor T t Ht l _ HY r Hr).
  - intro l. symmetry. apply after_free_S.
Qed.

(** The embedded tokens are bounded. *)
Lemma bounded_free {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor C T t S : (length (str t) <= T)%nat -> 0 <= S ->
  (forall i d u, node t i d u -> length2 n (mu n leaf tensor u) <= S) ->
  bounded (str t) (size_bound T S) (free_embedded n (Datatypes.S T) leaf tensor C (str t)).
Proof.
  intros Ht HS Hn r c Hr. pose proof (h_state _ _ _ _ _ _ _ (holds_start n leaf tensor C T t Ht)) as H0.
  destruct (free_embedded_row n leaf tensor C (str t) (Datatypes.S T) r) as (E1 & E2 & E3 & E4 & E5 & E6 & E7 & E8).
  assert (S <= size_bound T S) by (unfold size_bound; pose proof (pos_INR T); nra).
  destruct (Nat.lt_ge_cases c n) as [Hc|Hc].
  { rewrite H0 by auto. eapply Rle_trans; [now apply (state_coordinate n leaf tensor t S HS Hn)|lra]. }
  destruct (Nat.lt_ge_cases c (n + 7)) as [Hc'|Hc']; [|rewrite E8, Rabs_R0 by auto; lra].
  assert (Hseven : c = at_one n \/ c = at_place n \/ c = at_square n \/ c = free_kind n \/
    c = free_done n \/ c = free_size n \/ c = free_target n) by (free_coordinates; lia).
  pose proof (kind_range (str t) r Hr). unfold rows in Hr.
  assert (0 <= letter_of (nth_error (str t) r) <= 1)%Z by (destruct (nth_error (str t) r) as [[a| |]|]; cbn; lia).
  assert (0 <= beyond (Datatypes.S T) <= Z.of_nat T + 2)%Z by (unfold beyond; lia).
  assert (0 <= Z.of_nat r <= Z.of_nat T)%Z by lia.
  destruct Hseven as [->|[->|[->|[->|[->|[->| ->]]]]]]; rewrite ?E1, ?E2, ?E3, ?E4, ?E5, ?E6, ?E7;
    apply whole_bound; auto; nia.
Qed.
