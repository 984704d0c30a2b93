(** * No sizes of the theorems are enough for ReLU

    Sections 3.2 and 4.2. [Fits.fits] with [Fits.MLPs], by which Theorems 2 and 3 say what their transformers
    are, also says what no transformer with a piecewise linear activation is: ReluTransformers.v and ReluTrees.v
    in its words. Main.v has both, with the same sizes ([theorem2_fails], [theorem3_fails]).

    Main theorems: [mlps_within], [mlps_fail], [mlps_fail_trees]. *)

From Coq Require Import Reals ZArith List Lia Arith FunctionalExtensionality.
From Assay Require Import Compat Sums Trees Theorem3 Pass Fits ReluTransformers ReluTrees.
From Assay Require ReluSpan Simulation TreeSimulation.
Open Scope R_scope.

(** The MLPs of Fits.v are those of ReluSpan.v. *)
Theorem mlps_within s sigma m : fits s (MLPs sigma) m ->
  ReluSpan.within sigma (depth s) (head_count s) (hidden_width s) (ReluSpan.without_norms m).
Proof.
  intro F. split; [cbn; now rewrite map_length, (proj1 F)|].
  intros ly Hly. apply in_map_iff in Hly as (ly' & <- & Hin).
  split; [|split; [apply ReluSpan.nothing_normalises|split; [apply ReluSpan.nothing_normalises|]]].
  - exact (proj1 (proj1 (Forall_forall _ _) (proj1 (proj2 F)) ly' Hin)).
  - destruct (mlp_blocks s sigma m ly' F Hin) as (W1 & b1 & W2 & b2 & Hw & _ & H). now exists W1, b1, W2, b2.
Qed.

(** Words: any N tokens, the letters anywhere, the states read anywhere. *)
Theorem mlps_fail (sigma : R -> R) (T L h N : nat) : piecewise_linear sigma -> (2 <= T)%nat ->
  exists n0, forall n W, (n0 <= n)%nat ->
  exists K (alpha : nat -> R) (A : letters_below K -> mat) (eps : R), 0 < eps /\
  forall s m token (place : nat -> Z) (row : nat -> nat),
    fits s (MLPs sigma) m -> depth s = L -> head_count s = h -> hidden_width s = W ->
    (forall t, (t <= T)%nat -> (row t < N)%nat) ->
    ~ Simulation.approximately_simulates n T alpha A eps
        (fun w t => Pass.forward N m (fun r => token (Simulation.letter w (place r)) r) (row t)).
Proof.
  intros HP HT. destruct (piecewise_linear_fails sigma T L h N HP HT) as (n0 & H). exists n0.
  intros n W Hn. destruct (H n W Hn) as (K & alpha & A & eps & He & G).
  exists K, alpha, A, eps. split; [exact He|]. intros s m token place row F <- <- <- Hrow S.
  refine (G _ (fun r o => token (if (place r <=? 0)%Z then None else o) r)
    (fun r => (Z.to_nat (place r) - 1)%nat) row (mlps_within s sigma m F) Hrow _). intros w Hw.
  rewrite ReluSpan.without_norms_pass. specialize (S w Hw). cbv beta in S.
  replace (reads_letters _ _ w) with (fun r => token (Simulation.letter w (place r)) r); [exact S|].
  apply functional_extensionality. intro r. unfold reads_letters, Simulation.letter. now destruct (_ <=? _)%Z.
Qed.

(** Trees: the symbols of str(t), each state read where its subtree begins. *)
Theorem mlps_fail_trees (sigma : R -> R) (T L h : nat) : piecewise_linear sigma -> (4 <= T)%nat ->
  exists n0, forall n W, (n0 <= n)%nat ->
  exists K (leaf : letters_below K -> nat -> R) (tensor : nat -> nat -> nat -> R) (eps : R), 0 < eps /\
  forall s m token, fits s (MLPs sigma) m -> depth s = L -> head_count s = h -> hidden_width s = W ->
    ~ TreeSimulation.approximately_simulates_trees n T leaf tensor (fun _ => True) eps
        (fun w => Pass.forward (length w) m (fun r => token (nth_error w r) r)).
Proof.
  intros HP HT. destruct (piecewise_linear_fails_trees sigma T L h (fun l => l) HP HT) as (n0 & H). exists n0.
  intros n W Hn. destruct (H n W Hn) as (K & leaf & tensor & eps & He & G).
  exists K, leaf, tensor, eps. split; [exact He|]. intros s m token F <- <- <- S.
  apply (G _ (fun r o => token o r) (fun r => r) (fun r => r) (mlps_within s sigma m F) ltac:(lia)).
  intros t i d u. rewrite ReluSpan.without_norms_pass. exact (S t i d u).
Qed.
