(** * Theorems 1 and 2 as one would cite them

    Section 3.2. Each theorem says: there is one network, real numbers of the stated sizes, chosen
    before the word, that simulates the automaton at length T in the sense of Definitions 3.1 and 3.2
    (Simulation.v).

    [theorem1_simulates]      Theorem 1: depth ceil(log2 T), embedding and attention width 2n^2 + 2,
                              two heads, bilinear width 2n^2
    [theorem2_simulates]      Theorem 2, every eps > 0, with any width of at least 4n^3, the printed
                              2n^4 + 3n^2 + 1 for example
    How large C and how small the step h must be is in Theorem2Rates.v.

    Where we differ from the print: T + 1 rows; depth rounded up; 2T' tokens with T' = 2^ceil(log2 T),
    identities outside of the word; the positional encodings are added again after each layer; the
    activation is named.

    Main definitions: [sizes], [answers].
    Main theorems:    [theorem1_simulates], [theorem2_simulates]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Model Sizes Theorem1 Softmax Theorem2.
From Assay Require Import Activation MLP MLPModel Theorem2MLP Simulation.
Import ListNotations.
Open Scope R_scope.

(** ** Sizes of a network, and its answers *)

Definition block_width (B : real_block) : nat :=
  match B with Products l r _ _ => breadth l + breadth r | Units W1 _ _ _ => breadth W1 end.

Definition sizes (net : network) (depth dimension heads width : nat) : Prop :=
  length (real_layers net) = depth /\ height (reading net) = dimension /\
  forall ly, In ly (real_layers net) ->
    length (real_heads ly) = heads /\
    (forall h, In h (real_heads ly) ->
       (breadth (value_of h) <= dimension /\ breadth (query h) <= dimension)%nat) /\
    block_width (block_of ly) = width.

(** Row t is what the network returns at position t. *)
Definition answers {Sigma : Type} (filter : nat -> mat -> mat) (sigma : R -> R) n L
    (A : Sigma -> mat) (net : network) (w : list Sigma) : mat :=
  fun t => run_network_on (filter (N L)) sigma (N L) net (tokens_of n L A w) (t + 2 ^ L - 1)%nat.

Section Words.
Context {Sigma : Type} (n T : nat) (alpha : nat -> R) (A : Sigma -> mat).
Hypothesis T_1 : (1 <= T)%nat.
Let L := Nat.log2_up T.

Lemma fits : (T <= 2 ^ L)%nat.
Proof. apply (depth_any_length T T_1). Qed.

Lemma hard_wordless : free_model_of (construction n L (fun w => w)).
Proof. now apply model_wordless. Qed.

Lemma soft_wordless : free_model_of (construction n L RootC).
Proof. now apply model_wordless. Qed.

Local Notation word w := (fun t => letter w (Z.of_nat t)).

Lemma hard_answers w t j :
  simulator n L alpha (padded A) (word w) (t + 2 ^ L - 1)%nat j
  = answers hard (fun x => x) n L A (network_of alpha 1 (construction n L (fun w => w))) w t j.
Proof.
  unfold simulator, answers. rewrite tokens_are.
  now rewrite (forward_is_network alpha 1 _ (hard (N L)) (N L) (fun x => x) _ _ hard_wordless).
Qed.

Lemma soft_answers C sigma w t j :
  soft_simulator n L alpha (padded A) C (word w) (t + 2 ^ L - 1)%nat j
  = answers softmax sigma n L A (network_of alpha C (construction n L RootC)) w t j.
Proof.
  unfold soft_simulator, answers. rewrite tokens_are.
  now rewrite (forward_is_network alpha C _ (softmax (N L)) (N L) sigma _ _ soft_wordless).
Qed.

Lemma mlp_answers extra C sigma b h s w t j :
  mlp_simulator n L extra alpha (padded A) C sigma b h s (word w) (t + 2 ^ L - 1)%nat j
  = answers softmax sigma n L A (mlp_network_of alpha C b h s (soft_model n L extra)) w t j.
Proof.
  unfold mlp_simulator, answers, soft_model. rewrite tokens_are.
  now rewrite (mlp_forward_is_network alpha C _ (softmax (N L)) (N L) b h s sigma _ _ _ soft_wordless).
Qed.

(** Theorem 1. *)
Theorem theorem1_simulates : exists net,
  sizes net L (2 * n ^ 2 + 2) 2 (2 * n ^ 2) /\
  simulates n T alpha A (answers hard (fun x => x) n L A net).
Proof.
  exists (network_of alpha 1 (construction n L (fun w => w))). split.
  - destruct (theorem1_restated Sigma n T alpha A T_1) as (H1 & H2 & H3 & _).
    fold L in H1, H2, H3.
    split; [cbn [network_of real_layers]; rewrite map_length; exact H1|]. split; [exact H2|].
    intros ly Hly. cbn [network_of real_layers] in Hly. apply in_map_iff in Hly as (l & <- & Hl).
    destruct (H3 l Hl) as (G1 & G2 & G3). cbn [real_heads block_of bilinear_of block_width].
    split; [rewrite map_length; exact G1|]. split; [|exact G3].
    intros h Hh. apply in_map_iff in Hh as (hd & <- & Hd). specialize (G2 hd Hd).
    unfold attention_width, value_width, query_width in G2. cbn [head_of value_of query dense_of breadth].
    lia.
  - intros w Hw t j Ht Hj. rewrite <- hard_answers. now apply theorem1_any_length.
Qed.

(** Theorem 2. *)
Theorem theorem2_simulates (letters : list Sigma) sigma width :
  (forall a, In a letters) -> usable sigma -> (4 * n ^ 3 <= width)%nat ->
  forall eps, 0 < eps -> exists net,
    sizes net L (2 * n ^ 2 + 2) 2 width /\
    approximately_simulates n T alpha A eps (answers softmax sigma n L A net).
Proof.
  intros Hall Hu Hw eps He.
  assert (Hall' : forall o, In o (None :: map Some letters)).
  { intros [a|]; [right; apply in_map, Hall|now left]. }
  destruct (theorem2_whole n T width alpha (padded A) _ sigma T_1 Hw Hall' Hu) as [HS H].
  fold L in HS, H. set (extra := (width - 4 * n ^ 3)%nat) in *.
  destruct (H eps He) as (C & b & h & s & Hx).
  exists (mlp_network_of alpha C b h s (soft_model n L extra)). split.
  - destruct HS as (S1 & S2 & S3).
    split; [cbn [mlp_network_of real_layers]; rewrite map_length; exact S1|]. split; [exact S2|].
    intros ly Hly. cbn [mlp_network_of real_layers] in Hly. apply in_map_iff in Hly as (l & <- & Hl).
    destruct (S3 l Hl) as (G1 & G2 & _ & _ & G5).
    cbn [real_heads block_of mlp_of block_width breadth].
    split; [rewrite map_length; exact G1|]. split; [|exact G5].
    intros hd Hh. apply in_map_iff in Hh as (hd' & <- & Hd). specialize (G2 hd' Hd).
    unfold attention_width, value_width, query_width in G2. cbn [head_of value_of query dense_of breadth].
    lia.
  - intros w Hlen. specialize (Hx (word w)). eapply Rle_lt_trans; [|exact Hx]. apply Req_le. f_equal.
    apply sum_ext. intros t Ht. apply sum_ext. intros j Hj. now rewrite mlp_answers.
Qed.
End Words.
