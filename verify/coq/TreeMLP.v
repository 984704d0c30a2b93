(** * Theorem 3 with softmax and an MLP in every layer

    Section 4.2 and Appendix C, repaired. Every product of a block of TreeModel.v is computed by
    four hidden units (Activation.v), so that a layer's feed-forward block is a network with one
    hidden layer, sigma(x W_1 + b) W_2, of 4 (n^3 + 2n + 4) units in a parse layer. For every
    activation that is curved at b, every WTA with n states over finitely many letters, every T,
    every height and every eps > 0 there are C0 and h0 such that for every C >= C0 and 0 < h <= h0
    the model with 2 + height layers of at most three heads on n + 6 coordinates is within eps, in
    Euclidean length, at every position of I_t of every tree with |str(t)| <= T and at most that
    height.

    Where we differ from the print: the repairs of TreeModel.v, masks among them; two layers for the
    depths; width 4 (n^3 + 2n + 4), of the order in the theorem and not the footnote's. No rate
    is given. The program's networks share units between products and are narrower.

    Main definitions: [neuron], [run_network], [network], [run_mlp_model].
    Main theorems:    [widths_of_model], [theorem3_mlp], [theorem3_mlp_length],
                      [theorem3_whole]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Theorem1 Softmax Spectral Trees Theorem3 Activation.
From Assay Require Import TreeModel TreeBlocks TreeScores TreeLayers TreeRecursion TreeSoft.
From Assay Require Import TreeContinuity TreeTargets SoftStep.
Import ListNotations.
Open Scope R_scope.

(** ** Four units for each product *)

(** One hidden unit: sigma(u x_left + v x_right + b), times [gain], added to coordinate [to]. *)
Record neuron := Neuron
  { from_left : nat; left_gain : R; from_right : nat; right_gain : R; to : nat; gain : R }.

Section Network.
Context (tensor : nat -> nat -> nat -> R) (sigma : R -> R).
Variable b : R.                     (* the bias of all hidden units *)
Variable h s : R.

Definition fires (x : nat -> R) (u : neuron) : R :=
  gain u * sigma (left_gain u * x (from_left u) + right_gain u * x (from_right u) + b).

(** sigma(x W_1 + b) W_2. *)
Definition run_network (us : list neuron) (x : nat -> R) (c : nat) : R :=
  lsum (fun u => if (to u =? c)%nat then fires x u else 0) us.

Definition four (p : product) : list neuron :=
  let unit := fun u v g => Neuron (left_of p) u (right_of p) v (out p)
                             (g * plain_value tensor (times p)) in
  [unit h h s; unit (- h) (- h) s; unit h (- h) (- s); unit (- h) h (- s)].

Definition network (ps : list product) : list neuron := flat_map four ps.

Theorem width_of_network ps : length (network ps) = (4 * length ps)%nat.
Proof.
  unfold network. induction ps as [|p ps IH]; [reflexivity|].
  cbn [flat_map]. rewrite app_length, IH. cbn [four length]. lia.
Qed.

Lemma network_is ps x c : run_network (network ps) x c
  = lsum (fun p => if (out p =? c)%nat then plain_value tensor (times p)
                     * four_units sigma b h s (x (left_of p)) (x (right_of p)) else 0) ps.
Proof.
  unfold run_network, network. rewrite lsum_flat_map. apply lsum_ext. intros p _.
  unfold four, fires, lsum. cbn -[Nat.eqb]. destruct (out p =? c)%nat; [|ring].
  unfold four_units. ring.
Qed.
End Network.

(** Four units that are off by q make a network that is off by q for each unit of the products' weights. *)
Lemma network_off tensor sigma b h s bound q ps : 0 <= q ->
  (forall y z, Rabs y <= bound -> Rabs z <= bound -> Rabs (four_units sigma b h s y z - y * z) <= q) ->
  computes tensor bound (psize tensor ps * q) (run_network sigma b (network tensor h s ps)) ps.
Proof.
  intros Hq H x Hx k. rewrite network_is. unfold block. rewrite lsum_minus.
  eapply Rle_trans; [apply lsum_abs|]. unfold psize. rewrite lsum_scal. apply lsum_le. intro p.
  destruct (out p =? k)%nat.
  - set (v := plain_value tensor (times p)). set (y := x (left_of p)). set (z := x (right_of p)).
    replace (v * four_units sigma b h s y z - v * y * z)
      with (v * (four_units sigma b h s y z - y * z)) by ring.
    rewrite Rabs_mult. apply Rmult_le_compat_l; [apply Rabs_pos|]. apply H; apply Hx.
  - rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. apply Rmult_le_pos; [apply Rabs_pos|auto].
Qed.

Lemma network_computes tensor sigma b c bound ps :
  curved sigma b c -> c <> 0 -> 0 < bound -> forall eta, 0 < eta ->
  exists h0 : R, 0 < h0 /\ forall h, 0 < h <= h0 ->
    computes tensor bound eta
      (run_network sigma b (network tensor h (/ (4 * h ^ 2 * c)) ps)) ps.
Proof.
  intros Hc Hc0 HB eta He. pose proof (psize_pos tensor ps) as HZ.
  set (Z := psize tensor ps) in *.
  assert (Hq : 0 < eta / (Z + 1)) by (apply Rdiv_lt_0_compat; lra).
  destruct (units_multiply sigma b c bound Hc Hc0 HB _ Hq) as (h0 & tau & Hh0 & Ht & H).
  exists h0. split; [exact Hh0|]. intros h Hh.
  assert (Hs : Rabs (4 * h ^ 2 * c * / (4 * h ^ 2 * c) - 1) <= tau).
  { rewrite Rinv_r, Rminus_diag_eq, Rabs_R0; [lra|reflexivity|].
    repeat apply Rmult_integral_contrapositive_currified; try apply pow_nonzero; lra. }
  intros x Hx k. eapply Rle_trans; [apply (network_off tensor sigma b h _ bound (eta / (Z + 1))); auto; lra|].
  fold Z. left. now apply part_small.
Qed.

(** Networks in the place of all blocks, for layers of which nothing is known but where their heads look. *)
Theorem lift_networks {Sigma : Type} (leaf : Sigma -> nat -> R) tensor T sigma b c ps K eps :
  curved sigma b c -> c <> 0 -> Forall (fun p => Forall (fun q => plain (times q)) (snd p)) ps -> 0 <= K -> 0 < eps ->
  exists rho C0 h0, 0 < rho /\ 0 < h0 /\ forall C h w again E X Y, C0 <= C -> 0 < h <= h0 -> (length w <= T)%nat ->
    bounded w K E -> bounded w K Y -> all_aim leaf tensor C w again E Y ps -> close w rho X Y ->
    close w eps
      (fold_left (soft_part leaf tensor C w again E
         (fun qs => run_network sigma b (network tensor h (/ (4 * h ^ 2 * c)) qs))) ps X)
      (fold_left (hard_part leaf tensor C w again E) ps Y).
Proof.
  intros Hc Hc0 Hp HK He.
  destruct (lift_parts leaf tensor T ps Hp K eps HK He) as (rho & C0 & bound & eta & Hrho & Hb & Heta & H).
  assert (N : exists h0, 0 < h0 /\ forall h, 0 < h <= h0 -> forall p, In p ps ->
    computes tensor bound eta (run_network sigma b (network tensor h (/ (4 * h ^ 2 * c)) (snd p))) (snd p)).
  { clear H Hp. induction ps as [|p ps (h1 & H1 & G1)]; [exists 1; split; [lra|intros h _ p []]|].
    destruct (network_computes tensor sigma b c bound (snd p) Hc Hc0 Hb eta Heta) as (h2 & H2 & G2).
    pose proof (Rmin_l h1 h2). pose proof (Rmin_r h1 h2).
    exists (Rmin h1 h2). split; [now apply Rmin_glb_lt|].
    intros h Hh q [<-|Hq]; [apply G2; lra|apply G1; auto; lra]. }
  destruct N as (h0 & Hh0 & N). exists rho, C0, h0. split; [exact Hrho|]. split; [exact Hh0|].
  intros C h w again E X Y HC Hh Hw HE HY Ha HX. apply H; auto.
Qed.

(** ** The model *)

(** The model of TreeModel.v with softmax and a network in the place of every block. *)
Definition run_mlp_model {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor sigma b h s (C : R) (T height : nat)
    (t : tree Sigma) : mat :=
  forward_with (value leaf tensor C (str t)) (rows (str t))
    (fun ly => run_network sigma b (network tensor h s (products ly))) (tree_model n (S T) Soft height)
    (embedded n leaf tensor C (str t)).

(** The heads of the three kinds of layers. *)
Definition first_specs (n : nat) : list spec :=
  [Averages n; Looks (towards n (-1)) (places n) [at_kind n] Everywhere; Copies n].
Definition second_specs (n : nat) : list spec := [Copies n].
Definition parse_specs (n tokens : nat) : list spec :=
  [Looks (left_queries n tokens) (left_keys n) (seq 0 n) Everywhere;
   Looks (right_queries n tokens) (right_keys n) (seq 0 n) Anticausal; Copies n].

Definition tree_parts (n tokens height : nat) : list part :=
  (first_specs n, products (first_layer n Soft)) :: (second_specs n, products (second_layer n Soft))
  :: repeat (parse_specs n tokens, products (parse_layer n tokens Soft)) height.

Lemma tree_parts_aim {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor C T height t : (length (str t) <= T)%nat ->
  let E := embedded n leaf tensor C (str t) in
  let again := [at_place n; at_square n] in
  all_aim leaf tensor C (str t) again E E (tree_parts n (S T) height) /\
  fold_left (hard_part leaf tensor C (str t) again E) (tree_parts n (S T) height) E
  = after n leaf tensor C (str t) (S T) Hard height.
Proof.
  intros Ht E again.
  destruct (all_aim_repeat leaf tensor C (str t) again E (parse_specs n (S T), products (parse_layer n (S T) Soft))
    (after n leaf tensor C (str t) (S T) Hard)) with (m := height) (l := 0%nat) as [A F].
  - intros l r Hr. destruct (parse_states n leaf tensor C T t Ht l) as [HP _]. repeat constructor; cbn [aims];
      [eexists; now apply (left_target n leaf tensor C T t)|now apply (right_target n leaf tensor C)].
  - intro l. symmetry. apply after_S.
  - split; [|exact F]. split; [|split; [|exact A]]; intros r Hr; repeat constructor.
    eexists. now apply (previous_target n leaf tensor C t).
Qed.

(** Theorem 3 with softmax and MLPs: for every activation that is curved somewhere, every WTA over
    finitely many letters, every T, height and eps > 0 there are C0 and h0 such that for every
    C >= C0 and 0 < h <= h0 the model is within eps, in Euclidean length, at every position of I_t
    of every tree with |str(t)| <= T and height at most [height]. *)
Theorem theorem3_mlp {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor (letters : list Sigma)
    T height sigma b c :
  (forall a, In a letters) -> curved sigma b c -> c <> 0 -> forall eps, 0 < eps ->
  exists C0 h0, 0 < h0 /\ forall C h, C0 <= C -> 0 < h <= h0 -> forall (t : tree Sigma) i d u,
    (length (str t) <= T)%nat -> (Trees.height t <= height)%nat -> node t i d u ->
    sqrt (sum n (fun k =>
      (run_mlp_model n leaf tensor sigma b h (/ (4 * h ^ 2 * c)) C T height t i k
       - mu n leaf tensor u k) ^ 2)) < eps.
Proof.
  intros Hall Hc Hc0 eps He.
  destruct (states_bounded n leaf tensor (length2 n) (frobenius n tensor) letters T (euclidean n)
    (sqrt_pos _) (frobenius_bound n tensor) Hall) as (Sz & HS & HB).
  assert (Hq : 0 < eps / (INR n + 1)) by (apply Rdiv_lt_0_compat; [lra|pose proof (pos_INR n); lra]).
  assert (Hp : Forall (fun p => Forall (fun q => plain (times q)) (snd p)) (tree_parts n (S T) height)).
  { constructor; [apply first_plain|]. constructor; [apply second_plain|]. apply Forall_forall.
    intros p Hp. apply repeat_spec in Hp as ->. apply parse_plain. }
  destruct (lift_networks leaf tensor T sigma b c _ (size_bound T Sz) _ Hc Hc0 Hp (K_pos T Sz HS) Hq)
    as (rho & C0 & h0 & Hrho & Hh0 & H).
  exists C0, h0. split; [exact Hh0|]. intros C h HC Hh t i d u Hl Hht Hn.
  pose proof (node_inside _ _ _ _ Hn) as Hi. pose proof (str_length Sigma u).
  assert (Hrow : (i < rows (str t))%nat) by (unfold rows; lia).
  assert (Hb : bounded (str t) (size_bound T Sz) (embedded n leaf tensor C (str t))).
  { apply bounded_embedded; auto. intros j e v Hv. apply HB. pose proof (node_inside _ _ _ _ Hv). lia. }
  destruct (tree_parts_aim n leaf tensor C T height t Hl) as [HA HF].
  specialize (H C h (str t) [at_place n; at_square n] _ _ _ HC Hh Hl Hb Hb HA (close_refl _ rho _ (Rlt_le _ _ Hrho))).
  rewrite HF, soft_parts_are in H. unfold tree_parts in H. cbn [map] in H. rewrite map_repeated in H.
  destruct (parse_states n leaf tensor C T t Hl height) as [_ Hst].
  apply length_small; [exact He|]. intros k Hk. specialize (H i k Hrow).
  rewrite Hst, (held_node _ _ _ _ _ _ _ _ Hn) in H by auto. pose proof (node_height _ _ _ _ Hn).
  replace (Trees.height u <=? height)%nat with true in H by (symmetry; apply Nat.leb_le; lia).
  unfold run_mlp_model, forward_with. cbn [readout tree_model]. now rewrite seq_nth.
Qed.

(** One model for all trees with |str(t)| <= T. *)
Corollary theorem3_mlp_length {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor
    (letters : list Sigma) T sigma b c :
  (forall a, In a letters) -> curved sigma b c -> c <> 0 -> forall eps, 0 < eps ->
  exists C0 h0, 0 < h0 /\ forall C h, C0 <= C -> 0 < h <= h0 -> forall (t : tree Sigma) i d u,
    (length (str t) <= T)%nat -> node t i d u ->
    sqrt (sum n (fun k =>
      (run_mlp_model n leaf tensor sigma b h (/ (4 * h ^ 2 * c)) C T (tallest T) t i k
       - mu n leaf tensor u k) ^ 2)) < eps.
Proof.
  intros Hall Hc Hc0 eps He.
  destruct (theorem3_mlp n leaf tensor letters T (tallest T) sigma b c Hall Hc Hc0 eps He)
    as (C0 & h0 & Hh0 & H).
  exists C0, h0. split; [exact Hh0|]. intros C h HC Hh t i d u Hl Hn.
  apply (H C h HC Hh t i d u); auto. now apply tallest_bound.
Qed.

(** Hidden units: 4 (n + 5) in the first two layers, 4 (n^3 + 2n + 4) in a parse layer. *)
Theorem widths_of_model tensor n T h s :
  length (network tensor h s (products (first_layer n Soft))) = (4 * (n + 5))%nat /\
  length (network tensor h s (products (second_layer n Soft))) = (4 * (n + 5))%nat /\
  length (network tensor h s (products (parse_layer n (S T) Soft)))
    = (4 * (n ^ 3 + 2 * n + 4))%nat.
Proof.
  rewrite !width_of_network. cbn [products first_layer second_layer parse_layer].
  rewrite !app_length. unfold kept. rewrite !map_length, !seq_length. cbn [length].
  split; [lia|]. split; [lia|].
  unfold tensor_products. rewrite (flat_map_length _ (n * n)%nat), seq_length; [simpl; lia|].
  intro a. rewrite (flat_map_length _ n), seq_length; [reflexivity|]. intro a'.
  now rewrite map_length, seq_length.
Qed.

(** Sizes and precision together. *)
Theorem theorem3_whole {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor (letters : list Sigma)
    T height sigma b c :
  (forall a, In a letters) -> curved sigma b c -> c <> 0 ->
  let model := tree_model n (S T) Soft height in
  length (layers model) = (2 + height)%nat /\ dimension n = (n + 6)%nat /\
  (forall ly, In ly (layers model) ->
     (length (heads ly) <= 3)%nat /\
     (forall hd, In hd (heads ly) ->
        (length (queries hd) <= 3 /\ length (reads hd) <= n + 6)%nat) /\
     forall h s, (length (network tensor h s (products ly)) <= 4 * (n ^ 3 + 2 * n + 5))%nat) /\
  forall eps, 0 < eps -> exists C0 h0, 0 < h0 /\ forall C h, C0 <= C -> 0 < h <= h0 ->
    forall (t : tree Sigma) i d u,
    (length (str t) <= T)%nat -> (Trees.height t <= height)%nat -> node t i d u ->
    sqrt (sum n (fun k =>
      (run_mlp_model n leaf tensor sigma b h (/ (4 * h ^ 2 * c)) C T height t i k
       - mu n leaf tensor u k) ^ 2)) < eps.
Proof.
  intros Hall Hc Hc0 model. split; [cbn; now rewrite repeat_length|]. split; [reflexivity|].
  split; [|intros eps He; now apply (theorem3_mlp n leaf tensor letters)].
  intros ly Hly.
  assert (Hcase : ly = first_layer n Soft \/ ly = second_layer n Soft
                  \/ ly = parse_layer n (S T) Soft).
  { destruct Hly as [<-|[<-|H]]; auto. apply repeat_spec in H. auto. }
  split; [destruct Hcase as [->|[->| ->]]; simpl; lia|]. split.
  - intros hd Hhd. destruct Hcase as [->|[->| ->]]; simpl in Hhd;
      repeat destruct Hhd as [<-|Hhd]; try contradiction;
      cbn [queries reads left_head right_head own_head mean_head previous_head scored];
      rewrite ?map_length, ?app_length, ?seq_length; simpl; unfold dimension; lia.
  - intros h s. destruct (widths_of_model tensor n T h s) as (W1 & W2 & W3).
    assert (n + 5 <= n ^ 3 + 2 * n + 5)%nat by lia.
    destruct Hcase as [->|[->| ->]]; [rewrite W1|rewrite W2|rewrite W3]; lia.
Qed.
