(** * Beyond the paper: weighted tree automata on arbitrary trees in O(log N) steps

    Section 4.2 asks whether O(log T) layers can do for arbitrary trees. Each node v keeps a matrix
    M, a vector b, two flags and a pointer to a descendant c with

        mu(v) = M mu(c) + b,

    and one step, the same for all nodes, is a polynomial of degree two in what three heads read:
    the two children and the node under the pointer. A node is pebbled (b = mu(v)), inactive (nothing
    known yet) or active (all but one descendant c is folded into M).

    Shown here, for all trees, all WTAs and all n: the step keeps the identity and follows the
    pebbling of Pebbling.v ([step_keeps], [invariant]); N leaves take at most log_rho((N+1)/2) steps,
    rho^3 = rho + 1 ([steps_bound]), and then b is the state of every node ([logdepth_plastic]).
    What is not here: the attention scores that find the three nodes.

    Main definitions: [cell], [step], [run], [agrees].
    Main theorems:    [step_keeps], [invariant], [steps_bound], [logdepth_plastic]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Trees Pebbling Theorem3.

(** ** The number of steps *)

Open Scope R_scope.

(** P_k >= 2 rho^k, where rho^3 = rho + 1 is the plastic number. *)
Lemma plastic_power rho k : 0 < rho -> rho ^ 3 = rho + 1 -> 2 * rho ^ k <= INR (padovan (k + 3)).
Proof.
  intros Hr H3. assert (H1 : rho <= 3 / 2) by (simpl in H3; nra).
  assert (H2 : rho * rho <= 2) by (simpl in H3; nra).
  assert (H : 2 * rho ^ k <= INR (padovan (3 + k)) /\ 2 * rho ^ (1 + k) <= INR (padovan (4 + k))
              /\ 2 * rho ^ (2 + k) <= INR (padovan (5 + k))).
  { induction k as [|k (I0 & I1 & I2)]; [simpl; lra|].
    replace (3 + S k)%nat with (4 + k)%nat by lia. replace (4 + S k)%nat with (5 + k)%nat by lia.
    replace (5 + S k)%nat with (3 + (3 + k))%nat by lia.
    replace (1 + S k)%nat with (2 + k)%nat by lia. replace (2 + S k)%nat with (k + 3)%nat by lia.
    split; [exact I1|]. split; [exact I2|].
    rewrite padovan_S, plus_INR, pow_add, H3. replace (1 + (3 + k))%nat with (4 + k)%nat by lia.
    change (rho ^ (1 + k)) with (rho * rho ^ k) in I1. lra. }
  rewrite Nat.add_comm. apply H.
Qed.

(** Not done after k - 1 steps: rho^k <= (N + 1) / 2. *)
Theorem steps_bound {Sigma : Type} rho k (v : tree Sigma) :
  0 < rho -> rho ^ 3 = rho + 1 -> (1 <= k)%nat -> mode (k - 1) v <> Pebbled ->
  rho ^ k <= (INR (leaves v) + 1) / 2.
Proof.
  intros Hr H3 Hk Hv. pose proof (plastic_power rho k Hr H3) as H.
  pose proof (least_leaves (k - 1) v Hv) as HL. replace (k - 1 + 4)%nat with (k + 3)%nat in HL by lia.
  apply le_INR in HL. rewrite plus_INR in HL. simpl (INR 1) in HL. lra.
Qed.

(** ** The step, as polynomials of degree two in what the three heads read *)

Section Step.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R).

Local Notation mu := (mu n leaf tensor).

Record cell := Cell { M : mat; b : nat -> R; f : R; g : R; c : tree Sigma }.

(** T(x, .) and T(., y) as matrices. *)
Definition fix_left (x : nat -> R) : mat := fun k q => sum n (fun a => tensor k a q * x a).
Definition fix_right (y : nat -> R) : mat := fun k q => sum n (fun a => tensor k q a * y a).
Definition mvec (X : mat) (y : nat -> R) : nat -> R := fun k => sum n (fun q => X k q * y q).

Definition left_of (v : tree Sigma) : tree Sigma := match v with Node l _ => l | _ => v end.
Definition right_of (v : tree Sigma) : tree Sigma := match v with Node _ r => r | _ => v end.

