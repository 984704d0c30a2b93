(** * Depths by one softmax head, without a mask

    Section 4.2 and Appendix C. One layer in the place of the ceil(log2 T) scan layers of LogDepthEncoder.v.
    Its head has the scores - b^(2 (j - i) - 1), and a more at place 1, and is not saturated: for b large the
    places after i have weight 0, the others equal weights, and place 1 has e^a times that weight; so with
    A = e^a, rounded up, A times what the head reads is the sum of the marks of the places 2 .. i, and not
    their mean, up to any precision, and its square can be taken in the same layer.

    Main definitions: [sum_head], [sum_layer], [short_encoder], [short_tokens], [summed], [first_made].
    Main theorems:    [prefix_sum], [sum_head_reads], [first_layer_close]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Compat Sums Theorem1 Softmax Trees Pebbling Theorem3 LogDepth Activation.
From Assay Require Import TreeModel TreeBlocks TreeScores TreeContinuity TreeMLP TreeSoft SoftStep InUse.
From Assay Require Import CleanTreeModel LogDepthEncoderLift LogDepthEncoder LogDepthEncoderScan.
From Assay Require FreeModel.
Import ListNotations.
Open Scope R_scope.

(** ** A mean with one heavy weight is a sum *)

Lemma prefix_sum M r (m e : nat -> R) A kappa : (r < M)%nat -> m 0%nat = 0 ->
  (forall s, (s < M)%nat -> Rabs (m s) <= 1) -> 0 < kappa <= 1 / 4 -> 1 <= A * kappa ->
  A * (1 - 2 * kappa) <= e 0%nat <= A ->
  (forall s, (1 <= s <= r)%nat -> 1 - kappa <= e s <= 1) ->
  (forall s, (r < s < M)%nat -> (1 <= s)%nat -> 0 <= e s <= kappa) ->
  Rabs (A * sum M (fun s => e s / sum M e * m s) - sum (S r) m) <= kappa * (2 * INR M * INR M + 5 * INR M).
Proof.
  intros Hr Hm0 Hm Hk HA H0 H1 H2.
  assert (HM : 1 <= INR M) by (apply (le_INR 1); lia). assert (HA2 : 2 <= A) by nra.
  set (Z := sum M e). set (N := sum M (fun s => e s * m s)).
  assert (HZ : A * (1 - 2 * kappa) <= Z <= A + INR M).
  { unfold Z. replace M with (1 + (M - 1))%nat by lia. rewrite sum_add. cbn [sum].
    assert (G : 0 <= sum (M - 1) (fun p => e (1 + p)%nat) <= INR (M - 1) * 1).
    { rewrite <- sum_const. split; [apply sum_nonneg|apply sum_le]; intros p Hp;
        (destruct (Nat.le_gt_cases (1 + p) r) as [Hpr|Hpr];
         [pose proof (H1 (1 + p)%nat ltac:(lia))|pose proof (H2 (1 + p)%nat ltac:(lia) ltac:(lia))]); lra. }
    rewrite plus_INR. simpl (INR 1). lra. }
  assert (HZ0 : A / 2 <= Z) by nra.
  assert (HN : Rabs (N - sum (S r) m) <= INR M * kappa).
  { unfold N. rewrite <- (sum_causal M m r Hr), <- sum_minus. eapply Rle_trans; [apply sum_abs|].
    rewrite <- sum_const. apply sum_le. intros s Hs.
    replace (e s * m s - b2r (s <=? r)%nat * m s) with ((e s - b2r (s <=? r)%nat) * m s) by ring.
    rewrite Rabs_mult. destruct (Nat.eq_dec s 0) as [->|Hs0].
    - rewrite Hm0, Rabs_R0. lra.
    - assert (Rabs (e s - b2r (s <=? r)%nat) <= kappa).
      { apply Rabs_le. destruct (Nat.leb_spec s r); cbn [b2r];
          [pose proof (H1 s ltac:(lia))|pose proof (H2 s ltac:(lia) ltac:(lia))]; lra. }
      pose proof (Hm s Hs). pose proof (Rabs_pos (m s)). pose proof (Rabs_pos (e s - b2r (s <=? r)%nat)). nra. }
  assert (HS : Rabs N <= INR M).
  { unfold N. eapply Rle_trans; [apply sum_abs|]. rewrite <- (Rmult_1_r (INR M)), <- sum_const.
    apply sum_le. intros s Hs. rewrite Rabs_mult. destruct (Nat.eq_dec s 0) as [->|Hs0].
    - rewrite Hm0, Rabs_R0. lra.
    - assert (Rabs (e s) <= 1).
      { apply Rabs_le. destruct (Nat.le_gt_cases s r);
          [pose proof (H1 s ltac:(lia))|pose proof (H2 s ltac:(lia) ltac:(lia))]; lra. }
      pose proof (Hm s Hs). pose proof (Rabs_pos (m s)). pose proof (Rabs_pos (e s)). nra. }
  assert (HF : Rabs (A / Z - 1) <= 2 * kappa * (2 + INR M)).
  { replace (A / Z - 1) with ((A - Z) / Z) by (field; lra). unfold Rdiv. rewrite Rabs_mult.
    rewrite (Rabs_pos_eq (/ Z)) by (left; apply Rinv_0_lt_compat; lra).
    assert (Rabs (A - Z) <= A * kappa * (2 + INR M)) by (apply Rabs_le; nra).
    assert (/ Z <= 2 * / A).
    { replace (2 * / A) with (/ (A / 2)) by (field; lra). apply Rinv_le_contravar; lra. }
    apply Rle_trans with (A * kappa * (2 + INR M) * (2 * / A)).
    - apply Rmult_le_compat; [apply Rabs_pos|left; apply Rinv_0_lt_compat; lra|assumption|assumption].
    - right. field. lra. }
  replace (A * sum M (fun s => e s / Z * m s)) with (A / Z * N).
  2: { unfold N. rewrite !sum_scal_l. apply sum_ext. intros s _. field. lra. }
  replace (A / Z * N - sum (S r) m) with ((A / Z - 1) * N + (N - sum (S r) m)) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult.
  pose proof (Rmult_le_compat _ _ _ _ (Rabs_pos _) (Rabs_pos _) HF HS). nra.
Qed.

(** ** The first layer *)

Section Construction.
Context (n T : nat).
Variables (base sink : R) (A : Z).
Local Notation d := (encoder_dimension n).

Definition sum_head : head :=
  Head (map key_form [[(e_phi, (-1)%Z)]; [(e_one, 1%Z)]]) (map key_form [[(e_c, 1%Z)]; [(e_depth2, 1%Z)]])
    (seq 0 d) Soft Everywhere.

Definition sum_terms (c : nat) : list term :=
  let read := (d + e_count)%nat in
  if (c =? e_count)%nat then [one_term e_one read A] else
  if (c =? e_depth2)%nat then
    [one_term read read (A * A); one_term read e_mark (-2 * A); one_term e_mark e_mark 1]
  else if ((c =? e_phi) || (c =? e_c))%nat then keep e_place
  else keep c.

Definition sum_stage : stage := Stage [own_look] sum_terms.

Definition sum_layer : layer :=
  Layer [head_of Soft (spec_of d own_look); sum_head] (products_of d sum_stage).

Definition short_stages (steps : nat) : list stage := match_stage n T :: repeat (step_stage n) steps.

Definition short_encoder (steps : nat) : transformer :=
  Transformer (sum_layer :: map (layer_of d Soft) (short_stages steps)) [] (seq e_b n).

(** The tokens of LogDepthEncoder.v, but for the three coordinates that the first layer uses up. *)
Definition short_tokens {Sigma : Type} (leaf : Sigma -> nat -> R) (o : option (symbol Sigma)) (r c : nat) : R :=
  if (c =? e_phi)%nat then / (base * (base * base) ^ r) else
  if (c =? e_c)%nat then (base * base) ^ r else
  if (c =? e_depth2)%nat then (if (r =? 0)%nat then sink else 0) else
  encoder_tokens n T leaf o r c.
End Construction.

(** ** What the first layer makes *)

Section First.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R) (T : nat).
Local Notation d := (encoder_dimension n).
Local Notation fits t := (length (str t) <= T)%nat.

