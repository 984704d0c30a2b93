(** * Ville's inequality, for words of a given length

    Beyond the paper. A language model of a general process p is close to it at every prefix w with
    p(w) >= s0 q(w), where q(w) is the product of the shares q of the letters of w ([Variation.v]). A word
    of T letters drawn from p leaves this range, at any time, with probability at most s0: q(w)/p(w) is a
    non-negative supermartingale that starts at 1. Finite sums only.

    Main definitions: [process], [probability], [ever], [shares_of].
    Main theorems:    [ever_prefix], [automaton_process], [ville], [sampled_variation]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Theorem1 DecoderStates Variation.
Import ListNotations.
Open Scope R_scope.

(** A sum over the words of T letters. *)
Fixpoint sum_words (k T : nat) (F : list nat -> R) : R :=
  match T with O => F [] | S T' => sum k (fun x => sum_words k T' (fun w => F (x :: w))) end.

(** What begins with w is what goes on with some letter. *)
Definition consistent (k : nat) (p : list nat -> R) : Prop :=
  (forall w, over k w -> 0 <= p w) /\ (forall w, over k w -> sum k (fun x => p (w ++ [x])) = p w).

(** p w is the probability that a word begins with w. *)
Definition process (k : nat) (p : list nat -> R) : Prop := p [] = 1 /\ consistent k p.

(** The probability that a word of T letters, drawn from p, has a property. *)
Definition probability (k T : nat) (p : list nat -> R) (event : list nat -> bool) : R :=
  sum_words k T (fun w => p w * b2r (event w)).

(** A property holds of some prefix. *)
Fixpoint ever (event : list nat -> bool) (w : list nat) : bool :=
  event [] || match w with [] => false | x :: w' => ever (fun v => event (x :: v)) w' end.

Theorem ever_prefix event w :
  ever event w = true <-> exists t, (t <= length w)%nat /\ event (firstn t w) = true.
Proof.
  revert event. induction w as [|x w IH]; intro event; cbn [ever]; rewrite orb_true_iff.
  - split; [intros [H|H]; [now exists 0%nat|discriminate]|]. intros (t & _ & H). rewrite firstn_nil in H. now left.
  - rewrite IH. split.
    + intros [H|(t & Ht & H)]; [exists 0%nat; split; [lia|exact H]|]. exists (S t). cbn. split; [lia|exact H].
    + intros ([|t] & Ht & H); [now left|]. right. exists t. cbn in *. split; [lia|exact H].
Qed.

(** The product of the shares of the letters. *)
Definition shares_of (q : nat -> R) (w : list nat) : R := fold_right (fun x r => q x * r) 1 w.

Lemma shares_last q w x : shares_of q (w ++ [x]) = shares_of q w * q x.
Proof. induction w as [|y w IH]; cbn in *; [ring|]. unfold shares_of in *. rewrite IH. ring. Qed.

Lemma shares_pos k q w : (forall x, (x < k)%nat -> 0 < q x) -> over k w -> 0 < shares_of q w.
Proof.
  intro Hq. induction 1 as [|x w Hx _ IH]; cbn; [lra|]. apply Rmult_lt_0_compat; auto.
Qed.

(** ** Sums over words *)

Lemma sum_words_le k T F G : (forall w, over k w -> length w = T -> F w <= G w) ->
  sum_words k T F <= sum_words k T G.
Proof.
  revert F G. induction T as [|T IH]; intros F G H; cbn [sum_words]; [apply H; [constructor|reflexivity]|].
  apply sum_le. intros x Hx. apply IH. intros w Hw Hl. apply H; [now constructor|cbn; lia].
Qed.

Lemma consistent_after k p x : (x < k)%nat -> consistent k p -> consistent k (fun w => p (x :: w)).
Proof. intros Hx [H0 H1]. split; intros w Hw; [apply H0|apply (H1 (x :: w))]; now constructor. Qed.

Lemma sum_words_consistent k T : forall p, consistent k p -> sum_words k T p = p [].
Proof.
  induction T as [|T IH]; intros p Hp; [reflexivity|]. cbn [sum_words].
  rewrite (sum_ext k _ (fun x => p [x])).
  - apply (proj2 Hp []). constructor.
  - intros x Hx. now rewrite IH by now apply consistent_after.
Qed.

