(** * Trees as strings: positions, depths, children

    Section 4.1 and Appendix C, "Enriched embedding" and "Tree parsing", without a real number in
    it. str(t) is injective, every position of I_t starts exactly one subtree, the sum of the markers
    m_j over j < i is the number of ancestors of the node at position i, the left child of an opening
    bracket is the next position, and its right child is the first later one that is one level down.

    Where we differ from the print: the printed sum, of m_(j+1) over j <= i, is wrong for the tree
    (a, b) ([printed_depth_refuted]). Positions count from 0 here. The letters are a type of their
    own, so that no letter is a bracket.

    Main definitions: [tree], [str], [height], [depth_at], [occurs] (tau of Definition 4.1), [node]
                      (a subtree with its position and its number of ancestors).
    Main theorems:    [str_injective], [tau_unique], [tau_exists], [tau_exactly_one],
                      [depth_formula],
                      [printed_depth_refuted], [left_child], [right_child]. *)

From Coq Require Import ZArith List Lia Arith.
From Assay Require Import Compat.
Import ListNotations.
Open Scope nat_scope.
Local Arguments Z.add : simpl never.

(** ** Trees and their strings *)

Section Trees.
Variable Sigma : Type.

Inductive tree : Type := Leaf (a : Sigma) | Node (l r : tree).
Inductive symbol : Type := Sym (a : Sigma) | Open | Close.

Fixpoint str (t : tree) : list symbol :=
  match t with
  | Leaf a => [Sym a]
  | Node l r => Open :: str l ++ str r ++ [Close]
  end.

Fixpoint height (t : tree) : nat :=
  match t with Leaf _ => 0 | Node l r => S (Nat.max (height l) (height r)) end.

Definition mark (s : symbol) : Z := match s with Sym _ => 0 | Open => 1 | Close => -1 end%Z.

Fixpoint total (w : list symbol) : Z :=
  match w with nil => 0 | s :: w' => mark s + total w' end%Z.

(** The repaired depth: the sum of m_j over j < i. *)
Definition depth_at (w : list symbol) (i : nat) : Z := total (firstn i w).

(** The printed one: the sum of m_(j+1) over j <= i. *)
Definition printed_depth (w : list symbol) (i : nat) : Z := total (firstn (S i) (tl w)).

(** tau(i) = t: the string of t starts at position i. *)
Definition occurs (w : list symbol) (i : nat) (t : tree) : Prop :=
  exists before after, w = before ++ str t ++ after /\ length before = i.

(** The subtree u is a node of t at position i with d ancestors. *)
Inductive node : tree -> nat -> nat -> tree -> Prop :=
| at_root t : node t 0 0 t
| at_left l r i d u : node l i d u -> node (Node l r) (1 + i) (S d) u
| at_right l r i d u : node r i d u -> node (Node l r) (1 + length (str l) + i) (S d) u.

