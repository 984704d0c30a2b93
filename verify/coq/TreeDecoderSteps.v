(** * The tree decoder: one further layer makes one step of the pebbling

    Beyond the paper. What a token of the tree decoder holds after s steps ([good]): at an opening
    bracket and at the begin token nothing; where a subtree v ends, the fields of the cell of v in
    LogDepth.v, with the pointer as the position where the subtree under it ends. One more layer takes
    s steps to s + 1, for every tree and every token ([jump_good]); all tops are unique.

    Main definitions: [code], [blank], [fields], [good].
    Main theorems:    [stepped_fields], [next_cell], [jump_good]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool Morphisms.
From Assay Require Import Sums Attention Trees Pebbling Theorem3.
From Assay Require LogDepth.
From Assay Require Import DecoderModel TreeDecoderModel TreeDecoderBlocks TreeDecoderLayers
  TreeDecoderEnds.
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

Lemma flag_01 s (v : tree nat) : match mode s v with Pebbled => 1 | _ => 0 end = 0
                    \/ match mode s v with Pebbled => 1 | _ => 0 end = 1.
Proof. destruct (mode s v); [right|left|left]; reflexivity. Qed.

(** A token that is not inactive asks for the begin token. *)
Lemma no_child i y : (i < N)%nat -> (y <= Z.of_nat i)%Z -> Z.to_nat (y + K * (0 - 1)) = 0%nat.
Proof. intros Hi Hy. rewrite K_value. lia. Qed.

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
  unfold fields, TreeDecoderBlocks.stepped. cbn [t_f t_g t_M t_b]. cbn [LogDepth.run].
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
  unfold fields, TreeDecoderBlocks.stepped. cbn [t_f t_g t_M t_b].
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
Context (s : nat) (cells : nat -> tok).
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
  intros (CN & CF & Ch & Ck & _). unfold next, TreeDecoderBlocks.stepped, mid_jump.
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
  - apply stepped_pebbled; auto; cbn [mid_jump t_N t_F t_Bn t_Bf]; intros;
      rewrite ?CN, ?CF, ?CBn, ?CBf, ?F0, ?B0 by assumption; ring.
  - pose proof (run_agrees s v) as HA. rewrite Em in HA. destruct HA as (_ & _ & _ & Hpc & _).
    destruct (all_good j ltac:(lia)) as (_ & _ & _ & _ & _ & Hcj).
    destruct (Hcj c' (Hact c' eq_refl)) as ((Uf & Ug & UM & Ub) & _).
    destruct Hfields as (Hf & Hg & HM & Hb).
    apply (stepped_fields s v c'); cbn [mid_jump t_f t_g t_M t_b t_N t_F t_Bn t_Bf t_S t_s t_h];
      try rewrite G0; auto; [repeat split; auto|..]; intros;
      rewrite ?CN, ?CF, ?CBn, ?CBf, ?CS, ?Cs, ?Ch, ?F0, ?B0, ?UM, ?Ub, ?Uf by assumption; ring.
Qed.

(** A cell that is not inactive: where its pointer, j, points to is where the next one starts from. *)
Lemma quiet_cell v i j z y : (i < N)%nat -> ends w i v -> mode s v <> Inactive -> (j <= i)%nat ->
  t_c (cells i) = INR j -> Z.to_nat z = 0%nat -> Z.to_nat y = 0%nat ->
  cell_is (S s) v i (next z y (Z.of_nat j) i) /\ exists j', (j' <= i)%nat /\ t_c (next z y (Z.of_nat j) i) = INR j'.
