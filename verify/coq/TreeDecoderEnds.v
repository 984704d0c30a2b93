(** * Subtrees by where they end, and the beginning of the right child

    Beyond the paper. In str(t), behind a begin token at position 0, every leaf and every closing
    bracket ends exactly one subtree. The right child of a node that ends at i ends at i - 1; it
    begins at the last position before i that is not a closing bracket and is one level deeper; the
    left child ends just before. Depths count the brackets open around a subtree, and are the same
    where it begins and where it ends.

    Main definitions: [ends], [dep], [closing], [begins] (the score of the match head, in whole
                      numbers).
    Main theorems:    [ends_some], [ends_children], [begins_node], [begins_other]. *)

From Coq Require Import ZArith List Lia Arith.
From Assay Require Import Compat Trees.
Import ListNotations.
Open Scope nat_scope.

Section Ends.
Context {Sigma : Type}.

Definition ends (w : list (symbol Sigma)) (i : nat) (v : tree Sigma) : Prop :=
  exists before after, w = before ++ str v ++ after /\ i = length before + length (str v).

Lemma ends_left l r i v : ends (str l) i v -> ends (str (Node l r)) (1 + i) v.
Proof.
  intros (b & a & E & ->). exists (Open :: b), (a ++ str r ++ [Close]). simpl. rewrite E, <- !app_assoc.
  split; reflexivity.
Qed.

Lemma ends_right l r i v : ends (str r) i v -> ends (str (Node l r)) (1 + length (str l) + i) v.
Proof.
  intros (b & a & E & ->). exists (Open :: str l ++ b), (a ++ [Close]). simpl. rewrite E, <- !app_assoc.
  split; [reflexivity|]. rewrite app_length. lia.
Qed.

Lemma ends_whole t : ends (str t) (length (str t)) t.
Proof. exists [], []. rewrite app_nil_r. split; reflexivity. Qed.

(** Every position but an opening bracket ends a subtree. *)
Theorem ends_some t k s : nth_error (str t) k = Some s -> s <> Open ->
  exists v, ends (str t) (S k) v.
Proof.
  revert k; induction t as [a|l IHl r IHr]; intros k Hs Hne.
  - destruct k as [|k]; [|destruct k; discriminate]. exists (Leaf a). apply ends_whole.
  - destruct k as [|k]; [simpl in Hs; injection Hs as <-; now contradiction Hne|]. simpl in Hs.
    destruct (Nat.lt_ge_cases k (length (str l))) as [Hk|Hk].
    + rewrite nth_error_app1 in Hs by auto. destruct (IHl k Hs Hne) as (v & H).
      exists v. now apply (ends_left l r).
    + rewrite nth_error_app2 in Hs by auto.
      destruct (Nat.lt_ge_cases (k - length (str l)) (length (str r))) as [Hj|Hj].
      * rewrite nth_error_app1 in Hs by auto. destruct (IHr _ Hs Hne) as (v & H). exists v.
        apply (ends_right l r) in H.
        now replace (S (S k)) with (1 + length (str l) + S (k - length (str l))) by lia.
      * rewrite nth_error_app2 in Hs by auto.
        destruct (k - length (str l) - length (str r)) as [|m] eqn:E; [|destruct m; discriminate].
        exists (Node l r). replace (S (S k)) with (length (str (Node l r))); [apply ends_whole|].
        simpl. rewrite !app_length. simpl. lia.
Qed.

Lemma ends_range w i v : ends w i v -> 1 <= i <= length w.
Proof.
  intros (b & a & -> & ->). rewrite !app_length. pose proof (str_length Sigma v). lia.
Qed.

Theorem ends_children w i l r : ends w i (Node l r) ->
  let m := i - length (str r) in
  2 <= m < i /\ ends w (i - 1) r /\ ends w (m - 1) l.
