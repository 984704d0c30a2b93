(** * How deep a transformer with hard attention must be for trees

    Section 4.2. The state of the root depends on all leaves. So for every shape of trees with more than h^L
    leaves, or (h + 1)^L with residual connections, there is a weighted tree automaton with n >= 2 states that
    L layers of h heads with hard attention do not simulate within 1/2 in the sense of Definition 4.2, even if
    only trees of that shape are asked for. For perfect binary trees with 2^k leaves and two heads
    without residual connections the bound is k layers: the O(log T) layers of Theorem 3 for balanced trees
    are of the right order.

    Alphabets. The finite alphabet has more than (N+1)^(h + h^2 + .. + h^L) letters: it is chosen after the
    numbers of tokens, heads and layers.

    Main definitions: [shape], [leaves], [fill] (a tree of a shape with given letters), [adding].
    Main theorem:     [hard_attention_depth_trees]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Sums Trees Theorem3 TreeModel ReluSpan ReluTransformers DepthTransformers.
From Assay Require TreeSimulation Simulation Pass DepthBound.
Import ListNotations.
Open Scope R_scope.

(** ** Trees of one shape *)

Fixpoint shape {Sigma : Type} (t : tree Sigma) : tree unit :=
  match t with Leaf _ => Leaf tt | Node l r => Node (shape l) (shape r) end.

Fixpoint leaves (s : tree unit) : nat := match s with Leaf _ => 1 | Node l r => leaves l + leaves r end.

Section Shapes.
Context {Sigma : Type} (letter : nat -> Sigma).

(** The tree of a shape with the letters of a word in its leaves; and the same for strings. *)
Fixpoint fill (s : tree unit) (v : list nat) : tree Sigma :=
  match s with
  | Leaf _ => Leaf (letter (hd 0%nat v))
  | Node l r => Node (fill l v) (fill r (skipn (leaves l) v))
  end.

Fixpoint paint (w : list (symbol unit)) (v : list nat) : list (symbol Sigma) :=
  match w with
  | [] => []
  | Sym _ :: w => Sym (letter (hd 0%nat v)) :: paint w (tl v)
  | Open :: w => Open :: paint w v
  | Close :: w => Close :: paint w v
  end.

(** How many letters a string has. *)
Fixpoint letters (w : list (symbol unit)) : nat :=
  match w with [] => 0 | Sym _ :: w => S (letters w) | _ :: w => letters w end.

Lemma letters_app w w' : letters (w ++ w') = (letters w + letters w')%nat.
Proof. induction w as [|[| |] w IH]; cbn; auto. Qed.

Lemma letters_str s : letters (str s) = leaves s.
Proof.
  induction s as [a|l IHl r IHr]; [reflexivity|]. cbn [str letters leaves].
  rewrite !letters_app, IHl, IHr. cbn. lia.
Qed.

Lemma paint_app w w' : forall v, paint (w ++ w') v = paint w v ++ paint w' (skipn (letters w) v).
Proof.
  induction w as [|[| |] w IH]; intro v; cbn [app paint letters]; rewrite ?IH; try reflexivity.
  destruct v; [now rewrite !skipn_nil|reflexivity].
Qed.

Lemma str_fill s : forall v, str (fill s v) = paint (str s) v.
Proof.
  induction s as [a|l IHl r IHr]; intro v; [reflexivity|].
  cbn [fill str paint]. now rewrite IHl, IHr, !paint_app, letters_str.
Qed.

Lemma paint_length w : forall v, length (paint w v) = length w.
Proof. induction w as [|[| |] w IH]; intro v; cbn; auto. Qed.

Lemma shape_fill s : forall v, shape (fill s v) = s.
Proof. induction s as [[]|l IHl r IHr]; intro v; cbn; [reflexivity|]. now rewrite IHl, IHr. Qed.

(** Which letter of the word stands at a position of the string, if any. *)
Definition slot (w : list (symbol unit)) (p : nat) : option nat :=
  match nth_error w p with Some (Sym _) => Some (letters (firstn p w)) | _ => None end.