(** The tokens after the scan, written down. *)
Definition summed (t : tree Sigma) : mat := fun r c =>
  let x := counted t (Nat.log2_up T) r in
  if (c =? e_count)%nat then IZR x else
  if (c =? e_depth2)%nat then IZR ((x - mark_of (nth_error (str t) r)) * (x - mark_of (nth_error (str t) r)))
  else encoder_tokens n T leaf (nth_error (str t) r) r c.

Lemma summed_scanned t : scanned n leaf T t (Nat.log2_up T) (summed t).
Proof.
  split; unfold summed.
  - intros r _. now rewrite Nat.eqb_refl.
  - intros r _. destruct (Nat.eqb_spec e_depth2 e_count); [discriminate|]. now rewrite Nat.eqb_refl.
  - intros r k _ H1 H2. destruct (Nat.eqb_spec k e_count); [contradiction|].
    destruct (Nat.eqb_spec k e_depth2); [contradiction|reflexivity].
Qed.

Lemma tokens_beyond o r c : (d <= c)%nat -> encoder_tokens n T leaf o r c = 0.
Proof.
  intro H. unfold encoder_tokens. pose proof (dimension_12 n).
  destruct (Nat.ltb_spec c 12); [lia|].
  destruct (Nat.ltb_spec c (e_M n)); [unfold e_M, encoder_dimension in *; lia|].
  destruct (Nat.ltb_spec c d); [lia|reflexivity].
