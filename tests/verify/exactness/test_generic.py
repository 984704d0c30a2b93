"""Generic proofs: by shared polynomials, by python-flint's, and what they refuse."""

from dataclasses import replace

import pytest

from constructions import theorem1
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
