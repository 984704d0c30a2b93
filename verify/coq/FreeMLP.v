(** * Theorem 3 without masks: softmax and an MLP in every layer

    Section 2.4, Section 4.2 and Appendix C, "to arbitrary precision", on the model of FreeModel.v:
    no head has a mask, all heads use softmax, the one that copies the token too, and every product
    of a layer is computed by four hidden units (Activation.v), 4 (n^3 + 2n + 14) units a layer. For
    every activation that is curved at b, every WTA with n states over finitely many letters, every
    T, every height H and every eps > 0 there are C0 and h0 such that for every C >= C0 and
    0 < h <= h0 the model with 2H layers of three heads on n + 7 coordinates is within eps, in
    Euclidean length, at every position of I_t of every tree with |str(t)| <= T and height at most
    H. With H = tallest(T) that is every tree with |str(t)| <= T, with fewer than T layers; with
    H = c log T it is every tree of that height, with 2c log T layers.

    Where we differ from the print: the construction is another one (FreeModel.v). The width is of
    the order in the theorem, not the footnote's. No rate is given.

    Main definitions: [run_free_mlp].
    Main theorems:    [width_free], [theorem3_free_rank], [theorem3_free_mlp_length],
                      [theorem3_free_mlp_even], [theorem3_free_whole]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Theorem1 Softmax Spectral Trees Theorem3 Activation.
From Assay Require Import TreeModel TreeBlocks TreeScores TreeLayers TreeSoft TreeRecursion TreeTargets.
From Assay Require Import TreeContinuity SoftStep TreeMLP.
From Assay Require Import FreeModel FreeBlocks FreeStates FreeLayers FreeInexact.
Import ListNotations.
Open Scope R_scope.

(** ** The model with an MLP in every layer *)

(** The model of FreeModel.v with softmax and a network in the place of every block. *)
Definition run_free_mlp {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor sigma b h s (C : R) (T count : nat)
    (t : tree Sigma) : mat :=
  forward_with (value leaf tensor C (str t)) (rows (str t))
    (fun ly => run_network sigma b (network tensor h s (products ly))) (free_model n (S T) Soft count)
    (free_embedded n (S T) leaf tensor C (str t)).

(** Hidden units: 4 (n^3 + 2n + 14) in every layer. *)
Theorem width_free tensor n tokens mode h s :
  length (network tensor h s (products (free_layer n tokens mode)))
  = (4 * (n ^ 3 + 2 * n + 14))%nat.
Proof.
  rewrite width_of_network. cbn [products free_layer]. unfold free_products, kept.
  rewrite !app_length, !map_length, !seq_length. cbn [length].
  unfold free_tensor. rewrite (flat_map_length _ (n * n)%nat), seq_length; [simpl; lia|].
  intro a. rewrite (flat_map_length _ n), seq_length; [reflexivity|]. intro a'.
  now rewrite map_length, seq_length.
Qed.

(** Theorem 3 in the architecture of Section 2.4, with softmax and MLPs, for all trees with |str(t)| <= T for
    which so many layers are enough; rho(t) is at most 2 height(t). *)
Theorem theorem3_free_rank {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor
    (letters : list Sigma) T count sigma b c :
  (forall a, In a letters) -> curved sigma b c -> c <> 0 -> forall eps, 0 < eps ->
  exists C0 h0, 0 < h0 /\ forall C h, C0 <= C -> 0 < h <= h0 -> forall (t : tree Sigma) i d u,
    (length (str t) <= T)%nat -> (rank t <= count)%nat -> node t i d u ->
    sqrt (sum n (fun k =>
      (run_free_mlp n leaf tensor sigma b h (/ (4 * h ^ 2 * c)) C T count t i k
       - mu n leaf tensor u k) ^ 2)) < eps.
Proof.
  intros Hall Hc Hc0 eps He.
  destruct (states_bounded n leaf tensor (length2 n) (frobenius n tensor) letters T (euclidean n)
    (sqrt_pos _) (frobenius_bound n tensor) Hall) as (Sz & HS & HB).
  assert (Hq : 0 < eps / (INR n + 1)) by (apply Rdiv_lt_0_compat; [lra|pose proof (pos_INR n); lra]).
  assert (Hp : Forall (fun p => Forall (fun q => plain (times q)) (snd p)) (repeat (free_part n (S T)) count)).
  { apply Forall_forall. intros p Hp. apply repeat_spec in Hp as ->. apply free_plain. }
  destruct (lift_networks leaf tensor T sigma b c _ (size_bound T Sz) _ Hc Hc0 Hp (K_pos T Sz HS) Hq)
    as (rho & C0 & h0 & Hrho & Hh0 & H).
  exists C0, h0. split; [exact Hh0|]. intros C h HC Hh t i d u Hl Hrk Hn.
  pose proof (node_inside _ _ _ _ Hn) as Hi. pose proof (str_length Sigma u).
  assert (Hrow : (i < rows (str t))%nat) by (unfold rows; lia).
  assert (Hb : bounded (str t) (size_bound T Sz) (free_embedded n (S T) leaf tensor C (str t))).
  { apply bounded_free; auto. intros j e v Hv. apply HB. pose proof (node_inside _ _ _ _ Hv). lia. }
  destruct (free_parts_aim n leaf tensor C T count t Hl) as [HA HF].
  specialize (H C h (str t) [at_place n; at_square n] _ _ _ HC Hh Hl Hb Hb HA (close_refl _ rho _ (Rlt_le _ _ Hrho))).
  rewrite HF, soft_parts_are, map_repeated in H.
  pose proof (h_state _ _ _ _ _ _ _ (holds_after n leaf tensor C T t Hl count)) as Hst.
  apply length_small; [exact He|]. intros k Hk. specialize (H i k Hrow).
  rewrite Hst, (ready_node _ _ _ _ _ Hn) in H by auto. pose proof (node_rank _ _ _ _ Hn).
  replace (rank u <=? count)%nat with true in H by (symmetry; apply Nat.leb_le; lia).
  unfold run_free_mlp, forward_with. cbn [readout free_model]. now rewrite seq_nth.
Qed.

(** One model for all trees with |str(t)| <= T; it has fewer than T layers. *)
Corollary theorem3_free_mlp_length {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor
    (letters : list Sigma) T sigma b c :
  (forall a, In a letters) -> curved sigma b c -> c <> 0 -> (1 <= T)%nat ->
  (length (layers (free_model n (S T) Soft (2 * tallest T))) < T)%nat /\
  forall eps, 0 < eps ->
  exists C0 h0, 0 < h0 /\ forall C h, C0 <= C -> 0 < h <= h0 -> forall (t : tree Sigma) i d u,
    (length (str t) <= T)%nat -> node t i d u ->
    sqrt (sum n (fun k =>
      (run_free_mlp n leaf tensor sigma b h (/ (4 * h ^ 2 * c)) C T (2 * tallest T) t i k
       - mu n leaf tensor u k) ^ 2)) < eps.
Proof.
  intros Hall Hc Hc0 HT.
  split; [cbn [layers free_model]; rewrite repeat_length; now apply tallest_layers|].
  intros eps He.
  destruct (theorem3_free_rank n leaf tensor letters T (2 * tallest T) sigma b c Hall Hc Hc0 eps He)
    as (C0 & h0 & Hh0 & H).
  exists C0, h0. split; [exact Hh0|]. intros C h HC Hh t i d u Hl Hn.
  apply (H C h HC Hh t i d u); auto. pose proof (rank_height t). pose proof (tallest_bound t T Hl). lia.
Qed.

(** 4 log T layers for all trees in which the heights of siblings differ by at most 1. *)
Corollary theorem3_free_mlp_even {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor
    (letters : list Sigma) T sigma b c :
  (forall a, In a letters) -> curved sigma b c -> c <> 0 -> forall eps, 0 < eps ->
  exists C0 h0, 0 < h0 /\ forall C h, C0 <= C -> 0 < h <= h0 -> forall (t : tree Sigma) i d u,
    (length (str t) <= T)%nat -> even t -> node t i d u ->
    sqrt (sum n (fun k =>
      (run_free_mlp n leaf tensor sigma b h (/ (4 * h ^ 2 * c)) C T (2 * (2 * Nat.log2_up T)) t i k
       - mu n leaf tensor u k) ^ 2)) < eps.
Proof.
  intros Hall Hc Hc0 eps He.
  destruct (theorem3_free_rank n leaf tensor letters T (2 * (2 * Nat.log2_up T)) sigma b c Hall Hc Hc0 eps
    He) as (C0 & h0 & Hh0 & H).
  exists C0, h0. split; [exact Hh0|]. intros C h HC Hh t i d u Hl Hev Hn.
  apply (H C h HC Hh t i d u); auto. pose proof (rank_height t). pose proof (even_height t T Hev Hl). lia.
Qed.

(** Sizes and precision together; no head has a mask. *)
Theorem theorem3_free_whole {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor
    (letters : list Sigma) T height sigma b c :
  (forall a, In a letters) -> curved sigma b c -> c <> 0 ->
  let model := free_model n (S T) Soft (2 * height) in
  length (layers model) = (2 * height)%nat /\ free_dimension n = (n + 7)%nat /\
  (forall ly, In ly (layers model) ->
     length (heads ly) = 3%nat /\ length (flat_map reads (heads ly)) = (3 * n + 11)%nat /\
     (forall hd, In hd (heads ly) -> seen hd = Everywhere /\ how hd = Soft /\
        (length (queries hd) <= 3 /\ length (reads hd) <= n + 7)%nat) /\
     forall h s, length (network tensor h s (products ly)) = (4 * (n ^ 3 + 2 * n + 14))%nat) /\
  forall eps, 0 < eps -> exists C0 h0, 0 < h0 /\ forall C h, C0 <= C -> 0 < h <= h0 ->
    forall (t : tree Sigma) i d u,
    (length (str t) <= T)%nat -> (Trees.height t <= height)%nat -> node t i d u ->
    sqrt (sum n (fun k =>
      (run_free_mlp n leaf tensor sigma b h (/ (4 * h ^ 2 * c)) C T (2 * height) t i k
       - mu n leaf tensor u k) ^ 2)) < eps.
Proof.
  intros Hall Hc Hc0 model. split; [cbn [layers free_model model]; apply repeat_length|].
  split; [reflexivity|].
  split.
  - intros ly Hly. apply repeat_spec in Hly as ->. split; [reflexivity|]. split.
    { cbn [flat_map heads free_layer free_left free_right free_own scored reads].
      rewrite !app_length, !length_passed, seq_length. unfold free_dimension. simpl. lia. }
    split; [|intros; apply width_free]. intros hd Hhd.
    destruct Hhd as [<-|[<-|[<-|[]]]]; (split; [reflexivity|]; split; [reflexivity|]);
      cbn [queries reads free_left free_right free_own scored];
      rewrite ?map_length, ?length_passed, ?seq_length; unfold free_dimension; simpl; lia.
  - intros eps He.
    destruct (theorem3_free_rank n leaf tensor letters T (2 * height) sigma b c Hall Hc Hc0 eps He)
      as (C0 & h0 & Hh0 & H).
    exists C0, h0. split; [exact Hh0|]. intros C h HC Hh t i d u Hl Hr Hn.
    apply (H C h HC Hh t i d u); auto. pose proof (rank_height t). lia.
Qed.
