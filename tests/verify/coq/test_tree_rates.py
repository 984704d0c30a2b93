"""The C and h that the program chooses for trees meet the hypotheses of the theorems on rates.

`TreeRates.theorem3_entries` and `theorem3_mlp_entries` bound the error of each entry of a state by the
recursion `TreeRates.free_errors`. Here that recursion is computed anew, from the definitions of
TreeBudget.v, TreeRates.v and FreeModel.v and from the states of all trees, in ball arithmetic; nothing
of `verify.bounds` is used but the answers.
"""

from fractions import Fraction
from itertools import product

import flint
import pytest
from balls_support import ball

from constructions.automata.random_trees import rational_wta
from constructions.automata.wta import WTA
from constructions.blocks.smoothing import FourUnits
from constructions.core.exact import ceiling
from constructions.theorem3 import greatest_height
from constructions.variants.theorem3_variants import build_maskless
from verify.bounds.budget import sufficient_fineness, sufficient_saturation
from verify.bounds.tree_budget import maskless_subject

WTA2 = rational_wta(2, 2, "ab")
ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
COIN = WTA.of([1], [[["1/2"]]], {"a": [1]})
SAMPLES = [(COIN, 4), (COIN, 10), (ADDER, 7), (WTA2, 10)]
EPS = [Fraction(1, 2), Fraction(1, 10**6)]
BITS = 256


def all_states(automaton, leaves):
    """The states of all trees with at most so many leaves."""
    known = [[tuple(map(Fraction, automaton.leaf(a))) for a in automaton.alphabet]]
    for m in range(2, leaves + 1):
        pairs = ((x, y) for i in range(1, m) for x in known[i - 1] for y in known[m - i - 1])
        known.append(sorted({joined(automaton, x, y) for x, y in pairs}))
    return [state for found in known for state in found]


def joined(automaton, x, y):
    n = range(automaton.n)
    return tuple(
        sum((Fraction(automaton.tensor[k][a][b]) * x[a] * y[b] for a in n for b in n), Fraction(0))
        for k in n
    )