(** ** Ville *)

(** For every r that does not grow: the sum over the next letter is at most r. *)
Lemma ville_below k s0 T : 0 <= s0 -> forall p r, consistent k p ->
  (forall w, over k w -> 0 <= r w) -> (forall w, over k w -> sum k (fun x => r (w ++ [x])) <= r w) ->
  sum_words k T (fun w => p w * b2r (ever (fun v => Rltb (p v) (s0 * r v)) w)) <= s0 * r [].
Proof.
  intro Hs. induction T as [|T IH]; intros p r Hp Hr0 Hr.
  - cbn. rewrite orb_false_r. unfold Rltb. pose proof (Hr0 [] ltac:(constructor)).
    destruct (Rlt_dec _ _); cbn [b2r]; nra.
  - destruct (Rlt_dec (p []) (s0 * r [])) as [Hlt|Hge].
    + apply Rle_trans with (sum_words k (S T) p); [|rewrite (sum_words_consistent k (S T) p Hp); lra].
      apply sum_words_le. intros w Hw _. pose proof (proj1 Hp w Hw). destruct (ever _ w); cbn [b2r]; lra.
    + cbn [sum_words]. apply Rle_trans with (sum k (fun x => s0 * r [x])).
      * apply sum_le. intros x Hx. eapply Rle_trans; [|apply (IH (fun w => p (x :: w)) (fun w => r (x :: w)))].
        -- apply sum_words_le. intros w _ _. apply Req_le. cbn [ever]. unfold Rltb at 1.
           destruct (Rlt_dec (p []) (s0 * r [])); [contradiction|reflexivity].
        -- now apply consistent_after.
        -- intros w Hw. apply Hr0. now constructor.
        -- intros w Hw. apply (Hr (x :: w)). now constructor.
      * rewrite <- sum_scal_l. apply Rmult_le_compat_l; [exact Hs|]. apply (Hr []). constructor.
Qed.

(** p falls below s0 times the product of the shares, at some time, with probability at most s0. *)
Theorem ville k T p q s0 : process k p -> (forall x, (x < k)%nat -> 0 <= q x) -> sum k q <= 1 -> 0 <= s0 ->
  probability k T p (ever (fun w => Rltb (p w) (s0 * shares_of q w))) <= s0.
Proof.
  intros [H1 Hp] Hq Hsum Hs. unfold probability.
  assert (Hpos : forall w, over k w -> 0 <= shares_of q w).
  { induction 1 as [|x w Hx _ IH]; cbn; [lra|]. apply Rmult_le_pos; auto. }
  eapply Rle_trans; [apply (ville_below k s0 T Hs p (shares_of q) Hp Hpos)|cbn; lra].
  intros w Hw. rewrite (sum_ext k _ (fun x => shares_of q w * q x)) by (intros; apply shares_last).
  rewrite <- sum_scal_l. pose proof (Hpos w Hw). nra.
Qed.

(** ** Automata *)

(** alpha^T A^w v, with v the weights of what follows: the sum of the A^x keeps v. *)
Theorem automaton_process n k A alpha v :
  let p w := sum n (fun j => read_word n A alpha w j * v j) in
  (forall i, (i < n)%nat -> sum k (fun x => sum n (fun j => A x i j * v j)) = v i) ->
  p [] = 1 -> (forall w, over k w -> 0 <= p w) -> process k p.
Proof.
  intros p Hv H1 H0. split; [exact H1|]. split; [exact H0|]. intros w _. unfold p.
  rewrite (sum_ext k _ (fun x => sum n (fun i => read_word n A alpha w i * sum n (fun j => A x i j * v j)))).
  - rewrite sum_swap. apply sum_ext. intros i Hi. rewrite <- sum_scal_l. now rewrite Hv.
  - intros x _. unfold read_word. rewrite fold_left_app. cbn [fold_left].
    rewrite (sum_ext n _ (fun j => sum n (fun i => fold_left (fun v a j => sum n (fun i => v i * A a i j)) w alpha i
      * (A x i j * v j)))).
    + rewrite sum_swap. apply sum_ext. intros i _. now rewrite <- sum_scal_l.
    + intros j _. rewrite sum_scal_r. apply sum_ext. intros. ring.
Qed.

(** ** The language model of a process *)

