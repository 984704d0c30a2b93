(** * The model of Theorem 2 with an MLP in every layer

    Appendix B.2. The transformer of Model.v, with sqrt C on queries and keys and the softmax, has
    in every layer a network with one hidden layer in the place of the exact product. After l layers
    each row carries products that the network computes from two weighted means ([carried]).

    Main definitions: [mlp_transformer], [mlp_forward], [with_mlp], [soft_model], [mlp_simulator],
                      [carried].
    Main theorems:    [mlp_layer_carries], [mlp_output_reads]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Gap Model Attention Theorem1 Softmax Recursion Activation MLP.
Import ListNotations.
Open Scope R_scope.

(** ** A transformer with an MLP in every layer, and its forward pass *)

Record mlp_layer := MLPLayer { mlp_heads : list head; mlp_WO : matrix; network : mlp }.

Record mlp_transformer := MLPTransformer
  { mlp_layers : list mlp_layer; mlp_encoding : matrix; mlp_readout : matrix }.

(** The same heads, W_O, encoding and readout, with an MLP for the bilinear block. *)
Definition with_mlp (B : mlp) (model : transformer) : mlp_transformer :=
  MLPTransformer (map (fun ly => MLPLayer (heads ly) (WO ly) B) (layers model))
                 (encoding model) (Wreadout model).

Definition soft_model (n L extra : nat) : mlp_transformer :=
  with_mlp (multiplier n extra) (construction n L RootC).

Section Forward.
Context (alpha : nat -> R) (A : nat -> mat) (C : R) (filter : mat -> mat) (tokens : nat)
  (sigma : R -> R) (b h s : R).

Definition mlp_attention (ly : mlp_layer) (X : mat) : mat :=
  apply alpha A C (concat (map (fun hd => (cols (WV hd), run_head alpha A C filter tokens X hd))
                               (mlp_heads ly))) (mlp_WO ly).

Definition run_mlp_layer (P : matrix) (X : mat) (ly : mlp_layer) : mat :=
  fun r c => run_mlp sigma b h s (network ly) (mlp_attention ly X) r c + real alpha A C P r c.

Definition mlp_forward (model : mlp_transformer) (X : mat) : mat :=
  apply alpha A C (fold_left (run_mlp_layer (mlp_encoding model)) (mlp_layers model) X)
        (mlp_readout model).
End Forward.

Definition mlp_simulator {Sigma : Type} (n L extra : nat) (alpha : nat -> R) (A : Sigma -> mat)
  (C : R) (sigma : R -> R) (b h s : R) (x : nat -> Sigma) : mat :=
  let letters := fun t => A (x t) in
  mlp_forward alpha letters C (softmax (N L)) (N L) sigma b h s (soft_model n L extra)
    (real alpha letters C (embedding n L)).

(** ** What the model carries *)

Section Carried.
Context (n L extra : nat) (alpha : nat -> R) (A : nat -> mat) (C : R) (sigma : R -> R) (b h s : R).

Local Notation N := (N L).
Local Notation n2 := (n2 n).
Local Notation d := (d n).
Local Notation carries := (carries n L alpha A C).
Local Notation attend := (attend L (sqrt C)).
Local Notation product := (approximate n sigma b h s).
Local Notation P := (Matrix N d (position_entry n L)).
Local Notation run := (run_mlp_layer alpha A C (softmax N) N sigma b h s P).

Fixpoint carried (l r : nat) : mat :=
  match l with
  | O => token L A r
  | S l' => product (mix N (attend (width (S l')) r) (carried l')) (mix N (attend 0 r) (carried l'))
  end.

Definition layer_of (l : nat) : mlp_layer :=
  MLPLayer (heads (layer_at n L RootC l)) (WO (layer_at n L RootC l)) (multiplier n extra).

Lemma approximate_meq X X' Y Y' : meq n X X' -> meq n Y Y' -> meq n (product X Y) (product X' Y').
Proof.
  intros HX HY i j Hi Hj. unfold approximate. apply sum_ext. intros k Hk.
  now rewrite HX, HY by auto.
Qed.

Lemma attention_of_layer l X r c :
  mlp_attention alpha A C (softmax N) N (layer_of l) X r c
  = attention alpha A C (softmax N) N (layer_at n L RootC l) X r c.
