(** * The corrected error recursion of Theorem 2

    Appendix B.2, "Error analysis", repaired. In place of Equation (1),

        delta = eps_(l-1) + a_l,     eps_l <= 2 mu_l delta + delta^2 + eps_mlp,

    where a_l is the attention error of layer l and mu_l bounds the norms of all products of at most
    2^(l-1) transition matrices, in every submultiplicative norm. The feed-forward block may be
    anything that multiplies up to eps_mlp, an MLP for example. The row-sum norm is submultiplicative
    ([row_sum_norm]), and so is the norm of the paper, the spectral one (Spectral.v).

    Main definitions: [submultiplicative], [word_product], [soft_run] (a run of the soft model,
                      products up to eta), [total_error], [attention_error].
    Main theorems:    [product_error], [carried_is_word], [corrected_recursion]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool Morphisms.
From Assay Require Import Compat Sums Gap Model Attention Theorem1 Softmax.
Import ListNotations.
Open Scope R_scope.

Definition mplus (A B : mat) : mat := fun i j => A i j + B i j.
Definition mminus (A B : mat) : mat := fun i j => A i j - B i j.

(** ** One product, in any submultiplicative norm *)

Record submultiplicative (n : nat) (nu : mat -> R) : Prop := Submultiplicative
  { nu_meq : forall A B, meq n A B -> nu A = nu B;
    nu_pos : forall A, 0 <= nu A;
    nu_plus : forall A B, nu (mplus A B) <= nu A + nu B;
    nu_scal : forall c A, nu (fun i j => c * A i j) <= Rabs c * nu A;
    nu_mul : forall A B, nu (mmul n A B) <= nu A * nu B }.

Theorem row_sum_norm n : submultiplicative n (norm n).
Proof.
  split; [apply norm_proper|apply norm_pos|apply norm_plus|apply norm_scal|apply norm_mulm].
Qed.

(** The first inequality of the error analysis, in any such norm. *)
Theorem product_error n nu X Y X' Y' P mu mu' delta eta :
  submultiplicative n nu ->
  nu X <= mu -> nu Y <= mu' ->
  nu (mminus X' X) <= delta -> nu (mminus Y' Y) <= delta ->
  nu (mminus P (mmul n X' Y')) <= eta ->
  nu (mminus P (mmul n X Y)) <= delta * (mu + mu') + delta ^ 2 + eta.
Proof.
  intros [nu_meq nu_pos nu_plus _ nu_mul] HX HY HX' HY' HP.
  set (E := mminus X' X) in *. set (F := mminus Y' Y) in *.
  assert (Heq : meq n (mminus P (mmul n X Y))
    (mplus (mplus (mmul n X F) (mplus (mmul n E Y) (mmul n E F))) (mminus P (mmul n X' Y')))).
  { intros i j Hi Hj. unfold mplus, mminus, mmul, E, F.
    assert (H : sum n (fun p => X' i p * Y' p j)
      = sum n (fun p => X i p * Y p j)
        + (sum n (fun p => X i p * mminus Y' Y p j)
           + (sum n (fun p => mminus X' X i p * Y p j)
              + sum n (fun p => mminus X' X i p * mminus Y' Y p j)))).
    { rewrite <- !sum_plus. apply sum_ext. intros p Hp. unfold mminus. ring. }
    unfold mminus in *. rewrite H. ring. }
  rewrite (nu_meq _ _ Heq).
  eapply Rle_trans; [apply nu_plus|].
  apply Rplus_le_compat; [|exact HP].
  eapply Rle_trans; [apply nu_plus|].
  pose proof (nu_plus (mmul n E Y) (mmul n E F)).
  pose proof (nu_mul X F). pose proof (nu_mul E Y). pose proof (nu_mul E F).
  pose proof (nu_pos X). pose proof (nu_pos Y). pose proof (nu_pos E). pose proof (nu_pos F).
  assert (nu X * nu F <= mu * delta) by (apply Rmult_le_compat; auto).
  assert (nu E * nu Y <= delta * mu') by (apply Rmult_le_compat; auto).
  assert (nu E * nu F <= delta * delta) by (apply Rmult_le_compat; auto).
  replace (delta ^ 2) with (delta * delta) by ring. lra.
Qed.
Section Norm.
Context (n : nat) (nu : mat -> R).
Hypothesis sm : submultiplicative n nu.

Lemma nu_triangle A B C : nu (mminus A C) <= nu (mminus A B) + nu (mminus B C).
Proof.
  eapply Rle_trans; [|apply (nu_plus n nu sm)]. apply Req_le, (nu_meq n nu sm).
  intros i j Hi Hj. unfold mplus, mminus. ring.
Qed.

Lemma nu_from A B : nu A <= nu B + nu (mminus A B).
Proof.
  eapply Rle_trans; [|apply (nu_plus n nu sm)]. apply Req_le, (nu_meq n nu sm).
  intros i j Hi Hj. unfold mplus, mminus. ring.
Qed.

Lemma nu_minus A B : nu (mminus A B) <= nu A + nu B.
Proof.
  pose proof (nu_scal n nu sm (-1) B) as H. rewrite Rabs_left in H by lra.
  eapply Rle_trans; [|apply Rplus_le_compat_l; eapply Rle_trans; [exact H|lra]].
  eapply Rle_trans; [|apply (nu_plus n nu sm)]. apply Req_le, (nu_meq n nu sm).
  intros i j Hi Hj. unfold mplus, mminus. ring.
Qed.

Lemma nu_zero A : meq n A (fun _ _ => 0) -> nu A <= 0.
Proof.
  intro H. rewrite (nu_meq n nu sm A (fun i j => 0 * A i j)).
  - eapply Rle_trans; [apply (nu_scal n nu sm)|]. rewrite Rabs_R0. lra.
  - intros i j Hi Hj. rewrite H by auto. ring.
Qed.

Lemma nu_sum k (M : nat -> mat) :
  nu (fun i j => sum k (fun s => M s i j)) <= sum k (fun s => nu (M s)).
Proof.
  induction k as [|k IH]; simpl; [apply nu_zero; intros i j Hi Hj; reflexivity|].
  eapply Rle_trans; [apply (nu_plus n nu sm (fun i j => sum k (fun s => M s i j)) (M k))|]. lra.
Qed.

(** A mean of M, which is near X, by weights that leave at most p beside s0, where X differs by at most D. *)
Lemma mean_off N (M X : nat -> mat) W s0 e p D : (s0 < N)%nat -> sum N W = 1 -> (forall s, 0 < W s) ->
  1 - W s0 <= p -> (forall s, (s < N)%nat -> nu (mminus (M s) (X s)) <= e) ->
  (forall s, (s < N)%nat -> nu (mminus (X s) (X s0)) <= D) -> nu (mminus (mix N W M) (X s0)) <= e + p * D.
Proof.
  intros Hs0 HW HP HL He HD. assert (D0 : 0 <= D) by (eapply Rle_trans; [apply (nu_pos n nu sm)|apply (HD s0 Hs0)]).
  set (far := fun s i j => if (s =? s0)%nat then 0 else W s * (X s i j - X s0 i j)).
  assert (Heq : meq n (mminus (mix N W M) (X s0))
    (mplus (fun i j => sum N (fun s => W s * mminus (M s) (X s) i j)) (fun i j => sum N (fun s => far s i j)))).
  { intros i j Hi Hj. unfold mplus, mminus, mix, far.
    replace (X s0 i j) with (sum N (fun s => W s * X s0 i j)) at 1 by (rewrite <- sum_scal_r, HW; ring).
    rewrite <- sum_minus, <- sum_plus. apply sum_ext. intros s Hs. destruct (Nat.eqb_spec s s0) as [->|]; ring. }
  rewrite (nu_meq n nu sm _ _ Heq). eapply Rle_trans; [apply (nu_plus n nu sm)|]. apply Rplus_le_compat.
  - eapply Rle_trans; [apply (nu_sum N (fun s i j => W s * mminus (M s) (X s) i j))|].
    replace e with (sum N (fun s => W s * e)) by (rewrite <- sum_scal_r, HW; ring).
    apply sum_le. intros s Hs. eapply Rle_trans; [apply (nu_scal n nu sm)|].
    rewrite Rabs_pos_eq by (left; apply HP). apply Rmult_le_compat_l; [left; apply HP|auto].
  - eapply Rle_trans; [apply (nu_sum N far)|].
    apply Rle_trans with (sum N (fun s => if (s =? s0)%nat then 0 else W s) * D).
    + rewrite sum_scal_r. apply sum_le. intros s Hs. unfold far. destruct (Nat.eqb_spec s s0) as [->|].
      * rewrite Rmult_0_l. apply nu_zero. intros i j Hi Hj. reflexivity.
      * eapply Rle_trans; [apply (nu_scal n nu sm (W s) (mminus (X s) (X s0)))|].
        rewrite Rabs_pos_eq by (left; apply HP). apply Rmult_le_compat_l; [left; apply HP|auto].
    + apply Rmult_le_compat_r; [exact D0|]. rewrite <- HW in HL. rewrite (sum_split N W s0 Hs0) in HL. lra.
Qed.
End Norm.

(** ** What is carried is a word of at most 2^l letters, wrap-around included *)

Definition word_product {Sigma : Type} (n : nat) (A : Sigma -> mat) (w : list Sigma) : mat :=
  fold_right (fun a M => mmul n (A a) M) I w.

Lemma word_product_app {Sigma : Type} n (A : Sigma -> mat) u v :
  meq n (word_product n A (u ++ v)) (mmul n (word_product n A u) (word_product n A v)).
Proof.
  induction u as [|a u IH]; cbn.
  - symmetry. apply mul1m.
  - fold (word_product n A u). fold (word_product n A (u ++ v)). rewrite IH.
    symmetry. apply mulmA.
Qed.

Theorem carried_is_word {Sigma : Type} n L (A : Sigma -> mat) x l r :
  (l <= L)%nat -> (r < N L)%nat ->
  exists w, (length w <= 2 ^ l)%nat /\ meq n (scanned n L (fun t => A (x t)) l r) (word_product n A w).
Proof.
  revert r; induction l as [|l IH]; intros r Hl Hr.
  - cbn [scanned]. unfold token. destruct (pos L r <=? 0)%Z.
    + exists nil. split; [simpl; lia|reflexivity].
    + exists [x (Z.to_nat (pos L r))]. split; [simpl; lia|]. cbn. symmetry. apply mulm1.
  - assert (Hs : (source L (width (S l)) r < N L)%nat)
      by (apply source_lt; auto; apply width_lt; lia).
    destruct (IH _ ltac:(lia) Hs) as (u & Hu & Eu).
    destruct (IH r ltac:(lia) Hr) as (v & Hv & Ev).
    exists (u ++ v). split; [rewrite app_length; simpl; lia|].
    cbn [scanned]. rewrite Eu, Ev. symmetry. apply word_product_app.
Qed.

(** ** The recursion on the built model *)

Section Model.
Context {Sigma : Type} (n L : nat) (nu : mat -> R) (A : Sigma -> mat) (x : nat -> Sigma).
Variable kappa : R.                 (* the square root of C *)

Local Notation N := (N L).
Local Notation exact := (scanned n L (fun t => A (x t))).
Definition attend (w r : nat) : nat -> R := softmax N (shifted L kappa w) r.

(** F l r is what row r carries after layer l; each product is right up to eta. *)
Definition soft_run (eta : R) (F : nat -> nat -> mat) : Prop :=
  (forall r, (r < N)%nat -> meq n (F 0%nat r) (token L (fun t => A (x t)) r)) /\
  (forall l r, (l < L)%nat -> (r < N)%nat ->
     nu (mminus (F (S l) r)
       (mmul n (mix N (attend (width (S l)) r) (F l)) (mix N (attend 0 r) (F l)))) <= eta).

Definition total_error (F : nat -> nat -> mat) (l : nat) : R :=
  maxover N (fun r => nu (mminus (F l r) (exact l r))).

(** The attention error of layer l: how far the means are from what they should single out. *)
Definition attention_error (F : nat -> nat -> mat) (l : nat) : R :=
  maxover N (fun r =>
    Rmax (nu (mminus (mix N (attend (width l) r) (F (l - 1)%nat))
                         (F (l - 1)%nat (source L (width l) r))))
         (nu (mminus (mix N (attend 0 r) (F (l - 1)%nat)) (F (l - 1)%nat r)))).

Hypothesis sm : submultiplicative n nu.

Lemma carried_norm l mu r : (l <= L)%nat -> (r < N)%nat ->
  (forall w, (length w <= 2 ^ l)%nat -> nu (word_product n A w) <= mu) ->
  nu (exact l r) <= mu.
Proof.
  intros Hl Hr Hmu. destruct (carried_is_word n L A x l r Hl Hr) as (w & Hw & E).
  rewrite (nu_meq n nu sm _ _ E). now apply Hmu.
Qed.

Theorem corrected_recursion eta F l mu :
  soft_run eta F -> (1 <= l <= L)%nat ->
  (forall w, (length w <= 2 ^ (l - 1))%nat -> nu (word_product n A w) <= mu) ->
  let delta := total_error F (l - 1) + attention_error F l in
  total_error F l <= 2 * mu * delta + delta ^ 2 + eta.
Proof.
  intros [_ HF] Hl. destruct l as [|l]; [lia|]. replace (S l - 1)%nat with l by lia.
  intros Hmu delta.
  assert (Hw : (width (S l) < N)%nat) by (apply width_lt; lia).
  assert (Hdev : forall r, (r < N)%nat ->
    nu (mminus (mix N (attend (width (S l)) r) (F l)) (exact l (source L (width (S l)) r)))
      <= delta /\
    nu (mminus (mix N (attend 0 r) (F l)) (exact l r)) <= delta).
  { intros r Hr. pose proof (source_lt L (width (S l)) r Hw Hr) as Hs.
    assert (Ha : Rmax (nu (mminus (mix N (attend (width (S l)) r) (F l))
                                      (F l (source L (width (S l)) r))))
                      (nu (mminus (mix N (attend 0 r) (F l)) (F l r)))
                 <= attention_error F (S l)).
    { unfold attention_error. cbn [Nat.sub]. rewrite Nat.sub_0_r.
      apply (maxover_ge N (fun r => Rmax (nu (mminus (mix N (attend (width (S l)) r) (F l))
        (F l (source L (width (S l)) r)))) (nu (mminus (mix N (attend 0 r) (F l)) (F l r))))).
      exact Hr. }
    assert (He : forall s, (s < N)%nat -> nu (mminus (F l s) (exact l s)) <= total_error F l)
      by (intros s Hs'; apply (maxover_ge N (fun r => nu (mminus (F l r) (exact l r)))); auto).
    pose proof (Rmax_l (nu (mminus (mix N (attend (width (S l)) r) (F l))
      (F l (source L (width (S l)) r)))) (nu (mminus (mix N (attend 0 r) (F l)) (F l r)))).
    pose proof (Rmax_r (nu (mminus (mix N (attend (width (S l)) r) (F l))
      (F l (source L (width (S l)) r)))) (nu (mminus (mix N (attend 0 r) (F l)) (F l r)))).
    unfold delta. pose proof (He _ Hs). pose proof (He _ Hr). split.
    - eapply Rle_trans; [apply (nu_triangle n nu sm _ (F l (source L (width (S l)) r)))|]. lra.
    - eapply Rle_trans; [apply (nu_triangle n nu sm _ (F l r))|]. lra. }
  assert (0 <= mu) by (eapply Rle_trans; [apply (nu_pos n nu sm)|apply (Hmu nil); simpl; lia]).
  assert (0 <= eta).
  { eapply Rle_trans; [apply (nu_pos n nu sm)|apply (HF l 0%nat); [lia|apply N_pos]]. }
  assert (0 <= delta).
  { unfold delta. pose proof (maxover_pos N (fun r => nu (mminus (F l r) (exact l r)))).
    unfold total_error, attention_error.
    match goal with |- 0 <= ?a + maxover ?k ?f => pose proof (maxover_pos k f) end. lra. }
  apply maxover_le; [nra|]. intros r Hr. cbn [scanned].
  destruct (Hdev r Hr) as [D1 D2].
  replace (2 * mu * delta) with (delta * (mu + mu)) by ring. apply product_error
    with (X' := mix N (attend (width (S l)) r) (F l)) (Y' := mix N (attend 0 r) (F l)); auto.
  - apply (carried_norm l); auto; [lia|now apply source_lt].
  - apply (carried_norm l); auto; lia.
  - apply HF; auto; lia.
Qed.
End Model.
