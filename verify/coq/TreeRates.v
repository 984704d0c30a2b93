(** * How large C and how small h must be for trees: Theorem 3 with explicit constants

    Section 4.2 and Appendix C, on the model of FreeModel.v. S_k bounds the k-th entry of the states of
    all trees with |str(t)| <= T. The recursion of TreeBudget.v, which a program can evaluate, gives
    from C, and from the error of a product where hidden units multiply, a bound e_L(k) on the error of
    the k-th entry of the state at every position of I_t of every such tree, L the number of layers:

    [theorem3_entries]      softmax and exact products
    [theorem3_mlp_entries]  softmax and four hidden units for each product (shared as the program shares
                            them), with a bound on the fourth derivative; inputs of the units are off
                            by at most 1
    [theorem3_rate], [theorem3_mlp_rate]  if e_L is shorter than eps, then the model simulates the
                            automaton within eps in the sense of Definition 4.2

    Where we differ from the print: see FreeModel.v; print names no C.

    Main definitions: [free_sizes], [free_errors], [soft_tree], [unit_error].
    Main theorems:    as above. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Sums Theorem1 Softmax Trees Theorem3 Activation FourUnits.
From Assay Require Import TreeModel TreeBlocks TreeScores TreeLayers TreeRecursion TreeContinuity TreeMLP.
From Assay Require Import FreeModel FreeBlocks FreeStates FreeLayers FreeInexact FreeMLP SharedUnits.
From Assay Require Import TreeSimulation TreeStatements TreeBudget.
Import ListNotations.
Open Scope R_scope.

(** ** The recursion for the model without masks *)

Definition free_specs (n tokens : nat) : list spec :=
  [Spec (next_queries n tokens) (next_keys n) (passed n);
   Spec (aimed_queries n) (places n) (passed n);
   Spec (own_queries n) (places n) (seq 0 (free_dimension n))].

(** Sizes: states, one, place, its square, kind, done, size, target. *)
Definition free_sizes (n T : nat) (S : nat -> R) (c : nat) : R :=
  if (c <? n)%nat then S c else
  match (c - n)%nat with
  | 0%nat => 1
  | 1%nat => INR T + 1
  | 2%nat => (INR T + 1) * (INR T + 1)
  | 3%nat => 1
  | 4%nat => 1
  | 5%nat => INR T + 1
  | 6%nat => INR T + 2
  | _ => 0
  end.

Section Recursion.
Context (n T : nat) (tensor : nat -> nat -> nat -> R) (S : nat -> R) (C : R).
Local Notation V := (free_sizes n T S).
Local Notation specs := (free_specs n (Datatypes.S T)).
Local Notation ps := (free_products n (Datatypes.S T)).

(** e_l, where [own p] is the error of a product itself. *)
Fixpoint free_errors (own : product -> R) (l : nat) : nat -> R :=
  match l with
  | O => fun _ => 0
  | Datatypes.S l' => next_errors tensor T C V own [at_place n; at_square n] specs ps
                        (free_errors own l')
  end.

Definition free_reads (own : product -> R) (l : nat) : nat -> R :=
  read_errors T C V (free_errors own l) specs.
Definition factor (k : nat) : R := read_sizes V specs k.
End Recursion.

(** ** Errors of the model *)

Section Errors.
Context {Sigma : Type} (n T : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R)
  (S : nat -> R) (C : R).
Hypothesis C_pos : 0 <= C.
Hypothesis states : forall t : tree Sigma, (length (str t) <= T)%nat ->
  forall k, (k < n)%nat -> Rabs (mu n leaf tensor t k) <= S k.
Local Notation V := (free_sizes n T S).
Local Notation tokens := (Datatypes.S T).
Local Notation specs := (free_specs n tokens).
Local Notation ps := (free_products n tokens).
Local Notation errors := (free_errors n T tensor S C).
Local Notation hard t := (after_free n leaf tensor C T t Hard).

Lemma whole_size z x : (0 <= z)%Z -> IZR z <= x -> Rabs (IZR z) <= x.
Proof. intros Hz H. apply IZR_le in Hz. rewrite Rabs_pos_eq; lra. Qed.

Lemma sizes_after (t : tree Sigma) l r c : (length (str t) <= T)%nat -> (r < rows (str t))%nat ->
  Rabs (hard t l r c) <= V c.
Proof.
  intros fits Hr. destruct (holds_after n leaf tensor C T t fits l) as [H1 H2 H3 H4 H5 H6 H7 H8 H9].
  unfold free_sizes. destruct (Nat.ltb_spec c n) as [Hc|Hc].
  { rewrite H5 by auto. destruct (ready l t r) as [u|] eqn:Eu; cbn [state_of].
    - destruct (ready_inside _ _ _ _ Eu) as (d & Hn). pose proof (node_inside _ _ _ _ Hn).
      apply states; auto. lia.
    - unfold zero. rewrite Rabs_R0.
      eapply Rle_trans; [apply Rabs_pos|exact (states t fits c Hc)]. }
  pose proof (done_range l t r). pose proof (size_range l t r).
  assert (Ha : (0 <= aim T t l r <= Z.of_nat T + 2)%Z).
  { rewrite aim_is by exact fits. unfold beyond. destruct (right_child l t r) eqn:E; [apply right_child_inside in E|]; lia. }
  pose proof (kind_range (str t) r Hr) as Hk.
  assert (Hr' : (0 <= Z.of_nat r + 1 <= Z.of_nat T + 1)%Z) by (unfold rows in Hr; lia).
  rewrite INR_IZR_INZ.
  destruct (c - n)%nat as [|[|[|[|[|[|[|m]]]]]]] eqn:Ec.
  - replace c with (at_one n) by (unfold at_one; lia). rewrite H1, Rabs_R1 by auto. lra.
  - replace c with (at_place n) by (unfold at_place; lia). rewrite H2 by auto.
    apply whole_size; [lia|]. rewrite <- plus_IZR. apply IZR_le. lia.
  - replace c with (at_square n) by (unfold at_square; lia). rewrite H3 by auto.
    apply whole_size; [nia|]. rewrite <- plus_IZR, <- mult_IZR. apply IZR_le. nia.
  - replace c with (free_kind n) by (unfold free_kind; lia). rewrite H4 by auto.
    rewrite <- abs_IZR. apply (IZR_le _ 1). lia.
  - replace c with (free_done n) by (unfold free_done; lia). rewrite H6 by auto.
    apply whole_size; [lia|]. apply (IZR_le _ 1). lia.
  - replace c with (free_size n) by (unfold free_size; lia). rewrite H7 by auto.
    apply whole_size; [lia|]. rewrite <- plus_IZR. apply IZR_le. lia.
  - replace c with (free_target n) by (unfold free_target; lia). rewrite H8 by auto.
    apply whole_size; [lia|]. rewrite <- plus_IZR. apply IZR_le. lia.
  - rewrite H9, Rabs_R0 by (auto; lia). lra.
Qed.

(** The model with softmax and a block B in all layers. *)
Definition with_products (B : (nat -> R) -> nat -> R) (t : tree Sigma) (l : nat) : mat :=
  Nat.iter l (fun X => run_with (value leaf tensor C (str t)) (rows (str t)) (fun _ => B)
                         [at_place n; at_square n] (free_embedded n tokens leaf tensor C (str t)) X
                         (free_layer n tokens Soft))
    (free_embedded n tokens leaf tensor C (str t)).

(** It is the model of FreeModel.v with this block. *)
Lemma with_products_is B blocks count t r k : (k < n)%nat ->
  (forall x, blocks (free_layer n tokens Soft) x = B x) ->
  forward_with (value leaf tensor C (str t)) (rows (str t)) blocks (free_model n tokens Soft count)
    (free_embedded n tokens leaf tensor C (str t)) r k = with_products B t count r k.
Proof.
  intros Hk HB. unfold forward_with, with_products. cbn [readout renewed layers free_model].
  rewrite seq_nth, <- fold_left_repeat by auto. cbn [Nat.add].
  erewrite fold_left_same; [reflexivity|]. intros ly H X. apply repeat_spec in H as ->. unfold run_with.
  apply functional_extensionality. intro r'. apply functional_extensionality. intro c. now rewrite HB.
Qed.

(** The recursion bounds the errors of all coordinates of all tokens in all layers. *)
Theorem errors_after mul own (t : tree Sigma) : (length (str t) <= T)%nat -> forall l,
  (forall l', (l' < l)%nat -> forall p x y, In p ps ->
     Rabs x <= factor n T S (left_of p) + free_reads n T tensor S C own l' (left_of p) ->
     Rabs y <= factor n T S (right_of p) + free_reads n T tensor S C own l' (right_of p) ->
     Rabs (mul x y - x * y) <= own p) ->
  forall r c, (r < rows (str t))%nat ->
    Rabs (with_products (block_by tensor mul ps) t l r c - hard t l r c) <= errors own l c.
Proof.
  intros fits l. induction l as [|l IH]; intros Hmul r c Hr.
  - change (Rabs (free_embedded n tokens leaf tensor C (str t) r c
                  - free_embedded n tokens leaf tensor C (str t) r c) <= 0).
    rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - rewrite after_free_S.
    pose proof (holds_after n leaf tensor C T t fits l) as HY.
    apply (layer_budget leaf tensor C T (str t) V (errors own l)
      (with_products (block_by tensor mul ps) t l) (hard t l) C_pos fits
      (fun r' c' => sizes_after t l r' c' fits)
      (IH (fun l' Hl' => Hmul l' (Nat.lt_lt_succ_r _ _ Hl'))) mul own
      [at_place n; at_square n] (free_embedded n tokens leaf tensor C (str t)) specs ps r c Hr).
    + repeat constructor; cbn [asks answers].
      * eexists. exact (next_target n leaf tensor T t fits l _ HY r Hr).
      * eexists. exact (aimed_target n leaf tensor T t fits l _ HY r Hr).
      * eexists. exact (own_target n leaf tensor T t fits l _ HY r Hr).
    + apply free_plain.
    + exact (Hmul l (Nat.lt_succ_diag_r l)).
Qed.

Lemma errors_at_nodes mul own count (t : tree Sigma) i d u k :
  (length (str t) <= T)%nat -> (rank t <= count)%nat -> node t i d u -> (k < n)%nat ->
  (forall l', (l' < count)%nat -> forall p x y, In p ps ->
     Rabs x <= factor n T S (left_of p) + free_reads n T tensor S C own l' (left_of p) ->
     Rabs y <= factor n T S (right_of p) + free_reads n T tensor S C own l' (right_of p) ->
     Rabs (mul x y - x * y) <= own p) ->
  Rabs (with_products (block_by tensor mul ps) t count i k - mu n leaf tensor u k) <= errors own count k.
