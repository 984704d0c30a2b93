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

    Main definitions: [piecewise_linear], [letters_below], [powers], [reads_letters], [layer_norm].
    Main theorems:    [words_missed], [piecewise_linear_fails], [piecewise_linear_in_use], [layer_norm_normalises]. *)

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

(** A letter stands for a number of one of two kinds: the first kind leads from state 0 to the powers of its
    number, the second multiplies state i by the powers of its number. *)
Definition powers (m : nat) (z : bool * R) : mat := fun i j =>
  if fst z then if (i <? m)%nat && (j <? m * m)%nat && (i =? j / m)%nat then snd z ^ (j mod m) else 0
  else if (i =? 0)%nat && (j <? m)%nat then snd z ^ j else 0.

Definition first_state (i : nat) : R := b2r (i =? 0)%nat.

Lemma powers_states {Sigma : Type} (code : Sigma -> bool * R) n m u v x y rest c :
  code u = (false, x) -> code v = (true, y) -> (m * m <= n)%nat -> (0 < m)%nat -> (c < m * m)%nat ->
  Simulation.states n first_state (fun z => powers m (code z)) (u :: v :: rest) 2%nat c
  = x ^ (c / m) * y ^ (c mod m).
Proof.
  intros Hu Hv Hn Hm Hc. pose proof (Nat.div_lt_upper_bound c m m ltac:(lia) Hc) as Hd.
  unfold Simulation.states. cbn [Model.state].
  change (Simulation.padded _ (Simulation.letter (u :: v :: rest) (Z.of_nat 1))) with (powers m (code u)).
  change (Simulation.padded _ (Simulation.letter (u :: v :: rest) (Z.of_nat 2))) with (powers m (code v)).
  rewrite Hu, Hv. rewrite (sum_single n _ (c / m)); [|nia|].
  - rewrite (sum_single n _ 0%nat); [|nia|].
    + unfold powers, first_state. cbn [fst snd]. apply Nat.ltb_lt in Hd, Hc.
      rewrite Hd, Hc, !Nat.eqb_refl. cbn [andb b2r]. ring.
    + intros p _ Hp. unfold first_state. apply Nat.eqb_neq in Hp. rewrite Hp. cbn [b2r]. ring.
  - intros p _ Hp. unfold powers at 2. cbn [fst snd]. apply Nat.eqb_neq in Hp. rewrite Hp, andb_false_r. ring.
Qed.

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

(** The letters that [rectangle_rate] needs for given sizes, and what a precision of eps would have to make
    up for. *)
Section Misses.
Context (sigma : R -> R) (K : nat) (which : R -> nat) (slope intercept : nat -> R).
Hypothesis pieces : piecewise which slope intercept sigma K.
Variables N L h W : nat.
Local Notation m := (S (paths h N L + constants h N L)).
Local Notation Q := (enough m (K ^ (L * N * W))).
Local Notation loss := (INR (m * m * (5 * Q) ^ (m + m))).
Variable transformer : model.
Hypothesis sizes : within sigma L h W transformer.

(** Tokens are sums of a part for each of two letters; a row of outputs follows all products of powers. *)
Theorem powers_missed (X : nat -> nat -> mat) (F0 G0 : nat -> nat -> nat -> R) row eps :
  (forall a b r c, X a b r c = F0 a r c + G0 b r c) -> (row < N)%nat ->
  (forall a b c, (a < Q)%nat -> (b < Q)%nat -> (c < m * m)%nat ->
     Rabs (forward N transformer (X a b) row c - point Q a ^ (c / m) * point Q b ^ (c mod m)) <= eps) ->
  1 <= loss * eps.
Proof.
  intros HX Hrow Hout.
  destruct (network_spans which slope intercept sigma K pieces N L h W transformer sizes nat nat X F0 G0
    (fun a b r c _ => HX a b r c)) as (colours & colour & F & G & Hlen & Hspan).
  apply (rectangle_rate (paths h N L) (constants h N L) (K ^ (L * N * W)) (list nat) (list_eq_dec Nat.eq_dec)
    colours colour (fun D a => F D a row) (fun D b => G D b row)
    (fun a b => forward N transformer (X a b) row) eps Hlen); [|exact Hout].
  intros a b _ _. destruct (Hspan a b) as [Hin Hs]. split; [exact Hin|]. now apply Hs.
