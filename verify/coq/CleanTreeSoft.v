(** * Theorem 3 with nothing but the tree's string: softmax and MLPs

    Section 2.4, Section 4.2 and Appendix C, "to arbitrary precision", on the model of
    CleanTreeModel.v with softmax in all heads and a network in the place of every block. Nothing is
    given anew after a layer: places are passed on by the third head and the block, and so are off
    by a little too. Every head of the exact model has one largest score, by at least 1, and its
    tokens are bounded; so if tokens and blocks are off by little and C is large, a layer gives tokens
    that are off by little (SoftStep.v). The model is within eps in Euclidean length at every position of
    I_t of every tree with |str(t)| <= T whose rho is at most the number of layers, as soon as what heads
    give away and what blocks miss, together, are at most 1 / [clean_margin] ([clean_close]).

    Main definitions: [soft_tree_step], [run_blocks_clean], [clean_margin].
    Main theorems:    [bounded_clean], [clean_layers], [clean_close]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Theorem1 Softmax Spectral Trees Theorem3 Activation.
From Assay Require Import TreeModel TreeBlocks TreeScores TreeLayers TreeRecursion TreeSoft.
From Assay Require Import TreeContinuity TreeTargets TreeMLP SoftStep.
From Assay Require Import FreeModel FreeBlocks FreeStates FreeInexact CleanTreeModel CleanTreeLayers.
Import ListNotations.
Open Scope R_scope.

Lemma clean_plain n : Forall (fun p => plain (times p)) (clean_products n).
Proof.
  unfold clean_products, clean_copies, clean_rest, free_tensor, vector_tensor. rewrite !Forall_app.
  repeat split; plain_list.
Qed.

(** ** The tokens of the exact model are bounded *)

Section Bounds.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R)
  (C : R) (T : nat) (t : tree Sigma) (S : R).
Hypothesis fits : (length (str t) <= T)%nat.
Hypothesis S_pos : 0 <= S.
Hypothesis states_norm : forall i d u, node t i d u -> length2 n (mu n leaf tensor u) <= S.
Local Notation K := (size_bound T S).
Local Notation w := (str t).

Lemma vector_bound r k : (k < n)%nat -> Rabs (- vector_of leaf (nth_error w r) k) <= S.
Proof.
  intro Hk. rewrite Rabs_Ropp. destruct (nth_error w r) as [[a| |]|] eqn:Es; cbn [vector_of];
    try (rewrite Rabs_R0; exact S_pos).
  pose proof (state_coordinate n leaf tensor t S S_pos states_norm 0 r k Hk) as H.
  now rewrite (ready_letter _ _ _ _ Es) in H.
Qed.

Lemma bounded_clean l : bounded (tl w) K (clean_after n leaf tensor C t l).
Proof.
  destruct (keeps_after n leaf tensor C t l) as [H1 H2 H3 H4 H5 H6 H7 H8 H9 H10 H11].
  intros r c Hr. assert (S <= K) by (unfold size_bound; pose proof (pos_INR T); nra).
  destruct (Nat.lt_ge_cases c n) as [Hc|Hc].
  { rewrite H5 by auto.
    eapply Rle_trans; [now apply (state_coordinate n leaf tensor t S S_pos states_norm)|lra]. }
  destruct (Nat.lt_ge_cases c (2 * n + 8)) as [Hc'|Hc'].
  2: { rewrite H11, Rabs_R0 by auto. lra. }
  destruct (Nat.lt_ge_cases c (n + 8)) as [Hc8|Hc8].
  2: { replace c with (clean_vector n + (c - (n + 8)))%nat by (clean_coordinates; lia).
       rewrite H10 by (auto; lia). eapply Rle_trans; [apply vector_bound; lia|lra]. }
  assert (Height : c = at_one n \/ c = at_place n \/ c = at_square n \/ c = free_kind n \/
    c = free_done n \/ c = free_size n \/ c = free_target n \/ c = clean_letter n)
    by (clean_coordinates; lia).
  pose proof (open_range t r) as Hk.
  pose proof (done_range l t r). pose proof (size_range l t r).
  assert (He : (0 <= letter_of (nth_error w r) <= 1)%Z)
    by (destruct (nth_error w r) as [[a| |]|]; cbn; lia).
  pose proof Hr as Hin. rewrite inside in Hin.
  assert (Ha : (0 <= clean_aim t l r <= Z.of_nat T + 2)%Z).
  { unfold clean_aim, right_row. destruct (right_child l t r) eqn:E; [apply right_child_inside in E|]; lia. }
  destruct Height as [->|[->|[->|[->|[->|[->|[->| ->]]]]]]];
    rewrite ?H1, ?H2, ?H3, ?H4, ?H6, ?H7, ?H8, ?H9 by auto; apply whole_bound; auto; nia.
Qed.
End Bounds.

(** ** One layer with softmax, tokens and block off a little *)

Section Steps.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R)
  (T : nat) (S : R).
