(** * The model of words with nothing supplied again: weights as text, and the one forward pass

    For a concrete number of states and layers the definitions of CleanWords.v, the ones the theorems
    are about, evaluate to lists of entries, printed in the plain form of TreeEntries.v. Tokens and
    readout have numbers of the automaton: "letter r i j" is entry (i, j) of the matrix of the token
    in row r, "alpha i" one of the initial vector; [tokens_named] and [readout_named] say that these
    are the tokens and the readout of the theorems.

    Main definitions: [word_weights_of], [word_pass_model].
    Main theorems:    [tokens_named], [readout_named], [words_pass]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool String.
From Assay Require Import Compat Sums Trees Entries TreeModel TreeEntries FreeModel TreeMLP TreeSimulation.
From Assay Require Import CleanWords CleanWordsSoft.
From Assay Require Simulation Pass PassTrees.
Import ListNotations.
Open Scope string_scope.

Inductive named := Number (z : Z) | Letter (r i j : nat) | Initial (i : nat).

Definition named_token (n r c : nat) : named :=
  let i := (Z.of_nat r + 1)%Z in
  if (c <? entries n)%nat then Letter r (c / n) (c mod n) else
  match (c - entries n)%nat with
  | 0%nat => Number 1 | 1%nat => Number i | 2%nat => Number (i * i) | _ => Number 0
  end.

Definition named_readout (n c j : nat) : named :=
  if (c <? entries n)%nat && (c mod n =? j)%nat then Initial (c / n) else Number 0.

Definition meant {Sigma : Type} (alpha : nat -> R) (A : Sigma -> mat) (x : list Sigma) (y : named) : R :=
  match y with
  | Number z => IZR z
  | Letter r i j => Simulation.padded A (Simulation.letter x (Z.of_nat r)) i j
  | Initial i => alpha i
  end.

Theorem tokens_named {Sigma : Type} n alpha (A : Sigma -> mat) x r c :
  word_tokens n A (Simulation.letter x (Z.of_nat r)) r c = meant alpha A x (named_token n r c).
Proof.
  unfold word_tokens, named_token. destruct (c <? entries n)%nat; [reflexivity|].
  destruct (c - entries n)%nat as [|[|[|q]]]; cbn [meant]; rewrite ?mult_IZR; reflexivity.
Qed.

(** Multiplying by the named readout is what the model does last. *)
Theorem readout_named {Sigma : Type} n alpha (A : Sigma -> mat) x (y : nat -> R) j : (j < n)%nat ->
  (sum (word_dimension n) (fun c => y c * meant alpha A x (named_readout n c j))
   = sum n (fun i => alpha i * y (i * n + j)%nat))%R.
Proof.
  intro Hj. unfold word_dimension. rewrite sum_add.
  replace (sum 3 _) with 0%R.
  2: { symmetry. apply sum_zero. intros p Hp. unfold named_readout.
       replace (entries n + p <? entries n)%nat with false by (symmetry; apply Nat.ltb_ge; lia).
       cbn [andb meant]. ring. }
  rewrite Rplus_0_r. unfold entries. rewrite sum_mul. apply sum_ext. intros i Hi.
  rewrite (sum_single n _ j Hj).
  - unfold named_readout, entries.
    replace (i * n + j <? n * n)%nat with true by (symmetry; apply Nat.ltb_lt; nia).
    rewrite div_add_l, Nat.div_small, Nat.add_0_r by lia.
    rewrite (Nat.add_comm (i * n)), mod_add, Nat.mod_small by lia.
    rewrite Nat.eqb_refl. cbn [andb meant]. rewrite (Nat.add_comm j). ring.
  - intros k Hk Hne. unfold named_readout.
    rewrite (Nat.add_comm (i * n)), mod_add, Nat.mod_small by lia.
    replace (k =? j)%nat with false by (symmetry; now apply Nat.eqb_neq).
    rewrite andb_false_r. cbn [meant]. ring.
Qed.

Definition show_named (place : list nat) (y : named) : list string :=
  let at_place := fold_right (fun k text => show_nat k ++ " " ++ text) "" place in
  match y with
  | Number z => placed place (Whole z)
  | Letter r i j => [at_place ++ ": letter " ++ show_nat r ++ " " ++ show_nat i ++ " " ++ show_nat j]
  | Initial i => [at_place ++ ": alpha " ++ show_nat i]
  end.

(** All weights of the model with a number of layers, and the tokens of words of T letters. *)
Definition word_weights_of (n T count : nat) (mode : attention) : list (string * string) :=
  let d := word_dimension n in
  let table height width cell := sized [height; width] (flat_map (fun r => flat_map (fun c =>
    show_named [r; c] (cell r c)) (seq 0 width)) (seq 0 height)) in
  [("renewed", picked d []); ("readout", table d n (named_readout n));
   ("embedding", table (S T) d (named_token n))]
  ++ flat_map (layer_entries d) (numbered (word_model n mode count)).

(** ** The model in the one forward pass: no residual connections, nothing given anew *)

Definition pass_model (n : nat) (alpha : nat -> R) (number : weight -> R) blocks (lys : list layer) : Pass.model :=
  Pass.Model (map (PassTrees.layer_of_tree (word_dimension n) number blocks) lys) (fun _ => false)
    (Simulation.Dense (word_dimension n) n
       (fun c j => meant alpha (fun _ : unit => I) [] (named_readout n c j)))
    (fun _ => 0%R).

Definition word_pass_model (n depth : nat) (alpha : nat -> R) (sigma : R -> R) (C b h s : R) : Pass.model :=
  pass_model n alpha (fixed nothing C) (fun ly => run_network sigma b (network nothing h s (products ly)))
    (word_model n Soft depth).

Lemma word_fits n mode l : Forall (PassTrees.head_fits (word_dimension n)) (heads (word_layer n mode l)).
Proof.
  unfold word_dimension. repeat apply Forall_cons; [| |constructor];
    (split; [|split; [|split; [reflexivity|]]]); cbn [back_head self_head scored queries keys reads].
  all: try (apply PassTrees.below_all; unfold word_dimension; lia).
  all: cbn; repeat constructor; cbn [fst]; unfold at_one, at_place, at_square; lia.
Qed.

Lemma run_words_pass {Sigma : Type} n depth mode alpha (A : Sigma -> mat) number blocks x r j : (j < n)%nat ->
  run_words n alpha A number (word_model n mode depth) blocks x r j
  = Pass.forward (S (List.length x)) (pass_model n alpha number blocks (word_model n mode depth))
      (fun r => word_tokens n A (Simulation.letter x (Z.of_nat r)) r) r j.
Proof.
  intro Hj. unfold run_words, Pass.forward, Pass.run_layers, pass_model.
  cbn [Pass.layers Pass.renewed Pass.readout Pass.offset]. rewrite Rplus_0_r.
  unfold Simulation.times, mmul. cbn [Simulation.height Simulation.number_at].
  rewrite (readout_named n alpha (fun _ : unit => I) []) by exact Hj.
  rewrite (PassTrees.layers_are (word_dimension n)); [reflexivity|].
  intros ly Hly. apply in_map_iff in Hly as (l & <- & _). apply word_fits.
Qed.

Theorem words_pass {Sigma : Type} n depth alpha (A : Sigma -> mat) sigma C b h s x r j : (j < n)%nat ->
  word_network n depth alpha A sigma C b h s x r j
  = Pass.forward (S (List.length x)) (word_pass_model n depth alpha sigma C b h s)
      (fun r => word_tokens n A (Simulation.letter x (Z.of_nat r)) r) r j.
Proof. apply run_words_pass. Qed.
