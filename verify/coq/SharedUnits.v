(** * Hidden units that several products share

    Section 4.2 and Appendix C. TreeMLP.v takes four hidden units for each product
    times * x_left * x_right that is added to a coordinate. Products of the same two factors can use
    the same four units, whose output is then added to several coordinates: this is what the program
    builds. The network computes the same function with fewer units: at most 4 (n^2 + 2n + 4) in a
    parse layer in place of 4 (n^3 + 2n + 4), and 4 (n^2 + 2n + 12) in place of 4 (n^3 + 2n + 14)
    in the model without masks. So theorems on the networks of TreeMLP.v and FreeMLP.v hold for
    the shared ones, at these sizes.

    Main definitions: [unit], [run_units], [shared], [run_shared_model], [run_shared_free].
    Main theorems:    [shared_is_network], [shared_units_parse], [shared_units_free],
                      [theorem3_shared]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool FunctionalExtensionality.
From Assay Require Import Compat Sums Trees Theorem3 Activation.
From Assay Require Import TreeModel TreeBlocks TreeLayers TreeContinuity TreeTargets TreeMLP.
From Assay Require Import FreeModel FreeBlocks FreeLayers FreeInexact FreeMLP.
Import ListNotations.
Open Scope R_scope.

(** ** Units as data *)

(** sigma(h (u x_left + v x_right) + b), times s * sign * weight, added to every target. *)
Record unit := Unit
  { reads_left : nat; left_factor : Z; reads_right : nat; right_factor : Z;
    sign : Z; targets : list (nat * weight) }.

(** Two factors, and the coordinates to which their product is added. *)
Definition pair := ((nat * nat) * list (nat * weight))%type.

Definition key (p : product) : nat * nat := (left_of p, right_of p).
Definition same (k k' : nat * nat) : bool :=
  ((fst k =? fst k') && (snd k =? snd k'))%nat.

Fixpoint join (p : product) (gs : list pair) : list pair :=
  match gs with
  | [] => [(key p, [(out p, times p)])]
  | g :: rest =>
      if same (key p) (fst g) then (fst g, snd g ++ [(out p, times p)]) :: rest
      else g :: join p rest
  end.

Definition grouped (ps : list product) : list pair := fold_left (fun gs p => join p gs) ps [].

Definition four_shared (g : pair) : list unit :=
  let unit := fun u v e => Unit (fst (fst g)) u (snd (fst g)) v e (snd g) in
  [unit 1 1 1; unit (-1) (-1) 1; unit 1 (-1) (-1); unit (-1) 1 (-1)]%Z.

Definition shared (ps : list product) : list unit := flat_map four_shared (grouped ps).

Section Run.
Context (tensor : nat -> nat -> nat -> R) (sigma : R -> R) (b h s : R).

Definition activity (x : nat -> R) (u : unit) : R :=
  sigma (h * (IZR (left_factor u) * x (reads_left u) + IZR (right_factor u) * x (reads_right u)) + b).

Definition gain_at (c : nat) (ts : list (nat * weight)) : R :=
  lsum (fun t => if (fst t =? c)%nat then plain_value tensor (snd t) else 0) ts.

(** sigma(x W_1 + b) W_2. *)
Definition run_units (us : list unit) (x : nat -> R) (c : nat) : R :=
  lsum (fun u => s * IZR (sign u) * gain_at c (targets u) * activity x u) us.

Lemma gain_app c ts ts' : gain_at c (ts ++ ts') = gain_at c ts + gain_at c ts'.
Proof. apply lsum_app. Qed.

Definition pair_output (x : nat -> R) (c : nat) (g : pair) : R :=
  gain_at c (snd g) * four_units sigma b h s (x (fst (fst g))) (x (snd (fst g))).

Lemma run_shared ps x c : run_units (shared ps) x c = lsum (pair_output x c) (grouped ps).
Proof.
  unfold run_units, shared. rewrite lsum_flat_map. apply lsum_ext. intros [[l r] ts] _.
  unfold four_shared, pair_output, activity, four_units, lsum. cbn [fold_right fst snd sign targets
    reads_left reads_right left_factor right_factor].
  replace (h * (1 * x l + 1 * x r) + b) with (h * x l + h * x r + b) by ring.
  replace (h * (-1 * x l + -1 * x r) + b) with (- h * x l + - h * x r + b) by ring.
  replace (h * (1 * x l + -1 * x r) + b) with (h * x l + - h * x r + b) by ring.
  replace (h * (-1 * x l + 1 * x r) + b) with (- h * x l + h * x r + b) by ring.
  ring.
Qed.

Definition single (x : nat -> R) (c : nat) (p : product) : R :=
  if (out p =? c)%nat
  then plain_value tensor (times p) * four_units sigma b h s (x (left_of p)) (x (right_of p)) else 0.

Lemma same_eq k k' : same k k' = true <-> k = k'.
Proof.
  destruct k, k'. unfold same. cbn. rewrite andb_true_iff, !Nat.eqb_eq. split.
  - intros [-> ->]. reflexivity.
  - intro E. injection E. auto.
Qed.

Lemma join_output x c p gs :
  lsum (pair_output x c) (join p gs) = lsum (pair_output x c) gs + single x c p.
Proof.
  induction gs as [|[k ts] gs IH]; cbn [join fst snd].
  - unfold lsum, pair_output, gain_at, single, lsum. cbn [fold_right fst snd key].
    destruct (out p =? c)%nat; ring.
  - destruct (same (key p) k) eqn:E.
    + apply same_eq in E. subst k. cbn [lsum fold_right]. unfold pair_output at 1 3. cbn [fst snd].
      rewrite gain_app. unfold gain_at at 2, single, lsum. cbn [fold_right fst snd key].
      destruct (out p =? c)%nat; ring.
    + cbn [lsum fold_right] in *. fold (lsum (pair_output x c) (join p gs)).
      fold (lsum (pair_output x c) gs). rewrite IH. ring.
Qed.

(** Shared units compute what four units for each product compute. *)
Theorem shared_is_network ps x c :
  run_units (shared ps) x c = run_network sigma b (network tensor h s ps) x c.
Proof.
  rewrite run_shared, network_is. fold (single x c).
  assert (G : forall gs, lsum (pair_output x c) (fold_left (fun gs p => join p gs) ps gs)
                         = lsum (pair_output x c) gs + lsum (single x c) ps).
  { induction ps as [|p ps IH]; intro gs; cbn [fold_left]; [cbn; ring|].
    rewrite IH, join_output. cbn [lsum fold_right]. fold (lsum (single x c) ps). ring. }
  unfold grouped. rewrite G. cbn. ring.
Qed.
End Run.

(** ** How many units there are *)

Lemma join_keys p gs : NoDup (map fst gs) ->
  NoDup (map fst (join p gs)) /\ incl (map fst (join p gs)) (key p :: map fst gs).
Proof.
  induction gs as [|[k ts] gs IH]; intro H; cbn [join map fst].
  - split; [repeat constructor; auto|apply incl_refl].
  - cbn [map fst] in H. inversion H as [|? ? Hk Hgs]; subst. destruct (same (key p) k) eqn:E.
    + cbn [map fst]. split; [exact H|apply incl_tl, incl_refl].
    + destruct (IH Hgs) as [G1 G2]. cbn [map fst]. split.
      * constructor; auto. intro Hin. apply G2 in Hin. destruct Hin as [Hin|Hin]; [|auto].
        apply same_eq in Hin. congruence.
      * intros q [<-|Hq]; [right; now left|]. apply G2 in Hq as [<-|Hq]; [now left|].
        right. now right.
Qed.

Lemma grouped_keys ps : NoDup (map fst (grouped ps)) /\ incl (map fst (grouped ps)) (map key ps).
Proof.
  unfold grouped.
  assert (G : forall gs, NoDup (map fst gs) ->
    NoDup (map fst (fold_left (fun gs p => join p gs) ps gs)) /\
    incl (map fst (fold_left (fun gs p => join p gs) ps gs)) (map key ps ++ map fst gs)).
  { induction ps as [|p ps IH]; intros gs Hg; cbn [fold_left map app]; [split; [auto|apply incl_refl]|].
    destruct (join_keys p gs Hg) as [H1 H2]. destruct (IH _ H1) as [H3 H4]. split; [exact H3|].
    intros q Hq. apply H4 in Hq. apply in_app_or in Hq as [Hq|Hq].
    - right. apply in_or_app. now left.
    - apply H2 in Hq as [<-|Hq]; [now left|]. right. apply in_or_app. now right. }
  destruct (G [] (NoDup_nil _)) as [H1 H2]. rewrite app_nil_r in H2. auto.
Qed.

(** Four units for each pair of factors. *)
Lemma shared_length ps ks : incl (map key ps) ks -> (length (shared ps) <= 4 * length ks)%nat.
Proof.
  intro H. unfold shared.
  assert (E : forall gs, length (flat_map four_shared gs) = (4 * length gs)%nat).
  { induction gs as [|g gs IH]; [reflexivity|]. cbn [flat_map]. rewrite app_length, IH.
    cbn [four_shared length]. lia. }
  rewrite E. destruct (grouped_keys ps) as [H1 H2].
  assert (M : length (map fst (grouped ps)) = length (grouped ps)) by apply map_length.
  pose proof (NoDup_incl_length H1 (incl_tran H2 H)). lia.
Qed.

Definition square (n right : nat) : list (nat * nat) :=
  flat_map (fun b => map (fun c => (b, right + c)%nat) (seq 0 n)) (seq 0 n).

Lemma square_length n right : length (square n right) = (n * n)%nat.
Proof.
  unfold square.
  assert (H : forall l : list nat, length (flat_map (fun b => map (fun c => (b, right + c)%nat)
    (seq 0 n)) l) = (length l * n)%nat); [|now rewrite H, seq_length].
  induction l as [|a l IH]; [reflexivity|]. cbn [flat_map length].
  rewrite app_length, map_length, seq_length, IH. lia.
Qed.

Lemma square_in n right b c : (b < n)%nat -> (c < n)%nat -> In (b, (right + c)%nat) (square n right).
Proof.
  intros Hb Hc. apply in_flat_map. exists b. split; [apply in_seq; lia|].
  apply in_map_iff. exists c. split; [reflexivity|apply in_seq; lia].
Qed.

Definition rows_of (a own n : nat) : list (nat * nat) := map (fun k => (a, own + k)%nat) (seq 0 n).

Lemma rows_in a own n k : (k < n)%nat -> In (a, (own + k)%nat) (rows_of a own n).
Proof. intro H. apply in_map_iff. exists k. split; [reflexivity|apply in_seq; lia]. Qed.

(** A parse layer: n^2 pairs of states, the states twice, four other coordinates. *)
Theorem shared_units_parse n tokens kind :
  (length (shared (products (parse_layer n tokens kind))) <= 4 * (n ^ 2 + 2 * n + 4))%nat.
Proof.
  set (own := (n + n)%nat). set (at_ := fun c => ((own + at_one n)%nat, (own + c)%nat)).
  apply Nat.le_trans with (4 * length (map at_ [at_one n; at_count n; at_kind n; at_mark n]
    ++ square n n ++ rows_of (own + at_one n) own n ++ rows_of (own + at_kind n) own n))%nat.
  - apply shared_length. cbn [products parse_layer]. rewrite !map_app. intros q Hq.
    apply in_app_or in Hq as [Hq|Hq]; [apply in_or_app; left; exact Hq|].
    apply in_or_app. right. apply in_app_or in Hq as [Hq|Hq].
    + apply in_or_app. left. apply in_map_iff in Hq as (p & <- & Hp).
      unfold tensor_products in Hp. apply in_flat_map in Hp as (a & Ha & Hp).
      apply in_flat_map in Hp as (b & Hb & Hp). apply in_map_iff in Hp as (c & <- & Hc).
      apply in_seq in Hb, Hc. apply (square_in n n b c); lia.
    + apply in_or_app. right. apply in_app_or in Hq as [Hq|Hq]; apply in_or_app; [left|right];
        apply in_map_iff in Hq as (p & <- & Hp); unfold kept in Hp;
        apply in_map_iff in Hp as (k & <- & Hk); apply in_seq in Hk.
      * apply (rows_in _ _ n k). lia.
      * apply (rows_in _ _ n k). lia.
  - rewrite !app_length, square_length. unfold rows_of. rewrite !map_length, !seq_length.
    cbn [length Nat.pow]. lia.
Qed.

(** A layer without masks. *)
Theorem shared_units_free n tokens mode :
  (length (shared (products (free_layer n tokens mode))) <= 4 * (n ^ 2 + 2 * n + 12))%nat.
Proof.
  set (pairs := map key (map (copy n (own_from n)) [at_one n; free_kind n; free_done n; free_size n]
    ++ map (free_gate n) [free_done n; free_size n]
    ++ [Product (left_done n) (right_done n) (free_done n) (Whole 1);
        Product (left_size n) (right_done n) (free_size n) (Whole 1);
        Product (left_done n) (right_size n) (free_size n) (Whole 1);
        Product (left_done n) (own_at n (at_place n)) (free_target n) (Whole 1);
        Product (left_done n) (own_at n (at_one n)) (free_target n) (Whole 1);
        Product (own_at n (at_one n)) (left_size n) (free_target n) (Whole 1)])).
  apply Nat.le_trans with (4 * length (square n (right_from n)
    ++ rows_of (own_from n + at_one n) (own_from n) n
    ++ rows_of (own_at n (free_kind n)) (own_from n) n ++ pairs))%nat.
  - apply shared_length. cbn [products free_layer]. unfold free_products. rewrite !map_app.
    intros q Hq. apply in_app_or in Hq as [Hq|Hq].
    { apply in_or_app. left. apply in_map_iff in Hq as (p & <- & Hp).
      unfold free_tensor in Hp. apply in_flat_map in Hp as (a & Ha & Hp).
      apply in_flat_map in Hp as (b & Hb & Hp). apply in_map_iff in Hp as (c & <- & Hc).
      apply in_seq in Hb, Hc. apply (square_in n (right_from n) b c); lia. }
    apply in_or_app. right. apply in_app_or in Hq as [Hq|Hq].
    { apply in_or_app. left. apply in_map_iff in Hq as (p & <- & Hp). unfold kept in Hp.
      apply in_map_iff in Hp as (k & <- & Hk). apply in_seq in Hk. apply (rows_in _ _ n k). lia. }
    apply in_or_app. right. apply in_app_or in Hq as [Hq|Hq].
    { apply in_or_app. left. apply in_map_iff in Hq as (p & <- & Hp).
      apply in_map_iff in Hp as (k & <- & Hk). apply in_seq in Hk. apply (rows_in _ _ n k). lia. }
    apply in_or_app. right. unfold pairs. cbn [map app] in *.
    repeat (destruct Hq as [Hq|Hq]; [subst q; cbn [key left_of right_of copy free_gate]; simpl; tauto|]).
    destruct Hq.
  - rewrite !app_length, square_length. unfold rows_of, pairs.
    rewrite !map_length, !app_length, !map_length, !seq_length. cbn [length Nat.pow]. lia.
Qed.

(** ** The models with shared units *)

Section Model.
Context {Sigma : Type} (n : nat) (leaf : Sigma -> nat -> R) (tensor : nat -> nat -> nat -> R)
  (sigma : R -> R) (b h s : R).

Definition run_shared_model (C : R) (T height : nat) (t : tree Sigma) : mat :=
  forward_with (value leaf tensor C (str t)) (rows (str t))
    (fun ly => run_units tensor sigma b h s (shared (products ly))) (tree_model n (S T) Soft height)
    (embedded n leaf tensor C (str t)).

Definition run_shared_free (C : R) (T count : nat) (t : tree Sigma) : mat :=
  forward_with (value leaf tensor C (str t)) (rows (str t))
    (fun ly => run_units tensor sigma b h s (shared (products ly))) (free_model n (S T) Soft count)
    (free_embedded n (S T) leaf tensor C (str t)).

Lemma blocks_equal ps : run_units tensor sigma b h s (shared ps)
                        = run_network sigma b (network tensor h s ps).
Proof.
  apply functional_extensionality. intro x. apply functional_extensionality. intro c.
  apply shared_is_network.
Qed.

Lemma shared_model_same C T height t :
  run_shared_model C T height t = run_mlp_model n leaf tensor sigma b h s C T height t.
Proof.
  unfold run_shared_model, run_mlp_model. f_equal. apply functional_extensionality. intro ly. apply blocks_equal.
Qed.

Lemma shared_free_same C T count t :
  run_shared_free C T count t = run_free_mlp n leaf tensor sigma b h s C T count t.
Proof.
  unfold run_shared_free, run_free_mlp. f_equal. apply functional_extensionality. intro ly. apply blocks_equal.
Qed.
End Model.

(** Theorem 3 with masks, softmax and the program's MLPs. *)
Theorem theorem3_shared {Sigma : Type} n (leaf : Sigma -> nat -> R) tensor (letters : list Sigma)
    T sigma b c :
  (forall a, In a letters) -> curved sigma b c -> c <> 0 -> forall eps, 0 < eps ->
  exists C0 h0, 0 < h0 /\ forall C h, C0 <= C -> 0 < h <= h0 -> forall (t : tree Sigma) i d u,
    (length (str t) <= T)%nat -> node t i d u ->
    sqrt (sum n (fun k =>
      (run_shared_model n leaf tensor sigma b h (/ (4 * h ^ 2 * c)) C T (tallest T) t i k
       - mu n leaf tensor u k) ^ 2)) < eps.
Proof.
  intros Hall Hc Hc0 eps He.
  destruct (theorem3_mlp_length n leaf tensor letters T sigma b c Hall Hc Hc0 eps He)
    as (C0 & h0 & Hh0 & H).
  exists C0, h0. split; [exact Hh0|]. intros. rewrite shared_model_same. eauto.
Qed.

