(** * The two preparing layers and the scores of all heads, for every tree

    Section 4.2 and Appendix C, "Enriched embedding" and "Tree parsing", repaired, on the model of
    TreeModel.v. After the first layer the count of every token is its depth d, exactly, with hard
    attention and with softmax; after the second its mark is d^2 + c up to eta, c the flag of left
    children and eta the error of the head that finds it (0 with hard attention). Scores are then
    whole numbers, times C with softmax, but for the error of the flags. In whole numbers the
    largest score is above all others by at least 1: in the left head of an opening bracket at the
    next token, of any other token at the end token, in the right head of an opening bracket at the
    beginning of its right subtree.

    Main definitions: [kind_at], [flag], [depth], [prepared], [after] (the tokens after the two
                      layers and l parse layers), [left_score], [right_score],
                      [stands_out].
    Main theorems:    [first_layer_depth], [prepared_after_two], [previous_gap],
                      [left_gap], [right_gap], [right_no_tie], [previous_out], [left_out], [right_out]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Activation Theorem1 Trees Theorem3 TreeModel TreeBlocks.
Import ListNotations.
Open Scope R_scope.

(** ** Depths, flags and kinds *)

Section Prepared.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R)
  (C : R) (w : list (symbol Sigma)).
Variable tokens : nat.              (* the N of the weights *)
Variable kind : attention.

Local Notation M := (rows w).
Local Notation val := (value leaf tensor C w).
Local Notation E := (embedded n leaf tensor C w).
Local Notation again := [at_place n; at_square n].
Local Notation layer_of ly X := (run_layer val M again E X ly).
Local Notation kappa := (kappa C kind).

Hypothesis hard_or_soft : kind <> Saturated.

Definition kind_at (r : nat) : Z := kind_of (nth_error w r).
Definition flag (r : nat) : Z := kind_at (r - 1).
Definition depth (r : nat) : Z := depth_at w r.

Lemma depth_step r : depth (S r) = (depth r + mark_of (nth_error w r))%Z.
Proof.
  unfold depth, depth_at. revert r. induction w as [|s v IH]; intro r.
  - destruct r; reflexivity.
  - destruct r as [|r]; [simpl; lia|]. specialize (IH r).
    change (mark s + total Sigma (firstn (S r) v)
            = mark s + total Sigma (firstn r v) + mark_of (nth_error v r))%Z. lia.
Qed.

Lemma depth_sum r : sum r (fun s => IZR (mark_of (nth_error w s))) = IZR (depth r).
Proof.
  induction r as [|r IH]; [reflexivity|]. rewrite depth_step, plus_IZR, <- IH. reflexivity.
Qed.

Lemma embedded_row r :
  E r (at_one n) = 1 /\ E r (at_place n) = IZR (Z.of_nat r + 1) /\
  E r (at_square n) = IZR ((Z.of_nat r + 1) * (Z.of_nat r + 1)) /\
  E r (at_count n) = IZR (Z.of_nat r + 1) /\
  E r (at_kind n) = IZR (kind_at r) /\ E r (at_mark n) = IZR (mark_of (nth_error w r)).
Proof.
  coordinates. unfold embedded, embedding, kind_at. decide_eqb.
  replace (n - n)%nat with 0%nat by lia. replace (n + 1 - n)%nat with 1%nat by lia.
  replace (n + 2 - n)%nat with 2%nat by lia. replace (n + 3 - n)%nat with 3%nat by lia.
  replace (n + 4 - n)%nat with 4%nat by lia. replace (n + 5 - n)%nat with 5%nat by lia.
  repeat split; reflexivity.
Qed.

(** What a token holds after the first two layers; the flags may be off by eta. *)
Record prepared (eta : R) (X : mat) : Prop := Prepared
  { p_one : forall r, (r < M)%nat -> X r (at_one n) = 1;
    p_place : forall r, (r < M)%nat -> X r (at_place n) = IZR (Z.of_nat r + 1);
    p_square : forall r, (r < M)%nat ->
      X r (at_square n) = IZR ((Z.of_nat r + 1) * (Z.of_nat r + 1));
    p_count : forall r, (r < M)%nat -> X r (at_count n) = IZR (depth r);
    p_kind : forall r, (r < M)%nat -> X r (at_kind n) = IZR (kind_at r);
    p_mark : forall r, (r < M)%nat ->
      Rabs (X r (at_mark n) - IZR (depth r * depth r + flag r)) <= eta }.

