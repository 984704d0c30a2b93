(** * The tree decoder's layers as whole forms, and its run with hard attention

    Beyond the paper. The heads and blocks of the decoder of TreeDecoder.v, written as forms
    (DecoderForms.v). In the run with hard attention on the string of any tree of length at most T every
    row of every head has one top, by at least 1, or the head has no query ([sound]), layer after layer
    ([course]); so TreeDecoderRates.v can bound what softmax changes.

    Main definitions: [forms_first], [forms_match], [forms_jump], [sound], [course].
    Main theorems:    [tree_course], [embedded_same]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Trees Pebbling Theorem3 DecoderModel DecoderForms.
From Assay Require Import TreeDecoderModel TreeDecoderBlocks TreeDecoderLayers TreeDecoderEnds.
From Assay Require Import TreeDecoderSteps TreeDecoder.
Import ListNotations.
Open Scope R_scope.

Section Forms.
Context (n q T : nat) (e0 : setting).
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

(** What a layer must have so that its heads find their targets and its block multiplies. *)
Definition sound (X : mat) (Fs : list head_form) (P : list (zform * zform * form))
    (L : list (zform * form)) : Prop :=
  (forall F, In F Fs -> head_fits width hw F) /\ (forall F, In F Fs -> decided N F X) /\
  (forall u, In u P -> zbelow width (fst (fst u)) /\ zbelow width (snd (fst u))) /\
  (forall u, In u L -> zbelow width (fst u)) /\
  (forall u, In u P -> target_fits (snd u)) /\ (forall u, In u L -> target_fits (snd u)).

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

End Forms.
