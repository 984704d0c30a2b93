(** * Activations: four units multiply two numbers

    Appendix B.2 cites a theorem that some MLP multiplies, for activations of a certain class. Here
    an activation is curved at b: it is derivable near b, and its derivative is derivable at b with
    derivative c. If c is not zero, then

        x y  ~  s (sigma(b+h(x+y)) + sigma(b-h(x+y)) - sigma(b+h(x-y)) - sigma(b-h(x-y)))

    as closely as one likes on |x|, |y| <= R, for every small h > 0 and every s near 1/(4 h^2 c).

    Where we differ from the print: the class (curved at one point), biases, bounded inputs. The
    mean value theorem of the library would bring in one more axiom: a mean value inequality is
    proved from completeness.

    Main definitions: [curved], [usable], [four_units].
    Main theorems:    [increasing], [second_difference], [units_multiply]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
Open Scope R_scope.

(** ** A mean value inequality *)

Lemma abs_between x e : Rabs x <= e -> - e <= x <= e.
Proof. unfold Rabs. destruct (Rcase_abs x); lra. Qed.

Lemma abs_product x y p q : Rabs x <= p -> Rabs y <= q -> Rabs (x * y) <= p * q.
Proof. intros. rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos. Qed.

(** A function that does not fall around any point of an interval does not fall over it. *)
Lemma local_to_global g a b : a <= b ->
  (forall c, a <= c <= b -> exists d, 0 < d /\
     forall y, Rabs (y - c) < d -> (c <= y -> g c <= g y) /\ (y <= c -> g y <= g c)) ->
  g a <= g b.
Proof.
  intros Hab H. set (E := fun x => a <= x <= b /\ g a <= g x).
  destruct (completeness E) as (s & Hs1 & Hs2).
  { exists b. intros x [Hx _]. lra. }
  { exists a. split; lra. }
  assert (Has : a <= s) by (apply Hs1; split; lra).
  assert (Hsb : s <= b) by (apply Hs2; intros x [Hx _]; lra).
  destruct (H s ltac:(lra)) as (d & Hd & Hloc).
  apply Rnot_lt_le. intro Hlt.
  apply (Rlt_irrefl s), Rle_lt_trans with (s - d / 2); [|lra].
  apply Hs2. intros x Ex. apply Rnot_lt_le. intro Hxs.
  assert (Hx2 : x <= s) by now apply Hs1. destruct Ex as [Hx Ex].
  assert (Hgs : g x <= g s) by (apply (Hloc x); [rewrite Rabs_left1; lra|lra]).
  set (z := Rmin b (s + d / 2)).
  assert (Hzb : z <= b) by apply Rmin_l.
  assert (Hzd : z <= s + d / 2) by apply Rmin_r.
  assert (Hsz : s <= z) by (apply Rmin_glb; lra).
  assert (Hgz : g s <= g z) by (apply (Hloc z); [rewrite Rabs_pos_eq; lra|lra]).
  assert (Hzs : z <= s) by (apply Hs1; split; lra).
  assert (Hzmin : z = b \/ z = s + d / 2) by (unfold z, Rmin; destruct (Rle_dec _ _); auto).
  destruct Hzmin as [Hz|Hz]; [|lra]. rewrite Hz in Hgz. lra.
Qed.

(** Derivatives are used as little-o: |g y - g c - l (y - c)| <= e |y - c| near c. *)
Lemma derivative_near g c l e : derivable_pt_lim g c l -> 0 < e ->
  exists d, 0 < d /\ forall y, Rabs (y - c) < d ->
    Rabs (g y - g c - l * (y - c)) <= e * Rabs (y - c).
Proof.
  intros H He. destruct (H e He) as ((d & Hd) & Hloc). exists d. split; [exact Hd|].
  intros y Hy. destruct (Req_dec y c) as [->|Hne].
  - replace (g c - g c - l * (c - c)) with 0 by ring. rewrite Rabs_R0.
    rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. lra.
  - specialize (Hloc (y - c) ltac:(lra) Hy). replace (c + (y - c)) with y in Hloc by ring.
    replace (g y - g c - l * (y - c)) with (((g y - g c) / (y - c) - l) * (y - c))
      by (field; lra).
    rewrite Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos|lra].
Qed.

Theorem increasing g a b : a <= b ->
  (forall c, a <= c <= b -> exists l, 0 <= l /\ derivable_pt_lim g c l) -> g a <= g b.
