(** * The encoder of logarithmic depth: depths by a scan, right children by one head

    Section 4.2 and Appendix C, on the model of LogDepthEncoder.v with hard attention and exact products.
    After l scan layers count is the sum of the marks of the last 2^l places, without place 1; so after
    ceil(log2 T) of them count - mark is the depth less that of place 2. The head of the next layer then
    has one largest score, by at least 1, at every token, and at an opening bracket it is at the right
    child: the terms rise and fall put all places before i + 2 behind.

    Main definitions: [scanned], [counted], [placed].
    Main theorems:    [line_target], [scan_keeps], [match_target], [match_right], [match_keeps]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Theorem1 Trees Theorem3.
From Assay Require Import TreeModel TreeBlocks TreeScores TreeContinuity SoftStep.
From Assay Require Import CleanTreeModel LogDepthEncoderLift LogDepthEncoder.
From Assay Require FreeModel.
Import ListNotations.
Open Scope R_scope.

(** ** A head that looks at a place, or at place 1 if that is before the string *)

Section Lines.
Context {Sigma : Type} (t : tree Sigma).
Local Notation w := (str t).
Local Notation M := (length (str t)).

Record lined (Y : mat) : Prop := Lined
  { l_one : forall r, (r < M)%nat -> Y r e_one = 1;
    l_place : forall r, (r < M)%nat -> Y r e_place = IZR (Z.of_nat r + 1);
    l_square : forall r, (r < M)%nat -> Y r e_square = IZR ((Z.of_nat r + 1) * (Z.of_nat r + 1)) }.

Lemma wform_twice q x : wform (map (fun p => (fst p, (2 * snd p)%Z)) q) x = 2 * wform q x.
Proof.
  unfold wform. rewrite lsum_map, Rmult_comm, lsum_scal. apply lsum_ext. intros p _. cbn [fst snd].
  rewrite mult_IZR. ring.
Qed.

Lemma line_target Y r q z s0 : lined Y -> (r < M)%nat -> (s0 < M)%nat ->
  wform q (Y r) = IZR z -> (z = Z.of_nat s0 + 1 \/ z <= 1 /\ s0 = 0%nat)%Z ->
  target (tl w) (fst (towards_form q)) (snd (towards_form q)) Everywhere Y r s0.
Proof.
  intros [H1 H2 H3] Hr H0 Hq Hz.
  assert (E : forall s, (s < M)%nat -> wscore (fst (towards_form q)) (snd (towards_form q)) (Y r) (Y s)
    = IZR (2 * z * (Z.of_nat s + 1) - (Z.of_nat s + 1) * (Z.of_nat s + 1))).
  { intros s Hs. unfold wscore, towards_form, line.
    cbn [fst snd combine lsum fold_right]. rewrite wform_twice, Hq.
    unfold wform, lsum. cbn [fold_right fst snd]. rewrite H1, H2, H3 by auto.
    rewrite minus_IZR, !mult_IZR. ring. }
  rewrite <- (rows_tail t) in H0, Hr. split; [exact H0|]. split; [reflexivity|].
  intros s Hs Hne _. rewrite (rows_tail t) in *. rewrite !E by auto. rewrite <- plus_IZR. apply IZR_le.
  destruct Hz as [->|[Hz ->]].
  - pose proof (square_pos (Z.of_nat s - Z.of_nat s0) ltac:(lia)). nia.
  - assert (1 <= Z.of_nat s)%Z by lia. nia.
Qed.

(** Among whole numbers that are all different one is the largest, by at least 1. *)
Lemma one_largest (f : nat -> Z) m :
  (forall s s', (s < S m)%nat -> (s' < S m)%nat -> f s = f s' -> s = s') ->
  exists s0, (s0 < S m)%nat /\ forall s, (s < S m)%nat -> s <> s0 -> (f s + 1 <= f s0)%Z.
Proof.
  induction m as [|m IH]; intro H.
  - exists 0%nat. split; [lia|]. intros; lia.
  - destruct IH as (s0 & Hs0 & H0); [intros s s' ? ?; apply H; lia|].
    assert (Hne : f (S m) <> f s0) by (intro E; apply H in E; lia).
    destruct (Z.lt_ge_cases (f (S m)) (f s0)).
    + exists s0. split; [lia|]. intros s Hs Hn. destruct (Nat.eq_dec s (S m)) as [->|]; [lia|].
      apply H0; lia.
    + exists (S m). split; [lia|]. intros s Hs Hn. destruct (Nat.eq_dec s s0) as [->|]; [lia|].
      pose proof (H0 s ltac:(lia) ltac:(lia)). lia.
Qed.
End Lines.

(** ** The scan *)

Section Scan.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R)
  (T : nat) (t : tree Sigma).
