"""mpmath's runs of Theorem 2's model agree with balls and with the plain pass, for every block."""

import tomllib
from fractions import Fraction
from pathlib import Path

import flint
import numpy as np
import pytest
from first_order import worst_words
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions import theorem2
from constructions.arithmetic import Multiprecision
from constructions.automata.wfa import WFA
from constructions.blocks.multiplication import slim_multiplier
from constructions.core.transformer import realise
from verify.bounds import measured, sweep
from verify.facts.soft_measured import Panel, automaton, constant, decades_near

PAPER = Path(measured.__file__).parents[1] / "paper" / "theorem2_errors.toml"
FIGURES = {each["id"]: each for each in tomllib.loads(PAPER.read_text("utf-8"))["figure"]}
SHOWN = FIGURES["error-against-c"]["parameters"]
ROTATION = {"a": [["3/5", "4/5"], ["-4/5", "3/5"]], "b": [["1", "1/2"], ["0", "1"]]}
entry = st.fractions(-2, 2, max_denominator=8)


@st.composite
def automata(draw):
    n = draw(st.integers(1, 2))
    rows = st.lists(st.lists(entry, min_size=n, max_size=n), min_size=n, max_size=n)
    return WFA.of([1] * n, {a: draw(rows) for a in "ab"}, [1] * n)


@given(automata(), st.text("ab", min_size=1, max_size=5), st.integers(1, 200))
@settings(max_examples=40, deadline=None)
def test_mpmath_measures_what_balls_enclose_in_every_layer(machine, word, saturation):
    length, c = max(2, len(word)), Fraction(saturation)
    seen = measured.measure(machine, word, length, c)
    [row] = sweep.rows(machine, [tuple(word)], length, [c])
    with flint.ctx.workprec(row.run.bits):
        sides = ("printed", "corrected")
        pairs = [(layer.error, e) for layer, e in zip(seen.layers, row.errors, strict=True)]
        pairs += [
            (layer.attention, e.attention)
            for layer, e in zip(seen.layers, row.run.layers, strict=True)
        ]
        pairs += [
            pair
            for side in sides
            for pair in zip(getattr(seen, side), getattr(row, side), strict=True)
        ]
        for number, ball in pairs:
            assert (
                abs(flint.arb(str(number)) - ball)
                <= ball * flint.arb(2) ** -36 + flint.arb(2) ** -200
            )


@pytest.mark.parametrize("eps", [None, Fraction(1, 10**6)])
@pytest.mark.parametrize("activation", ["tanh", "softplus"])
def test_shared_rows_are_the_plain_pass(eps, activation):
    machine, word, c = automaton(ROTATION), "abba", Fraction(60)
    network = eps and slim_multiplier(2, activation, Fraction(6), eps)
    model = theorem2.build(machine, 4, c, network or theorem2.PRODUCT)
    last = [
        [*realise(model.transformer, numbers).states(numbers, numbers.array(model.encode(word)))][
            -1
        ]
        for numbers in (Multiprecision(60), measured.SharedRows(60))
    ]
    assert max(abs(a - b) for a, b in zip(last[0].flat, last[1].flat, strict=True)) < 1e-50


def test_the_norm_is_spectral_and_no_entry():
    numbers = Multiprecision(30)
    matrix = measured.matrix_of(numbers, [[1, 1], [1, 1]])
    assert abs(measured.spectral_norm(matrix, numbers) - 2) < 1e-14
    tiny = matrix * numbers.context.mpf("1e-900")
    assert abs(measured.spectral_norm(tiny, numbers) / numbers.context.mpf("2e-900") - 1) < 1e-14


def test_the_exact_tokens_are_the_scan():
    [first, *_, last] = measured.exact_scan(automaton(ROTATION), "aba", 4)
    assert len(first) == 8 and (first[3] == np.eye(2)).all()
    a, b = first[4], first[5]
    assert (
        (last[6] == a @ b @ a).all()
        and (last[7] == a @ b @ a).all()
        and (last[3] == np.eye(2)).all()
    )


@pytest.mark.parametrize("activation", ["tanh", "softplus"])
def test_the_floor_with_an_mlp_is_its_own_error_times_t_minus_one(activation):
    """Weight 1/8: pads are the largest factors, e = 2e + η in each layer, so 2^L - 1."""
    machine = automaton({"a": [["1/8"]]})
    network = slim_multiplier(1, activation, Fraction(3), Fraction(1, 10**6))
    for length in (4, 8):
        found = measured.measure(machine, "a" * length, length, Fraction(900), network)
        floor = found.error / found.layers[-1].mlp
        assert abs(floor - (length - 1)) < 1e-3
        assert 0 < found.layers[-1].mlp < float(network.norm_bound)
        assert found.printed[-1] < found.error <= found.corrected[-1] * (1 + 1e-9)


def test_more_digits_change_nothing():
    machine, word = automaton(ROTATION), "abab"
    few, many = (measured.measure(machine, word, 4, Fraction(300), None, d) for d in (None, 400))
    assert abs(few.error / many.error - 1) < 1e-12


@pytest.mark.parametrize("name", SHOWN["automata"])
def test_the_words_shown_are_the_worst_to_first_order(name):
    """T = 8 here, all words; the ratio at a large C is that of the worst of all words up to a quarter."""
    chosen = FIGURES["error-against-c-short"]["parameters"]["words"][name]
    machine = automaton(SHOWN["automata"][name])
    ranked = worst_words(machine, 8)
    assert dict(ranked)[tuple(chosen)] >= ranked[0][1] * (1 - 1e-9)
    c = [Fraction(constant(30, 8))]
    ratios = {}
    for word in machine.words(8):
        [row] = sweep.rows(machine, [word], 8, c)
        ratios[word] = 0 if row.errors[-1] == 0 else float(row.errors[-1] / row.printed[-1])
    assert ratios[tuple(chosen)] >= 0.75 * max(ratios.values())


@pytest.mark.slow
@pytest.mark.parametrize("name", SHOWN["automata"])
def test_the_words_of_sixteen_letters_are_the_worst_to_first_order(name):
    ranked = worst_words(automaton(SHOWN["automata"][name]), 16)
    assert dict(ranked)[tuple(SHOWN["words"][name])] >= ranked[0][1] * (1 - 1e-9)


def test_floors_are_looked_at_near_the_digits_of_the_mlp():
    assert decades_near("1/1000000", [1, 2, 4, 8, 12, 16, 24]) == [4, 8, 12, 16]
    panel = Panel("", automaton({"a": [["3/2"]]}), ("a",) * 4, 4, [4], [])
    assert panel.radius == 6  # the MLPs read products of two letters at most, 9/4
