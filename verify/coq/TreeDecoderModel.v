(** * A weighted tree automaton in a decoder: the weights

    Beyond the paper. An ordinary decoder (DecoderModel.v: token and position embeddings, a begin
    token, causal attention, residual stream, gated MLP, nothing supplied again, no mask but the
    causal one) that runs the pointer steps of LogDepth.v on the string of a tree. A subtree lives at
    the token where its string ends. Layer 1 makes depths from the mean of the brackets and reads the
    token before; layer 2 squares the depths; layer 3 finds where the right child begins, hence where
    the left one ends, and makes the first step; every further layer makes one step.

    The stream, of width 2n^2 + 4n + 11: one, i, i^2 | phi (where the left child ends), f (state
    known), g (inactive), c (pointer) | M, b with mu(v) = M mu(c) + b | scratch: N, Bn (f and b of
    the right child), F, Bf (of the left one), S, s, h, k (M, b, f, c of the node pointed to).
    In the first layers N holds the mean, k the depth, S_00 its square, h and s the token before.

    Main definitions: [tree_decoder], [make_head], [make_block], [averaged] (hard attention: the mean
                      over the maximisers).
    Main theorems:    [head_score], [head_adds], [make_block_adds], [averaged_top], [averaged_flat],
                      [tree_sizes]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Theorem1 MLP DecoderModel.
Import ListNotations.
Open Scope R_scope.

(** ** Hard attention: the mean over the maximisers *)

Definition Rleb (a b : R) : bool := if Rle_dec a b then true else false.

Definition best (N : nat) (S : mat) (r s : nat) : bool := all_below N (fun s' => Rleb (S r s') (S r s)).

Definition averaged (N : nat) (S : mat) : mat :=
  fun r s => b2r (best N S r s) / sum N (fun s' => b2r (best N S r s')).

Lemma averaged_top N S r t : (t < N)%nat -> (forall s, (s < N)%nat -> s <> t -> S r s < S r t) ->
  forall s, (s < N)%nat -> averaged N S r s = b2r (s =? t)%nat.
Proof.
  intros Ht H.
  assert (HB : forall s, (s < N)%nat -> best N S r s = (s =? t)%nat).
  { intros s Hs. apply eq_true_iff_eq. unfold best. rewrite all_below_spec, Nat.eqb_eq. split.
    - intro Hall. destruct (Nat.eq_dec s t) as [|Hne]; [assumption|]. exfalso.
      specialize (Hall t Ht). unfold Rleb in Hall. pose proof (H s Hs Hne).
      destruct (Rle_dec (S r t) (S r s)); [lra|discriminate].
    - intros -> k Hk. unfold Rleb. destruct (Rle_dec (S r k) (S r t)) as [|Hn]; [reflexivity|].
      exfalso. apply Hn. destruct (Nat.eq_dec k t) as [->|]; [lra|]. left. now apply H. }
  intros s Hs. unfold averaged. rewrite HB by exact Hs.
  rewrite (sum_single N _ t Ht).
  - rewrite HB, Nat.eqb_refl by exact Ht. cbn [b2r]. unfold Rdiv. rewrite Rinv_1. ring.
  - intros k Hk Hne. rewrite HB by exact Hk. destruct (Nat.eqb_spec k t); [lia|reflexivity].
Qed.

Lemma averaged_flat N S r : (forall s s', (s < N)%nat -> (s' < N)%nat -> S r s = S r s') ->
  forall s, (s < N)%nat -> averaged N S r s = / INR N.
Proof.
  intro H. assert (HB : forall s, (s < N)%nat -> best N S r s = true).
  { intros s Hs. unfold best. apply all_below_spec. intros k Hk. unfold Rleb.
    destruct (Rle_dec (S r k) (S r s)) as [|Hn]; [reflexivity|]. exfalso. apply Hn.
    rewrite (H k s Hk Hs). lra. }
  intros s Hs. unfold averaged. rewrite HB by exact Hs.
  rewrite (sum_ext N _ (fun _ => 1)) by (intros k Hk; now rewrite HB).
  rewrite sum_const. cbn [b2r]. unfold Rdiv. rewrite Rmult_1_r. ring.
