(** * With ReLU, a finite alphabet and a length say how many units are enough

    The complement of ReluTransformers.v, for Section 3.2. There, for numbers of layers, heads, tokens and
    hidden units that are given, some automaton over a large finite alphabet is out of reach of ReLU. Here
    the alphabet, m letters, and the length T are given first. Then one layer with one head and (T+1) m^T - 1
    ReLU units simulates every automaton over this alphabet, exactly, in all T + 1 rows, whatever the number
    of its states and whatever its weights are. So the units may follow the alphabet, but not the alphabet
    the units ([relu_units_follow_the_alphabet]).

    The model: T + 1 tokens, a begin token and the word, without any mask. All scores are 0, so that softmax,
    or attention to all maxima, takes the mean of all tokens; the mean of letters that are multiplied by
    powers of m is a numeral, that of the word, up to a factor. A residual connection adds the position of
    the token itself. So each pair of a word and a position has a whole number of its own below (T+1) m^T.
    One unit for each number but the last makes a piecewise linear function of it with any values there: the
    states. Only the second matrix and the second bias of the MLP depend on the automaton.

    Alphabets. The alphabet is finite and chosen first. The number of units is exponential in T; nothing says
    that it has to be.

    Main definitions: [bend], [lookup] (the model), [lookup_token] (its embedding).
    Main theorems:    [relu_interpolates], [lookup_simulates], [relu_fixed_alphabet],
                      [relu_units_follow_the_alphabet]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Compat Sums TreeModel ReluSpan ReluTransformers DepthTransformers DepthAverages.
From Assay Require Model Simulation Pass DepthBound.
Import Simulation(dense, Dense, height, breadth, number_at, times).
Import ListNotations.
Open Scope R_scope.

(** ** ReLU units through given values *)

(** By how much the slope of the function through the values f changes at u. *)
Definition bend (f : nat -> R) (u : nat) : R :=
  f (S u) - f u - match u with O => 0 | S p => f u - f p end.

Lemma bends_add f k : sum (S k) (bend f) = f (S k) - f k.
Proof. induction k as [|k IH]; cbn [sum] in *; [|rewrite IH]; unfold bend; ring. Qed.

(** U units, one for each whole number below U, take any values at 0, .., U. *)
Theorem relu_interpolates f U k : (k <= U)%nat ->
  sum U (fun u => Rmax 0 (INR k - INR u) * bend f u) + f 0%nat = f k.
Proof.
  intro Hk. replace U with (k + (U - k))%nat by lia. rewrite sum_add, (sum_zero (U - k)), Rplus_0_r.
  2: { intros p _. rewrite plus_INR, Rmax_left by (pose proof (pos_INR p); lra). ring. }
  clear Hk. rewrite (sum_ext k _ (fun u => (INR k - INR u) * bend f u)).
  2: { intros p Hp. apply lt_INR in Hp. now rewrite Rmax_right by lra. }
  induction k as [|k IH]; [cbn; ring|].
  rewrite (sum_ext (S k) _ (fun u => (INR k - INR u) * bend f u + bend f u)) by (intros; rewrite S_INR; ring).
  rewrite sum_plus, bends_add. cbn [sum]. lra.
Qed.

(** ** The model *)

(** Coordinates: the letter, the position, the states. *)
Definition lookup_token {Sigma : Type} (code : Sigma -> nat) (m T r : nat) (o : option Sigma) (c : nat) : R :=
  match c with
  | 0%nat => match o with Some x => INR (code x * m ^ (T - r)) | None => 0 end
  | 1%nat => INR r
  | _ => 0
  end.

(** The mean of the letters, times (T+1)^2. *)
Definition number_head (kind : attention) (n T : nat) : Pass.head :=
  let none := Dense (2 + n) 0 (fun _ _ => 0) in
  Pass.Head none (fun _ => 0) none (Dense (2 + n) 1 (fun p _ => b2r (p =? 0)%nat * INR (S T) ^ 2)) kind Everywhere.

(** It is added to the position; U units then look at that; f says which states belong to which number. *)
Definition lookup_layer (kind : attention) (n T U : nat) (f : nat -> nat -> R) : Pass.layer :=
  Pass.Layer [number_head kind n T] (Dense 1 (2 + n) (fun _ c => b2r (c =? 1)%nat))
    (units (Rmax 0) (Dense (2 + n) U (fun p _ => b2r (p =? 1)%nat)) (fun u => - INR u)
       (Dense U (2 + n) (fun u c => bend (fun k => f k (c - 2)%nat) u)) (fun c => f 0%nat (c - 2)%nat)) true.

Definition lookup (kind : attention) (n T U : nat) (f : nat -> nat -> R) : Pass.model :=
  Pass.Model [lookup_layer kind n T U f] (fun _ => false) (Dense (2 + n) n (fun p j => b2r (p =? 2 + j)%nat))
    (fun _ => 0).

Lemma lookup_within kind n T U f : within (Rmax 0) 1 1 U (without_norms (lookup kind n T U f)).
Proof.
  split; [cbn; lia|]. intros ly [<-|[]]. split; [cbn; lia|].
  do 2 (split; [apply nothing_normalises|]). do 4 eexists. split; [|reflexivity]. cbn. lia.
Qed.

Lemma pick n (x : nat -> R) q : (q < n)%nat -> sum n (fun p => x p * b2r (p =? q)%nat) = x q.
Proof.
  intro Hq. rewrite (sum_single n _ q Hq); [rewrite Nat.eqb_refl; cbn; ring|].
  intros p _ Hne. rewrite (proj2 (Nat.eqb_neq p q)) by exact Hne. cbn. ring.
Qed.

(** What the tokens hold after the attention. *)
Lemma number_reached kind n T U f X r c : kind <> Hard ->
  Pass.after_attention (S T) (lookup_layer kind n T U f) X r c
  = X r c + b2r (c =? 1)%nat * (INR (S T) * sum (S T) (fun s => X s 0%nat)).
Proof.
  intro Hk. set (total := sum (S T) _). unfold Pass.after_attention, Pass.added, times. unfold mmul at 1.
  cbn [lookup_layer Pass.residual Pass.heads Pass.combine height number_at sum].
  unfold Pass.joined. cbn [map Model.concat number_head Pass.value breadth].
  change (0 <? 1)%nat with true. cbv iota. unfold Pass.attended, mmul at 1.
  cbn [Pass.how Pass.seen number_head Pass.value]. assert (HT : 0 < INR (S T)) by (apply lt_0_INR; lia).
  rewrite (sum_ext (S T) _ (fun s => INR (S T) * X s 0%nat)).
  - rewrite <- sum_scal_l. fold total. ring.
  - intros s _. rewrite equal_scores by (auto; intro; reflexivity). cbn [allowed b2r]. rewrite sum_const.
    unfold times, mmul. cbn [height number_at].
    rewrite (sum_ext (2 + n) _ (fun p => X s p * INR (S T) ^ 2 * b2r (p =? 0)%nat)) by (intros; ring).
    rewrite pick by lia. field. lra.
Qed.

Lemma forward_lookup kind n T U f X t j k : kind <> Hard -> (j < n)%nat -> (k <= U)%nat ->
  (forall c, (2 <= c)%nat -> X t c = 0) ->
  X t 1%nat + INR (S T) * sum (S T) (fun s => X s 0%nat) = INR k ->
  Pass.forward (S T) (lookup kind n T U f) X t j = f k j.
Proof.
  intros Hk Hj HU Hzero Hnumber. unfold Pass.forward, Pass.run_layers.
  cbn [lookup Pass.layers Pass.renewed Pass.readout Pass.offset fold_left]. rewrite Rplus_0_r.
  unfold times at 1, mmul. cbn [height number_at]. rewrite pick by lia. unfold Pass.run_layer.
  set (Y := Pass.after_attention _ _ _).
  assert (HY : forall c, Y t c = X t c + b2r (c =? 1)%nat * (INR (S T) * sum (S T) (fun s => X s 0%nat)))
    by (intro c; exact (number_reached kind n T U f X t c Hk)).
  unfold Pass.added. cbn [lookup_layer Pass.residual Pass.feedforward].
  unfold units. cbn [breadth height number_at].
  rewrite (HY (2 + j)%nat), Hzero by lia. change (2 + j =? 1)%nat with false. cbn [b2r].
  rewrite Rmult_0_l, !Rplus_0_l. replace (2 + j - 2)%nat with j by lia.
  rewrite <- (relu_interpolates (fun k => f k j) U k HU). f_equal. apply sum_ext. intros u _. do 2 f_equal.
  rewrite pick, HY, <- Hnumber by lia. cbn [Nat.eqb b2r]. ring.
Qed.

(** ** Every word and position have a number of their own *)

Section Words.
Context {Sigma : Type} (code : Sigma -> nat) (letter : nat -> Sigma) (m T : nat).
Hypothesis finite : forall x, (code x < m)%nat /\ letter (code x) = x.

Lemma letters_add w t : length w = T -> (t <= T)%nat ->
  sum (S t) (fun s => reads_letters (lookup_token code m T) (after_begin T) w s 0%nat)
  = INR (DepthBound.numeral m 0 (map code (firstn t w)) * m ^ (T - t)).
Proof.
  intro Hw. induction t as [|t IH]; intro Ht.
  - unfold reads_letters. cbn. rewrite (proj2 (nth_error_None w T)) by lia. ring.
  - cbn [sum] in *. rewrite IH by lia. unfold reads_letters. cbn [after_begin lookup_token].
    destruct (nth_error w t) as [a|] eqn:Ea; [|apply nth_error_None in Ea; lia].
    rewrite (firstn_next w t a Ea), map_app. cbn [map]. rewrite DepthBound.numeral_app, <- plus_INR. f_equal.
    replace (T - t)%nat with (S (T - S t)) by lia. rewrite Nat.pow_succ_r'. ring.
Qed.

Lemma codes_word w : length w = T -> DepthBound.word T m (map code w).
Proof.
  intro Hw. split; [now rewrite map_length|]. apply Forall_map, Forall_forall. intros x _. apply finite.
Qed.

(** The states that belong to the number t + (T+1) v. *)
Definition state_of (n : nat) (alpha : nat -> R) (A : Sigma -> mat) (k : nat) : nat -> R :=
  Simulation.states n alpha A (map letter (DepthBound.spelled m T (k / S T))) (k mod S T).

(** One layer, one head, (T+1) m^T - 1 ReLU units, no mask: all states of every automaton over the m letters. *)
Theorem lookup_simulates kind n alpha A : kind <> Hard ->
  Simulation.simulates n T alpha A (fun w t =>
    Pass.forward (S T) (lookup kind n T (S T * m ^ T - 1) (state_of n alpha A))
      (reads_letters (lookup_token code m T) (after_begin T) w) t).
Proof.
  intros Hk w Hw t j Ht Hj. set (v := DepthBound.numeral m 0 (map code w)).
  destruct (codes_word w Hw) as [HL HF].
  assert (Hv : (v < m ^ T)%nat).
  { pose proof (DepthBound.numeral_below m (map code w) 0 1 ltac:(lia) HF) as H. rewrite HL in H.
    fold v in H. lia. }
  rewrite (forward_lookup kind n T _ _ _ t j (t + S T * v)) by
    (first [exact Hk|exact Hj|nia|intros [|[|c]] Hc; [lia|lia|reflexivity]|
      rewrite letters_add, Nat.sub_diag, firstn_all2, Nat.mul_1_r by lia; fold v;
      rewrite plus_INR, mult_INR; reflexivity]).
  unfold state_of. rewrite (Nat.mul_comm (S T)), Nat.div_add, Nat.div_small, mod_add, Nat.mod_small by lia.
  f_equal. f_equal. cbn [Nat.add].
  replace (DepthBound.spelled m T v) with (map code w).
  - rewrite map_map. etransitivity; [|apply map_id]. apply map_ext. intro x. apply finite.
  - symmetry. assert (m <> 0 \/ T = 0)%nat as [Hm| ->] by (destruct m, T; cbn in Hv; lia).
    + apply (DepthBound.words_differ T m); [apply DepthBound.spelled_word; lia|now split|].
      now apply DepthBound.spelled_value.
    + destruct w; [reflexivity|discriminate].
Qed.
End Words.

(** For every finite alphabet of m letters and every T there are an embedding, a size and an order of tokens
    such that transformers with one layer, one head (softmax, scores 0) and (T+1) m^T - 1 ReLU units simulate
    all automata over this alphabet exactly, however many states they have. *)
Theorem relu_fixed_alphabet {Sigma : Type} (code : Sigma -> nat) (letter : nat -> Sigma) (m T : nat) :
  (forall x, (code x < m)%nat /\ letter (code x) = x) ->
  exists (embedding : nat -> option Sigma -> nat -> R) (place : nat -> nat),
  forall n (alpha : nat -> R) (A : Sigma -> mat), exists transformer : Pass.model,
  within (Rmax 0) 1 1 (S T * m ^ T - 1) (without_norms transformer) /\
  height (Pass.readout transformer) = (n + 2)%nat /\
  (forall ly hd, In ly (Pass.layers transformer) -> In hd (Pass.heads ly) ->
     Pass.how hd = Soft /\ Pass.seen hd = Everywhere /\ breadth (Pass.query hd) = 0%nat) /\
  Simulation.simulates n T alpha A
    (fun w t => Pass.forward (S T) transformer (reads_letters embedding place w) t).
Proof.
  intro H. exists (lookup_token code m T), (after_begin T). intros n alpha A.
  exists (lookup Soft n T (S T * m ^ T - 1) (state_of letter m T n alpha A)).
  split; [apply lookup_within|]. split; [cbn; lia|]. split.
  - intros ly hd [<-|[]] [<-|[]]. repeat split.
  - apply lookup_simulates; [exact H|discriminate].
Qed.

(** For one layer, one head and T + 1 tokens, T >= 2. Alphabet first: a number of units is enough for all
    automata over it, with any number of states, exactly. Units first: for all large numbers of states some
    automaton over a finite alphabet is not simulated within some eps > 0. *)
Theorem relu_units_follow_the_alphabet (T : nat) : (2 <= T)%nat ->
  (forall Q, exists W, forall n (alpha : nat -> R) (A : letters_below (S Q) -> mat),
   exists (transformer : model) (embedding : nat -> option (letters_below (S Q)) -> nat -> R) (place : nat -> nat),
   within (Rmax 0) 1 1 W transformer /\ Simulation.simulates n T alpha A
     (fun w t => forward (S T) transformer (reads_letters embedding place w) t)) /\
  (exists n0, forall n W, (n0 <= n)%nat ->
   exists K (alpha : nat -> R) (A : letters_below K -> mat) (eps : R), 0 < eps /\
   forall (transformer : model) (embedding : nat -> option (letters_below K) -> nat -> R) (place : nat -> nat),
   within (Rmax 0) 1 1 W transformer -> ~ Simulation.approximately_simulates n T alpha A eps
     (fun w t => forward (S T) transformer (reads_letters embedding place w) t)).
Proof.
  intro HT. split.
  - intro Q. exists (S T * S Q ^ T - 1)%nat. intros n alpha A.
    destruct (relu_fixed_alphabet (@proj1_sig nat _) (letter Q) (S Q) T) as (e & p & H).
    { intros [a Ha]. cbn [proj1_sig]. split; [exact Ha|]. unfold letter.
      destruct (lt_dec a (S Q)) as [Ha'|]; [|lia]. f_equal. apply le_unique. }
    destruct (H n alpha A) as (transformer & Hw & _ & _ & Hs).
    exists (without_norms transformer), e, p. split; [exact Hw|]. intros w Hl t j Ht Hj.
    rewrite without_norms_pass. now apply Hs.
  - destruct (piecewise_linear_fails (Rmax 0) T 1 1 (S T) (proj1 piecewise_linear_in_use) HT) as (n0 & H).
    exists n0. intros n W Hn. destruct (H n W Hn) as (K & alpha & A & eps & He & G).
    exists K, alpha, A, eps. split; [exact He|]. intros transformer embedding place Hw.
    apply (G transformer embedding place (fun t => t) Hw). intros; lia.
Qed.
