(** * One forward pass for all models, and the models of Theorems 1 and 2 as instances of it

    Section 2.4. The pass of [constructions.core.transformer]: a layer has heads

        attention((X W_Q + b_Q) (X W_K)^T) X W_V

    with hard attention, attention to all maxima alike, or softmax, and a mask or none; they are joined by
    W_O, and a feed-forward block, a function of a row, follows; residual connections around both are
    optional, and so is that some columns are taken from the embedding again after each layer; at the
    end there is a readout with an offset. (The program's pass also has normalisations, which no model
    here uses.)

    The forward passes of this development are this one with parameters: Theorems 1 and 2, with exact
    products and with MLPs ([words_pass], [words_mlp_pass]), Theorem 1 without pads ([clean_pass]), all
    models of Theorem 3 (PassTrees.v) and the decoders (PassDecoder.v).

    Main definitions: [head], [layer], [model], [forward].
    Main theorems:    [network_pass], [words_pass], [words_mlp_pass], [clean_pass]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Sums Theorem1 Softmax TreeModel.
From Assay Require Model Sizes MLP MLPModel Simulation Statements NoPadsWeights NoPads NoPadsStatement.
Import Simulation(dense, Dense, height, breadth, number_at, times).
Import ListNotations.
Open Scope R_scope.

(** ** The pass *)

Record head := Head
  { query : dense; query_bias : nat -> R; key : dense; value : dense;
    how : attention; seen : mask }.

Record layer := Layer
  { heads : list head; combine : dense; feedforward : (nat -> R) -> nat -> R; residual : bool }.

(** [renewed]: the columns that are taken from the embedding again after each layer. *)
Record model := Model
  { layers : list layer; renewed : nat -> bool; readout : dense; offset : nat -> R }.

Section Pass.
Variable tokens : nat.              (* how many rows X has *)

Definition scores (h : head) (X : mat) : mat := fun i j =>
  sum (breadth (query h)) (fun q => (times X (query h) i q + query_bias h q) * times X (key h) j q).

Definition attended (h : head) (X : mat) : mat :=
  mmul tokens (attend tokens (how h) (seen h) (scores h X)) (times X (value h)).

Definition joined (hs : list head) (X : mat) : mat :=
  Model.concat (map (fun h => (breadth (value h), attended h X)) hs).

Definition added (ly : layer) (X Y : mat) : mat :=
  fun r c => if residual ly then X r c + Y r c else Y r c.

Definition after_attention (ly : layer) (X : mat) : mat :=
  added ly X (times (joined (heads ly) X) (combine ly)).

Definition run_layer (ly : layer) (X : mat) : mat :=
  let Y := after_attention ly X in added ly Y (fun r => feedforward ly (Y r)).

Definition run_layers (m : model) (E : mat) : mat :=
  fold_left (fun X ly r c => if renewed m c then E r c else run_layer ly X r c) (layers m) E.

Definition forward (m : model) (E : mat) : mat :=
  fun r c => times (run_layers m E) (readout m) r c + offset m c.
End Pass.

(** ** Attention without a mask *)

Lemma hard_everywhere N S : hard N S = attend N Hard Everywhere S.
Proof.
  apply functional_extensionality. intro r. apply functional_extensionality. intro s.
  unfold hard, attend, hard_masked. cbn [allowed andb]. f_equal.
  apply eq_true_iff_eq. rewrite !all_below_spec. cbn [negb].
  split; intros H q Hq; specialize (H q Hq); rewrite orb_false_r in *; exact H.
Qed.

Lemma softmax_everywhere N S : softmax N S = attend N Soft Everywhere S.
Proof.
  apply functional_extensionality. intro r. apply functional_extensionality. intro s.
  unfold softmax, attend, soft_masked. cbn [allowed b2r]. rewrite Rmult_1_l. f_equal.
  assert (E : sum N (fun s' => exp (S r s')) = sum N (fun s' => 1 * exp (S r s'))); [|now rewrite E].
  apply sum_ext. intros. now rewrite Rmult_1_l.
Qed.

(** (F X) W = F (X W). *)
Lemma mean_times tokens (F X : mat) W : times (mmul tokens F X) W = mmul tokens F (times X W).
Proof.
  apply functional_extensionality. intro r. apply functional_extensionality. intro c.
  unfold times, mmul.
  transitivity (sum (height W) (fun p => sum tokens (fun s => F r s * X s p * number_at W p c))).
  - apply sum_ext. intros p _. now rewrite sum_scal_r.
  - rewrite sum_swap. apply sum_ext. intros s _. rewrite sum_scal_l. apply sum_ext. intros; ring.
Qed.

(** ** Networks of Simulation.v *)

Definition head_of (kind : attention) (h : Simulation.real_head) : head :=
  Head (Simulation.query h) (fun _ => 0) (Simulation.key h) (Simulation.value_of h) kind Everywhere.

Definition layer_of (kind : attention) (sigma : R -> R) (ly : Simulation.real_layer) : layer :=
  Layer (map (head_of kind) (Simulation.real_heads ly)) (Simulation.joining ly)
    (fun x => Simulation.run_block sigma (Simulation.block_of ly) (fun _ => x) 0%nat) false.

