(** * Theorem 1 in its clean form

    Section 3.2. The network of NoPadsWeights.v, real numbers that are chosen before the word, simulates the
    automaton at length T in the sense of Definition 3.1 (Simulation.v), on T + 1 tokens: a begin token
    and the word. Nothing is added after a layer, so the positional encodings are supplied once, at the
    bottom; T is any length; there are no pads. With its sizes, as one would cite it: Main.v.

    Where we differ from the print: T + 1 rows; depth rounded up; three heads in place of two and a
    bilinear width of 2n^2 + 4 in place of 2n^2, which are of the printed orders.

    Main definitions: [begun_tokens], [begun_answers].
    Main theorem:     [theorem1_clean]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Sums Model Sizes Attention Theorem1 NoPadsWeights NoPads Simulation Statements.
Import ListNotations.
Open Scope R_scope.

Section Words.
Context {Sigma : Type} (n T : nat) (alpha : nat -> R) (A : Sigma -> mat).
Hypothesis T_1 : (1 <= T)%nat.

(** ** Tokens: each depends on one letter and on its position; the first one is the begin token *)

Definition begun_token (o : option Sigma) (r c : nat) : R :=
  if (c <? n2 n)%nat then vec n (padded A o) c else
  if (c <? 2 * n2 n)%nat then vec n (padded A o) (c - n2 n)
  else number_of (fun _ => 0) 0 (clean_position n T r c).

Definition begun_tokens (w : list Sigma) : mat :=
  fun r => begun_token (letter w (Z.of_nat r)) r.

Lemma begun_tokens_are w :
  real alpha (fun t => padded A (letter w (Z.of_nat t))) 1 (clean_embedding n T T) = begun_tokens w.
Proof.
  apply functional_extensionality. intro r. apply functional_extensionality. intro c.
  unfold real, begun_tokens, begun_token. cbn [clean_embedding entry].
  assert (E : forall v, value alpha (fun t => padded A (letter w (Z.of_nat t))) 1
                          (clean_token n r v) = vec n (padded A (letter w (Z.of_nat r))) v).
  { intro v. unfold clean_token, vec. destruct (Nat.eqb_spec r 0) as [->|_]; [|reflexivity].
    change (letter w (Z.of_nat 0)) with (@None Sigma).
    unfold identity, bit, padded, I. destruct (v / n =? v mod n)%nat; reflexivity. }
  destruct (c <? n2 n)%nat; [apply E|]. destruct (c <? 2 * n2 n)%nat; [apply E|].
  unfold number_of, clean_position. destruct (c =? 2 * n2 n)%nat; [reflexivity|].
  destruct (c =? 2 * n2 n + 1)%nat; reflexivity.
Qed.

(** ** No weight stands for a letter *)

Lemma clean_wordless : free_model_of (clean n T).
Proof.
  assert (Bit : forall b, wordless (bit b)) by (intros []; exact Logic.I).
  assert (Below : forall f, (forall i j, wordless (f i j)) -> free (below n plain f)).
  { intros f Hf i j. cbn [below entry plain]. destruct (i <? 2 * n2 n)%nat; [exact Logic.I|apply Hf]. }
  assert (Turn : forall k i j, wordless (turn T k i j)) by (intros k [|[|i]] [|[|j]]; exact Logic.I).
  split; [intros i j; exact Logic.I|]. split.
  { intros i j. cbn. repeat match goal with |- context [if ?b then _ else _] => destruct b end;
      exact Logic.I. }
  intros ly Hl. cbn in Hl. apply in_map_iff in Hl as (l & <- & _). cbn [clean_layer_at WO feedforward heads].
  split; [intros i j; apply Bit|]. split.
  - split; [intros i j; apply Bit|]. split; [intros i j; apply Bit|]. split; [intros i j; apply Bit|].
    intros a b c. cbn [tensor]. unfold clean_tensor, product_tensor.
    repeat match goal with |- context [if ?b then _ else _] => destruct b end; try exact Logic.I;
      try apply Bit.
    destruct (a - n2 n)%nat as [|[|]], (b - n2 n)%nat as [|[|]], (c - n2 n)%nat as [|[|]]; exact Logic.I.
  - repeat constructor; cbn [WQ WK WV]; try (intros i j; apply Bit); apply Below; intros;
      try apply Bit; apply Turn.
Qed.

(** ** Theorem 1 *)

(** Row t is what the network returns at token t. *)
Definition begun_answers (net : network) (w : list Sigma) : mat :=
  run_network_on (hard (T + 1)) (fun x => x) (T + 1) net (begun_tokens w).

Theorem theorem1_clean :
  simulates n T alpha A (begun_answers (network_of alpha 1 (clean n T))).
Proof.
  intros w Hw t j Ht Hj. unfold begun_answers. rewrite <- begun_tokens_are.
  rewrite <- (forward_is_network alpha 1 (fun t => padded A (letter w (Z.of_nat t)))
    (hard (T + 1)) (T + 1) (fun x => x) _ _ clean_wordless).
  exact (no_pads (option Sigma) n T alpha (padded A) T_1 T (fun t => letter w (Z.of_nat t))
    t j (le_n T) Ht Hj).
Qed.
End Words.
