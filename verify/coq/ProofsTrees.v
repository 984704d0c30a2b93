(** * The proofs of Main.v on trees

    Each theorem is restated in Main.v, where its comment is.

    Main theorems: [theorem3_exact], [theorem3], [corollary1], [encoder_leaves], [encoder_length],
                   [encoder_decides]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Compat Sums Theorem1 Softmax Trees Theorem3 Activation Simulation TreeSimulation.
From Assay Require Import Pass Fits FitsTrees FitsLogDepth.
From Assay Require TreeModel.
From Assay Require TreeLayers FreeStates FreeLayers FreeMLP Corollary1 Pebbling.
From Assay Require CleanTreeModel CleanTreeStatements PassTrees.
From Assay Require LogDepthEncoder LogDepthEncoderSum LogDepthEncoderShort LogDepthEncoderStatements.
Import TreeModel(Hard, Soft, Everywhere).
Import ListNotations.
Open Scope R_scope.

(** [Main.run_on_tree], written out. *)
Local Notation run_on_tree m token := (fun w => Pass.forward (length w) m (fun r => token (nth_error w r) r)).

(** ** Theorem 3 and Corollary 1 *)

Theorem theorem3_exact {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor T : (1 <= T)%nat ->
  exists depth m token, (depth < T)%nat /\
    fits (Sizes depth (2 * n + 8) 3 (2 * n + 8) (4 * n + 12) (2 * (4 * n + 12)) n) Bilinears m /\
    consists Hard Everywhere false m /\ given_once m /\
    simulates_trees n T leaf tensor (fun _ => True) (run_on_tree m token).
Proof.
  intro HT. destruct (clean_products_fit n (2 * TreeLayers.tallest T) tensor) as (F & K & G).
  eexists. eexists. exists (CleanTreeModel.clean_tokens n leaf).
  split; [exact (FreeLayers.tallest_layers T HT)|]. split; [exact F|]. split; [exact K|].
  split; [exact G|]. intros t i d u Ht P Hnode k Hk.
  rewrite <- (CleanTreeStatements.theorem3_clean_exact n leaf tensor T t i d u Ht P Hnode k Hk).
  symmetry. now apply CleanTreeStatements.clean_run_pass.
Qed.

Section Theorem3.
Context {Sigma : Type} (n T : nat) (letters : list Sigma) (sigma : R -> R).
Hypothesis n_1 : (1 <= n)%nat.
Hypothesis T_1 : (1 <= T)%nat.
Hypothesis letters_all : forall a, In a letters.
Hypothesis sigma_usable : usable sigma.

Local Notation tree_transformer depth m :=
  (fits (Sizes depth (2 * n + 8) 3 (2 * n + 8) (4 * n + 12) (4 * (2 * n ^ 3 + 3 * n + 20)) n) (MLPs sigma) m /\
   consists Soft Everywhere false m /\ given_once m).

Theorem theorem3 (leaf : Sigma -> nat -> R) tensor eps : 0 < eps ->
  (exists depth m token, (depth < T)%nat /\ tree_transformer depth m /\
     approximately_simulates_trees n T leaf tensor (fun _ => True) eps (run_on_tree m token)) /\
  (forall k, exists m token, tree_transformer (2 * (k * Nat.log2_up T)) m /\
     approximately_simulates_trees n T leaf tensor (fun t => (Trees.height t <= k * Nat.log2_up T)%nat) eps
       (run_on_tree m token)).
Proof.
  intro He. destruct (CleanTreeStatements.theorem3_clean n leaf tensor letters T sigma n_1 T_1
    letters_all sigma_usable eps He) as [(C & b & h & s & Hl & H) Hk].
  assert (G : forall depth C b h s P,
    approximately_simulates_trees n T leaf tensor P eps
      (CleanTreeStatements.clean_network n depth leaf tensor sigma C b h s) ->
    exists m token, tree_transformer depth m /\
      approximately_simulates_trees n T leaf tensor P eps (run_on_tree m token)).
  { clear. intros depth C b h s P H. eexists. exists (CleanTreeModel.clean_tokens n leaf).
    split; [apply (clean_units_fit n depth tensor C sigma b h s)|].
    intros t i d u Ht HP Hnode. eapply Rle_lt_trans; [|exact (H t i d u Ht HP Hnode)].
    apply Req_le. f_equal. apply sum_ext. intros k Hk.
    now rewrite (CleanTreeStatements.clean_pass n depth leaf tensor sigma C b h s (str t) i k Hk). }
  split.
  - destruct (G _ C b h s _ H) as (m & token & HG). now exists (2 * TreeLayers.tallest T)%nat, m, token.
  - intro k. destruct (Hk k) as (C' & b' & h' & s' & H'). exact (G _ C' b' h' s' _ H').
Qed.

Theorem corollary1 (initial : Sigma -> nat -> bool) delta :
  (exists depth m token, (depth < T)%nat /\ tree_transformer depth m /\
     forall (t : tree Sigma) i d u, (length (str t) <= T)%nat -> node t i d u ->
       Corollary1.decides n initial delta u (run_on_tree m token (str t) i)) /\
  (forall k, exists m token, tree_transformer (2 * (k * Nat.log2_up T)) m /\
     forall (t : tree Sigma) i d u, (length (str t) <= T)%nat ->
       (Trees.height t <= k * Nat.log2_up T)%nat -> node t i d u ->
       Corollary1.decides n initial delta u (run_on_tree m token (str t) i)).
Proof.
  destruct (theorem3 (Corollary1.leaf_of initial) (Corollary1.tensor_of delta) (1 / 2) ltac:(lra))
    as [(depth & m & token & Hl & HF & H) Hk]. split.
  - exists depth, m, token. split; [exact Hl|]. split; [exact HF|].
    intros t i d u Ht Hnode. now apply Corollary1.half_decides, (H t i d u).
  - intro k. destruct (Hk k) as (m' & token' & HF' & H'). exists m', token'. split; [exact HF'|].
    intros t i d u Ht Hh Hnode. now apply Corollary1.half_decides, (H' t i d u).
Qed.
End Theorem3.

(** ** Trees of any shape in logarithmic depth: the question of Section 4.2 *)

Section LogDepth.
Context {Sigma : Type} (n : nat) (letters : list Sigma) (sigma : R -> R).
Hypothesis letters_all : forall a, In a letters.
Hypothesis sigma_usable : usable sigma.

Local Notation log_transformer depth m :=
  (fits (Sizes depth (n ^ 2 + n + 12) 4 (n ^ 2 + n + 12) (4 * (n ^ 2 + n + 12))
           (4 * (10 * n ^ 3 + 6 * n ^ 2 + n + 108)) n) (MLPs sigma) m /\
   consists Soft Everywhere false m /\ given_once m).

Theorem encoder_leaves (leaf : Sigma -> nat -> R) tensor N rho eps : (1 <= N)%nat ->
  0 < rho -> rho ^ 3 = rho + 1 -> 0 < eps ->
  exists steps m token, rho ^ steps <= (INR N + 1) / 2 /\ log_transformer (2 + steps) m /\
    forall t i e u, (Pebbling.leaves t <= N)%nat -> node t i e u ->
      sqrt (sum n (fun k => (run_on_tree m token (str t) i k - mu n leaf tensor u k) ^ 2)) < eps.
Proof.
  intros HN Hr H3 He. destruct (LogDepthEncoderShort.short_encoder_trees n leaf tensor letters N sigma rho HN
    letters_all sigma_usable Hr H3 eps He) as (steps & base & sink & A & C & b & h & s & Hs & _ & H).
  eexists steps, _, (LogDepthEncoderSum.short_tokens n (3 * N) base sink leaf). split; [exact Hs|].
  split; [apply (short_model_fits n (3 * N) A steps (LogDepthEncoder.signed n tensor) C sigma b h s)|].
  intros t i e u Ht Hnode. eapply Rle_lt_trans; [|exact (H t i e u Ht Hnode)].
  apply Req_le. f_equal. apply sum_ext. intros k Hk. now rewrite LogDepthEncoderShort.short_pass.
Qed.

Theorem encoder_length (leaf : Sigma -> nat -> R) tensor T eps : (1 <= T)%nat -> 0 < eps ->
  exists depth m token, (depth <= 3 * Nat.log2_up T + 4)%nat /\ log_transformer depth m /\
    approximately_simulates_trees n T leaf tensor (fun _ => True) eps (run_on_tree m token).
Proof.
  intros HT He. destruct (LogDepthEncoderShort.short_encoder_all n leaf tensor letters T sigma HT
    letters_all sigma_usable eps He) as (depth & steps & base & sink & A & C & b & h & s & Hd & [Hl _] & H).
  rewrite (proj1 (LogDepthEncoderShort.short_sizes_are n T A steps tensor h s)) in Hl. subst depth.
  eexists _, _, (LogDepthEncoderSum.short_tokens n T base sink leaf). split; [exact Hd|].
  split; [apply (short_model_fits n T A steps (LogDepthEncoder.signed n tensor) C sigma b h s)|].
  intros t i e u Ht HP Hnode. eapply Rle_lt_trans; [|exact (H t i e u Ht HP Hnode)].
  apply Req_le. f_equal. apply sum_ext. intros k Hk. now rewrite LogDepthEncoderShort.short_pass.
Qed.

Theorem encoder_decides (initial : Sigma -> nat -> bool) delta T : (1 <= T)%nat ->
  exists depth m token, (depth <= 3 * Nat.log2_up T + 4)%nat /\ log_transformer depth m /\
    forall (t : tree Sigma) i d u, (length (str t) <= T)%nat -> node t i d u ->
      Corollary1.decides n initial delta u (run_on_tree m token (str t) i).
Proof.
  intro HT. destruct (encoder_length (Corollary1.leaf_of initial) (Corollary1.tensor_of delta) T (1 / 2) HT
    ltac:(lra)) as (depth & m & token & Hd & HF & H).
  exists depth, m, token. split; [exact Hd|]. split; [exact HF|].
  intros t i d u Ht Hnode. now apply Corollary1.half_decides, (H t i d u).
Qed.
End LogDepth.