Proof.
  intros Hi Hv Hm Hj Hc Hz Hy. destruct (all_good i Hi) as (Hclear & _ & _ & _ & _ & Hcell).
  destruct (Hcell v Hv) as (_ & _ & Hact & Hph).
  destruct (all_good j ltac:(lia)) as (_ & _ & _ & (j' & Hj' & Ecj) & _ & Hcj).
  assert (Ec : t_c (next z y (Z.of_nat j) i) = t_c (cells j)).
  { destruct begin_reads as [F0 _]. rewrite next_c, Hz, Hy, Nat2Z.id, F0 by exact Hclear. ring. }
  assert (Hend : forall c', mode s v = Active c' -> ends w j c').
  { intros c' E. destruct (Hact c' E) as (j1 & _ & Hcj1 & Hend).
    now assert (j1 = j) as <- by (apply INR_eq; congruence). }
  split; [|exists j'; split; [lia|now rewrite Ec]].
  split; [now apply quiet_fields|]. rewrite Ec. split; [|split; [|exact Hph]].
  - cbn [mode]. destruct (mode s v) as [| |c']; [discriminate|now contradiction Hm|].
    destruct (mode s c'); discriminate.
  - intros c0 E. destruct (mode s v) as [| |c'] eqn:Em; [|now contradiction Hm|].
    + rewrite (pebbled_stays s v Em) in E. discriminate.
    + cbn [mode] in E. rewrite Em in E. destruct (Hcj c' (Hend c' eq_refl)) as (_ & Jina & Jact & _).
      destruct (mode s c') as [| |c''] eqn:Ec'; [discriminate| |]; injection E as <-.
      * exists j. split; [exact Hj|]. split; [exact (Jina eq_refl)|exact (Hend c' eq_refl)].
      * destruct (Jact c'' eq_refl) as (j2 & Hj2 & Ej2 & Hend2). exists j2. split; [lia|]. split; assumption.
Qed.

(** An inactive cell, which reads both children. *)
Lemma inactive_cell l r i : (i < N)%nat -> ends w i (Node l r) -> mode s (Node l r) = Inactive ->
  forall z y, Z.to_nat z = (i - 1)%nat -> Z.to_nat y = (i - length (str r) - 1)%nat ->
  let x := next z y (Z.of_nat i) i in cell_is (S s) (Node l r) i x /\ exists j', (j' <= i)%nat /\ t_c x = INR j'.
Proof.
  intros Hi Hv Em z y Hz Hy x. destruct (all_good i Hi) as (Hclear & _ & _ & _ & _ & Hcell).
  destruct (Hcell _ Hv) as ((Hf & _ & HM & Hb) & Hina & _ & Hph).
  destruct (ends_children _ _ _ _ Hv) as (Hm & Hr & Hl). cbv zeta in Hm, Hl.
  set (m := (i - length (str r) - 1)%nat) in *.
  destruct (all_good (i - 1)%nat ltac:(lia)) as (_ & _ & _ & _ & _ & Hcr).
  destruct (all_good m ltac:(lia)) as (_ & _ & _ & _ & _ & Hcl).
  destruct (Hcr r Hr) as ((Rf & _ & _ & Rb) & _). destruct (Hcl l Hl) as ((Lf & _ & _ & Lb) & _).
  pose proof (run_agrees s (Node l r)) as HA. rewrite Em in HA. destruct HA as (_ & G1 & _ & _ & Hpc).
  assert (Ec : t_c x = INR i + match mode s r with Pebbled => 1 | _ => 0 end * (INR m - INR i)
                       - match mode s l with Pebbled => 1 | _ => 0 end).
  { unfold x. rewrite next_c, Hz, Hy, Nat2Z.id, Rf, Lf, !flag_f, (Hina Em), (Hph l r eq_refl) by exact Hclear.
    reflexivity. }
  assert (Hi1 : INR (i - 1) = INR i - 1) by (rewrite minus_INR by (clear - Hm; lia); reflexivity).
  assert (Hm1 : INR (m - 1) = INR m - 1) by (rewrite minus_INR by (clear - Hm; lia); reflexivity).
  assert (Hmi : (m <= i)%nat) by (clear - Hm; lia). clearbody m. split; [split; [|split; [|split; [|exact Hph]]]|].
  - destruct Hclear as (CN & CF & Ch & Ck & CBn & CBf & CS & Cs). unfold x, next. rewrite Hz, Hy, Nat2Z.id.
    apply (stepped_fields s (Node l r) (Node l r));
      cbn [mid_jump t_f t_g t_M t_b t_N t_F t_Bn t_Bf t_S t_s t_h LogDepth.left_of LogDepth.right_of];
      rewrite ?G1; [exact (proj1 (Hcell _ Hv))|exact Hpc|..].
    + rewrite CN, Rf. ring.
    + rewrite CF, Lf. ring.
    + intros a Ha. rewrite CBn, Rb by exact Ha. ring.
    + intros a Ha. rewrite CBf, Lb by exact Ha. ring.
    + intros a b Ha Hb'. rewrite CS, HM by assumption. ring.
    + intros a Ha. rewrite Cs, Hb by exact Ha. ring.
    + rewrite Ch, Hf. ring.
  - cbn [mode]. rewrite Em, Ec. destruct (mode s l), (mode s r); intro E; try discriminate; ring.
  - cbn [mode]. rewrite Em, Ec. intros c' E.
    destruct (mode s l), (mode s r); try discriminate; injection E as <-.
    + exists (i - 1)%nat. split; [apply Nat.le_sub_l|]. split; [rewrite Hi1; ring|exact Hr].
    + exists (i - 1)%nat. split; [apply Nat.le_sub_l|]. split; [rewrite Hi1; ring|exact Hr].
    + exists m. split; [exact Hmi|]. split; [ring|exact Hl].
    + exists m. split; [exact Hmi|]. split; [ring|exact Hl].
  - rewrite Ec. destruct (flag_01 s l) as [-> | ->], (flag_01 s r) as [-> | ->].
    + exists i. split; [apply le_n|]. ring.
    + exists m. split; [exact Hmi|]. ring.
    + exists (i - 1)%nat. split; [apply Nat.le_sub_l|]. rewrite Hi1. ring.
    + exists (m - 1)%nat. split; [exact (Nat.le_trans _ _ _ (Nat.le_sub_l m 1) Hmi)|]. rewrite Hm1. ring.
Qed.

Lemma next_cell v i j gamma yphi : (i < N)%nat -> ends w i v ->
  t_phi (cells i) = IZR yphi -> (yphi <= Z.of_nat i)%Z -> t_g (cells i) = IZR gamma ->
  (j <= i)%nat -> t_c (cells i) = INR j ->
  let x := next (Z.of_nat i - 1 + K * (gamma - 1)) (yphi + K * (gamma - 1)) (Z.of_nat j) i in
  cell_is (S s) v i x /\ exists j', (j' <= i)%nat /\ t_c x = INR j'.
Proof.
  intros Hi Hv Hphi Hyp Hg Hj Hc x.
  destruct (all_good i Hi) as (_ & _ & _ & _ & _ & Hcell). destruct (Hcell v Hv) as ((_ & Hgg & _) & Hina & _ & Hph).
  rewrite flag_g, Hg in Hgg.
  assert (Hquiet : mode s v <> Inactive -> gamma = 0%Z) by (intro H; apply eq_IZR; destruct (mode s v); congruence).
  assert (Hq : mode s v <> Inactive -> cell_is (S s) v i x /\ exists j', (j' <= i)%nat /\ t_c x = INR j').
  { intro H. unfold x. rewrite (Hquiet H). apply quiet_cell; auto; apply (no_child i); auto; lia. }
  destruct (mode s v) eqn:Em; [now apply Hq| |now apply Hq].
  destruct (inactive_node s v Em) as (l & r & ->).
  assert (gamma = 1%Z) as -> by (apply eq_IZR; exact Hgg).
  assert (j = i) as -> by (apply INR_eq; rewrite <- Hc; now apply Hina).
  assert (Eyphi : yphi = Z.of_nat (i - length (str r) - 1)).
  { apply eq_IZR. rewrite <- Hphi, <- INR_IZR_INZ. now apply (Hph l r). }
  unfold x. rewrite Eyphi. apply (inactive_cell l r); auto; clear; lia.
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
    { intros v Hv. unfold x. now apply (next_cell v i j gamma yphi). }
    destruct (blank_or_ends i Hi) as [Hb|(v & Hv)].
    + destruct (Hblank Hb) as (Bf & Bg & BM & Bb & Bc).
      assert (gamma = 0%Z) as -> by (apply eq_IZR; congruence).
      assert (j = i) as -> by (apply INR_eq; congruence).
      assert (Z1 := no_child i (Z.of_nat i - 1) Hi ltac:(lia)).
      assert (Z2 := no_child i yphi Hi Hyp).
      destruct begin_reads as [F0 B0].
      pose proof Hclear as (CN & CF & Ch & Ck & CBn & CBf & CS & Cs).
      assert (Ec : t_c x = INR i).
      { unfold x. rewrite next_c by exact Hclear. rewrite Z1, Z2, Nat2Z.id, F0, Bc. ring. }
      assert (Ef : t_f x = 0).
      { unfold x, next, TreeDecoderBlocks.stepped, mid_jump. cbn [t_f t_N t_F t_g t_h].
        rewrite Z1, Z2, Nat2Z.id, CN, CF, Ch, F0, Bf, Bg. ring. }
      assert (Eg : t_g x = 0).
      { unfold x, next, TreeDecoderBlocks.stepped, mid_jump. cbn [t_f t_N t_F t_g t_h].
        rewrite Z1, Z2, CN, CF, F0, Bg. ring. }
      assert (EM : forall v, (v < nn)%nat -> t_M x v = 0).
      { intros v Hv. destruct (split_place v Hv) as (_ & Ha & Hr).
        unfold x, next, TreeDecoderBlocks.stepped, mid_jump. cbn [t_M t_N t_F t_Bn t_Bf t_S].
        rewrite Z1, Z2, Nat2Z.id, CN, CF, F0, BM by exact Hv.
        rewrite (sum_zero n (fun m => t_M (cells i) (v / n * n + m)%nat * _)).
        2: { intros m Hm. rewrite BM by now apply pair_below. ring. }
        rewrite (sum_zero n (fun j => tensor e (v / n) (v mod n) j * _))
          by (intros a Ha'; rewrite CBn, B0 by exact Ha'; ring).
        rewrite (sum_zero n (fun j => tensor e (v / n) j (v mod n) * _))
          by (intros a Ha'; rewrite CBf, B0 by exact Ha'; ring).
        ring. }
      assert (Eb : forall a, (a < n)%nat -> t_b x a = 0).
      { intros a Ha. unfold x, next, TreeDecoderBlocks.stepped, mid_jump. cbn [t_b t_Bn t_Bf t_M t_s].
        rewrite Z1, Z2, Nat2Z.id, Bb by exact Ha.
        rewrite (sum_zero n (fun m => t_M (cells i) (a * n + m)%nat * _)).
        2: { intros m Hm. rewrite BM by now apply pair_below. ring. }
        rewrite sum_zero; [ring|]. intros l Hl. apply sum_zero. intros r Hr.
        rewrite CBf, B0 by exact Hl. ring. }
      split; [apply scratch_clear|]. split; [exact (ex_intro _ yphi (conj Hphi Hyp))|]. split; [exists 0%Z; auto|].
      split; [exact (ex_intro _ i (conj (le_n i) Ec))|]. split; [auto|].
      intros v Hv. now destruct (blank_not_ends i v Hb Hv).
    + destruct (Hcells v Hv) as [Hcell Hptr].
      split; [apply scratch_clear|]. split; [exact (ex_intro _ yphi (conj Hphi Hyp))|]. split.
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
End Exact.
