(** * The proofs of Main.v on words

    Each theorem is restated in Main.v, where its comment is: a model that fits its sizes, with the
    states that it was proved to have.

    Main theorems: [theorem1], [combs], [theorem1_words], [theorem1_printed], [theorem2], [theorem2_printed]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Compat Sums Theorem1 Softmax Trees Theorem3 Activation Simulation.
From Assay Require Import Pass Fits FitsWords FitsTrees.
From Assay Require TreeModel.
From Assay Require Model MLPModel Statements NoPadsWeights NoPadsStatement.
From Assay Require CleanWords CleanWordsSoft CleanWordsEntries Combs.
Import TreeModel(Hard, Soft, Everywhere).
Import Simulation(times, letter).
Import ListNotations.
Open Scope R_scope.

(** [Main.run] and [Main.run_padded], written out. *)
Local Notation run N m token := (fun w => Pass.forward N m (fun r => token (letter w (Z.of_nat r)) r)).
Local Notation run_padded L m token :=
  (fun w t => Pass.forward (2 * 2 ^ L) m (fun r => token (letter w (Z.of_nat r - Z.of_nat (2 ^ L) + 1)) r)
                (t + 2 ^ L - 1)%nat).

(** A model whose positions are given once runs its layers one after the other. *)
Lemma forward_given_once N m E : given_once m -> Pass.forward N m E =
  fun r c => times (fold_left (fun X ly => Pass.run_layer N ly X) (Pass.layers m) E) (Pass.readout m) r c
             + offset m c.
Proof.
  intro H. unfold Pass.forward, Pass.run_layers. apply functional_extensionality. intro r.
  apply functional_extensionality. intro c. f_equal. f_equal.
  apply f_equal with (f := fun step => fold_left step (Pass.layers m) E).
  apply functional_extensionality. intro X. apply functional_extensionality. intro ly.
  apply functional_extensionality. intro r'. apply functional_extensionality. intro c'. now rewrite H.
Qed.

(** ** Theorem 1 *)

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