Qed.

(** The sum of the marks of places 2 .. r + 1. *)
Lemma counted_sum t r : fits t -> (r < length (str t))%nat ->
  sum (S r) (fun s => encoder_tokens n T leaf (nth_error (str t) s) s e_count)
  = IZR (counted t (Nat.log2_up T) r).
Proof.
  intros Ht Hr.
  assert (G : forall k, (k <= r)%nat -> sum (S k) (fun s => encoder_tokens n T leaf (nth_error (str t) s) s e_count)
    = IZR (depth (str t) (S k) - depth (str t) 1)).
  { induction k as [|k IH]; intro Hk.
    - cbn [sum]. rewrite Z.sub_diag. cbn. ring.
    - change (sum (S (S k)) ?f) with (sum (S k) f + f (S k)). cbv beta. rewrite IH by lia.
      rewrite (depth_step (str t) (S k)). cbn -[IZR depth Z.add Z.sub nth_error].
      rewrite !minus_IZR, plus_IZR. ring. }
  rewrite G by lia. f_equal. pose proof (counted_all T t Ht r Hr) as E. unfold level in E.
  rewrite (depth_step (str t) r). lia.
Qed.

Section Sum.
Variables (base sink : R) (A : Z) (kappa C : R).
Hypothesis kappa_small : 0 < kappa <= 1 / 4.
Hypothesis base_is : base = / kappa.
Hypothesis A_near : exp sink <= IZR A /\ 1 <= IZR A * kappa /\ IZR A * (1 - kappa) <= exp sink.

Local Notation X0 t := (fun r => short_tokens n T base sink leaf (nth_error (str t) r) r).
Local Notation val t := (value leaf (signed n tensor) C (tl (str t))).

Lemma base_2 : 2 <= base.
Proof.
  rewrite base_is. apply Rle_trans with (/ (1 / 4)); [lra|]. apply Rinv_le_contravar; lra.
Qed.

Lemma sum_score t r s : score (val t) (sum_head n) (X0 t) r s
  = - (/ (base * (base * base) ^ r) * (base * base) ^ s) + (if (s =? 0)%nat then sink else 0).
Proof.
  unfold score, sum_head, apply_form, lsum. cbn -[pow Nat.eqb].
  change (short_tokens n T base sink leaf (nth_error (str t) r) r e_phi) with (/ (base * (base * base) ^ r)).
  change (short_tokens n T base sink leaf (nth_error (str t) s) s e_c) with ((base * base) ^ s).
  change (short_tokens n T base sink leaf (nth_error (str t) r) r e_one) with 1.
  change (short_tokens n T base sink leaf (nth_error (str t) s) s e_depth2)
    with (if (s =? 0)%nat then sink else 0). ring.
Qed.

Lemma before_small r s : (s <= r)%nat -> 0 <= / (base * (base * base) ^ r) * (base * base) ^ s <= kappa.
Proof.
  intro H. pose proof base_2 as HB. set (g := base * base). assert (Hg : 4 <= g) by (unfold g; nra).
  assert (E : g ^ r = g ^ s * g ^ (r - s)) by (rewrite <- pow_add; f_equal; lia).
  pose proof (pow_lt g s ltac:(lra)). pose proof (pow_lt g (r - s) ltac:(lra)). rewrite E.
  replace (/ (base * (g ^ s * g ^ (r - s))) * g ^ s) with (/ base * / g ^ (r - s))
    by (field; repeat split; lra).
  assert (Hb : / base = kappa) by (rewrite base_is; apply Rinv_inv). rewrite Hb.
  assert (0 < / g ^ (r - s)) by now apply Rinv_0_lt_compat.
  assert (/ g ^ (r - s) <= 1).
  { rewrite <- Rinv_1. apply Rinv_le_contravar; [lra|]. apply pow_R1_Rle. lra. }
  split; nra.
