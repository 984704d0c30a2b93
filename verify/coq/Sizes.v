(** * Sizes of the built model, and the width equation of Theorem 2

    Theorem 1 as restated in Appendix B.1 and the hidden width in Appendix B.2. The sizes are read
    off the very model that [theorem1] is about, as equalities for all n and L.

    Where we differ from the print: the width of a head's queries and keys is 2, only its values
    have width 2n^2 + 2; the width 2n^2 of the bilinear block counts its two inputs together.
    The printed binomial C(n^2 + 2, 2) is not 2n^4 + 3n^2 + 1 for any n >= 1; C(2n^2 + 2, 2) is,
    and with the printed m_1 = 2n^2 + 2 the cited theorem asks for 2n^4 + 7n^2 + 6 units.

    Main definitions: [depth], [embedding_dimension], [attention_width], [bilinear_width], [binomial].
    Main theorems:    [depth_is_log], [depth_any_length], [sizes_of_theorem1], [width_refuted],
                      [width_charitable], [width_as_invoked], [no_small_tensor]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Model.
Import ListNotations.
Open Scope nat_scope.

Definition depth (model : transformer) : nat := length (layers model).
Definition embedding_dimension (model : transformer) : nat := rows (Wreadout model).
Definition head_count (ly : layer) : nat := length (heads ly).
Definition value_width (h : head) : nat := cols (WV h).
Definition query_width (h : head) : nat := cols (WQ h).
Definition attention_width (h : head) : nat := Nat.max (value_width h) (query_width h).
Definition bilinear_width (B : bilinear) : nat := cols (WselL B) + cols (WselR B).
Definition bilinear_outputs (B : bilinear) : nat := rows (Wout B).

Theorem depth_is_log n L scale :
  depth (construction n L scale) = L /\ Nat.log2 (T L) = L.
Proof.
  unfold depth, construction, T. cbn [layers]. rewrite map_length, seq_length.
  split; [reflexivity|]. apply Nat.log2_pow2. lia.
Qed.

(** For every length T the smallest L with T <= 2^L is ceil(log2 T). *)
Theorem depth_any_length T : 1 <= T ->
  T <= 2 ^ Nat.log2_up T /\ forall L, T <= 2 ^ L -> Nat.log2_up T <= L.
Proof.
  intro HT. split.
  - destruct (Nat.eq_dec T 1) as [->|]; [simpl; lia|]. apply Nat.log2_up_spec. lia.
  - intros L HL. apply Nat.log2_up_le_pow2; lia.
Qed.

Theorem sizes_of_theorem1 n L scale :
  embedding_dimension (construction n L scale) = 2 * n ^ 2 + 2
  /\ cols (embedding n L) = 2 * n ^ 2 + 2
  /\ rows (embedding n L) = 2 * 2 ^ L
  /\ forall ly, In ly (layers (construction n L scale)) ->
       head_count ly = 2
       /\ (forall h, In h (heads ly) ->
             value_width h = 2 * n ^ 2 + 2 /\ query_width h = 2
             /\ attention_width h = 2 * n ^ 2 + 2)
       /\ bilinear_width (feedforward ly) = 2 * n ^ 2
       /\ bilinear_outputs (feedforward ly) = n ^ 2.
Proof.
  assert (E : n ^ 2 = n * n) by (simpl; lia). rewrite E.
  repeat split; try reflexivity; cbn [construction layers] in *.
  - apply in_map_iff in H. destruct H as (l & <- & _). reflexivity.
  - apply in_map_iff in H. destruct H as (l & <- & _).
    destruct H0 as [<-|[<-|[]]]; reflexivity.
  - apply in_map_iff in H. destruct H as (l & <- & _).
    destruct H0 as [<-|[<-|[]]]; reflexivity.
  - apply in_map_iff in H. destruct H as (l & <- & _).
    destruct H0 as [<-|[<-|[]]]; unfold attention_width, value_width, query_width; cbn [WV WQ];
      unfold W_V_left, W_V_right, W_Q, keep, below; cbn [cols]; unfold d, n2; lia.
  - apply in_map_iff in H. destruct H as (l & <- & _).
    unfold bilinear_width. cbn. unfold n2. lia.
  - apply in_map_iff in H. destruct H as (l & <- & _). reflexivity.
Qed.

(** ** The hidden width of Theorem 2 *)

Fixpoint binomial (m k : nat) : nat :=
  match m, k with
  | _, 0 => 1
  | 0, S _ => 0
  | S m', S k' => binomial m' k' + binomial m' (S k')
  end.

Lemma binomial_1 m : binomial m 1 = m.
Proof. induction m; simpl; [reflexivity|]. rewrite IHm. destruct m; simpl; lia. Qed.

Lemma binomial_2 m : 2 * binomial m 2 = m * (m - 1).
Proof.
  induction m as [|m IH]; [reflexivity|].
  change (binomial (S m) 2) with (binomial m 1 + binomial m 2). rewrite binomial_1. nia.
Qed.

Theorem width_refuted n : 1 <= n -> binomial (n ^ 2 + 2) 2 <> 2 * n ^ 4 + 3 * n ^ 2 + 1.
Proof.
  intros Hn H. pose proof (binomial_2 (n ^ 2 + 2)) as E. rewrite H in E.
  assert (E4 : n ^ 4 = n ^ 2 * n ^ 2) by (simpl; lia). rewrite E4 in E.
  assert (1 <= n ^ 2) by (simpl; nia). nia.
Qed.

Theorem width_charitable n : binomial (2 * n ^ 2 + 2) 2 = 2 * n ^ 4 + 3 * n ^ 2 + 1.
Proof.
  pose proof (binomial_2 (2 * n ^ 2 + 2)) as E.
  assert (E4 : n ^ 4 = n ^ 2 * n ^ 2) by (simpl; lia). rewrite E4. nia.
Qed.

Theorem width_as_invoked n : binomial ((2 * n ^ 2 + 2) + 2) 2 = 2 * n ^ 4 + 7 * n ^ 2 + 6.
Proof.
  pose proof (binomial_2 ((2 * n ^ 2 + 2) + 2)) as E.
  assert (E4 : n ^ 4 = n ^ 2 * n ^ 2) by (simpl; lia). rewrite E4. nia.
Qed.

(** Lemma 1 as printed: a mode of length n cannot take a vector of length n^2 unless n <= 1. *)
Theorem no_small_tensor n : n = n ^ 2 <-> n <= 1.
Proof. simpl. nia. Qed.