Hypothesis S_pos : 0 <= S.
Hypothesis states_norm : forall t : tree Sigma, (length (str t) <= T)%nat ->
  length2 n (mu n leaf tensor t) <= S.

Local Notation K := (size_bound T S).
Local Notation hard C t := (clean_after n leaf tensor C t).
Local Notation val C t := (value leaf tensor C (tl (str t))).
Local Notation soft_heads := (heads (clean_layer n Soft)).

(** A layer with softmax and the block B. *)
Definition soft_tree_step (C : R) (t : tree Sigma) (B : (nat -> R) -> nat -> R) (X : mat) : mat :=
  fun r => B (joined (val C t) (rows (tl (str t))) soft_heads X r).

Definition clean_specs : list spec :=
  [Looks (child_queries n) (places n) (passed n) Everywhere;
   Looks (aimed_queries n) (places n) (passed n) Everywhere;
   Looks (own_queries n) (places n) (seq 0 (clean_dimension n)) Everywhere].

(** The model with softmax and another block in all layers. *)
Definition run_blocks_clean (C : R) (t : tree Sigma) (B : (nat -> R) -> nat -> R) (l : nat) : mat :=
  Nat.iter l (soft_tree_step C t B) (clean_start n leaf t).

Lemma clean_layers C t B Z e k : (length (str t) <= T)%nat ->
  psize tensor (clean_products n) + reach clean_specs + 1 <= Z ->
  computes tensor (K + 1) e B (clean_products n) ->
  layer_runs leaf tensor K C (tl (str t)) [] (clean_start n leaf t) (fun _ => clean_specs)
    (fun _ => clean_products n) (fun _ => B) (run_blocks_clean C t B) (fun l => hard C t l) Z e k.
Proof.
  intros Hl HZ HB. pose proof (keeps_after n leaf tensor C t k) as HY.
  split; [apply clean_plain|]. split; [exact HZ|]. split; [exact HB|]. split; [reflexivity|]. split; [reflexivity|].
  split.
  { apply bounded_clean; auto. intros i d u Hu. apply states_norm. pose proof (node_inside _ _ _ _ Hu). lia. }
  intros r Hr. repeat constructor; cbn [aims]; eexists.
  - exact (child_target n leaf tensor t k _ HY r Hr).
  - exact (right_target_clean n leaf tensor t k _ HY r Hr).
  - exact (same_target n leaf tensor t k _ HY r Hr).
Qed.

(** How an error grows in all layers, and what it means for a state, in units of eps. *)
Definition clean_margin (count : nat) (eps : R) : R :=
  growth K (psize tensor (clean_products n) + reach clean_specs + 1) ^ count * ((INR n + 1) / eps).

Theorem clean_close count C B e eps : 0 < eps <= 1 / 2 -> 0 <= C -> 0 <= e ->
  computes tensor (K + 1) e B (clean_products n) -> (e + leak K T C) * clean_margin count eps <= 1 ->
  forall t i d u, (length (str t) <= T)%nat -> (rank t <= count)%nat -> node t i d u ->
    sqrt (sum n (fun k => (run_blocks_clean C t B count i k - mu n leaf tensor u k) ^ 2)) < eps.
Proof.
  intros He HC He0 HB Hm t i d u Hl Hrk Hn. pose proof (K_pos T S S_pos) as HK. pose proof (pos_INR n).
  pose proof (leak_pos K T C HK). unfold clean_margin in Hm. set (Z := psize _ _ + _ + 1) in *.
  set (off := (e + leak K T C) * growth K Z ^ count).
  assert (Hq : off <= eps / (INR n + 1)).
  { apply (Rmult_le_reg_r ((INR n + 1) / eps)); [apply Rdiv_lt_0_compat; lra|].
    replace (eps / (INR n + 1) * ((INR n + 1) / eps)) with 1 by (field; lra). unfold off. lra. }
  assert (eps / (INR n + 1) <= eps).
  { apply (Rmult_le_reg_r (INR n + 1)); [lra|].
    replace (eps / (INR n + 1) * (INR n + 1)) with eps by (field; lra). nra. }
  pose proof (node_inside _ _ _ _ Hn). pose proof (str_length Sigma u).
  assert (Hrow : (i < rows (tl (str t)))%nat) by (apply inside; lia).
  apply length_small; [lra|]. intros k Hk.
  rewrite <- (clean_states n leaf tensor C t count i d u k Hrk Hn Hk). eapply Rle_trans; [|exact Hq].
  apply (lift leaf tensor K T C (tl (str t)) [] (clean_start n leaf t) HK HC ltac:(destruct (str t); simpl in *; lia)
    (fun _ => clean_specs) (fun _ => clean_products n) (fun _ => B) (run_blocks_clean C t B)
    (fun l => hard C t l) Z e count He0); auto.
  - intros l _. apply clean_layers; auto. unfold Z. lra.
  - apply close_refl. lra.
  - fold off. lra.
Qed.
End Steps.
