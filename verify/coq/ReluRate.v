(** * With ReLU and letters from an interval, the number of units grows at least as log(1/eps)

    Section 3.2, beside ReluTransformers.v. There the alphabet is finite and may be chosen after everything
    else. Here there is one automaton, whose letters are numbers between 0 and 1, of two kinds, and whose
    weights are powers of the letter. Numbers of layers, heads and tokens are given. If a transformer with a
    piecewise linear activation, ReLU among them, and at most W hidden units in each layer simulates it
    within eps, then eps >= 1 / c^(W+1), that is W + 1 >= log(1/eps) / log c, where c > 1 depends on none of
    eps, W and n. Every embedding of the letters is allowed, continuous or not. Theorem 2's sizes, which do
    not mention eps, are out of reach of ReLU for this one automaton.

    The proof is that of ReluTransformers.v with its constants: with P colours, a grid of about P^(m+1)
    numbers has m by m numbers of one colour ([one_colour_soon], the argument of Kovari, Sos and Turan),
    where the interpolation by powers loses a factor that is a power of the size of the grid ([line_rate]); P
    is exponential in W.

    Alphabets. The letters are all numbers between 0 and 1, in two kinds; the automaton is chosen after the
    numbers of layers, heads and tokens, before W and eps.

    Main definitions: [interval], [powers] (the automaton), [enough].
    Main theorems:    [one_colour_soon], [line_rate], [rectangle_rate], [piecewise_linear_rate]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums ReluGrid ReluSpan ReluTransformers DepthTransformers.
From Assay Require Simulation DepthBound.
Import ListNotations.
Open Scope R_scope.

(** ** A rectangle of one colour, soon *)

Lemma choose_each {Y : Type} (y0 : Y) (good : nat -> Y -> Prop) (l : list nat) :
  (forall b, In b l -> exists y, good b y) -> exists f, forall b, In b l -> good b (f b).
Proof.
  induction l as [|b l IH]; intro H; [exists (fun _ => y0); intros b []|].
  destruct IH as (f & Hf); [intros; apply H; now right|]. destruct (H b (or_introl eq_refl)) as (y & Hy).
  exists (fun x => if Nat.eq_dec x b then y else f x). intros x [->|Hx]; destruct (Nat.eq_dec _ _); subst; auto.
  contradiction.
Qed.

(** So many numbers are enough for m by m of them of one of P colours. *)
Definition enough (m P : nat) : nat := S (m * (P * S (m * P) ^ m)).

Theorem one_colour_soon m P (C : Type) (dec : forall x y : C, {x = y} + {x <> y}) (colours : list C)
    (colour : nat -> nat -> C) : let Q := enough m P in (1 <= m)%nat -> (length colours <= P)%nat ->
  (forall a b, (a < Q)%nat -> (b < Q)%nat -> In (colour a b) colours) ->
  exists c l k, NoDup l /\ NoDup k /\ length l = m /\ length k = m /\
    (forall a, In a l -> (a < Q)%nat) /\ (forall b, In b k -> (b < Q)%nat) /\
    forall a b, In a l -> In b k -> colour a b = c.
Proof.
  intros Q Hm HP Hin. set (n := S (m * P)).
  assert (HnQ : (n <= Q)%nat).
  { unfold Q, enough, n. assert (S (m * P) ^ m <> 0)%nat by (apply Nat.pow_nonzero; lia). nia. }
  set (names := list_prod colours (DepthBound.lists_over (seq 0 n) m)).
  assert (Hnames : (length names <= P * n ^ m)%nat).
  { unfold names. rewrite prod_length, DepthBound.lists_over_length, seq_length. nia. }
  set (good := fun b (y : C * list nat) => In y names /\ NoDup (snd y) /\ length (snd y) = m /\
    forall a, In a (snd y) -> (a < n)%nat /\ colour a b = fst y).
  (* each second number has m first numbers with one colour *)
  destruct (choose_each (colour 0%nat 0%nat, []) good (seq 0 Q)) as (f & Hf).
  { intros b Hb. apply in_seq in Hb.
    destruct (pigeonhole dec (fun a => colour a b) m colours (seq 0 n)) as (c & l & Dl & Ll & Hl).
    - apply seq_NoDup.
    - rewrite seq_length. unfold n. nia.
    - intros a Ha. apply in_seq in Ha. apply Hin; lia.
    - exists (c, l). split; [|split; [exact Dl|split; [exact Ll|]]].
      + apply in_prod.
        * destruct l as [|a l]; [cbn in Ll; lia|].
          destruct (Hl a (or_introl eq_refl)) as [Ha <-]. apply in_seq in Ha. apply Hin; lia.
        * apply DepthBound.in_lists_over; [exact Ll|]. apply Forall_forall. intros a Ha. now apply Hl.
      + intros a Ha. destruct (Hl a Ha) as [Ha' E]. apply in_seq in Ha'. split; [lia|exact E]. }
  assert (dec' : forall x y : C * list nat, {x = y} + {x <> y}).
  { decide equality. apply (list_eq_dec Nat.eq_dec). }
  (* and m of them have the same ones *)
  destruct (pigeonhole dec' f m names (seq 0 Q)) as ((c & l) & k & Dk & Lk & Hk).
  - apply seq_NoDup.
  - rewrite seq_length. unfold Q, enough. fold n. nia.
  - intros b Hb. apply (Hf b Hb).
  - assert (Hb0 : In (hd 0%nat k) k) by (destruct k; [cbn in Lk; lia|now left]).
    destruct (Hk _ Hb0) as [Hin0 E0]. destruct (Hf _ Hin0) as (_ & Dl & Ll & Hl).
    rewrite E0 in Dl, Ll, Hl. cbn [fst snd] in *. exists c, l, k. repeat split; auto.
    + intros a Ha. destruct (Hl a Ha). lia.
    + intros b Hb. destruct (Hk b Hb) as [Hb' _]. apply in_seq in Hb'. lia.
    + intros a b Ha Hb. destruct (Hk b Hb) as [Hb' E]. destruct (Hf b Hb') as (_ & _ & _ & H).
      rewrite E in H. apply (H a Ha).
Qed.

(** ** A polynomial that is small at few points of the interval, not too close to each other *)

Theorem line_rate (x : nat -> R) D m : 1 <= D -> forall (l : list nat) (p : nat -> R) eta,
  NoDup l -> length l = m -> (forall a, In a l -> 0 <= x a <= 1) ->
  (forall a b, In a l -> In b l -> a <> b -> 1 <= D * Rabs (x a - x b)) ->
  (forall a, In a l -> Rabs (sum m (fun c => p c * x a ^ c)) <= eta) ->
  forall c, (c < m)%nat -> Rabs (p c) <= (5 * D) ^ m * eta.
Proof.
  intro HD. induction m as [|m IH]; [intros; lia|].
  intros [|s l] p eta Hd Hl Hx Hapart Hp; [discriminate|].
  inversion Hd as [|? ? Hn Hd']; subst. injection Hl as Hl. pose proof (Hx s (or_introl eq_refl)) as Hs.
  set (r := quotient m p (x s)). set (B := (5 * D) ^ m) in *.
  assert (HB : 1 <= B) by (apply pow_R1_Rle; lra).
  assert (H1 : Rabs (p 0%nat + x s * r 0%nat) <= eta).
  { pose proof (Hp s (or_introl eq_refl)) as H. rewrite (division m p (x s)) in H. fold r in H.
    rewrite Rminus_diag_eq, Rmult_0_l, Rplus_0_r in H by reflexivity. exact H. }
  pose proof (Rle_trans _ _ _ (Rabs_pos _) H1) as He.
  assert (Hr : forall c, (c < m)%nat -> Rabs (r c) <= B * (2 * D * eta)).
  { apply (IH l); auto; [intros a Ha; apply Hx; now right|intros a b Ha Hb; apply Hapart; now right|].
    intros a Ha. pose proof (Hp a (or_intror Ha)) as H. rewrite (division m p (x s)) in H. fold r in H.
    set (v := sum m (fun c => r c * x a ^ c)) in *.
    assert (Ha1 : 1 <= D * Rabs (x a - x s)).
    { apply Hapart; [now right|now left|]. intros ->. contradiction. }
    assert (Hv : Rabs ((x a - x s) * v) <= 2 * eta).
    { replace ((x a - x s) * v) with ((p 0%nat + x s * r 0%nat + (x a - x s) * v)
        + - (p 0%nat + x s * r 0%nat)) by ring.
      eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra. }
    rewrite Rabs_mult in Hv. pose proof (Rabs_pos v).
    apply (Rmult_le_compat_l D) in Hv; [|lra]. nra. }
  assert (Hr' : forall c, (c <= m)%nat -> Rabs (x s * r c) <= B * (2 * D * eta)).
  { intros c Hc. rewrite Rabs_mult, (Rabs_pos_eq (x s)) by lra.
    assert (H : Rabs (r c) <= B * (2 * D * eta)).
    { destruct (Nat.eq_dec c m) as [->|]; [|apply Hr; lia]. unfold r. rewrite quotient_end, Rabs_R0.
      apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; lra. }
    pose proof (Rabs_pos (r c)). nra. }
  assert (Hgoal : eta + B * (2 * D * eta) <= (5 * D) ^ S m * eta /\
    B * (2 * D * eta) + B * (2 * D * eta) <= (5 * D) ^ S m * eta).
  { cbn [pow]. fold B. assert (H5 : 0 <= B * D * eta) by (apply Rmult_le_pos; [nra|exact He]).
    assert (eta <= B * D * eta) by (rewrite <- (Rmult_1_l eta) at 1; apply Rmult_le_compat_r; nra). split; nra. }
  intros [|c] Hc.
  - replace (p 0%nat) with ((p 0%nat + x s * r 0%nat) + - (x s * r 0%nat)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp.
    pose proof (Hr' 0%nat ltac:(lia)). lra.
  - rewrite (quotient_step m p (x s) c) by lia. fold r. unfold Rminus.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp.
    pose proof (Hr' (S c) ltac:(lia)). pose proof (Hr c ltac:(lia)). lra.
Qed.

(** The a-th of Q numbers of the interval. *)
Definition point (Q a : nat) : R := INR a / INR Q.

Lemma point_between Q a : (a < Q)%nat -> 0 <= point Q a <= 1.
Proof.
  intro H. assert (0 < INR Q) by (apply lt_0_INR; lia). pose proof (pos_INR a). apply lt_INR in H. unfold point.
  split; [apply Rmult_le_pos; [lra|]; left; now apply Rinv_0_lt_compat|].
  apply (Rmult_le_reg_r (INR Q)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma points_apart Q a b : (a < Q)%nat -> a <> b -> 1 <= INR Q * Rabs (point Q a - point Q b).
Proof.
  intros H Hne. assert (HQ : 0 < INR Q) by (apply lt_0_INR; lia). rewrite <- (Rabs_pos_eq (INR Q)) at 1 by lra.
  rewrite <- Rabs_mult. replace (INR Q * (point Q a - point Q b)) with (INR a - INR b)
    by (unfold point; field; lra). now apply INR_apart.
Qed.

(** ** Few vectors do not span the grid, with a rate *)

Theorem rectangle_rate (k g P : nat) : let m := S (k + g) in let Q := enough m P in
  forall (C : Type) (dec : forall x y : C, {x = y} + {x <> y}) (colours : list C)
    (colour : nat -> nat -> C) (F G : C -> nat -> nat -> nat -> R) (out : nat -> nat -> nat -> R) eps,
  (length colours <= P)%nat ->
  (forall a b, (a < Q)%nat -> (b < Q)%nat -> In (colour a b) colours /\
     spans (m * m) k g (F (colour a b) a) (G (colour a b) b) (out a b)) ->
  (forall a b c, (a < Q)%nat -> (b < Q)%nat -> (c < m * m)%nat ->
     Rabs (out a b c - point Q a ^ (c / m) * point Q b ^ (c mod m)) <= eps) ->
  1 <= INR (m * m * (5 * Q) ^ (m + m)) * eps.
Proof.
  intros m Q C dec colours colour F G out eps HP H Hout. set (n := (m * m)%nat) in *.
  destruct (one_colour_soon m P C dec colours colour ltac:(unfold m; lia) HP)
    as (col & l & l' & D & D' & L & L' & I & I' & Hcol).
  { intros a b Ha Hb. now apply H. }
  fold Q in I, I'. assert (HQ : 1 <= INR Q) by (apply (le_INR 1); unfold Q, enough; lia).
  destruct (common_orthogonal m k g n (F col) (G col) l l' L L')
    as (p & HF & HG & Hle & c & Hc & Hone); [unfold n, m; lia|].
  assert (Hsmall : forall a b, In a l -> In b l' ->
    Rabs (sum n (fun c => p c * (point Q a ^ (c / m) * point Q b ^ (c mod m)))) <= INR n * eps).
  { intros a b Ha Hb.
    assert (Z : sum n (fun c => out a b c * p c) = 0).
    { destruct (H a b (I a Ha) (I' b Hb)) as [_ S]. rewrite (Hcol a b Ha Hb) in S.
      apply (spans_orthogonal _ _ _ _ _ _ p S); intros i Hi; [now apply HF|now apply HG]. }
    rewrite <- (Rminus_0_r (sum n _)), <- Z, <- sum_minus, <- sum_const.
    eapply Rle_trans; [apply sum_abs|]. apply sum_le. intros d Hd.
    replace (_ - _) with (- (p d * (out a b d - point Q a ^ (d / m) * point Q b ^ (d mod m)))) by ring.
    rewrite Rabs_Ropp, Rabs_mult, <- (Rmult_1_l eps).
    apply Rmult_le_compat; auto using Rabs_pos. }
  assert (Hm : m <> 0%nat) by (unfold m; lia). set (B := (5 * INR Q) ^ m).
  assert (Hp : Rabs (p c) <= B * (B * (INR n * eps))).
  { rewrite (Nat.div_mod c m Hm), (Nat.mul_comm m).
    apply (line_rate (point Q) (INR Q) m HQ l' (fun j => p (c / m * m + j)%nat)); auto.
    - intros b Hb. apply point_between. auto.
    - intros b b' Hb _. apply points_apart. auto.
    - intros b Hb. apply (line_rate (point Q) (INR Q) m HQ l
        (fun i => sum m (fun j => p (i * m + j)%nat * point Q b ^ j))); auto.
      + intros a Ha. apply point_between. auto.
      + intros a a' Ha _. apply points_apart. auto.
      + intros a Ha. eapply Rle_trans; [right|exact (Hsmall a b Ha Hb)]. f_equal.
        unfold n. rewrite sum_mul. apply sum_ext. intros i Hi. rewrite sum_scal_r. apply sum_ext. intros j Hj.
        rewrite div_add_l, (Nat.div_small j), Nat.add_0_r by lia.
        rewrite Nat.add_comm, mod_add, Nat.mod_small by lia. ring.
      + apply Nat.div_lt_upper_bound; [exact Hm|exact Hc].
    - now apply Nat.mod_upper_bound. }
  rewrite Hone in Hp. eapply Rle_trans; [exact Hp|]. right. unfold B.
  rewrite mult_INR, pow_INR, mult_INR, pow_add. replace (INR 5) with 5 by (cbn; lra). ring.
Qed.

(** ** The automaton *)

Definition interval : Type := {x : R | 0 <= x <= 1}.

(** Letters of the first kind lead from state 0 to their powers, those of the second multiply state i by theirs. *)
Definition powers (m : nat) (z : bool * interval) : mat := fun i j =>
  let x := proj1_sig (snd z) in
  if fst z then if (i <? m)%nat && (j <? m * m)%nat && (i =? j / m)%nat then x ^ (j mod m) else 0
  else if (i =? 0)%nat && (j <? m)%nat then x ^ j else 0.

Lemma powers_states n m (u v : interval) rest c : (m * m <= n)%nat -> (0 < m)%nat -> (c < m * m)%nat ->
  Simulation.states n first_state (powers m) ((false, u) :: (true, v) :: rest) 2%nat c
  = proj1_sig u ^ (c / m) * proj1_sig v ^ (c mod m).
Proof.
  intros Hn Hm Hc. pose proof (Nat.div_lt_upper_bound c m m ltac:(lia) Hc) as Hd.
  rewrite (states_next _ _ _ _ _ (true, v)) by reflexivity. rewrite (sum_single n _ (c / m)); [|nia|].
  - rewrite (states_next _ _ _ _ _ (false, u)) by reflexivity. rewrite (sum_single n _ 0%nat); [|nia|].
    + change (Simulation.states n first_state (powers m) ((false, u) :: (true, v) :: rest) 0%nat 0%nat) with 1.
      unfold powers. cbn [fst snd]. apply Nat.ltb_lt in Hd, Hc. rewrite Hd, Hc, !Nat.eqb_refl. cbn [andb]. ring.
    + intros p _ Hp. change (Simulation.states n first_state (powers m) ((false, u) :: (true, v) :: rest) 0%nat p)
        with (first_state p). unfold first_state. apply Nat.eqb_neq in Hp. rewrite Hp. cbn [b2r]. ring.
  - intros p _ Hp. unfold powers at 2. cbn [fst snd]. apply Nat.eqb_neq in Hp. rewrite Hp, andb_false_r. ring.
Qed.

(** The a-th letter of the interval. *)
Definition point_letter (Q a : nat) : interval :=
  match Rle_dec 0 (point Q a), Rle_dec (point Q a) 1 with
  | left H, left H' => exist _ (point Q a) (conj H H')
  | _, _ => exist _ 0 (conj (Rle_refl 0) Rle_0_1)
  end.

Lemma point_letter_is Q a : (a < Q)%nat -> proj1_sig (point_letter Q a) = point Q a.
Proof.
  intro H. destruct (point_between Q a H). unfold point_letter.
  destruct (Rle_dec 0 _); [|contradiction]. destruct (Rle_dec _ 1); [reflexivity|contradiction].
Qed.

(** ** The theorem *)

(** All that depends on the numbers of pieces, layers, heads and tokens. *)
Lemma size_of_grid m K e W : (1 <= K)%nat ->
  (m * m * (5 * enough m (K ^ (e * W))) ^ (m + m)
   <= (m * m * (5 * (m + 1) ^ (m + 1) * K ^ (e * (m + 1))) ^ (m + m) + 2) ^ S W)%nat.
Proof.
  intro HK. set (P := (K ^ (e * W))%nat).
  assert (HP : (1 <= P)%nat) by (unfold P; pose proof (Nat.pow_nonzero K (e * W) ltac:(lia)); lia).
  assert (HQ : (enough m P <= (m + 1) ^ (m + 1) * P ^ (m + 1))%nat).
  { unfold enough. assert (H1 : (S (m * P) <= (m + 1) * P)%nat) by nia.
    apply (Nat.pow_le_mono_l _ _ m) in H1. rewrite Nat.pow_mul_l in H1. rewrite !Nat.add_1_r, !Nat.pow_succ_r'.
    rewrite Nat.add_1_r in H1. set (X := (S (m * P) ^ m)%nat) in *. set (Y := (S m ^ m)%nat) in *.
    set (Z := (P ^ m)%nat) in *.
    assert (1 <= Y * Z)%nat by (unfold Y, Z; pose proof (Nat.pow_nonzero (S m) m ltac:(lia));
      pose proof (Nat.pow_nonzero P m ltac:(lia)); nia).
    assert (S (m * (P * X)) <= S m * (P * (Y * Z)))%nat by nia. nia. }
  assert (HP' : (P ^ (m + 1) = (K ^ (e * (m + 1))) ^ W)%nat).
  { unfold P. rewrite <- !Nat.pow_mul_r. f_equal. ring. }
  set (U := (K ^ (e * (m + 1)))%nat) in *. set (c := (5 * (m + 1) ^ (m + 1))%nat).
  assert (Hc : (1 <= c)%nat) by (unfold c; pose proof (Nat.pow_nonzero (m + 1) (m + 1) ltac:(lia)); lia).
  assert (HU : (1 <= U)%nat) by (unfold U; pose proof (Nat.pow_nonzero K (e * (m + 1)) ltac:(lia)); lia).
  assert (H5 : (5 * enough m P <= c * U ^ W)%nat) by (rewrite <- HP'; unfold c; nia).
  apply (Nat.pow_le_mono_l _ _ (m + m)) in H5. rewrite (Nat.pow_mul_l c), <- (Nat.pow_mul_r U) in H5.
  set (V := (U ^ (m + m))%nat).
  assert (HV : (U ^ (W * (m + m)) = V ^ W)%nat) by (unfold V; rewrite <- !Nat.pow_mul_r; f_equal; ring).
  rewrite HV in H5. rewrite (Nat.pow_mul_l c U). fold V. set (b := (c ^ (m + m))%nat) in *.
  assert (Hb : (1 <= b)%nat) by (unfold b; pose proof (Nat.pow_nonzero c (m + m) ltac:(lia)); lia).
  assert (HV1 : (1 <= V)%nat) by (unfold V; pose proof (Nat.pow_nonzero U (m + m) ltac:(lia)); lia).
  destruct (Nat.eq_dec m 0) as [->|Hm]; [cbn [Nat.mul]; apply Nat.le_0_l|]. rewrite Nat.pow_succ_r'.
  assert (Hd : (1 <= m * m * b)%nat) by (change (1 * 1 * 1 <= m * m * b)%nat; repeat apply Nat.mul_le_mono; lia).
  rewrite !Nat.mul_assoc. set (d := (m * m * b)%nat) in *.
  assert (HW : (V ^ W <= (d * V + 2) ^ W)%nat) by (apply Nat.pow_le_mono_l; nia).
  transitivity (d * V ^ W)%nat; [|apply Nat.mul_le_mono; [nia|exact HW]].
  unfold d. rewrite <- (Nat.mul_assoc (m * m) b). now apply Nat.mul_le_mono_l.
Qed.

(** One automaton for all W and eps: W + 1 is at least the logarithm of 1/eps to a base c. The letters are
    numbers between 0 and 1, in two kinds; the automaton and the constant are chosen after the activation, T,
    L, h and N. *)
Theorem piecewise_linear_rate (sigma : R -> R) (T L h N : nat) : piecewise_linear sigma -> (2 <= T)%nat ->
  exists n0 (alpha : nat -> R) (A : bool * interval -> mat) (c : R), 1 < c /\ forall n W eps, (n0 <= n)%nat ->
  forall (transformer : model) (embedding : nat -> option (bool * interval) -> nat -> R) (place row : nat -> nat),
    within sigma L h W transformer -> (forall t, (t <= T)%nat -> (row t < N)%nat) ->
    Simulation.approximately_simulates n T alpha A eps
      (fun w t => forward N transformer (reads_letters embedding place w) (row t)) ->
    / c ^ S W <= eps.
Proof.
  intros (K & which & slope & intercept & HP) HT. assert (HK : (1 <= K)%nat) by (destruct (HP 0); lia).
  set (m := S (paths h N L + constants h N L)).
  set (base := (m * m * (5 * (m + 1) ^ (m + 1) * K ^ (L * N * (m + 1))) ^ (m + m) + 2)%nat).
  assert (Hbase : 1 < INR base) by (apply (lt_INR 1); unfold base; lia).
  exists (m * m)%nat, first_state, (powers m), (INR base). split; [exact Hbase|].
  intros n W eps Hn transformer embedding place row Hm Hrow Hsim.
  set (P := (K ^ (L * N * W))%nat). set (Q := enough m P).
  set (o := point_letter Q). set (rest := repeat (false, o 0%nat) (T - 2)).
  set (word := fun a b : nat => (false, o a) :: (true, o b) :: rest).
  assert (Hlen : forall a b, length (word a b) = T).
  { intros a b. unfold word, rest. cbn [length]. rewrite repeat_length. lia. }
  assert (Heps : 0 < eps).
  { eapply Rle_lt_trans; [apply sqrt_pos|exact (Hsim (word 0%nat 0%nat) (Hlen _ _))]. }
  destruct (tokens_split embedding place rest) as (F0 & G0 & Htok).
  destruct (network_spans which slope intercept sigma K HP N L h W transformer Hm nat nat
    (fun a b => reads_letters embedding place (word a b))
    (fun a => F0 (false, o a)) (fun b => G0 (true, o b)) (fun a b r c _ => Htok _ _ r c))
    as (colours & colour & F & G & Hcolours & Hspan).
  assert (H1 : 1 <= INR (m * m * (5 * Q) ^ (m + m)) * eps).
  { apply (rectangle_rate (paths h N L) (constants h N L) P (list nat) (list_eq_dec Nat.eq_dec) colours colour
      (fun D a => F D a (row 2%nat)) (fun D b => G D b (row 2%nat))
      (fun a b => forward N transformer (reads_letters embedding place (word a b)) (row 2%nat)));
      [exact Hcolours| |].
    - intros a b _ _. destruct (Hspan a b) as (Hin & Hs). split; [exact Hin|]. apply Hs, Hrow, HT.
    - fold m Q. intros a b c Ha Hb Hc.
      rewrite <- (point_letter_is Q a Ha), <- (point_letter_is Q b Hb). fold (o a) (o b).
      rewrite <- (powers_states n m (o a) (o b) rest c Hn ltac:(unfold m; lia) Hc).
      apply (entry_of_norm n (forward N transformer (reads_letters embedding place (word a b)) (row 2%nat)));
        [|lia].
      apply (row_of_norm n T 2
        (fun t => forward N transformer (reads_letters embedding place (word a b)) (row t))); [lia|].
      apply Hsim, Hlen. }
  rewrite <- pow_INR. assert (Hpos : 0 < INR (base ^ S W)) by (rewrite pow_INR; apply pow_lt; lra).
  apply (Rmult_le_reg_l (INR (base ^ S W))); [exact Hpos|]. rewrite Rinv_r by lra.
  eapply Rle_trans; [exact H1|]. apply Rmult_le_compat_r; [lra|]. apply le_INR.
  exact (size_of_grid m K (L * N) W HK).
Qed.