Hypothesis fits : (length (str t) <= T)%nat.

Local Notation w := (str t).
Local Notation M := (length (str t)).
Local Notation d := (encoder_dimension n).
Local Notation D := (depth w).
Local Notation token r := (encoder_tokens n T leaf (nth_error w r) r).
Local Notation exact := (exact_step d leaf tensor t).
Local Notation markz r := (mark_of (nth_error w r)).

Definition encoder_start : mat := fun r => token r.

Definition counted (l r : nat) : Z := (D (r + 1) - D (Nat.max 1 (r + 1 - 2 ^ l)))%Z.

Record scanned (l : nat) (Y : mat) : Prop := Scanned
  { s_count : forall r, (r < M)%nat -> Y r e_count = IZR (counted l r);
    s_depth2 : forall r, (r < M)%nat ->
      Y r e_depth2 = IZR ((counted l r - markz r) * (counted l r - markz r));
    s_rest : forall r c, (r < M)%nat -> c <> e_count -> c <> e_depth2 -> Y r c = token r c }.

Lemma token_lined (Y : mat) :
  (forall r c, (r < M)%nat -> (c < 3)%nat -> Y r c = token r c) -> lined t Y.
Proof.
  intro H. split; intros r Hr; rewrite H by (auto; e_unfold; lia); cbn; rewrite ?mult_IZR; reflexivity.
Qed.

Lemma scanned_lined l Y : scanned l Y -> lined t Y.
Proof. intros [_ _ H]. apply token_lined. intros. apply H; e_unfold; lia. Qed.

Lemma counted_0 r : counted 0 r = if (r =? 0)%nat then 0%Z else markz r.
Proof.
  unfold counted. destruct r as [|r]; cbn [Nat.eqb].
  - cbn. lia.
  - replace (Nat.max 1 (S r + 1 - 2 ^ 0)) with (S r) by (rewrite Nat.pow_0_r; lia).
    replace (S r + 1)%nat with (S (S r)) by lia. rewrite (depth_step w (S r)). lia.
Qed.

Lemma scanned_start : scanned 0 encoder_start.
Proof.
  split; unfold encoder_start.
  - intros r _. rewrite counted_0. cbn. now destruct (r =? 0)%nat.
  - intros r _. rewrite counted_0. cbn -[IZR Z.mul Z.sub]. destruct (r =? 0)%nat; rewrite mult_IZR, minus_IZR; ring.
  - reflexivity.
Qed.

Lemma counted_S l r : counted (S l) r = (counted l r + counted l (r - 2 ^ l))%Z.
Proof.
  unfold counted. pose proof (Nat.pow_nonzero 2 l ltac:(lia)).
  replace (2 ^ S l)%nat with (2 ^ l + 2 ^ l)%nat by (cbn; lia). set (p := (2 ^ l)%nat) in *.
  destruct (Nat.le_gt_cases p r) as [Hr|Hr].
  - replace (Nat.max 1 (r + 1 - p)) with (r - p + 1)%nat by lia.
    replace (r - p + 1 - p)%nat with (r + 1 - (p + p))%nat by lia. lia.
  - replace (r - p)%nat with 0%nat by lia.
    replace (Nat.max 1 (r + 1 - (p + p))) with 1%nat by lia.
    replace (Nat.max 1 (r + 1 - p)) with 1%nat by lia.
    replace (Nat.max 1 (0 + 1 - p)) with 1%nat by lia. cbn [Nat.add]. lia.
Qed.

Lemma back_target l Y r : lined t Y -> (r < M)%nat ->
  target (tl w) (fst (back_look l)) (snd (back_look l)) Everywhere Y r (r - 2 ^ l).
Proof.
  intros HY Hr. pose proof HY as [H1 H2 _].
  apply (line_target t Y r _ (Z.of_nat r + 1 - 2 ^ Z.of_nat l)); auto; [lia| |].
  - unfold wform, lsum. cbn -[IZR Z.pow Z.opp Z.of_nat Z.add Z.sub]. rewrite H1, H2 by auto.
    rewrite !minus_IZR, opp_IZR. ring.
  - assert (E : (2 ^ Z.of_nat l = Z.of_nat (2 ^ l))%Z) by (rewrite Nat2Z.inj_pow; reflexivity).
    rewrite E. destruct (Nat.le_gt_cases (2 ^ l) r); [left; lia|right; lia].