(** Tokens after the two preparing layers and l parse layers. *)
Definition after (l : nat) : mat :=
  run_layers val M again E
    (first_layer n kind :: second_layer n kind :: repeat (parse_layer n tokens kind) l).

Lemma after_S l : after (S l) = layer_of (parse_layer n tokens kind) (after l).
Proof.
  unfold after, run_layers. cbn [repeat]. rewrite repeat_cons. cbn [fold_left].
  now rewrite fold_left_app.
Qed.

(** The first layer: the count of every token is its depth, at the end token too. *)
Theorem first_layer_depth r : (r < M)%nat ->
  layer_of (first_layer n kind) E r (at_count n) = IZR (depth r).
Proof.
  intro Hr. destruct (first_layer_row n leaf tensor C w kind hard_or_soft E r Hr) as (_ & -> & _).
  destruct (embedded_row r) as (-> & _ & _ & -> & _ & ->). rewrite mean_reads by auto.
  rewrite (sum_ext (S r) _ (fun s => IZR (mark_of (nth_error w s)))).
  - rewrite depth_sum, depth_step, !plus_IZR, <- INR_IZR_INZ. field.
    pose proof (pos_INR r). lra.
  - intros p Hp. now destruct (embedded_row p) as (_ & _ & _ & _ & _ & ->).
Qed.

(** After two layers, if the head for the flags is right up to eta. *)
Theorem prepared_after_two eta :
  (forall r, (r < M)%nat ->
     Rabs (read val M (previous_head n kind) E r 0%nat - IZR (flag r)) <= eta) ->
  prepared eta (after 0) /\ forall r k, (r < M)%nat -> (k < n)%nat -> after 0 r k = E r k.
Proof.
  intro Hflag. unfold after, run_layers. cbn [fold_left repeat].
  set (X := layer_of (first_layer n kind) E).
  assert (H1 : forall r, (r < M)%nat -> X r (at_one n) = 1 /\ X r (at_kind n) = IZR (kind_at r)
    /\ Rabs (X r (at_mark n) - IZR (flag r)) <= eta
    /\ forall k, (k < n)%nat -> X r k = E r k).
  { intros r Hr. destruct (first_layer_row n leaf tensor C w kind hard_or_soft E r Hr)
      as (H1 & _ & H3 & H4 & H5).
    destruct (embedded_row r) as (E1 & _ & _ & _ & E2 & _). fold X in H1, H3, H4, H5.
    rewrite H1, H3, H4, E1, E2, !Rmult_1_l. repeat split; auto.
    intros k Hk. rewrite H5, E1 by auto. ring. }
  assert (Hd : forall r, (r < M)%nat -> X r (at_count n) = IZR (depth r))
    by (intros; now apply first_layer_depth).
  assert (H2 := second_layer_row n leaf tensor C w kind hard_or_soft X). cbv zeta in H2.
  split; [split|]; intros r; intros.
  - destruct (H2 r H) as (-> & _). destruct (H1 r H) as (-> & _). ring.
  - rewrite (proj1 (place_again n leaf tensor C w X _ r)).
    now destruct (embedded_row r) as (_ & -> & _).
  - rewrite (proj2 (place_again n leaf tensor C w X _ r)).
    now destruct (embedded_row r) as (_ & _ & -> & _).
  - destruct (H2 r H) as (_ & -> & _). destruct (H1 r H) as (-> & _). rewrite Hd by auto. ring.
  - destruct (H2 r H) as (_ & _ & -> & _). destruct (H1 r H) as (-> & -> & _). ring.
  - destruct (H2 r H) as (_ & _ & _ & -> & _). destruct (H1 r H) as (-> & _ & Hm & _).
    rewrite Hd by auto. rewrite plus_IZR, mult_IZR.
    match goal with |- Rabs ?a <= _ => replace a with (X r (at_mark n) - IZR (flag r)) by ring end.
    exact Hm.
  - destruct (H2 r H) as (_ & _ & _ & _ & H5). destruct (H1 r H) as (E1 & _ & _ & E2).
    rewrite H5, E1, E2 by auto. ring.