Proof.
  intros Hab H. apply le_epsilon. intros e He.
  set (k := e / (b - a + 1)).
  assert (Hk : 0 < k) by (apply Rdiv_lt_0_compat; lra).
  assert (Hke : k * (b - a) <= e).
  { unfold k. replace e with (e / (b - a + 1) * (b - a + 1)) at 2 by (field; lra).
    apply Rmult_le_compat_l; [left; exact Hk|lra]. }
  enough (g a + k * a <= g b + k * b) by lra.
  apply (local_to_global (fun x => g x + k * x)); [exact Hab|].
  intros c Hc. destruct (H c Hc) as (l & Hl & Hd).
  destruct (derivative_near g c l k Hd Hk) as (d & Hd0 & Hloc).
  exists d. split; [exact Hd0|]. intros y Hy. specialize (Hloc y Hy).
  apply abs_between in Hloc. split; intro Hyc.
  - rewrite (Rabs_pos_eq (y - c)) in Hloc by lra.
    assert (0 <= l * (y - c)) by (apply Rmult_le_pos; lra). lra.
  - rewrite (Rabs_left1 (y - c)) in Hloc by lra.
    assert (0 <= l * (c - y)) by (apply Rmult_le_pos; lra). lra.
Qed.

(** ** The second difference of a curved activation *)

Definition curved (sigma : R -> R) (b c : R) : Prop :=
  exists slope near, 0 < near
    /\ (forall x, Rabs (x - b) < near -> derivable_pt_lim sigma x (slope x))
    /\ derivable_pt_lim slope b c.

(** An activation with which four units multiply. *)
Definition usable (sigma : R -> R) : Prop := exists b c, curved sigma b c /\ c <> 0.

Definition second (sigma : R -> R) (b u : R) : R := sigma (b + u) + sigma (b - u) - 2 * sigma b.

Lemma derivable_shift sigma b u l :
  derivable_pt_lim sigma (b + u) l -> derivable_pt_lim (fun v => sigma (b + v)) u l.
Proof.
  intro H. replace l with (l * (0 + 1)) by ring.
  apply (derivable_pt_lim_comp (fun v => b + v) sigma); [|exact H].
  apply derivable_pt_lim_plus; [apply derivable_pt_lim_const|apply derivable_pt_lim_id].
Qed.

Lemma derivable_mirror sigma b u l :
  derivable_pt_lim sigma (b - u) l -> derivable_pt_lim (fun v => sigma (b - v)) u (- l).
Proof.
  intro H. replace (- l) with (l * (0 - 1)) by ring.
  apply (derivable_pt_lim_comp (fun v => b - v) sigma); [|exact H].
  apply derivable_pt_lim_minus; [apply derivable_pt_lim_const|apply derivable_pt_lim_id].
Qed.

Lemma derivable_square k u : derivable_pt_lim (fun v => k * (v * v)) u (2 * k * u).
Proof.
  replace (2 * k * u) with (k * (1 * u + u * 1)) by ring.
  apply derivable_pt_lim_scal. apply (derivable_pt_lim_mult id id); apply derivable_pt_lim_id.
Qed.

Lemma derivable_second sigma b u p q :
  derivable_pt_lim sigma (b + u) p -> derivable_pt_lim sigma (b - u) q ->
  derivable_pt_lim (second sigma b) u (p - q).
Proof.
  intros Hp Hq. replace (p - q) with (p + - q - 0) by ring. unfold second.
  apply derivable_pt_lim_minus with (f2 := fun _ => 2 * sigma b);
    [|apply derivable_pt_lim_const].
  apply (derivable_pt_lim_plus (fun v => sigma (b + v)) (fun v => sigma (b - v)));
    [now apply derivable_shift|now apply derivable_mirror].
Qed.

Lemma second_0 sigma b : second sigma b 0 = 0.
Proof. unfold second. replace (b + 0) with b by ring. replace (b - 0) with b by ring. ring. Qed.

(** sigma(b+u) + sigma(b-u) - 2 sigma(b) is c u^2, up to as small a part of u^2 as one likes. *)
Lemma second_difference_pos sigma b c : curved sigma b c -> forall kappa, 0 < kappa ->
  exists rho, 0 < rho /\ forall u, 0 <= u <= rho ->
    Rabs (second sigma b u - c * (u * u)) <= kappa * (u * u).