Qed.

Lemma own_target Y r : lined t Y -> (r < M)%nat ->
  target (tl w) (fst own_look) (snd own_look) Everywhere Y r r.
Proof.
  intros HY Hr. pose proof HY as [H1 H2 _].
  apply (line_target t Y r _ (Z.of_nat r + 1)); auto.
  unfold wform, lsum. cbn -[IZR Z.of_nat Z.add]. rewrite H2 by auto. ring.
Qed.

(** What a scan layer finds, and what it leaves. *)
Lemma scan_finds l Y r : scanned l Y -> (r < M)%nat ->
  Forall (aims (tl w) Y r) (specs d (scan_stage n l)).
Proof.
  intros HY Hr. apply scanned_lined in HY. repeat constructor; eexists.
  - now apply own_target.
  - now apply back_target.
Qed.

(** What a stage with two heads finds in a token, and leaves. *)
Lemma two_looks Y g look r j c : lined t Y -> (r < M)%nat -> looks g = [own_look; look] ->
  target (tl w) (fst look) (snd look) Everywhere Y r j ->
  exists x, (forall k, (k < d)%nat -> x k = Y r k) /\ (forall k, (k < d)%nat -> x (d + k)%nat = Y j k) /\
    exact Y g r c = if (c <? d)%nat then lsum (term_value (plain_value tensor) x) (terms g c) else 0.
Proof.
  intros HL Hr Hg Hj.
  destruct (exact_row d leaf tensor t Y g r (fun h => match h with O => r | _ => j end) c) as (x & Hx & Ex).
  { rewrite Hg. intros [|[|h]] Hh; cbn [nth length] in *; [now apply own_target|exact Hj|lia]. }
  rewrite Hg in Hx. exists x. split; [|split; [|exact Ex]]; intros k Hk.
  - exact (Hx 0%nat k (Nat.lt_0_succ _) Hk).
  - pose proof (Hx 1%nat k (le_n _) Hk) as G. now rewrite Nat.mul_1_l in G.
Qed.

Lemma keep_value x c : term_value (plain_value tensor) x (e_one, c, Whole 1) = x e_one * x c.
Proof. unfold term_value. cbn [fst snd plain_value]. ring. Qed.

Theorem scan_keeps l Y : scanned l Y -> scanned (S l) (exact Y (scan_stage n l)).
Proof.
  intro HY. pose proof (scanned_lined l Y HY) as HL. pose proof HY as [H1 H2 H3].
  pose proof (dimension_12 n).
  assert (G : forall r, (r < M)%nat ->
    exact Y (scan_stage n l) r e_count = IZR (counted (S l) r) /\
    exact Y (scan_stage n l) r e_depth2
    = IZR ((counted (S l) r - markz r) * (counted (S l) r - markz r)) /\
    forall c, c <> e_count -> c <> e_depth2 -> exact Y (scan_stage n l) r c = token r c).
  { intros r Hr. set (s := (r - 2 ^ l)%nat).
    assert (Hs : (s < M)%nat) by (unfold s; lia).
    assert (E := fun c => two_looks Y (scan_stage n l) (back_look l) r s c HL Hr eq_refl (back_target l Y r HL Hr)).
    cbn [terms scan_stage] in E.
    assert (Hm : Y r e_mark = IZR (markz r)) by (rewrite H3 by (auto; e_unfold; lia); reflexivity).
    split; [|split].
    - destruct (E e_count) as (x & X1 & X2 & ->). unfold scan_terms. e_unfold.
      destruct (Nat.ltb_spec 7 d); [|lia]. cbn [Nat.eqb].
      change (keep 7 ++ keep (d + 7)) with [(e_one, 7%nat, Whole 1); (e_one, (d + 7)%nat, Whole 1)].
      unfold lsum. cbn [fold_right]. rewrite !keep_value. rewrite X1, X1, X2 by (e_unfold; lia).
      pose proof (l_one t Y HL r Hr) as O. e_unfold. rewrite O, !H1 by auto. rewrite counted_S, plus_IZR.
      fold s. ring.
    - destruct (E e_depth2) as (x & X1 & X2 & ->). unfold scan_terms. e_unfold.
      destruct (Nat.ltb_spec 9 d); [|lia]. cbn [Nat.eqb].
      unfold lsum, term_value, one_term. cbn -[IZR Nat.add encoder_dimension Z.mul Z.sub].
      rewrite (X1 7%nat), (X1 8%nat), (X2 7%nat) by lia. rewrite !H1, Hm by auto. rewrite counted_S. fold s.
      rewrite mult_IZR, minus_IZR, plus_IZR. ring.
    - intros c Hc Hc'. destruct (E c) as (x & X1 & X2 & ->). unfold scan_terms.
      destruct (Nat.eqb_spec c e_count); [contradiction|].
      destruct (Nat.eqb_spec c e_depth2); [contradiction|].
      destruct (Nat.ltb_spec c d).
      + unfold lsum, keep. cbn [fold_right]. rewrite keep_value, !X1 by (e_unfold; lia).
        rewrite (l_one t Y HL r Hr), H3 by auto. ring.
      + unfold encoder_tokens. unfold e_M. destruct (Nat.ltb_spec c 12); [lia|].
        unfold encoder_dimension in *. destruct (Nat.ltb_spec c (12 + n)); [lia|].
        destruct (Nat.ltb_spec c (12 + n + n * n)); [lia|reflexivity]. }
  split.
  - intros r Hr. now apply (G r Hr).
  - intros r Hr. now apply (G r Hr).
  - intros r k Hr. now apply (G r Hr).