Qed.

Lemma parse_keeps eta X : prepared eta X -> prepared eta (layer_of (parse_layer n tokens kind) X).
Proof.
  intros [P1 P2 P3 P4 P5 P6].
  assert (H := parse_layer_row n leaf tensor C w tokens kind hard_or_soft X). cbv zeta in H.
  split; intros r Hr.
  - destruct (H r Hr) as (-> & _). rewrite P1 by auto. ring.
  - rewrite (proj1 (place_again n leaf tensor C w X _ r)).
    now destruct (embedded_row r) as (_ & -> & _).
  - rewrite (proj2 (place_again n leaf tensor C w X _ r)).
    now destruct (embedded_row r) as (_ & _ & -> & _).
  - destruct (H r Hr) as (_ & -> & _). rewrite P1, P4 by auto. ring.
  - destruct (H r Hr) as (_ & _ & -> & _). rewrite P1, P5 by auto. ring.
  - destruct (H r Hr) as (_ & _ & _ & -> & _). rewrite P1, Rmult_1_l by auto. now apply P6.
Qed.

(** ** Scores, as whole numbers times kappa *)

Definition previous_score (r s : nat) : Z :=
  let i := (Z.of_nat r + 1)%Z in let j := (Z.of_nat s + 1)%Z in ((2 * i - 2) * j - j * j)%Z.

Definition left_score (r s : nat) : Z :=
  let i := (Z.of_nat r + 1)%Z in let j := (Z.of_nat s + 1)%Z in
  ((2 * i + 2) * j - j * j + end_weight tokens * (kind_at r - 1) * kind_at s)%Z.

Definition right_score (r s : nat) : Z :=
  (- beta tokens * (depth s * depth s + flag s)
   + 2 * beta tokens * (depth r + 1) * depth s - (Z.of_nat s + 1))%Z.

Lemma score_previous r s :
  score val (previous_head n kind) E r s = kappa * IZR (previous_score r s).
Proof.
  destruct (embedded_row r) as (R1 & R2 & R3 & _). destruct (embedded_row s) as (S1 & S2 & S3 & _).
  unfold score, previous_head, scored, towards, places. cbn -[IZR Z.mul Z.add].
  rewrite !value_scale, R1, R2, S2, S3. unfold previous_score.
  push_IZR. ring.
Qed.

Lemma score_left eta X r s : prepared eta X -> (r < M)%nat -> (s < M)%nat ->
  score val (left_head n tokens kind) X r s = kappa * IZR (left_score r s).
Proof.
  intros [P1 P2 P3 P4 P5 _] Hr Hs.
  unfold score, left_head, scored, towards, places. cbn -[IZR Z.mul Z.add end_weight].
  rewrite !value_scale, P1, P2, P2, P3, P5, P5 by auto. unfold left_score.
  push_IZR. ring.
Qed.

Lemma score_right eta X r s : prepared eta X -> (r < M)%nat -> (s < M)%nat ->
  score val (right_head n tokens kind) X r s
  = kappa * (IZR (right_score r s)
             - IZR (beta tokens) * (X s (at_mark n) - IZR (depth s * depth s + flag s))).
Proof.
  intros [P1 P2 P3 P4 P5 _] Hr Hs.
  unfold score, right_head, scored. cbn -[IZR Z.mul Z.add beta].
  rewrite !value_scale, P1, P2, P4, P4 by auto. unfold right_score.
  push_IZR. ring.
Qed.
End Prepared.

(** ** Where the scores are largest, in whole numbers *)

Section Gaps.
Context {Sigma : Type} (w : list (symbol Sigma)) (tokens : nat).
Open Scope Z_scope.

Local Notation M := (rows w).
Local Notation kind_at := (kind_at w).
Local Notation flag := (flag w).
Local Notation depth := (depth w).
Local Notation left_score := (left_score w tokens).
Local Notation right_score := (right_score w tokens).

