(** * The error budget with the same bounds for all coordinates

    Section 4.2 and Appendix C. If all that tokens hold is at most K and errors are at most rho, then
    the recursion of TreeBudget.v gives at most (2 K + 1) Z (rho + a + eta) after a layer, where Z is the
    sum of the sizes of the weights of the block, a = 2 K T exp(-C/2) and eta the error of a product,
    as long as scores move by at most 1/4. So errors are at most L G^L (a + eta) after L layers,
    G = (2 K + 1) Z.

    Main definitions: none.
    Main theorems:    [next_le], [errors_grow], [reads_near]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Softmax Trees TreeModel TreeContinuity FreeModel TreeBudget TreeRates.
From Assay Require SoftStep.
Import ListNotations.
Open Scope R_scope.

(** ** One layer, with the same bounds for all coordinates *)

Lemma along_le f v x : (forall c, v c <= x) -> along f v <= x * wsize f.
Proof.
  intro H. unfold along, wsize. rewrite (Rmult_comm x), lsum_scal. apply lsum_le. intros [c z].
  cbn [fst snd]. apply Rmult_le_compat_l; [apply Rabs_pos|apply H].
Qed.

Lemma along_pos f v : (forall c, 0 <= v c) -> 0 <= along f v.
Proof. intro H. apply lsum_nonneg. intro p. apply Rmult_le_pos; [apply Rabs_pos|apply H]. Qed.

Section Uniform.
Context (tensor : nat -> nat -> nat -> R) (T : nat) (C K rho : R) (V e : nat -> R).
Hypothesis sizes : forall c, 0 <= V c <= K.
Hypothesis errors : forall c, 0 <= e c <= rho.
Hypothesis rho_1 : rho <= 1.
Hypothesis C_pos : 0 <= C.

Lemma K_0 : 0 <= K.
Proof. pose proof (sizes 0%nat). lra. Qed.
Lemma rho_0 : 0 <= rho.
Proof. pose proof (errors 0%nat). lra. Qed.

Lemma movement_le h : movement V e h <= rho * (2 * K + 1) * wssize (asks h) (answers h).
Proof.
  unfold movement, wssize. rewrite (Rmult_comm (rho * _)), lsum_scal. apply lsum_le.
  intros [q k]. cbn [fst snd]. pose proof K_0. pose proof rho_0.
  pose proof (wsize_pos q) as Hq. pose proof (wsize_pos k) as Hk.
  assert (A : forall f, 0 <= along f V <= K * wsize f).
  { intro f. split; [apply along_pos|apply along_le]; intros; apply sizes. }
  assert (B : forall f, 0 <= along f e <= rho * wsize f).
  { intro f. split; [apply along_pos|apply along_le]; intros; apply errors. }
  pose proof (A q). pose proof (A k). pose proof (B q) as B1. pose proof (B k) as B2.
  assert (along q V * along k e <= K * wsize q * (rho * wsize k)) by (apply Rmult_le_compat; lra).
  assert (along q e * along k V <= rho * wsize q * (K * wsize k)) by (apply Rmult_le_compat; lra).
  assert (along q e * along k e <= rho * wsize q * (1 * wsize k)).
  { apply Rmult_le_compat; try lra. eapply Rle_trans; [apply B2|].
    apply Rmult_le_compat_r; lra. }
  replace (wsize q * wsize k * (rho * (2 * K + 1)))
    with (K * wsize q * (rho * wsize k) + rho * wsize q * (K * wsize k)
          + rho * wsize q * (1 * wsize k)) by ring. lra.
Qed.

Context (hs : list spec) (Q : R).
Hypothesis scores : Forall (fun h => wssize (asks h) (answers h) <= Q) hs.
Hypothesis rho_Q : rho * (2 * K + 1) * Q <= 1 / 4.
Local Notation d := (rho + 2 * K * (INR T * exp (- (C / 2)))).

Lemma leak_le h : wssize (asks h) (answers h) <= Q ->
  0 <= leak_of T C V e h <= INR T * exp (- (C / 2)).
Proof.
  intro HQ. unfold leak_of. pose proof (pos_INR T). split.
  { apply Rmult_le_pos; [auto|left; apply exp_pos]. }
  apply Rmult_le_compat_l; [auto|]. apply exp_le.
  pose proof (movement_le h). pose proof K_0. pose proof rho_0.
  assert (rho * (2 * K + 1) * wssize (asks h) (answers h) <= 1 / 4).
  { eapply Rle_trans; [|exact rho_Q]. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|auto]. }
  set (x := movement V e h) in *.
  assert (C * (1 / 2) <= C * (1 - 2 * x)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma d_0 : 0 <= 2 * K * (INR T * exp (- (C / 2))).
Proof. exact (SoftStep.leak_pos K T C K_0). Qed.

Lemma reads_le : forall k, 0 <= read_sizes V hs k <= K /\ 0 <= read_errors T C V e hs k <= d.
Proof.
  pose proof K_0. pose proof rho_0. pose proof d_0. revert scores.
  induction hs as [|h l IH]; intros Hs k; cbn [read_sizes read_errors]; [split; lra|].
  inversion Hs as [|h' l' Hh Hl]. subst h' l'. specialize (IH Hl).
  destruct (k <? length (brings h))%nat; [|apply IH].
  set (c := nth k (brings h) 0%nat). pose proof (sizes c). pose proof (errors c).
  pose proof (leak_le h Hh) as [L1 L2]. split; [auto|]. set (x := leak_of T C V e h) in *.
  assert (0 <= 2 * V c * x) by (apply Rmult_le_pos; lra).
  assert (2 * V c * x <= 2 * K * (INR T * exp (- (C / 2)))) by (apply Rmult_le_compat; lra). lra.
Qed.

Context (ps : list product) (own : product -> R) (eta Z : R).
Hypothesis own_eta : forall p, In p ps -> 0 <= own p <= eta.
Hypothesis Z_ps : psize tensor ps <= Z.
Hypothesis d_1 : d <= 1.

Lemma next_le again c : 0 <= eta ->
  0 <= next_errors tensor T C V own again hs ps e c <= (2 * K + 1) * Z * (d + eta).
Proof.
  intro He. pose proof K_0. pose proof rho_0. pose proof d_0. pose proof reads_le as Hr.
  pose proof (psize_pos tensor ps) as HZ.
  assert (P : 0 <= (2 * K + 1) * (d + eta)) by (apply Rmult_le_pos; lra).
  assert (0 <= (2 * K + 1) * Z * (d + eta)).
  { replace ((2 * K + 1) * Z * (d + eta)) with (Z * ((2 * K + 1) * (d + eta))) by ring.
    apply Rmult_le_pos; lra. }
  unfold next_errors. destruct (existsb _ _); [lra|].
  assert (E : forall p, In p ps ->
    0 <= product_error own (read_sizes V hs) (read_errors T C V e hs) p
      <= (2 * K + 1) * (d + eta)).
  { intros p Hp. destruct (own_eta p Hp). unfold product_error.
    destruct (Hr (left_of p)) as [R1 R2]. destruct (Hr (right_of p)) as [R3 R4].
    set (x := read_sizes V hs (left_of p)) in *. set (y := read_sizes V hs (right_of p)) in *.
    set (u := read_errors T C V e hs (left_of p)) in *.
    set (v := read_errors T C V e hs (right_of p)) in *.
    assert (0 <= x * v <= K * d) by (split; [apply Rmult_le_pos|apply Rmult_le_compat]; lra).
    assert (0 <= u * y <= d * K) by (split; [apply Rmult_le_pos|apply Rmult_le_compat]; lra).
    assert (0 <= u * v <= d * 1) by (split; [apply Rmult_le_pos|apply Rmult_le_compat]; lra).
    assert (0 <= K * eta) by (apply Rmult_le_pos; lra).
    replace ((2 * K + 1) * (d + eta)) with (K * d + d * K + d * 1 + eta + 2 * (K * eta)) by ring.
    lra. }
  split.
  - clear - E. induction ps as [|p l IH]; [right; reflexivity|].
    match goal with |- 0 <= lsum ?f _ => change (0 <= f p + lsum f l) end.
    apply Rplus_le_le_0_compat; [|apply IH; intros; apply E; simpl; auto]. cbv beta.
    destruct (out p =? c)%nat; [|lra].
    apply Rmult_le_pos; [apply Rabs_pos|apply E; simpl; auto].
  - apply Rle_trans with (psize tensor ps * ((2 * K + 1) * (d + eta))).
    + clear - E P. unfold psize. induction ps as [|p l IH]; [unfold lsum; simpl; lra|].
      match goal with |- lsum ?f _ <= lsum ?g _ * _ =>
        change (f p + lsum f l <= (g p + lsum g l) * ((2 * K + 1) * (d + eta))) end.
      rewrite Rmult_plus_distr_r.
      apply Rplus_le_compat; [|apply IH; intros; apply E; simpl; auto]. cbv beta.
      pose proof (Rabs_pos (plain_value tensor (times p))).
      destruct (out p =? c)%nat; [|apply Rmult_le_pos; lra].
      apply Rmult_le_compat_l; [auto|apply E; simpl; auto].
    + replace ((2 * K + 1) * Z * (d + eta)) with (Z * ((2 * K + 1) * (d + eta))) by ring.
      apply Rmult_le_compat_r; auto.
Qed.
End Uniform.

(** ** All layers *)

Section Layers.
Context (n T count : nat) (tensor : nat -> nat -> nat -> R) (S : nat -> R) (C K Q Z eta : R)
  (own : product -> R).
Local Notation V := (free_sizes n T S).
Local Notation specs := (free_specs n (Datatypes.S T)).
Local Notation ps := (free_products n (Datatypes.S T)).
Local Notation G := ((2 * K + 1) * Z).
Local Notation a := (2 * K * (INR T * exp (- (C / 2)))).
Local Notation errors := (free_errors n T tensor S C own).
Hypothesis sizes : forall c, 0 <= V c <= K.
Hypothesis scores : Forall (fun h => wssize (asks h) (answers h) <= Q) specs.
Hypothesis Z_ps : psize tensor ps <= Z.
Hypothesis Z_1 : 1 <= Z.
Hypothesis C_pos : 0 <= C.
Hypothesis eta_pos : 0 <= eta.
Hypothesis own_eta : forall p, In p ps -> 0 <= own p <= eta.
Let bound := INR count * G ^ count * (a + eta).
Hypothesis bound_1 : bound <= 1.
Hypothesis bound_Q : bound * ((2 * K + 1) * Q) <= 1 / 4.

Lemma G_1 : 1 <= G.
Proof. pose proof (sizes 0%nat). rewrite <- (Rmult_1_l 1). apply Rmult_le_compat; lra. Qed.

Lemma a_0 : 0 <= a.
Proof. apply (SoftStep.leak_pos K T C). pose proof (sizes 0%nat). lra. Qed.

(** l G^l (a + eta), and what the heads of the next layer add. *)
Lemma grown l : (l < count)%nat -> INR l * G ^ l * (a + eta) + (a + eta) <= bound.
Proof.
  intro Hl. pose proof G_1. pose proof a_0. pose proof (pos_INR l).
  assert (P1 : 1 <= G ^ l) by now apply pow_R1_Rle.
  assert (P2 : G ^ l <= G ^ count) by (apply Rle_pow; [auto|lia]).
  apply Rle_trans with ((INR l + 1) * G ^ count * (a + eta)).
  - replace (INR l * G ^ l * (a + eta) + (a + eta)) with ((INR l * G ^ l + 1) * (a + eta)) by ring.
    apply Rmult_le_compat_r; [lra|].
    replace ((INR l + 1) * G ^ count) with (INR l * G ^ count + G ^ count) by ring.
    apply Rplus_le_compat; [apply Rmult_le_compat_l; lra|lra].
  - apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_r; [lra|].
    rewrite <- S_INR. apply le_INR. lia.
Qed.

Lemma scores_move rho : 0 <= rho <= bound -> rho * (2 * K + 1) * Q <= 1 / 4.
Proof.
  intro Hr. pose proof (sizes 0%nat). destruct (Rle_lt_dec 0 Q) as [Hq|Hq].
  - eapply Rle_trans; [|exact bound_Q]. rewrite Rmult_assoc.
    apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|lra].
  - assert (0 <= rho * (2 * K + 1)) by (apply Rmult_le_pos; lra). nra.