Proof.
  intros fits Hc Hn Hk Hmul. pose proof (node_inside _ _ _ _ Hn) as Hi.
  pose proof (str_length Sigma u).
  pose proof (errors_after mul own t fits count Hmul i k ltac:(unfold rows; lia)) as F.
  pose proof (h_state _ _ _ _ _ _ _ (holds_after n leaf tensor C T t fits count)) as Hst.
  rewrite Hst, (ready_node _ _ _ _ _ Hn) in F by (auto; unfold rows; lia).
  pose proof (node_rank _ _ _ _ Hn).
  now replace (rank u <=? count)%nat with true in F by (symmetry; apply Nat.leb_le; lia).
Qed.
End Errors.

(** ** Softmax and exact products *)

Definition soft_tree {Sigma : Type} n T depth (leaf : Sigma -> nat -> R) tensor (C : R) :
    list (symbol Sigma) -> mat :=
  run_tree (fixed tensor C) (free_model n (S T) Soft depth)
    (fun ly => block (fixed tensor C) (products ly)) (free_tokens n T leaf).

Section Rates.
Context {Sigma : Type} (n T count : nat) (leaf : Sigma -> nat -> R)
  (tensor : nat -> nat -> nat -> R) (S : nat -> R) (C : R).
Local Notation low := (fun t : tree Sigma => (rank t <= count)%nat).
Local Notation ps := (free_products n (Datatypes.S T)).

