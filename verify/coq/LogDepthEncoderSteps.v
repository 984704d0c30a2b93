(** * The encoder of logarithmic depth: the steps, with hard attention, for every tree

    Section 4.2, on the model of LogDepthEncoder.v with hard attention and exact products. At every token
    of every step layer each of the four heads has one largest score, by at least 1. After s steps the
    token where the string of a subtree v begins holds M, b, f and g of LogDepth.v after s steps, and a
    pointer to the token of the node that v points to; closing brackets hold 0. So once all nodes are
    pebbled (Pebbling.v), b is the state mu(v) at every position of I_t.

    Main definitions: [good], [points], [blank].
    Main theorems:    [step_finds], [step_keeps], [encoder_good], [encoder_states]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Compat Sums Theorem1 Trees Pebbling Theorem3 LogDepth.
From Assay Require Import TreeModel TreeBlocks TreeContinuity SoftStep.
From Assay Require Import CleanTreeModel LogDepthEncoderLift LogDepthEncoder LogDepthEncoderScan.
From Assay Require Import LogDepthEncoderTerms.
From Assay Require Attention FreeModel.
Import ListNotations.
Open Scope R_scope.

(** ** One layer *)

Section Steps.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R)
  (T : nat) (t : tree Sigma).
Hypothesis fits : (length (str t) <= T)%nat.

Local Notation w := (str t).
Local Notation M := (length (str t)).
Local Notation d := (encoder_dimension n).
Local Notation mu := (mu n leaf tensor).
Local Notation exact := (exact_step d leaf (signed n tensor) t).
Local Notation mat_at a q := (e_M n + (a * n + q))%nat.
Local Notation token r := (encoder_tokens n T leaf (nth_error w r) r).

Definition blank (y : nat -> R) : Prop :=
  y e_f = 0 /\ y e_g = 0 /\ (forall k, (k < n)%nat -> y (e_b + k)%nat = 0) /\
  (forall a q, (a < n)%nat -> (q < n)%nat -> y (mat_at a q) = 0).

(** Where the pointer of row r may point: the row j. *)
Definition points (s r j : nat) : Prop :=
  (nth_error w r = Some Close -> j = r) /\
  forall v, occurs w r v -> (mode s v = Inactive -> j = r) /\
    forall c, mode s v = Active c -> occurs w j c.

Record good (s : nat) (Y : mat) : Prop := Good
  { g_line : lined t Y;
    g_phi : forall r, (r < M)%nat -> exists j, (j < M)%nat /\ Y r e_phi = IZR (Z.of_nat j + 1) /\
      forall l r', occurs w r (Node l r') -> j = (r + 1 + length (str l))%nat;
    g_c : forall r, (r < M)%nat -> exists j, (j < M)%nat /\ Y r e_c = IZR (Z.of_nat j + 1) /\ points s r j;
    g_node : forall r v, (r < M)%nat -> occurs w r v -> fields n leaf tensor s v (Y r);
    g_blank : forall r, (r < M)%nat -> nth_error w r = Some Close -> blank (Y r) }.

Lemma occurs_inside r v : occurs w r v -> (r < M)%nat.
Proof.
  intros (b & a & -> & <-). rewrite !app_length. pose proof (str_length _ v). lia.
Qed.

Lemma occurs_symbol r v : occurs w r v ->
  nth_error w r = Some (match v with Leaf a => Sym a | Node _ _ => Open end).
Proof.
  intros (b & a & -> & <-). rewrite nth_error_app2, Nat.sub_diag by lia. destruct v; reflexivity.
Qed.

Lemma row_cases r : (r < M)%nat -> nth_error w r = Some Close \/ exists v, occurs w r v.
Proof.
  intro Hr. destruct (nth_error w r) as [s|] eqn:E; [|apply nth_error_None in E; lia].
  assert (D : s = Close \/ s <> Close) by (destruct s; [right|right|left]; congruence).
  destruct D as [->|Hs]; [now left|right].
  destruct (tau_exists _ t r s E Hs) as (k & v & Hv). exists v. now apply node_occurs in Hv.
