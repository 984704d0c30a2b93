(** * What it is to simulate a WFA: Definitions 3.1 and 3.2, and networks that do not see the word

    Section 3.1, repaired: A(x) has T + 1 rows, the states after 0 .. T letters, so that a function
    that simulates has T + 1 rows too.

    A transformer of Section 2.4 is here a [network]: real numbers, and nothing else. A word reaches it
    through its tokens only, each of which depends on one letter and on its position. The models of
    Model.v and MLPModel.v are written as data in which an entry may stand for a letter's matrix;
    only their embedding has such entries ([model_wordless]), so that they are networks
    ([forward_is_network], [mlp_forward_is_network]).

    Main definitions: [simulates], [approximately_simulates], [network], [run_network_on],
                      [tokens_of].
    Main theorems:    [states_are_products], [model_wordless], [forward_is_network],
                      [mlp_forward_is_network]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Sums Model Sizes Attention Theorem1 Softmax Recursion MLP MLPModel.
Import ListNotations.
Open Scope R_scope.

(** ** Words: Definitions 3.1 and 3.2 *)

Section Words.
Context {Sigma : Type} (n T : nat) (alpha : nat -> R) (A : Sigma -> mat).

(** The letter at a position; there is none before and after the word. *)
Definition letter (w : list Sigma) (z : Z) : option Sigma :=
  if (z <=? 0)%Z then None else nth_error w (Z.to_nat z - 1).

Definition padded (o : option Sigma) : mat := match o with Some a => A a | None => I end.

(** A(x): the states after t = 0, 1, .. letters. *)
Definition states (w : list Sigma) : mat :=
  state n alpha (fun t => padded (letter w (Z.of_nat t))).

Definition simulates (f : list Sigma -> mat) : Prop :=
  forall w, length w = T -> forall t j, (t <= T)%nat -> (j < n)%nat -> f w t j = states w t j.

Definition approximately_simulates (eps : R) (f : list Sigma -> mat) : Prop :=
  forall w, length w = T ->
    sqrt (sum (S T) (fun t => sum n (fun j => (f w t j - states w t j) ^ 2))) < eps.

(** alpha^T A^{x_1} .. A^{x_t} *)
Theorem states_are_products w t j : (t <= length w)%nat -> (j < n)%nat ->
  states w t j = sum n (fun i => alpha i * word_product n A (firstn t w) i j).
Proof.
  unfold states. revert j. induction t as [|t IH]; intros j Ht Hj.
  - cbn [state firstn word_product fold_right]. rewrite (sum_single n _ j Hj).
    + unfold I. rewrite Nat.eqb_refl. cbn [b2r]. ring.
    + intros i Hi Hne. unfold I. apply Nat.eqb_neq in Hne. rewrite Hne. cbn [b2r]. ring.
  - cbn [state]. destruct (nth_error w t) as [a|] eqn:Ea;
      [|apply nth_error_None in Ea; lia].
    assert (El : letter w (Z.of_nat (S t)) = Some a).
    { unfold letter. destruct (Z.leb_spec (Z.of_nat (S t)) 0); [lia|].
      replace (Z.to_nat (Z.of_nat (S t)) - 1)%nat with t by lia. exact Ea. }
    pose proof (firstn_next w t a Ea) as Ef.
    rewrite El, Ef. cbn [padded].
    transitivity (sum n (fun i => alpha i * mmul n (word_product n A (firstn t w))
                                                  (word_product n A [a]) i j)).
    2: { apply sum_ext. intros i Hi. f_equal. symmetry. now apply word_product_app. }
    transitivity (sum n (fun k => sum n (fun i => alpha i * word_product n A (firstn t w) i k * A a k j))).
    + apply sum_ext. intros k Hk. rewrite IH by (auto; lia). rewrite sum_scal_r. reflexivity.
    + rewrite sum_swap. apply sum_ext. intros i Hi. unfold mmul at 1. rewrite sum_scal_l.
      apply sum_ext. intros k Hk. cbn [word_product fold_right].
      rewrite (mulm1 n (A a) k j Hk Hj). ring.
Qed.
End Words.

(** ** Networks with real weights *)

Record dense := Dense { height : nat; breadth : nat; number_at : mat }.
Record real_head := RealHead { query : dense; key : dense; value_of : dense }.
Inductive real_block :=
| Products (left right : dense) (third_order : nat -> nat -> nat -> R) (out : dense)
| Units (first : dense) (biases : nat -> R) (second : dense) (offsets : nat -> R).
Record real_layer := RealLayer { real_heads : list real_head; joining : dense; block_of : real_block }.
(** [again] is added after every layer: the positional encodings are there again. *)
Record network := Network { real_layers : list real_layer; again : dense; reading : dense }.

Section Run.
Variable filter : mat -> mat.       (* softmax, or hard attention, row by row *)
Variable sigma : R -> R.            (* the activation *)
Variable tokens : nat.

Definition times (X : mat) (W : dense) : mat := mmul (height W) X (number_at W).

Definition attended (X : mat) (h : real_head) : mat :=
  times (mmul tokens (filter (fun r s => sum (breadth (query h)) (fun q =>
    times X (query h) r q * times X (key h) s q))) X) (value_of h).

Definition joined_heads (ly : real_layer) (X : mat) : mat :=
  times (concat (map (fun h => (breadth (value_of h), attended X h)) (real_heads ly))) (joining ly).

Definition run_block (B : real_block) (Y : mat) : mat :=
  match B with
  | Products l r t out => times (fun q c => sum (breadth l) (fun a => sum (breadth r) (fun b =>
      t a b c * times Y l q a * times Y r q b))) out
  | Units W1 b1 W2 b2 => fun r c =>
      sum (breadth W1) (fun u => sigma (times Y W1 r u + b1 u) * number_at W2 u c) + b2 c
  end.

Definition run_real_layer (P X : mat) (ly : real_layer) : mat :=
  fun r c => run_block (block_of ly) (joined_heads ly X) r c + P r c.

Definition run_network_on (net : network) (X : mat) : mat :=
  times (fold_left (run_real_layer (number_at (again net))) (real_layers net) X) (reading net).
End Run.

(** ** The models of Theorems 1 and 2 are networks *)

Fixpoint wordless (w : weight) : Prop :=
  match w with Letter _ _ _ => False | Minus w => wordless w | RootC w => wordless w | _ => True end.

Definition free (W : matrix) : Prop := forall i j, wordless (entry W i j).

Definition free_head (h : head) : Prop := free (WQ h) /\ free (WK h) /\ free (WV h).

Definition free_bilinear (B : bilinear) : Prop :=
  free (WselL B) /\ free (WselR B) /\ free (Wout B) /\ forall a b c, wordless (tensor B a b c).

(** No weight of the construction stands for an entry of a letter's matrix. *)
Theorem model_wordless n L scale : (forall w, wordless w -> wordless (scale w)) ->
  let model := construction n L scale in
  free (encoding model) /\ free (Wreadout model) /\
  forall ly, In ly (layers model) ->
    free (WO ly) /\ free_bilinear (feedforward ly) /\ Forall free_head (heads ly).
Proof.
  intros sc model. assert (Bit : forall b, wordless (bit b)) by (intros []; exact Logic.I).
  assert (Below : forall f, (forall i j, wordless (f i j)) -> free (below n scale f)).
  { intros f Hf i j. cbn [below entry].
    match goal with |- context [if ?b then _ else _] => destruct b end; [exact Logic.I|]. apply sc, Hf. }
  split.
  { intros i j. cbn. unfold position_entry.
    repeat match goal with |- context [if ?b then _ else _] => destruct b end; exact Logic.I. }
  split.
  { intros i j. cbn. repeat match goal with |- context [if ?b then _ else _] => destruct b end;
      exact Logic.I. }
  intros ly Hl. cbn in Hl. apply in_map_iff in Hl as (l & <- & _). cbn.
  split; [intros i j; apply Bit|]. split.
  { split; [intros i j; apply Bit|]. split; [intros i j; apply Bit|].
    split; [intros i j; apply Bit|intros; apply Bit]. }
  assert (Rot : forall k i j, wordless (rho L k i j)).
  { intros k [|[|i]] [|[|j]]; exact Logic.I. }
  repeat constructor; cbn [WQ WK WV]; try (intros i j; apply Bit); apply Below; intros;
    try apply Bit; apply Rot.
Qed.

Section Fixed.
Context (alpha : nat -> R) (C : R).

(** A weight that no letter enters. *)
Definition number_of (w : weight) : R := value alpha (fun _ _ _ => 0) C w.
Definition dense_of (W : matrix) : dense := Dense (rows W) (cols W) (fun i j => number_of (entry W i j)).
Definition head_of (h : head) : real_head :=
  RealHead (dense_of (WQ h)) (dense_of (WK h)) (dense_of (WV h)).
Definition bilinear_of (B : bilinear) : real_block :=
  Products (dense_of (WselL B)) (dense_of (WselR B))
    (fun a b c => number_of (Model.tensor B a b c)) (dense_of (Wout B)).

Definition network_of (model : transformer) : network :=
  Network (map (fun ly => RealLayer (map head_of (heads ly)) (dense_of (WO ly))
                            (bilinear_of (feedforward ly))) (layers model))
          (dense_of (encoding model)) (dense_of (Wreadout model)).

Variable A : nat -> mat.

Lemma wordless_value w : wordless w -> value alpha A C w = number_of w.
Proof. unfold number_of. induction w; simpl; intros; try tauto; f_equal; auto. Qed.

Lemma real_fixed W : free W -> real alpha A C W = number_at (dense_of W).
Proof.
  intro H. apply functional_extensionality. intro i. apply functional_extensionality. intro j.
  apply wordless_value, H.
Qed.

Lemma apply_fixed X W : free W -> apply alpha A C X W = times X (dense_of W).
Proof. intro H. unfold apply, times. now rewrite (real_fixed W H). Qed.

Context (filter : mat -> mat) (tokens : nat).

Lemma head_fixed X h : free_head h ->
  run_head alpha A C filter tokens X h = attended filter tokens X (head_of h).
Proof.
  intros (HQ & HK & HV). unfold run_head, attended, scores. rewrite apply_fixed by exact HV.
  rewrite (apply_fixed X _ HQ), (apply_fixed X _ HK). reflexivity.
Qed.

Lemma concat_fixed X hs : Forall free_head hs ->
  concat (map (fun h => (cols (WV h), run_head alpha A C filter tokens X h)) hs)
  = concat (map (fun h => (breadth (value_of h), attended filter tokens X h)) (map head_of hs)).
Proof.
  induction 1 as [|h hs Hh _ IH]; [reflexivity|]. cbn [map concat].
  rewrite (head_fixed X h Hh), IH. reflexivity.
Qed.

Lemma bilinear_fixed sigma B Y : free_bilinear B ->
  run_bilinear alpha A C B Y = run_block sigma (bilinear_of B) Y.
Proof.
  intros (HL & HR & HO & HT). unfold run_bilinear. rewrite apply_fixed by exact HO.
  unfold bilinear_of. cbn [run_block]. f_equal. unfold contract.
  rewrite (apply_fixed Y _ HL), (apply_fixed Y _ HR).
  apply functional_extensionality. intro r. apply functional_extensionality. intro c.
  apply sum_ext. intros a _. apply sum_ext. intros b _. now rewrite wordless_value.
Qed.

Definition free_model_of (model : transformer) : Prop :=
  free (encoding model) /\ free (Wreadout model) /\
  forall ly, In ly (layers model) ->
    free (WO ly) /\ free_bilinear (feedforward ly) /\ Forall free_head (heads ly).

Theorem forward_is_network sigma model X : free_model_of model ->
  forward alpha A C filter tokens model X = run_network_on filter sigma tokens (network_of model) X.
Proof.
  intros (HE & HR & HL). unfold forward, run_network_on. rewrite apply_fixed by exact HR.
  f_equal. cbn [network_of real_layers again]. unfold run_layers.
  apply fold_left_map_same. intros ly Hly Y. destruct (HL ly Hly) as (H1 & H2 & H3).
  unfold run_layer, run_real_layer, joined_heads, attention. cbn [block_of joining real_heads].
  rewrite <- (bilinear_fixed sigma _ _ H2), (real_fixed _ HE), apply_fixed by exact H1.
  now rewrite concat_fixed.
Qed.

(** The same with an MLP in every layer. *)
Variable b h s : R.

Definition mlp_of (B : mlp) : real_block :=
  Units (Dense (inputs B) (units B) (fun p u => number b h s (inward B p u)))
    (fun u => number b h s (bias B u))
    (Dense (units B) (outputs B) (fun u c => number b h s (outward B u c)))
    (fun c => number b h s (offset B c)).

Definition mlp_network_of (model : mlp_transformer) : network :=
  Network (map (fun ly => RealLayer (map head_of (mlp_heads ly)) (dense_of (mlp_WO ly))
                            (mlp_of (MLPModel.network ly))) (mlp_layers model))
          (dense_of (mlp_encoding model)) (dense_of (mlp_readout model)).

Theorem mlp_forward_is_network sigma B model X : free_model_of model ->
  mlp_forward alpha A C filter tokens sigma b h s (with_mlp B model) X
  = run_network_on filter sigma tokens (mlp_network_of (with_mlp B model)) X.
Proof.
  intros (HE & HR & HL). unfold mlp_forward, run_network_on, mlp_network_of, with_mlp.
  cbn [mlp_readout mlp_encoding mlp_layers real_layers again reading].
  rewrite apply_fixed by exact HR. f_equal.
  apply fold_left_map_same. intros ly' Hly Y. apply in_map_iff in Hly as (ly & <- & Hly).
  destruct (HL ly Hly) as (H1 & _ & H3).
  unfold run_mlp_layer, run_real_layer, joined_heads, mlp_attention.
  cbn [block_of joining real_heads mlp_heads mlp_WO MLPModel.network].
  rewrite (real_fixed _ HE), apply_fixed, concat_fixed by assumption. reflexivity.
Qed.
End Fixed.

(** ** Tokens: each depends on one letter and on its position *)

Section Tokens.
Context {Sigma : Type} (n L : nat) (A : Sigma -> mat).

Definition token_of (o : option Sigma) (r c : nat) : R :=
  if (c <? n2 n)%nat then vec n (padded A o) c else
  if (c <? 2 * n2 n)%nat then vec n (padded A o) (c - n2 n)
  else number_of (fun _ => 0) 0 (position_entry n L r c).

Definition tokens_of (w : list Sigma) : mat := fun r => token_of (letter w (pos L r)) r.

Lemma tokens_are alpha C w :
  real alpha (fun t => padded A (letter w (Z.of_nat t))) C (embedding n L) = tokens_of w.
Proof.
  apply functional_extensionality. intro r. apply functional_extensionality. intro c.
  unfold real, tokens_of, token_of. cbn [embedding entry].
  assert (E : forall v, value alpha (fun t => padded A (letter w (Z.of_nat t))) C
                          (token_entry n L r v) = vec n (padded A (letter w (pos L r))) v).
  { intro v. unfold token_entry, vec, letter. destruct (Z.leb_spec (pos L r) 0) as [H|H].
    - unfold identity, bit, padded, I. destruct (v / n =? v mod n)%nat; reflexivity.
    - cbn [value]. destruct (Z.leb_spec (Z.of_nat (Z.to_nat (pos L r))) 0); [lia|].
      now rewrite Z2Nat.id by lia. }
  destruct (c <? n2 n)%nat; [apply E|]. destruct (c <? 2 * n2 n)%nat; [apply E|].
  unfold number_of, position_entry. destruct (c =? 2 * n2 n)%nat; [reflexivity|].
  destruct (c =? 2 * n2 n + 1)%nat; reflexivity.
Qed.
End Tokens.
