(** * Theorem 1 has a width of the least order: hard attention and a bilinear last layer in the pass of Pass.v

    Section 3.2. In a transformer of Pass.v with hard attention, at most L layers with h^L < T come before
    the last one (with h = 2: the depth is at most ceil(log2 T)), whatever their widths and blocks. The last
    layer has two heads, no residual connections and a bilinear block. Then one of its heads has a value
    matrix of rank at least n^2, so that embedding dimension and attention width are at least n^2. In Theorem
    1 the rank is n^2, which is the least, and the embedding dimension 2n^2 + 2, which is of the least order.

    Alphabets. The finite alphabet and the error eps > 0 are chosen after the numbers of tokens, heads and
    layers, the length and n. Above the least depth, and with residual connections or three heads in the last
    layer, nothing is said.

    Main definitions: [of_rank], [narrow], [moment_automaton].
    Main theorems:    [narrow_by_size], [hard_attention_width], [theorem1_width_order]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Compat Sums TreeModel ReluSpan ReluTransformers WidthBound DepthTransformers.
From Assay Require Model Simulation Pass Fits DepthBound.
Import Fits(block_of, Bilinears, Bilinear).
Import Simulation(dense, height, breadth, number_at, times).
Import ListNotations.
Open Scope R_scope.

(** ** Linear maps *)

Lemma linear_zero T c : linear T -> T (fun _ => 0) c = 0.
Proof. intro H. rewrite (H (-1) (fun _ => 0) (fun _ => 0) (fun _ => 0)); [ring|intro; ring]. Qed.

Lemma linear_sum T d (s : nat -> R) (e : nat -> vector) c : linear T ->
  T (fun i => sum d (fun k => s k * e k i)) c = sum d (fun k => s k * T (e k) c).
Proof.
  intro H. induction d as [|d IH]; cbn [sum]; [now apply linear_zero|].
  rewrite (H (s d) _ (fun i => sum d (fun k => s k * e k i)) (e d)); [now rewrite IH|reflexivity].
Qed.

Lemma linear_after S T : linear S -> linear T -> linear (fun x => S (T x)).
Proof. intros HS HT s x y z H. apply HS. now apply HT. Qed.

(** What is left of a vector, and a vector k places further. *)
Definition cut (k : nat) (v : vector) : vector := fun c => if (c <? k)%nat then v c else 0.
Definition moved (k : nat) (v : vector) : vector := fun c => if (c <? k)%nat then 0 else v (c - k)%nat.

Lemma moved_linear k : linear (moved k).
Proof. intros s x y z H c. unfold moved. destruct (_ <? _)%nat; [ring|apply H]. Qed.

(** ** Bilinear blocks and narrow heads *)

(** A bilinear layer is a bilinear map of its input, twice. *)
Lemma bilinear_map f : block_of Bilinears f -> exists b : vector -> vector -> vector,
  (forall y, linear (fun x => b x y)) /\ (forall x, linear (b x)) /\ forall x c, f x c = b x x c.
Proof.
  intros (B & HB & Hf). destruct B as [l r t out| |]; try contradiction.
  exists (fun x y c => sum (height out) (fun p => sum (breadth l) (fun a => sum (breadth r) (fun b =>
    t a b p * through l x a * through r y b)) * number_at out p c)).
  split; [|split; [|exact Hf]].
  - intros y s x x' z H c. rewrite sum_scal_l, <- sum_plus. apply sum_ext. intros p _.
    rewrite <- !Rmult_assoc, <- Rmult_plus_distr_r. f_equal.
    rewrite sum_scal_l, <- sum_plus. apply sum_ext. intros a _. rewrite sum_scal_l, <- sum_plus.
    apply sum_ext. intros b _. rewrite (through_linear l s x x' z H). ring.
  - intros x s y y' z H c. rewrite sum_scal_l, <- sum_plus. apply sum_ext. intros p _.
    rewrite <- !Rmult_assoc, <- Rmult_plus_distr_r. f_equal.
    rewrite sum_scal_l, <- sum_plus. apply sum_ext. intros a _. rewrite sum_scal_l, <- sum_plus.
    apply sum_ext. intros b _. rewrite (through_linear r s y y' z H). ring.
Qed.

(** The bilinear layers of Simulation.v. *)
Lemma products_bilinear sigma l r t out :
  block_of Bilinears (fun x => Simulation.run_block sigma (Simulation.Products l r t out) (fun _ => x) 0%nat).
Proof. now exists (Bilinear l r t out). Qed.

(** The matrix is a product of one with d columns and one with d rows: its rank is at most d. *)
Definition of_rank (d : nat) (W : dense) : Prop := exists U V : mat, forall p q,
  (p < height W)%nat -> (q < breadth W)%nat -> number_at W p q = sum d (fun k => U p k * V k q).

(** A head that brings at most d numbers and linear combinations of them. *)
Definition narrow (d : nat) (hd : Pass.head) : Prop := of_rank d (Pass.value hd).

Lemma unit_row d (f : nat -> R) i : (i < d)%nat -> sum d (fun k => b2r (k =? i)%nat * f k) = f i.
Proof.
  intro Hi. rewrite (sum_single d _ i Hi); [rewrite Nat.eqb_refl; cbn; ring|].
  intros k _ Hne. rewrite (proj2 (Nat.eqb_neq k i)) by exact Hne. cbn. ring.
Qed.

(** Where a head reads at most d coordinates of a token, or has values of at most d coordinates. *)
Lemma narrow_by_size d hd : (height (Pass.value hd) <= d)%nat \/ (breadth (Pass.value hd) <= d)%nat -> narrow d hd.
Proof.
  intros [H|H].
  - exists (fun p k => b2r (k =? p)%nat), (number_at (Pass.value hd)). intros p q Hp _. now rewrite unit_row by lia.
  - exists (number_at (Pass.value hd)), (fun k q => b2r (k =? q)%nat). intros p q _ Hq.
    rewrite (sum_ext d _ (fun k => b2r (k =? q)%nat * number_at (Pass.value hd) p k)) by (intros; ring).
    now rewrite unit_row by lia.
Qed.

Lemma narrow_span d hd : narrow d hd -> exists (left : option vector -> nat -> R) (e : nat -> vector),
  forall o, cut (breadth (Pass.value hd)) (value_read hd o) = fun i => sum d (fun k => left o k * e k i).
Proof.
  intros (U & V & H).
  exists (fun o k => match o with Some x => sum (height (Pass.value hd)) (fun p => x p * U p k) | None => 0 end),
    (fun k => cut (breadth (Pass.value hd)) (V k)).
  intro o. apply functional_extensionality. intro i. unfold cut.
  destruct (Nat.ltb_spec i (breadth (Pass.value hd))).
  - destruct o as [x|]; cbn [value_read]; [|rewrite sum_zero; [reflexivity|intros; ring]]. unfold through.
    rewrite (sum_ext _ _ (fun p => sum d (fun k => x p * U p k * V k i))).
    + rewrite sum_swap. apply sum_ext. intros k _. now rewrite sum_scal_r.
    + intros p Hp. rewrite H, sum_scal_l by assumption. apply sum_ext. intros; ring.
  - rewrite sum_zero; [reflexivity|intros; ring].
Qed.

(** The values of Theorem 1: n^2 coordinates are kept. *)
Lemma keep_rank alpha n from : of_rank (n * n) (Simulation.dense_of alpha 1 (Model.keep n from)).
Proof.
  exists (fun p k => b2r (p =? from + k)%nat), (fun k q => b2r (q =? from + k)%nat). intros p q _ _.
  cbn [Simulation.dense_of number_at Model.keep Model.entry].
  destruct (Nat.leb_spec from p) as [H1|H1]; [destruct (Nat.ltb_spec p (from + Model.n2 n)) as [H2|H2]|].
  - unfold Model.n2 in H2. rewrite (sum_ext _ _ (fun k => b2r (k =? p - from)%nat * b2r (q =? from + k)%nat)).
    + rewrite unit_row by lia. replace (from + (p - from))%nat with p by lia. rewrite Nat.eqb_sym.
      destruct (q =? p)%nat; reflexivity.
    + intros k _. destruct (Nat.eqb_spec p (from + k)), (Nat.eqb_spec k (p - from)); try lia; reflexivity.
  - rewrite sum_zero; [now rewrite !andb_false_r|]. intros k Hk. unfold Model.n2 in H2.
    rewrite (proj2 (Nat.eqb_neq p (from + k))) by lia. cbn. ring.
  - rewrite sum_zero; [now rewrite !andb_false_r|]. intros k Hk.
    rewrite (proj2 (Nat.eqb_neq p (from + k))) by lia. cbn. ring.
Qed.

(** ** The automaton *)

Definition moment_automaton (n K : nat) (x : letters_below K) : mat := moment n (proj1_sig x).

Lemma moment_states n Q (v : list nat) : Forall (fun a => (a < S Q)%nat) v -> forall t, (t <= length v)%nat ->
  forall j, Simulation.states n first_state (moment_automaton n (S Q)) (map (letter Q) v) t j
  = act n first_state (firstn t v) j.
Proof.
  intro Hv. induction t as [|t IH]; intros Ht j; [reflexivity|].
  destruct (nth_error v t) as [a|] eqn:Ea; [|apply nth_error_None in Ea; lia].
  rewrite (states_next _ _ _ _ _ (letter Q a)) by now rewrite nth_error_map, Ea.
  rewrite (firstn_next v t a Ea), act_app. cbn [act fold_left]. unfold times_row at 1. apply sum_ext. intros k _.
  rewrite IH by lia. unfold moment_automaton. apply nth_error_In in Ea. rewrite Forall_forall in Hv.
  specialize (Hv a Ea). now rewrite letter_is by lia.
Qed.

(** ** The theorem *)

(** A last layer with two narrow heads and a bilinear block is a bilinear end. *)
Lemma narrow_end {Sigma : Type} N m (embedding : nat -> option Sigma -> nat -> R) letter place out
    lys last first second d n :
  Pass.layers m = lys ++ [last] -> Pass.heads last = [first; second] -> Pass.residual last = false ->
  block_of Bilinears (Pass.feedforward last) -> narrow d first -> narrow d second ->
  bilinear_end (network_of N m embedding letter place out false) (map (layer_of N m embedding false) lys)
    (layer_of N m embedding false last) d n.
Proof.
  intros El Eh Er (b & B1 & B2 & HB)%bilinear_map N1 N2.
  split; [cbn [network_of DepthBound.layers]; now rewrite El, map_app|].
  split; [cbn; now rewrite Eh|]. split; [reflexivity|].
  destruct (narrow_span d first N1) as (left & e1 & S1). destruct (narrow_span d second N2) as (right & e2 & S2).
  set (W := Pass.combine last). set (k1 := breadth (Pass.value first)). set (k2 := breadth (Pass.value second)).
  (* the part of the readout that comes from the block, and the rest *)
  set (say := fun (x : vector) j => sum (height (Pass.readout m)) (fun p =>
    (if Pass.renewed m p then 0 else x p) * number_at (Pass.readout m) p j)).
  set (rest := fun j => sum (height (Pass.readout m)) (fun p =>
    (if Pass.renewed m p then embedding out None p else 0) * number_at (Pass.readout m) p j)
    + Pass.offset m j).
  assert (Hsay : linear say).
  { intros s x y z H j. unfold say. rewrite sum_scal_l, <- sum_plus. apply sum_ext. intros p _. rewrite H.
    destruct (Pass.renewed m p); ring. }
  set (g := fun x y => say (b x y)).
  assert (G1 : forall y, linear (fun x => g x y)) by (intro y; exact (linear_after say _ Hsay (B1 y))).
  assert (G2 : forall x, linear (g x)) by (intro x; exact (linear_after say _ Hsay (B2 x))).
  set (f1 := fun k => through W (e1 k)). set (f2 := fun k => through W (moved k1 (e2 k))).
  set (u1 := fun (o : option token) i => sum d (fun k => left (option_map fst o) k * f1 k i)).
  set (u2 := fun (o : option token) i => sum d (fun k => right (option_map fst o) k * f2 k i)).
  exists (fun o => left (option_map fst o)), (fun o => right (option_map fst o)),
    (fun j c c' => g (f1 c) (f2 c') j + g (f2 c') (f1 c) j),
    (fun j o => g (u1 o) (u1 o) j + rest j), (fun j o => g (u2 o) (u2 o) j).
  intros o o' j _. set (x := fun i => u1 o i + 1 * u2 o' i).
  assert (Hx : through W (joined_reads [first; second] [option_map fst o; option_map fst o']) = x).
  { apply functional_extensionality. intro i.
    rewrite (through_linear W 1 _ (cut k1 (value_read first (option_map fst o)))
      (moved k1 (cut k2 (value_read second (option_map fst o'))))).
    - unfold k1, k2. rewrite S1, S2. unfold x, u1, u2, f1, f2. f_equal; [|f_equal].
      + apply (linear_sum (through W)), through_linear.
      + apply (linear_sum (fun x => through W (moved k1 x))).
        exact (linear_after _ _ (through_linear W) (moved_linear k1)).
    - intro c. cbn [joined_reads]. unfold cut, moved. fold k1 k2.
      destruct (c <? k1)%nat; [ring|]. destruct (c - k1 <? k2)%nat; ring. }
  assert (Hrow : new_row last (fun _ => 0) [option_map fst o; option_map fst o'] = Pass.feedforward last x).
  { rewrite <- Hx. unfold new_row. rewrite Er, Eh. reflexivity. }
  transitivity (g x x j + rest j).
  - cbn [network_of DepthBound.said DepthBound.exit layer_of DepthBound.made fst].
    change (map (option_map fst) [o; o']) with [option_map fst o; option_map fst o']. rewrite Hrow.
    unfold through, g, say, rest. rewrite <- Rplus_assoc, <- sum_plus. f_equal. apply sum_ext. intros p _.
    destruct (Pass.renewed m p); [ring|]. rewrite HB. ring.
  - rewrite (G1 x 1 x (u1 o) (u2 o')) by reflexivity.
    rewrite (G2 (u1 o) 1 x (u1 o) (u2 o')), (G2 (u2 o') 1 x (u1 o) (u2 o')) by reflexivity.
    assert (Hcross : g (u1 o) (u2 o') j + g (u2 o') (u1 o) j = sum d (fun c => sum d (fun c' =>
      (g (f1 c) (f2 c') j + g (f2 c') (f1 c) j) * left (option_map fst o) c * right (option_map fst o') c'))).
    { unfold u1 at 1. rewrite (linear_sum (fun x => g x (u2 o')) d _ f1 j (G1 _)).
      unfold u1. rewrite (linear_sum (g (u2 o')) d _ f1 j (G2 _)), <- sum_plus. apply sum_ext. intros k _.
      unfold u2. rewrite (linear_sum (g (f1 k)) d _ f2 j (G2 _)).
      rewrite (linear_sum (fun x => g x (f1 k)) d _ f2 j (G1 _)), !sum_scal_l, <- sum_plus.
      apply sum_ext. intros; ring. }
    rewrite <- Hcross. ring.
Qed.

(** Whatever the layers before the last one are: if the value matrices of the last layer have a rank below
    n^2, because its heads read fewer than n^2 coordinates ([narrow_by_size]) or for another reason, some
    automaton with n states is out of reach. The alphabet, K letters, and eps are chosen after N, L, h, T and
    d. *)
Theorem hard_attention_width (N L h T n d : nat) : (1 <= h)%nat -> (h ^ L < T)%nat -> (d < n * n)%nat ->
  exists K (alpha : nat -> R) (A : letters_below K -> mat) (eps : R), 0 < eps /\
  forall (transformer : Pass.model) (embedding : nat -> option (letters_below K) -> nat -> R)
    (place row : nat -> nat) lys last first second,
  Pass.layers transformer = lys ++ [last] -> Pass.heads last = [first; second] ->
  all_hard transformer -> plain transformer embedding ->
  (length lys <= L)%nat -> (forall ly, In ly lys -> (length (Pass.heads ly) <= h)%nat) ->
  block_of Bilinears (Pass.feedforward last) -> narrow d first -> narrow d second ->
  ~ Simulation.approximately_simulates n T alpha A eps
      (fun w t => Pass.forward N transformer (reads_letters embedding place w) (row t)).
Proof.
  intros Hh HT Hd. destruct (width_needed N L h T n d Hh HT Hd) as (Q & eps & Heps & HQ).
  exists (S Q), first_state, (moment_automaton n (S Q)), eps. split; [exact Heps|].
  intros m embedding place row lys last first second El Ef Hhard Hplain HL Hheads Hb N1 N2 Hsim.
  assert (Er : Pass.residual last = false) by (apply (proj1 Hplain); rewrite El; apply in_or_app; right; now left).
  apply (HQ token (network_of N m embedding (letter Q) place (row T) false)
    (map (layer_of N m embedding false) lys) (layer_of N m embedding false last));
    [reflexivity|now rewrite map_length| | |].
  - intros ly Hly. apply in_map_iff in Hly as (l & <- & Hl). unfold DepthBound.arms. cbn. now apply Hheads.
  - now apply (narrow_end N m embedding (letter Q) place (row T) lys last first second).
  - intros w [Hl Hf] j Hj. rewrite pass_is_network; [|exact Hhard|now right].
    assert (Hf' : Forall (fun a => (a < S Q)%nat) w) by (eapply Forall_impl; [|exact Hf]; cbn; lia).
    rewrite <- (firstn_all2 (n := T) w), <- (moment_states n Q w Hf') by lia. rewrite firstn_all2 by lia.
    apply (entry_of_norm n (Pass.forward N m (reads_letters embedding place (map (letter Q) w)) (row T)));
      [|exact Hj].
    apply (row_of_norm n T T
      (fun t => Pass.forward N m (reads_letters embedding place (map (letter Q) w)) (row t))); [lia|].
    apply Hsim. now rewrite map_length.
Qed.

(** At the least depth, ceil(log2 T) layers, with two heads and bilinear layers, values of rank n^2 on an
    embedding of dimension 2n^2 + 2 are enough for every automaton with n states over any alphabet; values of
    a rank below n^2 are not, so neither is an embedding of a dimension below n^2, on N tokens, over a finite
    alphabet that is chosen after N. *)
Theorem theorem1_width_order (n T : nat) : (1 <= n)%nat -> (2 <= T)%nat -> let L := (Nat.log2_up T - 1)%nat in
  (forall (Sigma : Type) (alpha : nat -> R) (A : Sigma -> mat),
   exists N (transformer : Pass.model) (embedding : nat -> option Sigma -> nat -> R) (place row : nat -> nat)
     lys last first second,
   Pass.layers transformer = lys ++ [last] /\ Pass.heads last = [first; second] /\
   all_hard transformer /\ plain transformer embedding /\
   (length lys <= L)%nat /\ (forall ly, In ly lys -> (length (Pass.heads ly) <= 2)%nat) /\
   block_of Bilinears (Pass.feedforward last) /\ narrow (n * n) first /\ narrow (n * n) second /\
   height (Pass.value first) = (2 * n ^ 2 + 2)%nat /\ height (Pass.value second) = (2 * n ^ 2 + 2)%nat /\
   Simulation.simulates n T alpha A
     (fun w t => Pass.forward N transformer (reads_letters embedding place w) (row t))) /\
  (forall N d, (d < n * n)%nat ->
   exists K (alpha : nat -> R) (A : letters_below K -> mat) (eps : R), 0 < eps /\
   forall (transformer : Pass.model) (embedding : nat -> option (letters_below K) -> nat -> R)
     (place row : nat -> nat) lys last first second,
   Pass.layers transformer = lys ++ [last] -> Pass.heads last = [first; second] ->
   all_hard transformer -> plain transformer embedding ->
   (length lys <= L)%nat -> (forall ly, In ly lys -> (length (Pass.heads ly) <= 2)%nat) ->
   block_of Bilinears (Pass.feedforward last) -> narrow d first -> narrow d second ->
   ~ Simulation.approximately_simulates n T alpha A eps
       (fun w t => Pass.forward N transformer (reads_letters embedding place w) (row t))).
Proof.
  intros Hn HT L. assert (HL : (1 <= Nat.log2_up T)%nat) by (apply Nat.log2_up_pos; lia). split.
  - intros Sigma alpha A. destruct (theorem1_heads n T alpha (1 + L)) as (a & b & E & _ & _ & Ha & Hb).
    exists (Model.N (Nat.log2_up T)), (theorem1_model n T alpha), (theorem1_token n T A), (theorem1_place T),
      (theorem1_row T), (map (theorem1_layer n T alpha) (seq 1 L)), (theorem1_layer n T alpha (1 + L)), a, b.
    split; [|split; [exact E|split; [apply theorem1_hard|split; [apply theorem1_plain|]]]].
    { rewrite theorem1_layers. replace (Nat.log2_up T) with (S L) by (unfold L; lia). now rewrite seq_S, map_app. }
    split; [rewrite map_length, seq_length; lia|]. split.
    { intros ly Hly. apply in_map_iff in Hly as (l & <- & _).
      destruct (theorem1_heads n T alpha l) as (a' & b' & E' & _). rewrite E'. cbn. lia. }
    split; [apply products_bilinear|]. unfold narrow. rewrite Ha, Hb.
    split; [apply keep_rank|]. split; [apply keep_rank|].
    assert (Ed : Model.d n = (2 * n ^ 2 + 2)%nat) by (unfold Model.d, Model.n2; cbn [Nat.pow]; lia).
    split; [exact Ed|]. split; [exact Ed|]. apply theorem1_pass. lia.
  - intros N d Hd. apply (hard_attention_width N L 2 T n d); [lia| |exact Hd].
    destruct (Nat.le_gt_cases T (2 ^ L)) as [Hle|]; [|assumption].
    apply (Nat.log2_up_le_pow2 T L) in Hle; [unfold L in Hle; lia|lia].
Qed.