Lemma str_prefix t : forall t' p p', str t ++ p = str t' ++ p' -> t = t' /\ p = p'.
Proof.
  induction t as [a|l IHl r IHr]; intros [a'|l' r'] p p' H; simpl in H; try discriminate.
  - injection H as -> ->. auto.
  - injection H as H. rewrite <- !app_assoc in H.
    apply IHl in H as [-> H]. apply IHr in H as [-> H]. injection H as ->. auto.
Qed.

Theorem str_injective t t' : str t = str t' -> t = t'.
Proof. intro H. apply (str_prefix t t' nil nil). now rewrite H. Qed.

Theorem tau_unique w i t t' : occurs w i t -> occurs w i t' -> t = t'.
Proof.
  intros (b & a & E & Hb) (b' & a' & E' & Hb'). subst w.
  assert (H : b = b' /\ str t ++ a = str t' ++ a').
  { apply app_eq_app in E'. destruct E' as (z & [[-> H]|[-> H]]);
      rewrite app_length in *; assert (z = nil) as -> by (destruct z; simpl in *; [auto|lia]);
      rewrite app_nil_r; auto. }
  destruct H as [_ H]. now apply str_prefix in H as [-> _].
Qed.

Lemma str_length t : 1 <= length (str t).
Proof. destruct t; simpl; lia. Qed.

Lemma node_occurs t i d u : node t i d u -> occurs (str t) i u.
Proof.
  induction 1 as [t|l r i d u _ (b & a & E & Hb)|l r i d u _ (b & a & E & Hb)].
  - exists nil, nil. simpl. now rewrite app_nil_r.
  - exists (Open :: b), (a ++ str r ++ [Close]). simpl. rewrite E, <- !app_assoc.
    split; [reflexivity|]. now rewrite Hb.
  - exists (Open :: str l ++ b), (a ++ [Close]). simpl. rewrite E, <- !app_assoc.
    split; [reflexivity|]. rewrite app_length, Hb. reflexivity.
Qed.

(** Every position of I_t starts a subtree. *)
Theorem tau_exists t i s : nth_error (str t) i = Some s -> s <> Close ->
  exists d u, node t i d u.
Proof.
  revert i; induction t as [a|l IHl r IHr]; intros i Hs Hne.
  - destruct i as [|i]; [|destruct i; discriminate]. exists 0, (Leaf a). constructor.
  - destruct i as [|i]; [exists 0, (Node l r); constructor|]. simpl in Hs.
    destruct (Nat.lt_ge_cases i (length (str l))) as [Hi|Hi].
    + rewrite nth_error_app1 in Hs by auto. destruct (IHl i Hs Hne) as (d & u & H).
      exists (S d), u. now apply (at_left l r i d u).
    + rewrite nth_error_app2 in Hs by auto.
      destruct (Nat.lt_ge_cases (i - length (str l)) (length (str r))) as [Hj|Hj].
      * rewrite nth_error_app1 in Hs by auto. destruct (IHr _ Hs Hne) as (d & u & H).
        exists (S d), u. apply (at_right l r) in H.
        now replace (S i) with (1 + length (str l) + (i - length (str l))) by lia.
      * rewrite nth_error_app2 in Hs by auto.
        destruct (i - length (str l) - length (str r)) as [|k]; simpl in Hs.
        -- injection Hs as <-. now contradiction Hne.
        -- destruct k; discriminate.
Qed.

(** Definition 4.1: exactly one tree starts at a position of I_t. *)
Theorem tau_exactly_one t i s : nth_error (str t) i = Some s -> s <> Close ->
  exists! u, occurs (str t) i u.
Proof.
  intros Hs Hne. destruct (tau_exists t i s Hs Hne) as (d & u & H).
  pose proof (node_occurs _ _ _ _ H) as Ho. exists u. split; [exact Ho|].
  intros u' Hu'. now apply (tau_unique (str t) i).
Qed.

(** ** Depths *)

Lemma total_app u v : total (u ++ v) = (total u + total v)%Z.
Proof. induction u as [|s u IH]; simpl; [reflexivity|]. rewrite IH. lia. Qed.

Lemma total_str t : total (str t) = 0%Z.
Proof. induction t; simpl; [reflexivity|]. rewrite !total_app, IHt1, IHt2. reflexivity. Qed.

Lemma depth_nonneg t k : (0 <= total (firstn k (str t)))%Z.
Proof.
  revert k; induction t as [a|l IHl r IHr]; intro k.
  - destruct k as [|[|k]]; simpl; lia.
  - destruct k as [|k]; simpl; [lia|]. rewrite !firstn_app, !total_app.
    pose proof (IHl k). pose proof (IHr (k - length (str l))).
    generalize (k - length (str l) - length (str r)). intros [|[|m]]; simpl; lia.
Qed.

(** Strictly inside the string of a tree the depth is at least one more than at its start. *)
Lemma depth_inside t k : 1 <= k < length (str t) -> (1 <= total (firstn k (str t)))%Z.
Proof.
  intros Hk. destruct t as [a|l r]; simpl in Hk; [lia|]. destruct k as [|k]; [lia|].
  simpl. rewrite !app_length in Hk. simpl in Hk. rewrite !firstn_app, !total_app.
  pose proof (depth_nonneg l k). pose proof (depth_nonneg r (k - length (str l))).
  replace (k - length (str l) - length (str r)) with 0 by lia. simpl. lia.
Qed.

Lemma depth_shift before w k :
  depth_at (before ++ w) (length before + k) = (total before + total (firstn k w))%Z.
Proof. unfold depth_at. now rewrite firstn_app_2, total_app. Qed.

(** The repaired formula gives the number of ancestors, at every position of I_t. *)
Theorem depth_formula t i d u : node t i d u -> depth_at (str t) i = Z.of_nat d.
Proof.
  induction 1 as [t|l r i d u H IH|l r i d u H IH]; [reflexivity| |].
  - assert (Hi : i < length (str l)).
    { destruct (node_occurs _ _ _ _ H) as (b & a & E & Hb). rewrite E, !app_length.
      pose proof (str_length u). lia. }
    unfold depth_at in *. simpl. rewrite firstn_app.
    replace (i - length (str l)) with 0 by lia. rewrite firstn_O, app_nil_r, IH. lia.
  - assert (Hi : i < length (str r)).
    { destruct (node_occurs _ _ _ _ H) as (b & a & E & Hb). rewrite E, !app_length.
      pose proof (str_length u). lia. }
    unfold depth_at in *. simpl. rewrite firstn_app_2, total_app, total_str, firstn_app.
    replace (i - length (str r)) with 0 by lia. rewrite firstn_O, app_nil_r, IH. lia.
Qed.

(** ** The children *)

Theorem left_child w i l r : occurs w i (Node l r) ->
  occurs w (i + 1) l /\ depth_at w (i + 1) = (depth_at w i + 1)%Z.
Proof.
  intros (b & a & -> & <-). split.
  - exists (b ++ [Open]), (str r ++ [Close] ++ a). rewrite <- !app_assoc. simpl.
    rewrite <- !app_assoc. split; [reflexivity|]. rewrite app_length. reflexivity.
  - rewrite depth_shift. pose proof (depth_shift b (str (Node l r) ++ a) 0) as E.
    rewrite Nat.add_0_r in E. rewrite E. simpl. lia.
Qed.

(** The right child is the first position after i + 1 that is one level below i. *)
Theorem right_child w i l r : occurs w i (Node l r) ->
  let j := i + 1 + length (str l) in
  i + 2 <= j < length w /\ occurs w j r /\ depth_at w j = (depth_at w i + 1)%Z /\
  forall k, i + 2 <= k < j -> depth_at w k <> (depth_at w i + 1)%Z.
Proof.
  intros (b & a & -> & <-) j. pose proof (str_length l). pose proof (str_length r).
  assert (E : depth_at (b ++ str (Node l r) ++ a) (length b) = total b).
  { pose proof (depth_shift b (str (Node l r) ++ a) 0) as E0.
    rewrite Nat.add_0_r in E0. rewrite E0. simpl. lia. }
  split; [|split; [|split]].
  - unfold j. rewrite !app_length. simpl. rewrite !app_length. simpl. lia.
  - exists (b ++ Open :: str l), ([Close] ++ a). unfold j. rewrite <- !app_assoc. simpl.
    rewrite <- !app_assoc. split; [reflexivity|]. rewrite app_length. simpl. lia.
  - rewrite E. unfold j. rewrite <- Nat.add_assoc, depth_shift. simpl. rewrite <- !app_assoc.
    rewrite <- (Nat.add_0_r (length (str l))), firstn_app_2, total_app, total_str. simpl. lia.
  - intros k Hk. rewrite E. unfold j in Hk.
    replace k with (length b + S (k - length b - 1)) by lia. rewrite depth_shift. simpl.
    rewrite <- !app_assoc, firstn_app, total_app.
    replace (k - length b - 1 - length (str l)) with 0 by lia. simpl.
    pose proof (depth_inside l (k - length b - 1)). lia.
Qed.
End Trees.

Arguments Leaf {Sigma}. Arguments Node {Sigma}. Arguments str {Sigma}. Arguments height {Sigma}.
Arguments Sym {Sigma}. Arguments Open {Sigma}. Arguments Close {Sigma}. Arguments mark {Sigma}.
Arguments depth_at {Sigma}. Arguments printed_depth {Sigma}. Arguments occurs {Sigma}.
Arguments node {Sigma}.

(** [ab]: the printed sums are 0, 0, -1 where the depths are 0, 1, 1. *)
Theorem printed_depth_refuted :
  let t := Node (Leaf true) (Leaf false) in
  map (printed_depth (str t)) [0; 1; 2] = [0; 0; -1]%Z /\
  map (depth_at (str t)) [0; 1; 2] = [0; 1; 1]%Z.
Proof. split; reflexivity. Qed.
