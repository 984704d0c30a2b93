(** * The end token's error counts twice

    Appendix C, last paragraph. In the recursion of TreeRecursion.v the error of a kept state is
    2 eps, because the end token's own state is multiplied by 1 - kind = 2. With eps in its place,
    the recursion fails at a position of I_t: one state, T_(1,1,1) = 1/4, the tree is one letter of
    weight 1, heads attend exactly, blocks are off by 1/1000. After three parse layers the letter is
    off by more than 4/1000, where that recursion gives less than 3.82/1000.

    Main definitions: [step_once], [errors_once], [carried].
    Main theorems:    [end_token_counts]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Theorem1 Trees Theorem3.
From Assay Require Import TreeModel TreeBlocks TreeScores TreeLayers TreeRecursion TreeSoft.
Import ListNotations.
Open Scope R_scope.

(** The recursion with eps in the place of 2 eps. *)
Definition step_once (tau S lam blk eps : R) : R :=
  let delta := eps + 2 * S * lam in
  tau * (S * delta + delta * delta) + Rmax (tau * S * delta) eps + blk.

Fixpoint errors_once (tau S lam blk : R) (l : nat) : R :=
  match l with
  | O => 0
  | Datatypes.S l' => step_once tau S lam blk (errors_once tau S lam blk l')
  end.

Definition one_letter : tree unit := Leaf tt.
Definition quarter (_ _ _ : nat) : R := 1 / 4.
Definition weight_one (_ : unit) (_ : nat) : R := 1.
Definition first_coordinate (x : nat -> R) : R := Rabs (x 0%nat).
Definition off : R := 1 / 1000.

(** Row 0 is the letter, row 1 the end token; every block adds 1/1000. *)
Fixpoint carried (l : nat) : mat := fun r _ =>
  match l with
  | O => if (r =? 0)%nat then 1 else 0
  | S l' => 1 / 4 * carried l' 1%nat 0%nat * carried l' r 0%nat
            + (1 - IZR (kind_at (str one_letter) r)) * carried l' r 0%nat + off
  end.

Lemma one_hot (j : nat) : (j < 2)%nat -> near 2 0 (fun s => b2r (s =? j)%nat) j.
Proof.
  intro Hj. split; [split|].
  - intros s _. unfold b2r. destruct (s =? j)%nat; lra.
  - rewrite <- (sum_hit 2 (fun _ => 1) j Hj). apply sum_ext. intros; ring.
  - rewrite Nat.eqb_refl. simpl. lra.
Qed.

Lemma is_run : soft_run 1 first_coordinate quarter weight_one one_letter 0 off
  (fun _ _ s => b2r (s =? 1)%nat) (fun _ r s => b2r (s =? r)%nat) carried.
Proof.
  split.
  - intros [|[|r]] k Hr Hk; [reflexivity|reflexivity|unfold rows in Hr; simpl in Hr; lia].
  - intros l [|[|r]] Hr Hk; [discriminate|discriminate|unfold rows in Hr; simpl in Hr; lia].
  - intros. apply (one_hot 1). lia.
  - intros l i d a b Hn. inversion Hn.
  - intros l r Hr. apply (one_hot r). exact Hr.
  - intros l r Hr. unfold first_coordinate, vminus, bilinear_state, mean. cbn [sum carried].
    change (rows (str one_letter)) with 2%nat. unfold quarter.
    rewrite (sum_hit 2 (fun s => carried l s 0%nat) 1) by lia.
    rewrite (sum_hit 2 (fun s => carried l s 0%nat) r) by exact Hr.
    right. rewrite <- (Rabs_pos_eq off) at 2 by (unfold off; lra). f_equal. ring.
Qed.

(** A run with all hypotheses of [tree_recursion] that the recursion with eps does not bound. *)
Theorem end_token_counts :
  (forall x y, first_coordinate (bilinear_state 1 quarter x y)
               <= 1 / 4 * first_coordinate x * first_coordinate y) /\
  (forall i d u, node one_letter i d u -> first_coordinate (mu 1 weight_one quarter u) <= 1) /\
  soft_run 1 first_coordinate quarter weight_one one_letter 0 off
    (fun _ _ s => b2r (s =? 1)%nat) (fun _ r s => b2r (s =? r)%nat) carried /\
  errors_once (1 / 4) 1 0 off 3
  < first_coordinate (vminus (carried 3 0%nat) (held 1 weight_one quarter 3 one_letter 0%nat)).
Proof.
  split; [|split; [|split; [exact is_run|]]].
  - intros x y. unfold first_coordinate, bilinear_state, quarter. cbn [sum].
    rewrite !Rplus_0_l, !Rabs_mult, (Rabs_pos_eq (1 / 4)) by lra. lra.
  - intros i d u Hn. inversion Hn. subst.
    change (Rabs 1 <= 1). rewrite Rabs_R1. lra.
  - assert (E1 : errors_once (1 / 4) 1 0 off 1 = off).
    { cbn [errors_once]. unfold step_once. rewrite Rmax_right by lra. ring. }
    assert (E2 : errors_once (1 / 4) 1 0 off 2 = 9 / 4 * off + off * off / 4).
    { change (step_once (1 / 4) 1 0 off (errors_once (1 / 4) 1 0 off 1)
              = 9 / 4 * off + off * off / 4).
      rewrite E1. unfold step_once, off. rewrite Rmax_right by lra. field. }
    change (step_once (1 / 4) 1 0 off (errors_once (1 / 4) 1 0 off 2)
      < first_coordinate (vminus (carried 3 0%nat) (held 1 weight_one quarter 3 one_letter 0%nat))).
    rewrite E2. unfold step_once, off. rewrite Rmax_right by lra.
    unfold first_coordinate, vminus. cbn -[IZR Rplus Rmult Rminus Rdiv].
    unfold weight_one, off. rewrite Rabs_pos_eq by lra. lra.
Qed.
