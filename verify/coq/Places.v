(** * Positions of a tree's string and occurrences of subtrees

    Section 4.1: the positions of str(t) that hold no closing bracket "can be mapped (one-to-one)" to
    the subtrees of t. An occurrence of a subtree is the way from the root to it, false for left and
    true for right; equal subtrees at different places are different occurrences.

    Main definitions: [place].
    Main theorem:     [places_one_to_one]. *)

From Coq Require Import List Lia Arith Bool.
From Assay Require Import Compat Trees.
Import ListNotations.

Section Places.
Context {Sigma : Type}.

(** Where in str(t) the subtree at the end of a way begins, if the way does not leave the tree. *)
Fixpoint place (t : tree Sigma) (way : list bool) : option nat :=
  match way, t with
  | [], _ => Some 0
  | false :: way, Node l _ => option_map (fun i => 1 + i) (place l way)
  | true :: way, Node l r => option_map (fun i => 1 + length (str l) + i) (place r way)
  | _ :: _, Leaf _ => None
  end.

Lemma place_inside t : forall way i, place t way = Some i ->
  i < length (str t) /\ exists s, nth_error (str t) i = Some s /\ s <> Close.
Proof.
  induction t as [a|l IHl r IHr]; intros [|[|] way] i H; cbn [place] in H; try discriminate.
  - injection H as <-. split; [simpl; lia|]. exists (Sym a). split; [reflexivity|discriminate].
  - injection H as <-. split; [simpl; lia|]. exists Open. split; [reflexivity|discriminate].
  - destruct (place r way) as [k|] eqn:E; [|discriminate]. injection H as <-.
    destruct (IHr way k E) as (Hk & s & Hs & Hne). split.
    + simpl. rewrite !app_length. simpl. lia.
    + exists s. split; [|exact Hne]. cbn [str]. simpl.
      rewrite nth_error_app2 by lia. replace (length (str l) + k - length (str l)) with k by lia.
      rewrite nth_error_app1 by exact Hk. exact Hs.
  - destruct (place l way) as [k|] eqn:E; [|discriminate]. injection H as <-.
    destruct (IHl way k E) as (Hk & s & Hs & Hne). split.
    + simpl. rewrite !app_length. simpl. lia.
    + exists s. split; [|exact Hne]. cbn [str]. simpl.
      rewrite nth_error_app1 by exact Hk. exact Hs.
Qed.

Lemma place_injective t : forall way way' i, place t way = Some i -> place t way' = Some i ->
  way = way'.
Proof.
  induction t as [a|l IHl r IHr]; intros [|b way] [|b' way'] i H H'; try reflexivity;
    try (destruct b; discriminate); try (destruct b'; discriminate).
  - cbn [place] in H. injection H as <-. destruct b'; cbn [place] in H'.
    + destruct (place r way'); discriminate.
    + destruct (place l way'); discriminate.
  - cbn [place] in H'. injection H' as <-. destruct b; cbn [place] in H.
    + destruct (place r way); discriminate.
    + destruct (place l way); discriminate.
  - destruct b, b'; cbn [place] in H, H'.
    + destruct (place r way) as [k|] eqn:E; [|discriminate].
      destruct (place r way') as [k'|] eqn:E'; [|discriminate].
      cbn [option_map] in H, H'. injection H as H. injection H' as H'.
      f_equal. apply (IHr way way' k); [exact E|]. rewrite E'. f_equal. lia.
    + destruct (place r way) as [k|] eqn:E; [|discriminate].
      destruct (place l way') as [k'|] eqn:E'; [|discriminate].
      cbn [option_map] in H, H'. injection H as H. injection H' as H'.
      destruct (place_inside l way' k' E') as [Hk _]. lia.
    + destruct (place l way) as [k|] eqn:E; [|discriminate].
      destruct (place r way') as [k'|] eqn:E'; [|discriminate].
      cbn [option_map] in H, H'. injection H as H. injection H' as H'.
      destruct (place_inside l way k E) as [Hk _]. lia.
    + destruct (place l way) as [k|] eqn:E; [|discriminate].
      destruct (place l way') as [k'|] eqn:E'; [|discriminate].
      cbn [option_map] in H, H'. injection H as H. injection H' as H'.
      f_equal. apply (IHl way way' k); [exact E|]. rewrite E'. f_equal. lia.
Qed.

Lemma place_of_node t i d u : node t i d u -> exists way, place t way = Some i.
Proof.
  induction 1 as [t|l r i d u _ [way IH]|l r i d u _ [way IH]].
  - exists []. now destruct t.
  - exists (false :: way). cbn [place]. now rewrite IH.
  - exists (true :: way). cbn [place]. now rewrite IH.
Qed.

(** Every occurrence of a subtree begins at one position that holds no closing bracket, and every
    such position is that of exactly one occurrence. *)
Theorem places_one_to_one (t : tree Sigma) :
  (forall way i, place t way = Some i ->
     exists s, nth_error (str t) i = Some s /\ s <> Close) /\
  (forall i s, nth_error (str t) i = Some s -> s <> Close ->
     exists! way, place t way = Some i).
Proof.
  split; [intros way i H; now apply place_inside in H|].
  intros i s Hs Hne. destruct (tau_exists _ t i s Hs Hne) as (d & u & Hn).
  destruct (place_of_node t i d u Hn) as [way H]. exists way. split; [exact H|].
  intros way' H'. now apply (place_injective t way way' i).
Qed.
End Places.
