# ruff: noqa: E501
"""The proofs are about these definitions and no others: a changed one is not proved."""

import pytest

from verify.coq.build import compiled
from verify.coq.sources import Refused

pytestmark = pytest.mark.coq

# The file that Coq must then refuse, and the changes (file, old, new) or (file, old, new, mark).
QUICK = {
    'the sign of θ': ('Attention.v', [
        ('Model.v', 'Definition theta (l : nat) : Z := - 2 ^', 'Definition theta (l : nat) : Z := 2 ^'),
    ]),
    'the marker of a closing bracket': ('Trees.v', [
        ('Trees.v', 'Close => -1 end%Z', 'Close => 0 end%Z'),
    ]),
    'the order of the scan': ('Scan.v', [
        ('Scan.v', "op (pscan i' (j - 2 ^ i')) (pscan i' j)", "op (pscan i' j) (pscan i' (j - 2 ^ i'))"),
    ]),
    'the width': ('Sizes.v', [
        ('Sizes.v', 'binomial (2 * n ^ 2 + 2) 2 = 2 * n ^ 4 + 3', 'binomial (n ^ 2 + 2) 2 = 2 * n ^ 4 + 3'),
    ]),
    'the left subtree stands before the right one': ('Places.v', [
        ('Places.v', '1 + length (str l) + i) (place r way)', '1 + i) (place r way)'),
    ]),
    'the sign of a unit of a difference': ('Theorem4.v', [
        ('Theorem4.v', '(- fst t, snd t)', '(fst t, snd t)', 'Fixpoint terms'),
    ]),
    'one point of the lattice less': ('Lattice.v', [
        ('Lattice.v', '(seq 0 (S d))', '(seq 1 d)', 'Fixpoint lattice'),
    ]),
    'the left head is causal': ('FreeLayers.v', [
        ('FreeModel.v', 'scored mode next_queries next_keys passed Everywhere', 'scored mode next_queries next_keys passed Causal'),
    ]),
    'an HMM moves before it shows a letter': ('Families.v', [
        ('Families.v', 'mmul n (diag (O x)) T.', 'mmul n T (diag (O x)).'),
    ]),
    'an accepting run may end anywhere': ('Families.v', [
        ('Families.v', '| [] => final i = true', '| [] => True'),
    ]),
    'a map that is linear in one argument only': ('BilinearMaps.v', [
        ('BilinearMaps.v', "f x (fun j => a * y j + y' j) k = a * f x y k + f x y' k", 'f x y k = f x y k'),
    ]),
    'a round makes half as many sums': ('ScanWork.v', [
        ('ScanWork.v', 'scan_sums n <= n * S (Nat.log2 n) /', '2 * scan_sums n <= n * S (Nat.log2 n) /'),
    ]),
}  # fmt: skip
SLOW = {
    'an MLP that may be any other block': ('Fits.v', [
        ('Fits.v', '| _, _ => False', '| _, _ => True', 'Definition of_kind'),
    ]),
    'a place less for the positions': ('Rounded.v', [
        ('Rounded.v', '(2 * L + 6 <= p)', '(2 * L + 5 <= p)', 'Lemma half_a_gap'),
    ]),
    'tokens that are not rounded after attention': ('Rounded.v', [
        ('Rounded.v', 'let Y := rounded (Pass.', 'let Y := (Pass.', 'Definition rounded_layer (N'),
    ]),
    'the block of W_V': ('Attention.v', [
        ('Model.v', 'W_V_right : matrix := keep n2', 'W_V_right : matrix := keep 0'),
    ]),
    'the new state is kept': ('Combs.v', [
        ('Combs.v', 'if (j =? n)%nat then 0 else', 'if (j =? n)%nat then 1 else'),
    ]),
    'the largest score is ahead': ('SoftToHard.v', [
        ('SoftToHard.v', '-> s <> s0 -> S r s + g <= S r s0.', '-> S r s + g <= S r s0.'),
    ]),
    'the sign of a unit': ('Activation.v', [
        ('Activation.v', '- s * sigma (- h * x + h * y + b).', 's * sigma (- h * x + h * y + b).'),
    ]),
    'a derivative that is not the next one': ('Differences.v', [
        ('Differences.v', '(D (S j) x)', '(D j x)', 'Definition derivatives'),
    ]),
    'a point where it is not curved': ('Activation.v', [
        ('Activation.v', 'slope b c', 'slope (b + 1) c', 'Definition curved'),
    ]),
    'the right head sees what comes after': ('FreeLayers.v', [
        ('FreeModel.v', 'scored mode aimed_queries (places n) passed Everywhere', 'scored mode aimed_queries (places n) passed Anticausal'),
    ]),
    'the letters that a state shows add up to 2': ('Families.v', [
        ('Families.v', 'sum p (fun x => O x i) = 1.', 'sum p (fun x => O x i) = 2.'),
    ]),
    'counting begins with e_1, as printed': ('Families.v', [
        ('Families.v', 'count_start (i : nat) : R := b2r (i =? k)', 'count_start (i : nat) : R := b2r (i =? 0)'),
    ]),
    'the factor 4 of the scale': ('Activation.v', [
        ('Activation.v', '4 * h ^ 2 * c * s - 1', '2 * h ^ 2 * c * s - 1', 'Theorem units_multiply'),
    ]),
    'the last layer has a block of its own': ('SameBlock.v', [
        ('Model.v', '(Bilinear W_sel_left W_sel_right product_tensor W_out).', '(Bilinear W_sel_left (if (l =? L)%nat then W_sel_left else W_sel_right) product_tensor W_out).'),
    ]),
    'the order of the product': ('Attention.v', [
        ('Model.v', '(a / n =? c / n) && (a mod n =? b / n) && (b mod n =? c mod n)', '(b / n =? c / n) && (b mod n =? a / n) && (a mod n =? c mod n)'),
    ]),
    'a step reads the state two tokens back': ('Unrolled.v', [
        ('Unrolled.v', '(placed (rho L (theta 1)))', '(placed (rho L (theta 2)))', 'Definition before_head'),
    ]),
    'a step multiplies by the transposed matrix': ('Unrolled.v', [
        ('Unrolled.v', '(a =? b / n) && (c =? b mod n)', '(a =? b mod n) && (c =? b / n)'),
    ]),
    'left children have no flag': ('TreeBlocks.v', [
        ('TreeModel.v', 'Product (2 + at_one) 1 at_mark (Whole 1)', 'Product (2 + at_one) 1 at_mark (Whole 0)'),
    ]),
    'the depth sums up to i': ('TreeBlocks.v', [
        ('TreeModel.v', '(2 + at_mark) at_count (Whole (-1))', '(2 + at_mark) at_count (Whole 0)'),
    ]),
    'the mode of the other child': ('Combs.v', [
        ('Combs.v', 'sum n (fun p => tensor j p i * leaf b p)', 'sum n (fun p => tensor j i p * leaf b p)'),
    ]),
    'the pebbling': ('Pebbling.v', [
        ('Pebbling.v', "| Active c' => Active c'\n          end\n      end", "| Active c' => Pebbled\n          end\n      end"),
    ]),
    'the letter b adds its powers where it should multiply by them': ('ReluTransformers.v', [
        ('ReluTransformers.v', '&& (i =? j / m)%nat then', 'then', 'Definition powers'),
    ]),
    'as many equations as unknowns': ('ReluGrid.v', [
        ('ReluGrid.v', 'let m := S (k + g)', 'let m := (k + g)%nat', 'Theorem rectangle_rate'),
    ]),
    'a readout without room for its offset': ('ReluSpan.v', [
        ('ReluSpan.v', 'O => 2 | S L', 'O => 1 | S L', 'Fixpoint constants'),
    ]),
    'hidden units that multiply': ('ReluSpan.v', [
        ('ReluSpan.v', '* number_at W2 u c) + b2 c.', '* number_at W2 u c * x u) + b2 c.', 'Definition units'),
    ]),
    'a normalisation that is not linear': ('ReluTransformers.v', [
        ('ReluTransformers.v', '(x c - mean d x) / sqrt', '(x c * x c - mean d x) / sqrt', 'Definition layer_norm'),
    ]),
    'a higher floor': ('Relu.v', [
        ('Relu.v', '/ (8 * (INR N + 1) ^ 2)', '/ (7 * (INR N + 1) ^ 2)', 'Theorem relu_floor '),
    ]),
    'the sign of a left entry': ('MLP.v', [
        ('MLP.v', '| 2 => 1 | _', '| 2 => -1 | _'),
    ]),
    'the sign of an output': ('MLP.v', [
        ('MLP.v', '0 => 1 | 1 => 1 | 2 => -1 | _', '0 => 1 | 1 => 1 | 2 => 1 | _'),
    ]),
    'the place of the right factor': ('MLP.v', [
        ('MLP.v', 'n2 + ((t / n) mod n * n + t mod n)', 'n2 + (t mod n * n + (t / n) mod n)'),
    ]),
    'the copy into the right half': ('MLP.v', [
        ('MLP.v', '(c =? n2 + out_place (u / 4))', '(c =? n + out_place (u / 4))'),
    ]),
    'the number of units': ('MLP.v', [
        ('MLP.v', 'n * n * n * 4', 'n * n * n * 3'),
    ]),
    'an activation that may be flat': ('MLP.v', [
        ('Activation.v', '/\\ c <> 0.', '/\\ c = c.'),
    ]),
    'positions are not written anew': ('MLPModel.v', [
        ('MLPModel.v', '+ real alpha A C P r c.', '+ 0 * real alpha A C P r c.'),
    ]),
    'beta is too small': ('TreeScores.v', [
        ('TreeModel.v', 'beta : Z := Z.of_nat tokens + 1', 'beta : Z := Z.of_nat tokens / 2'),
    ]),
    'the end token is too weak': ('TreeScores.v', [
        ('TreeModel.v', 'end_weight : Z := (Z.of_nat tokens + 2) ^ 2', 'end_weight : Z := Z.of_nat tokens'),
    ]),
    'the flag reads two tokens back': ('TreeScores.v', [
        ('TreeModel.v', 'towards (-1)) places', 'towards (-2)) places'),
    ]),
    'the right head looks back': ('TreeScores.v', [
        ('TreeModel.v', '[(at_place, 1%Z)]] (seq 0 n) Anticausal', '[(at_place, 1%Z)]] (seq 0 n) Causal'),
    ]),
    'the left head looks at itself': ('TreeScores.v', [
        ('TreeModel.v', 'scored (towards 1 ++', 'scored (towards 0 ++'),
    ]),
    'the end token keeps its error': ('TreeRecursion.v', [
        ('TreeRecursion.v', 'Rmax (tau * S * delta) (2 * eps) + blk', 'Rmax (tau * S * delta) eps + blk'),
    ]),
    'flags are said to be exact': ('TreeSoft.v', [
        ('TreeSoft.v', 'flags_off (T : nat) (C : R) : R := 2 * (INR T * exp (- C))', 'flags_off (T : nat) (C : R) : R := 0'),
    ]),
    'a head may have no largest score': ('SoftStep.v', [
        ('SoftStep.v', '_ m => exists s0, target w qs ks m Y r s0 |', '_ m => True |'),
    ]),
    'a hidden unit has the wrong sign': ('TreeMLP.v', [
        ('TreeMLP.v', 'unit (- h) h (- s)]', 'unit (- h) h s]'),
    ]),
    'the head looks l tokens back': ('CleanWords.v', [
        ('CleanWords.v', '(towards entries (- 2 ^ Z.of_nat l))', '(towards entries (- Z.of_nat l))'),
    ]),
    'the matrices are multiplied in the other order': ('CleanWords.v', [
        ('CleanWords.v', 'Product (i * n + k) (entries + (k * n + j)) (i * n + j)', 'Product (k * n + j) (entries + (i * n + k)) (i * n + j)'),
    ]),
    'the begin token holds nothing': ('CleanWords.v', [
        ('CleanWords.v', 'then padded A o (c / n)%nat (c mod n)%nat else', 'then match o with Some a => A a (c / n)%nat (c mod n)%nat | None => 0 end else'),
    ]),
    'places of a word are not passed on': ('CleanWords.v', [
        ('CleanWords.v', '(copy entries entries) [at_one entries; at_place entries; at_square entries]', '(copy entries entries) [at_one entries; at_one entries; at_square entries]'),
    ]),
    'one layer fewer than log T': ('CleanWordsSoft.v', [
        ('CleanWordsSoft.v', 'Simulation.simulates n T alpha A (exact_words n (Nat.log2_up T) alpha A)', 'Simulation.simulates n T alpha A (exact_words n (Nat.log2_up T - 1) alpha A)'),
    ]),
    'a letter is its own left child': ('CleanTreeLayers.v', [
        ('CleanTreeModel.v', '- vector_of o (c - (n + 8))', 'vector_of o (c - (n + 8))'),
    ]),
    'the length of a letter is taken away too seldom': ('CleanTreeLayers.v', [
        ('CleanTreeModel.v', '(free_size n) (Whole (-3))', '(free_size n) (Whole (-2))'),
    ]),
    'places are not passed on': ('CleanTreeLayers.v', [
        ('CleanTreeModel.v', '(own_from n)) (seq 0 (n + 6))', '(own_from n)) (seq 0 (n + 1))'),
    ]),
    'an opening bracket looks two tokens ahead': ('CleanTreeLayers.v', [
        ('CleanTreeModel.v', '(free_kind n, 2%Z)', '(free_kind n, 4%Z)'),
    ]),
    'letters are not done': ('FreeBlocks.v', [
        ('FreeModel.v', '| 4 => Whole (letter_of s)', '| 4 => Whole 0'),
    ]),
    'the target is off by one': ('FreeLayers.v', [
        ('FreeModel.v', 'free_target (Whole (1 - beyond))', 'free_target (Whole (2 - beyond))'),
        ('FreeBlocks.v', '+ (1 - IZR (beyond tokens)) *', '+ (2 - IZR (beyond tokens)) *'),
    ]),
    'the size leaves out the brackets': ('FreeLayers.v', [
        ('FreeModel.v', 'free_size (Whole 2)', 'free_size (Whole 0)'),
        ('FreeBlocks.v', '+ 2 * both', '+ 0 * both'),
    ]),
    'the end token is too weak (no masks)': ('FreeLayers.v', [
        ('FreeModel.v', '(- end_weight tokens)%Z); (free_kind, end_weight tokens)', '(- Z.of_nat tokens)%Z); (free_kind, Z.of_nat tokens)'),
    ]),
    'without a target the right head looks inside': ('FreeLayers.v', [
        ('FreeModel.v', 'beyond : Z := Z.of_nat tokens + 1', 'beyond : Z := Z.of_nat tokens / 2'),
    ]),
    'the third head looks at the next token': ('TreeContinuity.v', [
        ('FreeModel.v', 'own_queries : list whole := [[(at_place n, 2%Z)]', 'own_queries : list whole := [[(at_place n, 2%Z); (at_one n, 2%Z)]'),
    ]),
    'a node is done one layer after its left child': ('FreeStates.v', [
        ('FreeStates.v', 'Node a b => Nat.max (rank a + 2)', 'Node a b => Nat.max (rank a + 1)'),
    ]),
    'as many layers as the height': ('FreeLayers.v', [
        ('FreeLayers.v', 'Hard T (2 * height) i k', 'Hard T height i k'),
    ]),
    'a target may be outside the bound': ('TreeRates.v', [
        ('TreeRates.v', '<= aim T t l r <= Z.of_nat T + 2', '<= aim T t l r <= Z.of_nat T'),
    ]),
    'a hidden unit less': ('FreeMLP.v', [
        ('FreeMLP.v', '(products ly)) = (4 * (n ^ 3 + 2 * n + 14))', '(products ly)) = (4 * (n ^ 3 + 2 * n + 13))'),
    ]),
    'a unit of the decoder for words has the wrong sign': ('DecoderLayers.v', [
        ('DecoderWeights.v', 'four_at i k j (-1) (-1) 1;', 'four_at i k j (-1) (-1) (-1);'),
    ]),
    'a gate of the decoder for words adds what it should take away': ('DecoderLayers.v', [
        ('DecoderWeights.v', '((n2 + (k * n + j))%nat, Whole (-1))]\n          [((i', '((n2 + (k * n + j))%nat, Whole 1)]\n          [((i'),
    ]),
    'the near head of the decoder for trees reads one token further': ('TreeDecoderLayers.v', [
        ('TreeDecoderModel.v', '[(p_i, 1); (p_one, -1 - K); (p_g, K)]', '[(p_i, 1); (p_one, -2 - K); (p_g, K)]'),
    ]),
    'a closing bracket of the decoder for trees counts as a letter': ('TreeDecoderLayers.v', [
        ('TreeDecoderModel.v', '(p_f, -1); (p_g, -2)]%Z', '(p_f, -1); (p_g, -1)]%Z'),
    ]),
}  # fmt: skip


def refuse(folder, where):
    with (
        pytest.raises(Refused, match=rf"^{where}: File"),
        compiled([where], folder),
    ):
        pass


# A second or more each.
LONGER = {
    "an accepting run may end anywhere",
    "the left head is causal",
    "the marker of a closing bracket",
    "the sign of a unit of a difference",
    "the width",
}


@pytest.mark.parametrize(
    "what", [w if w not in LONGER else pytest.param(w, marks=pytest.mark.slow) for w in QUICK]
)
def test_a_changed_definition_is_not_proved(mutant, what):
    where, changes = QUICK[what]
    refuse(mutant(*changes), where)


@pytest.mark.slow
@pytest.mark.parametrize("what", SLOW)
def test_a_changed_model_or_bound_is_not_proved(mutant, what):
    where, changes = SLOW[what]
    refuse(mutant(*changes), where)
