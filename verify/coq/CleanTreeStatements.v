(** * Theorem 3 with nothing but the tree's string

    Section 4.2. There is one transformer, whose numbers and hidden units are chosen before the tree,
    that simulates the automaton at length T in the sense of Definition 4.2 (TreeSimulation.v) on the
    tokens of str(t) alone: no mask, no end token, no coordinate given anew after a layer. Exactly
    with hard attention and exact products ([theorem3_clean_exact]), and up to every eps > 0 with
    softmax and MLPs ([theorem3_clean]): fewer than T layers for all trees, 2 k log T layers for the trees
    of height at most k log T. With their sizes, as one would cite them, and
    for tree automata: Main.v.

    Where we differ from the print: the construction is another one (CleanTreeModel.v); positions are
    (i, i^2); log T is rounded up; the activation is named.

    Main definition:  [clean_network].
    Main theorems:    [theorem3_clean_exact], [theorem3_clean_closed], [theorem3_clean], [clean_pass]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Compat Sums Trees Theorem3 Activation.
From Assay Require Import TreeModel TreeBlocks TreeLayers TreeContinuity TreeMLP.
From Assay Require Import FreeModel FreeBlocks FreeStates FreeLayers TreeSimulation Corollary1.
From Assay Require Import Spectral TreeRecursion TreeSoft TreeTargets SoftStep FourUnits.
From Assay Require Import CleanTreeModel CleanTreeLayers CleanTreeSoft.
From Assay Require Pass PassTrees.
Import ListNotations.
Open Scope R_scope.

(** ** The model as a forward pass with fixed numbers *)

Section Fixed.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R)
  (C : R) (t : tree Sigma).

Lemma clean_treeless mode : Forall treeless_head (heads (clean_layer n mode)).
Proof.
  assert (S0 : forall z, treeless (scale mode z)) by (intro z; destruct mode; exact Logic.I).
  cbn [heads clean_layer]. unfold clean_left, clean_right, clean_own, scored.
  repeat constructor; cbn; auto; apply S0.
Qed.

(** A pass with any block B, as steps that are repeated. *)
Lemma run_clean_steps mode (B : (nat -> R) -> nat -> R) blocks count r k : (k < n)%nat ->
  (forall x, blocks (clean_layer n mode) x = B x) ->
  run_clean (fixed tensor C) (clean_model n mode count) blocks (clean_tokens n leaf) (str t) r k
  = Nat.iter count (fun X r => B (joined (value leaf tensor C (tl (str t))) (rows (tl (str t)))
                                    (heads (clean_layer n mode)) X r)) (clean_start n leaf t) r k.
Proof.
  intros Hk HB. unfold run_clean. rewrite <- rows_string.
  rewrite <- (forward_fixed leaf tensor C (tl (str t)) _ blocks) by
    (intros ly H; apply repeat_spec in H as ->; split; [apply clean_treeless|reflexivity]).
  unfold forward_with. cbn [readout clean_model layers renewed]. rewrite seq_nth by auto.
  rewrite Nat.add_0_l, fold_left_repeat. fold (clean_start n leaf t).
  match goal with |- Nat.iter _ ?f _ _ _ = Nat.iter _ ?g _ _ _ => assert (H : f = g); [|now rewrite H] end.
  apply functional_extensionality. intro X. apply functional_extensionality. intro q.
  apply functional_extensionality. intro c. unfold run_with. cbn [existsb]. now rewrite HB.
Qed.
End Fixed.

