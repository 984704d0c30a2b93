(** * The encoder with 2 + log_rho((N + 1) / 2) layers

    Section 4.2. The encoder of LogDepthEncoder.v with the one layer of LogDepthEncoderSum.v in the place of
    the scan; nothing else changes: softmax in all heads, no mask, no residual stream, no begin or end
    token, nothing given anew, sizes as before. The trees with at most N leaves take
    2 + floor(log_rho((N + 1) / 2)) layers, rho^3 = rho + 1, as in a decoder (TreeDecoderCount.v); all trees with
    |str(t)| <= T take at most 3 log T + 4. There is no exact form: the first head takes a mean.

    Main definitions: [short_network].
    Main theorems:    [short_encoder_leaves], [short_encoder_trees],
                      [short_encoder_all], [short_pass]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Compat Sums Theorem1 Softmax Trees Pebbling Theorem3 LogDepth Activation.
From Assay Require Import TreeModel TreeBlocks TreeScores TreeContinuity TreeMLP TreeSoft SoftStep TreeSimulation.
From Assay Require Import CleanTreeModel LogDepthEncoderLift LogDepthEncoder LogDepthEncoderScan.
From Assay Require Import LogDepthEncoderTerms LogDepthEncoderSteps LogDepthEncoderStatements LogDepthEncoderSum.
From Assay Require FreeModel Pass PassTrees.
Import ListNotations.
Open Scope R_scope.

(** ** All layers *)

(** The model with softmax, and four hidden units for every product. *)
Definition short_network {Sigma : Type} n T steps (base sink : R) (A : Z) (leaf : Sigma -> nat -> R) tensor sigma
    (C b h s : R) : list (symbol Sigma) -> mat :=
  run_clean (fixed (signed n tensor) C) (short_encoder n T A steps)
    (fun ly => run_network sigma b (network (signed n tensor) h s (products ly)))
    (short_tokens n T base sink leaf).

Section All.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R) (T : nat).
Local Notation d := (encoder_dimension n).
Local Notation run_exact := (exact_run d leaf (signed n tensor)).
Local Notation fits t := (length (str t) <= T)%nat.

Lemma short_good steps :
  all_find d leaf (signed n tensor) T (summed n leaf T) (short_stages n T steps) /\
  forall t, fits t -> good n leaf tensor t steps (run_exact t (short_stages n T steps) (summed n leaf T t)).
Proof.
  destruct (steps_find n leaf tensor T steps 0 (fun t => exact_step d leaf (signed n tensor) t
    (summed n leaf T t) (match_stage n T))) as [G1 G2].
  { intros t Ht. eapply placed_good, match_keeps; eauto. apply summed_scanned. }
  split; [split; [|exact G1]|exact G2].
  intros t Ht r Hr. eapply match_finds; eauto. apply summed_scanned.
Qed.

Lemma short_in steps g : In g (short_stages n T steps) -> In g (stages n T steps).
Proof. intro H. unfold stages. apply in_or_app. now right. Qed.

Lemma sum_treeless A : Forall treeless_head (heads (sum_layer n A)).
Proof. repeat constructor. Qed.

Lemma short_run steps base sink A sigma C b c h (t : tree Sigma) r k : (k < n)%nat ->
  short_network n T steps base sink A leaf tensor sigma C b h (/ (4 * h ^ 2 * c)) (str t) r k
  = soft_run d leaf (signed n tensor) sigma b c C h t (short_stages n T steps)
      (first_made n leaf tensor T sigma b c base sink A C h t) r (e_b + k)%nat.
