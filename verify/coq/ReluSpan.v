(** * A network with a piecewise linear activation is linear but for few scalars

    Section 2.4, with ReLU or another piecewise linear activation in the MLPs; a part of the proof that
    Theorem 2, whose sizes depend on n and T alone, is false for such activations.

    Say for every hidden unit and every token which piece of the activation it uses: the colour of the
    input. For a given colour the MLPs are affine, and attention only multiplies by scalars: a layer
    makes of every token a combination of images of all tokens under fixed linear maps, and a constant
    vector. So if every token of the embedding is a vector that depends on a plus one that depends on b,
    every output is a combination of [paths] vectors that depend on a and on the colour and [constants]
    vectors that depend on b and on the colour. How many these are depends on the heads, the tokens and
    the layers; the number of hidden units only says how many colours there are.

    Layers are those of Pass.v, with a normalisation after the attention and one after the MLP if one
    likes ([normalises]: an affine map, a factor that depends on the token, a bias). The constant of the
    affine map makes room for biases of values and of W_O, which add a constant to what the heads bring.

    Main definitions: [span], [normalises], [layer], [model], [forward], [units], [within], [paths],
                      [constants], [piecewise].
    Main theorems:    [attention_span], [layer_span], [network_spans], [relu_pieces]. *)

From Coq Require Import Reals List Lia Lra Arith Bool.
From Assay Require Import Compat Sums ReluGrid.
From Assay Require Simulation TreeModel Pass DepthBound.
Import Simulation(dense, height, breadth, number_at, times).
Import ListNotations.
Open Scope R_scope.

(** ** Combinations of the vectors of a list *)

Definition vector := nat -> R.

Definition linear (T : vector -> vector) : Prop := forall s x y z,
  (forall c, x c = y c + s * z c) -> forall c, T x c = T y c + s * T z c.

Inductive span (P : list vector) : vector -> Prop :=
| span_none x : (forall c, x c = 0) -> span P x
| span_more x y f s : span P y -> In f P -> (forall c, x c = y c + s * f c) -> span P x.

