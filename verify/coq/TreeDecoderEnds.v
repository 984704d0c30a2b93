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
From Assay Require Import Trees.
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

Lemma square_1 z : z <> 0%Z -> (1 <= z * z)%Z.
Proof. nia. Qed.

Lemma square_0 z : (0 <= z * z)%Z.
Proof. nia. Qed.

(** ** The score of the match head: - K (d_j - q)^2 - K [j closes] + j, up to a term without j *)

Variable K : Z.

Definition query (i : nat) : Z := (dep i + 1 + K * (closing i - 1))%Z.

Definition begins (i j : nat) : Z :=
  (2 * K * query i * dep j - K * (dep j * dep j) - K * closing j + Z.of_nat j)%Z.

Hypothesis K_large : (Z.of_nat (length w) < K)%Z.

Lemma closing_01 i : (closing i = 0 \/ closing i = 1)%Z.
Proof. unfold closing. destruct i as [|k]; [auto|]. destruct (nth_error w k) as [[]|]; auto. Qed.

(** At the end of a node the top is where its right child begins. *)
Theorem begins_node i l r : ends w i (Node l r) ->
  let m := i - length (str r) in
  forall j, j <= i -> j <> m -> (begins i j < begins i m)%Z.
Proof.
  intros H m j Hj Hne. pose proof (ends_range _ _ _ H) as Hr.
  destruct (ends_children _ _ _ _ H) as (Hm & _ & _). fold m in Hm.
  pose proof (ends_symbol _ _ _ H) as Hs. simpl in Hs.
  destruct H as (b & a & E & Ei). pose proof (str_length Sigma l). pose proof (str_length Sigma r).
  assert (Elen : i = length b + 2 + length (str l) + length (str r)).
  { rewrite Ei. simpl. rewrite !app_length. simpl. lia. }
  assert (E' : w = (b ++ Open :: str l) ++ str r ++ Close :: a).
  { rewrite E. simpl. rewrite <- ?app_assoc. simpl. rewrite <- ?app_assoc. reflexivity. }
  assert (Hlen : length (b ++ Open :: str l) = m - 1) by (rewrite app_length; simpl; unfold m; lia).
  assert (Hci : closing i = 1%Z).
  { unfold closing. destruct i as [|k]; [lia|]. replace (S k - 1) with k in Hs by lia. now rewrite Hs. }
  assert (Hdi : dep i = total Sigma b).
  { unfold dep. destruct i as [|k]; [lia|]. replace (S k - 1) with k in Hs by lia. rewrite Hs.
    rewrite E. rewrite app_assoc, firstn_app.
    assert (EL : length (b ++ str (Node l r)) = S k) by (rewrite app_length; lia).
    rewrite EL, Nat.sub_diag, firstn_O, app_nil_r, firstn_all2 by lia.
    rewrite total_app, total_str. lia. }
  (* positions from m on *)
  assert (Hin : forall k, k < length (str r) ->
    total Sigma (firstn (m - 1 + k) w) = (total Sigma b + 1 + total Sigma (firstn k (str r)))%Z).
  { intros k Hk. rewrite E', <- Hlen, firstn_app_2, firstn_app, !total_app.
    replace (k - length (str r)) with 0 by lia. simpl. rewrite total_str. lia. }
  assert (Hsym : forall k, k < length (str r) -> nth_error w (m - 1 + k) = nth_error (str r) k).
  { intros k Hk. rewrite E', nth_error_app2 by lia. rewrite nth_error_app1 by lia. f_equal. lia. }
  destruct (str_first r) as (s0 & u0 & Er & Hs0).
  assert (Hm0 : nth_error w (m - 1) = Some s0).
  { rewrite <- (Nat.add_0_r (m - 1)), Hsym by lia. now rewrite Er. }
  assert (Hdm : dep m = (total Sigma b + 1)%Z /\ closing m = 0%Z).
  { replace m with (S (m - 1)) by lia. destruct (dep_not_closing _ _ Hm0 Hs0) as [-> ->].
    split; [|reflexivity]. specialize (Hin 0 ltac:(lia)). rewrite Nat.add_0_r in Hin. rewrite Hin.
    simpl. lia. }
  destruct Hdm as [Hdm Hcm].
  assert (Hq : query i = dep m) by (unfold query; rewrite Hci, Hdi, Hdm; lia).
  assert (Hbm : (begins i m = K * (dep m * dep m) + Z.of_nat m)%Z)
    by (unfold begins; rewrite Hq, Hcm; lia).
  rewrite Hbm. unfold begins. rewrite Hq.
  destruct (closing_01 j) as [Hc|Hc].
  - destruct (Z.eq_dec (dep j) (dep m)) as [Ed|Ed].
    + rewrite Ed, Hc. destruct (Nat.lt_ge_cases j m) as [Hjm|Hjm]; [lia|]. exfalso.
      destruct (Nat.eq_dec j i) as [->|]; [lia|].
      set (k := j - m). assert (Hk : 1 <= k < length (str r)) by (unfold k, m in *; lia).
      assert (Hkw : k < length (str r)) by lia.
      destruct (nth_error (str r) k) as [s|] eqn:Esk; [|apply nth_error_None in Esk; lia].
      pose proof (Hsym k Hkw) as Hw. rewrite Esk in Hw.
      assert (Hjk : j = S (m - 1 + k)) by (unfold k; lia). rewrite Hjk in Ed, Hc.
      assert (Hns : s <> Close) by (intros ->; unfold closing in Hc; rewrite Hw in Hc; lia).
      destruct (dep_not_closing _ _ Hw Hns) as [Hd _]. rewrite Hd, Hin in Ed by lia.
      pose proof (depth_inside Sigma r k Hk). lia.
    + rewrite Hc. pose proof (square_1 (dep j - dep m) ltac:(lia)).
      assert (Hk : (K * 1 <= K * ((dep j - dep m) * (dep j - dep m)))%Z) by (apply Z.mul_le_mono_nonneg_l; lia).
      lia.
  - rewrite Hc. pose proof (square_0 (dep j - dep m)).
    assert (Hk : (K * 0 <= K * ((dep j - dep m) * (dep j - dep m)))%Z) by (apply Z.mul_le_mono_nonneg_l; lia).
    lia.
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
