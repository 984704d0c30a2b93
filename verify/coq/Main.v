(** * The theorems that one would cite

    This file can be read by itself: what it is to simulate an automaton, what a transformer is, what its
    sizes are, and a dozen theorems. Each definition is shown by an equality that Coq checks. Proofs are in
    ProofsWords.v, ProofsTrees.v and ProofsDecoders.v. What the theorems assume is printed at the end: three
    axioms of Coq's real numbers.

    "There is a transformer" always means: its numbers are chosen before the word or the tree, which reach
    it through tokens that depend on one symbol and on its place. T + 1 rows are returned, as A(x) has.

    Main definitions: [run], [run_padded], [run_on_tree], [run_decoder].
    Main theorems:    [theorem1], [combs], [theorem1_words], [theorem1_printed], [theorem2], [theorem2_printed],
                      [theorem3], [theorem3_exact], [corollary1], [encoder_leaves], [encoder_length],
                      [encoder_decides], [theorem_A], [theorem_B], [tree_decoder],
                      [tree_decoder_log], [tree_decoder_soft]. *)

From Coq Require Import Reals ZArith List Arith.
From Assay Require Import Sums Trees Theorem3 Activation Simulation TreeSimulation Pass Fits FitsDecoders.
From Assay Require TreeModel Combs Corollary1 Pebbling Spectral DecoderStates DecoderActivation.
From Assay Require TreeDecoderEnds TreeDecoderSteps LogDepthEncoderStatements ProofsWords ProofsTrees ProofsDecoders.
From Assay Require DepthBound DepthTransformers DepthTrees DepthAverages WidthTransformers.
From Assay Require Equation1 ReluTransformers ReluTrees ReluRate ReluFixedAlphabet Theorem4 Variation Ville.
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
Proof. exact (ProofsWords.forward_given_once N m E). Qed.

(** ** What its sizes are: [Fits.fits] bounds every matrix *)

Example fits_is s sigma m : fits s sigma m =
  (length (Pass.layers m) = depth s /\ Forall (layer_fits s sigma) (Pass.layers m) /\
   height (Pass.readout m) = embedding s /\ breadth (Pass.readout m) = outputs s).
Proof. reflexivity. Qed.

Example layer_fits_is s sigma ly : layer_fits s sigma ly =
  ((length (Pass.heads ly) <= head_count s)%nat /\
   Forall (fun h => height (Pass.query h) = embedding s /\ height (Pass.key h) = embedding s /\
             height (Pass.value h) = embedding s /\ breadth (Pass.key h) = breadth (Pass.query h) /\
             (breadth (Pass.query h) <= attention_width s)%nat /\
             (breadth (Pass.value h) <= attention_width s)%nat) (Pass.heads ly) /\
   height (combine ly) = values_width (Pass.heads ly) /\ (breadth (combine ly) <= joined_width s)%nat /\
   (residual ly = true -> breadth (combine ly) = embedding s) /\
   exists B, block_fits (breadth (combine ly)) (embedding s) (hidden_width s) B /\
     forall x c, Pass.feedforward ly x c = Fits.run_block sigma B x c).
Proof. reflexivity. Qed.

(** Coordinates of the embedding beyond its dimension are not read. *)
Example embedding_bounded N s sigma m E E' : fits s sigma m ->
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
      (fun y => y) m /\
    consists Hard Everywhere false m /\ given_once m /\ simulates n T alpha A (run (T + 1) m token).
Proof. exact (ProofsWords.theorem1 n T alpha A). Qed.

(** Section 4.2: on combs a WTA is a WFA with n + 1 states that reads the leaves from the last to the first;
    one transformer with ceil(log2 N) layers gives the states of all combs with N leaves. *)
