(** * Theorem 1 without its assumptions: no pads, nothing supplied again, any length

    Theorem 1 (Section 3.2, Appendix B.1) in the paper's own architecture, an encoder with hard
    attention, a bilinear block in every layer and no residual connection, but with T + 1 tokens (a
    begin token and the word) in place of 2T, with the positional encodings supplied once, at the
    bottom, and for every T >= 1, not only powers of two. Three heads, width 2n^2 + 2,
    L = ceil(log2 T) layers: for every automaton over any alphabet and every word of m <= T letters
    the output at token t is the state after t letters, t = 0 .. m.

    Why it works: token t has the angle pi t / (T 2^L), so that all tokens are on an arc and the
    nearest token to t - 2^l, where there is none, is the begin token, which carries the identity. The
    third head carries the position to the bilinear block, which squares it as a complex number: the
    angles double, and in the last layer the arc is a quarter of the circle.

    Where we differ from the print: the sizes of the blocks are those that fit (see Model.v), the
    bilinear block has two more inputs on each side and two more outputs. The encoding that the
    forward pass of Model.v adds after each layer is the zero matrix.

    Main definitions: [clean_simulator].
    Main theorems:    [no_pads], [no_pads_restated]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool Morphisms.
From Assay Require Import Compat Sums Model Sizes Attention Theorem1 NoPadsWeights NoPadsLayers.
Import ListNotations.
Open Scope R_scope.

(** ** Theorem 1 in its clean form *)

(** The output of the model for length T on a word of m letters. *)
Definition clean_simulator {Sigma : Type} (n T m : nat) (alpha : nat -> R) (A : Sigma -> mat)
  (x : nat -> Sigma) : mat :=
  let letters := fun t => A (x t) in
  forward alpha letters 1 (hard (m + 1)) (m + 1) (clean n T)
    (real alpha letters 1 (clean_embedding n T m)).

Theorem no_pads (Sigma : Type) (n T : nat) (alpha : nat -> R) (A : Sigma -> mat) : (1 <= T)%nat ->
  forall m x t j, (m <= T)%nat -> (t <= m)%nat -> (j < n)%nat ->
  clean_simulator n T m alpha A x t j = state n alpha (fun t => A (x t)) t j.
Proof.
  intros HT m x t j Hm Ht Hj. unfold clean_simulator.
  rewrite clean_output by (auto; lia). rewrite <- prefix_state by exact Hj.
  apply sum_ext. intros i Hi. f_equal.
  rewrite (spanned_segment n (fun t => A (x t)) (Nat.log2_up T) t i j Hi Hj).
  apply segment_prefix; auto. apply Nat.le_trans with T; [lia|].
  destruct (Nat.eq_dec T 1) as [->|]; [simpl; lia|]. apply Nat.log2_up_spec. lia.
Qed.

(** With the sizes: ceil(log2 T) layers, T + 1 tokens, width 2n^2 + 2, three heads. *)
Theorem no_pads_restated (Sigma : Type) (n T : nat) (alpha : nat -> R) (A : Sigma -> mat) :
  (1 <= T)%nat ->
  let model := clean n T in
  depth model = Nat.log2_up T /\
  embedding_dimension model = (2 * n ^ 2 + 2)%nat /\
  rows (clean_embedding n T T) = (T + 1)%nat /\
  (forall r c, entry (encoding model) r c = Zero) /\
  (forall ly, In ly (layers model) ->
     head_count ly = 3%nat /\
     (forall h, In h (heads ly) -> attention_width h = (2 * n ^ 2 + 2)%nat) /\
     bilinear_width (feedforward ly) = (2 * n ^ 2 + 4)%nat) /\
  (forall m x t j, (m <= T)%nat -> (t <= m)%nat -> (j < n)%nat ->
     clean_simulator n T m alpha A x t j = state n alpha (fun t => A (x t)) t j).
Proof.
  intros HT model. assert (E : (n ^ 2 = n * n)%nat) by (simpl; lia). rewrite E.
  split; [unfold depth, model, clean; cbn [layers]; now rewrite map_length, seq_length|].
  split; [reflexivity|]. split; [reflexivity|]. split; [reflexivity|]. split.
  - intros ly Hly. apply in_map_iff in Hly. destruct Hly as (l & <- & _).
    split; [reflexivity|]. split.
    + intros h Hh. assert (Hw : value_width h = d n /\ query_width h = 2%nat)
        by (destruct Hh as [<-|[<-|[<-|[]]]]; split; reflexivity).
      unfold attention_width. destruct Hw as [-> ->]. unfold d, n2. lia.
    + unfold bilinear_width. cbn [clean_layer_at feedforward WselL WselR select_left select_right cols].
      unfold n2. lia.
  - intros m x t j. now apply no_pads.
Qed.