Proof.
  intros (slope & near & Hn & Hs & Hc) kappa Hk.
  destruct (derivative_near slope b c kappa Hc Hk) as (d & Hd & Hloc).
  set (rho := Rmin (near / 2) (d / 2)).
  assert (Hr1 : rho <= near / 2) by apply Rmin_l.
  assert (Hr2 : rho <= d / 2) by apply Rmin_r.
  exists rho. split; [apply Rmin_glb_lt; lra|]. intros u Hu.
  assert (Hsec : forall v, 0 <= v <= u ->
    derivable_pt_lim (second sigma b) v (slope (b + v) - slope (b - v))
    /\ Rabs (slope (b + v) - slope (b - v) - 2 * c * v) <= 2 * kappa * v).
  { intros v Hv.
    assert (H1 : Rabs (b + v - b) = v)
      by (replace (b + v - b) with v by ring; apply Rabs_pos_eq; lra).
    assert (H2 : Rabs (b - v - b) = v)
      by (replace (b - v - b) with (- v) by ring; rewrite Rabs_Ropp; apply Rabs_pos_eq; lra).
    split.
    - apply derivable_second; apply Hs; [rewrite H1|rewrite H2]; lra.
    - pose proof (Hloc (b + v) ltac:(lra)) as P. pose proof (Hloc (b - v) ltac:(lra)) as Q.
      rewrite H1 in P. rewrite H2 in Q. apply abs_between in P. apply abs_between in Q.
      apply Rabs_le. lra. }
  apply Rabs_le. split.
  - pose (g := fun v => second sigma b v - (c - kappa) * (v * v)).
    assert (H : g 0 <= g u).
    { apply increasing; [lra|]. intros v Hv. destruct (Hsec v Hv) as [D B].
      exists (slope (b + v) - slope (b - v) - 2 * (c - kappa) * v).
      apply abs_between in B. split; [lra|].
      apply derivable_pt_lim_minus; [exact D|apply derivable_square]. }
    unfold g in H. rewrite second_0 in H. lra.
  - pose (g := fun v => (c + kappa) * (v * v) - second sigma b v).
    assert (H : g 0 <= g u).
    { apply increasing; [lra|]. intros v Hv. destruct (Hsec v Hv) as [D B].
      exists (2 * (c + kappa) * v - (slope (b + v) - slope (b - v))).
      apply abs_between in B. split; [lra|].
      apply derivable_pt_lim_minus; [apply derivable_square|exact D]. }
    unfold g in H. rewrite second_0 in H. lra.
Qed.

Theorem second_difference sigma b c : curved sigma b c -> forall kappa, 0 < kappa ->
  exists rho, 0 < rho /\ forall u, Rabs u <= rho ->
    Rabs (sigma (b + u) + sigma (b - u) - 2 * sigma b - c * u ^ 2) <= kappa * u ^ 2.
Proof.
  intros H kappa Hk. destruct (second_difference_pos sigma b c H kappa Hk) as (rho & Hr & Hs).
  exists rho. split; [exact Hr|]. intros u Hu. replace (u ^ 2) with (u * u) by ring.
  apply abs_between in Hu. destruct (Rle_lt_dec 0 u) as [H0|H0].
  - apply Hs. lra.
  - specialize (Hs (- u) ltac:(lra)). unfold second in Hs.
    replace (b + - u) with (b - u) in Hs by ring. replace (b - - u) with (b + u) in Hs by ring.
    replace (- u * - u) with (u * u) in Hs by ring.
    now rewrite (Rplus_comm (sigma (b + u))).
Qed.

(** ** A product by four units *)

Definition four_units (sigma : R -> R) (b h s x y : R) : R :=
  s * sigma (h * x + h * y + b) + s * sigma (- h * x + - h * y + b)
  + - s * sigma (h * x + - h * y + b) + - s * sigma (- h * x + h * y + b).

Lemma four_units_second sigma b h s x y :
  four_units sigma b h s x y
  = s * (second sigma b (h * (x + y)) - second sigma b (h * (x - y))).
Proof.
  unfold four_units, second.
  replace (h * x + h * y + b) with (b + h * (x + y)) by ring.
  replace (- h * x + - h * y + b) with (b - h * (x + y)) by ring.
  replace (h * x + - h * y + b) with (b + h * (x - y)) by ring.
  replace (- h * x + h * y + b) with (b - h * (x - y)) by ring. ring.
Qed.

(** For every step h small enough and every scale s near enough to 1/(4 h^2 c). *)
Theorem units_multiply sigma b c B : curved sigma b c -> c <> 0 -> 0 < B ->
  forall eta, 0 < eta -> exists h0 tau, 0 < h0 /\ 0 < tau /\
    forall h s, 0 < h <= h0 -> Rabs (4 * h ^ 2 * c * s - 1) <= tau ->
    forall x y, Rabs x <= B -> Rabs y <= B ->
      Rabs (four_units sigma b h s x y - x * y) <= eta.
