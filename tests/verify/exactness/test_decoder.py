"""Generic proofs for the decoder: they hold, and a changed weight refutes them."""

from dataclasses import replace
from fractions import Fraction

import pytest

from constructions import decoder
from constructions.arithmetic.free import Combination
from constructions.core.activations import GateInverse
from constructions.core.matrix import Matrix
from verify.exactness import decoder as engine


@pytest.mark.parametrize("length", [1, 2, 3, 8, 13, 17])
def test_tokens_carry_the_right_words_for_all_sizes_at_once(length):
    assert engine.prove_words(length) is None


@pytest.mark.slow
def test_tokens_carry_the_right_words_up_to_length_64():
    assert engine.prove_words(64) is None


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_one_layer_adds_the_product_and_leaves_the_rest(n):
    assert engine.prove_block(n) is None


def test_the_gate_is_not_interpreted():
    ring = engine.GatedPolynomial(["x", "y"])
    x, y = ring.generators.values()
    (plus,), (minus,) = ring.activate("σ", ring.array([[y], [-y]]))
    assert (x * plus + x * minus * -1).settled_value() == x * y
    with pytest.raises(ArithmeticError):
        (x * plus).settled_value()
    ((at_one, below),) = ring.activate("σ", ring.array([[1, -1]]))
    assert (x * at_one) * GateInverse("silu", Fraction(-1)) == -x
    assert (x * at_one + x * below * -1).settled_value() == x
    with pytest.raises(ArithmeticError):
        (x * below) * GateInverse("silu", Fraction(-1))


def test_the_free_algebra_multiplies_in_order():
    a, b = Combination.letter("a"), Combination.letter("b")
    assert (1 + a) * (1 + b) - 1 == a + b + a * b
    assert a * b != b * a


def changed_simulation(simulation, layer_number, change):
    layers = list(simulation.transformer.layers)
    layers[layer_number] = change(layers[layer_number])
    return replace(simulation, transformer=replace(simulation.transformer, layers=tuple(layers)))


def one_sign(matrix):
    at = max(matrix.entries)
    value = matrix.entries[at]
    flipped = (
        GateInverse(value.activation, -value.scale) if isinstance(value, GateInverse) else -value
    )
    return Matrix(matrix.shape, {**matrix.entries, at: flipped})


MUTANTS = {
    "output": lambda layer: replace(
        layer, feedforward=replace(layer.feedforward, output=one_sign(layer.feedforward.output))
    ),
    "inward": lambda layer: replace(
        layer, feedforward=replace(layer.feedforward, inward=one_sign(layer.feedforward.inward))
    ),
    "combine": lambda layer: replace(layer, combine=one_sign(layer.combine)),
    "residual": lambda layer: replace(layer, residual=False),
    "shift": lambda layer: replace(
        layer, heads=(replace(layer.heads[0], query=one_sign(layer.heads[0].query)),)
    ),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_changed_weight_refutes_the_proof(mutant):
    def build(automaton, length):
        return changed_simulation(decoder.build(automaton, length), 0, MUTANTS[mutant])

    assert engine.prove_words(4, build) is not None


def test_a_changed_block_refutes_the_layer():
    class Mutant(decoder.DecoderBuilder):
        def combine(self):
            return one_sign(super().combine())

    assert engine.prove_block(2, Mutant) is not None


@pytest.mark.parametrize("scale", [Fraction(3), Fraction(-3, 2), Fraction(1, 4)])
def test_a_multiple_of_the_gate_at_one_is_undone_with_its_scale(scale):
    ring = engine.GatedPolynomial(["x"])
    x = ring.generators["x"]
    ((at_one,),) = ring.activate("σ", ring.array([[1]]))
    undone = (x * at_one) * GateInverse("silu", scale)
    assert undone == x * ring.element(scale)
    with pytest.raises(ArithmeticError, match="something else than a multiple"):
        engine.ActivatedSum(x, {}) * GateInverse("silu", scale)


def test_a_block_whose_gates_do_not_cancel_is_a_mismatch_of_its_row():
    class Mutant(decoder.DecoderBuilder):
        def layer(self, number):
            return MUTANTS["residual"](super().layer(number))

    found = engine.prove_block(1, Mutant)
    assert (found.position, found.coordinate) == (1, -1)
    assert "σ" in found.why
