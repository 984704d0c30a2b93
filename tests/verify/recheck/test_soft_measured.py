"""Fixed-point intervals confirm the measured errors; norms and logarithms are enclosed."""

from fractions import Fraction
from math import log

import flint
import numpy as np
import pytest
from confirm_support import Case, Questions
from facts_support import certificate, refused, refuses
from hypothesis import given, settings
from hypothesis import strategies as st

from verify.bounds.norms import spectral_norm
from verify.facts import soft_measured as facts
from verify.recheck.kernel import interval
from verify.recheck.kernel.soft import spectral

SIGNED = {"a": [["1/2", "-3/4", "1/8"], ["5/8", "1/4", "-1/2"], ["-3/8", "1/2", "3/4"]]}
SMALL = {
    "automata": {"two": {"a": [["2"]]}, "signed": SIGNED},
    "words": {"two": "aaaa", "signed": "aaaa"},
    "length": 4,
    "decades": [2, 8, 12],
    "mlps": [["tanh", "1/10000"]],
}


def one(**parameters):
    """The fact for one set of parameters."""
    return facts.soft_measured([parameters])[0]


CASES = [Case("soft.measured", one, {**SMALL, "against": against}, optional=("mlps",),
              harmless=() if against == "corrected" else (("mlps", []),))
         for against in facts.AGAINST]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


def test_every_changed_number_is_refused():
    found = certificate(CASES[0].found)
    panel = found["values"]["drawing"]["panels"][1]
    [floor] = panel["mlps"]
    lists = [(panel, key) for key in ("C", "error", "printed", "corrected")]
    lists += [(floor, key) for key in ("C", "error", "mlp", "printed", "corrected")]
    for part, key in lists:
        for k, old in enumerate(part[key]):
            part[key][k] = f"{float(old) * 1.0001:.6g}" if key != "C" else str(int(old) + 1)
            assert refused("soft.measured", CASES[0].parameters, **found)
            part[key][k] = old
    others = [(panel, "norm", "1.3"), (panel, "word", "aaab"), (panel, "label", "two")]
    others += [(panel, "mlps", [{}]), (floor, "step", "1/64"), (floor, "proven", "0.0002")]
    others += [(floor, "scale", "-1"), (floor, "eps", "1/1000"), (floor, "activation", "gelu")]
    for part, key, value in others:
        old, part[key] = part[key], value
        assert refused("soft.measured", CASES[0].parameters, **found)
        part[key] = old
    assert not refused("soft.measured", CASES[0].parameters, **found)


@pytest.mark.parametrize(
    ("change", "because"),
    [
        ({"words": {"two": "aaaa"}}, "words"),
        ({"words": {"two": "aaaa", "signed": "aab"}}, "expected 4 letters"),
        ({"automata": {"two": {"a": [["2"]]}, "signed": {"a": [["1", "2"]]}}}, "square"),
        ({"decades": [8, 2]}, "increasing"),
        ({"against": "both"}, "against"),
        ({"mlps": [["tanh"]]}, "mlps"),
        ({"mlps": [["gelu", "1/100"]]}, "expected tanh"),
        ({"mlps": [["tanh", "1/200"]]}, "expected 1/10\\^k"),
    ],
)
def test_what_cannot_be_run_is_refused(change, because):
    refuses("soft.measured", {**SMALL, "against": "printed", **change}, because)


@given(st.lists(st.integers(-(10**9), 10**9), min_size=9, max_size=9), st.integers(0, 20))
@settings(max_examples=60, deadline=None)
def test_the_norm_of_three_rows_is_enclosed(entries, radius):
    low, high = spectral([(2**20 * x - radius, 2**20 * x + radius) for x in entries])
    with flint.ctx.workprec(200):
        norm = 2**20 * spectral_norm(flint.arb_mat(3, 3, entries))
        assert flint.arb(low) <= norm.upper() and norm.lower() <= flint.arb(high)
    assert high - low <= 12 * radius + 8 + high // 2**30


@pytest.mark.parametrize(
    "matrix", [np.eye(3), np.diag([5, 5, 1]), np.ones((3, 3)), np.zeros((3, 3))]
)
def test_norms_with_equal_roots_are_found(matrix):
    low, high = spectral([(int(x) << 60, int(x) << 60) for x in matrix.flat])
    norm = round(float(np.linalg.norm(matrix, 2))) << 60
    assert low <= norm <= high and high - low < 1 << 32


@given(st.fractions(Fraction(1, 10**30), 10**30))
@settings(max_examples=40, deadline=None)
def test_logarithms_are_enclosed(x):
    low, high = interval.log(x, 80)
    assert low <= high and high - low < Fraction(1, 1 << 60)
    with flint.ctx.workprec(160):
        ball = (flint.arb(x.numerator) / x.denominator).log()
        assert (
            low <= Fraction(*map(int, _parts(ball.upper())))
            and Fraction(*map(int, _parts(ball.lower()))) <= high
        )
    assert abs(float(low) - log(x)) < 1e-12


def _parts(end):
    mantissa, exponent = end.man_exp()
    value = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return value.numerator, value.denominator
