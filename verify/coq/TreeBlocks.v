(** * What the layers of the tree model do to a token, for any rows of attention

    Section 4.2 and Appendix C, on the model of TreeModel.v. A row with one strict maximum among the
    positions that are seen attends there (hard attention); a head without queries under a causal
    mask returns the mean of what it reads up to the token itself, with hard attention and with
    softmax; a head that sees itself only copies the token. From that, each coordinate after each of
    the three kinds of layers, in terms of what the heads read.

    Main definitions: [kappa] (what queries are multiplied by: 1, or C with softmax).
    Main lemmas:      [hard_masked_row], [mean_reads], [own_reads], [first_layer_row],
                      [second_layer_row], [parse_layer_row]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Theorem1 Trees Theorem3 TreeModel.
Import ListNotations.
Open Scope R_scope.

(** ** Sums over lists *)

Lemma lsum_app {A : Type} (f : A -> R) l l' : lsum f (l ++ l') = lsum f l + lsum f l'.
Proof.
  induction l as [|x l IH]; [symmetry; apply Rplus_0_l|].
  change (f x + lsum f (l ++ l') = f x + lsum f l + lsum f l'). rewrite IH. ring.
Qed.

Lemma lsum_map {A B : Type} (f : B -> R) (g : A -> B) l :
  lsum f (map g l) = lsum (fun x => f (g x)) l.
Proof.
  induction l as [|x l IH]; [reflexivity|].
  change (f (g x) + lsum f (map g l) = f (g x) + lsum (fun x => f (g x)) l). now rewrite IH.
Qed.

Lemma lsum_flat_map {A B : Type} (f : B -> R) (g : A -> list B) l :
  lsum f (flat_map g l) = lsum (fun x => lsum f (g x)) l.
Proof.
  induction l as [|x l IH]; [reflexivity|]. cbn [flat_map]. rewrite lsum_app, IH. reflexivity.
Qed.

Lemma lsum_seq (f : nat -> R) k : lsum f (seq 0 k) = sum k f.
Proof.
  induction k as [|k IH]; [reflexivity|]. rewrite seq_S, lsum_app, IH. cbn. ring.
Qed.

Lemma offset n k : (n + k - n = k)%nat.
Proof. lia. Qed.

Ltac decide_eqb := repeat
  match goal with
  | |- context [(?a =? ?b)%nat] =>
      first [ replace (a =? b)%nat with true by (symmetry; apply Nat.eqb_eq; lia)
            | replace (a =? b)%nat with false by (symmetry; apply Nat.eqb_neq; lia) ]
  | |- context [(?a <=? ?b)%nat] =>
      first [ replace (a <=? b)%nat with true by (symmetry; apply Nat.leb_le; lia)
            | replace (a <=? b)%nat with false by (symmetry; apply Nat.leb_gt; lia) ]
  | |- context [(?a <? ?b)%nat] =>
      first [ replace (a <? b)%nat with true by (symmetry; apply Nat.ltb_lt; lia)
            | replace (a <? b)%nat with false by (symmetry; apply Nat.ltb_ge; lia) ]
  end.

Ltac push_IZR := repeat
  (rewrite plus_IZR || rewrite minus_IZR || rewrite opp_IZR || rewrite mult_IZR).

Ltac coordinates := unfold at_one, at_place, at_square, at_count, at_kind, at_mark, dimension in *.

Ltac finish :=
  unfold copy; coordinates; cbn -[Nat.eqb Nat.ltb Nat.add]; decide_eqb; rewrite ?Nat.add_0_l;
  try ring.

(** ** Rows of attention *)

Section Rows.
Variable M : nat.

Lemma hard_masked_row m S r s0 : (s0 < M)%nat -> allowed m r s0 = true ->
  (forall s, (s < M)%nat -> s <> s0 -> allowed m r s = true -> S r s < S r s0) ->
  forall s, (s < M)%nat -> hard_masked M m S r s = b2r (s =? s0)%nat.
Proof.
  intros H0 Hm HS s Hs. unfold hard_masked. f_equal. apply eq_true_iff_eq.
  rewrite andb_true_iff, all_below_spec, Nat.eqb_eq. split.
  - intros [Ha H]. destruct (Nat.eq_dec s s0) as [|Hne]; auto. exfalso.
    specialize (H _ H0). rewrite Hm, !orb_true_iff, Nat.eqb_eq in H.
    destruct H as [[H|H]|H]; [lia|discriminate|].
    unfold Rltb in H. pose proof (HS s Hs Hne Ha). destruct (Rlt_dec _ _); [lra|discriminate].
  - intros ->. split; [exact Hm|]. intros q Hq.
    destruct (Nat.eq_dec q s0) as [|Hne]; [rewrite !orb_true_iff, Nat.eqb_eq; auto|].
    destruct (allowed m r q) eqn:Ha; [|simpl; now rewrite orb_true_r].
    rewrite orb_true_iff. right. unfold Rltb. pose proof (HS q Hq Hne Ha).
    destruct (Rlt_dec _ _) as [|H']; auto.
Qed.

Lemma largest_constant S r s c : (s < M)%nat -> (forall s', S r s' = c) ->
  largest M Causal S r s = (s <=? r)%nat.
Proof.
  intros Hs HS. unfold largest. cbn [allowed]. destruct (s <=? r)%nat; [|reflexivity].
  simpl. apply all_below_spec. intros q Hq. rewrite !HS. unfold Rltb.
  destruct (Rlt_dec c c); [lra|]. apply orb_true_r.
Qed.

Lemma sum_causal f r : (r < M)%nat ->
  sum M (fun s => b2r (s <=? r)%nat * f s) = sum (Datatypes.S r) f.
Proof.
  intro Hr. replace M with (Datatypes.S r + (M - Datatypes.S r))%nat by lia. rewrite sum_add.
  rewrite (sum_zero (M - _)), Rplus_0_r.
  - apply sum_ext. intros p Hp. replace (p <=? r)%nat with true; [simpl; ring|].
    symmetry. apply Nat.leb_le. lia.
  - intros p Hp. replace (_ <=? r)%nat with false; [simpl; ring|].
    symmetry. apply Nat.leb_gt. lia.
Qed.

Lemma sum_causal_1 r : (r < M)%nat -> sum M (fun s => b2r (s <=? r)%nat) = INR r + 1.
Proof.
  intro Hr. rewrite <- (sum_ext M (fun s => b2r (s <=? r)%nat * 1)) by (intros; ring).
  rewrite sum_causal by auto. rewrite sum_const, S_INR. ring.
Qed.

Lemma sum_hit f j : (j < M)%nat -> sum M (fun s => b2r (s =? j)%nat * f s) = f j.
Proof.
  intro Hj. rewrite (sum_single M _ j Hj).
  - rewrite Nat.eqb_refl. simpl. ring.
  - intros p Hp Hne. solve01.
Qed.
End Rows.

(** ** The layers, for any rows of attention *)

Section Layers.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R)
  (C : R) (w : list (symbol Sigma)).
Variable tokens : nat.              (* the N of the weights *)
Variable kind : attention.

Local Notation M := (rows w).
Local Notation val := (value leaf tensor C w).
Local Notation E := (embedded n leaf tensor C w).
Local Notation again := [at_place n; at_square n].
Local Notation layer_of ly X := (run_layer val M again E X ly).

Definition kappa : R := match kind with Soft => C | _ => 1 end.

Lemma value_scale z : val (scale kind z) = kappa * IZR z.
Proof. unfold kappa, scale. destruct kind; cbn; ring. Qed.

(** The mean of the marks up to r; a token's own coordinates. *)
Lemma mean_reads X r : (r < M)%nat ->
  read val M (mean_head n kind) X r 0%nat = sum (S r) (fun s => X s (at_mark n)) / (INR r + 1).
Proof.
  intro Hr. unfold read, weights, mean_head.
  rewrite (sum_ext M _ (fun s => b2r (s <=? r)%nat * (X s (at_mark n) / (INR r + 1)))).
  - rewrite sum_causal by auto. unfold Rdiv. now rewrite sum_scal_r.
  - intros s Hs. unfold Rdiv. rewrite <- Rmult_assoc, (Rmult_comm (_ * X _ _)), <- Rmult_assoc.
    rewrite (Rmult_comm (/ _)). cbn [nth reads]. f_equal.
    destruct kind; cbn [how seen attend].
    1, 2: unfold saturated; rewrite (largest_constant M _ r s 0) by auto;
      rewrite (sum_ext M _ (fun s' => b2r (s' <=? r)%nat))
        by (intros p Hp; now rewrite (largest_constant M _ r p 0));
      rewrite sum_causal_1 by auto; reflexivity.
    unfold soft_masked. cbn [allowed score lsum combine queries keys].
    rewrite (sum_ext M _ (fun s' => b2r (s' <=? r)%nat)).
    + rewrite sum_causal_1 by auto. unfold score. cbn. rewrite exp_0. unfold Rdiv. ring.
    + intros p Hp. unfold score. cbn. rewrite exp_0. ring.
