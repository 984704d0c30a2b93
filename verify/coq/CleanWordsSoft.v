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
From Assay Require Import TreeInexact TreeMLP FreeModel TreeSimulation SoftStep CleanWords.
From Assay Require Simulation NoPadsWeights Recursion.
Import Simulation(letter, padded).
Import NoPadsWeights(spanned).
Import ListNotations.
Open Scope R_scope.

Lemma word_plain n : Forall (fun p => plain (times p)) (word_products n).
Proof.
  unfold word_products, matrix_products. rewrite Forall_app. split; [|repeat constructor].
  apply Forall_flat_map, Forall_forall. intros i _. apply Forall_flat_map, Forall_forall.
  intros j _. apply Forall_map, Forall_forall. intros; exact Logic.I.
Qed.

(** ** The tokens of the exact model are bounded *)

(** A bound on all entries after l layers, U one on those of the letters. *)
Fixpoint grown (n : nat) (U : R) (l : nat) : R :=
  match l with O => U | S l' => grown n U l' + INR n * (grown n U l' * grown n U l') end.

Lemma grown_pos n U l : 0 <= U -> 0 <= grown n U l.
Proof.
  intro H. pose proof (pos_INR n). induction l as [|l IH]; cbn [grown]; [exact H|].
  assert (0 <= INR n * (grown n U l * grown n U l)) by (repeat apply Rmult_le_pos; auto). lra.
Qed.

Lemma grown_le n U l k : 0 <= U -> (l <= k)%nat -> grown n U l <= grown n U k.
Proof.
  intros HU H. induction H as [|k H IH]; [lra|]. cbn [grown].
  pose proof (grown_pos n U k HU). pose proof (pos_INR n).
  assert (0 <= INR n * (grown n U k * grown n U k)) by (repeat apply Rmult_le_pos; auto). lra.
Qed.

Lemma spanned_bound n (A : nat -> mat) U : 0 <= U ->
  (forall r i j, (i < n)%nat -> (j < n)%nat -> Rabs (NoPadsWeights.token A r i j) <= U) ->
  forall l r i j, (i < n)%nat -> (j < n)%nat -> Rabs (spanned n A l r i j) <= grown n U l.
Proof.
  intros HU HA. induction l as [|l IH]; intros r i j Hi Hj; [now apply HA|].
  cbn [NoPadsWeights.spanned grown]. unfold NoPadsWeights.clean_step, mmul.
  pose proof (grown_pos n U l HU) as HG.
  apply Rle_trans with (INR n * (grown n U l * grown n U l)); [|lra].
  eapply Rle_trans; [apply sum_abs|]. rewrite <- sum_const. apply sum_le. intros k Hk.
  rewrite Rabs_mult. apply Rmult_le_compat; try apply Rabs_pos; auto.
Qed.

Lemma letters_bound {Sigma : Type} n (A : Sigma -> mat) (letters : list Sigma) :
  exists U, 0 <= U /\ forall a i j, In a letters -> (i < n)%nat -> (j < n)%nat -> Rabs (A a i j) <= U.
Proof.
  assert (R0 : forall (f : nat -> R) k, exists V, 0 <= V /\ forall j, (j < k)%nat -> Rabs (f j) <= V).
  { intros f k. exists (sum k (fun j => Rabs (f j))).
    split; [apply sum_nonneg; intros; apply Rabs_pos|]. intros j Hj.
    apply (sum_term k (fun j => Rabs (f j)) j Hj). intros. apply Rabs_pos. }
  induction letters as [|a l (U & HU & H)].
  - exists 0. split; [lra|]. intros a i j [].
  - destruct (R0 (fun c => A a (c / n)%nat (c mod n)%nat) (n * n)%nat) as (V & HV & G).
    exists (Rmax U V). split; [eapply Rle_trans; [exact HU|apply Rmax_l]|].
    intros b i j [<-|Hb] Hi Hj.
    + eapply Rle_trans; [|apply Rmax_r]. specialize (G (i * n + j)%nat ltac:(nia)). cbv beta in G.
      rewrite div_add_l, Nat.div_small, Nat.add_0_r in G by lia.
      now rewrite (Nat.add_comm (i * n)), mod_add, Nat.mod_small in G by lia.
    + eapply Rle_trans; [now apply H|apply Rmax_l].
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