Qed.

(** ** The match *)

Local Notation B := (IZR (W T)).

(** The depth, less that of place 2. *)
Definition level (r : nat) : Z := (D r - D 1)%Z.

Lemma counted_all r : (r < M)%nat -> (counted (Nat.log2_up T) r - markz r = level r)%Z.
Proof.
  intro Hr. unfold counted, level.
  assert (T <= 2 ^ Nat.log2_up T)%nat by (apply Nat.log2_log2_up_spec; lia).
  replace (Nat.max 1 (r + 1 - 2 ^ Nat.log2_up T)) with 1%nat by lia.
  replace (r + 1)%nat with (S r) by lia. rewrite depth_step. lia.
Qed.

(** The part of the score that is a whole number. *)
Definition mscore (r s : nat) : Z :=
  (- (2 * (Z.of_nat s + 1)) - W T * ((level s - level r - 1) * (level s - level r - 1))
   + W T * ((level r + 1) * (level r + 1)))%Z.

Lemma match_score Y r s : scanned (Nat.log2_up T) Y -> (r < M)%nat -> (s < M)%nat ->
  wscore (fst (match_look T)) (snd (match_look T)) (Y r) (Y s)
  = - (IZR (open_of (nth_error w r)) * B ^ (r + 2) * / B ^ s) + IZR (mscore r s).
Proof.
  intros HY Hr Hs. pose proof (scanned_lined _ _ HY) as [L1 L2 _]. destruct HY as [H1 H2 H3].
  assert (Hm : forall q, (q < M)%nat -> Y q e_mark = IZR (markz q))
    by (intros; rewrite H3 by (auto; e_unfold; lia); reflexivity).
  assert (Hri : Y r e_rise = IZR (open_of (nth_error w r)) * B ^ (r + 2))
    by (rewrite H3 by (auto; e_unfold; lia); reflexivity).
  assert (Hfa : Y s e_fall = / B ^ s)
    by (rewrite H3 by (auto; e_unfold; lia); reflexivity).
  unfold wscore, match_look, wform, lsum. cbn [fst snd combine fold_right].
  rewrite Hri, Hfa, !L1, !L2, !H1, !H2, !Hm by auto.
  unfold mscore. rewrite <- !counted_all by auto.
  repeat (rewrite minus_IZR || rewrite plus_IZR || rewrite mult_IZR || rewrite opp_IZR). ring.
Qed.

Lemma base_big : 2 * IZR (Z.of_nat T) + 2 = B.
Proof. unfold W. now rewrite plus_IZR, mult_IZR. Qed.

Lemma base_pos : 2 <= B.
Proof. rewrite <- base_big. pose proof (IZR_le 0 (Z.of_nat T) ltac:(lia)). lra. Qed.

