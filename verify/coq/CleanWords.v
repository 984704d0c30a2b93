(** * Theorem 2 with nothing supplied again: the model, and hard attention

    Section 2.4, Section 3.2 and Appendix B. A model on the T + 1 tokens of a word and a begin token,
    without pads, with positional encodings in the input alone. Tokens have n^2 + 3 coordinates: a
    matrix, one, place i and i^2. Layer l has two heads without masks: one looks 2^l tokens back, or
    at the begin token where there are fewer, the other at the token itself; the block multiplies the
    two matrices and copies the rest. The begin token holds the identity. After l layers a token
    holds the product of the last 2^l letters, so that log T layers give all T + 1 states.

    Where we differ from the print: there are no pads; positions are i and i^2 in place of a circle;
    W_V reads one matrix and the tokens hold it once. Rows count from 0, row r has place r + 1; heads,
    products and attention are those of TreeModel.v.

    Main definitions: [word_layer], [word_products], [word_model], [word_tokens], [run_words].
    Main theorems:    [back_target], [self_target], [carries_step], [carries_after]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Trees Theorem1 Softmax Spectral Theorem3.
From Assay Require Import TreeModel TreeBlocks TreeScores TreeLayers TreeContinuity.
From Assay Require Import FreeModel.
From Assay Require Simulation NoPadsWeights.
Import Simulation(letter, padded).
Import NoPadsWeights(spanned).
Import ListNotations.
Open Scope R_scope.

(** ** The construction *)

Section Construction.
Variable n : nat.                   (* states *)
Variable mode : attention.          (* Hard, or Soft with queries times C *)

Definition entries := (n * n)%nat.
Definition word_dimension := (entries + 3)%nat.

Definition back_head (l : nat) : head :=
  scored mode (towards entries (- 2 ^ Z.of_nat l)) (places entries) (seq 0 entries) Everywhere.
Definition self_head : head :=
  scored mode (own_queries entries) (places entries) (seq 0 word_dimension) Everywhere.

(** Entry (i, k) of what the first head reads times entry (k, j) of the token's own matrix. *)
Definition matrix_products : list product :=
  flat_map (fun i => flat_map (fun j => map (fun k =>
    Product (i * n + k) (entries + (k * n + j)) (i * n + j) (Whole 1))
    (seq 0 n)) (seq 0 n)) (seq 0 n).

Definition word_products : list product :=
  matrix_products ++ map (copy entries entries) [at_one entries; at_place entries; at_square entries].

Definition word_layer (l : nat) : layer := Layer [back_head l; self_head] word_products.
Definition word_model (depth : nat) : list layer := map word_layer (seq 0 depth).
End Construction.

(** ** Tokens and the forward pass *)

Section Tokens.
Context {Sigma : Type} (n : nat) (alpha : nat -> R) (A : Sigma -> mat).

Definition word_tokens (o : option Sigma) (r c : nat) : R :=
  let i := IZR (Z.of_nat r + 1) in
  if (c <? entries n)%nat then padded A o (c / n)%nat (c mod n)%nat else
  match (c - entries n)%nat with 0%nat => 1 | 1%nat => i | 2%nat => i * i | _ => 0 end.

(** The begin token, the letters, and after the layers alpha^T times the matrix; [blocks] is what a
    layer's block computes. *)
Definition run_words (number : weight -> R) (lys : list layer)
    (blocks : layer -> (nat -> R) -> nat -> R) (x : list Sigma) : mat := fun r j =>
  let E := fun r => word_tokens (letter x (Z.of_nat r)) r in
  let Y := fold_left (run_with number (S (length x)) blocks [] E) lys E in
  sum n (fun i => alpha i * Y r (i * n + j)%nat).
End Tokens.

(** ** What the block makes of what the heads read *)

Section Block.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R)
  (C : R) (w : list (symbol Sigma)).
Local Notation val := (value leaf tensor C w).
Local Notation M := (rows w).
Local Notation m := (entries n).

Lemma in_entries i j : (i < n)%nat -> (j < n)%nat -> (i * n + j < m)%nat.
Proof. unfold entries. nia. Qed.

Lemma place_unique i j i' j' : (j < n)%nat -> (j' < n)%nat ->
  (i * n + j = i' * n + j')%nat -> i = i' /\ j = j'.
Proof.
  intros Hj Hj' H. assert (i = i'); [|subst; split; lia].
  apply (f_equal (fun x => x / n)%nat) in H.
  rewrite !div_add_l, !Nat.div_small in H by lia. lia.
Qed.

Lemma block_matrix_inside y i j : (i < n)%nat -> (j < n)%nat ->
  block val (matrix_products n) y (i * n + j)
  = sum n (fun k => y (i * n + k)%nat * y (m + (k * n + j))%nat).
Proof.
  intros Hi Hj. unfold block, matrix_products. rewrite lsum_flat_map, lsum_seq.
  rewrite (sum_single n _ i Hi).
  - rewrite lsum_flat_map, lsum_seq, (sum_single n _ j Hj).
    + rewrite lsum_map, lsum_seq. apply sum_ext. intros k Hk. cbn [out times left_of right_of].
      rewrite Nat.eqb_refl. cbn [value]. ring.
    + intros q Hq Hne. rewrite lsum_map, lsum_seq. apply sum_zero. intros k Hk. cbn [out].
      destruct (Nat.eqb_spec (i * n + q) (i * n + j)); [lia|reflexivity].
  - intros p Hp Hne. rewrite lsum_flat_map, lsum_seq. apply sum_zero. intros q Hq.
    rewrite lsum_map, lsum_seq. apply sum_zero. intros k Hk. cbn [out].
    destruct (Nat.eqb_spec (p * n + q) (i * n + j)) as [E|]; [|reflexivity].
    apply place_unique in E; [lia|auto|auto].
Qed.

Lemma block_matrix_beyond y c : (m <= c)%nat -> block val (matrix_products n) y c = 0.
Proof.
  intro Hc. unfold block, matrix_products. rewrite lsum_flat_map, lsum_seq.
  apply sum_zero. intros i Hi. rewrite lsum_flat_map, lsum_seq. apply sum_zero. intros j Hj.
  rewrite lsum_map, lsum_seq. apply sum_zero. intros k Hk. cbn [out].
  pose proof (in_entries i j Hi Hj). destruct (Nat.eqb_spec (i * n + j) c); [lia|reflexivity].
Qed.

Lemma word_block_row y :
  let made := block val (word_products n) y in
  let own := fun c => y (m + c)%nat in
  (forall i j, (i < n)%nat -> (j < n)%nat ->
     made (i * n + j)%nat = sum n (fun k => y (i * n + k)%nat * own (k * n + j)%nat)) /\
  (forall c, (m <= c < m + 3)%nat -> made c = own (at_one m) * own c) /\
  (forall c, (m + 3 <= c)%nat -> made c = 0).
Proof.
  cbv zeta. unfold word_products. repeat split; intros; rewrite !block_app.
  - rewrite block_matrix_inside by auto. pose proof (in_entries i j H H0).
    unfold block, copy, lsum. cbn [map fold_right out]. unfold at_one, at_place, at_square. decide_eqb.
    ring.
  - rewrite block_matrix_beyond by lia. unfold block, copy, lsum.
    cbn [map fold_right out times left_of right_of value]. unfold at_one, at_place, at_square.
    assert (E : c = m \/ c = (m + 1)%nat \/ c = (m + 2)%nat) by lia.
    destruct E as [->|[->| ->]]; decide_eqb; ring.
  - rewrite block_matrix_beyond by lia. unfold block, copy, lsum. cbn [map fold_right out].
    unfold at_one, at_place, at_square. decide_eqb. ring.
Qed.

Lemma word_joined mode l X r : let y := joined val M (heads (word_layer n mode l)) X r in
  (forall k, (k < m)%nat -> y k = read val M (back_head n mode l) X r k) /\
  (forall c, (c < m + 3)%nat -> y (m + c)%nat = read val M (self_head n mode) X r c).
Proof.
  cbv zeta. cbn [heads word_layer joined back_head self_head scored reads].
  rewrite !seq_length. unfold word_dimension. repeat split; intros; decide_eqb; auto; f_equal; lia.
Qed.
End Block.

(** ** The invariant *)

Section Words.
Context {Sigma : Type} (n : nat) (tensor : nat -> nat -> nat -> R) (C : R) (A : Sigma -> mat)
  (x : list Sigma).

(** TreeContinuity.v speaks of strings of symbols; the letters are some. *)
Definition lettered : list (symbol Sigma) := map (fun a => Sym a) x.
Local Notation w := lettered.
Local Notation leaf := (fun (_ : Sigma) (_ : nat) => 0).
Local Notation val := (value leaf tensor C w).
Local Notation M := (rows w).
Local Notation m := (entries n).
Local Notation held := (spanned n (fun t => padded A (letter x (Z.of_nat t)))).

Lemma rows_word : M = S (length x).
Proof. unfold rows, lettered. now rewrite map_length. Qed.

Record carries (l : nat) (Y : mat) : Prop := Carries
  { c_matrix : forall r i j, (r < M)%nat -> (i < n)%nat -> (j < n)%nat ->
      Y r (i * n + j)%nat = held l r i j;
    c_one : forall r, (r < M)%nat -> Y r (at_one m) = 1;
    c_place : forall r, (r < M)%nat -> Y r (at_place m) = IZR (Z.of_nat r + 1);
    c_square : forall r, (r < M)%nat ->
      Y r (at_square m) = IZR ((Z.of_nat r + 1) * (Z.of_nat r + 1));
    c_beyond : forall r c, (r < M)%nat -> (m + 3 <= c)%nat -> Y r c = 0 }.

Section Targets.
Context (l : nat) (Y : mat).
Hypothesis HY : carries l Y.

Theorem back_target k r : (r < M)%nat ->
  target w (towards m (- 2 ^ Z.of_nat k)) (places m) Everywhere Y r (r - 2 ^ k)%nat.
Proof.
  intro Hr. set (a := (Z.of_nat r + 1 - 2 ^ Z.of_nat k)%Z).
  assert (H : forall q, (q < M)%nat ->
    wscore (towards m (- 2 ^ Z.of_nat k)) (places m) (Y r) (Y q)
    = IZR (2 * a * (Z.of_nat q + 1) - (Z.of_nat q + 1) * (Z.of_nat q + 1))).
  { intros q Hq. destruct HY as [_ H1 H2 H3 _]. unfold wscore, wform, towards, places.
    cbn -[IZR Z.mul Z.add Z.opp Z.pow]. rewrite H1, !H2, H3 by auto. unfold a. push_IZR. ring. }
  split; [lia|]. split; [reflexivity|]. intros s Hs Hne _.
  rewrite !H by (auto; lia). rewrite <- plus_IZR. apply IZR_le.
  assert (P : Z.of_nat (2 ^ k) = (2 ^ Z.of_nat k)%Z) by (rewrite Nat2Z.inj_pow; reflexivity).
  destruct (Nat.le_gt_cases (2 ^ k) r) as [Hk|Hk].
  - assert (E : Z.of_nat (r - 2 ^ k) = (a - 1)%Z) by (unfold a; rewrite Nat2Z.inj_sub; lia).
    rewrite E. pose proof (square_pos (Z.of_nat s - (a - 1)) ltac:(lia)). nia.
  - replace (r - 2 ^ k)%nat with 0%nat in * by lia. cbn [Z.of_nat].
    assert (a <= 0)%Z by (unfold a; lia). assert (1 <= Z.of_nat s)%Z by lia. nia.
Qed.

Theorem self_target r : (r < M)%nat -> target w (own_queries m) (places m) Everywhere Y r r.
Proof. apply own_place_target; apply HY. Qed.
End Targets.

(** ** One layer, and all *)

Definition word_step (l : nat) (Y : mat) : mat := fun r =>
  block val (word_products n) (joined val M (heads (word_layer n Hard l)) Y r).

Theorem carries_step l Y : carries l Y -> carries (S l) (word_step l Y).
Proof.
  intro HY. pose proof HY as [H0 H1 H2 H3 H4].
  assert (G : forall r, (r < M)%nat ->
    (forall i j, (i < n)%nat -> (j < n)%nat -> word_step l Y r (i * n + j)%nat = held (S l) r i j) /\
    (forall c, (m <= c < m + 3)%nat -> word_step l Y r c = Y r c) /\
    (forall c, (m + 3 <= c)%nat -> word_step l Y r c = 0)).
  { intros r Hr. unfold word_step. set (y := joined val M _ Y r).
    destruct (word_joined n leaf tensor C w Hard l Y r) as (J1 & J2). fold y in J1, J2.
    assert (B : forall k, (k < m)%nat -> y k = Y (r - 2 ^ l)%nat k).
    { intros k Hk. rewrite J1 by auto. unfold back_head.
      rewrite (hard_target leaf tensor C w _ _ _ _ _ r (r - 2 ^ l)) by exact (back_target l Y HY l r Hr).
      now rewrite seq_nth. }
    assert (O : forall c, (c < m + 3)%nat -> y (m + c)%nat = Y r c).
    { intros c Hc. rewrite J2 by auto. unfold self_head.
      rewrite (hard_target leaf tensor C w _ _ _ _ _ r r) by exact (self_target l Y HY r Hr).
      now rewrite seq_nth. }
    pose proof (word_block_row n leaf tensor C w y) as R. cbv beta zeta in R.
    destruct R as (R1 & R2 & R3). split; [|split].
    - intros i j Hi Hj. rewrite R1 by auto. cbn [NoPadsWeights.spanned].
      unfold NoPadsWeights.clean_step, mmul. apply sum_ext. intros k Hk.
      pose proof (in_entries n i k Hi Hk). pose proof (in_entries n k j Hk Hj).
      rewrite B, O by lia. rewrite !H0 by (auto; lia). reflexivity.
    - intros c Hc. rewrite R2, !O by (unfold at_one; lia). rewrite H1 by auto. ring.
    - exact R3. }
  split; intros r; intros; destruct (G r H) as (G1 & G2 & G3); auto;
    rewrite G2 by (unfold at_one, at_place, at_square; lia); auto.
Qed.

Definition word_start : mat := fun r => word_tokens n A (letter x (Z.of_nat r)) r.

Lemma carries_start : carries 0 word_start.
Proof.
  unfold word_start, word_tokens. split; intros.
  - pose proof (in_entries n i j H0 H1). decide_eqb.
    rewrite div_add_l, Nat.div_small, Nat.add_0_r by lia.
    rewrite (Nat.add_comm (i * n)), mod_add, Nat.mod_small by lia.
    destruct r; reflexivity.
  - unfold at_one. decide_eqb. now rewrite Nat.sub_diag.
  - unfold at_place. decide_eqb. now replace (m + 1 - m)%nat with 1%nat by lia.
  - unfold at_square. decide_eqb. replace (m + 2 - m)%nat with 2%nat by lia. now rewrite mult_IZR.
  - decide_eqb. destruct (c - m)%nat as [|[|[|q]]] eqn:E; try lia. reflexivity.
Qed.

Fixpoint word_after (l : nat) : mat :=
  match l with O => word_start | S l' => word_step l' (word_after l') end.

Theorem carries_after l : carries l (word_after l).
Proof. induction l as [|l IH]; [exact carries_start|]. now apply carries_step. Qed.
End Words.