Lemma step_word l rho : 0 < rho -> exists rho0 C0 eta, 0 < rho0 /\ 0 < eta /\
  forall C x B X, C0 <= C -> length x = T ->
    (forall r i j, (i < n)%nat -> (j < n)%nat -> Rabs (held x l r i j) <= S) ->
    computes tensor (K + 1) eta B (word_products n) ->
    close (w x) rho0 X (hard C x l) ->
    close (w x) rho (soft_word_step C x B l X) (hard C x (Datatypes.S l)).
Proof.
  intro Hr. destruct (soft_step leaf tensor (word_specs l) _ K T rho (K_pos T S S_pos) Hr
    (word_plain n)) as (rho0 & C0 & eta & H0 & _ & He & H).
  exists rho0, C0, eta. repeat split; auto. intros C x B X HC Hl HS HB HX.
  pose proof (carries_after n tensor C A x l) as HY.
  apply (H C (w x) [] X B X (hard C x l)); auto.
  - unfold lettered. rewrite map_length. lia.
  - now apply bounded_word.
  - intros r Hrow. repeat constructor; cbn [aims]; eexists;
      [exact (back_target n A x l _ HY l r Hrow)|exact (self_target n A x l _ HY r Hrow)].
Qed.

(** The model with softmax and another block in all layers. *)
Fixpoint run_word_blocks (C : R) (x : list Sigma) (B : (nat -> R) -> nat -> R) (l : nat) : mat :=
  match l with
  | O => word_start n A x
  | Datatypes.S l' => soft_word_step C x B l' (run_word_blocks C x B l')
  end.

Theorem word_precision L : forall l, (l <= L)%nat -> forall eps, 0 < eps -> exists C0 eta, 0 < eta /\
  forall C x B, C0 <= C -> length x = T ->
    (forall k r i j, (k <= L)%nat -> (i < n)%nat -> (j < n)%nat -> Rabs (held x k r i j) <= S) ->
    computes tensor (K + 1) eta B (word_products n) ->
    close (w x) eps (run_word_blocks C x B l) (hard C x l).
Proof.
  induction l as [|l IH]; intros Hl eps He.
  - exists 0, 1. split; [lra|]. intros C x B HC Hx HS HB r c Hr.
    change (Rabs (word_start n A x r c - word_start n A x r c) <= eps).
    rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - destruct (step_word l eps He) as (rho & C1 & e1 & Hrho & He1 & H1).
    destruct (IH ltac:(lia) rho Hrho) as (C0 & e0 & He0 & H0).
    exists (Rmax C0 C1), (Rmin e0 e1). split; [now apply Rmin_glb_lt|].
    intros C x B HC Hx HS HB. pose proof (Rmax_l C0 C1). pose proof (Rmax_r C0 C1).
    cbn [run_word_blocks]. apply H1; auto; [lra| | |].
    + intros. apply HS; auto. lia.
    + eapply computes_le; [apply Rmin_r|exact HB].
    + apply H0; auto; [lra|]. eapply computes_le; [apply Rmin_l|exact HB].
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
  rewrite HS. unfold step. apply functional_extensionality. intro q.
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
    = block (value (fun (_ : Sigma) (_ : nat) => 0) nothing 1 (lettered x)) (word_products n) y).
  { intros l y. apply functional_extensionality. intro c. unfold block. apply lsum_ext. intros p Hp.
    pose proof (proj1 (Forall_forall _ _) (word_plain n) p Hp) as H.
    destruct (out p =? c)%nat; [|reflexivity]. revert H. cbn beta.
    destruct (times p); cbn; tauto || reflexivity. }
  rewrite (run_words_steps n alpha A 1 x Hard _ _ (word_after n nothing 1 A x) _ t j P
    eq_refl (fun l => eq_refl)).
  apply word_states; auto; [lia|]. rewrite Hx. now apply enough_layers.
Qed.

(** ** Theorem 2 *)

(** For every WFA with n states over finitely many letters, every T >= 1, every activation that is
    curved somewhere and every eps > 0 there is a transformer with softmax and MLPs on the T + 1
    tokens of a begin token and the word, with nothing given anew, of depth log T, that simulates the
    automaton with precision eps. *)
