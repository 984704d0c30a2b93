(** * Families of automata are weighted automata: finite automata, hidden Markov models, counters

    Sections 2.2 and 5.2, Appendix A.2. For every number of states, every alphabet and every word:
    a non-deterministic automaton is a WFA with weights 0 and 1, whose weight is positive exactly on the
    accepted words ([nfa_is_wfa]); a hidden Markov model is the WFA with alpha = pi, A^x = diag(O_x) T and
    beta = 1 ([hmm_is_wfa]), and the probabilities of all words of one length are numbers from 0 on that add
    up to 1 ([hmm_total]); k symbols are counted by k + 1 states ([k_counting]), and final weights give
    every combination of the counts ([count_weight]).

    Where we differ from the print: the first index of the HMM's formula is i_1 (printed i); the initial
    vector of the k-counting WFA is e_(k+1), as Section 5.2 describes it (Appendix A.2 prints e_1). States
    are numbered from 0.

    Main definitions: [weight], [accepts], [probability], [over_words], [count_matrix].
    Main theorems:    [nfa_is_wfa], [hmm_is_wfa], [hmm_total], [k_counting], [count_weight]. *)

From Coq Require Import Reals List Lia Lra Arith Bool.
From Assay Require Import Sums Recursion.
Import ListNotations.
Open Scope R_scope.

(** ** The weight of a word *)

Section Weight.
Context {Sigma : Type} (n : nat) (A : Sigma -> mat).

(** alpha^T A^(x_1) .. A^(x_t) beta *)
Definition weight (alpha beta : nat -> R) (w : list Sigma) : R :=
  sum n (fun i => alpha i * sum n (fun j => word_product n A w i j * beta j)).

(** A^(x_1) .. A^(x_t) beta, letter by letter. *)
Fixpoint backward (beta : nat -> R) (w : list Sigma) (i : nat) : R :=
  match w with [] => beta i | x :: w' => sum n (fun k => A x i k * backward beta w' k) end.

Lemma backward_is beta w i : (i < n)%nat ->
  sum n (fun j => word_product n A w i j * beta j) = backward beta w i.
Proof.
  revert i. induction w as [|x w IH]; intros i Hi; cbn [backward word_product fold_right].
  - rewrite (sum_single n _ i Hi); unfold I; [rewrite Nat.eqb_refl; cbn; ring|].
    intros p _ Hne. rewrite (proj2 (Nat.eqb_neq i p)) by auto. cbn. ring.
  - fold (word_product n A w). unfold mmul.
    rewrite (sum_ext n _ (fun j => sum n (fun k => A x i k * (word_product n A w k j * beta j)))).
    2: { intros j _. rewrite sum_scal_r. apply sum_ext. intros; ring. }
    rewrite sum_swap. apply sum_ext. intros k Hk. now rewrite <- IH, sum_scal_l.
Qed.

Lemma weight_is alpha beta w : weight alpha beta w = sum n (fun i => alpha i * backward beta w i).
Proof. apply sum_ext. intros i Hi. now rewrite backward_is. Qed.
End Weight.

(** ** Finite automata *)

Section FiniteAutomata.
Context {Sigma : Type} (n : nat).
Variables (initial final : nat -> bool) (edge : Sigma -> nat -> nat -> bool).

(** Some run that begins in state i reads the word and ends in a final state. *)
Fixpoint reads (w : list Sigma) (i : nat) : Prop :=
  match w with
  | [] => final i = true
  | x :: w' => exists j, (j < n)%nat /\ edge x i j = true /\ reads w' j
  end.

Definition accepts (w : list Sigma) : Prop :=
  exists i, (i < n)%nat /\ initial i = true /\ reads w i.

