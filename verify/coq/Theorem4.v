(** * Theorem 4, repaired: MLPs of fixed width approximate polynomials

    Appendix B.2. The print has a theorem of another paper in short: C(m+d, d) hidden units, whatever
    the precision. It fails for ReLU (Relu.v), without biases and on all of R^m (Hypotheses.v). Here it
    is for all m and d, on a bounded set, with biases, for every activation with d continuous
    derivatives near a point where the d-th one is not zero.

    The units: sigma(b + h w x) for the points w of N^m with at most d steps from 0, of which there are
    C(m+d, d). The difference of these units with steps h x_j, one for each factor of a monomial of
    degree k, is h^k D_k(b) times the monomial, nearly. So the hidden units depend on h alone, and the
    output weights on the polynomial.

    Main definitions: [polynomial], [evaluate], [terms], [collected].
    Main theorem:     [theorem4]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Lattice Differences.
Import ListNotations.
Open Scope R_scope.

(** ** Polynomials, and differences as combinations of units *)

(** A monomial: its coefficient, and one index of a variable for each factor. *)
Definition monomial : Type := R * list nat.

Fixpoint power (x : nat -> R) (js : list nat) : R :=
  match js with [] => 1 | j :: js => x j * power x js end.

Definition evaluate (p : list monomial) (x : nat -> R) : R := total (fun c => fst c * power x (snd c)) p.

(** A polynomial in x_0 .. x_(m-1) of degree at most d. *)
Definition polynomial (m d : nat) (p : list monomial) : Prop :=
  forall c, In c p -> (length (snd c) <= d)%nat /\ forall j, In j (snd c) -> (j < m)%nat.

Fixpoint dot (w : list nat) (x : nat -> R) : R :=
  match w with [] => 0 | a :: w => INR a * x 0%nat + dot w (fun j => x (S j)) end.

Fixpoint bump (j : nat) (w : list nat) : list nat :=
  match w, j with
  | [], _ => []
  | a :: w, O => S a :: w
  | a :: w, S j => a :: bump j w
  end.

Lemma bump_length w : forall j, length (bump j w) = length w.
Proof. induction w as [|a w IH]; intros [|j]; cbn [bump length]; auto. Qed.

Lemma bump_sum w : forall j, (list_sum (bump j w) <= S (list_sum w))%nat.
Proof.
  induction w as [|a w IH]; intros [|j]; cbn [bump]; auto.
  specialize (IH j). change (list_sum (a :: bump j w)) with (a + list_sum (bump j w))%nat.
  change (list_sum (a :: w)) with (a + list_sum w)%nat. lia.
Qed.

Lemma dot_bump w : forall j x, (j < length w)%nat -> dot (bump j w) x = x j + dot w x.
Proof.
  induction w as [|a w IH]; intros [|j] x Hj; cbn [length] in Hj; try lia; cbn [bump dot].
  - rewrite S_INR. ring.
  - rewrite IH by lia. ring.
Qed.

Lemma dot_sum w : forall x, dot w x = sum (length w) (fun j => INR (nth j w 0%nat) * x j).
Proof.
  induction w as [|a w IH]; intro x; [reflexivity|]. cbn [dot length]. rewrite IH.
  change (S (length w)) with (1 + length w)%nat. rewrite sum_add. cbn [sum nth Nat.add]. ring.
Qed.

Lemma dot_zero m : forall x, dot (repeat 0%nat m) x = 0.
Proof. induction m as [|m IH]; intro x; cbn [repeat dot INR]; [reflexivity|rewrite IH; ring]. Qed.

(** The units of a difference, with their signs. *)
Fixpoint terms (m : nat) (js : list nat) : list (R * list nat) :=
  match js with
  | [] => [(1, repeat 0%nat m)]
  | j :: js => map (fun t => (fst t, bump j (snd t))) (terms m js)
               ++ map (fun t => (- fst t, snd t)) (terms m js)
  end.

Lemma terms_in m js t : In t (terms m js) -> In (snd t) (lattice m (length js)).
Proof.
  rewrite lattice_in. revert t. induction js as [|j js IH]; intros t Ht; cbn [terms length] in *.
  - destruct Ht as [<-|[]]. cbn [snd]. rewrite repeat_length. split; [reflexivity|].
    clear. induction m as [|m IH]; cbn [repeat]; [apply le_n|exact IH].
  - apply in_app_iff in Ht as [Ht|Ht]; apply in_map_iff in Ht as (u & <- & Hu); apply IH in Hu;
      cbn [snd]; [rewrite bump_length; pose proof (bump_sum (snd u) j)|]; lia.
Qed.

Lemma lattice_more m d e w : (d <= e)%nat -> In w (lattice m d) -> In w (lattice m e).
Proof. rewrite !lattice_in. lia. Qed.

Lemma terms_diff m js f h x : (forall j, In j js -> (j < m)%nat) -> forall y,
  total (fun t => fst t * f (y + h * dot (snd t) x)) (terms m js)
  = diff (map (fun j => h * x j) js) f y.
Proof.
  induction js as [|j js IH]; intros Hj y.
  - cbn. rewrite dot_zero. replace (y + h * 0) with y by ring. ring.
  - cbn [terms map diff]. rewrite total_app, !total_map. cbn [fst snd].
    rewrite <- !IH by (intros; apply Hj; now right). unfold Rminus. f_equal.
    + apply total_ext. intros t Ht. f_equal. f_equal. rewrite dot_bump; [ring|].
      apply terms_in, lattice_in in Ht. rewrite (proj1 Ht). apply Hj. now left.
    + replace (- total (fun t => fst t * f (y + h * dot (snd t) x)) (terms m js))
        with (-1 * total (fun t => fst t * f (y + h * dot (snd t) x)) (terms m js)) by ring.
      rewrite <- total_scal. apply total_ext. intros. ring.
Qed.

(** ** One monomial *)

Lemma derivatives_fewer d D b r k : derivatives d D b r -> (k <= d)%nat -> derivatives k D b r.
Proof.
  intros HD Hk. split; [intros j x Hj Hx; apply (proj1 HD); [lia|exact Hx]|].
  intros x Hx. now apply (derivatives_continuous d D b r).
Qed.

Lemma steps_power h (x : nat -> R) js : steps (map (fun j => h * x j) js) = h ^ length js * power x js.
Proof. induction js as [|j js IH]; cbn [map steps length power pow]; [ring|rewrite IH; ring]. Qed.

Lemma reach_below h (x : nat -> R) js B : 0 <= h -> (forall j, In j js -> Rabs (x j) <= B) ->
  reach (map (fun j => h * x j) js) <= h * (INR (length js) * B).
Proof.
  intros Hh. induction js as [|j js IH]; intro H; [cbn; lra|]. cbn [map reach].
  change (length (j :: js)) with (S (length js)). rewrite S_INR, Rabs_mult, (Rabs_pos_eq h Hh).
  pose proof (IH (fun i Hi => H i (or_intror Hi))).
  pose proof (Rmult_le_compat_l h _ _ Hh (H j (or_introl eq_refl))). lra.
Qed.

Lemma power_below x js B : (forall j, In j js -> Rabs (x j) <= B) ->
  Rabs (power x js) <= B ^ length js.
Proof.
  induction js as [|j js IH]; intro H; cbn [power length pow]; [rewrite Rabs_R1; lra|].
  rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos; [apply H; now left|].
  apply IH. intros. apply H. now right.
Qed.

Section Network.
Context (m d : nat) (sigma : R -> R) (D : nat -> R -> R) (b s : R).
Hypothesis s_pos : 0 < s.
Hypothesis D_0 : forall y, D 0%nat y = sigma y.
Hypothesis smooth : derivatives d D b s.
Hypothesis nonzero : forall j, (j <= d)%nat -> D j b <> 0.

Definition factor (h : R) (c : monomial) : R :=
  fst c / (h ^ length (snd c) * D (length (snd c)) b).

Definition difference (h : R) (x : nat -> R) (js : list nat) : R :=
  diff (map (fun j => h * x j) js) (D 0%nat) b.

Lemma monomial_near B c eta : 0 <= B -> 0 < eta -> (length (snd c) <= d)%nat ->
  exists h0, 0 < h0 /\ forall h, 0 < h < h0 -> forall x, (forall j, In j (snd c) -> Rabs (x j) <= B) ->
    Rabs (factor h c * difference h x (snd c) - fst c * power x (snd c)) <= eta.
Proof.
  destruct c as [c js]. cbn [fst snd]. intros HB He Hk. set (k := length js) in *.
  assert (Hn : 0 < Rabs (D k b)) by now apply Rabs_pos_lt, nonzero.
  set (a := Rabs c / Rabs (D k b) * B ^ k).
  assert (Ha : 0 <= a).
  { apply Rmult_le_pos; [|now apply pow_le]. apply Rmult_le_pos; [apply Rabs_pos|].
    left. now apply Rinv_0_lt_compat. }
  set (e := eta / (a + 1)). assert (Hepos : 0 < e) by (apply Rdiv_lt_0_compat; lra).
  assert (Hea : e * a <= eta).
  { apply Rle_trans with (e * (a + 1)); [apply Rmult_le_compat_l; lra|]. unfold e. right. field. lra. }
  assert (Hb : Rabs (b - b) < s) by (rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; exact s_pos).
  destruct (continuous_near (D k) b e (derivatives_continuous d D b s k b smooth Hk Hb) Hepos)
    as (u & Hu & Hnear).
  set (r := Rmin u s). assert (Hr : 0 < r) by now apply Rmin_pos.
  pose proof (Rmin_l u s : r <= u) as Hru. pose proof (Rmin_r u s : r <= s) as Hrs.
  assert (Hkb : 0 <= INR k * B) by (apply Rmult_le_pos; [apply pos_INR|exact HB]).
  exists (r / (INR k * B + 1)). split; [apply Rdiv_lt_0_compat; lra|].
  intros h [Hh Hh0] x Hx.
  assert (Hhr : h * (INR k * B) < r).
  { apply Rle_lt_trans with (h * (INR k * B + 1)); [apply Rmult_le_compat_l; lra|].
    apply (Rmult_lt_compat_r (INR k * B + 1)) in Hh0; [|lra].
    unfold Rdiv in Hh0. rewrite Rmult_assoc, Rinv_l, Rmult_1_r in Hh0 by lra. exact Hh0. }
  assert (Hd : Rabs (difference h x js - D k b * (h ^ k * power x js))
               <= e * Rabs (h ^ k * power x js)).
  { unfold difference, k. rewrite <- steps_power.
    assert (El : length (map (fun j => h * x j) js) = length js) by apply map_length.
    apply (diff_near _ D b r (D (length js) b) e); rewrite ?El.
    - lra.
    - eapply Rle_lt_trans; [apply (reach_below h x js B); [lra|exact Hx]|exact Hhr].
    - apply (derivatives_fewer d); [|exact Hk].
      apply (derivatives_within d D b s); [exact smooth|].
      rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
    - intros z Hz. left. apply Hnear. lra. }
  assert (Hhk : 0 < h ^ k) by now apply pow_lt.
  unfold factor. cbn [fst snd]. fold k.
  replace (c / (h ^ k * D k b) * difference h x js - c * power x js)
    with (c / (h ^ k * D k b) * (difference h x js - D k b * (h ^ k * power x js)))
    by (field; split; [apply nonzero; exact Hk|lra]).
  rewrite Rabs_mult.
  apply Rle_trans with (Rabs (c / (h ^ k * D k b)) * (e * Rabs (h ^ k * power x js)));
    [apply Rmult_le_compat_l; [apply Rabs_pos|exact Hd]|].
  unfold Rdiv. rewrite !Rabs_mult, Rabs_inv, Rabs_mult, (Rabs_pos_eq (h ^ k)) by lra.
  replace (Rabs c * / (h ^ k * Rabs (D k b)) * (e * (h ^ k * Rabs (power x js))))
    with (e * (Rabs c / Rabs (D k b) * Rabs (power x js))) by (field; lra).
  apply Rle_trans with (e * a); [|exact Hea]. apply Rmult_le_compat_l; [lra|].
  apply Rmult_le_compat_l; [|now apply power_below].
  apply Rmult_le_pos; [apply Rabs_pos|left; now apply Rinv_0_lt_compat].
Qed.

(** ** One unit for each point of the lattice *)

(** The output weight of the unit at a point. *)
Definition collected (h : R) (p : list monomial) (w : list nat) : R :=
  total (fun c => factor h c *
    total (fun t => if list_eq_dec Nat.eq_dec (snd t) w then fst t else 0) (terms m (snd c))) p.

Lemma collected_sum h p (F : list nat -> R) : polynomial m d p ->
  total (fun w => collected h p w * F w) (lattice m d)
  = total (fun c => factor h c * total (fun t => fst t * F (snd t)) (terms m (snd c))) p.
Proof.
  intro Hp. unfold collected.
  rewrite (total_ext _ (fun w => total (fun c => factor h c *
    total (fun t => if list_eq_dec Nat.eq_dec (snd t) w then fst t * F w else 0)
      (terms m (snd c))) p)).
  - rewrite total_swap. apply total_ext. intros c Hc. rewrite total_scal. f_equal.
    rewrite total_swap. apply total_ext. intros t Ht.
    apply (total_pick (fun w => fst t * F w)); [apply lattice_NoDup|].
    apply (lattice_more m (length (snd c))); [apply (Hp c Hc)|now apply terms_in].
  - intros w _. rewrite <- total_scal_r. apply total_ext. intros c _. rewrite Rmult_assoc. f_equal.
    rewrite <- total_scal_r. apply total_ext. intros t _.
    destruct (list_eq_dec Nat.eq_dec (snd t) w); ring.
Qed.

(** The output of all units, and the same by monomials. *)
Definition output (h : R) (p : list monomial) (x : nat -> R) : R :=
  total (fun w => collected h p w * sigma (b + h * dot w x)) (lattice m d).

Lemma output_differences h p x : polynomial m d p ->
  output h p x = total (fun c => factor h c * difference h x (snd c)) p.
Proof.
  intro Hp. unfold output. rewrite (collected_sum h p (fun w => sigma (b + h * dot w x)) Hp).
  apply total_ext. intros c Hc. f_equal. unfold difference.
  rewrite <- (terms_diff m) by apply (Hp c Hc). apply total_ext. intros t _. now rewrite D_0.
Qed.

Lemma all_small {X : Type} (P : X -> R -> Prop) l :
  (forall a, In a l -> exists h0, 0 < h0 /\ forall h, 0 < h < h0 -> P a h) ->
  exists h0, 0 < h0 /\ forall h, 0 < h < h0 -> forall a, In a l -> P a h.
Proof.
  induction l as [|a l IH]; intro H; [exists 1; split; [lra|intros h _ c []]|].
  destruct (H a (or_introl eq_refl)) as (h1 & H1 & P1).
  destruct (IH (fun c Hc => H c (or_intror Hc))) as (h2 & H2 & P2).
  exists (Rmin h1 h2). split; [now apply Rmin_pos|]. intros h [Hh Hm] c Hc.
  pose proof (Rmin_l h1 h2). pose proof (Rmin_r h1 h2).
  destruct Hc as [<-|Hc]; [apply P1|apply P2; [|exact Hc]]; lra.
Qed.

Lemma output_near B p eps : 0 <= B -> 0 < eps -> polynomial m d p ->
  exists h0, 0 < h0 /\ forall h, 0 < h < h0 -> forall x, (forall j, (j < m)%nat -> Rabs (x j) <= B) ->
    Rabs (output h p x - evaluate p x) < eps.
Proof.
  intros HB He Hp. set (eta := eps / (INR (length p) + 1)).
  pose proof (pos_INR (length p)) as Hl.
  assert (Hpos : 0 < eta) by (apply Rdiv_lt_0_compat; lra).
  destruct (all_small (fun c h => forall x, (forall j, In j (snd c) -> Rabs (x j) <= B) ->
      Rabs (factor h c * difference h x (snd c) - fst c * power x (snd c)) <= eta) p) as (h0 & H0 & H).
  { intros c Hc. apply monomial_near; auto. apply (Hp c Hc). }
  exists h0. split; [exact H0|]. intros h Hh x Hx. rewrite output_differences by exact Hp.
  eapply Rle_lt_trans; [apply total_near|].
  - intros c Hc. apply H; [exact Hh|exact Hc|]. intros j Hj. apply Hx. now apply (Hp c Hc).
  - apply Rlt_le_trans with ((INR (length p) + 1) * eta); [lra|]. unfold eta. right. field. lra.
Qed.
End Network.

(** ** Theorem 4 *)

Theorem theorem4 (m d outputs : nat) (sigma : R -> R) (D : nat -> R -> R) (b r : R) :
  0 < r -> (forall y, D 0%nat y = sigma y) -> derivatives d D b r -> D d b <> 0 ->
  forall p, (forall i, (i < outputs)%nat -> polynomial m d (p i)) ->
  forall B eps, 0 < eps -> exists (W : mat) (bias : nat -> R) (V : mat),
  forall x, (forall j, (j < m)%nat -> Rabs (x j) <= B) -> forall i, (i < outputs)%nat ->
  Rabs (sum (choose (m + d) d) (fun u =>
          V u i * sigma (sum m (fun j => W u j * x j) + bias u)) - evaluate (p i) x) < eps.
Proof.
  intros Hr H0 HD Hn p Hp B eps He.
  destruct (all_nonzero d D b r Hr HD Hn) as (q & s & Hs & HD' & Hn').
  destruct (all_small (fun i h => forall x, (forall j, (j < m)%nat -> Rabs (x j) <= Rabs B) ->
      Rabs (output m d sigma D q h (p i) x - evaluate (p i) x) < eps) (seq 0 outputs))
    as (h0 & Hh0 & H).
  { intros i Hi. apply in_seq in Hi. apply (output_near m d sigma D q s); auto using Rabs_pos.
    apply Hp. lia. }
  set (h := h0 / 2). set (unit := fun u => nth u (lattice m d) []).
  exists (fun u j => h * INR (nth j (unit u) 0%nat)), (fun _ => q),
    (fun u i => collected m D q h (p i) (unit u)).
  intros x Hx i Hi.
  replace (sum (choose (m + d) d) _) with (output m d sigma D q h (p i) x).
  - apply H; [unfold h; lra|apply in_seq; lia|]. intros j Hj. eapply Rle_trans; [now apply Hx|].
    apply Rle_abs.
  - unfold output. rewrite (total_nth _ (lattice m d) []), lattice_size. apply sum_ext. intros u Hu.
    f_equal. f_equal. rewrite <- lattice_size in Hu. rewrite dot_sum, Rplus_comm, sum_scal_l.
    assert (El : length (unit u) = m)
      by (apply (proj1 (lattice_in m d (unit u))), nth_In; exact Hu).
    unfold unit in *. rewrite El. f_equal. apply sum_ext. intros. ring.
Qed.
