(** * A grid of outputs that few vectors do not span

    For Theorem 2 with a piecewise linear activation. On a word that begins with the letters a, b
    such a network computes a combination of k vectors that depend on a and g vectors that depend on
    b, once it is fixed which piece of the activation each hidden unit uses (the colour of the word).
    The automaton asks for the vector of all a^i b^j with i, j < m, where m = k + g + 1. This file
    shows that, with P colours and letters that are numbers between 0 and 1, some precision is out of reach,
    whatever these vectors are.

    The idea: among about P^(m+1) letters of each kind, m letters a and m letters b have words of one colour
    only ([one_colour_soon], the argument of Kovari, Sos and Turan); the (k+g) m < m^2 vectors of these
    letters have a common orthogonal vector; its entries are the coefficients of a polynomial that is nearly
    0 on an m x m grid, and interpolation shows that they are small ([line_rate]).

    Main definitions: [spans], [enough] (a number of letters), [point] (a letter).
    Main theorems:    [null_vector], [one_colour_soon], [line_rate], [rectangle_rate]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums.
From Assay Require DepthBound.
Import ListNotations.
Open Scope R_scope.

(** The first n entries of x are those of a combination of k vectors F and g vectors G. *)
Definition spans (n k g : nat) (F G : nat -> nat -> R) (x : nat -> R) : Prop :=
  exists u v : nat -> R, forall c, (c < n)%nat ->
    x c = sum k (fun i => u i * F i c) + sum g (fun i => v i * G i c).

(** ** Fewer equations than unknowns *)

(** A solution that is not 0, with all nonzero entries in a list of more than E columns. *)
Lemma null_columns n (M : nat -> nat -> R) : forall E cols, NoDup cols -> (E < length cols)%nat ->
  exists l : nat -> R, (forall e, (e < E)%nat -> sum n (fun c => M e c * l c) = 0) /\
    (forall c, ~ In c cols -> l c = 0) /\ exists c, In c cols /\ l c <> 0.
Proof.
  induction E as [|E IH]; intros cols Hd Hl.
  - destruct cols as [|c cols]; [simpl in Hl; lia|]. exists (fun j => b2r (j =? c)%nat).
    split; [lia|]. split.
    + intros j Hj. destruct (Nat.eqb_spec j c) as [->|]; [|reflexivity]. destruct Hj. now left.
    + exists c. rewrite Nat.eqb_refl. split; [now left|simpl; lra].
  - destruct (IH cols Hd ltac:(lia)) as (l1 & H1 & Z1 & j & Hj & N1).
    destruct (in_split j cols Hj) as (k1 & k2 & ->). rewrite app_length in Hl. cbn [length] in Hl.
    destruct (IH (k1 ++ k2) (NoDup_remove_1 _ _ _ Hd)) as (l2 & H2 & Z2 & i & Hi & N2);
      [rewrite app_length; lia|].
    pose proof (NoDup_remove_2 _ _ _ Hd) as Hout.
    assert (Hin : forall c, In c (k1 ++ k2) -> In c (k1 ++ j :: k2))
      by (intro c; rewrite !in_app_iff; simpl; tauto).
    set (r1 := sum n (fun c => M E c * l1 c)). set (r2 := sum n (fun c => M E c * l2 c)).
    destruct (Req_EM_T r2 0) as [E2|E2].
    + exists l2. split; [|split; [intros c Hc; apply Z2; auto|exists i; auto]].
      intros e He. destruct (Nat.eq_dec e E) as [->|]; [exact E2|apply H2; lia].
    + exists (fun c => r2 * l1 c - r1 * l2 c). split; [|split].
      * intros e He.
        rewrite (sum_ext n _ (fun c => r2 * (M e c * l1 c) - r1 * (M e c * l2 c))) by (intros; ring).
        rewrite sum_minus, <- !sum_scal_l.
        destruct (Nat.eq_dec e E) as [->|]; [fold r1 r2; ring|rewrite H1, H2 by lia; ring].
      * intros c Hc. rewrite Z1, Z2 by auto. ring.
      * exists j. split; [exact Hj|]. rewrite (Z2 j Hout), Rmult_0_r, Rminus_0_r.
        now apply Rmult_integral_contrapositive.
Qed.

Lemma largest_entry (l : nat -> R) n : (0 < n)%nat ->
  exists c, (c < n)%nat /\ forall p, (p < n)%nat -> Rabs (l p) <= Rabs (l c).
Proof.
  induction n as [|n IH]; intro Hn; [lia|]. destruct (Nat.eq_dec n 0) as [->|].
  - exists 0%nat. split; [lia|]. intros p Hp. replace p with 0%nat by lia. lra.
  - destruct IH as (c & Hc & H); [lia|]. destruct (Rle_lt_dec (Rabs (l n)) (Rabs (l c))).
    + exists c. split; [lia|]. intros p Hp. destruct (Nat.eq_dec p n) as [->|]; [auto|apply H; lia].
    + exists n. split; [lia|]. intros p Hp. destruct (Nat.eq_dec p n) as [->|]; [lra|].
      pose proof (H p ltac:(lia)). lra.
Qed.

(** E < n homogeneous equations in n unknowns have a solution with largest absolute value 1. *)
Theorem null_vector E n (M : nat -> nat -> R) : (E < n)%nat -> exists l : nat -> R,
  (forall e, (e < E)%nat -> sum n (fun c => M e c * l c) = 0) /\
  (forall c, (c < n)%nat -> Rabs (l c) <= 1) /\ exists c, (c < n)%nat /\ Rabs (l c) = 1.
Proof.
  intro HE. destruct (null_columns n M E (seq 0 n) (seq_NoDup n 0)) as (l & H & _ & j & Hj & Nj);
    [now rewrite seq_length|]. apply in_seq in Hj.
  destruct (largest_entry l n ltac:(lia)) as (d & Hd & Hmax).
  assert (Hp : 0 < Rabs (l d)).
  { apply Rlt_le_trans with (Rabs (l j)); [now apply Rabs_pos_lt|apply Hmax; lia]. }
  assert (Habs : forall c, Rabs (l c / Rabs (l d)) = Rabs (l c) / Rabs (l d)).
  { intro c. unfold Rdiv. rewrite Rabs_mult, Rabs_inv, Rabs_Rabsolu. reflexivity. }
  exists (fun c => l c / Rabs (l d)). split; [|split].
  - intros e He. unfold Rdiv. rewrite (sum_ext n _ (fun c => M e c * l c * / Rabs (l d)))
      by (intros; ring). rewrite <- sum_scal_r, H by exact He. ring.
  - intros c Hc. rewrite Habs. apply (Rmult_le_reg_r (Rabs (l d))); [exact Hp|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. pose proof (Hmax c Hc). lra.
  - exists d. split; [exact Hd|]. rewrite Habs. field. lra.
Qed.

(** ** A rectangle of one colour *)

Section Colours.
Context {C : Type}.
Variable dec : forall x y : C, {x = y} + {x <> y}.

(** Among more than m P numbers there are m of one colour. *)
Lemma pigeonhole (f : nat -> C) m : forall (colours : list C) l, NoDup l ->
  (m * length colours < length l)%nat -> (forall x, In x l -> In (f x) colours) ->
  exists c l', NoDup l' /\ length l' = m /\ forall x, In x l' -> In x l /\ f x = c.
Proof.
  induction colours as [|c colours IH]; intros l Hd Hl Hf.
  - destruct l as [|x l]; [simpl in Hl; lia|]. destruct (Hf x). now left.
  - set (here := fun x => if dec (f x) c then true else false).
    set (l1 := filter here l). set (l2 := filter (fun x => negb (here x)) l).
    assert (Hlen : length l = (length l1 + length l2)%nat).
    { unfold l1, l2. clear. induction l as [|x l IHl]; [reflexivity|]. cbn [filter length].
      destruct (here x); cbn [negb length]; lia. }
    cbn [length] in Hl. destruct (le_lt_dec m (length l1)) as [Hm|Hm].
    + pose proof (NoDup_filter here Hd : NoDup l1) as Hd'. rewrite <- (firstn_skipn m l1) in Hd'.
      exists c, (firstn m l1). split; [|split; [now rewrite firstn_length_le|]].
      * clear -Hd'. induction (firstn m l1) as [|x k IHk]; [constructor|].
        inversion Hd'; subst. constructor; [rewrite in_app_iff in *; tauto|auto].
      * intros x Hx.
        assert (Hin : In x l1) by (rewrite <- (firstn_skipn m l1); apply in_or_app; auto).
        apply filter_In in Hin as [Hin E]. unfold here in E.
        destruct (dec (f x) c); [auto|discriminate].
    + destruct (IH l2) as (d & l' & H1 & H2 & H3).
      * now apply NoDup_filter.
      * nia.
      * intros x Hx. apply filter_In in Hx as [Hx E]. unfold here in E.
        destruct (dec (f x) c); [discriminate|]. destruct (Hf x Hx); [congruence|assumption].
      * exists d, l'. split; [exact H1|]. split; [exact H2|]. intros x Hx.
        destruct (H3 x Hx) as [Hin E]. apply filter_In in Hin as [Hin _]. auto.
Qed.
End Colours.

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

(** ** A polynomial that is small on a grid has small coefficients *)

(** Division by s - s1: the quotient of the polynomial with coefficients l, of degree m. *)
Definition quotient (m : nat) (l : nat -> R) (s1 : R) (c : nat) : R :=
  sum (m - c) (fun d => l (S (c + d)) * s1 ^ d).

Lemma quotient_step m l s1 c : (c < m)%nat ->
  l (S c) = quotient m l s1 c - s1 * quotient m l s1 (S c).
Proof.
  intro Hc. unfold quotient. replace (m - c)%nat with (1 + (m - S c))%nat by lia.
  rewrite sum_add, sum_scal_l. cbn [sum]. rewrite Nat.add_0_r.
  rewrite (sum_ext (m - S c) _ (fun d => s1 * (l (S (S c + d)) * s1 ^ d))); [simpl; ring|].
  intros d Hd. replace (c + (1 + d))%nat with (S c + d)%nat by lia. simpl. ring.
Qed.

Lemma quotient_end m l s1 : quotient m l s1 m = 0.
Proof. unfold quotient. now rewrite Nat.sub_diag. Qed.

Lemma sum_first m (f : nat -> R) : sum (S m) f = f 0%nat + sum m (fun c => f (S c)).
Proof. change (S m) with (1 + m)%nat. rewrite sum_add. simpl. ring. Qed.

Lemma division m l s1 s : sum (S m) (fun c => l c * s ^ c)
  = l 0%nat + s1 * quotient m l s1 0 + (s - s1) * sum m (fun c => quotient m l s1 c * s ^ c).
Proof.
  rewrite sum_first. set (r := quotient m l s1).
  rewrite (sum_ext m _ (fun c => s * (r c * s ^ c) - s1 * (r (S c) * s ^ S c))).
  - rewrite sum_minus, <- !sum_scal_l.
    assert (E : sum m (fun c => r (S c) * s ^ S c) = sum m (fun c => r c * s ^ c) - r 0%nat).
    { pose proof (sum_first m (fun c => r c * s ^ c)) as E. cbn [sum] in E.
      unfold r at 2 in E. rewrite quotient_end in E. simpl in *. lra. }
    rewrite E. simpl. ring.
  - intros c Hc. rewrite (quotient_step m l s1 c Hc). fold r. simpl. ring.
Qed.

Lemma INR_apart a b : a <> b -> 1 <= Rabs (INR a - INR b).
Proof.
  intro H. destruct (Nat.lt_total a b) as [L|[L|L]]; [|lia|]; apply le_INR in L; rewrite S_INR in L.
  - rewrite Rabs_left; lra.
  - rewrite Rabs_pos_eq; lra.
Qed.

(** m numbers of absolute value at most X, each two of them at least 1/D apart. *)
Theorem line_rate (x : nat -> R) D X m : 1 <= D -> 1 <= X -> forall (l : list nat) (p : nat -> R) eta,
  NoDup l -> length l = m -> (forall a, In a l -> Rabs (x a) <= X) ->
  (forall a b, In a l -> In b l -> a <> b -> 1 <= D * Rabs (x a - x b)) ->
  (forall a, In a l -> Rabs (sum m (fun c => p c * x a ^ c)) <= eta) ->
  forall c, (c < m)%nat -> Rabs (p c) <= (5 * (D * X)) ^ m * eta.
Proof.
  intros HD HX. induction m as [|m IH]; [intros; lia|].
  intros [|s l] p eta Hd Hl Hx Hapart Hp; [discriminate|].
  inversion Hd as [|? ? Hn Hd']; subst. injection Hl as Hl. pose proof (Hx s (or_introl eq_refl)) as Hs.
  set (r := quotient m p (x s)). set (B := (5 * (D * X)) ^ m) in *.
  assert (HB : 1 <= B) by (apply pow_R1_Rle; nra).
  assert (H1 : Rabs (p 0%nat + x s * r 0%nat) <= eta).
  { pose proof (Hp s (or_introl eq_refl)) as H. rewrite (division m p (x s)) in H. fold r in H.
    rewrite Rminus_diag_eq, Rmult_0_l, Rplus_0_r in H by reflexivity. exact H. }
  pose proof (Rle_trans _ _ _ (Rabs_pos _) H1) as He.
  assert (HBD : 1 <= B * D) by nra. set (y := B * (2 * D * eta)). assert (Hy : eta <= y) by (unfold y; nra).
  assert (Hr : forall c, (c < m)%nat -> Rabs (r c) <= y).
  { apply (IH l); auto; [intros a Ha; apply Hx; now right|intros a b Ha Hb; apply Hapart; now right|].
    intros a Ha. pose proof (Hp a (or_intror Ha)) as Hpa. rewrite (division m p (x s)) in Hpa. fold r in Hpa.
    set (v := sum m (fun c => r c * x a ^ c)) in *.
    assert (Ha1 : 1 <= D * Rabs (x a - x s)).
    { apply Hapart; [now right|now left|]. intros ->. contradiction. }
    assert (Hv : Rabs ((x a - x s) * v) <= 2 * eta).
    { replace ((x a - x s) * v) with ((p 0%nat + x s * r 0%nat + (x a - x s) * v)
        + - (p 0%nat + x s * r 0%nat)) by ring.
      eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra. }
    rewrite Rabs_mult in Hv. pose proof (Rabs_pos v).
    apply (Rmult_le_compat_l D) in Hv; [|lra]. nra. }
  assert (Hr' : forall c, (c <= m)%nat -> Rabs (x s * r c) <= X * y).
  { intros c Hc. rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos.
    destruct (Nat.eq_dec c m) as [->|]; [|apply Hr; lia]. unfold r. rewrite quotient_end, Rabs_R0. lra. }
  replace ((5 * (D * X)) ^ S m * eta) with (5 / 2 * (X * y)) by (unfold y, B; simpl; field).
  assert (y <= X * y) by nra.
  intros [|c] Hc.
  - replace (p 0%nat) with ((p 0%nat + x s * r 0%nat) + - (x s * r 0%nat)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp.
    pose proof (Hr' 0%nat ltac:(lia)). lra.
  - rewrite (quotient_step m p (x s) c) by lia. fold r. unfold Rminus.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp.
    pose proof (Hr' (S c) ltac:(lia)). pose proof (Hr c ltac:(lia)). lra.
Qed.

(** The same for m distinct integers below Q. *)
Corollary line_bound Q m : exists B, 0 < B /\ forall (l : list nat) (p : nat -> R) eta,
  NoDup l -> length l = m -> (forall a, In a l -> (a < Q)%nat) ->
  (forall a, In a l -> Rabs (sum m (fun c => p c * INR a ^ c)) <= eta) ->
  forall c, (c < m)%nat -> Rabs (p c) <= B * eta.
Proof.
  assert (HQ : 1 <= INR (S Q)) by (apply (le_INR 1); lia).
  exists ((5 * (1 * INR (S Q))) ^ m). split; [apply pow_lt; lra|]. intros l p eta Hd Hl HQ' Hp.
  apply (line_rate INR 1 (INR (S Q)) m (Rle_refl 1) HQ l); auto.
  - intros a Ha. rewrite Rabs_pos_eq by apply pos_INR. apply le_INR. specialize (HQ' a Ha). lia.
  - intros a b _ _ Hne. rewrite Rmult_1_l. now apply INR_apart.
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

(** ** Few vectors do not span the grid *)

Lemma spans_orthogonal n k g F G x (l : nat -> R) : spans n k g F G x ->
  (forall i, (i < k)%nat -> sum n (fun c => F i c * l c) = 0) ->
  (forall i, (i < g)%nat -> sum n (fun c => G i c * l c) = 0) ->
  sum n (fun c => x c * l c) = 0.
Proof.
  intros (u & v & E) HF HG.
  rewrite (sum_ext n _ (fun c =>
    sum k (fun i => u i * (F i c * l c)) + sum g (fun i => v i * (G i c * l c)))).
  - rewrite sum_plus, !(sum_swap n), !sum_zero; [ring| |];
      intros i Hi; rewrite <- sum_scal_l, ?HF, ?HG by exact Hi; ring.
  - intros c Hc. rewrite E by exact Hc. rewrite Rmult_plus_distr_r, !sum_scal_r.
    f_equal; apply sum_ext; intros; ring.
Qed.

(** One vector is orthogonal to k vectors for each number of a list and g for each of another. *)
Lemma common_orthogonal m k g n (A B : nat -> nat -> nat -> R) (l l' : list nat) :
  length l = m -> length l' = m -> (m * k + m * g < n)%nat -> exists p : nat -> R,
    (forall a i, In a l -> (i < k)%nat -> sum n (fun c => A a i c * p c) = 0) /\
    (forall b i, In b l' -> (i < g)%nat -> sum n (fun c => B b i c * p c) = 0) /\
    (forall c, (c < n)%nat -> Rabs (p c) <= 1) /\ exists c, (c < n)%nat /\ Rabs (p c) = 1.
Proof.
  intros Hl Hl' Hn.
  set (M := fun e => if (e <? m * k)%nat then A (nth (e / k) l 0%nat) (e mod k)%nat
    else B (nth ((e - m * k) / g) l' 0%nat) ((e - m * k) mod g)%nat).
  destruct (null_vector (m * k + m * g) n M Hn) as (p & H & Hle & H1).
  exists p. split; [|split; [|auto]]; intros a i Ha Hi;
    destruct (In_nth _ _ 0%nat Ha) as (q & Hq & <-).
  - assert (He : (q * k + i < m * k)%nat) by nia.
    rewrite <- (H (q * k + i)%nat) by lia. unfold M. rewrite (proj2 (Nat.ltb_lt _ _) He).
    rewrite div_add_l, Nat.div_small, Nat.add_0_r by lia.
    now rewrite (Nat.add_comm _ i), mod_add, Nat.mod_small by lia.
  - assert (He : (q * g + i < m * g)%nat) by nia.
    rewrite <- (H (m * k + (q * g + i))%nat) by lia. unfold M.
    rewrite (proj2 (Nat.ltb_ge _ _)), Nat.add_comm, Nat.add_sub by lia.
    rewrite div_add_l, Nat.div_small, Nat.add_0_r by lia.
    now rewrite (Nat.add_comm _ i), mod_add, Nat.mod_small by lia.
Qed.

(** How well a combination of k and g vectors can follow all products of powers on words of two letters. *)
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
  assert (Hm : m <> 0%nat) by (unfold m; lia). set (B := (5 * (INR Q * 1)) ^ m).
  assert (Hp : Rabs (p c) <= B * (B * (INR n * eps))).
  { rewrite (Nat.div_mod c m Hm), (Nat.mul_comm m).
    apply (line_rate (point Q) (INR Q) 1 m HQ (Rle_refl 1) l' (fun j => p (c / m * m + j)%nat)); auto.
    - intros b Hb. rewrite Rabs_pos_eq; apply point_between; auto.
    - intros b b' Hb _. apply points_apart. auto.
    - intros b Hb. apply (line_rate (point Q) (INR Q) 1 m HQ (Rle_refl 1) l
        (fun i => sum m (fun j => p (i * m + j)%nat * point Q b ^ j))); auto.
      + intros a Ha. rewrite Rabs_pos_eq; apply point_between; auto.
      + intros a a' Ha _. apply points_apart. auto.
      + intros a Ha. eapply Rle_trans; [right|exact (Hsmall a b Ha Hb)]. f_equal.
        unfold n. rewrite sum_mul. apply sum_ext. intros i Hi. rewrite sum_scal_r. apply sum_ext. intros j Hj.
        rewrite div_add_l, (Nat.div_small j), Nat.add_0_r by lia.
        rewrite Nat.add_comm, mod_add, Nat.mod_small by lia. ring.
      + apply Nat.div_lt_upper_bound; [exact Hm|exact Hc].
    - now apply Nat.mod_upper_bound. }
  rewrite Hone in Hp. eapply Rle_trans; [exact Hp|]. right. unfold B.
  rewrite Rmult_1_r, mult_INR, pow_INR, mult_INR, pow_add. replace (INR 5) with 5 by (cbn; lra). ring.
Qed.
