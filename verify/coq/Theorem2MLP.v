(** * Theorem 2 as a whole: softmax attention and an MLP in every layer

    Theorem 2 (Section 3.2, proof in Appendix B.2), repaired. For every automaton over a finite
    alphabet, every T >= 1, every activation curved at some b with c <> 0, and every eps > 0, all
    large C, all small steps h and all scales s near 1/(4 h^2 c) keep the Frobenius norm of the
    error of all T+1 states below eps (Definition 3.2), for all words at once. Depth, embedding,
    heads and widths are sizes of data that do not depend on eps; the MLP has 4 n^3 units, or any
    larger number, the printed one for example.

    Where we differ from the print: activation and biases are named, the error recursion is the
    corrected one, depth is rounded up. The MLP is right on bounded rows only: while errors are at most 1,
    rows stay below mu + 1 (Rates.v).

    Main definitions: [has_sizes].
    Main theorems:    [mlp_precision], [theorem2_mlp], [sizes_of_theorem2],
                      [theorem2_whole]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Gap Model Sizes Attention Theorem1 Softmax Recursion Theorem2.
From Assay Require Import Activation MLP MLPModel Rates.
Import ListNotations.
Open Scope R_scope.

(** ** The carried matrices, at every layer *)

Lemma norm_small n M q : 0 <= q -> (forall i j, (i < n)%nat -> (j < n)%nat -> Rabs (M i j) <= q) ->
  norm n M <= INR n * q.
Proof.
  intros Hq H. apply maxover_le; [apply Rmult_le_pos; [apply pos_INR|exact Hq]|].
  intros i Hi. rewrite <- sum_const. apply sum_le. auto.
Qed.

Theorem mlp_precision {Sigma : Type} n L (A : Sigma -> mat) (letters : list Sigma) sigma b c :
  (forall a, In a letters) -> curved sigma b c -> c <> 0 -> forall eps, 0 < eps ->
  exists C0 h0 tau, 0 <= C0 /\ 0 < h0 /\ 0 < tau /\
    forall C h s, C0 <= C -> 0 < h <= h0 -> Rabs (4 * h ^ 2 * c * s - 1) <= tau ->
    forall x l r, (l <= L)%nat -> (r < N L)%nat ->
      norm n (mminus (carried n L (fun t => A (x t)) C sigma b h s l r)
        (scanned n L (fun t => A (x t)) l r)) <= eps.
Proof.
  intros Hall Hcurved Hc eps Heps. destruct (finite_bound n A letters Hall) as (m & Hm & HA).
  pose proof (size_1 m Hm) as H1. pose proof (distance_pos m Hm) as HD.
  destruct (budget_small (size m) (distance m) L eps H1 HD Heps) as (t & Ht & Hs).
  destruct (leaks_small L t Ht) as (C0 & HC0 & Hl).
  set (K := INR n * INR n). assert (HK : 0 <= K) by (apply Rmult_le_pos; apply pos_INR).
  set (rho := t / (K + 1)). assert (Hrho : 0 < rho) by (apply Rdiv_lt_0_compat; lra).
  assert (Heta : 0 <= INR n * (INR n * rho) <= t).
  { rewrite <- Rmult_assoc. fold K. split; [apply Rmult_le_pos; lra|]. left. now apply part_small. }
  set (B := size m L + 1). pose proof (H1 L).
  destruct (units_multiply sigma b c B Hcurved Hc ltac:(unfold B; lra) rho Hrho)
    as (h0 & tau & Hh0 & Htau & Hunits).
  exists C0, h0, tau. split; [exact HC0|]. split; [exact Hh0|]. split; [exact Htau|].
  intros C h s HC Hh Hsc x l r Hll Hr. eapply Rle_trans.
  - apply (mlp_budget_bounds n L (norm n) (row_sum_norm n) A (size m) (distance m)
      (fun l w _ => size_words n A m Hm HA l w) (fun l u v _ => distance_words n A m Hm HA l u v) (sqrt C) t) with (B := B) (rho := rho); auto; try lra.
    + apply Hl. rewrite sqrt_def; lra.
    + apply norm_entry.
    + apply norm_small.
    + intros k Hk. unfold B. apply Rplus_le_compat_r. apply Rle_pow; [exact Hm|].
      apply Nat.pow_le_mono_r; lia.
    + intros k Hk. apply Hs; auto; lra || lia.
  - apply Hs; auto; lra.
Qed.

(** ** Theorem 2 *)

(** Definition 3.2 for every length T >= 1. *)
Theorem theorem2_mlp {Sigma : Type} n T extra (alpha : nat -> R) (A : Sigma -> mat)
    (letters : list Sigma) sigma b c :
  (1 <= T)%nat -> (forall a, In a letters) -> curved sigma b c -> c <> 0 -> forall eps, 0 < eps ->
  let L := Nat.log2_up T in
  exists C0 h0 tau, 0 <= C0 /\ 0 < h0 /\ 0 < tau /\
    forall C h s, C0 <= C -> 0 < h <= h0 -> Rabs (4 * h ^ 2 * c * s - 1) <= tau -> forall x,
      sqrt (sum (S T) (fun t => sum n (fun j =>
        (mlp_simulator n L extra alpha A C sigma b h s x (t + 2 ^ L - 1)%nat j
         - state n alpha (fun t => A (x t)) t j) ^ 2))) < eps.
Proof.
  intros HT Hall Hcurved Hc eps Heps L.
  destruct (depth_any_length T HT) as [HTL _]. fold L in HTL.
  set (a := sum n (fun i => Rabs (alpha i))). set (K := INR (S T) * INR n).
  assert (Ha : 0 <= a) by (apply sum_nonneg; intros; apply Rabs_pos).
  assert (HK : 0 <= K) by (apply Rmult_le_pos; apply pos_INR).
  assert (Hq : 0 < eps / (K + 1)) by (apply Rdiv_lt_0_compat; lra).
  destruct (mlp_precision n L A letters sigma b c Hall Hcurved Hc (eps / (K + 1) / (a + 1)))
    as (C0 & h0 & tau & HC0 & Hh0 & Ht & H).
  { apply Rdiv_lt_0_compat; lra. }
  exists C0, h0, tau. split; [exact HC0|]. split; [exact Hh0|]. split; [exact Ht|].
  intros C h s HC Hh Hs x.
  apply (frobenius_below (S T) n (fun t j =>
    mlp_simulator n L extra alpha A C sigma b h s x (t + 2 ^ L - 1)%nat j
    - state n alpha (fun t => A (x t)) t j)); [exact Heps|].
  intros t j HtT Hj. left.
  apply (state_close n L alpha A x (carried n L (fun t => A (x t)) C sigma b h s L)); auto; [lia|].
  apply mlp_output_reads; auto. pose proof (Nat.pow_nonzero 2 L ltac:(lia)). unfold N, Model.T. lia.
Qed.

(** ** The sizes, read off the model; they do not depend on eps *)

Definition mlp_depth (model : mlp_transformer) : nat := length (mlp_layers model).
Definition mlp_embedding (model : mlp_transformer) : nat := rows (mlp_readout model).

Definition has_sizes (n depth width : nat) (model : mlp_transformer) : Prop :=
  (mlp_depth model = depth /\ mlp_embedding model = 2 * n ^ 2 + 2 /\
   forall ly, In ly (mlp_layers model) ->
     length (mlp_heads ly) = 2
     /\ (forall hd, In hd (mlp_heads ly) -> attention_width hd = 2 * n ^ 2 + 2)
     /\ inputs (network ly) = 2 * n ^ 2 + 2 /\ outputs (network ly) = 2 * n ^ 2 + 2
     /\ units (network ly) = width)%nat.

Theorem sizes_of_theorem2 n L extra :
  has_sizes n L (4 * n ^ 3 + extra) (soft_model n L extra).
Proof.
  destruct (sizes_of_theorem1 n L RootC) as (Hd & _ & _ & Hly).
  assert (E : (2 * n ^ 2 + 2 = d n)%nat) by (unfold d, n2; simpl; lia).
  split; [|split; [exact Hd|]].
  - unfold mlp_depth, soft_model, with_mlp. cbn [mlp_layers]. rewrite map_length.
    apply (depth_is_log n L RootC).
  - intros ly Hin. apply in_map_iff in Hin. destruct Hin as (l & <- & Hl).
    destruct (Hly l Hl) as (H2 & Hw & _). cbn [mlp_heads network multiplier inputs outputs units].
    repeat split; auto.
    + intros hd Hhd. apply (Hw hd Hhd).
    + pose proof (width_slim n) as [W _]. cbn [multiplier units] in W. lia.
Qed.

(** Theorem 2 with every width of at least 4 n^3: sizes first, then every precision. *)
Theorem theorem2_whole {Sigma : Type} n T width (alpha : nat -> R) (A : Sigma -> mat)
    (letters : list Sigma) sigma :
  (1 <= T)%nat -> (4 * n ^ 3 <= width)%nat -> (forall a, In a letters) -> usable sigma ->
  let L := Nat.log2_up T in
  let extra := (width - 4 * n ^ 3)%nat in
  has_sizes n L width (soft_model n L extra) /\
  forall eps, 0 < eps -> exists C b h s, forall x,
    sqrt (sum (S T) (fun t => sum n (fun j =>
      (mlp_simulator n L extra alpha A C sigma b h s x (t + 2 ^ L - 1)%nat j
       - state n alpha (fun t => A (x t)) t j) ^ 2))) < eps.
Proof.
  intros HT Hw Hall (b & c & Hcurved & Hc) L extra. split.
  - pose proof (sizes_of_theorem2 n L extra) as H.
    now replace (4 * n ^ 3 + extra)%nat with width in H by (unfold extra; lia).
  - intros eps Heps.
    destruct (theorem2_mlp n T extra alpha A letters sigma b c HT Hall Hcurved Hc eps Heps)
      as (C0 & h0 & tau & HC0 & Hh0 & Ht & H).
    exists C0, b, h0, (/ (4 * h0 ^ 2 * c)). apply H; try lra.
    rewrite Rinv_r, Rminus_diag_eq, Rabs_R0; try lra. now apply scale_nonzero.
Qed.