Lemma bits_nonneg b f : (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= sum n (fun i => b2r (b i) * f i).
Proof. intro H. apply sum_nonneg. intros i Hi. apply Rmult_le_pos; [apply b2r_nonneg|auto]. Qed.

Lemma positive_term k f : 0 < sum k f -> exists i, (i < k)%nat /\ 0 < f i.
Proof.
  induction k as [|k IH]; cbn [sum]; intro H; [lra|]. destruct (Rlt_dec 0 (f k)); [exists k; auto|].
  destruct IH as (i & Hi & Hf); [lra|]. exists i. auto.
Qed.

Lemma bits_positive b f : (forall i, (i < n)%nat -> 0 <= f i) ->
  0 < sum n (fun i => b2r (b i) * f i) <-> exists i, (i < n)%nat /\ b i = true /\ 0 < f i.
Proof.
  intro H. split.
  - intro Hs. apply positive_term in Hs. destruct Hs as (i & Hi & Hf). exists i. split; [exact Hi|].
    destruct (b i); cbn in Hf; [split; [reflexivity|lra]|lra].
  - intros (i & Hi & E & Hf). apply Rlt_le_trans with (b2r (b i) * f i); [rewrite E; cbn; lra|].
    apply (sum_term n (fun i => b2r (b i) * f i) i Hi). intros p Hp.
    apply Rmult_le_pos; [apply b2r_nonneg|auto].
Qed.

Let A : Sigma -> mat := fun x i j => b2r (edge x i j).
Let beta : nat -> R := fun i => b2r (final i).

Lemma runs_nonneg w i : 0 <= backward n A beta w i.
Proof.
  revert i. induction w as [|x w IH]; intro i; cbn [backward]; [apply b2r_nonneg|].
  apply (bits_nonneg (edge x i)). auto.
Qed.

Lemma runs_positive w i : 0 < backward n A beta w i <-> reads w i.
Proof.
  revert i. induction w as [|x w IH]; intro i; cbn [backward reads].
  - unfold beta. destruct (final i); cbn; split; intro; auto; [lra|lra|discriminate].
  - unfold A at 1. rewrite bits_positive by (intros; apply runs_nonneg).
    split; intros (j & Hj & E & Hw); exists j; rewrite IH in *; auto.
Qed.

(** Deterministic automata are those with one initial state and one edge for each state and letter. *)
Theorem nfa_is_wfa w :
  0 <= weight n A (fun i => b2r (initial i)) beta w /\
  (0 < weight n A (fun i => b2r (initial i)) beta w <-> accepts w).
Proof.
  rewrite weight_is. split; [apply bits_nonneg; intros; apply runs_nonneg|].
  rewrite bits_positive by (intros; apply runs_nonneg).
  split; intros (i & Hi & E & Hw); exists i; [rewrite runs_positive in Hw|rewrite runs_positive]; auto.
Qed.
End FiniteAutomata.

(** ** Hidden Markov models *)

Section HiddenMarkovModels.
Context {Sigma : Type} (n : nat).
Variables (pi : nat -> R) (T : mat) (O : Sigma -> nat -> R).

(** sum_(i_2) T_(i_1,i_2) O_(x_2,i_2) sum_(i_3) .. *)
Fixpoint onward (w : list Sigma) (i : nat) : R :=
  match w with [] => 1 | x :: w' => sum n (fun k => T i k * O x k * onward w' k) end.

(** The probability of observing the word first, as Appendix A.2 prints it. *)
Definition probability (w : list Sigma) : R :=
  match w with [] => 1 | x :: w' => sum n (fun i => pi i * O x i * onward w' i) end.

Definition diag (v : nat -> R) : mat := fun i j => if (i =? j)%nat then v i else 0.

Hypothesis initial_total : sum n pi = 1.
Hypothesis move_total : forall i, (i < n)%nat -> sum n (T i) = 1.

Let A : Sigma -> mat := fun x => mmul n (diag (O x)) T.
Let ones : nat -> R := fun _ => 1.

Lemma diag_entry v i j : (i < n)%nat -> mmul n (diag v) T i j = v i * T i j.
Proof.
  intro Hi. unfold mmul, diag. rewrite (sum_single n _ i Hi); [now rewrite Nat.eqb_refl|].
  intros p _ Hne. rewrite (proj2 (Nat.eqb_neq i p)) by auto. ring.
Qed.

Lemma emit x w i : (i < n)%nat ->
  backward n A ones (x :: w) i = O x i * sum n (fun k => T i k * backward n A ones w k).
Proof.
  intro Hi. cbn [backward]. rewrite sum_scal_l. apply sum_ext. intros k _. unfold A.
  rewrite diag_entry by exact Hi. ring.
Qed.

Lemma onward_is w i : (i < n)%nat -> onward w i = sum n (fun k => T i k * backward n A ones w k).
Proof.
  revert i. induction w as [|x w IH]; intros i Hi; cbn [onward].
  - rewrite <- (move_total i Hi). apply sum_ext. intros. cbn [backward]. unfold ones. ring.
  - apply sum_ext. intros k Hk. rewrite emit, IH by exact Hk. ring.
Qed.

