(** * An ordinary decoder, as exact data, and its forward pass

    Beyond the paper. The architecture that people run: token and absolute position embeddings, in
    every layer causal attention and an MLP, each added to the residual stream, and a readout,

        x_i   = W_E[token_i] + W_pos[i]
        x    += sum over heads of  filter((x W_Q + b_Q)(x W_K)^T / sqrt d_head) (x W_V) W_O
        x    += ((x W_in) * act(x W_gate)) W_out      or      act(x W_in + b_in) W_out + b_out
        out_i = x_i W_U + b_U,

    where filter is the softmax, or hard attention, over the positions up to i. Weights are exact
    data ([scalar]); for concrete sizes they evaluate, entry by entry. A column (or row) with few
    entries is given as a list of places and weights ([form]).

    Main definitions: [scalar], [amount], [table], [decoder], [forward], [causal], [columns], [lines].
    Main theorems:    [columns_read] (what a column reads), [gated_units], [plain_units] (what an MLP
                      adds, unit by unit), [pair_multiplies] (two gated units multiply exactly). *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums.
Import ListNotations.
Open Scope R_scope.

(** ** Weights as exact data *)

Inductive scalar : Type :=
| Whole (k : Z)
| Ratio (k m : nat)                (* k / m *)
| Score (width : nat) (k : Z)      (* k C sqrt(width) *)
| Step (k : Z)                     (* k h *)
| Even (k : Z)                     (* k / (4 h^2 act''(0)) *)
| Odd (k : Z)                      (* k / (4 h act'(0)) *)
| PerGate (k : Z)                  (* k / act(1) *)
| Initial (i : nat)                (* the i-th initial weight *)
| Transition (a i j : nat)         (* the entry i, j of the matrix of letter a *)
| LeafState (a i : nat)            (* the entry i of the vector of leaf a *)
| Tensor (a l r : nat)             (* the entry a, l, r of the tensor *)
| Over (w : scalar)                (* w / act(1) *)
| Times (k : Z) (w : scalar)
| Plus (v w : scalar).

Record table := Table { high : nat; wide : nat; item : nat -> nat -> scalar }.

Record head := Head
  { W_Q : table; b_Q : nat -> scalar; W_K : table; W_V : table; W_O : table }.

Inductive block : Type :=
| Gated (W_in W_gate W_out : table)
| Plain (W_in : table) (b_in : nat -> scalar) (W_out : table) (b_out : nat -> scalar).

Record layer := Layer { heads : list head; mlp : block }.

Record decoder := Decoder
  { W_E : table; W_pos : table; layers : list layer; W_U : table; b_U : nat -> scalar }.

(** What the weights speak of. *)
Record setting := Setting
  { alpha : nat -> R; A : nat -> mat; leaf : nat -> nat -> R; tensor : nat -> nat -> nat -> R;
    C : R; act : R -> R; h : R; bend : R; slope : R }.

(** ** The forward pass *)

(** The causal mask: row i sees the keys 0 .. i. *)
Definition causal (filter : nat -> mat -> mat) (S : mat) : mat :=
  fun i j => if (j <=? i)%nat then filter (i + 1)%nat S i j else 0.

Section Forward.
Variable e : setting.
Variable filter : nat -> mat -> mat.   (* softmax, or hard attention, on so many keys *)

Fixpoint amount (w : scalar) : R :=
  match w with
  | Whole k => IZR k
  | Ratio k m => INR k / INR m
  | Score width k => IZR k * C e * sqrt (INR width)
  | Step k => IZR k * h e
  | Even k => IZR k / (4 * (h e * h e) * bend e)
  | Odd k => IZR k / (4 * h e * slope e)
  | PerGate k => IZR k / act e 1
  | Initial i => alpha e i
  | Transition a i j => A e a i j
  | LeafState a i => leaf e a i
  | Tensor a l r => tensor e a l r
  | Over w => amount w / act e 1
  | Times k w => IZR k * amount w
  | Plus v w => amount v + amount w
  end.

Definition real (W : table) : mat := fun i j => amount (item W i j).

(** X W *)
Definition times (X : mat) (W : table) : mat := mmul (high W) X (real W).

Definition shifted (X : mat) (b : nat -> scalar) : mat := fun r c => X r c + amount (b c).

(** (X W_Q + b_Q)(X W_K)^T / sqrt d_head *)
Definition scores (H : head) (X : mat) : mat := fun i j =>
  sum (wide (W_Q H)) (fun q => shifted (times X (W_Q H)) (b_Q H) i q * times X (W_K H) j q)
  / sqrt (INR (wide (W_Q H))).

Variable tokens : nat.                 (* how many rows X has *)

Definition attend (X : mat) (H : head) : mat :=
  times (mmul tokens (causal filter (scores H X)) (times X (W_V H))) (W_O H).

Fixpoint heads_add (Hs : list head) (X : mat) : mat :=
  match Hs with
  | nil => fun _ _ => 0
  | H :: rest => fun r c => attend X H r c + heads_add rest X r c
  end.

Definition block_adds (B : block) (X : mat) : mat :=
  match B with
  | Gated Win Wgate Wout =>
      times (fun r u => times X Win r u * act e (times X Wgate r u)) Wout
  | Plain Win bin Wout bout =>
      shifted (times (fun r u => act e (shifted (times X Win) bin r u)) Wout) bout
  end.

Definition after_attention (X : mat) (ly : layer) : mat :=
  fun r c => X r c + heads_add (heads ly) X r c.

Definition run_layer (X : mat) (ly : layer) : mat :=
  fun r c => after_attention X ly r c + block_adds (mlp ly) (after_attention X ly) r c.

Definition embedded (model : decoder) (toks : list nat) : mat :=
  fun r c => real (W_E model) (nth r toks 0%nat) c + real (W_pos model) r c.

Definition stream (model : decoder) (toks : list nat) : mat :=
  fold_left run_layer (layers model) (embedded model toks).

Definition readout (model : decoder) (X : mat) : mat := shifted (times X (W_U model)) (b_U model).
End Forward.

(** The output of a model on a list of tokens. *)
Definition forward (e : setting) (filter : nat -> mat -> mat) (model : decoder) (toks : list nat)
  : mat := readout e model (stream e filter (length toks) model toks).

(** ** Sums over lists *)

Fixpoint lsum {X : Type} (f : X -> R) (l : list X) : R :=
  match l with nil => 0 | x :: l' => f x + lsum f l' end.

Lemma lsum_app {X} (f : X -> R) l l' : lsum f (l ++ l') = lsum f l + lsum f l'.
Proof. induction l as [|x l IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma lsum_flat_map {X Y} (f : Y -> R) (g : X -> list Y) l :
  lsum f (flat_map g l) = lsum (fun x => lsum f (g x)) l.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. now rewrite lsum_app, IH. Qed.

Lemma lsum_map {X Y} (f : Y -> R) (g : X -> Y) l : lsum f (map g l) = lsum (fun x => f (g x)) l.
Proof. induction l as [|x l IH]; simpl; [reflexivity|]. now rewrite IH. Qed.

Lemma lsum_ext {X} (f g : X -> R) l : (forall x, In x l -> f x = g x) -> lsum f l = lsum g l.
Proof.
  induction l as [|x l IH]; simpl; intro H; [reflexivity|]. rewrite H, IH; auto.
Qed.

Lemma lsum_zero {X} (f : X -> R) l : (forall x, In x l -> f x = 0) -> lsum f l = 0.
Proof.
  induction l as [|x l IH]; simpl; intro H; [reflexivity|]. rewrite H, IH; auto. ring.
Qed.

Lemma lsum_seq f k : lsum f (seq 0 k) = sum k f.
Proof.
  induction k as [|k IH]; [reflexivity|]. rewrite seq_S, lsum_app, IH. simpl. ring.
Qed.

Lemma sum_nth {X} (f : X -> R) l d : sum (length l) (fun u => f (nth u l d)) = lsum f l.
Proof.
  induction l as [|x l IH] using rev_ind; [reflexivity|].
  rewrite app_length. simpl (length [x]). rewrite Nat.add_1_r. cbn [sum].
  rewrite lsum_app, <- IH. cbn [lsum]. rewrite Rplus_0_r. f_equal.
  - apply sum_ext. intros p Hp. now rewrite app_nth1.
  - now rewrite app_nth2, Nat.sub_diag by lia.
Qed.

(** A sum over (i, k, j) that is aimed at the entry (i, j). *)
Lemma sum_aimed n (g : nat -> nat -> nat -> R) c :
  sum n (fun i => sum n (fun k => sum n (fun j => if (c =? i * n + j)%nat then g i k j else 0)))
  = if (c <? n * n)%nat then sum n (fun k => g (c / n)%nat k (c mod n)%nat) else 0.
Proof.
  destruct (Nat.ltb_spec c (n * n)) as [Hc|Hc].
  - assert (Hn : (0 < n)%nat) by (destruct n; lia).
    assert (Hi : (c / n < n)%nat) by (apply Nat.div_lt_upper_bound; lia).
    assert (Hj : (c mod n < n)%nat) by (apply Nat.mod_upper_bound; lia).
    pose proof (Nat.div_mod_eq c n) as E.
    assert (Hit : forall i j, (i < n)%nat -> (j < n)%nat -> c = (i * n + j)%nat ->
      i = (c / n)%nat /\ j = (c mod n)%nat).
    { intros i j Hi' Hj' ->. split.
      - rewrite div_add_l, Nat.div_small; lia.
      - rewrite Nat.add_comm, mod_add, Nat.mod_small; lia. }
    rewrite (sum_single n _ (c / n)%nat Hi).
    + apply sum_ext. intros k Hk. rewrite (sum_single n _ (c mod n)%nat Hj).
      * destruct (Nat.eqb_spec c (c / n * n + c mod n)); [reflexivity|lia].
      * intros j Hj' Hne. destruct (Nat.eqb_spec c (c / n * n + j)) as [Ec|]; [|reflexivity].
        destruct (Hit _ _ Hi Hj' Ec). lia.
    + intros i Hi' Hne. apply sum_zero. intros k Hk. apply sum_zero. intros j Hj'.
      destruct (Nat.eqb_spec c (i * n + j)) as [Ec|]; [|reflexivity].
      destruct (Hit _ _ Hi' Hj' Ec). lia.
  - apply sum_zero. intros i Hi. apply sum_zero. intros k Hk. apply sum_zero. intros j Hj.
    destruct (Nat.eqb_spec c (i * n + j)); [nia|reflexivity].
Qed.

(** ** Columns and rows with few entries *)

Definition form : Type := list (nat * scalar).

Definition join (v w : scalar) : scalar :=
  match v, w with
  | Whole j, Whole k => Whole (j + k)
  | Step j, Step k => Step (j + k)
  | Whole Z0, w => w
  | v, Whole Z0 => v
  | v, w => Plus v w
  end.

(** The weight of a form at a place. *)
Definition weight_at (f : form) (p : nat) : scalar :=
  fold_right (fun q acc => if (p =? fst q)%nat then join (snd q) acc else acc) (Whole 0) f.

Definition columns (d w : nat) (f : nat -> form) : table := Table d w (fun p c => weight_at (f c) p).
Definition lines (w d : nat) (f : nat -> form) : table := Table w d (fun u c => weight_at (f u) c).

Definition below (d : nat) (f : form) : Prop := forall q, In q f -> (fst q < d)%nat.

Section Forms.
Variable e : setting.
Local Notation amount := (amount e).

Lemma join_amount v w : amount (join v w) = amount v + amount w.
Proof.
  destruct v as [[]|?|?|?|?|?|?|?|?|?|?|?|?|?], w as [[]|?|?|?|?|?|?|?|?|?|?|?|?|?];
    try reflexivity; unfold join; cbn [DecoderModel.amount]; rewrite ?plus_IZR; try ring.
Qed.

(** The value of a form on a row, and its weight at a place. *)
Definition reads (x : nat -> R) (f : form) : R := lsum (fun q => x (fst q) * amount (snd q)) f.

Definition share (f : form) (c : nat) : R :=
  lsum (fun q => if (c =? fst q)%nat then amount (snd q) else 0) f.

Lemma weight_at_share f c : amount (weight_at f c) = share f c.
Proof.
  induction f as [|q f IH]; [reflexivity|]. cbn [weight_at fold_right]. fold (weight_at f c).
  unfold share. cbn [lsum]. fold (share f c). destruct (c =? fst q)%nat.
  - now rewrite join_amount, IH.
  - rewrite IH. ring.
Qed.

Lemma reads_sum d (x : nat -> R) f : below d f ->
  sum d (fun p => x p * amount (weight_at f p)) = reads x f.
Proof.
  intro Hf. rewrite (sum_ext d _ (fun p => x p * share f p))
    by (intros; now rewrite weight_at_share).
  induction f as [|q f IH].
  - unfold share, reads. simpl. apply sum_zero. intros; ring.
  - unfold share, reads. cbn [lsum]. fold (reads x f).
    rewrite <- IH by (intros r Hr; apply Hf; now right).
    rewrite (sum_ext d _ (fun p => (if (p =? fst q)%nat then x p * amount (snd q) else 0)
                                   + x p * share f p)).
    + rewrite sum_plus. f_equal. rewrite (sum_single d _ (fst q)).
      * now rewrite Nat.eqb_refl.
      * apply Hf. now left.
      * intros p _ Hne. destruct (Nat.eqb_spec p (fst q)); [lia|reflexivity].
    + intros p Hp. fold (share f p). destruct (p =? fst q)%nat; ring.
Qed.

Theorem columns_read d w f X r c : below d (f c) ->
  times e X (columns d w f) r c = reads (X r) (f c).
Proof. intro H. unfold times, mmul. cbn [high columns]. apply (reads_sum d (X r)). exact H. Qed.

Lemma lines_write w d f X r c :
  times e X (lines w d f) r c = sum w (fun u => X r u * share (f u) c).
Proof.
  unfold times, mmul. cbn [high lines]. apply sum_ext. intros u Hu. f_equal.
  unfold real. cbn [item lines]. apply weight_at_share.
Qed.

Lemma share_single q w c : share [(q, w)] c = if (c =? q)%nat then amount w else 0.
Proof. unfold share. simpl. destruct (c =? q)%nat; ring. Qed.

Lemma share_away f c : (forall q, In q f -> fst q <> c) -> share f c = 0.
Proof.
  intro H. apply lsum_zero. intros q Hq. destruct (Nat.eqb_spec c (fst q)); [|reflexivity].
  now destruct (H q Hq).
Qed.
End Forms.

(** ** MLPs as lists of units *)

Record unit_of := Unit { into : form; gate : form; out : form }.

Definition no_unit : unit_of := Unit nil nil nil.

Definition gated_block (d : nat) (us : list unit_of) : block :=
  let k := length us in
  Gated (columns d k (fun u => into (nth u us no_unit)))
        (columns d k (fun u => gate (nth u us no_unit)))
        (lines k d (fun u => out (nth u us no_unit))).

Definition plain_block (d : nat) (us : list unit_of) : block :=
  let k := length us in
  Plain (columns d k (fun u => into (nth u us no_unit))) (fun _ => Whole 0)
        (lines k d (fun u => out (nth u us no_unit))) (fun _ => Whole 0).

(** - f, and f / act(1) *)
Definition negate (w : scalar) : scalar :=
  match w with
  | Whole k => Whole (- k)
  | Step k => Step (- k)
  | Times k w => Times (- k) w
  | w => Times (-1) w
  end.

Definition opposite (f : form) : form := map (fun q => (fst q, negate (snd q))) f.

Definition over_gate (w : scalar) : scalar :=
  match w with
  | Whole k => PerGate k
  | w => Over w
  end.

Definition per_gate (f : form) : form := map (fun q => (fst q, over_gate (snd q))) f.

Section Units.
Variable e : setting.

Lemma negate_amount w : amount e (negate w) = - amount e w.
Proof. destruct w; cbn [negate amount]; rewrite ?opp_IZR; try ring. Qed.

Lemma reads_opposite x f : reads e x (opposite f) = - reads e x f.
Proof.
  unfold reads, opposite. induction f as [|q f IH]; cbn [lsum map fst snd]; [ring|].
  rewrite IH, negate_amount. ring.
Qed.

Lemma share_opposite f c : share e (opposite f) c = - share e f c.
Proof.
  unfold share, opposite. induction f as [|q f IH]; cbn [lsum map fst snd]; [ring|].
  rewrite IH, negate_amount. destruct (c =? fst q)%nat; ring.
Qed.

Lemma share_per_gate f c : share e (per_gate f) c = share e f c / act e 1.
Proof.
  unfold share, per_gate. induction f as [|q f IH]; cbn [lsum map fst snd].
  - unfold Rdiv. ring.
  - rewrite IH. destruct (c =? fst q)%nat; [|unfold Rdiv; ring].
    replace (amount e (over_gate (snd q))) with (amount e (snd q) / act e 1)
      by (destruct (snd q); reflexivity).
    unfold Rdiv. ring.
Qed.

Definition gated_unit (x : nat -> R) (c : nat) (u : unit_of) : R :=
  reads e x (into u) * act e (reads e x (gate u)) * share e (out u) c.

Definition plain_unit (x : nat -> R) (c : nat) (u : unit_of) : R :=
  act e (reads e x (into u)) * share e (out u) c.

Definition units_below (d : nat) (us : list unit_of) : Prop :=
  forall u, In u us -> below d (into u) /\ below d (gate u).

Lemma unit_below d us u : units_below d us -> (u < length us)%nat ->
  below d (into (nth u us no_unit)) /\ below d (gate (nth u us no_unit)).
Proof. intros H Hu. apply H, nth_In, Hu. Qed.

Theorem gated_units d us X r c : units_below d us ->
  block_adds e (gated_block d us) X r c = lsum (gated_unit (X r) c) us.
Proof.
  intro H. cbn [block_adds gated_block]. rewrite lines_write.
  rewrite <- (sum_nth _ us no_unit). apply sum_ext. intros u Hu.
  destruct (unit_below d us u H Hu) as [H1 H2].
  now rewrite !columns_read.
Qed.

Theorem plain_units d us X r c : units_below d us ->
  block_adds e (plain_block d us) X r c = lsum (plain_unit (X r) c) us.
Proof.
  intro H. cbn [block_adds plain_block]. unfold shifted at 1. cbn [amount]. rewrite Rplus_0_r.
  rewrite lines_write. rewrite <- (sum_nth _ us no_unit). apply sum_ext. intros u Hu.
  destruct (unit_below d us u H Hu) as [H1 H2].
  unfold plain_unit. do 2 f_equal. unfold shifted. cbn [amount]. rewrite Rplus_0_r.
  now rewrite columns_read.
Qed.

(** Two units with opposite gates multiply; one with gate one carries a linear form. *)
Definition pair_of (left right target : form) : list unit_of :=
  [Unit left right target; Unit left (opposite right) (opposite target)].

Definition carrier (one : nat) (left target : form) : unit_of :=
  Unit left [(one, Whole 1)] (per_gate target).

Theorem pair_multiplies x c left right target : (forall y, act e y - act e (- y) = y) ->
  lsum (gated_unit x c) (pair_of left right target)
  = reads e x left * reads e x right * share e target c.
Proof.
  intro H. cbn [lsum pair_of]. unfold gated_unit. cbn [into gate out].
  rewrite reads_opposite, share_opposite. pose proof (H (reads e x right)) as E.
  set (y := reads e x right) in *.
  replace (act e y) with (y + act e (- y)) by lra. ring.
Qed.

Theorem carrier_carries x c one left target : act e 1 <> 0 -> x one = 1 ->
  gated_unit x c (carrier one left target) = reads e x left * share e target c.
Proof.
  intros H1 Hx. unfold gated_unit, carrier. cbn [into gate out].
  replace (reads e x [(one, Whole 1)]) with 1 by (unfold reads; simpl; rewrite Hx; ring).
  rewrite share_per_gate. field. exact H1.
Qed.
End Units.

(** ** Attention: the mask leaves the keys up to i *)

Lemma causal_sum filter S N i (V : nat -> R) : (i < N)%nat ->
  sum N (fun j => causal filter S i j * V j) = sum (i + 1) (fun j => filter (i + 1)%nat S i j * V j).
Proof.
  intro Hi. replace N with ((i + 1) + (N - (i + 1)))%nat at 1 by lia.
  rewrite sum_add. rewrite (sum_zero (N - (i + 1))).
  - rewrite Rplus_0_r. apply sum_ext. intros j Hj. unfold causal.
    destruct (Nat.leb_spec j i); [reflexivity|lia].
  - intros j Hj. unfold causal. destruct (Nat.leb_spec (i + 1 + j) i); [lia|ring].
Qed.
