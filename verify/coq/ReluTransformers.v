(** * Theorem 2 fails for ReLU: its sizes would have to grow with the automaton or with 1/eps

    Section 3.2. Theorem 2 names a depth O(log T), O(1) heads and widths that depend on n alone, for every
    automaton and every eps > 0. With a piecewise linear activation, ReLU among them, that is impossible: for
    every T >= 2 and all numbers of layers, heads and tokens there is n0 such that, for n >= n0 and
    however many hidden units are allowed, some automaton with n states over a finite alphabet is not
    simulated within some eps > 0. Allowed are all kinds of attention of Pass.v, masks, residual connections,
    positional encodings that are supplied again, normalisations after attention and MLP, and every embedding
    in which a token depends on at most one letter. The transformers of Section 2.4 are among these
    ([without_norms_pass] in ReluSpan.v). So are the encoder layers that libraries have with ReLU: the biases
    of values and of W_O add a constant before the layer norm ([layer_norm_normalises]), and one of the keys
    adds one number to all scores of a row, which changes no attention. Gated MLPs, which multiply, are not.

    The automaton: after the letters a and b its state holds all products a^i b^j, i, j < m. As long as no
    hidden unit changes its piece, a transformer is linear but for the weights of attention and the factors
    of normalisations: few vectors that depend on a alone, and few that do not depend on a, span what it
    says (ReluSpan.v). They do not span m^2 monomials on a grid (ReluGrid.v).

    Main definitions: [piecewise_linear], [letters_below], [monomials], [reads_letters], [layer_norm].
    Main theorems:    [piecewise_linear_fails], [piecewise_linear_in_use], [layer_norm_normalises]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums ReluGrid ReluSpan.
From Assay Require Model Simulation.
Import ListNotations.
Open Scope R_scope.

Definition piecewise_linear (sigma : R -> R) : Prop :=
  exists K which slope intercept, piecewise which slope intercept sigma K.

(** ** The automaton *)

(** A finite alphabet: the numbers below K. *)
Definition letters_below (K : nat) : Type := {x : nat | (x < K)%nat}.

(** The letter a of an alphabet of Q + 1 letters. *)
Definition letter (Q a : nat) : letters_below (S Q) :=
  match lt_dec a (S Q) with left H => exist _ a H | right _ => exist _ Q (Nat.lt_succ_diag_r Q) end.

Lemma letter_is Q a : (a <= Q)%nat -> proj1_sig (letter Q a) = a.
Proof. intro H. unfold letter. destruct (lt_dec a (S Q)); [reflexivity|lia]. Qed.

(** The numbers a < Q lead from state 0 to the powers of a; Q + b multiplies state i by the powers of b. *)
Definition monomials (m Q x : nat) : mat := fun i j =>
  if (x <? Q)%nat then if (i =? 0)%nat && (j <? m)%nat then INR x ^ j else 0
  else if (i <? m)%nat && (j <? m * m)%nat && (i =? j / m)%nat then INR (x - Q) ^ (j mod m) else 0.

Definition monomial_automaton (m Q : nat) (x : letters_below (S (Q + Q))) : mat := monomials m Q (proj1_sig x).

Definition first_state (i : nat) : R := b2r (i =? 0)%nat.

Section Automaton.
Variables n m Q : nat.
Hypothesis enough : (m * m <= n)%nat.
Hypothesis some : (0 < m)%nat.

Lemma two_letters (u v : letters_below (S (Q + Q))) rest a b c :
  proj1_sig u = a -> proj1_sig v = (Q + b)%nat -> (a < Q)%nat -> (c < m * m)%nat ->
  Simulation.states n first_state (monomial_automaton m Q) (u :: v :: rest) 2%nat c
  = INR a ^ (c / m) * INR b ^ (c mod m).
Proof.
  intros Hu Hv Ha Hc. pose proof (Nat.div_lt_upper_bound c m m ltac:(lia) Hc) as Hd.
  unfold Simulation.states. cbn [Model.state].
  change (Simulation.padded (monomial_automaton m Q) (Simulation.letter (u :: v :: rest) (Z.of_nat 1)))
    with (monomials m Q (proj1_sig u)).
  change (Simulation.padded (monomial_automaton m Q) (Simulation.letter (u :: v :: rest) (Z.of_nat 2)))
    with (monomials m Q (proj1_sig v)).
  rewrite Hu, Hv. rewrite (sum_single n _ (c / m)); [|nia|].
  - rewrite (sum_single n _ 0%nat); [|nia|].
    + unfold monomials, first_state. apply Nat.ltb_lt in Ha, Hd, Hc as Hc'.
      rewrite Ha, (proj2 (Nat.ltb_ge (Q + b) Q)), Hd, Hc', !Nat.eqb_refl by lia. cbn [andb b2r].
      replace (Q + b - Q)%nat with b by lia. ring.
    + intros p _ Hp. unfold first_state. apply Nat.eqb_neq in Hp. rewrite Hp. cbn [b2r]. ring.
  - intros p _ Hp. unfold monomials at 2. apply Nat.eqb_neq in Hp.
    rewrite (proj2 (Nat.ltb_ge (Q + b) Q)), Hp, andb_false_r by lia. ring.
Qed.
End Automaton.

(** ** Transformers that read a word letter by letter *)

(** Token r sees at most one letter, that at [place r]; pads and begin tokens see none. *)
Definition reads_letters {Sigma : Type} (embedding : nat -> option Sigma -> nat -> R) (place : nat -> nat)
  (w : list Sigma) : mat := fun r => embedding r (nth_error w (place r)).

Lemma tokens_split {Sigma : Type} (embedding : nat -> option Sigma -> nat -> R) place (rest : list Sigma) :
  exists F0 G0 : Sigma -> nat -> nat -> R, forall u v r c,
    reads_letters embedding place (u :: v :: rest) r c = F0 u r c + G0 v r c.
Proof.
  exists (fun u r c => if (place r =? 0)%nat then embedding r (Some u) c else 0),
    (fun v r c => if (place r =? 0)%nat then 0 else embedding r (nth_error (v :: rest) (place r - 1)) c).
  intros u v r c. unfold reads_letters. destruct (place r) as [|p]; cbn [Nat.eqb nth_error]; [ring|].
  replace (S p - 1)%nat with p by lia. ring.
Qed.

Lemma entry_of_norm n (f g : nat -> R) eps j :
  sqrt (sum n (fun j => (f j - g j) ^ 2)) < eps -> (j < n)%nat -> Rabs (f j - g j) <= eps.
Proof.
  intros H Hj. apply Rle_trans with (sqrt (sum n (fun j => (f j - g j) ^ 2))); [|lra].
  rewrite <- sqrt_Rsqr_abs. apply sqrt_le_1_alt. rewrite (sum_split n _ j Hj).
  match goal with |- _ <= _ + ?x => assert (0 <= x); [|unfold Rsqr; lra] end.
  apply sum_nonneg. intros p _. destruct (p =? j)%nat; [lra|apply pow2_ge_0].
Qed.

Lemma row_of_norm n T t (f g : mat) eps : (t <= T)%nat ->
  sqrt (sum (S T) (fun t => sum n (fun j => (f t j - g t j) ^ 2))) < eps ->
  sqrt (sum n (fun j => (f t j - g t j) ^ 2)) < eps.
Proof.
  intros Ht H. eapply Rle_lt_trans; [|exact H]. apply sqrt_le_1_alt. rewrite (sum_split (S T) _ t) by lia.
  match goal with |- _ <= _ + ?x => assert (0 <= x); [|lra] end. apply sum_nonneg. intros p _.
  destruct (p =? t)%nat; [lra|]. apply sum_nonneg. intros; apply pow2_ge_0.
Qed.

(** ** The theorem *)

Theorem piecewise_linear_fails (sigma : R -> R) (T L h N : nat) :
  piecewise_linear sigma -> (2 <= T)%nat ->
  exists n0, forall n W, (n0 <= n)%nat ->
  exists K (alpha : nat -> R) (A : letters_below K -> mat) (eps : R), 0 < eps /\
  forall (transformer : model) (embedding : nat -> option (letters_below K) -> nat -> R) (place row : nat -> nat),
    within sigma L h W transformer -> (forall t, (t <= T)%nat -> (row t < N)%nat) ->
    ~ Simulation.approximately_simulates n T alpha A eps
        (fun w t => forward N transformer (reads_letters embedding place w) (row t)).
Proof.
  intros (K & which & slope & intercept & HP) HT.
  set (m := S (paths h N L + constants h N L)). exists (m * m)%nat. intros n W Hn.
  destruct (rectangle_core (paths h N L) (constants h N L) (K ^ (L * N * W))) as (Q & eps & He & core).
  fold m in core.
  exists (S (Q + Q)), first_state, (monomial_automaton m Q), eps. split; [exact He|].
  intros transformer embedding place row Hm Hrow Hsim.
  set (number := letter (Q + Q)).
  set (rest := repeat (number 0%nat) (T - 2)).
  set (word := fun a b : nat => number a :: number (Q + b)%nat :: rest).
  destruct (tokens_split embedding place rest) as (F0 & G0 & Htok).
  destruct (network_spans which slope intercept sigma K HP N L h W transformer Hm nat nat
    (fun a b => reads_letters embedding place (word a b))
    (fun a => F0 (number a)) (fun b => G0 (number (Q + b)%nat)) (fun a b r c _ => Htok _ _ r c))
    as (colours & colour & F & G & Hlen & Hspan).
  apply (core (list nat) (list_eq_dec Nat.eq_dec) colours colour (fun D a => F D a (row 2%nat))
    (fun D b => G D b (row 2%nat))
    (fun a b => forward N transformer (reads_letters embedding place (word a b)) (row 2%nat)) Hlen).
  - intros a b _ _. destruct (Hspan a b) as (Hin & Hs). split; [exact Hin|]. apply Hs, Hrow, HT.
  - intros a b c Ha Hb Hc.
    rewrite <- (two_letters n m Q Hn ltac:(lia) (number a) (number (Q + b)%nat) rest a b c)
      by (unfold number; rewrite ?letter_is by lia; auto; lia).
    apply (entry_of_norm n (forward N transformer (reads_letters embedding place (word a b)) (row 2%nat)));
      [|lia].
    apply (row_of_norm n T 2
      (fun t => forward N transformer (reads_letters embedding place (word a b)) (row t))); [lia|].
    apply Hsim. unfold word, rest. cbn [length]. rewrite repeat_length. lia.
Qed.

(** ReLU, leaky ReLU and hard tanh are such activations. *)
Theorem piecewise_linear_in_use : piecewise_linear (Rmax 0) /\
  (forall s, piecewise_linear (fun x => if Rle_dec x 0 then s * x else x)) /\
  piecewise_linear (fun x => Rmax (-1) (Rmin 1 x)).
Proof.
  split; [|split; [intro s|]].
  - exists 2%nat, (above 0), INR, (fun _ => 0). apply relu_pieces.
  - exists 2%nat, (above 0), (fun i => if (i =? 0)%nat then s else 1), (fun _ => 0). apply leaky_relu_pieces.
  - exists 3%nat, (fun x => above (-1) x + above 1 x)%nat, (fun i => b2r (i =? 1)%nat), (fun i => INR i - 1).
    apply hard_tanh_pieces.
Qed.

(** Layer normalisation of d coordinates, as libraries have it. *)
Definition mean (d : nat) (x : nat -> R) : R := sum d x / INR d.
Definition layer_norm (d : nat) (gain bias : nat -> R) (floor : R) (x : nat -> R) (c : nat) : R :=
  (x c - mean d x) / sqrt (mean d (fun p => (x p - mean d x) ^ 2) + floor) * gain c + bias c.

(** After a constant is added: the biases of values and of W_O do that. *)
Theorem layer_norm_normalises d gain bias floor (added : nat -> R) :
  normalises (fun x => layer_norm d gain bias floor (fun c => x c + added c)).
Proof.
  assert (E : forall s x y z, (forall c, x c = y c + s * z c) -> mean d x = mean d y + s * mean d z).
  { intros s x y z H. unfold mean, Rdiv. rewrite (sum_ext d x (fun p => y p + s * z p)) by (intros; apply H).
    rewrite sum_plus, <- sum_scal_l. ring. }
  exists (fun x c => (x c - mean d x) * gain c), (fun x => let y := fun c => x c + added c in
    / sqrt (mean d (fun p => (y p - mean d y) ^ 2) + floor)), (fun c => (added c - mean d added) * gain c), bias.
  split.
  - intros s x y z H c. rewrite H, (E s x y z H). ring.
  - intros x c. unfold layer_norm, Rdiv. rewrite (E 1 (fun c => x c + added c) x added) by (intro; ring). ring.
Qed.