Qed.

Lemma after_large r s : (r < s)%nat -> base <= / (base * (base * base) ^ r) * (base * base) ^ s.
Proof.
  intro H. pose proof base_2 as HB. set (g := base * base). assert (Hg : 4 <= g) by (unfold g; nra).
  assert (E : g ^ s = g ^ r * (g * g ^ (s - r - 1))).
  { change (g * g ^ (s - r - 1)) with (g ^ S (s - r - 1)). rewrite <- pow_add. f_equal. lia. }
  pose proof (pow_lt g r ltac:(lra)) as Hp. pose proof (pow_R1_Rle g (s - r - 1) ltac:(lra)) as Hq.
  rewrite E. set (p := g ^ r) in *. set (q := g ^ (s - r - 1)) in *. clearbody p q.
  replace (/ (base * p) * (p * (g * q))) with (base * q) by (unfold g; field; split; lra). nra.
Qed.

Lemma exp_between x : 0 <= x -> 1 - x <= exp (- x) <= 1.
Proof.
  intro H. split.
  - pose proof (exp_lower_all (- x)). lra.
  - pose proof (exp_small x H). pose proof (exp_pos (- x)). nra.
Qed.

Theorem sum_head_reads t r : fits t -> (r < length (str t))%nat ->
  Rabs (IZR A * read (val t) (length (str t)) (sum_head n) (X0 t) r e_count
        - IZR (counted t (Nat.log2_up T) r)) <= kappa * (2 * INR T * INR T + 5 * INR T).
Proof.
  intros Ht Hr. set (M := length (str t)) in *.
  set (e := fun s => exp (score (val t) (sum_head n) (X0 t) r s)).
  set (m := fun s => encoder_tokens n T leaf (nth_error (str t) s) s e_count).
  destruct A_near as (HA1 & HA2 & HA3). pose proof base_2 as HB.
  assert (E : read (val t) M (sum_head n) (X0 t) r e_count = sum M (fun s => e s / sum M e * m s)).
  { unfold read, weights. cbn [how seen sum_head attend reads]. apply sum_ext. intros s Hs.
    unfold soft_masked. cbn [allowed b2r]. rewrite seq_nth by (pose proof (dimension_12 n); e_unfold; lia).
    rewrite Rmult_1_l. f_equal. unfold e. f_equal. apply sum_ext. intros. ring. }
  rewrite E, <- (counted_sum t r Ht Hr).
  eapply Rle_trans.
  - apply (prefix_sum M r m e (IZR A) kappa Hr); auto.
    + intros s Hs. unfold m. cbn -[IZR nth_error]. destruct (s =? 0)%nat; [rewrite Rabs_R0; lra|].
      rewrite <- abs_IZR. apply IZR_le. destruct (nth_error (str t) s) as [[a| |]|]; cbn; lia.
    + unfold e. rewrite sum_score. cbn [Nat.eqb]. rewrite exp_plus.
      pose proof (before_small r 0 ltac:(lia)) as G. pose proof (exp_between _ (proj1 G)).
      pose proof (exp_pos sink). split; nra.
    + intros s Hs. unfold e. rewrite sum_score. destruct (Nat.eqb_spec s 0); [lia|]. rewrite Rplus_0_r.
      pose proof (before_small r s ltac:(lia)) as G. pose proof (exp_between _ (proj1 G)). lra.
    + intros s Hs Hs1. unfold e. rewrite sum_score. destruct (Nat.eqb_spec s 0); [lia|]. rewrite Rplus_0_r.
      pose proof (after_large r s ltac:(lia)) as G. set (x := / _ * _) in *. clearbody x.
      split; [left; apply exp_pos|]. rewrite exp_Ropp.
      assert (Hb : kappa = / base) by (rewrite base_is; symmetry; apply Rinv_inv). rewrite Hb.
      apply Rinv_le_contravar; [lra|]. pose proof (exp_lower_all x). lra.
  - apply Rmult_le_compat_l; [lra|]. assert (INR M <= INR T) by now apply le_INR.
    pose proof (pos_INR M). nra.