Definition model_of (kind : attention) (sigma : R -> R) (columns : nat -> bool)
    (net : Simulation.network) : model :=
  Model (map (layer_of kind sigma) (Simulation.real_layers net)) columns (Simulation.reading net)
    (fun _ => 0).

Section Networks.
Context (kind : attention) (sigma : R -> R) (tokens : nat) (filter : mat -> mat).
Hypothesis filter_is : forall S, filter S = attend tokens kind Everywhere S.

Lemma attended_is X h : Simulation.attended filter tokens X h = attended tokens (head_of kind h) X.
Proof.
  unfold Simulation.attended, attended. rewrite mean_times, filter_is. cbn [head_of value how seen].
  do 2 f_equal. apply functional_extensionality. intro r. apply functional_extensionality. intro s.
  unfold scores. cbn [head_of query key query_bias]. apply sum_ext. intros. ring.
Qed.

Lemma attention_is ly X :
  Simulation.joined_heads filter tokens ly X = after_attention tokens (layer_of kind sigma ly) X.
Proof.
  change (Simulation.joined_heads filter tokens ly X
    = times (joined tokens (heads (layer_of kind sigma ly)) X) (Simulation.joining ly)).
  unfold Simulation.joined_heads, joined. cbn [layer_of heads]. f_equal. rewrite map_map. f_equal. apply map_ext. intro h. cbn [head_of value]. now rewrite attended_is.
Qed.

Lemma layer_is ly X r c :
  Simulation.run_block sigma (Simulation.block_of ly) (Simulation.joined_heads filter tokens ly X) r c
  = run_layer tokens (layer_of kind sigma ly) X r c.
Proof. rewrite attention_is. unfold run_layer, added. cbn. destruct (Simulation.block_of ly); reflexivity. Qed.

(** What is added after each layer is what stands in the renewed columns, and nothing elsewhere. *)
Theorem network_pass (net : Simulation.network) columns X :
  (forall ly Y r c, In ly (Simulation.real_layers net) -> columns c = true ->
     Simulation.run_block sigma (Simulation.block_of ly) Y r c = 0) ->
  (forall r c, columns c = true -> X r c = number_at (Simulation.again net) r c) ->
  (forall r c, columns c = false -> number_at (Simulation.again net) r c = 0) ->
  Simulation.run_network_on filter sigma tokens net X
  = forward tokens (model_of kind sigma columns net) X.
