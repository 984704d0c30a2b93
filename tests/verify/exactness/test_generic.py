"""Generic proofs: by shared polynomials, by python-flint's, and what they refuse."""

from dataclasses import replace

import pytest

from constructions import theorem1
from constructions.arithmetic import MonoidWord
from constructions.core.matrix import Tensor
from verify.exactness import generic
from verify.exactness.routing import RoutedPolynomial, RoutedSharedPolynomials

ENGINES = (RoutedSharedPolynomials, RoutedPolynomial)


def broken_build(layer: int, change):
    """Theorem 1's transformer with another tensor in one layer."""

    def build(automaton, length):
        simulation = theorem1.build(automaton, length)
        model = simulation.transformer
        block = model.layers[layer].feedforward
        wrong = replace(block, tensor=Tensor(block.tensor.shape, change(block.tensor.entries)))
        layers = [*model.layers]
        layers[layer] = replace(layers[layer], feedforward=wrong)
        return replace(simulation, transformer=replace(model, layers=tuple(layers)))

    return build


def without_a_term(entries):
    """One product less."""
    return dict(list(entries.items())[1:])


def with_a_coefficient(entries):
    """One product twice."""
    return {**entries, next(iter(entries)): 2}


def with_a_square(entries):
    """One product of an entry with itself instead of its partner."""
    place = a, _, c = next((a, b, c) for a, b, c in entries if a > b)
    return {at: 1 for at in entries if at != place} | {(a, a, c): 1}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("n", "length"), [(1, 1), (1, 5), (2, 3), (2, 4), (3, 2)])
def test_outputs_are_states_as_polynomials_in_every_weight(engine, n: int, length: int) -> None:
    assert generic.prove(n, length, polynomials=engine) is None


@pytest.mark.parametrize("layer", [0, 1])
@pytest.mark.parametrize("change", [without_a_term, with_a_coefficient, with_a_square])
def test_a_wrong_tensor_is_refused_at_the_same_place_by_both(layer: int, change) -> None:
    build = broken_build(layer, change)
    first, second = (generic.prove(2, 4, build, polynomials=engine) for engine in ENGINES)
    assert first is not None and first == second
    assert "the output is another polynomial" in first.why


def test_sizes_whose_monomials_nobody_could_list_are_proved() -> None:
    """A state of 3 states and 32 letters has 3^32 monomials."""
    assert generic.prove(3, 32) is None
    refused = generic.prove(3, 32, broken_build(4, with_a_square))
    assert refused is not None and refused.position == 17  # before it, one factor is I


def test_a_letter_is_the_character_of_its_position_and_no_end_is_special() -> None:
    found = generic.letter_automaton(2)
    assert (found.alpha, found.beta) == ((1,), (1,))
    assert found.transitions == {"1": ((MonoidWord("\x01"),),), "2": ((MonoidWord("\x02"),),)}


def test_symbols_of_later_letters_come_first() -> None:
    asked = []

    def ring(denominator, names):
        asked.append((denominator, list(names)))
        return RoutedSharedPolynomials(denominator, names)

    assert generic.prove(1, 2, polynomials=ring) is None
    assert asked == [(2, ["x2_0_0", "x1_0_0", "alpha0"])]


def test_a_product_that_lacks_letters_is_named_with_its_state() -> None:
    """After one of two layers a position holds the product of two letters."""

    def shorter(automaton, length):
        simulation = theorem1.build(automaton, length)
        first, _ = simulation.transformer.layers
        return replace(simulation, transformer=replace(simulation.transformer, layers=(first,)))

    found = generic.prove_words(4, shorter)
    assert found == generic.Mismatch(3, 0, "state 3: the output is another product")


def test_a_layer_that_is_no_product_is_named_with_its_entry(monkeypatch) -> None:
    """Of three states the last entry of the right half is left out."""
    layers = theorem1.layers

    def wrong(n, length):
        first, *others = layers(n, length)
        block = first.feedforward
        output = {
            at: value
            for at, value in block.output.entries.items()
            if at[1] != theorem1.layout(n)["right"][7]
        }
        changed = replace(block, output=replace(block.output, entries=output))
        return (replace(first, feedforward=changed), *others)

    assert generic.prove_layer(3) is None
    monkeypatch.setattr(theorem1, "layers", wrong)
    assert generic.prove_layer(3) == generic.Mismatch(
        1, 7, "right entry (2, 1) is no matrix product"
    )


def test_a_row_that_is_routed_elsewhere_is_named_with_its_layer(monkeypatch) -> None:
    build = theorem1.build

    def turned(automaton, length):
        simulation = build(automaton, length)
        first, *others = simulation.transformer.layers
        layers = (first, *(replace(each, heads=each.heads[::-1]) for each in others))
        return replace(simulation, transformer=replace(simulation.transformer, layers=layers))

    assert generic.prove_routing(4) is None
    monkeypatch.setattr(theorem1, "build", turned)
    assert generic.prove_routing(4) == generic.Mismatch(0, -1, "layer 2: row 0 attends row 0")