Qed.

Lemma own_weights X r s : (r < M)%nat -> (s < M)%nat -> kind <> Saturated ->
  weights val M (own_head n kind) X r s = b2r (s =? r)%nat.
Proof.
  intros Hr Hs Hk. unfold weights, own_head. cbn [how seen]. destruct kind; [|easy|]; cbn [attend].
  - apply hard_masked_row; auto; [apply Nat.eqb_refl|]. cbn [allowed]. intros q Hq Hne H.
    apply Nat.eqb_eq in H. lia.
  - unfold soft_masked. cbn [allowed]. rewrite sum_hit by auto.
    unfold Rdiv. destruct (Nat.eqb_spec s r) as [->|]; simpl; [|ring].
    rewrite Rmult_1_l. apply Rinv_r. pose proof (exp_pos (score val (own_head n kind) X r r)).
    unfold own_head in H. cbn in *. lra.
Qed.

Lemma own_reads X r c : (r < M)%nat -> (c < n + 6)%nat -> kind <> Saturated ->
  read val M (own_head n kind) X r c = X r c.
Proof.
  intros Hr Hc Hk. unfold read.
  rewrite (sum_ext M _ (fun s => b2r (s =? r)%nat * X s c));
    [now apply (sum_hit M (fun s => X s c))|].
  intros s Hs. rewrite own_weights by auto. cbn [reads own_head]. now rewrite seq_nth.
