(** * A weighted automaton in a decoder: the weights

    Beyond the paper. The residual stream has a block R that holds A^w - I for the letters w read so
    far in the scan, a scratch block S, the position as i/p and (i/p)^2, and, for the gated MLP, a
    constant one. The begin token is the zero vector. The head of layer l scores
    C (2 j (i - 2^l) - j^2) = - C (j - (i - 2^l))^2 + a term without j; it adds what it reads to R
    and to S. The MLP adds the product of S and R - S to R, and empties S with the same units (GELU,
    SiLU: four for a product of two entries, 4 n^3 in all) or with n^2 further ones (gated: two for
    a product, 2 n^3 + n^2 in all). All layers are alike but for the shift 2^l.

    Main definition: [construction].
    Main theorem:    [sizes]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums DecoderModel.
Import ListNotations.

Section Construction.
Variable n q T p : nat.             (* states, letters, longest word, unit of the positions *)
Variable gated : bool.

Definition n2 : nat := n * n.
Definition at_i : nat := 2 * n2.
Definition at_sq : nat := 2 * n2 + 1.
Definition at_one : nat := 2 * n2 + 2.
Definition d : nat := if gated then 2 * n2 + 3 else 2 * n2 + 2.
Definition d_head : nat := Nat.max n2 2.

Definition letter_entry (a c : nat) : scalar :=
  if ((a <? q) && (c <? n2))%nat then
    if (c / n =? c mod n)%nat then Plus (Transition a (c / n) (c mod n)) (Whole (-1))
    else Transition a (c / n) (c mod n)
  else Whole 0.

Definition position_entry (i c : nat) : scalar :=
  if (c =? at_i)%nat then Ratio i p else
  if (c =? at_sq)%nat then Ratio (i * i) (p * p) else
  if (c =? at_one)%nat then Whole 1 else Whole 0.

Definition query (s c : nat) : form :=
  match c with
  | 0 => (at_i, Score d_head (2 * Z.of_nat (p * p)))
         :: if gated then [(at_one, Score d_head (- 2 * Z.of_nat (p * s)))] else []
  | 1 => if gated then [(at_one, Score d_head (- Z.of_nat (p * p)))] else []
  | _ => []
  end.

Definition query_bias (s c : nat) : scalar :=
  if gated then Whole 0 else
  match c with
  | 0 => Score d_head (- 2 * Z.of_nat (p * s))
  | 1 => Score d_head (- Z.of_nat (p * p))
  | _ => Whole 0
  end.

Definition key (c : nat) : form :=
  match c with 0 => [(at_i, Whole 1)] | 1 => [(at_sq, Whole 1)] | _ => [] end.

Definition val (c : nat) : form := if (c <? n2)%nat then [(c, Whole 1)] else [].
Definition copy (v : nat) : form :=
  if (v <? n2)%nat then [(v, Whole 1); ((n2 + v)%nat, Whole 1)] else [].

Definition head_at (s : nat) : head :=
  Head (columns d d_head (query s)) (query_bias s) (columns d d_head key)
       (columns d d_head val) (lines d_head d copy).

(** The two units of the product S_ik (R_kj - S_kj), and the unit that empties one place of S. *)
Definition product_units (i k j : nat) : list unit_of :=
  pair_of [((n2 + (i * n + k))%nat, Whole 1)]
          [((k * n + j)%nat, Whole 1); ((n2 + (k * n + j))%nat, Whole (-1))]
          [((i * n + j)%nat, Whole 1)].

Definition emptying_unit (v : nat) : unit_of :=
  carrier at_one [((n2 + v)%nat, Whole 1)] [((n2 + v)%nat, Whole (-1))].

(** The four units of the same product without gates; those with j = 0 empty S as well. *)
Definition four_at (i k j : nat) (ex ey even : Z) : unit_of :=
  Unit [((n2 + (i * n + k))%nat, Step ex); ((k * n + j)%nat, Step ey);
        ((n2 + (k * n + j))%nat, Step (- ey))]
       []
       (((i * n + j)%nat, Even even)
        :: if (j =? 0)%nat then [((n2 + (i * n + k))%nat, Odd (- ex))] else []).

Definition four_of (i k j : nat) : list unit_of :=
  [four_at i k j 1 1 1; four_at i k j (-1) (-1) 1; four_at i k j 1 (-1) (-1);
   four_at i k j (-1) 1 (-1)].

Definition triples (f : nat -> nat -> nat -> list unit_of) : list unit_of :=
  flat_map (fun i => flat_map (fun k => flat_map (fun j => f i k j) (seq 0 n)) (seq 0 n)) (seq 0 n).

Definition multiplier : block :=
  if gated then gated_block d (triples product_units ++ map emptying_unit (seq 0 n2))
  else plain_block d (triples four_of).

Definition layer_at (s : nat) : layer := Layer [head_at s] multiplier.

Definition state_reads (j : nat) : form :=
  map (fun i => ((i * n + j)%nat, Initial i)) (seq 0 n)
  ++ if gated then [(at_one, Initial j)] else [].

Definition construction (L : nat) : decoder :=
  Decoder (Table (q + 1) d letter_entry) (Table (T + 1) d position_entry)
          (map (fun l => layer_at (2 ^ l)) (seq 0 L))
          (columns d n state_reads) (fun j => if gated then Whole 0 else Initial j).

(** ** Sizes *)

Lemma triples_length f k : (forall i m j, length (f i m j) = k) ->
  length (triples f) = (k * n ^ 3)%nat.
Proof.
  intro H. unfold triples.
  rewrite (flat_map_length _ (k * n * n)); [rewrite seq_length; simpl; lia|]. intro i.
  rewrite (flat_map_length _ (k * n)); [rewrite seq_length; simpl; lia|]. intro m.
  rewrite (flat_map_length _ k) by (intro; apply H). rewrite seq_length. lia.
Qed.

Definition hidden (B : block) : nat :=
  match B with Gated Win _ _ => wide Win | Plain Win _ _ _ => wide Win end.

Theorem sizes L : let model := construction L in
  length (layers model) = L
  /\ high (W_pos model) = (T + 1)%nat
  /\ high (W_E model) = (q + 1)%nat
  /\ high (W_U model) = (2 * n ^ 2 + (if gated then 3 else 2))%nat
  /\ wide (W_U model) = n
  /\ forall ly, In ly (layers model) ->
       length (heads ly) = 1%nat
       /\ (forall H, In H (heads ly) -> wide (W_Q H) = Nat.max (n ^ 2) 2
             /\ wide (W_K H) = Nat.max (n ^ 2) 2 /\ wide (W_V H) = Nat.max (n ^ 2) 2)
       /\ hidden (mlp ly) = (if gated then 2 * n ^ 3 + n ^ 2 else 4 * n ^ 3)%nat.
Proof.
  intro model. assert (E : (n ^ 2 = n * n)%nat) by (simpl; lia).
  cbn [model construction layers W_pos W_E W_U high wide columns].
  split; [now rewrite map_length, seq_length|]. split; [reflexivity|]. split; [reflexivity|].
  split; [unfold d, n2; rewrite E; destruct gated; lia|]. split; [reflexivity|].
  intros ly Hly. apply in_map_iff in Hly. destruct Hly as (l & <- & _).
  cbn [layer_at heads mlp]. split; [reflexivity|]. split.
  - intros H [<-|[]]. cbn [head_at W_Q W_K W_V wide columns]. unfold d_head, n2. rewrite E. auto.
  - unfold multiplier. destruct gated; cbn [hidden gated_block plain_block wide columns].
    + rewrite app_length, (triples_length _ 2), map_length, seq_length by reflexivity.
      unfold n2. lia.
    + now rewrite (triples_length _ 4).
Qed.
End Construction.
