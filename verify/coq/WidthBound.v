(** * How wide a transformer of the least depth must be

    Section 3.2. Theorem 1 has embedding and attention width O(n^2). With two heads and ceil(log2 T) layers,
    the least depth (DepthBound.v), that order is necessary: where the last layer is a bilinear layer on what
    its two heads read, d numbers each, and the earlier layers are arbitrary, simulation of all automata with
    n states, exact or with every precision, needs d >= n^2, for every T >= 2.

    The idea: over a large alphabet all words with letters in sets S_1, .., S_T of n^2 + 1 letters have
    one routing. Each letter matters, so each of the two tokens that the last layer reads misses a letter that
    the other one sees, at positions i < u, say. Vary these two letters, a and b. The output is a bilinear form
    of d numbers that depend on a and d that depend on b, plus a function of a, plus one of b. If d < n^2, there
    are weights on the n^2 + 1 letters b that are not all 0, have sum 0 and annihilate the d numbers. The
    weighted sum of the outputs then does not depend on a, that of the states v A^a M A^b M' does: the n^2 + 1
    matrices A^b are affinely independent, and so are the matrices A^a.

    Alphabets. The finite alphabet is chosen after the numbers of tokens, heads and layers, the length and n.

    Main definitions: [moment] (the letters), [act] (states), [bilinear_end].
    Main theorems:    [one_colour_grid], [rank_core], [width_needed]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FinFun.
From Assay Require Import Compat Sums ReluGrid ReluTransformers.
From Assay Require DepthBound.
Import ListNotations.
Open Scope R_scope.

(** ** A grid of one colour *)

(** The words with a letter from each list. *)
Definition on (w : list nat) (grid : list (list nat)) : Prop := Forall2 (fun a l => In a l) w grid.

(** Lists of k different numbers below Q. *)
Definition side (k Q : nat) (l : list nat) : Prop := NoDup l /\ length l = k /\ Forall (fun a => (a < Q)%nat) l.
Definition sides (k Q : nat) : list (list nat) -> Prop := Forall (side k Q).

Lemma first_on k Q grid : (1 <= k)%nat -> sides k Q grid -> on (map (hd 0%nat) grid) grid.
Proof.
  intros Hk. induction 1 as [|l grid (_ & Hl & _) _ IH]; [constructor|]. constructor; [|exact IH].
  destruct l; [cbn in Hl; lia|now left].
Qed.

Lemma on_word k Q grid w : sides k Q grid -> on w grid -> DepthBound.word (length grid) Q w.
Proof.
  intros Hs. revert w. induction Hs as [|l grid (_ & _ & Hl) _ IH]; intros w Hw;
    inversion Hw as [|a l' w' g' Ha Hw']; subst; [split; constructor|].
  destruct (IH w' Hw') as [H1 H2]. split; [cbn; lia|].
  constructor; [|exact H2]. rewrite Forall_forall in Hl. now apply Hl.
Qed.

(** Every colouring of words of T letters with P colours has a grid with k letters for each position in which all
    words have one colour, if there are enough letters. *)
Theorem one_colour_grid T k : (1 <= k)%nat -> forall P, exists Q, forall (C : Type)
    (dec : forall x y : C, {x = y} + {x <> y}) (colours : list C) (colour : list nat -> C),
  (length colours <= P)%nat -> (forall w, DepthBound.word T Q w -> In (colour w) colours) ->
  exists grid, length grid = T /\ sides k Q grid /\
    forall w w', on w grid -> on w' grid -> colour w = colour w'.
Proof.
  intro Hk. induction T as [|T IH]; intro P.
  - exists 0%nat. intros C dec colours colour _ _. exists []. split; [reflexivity|].
    split; [constructor|]. intros w w' Hw Hw'. inversion Hw. now inversion Hw'.
  - set (q := S (k * P)). destruct (IH (P ^ q)%nat) as (Q & HQ). exists (q + Q)%nat.
    intros C dec colours colour HP Hin.
    assert (Hword : forall a w, (a < q)%nat -> DepthBound.word T Q w -> In (colour (a :: w)) colours).
    { intros a w Ha [H1 H2]. apply Hin. split; [cbn; lia|]. constructor; [lia|].
      eapply Forall_impl; [|exact H2]. cbn. lia. }
    set (colour' := fun w => map (fun a => colour (a :: w)) (seq 0 q)).
    destruct (HQ (list C) (list_eq_dec dec) (DepthBound.lists_over colours q) colour') as (grid & Hlen & Hs & Hc).
    + rewrite DepthBound.lists_over_length. now apply Nat.pow_le_mono_l.
    + intros w Hw. apply DepthBound.in_lists_over; unfold colour'; [now rewrite map_length, seq_length|].
      apply Forall_map, Forall_forall. intros a Ha. apply in_seq in Ha. apply Hword; [lia|exact Hw].
    + pose proof (first_on k Q grid Hk Hs) as H0. set (w0 := map (hd 0%nat) grid) in *.
      destruct (pigeonhole dec (fun a => colour (a :: w0)) k colours (seq 0 q)) as (c & l & Dl & Ll & Hl).
      * apply seq_NoDup.
      * rewrite seq_length. unfold q. nia.
      * intros a Ha. apply in_seq in Ha. apply Hword; [lia|]. rewrite <- Hlen. now apply (on_word k).
      * assert (G : forall w, on w (l :: grid) -> colour w = c).
        { intros w Hw. inversion Hw as [|a l' w' g' Ha Hw']; subst. destruct (Hl a Ha) as [Hs' <-].
          exact (DepthBound.same_maps _ _ _ (Hc w' w0 Hw' H0) a Hs'). }
        exists (l :: grid). split; [cbn; lia|]. split; [|intros w w' Hw Hw'; now rewrite !G].
        constructor.
        -- split; [exact Dl|]. split; [exact Ll|]. apply Forall_forall. intros a Ha.
           destruct (Hl a Ha) as [Ha' _]. apply in_seq in Ha'. lia.
        -- eapply Forall_impl; [|exact Hs]. intros l' (H1 & H2 & H3). repeat split; auto.
           eapply Forall_impl; [|exact H3]. cbn. lia.
Qed.

(** ** The letters *)

Section Moments.
Variable n : nat.
Hypothesis n_1 : (1 <= n)%nat.

Definition base (x : nat) : R := INR (x + n).

(** All powers of a number below the n^2-th in the entries, and the n^2-th on the diagonal. *)
Definition moment (x : nat) : mat := fun i j =>
  base x ^ (i * n + j) + (if (i =? j)%nat then base x ^ (n * n) else 0).

Lemma base_ge x : INR n <= base x.
Proof. unfold base. apply le_INR. lia. Qed.

Lemma base_1 x : 1 <= base x.
Proof. eapply Rle_trans; [|apply base_ge]. apply (le_INR 1). exact n_1. Qed.

(** A polynomial that is small on as many numbers as it has coefficients has small coefficients. *)
Lemma roots K m : exists B, 0 < B /\ forall (l : list nat) (p : nat -> R) eta, side m K l ->
  (forall x, In x l -> Rabs (sum m (fun c => p c * base x ^ c)) <= eta) ->
  forall c, (c < m)%nat -> Rabs (p c) <= B * eta.
Proof.
  destruct (line_bound (K + n) m) as (B & HB & L). exists B. split; [exact HB|].
  intros l p eta (Hd & Hl & HK) H. apply (L (map (fun x => (x + n)%nat) l)).
  - apply Injective_map_NoDup; [intros a b; lia|exact Hd].
  - now rewrite map_length.
  - intros a Ha. apply in_map_iff in Ha as (x & <- & Hx). rewrite Forall_forall in HK. specialize (HK x Hx). lia.
  - intros a Ha. apply in_map_iff in Ha as (x & <- & Hx). now apply H.
Qed.

Lemma sum_bound m (f : nat -> R) b : (forall r, (r < m)%nat -> Rabs (f r) <= b) -> Rabs (sum m f) <= INR m * b.
Proof. intro H. rewrite <- sum_const. eapply Rle_trans; [apply sum_abs|]. now apply sum_le. Qed.

(** Weights on as many numbers as there are powers that nearly annihilate all powers are small. *)
Lemma no_weights K m : exists B, 0 < B /\ forall (l : list nat) (lam : nat -> R) eta, side m K l ->
  (forall c, (c < m)%nat -> Rabs (sum m (fun r => lam r * base (nth r l 0%nat) ^ c)) <= eta) ->
  forall r, (r < m)%nat -> Rabs (lam r) <= B * eta.
Proof.
  destruct (roots K m) as (B & HB & R). exists (B * INR m + 1). pose proof (pos_INR m) as Hm0. split; [nra|].
  intros l lam eta Hside H r Hr.
  (* a polynomial with the other numbers as its roots *)
  set (skip := fun e => if (e <? r)%nat then e else S e).
  destruct (null_vector (m - 1) m (fun e c => base (nth (skip e) l 0%nat) ^ c) ltac:(lia))
    as (p & Hp & Hle & c & Hc & Hone).
  assert (Hz : forall s, (s < m)%nat -> s <> r -> sum m (fun c => base (nth s l 0%nat) ^ c * p c) = 0).
  { intros s Hs Hne. destruct (Nat.lt_ge_cases s r) as [Hlt|Hge].
    - rewrite <- (Hp s ltac:(lia)). unfold skip. now rewrite (proj2 (Nat.ltb_lt s r)) by exact Hlt.
    - rewrite <- (Hp (s - 1)%nat ltac:(lia)). unfold skip.
      rewrite (proj2 (Nat.ltb_ge (s - 1) r)) by lia. now replace (S (s - 1)) with s by lia. }
  set (v := sum m (fun c => base (nth r l 0%nat) ^ c * p c)).
  assert (Hv : 1 <= B * Rabs v).
  { rewrite <- Hone. apply (R l p (Rabs v) Hside); [|exact Hc].
    intros x Hx. apply (In_nth _ _ 0%nat) in Hx as (s & Hs & <-). rewrite (proj1 (proj2 Hside)) in Hs.
    rewrite (sum_ext m _ (fun c => base (nth s l 0%nat) ^ c * p c)) by (intros; ring).
    destruct (Nat.eq_dec s r) as [->|Hne]; [fold v; lra|]. rewrite (Hz s Hs Hne), Rabs_R0. apply Rabs_pos. }
  assert (E : sum m (fun c => p c * sum m (fun s => lam s * base (nth s l 0%nat) ^ c)) = lam r * v).
  { rewrite (sum_ext m _ (fun c => sum m (fun s => lam s * (base (nth s l 0%nat) ^ c * p c)))).
    - rewrite sum_swap, (sum_single m _ r Hr); [now rewrite <- sum_scal_l|].
      intros s Hs Hne. rewrite <- sum_scal_l, Hz by assumption. ring.
    - intros e He. rewrite sum_scal_l. apply sum_ext. intros; ring. }
  assert (Heta : 0 <= eta) by (eapply Rle_trans; [apply Rabs_pos|apply (H r Hr)]).
  assert (Hs : Rabs (lam r * v) <= INR m * eta).
  { rewrite <- E. apply sum_bound. intros e He. rewrite Rabs_mult, <- (Rmult_1_l eta).
    apply Rmult_le_compat; auto using Rabs_pos. }
  rewrite Rabs_mult in Hs. pose proof (Rabs_pos (lam r)). pose proof (Rabs_pos v).
  assert (Rabs (lam r) <= B * (Rabs (lam r) * Rabs v)) by nra. nra.
Qed.

(** A matrix with a large diagonal makes no vector smaller. *)
Lemma dominant (M : mat) (small : R) (y : nat -> R) eta : 0 <= small ->
  (forall i j, (i < n)%nat -> (j < n)%nat -> i <> j -> Rabs (M i j) <= small) ->
  (forall i, (i < n)%nat -> INR n * small + 1 <= M i i) ->
  (forall i, (i < n)%nat -> Rabs (sum n (fun j => M i j * y j)) <= eta) ->
  forall i, (i < n)%nat -> Rabs (y i) <= eta.
Proof.
  intros H0 Hoff Hdiag Hker. destruct (largest_entry y n ltac:(lia)) as (c & Hc & Hmax).
  enough (Hy : Rabs (y c) <= eta) by (intros i Hi; specialize (Hmax i Hi); lra).
  pose proof (Hker c Hc) as E. rewrite (sum_split n _ c Hc) in E. set (rest := sum n _) in E.
  assert (Hr : Rabs rest <= INR n * (small * Rabs (y c))).
  { apply sum_bound. intros p Hp. destruct (Nat.eqb_spec p c) as [->|Hne].
    - rewrite Rabs_R0. apply Rmult_le_pos; [exact H0|apply Rabs_pos].
    - rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos. }
  assert (Hd : Rabs (M c c * y c) <= eta + Rabs rest).
  { replace (M c c * y c) with ((M c c * y c + rest) + - rest) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra. }
  pose proof (Hdiag c Hc). pose proof (pos_INR n). pose proof (Rabs_pos (y c)).
  rewrite Rabs_mult, (Rabs_pos_eq (M c c)) in Hd by nra. nra.
Qed.

Lemma moment_off x i j : (i < n)%nat -> (j < n)%nat -> i <> j -> Rabs (moment x i j) <= base x ^ (n * n - 1).
Proof.
  intros Hi Hj Hne. unfold moment. rewrite (proj2 (Nat.eqb_neq i j)) by exact Hne. rewrite Rplus_0_r.
  pose proof (base_1 x). rewrite Rabs_pos_eq by (apply pow_le; lra). apply Rle_pow; [exact H|nia].
Qed.

Lemma moment_diagonal x i : (i < n)%nat -> INR n * base x ^ (n * n - 1) + 1 <= moment x i i.
Proof.
  intro Hi. unfold moment. rewrite Nat.eqb_refl. pose proof (base_1 x) as H1. pose proof (base_ge x) as H2.
  assert (E : base x ^ (n * n) = base x * base x ^ (n * n - 1)).
  { replace (n * n)%nat with (S (n * n - 1)) at 1 by nia. reflexivity. }
  rewrite E. assert (0 < base x ^ (n * n - 1)) by (apply pow_lt; lra).
  pose proof (pow_R1_Rle (base x) (i * n + i) H1). nra.
Qed.

(** ** States: rows that matrices act on, and columns *)

Definition times_row (v : nat -> R) (x : nat) : nat -> R := fun j => sum n (fun i => v i * moment x i j).
Definition times_column (x : nat) (y : nat -> R) : nat -> R := fun i => sum n (fun j => moment x i j * y j).
Definition act (v : nat -> R) (w : list nat) : nat -> R := fold_left times_row w v.
Definition coact (w : list nat) (y : nat -> R) : nat -> R := fold_right times_column y w.
Definition dot (v y : nat -> R) : R := sum n (fun i => v i * y i).
Definition unit_vector (j i : nat) : R := b2r (i =? j)%nat.

Definition below (eta : R) (v : nat -> R) : Prop := forall i, (i < n)%nat -> Rabs (v i) <= eta.
Definition large (v : nat -> R) : Prop := exists i, (i < n)%nat /\ 1 <= Rabs (v i).

Lemma unit_large j : (j < n)%nat -> large (unit_vector j).
Proof.
  intro Hj. exists j. unfold unit_vector. rewrite Nat.eqb_refl. cbn. rewrite Rabs_R1. split; [exact Hj|lra].
Qed.

(** Neither rows nor columns get smaller. *)
Lemma act_kernel eta w : forall v, below eta (act v w) -> below eta v.
Proof.
  induction w as [|x w IH]; intros v H; [exact H|]. apply IH in H. pose proof (base_1 x).
  intros i Hi. apply (dominant (fun i j => moment x j i) (base x ^ (n * n - 1)) v); [| | | |exact Hi].
  - apply pow_le. lra.
  - intros; now apply moment_off; auto.
  - intros; now apply moment_diagonal.
  - intros j Hj. eapply Rle_trans; [|exact (H j Hj)]. right. f_equal. apply sum_ext. intros; ring.
Qed.

Lemma coact_kernel eta w y : below eta (coact w y) -> below eta y.
Proof.
  induction w as [|x w IH]; intro H; [exact H|]. apply IH. pose proof (base_1 x).
  intros i Hi. apply (dominant (moment x) (base x ^ (n * n - 1)) (coact w y)); [| | | |exact Hi].
  - apply pow_le. lra.
  - intros; now apply moment_off.
  - intros; now apply moment_diagonal.
  - exact H.
Qed.

Lemma act_large w v : large v -> large (act v w).
Proof.
  intros (k & Hk & Hv). destruct (largest_entry (act v w) n ltac:(lia)) as (i & Hi & Hmax).
  exists i. split; [exact Hi|]. pose proof (act_kernel _ w v Hmax k Hk). lra.
Qed.

Lemma coact_large w y : large y -> large (coact w y).
Proof.
  intros (k & Hk & Hy). destruct (largest_entry (coact w y) n ltac:(lia)) as (i & Hi & Hmax).
  exists i. split; [exact Hi|]. pose proof (coact_kernel _ w y Hmax k Hk). lra.
Qed.

Lemma act_app v w w' : act v (w ++ w') = act (act v w) w'.
Proof. apply fold_left_app. Qed.

Lemma act_coact w y : forall v, dot (act v w) y = dot v (coact w y).
Proof.
  induction w as [|x w IH]; intro v; [reflexivity|]. cbn [act coact fold_left fold_right].
  change (fold_left times_row w (times_row v x)) with (act (times_row v x) w).
  change (fold_right times_column y w) with (coact w y). rewrite IH. unfold dot, times_row, times_column.
  rewrite (sum_ext n _ (fun j => sum n (fun i => v i * (moment x i j * coact w y j)))).
  - rewrite sum_swap. apply sum_ext. intros i _. now rewrite sum_scal_l.
  - intros j _. rewrite sum_scal_r. apply sum_ext. intros; ring.
Qed.

Lemma dot_unit v j : (j < n)%nat -> dot v (unit_vector j) = v j.
Proof.
  intro Hj. unfold dot, unit_vector. rewrite (sum_single n _ j Hj); [rewrite Nat.eqb_refl; cbn; ring|].
  intros p _ Hne. rewrite (proj2 (Nat.eqb_neq p j)) by exact Hne. cbn. ring.
Qed.

(** The state after one more letter and a word, as a row times a column. *)
Lemma act_letter v x w j : (j < n)%nat -> act v (x :: w) j = dot (times_row v x) (coact w (unit_vector j)).
Proof. intro Hj. rewrite <- act_coact, dot_unit by exact Hj. reflexivity. Qed.

Lemma dot_weights m (lam : nat -> R) v (Y : nat -> nat -> R) :
  sum m (fun r => lam r * dot v (Y r)) = dot v (fun i => sum m (fun r => lam r * Y r i)).
Proof.
  unfold dot. rewrite (sum_ext m _ (fun r => sum n (fun i => v i * (lam r * Y r i)))).
  - rewrite sum_swap. apply sum_ext. intros i _. now rewrite sum_scal_l.
  - intros r _. rewrite sum_scal_l. apply sum_ext. intros; ring.
Qed.

Lemma coact_weights m (lam : nat -> R) (Y : nat -> nat -> R) w : forall k,
  sum m (fun r => lam r * coact w (Y r) k) = coact w (fun i => sum m (fun r => lam r * Y r i)) k.
Proof.
  induction w as [|x w IH]; intro k; [reflexivity|]. cbn [coact fold_right]. unfold times_column at 2.
  etransitivity; [exact (dot_weights m lam (moment x k) (fun r => coact w (Y r)))|].
  apply sum_ext. intros i _. f_equal. apply IH.
Qed.

(** ** Rows v A^a, for n^2 + 1 letters a, are affinely independent enough *)

(** A letter with n^2 + 1 values that hardly matters stands between a row and a column one of which is small. *)
Lemma constant_roots K : exists B, 0 < B /\ forall (l : list nat) (v y : nat -> R) C eta, side (S (n * n)) K l ->
  (forall x, In x l -> Rabs (dot (times_row v x) y - C) <= eta) ->
  forall i k, (i < n)%nat -> (k < n)%nat -> Rabs (v i * y k) <= B * eta.
Proof.
  destruct (roots K (S (n * n))) as (B & HB & R). pose proof (pos_INR n) as Hn0.
  exists (B * (INR n + 1)). split; [nra|]. intros l v y C eta Hl H.
  (* the coefficients of (v A^x) y - C, a polynomial in the base of x *)
  set (p := fun c => (if (c <? n * n)%nat then v (c / n)%nat * y (c mod n)%nat else dot v y)
                     - (if (c =? 0)%nat then C else 0)).
  assert (Hp : forall c, (c < S (n * n))%nat -> Rabs (p c) <= B * eta).
  { apply (R l p eta Hl). intros x Hx. eapply Rle_trans; [|exact (H x Hx)]. right. f_equal.
    rewrite (sum_ext _ _ (fun c => (if (c <? n * n)%nat then v (c / n)%nat * y (c mod n)%nat else dot v y)
      * base x ^ c - (if (c =? 0)%nat then C else 0) * base x ^ c)) by (intros; unfold p; ring).
    rewrite sum_minus, (sum_single (S (n * n)) (fun c => (if (c =? 0)%nat then C else 0) * _) 0%nat);
      [|lia|intros q _ Hne; rewrite (proj2 (Nat.eqb_neq q 0)) by exact Hne; ring].
    cbn [sum Nat.eqb pow]. rewrite Nat.ltb_irrefl, Rmult_1_r. f_equal. unfold dot at 3, times_row.
    rewrite (sum_ext n (fun j => sum n _ * y j) (fun j => sum n (fun i => v i * base x ^ (i * n + j) * y j)
      + v j * y j * base x ^ (n * n))).
    - rewrite sum_plus. f_equal.
      + rewrite sum_mul, sum_swap. apply sum_ext. intros j Hj. apply sum_ext. intros i Hi.
        rewrite (proj2 (Nat.ltb_lt _ _)), div_add_l, (Nat.div_small j), Nat.add_0_r by nia.
        rewrite (Nat.add_comm (i * n) j), mod_add, Nat.mod_small by lia. ring.
      + unfold dot. now rewrite sum_scal_r.
    - intros j Hj. unfold moment. rewrite sum_scal_r.
      rewrite (sum_ext n _ (fun i => v i * base x ^ (i * n + j) * y j
        + (if (i =? j)%nat then v i * y j * base x ^ (n * n) else 0)))
        by (intros q _; destruct (q =? j)%nat; ring).
      rewrite sum_plus. f_equal. rewrite (sum_single n _ j Hj); [now rewrite Nat.eqb_refl|].
      intros q _ Hne. now rewrite (proj2 (Nat.eqb_neq q j)). }
  assert (Heta : 0 <= B * eta) by (eapply Rle_trans; [apply Rabs_pos|apply (Hp 0%nat); lia]).
  assert (Hpos : forall i k, (i < n)%nat -> (k < n)%nat -> (i + k <> 0)%nat -> Rabs (v i * y k) <= B * eta).
  { intros i k Hi Hk Hik. specialize (Hp (i * n + k)%nat ltac:(nia)). unfold p in Hp.
    rewrite (proj2 (Nat.ltb_lt _ _)), (proj2 (Nat.eqb_neq _ _)), Rminus_0_r in Hp by nia.
    rewrite div_add_l, (Nat.div_small k), Nat.add_0_r in Hp by lia.
    now rewrite (Nat.add_comm (i * n) k), mod_add, Nat.mod_small in Hp by lia. }
  intros i k Hi Hk. destruct (Nat.eq_dec (i + k) 0) as [E|E].
  2: { specialize (Hpos i k Hi Hk E). nra. }
  (* the constant hides v_0 y_0, but not the product of v and y *)
  replace i with 0%nat by lia. replace k with 0%nat by lia.
  specialize (Hp (n * n)%nat ltac:(lia)). unfold p in Hp.
  rewrite Nat.ltb_irrefl, (proj2 (Nat.eqb_neq _ _)), Rminus_0_r in Hp by nia.
  unfold dot in Hp. rewrite (sum_split n _ 0%nat ltac:(lia)) in Hp. set (rest := sum n _) in Hp.
  assert (Hr : Rabs rest <= INR n * (B * eta)).
  { apply sum_bound. intros q Hq. destruct (Nat.eqb_spec q 0); [now rewrite Rabs_R0|apply Hpos; lia]. }
  replace (v 0%nat * y 0%nat) with ((v 0%nat * y 0%nat + rest) + - rest) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. nra.
Qed.

(** ** The rank *)

(** The states after w0 a w1 b w2, for n^2 + 1 letters a and as many letters b below K, are not near to sums
    of d products of a number that depends on a and j and one that depends on b, of a number that depends on
    a and j, and of one that depends on b and j, if d < n^2. *)
Theorem rank_core (d K : nat) : (d < n * n)%nat -> exists eps, 0 < eps /\
  forall (la lb : list nat) (w0 w1 w2 : list nat) (v : nat -> R) (G : nat -> nat -> nat -> R)
    (Z P Q : nat -> nat -> R), side (S (n * n)) K la -> side (S (n * n)) K lb -> large v ->
  ~ (forall a b j, In a la -> In b lb -> (j < n)%nat ->
       Rabs (act v (w0 ++ a :: w1 ++ b :: w2) j
             - (sum d (fun c => G a j c * Z b c) + P a j + Q b j)) <= eps).
Proof.
  intro Hd. set (m := S (n * n)).
  destruct (constant_roots K) as (B1 & HB1 & R1). destruct (no_weights K m) as (B2 & HB2 & R2).
  assert (Hm : 0 < INR m) by (apply lt_0_INR; unfold m; lia).
  assert (Hpos : 0 < 4 * B2 * (B1 * INR m)) by (repeat apply Rmult_lt_0_compat; lra).
  exists (/ (4 * B2 * (B1 * INR m))). set (eps := / _). assert (Heps : 0 < eps) by now apply Rinv_0_lt_compat.
  split; [exact Heps|]. intros la lb w0 w1 w2 v G Z P Q Hla Hlb Hv H. set (b := fun r => nth r lb 0%nat).
  assert (Hb : forall r, (r < m)%nat -> In (b r) lb)
    by (intros r Hr; apply nth_In; now rewrite (proj1 (proj2 Hlb))).
  (* weights on the letters b that annihilate Z and constants *)
  destruct (null_vector (d + 1) m (fun e r => if (e <? d)%nat then Z (b r) e else 1) ltac:(unfold m; lia))
    as (lam & Hlam & Hle & c & Hc & Hone).
  assert (HZ : forall e, (e < d)%nat -> sum m (fun r => lam r * Z (b r) e) = 0).
  { intros e He. rewrite <- (Hlam e ltac:(lia)). apply sum_ext. intros r _.
    rewrite (proj2 (Nat.ltb_lt e d)) by exact He. ring. }
  assert (H1 : sum m lam = 0).
  { rewrite <- (Hlam d ltac:(lia)). apply sum_ext. intros r _. rewrite Nat.ltb_irrefl. ring. }
  (* the weighted sum of the states hardly depends on a *)
  set (v0 := act v w0). destruct (act_large w0 v Hv : large v0) as (i & Hi & Hvi).
  set (eta := INR m * eps).
  set (y := fun j k => sum m (fun r => lam r * coact (w1 ++ b r :: w2) (unit_vector j) k)).
  assert (Hrow : forall a j, In a la -> (j < n)%nat ->
    Rabs (dot (times_row v0 a) (y j) - sum m (fun r => lam r * Q (b r) j)) <= eta).
  { intros a j Ha Hj. unfold y.
    rewrite <- (dot_weights m lam _ (fun r => coact (w1 ++ b r :: w2) (unit_vector j))), <- sum_minus.
    assert (E0 : sum m (fun r => lam r * (sum d (fun c => G a j c * Z (b r) c) + P a j)) = 0).
    { rewrite (sum_ext m _ (fun r => sum d (fun c => G a j c * (lam r * Z (b r) c)) + P a j * lam r)).
      - rewrite sum_plus, <- sum_scal_l, H1, sum_swap.
        rewrite sum_zero; [ring|]. intros e He. rewrite <- sum_scal_l, HZ by exact He. ring.
      - intros r _. rewrite Rmult_plus_distr_l, sum_scal_l.
        rewrite (sum_ext d _ (fun c => G a j c * (lam r * Z (b r) c))) by (intros; ring). ring. }
    rewrite <- (Rminus_0_r (sum m _)), <- E0, <- sum_minus. apply sum_bound. intros r Hr.
    rewrite <- !Rmult_minus_distr_l, Rabs_mult, <- (Rmult_1_l eps).
    apply Rmult_le_compat; auto using Rabs_pos.
    eapply Rle_trans; [|exact (H a (b r) j Ha (Hb r Hr) Hj)]. right. f_equal.
    rewrite act_app, act_letter by exact Hj. fold v0. ring. }
  (* so the weighted sum of the matrices of the letters b is small *)
  assert (Hcol : forall j, (j < n)%nat ->
    below (B1 * eta) (fun k => sum m (fun r => lam r * coact (b r :: w2) (unit_vector j) k))).
  { intros j Hj. apply (coact_kernel (B1 * eta) w1). intros k Hk. rewrite <- coact_weights.
    assert (E : Rabs (v0 i * y j k) <= B1 * eta)
      by (apply (R1 la v0 (y j) (sum m (fun r => lam r * Q (b r) j)) eta Hla); auto).
    rewrite Rabs_mult in E. pose proof (Rabs_pos (y j k)).
    apply Rle_trans with (Rabs (y j k)); [|nra]. right. f_equal. apply sum_ext. intros r _. f_equal.
    unfold coact. now rewrite fold_right_app. }
  assert (HM : forall k, (k < n)%nat -> below (B1 * eta) (fun l => sum m (fun r => lam r * moment (b r) k l))).
  { intros k Hk. apply (act_kernel (B1 * eta) w2). intros j Hj. rewrite <- (dot_unit (act _ w2) j Hj), act_coact.
    eapply Rle_trans; [|exact (Hcol j Hj k Hk)]. right. f_equal. set (z := coact w2 (unit_vector j)).
    change (sum n (fun l => sum m (fun r => lam r * moment (b r) k l) * z l)
      = sum m (fun r => lam r * sum n (fun l => moment (b r) k l * z l))).
    rewrite (sum_ext n _ (fun l => sum m (fun r => lam r * (moment (b r) k l * z l)))).
    - rewrite sum_swap. apply sum_ext. intros r _. now rewrite sum_scal_l.
    - intros l _. rewrite sum_scal_r. apply sum_ext. intros; ring. }
  assert (Hz : Rabs (lam c) <= B2 * (2 * (B1 * eta))).
  { assert (H0 : 0 <= B1 * eta) by (unfold eta; apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]).
    assert (Htop : Rabs (sum m (fun r => lam r * base (b r) ^ (n * n))) <= B1 * eta).
    { eapply Rle_trans; [|exact (HM 0%nat ltac:(lia) 0%nat ltac:(lia))]. right. f_equal.
      unfold moment. cbn [Nat.eqb].
      rewrite (sum_ext m (fun r => lam r * (_ + _)) (fun r => lam r + lam r * base (b r) ^ (n * n)))
        by (intros; cbn [Nat.mul Nat.add pow]; ring). rewrite sum_plus, H1. ring. }
    apply (R2 lb lam _ Hlb); [|exact Hc]. intros e He. destruct (Nat.eq_dec e (n * n)) as [->|Hne].
    { fold (b 0%nat). eapply Rle_trans; [exact Htop|lra]. }
    assert (Hq : (e / n < n)%nat) by (apply Nat.div_lt_upper_bound; unfold m in He; lia).
    assert (Hr : (e mod n < n)%nat) by (apply Nat.mod_upper_bound; lia).
    pose proof (HM _ Hq _ Hr) as HMe. cbv beta in HMe. unfold moment in HMe.
    replace (e / n * n + e mod n)%nat with e in HMe by (rewrite (Nat.div_mod e n) at 1; lia).
    change (Rabs (sum m (fun r => lam r * base (b r) ^ e)) <= 2 * (B1 * eta)). set (goal := sum m _).
    destruct (e / n =? e mod n)%nat.
    - rewrite (sum_ext m (fun r => lam r * (_ + _))
        (fun r => lam r * base (b r) ^ e + lam r * base (b r) ^ (n * n))) in HMe by (intros; ring).
      rewrite sum_plus in HMe. fold goal in HMe.
      set (top := sum m (fun r => lam r * base (b r) ^ (n * n))) in *. clearbody goal top.
      revert HMe Htop. unfold Rabs. repeat destruct (Rcase_abs _); lra.
    - apply Rle_trans with (B1 * eta); [|lra]. eapply Rle_trans; [|exact HMe]. right. f_equal.
      apply sum_ext. intros. ring. }
  rewrite Hone in Hz. unfold eta in Hz. replace (B2 * (2 * (B1 * (INR m * eps)))) with (/ 2) in Hz; [lra|].
  unfold eps. field. repeat split; lra.
Qed.
End Moments.

(** ** Networks with a bilinear last layer *)

(** The last layer has two heads and no residual connections. What the network says is a bilinear form of d numbers
    of each of the two tokens read, plus a function of the one and a function of the other. *)
Definition bilinear_end {X} (net : DepthBound.network nat X (nat -> R)) (lys : list (DepthBound.layer X))
    (last : DepthBound.layer X) (d n : nat) : Prop :=
  DepthBound.layers net = lys ++ [last] /\ DepthBound.heads last = 2%nat /\ DepthBound.residual last = false /\
  exists (left right : option X -> nat -> R) (M : nat -> nat -> nat -> R) (p q : nat -> option X -> R),
  forall o o' j, (j < n)%nat ->
    DepthBound.said net (DepthBound.made last (DepthBound.exit net) None [o; o']) j
    = sum d (fun c => sum d (fun c' => M j c c' * left o c * right o' c')) + p j o + q j o'.

Lemma side_of k Q grid u : sides k Q grid -> (u < length grid)%nat ->
  exists g1 l g2, grid = g1 ++ l :: g2 /\ length g1 = u /\ sides k Q g1 /\ side k Q l /\ sides k Q g2.
Proof.
  intros Hs Hu. destruct (nth_split grid [] Hu) as (g1 & g2 & E & L1). exists g1, (nth u grid []), g2.
  unfold sides in *. rewrite E in Hs. apply Forall_app in Hs as [H1 H2]. inversion H2; subst. auto.
Qed.

Section Last.
Context {X : Type} (n T : nat) (net : DepthBound.network nat X (nat -> R)).
Variables (lys : list (DepthBound.layer X)) (last : DepthBound.layer X) (grid : list (list nat)) (Q : nat).
Hypothesis n_1 : (1 <= n)%nat.
Hypothesis layers_are : DepthBound.layers net = lys ++ [last].
Hypothesis two_heads : DepthBound.heads last = 2%nat.
Hypothesis no_residual : DepthBound.residual last = false.
Hypothesis grid_length : length grid = T.
Let k := S (n * n).
Hypothesis grid_sides : sides k Q grid.

Let N := DepthBound.places net.
Let x w := DepthBound.tokens net w.
Let back := rev lys.
Let out := DepthBound.exit net.
Hypothesis one_routing : forall w w', on w grid -> on w' grid ->
  DepthBound.code N (rev (DepthBound.layers net)) (x w) out
  = DepthBound.code N (rev (DepthBound.layers net)) (x w') out.
Variables (eps B : R).
Hypothesis near_states : forall w, on w grid -> forall j, (j < n)%nat ->
  Rabs (DepthBound.output net w j - act n first_state w j) <= eps.
Hypothesis letters_matter : forall (l : list nat) (v y : nat -> R) C eta, side k Q l ->
  (forall x, In x l -> Rabs (dot n (times_row n v x) y - C) <= eta) ->
  forall i j, (i < n)%nat -> (j < n)%nat -> Rabs (v i * y j) <= B * eta.
Hypothesis small : B * eps < 1.

(** What head h of the last layer reads, from which place, and which positions of the word that depends on. *)
Let tok h w := DepthBound.read N (DepthBound.run N lys (x w))
                 (DepthBound.chosen last h out (DepthBound.run N lys (x w))).
Let w0 := map (hd 0%nat) grid.
Let goal h := DepthBound.target N back last (x w0) h out.
Let part h : list nat := if (goal h <? N)%nat
  then map (DepthBound.spot net) (DepthBound.leaves N back (x w0) (goal h)) else [].

Lemma parts w : on w grid -> forall h, (h < 2)%nat ->
  DepthBound.target N back last (x w) h out = goal h /\
  DepthBound.code N back (x w) (goal h) = DepthBound.code N back (x w0) (goal h).
Proof.
  intros Hw h Hh. pose proof (one_routing w w0 Hw (first_on k Q grid ltac:(unfold k; lia) grid_sides)) as E.
  rewrite layers_are, rev_app_distr in E. cbn [rev app] in E. fold back in E.
  destruct (proj2 (DepthBound.code_parts N back last _ _ _ E) h ltac:(lia)) as [E1 E2].
  split; [exact E1|]. unfold goal. now rewrite <- E1.
Qed.

Lemma tok_same w w' h : on w grid -> on w' grid -> (h < 2)%nat ->
  (forall p, In p (part h) -> nth_error w p = nth_error w' p) -> tok h w = tok h w'.
Proof.
  intros Hw Hw' Hh H. destruct (parts w Hw h Hh) as [G C]. destruct (parts w' Hw' h Hh) as [G' C'].
  unfold tok, DepthBound.read. unfold DepthBound.target in G, G'. unfold back in G, G'.
  rewrite rev_involutive in G, G'. unfold part in H.
  destruct (Nat.ltb_spec (goal h) N) as [Hlt|Hge].
  - rewrite Nat.min_r in G by lia. rewrite Nat.min_r in G' by lia. rewrite G, G'.
    rewrite (proj2 (Nat.ltb_lt (goal h) N)) by exact Hlt. f_equal.
    rewrite <- (rev_involutive lys). apply DepthBound.run_same; [fold back; congruence|].
    fold back. rewrite (DepthBound.code_leaves N back (x w) (x w0) (goal h) C). intros r Hr.
    unfold x, DepthBound.tokens. f_equal. apply H. now apply in_map.
  - rewrite (proj2 (Nat.ltb_ge _ _)) by lia. now rewrite (proj2 (Nat.ltb_ge _ _)) by lia.
Qed.

Lemma output_is w : DepthBound.output net w
  = DepthBound.said net (DepthBound.made last out None [tok 0 w; tok 1 w]).
Proof.
  unfold DepthBound.output. rewrite layers_are, DepthBound.run_last. unfold DepthBound.step.
  rewrite no_residual, two_heads. reflexivity.
Qed.

Lemma part_length h : (length (part h) <= DepthBound.fan lys)%nat.
Proof.
  unfold part. destruct (_ <? _)%nat; [|cbn; lia]. rewrite map_length, DepthBound.leaves_length.
  unfold back. now rewrite rev_involutive.
Qed.

(** Every letter is seen by one of the two tokens. *)
Lemma all_seen u : (u < T)%nat -> In u (part 0) \/ In u (part 1).
Proof.
  intro Hu. destruct (in_dec Nat.eq_dec u (part 0)) as [|H0]; [now left|].
  destruct (in_dec Nat.eq_dec u (part 1)) as [|H1]; [now right|exfalso].
  destruct (side_of k Q grid u grid_sides ltac:(lia)) as (g1 & l & g2 & E & L1 & S1 & Sl & S2).
  set (w1 := map (hd 0%nat) g1). set (w2 := map (hd 0%nat) g2).
  assert (On : forall b, In b l -> on (w1 ++ b :: w2) grid).
  { intros b Hb. rewrite E. apply Forall2_app; [|constructor; [exact Hb|]]; apply (first_on k Q); auto;
      unfold k; lia. }
  assert (Lw : length w1 = u) by (unfold w1; now rewrite map_length).
  set (b0 := hd 0%nat l).
  assert (Hb0 : In b0 l) by (unfold b0; destruct l; [destruct Sl as (_ & H & _); discriminate|now left]).
  set (v := act n first_state w1). set (y := coact n w2 (unit_vector 0)).
  assert (Hv : large n v) by (apply act_large; [exact n_1|]; apply (unit_large n 0); lia).
  assert (Hy : large n y) by (apply coact_large; [exact n_1|]; apply (unit_large n 0); lia).
  destruct Hv as (i & Hi & Hv), Hy as (j & Hj & Hy).
  assert (G : Rabs (v i * y j) <= B * eps).
  { apply (letters_matter l v y (DepthBound.output net (w1 ++ b0 :: w2) 0%nat)); auto. intros b Hb.
    assert (E' : DepthBound.output net (w1 ++ b0 :: w2) = DepthBound.output net (w1 ++ b :: w2)).
    { rewrite !output_is. f_equal. f_equal. f_equal; [|f_equal]; apply tok_same; auto;
        intros p Hp; apply DepthBound.nth_error_other; rewrite Lw; intros ->; contradiction. }
    rewrite E', Rabs_minus_sym. unfold y. rewrite <- act_letter by lia. unfold v. rewrite <- act_app.
    apply near_states; [auto|lia]. }
  rewrite Rabs_mult in G. nra.
Qed.

(** Two letters, at i < u: one token does not see u, the other one does not see i. *)
Lemma two_letters i u h h' : (i < u)%nat -> (u < T)%nat -> (h < 2)%nat -> (h' < 2)%nat ->
  ~ In u (part h) -> ~ In i (part h') ->
  exists la lb w1 w2 w3 (y z : nat -> option X), side k Q la /\ side k Q lb /\
    forall a b, In a la -> In b lb -> let w := w1 ++ a :: w2 ++ b :: w3 in
      on w grid /\ tok h w = y a /\ tok h' w = z b.
Proof.
  intros Hiu Hu Hh Hh' Nu Ni.
  destruct (side_of k Q grid u grid_sides ltac:(lia)) as (g' & lb & g3 & E' & L' & S' & Sb & S3).
  destruct (side_of k Q g' i S' ltac:(lia)) as (g1 & la & g2 & E & L1 & S1 & Sa & S2). subst g'.
  rewrite <- app_assoc in E'. cbn [app] in E'.
  set (w1 := map (hd 0%nat) g1). set (w2 := map (hd 0%nat) g2). set (w3 := map (hd 0%nat) g3).
  assert (On : forall a b, In a la -> In b lb -> on (w1 ++ a :: w2 ++ b :: w3) grid).
  { intros a b Ha Hb. rewrite E'. apply Forall2_app; [|constructor; [exact Ha|apply Forall2_app; [|constructor;
      [exact Hb|]]]]; apply (first_on k Q); unfold k; auto; lia. }
  assert (Lw : length w1 = i) by (unfold w1; now rewrite map_length).
  assert (Lw' : forall a, length (w1 ++ a :: w2) = u).
  { intro a. rewrite <- L', !app_length. cbn [length]. unfold w1, w2. now rewrite !map_length. }
  assert (Some_in : forall l, side k Q l -> In (hd 0%nat l) l).
  { intros [|a l] (_ & H & _); [discriminate|now left]. }
  exists la, lb, w1, w2, w3, (fun a => tok h (w1 ++ a :: w2 ++ hd 0%nat lb :: w3)),
    (fun b => tok h' (w1 ++ hd 0%nat la :: w2 ++ b :: w3)).
  split; [exact Sa|]. split; [exact Sb|]. intros a b Ha Hb. split; [now apply On|].
  split; apply tok_same; auto; intros p Hp.
  - change (w1 ++ a :: w2 ++ b :: w3) with (w1 ++ (a :: w2) ++ b :: w3).
    change (w1 ++ a :: w2 ++ hd 0%nat lb :: w3) with (w1 ++ (a :: w2) ++ hd 0%nat lb :: w3).
    rewrite !app_assoc. apply DepthBound.nth_error_other. rewrite Lw'. intros ->. contradiction.
  - apply DepthBound.nth_error_other. rewrite Lw. intros ->. contradiction.
Qed.

Theorem not_narrow d (left right : option X -> nat -> R) (M : nat -> nat -> nat -> R)
    (p q : nat -> option X -> R) : (DepthBound.fan lys < T)%nat ->
  (forall (la lb : list nat) (w0 w1 w2 : list nat) (v : nat -> R) (G : nat -> nat -> nat -> R)
    (Z P Y : nat -> nat -> R), side k Q la -> side k Q lb -> large n v ->
   ~ (forall a b j, In a la -> In b lb -> (j < n)%nat ->
       Rabs (act n v (w0 ++ a :: w1 ++ b :: w2) j
             - (sum d (fun c => G a j c * Z b c) + P a j + Y b j)) <= eps)) ->
  ~ (forall o o' j, (j < n)%nat ->
    DepthBound.said net (DepthBound.made last out None [o; o']) j
    = sum d (fun c => sum d (fun c' => M j c c' * left o c * right o' c')) + p j o + q j o').
Proof.
  intros Hfan core Hform.
  destruct (DepthBound.missing_not_in T (part 1)) as [Hi Ni]; [pose proof (part_length 1); lia|].
  destruct (DepthBound.missing_not_in T (part 0)) as [Hu Nu]; [pose proof (part_length 0); lia|].
  set (i := DepthBound.missing T (part 1)) in *. set (u := DepthBound.missing T (part 0)) in *.
  assert (Hne : i <> u).
  { intro E. destruct (all_seen i Hi) as [H|H]; [rewrite E in H; contradiction|contradiction]. }
  assert (Hv : large n first_state) by (apply (unit_large n 0); lia).
  destruct (Nat.lt_total i u) as [Hlt|[|Hlt]]; [|contradiction|].
  - destruct (two_letters i u 0 1 Hlt Hu ltac:(lia) ltac:(lia) Nu Ni)
      as (la & lb & w1 & w2 & w3 & y & z & Sa & Sb & H).
    apply (core la lb w1 w2 w3 first_state
      (fun a j c' => sum d (fun c => M j c c' * left (y a) c)) (fun b c' => right (z b) c')
      (fun a j => p j (y a)) (fun b j => q j (z b)) Sa Sb Hv).
    intros a b j Ha Hb Hj. destruct (H a b Ha Hb) as (On & E0 & E1).
    eapply Rle_trans; [|exact (near_states _ On j Hj)]. right.
    rewrite Rabs_minus_sym, output_is, E0, E1, Hform by assumption. do 4 f_equal.
    rewrite sum_swap. apply sum_ext. intros c _. rewrite sum_scal_r. apply sum_ext. intros; ring.
  - destruct (two_letters u i 1 0 Hlt Hi ltac:(lia) ltac:(lia) Ni Nu)
      as (la & lb & w1 & w2 & w3 & y & z & Sa & Sb & H).
    apply (core la lb w1 w2 w3 first_state
      (fun a j c => sum d (fun c' => M j c c' * right (y a) c')) (fun b c => left (z b) c)
      (fun a j => q j (y a)) (fun b j => p j (z b)) Sa Sb Hv).
    intros a b j Ha Hb Hj. destruct (H a b Ha Hb) as (On & E1 & E0).
    eapply Rle_trans; [|exact (near_states _ On j Hj)]. right.
    rewrite Rabs_minus_sym, output_is, E0, E1, Hform by assumption. f_equal.
    rewrite (sum_ext d (fun c => sum d (fun c' => M j c c' * right (y a) c') * left (z b) c)
      (fun c => sum d (fun c' => M j c c' * left (z b) c * right (y a) c'))); [ring|].
    intros c _. rewrite sum_scal_r. apply sum_ext. intros; ring.
Qed.
End Last.

(** N tokens, L layers that bring at most h tokens together with h^L < T, whatever they do, and a last layer that is
    bilinear in d numbers of each of the two tokens it reads. For n states d >= n^2, even if a small error is
    allowed. The alphabet, K letters, and the error are chosen after all of these. *)
Theorem width_needed (N L h T n d : nat) : (1 <= h)%nat -> (h ^ L < T)%nat -> (d < n * n)%nat ->
  exists K eps, 0 < eps /\ forall (X : Type) (net : DepthBound.network nat X (nat -> R)) lys last,
  DepthBound.places net = N -> (length lys <= L)%nat ->
  (forall ly, In ly lys -> (DepthBound.arms ly <= h)%nat) -> bilinear_end net lys last d n ->
  ~ (forall w, DepthBound.word T K w -> forall j, (j < n)%nat ->
       Rabs (DepthBound.output net w j - act n first_state w j) <= eps).
Proof.
  intros Hh HT Hd. assert (n_1 : (1 <= n)%nat) by (destruct n; cbn in Hd; lia).
  destruct (one_colour_grid T (S (n * n)) ltac:(lia) (S N ^ (2 * DepthBound.geometric h L + 2))) as (K & HK).
  destruct (constant_roots n n_1 K) as (B & HB & Hrow). destruct (rank_core n n_1 d K Hd) as (eps0 & He0 & core).
  set (eps := Rmin eps0 (/ (2 * B))).
  assert (Hinv : 0 < / (2 * B)) by (apply Rinv_0_lt_compat; lra).
  assert (He : 0 < eps) by (unfold eps; apply Rmin_glb_lt; assumption).
  assert (Hsmall : B * eps < 1).
  { assert (H : eps <= / (2 * B)) by apply Rmin_r.
    apply (Rmult_le_compat_l B) in H; [|lra]. replace (B * / (2 * B)) with (/ 2) in H by (field; lra). lra. }
  exists K, eps. split; [exact He|].
  intros X net lys last HN HL Harms (El & Eh & Er & left & right & M & p & q & Hform) Hsim.
  destruct (DepthBound.fan_choices_le lys L h Hh HL Harms) as [Hf Hc].
  destruct (HK (list nat) (list_eq_dec Nat.eq_dec)
    (DepthBound.lists_over (seq 0 (S N)) (DepthBound.choices (DepthBound.layers net)))
    (fun w => DepthBound.code N (rev (DepthBound.layers net)) (DepthBound.tokens net w) (DepthBound.exit net)))
    as (grid & Hlen & Hsides & Hcol).
  - rewrite DepthBound.lists_over_length, seq_length. apply Nat.pow_le_mono_r; [lia|]. rewrite El.
    unfold DepthBound.choices in *. rewrite fold_left_app. cbn [fold_left]. unfold DepthBound.arms at 1.
    rewrite Er, Eh. lia.
  - intros w _. rewrite <- HN. apply DepthBound.kept_in.
  - rewrite <- HN in Hcol. apply (not_narrow n T net lys last grid K n_1 El Eh Er Hlen Hsides) with (left := left)
      (right := right) (M := M) (p := p) (q := q) (eps := eps) (B := B) (d := d); auto; [|lia|].
    + intros w Hw j Hj. apply Hsim; [|exact Hj]. rewrite <- Hlen. now apply (on_word (S (n * n))).
    + intros la lb w0 w1 w2 v G Z P Y Sa Sb Hv H.
      apply (core la lb w0 w1 w2 v G Z P Y Sa Sb Hv). intros a b j Ha Hb Hj.
      eapply Rle_trans; [apply H; assumption|apply Rmin_l].
Qed.