Proof.
  intros Hblock Hagain Hzero. apply functional_extensionality. intro r.
  apply functional_extensionality. intro c. unfold Simulation.run_network_on, forward, run_layers.
  cbn [model_of layers renewed readout offset]. rewrite Rplus_0_r.
  match goal with |- times ?a _ _ _ = times ?b _ _ _ => assert (E : a = b); [|now rewrite E] end.
  rewrite <- (rev_involutive (Simulation.real_layers net)) in *.
  induction (rev (Simulation.real_layers net)) as [|ly lys IH]; [reflexivity|].
  cbn [rev]. rewrite map_app, !fold_left_app. cbn [map fold_left]. cbn [rev] in Hblock.
  rewrite IH by (intros; apply Hblock; [apply in_or_app; now left|assumption]).
  apply functional_extensionality. intro r'. apply functional_extensionality. intro c'.
  unfold Simulation.run_real_layer. destruct (columns c') eqn:Ec.
  - rewrite Hblock, <- Hagain by (auto; apply in_or_app; right; now left). ring.
  - rewrite Hzero, layer_is by auto. ring.
Qed.
End Networks.

(** ** Theorems 1 and 2 *)

(** The columns of the positional encodings. *)
Definition angles (n : nat) (c : nat) : bool := (2 * Model.n2 n <=? c)%nat.

Section Words.
Context {Sigma : Type} (n L : nat) (A : Sigma -> mat) (alpha : nat -> R) (C : R).

Lemma encoding_is r c :
  Simulation.number_of alpha C (Model.position_entry n L r c)
  = Simulation.number_of (fun _ => 0) 0 (Model.position_entry n L r c).
Proof.
  unfold Model.position_entry. destruct (c =? _)%nat; [reflexivity|].
  destruct (c =? _)%nat; reflexivity.
Qed.

Lemma tokens_angles (w : list Sigma) r c : angles n c = true ->
  Simulation.tokens_of n L A w r c = Simulation.number_of alpha C (Model.position_entry n L r c).
Proof.
  unfold angles. rewrite Nat.leb_le. intro H. unfold Simulation.tokens_of, Simulation.token_of.
  destruct (Nat.ltb_spec c (Model.n2 n)); [lia|]. destruct (Nat.ltb_spec c (2 * Model.n2 n)); [lia|].
  symmetry. apply encoding_is.
Qed.

Lemma encoding_zero r c : angles n c = false ->
  Simulation.number_of alpha C (Model.position_entry n L r c) = 0.
Proof.
  unfold angles. rewrite Nat.leb_gt. intro H. unfold Model.position_entry.
  destruct (Nat.eqb_spec c (2 * Model.n2 n)); [lia|].
  destruct (Nat.eqb_spec c (2 * Model.n2 n + 1)); [lia|]. reflexivity.
Qed.

(** The models with exact products. *)
Theorem words_pass scale kind filter sigma (w : list Sigma) t :
  (forall S, filter (Model.N L) S = attend (Model.N L) kind Everywhere S) ->
  let net := Simulation.network_of alpha C (Model.construction n L scale) in
  Statements.answers filter sigma n L A net w t
  = forward (Model.N L) (model_of kind sigma (angles n) net) (Simulation.tokens_of n L A w)
      (t + 2 ^ L - 1)%nat.
Proof.
  intros Hf net. unfold Statements.answers.
  rewrite (network_pass kind sigma (Model.N L) (filter (Model.N L)) Hf net (angles n)); [reflexivity| | |].
  - intros ly Y r c Hly Hc. unfold angles in Hc. apply Nat.leb_le in Hc.
    cbn [net Simulation.network_of Simulation.real_layers] in Hly.
    apply in_map_iff in Hly as (l & <- & Hl). cbn in Hl. apply in_map_iff in Hl as (k & <- & _).
    cbn [Simulation.block_of Simulation.bilinear_of Simulation.run_block Model.layer_at Model.feedforward
      Model.Wout]. unfold times, mmul. cbn [Simulation.dense_of height number_at Model.W_out Model.rows
      Model.entry]. apply sum_zero. intros p Hp.
    destruct (Nat.eqb_spec c p); [lia|]. destruct (Nat.eqb_spec c (Model.n2 n + p)); [lia|].
    cbn. ring.
  - intros r c Hc. now apply tokens_angles.
  - intros r c Hc. now apply encoding_zero.
Qed.

(** The model with MLPs. *)
Theorem words_mlp_pass b h s extra sigma (w : list Sigma) t :
  let net := Simulation.mlp_network_of alpha C b h s (MLPModel.soft_model n L extra) in
  Statements.answers softmax sigma n L A net w t
  = forward (Model.N L) (model_of Soft sigma (angles n) net) (Simulation.tokens_of n L A w)
      (t + 2 ^ L - 1)%nat.
Proof.
  intro net. unfold Statements.answers.
  rewrite (network_pass Soft sigma (Model.N L) (softmax (Model.N L)) (softmax_everywhere _) net
    (angles n)); [reflexivity| | |].
  - intros ly Y r c Hly Hc. unfold angles in Hc. apply Nat.leb_le in Hc.
    cbn [net Simulation.mlp_network_of Simulation.real_layers MLPModel.soft_model MLPModel.with_mlp
      MLPModel.mlp_layers] in Hly. rewrite map_map in Hly. apply in_map_iff in Hly as (l & <- & _).
    cbn [Simulation.block_of Simulation.mlp_of Simulation.run_block MLPModel.network breadth number_at
      MLP.multiplier MLP.units MLP.outward MLP.offset].
    rewrite sum_zero; [cbn; ring|]. intros u Hu. unfold MLP.outward_entry.
    destruct (Nat.leb_spec (MLP.slim_units n) u) as [|Hs]; [cbn; ring|].
    assert (Hp : (MLP.out_place n (u / 4) < Model.n2 n)%nat).
    { unfold MLP.out_place, MLP.slim_units, Model.n2 in *.
      assert (n <> 0)%nat by (intros ->; simpl in Hs; lia).
      assert (u / 4 < n * n * n)%nat by (apply Nat.div_lt_upper_bound; lia).
      assert (u / 4 / n / n < n)%nat.
      { apply Nat.div_lt_upper_bound; [auto|]. apply Nat.div_lt_upper_bound; [auto|]. lia. }
      pose proof (Nat.mod_upper_bound (u / 4) n ltac:(auto)). nia. }
    destruct (Nat.eqb_spec c (MLP.out_place n (u / 4))); [lia|].
    destruct (Nat.eqb_spec c (Model.n2 n + MLP.out_place n (u / 4))); [lia|]. cbn. ring.
  - intros r c Hc. now apply tokens_angles.
  - intros r c Hc. now apply encoding_zero.
Qed.
End Words.

(** ** Theorem 1 without pads: nothing is taken from the embedding again *)

Theorem clean_pass {Sigma : Type} n T m alpha (A : Sigma -> mat) x :
  NoPads.clean_simulator n T m alpha A x
  = forward (m + 1)
      (model_of Hard (fun y => y) (fun _ => false)
         (Simulation.network_of alpha 1 (NoPadsWeights.clean n T)))
      (Model.real alpha (fun t => A (x t)) 1 (NoPadsWeights.clean_embedding n T m)).
Proof.
  unfold NoPads.clean_simulator.
  rewrite (Simulation.forward_is_network alpha 1 _ (hard (m + 1)) (m + 1) (fun y => y) _ _
    (NoPadsStatement.clean_wordless n T)).
  apply network_pass; [intro; apply hard_everywhere|discriminate|discriminate|].
  intros r c _. reflexivity.
Qed.
