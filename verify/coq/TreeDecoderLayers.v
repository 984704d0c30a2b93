(** * The tree decoder: its layers with hard attention, field by field

    Beyond the paper. If the stream holds tokens with given fields, and every head's row of scores
    has one top (the mean head's is flat), then after the layer it holds the tokens that the step
    makes of what the heads read.

    Main definitions: [holds], [mid_match], [mid_jump] (a token after the attention of a layer),
                      [after_first], [after_second], [match_score].
    Main theorems:    [head_copies], [follow_copies], [first_layer], [second_layer], [match_layer],
                      [jump_layer]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Attention DecoderModel TreeDecoderModel TreeDecoderBlocks.
Import ListNotations.
Open Scope R_scope.

(** The stream of N tokens holds the fields of these tokens. *)
Definition holds (n N : nat) (X : mat) (cells : nat -> tok) : Prop :=
  forall i p, (i < N)%nat -> inside n p -> X i (place n p) = field i (cells i) p.

(** Fields for the places that a goal names. *)
Ltac held HX :=
  lazymatch type of HX with holds _ _ ?X _ =>
    repeat match goal with |- context [X ?i ?c] =>
      let p := name_of c in rewrite (HX i p : _ -> _ -> X i c = _) by (exact (le_n 1) || assumption || lia) end
  end; cbn [field].

Section Layers.
Variable n T N : nat.               (* states, longest string, tokens *)
Variable e : setting.
Hypothesis C_pos : 0 < C e.
Hypothesis act_odd : forall y, act e y - act e (- y) = y.
Hypothesis act_1 : act e 1 <> 0.

Local Notation width := (width n).
Local Notation inside := (inside n).
Local Notation place := (place n).
Local Notation stepped := (stepped n e).
Local Notation K := (K T).
Local Notation holds := (holds n N).
Local Notation attend := (attend e averaged N).

(** ** What a head copies when its scores have one top *)

(** A head has room for its copies, and none of them writes over the constant one. *)
Definition copies_fit (l : copy_list) : Prop :=
  (length l <= head_width n)%nat /\ forall r, In r l -> zbelow width (fst r) /\ snd r <> 0%nat.

Lemma head_copies q0 q1 k0 k1 copies X i t c :
  let H := make_head width (head_width n) q0 q1 k0 k1 copies in
  (i < N)%nat -> (t <= i)%nat -> copies_fit copies ->
  (forall j, (j <= i)%nat -> j <> t -> scores e H X i j < scores e H X i t) ->
  attend X H i c = lsum (fun r => if (c =? snd r)%nat then zreads (X t) (fst r) else 0) copies.
Proof.
  intros H Hi Ht [Hlen Hb] Htop. unfold H.
  rewrite head_adds by (assumption || (intros; now apply Hb) || (unfold head_width; lia)). fold H.
  apply lsum_ext. intros r Hr. destruct (c =? snd r)%nat; [|reflexivity].
  assert (HW : forall j, (j < i + 1)%nat -> averaged (i + 1) (scores e H X) i j = b2r (j =? t)%nat).
  { apply averaged_top; [lia|]. intros j Hj Hne. apply Htop; [lia|exact Hne]. }
  rewrite (sum_single (i + 1) _ t); [|lia|].
  - rewrite HW, Nat.eqb_refl by lia. cbn [b2r]. ring.
  - intros j Hj Hne. rewrite HW by exact Hj. rewrite (proj2 (Nat.eqb_neq _ _) Hne). cbn [b2r]. ring.
Qed.

(** What copies of token j bring to a place: one field, or a block of them. *)
Lemma one_copy_read X cells j from to p : holds X cells -> (j < N)%nat -> inside p -> inside from -> inside to ->
  lsum (fun r => if (place p =? snd r)%nat then zreads (X j) (fst r) else 0) (one_copy (place from) (place to))
  = if same p to then field j (cells j) from else 0.
Proof.
  intros HX Hj Hp Hf Ht. unfold one_copy, zreads. cbn [lsum fst snd]. rewrite place_eqb, HX by assumption.
  destruct (same p to); ring.
Qed.

Lemma copies_read X cells j (from : nat -> name) to s k p : holds X cells -> (j < N)%nat -> inside p ->
  (forall a, (a < k)%nat -> inside (from a)) -> (forall a, place (from a) = s + a)%nat -> extent n to = k ->
  lsum (fun r => if (place p =? snd r)%nat then zreads (X j) (fst r) else 0) (copies_of k s (base n to))
  = if (rank p =? rank to)%nat then field j (cells j) (from (offset p)) else 0.
Proof.
  intros HX Hj Hp Hf Hs <-. unfold copies_of. rewrite lsum_map, lsum_seq. cbn [fst snd].
  rewrite (sum_ext _ _ (fun v => if (place p =? base n to + v)%nat then X j (s + v)%nat else 0))
    by (intros v _; unfold zreads; cbn [lsum fst snd]; destruct (_ =? _)%nat; ring).
  rewrite sum_hit, in_block by exact Hp. destruct (Nat.eqb_spec (rank p) (rank to)) as [E|]; [|reflexivity].
  rewrite <- HX by (assumption || apply Hf; now apply offset_below).
  rewrite Hs, place_split, !base_start, E. do 2 f_equal. lia.
Qed.

(** The copies of all heads fit. *)
Lemma copies_length k s g : length (copies_of k s g) = k.
Proof. unfold copies_of. now rewrite map_length, seq_length. Qed.

Lemma many_fit k s g r : (s + k <= width)%nat -> g <> 0%nat -> In r (copies_of k s g) ->
  zbelow width (fst r) /\ snd r <> 0%nat.
Proof.
  intros H Hg Hr. apply in_map_iff in Hr. destruct Hr as (a & <- & Ha). apply in_seq in Ha. cbn [fst snd].
  split; [apply zbelow_one|]; lia.
Qed.

Lemma one_fits s g r : (s < width)%nat -> g <> 0%nat -> In r (one_copy s g) -> zbelow width (fst r) /\ snd r <> 0%nat.
Proof. intros H Hg [<-|[]]. split; [now apply zbelow_one|exact Hg]. Qed.

Lemma child_fits f g : f <> 0%nat -> g <> 0%nat -> copies_fit (one_copy p_f f ++ copies_of n (p_b n) g).
Proof.
  intros Hf Hg. split; [rewrite app_length, copies_length; unfold head_width; cbn [length one_copy]; lia|].
  intros r Hr. apply in_app_or in Hr. destruct Hr as [Hr|Hr].
  - apply (one_fits _ _ _ (place_below n P_f (le_n 1)) Hf Hr).
  - apply (many_fit _ _ _ _ (block_below n (P_b 0)) Hg Hr).
Qed.

Lemma mean_fits : copies_fit [([(p_one, 1); (p_f, -1); (p_g, -2)]%Z, p_N n)].
Proof.
  split; [unfold head_width; cbn [length]; lia|]. intros r [<-|[]]. split; [zb n|discriminate].
Qed.

Lemma pointer_fits : copies_fit (copies_of (nn n) p_M (p_S n) ++ copies_of n (p_b n) (p_s n)
  ++ one_copy p_f (p_h n) ++ one_copy p_c (p_k n)).
Proof.
  split; [rewrite !app_length, !copies_length; unfold head_width; cbn [length one_copy]; lia|].
  intros r Hr. repeat (apply in_app_or in Hr; destruct Hr as [Hr|Hr]).
  - now apply (many_fit _ _ _ _ (block_below n (P_M 0))) in Hr.
  - now apply (many_fit _ _ _ _ (block_below n (P_b 0))) in Hr.
  - now apply (one_fits _ _ _ (place_below n P_f (le_n 1))) in Hr.
  - now apply (one_fits _ _ _ (place_below n P_c (le_n 1))) in Hr.
Qed.

Lemma match_fits : copies_fit (([(p_i, 1); (p_one, -1)]%Z, p_phi) :: one_copy (p_h n) (p_F n)
  ++ copies_of n (p_s n) (p_Bf n)).
Proof.
  split; [cbn [length]; rewrite app_length, copies_length; unfold head_width; cbn [length one_copy]; lia|].
  intros r [<-|Hr]; [split; [zb n|discriminate]|]. apply in_app_or in Hr. destruct Hr as [Hr|Hr].
  - now apply (one_fits _ _ _ (place_below n P_h (le_n 1))) in Hr.
  - now apply (many_fit _ _ _ _ (block_below n (P_s 0))) in Hr.
Qed.

(** ** Heads that follow a number z <= i read token z, or the begin token if z < 0 *)

Lemma zreads_doubled x ptr : zreads x (map (fun p => (fst p, 2 * snd p)%Z) ptr) = 2 * zreads x ptr.
Proof.
  unfold zreads. induction ptr as [|q f IH]; cbn [map lsum fst snd]; [ring|]. rewrite IH, mult_IZR. ring.
Qed.

(** The score 2 z j - j^2 has its top at j = z, by at least 1. *)
Lemma follow_gap z i j : (z <= Z.of_nat i)%Z -> (j <= i)%nat -> j <> Z.to_nat z ->
  (2 * z * Z.of_nat j - Z.of_nat j * Z.of_nat j + 1
   <= 2 * z * Z.of_nat (Z.to_nat z) - Z.of_nat (Z.to_nat z) * Z.of_nat (Z.to_nat z))%Z.
Proof.
  intros Hz Hj Hne. destruct (Z.le_gt_cases 0 z) as [H|H].
  - assert (D : (Z.of_nat j - z <> 0)%Z) by lia. rewrite Z2Nat.id by exact H.
    pose proof (Z.square_nonneg (Z.of_nat j - z)). revert D H0. generalize (Z.of_nat j). clear. nia.
  - replace (Z.of_nat (Z.to_nat z)) with 0%Z by lia. assert (1 <= Z.of_nat j)%Z by lia. clear - H H0. nia.
Qed.

Lemma follow_copies X cells ptr copies i z c : holds X cells -> (i < N)%nat ->
  zbelow width ptr -> zreads (X i) ptr = IZR z -> (z <= Z.of_nat i)%Z -> copies_fit copies ->
  attend X (follow n ptr copies) i c
  = lsum (fun r => if (c =? snd r)%nat then zreads (X (Z.to_nat z)) (fst r) else 0) copies.
Proof.
  intros HX Hi Hp Hz Hzi Hfit. unfold follow. apply head_copies; [exact Hi|lia|exact Hfit|].
  assert (Hd : zbelow width (map (fun t => (fst t, (2 * snd t)%Z)) ptr)).
  { intros q Hq. apply in_map_iff in Hq. destruct Hq as (r & <- & Hr). exact (Hp r Hr). }
  assert (Hscore : forall j, (j <= i)%nat ->
    scores e (make_head width (head_width n) (map (fun t => (fst t, (2 * snd t)%Z)) ptr)
      [(p_one, 1%Z)] [(p_i, 1%Z)] [(p_sq, (-1)%Z)] copies) X i j
    = C e * IZR (2 * z * Z.of_nat j - Z.of_nat j * Z.of_nat j)).
  { intros j Hj. rewrite head_score by (exact Hd || zb n || (unfold head_width; lia)).
    rewrite zreads_doubled, Hz, minus_IZR, !mult_IZR, <- INR_IZR_INZ. unfold zreads. cbn [lsum fst snd].
    held HX. ring. }
  intros j Hj Hne. rewrite !Hscore by lia. apply Rmult_lt_compat_l; [exact C_pos|]. apply IZR_lt.
  pose proof (follow_gap z i j Hzi Hj Hne). lia.
Qed.

(** Such a head, when it copies the flag f and the vector b of a token. *)
Lemma child_adds X cells ptr z i g h p : holds X cells -> (i < N)%nat -> inside p ->
  zbelow width ptr -> zreads (X i) ptr = IZR z -> (z <= Z.of_nat i)%Z ->
  inside g -> extent n h = n -> place g <> 0%nat -> base n h <> 0%nat ->
  attend X (follow n ptr (one_copy p_f (place g) ++ copies_of n (p_b n) (base n h))) i (place p)
  = (if same p g then t_f (cells (Z.to_nat z)) else 0)
    + (if (rank p =? rank h)%nat then t_b (cells (Z.to_nat z)) (offset p) else 0).
Proof.
  intros HX Hi Hp Hb Hz Hzi Hg Hh Hg0 Hh0. assert (Hj : (Z.to_nat z < N)%nat) by lia.
  rewrite (follow_copies X cells ptr _ i z) by (assumption || now apply child_fits). rewrite lsum_app. f_equal.
  - exact (one_copy_read X cells _ P_f g p HX Hj Hp (le_n 1) Hg).
  - exact (copies_read X cells _ P_b h (p_b n) n p HX Hj Hp (fun _ H => H) (fun _ => eq_refl) Hh).
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

Lemma mean_adds X cells i p : holds X cells -> (i < N)%nat -> inside p ->
  attend X (mean n) i (place p) = if same p P_N
    then / INR (i + 1) * sum (i + 1) (fun j => bracket (cells j)) else 0.
Proof.
  intros HX Hi Hp. destruct mean_fits as [Hlen Hfit]. unfold mean.
  rewrite head_adds by (assumption || (intros; now apply Hfit) || (unfold head_width; lia)).
  cbn [lsum fst snd]. rewrite (place_eqb n P_N p Hp (le_n 1) : (place p =? p_N n)%nat = _).
  destruct (same p P_N); [|ring]. rewrite Rplus_0_r, sum_scal_l.
  apply sum_ext. intros j Hj. rewrite averaged_flat; [|intros s s' Hs Hs'|exact Hj].
  - f_equal. unfold zreads, bracket. cbn [lsum fst snd]. held HX. ring.
  - rewrite !head_score by (apply zbelow_nil || (unfold head_width; lia)). reflexivity.
Qed.

Definition before_ptr : zform := [(p_i, 1); (p_one, -1)]%Z.

Lemma before_value X cells i : holds X cells -> (i < N)%nat -> zreads (X i) before_ptr = IZR (Z.of_nat i - 1).
Proof.
  intros HX Hi. unfold before_ptr, zreads. cbn [lsum fst snd]. held HX. rewrite minus_IZR, <- INR_IZR_INZ. ring.
Qed.

(** The token after the attention of the first layer. *)
Definition mid_first (cells : nat -> tok) (i : nat) : tok :=
  let x := cells i in let y := cells (i - 1)%nat in
  Tok (t_phi x) (t_f x) (t_g x) (t_c x) (t_M x) (t_b x)
      (/ INR (i + 1) * sum (i + 1) (fun j => bracket (cells j))) (fun _ => 0) 0 (fun _ => 0) (fun _ => 0)
      (t_b y) (t_f y) 0.

Theorem first_layer X cells : holds X cells -> (forall i, (i < N)%nat -> clear_scratch (cells i)) ->
  holds (run_layer e averaged N X (Layer [mean n; previous n] (first_block n))) (after_first cells).
Proof.
  intros HX Hclear i p Hi Hp. unfold run_layer.
  set (Y := after_attention e averaged N X (Layer [mean n; previous n] (first_block n))).
  assert (HY : forall p, inside p -> Y i (place p) = field i (mid_first cells i) p).
  { clear p Hp. intros p Hp. unfold Y, after_attention. cbn [heads heads_add].
    rewrite HX, (mean_adds X cells i p) by assumption.
    rewrite (child_adds X cells before_ptr (Z.of_nat i - 1) i P_h (P_s 0) p HX Hi Hp ltac:(zb n)
      (before_value X cells i HX Hi) ltac:(lia) (le_n 1) eq_refl ltac:(discriminate) ltac:(discriminate)
      : attend X (previous n) i (place p) = _).
    replace (Z.to_nat (Z.of_nat i - 1)) with (i - 1)%nat by lia.
    destruct (Hclear i Hi) as (CN & CF & Ch & Ck & CBn & CBf & CS & Cs). unfold mid_first.
    destruct p; cbn [same rank offset Nat.eqb andb field t_phi t_f t_g t_c t_M t_b t_N t_Bn t_F t_Bf t_S t_s t_h t_k];
      rewrite ?CN, ?CF, ?Ch, ?Ck, ?CBn, ?CBf, ?CS, ?Cs, ?Rplus_0_r, ?Rplus_0_l; reflexivity. }
  change (mlp (Layer [mean n; previous n] (first_block n))) with (first_block n). unfold first_block.
  rewrite make_block_adds; [|assumption|assumption|exact (HY P_one (le_n 1))|below n| |].
  - cbn [lsum fst snd erase].
    rewrite !(share_place n e P_k), (share_place n e P_N) by (exact Hp || exact (le_n 1)).
    unfold zreads. cbn [lsum fst snd]. rewrite HY by exact Hp.
    rewrite (HY P_one (le_n 1) : Y i p_one = _), (HY P_i (le_n 1) : Y i p_i = _), (HY P_N (le_n 1) : Y i (p_N n) = _),
      (HY P_f (le_n 1) : Y i p_f = _), (HY P_g (le_n 1) : Y i p_g = _).
    cbn [field mid_first t_f t_g t_N amount]. set (S := sum (i + 1) _). set (m := / INR (i + 1) * S).
    assert (ES : (INR i + 1) * m = S)
      by (unfold m; rewrite plus_INR; cbn [INR]; field; pose proof (pos_INR i); lra).
    transitivity (field i (mid_first cells i) p
      + ((if same p P_k then S - 2 + t_f (cells i) + t_g (cells i) else 0) - (if same p P_N then m else 0))).
    + apply f_equal. rewrite <- ES. destruct (same p P_k), (same p P_N); ring.
    + destruct p; try exact (eq_trans (f_equal (Rplus _) (Rminus_0_r 0)) (Rplus_0_r _));
        cbn [same rank offset Nat.eqb andb field mid_first after_first t_N t_k]; fold S; try (fold m); ring.
  - intros u [<-|[]]. split; zb n.
  - intros u [<-|[<-|[]]]; zb n.
Qed.

(** ** Layer 2: the square of the depth *)

Definition after_second (x : tok) : tok :=
  Tok (t_phi x) (t_f x) (t_g x) (t_c x) (t_M x) (t_b x) (t_N x) (t_Bn x) (t_F x) (t_Bf x)
      (fun v => t_S x v + (if (v =? 0)%nat then t_k x * t_k x else 0)) (t_s x) (t_h x) (t_k x).

(** There is a place S_00. *)
Hypothesis n_1 : (1 <= n)%nat.

Lemma inside_S0 : inside (P_S 0).
Proof. unfold TreeDecoderBlocks.inside, extent, nn. cbn [offset]. nia. Qed.

Lemma place_S0 : p_S n = place (P_S 0).
Proof. cbn [TreeDecoderBlocks.place base]. now rewrite Nat.add_0_r. Qed.

Theorem second_layer X cells : holds X cells ->
  holds (run_layer e averaged N X (Layer [] (second_block n))) (fun i => after_second (cells i)).
Proof.
  intros HX i p Hi Hp. unfold run_layer.
  set (Y := after_attention e averaged N X (Layer [] (second_block n))).
  assert (HY : forall p, inside p -> Y i (place p) = field i (cells i) p).
  { intros p' Hp'. unfold Y, after_attention. cbn [heads heads_add]. rewrite Rplus_0_r. now apply HX. }
  change (mlp (Layer [] (second_block n))) with (second_block n). unfold second_block.
  rewrite make_block_adds; [|assumption|assumption|exact (HY P_one (le_n 1))|below n| |intros u []].
  - cbn [lsum fst snd]. rewrite place_S0, (share_place n e (P_S 0)), zreads_one by (exact Hp || apply inside_S0).
    rewrite HY, (HY P_k (le_n 1) : Y i (p_k n) = _) by exact Hp.
    destruct p; cbn [same rank offset Nat.eqb andb field amount after_second t_phi t_f t_g t_c t_M t_b t_N t_Bn t_F t_Bf
      t_S t_s t_h t_k]; try ring. destruct (v =? 0)%nat; ring.
  - intros u [<-|[]]. split; zb n.
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

Definition near_ptr : zform := [(p_i, 1); (p_one, -1 - K); (p_g, K)]%Z.

Lemma near_value X cells i : holds X cells -> (i < N)%nat -> zreads (X i) near_ptr = near_query (cells i) i.
Proof.
  intros HX Hi. unfold near_query, near_ptr, zreads. cbn [lsum fst snd]. held HX. rewrite minus_IZR. ring.
Qed.

Lemma near_adds X cells z i p : holds X cells -> (i < N)%nat -> inside p ->
  near_query (cells i) i = IZR z -> (z <= Z.of_nat i)%Z ->
  attend X (near n T) i (place p)
  = (if same p P_N then t_f (cells (Z.to_nat z)) else 0)
    + (if (rank p =? 10)%nat then t_b (cells (Z.to_nat z)) (offset p) else 0).
Proof.
  intros HX Hi Hp Hz Hzi.
  now apply (child_adds X cells near_ptr z i P_N (P_Bn 0) p HX Hi Hp);
    [zb n|rewrite (near_value X cells)| |exact (le_n 1)| | |].
Qed.

(** The score of the match head, over C. *)
Definition match_score (cells : nat -> tok) (i j : nat) : R :=
  2 * IZR K * (t_k (cells i) + 1 + IZR K * (t_g (cells i) - 1)) * t_k (cells j)
  - IZR K * t_S (cells j) 0%nat - IZR K * t_g (cells j) + INR j.

Lemma match_value X cells i j : holds X cells -> (i < N)%nat -> (j < N)%nat ->
  zreads (X i) [(p_k n, 2 * K); (p_one, 2 * K * (1 - K)); (p_g, 2 * K * K)]%Z * zreads (X j) [(p_k n, 1%Z)]
  + zreads (X i) [(p_one, 1%Z)] * zreads (X j) [(p_S n, - K); (p_g, - K); (p_i, 1)]%Z = match_score cells i j.
Proof.
  intros HX Hi Hj. unfold match_score, zreads. cbn [lsum fst snd].
  rewrite place_S0, (HX j (P_S 0) Hj inside_S0). held HX. rewrite !mult_IZR, !minus_IZR, !opp_IZR. ring.
Qed.

Lemma match_adds X cells m i p : holds X cells -> (i < N)%nat -> inside p -> (m <= i)%nat ->
  (forall j, (j <= i)%nat -> j <> m -> match_score cells i j < match_score cells i m) ->
  attend X (match_begin n T) i (place p)
  = (if same p P_phi then INR m - 1 else 0)
    + ((if same p P_F then t_h (cells m) else 0)
       + (if (rank p =? 12)%nat then t_s (cells m) (offset p) else 0)).
Proof.
  intros HX Hi Hp Hm Htop. assert (Hj : (m < N)%nat) by lia. unfold match_begin.
  rewrite (head_copies _ _ _ _ _ X i m); [|exact Hi|exact Hm|exact match_fits|].
  - cbn [lsum fst snd]. rewrite lsum_app. f_equal; [|f_equal].
    + rewrite (place_eqb n P_phi p Hp (le_n 1) : (place p =? p_phi)%nat = _).
      destruct (same p P_phi); [|reflexivity]. unfold zreads. cbn [lsum fst snd]. held HX. ring.
    + exact (one_copy_read X cells m P_h P_F p HX Hj Hp (le_n 1) (le_n 1)).
    + exact (copies_read X cells m P_s (P_Bf 0) (p_s n) n p HX Hj Hp (fun _ H => H) (fun _ => eq_refl) eq_refl).
  - pose proof (place_below n _ inside_S0) as HS. rewrite <- place_S0 in HS.
    intros j Hj' Hne. rewrite !head_score by (zb n || (unfold head_width; lia)).
    rewrite !(match_value X cells) by (assumption || lia). apply Rmult_lt_compat_l; [exact C_pos|now apply Htop].
Qed.

Theorem match_layer X cells (m : nat -> nat) (z : nat -> Z) : holds X cells ->
  (forall i, (i < N)%nat -> (m i <= i)%nat /\
     forall j, (j <= i)%nat -> j <> m i -> match_score cells i j < match_score cells i (m i)) ->
  (forall i, (i < N)%nat -> near_query (cells i) i = IZR (z i) /\ (z i <= Z.of_nat i)%Z) ->
  holds (run_layer e averaged N X (Layer [match_begin n T; near n T] (step_block n false)))
    (fun i => stepped false i (mid_match cells (m i) (Z.to_nat (z i)) i)).
Proof.
  intros HX Hm Hz i p Hi Hp. destruct (Hm i Hi) as [Hm1 Hm2]. destruct (Hz i Hi) as [Hz1 Hz2].
  apply step_adds; [assumption|assumption| |exact Hp].
  clear p Hp. intros p Hp. unfold after_attention. cbn [heads heads_add].
  rewrite HX, (match_adds X cells (m i) i p), (near_adds X cells (z i) i p) by assumption. unfold mid_match.
  destruct p; cbn [same rank offset Nat.eqb andb field t_phi t_f t_g t_c t_M t_b t_N t_Bn t_F t_Bf t_S t_s t_h t_k];
    rewrite ?Rplus_0_r, ?Rplus_0_l; reflexivity.
Qed.

(** ** Further layers: one step each *)

Definition far_query (x : tok) : R := t_phi x + IZR K * (t_g x - 1).

Definition far_ptr : zform := [(p_phi, 1); (p_one, - K); (p_g, K)]%Z.

Lemma far_value X cells i : holds X cells -> (i < N)%nat -> zreads (X i) far_ptr = far_query (cells i).
Proof.
  intros HX Hi. unfold far_query, far_ptr, zreads. cbn [lsum fst snd]. held HX. rewrite opp_IZR. ring.
Qed.

Lemma pointer_value X cells i : holds X cells -> (i < N)%nat -> zreads (X i) [(p_c, 1%Z)] = t_c (cells i).
Proof. intros HX Hi. rewrite zreads_one. now held HX. Qed.

(** After the attention: j near, l far, p under the pointer. *)
Definition mid_jump (cells : nat -> tok) (j l p i : nat) : tok :=
  let x := cells i in
  Tok (t_phi x) (t_f x) (t_g x) (t_c x) (t_M x) (t_b x)
      (t_N x + t_f (cells j)) (fun a => t_Bn x a + t_b (cells j) a)
      (t_F x + t_f (cells l)) (fun a => t_Bf x a + t_b (cells l) a)
      (fun v => t_S x v + t_M (cells p) v) (fun a => t_s x a + t_b (cells p) a)
      (t_h x + t_f (cells p)) (t_k x + t_c (cells p)).

Lemma far_adds X cells z i p : holds X cells -> (i < N)%nat -> inside p ->
  far_query (cells i) = IZR z -> (z <= Z.of_nat i)%Z ->
  attend X (far n T) i (place p)
  = (if same p P_F then t_f (cells (Z.to_nat z)) else 0)
    + (if (rank p =? 12)%nat then t_b (cells (Z.to_nat z)) (offset p) else 0).
Proof.
  intros HX Hi Hp Hz Hzi.
  now apply (child_adds X cells far_ptr z i P_F (P_Bf 0) p HX Hi Hp);
    [zb n|rewrite (far_value X cells)| |exact (le_n 1)| | |].
Qed.

Lemma pointer_adds X cells z i p : holds X cells -> (i < N)%nat -> inside p ->
  t_c (cells i) = IZR z -> (z <= Z.of_nat i)%Z ->
  attend X (pointer n) i (place p)
  = (if (rank p =? 13)%nat then t_M (cells (Z.to_nat z)) (offset p) else 0)
    + ((if (rank p =? 14)%nat then t_b (cells (Z.to_nat z)) (offset p) else 0)
       + ((if same p P_h then t_f (cells (Z.to_nat z)) else 0)
          + (if same p P_k then t_c (cells (Z.to_nat z)) else 0))).
Proof.
  intros HX Hi Hp Hz Hzi. assert (Hj : (Z.to_nat z < N)%nat) by lia. unfold pointer.
  rewrite (follow_copies X cells _ _ i z);
    [|exact HX|exact Hi|zb n|now rewrite (pointer_value X cells)|exact Hzi|exact pointer_fits].
  rewrite !lsum_app. f_equal; [|f_equal; [|f_equal]].
  - exact (copies_read X cells _ P_M (P_S 0) p_M (nn n) p HX Hj Hp (fun _ H => H) (fun _ => eq_refl) eq_refl).
  - exact (copies_read X cells _ P_b (P_s 0) (p_b n) n p HX Hj Hp (fun _ H => H) (fun _ => eq_refl) eq_refl).
  - exact (one_copy_read X cells _ P_f P_h p HX Hj Hp (le_n 1) (le_n 1)).
  - exact (one_copy_read X cells _ P_c P_k p HX Hj Hp (le_n 1) (le_n 1)).
Qed.

Theorem jump_layer X cells (z y p : nat -> Z) : holds X cells ->
  (forall i, (i < N)%nat -> near_query (cells i) i = IZR (z i) /\ (z i <= Z.of_nat i)%Z) ->
  (forall i, (i < N)%nat -> far_query (cells i) = IZR (y i) /\ (y i <= Z.of_nat i)%Z) ->
  (forall i, (i < N)%nat -> t_c (cells i) = IZR (p i) /\ (p i <= Z.of_nat i)%Z) ->
  holds (run_layer e averaged N X (Layer [near n T; far n T; pointer n] (step_block n true)))
    (fun i => stepped true i (mid_jump cells (Z.to_nat (z i)) (Z.to_nat (y i)) (Z.to_nat (p i)) i)).
Proof.
  intros HX Hz Hy Hp i q Hi Hq.
  destruct (Hz i Hi) as [Hz1 Hz2]. destruct (Hy i Hi) as [Hy1 Hy2]. destruct (Hp i Hi) as [Hp1 Hp2].
  apply step_adds; [assumption|assumption| |exact Hq].
  clear q Hq. intros q Hq. unfold after_attention. cbn [heads heads_add].
  rewrite HX, (near_adds X cells (z i) i q), (far_adds X cells (y i) i q), (pointer_adds X cells (p i) i q)
    by assumption. unfold mid_jump.
  destruct q; cbn [same rank offset Nat.eqb andb field t_phi t_f t_g t_c t_M t_b t_N t_Bn t_F t_Bf t_S t_s t_h t_k];
    rewrite ?Rplus_0_r, ?Rplus_0_l; reflexivity.
Qed.
End Layers.