Lemma kind_inside r : (r < length w)%nat -> 0 <= kind_at r <= 1.
Proof.
  intro Hr. unfold kind_at. destruct (nth_error w r) as [[a| |]|] eqn:Es; simpl; try lia.
  apply nth_error_None in Es. lia.
Qed.

Lemma kind_end : kind_at (length w) = -1.
Proof.
  unfold kind_at. now replace (nth_error w (length w)) with (@None (symbol Sigma))
    by (symmetry; now apply nth_error_None).
Qed.

Lemma kind_range r : (r < M)%nat -> -1 <= kind_at r <= 1.
Proof.
  intro Hr. unfold rows in Hr. destruct (Nat.eq_dec r (length w)) as [->|].
  - rewrite kind_end. lia.
  - pose proof (kind_inside r ltac:(lia)). lia.
Qed.

Lemma kind_open r : kind_at r = 1 <-> nth_error w r = Some Open.
Proof.
  unfold kind_at. destruct (nth_error w r) as [[a| |]|]; simpl; split; (discriminate || auto).
Qed.

Lemma flag_inside r : (r < M)%nat -> (0 < length w)%nat -> 0 <= flag r <= 1.
Proof. unfold rows, flag. intros. apply kind_inside. lia. Qed.

(** The head for the flags: the token before, by at least 1; the first token itself. *)
Theorem previous_gap r s : s <> (r - 1)%nat ->
  previous_score r s + 1 <= previous_score r (r - 1).
Proof.
  intro Hs. unfold previous_score. destruct r as [|r].
  - simpl (0 - 1)%nat in *. nia.
  - replace (S r - 1)%nat with r in * by lia.
    assert (Z.of_nat s <> Z.of_nat r) by lia.
    assert (1 <= (Z.of_nat s - Z.of_nat r) * (Z.of_nat s - Z.of_nat r)) by nia.
    rewrite Nat2Z.inj_succ. nia.
Qed.

Lemma square_pos x : x <> 0 -> 1 <= x * x.
Proof. nia. Qed.

(** Where the left head looks: an opening bracket at the next token, every other token at the end token. *)
Definition next_row (r : nat) : nat := if (kind_at r =? 1)%Z then (r + 1)%nat else length w.

Lemma next_row_inside r : (next_row r < M)%nat.
Proof.
  unfold next_row. destruct (Z.eqb_spec (kind_at r) 1) as [Hk|_]; unfold rows; [|lia].
  apply kind_open in Hk. assert (r < length w)%nat by (apply nth_error_Some; congruence). lia.
Qed.

(** By at least 1. *)
Theorem left_gap r s : (r < M)%nat -> (M <= tokens)%nat -> (s < M)%nat -> s <> next_row r ->
  left_score r s + 1 <= left_score r (next_row r).
Proof.
  unfold next_row. destruct (Z.eqb_spec (kind_at r) 1) as [Hk|Hk]; intros Hr HM Hs Hne.
  { unfold left_score. rewrite Hk, Nat2Z.inj_add.
    pose proof (square_pos (Z.of_nat s - Z.of_nat r - 1) ltac:(lia)). nia. }
  pose proof (kind_range r Hr). unfold rows in *.
  pose proof (kind_inside s ltac:(lia)) as Hi. unfold left_score. rewrite kind_end.
  set (W := end_weight tokens). set (m := Z.of_nat (length w)).
  set (x := Z.of_nat r) in *. set (y := Z.of_nat s).
  set (k := kind_at r) in *. set (q := kind_at s) in *.
  assert (HW : (m + 3) * (m + 3) <= W) by (unfold W, end_weight, m; nia).
  assert (0 <= x <= m) by (unfold x, m; lia). assert (0 <= y < m) by (unfold y, m; lia).
  assert (Hneg : W * (k - 1) * q <= 0) by (assert (0 <= W) by nia; assert (k <= 0) by lia; nia).
  assert (Hend : W <= W * (k - 1) * -1) by (assert (0 <= W) by nia; assert (k <= 0) by lia; nia).
  pose proof (Z.square_nonneg (y - x - 1)).
  assert ((m - x - 1) * (m - x - 1) + 1 <= (m + 3) * (m + 3)) by nia. lia.
