(** * The lower bounds cannot say more: each is false with one number changed

    For main theorems of DepthBound.v, DepthTransformers.v, DepthTrees.v, WidthTransformers.v,
    ReluFixedAlphabet.v and ReluGrid.v: the statement with one inequality or one hypothesis changed is
    refuted, mostly by another theorem. So a change of these statements that goes unnoticed is either no
    stronger or has no proof. Nothing else depends on this file.

    Main definitions: [one_token] (a network without layers that tells one letter).
    Main theorems:    one for each theorem named in it. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Trees Theorem3 TreeModel ReluSpan ReluTransformers.
From Assay Require Import DepthTransformers DepthTrees DepthAverages WidthTransformers.
From Assay Require Import ReluFixedAlphabet ReluRate.
From Assay Require Model Simulation Pass TreeSimulation DepthBound WidthBound.
Import Simulation(dense, Dense, height, breadth, number_at).
Import ListNotations.

(** ** Networks *)

Section Networks.
Import DepthBound.
Local Open Scope nat_scope.

Definition one_token : network nat nat nat :=
  Network 1 (fun r => r) (fun _ o => match o with Some a => a | None => 0 end) [] 0 (fun v => v).

Lemma one_token_within N : N = 1 -> forall h, within one_token N 0 h.
Proof. intros -> h. split; [reflexivity|]. split; [cbn; lia|intros ly []]. Qed.

Lemma one_letter m w : word 1 m w -> exists a, w = [a].
Proof. destruct w as [|a [|b w]]; intros [H _]; try discriminate. now exists a. Qed.

(** [one_letter_unseen] with as many letters seen as there are. *)
Theorem one_letter_unseen_sharp : ~ (forall (net : network nat nat nat) T m, fan (layers net) <= T ->
  S (places net) ^ choices (layers net) < m -> exists p q a b, word T m (p ++ a :: q) /\ word T m (p ++ b :: q) /\
    a <> b /\ output net (p ++ a :: q) = output net (p ++ b :: q)).
Proof.
  intro H. destruct (H one_token 1 2 ltac:(cbn; lia) ltac:(cbn; lia)) as (p & q & a & b & Hw & _ & Hne & E).
  destruct (one_letter _ _ Hw) as (c & Ec). destruct p as [|x p]; [|destruct p; discriminate].
  injection Ec as -> ->. apply Hne. exact E.
Qed.

(** [few_outputs] with as many names as words. *)
Theorem few_outputs_sharp : ~ (forall (net : network nat nat nat) T m, 0 < m ->
  S (places net) ^ choices (layers net) * m ^ fan (layers net) <= m ^ T ->
  exists w w', word T m w /\ word T m w' /\ w <> w' /\ output net w = output net w').
Proof.
  intro H. destruct (H one_token 1 2 ltac:(lia) ltac:(cbn; lia)) as (w & w' & Hw & Hw' & Hne & E).
  destruct (one_letter _ _ Hw) as (a & ->). destruct (one_letter _ _ Hw') as (b & ->).
  apply Hne. f_equal. exact E.
Qed.

(** [sums_need_depth] and [numerals_need_depth] with a strict inequality. *)
Theorem sums_need_depth_sharp : ~ (forall N L h T m, 1 <= h -> S N ^ geometric h L < m ->
  forall (net : network nat nat nat) (g : nat -> nat), within net N L h ->
  (forall w, word T m w -> g (output net w) = list_sum w) -> T < h ^ L).
Proof.
  intro H. specialize (H 1 0 2 1 2 ltac:(lia) ltac:(cbn; lia) one_token (fun v => v) (one_token_within 1 eq_refl 2)).
  cbn in H. enough (1 < 1) by lia. apply H. intros w Hw. destruct (one_letter _ _ Hw) as (a & ->). cbn. lia.
Qed.

Theorem numerals_need_depth_sharp : ~ (forall N L h T m, 1 <= h -> 0 < m ->
  forall (net : network nat nat nat) (g : nat -> nat), within net N L h ->
  (forall w, word T m w -> g (output net w) = numeral m 0 w) -> m ^ T < S N ^ geometric h L * m ^ (h ^ L)).
Proof.
  intro H. specialize (H 1 0 2 1 2 ltac:(lia) ltac:(lia) one_token (fun v => v) (one_token_within 1 eq_refl 2)).
  cbn in H. enough (2 < 2) by lia. apply H. intros w Hw. destruct (one_letter _ _ Hw) as (a & ->). reflexivity.
Qed.

(** [small_alphabet] and [three_binary_letters] without a layer. *)
Theorem no_layer_is_not_enough (X : Type) N T : 2 <= T ->
  ~ exists net : network nat X (list nat), within net N 0 2 /\ forall w, word T 2 w -> output net w = w.
Proof.
  intros HT (net & (HN & HL & _) & H). destruct (layers net) as [|ly lys] eqn:E; [|cbn in HL; lia].
  destruct (few_outputs net T 2 ltac:(lia)) as (w & w' & Hw & Hw' & Hne & Eo).
  - rewrite E. cbn. apply (Nat.pow_lt_mono_r 2 1 T); lia.
  - rewrite !H in Eo by assumption. contradiction.
Qed.
End Networks.

(** ** Transformers *)

Open Scope R_scope.

Lemma exact_is_close {Sigma : Type} n T alpha (A : Sigma -> mat) eps f : 0 < eps ->
  Simulation.simulates n T alpha A f -> Simulation.approximately_simulates n T alpha A eps f.
Proof.
  intros He Hs w Hw. rewrite sum_zero, sqrt_0; [exact He|]. intros t Ht. apply sum_zero. intros j Hj.
  rewrite (Hs w Hw t j) by lia. ring.
Qed.

(** [hard_attention_depth_numbers] with T = h^L allowed: Theorem 1 for two letters. *)
Theorem hard_attention_depth_sharp : ~ (forall own N L h T n, (1 <= brought own h)%nat -> (2 <= n)%nat ->
  (brought own h ^ L <= T)%nat ->
  forall (transformer : Pass.model) (embedding : nat -> option nat -> nat -> R) (place row : nat -> nat),
  all_hard transformer -> at_most L h transformer -> own = true \/ plain transformer embedding ->
  ~ Simulation.approximately_simulates n T first_state (counter (fun a => a) 1) (/ 2)
      (fun w t => Pass.forward N transformer (reads_letters embedding place w) (row t))).
Proof.
  intro H. destruct (theorem1_depth_optimal 2 2 (le_n _) ltac:(lia)) as [Enough _].
  destruct (Enough nat first_state (counter (fun a => a) 1)) as (N & m & e & p & r & H1 & H2 & H3 & H4).
  apply (H false N 1%nat 2%nat 2%nat 2%nat ltac:(cbn; lia) (le_n _) ltac:(cbn; lia) m e p r H1 H2 (or_intror H3)).
  apply exact_is_close; [lra|exact H4].
Qed.

(** [hard_attention_depth_numbers] with any attention: one mean adds three numbers. *)
Theorem hard_attention_is_needed : ~ (forall own N L h T n, (1 <= brought own h)%nat -> (2 <= n)%nat ->
  (brought own h ^ L < T)%nat ->
  forall (transformer : Pass.model) (embedding : nat -> option nat -> nat -> R) (place row : nat -> nat),
  at_most L h transformer -> own = true \/ plain transformer embedding ->
  ~ Simulation.approximately_simulates n T first_state (counter (fun a => a) 1) (/ 2)
      (fun w t => Pass.forward N transformer (reads_letters embedding place w) (row t))).
Proof.
  intro H. apply (H false 4%nat 1%nat 1%nat 3%nat 2%nat ltac:(cbn; lia) (le_n _) ltac:(cbn; lia) (adder Soft)
    digit_token (after_begin 3) (fun t => t)).
  - split; [cbn; lia|]. intros ly [<-|[]]. cbn. lia.
  - right. split; [intros ly [<-|[]]; reflexivity|discriminate].
  - apply exact_is_close; [lra|]. now apply averages_add.
Qed.

(** [averages_add] with hard attention. *)
Theorem averages_are_needed : ~ (forall (kind : attention) (T : nat),
  Simulation.simulates 2 T first_state (counter (fun a => a) 1)
    (fun w t => Pass.forward (S T) (adder kind) (reads_letters digit_token (after_begin T) w) t)).
Proof.
  intro H. apply (one_head_fails 3 1 2 2 (le_n _) (le_n _) (adder Hard) digit_token (after_begin 2) (fun t => t)).
  - intros ly hd [<-|[]] [<-|[]]. reflexivity.
  - split; [cbn; lia|]. intros ly [<-|[]]. cbn. lia.
  - split; [intros ly [<-|[]]; reflexivity|discriminate].
  - apply exact_is_close; [lra|apply H].
Qed.

(** [one_head_fails] for one letter. *)
Theorem one_head_fails_sharp : ~ (forall N L T n, (2 <= n)%nat -> (1 <= T)%nat ->
  forall (transformer : Pass.model) (embedding : nat -> option nat -> nat -> R) (place row : nat -> nat),
  all_hard transformer -> at_most L 1 transformer -> plain transformer embedding ->
  ~ Simulation.approximately_simulates n T first_state (counter (fun a => a) 1) (/ 2)
      (fun w t => Pass.forward N transformer (reads_letters embedding place w) (row t))).
Proof.
  intro H. apply (H (Model.N 0) 0%nat 1%nat 2%nat (le_n _) (le_n _) (theorem1_model 2 1 first_state)
    (theorem1_token 2 1 (counter (fun a => a) 1)) (theorem1_place 1) (theorem1_row 1)).
  - apply theorem1_hard.
  - unfold at_most. rewrite theorem1_layers. split; [cbn; lia|intros ly []].
  - apply theorem1_plain.
  - apply exact_is_close; [lra|]. apply theorem1_pass. lia.
Qed.

(** [hard_attention_depth_trees] with as many leaves as are seen: one leaf. *)
Theorem hard_attention_depth_trees_sharp : ~ (forall own N L h n (s : tree unit), (1 <= brought own h)%nat ->
  (2 <= n)%nat -> (brought own h ^ L <= leaves s)%nat -> forall K, (digits own N L h < K)%nat ->
  forall (transformer : Pass.model) (embedding : nat -> option (symbol (letters_below K)) -> nat -> R)
    (place row : nat -> nat),
  all_hard transformer -> at_most L h transformer -> own = true \/ plain transformer embedding ->
  ~ TreeSimulation.approximately_simulates_trees n (length (str s)) (number_leaf K) adding
      (fun t => shape t = s) (/ 2)
      (fun w i => Pass.forward N transformer (reads_letters embedding place w) (row i))).
Proof.
  intro H. apply (H true 1%nat 0%nat 0%nat 2%nat (Leaf tt) ltac:(cbn; lia) (le_n _) ltac:(cbn; lia) 2%nat
    ltac:(cbn; lia) (Pass.Model [] (fun _ => false) both (fun _ => 0))
    (fun _ o k => match o with Some (Sym a) => number_leaf 2 a k | _ => 0 end) (fun _ => 0%nat) (fun _ => 0%nat)).
  - intros ly hd [].
  - split; [cbn; lia|intros ly []].
  - now left.
  - intros t i d u _ Hs Hn. destruct t as [a|l r]; [|discriminate]. inversion Hn; subst.
    rewrite sum_zero, sqrt_0; [lra|]. intros k Hk. unfold Pass.forward, Pass.run_layers.
    cbn [Pass.layers Pass.readout Pass.offset fold_left]. rewrite times_both by exact Hk.
    unfold reads_letters. cbn [str nth_error mu]. ring.
Qed.

(** [hard_attention_width] with rank n^2 allowed: Theorem 1 for two letters and two states. *)
Theorem hard_attention_width_sharp : ~ (forall N L h T n d, (1 <= h)%nat -> (h ^ L < T)%nat -> (d <= n * n)%nat ->
  exists K (alpha : nat -> R) (A : letters_below K -> mat) (eps : R), 0 < eps /\
  forall (transformer : Pass.model) (embedding : nat -> option (letters_below K) -> nat -> R)
    (place row : nat -> nat) lys last first second,
  Pass.layers transformer = lys ++ [last] -> Pass.heads last = [first; second] ->
  all_hard transformer -> plain transformer embedding ->
  (length lys <= L)%nat -> (forall ly, In ly lys -> (length (Pass.heads ly) <= h)%nat) ->
  Fits.block_of Fits.Bilinears (Pass.feedforward last) -> narrow d first -> narrow d second ->
  ~ Simulation.approximately_simulates n T alpha A eps
      (fun w t => Pass.forward N transformer (reads_letters embedding place w) (row t))).
Proof.
  intro H. destruct (H (Model.N 1) 0%nat 2%nat 2%nat 2%nat 4%nat ltac:(lia) ltac:(cbn; lia) ltac:(lia))
    as (K & alpha & A & eps & He & Hno).
  destruct (theorem1_heads 2 2 alpha 1) as (a & b & E & _ & _ & Ha & Hb).
  apply (Hno (theorem1_model 2 2 alpha) (theorem1_token 2 2 A) (theorem1_place 2) (theorem1_row 2) []
    (theorem1_layer 2 2 alpha 1) a b); [apply theorem1_layers|exact E|apply theorem1_hard|apply theorem1_plain|
    cbn; lia|intros ly []|apply products_bilinear| | |].
  - unfold narrow. rewrite Ha. apply (keep_rank alpha 2).
  - unfold narrow. rewrite Hb. apply (keep_rank alpha 2).
  - apply exact_is_close; [exact He|]. apply theorem1_pass. lia.
Qed.

(** ** ReLU *)

(** [relu_interpolates] at one point more. *)
Theorem relu_interpolates_sharp : ~ (forall (f : nat -> R) U k, (k <= S U)%nat ->
  sum U (fun u => Rmax 0 (INR k - INR u) * bend f u) + f 0%nat = f k).
Proof. intro H. specialize (H INR 0%nat 1%nat (le_n _)). cbn in H. lra. Qed.

(** [relu_units_follow_the_alphabet]: one number of units is not enough for all alphabets, even of one length. *)
Theorem units_do_not_come_first T : (2 <= T)%nat ->
  ~ exists W, forall K n (alpha : nat -> R) (A : letters_below K -> mat),
  exists (transformer : model) (embedding : nat -> option (letters_below K) -> nat -> R) (place : nat -> nat),
  within (Rmax 0) 1 1 W transformer /\ Simulation.simulates n T alpha A
     (fun w t => forward (S T) transformer (reads_letters embedding place w) t).
Proof.
  intros HT (W & H). destruct (relu_units_follow_the_alphabet T HT) as [_ (n & Hno)].
  destruct (Hno n W (le_n _)) as (K & alpha & A & eps & He & G).
  destruct (H K n alpha A) as (transformer & e & p & Hw & Hs).
  apply (G transformer e p Hw). apply exact_is_close; assumption.
Qed.

(** [line_rate] without a factor. *)
Theorem line_rate_sharp : ~ (forall (x : nat -> R) D X m, 1 <= D -> 1 <= X -> forall (l : list nat) (p : nat -> R) eta,
  NoDup l -> length l = m -> (forall a, In a l -> Rabs (x a) <= X) ->
  (forall a b, In a l -> In b l -> a <> b -> 1 <= D * Rabs (x a - x b)) ->
  (forall a, In a l -> Rabs (sum m (fun c => p c * x a ^ c)) <= eta) ->
  forall c, (c < m)%nat -> Rabs (p c) <= eta).
Proof.
  intro H. specialize (H INR 1 1 2%nat ltac:(lra) ltac:(lra) [0; 1]%nat (fun c => if (c =? 0)%nat then 1 else -2) 1).
  enough (G : Rabs (-2) <= 1) by (rewrite Rabs_left in G by lra; lra).
  refine (H _ eq_refl _ _ _ 1%nat (le_n _)).
  - repeat constructor; cbn; lia.
  - intros a [<-|[<-|[]]]; rewrite Rabs_pos_eq by apply pos_INR; cbn; lra.
  - intros a b [<-|[<-|[]]] [<-|[<-|[]]] Hne; try contradiction; cbn; unfold Rabs; destruct (Rcase_abs _); lra.
  - intros a [<-|[<-|[]]]; cbn; unfold Rabs; destruct (Rcase_abs _); lra.
Qed.
