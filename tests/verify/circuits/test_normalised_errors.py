"""The allowance of a normalised stream, attacked by an arithmetic that rounds to few bits."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import product
from random import Random

import flint
import pytest
from coarse_support import Coarse

from constructions import normalised as construction
from constructions.automata.prediction import predictor
from constructions.automata.processes import mess3, ngram
from constructions.circuits import interventions as act
from constructions.core.exact import ball
from constructions.core.transformer import realise
from constructions.exports.circuit import circuit_of
from constructions.exports.order import Order
from verify.automaton.export import make
from verify.bounds.floating import ONCE, wide_precision
from verify.circuits import normalised_errors as module
from verify.circuits.allowance import allowance
from verify.circuits.check import predicted_output

ORDER = Order(8, format="olmo2", head="next")
MODEL, _ = make(mess3(), ORDER)
CIRCUIT = circuit_of(MODEL)
WORD = tuple("ABCABBC")


def allowance_of(circuit, word, *interventions):
    return allowance(circuit.values(word, interventions), word, interventions)


def shares_of_allowance(simulation, circuit, word, bits):
    """Deviations of the coarse pass as shares of what is allowed, at every hook and of the logits."""
    allowed, arithmetic = allowance_of(circuit, word), Coarse(bits)
    rows = arithmetic.array(simulation.encode(word))
    streams = list(realise(simulation.transformer, arithmetic).states(arithmetic, rows))[1:]
    for layer, stream in enumerate(streams):
        hook = next(h for h in circuit.hooks if (h.site, h.layer) == ("after", layer))
        for name, numbers in allowed.numbers(hook).items():
            where = list(simulation.layout[name])
            for t, row in enumerate(numbers):
                for c, (value, bound) in zip(where, row, strict=True):
                    if name not in ("one", "place") and value:
                        yield abs(stream[t, c].value - value) / bound
    outputs = simulation.states(word, arithmetic)
    for t, bounds in enumerate(allowed.outputs):
        for c, bound in enumerate(bounds):
            value = predicted_output(allowed.trace, t, c)
            yield abs(outputs[t][c].value - value) / bound


@pytest.mark.parametrize("bits", [14, 18])
@pytest.mark.parametrize("source", [mess3(), ngram(["abba", "ab", "b"], 2)])
def test_every_number_of_a_coarse_pass_is_within_the_allowance(source, bits, monkeypatch):
    circuit = circuit_of(make(source, ORDER)[0])
    monkeypatch.setitem(module.ONCE, "coarse", replace(ONCE["float32"], bits=bits))
    sharp = 4 * int(circuit.constants["saturation"])  # a gap that so few bits can see
    circuit = replace(circuit, constants={**circuit.constants, "computes_in": "coarse",
                                          "saturation": str(sharp)})  # fmt: skip
    form = predictor(source)
    simulation = construction.build(form, 8, sharp, circuit.readout.logarithm)
    found = list(shares_of_allowance(simulation, circuit, form.example(6), bits))
    assert max(found) <= 1
    assert max(found) > 1 / 1000, "and the bound is not of another size"


def test_a_saturation_that_does_not_copy_has_no_bound():
    loose = replace(CIRCUIT, constants={**CIRCUIT.constants, "saturation": "100"})
    allowed = allowance_of(loose, WORD)
    assert not allowed.run.added["head 0.0"]["read1"][3].rest.is_finite()
    assert all(bound == math.inf for row in allowed.outputs for bound in row)


def test_another_activation_than_silu_has_no_bound():
    other = replace(CIRCUIT, constants={**CIRCUIT.constants, "activation": "gelu"})
    assert allowance_of(other, WORD).outputs[3][0] == math.inf


def test_zeros_stay_zeros_where_a_head_is_ablated_and_logits_have_a_bound():
    allowed = allowance_of(CIRCUIT, WORD, act.AblateHead(0, 0))
    assert all(value.is_zero for value in allowed.run.final)
    assert all(bound < 1e-3 for row in allowed.outputs for bound in row)


def test_an_interchanged_window_has_the_bounds_of_its_run():
    patch = act.Interchange(0, 3, tuple("CCBAA"), 5)
    patched = allowance_of(CIRCUIT, WORD, patch).run.stream("window1", "after", 0, 3)
    assert patched == allowance_of(CIRCUIT, tuple("CCBAA")).run.stream("window1", "after", 0, 5)


SIZES = {
    "relative": (Fraction(1, 50), Fraction(0), Fraction(0)),
    "anywhere": (Fraction(0), Fraction(1, 100), Fraction(0)),
    "together": (Fraction(1, 50), Fraction(1, 100), Fraction(1, 20)),
    "common": (Fraction(0), Fraction(0), Fraction(1, 20)),
}
OPERATIONS = ["head", "mean", "block", "belief"]
CORNERS = list(product((1, -1), repeat=3))


def moved(value, sizes, signs, pattern):
    """A model's value at a corner of what is allowed: c(x(1 + r) + A), with a pattern of signs in r and A."""
    ratio, rest, scale = (ball(size * sign) for size, sign in zip(sizes, signs, strict=True))
    entries = [value.scale * flint.arb(x) for x in value.vector.entries()]
    share = rest / flint.arb(len(entries)).sqrt()
    return [(1 + scale) * (x * (1 + ratio * p) + share * p)
            for x, p in zip(entries, pattern, strict=True)]  # fmt: skip


