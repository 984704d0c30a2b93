(** * What one layer of the construction does, for any attention filter

    Appendix B.1. Whatever the filter (hard attention, or the softmax of Theorem 2), the scores of
    the two heads are cos(pi (r - s - 2^(l-1)) / T) and cos(pi (r - s) / T), and a layer multiplies
    the two weighted means of the carried matrices. Nothing is assumed of n and L.

    Main definitions: [carries] (row r holds vec M twice and its position), [factors] (what is
                      carried after l layers).
    Main theorems:    [score_left], [score_right], [tensor_multiplies] (Lemma 1 on the reals),
                      [layer_multiplies], [model_carries], [output_reads]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Gap Model.
Import ListNotations.
Open Scope R_scope.

Lemma T_pos L : (1 <= T L)%nat.
Proof. unfold T. pose proof (Nat.pow_nonzero 2 L). lia. Qed.

(** ** Matrices of zeros and ones *)

Section Matrices.
Context (n : nat) (alpha : nat -> R) (A : nat -> mat) (C : R).
Local Notation n2 := (n2 n).
Local Notation d := (d n).
Local Notation value := (value alpha A C).
Local Notation apply := (apply alpha A C).

Definition vec (M : mat) (v : nat) : R := M (v / n)%nat (v mod n)%nat.

Lemma value_bit b : value (bit b) = b2r b.
Proof. destruct b; reflexivity. Qed.

Lemma divn i j : (j < n)%nat -> ((i * n + j) / n = i)%nat.
Proof. intro. rewrite div_add_l, Nat.div_small; lia. Qed.

Lemma modn i j : (j < n)%nat -> ((i * n + j) mod n = j)%nat.
Proof. intro. rewrite Nat.add_comm, mod_add, Nat.mod_small; lia. Qed.

Lemma apply_picked X W k r q : rows W = d -> (k < d)%nat ->
  (forall p, entry W p q = bit (p =? k)%nat) -> apply X W r q = X r k.
Proof.
  intros HW Hk E. unfold Model.apply, mmul, real. rewrite HW, (sum_single d _ k Hk).
  - rewrite E, value_bit, Nat.eqb_refl. simpl. ring.
  - intros p Hp Hne. rewrite E, value_bit. solve01.
Qed.

Lemma apply_kept X from width r c : (c < d)%nat ->
  apply X (Matrix d d (fun p q => bit ((p =? q) && ((from <=? p) && (p <? from + width)))%nat)) r c
  = if ((from <=? c) && (c <? from + width))%nat then X r c else 0.
Proof.
  intro Hc. unfold Model.apply, mmul, real. cbn [rows entry]. rewrite (sum_single d _ c); auto.
  - rewrite value_bit, Nat.eqb_refl. cbn [andb].
    destruct ((from <=? c) && (c <? from + width))%nat; simpl; ring.
  - intros p Hp Hne. rewrite value_bit. destruct (Nat.eqb_spec p c); [lia|]. simpl. ring.
Qed.

(** Queries and keys look at the last two coordinates. *)
Lemma apply_last X scale kappa B r q : (forall w, value (scale w) = kappa * value w) ->
  apply X (below n scale B) r q
  = kappa * (X r (2 * n2)%nat * value (B q 0%nat) + X r (2 * n2 + 1)%nat * value (B q 1%nat)).
Proof.
  intro Hs. unfold Model.apply, mmul. cbn [rows below]. unfold Model.d. rewrite sum_add, sum_zero.
  - cbn [sum]. unfold real. cbn [entry below]. rewrite Nat.add_0_r.
    destruct (Nat.ltb_spec (2 * n2) (2 * n2)); [lia|].
    destruct (Nat.ltb_spec (2 * n2 + 1) (2 * n2)); [lia|].
    replace (2 * n2 - 2 * n2)%nat with 0%nat by lia.
    replace (2 * n2 + 1 - 2 * n2)%nat with 1%nat by lia. rewrite !Hs. ring.
  - intros p Hp. unfold real. cbn [entry below].
    destruct (Nat.ltb_spec p (2 * n2)); [|lia]. cbn [Model.value]. ring.
Qed.

(** The readout: alpha^T times the matrix carried on the right. *)
Lemma readout_reads X F r j : (j < n)%nat ->
  (forall v, (v < n2)%nat -> X r (n2 + v)%nat = vec F v) ->
  apply X (W_readout n) r j = sum n (fun i => alpha i * F i j).
Proof.
  intros Hj HX. unfold Model.apply, mmul, real. cbn [rows entry W_readout].
  replace d with (n2 + (n2 + 2))%nat by (unfold Model.d; lia).
  rewrite sum_add, sum_zero, sum_add.
  2: { intros p Hp. bool_cases; try lia; simpl; ring. }
  rewrite (sum_zero 2).
  2: { intros p Hp. bool_cases; try lia; simpl; ring. }
  rewrite Rplus_0_l, Rplus_0_r. unfold Model.n2 at 1. rewrite sum_mul.
  apply sum_ext. intros i Hi. rewrite (sum_single n _ j Hj).
  - assert (Hb : (i * n + j < n2)%nat) by (unfold Model.n2; nia). rewrite HX by exact Hb.
    replace (n2 + (i * n + j) - n2)%nat with (i * n + j)%nat by lia.
    unfold vec. rewrite modn, divn, Nat.eqb_refl by auto.
    bool_cases; try lia. cbn [andb Model.value]. ring.
  - intros p Hp Hne. replace (n2 + (i * n + p) - n2)%nat with (i * n + p)%nat by lia.
    rewrite modn by auto. bool_cases; cbn [andb Model.value]; try lia; ring.
Qed.
End Matrices.

Section Attention.
Context (n L : nat) (alpha : nat -> R) (A : nat -> mat) (C : R) (scale : weight -> weight).
Variable kappa : R.                 (* what [scale] multiplies by: 1, or the square root of C *)
Variable filter : mat -> mat.

Local Notation T := (T L).
Local Notation N := (N L).
Local Notation n2 := (n2 n).
Local Notation d := (d n).
Local Notation pos := (pos L).
Local Notation value := (value alpha A C).
Local Notation apply := (apply alpha A C).
Local Notation scores := (scores alpha A C).
Local Notation mulm := (mmul n).
Local Notation vec := (vec n).

Hypothesis scale_value : forall w, value (scale w) = kappa * value w.
(** A row of the filter looks at the same row of the scores, and there at the 2T keys only. *)
Hypothesis filter_row : forall S S' r,
  (forall s, (s < N)%nat -> S r s = S' r s) ->
  forall s, (s < N)%nat -> filter S r s = filter S' r s.

Definition row (M : mat) (r c : nat) : R :=
  if (c <? n2)%nat then vec M c else
  if (c <? 2 * n2)%nat then vec M (c - n2)%nat else value (position_entry n L r c).

Definition carries (X : mat) (M : nat -> mat) : Prop :=
  forall r c, (r < N)%nat -> (c < d)%nat -> X r c = row (M r) r c.

Definition width (l : nat) : nat := 2 ^ (l - 1).
Definition shifted (w : nat) : mat :=
  fun r s => kappa * kappa * score (Z.of_nat T) (Z.of_nat r - Z.of_nat s - Z.of_nat w).

Definition token (r : nat) : mat := if (pos r <=? 0)%Z then I else A (Z.to_nat (pos r)).

(** The matrices carried after l layers: products of weighted means. *)
Fixpoint factors (l : nat) (r : nat) : mat :=
  match l with
  | O => token r
  | S l' => mulm (mix N (filter (shifted (width (S l'))) r) (factors l'))
                 (mix N (filter (shifted 0) r) (factors l'))
  end.

(** ** The scores *)

Lemma carries_position X M r : carries X M -> (r < N)%nat ->
  X r (2 * n2)%nat = cos (PI * IZR (pos r) / IZR (Z.of_nat T)) /\
  X r (2 * n2 + 1)%nat = sin (PI * IZR (pos r) / IZR (Z.of_nat T)).
Proof.
  intros H Hr. rewrite !H by (auto; unfold Model.d; lia). unfold row, position_entry.
  split; bool_cases; try lia; auto.
Qed.

Lemma carries_right X M r v : carries X M -> (r < N)%nat -> (v < n2)%nat ->
  X r (n2 + v)%nat = vec (M r) v.
Proof.
  intros H Hr Hv. rewrite H by (auto; unfold Model.d; lia). unfold row. bool_cases; try lia.
  f_equal. lia.
Qed.

Lemma apply_below X M B r q : carries X M -> (r < N)%nat ->
  apply X (below n scale B) r q
  = kappa * (cos (PI * IZR (pos r) / IZR (Z.of_nat T)) * value (B q 0%nat)
             + sin (PI * IZR (pos r) / IZR (Z.of_nat T)) * value (B q 1%nat)).
Proof.
  intros HX Hr. rewrite (apply_last n alpha A C X scale kappa) by exact scale_value.
  now destruct (carries_position X M r HX Hr) as [-> ->].
Qed.

(** A shifted score is a product of positions, one of them turned. *)
Lemma shifted_is w r s : let a := PI * IZR (pos r) / IZR (Z.of_nat T) in
  let b := PI * IZR (pos s) / IZR (Z.of_nat T) + PI * IZR (Z.of_nat w) / IZR (Z.of_nat T) in
  shifted w r s = kappa * kappa * (cos a * cos b + sin a * sin b).
Proof.
  intros a b. assert (HT : IZR (Z.of_nat T) <> 0) by (apply not_0_IZR; pose proof (T_pos L); lia).
  unfold shifted, score. replace (PI * _ / _) with (a - b); [now rewrite cos_minus|].
  unfold a, b, Model.pos. rewrite !plus_IZR, !minus_IZR. field. exact HT.
Qed.

Theorem score_left X M l WV r s : carries X M -> (r < N)%nat -> (s < N)%nat ->
  scores (Head (W_Q n scale) (W_K_left n L scale l) WV) X r s = shifted (width l) r s.
Proof.
  intros HX Hr Hs. unfold Model.scores, W_Q, W_K_left. cbn [cols below WQ WK sum].
  rewrite !(apply_below X M), shifted_is by auto. unfold identity, rho, theta. cbn.
  replace (PI * IZR (- 2 ^ Z.of_nat (l - 1)) / IZR (Z.of_nat T))
    with (- (PI * IZR (Z.of_nat (width l)) / IZR (Z.of_nat T))).
  - rewrite cos_neg, sin_neg, cos_plus, sin_plus. ring.
  - unfold width. rewrite Nat2Z.inj_pow, opp_IZR. change (Z.of_nat 2) with 2%Z. field.
    apply not_0_IZR. pose proof (T_pos L). lia.
Qed.

Theorem score_right X M WV r s : carries X M -> (r < N)%nat -> (s < N)%nat ->
  scores (Head (W_Q n scale) (W_K_right n scale) WV) X r s = shifted 0 r s.
Proof.
  intros HX Hr Hs. unfold Model.scores, W_Q, W_K_right. cbn [cols below WQ WK sum].
  rewrite !(apply_below X M), shifted_is by auto. unfold identity. cbn.
  replace (PI * 0 / IZR (Z.of_nat T)) with 0 by (unfold Rdiv; ring). rewrite Rplus_0_r. ring.
Qed.

(** ** The attention block: two weighted means *)

Lemma mmul_rows k W W' X r c : (forall s, (s < k)%nat -> W r s = W' r s) ->
  mmul k W X r c = mmul k W' X r c.
Proof. intro H. apply sum_ext. intros s Hs. now rewrite H. Qed.

Lemma apply_keep X from r c : (c < d)%nat ->
  apply X (keep n from) r c = if ((from <=? c) && (c <? from + n2))%nat then X r c else 0.
Proof. apply apply_kept. Qed.

Lemma attention_means l X M r c : carries X M -> (r < N)%nat -> (c < d)%nat ->
  attention alpha A C filter N (layer_at n L scale l) X r c
  = if (c <? n2)%nat then mmul N (filter (shifted (width l))) X r c
    else if (c <? 2 * n2)%nat then mmul N (filter (shifted 0)) X r c else 0.
Proof.
  intros HX Hr Hc. unfold attention. cbn [layer_at heads map WV WO].
  unfold Model.apply at 1. cbn [rows W_O]. unfold mmul at 1. unfold real. cbn [entry W_O].
  replace (2 * d)%nat with (d + d)%nat by lia. rewrite sum_add.
  rewrite (sum_single d _ c) by (auto; intros p Hp Hne; rewrite value_bit; solve01).
  rewrite (sum_single d (fun p => _ * value (bit ((d + p =? c) || _)%nat)) c)
    by (auto; intros p Hp Hne; rewrite value_bit; solve01).
  rewrite !value_bit, !Nat.eqb_refl, orb_true_r. cbn [orb b2r concat].
  change (cols (W_V_left n)) with d. change (cols (W_V_right n)) with d.
  destruct (Nat.ltb_spec c d); [|lia]. destruct (Nat.ltb_spec (d + c) d); [lia|].
  replace (d + c - d)%nat with c by lia. destruct (Nat.ltb_spec c d); [|lia].
  unfold run_head. cbn [WV]. unfold W_V_left, W_V_right. rewrite !apply_keep by auto.
  assert (EL : mmul N (filter (scores (Head (W_Q n scale) (W_K_left n L scale l) (keep n 0)) X))
                 X r c = mmul N (filter (shifted (width l))) X r c).
  { apply mmul_rows, filter_row. intros. now apply (score_left X M). }
  assert (ER : mmul N (filter (scores (Head (W_Q n scale) (W_K_right n scale) (keep n n2)) X))
                 X r c = mmul N (filter (shifted 0)) X r c).
  { apply mmul_rows, filter_row. intros. now apply (score_right X M). }
  rewrite EL, ER. clear. bool_cases; cbn [andb]; try lia; ring.
Qed.

(** ** Lemma 1: the tensor multiplies, for all n *)

Theorem tensor_multiplies (X Y : mat) c : (c < n2)%nat ->
  sum n2 (fun a => sum n2 (fun b => value (product_tensor n a b c) * vec X a * vec Y b))
  = vec (mulm X Y) c.
Proof.
  intro Hc. unfold product_tensor.
  assert (Hn : (0 < n)%nat) by (unfold Model.n2 in Hc; destruct n; lia).
  assert (Hi : (c / n < n)%nat) by (apply Nat.div_lt_upper_bound; unfold Model.n2 in Hc; lia).
  assert (Hj : (c mod n < n)%nat) by (apply Nat.mod_upper_bound; lia).
  unfold Model.n2 at 1. rewrite sum_mul, (sum_single n _ (c / n)%nat); auto.
  - unfold Attention.vec at 3. unfold mmul. apply sum_ext. intros k Hk.
    unfold Model.n2. rewrite sum_mul, (sum_single n _ k); auto.
    + rewrite (sum_single n _ (c mod n)%nat); auto.
      * unfold Attention.vec. rewrite value_bit, !divn, !modn, !Nat.eqb_refl by auto. simpl. ring.
      * intros p Hp Hne. rewrite value_bit, !divn, !modn by auto. solve01.
    + intros p Hp Hne. apply sum_zero. intros q Hq.
      rewrite value_bit, !divn, !modn by auto. solve01.
  - intros p Hp Hne. apply sum_zero. intros k Hk. apply sum_zero. intros b Hb.
    rewrite value_bit, !divn by auto. solve01.
Qed.

(** ** One layer *)

Lemma mean_left W X M r q : carries X M -> (q < n2)%nat ->
  mmul N W X r q = vec (mix N (W r) M) q.
Proof.
  intros HX Hq. unfold Attention.vec, mix, mmul. apply sum_ext. intros s Hs.
  rewrite HX by (auto; unfold Model.d; lia). unfold row, Attention.vec. bool_cases; try lia. ring.
Qed.

Lemma mean_right W X M r q : carries X M -> (q < n2)%nat ->
  mmul N W X r (n2 + q)%nat = vec (mix N (W r) M) q.
Proof.
  intros HX Hq. unfold Attention.vec, mix, mmul. apply sum_ext. intros s Hs.
  now rewrite (carries_right X M) by auto.
Qed.

Lemma select_left Y r q : (q < n2)%nat -> apply Y (W_sel_left n) r q = Y r q.
Proof. intro Hq. apply (apply_picked n); [reflexivity|unfold Model.d; lia|reflexivity]. Qed.

Lemma select_right Y r q : (q < n2)%nat -> apply Y (W_sel_right n) r q = Y r (n2 + q)%nat.
Proof. intro Hq. apply (apply_picked n); [reflexivity|unfold Model.d; lia|reflexivity]. Qed.

Lemma copy_out Z r c : (c < d)%nat ->
  apply Z (W_out n) r c =
  if (c <? n2)%nat then Z r c else if (c <? 2 * n2)%nat then Z r (c - n2)%nat else 0.
Proof.
  intro Hc. unfold Model.apply, mmul, real. cbn [rows entry W_out].
  destruct (Nat.ltb_spec c n2); [|destruct (Nat.ltb_spec c (2 * n2))].
  - rewrite (sum_single n2 _ c); auto; [|intros p Hp Hne]; rewrite value_bit; solve01.
  - rewrite (sum_single n2 _ (c - n2)%nat); [|lia|intros p Hp Hne]; rewrite value_bit; solve01.
  - apply sum_zero. intros p Hp. rewrite value_bit. solve01.
Qed.

Definition step (l : nat) (M : nat -> mat) (r : nat) : mat :=
  mulm (mix N (filter (shifted (width l)) r) M) (mix N (filter (shifted 0) r) M).

Theorem layer_multiplies l X M : carries X M ->
  carries (run_layer alpha A C filter N (Matrix N d (position_entry n L)) X (layer_at n L scale l))
          (step l M).
Proof.
  intros HX r c Hr Hc. unfold run_layer. cbn [layer_at Model.feedforward].
  set (Y := attention alpha A C filter N (layer_at n L scale l) X).
  assert (EZ : forall q, (q < n2)%nat ->
    contract alpha A C (Bilinear (W_sel_left n) (W_sel_right n) (product_tensor n) (W_out n))
      (apply Y (W_sel_left n)) (apply Y (W_sel_right n)) r q = vec (step l M r) q).
  { intros q Hq. unfold contract. cbn [WselL WselR tensor cols W_sel_left W_sel_right].
    unfold step. rewrite <- tensor_multiplies by auto.
    apply sum_ext. intros a Ha. apply sum_ext. intros b Hb.
    rewrite select_left, select_right by auto. unfold Y.
    rewrite !(attention_means l X M) by (auto; unfold Model.d; lia).
    destruct (Nat.ltb_spec a n2); [|lia]. destruct (Nat.ltb_spec (n2 + b) n2); [lia|].
    destruct (Nat.ltb_spec (n2 + b) (2 * n2)); [|lia].
    rewrite (mean_left _ X M), (mean_right _ X M) by auto. reflexivity. }
  unfold run_bilinear. cbn [WselL WselR Model.Wout]. rewrite copy_out by auto.
  unfold row. unfold real. cbn [entry].
  destruct (Nat.ltb_spec c n2); [|destruct (Nat.ltb_spec c (2 * n2))].
  - rewrite EZ by auto. unfold position_entry. bool_cases; try lia. cbn [Model.value]. ring.
  - rewrite EZ by lia. unfold position_entry. bool_cases; try lia. cbn [Model.value]. ring.
  - ring.
Qed.

Lemma embedding_carries : carries (real alpha A C (embedding n L)) token.
Proof.
  intros r c Hr Hc. unfold real, row, embedding, token_entry, token, Attention.vec, I, identity.
  cbn [entry]. bool_cases; try reflexivity; destruct (pos r <=? 0)%Z; rewrite ?value_bit;
    try reflexivity; solve01.
Qed.

Theorem model_carries l : (l <= L)%nat ->
  carries (run_layers alpha A C filter N (Matrix N d (position_entry n L))
             (map (layer_at n L scale) (seq 1 l)) (real alpha A C (embedding n L)))
          (factors l).
Proof.
  induction l as [|l IH]; intro Hl; [apply embedding_carries|].
  rewrite seq_S, map_app. unfold run_layers. rewrite fold_left_app. cbn [map fold_left].
  apply layer_multiplies. apply IH. lia.
Qed.

(** ** The readout: alpha^T times the matrix carried on the right *)

Theorem output_reads r j : (r < N)%nat -> (j < n)%nat ->
  forward alpha A C filter N (construction n L scale) (real alpha A C (embedding n L)) r j
  = sum n (fun i => alpha i * factors L r i j).
Proof.
  intros Hr Hj. unfold forward, construction. cbn [encoding layers Wreadout].
  apply (readout_reads n); [exact Hj|]. intros v Hv.
  eapply carries_right; [now apply model_carries|exact Hr|exact Hv].
Qed.
End Attention.
