(** * Theorem 3 without masks: softmax and blocks that are not exact

    Section 2.4, Section 4.2 and Appendix C, "to arbitrary precision", on the model of FreeModel.v
    with softmax in all heads, the one that copies the token too. Every head of the exact model has
    one largest score, by at least 1, and its tokens are bounded; so if tokens and blocks are off by
    little and C is large, a layer gives tokens that are off by little (SoftStep.v). For every
    WTA over finitely many letters, every T, every number of layers and every eps > 0 there are C0,
    a bound and eta > 0 such that for every C >= C0 and every block that computes the products up to
    eta on inputs up to the bound, the model is within eps in Euclidean length at every position of
    I_t of every tree with |str(t)| <= T and rho(t) at most the number of layers. No rate is given.

    Main definitions: [free_with] (a layer with another block), [run_free_blocks].
    Main theorems:    [bounded_free], [free_precision], [theorem3_free_blocks]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Theorem1 Softmax Spectral Trees Theorem3.
From Assay Require Import TreeModel TreeBlocks TreeScores TreeLayers TreeRecursion TreeSoft.
From Assay Require Import TreeContinuity TreeTargets SoftStep TreeInexact.
From Assay Require Import FreeModel FreeBlocks FreeStates FreeLayers.
Import ListNotations.
Open Scope R_scope.

(** ** Layers with other blocks *)

Section With.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R)
  (C : R) (T : nat) (w : list (symbol Sigma)).
Local Notation val := (value leaf tensor C w).
Local Notation M := (rows w).
Local Notation E := (free_embedded n (S T) leaf tensor C w).
Local Notation again := [at_place n; at_square n].

(** A layer with the block B in the place of the exact one. *)
Definition free_with (B : (nat -> R) -> nat -> R) (hs : list head) (X : mat) : mat := fun r c =>
  if existsb (Nat.eqb c) again then E r c else B (joined val M hs X r) c.
End With.

Lemma free_plain n tokens : Forall (fun p => plain (times p)) (free_products n tokens).
Proof.
  unfold free_products. rewrite !Forall_app. repeat split.
  - apply Forall_flat_map, Forall_forall. intros a _. apply Forall_flat_map, Forall_forall.
    intros b _. apply Forall_map, Forall_forall. intros; exact Logic.I.
  - apply kept_plain.
  - apply Forall_map, Forall_forall. intros; exact Logic.I.
  - apply Forall_map, Forall_forall. intros; exact Logic.I.
  - apply Forall_map, Forall_forall. intros; exact Logic.I.
  - repeat constructor.
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

Lemma state_coordinate l r k : (k < n)%nat ->
  Rabs (state_of n leaf tensor (ready l t r) k) <= S.
Proof.
  intro Hk. destruct (ready l t r) as [u|] eqn:Eu; cbn [state_of].
  - destruct (ready_inside _ _ _ _ Eu) as (d & Hn).
    eapply Rle_trans; [now apply (length2_entry n)|]. now apply (states_norm r d).
  - unfold zero. now rewrite Rabs_R0.
Qed.