Qed.

(** Words that begin with two letters, in an automaton of [powers]. *)
Theorem words_missed {Sigma : Type} (code : Sigma -> bool * R) (first second : nat -> Sigma) n T
    (embedding : nat -> option Sigma -> nat -> R) (place row : nat -> nat) eps :
  (m * m <= n)%nat -> (2 <= T)%nat -> (forall t, (t <= T)%nat -> (row t < N)%nat) ->
  (forall a, (a < Q)%nat -> code (first a) = (false, point Q a) /\ code (second a) = (true, point Q a)) ->
  Simulation.approximately_simulates n T first_state (fun z => powers m (code z)) eps
    (fun w t => forward N transformer (reads_letters embedding place w) (row t)) ->
  1 <= loss * eps.
Proof.
  intros Hn HT Hrow Hcode Hsim. set (rest := repeat (first 0%nat) (T - 2)).
  destruct (tokens_split embedding place rest) as (F0 & G0 & Htok).
  apply (powers_missed (fun a b => reads_letters embedding place (first a :: second b :: rest))
    (fun a => F0 (first a)) (fun b => G0 (second b)) (row 2%nat)); [intros; apply Htok|now apply Hrow|].
  intros a b c Ha Hb Hc. destruct (Hcode a Ha) as [Eu _]. destruct (Hcode b Hb) as [_ Ev].
  rewrite <- (powers_states code n m _ _ _ _ rest c Eu Ev Hn (Nat.lt_0_succ _) Hc).
  set (w := first a :: second b :: rest).
  apply (entry_of_norm n (forward N transformer (reads_letters embedding place w) (row 2%nat))); [|lia].
  apply (row_of_norm n T 2 (fun t => forward N transformer (reads_letters embedding place w) (row t)));
    [exact HT|]. apply Hsim. unfold w, rest. cbn [length]. rewrite repeat_length. lia.
Qed.
End Misses.

(** A precision that is out of reach. *)
Lemma too_precise m P : exists eps, 0 < eps /\
  ~ 1 <= INR (S m * S m * (5 * enough (S m) P) ^ (S m + S m)) * eps.
Proof.
  set (k := (_ * _ ^ _)%nat).
  assert (Hk : 0 < INR k).
  { apply lt_0_INR, Nat.neq_0_lt_0, Nat.neq_mul_0. split; [lia|]. apply Nat.pow_nonzero. unfold enough. lia. }
  exists (/ (2 * INR k)). split; [apply Rinv_0_lt_compat; lra|].
  replace (INR k * / (2 * INR k)) with (/ 2) by (field; lra). lra.
Qed.

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
  set (Q := enough m (K ^ (L * N * W))).
  destruct (too_precise (paths h N L + constants h N L) (K ^ (L * N * W))) as (eps & He & Hno).
  set (code := fun x : letters_below (S (Q + Q)) => let a := proj1_sig x in
    if (a <? Q)%nat then (false, point Q a) else (true, point Q (a - Q))).
  exists (S (Q + Q)), first_state, (fun x => powers m (code x)), eps. split; [exact He|].
  intros transformer embedding place row Hm Hrow Hsim. apply Hno.
  apply (words_missed sigma K which slope intercept HP N L h W transformer Hm code (letter (Q + Q))
    (fun b => letter (Q + Q) (Q + b)) n T embedding place row); auto.
  fold m. fold Q. intros a Ha. unfold code. rewrite !letter_is by lia. split.
  - now rewrite (proj2 (Nat.ltb_lt _ _) Ha).
  - rewrite (proj2 (Nat.ltb_ge (Q + a) Q)) by lia. now replace (Q + a - Q)%nat with a by lia.
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
