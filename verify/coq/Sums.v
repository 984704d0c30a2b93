(** * Finite sums and real matrices

    Notation of Section 2.1. A matrix is a function of row and column; its size is said where it is
    used, so that [A i j] reads as in the paper.

    Main definitions: [sum], [mat], [mmul], [mix], [meq], [norm] (largest absolute row sum).
    Main theorems:    [mulmA], [mul1m], [mulm1] (matrices form a monoid), [norm_mulm]
                      (the row-sum norm is submultiplicative). *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool Morphisms Setoid.
From Assay Require Import Compat.
Open Scope R_scope.

Fixpoint sum (k : nat) (f : nat -> R) : R :=
  match k with O => 0 | S k' => sum k' f + f k' end.

Definition mat := nat -> nat -> R.
Definition mmul (k : nat) (A B : mat) : mat := fun i j => sum k (fun p => A i p * B p j).
Definition b2r (b : bool) : R := if b then 1 else 0.
Definition I : mat := fun i j => b2r (i =? j)%nat.

Lemma b2r_nonneg b : 0 <= b2r b.
Proof. destruct b; simpl; lra. Qed.

(** [mix N w M i j] is the weighted mean, by one row [w] of attention, of the matrices [M s]. *)
Definition mix (N : nat) (w : nat -> R) (M : nat -> mat) : mat :=
  fun i j => sum N (fun s => w s * M s i j).

Ltac bool_cases := repeat
  match goal with
  | |- context [(?a =? ?b)%nat] => destruct (Nat.eqb_spec a b)
  | |- context [(?a <? ?b)%nat] => destruct (Nat.ltb_spec a b)
  | |- context [(?a <=? ?b)%nat] => destruct (Nat.leb_spec a b)
  end.
Ltac solve01 := unfold b2r; bool_cases; simpl; try ring; try lia.

(** ** Sums *)

Lemma sum_ext k f g : (forall p, (p < k)%nat -> f p = g p) -> sum k f = sum k g.
Proof. induction k; simpl; intro H; auto. rewrite IHk, H; auto. Qed.

Lemma sum_zero k f : (forall p, (p < k)%nat -> f p = 0) -> sum k f = 0.
Proof. induction k; simpl; intro H; auto. rewrite IHk, H by auto; ring. Qed.

Lemma sum_single k f q :
  (q < k)%nat -> (forall p, (p < k)%nat -> p <> q -> f p = 0) -> sum k f = f q.
Proof.
  induction k; simpl; intros Hq H; [lia|].
  destruct (Nat.eq_dec q k) as [->|].
  - rewrite sum_zero; [ring|]. intros; apply H; lia.
  - rewrite IHk, (H k); try lia; try ring. intros; apply H; lia.
Qed.

Lemma sum_add a b f : sum (a + b) f = sum a f + sum b (fun p => f (a + p)%nat).
Proof.
  induction b; simpl; rewrite ?Nat.add_0_r, ?Nat.add_succ_r; simpl; [ring|rewrite IHb; ring].
Qed.

Lemma sum_mul a b f : sum (a * b) f = sum a (fun i => sum b (fun j => f (i * b + j)%nat)).
Proof. induction a; simpl; auto. rewrite Nat.add_comm, sum_add, IHa. reflexivity. Qed.

Lemma sum_scal_l k c f : c * sum k f = sum k (fun p => c * f p).
Proof. induction k; simpl; [ring|rewrite <- IHk; ring]. Qed.

Lemma sum_scal_r k c f : sum k f * c = sum k (fun p => f p * c).
Proof. induction k; simpl; [ring|rewrite <- IHk; ring]. Qed.

Lemma sum_plus k f g : sum k (fun p => f p + g p) = sum k f + sum k g.
Proof. induction k; simpl; [ring|rewrite IHk; ring]. Qed.

Lemma sum_minus k f g : sum k (fun p => f p - g p) = sum k f - sum k g.
Proof. induction k; simpl; [ring|rewrite IHk; ring]. Qed.

Lemma sum_swap a b f :
  sum a (fun i => sum b (fun j => f i j)) = sum b (fun j => sum a (fun i => f i j)).
Proof.
  induction a; simpl; [rewrite sum_zero; auto|rewrite IHa, <- sum_plus; reflexivity].
Qed.

Lemma sum_le k f g : (forall p, (p < k)%nat -> f p <= g p) -> sum k f <= sum k g.
Proof.
  induction k; simpl; intro H; [lra|].
  assert (sum k f <= sum k g) by (apply IHk; auto).
  assert (f k <= g k) by auto. lra.
Qed.

Lemma sum_nonneg k f : (forall p, (p < k)%nat -> 0 <= f p) -> 0 <= sum k f.
Proof. intro H. rewrite <- (sum_zero k (fun _ => 0)) by auto. now apply sum_le. Qed.

Lemma sum_const k c : sum k (fun _ => c) = INR k * c.
Proof. induction k; [simpl; ring|]. rewrite S_INR. simpl sum. rewrite IHk. ring. Qed.

Lemma sum_abs k f : Rabs (sum k f) <= sum k (fun p => Rabs (f p)).
Proof.
  induction k; simpl; [rewrite Rabs_R0; lra|].
  pose proof (Rabs_triang (sum k f) (f k)). lra.
Qed.

(** Split off one term. *)
Lemma sum_split k f q : (q < k)%nat ->
  sum k f = f q + sum k (fun p => if (p =? q)%nat then 0 else f p).
Proof.
  intro Hq. set (g := fun p => if (p =? q)%nat then f p else 0).
  assert (E : sum k g = f q).
  { rewrite (sum_single k g q Hq); unfold g; [now rewrite Nat.eqb_refl|].
    intros p Hp Hne. destruct (Nat.eqb_spec p q); [lia|auto]. }
  rewrite <- E, <- sum_plus. apply sum_ext. intros p Hp. unfold g. destruct (p =? q)%nat; ring.
Qed.

Lemma sum_term k f q : (q < k)%nat -> (forall p, (p < k)%nat -> 0 <= f p) -> f q <= sum k f.
Proof.
  intros Hq H. rewrite (sum_split k f q Hq).
  assert (0 <= sum k (fun p => if (p =? q)%nat then 0 else f p)); [|lra].
  apply sum_nonneg. intros p Hp. destruct (p =? q)%nat; [lra|auto].
Qed.

(** ** The monoid of n x n matrices, up to equality on indices below n *)

Definition meq (n : nat) (A B : mat) : Prop :=
  forall i j, (i < n)%nat -> (j < n)%nat -> A i j = B i j.

Global Instance meq_equiv n : Equivalence (meq n).
Proof.
  split; [intros A i j; auto|intros A B H i j Hi Hj; symmetry; auto|].
  intros A B C H1 H2 i j Hi Hj. rewrite H1; auto.
Qed.

Global Instance mmul_proper n : Proper (meq n ==> meq n ==> meq n) (mmul n).
Proof. intros A A' HA B B' HB i j Hi Hj. apply sum_ext. intros k Hk. rewrite HA, HB; auto. Qed.

Lemma mulmA n A B C : meq n (mmul n (mmul n A B) C) (mmul n A (mmul n B C)).
Proof.
  intros i j Hi Hj. unfold mmul.
  rewrite (sum_ext n _ (fun q => sum n (fun p => A i p * B p q * C q j)))
    by (intros; apply sum_scal_r).
  rewrite sum_swap. apply sum_ext. intros p Hp. rewrite sum_scal_l. apply sum_ext. intros; ring.
Qed.

Lemma mul1m n A : meq n (mmul n I A) A.
Proof.
  intros i j Hi Hj. unfold mmul. rewrite (sum_single n _ i); auto.
  - unfold I. rewrite Nat.eqb_refl. unfold b2r; ring.
  - intros p Hp Hne. unfold I. solve01.
Qed.

Lemma mulm1 n A : meq n (mmul n A I) A.
Proof.
  intros i j Hi Hj. unfold mmul. rewrite (sum_single n _ j); auto.
  - unfold I. rewrite Nat.eqb_refl. unfold b2r; ring.
  - intros p Hp Hne. unfold I. solve01.
Qed.

(** ** The largest value below k, and the row-sum norm *)

Fixpoint maxover (k : nat) (f : nat -> R) : R :=
  match k with O => 0 | S k' => Rmax (maxover k' f) (f k') end.

Definition norm (n : nat) (A : mat) : R := maxover n (fun i => sum n (fun j => Rabs (A i j))).

Lemma maxover_ge k f p : (p < k)%nat -> f p <= maxover k f.
Proof.
  induction k; simpl; intro H; [lia|]. destruct (Nat.eq_dec p k) as [->|]; [apply Rmax_r|].
  apply Rle_trans with (maxover k f); [apply IHk; lia|apply Rmax_l].
Qed.

Lemma maxover_pos k f : 0 <= maxover k f.
Proof. induction k; simpl; [lra|]. apply Rle_trans with (1 := IHk), Rmax_l. Qed.

Lemma maxover_le k f b : 0 <= b -> (forall p, (p < k)%nat -> f p <= b) -> maxover k f <= b.
Proof. induction k; simpl; intros Hb H; auto. apply Rmax_lub; auto. Qed.

Lemma norm_pos n A : 0 <= norm n A.
Proof. apply maxover_pos. Qed.

Lemma norm_row n A i : (i < n)%nat -> sum n (fun j => Rabs (A i j)) <= norm n A.
Proof. intro H. now apply (maxover_ge n (fun i => sum n (fun j => Rabs (A i j)))). Qed.

Lemma norm_entry n A i j : (i < n)%nat -> (j < n)%nat -> Rabs (A i j) <= norm n A.
Proof.
  intros Hi Hj. apply Rle_trans with (2 := norm_row n A i Hi).
  rewrite (sum_split n _ j Hj). rewrite <- (Rplus_0_r (Rabs (A i j))) at 1.
  apply Rplus_le_compat_l, sum_nonneg. intros p Hp. destruct (p =? j)%nat; [lra|apply Rabs_pos].
Qed.

Lemma norm_meq n A B : meq n A B -> norm n A <= norm n B.
Proof.
  intro H. apply maxover_le; [apply norm_pos|]. intros i Hi.
  apply Rle_trans with (2 := norm_row n B i Hi). apply Req_le, sum_ext. intros j Hj.
  now rewrite H.
Qed.

Global Instance norm_proper n : Proper (meq n ==> eq) (norm n).
Proof. intros A B H. apply Rle_antisym; apply norm_meq; [|symmetry]; auto. Qed.

Lemma norm_plus n A B : norm n (fun i j => A i j + B i j) <= norm n A + norm n B.
Proof.
  pose proof (norm_pos n A). pose proof (norm_pos n B).
  apply maxover_le; [lra|]. intros i Hi.
  pose proof (norm_row n A i Hi). pose proof (norm_row n B i Hi).
  apply Rle_trans with (sum n (fun j => Rabs (A i j) + Rabs (B i j))).
  - apply sum_le. intros; apply Rabs_triang.
  - rewrite sum_plus. lra.
Qed.

Lemma norm_scal n c A : norm n (fun i j => c * A i j) <= Rabs c * norm n A.
Proof.
  apply maxover_le; [apply Rmult_le_pos; [apply Rabs_pos|apply norm_pos]|]. intros i Hi.
  rewrite (sum_ext n _ (fun j => Rabs c * Rabs (A i j))) by (intros; apply Rabs_mult).
  rewrite <- sum_scal_l. apply Rmult_le_compat_l; [apply Rabs_pos|now apply norm_row].
Qed.

Theorem norm_mulm n A B : norm n (mmul n A B) <= norm n A * norm n B.
Proof.
  pose proof (norm_pos n A). pose proof (norm_pos n B).
  apply maxover_le; [nra|]. intros i Hi.
  apply Rle_trans with (sum n (fun j => sum n (fun k => Rabs (A i k) * Rabs (B k j)))).
  - apply sum_le. intros j Hj. unfold mmul. apply Rle_trans with (1 := sum_abs _ _).
    apply Req_le, sum_ext. intros; apply Rabs_mult.
  - rewrite sum_swap. apply Rle_trans with (sum n (fun k => Rabs (A i k) * norm n B)).
    + apply sum_le. intros k Hk. rewrite <- sum_scal_l.
      apply Rmult_le_compat_l; [apply Rabs_pos|now apply norm_row].
    + rewrite <- sum_scal_r. apply Rmult_le_compat_r; [auto|now apply norm_row].
Qed.

Lemma norm_I n : norm n I <= 1.
Proof.
  apply maxover_le; [lra|]. intros i Hi. rewrite (sum_single n _ i); auto.
  - unfold I. rewrite Nat.eqb_refl. simpl. rewrite Rabs_R1. lra.
  - intros p Hp Hne. unfold I. unfold b2r. destruct (Nat.eqb_spec i p); [lia|apply Rabs_R0].
Qed.

(** ** Sums of numbers that are off *)

Lemma weighted_off n (v x y : nat -> R) e : (forall i, (i < n)%nat -> Rabs (x i - y i) <= e) ->
  Rabs (sum n (fun i => v i * x i) - sum n (fun i => v i * y i)) <= sum n (fun i => Rabs (v i)) * e.
Proof.
  intro H. rewrite <- sum_minus. eapply Rle_trans; [apply sum_abs|]. rewrite sum_scal_r.
  apply sum_le. intros i Hi. rewrite <- Rmult_minus_distr_l, Rabs_mult.
  apply Rmult_le_compat_l; [apply Rabs_pos|auto].
Qed.

Lemma part_small a eps : 0 <= a -> 0 < eps -> a * (eps / (a + 1)) < eps.
Proof.
  intros Ha He. apply (Rmult_lt_reg_r (a + 1)); [lra|].
  replace (a * (eps / (a + 1)) * (a + 1)) with (a * eps) by (field; lra). nra.
Qed.

(** A matrix whose entries are small has a small Frobenius norm. *)
Lemma frobenius_below k n (D : mat) eps : 0 < eps ->
  (forall t j, (t < k)%nat -> (j < n)%nat -> Rabs (D t j) <= eps / (INR k * INR n + 1)) ->
  sqrt (sum k (fun t => sum n (fun j => D t j ^ 2))) < eps.
Proof.
  intros Heps H. set (K := INR k * INR n) in *.
  assert (HK : 0 <= K) by (apply Rmult_le_pos; apply pos_INR).
  set (q := eps / (K + 1)) in *. assert (Hq : 0 < q) by (apply Rdiv_lt_0_compat; lra).
  rewrite <- (sqrt_Rsqr eps) by lra. apply sqrt_lt_1_alt. split.
  - apply sum_nonneg. intros t Ht. apply sum_nonneg. intros j Hj. apply pow2_ge_0.
  - apply Rle_lt_trans with (K * q ^ 2).
    + unfold K. rewrite Rmult_assoc, <- sum_const. apply sum_le. intros t Ht.
      rewrite <- sum_const. apply sum_le. intros j Hj.
      rewrite <- pow2_abs. apply pow_incr. split; [apply Rabs_pos|auto].
    + assert (E : eps = q * (K + 1)) by (unfold q; field; lra).
      rewrite E. unfold Rsqr. simpl. nra.
Qed.

(** ** Lists *)

Lemma flat_map_length {X Y : Type} (f : X -> list Y) k l :
  (forall x, length (f x) = k) -> length (flat_map f l) = (length l * k)%nat.
Proof. intro H. induction l as [|x l IH]; [reflexivity|]. simpl. now rewrite app_length, H, IH. Qed.

(** Layers that do the same, of a list and of another form of it. *)
Lemma fold_left_map_same {A B B' : Type} (f : A -> B -> A) (g : A -> B' -> A) (h : B -> B') l :
  (forall b, In b l -> forall a, f a b = g a (h b)) -> forall a, fold_left f l a = fold_left g (map h l) a.
Proof.
  induction l as [|b l IH]; intros H a; [reflexivity|]. cbn [map fold_left].
  rewrite (H b (or_introl eq_refl)). apply IH. intros b' Hb'. apply H. now right.
Qed.

Lemma fold_left_same {A B : Type} (f g : A -> B -> A) l :
  (forall b, In b l -> forall a, f a b = g a b) -> forall a, fold_left f l a = fold_left g l a.
Proof. intros H a. rewrite <- (map_id l) at 2. now apply (fold_left_map_same f g (fun b => b)). Qed.

(** One layer many times. *)
Lemma fold_left_repeat {A B : Type} (f : A -> B -> A) b k a :
  fold_left f (repeat b k) a = Nat.iter k (fun a => f a b) a.
Proof.
  induction k as [|k IH]; [reflexivity|]. cbn [repeat Nat.iter]. now rewrite repeat_cons, fold_left_app, IH.
Qed.

Lemma map_repeated {A B : Type} (f : A -> B) a k : map f (repeat a k) = repeat (f a) k.
Proof. induction k as [|k IH]; [reflexivity|]. cbn [repeat map]. now rewrite IH. Qed.

(** A bound for finitely many things. *)
Lemma finite_max {A : Type} (f : A -> R) l : exists b, 1 <= b /\ forall a, In a l -> f a <= b.
Proof.
  induction l as [|c l (b & Hb & IH)]; [exists 1; split; [lra|intros a []]|].
  exists (Rmax b (f c)). split; [eapply Rle_trans; [exact Hb|apply Rmax_l]|].
  intros a [<-|Ha]; [apply Rmax_r|]. eapply Rle_trans; [now apply IH|apply Rmax_l].
Qed.

Lemma firstn_next {A : Type} (v : list A) t a : nth_error v t = Some a -> firstn (S t) v = firstn t v ++ a :: nil.
Proof.
  revert v. induction t as [|t IH]; intros [|b v] E; try discriminate; [now injection E as ->|].
  change (firstn (S (S t)) (b :: v)) with (b :: firstn (S t) v). now rewrite (IH v E).
Qed.