Lemma bounded_free l : bounded w K (after_free n leaf tensor C T t Hard l).
Proof.
  destruct (holds_after n leaf tensor C T t fits l) as [H1 H2 H3 H4 H5 H6 H7 H8 H9].
  intros r c Hr. assert (S <= K) by (unfold size_bound; pose proof (pos_INR T); nra).
  destruct (Nat.lt_ge_cases c n) as [Hc|Hc].
  { rewrite H5 by auto. eapply Rle_trans; [now apply state_coordinate|lra]. }
  destruct (Nat.lt_ge_cases c (n + 7)) as [Hc'|Hc'].
  2: { rewrite H9, Rabs_R0 by auto. lra. }
  assert (Hseven : c = at_one n \/ c = at_place n \/ c = at_square n \/ c = free_kind n \/
    c = free_done n \/ c = free_size n \/ c = free_target n) by (free_coordinates; lia).
  pose proof (kind_range w r Hr) as Hk.
  pose proof (done_range l t r). pose proof (size_range l t r).
  assert (Ha : (0 <= aim T t l r <= Z.of_nat T + 2)%Z).
  { rewrite aim_is by exact fits. unfold beyond. destruct (right_child l t r) eqn:E; [apply right_child_inside in E|]; lia. }
  assert (Hr' : (0 <= Z.of_nat r <= Z.of_nat T)%Z) by (unfold rows in Hr; lia).
  destruct Hseven as [->|[->|[->|[->|[->|[->| ->]]]]]];
    rewrite ?H1, ?H2, ?H3, ?H4, ?H6, ?H7, ?H8 by auto; apply whole_bound; auto; nia.
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
Local Notation tokens := (Datatypes.S T).
Local Notation hard C t := (after_free n leaf tensor C T t Hard).
Local Notation soft_heads := (heads (free_layer n tokens Soft)).

Definition free_heads : list spec :=
  [Looks (next_queries n tokens) (next_keys n) (passed n) Everywhere;
   Looks (aimed_queries n) (places n) (passed n) Everywhere;
   Looks (own_queries n) (places n) (seq 0 (free_dimension n)) Everywhere].

(** The model with softmax and another block in all layers. *)
Definition run_free_blocks (C : R) (t : tree Sigma) (B : (nat -> R) -> nat -> R) (l : nat) : mat :=
  Nat.iter l (free_with n leaf tensor C T (str t) B soft_heads)
    (free_embedded n tokens leaf tensor C (str t)).

Theorem free_precision l eps : 0 < eps -> exists C0 eta, 0 < eta /\
  forall C t B, C0 <= C -> (length (str t) <= T)%nat ->
    computes tensor (K + 1) eta B (free_products n tokens) ->
    close (str t) eps (run_free_blocks C t B l) (hard C t l).
Proof.
  intro He. pose proof (psize_pos tensor (free_products n tokens)). pose proof (reach_pos free_heads).
  destruct (lift_small leaf tensor K T l (psize tensor (free_products n tokens) + reach free_heads + 1) eps
    (K_pos T S S_pos) ltac:(lra) He) as (C0 & eta & Het & H1).
  exists C0, eta. split; [exact Het|]. intros C t B HC Hl HB.
  apply (H1 C (str t) [at_place n; at_square n] (free_embedded n tokens leaf tensor C (str t)) (fun _ => free_heads)
    (fun _ => free_products n tokens) (fun _ => B) (run_free_blocks C t B) (fun l => hard C t l)); auto;
    [apply close_refl; lra|].
  intros k _. pose proof (holds_after n leaf tensor C T t Hl k) as HY.
  split; [apply free_plain|]. split; [lra|]. split; [exact HB|]. split; [reflexivity|].
  split; [apply after_free_S|].
  split; [apply bounded_free; auto; exact (subtree_norm n leaf tensor T S states_norm t Hl)|].
  intros r Hr. repeat constructor; cbn [aims]; eexists.
  - exact (next_target n leaf tensor T t Hl k _ HY r Hr).
  - exact (aimed_target n leaf tensor T t Hl k _ HY r Hr).
  - exact (own_target n leaf tensor T t Hl k _ HY r Hr).
Qed.
End Steps.

(** Theorem 3 without masks, with softmax and blocks that are right up to some eta. *)
Theorem theorem3_free_blocks {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor
    (letters : list Sigma) T count :
  (forall a, In a letters) -> forall eps, 0 < eps ->
  exists C0 bound eta, 0 < bound /\ 0 < eta /\ forall C B, C0 <= C ->
    computes tensor bound eta B (free_products n (S T)) ->
    forall (t : tree Sigma) i d u,
      (length (str t) <= T)%nat -> (rank t <= count)%nat -> node t i d u ->
      sqrt (sum n (fun k => (run_free_blocks n leaf tensor T C t B count i k
                             - mu n leaf tensor u k) ^ 2)) < eps.
Proof.
  intros Hall eps He.
  destruct (states_bounded n leaf tensor (length2 n) (frobenius n tensor) letters T (euclidean n)
    (sqrt_pos _) (frobenius_bound n tensor) Hall) as (Sz & HS & HB).
  assert (Hq : 0 < eps / (INR n + 1)) by (apply Rdiv_lt_0_compat; [lra|pose proof (pos_INR n); lra]).
  destruct (free_precision n leaf tensor T Sz HS HB count _ Hq) as (C0 & eta & Het & H).
  exists C0, (size_bound T Sz + 1), eta.
  split; [pose proof (K_pos T Sz HS); lra|]. split; [exact Het|].
  intros C B HC G t i d u Hl Hh Hn.
  pose proof (node_inside _ _ _ _ Hn) as Hi. pose proof (str_length Sigma u).
  assert (Hrow : (i < rows (str t))%nat) by (unfold rows; lia).
  pose proof (h_state _ _ _ _ _ _ _ (holds_after n leaf tensor C T t Hl count)) as Hst.
  apply length_small; [exact He|]. intros k Hk. pose proof (H C t B HC Hl G i k Hrow) as F.
  rewrite Hst, (ready_node _ _ _ _ _ Hn) in F by auto. pose proof (node_rank _ _ _ _ Hn).
  now replace (rank u <=? count)%nat with true in F by (symmetry; apply Nat.leb_le; lia).
Qed.