(** The heads read f and b of the two children, times g (gated), and all of the node under c.
    The new pointer is one of three nodes; on positions it is the number
    c' = cc + Fl (right - v) + Fr (left - v). *)
Definition step (s : tree Sigma -> cell) (v : tree Sigma) : cell :=
  let me := s v in
  let under := s (c me) in
  let Fl := g me * f (s (left_of v)) in
  let Fr := g me * f (s (right_of v)) in
  let Bl := fun a => g me * b (s (left_of v)) a in
  let Br := fun a => g me * b (s (right_of v)) a in
  Cell
    (fun i j => mmul n (M me) (M under) i j + (1 - Fr) * fix_left Bl i j
                + (1 - Fl) * fix_right Br i j - (Fl + Fr - Fl * Fr) * I i j)
    (fun k => b me k + mvec (M me) (b under) k + bilinear_state n tensor Bl Br k)
    (f me + (1 - f me - g me) * f under + Fl * Fr)
    (g me - Fl - Fr + Fl * Fr)
    (if Req_EM_T Fl 1 then right_of v else if Req_EM_T Fr 1 then left_of v else c under).

Definition start (v : tree Sigma) : cell :=
  match v with
  | Leaf a => Cell (fun _ _ => 0) (leaf a) 1 0 v
  | Node _ _ => Cell I (fun _ => 0) 0 1 v
  end.

Fixpoint run (t : nat) : tree Sigma -> cell :=
  match t with O => start | S t' => step (run t') end.

