(** * Every weighted tree automaton in an ordinary decoder, with O(log N) layers, on every tree

    Beyond the paper: an answer to the question of Section 4.2 in an architecture that people run.
    For all numbers of states n >= 1 and letters q, every weighted tree automaton, every length T and
    every number of steps k >= 1 there is a decoder (token and position embeddings, a begin token, the
    causal mask and no other, at most three heads a layer, residual stream, gated MLP, nothing
    supplied again; sizes in TreeDecoderModel.v) with 2 + k layers whose output, on the string of any
    tree of length at most T, at every position where a subtree with N leaves ends, is the state of
    that subtree, as soon as N + 1 < P_(k+1), P = 2, 3, 4, 5, 7, 9, 12, .. (Padovan, padovan (k + 4)
    in Pebbling.v); k = 3 log2(N + 1) - 1 is always enough. Hard attention (the mean over the
    maximisers; every top but the first layer's mean is unique), any act with act(y) - act(-y) = y
    and act(1) <> 0, for example ReLU, SiLU, GELU. The weights do not depend on the tree.

    The first three layers: depths from the mean of the brackets ([prepared_k]), their squares, the token
    before; then the match head finds where the right child begins ([target_exists]), and the first step,
    which is one of the further ones on tokens that know this ([first_is_next]), makes every token good for
    one step ([match_good]).

    Main definitions: [origin] (the tokens as embedded), [prepared], [target], [aimed], [tree_weights_for].
    Main theorems:    [embedded_holds], [prepared_score], [target_exists], [first_is_next], [match_good], [tree_stream],
                      [tree_decoder_exact], [tree_decoder_plastic], [tree_decoder_log]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool Morphisms.
From Assay Require Import Compat Sums Attention Trees Pebbling Theorem3.
From Assay Require LogDepth.
From Assay Require Import DecoderModel TreeDecoderModel TreeDecoderBlocks TreeDecoderLayers.
From Assay Require Import TreeDecoderEnds TreeDecoderSteps.
Import ListNotations.
Open Scope R_scope.

Section Exact.
Context (n q T : nat) (e : setting).
Hypothesis n_1 : (1 <= n)%nat.
Hypothesis C_pos : 0 < C e.
Hypothesis act_odd : forall y, act e y - act e (- y) = y.
Hypothesis act_1 : act e 1 <> 0.

Variable t : tree nat.
Local Notation w := (str t).
Local Notation N := (S (length w)).
Hypothesis fits : (length w <= T)%nat.
Hypothesis letters : letters_below q w.

Local Notation nn := (nn n).
Local Notation K := (K T).
Local Notation holds := (holds n N).
Local Notation place := (place n).
Local Notation inside := (inside n).
Local Notation stepped := (stepped n e).
Local Notation blank := (blank t).
Local Notation fields := (fields n e).
Local Notation good := (good n e t).
Local Notation blank_or_ends := (blank_or_ends n T n_1 t fits).
Local Notation split_place := (split_place n T n_1 t fits).
Local Notation K_value := (K_value T).

Definition zero_tok (i : nat) : tok :=
  Tok 0 0 0 (INR i) (fun _ => 0) (fun _ => 0) 0 (fun _ => 0) 0 (fun _ => 0) (fun _ => 0) (fun _ => 0) 0 0.

Definition origin (i : nat) : tok :=
  match i with
  | O => zero_tok 0
  | S k =>
      match nth_error w k with
      | Some (Sym a) => Tok 0 1 0 (INR i) (fun _ => 0) (leaf e a) 0 (fun _ => 0) 0 (fun _ => 0)
                            (fun _ => 0) (fun _ => 0) 0 0
      | Some Close => Tok 0 0 1 (INR i) (fun v => I (v / n)%nat (v mod n)%nat) (fun _ => 0) 0 (fun _ => 0) 0
                          (fun _ => 0) (fun _ => 0) (fun _ => 0) 0 0
      | _ => zero_tok i
      end
  end.

(** What the embeddings of a position and of a symbol hold. *)
Lemma position_holds i p : inside p -> amount e (tree_position i (place p))
  = match p with P_one => 1 | P_i | P_c => INR i | P_sq => INR i * INR i | _ => 0 end.
Proof.
  intro Hp. unfold tree_position.
  rewrite (place_eqb n P_one p Hp (le_n 1) : (place p =? p_one)%nat = _),
    (place_eqb n P_i p Hp (le_n 1) : (place p =? p_i)%nat = _),
    (place_eqb n P_sq p Hp (le_n 1) : (place p =? p_sq)%nat = _),
    (place_eqb n P_c p Hp (le_n 1) : (place p =? p_c)%nat = _).
  destruct p; cbn [same rank offset Nat.eqb andb amount]; rewrite <- ?INR_IZR_INZ, ?mult_INR; reflexivity.
Qed.

Lemma letter_holds a p : (a < q)%nat -> inside p -> amount e (tree_token n q a (place p))
  = match p with P_f => 1 | P_b v => leaf e a v | _ => 0 end.
Proof.
  intros Ha Hp. unfold tree_token. rewrite (proj2 (Nat.ltb_lt _ _) Ha).
  rewrite (place_eqb n P_f p Hp (le_n 1) : (place p =? p_f)%nat = _).
  rewrite (in_block n (P_b 0) p Hp : ((p_b n <=? place p) && (place p <? p_b n + n))%nat = _).
  destruct p; try reflexivity. cbn [same rank offset Nat.eqb andb amount TreeDecoderBlocks.place base].
  now rewrite Nat.add_comm, Nat.add_sub.
Qed.

Lemma close_holds p : inside p -> amount e (tree_token n q (q + 1) (place p))
  = match p with P_g => 1 | P_M v => I (v / n)%nat (v mod n)%nat | _ => 0 end.
Proof.
  intro Hp. unfold tree_token. rewrite (proj2 (Nat.ltb_ge _ _)) by lia. rewrite Nat.eqb_refl.
  rewrite (place_eqb n P_g p Hp (le_n 1) : (place p =? p_g)%nat = _).
  rewrite (in_block n (P_M 0) p Hp : ((p_M <=? place p) && (place p <? p_M + nn))%nat = _).
  destruct p; try reflexivity. cbn [same rank offset Nat.eqb andb TreeDecoderBlocks.place base].
  rewrite Nat.add_comm, Nat.add_sub. unfold I. now destruct (v / n =? v mod n)%nat.
Qed.

Lemma other_holds a c : (q <= a)%nat -> a <> (q + 1)%nat -> amount e (tree_token n q a c) = 0.
Proof.
  intros Ha H1. unfold tree_token. now rewrite (proj2 (Nat.ltb_ge _ _) Ha), (proj2 (Nat.eqb_neq _ _) H1).
Qed.

Lemma embedded_holds steps :
  holds (embedded e (tree_decoder n q T steps) ((q + 2)%nat :: map (code q) w)) origin.
Proof.
  intros i p Hi Hp. unfold embedded, real. cbn [tree_decoder W_E W_pos item].
  rewrite position_holds by exact Hp.
  destruct i as [|k]; cbn [nth origin]; [rewrite other_holds by lia; destruct p; apply Rplus_0_l|].
  destruct (nth_error w k) as [s|] eqn:E; [|apply nth_error_None in E; lia].
  rewrite (nth_error_nth (map (code q) w) k 0%nat (x := code q s)) by now rewrite nth_error_map, E.
  destruct s as [a| |]; cbn [code].
  - assert (Ha : (a < q)%nat).
    { unfold letters_below in letters. rewrite Forall_forall in letters.
      apply (letters (Sym a)). now apply nth_error_In in E. }
    rewrite letter_holds by assumption. destruct p; apply Rplus_0_l || apply Rplus_0_r.
  - rewrite other_holds by lia. destruct p; apply Rplus_0_l.
  - rewrite close_holds by exact Hp. destruct p; apply Rplus_0_l || apply Rplus_0_r.
Qed.

Lemma origin_clear i : clear_scratch (origin i).
Proof.
  unfold origin, clear_scratch. destruct i as [|k]; [repeat split; reflexivity|].
  destruct (nth_error w k) as [[]|]; repeat split; reflexivity.
Qed.

Lemma origin_c i : t_c (origin i) = INR i.
Proof. unfold origin. destruct i as [|k]; [reflexivity|]. destruct (nth_error w k) as [[]|]; reflexivity. Qed.

Lemma origin_phi i : t_phi (origin i) = 0.
Proof. unfold origin. destruct i as [|k]; [reflexivity|]. destruct (nth_error w k) as [[]|]; reflexivity. Qed.

Lemma origin_g i : t_g (origin i) = IZR (closing t i).
Proof.
  unfold origin, closing. destruct i as [|k]; [reflexivity|]. destruct (nth_error w k) as [[]|]; reflexivity.
Qed.

Lemma origin_blank i : blank i -> origin i = zero_tok i.
Proof.
  intros [->|[H1 H]]; [reflexivity|]. unfold origin. destruct i as [|k]; [lia|].
  replace (S k - 1)%nat with k in H by lia. now rewrite H.
Qed.

Lemma origin_fields i v : ends w i v -> fields 0 v (origin i).
Proof.
  intro H. pose proof (ends_range _ _ _ H) as Hr. pose proof (ends_symbol _ _ _ H) as Hs.
  unfold origin. destruct i as [|k]; [lia|]. replace (S k - 1)%nat with k in Hs by lia. rewrite Hs.
  destruct v as [a|l r]; unfold TreeDecoderSteps.fields; cbn [last_symbol t_f t_g t_M t_b LogDepth.run LogDepth.start
    LogDepth.f LogDepth.g LogDepth.M LogDepth.b]; repeat split; auto.
  intros a b Ha Hb. now rewrite divn, modn.
Qed.

Lemma brackets i : (i <= length w)%nat ->
  sum (i + 1) (fun j => bracket (origin j)) = 1 + IZR (total nat (firstn i w)).
Proof.
  induction i as [|i IH]; intro Hi.
  - simpl. unfold bracket, origin. cbn. ring.
  - replace (S i + 1)%nat with (S (i + 1)) by lia. cbn [sum]. rewrite IH by lia.
    destruct (nth_error w i) as [s|] eqn:E; [|apply nth_error_None in E; lia].
    rewrite (total_next t i s E), plus_IZR. replace (i + 1)%nat with (S i) by lia.
    assert (Hb : bracket (origin (S i)) = IZR (mark s)).
    { unfold bracket, origin. rewrite E. destruct s; cbn [zero_tok t_f t_g mark]; ring. }
    rewrite Hb. ring.
Qed.

Definition prepared (i : nat) : tok := after_second (after_first origin i).

Lemma prepared_k i : (i < N)%nat -> t_k (prepared i) = IZR (dep t i).
Proof.
  intro Hi. unfold prepared, after_second, after_first. cbn [t_k].
  rewrite brackets by lia. unfold dep, origin. destruct i as [|k]; [cbn; ring|].
  destruct (nth_error w k) as [[]|] eqn:E; cbn [zero_tok t_f t_g]; rewrite ?minus_IZR; try ring.
  apply nth_error_None in E. lia.
Qed.

Lemma prepared_score i j : (i < N)%nat -> (j <= i)%nat ->
  match_score T prepared i j = IZR (begins t K i j).
Proof.
  intros Hi Hj. unfold match_score, begins, query. rewrite !prepared_k by lia.
  assert (HS : t_S (prepared j) 0%nat = IZR (dep t j) * IZR (dep t j)).
  { pose proof (prepared_k j ltac:(lia)) as Hk. unfold prepared, after_second in *. cbn [t_S t_k] in *.
    rewrite Hk. cbn [after_first t_S Nat.eqb]. ring. }
  assert (Hg : forall k, t_g (prepared k) = IZR (closing t k)) by (intro k; apply origin_g).
  rewrite HS, !Hg. rewrite !plus_IZR, !minus_IZR, !mult_IZR, !plus_IZR, !mult_IZR, !minus_IZR, <- INR_IZR_INZ.
  ring.
Qed.

(** Where the match head of token i looks. *)
Definition target (i m : nat) : Prop :=
  (m <= i)%nat
  /\ (forall j, (j <= i)%nat -> j <> m -> (begins t K i j < begins t K i m)%Z)
  /\ (closing t i = 0%Z -> m = 0%nat)
  /\ (forall l r, ends w i (Node l r) -> m = (i - length (str r))%nat).

Lemma target_exists i : (i < N)%nat -> exists m, target i m.
Proof.
  intro Hi. assert (HK : (Z.of_nat (length w) < K)%Z) by (rewrite K_value; lia).
  destruct (closing_01 t i) as [Hc|Hc].
  - exists 0%nat. split; [lia|]. split; [|split; [reflexivity|]].
    + intros j Hj Hne. now apply begins_other; try lia.
    + intros l r Hv. exfalso. pose proof (ends_symbol _ _ _ Hv) as Hs. pose proof (ends_range _ _ _ Hv).
      unfold closing in Hc. destruct i as [|k]; [lia|]. replace (S k - 1)%nat with k in Hs by lia.
      rewrite Hs in Hc. discriminate.
  - assert (Hv : exists l r, ends w i (Node l r)).
    { destruct (blank_or_ends i Hi) as [Hb|(v & Hv)].
      - exfalso. destruct Hb as [->|[H1 Hb]]; [discriminate|]. unfold closing in Hc.
        destruct i as [|k]; [lia|]. replace (S k - 1)%nat with k in Hb by lia. rewrite Hb in Hc. discriminate.
      - destruct v as [a|l r]; [|now exists l, r]. exfalso. pose proof (ends_symbol _ _ _ Hv) as Hs.
        pose proof (ends_range _ _ _ Hv). unfold closing in Hc. destruct i as [|k]; [lia|].
        replace (S k - 1)%nat with k in Hs by lia. rewrite Hs in Hc. discriminate. }
    destruct Hv as (l & r & Hv). exists (i - length (str r))%nat. split; [lia|].
    split; [now apply (begins_node t K HK i l r)|]. split; [lia|].
    intros l' r' Hv'. pose proof (begins_node t K HK i l r Hv) as H1. pose proof (begins_node t K HK i l' r' Hv') as H2.
    cbv zeta in H1, H2. destruct (Nat.eq_dec (i - length (str r)) (i - length (str r'))) as [|Hne]; [assumption|].
    specialize (H1 (i - length (str r'))%nat ltac:(lia) ltac:(lia)).
    specialize (H2 (i - length (str r))%nat ltac:(lia) ltac:(lia)). lia.
Qed.

(** The tokens as embedded, each with the place before its target: good for no step. *)
Definition aimed (m : nat -> nat) (i : nat) : tok :=
  let x := origin i in
  Tok (INR (m i) - 1) (t_f x) (t_g x) (t_c x) (t_M x) (t_b x) 0 (fun _ => 0) 0 (fun _ => 0)
      (fun _ => 0) (fun _ => 0) 0 0.

Lemma aimed_good m i : (i < N)%nat -> target i (m i) -> good 0 i (aimed m i).
Proof.
  intros Hi (Hm & _ & _ & Hnode). split; [repeat split; reflexivity|].
  split; [exists (Z.of_nat (m i) - 1)%Z; split; [cbn [aimed t_phi]; now rewrite minus_IZR, <- INR_IZR_INZ|lia]|].
  split; [exists (closing t i); split; [apply origin_g|apply closing_01]|].
  split; [exists i; split; [apply le_n|apply origin_c]|]. split.
  - intro Hb. unfold aimed. rewrite (origin_blank i Hb). repeat split; reflexivity.
  - intros v Hv. split; [exact (origin_fields i v Hv)|]. split; [intros _; apply origin_c|].
    split; [intros c' E; destruct v; discriminate|]. intros l r ->. cbn [aimed t_phi].
    destruct (ends_children _ _ _ _ Hv) as ((H2 & _) & _). cbv zeta in H2.
    rewrite (Hnode l r Hv). now rewrite (minus_INR _ 1) by (clear - H2; lia).
Qed.

(** At the beginning a token that takes over itself stays as it is. *)
Lemma origin_idle i : (1 - t_f (origin i) - t_g (origin i)) * t_f (origin i) = 0
  /\ (forall u, (u < nn)%nat ->
        sum n (fun m => t_M (origin i) (u / n * n + m)%nat * t_M (origin i) (m * n + u mod n)%nat) = t_M (origin i) u)
  /\ (forall a, sum n (fun m => t_M (origin i) (a * n + m)%nat * t_b (origin i) m) = 0).
Proof.
  assert (Z : forall g, sum n (fun m => 0 * g m) = 0) by (intro g; apply sum_zero; intros; ring).
  unfold origin. destruct i as [|k]; [|destruct (nth_error w k) as [[]|]]; cbn [zero_tok t_f t_g t_M t_b];
    (split; [ring|split; [|intro; try apply Z]]); try (intros; apply (Z (fun _ => 0))).
  - intros u Hu. destruct (split_place u Hu) as (_ & Ha & Hr).
    rewrite (sum_ext n _ (fun m => I (u / n)%nat m * I m (u mod n)%nat))
      by (intros m Hm; now rewrite !divn, !modn).
    now apply (mul1m n I).
  - apply sum_zero. intros; ring.
Qed.

(** So the first step is one of the further ones, made on the aimed tokens. *)
Lemma first_is_next m j i p : inside p ->
  field i (stepped false i (mid_match prepared (m i) j i)) p
  = field i (stepped true i (mid_jump (aimed m) j (m i - 1) i i)) p.
Proof.
  destruct (origin_idle i) as (Hf & HM & Hb). pose proof (origin_phi i) as Hphi.
  intro Hp. destruct p; try reflexivity; cbn [field TreeDecoderBlocks.stepped mid_match mid_jump aimed prepared
    after_second after_first t_phi t_f t_g t_c t_M t_b t_N t_F t_Bn t_Bf t_S t_s t_h t_k].
  - rewrite Hphi. ring.
  - do 2 apply f_equal. rewrite Rplus_0_l. symmetry. exact Hf.
  - rewrite Hphi. ring.
  - do 2 apply f_equal. rewrite (sum_ext n (fun m => t_M (origin i) _ * (0 + _))
      (fun m => t_M (origin i) (v / n * n + m)%nat * t_M (origin i) (m * n + v mod n)%nat)) by (intros; ring).
    rewrite HM by exact Hp. ring.
  - do 2 apply f_equal. rewrite (sum_ext n (fun m => t_M (origin i) _ * (0 + _))
      (fun m => t_M (origin i) (a * n + m)%nat * t_b (origin i) m)) by (intros; ring).
    symmetry. apply Hb.
Qed.

Theorem match_good X : holds X prepared ->
  exists cells, holds (run_layer e averaged N X (Layer [match_begin n T; near n T] (step_block n false))) cells
    /\ forall i, (i < N)%nat -> good 1 i (cells i).
Proof.
  intro HX. destruct (finite_choice 0%nat N target target_exists) as (m & Hm).
  destruct (finite_choice (0, 0, 0)%Z N _ (next_good n T e n_1 t fits 0 (aimed m)
    (fun i Hi => aimed_good m i Hi (Hm i Hi)))) as (f & Hf). cbv zeta in Hf.
  exists (fun i => next n e (aimed m) (fst (fst (f i))) (snd (fst (f i))) (snd (f i)) i).
  split; [|intros i Hi; apply (Hf i Hi)].
  assert (HL : holds (run_layer e averaged N X (Layer [match_begin n T; near n T] (step_block n false)))
    (fun i => stepped false i (mid_match prepared (m i) (Z.to_nat (fst (fst (f i)))) i))).
  { apply (match_layer n T N e C_pos act_odd act_1 n_1 X prepared m (fun i => fst (fst (f i))) HX).
    - intros i Hi. destruct (Hm i Hi) as (H1 & H2 & _). split; [exact H1|]. intros j Hj Hne.
      rewrite !prepared_score by lia. apply IZR_lt. now apply H2.
    - intros i Hi. apply (Hf i Hi). }
  intros i p Hi Hp. rewrite HL, first_is_next by assumption. unfold next.
  destruct (Hm i Hi) as (_ & _ & Hzero & _). destruct (Hf i Hi) as (_ & (Hy & _) & (Hc & _) & _).
  assert (Ey : Z.to_nat (snd (fst (f i))) = (m i - 1)%nat).
  { assert (E : snd (fst (f i)) = (Z.of_nat (m i) - 1 + K * (closing t i - 1))%Z).
    { apply eq_IZR. rewrite <- Hy, plus_IZR, mult_IZR, !minus_IZR, <- INR_IZR_INZ, <- origin_g. reflexivity. }
    rewrite E. destruct (closing_01 t i) as [H0| ->]; [|lia]. rewrite H0, (Hzero H0), K_value. lia. }
  assert (Ec : snd (f i) = Z.of_nat i).
  { apply eq_IZR. rewrite <- Hc, <- INR_IZR_INZ. apply origin_c. }
  now rewrite Ey, Ec, Nat2Z.id.
Qed.

(** ** All layers *)

Theorem tree_stream k :
  exists cells, holds (stream e averaged N (tree_decoder n q T (S k)) ((q + 2)%nat :: map (code q) w)) cells
    /\ forall i, (i < N)%nat -> good (S k) i (cells i).
Proof.
  unfold stream. cbn [tree_decoder layers tree_layers fold_left].
  set (X0 := embedded e (tree_decoder n q T (S k)) ((q + 2)%nat :: map (code q) w)).
  assert (H0 : holds X0 origin) by apply embedded_holds.
  set (X1 := run_layer e averaged N X0 (Layer [mean n; previous n] (first_block n))).
  assert (H1 : holds X1 (after_first origin)) by (apply first_layer; auto; intros; apply origin_clear).
  set (X2 := run_layer e averaged N X1 (Layer [] (second_block n))).
  assert (H2 : holds X2 prepared) by (apply second_layer; auto).
  set (X3 := run_layer e averaged N X2 (Layer [match_begin n T; near n T] (step_block n false))).
  clearbody X0. induction k as [|k IH].
  - cbn [repeat fold_left]. now apply match_good.
  - replace (repeat (Layer [near n T; far n T; pointer n] (step_block n true)) (S k))
      with (repeat (Layer [near n T; far n T; pointer n] (step_block n true)) k
            ++ [Layer [near n T; far n T; pointer n] (step_block n true)])
      by (symmetry; apply repeat_cons).
    rewrite fold_left_app. destruct IH as (cells & HX & Hgood).
    cbn [fold_left]. now apply (jump_good n T e n_1 C_pos act_odd act_1 t fits (S k) _ cells).
Qed.

Theorem tree_output k v i a : ends w i v -> mode (S k) v = Pebbled -> (a < n)%nat ->
  forward e averaged (tree_decoder n q T (S k)) ((q + 2)%nat :: map (code q) w) i a
  = mu n (leaf e) (tensor e) v a.
Proof.
  intros Hv Hm Ha. pose proof (ends_range _ _ _ Hv) as Hi.
  destruct (tree_stream k) as (cells & HX & Hgood).
  unfold forward, readout, shifted.
  replace (length ((q + 2)%nat :: map (code q) w)) with N by (cbn [length]; now rewrite map_length).
  cbn [tree_decoder W_U b_U amount]. rewrite Rplus_0_r.
  rewrite columns_read by (intros x [<-|[]]; exact (place_below n (P_b a) Ha)).
  unfold reads. cbn [lsum fst snd amount].
  replace (stream e _ _ _ _ i _) with (t_b (cells i) a) by (symmetry; exact (HX i (P_b a) ltac:(lia) Ha)).
  destruct (Hgood i ltac:(lia)) as (_ & _ & _ & _ & _ & Hcell).
  destruct (Hcell v Hv) as ((_ & _ & _ & Hb) & _). rewrite Hb by exact Ha.
  pose proof (run_agrees n e (S k) v) as HA. rewrite Hm in HA. destruct HA as (_ & _ & _ & HB).
  rewrite HB by exact Ha. ring.
Qed.
End Exact.

(** ** The theorem *)

(** What the weights are made of: leaf vectors, tensor, C and the activation. *)
Definition tree_weights_for (leaf : nat -> nat -> R) (tensor : nat -> nat -> nat -> R) (C : R)
  (act : R -> R) : setting := Setting (fun _ => 0) (fun _ _ _ => 0) leaf tensor C act 1 1 1.

Theorem tree_decoder_exact n q T k leaf tensor C act : (1 <= n)%nat -> 0 < C ->
  (forall y, act y - act (- y) = y) -> act 1 <> 0 ->
  forall t : tree nat, (length (str t) <= T)%nat -> letters_below q (str t) ->
  forall i v, ends (str t) i v -> (leaves v + 1 < padovan (S k + 4))%nat ->
  forall a, (a < n)%nat ->
  forward (tree_weights_for leaf tensor C act) averaged (tree_decoder n q T (S k))
    ((q + 2)%nat :: map (code q) (str t)) i a = mu n leaf tensor v a.
Proof.
  intros Hn HC Hodd H1 t Hfit Hlet i v Hv Hleaves a Ha.
  apply (tree_output n q T (tree_weights_for leaf tensor C act)); auto.
  destruct (mode (S k) v) as [| |c'] eqn:E; [reflexivity| |]; exfalso;
    pose proof (least_leaves (S k) v ltac:(congruence)); lia.
Qed.

(** The sharp count: s steps are enough for N leaves as soon as rho^(s+1) > (N + 1) / 2, where
    rho^3 = rho + 1 is the plastic number. *)
Theorem tree_decoder_plastic n q T k leaf tensor C act rho : (1 <= n)%nat -> 0 < C ->
  (forall y, act y - act (- y) = y) -> act 1 <> 0 -> 0 < rho -> rho ^ 3 = rho + 1 ->
  length (layers (tree_decoder n q T (S k))) = (2 + S k)%nat /\
  forall t : tree nat, (length (str t) <= T)%nat -> letters_below q (str t) ->
  forall i v, ends (str t) i v -> (INR (leaves v) + 1) / 2 < rho ^ (S k + 1) ->
  forall a, (a < n)%nat ->
  forward (tree_weights_for leaf tensor C act) averaged (tree_decoder n q T (S k))
    ((q + 2)%nat :: map (code q) (str t)) i a = mu n leaf tensor v a.
Proof.
  intros Hn HC Hodd H1 Hr H3. destruct (tree_sizes n q T (S k)) as (S1 & _). split; [exact S1|].
  intros t Hfit Hlet i v Hv Hleaves a Ha. apply tree_decoder_exact; auto.
  pose proof (LogDepth.plastic_power rho (S k + 1) Hr H3) as HP.
  apply INR_lt. rewrite plus_INR. replace (S k + 4)%nat with (S k + 1 + 3)%nat by lia. simpl (INR 1). lra.
Qed.

(** 3 log2(N + 1) - 1 steps are enough for N leaves. *)
Theorem tree_decoder_log n q T leaf tensor C act : (1 <= n)%nat -> 0 < C ->
  (forall y, act y - act (- y) = y) -> act 1 <> 0 ->
  forall leaf_count, (1 <= leaf_count)%nat ->
  let steps := (3 * Nat.log2 (leaf_count + 1) - 1)%nat in
  let model := tree_decoder n q T steps in
  forall t : tree nat, (length (str t) <= T)%nat -> letters_below q (str t) ->
  forall i v, ends (str t) i v -> (leaves v <= leaf_count)%nat -> forall a, (a < n)%nat ->
  forward (tree_weights_for leaf tensor C act) averaged model
    ((q + 2)%nat :: map (code q) (str t)) i a = mu n leaf tensor v a.
Proof.
  intros Hn HC Hodd H1 m Hm steps model.
  intros t Hfit Hlet i v Hv Hleaves a Ha.
  assert (Hlog : (1 <= Nat.log2 (m + 1))%nat) by (apply Nat.log2_le_pow2; simpl; lia).
  assert (Es : steps = S (steps - 1)) by (unfold steps; lia).
  unfold model. rewrite Es. apply (tree_output n q T (tree_weights_for leaf tensor C act)); auto.
  rewrite <- Es.
  assert (Hlater : forall s, (3 * Nat.log2 (leaves v + 1) - 1 <= s)%nat -> mode s v = Pebbled).
  { intros s Hle. induction Hle; [apply steps_log2|now apply pebbled_stays]. }
  apply Hlater.
  unfold steps. assert (Nat.log2 (leaves v + 1) <= Nat.log2 (m + 1))%nat by (apply Nat.log2_le_mono; lia). lia.
Qed.

