(** * Every bilinear map is a bilinear layer

    Section 2.5. A map from R^p x R^q to R^r that is linear in each argument is T x_1 x x_2 y + b for one
    tensor and one bias: the entries of T are its values on pairs of basis vectors, and b = 0.

    A vector of R^p is a function of which the first p values count; so a map on vectors gives equal
    results on functions that agree there ([on_vectors]).

    Main definitions: [on_vectors], [bilinear], [bilinear_layer], [values_on_basis].
    Main theorem:     [bilinear_maps_are_layers]. *)

From Coq Require Import Reals Lia Lra Arith.
From Assay Require Import Sums.
Open Scope R_scope.

Section BilinearMaps.
Variables p q r : nat.
Implicit Types x y : nat -> R.

Definition on_vectors (f : (nat -> R) -> (nat -> R) -> nat -> R) : Prop :=
  forall x x' y y', (forall i, (i < p)%nat -> x i = x' i) -> (forall j, (j < q)%nat -> y j = y' j) ->
  forall k, (k < r)%nat -> f x y k = f x' y' k.

(** Linear in each of its two arguments. *)
Definition bilinear (f : (nat -> R) -> (nat -> R) -> nat -> R) : Prop :=
  (forall a x x' y k, (k < r)%nat -> f (fun i => a * x i + x' i) y k = a * f x y k + f x' y k) /\
  (forall a x y y' k, (k < r)%nat -> f x (fun j => a * y j + y' j) k = a * f x y k + f x y' k).

(** T x_1 x x_2 y + b *)
Definition bilinear_layer (T : nat -> nat -> nat -> R) (b : nat -> R) x y (k : nat) : R :=
  sum p (fun i => sum q (fun j => T i j k * x i * y j)) + b k.

Definition basis (i : nat) : nat -> R := fun c => b2r (c =? i)%nat.

Definition values_on_basis (f : (nat -> R) -> (nat -> R) -> nat -> R) (i j k : nat) : R :=
  f (basis i) (basis j) k.

(** The vector whose first m coordinates are those of x, and 0 further on. *)
Definition first (m : nat) x (c : nat) : R := sum m (fun i => x i * basis i c).

Lemma first_is m x c : (c < m)%nat -> first m x c = x c.
Proof.
  intro Hc. unfold first, basis. rewrite (sum_single m _ c Hc); [rewrite Nat.eqb_refl; cbn; ring|].
  intros i _ Hne. rewrite (proj2 (Nat.eqb_neq c i)) by auto. cbn. ring.
Qed.

(** A linear map takes a combination of basis vectors to that of their images. *)
Lemma linear_on_first (g : (nat -> R) -> R) m x :
  (forall x x', (forall i, x i = x' i) -> g x = g x') ->
  (forall a x x', g (fun i => a * x i + x' i) = a * g x + g x') ->
  g (first m x) = sum m (fun i => x i * g (basis i)).
Proof.
  intros Hext Hlin. induction m as [|m IH]; cbn [sum].
  - assert (E : g (first 0 x) = 1 * g (first 0 x) + g (first 0 x)); [|lra].
    rewrite <- Hlin. apply Hext. intro i. unfold first. cbn. ring.
  - rewrite <- IH, Rplus_comm, <- Hlin. apply Hext. intro i. unfold first. cbn [sum]. ring.
Qed.

Theorem bilinear_maps_are_layers f : on_vectors f -> bilinear f ->
  forall x y k, (k < r)%nat -> f x y k = bilinear_layer (values_on_basis f) (fun _ => 0) x y k.
Proof.
  intros Hf (HL & HR) x y k Hk. unfold bilinear_layer. rewrite Rplus_0_r.
  rewrite (Hf x (first p x) y y) by (try exact Hk; intros; try symmetry; auto using first_is).
  rewrite (linear_on_first (fun x => f x y k)).
  2: { intros. apply Hf; auto. }
  2: { intros. apply HL, Hk. }
  apply sum_ext. intros i _.
  rewrite (Hf (basis i) (basis i) y (first q y)) by (try exact Hk; intros; try symmetry; auto using first_is).
  rewrite (linear_on_first (fun y => f (basis i) y k)).
  2: { intros. apply Hf; auto. }
  2: { intros. apply HR, Hk. }
  rewrite sum_scal_l. apply sum_ext. intros j _. unfold values_on_basis. ring.
Qed.
End BilinearMaps.
