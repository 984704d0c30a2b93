(** * Trees without masks: after how many layers a state is there

    Section 4.2 and Appendix C, for the model of FreeModel.v. The state of a letter is there from
    the start, that of a node two layers after that of its left child and one after that of its
    right child, whichever is later: rho = 0 at a letter, max(rho_left + 2, rho_right + 1) at a
    node. So rho <= 2 height. Balanced trees are low: with L = log2 T, rounded up, and
    |str(t)| <= T, the height is at most 2 L if heights of siblings differ by at most 1.

    Main definitions: [rank] (rho), [ready] (the subtree whose state a token holds after l layers),
                      [even].
    Main theorems:    [rank_height], [even_height]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Trees Theorem3 TreeModel TreeBlocks TreeScores TreeLayers.
Import ListNotations.
Open Scope nat_scope.

(** ** After how many layers a state is there *)

Fixpoint rank {Sigma : Type} (t : tree Sigma) : nat :=
  match t with Leaf _ => 0 | Node a b => Nat.max (rank a + 2) (rank b + 1) end.

Theorem rank_height {Sigma : Type} (t : tree Sigma) : (rank t <= 2 * height t)%nat.
Proof. induction t as [a|a IHa b IHb]; cbn [rank height]; lia. Qed.

Lemma node_rank {Sigma : Type} (t : tree Sigma) i d u : node t i d u -> (rank u <= rank t)%nat.
Proof. induction 1; cbn [rank]; lia. Qed.

Section Ready.
Context {Sigma : Type}.

(** The subtree that begins at i, if its state is there after l layers. *)
Definition ready (l : nat) (t : tree Sigma) (i : nat) : option (tree Sigma) :=
  match beginning t i with Some u => if (rank u <=? l)%nat then Some u else None | None => None end.

Lemma ready_node l t i d u : node t i d u ->
  ready l t i = if (rank u <=? l)%nat then Some u else None.
Proof. intro H. unfold ready. now rewrite (beginning_node _ _ _ _ H). Qed.

Lemma ready_beyond l t i : (length (str t) <= i)%nat -> ready l t i = None.
Proof. intro H. unfold ready. now rewrite beginning_beyond. Qed.

Lemma ready_close l t i : nth_error (str t) i = Some Close -> ready l t i = None.
Proof. intro H. unfold ready. now rewrite beginning_close. Qed.

Lemma ready_letter l t i a : nth_error (str t) i = Some (Sym a) -> ready l t i = Some (Leaf a).
Proof.
  intro Es. destruct (tau_exists Sigma t i (Sym a) Es ltac:(discriminate)) as (d & u & H).
  rewrite (ready_node _ _ _ _ _ H). rewrite (node_symbol _ _ _ _ H) in Es.
  destruct u; [now injection Es as ->|discriminate].
Qed.

(** Tokens that are no opening brackets keep what they have. *)
Lemma ready_stays l l' t i : kind_at (str t) i <> 1%Z -> ready l t i = ready l' t i.
Proof.
  intro Hk. destruct (nth_error (str t) i) as [[a| |]|] eqn:Es.
  - now rewrite !(ready_letter _ _ _ _ Es).
  - contradiction Hk. now apply kind_open.
  - now rewrite !ready_close.
  - apply nth_error_None in Es. now rewrite !ready_beyond.
Qed.

Lemma ready_inside l t i u : ready l t i = Some u -> exists d, node t i d u.
Proof.
  intro H. destruct (nth_error (str t) i) as [s|] eqn:Es.
  - destruct s as [a| |]; [| |rewrite ready_close in H by auto; discriminate].
    all: destruct (tau_exists Sigma t i _ Es ltac:(discriminate)) as (d & v & Hn);
      rewrite (ready_node _ _ _ _ _ Hn) in H; destruct (rank v <=? l)%nat; [|discriminate];
      injection H as <-; now exists d.
  - apply nth_error_None in Es. rewrite ready_beyond in H by auto. discriminate.
Qed.

Definition done_of (o : option (tree Sigma)) : Z := match o with Some _ => 1 | None => 0 end.
Definition size_of (o : option (tree Sigma)) : Z :=
  match o with Some u => Z.of_nat (length (str u)) | None => 0 end.
Definition pair_of (x y : option (tree Sigma)) : option (tree Sigma) :=
  match x, y with Some a, Some b => Some (Node a b) | _, _ => None end.
(** Before the first layer the states of letters are there. *)
Lemma ready_first t i :
  ready 0 t i = match nth_error (str t) i with Some (Sym a) => Some (Leaf a) | _ => None end.
Proof.
  destruct (nth_error (str t) i) as [[a| |]|] eqn:Es.
  - now apply ready_letter.
  - apply kind_open in Es. destruct (open_node t i Es) as (d & a & b & Hn).
    rewrite (ready_node _ _ _ _ _ Hn). cbn [rank].
    now replace (_ <=? 0) with false by (symmetry; apply Nat.leb_gt; lia).
  - now apply ready_close.
  - apply nth_error_None in Es. now apply ready_beyond.
Qed.

(** The row where the right child of an opening bracket begins, if the left child was ready a layer ago. *)
Definition right_child (l : nat) (t : tree Sigma) (r : nat) : option nat :=
  match l with
  | O => None
  | S l' => if (kind_at (str t) r =? 1)%Z then
              option_map (fun u => r + 1 + length (str u)) (ready l' t (r + 1))
            else None
  end.

Lemma right_child_node l t r d a b : node t r d (Node a b) ->
  right_child l t r = if rank a <? l then Some (r + 1 + length (str a)) else None.
Proof.
  intro Hn. destruct (node_children t r d a b Hn) as [Ha _]. destruct l as [|l]; [reflexivity|].
  pose proof (node_symbol _ _ _ _ Hn) as Es. apply kind_open in Es. cbn [right_child].
  rewrite Es, (ready_node _ _ _ _ _ Ha). cbn [Z.eqb Pos.eqb].
  change (rank a <? S l) with (rank a <=? l). destruct (rank a <=? l); reflexivity.
Qed.

Lemma right_child_inside l t r j : right_child l t r = Some j -> j < length (str t).
Proof.
  intro E. assert (Hk : kind_at (str t) r = 1%Z).
  { destruct l; [discriminate|]. cbn [right_child] in E. destruct (Z.eqb_spec (kind_at (str t) r) 1); [assumption|discriminate]. }
  destruct (open_node t r Hk) as (d & a & b & Hn). rewrite (right_child_node _ _ _ _ _ _ Hn) in E.
  destruct (rank a <? l); [|discriminate]. injection E as <-.
  destruct (node_children t r d a b Hn) as [_ Hb].
  pose proof (node_inside _ _ _ _ Hb). pose proof (str_length Sigma b). lia.
Qed.

(** A bracket is ready one layer after its right child, two after its left child. *)
Lemma ready_open l t r d a b : node t r d (Node a b) -> ready (S l) t r
  = pair_of (ready l t (r + 1)) (match right_child l t r with Some j => ready l t j | None => None end).
Proof.
  intro Hn. destruct (node_children t r d a b Hn) as [Ha Hb].
  rewrite (right_child_node _ _ _ _ _ _ Hn), (ready_node _ _ _ _ _ Hn), (ready_node _ _ _ _ _ Ha). cbn [rank].
  destruct (Nat.ltb_spec (rank a) l); rewrite ?(ready_node _ _ _ _ _ Hb);
    destruct (Nat.leb_spec (rank a) l), (Nat.leb_spec (rank b) l),
      (Nat.leb_spec (Nat.max (rank a + 2) (rank b + 1)) (S l)); try lia; reflexivity.
Qed.

Lemma done_range l t i : (0 <= done_of (ready l t i) <= 1)%Z.
Proof. destruct (ready l t i); cbn; lia. Qed.

Lemma size_range l t i : (0 <= size_of (ready l t i) <= Z.of_nat (length (str t)))%Z.
Proof.
  destruct (ready l t i) as [u|] eqn:Eu; cbn [size_of]; [|lia].
  destruct (ready_inside _ _ _ _ Eu) as (d & Hn). pose proof (node_inside _ _ _ _ Hn). lia.
Qed.

Definition state_of n (leaf : Sigma -> nat -> R) tensor (o : option (tree Sigma)) : nat -> R :=
  match o with Some u => mu n leaf tensor u | None => zero end.
End Ready.

(** ** Balanced trees are low *)

(** The heights of siblings differ by at most 1. *)
Fixpoint even {Sigma : Type} (t : tree Sigma) : Prop :=
  match t with
  | Leaf _ => True
  | Node a b => height a <= height b + 1 /\ height b <= height a + 1 /\ even a /\ even b
  end.

Lemma even_square {Sigma : Type} (t : tree Sigma) : even t ->
  2 ^ height t <= length (str t) * length (str t).
Proof.
  induction t as [a|a IHa b IHb]; cbn [even]; [intros _; simpl; lia|]. intros (H1 & H2 & Ea & Eb).
  specialize (IHa Ea). specialize (IHb Eb). cbn [height str length]. rewrite !app_length.
  cbn [length]. rewrite Nat.pow_succ_r'. set (x := length (str a)) in *.
  set (y := length (str b)) in *.
  assert (P : forall p q u v, p <= q + 1 -> q <= p -> 2 ^ p <= u * u -> 2 ^ q <= v * v ->
    2 * 2 ^ p <= (u + v) * (u + v)).
  { intros p q u v Hp Hq Hu Hv. assert (2 ^ p <= 2 * 2 ^ q).
    { rewrite <- Nat.pow_succ_r'. apply Nat.pow_le_mono_r; lia. }
    assert (2 ^ q <= 2 ^ p) by (apply Nat.pow_le_mono_r; lia).
    assert (2 ^ q <= u * v).
    { destruct (Nat.le_ge_cases u v) as [H'|H'].
      - apply Nat.le_trans with (u * u); [lia|now apply Nat.mul_le_mono_l].
      - apply Nat.le_trans with (v * v); [lia|now apply Nat.mul_le_mono_r]. }
    nia. }
  apply Nat.le_trans with ((x + y) * (x + y)); [|nia].
  destruct (Nat.le_ge_cases (height a) (height b)) as [H|H].
  - rewrite Nat.max_r by auto. rewrite (Nat.add_comm x y). now apply (P _ (height a)).
  - rewrite Nat.max_l by auto. now apply (P _ (height b)).
Qed.

Theorem even_height {Sigma : Type} (t : tree Sigma) T : even t -> length (str t) <= T ->
  height t <= 2 * Nat.log2_up T.
Proof.
  intros He HT. pose proof (even_square t He) as H. pose proof (str_length Sigma t).
  apply (Nat.pow_le_mono_r_iff 2); [lia|]. destruct (Nat.eq_dec T 1) as [->|Hne].
  - simpl. eapply Nat.le_trans; [exact H|]. nia.
  - pose proof (Nat.log2_up_spec T ltac:(lia)) as [_ HL].
    replace (2 * Nat.log2_up T) with (Nat.log2_up T + Nat.log2_up T) by lia.
    rewrite Nat.pow_add_r. nia.
Qed.