Proof.
  intros Hcurved Hc HR eta He.
  assert (Hc' : 0 < Rabs c) by now apply Rabs_pos_lt.
  assert (HR2 : 0 < B * B) by now apply Rmult_lt_0_compat.
  set (kappa := eta * Rabs c / (4 * (B * B))).
  assert (Hk : 0 < kappa) by (apply Rdiv_lt_0_compat; [now apply Rmult_lt_0_compat|lra]).
  destruct (second_difference sigma b c Hcurved kappa Hk) as (rho & Hr & Hs).
  set (tau := Rmin 1 (eta / (2 * (B * B)))).
  assert (Ht1 : tau <= 1) by apply Rmin_l.
  assert (Ht2 : tau * (B * B) <= eta / 2).
  { apply Rle_trans with (eta / (2 * (B * B)) * (B * B)); [|right; field; lra].
    apply Rmult_le_compat_r; [lra|apply Rmin_r]. }
  exists (rho / (2 * B)), tau. split; [apply Rdiv_lt_0_compat; lra|].
  split; [apply Rmin_glb_lt; [lra|apply Rdiv_lt_0_compat; lra]|].
  intros h s Hh Hss x y Hx Hy. pose proof (abs_product x y B B Hx Hy) as Hxy.
  apply abs_between in Hx. apply abs_between in Hy.
  assert (Hhr : h * (2 * B) <= rho).
  { apply Rle_trans with (rho / (2 * B) * (2 * B)); [|right; field; lra].
    apply Rmult_le_compat_r; [lra|exact (proj2 Hh)]. }
  assert (Hsmall : forall z, - (2 * B) <= z <= 2 * B -> Rabs (h * z) <= rho).
  { intros z Hz. apply Rle_trans with (h * (2 * B)); [|exact Hhr].
    apply abs_product; [rewrite Rabs_pos_eq; lra|apply Rabs_le; lra]. }
  pose proof (Hs (h * (x + y)) (Hsmall (x + y) ltac:(lra))) as P.
  pose proof (Hs (h * (x - y)) (Hsmall (x - y) ltac:(lra))) as Q.
  fold (second sigma b (h * (x + y))) in P. fold (second sigma b (h * (x - y))) in Q.
  rewrite four_units_second.
  set (E := second sigma b (h * (x + y)) - c * (h * (x + y)) ^ 2
            - (second sigma b (h * (x - y)) - c * (h * (x - y)) ^ 2)).
  replace (s * (second sigma b (h * (x + y)) - second sigma b (h * (x - y))) - x * y)
    with ((4 * h ^ 2 * c * s - 1) * (x * y) + s * E) by (unfold E; ring).
  assert (HE : Rabs E <= kappa * (4 * (B * B) * h ^ 2)).
  { unfold E. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp.
    eapply Rle_trans; [apply Rplus_le_compat; [exact P|exact Q]|].
    rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; [lra|].
    replace ((h * (x + y)) ^ 2 + (h * (x - y)) ^ 2) with (2 * (x * x + y * y) * h ^ 2) by ring.
    apply Rmult_le_compat_r; [apply pow2_ge_0|]. nra. }
  assert (Hh2 : 0 < h ^ 2) by (apply pow_lt; lra).
  assert (Hs1 : 4 * h ^ 2 * Rabs c * Rabs s <= 2).
  { replace (4 * h ^ 2 * Rabs c * Rabs s) with (Rabs (4 * h ^ 2 * c * s)).
    - replace (4 * h ^ 2 * c * s) with (4 * h ^ 2 * c * s - 1 + 1) by ring.
      eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_R1. lra.
    - rewrite !Rabs_mult, (Rabs_pos_eq 4), (Rabs_pos_eq (h ^ 2)) by lra. reflexivity. }
  eapply Rle_trans; [apply Rabs_triang|]. replace eta with (eta / 2 + eta / 2) by field.
  apply Rplus_le_compat; [eapply Rle_trans; [apply (abs_product _ _ _ _ Hss Hxy)|exact Ht2]|].
  rewrite Rabs_mult.
  apply Rle_trans with (Rabs s * (kappa * (4 * (B * B) * h ^ 2)));
    [apply Rmult_le_compat_l; [apply Rabs_pos|exact HE]|].
  replace (Rabs s * (kappa * (4 * (B * B) * h ^ 2)))
    with (4 * h ^ 2 * Rabs c * Rabs s * (eta / 4)) by (unfold kappa; field; lra).
  apply Rle_trans with (2 * (eta / 4)); [apply Rmult_le_compat_r; lra|right; field].
Qed.