Theorem combs {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor N : (1 <= N)%nat ->
  exists m token,
    fits (Sizes (Nat.log2_up N) (2 * S n ^ 2 + 2) 3 (2 * S n ^ 2 + 2) (2 * S n ^ 2 + 2) (2 * S n ^ 2 + 4)
            (S n)) (fun y => y) m /\
    consists Hard Everywhere false m /\ given_once m /\
    forall a w t j, length (a :: w) = N -> (t <= length w)%nat -> (j < n)%nat ->
      run (N + 1) m token (a :: w) (S t) j = mu n leaf tensor (Combs.comb a (firstn t w)) j.
Proof. exact (ProofsWords.combs n leaf tensor N). Qed.

(** Two heads, embedding n^2 + 3, where positions are (i, i^2) and the bilinear layer is wider. *)
Theorem theorem1_words {Sigma : Type} n T alpha (A : Sigma -> mat) : (1 <= T)%nat ->
  exists m token,
    fits (Sizes (Nat.log2_up T) (n ^ 2 + 3) 2 (n ^ 2 + 3) (n ^ 2 + (n ^ 2 + 3))
            (2 * (n ^ 2 + (n ^ 2 + 3))) n) (fun y => y) m /\
    consists Hard Everywhere false m /\ given_once m /\ simulates n T alpha A (run (T + 1) m token).
Proof. exact (ProofsWords.theorem1_words n T alpha A). Qed.

(** As printed, with the assumptions of its proof: depth ceil(log2 T), embedding and attention width
    2n^2 + 2, two heads, bilinear width 2n^2; some columns, the positions, are supplied again. *)
Theorem theorem1_printed {Sigma : Type} n T alpha (A : Sigma -> mat) : (1 <= T)%nat ->
  let L := Nat.log2_up T in
  exists m token,
    fits (Sizes L (2 * n ^ 2 + 2) 2 (2 * n ^ 2 + 2) (2 * n ^ 2 + 2) (2 * n ^ 2) n) (fun y => y) m /\
    consists Hard Everywhere false m /\ simulates n T alpha A (run_padded L m token).
Proof. exact (ProofsWords.theorem1_printed n T alpha A). Qed.

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
      sigma m /\
    consists Soft Everywhere false m /\ given_once m /\
    approximately_simulates n T alpha A eps (run (T + 1) m token).
Proof. exact (ProofsWords.theorem2 n T alpha A letters sigma). Qed.

(** As printed, with the assumptions of its proof, for every width of at least 4n^3: the printed
    2n^4 + 3n^2 + 1 is one. *)
Theorem theorem2_printed {Sigma : Type} n T alpha (A : Sigma -> mat) (letters : list Sigma) sigma width :
  (1 <= T)%nat -> (forall a, In a letters) -> usable sigma -> (4 * n ^ 3 <= width)%nat ->
  forall eps, 0 < eps -> let L := Nat.log2_up T in
  exists m token,
    fits (Sizes L (2 * n ^ 2 + 2) 2 (2 * n ^ 2 + 2) (2 * n ^ 2 + 2) width n) sigma m /\
    consists Soft Everywhere false m /\ approximately_simulates n T alpha A eps (run_padded L m token).
Proof. exact (ProofsWords.theorem2_printed n T alpha A letters sigma width). Qed.

(** ** Theorem 3 and Corollary 1 *)

(** On the symbols of str(t) alone, hard attention and a bilinear layer: fewer than T layers. *)
Theorem theorem3_exact {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor T : (1 <= T)%nat ->
  exists depth m token, (depth < T)%nat /\
    fits (Sizes depth (2 * n + 8) 3 (2 * n + 8) (4 * n + 12) (2 * (4 * n + 12)) n) (fun y => y) m /\
    consists Hard Everywhere false m /\ given_once m /\
    simulates_trees n T leaf tensor (fun _ => True) (run_on_tree m token).
Proof. exact (ProofsTrees.theorem3_exact n leaf tensor T). Qed.

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
  fits (tree_sizes depth) sigma m /\ consists Soft Everywhere false m /\ given_once m.

(** Fewer than T layers for all trees, 2 k ceil(log2 T) for the trees of height at most k ceil(log2 T). *)
Theorem theorem3 (leaf : Sigma -> nat -> R) tensor eps : 0 < eps ->
  (exists depth m token, (depth < T)%nat /\ tree_transformer depth m /\
     approximately_simulates_trees n T leaf tensor (fun _ => True) eps (run_on_tree m token)) /\
  (forall k, exists m token, tree_transformer (2 * (k * Nat.log2_up T)) m /\
     approximately_simulates_trees n T leaf tensor (fun t => (Trees.height t <= k * Nat.log2_up T)%nat) eps
       (run_on_tree m token)).
Proof. exact (ProofsTrees.theorem3 n T letters sigma n_1 T_1 letters_all sigma_usable leaf tensor eps). Qed.

(** Output q at a node is above 1/2 exactly where state q is reachable there. *)
Theorem corollary1 (initial : Sigma -> nat -> bool) delta :
  (exists depth m token, (depth < T)%nat /\ tree_transformer depth m /\
     forall (t : tree Sigma) i d u, (length (str t) <= T)%nat -> node t i d u ->
       Corollary1.decides n initial delta u (run_on_tree m token (str t) i)) /\
  (forall k, exists m token, tree_transformer (2 * (k * Nat.log2_up T)) m /\
     forall (t : tree Sigma) i d u, (length (str t) <= T)%nat ->
       (Trees.height t <= k * Nat.log2_up T)%nat -> node t i d u ->
       Corollary1.decides n initial delta u (run_on_tree m token (str t) i)).
Proof. exact (ProofsTrees.corollary1 n T letters sigma n_1 T_1 letters_all sigma_usable initial delta). Qed.
End Theorem3.

(** ** Trees of any shape in logarithmic depth: the question of Section 4.2 *)

Section LogDepth.
Context {Sigma : Type} (n : nat) (letters : list Sigma) (sigma : R -> R).
Hypothesis letters_all : forall a, In a letters.
Hypothesis sigma_usable : usable sigma.

(** Embedding O(n^2), where Theorem 3 has O(n); at most four heads, O(n^3) hidden units. *)
Definition log_transformer (depth : nat) (m : model) : Prop :=
  fits (Sizes depth (n ^ 2 + n + 12) 4 (n ^ 2 + n + 12) (4 * (n ^ 2 + n + 12))
          (4 * (10 * n ^ 3 + 6 * n ^ 2 + n + 108)) n) sigma m /\
  consists Soft Everywhere false m /\ given_once m.

(** At most 2 + log_rho((N + 1) / 2) layers for all trees with at most N leaves, rho^3 = rho + 1. *)
Theorem encoder_leaves (leaf : Sigma -> nat -> R) tensor N rho eps : (1 <= N)%nat ->
  0 < rho -> rho ^ 3 = rho + 1 -> 0 < eps ->
  exists steps m token, rho ^ steps <= (INR N + 1) / 2 /\ log_transformer (2 + steps) m /\
    forall t i e u, (Pebbling.leaves t <= N)%nat -> node t i e u ->
      sqrt (sum n (fun k => (run_on_tree m token (str t) i k - mu n leaf tensor u k) ^ 2)) < eps.
Proof. exact (ProofsTrees.encoder_leaves n letters sigma letters_all sigma_usable leaf tensor N rho eps). Qed.

(** At most 3 ceil(log2 T) + 4 layers for all trees with |str(t)| <= T. *)
Theorem encoder_length (leaf : Sigma -> nat -> R) tensor T eps : (1 <= T)%nat -> 0 < eps ->
  exists depth m token, (depth <= 3 * Nat.log2_up T + 4)%nat /\ log_transformer depth m /\
    approximately_simulates_trees n T leaf tensor (fun _ => True) eps (run_on_tree m token).
Proof. exact (ProofsTrees.encoder_length n letters sigma letters_all sigma_usable leaf tensor T eps). Qed.

(** Tree automata: output q at a node is above 1/2 exactly where state q is reachable there. *)
Theorem encoder_decides (initial : Sigma -> nat -> bool) delta T : (1 <= T)%nat ->
  exists depth m token, (depth <= 3 * Nat.log2_up T + 4)%nat /\ log_transformer depth m /\
    forall (t : tree Sigma) i d u, (length (str t) <= T)%nat -> node t i d u ->
      Corollary1.decides n initial delta u (run_on_tree m token (str t) i).
Proof. exact (ProofsTrees.encoder_decides n letters sigma letters_all sigma_usable initial delta T). Qed.
End LogDepth.

(** There is such a number rho, between 1.3 and 1.4. *)
Check LogDepthEncoderStatements.plastic_number.

(** ** Decoders: causal masks, residual connections, token and position embeddings; beyond the paper *)

(** Gated blocks, every gate with act y - act (- y) = y and act 1 <> 0 (ReLU, SiLU, GELU): letters
    0 .. q - 1 and a begin token, every word of at most T letters, every eps. *)
Theorem theorem_B n q T alpha (A : nat -> mat) act : (1 <= T)%nat ->
  (forall y, act y - act (- y) = y) -> act 1 <> 0 -> forall eps, 0 < eps ->
  exists m E P,
    fits (Sizes (Nat.log2_up T) (2 * n ^ 2 + 3) 1 (Nat.max (n ^ 2) 2) (2 * n ^ 2 + 3)
            (2 * n ^ 3 + n ^ 2) n) act m /\
    consists Soft Causal true m /\ given_once m /\ embeds (q + 1) (T + 1) (2 * n ^ 2 + 3) E P /\
    forall word, DecoderStates.over q word -> (length word <= T)%nat ->
    forall t, (t <= length word)%nat ->
    Spectral.length2 n (fun j => run_decoder m E P (q :: word) t j
                        - DecoderStates.read_word n A alpha (firstn t word) j) <= eps.
Proof. exact (ProofsDecoders.theorem_B n q T alpha A act). Qed.

(** Plain MLPs of 4n^3 units, every activation that is gentle: GELU and SiLU (Decoder.v). *)
Theorem theorem_A n q T alpha (A : nat -> mat) act c k : (1 <= T)%nat ->
  DecoderActivation.gentle act c k -> forall eps, 0 < eps ->
  exists m E P,
    fits (Sizes (Nat.log2_up T) (2 * n ^ 2 + 2) 1 (Nat.max (n ^ 2) 2) (2 * n ^ 2 + 2) (4 * n ^ 3) n)
      act m /\
    consists Soft Causal true m /\ given_once m /\ embeds (q + 1) (T + 1) (2 * n ^ 2 + 2) E P /\
    forall word, DecoderStates.over q word -> (length word <= T)%nat ->
    forall t, (t <= length word)%nat ->
    Spectral.length2 n (fun j => run_decoder m E P (q :: word) t j
                        - DecoderStates.read_word n A alpha (firstn t word) j) <= eps.
Proof. exact (ProofsDecoders.theorem_A n q T alpha A act c k). Qed.

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
  fits (tree_decoder_sizes steps) act m /\ consists kind Causal true m /\ given_once m /\
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
Proof. exact (ProofsDecoders.tree_decoder n q T leaf tensor act n_1 act_odd act_1 k rho). Qed.

(** 3 log2(N + 1) - 1 steps are enough for N leaves. *)
Theorem tree_decoder_log leaf_count : (1 <= leaf_count)%nat ->
  exists m E P, tree_decoder_of Saturated (3 * Nat.log2 (leaf_count + 1) - 1) m E P /\
    forall t, fitting t -> forall i v, TreeDecoderEnds.ends (str t) i v ->
    (Pebbling.leaves v <= leaf_count)%nat ->
    forall a, (a < n)%nat -> state_at m E P t i a = mu n leaf tensor v a.
Proof. exact (ProofsDecoders.tree_decoder_log n q T leaf tensor act n_1 act_odd act_1 leaf_count). Qed.

(** Softmax: one model for all these trees, for every eps. *)
Theorem tree_decoder_soft k rho eps : 0 < rho -> rho ^ 3 = rho + 1 -> 0 < eps ->
  exists m E P, tree_decoder_of Soft (S k) m E P /\
    forall t, fitting t -> forall i v, TreeDecoderEnds.ends (str t) i v ->
    (INR (Pebbling.leaves v) + 1) / 2 < rho ^ (S k + 1) ->
    forall a, (a < n)%nat -> Rabs (state_at m E P t i a - mu n leaf tensor v a) < eps.
Proof. exact (ProofsDecoders.tree_decoder_soft n q T leaf tensor act n_1 act_odd act_1 k rho eps). Qed.
End TreeDecoder.

(** ** What fails *)

(** Equation (1) at the first layer: one state of weight 0 to 1/8, two letters, every C >= 2. *)
Check Equation1.equation1_first.

(** Theorems 2 and 3 for piecewise linear activations (ReLU), for alphabets that grow with the width. *)
Check ReluTransformers.piecewise_linear_fails.
Check ReluTrees.piecewise_linear_fails_trees.

(** One automaton with letters from an interval: its error is at least 1 / c^(W + 1) with W hidden units. *)
Check ReluRate.piecewise_linear_rate.

(** Over a given alphabet enough ReLU units, whatever the number of states, simulate all automata exactly. *)
Check ReluFixedAlphabet.relu_fixed_alphabet.
Check ReluFixedAlphabet.relu_units_follow_the_alphabet.

(** ** Theorem 1 is optimal: hard attention, two heads, no residual connections, large alphabets *)

(** The fewest layers. *)
Check DepthTransformers.theorem1_depth_optimal.

(** At that depth the least rank of W_V in a bilinear last layer. *)
Check WidthTransformers.theorem1_width_order.

(** Trees: h heads see no more than h^L leaves. *)
Check DepthTrees.hard_attention_depth_trees.

(** Limits: three binary letters in one layer; averages add any number of letters in one layer. *)
Check DepthBound.three_binary_letters.
Check DepthAverages.averages_add.

(** ** Language models: total variation of the next-symbol distribution; beyond the paper *)

(** A readout of logarithms, whose logits are off by eps. *)
Check Variation.variation_one_hot_euclidean.

(** Units for the logarithm, at all positions of a word that is drawn, except with probability s0. *)
Check Ville.sampled_variation.

(** ** Theorem 4, repaired *)

Check Theorem4.theorem4.

(** ** What they all assume: three axioms of Coq's real numbers *)

Definition cited :=
  (@theorem1, @combs, @theorem1_words, @theorem1_printed, @theorem2, @theorem2_printed,
   @theorem3_exact, @theorem3, @corollary1, @encoder_leaves, @encoder_length, @encoder_decides,
   @theorem_B, @theorem_A, @tree_decoder, @tree_decoder_log, @tree_decoder_soft, @Equation1.equation1_first,
   @ReluTransformers.piecewise_linear_fails, @ReluTrees.piecewise_linear_fails_trees,
   @ReluRate.piecewise_linear_rate, @ReluFixedAlphabet.relu_fixed_alphabet,
   @ReluFixedAlphabet.relu_units_follow_the_alphabet, @DepthTransformers.theorem1_depth_optimal,
   @WidthTransformers.theorem1_width_order, @DepthTrees.hard_attention_depth_trees,
   @DepthBound.three_binary_letters, @DepthAverages.averages_add,
   @Variation.variation_one_hot_euclidean, @Ville.sampled_variation, @Theorem4.theorem4).
Print Assumptions cited.
