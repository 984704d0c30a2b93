(** * Activations in use that multiply

    Appendix B.2 names no activation. The logistic sigmoid, tanh, SiLU, GELU and softplus are
    curved, with c not zero, at the points that the program takes: 1, 1/2, 0, 0 and 0.

    The logarithm of the library would bring in one more axiom: softplus is any f with
    exp(f x) = 1 + exp x, of which there is one ([softplus_exists]). GELU is made in Gelu.v.

    Main definitions: [sigmoid], [in_use].
    Main theorems:    [curved_sigmoid], [curved_tanh], [curved_silu], [curved_gelu],
                      [curved_softplus], [softplus_exists], [in_use_usable]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Softmax Activation Gelu.
Open Scope R_scope.

(** ** Sigmoid and tanh *)

Definition sigmoid (x : R) : R := / (1 + exp (- x)).

Lemma sigmoid_bounds x : 0 < sigmoid x < 1.
Proof.
  pose proof (exp_pos (- x)). unfold sigmoid. split; [apply Rinv_0_lt_compat; lra|].
  rewrite <- Rinv_1. apply Rinv_lt_contravar; lra.
Qed.

Lemma sigmoid_slope x : derivable_pt_lim sigmoid x (sigmoid x * (1 - sigmoid x)).
Proof.
  pose proof (exp_pos (- x)).
  assert (D : derivable_pt_lim (fun v => 1 + exp (- v)) x (0 + exp (- x) * - (1))).
  { apply derivable_pt_lim_plus; [apply derivable_pt_lim_const|].
    apply (derivable_pt_lim_comp (fun v => - v) exp); [|apply derivable_pt_lim_exp].
    apply derivable_pt_lim_opp, derivable_pt_lim_id. }
  pose proof (derivable_pt_lim_div (fct_cte 1) _ x 0 _ (derivable_pt_lim_const 1 x) D) as Q.
  cbv beta in Q. specialize (Q ltac:(lra)). intros e He. destruct (Q e He) as (d & Hd).
  exists d. intros k Hk Hkd. specialize (Hd k Hk Hkd). unfold div_fct, fct_cte, Rdiv in Hd.
  unfold sigmoid. rewrite !Rmult_1_l in Hd.
  match type of Hd with Rabs (_ - ?l) < e =>
    replace (/ (1 + exp (- x)) * (1 - / (1 + exp (- x)))) with l; [exact Hd|] end.
  unfold Rsqr. field. lra.
Qed.

Lemma logistic_curved b (s := sigmoid b) : curved sigmoid b (s * (1 - s) * (1 - 2 * s)).
Proof.
  exists (fun x => sigmoid x * (1 - sigmoid x)), 1. split; [lra|].
  split; [intros x _; apply sigmoid_slope|].
  replace (s * (1 - s) * (1 - 2 * s))
    with (s * (1 - s) * (1 - s) + s * (0 - s * (1 - s))) by ring.
  apply (derivable_pt_lim_mult sigmoid (fun x => 1 - sigmoid x)); [apply sigmoid_slope|].
  apply (derivable_pt_lim_minus (fct_cte 1)); [apply derivable_pt_lim_const|apply sigmoid_slope].
Qed.

Theorem curved_sigmoid : exists c, curved sigmoid 1 c /\ c <> 0.
Proof.
  pose proof (sigmoid_bounds 1) as [H0 H1].
  assert (H2 : 1 / 2 < sigmoid 1).
  { unfold sigmoid. rewrite exp_Ropp. pose proof (exp_lower 1 ltac:(lra)).
    assert (/ exp 1 <= / 2) by (apply Rinv_le_contravar; lra).
    assert (0 < / exp 1) by (apply Rinv_0_lt_compat; lra).
    unfold Rdiv. rewrite Rmult_1_l. apply Rinv_lt_contravar; nra. }
  eexists. split; [apply logistic_curved|].
  apply Rmult_integral_contrapositive. split; [|lra].
  apply Rmult_integral_contrapositive. split; lra.
Qed.

Lemma cosh_pos x : 0 < cosh x.
Proof. unfold cosh. pose proof (exp_pos x). pose proof (exp_pos (- x)). lra. Qed.

Lemma cosh_sinh x : cosh x * cosh x - sinh x * sinh x = 1.
Proof.
  unfold cosh, sinh. assert (E : exp x * exp (- x) = 1).
  { rewrite <- exp_plus. replace (x + - x) with 0 by ring. apply exp_0. }
  nra.
Qed.

Lemma tanh_slope x : derivable_pt_lim tanh x (1 - tanh x * tanh x).
Proof.
  pose proof (cosh_pos x). unfold tanh at 2 3.
  replace (1 - sinh x / cosh x * (sinh x / cosh x))
    with ((cosh x * cosh x - sinh x * sinh x) / Rsqr (cosh x)) by (unfold Rsqr; field; lra).
  apply (derivable_pt_lim_div sinh cosh); [|apply derivable_pt_lim_cosh|lra].
  apply derivable_pt_lim_sinh.
Qed.

Lemma tanh_bound x : 0 < 1 - tanh x * tanh x.
Proof.
  pose proof (cosh_pos x). pose proof (cosh_sinh x).
  assert (Ht : tanh x * cosh x = sinh x) by (unfold tanh; field; lra).
  apply (Rmult_lt_reg_r (cosh x * cosh x)); nra.
Qed.

Lemma tanh_half : 0 < tanh (1 / 2).
Proof.
  apply Rdiv_lt_0_compat; [|apply cosh_pos]. unfold sinh. rewrite exp_Ropp.
  pose proof (exp_lower (1 / 2) ltac:(lra)). assert (/ exp (1 / 2) < / 1) by (apply Rinv_lt_contravar; lra). lra.
Qed.

Theorem curved_tanh : exists c, curved tanh (1 / 2) c /\ c <> 0.
Proof.
  set (t := tanh (1 / 2)). exists (0 - ((1 - t * t) * t + t * (1 - t * t))). split.
  - exists (fun x => 1 - tanh x * tanh x), 1. split; [lra|].
    split; [intros x _; apply tanh_slope|].
    apply (derivable_pt_lim_minus (fct_cte 1)); [apply derivable_pt_lim_const|].
    apply (derivable_pt_lim_mult tanh tanh); apply tanh_slope.
  - pose proof (Rmult_lt_0_compat _ _ (tanh_bound (1 / 2)) tanh_half) as H. fold t in H. lra.
Qed.

(** ** SiLU and GELU *)

(** x P(x) is curved at 0 with c = 2 P'(0). *)
Lemma curved_gate P p q : (forall x, derivable_pt_lim P x (p x)) -> derivable_pt_lim p 0 q ->
  curved (fun x => x * P x) 0 (2 * p 0).
Proof.
  intros HP Hp. exists (fun x => 1 * P x + x * p x), 1. split; [lra|]. split.
  - intros x _. apply (derivable_pt_lim_mult id P); [apply derivable_pt_lim_id|apply HP].
  - replace (2 * p 0) with (1 * p 0 + (1 * p 0 + 0 * q)) by ring.
    apply (derivable_pt_lim_plus (fun x => 1 * P x) (fun x => x * p x)).
    + apply (derivable_pt_lim_scal P), HP.
    + apply (derivable_pt_lim_mult id p); [apply derivable_pt_lim_id|exact Hp].
Qed.

Lemma sigmoid_0 : sigmoid 0 = 1 / 2.
Proof. unfold sigmoid. rewrite Ropp_0, exp_0. field. Qed.

Theorem curved_silu : exists c, curved (fun x => x * sigmoid x) 0 c /\ c <> 0.
Proof.
  exists (2 * (sigmoid 0 * (1 - sigmoid 0))). split; [|rewrite sigmoid_0; lra].
  eapply (curved_gate sigmoid (fun x => sigmoid x * (1 - sigmoid x))); [apply sigmoid_slope|].
  apply (derivable_pt_lim_mult sigmoid (fun x => 1 - sigmoid x)); [apply sigmoid_slope|].
  apply (derivable_pt_lim_minus (fct_cte 1)); [apply derivable_pt_lim_const|apply sigmoid_slope].
Qed.

Theorem curved_gelu : exists c, curved gelu 0 c /\ c <> 0.
Proof.
  exists (2 * density 0). split.
  - eapply (curved_gate normal); [exact normal_slope|]. apply derivable_pt_lim_scal.
    apply (derivable_pt_lim_comp (fun x => - / 2 * (x * x)) exp);
      [apply derivable_square|apply derivable_pt_lim_exp].
  - assert (0 < density 0); [|lra]. apply Rmult_lt_0_compat; [|apply exp_pos].
    apply Rinv_0_lt_compat, sqrt_lt_R0. pose proof PI_RGT_0. lra.
Qed.

(** ** Softplus *)

(** Softplus is ln(1 + exp x), that is, any f with exp(f x) = 1 + exp x. *)
Lemma exp_lower_all x : 1 + x <= exp x.
Proof.
  destruct (Rle_lt_dec 0 x) as [H|H]; [now apply exp_lower|].
  pose (g := fun v => v - exp v). assert (Hg : g x <= g 0).
  { apply increasing; [lra|]. intros v Hv. exists (1 - exp v). split.
    - pose proof (exp_le v 0 ltac:(lra)) as E. rewrite exp_0 in E. lra.
    - apply derivable_pt_lim_minus; [apply derivable_pt_lim_id|apply derivable_pt_lim_exp]. }
  unfold g in Hg. rewrite exp_0 in Hg. lra.
Qed.

Lemma log_near d p : exp d = 1 + p -> Rabs p <= 1 / 2 -> Rabs (d - p) <= 2 * (p * p).
Proof.
  intros E Hp. apply abs_between in Hp. pose proof (exp_lower_all d).
  pose proof (exp_lower_all (- d)) as H'. rewrite exp_Ropp, E in H'.
  assert (Hq : (1 - d) * (1 + p) <= 1).
  { apply Rle_trans with (/ (1 + p) * (1 + p)); [apply Rmult_le_compat_r; lra|].
    right. field. lra. }
  apply Rabs_le. split; [|nra].
  apply (Rmult_le_reg_r (1 + p)); [lra|]. nra.
Qed.

Lemma derivable_log f g x l : (forall y, exp (f y) = g y) -> derivable_pt_lim g x l ->
  derivable_pt_lim f x (l / g x).
Proof.
  intros Hf Hg e He. assert (Hgx : 0 < g x) by (rewrite <- Hf; apply exp_pos).
  set (m := l / g x). set (e1 := Rmin 1 (e / 4)).
  assert (He1 : 0 < e1) by (apply Rmin_glb_lt; lra).
  assert (He2 : e1 <= e / 4) by apply Rmin_r. assert (He3 : e1 <= 1) by apply Rmin_l.
  destruct (derivative_near g x l (e1 * g x) Hg) as (d & Hd & Hloc).
  { now apply Rmult_lt_0_compat. }
  set (k := Rabs m + 1). assert (Hk : 1 <= k) by (unfold k; pose proof (Rabs_pos m); lra).
  set (r := Rmin d (Rmin (/ (2 * k)) (e / (4 * (k * k))))).
  assert (Hr : 0 < r).
  { repeat apply Rmin_glb_lt; [exact Hd|apply Rinv_0_lt_compat; lra|].
    apply Rdiv_lt_0_compat; nra. }
  exists (mkposreal r Hr). intros h Hh Hhr. simpl in Hhr.
  assert (Hr1 : r <= d) by apply Rmin_l.
  assert (Hr2 : r * (2 * k) <= 1).
  { apply Rle_trans with (/ (2 * k) * (2 * k)); [|right; field; lra].
    apply Rmult_le_compat_r; [lra|]. eapply Rle_trans; [apply Rmin_r|apply Rmin_l]. }
  assert (Hr3 : r * (4 * (k * k)) <= e).
  { apply Rle_trans with (e / (4 * (k * k)) * (4 * (k * k))); [|right; field; lra].
    apply Rmult_le_compat_r; [nra|]. eapply Rle_trans; [apply Rmin_r|apply Rmin_r]. }
  specialize (Hloc (x + h)). replace (x + h - x) with h in Hloc by ring.
  specialize (Hloc ltac:(lra)). set (p := (g (x + h) - g x) / g x).
  assert (Hp : Rabs (p - m * h) <= e1 * Rabs h).
  { replace (p - m * h) with ((g (x + h) - g x - l * h) * / g x) by (unfold p, m; field; lra).
    rewrite Rabs_mult, (Rabs_pos_eq (/ g x)) by (left; now apply Rinv_0_lt_compat).
    apply (Rmult_le_reg_r (g x)); [exact Hgx|].
    rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Hpk : Rabs p <= k * Rabs h).
  { replace p with ((p - m * h) + m * h) by ring. eapply Rle_trans; [apply Rabs_triang|].
    rewrite Rabs_mult. unfold k. pose proof (Rabs_pos h). nra. }
  pose proof (Rabs_pos_lt h Hh) as Hh0.
  assert (HE : exp (f (x + h) - f x) = 1 + p).
  { unfold Rminus. rewrite exp_plus, exp_Ropp, !Hf. unfold p. field. lra. }
  pose proof (log_near _ _ HE ltac:(nra)) as Hlog.
  apply (Rmult_lt_reg_r (Rabs h)); [exact Hh0|]. rewrite <- Rabs_mult.
  replace (((f (x + h) - f x) / h - m) * h)
    with ((f (x + h) - f x - p) + (p - m * h)) by (field; exact Hh).
  eapply Rle_lt_trans; [apply Rabs_triang|].
  assert (Hpp : p * p <= k * k * (Rabs h * Rabs h)).
  { replace (p * p) with (Rabs p * Rabs p) by (rewrite <- Rabs_mult; apply Rabs_pos_eq; nra).
    replace (k * k * (Rabs h * Rabs h)) with ((k * Rabs h) * (k * Rabs h)) by ring.
    apply Rmult_le_compat; auto using Rabs_pos. }
  assert (k * k * (Rabs h * Rabs h) * 4 <= e * Rabs h).
  { replace (k * k * (Rabs h * Rabs h) * 4) with (Rabs h * (4 * (k * k)) * Rabs h) by ring.
    apply Rmult_le_compat_r; [lra|]. apply Rle_trans with (2 := Hr3).
    apply Rmult_le_compat_r; nra. }
  nra.
Qed.

Theorem curved_softplus f : (forall x, exp (f x) = 1 + exp x) ->
  exists c, curved f 0 c /\ c <> 0.
Proof.
  intro Hf. exists (1 / 2 * (1 - 1 / 2)). split; [|lra].
  exists sigmoid, 1. split; [lra|]. split.
  - intros x _. pose proof (exp_pos x).
    replace (sigmoid x) with ((0 + exp x) / (1 + exp x))
      by (unfold sigmoid; rewrite exp_Ropp; field; lra).
    apply (derivable_log f (fun v => 1 + exp v)); [exact Hf|].
    apply (derivable_pt_lim_plus (fct_cte 1)); [apply derivable_pt_lim_const|].
    apply derivable_pt_lim_exp.
  - rewrite <- sigmoid_0. apply sigmoid_slope.
Qed.

Theorem softplus_exists : exists f, forall x, exp (f x) = 1 + exp x.
Proof.
  assert (H : forall x, {y | exp y = 1 + exp x}).
  { intro x. set (v := 1 + exp x). assert (Hv : 1 < v) by (unfold v; pose proof (exp_pos x); lra).
    destruct (IVT (exp - fct_cte v)%F 0 v) as (y & _ & Hy); unfold minus_fct, fct_cte in *.
    - apply continuity_minus; [apply derivable_continuous, derivable_exp|].
      apply continuity_const. intros p q. reflexivity.
    - lra.
    - rewrite exp_0. lra.
    - pose proof (exp_lower v ltac:(lra)). lra.
    - exists y. lra. }
  exists (fun x => proj1_sig (H x)). intro x. exact (proj2_sig (H x)).
Qed.

(** ** All of them *)

Inductive in_use : (R -> R) -> Prop :=
| Sigmoid : in_use sigmoid
| Tanh : in_use tanh
| SiLU : in_use (fun x => x * sigmoid x)
| GELU : in_use gelu
| Softplus f : (forall x, exp (f x) = 1 + exp x) -> in_use f.

Theorem in_use_usable sigma : in_use sigma -> usable sigma.
Proof.
  intros [| | | |f H].
  - exists 1. exact curved_sigmoid.
  - exists (1 / 2). exact curved_tanh.
  - exists 0. exact curved_silu.
  - exists 0. exact curved_gelu.
  - exists 0. now apply curved_softplus.
Qed.