Proof. reflexivity. Qed.

Lemma blocks_are_means l X M r : carries X M -> (r < N)%nat ->
  let Y := mlp_attention alpha A C (softmax N) N (layer_of l) X in
  meq n (block n 0 Y r) (mix N (attend (width l) r) M)
  /\ meq n (block n n2 Y r) (mix N (attend 0 r) M).
Proof.
  intros HX Hr Y.
  assert (HY : forall c, (c < d)%nat -> Y r c
    = if (c <? n2)%nat then mmul N (softmax N (shifted L (sqrt C) (width l))) X r c
      else if (c <? 2 * n2)%nat then mmul N (softmax N (shifted L (sqrt C) 0)) X r c else 0).
  { intros c Hc. unfold Y. rewrite attention_of_layer.
    apply (attention_means n L alpha A C RootC (sqrt C) (softmax N)) with (M := M); auto.
    apply softmax_local. }
  split; intros i j Hi Hj; pose proof (index_lt n i j Hi Hj); unfold block;
    rewrite HY by (unfold Model.d; lia).
  - destruct (Nat.ltb_spec (0 + (i * n + j)) n2); [|lia]. rewrite Nat.add_0_l.
    rewrite (mean_left n L alpha A C _ X M) by auto. unfold vec. now rewrite divn, modn.
  - destruct (Nat.ltb_spec (n2 + (i * n + j)) n2); [lia|].
    destruct (Nat.ltb_spec (n2 + (i * n + j)) (2 * n2)); [|lia].
    rewrite (mean_right n L alpha A C _ X M) by auto. unfold vec. now rewrite divn, modn.
Qed.

Theorem mlp_layer_carries l X M : carries X M ->
  carries (run X (layer_of l))
          (fun r => product (mix N (attend (width l) r) M) (mix N (attend 0 r) M)).
Proof.
  intros HX r c Hr Hc. unfold run_mlp_layer. cbn [network layer_of].
  rewrite multiplier_computes by exact Hc. cbv zeta.
  destruct (blocks_are_means l X M r HX Hr) as [HL HR]. cbv zeta in HL, HR.
  pose proof (approximate_meq _ _ _ _ HL HR) as H.
  assert (Hv : forall v, (v < n2)%nat -> (v / n < n /\ v mod n < n)%nat).
  { intros v Hv. assert (0 < n)%nat by (unfold Model.n2 in Hv; destruct n; lia). split.
    - apply Nat.div_lt_upper_bound; unfold Model.n2 in Hv; lia.
    - apply Nat.mod_upper_bound; lia. }
  unfold row, real. cbn [entry].
  destruct (Nat.ltb_spec c n2) as [H1|]; [|destruct (Nat.ltb_spec c (2 * n2)) as [H2|]].
  - unfold vec. rewrite H by (apply Hv; lia). unfold position_entry. bool_cases; try lia.
    cbn [value]. ring.
  - unfold vec. rewrite H by (apply Hv; lia). unfold position_entry. bool_cases; try lia.
    cbn [value]. ring.
  - ring.
Qed.

Lemma model_carried l : (l <= L)%nat ->
  carries (fold_left run (map layer_of (seq 1 l)) (real alpha A C (embedding n L))) (carried l).
Proof.
  induction l as [|l IH]; intro Hl; [apply embedding_carries|].
  rewrite seq_S, map_app, fold_left_app. cbn [map fold_left].
  apply mlp_layer_carries. apply IH. lia.
Qed.
End Carried.

Theorem mlp_output_reads {Sigma : Type} n L extra alpha (A : Sigma -> mat) C sigma b h s x r j :
  (r < N L)%nat -> (j < n)%nat ->
  mlp_simulator n L extra alpha A C sigma b h s x r j
  = sum n (fun i => alpha i * carried n L (fun t => A (x t)) C sigma b h s L r i j).
Proof.
  intros Hr Hj. unfold mlp_simulator, mlp_forward.
  unfold soft_model, with_mlp, construction. cbn [mlp_readout mlp_encoding mlp_layers].
  cbn [layers encoding Wreadout]. rewrite map_map.
  apply (readout_reads n); [exact Hj|]. intros v Hv.
  eapply (carries_right n L); [now apply (model_carried n L extra)|exact Hr|exact Hv].
Qed.
