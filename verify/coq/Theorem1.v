(** * Theorem 1: hard attention and a bilinear layer simulate every WFA exactly

    Theorem 1 (Section 3.2, proof in Appendix B.1). For every number of states n, every L, every
    weighted automaton over any alphabet and every word of length T = 2^L, the transformer with the
    written-out weights has the state after t letters at position t, for t = 0 .. T: all T+1 states.
    For T not a power of two, the next power of two serves, with ceil(log2 T) layers.

    Where we differ from the print: Definition 3.1 has room for T rows, there are T+1 states; the
    sizes of the blocks are those that fit (see Model.v). Position 0 yields alpha.

    Main definitions: [hard], [source], [simulator].
    Main theorems:    [argmax_gap], [argmax_unique], [head_attends], [prefix_products], [theorem1],
                      [theorem1_any_length], [theorem1_restated]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Gap Model Sizes Attention.
Import ListNotations.
Open Scope R_scope.

(** ** Hard attention: 1 at the strict maximum of the row, 0 elsewhere *)

Fixpoint all_below (k : nat) (p : nat -> bool) : bool :=
  match k with O => true | S k' => all_below k' p && p k' end.

Definition Rltb (a b : R) : bool := if Rlt_dec a b then true else false.

Definition hard (N : nat) (S : mat) : mat :=
  fun r s => b2r (all_below N (fun s' => (s' =? s)%nat || Rltb (S r s') (S r s))).

Lemma all_below_spec k p : all_below k p = true <-> forall q, (q < k)%nat -> p q = true.
Proof.
  induction k; simpl; [split; auto; lia|]. rewrite andb_true_iff, IHk. split.
  - intros [H1 H2] q Hq. destruct (Nat.eq_dec q k) as [->|]; auto. apply H1; lia.
  - intro H; split; intros; apply H; lia.
Qed.

(** A row with one strict maximum, at s0, attends there and nowhere else. *)
Lemma hard_row N S r s0 : (s0 < N)%nat ->
  (forall s, (s < N)%nat -> s <> s0 -> S r s < S r s0) ->
  forall s, (s < N)%nat -> hard N S r s = b2r (s =? s0)%nat.
Proof.
  intros H0 HS s Hs. unfold hard. f_equal. apply eq_true_iff_eq.
  rewrite all_below_spec, Nat.eqb_eq. split.
  - intro H. destruct (Nat.eq_dec s s0) as [|Hne]; auto. exfalso.
    specialize (H _ H0). rewrite orb_true_iff, Nat.eqb_eq in H. destruct H as [H|H]; [lia|].
    unfold Rltb in H. pose proof (HS s Hs Hne). destruct (Rlt_dec _ _); [lra|discriminate].
  - intros -> q Hq. rewrite orb_true_iff, Nat.eqb_eq.
    destruct (Nat.eq_dec q s0) as [|Hne]; auto. right. unfold Rltb.
    destruct (Rlt_dec _ _) as [|H']; auto.
Qed.

Lemma hard_local N S S' r :
  (forall s, (s < N)%nat -> S r s = S' r s) ->
  forall s, (s < N)%nat -> hard N S r s = hard N S' r s.
Proof.
  intros H s Hs. unfold hard. f_equal. apply eq_true_iff_eq. rewrite !all_below_spec.
  split; intros H' q Hq; specialize (H' q Hq); rewrite !H in *; auto.
Qed.

(** ** Which position is attended: t - 2^(l-1), modulo 2T *)

Definition source (L w r : nat) : nat :=
  if (w <=? r)%nat then (r - w)%nat else (r + N L - w)%nat.

Lemma source_lt L w r : (w < N L)%nat -> (r < N L)%nat -> (source L w r < N L)%nat.
Proof. unfold source. intros. bool_cases; lia. Qed.

Lemma source_0 L r : source L 0 r = r.
Proof. unfold source. simpl. lia. Qed.

Lemma hit_score L w r : (w < N L)%nat -> (r < N L)%nat ->
  score (Z.of_nat (T L)) (Z.of_nat r - Z.of_nat (source L w r) - Z.of_nat w) = 1.
Proof.
  intros Hw Hr. pose proof (T_pos L). unfold source. destruct (Nat.leb_spec w r).
  - replace (Z.of_nat r - Z.of_nat (r - w) - Z.of_nat w)%Z
      with (2 * Z.of_nat (T L) * 0)%Z by lia. apply score_hit; lia.
  - replace (Z.of_nat r - Z.of_nat (r + N L - w) - Z.of_nat w)%Z
      with (2 * Z.of_nat (T L) * (-1))%Z by (unfold N in *; lia). apply score_hit; lia.
Qed.

Lemma miss_score L w r s :
  (w < N L)%nat -> (r < N L)%nat -> (s < N L)%nat -> s <> source L w r ->
  score (Z.of_nat (T L)) (Z.of_nat r - Z.of_nat s - Z.of_nat w) <= score (Z.of_nat (T L)) 1 < 1.
Proof.
  intros Hw Hr Hs Hne. pose proof (T_pos L).
  destruct (miss_gap (Z.of_nat (T L)) (Z.of_nat r - Z.of_nat s - Z.of_nat w)) as [H1 H2];
    [lia| |lra].
  intro Hm. apply Hne. apply Z.mod_divide in Hm; [|lia]. destruct Hm as [k Hk].
  unfold source, N in *. destruct (Nat.leb_spec w r).
  - assert (k = 0 \/ 1 <= k \/ k <= -1)%Z as [->|[|]] by lia; [lia|nia|nia].
  - assert (k = -1 \/ 0 <= k \/ k <= -2)%Z as [->|[|]] by lia; [lia|nia|nia].
Qed.

Lemma width_lt L l : (1 <= l <= L)%nat -> (width l < N L)%nat.
Proof.
  intro H. unfold width, N, T.
  assert (2 ^ (l - 1) <= 2 ^ L)%nat by (apply Nat.pow_le_mono_r; lia).
  pose proof (T_pos L). unfold T in *. lia.
Qed.

(** The scores of a head that shifts by w (2^(l-1) for the left head, 0 for the right one): 1 at the
    source, at most cos(pi/T) < 1 at every other key. *)
Theorem argmax_gap L w r s : (w < N L)%nat -> (r < N L)%nat -> (s < N L)%nat ->
  let score_at s := score (Z.of_nat (T L)) (Z.of_nat r - Z.of_nat s - Z.of_nat w) in
  score_at (source L w r) = 1 /\
  (s <> source L w r -> score_at s <= cos (PI / INR (T L)) /\ cos (PI / INR (T L)) < 1).
Proof.
  intros Hw Hr Hs. split; [now apply hit_score|]. intro Hne.
  pose proof (miss_score L w r s) as H'. unfold score at 2 3 in H'.
  replace (PI * IZR 1 / IZR (Z.of_nat (T L))) with (PI / INR (T L)) in H'.
  - split; apply H'; auto.
  - rewrite INR_IZR_INZ. unfold Rdiv. ring.
Qed.

(** There are no ties: at most one key reaches the maximum. *)
Theorem argmax_unique L w r s s' :
  (w < N L)%nat -> (r < N L)%nat -> (s < N L)%nat -> (s' < N L)%nat ->
  score (Z.of_nat (T L)) (Z.of_nat r - Z.of_nat s - Z.of_nat w) = 1 ->
  score (Z.of_nat (T L)) (Z.of_nat r - Z.of_nat s' - Z.of_nat w) = 1 -> s = s'.
Proof.
  intros Hw Hr Hs Hs' E E'.
  destruct (Nat.eq_dec s (source L w r)) as [->|Hne];
    [|pose proof (miss_score L w r s Hw Hr Hs Hne); lra].
  destruct (Nat.eq_dec s' (source L w r)) as [->|Hne]; auto.
  pose proof (miss_score L w r s' Hw Hr Hs' Hne); lra.
Qed.

(** ** The scan over matrices *)

Section Scan.
Context (n L : nat) (A : nat -> mat).

Local Notation T := (T L).
Local Notation N := (N L).
Local Notation mulm := (mmul n).
Local Notation token := (token L A).

(** What hard attention carries after l layers, and the product of the k tokens ending at row r. *)
Fixpoint scanned (l r : nat) : mat :=
  match l with
  | O => token r
  | S l' => mulm (scanned l' (source L (width (S l')) r)) (scanned l' r)
  end.

Fixpoint window (k r : nat) : mat :=
  match k with O => I | S k' => mulm (window k' (r - 1)) (token r) end.

Lemma window_add k1 k2 r : (k2 <= r)%nat ->
  meq n (window (k1 + k2) r) (mulm (window k1 (r - k2)) (window k2 r)).
Proof.
  revert r; induction k2 as [|k2 IH]; intros r Hr.
  - rewrite Nat.add_0_r, Nat.sub_0_r. simpl. symmetry. apply mulm1.
  - rewrite Nat.add_succ_r. simpl window. rewrite IH by lia. rewrite mulmA.
    replace (r - 1 - k2)%nat with (r - S k2)%nat by lia. reflexivity.
Qed.

Lemma window_invariant l r : (2 ^ l <= r + 1)%nat -> meq n (scanned l r) (window (2 ^ l) r).
Proof.
  revert r; induction l as [|l IH]; intros r Hr.
  - simpl. symmetry. apply mul1m.
  - simpl in Hr. simpl scanned. unfold width. replace (S l - 1)%nat with l by lia.
    assert (0 < 2 ^ l)%nat by (apply Nat.neq_0_lt_0, Nat.pow_nonzero; lia).
    unfold source. destruct (Nat.leb_spec (2 ^ l) r); [|lia].
    rewrite !IH by lia. replace (2 ^ S l)%nat with (2 ^ l + 2 ^ l)%nat by (simpl; lia).
    symmetry. apply window_add. lia.
Qed.

Lemma window_pads k r : (r < T)%nat -> meq n (window k r) I.
Proof.
  revert r; induction k as [|k IH]; intros r Hr; simpl; [reflexivity|].
  rewrite IH by lia. unfold Attention.token. destruct (Z.leb_spec (pos L r) 0).
  - apply mul1m.
  - unfold pos in *; lia.
Qed.

Lemma scanned_window t : (t <= T)%nat ->
  meq n (scanned L (t + T - 1)) (window t (t + T - 1)).
Proof.
  intro Ht. pose proof (T_pos L). rewrite window_invariant by (fold T; lia).
  change (2 ^ L)%nat with T. replace (window T) with (window ((T - t) + t)) by (f_equal; lia).
  destruct (Nat.eq_dec t 0) as [->|].
  - rewrite Nat.add_0_r. rewrite window_pads by lia. reflexivity.
  - rewrite window_add by lia. rewrite window_pads by lia. apply mul1m.
Qed.

Lemma window_state alpha t j : (t <= T)%nat -> (j < n)%nat ->
  sum n (fun i => alpha i * window t (t + T - 1) i j) = state n alpha A t j.
Proof.
  revert j; induction t as [|t IH]; intros j Ht Hj; pose proof (T_pos L).
  - simpl. rewrite (sum_single n _ j); auto.
    + unfold I. rewrite Nat.eqb_refl. unfold b2r; ring.
    + intros p Hp Hne. unfold I. solve01.
  - simpl window. simpl state. unfold mmul.
    rewrite (sum_ext n _
      (fun i => sum n (fun k => alpha i * window t (t + T - 1) i k * A (S t) k j))).
    + rewrite sum_swap. apply sum_ext. intros k Hk. rewrite <- IH by lia. now rewrite sum_scal_r.
    + intros i Hi. rewrite sum_scal_l. apply sum_ext. intros k Hk.
      replace (t + T - 0 - 1)%nat with (t + T - 1)%nat by lia.
      unfold Attention.token, pos.
      replace (Z.of_nat (t + T - 0) - Z.of_nat T + 1)%Z with (Z.of_nat (S t)) by lia.
      destruct (Z.leb_spec (Z.of_nat (S t)) 0); [lia|]. rewrite Nat2Z.id. ring.
Qed.

Theorem scanned_state alpha t j : (t <= T)%nat -> (j < n)%nat ->
  sum n (fun i => alpha i * scanned L (t + T - 1) i j) = state n alpha A t j.
Proof.
  intros Ht Hj. rewrite <- window_state by auto. apply sum_ext. intros i Hi.
  now rewrite scanned_window.
Qed.
End Scan.

(** ** Theorem 1 *)

Lemma mix_point N n w M s0 : (s0 < N)%nat ->
  (forall s, (s < N)%nat -> w s = b2r (s =? s0)%nat) -> meq n (mix N w M) (M s0).
Proof.
  intros H0 Hw i j Hi Hj. unfold mix. rewrite (sum_single N _ s0); auto.
  - rewrite Hw, Nat.eqb_refl by auto. simpl. ring.
  - intros s Hs Hne. rewrite Hw by auto. solve01.
Qed.

(** Hard attention on these scores singles out the source. *)
Theorem head_attends L w r s : (w < N L)%nat -> (r < N L)%nat -> (s < N L)%nat ->
  hard (N L) (shifted L 1 w) r s = b2r (s =? source L w r)%nat.
Proof.
  intros Hw Hr Hs. apply hard_row; auto; [now apply source_lt|]. intros q Hq Hne. unfold shifted.
  rewrite hit_score by auto. pose proof (miss_score L w r q Hw Hr Hq Hne). lra.
Qed.

Lemma factors_scanned n L A l r : (l <= L)%nat -> (r < N L)%nat ->
  meq n (factors n L A 1 (hard (N L)) l r) (scanned n L A l r).
Proof.
  revert r; induction l as [|l IH]; intros r Hl Hr; [reflexivity|].
  assert (HW : forall w, (w < N L)%nat -> forall s, (s < N L)%nat ->
    hard (N L) (shifted L 1 w) r s = b2r (s =? source L w r)%nat)
    by (intros; now apply head_attends).
  assert (Hw : (width (S l) < N L)%nat) by (apply width_lt; lia).
  assert (H0 : (0 < N L)%nat) by (pose proof (T_pos L); unfold N; lia).
  cbn [factors scanned].
  rewrite (mix_point _ n _ _ (source L (width (S l)) r)); [|now apply source_lt|now apply HW].
  rewrite (mix_point _ n _ _ r); [|auto|].
  2: { intros s Hs. rewrite HW by auto. now rewrite source_0. }
  rewrite !IH by (try lia; auto; now apply source_lt). reflexivity.
Qed.

(** The output of the model of Theorem 1 on the word x, over any alphabet. *)
Definition simulator {Sigma : Type} (n L : nat) (alpha : nat -> R) (A : Sigma -> mat)
  (x : nat -> Sigma) : mat :=
  let letters := fun t => A (x t) in
  forward alpha letters 1 (hard (N L)) (N L)
    (construction n L (fun w => w)) (real alpha letters 1 (embedding n L)).

(** A^{x_1} .. A^{x_t} *)
Fixpoint prefix (n : nat) (A : nat -> mat) (t : nat) : mat :=
  match t with O => I | S t' => mmul n (prefix n A t') (A (S t')) end.

Lemma window_prefix n L A t : (t <= T L)%nat -> meq n (window n L A t (t + T L - 1)) (prefix n A t).
Proof.
  induction t as [|t IH]; intro Ht; [reflexivity|]. pose proof (T_pos L). cbn [window prefix].
  replace (S t + T L - 1 - 1)%nat with (t + T L - 1)%nat by lia. rewrite IH by lia.
  unfold token, pos.
  replace (Z.of_nat (S t + T L - 1) - Z.of_nat (T L) + 1)%Z with (Z.of_nat (S t)) by lia.
  destruct (Z.leb_spec (Z.of_nat (S t)) 0); [lia|]. now rewrite Nat2Z.id.
Qed.

(** After the last layer the right half of position t holds vec(A^{x_1} .. A^{x_t}), t = 0 .. T. *)
Theorem prefix_products n L alpha A t v : (t <= 2 ^ L)%nat -> (v < n * n)%nat ->
  run_layers alpha A 1 (hard (N L)) (N L) (Matrix (N L) (d n) (position_entry n L))
    (layers (construction n L (fun w => w))) (real alpha A 1 (embedding n L))
    (t + 2 ^ L - 1)%nat (n * n + v)%nat
  = vec n (prefix n A t) v.
Proof.
  intros Ht Hv. fold (T L) in *. pose proof (T_pos L).
  assert (Hr : (t + T L - 1 < N L)%nat) by (unfold N; lia).
  assert (H1 : forall w, value alpha A 1 ((fun w => w) w) = 1 * value alpha A 1 w) by (intro; ring).
  cbn [construction layers].
  rewrite (model_carries n L alpha A 1 (fun w => w) 1 (hard (N L)) H1 (hard_local (N L)) L
             (Nat.le_refl L)) by (unfold d, n2; lia).
  unfold row, n2. bool_cases; try lia. replace (n * n + v - n * n)%nat with v by lia. unfold vec.
  assert (Hi : (v / n < n)%nat) by (apply Nat.div_lt_upper_bound; lia).
  assert (Hj : (v mod n < n)%nat) by (apply Nat.mod_upper_bound; lia).
  rewrite factors_scanned by auto. rewrite scanned_window by auto. now apply window_prefix.
Qed.

Theorem theorem1 (Sigma : Type) (n L : nat) (alpha : nat -> R) (A : Sigma -> mat)
    (x : nat -> Sigma) (t j : nat) :
  (t <= 2 ^ L)%nat -> (j < n)%nat ->
  simulator n L alpha A x (t + 2 ^ L - 1)%nat j = state n alpha (fun t => A (x t)) t j.
Proof.
  intros Ht Hj. pose proof (T_pos L). fold (T L) in *.
  assert (Hr : (t + T L - 1 < N L)%nat) by (unfold N; lia).
  unfold simulator. rewrite output_reads with (kappa := 1); auto; [|intro; ring|apply hard_local].
  rewrite <- (scanned_state n L) by auto. apply sum_ext. intros i Hi.
  now rewrite factors_scanned.
Qed.

(** Every length: ceil(log2 T) layers are enough. *)
Corollary theorem1_any_length (Sigma : Type) (n : nat) (alpha : nat -> R) (A : Sigma -> mat)
    (x : nat -> Sigma) (T t j : nat) :
  (1 <= T)%nat -> (t <= T)%nat -> (j < n)%nat ->
  let L := Nat.log2_up T in
  simulator n L alpha A x (t + 2 ^ L - 1)%nat j = state n alpha (fun t => A (x t)) t j.
Proof.
  intros H1 Ht Hj L. apply theorem1; auto. apply Nat.le_trans with T; auto.
  unfold L. destruct (Nat.eq_dec T 1) as [->|]; [simpl; lia|]. apply Nat.log2_up_spec. lia.
Qed.

(** The restatement of Appendix B.1: the simulation together with the sizes of the model. *)
Corollary theorem1_restated (Sigma : Type) (n T : nat) (alpha : nat -> R) (A : Sigma -> mat) :
  (1 <= T)%nat ->
  let L := Nat.log2_up T in
  let model := construction n L (fun w => w) in
  depth model = L /\
  embedding_dimension model = (2 * n ^ 2 + 2)%nat /\
  (forall ly, In ly (layers model) ->
     head_count ly = 2%nat /\
     (forall h, In h (heads ly) -> attention_width h = (2 * n ^ 2 + 2)%nat) /\
     bilinear_width (feedforward ly) = (2 * n ^ 2)%nat) /\
  (forall x t j, (t <= T)%nat -> (j < n)%nat ->
     simulator n L alpha A x (t + 2 ^ L - 1)%nat j = state n alpha (fun t => A (x t)) t j).
Proof.
  intros HT L model. destruct (sizes_of_theorem1 n L (fun w => w)) as (H1 & _ & _ & H2).
  split; [apply depth_is_log|]. split; [exact H1|]. split.
  - intros ly Hly. destruct (H2 ly Hly) as (Hh & Hw & Hb & _).
    split; [exact Hh|]. split; [|exact Hb]. intros h Hin. now apply Hw.
  - intros x t j Ht Hj. now apply theorem1_any_length.
Qed.
