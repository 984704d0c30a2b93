(** * The theorems on concrete automata

    A theorem that is vacuous, or that gains a hypothesis nobody notices, is of no use. Here the main
    theorems are applied to automata that are written out, and what they say is used: a number comes out,
    or an output lies above a threshold. Nothing else depends on this file.

    The automata: the one that counts the letter [true] (Section 5), one state with weights 1 and -1 over
    sequences, one state with leaves 1 and 2 over trees, and the tree automaton that accepts trees with
    some leaf [true].

    Main definitions: [alpha], [count], [sign], [leaf], [ones], [initial], [delta].
    Main theorems:    one example for each theorem named in it. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool Ring.
From Assay Require Import Sums Model Attention Theorem1 Lemma1 Scan Softmax Recursion Spectral Theorem2.
From Assay Require Import Activation FourUnits InUse MLP MLPModel Theorem2MLP Rates Simulation.
From Assay Require Import Statements Theorem2Rates NoPadsStatement.
From Assay Require Trees Theorem3 TreeModel TreeLayers TreeMLP FreeModel FreeLayers FreeMLP.
From Assay Require Pass PassTrees.
From Assay Require Differences Theorem4 SharedUnits TreeSimulation TreeStatements Corollary1 TreeRates.
From Assay Require TreeSizes TreeClosed Combs CleanTreeModel CleanTreeStatements.
From Assay Require CleanWordsSoft CleanWordsEntries TreeTargets TreeSoft TreeRecursion TreeContinuity CleanTreeSoft.
From Assay Require ReluSpan ReluTransformers Main.
Import ListNotations.
Open Scope R_scope.

(** ** The counting automaton *)

Definition alpha (i : nat) : R := match i with 1%nat => 1 | _ => 0 end.
Definition count (b : bool) : mat := fun i j =>
  match i, j with
  | 0%nat, 0%nat => 1
  | 1%nat, 1%nat => 1
  | 1%nat, 0%nat => if b then 1 else 0
  | _, _ => 0
  end.
Definition word : list bool := [true; false; true].
Definition endless (t : nat) : bool := match t with 2%nat => false | _ => true end.

Lemma both (b : bool) : In b [true; false].
Proof. destruct b; simpl; auto. Qed.

Lemma two_are_counted : state 2 alpha (fun t => count (endless t)) 3%nat 0%nat = 2.
Proof. cbn [state sum]. unfold alpha, count, endless. cbn. ring. Qed.

Lemma two_in_word : states 2 alpha count word 3%nat 0%nat = 2.
Proof.
  rewrite states_are_products by (simpl; lia). cbn. unfold mmul, alpha, count, I. cbn. ring.
Qed.

(** A small Frobenius norm keeps every entry near. *)
Lemma near_entry k n (D : mat) e t j : (t < k)%nat -> (j < n)%nat ->
  sqrt (sum k (fun t => sum n (fun j => D t j ^ 2))) < e -> Rabs (D t j) < e.
Proof.
  intros Ht Hj H. eapply Rle_lt_trans; [|exact H]. rewrite <- sqrt_Rsqr_abs. apply sqrt_le_1_alt.
  unfold Rsqr. rewrite (sum_split k _ t Ht), (sum_split n _ j Hj).
  assert (0 <= sum n (fun p => if (p =? j)%nat then 0 else D t p ^ 2)).
  { apply sum_nonneg. intros p _. destruct (p =? j)%nat; [lra|apply pow2_ge_0]. }
  assert (0 <= sum k (fun p => if (p =? t)%nat then 0 else sum n (fun j => D p j ^ 2))).
  { apply sum_nonneg. intros p _. destruct (p =? t)%nat; [lra|].
    apply sum_nonneg. intros. apply pow2_ge_0. }
  replace (D t j * D t j) with (D t j ^ 2) by ring. lra.
Qed.

Lemma above k n (f g : mat) t j a : (t < k)%nat -> (j < n)%nat -> g t j = a ->
  sqrt (sum k (fun t => sum n (fun j => (f t j - g t j) ^ 2))) < 1 / 2 ->
  forall low high, low = a - 1 / 2 -> high = a + 1 / 2 -> low < f t j < high.
Proof.
  intros Ht Hj E H low high -> ->. apply (near_entry k n (fun t j => f t j - g t j) _ t j Ht Hj) in H.
  rewrite E in H. apply Rabs_def2 in H. lra.
Qed.

Example theorem1_counts : simulator 2 2 alpha count endless (3 + 2 ^ 2 - 1)%nat 0%nat = 2.
Proof. rewrite theorem1 by (simpl; lia). exact two_are_counted. Qed.

Example theorem1_any_length_counts : simulator 2 (Nat.log2_up 3) alpha count endless
  (3 + 2 ^ Nat.log2_up 3 - 1)%nat 0%nat = 2.
Proof. rewrite (theorem1_any_length bool 2 alpha count endless 3) by lia. exact two_are_counted. Qed.

Example theorem1_restated_counts : simulator 2 (Nat.log2_up 3) alpha count endless
  (3 + 2 ^ Nat.log2_up 3 - 1)%nat 0%nat = 2.
Proof.
  destruct (theorem1_restated bool 2 3 alpha count ltac:(lia)) as (_ & _ & _ & H).
  rewrite H by lia. exact two_are_counted.
Qed.

(** The same model in the one forward pass. *)
Example words_pass_counts : Pass.forward (N 2)
  (Pass.model_of TreeModel.Hard (fun x => x) (Pass.angles 2)
     (network_of alpha 1 (construction 2 2 (fun w => w))))
  (tokens_of 2 2 count word) (3 + 2 ^ 2 - 1)%nat 0%nat = 2.
Proof.
  rewrite <- (Pass.words_pass 2 2 count alpha 1 (fun w => w) TreeModel.Hard hard (fun x => x) word 3%nat
    (Pass.hard_everywhere (N 2))).
  etransitivity; [symmetry; exact (hard_answers 2 3 alpha count word 3%nat 0%nat)|].
  rewrite (theorem1_any_length _ 2 alpha (padded count) _ 3) by lia. exact two_in_word.
Qed.

Example theorem2_counts : exists C, let y :=
  soft_simulator 2 (Nat.log2_up 3) alpha count C endless (3 + 2 ^ Nat.log2_up 3 - 1)%nat 0%nat in
  3 / 2 < y < 5 / 2.
Proof.
  destruct (theorem2 2 3 alpha count [true; false] ltac:(lia) both (1 / 2) ltac:(lra)) as (C & H).
  exists C. cbv zeta. specialize (H C (Rle_refl C) endless).
  apply (above 4 2 _ _ 3%nat 0%nat 2 ltac:(lia) ltac:(lia) two_are_counted H); lra.
Qed.

Example theorem2_mlp_counts c : curved tanh (1 / 2) c -> c <> 0 -> exists C h, let y :=
  mlp_simulator 2 (Nat.log2_up 3) 0 alpha count C tanh (1 / 2) h (/ (4 * h ^ 2 * c)) endless
    (3 + 2 ^ Nat.log2_up 3 - 1)%nat 0%nat in 3 / 2 < y < 5 / 2.
Proof.
  intros Hc Hc0.
  destruct (theorem2_mlp 2 3 0 alpha count [true; false] tanh (1 / 2) c ltac:(lia) both Hc Hc0 (1 / 2)
    ltac:(lra)) as (C & h & tau & HC & Hh & Ht & H).
  exists C, h. cbv zeta. specialize (H C h (/ (4 * h ^ 2 * c)) (Rle_refl C) ltac:(lra)).
  rewrite Rinv_r, Rminus_diag_eq, Rabs_R0 in H by (try reflexivity; now apply scale_nonzero).
  specialize (H ltac:(lra) endless).
  apply (above 4 2 _ _ 3%nat 0%nat 2 ltac:(lia) ltac:(lia) two_are_counted H); lra.
Qed.

Example theorem2_whole_counts : exists C b h s, let y :=
  mlp_simulator 2 (Nat.log2_up 3) 0 alpha count C tanh b h s endless (3 + 2 ^ Nat.log2_up 3 - 1)%nat 0%nat in
  3 / 2 < y < 5 / 2.
Proof.
  destruct (theorem2_whole 2 3 32 alpha count [true; false] tanh ltac:(lia) ltac:(simpl; lia) both
    (in_use_usable tanh Tanh)) as [_ H].
  destruct (H (1 / 2) ltac:(lra)) as (C & b & h & s & G). exists C, b, h, s. cbv zeta.
  specialize (G endless). apply (above 4 2 _ _ 3%nat 0%nat 2 ltac:(lia) ltac:(lia) two_are_counted G); lra.
Qed.

(** ** Explicit constants: one state, weights 1 and -1 *)

Definition sign (b : bool) : mat := fun _ _ => if b then 1 else -1.
Definition once (i : nat) : R := 1.

Lemma sign_product w : Rabs (word_product 1 sign w 0%nat 0%nat) = 1.
Proof.
  induction w as [|b w IH]; cbn; [apply Rabs_R1|]. fold (word_product 1 sign w).
  rewrite Rplus_0_l, Rabs_mult, IH. unfold sign. destruct b; [rewrite Rabs_R1|rewrite Rabs_left by lra]; lra.
Qed.

Lemma sign_norm (l : nat) w : (length w <= 2 ^ l)%nat -> spectral 1 (word_product 1 sign w) <= 1.
Proof. intros _. destruct (spectral_1 (word_product 1 sign w)) as [-> _]. rewrite sign_product. lra. Qed.

Lemma sign_distance (l : nat) u v : (length u <= 2 ^ l)%nat -> (length v <= 2 ^ l)%nat ->
  spectral 1 (mminus (word_product 1 sign u) (word_product 1 sign v)) <= 2.
Proof.
  intros _ _. destruct (spectral_1 (mminus (word_product 1 sign u) (word_product 1 sign v))) as [-> _].
  unfold mminus. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp, !sign_product. lra.
Qed.

Lemma two_signs : states 1 once sign [false; false] 2%nat 0%nat = 1.
Proof.
  rewrite states_are_products by (simpl; lia). cbn. unfold mmul, once, sign, I. cbn. ring.
Qed.

Example theorem2_rate_closed_signs : exists C,
  let y := answers softmax tanh 1 1 sign (network_of once C (construction 1 1 RootC)) [false; false] 2%nat 0%nat in
  1 / 2 < y < 3 / 2.
Proof.
  set (m := Rmax 1 (length2 1 once * sqrt (INR 3) / (1 / 2))).
  assert (Hm : 0 <= m) by (pose proof (Rmax_l 1 (length2 1 once * sqrt (INR 3) / (1 / 2))); unfold m; lra).
  eexists. cbv zeta.
  pose proof (theorem2_rate_closed 1 2 once sign ltac:(lia) (fun _ => 1) (fun _ => 2) sign_norm
    sign_distance (fun _ => Rle_refl 1) tanh (1 / 2) _ ltac:(lra)
    (enough_exists 1 2 sign ltac:(lia) (fun _ => 1) (fun _ => 2) sign_distance (fun _ => Rle_refl 1) m Hm)
    [false; false] eq_refl) as H.
  apply (above 3 1 _ _ 2%nat 0%nat 1 ltac:(lia) ltac:(lia) two_signs H); lra.
Qed.

Lemma exp_smooth : smooth exp 0 1 1 (exp 1).
Proof.
  exists exp, exp, exp, exp. split; [apply exp_0|]. intros x Hx.
  repeat split; try apply derivable_pt_lim_exp. rewrite Rabs_pos_eq by (left; apply exp_pos).
  rewrite Rminus_0_r in Hx. apply abs_between in Hx.
  apply exp_le. lra.
Qed.

Lemma sign_entries w i j : (length w <= 2)%nat -> (i < 1)%nat -> (j < 1)%nat ->
  Rabs (word_product 1 sign w i j) <= 1.
Proof.
  intros _ Hi Hj. assert (Ei : i = 0%nat) by lia. assert (Ej : j = 0%nat) by lia. subst. rewrite sign_product. lra.
Qed.

Example theorem2_clean_closed_signs : exists C h, let y :=
  CleanWordsSoft.word_network 1 (Nat.log2_up 2) once sign exp C 0 h (/ (4 * h ^ 2 * 1)) [false; false] 2%nat 0%nat in
  1 / 2 < y < 3 / 2.
Proof.
  set (m := CleanWordsSoft.word_growth 1 2 1 ^ Nat.log2_up 2 * CleanWordsSoft.word_margin 1 2 once (1 / 2)).
  assert (HK : 0 < TreeTargets.size_bound 2 1 + 1) by (unfold TreeTargets.size_bound; cbn; lra).
  destruct (constant_exists (4 * TreeTargets.size_bound 2 1 * INR 2 * m)) as (C & HC).
  destruct (step_exists _ 1 (exp 1) 1 ((INR 1 ^ 3 + 3) * m) HK Rlt_0_1 R1_neq_R0) as (h & Hh & Hr & Hf).
  exists C, h. cbv zeta. pose proof (CleanWordsSoft.theorem2_clean_closed 1 2 once sign 1 exp 0 1 1 (exp 1) h (1 / 2) C
    ltac:(lia) ltac:(lra) sign_entries ltac:(lra) HC exp_smooth R1_neq_R0 Hh Hr Hf [false; false] eq_refl) as H.
  apply (above 3 1 _ _ 2%nat 0%nat 1 ltac:(lia) ltac:(lia) two_signs H); lra.
Qed.

(** Some step is small enough for the closed form, and so the bound holds at an explicit C. *)
Example theorem2_mlp_closed_signs : exists C h,
  let y := answers softmax exp 1 1 sign
             (mlp_network_of once C 0 h (/ (4 * h ^ 2 * 1)) (soft_model 1 1 0)) [false; false] 2%nat 0%nat in
  1 / 2 < y < 3 / 2.
Proof.
  set (m := Rmax 1 (length2 1 once * sqrt (INR 3) / (1 / 2))).
  assert (Hm : 1 <= m) by apply Rmax_l. pose proof (exp_pos 1) as He.
  set (K := 32 * exp 1 * m).
  assert (HK : 0 < K) by (unfold K; nra). set (h := / (4 + K)).
  assert (Hh : 0 < h) by (apply Rinv_0_lt_compat; lra).
  assert (Hh4 : h * (4 + K) = 1) by (unfold h; apply Rinv_l; lra).
  eexists. exists h. cbv zeta.
  pose proof (theorem2_mlp_closed 1 2 once sign ltac:(lia) (fun _ => 1) (fun _ => 2) sign_norm
    sign_distance (fun _ => Rle_refl 1) 0 exp 0 1 1 (exp 1) 2 h (1 / 2)
    _ exp_smooth ltac:(lra) ltac:(intros; lra) ltac:(lra)
    (enough_exists 1 2 sign ltac:(lia) (fun _ => 1) (fun _ => 2) sign_distance (fun _ => Rle_refl 1) (2 * m)
       ltac:(lra)) Hh ltac:(nra) ltac:(lra)) as H.
  fold m in H. assert (Hs : INR 1 * (INR 1 * (exp 1 * 2 ^ 4 * h ^ 2 / (3 * Rabs 1)))
                            * heaped (fun _ => 1) (Nat.log2_up 2) * m <= 1 / 2).
  { rewrite Rabs_R1. cbn [heaped Nat.log2_up]. simpl INR. cbn.
    assert (h * K <= 1) by nra. assert (h <= 1 / 4) by nra. unfold K in *.
    assert (Hx : exp 1 * m * h <= 1 / 32) by lra.
    assert (0 <= exp 1 * m) by nra. nra. }
  specialize (H Hs [false; false] eq_refl).
  apply (above 3 1 _ _ 2%nat 0%nat 1 ltac:(lia) ltac:(lia) two_signs H); lra.
Qed.

(** ** Trees *)

Section Trees.
Import Trees Theorem3 TreeModel TreeLayers TreeMLP FreeModel.
Import FreeLayers FreeMLP SharedUnits TreeSimulation TreeStatements.
Import Corollary1 TreeRates TreeSizes TreeClosed CleanTreeModel CleanTreeStatements.

Definition leaf (a : bool) (k : nat) : R := if a then 1 else 2.
Definition ones (k a b : nat) : R := 1.
Definition sample : tree bool := Node (Leaf true) (Node (Leaf false) (Leaf false)).

Lemma four_at_root : mu 1 leaf ones sample 0%nat = 4.
Proof. cbn. unfold bilinear_state, ones, leaf. cbn. ring. Qed.

Lemma root_near y : sqrt (sum 1 (fun k => (y k - mu 1 leaf ones sample k) ^ 2)) < 1 / 2 ->
  7 / 2 < y 0%nat < 9 / 2.
Proof.
  intro H.
  assert (G : sqrt (sum 1 (fun _ => sum 1 (fun k => (y k - mu 1 leaf ones sample k) ^ 2))) < 1 / 2)
    by (cbn [sum] in *; rewrite Rplus_0_l; exact H).
  apply (above 1 1 (fun _ => y) (fun _ => mu 1 leaf ones sample) 0%nat 0%nat 4 ltac:(lia) ltac:(lia)
    four_at_root G); lra.
Qed.

Example theorem3_states_four : Theorem3.run_tree 1 leaf ones 2 (str sample) 2 0%nat 0%nat = 4.
Proof.
  rewrite (theorem3_states 1 leaf ones 2 ltac:(lra) (str sample) 2 0%nat sample 0%nat);
    [exact four_at_root|apply (node_occurs bool sample 0 0 sample); constructor|simpl; lia|lia].
Qed.

Example theorem3_length_four : run_model 1 leaf ones 1 (str sample) Hard 7 (tallest 7) 0%nat 0%nat = 4.
Proof.
  rewrite (theorem3_length 1 leaf ones 1 7 sample 0 0 sample); [exact four_at_root|simpl; lia|constructor|lia].
Qed.

Example theorem3_free_length_four : run_free 1 leaf ones 1 (str sample) Hard 7 (2 * tallest 7) 0%nat 0%nat = 4.
Proof.
  rewrite (theorem3_free_length 1 leaf ones 1 7 sample 0 0 sample);
    [exact four_at_root|simpl; lia|constructor|lia].
Qed.

Example theorem3_exact_four : run_tree (fixed ones 1) (free_model 1 8 Hard (2 * tallest 7))
  (fun ly => block (fixed ones 1) (products ly)) (free_tokens 1 7 leaf) (str sample) 0%nat 0%nat = 4.
Proof.
  etransitivity; [|exact four_at_root].
  apply (theorem3_exact 1 leaf ones 7 sample 0%nat 0%nat sample); [simpl; lia|exact Logic.I|constructor|lia].
Qed.

Example theorem3_mlp_length_four c : curved tanh (1 / 2) c -> c <> 0 -> exists C h, let y :=
  run_mlp_model 1 leaf ones tanh (1 / 2) h (/ (4 * h ^ 2 * c)) C 7 (tallest 7) sample 0%nat in
  7 / 2 < y 0%nat < 9 / 2.
Proof.
  intros Hc Hc0. destruct (theorem3_mlp_length 1 leaf ones [true; false] 7 tanh (1 / 2) c both Hc Hc0
    (1 / 2) ltac:(lra)) as (C & h & Hh & H).
  exists C, h. apply root_near, (H C h (Rle_refl C) ltac:(lra) sample 0%nat 0%nat sample);
    [simpl; lia|constructor].
Qed.

Example theorem3_whole_four c : curved tanh (1 / 2) c -> c <> 0 -> exists C h, let y :=
  run_mlp_model 1 leaf ones tanh (1 / 2) h (/ (4 * h ^ 2 * c)) C 7 2 sample 0%nat in
  7 / 2 < y 0%nat < 9 / 2.
Proof.
  intros Hc Hc0. destruct (theorem3_whole 1 leaf ones [true; false] 7 2 tanh (1 / 2) c both Hc Hc0)
    as (_ & _ & _ & H). destruct (H (1 / 2) ltac:(lra)) as (C & h & Hh & G).
  exists C, h. apply root_near, (G C h (Rle_refl C) ltac:(lra) sample 0%nat 0%nat sample);
    [simpl; lia|simpl; lia|constructor].
Qed.

Example theorem3_shared_four c : curved tanh (1 / 2) c -> c <> 0 -> exists C h, let y :=
  run_shared_model 1 leaf ones tanh (1 / 2) h (/ (4 * h ^ 2 * c)) C 7 (tallest 7) sample 0%nat in
  7 / 2 < y 0%nat < 9 / 2.
Proof.
  intros Hc Hc0. destruct (theorem3_shared 1 leaf ones [true; false] 7 tanh (1 / 2) c both Hc Hc0
    (1 / 2) ltac:(lra)) as (C & h & Hh & H).
  exists C, h. apply root_near, (H C h (Rle_refl C) ltac:(lra) sample 0%nat 0%nat sample);
    [simpl; lia|constructor].
Qed.

Example theorem3_free_mlp_even_four c : curved tanh (1 / 2) c -> c <> 0 -> exists C h, let y :=
  run_free_mlp 1 leaf ones tanh (1 / 2) h (/ (4 * h ^ 2 * c)) C 7 12 sample 0%nat in
  7 / 2 < y 0%nat < 9 / 2.
Proof.
  intros Hc Hc0. destruct (theorem3_free_mlp_even 1 leaf ones [true; false] 7 tanh (1 / 2) c both Hc Hc0
    (1 / 2) ltac:(lra)) as (C & h & Hh & H).
  exists C, h. apply root_near, (H C h (Rle_refl C) ltac:(lra) sample 0%nat 0%nat sample);
    [simpl; lia|simpl; lia|constructor].
Qed.

Example theorem3_free_whole_four c : curved tanh (1 / 2) c -> c <> 0 -> exists C h, let y :=
  run_free_mlp 1 leaf ones tanh (1 / 2) h (/ (4 * h ^ 2 * c)) C 7 4 sample 0%nat in
  7 / 2 < y 0%nat < 9 / 2.
Proof.
  intros Hc Hc0. destruct (theorem3_free_whole 1 leaf ones [true; false] 7 2 tanh (1 / 2) c both Hc Hc0)
    as (_ & _ & _ & H). destruct (H (1 / 2) ltac:(lra)) as (C & h & Hh & G).
  exists C, h. apply root_near, (G C h (Rle_refl C) ltac:(lra) sample 0%nat 0%nat sample);
    [simpl; lia|simpl; lia|constructor].
Qed.

Lemma leaf_two (x : bool) k : (k < 1)%nat -> Rabs (leaf x k) <= 2.
Proof. intros _. destruct x; unfold leaf; rewrite Rabs_pos_eq; lra. Qed.

Lemma ones_one k : (k < 1)%nat -> sum 1 (fun a => sum 1 (fun b => Rabs (ones k a b))) <= 1.
Proof. intros _. cbn [sum]. unfold ones. rewrite Rabs_R1. lra. Qed.

Example theorem3_clean_closed_four : exists C h, let y :=
  CleanTreeStatements.clean_network 1 (2 * 2) leaf ones exp C 0 h (/ (4 * h ^ 2 * 1)) (str sample) 0%nat in
  7 / 2 < y 0%nat < 9 / 2.
Proof.
  destruct (TreeSoft.states_bounded 1 leaf ones (length2 1) (TreeRecursion.frobenius 1 ones) [true; false] 7
    (TreeRecursion.euclidean 1) (sqrt_pos _) (TreeRecursion.frobenius_bound 1 ones) both) as (S & HS & HB).
  set (m := CleanTreeSoft.clean_margin 1 ones 7 S (2 * 2) (1 / 2)).
  assert (HK : 0 < TreeTargets.size_bound 7 S + 1) by (unfold TreeTargets.size_bound; cbn; lra).
  destruct (constant_exists (4 * TreeTargets.size_bound 7 S * INR 7 * m)) as (C & HC0 & HC).
  destruct (step_exists _ 1 (exp 1) 1 (TreeContinuity.psize ones (CleanTreeModel.clean_products 1) * m) HK Rlt_0_1
    R1_neq_R0) as (h & Hh & Hr & Hf).
  exists C, h. apply root_near, (CleanTreeStatements.theorem3_clean_closed 1 leaf ones 7 S 2 exp 0 1 1 (exp 1) h (1 / 2)
    C HS HB ltac:(lra) HC0 HC exp_smooth R1_neq_R0 Hh Hr Hf sample 0%nat 0%nat sample);
    [simpl; lia|simpl; lia|constructor].
Qed.

Example theorem3_rate_closed_four : exists C,
  let y := soft_tree 1 7 4 leaf ones C (str sample) 0%nat in 7 / 2 < y 0%nat < 9 / 2.
Proof.
  destruct (constant_exists (4 * token_size 7 2 1 * INR 7
    * (INR 4 * growth 1 7 2 1 ^ 4 * margin 1 7 2 1 (1 / 2)))) as (C & HC). exists C.
  apply root_near, (theorem3_rate_closed 1 7 4 leaf ones 2 1 (1 / 2) C ltac:(lra) (Rle_refl 1) leaf_two
    ones_one ltac:(lra) HC sample 0%nat 0%nat sample); [simpl; lia|simpl; lia|constructor].
Qed.

Example theorem3_closed_four : exists C h, let y :=
  tree_network 1 7 (2 * tallest 7) leaf ones exp C 0 h (/ (4 * h ^ 2 * 1)) (str sample) 0%nat in
  7 / 2 < y 0%nat < 9 / 2.
Proof.
  set (X := INR (2 * tallest 7) * growth 1 7 2 1 ^ (2 * tallest 7) * margin 1 7 2 1 (1 / 2)).
  destruct (constant_exists (4 * token_size 7 2 1 * INR 7 * X)) as (C & HC).
  pose proof (K_1 7 2 1 ltac:(lra) (Rle_refl 1)) as HK.
  destruct (step_exists (token_size 7 2 1 + 1) 1 (exp 1) 1 X ltac:(lra) Rlt_0_1 R1_neq_R0)
    as (h & Hh & Hr & Hf).
  exists C, h. apply root_near, (theorem3_closed 1 7 leaf ones 2 1 (1 / 2) C exp 0 1 1 (exp 1) h
    ltac:(lia) ltac:(lra) (Rle_refl 1) leaf_two ones_one ltac:(lra) HC exp_smooth R1_neq_R0 Hh Hr Hf)
    with (t := sample) (d := 0%nat); [simpl; lia|exact Logic.I|constructor].
Qed.

(** The model of Theorem 3 in the one forward pass. *)
Example theorem3_pass_four : Pass.forward (rows (str sample))
  (PassTrees.model_of_tree (free_dimension 1) (fixed ones 1) (fun ly => block (fixed ones 1) (products ly))
     (free_model 1 8 Hard (2 * tallest 7)))
  (fun r => free_tokens 1 7 leaf (nth_error (str sample) r) r) 0%nat 0%nat = 4.
Proof. rewrite <- PassTrees.theorem3_exact_pass by lia. exact theorem3_free_length_four. Qed.

(** The same with softmax and hidden units. *)
Example theorem3_pass_near_four : exists C h, let y := Pass.forward (rows (str sample))
  (PassTrees.model_of_tree (free_dimension 1) (fixed ones C)
     (fun ly => run_units ones exp 0 h (/ (4 * h ^ 2 * 1)) (shared (products ly)))
     (free_model 1 8 Soft (2 * tallest 7)))
  (fun r => free_tokens 1 7 leaf (nth_error (str sample) r) r) 0%nat in 7 / 2 < y 0%nat < 9 / 2.
Proof.
  destruct theorem3_closed_four as (C & h & H). exists C, h. cbv zeta.
  rewrite <- PassTrees.theorem3_pass by lia. exact H.
Qed.

(** State 0: a tree; state 1: a tree with some leaf [true]. *)
Definition initial (a : bool) (q : nat) : bool := match q with 0%nat => true | 1%nat => a | _ => false end.
Definition delta (q a b : nat) : bool :=
  match q with 0%nat => (a =? 0)%nat && (b =? 0)%nat | 1%nat => (a + b =? 1)%nat || (a * b =? 1)%nat
  | _ => false end.

Lemma sample_right : node sample 2 1 (Node (Leaf false) (Leaf false)).
Proof. apply (at_right bool (Leaf true) (Node (Leaf false) (Leaf false)) 0). constructor. Qed.

Example corollary1_closed_accepts : exists C h,
  1 / 2 < tree_network 2 7 (2 * tallest 7) (leaf_of initial) (tensor_of delta) exp C 0 h
            (/ (4 * h ^ 2 * 1)) (str sample) 0%nat 1%nat.
Proof.
  set (W := INR 2 * INR 2). assert (HW : 1 <= W) by (unfold W; simpl INR; lra).
  set (X := INR (2 * tallest 7) * growth 2 7 1 W ^ (2 * tallest 7) * margin 2 7 1 W (1 / 2)).
  destruct (constant_exists (4 * token_size 7 1 W * INR 7 * X)) as (C & HC).
  pose proof (K_1 7 1 W (Rle_refl 1) HW) as HK.
  destruct (step_exists (token_size 7 1 W + 1) 1 (exp 1) 1 X ltac:(lra) Rlt_0_1 R1_neq_R0)
    as (h & Hh & Hr & Hf).
  exists C, h. apply (corollary1_closed 2 initial delta 7 C exp 0 1 1 (exp 1) h ltac:(lia) HC exp_smooth
    R1_neq_R0 Hh Hr Hf sample 0%nat 0%nat sample); [simpl; lia|constructor|lia|reflexivity].
Qed.
End Trees.

(** ** Lemma 1 and the scan *)

Example matmul_lemma_numbers :
  let A := fun i j => Z.of_nat (1 + 2 * i + j) in
  bil Z 0%Z 1%Z Z.add Z.mul 2 (Lemma1.vec Z 2 A) (Lemma1.vec Z 2 A) 3%nat = 22%Z.
Proof.
  cbv zeta. rewrite (matmul_lemma Z 0%Z 1%Z Z.add Z.mul Z.sub Z.opp InitialRing.Zth) by lia. reflexivity.
Qed.

Example prefix_scan_adds : pscan nat Nat.add (fun i => i) 3 5 = 15%nat.
Proof. rewrite prefix_scan by (try (intros; lia); simpl; lia). reflexivity. Qed.

Example slim_multiplies_ones : exists b h s, forall Y, (forall p, (p < 2)%nat -> Y 0%nat p = 1) ->
  1 / 2 < run_mlp tanh b h s (multiplier 1 0) Y 0%nat 0%nat < 3 / 2.
Proof.
  destruct (slim_multiplies 1) as [_ H].
  destruct (H tanh (in_use_usable tanh Tanh) 1 ltac:(lra) (1 / 4) ltac:(lra)) as (b & h & s & G).
  exists b, h, s. intros Y HY. destruct (G Y 0%nat) as [G1 _].
  { intros p Hp. rewrite HY by (cbn in Hp; lia). rewrite Rabs_R1. lra. }
  set (Z := run_mlp tanh b h s (multiplier 1 0) Y) in *.
  set (P := mmul 1 (block 1 0 Y 0) (block 1 (n2 1) Y 0)) in *.
  pose proof (norm_entry 1 (mminus (block 1 0 Z 0) P) 0%nat 0%nat ltac:(lia) ltac:(lia)) as E.
  assert (EP : P 0%nat 0%nat = 1).
  { unfold P, mmul, block. cbn [sum]. rewrite !HY by (cbn; lia). ring. }
  unfold mminus at 1 in E. rewrite EP in E. unfold block at 1 in E. cbn [Nat.mul Nat.add] in E.
  apply abs_between in E. lra.
Qed.

(** Three units of the exponential function square a number between -1 and 1. *)
Example theorem4_squares : exists W bias V, forall x, Rabs x <= 1 ->
  Rabs (sum 3 (fun u => V u * exp (W u * x + bias u)) - x ^ 2) < 1 / 4.
Proof.
  assert (E : Differences.derivatives 2 (fun _ => exp) 0 1).
  { split; [intros; apply derivable_pt_lim_exp|]. intros x _.
    apply derivable_continuous_pt, derivable_pt_exp. }
  destruct (Main.theorem4 1 2 1 exp (fun _ => exp) 0 1 ltac:(lra) (fun _ => eq_refl) E
    ltac:(cbv beta; rewrite exp_0; lra) (fun _ => [(1, [0; 0]%nat)])) with (B := 1) (eps := 1 / 4)
    as (W & bias & V & H); [|lra|].
  { intros i _ c [<-|[]]. cbn. split; [lia|intros j [<-|[<-|[]]]; lia]. }
  exists (fun u => W u 0%nat), bias, (fun u => V u 0%nat). intros x Hx.
  specialize (H (fun _ => x) (fun _ _ => Hx) 0%nat Nat.lt_0_1). unfold Theorem4.evaluate in H.
  cbn [Nat.add Lattice.choose Lattice.total Theorem4.power fst snd] in H.
  replace (x ^ 2) with (1 * (x * (x * 1)) + 0) by ring. eapply Rle_lt_trans; [right|exact H].
  f_equal. f_equal. apply sum_ext. intros u _. f_equal. f_equal. cbn [sum]. ring.
Qed.

(** ** ReLU: an encoder layer with layer norm is one of the transformers that fail *)

Definition relu_encoder : ReluSpan.model :=
  let one := Dense 1 1 (fun _ _ => 1) in let zero := fun _ => 0 in
  let norm := fun x => ReluTransformers.layer_norm 2 (fun _ => 1) zero (1 / 100000) (fun c => x c + 1) in
  let head := Pass.Head one zero one one TreeModel.Soft TreeModel.Everywhere in
  let layer := Pass.Layer [head; head] one (ReluSpan.units (Rmax 0) one zero one zero) true in
  ReluSpan.Model [ReluSpan.Layer layer norm norm] (fun _ => false) one zero.

Example relu_encoder_fails : exists n K (alpha : nat -> R) (A : ReluTransformers.letters_below K -> mat) eps,
  0 < eps /\ ~ approximately_simulates n 2 alpha A eps (fun w t => ReluSpan.forward 3 relu_encoder
    (ReluTransformers.reads_letters (fun r o c => match o with Some x => INR (proj1_sig x) | None => 1 end)
      (fun r => pred r) w) t).
Proof.
  destruct (ReluTransformers.piecewise_linear_fails (Rmax 0) 2 1 2 3
    (proj1 ReluTransformers.piecewise_linear_in_use) (le_n 2)) as (n & H).
  destruct (H n 1%nat (le_n n)) as (K & alpha & A & eps & He & no). exists n, K, alpha, A, eps.
  split; [exact He|]. apply (no relu_encoder _ _ (fun t => t)); [|intros; lia].
  split; [cbn; lia|]. intros ly [<-|[]]. split; [cbn; lia|].
  do 2 (split; [apply ReluTransformers.layer_norm_normalises|]). do 4 eexists.
  split; [|reflexivity]. cbn. lia.
Qed.
