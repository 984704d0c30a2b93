(** * The sizes of a transformer: one predicate that bounds every matrix

    Section 2.4. A model of Pass.v fits some sizes if all its matrices have the shapes that go together
    and none is larger than they say: W_Q, W_K, W_V have as many rows as the embedding has dimensions, W_O
    joins the heads, the feed-forward block of each layer is a bilinear layer, an MLP or a gated block of
    at most so many hidden units, whose matrices fit W_O and the embedding, and so does the readout. The
    embedding is bounded too: coordinates beyond its dimension do not matter ([narrow]). All blocks of a
    model are of one [kind]: bilinear layers, MLPs, or gated MLPs, the latter two with one activation.

    Main definitions: [block], [run_block], [kind], [of_kind], [sizes], [fits], [consists].
    Main theorems:    [narrow], [mlp_blocks]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Sums TreeModel Pass.
From Assay Require Model Simulation.
Import Simulation(dense, Dense, height, breadth, number_at).
Import ListNotations.
Open Scope R_scope.

(** ** Feed-forward blocks *)

Inductive block :=
| Bilinear (left right : dense) (third_order : nat -> nat -> nat -> R) (out : dense)
| Perceptron (first : dense) (biases : nat -> R) (second : dense) (offsets : nat -> R)
| Gated (inward gate outward : dense).

(** x W for a row x. *)
Definition row_times (x : nat -> R) (W : dense) (c : nat) : R :=
  sum (height W) (fun p => x p * number_at W p c).

Definition run_block (sigma : R -> R) (B : block) (x : nat -> R) : nat -> R :=
  match B with
  | Bilinear l r t out => row_times (fun c => sum (breadth l) (fun a => sum (breadth r) (fun b =>
      t a b c * row_times x l a * row_times x r b))) out
  | Perceptron W1 b1 W2 b2 => fun c =>
      row_times (fun u => sigma (row_times x W1 u + b1 u)) W2 c + b2 c
  | Gated W1 Wg W2 => row_times (fun u => row_times x W1 u * sigma (row_times x Wg u)) W2
  end.

(** Bilinear layers, MLPs of one hidden layer with the activation sigma, gated MLPs with the gate sigma. *)
Inductive kind := Bilinears | MLPs (sigma : R -> R) | GatedMLPs (sigma : R -> R).

Definition activation (k : kind) : R -> R :=
  match k with Bilinears => fun y => y | MLPs sigma | GatedMLPs sigma => sigma end.

Definition of_kind (k : kind) (B : block) : Prop :=
  match k, B with
  | Bilinears, Bilinear _ _ _ _ | MLPs _, Perceptron _ _ _ _ | GatedMLPs _, Gated _ _ _ => True
  | _, _ => False
  end.

(** A function of a row that is a block of this kind, of any size. *)
Definition block_of (k : kind) (f : (nat -> R) -> nat -> R) : Prop :=
  exists B, of_kind k B /\ forall x c, f x c = run_block (activation k) B x c.

(** ** Sizes *)

Record sizes := Sizes
  { depth : nat;                    (* layers, exactly *)
    embedding : nat;                (* the embedding's dimension, exactly *)
    head_count : nat;               (* heads of a layer, at most *)
    attention_width : nat;          (* columns of W_Q, W_K and of W_V, at most *)
    joined_width : nat;             (* columns of W_O, at most *)
    hidden_width : nat;             (* hidden units, or both inputs of a bilinear layer, at most *)
    outputs : nat }.                (* columns of the readout, exactly *)

Definition head_fits (s : sizes) (h : head) : Prop :=
  height (query h) = embedding s /\ height (key h) = embedding s /\ height (value h) = embedding s /\
  breadth (key h) = breadth (query h) /\
  (breadth (query h) <= attention_width s)%nat /\ (breadth (value h) <= attention_width s)%nat.

(** So many coordinates enter and leave a block. *)
Definition block_fits (entering leaving hidden : nat) (B : block) : Prop :=
  match B with
  | Bilinear l r _ out => height l = entering /\ height r = entering /\
      (breadth l + breadth r <= hidden)%nat /\ (height out <= hidden)%nat /\ breadth out = leaving
  | Perceptron W1 _ W2 _ => height W1 = entering /\ (breadth W1 <= hidden)%nat /\
      height W2 = breadth W1 /\ breadth W2 = leaving
  | Gated W1 Wg W2 => height W1 = entering /\ height Wg = entering /\ breadth Wg = breadth W1 /\
      (breadth W1 <= hidden)%nat /\ height W2 = breadth W1 /\ breadth W2 = leaving
  end.

(** All values side by side. *)
Definition values_width (hs : list head) : nat :=
  fold_right (fun h k => breadth (value h) + k)%nat 0%nat hs.

Definition layer_fits (s : sizes) (k : kind) (ly : layer) : Prop :=
  (length (heads ly) <= head_count s)%nat /\ Forall (head_fits s) (heads ly) /\
  height (combine ly) = values_width (heads ly) /\ (breadth (combine ly) <= joined_width s)%nat /\
  (residual ly = true -> breadth (combine ly) = embedding s) /\
  exists B, block_fits (breadth (combine ly)) (embedding s) (hidden_width s) B /\ of_kind k B /\
    forall x c, feedforward ly x c = run_block (activation k) B x c.

Definition fits (s : sizes) (k : kind) (m : model) : Prop :=
  length (layers m) = depth s /\ Forall (layer_fits s k) (layers m) /\
  height (readout m) = embedding s /\ breadth (readout m) = outputs s.

(** All heads attend in one way, with one mask, and all layers have residual connections or none has. *)
Definition consists (way : attention) (m : mask) (stream : bool) (model : model) : Prop :=
  Forall (fun ly => residual ly = stream /\ Forall (fun h => how h = way /\ seen h = m) (heads ly))
    (layers model).

(** Nothing is taken from the embedding again after a layer. *)
Definition given_once (m : model) : Prop := forall c, renewed m c = false.

(** ** Beyond its dimension nothing of the embedding is read *)

Lemma row_times_ext d x y W c : height W = d -> (forall p, (p < d)%nat -> x p = y p) ->
  row_times x W c = row_times y W c.
Proof. intros <- H. unfold row_times. apply sum_ext. intros p Hp. now rewrite H. Qed.

Lemma run_block_ext sigma B entering leaving hidden x y : block_fits entering leaving hidden B ->
  (forall p, (p < entering)%nat -> x p = y p) -> run_block sigma B x = run_block sigma B y.
Proof.
  intros HB H.
  assert (E : forall W, height W = entering -> row_times x W = row_times y W)
    by (intros W HW; apply functional_extensionality; intro; now apply (row_times_ext entering)).
  destruct B; cbn [run_block block_fits] in *.
  - destruct HB as (HL & HR & _). now rewrite (E _ HL), (E _ HR).
  - destruct HB as (H1 & _). now rewrite (E _ H1).
  - destruct HB as (H1 & Hg & _). now rewrite (E _ H1), (E _ Hg).
Qed.

Section Narrow.
Context (tokens : nat) (s : sizes) (k : kind).
Local Notation alike X Y := (forall r c, (c < embedding s)%nat -> X r c = Y r c).

Lemma times_alike (X Y : mat) W : height W = embedding s -> alike X Y ->
  Simulation.times X W = Simulation.times Y W.
Proof.
  intros HW H. apply functional_extensionality. intro r. apply functional_extensionality. intro c.
  apply sum_ext. rewrite HW. intros p Hp. now rewrite H.
Qed.

Lemma attended_alike h X Y : head_fits s h -> alike X Y -> attended tokens h X = attended tokens h Y.
Proof.
  intros (HQ & HK & HV & _) H. unfold attended, scores.
  now rewrite (times_alike X Y _ HQ H), (times_alike X Y _ HK H), (times_alike X Y _ HV H).
Qed.

Lemma joined_alike hs X Y : Forall (head_fits s) hs -> alike X Y ->
  joined tokens hs X = joined tokens hs Y.
Proof.
  intros Hs H. unfold joined. f_equal. apply map_ext_in. intros h Hh. f_equal.
  apply attended_alike; [|exact H]. now apply (proj1 (Forall_forall _ _) Hs).
Qed.

Lemma layer_alike ly X Y : layer_fits s k ly -> alike X Y ->
  alike (run_layer tokens ly X) (run_layer tokens ly Y).
Proof.
  intros (_ & Hh & _ & _ & Hr & B & HB & _ & HF) H r c Hc.
  assert (A : forall c, (c < breadth (combine ly))%nat ->
    after_attention tokens ly X r c = after_attention tokens ly Y r c).
  { intros p Hp. unfold after_attention, added. rewrite (joined_alike _ X Y Hh H).
    destruct (residual ly); [|reflexivity]. rewrite H; [reflexivity|]. now rewrite <- Hr. }
  unfold run_layer, added. rewrite !HF, (run_block_ext (activation k) B _ _ _ _ _ HB A).
  destruct (residual ly) eqn:E; [|reflexivity]. rewrite A; [reflexivity|]. now rewrite Hr.
Qed.

Theorem narrow m E E' : fits s k m -> alike E E' -> forward tokens m E = forward tokens m E'.
Proof.
  intros (_ & HL & HR & _) H.
  assert (G : forall lys X Y, Forall (layer_fits s k) lys -> alike X Y ->
    alike (fold_left (fun X ly r c => if renewed m c then E r c else run_layer tokens ly X r c) lys X)
          (fold_left (fun X ly r c => if renewed m c then E' r c else run_layer tokens ly X r c) lys Y)).
  { induction lys as [|ly lys IH]; intros X Y Hs HX; [exact HX|]. cbn [fold_left].
    inversion Hs as [|? ? Hly Hlys]; subst. apply IH; [exact Hlys|]. intros r c Hc.
    destruct (renewed m c); [now apply H|]. now apply layer_alike. }
  apply functional_extensionality. intro r. apply functional_extensionality. intro c.
  unfold forward. f_equal. unfold run_layers.
  rewrite (times_alike _ _ (readout m) HR (G (layers m) E E' HL H)). reflexivity.
Qed.
End Narrow.

(** In a model of MLPs every block is sigma(x W_1 + b_1) W_2 + b_2 with at most hidden_width s units. *)
Lemma mlp_blocks s sigma m ly : fits s (MLPs sigma) m -> In ly (layers m) ->
  exists W1 b1 W2 b2, (breadth W1 <= hidden_width s)%nat /\ height W2 = breadth W1 /\
    forall x c, feedforward ly x c = sum (breadth W1) (fun u =>
      sigma (sum (height W1) (fun p => x p * number_at W1 p u) + b1 u) * number_at W2 u c) + b2 c.
Proof.
  intros (_ & H & _) Hin. apply (proj1 (Forall_forall _ _) H) in Hin as (_ & _ & _ & _ & _ & B & HB & HK & HF).
  destruct B as [|W1 b1 W2 b2|]; try contradiction. destruct HB as (_ & Hw & Hh & _).
  exists W1, b1, W2, b2. repeat split; auto. intros x c. rewrite HF. cbn [run_block activation].
  unfold row_times at 1. rewrite Hh. reflexivity.
Qed.