Qed.

(** The last symbol of a tree is no opening bracket. *)
Lemma last_symbol (t : tree Sigma) :
  exists v s, str t = v ++ [s] /\ kind_of (Some s) = 0.
Proof.
  destruct t as [a|l r].
  - exists nil, (Sym a). auto.
  - exists (Open :: str l ++ str r), Close. simpl. now rewrite <- app_assoc.
Qed.

Lemma flag_left i l r : occurs w i (Node l r) -> kind_at i = 1 /\ flag (i + 1) = 1.
Proof.
  intros (b & a & E & Hb). assert (H : kind_at i = 1).
  { apply kind_open. rewrite E, nth_error_app2 by lia.
    now replace (i - length b)%nat with 0%nat by lia. }
  split; auto. unfold flag. now replace (i + 1 - 1)%nat with i by lia.
Qed.

Lemma flag_right i l r : occurs w i (Node l r) -> flag (i + 1 + length (str l)) = 0.
Proof.
  intros (b & a & E & Hb). destruct (last_symbol l) as (v & s & El & Hs).
  assert (Ew : w = (b ++ Open :: v) ++ s :: (str r ++ [Close]) ++ a).
  { rewrite E. simpl. rewrite El. repeat (rewrite <- !app_assoc; simpl). reflexivity. }
  unfold flag, kind_at. rewrite Ew, nth_error_app2; rewrite app_length; simpl;
    rewrite El, app_length.
  - simpl.
    now replace (i + 1 + (length v + 1) - 1 - (length b + S (length v)))%nat with 0%nat by lia.
  - simpl. lia.
Qed.

(** The right head of an opening bracket: the beginning of its right subtree, by at least 1. *)
Theorem right_gap i l r : occurs w i (Node l r) -> (M <= tokens)%nat ->
  forall s, (s < M)%nat -> (i <= s)%nat -> s <> (i + 1 + length (str l))%nat ->
  right_score i s + 1 <= right_score i (i + 1 + length (str l)).