class Theorem:
    """`free_specs`, `free_sizes`, `free_products` and the recursion `free_errors`."""

    def __init__(self, automaton, length):
        self.n, self.length, self.layers = automaton.n, length, 2 * greatest_height(length)
        self.sizes = self.free_sizes(automaton)
        self.heads = self.free_specs()
        self.products = self.free_products(automaton)
        self.again = {self.n + 1, self.n + 2}
        self.factors = [self.sizes[c] for _, _, brought in self.heads for c in brought]

    def free_sizes(self, automaton):
        states, long = all_states(automaton, (self.length + 2) // 3), self.length + 1
        largest = [max(abs(state[k]) for state in states) for k in range(self.n)]
        return [*map(ball, [*largest, 1, long, long**2, 1, 1, long, long + 1])]

    def free_specs(self):
        n, weight = self.n, (self.length + 3) ** 2
        one, place, square, kind, done, size, target = range(n, n + 7)
        passed, places = [*range(n), done, size], [{place: 1}, {square: 1}]
        gate = {one: -weight, kind: weight}
        return [
            ([{place: 2, one: 2}, {one: -1}, gate], [*places, {kind: 1}], passed),
            ([{target: 2}, {one: -1}], places, passed),
            ([{place: 2}, {one: -1}], places, list(range(n + 7))),
        ]

    def free_products(self, automaton):
        """(left factor, right factor, coordinate, weight)."""
        n, beyond = self.n, self.length + 2
        one, place, _, kind, done, size, target = range(n, n + 7)
        right, own = n + 2, 2 * n + 4
        done_l, size_l, done_r, size_r = n, n + 1, right + n, right + n + 1
        triples = product(range(n), repeat=3)
        found = [(b, right + c, a, automaton.tensor[a][b][c]) for a, b, c in triples]
        found += [(own + one, own + c, c, 1) for c in [*range(n), one, kind, done, size]]
        found += [(own + kind, own + c, c, -1) for c in [*range(n), done, size]]
        found += [(done_l, done_r, done, 1), (size_l, done_r, size, 1)]
        found += [(done_l, size_r, size, 1), (done_l, done_r, size, 2)]
        found += [(own + one, own + one, target, beyond), (done_l, own + place, target, 1)]
        return [*found, (done_l, own + one, target, 1 - beyond), (own + one, size_l, target, 1)]

    def movement(self, head, errors):
        total = flint.arb(0)
        for q, k in zip(head[0], head[1], strict=True):
            (x, dx), (y, dy) = [
                [
                    sum((abs(ball(w)) * v[c] for c, w in f.items()), flint.arb(0))
                    for v in (self.sizes, errors)
                ]
                for f in (q, k)
            ]
            total += x * dy + dx * y + dx * dy
        return total

    def reads(self, errors, constant):
        found = []
        for head in self.heads:
            leak = self.length * (-ball(constant) * (1 - 2 * self.movement(head, errors))).exp()
            found += [errors[c] + 2 * self.sizes[c] * leak for c in head[2]]
        return found

    def run(self, constant, own=lambda p, q: 0):
        """The errors after all layers, and the largest error of what heads bring in any layer."""
        errors, largest = [flint.arb(0)] * (self.n + 7), flint.arb(0)
        rest = [own(self.factors[a] + 1, self.factors[b] + 1) for a, b, _, _ in self.products]
        for _ in range(self.layers):
            d, x = self.reads(errors, constant), self.factors
            for error in d:
                largest = largest.max(error)
            errors = [flint.arb(0)] * (self.n + 7)
            for (a, b, target, weight), missed in zip(self.products, rest, strict=True):
                error = x[a] * d[b] + d[a] * x[b] + d[a] * d[b] + missed
                errors[target] += abs(ball(weight)) * error
            errors = [flint.arb(0) if c in self.again else e.upper() for c, e in enumerate(errors)]
        return errors[: self.n], largest


def unit_error(units):
    """`TreeRates.unit_error` with the fourth derivative enclosed for each product."""
    sigma, h, s = units.activation, ball(units.step), ball(units.scale)
    bend = sigma.derivative(ball(sigma.point), 2)

    def error(p, q):
        reach = units.step * (ceiling(p) + ceiling(q))
        nearby = ball(sigma.point - reach).union(ball(sigma.point + reach))
        fourth = abs(sigma.derivative(nearby, 4))
        remainder = fourth * h**4 * (2 * p**4 + 12 * p**2 * q**2 + 2 * q**4) / 12
        return abs(s) * remainder + abs(4 * h * h * bend * s - 1) * p * q

    return error


@pytest.fixture(autouse=True)
def precision():
    with flint.ctx.workprec(BITS):
        yield


@pytest.mark.parametrize("eps", EPS)
@pytest.mark.parametrize("place", range(len(SAMPLES)))
def test_the_program_s_c_keeps_the_entries_of_theorem3_entries_within_eps(place, eps):
    automaton, length = SAMPLES[place]
    constant = sufficient_saturation(maskless_subject(build_maskless(automaton, length)), eps)
    errors, _ = Theorem(automaton, length).run(constant)
    assert all(error <= ball(eps) for error in errors)
    assert not all(error <= ball(eps) for error in Theorem(automaton, length).run(constant // 2)[0])


@pytest.mark.parametrize("place", [0, 2])
def test_the_program_s_c_and_h_meet_the_hypotheses_of_theorem3_mlp_entries(place):
    (automaton, length), eps = SAMPLES[place], Fraction(1, 100)
    known, asked = maskless_subject(build_maskless(automaton, length)), Theorem(automaton, length)
    constant = sufficient_saturation(known, eps / 2)
    bits = sufficient_fineness(known, constant, eps, "tanh")
    with flint.ctx.workprec(8 * bits + BITS):
        errors, brought = asked.run(constant, unit_error(FourUnits.of("tanh", bits)))
        assert brought <= 1
        assert all(error <= ball(eps) for error in errors)
        coarse, _ = asked.run(constant, unit_error(FourUnits.of("tanh", max(bits // 2, 1))))
        assert not all(error <= ball(eps) for error in coarse)


def test_the_theorem_and_the_program_read_the_same_weights():
    """The products and the sizes of the theorem are those that the program's recursion runs over."""
    automaton, length = ADDER, 7
    known, asked = maskless_subject(build_maskless(automaton, length)), Theorem(automaton, length)
    layers = known.transformer.layers
    assert len(layers) == asked.layers and known.gap == 1 and known.tokens == length + 1
    assert all(ball(theirs) >= ours for theirs, ours in zip(known.sizes, asked.sizes, strict=True))
    widths = [head.value.shape[1] for head in layers[0].heads]
    assert widths == [len(brought) for _, _, brought in asked.heads]


def closed(n, length, layers, u, w, eps):
    """4 K T L G^L m, which exp(C/2) is to reach in `TreeClosed.enough_saturation`."""
    k = (length + 2) ** 2 + (u * w) ** ((length + 2) // 3)
    growth = (2 * k + 1) * (n * w + 2 * n + 2 * length + 16)
    margin = 4 * (2 * k + 1) * (2 * (length + 3) ** 2 + 5) + (n + 1) / eps
    return 4 * k * length * layers * growth**layers * margin


@pytest.mark.parametrize("place", range(len(SAMPLES)))
def test_the_closed_form_is_an_instance_of_the_recursion(place):
    """A C of `theorem3_rate_closed` keeps the recursion's errors within ε in Euclidean length."""
    (automaton, length), eps = SAMPLES[place], Fraction(1, 1000)
    n = range(automaton.n)
    u = max(1, *(abs(Fraction(x)) for a in automaton.alphabet for x in automaton.leaf(a)))
    w = max(1, *(sum(abs(Fraction(automaton.tensor[k][a][b])) for a in n for b in n) for k in n))
    asked = Theorem(automaton, length)
    enough = closed(automaton.n, length, asked.layers, u, w, eps)
    constant = ceiling(2 * ball(enough).log())
    errors, _ = asked.run(constant)
    assert sum((e * e for e in errors), flint.arb(0)).sqrt() < ball(eps)
    assert constant > sufficient_saturation(
        maskless_subject(build_maskless(automaton, length)), eps
    )