Qed.

(** ** Forms with whole weights, and spans of places *)

Definition zform : Type := list (nat * Z).

Definition whole (f : zform) : form := map (fun q => (fst q, Whole (snd q))) f.
Definition scored (width : nat) (f : zform) : form := map (fun q => (fst q, Score width (snd q))) f.

Definition zreads (x : nat -> R) (f : zform) : R := lsum (fun q => x (fst q) * IZR (snd q)) f.

Definition span (base k : nat) (w : nat -> scalar) : form :=
  map (fun v => ((base + v)%nat, w v)) (seq 0 k).

Definition zbelow (d : nat) (f : zform) : Prop := forall q, In q f -> (fst q < d)%nat.

Lemma whole_below d f : zbelow d f -> below d (whole f).
Proof. intros H q Hq. apply in_map_iff in Hq. destruct Hq as (r & <- & Hr). now apply H. Qed.

Lemma scored_below d w f : zbelow d f -> below d (scored w f).
Proof. intros H q Hq. apply in_map_iff in Hq. destruct Hq as (r & <- & Hr). now apply H. Qed.

Lemma zbelow_nil d : zbelow d [].
Proof. intros q []. Qed.

Lemma zbelow_cons d p z f : (p < d)%nat -> zbelow d f -> zbelow d ((p, z) :: f).
Proof. intros H Hf q [<-|Hq]; [exact H|now apply Hf]. Qed.

Section Reading.
Variable e : setting.

Lemma reads_whole x f : reads e x (whole f) = zreads x f.
Proof. unfold reads, whole, zreads. now rewrite lsum_map. Qed.

Lemma reads_scored x w f : reads e x (scored w f) = C e * sqrt (INR w) * zreads x f.
Proof.
  unfold reads, scored, zreads.
  induction f as [|q f IH]; cbn [map lsum fst snd amount]; [ring|]. rewrite IH. ring.
Qed.

Lemma share_app f g c : share e (f ++ g) c = share e f c + share e g c.
Proof. apply lsum_app. Qed.

Lemma sum_hit base k g c :
  sum k (fun v => if (c =? base + v)%nat then g v else 0)
  = if ((base <=? c) && (c <? base + k))%nat then g (c - base)%nat else 0.
Proof.
  destruct (Nat.leb_spec base c); destruct (Nat.ltb_spec c (base + k)); cbn [andb].
  - rewrite (sum_single k _ (c - base)%nat); [|lia|].
    + destruct (Nat.eqb_spec c (base + (c - base))); [reflexivity|lia].
    + intros v Hv Hne. destruct (Nat.eqb_spec c (base + v)); [lia|reflexivity].
  - apply sum_zero. intros v Hv. destruct (Nat.eqb_spec c (base + v)); [lia|reflexivity].
  - apply sum_zero. intros v Hv. destruct (Nat.eqb_spec c (base + v)); [lia|reflexivity].
  - apply sum_zero. intros v Hv. destruct (Nat.eqb_spec c (base + v)); [lia|reflexivity].
Qed.

Lemma share_span base k w c : share e (span base k w) c
  = if ((base <=? c) && (c <? base + k))%nat then amount e (w (c - base)%nat) else 0.
Proof.
  unfold share, span. rewrite lsum_map, lsum_seq. exact (sum_hit base k (fun v => amount e (w v)) c).
Qed.
End Reading.

(** ** A head: two columns of queries and keys, and a list of copies *)

Definition copy_list : Type := list (zform * nat).

Definition two (f g : form) (c : nat) : form := match c with 0 => f | 1 => g | _ => [] end.

