(** * The bounds on depth need attention to one place

    Attention to all maxima alike takes means, and so does softmax; a mean sees all letters. With either, one
    layer with one head simulates, for every T, exactly and in all T + 1 rows, the automaton that adds
    numbers, which hard attention to the one maximum simulates in no fewer than log2 T layers with two heads
    (DepthTransformers.v). Scores are all 0, the mask is causal, there are T + 1 tokens, a begin token and
    the word, and a block of two products undoes the mean.

    Alphabets. The letters are all the numbers: one model for all of them.

    Main definitions: [adder] (the model), [digit_token], [after_begin].
    Main theorems:    [equal_scores], [averages_add]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Theorem1 TreeModel ReluTransformers DepthTransformers.
From Assay Require Model Simulation Pass DepthBound.
Import Simulation(dense, Dense, height, breadth, number_at, times).
Import ListNotations.
Open Scope R_scope.

(** Where all scores of a row are 0, its attention is the same for all tokens that are seen. *)
Theorem equal_scores N kind m (S : mat) r s : kind <> Hard -> (forall s', S r s' = 0) ->
  attend N kind m S r s = b2r (allowed m r s) / sum N (fun s' => b2r (allowed m r s')).
Proof.
  intros Hk HS. destruct kind; [contradiction| |]; cbn [attend].
  - assert (E : forall s', largest N m S r s' = allowed m r s').
    { intro s'. unfold largest. replace (all_below N _) with true; [apply andb_true_r|].
      symmetry. apply all_below_spec. intros q _. apply orb_true_iff. right. unfold Rltb. rewrite !HS.
      destruct (Rlt_dec 0 0); [lra|reflexivity]. }
    unfold saturated. rewrite E. f_equal. apply sum_ext. intros. now rewrite E.
  - unfold soft_masked. rewrite HS, exp_0, Rmult_1_r. f_equal. apply sum_ext. intros.
    now rewrite HS, exp_0, Rmult_1_r.
Qed.

(** ** The model *)

Definition nothing : dense := Dense 0 0 (fun _ _ => 0).
Definition both : dense := Dense 2 2 I.
Definition mean_head (kind : attention) : Pass.head := Pass.Head nothing (fun _ => 0) nothing both kind Causal.

(** Coordinates: the digit, the position. The mean position of 0 .. t is t / 2. *)
Definition undo (x : nat -> R) (c : nat) : R := if (c =? 0)%nat then 1 else (2 * x 1%nat + 1) * x 0%nat.
Definition adder (kind : attention) : Pass.model :=
  Pass.Model [Pass.Layer [mean_head kind] both undo false] (fun _ => false) both (fun _ => 0).

(** A begin token, then the word. *)
Definition digit_token (r : nat) (o : option nat) (c : nat) : R :=
  if (c =? 0)%nat then match o with Some a => INR a | None => 0 end else INR r.
Definition after_begin (T r : nat) : nat := match r with O => T | S r => r end.

(** ** What it computes *)

Lemma times_both X r c : (c < 2)%nat -> times X both r c = X r c.
Proof.
  intro Hc. unfold times, both, mmul. cbn [height number_at sum]. destruct c as [|[|]]; [| |lia]; cbn; ring.
Qed.

Lemma sum_up_to N r (f : nat -> R) : (r < N)%nat -> sum N (fun s => b2r (s <=? r)%nat * f s) = sum (S r) f.
Proof.
  intro Hr. replace N with (S r + (N - S r))%nat by lia. rewrite sum_add, (sum_zero (N - S r)).
  - rewrite Rplus_0_r. apply sum_ext. intros p Hp. rewrite (proj2 (Nat.leb_le p r)) by lia. cbn. ring.
  - intros p _. rewrite (proj2 (Nat.leb_gt (S r + p) r)) by lia. cbn. ring.
Qed.

Lemma mean_is kind N X r c : kind <> Hard -> (r < N)%nat -> (c < 2)%nat ->
  Pass.attended N (mean_head kind) X r c = sum (S r) (fun s => X s c) / INR (S r).
Proof.
  intros Hk Hr Hc. unfold Pass.attended, mmul. cbn [Pass.how Pass.seen mean_head Pass.value].
  assert (EN : sum N (fun s => b2r (s <=? r)%nat) = INR (S r)).
  { rewrite (sum_ext N _ (fun s => b2r (s <=? r)%nat * 1)) by (intros; ring).
    rewrite sum_up_to, sum_const by exact Hr. ring. }
  rewrite (sum_ext N _ (fun s => b2r (s <=? r)%nat * (X s c * / INR (S r)))).
  - rewrite sum_up_to by exact Hr. now rewrite <- sum_scal_r.
  - intros s _. rewrite equal_scores by (auto; intro; reflexivity). cbn [allowed].
    rewrite EN, times_both by exact Hc. unfold Rdiv. ring.
Qed.

Lemma positions r : 2 * sum (S r) INR = INR r * INR (S r).
Proof. induction r as [|r IH]; [cbn; ring|]. cbn [sum] in *. rewrite !S_INR in *. lra. Qed.

Lemma digits_add T w t : length w = T -> (t <= T)%nat ->
  sum (S t) (fun s => reads_letters digit_token (after_begin T) w s 0%nat) = INR (list_sum (firstn t w)).
Proof.
  intro Hw. induction t as [|t IH]; intro Ht.
  - unfold reads_letters. cbn. rewrite (proj2 (nth_error_None w T)) by lia. ring.
  - cbn [sum] in *. rewrite IH by lia. unfold reads_letters, digit_token. cbn [after_begin Nat.eqb].
    destruct (nth_error w t) as [a|] eqn:Ea; [|apply nth_error_None in Ea; lia].
    rewrite (firstn_next w t a Ea), list_sum_app, plus_INR. cbn [list_sum fold_right]. now rewrite Nat.add_0_r.
Qed.

(** One layer, one head, softmax or attention to all maxima, letters that are all the numbers, every length. *)
Theorem averages_add (kind : attention) (T : nat) : kind <> Hard ->
  Simulation.simulates 2 T first_state (counter (fun a => a) 1)
    (fun w t => Pass.forward (S T) (adder kind) (reads_letters digit_token (after_begin T) w) t).
Proof.
  intros Hk w Hw t j Ht Hj. set (E := reads_letters digit_token (after_begin T) w).
  destruct (counter_states (fun a => a) 2 1 w t (le_n _) ltac:(lia)) as [S0 S1].
  rewrite map_id, DepthBound.numeral_sum in S1. cbn [Nat.add] in S1.
  assert (Hy : forall c, (c < 2)%nat ->
    Pass.after_attention (S T) (Pass.Layer [mean_head kind] both undo false) E t c
    = sum (S t) (fun s => E s c) / INR (S t)).
  { intros c Hc. unfold Pass.after_attention, Pass.added. cbn [Pass.residual Pass.heads Pass.combine].
    rewrite times_both by exact Hc. unfold Pass.joined. cbn [map Model.concat mean_head Pass.value both breadth].
    rewrite (proj2 (Nat.ltb_lt c 2)) by exact Hc. apply mean_is; [exact Hk|lia|exact Hc]. }
  unfold Pass.forward, Pass.run_layers. cbn [adder Pass.layers Pass.renewed Pass.readout Pass.offset fold_left].
  rewrite Rplus_0_r, times_both by exact Hj. unfold Pass.run_layer, Pass.added.
  cbn [Pass.residual Pass.feedforward]. unfold undo.
  destruct j as [|[|j]]; [now rewrite S0| |lia]. cbn [Nat.eqb]. rewrite S1, !Hy by lia.
  unfold E at 2. rewrite digits_add by assumption.
  change (sum (S t) (fun s => E s 1%nat)) with (sum (S t) INR).
  pose proof (positions t) as G. assert (0 < INR (S t)) by (apply lt_0_INR; lia).
  replace (2 * (sum (S t) INR / INR (S t))) with (INR t).
  - rewrite S_INR in *. field. lra.
  - apply (Rmult_eq_reg_r (INR (S t))); [|lra]. rewrite <- G. field. lra.
Qed.
