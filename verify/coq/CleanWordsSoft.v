(** * Theorem 2 with nothing supplied again: softmax and MLPs

    Section 3.2 and Appendix B.2. There is one transformer, whose numbers and hidden units are chosen
    before the word, that simulates the automaton at length T up to every eps > 0 in the sense of
    Definition 3.2 (Simulation.v), with softmax and MLPs, on the T + 1 tokens of a begin token and the
    word: no pads, nothing given anew after a layer, every T >= 1. Places are passed on by the second
    head and the block, and so are off by a little. Every head of the exact model (CleanWords.v) has
    one largest score, by at least 1, and its tokens are bounded; so if tokens and blocks are off by
    little and C is large, a layer gives tokens that are off by little (SoftStep.v). No rate.

    Where we differ from the print: the construction is that of CleanWords.v; log T is rounded up; the
    activation is named.

    Main definitions: [word_network], [exact_words].
    Main theorems:    [word_precision], [theorem1_words], [theorem2_clean]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Compat Sums Trees Theorem1 Softmax Spectral Theorem3 Activation.
From Assay Require Import TreeModel TreeBlocks TreeScores TreeLayers TreeContinuity TreeTargets.
From Assay Require Import TreeMLP FreeModel TreeSimulation SoftStep CleanWords FourUnits.
From Assay Require Import Recursion.
From Assay Require Simulation NoPadsWeights.
Import Simulation(letter, padded).
Import NoPadsWeights(spanned).
Import ListNotations.
Open Scope R_scope.

Lemma word_plain n : Forall (fun p => plain (times p)) (word_products n).
Proof.
  unfold word_products, matrix_products. rewrite Forall_app. split; plain_list.
Qed.

(** ** The tokens of the exact model are bounded *)

(** What a token holds is the product of a part of the word. *)
Lemma segment_word {Sigma : Type} n (A : Sigma -> mat) (x : list Sigma) k : forall r, exists w,
  (length w <= Nat.min r (length x))%nat /\
  meq n (NoPadsWeights.segment n (fun t => padded A (letter x (Z.of_nat t))) k r) (word_product n A w).
Proof.
  induction k as [|k IH]; intros [|r]; try (exists []; split; [simpl; lia|reflexivity]).
  destruct (IH r) as (w & Hw & E). cbn [NoPadsWeights.segment].
  assert (El : letter x (Z.of_nat (S r)) = nth_error x r).
  { unfold letter. destruct (Z.leb_spec (Z.of_nat (S r)) 0); [lia|]. f_equal. rewrite Nat2Z.id. lia. }
  rewrite El. destruct (nth_error x r) as [a|] eqn:Ea; cbn [padded].
  - exists (w ++ [a]). assert (r < length x)%nat by (apply nth_error_Some; congruence).
    split; [rewrite app_length; cbn [length]; lia|]. rewrite E, word_product_app. cbn. now rewrite mulm1.
  - exists w. split; [lia|]. rewrite E. apply mulm1.
Qed.

(** Products of letters whose entries are at most U. *)
Lemma word_product_bound {Sigma : Type} n (A : Sigma -> mat) U : 0 <= U ->
  (forall a i j, (i < n)%nat -> (j < n)%nat -> Rabs (A a i j) <= U) ->
  forall w i j, (i < n)%nat -> (j < n)%nat -> Rabs (word_product n A w i j) <= (INR n * U + 1) ^ length w.
Proof.
  intros HU HA. pose proof (Rmult_le_pos _ _ (pos_INR n) HU) as Hq.
  induction w as [|a w IH]; intros i j Hi Hj; cbn [word_product fold_right length pow].
  - unfold I, b2r. destruct (i =? j)%nat; rewrite ?Rabs_R1, ?Rabs_R0; lra.
  - fold (word_product n A w). unfold mmul. set (q := (INR n * U + 1) ^ length w) in *.
    assert (0 <= q) by (apply pow_le; lra).
    apply Rle_trans with (INR n * (U * q)); [|nra]. eapply Rle_trans; [apply sum_abs|]. rewrite <- sum_const.
    apply sum_le. intros k Hk. rewrite Rabs_mult. apply Rmult_le_compat; try apply Rabs_pos; auto.
Qed.

Lemma letters_bound {Sigma : Type} n (A : Sigma -> mat) (letters : list Sigma) :
  exists U, 0 <= U /\ forall a i j, In a letters -> (i < n)%nat -> (j < n)%nat -> Rabs (A a i j) <= U.
Proof.
  destruct (finite_max (fun a => sum n (fun i => sum n (fun j => Rabs (A a i j)))) letters) as (U & HU & H).
  exists U. split; [lra|]. intros a i j Ha Hi Hj. eapply Rle_trans; [|exact (H a Ha)].
  apply Rle_trans with (sum n (fun j => Rabs (A a i j))).
  - apply (sum_term n (fun j => Rabs (A a i j)) j Hj). intros. apply Rabs_pos.
  - apply (sum_term n (fun i => sum n (fun j => Rabs (A a i j))) i Hi).
    intros. apply sum_nonneg. intros. apply Rabs_pos.
Qed.

(** ** One layer with softmax, tokens and block off a little *)

Section Steps.
Context {Sigma : Type} (n T : nat) (tensor : nat -> nat -> nat -> R) (A : Sigma -> mat) (S : R).
Hypothesis S_pos : 0 <= S.
Local Notation m := (entries n).
Local Notation K := (size_bound T S).
Local Notation leaf := (fun (_ : Sigma) (_ : nat) => 0).
Local Notation w x := (@lettered Sigma x).
Local Notation val C x := (value leaf tensor C (w x)).
Local Notation hard C x := (word_after n tensor C A x).
Local Notation held x := (spanned n (fun t => padded A (letter x (Z.of_nat t)))).

(** A layer with softmax and the block B. *)
Definition soft_word_step (C : R) (x : list Sigma) (B : (nat -> R) -> nat -> R) (l : nat) (X : mat)
  : mat := fun r => B (joined (val C x) (rows (w x)) (heads (word_layer n Soft l)) X r).

Lemma bounded_word C x l : length x = T ->
  (forall r i j, (i < n)%nat -> (j < n)%nat -> Rabs (held x l r i j) <= S) ->
  bounded (w x) K (hard C x l).
Proof.
  intros HT HS r c Hr. destruct (carries_after n tensor C A x l) as [H0 H1 H2 H3 H4].
  assert (S <= K) by (unfold size_bound; pose proof (pos_INR T); nra).
  pose proof Hr as Hin. rewrite rows_word, HT in Hin.
  destruct (Nat.lt_ge_cases c m) as [Hc|Hc].
  { assert (Hn : (0 < n)%nat) by (unfold entries in Hc; nia).
    rewrite (Nat.div_mod c n), (Nat.mul_comm n) by lia. pose proof (Nat.mod_upper_bound c n ltac:(lia)).
    assert (c / n < n)%nat by (apply Nat.div_lt_upper_bound; [lia|exact Hc]).
    rewrite H0 by auto. eapply Rle_trans; [now apply HS|lra]. }
  destruct (Nat.lt_ge_cases c (m + 3)) as [Hc'|Hc'].
  2: { rewrite H4, Rabs_R0 by auto. lra. }
  assert (E : c = at_one m \/ c = at_place m \/ c = at_square m)
    by (unfold at_one, at_place, at_square; lia).
  destruct E as [->|[->| ->]]; rewrite ?H1, ?H2, ?H3 by auto; apply whole_bound; auto; nia.
Qed.

Definition word_specs (l : nat) : list spec :=
  [Looks (towards m (- 2 ^ Z.of_nat l)) (places m) (seq 0 m) Everywhere;
   Looks (own_queries m) (places m) (seq 0 (word_dimension n)) Everywhere].

(** The model with softmax and another block in all layers. *)
Fixpoint run_word_blocks (C : R) (x : list Sigma) (B : (nat -> R) -> nat -> R) (l : nat) : mat :=
  match l with
  | O => word_start n A x
  | Datatypes.S l' => soft_word_step C x B l' (run_word_blocks C x B l')
  end.

Lemma word_layers L C x B Z e : length x = T ->
  (forall k r i j, (k < L)%nat -> (i < n)%nat -> (j < n)%nat -> Rabs (held x k r i j) <= S) ->
  (forall l, (l < L)%nat -> psize tensor (word_products n) + reach (word_specs l) + 1 <= Z) ->
  computes tensor (K + 1) e B (word_products n) ->
  forall l, (l < L)%nat -> layer_runs leaf tensor K C (w x) [] (word_start n A x) word_specs
    (fun _ => word_products n) (fun _ => B) (run_word_blocks C x B) (hard C x) Z e l.
Proof.
  intros Hx HS HZ HB l Hl. pose proof (carries_after n tensor C A x l) as HY.
  split; [apply word_plain|]. split; [now apply HZ|]. split; [exact HB|]. split; [reflexivity|].
  split; [reflexivity|]. split; [apply bounded_word; auto|].
  intros r Hrow. repeat constructor; cbn [aims]; eexists;
    [exact (back_target n A x l _ HY l r Hrow)|exact (self_target n A x l _ HY r Hrow)].
Qed.
End Steps.

(** ** The model as a forward pass with fixed numbers *)

Definition nothing (a b c : nat) : R := 0.          (* no entry of a tensor is in these weights *)

(** The model with softmax, and four hidden units for every product. *)
Definition word_network {Sigma : Type} n depth alpha (A : Sigma -> mat) sigma (C b h s : R)
  : list Sigma -> mat :=
  run_words n alpha A (fixed nothing C) (word_model n Soft depth)
    (fun ly => run_network sigma b (network nothing h s (products ly))).

(** The model with hard attention and exact products. *)
Definition exact_words {Sigma : Type} n depth alpha (A : Sigma -> mat) : list Sigma -> mat :=
  run_words n alpha A (fixed nothing 1) (word_model n Hard depth)
    (fun ly => block (fixed nothing 1) (products ly)).

Section Fixed.
Context {Sigma : Type} (n : nat) (alpha : nat -> R) (A : Sigma -> mat) (C : R) (x : list Sigma).
Local Notation val := (value (fun (_ : Sigma) (_ : nat) => 0) nothing C (lettered x)).

Lemma word_treeless mode l : Forall treeless_head (heads (word_layer n mode l)).
Proof.
  assert (S0 : forall z, treeless (scale mode z)) by (intro z; destruct mode; exact Logic.I).
  cbn [heads word_layer]. unfold back_head, self_head, scored.
  repeat constructor; cbn; auto; apply S0.
Qed.

Lemma run_words_steps mode (B : (nat -> R) -> nat -> R) blocks (steps : nat -> mat) depth r j :
  (forall l y, blocks (word_layer n mode l) y = B y) -> steps 0%nat = word_start n A x ->
  (forall l, steps (S l) = fun r =>
     B (joined val (rows (lettered x)) (heads (word_layer n mode l)) (steps l) r)) ->
  run_words n alpha A (fixed nothing C) (word_model n mode depth) blocks x r j
  = sum n (fun i => alpha i * steps depth r (i * n + j)%nat).
Proof.
  intros HB H0 HS. unfold run_words, word_model. apply sum_ext. intros i Hi. f_equal.
  fold (word_start n A x). rewrite <- H0.
  match goal with |- fold_left ?f _ _ _ _ = _ => set (step := f) end.
  assert (G : fold_left step (map (word_layer n mode) (seq 0 depth)) (steps 0%nat) = steps depth);
    [|now rewrite G].
  induction depth as [|d IH]; [reflexivity|].
  rewrite seq_S, map_app, fold_left_app, IH. cbn [map fold_left]. rewrite Nat.add_0_l.
  rewrite HS. unfold step, run_with. cbn [existsb]. apply functional_extensionality. intro q.
  apply functional_extensionality. intro c.
  rewrite HB, (joined_fixed (fun (_ : Sigma) (_ : nat) => 0) nothing C (lettered x))
    by apply word_treeless.
  now rewrite rows_word.
Qed.

(** What the exact model holds are the states. *)
Lemma word_states depth t j : (t <= length x)%nat -> (length x <= 2 ^ depth)%nat -> (j < n)%nat ->
  sum n (fun i => alpha i * word_after n nothing C A x depth t (i * n + j)%nat)
  = Simulation.states n alpha A x t j.
Proof.
  intros Ht Hd Hj. unfold Simulation.states. rewrite <- (NoPadsWeights.prefix_state n alpha _ t j Hj).
  apply sum_ext. intros i Hi. f_equal.
  rewrite (c_matrix _ _ _ _ _ (carries_after n nothing C A x depth)) by (auto; rewrite rows_word; lia).
  rewrite (NoPadsWeights.spanned_segment n _ depth t i j Hi Hj).
  now apply NoPadsWeights.segment_prefix; [lia| |].
Qed.
End Fixed.

Lemma enough_layers T : (1 <= T)%nat -> (T <= 2 ^ Nat.log2_up T)%nat.
Proof.
  intro HT. destruct (Nat.eq_dec T 1) as [->|Hne]; [cbn; lia|].
  apply (Nat.log2_up_spec T). lia.
Qed.

(** Exact, with hard attention and products: two heads on n^2 + 3 coordinates. *)
Theorem theorem1_words {Sigma : Type} n T alpha (A : Sigma -> mat) : (1 <= T)%nat ->
  Simulation.simulates n T alpha A (exact_words n (Nat.log2_up T) alpha A).
Proof.
  intros HT x Hx t j Ht Hj. unfold exact_words.
  assert (P : forall l y, block (fixed nothing 1) (products (word_layer n Hard l)) y
    = block (value (fun (_ : Sigma) (_ : nat) => 0) nothing 1 (lettered x)) (word_products n) y)
    by (intros; apply block_fixed, word_plain).
  rewrite (run_words_steps n alpha A 1 x Hard _ _ (word_after n nothing 1 A x) _ t j P
    eq_refl (fun l => eq_refl)).
  apply word_states; auto; [lia|]. rewrite Hx. now apply enough_layers.
Qed.

(** ** Theorem 2 *)

(** How an error grows from layer to layer, and what it means for the distance of all states, in units of
    eps; S bounds the entries of all products of at most T letters. *)
Definition word_growth (n T : nat) (S : R) : R := growth (size_bound T S) (INR n ^ 3 + 2 * INR T + 10).
Definition word_margin (n T : nat) (alpha : nat -> R) (eps : R) : R :=
  (sum n (fun i => Rabs (alpha i)) + 1) * ((INR (Datatypes.S T) * INR n + 1) / eps).

(** e^(C/2) is at least 4 K T g^L m: log C is of the order log^2 (n T S) + log (1/eps). *)
Definition enough_words (n T : nat) (alpha : nat -> R) (S eps C : R) : Prop :=
  0 <= C /\ 4 * size_bound T S * INR T * (word_growth n T S ^ Nat.log2_up T * word_margin n T alpha eps)
            <= exp (C / 2).

(** Products that miss by at most q are fine enough. *)
Definition fine_words (n T : nat) (alpha : nat -> R) (S eps q : R) : Prop :=
  q * ((INR n ^ 3 + 3) * (word_growth n T S ^ Nat.log2_up T * word_margin n T alpha eps)) <= 1 / 2.

Lemma word_psize n tensor : psize tensor (word_products n) = INR n ^ 3 + 3.
Proof.
  assert (One : Rabs (plain_value tensor (Whole 1)) = 1) by apply Rabs_R1.
  unfold word_products, matrix_products, psize. rewrite lsum_app. f_equal; [|cbn -[plain_value]; rewrite One; ring].
  rewrite lsum_flat_map, lsum_seq, (sum_ext n _ (fun _ => INR n * INR n)); [rewrite sum_const; ring|].
  intros i _. rewrite lsum_flat_map, lsum_seq, (sum_ext n _ (fun _ => INR n)); [now rewrite sum_const|].
  intros j _. rewrite lsum_map, lsum_seq, (sum_ext n _ (fun _ => 1)); [rewrite sum_const; ring|]. intros; exact One.
Qed.

Lemma word_reach n T l : (l < Nat.log2_up T)%nat -> reach (word_specs n l) <= 2 * INR T + 6.
Proof.
  intro Hl. assert (HT : (1 < T)%nat) by (destruct T as [|[|k]]; [cbn in Hl; lia..|lia]).
  assert (Hp : (2 ^ l <= T)%nat).
  { pose proof (Nat.log2_up_spec T HT). assert (2 ^ l <= 2 ^ pred (Nat.log2_up T))%nat; [|lia].
    apply Nat.pow_le_mono_r; lia. }
  apply le_INR in Hp. rewrite pow_INR in Hp. change (INR 2) with 2 in Hp.
  unfold reach, word_specs, lsum. cbn [fold_right reach_of].
  unfold towards, own_queries, places, wssize, wsize, lsum. cbn [combine fold_right fst snd].
  rewrite !mult_IZR, opp_IZR, <- pow_IZR, !Rabs_mult, Rabs_Ropp, (Rabs_pos_eq (2 ^ l)) by (apply pow_le; lra).
  rewrite (Rabs_pos_eq 2), (Rabs_pos_eq 1), (Rabs_left (-1)) by lra. lra.
Qed.

(** Any blocks that are right up to e. *)
Lemma word_close {Sigma : Type} n T alpha (A : Sigma -> mat) S sigma b h s e eps C :
  (1 <= T)%nat -> 0 <= S -> (forall w i j, (length w <= T)%nat -> (i < n)%nat -> (j < n)%nat ->
    Rabs (word_product n A w i j) <= S) ->
  0 < eps <= 1 / 2 -> 0 <= C -> 0 <= e ->
  computes nothing (size_bound T S + 1) e (run_network sigma b (network nothing h s (word_products n)))
    (word_products n) ->
  (e + leak (size_bound T S) T C) * (word_growth n T S ^ Nat.log2_up T * word_margin n T alpha eps) <= 1 ->
  Simulation.approximately_simulates n T alpha A eps (word_network n (Nat.log2_up T) alpha A sigma C b h s).
Proof.
  intros HT HS Hwords He HC He0 HB Hm x Hx. set (L := Nat.log2_up T) in *. set (K := size_bound T S) in *.
  pose proof (K_pos T S HS) as HK. fold K in HK. set (B := run_network _ _ _) in *.
  set (a := sum n (fun i => Rabs (alpha i))). set (z := INR (Datatypes.S T) * INR n).
  assert (Ha : 0 <= a) by (apply sum_nonneg; intros; apply Rabs_pos).
  assert (Hz : 0 <= z) by (apply Rmult_le_pos; apply pos_INR).
  set (off := (e + leak K T C) * word_growth n T S ^ L).
  assert (Hoff : 0 <= off).
  { pose proof (leak_pos K T C HK). pose proof (pos_INR T). pose proof (pow_le _ 3 (pos_INR n)).
    apply Rmult_le_pos; [lra|]. apply pow_le. unfold word_growth, growth. fold K. repeat apply Rmult_le_pos; lra. }
  assert (Hq : off * (a + 1) * (z + 1) <= eps).
  { unfold word_margin in Hm. fold a z in Hm. rewrite <- Rmult_assoc in Hm. fold off in Hm.
    apply (Rmult_le_reg_r (/ eps)); [apply Rinv_0_lt_compat; lra|]. rewrite Rinv_r by lra.
    eapply Rle_trans; [|exact Hm]. right. unfold Rdiv. ring. }
  assert (H1 : off * 1 <= off * (a + 1)) by (apply Rmult_le_compat_l; lra).
  assert (H2 : off * (a + 1) * 1 <= off * (a + 1) * (z + 1)).
  { apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|lra]. }
  assert (Held : forall k r i j, (i < n)%nat -> (j < n)%nat ->
    Rabs (spanned n (fun t => padded A (letter x (Z.of_nat t))) k r i j) <= S).
  { intros k r i j Hi Hj. rewrite (NoPadsWeights.spanned_segment n _ k r i j Hi Hj).
    destruct (segment_word n A x (2 ^ k) r) as (w & Hw & E). rewrite (E i j Hi Hj). apply Hwords; auto. lia. }
  assert (Hlayers := word_layers n T nothing A S HS L C x B (INR n ^ 3 + 2 * INR T + 10) e Hx
    ltac:(intros; now apply Held)
    ltac:(intros l Hl; rewrite word_psize; pose proof (word_reach n T l Hl); lra) HB).
  assert (N : forall t j, (t <= T)%nat -> (j < n)%nat ->
    Rabs (word_network n L alpha A sigma C b h s x t j - Simulation.states n alpha A x t j) <= a * off).
  { intros t j Ht Hj. unfold word_network.
    rewrite (run_words_steps n alpha A C x Soft B _ (run_word_blocks n nothing A C x B) _ t j
      (fun l y => eq_refl) eq_refl (fun l => eq_refl)).
    rewrite <- (word_states n alpha A C x L t j) by (auto; try lia; rewrite Hx; now apply enough_layers).
    apply weighted_off. intros i Hi.
    assert (Hshort : (length (@lettered Sigma x) <= T)%nat) by (unfold lettered; rewrite map_length; lia).
    apply (lift (fun (_ : Sigma) (_ : nat) => 0) nothing K T C (lettered x) [] (word_start n A x) HK HC Hshort
      (word_specs n) (fun _ => word_products n) (fun _ => B) (run_word_blocks n nothing A C x B)
      (word_after n nothing C A x) _ e L He0 Hlayers); auto.
    - apply close_refl. pose proof (leak_pos K T C HK). lra.
    - assert (Ho : off <= 1 / 2) by lra. exact Ho.
    - rewrite rows_word, Hx. lia. }
  apply (frobenius_below (Datatypes.S T) n (fun t j => _ - Simulation.states n alpha A x t j)); [lra|].
  intros t j Ht Hj. eapply Rle_trans; [apply N; auto; lia|]. fold z.
  apply (Rmult_le_reg_r (z + 1)); [lra|]. replace (eps / (z + 1) * (z + 1)) with eps by (field; lra).
  assert (a * off * (z + 1) <= off * (a + 1) * (z + 1)); [|lra]. apply Rmult_le_compat_r; [lra|].
  rewrite (Rmult_comm a). apply Rmult_le_compat_l; lra.
Qed.

(** Theorem 2 with every C and h from a closed form on. *)
Theorem theorem2_clean_closed {Sigma : Type} n T alpha (A : Sigma -> mat) S sigma b c r M h eps C :
  let K := size_bound T S in
  (1 <= T)%nat -> 0 <= S -> (forall w i j, (length w <= T)%nat -> (i < n)%nat -> (j < n)%nat ->
    Rabs (word_product n A w i j) <= S) ->
  0 < eps <= 1 / 2 -> enough_words n T alpha S eps C ->
  smooth sigma b c r M -> c <> 0 -> 0 < h -> 2 * h * (K + 1) <= r ->
  fine_words n T alpha S eps (M * (K + 1) ^ 4 * h ^ 2 / (3 * Rabs c)) ->
  Simulation.approximately_simulates n T alpha A eps
    (word_network n (Nat.log2_up T) alpha A sigma C b h (/ (4 * h ^ 2 * c))).
Proof.
  intros K HT HS Hwords He [HC0 HC] Hsm Hc Hh Hr Hfine. pose proof (K_pos T S HS) as HK. fold K in HK.
  pose proof (four_units_matched sigma b c r M h (K + 1) Hsm Hc Hh Hr) as Hunits.
  set (q := M * (K + 1) ^ 4 * h ^ 2 / (3 * Rabs c)) in *.
  assert (Hq : 0 <= q) by (eapply Rle_trans; [apply Rabs_pos|apply (Hunits 0 0); rewrite Rabs_R0; lra]).
  pose proof (network_off nothing sigma b h (/ (4 * h ^ 2 * c)) (K + 1) q (word_products n) Hq Hunits) as HB.
  rewrite word_psize in HB. pose proof (pow_le _ 3 (pos_INR n)).
  apply (word_close n T alpha A S sigma b h _ ((INR n ^ 3 + 3) * q) eps C); auto.
  { apply Rmult_le_pos; lra. }
  unfold fine_words in Hfine. apply leak_below in HC. fold K in HC |- *. rewrite Rmult_plus_distr_r.
  rewrite <- Rmult_assoc, (Rmult_comm q) in Hfine. lra.
Qed.

(** For every WFA with n states over finitely many letters, every T >= 1, every activation that is
    curved somewhere and every eps > 0 there is a transformer with softmax and MLPs on the T + 1
    tokens of a begin token and the word, with nothing given anew, of depth log T, that simulates the
    automaton with precision eps. *)
Theorem theorem2_clean {Sigma : Type} n T alpha (A : Sigma -> mat) (letters : list Sigma) sigma :
  (1 <= T)%nat -> (forall a, In a letters) -> usable sigma -> forall eps, 0 < eps ->
  exists C b h s, Simulation.approximately_simulates n T alpha A eps
    (word_network n (Nat.log2_up T) alpha A sigma C b h s).
Proof.
  intros HT Hall (b & c & Hc & Hc0) eps0 He0.
  destruct (letters_bound n A letters) as (U & HU & HA). set (S := (INR n * U + 1) ^ T).
  assert (Hq1 : 1 <= INR n * U + 1) by (pose proof (Rmult_le_pos _ _ (pos_INR n) HU); lra).
  assert (HS : 0 <= S) by (apply pow_le; lra). pose proof (K_pos T S HS) as HK.
  set (eps := Rmin eps0 (1 / 2)). assert (He : 0 < eps <= 1 / 2) by (split; [apply Rmin_glb_lt; lra|apply Rmin_r]).
  destruct (enough (size_bound T S) T (word_growth n T S ^ Nat.log2_up T * word_margin n T alpha eps) HK)
    as (C & eta & HC & Heta & Hm).
  destruct (network_computes nothing sigma b c (size_bound T S + 1) (word_products n) Hc Hc0 ltac:(lra) eta Heta)
    as (h & Hh & G).
  exists C, b, h, (/ (4 * h ^ 2 * c)). intros x Hx. apply Rlt_le_trans with eps; [|apply Rmin_l].
  apply (word_close n T alpha A S sigma b h _ eta eps C); auto; [|lra|apply G; lra|apply Hm; lra].
  intros w i j Hw Hi Hj. eapply Rle_trans; [apply (word_product_bound n A U HU); auto|]. now apply Rle_pow.
Qed.
