(** * Theorems 1 and 2: the built networks simulate the automaton

    Section 3.2. The networks of Model.v and MLPModel.v, real numbers that are chosen before the word,
    simulate the automaton at length T in the sense of Definitions 3.1 and 3.2 (Simulation.v). With their
    sizes, as one would cite them, the theorems are in Main.v; how large C and how small the step h must be
    is in Theorem2Rates.v.

    Where we differ from the print: T + 1 rows; depth rounded up; 2T' tokens with T' = 2^ceil(log2 T),
    identities outside of the word; the positional encodings are added again after each layer; the
    activation is named.

    Main definition:  [answers].
    Main theorems:    [theorem1_simulates], [theorem2_simulates]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Model Sizes Theorem1 Softmax Theorem2.
From Assay Require Import Activation MLP MLPModel Theorem2MLP Simulation.
Import ListNotations.
Open Scope R_scope.

(** ** The answers of a network *)

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
Theorem theorem1_simulates :
  simulates n T alpha A
    (answers hard (fun x => x) n L A (network_of alpha 1 (construction n L (fun w => w)))).
Proof. intros w Hw t j Ht Hj. rewrite <- hard_answers. now apply theorem1_any_length. Qed.

(** Theorem 2. *)
Theorem theorem2_simulates (letters : list Sigma) sigma extra :
  (forall a, In a letters) -> usable sigma -> forall eps, 0 < eps -> exists C b h s,
    approximately_simulates n T alpha A eps
      (answers softmax sigma n L A (mlp_network_of alpha C b h s (soft_model n L extra))).
Proof.
  intros Hall Hu eps He.
  assert (Hall' : forall o, In o (None :: map Some letters)).
  { intros [a|]; [right; apply in_map, Hall|now left]. }
  destruct (theorem2_whole n T (4 * n ^ 3 + extra) alpha (padded A) _ sigma T_1 ltac:(lia) Hall' Hu)
    as [_ H].
  replace (4 * n ^ 3 + extra - 4 * n ^ 3)%nat with extra in H by lia. fold L in H.
  destruct (H eps He) as (C & b & h & s & Hx). exists C, b, h, s.
  intros w Hlen. specialize (Hx (word w)). eapply Rle_lt_trans; [|exact Hx]. apply Req_le. f_equal.
  apply sum_ext. intros t Ht. apply sum_ext. intros j Hj. now rewrite mlp_answers.
Qed.
End Words.
