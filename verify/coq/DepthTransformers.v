(** * Theorem 1 has the least depth: hard attention in the forward pass of Pass.v

    Section 3.2. A transformer of Pass.v with hard attention in all heads is a network of DepthBound.v, whatever
    its widths, masks, weights and feed-forward blocks: a head reads the row of its strict maximum, or
    nothing ([pass_is_network]). So the bounds of DepthBound.v hold for simulation within 1/2 of automata
    with n >= 2 states. Two settings, told apart by a truth value [own]: without residual connections, where the
    columns that are supplied again do not depend on the letter, as in the proof of Theorem 1 ([plain]), a layer
    with h heads brings h tokens together; with residual connections, or whatever is supplied again, h + 1.

    [hard_attention_depth]          N tokens, L layers and h heads with h^L < T, or (h + 1)^L < T, do not simulate
                                    the automaton that adds digits, over any alphabet with enough digits
    [hard_attention_depth_numbers]  the same with one automaton for all N, L, h: its letters are the numbers
    [one_head_fails]                so one head without residual connections is not enough in any depth, T >= 2
    [hard_attention_depth_binary]   over two letters: the automaton that reads binary numerals
    [theorem1_depth_optimal]        with two heads ceil(log2 T) layers are enough for all automata with n states;
                                    fewer are not

    Alphabets. A finite alphabet has more than (N+1)^(h + h^2 + .. + h^L) letters, so it is chosen after the
    numbers of tokens, heads and layers; or letters are all the numbers. Over two letters the bound is short of
    log_h T by about log log N; DepthBound.v shows that some such loss cannot be avoided.

    Main definitions: [all_hard], [at_most], [plain], [counter], [brought], [digits], [theorem1_model].
    Main theorems:    [pass_is_network] and those above. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Compat Sums Theorem1 TreeModel ReluSpan ReluTransformers.
From Assay Require Model Simulation Statements Pass DepthBound.
Import Simulation(dense, height, breadth, number_at, times).
Import ListNotations.
Open Scope R_scope.

(** ** A head with hard attention reads one row or none *)

Section Heads.
Variable N : nat.

Definition hits (hd : Pass.head) (X : mat) (r s : nat) : bool :=
  allowed (Pass.seen hd) r s && all_below N (fun s' =>
    (s' =? s)%nat || negb (allowed (Pass.seen hd) r s') || Rltb (Pass.scores hd X r s') (Pass.scores hd X r s)).

Definition place_read (hd : Pass.head) (X : mat) (r : nat) : nat :=
  match find (hits hd X r) (seq 0 N) with Some s => s | None => N end.

Lemma one_hit hd X r s s' : (s < N)%nat -> (s' < N)%nat ->
  hits hd X r s = true -> hits hd X r s' = true -> s = s'.
Proof.
  unfold hits. rewrite !andb_true_iff, !all_below_spec. intros Hs Hs' [A H] [A' H'].
  destruct (Nat.eq_dec s s') as [|Hne]; [assumption|exfalso].
  specialize (H s' Hs'). specialize (H' s Hs). rewrite A' in H. rewrite A in H'.
  rewrite (proj2 (Nat.eqb_neq _ _)) in H by auto. rewrite (proj2 (Nat.eqb_neq _ _)) in H' by auto.
  cbn in H, H'. unfold Rltb in *.
  destruct (Rlt_dec _ _) in H; [|discriminate]. destruct (Rlt_dec _ _) in H'; [lra|discriminate].
Qed.

Definition value_read (hd : Pass.head) (o : option vector) : vector :=
  match o with Some x => through (Pass.value hd) x | None => fun _ => 0 end.

Lemma attended_is_read hd X r : Pass.how hd = Hard ->
  Pass.attended N hd X r = value_read hd (DepthBound.read N X (place_read hd X r)).
Proof.
  intro Hh. apply functional_extensionality. intro c. unfold Pass.attended, mmul. rewrite Hh.
  cbn [attend]. unfold hard_masked. unfold place_read.
  destruct (find _ _) as [s|] eqn:Ef.
  - apply find_some in Ef as [Hin Hit]. apply in_seq in Hin.
    unfold DepthBound.read. rewrite (proj2 (Nat.ltb_lt s N)) by lia. cbn [value_read].
    rewrite (sum_single N _ s); [|lia|].
    + unfold hits in Hit. rewrite Hit. cbn [b2r]. rewrite Rmult_1_l. reflexivity.
    + intros p Hp Hne. destruct (_ && _) eqn:E; [|cbn [b2r]; ring].
      exfalso. apply Hne. now apply (one_hit hd X r); [lia|lia|exact E|].
  - unfold DepthBound.read. rewrite Nat.ltb_irrefl. cbn [value_read]. apply sum_zero. intros p Hp.
    apply (find_none _ _) with (x := p) in Ef; [|apply in_seq; lia]. unfold hits in Ef. rewrite Ef.
    cbn [b2r]. ring.
Qed.

(** The heads side by side, from what they read. *)
Fixpoint joined_reads (hs : list Pass.head) (os : list (option vector)) : vector :=
  match hs, os with
  | hd :: hs, o :: os => fun c => if (c <? breadth (Pass.value hd))%nat then value_read hd o c
                                  else joined_reads hs os (c - breadth (Pass.value hd))%nat
  | _, _ => fun _ => 0
  end.

Lemma joined_is_read hs X r : (forall hd, In hd hs -> Pass.how hd = Hard) ->
  Pass.joined N hs X r = joined_reads hs (map (fun hd => DepthBound.read N X (place_read hd X r)) hs).
Proof.
  induction hs as [|hd hs IH]; intro H; [reflexivity|]. apply functional_extensionality. intro c.
  unfold Pass.joined in *. cbn [map Model.concat joined_reads].
  rewrite <- IH by (intros; apply H; now right).
  rewrite <- attended_is_read by (apply H; now left). reflexivity.
Qed.
End Heads.

(** ** A transformer with hard attention is a network *)

Definition all_hard (m : Pass.model) : Prop :=
  forall ly hd, In ly (Pass.layers m) -> In hd (Pass.heads ly) -> Pass.how hd = Hard.

(** At most L layers and h heads in each. *)
Definition at_most (L h : nat) (m : Pass.model) : Prop :=
  (length (Pass.layers m) <= L)%nat /\
  forall ly, In ly (Pass.layers m) -> (length (Pass.heads ly) <= h)%nat.

(** No residual connections, and nothing of the letter is supplied again. *)
Definition plain {Sigma : Type} (m : Pass.model) (embedding : nat -> option Sigma -> nat -> R) : Prop :=
  (forall ly, In ly (Pass.layers m) -> Pass.residual ly = false) /\
  forall r o o' c, Pass.renewed m c = true -> embedding r o c = embedding r o' c.

(** How many tokens a layer brings together: those that its heads read and, where it may be needed, the own one. *)
Definition brought (own : bool) (h : nat) : nat := if own then S h else h.

Section Network.
Context {Sigma : Type} (N : nat) (m : Pass.model) (embedding : nat -> option Sigma -> nat -> R).
Variables (letter : nat -> Sigma) (place : nat -> nat) (exit : nat) (own : bool).

(** A token: its row, and its row in the embedding. *)
Definition token : Type := vector * vector.

Definition new_row (ly : Pass.layer) (old : vector) (os : list (option vector)) : vector :=
  let join := through (Pass.combine ly) (joined_reads (Pass.heads ly) os) in
  let y := fun c => if Pass.residual ly then old c + join c else join c in
  fun c => if Pass.residual ly then y c + Pass.feedforward ly y c else Pass.feedforward ly y c.

Definition layer_of (ly : Pass.layer) : DepthBound.layer token :=
  DepthBound.Layer (length (Pass.heads ly)) own
    (fun k i x => match nth_error (Pass.heads ly) k with
                  | Some hd => place_read N hd (fun r => fst (x r)) i | None => N end)
    (fun i o reads =>
       let '(old, e) := match o with Some t => t | None => (fun _ => 0, embedding i None) end in
       (fun c => if Pass.renewed m c then e c else new_row ly old (map (option_map fst) reads) c, e)).

Definition network_of : DepthBound.network nat token vector :=
  DepthBound.Network N place
    (fun r o => let e := embedding r (option_map letter o) in (e, e))
    (map layer_of (Pass.layers m)) exit
    (fun t c => through (Pass.readout m) (fst t) c + Pass.offset m c).

Hypothesis hard_heads : all_hard m.
Hypothesis setting : own = true \/ plain m embedding.

Lemma map_nth_error_seq {A B} (f : A -> B) (d : B) (l : list A) :
  map (fun k => match nth_error l k with Some a => f a | None => d end) (seq 0 (length l)) = map f l.
Proof.
  induction l as [|a l IH]; [reflexivity|]. cbn [length seq map nth_error]. f_equal.
  rewrite <- seq_shift, map_map. exact IH.
Qed.

Lemma layer_row ly (x : nat -> token) (E : mat) i : In ly (Pass.layers m) ->
  (forall c, Pass.renewed m c = true ->
     (if own then snd (x i) else embedding i None) c = E i c) ->
  fst (DepthBound.step N (layer_of ly) x i)
  = (fun c => if Pass.renewed m c then E i c else Pass.run_layer N ly (fun r => fst (x r)) i c).
Proof.
  intros Hly HE. unfold DepthBound.step. cbn [layer_of DepthBound.made DepthBound.residual
    DepthBound.heads DepthBound.chosen].
  set (X := fun r => fst (x r)).
  assert (Hreads : map (option_map fst) (map (fun k => DepthBound.read N x
      match nth_error (Pass.heads ly) k with Some hd => place_read N hd X i | None => N end)
      (seq 0 (length (Pass.heads ly))))
    = map (fun hd => DepthBound.read N X (place_read N hd X i)) (Pass.heads ly)).
  { rewrite map_map, <- (map_nth_error_seq (fun hd => DepthBound.read N X (place_read N hd X i)) None).
    apply map_ext. intro k.
    destruct (nth_error _ k) as [hd|]; unfold DepthBound.read; [destruct (_ <? _)%nat; reflexivity|].
    now rewrite Nat.ltb_irrefl. }
  assert (Hrow : forall old, (Pass.residual ly = true -> old = X i) ->
    new_row ly old (map (fun hd => DepthBound.read N X (place_read N hd X i)) (Pass.heads ly))
    = Pass.run_layer N ly X i).
  { intros old Hold. unfold new_row. rewrite <- joined_is_read by (intros; now apply (hard_heads ly)).
    apply functional_extensionality. intro c. unfold Pass.run_layer, Pass.after_attention, Pass.added.
    destruct (Pass.residual ly); [rewrite Hold by reflexivity|]; reflexivity. }
  destruct own eqn:Eown.
  - destruct (x i) as [old e] eqn:Ex. cbn [fst snd] in *.
    apply functional_extensionality. intro c. destruct (Pass.renewed m c) eqn:Ec; [now apply HE|].
    rewrite <- (Hrow old) by (intros _; unfold X; now rewrite Ex).
    exact (f_equal (fun l => new_row ly old l c) Hreads).
  - destruct setting as [|[Hres _]]; [discriminate|]. cbn [fst].
    apply functional_extensionality. intro c. destruct (Pass.renewed m c) eqn:Ec; [now apply HE|].
    rewrite <- (Hrow (fun _ => 0)) by (rewrite (Hres ly Hly); discriminate).
    exact (f_equal (fun l => new_row ly (fun _ => 0) l c) Hreads).
Qed.

Theorem pass_is_network (w : list nat) :
  DepthBound.output network_of w
  = Pass.forward N m (reads_letters embedding place (map letter w)) exit.
Proof.
  unfold DepthBound.output, Pass.forward. cbn [network_of DepthBound.said DepthBound.places
    DepthBound.layers DepthBound.exit]. set (x0 := DepthBound.tokens network_of w).
  set (E := reads_letters embedding place (map letter w)).
  assert (H0 : forall r, x0 r = (E r, E r)).
  { intro r. unfold x0, DepthBound.tokens, E, reads_letters. cbn. now rewrite nth_error_map. }
  enough (H : (fun r => fst (DepthBound.run N (map layer_of (Pass.layers m)) x0 r)) = Pass.run_layers N m E).
  { apply functional_extensionality. intro c. rewrite <- H. reflexivity. }
  enough (H : forall lys, incl lys (Pass.layers m) ->
    (fun r => fst (DepthBound.run N (map layer_of lys) x0 r)) = fold_left (fun X ly r c =>
      if Pass.renewed m c then E r c else Pass.run_layer N ly X r c) lys E /\
    (own = true -> forall r, snd (DepthBound.run N (map layer_of lys) x0 r) = E r))
    by (apply (H (Pass.layers m)), incl_refl).
  intro lys. rewrite <- (rev_involutive lys). induction (rev lys) as [|ly back IH]; intro Hin.
  - unfold DepthBound.run. cbn [rev map fold_left].
    split; [apply functional_extensionality; intro r|intros _ r]; now rewrite H0.
  - cbn [rev] in *. destruct IH as [I1 I2]; [intros a Ha; apply Hin, in_or_app; now left|].
    assert (Hly : In ly (Pass.layers m)) by (apply Hin, in_or_app; right; now left).
    rewrite map_app, fold_left_app. cbn [map fold_left]. rewrite DepthBound.run_last. rewrite <- I1. split.
    + apply functional_extensionality. intro r. apply layer_row; [exact Hly|]. intros c Hc.
      destruct setting as [Eo|[_ Hp]].
      * rewrite Eo, I2 by exact Eo. reflexivity.
      * destruct own; [now rewrite I2|]. unfold E, reads_letters. now apply Hp.
    + intros Eo r. unfold DepthBound.step. cbn [layer_of DepthBound.made DepthBound.residual].
      rewrite Eo. destruct (DepthBound.run _ _ _ r) as [old e] eqn:Ex. cbn [snd].
      specialize (I2 Eo r). rewrite Ex in I2. exact I2.
Qed.

Lemma network_within L h : at_most L h m -> DepthBound.within network_of N L (brought own h).
Proof.
  intros [HL Hh]. split; [reflexivity|]. cbn [network_of DepthBound.layers]. rewrite map_length.
  split; [exact HL|]. intros ly Hly. apply in_map_iff in Hly as (l & <- & Hl). specialize (Hh l Hl).
  unfold DepthBound.arms, brought. cbn. destruct own; lia.
Qed.
End Network.

(** ** States, letter by letter *)

Lemma states_next {Sigma : Type} n alpha (A : Sigma -> mat) w t a j : nth_error w t = Some a ->
  Simulation.states n alpha A w (S t) j = sum n (fun k => Simulation.states n alpha A w t k * A a k j).
Proof.
  intro Ea. unfold Simulation.states. cbn [Model.state]. unfold Simulation.letter.
  destruct (Z.leb_spec (Z.of_nat (S t)) 0); [lia|].
  replace (Z.to_nat (Z.of_nat (S t)) - 1)%nat with t by lia. now rewrite Ea.
Qed.

(** ** The automaton: its second state is a numeral in base b, a sum if b is 1 *)

(** The digit of a letter is a number; letters below K for a finite alphabet, or all numbers. *)
Definition counter {Sigma : Type} (digit : Sigma -> nat) (b : nat) (x : Sigma) : mat := fun i j =>
  if (i =? 0)%nat && (j =? 1)%nat then INR (digit x)
  else if (i =? 1)%nat && (j =? 1)%nat then INR b else I i j.

Lemma sum_two n (f : nat -> R) : (2 <= n)%nat ->
  sum n f = f 0%nat + f 1%nat + sum (n - 2) (fun p => f (2 + p)%nat).
Proof. intro H. replace n with (2 + (n - 2))%nat at 1 by lia. rewrite sum_add. cbn [sum]. ring. Qed.

Lemma counter_states {Sigma : Type} (digit : Sigma -> nat) n b (w : list Sigma) t : (2 <= n)%nat ->
  (t <= length w)%nat -> Simulation.states n first_state (counter digit b) w t 0%nat = 1 /\
  Simulation.states n first_state (counter digit b) w t 1%nat
  = INR (DepthBound.numeral b 0 (map digit (firstn t w))).
Proof.
  intro Hn. induction t as [|t IH]; intro Ht; [split; reflexivity|]. destruct IH as [I0 I1]; [lia|].
  destruct (nth_error w t) as [a|] eqn:Ea; [|apply nth_error_None in Ea; lia].
  rewrite !(states_next _ _ _ _ _ a), !(sum_two n), I0, I1 by assumption.
  rewrite (firstn_next w t a Ea), map_app. cbn [map]. rewrite DepthBound.numeral_app.
  rewrite !sum_zero by (intros; unfold counter, I; cbn [Nat.add Nat.eqb andb b2r]; ring).
  unfold counter, I. cbn [Nat.eqb andb b2r]. rewrite plus_INR, mult_INR. split; ring.
Qed.

Lemma close_entry n (f g : nat -> R) eps j : sqrt (sum n (fun j => (f j - g j) ^ 2)) < eps -> (j < n)%nat ->
  Rabs (f j - g j) < eps.
Proof.
  intros H Hj. set (e := sqrt _) in H. apply Rle_lt_trans with ((e + eps) / 2); [|lra].
  apply (entry_of_norm n); [fold e; lra|exact Hj].
Qed.

Lemma half_apart (a b : nat) (x : R) : Rabs (x - INR a) < / 2 -> Rabs (x - INR b) < / 2 -> a = b.
Proof.
  intros H H'. destruct (Nat.eq_dec a b) as [|Hne]; [assumption|exfalso].
  pose proof (ReluGrid.INR_apart a b Hne). revert H H' H0. unfold Rabs.
  repeat destruct (Rcase_abs _); lra.
Qed.

(** Whatever simulates the automaton tells words apart that have different numerals. *)
Lemma simulation_tells {Sigma : Type} (digit : Sigma -> nat) (letter : nat -> Sigma) K n b T f (v v' : list nat) :
  (forall a, (a < K)%nat -> digit (letter a) = a) -> (2 <= n)%nat ->
  Simulation.approximately_simulates n T first_state (counter digit b) (/ 2) f ->
  DepthBound.word T K v -> DepthBound.word T K v' -> f (map letter v) T = f (map letter v') T ->
  DepthBound.numeral b 0 v = DepthBound.numeral b 0 v'.
Proof.
  intros Hdigit Hn Hs Hv Hv' E.
  assert (G : forall u, DepthBound.word T K u ->
    Rabs (f (map letter u) T 1%nat - INR (DepthBound.numeral b 0 u)) < / 2).
  { intros u [HL HF]. destruct (counter_states digit n b (map letter u) T Hn) as [_ S].
    { rewrite map_length. lia. }
    assert (Eu : map digit (firstn T (map letter u)) = u).
    { rewrite firstn_all2, map_map by (rewrite map_length; lia). etransitivity; [|apply map_id].
      apply map_ext_in. intros a Ha. rewrite Forall_forall in HF. now apply Hdigit, HF. }
    rewrite Eu in S. rewrite <- S. apply (close_entry n); [|lia].
    apply (row_of_norm n T T (f (map letter u))); [lia|]. apply Hs. now rewrite map_length. }
  apply (half_apart _ _ (f (map letter v) T 1%nat)); [now apply G|]. rewrite E. now apply G.
Qed.

(** ** The bounds *)

(** As many choices of heads there are; an alphabet with more digits is enough. *)
Definition digits (own : bool) (N L h : nat) : nat := (S N ^ DepthBound.geometric (brought own h) L)%nat.

(** N tokens, L layers and h heads with h^L < T, or (h + 1)^L < T with residual connections: the automaton that
    adds digits is out of reach, over every alphabet with more than [digits] digits, which is chosen after N, L
    and h. *)
Theorem hard_attention_depth {Sigma : Type} (digit : Sigma -> nat) (letter : nat -> Sigma) (own : bool)
    (N L h T n : nat) : (1 <= brought own h)%nat -> (2 <= n)%nat -> (brought own h ^ L < T)%nat ->
  (forall a, (a <= digits own N L h)%nat -> digit (letter a) = a) ->
  forall (transformer : Pass.model) (embedding : nat -> option Sigma -> nat -> R) (place row : nat -> nat),
  all_hard transformer -> at_most L h transformer -> own = true \/ plain transformer embedding ->
  ~ Simulation.approximately_simulates n T first_state (counter digit 1) (/ 2)
      (fun w t => Pass.forward N transformer (reads_letters embedding place w) (row t)).
Proof.
  intros Hh Hn HT Hdigit transformer embedding place row Hhard Hsize Hset Hsim.
  destruct (DepthBound.sums_collide N L (brought own h) T (S (digits own N L h)) Hh HT (le_n _) token vector
    (network_of N transformer embedding letter place (row T) own)) as (v & v' & Hv & Hv' & Hne & E);
    [now apply network_within|]. rewrite !pass_is_network in E by assumption.
  pose proof (simulation_tells digit letter (S (digits own N L h)) n 1 T _ v v' ltac:(intros; apply Hdigit; lia)
    Hn Hsim Hv Hv' E) as H. now rewrite !DepthBound.numeral_sum in H.
Qed.

(** One automaton for all numbers of tokens, heads and layers: its letters are the numbers. *)
Corollary hard_attention_depth_numbers (own : bool) (N L h T n : nat) : (1 <= brought own h)%nat -> (2 <= n)%nat ->
  (brought own h ^ L < T)%nat ->
  forall (transformer : Pass.model) (embedding : nat -> option nat -> nat -> R) (place row : nat -> nat),
  all_hard transformer -> at_most L h transformer -> own = true \/ plain transformer embedding ->
  ~ Simulation.approximately_simulates n T first_state (counter (fun a => a) 1) (/ 2)
      (fun w t => Pass.forward N transformer (reads_letters embedding place w) (row t)).
Proof.
  intros Hh Hn HT.
  exact (hard_attention_depth (fun a => a) (fun a => a) own N L h T n Hh Hn HT (fun a _ => eq_refl)).
Qed.

(** One head without residual connections is not enough for two letters, however many layers and tokens there are;
    letters are the numbers. *)
Corollary one_head_fails (N L T n : nat) : (2 <= n)%nat -> (2 <= T)%nat ->
  forall (transformer : Pass.model) (embedding : nat -> option nat -> nat -> R) (place row : nat -> nat),
  all_hard transformer -> at_most L 1 transformer -> plain transformer embedding ->
  ~ Simulation.approximately_simulates n T first_state (counter (fun a => a) 1) (/ 2)
      (fun w t => Pass.forward N transformer (reads_letters embedding place w) (row t)).
Proof.
  intros Hn HT transformer embedding place row H1 H2 H3.
  apply (hard_attention_depth_numbers false N L 1); auto. cbn [brought]. rewrite Nat.pow_1_l. lia.
Qed.

(** Two letters, chosen before everything else: the automaton that reads binary numerals. The number of tokens
    enters through its logarithm. *)
Theorem hard_attention_depth_binary (own : bool) (N L h T n : nat) : (1 <= brought own h)%nat -> (2 <= n)%nat ->
  (brought own h ^ L + DepthBound.geometric (brought own h) L * Nat.log2_up (S N) < T)%nat ->
  forall (transformer : Pass.model) (embedding : nat -> option (letters_below 2) -> nat -> R)
    (place row : nat -> nat),
  all_hard transformer -> at_most L h transformer -> own = true \/ plain transformer embedding ->
  ~ Simulation.approximately_simulates n T first_state (counter (@proj1_sig nat _ : letters_below 2 -> nat) 2)
      (/ 2) (fun w t => Pass.forward N transformer (reads_letters embedding place w) (row t)).
Proof.
  intros Hh Hn HT transformer embedding place row Hhard Hsize Hset Hsim.
  destruct (DepthBound.numerals_collide N L (brought own h) T 2 Hh ltac:(lia) (DepthBound.binary_count _ _ _ _ HT)
    token vector (network_of N transformer embedding (letter 1) place (row T) own))
    as (v & v' & Hv & Hv' & Hne & E); [now apply network_within|]. rewrite !pass_is_network in E by assumption.
  apply Hne. exact (simulation_tells (@proj1_sig nat _) (letter 1) 2 n 2 T _ v v'
    ltac:(intros; apply letter_is; lia) Hn Hsim Hv Hv' E).
Qed.

(** ** Theorem 1, which has this depth, in the forward pass of Pass.v *)

Section Built.
Context {Sigma : Type} (n T : nat) (alpha : nat -> R) (A : Sigma -> mat).
Let L := Nat.log2_up T.

Definition theorem1_layer (l : nat) : Pass.layer :=
  let ly := Model.layer_at n L (fun w => w) l in
  Pass.layer_of Hard (fun x => x) (Simulation.RealLayer (map (Simulation.head_of alpha 1) (Model.heads ly))
    (Simulation.dense_of alpha 1 (Model.WO ly)) (Simulation.bilinear_of alpha 1 (Model.feedforward ly))).

Definition theorem1_model : Pass.model :=
  Pass.model_of Hard (fun x => x) (Pass.angles n)
    (Simulation.network_of alpha 1 (Model.construction n L (fun w => w))).

Definition theorem1_token (r : nat) (o : option Sigma) : nat -> R := Simulation.token_of n L A o r.
Definition theorem1_place (r : nat) : nat :=
  if (Model.pos L r <=? 0)%Z then T else (Z.to_nat (Model.pos L r) - 1)%nat.
Definition theorem1_row (t : nat) : nat := (t + 2 ^ L - 1)%nat.

Lemma theorem1_layers : Pass.layers theorem1_model = map theorem1_layer (seq 1 L).
Proof.
  cbn [theorem1_model Pass.model_of Pass.layers Simulation.network_of Simulation.real_layers Model.construction
    Model.layers]. now rewrite !map_map.
Qed.

Lemma theorem1_heads l : exists a b, Pass.heads (theorem1_layer l) = [a; b] /\ Pass.how a = Hard /\
  Pass.how b = Hard /\ Pass.value a = Simulation.dense_of alpha 1 (Model.keep n 0) /\
  Pass.value b = Simulation.dense_of alpha 1 (Model.keep n (Model.n2 n)).
Proof. eexists _, _. repeat split. Qed.

Lemma theorem1_hard : all_hard theorem1_model.
Proof.
  intros ly hd Hly Hhd. rewrite theorem1_layers in Hly. apply in_map_iff in Hly as (l & <- & _).
  destruct (theorem1_heads l) as (a & b & E & Ha & Hb & _). rewrite E in Hhd.
  destruct Hhd as [<-|[<-|[]]]; assumption.
Qed.

Lemma theorem1_plain : plain theorem1_model theorem1_token.
Proof.
  split.
  - intros ly Hly. rewrite theorem1_layers in Hly. apply in_map_iff in Hly as (l & <- & _). reflexivity.
  - intros r o o' c Hc. cbn [theorem1_model Pass.model_of Pass.renewed] in Hc. unfold Pass.angles in Hc.
    apply Nat.leb_le in Hc. unfold theorem1_token, Simulation.token_of.
    destruct (Nat.ltb_spec c (Model.n2 n)); [lia|]. destruct (Nat.ltb_spec c (2 * Model.n2 n)); [lia|].
    reflexivity.
Qed.

Theorem theorem1_pass : (1 <= T)%nat -> Simulation.simulates n T alpha A (fun w t =>
  Pass.forward (Model.N L) theorem1_model (reads_letters theorem1_token theorem1_place w) (theorem1_row t)).
Proof.
  intros HT w Hw t j Ht Hj.
  assert (E : reads_letters theorem1_token theorem1_place w = Simulation.tokens_of n L A w).
  { apply functional_extensionality. intro r.
    unfold reads_letters, theorem1_place, theorem1_token, Simulation.tokens_of, Simulation.letter.
    destruct (_ <=? 0)%Z; [|reflexivity]. now rewrite (proj2 (nth_error_None w T)) by lia. }
  rewrite E. pose proof (Pass.words_pass n L A alpha 1 (fun w => w) Hard Theorem1.hard (fun x => x) w t
    (Pass.hard_everywhere (Model.N L))) as P. cbv zeta in P. unfold theorem1_row, theorem1_model. rewrite <- P.
  rewrite <- (Statements.hard_answers n T alpha A). now apply Theorem1.theorem1_any_length.
Qed.
End Built.

(** With two heads in each layer and without residual connections ceil(log2 T) layers of hard attention are
    enough for every automaton with n states over any alphabet; fewer are not, on N tokens, over a finite
    alphabet that is chosen after N. *)
Theorem theorem1_depth_optimal (n T : nat) : (2 <= n)%nat -> (1 <= T)%nat ->
  (forall (Sigma : Type) (alpha : nat -> R) (A : Sigma -> mat),
   exists N (transformer : Pass.model) (embedding : nat -> option Sigma -> nat -> R) (place row : nat -> nat),
   all_hard transformer /\ at_most (Nat.log2_up T) 2 transformer /\ plain transformer embedding /\
   Simulation.simulates n T alpha A
     (fun w t => Pass.forward N transformer (reads_letters embedding place w) (row t))) /\
  (forall N L, (L < Nat.log2_up T)%nat ->
   exists K (alpha : nat -> R) (A : letters_below K -> mat),
   forall (transformer : Pass.model) (embedding : nat -> option (letters_below K) -> nat -> R)
     (place row : nat -> nat),
   all_hard transformer -> at_most L 2 transformer -> plain transformer embedding ->
   ~ Simulation.approximately_simulates n T alpha A (/ 2)
       (fun w t => Pass.forward N transformer (reads_letters embedding place w) (row t))).
Proof.
  intros Hn HT. split.
  - intros Sigma alpha A. exists (Model.N (Nat.log2_up T)), (theorem1_model n T alpha), (theorem1_token n T A),
      (theorem1_place T), (theorem1_row T).
    split; [apply theorem1_hard|]. split; [|split; [apply theorem1_plain|now apply theorem1_pass]].
    unfold at_most. rewrite theorem1_layers, map_length, seq_length. split; [lia|].
    intros ly Hly. apply in_map_iff in Hly as (l & <- & _).
    destruct (theorem1_heads n T alpha l) as (a & b & E & _). rewrite E. cbn. lia.
  - intros N L HL. exists (S (digits false N L 2)), first_state, (counter (@proj1_sig nat _) 1).
    intros transformer embedding place row H1 H2 H3.
    apply (hard_attention_depth (@proj1_sig nat _) (letter (digits false N L 2)) false N L 2); auto;
      cbn [brought]; [lia| |intros; now apply letter_is].
    destruct (Nat.le_gt_cases T (2 ^ L)) as [Hle|]; [|assumption].
    apply (Nat.log2_up_le_pow2 T L) in Hle; lia.
Qed.
