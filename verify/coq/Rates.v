(** * The error budget of Theorem 2: from norms, leak and the error of a product to the states

    Appendix B.2, "Error analysis", repaired and made explicit. Let mu_l bound the norms of all
    products of at most 2^l transition matrices, D_l the distances of two such products, p the part
    of a row of the softmax that is not at its target, and eta the error of one product. The errors

        e_0 = 0,    delta_l = e_l + p D_l,    e_(l+1) = 2 mu_l delta_l + delta_l^2 + eta  ([budget])

    bound what the model carries after each layer, for all words at once, in every submultiplicative
    norm ([budget_bounds]); with four hidden units for each product they do so as long as
    delta_l <= 1 ([mlp_budget_bounds]). This is what the program evaluates to choose C and h.

    In closed form ([closed_form]): with G_0 = H_0 = 0, G_(l+1) = 3 mu_l (G_l + D_l),
    H_(l+1) = 3 mu_l H_l + 1, e_L <= p G_L + eta H_L as long as the latter is at most 1.

    Main definitions: [budget], [gain], [heaped].
    Main theorems:    [closed_form], [budget_bounds], [mlp_budget_bounds]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Gap Model Attention Theorem1 Softmax Recursion.
From Assay Require Import Activation MLP MLPModel.
Import ListNotations.
Open Scope R_scope.

(** ** The budget *)

Section Budget.
Context (mu D : nat -> R) (p eta : R).

Fixpoint budget (l : nat) : R :=
  match l with
  | O => 0
  | S l' => let delta := budget l' + p * D l' in 2 * mu l' * delta + delta ^ 2 + eta
  end.

(** The amplification of the leak, and of the errors of the products. *)
Fixpoint gain (l : nat) : R := match l with O => 0 | S l' => 3 * mu l' * (gain l' + D l') end.
Fixpoint heaped (l : nat) : R := match l with O => 0 | S l' => 3 * mu l' * heaped l' + 1 end.

Hypothesis mu_1 : forall l, 1 <= mu l.
Hypothesis D_pos : forall l, 0 <= D l.
Hypothesis p_pos : 0 <= p.
Hypothesis eta_pos : 0 <= eta.

Lemma gain_grows l : 0 <= gain l /\ gain l <= gain (S l).
Proof.
  assert (P : forall k, 0 <= gain k).
  { induction k as [|k IH]; cbn [gain]; [lra|]. pose proof (mu_1 k). pose proof (D_pos k). nra. }
  split; [apply P|]. cbn [gain]. pose proof (mu_1 l). pose proof (D_pos l). pose proof (P l). nra.
Qed.

Lemma heaped_grows l : 0 <= heaped l /\ heaped l <= heaped (S l).
Proof.
  assert (P : forall k, 0 <= heaped k).
  { induction k as [|k IH]; cbn [heaped]; [lra|]. pose proof (mu_1 k). nra. }
  split; [apply P|]. cbn [heaped]. pose proof (mu_1 l). pose proof (P l). nra.
Qed.

Lemma gain_le l m : (l <= m)%nat -> gain l <= gain m.
Proof.
  induction 1 as [|m _ IH]; [lra|]. eapply Rle_trans; [exact IH|]. apply gain_grows.
Qed.

Lemma heaped_le l m : (l <= m)%nat -> heaped l <= heaped m.
Proof.
  induction 1 as [|m _ IH]; [lra|]. eapply Rle_trans; [exact IH|]. apply heaped_grows.
Qed.

Lemma budget_pos l : 0 <= budget l.
Proof.
  induction l as [|l IH]; cbn [budget]; [lra|]. cbv zeta. pose proof (mu_1 l). pose proof (D_pos l).
  assert (0 <= p * D l) by (apply Rmult_le_pos; auto).
  assert (0 <= (budget l + p * D l) ^ 2) by apply pow2_ge_0. nra.
Qed.

(** In closed form; the inputs of all products stay within 1 of what they should be. *)
Theorem closed_form L : p * gain L + eta * heaped L <= 1 ->
  forall l, (l <= L)%nat -> budget l <= p * gain l + eta * heaped l
    /\ ((l < L)%nat -> budget l + p * D l <= 1).
Proof.
  intros H1. induction l as [|l IH]; intro Hl.
  - cbn [budget gain heaped]. split; [lra|]. intro H0.
    pose proof (gain_le 1 L H0) as HG. pose proof (heaped_le 1 L H0) as HH. cbn [gain heaped] in *.
    pose proof (mu_1 0%nat). pose proof (D_pos 0%nat). assert (0 <= p * D 0%nat) by nra. nra.
  - destruct (IH ltac:(lia)) as [Hb Hd].
    assert (Hs : forall k, (k <= L)%nat -> p * gain k + eta * heaped k <= 1).
    { intros k Hk. pose proof (gain_le k L Hk). pose proof (heaped_le k L Hk). nra. }
    pose proof (Hs (S l) Hl) as HS. cbn [gain heaped] in HS.
    pose proof (mu_1 l) as Hm. pose proof (D_pos l) as HDl.
    pose proof (budget_pos l) as Hbp.
    set (delta := budget l + p * D l) in *.
    assert (Hpd : 0 <= p * D l) by (apply Rmult_le_pos; auto).
    assert (Hdelta : 3 * mu l * delta + eta <= p * (3 * mu l * (gain l + D l))
                                              + eta * (3 * mu l * heaped l + 1)).
    { unfold delta. nra. }
    assert (Hd0 : 0 <= delta) by (unfold delta; lra).
    assert (Hsmall : delta <= 1) by nra.
    assert (Hnext : budget (S l) <= p * gain (S l) + eta * heaped (S l)).
    { cbn [budget gain heaped]. cbv zeta. fold delta.
      assert (delta ^ 2 <= mu l * delta) by (simpl; nra). lra. }
    split; [exact Hnext|]. intro HSl.
    pose proof (Hs (S (S l)) ltac:(lia)) as HSS.
    assert (E1 : gain (S (S l)) = 3 * mu (S l) * (gain (S l) + D (S l))) by reflexivity.
    assert (E2 : heaped (S (S l)) = 3 * mu (S l) * heaped (S l) + 1) by reflexivity.
    rewrite E1, E2 in HSS. pose proof (mu_1 (S l)). pose proof (D_pos (S l)).
    pose proof (gain_grows (S l)) as [G0 _]. pose proof (heaped_grows (S l)) as [P0 _].
    assert (0 <= p * D (S l)) by (apply Rmult_le_pos; auto).
    assert (0 <= p * gain (S l)) by (apply Rmult_le_pos; auto).
    assert (0 <= eta * heaped (S l)) by (apply Rmult_le_pos; auto). nra.
Qed.
End Budget.

(** ** The budget bounds the errors of the model *)

Section Model.
Context {Sigma : Type} (n L : nat) (nu : mat -> R).
Hypothesis sm : submultiplicative n nu.
Context (A : Sigma -> mat) (mu D : nat -> R).
Hypothesis mu_words : forall l w, (l <= L)%nat -> (length w <= 2 ^ l)%nat -> nu (word_product n A w) <= mu l.
Hypothesis D_words : forall l u v, (l <= L)%nat -> (length u <= 2 ^ l)%nat -> (length v <= 2 ^ l)%nat ->
  nu (mminus (word_product n A u) (word_product n A v)) <= D l.
Variable kappa p : R.
(** What a row of the softmax does not give to its target. *)
Hypothesis leaks : forall w r, (w < N L)%nat -> (r < N L)%nat ->
  1 - attend L kappa w r (source L w r) <= p.

Variable x : nat -> Sigma.
Local Notation exact := (scanned n L (fun t => A (x t))).

Lemma D_at l r s : (l <= L)%nat -> (r < N L)%nat -> (s < N L)%nat ->
  nu (mminus (exact l r) (exact l s)) <= D l.
Proof.
  intros Hl Hr Hs. destruct (carried_is_word n L A x l r Hl Hr) as (u & Hu & Eu).
  destruct (carried_is_word n L A x l s Hl Hs) as (v & Hv & Ev).
  rewrite (nu_meq n nu sm _ (mminus (word_product n A u) (word_product n A v))).
  - now apply D_words.
  - intros i j Hi Hj. unfold mminus. now rewrite Eu, Ev by auto.
Qed.

(** A mean by any weights that leave at most p beside their target s0. *)
Lemma mean_near M l e W s0 : (l <= L)%nat -> (s0 < N L)%nat -> sum (N L) W = 1 -> (forall s, 0 < W s) ->
  1 - W s0 <= p -> (forall s, (s < N L)%nat -> nu (mminus (M s) (exact l s)) <= e) ->
  nu (mminus (mix (N L) W M) (exact l s0)) <= e + p * D l.
Proof.
  intros Hl Hs0 HW HP HL He. apply (mean_off n nu sm (N L) M (exact l)); auto. intros s Hs. now apply D_at.
Qed.

Lemma attended_near F l e w r : (l <= L)%nat -> (w < N L)%nat -> (r < N L)%nat ->
  (forall s, (s < N L)%nat -> nu (mminus (F l s) (exact l s)) <= e) ->
  nu (mminus (mix (N L) (attend L kappa w r) (F l)) (exact l (source L w r))) <= e + p * D l.
Proof.
  intros. apply mean_near; auto; [now apply source_lt|apply softmax_sum, N_pos|intro; apply softmax_pos, N_pos].
Qed.

(** One layer. *)
Lemma layer_error F l e eta : (l < L)%nat ->
  (forall s, (s < N L)%nat -> nu (mminus (F l s) (exact l s)) <= e) ->
  (forall r, (r < N L)%nat -> nu (mminus (F (S l) r) (mmul n
     (mix (N L) (attend L kappa (width (S l)) r) (F l)) (mix (N L) (attend L kappa 0 r) (F l)))) <= eta) ->
  let delta := e + p * D l in
  forall r, (r < N L)%nat ->
    nu (mminus (F (S l) r) (exact (S l) r)) <= 2 * mu l * delta + delta ^ 2 + eta.
Proof.
  intros Hl He HF delta r Hr. cbn [scanned]. assert (Hl' : (l <= L)%nat) by lia.
  assert (Hw : (width (S l) < N L)%nat) by (apply width_lt; lia).
  pose proof (source_lt L (width (S l)) r Hw Hr) as Hs.
  replace (2 * mu l * delta) with (delta * (mu l + mu l)) by ring. apply product_error
    with (X' := mix (N L) (attend L kappa (width (S l)) r) (F l))
         (Y' := mix (N L) (attend L kappa 0 r) (F l)); auto.
  - apply (carried_norm n L nu A x sm l); auto; lia.
  - apply (carried_norm n L nu A x sm l); auto; lia.
  - apply attended_near; auto; lia.
  - pose proof (attended_near F l e 0 r ltac:(lia) (N_pos L) Hr He) as H. now rewrite source_0 in H.
Qed.

(** Products up to eta: the budget bounds the error of every layer. *)
Theorem budget_bounds eta F : soft_run n L nu A x kappa eta F ->
  forall l r, (l <= L)%nat -> (r < N L)%nat ->
    nu (mminus (F l r) (exact l r)) <= budget mu D p eta l.
Proof.
  intros [H0 HF]. induction l as [|l IH]; intros r Hl Hr.
  - cbn [budget scanned]. apply (nu_zero n nu sm). intros i j Hi Hj. unfold mminus.
    rewrite H0 by auto. ring.
  - cbn [budget]. apply layer_error; auto. intros s Hs. apply IH; auto; lia.
Qed.

(** Four hidden units for each product, right up to rho on numbers of size B: n^2 rho in norm. *)
Hypothesis nu_entry : forall M i j, (i < n)%nat -> (j < n)%nat -> Rabs (M i j) <= nu M.
Hypothesis nu_full : forall M q, 0 <= q -> (forall i j, (i < n)%nat -> (j < n)%nat -> Rabs (M i j) <= q) ->
  nu M <= INR n * q.
Variable C : R.
Hypothesis kappa_C : kappa = sqrt C.
Context (sigma : R -> R) (b h s B rho : R).
Hypothesis rho_pos : 0 <= rho.
Hypothesis units_close : forall y z, Rabs y <= B -> Rabs z <= B ->
  Rabs (four_units sigma b h s y z - y * z) <= rho.

Lemma approximate_near X Y : nu X <= B -> nu Y <= B ->
  nu (mminus (approximate n sigma b h s X Y) (mmul n X Y)) <= INR n * (INR n * rho).
Proof.
  intros HX HY. apply nu_full; [apply Rmult_le_pos; [apply pos_INR|exact rho_pos]|].
  intros i j Hi Hj. unfold mminus, approximate, mmul. rewrite <- sum_minus.
  eapply Rle_trans; [apply sum_abs|]. rewrite <- sum_const. apply sum_le. intros k Hk.
  apply units_close; eapply Rle_trans; eauto.
Qed.

Theorem mlp_budget_bounds : (forall l, (l < L)%nat -> mu l + 1 <= B) ->
  let e := budget mu D p (INR n * (INR n * rho)) in
  (forall l, (l < L)%nat -> e l + p * D l <= 1) ->
  forall l r, (l <= L)%nat -> (r < N L)%nat ->
    nu (mminus (carried n L (fun t => A (x t)) C sigma b h s l r) (exact l r)) <= e l.
Proof.
  intros HB e Hsmall. set (F := carried n L (fun t => A (x t)) C sigma b h s).
  induction l as [|l IH]; intros r Hl Hr.
  - unfold e. cbn [budget scanned]. apply (nu_zero n nu sm). intros i j Hi Hj. unfold mminus, F.
    cbn [carried]. ring.
  - assert (Hl' : (l <= L)%nat) by lia.
    assert (He : forall q, (q < N L)%nat -> nu (mminus (F l q) (exact l q)) <= e l)
      by (intros q Hq; apply IH; auto; lia).
    unfold e. cbn [budget]. apply layer_error; auto.
    intros q Hq. unfold F. cbn [carried]. fold F. rewrite <- kappa_C.
    assert (Hw : (width (S l) < N L)%nat) by (apply width_lt; lia).
    assert (Hmean : forall w, (w < N L)%nat -> nu (mix (N L) (attend L kappa w q) (F l)) <= B).
    { intros w Hw'. eapply Rle_trans; [apply (nu_from n nu sm _ (exact l (source L w q)))|].
      eapply Rle_trans; [|apply (HB l); lia]. apply Rplus_le_compat.
      - apply (carried_norm n L nu A x sm l); auto. now apply source_lt.
      - eapply Rle_trans; [apply (attended_near F l (e l)); auto; lia|]. apply Hsmall. lia. }
    apply approximate_near; apply Hmean; auto. apply N_pos.
Qed.
End Model.