Proof.
  intros (b & a & -> & ->) m. pose proof (str_length Sigma l). pose proof (str_length Sigma r).
  unfold m. simpl. rewrite !app_length. simpl. split; [lia|]. split.
  - exists (b ++ Open :: str l), (Close :: a). rewrite <- ?app_assoc. simpl. rewrite <- ?app_assoc.
    split; [reflexivity|]. rewrite app_length. simpl. lia.
  - exists (b ++ [Open]), (str r ++ Close :: a). rewrite <- ?app_assoc. simpl. rewrite <- ?app_assoc.
    split; [reflexivity|]. rewrite app_length. simpl. lia.
Qed.

(** The symbol where a subtree ends. *)
Definition last_symbol (v : tree Sigma) : symbol Sigma :=
  match v with Leaf a => Sym a | Node _ _ => Close end.

Lemma ends_symbol w i v : ends w i v -> nth_error w (i - 1) = Some (last_symbol v).
Proof.
  intros (b & a & -> & ->). pose proof (str_length Sigma v).
  rewrite nth_error_app2 by lia. rewrite nth_error_app1 by lia.
  replace (length b + length (str v) - 1 - length b) with (length (str v) - 1) by lia.
  destruct v as [c|l r]; [reflexivity|]. simpl. rewrite !app_length. simpl.
  replace (length (str l) + (length (str r) + 1) - 0) with (S (length (str l) + length (str r))) by lia.
  simpl. rewrite nth_error_app2 by lia. rewrite nth_error_app2 by lia.
  replace (length (str l) + length (str r) - length (str l) - length (str r)) with 0 by lia. reflexivity.
Qed.

Lemma str_first (v : tree Sigma) : exists s u, str v = s :: u /\ s <> Close.
Proof. destruct v as [a|l r]; simpl; eexists; eexists; (split; [reflexivity|discriminate]). Qed.

(** ** Depths *)

Variable t : tree Sigma.
Local Notation w := (str t).

Definition closing (i : nat) : Z :=
  match i with
  | O => 0
  | S k => match nth_error w k with Some Close => 1 | _ => 0 end
  end%Z.

(** Of the begin token -1; else the number of brackets open around the subtree. *)
Definition dep (i : nat) : Z :=
  match i with
  | O => -1
  | S k => match nth_error w k with
           | Some Open => total Sigma (firstn (S k) w) - 1
           | _ => total Sigma (firstn (S k) w)
           end
  end%Z.

Lemma total_next k s : nth_error w k = Some s ->
  total Sigma (firstn (S k) w) = (total Sigma (firstn k w) + mark s)%Z.
Proof.
  generalize w as u. revert s. induction k as [|k IH]; intros s [|x u] H; try discriminate.
  - simpl in H. injection H as ->. simpl. lia.
  - simpl in H. specialize (IH s u H). simpl in IH |- *. destruct u as [|y u]; [destruct k; discriminate|].
    lia.
Qed.

Lemma dep_not_closing k s : nth_error w k = Some s -> s <> Close ->
  dep (S k) = total Sigma (firstn k w) /\ closing (S k) = 0%Z.
Proof.
  intros H Hs. unfold dep, closing. rewrite H. pose proof (total_next k s H) as E.
  destruct s; cbn [mark] in E; try (now contradiction Hs); split; try reflexivity; rewrite E; lia.
Qed.

Lemma dep_nonneg i : 1 <= i <= length w -> (0 <= dep i)%Z.
Proof.
  intro Hi. destruct i as [|k]; [lia|].
  destruct (nth_error w k) as [s|] eqn:E; [|apply nth_error_None in E; lia].
  destruct s; unfold dep; rewrite E; try apply depth_nonneg.
  rewrite (total_next k Open E). cbn [mark]. pose proof (depth_nonneg Sigma t k). lia.
Qed.

Lemma total_le u k : (total Sigma (firstn k u) <= Z.of_nat k)%Z.
Proof.
  revert u; induction k as [|k IH]; intros [|s u]; cbn [firstn total]; try lia.
  specialize (IH u). assert (mark s <= 1)%Z by (destruct s; simpl; lia). lia.
Qed.

(** In a subtree r behind u, the first position is as deep as u, and no later one that does not close. *)
Section Inside.
Context (u a : list (symbol Sigma)) (r : tree Sigma).
Hypothesis split_at : w = u ++ str r ++ a.

