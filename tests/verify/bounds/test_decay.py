"""The bound on how closely an error falls like exp(-C g) is kept, and is not idle."""

from fractions import Fraction

import flint
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from constructions.automata.wfa import WFA
from constructions.core.exact import ball
from constructions.theorem1 import span
from verify.bounds import decay, leak, sweep

entry = st.fractions(-2, 2, max_denominator=8)
BITS = 400


@st.composite
def automata(draw):
    n = draw(st.integers(1, 3))
    rows = st.lists(st.lists(entry, min_size=n, max_size=n), min_size=n, max_size=n)
    return WFA.of([1] * n, {a: draw(rows) for a in "ab"}, [1] * n)


@given(automata(), st.text("ab", min_size=2, max_size=6), st.integers(1, 30))
@settings(max_examples=40, deadline=None)
def test_the_error_is_two_sided(machine, word, decades):
    length = len(word)
    with flint.ctx.workprec(BITS):
        g = leak.gap(span(length))
        c = Fraction(int(float(decades * flint.arb(10).log() / g)) + 1)
        factor = decay.largest_norm(decay.first_order(machine, word, length)[-1][1])
    assume(factor > 0)
    allowed = decay.miss(machine, word, length, c, BITS)
    assume(allowed is not None)
    [row] = sweep.rows(machine, [tuple(word)], length, [c], bits=BITS)
    with flint.ctx.workprec(BITS):
        seen = abs(row.errors[-1].log() + ball(c) * g - factor.log())
        assert seen <= allowed
        assert decades < 20 or allowed < flint.arb(10) ** -6