Qed.

(** *** Blocks *)

Lemma block_app ps ps' x c : block val (ps ++ ps') x c = block val ps x c + block val ps' x c.
Proof. apply lsum_app. Qed.

(** One product for each of the coordinates s .. s + m - 1. *)
Lemma block_each f x c : (forall k, out (f k) = k) -> forall m s,
  block val (map f (seq s m)) x c
  = if (s <=? c)%nat && (c <? s + m)%nat
    then val (times (f c)) * x (left_of (f c)) * x (right_of (f c)) else 0.
Proof.
  intros Hf m. unfold block. induction m as [|m IH]; intro s.
  - replace (c <? s + 0)%nat with (c <? s)%nat by (f_equal; lia).
    destruct (Nat.leb_spec s c), (Nat.ltb_spec c s); try lia; reflexivity.
  - change (seq s (S m)) with ([s] ++ seq (S s) m). rewrite map_app, lsum_app, IH.
    cbn [map lsum fold_right]. rewrite Hf, Rplus_0_r. destruct (Nat.eqb_spec s c) as [->|Hne].
    + replace (S c <=? c)%nat with false by (symmetry; apply Nat.leb_gt; lia).
      rewrite Nat.leb_refl. decide_eqb. cbn [andb]. ring.
    + replace (c <? S s + m)%nat with (c <? s + S m)%nat by (f_equal; lia).
      replace (S s <=? c)%nat with (s <=? c)%nat; [ring|].
      apply eq_true_iff_eq. rewrite !Nat.leb_le. lia.
Qed.

Lemma block_kept own x c : block val (kept n own) x c
  = if (c <? n)%nat then x (own + at_one n)%nat * x (own + c)%nat else 0.
Proof.
  unfold kept. rewrite block_each by reflexivity. change (0 <=? c)%nat with true.
  cbn [andb Nat.add]. destruct (c <? n)%nat; cbn; ring.
Qed.

(** The tensor times two vectors that stand at f and g. *)
Lemma block_entries (f g : nat -> nat) x c :
  block val (flat_map (fun a => flat_map (fun b => map (fun c =>
    Product (f b) (g c) a (Entry a b c)) (seq 0 n)) (seq 0 n)) (seq 0 n)) x c
  = if (c <? n)%nat then bilinear_state n tensor (fun b => x (f b)) (fun k => x (g k)) c else 0.
