(** * How deep a transformer with hard attention to one place must be

    Section 3.2 and the conclusion ("one could extend the results by deriving lower bounds"). Theorem 1 has
    ceil(log2 T) layers with two heads. Fewer are not enough, whatever the widths, the scores and the maps of
    tokens are, over a large alphabet; over any alphabet, hardly fewer are.

    A network here has N tokens. A token of the embedding is any function, into any type, of its place and of
    at most one letter; pads see none. In a layer each head reads, at each place, one token or none; which
    one is any function of all tokens of that layer, so that every score, every mask and every rule for
    ties that chooses one place is covered. The new token is any function of the place and of what the heads
    read, and of the old token if there are residual connections. The output is any function of one token
    of the last layer. What it depends on: the choices on the way to it, few in number, and then
    h^L letters, for h tokens that each of L layers brings together.

    Alphabets. [one_letter_unseen] and what follows from it need a finite alphabet that is chosen after the
    numbers of tokens, heads and layers, or letters that are all the numbers. For an alphabet that is given,
    the bounds of [few_outputs] remain, where the number of tokens enters through its logarithm. That is not
    an artefact: with enough tokens one layer and one head are enough for words over a given alphabet
    ([small_alphabet]), and two heads see three binary letters on three tokens ([three_binary_letters]).

    Main definitions: [layer], [network], [output], [fan], [choices], [within], [numeral].
    Main theorems:    [one_letter_unseen], [few_outputs], [sums_need_depth],
                      [numerals_need_depth], [small_alphabet], [three_binary_letters]. *)

From Coq Require Import List Arith Lia.
From Assay Require Import Compat.
Import ListNotations.

(** ** Networks *)

Record layer (X : Type) := Layer
  { heads : nat;
    residual : bool;
    chosen : nat -> nat -> (nat -> X) -> nat;     (* head, place, all tokens: the place that is read *)
    made : nat -> option X -> list (option X) -> X }.
      (* place, the old token if there are residual connections, what the heads read: the new token *)
Arguments Layer {X}. Arguments heads {X}. Arguments residual {X}. Arguments chosen {X}. Arguments made {X}.

Record network (Sigma X O : Type) := Network
  { places : nat;                                 (* N, the number of tokens *)
    spot : nat -> nat;                            (* the position whose letter the token at a place sees *)
    start : nat -> option Sigma -> X;             (* the embedding *)
    layers : list (layer X);
    exit : nat;                                   (* the place that is read out *)
    said : X -> O }.
Arguments Network {Sigma X O}. Arguments places {Sigma X O}. Arguments spot {Sigma X O}.
Arguments start {Sigma X O}. Arguments layers {Sigma X O}. Arguments exit {Sigma X O}.
Arguments said {Sigma X O}.

(** A head that chooses no place below N reads nothing. *)
Definition read {X} (N : nat) (x : nat -> X) (s : nat) : option X := if s <? N then Some (x s) else None.

Definition step {X} (N : nat) (ly : layer X) (x : nat -> X) : nat -> X :=
  fun i => made ly i (if residual ly then Some (x i) else None)
                     (map (fun k => read N x (chosen ly k i x)) (seq 0 (heads ly))).

Definition run {X} (N : nat) (lys : list (layer X)) (x : nat -> X) : nat -> X :=
  fold_left (fun x ly => step N ly x) lys x.

Definition tokens {Sigma X O} (net : network Sigma X O) (w : list Sigma) : nat -> X :=
  fun r => start net r (nth_error w (spot net r)).

Definition output {Sigma X O} (net : network Sigma X O) (w : list Sigma) : O :=
  said net (run (places net) (layers net) (tokens net w) (exit net)).

(** How many tokens a layer brings together. *)
Definition arms {X} (ly : layer X) : nat := if residual ly then S (heads ly) else heads ly.

(** How many letters the output can see, and how many choices of the heads it depends on. *)
Definition fan {X} (lys : list (layer X)) : nat := fold_left (fun f ly => arms ly * f) lys 1.
Definition choices {X} (lys : list (layer X)) : nat := fold_left (fun c ly => arms ly * c + heads ly) lys 0.

(** ** Lists *)

Lemma app_parts {A} (a b c d : list A) : length a = length c -> a ++ b = c ++ d -> a = c /\ b = d.
Proof.
  revert c. induction a as [|x a IH]; intros [|y c] H E; try discriminate; [auto|].
  injection H as H. injection E as -> E. destruct (IH c H E) as [-> ->]. auto.
Qed.

Lemma flat_map_parts {A B} (f g : A -> list B) l : (forall x, length (f x) = length (g x)) ->
  flat_map f l = flat_map g l -> forall x, In x l -> f x = g x.
