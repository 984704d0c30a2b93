(** * The lower bounds, and what shows their limits, on concrete transformers and automata

    As Instances.v does for the other theorems: each theorem is applied to numbers, models and words that are
    written out, and what it says is used, so that none of them can become vacuous unnoticed. The models:
    that of Theorem 1 for two letters, asked for longer words; one head with and without residual
    connections; two heads with values of rank three. Nothing else depends on this file.

    Main definitions: [plain_head], [three_leaves], [rank_three], [bit].
    Main theorems:    one example for each theorem named in it. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Trees Theorem3 TreeModel ReluSpan ReluTransformers.
From Assay Require Import DepthTransformers DepthTrees DepthAverages WidthTransformers.
From Assay Require Import ReluFixedAlphabet ReluRate.
From Assay Require Model Simulation Pass TreeSimulation DepthBound WidthBound Main.
Import Simulation(dense, Dense, height, breadth, number_at).
Import ListNotations.
Open Scope R_scope.

(** ** Depth *)

(** The model of Theorem 1 for words of two letters: one layer, two heads. *)
Lemma one_layer : at_most 1 2 (theorem1_model 2 2 first_state).
Proof.
  unfold at_most. rewrite theorem1_layers. split; [cbn; lia|]. intros ly [<-|[]].
  destruct (theorem1_heads 2 2 first_state 1) as (a & b & E & _). rewrite E. cbn. lia.
Qed.

(** On five tokens it does not add three digits below 37, wherever its tokens look and its rows are. *)
Example one_layer_does_not_add place row :
  ~ Simulation.approximately_simulates 2 3 first_state (counter (@proj1_sig nat (fun x => (x < 37)%nat)) 1) (/ 2)
      (fun w t => Pass.forward 5 (theorem1_model 2 2 first_state)
         (reads_letters (theorem1_token 2 2 (counter (@proj1_sig nat _) 1)) place w) (row t)).
Proof.
  apply (hard_attention_depth (@proj1_sig nat _) (letter 36) false 5 1 2); try (cbn; lia).
  - intros a Ha. apply letter_is. cbn in Ha. lia.
  - apply theorem1_hard.
  - exact one_layer.
  - right. apply theorem1_plain.
Qed.

(** Nor does it read binary numerals of nine digits. *)
Example one_layer_reads_no_numerals place row :
  ~ Simulation.approximately_simulates 2 9 first_state (counter (@proj1_sig nat _ : letters_below 2 -> nat) 2) (/ 2)
      (fun w t => Pass.forward 5 (theorem1_model 2 2 first_state)
         (reads_letters (theorem1_token 2 2 (counter (@proj1_sig nat _) 2)) place w) (row t)).
Proof.
  apply (hard_attention_depth_binary false 5 1 2); try (cbn; lia).
  - apply theorem1_hard.
  - exact one_layer.
  - right. apply theorem1_plain.
Qed.

(** One head, one number for each token. *)
Definition one_number : dense := Dense 1 1 (fun _ _ => 1).
Definition plain_head (residual : bool) : Pass.layer :=
  Pass.Layer [Pass.Head one_number (fun _ => 0) one_number one_number Hard Everywhere] one_number
    (fun x c => x c * x c) residual.
Definition of_layers (lys : list Pass.layer) : Pass.model :=
  Pass.Model lys (fun _ => false) one_number (fun _ => 0).
Definition digit (r : nat) (o : option nat) (c : nat) : R := match o with Some a => INR a | None => INR r end.

(** Seven layers of one head do not add two numbers. *)
Example seven_layers_of_one_head :
  ~ Simulation.approximately_simulates 2 2 first_state (counter (fun a => a) 1) (/ 2)
      (fun w t => Pass.forward 3 (of_layers (repeat (plain_head false) 7))
         (reads_letters digit (after_begin 2) w) t).
Proof.
  assert (In_one : forall ly, In ly (repeat (plain_head false) 7) -> ly = plain_head false)
    by (intros ly H; now apply repeat_spec in H).
  apply (one_head_fails 3 7 2 2 (le_n _) (le_n _) (of_layers (repeat (plain_head false) 7)) digit (after_begin 2)
    (fun t => t)).
  - intros ly hd Hly Hhd. apply In_one in Hly as ->. destruct Hhd as [<-|[]]. reflexivity.
  - split; [reflexivity|]. intros ly Hly. apply In_one in Hly as ->. cbn. lia.
  - split; [intros ly Hly; now apply In_one in Hly as ->|discriminate].
Qed.

(** Two layers of one head with residual connections do not add five numbers: (1 + 1)^2 < 5. *)
Example two_layers_with_residuals row :
  ~ Simulation.approximately_simulates 2 5 first_state (counter (fun a => a) 1) (/ 2)
      (fun w t => Pass.forward 6 (of_layers [plain_head true; plain_head true])
         (reads_letters digit (after_begin 5) w) (row t)).
Proof.
  apply (hard_attention_depth_numbers true 6 2 1); try (cbn; lia); try now left.
  - intros ly hd [<-|[<-|[]]] [<-|[]]; reflexivity.
  - split; [cbn; lia|]. intros ly [<-|[<-|[]]]; cbn; lia.
Qed.

(** Three layers are enough for five letters and two are not; the automaton that Theorem 1 is for adds numbers. *)
Example five_letters_need_three_layers :
  (exists N transformer embedding place row, at_most 3 2 transformer /\
     Pass.forward N transformer (reads_letters embedding place [1; 2; 3; 4; 5]%nat) (row 5%nat) 1%nat = 15) /\
  exists K alpha (A : letters_below K -> mat), forall transformer embedding place row,
    all_hard transformer -> at_most 2 2 transformer -> plain transformer embedding ->
    ~ Simulation.approximately_simulates 2 5 alpha A (/ 2)
        (fun w t => Pass.forward 100 transformer (reads_letters embedding place w) (row t)).
Proof.
  destruct (Main.theorem1_depth_optimal 2 5 (le_n _) ltac:(lia)) as [Enough Fewer]. split.
  - destruct (Enough nat first_state (counter (fun a => a) 1)) as (N & m & e & p & r & _ & Hs & _ & H).
    exists N, m, e, p, r. split; [exact Hs|]. rewrite (H [1; 2; 3; 4; 5]%nat eq_refl 5%nat 1%nat) by lia.
    rewrite (proj2 (counter_states (fun a => a) 2 1 [1; 2; 3; 4; 5]%nat 5 (le_n _) (le_n _))). cbn. lra.
  - exact (Fewer 100%nat 2%nat ltac:(cbn; lia)).
Qed.

(** A tree with three leaves. *)
Definition three_leaves : tree unit := Node (Node (Leaf tt) (Leaf tt)) (Leaf tt).

Example one_layer_does_not_add_leaves row :
  ~ TreeSimulation.approximately_simulates_trees 2 7 (number_leaf 100) adding
      (fun t => shape t = three_leaves) (/ 2)
      (fun w i => Pass.forward 7 (of_layers [plain_head true])
         (reads_letters (fun r o c => match o with Some (Sym a) => INR (proj1_sig a) | _ => INR r end)
            (fun r => r) w) (row i)).
Proof.
  apply (Main.hard_attention_depth_trees true 7 1 1 2 three_leaves); try (cbn; lia); try now left.
  - intros ly hd [<-|[]] [<-|[]]. reflexivity.
  - split; [cbn; lia|]. intros ly [<-|[]]. cbn. lia.
Qed.

(** ** The limits of these bounds *)

Example three_bits_in_one_layer : exists net : DepthBound.network nat (nat * nat) nat,
  DepthBound.within net 3 1 2 /\ DepthBound.output net [1; 0; 1]%nat = 2%nat /\
  DepthBound.output net [1; 1; 1]%nat = 3%nat.
Proof.
  destruct (Main.three_binary_letters nat list_sum) as (net & Hw & H). exists net. split; [exact Hw|].
  split; rewrite H; try reflexivity; split; auto; repeat constructor; lia.
Qed.

Example many_tokens_one_head : exists net : DepthBound.network nat nat nat,
  DepthBound.within net 85 1 1 /\ DepthBound.output net [1; 2; 0; 2]%nat = 5%nat.
Proof.
  destruct (DepthBound.small_alphabet 4 3 nat list_sum) as (net & Hw & H). exists net.
  split; [exact Hw|]. rewrite H; [reflexivity|]. split; auto; repeat constructor; lia.
Qed.

Example a_mean_adds :
  Pass.forward 4 (adder Soft) (reads_letters digit_token (after_begin 3) [1; 2; 3]%nat) 3%nat 1%nat = 6.
Proof.
  rewrite (Main.averages_add Soft 3 ltac:(discriminate) [1; 2; 3]%nat eq_refl) by lia.
  rewrite (proj2 (counter_states (fun a => a) 2 1 [1; 2; 3]%nat 3 (le_n _) (le_n _))). cbn. lra.
Qed.

(** ** Width *)

(** One layer, two heads with values of rank three, a product of what they read. *)
Definition three_numbers : dense := Dense 3 3 I.
Definition rank_three : Pass.model :=
  let head := Pass.Head three_numbers (fun _ => 0) three_numbers three_numbers Hard Everywhere in
  Pass.Model [Pass.Layer [head; head] (Dense 6 6 I)
      (fun x => Simulation.run_block (fun y => y) (Simulation.Products (Dense 6 6 I) (Dense 6 6 I) (fun _ _ _ => 1)
         (Dense 6 6 I)) (fun _ => x) 0%nat) false]
    (fun _ => false) (Dense 6 2 I) (fun _ => 0).

(** It does not simulate all automata with two states on words of two letters. *)
Example rank_three_fails : exists K alpha (A : letters_below K -> mat) eps, 0 < eps /\ forall embedding place row,
  ~ Simulation.approximately_simulates 2 2 alpha A eps
      (fun w t => Pass.forward 4 rank_three (reads_letters embedding place w) (row t)).
Proof.
  destruct (hard_attention_width 4 0 1 2 2 3 (le_n _) ltac:(cbn; lia) ltac:(lia)) as (K & alpha & A & eps & He & H).
  exists K, alpha, A, eps. split; [exact He|]. intros embedding place row.
  eapply (H rank_three embedding place row []); [reflexivity|reflexivity| | |cbn; lia|intros ? []| | |].
  - intros ly hd [<-|[]] [<-|[<-|[]]]; reflexivity.
  - split; [intros ly [<-|[]]; reflexivity|discriminate].
  - apply products_bilinear.
  - apply narrow_by_size. left. cbn. lia.
  - apply narrow_by_size. right. cbn. lia.
Qed.

(** For three states and three letters rank nine is enough in two layers, and rank eight is not. *)
Example three_states : let L := 1%nat in
  (forall alpha (A : bool -> mat), exists N transformer embedding place row lys last first second,
     Pass.layers transformer = lys ++ [last] /\ Pass.heads last = [first; second] /\ (length lys <= L)%nat /\
     narrow 9 first /\ narrow 9 second /\ height (Pass.value first) = 20%nat /\
     Simulation.simulates 3 3 alpha A
       (fun w t => Pass.forward N transformer (reads_letters embedding place w) (row t))) /\
  exists K alpha (A : letters_below K -> mat) eps, 0 < eps /\
  forall transformer embedding place row lys last first second,
    Pass.layers transformer = lys ++ [last] -> Pass.heads last = [first; second] ->
    all_hard transformer -> plain transformer embedding ->
    (length lys <= L)%nat -> (forall ly, In ly lys -> (length (Pass.heads ly) <= 2)%nat) ->
    Fits.block_of Fits.Bilinears (Pass.feedforward last) -> narrow 8 first -> narrow 8 second ->
    ~ Simulation.approximately_simulates 3 3 alpha A eps
        (fun w t => Pass.forward 1000 transformer (reads_letters embedding place w) (row t)).
Proof.
  destruct (Main.theorem1_width_order 3 3 ltac:(lia) ltac:(lia)) as [Enough Less]. split.
  - intros alpha A. destruct (Enough bool alpha A)
      as (N & m & e & p & r & lys & last & a & b & (H1 & H3 & _ & H2 & _ & H4 & H5) & _ & _ & H6 & _ & H7).
    exists N, m, e, p, r, lys, last, a, b. repeat split; assumption.
  - destruct (Less 1000%nat 8%nat ltac:(lia)) as (K & alpha & A & eps & He & H).
    exists K, alpha, A, eps. split; [exact He|].
    intros m e p r lys last a b H1 H2 H3 H4 H5 H6 H7 H8 H9. apply (H m e p r lys last a b); auto.
    repeat split; assumption.
Qed.

(** ** ReLU over a given alphabet *)

Definition bit (b : bool) : nat := if b then 1%nat else 0%nat.

Lemma bits_are_two (b : bool) : (bit b < 2)%nat /\ (bit b =? 1)%nat = b.
Proof. destruct b; cbn; lia. Qed.

(** Thirty-one units add three bits. *)
Example thirty_one_units : exists transformer embedding place,
  within (Rmax 0) 1 1 31 (without_norms transformer) /\
  Pass.forward 4 transformer (reads_letters embedding place [true; false; true]) 3%nat 1%nat = 2.
Proof.
  destruct (Main.relu_fixed_alphabet bit (fun a => (a =? 1)%nat) 2 3 bits_are_two) as (e & p & H).
  destruct (H 2%nat first_state (counter bit 1)) as (m & Hw & _ & _ & Hs). exists m, e, p. split; [exact Hw|].
  rewrite (Hs [true; false; true] eq_refl) by lia.
  rewrite (proj2 (counter_states bit 2 1 [true; false; true] 3 (le_n _) (le_n _))). cbn. lra.
Qed.

Example units_follow_letters :
  (exists W, forall n alpha (A : letters_below 2 -> mat), exists transformer embedding place,
     within (Rmax 0) 1 1 W transformer /\ Simulation.simulates n 2 alpha A
       (fun w t => forward 3 transformer (reads_letters embedding place w) t)) /\
  exists n K alpha (A : letters_below K -> mat) eps, 0 < eps /\ forall transformer embedding place,
    within (Rmax 0) 1 1 1000 transformer -> ~ Simulation.approximately_simulates n 2 alpha A eps
      (fun w t => forward 3 transformer (reads_letters embedding place w) t).
Proof.
  destruct (Main.relu_units_follow_the_alphabet 2 (le_n _)) as [First (n0 & Then)]. split; [exact (First 1%nat)|].
  exists n0. exact (Then n0 1000%nat (le_n _)).
Qed.

(** ** ReLU and letters from an interval *)

(** One automaton for all numbers of units, and for each of them an error that they do not reach. *)
Example no_units_are_enough : exists n alpha (A : bool * interval -> mat), forall W, exists eps, 0 < eps /\
  forall transformer embedding place, within (Rmax 0) 1 1 W transformer ->
    ~ Simulation.approximately_simulates n 2 alpha A eps
        (fun w t => forward 3 transformer (reads_letters embedding place w) t).
Proof.
  destruct (Main.piecewise_linear_rate (Rmax 0) 2 1 1 3 (proj1 piecewise_linear_in_use) (le_n _))
    as (n & alpha & A & c & Hc & H).
  exists n, alpha, A. intro W. assert (Hp : 0 < / c ^ S W) by (apply Rinv_0_lt_compat, pow_lt; lra).
  exists (/ c ^ S W / 2). split; [lra|]. intros transformer embedding place Hw Hs.
  specialize (H n W _ (le_n n) transformer embedding place (fun t => t) Hw ltac:(intros; lia) Hs). lra.
Qed.
