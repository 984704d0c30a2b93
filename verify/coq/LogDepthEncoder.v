(** * A weighted tree automaton in an encoder of logarithmic depth: the weights

    Section 4.2 asks whether O(log T) layers are possible for all trees. An encoder as in Section 2.4:
    no mask, no residual stream, no begin or end token, nothing given anew after a layer; every head
    reads whole tokens, and the first one always looks at the token itself. A subtree lives at the
    token where its string begins, as Definition 4.2 asks.

    A token has n^2 + n + 12 coordinates: one, i, i^2 | phi (place of the right child), f (state known),
    g (inactive), c (pointer) | count, mark, (count - mark)^2, rise, fall, which serve to find phi | b
    and M with mu(v) = M mu(c) + b. Three kinds of layers:

    scan l    count := count + count at place max(1, i - 2^l). The mark of place 1 does not count, so that
              place 1 serves as begin token; in the end count - mark is the depth less the one of place 2.
    match     the first j >= i + 2 that is one level down, by the score
              - rise_i fall_j - 2 j - W (d_j - d_i - 1)^2, rise_i fall_j = B^(i + 2 - j), B = W = 2 T + 2,
              whose first term takes the place of a mask.
    step      a step of LogDepth.v. The left head looks at i + g, the right one at phi, the third at c. Where
              g = 0 the left head thus looks at the token itself; so differences to the token itself,
              f_left - f and b_left - b, are 0 there, and what the left child holds where g = 1, since
              then f = b = 0. All is of degree two.

    Rows count from 0, row r has place i = r + 1; heads, products and attention are those of TreeModel.v.

    Main definitions: [scan_stage], [match_stage], [step_stage], [stages], [encoder_tokens]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool.
From Assay Require Import Sums Trees TreeModel CleanTreeModel SoftStep LogDepthEncoderLift.
From Assay Require FreeModel.
Import ListNotations.
Open Scope R_scope.

Definition e_one : nat := 0.
Definition e_place : nat := 1.
Definition e_square : nat := 2.
Definition e_phi : nat := 3.
Definition e_f : nat := 4.
Definition e_g : nat := 5.
Definition e_c : nat := 6.
Definition e_count : nat := 7.
Definition e_mark : nat := 8.
Definition e_depth2 : nat := 9.
Definition e_rise : nat := 10.
Definition e_fall : nat := 11.
Definition e_b : nat := 12.

Ltac e_unfold := unfold e_one, e_place, e_square, e_phi, e_f, e_g, e_c, e_count, e_mark, e_depth2,
  e_rise, e_fall, e_b in *.

Section Construction.
Variable n : nat.                   (* states *)
Variable T : nat.                   (* the longest string *)

Definition e_M : nat := (12 + n)%nat.
Definition encoder_dimension : nat := (12 + n + n * n)%nat.
Local Notation d := encoder_dimension.

(** The base of rise and fall, and the weight of the depth in the match. *)
Definition W : Z := (2 * Z.of_nat T + 2)%Z.

(** ** Heads: the score 2 q j - j^2 is largest at j = q *)

Definition line : list whole := [[(e_place, 1%Z)]; [(e_square, 1%Z)]].
Definition towards_form (q : whole) : look :=
  ([map (fun p => (fst p, (2 * snd p)%Z)) q; [(e_one, (-1)%Z)]], line).

Definition own_look : look := towards_form [(e_place, 1%Z)].
Definition back_look (l : nat) : look := towards_form [(e_place, 1%Z); (e_one, (- 2 ^ Z.of_nat l)%Z)].
Definition left_look : look := towards_form [(e_place, 1%Z); (e_g, 1%Z)].
Definition right_look : look := towards_form [(e_phi, 1%Z)].
Definition pointer_look : look := towards_form [(e_c, 1%Z)].

Definition match_look : look :=
  ([[(e_rise, (-1)%Z)]; [(e_one, (-2)%Z)]; [(e_one, (- W)%Z)];
    [(e_count, (2 * W)%Z); (e_mark, (- (2 * W))%Z); (e_one, (2 * W)%Z)]],
   [[(e_fall, 1%Z)]; [(e_place, 1%Z)]; [(e_depth2, 1%Z)]; [(e_count, 1%Z); (e_mark, (-1)%Z)]]).

(** ** Blocks: what is multiplied and added, for every coordinate *)

Definition keep (c : nat) : list term := [(e_one, c, Whole 1)].
Definition one_term (x y : nat) (z : Z) : term := (x, y, Whole z).

Definition scan_terms (c : nat) : list term :=
  let read := (d + e_count)%nat in
  if (c =? e_count)%nat then keep c ++ keep read else
  if (c =? e_depth2)%nat then
    [one_term e_count e_count 1; one_term e_count read 2; one_term read read 1;
     one_term e_count e_mark (-2); one_term read e_mark (-2); one_term e_mark e_mark 1]
  else keep c.

Definition match_terms (c : nat) : list term :=
  if (c =? e_phi)%nat then
    [one_term e_g (d + e_place) 1; one_term e_one e_place 1; one_term e_g e_place (-1)]
  else if ((7 <=? c) && (c <? 12))%nat then [] else keep c.

(** What the left, the right and the pointer's head read. *)
Definition at_left (c : nat) : nat := (d + c)%nat.
Definition at_right (c : nat) : nat := (2 * d + c)%nat.
Definition under (c : nat) : nat := (3 * d + c)%nat.

(** F = f_left - f: F, g f_right and F f_right, each times a number. *)
Definition left_known (z : Z) : list term :=
  [one_term e_one (at_left e_f) z; one_term e_one e_f (- z)].
Definition right_known (z : Z) : list term := [one_term e_g (at_right e_f) z].
Definition both_known (z : Z) : list term :=
  [one_term (at_left e_f) (at_right e_f) z; one_term e_f (at_right e_f) (- z)].

(** T_(a,b,c) and - T_(a,b,c), see [signed]. *)
Definition plus (a b c : nat) : weight := Entry a b c.
Definition minus (a b c : nat) : weight := Entry (n + a) b c.

(** b + M b_under + T(b_left - b, b_right) *)
Definition state_terms (k : nat) : list term :=
  keep (e_b + k)
  ++ map (fun m => one_term (e_M + (k * n + m)) (under (e_b + m)) 1) (seq 0 n)
  ++ flat_map (fun l => flat_map (fun r =>
       [(at_left (e_b + l), at_right (e_b + r), plus k l r);
        ((e_b + l)%nat, at_right (e_b + r), minus k l r)]) (seq 0 n)) (seq 0 n).

Definition diagonal_terms (a q : nat) : list term :=
  if (a =? q)%nat then left_known (-1) ++ right_known (-1) ++ both_known 1 else [].

(** M M_under + (1 - f_right) T(b_left - b, .) + (g - F) T(., b_right) - (F + g f_right - F f_right) *)
Definition matrix_terms (a q : nat) : list term :=
  map (fun m => one_term (e_M + (a * n + m)) (under (e_M + (m * n + q))) 1) (seq 0 n)
  ++ flat_map (fun j =>
       [(e_one, at_left (e_b + j), plus a j q); (e_one, (e_b + j)%nat, minus a j q);
        (at_right e_f, at_left (e_b + j), minus a j q); (at_right e_f, (e_b + j)%nat, plus a j q);
        (e_g, at_right (e_b + j), plus a q j);
        (at_left e_f, at_right (e_b + j), minus a q j); (e_f, at_right (e_b + j), plus a q j)]) (seq 0 n)
  ++ diagonal_terms a q.

Definition step_terms (c : nat) : list term :=
  if (c <? 4)%nat then keep c else
  if (c =? e_f)%nat then
    keep e_f ++ keep (under e_f) ++ [one_term e_f (under e_f) (-1); one_term e_g (under e_f) (-1)]
    ++ both_known 1
  else if (c =? e_g)%nat then keep e_g ++ left_known (-1) ++ right_known (-1) ++ both_known 1
  else if (c =? e_c)%nat then
    keep (under e_c)
    ++ [one_term (at_left e_f) e_phi 1; one_term e_f e_phi (-1);
        one_term (at_left e_f) e_place (-1); one_term e_f e_place 1]
    ++ right_known 1 ++ both_known (-1)
  else if (c <? 12)%nat then []
  else if (c <? e_M)%nat then state_terms (c - 12)
  else matrix_terms ((c - e_M) / n) ((c - e_M) mod n).

(** ** Layers *)

Definition scan_stage (l : nat) : stage := Stage [own_look; back_look l] scan_terms.
Definition match_stage : stage := Stage [own_look; match_look] match_terms.
Definition step_stage : stage := Stage [own_look; left_look; right_look; pointer_look] step_terms.

Definition stages (steps : nat) : list stage :=
  map scan_stage (seq 0 (Nat.log2_up T)) ++ match_stage :: repeat step_stage steps.

Definition encoder (mode : attention) (steps : nat) : transformer :=
  Transformer (map (layer_of d mode) (stages steps)) [] (seq e_b n).

(** The tensor, and the same with the other sign. *)
Definition signed (tensor : nat -> nat -> nat -> R) (a b c : nat) : R :=
  if (a <? n)%nat then tensor a b c else - tensor (a - n)%nat b c.

(** ** Tokens: the symbols of str(t), and nothing else *)

Context {Sigma : Type} (leaf : Sigma -> nat -> R).

Definition encoder_tokens (o : option (symbol Sigma)) (r c : nat) : R :=
  let i := IZR (Z.of_nat r + 1) in
  if (c <? 12)%nat then
    match c with
    | 0%nat => 1
    | 1%nat => i
    | 2%nat => i * i
    | 3%nat => i
    | 4%nat => IZR (FreeModel.letter_of o)
    | 5%nat => IZR (open_of o)
    | 6%nat => i
    | 7%nat => if (r =? 0)%nat then 0 else IZR (mark_of o)
    | 8%nat => IZR (mark_of o)
    | 9%nat => if (r =? 0)%nat then IZR (mark_of o) * IZR (mark_of o) else 0
    | 10%nat => IZR (open_of o) * IZR W ^ (r + 2)
    | _ => / IZR W ^ r
    end
  else if (c <? e_M)%nat then vector_of leaf o (c - 12)
  else if (c <? d)%nat then IZR (open_of o) * I ((c - e_M) / n)%nat ((c - e_M) mod n)%nat
  else 0.
End Construction.

Lemma dimension_12 n : (12 <= encoder_dimension n)%nat.
Proof. unfold encoder_dimension. lia. Qed.
