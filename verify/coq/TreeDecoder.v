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

    Main definitions: [code], [good] (what a token holds after s steps).
    Main theorems:    [jump_good], [match_good], [tree_decoder_exact], [tree_decoder_log],
                      [pair_of_leaves]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool Morphisms.
From Assay Require Import Sums Attention Trees Pebbling Theorem3.
From Assay Require LogDepth.
From Assay Require Import DecoderModel TreeDecoderModel TreeDecoderBlocks TreeDecoderFields.
From Assay Require Import TreeDecoderLayers TreeDecoderEnds.
Import ListNotations.
Open Scope R_scope.

Lemma finite_choice {B : Type} (b0 : B) N (P : nat -> B -> Prop) :
  (forall i, (i < N)%nat -> exists b, P i b) -> exists f, forall i, (i < N)%nat -> P i (f i).
Proof.
  induction N as [|N IH]; intro H; [exists (fun _ => b0); lia|].
  destruct IH as (f & Hf); [intros i Hi; apply H; lia|].
  destruct (H N ltac:(lia)) as (b & Hb).
  exists (fun i => if (i =? N)%nat then b else f i). intros i Hi.
  destruct (Nat.eqb_spec i N) as [->|]; [exact Hb|]. apply Hf. lia.
Qed.

(** Letters 0 .. q - 1, then the brackets; q + 2 is the begin token. *)
Definition code (q : nat) (s : symbol nat) : nat :=
  match s with Sym a => a | Open => q | Close => (q + 1)%nat end.

Definition letters_below (q : nat) (w : list (symbol nat)) : Prop :=
  Forall (fun s => match s with Sym a => (a < q)%nat | _ => True end) w.

Section Exact.
Variable n q T : nat.
Variable e : setting.
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
Local Notation stepped := (stepped n e).
Local Notation run := (LogDepth.run n (leaf e) (tensor e)).

Lemma K_value : K = Z.of_nat (T + 1).
Proof. reflexivity. Qed.

(** ** What a token holds after s steps *)

Definition blank (i : nat) : Prop := i = 0%nat \/ ((1 <= i)%nat /\ nth_error w (i - 1) = Some Open).

Lemma blank_or_ends i : (i < N)%nat -> blank i \/ exists v, ends w i v.
Proof.
  intro Hi. destruct i as [|k]; [left; now left|].
  destruct (nth_error w k) as [s|] eqn:E; [|apply nth_error_None in E; lia].
  assert (Hs : s = Open \/ s <> Open) by (destruct s; [right|left|right]; try reflexivity; discriminate).
  destruct Hs as [->|Hs].
  - left. right. split; [lia|]. now replace (S k - 1)%nat with k by lia.
  - right. now apply (ends_some t k s).
Qed.

Lemma blank_not_ends i v : blank i -> ends w i v -> False.
Proof.
  intros [->|[_ Hb]] H.
  - apply ends_range in H. lia.
  - apply ends_symbol in H. rewrite Hb in H. destruct v; discriminate.
Qed.

(** The fields of the cell of v after s steps; the pointer as a position. *)
Definition fields (s : nat) (v : tree nat) (x : tok) : Prop :=
  t_f x = LogDepth.f (run s v) /\ t_g x = LogDepth.g (run s v)
  /\ (forall a r, (a < n)%nat -> (r < n)%nat -> t_M x (a * n + r)%nat = LogDepth.M (run s v) a r)
  /\ (forall a, (a < n)%nat -> t_b x a = LogDepth.b (run s v) a).

