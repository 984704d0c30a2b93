(** * The tree decoder: its layers with hard attention, field by field

    Beyond the paper. If the stream holds tokens with given fields, and every head's row of scores
    has one top (the mean head's is flat), then after the layer it holds the tokens that the step
    makes of what the heads read.

    Main definitions: [holds], [mid_match], [mid_jump] (a token after the attention of a layer),
                      [after_first], [after_second], [match_score].
    Main theorems:    [head_copies], [follow_copies], [first_layer], [second_layer], [match_layer],
                      [jump_layer]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Attention DecoderModel TreeDecoderModel TreeDecoderBlocks TreeDecoderFields.
Import ListNotations.
Open Scope R_scope.

Section Layers.
Variable n T N : nat.               (* states, longest string, tokens *)
Variable e : setting.
Hypothesis n_1 : (1 <= n)%nat.
Hypothesis C_pos : 0 < C e.
Hypothesis act_odd : forall y, act e y - act e (- y) = y.
Hypothesis act_1 : act e 1 <> 0.

Local Notation nn := (nn n).
Local Notation p_b := (p_b n). Local Notation p_N := (p_N n). Local Notation p_Bn := (p_Bn n).
Local Notation p_F := (p_F n). Local Notation p_Bf := (p_Bf n). Local Notation p_S := (p_S n).
Local Notation p_s := (p_s n). Local Notation p_h := (p_h n). Local Notation p_k := (p_k n).
Local Notation width := (width n).
Local Notation row := (row n).
Local Notation stepped := (stepped n e).
Local Notation K := (K T).
Local Notation attend := (attend e averaged N).

Definition holds (X : mat) (cells : nat -> tok) : Prop :=
  forall i c, (i < N)%nat -> (c < width)%nat -> X i c = row i (cells i) c.

(** ** What a head copies when its scores have one top *)

Lemma head_copies q0 q1 k0 k1 copies X i t c :
  let H := make_head width (head_width n) q0 q1 k0 k1 copies in
  (i < N)%nat -> (t <= i)%nat -> (length copies <= head_width n)%nat ->
  (forall r, In r copies -> zbelow width (fst r)) ->
  (forall j, (j <= i)%nat -> j <> t -> scores e H X i j < scores e H X i t) ->
  attend X H i c = lsum (fun r => if (c =? snd r)%nat then zreads (X t) (fst r) else 0) copies.
Proof.
  intros H Hi Ht Hlen Hb Htop. unfold H. rewrite head_adds by (auto; unfold head_width; lia). fold H.
  apply lsum_ext. intros r Hr. destruct (c =? snd r)%nat; [|reflexivity].
  assert (HW : forall j, (j < i + 1)%nat -> averaged (i + 1) (scores e H X) i j = b2r (j =? t)%nat).
  { apply averaged_top; [lia|]. intros j Hj Hne. apply Htop; [lia|exact Hne]. }
  rewrite (sum_single (i + 1) _ t); [|lia|].
  - rewrite HW, Nat.eqb_refl by lia. cbn [b2r]. ring.
  - intros j Hj Hne. rewrite HW by exact Hj. destruct (Nat.eqb_spec j t); [lia|]. cbn [b2r]. ring.
Qed.

Lemma copies_of_sum (x : nat -> R) k s t c :
  lsum (fun r => if (c =? snd r)%nat then zreads x (fst r) else 0) (copies_of k s t)
  = if ((t <=? c) && (c <? t + k))%nat then x (s + (c - t))%nat else 0.
Proof.
  unfold copies_of. rewrite lsum_map, lsum_seq. cbn [fst snd].
  rewrite (sum_ext k _ (fun v => if (c =? t + v)%nat then x (s + v)%nat else 0)).
  - apply (sum_hit t k (fun v => x (s + v)%nat)).
  - intros v Hv. unfold zreads. cbn [lsum fst snd]. destruct (c =? t + v)%nat; ring.
Qed.

Lemma one_copy_sum (x : nat -> R) s t c :
  lsum (fun r => if (c =? snd r)%nat then zreads x (fst r) else 0) (one_copy s t)
  = if (c =? t)%nat then x s else 0.
Proof.
  unfold one_copy, zreads. cbn [lsum fst snd]. destruct (c =? t)%nat; ring.
Qed.

Lemma copies_of_below k s t r : (s + k <= width)%nat -> In r (copies_of k s t) -> zbelow width (fst r).
Proof.
  intros H Hr. apply in_map_iff in Hr. destruct Hr as (a & <- & Ha). apply in_seq in Ha.
  cbn [fst]. apply zbelow_cons; [lia|apply zbelow_nil].
Qed.

(** A head that follows a number z <= i reads token z, or the begin token if z < 0. *)
Lemma follow_copies X cells pointer copies i z c : holds X cells -> (i < N)%nat ->
  zbelow width pointer -> zreads (X i) pointer = IZR z -> (z <= Z.of_nat i)%Z ->
  (length copies <= head_width n)%nat -> (forall r, In r copies -> zbelow width (fst r)) ->
  attend X (follow n pointer copies) i c
  = lsum (fun r => if (c =? snd r)%nat then zreads (X (Z.to_nat z)) (fst r) else 0) copies.
Proof.
  intros HX Hi Hp Hz Hzi Hlen Hb. unfold follow. apply head_copies; auto; [lia|].
  assert (Hbelow : forall p z', (p < width)%nat -> zbelow width [(p, z')]).
  { intros p z' H. apply zbelow_cons; [exact H|apply zbelow_nil]. }
  assert (Hd : zbelow width (map (fun t => (fst t, (2 * snd t)%Z)) pointer)).
  { intros q Hq. apply in_map_iff in Hq. destruct Hq as (r & <- & Hr). cbn [fst]. exact (Hp r Hr). }
  assert (Edouble : zreads (X i) (map (fun t => (fst t, (2 * snd t)%Z)) pointer) = 2 * IZR z).
  { rewrite <- Hz. unfold zreads. clear. induction pointer as [|q f IH]; cbn [map lsum fst snd]; [ring|].
    rewrite IH, mult_IZR. ring. }
  assert (Hscore : forall j, (j <= i)%nat ->
    scores e (make_head width (head_width n) (map (fun t => (fst t, (2 * snd t)%Z)) pointer)
      [(p_one, 1%Z)] [(p_i, 1%Z)] [(p_sq, (-1)%Z)] copies) X i j
    = C e * (2 * IZR z * INR j - INR j * INR j)).
  { intros j Hj. rewrite head_score; auto; try (apply Hbelow; places; lia); [|unfold head_width; lia].
    rewrite Edouble. unfold zreads. cbn [lsum fst snd].
    rewrite !HX by (try lia; places; lia). rewrite row_one, row_i, row_sq. ring. }
  intros j Hj Hne. rewrite !Hscore by lia. apply Rmult_lt_compat_l; [exact C_pos|].
  rewrite !INR_IZR_INZ, <- !mult_IZR, <- !minus_IZR. apply IZR_lt.
  destruct (Z.le_gt_cases 0 z).
  - rewrite Z2Nat.id by lia. assert (Z.of_nat j <> z) by lia. nia.
  - assert (E : Z.of_nat (Z.to_nat z) = 0%Z) by lia. rewrite E.
    assert (1 <= Z.of_nat j)%Z by lia. nia.
Qed.

(** ** Layer 1 *)

(** After its attention: the mean of 1 - f - 2g in N, the token before in h and s. *)
Definition bracket (x : tok) : R := 1 - t_f x - 2 * t_g x.

Definition clear_scratch (x : tok) : Prop :=
  t_N x = 0 /\ t_F x = 0 /\ t_h x = 0 /\ t_k x = 0 /\ (forall a, t_Bn x a = 0)
  /\ (forall a, t_Bf x a = 0) /\ (forall v, t_S x v = 0) /\ (forall a, t_s x a = 0).

Definition after_first (cells : nat -> tok) (i : nat) : tok :=
  let x := cells i in let y := cells (i - 1)%nat in
  Tok (t_phi x) (t_f x) (t_g x) (t_c x) (t_M x) (t_b x) 0 (fun _ => 0) 0 (fun _ => 0) (fun _ => 0)
      (t_b y) (t_f y)
      (sum (i + 1) (fun j => bracket (cells j)) - 2 + t_f x + t_g x).

Lemma mean_adds X cells i c : holds X cells -> (i < N)%nat ->
  attend X (mean n) i c = if (c =? p_N)%nat
    then / INR (i + 1) * sum (i + 1) (fun j => bracket (cells j)) else 0.
Proof.
  intros HX Hi. unfold mean. rewrite head_adds; auto; cycle 1.
  - unfold head_width. lia.
  - cbn [length]. unfold head_width. lia.
  - intros r [<-|[]]. cbn [fst]. repeat (apply zbelow_cons; [places; lia|]). apply zbelow_nil.
  - cbn [lsum fst snd]. destruct (c =? p_N)%nat; [|ring]. rewrite Rplus_0_r, sum_scal_l.
    apply sum_ext. intros j Hj. rewrite averaged_flat; [|intros s s' Hs Hs'|exact Hj].
    + unfold zreads. cbn [lsum fst snd]. rewrite !HX by (try lia; places; lia).
      rewrite row_one, row_f, row_g. unfold bracket. f_equal. ring.
    + rewrite !head_score; try apply zbelow_nil; try (unfold head_width; lia).
      unfold zreads. cbn [lsum]. ring.
Qed.

Theorem first_layer X cells : holds X cells -> (forall i, (i < N)%nat -> clear_scratch (cells i)) ->
  holds (run_layer e averaged N X (Layer [mean n; previous n] (first_block n))) (after_first cells).
Proof.
  intros HX Hclear i c Hi. revert c. unfold run_layer.
  set (Y := after_attention e averaged N X (Layer [mean n; previous n] (first_block n))).
  destruct (Hclear i Hi) as (CN & CF & Ch & Ck & CBn & CBf & CS & Cs).
  set (S := sum (i + 1) (fun j => bracket (cells j))).
  assert (HY : forall c, (c < width)%nat -> Y i c = row i (cells i) c
      + ((if (c =? p_N)%nat then / INR (i + 1) * S else 0)
         + ((if (c =? p_h)%nat then t_f (cells (i - 1)%nat) else 0)
            + (if ((p_s <=? c) && (c <? p_s + n))%nat then t_b (cells (i - 1)%nat) (c - p_s)%nat else 0)))).
  { intros c Hc. unfold Y, after_attention. cbn [heads heads_add]. rewrite Rplus_0_r.
    rewrite HX by auto. f_equal. rewrite (mean_adds X cells) by auto. fold S. f_equal.
    unfold previous.
    rewrite (follow_copies X cells _ _ i (Z.of_nat i - 1)%Z); auto; try lia; cycle 1.
    - repeat (apply zbelow_cons; [places; lia|]). apply zbelow_nil.
    - unfold zreads. cbn [lsum fst snd]. rewrite !HX by (try lia; places; lia).
      rewrite row_i, row_one, minus_IZR, <- INR_IZR_INZ. ring.
    - unfold copies_of, one_copy. rewrite app_length, map_length, seq_length. cbn [length].
      unfold head_width. lia.
    - intros r Hr. apply in_app_or in Hr. destruct Hr as [[<-|[]]|Hr].
      + cbn [fst]. apply zbelow_cons; [places; lia|apply zbelow_nil].
      + eapply copies_of_below; [|exact Hr]. places. lia.
    - rewrite lsum_app, one_copy_sum, copies_of_sum.
      replace (Z.to_nat (Z.of_nat i - 1)) with (i - 1)%nat by lia. f_equal.
      + destruct (c =? p_h)%nat; [|reflexivity]. rewrite HX by (try lia; places; lia). apply row_f.
      + destruct (Nat.leb_spec p_s c); destruct (Nat.ltb_spec c (p_s + n)); cbn [andb]; try reflexivity.
        rewrite HX by (try lia; places; lia). apply row_b. lia. }
  assert (H1 : Y i p_one = 1).
  { rewrite HY by (places; lia). rewrite row_one. places. decide_tests. ring. }
  assert (Hadd : forall c, block_adds e (first_block n) Y i c
      = (if (c =? p_k)%nat then S - 2 + t_f (cells i) + t_g (cells i) else 0)
        - (if (c =? p_N)%nat then / INR (i + 1) * S else 0)).
  { intro c. unfold first_block. rewrite make_block_adds; auto; try (places; lia); cycle 1.
    - intros u [<-|[]]; cbn [fst snd]; split; repeat (apply zbelow_cons; [places; lia|]); apply zbelow_nil.
    - intros u [<-|[<-|[]]]; cbn [fst snd erase]; repeat (apply zbelow_cons; [places; lia|]); apply zbelow_nil.
    - assert (EN : Y i p_N = / INR (i + 1) * S).
      { rewrite HY by (places; lia). rewrite row_N, CN. places. decide_tests. ring. }
      assert (Ei : Y i p_i = INR i).
      { rewrite HY by (places; lia). rewrite row_i. places. decide_tests. ring. }
      assert (Ef : Y i p_f = t_f (cells i)).
      { rewrite HY by (places; lia). rewrite row_f. places. decide_tests. ring. }
      assert (Eg : Y i p_g = t_g (cells i)).
      { rewrite HY by (places; lia). rewrite row_g. places. decide_tests. ring. }
      cbn [lsum fst snd erase]. rewrite !share_single. unfold zreads. cbn [lsum fst snd amount].
      rewrite H1, EN, Ei, Ef, Eg.
      assert (HI : INR (i + 1) = INR i + 1) by (rewrite plus_INR; reflexivity).
      pose proof (pos_INR i). rewrite HI.
      destruct (c =? p_k)%nat; destruct (c =? p_N)%nat; field; lra. }
  intros c Hc. change (mlp (Layer [mean n; previous n] (first_block n))) with (first_block n).
  rewrite Hadd, HY by exact Hc. revert c Hc.
  apply place_cases; intros; fields_of; places; decide_tests;
    cbn [after_first t_phi t_f t_g t_c t_M t_b t_N t_Bn t_F t_Bf t_S t_s t_h t_k];
    rewrite ?CN, ?CF, ?Ch, ?Ck, ?CBn, ?CBf, ?CS, ?Cs; try ring; try (fold S; ring).
Qed.

(** ** Layer 2: the square of the depth *)

Definition after_second (x : tok) : tok :=
  Tok (t_phi x) (t_f x) (t_g x) (t_c x) (t_M x) (t_b x) (t_N x) (t_Bn x) (t_F x) (t_Bf x)
      (fun v => t_S x v + (if (v =? 0)%nat then t_k x * t_k x else 0)) (t_s x) (t_h x) (t_k x).

Theorem second_layer X cells : holds X cells ->
  holds (run_layer e averaged N X (Layer [] (second_block n))) (fun i => after_second (cells i)).
Proof.
  intros HX i c Hi Hc. unfold run_layer.
  set (Y := after_attention e averaged N X (Layer [] (second_block n))).
  assert (HY : forall c, (c < width)%nat -> Y i c = row i (cells i) c).
  { intros c' Hc'. unfold Y, after_attention. cbn [heads heads_add]. rewrite Rplus_0_r. now apply HX. }
  change (mlp (Layer [] (second_block n))) with (second_block n). unfold second_block.
  rewrite make_block_adds; auto; try (places; lia).
  - cbn [lsum fst snd]. rewrite share_single. unfold zreads. cbn [lsum fst snd amount].
    rewrite !HY by (auto; places; lia). rewrite row_k. revert c Hc.
    assert (Hnn : (1 <= nn)%nat) by (unfold TreeDecoderModel.nn; nia).
    apply place_cases; intros; fields_of; places; decide_tests;
      cbn [after_second t_phi t_f t_g t_c t_M t_b t_N t_Bn t_F t_Bf t_S t_s t_h t_k]; try ring.
    replace (9 + nn + 3 * n + v =? 9 + nn + 3 * n)%nat with (v =? 0)%nat
      by (apply eq_true_iff_eq; rewrite !Nat.eqb_eq; lia).
    destruct (v =? 0)%nat; ring.
  - rewrite HY by (places; lia). apply row_one.
  - intros u [<-|[]]; cbn [fst snd]; split; repeat (apply zbelow_cons; [places; lia|]); apply zbelow_nil.
  - intros u [].
Qed.

(** ** Layer 3: where the right child begins, and the first step *)

(** After the attention: m is where the right child begins, j the token read by the near head. *)
Definition mid_match (cells : nat -> tok) (m j i : nat) : tok :=
  let x := cells i in
  Tok (t_phi x + (INR m - 1)) (t_f x) (t_g x) (t_c x) (t_M x) (t_b x)
      (t_N x + t_f (cells j)) (fun a => t_Bn x a + t_b (cells j) a)
      (t_F x + t_h (cells m)) (fun a => t_Bf x a + t_s (cells m) a)
      (t_S x) (t_s x) (t_h x) (t_k x).

Definition near_query (x : tok) (i : nat) : R := INR i - 1 + IZR K * (t_g x - 1).

(** The score of the match head, over C. *)
Definition match_score (cells : nat -> tok) (i j : nat) : R :=
  2 * IZR K * (t_k (cells i) + 1 + IZR K * (t_g (cells i) - 1)) * t_k (cells j)
  - IZR K * t_S (cells j) 0%nat - IZR K * t_g (cells j) + INR j.

Lemma near_adds X cells z i c : holds X cells -> (i < N)%nat ->
  near_query (cells i) i = IZR z -> (z <= Z.of_nat i)%Z -> (c < width)%nat ->
  attend X (near n T) i c
  = (if (c =? p_N)%nat then t_f (cells (Z.to_nat z)) else 0)
    + (if ((p_Bn <=? c) && (c <? p_Bn + n))%nat then t_b (cells (Z.to_nat z)) (c - p_Bn)%nat else 0).
Proof.
  intros HX Hi Hz Hzi Hc. unfold near. rewrite (follow_copies X cells _ _ i z); auto; cycle 1.
  - repeat (apply zbelow_cons; [places; lia|]). apply zbelow_nil.
  - rewrite <- Hz. unfold near_query, zreads. cbn [lsum fst snd]. rewrite !HX by (try lia; places; lia).
    rewrite row_i, row_one, row_g, minus_IZR. ring.
  - unfold copies_of, one_copy. rewrite app_length, map_length, seq_length. cbn [length].
    unfold head_width. lia.
  - intros r Hr. apply in_app_or in Hr. destruct Hr as [[<-|[]]|Hr].
    + cbn [fst]. apply zbelow_cons; [places; lia|apply zbelow_nil].
    + eapply copies_of_below; [|exact Hr]. places. lia.
  - rewrite lsum_app, one_copy_sum, copies_of_sum. f_equal.
    + destruct (c =? p_N)%nat; [|reflexivity]. rewrite HX by (try lia; places; lia). apply row_f.
    + destruct (Nat.leb_spec p_Bn c); destruct (Nat.ltb_spec c (p_Bn + n)); cbn [andb]; try reflexivity.
      rewrite HX by (try lia; places; lia). apply row_b. lia.
Qed.

Lemma match_adds X cells m i c : holds X cells -> (i < N)%nat -> (m <= i)%nat ->
  (forall j, (j <= i)%nat -> j <> m -> match_score cells i j < match_score cells i m) -> (c < width)%nat ->
  attend X (match_begin n T) i c
  = (if (c =? p_phi)%nat then INR m - 1 else 0)
    + ((if (c =? p_F)%nat then t_h (cells m) else 0)
       + (if ((p_Bf <=? c) && (c <? p_Bf + n))%nat then t_s (cells m) (c - p_Bf)%nat else 0)).
Proof.
  intros HX Hi Hm Htop Hc. unfold match_begin. rewrite (head_copies _ _ _ _ _ X i m); auto.
  - cbn [lsum fst snd]. rewrite lsum_app, one_copy_sum, copies_of_sum. f_equal; [|f_equal].
    + destruct (c =? p_phi)%nat; [|reflexivity]. unfold zreads. cbn [lsum fst snd].
      rewrite !HX by (try lia; places; lia). rewrite row_i, row_one. ring.
    + destruct (c =? p_F)%nat; [|reflexivity]. rewrite HX by (try lia; places; lia). apply row_h.
    + destruct (Nat.leb_spec p_Bf c); destruct (Nat.ltb_spec c (p_Bf + n)); cbn [andb]; try reflexivity.
      rewrite HX by (try lia; places; lia). apply row_s. lia.
  - unfold copies_of, one_copy. cbn [length]. rewrite app_length, map_length, seq_length. cbn [length].
    unfold head_width. lia.
  - intros r [<-|Hr].
    + cbn [fst]. repeat (apply zbelow_cons; [places; lia|]). apply zbelow_nil.
    + apply in_app_or in Hr. destruct Hr as [[<-|[]]|Hr].
      * cbn [fst]. apply zbelow_cons; [places; lia|apply zbelow_nil].
      * eapply copies_of_below; [|exact Hr]. places. lia.
  - assert (Hnn : (1 <= nn)%nat) by (unfold TreeDecoderModel.nn; nia).
    assert (E : forall j, (j <= i)%nat -> scores e (make_head width (head_width n)
        [(p_k, (2 * K)%Z); (p_one, (2 * K * (1 - K))%Z); (p_g, (2 * K * K)%Z)] [(p_one, 1%Z)]
        [(p_k, 1%Z)] [(p_S, (- K)%Z); (p_g, (- K)%Z); (p_i, 1%Z)]
        (([(p_i, 1%Z); (p_one, (-1)%Z)], p_phi) :: one_copy p_h p_F ++ copies_of n p_s p_Bf)) X i j
      = C e * match_score cells i j).
    { intros j Hj. rewrite head_score; try (unfold head_width; lia);
        try (repeat (apply zbelow_cons; [places; lia|]); apply zbelow_nil).
      unfold match_score, zreads. cbn [lsum fst snd]. rewrite !HX by (try lia; places; lia).
      rewrite !row_k, !row_one, !row_g, row_i.
      replace p_S with (p_S + 0)%nat by lia. rewrite row_S by lia.
      rewrite !mult_IZR, !minus_IZR, !opp_IZR. ring. }
    intros j Hj Hne. rewrite !E by lia. apply Rmult_lt_compat_l; [exact C_pos|now apply Htop].
Qed.

Theorem match_layer X cells (m : nat -> nat) (z : nat -> Z) : holds X cells ->
  (forall i, (i < N)%nat -> (m i <= i)%nat /\
     forall j, (j <= i)%nat -> j <> m i -> match_score cells i j < match_score cells i (m i)) ->
  (forall i, (i < N)%nat -> near_query (cells i) i = IZR (z i) /\ (z i <= Z.of_nat i)%Z) ->
  holds (run_layer e averaged N X (Layer [match_begin n T; near n T] (step_block n false)))
    (fun i => stepped false i (mid_match cells (m i) (Z.to_nat (z i)) i)).
Proof.
  intros HX Hm Hz i c Hi Hc. unfold run_layer.
  set (Y := after_attention e averaged N X (Layer [match_begin n T; near n T] (step_block n false))).
  destruct (Hm i Hi) as [Hm1 Hm2]. destruct (Hz i Hi) as [Hz1 Hz2].
  assert (HY : forall c, (c < width)%nat -> Y i c = row i (mid_match cells (m i) (Z.to_nat (z i)) i) c).
  { intros c' Hc'. unfold Y, after_attention. cbn [heads heads_add]. rewrite Rplus_0_r.
    rewrite HX by auto. rewrite (match_adds X cells (m i)) by auto.
    rewrite (near_adds X cells (z i)) by auto. revert c' Hc'.
    apply place_cases; intros; fields_of; places; decide_tests;
      cbn [mid_match t_phi t_f t_g t_c t_M t_b t_N t_Bn t_F t_Bf t_S t_s t_h t_k]; ring. }
  change (mlp (Layer [match_begin n T; near n T] (step_block n false))) with (step_block n false).
  rewrite step_adds; auto; [|rewrite HY by (places; lia); apply row_one].
  rewrite HY by exact Hc.
  replace (step_delta n e false (Y i) c)
    with (step_delta n e false (row i (mid_match cells (m i) (Z.to_nat (z i)) i)) c); [now apply stepped_row|].
  apply step_delta_ext; [exact Hc|]. intros k Hk. symmetry. now apply HY.
Qed.

(** ** Further layers: one step each *)

Definition far_query (x : tok) : R := t_phi x + IZR K * (t_g x - 1).

(** After the attention: j near, l far, p under the pointer. *)
Definition mid_jump (cells : nat -> tok) (j l p i : nat) : tok :=
  let x := cells i in
  Tok (t_phi x) (t_f x) (t_g x) (t_c x) (t_M x) (t_b x)
      (t_N x + t_f (cells j)) (fun a => t_Bn x a + t_b (cells j) a)
      (t_F x + t_f (cells l)) (fun a => t_Bf x a + t_b (cells l) a)
      (fun v => t_S x v + t_M (cells p) v) (fun a => t_s x a + t_b (cells p) a)
      (t_h x + t_f (cells p)) (t_k x + t_c (cells p)).

Lemma far_adds X cells z i c : holds X cells -> (i < N)%nat ->
  far_query (cells i) = IZR z -> (z <= Z.of_nat i)%Z -> (c < width)%nat ->
  attend X (far n T) i c
  = (if (c =? p_F)%nat then t_f (cells (Z.to_nat z)) else 0)
    + (if ((p_Bf <=? c) && (c <? p_Bf + n))%nat then t_b (cells (Z.to_nat z)) (c - p_Bf)%nat else 0).
Proof.
  intros HX Hi Hz Hzi Hc. unfold far. rewrite (follow_copies X cells _ _ i z); auto; cycle 1.
  - repeat (apply zbelow_cons; [places; lia|]). apply zbelow_nil.
  - rewrite <- Hz. unfold far_query, zreads. cbn [lsum fst snd]. rewrite !HX by (try lia; places; lia).
    rewrite row_phi, row_one, row_g, opp_IZR. ring.
  - unfold copies_of, one_copy. rewrite app_length, map_length, seq_length. cbn [length].
    unfold head_width. lia.
  - intros r Hr. apply in_app_or in Hr. destruct Hr as [[<-|[]]|Hr].
    + cbn [fst]. apply zbelow_cons; [places; lia|apply zbelow_nil].
    + eapply copies_of_below; [|exact Hr]. places. lia.
  - rewrite lsum_app, one_copy_sum, copies_of_sum. f_equal.
    + destruct (c =? p_F)%nat; [|reflexivity]. rewrite HX by (try lia; places; lia). apply row_f.
    + destruct (Nat.leb_spec p_Bf c); destruct (Nat.ltb_spec c (p_Bf + n)); cbn [andb]; try reflexivity.
      rewrite HX by (try lia; places; lia). apply row_b. lia.
Qed.

Lemma pointer_adds X cells z i c : holds X cells -> (i < N)%nat ->
  t_c (cells i) = IZR z -> (z <= Z.of_nat i)%Z -> (c < width)%nat ->
  attend X (pointer n) i c
  = (if ((p_S <=? c) && (c <? p_S + nn))%nat then t_M (cells (Z.to_nat z)) (c - p_S)%nat else 0)
    + ((if ((p_s <=? c) && (c <? p_s + n))%nat then t_b (cells (Z.to_nat z)) (c - p_s)%nat else 0)
       + ((if (c =? p_h)%nat then t_f (cells (Z.to_nat z)) else 0)
          + (if (c =? p_k)%nat then t_c (cells (Z.to_nat z)) else 0))).
Proof.
  intros HX Hi Hz Hzi Hc. unfold pointer. rewrite (follow_copies X cells _ _ i z); auto; cycle 1.
  - repeat (apply zbelow_cons; [places; lia|]). apply zbelow_nil.
  - rewrite <- Hz. unfold zreads. cbn [lsum fst snd]. rewrite !HX by (try lia; places; lia).
    rewrite row_c. ring.
  - unfold copies_of, one_copy. rewrite !app_length, !map_length, !seq_length. cbn [length].
    unfold head_width. lia.
  - intros r Hr. rewrite !in_app_iff in Hr. destruct Hr as [Hr|[Hr|[[<-|[]]|[<-|[]]]]].
    + eapply copies_of_below; [|exact Hr]. places. lia.
    + eapply copies_of_below; [|exact Hr]. places. lia.
    + cbn [fst]. apply zbelow_cons; [places; lia|apply zbelow_nil].
    + cbn [fst]. apply zbelow_cons; [places; lia|apply zbelow_nil].
  - rewrite !lsum_app, !one_copy_sum, !copies_of_sum. f_equal; [|f_equal; [|f_equal]].
    + destruct (Nat.leb_spec p_S c); destruct (Nat.ltb_spec c (p_S + nn)); cbn [andb]; try reflexivity.
      rewrite HX by (try lia; places; lia). apply row_M. lia.
    + destruct (Nat.leb_spec p_s c); destruct (Nat.ltb_spec c (p_s + n)); cbn [andb]; try reflexivity.
      rewrite HX by (try lia; places; lia). apply row_b. lia.
    + destruct (c =? p_h)%nat; [|reflexivity]. rewrite HX by (try lia; places; lia). apply row_f.
    + destruct (c =? p_k)%nat; [|reflexivity]. rewrite HX by (try lia; places; lia). apply row_c.
Qed.

Theorem jump_layer X cells (z y p : nat -> Z) : holds X cells ->
  (forall i, (i < N)%nat -> near_query (cells i) i = IZR (z i) /\ (z i <= Z.of_nat i)%Z) ->
  (forall i, (i < N)%nat -> far_query (cells i) = IZR (y i) /\ (y i <= Z.of_nat i)%Z) ->
  (forall i, (i < N)%nat -> t_c (cells i) = IZR (p i) /\ (p i <= Z.of_nat i)%Z) ->
  holds (run_layer e averaged N X (Layer [near n T; far n T; pointer n] (step_block n true)))
    (fun i => stepped true i (mid_jump cells (Z.to_nat (z i)) (Z.to_nat (y i)) (Z.to_nat (p i)) i)).
Proof.
  intros HX Hz Hy Hp i c Hi Hc. unfold run_layer.
  set (Y := after_attention e averaged N X (Layer [near n T; far n T; pointer n] (step_block n true))).
  destruct (Hz i Hi) as [Hz1 Hz2]. destruct (Hy i Hi) as [Hy1 Hy2]. destruct (Hp i Hi) as [Hp1 Hp2].
  set (x := mid_jump cells (Z.to_nat (z i)) (Z.to_nat (y i)) (Z.to_nat (p i)) i).
  assert (HY : forall c, (c < width)%nat -> Y i c = row i x c).
  { intros c' Hc'. unfold Y, after_attention. cbn [heads heads_add]. rewrite Rplus_0_r.
    rewrite HX by auto. rewrite (near_adds X cells (z i)) by auto.
    rewrite (far_adds X cells (y i)) by auto. rewrite (pointer_adds X cells (p i)) by auto.
    unfold x. revert c' Hc'.
    apply place_cases; intros; fields_of; places; decide_tests;
      cbn [mid_jump t_phi t_f t_g t_c t_M t_b t_N t_Bn t_F t_Bf t_S t_s t_h t_k]; ring. }
  change (mlp (Layer [near n T; far n T; pointer n] (step_block n true))) with (step_block n true).
  rewrite step_adds; auto; [|rewrite HY by (places; lia); apply row_one].
  rewrite HY by exact Hc.
  replace (step_delta n e true (Y i) c) with (step_delta n e true (row i x) c); [now apply stepped_row|].
  apply step_delta_ext; [exact Hc|]. intros k Hk. symmetry. now apply HY.
Qed.
End Layers.