Proof.
  intro Hk. unfold short_network, run_clean, forward_with. cbn [readout short_encoder layers renewed fold_left].
  rewrite seq_nth by auto.
  change (map (layer_of d Soft) (match_stage n T :: repeat (step_stage n) steps))
    with (map (layer_of d Soft) (short_stages n T steps)).
  rewrite (fold_stages n leaf tensor Soft C _ (soft_block d (signed n tensor) sigma b c h) _ t)
    by (intros; reflexivity). unfold soft_run.
  match goal with |- fold_left _ _ ?x _ _ = fold_left _ _ ?y _ _ => assert (E : x = y); [|now rewrite E] end.
  apply functional_extensionality. intro q. apply functional_extensionality. intro k'. unfold first_made, run_with.
  cbn [existsb]. now rewrite (joined_fixed leaf (signed n tensor) C (tl (str t))) by apply sum_treeless.
Qed.

Lemma short_precision (letters : list Sigma) steps sigma b c :
  (forall a, In a letters) -> curved sigma b c -> c <> 0 -> forall eps, 0 < eps ->
  exists base sink A C0 h0, 0 < h0 /\ forall C h, C0 <= C -> 0 < h <= h0 -> forall (t : tree Sigma) i e u,
    fits t -> node t i e u -> mode steps u = Pebbled ->
    sqrt (sum n (fun k =>
      (short_network n T steps base sink A leaf tensor sigma C b h (/ (4 * h ^ 2 * c)) (str t) i k
       - mu n leaf tensor u k) ^ 2)) < eps.
Proof.
  intros Hall Hc Hc0 eps He.
  assert (Hq : 0 < eps / (INR n + 1)) by (apply Rdiv_lt_0_compat; [lra|pose proof (pos_INR n); lra]).
  destruct (short_good steps) as [Hfind Hgood].
  assert (Hp : Forall (plain_stage d) (short_stages n T steps)).
  { apply Forall_forall. intros g Hg. apply (proj1 (Forall_forall _ _) (encoder_plain n T steps)).
    now apply short_in. }
  destruct (lift d leaf (signed n tensor) letters T sigma b c Hall Hc Hc0
    (short_stages n T steps) Hp (summed n leaf T)) with (eps := eps / (INR n + 1))
    as (rho & C1 & h1 & Hrho & Hh1 & H1); auto.
  { intros t r k Hk. pose proof (dimension_12 n). unfold summed.
    destruct (Nat.eqb_spec k e_count); [e_unfold; lia|].
    destruct (Nat.eqb_spec k e_depth2); [e_unfold; lia|]. now apply tokens_beyond. }
  destruct (first_layer_close n leaf tensor T letters sigma b c Hall Hc Hc0 rho Hrho)
    as (base & sink & A & C2 & h2 & Hh2 & H2).
  exists base, sink, A, (Rmax C1 C2), (Rmin h1 h2). split; [now apply Rmin_glb_lt|].
  intros C h HC Hh t i e u Ht Hn Hm.
  pose proof (Rmax_l C1 C2). pose proof (Rmax_r C1 C2).
  pose proof (Rmin_l h1 h2). pose proof (Rmin_r h1 h2).
  apply node_occurs in Hn. pose proof (occurs_inside T t Ht i u Hn) as Hi.
  apply length_small; [exact He|]. intros k Hk. rewrite short_run by exact Hk.
  destruct (g_node n leaf tensor t steps _ (Hgood t Ht) i u Hi Hn) as (_ & _ & Hb & _).
  specialize (Hb k Hk). rewrite known_b, Hm in Hb by exact Hk. rewrite <- Hb.
  apply (H1 C h t); auto; try lra.
  - apply H2; auto; lra.
  - now rewrite rows_tail.
Qed.
End All.

(** ** Sizes *)

Lemma short_sizes_are n T A steps tensor h s :
  encoder_sizes n (2 + steps) tensor h s (short_encoder n T A steps).