(** What the cell of v must be, given the status of v. *)
Definition agrees (m : status) (x : cell) (v : tree Sigma) : Prop :=
  match m with
  | Pebbled => f x = 1 /\ g x = 0 /\ meq n (M x) (fun _ _ => 0)
               /\ forall k, (k < n)%nat -> b x k = mu v k
  | Inactive => f x = 0 /\ g x = 1 /\ meq n (M x) I
                /\ (forall k, (k < n)%nat -> b x k = 0) /\ c x = v
  | Active c' => f x = 0 /\ g x = 0 /\ (forall k, (k < n)%nat -> b x k = 0) /\ c x = c'
                 /\ forall k, (k < n)%nat -> mu v k = mvec (M x) (mu c') k
  end.

(** In every status: mu(v) = M mu(c) + b. *)
Theorem agrees_identity m x v : agrees m x v ->
  forall k, (k < n)%nat -> mu v k = mvec (M x) (mu (c x)) k + b x k.
Proof.
  intros H k Hk. destruct m as [| |c']; simpl in H.
  - destruct H as (_ & _ & HM & Hb). rewrite Hb by auto. unfold mvec.
    rewrite sum_zero; [ring|]. intros q Hq. rewrite HM by auto. ring.
  - destruct H as (_ & _ & HM & Hb & Hc). rewrite Hb, Hc by auto. unfold mvec.
    rewrite (sum_single n _ k); auto.
    + rewrite HM by auto. unfold I. rewrite Nat.eqb_refl. simpl. ring.
    + intros q Hq Hne. rewrite HM by auto. unfold I. solve01.
  - destruct H as (_ & _ & Hb & Hc & Hmu). rewrite Hmu, Hb, Hc by auto. ring.
Qed.

Lemma gate_f m x v : agrees m x v -> f x = match m with Pebbled => 1 | _ => 0 end.
Proof. destruct m; simpl; tauto. Qed.

Lemma gate_b m x v k : agrees m x v -> (k < n)%nat ->
  b x k = match m with Pebbled => mu v k | _ => 0 end.
Proof. intros H Hk. destruct m; simpl in H; firstorder. Qed.

Lemma fix_left_zero x k q : (forall a, (a < n)%nat -> x a = 0) -> fix_left x k q = 0.
Proof. intro H. apply sum_zero. intros a Ha. rewrite H by auto. ring. Qed.

Lemma fix_right_zero x k q : (forall a, (a < n)%nat -> x a = 0) -> fix_right x k q = 0.
Proof. intro H. apply sum_zero. intros a Ha. rewrite H by auto. ring. Qed.

Lemma bilinear_zero x y k :
  (forall a, (a < n)%nat -> x a = 0) \/ (forall a, (a < n)%nat -> y a = 0) ->
  bilinear_state n tensor x y k = 0.
Proof.
  intros [H|H]; apply sum_zero; intros p Hp; apply sum_zero; intros q Hq; rewrite H by auto; ring.
Qed.

Lemma bilinear_ext x x' y y' k :
  (forall a, (a < n)%nat -> x a = x' a) -> (forall a, (a < n)%nat -> y a = y' a) ->
  bilinear_state n tensor x y k = bilinear_state n tensor x' y' k.
Proof.
  intros Hx Hy. apply sum_ext. intros p Hp. apply sum_ext. intros q Hq. now rewrite Hx, Hy.
Qed.

Lemma bilinear_left x y k : bilinear_state n tensor x y k = mvec (fix_left x) y k.
Proof.
  unfold bilinear_state, mvec, fix_left. rewrite sum_swap. apply sum_ext. intros q Hq.
  rewrite sum_scal_r. apply sum_ext. intros; ring.
Qed.

Lemma bilinear_right x y k : bilinear_state n tensor x y k = mvec (fix_right y) x k.
Proof.
  unfold bilinear_state, mvec, fix_right. apply sum_ext. intros q Hq.
  rewrite sum_scal_r. apply sum_ext. intros; ring.
Qed.

Lemma mvec_mul X Y z k : (k < n)%nat -> mvec (mmul n X Y) z k = mvec X (mvec Y z) k.
Proof.
  intro Hk. unfold mvec, mmul.
  rewrite (sum_ext n _ (fun q => sum n (fun p => X k p * Y p q * z q)))
    by (intros; apply sum_scal_r).
  rewrite sum_swap. apply sum_ext. intros p Hp. rewrite sum_scal_l. apply sum_ext. intros; ring.
Qed.

Lemma mvec_ext X X' y y' k : (k < n)%nat -> meq n X X' -> (forall a, (a < n)%nat -> y a = y' a) ->
  mvec X y k = mvec X' y' k.
Proof. intros Hk HX Hy. apply sum_ext. intros q Hq. now rewrite HX, Hy. Qed.

Lemma mvec_zero X y k : (forall a, (a < n)%nat -> y a = 0) -> mvec X y k = 0.
Proof. intro H. apply sum_zero. intros q Hq. rewrite H by auto. ring. Qed.

(** A node whose left (right) child alone is pebbled: fold it into the matrix. *)
Lemma only_left l r (X : mat) (bl br : nat -> R) :
  meq n X I -> (forall k, (k < n)%nat -> bl k = mu l k) ->
  forall k, (k < n)%nat -> mu (Node l r) k
  = mvec (fun i j => X i j + (1 - 1 * 0) * fix_left (fun a => 1 * bl a) i j
          + (1 - 1 * 1) * fix_right (fun a => 1 * br a) i j
          - (1 * 1 + 1 * 0 - 1 * 1 * (1 * 0)) * I i j) (mu r) k.
Proof.
  intros HX Hb k Hk. cbn [Theorem3.mu]. rewrite bilinear_left. apply mvec_ext; auto.
  intros i j Hi Hj. rewrite HX by auto.
  replace (fix_left (fun a => 1 * bl a) i j) with (fix_left (mu l) i j); [ring|].
  apply sum_ext. intros a Ha. rewrite Hb by auto. ring.
Qed.

Lemma only_right l r (X : mat) (bl br : nat -> R) :
  meq n X I -> (forall k, (k < n)%nat -> br k = mu r k) ->
  forall k, (k < n)%nat -> mu (Node l r) k
  = mvec (fun i j => X i j + (1 - 1 * 1) * fix_left (fun a => 1 * bl a) i j
          + (1 - 1 * 0) * fix_right (fun a => 1 * br a) i j
          - (1 * 0 + 1 * 1 - 1 * 0 * (1 * 1)) * I i j) (mu l) k.
Proof.
  intros HX Hb k Hk. cbn [Theorem3.mu]. rewrite bilinear_right. apply mvec_ext; auto.
  intros i j Hi Hj. rewrite HX by auto.
  replace (fix_right (fun a => 1 * br a) i j) with (fix_right (mu r) i j); [ring|].
  apply sum_ext. intros a Ha. rewrite Hb by auto. ring.
Qed.

(** A node without a gate only composes. *)
Lemma active_matrix X Y Fl Fr Bl Br :
  Fl = 0 -> Fr = 0 -> (forall a, (a < n)%nat -> Bl a = 0) -> (forall a, (a < n)%nat -> Br a = 0) ->
  meq n (fun i j => mmul n X Y i j + (1 - Fr) * fix_left Bl i j + (1 - Fl) * fix_right Br i j
                    - (Fl + Fr - Fl * Fr) * I i j) (mmul n X Y).
Proof.
  intros -> -> HL HR i j Hi Hj. rewrite fix_left_zero, fix_right_zero by auto. ring.
Qed.

(** One step keeps the identity at every node. *)
Theorem step_keeps t s : (forall v, agrees (mode t v) (s v) v) ->
  forall v, agrees (mode (S t) v) (step s v) v.
Proof.
  intros H v. pose proof (H v) as Hv. cbn [mode]. destruct (mode t v) as [| |c'] eqn:Em.
  - (* pebbled *)
    destruct Hv as (Hf & Hg & HM & Hb). unfold step. cbn [agrees f g M b]. rewrite Hf, Hg.
    split; [ring|]. split; [ring|]. split.
    + intros i j Hi Hj. rewrite fix_left_zero, fix_right_zero by (intros; ring).
      unfold mmul. rewrite sum_zero; [ring|]. intros p Hp. rewrite HM by auto. ring.
    + intros k Hk. rewrite Hb by auto. rewrite bilinear_zero by (left; intros; ring).
      unfold mvec. rewrite sum_zero; [ring|]. intros p Hp. rewrite HM by auto. ring.
  - (* inactive *)
    destruct v as [a|l r].
    { exfalso. destruct (inactive_node t (Leaf a) Em) as (l & r & E). discriminate. }
    destruct Hv as (Hf & Hg & HM & Hb & Hc).
    pose proof (gate_f _ _ _ (H l)) as Fl. pose proof (gate_f _ _ _ (H r)) as Fr.
    pose proof (fun k => gate_b _ _ _ k (H l)) as Bl. pose proof (fun k => gate_b _ _ _ k (H r)) as Br.
    assert (HI : meq n (mmul n (M (s (Node l r))) (M (s (c (s (Node l r)))))) I).
    { rewrite Hc. transitivity (mmul n I I); [|apply mul1m].
      intros i j Hi Hj. apply sum_ext. intros p Hp. now rewrite !HM. }
    assert (Hb0 : forall k, (k < n)%nat -> mvec (M (s (Node l r))) (b (s (c (s (Node l r))))) k = 0).
    { intros k Hk. rewrite Hc. now apply mvec_zero. }
    assert (Hf0 : f (s (c (s (Node l r)))) = 0) by (rewrite Hc; exact Hf).
    assert (Hc0 : c (s (c (s (Node l r)))) = Node l r) by (now rewrite Hc).
    unfold step. cbn [left_of right_of]. rewrite Hf, Hg, Hf0, Hc0.
    destruct (mode t l) as [| |cl] eqn:El; destruct (mode t r) as [| |cr] eqn:Er;
      rewrite Fl, Fr; cbn [agrees f g M b c];
      repeat (match goal with |- context [Req_EM_T ?x 1] =>
        destruct (Req_EM_T x 1); [try lra|try lra] end);
      (split; [ring|]); (split; [ring|]).
    all: try (split; [intros i j Hi Hj; rewrite HI by auto;
      rewrite ?fix_left_zero by (intros; rewrite Bl by auto; ring);
      rewrite ?fix_right_zero by (intros; rewrite Br by auto; ring); ring|]).
    all: try (split; [intros k Hk; rewrite Hb, Hb0 by auto; rewrite bilinear_zero; [ring|];
      solve [left; intros; rewrite Bl by auto; ring|right; intros; rewrite Br by auto; ring]|]).
    all: try reflexivity.
    + intros k Hk. rewrite Hb, Hb0 by auto. cbn [Theorem3.mu].
      rewrite (bilinear_ext _ (mu l) _ (mu r)); [ring| |]; intros a Ha; rewrite ?Bl, ?Br by auto; ring.
    + split; [reflexivity|]. now apply (only_left l r).
    + split; [reflexivity|]. now apply (only_left l r).
    + split; [reflexivity|]. now apply (only_right l r).
    + split; [reflexivity|]. now apply (only_right l r).
  - (* active *)
    destruct Hv as (Hf & Hg & Hb & Hc & Hmu). pose proof (H c') as Hu.
    unfold step. rewrite Hf, Hg, Hc.
    assert (EB : forall k, (k < n)%nat -> b (s v) k + mvec (M (s v)) (b (s c')) k
        + bilinear_state n tensor (fun a => 0 * b (s (left_of v)) a)
            (fun a => 0 * b (s (right_of v)) a) k = mvec (M (s v)) (b (s c')) k).
    { intros k Hk. rewrite Hb by auto. rewrite bilinear_zero by (left; intros; ring). ring. }
    repeat (match goal with |- context [Req_EM_T ?x 1] => destruct (Req_EM_T x 1); [lra|] end).
    destruct (mode t c') as [| |c''] eqn:Ec; cbn [agrees f g M b c].
    + destruct Hu as (Uf & Ug & UM & Ub). rewrite Uf. split; [ring|]. split; [ring|]. split.
      * etransitivity; [apply active_matrix; intros; ring|].
        intros i j Hi Hj. apply sum_zero. intros p Hp. rewrite UM by auto. ring.
      * intros k Hk. rewrite EB, Hmu by auto. apply mvec_ext; [auto|reflexivity|exact Ub].
    + destruct Hu as (Uf & Ug & UM & Ub & Uc). rewrite Uf. split; [ring|]. split; [ring|].
      split; [intros k Hk; rewrite EB by auto; now apply mvec_zero|]. split; [exact Uc|].
      intros k Hk. rewrite Hmu by auto. apply mvec_ext; auto. symmetry.
      etransitivity; [apply active_matrix; intros; ring|].
      etransitivity; [apply (mmul_proper n); [reflexivity|exact UM]|]. apply mulm1.
    + destruct Hu as (Uf & Ug & Ub & Uc & Umu). rewrite Uf. split; [ring|]. split; [ring|].
      split; [intros k Hk; rewrite EB by auto; now apply mvec_zero|]. split; [exact Uc|].
      intros k Hk. rewrite Hmu by auto.
      transitivity (mvec (mmul n (M (s v)) (M (s c'))) (mu c'') k).
      * rewrite mvec_mul by auto. apply mvec_ext; [auto|reflexivity|auto].
      * apply mvec_ext; auto. symmetry. apply active_matrix; intros; ring.
Qed.

(** After any number of steps, at every node: mu(v) = M mu(c) + b. *)
Theorem run_agrees t v : agrees (mode t v) (run t v) v.
Proof.
  revert v; induction t as [|t IH]; [|now apply step_keeps].
  intros [a|l r]; cbn; repeat split; auto; reflexivity.
Qed.

Theorem invariant t v k : (k < n)%nat ->
  mu v k = mvec (M (run t v)) (mu (c (run t v))) k + b (run t v) k.
Proof. intro Hk. apply (agrees_identity (mode t v)); [apply run_agrees|exact Hk]. Qed.

(** The sharp count: as soon as rho^(t+1) > (N + 1) / 2. *)
Theorem logdepth_plastic rho (v : tree Sigma) t k : 0 < rho -> rho ^ 3 = rho + 1 ->
  (k < n)%nat -> (INR (leaves v) + 1) / 2 < rho ^ (t + 1) -> b (run t v) k = mu v k.
Proof.
  intros Hr H3 Hk Ht. pose proof (run_agrees t v) as H.
  destruct (mode t v) as [| |c'] eqn:E; [now apply H| |]; exfalso;
    pose proof (steps_bound rho (t + 1) v Hr H3 ltac:(lia)) as HB;
    replace (t + 1 - 1)%nat with t in HB by lia;
    specialize (HB ltac:(congruence)); lra.
Qed.
End Step.
