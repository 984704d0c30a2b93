(** * The pebbling: never more steps than the height, and trees that take the most

    Beyond the paper (see Pebbling.v). No tree takes more steps than its height. The trees
    t_k = (leaf, (t_(k-3), t_(k-2))) take k steps with P_k - 1 leaves, the least possible.

    Main definitions: [nxt], [reach], [ordered] (pointers keep the order of the chain), [slow].
    Main theorems:    [steps_height], [bound_attained]. *)

From Coq Require Import ZArith List Lia Arith.
From Assay Require Import Trees Pebbling.
Open Scope nat_scope.

(** ** Never more steps than the height *)

Section Height.
Context {Sigma : Type}.

(** [nxt x y]: y is the node that x points to when it becomes active. *)
Definition nxt (x y : tree Sigma) : Prop :=
  exists s, mode s x = Inactive /\ mode (S s) x = Active y.

Inductive reach : tree Sigma -> tree Sigma -> Prop :=
| reach_here x : reach x x
| reach_next x y z : nxt x y -> reach y z -> reach x z.

Lemma reach_trans x y z : reach x y -> reach y z -> reach x z.
Proof. induction 1; intro H'; [exact H'|]. eapply reach_next; eauto. Qed.

(** [ahead t a y]: y is pebbled after t steps, or its pointer is at a or further down. *)
Definition ahead (t : nat) (a y : tree Sigma) : Prop :=
  match mode t y with Pebbled => True | Inactive => reach a y | Active d => reach a d end.

Lemma never_inactive_again t k (x : tree Sigma) :
  mode t x <> Inactive -> mode (k + t) x <> Inactive.
Proof.
  intro H. induction k as [|k IH]; [exact H|]. simpl.
  destruct (mode (k + t) x) as [| |c]; [discriminate|now contradiction IH|].
  destruct (mode (k + t) c); discriminate.
Qed.

