(** * The weights of NoPads.v as text, for comparison with the program

    For concrete n and T the definitions that [no_pads] is about evaluate to lists of entries, in the
    form of Entries.v.

    Main definition: [clean_weights]. *)

From Coq Require Import Reals ZArith List Lia Lra Arith Bool String.
From Assay Require Import Model Entries NoPadsWeights.
Import ListNotations.
Open Scope string_scope.

Definition clean_head (name : string) (h : head) : list (string * string) :=
  [(name ++ " query", entries (WQ h)); (name ++ " key", entries (WK h));
   (name ++ " value", entries (WV h))].

Definition clean_layer_weights (l : nat) (ly : layer) : list (string * string) :=
  let name := "layer " ++ show_nat l in
  flat_map (fun h => clean_head (name ++ " head " ++ show_nat (fst h)) (snd h))
    (combine (seq 0 (List.length (heads ly))) (heads ly))
  ++ [(name ++ " combine", entries (WO ly));
      (name ++ " left select", entries (WselL (feedforward ly)));
      (name ++ " right select", entries (WselR (feedforward ly)));
      (name ++ " tensor", tensor_entries (rows (Wout (feedforward ly))) (tensor (feedforward ly)));
      (name ++ " output", entries (Wout (feedforward ly)))].

Definition clean_weights (n T : nat) : list (string * string) :=
  [("embedding", entries (clean_embedding n T T)); ("readout", entries (Wreadout (clean n T)))]
  ++ flat_map (fun ly => clean_layer_weights (fst ly) (snd ly))
       (combine (seq 0 (List.length (layers (clean n T)))) (layers (clean n T))).
