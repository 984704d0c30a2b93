(** * The tree decoder: the fields of a token, and what the MLP of a step makes of them

    Beyond the paper. A token has named fields ([tok]), and every place of the stream has a name
    ([name], [place]), so that whether two places are the same is a matter of names ([place_eqb],
    [in_block]) and what a token holds at a name is its field ([field]). [stepped] is the step of
    LogDepth.v on one token, whose scratch fields hold what the heads have read:
    M' = M M_c + (1 - N) T(Bf, .) + (1 - F) T(., Bn) - (N + F - N F) I, and so on; afterwards the
    scratch fields are 0.

    Main definitions: [tok], [name], [place], [field], [stepped].
    Main theorems:    [in_block], [place_eqb], [step_adds]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Attention DecoderModel TreeDecoderModel.
Import ListNotations.
Open Scope R_scope.

Record tok := Tok
  { t_phi : R; t_f : R; t_g : R; t_c : R; t_M : nat -> R; t_b : nat -> R;
    t_N : R; t_Bn : nat -> R; t_F : R; t_Bf : nat -> R;
    t_S : nat -> R; t_s : nat -> R; t_h : R; t_k : R }.

(** ** The names of the places *)

Inductive name :=
| P_one | P_i | P_sq | P_phi | P_f | P_g | P_c | P_M (v : nat) | P_b (a : nat)
| P_N | P_Bn (a : nat) | P_F | P_Bf (a : nat) | P_S (v : nat) | P_s (a : nat) | P_h | P_k.

(** What token i with the fields x holds. *)
Definition field (i : nat) (x : tok) (p : name) : R :=
  match p with
  | P_one => 1 | P_i => INR i | P_sq => INR i * INR i
  | P_phi => t_phi x | P_f => t_f x | P_g => t_g x | P_c => t_c x | P_M v => t_M x v | P_b a => t_b x a
  | P_N => t_N x | P_Bn a => t_Bn x a | P_F => t_F x | P_Bf a => t_Bf x a
  | P_S v => t_S x v | P_s a => t_s x a | P_h => t_h x | P_k => t_k x
  end.

(** Which block of places it is in, and where in this block. *)
Definition rank (p : name) : nat :=
  match p with
  | P_one => 0 | P_i => 1 | P_sq => 2 | P_phi => 3 | P_f => 4 | P_g => 5 | P_c => 6 | P_M _ => 7 | P_b _ => 8
  | P_N => 9 | P_Bn _ => 10 | P_F => 11 | P_Bf _ => 12 | P_S _ => 13 | P_s _ => 14 | P_h => 15 | P_k => 16
  end.

Definition offset (p : name) : nat :=
  match p with P_M v | P_b v | P_Bn v | P_Bf v | P_S v | P_s v => v | _ => 0 end.

Definition same (p q : name) : bool := ((rank p =? rank q) && (offset p =? offset q))%nat.

(** A sum in which at most one place is c. *)
(** The name of a place that is written as in TreeDecoderModel.v. *)
Ltac name_of c :=
  lazymatch c with
  | p_one => P_one | p_i => P_i | p_sq => P_sq | p_phi => P_phi | p_f => P_f | p_g => P_g | p_c => P_c
  | (p_M + ?v)%nat => constr:(P_M v) | (p_b _ + ?a)%nat => constr:(P_b a)
  | p_N _ => P_N | (p_Bn _ + ?a)%nat => constr:(P_Bn a) | p_F _ => P_F | (p_Bf _ + ?a)%nat => constr:(P_Bf a)
  | (p_S _ + ?v)%nat => constr:(P_S v) | (p_s _ + ?a)%nat => constr:(P_s a) | p_h _ => P_h | p_k _ => P_k
  end.

Section Places.
Variable n : nat.                   (* states *)

Definition base (p : name) : nat :=
  match p with
  | P_one => p_one | P_i => p_i | P_sq => p_sq | P_phi => p_phi | P_f => p_f | P_g => p_g | P_c => p_c
  | P_M _ => p_M | P_b _ => p_b n | P_N => p_N n | P_Bn _ => p_Bn n | P_F => p_F n | P_Bf _ => p_Bf n
  | P_S _ => p_S n | P_s _ => p_s n | P_h => p_h n | P_k => p_k n
  end.

Definition extent (p : name) : nat :=
  match p with P_M _ | P_S _ => nn n | P_b _ | P_Bn _ | P_Bf _ | P_s _ => n | _ => 1 end.

(** Computed, this is the place as TreeDecoderModel.v writes it, so that what is proved of names holds of
    places; [rewrite] finds a place as it is written if a lemma is given with its type. *)
Definition place (p : name) : nat :=
  match p with P_M v | P_b v | P_Bn v | P_Bf v | P_S v | P_s v => base p + v | _ => base p end.

(** The name is one of a place: the number in it is that of a state, or of a pair of states. *)
Definition inside (p : name) : Prop := (offset p < extent p)%nat.

Lemma place_split p : place p = (base p + offset p)%nat.
Proof. destruct p; cbn [place offset]; rewrite ?Nat.add_0_r; reflexivity. Qed.

(** Where block k begins. *)
Fixpoint start (k : nat) : nat :=
  match k with
  | O => 0
  | S k => start k + match k with 7 | 13 => nn n | 8 | 10 | 12 | 14 => n | _ => 1 end
  end.

Lemma start_grows k l : (k <= l)%nat -> (start k <= start l)%nat.
Proof. induction 1; [apply le_n|]. cbn [start]. lia. Qed.

Lemma base_start p : base p = start (rank p).
Proof.
  destruct p; try reflexivity;
    unfold base, p_b, p_N, p_Bn, p_F, p_Bf, p_S, p_s, p_h, p_k; cbn [rank start]; lia.
Qed.

Lemma block_end p : (base p + extent p)%nat = start (S (rank p)).
Proof. rewrite base_start. destruct p; reflexivity. Qed.

Lemma width_end : width n = start 17.
Proof. unfold width. cbn [start]. lia. Qed.

Lemma block_below p : (base p + extent p <= width n)%nat.
Proof.
  rewrite block_end, width_end. apply start_grows. destruct p; apply Nat.leb_le; reflexivity.
Qed.

Lemma place_below p : inside p -> (place p < width n)%nat.
Proof. unfold inside. intro H. pose proof (block_below p). rewrite place_split. lia. Qed.

Lemma offset_below p q : inside p -> rank p = rank q -> (offset p < extent q)%nat.
Proof.
  unfold inside. intros H E. pose proof (block_end p) as Ep. pose proof (block_end q) as Eq.
  rewrite base_start in Ep, Eq. rewrite E in Ep. lia.
Qed.

Lemma pair_below a m : (a < n)%nat -> (m < n)%nat -> (a * n + m < nn n)%nat.
Proof. unfold nn. nia. Qed.

(** Which block a place is in. *)
Theorem in_block q p : inside p ->
  ((base q <=? place p) && (place p <? base q + extent q))%nat = (rank p =? rank q)%nat.
Proof.
  unfold inside. intro H. pose proof (block_end p) as Ep. rewrite place_split, block_end.
  rewrite !base_start in *. destruct (Nat.lt_trichotomy (rank p) (rank q)) as [Hr|[Hr|Hr]].
  - rewrite (proj2 (Nat.eqb_neq _ _)) by lia. pose proof (start_grows _ _ Hr).
    now rewrite (proj2 (Nat.leb_gt _ _)) by lia.
  - rewrite Hr, Nat.eqb_refl in *. now rewrite (proj2 (Nat.leb_le _ _)), (proj2 (Nat.ltb_lt _ _)) by lia.
  - rewrite (proj2 (Nat.eqb_neq _ _)) by lia. pose proof (start_grows _ _ Hr).
    rewrite (proj2 (Nat.ltb_ge _ _)) by lia. apply andb_false_r.
Qed.

Theorem place_eqb q p : inside p -> inside q -> (place p =? place q)%nat = same p q.
Proof.
  unfold same. intros Hp Hq. pose proof (in_block q p Hp) as H. rewrite !place_split in *.
  destruct (Nat.eqb_spec (rank p) (rank q)) as [E|E]; cbn [andb].
  - rewrite !base_start, E. apply eq_true_iff_eq. rewrite !Nat.eqb_eq. lia.
  - apply Nat.eqb_neq. intro E'. apply andb_false_iff in H. unfold inside in Hq.
    rewrite Nat.leb_gt, Nat.ltb_ge in H. lia.
Qed.

(** ** What is written at a place *)

Variable e : setting.

Lemma share_place q w p : inside p -> inside q ->
  share e [(place q, w)] (place p) = if same p q then amount e w else 0.
Proof. intros Hp Hq. now rewrite share_single, place_eqb. Qed.

Lemma share_block q w p : inside p -> share e (span (base q) (extent q) w) (place p)
  = if (rank p =? rank q)%nat then amount e (w (offset p)) else 0.
Proof.
  intro Hp. rewrite share_span, in_block by exact Hp.
  destruct (Nat.eqb_spec (rank p) (rank q)) as [E|]; [|reflexivity].
  now rewrite place_split, !base_start, E, Nat.add_comm, Nat.add_sub.
Qed.

Lemma share_diagonal k p : inside p -> share e (diagonal n k) (place p)
  = IZR k * (if (rank p =? 7)%nat then I (offset p / n)%nat (offset p mod n)%nat else 0).
Proof.
  intro Hp. unfold diagonal. rewrite (share_block (P_M 0) _ p Hp). cbn [rank].
  unfold I. destruct (rank p =? 7)%nat; [destruct (_ / n =? _)%nat|]; cbn [amount b2r]; ring.
Qed.

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

Lemma div_mod_below v : (v < nn n)%nat -> (v / n < n)%nat /\ (v mod n < n)%nat.
Proof.
  unfold nn. intro Hv. split; [apply Nat.div_lt_upper_bound; lia|]. apply Nat.mod_upper_bound. lia.
Qed.

(** A row that holds the fields x, and what the units of a step write of them. *)
Section Units.
Context (i : nat) (x : tok) (y : nat -> R).
Hypothesis y_holds : forall p, inside p -> y (place p) = field i x p.
Variable p : name.
Hypothesis p_in : inside p.

Local Notation v := (offset p).
(** r if p is the place q; r if p is in the block of q *)
Local Notation is q r := (if same p q then r else 0).
Local Notation among q r := (if (rank p =? rank q)%nat then r else 0).
Local Notation P u := (zreads y (fst (fst u)) * zreads y (snd (fst u)) * share e (snd u) (place p)).
Local Notation Q u := (zreads y (fst u) * share e (snd u) (place p)).

(** What the row holds where the units read it; [le_n 1] says that a single place is inside its block. *)
Lemma y_one : y p_one = 1. Proof. exact (y_holds P_one (le_n 1)). Qed.
Lemma y_i : y p_i = INR i. Proof. exact (y_holds P_i (le_n 1)). Qed.
Lemma y_phi : y p_phi = t_phi x. Proof. exact (y_holds P_phi (le_n 1)). Qed.
Lemma y_f : y p_f = t_f x. Proof. exact (y_holds P_f (le_n 1)). Qed.
Lemma y_g : y p_g = t_g x. Proof. exact (y_holds P_g (le_n 1)). Qed.
Lemma y_N : y (p_N n) = t_N x. Proof. exact (y_holds P_N (le_n 1)). Qed.
Lemma y_F : y (p_F n) = t_F x. Proof. exact (y_holds P_F (le_n 1)). Qed.
Lemma y_h : y (p_h n) = t_h x. Proof. exact (y_holds P_h (le_n 1)). Qed.
Lemma y_k : y (p_k n) = t_k x. Proof. exact (y_holds P_k (le_n 1)). Qed.
Lemma y_Bn j : (j < n)%nat -> y (p_Bn n + j)%nat = t_Bn x j. Proof. exact (y_holds (P_Bn j)). Qed.
Lemma y_Bf j : (j < n)%nat -> y (p_Bf n + j)%nat = t_Bf x j. Proof. exact (y_holds (P_Bf j)). Qed.
Lemma y_s m : (m < n)%nat -> y (p_s n + m)%nat = t_s x m. Proof. exact (y_holds (P_s m)). Qed.
Lemma y_M a m : (a < n)%nat -> (m < n)%nat -> y (p_M + (a * n + m))%nat = t_M x (a * n + m)%nat.
Proof. intros Ha Hm. exact (y_holds (P_M _) (pair_below a m Ha Hm)). Qed.
Lemma y_S m r : (m < n)%nat -> (r < n)%nat -> y (p_S n + (m * n + r))%nat = t_S x (m * n + r)%nat.
Proof. intros Hm Hr. exact (y_holds (P_S _) (pair_below m r Hm Hr)). Qed.

Lemma zreads_one q : zreads y [(q, 1%Z)] = y q.
Proof. unfold zreads. cbn [lsum fst snd]. ring. Qed.

Lemma zreads_minus q r : zreads y [(q, 1%Z); (r, (-1)%Z)] = y q - y r.
Proof. unfold zreads. cbn [lsum fst snd]. ring. Qed.

Lemma erased q : lsum (fun u => Q u) (erase_all (base q) (extent q)) = among q (- field i x p).
Proof.
  unfold erase_all. rewrite lsum_map, lsum_seq.
  rewrite (sum_ext _ _ (fun v => if (place p =? base q + v)%nat then - y (base q + v)%nat else 0)).
  - rewrite sum_hit, in_block by exact p_in. destruct (Nat.eqb_spec (rank p) (rank q)) as [E|]; [|reflexivity].
    rewrite <- y_holds by exact p_in. rewrite place_split, !base_start, E. do 2 f_equal. lia.
  - intros u Hu. cbn [erase fst snd]. rewrite share_single, zreads_one. cbn [amount].
    destruct (_ =? _)%nat; ring.
Qed.

Lemma erased_one q : inside q -> Q (erase (place q)) = is q (- field i x q).
Proof.
  intro Hq. cbn [erase fst snd]. rewrite share_place, zreads_one, y_holds by assumption. cbn [amount].
  destruct (same p q); ring.
Qed.

(** The units of the matrix, of the vector, and of the flags and the pointer. *)
Lemma step_products_add : lsum (fun u => P u) (step_products n)
  = among (P_M 0) ((1 - t_F x) * sum n (fun j => tensor e (v / n) (v mod n) j * t_Bn x j)
                   + (1 - t_N x) * sum n (fun j => tensor e (v / n) j (v mod n) * t_Bf x j))
    + (among (P_b 0) (sum n (fun l => sum n (fun r => tensor e v l r * t_Bf x l * t_Bn x r)))
       + (t_N x * t_F x * (among (P_M 0) (I (v / n)%nat (v mod n)%nat) + (is P_f 1 + is P_g 1))
          + t_N x * (t_phi x - INR i) * is P_c 1)).
Proof.
  unfold step_products. rewrite !lsum_app, !lsum_flat_map, !lsum_seq. f_equal; [|f_equal]; cbn [rank].
  - destruct (rank p =? 7)%nat eqn:E.
    + rewrite !sum_scal_l, <- sum_plus. apply sum_ext. intros j Hj. cbn [lsum fst snd].
      rewrite !(share_block (P_M 0)) by assumption. cbn [rank]. rewrite E. cbn [amount].
      rewrite !zreads_one, !zreads_minus, y_one, y_F, y_N, y_Bn, y_Bf by exact Hj. ring.
    + apply sum_zero. intros j Hj. cbn [lsum fst snd].
      rewrite !(share_block (P_M 0)) by assumption. cbn [rank]. rewrite E. ring.
  - destruct (rank p =? 8)%nat eqn:E.
    + apply sum_ext. intros l Hl. rewrite lsum_map, lsum_seq. apply sum_ext. intros r Hr. cbn [fst snd].
      rewrite (share_block (P_b 0)), !zreads_one, y_Bf, y_Bn by assumption. cbn [rank]. rewrite E. cbn [amount]. ring.
    + apply sum_zero. intros l Hl. rewrite lsum_map, lsum_seq. apply sum_zero. intros r Hr. cbn [fst snd].
      rewrite (share_block (P_b 0)) by assumption. cbn [rank]. rewrite E. ring.
  - cbn [lsum fst snd]. rewrite share_app, share_diagonal by exact p_in.
    change [(p_f, Whole 1); (p_g, Whole 1)] with ([(place P_f, Whole 1)] ++ [(place P_g, Whole 1)]).
    rewrite share_app, !share_place, (share_place P_c) by (exact p_in || exact (le_n 1)).
    rewrite !zreads_one, zreads_minus, y_N, y_F, y_phi, y_i. cbn [amount]. ring.
Qed.

Lemma jump_products_add (jump : bool) : lsum (fun u => P u) (if jump then jump_products n else [])
  = among (P_M 0) (if jump then sum n (fun m => t_M x (v / n * n + m)%nat * t_S x (m * n + v mod n)%nat) - t_M x v
                   else 0)
    + (among (P_b 0) (if jump then sum n (fun m => t_M x (v * n + m)%nat * t_s x m) else 0)
       + is P_f (if jump then (1 - t_f x - t_g x) * t_h x else 0)).
Proof.
  destruct jump; [|destruct (rank p =? _)%nat, (rank p =? _)%nat, (same p P_f); cbn [lsum]; ring].
  unfold jump_products. rewrite !lsum_app, !lsum_flat_map, !lsum_seq. f_equal; [|f_equal].
  - transitivity (sum n (fun a => sum n (fun m => sum n (fun r =>
      if ((rank p =? 7) && (v =? a * n + r))%nat
      then t_M x (a * n + m)%nat * (t_S x (m * n + r)%nat - I m r) else 0)))).
    + apply sum_ext. intros a Ha. rewrite lsum_flat_map, lsum_seq. apply sum_ext. intros m Hm.
      rewrite lsum_map, lsum_seq. apply sum_ext. intros r Hr. cbn [fst snd].
      rewrite (share_place (P_M (a * n + r))), zreads_one by (assumption || now apply pair_below).
      rewrite (y_M a m Ha Hm). unfold zreads, I, same. cbn [lsum fst snd amount rank offset].
      rewrite (y_S m r Hm Hr).
      destruct (m =? r)%nat; cbn [lsum fst snd b2r]; rewrite ?y_one; destruct (_ && _)%bool; ring.
    + cbn [rank]. destruct (Nat.eqb_spec (rank p) 7) as [E|]; cbn [andb].
      2: { apply sum_zero. intros a _. apply sum_zero. intros m _. now apply sum_zero. }
      pose proof (offset_below p (P_M 0) p_in E : v < nn n)%nat as Hv. destruct (div_mod_below v Hv) as [_ Hr].
      rewrite (sum_aimed n (fun a m r => t_M x (a * n + m)%nat * (t_S x (m * n + r)%nat - I m r))).
      fold (nn n). rewrite (proj2 (Nat.ltb_lt _ _) Hv).
      rewrite (sum_ext n _ (fun m => t_M x (v / n * n + m)%nat * t_S x (m * n + v mod n)%nat
        - t_M x (v / n * n + m)%nat * I m (v mod n)%nat)) by (intros; ring).
      rewrite sum_minus. f_equal. rewrite (sum_single n _ (v mod n)%nat Hr).
      * unfold I. rewrite Nat.eqb_refl. cbn [b2r]. rewrite Rmult_1_r, Nat.mul_comm. f_equal.
        symmetry. apply Nat.div_mod_eq.
      * intros m _ Hne. unfold I. rewrite (proj2 (Nat.eqb_neq _ _) Hne). cbn [b2r]. ring.
  - transitivity (sum n (fun a => if ((rank p =? 8) && (v =? a))%nat
      then sum n (fun m => t_M x (a * n + m)%nat * t_s x m) else 0)).
    + apply sum_ext. intros a Ha. rewrite lsum_map, lsum_seq. cbn [fst snd].
      transitivity (sum n (fun m => if ((rank p =? 8) && (v =? a))%nat
        then t_M x (a * n + m)%nat * t_s x m else 0)).
      * apply sum_ext. intros m Hm. rewrite (share_place (P_b a)), !zreads_one by assumption.
        rewrite (y_M a m Ha Hm), (y_s m Hm). cbn [amount]. unfold same. cbn [rank offset].
        destruct (_ && _)%bool; ring.
      * destruct (_ && _)%bool; [reflexivity|]. now apply sum_zero.
    + cbn [rank]. destruct (Nat.eqb_spec (rank p) 8) as [E|]; cbn [andb]; [|now apply sum_zero].
      rewrite (sum_single n _ v (offset_below p (P_b 0) p_in E)); [now rewrite Nat.eqb_refl|].
      intros a _ Hne. now rewrite (proj2 (Nat.eqb_neq _ _)) by (intro; now apply Hne).
  - cbn [lsum fst snd]. rewrite (share_place P_f), zreads_one, y_h by (exact p_in || exact (le_n 1)).
    unfold zreads. cbn [lsum fst snd amount]. rewrite y_one, y_f, y_g. destruct (same p P_f); ring.
Qed.

Lemma step_linears_add : lsum (fun u => Q u) (step_linears n)
  = t_N x * (is P_N (-1) + (- among (P_M 0) (I (v / n)%nat (v mod n)%nat) + is P_g (-1)))
    + t_F x * (is P_F (-1) + (- among (P_M 0) (I (v / n)%nat (v mod n)%nat) + (is P_g (-1) + is P_c (-1))))
    + (among (P_Bn 0) (- field i x p) + (among (P_Bf 0) (- field i x p) + (among (P_S 0) (- field i x p)
       + (among (P_s 0) (- field i x p) + is P_h (- t_h x))))).
Proof.
  unfold step_linears. rewrite !lsum_app.
  rewrite (erased (P_Bn 0) : lsum _ (erase_all (p_Bn n) n) = _), (erased (P_Bf 0) : lsum _ (erase_all (p_Bf n) n) = _),
    (erased (P_S 0) : lsum _ (erase_all (p_S n) (nn n)) = _), (erased (P_s 0) : lsum _ (erase_all (p_s n) n) = _).
  cbn [lsum]. rewrite (erased_one P_h (le_n 1) : Q (erase (p_h n)) = _). cbn [fst snd].
  change [(p_g, Whole (-1)); (p_c, Whole (-1))] with ([(place P_g, Whole (-1))] ++ [(place P_c, Whole (-1))]).
  rewrite !share_app, !share_diagonal, (share_place P_N), (share_place P_F), !(share_place P_g), (share_place P_c)
    by (exact p_in || exact (le_n 1)).
  rewrite !zreads_one, y_N, y_F. cbn [field rank amount]. ring.
Qed.

Lemma jump_linears_add (jump : bool) :
  lsum (fun u => Q u) (if jump then [([(p_k n, 1%Z)], [(p_c, Whole 1); (p_k n, Whole (-1))]); erase p_c]
                       else [erase (p_k n)])
  = is P_k (- t_k x) + is P_c (if jump then t_k x - t_c x else 0).
Proof.
  assert (E : share e [(p_c, Whole 1); (p_k n, Whole (-1))] (place p) = is P_c 1 + is P_k (-1)).
  { change [(p_c, Whole 1); (p_k n, Whole (-1))] with ([(place P_c, Whole 1)] ++ [(place P_k, Whole (-1))]).
    now rewrite share_app, !share_place by (exact p_in || exact (le_n 1)). }
  destruct jump; cbn [lsum].
  - rewrite (erased_one P_c (le_n 1) : Q (erase p_c) = _). cbn [fst snd field]. rewrite E, zreads_one, y_k.
    destruct (same p P_c), (same p P_k); ring.
  - rewrite (erased_one P_k (le_n 1) : Q (erase (p_k n)) = _). cbn [field]. destruct (same p P_c); ring.
Qed.
End Units.
End Places.

(** [c < width] by the name of c; a pair (a, m) of states is inside the matrix. *)
Ltac below n :=
  lazymatch goal with |- (?c < _)%nat => let p := name_of c in apply (place_below n p) end;
  first [exact (le_n 1)|apply pair_below; lia|unfold inside; cbn [offset extent]; lia].

Ltac zb n := repeat first [apply zbelow_nil|apply zbelow_cons; [assumption || below n|]].

Section Step.
Context (n : nat) (e : setting).

Local Notation place := (place n).
Local Notation inside := (inside n).

(** ** The forms of a step read places inside *)

Lemma zbelow_one p z : (p < width n)%nat -> zbelow (width n) [(p, z)].
Proof. intro H. apply zbelow_cons; [exact H|apply zbelow_nil]. Qed.

Lemma step_products_below u : In u (step_products n) ->
  zbelow (width n) (fst (fst u)) /\ zbelow (width n) (snd (fst u)).
Proof.
  intro Hu. apply in_app_or in Hu. destruct Hu as [Hu|Hu]; [|apply in_app_or in Hu; destruct Hu as [Hu|Hu]].
  - apply in_flat_map in Hu. destruct Hu as (j & Hj & [<-|[<-|[]]]); apply in_seq in Hj; split; zb n.
  - apply in_flat_map in Hu. destruct Hu as (l & Hl & Hu). apply in_map_iff in Hu.
    destruct Hu as (r & <- & Hr). apply in_seq in Hl, Hr. split; zb n.
  - destruct Hu as [<-|[<-|[]]]; split; zb n.
Qed.

Lemma jump_products_below u : In u (jump_products n) ->
  zbelow (width n) (fst (fst u)) /\ zbelow (width n) (snd (fst u)).
Proof.
  intro Hu. apply in_app_or in Hu. destruct Hu as [Hu|Hu]; [|apply in_app_or in Hu; destruct Hu as [Hu|[<-|[]]]].
  - apply in_flat_map in Hu. destruct Hu as (a & Ha & Hu). apply in_flat_map in Hu. destruct Hu as (m & Hm & Hu).
    apply in_map_iff in Hu. destruct Hu as (r & <- & Hr). apply in_seq in Ha, Hm, Hr. cbn [fst snd].
    split; [zb n|]. destruct (m =? r)%nat; zb n.
  - apply in_flat_map in Hu. destruct Hu as (a & Ha & Hu). apply in_map_iff in Hu.
    destruct Hu as (m & <- & Hm). apply in_seq in Ha, Hm. split; zb n.
  - split; zb n.
Qed.

Lemma erase_all_below q u : In u (erase_all (base n q) (extent n q)) -> zbelow (width n) (fst u).
Proof.
  intro Hu. apply in_map_iff in Hu. destruct Hu as (v & <- & Hv). apply in_seq in Hv.
  apply zbelow_one. pose proof (block_below n q). lia.
Qed.

Lemma step_linears_below u : In u (step_linears n) -> zbelow (width n) (fst u).
Proof.
  unfold step_linears. intro Hu. repeat (apply in_app_or in Hu; destruct Hu as [Hu|Hu]).
  - destruct Hu as [<-|[<-|[]]]; zb n.
  - now apply (erase_all_below (P_Bn 0)).
  - now apply (erase_all_below (P_Bf 0)).
  - now apply (erase_all_below (P_S 0)).
  - now apply (erase_all_below (P_s 0)).
  - destruct Hu as [<-|[]]. zb n.
Qed.

(** ** The step *)

Hypothesis act_odd : forall y, act e y - act e (- y) = y.
Hypothesis act_1 : act e 1 <> 0.

Theorem step_adds jump X i x : (forall p, inside p -> X i (place p) = field i x p) ->
  forall p, inside p ->
  X i (place p) + block_adds e (step_block n jump) X i (place p) = field i (stepped n e jump i x) p.
Proof.
  intros HX p Hp. pose proof (HX P_one (le_n 1)) as H1.
  assert (E : block_adds e (step_block n jump) X i (place p) =
    lsum (fun u => zreads (X i) (fst (fst u)) * zreads (X i) (snd (fst u)) * share e (snd u) (place p))
      (step_products n ++ if jump then jump_products n else [])
    + lsum (fun u => zreads (X i) (fst u) * share e (snd u) (place p))
      (step_linears n ++ if jump then [([(p_k n, 1%Z)], [(p_c, Whole 1); (p_k n, Whole (-1))]); erase p_c]
                         else [erase (p_k n)])).
  { transitivity (block_adds e (make_block (width n) p_one (step_products n ++ if jump then jump_products n else [])
      (step_linears n ++ if jump then [([(p_k n, 1%Z)], [(p_c, Whole 1); (p_k n, Whole (-1))]); erase p_c]
                         else [erase (p_k n)])) X i (place p)).
    { destruct jump; [reflexivity|]. now rewrite app_nil_r. }
    apply make_block_adds; auto; [below n| |].
    - intros u Hu. apply in_app_or in Hu. destruct Hu as [Hu|Hu]; [now apply step_products_below|].
      destruct jump; [now apply jump_products_below|destruct Hu].
    - intros u Hu. apply in_app_or in Hu. destruct Hu as [Hu|Hu]; [now apply step_linears_below|].
      destruct jump; [destruct Hu as [<-|[<-|[]]]|destruct Hu as [<-|[]]]; zb n. }
  rewrite E, !lsum_app, (step_products_add n e i x), (jump_products_add n e i x), (step_linears_add n e i x),
    (jump_linears_add n e i x), HX by assumption.
  clear. destruct p; cbn [same rank offset Nat.eqb andb field stepped t_phi t_f t_g t_c t_M t_b t_N t_Bn t_F t_Bf
    t_S t_s t_h t_k]; ring.
Qed.
End Step.
