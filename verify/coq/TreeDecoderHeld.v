(** * How large the tree decoder's numbers are, and so an explicit C

    Beyond the paper. A head with hard attention reads a mean of what tokens hold, so that it enlarges them
    by at most A, the sizes of what it copies, and a block by at most the square, times B, the sizes of its
    weights. With U a bound on the weights of letters, x_0 = (T + 1)^2 + U bounds the embedded tokens and

        y_l = (1 + A) x_l,    x_(l+1) = y_l + B (y_l^2 + y_l)

    all that the exact decoder holds after l layers; K = (1 + A) x_L serves all L layers. This recursion
    grows with the square in each layer, so that this C is crude.

    Main definitions: [tower], [held_bound].
    Main theorems:    [course_held], [tree_decoder_rate_closed]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Trees Pebbling Theorem3 Softmax DecoderModel TreeDecoderModel DecoderForms.
From Assay Require Import TreeDecoderEnds TreeDecoderSteps TreeDecoder TreeDecoderForms DecoderBudget.
From Assay Require Import TreeDecoderRates.
Import ListNotations.
Open Scope R_scope.

(** ** One layer with hard attention *)

Section Layer.
Context (d width N : nat) (e : setting).
Hypothesis width_2 : (2 <= width)%nat.
Context (X : mat) (K : R).
Hypothesis K_pos : 0 <= K.
Hypothesis sizes : forall i k, (i < N)%nat -> (k < d)%nat -> Rabs (X i k) <= K.

(** A mean of numbers up to b is one. *)
Lemma averaged_size M S r (z : nat -> R) b : 0 <= b -> (forall s, (s < M)%nat -> Rabs (z s) <= b) ->
  Rabs (sum M (fun s => averaged M S r s * z s)) <= b.
Proof.
  intros Hb Hz. unfold averaged. set (total := sum M (fun s => b2r (best M S r s))).
  assert (Hp : forall s, 0 <= b2r (best M S r s)) by (intro s; destruct (best M S r s); cbn; lra).
  assert (Ht : 0 <= total) by (apply sum_nonneg; auto).
  destruct (Req_EM_T total 0) as [E|E].
  - rewrite sum_zero, Rabs_R0; [exact Hb|]. intros s _. rewrite E. unfold Rdiv. rewrite Rinv_0. ring.
  - apply Rle_trans with (sum M (fun s => b2r (best M S r s) * (/ total * b))).
    + eapply Rle_trans; [apply sum_abs|]. apply sum_le. intros s Hs.
      assert (0 < / total) by (apply Rinv_0_lt_compat; lra). unfold Rdiv.
      rewrite !Rabs_mult, (Rabs_pos_eq (b2r _)), (Rabs_pos_eq (/ total)), Rmult_assoc by (auto; lra).
      apply Rmult_le_compat_l; [apply Hp|]. apply Rmult_le_compat_l; [lra|auto].
    + rewrite <- sum_scal_r. fold total. right. field. exact E.
Qed.

Lemma head_size F i k : head_fits d width F -> (i < N)%nat ->
  Rabs (attend (at_C e 1) averaged N X (made_head d width F) i k) <= copies_size F * K.
Proof.
  intros (H0 & H1 & H2 & H3 & Hlen & Hcop) Hi.
  assert (Hb : forall r, In r (h_copies F) -> zbelow d (fst r)) by (intros r Hr; now apply Hcop).
  unfold made_head. rewrite head_adds by auto. unfold copies_size. rewrite <- lsum_times.
  apply lsum_size. intros r Hr. pose proof (zsize_pos (fst r)) as Hz.
  assert (0 <= zsize (fst r) * K) by (apply Rmult_le_pos; lra).
  destruct (k =? snd r)%nat; [|now rewrite Rabs_R0]. apply averaged_size; [assumption|].
  intros j Hj. rewrite Rmult_comm. apply (zreads_size d); auto. intros p Hp. apply sizes; auto. lia.
Qed.

Context (Fs : list head_form) (P : list (zform * zform * form)) (L : list (zform * form)) (A B : R).
Hypothesis d_pos : (0 < d)%nat.
Hypothesis act_odd : forall y, act e y - act e (- y) = y.
Hypothesis act_1 : act e 1 <> 0.
Hypothesis heads_fit : forall F, In F Fs -> head_fits d width F.
Hypothesis heads_A : lsum copies_size Fs <= A.
Hypothesis block_B : block_size (at_C e 1) P L <= B.
Hypothesis products_fit : forall u, In u P -> zbelow d (fst (fst u)) /\ zbelow d (snd (fst u)).
Hypothesis linears_fit : forall u, In u L -> zbelow d (fst u).
Hypothesis ones : forall i, (i < N)%nat -> X i 0%nat = 1.
Local Notation made := (made_layer d width Fs P L).
Local Notation Y := (after_attention (at_C e 1) averaged N X made).
Local Notation y := ((1 + A) * K).

Lemma after_size i k : (i < N)%nat -> (k < d)%nat -> Rabs (Y i k) <= y.
Proof.
  intros Hi Hk. unfold after_attention. cbn [made_layer heads].
  assert (H : Rabs (heads_add (at_C e 1) averaged N (map (made_head d width) Fs) X i k) <= A * K).
  { apply Rle_trans with (lsum copies_size Fs * K); [|apply Rmult_le_compat_r; auto].
    clear heads_A. induction Fs as [|F l IH]; cbn [map heads_add lsum].
    - rewrite Rabs_R0. lra.
    - eapply Rle_trans; [apply Rabs_triang|]. rewrite Rmult_plus_distr_r. apply Rplus_le_compat.
      + apply head_size; auto. apply heads_fit. now left.
      + apply IH. intros G HG. apply heads_fit. now right. }
  eapply Rle_trans; [apply Rabs_triang|]. pose proof (sizes i k Hi Hk). lra.
Qed.

Lemma layer_size i k : (i < N)%nat -> (k < d)%nat ->
  Rabs (run_layer (at_C e 1) averaged N X made i k) <= y + B * (y * y + y).
Proof.
  intros Hi Hk. unfold run_layer.
  assert (O : Y i 0%nat = 1).
  { unfold after_attention. cbn [made_layer heads].
    rewrite (heads_place_0 d width N e width_2 Fs heads_fit), ones by auto. ring. }
  cbn [made_layer mlp]. rewrite make_block_adds by auto.
  assert (Hs : forall p, (p < d)%nat -> Rabs (Y i p) <= y) by (intros; now apply after_size).
  pose proof (Hs k Hk) as B0. assert (Hy : 0 <= y) by (pose proof (Rabs_pos (Y i k)); lra).
  set (z := Y i) in *. unfold block_size in block_B.
  set (bp := lsum _ P) in block_B. set (bl := lsum _ L) in block_B.
  assert (B1 : Rabs (lsum (fun u => zreads z (fst (fst u)) * zreads z (snd (fst u)) * share (at_C e 1) (snd u) k) P)
    <= bp * (y * y)).
  { unfold bp. rewrite <- lsum_times. apply lsum_size. intros u Hu. destruct (products_fit u Hu) as [P1 P2].
    rewrite !Rabs_mult. pose proof (zreads_size d z _ y P1 Hs). pose proof (zreads_size d z _ y P2 Hs).
    pose proof (share_bound (at_C e 1) (snd u) k).
    apply Rle_trans with (y * zsize (fst (fst u)) * (y * zsize (snd (fst u))) * share_size (at_C e 1) (snd u)).
    - apply Rmult_le_compat; auto using Rabs_pos; [apply Rmult_le_pos; apply Rabs_pos|].
      apply Rmult_le_compat; auto using Rabs_pos.
    - right. ring. }
  assert (B2 : Rabs (lsum (fun u => zreads z (fst u) * share (at_C e 1) (snd u) k) L) <= bl * y).
  { unfold bl. rewrite <- lsum_times. apply lsum_size. intros u Hu. rewrite Rabs_mult.
    pose proof (zreads_size d z _ y (linears_fit u Hu) Hs). pose proof (share_bound (at_C e 1) (snd u) k).
    apply Rle_trans with (y * zsize (fst u) * share_size (at_C e 1) (snd u)).
    - apply Rmult_le_compat; auto using Rabs_pos.
    - right. ring. }
  assert (Hbp : 0 <= bp).
  { apply lsum_pos. intro u. repeat apply Rmult_le_pos; auto using zsize_pos, share_size_pos. }
  assert (Hbl : 0 <= bl).
  { apply lsum_pos. intro u. apply Rmult_le_pos; auto using zsize_pos, share_size_pos. }
  assert (Hyy : 0 <= y * y) by now apply Rmult_le_pos.
  assert ((bp + bl) * (y * y + y) <= B * (y * y + y)) by (apply Rmult_le_compat_r; lra).
  assert (0 <= bp * y) by (apply Rmult_le_pos; auto).
  assert (0 <= bl * (y * y)) by (apply Rmult_le_pos; auto).
  match goal with |- Rabs (?u + (?v + ?w)) <= _ =>
    pose proof (Rabs_triang u (v + w)); pose proof (Rabs_triang v w) end. lra.
Qed.
End Layer.

(** ** All layers *)

Fixpoint tower (A B x : R) (l : nat) : R :=
  match l with
  | O => x
  | S l' => let y := (1 + A) * tower A B x l' in y + B * (y * y + y)
  end.

Lemma tower_shift A B x l : tower A B (tower A B x 1) l = tower A B x (S l).
Proof. induction l as [|l IH]; [reflexivity|]. cbn [tower] in *. now rewrite IH. Qed.

Lemma tower_grows A B x l : 0 <= A -> 0 <= B -> 0 <= x -> 0 <= x <= tower A B x l.
Proof.
  intros HA HB Hx. induction l as [|l IH]; cbn [tower]; [lra|]. set (z := tower A B x l) in *.
  assert (0 <= A * z) by (apply Rmult_le_pos; lra).
  assert (Hy : z <= (1 + A) * z) by lra. set (y := (1 + A) * z) in *.
  assert (0 <= B * (y * y + y)).
  { apply Rmult_le_pos; [exact HB|]. assert (0 <= y * y) by (apply Rmult_le_pos; lra). lra. }
  lra.
Qed.

Definition held_bound (n T steps : nat) (e : setting) (U : R) : R :=
  (1 + copied n T) * tower (copied n T) (blocks_weigh n e) ((INR T + 1) * (INR T + 1) + U) (2 + steps).

Theorem course_held n T e0 t : (1 <= n)%nat -> (length (str t) <= T)%nat ->
  (forall y, act e0 y - act e0 (- y) = y) -> act e0 1 <> 0 ->
  forall lys X, course n e0 t (light n T e0) lys X -> forall x K, 0 <= x ->
  within n t x X -> (forall i, (i < S (length (str t)))%nat -> X i 0%nat = 1) ->
  (1 + copied n T) * tower (copied n T) (blocks_weigh n e0) x (length lys) <= K ->
  held n e0 t K lys X.
Proof.
  intros Hn Ht Hodd H1 lys X HC. destruct (weights_pos n T e0 0 0 (Rle_refl 0)) as (WA & WB & _).
  set (A := copied n T) in *. set (B := blocks_weigh n e0) in *.
  induction HC as [X|Fs P L lys X (_ & LA & LB) HS _ IH]; intros x K Hx HX Hone HK; [exact Logic.I|].
  destruct HS as (HF & HD & HP & HL & HPf & HLf).
  pose proof (hw_2 n) as Hw. pose proof (width_pos n) as Hd.
  assert (Hx' : 0 <= A * x) by (apply Rmult_le_pos; lra).
  cbn [length] in HK. rewrite <- tower_shift in HK.
  set (x1 := tower A B x 1) in *. pose proof (tower_grows A B x 1 WA WB Hx) as G1. fold x1 in G1.
  pose proof (tower_grows A B x1 (length lys) WA WB ltac:(lra)) as G2.
  set (z := tower A B x1 (length lys)) in *.
  assert (Hz : (1 + A) * x <= (1 + A) * z) by (apply Rmult_le_compat_l; lra).
  assert (HPf' : forall u p, In u P -> In p (snd u) -> free (snd p) = true /\ fst p <> 0%nat)
    by (intros u p Hu Hp; now apply (HPf u)).
  assert (HLf' : forall u p, In u L -> In p (snd u) -> free (snd p) = true /\ fst p <> 0%nat)
    by (intros u p Hu Hp; now apply (HLf u)).
  split; [|split].
  - intros i k Hi Hk. pose proof (HX i k Hi Hk). lra.
  - intros i k Hi Hk. pose proof (after_size _ _ _ e0 Hw X x Hx HX Fs P L A HF LA i k Hi Hk). lra.
  - apply (IH x1); [lra| | |exact HK].
    + intros i k Hi Hk.
      exact (layer_size _ _ _ e0 Hw X x Hx HX Fs P L A B Hd Hodd H1 HF LA LB HP HL Hone i k Hi Hk).
    + intros i Hi. apply (layer_one _ _ _ e0); auto.
Qed.

(** ** The embedded tokens *)

Lemma token_size n q e U a c : 0 <= U ->
  (forall a i, (a < q)%nat -> (i < n)%nat -> Rabs (leaf e a i) <= U) ->
  Rabs (amount e (tree_token n q a c)) <= 1 + U.
Proof.
  intros HU Hleaf. assert (H0 : Rabs 0 <= 1 + U) by (rewrite Rabs_R0; lra).
  assert (H1 : Rabs 1 <= 1 + U) by (rewrite Rabs_R1; lra).
  unfold tree_token. destruct (Nat.ltb_spec a q) as [Ha|_].
  - destruct (c =? p_f)%nat; [exact H1|].
    destruct (Nat.leb_spec (p_b n) c); destruct (Nat.ltb_spec c (p_b n + n)); cbn [andb]; try exact H0.
    pose proof (Hleaf a (c - p_b n)%nat Ha ltac:(lia)). cbn [amount]. lra.
  - destruct (a =? q + 1)%nat; [|exact H0]. destruct (c =? p_g)%nat; [exact H1|].
    destruct (_ && _)%bool; [|exact H0]. destruct (_ =? _)%nat; [exact H1|exact H0].
Qed.

Lemma position_size e i c x : INR i <= x -> 1 <= x -> Rabs (amount e (tree_position i c)) <= x * x.
Proof.
  intros Hi Hx. pose proof (pos_INR i) as H0.
  assert (Hxx : x <= x * x) by (rewrite <- (Rmult_1_r x) at 1; apply Rmult_le_compat_l; lra).
  assert (S : forall y, 0 <= y -> y <= x * x -> Rabs y <= x * x) by (intros; now rewrite Rabs_pos_eq).
  assert (Hii : Rabs (INR (i * i)) <= x * x)
    by (rewrite mult_INR; apply S; [now apply Rmult_le_pos|now apply Rmult_le_compat]).
  unfold tree_position. destruct (c =? p_one)%nat; [apply S; cbn [amount]; lra|].
  destruct (c =? p_i)%nat; [cbn [amount]; rewrite <- INR_IZR_INZ; apply S; lra|].
  destruct (c =? p_sq)%nat; [cbn [amount]; now rewrite <- INR_IZR_INZ|].
  destruct (c =? p_c)%nat; [cbn [amount]; rewrite <- INR_IZR_INZ; apply S; lra|apply S; cbn [amount]; lra].
Qed.

(** No place holds both: those of positions are below 7, and numbers, so that all tests on them are decided. *)
Lemma token_or_position n q e a i c : amount e (tree_token n q a c) = 0 \/ amount e (tree_position i c) = 0.
Proof.
  destruct c as [|[|[|[|[|[|[|c]]]]]]]; try (right; reflexivity);
    left; unfold tree_token; destruct (a <? q)%nat, (a =? q + 1)%nat; reflexivity.
Qed.

Lemma embedded_size n q T e U steps toks i c : 0 <= U ->
  (forall a j, (a < q)%nat -> (j < n)%nat -> Rabs (leaf e a j) <= U) -> (i <= T)%nat ->
  Rabs (embedded e (tree_decoder n q T steps) toks i c) <= (INR T + 1) * (INR T + 1) + U.
Proof.
  intros HU Hleaf Hi. unfold embedded, real. cbn [tree_decoder W_E W_pos item]. set (a := nth i toks 0%nat).
  pose proof (pos_INR T) as HT. assert (HTT : 0 <= INR T * INR T) by now apply Rmult_le_pos.
  assert (Hp : Rabs (amount e (tree_position i c)) <= (INR T + 1) * (INR T + 1)).
  { apply position_size; [|lra]. pose proof (le_INR i T Hi). lra. }
  pose proof (token_size n q e U a c HU Hleaf) as Ht.
  destruct (token_or_position n q e a i c) as [-> | ->]; rewrite ?Rplus_0_l, ?Rplus_0_r; lra.
Qed.

(** ** The theorem with an explicit C *)

Lemma start_pos T U : 0 <= U -> 0 <= (INR T + 1) * (INR T + 1) + U.
Proof. intro. pose proof (pos_INR T). nra. Qed.

Lemma held_bound_pos n T steps e U : 0 <= U -> 0 <= held_bound n T steps e U.
Proof.
  intro HU. destruct (weights_pos n T e 0 0 (Rle_refl 0)) as (WA & WB & _).
  pose proof (tower_grows (copied n T) (blocks_weigh n e) _ (2 + steps) WA WB (start_pos T U HU)).
  apply Rmult_le_pos; lra.
Qed.

Lemma tree_held n q T k leaf tensor act U : (1 <= n)%nat ->
  (forall y, act y - act (- y) = y) -> act 1 <> 0 ->
  0 <= U -> (forall a i, (a < q)%nat -> (i < n)%nat -> Rabs (leaf a i) <= U) ->
  let model := tree_decoder n q T (S k) in
  let e := tree_weights_for leaf tensor 1 act in
  forall t : tree nat, (length (str t) <= T)%nat -> letters_below q (str t) ->
  held n e t (held_bound n T (S k) e U) (layers model)
    (embedded e model ((q + 2)%nat :: map (code q) (str t))).
Proof.
  intros Hn Hodd H1 HU Hleaf model e t Ht Hlet. destruct (all_light n T e) as (L1 & L2 & L3 & L4).
  pose proof (tree_course n q T e Hn Hodd H1 t Ht Hlet (light n T e) L1 L2 L3 L4 k) as Hcourse.
  assert (Hlen : length (layers model) = (2 + S k)%nat) by (destruct (tree_sizes n q T (S k)) as (S1 & _); exact S1).
  apply (course_held n T e t Hn Ht Hodd H1 _ _ Hcourse ((INR T + 1) * (INR T + 1) + U)).
  - now apply start_pos.
  - intros i c Hi Hc. apply embedded_size; auto. lia.
  - intros i Hi. now apply embedded_one.
  - unfold model in Hlen. rewrite Hlen. apply Rle_refl.
Qed.

Theorem tree_decoder_rate_closed n q T k leaf tensor act U eps C : (1 <= n)%nat ->
  (forall y, act y - act (- y) = y) -> act 1 <> 0 -> 0 < eps ->
  0 <= U -> (forall a i, (i < n)%nat -> Rabs (leaf a i) <= U) ->
  let model := tree_decoder n q T (S k) in
  let e := tree_weights_for leaf tensor 1 act in
  enough_C n T (S k) e (held_bound n T (S k) e U) eps C ->
  forall t : tree nat, (length (str t) <= T)%nat -> letters_below q (str t) ->
  forall i v, ends (str t) i v -> (leaves v + 1 < padovan (S k + 4))%nat -> forall a, (a < n)%nat ->
  Rabs (forward (tree_weights_for leaf tensor C act) softmax model
          ((q + 2)%nat :: map (code q) (str t)) i a - mu n leaf tensor v a) < eps.
Proof.
  intros Hn Hodd H1 He HU Hleaf model e HC.
  apply (tree_decoder_rate n q T k leaf tensor act (held_bound n T (S k) e U) eps C); auto.
  - now apply held_bound_pos.
  - intros t Ht Hlet. apply tree_held; auto.
Qed.

(** There is such a C, and an instance: the tree (a, b) with leaves 2 and 3 and tensor 5, ReLU gates. *)
Lemma enough_C_exists n T steps e K eps : exists C, enough_C n T steps e K eps C.
Proof.
  unfold enough_C. cbv zeta. set (z := 2 * K * _ * _). exists (2 * Rabs z).
  pose proof (Rabs_pos z) as H. split; [lra|]. replace (2 * Rabs z / 2) with (Rabs z) by field.
  pose proof (exp_lower (Rabs z) H). pose proof (Rle_abs z). lra.
Qed.

Lemma enough_C_le n T steps e K eps C C' : C <= C' ->
  enough_C n T steps e K eps C -> enough_C n T steps e K eps C'.
Proof.
  intros H [H0 HC]. split; [lra|]. eapply Rle_trans; [exact HC|]. apply exp_le. lra.
Qed.