Lemma span_add P s x y z : span P y -> span P z -> (forall c, x c = y c + s * z c) -> span P x.
Proof.
  intros Hy Hz. revert x. induction Hz as [z Hz|z z' f t _ IH Hf Hz]; intros x Hx.
  - inversion Hy as [? H|? y' f t H' Hf H]; subst.
    + apply span_none. intro c. rewrite Hx, H, Hz. ring.
    + apply (span_more P x y' f t H' Hf). intro c. rewrite Hx, H, Hz. ring.
  - apply (span_more P x (fun c => y c + s * z' c) f (s * t)); [now apply IH|exact Hf|].
    intro c. rewrite Hx, Hz. ring.
Qed.

Lemma span_incl P Q x : incl P Q -> span P x -> span Q x.
Proof.
  intro H. induction 1 as [x Hx|x y f s _ IH Hf Hx]; [now apply span_none|].
  apply (span_more Q x y f s); auto.
Qed.

Lemma span_map P Q T x : linear T -> span (P ++ Q) x -> span (map T P ++ map T Q) (T x).
Proof.
  intro HT. rewrite <- map_app. induction 1 as [x Hx|x y f s _ IH Hf Hx].
  - apply span_none. intro c. rewrite (HT (-1) x x x); [ring|]. intro. rewrite Hx. ring.
  - apply (span_more _ _ (T y) (T f) s); [exact IH|now apply in_map|]. now apply HT.
Qed.

Lemma span_sum P N (w : nat -> R) (X : mat) :
  (forall s, (s < N)%nat -> span P (X s)) -> span P (fun c => sum N (fun s => w s * X s c)).
Proof.
  induction N as [|N IH]; intro H; [now apply span_none|].
  eapply (span_add P (w N)); [apply IH; auto|apply (H N); lia|reflexivity].
Qed.

(** From lists to numbered vectors. *)
Definition numbered (P : list vector) (i c : nat) : R := nth i P (fun _ => 0) c.

Lemma numbered_more k P f u s : (length P <= k)%nat -> In f P -> exists v, forall c,
  sum k (fun i => v i * numbered P i c) = sum k (fun i => u i * numbered P i c) + s * f c.
Proof.
  intros Hk Hf. apply In_nth with (d := fun _ => 0) in Hf as (j & Hj & <-).
  exists (fun i => u i + s * I i j). intro c.
  rewrite (sum_ext _ _ (fun i => u i * numbered P i c + s * I i j * numbered P i c)) by (intros; ring).
  rewrite sum_plus, (sum_single k (fun i => s * I i j * _) j); [|lia|]; unfold I.
  - rewrite Nat.eqb_refl. unfold numbered, b2r. ring.
  - intros i _ Hi. apply Nat.eqb_neq in Hi. rewrite Hi. cbn. ring.
Qed.

Lemma span_spans P Q k g n x : (length P <= k)%nat -> (length Q <= g)%nat -> span (P ++ Q) x ->
  spans n k g (numbered P) (numbered Q) x.
Proof.
  intros Hk Hg. induction 1 as [x Hx|x y f s _ (u & v & IH) Hf Hx].
  - exists (fun _ => 0), (fun _ => 0). intros c _. rewrite Hx, !sum_zero; [ring|intros; ring..].
  - apply in_app_or in Hf as [Hf|Hf].
    + destruct (numbered_more k P f u s Hk Hf) as (u' & Hu). exists u', v.
      intros c Hc. rewrite Hx, IH, Hu by exact Hc. ring.
    + destruct (numbered_more g Q f v s Hg Hf) as (v' & Hv). exists u, v'.
      intros c Hc. rewrite Hx, IH, Hv by exact Hc. ring.
Qed.

(** One sum of lists is a part of another. *)
Ltac included := intros ? ?; do 2 (rewrite ?in_app_iff in *; cbn [In] in *); tauto.

(** ** Attention: every token becomes a combination of images of all tokens *)

Definition through (M : dense) (x : vector) : vector :=
  fun c => sum (height M) (fun p => x p * number_at M p c).

Lemma through_linear M : linear (through M).
Proof.
  intros s x y z H c. unfold through. rewrite sum_scal_l, <- sum_plus.
  apply sum_ext. intros p _. rewrite H. ring.
Qed.

(** The columns of the first head, and those of the others. *)
Definition first (h : Pass.head) (x : vector) : vector :=
  fun c => if (c <? breadth (Pass.value h))%nat then through (Pass.value h) x c else 0.
Definition shift (h : Pass.head) (x : vector) : vector :=
  fun c => if (c <? breadth (Pass.value h))%nat then 0 else x (c - breadth (Pass.value h))%nat.

Lemma first_linear h : linear (first h).
Proof. intros s x y z H c. unfold first. destruct (_ <? _)%nat; [now apply through_linear|ring]. Qed.
Lemma shift_linear h : linear (shift h).
Proof. intros s x y z H c. unfold shift. destruct (_ <? _)%nat; [ring|apply H]. Qed.

Section Attention.
Variable N : nat.

(** What the heads make of the vectors F s of all tokens s. *)
Fixpoint heads_images (hs : list Pass.head) (F : nat -> list vector) : list vector :=
  match hs with
  | [] => []
  | h :: hs => map (first h) (flat_map F (seq 0 N)) ++ map (shift h) (heads_images hs F)
  end.

(** The vectors of the token itself, for a residual connection, and the heads joined by W_O. *)
Definition attention_images (ly : Pass.layer) (F : nat -> list vector) (r : nat) : list vector :=
  F r ++ map (through (Pass.combine ly)) (heads_images (Pass.heads ly) F).

Lemma attention_length ly F r k h : (length (Pass.heads ly) <= h)%nat -> (r < N)%nat ->
  (forall s, (s < N)%nat -> (length (F s) <= k)%nat) ->
  (length (attention_images ly F r) <= k * (1 + h * N))%nat.
Proof.
  intros Hh Hr HF. unfold attention_images. rewrite app_length, map_length.
  assert (Hall : (length (flat_map F (seq 0 N)) <= k * N)%nat).
  { clear Hr. induction N as [|n IH]; [cbn; lia|]. rewrite seq_S, flat_map_app, app_length. cbn.
    rewrite app_nil_r. pose proof (HF n (le_n _)). pose proof (IH ltac:(auto)). lia. }
  assert (Hheads : forall hs, (length (heads_images hs F) <= length hs * (k * N))%nat).
  { induction hs; cbn; [lia|]. rewrite app_length, !map_length. lia. }
  specialize (HF r Hr). specialize (Hheads (Pass.heads ly)). nia.
Qed.

Variables (X : mat) (F G : nat -> list vector).
Hypothesis tokens : forall s, (s < N)%nat -> span (F s ++ G s) (X s).

Lemma joined_span hs r : span (heads_images hs F ++ heads_images hs G) (Pass.joined N hs X r).
Proof.
  induction hs as [|h hs IH]; [now apply span_none|]. cbn [heads_images].
  eapply (span_add _ 1 _ (fun c => sum N (fun s => TreeModel.attend N (Pass.how h) (Pass.seen h)
    (Pass.scores h X) r s * first h (X s) c)) (shift h (Pass.joined N hs X r))).
  - apply span_sum. intros s Hs. eapply span_incl, span_map, (tokens s Hs); [|apply first_linear].
    apply incl_app; [apply incl_appl|apply incl_appr]; apply incl_appl, incl_map;
      intros x Hx; apply in_flat_map; exists s; (split; [apply in_seq; lia|exact Hx]).
  - eapply span_incl, span_map, IH; [|apply shift_linear]. included.
  - intro c. unfold Pass.joined, first, shift. cbn [map Model.concat]. destruct (c <? _)%nat;
      [unfold Pass.attended, times, mmul, through; ring|]. rewrite sum_zero by (intros; ring). ring.
Qed.

Lemma attention_span ly r : (r < N)%nat ->
  span (attention_images ly F r ++ attention_images ly G r) (Pass.after_attention N ly X r).
Proof.
  intro Hr. apply (span_add _ (b2r (Pass.residual ly)) _
    (through (Pass.combine ly) (Pass.joined N (Pass.heads ly) X r)) (X r)).
  - eapply span_incl, span_map, joined_span; [|apply through_linear]. unfold attention_images. included.
  - eapply span_incl, (tokens r Hr). unfold attention_images. included.
  - intro c. unfold Pass.after_attention, Pass.added. change (times ?Y ?M r c) with (through M (Y r) c).
    destruct (Pass.residual ly); cbn [b2r]; ring.
Qed.
End Attention.

(** ** Layers with normalisations *)

(** An affine map, times a number that depends on the token, and a bias: layer norm, RMS norm, nothing. *)
Definition normalises (nu : vector -> vector) : Prop :=
  exists (T : vector -> vector) (s : vector -> R) kappa beta,
  linear T /\ forall x c, nu x c = s x * (T x c + kappa c) + beta c.

Record layer := Layer
  { plain : Pass.layer; after_heads : vector -> vector; after_block : vector -> vector }.

(** [renewed], [readout] and [offset] as in Pass.v. *)
Record model := Model
  { layers : list layer; renewed : nat -> bool; readout : dense; offset : nat -> R }.

Definition attention_of (N : nat) (ly : layer) (X : mat) : mat :=
  fun r => after_heads ly (Pass.after_attention N (plain ly) X r).

Definition run_layer (N : nat) (ly : layer) (X : mat) : mat :=
  let Y := attention_of N ly X in
  fun r => after_block ly (Pass.added (plain ly) Y (fun r => Pass.feedforward (plain ly) (Y r)) r).

Definition run (N : nat) (m : model) (lys : list layer) (E : mat) : mat :=
  fold_left (fun X ly r c => if renewed m c then E r c else run_layer N ly X r c) lys E.

Definition forward (N : nat) (m : model) (E : mat) : mat :=
  fun r c => times (run N m (layers m) E) (readout m) r c + offset m c.

(** Every model of Pass.v is one without normalisations. *)
Definition bare (ly : Pass.layer) : layer := Layer ly (fun x => x) (fun x => x).
Definition without_norms (m : Pass.model) : model :=
  Model (map bare (Pass.layers m)) (Pass.renewed m) (Pass.readout m) (Pass.offset m).

Lemma nothing_normalises : normalises (fun x => x).
Proof. exists (fun x => x), (fun _ => 1), (fun _ => 0), (fun _ => 0). split; [intros s x y z H c; apply H|intros; ring]. Qed.

Theorem without_norms_pass N m E : forward N (without_norms m) E = Pass.forward N m E.
Proof.
  unfold forward, run, Pass.forward, Pass.run_layers. cbn [without_norms layers renewed readout offset].
  enough (H : forall X, fold_left (fun X ly r c => if Pass.renewed m c then E r c else run_layer N ly X r c)
      (map bare (Pass.layers m)) X
    = fold_left (fun X ly r c => if Pass.renewed m c then E r c else Pass.run_layer N ly X r c)
        (Pass.layers m) X) by now rewrite H.
  induction (Pass.layers m) as [|ly lys IH]; intro X; [reflexivity|]. cbn [map fold_left]. apply IH.
Qed.

(** ** Pieces of the activation *)

(** How many vectors there are after L layers. *)
Fixpoint paths (h N L : nat) : nat :=
  match L with O => 1 | S L => paths h N L * (1 + h * N) + 1 end.
Fixpoint constants (h N L : nat) : nat :=
  match L with O => 2 | S L => constants h N L * (1 + h * N) + 6 end.

Lemma paths_le h N L L' : (L <= L')%nat -> (paths h N L <= paths h N L')%nat.
Proof. induction 1; cbn [paths]; nia. Qed.
Lemma constants_le h N L L' : (L <= L')%nat -> (constants h N L <= constants h N L')%nat.
Proof. induction 1; cbn [constants]; nia. Qed.

(** An activation of K pieces: [which] names the piece, which has a slope and an intercept. *)
Definition piecewise (which : R -> nat) (slope intercept : nat -> R) (sigma : R -> R) (K : nat) : Prop :=
  forall x, (which x < K)%nat /\ sigma x = slope (which x) * x + intercept (which x).

Section Pieces.
Variables (which : R -> nat) (slope intercept : nat -> R) (sigma : R -> R) (K : nat).
Hypothesis pieces : piecewise which slope intercept sigma K.

(** A feed-forward block with one hidden layer. *)
Definition units (W1 : dense) (b1 : nat -> R) (W2 : dense) (b2 : nat -> R) (x : nat -> R) (c : nat) : R :=
  sum (breadth W1) (fun u => sigma (sum (height W1) (fun p => x p * number_at W1 p u) + b1 u)
                             * number_at W2 u c) + b2 c.

(** At most h heads and W hidden units; residual connections and every attention of Pass.v are allowed. *)
Definition fits (h W : nat) (ly : layer) : Prop :=
  (length (Pass.heads (plain ly)) <= h)%nat /\ normalises (after_heads ly) /\ normalises (after_block ly) /\
  exists W1 b1 W2 b2, (breadth W1 <= W)%nat /\
    forall x c, Pass.feedforward (plain ly) x c = units W1 b1 W2 b2 x c.

(** At most L such layers; renewed columns are allowed. *)
Definition within (L h W : nat) (m : model) : Prop :=
  (length (layers m) <= L)%nat /\ forall ly, In ly (layers m) -> fits h W ly.

(** ** One layer *)

Section Layer.
Variables (N W : nat) (ly : layer) (again : nat -> bool) (W1 W2 : dense) (b1 b2 : nat -> R).
Hypothesis narrow : (breadth W1 <= W)%nat.
Hypothesis block : forall x c, Pass.feedforward (plain ly) x c = units W1 b1 W2 b2 x c.

(** The colour of a layer: the pieces that the units of all tokens use. *)
Definition used (Y : mat) (i : nat) : nat := which (through W1 (Y (i / W)%nat) (i mod W) + b1 (i mod W)).
Definition layer_colour (Y : mat) : list nat := map (used Y) (seq 0 (N * W)).
Definition piece (D : list nat) (r u : nat) : nat := nth (r * W + u) D 0%nat.

Lemma piece_is Y D r u : (r < N)%nat -> (u < W)%nat ->
  piece (layer_colour Y ++ D) r u = which (through W1 (Y r) u + b1 u).
Proof.
  intros Hr Hu. assert (Hi : (r * W + u < N * W)%nat) by nia. unfold piece, layer_colour.
  rewrite app_nth1, (nth_indep _ _ (used Y 0)) by (rewrite map_length, seq_length; exact Hi).
  rewrite map_nth, seq_nth by exact Hi. unfold used. cbn [Nat.add].
  replace ((r * W + u) / W)%nat with r by (rewrite div_add_l, Nat.div_small; lia).
  now replace ((r * W + u) mod W)%nat with u by (rewrite Nat.add_comm, mod_add, Nat.mod_small; lia).
Qed.

(** The feed-forward block with its residual connection, for a colour D and a token r: a linear map
    and a constant. *)
Definition block_map (D : list nat) (r : nat) (y : vector) : vector := fun c =>
  b2r (Pass.residual (plain ly)) * y c
    + sum (breadth W1) (fun u => slope (piece D r u) * number_at W2 u c * through W1 y u).

Definition block_constant (D : list nat) (r : nat) : vector := fun c =>
  b2 c + sum (breadth W1) (fun u =>
    (slope (piece D r u) * b1 u + intercept (piece D r u)) * number_at W2 u c).

Lemma block_map_linear D r : linear (block_map D r).
Proof.
  intros s x y z H c. unfold block_map.
  set (a := fun u => slope (piece D r u) * number_at W2 u c).
  rewrite H, (sum_ext _ _ (fun u => a u * through W1 y u + s * (a u * through W1 z u))).
  - rewrite sum_plus, <- sum_scal_l. unfold a. ring.
  - intros u _. unfold a. rewrite (through_linear W1 s x y z H). ring.
Qed.

Lemma block_is_affine (Y : mat) D r c : (r < N)%nat ->
  let D' := layer_colour Y ++ D in
  Pass.added (plain ly) Y (fun r => Pass.feedforward (plain ly) (Y r)) r c
  = block_constant D' r c + 1 * block_map D' r (Y r) c.
Proof.
  intros Hr D'. unfold Pass.added, block_map, block_constant. rewrite block. unfold units.
  rewrite (sum_ext _ (fun u => sigma _ * _) (fun u =>
    slope (piece D' r u) * number_at W2 u c * through W1 (Y r) u
    + (slope (piece D' r u) * b1 u + intercept (piece D' r u)) * number_at W2 u c)).
  - rewrite sum_plus. destruct (Pass.residual (plain ly)); cbn [b2r]; ring.
  - intros u Hu. unfold D'. rewrite piece_is by lia.
    change (sum (height W1) _) with (through W1 (Y r) u). rewrite (proj2 (pieces _)). ring.
Qed.

(** Columns that are renewed, and the others. *)
Definition kept (x : vector) : vector := fun c => if again c then x c else 0.
Definition let_go (x : vector) : vector := fun c => if again c then 0 else x c.

Lemma let_go_linear : linear let_go.
Proof. intros s x y z H c. unfold let_go. destruct (again c); [ring|apply H]. Qed.

Variables (T1 T2 : vector -> vector) (s1 s2 : vector -> R) (kappa1 kappa2 beta1 beta2 : vector).
Hypothesis T1_linear : linear T1.
Hypothesis T2_linear : linear T2.
Hypothesis norm1 : forall x c, after_heads ly x c = s1 x * (T1 x c + kappa1 c) + beta1 c.
Hypothesis norm2 : forall x c, after_block ly x c = s2 x * (T2 x c + kappa2 c) + beta2 c.

(** What the layer makes of the vectors of all tokens, for a colour D and a token r: of those that
    depend on a, and of those that do not, to which the biases and the constants of the units come. *)
Definition after (D : list nat) (r : nat) (x : vector) : vector := let_go (T2 (block_map D r x)).
Definition layer_images (D : list nat) (F : nat -> list vector) (r : nat) : list vector :=
  map (fun x => after D r (T1 x)) (attention_images N (plain ly) F r).
Definition layer_constants (D : list nat) (r : nat) : list vector :=
  [let_go beta2; let_go kappa2; let_go (T2 (block_constant D r)); after D r kappa1; after D r beta1].

Lemma after_linear D r : linear (after D r).
Proof.
  intros s x y z H c. apply let_go_linear. intro. apply T2_linear. intro. now apply block_map_linear.
Qed.

Theorem layer_span (E X : mat) (F G : nat -> list vector) (e f : vector) D r :
  (r < N)%nat -> (forall s, (s < N)%nat -> span (F s ++ G s) (X s)) -> (forall c, E r c = e c + f c) ->
  let D' := layer_colour (attention_of N ly X) ++ D in
  span ((kept e :: layer_images D' F r) ++ kept f :: layer_constants D' r ++ layer_images D' G r)
    (fun c => if again c then E r c else run_layer N ly X r c).
Proof.
  intros Hr HX HE D'. set (Y := attention_of N ly X) in *. set (Q := _ ++ _ :: _).
  set (x := Pass.after_attention N (plain ly) X r).
  set (z := Pass.added (plain ly) Y (fun r => Pass.feedforward (plain ly) (Y r)) r).
  assert (Hx : span Q (after D' r (T1 x))).
  { eapply span_incl, (span_map _ _ (fun x => after D' r (T1 x))), attention_span; [| |exact HX|exact Hr].
    - unfold Q, layer_images. included.
    - intros s y y' y'' H c. apply after_linear. intro. now apply T1_linear. }
  assert (Hin : forall v, In v (kept e :: kept f :: layer_constants D' r) -> In v Q) by (unfold Q; included).
  assert (HY : span Q (after D' r (Y r))).
  { assert (Hb : span Q (fun c => after D' r beta1 c + s1 x * after D' r kappa1 c)).
    { apply (span_more Q _ (after D' r beta1) (after D' r kappa1) (s1 x));
        [|apply Hin; cbn; auto 8|reflexivity].
      apply (span_more Q _ (fun _ => 0) (after D' r beta1) 1);
        [now apply span_none|apply Hin; cbn; auto 8|intro; ring]. }
    apply (span_add Q (s1 x) _ _ _ Hb Hx). intro c.
    rewrite (after_linear D' r (s1 x) (Y r) (fun c => beta1 c + s1 x * kappa1 c) (T1 x)).
    - now rewrite (after_linear D' r (s1 x) (fun c => beta1 c + s1 x * kappa1 c) beta1 kappa1).
    - intro c'. unfold Y, attention_of. rewrite norm1. fold x. ring. }
  assert (Hz : span Q (let_go (T2 z))).
  { eapply (span_more Q _ (after D' r (Y r)) (let_go (T2 (block_constant D' r))) 1 HY);
      [apply Hin; cbn; auto 8|].
    intro c. rewrite Rplus_comm, Rmult_1_l, <- (Rmult_1_l (after D' r (Y r) c)). unfold after.
    apply let_go_linear. intro. apply T2_linear. intro. unfold z. now apply block_is_affine. }
  apply (span_more Q _ (fun c => s2 z * let_go (T2 z) c + s2 z * let_go kappa2 c + 1 * let_go beta2 c
    + 1 * kept f c) (kept e) 1).
  - refine (span_more Q _ _ (kept f) 1 (span_more Q _ _ (let_go beta2) 1 (span_more Q _ _ (let_go kappa2)
      (s2 z) _ _ (fun c => eq_refl)) _ (fun c => eq_refl)) _ (fun c => eq_refl)); try (apply Hin; cbn; auto 8).
    apply (span_add Q (s2 z) _ (fun _ => 0) (let_go (T2 z))); [now apply span_none|exact Hz|intro; ring].
  - apply Hin. now left.
  - intro c. unfold kept, let_go. destruct (again c); [rewrite HE; ring|].
    unfold run_layer. fold Y. rewrite norm2. fold z. ring.
Qed.
End Layer.

(** ** All layers, and the readout *)

(** The colour of the last layer stands first. One of the [constants] is left for the readout. *)
Lemma layers_span N h W m (A B : Type) (X : A -> B -> mat) (F0 : A -> mat) (G0 : B -> mat) lys :
  (forall a b r c, (r < N)%nat -> X a b r c = F0 a r c + G0 b r c) ->
  (forall ly, In ly lys -> fits h W ly) ->
  exists (colour : A -> B -> list nat)
         (F : list nat -> A -> nat -> list vector) (G : list nat -> B -> nat -> list vector),
  forall a b, let D := colour a b in
    Forall (fun i => (i < K)%nat) D /\ length D = (length lys * (N * W))%nat /\
    forall r, (r < N)%nat ->
      (length (F D a r) <= paths h N (length lys))%nat /\
      (S (length (G D b r)) <= constants h N (length lys))%nat /\
      span (F D a r ++ G D b r) (run N m lys (X a b) r).
Proof.
  intro HX. induction lys as [|ly lys IH] using rev_ind; intro Hlayers.
  - exists (fun _ _ => []), (fun _ a r => [F0 a r]), (fun _ b r => [G0 b r]). intros a b.
    split; [constructor|]. split; [reflexivity|]. intros r Hr. cbn. split; [lia|]. split; [lia|].
    refine (span_more _ _ _ (F0 a r) 1 (span_more _ _ _ (G0 b r) 1 (span_none _ (fun _ => 0) _) _
      (fun c => eq_refl)) _ _); [cbn; auto..|]. intro c. rewrite HX by exact Hr. ring.
  - destruct IH as (colour & F & G & IH); [intros; apply Hlayers, in_or_app; now left|].
    destruct (Hlayers ly) as (Hh & (T1 & s1 & kappa1 & beta1 & HT1 & H1) & (T2 & s2 & kappa2 & beta2 & HT2 & H2)
      & W1 & b1 & W2 & b2 & Hw & Hblock); [apply in_or_app; right; now left|].
    set (new := fun a b => layer_colour N W W1 b1 (attention_of N ly (run N m lys (X a b)))).
    set (ren := renewed m). set (via := layer_images N W ly ren W1 W2 T1 T2).
    exists (fun a b => new a b ++ colour a b),
      (fun D a r => kept ren (F0 a r) :: via D (F (skipn (N * W) D) a) r),
      (fun D b r => kept ren (G0 b r) :: layer_constants W ly ren W1 W2 b1 b2 T2 kappa1 kappa2 beta1 beta2 D r
                    ++ via D (G (skipn (N * W) D) b) r).
    intros a b. destruct (IH a b) as (Hall & Hlen & HD). clear IH.
    assert (Hnew : length (new a b) = (N * W)%nat)
      by (unfold new, layer_colour; now rewrite map_length, seq_length).
    assert (Hold : skipn (N * W) (new a b ++ colour a b) = colour a b)
      by now rewrite <- Hnew, skipn_app, skipn_all, Nat.sub_diag.
    cbn zeta. rewrite Hold, !app_length, Hnew, Hlen, Nat.add_1_r. cbn [paths constants length].
    split; [|split; [lia|intros r Hr; split; [|split]]].
    + apply Forall_app. split; [|exact Hall]. apply Forall_forall. intros i Hi.
      apply in_map_iff in Hi as (j & <- & _). apply pieces.
    + unfold via, layer_images. rewrite map_length, Nat.add_1_r. apply le_n_S, attention_length; auto.
      intros s Hs. now apply HD.
    + rewrite app_length. unfold via, layer_images. rewrite map_length. destruct (HD r Hr) as (_ & H & _).
      cbn [layer_constants length].
      enough (length (attention_images N (plain ly) (G (colour a b) b) r)
              <= (constants h N (length lys) - 1) * (1 + h * N))%nat by nia.
      apply attention_length; auto. intros s Hs. destruct (HD s Hs) as (_ & H' & _). lia.
    + unfold run. rewrite fold_left_app. eapply layer_span; eauto. intros s Hs. now apply HD.
Qed.

Theorem network_spans : forall N L h W (m : model), within L h W m ->
  forall (A B : Type) (X : A -> B -> mat) (F0 : A -> nat -> nat -> R) (G0 : B -> nat -> nat -> R),
  (forall a b r c, (r < N)%nat -> X a b r c = F0 a r c + G0 b r c) ->
  exists (colours : list (list nat)) (colour : A -> B -> list nat)
         (F : list nat -> A -> nat -> nat -> nat -> R) (G : list nat -> B -> nat -> nat -> nat -> R),
    (length colours <= K ^ (L * N * W))%nat /\
    forall a b, In (colour a b) colours /\ forall r n, (r < N)%nat ->
      spans n (paths h N L) (constants h N L) (F (colour a b) a r) (G (colour a b) b r)
        (fun c => forward N m (X a b) r c).
Proof.
  intros N L h W m [HL Hlayers] A B X F0 G0 HX.
  destruct (layers_span N h W m A B X F0 G0 (layers m) HX Hlayers) as (colour & F & G & H).
  exists (DepthBound.lists_over (seq 0 K) (length (layers m) * (N * W))), colour,
    (fun D a r => numbered (map (through (readout m)) (F D a r))),
    (fun D b r => numbered (offset m :: map (through (readout m)) (G D b r))).
  split; [|intros a b; destruct (H a b) as (Hall & Hlen & HD); split].
  - rewrite DepthBound.lists_over_length, seq_length, <- Nat.mul_assoc. destruct (pieces 0) as [HK _].
    apply Nat.pow_le_mono_r; [lia|now apply Nat.mul_le_mono_r].
  - rewrite <- Hlen. now apply DepthBound.in_tuples.
  - intros r n Hr. destruct (HD r Hr) as (HF & HG & Hspan).
    apply (paths_le h N) in HL as HP. apply (constants_le h N) in HL as HC.
    apply span_spans; [rewrite map_length; lia|cbn [length]; rewrite map_length; lia|].
    eapply (span_more _ _ _ (offset m) 1).
    + eapply span_incl, span_map, Hspan; [|apply (through_linear (readout m))]. included.
    + apply in_or_app. right. now left.
    + intro c. rewrite Rmult_1_l. reflexivity.
Qed.
End Pieces.

(** ** ReLU, leaky ReLU (slope s below 0) and hard tanh *)

Definition above (b x : R) : nat := if Rle_dec x b then 0%nat else 1%nat.

Lemma relu_pieces : piecewise (above 0) INR (fun _ => 0) (Rmax 0) 2.
Proof.
  intro x. unfold above. destruct (Rle_dec x 0); (split; [lia|]);
    rewrite ?Rmax_left, ?Rmax_right by lra; cbn; ring.
Qed.

Lemma leaky_relu_pieces s : piecewise (above 0) (fun i => if (i =? 0)%nat then s else 1) (fun _ => 0)
  (fun x => if Rle_dec x 0 then s * x else x) 2.
Proof. intro x. unfold above. destruct (Rle_dec x 0); cbn; split; lia || ring. Qed.

Lemma hard_tanh_pieces : piecewise (fun x => above (-1) x + above 1 x)%nat
  (fun i => b2r (i =? 1)%nat) (fun i => INR i - 1) (fun x => Rmax (-1) (Rmin 1 x)) 3.
Proof.
  intro x. unfold above. destruct (Rle_dec x (-1)), (Rle_dec x 1); (split; [cbn; lia|]); try lra.
  1, 2: rewrite Rmin_right, ?Rmax_left, ?Rmax_right by lra; cbn; ring.
  rewrite Rmin_left, Rmax_right by lra. cbn. ring.
Qed.
