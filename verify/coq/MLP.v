(** * An MLP that multiplies two matrices, with its width

    Appendix B.2, "MLP": a network with one hidden layer reads vec A from the left block of a row
    and vec B from the right one, and writes vec (A B) into both, up to eta. It is given as data:
    four units for each of the n^3 products of entries, 4 n^3 in all, and any number of units beside
    them whose output is ignored, so that the printed width 2n^4 + 3n^2 + 1 is met as well.

    Where we differ from the print: the paper gives no weights. All biases of the hidden layer are
    b, the point at which the activation is curved; the position is no input of the product.

    Main definitions: [mlp], [run_mlp], [multiplier], [approximate] (the product it computes).
    Main theorems:    [multiplier_computes], [mlp_multiplies], [width_slim], [slim_multiplies]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Gap Model Attention Theorem1 Softmax Recursion Activation.
Open Scope R_scope.

(** ** A network with one hidden layer, as exact data *)

Inductive mlp_weight : Type :=
| Nought
| Step (k : Z)                     (* k h *)
| Scale (k : Z)                    (* k s *)
| Point.                           (* b *)

Record mlp := MLP
  { inputs : nat; units : nat; outputs : nat;
    inward : nat -> nat -> mlp_weight; bias : nat -> mlp_weight;
    outward : nat -> nat -> mlp_weight; offset : nat -> mlp_weight }.

Section Run.
Variable sigma : R -> R.
Variable b h s : R.                 (* point, step and scale *)

Definition number (w : mlp_weight) : R :=
  match w with Nought => 0 | Step k => IZR k * h | Scale k => IZR k * s | Point => b end.

Definition reads (B : mlp) (Y : mat) (r u : nat) : R :=
  sum (inputs B) (fun p => Y r p * number (inward B p u)) + number (bias B u).

(** sigma(Y W_1 + b_1) W_2 + b_2, row by row. *)
Definition run_mlp (B : mlp) (Y : mat) : mat := fun r c =>
  sum (units B) (fun u => sigma (reads B Y r u) * number (outward B u c)) + number (offset B c).
End Run.

(** ** The units: 4 t + q serves the t-th product a_ik b_kj, with t = (i n + k) n + j *)

Section Multiplier.
Variable n : nat.
Variable extra : nat.               (* units whose output is ignored *)

Local Notation n2 := (n2 n).
Local Notation d := (d n).

Definition left_sign (q : nat) : Z := match q with 0 => 1 | 1 => -1 | 2 => 1 | _ => -1 end.
Definition right_sign (q : nat) : Z := match q with 0 => 1 | 1 => -1 | 2 => -1 | _ => 1 end.
Definition out_sign (q : nat) : Z := match q with 0 => 1 | 1 => 1 | 2 => -1 | _ => -1 end.

Definition left_place (t : nat) : nat := t / n.
Definition right_place (t : nat) : nat := n2 + ((t / n) mod n * n + t mod n).
Definition out_place (t : nat) : nat := t / n / n * n + t mod n.

Definition slim_units : nat := n * n * n * 4.

Definition inward_entry (p u : nat) : mlp_weight :=
  if (slim_units <=? u)%nat then Nought else
  if (p =? left_place (u / 4))%nat then Step (left_sign (u mod 4)) else
  if (p =? right_place (u / 4))%nat then Step (right_sign (u mod 4)) else Nought.

Definition outward_entry (u c : nat) : mlp_weight :=
  if (slim_units <=? u)%nat then Nought else
  if ((c =? out_place (u / 4)) || (c =? n2 + out_place (u / 4)))%nat
  then Scale (out_sign (u mod 4)) else Nought.

Definition multiplier : mlp :=
  MLP d (slim_units + extra) d inward_entry (fun _ => Point) outward_entry (fun _ => Nought).

Context (sigma : R -> R) (b h s : R).

Definition approximate (X Y : mat) : mat :=
  fun i j => sum n (fun k => four_units sigma b h s (X i k) (Y k j)).

(** The matrix that a row holds from a coordinate on. *)
Definition block (from : nat) (Y : mat) (r : nat) : mat := fun i j => Y r (from + (i * n + j))%nat.

Lemma sum_two k f p q : (p < k)%nat -> (q < k)%nat -> p <> q ->
  (forall m, (m < k)%nat -> m <> p -> m <> q -> f m = 0) -> sum k f = f p + f q.
Proof.
  intros Hp Hq Hpq H. rewrite (sum_split k f p Hp). f_equal.
  rewrite (sum_single k _ q Hq); [destruct (Nat.eqb_spec q p); [lia|reflexivity]|].
  intros m Hm Hne. destruct (Nat.eqb_spec m p); auto.
Qed.

Lemma index_lt i j : (i < n)%nat -> (j < n)%nat -> (i * n + j < n2)%nat.
Proof. unfold Model.n2. nia. Qed.

Lemma unit_div t q : (q < 4)%nat -> ((t * 4 + q) / 4 = t)%nat.
Proof. intro. rewrite div_add_l, Nat.div_small; lia. Qed.

Lemma unit_mod t q : (q < 4)%nat -> ((t * 4 + q) mod 4 = q)%nat.
Proof. intro. rewrite Nat.add_comm, mod_add, Nat.mod_small; lia. Qed.

Lemma unit_lt i k j q : (i < n)%nat -> (k < n)%nat -> (j < n)%nat -> (q < 4)%nat ->
  (((i * n + k) * n + j) * 4 + q < slim_units)%nat.
Proof.
  intros Hi Hk Hj Hq. unfold slim_units. pose proof (index_lt i k Hi Hk). unfold Model.n2 in *. nia.
Qed.

Lemma places i k j : (k < n)%nat -> (j < n)%nat ->
  let t := ((i * n + k) * n + j)%nat in
  left_place t = (i * n + k)%nat /\ right_place t = (n2 + (k * n + j))%nat
  /\ out_place t = (i * n + j)%nat.
Proof.
  intros Hk Hj t. unfold left_place, right_place, out_place, t.
  rewrite !(divn n _ j), !(modn n _ j), (divn n i k), (modn n i k) by auto. auto.
Qed.

Lemma unit_reads Y r i k j q :
  (i < n)%nat -> (k < n)%nat -> (j < n)%nat -> (q < 4)%nat ->
  reads b h s multiplier Y r (((i * n + k) * n + j) * 4 + q)%nat
  = IZR (left_sign q) * h * block 0 Y r i k + IZR (right_sign q) * h * block n2 Y r k j + b.
Proof.
  intros Hi Hk Hj Hq. unfold reads. cbn [multiplier inputs inward bias number].
  f_equal. unfold inward_entry. rewrite unit_div, unit_mod by auto.
  destruct (places i k j Hk Hj) as (El & Er & _). cbv zeta in El, Er. rewrite El, Er.
  pose proof (unit_lt i k j q Hi Hk Hj Hq).
  destruct (Nat.leb_spec slim_units (((i * n + k) * n + j) * 4 + q)); [lia|].
  pose proof (index_lt i k Hi Hk). pose proof (index_lt k j Hk Hj).
  rewrite (sum_two d _ (i * n + k) (n2 + (k * n + j))); try (unfold Model.d; lia).
  - unfold block. rewrite Nat.add_0_l, !Nat.eqb_refl.
    destruct (Nat.eqb_spec (n2 + (k * n + j)) (i * n + k)); [lia|]. cbn [number]. ring.
  - intros p Hp Hl Hr. bool_cases; try lia. cbn [number]. ring.
Qed.

(** The four units of one product, as one coordinate of the output sees them. *)
Lemma four_outward Y r i k j c :
  (i < n)%nat -> (k < n)%nat -> (j < n)%nat ->
  sum 4 (fun q => let u := (((i * n + k) * n + j) * 4 + q)%nat in
    sigma (reads b h s multiplier Y r u) * number b h s (outward_entry u c))
  = if ((c =? i * n + j) || (c =? n2 + (i * n + j)))%nat
    then four_units sigma b h s (block 0 Y r i k) (block n2 Y r k j) else 0.
Proof.
  intros Hi Hk Hj. destruct (places i k j Hk Hj) as (_ & _ & Eo). cbv zeta in Eo.
  assert (E : forall q, (q < 4)%nat ->
    number b h s (outward_entry (((i * n + k) * n + j) * 4 + q) c)
    = if ((c =? i * n + j) || (c =? n2 + (i * n + j)))%nat then IZR (out_sign q) * s else 0).
  { intros q Hq. unfold outward_entry. rewrite unit_div, unit_mod, Eo by auto.
    pose proof (unit_lt i k j q Hi Hk Hj Hq).
    destruct (Nat.leb_spec slim_units (((i * n + k) * n + j) * 4 + q)); [lia|].
    destruct ((c =? i * n + j) || (c =? n2 + (i * n + j)))%nat; reflexivity. }
  cbv zeta. cbn [sum]. rewrite !E, !unit_reads by (auto; lia).
  destruct ((c =? i * n + j) || (c =? n2 + (i * n + j)))%nat; [|ring].
  unfold four_units, left_sign, right_sign, out_sign.
  set (x := block 0 Y r i k). set (y := block n2 Y r k j).
  replace (1 * h * x + 1 * h * y + b) with (h * x + h * y + b) by ring.
  replace (-1 * h * x + -1 * h * y + b) with (- h * x + - h * y + b) by ring.
  replace (1 * h * x + -1 * h * y + b) with (h * x + - h * y + b) by ring.
  replace (-1 * h * x + 1 * h * y + b) with (- h * x + h * y + b) by ring. ring.
Qed.

Lemma run_by_products Y r c :
  run_mlp sigma b h s multiplier Y r c
  = sum n (fun i => sum n (fun k => sum n (fun j =>
      if ((c =? i * n + j) || (c =? n2 + (i * n + j)))%nat
      then four_units sigma b h s (block 0 Y r i k) (block n2 Y r k j) else 0))).
Proof.
  unfold run_mlp. cbn [multiplier units outward offset number].
  rewrite sum_add, (sum_zero extra), !Rplus_0_r.
  2: { intros p Hp. unfold outward_entry.
       destruct (Nat.leb_spec slim_units (slim_units + p)); [|lia]. cbn [number]. ring. }
  unfold slim_units at 1. rewrite sum_mul, sum_mul, sum_mul.
  apply sum_ext. intros i Hi. apply sum_ext. intros k Hk. apply sum_ext. intros j Hj.
  now apply four_outward.
Qed.

(** What the network computes: vec of the approximate product, in both halves. *)
Theorem multiplier_computes Y r c : (c < d)%nat ->
  run_mlp sigma b h s multiplier Y r c
  = let P := approximate (block 0 Y r) (block n2 Y r) in
    if (c <? n2)%nat then vec n P c else
    if (c <? 2 * n2)%nat then vec n P (c - n2)%nat else 0.
Proof.
  intro Hc. rewrite run_by_products. cbv zeta.
  assert (H : forall v, (v < n2)%nat -> c = v \/ c = (n2 + v)%nat ->
    sum n (fun i => sum n (fun k => sum n (fun j =>
      if ((c =? i * n + j) || (c =? n2 + (i * n + j)))%nat
      then four_units sigma b h s (block 0 Y r i k) (block n2 Y r k j) else 0)))
    = vec n (approximate (block 0 Y r) (block n2 Y r)) v).
  { intros v Hv Hcv. unfold vec, approximate.
    assert (Hn : (0 < n)%nat) by (unfold Model.n2 in Hv; destruct n; lia).
    assert (Hi : (v / n < n)%nat) by (apply Nat.div_lt_upper_bound; unfold Model.n2 in Hv; lia).
    assert (Hj : (v mod n < n)%nat) by (apply Nat.mod_upper_bound; lia).
    pose proof (Nat.div_mod_eq v n) as Ev.
    assert (Hit : forall i j, (i < n)%nat -> (j < n)%nat ->
      ((c =? i * n + j) || (c =? n2 + (i * n + j)))%nat = ((i =? v / n) && (j =? v mod n))%nat).
    { intros i j Hi' Hj'. pose proof (index_lt i j Hi' Hj'). apply eq_true_iff_eq.
      rewrite orb_true_iff, andb_true_iff, !Nat.eqb_eq. split.
      - intro E. assert (Eij : v = (i * n + j)%nat) by lia. rewrite Eij.
        rewrite divn, modn by auto. auto.
      - intros [-> ->]. lia. }
    rewrite (sum_single n _ (v / n)%nat Hi).
    - apply sum_ext. intros k Hk. rewrite (sum_single n _ (v mod n)%nat Hj).
      + rewrite Hit, !Nat.eqb_refl by auto. reflexivity.
      + intros p Hp Hne. rewrite Hit by auto. bool_cases; try lia; reflexivity.
    - intros p Hp Hne. apply sum_zero. intros k Hk. apply sum_zero. intros j Hj'.
      rewrite Hit by auto. bool_cases; try lia; reflexivity. }
  destruct (Nat.ltb_spec c n2); [now apply H; auto|].
  destruct (Nat.ltb_spec c (2 * n2)); [apply H; lia|].
  apply sum_zero. intros i Hi. apply sum_zero. intros k Hk. apply sum_zero. intros j Hj.
  pose proof (index_lt i j Hi Hj). bool_cases; try lia; reflexivity.
Qed.
End Multiplier.

(** ** It multiplies up to any eta, on bounded matrices *)

Lemma scale_nonzero h c : 0 < h -> c <> 0 -> 4 * h ^ 2 * c <> 0.
Proof.
  intros Hh Hc. assert (0 < h ^ 2) by now apply pow_lt.
  apply Rmult_integral_contrapositive. split; [lra|exact Hc].
Qed.

Definition bounded (n : nat) (B : R) (X : mat) : Prop :=
  forall i j, (i < n)%nat -> (j < n)%nat -> Rabs (X i j) <= B.

Lemma approximate_close n sigma b c B : curved sigma b c -> c <> 0 -> 0 < B ->
  forall eta, 0 < eta -> exists h0 tau, 0 < h0 /\ 0 < tau /\
    forall h s, 0 < h <= h0 -> Rabs (4 * h ^ 2 * c * s - 1) <= tau ->
    forall X Y, bounded n B X -> bounded n B Y ->
      norm n (mminus (approximate n sigma b h s X Y) (mmul n X Y)) <= eta.
Proof.
  intros Hcurved Hc HB eta He. set (K := INR n * INR n).
  assert (HK : 0 <= K) by (apply Rmult_le_pos; apply pos_INR).
  assert (Hq : 0 < eta / (K + 1)) by (apply Rdiv_lt_0_compat; lra).
  destruct (units_multiply sigma b c B Hcurved Hc HB _ Hq) as (h0 & tau & Hh0 & Ht & H).
  exists h0, tau. split; [exact Hh0|]. split; [exact Ht|]. intros h s Hh Hs X Y HX HY.
  apply maxover_le; [lra|]. intros i Hi.
  apply Rle_trans with (sum n (fun j => sum n (fun k => eta / (K + 1)))).
  - apply sum_le. intros j Hj. unfold mminus, approximate, mmul. rewrite <- sum_minus.
    eapply Rle_trans; [apply sum_abs|]. apply sum_le. intros k Hk.
    apply (H h s Hh Hs); [now apply HX|now apply HY].
  - rewrite !sum_const. fold K. replace eta with (eta / (K + 1) * (K + 1)) at 2 by (field; lra).
    rewrite <- Rmult_assoc. fold K. nra.
Qed.

(** For every eta and every bound on the entries some step and scale will do: what the network
    writes into each half is the product of the two matrices that it reads, up to eta in row-sum
    norm; it writes nothing where the position goes. *)
Theorem mlp_multiplies n extra sigma b c B : curved sigma b c -> c <> 0 -> 0 < B ->
  forall eta, 0 < eta -> exists h0 tau, 0 < h0 /\ 0 < tau /\
    forall h s, 0 < h <= h0 -> Rabs (4 * h ^ 2 * c * s - 1) <= tau ->
    forall Y r, (forall p, (p < 2 * n2 n)%nat -> Rabs (Y r p) <= B) ->
      let Z := run_mlp sigma b h s (multiplier n extra) Y in
      let P := mmul n (block n 0 Y r) (block n (n2 n) Y r) in
      norm n (mminus (block n 0 Z r) P) <= eta /\ norm n (mminus (block n (n2 n) Z r) P) <= eta
      /\ Z r (2 * n2 n)%nat = 0 /\ Z r (2 * n2 n + 1)%nat = 0.
Proof.
  intros Hcurved Hc HB eta He.
  destruct (approximate_close n sigma b c B Hcurved Hc HB eta He) as (h0 & tau & Hh0 & Ht & H).
  exists h0, tau. split; [exact Hh0|]. split; [exact Ht|]. intros h s Hh Hs Y r HY Z P.
  assert (HP : norm n (mminus (approximate n sigma b h s (block n 0 Y r) (block n (n2 n) Y r)) P)
               <= eta).
  { apply (H h s Hh Hs); intros i j Hi Hj; pose proof (index_lt n i j Hi Hj); apply HY; lia. }
  assert (E : forall i j, (i < n)%nat -> (j < n)%nat ->
    block n 0 Z r i j = approximate n sigma b h s (block n 0 Y r) (block n (n2 n) Y r) i j
    /\ block n (n2 n) Z r i j = approximate n sigma b h s (block n 0 Y r) (block n (n2 n) Y r) i j).
  { intros i j Hi Hj. pose proof (index_lt n i j Hi Hj). unfold block at 1 4, Z.
    rewrite !multiplier_computes by (unfold d; lia). cbv zeta.
    destruct (Nat.ltb_spec (0 + (i * n + j)) (n2 n)); [|lia].
    destruct (Nat.ltb_spec (n2 n + (i * n + j)) (n2 n)); [lia|].
    destruct (Nat.ltb_spec (n2 n + (i * n + j)) (2 * n2 n)); [|lia].
    replace (n2 n + (i * n + j) - n2 n)%nat with (i * n + j)%nat by lia.
    unfold vec. rewrite Nat.add_0_l, !divn, !modn by auto. auto. }
  split; [|split; [|split]].
  - eapply Rle_trans; [|exact HP]. apply norm_meq. intros i j Hi Hj. unfold mminus.
    now rewrite (proj1 (E i j Hi Hj)).
  - eapply Rle_trans; [|exact HP]. apply norm_meq. intros i j Hi Hj. unfold mminus.
    now rewrite (proj2 (E i j Hi Hj)).
  - unfold Z. rewrite multiplier_computes by (unfold d; lia). cbv zeta.
    bool_cases; lia || reflexivity.
  - unfold Z. rewrite multiplier_computes by (unfold d; lia). cbv zeta.
    bool_cases; lia || reflexivity.
Qed.

(** ** Its width: 4 n^3, less than the printed 2n^4 + 3n^2 + 1; or the printed one *)

Theorem width_slim n :
  (units (multiplier n 0) = 4 * n ^ 3 /\ 4 * n ^ 3 < 2 * n ^ 4 + 3 * n ^ 2 + 1)%nat.
Proof.
  cbn [multiplier units]. unfold slim_units.
  assert (E3 : (n ^ 3 = n * n * n)%nat) by (simpl; lia).
  assert (E4 : (n ^ 4 = n * n * (n * n))%nat) by (simpl; lia).
  assert (E2 : (n ^ 2 = n * n)%nat) by (simpl; lia).
  rewrite E2, E3, E4. split; [lia|].
  destruct n as [|m]; [lia|].
  assert (0 <= m * m * (S m * S m))%nat by lia. nia.
Qed.

(** 4 n^3 units are enough for every activation that is usable, every bound and every precision. *)
Theorem slim_multiplies n : let slim := multiplier n 0 in
  (units slim = 4 * n ^ 3 /\ 4 * n ^ 3 < 2 * n ^ 4 + 3 * n ^ 2 + 1)%nat /\
  forall sigma, usable sigma -> forall B, 0 < B -> forall eta, 0 < eta -> exists b h s,
    forall Y r, (forall p, (p < 2 * n2 n)%nat -> Rabs (Y r p) <= B) ->
      let Z := run_mlp sigma b h s slim Y in
      let P := mmul n (block n 0 Y r) (block n (n2 n) Y r) in
      norm n (mminus (block n 0 Z r) P) <= eta /\ norm n (mminus (block n (n2 n) Z r) P) <= eta.
Proof.
  intro slim. split; [apply width_slim|]. intros sigma (b & c & Hcurved & Hc) B HB eta He.
  destruct (mlp_multiplies n 0 sigma b c B Hcurved Hc HB eta He) as (h0 & tau & Hh0 & Ht & H).
  exists b, h0, (/ (4 * h0 ^ 2 * c)). intros Y r HY Z P.
  destruct (H h0 (/ (4 * h0 ^ 2 * c)) ltac:(lra)) with (Y := Y) (r := r) as (H1 & H2 & _); auto.
  rewrite Rinv_r, Rminus_diag_eq, Rabs_R0; try lra. now apply scale_nonzero.
Qed.