Hypothesis C_pos : 0 <= C.
Hypothesis states : forall t : tree Sigma, (length (str t) <= T)%nat ->
  forall k, (k < n)%nat -> Rabs (mu n leaf tensor t k) <= S k.

Lemma entries_simulate (f : list (symbol Sigma) -> mat) (e : nat -> R) eps :
  (forall t i d u k, (length (str t) <= T)%nat -> low t -> node t i d u -> (k < n)%nat ->
     Rabs (f (str t) i k - mu n leaf tensor u k) <= e k) ->
  sqrt (sum n (fun k => e k ^ 2)) < eps ->
  approximately_simulates_trees n T leaf tensor low eps f.
Proof.
  intros H He t i d u Hl Ht Hn. eapply Rle_lt_trans; [|exact He]. apply sqrt_le_1_alt, sum_le.
  intros k Hk. rewrite <- pow2_abs. apply pow_incr. split; [apply Rabs_pos|]. now apply (H t i d).
Qed.

Theorem theorem3_entries t i d u k :
  (length (str t) <= T)%nat -> low t -> node t i d u -> (k < n)%nat ->
  Rabs (soft_tree n T count leaf tensor C (str t) i k - mu n leaf tensor u k)
  <= free_errors n T tensor S C (fun _ => 0) count k.
