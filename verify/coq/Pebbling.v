(** * The pebbling behind the log-depth construction, and how many steps it takes

    Beyond the paper (an answer to the question of Section 4.2). Each node of a tree is pebbled (its
    state is known), inactive, or active with a pointer to a descendant. One step, for all nodes at
    once: an inactive node with two pebbled children is pebbled, with one it becomes active and
    points to the other; an active node takes over the pointer of the node it points to, or is
    pebbled if that one is. A node that is not pebbled after k - 1 steps has at least P_k - 1 leaves,
    P_k = 2, 3, 4, 5, 7, 9, 12, .. (Padovan), for all trees.

    Main definitions: [leaves], [mode], [padovan].
    Main theorems:    [least_leaves], [steps_log2]. *)

From Coq Require Import ZArith List Lia Arith.
From Assay Require Import Compat Trees.
Open Scope nat_scope.

(** ** The pebbling *)

Section Pebbling.
Context {Sigma : Type}.

Fixpoint leaves (t : tree Sigma) : nat :=
  match t with Leaf _ => 1 | Node l r => leaves l + leaves r end.

Inductive status : Type := Pebbled | Inactive | Active (c : tree Sigma).

(** The status of the root of v after t steps; it depends on the tree below alone. *)
Fixpoint mode (t : nat) (v : tree Sigma) : status :=
  match t with
  | O => match v with Leaf _ => Pebbled | Node _ _ => Inactive end
  | S t' =>
      match mode t' v with
      | Pebbled => Pebbled
      | Inactive =>
          match v with
          | Leaf _ => Pebbled
          | Node l r =>
              match mode t' l, mode t' r with
              | Pebbled, Pebbled => Pebbled
              | Pebbled, _ => Active r
              | _, Pebbled => Active l
              | _, _ => Inactive
              end
          end
      | Active c =>
          match mode t' c with
          | Pebbled => Pebbled
          | Inactive => Active c
          | Active c' => Active c'
          end
      end
  end.