Proof.
  unfold block. rewrite lsum_flat_map, lsum_seq.
  rewrite (sum_ext n _ (fun a => sum n (fun b => sum n (fun c' =>
    if (a =? c)%nat then tensor a b c' * x (f b) * x (g c') else 0)))).
  - unfold bilinear_state. destruct (Nat.ltb_spec c n) as [Hc|Hc].
    + rewrite (sum_single n _ c Hc).
      * apply sum_ext. intros b Hb. apply sum_ext. intros c' Hc'. now decide_eqb.
      * intros p Hp Hne. apply sum_zero. intros b Hb. apply sum_zero. intros. now decide_eqb.
    + apply sum_zero. intros p Hp. apply sum_zero. intros b Hb. apply sum_zero. intros.
      now decide_eqb.
  - intros a Ha. rewrite lsum_flat_map, lsum_seq. apply sum_ext. intros b Hb.
    rewrite lsum_map, lsum_seq. apply sum_ext. intros c' Hc'. reflexivity.
Qed.

Lemma block_tensor x c : block val (tensor_products n) x c
  = if (c <? n)%nat then bilinear_state n tensor x (fun k => x (n + k)%nat) c else 0.
Proof. exact (block_entries (fun b => b) (fun c => n + c)%nat x c). Qed.

Lemma block_gate own x c :
  block val (map (fun a => Product (own + at_kind n) (own + a) a (Whole (-1))) (seq 0 n)) x c
  = if (c <? n)%nat then - x (own + at_kind n)%nat * x (own + c)%nat else 0.
Proof.
  rewrite block_each by reflexivity. change (0 <=? c)%nat with true.
  cbn [andb Nat.add]. destruct (c <? n)%nat; cbn; ring.
Qed.

Lemma not_again E' X ly r c : c <> at_place n -> c <> at_square n ->
  run_layer val M again E' X ly r c = block val (products ly) (joined val M (heads ly) X r) c.
Proof.
  intros H1 H2. unfold run_layer, run_with. cbn [existsb].
  replace (c =? at_place n)%nat with false by (symmetry; now apply Nat.eqb_neq).
  now replace (c =? at_square n)%nat with false by (symmetry; now apply Nat.eqb_neq).
Qed.

Lemma place_again X ly r : layer_of ly X r (at_place n) = E r (at_place n)
                         /\ layer_of ly X r (at_square n) = E r (at_square n).
Proof. unfold run_layer, run_with. cbn [existsb]. rewrite !Nat.eqb_refl, orb_true_r. auto. Qed.

Hypothesis hard_or_soft : kind <> Saturated.

(** The first layer: count becomes i * mean - m_i, mark the kind of the token before. *)
Lemma first_layer_row X r : (r < M)%nat ->
  let Y := layer_of (first_layer n kind) X in
  Y r (at_one n) = X r (at_one n) * X r (at_one n) /\
  Y r (at_count n) = X r (at_count n) * read val M (mean_head n kind) X r 0%nat
                     - X r (at_one n) * X r (at_mark n) /\
  Y r (at_kind n) = X r (at_one n) * X r (at_kind n) /\
  Y r (at_mark n) = X r (at_one n) * read val M (previous_head n kind) X r 0%nat /\
  (forall k, (k < n)%nat -> Y r k = X r (at_one n) * X r k).
Proof.
  intros Hr Y.
  set (y := joined val M (heads (first_layer n kind)) X r).
  assert (Hown : forall c, (c < n + 6)%nat -> y (2 + c)%nat = X r c).
  { intros c Hc. unfold y.
    cbn [heads first_layer joined reads mean_head previous_head scored length].
    decide_eqb. cbn [own_head reads]. rewrite seq_length. unfold dimension.
    replace (2 + c - 1 - 1)%nat with c by lia. decide_eqb. now apply own_reads. }
  assert (H0 : y 0%nat = read val M (mean_head n kind) X r 0%nat) by reflexivity.
  assert (H1 : y 1%nat = read val M (previous_head n kind) X r 0%nat) by reflexivity.
  assert (G : forall c, c <> at_place n -> c <> at_square n ->
    Y r c = block val (products (first_layer n kind)) y c) by (intros; now apply not_again).
  cbn [products first_layer] in G. setoid_rewrite block_app in G. setoid_rewrite block_kept in G.
  clearbody y. repeat split; intros; rewrite G by (coordinates; lia); rewrite <- ?H0, <- ?H1;
    rewrite <- !Hown by (coordinates; lia); finish.
