(** * T layers, one step of the automaton a layer: the transformer used as an unrolled RNN

    Section 3.1, "Using a T layer transformer, it is easy to simulate a WFA over a sequence of length T".
    On the tokens of Theorem 1, where identities stand outside of the word: a token holds a state, the
    matrix of its letter and a one; in each layer one head reads the state of the token before, the other
    keeps matrix and one, and the bilinear layer multiplies state and matrix. All T layers are the same.
    The construction of [constructions.variants.unrolled].

    Where we differ from the print: it does not say which feed-forward block is meant; here it is the
    bilinear one of Section 2.5. The positions are supplied again after each layer, as in Theorem 1.

    Main definitions: [step_layer], [unrolled], [unrolled_embedding], [unrolled_token].
    Main theorems:    [step_multiplies], [unrolled_simulates]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Compat Sums Gap Model Sizes Attention Theorem1 Simulation.
From Assay Require TreeModel Pass Fits FitsWords.
Import ListNotations.
Open Scope R_scope.

(** ** The weights *)

Section Weights.
Context (n L : nat).
Local Notation n2 := (n2 n).

(** Coordinates: the state, the matrix, a one, the position. *)
Definition at_one : nat := n + n2.
Definition size : nat := at_one + 3.

Definition placed (B : nat -> nat -> weight) : matrix :=
  Matrix size 2 (fun p q => if (p <=? at_one)%nat then Zero else B q (p - S at_one)%nat).

(** The identity on coordinates from, .., to - 1. *)
Definition kept (from to : nat) : matrix :=
  Matrix size size (fun p q => bit ((p =? q) && ((from <=? p) && (p <? to)))%nat).

Definition before_head : head := Head (placed identity) (placed (rho L (theta 1))) (kept 0 n).
Definition here_head : head := Head (placed identity) (placed identity) (kept n (S at_one)).
Definition added_heads : matrix := Matrix (2 * size) size (fun p q => bit ((p =? q) || (p =? size + q))%nat).

Definition select_state : matrix :=
  Matrix size (S n) (fun p q => bit (if (q <? n)%nat then p =? q else p =? at_one)%nat).
Definition select_matrix : matrix := Matrix size (S n2) (fun p q => bit (p =? n + q)%nat).

(** state x matrix to state; one x matrix to matrix and one x one to one. *)
Definition step_tensor (a b c : nat) : weight :=
  bit ((a <? n) && (b <? n2) && (a =? b / n) && (c =? b mod n) || (a =? n) && (c =? n + b))%nat.

Definition step_out : matrix := Matrix (S at_one) size (fun p q => bit (p =? q)%nat).

Definition step_layer : layer :=
  Layer [before_head; here_head] added_heads (Bilinear select_state select_matrix step_tensor step_out).

Definition circle_entry (r c : nat) : weight :=
  if (c =? at_one + 1)%nat then Cos (pos L r) (T L) else
  if (c =? at_one + 2)%nat then Sin (pos L r) (T L) else Zero.

Definition read_state : matrix := Matrix size n (fun p j => bit (p =? j)%nat).

(** So many steps. *)
Definition unrolled (steps : nat) : transformer :=
  Transformer (repeat step_layer steps) (Matrix (N L) size circle_entry) read_state.

(** Every token begins with the state alpha. *)
Definition unrolled_embedding : matrix :=
  Matrix (N L) size (fun r c =>
    if (c <? n)%nat then Alpha c else
    if (c <? at_one)%nat then token_entry n L r (c - n)%nat else
    if (c =? at_one)%nat then One else circle_entry r c).
End Weights.

(** ** One layer is one step *)

Section Step.
Context (n L : nat) (alpha : nat -> R) (A : nat -> mat).
Local Notation n2 := (n2 n).
Local Notation N := (N L).
Local Notation d := (size n).
Local Notation one := (at_one n).
Local Notation value := (value alpha A 1).
Local Notation apply := (apply alpha A 1).

Definition unrolled_row (s : nat -> R) (r c : nat) : R :=
  if (c <? n)%nat then s c else
  if (c <? one)%nat then vec n (token L A r) (c - n) else
  if (c =? one)%nat then 1 else value (circle_entry n L r c).

(** Row r holds the state s r, the matrix of its letter, a one and its position. *)
Definition holds (X : mat) (s : nat -> nat -> R) : Prop :=
  forall r c, (r < N)%nat -> (c < d)%nat -> X r c = unrolled_row (s r) r c.

Lemma pick X W k r q : (k < rows W)%nat -> (forall p, entry W p q = bit (p =? k)%nat) ->
  apply X W r q = X r k.
Proof.
  intros Hk E. unfold Model.apply, mmul, real. rewrite (sum_single (rows W) _ k Hk).
  - rewrite E, value_bit, Nat.eqb_refl. cbn. ring.
  - intros p Hp Hne. rewrite E, value_bit. solve01.
Qed.

Lemma apply_placed X s B r q : holds X s -> (r < N)%nat ->
  apply X (placed n B) r q
  = cos (PI * IZR (pos L r) / IZR (Z.of_nat (T L))) * value (B q 0%nat)
    + sin (PI * IZR (pos L r) / IZR (Z.of_nat (T L))) * value (B q 1%nat).
Proof.
  intros HX Hr. unfold Model.apply, mmul, real. cbn [rows entry placed].
  replace d with (S one + 2)%nat by (unfold size; lia). rewrite sum_add, sum_zero.
  - cbn [sum]. destruct (Nat.leb_spec (S one + 0) one); [lia|]. destruct (Nat.leb_spec (S one + 1) one); [lia|].
    replace (S one + 0 - S one)%nat with 0%nat by lia. replace (S one + 1 - S one)%nat with 1%nat by lia.
    rewrite !HX by (try exact Hr; unfold size; lia). unfold unrolled_row, circle_entry.
    assert (n <= one)%nat by (unfold at_one; lia). bool_cases; try lia. cbn [Model.value]. ring.
  - intros p Hp. destruct (Nat.leb_spec p one); [|lia]. cbn [Model.value]. ring.
Qed.

Lemma score_before X s W r q : holds X s -> (r < N)%nat -> (q < N)%nat ->
  scores alpha A 1 (Head (placed n identity) (placed n (rho L (theta 1))) W) X r q = shifted L 1 1 r q.
Proof.
  intros HX Hr Hq. unfold scores. cbn [WQ WK cols placed sum]. rewrite !(apply_placed X s) by assumption.
  rewrite shifted_is. unfold identity, rho, theta. cbn. set (M := Z.of_nat (T L)).
  replace (PI * -1 / IZR M) with (- (PI * 1 / IZR M))
    by (field; apply not_0_IZR; pose proof (T_pos L); unfold M; lia).
  rewrite cos_neg, sin_neg, cos_plus, sin_plus. ring.
Qed.

Lemma score_here X s W r q : holds X s -> (r < N)%nat -> (q < N)%nat ->
  scores alpha A 1 (Head (placed n identity) (placed n identity) W) X r q = shifted L 1 0 r q.
Proof.
  intros HX Hr Hq. unfold scores. cbn [WQ WK cols placed sum]. rewrite !(apply_placed X s) by assumption.
  rewrite shifted_is. unfold identity. cbn.
  replace (PI * 0 / IZR (Z.of_nat (T L))) with 0 by (unfold Rdiv; ring). rewrite Rplus_0_r. ring.
Qed.

(** A head whose scores are those of a shift by w copies the row w places before. *)
Lemma head_copies X w S r c : (w < N)%nat -> (r < N)%nat ->
  (forall q, (q < N)%nat -> S r q = shifted L 1 w r q) ->
  mmul N (hard N S) X r c = X (source L w r) c.
Proof.
  intros Hw Hr HS. unfold mmul. rewrite (sum_single N _ (source L w r)).
  - rewrite (hard_local N S (shifted L 1 w) r HS) by now apply source_lt.
    rewrite head_attends, Nat.eqb_refl by (auto; now apply source_lt). cbn. ring.
  - now apply source_lt.
  - intros q Hq Hne. rewrite (hard_local N S (shifted L 1 w) r HS) by exact Hq.
    rewrite head_attends by auto. rewrite (proj2 (Nat.eqb_neq _ _) Hne). cbn. ring.
Qed.

Lemma apply_kept_blocks X from to r c : (c < d)%nat ->
  apply X (kept n from to) r c = if ((from <=? c) && (c <? to))%nat then X r c else 0.
Proof.
  intro Hc. unfold Model.apply, mmul, real. cbn [rows entry kept]. rewrite (sum_single d _ c Hc).
  - rewrite value_bit, Nat.eqb_refl. cbn [andb]. destruct ((from <=? c) && (c <? to))%nat; cbn; ring.
  - intros p _ Hne. rewrite value_bit, (proj2 (Nat.eqb_neq _ _) Hne). cbn. ring.
Qed.

Lemma step_attention X s r c : holds X s -> (r < N)%nat -> (c <= one)%nat ->
  attention alpha A 1 (hard N) N (step_layer n L) X r c
  = if (c <? n)%nat then X (source L 1 r) c else X r c.
Proof.
  intros HX Hr Hc. assert (Hd : (c < d)%nat) by (unfold size; lia).
  assert (H1 : (1 < N)%nat) by (pose proof (T_pos L); unfold Model.N; lia).
  unfold attention. cbn [step_layer heads map before_head here_head WV WO].
  unfold Model.apply at 1. cbn [rows added_heads]. unfold mmul at 1. unfold real. cbn [entry added_heads].
  replace (2 * d)%nat with (d + d)%nat by lia. rewrite sum_add.
  rewrite (sum_single d _ c) by (auto; intros p Hp Hne; rewrite value_bit; solve01).
  rewrite (sum_single d (fun p => _ * value (bit ((d + p =? c) || _)%nat)) c)
    by (auto; intros p Hp Hne; rewrite value_bit; solve01).
  rewrite !value_bit, !Nat.eqb_refl, orb_true_r. cbn [orb b2r concat].
  change (cols (kept n 0 n)) with d. change (cols (kept n n (S one))) with d.
  destruct (Nat.ltb_spec c d); [|lia]. destruct (Nat.ltb_spec (d + c) d); [lia|].
  replace (d + c - d)%nat with c by lia. destruct (Nat.ltb_spec c d); [|lia].
  unfold run_head, before_head, here_head. cbn [WV]. rewrite !apply_kept_blocks by exact Hd.
  rewrite (head_copies X 1) by (auto; intros; now apply (score_before X s)).
  rewrite (head_copies X 0) by (auto; try lia; intros; now apply (score_here X s)).
  rewrite source_0. clear - Hc. bool_cases; cbn [andb]; try lia; ring.
Qed.

(** The tensor multiplies a state by a matrix, and copies where it multiplies by one. *)
Lemma tensor_steps (x y : nat -> R) c : (c < n)%nat ->
  sum (S n) (fun a => sum (S n2) (fun b => value (step_tensor n a b c) * x a * y b))
  = sum n (fun i => x i * y (i * n + c)%nat).
Proof.
  intro Hc. set (F := fun a => sum (S n2) (fun b => value (step_tensor n a b c) * x a * y b)).
  change (sum (S n) F) with (sum n F + F n).
  assert (E : F n = 0).
  { apply sum_zero. intros b Hb. unfold step_tensor. rewrite value_bit, Nat.ltb_irrefl, Nat.eqb_refl.
    rewrite (proj2 (Nat.eqb_neq c (n + b))) by lia. cbn. ring. }
  rewrite E, Rplus_0_r. apply sum_ext. intros a Ha. unfold F.
  set (G := fun b => value (step_tensor n a b c) * x a * y b).
  change (sum (S n2) G) with (sum n2 G + G n2). unfold G, step_tensor at 2.
  rewrite (value_bit alpha A 1 (_ || _)), Nat.ltb_irrefl, andb_false_r, (proj2 (Nat.eqb_neq a n)) by lia.
  cbn [andb orb b2r]. rewrite !Rmult_0_l, Rplus_0_r. unfold step_tensor.
  unfold Model.n2 at 1. rewrite sum_mul, (sum_single n _ a Ha).
  - rewrite (sum_single n _ c Hc).
    + rewrite value_bit, divn, modn, !Nat.eqb_refl by exact Hc.
      rewrite (proj2 (Nat.ltb_lt a n) Ha), (proj2 (Nat.ltb_lt (a * n + c) n2)) by (unfold Model.n2; nia).
      cbn. ring.
    + intros j Hj Hne. rewrite value_bit, divn, modn, (proj2 (Nat.eqb_neq c j)) by auto.
      rewrite (proj2 (Nat.eqb_neq a n)), andb_false_r by lia. cbn. ring.
  - intros i Hi Hne. apply sum_zero. intros j Hj. rewrite value_bit, divn, (proj2 (Nat.eqb_neq a i)) by auto.
    rewrite (proj2 (Nat.eqb_neq a n)), andb_false_r by lia. cbn. ring.
Qed.

Lemma tensor_copies (x y : nat -> R) b : (b <= n2)%nat -> x n = 1 ->
  sum (S n) (fun a => sum (S n2) (fun b' => value (step_tensor n a b' (n + b)) * x a * y b')) = y b.
Proof.
  intros Hb Hx. rewrite (sum_single (S n) _ n); [rewrite (sum_single (S n2) _ b)|lia|]; [|lia| |].
  2: { intros b' Hb' Hne. unfold step_tensor. rewrite value_bit, Nat.ltb_irrefl.
       rewrite (proj2 (Nat.eqb_neq (n + b) (n + b'))), andb_false_r by lia. cbn. ring. }
  2: { intros a Ha Hne. apply sum_zero. intros b' Hb'. unfold step_tensor.
       rewrite value_bit, (proj2 (Nat.eqb_neq _ _) Hne).
       pose proof (Nat.mod_upper_bound b' n ltac:(lia)).
       rewrite (proj2 (Nat.eqb_neq (n + b) (b' mod n))), andb_false_r by lia. cbn. ring. }
  unfold step_tensor. rewrite value_bit, Nat.ltb_irrefl, !Nat.eqb_refl, Hx. cbn. ring.
Qed.

Definition step (s : nat -> nat -> R) (r j : nat) : R :=
  sum n (fun i => s (source L 1 r) i * token L A r i j).

Theorem step_multiplies X s : holds X s ->
  holds (run_layer alpha A 1 (hard N) N (Matrix N d (circle_entry n L)) X (step_layer n L)) (step s).
Proof.
  intros HX r c Hr Hc. unfold run_layer. cbn [step_layer Model.feedforward].
  set (Y := attention alpha A 1 (hard N) N (step_layer n L) X).
  assert (HY : forall c, (c <= one)%nat -> Y r c = if (c <? n)%nat then X (source L 1 r) c else X r c)
    by (intros; now apply (step_attention X s)).
  assert (Hs : (source L 1 r < N)%nat).
  { apply source_lt; [|exact Hr]. pose proof (T_pos L). unfold Model.N. lia. }
  assert (Eleft : forall a, (a < n)%nat -> apply Y (select_state n) r a = s (source L 1 r) a).
  { intros a Ha. rewrite (pick Y (select_state n) a).
    2: { cbn [rows select_state]. unfold size, at_one. lia. }
    2: { intro p. cbn [entry select_state]. now rewrite (proj2 (Nat.ltb_lt _ _) Ha). }
    rewrite HY, (proj2 (Nat.ltb_lt _ _) Ha), HX by (auto; unfold size, at_one; lia).
    unfold unrolled_row. now rewrite (proj2 (Nat.ltb_lt _ _) Ha). }
  assert (Eone : apply Y (select_state n) r n = 1).
  { rewrite (pick Y (select_state n) one).
    2: { cbn [rows select_state]. unfold size. lia. }
    2: { intro p. cbn [entry select_state]. now rewrite Nat.ltb_irrefl. }
    assert (G : (one <? n)%nat = false) by (apply Nat.ltb_ge; unfold at_one; lia).
    rewrite HY, G, HX by (auto; unfold size; lia). unfold unrolled_row.
    now rewrite G, Nat.ltb_irrefl, Nat.eqb_refl. }
  assert (Eright : forall b, (b <= n2)%nat ->
    apply Y (select_matrix n) r b = if (b <? n2)%nat then vec n (token L A r) b else 1).
  { intros b Hb. rewrite (pick Y (select_matrix n) (n + b)).
    2: { cbn [rows select_matrix]. unfold size, at_one. lia. }
    2: { reflexivity. }
    rewrite HY, (proj2 (Nat.ltb_ge (n + b) n)), HX by (try exact Hr; unfold size, at_one; lia).
    unfold unrolled_row, at_one. replace (n + b - n)%nat with b by lia. bool_cases; try lia; reflexivity. }
  assert (Ecopy : forall c, (n <= c)%nat -> (c <= one)%nat -> sum (S n) (fun a => sum (S n2) (fun b =>
    value (step_tensor n a b c) * apply Y (select_state n) r a * apply Y (select_matrix n) r b))
    = apply Y (select_matrix n) r (c - n)%nat).
  { intros k Hl Hk. rewrite <- (tensor_copies (apply Y (select_state n) r) (apply Y (select_matrix n) r) (k - n)%nat)
      by (auto; unfold at_one in Hk; lia).
    now replace (n + (k - n))%nat with k by lia. }
  unfold run_bilinear. cbn [WselL WselR Wout].
  assert (Eout : forall Z, apply Z (step_out n) r c = if (c <=? one)%nat then Z r c else 0).
  { intro Z. destruct (Nat.leb_spec c one) as [Hle|Hgt].
    - apply pick; [cbn [rows step_out]; lia|reflexivity].
    - unfold Model.apply, mmul, real. cbn [rows entry step_out]. apply sum_zero. intros p Hp.
      rewrite value_bit. solve01. }
  rewrite Eout. unfold contract. cbn [WselL WselR tensor cols select_state select_matrix real entry].
  unfold real. cbn [entry]. unfold unrolled_row.
  assert (n <= one)%nat by (unfold at_one; lia).
  destruct (Nat.ltb_spec c n) as [Hn|Hn]; [|destruct (Nat.ltb_spec c one) as [Ho|Ho]].
  - destruct (Nat.leb_spec c one); [|lia]. rewrite tensor_steps by exact Hn. unfold circle_entry.
    bool_cases; try lia. cbn [Model.value]. rewrite Rplus_0_r. unfold step. apply sum_ext. intros i Hi.
    assert (Hb : (i * n + c < n2)%nat) by (unfold Model.n2; nia).
    rewrite Eleft, Eright, (proj2 (Nat.ltb_lt _ _) Hb) by lia. unfold vec. now rewrite divn, modn.
  - destruct (Nat.leb_spec c one); [|lia].
    rewrite (Ecopy c) by lia. unfold at_one in *.
    rewrite Eright, (proj2 (Nat.ltb_lt (c - n) n2)) by lia. unfold circle_entry, at_one.
    bool_cases; try lia. cbn [Model.value]. ring.
  - destruct (Nat.eqb_spec c one) as [->|Hne].
    + rewrite Nat.leb_refl, (Ecopy one) by lia. rewrite Eright by (unfold at_one; lia).
      rewrite (proj2 (Nat.ltb_ge (one - n) n2)) by (unfold at_one; lia). unfold circle_entry.
      bool_cases; try lia. cbn [Model.value]. ring.
    + destruct (Nat.leb_spec c one); [lia|]. ring.
Qed.
End Step.

(** ** All layers: alpha times the matrices of as many tokens as there are layers *)

Section Model.
Context (n L : nat) (alpha : nat -> R) (A : nat -> mat).
Local Notation N := (N L).
Local Notation X0 := (real alpha A 1 (unrolled_embedding n L)).
Local Notation P := (Matrix N (size n) (circle_entry n L)).

Fixpoint stepped (l : nat) : nat -> nat -> R :=
  match l with O => fun _ => alpha | S l' => step n L A (stepped l') end.

Lemma tokens_hold : holds n L alpha A X0 (stepped 0).
Proof.
  intros r c Hr Hc. unfold real, unrolled_row. cbn [entry unrolled_embedding stepped].
  destruct (c <? n)%nat; [reflexivity|]. destruct (c <? at_one n)%nat.
  - unfold token_entry, vec, token. destruct (pos L r <=? 0)%Z; [apply value_bit|reflexivity].
  - destruct (c =? at_one n)%nat; reflexivity.
Qed.

Lemma layers_hold l :
  holds n L alpha A (run_layers alpha A 1 (hard N) N P (repeat (step_layer n L) l) X0) (stepped l).
Proof.
  induction l as [|l IH]; [exact tokens_hold|]. cbn [stepped]. unfold run_layers in *.
  replace (repeat (step_layer n L) (S l)) with (repeat (step_layer n L) l ++ [step_layer n L])
    by (symmetry; apply repeat_cons). rewrite fold_left_app. cbn [fold_left]. now apply step_multiplies.
Qed.

Lemma stepped_window l r j : (l <= S r)%nat -> (r < N)%nat -> (j < n)%nat ->
  stepped l r j = sum n (fun i => alpha i * window n L A l r i j).
Proof.
  revert r j. induction l as [|l IH]; intros r j Hl Hr Hj; cbn [stepped window].
  - rewrite (sum_single n _ j Hj); unfold I; [rewrite Nat.eqb_refl; cbn; ring|].
    intros i Hi Hne. rewrite (proj2 (Nat.eqb_neq _ _) Hne). cbn. ring.
  - assert (E : forall i, (i < n)%nat ->
      stepped l (source L 1 r) i = sum n (fun k => alpha k * window n L A l (r - 1) k i)).
    { intros i Hi. unfold source. destruct (Nat.leb_spec 1 r) as [H1|H1]; [apply IH; lia|].
      assert (l = 0)%nat as -> by lia. cbn [stepped window].
      rewrite (sum_single n _ i Hi); unfold I; [rewrite Nat.eqb_refl; cbn; ring|].
      intros k Hk Hne. rewrite (proj2 (Nat.eqb_neq _ _) Hne). cbn. ring. }
    unfold step. transitivity (sum n (fun i => sum n (fun k =>
      alpha k * (window n L A l (r - 1) k i * token L A r i j)))).
    + apply sum_ext. intros i Hi. rewrite E by exact Hi. rewrite sum_scal_r. apply sum_ext. intros; ring.
    + rewrite sum_swap. apply sum_ext. intros k Hk. unfold mmul. now rewrite <- sum_scal_l.
Qed.

(** After k layers, t <= k <= 2^L, position t holds the state after t letters. *)
Theorem unrolled_states k t j : (t <= k)%nat -> (k <= 2 ^ L)%nat -> (j < n)%nat ->
  forward alpha A 1 (hard N) N (unrolled n L k) X0 (t + 2 ^ L - 1)%nat j = state n alpha A t j.
Proof.
  intros Ht Hk Hj. fold (T L) in *. pose proof (T_pos L).
  assert (Hr : (t + T L - 1 < N)%nat) by (unfold Model.N; lia).
  unfold forward. cbn [unrolled Wreadout layers encoding].
  rewrite (pick alpha A _ (read_state n) j); [|cbn [rows read_state]; unfold size, at_one; lia|reflexivity].
  rewrite (layers_hold k) by (try exact Hr; unfold size, at_one; lia).
  unfold unrolled_row. rewrite (proj2 (Nat.ltb_lt _ _) Hj), stepped_window by lia.
  rewrite <- (window_state n L A alpha t j) by lia. apply sum_ext. intros i Hi. f_equal.
  destruct (Nat.eq_dec t 0) as [->|Hne].
  - rewrite window_pads by (auto; lia). reflexivity.
  - replace k with ((k - t) + t)%nat by lia. rewrite (window_add n L A (k - t) t) by (auto; lia).
    assert (G : meq n (mmul n (window n L A (k - t) (t + T L - 1 - t)) (window n L A t (t + T L - 1)))
                  (window n L A t (t + T L - 1))).
    { rewrite (window_pads n L A (k - t) (t + T L - 1 - t)) by lia. apply mul1m. }
    now apply G.
Qed.
End Model.

(** ** The network simulates the automaton at length T with T layers *)

Lemma unrolled_wordless n L steps : free_model_of (unrolled n L steps).
Proof.
  assert (Bit : forall b, wordless (bit b)) by (intros []; exact Logic.I).
  assert (Placed : forall B, (forall q p, wordless (B q p)) -> free (placed n B)).
  { intros B HB p q. cbn [placed entry]. destruct (p <=? at_one n)%nat; [exact Logic.I|apply HB]. }
  assert (Id : free (placed n identity)) by (apply Placed; intros; apply Bit).
  split; [|split].
  - intros r c. cbn. unfold circle_entry.
    repeat match goal with |- context [if ?b then _ else _] => destruct b end; exact Logic.I.
  - intros p j. apply Bit.
  - intros ly Hly. apply repeat_spec in Hly as ->. split; [intros p q; apply Bit|]. split.
    + repeat split; intros p q; try intro c; apply Bit.
    + repeat constructor; try exact Id; try (intros p q; apply Bit). apply Placed.
      intros q p. unfold rho. destruct q as [|[|q]], p as [|[|p]]; exact Logic.I.
Qed.

Section Network.
Context {Sigma : Type} (n L : nat) (alpha : nat -> R) (A : Sigma -> mat).

(** A token depends on one letter and its position; there is no letter outside of the word. *)
Definition unrolled_token (o : option Sigma) (r c : nat) : R :=
  if (c <? n)%nat then alpha c else
  if (c <? at_one n)%nat then vec n (padded A o) (c - n)%nat else
  if (c =? at_one n)%nat then 1 else number_of (fun _ => 0) 0 (circle_entry n L r c).

Lemma circle_number r c (a : nat -> R) C : number_of a C (circle_entry n L r c)
  = number_of (fun _ => 0) 0 (circle_entry n L r c).
Proof. unfold circle_entry. destruct (c =? _)%nat; [reflexivity|]. destruct (c =? _)%nat; reflexivity. Qed.

Lemma unrolled_tokens w :
  real alpha (fun t => padded A (letter w (Z.of_nat t))) 1 (unrolled_embedding n L)
  = fun r => unrolled_token (letter w (pos L r)) r.
Proof.
  apply functional_extensionality. intro r. apply functional_extensionality. intro c.
  unfold real, unrolled_token. cbn [unrolled_embedding entry].
  destruct (c <? n)%nat; [reflexivity|]. destruct (c <? at_one n)%nat.
  - unfold token_entry, vec, letter. destruct (Z.leb_spec (pos L r) 0) as [H|H].
    + cbn [padded]. unfold identity. apply value_bit.
    + cbn [value]. destruct (Z.leb_spec (Z.of_nat (Z.to_nat (pos L r))) 0); [lia|]. now rewrite Z2Nat.id by lia.
  - destruct (c =? at_one n)%nat; [reflexivity|].
    rewrite <- (circle_number r c alpha 1). apply wordless_value. unfold circle_entry.
    destruct (c =? _)%nat; [exact Logic.I|]. destruct (c =? _)%nat; exact Logic.I.
Qed.

(** The columns that are supplied again: the positions. *)
Definition circle_columns (c : nat) : bool := (at_one n <? c)%nat.

Definition unrolled_model (steps : nat) : Pass.model :=
  Pass.model_of TreeModel.Hard (fun y => y) circle_columns (network_of alpha 1 (unrolled n L steps)).

Lemma unrolled_pass steps w :
  forward alpha (fun t => padded A (letter w (Z.of_nat t))) 1 (hard (N L)) (N L) (unrolled n L steps)
    (real alpha (fun t => padded A (letter w (Z.of_nat t))) 1 (unrolled_embedding n L))
  = Pass.forward (N L) (unrolled_model steps) (fun r => unrolled_token (letter w (pos L r)) r).
Proof.
  rewrite unrolled_tokens.
  rewrite (forward_is_network alpha 1 _ (hard (N L)) (N L) (fun y => y) _ _ (unrolled_wordless n L steps)).
  apply Pass.network_pass; [intro; apply Pass.hard_everywhere| | |].
  - intros ly Y r c Hly Hc. unfold circle_columns in Hc. apply Nat.ltb_lt in Hc.
    cbn [network_of real_layers unrolled layers] in Hly. apply in_map_iff in Hly as (l & <- & Hl).
    apply repeat_spec in Hl as ->. cbn [block_of bilinear_of run_block step_layer feedforward Wout].
    unfold times, mmul. cbn [dense_of height number_at step_out rows entry]. apply sum_zero. intros p Hp.
    rewrite (proj2 (Nat.eqb_neq p c)) by lia. cbn. ring.
  - intros r c Hc. unfold circle_columns in Hc. apply Nat.ltb_lt in Hc. unfold unrolled_token.
    cbn [network_of again unrolled encoding dense_of number_at entry].
    assert (n <= at_one n)%nat by (unfold at_one; lia).
    destruct (Nat.ltb_spec c n); [lia|]. destruct (Nat.ltb_spec c (at_one n)); [lia|].
    destruct (Nat.eqb_spec c (at_one n)); [lia|]. symmetry. apply circle_number.
  - intros r c Hc. unfold circle_columns in Hc. apply Nat.ltb_ge in Hc.
    cbn [network_of again unrolled encoding dense_of number_at entry]. unfold circle_entry.
    destruct (Nat.eqb_spec c (at_one n + 1)); [lia|]. destruct (Nat.eqb_spec c (at_one n + 2)); [lia|].
    reflexivity.
Qed.
End Network.

Lemma unrolled_fits n L steps alpha :
  let s := Fits.Sizes steps (n ^ 2 + n + 3) 2 (n ^ 2 + n + 3) (n ^ 2 + n + 3) (n ^ 2 + n + 2) n in
  Fits.fits s Fits.Bilinears (unrolled_model n L alpha steps) /\
  Fits.consists TreeModel.Hard TreeModel.Everywhere false (unrolled_model n L alpha steps).
Proof.
  assert (E : (n ^ 2 + n + 3 = size n)%nat) by (unfold size, at_one, n2; simpl; lia).
  intro s. unfold s. rewrite E.
  apply (FitsWords.network_fits _ Fits.Bilinears); [|apply Forall_forall; intros ly Hly|reflexivity|reflexivity].
  - cbn [network_of real_layers unrolled layers Fits.depth]. now rewrite map_length, repeat_length.
  - cbn [network_of real_layers unrolled layers] in Hly. apply in_map_iff in Hly as (l & <- & Hl).
    apply repeat_spec in Hl as ->. split; [cbn; lia|]. split.
    + repeat constructor; cbn; unfold size; lia.
    + split; [cbn; lia|]. split; [cbn; lia|]. cbn. unfold at_one, n2. repeat split; simpl; auto; lia.
Qed.

(** Section 3.1: T layers, one for each step; all layers are the same. Rows are for the places
    - 2^L + 1 .. 2^L, L = ceil(log2 T), as in the proof of Theorem 1. *)
Theorem unrolled_simulates {Sigma : Type} n T alpha (A : Sigma -> mat) : (1 <= T)%nat ->
  let L := Nat.log2_up T in
  exists m token,
    Fits.fits (Fits.Sizes T (n ^ 2 + n + 3) 2 (n ^ 2 + n + 3) (n ^ 2 + n + 3) (n ^ 2 + n + 2) n)
      Fits.Bilinears m /\
    Fits.consists TreeModel.Hard TreeModel.Everywhere false m /\
    (exists ly, Pass.layers m = repeat ly T) /\
    simulates n T alpha A (fun w t =>
      Pass.forward (2 * 2 ^ L) m
        (fun r => token (letter w (Z.of_nat r - Z.of_nat (2 ^ L) + 1)) r) (t + 2 ^ L - 1)%nat).
Proof.
  intros HT L. destruct (unrolled_fits n L T alpha) as [F K].
  exists (unrolled_model n L alpha T), (unrolled_token n L alpha A).
  split; [exact F|]. split; [exact K|]. split.
  - eexists. unfold unrolled_model. cbn [Pass.model_of Pass.layers network_of real_layers unrolled layers].
    rewrite map_map. apply map_repeated.
  - intros w Hw t j Ht Hj. change (2 * 2 ^ L)%nat with (N L).
    change (fun r => unrolled_token n L alpha A (letter w (Z.of_nat r - Z.of_nat (2 ^ L) + 1)) r)
      with (fun r => unrolled_token n L alpha A (letter w (pos L r)) r).
    rewrite <- unrolled_pass, unrolled_states; [reflexivity|exact Ht| |exact Hj].
    apply (depth_any_length T HT).
Qed.
