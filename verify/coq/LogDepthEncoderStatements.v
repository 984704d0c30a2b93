(** * The open question of Section 4.2: O(log T) layers for all trees, in the paper's own terms

    Section 4.2 asks whether O(log T) layers suffice for arbitrary trees. With hard attention and exact
    products they do, over every alphabet: for the trees with at most N leaves and strings of at most T
    symbols ceil(log2 T) + 1 + floor(log_rho((N + 1) / 2)) layers, rho^3 = rho + 1 (rho = 1.3247..), on the
    tokens of str(t) alone ([logdepth_encoder_exact]). With softmax and MLPs, and fewer layers, the answer is
    in LogDepthEncoderShort.v.

    Where we differ from the print: the embedding has n^2 + n + 12 coordinates in the place of O(n);
    positions are i, i^2 and (2 T + 2)^i, (2 T + 2)^(-i); the activation is named.

    Main definition: [encoder_sizes].
    Main theorem:    [logdepth_encoder_exact]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Compat Sums Trees Pebbling Theorem3 LogDepth Activation.
From Assay Require Import TreeModel TreeBlocks TreeContinuity TreeMLP SoftStep TreeSimulation Corollary1.
From Assay Require Import CleanTreeModel LogDepthEncoderLift LogDepthEncoder LogDepthEncoderScan.
From Assay Require Import LogDepthEncoderTerms LogDepthEncoderSteps.
From Assay Require Pass PassTrees.
Import ListNotations.
Open Scope R_scope.

(** ** The model as a forward pass with fixed numbers *)

Section Fixed.
Context {Sigma : Type} (n T : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R).
Local Notation d := (encoder_dimension n).

Lemma stage_treeless mode g : Forall treeless_head (heads (layer_of d mode g)).
Proof.
  assert (S0 : forall z, treeless (scale mode z)) by (intro z; destruct mode; exact Logic.I).
  cbn [heads layer_of]. unfold heads_of, specs. rewrite map_map. apply Forall_map, Forall_forall.
  intros p _. split; apply Forall_map, Forall_forall; intros f _; apply Forall_map, Forall_forall;
    intros q _; [apply S0|exact Logic.I].
Qed.

(** Layers with any blocks, as stages one after the other. *)
Lemma fold_stages mode C blocks (B : stage -> (nat -> R) -> nat -> R) E (t : tree Sigma) gs X :
  (forall g x, In g gs -> blocks (layer_of d mode g) x = B g x) ->
  fold_left (run_with (fixed (signed n tensor) C) (length (str t)) blocks [] E) (map (layer_of d mode) gs) X
  = fold_left (fun X g r => B g (joined (value leaf (signed n tensor) C (tl (str t))) (length (str t))
                                   (heads (layer_of d mode g)) X r)) gs X.
Proof.
  intro HB. symmetry. apply fold_left_map_same. intros g Hg Y. apply functional_extensionality. intro q.
  apply functional_extensionality. intro c. unfold run_with. cbn [existsb].
  now rewrite HB, (joined_fixed leaf (signed n tensor) C (tl (str t))) by (exact Hg || apply stage_treeless).
Qed.

Lemma run_clean_stages mode C blocks (B : stage -> (nat -> R) -> nat -> R) steps (t : tree Sigma) r k :
  (k < n)%nat -> (forall g x, In g (stages n T steps) -> blocks (layer_of d mode g) x = B g x) ->
  run_clean (fixed (signed n tensor) C) (encoder n T mode steps) blocks (encoder_tokens n T leaf) (str t) r k
  = fold_left (fun X g r => B g (joined (value leaf (signed n tensor) C (tl (str t))) (length (str t))
                                   (heads (layer_of d mode g)) X r))
      (stages n T steps) (encoder_start n leaf T t) r (e_b + k)%nat.
Proof.
  intros Hk HB. unfold run_clean, forward_with. cbn [readout encoder layers renewed]. rewrite seq_nth by auto.
  fold (encoder_start n leaf T t). now rewrite (fold_stages mode C blocks B _ t).
Qed.
End Fixed.

(** Weights in the blocks: whole numbers and entries of the tensor, with both signs. *)
Lemma encoder_plain n T steps : Forall (plain_stage (encoder_dimension n)) (stages n T steps).
Proof.
  assert (G : forall g, (forall c x, In x (terms g c) -> plain (snd x)) ->
    plain_stage (encoder_dimension n) g).
  { intros g H. apply Forall_flat_map, Forall_forall. intros c _. apply Forall_map, Forall_forall.
    intros x Hx. now apply (H c). }
  assert (K : forall c x, In x (keep c) -> plain (snd x)) by (intros c x [<-|[]]; exact Logic.I).
  unfold stages. rewrite Forall_app. split; [|constructor].
  - apply Forall_map, Forall_forall. intros l _. apply G. intros c x. cbn [terms scan_stage].
    unfold scan_terms. destruct (c =? e_count)%nat; [|destruct (c =? e_depth2)%nat].
    + intro H. apply in_app_or in H. destruct H; eauto.
    + intro H. repeat (destruct H as [<-|H]; [exact Logic.I|]). destruct H.
    + apply K.
  - apply G. intros c x. cbn [terms match_stage]. unfold match_terms.
    destruct (c =? e_phi)%nat; [|destruct ((7 <=? c) && (c <? 12))%nat; [intros []|apply K]].
    intro H. repeat (destruct H as [<-|H]; [exact Logic.I|]). destruct H.
  - apply Forall_forall. intros g Hg. apply repeat_spec in Hg as ->. apply G. intros c x.
    cbn [terms step_stage].
    assert (P : forall x l, In x l -> Forall (fun x : term => plain (snd x)) l -> plain (snd x))
      by (intros y l Hy Hl; now apply (proj1 (Forall_forall _ _) Hl)).
    intro H. apply (P x _ H). clear H x. unfold step_terms, left_known, right_known, both_known, keep, one_term.
    repeat match goal with |- context [if ?b then _ else _] => destruct b end;
      try (repeat constructor; fail).
    + unfold state_terms, keep, one_term. rewrite !Forall_app. split; [repeat constructor|]. split.
      * apply Forall_map, Forall_forall. intros; exact Logic.I.
      * apply Forall_flat_map, Forall_forall. intros a _. apply Forall_flat_map, Forall_forall.
        intros q _. repeat constructor.
    + unfold matrix_terms, one_term. rewrite !Forall_app. split; [|split].
      * apply Forall_map, Forall_forall. intros; exact Logic.I.
      * apply Forall_flat_map, Forall_forall. intros a _. repeat constructor.
      * unfold diagonal_terms, left_known, right_known, both_known, one_term.
        destruct (_ =? _)%nat; repeat constructor.
Qed.

(** ** Exact, with hard attention, over every alphabet *)

Lemma pebbled_later {Sigma : Type} (v : tree Sigma) s s' : (s <= s')%nat -> mode s v = Pebbled ->
  mode s' v = Pebbled.
