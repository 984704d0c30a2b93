(** * The encoder of logarithmic depth: what a step makes of one token

    Section 4.2, on the model of LogDepthEncoder.v. The block of a step layer in terms of the token itself
    and of what its three other heads read ([step_f] .. [step_M]); and that these polynomials of degree two are
    those of LogDepth.v, where the left head looks at the token itself unless the node is inactive
    ([stepped_fields], [pebbled_fields]).

    Main definitions: [fields], [stepped].
    Main theorems:    [step_f], [step_g], [step_c], [step_b], [step_M], [stepped_fields], [pebbled_fields]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Theorem1 Trees Pebbling Theorem3 LogDepth.
From Assay Require Import TreeModel TreeBlocks TreeContinuity SoftStep.
From Assay Require Import CleanTreeModel LogDepthEncoderLift LogDepthEncoder.
From Assay Require Attention.
Import ListNotations.
Open Scope R_scope.

Lemma pair_small n a q : (a < n)%nat -> (q < n)%nat -> (a * n + q < n * n)%nat.
Proof. intros. nia. Qed.

(** ** What a step makes of the token y and of what its heads read *)

Section Values.
Context (n : nat) (tensor : nat -> nat -> nat -> R).
Local Notation d := (encoder_dimension n).
Local Notation mat_at a q := (e_M n + (a * n + q))%nat.
Local Notation val := (plain_value (signed n tensor)).

Lemma signed_plus k a b : (k < n)%nat -> val (plus k a b) = tensor k a b.
Proof. intro H. cbn. unfold signed. destruct (Nat.ltb_spec k n); [reflexivity|lia]. Qed.

Lemma signed_minus k a b : val (minus n k a b) = - tensor k a b.
Proof.
  cbn. unfold signed. destruct (Nat.ltb_spec (n + k) n); [lia|].
  now replace (n + k - n)%nat with k by lia.
Qed.

Variables (x y l r u : nat -> R).
Hypothesis x_own : forall k, (k < d)%nat -> x k = y k.
Hypothesis x_left : forall k, (k < d)%nat -> x (at_left n k) = l k.
Hypothesis x_right : forall k, (k < d)%nat -> x (at_right n k) = r k.
Hypothesis x_under : forall k, (k < d)%nat -> x (under n k) = u k.
Hypothesis y_one : y e_one = 1.

Local Notation sums ts := (lsum (term_value val x) ts).
Local Notation F := (l e_f - y e_f).

Lemma x_one : x e_one = 1.
Proof. rewrite x_own; [exact y_one|]. e_unfold. unfold encoder_dimension. lia. Qed.

Lemma sums_keep c : sums (keep c) = x c.
Proof.
  unfold lsum, keep, term_value. cbn [fold_right fst snd plain_value]. rewrite x_one. ring.
Qed.

Ltac small := e_unfold; unfold encoder_dimension; lia.
Ltac values := unfold lsum, term_value, one_term; cbn [fold_right fst snd plain_value app];
  rewrite ?x_one, ?x_left, ?x_right, ?x_under, ?(x_own e_f), ?(x_own e_g), ?(x_own e_phi), ?(x_own e_place)
    by small.

Lemma sums_left z : sums (left_known n z) = F * IZR z.
Proof. unfold left_known. values. rewrite opp_IZR. ring. Qed.

Lemma sums_right z : sums (right_known n z) = y e_g * r e_f * IZR z.
Proof. unfold right_known. values. ring. Qed.

Lemma sums_both z : sums (both_known n z) = F * r e_f * IZR z.
Proof. unfold both_known. values. rewrite opp_IZR. ring. Qed.

Lemma step_keep c : (c < 4)%nat -> sums (step_terms n c) = y c.
Proof.
  intro Hc. unfold step_terms. destruct (Nat.ltb_spec c 4); [|lia]. rewrite sums_keep. apply x_own. small.
Qed.

Lemma step_f : sums (step_terms n e_f)
  = y e_f + u e_f - y e_f * u e_f - y e_g * u e_f + F * r e_f.
Proof.
  unfold step_terms. cbn [Nat.ltb Nat.leb Nat.eqb e_f]. rewrite !lsum_app, !sums_keep, sums_both.
  change 4%nat with e_f. values. ring.
Qed.

Lemma step_g : sums (step_terms n e_g) = y e_g - F - y e_g * r e_f + F * r e_f.
Proof.
  unfold step_terms. cbn [Nat.ltb Nat.leb Nat.eqb e_f e_g].
  rewrite !lsum_app, !sums_keep, sums_both, sums_left, sums_right.
  change 5%nat with e_g. values. ring.
Qed.

Lemma step_c : sums (step_terms n e_c)
  = u e_c + F * (y e_phi - y e_place) + y e_g * r e_f - F * r e_f.
Proof.
  unfold step_terms. cbn [Nat.ltb Nat.leb Nat.eqb e_f e_g e_c].
  rewrite !lsum_app, !sums_keep, sums_both, sums_right.
  change 6%nat with e_c. change 4%nat with e_f. values. ring.
Qed.

Lemma step_b k : (k < n)%nat -> sums (step_terms n (e_b + k))
  = y (e_b + k)%nat + sum n (fun m => y (mat_at k m) * u (e_b + m)%nat)
    + sum n (fun p => sum n (fun q =>
        tensor k p q * (l (e_b + p)%nat - y (e_b + p)%nat) * r (e_b + q)%nat)).
Proof.
  intro Hk. unfold step_terms.
  set (c := (e_b + k)%nat) at 1 2 3 4 5 6 7 8. assert (Hc : (12 <= c < 12 + n)%nat) by (unfold c, e_b; lia).
  destruct (Nat.ltb_spec c 4); [lia|].
  destruct (Nat.eqb_spec c e_f); [e_unfold; lia|]. destruct (Nat.eqb_spec c e_g); [e_unfold; lia|].
  destruct (Nat.eqb_spec c e_c); [e_unfold; lia|]. destruct (Nat.ltb_spec c 12); [lia|].
  destruct (Nat.ltb_spec c (e_M n)); [|unfold e_M in *; lia].
  replace (c - 12)%nat with k by (unfold c, e_b; lia).
  unfold state_terms. rewrite !lsum_app, sums_keep, lsum_map, lsum_seq, lsum_flat_map, lsum_seq.
  rewrite x_own by small. rewrite Rplus_assoc. f_equal. f_equal.
  - apply sum_ext. intros m Hm. unfold term_value, one_term. cbn [fst snd plain_value].
    pose proof (pair_small n k m Hk Hm).
    rewrite x_under, x_own by (e_unfold; unfold encoder_dimension, e_M; lia). ring.
  - apply sum_ext. intros p Hp. rewrite lsum_flat_map, lsum_seq. apply sum_ext. intros q Hq.
    unfold lsum, term_value. cbn [fold_right fst snd].
    rewrite x_left, x_right, x_own, signed_plus, signed_minus by (auto; small).
    ring.
Qed.

Lemma step_M a q : (a < n)%nat -> (q < n)%nat -> sums (step_terms n (mat_at a q))
  = sum n (fun m => y (mat_at a m) * u (mat_at m q))
    + sum n (fun j => tensor a j q * (l (e_b + j)%nat - y (e_b + j)%nat)) * (1 - r e_f)
    + sum n (fun j => tensor a q j * r (e_b + j)%nat) * (y e_g - F)
    - I a q * (F + y e_g * r e_f - F * r e_f).
Proof.
  intros Ha Hq. pose proof (pair_small n a q Ha Hq) as Hs. unfold step_terms.
  set (c := mat_at a q). assert (Hc : (12 + n <= c)%nat) by (unfold c, e_M; lia).
  destruct (Nat.ltb_spec c 4); [lia|].
  destruct (Nat.eqb_spec c e_f); [e_unfold; lia|]. destruct (Nat.eqb_spec c e_g); [e_unfold; lia|].
  destruct (Nat.eqb_spec c e_c); [e_unfold; lia|]. destruct (Nat.ltb_spec c 12); [lia|].
  destruct (Nat.ltb_spec c (e_M n)); [unfold e_M in *; lia|].
  replace (c - e_M n)%nat with (a * n + q)%nat by (unfold c; lia). rewrite Attention.divn, Attention.modn by auto.
  unfold matrix_terms. rewrite !lsum_app, lsum_map, lsum_seq, lsum_flat_map, lsum_seq.
  rewrite !sum_scal_r.
  assert (E : sums (diagonal_terms n a q)
    = - (I a q * (F + y e_g * r e_f - F * r e_f))).
  { unfold I, diagonal_terms. destruct (Nat.eqb_spec a q); cbn [b2r].
    - rewrite !lsum_app, sums_left, sums_right, sums_both. ring.
    - unfold lsum. cbn. ring. }
  rewrite E.
  match goal with |- ?p + (?q1 + - ?z) = ?p' + ?a1 + ?a2 - ?z =>
    assert (G1 : p = p'); [|assert (G2 : q1 = a1 + a2); [|rewrite G1, G2; ring]] end.
  - apply sum_ext. intros m Hm. unfold term_value, one_term. cbn [fst snd plain_value].
    pose proof (pair_small n a m Ha Hm). pose proof (pair_small n m q Hm Hq).
    rewrite x_under, x_own by (e_unfold; unfold encoder_dimension, e_M; lia). ring.
  - rewrite <- sum_plus. apply sum_ext. intros j Hj.
    unfold lsum, term_value. cbn [fold_right fst snd].
    rewrite !signed_plus, !signed_minus by auto. rewrite x_one, !x_left, !x_right by small.
    rewrite (x_own (e_b + j)), (x_own e_g), (x_own e_f) by small. ring.
Qed.
End Values.

(** ** One step of one token *)

Section Token.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R).
Local Notation mu := (mu n leaf tensor).
Local Notation run := (LogDepth.run n leaf tensor).
Local Notation mat_at a q := (e_M n + (a * n + q))%nat.

(** The token y holds what LogDepth.v has at the node v after s steps. *)
Definition fields (s : nat) (v : tree Sigma) (y : nat -> R) : Prop :=
  y e_f = LogDepth.f (run s v) /\ y e_g = LogDepth.g (run s v) /\
  (forall k, (k < n)%nat -> y (e_b + k)%nat = LogDepth.b (run s v) k) /\
  (forall a q, (a < n)%nat -> (q < n)%nat -> y (mat_at a q) = LogDepth.M (run s v) a q).

(** z is what a step makes of y, if its heads read l, r and u. *)
Record stepped (y l r u z : nat -> R) : Prop := Stepped
  { z_keep : forall c, (c < 4)%nat -> z c = y c;
    z_f : z e_f = y e_f + u e_f - y e_f * u e_f - y e_g * u e_f + (l e_f - y e_f) * r e_f;
    z_g : z e_g = y e_g - (l e_f - y e_f) - y e_g * r e_f + (l e_f - y e_f) * r e_f;
    z_c : z e_c = u e_c + (l e_f - y e_f) * (y e_phi - y e_place) + y e_g * r e_f
                  - (l e_f - y e_f) * r e_f;
    z_b : forall k, (k < n)%nat -> z (e_b + k)%nat
      = y (e_b + k)%nat + sum n (fun m => y (mat_at k m) * u (e_b + m)%nat)
        + sum n (fun p => sum n (fun q =>
            tensor k p q * (l (e_b + p)%nat - y (e_b + p)%nat) * r (e_b + q)%nat));
    z_M : forall a q, (a < n)%nat -> (q < n)%nat -> z (mat_at a q)
      = sum n (fun m => y (mat_at a m) * u (mat_at m q))
        + sum n (fun j => tensor a j q * (l (e_b + j)%nat - y (e_b + j)%nat)) * (1 - r e_f)
        + sum n (fun j => tensor a q j * r (e_b + j)%nat) * (y e_g - (l e_f - y e_f))
        - I a q * ((l e_f - y e_f) + y e_g * r e_f - (l e_f - y e_f) * r e_f) }.

Lemma known_f s v : LogDepth.f (run s v) = match mode s v with Pebbled => 1 | _ => 0 end.
Proof. exact (gate_f n leaf tensor _ _ _ (run_agrees n leaf tensor s v)). Qed.

Lemma known_g s v : LogDepth.g (run s v) = match mode s v with Inactive => 1 | _ => 0 end.
Proof. pose proof (run_agrees n leaf tensor s v) as H. destruct (mode s v); simpl in H; tauto. Qed.

Lemma known_b s v k : (k < n)%nat ->
  LogDepth.b (run s v) k = match mode s v with Pebbled => mu v k | _ => 0 end.
Proof. exact (gate_b n leaf tensor _ _ _ k (run_agrees n leaf tensor s v)). Qed.

(** A token that is not pebbled, and reads the node under the pointer and, if g = 1, both children. *)
Lemma stepped_fields s v y l r u z : stepped y l r u z -> fields s v y ->
  fields s (LogDepth.c (run s v)) u ->
  let me := run s v in let lc := run s (LogDepth.left_of v) in let rc := run s (LogDepth.right_of v) in
  l e_f - y e_f = LogDepth.g me * LogDepth.f lc ->
  (forall j, (j < n)%nat -> l (e_b + j)%nat - y (e_b + j)%nat = LogDepth.g me * LogDepth.b lc j) ->
  (LogDepth.g me = 0 \/ LogDepth.g me = 1 /\ r e_f = LogDepth.f rc /\
     forall j, (j < n)%nat -> r (e_b + j)%nat = LogDepth.b rc j) ->
  fields (S s) v z.
Proof.
  intros Hz (Y1 & Y2 & Y3 & Y4) (V1 & V2 & V3 & V4) me lc rc HF HB HG.
  unfold fields. change (run (S s)) with (LogDepth.step n tensor (run s)). unfold LogDepth.step.
  cbn [LogDepth.f LogDepth.g LogDepth.b LogDepth.M].
  fold me in Y1, Y2, Y3, Y4, V1, V2, V3, V4. fold me lc rc.
  set (un := run s (LogDepth.c me)) in *. clearbody un lc rc me.
  split; [|split; [|split]].
  - rewrite (z_f _ _ _ _ _ Hz), HF, Y1, Y2, V1. destruct HG as [->|(-> & -> & _)]; ring.
  - rewrite (z_g _ _ _ _ _ Hz), HF, Y2. destruct HG as [->|(-> & -> & _)]; ring.
  - intros k Hk. rewrite (z_b _ _ _ _ _ Hz) by exact Hk. rewrite Y3 by exact Hk. f_equal; [f_equal|].
    + unfold mvec. apply sum_ext. intros m Hm. now rewrite Y4, V3.
    + unfold bilinear_state. apply sum_ext. intros p Hp. apply sum_ext. intros q Hq. rewrite HB by exact Hp.
      destruct HG as [->|(-> & _ & ->)]; auto; ring.
  - intros a q Ha Hq. rewrite (z_M _ _ _ _ _ Hz) by auto. rewrite HF, Y2.
    assert (E1 : sum n (fun m => y (mat_at a m) * u (mat_at m q))
                 = mmul n (LogDepth.M me) (LogDepth.M un) a q)
      by (apply sum_ext; intros m Hm; now rewrite Y4, V4).
    assert (E2 : sum n (fun j => tensor a j q * (l (e_b + j)%nat - y (e_b + j)%nat))
                 = fix_left n tensor (fun j => LogDepth.g me * LogDepth.b lc j) a q)
      by (apply sum_ext; intros j Hj; now rewrite HB).
    rewrite E1, E2. destruct HG as [G0|(G1 & Gf & Gb)].
    + rewrite G0, fix_left_zero, fix_right_zero by (intros; ring). ring.
    + rewrite G1, Gf.
      assert (E3 : sum n (fun j => tensor a q j * r (e_b + j)%nat)
                   = fix_right n tensor (fun j => 1 * LogDepth.b rc j) a q)
        by (apply sum_ext; intros j Hj; rewrite Gb by exact Hj; ring).
      rewrite E3. ring.
Qed.

(** A pebbled token stays what it is. *)
Lemma pebbled_fields s v y r u z : stepped y y r u z -> fields s v y -> mode s v = Pebbled ->
  fields (S s) v z.
Proof.
  intros Hz (Y1 & Y2 & Y3 & Y4) Hm.
  pose proof (run_agrees n leaf tensor s v) as A0. rewrite Hm in A0. destruct A0 as (F0 & G0 & M0 & B0).
  pose proof (run_agrees n leaf tensor (S s) v) as A1. rewrite (pebbled_stays s v Hm) in A1.
  destruct A1 as (F1 & G1 & M1 & B1). rewrite F0 in Y1. rewrite G0 in Y2.
  assert (Y5 : forall a q, (a < n)%nat -> (q < n)%nat -> y (mat_at a q) = 0)
    by (intros; rewrite Y4 by auto; now apply M0).
  unfold fields. rewrite F1, G1. split; [|split; [|split]].
  - rewrite (z_f _ _ _ _ _ Hz), Y1, Y2. ring.
  - rewrite (z_g _ _ _ _ _ Hz), Y2. ring.
  - intros k Hk. rewrite (z_b _ _ _ _ _ Hz), B1, Y3, B0 by exact Hk.
    rewrite sum_zero by (intros; rewrite Y5 by auto; ring).
    rewrite sum_zero by (intros; apply sum_zero; intros; ring). ring.
  - intros a q Ha Hq. rewrite (z_M _ _ _ _ _ Hz) by auto. rewrite M1, Y2 by auto.
    rewrite sum_zero by (intros; rewrite Y5 by auto; ring).
    rewrite (sum_zero n (fun j => tensor a j q * _)) by (intros; ring). ring.
Qed.
End Token.