Qed.

Lemma errors_grow l : (l <= count)%nat -> forall c,
  0 <= errors l c <= INR l * G ^ l * (a + eta).
Proof.
  pose proof G_1 as HG. pose proof a_0 as Ha. pose proof (sizes 0%nat).
  induction l as [|l IH]; intros Hl c; [cbn; lra|].
  specialize (IH ltac:(lia)). pose proof (grown l ltac:(lia)) as Hb.
  set (rho := INR l * G ^ l * (a + eta)) in *.
  assert (0 <= rho) by (pose proof (IH 0%nat); lra).
  pose proof (scores_move rho ltac:(lra)) as HQ.
  cbn [free_errors].
  destruct (next_le tensor T C K rho V (errors l) sizes IH ltac:(lra) C_pos specs Q scores HQ ps own
    eta Z own_eta Z_ps ltac:(lra) [at_place n; at_square n] c eta_pos) as [N1 N2].
  split; [exact N1|]. eapply Rle_trans; [exact N2|]. rewrite S_INR. cbn [pow].
  replace ((INR l + 1) * (G * G ^ l) * (a + eta))
    with (G * (rho + G ^ l * (a + eta))) by (unfold rho; ring).
  apply Rmult_le_compat_l; [lra|]. rewrite Rplus_assoc. apply Rplus_le_compat_l.
  rewrite <- (Rmult_1_l (a + eta)) at 1. apply Rmult_le_compat_r; [lra|now apply pow_R1_Rle].
Qed.

Lemma reads_near l k : (l < count)%nat -> free_reads n T tensor S C own l k <= 1.
Proof.
  intro Hl. pose proof (errors_grow l ltac:(lia)) as IH. pose proof (grown l Hl) as Hb.
  pose proof a_0. pose proof (sizes 0%nat).
  set (rho := INR l * G ^ l * (a + eta)) in *.
  assert (0 <= rho) by (pose proof (IH 0%nat); lra).
  pose proof (scores_move rho ltac:(lra)) as HQ.
  destruct (reads_le T C K rho V (errors l) sizes IH ltac:(lra) C_pos specs Q scores HQ k) as [_ R].
  unfold free_reads. lra.
Qed.
End Layers.