Qed.

(** The second layer: mark becomes count^2 + mark. *)
Lemma second_layer_row X r : (r < M)%nat ->
  let Y := layer_of (second_layer n kind) X in
  Y r (at_one n) = X r (at_one n) * X r (at_one n) /\
  Y r (at_count n) = X r (at_one n) * X r (at_count n) /\
  Y r (at_kind n) = X r (at_one n) * X r (at_kind n) /\
  Y r (at_mark n) = X r (at_count n) * X r (at_count n) + X r (at_one n) * X r (at_mark n) /\
  (forall k, (k < n)%nat -> Y r k = X r (at_one n) * X r k).
Proof.
  intros Hr Y.
  set (y := joined val M (heads (second_layer n kind)) X r).
  assert (Hown : forall c, (c < n + 6)%nat -> y c = X r c).
  { intros c Hc. unfold y. cbn [heads second_layer joined own_head reads].
    rewrite seq_length. unfold dimension. decide_eqb. now apply own_reads. }
  assert (G : forall c, c <> at_place n -> c <> at_square n ->
    Y r c = block val (products (second_layer n kind)) y c) by (intros; now apply not_again).
  cbn [products second_layer] in G. setoid_rewrite block_app in G. setoid_rewrite block_kept in G.
  clearbody y. repeat split; intros; rewrite G by (coordinates; lia);
    rewrite <- !Hown by (coordinates; lia); finish.
Qed.

(** A parse layer: T(left, right) + (1 - kind) state, the rest copied. *)
Lemma parse_layer_row X r : (r < M)%nat ->
  let Y := layer_of (parse_layer n tokens kind) X in
  Y r (at_one n) = X r (at_one n) * X r (at_one n) /\
  Y r (at_count n) = X r (at_one n) * X r (at_count n) /\
  Y r (at_kind n) = X r (at_one n) * X r (at_kind n) /\
  Y r (at_mark n) = X r (at_one n) * X r (at_mark n) /\
  (forall k, (k < n)%nat -> Y r k =
     bilinear_state n tensor (read val M (left_head n tokens kind) X r)
                             (read val M (right_head n tokens kind) X r) k
     + (X r (at_one n) - X r (at_kind n)) * X r k).
Proof.
  intros Hr Y.
  set (y := joined val M (heads (parse_layer n tokens kind)) X r).
  assert (Hleft : forall k, (k < n)%nat -> y k = read val M (left_head n tokens kind) X r k).
  { intros k Hk. unfold y. cbn [heads parse_layer joined left_head scored reads].
    rewrite seq_length. now decide_eqb. }
  assert (Hright : forall k, (k < n)%nat -> y (n + k)%nat
                   = read val M (right_head n tokens kind) X r k).
  { intros k Hk. unfold y. cbn [heads parse_layer joined left_head right_head scored reads].
    rewrite !seq_length. decide_eqb. now replace (n + k - n)%nat with k by lia. }
  assert (Hown : forall c, (c < n + 6)%nat -> y (n + n + c)%nat = X r c).
  { intros c Hc. unfold y.
    cbn [heads parse_layer joined left_head right_head own_head scored reads].
    rewrite !seq_length. unfold dimension. decide_eqb.
    replace (n + n + c - n - n)%nat with c by lia. now apply own_reads. }
  assert (Hbil : forall k, bilinear_state n tensor y (fun c => y (n + c)%nat) k
    = bilinear_state n tensor (read val M (left_head n tokens kind) X r)
                              (read val M (right_head n tokens kind) X r) k).
  { intro k. apply sum_ext. intros a Ha. apply sum_ext. intros b Hb.
    now rewrite Hleft, Hright. }
  assert (G : forall c, c <> at_place n -> c <> at_square n ->
    Y r c = block val (products (parse_layer n tokens kind)) y c) by (intros; now apply not_again).
  cbn [products parse_layer] in G. setoid_rewrite block_app in G. setoid_rewrite block_app in G.
  setoid_rewrite block_app in G. setoid_rewrite block_kept in G.
  setoid_rewrite block_tensor in G. setoid_rewrite block_gate in G.
  clearbody y. repeat split; intros; rewrite G by (coordinates; lia); rewrite <- ?Hbil;
    rewrite <- !Hown by (coordinates; lia); finish.
Qed.
End Layers.