(** rise fall = B^(r + 2 - s). *)
Lemma rise_fall_after r s : (r + 2 <= s)%nat -> 0 <= B ^ (r + 2) * / B ^ s <= 1.
Proof.
  intro H. pose proof base_pos as HB. set (k := (s - (r + 2))%nat).
  assert (E : B ^ s = B ^ (r + 2) * B ^ k) by (rewrite <- pow_add; f_equal; unfold k; lia).
  pose proof (pow_lt B (r + 2) ltac:(lra)). pose proof (pow_lt B k ltac:(lra)). rewrite E.
  replace (B ^ (r + 2) * / (B ^ (r + 2) * B ^ k)) with (/ B ^ k) by (field; split; lra).
  split; [left; now apply Rinv_0_lt_compat|]. rewrite <- Rinv_1. apply Rinv_le_contravar; [lra|].
  apply pow_R1_Rle. lra.
Qed.

Lemma rise_fall_before r s : (s < r + 2)%nat -> B <= B ^ (r + 2) * / B ^ s.
Proof.
  intro H. pose proof base_pos as HB. set (k := (r + 1 - s)%nat).
  assert (E : B ^ (r + 2) = B ^ s * (B * B ^ k)).
  { change (B * B ^ k) with (B ^ S k). rewrite <- pow_add. f_equal. unfold k. lia. }
  pose proof (pow_lt B s ltac:(lra)). rewrite E.
  replace (B ^ s * (B * B ^ k) * / B ^ s) with (B * B ^ k) by (field; lra).
  pose proof (pow_R1_Rle B k ltac:(lra)). nra.
Qed.

(** At an opening bracket: the right child. *)
Theorem match_right r l r' : occurs w r (Node l r') ->
  let j := (r + 1 + length (str l))%nat in
  (j < M)%nat /\ forall s, (s < M)%nat -> s <> j ->
    - (B ^ (r + 2) * / B ^ s) + IZR (mscore r s) + 1 <= - (B ^ (r + 2) * / B ^ j) + IZR (mscore r j).