Proof.
  split.
  { cbn [layers short_encoder length]. unfold short_stages. rewrite map_length. cbn [length].
    now rewrite repeat_length. }
  split; [unfold encoder_dimension; cbn; lia|]. split; [reflexivity|].
  intros ly [<-|Hly].
  - split; [cbn; lia|]. split.
    + intros hd [<-|[<-|[]]]; cbn -[seq encoder_dimension]; rewrite seq_length; repeat split; lia.
    + cbn [products sum_layer]. rewrite width_of_network.
      pose proof (products_le n (sum_stage n A) 3 1 1) as P. cbn [terms sum_stage] in P.
      assert (Q : forall c, (12 <= c -> length (sum_terms n A c) = 1)%nat).
      { intros c H1. unfold sum_terms. e_unfold.
        destruct (Nat.eqb_spec c 7); [lia|]. destruct (Nat.eqb_spec c 9); [lia|].
        destruct ((c =? 3) || (c =? 6))%nat; reflexivity. }
      specialize (P ltac:(intros c Hc; unfold sum_terms;
        repeat match goal with |- context [if ?b then _ else _] => destruct b end; cbn; lia)
        ltac:(intros c Hc; rewrite Q; lia) ltac:(intros c Hc; rewrite Q; lia)).
      cbn [Nat.pow]. nia.
  - destruct (encoder_sizes_are n T steps tensor h s) as (_ & _ & _ & H). apply H.
    apply in_map_iff in Hly. destruct Hly as (g & <- & Hg). cbn [layers encoder]. apply in_map.
    now apply short_in.
Qed.

(** ** Trees with at most N leaves, and all trees *)

