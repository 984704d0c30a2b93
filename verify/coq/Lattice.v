(** * Points of N^m with at most d steps from 0, and sums over lists

    For Theorem 4 (Appendix B.2): its hidden units are the points of this set, of which there are
    C(m+d, d), and what the monomials of a polynomial ask of the units is collected point by point.

    Main definitions: [lattice], [choose], [total].
    Main theorems:    [lattice_in], [lattice_NoDup], [lattice_size], [total_swap], [total_pick]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FinFun.
From Assay Require Import Compat Sums.
Import ListNotations.
Open Scope R_scope.

(** ** Points of N^m with at most d steps from 0 *)

Fixpoint lattice (m d : nat) : list (list nat) :=
  match m with
  | O => [[]]
  | S m => flat_map (fun a => map (cons a) (lattice m (d - a))) (seq 0 (S d))
  end.

Fixpoint choose (n k : nat) : nat :=
  match k, n with
  | O, _ => 1
  | S _, O => 0
  | S k', S n' => choose n' k' + choose n' k
  end.

Lemma lattice_in m : forall d w, In w (lattice m d) <-> length w = m /\ (list_sum w <= d)%nat.
Proof.
  induction m as [|m IH]; intros d w; cbn [lattice].
  - split; [intros [<-|[]]; simpl; lia|]. intros [H _]. destruct w; [now left|discriminate].
  - rewrite in_flat_map. split.
    + intros (a & Ha & H). apply in_map_iff in H as (v & <- & Hv). apply IH in Hv. apply in_seq in Ha.
      change (list_sum (a :: v)) with (a + list_sum v)%nat. cbn [length]. lia.
    + intros [Hl Hs]. destruct w as [|a v]; [discriminate|].
      change (list_sum (a :: v)) with (a + list_sum v)%nat in Hs. cbn [length] in Hl.
      exists a. split; [apply in_seq; lia|]. apply in_map, IH. lia.
Qed.

Lemma NoDup_apart (k : list (list nat)) : forall l, NoDup k -> NoDup l ->
  (forall w, In w k -> In w l -> False) -> NoDup (k ++ l).
Proof.
  induction k as [|w k IH]; intros l Hk Hl H; [exact Hl|]. inversion Hk as [|? ? Hn Hk']; subst.
  cbn [app]. constructor.
  - rewrite in_app_iff. intros [Hw|Hw]; [auto|]. apply (H w); [now left|exact Hw].
  - apply IH; auto. intros v Hv. apply H. now right.
Qed.

Lemma lattice_NoDup m : forall d, NoDup (lattice m d).
Proof.
  induction m as [|m IH]; intro d; cbn [lattice]; [repeat constructor; intros []|].
  generalize 0%nat as a, (S d) as k. intros a k. revert a.
  induction k as [|k IHk]; intro a; cbn [seq flat_map]; [constructor|].
  apply NoDup_apart; [|apply IHk|].
  - apply Injective_map_NoDup; [intros v w E; now injection E|apply IH].
  - intros w H1 H2. apply in_map_iff in H1 as (v & <- & _). apply in_flat_map in H2 as (b & Hb & H2).
    apply in_map_iff in H2 as (u & E & _). injection E as -> _. apply in_seq in Hb. lia.
Qed.

Lemma choose_over n : forall k, (n < k)%nat -> choose n k = 0%nat.
Proof. induction n as [|n IH]; intros [|k] H; cbn [choose]; try lia. rewrite !IH; lia. Qed.

Lemma choose_all k : choose k k = 1%nat.
Proof. induction k as [|k IH]; cbn [choose]; [reflexivity|]. rewrite IH, choose_over; lia. Qed.

Lemma rows_length (f g : nat -> list (list nat)) l : (forall a, length (f (S a)) = length (g a)) ->
  length (flat_map f (map S l)) = length (flat_map g l).
Proof.
  intro H. induction l as [|a l IH]; cbn [map flat_map]; [reflexivity|]. now rewrite !app_length, H, IH.
Qed.

Lemma lattice_pascal m d :
  length (lattice (S m) (S d)) = (length (lattice (S m) d) + length (lattice m (S d)))%nat.
Proof.
  cbn [lattice]. change (seq 0 (S (S d))) with (0%nat :: seq 1 (S d)). cbn [flat_map].
  rewrite app_length, map_length, Nat.sub_0_r, Nat.add_comm. f_equal. rewrite <- seq_shift.
  apply rows_length. intro a. now rewrite !map_length.
Qed.

(** There are C(m+d, d) of them. *)
Theorem lattice_size m d : length (lattice m d) = choose (m + d) d.
Proof.
  revert d. induction m as [|m IH]; intro d; [cbn [lattice length Nat.add]; now rewrite choose_all|].
  induction d as [|d IHd].
  - cbn [lattice seq flat_map]. rewrite app_nil_r, map_length, Nat.sub_0_r, IH. now destruct (m + 0)%nat.
  - rewrite lattice_pascal, IHd, IH. replace (S m + S d)%nat with (S (S m + d)) by lia. cbn [choose].
    f_equal. f_equal. lia.
Qed.

(** ** Sums over lists *)

Fixpoint total {X : Type} (f : X -> R) (l : list X) : R :=
  match l with [] => 0 | a :: l => f a + total f l end.

Section Totals.
Context {X Y : Type}.

Lemma total_ext (f g : X -> R) l : (forall a, In a l -> f a = g a) -> total f l = total g l.
Proof.
  induction l as [|a l IH]; intro H; cbn [total]; [reflexivity|].
  rewrite H by now left. f_equal. apply IH. intros. apply H. now right.
Qed.

Lemma total_app (f : X -> R) k l : total f (k ++ l) = total f k + total f l.
Proof. induction k as [|a k IH]; cbn [app total]; [ring|rewrite IH; ring]. Qed.

Lemma total_map (f : Y -> R) (g : X -> Y) l : total f (map g l) = total (fun a => f (g a)) l.
Proof. induction l as [|a l IH]; cbn [map total]; [reflexivity|now rewrite IH]. Qed.

Lemma total_scal c (f : X -> R) l : total (fun a => c * f a) l = c * total f l.
Proof. induction l as [|a l IH]; cbn [total]; [ring|rewrite IH; ring]. Qed.

Lemma total_scal_r c (f : X -> R) l : total (fun a => f a * c) l = total f l * c.
Proof. induction l as [|a l IH]; cbn [total]; [ring|rewrite IH; ring]. Qed.

Lemma total_plus (f g : X -> R) l : total (fun a => f a + g a) l = total f l + total g l.
Proof. induction l as [|a l IH]; cbn [total]; [ring|rewrite IH; ring]. Qed.

Lemma total_zero (f : X -> R) l : (forall a, In a l -> f a = 0) -> total f l = 0.
Proof.
  induction l as [|a l IH]; intro H; cbn [total]; [reflexivity|].
  rewrite H, IH by (intros; try apply H; (now left) || (now right)). ring.
Qed.

Lemma total_nth (f : X -> R) l other :
  total f l = sum (length l) (fun u => f (nth u l other)).
Proof.
  induction l as [|a l IH]; [reflexivity|]. cbn [total length]. rewrite IH.
  change (S (length l)) with (1 + length l)%nat. rewrite sum_add. cbn [sum nth Nat.add]. ring.
Qed.

Lemma total_near (f g : X -> R) l e : (forall a, In a l -> Rabs (f a - g a) <= e) ->
  Rabs (total f l - total g l) <= INR (length l) * e.
Proof.
  induction l as [|a l IH]; intro H.
  - cbn. rewrite Rminus_0_r, Rabs_R0. lra.
  - cbn [total]. change (length (a :: l)) with (S (length l)). rewrite S_INR.
    replace (f a + total f l - (g a + total g l)) with ((f a - g a) + (total f l - total g l)) by ring.
    eapply Rle_trans; [apply Rabs_triang|].
    pose proof (H a (or_introl eq_refl)). pose proof (IH (fun b Hb => H b (or_intror Hb))). lra.
Qed.
End Totals.

Lemma total_swap {X Y : Type} (f : X -> Y -> R) k l :
  total (fun a => total (f a) l) k = total (fun b => total (fun a => f a b) k) l.
Proof.
  induction k as [|a k IH]; cbn [total].
  - symmetry. now apply total_zero.
  - rewrite IH, <- total_plus. reflexivity.
Qed.

(** What is collected at one point of a list without repetitions. *)
Lemma total_pick (f : list nat -> R) w l : NoDup l -> In w l ->
  total (fun v => if list_eq_dec Nat.eq_dec w v then f v else 0) l = f w.
Proof.
  induction l as [|v l IH]; intros Hd Hin; [destruct Hin|]. inversion Hd as [|? ? Hn Hd']; subst.
  cbn [total]. destruct (list_eq_dec Nat.eq_dec w v) as [->|Hne].
  - rewrite total_zero; [ring|]. intros u Hu. destruct (list_eq_dec Nat.eq_dec v u) as [->|]; tauto.
  - destruct Hin as [->|Hin]; [congruence|]. rewrite IH by auto. ring.
Qed.
