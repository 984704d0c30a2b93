"""Laws of the errors of an additive stream: a model as far off as they say is no farther off after a step."""

from dataclasses import replace
from fractions import Fraction

import flint
import pytest
from coarse_support import Coarse
from export_support import model_of
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from constructions.automata.families import counting
from constructions.automata.strategies import automata
from constructions.circuits.arithmetic import Scaled
from constructions.core.exact import ball
from constructions.core.transformer import realise
from constructions.decoder import Design, build
from constructions.exports.circuit import circuit_of
from constructions.exports.order import Order
from verify.bounds.floating import ONCE, wide_precision
from verify.circuits import additive_errors as module
from verify.circuits.additive_errors import AdditiveErrors
from verify.circuits.allowance import allowance
from verify.circuits.bounded_sum import BoundedSum, Edits

RELAXED = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
CIRCUIT = circuit_of(model_of(counting(), Order(4)))
ENTRIES = st.integers(-8, 8).map(lambda x: flint.fmpq(x, 4))
MATRICES = st.lists(ENTRIES, min_size=4, max_size=4).map(lambda x: flint.fmpq_mat(2, 2, x))
ONE = flint.fmpq_mat(2, 2, [1, 0, 0, 1])
NOTHING = BoundedSum(Scaled(0 * ONE))


@pytest.fixture(autouse=True)
def many_bits(monkeypatch):
    monkeypatch.setitem(module.ONCE, "exact", wide_precision(2000))


def errors(saturation="1000000000", form="exact"):
    """The arithmetic, with a rounding far below what is looked at."""
    constants = {**CIRCUIT.constants, "computes_in": form, "saturation": saturation}
    edits = Edits(0, 0, flint.arb(100), flint.arb(0))
    return AdditiveErrors(replace(CIRCUIT, constants=constants), edits)


def size(matrix):
    return flint.arb(sum(x * x for x in matrix.entries())).sqrt()


def contribution(exact, error):
    """A contribution whose bound is exactly the size of its error."""
    return BoundedSum(Scaled(exact), size(error))


def within(arithmetic, value, model):
    """Whether a model's value is within a bound, up to the rounding of the arithmetic."""
    return size(model - value.matrix) <= value.error + flint.arb(2) ** -300


ZEROS = [0 * ONE] * 8


@RELAXED
@given(st.lists(MATRICES, min_size=8, max_size=8), st.booleans())
@example([ZEROS[0], ONE, *ZEROS[2:4], 2 * ONE, *ZEROS[5:]], True)
@example([2 * ONE, *ZEROS[1:3], ONE, *ZEROS[4:]], True)
@example([2 * ONE, *ZEROS[1:5], ONE, *ZEROS[6:]], False)
def test_a_block_errs_by_no_more_than_its_bound_whatever_its_input_is_off_by(matrices, same):
    """The sum of all that was written is closer than its parts, if the block saw that sum."""
    window, w_off, head, h_off, scratch, s_off, other, o_off = matrices
    with flint.ctx.workprec(400):
        arithmetic = errors()
        parts = [contribution(*pair) for pair in
                 ((window, w_off), (head, h_off), (scratch, s_off), (other, o_off))]  # fmt: skip
        seen = arithmetic.total([parts[0], parts[1]], (), (2, 2))
        read = arithmetic.total([parts[2], parts[1]], (), (2, 2))
        tokens = [[seen, read]]
        added, erased = arithmetic.block("product", read, seen, (), lambda: tokens)
        x, y = scratch + s_off + head + h_off, window + w_off - scratch - s_off
        if same:
            after = arithmetic.total([parts[0], parts[1], added], (), (2, 2))
            assert within(arithmetic, after, window + w_off + head + h_off + x * y)
            assert within(
                arithmetic, arithmetic.total([parts[2], parts[1], erased], (), (2, 2)), 0 * x
            )
        else:
            after = arithmetic.total([parts[3], added], (), (2, 2))
            assert within(arithmetic, after, other + o_off + x * y)
            assert within(arithmetic, arithmetic.total([erased], (), (2, 2)), -x)