Qed.
End Sum.

(** *** Softmax and MLP in the first layer *)

Lemma read_bounded N number (X : mat) r k K : (0 < N)%nat ->
  (forall s c, (s < N)%nat -> Rabs (X s c) <= K) -> Rabs (read number N (sum_head n) X r k) <= K.
Proof.
  intros HN HX. unfold read, weights. cbn [how seen sum_head attend].
  set (e := fun s => exp (score number (sum_head n) X r s)).
  assert (He : forall s, 0 < e s) by (intro; apply exp_pos).
  assert (HZ : 0 < sum N e).
  { destruct N as [|N]; [lia|]. cbn [sum]. pose proof (He N).
    pose proof (sum_nonneg N e (fun s _ => Rlt_le _ _ (He s))). lra. }
  rewrite (sum_ext N _ (fun s => e s / sum N e * X s (nth k (reads (sum_head n)) 0%nat))).
  2: { intros s Hs. f_equal. unfold soft_masked. cbn [allowed b2r]. rewrite Rmult_1_l. unfold e. f_equal.
       apply sum_ext. intros. ring. }
  eapply Rle_trans; [apply sum_abs|]. apply Rle_trans with (sum N (fun s => e s / sum N e * K)).
  - apply sum_le. intros s Hs. pose proof (He s).
    assert (0 < e s / sum N e) by now apply Rdiv_lt_0_compat.
    rewrite Rabs_mult, Rabs_pos_eq by lra. apply Rmult_le_compat_l; [lra|now apply HX].
  - rewrite <- (sum_scal_r N K). unfold Rdiv. rewrite <- (sum_scal_r N (/ sum N e)).
    right. fold e. field. lra.
Qed.

Context (letters : list Sigma) (sigma : R -> R) (b c : R).
Hypothesis all_letters : forall a, In a letters.
Hypothesis curved_at : curved sigma b c.
Hypothesis c_not_0 : c <> 0.

Definition short_start (base sink : R) (t : tree Sigma) : mat :=
  fun r => short_tokens n T base sink leaf (nth_error (str t) r) r.

Definition first_made (base sink : R) (A : Z) (C h : R) (t : tree Sigma) : mat := fun r =>
  run_network sigma b (network (signed n tensor) h (/ (4 * h ^ 2 * c)) (products_of d (sum_stage n A)))
    (joined (value leaf (signed n tensor) C (tl (str t))) (length (str t)) (heads (sum_layer n A))
       (short_start base sink t) r).

Lemma small_enough rho K : 0 < rho -> 0 <= K ->
  exists delta, 0 < delta <= 1 /\ delta * (4 * K + 1) <= rho /\ delta <= rho.
Proof.
  intros Hr HK. exists (Rmin 1 (rho / (4 * K + 1))).
  assert (H : 0 < rho / (4 * K + 1)) by (apply Rdiv_lt_0_compat; lra).
  pose proof (Rmin_l 1 (rho / (4 * K + 1))). pose proof (Rmin_r 1 (rho / (4 * K + 1))) as Hm.
  assert (Hd : rho / (4 * K + 1) * (4 * K + 1) = rho) by (field; lra).
  assert (0 < Rmin 1 (rho / (4 * K + 1))) by (apply Rmin_glb_lt; lra).
  split; [lra|]. split; nra.
Qed.

Theorem first_layer_close rho : 0 < rho -> exists base sink A C0 h0, 0 < h0 /\
  forall C h t, C0 <= C -> 0 < h <= h0 -> fits t ->
    close (tl (str t)) rho (first_made base sink A C h t) (summed t).
