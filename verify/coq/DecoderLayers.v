(** * A weighted automaton in a decoder: what one layer does

    Beyond the paper. If row i of the stream holds a matrix M_i in R, nothing in S and its position,
    then after a layer it holds M_i + V + V M_i in R, where V is the mean of the M_j that the head
    reads; V M_i is exact (gated MLP) or right up to the even part of the activation (no gates).

    Main definitions: [holds], [parabola] (the scores), [held] (what R holds after l layers).
    Main theorems:    [head_scores], [gated_multiplies], [plain_multiplies], [layer_holds],
                      [model_holds], [output_reads]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Attention Activation MLP DecoderModel DecoderWeights.
Import ListNotations.
Open Scope R_scope.

Section Layers.
Variable n q T p : nat.             (* states, letters, longest word, unit of the positions *)
Variable gated : bool.

Local Notation n2 := (n2 n).
Local Notation at_i := (at_i n).
Local Notation at_sq := (at_sq n).
Local Notation at_one := (at_one n).
Local Notation d := (d n gated).
Local Notation d_head := (d_head n).
Local Notation position_entry := (position_entry n p).
Local Notation letter_entry := (letter_entry n q).
Local Notation query := (query n p gated).
Local Notation query_bias := (query_bias n p gated).
Local Notation key := (key n).
Local Notation val := (val n).
Local Notation copy := (copy n).
Local Notation head_at := (head_at n p gated).
Local Notation product_units := (product_units n).
Local Notation emptying_unit := (emptying_unit n).
Local Notation four_at := (four_at n).
Local Notation four_of := (four_of n).
Local Notation triples := (triples n).
Local Notation multiplier := (multiplier n gated).
Local Notation layer_at := (layer_at n p gated).
Local Notation state_reads := (state_reads n gated).
Local Notation construction := (construction n q T p gated).

Local Ltac widths := unfold DecoderWeights.d, DecoderWeights.at_i, DecoderWeights.at_sq, DecoderWeights.at_one in *.
Local Ltac entry_at := unfold DecoderWeights.position_entry; widths; bool_cases; try lia; try reflexivity.

(** ** What the stream holds *)

Context (e : setting) (filter : nat -> mat -> mat).
Variable N : nat.                   (* the number of tokens *)

Hypothesis p_pos : (0 < p)%nat.
(** A row of the filter looks at the same row of the scores, and there at its keys only. *)
Hypothesis filter_row : forall k S S' r,
  (forall s, (s < k)%nat -> S r s = S' r s) ->
  forall s, (s < k)%nat -> filter k S r s = filter k S' r s.

Definition row (M : mat) (i c : nat) : R :=
  if (c <? n2)%nat then vec n M c else
  if (c <? 2 * n2)%nat then 0 else amount e (position_entry i c).

Definition holds (X : mat) (M : nat -> mat) : Prop :=
  forall i c, (i < N)%nat -> (c < d)%nat -> X i c = row (M i) i c.

Definition parabola (s : nat) : mat :=
  fun i j => C e * (2 * INR j * (INR i - INR s) - INR j * INR j).

Lemma holds_i X M i : holds X M -> (i < N)%nat -> X i at_i = INR i / INR p.
Proof.
  intros H Hi. rewrite H by (auto; widths; destruct gated; lia). unfold row. entry_at.
Qed.

Lemma holds_sq X M i : holds X M -> (i < N)%nat -> X i at_sq = INR (i * i) / INR (p * p).
Proof.
  intros H Hi. rewrite H by (auto; unfold DecoderWeights.d, DecoderWeights.at_sq; destruct gated; lia).
  unfold row, DecoderWeights.position_entry, DecoderWeights.at_i, DecoderWeights.at_sq. bool_cases; try lia. reflexivity.
Qed.

Lemma holds_one X M i : gated = true -> holds X M -> (i < N)%nat -> X i at_one = 1.
Proof.
  intros Hg H Hi. rewrite H by (auto; unfold DecoderWeights.d, DecoderWeights.at_one; rewrite ?Hg; cbv iota; lia).
  unfold row. entry_at.
Qed.

Lemma below_nil k : below k [].
Proof. intros x []. Qed.

Lemma below_cons k x w f : (x < k)%nat -> below k f -> below k ((x, w) :: f).
Proof. intros H Hf y [<-|Hy]; [exact H|now apply Hf]. Qed.

Local Ltac in_d := repeat (apply below_cons; [widths; try destruct gated; lia|]);
  try apply below_nil.

Lemma query_below s c : below d (query s c).
Proof.
  unfold DecoderWeights.query. destruct c as [|[|c]]; [| |apply below_nil].
  - apply below_cons; [unfold DecoderWeights.d, DecoderWeights.at_i; destruct gated; lia|].
    destruct gated eqn:G; [|apply below_nil]. apply below_cons; [|apply below_nil].
    unfold DecoderWeights.d, DecoderWeights.at_one. rewrite ?G; cbv iota; lia.
  - destruct gated eqn:G; [|apply below_nil]. apply below_cons; [|apply below_nil].
    unfold DecoderWeights.d, DecoderWeights.at_one. rewrite ?G; cbv iota; lia.
Qed.

Lemma key_below c : below d (key c).
Proof. unfold DecoderWeights.key. destruct c as [|[|c]]; in_d. Qed.

Lemma val_below c : below d (val c).
Proof.
  unfold DecoderWeights.val. destruct (Nat.ltb_spec c n2); [|apply below_nil].
  apply below_cons; [unfold DecoderWeights.d; destruct gated; lia|apply below_nil].
Qed.

(** The score is a downward parabola in j with its top at i - s. *)
Theorem head_scores X M s i j : holds X M -> (i < N)%nat -> (j < N)%nat ->
  scores e (head_at s) X i j = parabola s i j.
Proof.
  intros HX Hi Hj. unfold scores, DecoderWeights.head_at. cbn [W_Q b_Q W_K wide columns].
  assert (Hd : (2 <= d_head)%nat) by (unfold DecoderWeights.d_head; lia).
  assert (Hs : 0 < sqrt (INR d_head)).
  { apply sqrt_lt_R0. apply (lt_INR 0). lia. }
  assert (Hp : INR p <> 0) by (apply not_0_INR; lia).
  rewrite (sum_two d_head _ 0 1) by
    (try lia; intros m Hm H0 H1; rewrite (columns_read e d d_head key) by apply key_below;
     destruct m as [|[|m]]; try lia; unfold reads; simpl; ring).
  unfold shifted. rewrite !columns_read by (apply query_below || apply key_below).
  unfold parabola.
  assert (E0 : reads e (X j) (key 0) = INR j / INR p).
  { unfold reads. simpl. rewrite (holds_i X M) by auto. ring. }
  assert (E1 : reads e (X j) (key 1) = INR j * INR j / (INR p * INR p)).
  { unfold reads. simpl. rewrite (holds_sq X M) by auto. rewrite !mult_INR. ring. }
  assert (Q0 : reads e (X i) (query s 0) + amount e (query_bias s 0)
               = 2 * C e * sqrt (INR d_head) * INR p * (INR i - INR s)).
  { unfold DecoderWeights.query, DecoderWeights.query_bias. destruct gated eqn:G; unfold reads; cbn [lsum fst snd amount];
      rewrite (holds_i X M) by auto; rewrite ?(holds_one X M i G) by auto;
      rewrite !mult_IZR, <- !INR_IZR_INZ, !mult_INR; field; exact Hp. }
  assert (Q1 : reads e (X i) (query s 1) + amount e (query_bias s 1)
               = - C e * sqrt (INR d_head) * (INR p * INR p)).
  { unfold DecoderWeights.query, DecoderWeights.query_bias. destruct gated eqn:G; unfold reads; cbn [lsum fst snd amount];
      rewrite ?(holds_one X M i G) by auto; rewrite opp_IZR, <- !INR_IZR_INZ, !mult_INR; ring. }
  rewrite E0, E1, Q0, Q1. field. split; [exact Hp|lra].
Qed.

(** ** The attention block adds the mean to R and to S *)

Definition mean (s : nat) (M : nat -> mat) (i : nat) : mat :=
  mix (i + 1) (filter (i + 1)%nat (parabola s) i) M.

Lemma attend_reads X M s i v : holds X M -> (i < N)%nat -> (v < n2)%nat ->
  mmul N (causal filter (scores e (head_at s) X)) (times e X (W_V (head_at s))) i v
  = vec n (mean s M i) v.
Proof.
  intros HX Hi Hv. unfold mmul. rewrite causal_sum by exact Hi.
  unfold vec, mean, mix. apply sum_ext. intros j Hj. f_equal.
  - apply filter_row; [|exact Hj]. intros k Hk. apply (head_scores X M); auto. lia.
  - cbn [DecoderWeights.head_at W_V]. rewrite columns_read by apply val_below.
    unfold DecoderWeights.val. destruct (Nat.ltb_spec v n2); [|lia]. unfold reads. cbn [lsum fst snd amount].
    rewrite HX by (try lia; unfold DecoderWeights.d; destruct gated; lia).
    unfold row. destruct (Nat.ltb_spec v n2); [|lia]. unfold vec. ring.
Qed.

Theorem attention_adds X M s i c : holds X M -> (i < N)%nat -> (c < d)%nat ->
  after_attention e filter N X (layer_at s) i c
  = if (c <? n2)%nat then vec n (M i) c + vec n (mean s M i) c
    else if (c <? 2 * n2)%nat then vec n (mean s M i) (c - n2)%nat
    else amount e (position_entry i c).
Proof.
  intros HX Hi Hc. unfold after_attention. cbn [DecoderWeights.layer_at heads heads_add].
  rewrite HX by auto. rewrite Rplus_0_r. unfold attend.
  replace (W_O (head_at s)) with (lines d_head d copy) by reflexivity.
  rewrite lines_write. unfold row.
  assert (Hd : (n2 <= d_head)%nat) by (unfold DecoderWeights.d_head; lia).
  assert (Hshare : forall v k, (v < n2)%nat -> share e (copy v) k
            = if ((k =? v) || (k =? n2 + v))%nat then 1 else 0).
  { intros v k Hv. unfold DecoderWeights.copy. destruct (Nat.ltb_spec v n2); [|lia].
    unfold share. cbn [lsum fst snd amount]. bool_cases; simpl; try lia; ring. }
  assert (Hzero : forall v k, (n2 <= v)%nat -> share e (copy v) k = 0).
  { intros v k Hv. unfold DecoderWeights.copy. destruct (Nat.ltb_spec v n2); [lia|]. reflexivity. }
  destruct (Nat.ltb_spec c n2); [|destruct (Nat.ltb_spec c (2 * n2))].
  - rewrite (sum_single d_head _ c); [|lia|].
    + rewrite (attend_reads X M), Hshare by auto. rewrite Nat.eqb_refl. simpl. ring.
    + intros v Hv Hne. destruct (Nat.lt_ge_cases v n2); [|rewrite Hzero by auto; ring].
      rewrite Hshare by auto. bool_cases; try lia. simpl. ring.
  - rewrite (sum_single d_head _ (c - n2)%nat); [|lia|].
    + rewrite (attend_reads X M), Hshare by (auto; lia).
      destruct (Nat.eqb_spec c (n2 + (c - n2))); [|lia]. rewrite orb_true_r. ring.
    + intros v Hv Hne. destruct (Nat.lt_ge_cases v n2); [|rewrite Hzero by auto; ring].
      rewrite Hshare by auto. bool_cases; try lia. simpl. ring.
  - rewrite sum_zero; [ring|]. intros v Hv.
    destruct (Nat.lt_ge_cases v n2); [|rewrite Hzero by auto; ring].
    rewrite Hshare by auto. bool_cases; try lia. simpl. ring.
Qed.

(** ** The MLP adds a product to R and empties S *)

Variable pr : R -> R -> R.          (* what it takes for the product of two numbers *)

Definition product_of (X Y : mat) : mat := fun i j => sum n (fun k => pr (X i k) (Y k j)).

(** The matrices that a row holds in S, and in R - S. *)
Definition scratch (x : nat -> R) : mat := fun i k => x (n2 + (i * n + k))%nat.
Definition carried (x : nat -> R) : mat := fun k j => x (k * n + j)%nat - x (n2 + (k * n + j))%nat.

Definition multiplies (B : block) : Prop := forall X r c, (c < d)%nat ->
  (gated = true -> X r at_one = 1) ->
  block_adds e B X r c
  = if (c <? n2)%nat then vec n (product_of (scratch (X r)) (carried (X r))) c
    else if (c <? 2 * n2)%nat then - X r c else 0.

Lemma index_in i j : (i < n)%nat -> (j < n)%nat -> (i * n + j < n2)%nat.
Proof. unfold DecoderWeights.n2. nia. Qed.

Lemma in_triples f u : In u (triples f) ->
  exists i k j, (i < n)%nat /\ (k < n)%nat /\ (j < n)%nat /\ In u (f i k j).
Proof.
  unfold DecoderWeights.triples. rewrite in_flat_map. intros (i & Hi & H). rewrite in_flat_map in H.
  destruct H as (k & Hk & H). rewrite in_flat_map in H. destruct H as (j & Hj & H).
  apply in_seq in Hi, Hk, Hj. exists i, k, j. repeat split; auto; lia.
Qed.

Lemma lsum_triples g f :
  lsum g (triples f) = sum n (fun i => sum n (fun k => sum n (fun j => lsum g (f i k j)))).
Proof.
  unfold DecoderWeights.triples. rewrite lsum_flat_map, lsum_seq. apply sum_ext. intros i Hi.
  rewrite lsum_flat_map, lsum_seq. apply sum_ext. intros k Hk.
  now rewrite lsum_flat_map, lsum_seq.
Qed.

Theorem gated_multiplies : gated = true -> (forall y, act e y - act e (- y) = y) -> act e 1 <> 0 ->
  (forall x y, pr x y = x * y) -> multiplies multiplier.
Proof.
  intros G Hodd H1 Hpr X r c Hc Hone. unfold DecoderWeights.multiplier. rewrite G.
  rewrite G in Hc. assert (Hd : DecoderWeights.d n true = (2 * n2 + 3)%nat) by reflexivity.
  rewrite gated_units.
  2: { intros u Hu. apply in_app_or in Hu. destruct Hu as [Hu|Hu].
       - apply in_triples in Hu. destruct Hu as (i & k & j & Hi & Hk & Hj & Hu).
         pose proof (index_in i k Hi Hk). pose proof (index_in k j Hk Hj).
         destruct Hu as [<-|[<-|[]]]; cbn [into gate opposite map fst snd];
           split; repeat (apply below_cons; [lia|]); apply below_nil.
       - apply in_map_iff in Hu. destruct Hu as (v & <- & Hv). apply in_seq in Hv.
         cbn [into gate DecoderWeights.emptying_unit carrier]. unfold DecoderWeights.at_one.
         split; repeat (apply below_cons; [lia|]); apply below_nil. }
  rewrite lsum_app, lsum_triples, lsum_map, lsum_seq.
  rewrite (sum_ext n _ (fun i => sum n (fun k => sum n (fun j =>
    if (c =? i * n + j)%nat then scratch (X r) i k * carried (X r) k j else 0)))).
  2: { intros i Hi. apply sum_ext. intros k Hk. apply sum_ext. intros j Hj.
       unfold DecoderWeights.product_units. rewrite pair_multiplies by exact Hodd.
       rewrite share_single. unfold reads. cbn [lsum fst snd amount]. unfold scratch, carried.
       destruct (c =? i * n + j)%nat; ring. }
  rewrite (sum_aimed n (fun i k j => scratch (X r) i k * carried (X r) k j)). fold n2.
  rewrite (sum_ext n2 _ (fun v => if (c =? n2 + v)%nat then - X r (n2 + v)%nat else 0)).
  2: { intros v Hv. unfold DecoderWeights.emptying_unit. rewrite carrier_carries by auto.
       rewrite share_single. unfold reads. cbn [lsum fst snd amount].
       destruct (c =? n2 + v)%nat; ring. }
  destruct (Nat.ltb_spec c n2); [|destruct (Nat.ltb_spec c (2 * n2))].
  - rewrite (sum_zero n2).
    + rewrite Rplus_0_r. unfold vec, product_of. apply sum_ext. intros k Hk. now rewrite Hpr.
    + intros v Hv. destruct (Nat.eqb_spec c (n2 + v)); [lia|reflexivity].
  - rewrite (sum_single n2 _ (c - n2)%nat); [|lia|].
    + replace (n2 + (c - n2))%nat with c by lia. rewrite Nat.eqb_refl. ring.
    + intros v Hv Hne. destruct (Nat.eqb_spec c (n2 + v)); [lia|reflexivity].
  - rewrite sum_zero; [ring|]. intros v Hv. destruct (Nat.eqb_spec c (n2 + v)); [lia|reflexivity].
Qed.

(** Without gates: sigma(u) + sigma(-u) in place of u^2. *)
Definition even_part (u : R) : R := act e u + act e (- u).
Definition even_product (x y : R) : R :=
  (even_part (h e * (x + y)) - even_part (h e * (x - y))) / (4 * (h e * h e) * bend e).

Lemma four_add (X : mat) r c i k j : (i < n)%nat -> (k < n)%nat -> (j < n)%nat ->
  (forall y, act e y - act e (- y) = y) -> slope e = 1 / 2 -> h e <> 0 ->
  lsum (plain_unit e (X r) c) (four_of i k j)
  = (if (c =? i * n + j)%nat then even_product (scratch (X r) i k) (carried (X r) k j) else 0)
    + (if (j =? 0)%nat then if (c =? n2 + (i * n + k))%nat then - scratch (X r) i k else 0 else 0).
Proof.
  intros Hi Hk Hj Hodd Hs Hh. set (x := scratch (X r) i k). set (y := carried (X r) k j).
  pose proof (index_in i k Hi Hk). pose proof (index_in i j Hi Hj).
  assert (R0 : forall ex ey even, reads e (X r) (into (four_at i k j ex ey even))
                 = h e * (IZR ex * x + IZR ey * y)).
  { intros ex ey even. unfold DecoderWeights.four_at, reads. cbn [into lsum fst snd amount].
    unfold x, y, scratch, carried. rewrite opp_IZR. ring. }
  assert (S0 : forall ex ey even, share e (out (four_at i k j ex ey even)) c
    = (if (c =? i * n + j)%nat then IZR even / (4 * (h e * h e) * bend e) else 0)
      + (if (j =? 0)%nat then if (c =? n2 + (i * n + k))%nat then - IZR ex / (2 * h e) else 0 else 0)).
  { intros ex ey even. unfold DecoderWeights.four_at, share. cbn [out lsum fst snd].
    assert (Ho : amount e (Odd (- ex)) = - IZR ex / (2 * h e)).
    { cbn [amount]. rewrite Hs, opp_IZR. field. exact Hh. }
    destruct (c =? i * n + j)%nat; destruct (j =? 0)%nat; cbn [lsum fst snd]; rewrite ?Ho;
      try destruct (c =? n2 + (i * n + k))%nat; cbn [amount]; ring. }
  unfold DecoderWeights.four_of. cbn [lsum]. unfold plain_unit. rewrite !R0, !S0.
  replace (h e * (1 * x + 1 * y)) with (h e * (x + y)) by ring.
  replace (h e * (-1 * x + -1 * y)) with (- (h e * (x + y))) by ring.
  replace (h e * (1 * x + -1 * y)) with (h e * (x - y)) by ring.
  replace (h e * (-1 * x + 1 * y)) with (- (h e * (x - y))) by ring.
  pose proof (Hodd (h e * (x + y))) as E1. pose proof (Hodd (h e * (x - y))) as E2.
  unfold even_product, even_part.
  set (a1 := act e (h e * (x + y))) in *. set (a2 := act e (- (h e * (x + y)))) in *.
  set (a3 := act e (h e * (x - y))) in *. set (a4 := act e (- (h e * (x - y)))) in *.
  set (D := 4 * (h e * h e) * bend e).
  assert (Eo : - 1 / (2 * h e) * (a1 - a2 + (a3 - a4)) = - x).
  { rewrite E1, E2. field. exact Hh. }
  destruct (c =? i * n + j)%nat; destruct (j =? 0)%nat; try destruct (c =? n2 + (i * n + k))%nat;
    unfold Rdiv in *; rewrite ?Rplus_0_r, ?Rplus_0_l; try rewrite <- Eo; ring.
Qed.

Theorem plain_multiplies : gated = false -> (forall y, act e y - act e (- y) = y) ->
  slope e = 1 / 2 -> h e <> 0 ->
  (forall x y, pr x y = even_product x y) -> multiplies multiplier.
Proof.
  intros G Hodd Hs Hh Hpr X r c Hc _. unfold DecoderWeights.multiplier. rewrite G.
  rewrite G in Hc. assert (Hd : DecoderWeights.d n false = (2 * n2 + 2)%nat) by reflexivity.
  rewrite plain_units.
  2: { intros u Hu. apply in_triples in Hu. destruct Hu as (i & k & j & Hi & Hk & Hj & Hu).
       pose proof (index_in i k Hi Hk). pose proof (index_in k j Hk Hj).
       destruct Hu as [<-|[<-|[<-|[<-|[]]]]]; cbn [into gate DecoderWeights.four_at]; split;
         repeat (apply below_cons; [lia|]); apply below_nil. }
  rewrite lsum_triples.
  rewrite (sum_ext n _ (fun i => sum n (fun k => sum n (fun j =>
      if (c =? i * n + j)%nat then even_product (scratch (X r) i k) (carried (X r) k j) else 0))
    + sum n (fun k => if (c =? n2 + (i * n + k))%nat then - X r c else 0))).
  2: { intros i Hi. rewrite <- sum_plus. apply sum_ext. intros k Hk.
       rewrite (sum_ext n _ (fun j =>
         (if (c =? i * n + j)%nat then even_product (scratch (X r) i k) (carried (X r) k j) else 0)
         + (if (j =? 0)%nat then
              if (c =? n2 + (i * n + k))%nat then - scratch (X r) i k else 0 else 0)))
         by (intros j Hj; now apply four_add).
       rewrite sum_plus. f_equal. rewrite (sum_single n _ 0%nat); [|lia|].
       - simpl (0 =? 0)%nat. cbv iota. destruct (Nat.eqb_spec c (n2 + (i * n + k))) as [->|]; reflexivity.
       - intros j Hj Hne. destruct (Nat.eqb_spec j 0); [lia|reflexivity]. }
  rewrite sum_plus. rewrite (sum_aimed n (fun i k j => even_product (scratch (X r) i k) (carried (X r) k j))).
  fold n2.
  assert (E2 : sum n (fun i => sum n (fun k => if (c =? n2 + (i * n + k))%nat then - X r c else 0))
               = if ((n2 <=? c) && (c <? 2 * n2))%nat then - X r c else 0).
  { rewrite <- (sum_mul n n (fun v => if (c =? n2 + v)%nat then - X r c else 0)). fold n2.
    destruct (Nat.leb_spec n2 c); destruct (Nat.ltb_spec c (2 * n2)); cbn [andb].
    - rewrite (sum_single n2 _ (c - n2)%nat); [|lia|].
      + destruct (Nat.eqb_spec c (n2 + (c - n2))); [reflexivity|lia].
      + intros v Hv Hne. destruct (Nat.eqb_spec c (n2 + v)); [lia|reflexivity].
    - apply sum_zero. intros v Hv. destruct (Nat.eqb_spec c (n2 + v)); [lia|reflexivity].
    - apply sum_zero. intros v Hv. destruct (Nat.eqb_spec c (n2 + v)); [lia|reflexivity].
    - apply sum_zero. intros v Hv. destruct (Nat.eqb_spec c (n2 + v)); [lia|reflexivity]. }
  rewrite E2. destruct (Nat.ltb_spec c n2); [|destruct (Nat.ltb_spec c (2 * n2))].
  - destruct (Nat.leb_spec n2 c); [lia|]. cbn [andb]. rewrite Rplus_0_r.
    unfold vec, product_of. apply sum_ext. intros k Hk. now rewrite Hpr.
  - destruct (Nat.leb_spec n2 c); [|lia]. cbn [andb]. ring.
  - rewrite andb_false_r. ring.
Qed.

(** ** One layer, and all of them *)

Definition advance (s : nat) (M : nat -> mat) (i : nat) : mat :=
  fun a b => M i a b + mean s M i a b + product_of (mean s M i) (M i) a b.

Hypothesis exact_or_near : multiplies multiplier.

Theorem layer_holds s X M : holds X M -> holds (run_layer e filter N X (layer_at s)) (advance s M).
Proof.
  intros HX i c Hi Hc. unfold run_layer. change (mlp (layer_at s)) with multiplier.
  set (Y := after_attention e filter N X (layer_at s)).
  assert (HY : forall k, (k < d)%nat -> Y i k = if (k <? n2)%nat
      then vec n (M i) k + vec n (mean s M i) k
      else if (k <? 2 * n2)%nat then vec n (mean s M i) (k - n2)%nat
      else amount e (position_entry i k)) by (intros k Hk; now apply attention_adds).
  rewrite exact_or_near; [|exact Hc|].
  2: { intro G. rewrite HY by (widths; rewrite ?G; cbv iota; lia). entry_at. }
  rewrite (HY c Hc). unfold row.
  assert (Hd : (2 * n2 <= d)%nat) by (unfold DecoderWeights.d; destruct gated; lia).
  destruct (Nat.ltb_spec c n2) as [H|]; [|destruct (Nat.ltb_spec c (2 * n2)); ring].
  assert (Hn : (0 < n)%nat) by (unfold DecoderWeights.n2 in H; destruct n; lia).
  assert (Ha : (c / n < n)%nat) by (apply Nat.div_lt_upper_bound; unfold DecoderWeights.n2 in H; lia).
  assert (Hb : (c mod n < n)%nat) by (apply Nat.mod_upper_bound; lia).
  unfold vec, advance. f_equal. unfold product_of. apply sum_ext. intros k Hk.
  pose proof (index_in _ _ Ha Hk). pose proof (index_in _ _ Hk Hb).
  f_equal; unfold scratch, carried; rewrite !HY by lia; unfold vec; bool_cases; try lia.
  - replace (n2 + (c / n * n + k) - n2)%nat with (c / n * n + k)%nat by lia.
    now rewrite divn, modn.
  - replace (n2 + (k * n + c mod n) - n2)%nat with (k * n + c mod n)%nat by lia.
    rewrite divn, modn by auto. ring.
Qed.

(** What R holds after l layers, from what it holds at first. *)
Fixpoint held (start : nat -> mat) (l : nat) : nat -> mat :=
  match l with O => start | S l' => advance (2 ^ l') (held start l') end.

Theorem model_holds start l X : holds X start ->
  holds (fold_left (run_layer e filter N) (map (fun k => layer_at (2 ^ k)) (seq 0 l)) X)
        (held start l).
Proof.
  intro HX. induction l as [|l IH]; [exact HX|].
  rewrite seq_S, map_app, fold_left_app. cbn [map fold_left held]. now apply layer_holds.
Qed.

(** ** The first stream and the readout *)

Variable word : list nat.
Hypothesis tokens_are : N = S (length word).
Hypothesis letters_in : Forall (fun a => (a < q)%nat) word.

(** A^a - I at a letter, 0 at the begin token. *)
Definition start (i : nat) : mat :=
  match i with
  | O => fun _ _ => 0
  | S i' => fun a b => A e (nth i' word 0%nat) a b - I a b
  end.

Lemma embedded_holds L : holds (embedded e (construction L) (q :: word)) start.
Proof.
  intros i c Hi Hc. unfold embedded, real. cbn [DecoderWeights.construction W_E W_pos item]. unfold row.
  assert (Hpos : (c < 2 * n2)%nat -> amount e (position_entry i c) = 0).
  { intro H. entry_at. }
  assert (Hlet : forall a, (n2 <= c)%nat -> amount e (letter_entry a c) = 0).
  { intros a H. unfold DecoderWeights.letter_entry. destruct (Nat.ltb_spec c n2); [lia|].
    rewrite andb_false_r. reflexivity. }
  destruct (Nat.ltb_spec c n2); [|destruct (Nat.ltb_spec c (2 * n2))].
  - rewrite Hpos by lia. destruct i as [|i]; cbn [nth start].
    + unfold DecoderWeights.letter_entry. destruct (Nat.ltb_spec q q); [lia|]. cbn. unfold vec. ring.
    + assert (Ha : (nth i word 0 < q)%nat).
      { rewrite Forall_forall in letters_in. apply letters_in, nth_In. lia. }
      unfold DecoderWeights.letter_entry. destruct (Nat.ltb_spec (nth i word 0%nat) q); [|lia].
      destruct (Nat.ltb_spec c n2); [|lia]. cbn [andb]. unfold vec, I.
      destruct (c / n =? c mod n)%nat; cbn [amount b2r]; ring.
  - rewrite Hlet, Hpos by lia. ring.
  - rewrite Hlet by lia. ring.
Qed.

Theorem output_reads L i j : (i < N)%nat -> (j < n)%nat ->
  forward e filter (construction L) (q :: word) i j
  = sum n (fun a => alpha e a * (held start L i a j + I a j)).
Proof.
  intros Hi Hj. unfold forward, readout, shifted. cbn [DecoderWeights.construction W_U b_U].
  replace (length (q :: word)) with N by (rewrite tokens_are; reflexivity).
  set (X := stream e filter N (construction L) (q :: word)).
  assert (HX : holds X (held start L)).
  { unfold X, stream. cbn [DecoderWeights.construction layers]. apply model_holds. apply embedded_holds. }
  rewrite columns_read.
  2: { unfold DecoderWeights.state_reads. intros x Hx. apply in_app_or in Hx. destruct Hx as [Hx|Hx].
       - apply in_map_iff in Hx. destruct Hx as (a & <- & Ha). apply in_seq in Ha.
         pose proof (index_in a j ltac:(lia) Hj). cbn [fst]. unfold DecoderWeights.d. destruct gated; lia.
       - destruct gated eqn:G; [|destruct Hx]. destruct Hx as [<-|[]]. cbn [fst].
         unfold DecoderWeights.d, DecoderWeights.at_one. rewrite ?G; cbv iota; lia. }
  unfold reads, DecoderWeights.state_reads. rewrite lsum_app, lsum_map, lsum_seq. cbn [fst snd amount].
  assert (E1 : sum n (fun a => X i (a * n + j)%nat * alpha e a)
               = sum n (fun a => alpha e a * held start L i a j)).
  { apply sum_ext. intros a Ha. pose proof (index_in a j Ha Hj).
    rewrite HX by (auto; unfold DecoderWeights.d; destruct gated; lia). unfold row.
    destruct (Nat.ltb_spec (a * n + j) n2); [|lia]. unfold vec. rewrite divn, modn by auto. ring. }
  assert (E2 : sum n (fun a => alpha e a * I a j) = alpha e j).
  { rewrite (sum_single n _ j Hj).
    - unfold I. rewrite Nat.eqb_refl. simpl. ring.
    - intros a Ha Hne. unfold I. solve01. }
  rewrite E1. rewrite (sum_ext n (fun a => alpha e a * (held start L i a j + I a j))
    (fun a => alpha e a * held start L i a j + alpha e a * I a j)) by (intros; ring).
  rewrite sum_plus, E2. destruct gated eqn:G; cbn [lsum fst snd amount]; [|ring].
  rewrite (holds_one X _ i G HX Hi). ring.
Qed.
End Layers.