Lemma inside_symbol k : k < length (str r) -> nth_error w (length u + k) = nth_error (str r) k.
Proof.
  intro Hk. rewrite split_at, nth_error_app2 by apply Nat.le_add_r.
  rewrite Nat.add_comm, Nat.add_sub. now apply nth_error_app1.
Qed.

Lemma inside_total k : k < length (str r) ->
  total Sigma (firstn (length u + k) w) = (total Sigma u + total Sigma (firstn k (str r)))%Z.
Proof.
  intro Hk. rewrite split_at, firstn_app_2, firstn_app, !total_app.
  rewrite (proj2 (Nat.sub_0_le _ _)) by now apply Nat.lt_le_incl. apply f_equal, Z.add_0_r.
Qed.

Lemma inside_first : dep (S (length u)) = total Sigma u /\ closing (S (length u)) = 0%Z.
Proof.
  destruct (str_first r) as (s & v & Er & Hs). pose proof (inside_symbol 0) as H. pose proof (inside_total 0) as H'.
  rewrite Er, Nat.add_0_r in H, H'.
  destruct (dep_not_closing (length u) s (H (Nat.lt_0_succ _)) Hs) as [-> ->].
  rewrite H' by apply Nat.lt_0_succ. split; [apply Z.add_0_r|reflexivity].
Qed.

Lemma inside_later k : 1 <= k < length (str r) -> closing (S (length u + k)) = 0%Z ->
  dep (S (length u + k)) <> total Sigma u.
Proof.
  intros Hk Hc. destruct (nth_error (str r) k) as [s|] eqn:E; [|apply nth_error_None in E; lia].
  rewrite <- inside_symbol in E by apply Hk.
  assert (Hs : s <> Close) by (intros ->; unfold closing in Hc; rewrite E in Hc; discriminate).
  destruct (dep_not_closing _ _ E Hs) as [-> _]. rewrite inside_total by apply Hk.
  pose proof (depth_inside Sigma r k Hk). lia.
Qed.
End Inside.

(** ** The score of the match head: - K (d_j - q)^2 - K [j closes] + j, up to a term without j *)

Variable K : Z.

Definition query (i : nat) : Z := (dep i + 1 + K * (closing i - 1))%Z.

Definition begins (i j : nat) : Z :=
  (2 * K * query i * dep j - K * (dep j * dep j) - K * closing j + Z.of_nat j)%Z.

Hypothesis K_large : (Z.of_nat (length w) < K)%Z.

Lemma closing_01 i : (closing i = 0 \/ closing i = 1)%Z.
Proof. unfold closing. destruct i as [|k]; [auto|]. destruct (nth_error w k) as [[]|]; auto. Qed.

(** - K (d - q)^2 - K c + j is below m where d = q and c = 0 only for j < m. *)
Lemma score_below q d c j m : (0 <= m)%Z -> (j < K)%Z -> (0 <= K)%Z -> (c = 0 \/ c = 1)%Z ->
  (c = 0 -> d = q -> j < m)%Z -> (2 * K * q * d - K * (d * d) - K * c + j < K * (q * q) + m)%Z.
Proof.
  intros Hm Hj HK Hc Htop. assert (E : (K * (q * q) + m - (2 * K * q * d - K * (d * d) - K * c + j)
    = K * ((d - q) * (d - q)) + K * c + m - j)%Z) by ring.
  destruct (Z.eq_dec d q) as [->|Hd].
  - destruct Hc as [-> | ->]; [specialize (Htop eq_refl eq_refl)|]; lia.
  - assert (H : (K * 1 <= K * ((d - q) * (d - q)))%Z) by (apply Z.mul_le_mono_nonneg_l; nia).
    destruct Hc as [-> | ->]; lia.
Qed.

(** At the end of a node the top is where its right child begins. *)
Theorem begins_node i l r : ends w i (Node l r) ->
  let m := i - length (str r) in
  forall j, j <= i -> j <> m -> (begins i j < begins i m)%Z.
