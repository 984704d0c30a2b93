(** * Lemmas that later versions of Coq call otherwise

    Coq 8.17 and 8.20 deprecate some lemmas of the library on lists and remainders, and Rocq 9 may lack
    them. Here they are proved under the names that 8.16 has, by what all these versions have, so that
    the other files depend on this one alone. README.md says with which versions, and how, it was tried.

    Main theorems: [app_length], [map_length], [seq_length], [mod_add] and the like. *)

From Coq Require Import List Arith Lia.
Import ListNotations.

Lemma app_length {A : Type} (l l' : list A) : length (l ++ l') = length l + length l'.
Proof. induction l as [|x l IH]; simpl; [reflexivity|now rewrite IH]. Qed.

Lemma map_length {A B : Type} (f : A -> B) l : length (map f l) = length l.
Proof. induction l as [|x l IH]; simpl; [reflexivity|now rewrite IH]. Qed.

Lemma seq_length count : forall start, length (seq start count) = count.
Proof. induction count as [|count IH]; intro start; simpl; [reflexivity|now rewrite IH]. Qed.

Lemma repeat_length {A : Type} (x : A) n : length (repeat x n) = n.
Proof. induction n as [|n IH]; simpl; [reflexivity|now rewrite IH]. Qed.

Lemma firstn_length {A : Type} n : forall l : list A, length (firstn n l) = Nat.min n (length l).
Proof. induction n as [|n IH]; intros [|x l]; simpl; [reflexivity..|now rewrite IH]. Qed.

Lemma skipn_length {A : Type} n : forall l : list A, length (skipn n l) = length l - n.
Proof. induction n as [|n IH]; intros [|x l]; simpl; auto. Qed.

Lemma prod_length {A B : Type} (l : list A) (l' : list B) :
  length (list_prod l l') = length l * length l'.
Proof.
  induction l as [|x l IH]; simpl; [reflexivity|]. now rewrite app_length, map_length, IH.
Qed.

Lemma mod_add a b c : c <> 0 -> (a + b * c) mod c = a mod c.
Proof.
  intro Hc. pose proof (Nat.div_mod_eq a c). pose proof (Nat.mod_upper_bound a c Hc).
  symmetry. apply (Nat.mod_unique _ _ (b + a / c)); nia.
Qed.

Lemma div_add_l a b c : b <> 0 -> (a * b + c) / b = a + c / b.
Proof.
  intro Hb. pose proof (Nat.div_mod_eq c b). pose proof (Nat.mod_upper_bound c b Hb).
  symmetry. apply (Nat.div_unique _ _ _ (c mod b)); nia.
Qed.

Lemma div_add a b c : c <> 0 -> (a + b * c) / c = a / c + b.
Proof. intro Hc. rewrite Nat.add_comm, div_add_l by exact Hc. apply Nat.add_comm. Qed.
