(** * The theorems on families, bilinear maps, the scan's work and the unrolled model, on concrete data

    Each theorem is applied, and something comes out: a weight, a probability, a count, a state.

    Main theorems: one example for each theorem named in it. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Recursion Families BilinearMaps ScanWork SameBlock Unrolled.
From Assay Require Model Scan Simulation Pass Fits Instances.
Import ListNotations.
Open Scope R_scope.

(** ** Families *)

(** Two states; the automaton accepts the words over [bool] that end with [true]. *)
Definition begins (i : nat) : bool := (i =? 0)%nat.
Definition ends (i : nat) : bool := (i =? 1)%nat.
Definition moves (x : bool) (i j : nat) : bool := (begins i && (begins j || x && ends j))%bool.

Example nfa_accepts : 0 < weight 2 (fun x i j => b2r (moves x i j)) (fun i => b2r (begins i))
  (fun i => b2r (ends i)) [false; true].
Proof.
  apply (nfa_is_wfa 2 begins ends moves [false; true]). exists 0%nat. split; [lia|]. split; [reflexivity|].
  exists 0%nat. split; [lia|]. split; [reflexivity|]. exists 1%nat. split; [lia|]. now split.
Qed.

Example nfa_refuses : weight 2 (fun x i j => b2r (moves x i j)) (fun i => b2r (begins i))
  (fun i => b2r (ends i)) [true; false] = 0.
Proof.
  destruct (nfa_is_wfa 2 begins ends moves [true; false]) as [H0 H].
  apply Rle_antisym; [|exact H0]. apply Rnot_lt_le. intro Hlt. apply H in Hlt.
  destruct Hlt as (i & Hi & Ei & j & Hj & Ej & k & Hk & Ek & Ef).
  destruct i as [|[|i]], j as [|[|j]], k as [|[|k]]; try lia; discriminate.
Qed.

(** Two states that take turns; state 0 shows 0 and state 1 shows 1. *)
Definition half (i : nat) : R := 1 / 2.
Definition turns : mat := fun i j => b2r (negb (i =? j))%nat.
Definition shows (x i : nat) : R := b2r (x =? i)%nat.

Lemma turns_total i : (i < 2)%nat -> sum 2 (turns i) = 1.
Proof. intro Hi. destruct i as [|[|i]]; try lia; cbn; ring. Qed.

Example hmm_turns : weight 2 (fun x => mmul 2 (diag (shows x)) turns) half (fun _ => 1) [0; 1; 0]%nat = 1 / 2.
Proof.
  rewrite (hmm_is_wfa 2 half turns shows) by (try exact turns_total; cbn; unfold half; lra).
  cbn. unfold half, shows, turns. cbn. lra.
Qed.

Example hmm_turns_total : over_words 2 3 (probability 2 half turns shows) = 1.
Proof.
  apply (hmm_total 2 2 half turns shows); try exact turns_total; unfold half, turns, shows.
  - cbn. lra.
  - intros i Hi. destruct i as [|[|i]]; try lia; cbn; ring.
  - intros. lra.
  - intros i j _ _. destruct (i =? j)%nat; cbn; lra.
  - intros x i _ _. destruct (x =? i)%nat; cbn; lra.
Qed.

(** The example of Section 5.2: aaabb has the state (3, 2, 1). *)
Example three_two_one : let state j := sum 3 (fun i => count_start 2 i *
    word_product 3 (count_matrix 2 (fun x => x)) [0; 0; 0; 1; 1]%nat i j) in
  state 0%nat = 3 /\ state 1%nat = 2 /\ state 2%nat = 1.
Proof.
  cbv beta zeta. rewrite !(k_counting 2 (fun x => x)) by lia. cbn. repeat split; ring.
Qed.

(** Three letters 0 and two letters 1 differ by one. *)
Example one_apart : weight 3 (count_matrix 2 (fun x => x)) (count_start 2)
  (fun j => match j with 0%nat => 1 | 1%nat => -1 | _ => 0 end) [0; 0; 0; 1; 1]%nat = 1.
Proof. rewrite (count_weight 2 (fun x => x)). cbn. ring. Qed.

(** ** Bilinear maps, the scan, the block of Theorem 1 *)

Definition crossed (x y : nat -> R) (k : nat) : R := x 0%nat * y 1%nat - x 1%nat * y 0%nat.

Example crossed_is_a_layer : bilinear_layer 2 2 (values_on_basis crossed) (fun _ => 0) INR (fun j => 2 - INR j) 0 = -2.
Proof.
  rewrite <- (bilinear_maps_are_layers 2 2 1 crossed).
  - unfold crossed. cbn. ring.
  - intros x x' y y' Hx Hy k _. unfold crossed. now rewrite (Hx 0%nat), (Hx 1%nat), (Hy 0%nat), (Hy 1%nat) by lia.
  - split; intros; unfold crossed; ring.
  - lia.
Qed.

Example sums_for_eight : (scan_sums 8 <= 48)%nat.
Proof. exact (proj1 (proj2 (proj2 (scan_work 8 ltac:(lia)))) ltac:(lia)). Qed.

Example scan_work_adds : Scan.pscan nat Nat.add (fun j => j) 4 8 = 36%nat.
Proof. now rewrite (proj2 (proj2 (proj2 (scan_work 8 ltac:(lia)))) nat Nat.add ltac:(intros; lia)) by lia. Qed.

Example second_block : Model.feedforward (Model.layer_at 2 3 (fun w => w) 2)
  = Model.feedforward (Model.layer_at 2 3 (fun w => w) 1).
Proof.
  destruct (one_block 2 3 (fun w => w)) as [B H].
  now rewrite (proj1 (H (Model.layer_at 2 3 (fun w => w) 2) ltac:(cbn; auto))),
    (proj1 (H (Model.layer_at 2 3 (fun w => w) 1) ltac:(cbn; auto))).
Qed.

Example equal_rows_stay_equal alpha A C c :
  let B := Model.feedforward (Model.layer_at 2 3 (fun w => w) 2) in
  Model.run_bilinear alpha A C B (fun _ c => INR c) 0%nat c = Model.run_bilinear alpha A C B (fun _ c => INR c) 5%nat c.
Proof.
  cbv zeta. destruct (one_block 2 3 (fun w => w)) as [B H].
  now apply (proj2 (H (Model.layer_at 2 3 (fun w => w) 2) ltac:(cbn; auto))).
Qed.

(** ** The unrolled model counts two letters [true] in three layers *)

Example unrolled_counts : exists m E, length (Pass.layers m) = 3%nat /\ Pass.forward 8 m E 6%nat 0%nat = 2.
Proof.
  destruct (unrolled_simulates 2 3 Instances.alpha Instances.count ltac:(lia)) as (m & token & F & _ & _ & S).
  exists m. eexists. split; [exact (proj1 F)|].
  rewrite <- Instances.two_in_word. exact (S Instances.word eq_refl 3%nat 0%nat ltac:(lia) ltac:(lia)).
Qed.
