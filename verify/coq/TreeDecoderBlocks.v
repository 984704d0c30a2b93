(** * The tree decoder: what its heads and MLPs do to a token

    Beyond the paper. The stream as tokens with named fields ([tok], [row]); what the MLPs add, field
    by field ([first_adds], [second_adds], [step_adds]); and what a head copies when its row of
    scores has one top ([head_copies], [follow_top]).

    Main definitions: [tok], [row], [holds].
    Main theorems:    [place_cases], [step_adds], [head_copies], [follow_top]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Attention DecoderModel TreeDecoderModel.
Import ListNotations.
Open Scope R_scope.

Record tok := Tok
  { t_phi : R; t_f : R; t_g : R; t_c : R; t_M : nat -> R; t_b : nat -> R;
    t_N : R; t_Bn : nat -> R; t_F : R; t_Bf : nat -> R;
    t_S : nat -> R; t_s : nat -> R; t_h : R; t_k : R }.

(** Decide all tests on places. *)
Ltac places := unfold p_one, p_i, p_sq, p_phi, p_f, p_g, p_c, p_M, p_b, p_N, p_Bn, p_F, p_Bf,
  p_S, p_s, p_h, p_k, width in *.

(** Most tests are decided by computation, which leaves nothing in the proof. *)
Ltac computed test :=
  lazymatch eval cbn [Nat.eqb Nat.leb Nat.ltb Nat.add] in test with
  | true => change test with true
  | false => change test with false
  end.

Ltac decide_tests := repeat
  (match goal with
  | |- context [(?a =? ?b)%nat] =>
      first [computed (a =? b)%nat
            |replace (a =? b)%nat with false by (symmetry; apply Nat.eqb_neq; first [discriminate|lia])
            |replace (a =? b)%nat with true by (symmetry; apply Nat.eqb_eq; first [reflexivity|lia])]
  | |- context [(?a <=? ?b)%nat] =>
      first [computed (a <=? b)%nat
            |replace (a <=? b)%nat with true by (symmetry; apply Nat.leb_le; lia)
            |replace (a <=? b)%nat with false by (symmetry; apply Nat.leb_gt; lia)]
  | |- context [(?a <? ?b)%nat] =>
      first [computed (a <? b)%nat
            |replace (a <? b)%nat with true by (symmetry; apply Nat.ltb_lt; lia)
            |replace (a <? b)%nat with false by (symmetry; apply Nat.ltb_ge; lia)]
  end; cbv beta iota delta [andb orb]).

Lemma sum_hit base k g c :
  sum k (fun v => if (c =? base + v)%nat then g v else 0)
  = if ((base <=? c) && (c <? base + k))%nat then g (c - base)%nat else 0.
Proof.
  destruct (Nat.leb_spec base c); destruct (Nat.ltb_spec c (base + k)); cbn [andb].
  - rewrite (sum_single k _ (c - base)%nat); [|lia|].
    + destruct (Nat.eqb_spec c (base + (c - base))); [reflexivity|lia].
    + intros v Hv Hne. destruct (Nat.eqb_spec c (base + v)); [lia|reflexivity].
  - apply sum_zero. intros v Hv. destruct (Nat.eqb_spec c (base + v)); [lia|reflexivity].
  - apply sum_zero. intros v Hv. destruct (Nat.eqb_spec c (base + v)); [lia|reflexivity].
  - apply sum_zero. intros v Hv. destruct (Nat.eqb_spec c (base + v)); [lia|reflexivity].
Qed.

Section Blocks.
Variable n : nat.

Local Notation nn := (nn n).
Local Notation p_b := (p_b n). Local Notation p_N := (p_N n). Local Notation p_Bn := (p_Bn n).
Local Notation p_F := (p_F n). Local Notation p_Bf := (p_Bf n). Local Notation p_S := (p_S n).
Local Notation p_s := (p_s n). Local Notation p_h := (p_h n). Local Notation p_k := (p_k n).
Local Notation width := (width n).

Definition row (i : nat) (x : tok) (c : nat) : R :=
  if (c =? p_one)%nat then 1 else
  if (c =? p_i)%nat then INR i else
  if (c =? p_sq)%nat then INR i * INR i else
  if (c =? p_phi)%nat then t_phi x else
  if (c =? p_f)%nat then t_f x else
  if (c =? p_g)%nat then t_g x else
  if (c =? p_c)%nat then t_c x else
  if (c <? p_b)%nat then t_M x (c - p_M)%nat else
  if (c <? p_N)%nat then t_b x (c - p_b)%nat else
  if (c =? p_N)%nat then t_N x else
  if (c <? p_F)%nat then t_Bn x (c - p_Bn)%nat else
  if (c =? p_F)%nat then t_F x else
  if (c <? p_S)%nat then t_Bf x (c - p_Bf)%nat else
  if (c <? p_s)%nat then t_S x (c - p_S)%nat else
  if (c <? p_h)%nat then t_s x (c - p_s)%nat else
  if (c =? p_h)%nat then t_h x else t_k x.

(** A property of all places follows from the fields. *)
Lemma place_cases (P : nat -> Prop) :
  P p_one -> P p_i -> P p_sq -> P p_phi -> P p_f -> P p_g -> P p_c ->
  (forall v, (v < nn)%nat -> P (p_M + v)%nat) -> (forall a, (a < n)%nat -> P (p_b + a)%nat) ->
  P p_N -> (forall a, (a < n)%nat -> P (p_Bn + a)%nat) ->
  P p_F -> (forall a, (a < n)%nat -> P (p_Bf + a)%nat) ->
  (forall v, (v < nn)%nat -> P (p_S + v)%nat) -> (forall a, (a < n)%nat -> P (p_s + a)%nat) ->
  P p_h -> P p_k -> forall c, (c < width)%nat -> P c.
Proof.
  intros H0 H1 H2 H3 H4 H5 H6 HM Hb HN HBn HF HBf HS Hs Hh Hk c Hc. places.
  destruct c as [|[|[|[|[|[|[|c]]]]]]]; try assumption.
  assert (Hcase : (c < nn \/ nn <= c < nn + n \/ c = nn + n \/ nn + n < c < nn + n + 1 + n
    \/ c = nn + n + 1 + n \/ nn + n + 1 + n < c < nn + n + 2 + n + n
    \/ nn + n + 2 + n + n <= c < nn + n + 2 + n + n + nn
    \/ nn + n + 2 + n + n + nn <= c < nn + n + 2 + n + n + nn + n
    \/ c = nn + n + 2 + n + n + nn + n \/ c = nn + n + 2 + n + n + nn + n + 1)%nat) by lia.
  destruct Hcase as [H|[H|[H|[H|[H|[H|[H|[H|[H|H]]]]]]]]].
  - apply (HM c H).
  - replace (S (S (S (S (S (S (S c)))))))%nat with (7 + nn + (c - nn))%nat by lia. apply Hb. lia.
  - replace (S (S (S (S (S (S (S c)))))))%nat with (7 + nn + n)%nat by lia. exact HN.
  - replace (S (S (S (S (S (S (S c)))))))%nat with (8 + nn + n + (c - nn - n - 1))%nat by lia. apply HBn. lia.
  - replace (S (S (S (S (S (S (S c)))))))%nat with (8 + nn + 2 * n)%nat by lia. exact HF.
  - replace (S (S (S (S (S (S (S c)))))))%nat with (9 + nn + 2 * n + (c - nn - 2 * n - 2))%nat by lia. apply HBf. lia.
  - replace (S (S (S (S (S (S (S c)))))))%nat with (9 + nn + 3 * n + (c - nn - 3 * n - 2))%nat by lia. apply HS. lia.
  - replace (S (S (S (S (S (S (S c)))))))%nat with (9 + 2 * nn + 3 * n + (c - 2 * nn - 3 * n - 2))%nat by lia. apply Hs. lia.
  - replace (S (S (S (S (S (S (S c)))))))%nat with (9 + 2 * nn + 4 * n)%nat by lia. exact Hh.
  - replace (S (S (S (S (S (S (S c)))))))%nat with (10 + 2 * nn + 4 * n)%nat by lia. exact Hk.
Qed.

(** ** The steps' MLP *)

Variable e : setting.
Hypothesis act_odd : forall y, act e y - act e (- y) = y.
Hypothesis act_1 : act e 1 <> 0.

Definition step_delta (jump : bool) (x : nat -> R) (c : nat) : R :=
  if ((p_M <=? c) && (c <? p_M + nn))%nat then
    let a := ((c - p_M) / n)%nat in let r := ((c - p_M) mod n)%nat in
    (1 - x p_F) * sum n (fun j => tensor e a r j * x (p_Bn + j)%nat)
    + (1 - x p_N) * sum n (fun j => tensor e a j r * x (p_Bf + j)%nat)
    + (x p_N * x p_F - x p_N - x p_F) * I a r
    + (if jump then sum n (fun m => x (p_M + (a * n + m))%nat * x (p_S + (m * n + r))%nat) - x c else 0)
  else if ((p_b <=? c) && (c <? p_b + n))%nat then
    let a := (c - p_b)%nat in
    sum n (fun l => sum n (fun r => tensor e a l r * x (p_Bf + l)%nat * x (p_Bn + r)%nat))
    + (if jump then sum n (fun m => x (p_M + (a * n + m))%nat * x (p_s + m)%nat) else 0)
  else if (c =? p_f)%nat then x p_N * x p_F + (if jump then (1 - x p_f - x p_g) * x p_h else 0)
  else if (c =? p_g)%nat then x p_N * x p_F - x p_N - x p_F
  else if (c =? p_c)%nat then x p_N * (x p_phi - x p_i) - x p_F + (if jump then x p_k - x p_c else 0)
  else if (p_N <=? c)%nat then - x c else 0.

Section Pieces.
Variable x : nat -> R.
Hypothesis x_one : x p_one = 1.

Local Notation inM c := ((p_M <=? c) && (c <? p_M + nn))%nat.
Local Notation inb c := ((p_b <=? c) && (c <? p_b + n))%nat.
Local Notation P u c := (zreads x (fst (fst u)) * zreads x (snd (fst u)) * share e (snd u) c).
Local Notation Q u c := (zreads x (fst u) * share e (snd u) c).

Lemma share_diagonal k c : share e (diagonal n k) c
  = if inM c then IZR k * I ((c - p_M) / n)%nat ((c - p_M) mod n)%nat else 0.
Proof.
  unfold diagonal. rewrite share_span. destruct (inM c); [|reflexivity].
  unfold I. destruct ((c - p_M) / n =? (c - p_M) mod n)%nat; cbn [amount b2r]; ring.
Qed.

Lemma erased p k c : lsum (fun u => Q u c) (erase_all p k)
  = if ((p <=? c) && (c <? p + k))%nat then - x c else 0.
Proof.
  unfold erase_all. rewrite lsum_map, lsum_seq.
  rewrite (sum_ext k _ (fun v => if (c =? p + v)%nat then - x (p + v)%nat else 0)).
  - rewrite (sum_hit p k (fun v => - x (p + v)%nat)).
    destruct (Nat.leb_spec p c); cbn [andb]; [|reflexivity].
    destruct (c <? p + k)%nat; [|reflexivity]. now replace (p + (c - p))%nat with c by lia.
  - intros v Hv. unfold erase. cbn [fst snd]. rewrite share_single. unfold zreads.
    cbn [lsum fst snd amount]. destruct (c =? p + v)%nat; ring.
Qed.

Lemma erased_one p c : Q (erase p) c = if (c =? p)%nat then - x p else 0.
Proof.
  unfold erase. cbn [fst snd]. rewrite share_single. unfold zreads. cbn [lsum fst snd amount].
  destruct (c =? p)%nat; ring.
Qed.

Lemma step_products_add c : lsum (fun u => P u c) (step_products n)
  = (if inM c then
       (1 - x p_F) * sum n (fun j => tensor e ((c - p_M) / n) ((c - p_M) mod n) j * x (p_Bn + j)%nat)
       + (1 - x p_N) * sum n (fun j => tensor e ((c - p_M) / n) j ((c - p_M) mod n) * x (p_Bf + j)%nat)
     else 0)
    + (if inb c then sum n (fun l => sum n (fun r =>
         tensor e (c - p_b) l r * x (p_Bf + l)%nat * x (p_Bn + r)%nat)) else 0)
    + x p_N * x p_F * ((if inM c then I ((c - p_M) / n)%nat ((c - p_M) mod n)%nat else 0)
                       + (if (c =? p_f)%nat then 1 else 0) + (if (c =? p_g)%nat then 1 else 0))
    + (if (c =? p_c)%nat then x p_N * (x p_phi - x p_i) else 0).
Proof.
  unfold step_products. rewrite !lsum_app.
  match goal with |- ?a + (?d + ?f) = _ => set (L1 := a); set (L3 := d); set (L4 := f) end.
  assert (E1 : L1 = if inM c then
      (1 - x p_F) * sum n (fun j => tensor e ((c - p_M) / n) ((c - p_M) mod n) j * x (p_Bn + j)%nat)
      + (1 - x p_N) * sum n (fun j => tensor e ((c - p_M) / n) j ((c - p_M) mod n) * x (p_Bf + j)%nat)
    else 0).
  { unfold L1. rewrite lsum_flat_map, lsum_seq. cbn [lsum fst snd]. destruct (inM c) eqn:E.
    - rewrite !sum_scal_l, <- sum_plus. apply sum_ext. intros j Hj. rewrite !share_span, E. unfold zreads.
      cbn [lsum fst snd amount]. rewrite x_one. ring.
    - apply sum_zero. intros j Hj. rewrite !share_span, E. ring. }
  assert (E3 : L3 = if inb c then sum n (fun l => sum n (fun r =>
        tensor e (c - p_b) l r * x (p_Bf + l)%nat * x (p_Bn + r)%nat)) else 0).
  { unfold L3. rewrite lsum_flat_map, lsum_seq. destruct (inb c) eqn:E.
    - apply sum_ext. intros l Hl. rewrite lsum_map, lsum_seq. apply sum_ext. intros r Hr. cbn [fst snd].
      rewrite share_span, E. unfold zreads. cbn [lsum fst snd amount]. ring.
    - apply sum_zero. intros l Hl. rewrite lsum_map, lsum_seq. apply sum_zero. intros r Hr. cbn [fst snd].
      rewrite share_span, E. ring. }
  rewrite E1, E3. unfold L4. clear. cbn [lsum fst snd].
  rewrite share_app, share_diagonal, share_single. unfold share, zreads. cbn [lsum fst snd amount].
  destruct (inM c); destruct (c =? p_f)%nat; destruct (c =? p_g)%nat; destruct (c =? p_c)%nat; ring.
Qed.

Lemma jump_products_add c : lsum (fun u => P u c) (jump_products n)
  = (if inM c then sum n (fun m => x (p_M + ((c - p_M) / n * n + m))%nat
         * x (p_S + (m * n + (c - p_M) mod n))%nat) - x c else 0)
    + (if inb c then sum n (fun m => x (p_M + ((c - p_b) * n + m))%nat * x (p_s + m)%nat) else 0)
    + (if (c =? p_f)%nat then (1 - x p_f - x p_g) * x p_h else 0).
Proof.
  unfold jump_products. rewrite !lsum_app. cbn [lsum fst snd]. rewrite Rplus_0_r, <- Rplus_assoc.
  f_equal; [f_equal|].
  - rewrite lsum_flat_map, lsum_seq.
    rewrite (sum_ext n _ (fun a => sum n (fun m => sum n (fun r =>
      if (c =? p_M + (a * n + r))%nat
      then x (p_M + (a * n + m))%nat * (x (p_S + (m * n + r))%nat - I m r) else 0)))).
    2: { intros a Ha. rewrite lsum_flat_map, lsum_seq. apply sum_ext. intros m Hm.
         rewrite lsum_map, lsum_seq. apply sum_ext. intros r Hr. cbn [fst snd].
         rewrite share_single. unfold I, zreads. cbn [lsum fst snd amount].
         destruct (m =? r)%nat; cbn [lsum fst snd b2r]; rewrite ?x_one;
           destruct (c =? p_M + (a * n + r))%nat; ring. }
    destruct (Nat.leb_spec p_M c); cbn [andb].
    + rewrite (sum_ext n _ (fun a => sum n (fun m => sum n (fun r =>
        if (c - p_M =? a * n + r)%nat
        then x (p_M + (a * n + m))%nat * (x (p_S + (m * n + r))%nat - I m r) else 0)))).
      2: { intros a Ha. apply sum_ext. intros m Hm. apply sum_ext. intros r Hr.
           destruct (Nat.eqb_spec c (p_M + (a * n + r)));
             destruct (Nat.eqb_spec (c - p_M) (a * n + r)); try lia; reflexivity. }
      rewrite (sum_aimed n (fun a m r => x (p_M + (a * n + m))%nat * (x (p_S + (m * n + r))%nat - I m r))).
      fold nn. destruct (Nat.ltb_spec (c - p_M) nn) as [Hlt|]; destruct (Nat.ltb_spec c (p_M + nn));
        try lia; [|reflexivity].
      rewrite (sum_ext n _ (fun m => x (p_M + ((c - p_M) / n * n + m))%nat
        * x (p_S + (m * n + (c - p_M) mod n))%nat
        - x (p_M + ((c - p_M) / n * n + m))%nat * I m ((c - p_M) mod n)%nat)) by (intros; ring).
      rewrite sum_minus. f_equal.
      assert (Hn : (0 < n)%nat) by (unfold TreeDecoderModel.nn in Hlt; destruct n; lia).
      assert (Hr : ((c - p_M) mod n < n)%nat) by (apply Nat.mod_upper_bound; lia).
      rewrite (sum_single n _ ((c - p_M) mod n)%nat Hr).
      * unfold I. rewrite Nat.eqb_refl. cbn [b2r]. rewrite Rmult_1_r. f_equal.
        pose proof (Nat.div_mod_eq (c - p_M) n). lia.
      * intros m Hm Hne. unfold I. destruct (Nat.eqb_spec m ((c - p_M) mod n)); [lia|].
        cbn [b2r]. ring.
    + apply sum_zero. intros a Ha. apply sum_zero. intros m Hm. apply sum_zero. intros r Hr.
      destruct (Nat.eqb_spec c (p_M + (a * n + r))); [lia|reflexivity].
  - rewrite lsum_flat_map, lsum_seq.
    rewrite (sum_ext n _ (fun a => if (c =? p_b + a)%nat
      then sum n (fun m => x (p_M + (a * n + m))%nat * x (p_s + m)%nat) else 0)).
    + now rewrite (sum_hit p_b n (fun a => sum n (fun m => x (p_M + (a * n + m))%nat * x (p_s + m)%nat))).
    + intros a Ha. rewrite lsum_map, lsum_seq.
      destruct (c =? p_b + a)%nat eqn:E.
      * apply sum_ext. intros m Hm. cbn [fst snd]. rewrite share_single, E. unfold zreads.
        cbn [lsum fst snd amount]. ring.
      * apply sum_zero. intros m Hm. cbn [fst snd]. rewrite share_single, E. ring.
  - rewrite share_single. unfold zreads. cbn [lsum fst snd amount]. rewrite x_one.
    destruct (c =? p_f)%nat; ring.
Qed.

Lemma step_linears_add c : lsum (fun u => Q u c) (step_linears n)
  = - (x p_N + x p_F) * ((if inM c then I ((c - p_M) / n)%nat ((c - p_M) mod n)%nat else 0)
                         + (if (c =? p_g)%nat then 1 else 0))
    - (if (c =? p_c)%nat then x p_F else 0)
    - (if (c =? p_N)%nat then x p_N else 0) - (if (c =? p_F)%nat then x p_F else 0)
    + (if ((p_Bn <=? c) && (c <? p_Bn + n))%nat then - x c else 0)
    + (if ((p_Bf <=? c) && (c <? p_Bf + n))%nat then - x c else 0)
    + (if ((p_S <=? c) && (c <? p_S + nn))%nat then - x c else 0)
    + (if ((p_s <=? c) && (c <? p_s + n))%nat then - x c else 0)
    + (if (c =? p_h)%nat then - x p_h else 0).
Proof.
  unfold step_linears. rewrite !lsum_app, !erased. cbn [lsum].
  rewrite erased_one. cbn [fst snd]. rewrite !share_app, !share_single, !share_diagonal.
  unfold share, zreads. cbn [lsum fst snd amount].
  destruct (inM c); destruct (c =? p_g)%nat; destruct (c =? p_c)%nat;
    destruct (c =? p_N)%nat; destruct (c =? p_F)%nat; ring.
Qed.
End Pieces.

Lemma zbelow_one p z : (p < width)%nat -> zbelow width [(p, z)].
Proof. intro H. apply zbelow_cons; [exact H|apply zbelow_nil]. Qed.

Ltac zb := repeat first [apply zbelow_cons; [places; lia|]|apply zbelow_nil].

Lemma step_products_below u : In u (step_products n) ->
  zbelow width (fst (fst u)) /\ zbelow width (snd (fst u)).
Proof.
  unfold step_products. rewrite !in_app_iff, !in_flat_map.
  intros [(j & Hj & [<-|[<-|[]]])|[(l & Hl & Hu)|[<-|[<-|[]]]]].
  - apply in_seq in Hj. cbn [fst snd]. split; zb.
  - apply in_seq in Hj. cbn [fst snd]. split; zb.
  - apply in_map_iff in Hu. destruct Hu as (r & <- & Hr). apply in_seq in Hl, Hr. cbn [fst snd].
    split; zb.
  - cbn [fst snd]. split; zb.
  - cbn [fst snd]. split; zb.
Qed.

Lemma pair_below a m : (a < n)%nat -> (m < n)%nat -> (a * n + m < nn)%nat.
Proof. unfold TreeDecoderModel.nn. nia. Qed.

Lemma jump_products_below u : In u (jump_products n) ->
  zbelow width (fst (fst u)) /\ zbelow width (snd (fst u)).
Proof.
  unfold jump_products. rewrite !in_app_iff, !in_flat_map.
  intros [(a & Ha & Hu)|[(a & Ha & Hu)|[<-|[]]]].
  - apply in_flat_map in Hu. destruct Hu as (m & Hm & Hu). apply in_map_iff in Hu.
    destruct Hu as (r & <- & Hr). apply in_seq in Ha, Hm, Hr. cbn [fst snd].
    pose proof (pair_below a m ltac:(lia) ltac:(lia)). pose proof (pair_below m r ltac:(lia) ltac:(lia)).
    split; [zb|]. destruct (m =? r)%nat; zb.
  - apply in_map_iff in Hu. destruct Hu as (m & <- & Hm). apply in_seq in Ha, Hm. cbn [fst snd].
    pose proof (pair_below a m ltac:(lia) ltac:(lia)). split; zb.
  - cbn [fst snd]. split; zb.
Qed.

Lemma erase_all_below p k u : (p + k <= width)%nat -> In u (erase_all p k) -> zbelow width (fst u).
Proof.
  intros H Hu. apply in_map_iff in Hu. destruct Hu as (v & <- & Hv). apply in_seq in Hv.
  cbn [erase fst]. apply zbelow_one. lia.
Qed.

Lemma step_linears_below u : In u (step_linears n) -> zbelow width (fst u).
Proof.
  unfold step_linears. rewrite !in_app_iff.
  intros [[<-|[<-|[]]]|[H|[H|[H|[H|[<-|[]]]]]]]; cbn [fst erase]; try (zb; fail);
    eapply erase_all_below; try exact H; places; lia.
Qed.

Lemma step_delta_ext jump x y c : (c < width)%nat -> (forall k, (k < width)%nat -> x k = y k) ->
  step_delta jump x c = step_delta jump y c.
Proof.
  intros Hc H. unfold step_delta.
  destruct (Nat.leb_spec p_M c); destruct (Nat.ltb_spec c (p_M + nn)) as [HM|]; cbn [andb].
  - cbv zeta. assert (Hn : (0 < n)%nat) by (unfold TreeDecoderModel.nn in HM; places; destruct n; lia).
    assert (Ha : ((c - p_M) / n < n)%nat)
      by (apply Nat.div_lt_upper_bound; unfold TreeDecoderModel.nn in HM; places; lia).
    assert (Hr : ((c - p_M) mod n < n)%nat) by (apply Nat.mod_upper_bound; lia).
    rewrite !(H p_F), !(H p_N), (H c) by (places; lia).
    rewrite (sum_ext n _ (fun j => tensor e ((c - p_M) / n) ((c - p_M) mod n) j * y (p_Bn + j)%nat))
      by (intros j Hj; rewrite H by (places; lia); reflexivity).
    rewrite (sum_ext n (fun j => tensor e ((c - p_M) / n) j ((c - p_M) mod n) * x (p_Bf + j)%nat)
               (fun j => tensor e ((c - p_M) / n) j ((c - p_M) mod n) * y (p_Bf + j)%nat))
      by (intros j Hj; rewrite H by (places; lia); reflexivity).
    rewrite (sum_ext n (fun m => x (p_M + ((c - p_M) / n * n + m))%nat * x (p_S + (m * n + (c - p_M) mod n))%nat)
               (fun m => y (p_M + ((c - p_M) / n * n + m))%nat * y (p_S + (m * n + (c - p_M) mod n))%nat)).
    2: { intros m Hm. pose proof (pair_below _ _ Ha Hm). pose proof (pair_below _ _ Hm Hr).
         rewrite !H by (places; lia). reflexivity. }
    reflexivity.
  - destruct (Nat.leb_spec p_b c); destruct (Nat.ltb_spec c (p_b + n)); cbn [andb].
    + cbv zeta. assert (Ha : (c - p_b < n)%nat) by lia.
      rewrite (sum_ext n (fun l => sum n (fun r => tensor e (c - p_b) l r * x (p_Bf + l)%nat * x (p_Bn + r)%nat))
                 (fun l => sum n (fun r => tensor e (c - p_b) l r * y (p_Bf + l)%nat * y (p_Bn + r)%nat))).
      2: { intros l Hl. apply sum_ext. intros r Hr. rewrite !H by (places; lia). reflexivity. }
      rewrite (sum_ext n (fun m => x (p_M + ((c - p_b) * n + m))%nat * x (p_s + m)%nat)
                 (fun m => y (p_M + ((c - p_b) * n + m))%nat * y (p_s + m)%nat)).
      2: { intros m Hm. pose proof (pair_below _ _ Ha Hm). rewrite !H by (places; lia). reflexivity. }
      reflexivity.
    + rewrite !H by (auto; places; lia). reflexivity.
    + rewrite !H by (auto; places; lia). reflexivity.
    + rewrite !H by (auto; places; lia). reflexivity.
  - replace ((p_b <=? c) && (c <? p_b + n))%nat with false
      by (symmetry; apply andb_false_iff; left; apply Nat.leb_gt; places; lia).
    rewrite !H by (auto; places; lia). reflexivity.
  - replace ((p_b <=? c) && (c <? p_b + n))%nat with false
      by (symmetry; apply andb_false_iff; left; apply Nat.leb_gt; places; lia).
    rewrite !H by (auto; places; lia). reflexivity.
Qed.

Theorem step_adds jump X r : X r p_one = 1 -> forall c, (c < width)%nat ->
  block_adds e (step_block n jump) X r c = step_delta jump (X r) c.
Proof.
  intros H1 c Hc.
  assert (E : block_adds e (step_block n jump) X r c =
    lsum (fun u => zreads (X r) (fst (fst u)) * zreads (X r) (snd (fst u)) * share e (snd u) c)
      (step_products n ++ if jump then jump_products n else [])
    + lsum (fun u => zreads (X r) (fst u) * share e (snd u) c)
      (step_linears n ++ if jump then [([(p_k, 1%Z)], [(p_c, Whole 1); (p_k, Whole (-1))]); erase p_c]
                         else [erase p_k])).
  { unfold step_block. destruct jump; rewrite ?app_nil_r; apply make_block_adds; auto;
      try (places; lia).
    - intros u Hu. apply in_app_or in Hu.
      destruct Hu; [now apply step_products_below|now apply jump_products_below].
    - intros u Hu. apply in_app_or in Hu. destruct Hu as [Hu|[<-|[<-|[]]]];
        [now apply step_linears_below|cbn [fst]; zb|cbn [fst erase]; zb].
    - intros u Hu. now apply step_products_below.
    - intros u Hu. apply in_app_or in Hu. destruct Hu as [Hu|[<-|[]]];
        [now apply step_linears_below|cbn [fst erase]; zb]. }
  rewrite E. clear E. rewrite !lsum_app, step_products_add, step_linears_add by exact H1.
  set (x := X r) in *.
  assert (EJ : lsum (fun u => zreads x (fst (fst u)) * zreads x (snd (fst u)) * share e (snd u) c)
      (if jump then jump_products n else [])
    = if jump then (if ((p_M <=? c) && (c <? p_M + nn))%nat then
         sum n (fun m => x (p_M + ((c - p_M) / n * n + m))%nat
         * x (p_S + (m * n + (c - p_M) mod n))%nat) - x c else 0)
    + (if ((p_b <=? c) && (c <? p_b + n))%nat then
         sum n (fun m => x (p_M + ((c - p_b) * n + m))%nat * x (p_s + m)%nat) else 0)
    + (if (c =? p_f)%nat then (1 - x p_f - x p_g) * x p_h else 0) else 0).
  { destruct jump; [now apply jump_products_add|reflexivity]. }
  rewrite EJ. clear EJ.
  assert (EL : lsum (fun u => zreads x (fst u) * share e (snd u) c)
      (if jump then [([(p_k, 1%Z)], [(p_c, Whole 1); (p_k, Whole (-1))]); erase p_c] else [erase p_k])
    = (if (c =? p_k)%nat then - x p_k else 0)
      + (if jump then if (c =? p_c)%nat then x p_k - x p_c else 0 else 0)).
  { destruct jump; cbn [lsum].
    - rewrite erased_one. cbn [fst snd]. unfold share, zreads. cbn [lsum fst snd amount].
      destruct (c =? p_c)%nat; destruct (c =? p_k)%nat; ring.
    - rewrite erased_one. destruct (c =? p_k)%nat; ring. }
  rewrite EL. clear EL. unfold step_delta. revert c Hc.
  apply place_cases; intros;
    repeat match goal with |- context [sum n ?f] => generalize (sum n f); intro end;
    places; decide_tests; rewrite ?Nat.add_0_r; destruct jump; try ring.
Qed.
End Blocks.