Proof.
  intro H. induction l as [|y l IH]; intros E x Hx; [destruct Hx|].
  apply app_parts in E as [E1 E2]; [|apply H]. destruct Hx as [<-|Hx]; auto.
Qed.

Lemma flat_map_length {A B} (f : A -> list B) l n : (forall x, length (f x) = n) ->
  length (flat_map f l) = length l * n.
Proof. intro H. induction l; cbn; [reflexivity|]. rewrite app_length, H, IHl. reflexivity. Qed.

Lemma same_maps {A B} (f g : A -> B) l : map f l = map g l -> forall x, In x l -> f x = g x.
Proof.
  induction l as [|y l IH]; intros E x Hx; [destruct Hx|]. injection E as E E'. destruct Hx as [<-|Hx]; auto.
Qed.

Lemma nth_error_other {A} (l r : list A) a b p : p <> length l ->
  nth_error (l ++ a :: r) p = nth_error (l ++ b :: r) p.
Proof. revert p. induction l as [|x l IH]; intros [|p] H; cbn in *; auto; try lia. Qed.

(** All lists of n members of a list. *)
Fixpoint lists_over {A} (l : list A) (n : nat) : list (list A) :=
  match n with O => [[]] | S n => map (fun p => fst p :: snd p) (list_prod l (lists_over l n)) end.

Lemma lists_over_length {A} (l : list A) n : length (lists_over l n) = length l ^ n.
Proof. induction n; cbn; [reflexivity|]. now rewrite map_length, prod_length, IHn. Qed.

Lemma in_lists_over {A} (l D : list A) n : length D = n -> Forall (fun a => In a l) D -> In D (lists_over l n).
Proof.
  intros <-. induction 1 as [|a D Ha _ IH]; [now left|]. cbn [lists_over length].
  apply (in_map (fun p => fst p :: snd p) _ (a, D)), in_prod; assumption.
Qed.

Lemma in_tuples K n D : length D = n -> Forall (fun i => i < K) D -> In D (lists_over (seq 0 K) n).
Proof.
  intros HL HF. apply in_lists_over; [exact HL|]. eapply Forall_impl; [|exact HF].
  intros a Ha. apply in_seq. cbn in Ha. lia.
Qed.

(** More things than names: two things have one name. *)
Lemma collision {A B} (dec : forall x y : B, {x = y} + {x <> y}) (f : A -> B) (l : list A) :
  forall names, NoDup l -> length names < length l -> (forall x, In x l -> In (f x) names) ->
  exists x y, In x l /\ In y l /\ x <> y /\ f x = f y.