Proof.
  intros Ho j. destruct (right_child _ w r l r' Ho) as (Hj & _ & Hd & Hfirst). fold j in Hj, Hd, Hfirst.
  split; [lia|]. intros s Hs Hne.
  assert (Ed : forall q, level q = (depth_at w q - D 1)%Z) by reflexivity.
  assert (Ej : mscore r j
    = (- (2 * (Z.of_nat j + 1)) + W T * ((level r + 1) * (level r + 1)))%Z).
  { unfold mscore. replace (level j - level r - 1)%Z with 0%Z by (rewrite !Ed; lia). ring. }
  pose proof (rise_fall_after r j ltac:(lia)) as [_ H1].
  assert (Hk : (mscore r s = - (2 * (Z.of_nat s + 1))
    - W T * ((level s - level r - 1) * (level s - level r - 1)) + W T * ((level r + 1) * (level r + 1)))%Z)
    by reflexivity.
  set (k := (level s - level r - 1)%Z) in *. set (e := (W T * ((level r + 1) * (level r + 1)))%Z) in *.
  assert (HW : (0 <= W T)%Z) by (unfold W; lia).
  destruct (Nat.lt_ge_cases s (r + 2)) as [Hb|Ha].
  - pose proof (rise_fall_before r s Hb) as H2. pose proof base_big as HB.
    assert (0 <= W T * (k * k))%Z by (apply Z.mul_nonneg_nonneg; [exact HW|apply Z.square_nonneg]).
    assert (G : (mscore r s <= mscore r j + 2 * Z.of_nat T)%Z) by lia.
    apply IZR_le in G. rewrite plus_IZR, mult_IZR in G. lra.
  - pose proof (rise_fall_after r s Ha) as [H2 _].
    assert (G : (mscore r s + 2 <= mscore r j)%Z).
    { destruct (Z.eq_dec k 0) as [K0|K0].
      - assert (j < s)%nat.
        { destruct (Nat.lt_ge_cases s j); [|lia]. exfalso. apply (Hfirst s ltac:(lia)).
          unfold k in K0. rewrite !Ed in K0. lia. }
        rewrite Hk, Ej, K0. lia.
      - pose proof (square_pos k K0) as K1.
        assert (W T * 1 <= W T * (k * k))%Z by (apply Z.mul_le_mono_nonneg_l; lia).
        rewrite Hk, Ej. unfold W in *. lia. }
    apply IZR_le in G. rewrite plus_IZR in G. lra.
Qed.

(** At other tokens no two scores are the same. *)
Lemma match_differs r s s' : (s < M)%nat -> (s' < M)%nat -> mscore r s = mscore r s' -> s = s'.
Proof.
  intros Hs Hs' E. unfold mscore in E.
  set (k := ((level s - level r - 1) * (level s - level r - 1))%Z) in *.
  set (k' := ((level s' - level r - 1) * (level s' - level r - 1))%Z) in *.
  assert (Hk : k = k').
  { assert (E2 : (W T * (k' - k) = 2 * (Z.of_nat s - Z.of_nat s'))%Z) by lia. unfold W in E2.
    destruct (Z.lt_trichotomy k k') as [Hk|[Hk|Hk]]; [|exact Hk|]; exfalso.
    - assert ((2 * Z.of_nat T + 2) * 1 <= (2 * Z.of_nat T + 2) * (k' - k))%Z
        by (apply Z.mul_le_mono_nonneg_l; lia). lia.
    - assert ((2 * Z.of_nat T + 2) * (k' - k) <= (2 * Z.of_nat T + 2) * (-1))%Z
        by (apply Z.mul_le_mono_nonneg_l; lia). lia. }
  rewrite <- Hk in E. lia.
Qed.

Lemma open_cases r : (open_of (nth_error w r) = 0 \/ open_of (nth_error w r) = 1)%Z.
Proof. destruct (nth_error w r) as [[a| |]|]; cbn; auto. Qed.

Lemma open_occurs r : open_of (nth_error w r) = 1%Z -> exists l r', occurs w r (Node l r').
Proof.
  intro H. destruct (nth_error w r) as [[a| |]|] eqn:E; cbn in H; try discriminate.
  destruct (tau_exists _ t r Open E ltac:(discriminate)) as (k & u & Hu). apply node_occurs in Hu.
  destruct u as [a|l r']; [|now exists l, r']. exfalso. destruct Hu as (b & v & Ew & Hb).
  rewrite Ew, nth_error_app2, Hb, Nat.sub_diag in E by lia. discriminate.
Qed.

Theorem match_target Y r : scanned (Nat.log2_up T) Y -> (r < M)%nat -> exists j,
  target (tl w) (fst (match_look T)) (snd (match_look T)) Everywhere Y r j /\
  forall l r', occurs w r (Node l r') -> j = (r + 1 + length (str l))%nat.
Proof.
  intros HY Hr.
  set (f := fun s => - (IZR (open_of (nth_error w r)) * B ^ (r + 2) * / B ^ s) + IZR (mscore r s)).
  assert (G : exists j, (j < M)%nat /\ (forall s, (s < M)%nat -> s <> j -> f s + 1 <= f j)
    /\ forall l r', occurs w r (Node l r') -> j = (r + 1 + length (str l))%nat).
  { unfold f. destruct (open_cases r) as [H0|H1].
    - destruct (one_largest (mscore r) (M - 1)) as (j & Hj & H).
      { intros s s' Hs Hs'. apply match_differs; lia. }
      exists j. split; [lia|]. split.
      + intros s Hs Hne. rewrite H0, !Rmult_0_l, Ropp_0, !Rplus_0_l, <- plus_IZR.
        apply IZR_le, H; [lia|exact Hne].
      + intros l r' (b & v & Ew & Hb). exfalso.
        rewrite Ew, nth_error_app2, Hb, Nat.sub_diag in H0 by lia. discriminate.
    - destruct (open_occurs r H1) as (l & r' & Ho). destruct (match_right r l r' Ho) as [Hj H].
      eexists. split; [exact Hj|]. split.
      + intros s Hs Hne. rewrite H1, Rmult_1_l. now apply H.
      + intros l0 r0 Ho'. pose proof (tau_unique _ _ _ _ _ Ho Ho') as E. now injection E as -> ->. }
  destruct G as (j & Hj & H & Hn). exists j. split; [|exact Hn].
  rewrite <- (rows_tail t) in Hj. split; [exact Hj|]. split; [reflexivity|].
  intros s Hs Hne _. rewrite (rows_tail t) in *. rewrite !match_score by auto. now apply H.
Qed.

(** After the match: phi is the place of the right child. *)
Record placed (Y : mat) : Prop := Placed
  { p_phi : forall r, (r < M)%nat -> exists j, (j < M)%nat /\ Y r e_phi = IZR (Z.of_nat j + 1) /\
      forall l r', occurs w r (Node l r') -> j = (r + 1 + length (str l))%nat;
    p_rest : forall r c, (r < M)%nat -> (c < 7 \/ 12 <= c)%nat -> c <> e_phi -> Y r c = token r c }.

Lemma match_finds Y r : scanned (Nat.log2_up T) Y -> (r < M)%nat ->
  Forall (aims (tl w) Y r) (specs d (match_stage n T)).
Proof.
  intros HY Hr. pose proof (scanned_lined _ _ HY). repeat constructor; cbn.
  - eexists. now apply own_target.
  - destruct (match_target Y r HY Hr) as (j & Hj & _). now exists j.
Qed.

Theorem match_keeps Y : scanned (Nat.log2_up T) Y -> placed (exact Y (match_stage n T)).
Proof.
  intro HY. pose proof (scanned_lined _ _ HY) as HL. pose proof HY as [_ _ H3].
  pose proof (dimension_12 n).
  assert (G : forall r, (r < M)%nat -> exists j, (j < M)%nat /\
    (forall l r', occurs w r (Node l r') -> j = (r + 1 + length (str l))%nat) /\
    exact Y (match_stage n T) r e_phi = IZR (open_of (nth_error w r)) * IZR (Z.of_nat j + 1)
      + (1 - IZR (open_of (nth_error w r))) * IZR (Z.of_nat r + 1) /\
    forall c, (c < 7 \/ 12 <= c)%nat -> c <> e_phi -> exact Y (match_stage n T) r c = token r c).
  { intros r Hr. destruct (match_target Y r HY Hr) as (j & Hj & Hn).
    assert (Hjm : (j < M)%nat) by (destruct Hj as [Hj _]; now rewrite (rows_tail t) in Hj).
    exists j. split; [exact Hjm|]. split; [exact Hn|].
    assert (E := fun c => two_looks Y (match_stage n T) (match_look T) r j c HL Hr eq_refl Hj).
    cbn [terms match_stage] in E.
    split.
    - destruct (E e_phi) as (x & X1 & X2 & ->). unfold match_terms.
      destruct (Nat.ltb_spec e_phi d); [|e_unfold; lia]. rewrite Nat.eqb_refl.
      unfold lsum, term_value, one_term. cbn [fold_right fst snd plain_value].
      rewrite (X2 e_place), (X1 e_g), (X1 e_place), (X1 e_one) by (e_unfold; lia).
      rewrite (l_one t Y HL r Hr), (l_place t Y HL r Hr), (l_place t Y HL j Hjm).
      assert (Hg : Y r e_g = IZR (open_of (nth_error w r)))
        by (rewrite H3 by (auto; e_unfold; lia); reflexivity).
      rewrite Hg. ring.
    - intros c Hc Hc'. destruct (E c) as (x & X1 & X2 & ->). unfold match_terms.
      destruct (Nat.eqb_spec c e_phi); [contradiction|].
      replace ((7 <=? c) && (c <? 12))%nat with false.
      2: { symmetry. apply andb_false_iff. rewrite Nat.leb_gt, Nat.ltb_ge. lia. }
      destruct (Nat.ltb_spec c d).
      + unfold lsum, keep. cbn [fold_right]. rewrite keep_value, !X1 by (e_unfold; lia).
        rewrite (l_one t Y HL r Hr), H3 by (auto; e_unfold; lia). ring.
      + unfold encoder_tokens. unfold e_M. destruct (Nat.ltb_spec c 12); [lia|].
        unfold encoder_dimension in *. destruct (Nat.ltb_spec c (12 + n)); [lia|].
        destruct (Nat.ltb_spec c (12 + n + n * n)); [lia|reflexivity]. }
  split; [intros r Hr|intros r k Hr]; destruct (G r Hr) as (j & Hj & Hn & G1 & G2); [|exact (G2 k)].
  destruct (open_cases r) as [Ho|Ho]; rewrite Ho in G1.
  - exists r. split; [assumption|]. split; [rewrite G1; ring|].
    intros l r' (b & v & Ew & Hb). exfalso.
    rewrite Ew, nth_error_app2, Hb, Nat.sub_diag in Ho by lia. discriminate.
  - exists j. split; [exact Hj|]. split; [rewrite G1; ring|exact Hn].
Qed.
End Scan.