Definition make_head (d width : nat) (q0 q1 k0 k1 : zform) (copies : copy_list) : head :=
  Head (columns d width (two (scored width q0) (scored width q1))) (fun _ => Whole 0)
       (columns d width (two (whole k0) (whole k1)))
       (columns d width (fun c => whole (fst (nth c copies ([], 0%nat)))))
       (lines width d (fun v => match nth_error copies v with
                                | Some r => [(snd r, Whole 1)] | None => [] end)).

Definition make_block (d one : nat) (products : list (zform * zform * form))
  (linears : list (zform * form)) : block :=
  gated_block d
    (flat_map (fun u => pair_of (whole (fst (fst u))) (whole (snd (fst u))) (snd u)) products
     ++ map (fun u => carrier one (whole (fst u)) (snd u)) linears).

Section Heads.
Context (e : setting) (d width : nat).
Hypothesis width_2 : (2 <= width)%nat.

Lemma head_score q0 q1 k0 k1 copies X i j :
  zbelow d q0 -> zbelow d q1 -> zbelow d k0 -> zbelow d k1 ->
  scores e (make_head d width q0 q1 k0 k1 copies) X i j
  = C e * (zreads (X i) q0 * zreads (X j) k0 + zreads (X i) q1 * zreads (X j) k1).
Proof.
  intros H0 H1 H2 H3. unfold scores, make_head. cbn [W_Q b_Q W_K wide columns].
  assert (Hs : 0 < sqrt (INR width)) by (apply sqrt_lt_R0, (lt_INR 0); lia).
  assert (HQ : forall c, below d (two (scored width q0) (scored width q1) c)).
  { intros [|[|c]]; cbn [two]; [now apply scored_below|now apply scored_below|intros x []]. }
  assert (HK : forall c, below d (two (whole k0) (whole k1) c)).
  { intros [|[|c]]; cbn [two]; [now apply whole_below|now apply whole_below|intros x []]. }
  rewrite (sum_two width _ 0 1); try lia.
  - unfold shifted. cbn [amount]. rewrite !columns_read by (apply HQ || apply HK). cbn [two].
    rewrite !reads_scored, !reads_whole. field. lra.
  - intros c Hc Hc0 Hc1. rewrite (columns_read e d width (two (whole k0) (whole k1))) by apply HK.
    destruct c as [|[|c]]; try lia. cbn [two reads lsum]. unfold reads. cbn [lsum]. ring.
Qed.

(** What a head adds: the weighted means of its values, at their targets. *)
Lemma head_adds filter N q0 q1 k0 k1 copies X i c : (i < N)%nat -> (length copies <= width)%nat ->
  (forall r, In r copies -> zbelow d (fst r)) ->
  let H := make_head d width q0 q1 k0 k1 copies in
  attend e filter N X H i c
  = lsum (fun r => if (c =? snd r)%nat
                   then sum (i + 1) (fun j => filter (i + 1)%nat (scores e H X) i j * zreads (X j) (fst r))
                   else 0) copies.
