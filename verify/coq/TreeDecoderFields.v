(** * The tree decoder: the fields of a token, and what the MLP of a step makes of them

    Beyond the paper. [stepped] is the step of LogDepth.v on one token, whose scratch fields hold what
    the heads have read: M' = M M_c + (1 - N) T(Bf, .) + (1 - F) T(., Bn) - (N + F - N F) I, and so
    on; afterwards the scratch fields are 0.

    Main definition: [stepped].
    Main theorem:    [stepped_row]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Attention DecoderModel TreeDecoderModel TreeDecoderBlocks.
Import ListNotations.
Open Scope R_scope.

Section Fields.
Variable n : nat.                   (* states *)
Variable e : setting.

Local Notation nn := (nn n).
Local Notation p_b := (p_b n). Local Notation p_N := (p_N n). Local Notation p_Bn := (p_Bn n).
Local Notation p_F := (p_F n). Local Notation p_Bf := (p_Bf n). Local Notation p_S := (p_S n).
Local Notation p_s := (p_s n). Local Notation p_h := (p_h n). Local Notation p_k := (p_k n).
Local Notation width := (width n).
Local Notation row := (row n).

(** ** Fields *)

Ltac field_of := unfold TreeDecoderBlocks.row; places; decide_tests; try reflexivity; f_equal; lia.

Lemma row_M i x v : (v < nn)%nat -> row i x (p_M + v)%nat = t_M x v.
Proof. intro. field_of. Qed.
Lemma row_b i x a : (a < n)%nat -> row i x (p_b + a)%nat = t_b x a.
Proof. intro. field_of. Qed.
Lemma row_Bn i x a : (a < n)%nat -> row i x (p_Bn + a)%nat = t_Bn x a.
Proof. intro. field_of. Qed.
Lemma row_Bf i x a : (a < n)%nat -> row i x (p_Bf + a)%nat = t_Bf x a.
Proof. intro. field_of. Qed.
Lemma row_S i x v : (v < nn)%nat -> row i x (p_S + v)%nat = t_S x v.
Proof. intro. field_of. Qed.
Lemma row_s i x a : (a < n)%nat -> row i x (p_s + a)%nat = t_s x a.
Proof. intro. field_of. Qed.
Lemma row_phi i x : row i x p_phi = t_phi x. Proof. field_of. Qed.
Lemma row_f i x : row i x p_f = t_f x. Proof. field_of. Qed.
Lemma row_g i x : row i x p_g = t_g x. Proof. field_of. Qed.
Lemma row_c i x : row i x p_c = t_c x. Proof. field_of. Qed.
Lemma row_one i x : row i x p_one = 1. Proof. field_of. Qed.
Lemma row_i i x : row i x p_i = INR i. Proof. field_of. Qed.
Lemma row_sq i x : row i x p_sq = INR i * INR i. Proof. field_of. Qed.
Lemma row_N i x : row i x p_N = t_N x. Proof. field_of. Qed.
Lemma row_F i x : row i x p_F = t_F x. Proof. field_of. Qed.
Lemma row_h i x : row i x p_h = t_h x. Proof. field_of. Qed.
Lemma row_k i x : row i x p_k = t_k x. Proof. field_of. Qed.

Lemma offset p a : (p + a - p)%nat = a.
Proof. lia. Qed.

(** ** What the MLP of a step makes of a token *)

Definition stepped (jump : bool) (i : nat) (x : tok) : tok :=
  Tok (t_phi x)
      (t_f x + (t_N x * t_F x + (if jump then (1 - t_f x - t_g x) * t_h x else 0)))
      (t_g x + (t_N x * t_F x - t_N x - t_F x))
      (t_c x + (t_N x * (t_phi x - INR i) - t_F x + (if jump then t_k x - t_c x else 0)))
      (fun v => t_M x v
         + ((1 - t_F x) * sum n (fun j => tensor e (v / n) (v mod n) j * t_Bn x j)
            + (1 - t_N x) * sum n (fun j => tensor e (v / n) j (v mod n) * t_Bf x j)
            + (t_N x * t_F x - t_N x - t_F x) * I (v / n)%nat (v mod n)%nat
            + (if jump then sum n (fun m => t_M x (v / n * n + m)%nat * t_S x (m * n + v mod n)%nat)
                            - t_M x v else 0)))
      (fun a => t_b x a
         + (sum n (fun l => sum n (fun r => tensor e a l r * t_Bf x l * t_Bn x r))
            + (if jump then sum n (fun m => t_M x (a * n + m)%nat * t_s x m) else 0)))
      0 (fun _ => 0) 0 (fun _ => 0) (fun _ => 0) (fun _ => 0) 0 0.

Lemma div_mod_below v : (v < nn)%nat -> (v / n < n)%nat /\ (v mod n < n)%nat.
Proof.
  intro Hv. split; [apply Nat.div_lt_upper_bound; unfold TreeDecoderModel.nn in Hv; lia|].
  apply Nat.mod_upper_bound. unfold TreeDecoderModel.nn in Hv. lia.
Qed.

Theorem stepped_row jump i x : forall c, (c < width)%nat ->
  row i x c + step_delta n e jump (row i x) c = row i (stepped jump i x) c.
Proof.
  apply place_cases.
  8: { intros v Hv. rewrite !row_M by exact Hv. unfold step_delta.
       destruct (div_mod_below v Hv) as [Ha Hr].
       replace ((p_M <=? p_M + v) && (p_M + v <? p_M + nn))%nat with true
         by (symmetry; apply andb_true_intro; split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia).
       replace (p_M + v - p_M)%nat with v by lia. cbv zeta. cbn [stepped t_M].
       rewrite row_M by exact Hv. rewrite row_F, row_N.
       rewrite (sum_ext n (fun j => tensor e (v / n) (v mod n) j * row i x (p_Bn + j)%nat)
                  (fun j => tensor e (v / n) (v mod n) j * t_Bn x j))
         by (intros j Hj; now rewrite row_Bn).
       rewrite (sum_ext n (fun j => tensor e (v / n) j (v mod n) * row i x (p_Bf + j)%nat)
                  (fun j => tensor e (v / n) j (v mod n) * t_Bf x j))
         by (intros j Hj; now rewrite row_Bf).
       rewrite (sum_ext n (fun m => row i x (p_M + (v / n * n + m))%nat * row i x (p_S + (m * n + v mod n))%nat)
                  (fun m => t_M x (v / n * n + m)%nat * t_S x (m * n + v mod n)%nat)).
       2: { intros m Hm. pose proof (pair_below n (v / n) m Ha Hm).
            pose proof (pair_below n m (v mod n) Hm Hr). now rewrite row_M, row_S. }
       reflexivity. }
  8: { intros a Ha. rewrite !row_b by exact Ha. unfold step_delta.
       replace ((p_M <=? p_b + a) && (p_b + a <? p_M + nn))%nat with false
         by (symmetry; apply andb_false_iff; right; apply Nat.ltb_ge; places; lia).
       replace ((p_b <=? p_b + a) && (p_b + a <? p_b + n))%nat with true
         by (symmetry; apply andb_true_intro; split; [apply Nat.leb_le|apply Nat.ltb_lt]; lia).
       replace (p_b + a - p_b)%nat with a by lia. cbv zeta. cbn [stepped t_b].
       rewrite (sum_ext n (fun l => sum n (fun r => tensor e a l r * row i x (p_Bf + l)%nat * row i x (p_Bn + r)%nat))
                  (fun l => sum n (fun r => tensor e a l r * t_Bf x l * t_Bn x r))).
       2: { intros l Hl. apply sum_ext. intros r Hr. now rewrite row_Bf, row_Bn. }
       rewrite (sum_ext n (fun m => row i x (p_M + (a * n + m))%nat * row i x (p_s + m)%nat)
                  (fun m => t_M x (a * n + m)%nat * t_s x m)).
       2: { intros m Hm. pose proof (pair_below n a m Ha Hm). now rewrite row_M, row_s. }
       reflexivity. }
  all: intros; unfold step_delta.
  all: match goal with
       | |- context [(p_M <=? ?c)%nat] => set (place := c)
       end.
  all: replace ((p_M <=? place) && (place <? p_M + nn))%nat with false
         by (symmetry; apply andb_false_iff; unfold place; places;
             first [left; apply Nat.leb_gt; lia|right; apply Nat.ltb_ge; lia]).
  all: replace ((p_b <=? place) && (place <? p_b + n))%nat with false
         by (symmetry; apply andb_false_iff; unfold place; places;
             first [left; apply Nat.leb_gt; lia|right; apply Nat.ltb_ge; lia]).
  all: unfold place; rewrite ?row_N, ?row_F, ?row_f, ?row_g, ?row_h, ?row_c, ?row_k, ?row_phi, ?row_i.
  all: unfold TreeDecoderBlocks.row; places; decide_tests; cbn [stepped t_phi t_f t_g t_c t_N t_Bn t_F t_Bf t_S t_s t_h t_k];
       try reflexivity; try ring.
Qed.
End Fields.

(** Fields in place of places. *)
Ltac fields_of := rewrite ?offset, ?row_one, ?row_i, ?row_sq, ?row_phi, ?row_f, ?row_g, ?row_c, ?row_N,
  ?row_F, ?row_h, ?row_k; rewrite ?row_M, ?row_b, ?row_Bn, ?row_Bf, ?row_S, ?row_s by assumption.