Qed.

(** g of a row is 0 or 1; where it is 1 the row is an inactive node. *)
Lemma g_cases s Y r : good s Y -> (r < M)%nat ->
  Y r e_g = 0 \/ Y r e_g = 1 /\ exists l r', occurs w r (Node l r') /\ mode s (Node l r') = Inactive.
Proof.
  intros H Hr. destruct (row_cases r Hr) as [Hc|(v & Hv)].
  - left. now apply (g_blank s Y H r Hr Hc).
  - destruct (g_node s Y H r v Hr Hv) as (_ & Hg & _). rewrite known_g in Hg.
    destruct (mode s v) eqn:E; [now left| |now left]. right. split; [exact Hg|].
    destruct (inactive_node s v E) as (l & r' & ->). now exists l, r'.
Qed.

(** *** Where the heads look *)

Lemma left_target s Y r : good s Y -> (r < M)%nat -> exists i,
  target (tl w) (fst left_look) (snd left_look) Everywhere Y r i /\
  (Y r e_g = 0 /\ i = r \/ Y r e_g = 1 /\ i = (r + 1)%nat /\
   exists l r', occurs w r (Node l r') /\ mode s (Node l r') = Inactive).
Proof.
  intros H Hr. pose proof (g_line s Y H) as HL. pose proof (l_place t Y HL r Hr) as Hp.
  destruct (g_cases s Y r H Hr) as [Hg|(Hg & l & r' & Ho & Hm)].
  - exists r. split; [|now left]. apply (line_target t Y r _ (Z.of_nat r + 1)); auto.
    unfold wform, lsum. cbn [fold_right fst snd]. rewrite Hg, Hp. ring.
  - exists (r + 1)%nat. destruct (left_child _ _ _ _ _ Ho) as [Hl _].
    split; [|right; split; [exact Hg|]; split; [reflexivity|]; now exists l, r'].
    apply (line_target t Y r _ (Z.of_nat (r + 1) + 1)); auto.
    + now apply (occurs_inside _ l).
    + unfold wform, lsum. cbn [fold_right fst snd]. rewrite Hg, Hp, !plus_IZR, Nat2Z.inj_add, plus_IZR.
      cbn [Z.of_nat Pos.of_succ_nat]. ring.
Qed.

Lemma phi_target Y r j : lined t Y -> (r < M)%nat -> (j < M)%nat -> Y r e_phi = IZR (Z.of_nat j + 1) ->
  target (tl w) (fst right_look) (snd right_look) Everywhere Y r j.
Proof.
  intros HL Hr Hj Hp. apply (line_target t Y r _ (Z.of_nat j + 1)); auto.
  unfold wform, lsum. cbn [fold_right fst snd]. rewrite Hp. ring.
Qed.

Lemma c_target Y r j : lined t Y -> (r < M)%nat -> (j < M)%nat -> Y r e_c = IZR (Z.of_nat j + 1) ->
  target (tl w) (fst pointer_look) (snd pointer_look) Everywhere Y r j.
Proof.
  intros HL Hr Hj Hp. apply (line_target t Y r _ (Z.of_nat j + 1)); auto.
  unfold wform, lsum. cbn [fold_right fst snd]. rewrite Hp. ring.
Qed.

Lemma step_finds s Y r : good s Y -> (r < M)%nat ->
  Forall (aims (tl w) Y r) (specs d (step_stage n)).
Proof.
  intros H Hr. pose proof (g_line s Y H) as HL. repeat constructor; cbn [aims spec_of].
  - eexists. now apply own_target.
  - destruct (left_target s Y r H Hr) as (i & Hi & _). now exists i.
  - destruct (g_phi s Y H r Hr) as (j & Hj & Ej & _). exists j. now apply phi_target.
  - destruct (g_c s Y H r Hr) as (j & Hj & Ej & _). exists j. now apply c_target.
Qed.

(** *** What the layer leaves *)

Lemma step_row Y r i j k : (r < M)%nat -> lined t Y ->
  target (tl w) (fst left_look) (snd left_look) Everywhere Y r i ->
  target (tl w) (fst right_look) (snd right_look) Everywhere Y r j ->
  target (tl w) (fst pointer_look) (snd pointer_look) Everywhere Y r k ->
  stepped n tensor (Y r) (Y i) (Y j) (Y k) (exact Y (step_stage n) r).
Proof.
  intros Hr HL Hi Hj Hk.
  assert (E : forall c, (c < d)%nat -> exists x, (forall q, (q < d)%nat -> x q = Y r q) /\
      (forall q, (q < d)%nat -> x (at_left n q) = Y i q) /\
      (forall q, (q < d)%nat -> x (at_right n q) = Y j q) /\
      (forall q, (q < d)%nat -> x (under n q) = Y k q) /\
      exact Y (step_stage n) r c
      = lsum (term_value (plain_value (signed n tensor)) x) (step_terms n c)).
  { intros c Hc. destruct (exact_row d leaf (signed n tensor) t Y (step_stage n) r
      (fun h => match h with 0 => r | 1 => i | 2 => j | _ => k end)%nat c) as (x & Hx & Ex).
    { intros [|[|[|[|h]]]] Hh; cbn [looks step_stage nth length] in *; auto; [|lia].
      now apply own_target. }
    cbn [looks step_stage length terms] in *. destruct (Nat.ltb_spec c d); [|lia].
    exists x. split; [|split; [|split; [|split; [|exact Ex]]]]; intros q Hq.
    - exact (Hx 0%nat q ltac:(lia) Hq).
    - pose proof (Hx 1%nat q ltac:(lia) Hq) as G. now rewrite Nat.mul_1_l in G.
    - exact (Hx 2%nat q ltac:(lia) Hq).
    - exact (Hx 3%nat q ltac:(lia) Hq). }
  pose proof (l_one t Y HL r Hr) as O. pose proof (dimension_12 n).
  split.
  - intros p Hp. destruct (E p ltac:(lia)) as (x & X1 & X2 & X3 & X4 & ->).
    now apply (step_keep n tensor x (Y r)).
  - destruct (E e_f ltac:(e_unfold; lia)) as (x & X1 & X2 & X3 & X4 & ->).
    now apply (step_f n tensor x).
  - destruct (E e_g ltac:(e_unfold; lia)) as (x & X1 & X2 & X3 & X4 & ->).
    now apply (step_g n tensor x).
  - destruct (E e_c ltac:(e_unfold; lia)) as (x & X1 & X2 & X3 & X4 & ->).
    now apply (step_c n tensor x).
  - intros p Hp.
    destruct (E (e_b + p)%nat ltac:(e_unfold; unfold encoder_dimension; lia)) as (x & X1 & X2 & X3 & X4 & ->).
    now apply (step_b n tensor x).
  - intros p q Hp Hq. pose proof (pair_small n p q Hp Hq).
    destruct (E (mat_at p q) ltac:(unfold e_M, encoder_dimension; lia)) as (x & X1 & X2 & X3 & X4 & ->).
    now apply (step_M n tensor x).
Qed.

Theorem step_keeps s Y : good s Y -> good (S s) (exact Y (step_stage n)).
Proof.
  intro H. pose proof (g_line s Y H) as HL.
  assert (G : forall r, (r < M)%nat ->
    let z := exact Y (step_stage n) r in
    (forall c, (c < 4)%nat -> z c = Y r c) /\
    (exists j, (j < M)%nat /\ z e_c = IZR (Z.of_nat j + 1) /\ points (S s) r j) /\
    (forall v, occurs w r v -> fields n leaf tensor (S s) v z) /\
    (nth_error w r = Some Close -> blank z)).
  { intros r Hr z.
    destruct (left_target s Y r H Hr) as (i & Hi & Ci).
    destruct (g_phi s Y H r Hr) as (j & Hj & Ej & Pj).
    destruct (g_c s Y H r Hr) as (k & Hk & Ek & Pk1 & Pk2).
    destruct (g_c s Y H k Hk) as (k' & Hk' & Ek' & Qk1 & Qk2).
    pose proof (step_row Y r i j k Hr HL Hi (phi_target Y r j HL Hr Hj Ej) (c_target Y r k HL Hr Hk Ek)) as Hz.
    fold z in Hz. split; [exact (z_keep _ _ _ _ _ _ _ Hz)|].
    pose proof (z_c _ _ _ _ _ _ _ Hz) as Zc. rewrite Ej, (l_place t Y HL r Hr), Ek' in Zc.
    destruct (row_cases r Hr) as [Hc|(v & Hv)].
    - (* a closing bracket *)
      pose proof (g_blank s Y H r Hr Hc) as (B1 & B2 & B3 & B4).
      assert (i = r) as -> by (destruct Ci as [[_ ->]|(Hg & _)]; [reflexivity|lra]).
      assert (k = r) as -> by now apply Pk1. assert (k' = r) as -> by now apply Qk1.
      assert (N : forall v, occurs w r v -> False).
      { intros v Hv. apply occurs_symbol in Hv. rewrite Hc in Hv. destruct v; discriminate. }
      split; [|split; [intros v Hv; now destruct (N v)|intros _]].
      + exists r. split; [exact Hr|]. split; [rewrite Zc, B2; ring|].
        split; [reflexivity|]. intros v Hv. now destruct (N v).
      + unfold blank. split; [|split; [|split]].
        * rewrite (z_f _ _ _ _ _ _ _ Hz), B1, B2. ring.
        * rewrite (z_g _ _ _ _ _ _ _ Hz), B2. ring.
        * intros q Hq. rewrite (z_b _ _ _ _ _ _ _ Hz), B3 by exact Hq.
          rewrite sum_zero by (intros; rewrite B4 by auto; ring).
          rewrite sum_zero by (intros; apply sum_zero; intros; ring). ring.
        * intros a q Ha Hq. rewrite (z_M _ _ _ _ _ _ _ Hz), B2 by auto.
          rewrite sum_zero by (intros; rewrite B4 by auto; ring).
          rewrite (sum_zero n (fun j => tensor a j q * _)) by (intros; ring). ring.
    - (* a node *)
      pose proof (g_node s Y H r v Hr Hv) as Fv.
      assert (Nc : nth_error w r = Some Close -> False).
      { intro Hc. apply occurs_symbol in Hv. rewrite Hc in Hv. destruct v; discriminate. }
      assert (Uv : forall v', occurs w r v' -> v' = v) by (intros v' Hv'; now apply (tau_unique _ w r)).
      assert (W : fields n leaf tensor (S s) v z /\
        exists j, (j < M)%nat /\ z e_c = IZR (Z.of_nat j + 1) /\
          (mode (S s) v = Inactive -> j = r) /\ forall c, mode (S s) v = Active c -> occurs w j c).
      2: { destruct W as [W1 (q & Hq & Eq & Q1 & Q2)]. split; [|split].
           - exists q. split; [exact Hq|]. split; [exact Eq|]. split; [intro Hc; now destruct Nc|].
             intros v' Hv'. rewrite (Uv v' Hv'). split; assumption.
           - intros v' Hv'. now rewrite (Uv v' Hv').
           - intro Hc. now destruct Nc. }
      pose proof Fv as (F1 & F2 & F3 & F4). rewrite known_g in F2.
      destruct (Pk2 v Hv) as [Pin Pact].
      destruct Ci as [[Hg ->]|(Hg & -> & l & r' & Ho & Hm)].
      + (* not inactive *)
        assert (Hn : mode s v <> Inactive) by (intro E; rewrite E in F2; lra).
        assert (Zc' : z e_c = IZR (Z.of_nat k' + 1)) by (rewrite Zc, Hg; ring).
        destruct (mode s v) as [| |c'] eqn:Em; [|now contradiction Hn|].
        * split; [now apply (pebbled_fields n leaf tensor s v (Y r) (Y j) (Y k))|].
          exists k'. split; [exact Hk'|]. split; [exact Zc'|].
          rewrite (pebbled_stays s v Em). split; [discriminate|intros; discriminate].
        * pose proof (Pact c' eq_refl) as Hc'. destruct (Qk2 c' Hc') as [Qin Qact].
          pose proof (run_agrees n leaf tensor s v) as HA. rewrite Em in HA.
          destruct HA as (_ & G0 & _ & Ec & _). split.
          -- apply (stepped_fields n leaf tensor s v (Y r) (Y r) (Y j) (Y k)); auto.
             ++ rewrite Ec. now apply (g_node s Y H).
             ++ rewrite G0. ring.
             ++ intros. rewrite G0. ring.
          -- exists k'. split; [exact Hk'|]. split; [exact Zc'|]. cbn [mode]. rewrite Em.
             destruct (mode s c') as [| |c2] eqn:E2; split; try discriminate.
             ++ intros c E. injection E as <-. now rewrite (Qin eq_refl).
             ++ intros c E. injection E as <-. now apply Qact.
      + (* inactive *)
        pose proof (Uv _ Ho) as Ev. subst v.
        rewrite (Pin Hm) in *. clear Pin Pact.
        assert (k' = r) as -> by now apply (Qk2 _ Hv).
        pose proof (Pj l r' Ho) as Ejr.
        destruct (left_child _ _ _ _ _ Ho) as [Hl _]. destruct (right_child _ _ _ _ _ Ho) as (_ & Hrt & _).
        cbv zeta in Hrt. rewrite <- Ejr in Hrt.
        pose proof (occurs_inside _ _ Hl) as Hl'.
        destruct (g_node s Y H _ l Hl' Hl) as (L1 & _ & L3 & _).
        destruct (g_node s Y H _ r' Hj Hrt) as (R1 & _ & R3 & _).
        pose proof (run_agrees n leaf tensor s (Node l r')) as HA. rewrite Hm in HA.
        destruct HA as (A1 & A2 & _ & A4 & A5).
        split.
        * apply (stepped_fields n leaf tensor s (Node l r') (Y r) (Y (r + 1)%nat) (Y j) (Y r)); auto;
            cbn [LogDepth.left_of LogDepth.right_of].
          -- rewrite A5. exact Fv.
          -- rewrite A2, F1, A1, L1. ring.
          -- intros q Hq. rewrite A2, F3, A4, L3 by exact Hq. ring.
        * rewrite F1, A1, L1, R1, Hg, !known_f in Zc. cbn [mode]. rewrite Hm.
          destruct (mode s l) as [| |cl] eqn:El; destruct (mode s r') as [| |cr] eqn:Er;
            (first [ (exists j; split; [exact Hj|]; split; [rewrite Zc; ring|];
                       split; [discriminate|]; intros c E; try discriminate; injection E as <-; exact Hrt)
                   | (exists (r + 1)%nat; split; [exact Hl'|]; split;
                       [rewrite Zc, Nat2Z.inj_add, !plus_IZR; cbn [Z.of_nat Pos.of_succ_nat]; ring|];
                       split; [discriminate|]; intros c E; try discriminate; injection E as <-; exact Hl)
                   | (exists r; split; [exact Hr|]; split; [rewrite Zc; ring|];
                       split; [reflexivity|]; intros; discriminate) ]). }
  split.
  - destruct HL as [L1 L2 L3].
    split; intros r Hr; destruct (G r Hr) as (G1 & _); rewrite G1 by (e_unfold; lia); auto.
  - intros r Hr. destruct (G r Hr) as (G1 & _). rewrite G1 by (e_unfold; lia). now apply (g_phi s Y H).
  - intros r Hr. now apply (G r Hr).
  - intros r v Hr Hv. now apply (G r Hr).
  - intros r Hr Hc. now apply (G r Hr).
Qed.

(** ** After the match *)

Lemma placed_good Y : placed n leaf T t Y -> good 0 Y.
Proof.
  intros [P1 P2].
  assert (HL : lined t Y) by (apply (token_lined n leaf T t); intros; apply P2; e_unfold; lia).
  split; auto.
  - intros r Hr. exists r. split; [exact Hr|]. split; [now rewrite P2 by (auto; e_unfold; lia)|].
    split; [reflexivity|]. intros v Hv. split; [reflexivity|]. intros c E. destruct v; discriminate.
  - intros r v Hr Hv. pose proof (occurs_symbol r v Hv) as Es. unfold fields.
    rewrite (P2 r e_f), (P2 r e_g) by (auto; e_unfold; lia).
    assert (Eb : forall k, (k < n)%nat -> Y r (e_b + k)%nat = vector_of leaf (nth_error w r) k).
    { intros k Hk. rewrite P2 by (auto; e_unfold; lia). unfold encoder_tokens, e_b, e_M.
      destruct (Nat.ltb_spec (12 + k) 12); [lia|]. destruct (Nat.ltb_spec (12 + k) (12 + n)); [|lia].
      now replace (12 + k - 12)%nat with k by lia. }
    assert (EM : forall a q, (a < n)%nat -> (q < n)%nat ->
      Y r (mat_at a q) = IZR (open_of (nth_error w r)) * I a q).
    { intros a q Ha Hq. pose proof (pair_small n a q Ha Hq).
      rewrite P2 by (auto; e_unfold; unfold e_M; lia). unfold encoder_tokens.
      destruct (Nat.ltb_spec (mat_at a q) 12); [unfold e_M in *; lia|].
      destruct (Nat.ltb_spec (mat_at a q) (e_M n)); [lia|].
      destruct (Nat.ltb_spec (mat_at a q) d); [|unfold e_M, encoder_dimension in *; lia].
      replace (mat_at a q - e_M n)%nat with (a * n + q)%nat by lia.
      now rewrite Attention.divn, Attention.modn. }
    rewrite Es. split; [now destruct v|]. split; [now destruct v|]. split.
    + intros k Hk. rewrite Eb, Es by exact Hk. now destruct v.
    + intros a q Ha Hq. rewrite EM, Es by assumption. destruct v; cbn; ring.
  - intros r Hr Hc. unfold blank. rewrite (P2 r e_f), (P2 r e_g) by (auto; e_unfold; lia).
    rewrite Hc. split; [reflexivity|]. split; [reflexivity|]. split.
    + intros k Hk. rewrite P2 by (auto; e_unfold; lia). rewrite Hc. unfold encoder_tokens, e_b, e_M.
      destruct (Nat.ltb_spec (12 + k) 12); [lia|]. destruct (Nat.ltb_spec (12 + k) (12 + n)); [reflexivity|lia].
    + intros a q Ha Hq. rewrite P2 by (auto; e_unfold; unfold e_M; lia). rewrite Hc. unfold encoder_tokens.
      destruct (Nat.ltb_spec (mat_at a q) 12); [unfold e_M in *; lia|].
      destruct (Nat.ltb_spec (mat_at a q) (e_M n)); [lia|].
      destruct (Nat.ltb_spec (mat_at a q) d); cbn; ring.
Qed.
End Steps.

(** ** All layers *)

Section All.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R) (T : nat).
Local Notation d := (encoder_dimension n).
Local Notation run_exact := (exact_run d leaf (signed n tensor)).
Local Notation find := (all_find d leaf (signed n tensor) T).
Local Notation fits t := (length (str t) <= T)%nat.

Lemma scans_find m : forall l (Y : tree Sigma -> mat),
  (forall t, fits t -> scanned n leaf T t l (Y t)) ->
  find Y (map (scan_stage n) (seq l m)) /\
  forall t, fits t -> scanned n leaf T t (l + m) (run_exact t (map (scan_stage n) (seq l m)) (Y t)).
Proof.
  induction m as [|m IH]; intros l Y HY.
  - split; [exact Logic.I|]. intros t Ht. rewrite Nat.add_0_r. now apply HY.
  - cbn [seq map].
    destruct (IH (S l) (fun t => exact_step d leaf (signed n tensor) t (Y t) (scan_stage n l))) as [I1 I2].
    { intros t Ht. now apply scan_keeps, HY. }
    split; [split; [|exact I1]|].
    + intros t Ht r Hr. eapply scan_finds; eauto.
    + intros t Ht. replace (l + S m)%nat with (S l + m)%nat by lia. now apply I2.
Qed.

Lemma steps_find m : forall s (Y : tree Sigma -> mat),
  (forall t, fits t -> good n leaf tensor t s (Y t)) ->
  find Y (repeat (step_stage n) m) /\
  forall t, fits t -> good n leaf tensor t (s + m) (run_exact t (repeat (step_stage n) m) (Y t)).
Proof.
  induction m as [|m IH]; intros s Y HY.
  - split; [exact Logic.I|]. intros t Ht. rewrite Nat.add_0_r. now apply HY.
  - cbn [repeat].
    destruct (IH (S s) (fun t => exact_step d leaf (signed n tensor) t (Y t) (step_stage n))) as [I1 I2].
    { intros t Ht. apply (step_keeps n leaf tensor T t Ht). now apply HY. }
    split; [split; [|exact I1]|].
    + intros t Ht r Hr. eapply step_finds; eauto.
    + intros t Ht. replace (s + S m)%nat with (S s + m)%nat by lia. now apply I2.
Qed.

Local Notation start := (encoder_start n leaf T).

(** Every head of every layer has one largest score, by at least 1; and what the tokens hold in the end. *)
Theorem encoder_good steps : find start (stages n T steps) /\
  forall t, fits t -> good n leaf tensor t steps (run_exact t (stages n T steps) (start t)).
Proof.
  destruct (scans_find (Nat.log2_up T) 0 start) as [S1 S2]; [intros; now apply scanned_start|].
  rewrite Nat.add_0_l in S2. unfold stages.
  set (scans := map (scan_stage n) (seq 0 (Nat.log2_up T))) in *.
  destruct (steps_find steps 0 (fun t => exact_step d leaf (signed n tensor) t
    (run_exact t scans (start t)) (match_stage n T))) as [G1 G2].
  { intros t Ht. eapply placed_good, match_keeps; eauto. }
  split.
  - apply all_find_app; [exact S1|]. split; [|exact G1].
    intros t Ht r Hr. eapply match_finds; eauto.
  - intros t Ht. unfold exact_run. rewrite fold_left_app. cbn [fold_left]. now apply G2.
Qed.

(** The state of every subtree that is pebbled after so many steps, where its string begins. *)
Theorem encoder_states steps (t : tree Sigma) i e u k : fits t -> node t i e u ->
  mode steps u = Pebbled -> (k < n)%nat ->
  run_exact t (stages n T steps) (start t) i (e_b + k)%nat = mu n leaf tensor u k.
Proof.
  intros Ht Hn Hm Hk. apply node_occurs in Hn.
  pose proof (proj2 (encoder_good steps) t Ht) as G.
  destruct (g_node n leaf tensor t steps _ G i u (occurs_inside T t Ht i u Hn) Hn) as (_ & _ & Hb & _).
  rewrite Hb, known_b by exact Hk. now rewrite Hm.
Qed.
End All.