Proof.
  intros Hl Ht Hn Hk. unfold soft_tree. rewrite <- exact_free_is_fixed.
  unfold run_free, forward. rewrite (with_products_is n T leaf tensor C (block_by tensor Rmult ps)); [|exact Hk|].
  2: { intro x. apply functional_extensionality. intro c. cbn [products free_layer].
       rewrite block_plain by apply free_plain. apply lsum_ext. intros p _. now rewrite Rmult_assoc. }
  apply (errors_at_nodes n T leaf tensor S C C_pos states) with (d := d); auto.
  intros. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
Qed.

Theorem theorem3_rate eps :
  sqrt (sum n (fun k => free_errors n T tensor S C (fun _ => 0) count k ^ 2)) < eps ->
  approximately_simulates_trees n T leaf tensor low eps (soft_tree n T count leaf tensor C).
Proof. apply entries_simulate. exact theorem3_entries. Qed.

(** ** Softmax and hidden units *)

Context (sigma : R -> R) (b c h s : R).
Variable K : product -> R.           (* bounds on the fourth derivative *)

(** What the units of a product miss, on factors that are off by at most 1. *)
Definition unit_error (p : product) : R :=
  let P := factor n T S (left_of p) + 1 in
  let Q := factor n T S (right_of p) + 1 in
  Rabs s * remainder (K p) h P Q + Rabs (4 * h ^ 2 * c * s - 1) * (P * Q).

Hypothesis h_pos : 0 < h.
Hypothesis curvature : forall p, In p ps ->
  smooth sigma b c (h * (factor n T S (left_of p) + 1 + (factor n T S (right_of p) + 1))) (K p).
Hypothesis near_by : forall l k, (l < count)%nat ->
  free_reads n T tensor S C unit_error l k <= 1.

Theorem theorem3_mlp_entries t i d u k :
  (length (str t) <= T)%nat -> low t -> node t i d u -> (k < n)%nat ->
  Rabs (tree_network n T count leaf tensor sigma C b h s (str t) i k - mu n leaf tensor u k)
  <= free_errors n T tensor S C unit_error count k.
Proof.
  intros Hl Ht Hn Hk. unfold tree_network. rewrite <- free_is_fixed, shared_free_same. unfold run_free_mlp.
  rewrite (with_products_is n T leaf tensor C (block_by tensor (four_units sigma b h s) ps)); [|exact Hk|].
  - apply (errors_at_nodes n T leaf tensor S C C_pos states) with (d := d); auto.
    intros l Hlt p x y Hp Hx Hy.
    pose proof (near_by l (left_of p) Hlt). pose proof (near_by l (right_of p) Hlt).
    apply (four_units_rate sigma b c _ (K p) h s _ _ (curvature p Hp) h_pos (Rle_refl _)); lra.
  - intro x. apply functional_extensionality. intro q. apply network_is.
Qed.

Theorem theorem3_mlp_rate eps :
  sqrt (sum n (fun k => free_errors n T tensor S C unit_error count k ^ 2)) < eps ->
  approximately_simulates_trees n T leaf tensor low eps
    (tree_network n T count leaf tensor sigma C b h s).
Proof. apply entries_simulate. exact theorem3_mlp_entries. Qed.
End Rates.