@RELAXED
@given(st.lists(st.tuples(MATRICES, MATRICES), min_size=1, max_size=4), st.data())
def test_a_head_errs_by_no_more_than_its_bound_whatever_leaks(pairs, data):
    """Any weights that give the target all but λ."""
    with flint.ctx.workprec(400):
        arithmetic = errors("2")
        values = [contribution(*pair) for pair in pairs]
        target = data.draw(st.integers(0, len(pairs) - 1))
        found = arithmetic.gather(values, [target], Fraction(1), lambda t: [[values[t], NOTHING]])
        norm = arithmetic.reading([[value, NOTHING] for value in values])
        lost = min(1, Fraction(float(arithmetic.rounding.leak(norm).mid())) * Fraction(999, 1000))
        shares = data.draw(st.lists(st.integers(0, 5), min_size=len(pairs), max_size=len(pairs)))
        total = sum(shares) or 1
        model = flint.fmpq_mat(2, 2)
        for j, (exact, off) in enumerate(pairs):
            weight = lost * Fraction(shares[j], total)
            weight += (j == target) * (1 - lost * Fraction(sum(shares), total))
            model += (exact + off) * flint.fmpq(weight.numerator, weight.denominator)
        assert within(arithmetic, found, model)


@RELAXED
@given(st.lists(st.tuples(MATRICES, MATRICES), min_size=2, max_size=4))
def test_a_mean_errs_by_no_more_than_its_values(pairs):
    with flint.ctx.workprec(400):
        values = [contribution(*pair) for pair in pairs]
        found = errors().gather(
            values, range(len(values)), Fraction(1, 2), lambda t: [[values[t], NOTHING]]
        )
        model = sum((x + off for x, off in pairs), flint.fmpq_mat(2, 2)) / flint.fmpq(
            2 * len(pairs)
        )
        assert within(None, found, model)


@pytest.mark.parametrize("bits", [12, 18])
@settings(RELAXED, max_examples=12)
@given(source=automata(states=3), data=st.data())
def test_every_number_of_a_coarse_pass_is_within_the_allowance(bits, source, data):
    """The forward pass written elsewhere, every operation of which rounds to few bits."""
    circuit = circuit_of(model_of(source, Order(4)))
    word = data.draw(st.lists(st.sampled_from(source.alphabet), min_size=1, max_size=4))
    model = build(source, 4, Design("silu"), Fraction(12))
    constants = {
        **circuit.constants,
        "computes_in": "coarse",
        "saturation": "12",
        "activation": "silu",
    }
    circuit = replace(circuit, constants=constants)
    module.ONCE["coarse"] = replace(ONCE["float32"], bits=bits)
    try:
        allowed = allowance(circuit.values(word), word)
        numbers = [allowed.numbers(hook) for hook in circuit.hooks if hook.site == "after"]
        outputs = allowed.outputs
    finally:
        del module.ONCE["coarse"]
    arithmetic = Coarse(bits)
    rows = arithmetic.array(model.encode(word))
    streams = list(realise(model.transformer, arithmetic).states(arithmetic, rows))[1:]
    for stream, features in zip(streams, numbers, strict=True):
        for name in ("window", "scratch"):
            for t, row in enumerate(features[name]):
                for c, (value, bound) in zip(model.layout[name], row, strict=True):
                    assert abs(stream[t, c].value - value) <= bound
    for t, row in enumerate(model.states(word, arithmetic)):
        for c, bound in enumerate(outputs[t]):
            assert abs(row[c].value - float(allowed.trace.outputs[t][c])) <= bound


def test_a_bound_that_is_not_known_stays_unknown():
    arithmetic = errors()
    lost = BoundedSum(Scaled(ONE), flint.arb("inf"))
    total = arithmetic.total([lost, contribution(ONE, ONE)], (), (2, 2))
    added, erased = arithmetic.block("product", total, total, (), lambda: [[total, total]])
    assert not added.error.is_finite() and not erased.error.is_finite()
    assert ball(Fraction(1)) < lost.error
