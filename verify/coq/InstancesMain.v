(** * The theorems of Main.v on concrete automata

    The automata of Instances.v: one that counts the letter [true], one state with leaves 1 and 2 over trees,
    the tree automaton that accepts trees with some leaf [true]; and for decoders one letter that doubles.

    Main theorems: one example for each theorem of Main.v. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Simulation Activation InUse Trees Theorem3 TreeSimulation.
From Assay Require Import Pass Fits FitsDecoders ReluTransformers Main.
From Assay Require TreeModel Instances Corollary1 TreeLayers DecoderStates DecoderActivation Spectral.
From Assay Require TreeDecoderEnds TreeDecoderSteps Pebbling Recursion.
From Assay Require FourUnits Theorem2 Rounded RoundedTheorem.
Import TreeModel(Hard, Saturated, Soft, Everywhere, Causal).
Import Instances(alpha, count, word, both, two_in_word, above, leaf, ones, sample, root_near, initial, delta).
Import ListNotations.
Open Scope R_scope.

(** ** Words: two of three letters are counted *)

Example theorem1_counts : exists m token,
  fits (Sizes 2 10 3 10 10 12 2) Bilinears m /\ given_once m /\ run 4 m token word 3%nat 0%nat = 2.
Proof.
  destruct (theorem1 2 3 alpha count ltac:(lia)) as (m & token & F & _ & G & H).
  exists m, token. split; [exact F|]. split; [exact G|]. rewrite H by (simpl; lia). exact two_in_word.
Qed.

Example theorem1_words_counts : exists m token,
  fits (Sizes 2 7 2 7 11 22 2) Bilinears m /\ run 4 m token word 3%nat 0%nat = 2.
Proof.
  destruct (theorem1_words 2 3 alpha count ltac:(lia)) as (m & token & F & _ & _ & H).
  exists m, token. split; [exact F|]. rewrite H by (simpl; lia). exact two_in_word.
Qed.

Example theorem1_printed_counts : exists m token,
  fits (Sizes 2 10 2 10 10 8 2) Bilinears m /\ run_padded 2 m token word 3%nat 0%nat = 2.
Proof.
  destruct (theorem1_printed 2 3 alpha count ltac:(lia)) as (m & token & F & _ & H).
  exists m, token. split; [exact F|]. etransitivity; [apply H; simpl; lia|]. exact two_in_word.
Qed.

Example theorem2_counts : exists m token, fits (Sizes 2 7 2 7 11 44 2) (MLPs tanh) m /\
  let y := run 4 m token word 3%nat 0%nat in 3 / 2 < y < 5 / 2.
Proof.
  destruct (theorem2 2 3 alpha count [true; false] tanh ltac:(lia) both (in_use_usable tanh Tanh) (1 / 2)
    ltac:(lra)) as (m & token & F & _ & _ & H).
  exists m, token. split; [exact F|]. specialize (H word eq_refl).
  apply (above 4 2 _ _ 3%nat 0%nat 2 ltac:(lia) ltac:(lia) two_in_word H); lra.
Qed.

Example theorem2_printed_counts : exists m token, fits (Sizes 2 10 2 10 10 45 2) (MLPs tanh) m /\
  let y := run_padded 2 m token word 3%nat 0%nat in 3 / 2 < y < 5 / 2.
Proof.
  destruct (theorem2_printed 2 3 alpha count [true; false] tanh 45 ltac:(lia) both
    (in_use_usable tanh Tanh) ltac:(simpl; lia) (1 / 2) ltac:(lra)) as (m & token & F & _ & H).
  exists m, token. split; [exact F|]. specialize (H word eq_refl).
  apply (above 4 2 _ _ 3%nat 0%nat 2 ltac:(lia) ltac:(lia) two_in_word H); lra.
Qed.

(** ** One proposition that holds for tanh and not for ReLU; so no other block can take the MLPs' place *)

Definition theorem2_for (sigma : R -> R) : Prop := forall n T K alpha (A : letters_below K -> mat) eps,
  (1 <= T)%nat -> 0 < eps -> exists m token,
    fits (Sizes (Nat.log2_up T) (n ^ 2 + 3) 2 (n ^ 2 + 3) (n ^ 2 + (n ^ 2 + 3)) (4 * (n ^ 3 + 3)) n) (MLPs sigma) m /\
    consists Soft Everywhere false m /\ given_once m /\
    approximately_simulates n T alpha A eps (run (T + 1) m token).

Definition theorem2_printed_for (sigma : R -> R) : Prop := forall n T K alpha (A : letters_below K -> mat) eps,
  let L := Nat.log2_up T in (1 <= T)%nat -> 0 < eps -> exists m token,
    fits (Sizes L (2 * n ^ 2 + 2) 2 (2 * n ^ 2 + 2) (2 * n ^ 2 + 2) (4 * n ^ 3) n) (MLPs sigma) m /\
    consists Soft Everywhere false m /\ approximately_simulates n T alpha A eps (run_padded L m token).

Definition letters_of (K : nat) : list (letters_below K) :=
  match K with O => [] | S Q => map (ReluTransformers.letter Q) (seq 0 (S Q)) end.

Lemma letters_all K (a : letters_below K) : In a (letters_of K).
Proof.
  destruct a as [x H]. destruct K as [|Q]; [lia|]. apply in_map_iff. exists x. split; [|apply in_seq; lia].
  unfold ReluTransformers.letter. destruct (lt_dec x (S Q)); [f_equal; apply le_unique|lia].
Qed.

Example theorem2_for_tanh : theorem2_for tanh /\ theorem2_printed_for tanh.
Proof.
  split; intros n T K alpha A eps.
  - intros HT He. exact (theorem2 n T alpha A _ tanh HT (letters_all K) (in_use_usable tanh Tanh) eps He).
  - intros L HT He. exact (theorem2_printed n T alpha A _ tanh _ HT (letters_all K) (in_use_usable tanh Tanh)
      (le_n _) eps He).
Qed.

Example theorem2_not_for_relu : ~ theorem2_for (Rmax 0) /\ ~ theorem2_printed_for (Rmax 0).
Proof.
  destruct piecewise_linear_in_use as [Hrelu _]. split; intro H.
  - destruct (theorem2_fails _ 2 Hrelu (le_n _)) as (n & G).
    destruct (G n (4 * (n ^ 3 + 3))%nat (le_n n)) as (K & alpha & A & eps & He & No). apply No.
    destruct (H n 2%nat K alpha A eps ltac:(lia) He) as (m & token & F & _ & _ & S). now exists m, token.
  - destruct (theorem2_printed_fails _ 2 Hrelu (le_n _)) as (n & G).
    destruct (G n (4 * n ^ 3)%nat (le_n n)) as (K & alpha & A & eps & He & No). apply No.
    destruct (H n 2%nat K alpha A eps ltac:(lia) He) as (m & token & F & _ & S). now exists m, token.
Qed.

Example theorem3_not_for_relu : exists n K (leaf : letters_below K -> nat -> R) tensor eps, 0 < eps /\
  ~ exists m token, fits (tree_sizes n 3) (MLPs (Rmax 0)) m /\
      approximately_simulates_trees n 4 leaf tensor (fun _ => True) eps (run_on_tree m token).
Proof.
  destruct (theorem3_fails _ 4 3 (proj1 piecewise_linear_in_use) (le_n _)) as (n & H). exists n.
  exact (H n _ (le_n n)).
Qed.

(** ** Finitely many bits: two states that change places, tanh at 1/2 *)

Lemma tanh_smooth : exists c, FourUnits.smooth tanh (1 / 2) c 1 24 /\ c <> 0.
Proof.
  set (t := tanh). set (d1 := fun x => 1 - t x * t x). set (d2 := fun x => 0 - (d1 x * t x + t x * d1 x)).
  set (d3 := fun x => 0 - ((d2 x * t x + d1 x * d1 x) + (d1 x * d1 x + t x * d2 x))).
  set (d4 := fun x => 0 - (((d3 x * t x + d2 x * d1 x) + (d2 x * d1 x + d1 x * d2 x))
                           + ((d2 x * d1 x + d1 x * d2 x) + (d1 x * d2 x + t x * d3 x)))).
  assert (H1 : forall x, derivable_pt_lim t x (d1 x)) by exact tanh_slope.
  assert (M : forall f f' g g', (forall x, derivable_pt_lim f x (f' x)) -> (forall x, derivable_pt_lim g x (g' x)) ->
    forall x, derivable_pt_lim (fun x => f x * g x) x (f' x * g x + f x * g' x))
    by (intros; now apply derivable_pt_lim_mult).
  assert (P : forall f f' g g', (forall x, derivable_pt_lim f x (f' x)) -> (forall x, derivable_pt_lim g x (g' x)) ->
    forall x, derivable_pt_lim (fun x => f x + g x) x (f' x + g' x)) by (intros; now apply derivable_pt_lim_plus).
  assert (S : forall k f f', (forall x, derivable_pt_lim f x (f' x)) ->
    forall x, derivable_pt_lim (fun x => k - f x) x (0 - f' x))
    by (intros; apply (derivable_pt_lim_minus (fct_cte k)); [apply derivable_pt_lim_const|auto]).
  assert (H2 : forall x, derivable_pt_lim d1 x (d2 x)) by exact (S _ _ _ (M _ _ _ _ H1 H1)).
  assert (H3 : forall x, derivable_pt_lim d2 x (d3 x)) by exact (S _ _ _ (P _ _ _ _ (M _ _ _ _ H2 H1) (M _ _ _ _ H1 H2))).
  assert (H4 : forall x, derivable_pt_lim d3 x (d4 x)).
  { exact (S _ _ _ (P _ _ _ _ (P _ _ _ _ (M _ _ _ _ H3 H1) (M _ _ _ _ H2 H2))
                              (P _ _ _ _ (M _ _ _ _ H2 H2) (M _ _ _ _ H1 H3)))). }
  exists (d2 (1 / 2)). split.
  - exists d1, d2, d3, d4. split; [reflexivity|]. intros x _. repeat split; auto.
    pose proof (tanh_bound x : 0 < d1 x) as B1. assert (B0 : -1 <= t x <= 1) by (unfold d1 in B1; nra).
    assert (B1' : d1 x <= 1) by (unfold d1; nra). assert (B2 : -2 <= d2 x <= 2) by (unfold d2; nra).
    assert (B3 : -6 <= d3 x <= 6) by (unfold d3; nra).
    assert (-6 <= d3 x * t x <= 6 /\ -2 <= d2 x * d1 x <= 2) by nra. apply Rabs_le. unfold d4. lra.
  - pose proof (Rmult_lt_0_compat _ _ (tanh_bound (1 / 2)) tanh_half). unfold d2, d1, t. lra.
Qed.

(** Without the library's mean value theorem, which would bring in one more axiom. *)
Lemma tanh_lipschitz x y : Rabs (tanh x - tanh y) <= 1 * Rabs (x - y).
Proof.
  assert (H : forall a b, a <= b -> Rabs (tanh b - tanh a) <= 1 * Rabs (b - a)).
  { intros a b Hab.
    assert (tanh a <= tanh b).
    { apply Activation.increasing; [exact Hab|]. intros c _. exists (1 - tanh c * tanh c).
      split; [left; apply tanh_bound|apply tanh_slope]. }
    assert (a - tanh a <= b - tanh b).
    { apply (Activation.increasing (fun z => z - tanh z)); [exact Hab|]. intros c _.
      exists (1 - (1 - tanh c * tanh c)). split; [nra|].
      apply (derivable_pt_lim_minus id tanh); [apply derivable_pt_lim_id|apply tanh_slope]. }
    rewrite !Rabs_pos_eq; lra. }
  destruct (Rle_dec x y); [rewrite Rabs_minus_sym, (Rabs_minus_sym x)|]; apply H; lra.
Qed.

Definition swap (a : bool) : mat := fun i j => b2r (if a then negb (i =? j) else (i =? j))%nat.

Lemma swaps_bounded w : norm 2 (Recursion.word_product 2 swap w) <= 2 ^ 0.
Proof.
  change (2 ^ 0) with 1. rewrite <- (pow1 (length w)). apply Theorem2.word_norm; [lra|]. intro a. apply maxover_le; [lra|].
  intros i Hi. destruct a, i as [|[|i]]; try lia; cbn; rewrite ?Rabs_R0, ?Rabs_R1; lra.
Qed.

Example theorem2_bits_swaps : exists p, forall round, Rounded.rounds p round ->
  exists m X, fits (Sizes 2 10 2 10 10 32 2) (MLPs (fun x => round (tanh (round x)))) m /\
  let y := Rounded.rounded_forward round 8 m X 6%nat 0%nat in Rounded.format p y /\ 1 / 2 < y < 3 / 2.
Proof.
  destruct tanh_smooth as (c & Hs & Hc).
  assert (Hb : Rounded.format 1 (1 / 2)) by (split; [rewrite Rabs_pos_eq; lra|exists 1%Z; simpl; field]).
  destruct (theorem2_bits 2 first_state swap (norm 2) 0 tanh (1 / 2) c 1 24 1 1 (RoundedTheorem.row_sum_matrix_norm 2)
    swaps_bounded Hs Hc Rlt_0_1 Hb (fun x y _ _ => tanh_lipschitz x y)) as (Z & H).
  assert (Big : exists q, Z * INR 3 ^ (0 + 3) / (1 / 2) < INR q).
  { set (x := Z * _ / _). exists (Z.to_nat (up x)). rewrite INR_IZR_INZ. destruct (archimed x) as [Hx _].
    apply Rlt_le_trans with (1 := Hx), IZR_le. lia. }
  destruct Big as (q & Hq). exists (4 * S q)%nat. intros round Hr.
  destruct (H 3%nat (4 * S q)%nat (1 / 2) round ltac:(lia) ltac:(lra) ltac:(lia) Hr) as (net & token & F & _ & G).
  { rewrite Nat.mul_comm, Nat.div_mul by lia. pose proof (Nat.pow_gt_lin_r 4 (S q) ltac:(lia)) as Hp.
    apply lt_INR in Hp. rewrite pow_INR, S_INR in Hp. replace (INR 4) with 4 in Hp by (simpl; ring). lra. }
  assert (E : Simulation.states 2 first_state swap word 3%nat 0%nat = 1).
  { rewrite Simulation.states_are_products by (simpl; lia). cbn.
    unfold mmul, swap, first_state, Sums.I. cbn. ring. }
  exists (Pass.model_of Soft (fun x => round (tanh (round x))) (Pass.angles 2) (Rounded.round_network round net)).
  exists (fun r => token (Simulation.letter word (Z.of_nat r - Z.of_nat (2 ^ 2) + 1)) r).
  split; [exact F|]. split; [apply Hr|].
  exact (above 4 2 _ _ 3%nat 0%nat 1 ltac:(lia) ltac:(lia) E (G word eq_refl) (1 / 2) (3 / 2) ltac:(lra) ltac:(lra)).
Qed.

(** ** Trees: a tree with leaves 1, 2 and 2 has the state 4 *)

(** The tree is a comb; its leaves from the last to the first are false, false, true. *)
Example combs_four : exists m token, run 4 m token [false; false; true] 3%nat 0%nat = 4.
Proof.
  destruct (combs 1 leaf ones 3 ltac:(lia)) as (m & token & _ & _ & _ & H). exists m, token.
  etransitivity; [apply (H false [false; true] 2%nat 0%nat eq_refl); simpl; lia|].
  exact Instances.four_at_root.
Qed.

Example theorem3_exact_four : exists depth m token, (depth < 7)%nat /\
  fits (Sizes depth 10 3 10 16 32 1) Bilinears m /\ run_on_tree m token (str sample) 0%nat 0%nat = 4.
Proof.
  destruct (theorem3_exact 1 leaf ones 7 ltac:(lia)) as (depth & m & token & Hd & F & _ & _ & H).
  exists depth, m, token. split; [exact Hd|]. split; [exact F|].
  rewrite (H sample 0%nat 0%nat sample); [|simpl; lia|exact Logic.I|constructor|lia].
  cbn. unfold bilinear_state, ones, leaf. cbn. ring.
Qed.

Example theorem3_four : exists depth m token, (depth < 7)%nat /\
  fits (Sizes depth 10 3 10 16 100 1) (MLPs sigmoid) m /\
  7 / 2 < run_on_tree m token (str sample) 0%nat 0%nat < 9 / 2.
Proof.
  destruct (theorem3 1 7 [true; false] sigmoid ltac:(lia) ltac:(lia) both (in_use_usable _ Sigmoid) leaf ones
    (1 / 2) ltac:(lra)) as [(depth & m & token & Hd & (F & _) & H) _].
  exists depth, m, token. split; [exact Hd|]. split; [exact F|].
  apply root_near, (H sample 0%nat 0%nat sample); [simpl; lia|exact Logic.I|constructor].
Qed.

Example encoder_leaves_four rho : 0 < rho -> rho ^ 3 = rho + 1 -> exists steps m token, (steps <= 2)%nat /\
  fits (Sizes (2 + steps) 14 4 14 56 500 1) (MLPs sigmoid) m /\
  7 / 2 < run_on_tree m token (str sample) 0%nat 0%nat < 9 / 2.
Proof.
  intros Hr H3. destruct (encoder_leaves 1 [true; false] sigmoid both (in_use_usable _ Sigmoid) leaf ones 3 rho
    (1 / 2) ltac:(lia) Hr H3 ltac:(lra)) as (steps & m & token & Hs & (F & _) & H).
  exists steps, m, token. split; [|split; [exact F|]].
  - destruct (Nat.le_gt_cases steps 2) as [|Hgt]; [assumption|]. exfalso.
    assert (1 < rho) by (simpl in H3; nra).
    pose proof (Rle_pow rho 3 steps ltac:(lra) ltac:(lia)). simpl (INR 3) in Hs. lra.
  - apply root_near, (H sample 0%nat 0%nat sample); [simpl; lia|constructor].
Qed.

Example encoder_length_four : exists depth m token, (depth <= 13)%nat /\
  fits (Sizes depth 14 4 14 56 500 1) (MLPs sigmoid) m /\
  7 / 2 < run_on_tree m token (str sample) 0%nat 0%nat < 9 / 2.
Proof.
  destruct (encoder_length 1 [true; false] sigmoid both (in_use_usable _ Sigmoid) leaf ones 7
    (1 / 2) ltac:(lia) ltac:(lra)) as (depth & m & token & Hd & (F & _) & H).
  exists depth, m, token. split; [exact Hd|]. split; [exact F|].
  apply root_near, (H sample 0%nat 0%nat sample); [simpl; lia|exact Logic.I|constructor].
Qed.

Example corollary1_accepts : exists depth m token, (depth < 7)%nat /\
  1 / 2 < run_on_tree m token (str sample) 0%nat 1%nat /\
  ~ 1 / 2 < run_on_tree m token (str sample) 2%nat 1%nat.
Proof.
  destruct (corollary1 2 7 [true; false] sigmoid ltac:(lia) ltac:(lia) both (in_use_usable _ Sigmoid)
    initial delta) as [(depth & m & token & Hd & _ & H) _].
  exists depth, m, token. split; [exact Hd|]. split.
  - apply (H sample 0%nat 0%nat sample); [simpl; lia|constructor|lia|reflexivity].
  - intro G. apply (H sample 2%nat 1%nat _ ltac:(simpl; lia) Instances.sample_right 1%nat ltac:(lia)) in G.
    discriminate.
Qed.

Example encoder_decides_accepts : exists depth m token, (depth <= 13)%nat /\
  fits (Sizes depth 18 4 18 72 856 2) (MLPs sigmoid) m /\
  1 / 2 < run_on_tree m token (str sample) 0%nat 1%nat /\
  ~ 1 / 2 < run_on_tree m token (str sample) 2%nat 1%nat.
Proof.
  destruct (encoder_decides 2 [true; false] sigmoid both (in_use_usable _ Sigmoid) initial delta 7
    ltac:(lia)) as (depth & m & token & Hd & (F & _) & H).
  exists depth, m, token. split; [exact Hd|]. split; [exact F|]. split.
  - apply (H sample 0%nat 0%nat sample); [simpl; lia|constructor|lia|reflexivity].
  - intro G. apply (H sample 2%nat 1%nat _ ltac:(simpl; lia) Instances.sample_right 1%nat ltac:(lia)) in G.
    discriminate.
Qed.

(** ** Decoders: one letter that doubles *)

Lemma relu_odd y : Rmax y 0 - Rmax (- y) 0 = y.
Proof. unfold Rmax. repeat destruct (Rle_dec _ _); lra. Qed.

Lemma relu_one : Rmax 1 0 <> 0.
Proof. unfold Rmax. destruct (Rle_dec 1 0); lra. Qed.

(** A short vector has short entries. *)
Lemma short_entry x y e : Spectral.length2 1 (fun j => x j - y j) <= e -> Rabs (x 0%nat - y 0%nat) <= e.
Proof.
  intro H. eapply Rle_trans; [|exact H].
  exact (Spectral.length2_entry 1 (fun j => x j - y j) 0%nat ltac:(lia)).
Qed.

Lemma doubled_5 : DecoderStates.read_word 1 (fun _ _ _ => 2) (fun _ => 1) (firstn 5 (repeat 0%nat 5)) 0%nat = 32.
Proof. cbn. ring. Qed.

Example theorem_B_doubles : exists m E P,
  fits (Sizes 3 5 1 2 5 3 1) (GatedMLPs (fun y => Rmax y 0)) m /\
  31 <= run_decoder m E P (1%nat :: repeat 0%nat 5) 5%nat 0%nat <= 33.
Proof.
  destruct (theorem_B 1 1 5 (fun _ => 1) (fun _ _ _ => 2) (fun y => Rmax y 0) ltac:(lia) relu_odd relu_one 1
    ltac:(lra)) as (m & E & P & F & _ & _ & _ & H).
  exists m, E, P. split; [exact F|].
  specialize (H (repeat 0%nat 5) ltac:(repeat constructor) ltac:(simpl; lia) 5%nat ltac:(simpl; lia)).
  apply short_entry in H. rewrite doubled_5 in H. apply abs_between in H. lra.
Qed.

Example theorem_A_doubles : exists m E P,
  fits (Sizes 3 4 1 2 4 4 1) (MLPs (fun y => y * sigmoid y)) m /\
  31 <= run_decoder m E P (1%nat :: repeat 0%nat 5) 5%nat 0%nat <= 33.
Proof.
  destruct (theorem_A 1 1 5 (fun _ => 1) (fun _ _ _ => 2) _ _ _ ltac:(lia) DecoderActivation.gentle_silu 1
    ltac:(lra)) as (m & E & P & F & _ & _ & _ & H).
  exists m, E, P. split; [exact F|].
  specialize (H (repeat 0%nat 5) ltac:(repeat constructor) ltac:(simpl; lia) 5%nat ltac:(simpl; lia)).
  apply short_entry in H. rewrite doubled_5 in H. apply abs_between in H. lra.
Qed.

(** The tree (a, b) with leaves 2 and 3 and tensor 5: 30. *)
Definition pair : tree nat := Node (Leaf 0%nat) (Leaf 1%nat).
Definition values (a _ : nat) : R := match a with O => 2 | _ => 3 end.

Lemma pair_fits : (length (str pair) <= 4)%nat /\ TreeDecoderSteps.letters_below 2 (str pair).
Proof. split; [simpl; lia|repeat constructor]. Qed.

Lemma pair_state : mu 1 values (fun _ _ _ => 5) pair 0%nat = 30.
Proof. cbn. unfold bilinear_state. cbn. ring. Qed.

Example tree_decoder_log_pair : exists m E P, fits (tree_decoder_sizes 1 2) (GatedMLPs (fun y => Rmax y 0)) m /\
  state_at 2 m E P pair 4%nat 0%nat = 30.
Proof.
  destruct (tree_decoder_log 1 2 4 values (fun _ _ _ => 5) (fun y => Rmax y 0) ltac:(lia) relu_odd relu_one 2
    ltac:(lia)) as (m & E & P & (F & _) & H).
  exists m, E, P. split; [exact F|].
  rewrite (H pair pair_fits 4%nat pair (TreeDecoderEnds.ends_whole pair)); [exact pair_state|simpl; lia|lia].
Qed.

Lemma plastic_large rho : 0 < rho -> rho ^ 3 = rho + 1 -> 5 / 4 < rho.
Proof.
  intros Hr H3. destruct (Rle_lt_dec rho (5 / 4)) as [Hle|]; [|assumption]. exfalso.
  assert (rho * rho <= 25 / 16) by nra. assert (rho * (rho * rho) <= rho * (25 / 16)) by nra.
  simpl in H3. lra.
Qed.

Lemma pair_leaves rho : 0 < rho -> rho ^ 3 = rho + 1 ->
  (INR (Pebbling.leaves pair) + 1) / 2 < rho ^ (1 + 1).
Proof. intros Hr H3. pose proof (plastic_large rho Hr H3). simpl. nra. Qed.

Example tree_decoder_pair rho : 0 < rho -> rho ^ 3 = rho + 1 -> exists m E P,
  fits (tree_decoder_sizes 1 1) (GatedMLPs (fun y => Rmax y 0)) m /\ state_at 2 m E P pair 4%nat 0%nat = 30.
Proof.
  intros Hr H3. destruct (tree_decoder 1 2 4 values (fun _ _ _ => 5) (fun y => Rmax y 0) ltac:(lia)
    relu_odd relu_one 0 rho Hr H3) as (m & E & P & (F & _) & H).
  exists m, E, P. split; [exact F|].
  rewrite (H pair pair_fits 4%nat pair (TreeDecoderEnds.ends_whole pair) (pair_leaves rho Hr H3));
    [exact pair_state|lia].
Qed.

Example tree_decoder_soft_pair rho : 0 < rho -> rho ^ 3 = rho + 1 -> exists m E P,
  fits (tree_decoder_sizes 1 1) (GatedMLPs (fun y => Rmax y 0)) m /\ 29 < state_at 2 m E P pair 4%nat 0%nat < 31.
Proof.
  intros Hr H3. destruct (tree_decoder_soft 1 2 4 values (fun _ _ _ => 5) (fun y => Rmax y 0) ltac:(lia)
    relu_odd relu_one 0 rho 1 Hr H3 ltac:(lra)) as (m & E & P & (F & _) & H).
  exists m, E, P. split; [exact F|].
  pose proof (H pair pair_fits 4%nat pair (TreeDecoderEnds.ends_whole pair) (pair_leaves rho Hr H3) 0%nat
    ltac:(lia)) as G. rewrite pair_state in G. apply Rabs_def2 in G. lra.
Qed.