def normalised(row, arithmetic):
    size = sum((x * x for x in row), flint.arb(0)) + arithmetic.floor**2
    return [arithmetic.size * x / size.sqrt() for x in row]


def times(left, right, n):
    return [sum((left[i * n + k] * right[k * n + j] for k in range(n)), flint.arb(0))
            for i, j in product(range(n), repeat=2)]  # fmt: skip


@pytest.mark.parametrize(
    ("operation", "name"),  # a norm removes a common factor, but not those of two values in a mean
    [(each, name) for each in OPERATIONS for name in SIZES if name != "common" or each == "mean"],
)
def test_error_propagation_is_bounded_at_every_corner(operation, name, monkeypatch):
    """Without rounding, so that the propagation alone is seen; and it is not of another size."""
    monkeypatch.setitem(module.ONCE, "exact", wide_precision(2000))
    constants = {**CIRCUIT.constants, "computes_in": "exact", "saturation": str(10**9)}
    arithmetic = module.NormalisedErrors(replace(CIRCUIT, constants=constants))
    alpha, n, worst = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)), 3, 0.0
    random = Random(6)
    with flint.ctx.workprec(300):
        x, w = (module.BoundedValue(arithmetic.exact.embed(CIRCUIT.embedding[letter]),
                                    *map(ball, SIZES[name])) for letter in "AB")  # fmt: skip
        found = {
            "head": lambda: arithmetic.gather([w, x], [1], Fraction(1)),
            "mean": lambda: arithmetic.gather([w, x], [0, 1], Fraction(1, 2)),
            "block": lambda: arithmetic.block("compose", x, w, ())[0],
            "belief": lambda: arithmetic.block("state", x, w, alpha)[0],
        }[operation]()
        for first, second in product(CORNERS, repeat=2):
            signs = [random.choice((1, -1)) for _ in range(2 * n * n)]
            left = moved(x.exact, SIZES[name], first, signs[: n * n])
            right = moved(w.exact, SIZES[name], second, signs[n * n :])
            rows = left if operation == "head" else times(left, right, n)
            if operation == "mean":
                rows = [(a + b) / 2 for a, b in zip(left, right, strict=True)]
            if operation == "belief":
                rows = [sum((ball(a) * rows[i * n + j] for i, a in enumerate(alpha)), flint.arb(0))
                        for j in range(n)]  # fmt: skip
            model = normalised(rows, arithmetic)
            exact = [found.exact.scale * flint.arb(entry) for entry in found.exact.vector.entries()]
            for value, entry, bound in zip(model, exact, found.bounds(), strict=True):
                worst = max(worst, float(abs(value - entry) / bound))
    assert 1 / 10 < worst <= 1