Proof.
  intros H m j Hj Hne. pose proof (ends_range _ _ _ H) as Hr.
  destruct (ends_children _ _ _ _ H) as (Hm & _ & _). fold m in Hm.
  pose proof (ends_symbol _ _ _ H) as Hs. cbn [last_symbol] in Hs.
  destruct H as (b & a & E & Ei). set (u := b ++ Open :: str l).
  assert (E' : w = u ++ str r ++ Close :: a).
  { rewrite E. unfold u. cbn [str]. rewrite <- !app_assoc. cbn [app]. now rewrite <- !app_assoc. }
  assert (Tu : total Sigma u = (total Sigma b + 1)%Z).
  { unfold u. rewrite total_app. cbn [total mark]. now rewrite total_str. }
  assert (Em : m = S (length u)).
  { unfold m, u. rewrite Ei. cbn [str length]. rewrite !app_length. cbn [length]. clear. lia. }
  destruct i as [|k]; [lia|]. rewrite Nat.sub_succ, Nat.sub_0_r in Hs.
  assert (Hci : closing (S k) = 1%Z) by (unfold closing; now rewrite Hs).
  assert (Hdi : dep (S k) = total Sigma b).
  { unfold dep. rewrite Hs, E, app_assoc, firstn_app, Ei, <- app_length, Nat.sub_diag, firstn_O, app_nil_r.
    rewrite firstn_all, total_app, total_str. apply Z.add_0_r. }
  destruct (inside_first u (Close :: a) r E') as [Hdm Hcm]. rewrite <- Em in Hdm, Hcm.
  assert (Hq : query (S k) = dep m) by (unfold query; rewrite Hci, Hdi, Hdm, Tu; ring).
  unfold begins. rewrite Hq, Hcm.
  replace (2 * K * dep m * dep m - K * (dep m * dep m) - K * 0 + Z.of_nat m)%Z
    with (K * (dep m * dep m) + Z.of_nat m)%Z by ring.
  apply score_below; [lia|lia|lia|apply closing_01|]. intros Hc Hd.
  destruct (Nat.lt_ge_cases j m) as [Hjm|Hjm]; [lia|]. exfalso.
  assert (Ej : j = S (length u + (j - m))) by lia.
  apply (inside_later u (Close :: a) r E' (j - m)); rewrite <- ?Ej; [|exact Hc|congruence].
  assert (j <> S k) by (intros ->; rewrite Hci in Hc; discriminate). unfold m in *. lia.
Qed.

(** Elsewhere the begin token is the top. *)
Theorem begins_other i : i <= length w -> closing i = 0%Z ->
  forall j, j <= i -> j <> 0 -> (begins i j < begins i 0)%Z.
Proof.
  intros Hi Hc j Hj Hne. assert (Hdj : (0 <= dep j)%Z) by (apply dep_nonneg; lia).
  assert (Hdi : (dep i <= Z.of_nat i - 1)%Z).
  { destruct i as [|k]; [simpl; lia|].
    destruct (nth_error w k) as [s|] eqn:E; [|apply nth_error_None in E; lia].
    assert (Hs : s <> Close) by (intros ->; unfold closing in Hc; rewrite E in Hc; lia).
    destruct (dep_not_closing k s E Hs) as [-> _]. pose proof (total_le w k). lia. }
  assert (Hq : (query i <= -1)%Z) by (unfold query; rewrite Hc; lia).
  unfold begins. set (q := query i) in *. change (dep 0) with (-1)%Z. change (closing 0) with 0%Z.
  assert (Hcj : (0 <= closing j)%Z) by (destruct (closing_01 j); lia).
  assert (HK : (0 <= K * closing j)%Z) by (apply Z.mul_nonneg_nonneg; lia).
  assert (Hgap : (1 <= (dep j - q) * (dep j - q) - (-1 - q) * (-1 - q))%Z) by nia.
  assert (HK2 : (K * 1 <= K * ((dep j - q) * (dep j - q) - (-1 - q) * (-1 - q)))%Z)
    by (apply Z.mul_le_mono_nonneg_l; lia).
  lia.
Qed.
End Ends.