(** y w x is what the model reads of the scaled weight p(w x)/q(w). For a word of T letters drawn from p the
    next-symbol distribution is, at some time, further off than the bound with probability at most s0. *)
Theorem sampled_variation k m T p q y g s0 M delta eps eta G low :
  process k p -> (forall x, (x < k)%nat -> 0 < q x) -> sum k q <= 1 ->
  0 < M -> 0 <= delta -> 0 <= eps -> 0 <= eta -> 0 <= G -> logarithmic g M delta eps eta G ->
  (forall w x, over k w -> (length w <= T)%nat -> (x < k)%nat ->
     Rabs (y w x - p (w ++ [x]) / shares_of q w) <= eps /\ y w x <= M) ->
  INR k * (delta * M + 2 * eps) < s0 ->
  probability k T p (ever (fun w => Rltb (general_bound k m s0 M delta eps eta G low)
    (variation (k + m) (extended k (normalised k (fun x => p (w ++ [x]))))
       (probabilities (k + m) (unit_logits k g M low (y w)))))) <= s0.
Proof.
  intros Hp Hq Hsum HM Hd He Heta HG Hunits Hy Hs.
  assert (Hs0 : 0 <= s0).
  { pose proof (pos_INR k). assert (0 <= delta * M) by nra.
    assert (0 <= INR k * (delta * M + 2 * eps)) by (apply Rmult_le_pos; lra). lra. }
  eapply Rle_trans; [|apply (ville k T p q s0 Hp (fun x Hx => Rlt_le _ _ (Hq x Hx)) Hsum Hs0)].
  apply sum_words_le. intros w Hw Hl. apply Rmult_le_compat_l; [now apply (proj1 (proj2 Hp))|].
  match goal with |- b2r ?bad <= b2r ?low => destruct bad eqn:E; [|destruct low; cbn [b2r]; lra] end.
  apply ever_prefix in E as (t & Ht & H). rewrite (proj2 (ever_prefix _ w)); [lra|].
  exists t. split; [exact Ht|]. set (v := firstn t w) in *.
  assert (Hv : over k v). { apply Forall_forall. intros x Hx. apply (proj1 (Forall_forall _ w) Hw).
    rewrite <- (firstn_skipn t w). apply in_or_app. now left. }
  assert (Hlv : (length v <= T)%nat) by (unfold v; rewrite firstn_length; lia).
  unfold Rltb in *. destruct (Rlt_dec (p v) (s0 * shares_of q v)) as [|Hge]; [reflexivity|]. exfalso.
  destruct (Rlt_dec _ _) as [Hlt|]; [|discriminate]. apply Rlt_not_le in Hlt. apply Hlt.
  pose proof (shares_pos k q v Hq Hv) as Hqv. pose proof (proj1 (proj2 Hp)) as Hpos.
  pose proof (proj2 (proj2 Hp) v Hv) as Hnext.
  set (f := fun x => p (v ++ [x]) / shares_of q v).
  assert (Hf : sum k f = p v / shares_of q v) by (unfold f, Rdiv; now rewrite <- sum_scal_r, Hnext).
  assert (Hfs : s0 <= sum k f).
  { rewrite Hf. apply (Rmult_le_reg_r (shares_of q v)); [exact Hqv|].
    replace (p v / shares_of q v * shares_of q v) with (p v) by (field; lra). lra. }
  rewrite (variation_ext (k + m) _ _ (extended k (normalised k f))
    (probabilities (k + m) (unit_logits k g M low (y v)))); [|intros x _|reflexivity].
  - apply variation_general; auto; try lra.
    + intros x Hx. apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat]. apply Hpos.
      apply Forall_app. split; [exact Hv|]. now constructor.
    + intros x Hx. now apply Hy.
    + intros x Hx. now apply Hy.
  - unfold extended, normalised. destruct (x <? k)%nat; [|reflexivity]. rewrite Hf, Hnext. unfold f.
    field. split; [lra|]. intro Hz. rewrite Hf, Hz in Hfs. unfold Rdiv in Hfs. rewrite Rmult_0_l in Hfs.
    pose proof (pos_INR k). assert (0 <= delta * M) by nra.
    assert (0 <= INR k * (delta * M + 2 * eps)) by (apply Rmult_le_pos; lra). lra.
Qed.
