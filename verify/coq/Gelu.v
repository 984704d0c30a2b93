(** * GELU: the normal distribution function exists

    The integral of the library would bring in one more axiom, so that an antiderivative of the normal
    density is made here: for a positive function f that falls on [0, oo), F(x) is the supremum of the
    lower sums over [0, x], and (y - x) f(y) <= F(y) - F(x) <= (y - x) f(x) for x <= y. GELU is
    y Phi(y) with this Phi.

    Main definitions: [density], [lower] (a lower sum), [area] (their supremum), [normal] (Phi),
                      [gelu].
    Main theorems:    [area_between], [normal_slope], [normal_0], [gelu_exists]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Softmax Activation.
Open Scope R_scope.

(** ** Lower sums of a falling function *)

Section Area.
Variable f : R -> R.
Hypothesis f_pos : forall x, 0 <= x -> 0 <= f x.
Hypothesis f_falls : forall x y, 0 <= x <= y -> f y <= f x.

(** Partitions of [0, x] grow on the right; each piece has the value at its right end. *)
Inductive lower : R -> R -> Prop :=
| lower_0 : lower 0 0
| lower_S a b r : lower a r -> a <= b -> lower b (r + (b - a) * f b).

Lemma lower_range x r : lower x r -> 0 <= x /\ 0 <= r <= x * f 0.
Proof.
  induction 1 as [|a b r H (Ha & Hr0 & Hr) Hab]; [lra|].
  pose proof (f_pos b ltac:(lra)). pose proof (f_falls 0 b ltac:(lra)).
  split; [lra|]. assert (0 <= (b - a) * f b) by (apply Rmult_le_pos; lra).
  assert ((b - a) * f b <= (b - a) * f 0) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma lower_bounded x : bound (lower x).
Proof. exists (x * f 0). intros r Hr. now apply lower_range in Hr. Qed.

Lemma lower_some x : 0 <= x -> exists r, lower x r.
Proof. intro Hx. exists (0 + (x - 0) * f x). now constructor; [constructor|]. Qed.

Definition area (x : R) (Hx : 0 <= x) : R :=
  proj1_sig (completeness (lower x) (lower_bounded x) (lower_some x Hx)).

Lemma area_upper x Hx r : lower x r -> r <= area x Hx.
Proof. intro Hr. unfold area. destruct (completeness _ _ _) as (m & Hm & Hl). simpl. now apply Hm. Qed.

Lemma area_least x Hx b : (forall r, lower x r -> r <= b) -> area x Hx <= b.
Proof. intro H. unfold area. destruct (completeness _ _ _) as (m & Hu & Hm). simpl. now apply Hm. Qed.

Theorem area_between x y (Hx : 0 <= x) (Hy : 0 <= y) : x <= y ->
  (y - x) * f y <= area y Hy - area x Hx <= (y - x) * f x.
Proof.
  intro Hxy. split.
  - assert (area x Hx <= area y Hy - (y - x) * f y); [|lra]. apply area_least. intros r Hr.
    pose proof (area_upper y Hy _ (lower_S x y r Hr Hxy)). lra.
  - assert (area y Hy <= area x Hx + (y - x) * f x); [|lra]. apply area_least. intros r Hr.
    revert x Hx Hxy. induction Hr as [|a b r Hr IH Hab]; intros x Hx Hxy.
    + assert (x = 0) as -> by lra. pose proof (area_upper 0 Hx 0 lower_0). lra.
    + destruct (lower_range a r Hr) as (Ha & _). pose proof (f_falls x b ltac:(lra)).
      destruct (Rle_lt_dec x a) as [Hxa|Hxa].
      * specialize (IH Ha x Hx Hxa).
        assert ((b - a) * f b <= (b - a) * f x) by (apply Rmult_le_compat_l; lra). lra.
      * pose proof (area_upper x Hx _ (lower_S a x r Hr ltac:(lra))).
        assert ((b - a) * f b <= (b - a) * f x) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma area_0 H : area 0 H = 0.
Proof.
  apply Rle_antisym; [|apply area_upper; constructor].
  apply area_least. intros r Hr. apply lower_range in Hr. lra.
Qed.
End Area.

(** ** The normal density falls on [0, oo) *)

Definition density (x : R) : R := / sqrt (2 * PI) * exp (- / 2 * (x * x)).


Lemma density_pos x : 0 <= density x.
Proof.
  unfold density. left. apply Rmult_lt_0_compat; [|apply exp_pos].
  apply Rinv_0_lt_compat, sqrt_lt_R0. pose proof PI_RGT_0. lra.
Qed.

Lemma density_falls x y : 0 <= x <= y -> density y <= density x.
Proof.
  intro H. unfold density. apply Rmult_le_compat_l.
  - left. apply Rinv_0_lt_compat, sqrt_lt_R0. pose proof PI_RGT_0. lra.
  - apply exp_le. nra.
Qed.

Lemma density_even x : density (- x) = density x.
Proof. unfold density. now replace (- x * - x) with (x * x) by ring. Qed.

Lemma density_abs x : density (Rabs x) = density x.
Proof. unfold Rabs. destruct (Rcase_abs x); [apply density_even|reflexivity]. Qed.

Lemma density_continuous x eps : 0 < eps ->
  exists delta, 0 < delta /\ forall y, Rabs (y - x) < delta -> Rabs (density y - density x) < eps.
Proof.
  intro He.
  assert (D : derivable_pt_lim density x (/ sqrt (2 * PI) * (exp (- / 2 * (x * x)) * (2 * - / 2 * x)))).
  { apply derivable_pt_lim_scal.
    apply (derivable_pt_lim_comp (fun x => - / 2 * (x * x)) exp);
      [apply derivable_square|apply derivable_pt_lim_exp]. }
  set (l := / sqrt (2 * PI) * (exp (- / 2 * (x * x)) * (2 * - / 2 * x))) in D.
  destruct (derivative_near density x l 1 D ltac:(lra)) as (d & Hd & Hloc).
  set (m := Rabs l + 1). assert (Hm : 0 < m) by (unfold m; pose proof (Rabs_pos l); lra).
  exists (Rmin d (eps / m)). split; [apply Rmin_glb_lt; [exact Hd|now apply Rdiv_lt_0_compat]|].
  intros y Hy. assert (H1 : Rabs (y - x) < d) by (eapply Rlt_le_trans; [exact Hy|apply Rmin_l]).
  assert (H2 : Rabs (y - x) < eps / m) by (eapply Rlt_le_trans; [exact Hy|apply Rmin_r]).
  specialize (Hloc y H1).
  replace (density y - density x) with ((density y - density x - l * (y - x)) + l * (y - x)) by ring.
  eapply Rle_lt_trans; [apply Rabs_triang|]. rewrite Rabs_mult.
  apply Rle_lt_trans with (m * Rabs (y - x)); [unfold m; lra|].
  replace eps with (m * (eps / m)) by (field; lra). apply Rmult_lt_compat_l; lra.
Qed.

(** ** The distribution function *)

Definition half (x : R) : R := area density (fun x _ => density_pos x) density_falls (Rabs x) (Rabs_pos x).

Definition normal (x : R) : R := 1 / 2 + (if Rle_dec 0 x then half x else - half x).

Lemma half_between x y : Rabs x <= Rabs y ->
  (Rabs y - Rabs x) * density y <= half y - half x <= (Rabs y - Rabs x) * density x.
Proof.
  intro H. unfold half. rewrite <- (density_abs x), <- (density_abs y). now apply area_between.
Qed.

Lemma half_0 : half 0 = 0.
Proof.
  unfold half. generalize (Rabs_pos 0). rewrite Rabs_R0. intro H. apply area_0.
Qed.

Lemma normal_0 : normal 0 = 1 / 2.
Proof. unfold normal. destruct (Rle_dec 0 0); rewrite half_0; lra. Qed.

Lemma normal_mirror x : normal (- x) = 1 - normal x.
Proof.
  assert (E : half (- x) = half x).
  { pose proof (half_between x (- x) ltac:(rewrite Rabs_Ropp; lra)) as H. rewrite Rabs_Ropp in H. lra. }
  destruct (Req_dec x 0) as [->|Hne]; [rewrite Ropp_0, normal_0; lra|].
  unfold normal. rewrite E. destruct (Rle_dec 0 x); destruct (Rle_dec 0 (- x)); lra.
Qed.

(** On either side of 0, and to it, the difference quotient is between two values of the density. *)
Lemma normal_right x y : 0 <= x <= y ->
  (y - x) * density y <= normal y - normal x <= (y - x) * density x.
Proof.
  intro H. pose proof (half_between x y) as B. rewrite !Rabs_pos_eq in B by lra. specialize (B ltac:(lra)).
  unfold normal. destruct (Rle_dec 0 x); [|lra]. destruct (Rle_dec 0 y); lra.
Qed.

Lemma normal_left x y : x <= y <= 0 ->
  (y - x) * density x <= normal y - normal x <= (y - x) * density y.
Proof.
  intro H. pose proof (normal_right (- y) (- x) ltac:(lra)) as B.
  rewrite !normal_mirror, !density_even in B. lra.
Qed.

Lemma quotient x y u v eps : x < y -> (y - x) * u <= normal y - normal x <= (y - x) * v ->
  Rabs (u - density x) < eps -> Rabs (v - density x) < eps ->
  Rabs ((normal y - normal x) / (y - x) - density x) < eps.
Proof.
  intros Hxy H Hu Hv.
  assert (Hq : u <= (normal y - normal x) / (y - x) <= v).
  { split; apply (Rmult_le_reg_r (y - x)); try lra;
      replace ((normal y - normal x) / (y - x) * (y - x)) with (normal y - normal x) by (field; lra); lra. }
  unfold Rabs in *. repeat destruct (Rcase_abs _); lra.
Qed.

Theorem normal_slope x : derivable_pt_lim normal x (density x).
Proof.
  intros eps He. destruct (density_continuous x eps He) as (d1 & Hd1 & Hc).
  set (d2 := if Req_EM_T x 0 then 1 else Rabs x).
  assert (Hd2 : 0 < d2) by (unfold d2; destruct (Req_EM_T x 0); [lra|now apply Rabs_pos_lt]).
  assert (Hd : 0 < Rmin d1 d2) by now apply Rmin_glb_lt.
  exists (mkposreal _ Hd). intros h Hh Hsmall. simpl in Hsmall.
  assert (H1 : Rabs h < d1) by (eapply Rlt_le_trans; [exact Hsmall|apply Rmin_l]).
  assert (H2 : Rabs h < d2) by (eapply Rlt_le_trans; [exact Hsmall|apply Rmin_r]).
  assert (Hnear : Rabs (density (x + h) - density x) < eps)
    by (apply Hc; replace (x + h - x) with h by ring; exact H1).
  assert (Hself : Rabs (density x - density x) < eps)
    by (rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; exact He).
  assert (Hside : (0 <= x /\ 0 <= x + h) \/ (x <= 0 /\ x + h <= 0)).
  { unfold d2 in H2. destruct (Req_EM_T x 0) as [->|Hne].
    - destruct (Rle_lt_dec 0 h); [left|right]; lra.
    - unfold Rabs in H2. repeat destruct (Rcase_abs _); solve [left; lra|right; lra]. }
  destruct (Rlt_le_dec 0 h) as [Hpos|Hneg].
  - assert (Q : Rabs ((normal (x + h) - normal x) / (x + h - x) - density x) < eps).
    { destruct Hside as [[Ha Hb]|[Ha Hb]].
      - apply (quotient x (x + h) (density (x + h)) (density x)); auto; [lra|apply normal_right; lra].
      - apply (quotient x (x + h) (density x) (density (x + h))); auto; [lra|apply normal_left; lra]. }
    now replace (x + h - x) with h in Q by ring.
  - assert (Q : forall u v, (x - (x + h)) * u <= normal x - normal (x + h) <= (x - (x + h)) * v ->
      Rabs (u - density x) < eps -> Rabs (v - density x) < eps ->
      Rabs ((normal (x + h) - normal x) / h - density x) < eps).
    { intros u v H Hu Hv.
      assert (Hq : u <= (normal (x + h) - normal x) / h <= v).
      { split; apply (Rmult_le_reg_r (- h)); try lra;
          replace ((normal (x + h) - normal x) / h * - h) with (normal x - normal (x + h)) by (field; lra); lra. }
      apply Rabs_def2 in Hu, Hv. apply Rabs_def1; lra. }
    destruct Hside as [[Ha Hb]|[Ha Hb]].
    + apply (Q (density x) (density (x + h))); auto. apply normal_right. lra.
    + apply (Q (density (x + h)) (density x)); auto. apply normal_left. lra.
Qed.

Theorem gelu_exists : exists Phi, (forall y, derivable_pt_lim Phi y (density y)) /\ Phi 0 = 1 / 2.
Proof. exists normal. split; [apply normal_slope|apply normal_0]. Qed.

Definition gelu (y : R) : R := y * normal y.