Proof.
  induction l as [|x l IH]; intros names Hd Hlen Hin; [cbn in Hlen; lia|].
  inversion Hd as [|? ? Hx Hd']; subst. destruct (in_dec dec (f x) (map f l)) as [H|H].
  - apply in_map_iff in H as (y & E & Hy). exists x, y.
    repeat split; [now left|now right|intros ->; auto|auto].
  - destruct (in_split (f x) names) as (n1 & n2 & ->); [apply Hin; now left|].
    destruct (IH (n1 ++ n2) Hd') as (y & z & Hy & Hz & Hne & E).
    + rewrite app_length in *. cbn in Hlen. lia.
    + intros y Hy. specialize (Hin y (or_intror Hy)). rewrite in_app_iff in *.
      destruct Hin as [|[E|]]; auto. exfalso. apply H. rewrite E. now apply in_map.
    + exists y, z. repeat split; auto; now right.
Qed.

(** A number below T that is not in a list of fewer than T numbers; any number otherwise. *)
Definition missing (T : nat) (l : list nat) : nat :=
  match find (fun x => if in_dec Nat.eq_dec x l then false else true) (seq 0 T) with Some x => x | None => 0 end.

Lemma missing_not_in T l : length l < T -> missing T l < T /\ ~ In (missing T l) l.
Proof.
  intro H. unfold missing. destruct (find _ _) as [x|] eqn:E.
  - apply find_some in E as [Hx E]. apply in_seq in Hx. destruct (in_dec _ x l); [discriminate|]. split; [lia|auto].
  - exfalso. assert (Hincl : incl (seq 0 T) l).
    { intros x Hx. apply (find_none _ _ E) in Hx. destruct (in_dec _ x l); [assumption|discriminate]. }
    apply NoDup_incl_length in Hincl; [|apply seq_NoDup]. rewrite seq_length in Hincl. lia.
Qed.

(** ** Words and numerals *)

(** A word of T letters, which are the numbers below m. *)
Definition word (T m : nat) (w : list nat) : Prop := length w = T /\ Forall (fun a => a < m) w.

(** The value of a word, read as a numeral in base m after the value v; a sum for m = 1. *)
Fixpoint numeral (m v : nat) (w : list nat) : nat :=
  match w with [] => v | a :: w => numeral m (v * m + a) w end.

Lemma numeral_app m w a : forall v, numeral m v (w ++ [a]) = numeral m v w * m + a.
Proof. induction w as [|b w IH]; intro v; [reflexivity|]. apply IH. Qed.

Lemma numeral_sum w : forall v, numeral 1 v w = v + list_sum w.
Proof.
  induction w as [|a w IH]; intro v; cbn [numeral]; [cbn; lia|]. rewrite IH.
  change (list_sum (a :: w)) with (a + list_sum w). lia.
Qed.

Lemma numeral_injective m w : forall w' v v', length w = length w' ->
  Forall (fun a => a < m) w -> Forall (fun a => a < m) w' ->
  numeral m v w = numeral m v' w' -> v = v' /\ w = w'.
Proof.
  induction w as [|a w IH]; intros [|a' w'] v v' HL H H' E; try discriminate; [auto|].
  injection HL as HL. inversion H; subst. inversion H'; subst. cbn [numeral] in E.
  destruct (IH w' _ _ HL ltac:(assumption) ltac:(assumption) E) as [E' ->].
  assert (v = v') by nia. subst. split; [reflexivity|]. f_equal. lia.
Qed.

Lemma words_differ T m w w' : word T m w -> word T m w' -> numeral m 0 w = numeral m 0 w' -> w = w'.
Proof.
  intros [HL HF] [HL' HF'] E. destruct (numeral_injective m w w' 0 0) as [_ ->]; congruence.
Qed.

Lemma numeral_below m w : forall v b, v < b -> Forall (fun a => a < m) w ->
  numeral m v w < b * m ^ length w.
Proof.
  induction w as [|a w IH]; intros v b Hv H; cbn [numeral length]; [cbn; lia|].
  inversion H; subst. rewrite Nat.pow_succ_r', Nat.mul_assoc. apply IH; [nia|assumption].
Qed.

(** The word with a given value. *)
Fixpoint spelled (m T v : nat) : list nat :=
  match T with O => [] | S T => spelled m T (v / m) ++ [v mod m] end.

Lemma spelled_word m T v : 0 < m -> word T m (spelled m T v).
Proof.
  intro Hm. revert v. induction T as [|T IH]; intro v; [split; constructor|]. cbn [spelled].
  destruct (IH (v / m)) as [HL HF].
  split; [rewrite app_length; cbn; lia|]. apply Forall_app. split; [exact HF|]. constructor; [|constructor].
  apply Nat.mod_upper_bound. lia.
Qed.

Lemma spelled_value m T v : v < m ^ T -> numeral m 0 (spelled m T v) = v.
Proof.
  revert v. induction T as [|T IH]; intros v Hv; [cbn in *; lia|]. rewrite Nat.pow_succ_r' in Hv.
  assert (m <> 0) by (intros ->; cbn in Hv; lia). cbn [spelled]. rewrite numeral_app, IH.
  - rewrite (Nat.div_mod v m) at 3 by assumption. lia.
  - now apply Nat.div_lt_upper_bound.
Qed.

(** More words than names: two words have one name. *)
Lemma two_words {B} (dec : forall x y : B, {x = y} + {x <> y}) (f : list nat -> B) names T m :
  0 < m -> length names < m ^ T -> (forall w, word T m w -> In (f w) names) ->
  exists w w', word T m w /\ word T m w' /\ w <> w' /\ f w = f w'.
Proof.
  intros Hm Hlen Hin.
  destruct (collision dec (fun v => f (spelled m T v)) (seq 0 (m ^ T)) names) as (x & y & Hx & Hy & Hne & E).
  - apply seq_NoDup.
  - now rewrite seq_length.
  - intros v _. now apply Hin, spelled_word.
  - apply in_seq in Hx, Hy. exists (spelled m T x), (spelled m T y).
    repeat split; try now apply spelled_word. 2: exact E.
    intro H. apply Hne. rewrite <- (spelled_value m T x), <- (spelled_value m T y), H by lia. reflexivity.
Qed.

(** ** What an output depends on *)

Section Cone.
Context {X : Type} (N : nat).

Lemma run_last (lys : list (layer X)) ly x : run N (lys ++ [ly]) x = step N ly (run N lys x).
Proof. unfold run. now rewrite fold_left_app. Qed.

(** The place that a head reads; N if it reads none. Layers stand last layer first here. *)
Definition target (back : list (layer X)) (ly : layer X) x k i :=
  Nat.min N (chosen ly k i (run N (rev back) x)).

(** All choices that the token at place i depends on. *)
Fixpoint code (back : list (layer X)) (x : nat -> X) (i : nat) : list nat :=
  match back with
  | [] => []
  | ly :: back => (if residual ly then code back x i else []) ++
      flat_map (fun k => target back ly x k i :: code back x (target back ly x k i)) (seq 0 (heads ly))
  end.

(** The tokens of the embedding that it depends on, when these choices are known. *)
Fixpoint leaves (back : list (layer X)) (x : nat -> X) (i : nat) : list nat :=
  match back with
  | [] => [i]
  | ly :: back => (if residual ly then leaves back x i else []) ++
      flat_map (fun k => leaves back x (target back ly x k i)) (seq 0 (heads ly))
  end.

Lemma fan_back (back : list (layer X)) ly : fan (rev (ly :: back)) = arms ly * fan (rev back).
Proof. unfold fan. cbn [rev]. now rewrite fold_left_app. Qed.

Lemma choices_back (back : list (layer X)) ly :
  choices (rev (ly :: back)) = arms ly * choices (rev back) + heads ly.
Proof. unfold choices. cbn [rev]. now rewrite fold_left_app. Qed.

Lemma code_length back x i : length (code back x i) = choices (rev back).
Proof.
  revert i. induction back as [|ly back IH]; intro i; [reflexivity|]. cbn [code].
  rewrite choices_back, app_length, (flat_map_length _ _ (S (choices (rev back)))), seq_length.
  - unfold arms. destruct (residual ly); rewrite ?IH; cbn [length]; lia.
  - intro k. cbn [length]. now rewrite IH.
Qed.

Lemma leaves_length back x i : length (leaves back x i) = fan (rev back).
Proof.
  revert i. induction back as [|ly back IH]; intro i; [reflexivity|]. cbn [leaves].
  rewrite fan_back, app_length, (flat_map_length _ _ (fan (rev back))), seq_length.
  - unfold arms. destruct (residual ly); rewrite ?IH; cbn [length]; lia.
  - intro k. apply IH.
Qed.

Lemma code_below back x i : Forall (fun s => s < S N) (code back x i).
Proof.
  revert i. induction back as [|ly back IH]; intro i; [constructor|]. cbn [code].
  apply Forall_app. split; [destruct (residual ly); auto|].
  rewrite Forall_forall. intros s Hs. apply in_flat_map in Hs as (k & _ & [<-|Hs]).
  - unfold target. lia.
  - exact (proj1 (Forall_forall _ _) (IH _) s Hs).
Qed.

Lemma code_parts back ly x x' i : code (ly :: back) x i = code (ly :: back) x' i ->
  (residual ly = true -> code back x i = code back x' i) /\
  forall k, k < heads ly -> target back ly x k i = target back ly x' k i /\
    code back x (target back ly x k i) = code back x' (target back ly x k i).
Proof.
  cbn [code]. intro E. apply app_parts in E as [E0 E].
  2: { destruct (residual ly); [now rewrite !code_length|reflexivity]. }
  split; [intro Hr; now rewrite Hr in E0|]. intros k Hk.
  apply flat_map_parts with (x := k) in E; [|intro; cbn [length]; now rewrite !code_length|apply in_seq; lia].
  injection E as E1 E2. split; [exact E1|]. now rewrite E1 at 2.
Qed.

Lemma code_leaves back x x' : forall i, code back x i = code back x' i -> leaves back x i = leaves back x' i.
Proof.
  induction back as [|ly back IH]; intros i E; [reflexivity|]. cbn [leaves].
  destruct (code_parts back ly x x' i E) as [P0 P]. f_equal; [destruct (residual ly); auto|].
  assert (G : forall l, incl l (seq 0 (heads ly)) ->
    flat_map (fun k => leaves back x (target back ly x k i)) l
    = flat_map (fun k => leaves back x' (target back ly x' k i)) l).
  { induction l as [|k l IHl]; intro Hl; [reflexivity|]. cbn.
    destruct (P k) as [E1 E2]; [specialize (Hl k (or_introl eq_refl)); apply in_seq in Hl; lia|].
    rewrite (IH _ E2), E1, IHl; [reflexivity|]. intros y Hy. apply Hl. now right. }
  apply G, incl_refl.
Qed.

Theorem run_same back x x' : forall i, code back x i = code back x' i ->
  (forall r, In r (leaves back x i) -> x r = x' r) -> run N (rev back) x i = run N (rev back) x' i.
Proof.
  induction back as [|ly back IH]; intros i E H; [apply H; now left|].
  destruct (code_parts back ly x x' i E) as [P0 P]. cbn [rev]. rewrite !run_last. unfold step. f_equal.
  { destruct (residual ly) eqn:Er; [|reflexivity]. f_equal. apply IH; [auto|]. intros r Hr. apply H.
    cbn [leaves]. rewrite Er. apply in_or_app. now left. }
  apply map_ext_in. intros k Hk. apply in_seq in Hk. destruct (P k) as [E1 E2]; [lia|].
  assert (R : run N (rev back) x (target back ly x k i) = run N (rev back) x' (target back ly x k i)).
  { apply IH; [exact E2|]. intros r Hr. apply H. cbn [leaves]. apply in_or_app. right.
    apply in_flat_map. exists k. split; [apply in_seq; lia|exact Hr]. }
  unfold target in *. unfold read.
  destruct (Nat.ltb_spec (chosen ly k i (run N (rev back) x)) N) as [H1|H1];
    destruct (Nat.ltb_spec (chosen ly k i (run N (rev back) x')) N) as [H2|H2]; try lia; [|reflexivity].
  rewrite !Nat.min_r in * by lia. rewrite <- E1. now rewrite R.
Qed.
End Cone.

(** ** Two words with one output *)

Section Words.
Context {X O : Type} (net : network nat X O) (T m : nat).
Let N := places net.
Let back := rev (layers net).
Let kept (w : list nat) : list nat := code N back (tokens net w) (exit net).
Let seen (w : list nat) : list nat := map (spot net) (leaves N back (tokens net w) (exit net)).

Lemma same_output w w' : kept w = kept w' ->
  (forall p, In p (seen w) -> nth_error w p = nth_error w' p) -> output net w = output net w'.
Proof.
  intros E H. unfold output. f_equal. rewrite <- (rev_involutive (layers net)). fold back.
  apply run_same; [exact E|]. intros r Hr. unfold tokens. f_equal. apply H. unfold seen.
  now apply in_map.
Qed.

Lemma seen_length w : length (seen w) = fan (layers net).
Proof. unfold seen, back. now rewrite map_length, leaves_length, rev_involutive. Qed.

Lemma kept_in w : In (kept w) (lists_over (seq 0 (S N)) (choices (layers net))).
Proof.
  apply in_tuples; unfold kept; [|apply code_below]. unfold back. now rewrite code_length, rev_involutive.
Qed.

Lemma seen_same w w' : kept w = kept w' -> seen w = seen w'.
Proof. intro E. unfold seen. f_equal. now apply code_leaves. Qed.

(** Without the letter at a position. *)
Definition without (u : nat) (w : list nat) : list nat := firstn u w ++ skipn (S u) w.

Lemma around u (w : list nat) : u < length w -> exists a, w = firstn u w ++ a :: skipn (S u) w.
Proof.
  revert w. induction u as [|u IH]; intros [|a w] H; cbn in H; try lia; [now exists a|].
  destruct (IH w ltac:(lia)) as (b & E). exists b.
  change (a :: w = a :: (firstn u w ++ b :: skipn (S u) w)). now rewrite <- E.
Qed.

Lemma pair_dec : forall x y : list nat * list nat, {x = y} + {x <> y}.
Proof. decide equality; apply (list_eq_dec Nat.eq_dec). Qed.

(** Fewer than T letters are seen: two words that differ in one letter have one output. The alphabet, m
    letters, is chosen after the numbers of tokens, heads and layers. *)
Theorem one_letter_unseen : fan (layers net) < T -> S (places net) ^ choices (layers net) < m ->
  exists p q a b, word T m (p ++ a :: q) /\ word T m (p ++ b :: q) /\ a <> b /\
    output net (p ++ a :: q) = output net (p ++ b :: q).
Proof.
  intros HT Hm. fold N in Hm.
  assert (Hu : forall w, missing T (seen w) < T /\ ~ In (missing T (seen w)) (seen w))
    by (intro w; apply missing_not_in; now rewrite seen_length).
  destruct (two_words pair_dec (fun w => (kept w, without (missing T (seen w)) w))
    (list_prod (lists_over (seq 0 (S N)) (choices (layers net))) (lists_over (seq 0 m) (T - 1))) T m)
    as (w & w' & Hw & Hw' & Hne & E); [lia| | |].
  - rewrite prod_length, !lists_over_length, !seq_length. replace (m ^ T) with (m * m ^ (T - 1)).
    + assert (m ^ (T - 1) <> 0) by (apply Nat.pow_nonzero; lia). nia.
    + rewrite <- Nat.pow_succ_r'. f_equal. lia.
  - intros w [HL HF]. destruct (Hu w) as [Hu' _]. apply in_prod; [apply kept_in|].
    destruct (around (missing T (seen w)) w ltac:(lia)) as (b & Eb). apply in_tuples; unfold without.
    + rewrite app_length, firstn_length, skipn_length. lia.
    + rewrite Eb in HF. apply Forall_app in HF as [H1 H2]. inversion H2. now apply Forall_app.
  - injection E as E1 E2. rewrite <- (seen_same w w' E1) in E2. set (u := missing T (seen w)) in *.
    destruct (Hu w) as [Hlt Hnot]. fold u in Hlt, Hnot. pose proof (proj1 Hw) as HL. pose proof (proj1 Hw') as HL'.
    destruct (around u w ltac:(lia)) as (a & Ea). destruct (around u w' ltac:(lia)) as (b & Eb).
    unfold without in E2. apply app_parts in E2 as [E2 E3]; [|rewrite !firstn_length; lia].
    rewrite <- E2, <- E3 in Eb. exists (firstn u w), (skipn (S u) w), a, b. rewrite <- Ea, <- Eb.
    split; [exact Hw|]. split; [exact Hw'|]. split; [intros ->; congruence|].
    apply same_output; [exact E1|]. intros p Hp. rewrite Ea, Eb. apply nth_error_other.
    rewrite firstn_length. intros ->. apply Hnot. now rewrite Nat.min_l in Hp by lia.
Qed.

(** Any alphabet: two words have one output if there are more words than choices and seen letters. *)
Theorem few_outputs : 0 < m -> S (places net) ^ choices (layers net) * m ^ fan (layers net) < m ^ T ->
  exists w w', word T m w /\ word T m w' /\ w <> w' /\ output net w = output net w'.
Proof.
  intros Hm0 Hm. fold N in Hm.
  destruct (two_words pair_dec (fun w => (kept w, map (fun p => nth p w 0) (seen w)))
    (list_prod (lists_over (seq 0 (S N)) (choices (layers net))) (lists_over (seq 0 m) (fan (layers net)))) T m)
    as (w & w' & Hw & Hw' & Hne & E); [exact Hm0| | |].
  - now rewrite prod_length, !lists_over_length, !seq_length.
  - intros w [HL HF]. apply in_prod; [apply kept_in|]. apply in_tuples; [now rewrite map_length, seen_length|].
    apply Forall_map, Forall_forall. intros p _. destruct (Nat.lt_ge_cases p T) as [Hp|Hp].
    + rewrite Forall_forall in HF. apply HF, nth_In. lia.
    + now rewrite nth_overflow by lia.
  - injection E as E1 E2. rewrite <- (seen_same w w' E1) in E2. exists w, w'. repeat split; try apply Hw;
      try apply Hw'; auto. apply same_output; [exact E1|]. intros p Hp. destruct Hw as [HL _], Hw' as [HL' _].
    pose proof (same_maps _ _ _ E2 p Hp) as Ep. cbv beta in Ep. destruct (Nat.lt_ge_cases p T).
    + rewrite (nth_error_nth' w 0), (nth_error_nth' w' 0) by lia. now rewrite Ep.
    + now rewrite !(proj2 (nth_error_None _ _)) by lia.
Qed.
End Words.

(** ** In terms of heads and layers *)

(** N tokens, at most L layers, each of which brings together at most h tokens: h heads, or h - 1 heads and
    residual connections. *)
Definition within {Sigma X O} (net : network Sigma X O) (N L h : nat) : Prop :=
  places net = N /\ length (layers net) <= L /\ forall ly, In ly (layers net) -> arms ly <= h.

(** h + h^2 + .. + h^L *)
Fixpoint geometric (h L : nat) : nat := match L with O => 0 | S L => h * geometric h L + h end.

Lemma geometric_le h L L' : 1 <= h -> L <= L' -> geometric h L <= geometric h L'.
Proof. intro H. induction 1; [lia|]. cbn [geometric]. nia. Qed.

Lemma fan_choices_le {X} (lys : list (layer X)) L h : 1 <= h -> length lys <= L ->
  (forall ly, In ly lys -> arms ly <= h) -> fan lys <= h ^ L /\ choices lys <= geometric h L.
Proof.
  intros Hh HL H.
  enough (E : fan lys <= h ^ length lys /\ choices lys <= geometric h (length lys)).
  { pose proof (Nat.pow_le_mono_r h _ _ ltac:(lia) HL). pose proof (geometric_le h _ _ Hh HL). lia. }
  clear L HL. rewrite <- (rev_involutive lys) in *. induction (rev lys) as [|ly back IH]; [cbn; lia|].
  rewrite fan_back, choices_back. cbn [rev] in *. rewrite app_length, Nat.add_comm. cbn [length Nat.add].
  destruct IH as [I1 I2]; [intros; apply H, in_or_app; auto|].
  specialize (H ly ltac:(apply in_or_app; right; now left)).
  assert (heads ly <= arms ly) by (unfold arms; destruct (residual ly); lia).
  rewrite Nat.pow_succ_r'. cbn [geometric]. nia.
Qed.

(** *** Sums of letters: the exact depth; the alphabet is chosen after N, L and h *)

Theorem sums_collide N L h T m : 1 <= h -> h ^ L < T -> S N ^ geometric h L < m ->
  forall (X O : Type) (net : network nat X O), within net N L h ->
  exists w w', word T m w /\ word T m w' /\ list_sum w <> list_sum w' /\ output net w = output net w'.
Proof.
  intros Hh HT Hm X O net (HN & HL & Ha). destruct (fan_choices_le _ L h Hh HL Ha) as [Hf Hc].
  destruct (one_letter_unseen net T m) as (p & q & a & b & Hw & Hw' & Hne & E); [lia| |].
  - rewrite HN. pose proof (Nat.pow_le_mono_r (S N) _ _ ltac:(lia) Hc). lia.
  - exists (p ++ a :: q), (p ++ b :: q). split; [exact Hw|]. split; [exact Hw'|]. split; [|exact E].
    rewrite !list_sum_app. change (list_sum (a :: q)) with (a + list_sum q).
    change (list_sum (b :: q)) with (b + list_sum q). lia.
Qed.

(** A network that tells the sum of T letters below m has at least log_h T layers; with two heads and
    without residual connections ceil(log2 T), the depth of Theorem 1. *)
Corollary sums_need_depth N L h T m : 1 <= h -> S N ^ geometric h L < m ->
  forall (X O : Type) (net : network nat X O) (g : O -> nat), within net N L h ->
  (forall w, word T m w -> g (output net w) = list_sum w) -> T <= h ^ L.
Proof.
  intros Hh Hm X O net g Hn Hg. destruct (Nat.le_gt_cases T (h ^ L)) as [|HT]; [assumption|].
  destruct (sums_collide N L h T m Hh HT Hm X O net Hn) as (w & w' & Hw & Hw' & Hne & E).
  exfalso. apply Hne. now rewrite <- !Hg, E by assumption.
Qed.

(** *** Numerals: any alphabet; the number of tokens enters through its logarithm *)

Theorem numerals_collide N L h T m : 1 <= h -> 0 < m -> S N ^ geometric h L * m ^ (h ^ L) < m ^ T ->
  forall (X O : Type) (net : network nat X O), within net N L h ->
  exists w w', word T m w /\ word T m w' /\ numeral m 0 w <> numeral m 0 w' /\ output net w = output net w'.
Proof.
  intros Hh Hm H X O net (HN & HL & Ha). destruct (fan_choices_le _ L h Hh HL Ha) as [Hf Hc].
  destruct (few_outputs net T m Hm) as (w & w' & Hw & Hw' & Hne & E).
  - rewrite HN. pose proof (Nat.pow_le_mono_r (S N) _ _ ltac:(lia) Hc).
    pose proof (Nat.pow_le_mono_r m _ _ ltac:(lia) Hf). nia.
  - exists w, w'. repeat split; try apply Hw; try apply Hw'; auto. intro Ev. now apply Hne, (words_differ T m).
Qed.

Theorem numerals_need_depth N L h T m : 1 <= h -> 0 < m ->
  forall (X O : Type) (net : network nat X O) (g : O -> nat), within net N L h ->
  (forall w, word T m w -> g (output net w) = numeral m 0 w) ->
  m ^ T <= S N ^ geometric h L * m ^ (h ^ L).
Proof.
  intros Hh Hm X O net g Hn Hg.
  destruct (Nat.le_gt_cases (m ^ T) (S N ^ geometric h L * m ^ (h ^ L))) as [|H]; [assumption|].
  destruct (numerals_collide N L h T m Hh Hm H X O net Hn) as (w & w' & Hw & Hw' & Hne & E).
  exfalso. apply Hne. now rewrite <- !Hg, E by assumption.
Qed.

(** Two letters are enough for a bound that is short of log_h T by log log N only. *)
Lemma binary_count N L h T : h ^ L + geometric h L * Nat.log2_up (S N) < T ->
  S N ^ geometric h L * 2 ^ (h ^ L) < 2 ^ T.
Proof.
  intro H. assert (HS : S N <= 2 ^ Nat.log2_up (S N)).
  { destruct N; [cbn; lia|]. apply Nat.log2_up_spec. lia. }
  apply (Nat.pow_le_mono_l _ _ (geometric h L)) in HS. rewrite <- Nat.pow_mul_r in HS.
  apply (Nat.pow_lt_mono_r 2) in H; [|lia]. rewrite Nat.pow_add_r, (Nat.mul_comm (geometric h L)) in H. nia.
Qed.

(** ** The alphabet has to be chosen after the number of tokens *)

(** With T + m^T tokens, one layer with one head has every function of the words of T letters below m: what
    the head chooses says which word it is. *)
Theorem small_alphabet (T m : nat) (O : Type) (f : list nat -> O) :
  exists net : network nat nat O, within net (T + m ^ T) 1 1 /\
    forall w, word T m w -> output net w = f w.
Proof.
  exists (Network (T + m ^ T) (fun r => r) (fun r o => match o with Some a => a | None => r end)
    [Layer 1 false (fun _ _ x => T + numeral m 0 (map x (seq 0 T)))
       (fun _ _ l => match l with [Some v] => v | _ => 0 end)] 0 (fun v => f (spelled m T (v - T)))).
  split; [repeat split; cbn; try lia; intros ly [<-|[]]; cbn; lia|].
  intros w Hw. pose proof Hw as [HL HF]. unfold output, run, step, tokens, read.
  cbn [layers places exit said start spot fold_left made chosen heads residual seq map].
  set (x := fun r => match nth_error w r with Some a => a | None => r end).
  assert (E : map x (seq 0 T) = w).
  { rewrite <- HL. unfold x. clear. induction w as [|a w IH] using rev_ind; [reflexivity|].
    rewrite app_length, Nat.add_1_r, seq_S, map_app. cbn [map Nat.add]. f_equal.
    - etransitivity; [|exact IH]. apply map_ext_in. intros k Hk. apply in_seq in Hk.
      now rewrite nth_error_app1 by lia.
    - now rewrite nth_error_app2, Nat.sub_diag by lia. }
  rewrite E. pose proof (numeral_below m w 0 1 ltac:(lia) HF) as Hn. rewrite HL in Hn.
  destruct (Nat.ltb_spec (T + numeral m 0 w) (T + m ^ T)); [|lia]. unfold x.
  rewrite (proj2 (nth_error_None w _)) by lia. replace (T + numeral m 0 w - T) with (numeral m 0 w) by lia.
  f_equal. destruct (Nat.eq_dec m 0) as [->|Hm].
  - inversion HF; [|lia]. subst. reflexivity.
  - apply (words_differ T m); [apply spelled_word; lia|exact Hw|]. apply spelled_value. lia.
Qed.

(** The least case: three letters, 0 or 1, are seen in one layer by two heads on three tokens, though 2 < 3.
    The place that is read out has the third letter: it decides which head reads the first token and which
    the second. The choice depends on the token at the own place and on the place to be read only, as a score
    of a query and a key does. *)
Theorem three_binary_letters (O : Type) (f : list nat -> O) :
  exists net : network nat (nat * nat) O, within net 3 1 2 /\ forall w, word 3 2 w -> output net w = f w.
Proof.
  exists (Network 3 (fun r => r) (fun r o => (r, match o with Some a => a | None => 0 end))
    [Layer 2 false (fun k i x => if snd (x i) =? 0 then k else 1 - k)
       (fun _ _ l => match l with
          | [Some (0, a); Some (_, b)] => (0, 4 * a + 2 * b)
          | [Some (_, a); Some (_, b)] => (0, 4 * b + 2 * a + 1)
          | _ => (0, 0) end)] 2
    (fun t => f [snd t / 4; snd t / 2 mod 2; snd t mod 2])).
  split; [repeat split; cbn; try lia; intros ly [<-|[]]; cbn; lia|].
  intros [|a [|b [|c [|]]]] [HL HF]; try discriminate.
  inversion_clear HF as [|? ? Ha HF1]. inversion_clear HF1 as [|? ? Hb HF2]. inversion_clear HF2 as [|? ? Hc _].
  assert (a = 0 \/ a = 1) as [-> | ->] by lia; assert (b = 0 \/ b = 1) as [-> | ->] by lia;
    assert (c = 0 \/ c = 1) as [-> | ->] by lia; reflexivity.
Qed.