Proof.
  intros Ho HM s Hs Hi Hne.
  destruct (flag_left i l r Ho) as [_ Hfl]. pose proof (flag_right i l r Ho) as Hfr.
  destruct (right_child Sigma w i l r Ho) as (Hj & _ & Hd & Hfirst).
  set (j := (i + 1 + length (str l))%nat) in *.
  pose proof (flag_inside s Hs ltac:(lia)) as Hf. fold (depth j) (depth i) in Hd.
  unfold right_score. rewrite Hfr, Hd. set (d := depth i) in *. unfold rows in *.
  set (B := beta tokens). assert (HB : Z.of_nat (length w) + 2 <= B) by (unfold B, beta; lia).
  set (e := depth s). set (c := flag s) in *.
  set (g := (e - d - 1) * (e - d - 1) + c).
  pose proof (Z.square_nonneg (e - d - 1)) as Hq. assert (Hg : 0 <= g) by (unfold g; lia).
  replace (- B * (e * e + c) + 2 * B * (d + 1) * e) with (B * ((d + 1) * (d + 1)) - B * g)
    by (unfold g; ring).
  replace (- B * ((d + 1) * (d + 1) + 0) + 2 * B * (d + 1) * (d + 1))
    with (B * ((d + 1) * (d + 1))) by ring.
  destruct (Z.eq_dec g 0) as [E|E]; [|nia].
  assert (Ec : c = 0) by (unfold g in E; lia).
  assert (Ee : e - d - 1 = 0) by (apply Z.eq_square_0; unfold g in E; lia).
  assert (Hlt : (j < s)%nat); [|rewrite E; lia].
  destruct (Nat.lt_ge_cases j s) as [|H]; auto. exfalso.
  assert (s <> i) by (intro H'; apply (f_equal depth) in H'; fold e d in H'; lia).
  assert (s <> (i + 1)%nat) by (intro H'; apply (f_equal flag) in H'; fold c in H'; lia).
  apply (Hfirst s ltac:(lia)). change (e = d + 1). lia.
Qed.

(** No two tokens have the same score in the right head: hard attention never meets a tie. *)
Theorem right_no_tie r s s' : (s < M)%nat -> (s' < M)%nat -> (M <= tokens)%nat -> s <> s' ->
  right_score r s <> right_score r s'.
Proof.
  intros Hs Hs' HM Hne. unfold right_score, beta.
  set (B := Z.of_nat tokens + 1). assert (HB : Z.of_nat M + 1 <= B) by (unfold B; lia).
  set (f := fun e => - (depth e * depth e + flag e) + 2 * (depth r + 1) * depth e).
  assert (F : forall e, - B * (depth e * depth e + flag e) + 2 * B * (depth r + 1) * depth e
                        = B * f e) by (intro; unfold f; ring).
  rewrite !F. assert (f s = f s' \/ f s + 1 <= f s' \/ f s' + 1 <= f s) as [H|[H|H]] by lia; nia.
Qed.
End Gaps.

(** ** Where the scores are largest, with hard attention or softmax *)

Section StandsOut.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R)
  (C : R) (w : list (symbol Sigma)) (kind : attention).
Local Notation M := (rows w).
Local Notation val := (value leaf tensor C w).
Local Notation E := (embedded n leaf tensor C w).
Local Notation kappa := (kappa C kind).
Hypothesis kappa_0 : 0 <= kappa.

(** In row r of a head one score is above all others that are seen, by at least g, times C with softmax. *)
Definition stands_out (h : head) (X : mat) (r s0 : nat) (g : R) : Prop :=
  (s0 < M)%nat /\ allowed (seen h) r s0 = true /\
  forall s, (s < M)%nat -> s <> s0 -> allowed (seen h) r s = true ->
    score val h X r s + kappa * g <= score val h X r s0.

Lemma whole_gap x y : (x + 1 <= y)%Z -> kappa * IZR x + kappa * 1 <= kappa * IZR y.
Proof. intro H. apply IZR_le in H. rewrite plus_IZR in H. nra. Qed.

(** The head for the flags: the token before. *)
Theorem previous_out r : (r < M)%nat -> stands_out (previous_head n kind) E r (r - 1) 1.
Proof.
  intro Hr. split; [lia|]. split; [reflexivity|]. intros s Hs Hne _.
  rewrite !score_previous. apply whole_gap. now apply previous_gap.
Qed.

Variable tokens : nat.
Hypothesis fits : (M <= tokens)%nat.

Theorem left_out eta X r : prepared n w eta X -> (r < M)%nat ->
  stands_out (left_head n tokens kind) X r (next_row w r) 1.
Proof.
  intros HX Hr. split; [apply next_row_inside|]. split; [reflexivity|]. intros s Hs Hne _.
  rewrite !(score_left n leaf tensor C w tokens kind eta) by auto using next_row_inside.
  apply whole_gap. now apply left_gap.
Qed.

(** The right head: flags that are off by eta cost 2 eta beta. *)
Theorem right_out eta X i l r : prepared n w eta X -> occurs w i (Node l r) ->
  (i + 1 + length (str l) < M)%nat ->
  stands_out (right_head n tokens kind) X i (i + 1 + length (str l)) (1 - 2 * IZR (beta tokens) * eta).
Proof.
  intros HX Ho Hj. set (j := (i + 1 + length (str l))%nat) in *.
  split; [exact Hj|]. split; [apply Nat.leb_le; unfold j; lia|]. intros q Hq Hne Ha. apply Nat.leb_le in Ha.
  rewrite !(score_right n leaf tensor C w tokens kind eta) by (auto; lia).
  pose proof (right_gap w tokens i l r Ho fits q Hq Ha Hne) as G.
  fold j in G. apply IZR_le in G. rewrite plus_IZR in G.
  pose proof (p_mark _ _ _ _ HX q Hq) as Eq. pose proof (p_mark _ _ _ _ HX j Hj) as Ej.
  set (eq := X q (at_mark n) - _) in *. set (ej := X j (at_mark n) - _) in *.
  apply abs_between in Eq, Ej.
  assert (0 <= IZR (beta tokens)) by (apply (IZR_le 0); unfold beta; lia). set (B := IZR (beta tokens)) in *.
  rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; auto. nra.
Qed.
End StandsOut.
