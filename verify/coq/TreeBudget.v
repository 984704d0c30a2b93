(** * The error budget of a tree model, coordinate by coordinate

    Section 4.2 and Appendix C, "to arbitrary precision". A model with hard attention and exact
    products, and the same one with softmax of C times the scores and products that are off, run side
    by side. For each coordinate V bounds what the first one holds and e the difference so far. Then
    a score moves by at most m = sum |q| e(k) + e(q) |k| + e(q) e(k) over the pairs of its forms; a
    row that stands out by 1 leaks at most T exp(-C (1 - 2 m)); a head brings errors
    e + 2 V leak; a product has the error |x| e(y) + e(x) |y| + e(x) e(y) and its own; and the sum over
    products gives the next e. This is the recursion of [verify.bounds.budget].

    Main definitions: [spec], [movement], [leak_of], [read_errors], [next_errors].
    Main theorems:    [layer_budget]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Activation Softmax Trees TreeModel TreeBlocks TreeRecursion TreeSoft TreeContinuity.
Import ListNotations.
Open Scope R_scope.

(** ** The recursion *)

(** Queries, keys and what is read: a head without a mask. *)
Record spec := Spec { asks : list whole; answers : list whole; brings : list nat }.
Definition head_of (mode : attention) (h : spec) : head :=
  scored mode (asks h) (answers h) (brings h) Everywhere.

(** sum |w_c| v_c. *)
Definition along (f : whole) (v : nat -> R) : R :=
  lsum (fun p => Rabs (IZR (snd p)) * v (fst p)) f.

Section Budget.
Variable tensor : nat -> nat -> nat -> R.
Variable T : nat.                    (* tokens other than the one that is looked for *)
Variable C : R.
Variable V : nat -> R.               (* sizes *)

(** By how much a score may move. *)
Definition movement (e : nat -> R) (h : spec) : R :=
  lsum (fun p => along (fst p) V * along (snd p) e + along (fst p) e * along (snd p) V
                 + along (fst p) e * along (snd p) e) (combine (asks h) (answers h)).

Definition leak_of (e : nat -> R) (h : spec) : R :=
  INR T * exp (- (C * (1 - 2 * movement e h))).

(** Sizes and errors of what the heads bring, side by side. *)
Fixpoint read_sizes (hs : list spec) (k : nat) : R :=
  match hs with
  | [] => 0
  | h :: rest => if (k <? length (brings h))%nat then V (nth k (brings h) 0%nat)
                 else read_sizes rest (k - length (brings h))
  end.

Fixpoint read_errors (e : nat -> R) (hs : list spec) (k : nat) : R :=
  match hs with
  | [] => 0
  | h :: rest =>
      if (k <? length (brings h))%nat
      then let c := nth k (brings h) 0%nat in e c + 2 * V c * leak_of e h
      else read_errors e rest (k - length (brings h))
  end.

(** The error of a product whose own one is [own p]. *)
Definition product_error (own : product -> R) (x d : nat -> R) (p : product) : R :=
  x (left_of p) * d (right_of p) + d (left_of p) * x (right_of p)
  + d (left_of p) * d (right_of p) + own p.

Definition next_errors (own : product -> R) (again : list nat) (hs : list spec) (ps : list product)
    (e : nat -> R) : nat -> R := fun c =>
  if existsb (Nat.eqb c) again then 0
  else lsum (fun p => if (out p =? c)%nat
                      then Rabs (plain_value tensor (times p))
                           * product_error own (read_sizes hs) (read_errors e hs) p
                      else 0) ps.
End Budget.

(** ** What the recursion bounds *)

Lemma product_moves a b a' b' A B da db : Rabs (a - a') <= da -> Rabs (b - b') <= db ->
  Rabs a' <= A -> Rabs b' <= B -> Rabs (a * b - a' * b') <= A * db + da * B + da * db.
Proof.
  intros Ha Hb HA HB.
  replace (a * b - a' * b') with (a' * (b - b') + ((a - a') * b' + (a - a') * (b - b'))) by ring.
  eapply Rle_trans; [apply Rabs_triang|].
  pose proof (Rabs_triang ((a - a') * b') ((a - a') * (b - b'))) as H. rewrite !Rabs_mult in *.
  pose proof (Rmult_le_compat _ _ _ _ (Rabs_pos _) (Rabs_pos _) HA Hb).
  pose proof (Rmult_le_compat _ _ _ _ (Rabs_pos _) (Rabs_pos _) Ha HB).
  pose proof (Rmult_le_compat _ _ _ _ (Rabs_pos _) (Rabs_pos _) Ha Hb). lra.
Qed.

Lemma form_moves f x y e : (forall c, Rabs (x c - y c) <= e c) ->
  Rabs (wform f x - wform f y) <= along f e.
Proof.
  intro H. unfold wform, along. rewrite lsum_minus.
  eapply Rle_trans; [apply lsum_abs|]. apply lsum_le. intros [c z]. cbn [fst snd].
  rewrite <- Rmult_minus_distr_l, Rabs_mult. apply Rmult_le_compat_l; [apply Rabs_pos|apply H].
Qed.

Lemma form_size f y V : (forall c, Rabs (y c) <= V c) -> Rabs (wform f y) <= along f V.
Proof.
  intro H. unfold wform, along. eapply Rle_trans; [apply lsum_abs|]. apply lsum_le.
  intros [c z]. cbn [fst snd]. rewrite Rabs_mult.
  apply Rmult_le_compat_l; [apply Rabs_pos|apply H].
Qed.

Lemma score_moves V e h x x' y y' :
  (forall c, Rabs (x c - y c) <= e c) -> (forall c, Rabs (x' c - y' c) <= e c) ->
  (forall c, Rabs (y c) <= V c) -> (forall c, Rabs (y' c) <= V c) ->
  Rabs (wscore (asks h) (answers h) x x' - wscore (asks h) (answers h) y y') <= movement V e h.
Proof.
  intros Hx Hx' Hy Hy'. unfold wscore, movement. rewrite lsum_minus.
  eapply Rle_trans; [apply lsum_abs|]. apply lsum_le. intros [q k]. cbn [fst snd].
  apply product_moves; auto using form_moves, form_size.
Qed.

Section Layer.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R)
  (C : R) (T : nat) (w : list (symbol Sigma)) (V e : nat -> R) (X Y : mat).
Local Notation val := (value leaf tensor C w).
Local Notation M := (rows w).
Hypothesis C_pos : 0 <= C.
Hypothesis fits : (length w <= T)%nat.
Hypothesis sizes : forall r c, (r < M)%nat -> Rabs (Y r c) <= V c.
Hypothesis errors : forall r c, (r < M)%nat -> Rabs (X r c - Y r c) <= e c.

(** Some row stands out by 1. *)
Definition aims (r : nat) (h : spec) : Prop :=
  exists s0, target w (asks h) (answers h) Everywhere Y r s0.

Lemma soft_leaks r h s0 : (r < M)%nat -> target w (asks h) (answers h) Everywhere Y r s0 ->
  near M (leak_of T C V e h) (weights val M (head_of Soft h) X r) s0.
Proof.
  intros Hr (H0 & Hm & Hgap). set (m := movement V e h).
  apply (near_le M (INR (M - 1) * exp (- (C * (1 - 2 * m))))).
  { apply Rmult_le_compat_r; [left; apply exp_pos|]. apply le_INR. unfold rows. lia. }
  assert (Hoff : forall s, (s < M)%nat ->
    Rabs (wscore (asks h) (answers h) (X r) (X s) - wscore (asks h) (answers h) (Y r) (Y s)) <= m).
  { intros s Hs. apply score_moves; auto. }
  unfold weights, head_of. cbn [how seen scored attend]. apply soft_near; auto.
  intros s Hs Hne Ha.
  change (score val (head_of Soft h) X r s + C * (1 - 2 * m) <= score val (head_of Soft h) X r s0).
  unfold head_of. rewrite !score_whole. cbn [kappa]. rewrite <- Rmult_plus_distr_l.
  apply Rmult_le_compat_l; [exact C_pos|]. pose proof (abs_between _ _ (Hoff s Hs)).
  pose proof (abs_between _ _ (Hoff s0 H0)). pose proof (Hgap s Hs Hne Ha). lra.
Qed.

Lemma read_moves r h k : (r < M)%nat -> aims r h -> let c := nth k (brings h) 0%nat in
  Rabs (read val M (head_of Soft h) X r k - read val M (head_of Hard h) Y r k)
  <= e c + 2 * V c * leak_of T C V e h /\
  Rabs (read val M (head_of Hard h) Y r k) <= V c.
Proof.
  intros Hr (s0 & Ht) c. unfold head_of at 2 3.
  rewrite (hard_target leaf tensor C w (asks h) (answers h) (brings h) _ Y r s0 k Ht). fold c.
  split; [|apply sizes, Ht].
  apply (mean_error 1 _ scalar_norm M _ _ s0 (fun s _ => X s c) (fun s _ => Y s c) (e c) (V c)
    (soft_leaks r h s0 Hr Ht)).
  - apply Ht.
  - intros s Hs. now apply errors.
  - intros s Hs. now apply sizes.
Qed.

Lemma joined_moves r hs : (r < M)%nat -> Forall (aims r) hs -> forall k,
  Rabs (joined val M (map (head_of Soft) hs) X r k - joined val M (map (head_of Hard) hs) Y r k)
  <= read_errors T C V e hs k /\
  Rabs (joined val M (map (head_of Hard) hs) Y r k) <= read_sizes V hs k.
Proof.
  intros Hr H. induction H as [|h hs Hh _ IH]; intro k; cbn [map joined read_errors read_sizes].
  - rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. split; lra.
  - change (reads (head_of Soft h)) with (brings h). change (reads (head_of Hard h)) with (brings h).
    destruct (k <? length (brings h))%nat; [now apply read_moves|apply IH].
Qed.

(** A block that multiplies by [mul], whose products are off by at most [own]. *)
Definition block_by (mul : R -> R -> R) (ps : list product) (x : nat -> R) (c : nat) : R :=
  lsum (fun p => if (out p =? c)%nat
                 then plain_value tensor (times p) * mul (x (left_of p)) (x (right_of p)) else 0) ps.

Theorem layer_budget mul own again (E : mat) hs ps r c :
  (r < M)%nat -> Forall (aims r) hs -> Forall (fun p => plain (times p)) ps ->
  (forall p x y, In p ps ->
     Rabs x <= read_sizes V hs (left_of p) + read_errors T C V e hs (left_of p) ->
     Rabs y <= read_sizes V hs (right_of p) + read_errors T C V e hs (right_of p) ->
     Rabs (mul x y - x * y) <= own p) ->
  Rabs ((if existsb (Nat.eqb c) again then E r c
         else block_by mul ps (joined val M (map (head_of Soft) hs) X r) c)
        - run_layer val M again E Y (Layer (map (head_of Hard) hs) ps) r c)
  <= next_errors tensor T C V own again hs ps e c.
Proof.
  intros Hr Hh Hp Hown. unfold run_layer, run_with, next_errors. cbn [heads products].
  destruct (existsb _ _); [rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra|].
  rewrite block_plain by auto. unfold block_by, block. rewrite lsum_minus.
  pose proof (joined_moves r hs Hr Hh) as J.
  set (x := joined val M (map (head_of Soft) hs) X r) in *.
  set (y := joined val M (map (head_of Hard) hs) Y r) in *.
  eapply Rle_trans; [apply lsum_abs|].
  clear Hp. revert Hown. induction ps as [|p ps IH]; intro Hown; [right; reflexivity|].
  match goal with |- lsum ?f _ <= lsum ?g _ => change (f p + lsum f ps <= g p + lsum g ps) end.
  apply Rplus_le_compat; [|apply IH; intros; apply Hown; simpl; auto]. cbv beta.
  destruct (out p =? c)%nat; [|rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra].
  rewrite Rmult_assoc, <- Rmult_minus_distr_l, Rabs_mult.
  apply Rmult_le_compat_l; [apply Rabs_pos|].
  destruct (J (left_of p)) as [J1 J2]. destruct (J (right_of p)) as [J3 J4].
  assert (S : forall k, Rabs (x k) <= read_sizes V hs k + read_errors T C V e hs k).
  { intro k. destruct (J k) as [K1 K2]. pose proof (Rabs_triang (x k - y k) (y k)) as G.
    replace (x k - y k + y k) with (x k) in G by ring. lra. }
  pose proof (Hown p _ _ (or_introl eq_refl) (S (left_of p)) (S (right_of p))) as H1.
  pose proof (product_moves _ _ _ _ _ _ _ _ J1 J3 J2 J4) as H2.
  pose proof (Rabs_triang (mul (x (left_of p)) (x (right_of p)) - x (left_of p) * x (right_of p))
    (x (left_of p) * x (right_of p) - y (left_of p) * y (right_of p))) as H3.
  replace (mul (x (left_of p)) (x (right_of p)) - x (left_of p) * x (right_of p)
    + (x (left_of p) * x (right_of p) - y (left_of p) * y (right_of p)))
    with (mul (x (left_of p)) (x (right_of p)) - y (left_of p) * y (right_of p)) in H3 by ring.
  unfold product_error. lra.
Qed.
End Layer.