(** 2 + floor(log_rho((N + 1) / 2)) layers for the trees with at most N leaves. *)
Theorem short_encoder_leaves {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor
    (letters : list Sigma) T N sigma rho :
  (1 <= N)%nat -> (forall a, In a letters) -> usable sigma -> 0 < rho -> rho ^ 3 = rho + 1 ->
  forall eps, 0 < eps -> exists steps base sink A C b h s,
    rho ^ steps <= (INR N + 1) / 2 /\
    encoder_sizes n (2 + steps) (signed n tensor) h s (short_encoder n T A steps) /\
    approximately_simulates_trees n T leaf tensor (fun t => (leaves t <= N)%nat) eps
      (short_network n T steps base sink A leaf tensor sigma C b h s).
Proof.
  intros HN Hall (b & c & Hc & Hc0) Hr H3 eps He.
  destruct (plastic_steps rho N Hr H3 HN) as (steps & Hs1 & Hs2).
  destruct (short_precision n leaf tensor T letters steps sigma b c Hall Hc Hc0 eps He)
    as (base & sink & A & C0 & h0 & Hh0 & H).
  exists steps, base, sink, A, C0, b, h0, (/ (4 * h0 ^ 2 * c)).
  split; [exact Hs1|]. split; [apply short_sizes_are|].
  intros t i e u Ht Hl Hn. apply (H C0 h0 ltac:(lra) ltac:(lra) t i e u Ht Hn).
  apply (plastic_pebbled rho steps N); auto. pose proof (node_leaves t i e u Hn). lia.
Qed.

(** The same without a length: one encoder for all trees with at most N leaves. *)
Theorem short_encoder_trees {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor
    (letters : list Sigma) N sigma rho :
  (1 <= N)%nat -> (forall a, In a letters) -> usable sigma -> 0 < rho -> rho ^ 3 = rho + 1 ->
  forall eps, 0 < eps -> exists steps base sink A C b h s,
    rho ^ steps <= (INR N + 1) / 2 /\
    encoder_sizes n (2 + steps) (signed n tensor) h s (short_encoder n (3 * N) A steps) /\
    forall (t : tree Sigma) i e u, (leaves t <= N)%nat -> node t i e u ->
      sqrt (sum n (fun k =>
        (short_network n (3 * N) steps base sink A leaf tensor sigma C b h s (str t) i k
         - mu n leaf tensor u k) ^ 2)) < eps.
Proof.
  intros HN Hall Hu Hr H3 eps He.
  destruct (short_encoder_leaves n leaf tensor letters (3 * N) N sigma rho HN Hall Hu Hr H3 eps He)
    as (steps & base & sink & A & C & b & h & s & Hs & Hz & H).
  exists steps, base, sink, A, C, b, h, s. split; [exact Hs|]. split; [exact Hz|].
  intros t i e u Hl Hn. apply (H t i e u); auto. pose proof (length_leaves t). lia.
Qed.

Lemma steps_at_short T : (1 <= T)%nat -> (2 + steps_at T <= 3 * Nat.log2_up T + 4)%nat.
Proof. intro HT. pose proof (steps_at_log T HT). lia. Qed.

(** At most 3 log T + 4 layers for all trees. *)
Theorem short_encoder_all {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor
    (letters : list Sigma) T sigma :
  (1 <= T)%nat -> (forall a, In a letters) -> usable sigma ->
  forall eps, 0 < eps -> exists layer_count steps base sink A C b h s,
    (layer_count <= 3 * Nat.log2_up T + 4)%nat /\
    encoder_sizes n layer_count (signed n tensor) h s (short_encoder n T A steps) /\
    approximately_simulates_trees n T leaf tensor (fun _ => True) eps
      (short_network n T steps base sink A leaf tensor sigma C b h s).
Proof.
  intros HT Hall (b & c & Hc & Hc0) eps He.
  destruct (short_precision n leaf tensor T letters (steps_at T) sigma b c Hall Hc Hc0 eps He)
    as (base & sink & A & C0 & h0 & Hh0 & H).
  exists (2 + steps_at T)%nat, (steps_at T), base, sink, A, C0, b, h0, (/ (4 * h0 ^ 2 * c)).
  split; [now apply steps_at_short|]. split; [apply short_sizes_are|].
  intros t i e u Ht _ Hn. apply (H C0 h0 ltac:(lra) ltac:(lra) t i e u Ht Hn).
  now apply (steps_at_pebbled T t i e).
Qed.

(** ** The model in the one forward pass *)

Lemma short_fits n T A steps : PassTrees.fits (encoder_dimension n) (short_encoder n T A steps).
Proof.
  pose proof (dimension_12 n) as D. destruct (encoder_fits n T Soft steps) as [H1 H2]. split; [|exact H2].
  intros ly [<-|Hly].
  - cbn [heads sum_layer].
    assert (B : Forall (fun c => (c < encoder_dimension n)%nat) (seq 0 (encoder_dimension n)))
      by (apply PassTrees.below_all; lia).
    assert (F : forall f, (forall p, In p f -> (fst p < 12)%nat) -> PassTrees.form_fits (encoder_dimension n) f)
      by (intros f H; apply Forall_forall; intros p Hp; specialize (H p Hp); lia).
    apply Forall_forall. intros hd [<-|[<-|[]]]; (split; [|split; [|split; [reflexivity|exact B]]]);
      apply Forall_forall; intros f [<-|[<-|[]]]; apply F; intros p [<-|[]]; cbn [fst]; e_unfold; lia.
  - apply H1. apply in_map_iff in Hly. destruct Hly as (g & <- & Hg). cbn [layers encoder]. apply in_map.
    now apply short_in.
Qed.

(** Attention, products and readout as matrices, no residual connections, nothing given anew. *)
Theorem short_pass {Sigma : Type} n T steps base sink A (leaf : Sigma -> nat -> R) tensor sigma C b h s w r k :
  (k < n)%nat -> short_network n T steps base sink A leaf tensor sigma C b h s w r k
  = Pass.forward (length w)
      (PassTrees.model_of_tree (encoder_dimension n) (fixed (signed n tensor) C)
         (fun ly => run_network sigma b (network (signed n tensor) h s (products ly)))
         (short_encoder n T A steps))
      (fun r => short_tokens n T base sink leaf (nth_error w r) r) r k.
Proof.
  intro Hk. apply PassTrees.any_pass; [apply short_fits|]. cbn [readout short_encoder]. now rewrite seq_length.
Qed.
