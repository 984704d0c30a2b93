(** * What it is to simulate a WTA: Definition 4.2, and models that do not see the tree

    Section 4.1. A function of trees simulates a WTA at length T if for every tree with |str(t)| <= T
    it gives the state mu(tau_i) at every position i of I_t. Repaired: the definition is given an
    approximate form, in Euclidean length, which Theorem 3 uses and the paper does not define.

    The tree models are data whose entries stand for whole numbers, for C, for the tensor, or for the
    vector of the letter in a row; only the embedding has entries of the last kind. So one forward
    pass with fixed numbers ([run_tree]) runs them on every tree: a tree reaches it through its tokens
    only, each of which depends on one symbol and on its position.

    Main definitions: [simulates_trees], [approximately_simulates_trees], [fixed], [run_tree],
                      [free_tokens].
    Main theorems:    [free_is_fixed], [exact_free_is_fixed]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Sums Theorem1 Trees Theorem3 TreeModel TreeContinuity.
From Assay Require Import FreeModel FreeInexact SharedUnits.
Import ListNotations.
Open Scope R_scope.

(** ** Definition 4.2 *)

Section Definitions.
Context {Sigma : Type} (n T : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R).
Variable trees : tree Sigma -> Prop.                (* all trees, or some *)

Definition simulates_trees (f : list (symbol Sigma) -> mat) : Prop :=
  forall t i d u, (length (str t) <= T)%nat -> trees t -> node t i d u ->
    forall k, (k < n)%nat -> f (str t) i k = mu n leaf tensor u k.

Definition approximately_simulates_trees (eps : R) (f : list (symbol Sigma) -> mat) : Prop :=
  forall t i d u, (length (str t) <= T)%nat -> trees t -> node t i d u ->
    sqrt (sum n (fun k => (f (str t) i k - mu n leaf tensor u k) ^ 2)) < eps.
End Definitions.

(** ** One forward pass with fixed numbers *)

Definition fixed (tensor : nat -> nat -> nat -> R) (C : R) (x : weight) : R :=
  match x with
  | Whole z => IZR z
  | Times z => C * IZR z
  | Entry a b c => tensor a b c
  | Vector _ _ => 0
  end.

(** [blocks] is what a layer's feed-forward block computes. *)
Definition run_tree {Sigma : Type} (number : weight -> R) (model : transformer)
    (blocks : layer -> (nat -> R) -> nat -> R) (token : option (symbol Sigma) -> nat -> nat -> R)
    (w : list (symbol Sigma)) : mat :=
  forward_with number (rows w) blocks model (fun r => token (nth_error w r) r).

Definition treeless (x : weight) : Prop := match x with Vector _ _ => False | _ => True end.
Definition treeless_form (f : form) : Prop := Forall (fun p => treeless (snd p)) f.
Definition treeless_head (h : head) : Prop :=
  Forall treeless_form (queries h) /\ Forall treeless_form (keys h).

Section Fixed.
Context {Sigma : Type} (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R) (C : R)
  (w : list (symbol Sigma)).
Local Notation val := (value leaf tensor C w).
Local Notation num := (fixed tensor C).

Lemma form_fixed f x : treeless_form f -> apply_form val f x = apply_form num f x.
Proof.
  intro H. unfold apply_form. apply lsum_ext. intros p Hp.
  apply (proj1 (Forall_forall _ _) H) in Hp. destruct (snd p); cbn in *; try tauto; reflexivity.
Qed.

Lemma score_fixed h X : treeless_head h -> score val h X = score num h X.
Proof.
  intros [HQ HK]. apply functional_extensionality. intro r. apply functional_extensionality. intro s.
  unfold score. apply lsum_ext. intros [q k] Hp.
  pose proof (in_combine_l _ _ _ _ Hp) as H1. pose proof (in_combine_r _ _ _ _ Hp) as H2.
  apply (proj1 (Forall_forall _ _) HQ) in H1. apply (proj1 (Forall_forall _ _) HK) in H2.
  cbn [fst snd]. now rewrite !form_fixed.
Qed.

Lemma joined_fixed N hs X : Forall treeless_head hs -> joined val N hs X = joined num N hs X.
Proof.
  induction 1 as [|h hs Hh _ IH]; [reflexivity|]. apply functional_extensionality. intro r.
  apply functional_extensionality. intro k. cbn [joined]. rewrite IH. unfold read, weights.
  now rewrite (score_fixed h X Hh).
Qed.

Lemma block_fixed ps x : Forall (fun p => plain (times p)) ps -> block num ps x = block val ps x.
Proof.
  intro H. apply functional_extensionality. intro c. apply lsum_ext. intros p Hp.
  apply (proj1 (Forall_forall _ _) H) in Hp. destruct (times p); cbn in *; easy.
Qed.

(** A pass whose layers do not see the tree. *)
Lemma forward_fixed N blocks blocks' m E :
  (forall ly, In ly (layers m) -> Forall treeless_head (heads ly) /\ forall x, blocks ly x = blocks' ly x) ->
  forward_with val N blocks m E = forward_with num N blocks' m E.
Proof.
  intro H. unfold forward_with. apply functional_extensionality. intro r. apply functional_extensionality. intro k.
  erewrite fold_left_same; [reflexivity|]. intros ly Hly X. destruct (H ly Hly) as [Ht Hb].
  apply functional_extensionality. intro r'. apply functional_extensionality. intro c. unfold run_with.
  now rewrite (joined_fixed N _ X Ht), Hb.
Qed.
End Fixed.

(** ** The model without masks *)

Section Free.
Context {Sigma : Type} (n T : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R).

Definition free_tokens (o : option (symbol Sigma)) (r c : nat) : R :=
  let i := IZR (Z.of_nat r + 1) in
  if (c <? n)%nat then match o with Some (Sym a) => leaf a c | _ => 0 end else
  match (c - n)%nat with
  | 0%nat => 1
  | 1%nat => i
  | 2%nat => i * i
  | 3%nat => IZR (kind_of o)
  | 4%nat => IZR (letter_of o)
  | 5%nat => IZR (letter_of o)
  | 6%nat => IZR (beyond (S T))
  | _ => 0
  end.

Lemma tokens_fixed C w : free_embedded n (S T) leaf tensor C w
                         = fun r => free_tokens (nth_error w r) r.
Proof.
  apply functional_extensionality. intro r. apply functional_extensionality. intro c.
  unfold free_embedded, free_embedding, free_tokens. destruct (c <? n)%nat.
  - destruct (nth_error w r) as [o|] eqn:E; [destruct o|]; cbn [value]; rewrite ?E; reflexivity.
  - generalize (c - n)%nat. intro m.
    do 7 (destruct m as [|m]; [cbn [value]; rewrite ?mult_IZR; reflexivity|]). reflexivity.
Qed.

Lemma heads_treeless mode : Forall treeless_head (heads (free_layer n (S T) mode)).
Proof.
  assert (S0 : forall z, treeless (scale mode z)) by (intro z; destruct mode; exact Logic.I).
  cbn [heads free_layer]. unfold free_left, free_right, free_own, scored.
  repeat constructor; cbn; auto; apply S0.
Qed.

(** Softmax and shared hidden units. *)
Theorem free_is_fixed sigma b h s C count (t : tree Sigma) :
  run_shared_free n leaf tensor sigma b h s C T count t
  = run_tree (fixed tensor C) (free_model n (S T) Soft count)
      (fun ly => run_units tensor sigma b h s (shared (products ly))) free_tokens (str t).
Proof.
  unfold run_shared_free, run_tree. rewrite tokens_fixed. apply forward_fixed. intros ly H.
  apply repeat_spec in H as ->. split; [apply heads_treeless|reflexivity].
Qed.

(** Exact products, with hard attention or softmax. *)
Theorem exact_free_is_fixed mode C count (w : list (symbol Sigma)) :
  run_free n leaf tensor C w mode T count
  = run_tree (fixed tensor C) (free_model n (S T) mode count)
      (fun ly => block (fixed tensor C) (products ly)) free_tokens w.
Proof.
  unfold run_free, forward, run_tree. rewrite tokens_fixed. apply forward_fixed. intros ly H.
  apply repeat_spec in H as ->. split; [apply heads_treeless|]. intro x. symmetry. apply block_fixed, free_plain.
Qed.
End Free.