Lemma nxt_unique t (x y y' : tree Sigma) :
  mode t x = Inactive -> mode (S t) x = Active y' -> nxt x y -> y' = y.
Proof.
  intros Hi Ha (s & Hs & Hs'). destruct (Nat.lt_trichotomy s t) as [H|[->|H]]; [| congruence |].
  - exfalso. apply (never_inactive_again (S s) (t - S s) x); [congruence|].
    now replace (t - S s + S s) with t by lia.
  - exfalso. apply (never_inactive_again (S t) (s - S t) x); [congruence|].
    now replace (s - S t + S t) with s by lia.
Qed.

Lemma nxt_child (x y : tree Sigma) : nxt x y -> exists l r, x = Node l r /\ (y = l \/ y = r).
Proof.
  intros (s & Hi & Ha). destruct (inactive_node s x Hi) as (l & r & ->). exists l, r.
  split; [reflexivity|]. simpl in Ha. rewrite Hi in Ha.
  destruct (mode s l), (mode s r); inversion Ha; auto.
Qed.

Lemma pointer_reach t : forall x c : tree Sigma,
  mode t x = Active c -> exists y, nxt x y /\ reach y c.
Proof.
  induction t as [|t IH]; intros x c H; [destruct x; discriminate|].
  destruct (came_from _ _ _ H) as [Hi|(a & Ha & [[-> _]|Hac])].
  - exists c. split; [now exists t|apply reach_here].
  - now apply IH.
  - destruct (IH x a Ha) as (y & Hy & Hr). destruct (IH a c Hac) as (z & Hz & Hr').
    exists y. split; [exact Hy|]. eapply reach_trans; [exact Hr|]. eapply reach_next; eauto.
Qed.

Lemma ahead_self t y : ahead t y y.
Proof.
  unfold ahead. destruct (mode t y) as [| |d] eqn:E; [exact I|apply reach_here|].
  destruct (pointer_reach t y d E) as (z & Hz & Hr). eapply reach_next; eauto.
Qed.

Lemma ahead_step t a y : ahead t a y -> ahead (S t) a y.
Proof.
  intro H. unfold ahead in *. destruct (mode t y) as [| |d] eqn:E.
  - now rewrite (pebbled_stays t y E).
  - pose proof (ahead_self (S t) y) as Hs. unfold ahead in Hs.
    destruct (mode (S t) y); auto; eapply reach_trans; eauto.
  - simpl. rewrite E. pose proof (ahead_self t d) as Hs. unfold ahead in Hs.
    destruct (mode t d); auto. eapply reach_trans; eauto.
Qed.

(** Pointers keep the order of the chain. *)
Definition ordered (t : nat) : Prop := forall x y, nxt x y ->
  match mode t x with
  | Pebbled => mode t y = Pebbled
  | Inactive => ahead t x y
  | Active c => ahead t c y
  end.

Lemma ordered_reach t : ordered t -> forall x y, reach x y ->
  (mode t x = Pebbled -> mode t y = Pebbled) /\
  (forall c, mode t x = Active c -> ahead t c y).
Proof.
  intros HO x y H. induction H as [x|x y z Hn Hr [IH1 IH2]].
  - split; [auto|]. intros c E. unfold ahead. rewrite E. apply reach_here.
  - pose proof (HO x y Hn) as H. split.
    + intro E. rewrite E in H. auto.
    + intros c E. rewrite E in H. unfold ahead in H.
      destruct (mode t y) as [| |d] eqn:Ey.
      * unfold ahead. now rewrite IH1.
      * pose proof (ahead_self t z) as Hz. unfold ahead in *.
        destruct (mode t z); auto; (eapply reach_trans; [exact H|]); (eapply reach_trans; [exact Hr|]);
          exact Hz.
      * pose proof (IH2 d eq_refl) as Hz. unfold ahead in *.
        destruct (mode t z); auto; eapply reach_trans; eauto.
Qed.

Lemma ordered_all t : ordered t.
Proof.
  induction t as [|t IH]; intros x y Hn.
  - destruct (nxt_child x y Hn) as (l & r & -> & _). cbn [mode]. unfold ahead.
    destruct y; cbn [mode]; [exact I|]. eapply reach_next; [exact Hn|apply reach_here].
  - pose proof (IH x y Hn) as H. pose proof (ordered_reach t IH) as HR.
    destruct (mode t x) as [| |c] eqn:Ex.
    + rewrite (pebbled_stays t x Ex). now apply pebbled_stays.
    + destruct (mode (S t) x) as [| |y'] eqn:Ex'.
      * destruct (nxt_child x y Hn) as (l & r & -> & Hlr). simpl in Ex'. rewrite Ex in Ex'.
        apply pebbled_stays. destruct (mode t l) eqn:El; destruct (mode t r) eqn:Er;
          try discriminate; destruct Hlr as [->| ->]; assumption.
      * now apply ahead_step.
      * rewrite (nxt_unique t x y y' Ex Ex' Hn). apply ahead_self.
    + cbn [mode]. rewrite Ex. unfold ahead in H.
      destruct (mode t y) as [| |d] eqn:Ey.
      * assert (Ey' : mode (S t) y = Pebbled) by now apply pebbled_stays.
        unfold ahead. rewrite Ey'. destruct (mode t c); auto.
      * (* y inactive: c = y or beyond, so c is y's descendant or y itself *)
        destruct (HR c y H) as [R1 R2]. destruct (mode t c) as [| |c'] eqn:Ec.
        -- rewrite R1 in Ey by reflexivity. discriminate.
        -- apply ahead_step. unfold ahead. now rewrite Ey.
        -- apply ahead_step. now apply R2.
      * destruct (HR c d H) as [R1 R2]. destruct (mode t c) as [| |c'] eqn:Ec.
        -- simpl. rewrite ?Ey, R1; reflexivity.
        -- apply ahead_step. unfold ahead. now rewrite Ey.
        -- pose proof (R2 c' eq_refl) as Hd. unfold ahead in *. simpl. rewrite Ey.
           destruct (mode t d); auto.
Qed.

(** No tree takes more steps than its height. *)
Theorem steps_height (v : tree Sigma) : mode (height v) v = Pebbled.
Proof.
  assert (Hlate : forall t k (u : tree Sigma), mode t u = Pebbled -> mode (k + t) u = Pebbled)
    by (intros t k u H; induction k; [exact H|now apply pebbled_stays]).
  induction v as [a|l IHl r IHr]; [reflexivity|]. cbn [height].
  set (h := Nat.max (height l) (height r)).
  assert (Hl : mode h l = Pebbled)
    by (replace h with (h - height l + height l) by lia; now apply Hlate).
  assert (Hr : mode h r = Pebbled)
    by (replace h with (h - height r + height r) by lia; now apply Hlate).
  cbn [mode]. destruct (mode h (Node l r)) as [| |c] eqn:E; [reflexivity|now rewrite Hl, Hr|].
  destruct (pointer_reach h _ c E) as (y & Hy & Hc).
  destruct (nxt_child _ _ Hy) as (l' & r' & El & Hlr). injection El as <- <-.
  destruct (ordered_reach h (ordered_all h) y c Hc) as [HP _].
  rewrite HP; [reflexivity|]. destruct Hlr as [->| ->]; assumption.
Qed.
End Height.

(** ** The bound is attained *)

(** t_0 a leaf, t_1 and t_2 combs, t_k = (leaf, (t_(k-3), t_(k-2))). *)
Fixpoint slow (k : nat) : tree unit :=
  match k with
  | 0 => Leaf tt
  | 1 => Node (Leaf tt) (Leaf tt)
  | 2 => Node (Leaf tt) (Node (Leaf tt) (Leaf tt))
  | S (S (S k' as k1)) => Node (Leaf tt) (Node (slow k') (slow k1))
  end.

Lemma slow_leaves k : leaves (slow k) + 1 = padovan (k + 3).
Proof.
  assert (H : leaves (slow k) + 1 = padovan (3 + k) /\ leaves (slow (1 + k)) + 1 = padovan (4 + k) /\
    leaves (slow (2 + k)) + 1 = padovan (5 + k)).
  { induction k as [|k (H0 & H1 & H2)]; [repeat split; reflexivity|].
    split; [exact H1|]. split; [exact H2|].
    change (leaves (slow (2 + S k))) with (1 + (leaves (slow k) + leaves (slow (1 + k)))).
    pose proof (padovan_S (3 + k)). cbn [Nat.add] in *. lia. }
  rewrite (Nat.add_comm k 3). apply H.
Qed.

Lemma inactive_step {Sigma : Type} t (l r : tree Sigma) : mode t (Node l r) = Inactive ->
  mode (S t) (Node l r) =
  match mode t l, mode t r with
  | Pebbled, Pebbled => Pebbled
  | Pebbled, _ => Active r
  | _, Pebbled => Active l
  | _, _ => Inactive
  end.
Proof. intro H. cbn [mode]. now rewrite H. Qed.

Lemma active_step {Sigma : Type} t (v c : tree Sigma) : mode t v = Active c ->
  mode (S t) v =
  match mode t c with Pebbled => Pebbled | Inactive => Active c | Active c' => Active c' end.
Proof. intro H. cbn [mode]. now rewrite H. Qed.

Lemma stays_inactive {Sigma : Type} t (a b : tree Sigma) :
  mode t a <> Pebbled -> mode t b <> Pebbled -> mode (S t) (Node a b) = Inactive.
Proof.
  intros Ha Hb.
  assert (H : mode t (Node a b) = Inactive).
  { induction t as [|t IH]; [reflexivity|].
    apply unpebbled_before in Ha, Hb. rewrite (inactive_step t) by auto.
    destruct (mode t a), (mode t b); congruence. }
  rewrite (inactive_step t) by auto. destruct (mode t a), (mode t b); congruence.
Qed.

Lemma was_inactive {Sigma : Type} k t (v : tree Sigma) :
  mode (k + t) v = Inactive -> mode t v = Inactive.
Proof.
  induction k as [|k IH]; intro H; [exact H|]. apply IH. now apply inactive_children in H.
Qed.

(** While w waits, a node over a leaf and w waits with its pointer at w. *)
Lemma waits t (w : tree unit) : mode t w = Inactive -> mode (S t) (Node (Leaf tt) w) = Active w.
Proof.
  induction t as [|t IH]; intro H.
  - rewrite (inactive_step 0) by reflexivity. rewrite H. reflexivity.
  - assert (H' : mode t w = Inactive) by now apply (was_inactive 1 t w).
    rewrite (active_step (S t) _ w (IH H')). now rewrite H.
Qed.

(** The tree t_k has P_k - 1 leaves and takes k steps, not k - 1. *)
Theorem bound_attained k : 1 <= k ->
  leaves (slow k) + 1 = padovan (k + 3) /\
  mode (k - 1) (slow k) <> Pebbled /\ mode k (slow k) = Pebbled.
Proof.
  intro Hk. split; [apply slow_leaves|]. split.
  2: { destruct (mode k (slow k)) as [| |c] eqn:E; [reflexivity| |]; exfalso;
         pose proof (least_leaves k (slow k) ltac:(congruence)) as HL;
         rewrite slow_leaves in HL; pose proof (padovan_mono k) as [_ H];
         rewrite (Nat.add_comm k 4), (Nat.add_comm k 3) in HL; lia. }
  assert (H : forall j, mode j (slow (1 + j)) <> Pebbled).
  { induction j as [j IH] using lt_wf_ind. destruct j as [|[|j]]; [discriminate|discriminate|].
    change (slow (1 + S (S j))) with (Node (Leaf tt) (Node (slow j) (slow (1 + j)))).
    set (w := Node (slow j) (slow (1 + j))).
    pose proof (IH j ltac:(lia)) as Hb.
    assert (Hw : mode j w = Inactive).
    { destruct j as [|j]; [reflexivity|]. apply stays_inactive; [apply (IH j); lia|].
      now apply unpebbled_before. }
    assert (Hw1 : mode (S j) w <> Pebbled).
    { unfold w in *. rewrite (inactive_step j) by auto.
      destruct (mode j (slow j)), (mode j (slow (1 + j))); congruence. }
    rewrite (active_step (S j) _ w (waits j w Hw)).
    destruct (mode (S j) w); congruence. }
  destruct k as [|k]; [lia|]. simpl (S k - 1). rewrite Nat.sub_0_r. apply (H k).
Qed.
