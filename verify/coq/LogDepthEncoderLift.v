(** * From hard attention to softmax and MLPs, for layers of any kind that pass everything on

    Section 2.4 and "to arbitrary precision" in Appendices B.2 and C. A stage is a layer whose heads
    read all coordinates of one token each, without a mask, and whose block is a list of products for
    every coordinate. If on the exact tokens every head of every stage has one largest score, by at
    least 1, for every tree with |str(t)| <= T, then softmax with a large C and four hidden units for
    every product, of any activation that is curved somewhere, give every coordinate of every token up
    to eps ([lift]). Bounds on the tokens need no estimate: over a finite alphabet there are finitely
    many trees with |str(t)| <= T.

    Main definitions: [stage], [layer_of], [exact_step], [exact_run], [soft_run], [finds].
    Main theorems:    [finite_trees], [lift], [exact_row]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Compat Sums Activation Theorem1 Trees.
From Assay Require Import TreeModel TreeBlocks TreeContinuity TreeMLP SoftStep.
Import ListNotations.
Open Scope R_scope.

(** ** Stages *)

(** Two coordinates that are multiplied, and by what. *)
Definition term : Type := (nat * nat * weight)%type.
Definition look : Type := (list whole * list whole)%type.       (* queries and keys *)

Record stage := Stage { looks : list look; terms : nat -> list term }.

Section Stages.
Variable d : nat.                   (* coordinates of a token *)

Definition spec_of (p : look) : spec := Looks (fst p) (snd p) (seq 0 d) Everywhere.
Definition specs (g : stage) : list spec := map spec_of (looks g).
Definition into (c : nat) (x : term) : product := Product (fst (fst x)) (snd (fst x)) c (snd x).
Definition products_of (g : stage) : list product :=
  flat_map (fun c => map (into c) (terms g c)) (seq 0 d).
Definition layer_of (mode : attention) (g : stage) : layer :=
  Layer (heads_of mode (specs g)) (products_of g).

Definition term_value (number : weight -> R) (x : nat -> R) (y : term) : R :=
  number (snd y) * x (fst (fst y)) * x (snd (fst y)).

Lemma block_terms number g x c : block number (products_of g) x c
  = if (c <? d)%nat then lsum (term_value number x) (terms g c) else 0.
Proof.
  unfold block, products_of. rewrite lsum_flat_map, lsum_seq.
  rewrite (sum_ext d _ (fun k => if (k =? c)%nat then lsum (term_value number x) (terms g c) else 0)).
  - destruct (Nat.ltb_spec c d) as [Hc|Hc].
    + rewrite (sum_single d _ c Hc); [now rewrite Nat.eqb_refl|].
      intros p _ Hne. now destruct (Nat.eqb_spec p c).
    + apply sum_zero. intros p Hp. destruct (Nat.eqb_spec p c); [lia|reflexivity].
  - intros k _. rewrite lsum_map. cbn [into out times left_of right_of].
    destruct (Nat.eqb_spec k c) as [->|]; [reflexivity|].
    induction (terms g k) as [|y l IH]; [reflexivity|]. cbn. rewrite Rplus_0_l. exact IH.
Qed.

(** Head h reads what stands behind h d. *)
Lemma joined_looks number N mode X r : forall ls h c, (h < length ls)%nat -> (c < d)%nat ->
  joined number N (heads_of mode (map spec_of ls)) X r (h * d + c)%nat
  = read number N (head_of mode (spec_of (nth h ls ([], [])))) X r c.
Proof.
  induction ls as [|p ls IH]; intros h c Hh Hc; [cbn in Hh; lia|].
  cbn [map heads_of joined]. cbn [head_of spec_of scored reads]. rewrite seq_length.
  destruct h as [|h].
  - destruct (Nat.ltb_spec (0 * d + c) d); [reflexivity|lia].
  - destruct (Nat.ltb_spec (S h * d + c) d); [lia|].
    replace (S h * d + c - d)%nat with (h * d + c)%nat by lia. cbn [nth].
    apply IH; [cbn in Hh; lia|exact Hc].
Qed.
End Stages.

(** ** Finitely many trees *)

Section Finite.
Context {Sigma : Type} (letters : list Sigma).
Hypothesis all_letters : forall a, In a letters.

Fixpoint low_trees (k : nat) : list (tree Sigma) :=
  match k with
  | O => map Leaf letters
  | S k' => map Leaf letters
            ++ flat_map (fun l => map (Node l) (low_trees k')) (low_trees k')
  end.

Lemma low_all k : forall t : tree Sigma, (Trees.height t <= k)%nat -> In t (low_trees k).
Proof.
  induction k as [|k IH]; intros [a|l r] H; cbn [Trees.height low_trees] in *.
  - now apply in_map.
  - lia.
  - apply in_or_app. left. now apply in_map.
  - apply in_or_app. right. apply in_flat_map. exists l. split; [apply IH; lia|].
    apply in_map, IH. lia.
Qed.

Lemma height_length (t : tree Sigma) : (Trees.height t < length (str t))%nat.
Proof.
  induction t as [a|l IHl r IHr]; cbn [Trees.height str length]; [lia|].
  rewrite !app_length. cbn [length]. lia.
Qed.

Theorem finite_trees T (F : tree Sigma -> R) :
  exists K, 0 <= K /\ forall t, (length (str t) <= T)%nat -> Rabs (F t) <= K.
Proof.
  exists (lsum (fun t => Rabs (F t)) (low_trees T)).
  split; [apply lsum_nonneg; intros; apply Rabs_pos|]. intros t Ht.
  apply (lsum_in (fun t => Rabs (F t))); [intros; apply Rabs_pos|].
  apply low_all. pose proof (height_length t). lia.
Qed.

(** Tokens of all these trees are bounded. *)
Lemma finite_bound d T (Y : tree Sigma -> mat) :
  (forall t r c, (d <= c)%nat -> Y t r c = 0) ->
  exists K, 0 <= K /\ forall t, (length (str t) <= T)%nat -> bounded (tl (str t)) K (Y t).
Proof.
  intro H0. destruct (finite_trees T (fun t => sum T (fun r => sum d (fun c => Rabs (Y t r c)))))
    as (K & HK & H).
  exists K. split; [exact HK|]. intros t Ht r c Hr.
  assert (Hrow : (r < T)%nat).
  { clear - Hr Ht. pose proof (str_length _ t) as H. revert Hr Ht H. unfold rows.
    destruct (str t); cbn; lia. }
  destruct (Nat.lt_ge_cases c d) as [Hc|Hc]; [|rewrite H0, Rabs_R0 by auto; exact HK].
  eapply Rle_trans; [|exact (H t Ht)]. eapply Rle_trans; [|apply Rle_abs].
  apply Rle_trans with (sum d (fun c => Rabs (Y t r c))).
  - apply (sum_term d (fun c => Rabs (Y t r c))); auto. intros; apply Rabs_pos.
  - apply (sum_term T (fun r => sum d (fun c => Rabs (Y t r c)))); auto.
    intros i _. apply sum_nonneg. intros; apply Rabs_pos.
Qed.
End Finite.

(** ** The exact pass, and the one with softmax *)

Section Runs.
Context {Sigma : Type} (d : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R).

Definition plain_stage (g : stage) : Prop := Forall (fun p => plain (times p)) (products_of d g).

Definition exact_step (t : tree Sigma) (Y : mat) (g : stage) : mat := fun r =>
  block (plain_value tensor) (products_of d g)
    (joined (value leaf tensor 1 (tl (str t))) (length (str t)) (heads_of Hard (specs d g)) Y r).
Definition exact_run (t : tree Sigma) (gs : list stage) (Y : mat) : mat :=
  fold_left (exact_step t) gs Y.

Definition soft_block (sigma : R -> R) (b c h : R) (g : stage) : (nat -> R) -> nat -> R :=
  run_network sigma b (network tensor h (/ (4 * h ^ 2 * c)) (products_of d g)).
Definition soft_stage (sigma : R -> R) (b c C h : R) (t : tree Sigma) (X : mat) (g : stage) : mat :=
  fun r => soft_block sigma b c h g
    (joined (value leaf tensor C (tl (str t))) (length (str t)) (heads_of Soft (specs d g)) X r).
Definition soft_run (sigma : R -> R) (b c C h : R) (t : tree Sigma) (gs : list stage) (X : mat) : mat :=
  fold_left (soft_stage sigma b c C h t) gs X.

(** On the tokens Y t of every tree, every head of the stage has one largest score, by at least 1. *)
Definition finds (T : nat) (Y : tree Sigma -> mat) (g : stage) : Prop :=
  forall t, (length (str t) <= T)%nat -> forall r, (r < length (str t))%nat ->
    Forall (aims (tl (str t)) (Y t) r) (specs d g).

Fixpoint all_find (T : nat) (Y : tree Sigma -> mat) (gs : list stage) : Prop :=
  match gs with
  | [] => True
  | g :: rest => finds T Y g /\ all_find T (fun t => exact_step t (Y t) g) rest
  end.

Lemma rows_tail (t : tree Sigma) : rows (tl (str t)) = length (str t).
Proof. pose proof (str_length _ t) as H. revert H. unfold rows. destruct (str t); cbn; lia. Qed.

(** With hard attention C plays no role. *)
Lemma exact_any C (t : tree Sigma) Y g : plain_stage g ->
  exact_step t Y g = (fun r => block (value leaf tensor C (tl (str t))) (products_of d g)
    (joined (value leaf tensor C (tl (str t))) (rows (tl (str t))) (heads_of Hard (specs d g)) Y r)).
Proof.
  intro Hp. unfold exact_step. rewrite rows_tail.
  apply functional_extensionality. intro r. apply functional_extensionality. intro c.
  rewrite (block_plain leaf tensor C (tl (str t))) by exact Hp. f_equal.
  unfold specs. induction (looks g) as [|p l IH]; [reflexivity|].
  apply functional_extensionality. intro k. cbn [map heads_of joined].
  unfold heads_of in IH. rewrite IH. cbn [head_of spec_of scored reads].
  destruct (_ <? _)%nat; [|reflexivity]. unfold read, weights. cbn [how seen].
  assert (E : forall C, score (value leaf tensor C (tl (str t)))
      (Head (map (query_form Hard) (fst p)) (map key_form (snd p)) (seq 0 d) Hard Everywhere) Y
    = fun r s => kappa C Hard * wscore (fst p) (snd p) (Y r) (Y s)).
  { intro C'. apply functional_extensionality. intro a. apply functional_extensionality. intro s.
    exact (score_whole leaf tensor C' (tl (str t)) Hard (fst p) (snd p) (seq 0 d) Everywhere Y a s). }
  now rewrite !E.
Qed.

(** A stage whose heads look at the rows s_0, s_1, .. *)
Theorem exact_row (t : tree Sigma) Y g r (at_ : nat -> nat) c :
  (forall h, (h < length (looks g))%nat ->
     target (tl (str t)) (fst (nth h (looks g) ([], []))) (snd (nth h (looks g) ([], [])))
       Everywhere Y r (at_ h)) ->
  exists x, (forall h k, (h < length (looks g))%nat -> (k < d)%nat -> x (h * d + k)%nat = Y (at_ h) k) /\
    exact_step t Y g r c = if (c <? d)%nat then lsum (term_value (plain_value tensor) x) (terms g c) else 0.
Proof.
  intro H. eexists. split; [|apply block_terms]. intros h k Hh Hk. unfold specs.
  rewrite joined_looks by auto. rewrite <- rows_tail. cbn [head_of spec_of].
  rewrite (hard_target leaf tensor 1 (tl (str t)) _ _ _ _ _ _ _ _ (H h Hh)). now rewrite seq_nth.
Qed.

Lemma all_find_app T gs gs' : forall Y, all_find T Y gs ->
  all_find T (fun t => exact_run t gs (Y t)) gs' -> all_find T Y (gs ++ gs').
Proof.
  induction gs as [|g gs IH]; intros Y H H'; [exact H'|].
  destruct H as [H1 H2]. split; [exact H1|]. now apply IH.
Qed.

(** Stages as layers of SoftStep.v. *)
Definition parts (gs : list stage) : list part := map (fun g => (specs d g, products_of d g)) gs.

Lemma parts_run T C E (t : tree Sigma) gs : (length (str t) <= T)%nat -> Forall plain_stage gs ->
  forall Y, all_find T Y gs -> all_aim leaf tensor C (tl (str t)) [] E (Y t) (parts gs) /\
    fold_left (hard_part leaf tensor C (tl (str t)) [] E) (parts gs) (Y t) = exact_run t gs (Y t).
Proof.
  intros Ht. induction 1 as [|g gs Hg _ IH]; intros Y H; [split; [exact Logic.I|reflexivity]|].
  destruct H as [H1 H2]. destruct (IH _ H2) as [I1 I2].
  assert (Eg : hard_part leaf tensor C (tl (str t)) [] E (Y t) (specs d g, products_of d g) = exact_step t (Y t) g)
    by (symmetry; exact (exact_any C t (Y t) g Hg)).
  unfold exact_run in *. cbn [parts map all_aim fold_left]. rewrite Eg. split; [|exact I2].
  split; [|exact I1]. intros r Hr. rewrite rows_tail in Hr. now apply H1.
Qed.

(** ** Softmax and MLPs *)

Section Lift.
Context (letters : list Sigma) (T : nat) (sigma : R -> R) (b c : R).
Hypothesis all_letters : forall a, In a letters.
Hypothesis curved_at : curved sigma b c.
Hypothesis c_not_0 : c <> 0.

Theorem lift gs : Forall plain_stage gs -> forall Y : tree Sigma -> mat,
  (forall t r k, (d <= k)%nat -> Y t r k = 0) -> all_find T Y gs -> forall eps, 0 < eps ->
  exists rho C0 h0, 0 < rho /\ 0 < h0 /\ forall C h t X, C0 <= C -> 0 < h <= h0 ->
    (length (str t) <= T)%nat -> close (tl (str t)) rho X (Y t) ->
    close (tl (str t)) eps (soft_run sigma b c C h t gs X) (exact_run t gs (Y t)).
Proof.
  intros Hgs Y H0 HY eps He. destruct (finite_bound letters all_letters d T Y H0) as (K & HK & HB).
  assert (Hp : Forall (fun p => Forall (fun q => plain (times q)) (snd p)) (parts gs)) by now apply Forall_map.
  destruct (lift_networks leaf tensor T sigma b c (parts gs) K eps curved_at c_not_0 Hp HK He)
    as (rho & C0 & h0 & Hrho & Hh0 & H).
  exists rho, C0, h0. split; [exact Hrho|]. split; [exact Hh0|]. intros C h t X HC Hh Ht HX.
  destruct (parts_run T C (Y t) t gs Ht Hgs Y HY) as [HA HF].
  assert (Hw : (length (tl (str t)) <= T)%nat) by (destruct (str t); simpl in *; lia).
  specialize (H C h (tl (str t)) [] (Y t) X (Y t) HC Hh Hw (HB t Ht) (HB t Ht) HA HX). rewrite HF in H.
  replace (soft_run sigma b c C h t gs X) with (fold_left (soft_part leaf tensor C (tl (str t)) [] (Y t)
    (fun qs => run_network sigma b (network tensor h (/ (4 * h ^ 2 * c)) qs))) (parts gs) X); [exact H|].
  symmetry. apply fold_left_map_same. intros g _ Z. unfold soft_stage. now rewrite <- rows_tail.
Qed.
End Lift.
End Runs.