Proof.
  intros Hi Hlen Hb H. unfold attend. change (W_O H) with
    (lines width d (fun v => match nth_error copies v with
                             | Some r => [(snd r, Whole 1)] | None => [] end)).
  rewrite lines_write.
  replace width with (length copies + (width - length copies))%nat at 1 by lia.
  rewrite sum_add, (sum_zero (width - length copies)).
  - rewrite Rplus_0_r, <- (sum_nth _ copies ([], 0%nat)). apply sum_ext. intros v Hv.
    rewrite (nth_error_nth' copies ([], 0%nat) Hv). rewrite share_single. cbn [amount].
    unfold mmul. rewrite causal_sum by exact Hi.
    destruct (c =? snd (nth v copies ([], 0)))%nat; [|ring]. rewrite Rmult_1_r.
    apply sum_ext. intros j Hj. f_equal.
    change (W_V H) with (columns d width (fun c => whole (fst (nth c copies ([], 0%nat))))).
    rewrite columns_read.
    + apply reads_whole.
    + apply whole_below, Hb, nth_In, Hv.
  - intros v Hv. replace (nth_error copies (length copies + v)) with (@None (zform * nat)).
    + unfold share. cbn [lsum]. ring.
    + symmetry. apply nth_error_None. lia.
Qed.

Theorem make_block_adds one products linears X r c :
  (forall y, act e y - act e (- y) = y) -> act e 1 <> 0 -> X r one = 1 -> (one < d)%nat ->
  (forall u, In u products -> zbelow d (fst (fst u)) /\ zbelow d (snd (fst u))) ->
  (forall u, In u linears -> zbelow d (fst u)) ->
  block_adds e (make_block d one products linears) X r c
  = lsum (fun u => zreads (X r) (fst (fst u)) * zreads (X r) (snd (fst u)) * share e (snd u) c) products
    + lsum (fun u => zreads (X r) (fst u) * share e (snd u) c) linears.
Proof.
  intros Hodd H1 Hone Hd HP HL. unfold make_block. rewrite gated_units.
  - rewrite lsum_app. f_equal.
    + rewrite lsum_flat_map. apply lsum_ext. intros u Hu.
      rewrite pair_multiplies by exact Hodd. now rewrite !reads_whole.
    + rewrite lsum_map. apply lsum_ext. intros u Hu.
      rewrite carrier_carries by auto. now rewrite reads_whole.
  - intros u Hu. apply in_app_or in Hu. destruct Hu as [Hu|Hu].
    + apply in_flat_map in Hu. destruct Hu as (t & Ht & Hu). destruct (HP t Ht) as [A B].
      assert (Hopp : forall f, below d f -> below d (opposite f)).
      { intros f Hf q Hq. apply in_map_iff in Hq. destruct Hq as (z & <- & Hz). cbn [fst]. exact (Hf z Hz). }
      destruct Hu as [<-|[<-|[]]]; cbn [into gate]; split; auto using whole_below.
    + apply in_map_iff in Hu. destruct Hu as (t & <- & Ht). cbn [into gate carrier]. split.
      * apply whole_below. now apply HL.
      * intros q [<-|[]]. exact Hd.
Qed.
End Heads.

(** ** The layout *)

Section Layout.
Variable n q T : nat.               (* states, letters, longest string *)

Definition nn : nat := n * n.
Definition p_one : nat := 0.
Definition p_i : nat := 1.
Definition p_sq : nat := 2.
Definition p_phi : nat := 3.
Definition p_f : nat := 4.
Definition p_g : nat := 5.
Definition p_c : nat := 6.
Definition p_M : nat := 7.
Definition p_b : nat := 7 + nn.
Definition p_N : nat := 7 + nn + n.
Definition p_Bn : nat := 8 + nn + n.
Definition p_F : nat := 8 + nn + 2 * n.
Definition p_Bf : nat := 9 + nn + 2 * n.
Definition p_S : nat := 9 + nn + 3 * n.
Definition p_s : nat := 9 + 2 * nn + 3 * n.
Definition p_h : nat := 9 + 2 * nn + 4 * n.
Definition p_k : nat := 10 + 2 * nn + 4 * n.
Definition width : nat := 11 + 2 * nn + 4 * n.
Definition head_width : nat := nn + n + 2.

Definition K : Z := Z.of_nat (T + 1).  (* moves a query below 0, so that it falls on the begin token *)

(** ** Embeddings: letters 0 .. q - 1, opening bracket q, closing bracket q + 1, begin token q + 2 *)

Definition tree_token (a c : nat) : scalar :=
  if (a <? q)%nat then
    if (c =? p_f)%nat then Whole 1 else
    if ((p_b <=? c) && (c <? p_b + n))%nat then LeafState a (c - p_b) else Whole 0
  else if (a =? q + 1)%nat then
    if (c =? p_g)%nat then Whole 1 else
    if ((p_M <=? c) && (c <? p_M + nn))%nat
    then if ((c - p_M) / n =? (c - p_M) mod n)%nat then Whole 1 else Whole 0
    else Whole 0
  else Whole 0.

Definition tree_position (i c : nat) : scalar :=
  if (c =? p_one)%nat then Whole 1 else
  if (c =? p_i)%nat then Whole (Z.of_nat i) else
  if (c =? p_sq)%nat then Whole (Z.of_nat (i * i)) else
  if (c =? p_c)%nat then Whole (Z.of_nat i) else Whole 0.

(** ** Heads *)

(** score 2 q j - j^2 *)
Definition follow (pointer : zform) (copies : copy_list) : head :=
  make_head width head_width (map (fun t => (fst t, 2 * snd t)%Z) pointer) [(p_one, 1%Z)]
    [(p_i, 1%Z)] [(p_sq, (-1)%Z)] copies.

Definition copies_of (k source target : nat) : copy_list :=
  map (fun a => ([((source + a)%nat, 1%Z)], (target + a)%nat)) (seq 0 k).

Definition one_copy (source target : nat) : copy_list := [([(source, 1%Z)], target)].

Definition near : head :=
  follow [(p_i, 1); (p_one, -1 - K); (p_g, K)]%Z (one_copy p_f p_N ++ copies_of n p_b p_Bn).
Definition far : head :=
  follow [(p_phi, 1); (p_one, - K); (p_g, K)]%Z (one_copy p_f p_F ++ copies_of n p_b p_Bf).
Definition pointer : head :=
  follow [(p_c, 1)]%Z (copies_of nn p_M p_S ++ copies_of n p_b p_s ++ one_copy p_f p_h ++ one_copy p_c p_k).
Definition mean : head :=
  make_head width head_width [] [] [] [] [([(p_one, 1); (p_f, -1); (p_g, -2)]%Z, p_N)].
Definition previous : head :=
  follow [(p_i, 1); (p_one, -1)]%Z (one_copy p_f p_h ++ copies_of n p_b p_s).

(** score - W (d_j - q)^2 - W g_j + j with q = d_i + 1 - K (1 - g_i), W = K = T + 1 *)
Definition match_begin : head :=
  make_head width head_width
    [(p_k, 2 * K); (p_one, 2 * K * (1 - K)); (p_g, 2 * K * K)]%Z [(p_one, 1%Z)]
    [(p_k, 1%Z)] [(p_S, - K); (p_g, - K); (p_i, 1)]%Z
    (([(p_i, 1); (p_one, -1)]%Z, p_phi) :: one_copy p_h p_F ++ copies_of n p_s p_Bf).

(** ** MLPs *)

Definition diagonal (k : Z) : form :=
  span p_M nn (fun v => if (v / n =? v mod n)%nat then Whole k else Whole 0).

Definition erase (p : nat) : zform * form := ([(p, 1%Z)], [(p, Whole (-1))]).
Definition erase_all (p k : nat) : list (zform * form) := map (fun v => erase (p + v)) (seq 0 k).

Definition first_block : block :=
  make_block width p_one
    [([(p_i, 1%Z); (p_one, 1%Z)], [(p_N, 1%Z)], [(p_k, Whole 1)])]
    [erase p_N; ([(p_f, 1); (p_g, 1); (p_one, -2)]%Z, [(p_k, Whole 1)])].

Definition second_block : block :=
  make_block width p_one [([(p_k, 1%Z)], [(p_k, 1%Z)], [(p_S, Whole 1)])] [].

Definition step_products : list (zform * zform * form) :=
  flat_map (fun j =>
     [([(p_one, 1%Z); (p_F, (-1)%Z)], [((p_Bn + j)%nat, 1%Z)],
       span p_M nn (fun v => Tensor (v / n) (v mod n) j));
      ([(p_one, 1%Z); (p_N, (-1)%Z)], [((p_Bf + j)%nat, 1%Z)],
       span p_M nn (fun v => Tensor (v / n) j (v mod n)))]) (seq 0 n)
  ++ flat_map (fun l => map (fun r => ([((p_Bf + l)%nat, 1%Z)], [((p_Bn + r)%nat, 1%Z)],
                 span p_b n (fun a => Tensor a l r))) (seq 0 n)) (seq 0 n)
  ++ [([(p_N, 1%Z)], [(p_F, 1%Z)], diagonal 1 ++ [(p_f, Whole 1); (p_g, Whole 1)]);
      ([(p_N, 1%Z)], [(p_phi, 1%Z); (p_i, (-1)%Z)], [(p_c, Whole 1)])].

Definition jump_products : list (zform * zform * form) :=
  flat_map (fun a => flat_map (fun m => map (fun r =>
      ([((p_M + (a * n + m))%nat, 1%Z)],
       ((p_S + (m * n + r))%nat, 1%Z) :: (if (m =? r)%nat then [(p_one, (-1)%Z)] else []),
       [((p_M + (a * n + r))%nat, Whole 1)])) (seq 0 n)) (seq 0 n)) (seq 0 n)
  ++ flat_map (fun a => map (fun m =>
      ([((p_M + (a * n + m))%nat, 1%Z)], [((p_s + m)%nat, 1%Z)], [((p_b + a)%nat, Whole 1)]))
       (seq 0 n)) (seq 0 n)
  ++ [([(p_one, 1); (p_f, -1); (p_g, -1)]%Z, [(p_h, 1%Z)], [(p_f, Whole 1)])].

Definition step_linears : list (zform * form) :=
  [([(p_N, 1%Z)], [(p_N, Whole (-1))] ++ diagonal (-1) ++ [(p_g, Whole (-1))]);
   ([(p_F, 1%Z)], [(p_F, Whole (-1))] ++ diagonal (-1) ++ [(p_g, Whole (-1)); (p_c, Whole (-1))])]
  ++ erase_all p_Bn n ++ erase_all p_Bf n ++ erase_all p_S nn ++ erase_all p_s n ++ [erase p_h].

Definition step_block (jump : bool) : block :=
  if jump
  then make_block width p_one (step_products ++ jump_products)
         (step_linears ++ [([(p_k, 1%Z)], [(p_c, Whole 1); (p_k, Whole (-1))]); erase p_c])
  else make_block width p_one step_products (step_linears ++ [erase p_k]).

(** ** The model: two layers, then one for each step *)

Definition tree_layers (steps : nat) : list layer :=
  Layer [mean; previous] first_block :: Layer [] second_block ::
  match steps with
  | O => []
  | S k => Layer [match_begin; near] (step_block false)
           :: repeat (Layer [near; far; pointer] (step_block true)) k
  end.

Definition tree_decoder (steps : nat) : decoder :=
  Decoder (Table (q + 3) width tree_token) (Table (T + 1) width tree_position) (tree_layers steps)
    (columns width n (fun a => [((p_b + a)%nat, Whole 1)])) (fun _ => Whole 0).

(** ** Sizes *)

Definition units_of (B : block) : nat :=
  match B with Gated Win _ _ => wide Win | Plain Win _ _ _ => wide Win end.

Lemma block_units products linears :
  units_of (make_block width p_one products linears)
  = (2 * length products + length linears)%nat.
Proof.
  cbn [units_of make_block gated_block wide columns].
  rewrite app_length, map_length, (flat_map_length _ 2) by reflexivity. lia.
Qed.

Lemma step_units jump : (units_of (step_block jump)
  <= 2 * n ^ 3 + 5 * n ^ 2 + 7 * n + 11)%nat /\
  (jump = true -> units_of (step_block jump) = 2 * n ^ 3 + 5 * n ^ 2 + 7 * n + 11)%nat.
Proof.
  assert (E2 : (n ^ 2 = n * n)%nat) by (simpl; lia). assert (E3 : (n ^ 3 = n * n * n)%nat) by (simpl; lia).
  assert (HP : length step_products = (2 * n + (n * n + 2))%nat).
  { unfold step_products. rewrite !app_length.
    rewrite (flat_map_length _ 2) by reflexivity.
    rewrite (flat_map_length _ n) by (intro; now rewrite map_length, seq_length).
    rewrite !seq_length. simpl; lia. }
  assert (HJ : length jump_products = (n * n * n + (n * n + 1))%nat).
  { unfold jump_products. rewrite !app_length. cbn [length]. f_equal; [|f_equal].
    - rewrite (flat_map_length _ (n * n)); [rewrite seq_length; lia|]. intro a.
      rewrite (flat_map_length _ n); [now rewrite seq_length|]. intro m.
      now rewrite map_length, seq_length.
    - rewrite (flat_map_length _ n) by (intro; now rewrite map_length, seq_length).
      now rewrite seq_length. }
  assert (HL : length step_linears = (3 * n + n * n + 3)%nat).
  { unfold step_linears, erase_all. rewrite !app_length, !map_length, !seq_length. cbn [length].
    unfold nn. lia. }
  unfold step_block. destruct jump; rewrite block_units, !app_length, HP, HL, ?HJ; cbn [length];
    rewrite E2, E3; split; intros; try discriminate; lia.
Qed.

Theorem tree_sizes steps : let model := tree_decoder steps in
  length (layers model) = (2 + steps)%nat
  /\ high (W_pos model) = (T + 1)%nat
  /\ high (W_E model) = (q + 3)%nat
  /\ high (W_U model) = (2 * n ^ 2 + 4 * n + 11)%nat
  /\ forall ly, In ly (layers model) ->
       (length (heads ly) <= 3)%nat
       /\ (forall H, In H (heads ly) -> wide (W_Q H) = (n ^ 2 + n + 2)%nat
             /\ wide (W_V H) = (n ^ 2 + n + 2)%nat)
       /\ (units_of (mlp ly) <= 2 * n ^ 3 + 5 * n ^ 2 + 7 * n + 11)%nat.
Proof.
  intro model. assert (E : (n ^ 2 = n * n)%nat) by (simpl; lia).
  split; [|split; [reflexivity|split; [reflexivity|split]]].
  - destruct steps as [|k]; [reflexivity|]. cbn [model tree_decoder layers tree_layers length].
    now rewrite repeat_length.
  - cbn [model tree_decoder W_U high columns]. unfold width, nn. rewrite E. lia.
  - intros ly Hly.
    replace (n ^ 2 + n + 2)%nat with head_width by (unfold head_width, nn; rewrite E; reflexivity).
    assert (Hs : ly = Layer [mean; previous] first_block \/ ly = Layer [] second_block
      \/ ly = Layer [match_begin; near] (step_block false)
      \/ ly = Layer [near; far; pointer] (step_block true)).
    { destruct steps as [|k]; cbn [model tree_decoder layers tree_layers] in Hly.
      - destruct Hly as [<-|[<-|[]]]; auto.
      - destruct Hly as [<-|[<-|[<-|Hly]]]; auto. apply repeat_spec in Hly. auto. }
    destruct Hs as [->|[->|[->| ->]]]; cbn [heads mlp length].
    + split; [lia|]. split; [|unfold first_block; rewrite block_units; cbn [length]; lia].
      intros H [<-|[<-|[]]]; split; reflexivity.
    + split; [lia|]. split; [|unfold second_block; rewrite block_units; cbn [length]; lia].
      intros H [].
    + split; [lia|]. split; [|apply step_units]. intros H [<-|[<-|[]]]; split; reflexivity.
    + split; [lia|]. split; [|apply step_units]. intros H [<-|[<-|[<-|[]]]]; split; reflexivity.
Qed.
End Layout.