Theorem theorem2_clean {Sigma : Type} n T alpha (A : Sigma -> mat) (letters : list Sigma) sigma :
  (1 <= T)%nat -> (forall a, In a letters) -> usable sigma -> forall eps, 0 < eps ->
  exists C b h s, Simulation.approximately_simulates n T alpha A eps
    (word_network n (Nat.log2_up T) alpha A sigma C b h s).
Proof.
  intros HT Hall (b & c & Hc & Hc0) eps He. set (L := Nat.log2_up T).
  destruct (letters_bound n A letters) as (U0 & HU0 & HU). set (U := Rmax U0 1).
  assert (U_0 : 0 <= U) by (eapply Rle_trans; [exact HU0|apply Rmax_l]).
  set (Sz := grown n U L). assert (HS : 0 <= Sz) by now apply grown_pos.
  assert (HI : forall i j, Rabs (I i j) <= U).
  { intros i j. eapply Rle_trans; [|apply Rmax_r]. unfold I, b2r.
    destruct (i =? j)%nat; rewrite ?Rabs_R1, ?Rabs_R0; lra. }
  assert (HB : forall (x : list Sigma) k r i j, (k <= L)%nat -> (i < n)%nat -> (j < n)%nat ->
    Rabs (spanned n (fun t => padded A (letter x (Z.of_nat t))) k r i j) <= Sz).
  { intros x k r i j Hk Hi Hj. eapply Rle_trans; [|now apply (grown_le n U k L)].
    apply spanned_bound; auto. intros [|r'] i' j' Hi' Hj'; cbn [NoPadsWeights.token]; [apply HI|].
    destruct (letter x (Z.of_nat (S r'))) as [a|]; cbn [padded]; [|apply HI].
    eapply Rle_trans; [now apply HU|apply Rmax_l]. }
  set (a := sum n (fun i => Rabs (alpha i))).
  assert (Ha : 0 <= a) by (apply sum_nonneg; intros; apply Rabs_pos).
  set (z := INR (S T) * INR n).
  assert (Hz : 0 <= z) by (apply Rmult_le_pos; apply pos_INR).
  set (q := eps / (z + 1) / (a + 1)).
  assert (Hz' : 0 < eps / (z + 1)) by (apply Rdiv_lt_0_compat; lra).
  assert (Hq : 0 < q) by (apply Rdiv_lt_0_compat; lra).
  destruct (word_precision n T nothing A Sz HS L L (le_n L) q Hq) as (C0 & eta & Het & H).
  destruct (network_computes nothing sigma b c (size_bound T Sz + 1) (word_products n) Hc Hc0
    ltac:(pose proof (K_pos T Sz HS); lra) eta Het) as (h0 & Hh0 & G).
  exists C0, b, h0, (/ (4 * h0 ^ 2 * c)).
  intros x Hx. unfold word_network.
  set (B := run_network sigma b (network nothing h0 (/ (4 * h0 ^ 2 * c)) (word_products n))).
  assert (N : forall t j, (t <= T)%nat -> (j < n)%nat ->
    Rabs (run_words n alpha A (fixed nothing C0) (word_model n Soft (Nat.log2_up T))
            (fun ly => run_network sigma b (network nothing h0 (/ (4 * h0 ^ 2 * c)) (products ly))) x t j
          - Simulation.states n alpha A x t j) <= a * q).
  { intros t j Ht Hj.
    rewrite (run_words_steps n alpha A C0 x Soft B _ (run_word_blocks n nothing A C0 x B) _ t j
      (fun l y => eq_refl) eq_refl (fun l => eq_refl)).
    rewrite <- (word_states n alpha A C0 x L t j) by (auto; try lia; rewrite Hx; now apply enough_layers).
    apply weighted_off. intros i Hi.
    apply (H C0 x B (Rle_refl C0) Hx); [intros; now apply HB|apply G; lra|].
    rewrite rows_word, Hx. lia. }
  apply (frobenius_below (S T) n (fun t j => _ - Simulation.states n alpha A x t j)); [exact He|].
  intros t j Ht Hj. eapply Rle_trans; [apply N; auto; lia|]. left. now apply part_small.
Qed.