Theorem hmm_is_wfa w : weight n A pi ones w = probability w.
Proof.
  rewrite weight_is. destruct w as [|x w]; cbn [probability].
  - rewrite <- initial_total. apply sum_ext. intros. cbn [backward]. unfold ones. ring.
  - apply sum_ext. intros i Hi. rewrite emit, onward_is by exact Hi. ring.
Qed.
End HiddenMarkovModels.

(** The sum over all words of k letters below p. *)
Fixpoint over_words (p k : nat) (f : list nat -> R) : R :=
  match k with O => f [] | S k' => sum p (fun x => over_words p k' (fun w => f (x :: w))) end.

Section Distribution.
Variables (n p : nat) (pi : nat -> R) (T : mat) (O : nat -> nat -> R).

Lemma over_words_sum k m (c : nat -> R) (f : nat -> list nat -> R) :
  over_words p k (fun w => sum m (fun i => c i * f i w)) = sum m (fun i => c i * over_words p k (f i)).
Proof.
  revert f. induction k as [|k IH]; intro f; cbn [over_words]; [reflexivity|].
  rewrite (sum_ext p _ (fun x => sum m (fun i => c i * over_words p k (fun w => f i (x :: w)))))
    by (intros; apply IH).
  rewrite sum_swap. apply sum_ext. intros. symmetry. apply sum_scal_l.
Qed.

Hypothesis initial_total : sum n pi = 1.
Hypothesis move_total : forall i, (i < n)%nat -> sum n (T i) = 1.
Hypothesis seen_total : forall i, (i < n)%nat -> sum p (fun x => O x i) = 1.

(** Some letter is seen, and then the rest. *)
Lemma letters_total (c : nat -> R) k (f : nat -> list nat -> R) :
  sum n c = 1 -> (forall i, (i < n)%nat -> over_words p k (f i) = 1) ->
  sum p (fun x => over_words p k (fun w => sum n (fun i => c i * O x i * f i w))) = 1.
Proof.
  intros Hc H. rewrite (sum_ext p _ (fun x => sum n (fun i => c i * O x i))).
  2: { intros x _. rewrite over_words_sum. apply sum_ext. intros i Hi. rewrite H by exact Hi. ring. }
  rewrite sum_swap, <- Hc. apply sum_ext. intros i Hi.
  rewrite <- sum_scal_l, seen_total by exact Hi. ring.
Qed.

Lemma onward_total k i : (i < n)%nat -> over_words p k (fun w => onward n T O w i) = 1.
Proof.
  revert i. induction k as [|k IH]; intros i Hi; [reflexivity|]. cbn [over_words onward].
  apply (letters_total (T i) k (fun j w => onward n T O w j)); auto.
Qed.

Theorem hmm_total :
  (forall i, (i < n)%nat -> 0 <= pi i) -> (forall i j, (i < n)%nat -> (j < n)%nat -> 0 <= T i j) ->
  (forall x i, (x < p)%nat -> (i < n)%nat -> 0 <= O x i) ->
  forall k, over_words p k (probability n pi T O) = 1 /\
    (forall w, length w = k -> (forall x, In x w -> (x < p)%nat) -> 0 <= probability n pi T O w).
Proof.
  intros Hpi HT HO k. split.
  - destruct k as [|k]; [reflexivity|]. cbn [over_words probability].
    apply (letters_total pi k (fun i w => onward n T O w i)); [exact initial_total|].
    intros i Hi. now apply onward_total.
  - assert (P : forall w i, (forall x, In x w -> (x < p)%nat) -> (i < n)%nat -> 0 <= onward n T O w i).
    { induction w as [|x w IH]; intros i Hw Hi; cbn [onward]; [lra|]. apply sum_nonneg. intros j Hj.
      apply Rmult_le_pos; [apply Rmult_le_pos; [now apply HT|apply HO; [apply Hw; now left|exact Hj]]|].
      apply IH; [intros; apply Hw; now right|exact Hj]. }
    intros [|x w] _ Hw; cbn [probability]; [lra|]. apply sum_nonneg. intros i Hi.
    apply Rmult_le_pos; [apply Rmult_le_pos; [now apply Hpi|apply HO; [apply Hw; now left|exact Hi]]|].
    apply P; [intros; apply Hw; now right|exact Hi].
Qed.
End Distribution.

(** ** Counting k symbols *)

Section Counting.
Context {Sigma : Type} (k : nat) (code : Sigma -> nat).

(** I + e_(k+1) e_x^T for the symbols that are counted, I for the others. *)
Definition count_matrix (x : Sigma) : mat := fun i j =>
  I i j + b2r ((code x <? k) && (i =? k) && (j =? code x))%nat.