(** Exact, with hard attention: one model for all trees with |str(t)| <= T. *)
Theorem theorem3_clean_exact {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor T :
  simulates_trees n T leaf tensor (fun _ => True)
    (run_clean (fixed tensor 1) (clean_model n Hard (2 * tallest T))
       (fun ly => block (fixed tensor 1) (products ly)) (clean_tokens n leaf)).
Proof.
  intros t i d u Ht _ Hn k Hk.
  rewrite (run_clean_steps n leaf tensor 1 t Hard
    (block (value leaf tensor 1 (tl (str t))) (clean_products n)))
    by (auto; intro; apply block_fixed, clean_plain).
  apply (clean_states n leaf tensor 1 t (2 * tallest T) i d u k); auto.
  pose proof (rank_height t). pose proof (tallest_bound t T Ht). lia.
Qed.

(** ** Theorem 3 *)

(** The model with softmax, and four hidden units for every product. *)
Definition clean_network {Sigma : Type} n depth (leaf : Sigma -> nat -> R) tensor sigma
    (C b h s : R) : list (symbol Sigma) -> mat :=
  run_clean (fixed tensor C) (clean_model n Soft depth)
    (fun ly => run_network sigma b (network tensor h s (products ly))) (clean_tokens n leaf).

Lemma clean_width tensor n h s :
  length (network tensor h s (clean_products n)) = (4 * (2 * n ^ 3 + 3 * n + 20))%nat.
Proof.
  rewrite width_of_network. unfold clean_products, clean_copies, clean_rest.
  rewrite !app_length, !map_length, !seq_length. cbn [length].
  unfold free_tensor, vector_tensor. rewrite !(flat_map_length _ (n * n)%nat), seq_length; [simpl; lia| |];
    intro a; rewrite (flat_map_length _ n), seq_length; auto; intro a'; now rewrite map_length, seq_length.
Qed.

(** Any blocks that are right up to e; S bounds the states of all trees with |str(t)| <= T. *)
Lemma clean_network_close {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor T S height sigma b h s e eps C :
  let K := size_bound T S in
  0 <= S -> (forall t : tree Sigma, (length (str t) <= T)%nat -> length2 n (mu n leaf tensor t) <= S) ->
  0 < eps <= 1 / 2 -> 0 <= C -> 0 <= e ->
  computes tensor (K + 1) e (run_network sigma b (network tensor h s (clean_products n))) (clean_products n) ->
  (e + leak K T C) * clean_margin n tensor T S (2 * height) eps <= 1 ->
  approximately_simulates_trees n T leaf tensor (fun t => (Trees.height t <= height)%nat) eps
    (clean_network n (2 * height) leaf tensor sigma C b h s).
Proof.
  intros K HS HB He HC He0 HE Hm t i d u Ht Hh Hnode. unfold clean_network.
  rewrite (sum_ext n _ _ (fun k Hk => f_equal (fun x => (x - mu n leaf tensor u k) ^ 2)
    (run_clean_steps n leaf tensor C t Soft (run_network sigma b (network tensor h s (clean_products n)))
       (fun ly => run_network sigma b (network tensor h s (products ly))) (2 * height) i k Hk (fun x => eq_refl)))).
  apply (clean_close n leaf tensor T S HS HB (2 * height) C _ e eps He HC He0 HE Hm t i d u); auto.
  pose proof (rank_height t). lia.
Qed.

(** Theorem 3 with every C and h from a closed form on: e^(C/2) is at least 4 K T times a margin that is
    exponential in the number of layers, and products miss by little enough. *)
Theorem theorem3_clean_closed {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor T S height sigma b c r M h eps C :
  let K := size_bound T S in let m := clean_margin n tensor T S (2 * height) eps in
  0 <= S -> (forall t : tree Sigma, (length (str t) <= T)%nat -> length2 n (mu n leaf tensor t) <= S) ->
  0 < eps <= 1 / 2 -> 0 <= C -> 4 * K * INR T * m <= exp (C / 2) ->
  smooth sigma b c r M -> c <> 0 -> 0 < h -> 2 * h * (K + 1) <= r ->
  M * (K + 1) ^ 4 * h ^ 2 / (3 * Rabs c) * (psize tensor (clean_products n) * m) <= 1 / 2 ->
  approximately_simulates_trees n T leaf tensor (fun t => (Trees.height t <= height)%nat) eps
    (clean_network n (2 * height) leaf tensor sigma C b h (/ (4 * h ^ 2 * c))).
Proof.
  intros K m HS HB He HC0 HC Hsm Hc Hh Hr Hfine. pose proof (K_pos T S HS) as HK. fold K in HK.
  pose proof (four_units_matched sigma b c r M h (K + 1) Hsm Hc Hh Hr) as Hunits.
  set (q := M * (K + 1) ^ 4 * h ^ 2 / (3 * Rabs c)) in *.
  assert (Hq : 0 <= q) by (eapply Rle_trans; [apply Rabs_pos|apply (Hunits 0 0); rewrite Rabs_R0; lra]).
  apply (clean_network_close n leaf tensor T S height sigma b h _ (psize tensor (clean_products n) * q) eps C); auto.
  - apply Rmult_le_pos; [apply psize_pos|exact Hq].
  - now apply network_off.
  - apply leak_below in HC. fold K m. rewrite <- Rmult_assoc, (Rmult_comm q) in Hfine. lra.
Qed.

(** Theorem 3 for an activation that is curved somewhere: for every WTA with n >= 1 states over
    finitely many letters, every T >= 1 and eps > 0 there is a transformer without masks, of the
    printed orders, on the tokens of str(t) alone and with nothing given anew, that is within eps at
    every position of I_t of every tree with |str(t)| <= T and has fewer than T layers; and for every
    k there is one for the trees of height at most k log T with 2 k log T layers. *)
Theorem theorem3_clean {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor
    (letters : list Sigma) T sigma :
  (1 <= n)%nat -> (1 <= T)%nat -> (forall a, In a letters) -> usable sigma ->
  forall eps, 0 < eps ->
  (exists C b h s,
     let depth := (2 * tallest T)%nat in
     (depth < T)%nat /\
     approximately_simulates_trees n T leaf tensor (fun _ => True) eps
       (clean_network n depth leaf tensor sigma C b h s)) /\
  (forall k, exists C b h s,
     let depth := (2 * (k * Nat.log2_up T))%nat in
     approximately_simulates_trees n T leaf tensor
       (fun t => (Trees.height t <= k * Nat.log2_up T)%nat) eps
       (clean_network n depth leaf tensor sigma C b h s)).
Proof.
  intros Hn HT Hall (b & c & Hc & Hc0) eps0 He0. set (eps := Rmin eps0 (1 / 2)).
  assert (He : 0 < eps <= 1 / 2) by (split; [apply Rmin_glb_lt; lra|apply Rmin_r]).
  destruct (states_bounded n leaf tensor (length2 n) (frobenius n tensor) letters T (euclidean n)
    (sqrt_pos _) (frobenius_bound n tensor) Hall) as (S & HS & HB). pose proof (K_pos T S HS) as HK.
  assert (G : forall height, exists C h s,
    approximately_simulates_trees n T leaf tensor (fun t => (Trees.height t <= height)%nat) eps0
      (clean_network n (2 * height) leaf tensor sigma C b h s)).
  { intro height.
    destruct (enough (size_bound T S) T (clean_margin n tensor T S (2 * height) eps) HK)
      as (C & eta & HC & Heta & Hm).
    destruct (network_computes tensor sigma b c (size_bound T S + 1) (clean_products n) Hc Hc0 ltac:(lra) eta Heta)
      as (h & Hh & HN).
    exists C, h, (/ (4 * h ^ 2 * c)). intros t i d u Ht Hheight Hnode.
    apply Rlt_le_trans with eps; [|apply Rmin_l]. revert t i d u Ht Hheight Hnode.
    apply (clean_network_close n leaf tensor T S height sigma b h _ eta eps C); auto; [lra|apply HN; lra|].
    apply Hm. lra. }
  split.
  - destruct (G (tallest T)) as (C & h & s & H). exists C, b, h, s.
    split; [now apply tallest_layers|].
    intros t i d u Ht _. apply H; auto. now apply tallest_bound.
  - intro k. destruct (G (k * Nat.log2_up T)%nat) as (C & h & s & H). exists C, b, h, s.
    exact H.
Qed.

(** ** The model in the one forward pass *)

Lemma clean_fits n mode count : PassTrees.fits (clean_dimension n) (clean_model n mode count).
Proof.
  assert (Q : forall c, (c < n + 8)%nat -> (c < clean_dimension n)%nat)
    by (unfold clean_dimension; lia).
  assert (P : Forall (fun c => (c < clean_dimension n)%nat) (passed n)).
  { apply Forall_app. split; [apply PassTrees.below_all; unfold clean_dimension; lia|].
    repeat constructor; apply Q; clean_coordinates; lia. }
  split; [|apply PassTrees.below_all; unfold clean_dimension; lia].
  intros ly H. cbn in H. apply repeat_spec in H as ->. cbn [heads clean_layer].
  repeat apply Forall_cons; [| | |constructor]; (split; [|split; [|split; [reflexivity|]]]);
    cbn [clean_left clean_right clean_own scored queries keys reads]; try exact P.
  all: try (apply PassTrees.below_all; lia).
  all: cbn; repeat constructor; cbn [fst]; apply Q; clean_coordinates; lia.
Qed.

(** Attention, products and readout as matrices, no residual connections, nothing given anew. *)
Theorem clean_run_pass {Sigma : Type} n mode depth number blocks
    (token : option (symbol Sigma) -> nat -> nat -> R) w r k : (k < n)%nat ->
  run_clean number (clean_model n mode depth) blocks token w r k
  = Pass.forward (length w)
      (PassTrees.model_of_tree (clean_dimension n) number blocks (clean_model n mode depth))
      (fun r => token (nth_error w r) r) r k.
Proof.
  intro Hk. apply PassTrees.any_pass; [apply clean_fits|]. cbn [readout clean_model]. now rewrite seq_length.
Qed.

Theorem clean_pass {Sigma : Type} n depth (leaf : Sigma -> nat -> R) tensor sigma C b h s w r k :
  (k < n)%nat -> clean_network n depth leaf tensor sigma C b h s w r k
  = Pass.forward (length w)
      (PassTrees.model_of_tree (clean_dimension n) (fixed tensor C)
         (fun ly => run_network sigma b (network tensor h s (products ly)))
         (clean_model n Soft depth))
      (fun r => clean_tokens n leaf (nth_error w r) r) r k.
Proof. apply clean_run_pass. Qed.