Definition cell_is (s : nat) (v : tree nat) (i : nat) (x : tok) : Prop :=
  fields s v x
  /\ (mode s v = Inactive -> t_c x = INR i)
  /\ (forall c', mode s v = Active c' -> exists j, (j <= i)%nat /\ t_c x = INR j /\ ends w j c')
  /\ (forall l r, v = Node l r -> t_phi x = INR (i - length (str r) - 1)).

Definition good (s i : nat) (x : tok) : Prop :=
  clear_scratch x
  /\ (exists y, t_phi x = IZR y /\ (y <= Z.of_nat i)%Z)
  /\ (exists gamma, t_g x = IZR gamma /\ (gamma = 0 \/ gamma = 1)%Z)
  /\ (exists j, (j <= i)%nat /\ t_c x = INR j)
  /\ (blank i -> t_f x = 0 /\ t_g x = 0 /\ (forall v, (v < nn)%nat -> t_M x v = 0)
        /\ (forall a, (a < n)%nat -> t_b x a = 0) /\ t_c x = INR i)
  /\ (forall v, ends w i v -> cell_is s v i x).

Lemma run_agrees s v : LogDepth.agrees n (leaf e) (tensor e) (mode s v) (run s v) v.
Proof. apply LogDepth.run_agrees. Qed.

Lemma flag_g s v : LogDepth.g (run s v) = match mode s v with Inactive => 1 | _ => 0 end.
Proof. pose proof (run_agrees s v) as H. destruct (mode s v); simpl in H; tauto. Qed.

Lemma flag_f s v : LogDepth.f (run s v) = match mode s v with Pebbled => 1 | _ => 0 end.
Proof. pose proof (run_agrees s v) as H. destruct (mode s v); simpl in H; tauto. Qed.

Lemma split_place v : (v < nn)%nat -> v = (v / n * n + v mod n)%nat /\ (v / n < n)%nat /\ (v mod n < n)%nat.
Proof.
  intro Hv. pose proof (Nat.div_mod_eq v n). split; [lia|]. now apply div_mod_below.
Qed.

(** ** The step on fields *)

Lemma stepped_fields s v u i x : fields s v x -> LogDepth.c (run s v) = u ->
  t_N x = LogDepth.g (run s v) * LogDepth.f (run s (LogDepth.right_of v)) ->
  t_F x = LogDepth.g (run s v) * LogDepth.f (run s (LogDepth.left_of v)) ->
  (forall a, (a < n)%nat -> t_Bn x a = LogDepth.g (run s v) * LogDepth.b (run s (LogDepth.right_of v)) a) ->
  (forall a, (a < n)%nat -> t_Bf x a = LogDepth.g (run s v) * LogDepth.b (run s (LogDepth.left_of v)) a) ->
  (forall a r, (a < n)%nat -> (r < n)%nat -> t_S x (a * n + r)%nat = LogDepth.M (run s u) a r) ->
  (forall a, (a < n)%nat -> t_s x a = LogDepth.b (run s u) a) ->
  t_h x = LogDepth.f (run s u) ->
  fields (S s) v (stepped true i x).
Proof.
  intros (Hf & Hg & HM & Hb) Hu HN HF HBn HBf HS Hs Hh.
  unfold fields, TreeDecoderFields.stepped. cbn [t_f t_g t_M t_b]. cbn [LogDepth.run].
  unfold LogDepth.step. rewrite Hu. cbn [LogDepth.f LogDepth.g LogDepth.M LogDepth.b].
  rewrite Hf, Hg, HN, HF, Hh. split; [ring|]. split; [ring|]. split.
  - intros a r Ha Hr. rewrite divn, modn by exact Hr. rewrite HM by auto.
    unfold mmul, LogDepth.fix_left, LogDepth.fix_right.
    rewrite (sum_ext n (fun j => tensor e a r j * t_Bn x j)
      (fun j => tensor e a r j * (LogDepth.g (run s v) * LogDepth.b (run s (LogDepth.right_of v)) j)))
      by (intros j Hj; now rewrite HBn).
    rewrite (sum_ext n (fun j => tensor e a j r * t_Bf x j)
      (fun j => tensor e a j r * (LogDepth.g (run s v) * LogDepth.b (run s (LogDepth.left_of v)) j)))
      by (intros j Hj; now rewrite HBf).
    rewrite (sum_ext n (fun m => t_M x (a * n + m)%nat * t_S x (m * n + r)%nat)
      (fun m => LogDepth.M (run s v) a m * LogDepth.M (run s u) m r))
      by (intros m Hm; now rewrite HM, HS).
    ring.
  - intros a Ha. rewrite Hb by exact Ha. unfold LogDepth.mvec, bilinear_state.
    rewrite (sum_ext n (fun l => sum n (fun r => tensor e a l r * t_Bf x l * t_Bn x r))
      (fun l => sum n (fun r => tensor e a l r
         * (LogDepth.g (run s v) * LogDepth.b (run s (LogDepth.left_of v)) l)
         * (LogDepth.g (run s v) * LogDepth.b (run s (LogDepth.right_of v)) r))))
      by (intros l Hl; apply sum_ext; intros r Hr; now rewrite HBf, HBn).
    rewrite (sum_ext n (fun m => t_M x (a * n + m)%nat * t_s x m)
      (fun m => LogDepth.M (run s v) a m * LogDepth.b (run s u) m))
      by (intros m Hm; now rewrite HM, Hs).
    ring.
Qed.

(** A pebbled token that reads no child stays as it is. *)
Lemma stepped_pebbled s v i x jump : mode s v = Pebbled -> fields s v x ->
  t_N x = 0 -> t_F x = 0 -> (forall a, (a < n)%nat -> t_Bn x a = 0) ->
  (forall a, (a < n)%nat -> t_Bf x a = 0) -> fields (S s) v (stepped jump i x).
Proof.
  intros Hm (Hf & Hg & HM & Hb) HN HF HBn HBf.
  assert (Hm' : mode (S s) v = Pebbled) by now apply pebbled_stays.
  pose proof (run_agrees s v) as A0. pose proof (run_agrees (S s) v) as A1. rewrite Hm in A0. rewrite Hm' in A1.
  destruct A0 as (F0 & G0 & M0 & B0). destruct A1 as (F1 & G1 & M1 & B1).
  assert (HM0 : forall v', (v' < nn)%nat -> t_M x v' = 0).
  { intros v' Hv. destruct (split_place v' Hv) as (E & Ha & Hr). rewrite E, HM by auto. now rewrite M0. }
  unfold fields, TreeDecoderFields.stepped. cbn [t_f t_g t_M t_b].
  rewrite HN, HF, Hf, Hg, F0, G0, F1, G1. split; [destruct jump; ring|]. split; [ring|]. split.
  - intros a r Ha Hr. rewrite divn, modn by exact Hr. rewrite M1 by auto.
    pose proof (pair_below n a r Ha Hr) as Hv. rewrite HM0 by exact Hv.
    rewrite (sum_zero n (fun j => tensor e a r j * t_Bn x j)) by (intros j Hj; rewrite HBn by exact Hj; ring).
    rewrite (sum_zero n (fun j => tensor e a j r * t_Bf x j)) by (intros j Hj; rewrite HBf by exact Hj; ring).
    rewrite (sum_zero n (fun m => t_M x (a * n + m)%nat * t_S x (m * n + r)%nat)).
    + destruct jump; ring.
    + intros m Hm0. rewrite HM0 by now apply pair_below. ring.
  - intros a Ha. rewrite B1, Hb, B0 by exact Ha.
    rewrite sum_zero.
    + rewrite (sum_zero n (fun m => t_M x (a * n + m)%nat * t_s x m)); [destruct jump; ring|].
      intros m Hm0. rewrite HM0 by now apply pair_below. ring.
    + intros l Hl. apply sum_zero. intros r Hr. rewrite HBf by exact Hl. ring.
Qed.

(** ** A further layer *)

Section Jump.
Variable s : nat.
Variable cells : nat -> tok.
Hypothesis all_good : forall i, (i < N)%nat -> good s i (cells i).

Lemma begin_reads : t_f (cells 0%nat) = 0 /\ forall a, (a < n)%nat -> t_b (cells 0%nat) a = 0.
Proof.
  destruct (all_good 0%nat ltac:(lia)) as (_ & _ & _ & _ & Hb & _).
  destruct (Hb (or_introl eq_refl)) as (Hf & _ & _ & Hbb & _). auto.
Qed.

(** What token i becomes, if it reads the tokens z, y and p. *)
Definition next (z y p : Z) (i : nat) : tok :=
  stepped true i (mid_jump cells (Z.to_nat z) (Z.to_nat y) (Z.to_nat p) i).

Lemma scratch_clear z y p i : clear_scratch (next z y p i).
Proof. unfold next, clear_scratch. cbn. repeat split; reflexivity. Qed.

Lemma next_c z y p i : clear_scratch (cells i) -> t_c (next z y p i)
  = t_c (cells (Z.to_nat p)) + t_f (cells (Z.to_nat z)) * (t_phi (cells i) - INR i) - t_f (cells (Z.to_nat y)).
Proof.
  intros (CN & CF & Ch & Ck & _). unfold next, TreeDecoderFields.stepped, mid_jump.
  cbn [t_c t_N t_F t_phi t_k]. rewrite CN, CF, Ck. ring.
Qed.

(** No child is read: the token under the pointer is taken over. *)
Lemma quiet_fields v j i : (i < N)%nat -> ends w i v -> mode s v <> Inactive -> (j <= i)%nat ->
  t_c (cells i) = INR j -> (forall c', mode s v = Active c' -> ends w j c') ->
  forall z y, Z.to_nat z = 0%nat -> Z.to_nat y = 0%nat -> fields (S s) v (next z y (Z.of_nat j) i).
Proof.
  intros Hi Hv Hm Hj Hc Hact z y Hz Hy. unfold next. rewrite Hz, Hy, Nat2Z.id.
  destruct (all_good i Hi) as ((CN & CF & Ch & Ck & CBn & CBf & CS & Cs) & _ & _ & _ & _ & Hcell).
  destruct (Hcell v Hv) as (Hfields & _ & _ & _). destruct begin_reads as [F0 B0].
  assert (G0 : LogDepth.g (run s v) = 0) by (rewrite flag_g; destruct (mode s v); congruence || reflexivity).
  destruct (mode s v) as [| |c'] eqn:Em; [|now contradiction Hm|].
  - apply stepped_pebbled; auto; cbn [mid_jump t_N t_F t_Bn t_Bf].
    + rewrite CN, F0. ring.
    + rewrite CF, F0. ring.
    + intros a Ha. rewrite CBn, B0 by exact Ha. ring.
    + intros a Ha. rewrite CBf, B0 by exact Ha. ring.
  - pose proof (run_agrees s v) as HA. rewrite Em in HA. destruct HA as (_ & _ & _ & Hpc & _).
    destruct (all_good j ltac:(lia)) as (_ & _ & _ & _ & _ & Hcj).
    destruct (Hcj c' (Hact c' eq_refl)) as ((Uf & Ug & UM & Ub) & _).
    destruct Hfields as (Hf & Hg & HM & Hb).
    apply (stepped_fields s v c'); cbn [mid_jump t_f t_g t_M t_b t_N t_F t_Bn t_Bf t_S t_s t_h];
      try rewrite G0; auto.
    + repeat split; auto.
    + rewrite CN, F0. ring.
    + rewrite CF, F0. ring.
    + intros a Ha. rewrite CBn, B0 by exact Ha. ring.
    + intros a Ha. rewrite CBf, B0 by exact Ha. ring.
    + intros a r Ha Hr. rewrite CS, UM by auto. ring.
    + intros a Ha. rewrite Cs, Ub by exact Ha. ring.
    + rewrite Ch, Uf. ring.
Qed.

Lemma next_cell v i z y p j gamma yphi : (i < N)%nat -> ends w i v ->
  t_phi (cells i) = IZR yphi -> (yphi <= Z.of_nat i)%Z ->
  t_g (cells i) = IZR gamma -> (gamma = 0 \/ gamma = 1)%Z ->
  (j <= i)%nat -> t_c (cells i) = INR j ->
  z = (Z.of_nat i - 1 + K * (gamma - 1))%Z -> y = (yphi + K * (gamma - 1))%Z -> p = Z.of_nat j ->
  cell_is (S s) v i (next z y p i) /\ exists j', (j' <= i)%nat /\ t_c (next z y p i) = INR j'.
Proof.
  intros Hi Hv Hphi Hyp Hg Hgamma Hj Hc -> -> ->. pose proof K_value as HK.
  destruct (all_good i Hi) as (Hclear & _ & _ & _ & _ & Hcell).
  destruct (Hcell v Hv) as (Hfields & Hina & Hact & Hph).
  destruct begin_reads as [F0 B0]. pose proof Hfields as (Hf & Hgg & HM & Hb).
  assert (Hphi' : forall l r, v = Node l r ->
    t_phi (next (Z.of_nat i - 1 + K * (gamma - 1)) (yphi + K * (gamma - 1)) (Z.of_nat j) i)
    = INR (i - length (str r) - 1)) by (intros l r E; exact (Hph l r E)).
  unfold cell_is. rewrite next_c by exact Hclear. rewrite !Nat2Z.id.
  rewrite flag_g in Hgg. rewrite Hg in Hgg.
  destruct (mode s v) as [| |c'] eqn:Em.
  - (* pebbled *)
    assert (gamma = 0%Z) as -> by (apply eq_IZR; exact Hgg).
    assert (Hm' : mode (S s) v = Pebbled) by now apply pebbled_stays.
    assert (Z1 : Z.to_nat (Z.of_nat i - 1 + K * (0 - 1)) = 0%nat) by lia.
    assert (Z2 : Z.to_nat (yphi + K * (0 - 1)) = 0%nat) by lia.
    rewrite Z1, Z2, F0. split.
    + split; [apply quiet_fields; auto; congruence|]. rewrite Hm'.
      split; [discriminate|]. split; [discriminate|exact Hphi'].
    + destruct (all_good j ltac:(lia)) as (_ & _ & _ & (j' & Hj' & Ecj) & _).
      exists j'. split; [lia|]. rewrite Ecj. ring.
  - (* inactive *)
    assert (gamma = 1%Z) as -> by (apply eq_IZR; exact Hgg).
    destruct (inactive_node s v Em) as (l & r & ->).
    destruct (ends_children _ _ _ _ Hv) as (Hm & Hr & Hl). cbv zeta in Hm, Hl.
    assert (Eji : j = i) by (apply INR_eq; rewrite <- Hc; now apply Hina). subst j.
    assert (Eyphi : yphi = Z.of_nat (i - length (str r) - 1)).
    { apply eq_IZR. rewrite <- Hphi, <- INR_IZR_INZ. now apply (Hph l r). }
    assert (Z1 : Z.to_nat (Z.of_nat i - 1 + K * (1 - 1)) = (i - 1)%nat) by lia.
    assert (Z2 : Z.to_nat (yphi + K * (1 - 1)) = (i - length (str r) - 1)%nat) by lia.
    pose proof (all_good (i - 1)%nat ltac:(lia)) as (_ & _ & _ & _ & _ & Hcr).
    pose proof (all_good (i - length (str r) - 1)%nat ltac:(lia)) as (_ & _ & _ & _ & _ & Hcl).
    destruct (Hcr r Hr) as ((Rf & _ & _ & Rb) & _). destruct (Hcl l Hl) as ((Lf & _ & _ & Lb) & _).
    pose proof (run_agrees s (Node l r)) as HA. rewrite Em in HA. destruct HA as (_ & G1 & _ & _ & Hpc).
    destruct Hclear as (CN & CF & Ch & Ck & CBn & CBf & CS & Cs).
    assert (Hi1 : INR (i - 1) = INR i - 1) by (rewrite minus_INR by lia; reflexivity).
    rewrite Z1, Z2, Rf, Lf, !flag_f, Hc. split.
    + split; [|split; [|split; [|exact Hphi']]].
      * unfold next. rewrite Z1, Z2, Nat2Z.id.
        apply (stepped_fields s (Node l r) (Node l r));
          cbn [mid_jump t_f t_g t_M t_b t_N t_F t_Bn t_Bf t_S t_s t_h LogDepth.left_of LogDepth.right_of];
          rewrite ?G1; auto.
        -- rewrite CN, Rf. ring.
        -- rewrite CF, Lf. ring.
        -- intros a Ha. rewrite CBn, Rb by exact Ha. ring.
        -- intros a Ha. rewrite CBf, Lb by exact Ha. ring.
        -- intros a b Ha Hb'. rewrite CS, HM by auto. ring.
        -- intros a Ha. rewrite Cs, Hb by exact Ha. ring.
        -- rewrite Ch, Hf. ring.
      * cbn [mode]. rewrite Em. destruct (mode s l), (mode s r); intro E; try discriminate; ring.
      * cbn [mode]. rewrite Em. intros c' E. rewrite Hphi, Eyphi, <- INR_IZR_INZ.
        destruct (mode s l) eqn:El; destruct (mode s r) eqn:Er; try discriminate; injection E as <-.
        -- exists (i - 1)%nat. split; [lia|]. split; [rewrite Hi1; ring|exact Hr].
        -- exists (i - 1)%nat. split; [lia|]. split; [rewrite Hi1; ring|exact Hr].
        -- exists (i - length (str r) - 1)%nat. split; [lia|]. split; [ring|exact Hl].
        -- exists (i - length (str r) - 1)%nat. split; [lia|]. split; [ring|exact Hl].
    + rewrite Hphi, Eyphi, <- INR_IZR_INZ. set (m := (i - length (str r) - 1)%nat) in *.
      assert (Hm1 : INR (m - 1) = INR m - 1) by (rewrite minus_INR by (unfold m; lia); reflexivity).
      destruct (mode s l); destruct (mode s r);
        first [exists (m - 1)%nat; split; [unfold m; lia|]; rewrite Hm1; ring
              |exists (i - 1)%nat; split; [lia|]; rewrite Hi1; ring
              |exists m; split; [unfold m; lia|]; ring
              |exists i; split; [lia|]; ring].
  - (* active *)
    assert (gamma = 0%Z) as -> by (apply eq_IZR; exact Hgg).
    assert (Z1 : Z.to_nat (Z.of_nat i - 1 + K * (0 - 1)) = 0%nat) by lia.
    assert (Z2 : Z.to_nat (yphi + K * (0 - 1)) = 0%nat) by lia.
    destruct (Hact c' eq_refl) as (j1 & Hj1 & Hcj1 & Hend).
    assert (j1 = j) as -> by (apply INR_eq; congruence).
    destruct (all_good j ltac:(lia)) as (_ & _ & _ & (j' & Hj' & Ecj) & _ & Hcj).
    destruct (Hcj c' Hend) as (_ & Jina & Jact & _).
    rewrite Z1, Z2, F0. split.
    + split; [apply quiet_fields; auto; [congruence|intros c0 E; rewrite Em in E; injection E as <-; exact Hend]|].
      cbn [mode]. rewrite Em. split; [|split; [|exact Hphi']].
      * destruct (mode s c'); discriminate.
      * intros c0 E. destruct (mode s c') as [| |c''] eqn:Ec; [discriminate| |]; injection E as <-.
        -- exists j. split; [exact Hj|]. split; [rewrite (Jina eq_refl); ring|exact Hend].
        -- destruct (Jact c'' eq_refl) as (j2 & Hj2 & Ej2 & Hend2).
           exists j2. split; [lia|]. split; [rewrite Ej2; ring|exact Hend2].
    + exists j'. split; [lia|]. rewrite Ecj. ring.
Qed.

Lemma next_good i : (i < N)%nat -> exists zyp : Z * Z * Z,
  let z := fst (fst zyp) in let y := snd (fst zyp) in let p := snd zyp in
  (near_query T (cells i) i = IZR z /\ (z <= Z.of_nat i)%Z)
  /\ (far_query T (cells i) = IZR y /\ (y <= Z.of_nat i)%Z)
  /\ (t_c (cells i) = IZR p /\ (p <= Z.of_nat i)%Z)
  /\ good (S s) i (next z y p i).
Proof.
  intro Hi. pose proof K_value as HK.
  destruct (all_good i Hi) as (Hclear & (yphi & Hphi & Hyp) & (gamma & Hg & Hgamma) & (j & Hj & Hc) & Hblank & _).
  exists (Z.of_nat i - 1 + K * (gamma - 1), yphi + K * (gamma - 1), Z.of_nat j)%Z. cbn [fst snd].
  split; [|split; [|split]].
  - split; [|destruct Hgamma; subst; lia]. unfold near_query. rewrite Hg, plus_IZR, mult_IZR, !minus_IZR, INR_IZR_INZ.
    reflexivity.
  - split; [|destruct Hgamma; subst; lia]. unfold far_query. rewrite Hg, Hphi, plus_IZR, mult_IZR, minus_IZR. reflexivity.
  - split; [|lia]. now rewrite Hc, INR_IZR_INZ.
  - set (x := next _ _ _ i).
    assert (Hcells : forall v, ends w i v -> cell_is (S s) v i x /\ exists j', (j' <= i)%nat /\ t_c x = INR j').
    { intros v Hv. unfold x. now apply (next_cell v i _ _ _ j gamma yphi). }
    destruct (blank_or_ends i Hi) as [Hb|(v & Hv)].
    + destruct (Hblank Hb) as (Bf & Bg & BM & Bb & Bc).
      assert (gamma = 0%Z) as -> by (apply eq_IZR; congruence).
      assert (j = i) as -> by (apply INR_eq; congruence).
      assert (Z1 : Z.to_nat (Z.of_nat i - 1 + K * (0 - 1)) = 0%nat) by lia.
      assert (Z2 : Z.to_nat (yphi + K * (0 - 1)) = 0%nat) by lia.
      destruct begin_reads as [F0 B0].
      pose proof Hclear as (CN & CF & Ch & Ck & CBn & CBf & CS & Cs).
      assert (Ec : t_c x = INR i).
      { unfold x. rewrite next_c by exact Hclear. rewrite Z1, Z2, Nat2Z.id, F0, Bc. ring. }
      assert (Ef : t_f x = 0).
      { unfold x, next, TreeDecoderFields.stepped, mid_jump. cbn [t_f t_N t_F t_g t_h].
        rewrite Z1, Z2, Nat2Z.id, CN, CF, Ch, F0, Bf, Bg. ring. }
      assert (Eg : t_g x = 0).
      { unfold x, next, TreeDecoderFields.stepped, mid_jump. cbn [t_f t_N t_F t_g t_h].
        rewrite Z1, Z2, CN, CF, F0, Bg. ring. }
      assert (EM : forall v, (v < nn)%nat -> t_M x v = 0).
      { intros v Hv. destruct (split_place v Hv) as (_ & Ha & Hr).
        unfold x, next, TreeDecoderFields.stepped, mid_jump. cbn [t_M t_N t_F t_Bn t_Bf t_S].
        rewrite Z1, Z2, Nat2Z.id, CN, CF, F0, BM by exact Hv.
        rewrite (sum_zero n (fun m => t_M (cells i) (v / n * n + m)%nat * _)).
        2: { intros m Hm. rewrite BM by now apply pair_below. ring. }
        rewrite (sum_zero n (fun j => tensor e (v / n) (v mod n) j * _))
          by (intros a Ha'; rewrite CBn, B0 by exact Ha'; ring).
        rewrite (sum_zero n (fun j => tensor e (v / n) j (v mod n) * _))
          by (intros a Ha'; rewrite CBf, B0 by exact Ha'; ring).
        ring. }
      assert (Eb : forall a, (a < n)%nat -> t_b x a = 0).
      { intros a Ha. unfold x, next, TreeDecoderFields.stepped, mid_jump. cbn [t_b t_Bn t_Bf t_M t_s].
        rewrite Z1, Z2, Nat2Z.id, Bb by exact Ha.
        rewrite (sum_zero n (fun m => t_M (cells i) (a * n + m)%nat * _)).
        2: { intros m Hm. rewrite BM by now apply pair_below. ring. }
        rewrite sum_zero; [ring|]. intros l Hl. apply sum_zero. intros r Hr.
        rewrite CBf, B0 by exact Hl. ring. }
      split; [apply scratch_clear|]. split; [now exists yphi|]. split; [exists 0%Z; auto|].
      split; [now exists i|]. split; [auto|]. intros v Hv. now destruct (blank_not_ends i v Hb Hv).
    + destruct (Hcells v Hv) as [Hcell Hptr].
      split; [apply scratch_clear|]. split; [now exists yphi|]. split.
      * destruct Hcell as ((_ & Hg' & _) & _). rewrite flag_g in Hg'.
        destruct (mode (S s) v); [exists 0%Z|exists 1%Z|exists 0%Z]; auto.
      * split; [exact Hptr|]. split; [intro Hb; now destruct (blank_not_ends i v Hb Hv)|].
        intros v' Hv'. now apply Hcells.
Qed.
End Jump.

Theorem jump_good s X cells : holds X cells -> (forall i, (i < N)%nat -> good s i (cells i)) ->
  exists cells', holds (run_layer e averaged N X (Layer [near n T; far n T; pointer n] (step_block n true))) cells'
    /\ forall i, (i < N)%nat -> good (S s) i (cells' i).
Proof.
  intros HX Hgood.
  destruct (finite_choice (0, 0, 0)%Z N _ (next_good s cells Hgood)) as (f & Hf). cbv zeta in Hf.
  exists (fun i => next cells (fst (fst (f i))) (snd (fst (f i))) (snd (f i)) i). split.
  - apply jump_layer; auto; intros i Hi; now apply Hf.
  - intros i Hi. now apply Hf.
Qed.

(** ** The first three layers *)

Definition zero_tok (i : nat) : tok :=
  Tok 0 0 0 (INR i) (fun _ => 0) (fun _ => 0) 0 (fun _ => 0) 0 (fun _ => 0) (fun _ => 0) (fun _ => 0) 0 0.

Definition base (i : nat) : tok :=
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

Lemma embedded_holds steps :
  holds (embedded e (tree_decoder n q T steps) ((q + 2)%nat :: map (code q) w)) base.
Proof.
  intros i c Hi. revert c. unfold embedded, real. cbn [tree_decoder W_E W_pos item].
  assert (Hpos : forall x, t_c x = INR i -> forall c, amount e (tree_position i c)
    = if (c =? p_one)%nat then 1 else if (c =? p_i)%nat then INR i
      else if (c =? p_sq)%nat then INR i * INR i else if (c =? p_c)%nat then t_c x else 0).
  { intros x Hx c. unfold tree_position. rewrite Hx.
    repeat match goal with |- context [(c =? ?p)%nat] => destruct (c =? p)%nat end;
      cbn [amount]; rewrite <- ?INR_IZR_INZ, ?mult_INR; reflexivity. }
  destruct i as [|k].
  - intros c Hc. cbn [nth base]. rewrite (Hpos (zero_tok 0) eq_refl).
    replace (tree_token n q (q + 2) c) with (Whole 0).
    + cbn [amount]. revert c Hc. apply place_cases; intros; fields_of; places; decide_tests;
        cbn [zero_tok t_phi t_f t_g t_c t_M t_b t_N t_Bn t_F t_Bf t_S t_s t_h t_k]; ring.
    + unfold tree_token. decide_tests. reflexivity.
  - cbn [nth base].
    destruct (nth_error w k) as [s|] eqn:E; [|apply nth_error_None in E; lia].
    assert (En : nth k (map (code q) w) 0%nat = code q s).
    { apply nth_error_nth. rewrite nth_error_map, E. reflexivity. }
    rewrite En. destruct s as [a| |]; cbn [code].
    + assert (Ha : (a < q)%nat).
      { unfold letters_below in letters. rewrite Forall_forall in letters.
        apply (letters (Sym a)). now apply nth_error_In in E. }
      intros c Hc. set (x := Tok 0 1 0 (INR (S k)) (fun _ => 0) (leaf e a) 0 (fun _ => 0) 0 (fun _ => 0)
                               (fun _ => 0) (fun _ => 0) 0 0).
      rewrite (Hpos x eq_refl). unfold tree_token. replace (a <? q)%nat with true by (symmetry; now apply Nat.ltb_lt).
      revert c Hc. unfold x. apply place_cases; intros; fields_of; places; decide_tests;
        cbn [amount t_phi t_f t_g t_c t_M t_b t_N t_Bn t_F t_Bf t_S t_s t_h t_k]; try ring.
    + intros c Hc. rewrite (Hpos (zero_tok (S k)) eq_refl).
      replace (tree_token n q q c) with (Whole 0).
      * cbn [amount]. revert c Hc. apply place_cases; intros; fields_of; places; decide_tests;
          cbn [zero_tok t_phi t_f t_g t_c t_M t_b t_N t_Bn t_F t_Bf t_S t_s t_h t_k]; ring.
      * unfold tree_token. decide_tests. reflexivity.
    + intros c Hc. set (x := Tok 0 0 1 (INR (S k)) (fun v => I (v / n)%nat (v mod n)%nat) (fun _ => 0) 0
                               (fun _ => 0) 0 (fun _ => 0) (fun _ => 0) (fun _ => 0) 0 0).
      rewrite (Hpos x eq_refl). unfold tree_token.
      replace (q + 1 <? q)%nat with false by (symmetry; apply Nat.ltb_ge; lia). rewrite Nat.eqb_refl.
      revert c Hc. unfold x. apply place_cases; intros; fields_of; places; decide_tests;
        cbn [amount t_phi t_f t_g t_c t_M t_b t_N t_Bn t_F t_Bf t_S t_s t_h t_k]; try ring.
      unfold I.
      destruct (v / n =? v mod n)%nat; cbn [amount b2r]; ring.
Qed.

Lemma base_clear i : clear_scratch (base i).
Proof.
  unfold base, clear_scratch. destruct i as [|k]; [repeat split; reflexivity|].
  destruct (nth_error w k) as [[]|]; repeat split; reflexivity.
Qed.

Lemma base_c i : t_c (base i) = INR i.
Proof. unfold base. destruct i as [|k]; [reflexivity|]. destruct (nth_error w k) as [[]|]; reflexivity. Qed.

Lemma base_phi i : t_phi (base i) = 0.
Proof. unfold base. destruct i as [|k]; [reflexivity|]. destruct (nth_error w k) as [[]|]; reflexivity. Qed.

Lemma base_g i : t_g (base i) = IZR (closing t i).
Proof.
  unfold base, closing. destruct i as [|k]; [reflexivity|]. destruct (nth_error w k) as [[]|]; reflexivity.
Qed.

Lemma base_blank i : blank i -> base i = zero_tok i.
Proof.
  intros [->|[H1 H]]; [reflexivity|]. unfold base. destruct i as [|k]; [lia|].
  replace (S k - 1)%nat with k in H by lia. now rewrite H.
Qed.

Lemma base_fields i v : ends w i v -> fields 0 v (base i).
Proof.
  intro H. pose proof (ends_range _ _ _ H) as Hr. pose proof (ends_symbol _ _ _ H) as Hs.
  unfold base. destruct i as [|k]; [lia|]. replace (S k - 1)%nat with k in Hs by lia. rewrite Hs.
  destruct v as [a|l r]; unfold fields; cbn [last_symbol t_f t_g t_M t_b LogDepth.run LogDepth.start
    LogDepth.f LogDepth.g LogDepth.M LogDepth.b]; repeat split; auto.
  intros a b Ha Hb. now rewrite divn, modn.
Qed.

Lemma brackets i : (i <= length w)%nat ->
  sum (i + 1) (fun j => bracket (base j)) = 1 + IZR (total nat (firstn i w)).
Proof.
  induction i as [|i IH]; intro Hi.
  - simpl. unfold bracket, base. cbn. ring.
  - replace (S i + 1)%nat with (S (i + 1)) by lia. cbn [sum]. rewrite IH by lia.
    destruct (nth_error w i) as [s|] eqn:E; [|apply nth_error_None in E; lia].
    rewrite (total_next t i s E), plus_IZR. replace (i + 1)%nat with (S i) by lia.
    assert (Hb : bracket (base (S i)) = IZR (mark s)).
    { unfold bracket, base. rewrite E. destruct s; cbn [zero_tok t_f t_g mark]; ring. }
    rewrite Hb. ring.
Qed.

Definition prepared (i : nat) : tok := after_second (after_first base i).

Lemma prepared_k i : (i < N)%nat -> t_k (prepared i) = IZR (dep t i).
Proof.
  intro Hi. unfold prepared, after_second, after_first. cbn [t_k].
  rewrite brackets by lia. unfold dep, base. destruct i as [|k]; [cbn; ring|].
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
  assert (Hg : forall k, t_g (prepared k) = IZR (closing t k)) by (intro k; apply base_g).
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

(** Taking over oneself at the beginning changes nothing. *)
Definition selfish (x : tok) : tok :=
  Tok (t_phi x) (t_f x) (t_g x) (t_c x) (t_M x) (t_b x) (t_N x) (t_Bn x) (t_F x) (t_Bf x)
      (t_M x) (t_b x) (t_f x) (t_c x).

Lemma stepped_selfish v i x : fields 0 v x ->
  (t_f (stepped false i x) = t_f (stepped true i (selfish x)))
  /\ (t_g (stepped false i x) = t_g (stepped true i (selfish x)))
  /\ (forall u, (u < nn)%nat -> t_M (stepped false i x) u = t_M (stepped true i (selfish x)) u)
  /\ (forall a, (a < n)%nat -> t_b (stepped false i x) a = t_b (stepped true i (selfish x)) a).
Proof.
  intros (Hf & Hg & HM & Hb). unfold TreeDecoderFields.stepped, selfish.
  cbn [t_f t_g t_M t_b t_N t_F t_Bn t_Bf t_S t_s t_h].
  assert (H1 : (1 - t_f x - t_g x) * t_f x = 0).
  { rewrite Hf, Hg. destruct v; cbn; ring. }
  assert (H2 : forall u, (u < nn)%nat ->
    sum n (fun m => t_M x (u / n * n + m)%nat * t_M x (m * n + u mod n)%nat) - t_M x u = 0).
  { intros u Hu. destruct (split_place u Hu) as (Eu & Ha & Hr).
    rewrite (sum_ext n _ (fun m => LogDepth.M (run 0 v) (u / n)%nat m * LogDepth.M (run 0 v) m (u mod n)%nat))
      by (intros m Hm; now rewrite !HM).
    assert (EM : t_M x u = LogDepth.M (run 0 v) (u / n)%nat (u mod n)%nat)
      by (rewrite <- HM by auto; f_equal; exact Eu).
    rewrite EM. destruct v as [a|l r]; cbn [LogDepth.run LogDepth.start LogDepth.M].
    - rewrite sum_zero; [ring|]. intros; ring.
    - fold (mmul n I I (u / n)%nat (u mod n)%nat). rewrite (mul1m n I) by auto. ring. }
  assert (H3 : forall a, (a < n)%nat -> sum n (fun m => t_M x (a * n + m)%nat * t_b x m) = 0).
  { intros a Ha. apply sum_zero. intros m Hm. rewrite HM, Hb by auto.
    destruct v; cbn; ring. }
  split; [rewrite H1; ring|]. split; [reflexivity|]. split.
  - intros u Hu. rewrite H2 by exact Hu. reflexivity.
  - intros a Ha. rewrite H3 by exact Ha. reflexivity.
Qed.

Definition first_step (m : nat) (z : Z) (i : nat) : tok :=
  stepped false i (mid_match prepared m (Z.to_nat z) i).

Lemma previous_fields m : (1 <= m)%nat ->
  t_h (prepared m) = t_f (base (m - 1)%nat) /\ (forall a, t_s (prepared m) a = t_b (base (m - 1)%nat) a).
Proof. intro Hm. split; reflexivity. Qed.

Lemma first_step_good i m : (i < N)%nat -> target i m ->
  let z := (Z.of_nat i - 1 + K * (closing t i - 1))%Z in good 1 i (first_step m z i).
Proof.
  intros Hi (Hm & Htop & Hzero & Hnode) z. pose proof K_value as HK.
  assert (Ef : forall k, t_f (prepared k) = t_f (base k)) by reflexivity.
  assert (Eb : forall k, t_b (prepared k) = t_b (base k)) by reflexivity.
  assert (Hscratch : clear_scratch (first_step m z i)) by (unfold clear_scratch; cbn; repeat split; reflexivity).
  assert (Ephi : t_phi (first_step m z i) = INR m - 1).
  { unfold first_step, mid_match. cbn [TreeDecoderFields.stepped t_phi]. change (t_phi (prepared i)) with (t_phi (base i)).
    rewrite base_phi. ring. }
  assert (Ec : t_c (first_step m z i) = INR i + t_f (base (Z.to_nat z)) * (INR m - 1 - INR i) - t_h (prepared m)).
  { unfold first_step, mid_match. cbn [TreeDecoderFields.stepped t_c t_N t_F t_phi].
    change (t_phi (prepared i)) with (t_phi (base i)). change (t_c (prepared i)) with (t_c (base i)).
    change (t_N (prepared i)) with 0. change (t_F (prepared i)) with 0.
    rewrite base_phi, base_c, Ef. ring. }
  assert (Hgen : exists y, t_phi (first_step m z i) = IZR y /\ (y <= Z.of_nat i)%Z).
  { exists (Z.of_nat m - 1)%Z. rewrite Ephi, minus_IZR, <- INR_IZR_INZ. split; [reflexivity|lia]. }
  assert (Hquiet : closing t i = 0%Z -> t_f (base (Z.to_nat z)) = 0 /\ t_h (prepared m) = 0
    /\ (forall a, t_b (base (Z.to_nat z)) a = 0) /\ (forall a, t_s (prepared m) a = 0)).
  { intro Hc. assert (Ez : Z.to_nat z = 0%nat) by (unfold z; rewrite Hc; lia).
    rewrite Ez, (Hzero Hc). repeat split; reflexivity. }
  assert (Hquiet_c : closing t i = 0%Z -> t_c (first_step m z i) = INR i).
  { intro Hc. destruct (Hquiet Hc) as (Q1 & Q2 & _). rewrite Ec, Q1, Q2. ring. }
  assert (Hcell : forall v, ends w i v -> cell_is 1 v i (first_step m z i)
            /\ exists j', (j' <= i)%nat /\ t_c (first_step m z i) = INR j').
  { intros v Hv. pose proof (base_fields i v Hv) as Hfields. pose proof (ends_range _ _ _ Hv) as Hir.
    assert (HF0 : fields 0 v (mid_match prepared m (Z.to_nat z) i)) by exact Hfields.
    destruct (stepped_selfish v i _ HF0) as (S1 & S2 & S3 & S4).
    assert (Hcl : closing t i = match v with Leaf _ => 0 | Node _ _ => 1 end%Z).
    { unfold closing. destruct i as [|k]; [lia|]. pose proof (ends_symbol _ _ _ Hv) as Hs.
      replace (S k - 1)%nat with k in Hs by lia. rewrite Hs. destruct v; reflexivity. }
    assert (Hfields1 : fields 1 v (stepped true i (selfish (mid_match prepared m (Z.to_nat z) i)))).
    { destruct Hfields as (Hf & Hg & HM & Hb).
      apply (stepped_fields 0 v v);
        cbn [selfish mid_match t_f t_g t_M t_b t_N t_F t_Bn t_Bf t_S t_s t_h]; auto.
      - destruct v; reflexivity.
      - change (t_N (prepared i)) with 0. rewrite Ef. destruct v as [a|l r].
        + destruct (Hquiet Hcl) as (Q & _). rewrite Q. cbn. ring.
        + destruct (ends_children _ _ _ _ Hv) as (_ & Hr & _). cbv zeta in *.
          assert (Ez : Z.to_nat z = (i - 1)%nat) by (unfold z; rewrite Hcl; lia). rewrite Ez.
          destruct (base_fields _ _ Hr) as (Rf & _). rewrite Rf. cbn [LogDepth.right_of]. cbn [LogDepth.run LogDepth.start LogDepth.g]. ring.
      - change (t_F (prepared i)) with 0. destruct v as [a|l r].
        + destruct (Hquiet Hcl) as (_ & Q & _). rewrite Q. cbn. ring.
        + destruct (ends_children _ _ _ _ Hv) as (Hm2 & _ & Hl). cbv zeta in *. rewrite <- (Hnode l r Hv) in Hm2, Hl.
          destruct (previous_fields m ltac:(lia)) as [Eh _]. rewrite Eh.
          destruct (base_fields _ _ Hl) as (Lf & _). rewrite Lf. cbn [LogDepth.left_of]. cbn [LogDepth.run LogDepth.start LogDepth.g]. ring.
      - intros a Ha. change (t_Bn (prepared i) a) with 0. rewrite Eb. destruct v as [a'|l r].
        + destruct (Hquiet Hcl) as (_ & _ & Q & _). rewrite Q. cbn. ring.
        + destruct (ends_children _ _ _ _ Hv) as (_ & Hr & _). cbv zeta in *.
          assert (Ez : Z.to_nat z = (i - 1)%nat) by (unfold z; rewrite Hcl; lia). rewrite Ez.
          destruct (base_fields _ _ Hr) as (_ & _ & _ & Rb). rewrite Rb by exact Ha. cbn [LogDepth.right_of].
          cbn [LogDepth.run LogDepth.start LogDepth.g]. ring.
      - intros a Ha. change (t_Bf (prepared i) a) with 0. destruct v as [a'|l r].
        + destruct (Hquiet Hcl) as (_ & _ & _ & Q). rewrite Q. cbn. ring.
        + destruct (ends_children _ _ _ _ Hv) as (Hm2 & _ & Hl). cbv zeta in *. rewrite <- (Hnode l r Hv) in Hm2, Hl.
          destruct (previous_fields m ltac:(lia)) as [_ Es]. rewrite Es.
          destruct (base_fields _ _ Hl) as (_ & _ & _ & Lb). rewrite Lb by exact Ha. cbn [LogDepth.left_of].
          cbn [LogDepth.run LogDepth.start LogDepth.g]. ring. }
    assert (Hf1 : fields 1 v (first_step m z i)).
    { destruct Hfields1 as (Hf & Hg & HM & Hb). unfold first_step.
      split; [now rewrite S1|]. split; [now rewrite S2|]. split.
      - intros a r Ha Hr. rewrite S3 by now apply pair_below. now apply HM.
      - intros a Ha. rewrite S4 by exact Ha. now apply Hb. }
    destruct v as [a|l r].
    - split; [|exists i; split; [lia|now apply Hquiet_c]].
      split; [exact Hf1|]. split; [discriminate|]. split; [discriminate|]. intros l r E. discriminate.
    - destruct (ends_children _ _ _ _ Hv) as (Hm2 & Hr & Hl). cbv zeta in *. rewrite <- (Hnode l r Hv) in Hm2, Hl.
      assert (Ez : Z.to_nat z = (i - 1)%nat) by (unfold z; rewrite Hcl; lia).
      destruct (previous_fields m ltac:(lia)) as [Eh _].
      destruct (base_fields _ _ Hr) as (Rf & _). destruct (base_fields _ _ Hl) as (Lf & _).
      assert (Em1 : INR (m - 1) = INR m - 1) by (rewrite minus_INR by lia; reflexivity).
      assert (Em2 : INR (m - 2) = INR m - 2) by (rewrite minus_INR by lia; reflexivity).
      assert (Ei1 : INR (i - 1) = INR i - 1) by (rewrite minus_INR by lia; reflexivity).
      rewrite Ez, Eh, Rf, Lf in Ec.
      assert (Hph : forall l' r', Node l r = Node l' r' -> t_phi (first_step m z i) = INR (i - length (str r') - 1)).
      { intros l' r' E. injection E as <- <-. rewrite <- (Hnode l r Hv), Ephi, Em1. reflexivity. }
      unfold cell_is. rewrite Ec.
      destruct l as [al|l1 l2]; destruct r as [ar|r1 r2]; cbn [LogDepth.run LogDepth.start LogDepth.f].
      + split; [|exists (m - 2)%nat; split; [lia|rewrite Em2; ring]].
        split; [exact Hf1|]. split; [discriminate|]. split; [discriminate|exact Hph].
      + split; [|exists (i - 1)%nat; split; [lia|rewrite Ei1; ring]].
        split; [exact Hf1|]. split; [discriminate|]. split; [|exact Hph].
        intros c' E. cbn in E. injection E as <-. exists (i - 1)%nat. split; [lia|]. split; [rewrite Ei1; ring|exact Hr].
      + split; [|exists (m - 1)%nat; split; [lia|rewrite Em1; ring]].
        split; [exact Hf1|]. split; [discriminate|]. split; [|exact Hph].
        intros c' E. cbn in E. injection E as <-. exists (m - 1)%nat. split; [lia|]. split; [rewrite Em1; ring|exact Hl].
      + split; [|exists i; split; [lia|ring]].
        split; [exact Hf1|]. split; [intro; ring|]. split; [discriminate|exact Hph]. }
  destruct (blank_or_ends i Hi) as [Hb|(v & Hv)].
  - assert (Hc : closing t i = 0%Z).
    { unfold closing. destruct Hb as [->|[H1 Hb]]; [reflexivity|]. destruct i as [|k]; [lia|].
      replace (S k - 1)%nat with k in Hb by lia. now rewrite Hb. }
    destruct (Hquiet Hc) as (Q1 & Q2 & Q3 & Q4).
    assert (Hbase : base i = zero_tok i) by now apply base_blank.
    assert (Eg : t_g (first_step m z i) = 0).
    { unfold first_step, mid_match. cbn [TreeDecoderFields.stepped t_g t_N t_F].
      change (t_N (prepared i)) with 0. change (t_F (prepared i)) with 0. rewrite Ef.
      change (t_g (prepared i)) with (t_g (base i)). rewrite Q1, Q2, Hbase. cbn [zero_tok t_g]. ring. }
    split; [exact Hscratch|]. split; [exact Hgen|]. split; [exists 0%Z; auto|].
    split; [exists i; split; [lia|now apply Hquiet_c]|]. split.
    + intros _. split; [|split; [exact Eg|split; [|split; [|now apply Hquiet_c]]]].
      * unfold first_step, mid_match. cbn [TreeDecoderFields.stepped t_f t_N t_F].
        change (t_N (prepared i)) with 0. change (t_F (prepared i)) with 0. rewrite !Ef, Q1, Q2, Hbase.
        cbn [zero_tok t_f]. ring.
      * intros u Hu. unfold first_step, mid_match. cbn [TreeDecoderFields.stepped t_M t_N t_F t_Bn t_Bf].
        change (t_N (prepared i)) with 0. change (t_F (prepared i)) with 0. rewrite Ef, Q1, Q2.
        change (t_M (prepared i) u) with (t_M (base i) u). rewrite Hbase. cbn [zero_tok t_M].
        rewrite (sum_zero n (fun j => tensor e (u / n) (u mod n) j * _)).
        2: { intros a Ha. change (t_Bn (prepared i) a) with 0. rewrite Eb, Q3. ring. }
        rewrite (sum_zero n (fun j => tensor e (u / n) j (u mod n) * _)).
        2: { intros a Ha. change (t_Bf (prepared i) a) with 0. rewrite Q4. ring. }
        ring.
      * intros a Ha. unfold first_step, mid_match. cbn [TreeDecoderFields.stepped t_b t_Bn t_Bf].
        rewrite Eb, Hbase. cbn [zero_tok t_b]. rewrite sum_zero; [ring|]. intros l Hl. apply sum_zero. intros r Hr.
        change (t_Bf (prepared i) l) with 0. rewrite Q4. ring.
    + intros v Hv. now destruct (blank_not_ends i v Hb Hv).
  - destruct (Hcell v Hv) as [Hc1 Hptr].
    split; [exact Hscratch|]. split; [exact Hgen|]. split.
    + destruct Hc1 as ((_ & Hg' & _) & _). rewrite flag_g in Hg'.
      destruct (mode 1 v); [exists 0%Z|exists 1%Z|exists 0%Z]; auto.
    + split; [exact Hptr|]. split; [intro Hb; now destruct (blank_not_ends i v Hb Hv)|].
      intros v' Hv'. now apply Hcell.
Qed.

Theorem match_good X : holds X prepared ->
  exists cells, holds (run_layer e averaged N X (Layer [match_begin n T; near n T] (step_block n false))) cells
    /\ forall i, (i < N)%nat -> good 1 i (cells i).
Proof.
  intro HX. destruct (finite_choice 0%nat N target target_exists) as (m & Hm).
  set (z := fun i => (Z.of_nat i - 1 + K * (closing t i - 1))%Z).
  exists (fun i => first_step (m i) (z i) i). split.
  - apply match_layer; auto.
    + intros i Hi. destruct (Hm i Hi) as (H1 & H2 & _). split; [exact H1|]. intros j Hj Hne.
      rewrite !prepared_score by lia. apply IZR_lt. now apply H2.
    + intros i Hi. pose proof K_value. split.
      * unfold near_query, z. change (t_g (prepared i)) with (t_g (base i)).
        rewrite base_g, plus_IZR, mult_IZR, !minus_IZR, INR_IZR_INZ. reflexivity.
      * unfold z. destruct (closing_01 t i) as [-> | ->]; lia.
  - intros i Hi. apply first_step_good; auto.
Qed.

(** ** All layers *)

Theorem tree_stream k :
  exists cells, holds (stream e averaged N (tree_decoder n q T (S k)) ((q + 2)%nat :: map (code q) w)) cells
    /\ forall i, (i < N)%nat -> good (S k) i (cells i).
Proof.
  unfold stream. cbn [tree_decoder layers tree_layers fold_left].
  set (X0 := embedded e (tree_decoder n q T (S k)) ((q + 2)%nat :: map (code q) w)).
  assert (H0 : holds X0 base) by apply embedded_holds.
  set (X1 := run_layer e averaged N X0 (Layer [mean n; previous n] (first_block n))).
  assert (H1 : holds X1 (after_first base)) by (apply first_layer; auto; intros; apply base_clear).
  set (X2 := run_layer e averaged N X1 (Layer [] (second_block n))).
  assert (H2 : holds X2 prepared) by (apply second_layer; auto).
  set (X3 := run_layer e averaged N X2 (Layer [match_begin n T; near n T] (step_block n false))).
  clearbody X0. induction k as [|k IH].
  - cbn [repeat fold_left]. apply match_good. exact H2.
  - replace (repeat (Layer [near n T; far n T; pointer n] (step_block n true)) (S k))
      with (repeat (Layer [near n T; far n T; pointer n] (step_block n true)) k
            ++ [Layer [near n T; far n T; pointer n] (step_block n true)])
      by (symmetry; apply repeat_cons).
    rewrite fold_left_app. destruct IH as (cells & HX & Hgood).
    cbn [fold_left]. now apply (jump_good (S k) _ cells).
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
  rewrite columns_read by (intros x [<-|[]]; cbn [fst]; unfold p_b, width; lia).
  unfold reads. cbn [lsum fst snd amount].
  rewrite HX by (try lia; unfold p_b, width; lia). rewrite row_b by exact Ha.
  destruct (Hgood i ltac:(lia)) as (_ & _ & _ & _ & _ & Hcell).
  destruct (Hcell v Hv) as ((_ & _ & _ & Hb) & _). rewrite Hb by exact Ha.
  pose proof (run_agrees (S k) v) as HA. rewrite Hm in HA. destruct HA as (_ & _ & _ & HB).
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

(** 3 log2(N + 1) - 1 steps are enough for N leaves; with the sizes. *)
Theorem tree_decoder_log n q T leaf tensor C act : (1 <= n)%nat -> 0 < C ->
  (forall y, act y - act (- y) = y) -> act 1 <> 0 ->
  forall leaf_count, (1 <= leaf_count)%nat ->
  let steps := (3 * Nat.log2 (leaf_count + 1) - 1)%nat in
  let model := tree_decoder n q T steps in
  length (layers model) = (2 + steps)%nat /\
  high (W_U model) = (2 * n ^ 2 + 4 * n + 11)%nat /\
  (forall ly, In ly (layers model) -> (length (heads ly) <= 3)%nat /\
     (units_of (mlp ly) <= 2 * n ^ 3 + 5 * n ^ 2 + 7 * n + 11)%nat) /\
  forall t : tree nat, (length (str t) <= T)%nat -> letters_below q (str t) ->
  forall i v, ends (str t) i v -> (leaves v <= leaf_count)%nat -> forall a, (a < n)%nat ->
  forward (tree_weights_for leaf tensor C act) averaged model
    ((q + 2)%nat :: map (code q) (str t)) i a = mu n leaf tensor v a.
Proof.
  intros Hn HC Hodd H1 m Hm steps model.
  destruct (tree_sizes n q T steps) as (S1 & _ & _ & S2 & S3).
  split; [exact S1|]. split; [exact S2|]. split; [intros ly Hly; destruct (S3 ly Hly) as (? & ? & ?); auto|].
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

(** An instance: one state, the tree (a, b) with leaves 2 and 3 and tensor 5, ReLU gates. *)
Example pair_of_leaves : let relu := fun y => Rmax y 0 in
  forward (tree_weights_for (fun a _ => match a with O => 2 | _ => 3 end) (fun _ _ _ => 5) 1 relu) averaged
    (tree_decoder 1 2 4 1) [4; 2; 0; 1; 3]%nat 4%nat 0%nat = 30.
Proof.
  intro relu. assert (Hodd : forall y, relu y - relu (- y) = y).
  { intro y. unfold relu, Rmax. repeat destruct (Rle_dec _ _); lra. }
  assert (H1 : relu 1 <> 0) by (unfold relu, Rmax; destruct (Rle_dec 1 0); lra).
  pose (t := Node (Leaf 0%nat) (Leaf 1%nat)).
  pose proof (tree_decoder_exact 1 2 4 0 (fun a _ => match a with O => 2 | _ => 3 end) (fun _ _ _ => 5) 1 relu
    ltac:(lia) ltac:(lra) Hodd H1 t ltac:(simpl; lia) ltac:(repeat constructor) 4%nat t
    (ends_whole t) ltac:(simpl; lia) 0%nat ltac:(lia)) as H.
  etransitivity; [exact H|]. cbn. ring.
Qed.