Lemma slot_below w : forall p k, slot w p = Some k -> (k < letters w)%nat.
Proof.
  unfold slot. induction w as [|s w IH]; intros [|p] k E; try discriminate.
  - destruct s; try discriminate. injection E as <-. cbn. lia.
  - cbn [nth_error] in E. specialize (IH p). destruct (nth_error w p) as [[| |]|]; try discriminate.
    specialize (IH _ eq_refl). injection E as <-. destruct s; cbn [firstn letters]; lia.
Qed.

(** A symbol of the string depends on at most one letter. *)
Lemma one_symbol w : forall v p, nth_error (paint w v) p
  = match slot w p with
    | Some k => Some (Sym (letter (nth k v 0%nat)))
    | None => nth_error (paint w []) p
    end.
Proof.
  unfold slot. induction w as [|s w IH]; intros v [|p]; try reflexivity.
  - destruct s; [destruct v|..]; reflexivity.
  - destruct s; cbn [paint nth_error firstn letters tl]; rewrite IH; [|reflexivity..].
    destruct (nth_error w p) as [[| |]|]; try reflexivity. destruct v; [now destruct (letters _)|reflexivity].
Qed.
End Shapes.

(** ** The automaton: the second state of a tree is the sum of its leaves *)

Definition number_leaf (K : nat) (x : letters_below K) (k : nat) : R :=
  if (k =? 0)%nat then 1 else if (k =? 1)%nat then INR (proj1_sig x) else 0.
Definition adding (k a b : nat) : R := b2r ((a + b =? k) && (k <=? 1))%nat.

Lemma adding_node n (x y : nat -> R) : (2 <= n)%nat ->
  bilinear_state n adding x y 0%nat = x 0%nat * y 0%nat /\
  bilinear_state n adding x y 1%nat = x 0%nat * y 1%nat + x 1%nat * y 0%nat.
Proof.
  intro Hn. unfold bilinear_state.
  assert (Z : forall k a b, (k < 2)%nat -> (2 <= a + b)%nat -> adding k a b = 0).
  { intros k a b Hk Hab. unfold adding. now rewrite (proj2 (Nat.eqb_neq _ _)) by lia. }
  rewrite !(sum_two n) by exact Hn. rewrite !(sum_zero (n - 2)).
  - unfold adding. cbn. split; ring.
  - intros p Hp. apply sum_zero. intros b Hb. rewrite Z by lia. ring.
  - intros p Hp. rewrite Z by lia. ring.
  - intros p Hp. rewrite Z by lia. ring.
  - intros p Hp. apply sum_zero. intros b Hb. rewrite Z by lia. ring.
  - intros p Hp. rewrite Z by lia. ring.
  - intros p Hp. rewrite Z by lia. ring.
Qed.

Lemma fill_states n Q s : (2 <= n)%nat -> forall v, Forall (fun a => (a < S Q)%nat) v ->
  mu n (number_leaf (S Q)) adding (fill (letter Q) s v) 0%nat = 1 /\
  mu n (number_leaf (S Q)) adding (fill (letter Q) s v) 1%nat = INR (list_sum (firstn (leaves s) v)).
Proof.
  intro Hn. induction s as [a|l IHl r IHr]; intros v Hf; cbn [fill mu leaves].
  - split; [reflexivity|]. unfold number_leaf. cbn [Nat.eqb].
    destruct v as [|b v]; cbn [hd firstn list_sum fold_right].
    + now rewrite letter_is by lia.
    + inversion Hf; subst. rewrite letter_is by lia. now rewrite Nat.add_0_r.
  - destruct (IHl v Hf) as [A0 A1].
    destruct (IHr (skipn (leaves l) v)) as [B0 B1].
    { rewrite <- (firstn_skipn (leaves l) v) in Hf. now apply Forall_app in Hf. }
    match goal with |- bilinear_state n adding ?x ?y _ = _ /\ _ => destruct (adding_node n x y Hn) as [E0 E1] end.
    rewrite E0, E1, A0, A1, B0, B1. split; [ring|].
    assert (E : firstn (leaves l + leaves r) v = firstn (leaves l) v ++ firstn (leaves r) (skipn (leaves l) v)).
    { generalize (leaves l), (leaves r). clear. intros i j. revert v.
      induction i as [|i IH]; intro v; [reflexivity|]. destruct v as [|a v]; [now destruct j|].
      cbn [Nat.add firstn skipn app]. now rewrite IH. }
    rewrite E, list_sum_app, plus_INR. ring.