Proof. intros H H0. induction H; [exact H0|now apply pebbled_stays]. Qed.

Lemma node_leaves {Sigma : Type} (t : tree Sigma) i e u : node t i e u -> (leaves u <= leaves t)%nat.
Proof. induction 1; cbn [leaves]; lia. Qed.

(** So many leaves are done after so many steps. *)
Lemma plastic_pebbled {Sigma : Type} rho steps N (u : tree Sigma) : 0 < rho -> rho ^ 3 = rho + 1 ->
  (INR N + 1) / 2 < rho ^ (steps + 1) -> (leaves u <= N)%nat -> mode steps u = Pebbled.
Proof.
  intros Hr H3 HN Hu. apply le_INR in Hu.
  destruct (mode steps u) as [| |c] eqn:E; [reflexivity| |]; exfalso;
    pose proof (steps_bound rho (steps + 1) u Hr H3 ltac:(lia)) as B;
    replace (steps + 1 - 1)%nat with steps in B by lia; specialize (B ltac:(congruence)); lra.
Qed.

Theorem logdepth_encoder_exact {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor T N rho steps :
  0 < rho -> rho ^ 3 = rho + 1 -> (INR N + 1) / 2 < rho ^ (steps + 1) ->
  length (layers (encoder n T Hard steps)) = (Nat.log2_up T + 1 + steps)%nat /\
  simulates_trees n T leaf tensor (fun t => (leaves t <= N)%nat)
    (run_clean (fixed (signed n tensor) 1) (encoder n T Hard steps)
       (fun ly => block (fixed (signed n tensor) 1) (products ly)) (encoder_tokens n T leaf)).
Proof.
  intros Hr H3 HN. split.
  { cbn [layers encoder]. unfold stages.
    rewrite map_length, app_length, map_length, seq_length. cbn [length]. rewrite repeat_length. lia. }
  intros t i e u Ht Hl Hn k Hk.
  rewrite (run_clean_stages n T leaf tensor Hard 1 _
    (fun g => block (plain_value (signed n tensor)) (products_of (encoder_dimension n) g))).
  - apply (encoder_states n leaf tensor T steps t i e u k Ht Hn); auto.
    apply (plastic_pebbled rho steps N); auto. pose proof (node_leaves t i e u Hn). lia.
  - exact Hk.
  - intros g x Hg. cbn [products layer_of]. apply functional_extensionality. intro c.
    pose proof (proj1 (Forall_forall _ _) (encoder_plain n T steps) g Hg) as Hp.
    apply lsum_ext. intros p Hin. pose proof (proj1 (Forall_forall _ _) Hp p Hin) as Hq.
    destruct (out p =? c)%nat; [|reflexivity]. revert Hq. cbn beta. destruct (times p); cbn; tauto || reflexivity.
Qed.

(** ** Softmax and MLPs *)

(** ** Sizes *)

(** Layers, embedding dimension O(n^2), at most four heads without masks, MLP width O(n^3), nothing given
    anew. *)
Definition encoder_sizes (n layer_count : nat) (tensor : nat -> nat -> nat -> R) (h s : R)
    (model : transformer) : Prop :=
  length (layers model) = layer_count /\ encoder_dimension n = (n ^ 2 + n + 12)%nat /\ renewed model = [] /\
  forall ly, In ly (layers model) ->
    (length (heads ly) <= 4)%nat /\
    (forall hd, In hd (heads ly) -> seen hd = Everywhere /\ how hd = Soft /\
       (length (queries hd) <= 4)%nat /\ length (reads hd) = encoder_dimension n) /\
    (length (network tensor h s (products ly)) <= 4 * (10 * n ^ 3 + 6 * n ^ 2 + n + 108))%nat.

Lemma flat_map_le {A B : Type} (f : A -> list B) k l : (forall x, In x l -> (length (f x) <= k)%nat) ->
  (length (flat_map f l) <= k * length l)%nat.
Proof.
  induction l as [|x l IH]; intro H; cbn [flat_map length]; [lia|]. rewrite app_length.
  pose proof (H x (or_introl eq_refl)). pose proof (IH (fun y Hy => H y (or_intror Hy))). lia.
Qed.

(** So many products, if there are at most k0, k1 and k2 for the three kinds of coordinates. *)
Lemma products_le n g k0 k1 k2 :
  (forall c, (c < 12)%nat -> (length (terms g c) <= k0)%nat) ->
  (forall c, (12 <= c < 12 + n)%nat -> (length (terms g c) <= k1)%nat) ->
  (forall c, (12 + n <= c)%nat -> (length (terms g c) <= k2)%nat) ->
  (length (products_of (encoder_dimension n) g) <= 12 * k0 + n * k1 + n * n * k2)%nat.
Proof.
  intros H0 H1 H2. unfold products_of, encoder_dimension.
  rewrite seq_app, seq_app, !flat_map_app, !app_length.
  pose proof (flat_map_le (fun c => map (into c) (terms g c)) k0 (seq 0 12)) as G0.
  pose proof (flat_map_le (fun c => map (into c) (terms g c)) k1 (seq (0 + 12) n)) as G1.
  pose proof (flat_map_le (fun c => map (into c) (terms g c)) k2 (seq (0 + (12 + n)) (n * n))) as G2.
  rewrite !seq_length in *.
  specialize (G0 ltac:(intros c Hc; apply in_seq in Hc; rewrite map_length; apply H0; lia)).
  specialize (G1 ltac:(intros c Hc; apply in_seq in Hc; rewrite map_length; apply H1; lia)).
  specialize (G2 ltac:(intros c Hc; apply in_seq in Hc; rewrite map_length; apply H2; lia)). lia.
Qed.

Lemma few_products n T steps g : In g (stages n T steps) ->
  (length (products_of (encoder_dimension n) g) <= 10 * n ^ 3 + 6 * n ^ 2 + n + 108)%nat.
Proof.
  intro H. unfold stages in H. apply in_app_or in H. destruct H as [H|[<-|H]].
  - apply in_map_iff in H. destruct H as (l & <- & _).
    pose proof (products_le n (scan_stage n l) 6 1 1) as P. cbn [terms scan_stage] in P.
    assert (Q : forall c, (c <> 7 -> c <> 9 -> length (scan_terms n c) = 1)%nat).
    { intros c H1 H2. unfold scan_terms. e_unfold. destruct (Nat.eqb_spec c 7); [lia|].
      destruct (Nat.eqb_spec c 9); [lia|reflexivity]. }
    specialize (P ltac:(intros c Hc; unfold scan_terms;
      repeat match goal with |- context [if ?b then _ else _] => destruct b end; cbn; lia)
      ltac:(intros c Hc; rewrite Q; lia) ltac:(intros c Hc; rewrite Q; lia)).
    cbn [Nat.pow]. nia.
  - pose proof (products_le n (match_stage n T) 3 1 1) as P. cbn [terms match_stage] in P.
    assert (Q : forall c, (12 <= c -> length (match_terms n c) = 1)%nat).
    { intros c H1. unfold match_terms. e_unfold. destruct (Nat.eqb_spec c 3); [lia|].
      destruct (Nat.ltb_spec c 12); [lia|]. now rewrite andb_false_r. }
    specialize (P ltac:(intros c Hc; unfold match_terms;
      repeat match goal with |- context [if ?b then _ else _] => destruct b end; cbn; lia)
      ltac:(intros c Hc; rewrite Q; lia) ltac:(intros c Hc; rewrite Q; lia)).
    cbn [Nat.pow]. nia.
  - apply repeat_spec in H as ->.
    assert (Q : forall c, (12 <= c)%nat -> step_terms n c
      = if (c <? e_M n)%nat then state_terms n (c - 12)
        else matrix_terms n ((c - e_M n) / n) ((c - e_M n) mod n)).
    { intros c Hc. unfold step_terms. e_unfold. destruct (Nat.ltb_spec c 4); [lia|].
      destruct (Nat.eqb_spec c 4); [lia|]. destruct (Nat.eqb_spec c 5); [lia|].
      destruct (Nat.eqb_spec c 6); [lia|]. destruct (Nat.ltb_spec c 12); [lia|reflexivity]. }
    assert (Hflat : forall (f : nat -> list term) k m, (forall x, (length (f x) <= k)%nat) ->
      (length (flat_map f (seq 0 m)) <= k * m)%nat).
    { intros f k m Hf. pose proof (flat_map_le f k (seq 0 m) (fun x _ => Hf x)) as G.
      now rewrite seq_length in G. }
    pose proof (products_le n (step_stage n) 9 (1 + n + 2 * n * n) (n + 7 * n + 5)) as P.
    cbn [terms step_stage] in P.
    assert (P0 : forall c, (c < 12)%nat -> (length (step_terms n c) <= 9)%nat).
    { intros c Hc. unfold step_terms. destruct (Nat.ltb_spec c 4); [cbn; lia|].
      destruct (c =? e_f)%nat; [cbn; lia|]. destruct (c =? e_g)%nat; [cbn; lia|].
      destruct (c =? e_c)%nat; [cbn; lia|]. destruct (Nat.ltb_spec c 12); [cbn; lia|lia]. }
    assert (P1 : forall c, (12 <= c < 12 + n)%nat -> (length (step_terms n c) <= 1 + n + 2 * n * n)%nat).
    { intros c Hc. rewrite Q by lia. unfold e_M. destruct (Nat.ltb_spec c (12 + n)); [|lia].
      unfold state_terms. rewrite !app_length, map_length, seq_length. cbn [keep length].
      match goal with |- (_ + (_ + length (flat_map ?f _)) <= _)%nat =>
        assert (G : (length (flat_map f (seq 0 n)) <= 2 * n * n)%nat)
          by (apply Hflat; intro; apply Hflat; intro; cbn; lia) end.
      rewrite <- (Nat.add_assoc 1 n). apply Nat.add_le_mono_l, Nat.add_le_mono_l. exact G. }
    assert (P2 : forall c, (12 + n <= c)%nat -> (length (step_terms n c) <= n + 7 * n + 5)%nat).
    { intros c Hc. rewrite Q by lia. unfold e_M. destruct (Nat.ltb_spec c (12 + n)); [lia|].
      unfold matrix_terms. rewrite !app_length, map_length, seq_length.
      match goal with |- (_ + (length (flat_map ?f _) + _) <= _)%nat =>
        pose proof (Hflat f 7%nat n ltac:(intro; cbn; lia)) as G end.
      assert (length (diagonal_terms n ((c - (12 + n)) / n) ((c - (12 + n)) mod n)) <= 5)%nat
        by (unfold diagonal_terms; destruct (_ =? _)%nat; cbn; lia).
      rewrite <- (Nat.add_assoc n). apply Nat.add_le_mono_l, Nat.add_le_mono; [exact G|assumption]. }
    specialize (P P0 P1 P2). cbn [Nat.pow]. nia.
Qed.

Lemma encoder_length n T mode steps :
  length (layers (encoder n T mode steps)) = (Nat.log2_up T + 1 + steps)%nat.
Proof.
  cbn [layers encoder]. unfold stages.
  rewrite map_length, app_length, map_length, seq_length. cbn [length]. rewrite repeat_length. lia.
Qed.

Lemma encoder_sizes_are n T steps tensor h s :
  encoder_sizes n (Nat.log2_up T + 1 + steps) tensor h s (encoder n T Soft steps).
Proof.
  split; [apply encoder_length|]. split; [unfold encoder_dimension; cbn; lia|]. split; [reflexivity|].
  intros ly Hly. cbn [layers encoder] in Hly. apply in_map_iff in Hly. destruct Hly as (g & <- & Hg).
  assert (L : (length (looks g) <= 4)%nat /\ forall p, In p (looks g) -> (length (fst p) <= 4)%nat).
  { unfold stages in Hg. apply in_app_or in Hg. destruct Hg as [Hg|[<-|Hg]].
    - apply in_map_iff in Hg. destruct Hg as (l & <- & _). cbn [looks scan_stage]. split; [cbn; lia|].
      intros p [<-|[<-|[]]]; cbn; lia.
    - cbn [looks match_stage]. split; [cbn; lia|]. intros p [<-|[<-|[]]]; cbn; lia.
    - apply repeat_spec in Hg as ->. cbn [looks step_stage]. split; [cbn; lia|].
      intros p [<-|[<-|[<-|[<-|[]]]]]; cbn; lia. }
  split; [|split].
  - cbn [heads layer_of]. unfold heads_of, specs. now rewrite !map_length.
  - intros hd Hhd. cbn [heads layer_of] in Hhd. unfold heads_of, specs in Hhd. rewrite map_map in Hhd.
    apply in_map_iff in Hhd. destruct Hhd as (p & <- & Hp). cbn [head_of spec_of scored seen how queries reads].
    rewrite map_length, seq_length. repeat split. now apply L.
  - cbn [products layer_of]. rewrite width_of_network.
    pose proof (few_products n T steps g Hg). lia.
Qed.

(** ** Trees with at most N leaves *)

(** The plastic number, of which the theorems with a count of leaves speak. *)
Theorem plastic_number : exists rho, 0 < rho /\ rho ^ 3 = rho + 1 /\ 13 / 10 <= rho <= 14 / 10.
Proof.
  destruct (IVT (fun x => x ^ 3 - x - 1) (13 / 10) (14 / 10)) as (rho & Hr & H); try (simpl; lra).
  - apply derivable_continuous. intro x. apply derivable_pt_minus; [apply derivable_pt_minus|].
    + apply derivable_pt_pow.
    + apply derivable_pt_id.
    + apply derivable_pt_const.
  - exists rho. split; [lra|]. split; [|exact Hr]. lra.
Qed.

(** The layers: ceil(log2 T) + 1 and the whole part of log_rho((N + 1) / 2). *)
Lemma plastic_steps rho N : 0 < rho -> rho ^ 3 = rho + 1 -> (1 <= N)%nat ->
  exists steps, rho ^ steps <= (INR N + 1) / 2 < rho ^ (steps + 1).
Proof.
  intros Hr H3 HN. assert (H1 : 1 <= (INR N + 1) / 2) by (apply le_INR in HN; simpl (INR 1) in HN; lra).
  assert (Hgt : 1 < rho) by (simpl in H3; nra).
  destruct (Pow_x_infinity rho ltac:(rewrite Rabs_pos_eq; lra) ((INR N + 1) / 2 + 1)) as (m & Hm).
  specialize (Hm m (le_n m)). rewrite Rabs_pos_eq in Hm by (apply pow_le; lra).
  assert (Hend : (INR N + 1) / 2 < rho ^ m) by lra. clear Hm.
  induction m as [|m IH]; [simpl in Hend; lra|].
  destruct (Rlt_le_dec ((INR N + 1) / 2) (rho ^ m)) as [Hlt|Hle]; [now apply IH|].
  exists m. rewrite Nat.add_1_r. split; assumption.
Qed.

(** ** All trees *)

Definition steps_at (T : nat) : nat := (3 * Nat.log2 ((T + 2) / 3 + 1) - 1)%nat.

Lemma steps_at_pebbled {Sigma : Type} T (t : tree Sigma) i e u : (length (str t) <= T)%nat ->
  node t i e u -> mode (steps_at T) u = Pebbled.
Proof.
  intros Ht Hn. apply (pebbled_later u (3 * Nat.log2 (leaves u + 1) - 1)); [|apply steps_log2].
  pose proof (node_leaves t i e u Hn). pose proof (length_leaves t).
  assert (leaves t <= (T + 2) / 3)%nat by (apply Nat.div_le_lower_bound; lia).
  unfold steps_at.
  pose proof (Nat.log2_le_mono (leaves u + 1) ((T + 2) / 3 + 1) ltac:(lia)). lia.
Qed.

Lemma steps_at_log T : (1 <= T)%nat -> (Nat.log2_up T + 1 + steps_at T <= 4 * Nat.log2_up T + 3)%nat.
Proof.
  intro HT. unfold steps_at. destruct (Nat.le_gt_cases T 3) as [H|H].
  - destruct T as [|[|[|[|T]]]]; [lia|cbn; lia|cbn; lia|cbn; lia|lia].
  - assert ((T + 2) / 3 + 1 <= T)%nat.
    { assert ((T + 2) / 3 <= T - 1)%nat; [|lia]. apply Nat.div_le_upper_bound; lia. }
    pose proof (Nat.log2_le_mono ((T + 2) / 3 + 1) T ltac:(lia)). pose proof (Nat.le_log2_log2_up T). lia.
Qed.

(** ** The model in the one forward pass *)

Lemma encoder_fits n T mode steps :
  PassTrees.fits (encoder_dimension n) (encoder n T mode steps).
Proof.
  pose proof (dimension_12 n) as D. split.
  - intros ly Hly. cbn [layers encoder] in Hly. apply in_map_iff in Hly. destruct Hly as (g & <- & Hg).
    assert (L : forall p, In p (looks g) -> length (fst p) = length (snd p) /\
      forall f, In f (fst p) \/ In f (snd p) -> Forall (fun q => (fst q < 12)%nat) f).
    { assert (K : forall q, Forall (fun q => (fst q < 12)%nat) q -> length (fst (towards_form q)) =
        length (snd (towards_form q)) /\ forall f, In f (fst (towards_form q)) \/ In f (snd (towards_form q)) ->
        Forall (fun q => (fst q < 12)%nat) f).
      { intros q Hq. split; [reflexivity|]. intros f [[<-|[<-|[]]]|[<-|[<-|[]]]].
        - apply Forall_map. exact Hq.
        - repeat constructor; cbn; lia.
        - repeat constructor; cbn; lia.
        - repeat constructor; cbn; lia. }
      unfold stages in Hg. apply in_app_or in Hg. destruct Hg as [Hg|[<-|Hg]].
      - apply in_map_iff in Hg. destruct Hg as (l & <- & _).
        intros p [<-|[<-|[]]]; apply K; repeat constructor; cbn; lia.
      - intros p [<-|[<-|[]]]; [apply K; repeat constructor; cbn; lia|]. split; [reflexivity|].
        intros f [Hf|Hf]; repeat (destruct Hf as [<-|Hf]; [repeat constructor; cbn; lia|]); destruct Hf.
      - apply repeat_spec in Hg as ->.
        intros p [<-|[<-|[<-|[<-|[]]]]]; apply K; repeat constructor; cbn; lia. }
    cbn [heads layer_of]. unfold heads_of, specs. rewrite map_map. apply Forall_map, Forall_forall.
    intros p Hp. destruct (L p Hp) as [L1 L2]. unfold PassTrees.head_fits.
    cbn [head_of spec_of scored queries keys reads]. rewrite !map_length.
    split; [|split; [|split; [exact L1|apply PassTrees.below_all; lia]]].
    + apply Forall_map, Forall_forall. intros f Hf. apply Forall_map. cbn [fst].
      eapply Forall_impl; [|apply (L2 f); now left]. cbn. intros; lia.
    + apply Forall_map, Forall_forall. intros f Hf. apply Forall_map. cbn [fst].
      eapply Forall_impl; [|apply (L2 f); now right]. cbn. intros; lia.
  - cbn [readout encoder]. apply Forall_forall. intros c Hc. apply in_seq in Hc.
    unfold e_b, encoder_dimension in *. lia.
Qed.

