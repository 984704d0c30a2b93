(** * The tree decoder with softmax attention: every eps, all trees up to a length

    Beyond the paper. The decoder of TreeDecoder.v with softmax in place of hard attention: for every
    automaton, every length T, every number of steps k >= 1 and every eps > 0 there is a C0 such that
    for all C >= C0, on the strings of all trees of length at most T over q letters, the output at
    every position where a subtree v with leaves(v) + 1 < P_(k+1) ends is within eps of its state. The
    MLPs are gated and exact, for any act with act(y) - act(-y) = y and act(1) <> 0 (SiLU for example).
    C0 depends on the automaton, T, k, q and eps; how, is said in TreeDecoderRates.v
    and TreeDecoderHeld.v.

    Main definitions: [forms_first], [forms_match], [forms_jump], [sound], [course].
    Main theorems:    [tree_course], [soft_stream], [uniform_trees], [tree_decoder_soft]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Trees Pebbling Theorem3 Softmax InUse DecoderModel DecoderActivation.
From Assay Require Import TreeDecoderModel TreeDecoderBlocks TreeDecoderLayers TreeDecoderEnds.
From Assay Require Import TreeDecoderSteps TreeDecoder DecoderLimit.
Import ListNotations.
Open Scope R_scope.

Section Soft.
Variable n q T : nat.
Variable e0 : setting.
Hypothesis n_1 : (1 <= n)%nat.
Hypothesis act_odd : forall y, act e0 y - act e0 (- y) = y.
Hypothesis act_1 : act e0 1 <> 0.

Variable t : tree nat.
Local Notation w := (str t).
Local Notation N := (S (length w)).
Hypothesis fits : (length w <= T)%nat.
Hypothesis letters : letters_below q w.

Local Notation nn := (nn n).
Local Notation width := (width n).
Local Notation hw := (head_width n).
Local Notation K := (K T).
Local Notation holds := (holds n N).
Local Notation e := (at_C e0 1).
Local Notation good := (good n e t).
Local Notation toks := ((q + 2)%nat :: map (code q) w).

Lemma C_1 : 0 < C e.
Proof. cbn. lra. Qed.

(** ** The heads and MLPs as forms *)

Definition follow_form (pointer : zform) (copies : copy_list) : head_form :=
  HeadForm (map (fun p => (fst p, 2 * snd p)%Z) pointer) [(p_one, 1%Z)] [(p_i, 1%Z)] [(p_sq, (-1)%Z)] copies.

Definition near_form : head_form := follow_form (near_ptr T) (one_copy p_f (p_N n) ++ copies_of n (p_b n) (p_Bn n)).
Definition far_form : head_form := follow_form (far_ptr T) (one_copy p_f (p_F n) ++ copies_of n (p_b n) (p_Bf n)).
Definition pointer_form : head_form :=
  follow_form [(p_c, 1%Z)] (copies_of nn p_M (p_S n) ++ copies_of n (p_b n) (p_s n)
                            ++ one_copy p_f (p_h n) ++ one_copy p_c (p_k n)).
Definition mean_form : head_form := HeadForm [] [] [] [] [([(p_one, 1); (p_f, -1); (p_g, -2)]%Z, p_N n)].
Definition previous_form : head_form :=
  follow_form before_ptr (one_copy p_f (p_h n) ++ copies_of n (p_b n) (p_s n)).
Definition match_form : head_form :=
  HeadForm [(p_k n, 2 * K); (p_one, 2 * K * (1 - K)); (p_g, 2 * K * K)]%Z [(p_one, 1%Z)]
    [(p_k n, 1%Z)] [(p_S n, - K); (p_g, - K); (p_i, 1)]%Z
    (([(p_i, 1); (p_one, -1)]%Z, p_phi) :: one_copy (p_h n) (p_F n) ++ copies_of n (p_s n) (p_Bf n)).

Definition forms_first : list head_form := [mean_form; previous_form].
Definition forms_match : list head_form := [match_form; near_form].
Definition forms_jump : list head_form := [near_form; far_form; pointer_form].

Definition first_products : list (zform * zform * form) :=
  [([(p_i, 1%Z); (p_one, 1%Z)], [(p_N n, 1%Z)], [(p_k n, Whole 1)])].
Definition first_linears : list (zform * form) :=
  [erase (p_N n); ([(p_f, 1); (p_g, 1); (p_one, -2)]%Z, [(p_k n, Whole 1)])].
Definition second_products : list (zform * zform * form) :=
  [([(p_k n, 1%Z)], [(p_k n, 1%Z)], [(p_S n, Whole 1)])].
Definition match_linears : list (zform * form) := step_linears n ++ [erase (p_k n)].
Definition jump_linears : list (zform * form) :=
  step_linears n ++ [([(p_k n, 1%Z)], [(p_c, Whole 1); (p_k n, Whole (-1))]); erase p_c].

Lemma first_made : Layer [mean n; previous n] (first_block n) = made_layer width hw forms_first first_products first_linears.
Proof. reflexivity. Qed.
Lemma second_made : Layer [] (second_block n) = made_layer width hw [] second_products [].
Proof. reflexivity. Qed.
Lemma match_made : Layer [match_begin n T; near n T] (step_block n false)
  = made_layer width hw forms_match (step_products n) match_linears.
Proof. reflexivity. Qed.
Lemma jump_made : Layer [near n T; far n T; pointer n] (step_block n true)
  = made_layer width hw forms_jump (step_products n ++ jump_products n) jump_linears.
Proof. reflexivity. Qed.

(** ** They fit *)

Lemma hw_2 : (2 <= hw)%nat.
Proof. apply Nat.le_add_l. Qed.

Lemma width_pos : (0 < width)%nat.
Proof. exact (place_below n P_one (le_n 1)). Qed.

Lemma follow_fits ptr copies : zbelow width ptr -> copies_fit n copies -> head_fits width hw (follow_form ptr copies).
Proof.
  intros H1 H2. split; [|split; [zb n|split; [zb n|split; [zb n|exact H2]]]].
  intros p Hp. apply in_map_iff in Hp. destruct Hp as (r & <- & Hr). exact (H1 r Hr).
Qed.

Lemma near_head_fits : head_fits width hw near_form.
Proof. apply follow_fits; [zb n|apply child_fits; discriminate]. Qed.
Lemma far_head_fits : head_fits width hw far_form.
Proof. apply follow_fits; [zb n|apply child_fits; discriminate]. Qed.
Lemma previous_head_fits : head_fits width hw previous_form.
Proof. apply follow_fits; [zb n|apply child_fits; discriminate]. Qed.
Lemma pointer_head_fits : head_fits width hw pointer_form.
Proof. apply follow_fits; [zb n|apply pointer_fits]. Qed.
Lemma mean_head_fits : head_fits width hw mean_form.
Proof. do 4 (split; [apply zbelow_nil|]). apply mean_fits. Qed.
Lemma match_head_fits : head_fits width hw match_form.
Proof.
  pose proof (place_below n _ (inside_S0 n n_1)) as HS. rewrite <- place_S0 in HS.
  do 4 (split; [zb n|]). apply match_fits.
Qed.

(** Targets are free of C, and place 0 is none of them. *)
Definition target_fits (f : form) : Prop := forall p, In p f -> free (snd p) = true /\ fst p <> 0%nat.

Lemma span_fits base k g : base <> 0%nat -> (forall v, free (g v) = true) -> target_fits (span base k g).
Proof.
  intros Hb Hg p Hp. apply in_map_iff in Hp. destruct Hp as (v & <- & _). cbn [fst snd]. split; [apply Hg|lia].
Qed.

Lemma target_app f g : target_fits f -> target_fits g -> target_fits (f ++ g).
Proof. intros H H' p Hp. apply in_app_or in Hp. destruct Hp; auto. Qed.

Lemma target_one p k : p <> 0%nat -> target_fits [(p, Whole k)].
Proof. intros H r [<-|[]]. split; [reflexivity|exact H]. Qed.

Lemma target_cons p k f : p <> 0%nat -> target_fits f -> target_fits ((p, Whole k) :: f).
Proof. intros H Hf r [<-|Hr]; [split; [reflexivity|exact H]|now apply Hf]. Qed.

Lemma diagonal_fits k : target_fits (diagonal n k).
Proof. apply span_fits; [discriminate|]. intro v. destruct (v / n =? v mod n)%nat; reflexivity. Qed.

Ltac tf := repeat first [apply target_app|apply diagonal_fits|apply target_cons; [discriminate|]
                        |apply target_one; discriminate|intros ? []].

Lemma step_products_free u : In u (step_products n) -> target_fits (snd u).
Proof.
  intro Hu. repeat (apply in_app_or in Hu; destruct Hu as [Hu|Hu]).
  - apply in_flat_map in Hu. destruct Hu as (j & _ & [<-|[<-|[]]]); now apply span_fits.
  - apply in_flat_map in Hu. destruct Hu as (l & _ & Hu). apply in_map_iff in Hu. destruct Hu as (r & <- & _).
    now apply span_fits.
  - destruct Hu as [<-|[<-|[]]]; cbn [snd]; tf.
Qed.

Lemma jump_products_free u : In u (jump_products n) -> target_fits (snd u).
Proof.
  intro Hu. repeat (apply in_app_or in Hu; destruct Hu as [Hu|Hu]).
  - apply in_flat_map in Hu. destruct Hu as (a & _ & Hu). apply in_flat_map in Hu. destruct Hu as (m & _ & Hu).
    apply in_map_iff in Hu. destruct Hu as (r & <- & _). cbn [snd]. tf.
  - apply in_flat_map in Hu. destruct Hu as (a & _ & Hu). apply in_map_iff in Hu.
    destruct Hu as (m & <- & _). cbn [snd]. tf.
  - destruct Hu as [<-|[]]. cbn [snd]. tf.
Qed.

Lemma erase_free p k u : p <> 0%nat -> In u (erase_all p k) -> target_fits (snd u).
Proof. intros H Hu. apply in_map_iff in Hu. destruct Hu as (v & <- & _). apply target_one. lia. Qed.

Lemma step_linears_free u : In u (step_linears n) -> target_fits (snd u).
Proof.
  unfold step_linears. intro Hu. apply in_app_or in Hu.
  destruct Hu as [[<-|[<-|[]]]|Hu]; [cbn [snd]; tf|cbn [snd]; tf|].
  repeat (apply in_app_or in Hu; destruct Hu as [Hu|Hu]; [now apply erase_free in Hu|]).
  destruct Hu as [<-|[]]. cbn [snd erase]. tf.
Qed.

(** ** The tops *)

Lemma follow_decided X cells ptr copies : holds X cells ->
  (forall i, (i < N)%nat -> exists z, zreads (X i) ptr = IZR z /\ (z <= Z.of_nat i)%Z) ->
  decided N (follow_form ptr copies) X.
Proof.
  intros HX Hz. right. intros i Hi. destruct (Hz i Hi) as (z & Ez & Hzi).
  exists (Z.to_nat z). split; [lia|].
  assert (Hs : forall j, (j <= i)%nat -> score_1 (follow_form ptr copies) X i j
                         = IZR (2 * z * Z.of_nat j - Z.of_nat j * Z.of_nat j)).
  { intros j Hj. unfold score_1, follow_form. cbn [h_q0 h_q1 h_k0 h_k1]. rewrite zreads_doubled, Ez.
    unfold zreads. cbn [lsum fst snd]. held HX. rewrite minus_IZR, !mult_IZR, <- INR_IZR_INZ. ring. }
  intros j Hj Hne. rewrite !Hs by lia. rewrite <- plus_IZR. apply IZR_le. now apply (follow_gap z i).
Qed.

(** ** Layer by layer *)

(** The soft stream, for all C, comes close to the hard one, and both keep the constant one. *)
Definition follows (X' : R -> mat) (X : mat) : Prop :=
  (forall i k, (i < N)%nat -> (k < width)%nat -> tends (fun c => X' c i k) (X i k))
  /\ (forall c i, (i < N)%nat -> X' c i 0%nat = 1) /\ (forall i, (i < N)%nat -> X i 0%nat = 1).

(** What a layer must have so that its heads find their targets and its block multiplies. *)
Definition sound (X : mat) (Fs : list head_form) (P : list (zform * zform * form))
    (L : list (zform * form)) : Prop :=
  (forall F, In F Fs -> head_fits width hw F) /\ (forall F, In F Fs -> decided N F X) /\
  (forall u, In u P -> zbelow width (fst (fst u)) /\ zbelow width (snd (fst u))) /\
  (forall u, In u L -> zbelow width (fst u)) /\
  (forall u, In u P -> target_fits (snd u)) /\ (forall u, In u L -> target_fits (snd u)).

Lemma follows_layer X' X Fs P L : follows X' X -> sound X Fs P L ->
  follows (fun c => run_layer (at_C e0 c) softmax N (X' c) (made_layer width hw Fs P L))
          (run_layer e averaged N X (made_layer width hw Fs P L)).
Proof.
  intros (H1 & H2 & H3) (HF & HD & HP & HL & HPf & HLf). pose proof hw_2. pose proof width_pos.
  assert (HPf' : forall u p, In u P -> In p (snd u) -> free (snd p) = true /\ fst p <> 0%nat)
    by (intros u p Hu Hp; now apply (HPf u)).
  assert (HLf' : forall u p, In u L -> In p (snd u) -> free (snd p) = true /\ fst p <> 0%nat)
    by (intros u p Hu Hp; now apply (HLf u)).
  split; [|split].
  - intros i k Hi Hk. now apply soft_layer.
  - intros c i Hi. apply (layer_one width hw N e0) with (X := X); auto.
  - intros i Hi. apply (layer_one width hw N e0) with (X := X); auto.
Qed.

Lemma step_fits L : (forall u, In u L -> In u (step_linears n) \/ (zbelow width (fst u) /\ target_fits (snd u))) ->
  (forall u, In u L -> zbelow width (fst u)) /\ (forall u, In u L -> target_fits (snd u)).
Proof.
  intro H. split; intros u Hu; destruct (H u Hu) as [Hs|[H1 H2]]; auto;
    [now apply step_linears_below|now apply step_linears_free].
Qed.

Lemma jump_sound X s cells : holds X cells -> (forall i, (i < N)%nat -> good s i (cells i)) ->
  sound X forms_jump (step_products n ++ jump_products n) jump_linears.
Proof.
  intros HX Hgood.
  assert (Hq : forall i, (i < N)%nat -> exists zyp : Z * Z * Z,
    (near_query T (cells i) i = IZR (fst (fst zyp)) /\ (fst (fst zyp) <= Z.of_nat i)%Z)
    /\ (far_query T (cells i) = IZR (snd (fst zyp)) /\ (snd (fst zyp) <= Z.of_nat i)%Z)
    /\ (t_c (cells i) = IZR (snd zyp) /\ (snd zyp <= Z.of_nat i)%Z)).
  { intros i Hi. destruct (next_good n T e n_1 t fits s cells Hgood i Hi) as (zyp & H1 & H2 & H3 & _).
    exists zyp. auto. }
  destruct (step_fits jump_linears) as [L1 L2].
  { intros u Hu. apply in_app_or in Hu. destruct Hu as [Hu|[<-|[<-|[]]]]; [now left| |]; right;
      cbn [fst snd erase]; (split; [zb n|tf]). }
  split; [intros F [<-|[<-|[<-|[]]]]; [apply near_head_fits|apply far_head_fits|apply pointer_head_fits]|].
  split; [|split; [|split; [exact L1|split; [|exact L2]]]].
  - intros F [<-|[<-|[<-|[]]]]; apply (follow_decided X cells); auto; intros i Hi;
      destruct (Hq i Hi) as (zyp & (N1 & N2) & (F1 & F2) & (P1 & P2)).
    + exists (fst (fst zyp)). rewrite (near_value n T N X cells i HX Hi). auto.
    + exists (snd (fst zyp)). rewrite (far_value n T N X cells i HX Hi). auto.
    + exists (snd zyp). rewrite (pointer_value n N X cells i HX Hi). auto.
  - intros u Hu. apply in_app_or in Hu. destruct Hu; [now apply step_products_below|now apply jump_products_below].
  - intros u Hu. apply in_app_or in Hu. destruct Hu; [now apply step_products_free|now apply jump_products_free].
Qed.

Lemma match_sound X : holds X (prepared n e t) -> sound X forms_match (step_products n) match_linears.
Proof.
  intro HX. destruct (step_fits match_linears) as [L1 L2].
  { intros u Hu. apply in_app_or in Hu. destruct Hu as [Hu|[<-|[]]]; [now left|]; right;
      cbn [fst snd erase]; (split; [zb n|tf]). }
  split; [intros F [<-|[<-|[]]]; [apply match_head_fits|apply near_head_fits]|].
  split; [|split; [|split; [exact L1|split; [|exact L2]]]].
  - intros F [<-|[<-|[]]].
    + right. intros i Hi. destruct (target_exists n T n_1 t fits i Hi) as (m & Hm & Htop & _).
      exists m. split; [exact Hm|].
      assert (E : forall j, (j <= i)%nat -> score_1 match_form X i j = match_score T (prepared n e t) i j).
      { intros j Hj. apply (match_value n T N n_1 X (prepared n e t) i j HX Hi). lia. }
      intros j Hj Hne. rewrite !E by lia.
      rewrite !(prepared_score n T e n_1 t fits) by lia. rewrite <- plus_IZR. apply IZR_le.
      pose proof (Htop j Hj Hne). lia.
    + apply (follow_decided X (prepared n e t)); auto. intros i Hi.
      exists (Z.of_nat i - 1 + K * (closing t i - 1))%Z. rewrite (near_value n T N X _ i HX Hi).
      assert (HK : K = Z.of_nat (T + 1)) by reflexivity. split.
      * unfold near_query. change (t_g (prepared n e t i)) with (t_g (origin n e t i)).
        rewrite origin_g, plus_IZR, mult_IZR, !minus_IZR, INR_IZR_INZ. reflexivity.
      * destruct (closing_01 t i) as [-> | ->]; lia.
  - intros u Hu. now apply step_products_below.
  - intros u Hu. now apply step_products_free.
Qed.

Lemma second_sound X : sound X [] second_products [].
Proof.
  split; [intros F []|]. split; [intros F []|]. split; [intros u [<-|[]]; cbn [fst snd]; split; zb n|].
  split; [intros u []|]. split; [intros u [<-|[]]; cbn [snd]; tf|intros u []].
Qed.

Lemma first_sound X cells : holds X cells -> sound X forms_first first_products first_linears.
Proof.
  intro HX. split; [intros F [<-|[<-|[]]]; [apply mean_head_fits|apply previous_head_fits]|]. split.
  { intros F [<-|[<-|[]]]; [left; split; reflexivity|].
    apply (follow_decided X cells); auto. intros i Hi. exists (Z.of_nat i - 1)%Z. split; [|lia].
    exact (before_value n N X cells i HX Hi). }
  split; [intros u [<-|[]]; cbn [fst snd]; split; zb n|].
  split; [intros u [<-|[<-|[]]]; cbn [fst snd erase]; zb n|].
  split; [intros u [<-|[]]; cbn [snd]; tf|intros u [<-|[<-|[]]]; cbn [snd erase]; tf].
Qed.

(** ** All layers *)

Section Course.
(** The hard run is sound in every layer; [ok] is what else is asked of a layer. *)
Variable ok : list head_form -> list (zform * zform * form) -> list (zform * form) -> Prop.

Inductive course : list layer -> mat -> Prop :=
| course_end X : course [] X
| course_next Fs P L lys X : ok Fs P L -> sound X Fs P L ->
    course lys (run_layer e averaged N X (made_layer width hw Fs P L)) ->
    course (made_layer width hw Fs P L :: lys) X.

Local Notation jump := (Layer [near n T; far n T; pointer n] (step_block n true)).
Hypothesis first_ok : ok forms_first first_products first_linears.
Hypothesis second_ok : ok [] second_products [].
Hypothesis match_ok : ok forms_match (step_products n) match_linears.
Hypothesis jump_ok : ok forms_jump (step_products n ++ jump_products n) jump_linears.

Lemma jumps_course k : forall s X cells, holds X cells ->
  (forall i, (i < N)%nat -> good s i (cells i)) -> course (repeat jump k) X.
Proof.
  induction k as [|k IH]; intros s X cells HX Hgood; [apply course_end|]. cbn [repeat].
  destruct (jump_good n T e n_1 C_1 act_odd act_1 t fits s X cells HX Hgood) as (cells' & HX' & Hgood').
  rewrite jump_made in *. apply course_next; [exact jump_ok|now apply (jump_sound X s cells)|].
  rewrite <- jump_made in *. now apply (IH (S s) _ cells').
Qed.

Lemma tree_course k :
  course (layers (tree_decoder n q T (S k))) (embedded e (tree_decoder n q T (S k)) toks).
Proof.
  pose proof C_1 as HC. cbn [tree_decoder layers tree_layers].
  set (X0 := embedded e _ toks).
  assert (H0 : holds X0 (origin n e t)) by (apply (embedded_holds n q T e n_1 t fits letters)).
  set (X1 := run_layer e averaged N X0 (Layer [mean n; previous n] (first_block n))).
  assert (H1 : holds X1 (after_first (origin n e t)))
    by (apply first_layer; auto; intros; apply origin_clear).
  set (X2 := run_layer e averaged N X1 (Layer [] (second_block n))).
  assert (H2 : holds X2 (prepared n e t)) by (apply second_layer; auto).
  destruct (match_good n T e n_1 HC act_odd act_1 t fits _ H2) as (cells & H3 & G3).
  unfold tree_layers. rewrite first_made.
  apply course_next; [exact first_ok|now apply (first_sound X0 (origin n e t))|].
  rewrite <- first_made. fold X1. rewrite second_made. apply course_next; [exact second_ok|apply second_sound|].
  rewrite <- second_made. fold X2. rewrite match_made. apply course_next; [exact match_ok|now apply match_sound|].
  rewrite <- match_made. now apply (jumps_course k 1 _ cells).
Qed.

Lemma course_follows lys X : course lys X -> forall X', follows X' X ->
  follows (fun c => fold_left (run_layer (at_C e0 c) softmax N) lys (X' c))
          (fold_left (run_layer e averaged N) lys X).
Proof.
  induction 1 as [X|Fs P L lys X _ HS _ IH]; intros X' HF; [exact HF|]. cbn [fold_left].
  exact (IH (fun c => run_layer (at_C e0 c) softmax N (X' c) (made_layer width hw Fs P L))
           (follows_layer X' X Fs P L HF HS)).
Qed.

End Course.

(** The embedding does not depend on C, and its place 0 holds one. *)
Lemma embedded_same k c i m : embedded (at_C e0 c) (tree_decoder n q T (S k)) toks i m
                              = embedded e (tree_decoder n q T (S k)) toks i m.
Proof.
  unfold embedded, real. cbn [tree_decoder W_E W_pos item].
  assert (Hfree : forall s, free s = true -> amount (at_C e0 c) s = amount e s) by (intros; now apply free_amount).
  rewrite !Hfree; [reflexivity| |].
  - unfold tree_position. repeat match goal with |- context [(m =? ?p)%nat] => destruct (m =? p)%nat end; reflexivity.
  - unfold tree_token.
    repeat match goal with |- context [if ?b then _ else _] => destruct b end; reflexivity.
Qed.

Lemma embedded_one k i : (i < N)%nat -> embedded e (tree_decoder n q T (S k)) toks i 0%nat = 1.
Proof.
  intro Hi. exact (embedded_holds n q T e n_1 t fits letters (S k) i P_one Hi (le_n 1)).
Qed.

Theorem soft_stream k :
  follows (fun c => stream (at_C e0 c) softmax N (tree_decoder n q T (S k)) toks)
          (stream e averaged N (tree_decoder n q T (S k)) toks).
Proof.
  unfold stream.
  apply (course_follows _ _ _ (tree_course (fun _ _ _ => True) Logic.I Logic.I Logic.I Logic.I k)
    (fun c => embedded (at_C e0 c) (tree_decoder n q T (S k)) toks)).
  split; [|split].
  - intros i m Hi Hm. apply (tends_ext (fun _ => embedded e (tree_decoder n q T (S k)) toks i m));
      [intros; symmetry; apply embedded_same|apply tends_const].
  - intros c i Hi. rewrite (embedded_same k c). now apply embedded_one.
  - intros i Hi. now apply embedded_one.
Qed.

Theorem soft_output k i a : (i < N)%nat -> (a < n)%nat ->
  tends (fun c => forward (at_C e0 c) softmax (tree_decoder n q T (S k)) toks i a)
       (forward e averaged (tree_decoder n q T (S k)) toks i a).
Proof.
  intros Hi Ha. destruct (soft_stream k) as (H & _ & _).
  assert (El : length toks = N) by (cbn [length]; now rewrite map_length).
  assert (E : forall c filter, forward (at_C e0 c) filter (tree_decoder n q T (S k)) toks i a
    = stream (at_C e0 c) filter N (tree_decoder n q T (S k)) toks i (p_b n + a)%nat).
  { intros c filter. unfold forward, readout, shifted. rewrite El. cbn [tree_decoder W_U b_U amount].
    rewrite columns_read by (intros x [<-|[]]; exact (place_below n (P_b a) Ha)).
    unfold reads. cbn [lsum fst snd amount]. ring. }
  rewrite E. apply (tends_ext (fun c => stream (at_C e0 c) softmax N (tree_decoder n q T (S k)) toks i (p_b n + a)%nat)).
  - intros c Hc. now rewrite E.
  - exact (H i _ Hi (place_below n (P_b a) Ha)).
Qed.
End Soft.

(** ** One C for all trees *)

Definition eventually (P : R -> Prop) : Prop := exists c0, forall c, c0 <= c -> P c.

Lemma eventually_and P Q : eventually P -> eventually Q -> eventually (fun c => P c /\ Q c).
Proof.
  intros (a & Ha) (b & Hb). exists (Rmax a b). intros c Hc. split.
  - apply Ha. eapply Rle_trans; [apply Rmax_l|exact Hc].
  - apply Hb. eapply Rle_trans; [apply Rmax_r|exact Hc].
Qed.

Lemma eventually_below k (P : nat -> R -> Prop) : (forall j, (j < k)%nat -> eventually (P j)) ->
  eventually (fun c => forall j, (j < k)%nat -> P j c).
Proof.
  induction k as [|k IH]; intro H; [exists 0; intros; lia|].
  destruct (eventually_and _ _ (IH (fun j Hj => H j ltac:(lia))) (H k ltac:(lia))) as (c0 & Hc).
  exists c0. intros c Hcc j Hj. destruct (Hc c Hcc) as [H1 H2].
  destruct (Nat.eq_dec j k) as [->|]; [exact H2|]. apply H1. lia.
Qed.

(** There are finitely many trees of bounded height over q letters. *)
Theorem uniform_trees q hgt : forall P : tree nat -> R -> Prop,
  (forall t, letters_below q (str t) -> (height t <= hgt)%nat -> eventually (P t)) ->
  eventually (fun c => forall t, letters_below q (str t) -> (height t <= hgt)%nat -> P t c).
Proof.
  induction hgt as [|hgt IH]; intros P H.
  - destruct (eventually_below q (fun a => P (Leaf a))) as (c0 & Hc).
    { intros a Ha. apply H; [|simpl; lia]. repeat constructor. exact Ha. }
    exists c0. intros c Hcc [a|l r] Hl Hh; [|simpl in Hh; lia].
    apply Hc; [exact Hcc|]. now inversion Hl.
  - destruct (eventually_below q (fun a => P (Leaf a))) as (c0 & Hc).
    { intros a Ha. apply H; [|simpl; lia]. repeat constructor. exact Ha. }
    assert (Hnodes : eventually (fun c => forall l, letters_below q (str l) -> (height l <= hgt)%nat ->
      forall r, letters_below q (str r) -> (height r <= hgt)%nat -> P (Node l r) c)).
    { apply (IH (fun l c => forall r, letters_below q (str r) -> (height r <= hgt)%nat -> P (Node l r) c)).
      intros l Hl Hhl. apply (IH (fun r => P (Node l r))). intros r Hr Hhr. apply H; [|simpl; lia].
      cbn [str]. constructor; [exact Logic.I|]. apply Forall_app. split; [exact Hl|].
      apply Forall_app. split; [exact Hr|]. repeat constructor. }
    destruct Hnodes as (c1 & Hc1). exists (Rmax c0 c1). intros c Hcc [a|l r] Hl Hh.
    + apply Hc; [eapply Rle_trans; [apply Rmax_l|exact Hcc]|]. now inversion Hl.
    + cbn [str] in Hl. inversion Hl as [|? ? _ Hl']; subst. apply Forall_app in Hl'. destruct Hl' as [Hll Hlr].
      apply Forall_app in Hlr. destruct Hlr as [Hlr _]. simpl in Hh.
      apply Hc1; auto; try lia. eapply Rle_trans; [apply Rmax_r|exact Hcc].
Qed.

Lemma height_length (t : tree nat) : (height t <= length (str t))%nat.
Proof.
  induction t as [a|l IHl r IHr]; simpl; [lia|]. rewrite !app_length. simpl. lia.
Qed.

(** ** The theorem *)

Theorem tree_decoder_soft n q T k leaf tensor act : (1 <= n)%nat ->
  (forall y, act y - act (- y) = y) -> act 1 <> 0 -> forall eps, 0 < eps ->
  exists C0, forall C, C0 <= C ->
  forall t : tree nat, (length (str t) <= T)%nat -> letters_below q (str t) ->
  forall i v, ends (str t) i v -> (leaves v + 1 < padovan (S k + 4))%nat -> forall a, (a < n)%nat ->
  Rabs (forward (tree_weights_for leaf tensor C act) softmax (tree_decoder n q T (S k))
          ((q + 2)%nat :: map (code q) (str t)) i a - mu n leaf tensor v a) < eps.
Proof.
  intros Hn Hodd H1 eps He. set (e0 := tree_weights_for leaf tensor 1 act).
  destruct (uniform_trees q T (fun t C => (length (str t) <= T)%nat ->
    forall i, (i < S (length (str t)))%nat -> forall a, (a < n)%nat ->
    Rabs (forward (at_C e0 C) softmax (tree_decoder n q T (S k)) ((q + 2)%nat :: map (code q) (str t)) i a
          - forward (at_C e0 1) averaged (tree_decoder n q T (S k)) ((q + 2)%nat :: map (code q) (str t)) i a) < eps))
    as (C0 & HC).
  { intros t Hlet Hh. destruct (le_dec (length (str t)) T) as [Hfit|Hno]; [|exists 0; intros; lia].
    destruct (eventually_below (S (length (str t))) (fun i c => forall a, (a < n)%nat ->
      Rabs (forward (at_C e0 c) softmax (tree_decoder n q T (S k)) ((q + 2)%nat :: map (code q) (str t)) i a
          - forward (at_C e0 1) averaged (tree_decoder n q T (S k)) ((q + 2)%nat :: map (code q) (str t)) i a) < eps))
      as (c0 & Hc).
    - intros i Hi. apply eventually_below. intros a Ha.
      apply (tends_limit _ _ (soft_output n q T e0 Hn Hodd H1 t Hfit Hlet k i a Hi Ha) eps He).
    - exists c0. intros c Hcc _ i Hi a Ha. now apply Hc. }
  exists C0. intros C HCC t Hfit Hlet i v Hv Hleaves a Ha. pose proof (ends_range _ _ _ Hv).
  rewrite <- (tree_decoder_exact n q T k leaf tensor 1 act Hn ltac:(lra) Hodd H1 t Hfit Hlet i v Hv Hleaves a Ha).
  apply (HC C HCC t Hlet); auto; [|lia]. pose proof (height_length t). lia.
Qed.