Qed.

(** ** The theorem *)

(** The alphabet, K letters, is chosen after the numbers of tokens, heads and layers. *)
Theorem hard_attention_depth_trees (own : bool) (N L h n : nat) (s : tree unit) :
  (1 <= brought own h)%nat -> (2 <= n)%nat -> (brought own h ^ L < leaves s)%nat ->
  forall K, (digits own N L h < K)%nat ->
  forall (transformer : Pass.model) (embedding : nat -> option (symbol (letters_below K)) -> nat -> R)
    (place row : nat -> nat),
  all_hard transformer -> at_most L h transformer -> own = true \/ plain transformer embedding ->
  ~ TreeSimulation.approximately_simulates_trees n (length (str s)) (number_leaf K) adding
      (fun t => shape t = s) (/ 2)
      (fun w i => Pass.forward N transformer (reads_letters embedding place w) (row i)).
Proof.
  intros Hh Hn HT [|Q] HK m embedding place row Hhard Hsize Hset Hsim; [lia|].
  set (f := fun v => Pass.forward N m (reads_letters embedding place (str (fill (letter Q) s v))) (row 0%nat)).
  (* the transformer as one that reads the letters alone *)
  set (e := fun r (o : option nat) => match o with
    | Some a => embedding r (Some (Sym (letter Q a)))
    | None => embedding r (nth_error (paint (letter Q) (str s) []) (place r)) end).
  set (spot := fun r => match slot (str s) (place r) with Some k => k | None => leaves s end).
  assert (Hset' : own = true \/ plain m e).
  { destruct Hset as [H|[H1 H2]]; [now left|right]. split; [exact H1|]. intros r o o' c Hc.
    unfold e. destruct o, o'; now apply H2. }
  destruct (DepthBound.sums_collide N L (brought own h) (leaves s) (S Q) Hh HT HK token vector
    (network_of N m e (fun a => a) spot (row 0%nat) own)) as (v & v' & Hv & Hv' & Hne & E);
    [now apply network_within|]. rewrite !pass_is_network, !map_id in E by assumption.
  assert (Hf : forall v, length v = leaves s -> Pass.forward N m (reads_letters e spot v) (row 0%nat) = f v).
  { intros u Hu. unfold f. f_equal. apply functional_extensionality. intro r. unfold reads_letters, spot, e.
    rewrite str_fill, (one_symbol (letter Q) (str s) u). destruct (slot (str s) (place r)) as [k|] eqn:Ek.
    - assert (Hk : (k < length u)%nat).
      { rewrite Hu, <- letters_str. now apply (slot_below _ (place r)). }
      now rewrite (nth_error_nth' u 0%nat Hk).
    - now rewrite (proj2 (nth_error_None u (leaves s))) by lia. }
  rewrite (Hf v (proj1 Hv)), (Hf v' (proj1 Hv')) in E.
  assert (G : forall v, DepthBound.word (leaves s) (S Q) v -> Rabs (f v 1%nat - INR (list_sum v)) < / 2).
  { intros u [HL HF]. destruct (fill_states n Q s Hn u HF) as [_ S]. rewrite firstn_all2 in S by lia.
    rewrite <- S. apply (close_entry n (f u)); [|lia]. apply (Hsim (fill (letter Q) s u) 0%nat 0%nat);
      [now rewrite str_fill, paint_length|apply shape_fill|apply at_root]. }
  apply Hne, (half_apart _ _ (f v 1%nat)); [now apply G|]. rewrite E. now apply G.
Qed.