(** The Padovan numbers with P_k = padovan (k + 3): 1, 1, 2, 2, 3, 4, 5, 7, 9, 12, .. *)
Fixpoint padovan (k : nat) : nat :=
  match k with
  | 0 => 1
  | 1 => 1
  | 2 => 2
  | S (S (S k' as k1) as k2) => padovan k1 + padovan k'
  end.

Lemma padovan_S k : padovan (3 + k) = padovan (1 + k) + padovan k.
Proof. reflexivity. Qed.

Lemma padovan_mono k : padovan k <= padovan (1 + k) /\ padovan (3 + k) + 1 <= padovan (4 + k).
Proof.
  assert (H : padovan k <= padovan (1 + k) /\ padovan (1 + k) <= padovan (2 + k) /\
    padovan (2 + k) <= padovan (3 + k) /\ padovan (3 + k) + 1 <= padovan (4 + k) /\
    padovan (4 + k) + 1 <= padovan (5 + k) /\
    padovan (5 + k) + 1 <= padovan (6 + k)).
  { induction k as [|k IH]; [simpl; lia|].
    pose proof (padovan_S (1 + k)) as H1. pose proof (padovan_S (2 + k)) as H2.
    pose proof (padovan_S (3 + k)) as H3. pose proof (padovan_S (4 + k)) as H4.
    pose proof (padovan_S k) as H0.
    cbn [Nat.add] in *. lia. }
  lia.
Qed.

(** Five steps back: P_k = P_(k-1) + P_(k-5). *)
Lemma padovan_five k : padovan (5 + k) = padovan (4 + k) + padovan k.
Proof.
  induction k as [k IH] using lt_wf_ind.
  destruct k as [|[|[|k]]]; try reflexivity.
  pose proof (padovan_S k) as H0. pose proof (IH (1 + k) ltac:(lia)) as E1.
  pose proof (IH k ltac:(lia)) as E0.
  pose proof (padovan_S (5 + k)) as H1. pose proof (padovan_S (4 + k)) as H2.
  cbn [Nat.add] in *. lia.
Qed.

Lemma leaves_pos v : 1 <= leaves v.
Proof. induction v; simpl; lia. Qed.

(** ** What the steps do to the pointers *)

Lemma pebbled_stays t v : mode t v = Pebbled -> mode (S t) v = Pebbled.
Proof. intro H. simpl. now rewrite H. Qed.

Lemma unpebbled_before t v : mode (S t) v <> Pebbled -> mode t v <> Pebbled.
Proof. intros H H'. apply H. now apply pebbled_stays. Qed.

(** An inactive node had no pebbled child one step earlier. *)
Lemma inactive_children t v : mode (S t) v = Inactive ->
  mode t v = Inactive /\
  exists l r, v = Node l r /\ mode t l <> Pebbled /\ mode t r <> Pebbled.
Proof.
  simpl. destruct (mode t v) as [| |c] eqn:E; [discriminate| |].
  - destruct v as [a|l r]; [discriminate|]. intro H. split; [reflexivity|]. exists l, r.
    destruct (mode t l), (mode t r); try discriminate; repeat split; discriminate.
  - destruct (mode t c); discriminate.
Qed.

Lemma inactive_node t v : mode t v = Inactive -> exists l r, v = Node l r.
Proof.
  destruct t as [|t]; intro H.
  - destruct v as [a|l r]; [discriminate|]. now exists l, r.
  - destruct (inactive_children t v H) as (_ & l & r & E & _). now exists l, r.
Qed.

(** A pointer goes to a smaller tree. *)
Lemma pointer_smaller t : forall v c, mode t v = Active c -> leaves c + 1 <= leaves v.
Proof.
  induction t as [|t IH]; intros v c H; [destruct v; discriminate|]. simpl in H.
  destruct (mode t v) as [| |d] eqn:E; [discriminate| |].
  - destruct v as [a|l r]; [discriminate|]. simpl. pose proof (leaves_pos l).
    pose proof (leaves_pos r).
    destruct (mode t l), (mode t r); inversion H; subst; lia.
  - apply IH in E. destruct (mode t d) as [| |d'] eqn:E'; inversion H; subst; [lia|].
    apply IH in E'. lia.
Qed.

(** The pointer of an active node that stays unpebbled: one jump. *)
Lemma jump t v c : mode t v = Active c -> mode (S t) v <> Pebbled ->
  mode t c <> Pebbled /\
  (mode t c = Inactive -> mode (S t) v = Active c) /\
  (forall c', mode t c = Active c' -> mode (S t) v = Active c').
Proof.
  intros E H. simpl in *. rewrite E in *. destruct (mode t c) as [| |c']; [now contradiction H| |].
  - repeat split; congruence || discriminate.
  - split; [discriminate|]. split; [discriminate|]. congruence.
Qed.

(** ** The least number of leaves *)

(** What is known for smaller times: unpebbled after t steps, hence P_(t+1) - 1 leaves. *)
Definition bound (t : nat) : Prop :=
  forall v, mode t v <> Pebbled -> padovan (t + 4) <= leaves v + 1.

(** A node activated at step s + 1 leaves behind a child pebbled exactly at step s. *)
Lemma activated s v c : (forall t, t < s -> bound t) ->
  mode s v = Inactive -> mode (S s) v = Active c ->
  leaves c + padovan (s + 3) <= leaves v + 1.
Proof.
  intros HB Hi Ha. destruct (inactive_node s v Hi) as (l & r & ->).
  assert (Hoff : forall u, mode s u = Pebbled -> (u = l \/ u = r) -> padovan (s + 3) <= leaves u + 1).
  { intros u Hu Hlr. destruct s as [|s]; [simpl; pose proof (leaves_pos u); lia|].
    destruct (inactive_children s _ Hi) as (_ & l' & r' & E & Hl & Hr).
    injection E as <- <-. replace (S s + 3) with (s + 4) by lia.
    apply (HB s); [lia|]. destruct Hlr as [->| ->]; assumption. }
  simpl in Ha. rewrite Hi in Ha. simpl.
  destruct (mode s l) eqn:El; destruct (mode s r) eqn:Er; try discriminate;
    injection Ha as <-;
    [pose proof (Hoff l El (or_introl eq_refl))|pose proof (Hoff l El (or_introl eq_refl))
    |pose proof (Hoff r Er (or_intror eq_refl))|pose proof (Hoff r Er (or_intror eq_refl))]; lia.
Qed.

(** v active at s+1 was active at s with a chain of two pointers, or it was activated just now. *)
Lemma came_from s v c : mode (S s) v = Active c ->
  mode s v = Inactive \/
  exists a, mode s v = Active a /\ (a = c /\ mode s c = Inactive \/ mode s a = Active c).
Proof.
  simpl. destruct (mode s v) as [| |a] eqn:E; [discriminate|auto|].
  intro H. right. exists a. split; [reflexivity|].
  destruct (mode s a) as [| |a'] eqn:E'; [discriminate| |]; injection H as <-; auto.
Qed.

(** Three active nodes in a chain of pointers: the first two have left much behind. *)
Lemma chain s : (forall t, t + 1 < s -> bound t) -> forall v u w x,
  1 <= s -> mode s v = Active u -> mode s u = Active w -> mode s w = Active x ->
  leaves w + padovan (s + 1) <= leaves v.
Proof.
  induction s as [s IH] using lt_wf_ind. intros HB v u w x Hs Hv Hu Hw.
  pose proof (pointer_smaller s v u Hv) as Sv. pose proof (pointer_smaller s u w Hu) as Su.
  destruct s as [|[|[|s]]]; [lia|simpl; lia|simpl; lia|].
  replace (S (S (S s)) + 1) with (4 + s) by lia.
  assert (HB' : forall t, t < 2 + s -> bound t) by (intros t Ht; apply HB; lia).
  pose proof (padovan_mono (1 + s)) as [_ Hm1]. pose proof (padovan_mono s) as [_ Hm0].
  pose proof (padovan_mono (4 + s)) as [Hm4 _].
  cbn [Nat.add] in *.
  destruct (came_from _ _ _ Hv) as [Iv|(a & Av & Ca)].
  { pose proof (activated (S (S s)) v u HB' Iv Hv).
    replace (S (S s) + 3) with (S (S (S (S (S s))))) in * by lia. lia. }
  destruct (came_from _ _ _ Hu) as [Iu|(a1 & Au & _)].
  { pose proof (activated (S (S s)) u w HB' Iu Hu).
    replace (S (S s) + 3) with (S (S (S (S (S s))))) in * by lia. lia. }
  destruct Ca as [[-> Ia]|Aa]; [congruence|].
  (* now v -> a -> u -> a1 at time s + 2, all active *)
  pose proof (pointer_smaller _ _ _ Av) as Sva. pose proof (pointer_smaller _ _ _ Aa) as Sau.
  assert (HB1 : forall t, t < S s -> bound t) by (intros t Ht; apply HB'; lia).
  destruct (came_from _ _ _ Av) as [Iv|(b & Bv & Cb)].
  { pose proof (activated (S s) v a HB1 Iv Av).
    replace (S s + 3) with (S (S (S (S s)))) in * by lia. lia. }
  destruct (came_from _ _ _ Aa) as [Ia|(b1 & Ba & Cb1)].
  { pose proof (activated (S s) a u HB1 Ia Aa).
    replace (S s + 3) with (S (S (S (S s)))) in * by lia. lia. }
  destruct (came_from _ _ _ Au) as [Iu|(b2 & Bu & _)].
  { pose proof (activated (S s) u a1 HB1 Iu Au) as H1.
    assert (leaves w <= leaves a1).
    { destruct (jump _ _ _ Au ltac:(congruence)) as (J0 & J1 & J2).
      destruct (mode (S (S s)) a1) as [| |a2] eqn:Ea1.
      - now contradiction J0.
      - rewrite (J1 eq_refl) in Hu. injection Hu as <-. lia.
      - rewrite (J2 a2 eq_refl) in Hu. injection Hu as <-.
        pose proof (pointer_smaller _ _ _ Ea1). lia. }
    replace (S s + 3) with (S (S (S (S s)))) in * by lia. lia. }
  destruct Cb as [[-> Ib]|Bb]; [congruence|].
  destruct Cb1 as [[-> Ib]|Bb1]; [congruence|].
  assert (HB2 : forall t, t + 1 < S s -> bound t) by (intros t Ht; apply HB; lia).
  pose proof (IH (S s) ltac:(lia) HB2 v b a b1 ltac:(lia) Bv Bb Ba) as C1.
  pose proof (IH (S s) ltac:(lia) HB2 a b1 u b2 ltac:(lia) Ba Bb1 Bu) as C2.
  replace (S s + 1) with (S (S s)) in * by lia.
  pose proof (padovan_S (S s)) as P1. pose proof (padovan_mono (S s)) as [P2 _].
  cbn [Nat.add] in *. lia.
Qed.

(** A tree that is not pebbled after t steps has at least P_(t+1) - 1 leaves. *)
Theorem least_leaves t : forall v : tree Sigma,
  mode t v <> Pebbled -> padovan (t + 4) <= leaves v + 1.
Proof.
  induction t as [t IH] using lt_wf_ind. intros v Hv. change (forall m, m < t -> bound m) in IH.
  destruct t as [|[|t]].
  - destruct v as [a|l r]; [now contradiction Hv|]. simpl.
    pose proof (leaves_pos l). pose proof (leaves_pos r). lia.
  - destruct v as [a|l r]; [now contradiction Hv|]. simpl in Hv |- *.
    pose proof (leaves_pos l). pose proof (leaves_pos r).
    destruct l as [a|l1 l2], r as [b|r1 r2]; simpl in *; try (now contradiction Hv);
      try (pose proof (leaves_pos l1); pose proof (leaves_pos l2));
      try (pose proof (leaves_pos r1); pose proof (leaves_pos r2)); lia.
  - (* k = t + 3; v is unpebbled at t + 2 *)
    pose proof (unpebbled_before _ _ Hv) as Hv1.
    pose proof (padovan_S (3 + t)) as P3. pose proof (padovan_mono t) as [_ Pm].
    pose proof (padovan_mono (1 + t)) as [_ Pm1].
    replace (S (S t) + 4) with (S (S (S (S (S (S t)))))) by lia. cbn [Nat.add] in *.
    destruct (mode (S t) v) as [| |w] eqn:E; [now contradiction Hv1| |].
    + destruct (inactive_children t v E) as (_ & l & r & -> & Hl & Hr).
      pose proof (IH t ltac:(lia) l Hl) as Bl. pose proof (IH t ltac:(lia) r Hr) as Br.
      replace (t + 4) with (S (S (S (S t)))) in * by lia. cbn [leaves]. lia.
    + destruct (jump _ _ _ E Hv) as (Hw & _ & _).
      pose proof (pointer_smaller _ _ _ E) as Sw.
      destruct (mode t w) as [| |x] eqn:Ew.
      * contradiction Hw. now apply pebbled_stays.
      * (* w inactive at t: one child unpebbled at t, the other at t - 1 *)
        destruct (inactive_node t w Ew) as (l & r & ->).
        assert (Hlr : padovan (t + 3) <= leaves l + 1 /\ padovan (t + 3) <= leaves r + 1).
        { destruct t as [|t'].
          - simpl. pose proof (leaves_pos l). pose proof (leaves_pos r). lia.
          - destruct (inactive_children t' _ Ew) as (_ & l' & r' & El & Hl & Hr).
            injection El as <- <-. replace (S t' + 3) with (t' + 4) by lia.
            split; apply (IH t'); auto; lia. }
        assert (Hone : padovan (t + 4) <= leaves l + 1 \/ padovan (t + 4) <= leaves r + 1).
        { simpl in Hw. rewrite Ew in Hw.
          destruct (mode t l) eqn:El; [|left; apply (IH t); [lia|congruence]..].
          destruct (mode t r) eqn:Er; [now contradiction Hw|right; apply (IH t); [lia|congruence]..]. }
        replace (t + 3) with (S (S (S t))) in * by lia.
        replace (t + 4) with (S (S (S (S t)))) in * by lia. cbn [leaves] in Sw. lia.
      * (* w active at t *)
        destruct t as [|t]; [destruct w; discriminate|].
        pose proof (IH (S (S t)) ltac:(lia) w Hw) as Bw.
        replace (S (S t) + 4) with (S (S (S (S (S (S t)))))) in Bw by lia.
        pose proof (padovan_five (2 + t)) as P5. cbn [Nat.add] in P5.
        destruct (came_from _ _ _ E) as [Iv|(u & Au & Cu)].
        -- pose proof (activated (S t) v w ltac:(intros m Hm; apply IH; lia) Iv E) as Hact.
           replace (S t + 3) with (S (S (S (S t)))) in Hact by lia.
           pose proof (padovan_mono (1 + t)) as [_ Q1]. pose proof (padovan_mono t) as [_ Q0].
           pose proof (padovan_mono (2 + t)) as [Q2 _]. cbn [Nat.add] in *. lia.
        -- destruct Cu as [[-> Iu]|Uw]; [congruence|].
           pose proof (chain (S t) ltac:(intros m Hm; apply IH; lia) v u w x ltac:(lia) Au Uw Ew).
           replace (S t + 1) with (S (S t)) in * by lia. lia.
Qed.

End Pebbling.

(** ** In round numbers *)

Lemma padovan_doubles m : 2 ^ (m + 1) <= padovan (3 * m + 3).
Proof.
  induction m as [|m IH]; [simpl; lia|].
  replace (3 * S m + 3) with (3 + (3 * m + 3)) by lia. rewrite padovan_S.
  pose proof (padovan_mono (3 * m + 3)) as [H _].
  replace (S m + 1) with (S (m + 1)) by lia. simpl (2 ^ S (m + 1)). lia.
Qed.

(** In round numbers: N leaves are done after 3 log2(N + 1) - 1 steps. *)
Theorem steps_log2 {Sigma : Type} (v : tree Sigma) :
  mode (3 * Nat.log2 (leaves v + 1) - 1) v = Pebbled.
Proof.
  set (m := Nat.log2 (leaves v + 1)).
  destruct (mode (3 * m - 1) v) as [| |c] eqn:E; [reflexivity| |]; exfalso;
    (assert (Hv : mode (3 * m - 1) v <> Pebbled) by congruence);
    pose proof (least_leaves _ v Hv) as HL; pose proof (leaves_pos v);
    (assert (Hm : 1 <= m) by (apply Nat.log2_le_pow2; simpl; lia));
    replace (3 * m - 1 + 4) with (3 * m + 3) in HL by lia;
    pose proof (padovan_doubles m); pose proof (Nat.log2_spec (leaves v + 1) ltac:(lia)) as [_ H2];
    fold m in H2; rewrite Nat.add_1_r in *; lia.
Qed.

Lemma length_leaves {Sigma : Type} (t : tree Sigma) : length (str t) + 2 = 3 * leaves t.
Proof.
  induction t as [a|l IHl r IHr]; [reflexivity|]. cbn [str length leaves].
  rewrite !app_length. cbn [length]. lia.
Qed.