Proof.
  intro Hrho. pose proof (dimension_12 n) as D12.
  destruct (finite_bound letters all_letters d T summed) as (K' & HK' & HB').
  { intros t r k Hk. unfold summed. destruct (Nat.eqb_spec k e_count); [e_unfold; lia|].
    destruct (Nat.eqb_spec k e_depth2); [e_unfold; lia|]. now apply tokens_beyond. }
  destruct (small_enough (rho / 2) K' ltac:(lra) HK') as (delta & Hd & Hd1 & Hd2).
  set (q := 2 * INR T * INR T + 5 * INR T + 1).
  assert (Hq : 1 <= q) by (unfold q; pose proof (pos_INR T); nra).
  set (kappa := Rmin (1 / 4) (delta / q)).
  assert (Hk : 0 < kappa <= 1 / 4).
  { unfold kappa. split; [apply Rmin_glb_lt; [lra|apply Rdiv_lt_0_compat; lra]|apply Rmin_l]. }
  assert (Hkd : kappa * (2 * INR T * INR T + 5 * INR T) <= delta).
  { assert (kappa <= delta / q) by apply Rmin_r. apply Rle_trans with (delta / q * q); [|right; field; lra].
    pose proof (pos_INR T). apply Rmult_le_compat; [lra|nra|assumption|unfold q; lra]. }
  clearbody kappa. set (base := / kappa). set (sink := base). set (A := up (exp base)).
  assert (HA : exp sink <= IZR A /\ 1 <= IZR A * kappa /\ IZR A * (1 - kappa) <= exp sink).
  { unfold A, sink. destruct (archimed (exp base)) as [H1 H2].
    assert (Hb : base * kappa = 1) by (unfold base; field; lra).
    assert (0 <= base) by (left; apply Rinv_0_lt_compat; lra). pose proof (exp_lower base ltac:(lra)).
    assert (1 <= IZR (up (exp base)) * kappa) by (rewrite <- Hb; apply Rmult_le_compat_r; lra).
    split; [lra|]. split; [assumption|]. nra. }
  clearbody A sink.
  destruct (finite_bound letters all_letters d T (short_start base sink)) as (K & HK & HB).
  { intros t r k Hk'. unfold short_start, short_tokens.
    destruct (Nat.eqb_spec k e_phi); [e_unfold; lia|]. destruct (Nat.eqb_spec k e_c); [e_unfold; lia|].
    destruct (Nat.eqb_spec k e_depth2); [e_unfold; lia|]. now apply tokens_beyond. }
  set (ps := products_of d (sum_stage n A)).
  pose proof (psize_pos (signed n tensor) ps) as HZ. set (size := (2 * K + 1) * psize (signed n tensor) ps).
  assert (Hz : 0 <= size) by (apply Rmult_le_pos; lra).
  destruct (small_enough (rho / 4) (size / 4) ltac:(lra) ltac:(lra)) as (g & Hg & Hgz & _).
  destruct (leak_small (2 * K * INR T) g) as (C0 & HC0 & HL); [|lra|].
  { pose proof (pos_INR T). apply Rmult_le_pos; lra. }
  destruct (network_computes (signed n tensor) sigma b c (K + 1) ps curved_at c_not_0 ltac:(lra) (rho / 4)
    ltac:(lra)) as (h0 & Hh0 & Hnet).
  exists base, sink, A, C0, h0. split; [exact Hh0|]. intros C h t HC Hh Ht r k Hr.
  set (X := short_start base sink t). set (val := value leaf (signed n tensor) C (tl (str t))).
  set (M := length (str t)). assert (EM : rows (tl (str t)) = M) by apply rows_tail.
  rewrite EM in Hr.
  set (x := joined val M (heads (sum_layer n A)) X r).
  set (y := fun j => if (j <? d)%nat then X r j else x j).
  assert (HX : forall s j, (s < M)%nat -> Rabs (X s j) <= K)
    by (intros s j Hs; apply (HB t Ht); now rewrite EM).
  assert (Xown : forall j, (j < d)%nat -> x j = read val M (head_of Soft (spec_of d own_look)) X r j).
  { intros j Hj. unfold x. cbn [heads sum_layer joined head_of spec_of scored reads]. rewrite seq_length.
    destruct (Nat.ltb_spec j d); [reflexivity|lia]. }
  assert (Xsum : forall j, (d <= j)%nat ->
    x j = if (j - d <? d)%nat then read val M (sum_head n) X r (j - d)%nat else 0).
  { intros j Hj. unfold x. cbn [heads sum_layer joined head_of spec_of scored reads sum_head]. rewrite seq_length.
    destruct (Nat.ltb_spec j d); [lia|reflexivity]. }
  assert (HL0 : lined t X)
    by (split; intros s Hs; unfold X, short_start, short_tokens; cbn; rewrite ?mult_IZR; reflexivity).
  assert (Hxy : forall j, Rabs (x j - y j) <= g).
  { intro j. unfold y. destruct (Nat.ltb_spec j d) as [Hj|Hj].
    - rewrite Xown by exact Hj.
      assert (Ht0 : target (tl (str t)) (fst own_look) (snd own_look) Everywhere X r r)
        by now apply own_target.
      pose proof (scored_follows leaf (signed n tensor) C (tl (str t)) (fst own_look) (snd own_look) (seq 0 d)
        Everywhere X X r r K 0 j) as F. cbn [head_of spec_of].
      rewrite (hard_target leaf (signed n tensor) C (tl (str t)) _ _ _ _ _ _ _ _ Ht0), seq_nth, EM in F by exact Hj.
      eapply Rle_trans; [apply F|].
      + lra.
      + exact HK.
      + lra.
      + lra.
      + intros s i _. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
      + intros s i Hs. apply HX. now rewrite EM in Hs.
      + exact Hr.
      + exact Ht0.
      + pose proof (HL C HC). assert (INR (M - 1) <= INR T) by (apply le_INR; unfold M; lia).
        pose proof (exp_pos (- (C / 2))). pose proof (pos_INR (M - 1)).
        assert (INR (M - 1) * exp (- (C / 2)) <= INR T * exp (- (C / 2)))
          by (apply Rmult_le_compat_r; lra).
        assert (2 * K * (INR (M - 1) * exp (- (C / 2))) <= 2 * K * (INR T * exp (- (C / 2))))
          by (apply Rmult_le_compat_l; lra). lra.
    - rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra. }
  assert (Hy : forall j, Rabs (y j) <= K).
  { intro j. unfold y. destruct (Nat.ltb_spec j d) as [Hj|Hj]; [now apply HX|].
    rewrite Xsum by exact Hj. destruct (j - d <? d)%nat; [|now rewrite Rabs_R0].
    apply read_bounded; [lia|exact HX]. }
  assert (Hx : forall j, Rabs (x j) <= K + 1).
  { intro j. pose proof (Rabs_triang (x j - y j) (y j)) as G. replace (x j - y j + y j) with (x j) in G by ring.
    pose proof (Hxy j). pose proof (Hy j). lra. }
  pose proof (Hnet h Hh x Hx k) as G1.
  pose proof (block_off (plain_value (signed n tensor)) ps x y K g k HK ltac:(lra) Hxy Hy) as G2.
  fold (psize (signed n tensor) ps) in G2. assert (G3 : rho / 4 + g * (2 * K + 1) * psize (signed n tensor) ps <= rho / 2)
    by (rewrite Rmult_assoc; fold size; lra).
  assert (G4 : Rabs (block (plain_value (signed n tensor)) ps y k - summed t r k) <= rho / 2).
  { unfold ps. rewrite block_terms.
    assert (Y1 : forall j, (j < d)%nat -> y j = X r j)
      by (intros j Hj; unfold y; destruct (Nat.ltb_spec j d); [reflexivity|lia]).
    assert (Yone : y e_one = 1) by (rewrite Y1 by (e_unfold; lia); reflexivity).
    assert (Yread : y (d + e_count)%nat = read val M (sum_head n) X r e_count).
    { unfold y. destruct (Nat.ltb_spec (d + e_count) d); [lia|]. rewrite Xsum by lia.
      replace (d + e_count - d)%nat with e_count by lia.
      destruct (Nat.ltb_spec e_count d); [reflexivity|e_unfold; lia]. }
    pose proof (sum_head_reads base sink A kappa C Hk eq_refl HA t r Ht Hr) as HR. fold val in HR.
    fold M in HR. fold (short_start base sink t) in HR. fold X in HR. rewrite <- Yread in HR.
    set (z := y (d + e_count)%nat) in *. set (v := counted t (Nat.log2_up T) r) in *.
    assert (HR' : Rabs (IZR A * z - IZR v) <= delta) by lra.
    pose proof (HB' t Ht r) as Bs. rewrite EM in Bs.
    assert (Hmark : forall j, j <> e_count -> j <> e_depth2 -> summed t r j
      = encoder_tokens n T leaf (nth_error (str t) r) r j).
    { intros j H1 H2. unfold summed. destruct (Nat.eqb_spec j e_count); [contradiction|].
      destruct (Nat.eqb_spec j e_depth2); [contradiction|reflexivity]. }
    destruct (Nat.ltb_spec k d) as [Hkd'|Hkd'].
    2: { rewrite Hmark by (e_unfold; lia). rewrite tokens_beyond by exact Hkd'. rewrite Rminus_0_r, Rabs_R0. lra. }
    cbn [terms sum_stage]. unfold sum_terms.
    destruct (Nat.eqb_spec k e_count) as [->|N1].
    { unfold lsum, term_value, one_term. cbn [fold_right fst snd plain_value]. fold z. rewrite Yone.
      unfold summed. rewrite Nat.eqb_refl. fold v.
      replace (IZR A * 1 * z + 0 - IZR v) with (IZR A * z - IZR v) by ring. lra. }
    destruct (Nat.eqb_spec k e_depth2) as [->|N2].
    { unfold lsum, term_value, one_term. cbn [fold_right fst snd plain_value]. fold z.
      assert (Ym : y e_mark = IZR (mark_of (nth_error (str t) r))) by (rewrite Y1 by (e_unfold; lia); reflexivity).
      assert (Es : summed t r e_depth2 = (IZR v - y e_mark) * (IZR v - y e_mark)).
      { unfold summed. destruct (Nat.eqb_spec e_depth2 e_count); [discriminate|]. rewrite Nat.eqb_refl.
        fold v. rewrite mult_IZR, minus_IZR, Ym. reflexivity. }
      rewrite Es, !mult_IZR.
      pose proof (Bs e_count Hr) as Bc. pose proof (Bs e_mark Hr) as Bm.
      unfold summed at 1 in Bc. rewrite Nat.eqb_refl in Bc. fold v in Bc.
      rewrite Hmark in Bm by (e_unfold; lia). change (encoder_tokens n T leaf (nth_error (str t) r) r e_mark)
        with (IZR (mark_of (nth_error (str t) r))) in Bm. rewrite <- Ym in Bm.
      set (o := y e_mark) in *.
      replace (IZR A * IZR A * z * z + (-2 * IZR A * z * o + (1 * o * o + 0)) - (IZR v - o) * (IZR v - o))
        with ((IZR A * z - IZR v) * (IZR A * z - IZR v + 2 * (IZR v - o))) by ring.
      rewrite Rabs_mult. pose proof (Rabs_triang (IZR A * z - IZR v) (2 * (IZR v - o))) as T1.
      pose proof (Rabs_triang (IZR v) (- o)) as T2. rewrite Rabs_Ropp in T2.
      rewrite (Rabs_mult 2), (Rabs_pos_eq 2) in T1 by lra.
      replace (IZR v + - o) with (IZR v - o) in T2 by ring.
      apply Rle_trans with (delta * (4 * K' + 1)); [|lra].
      apply Rmult_le_compat; try apply Rabs_pos; lra. }
    rewrite Hmark by assumption.
    destruct ((k =? e_phi) || (k =? e_c))%nat eqn:Ep; unfold lsum, keep; cbn [fold_right]; rewrite keep_value, Yone.
    - rewrite (Y1 e_place) by (e_unfold; lia).
      assert (E : encoder_tokens n T leaf (nth_error (str t) r) r k = X r e_place).
      { apply orb_true_iff in Ep. rewrite !Nat.eqb_eq in Ep. destruct Ep as [-> | ->]; reflexivity. }
      rewrite E. replace (1 * X r e_place + 0 - X r e_place) with 0 by ring. rewrite Rabs_R0. lra.
    - rewrite (Y1 k) by exact Hkd'. apply orb_false_iff in Ep. destruct Ep as [Ep1 Ep2].
      assert (E : X r k = encoder_tokens n T leaf (nth_error (str t) r) r k).
      { unfold X, short_start, short_tokens. rewrite Ep1, Ep2.
        destruct (Nat.eqb_spec k e_depth2); [contradiction|reflexivity]. }
      rewrite E. match goal with |- Rabs ?e <= _ => replace e with 0 by ring end. rewrite Rabs_R0. lra. }
  unfold first_made. fold ps val X M. fold x.
  match goal with |- Rabs (?a - ?e) <= _ =>
    replace (a - e) with ((a - block (plain_value (signed n tensor)) ps x k)
      + ((block (plain_value (signed n tensor)) ps x k - block (plain_value (signed n tensor)) ps y k)
         + (block (plain_value (signed n tensor)) ps y k - e))) by ring;
    eapply Rle_trans; [apply Rabs_triang|] end.
  match goal with |- _ + Rabs (?p1 + ?p2) <= _ => pose proof (Rabs_triang p1 p2) end. lra.
Qed.
End First.
