(** * The theorems that one would cite

    This file can be read by itself: what it is to simulate an automaton, what a transformer is, what its
    sizes are, and the theorems. Each definition is shown by an equality that Coq checks. A proof names a model
    that fits its sizes, with the states that it was proved to have elsewhere. What the theorems assume is
    printed at the end: three axioms of Coq's real numbers.

    "There is a transformer" always means: its numbers are chosen before the word or the tree, which reach
    it through tokens that depend on one symbol and on its place. T + 1 rows are returned, as A(x) has.

    Main definitions: [run], [run_padded], [run_on_tree], [run_decoder].
    Main theorems:    [theorem1], [combs], [theorem1_words], [theorem1_printed], [theorem2], [theorem2_printed],
                      [theorem3], [theorem3_exact], [corollary1], [encoder_leaves], [encoder_length],
                      [encoder_decides], [theorem_A], [theorem_B], [tree_decoder], [tree_decoder_log],
                      [tree_decoder_soft], [theorem2_bits], [theorem2_fails], [theorem2_printed_fails],
                      [theorem3_fails]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Compat Sums Theorem1 Softmax Trees Theorem3 Activation Simulation TreeSimulation.
From Assay Require Import Pass Fits FitsWords FitsTrees FitsLogDepth FitsDecoders.
From Assay Require TreeModel TreeLayers FreeLayers CleanTreeModel CleanTreeStatements Combs Corollary1.
From Assay Require Statements NoPadsStatement CleanWords CleanWordsSoft CleanWordsEntries.
From Assay Require Pebbling LogDepthEncoder LogDepthEncoderSum LogDepthEncoderShort LogDepthEncoderStatements.
From Assay Require DecoderStates DecoderActivation Decoder PassDecoder Spectral.
From Assay Require TreeDecoderEnds TreeDecoderSteps TreeDecoder TreeDecoderCount.
From Assay Require Import ReluTransformers DepthTransformers DepthTrees FitsRelu.
From Assay Require DepthBound DepthAverages WidthTransformers ReluSpan ReluRate ReluFixedAlphabet.
From Assay Require FourUnits Rounded RoundedTheorem Equation1 Lattice Differences Theorem4 Variation Ville.
Import TreeModel(attention, attend, Hard, Saturated, Soft, Everywhere, Causal).
Import Simulation(times, height, breadth, letter).
Import ListNotations.
Open Scope R_scope.

(** ** What it is to simulate *)

(** Definition 3.1: row t is the state after t letters, alpha^T A^{x_1} .. A^{x_t}. *)
Example exactly {Sigma : Type} n T alpha (A : Sigma -> mat) f : simulates n T alpha A f =
  (forall w, length w = T -> forall t j, (t <= T)%nat -> (j < n)%nat -> f w t j = states n alpha A w t j).
Proof. reflexivity. Qed.

(** Definition 3.2. *)
Example approximately {Sigma : Type} n T alpha (A : Sigma -> mat) eps f :
  approximately_simulates n T alpha A eps f =
  (forall w, length w = T ->
     sqrt (sum (S T) (fun t => sum n (fun j => (f w t j - states n alpha A w t j) ^ 2))) < eps).
Proof. reflexivity. Qed.

(** Definition 4.2, for the trees with a property P: at each place of str(t) where a subtree begins. *)
Example exactly_trees {Sigma : Type} n T (leaf : Sigma -> nat -> R) tensor P f :
  simulates_trees n T leaf tensor P f =
  (forall t i d u, (length (str t) <= T)%nat -> P t -> node t i d u ->
     forall k, (k < n)%nat -> f (str t) i k = mu n leaf tensor u k).
Proof. reflexivity. Qed.

(** ** What a transformer is: Section 2.4, [Pass.forward] *)

Example scores_are h X i j : scores h X i j = sum (breadth (Pass.query h)) (fun q =>
  (times X (Pass.query h) i q + query_bias h q) * times X (Pass.key h) j q).
Proof. reflexivity. Qed.

Example head_is N h X : Pass.attended N h X =
  mmul N (attend N (Pass.how h) (Pass.seen h) (scores h X)) (times X (Pass.value h)).
Proof. reflexivity. Qed.

Example layer_is N ly X : residual ly = false -> Pass.run_layer N ly X =
  fun r => Pass.feedforward ly (times (Pass.joined N (Pass.heads ly) X) (combine ly) r).
Proof.
  intro H. unfold Pass.run_layer, Pass.added, Pass.after_attention, Pass.added. now rewrite H.
Qed.

Example model_is N m E : given_once m -> Pass.forward N m E =
  fun r c => times (fold_left (fun X ly => Pass.run_layer N ly X) (Pass.layers m) E) (Pass.readout m) r c
             + offset m c.
Proof.
  intro H. unfold Pass.forward, Pass.run_layers. apply functional_extensionality. intro r.
  apply functional_extensionality. intro c. f_equal. f_equal.
  apply f_equal with (f := fun step => fold_left step (Pass.layers m) E).
  apply functional_extensionality. intro X. apply functional_extensionality. intro ly.
  apply functional_extensionality. intro r'. apply functional_extensionality. intro c'. now rewrite H.
Qed.

(** ** What its sizes are: [Fits.fits] bounds every matrix *)

Example fits_is s k m : fits s k m =
  (length (Pass.layers m) = depth s /\ Forall (layer_fits s k) (Pass.layers m) /\
   height (Pass.readout m) = embedding s /\ breadth (Pass.readout m) = outputs s).
Proof. reflexivity. Qed.

Example layer_fits_is s k ly : layer_fits s k ly =
  ((length (Pass.heads ly) <= head_count s)%nat /\
   Forall (fun h => height (Pass.query h) = embedding s /\ height (Pass.key h) = embedding s /\
             height (Pass.value h) = embedding s /\ breadth (Pass.key h) = breadth (Pass.query h) /\
             (breadth (Pass.query h) <= attention_width s)%nat /\
             (breadth (Pass.value h) <= attention_width s)%nat) (Pass.heads ly) /\
   height (combine ly) = values_width (Pass.heads ly) /\ (breadth (combine ly) <= joined_width s)%nat /\
   (residual ly = true -> breadth (combine ly) = embedding s) /\
   exists B, block_fits (breadth (combine ly)) (embedding s) (hidden_width s) B /\ of_kind k B /\
     forall x c, Pass.feedforward ly x c = Fits.run_block (Fits.activation k) B x c).
Proof. reflexivity. Qed.

(** [MLPs sigma]: every block is sigma(x W_1 + b_1) W_2 + b_2 with at most so many hidden units. *)
Example mlps_are s sigma m ly : fits s (MLPs sigma) m -> In ly (Pass.layers m) ->
  exists W1 b1 W2 b2, (breadth W1 <= hidden_width s)%nat /\ height W2 = breadth W1 /\
    forall x c, Pass.feedforward ly x c = sum (breadth W1) (fun u =>
      sigma (sum (height W1) (fun p => x p * number_at W1 p u) + b1 u) * number_at W2 u c) + b2 c.
Proof. exact (mlp_blocks s sigma m ly). Qed.

(** Coordinates of the embedding beyond its dimension are not read. *)
Example embedding_bounded N s k m E E' : fits s k m ->
  (forall r c, (c < embedding s)%nat -> E r c = E' r c) -> Pass.forward N m E = Pass.forward N m E'.
Proof. apply narrow. Qed.

(** ** How words and trees are read *)

(** A begin token and the word: row 0 has no letter, row r has the r-th. *)
Definition run {Sigma : Type} (N : nat) (m : model) (token : option Sigma -> nat -> nat -> R)
    (w : list Sigma) : mat :=
  Pass.forward N m (fun r => token (letter w (Z.of_nat r)) r).

(** As the proof of Theorem 1 assumes: rows for the places - 2^L + 1 .. 2^L, no letter outside of the word. *)
Definition run_padded {Sigma : Type} (L : nat) (m : model) (token : option Sigma -> nat -> nat -> R)
    (w : list Sigma) : mat :=
  fun t => Pass.forward (2 * 2 ^ L) m (fun r => token (letter w (Z.of_nat r - Z.of_nat (2 ^ L) + 1)) r)
             (t + 2 ^ L - 1)%nat.

(** The symbols of str(t), and nothing else. *)
Definition run_on_tree {Sigma : Type} (m : model) (token : option (symbol Sigma) -> nat -> nat -> R)
    (w : list (symbol Sigma)) : mat :=
  Pass.forward (length w) m (fun r => token (nth_error w r) r).

(** A decoder with token and position embeddings. *)
Definition run_decoder (m : model) (E P : dense) (toks : list nat) : mat :=
  Pass.forward (length toks) m (fun r c => number_at E (nth r toks 0%nat) c + number_at P r c).

(** ** Theorem 1 *)

(** On a begin token and the word, positions given once: depth ceil(log2 T), embedding 2n^2 + 2, three
    heads, bilinear width 2n^2 + 4. *)
Theorem theorem1 {Sigma : Type} n T alpha (A : Sigma -> mat) : (1 <= T)%nat ->
  exists m token,
    fits (Sizes (Nat.log2_up T) (2 * n ^ 2 + 2) 3 (2 * n ^ 2 + 2) (2 * n ^ 2 + 2) (2 * n ^ 2 + 4) n)
      Bilinears m /\
    consists Hard Everywhere false m /\ given_once m /\ simulates n T alpha A (run (T + 1) m token).
Proof.
  intro HT. destruct (clean_fits n T alpha) as [F K].
  eexists. exists (NoPadsStatement.begun_token n T A). split; [exact F|]. split; [exact K|].
  split; [intro; reflexivity|]. intros w Hw t j Ht Hj.
  rewrite <- (NoPadsStatement.theorem1_clean n T alpha A HT w Hw t j Ht Hj).
  unfold NoPadsStatement.begun_answers. symmetry.
  rewrite (network_pass Hard (fun y => y) (T + 1) (hard (T + 1)) (hard_everywhere _) _ (fun _ => false));
    [reflexivity|discriminate|discriminate|reflexivity].
Qed.

(** Section 4.2: on combs a WTA is a WFA with n + 1 states that reads the leaves from the last to the first;
    one transformer with ceil(log2 N) layers gives the states of all combs with N leaves. *)
Theorem combs {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor N : (1 <= N)%nat ->
  exists m token,
    fits (Sizes (Nat.log2_up N) (2 * S n ^ 2 + 2) 3 (2 * S n ^ 2 + 2) (2 * S n ^ 2 + 2) (2 * S n ^ 2 + 4)
            (S n)) Bilinears m /\
    consists Hard Everywhere false m /\ given_once m /\
    forall a w t j, length (a :: w) = N -> (t <= length w)%nat -> (j < n)%nat ->
      run (N + 1) m token (a :: w) (S t) j = mu n leaf tensor (Combs.comb a (firstn t w)) j.
Proof.
  intro HN. destruct (theorem1 (S n) N (Combs.comb_start n) (Combs.comb_step n leaf tensor) HN)
    as (m & token & F & K & G & H).
  exists m, token. split; [exact F|]. split; [exact K|]. split; [exact G|]. intros a w t j Hl Ht Hj.
  rewrite (H (a :: w) Hl (S t) j) by (cbn [length] in Hl; lia). now apply Combs.comb_states.
Qed.

(** Two heads, embedding n^2 + 3, where positions are (i, i^2) and the bilinear layer is wider. *)
Theorem theorem1_words {Sigma : Type} n T alpha (A : Sigma -> mat) : (1 <= T)%nat ->
  exists m token,
    fits (Sizes (Nat.log2_up T) (n ^ 2 + 3) 2 (n ^ 2 + 3) (n ^ 2 + (n ^ 2 + 3))
            (2 * (n ^ 2 + (n ^ 2 + 3))) n) Bilinears m /\
    consists Hard Everywhere false m /\ given_once m /\ simulates n T alpha A (run (T + 1) m token).
Proof.
  intro HT. destruct (exact_model_fits n (Nat.log2_up T) alpha) as (F & K & G).
  eexists. exists (CleanWords.word_tokens n A). split; [exact F|]. split; [exact K|]. split; [exact G|].
  intros w Hw t j Ht Hj. rewrite <- (CleanWordsSoft.theorem1_words n T alpha A HT w Hw t j Ht Hj).
  rewrite exact_words_pass by exact Hj. now rewrite Hw, Nat.add_1_r.
Qed.

(** As printed, with the assumptions of its proof: depth ceil(log2 T), embedding and attention width
    2n^2 + 2, two heads, bilinear width 2n^2; some columns, the positions, are supplied again. *)
Theorem theorem1_printed {Sigma : Type} n T alpha (A : Sigma -> mat) : (1 <= T)%nat ->
  let L := Nat.log2_up T in
  exists m token,
    fits (Sizes L (2 * n ^ 2 + 2) 2 (2 * n ^ 2 + 2) (2 * n ^ 2 + 2) (2 * n ^ 2) n) Bilinears m /\
    consists Hard Everywhere false m /\ simulates n T alpha A (run_padded L m token).
Proof.
  intros HT L. destruct (printed_fits n L alpha 1 (fun w => w) Hard) as [F K].
  eexists. exists (token_of n L A). split; [exact F|]. split; [exact K|]. intros w Hw t j Ht Hj.
  rewrite <- (Statements.theorem1_simulates n T alpha A HT w Hw t j Ht Hj). fold L.
  rewrite (words_pass n L A alpha 1 (fun w => w) Hard hard); [reflexivity|]. intro. apply hard_everywhere.
Qed.

(** ** Theorem 2 *)

(** [usable]: the activation has a second derivative other than 0 somewhere. *)
Example usable_is sigma : usable sigma = exists b c, (exists slope near, 0 < near /\
  (forall x, Rabs (x - b) < near -> derivable_pt_lim sigma x (slope x)) /\ derivable_pt_lim slope b c) /\
  c <> 0.
Proof. reflexivity. Qed.

(** Softmax and MLPs on a begin token and the word, positions given once: depth ceil(log2 T), embedding
    n^2 + 3, two heads, 4(n^3 + 3) hidden units, for every eps. *)
Theorem theorem2 {Sigma : Type} n T alpha (A : Sigma -> mat) (letters : list Sigma) sigma :
  (1 <= T)%nat -> (forall a, In a letters) -> usable sigma -> forall eps, 0 < eps ->
  exists m token,
    fits (Sizes (Nat.log2_up T) (n ^ 2 + 3) 2 (n ^ 2 + 3) (n ^ 2 + (n ^ 2 + 3)) (4 * (n ^ 3 + 3)) n)
      (MLPs sigma) m /\
    consists Soft Everywhere false m /\ given_once m /\
    approximately_simulates n T alpha A eps (run (T + 1) m token).
Proof.
  intros HT Hall Hu eps He.
  destruct (CleanWordsSoft.theorem2_clean n T alpha A letters sigma HT Hall Hu eps He)
    as (C & b & h & s & H).
  destruct (word_model_fits n (Nat.log2_up T) alpha sigma C b h s) as (F & K & G).
  eexists. exists (CleanWords.word_tokens n A). split; [exact F|]. split; [exact K|]. split; [exact G|].
  intros w Hw. eapply Rle_lt_trans; [|exact (H w Hw)]. apply Req_le. f_equal.
  apply sum_ext. intros t _. apply sum_ext. intros j Hj.
  rewrite (CleanWordsEntries.words_pass n (Nat.log2_up T) alpha A sigma C b h s w t j Hj).
  now rewrite Hw, Nat.add_1_r.
Qed.

(** As printed, with the assumptions of its proof, for every width of at least 4n^3: the printed
    2n^4 + 3n^2 + 1 is one. *)
Theorem theorem2_printed {Sigma : Type} n T alpha (A : Sigma -> mat) (letters : list Sigma) sigma width :
  (1 <= T)%nat -> (forall a, In a letters) -> usable sigma -> (4 * n ^ 3 <= width)%nat ->
  forall eps, 0 < eps -> let L := Nat.log2_up T in
  exists m token,
    fits (Sizes L (2 * n ^ 2 + 2) 2 (2 * n ^ 2 + 2) (2 * n ^ 2 + 2) width n) (MLPs sigma) m /\
    consists Soft Everywhere false m /\ approximately_simulates n T alpha A eps (run_padded L m token).
Proof.
  intros HT Hall Hu Hw eps He L. set (extra := (width - 4 * n ^ 3)%nat).
  destruct (Statements.theorem2_simulates n T alpha A HT letters sigma extra Hall Hu eps He)
    as (C & b & h & s & H).
  destruct (mlp_fits n L alpha C b h s extra sigma) as [F K].
  replace (4 * n ^ 3 + extra)%nat with width in F by (unfold extra; lia).
  eexists. exists (token_of n L A). split; [exact F|]. split; [exact K|].
  intros w Hlen. eapply Rle_lt_trans; [|exact (H w Hlen)]. apply Req_le. f_equal.
  apply sum_ext. intros t _. apply sum_ext. intros j _. fold L.
  rewrite (words_mlp_pass n L A alpha C b h s extra sigma w t). reflexivity.
Qed.

(** ** Theorem 2 with O(log T + log 1/eps) bits a number; beyond the paper *)

(** p binary places after the point and p before it. *)
Example format_is p x : Rounded.format p x = (Rabs x <= 2 ^ p /\ exists z : Z, x = IZR z / 2 ^ p).
Proof. reflexivity. Qed.

(** Any function into the format that moves numbers in its range by at most 2^-p and its numbers not at all. *)
Example rounds_is p round : Rounded.rounds p round = ((forall x, Rounded.format p (round x)) /\
  (forall x, Rabs x <= 2 ^ p -> Rabs (round x - x) <= / 2 ^ p) /\ (forall x, Rounded.format p x -> round x = x)).
Proof. reflexivity. Qed.

(** Tokens are rounded after attention and after the MLP, whose units compute round . sigma . round; scores,
    softmax and sums are not. *)
Example rounded_layer_is round N ly X : residual ly = false -> Rounded.rounded_layer round N ly X =
  fun r c => round (Pass.feedforward ly
    (fun c => round (times (Pass.joined N (Pass.heads ly) X) (combine ly) r c)) c).
Proof.
  intro H. unfold Rounded.rounded_layer, Rounded.rounded, Pass.added, Pass.after_attention, Pass.added. now rewrite H.
Qed.

(** Theorem 2 as printed where all products of letters have norm at most 2^k, in the spectral or the row-sum
    norm, say: all weights, tokens, hidden units and outputs are numbers of the format, as soon as 4^(p/4) is at
    least Z T^(k+3) / eps, where Z depends on the automaton and the activation only. The activation has a
    bounded fourth derivative and a Lipschitz constant near b, where its second one is not 0. *)
Theorem theorem2_bits {Sigma : Type} n alpha (A : Sigma -> mat) nu k sigma b c r K lip p0 :
  RoundedTheorem.matrix_norm n nu -> (forall w, nu (Recursion.word_product n A w) <= 2 ^ k) ->
  FourUnits.smooth sigma b c r K -> c <> 0 -> 0 < r -> Rounded.format p0 b ->
  (forall x y, Rabs (x - b) <= r -> Rabs (y - b) <= r -> Rabs (sigma x - sigma y) <= lip * Rabs (x - y)) ->
  exists Z, forall T p eps round, (1 <= T)%nat -> 0 < eps <= 1 -> (p0 <= p)%nat -> Rounded.rounds p round ->
  Z * INR T ^ (k + 3) <= eps * 4 ^ (p / 4) -> let L := Nat.log2_up T in
  let units x := round (sigma (round x)) in
  exists weights token,
    let m := Pass.model_of Soft units (Pass.angles n) (Rounded.round_network round weights) in
    fits (Sizes L (2 * n ^ 2 + 2) 2 (2 * n ^ 2 + 2) (2 * n ^ 2 + 2) (4 * n ^ 3) n) (MLPs units) m /\
    consists Soft Everywhere false m /\
    approximately_simulates n T alpha A eps (fun w t => Rounded.rounded_forward round (2 * 2 ^ L) m
      (fun r => token (letter w (Z.of_nat r - Z.of_nat (2 ^ L) + 1)) r) (t + 2 ^ L - 1)%nat).
Proof. exact (RoundedTheorem.log_places n alpha A nu k sigma b c r K lip p0). Qed.

(** ** Theorem 3 and Corollary 1 *)

(** On the symbols of str(t) alone, hard attention and a bilinear layer: fewer than T layers. *)
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

(** The sizes at some depth: embedding O(n), attention O(n), O(n^3) hidden units, three heads. *)
Definition tree_sizes (depth : nat) : sizes :=
  Sizes depth (2 * n + 8) 3 (2 * n + 8) (4 * n + 12) (4 * (2 * n ^ 3 + 3 * n + 20)) n.

Definition tree_transformer (depth : nat) (m : model) : Prop :=
  fits (tree_sizes depth) (MLPs sigma) m /\ consists Soft Everywhere false m /\ given_once m.

(** Fewer than T layers for all trees, 2 k ceil(log2 T) for the trees of height at most k ceil(log2 T). *)
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

(** Output q at a node is above 1/2 exactly where state q is reachable there. *)
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

(** Embedding O(n^2), where Theorem 3 has O(n); at most four heads, O(n^3) hidden units. *)
Definition log_transformer (depth : nat) (m : model) : Prop :=
  fits (Sizes depth (n ^ 2 + n + 12) 4 (n ^ 2 + n + 12) (4 * (n ^ 2 + n + 12))
          (4 * (10 * n ^ 3 + 6 * n ^ 2 + n + 108)) n) (MLPs sigma) m /\
  consists Soft Everywhere false m /\ given_once m.

(** At most 2 + log_rho((N + 1) / 2) layers for all trees with at most N leaves, rho^3 = rho + 1. *)
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

(** At most 3 ceil(log2 T) + 4 layers for all trees with |str(t)| <= T. *)
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

(** Tree automata: output q at a node is above 1/2 exactly where state q is reachable there. *)
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

(** There is such a number rho, between 1.3 and 1.4. *)
Theorem plastic_number : exists rho, 0 < rho /\ rho ^ 3 = rho + 1 /\ 13 / 10 <= rho <= 14 / 10.
Proof. exact LogDepthEncoderStatements.plastic_number. Qed.

(** ** Decoders: causal masks, residual connections, token and position embeddings; beyond the paper *)

(** Gated blocks, every gate with act y - act (- y) = y and act 1 <> 0 (ReLU, SiLU, GELU): letters
    0 .. q - 1 and a begin token, every word of at most T letters, every eps. *)
Theorem theorem_B n q T alpha (A : nat -> mat) act : (1 <= T)%nat ->
  (forall y, act y - act (- y) = y) -> act 1 <> 0 -> forall eps, 0 < eps ->
  exists m E P,
    fits (Sizes (Nat.log2_up T) (2 * n ^ 2 + 3) 1 (Nat.max (n ^ 2) 2) (2 * n ^ 2 + 3)
            (2 * n ^ 3 + n ^ 2) n) (GatedMLPs act) m /\
    consists Soft Causal true m /\ given_once m /\ embeds (q + 1) (T + 1) (2 * n ^ 2 + 3) E P /\
    forall word, DecoderStates.over q word -> (length word <= T)%nat ->
    forall t, (t <= length word)%nat ->
    Spectral.length2 n (fun j => run_decoder m E P (q :: word) t j
                        - DecoderStates.read_word n A alpha (firstn t word) j) <= eps.
Proof.
  intros HT Hodd H1 eps He. set (p := (2 ^ Nat.log2_up T)%nat).
  assert (Hp : (0 < p)%nat) by (apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
  destruct (Decoder.theorem_B n q T p alpha A act HT Hp Hodd H1 eps He) as (C & H).
  specialize (H C (Rle_refl C)). set (e := DecoderStates.weights_for alpha A C act 1 1) in *.
  destruct (sequence_fits n q T p true (Nat.log2_up T) e Soft) as (F & K & G & D).
  eexists. eexists. eexists. split; [exact F|]. split; [exact K|]. split; [exact G|]. split; [exact D|].
  intros word Hw Hl t Ht. eapply Rle_trans; [|exact (H word Hw Hl t Ht)]. apply Req_le. f_equal.
  apply functional_extensionality. intro j.
  now rewrite (proj1 (PassDecoder.sequence_decoder_pass e n q T p true _ (q :: word) t j
    ltac:(cbn; lia))).
Qed.

(** Plain MLPs of 4n^3 units, every activation that is gentle: GELU and SiLU (Decoder.v). *)
Theorem theorem_A n q T alpha (A : nat -> mat) act c k : (1 <= T)%nat ->
  DecoderActivation.gentle act c k -> forall eps, 0 < eps ->
  exists m E P,
    fits (Sizes (Nat.log2_up T) (2 * n ^ 2 + 2) 1 (Nat.max (n ^ 2) 2) (2 * n ^ 2 + 2) (4 * n ^ 3) n)
      (MLPs act) m /\
    consists Soft Causal true m /\ given_once m /\ embeds (q + 1) (T + 1) (2 * n ^ 2 + 2) E P /\
    forall word, DecoderStates.over q word -> (length word <= T)%nat ->
    forall t, (t <= length word)%nat ->
    Spectral.length2 n (fun j => run_decoder m E P (q :: word) t j
                        - DecoderStates.read_word n A alpha (firstn t word) j) <= eps.
Proof.
  intros HT Hgentle eps He. set (p := (2 ^ Nat.log2_up T)%nat).
  assert (Hp : (0 < p)%nat) by (apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
  destruct (Decoder.theorem_A n q T p alpha A act c k HT Hp Hgentle eps He) as (C & h & Hh & H).
  specialize (H C h (Rle_refl C) (conj Hh (Rle_refl h))).
  set (e := DecoderStates.weights_for alpha A C act h c) in *.
  destruct (sequence_fits n q T p false (Nat.log2_up T) e Soft) as (F & K & G & D).
  eexists. eexists. eexists. split; [exact F|]. split; [exact K|]. split; [exact G|]. split; [exact D|].
  intros word Hw Hl t Ht. eapply Rle_trans; [|exact (H word Hw Hl t Ht)]. apply Req_le. f_equal.
  apply functional_extensionality. intro j.
  now rewrite (proj1 (PassDecoder.sequence_decoder_pass e n q T p false _ (q :: word) t j
    ltac:(cbn; lia))).
Qed.

(** Trees of any shape in logarithmic depth: letters 0 .. q - 1, brackets q and q + 1, a begin token. *)
Section TreeDecoder.
Context (n q T : nat) (leaf : nat -> nat -> R) (tensor : nat -> nat -> nat -> R) (act : R -> R).
Hypothesis n_1 : (1 <= n)%nat.
Hypothesis act_odd : forall y, act y - act (- y) = y.
Hypothesis act_1 : act 1 <> 0.

Definition tree_decoder_sizes (steps : nat) : sizes :=
  Sizes (2 + steps) (2 * n ^ 2 + 4 * n + 11) 3 (n ^ 2 + n + 2) (2 * n ^ 2 + 4 * n + 11)
    (2 * n ^ 3 + 5 * n ^ 2 + 7 * n + 11) n.

Definition tree_decoder_of (kind : attention) (steps : nat) (m : model) (E P : dense) : Prop :=
  fits (tree_decoder_sizes steps) (GatedMLPs act) m /\ consists kind Causal true m /\ given_once m /\
  embeds (q + 3) (T + 1) (2 * n ^ 2 + 4 * n + 11) E P.

(** What is read at the place where a subtree v ends, of the begin token and str(t). *)
Definition state_at (m : model) (E P : dense) (t : tree nat) : mat :=
  run_decoder m E P ((q + 2)%nat :: map (TreeDecoderSteps.code q) (str t)).

Local Notation fitting t := ((length (str t) <= T)%nat /\ TreeDecoderSteps.letters_below q (str t)).

(** Attention to all maxima alike: 2 + k layers where (N + 1) / 2 < rho^(k+1), rho^3 = rho + 1. *)
Theorem tree_decoder k rho : 0 < rho -> rho ^ 3 = rho + 1 ->
  exists m E P, tree_decoder_of Saturated (S k) m E P /\
    forall t, fitting t -> forall i v, TreeDecoderEnds.ends (str t) i v ->
    (INR (Pebbling.leaves v) + 1) / 2 < rho ^ (S k + 1) ->
    forall a, (a < n)%nat -> state_at m E P t i a = mu n leaf tensor v a.
Proof.
  intros Hr H3. set (e := TreeDecoder.tree_weights_for leaf tensor 1 act).
  destruct (tree_decoder_fits n q T (S k) e Saturated) as (F & K & G & D).
  eexists. eexists. eexists. split; [exact (conj F (conj K (conj G D)))|].
  intros t [Ht Hlet] i v Hv Hleaves a Ha.
  destruct (TreeDecoder.tree_decoder_plastic n q T k leaf tensor 1 act rho n_1 Rlt_0_1 act_odd act_1 Hr H3)
    as [_ H]. rewrite <- (H t Ht Hlet i v Hv Hleaves a Ha).
  symmetry. apply (PassDecoder.tree_decoder_pass e n q T k).
  cbn [length]. rewrite map_length. apply TreeDecoderEnds.ends_range in Hv. lia.
Qed.

(** 3 log2(N + 1) - 1 steps are enough for N leaves. *)
Theorem tree_decoder_log leaf_count : (1 <= leaf_count)%nat ->
  exists m E P, tree_decoder_of Saturated (3 * Nat.log2 (leaf_count + 1) - 1) m E P /\
    forall t, fitting t -> forall i v, TreeDecoderEnds.ends (str t) i v ->
    (Pebbling.leaves v <= leaf_count)%nat ->
    forall a, (a < n)%nat -> state_at m E P t i a = mu n leaf tensor v a.
Proof.
  intro Hc. set (steps := (3 * Nat.log2 (leaf_count + 1) - 1)%nat).
  assert (Es : steps = S (steps - 1)).
  { assert (1 <= Nat.log2 (leaf_count + 1))%nat by (apply Nat.log2_le_pow2; simpl; lia). unfold steps. lia. }
  set (e := TreeDecoder.tree_weights_for leaf tensor 1 act).
  destruct (tree_decoder_fits n q T steps e Saturated) as (F & K & G & D).
  eexists. eexists. eexists. split; [exact (conj F (conj K (conj G D)))|].
  intros t [Ht Hlet] i v Hv Hleaves a Ha.
  rewrite <- (TreeDecoder.tree_decoder_log n q T leaf tensor 1 act n_1 Rlt_0_1 act_odd act_1 leaf_count Hc
    t Ht Hlet i v Hv Hleaves a Ha). fold steps e.
  rewrite Es. symmetry. apply (PassDecoder.tree_decoder_pass e n q T (steps - 1)).
  cbn [length]. rewrite map_length. apply TreeDecoderEnds.ends_range in Hv. lia.
Qed.

(** Softmax: one model for all these trees, for every eps. *)
Theorem tree_decoder_soft k rho eps : 0 < rho -> rho ^ 3 = rho + 1 -> 0 < eps ->
  exists m E P, tree_decoder_of Soft (S k) m E P /\
    forall t, fitting t -> forall i v, TreeDecoderEnds.ends (str t) i v ->
    (INR (Pebbling.leaves v) + 1) / 2 < rho ^ (S k + 1) ->
    forall a, (a < n)%nat -> Rabs (state_at m E P t i a - mu n leaf tensor v a) < eps.
Proof.
  intros Hr H3 He. destruct (TreeDecoderCount.tree_decoder_soft_plastic n q T k leaf tensor act rho n_1
    act_odd act_1 Hr H3 eps He) as (C & H). specialize (H C (Rle_refl C)).
  set (e := TreeDecoder.tree_weights_for leaf tensor C act) in *.
  destruct (tree_decoder_fits n q T (S k) e Soft) as (F & K & G & D).
  eexists. eexists. eexists. split; [exact (conj F (conj K (conj G D)))|].
  intros t [Ht Hlet] i v Hv Hleaves a Ha. eapply Rle_lt_trans; [|exact (H t Ht Hlet i v Hv Hleaves a Ha)].
  apply Req_le. f_equal. f_equal. symmetry. apply (PassDecoder.tree_decoder_pass e n q T k).
  cbn [length]. rewrite map_length. apply TreeDecoderEnds.ends_range in Hv. lia.
Qed.
End TreeDecoder.

(** ** What fails *)

(** Equation (1) at the first layer: one state of weight 0 to 1/8, two letters, every C >= 2. *)
Theorem equation1_first a C : 0 <= a <= 1 / 8 -> 2 <= C ->
  let e0 := Equation1.error a 1 C 0 in
  let a1 := Equation1.attention a 1 C 1 in
  let here := Rabs (Equation1.carried a 1 C 1 2 0%nat 0%nat - Equation1.exact a 1 1 2) in
  here > e0 * Equation1.M a + e0 ^ 2 /\ here > a1 * Equation1.M a + a1 ^ 2 /\
  Equation1.error a 1 C 1 > e0 * Equation1.M a + e0 ^ 2 /\
  Equation1.error a 1 C 1 > a1 * Equation1.M a + a1 ^ 2.
Proof. exact (Equation1.equation1_first a C). Qed.

(** Theorem 2 for ReLU and other piecewise linear activations: with the sizes of [theorem2], any number of
    hidden units and any attention, there is n0 such that for n >= n0 some automaton with n states over a
    finite alphabet is out of reach of some eps. *)
Theorem theorem2_fails sigma T : piecewise_linear sigma -> (2 <= T)%nat ->
  exists n0, forall n width, (n0 <= n)%nat ->
  exists K alpha (A : letters_below K -> mat) eps, 0 < eps /\ ~ exists m token,
    fits (Sizes (Nat.log2_up T) (n ^ 2 + 3) 2 (n ^ 2 + 3) (n ^ 2 + (n ^ 2 + 3)) width n) (MLPs sigma) m /\
    approximately_simulates n T alpha A eps (run (T + 1) m token).
Proof.
  intros HP HT. destruct (mlps_fail sigma T (Nat.log2_up T) 2 (T + 1) HP HT) as (n0 & H). exists n0.
  intros n width Hn. destruct (H n width Hn) as (K & alpha & A & eps & He & G).
  exists K, alpha, A, eps. split; [exact He|]. intros (m & token & F & S).
  exact (G _ m token Z.of_nat (fun t => t) F eq_refl eq_refl eq_refl ltac:(intros; lia) S).
Qed.

(** Theorem 2 as printed. *)
Theorem theorem2_printed_fails sigma T : piecewise_linear sigma -> (2 <= T)%nat -> let L := Nat.log2_up T in
  exists n0, forall n width, (n0 <= n)%nat ->
  exists K alpha (A : letters_below K -> mat) eps, 0 < eps /\ ~ exists m token,
    fits (Sizes L (2 * n ^ 2 + 2) 2 (2 * n ^ 2 + 2) (2 * n ^ 2 + 2) width n) (MLPs sigma) m /\
    approximately_simulates n T alpha A eps (run_padded L m token).
Proof.
  intros HP HT L. destruct (mlps_fail sigma T L 2 (2 * 2 ^ L) HP HT) as (n0 & H). exists n0.
  intros n width Hn. destruct (H n width Hn) as (K & alpha & A & eps & He & G).
  exists K, alpha, A, eps. split; [exact He|]. intros (m & token & F & S).
  refine (G _ m token (fun r => _ - _ + 1)%Z (fun t => t + 2 ^ L - 1)%nat F eq_refl eq_refl eq_refl _ S).
  intros t Ht. pose proof (Nat.log2_up_spec T ltac:(lia)) as (_ & HL). fold L in HL. lia.
Qed.

(** Theorem 3, for every depth. *)
Theorem theorem3_fails sigma T depth : piecewise_linear sigma -> (4 <= T)%nat ->
  exists n0, forall n width, (n0 <= n)%nat ->
  exists K (leaf : letters_below K -> nat -> R) tensor eps, 0 < eps /\ ~ exists m token,
    fits (Sizes depth (2 * n + 8) 3 (2 * n + 8) (4 * n + 12) width n) (MLPs sigma) m /\
    approximately_simulates_trees n T leaf tensor (fun _ => True) eps (run_on_tree m token).
Proof.
  intros HP HT. destruct (mlps_fail_trees sigma T depth 3 HP HT) as (n0 & H). exists n0.
  intros n width Hn. destruct (H n width Hn) as (K & leaf & tensor & eps & He & G).
  exists K, leaf, tensor, eps. split; [exact He|]. intros (m & token & F & S). exact (G _ m token F eq_refl eq_refl eq_refl S).
Qed.

(** One automaton with letters from an interval: its error is at least 1 / c^(W + 1) with W hidden units. *)
Theorem piecewise_linear_rate sigma T L h N : piecewise_linear sigma -> (2 <= T)%nat ->
  exists n0 alpha (A : bool * ReluRate.interval -> mat) c, 1 < c /\ forall n W eps, (n0 <= n)%nat ->
  forall transformer embedding (place row : nat -> nat),
    ReluSpan.within sigma L h W transformer -> (forall t, (t <= T)%nat -> (row t < N)%nat) ->
    approximately_simulates n T alpha A eps
      (fun w t => ReluSpan.forward N transformer (reads_letters embedding place w) (row t)) ->
    / c ^ S W <= eps.
Proof. exact (ReluRate.piecewise_linear_rate sigma T L h N). Qed.

(** Over a given alphabet enough ReLU units, whatever the number of states, simulate all automata exactly. *)
Theorem relu_fixed_alphabet {Sigma : Type} (code : Sigma -> nat) letter m T :
  (forall x, (code x < m)%nat /\ letter (code x) = x) ->
  exists embedding place, forall n alpha (A : Sigma -> mat), exists transformer,
    ReluSpan.within (Rmax 0) 1 1 (S T * m ^ T - 1) (ReluSpan.without_norms transformer) /\
    height (Pass.readout transformer) = (n + 2)%nat /\
    (forall ly hd, In ly (Pass.layers transformer) -> In hd (Pass.heads ly) ->
       Pass.how hd = Soft /\ Pass.seen hd = Everywhere /\ breadth (Pass.query hd) = 0%nat) /\
    simulates n T alpha A (fun w t => Pass.forward (S T) transformer (reads_letters embedding place w) t).
Proof. exact (ReluFixedAlphabet.relu_fixed_alphabet code letter m T). Qed.

(** How many units are enough depends on the alphabet. *)
Theorem relu_units_follow_the_alphabet T : (2 <= T)%nat ->
  (forall Q, exists W, forall n alpha (A : letters_below (S Q) -> mat), exists transformer embedding place,
     ReluSpan.within (Rmax 0) 1 1 W transformer /\
     simulates n T alpha A (fun w t => ReluSpan.forward (S T) transformer (reads_letters embedding place w) t)) /\
  (exists n0, forall n W, (n0 <= n)%nat -> exists K alpha (A : letters_below K -> mat) eps, 0 < eps /\
     forall transformer embedding place, ReluSpan.within (Rmax 0) 1 1 W transformer ->
     ~ approximately_simulates n T alpha A eps
         (fun w t => ReluSpan.forward (S T) transformer (reads_letters embedding place w) t)).
Proof. exact (ReluFixedAlphabet.relu_units_follow_the_alphabet T). Qed.

(** ** Theorem 1 is optimal: hard attention, two heads, no residual connections, large alphabets *)

(** The fewest layers. *)
Theorem theorem1_depth_optimal n T : (2 <= n)%nat -> (1 <= T)%nat ->
  (forall (Sigma : Type) alpha (A : Sigma -> mat), exists N transformer embedding (place row : nat -> nat),
     all_hard transformer /\ at_most (Nat.log2_up T) 2 transformer /\ plain transformer embedding /\
     simulates n T alpha A (fun w t => Pass.forward N transformer (reads_letters embedding place w) (row t))) /\
  (forall N L, (L < Nat.log2_up T)%nat -> exists K alpha (A : letters_below K -> mat),
     forall transformer embedding (place row : nat -> nat),
     all_hard transformer -> at_most L 2 transformer -> plain transformer embedding ->
     ~ approximately_simulates n T alpha A (/ 2)
         (fun w t => Pass.forward N transformer (reads_letters embedding place w) (row t))).
Proof. exact (DepthTransformers.theorem1_depth_optimal n T). Qed.

(** At that depth the least rank of W_V in a bilinear last layer. *)
Theorem theorem1_width_order n T : (1 <= n)%nat -> (2 <= T)%nat -> let L := (Nat.log2_up T - 1)%nat in
  let last_layer d m lys last first second :=
    Pass.layers m = lys ++ [last] /\ (length lys <= L)%nat /\
    (forall ly, In ly lys -> (length (Pass.heads ly) <= 2)%nat) /\ Pass.heads last = [first; second] /\
    block_of Bilinears (Pass.feedforward last) /\
    WidthTransformers.narrow d first /\ WidthTransformers.narrow d second in
  (forall (Sigma : Type) alpha (A : Sigma -> mat),
     exists N m embedding (place row : nat -> nat) lys last first second,
     last_layer (n * n)%nat m lys last first second /\ all_hard m /\ plain m embedding /\
     height (Pass.value first) = (2 * n ^ 2 + 2)%nat /\ height (Pass.value second) = (2 * n ^ 2 + 2)%nat /\
     simulates n T alpha A (fun w t => Pass.forward N m (reads_letters embedding place w) (row t))) /\
  (forall N d, (d < n * n)%nat -> exists K alpha (A : letters_below K -> mat) eps, 0 < eps /\
     forall m embedding (place row : nat -> nat) lys last first second,
     last_layer d m lys last first second -> all_hard m -> plain m embedding ->
     ~ approximately_simulates n T alpha A eps
         (fun w t => Pass.forward N m (reads_letters embedding place w) (row t))).
Proof.
  intros Hn HT L last_layer. destruct (WidthTransformers.theorem1_width_order n T Hn HT) as [H G]. split.
  - intros Sigma alpha A. destruct (H Sigma alpha A)
      as (N & m & e & p & r & lys & last & a & b & H1 & H2 & H3 & H4 & H5 & H6 & H7 & H8 & H9 & H10).
    exists N, m, e, p, r, lys, last, a, b. unfold last_layer. tauto.
  - intros N d Hd. destruct (G N d Hd) as (K & alpha & A & eps & He & F).
    exists K, alpha, A, eps. split; [exact He|]. intros m e p r lys last a b (H1 & H2 & H3 & H4 & H5 & H6 & H7) Hh Hp.
    now apply (F m e p r lys last a b).
Qed.

(** Trees: h heads see no more than h^L leaves. *)
Theorem hard_attention_depth_trees own N L h n (s : tree unit) :
  (1 <= brought own h)%nat -> (2 <= n)%nat -> (brought own h ^ L < leaves s)%nat ->
  forall K, (digits own N L h < K)%nat -> forall transformer embedding (place row : nat -> nat),
  all_hard transformer -> at_most L h transformer -> own = true \/ plain transformer embedding ->
  ~ approximately_simulates_trees n (length (str s)) (number_leaf K) adding (fun t => shape t = s) (/ 2)
      (fun w i => Pass.forward N transformer (reads_letters embedding place w) (row i)).
Proof. exact (DepthTrees.hard_attention_depth_trees own N L h n s). Qed.

(** Limits: three binary letters in one layer; averages add any number of letters in one layer. *)
Theorem three_binary_letters (O : Type) (f : list nat -> O) :
  exists net : DepthBound.network nat (nat * nat) O, DepthBound.within net 3 1 2 /\
    forall w, DepthBound.word 3 2 w -> DepthBound.output net w = f w.
Proof. exact (DepthBound.three_binary_letters O f). Qed.

Theorem averages_add kind T : kind <> Hard -> simulates 2 T first_state (counter (fun a => a) 1)
  (fun w t => Pass.forward (S T) (DepthAverages.adder kind)
    (reads_letters DepthAverages.digit_token (DepthAverages.after_begin T) w) t).
Proof. exact (DepthAverages.averages_add kind T). Qed.

(** ** Language models: total variation of the next-symbol distribution; beyond the paper *)

(** A readout of logarithms, whose logits are off by eps. *)
Theorem variation_one_hot_euclidean k (c : nat -> bool) l low b eps : (0 < k)%nat ->
  let p i := if c i then exp (l i) else 0 in
  let a i := if c i then l i else low in
  sum k p = 1 -> sqrt (sum k (fun i => (a i - b i) ^ 2)) <= eps ->
  Variation.variation k p (Variation.probabilities k b) <= tanh (sqrt 2 * eps / 4) + INR k * exp low.
Proof. exact (Variation.variation_one_hot_euclidean k c l low b eps). Qed.

(** Units for the logarithm, at all positions of a word that is drawn, except with probability s0. *)
Theorem sampled_variation k m T p q y g s0 M delta eps eta G low :
  Ville.process k p -> (forall x, (x < k)%nat -> 0 < q x) -> sum k q <= 1 ->
  0 < M -> 0 <= delta -> 0 <= eps -> 0 <= eta -> 0 <= G -> Variation.logarithmic g M delta eps eta G ->
  (forall w x, DecoderStates.over k w -> (length w <= T)%nat -> (x < k)%nat ->
     Rabs (y w x - p (w ++ [x]) / Ville.shares_of q w) <= eps /\ y w x <= M) ->
  INR k * (delta * M + 2 * eps) < s0 ->
  Ville.probability k T p (Ville.ever (fun w =>
    Theorem1.Rltb (Variation.general_bound k m s0 M delta eps eta G low)
      (Variation.variation (k + m) (Variation.extended k (Variation.normalised k (fun x => p (w ++ [x]))))
         (Variation.probabilities (k + m) (Variation.unit_logits k g M low (y w)))))) <= s0.
Proof. exact (Ville.sampled_variation k m T p q y g s0 M delta eps eta G low). Qed.

(** ** Theorem 4, repaired: C(m + d, d) hidden units approximate every polynomial map of degree d *)

Theorem theorem4 m d outputs sigma (D : nat -> R -> R) b r :
  0 < r -> (forall y, D 0%nat y = sigma y) -> Differences.derivatives d D b r -> D d b <> 0 ->
  forall p, (forall i, (i < outputs)%nat -> Theorem4.polynomial m d (p i)) ->
  forall B eps, 0 < eps -> exists (W : mat) (bias : nat -> R) (V : mat),
  forall x, (forall j, (j < m)%nat -> Rabs (x j) <= B) -> forall i, (i < outputs)%nat ->
  Rabs (sum (Lattice.choose (m + d) d) (fun u =>
          V u i * sigma (sum m (fun j => W u j * x j) + bias u)) - Theorem4.evaluate (p i) x) < eps.
Proof. exact (Theorem4.theorem4 m d outputs sigma D b r). Qed.

(** ** What they all assume: three axioms of Coq's real numbers *)

Definition cited :=
  (@theorem1, @combs, @theorem1_words, @theorem1_printed, @theorem2, @theorem2_printed, @theorem2_bits,
   @theorem3_exact, @theorem3, @corollary1, @encoder_leaves, @encoder_length, @encoder_decides,
   @theorem_B, @theorem_A, @tree_decoder, @tree_decoder_log, @tree_decoder_soft, @equation1_first,
   @theorem2_fails, @theorem2_printed_fails, @theorem3_fails, @piecewise_linear_rate, @relu_fixed_alphabet,
   @relu_units_follow_the_alphabet, @theorem1_depth_optimal, @theorem1_width_order,
   @hard_attention_depth_trees, @three_binary_letters, @averages_add, @variation_one_hot_euclidean,
   @sampled_variation, @theorem4).
Print Assumptions cited.