(** e_(k+1) *)
Definition count_start (i : nat) : R := b2r (i =? k)%nat.

Definition occurrences (w : list Sigma) (j : nat) : nat := count_occ Nat.eq_dec (map code w) j.

(** The last row of the product holds the counts; every other row is that of the identity. *)
Lemma count_rows w i j : (i <= k)%nat -> (j <= k)%nat ->
  word_product (S k) count_matrix w i j
  = if (i <? k)%nat || (j =? k)%nat then I i j else INR (occurrences w j).
Proof.
  revert i. induction w as [|x w IH]; intros i Hi Hj; cbn [word_product fold_right].
  { change (occurrences [] j) with 0%nat. unfold I.
    destruct (Nat.ltb_spec i k), (Nat.eqb_spec j k), (Nat.eqb_spec i j); cbn [orb b2r INR]; lia || reflexivity. }
  fold (word_product (S k) count_matrix w). unfold mmul at 1.
  rewrite (sum_ext (S k) _ (fun q => I i q * word_product (S k) count_matrix w q j
    + b2r ((code x <? k) && (i =? k) && (q =? code x))%nat * word_product (S k) count_matrix w q j))
    by (intros; unfold count_matrix at 1; ring).
  rewrite sum_plus. fold (mmul (S k) I (word_product (S k) count_matrix w) i j).
  rewrite (mul1m (S k)) by lia. rewrite (IH i) by assumption.
  assert (E : occurrences (x :: w) j = ((if (code x =? j)%nat then 1 else 0) + occurrences w j)%nat).
  { unfold occurrences. cbn [map count_occ]. destruct (Nat.eq_dec (code x) j) as [->|Hne].
    - now rewrite Nat.eqb_refl.
    - now rewrite (proj2 (Nat.eqb_neq _ _) Hne). }
  rewrite E, plus_INR. destruct (Nat.ltb_spec (code x) k) as [Hx|Hx].
  - rewrite (sum_single (S k) _ (code x)) by
      (try lia; intros q _ Hq; rewrite (proj2 (Nat.eqb_neq _ _) Hq), andb_false_r; cbn; ring).
    rewrite (IH (code x)), Nat.eqb_refl, (proj2 (Nat.ltb_lt _ _) Hx) by lia. unfold I.
    bool_cases; cbn; try lia; ring.
  - rewrite sum_zero by (intros; cbn; ring). bool_cases; cbn; try lia; ring.
Qed.

(** After every word the state holds the count of each of the k symbols, and a one. *)
Theorem k_counting w j : (j <= k)%nat ->
  sum (S k) (fun i => count_start i * word_product (S k) count_matrix w i j)
  = if (j =? k)%nat then 1 else INR (occurrences w j).
Proof.
  intro Hj. rewrite (sum_single (S k) _ k) by
    (try lia; unfold count_start; intros i _ Hne; rewrite (proj2 (Nat.eqb_neq _ _) Hne); cbn; ring).
  unfold count_start. rewrite count_rows by lia. unfold I. rewrite Nat.eqb_refl, Nat.ltb_irrefl. cbn.
  destruct (Nat.eqb_spec j k) as [->|]; [rewrite Nat.eqb_refl|]; cbn; ring.
Qed.

(** So final weights give every combination of the counts: 1s sum some of them, 1 and -1 compare two. *)
Theorem count_weight w beta : weight (S k) count_matrix count_start beta w
  = sum k (fun j => INR (occurrences w j) * beta j) + beta k.
Proof.
  unfold weight. transitivity (sum (S k) (fun j =>
    sum (S k) (fun i => count_start i * word_product (S k) count_matrix w i j) * beta j)).
  - transitivity (sum (S k) (fun i => sum (S k) (fun j =>
      count_start i * word_product (S k) count_matrix w i j * beta j))).
    + apply sum_ext. intros i _. rewrite sum_scal_l. apply sum_ext. intros; ring.
    + rewrite sum_swap. apply sum_ext. intros j _. now rewrite sum_scal_r.
  - set (F := fun j => sum (S k) (fun i => count_start i * word_product (S k) count_matrix w i j) * beta j).
    change (sum (S k) F) with (sum k F + F k). unfold F. f_equal.
    + apply sum_ext. intros j Hj. rewrite (k_counting w j) by lia.
      now rewrite (proj2 (Nat.eqb_neq j k)) by lia.
    + rewrite (k_counting w k) by lia. rewrite Nat.eqb_refl. ring.
Qed.
End Counting.
