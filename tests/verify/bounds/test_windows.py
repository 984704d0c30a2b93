"""Errors by the letters that a token holds, and distances of windows: the recursions in rationals."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import flint
import pytest
from balls_support import ball, check_agreement, precision_fixture

from constructions.automata.families import counting, scalar
from constructions.automata.wfa import WFA
from verify.bounds import neighbours, windows
from verify.bounds.growth import Growth
from verify.bounds.neighbours import WindowDistances, window_distances
from verify.bounds.saturation import uniform_bounds
from verify.bounds.windows import WindowBounds, window_bounds

working = precision_fixture(128)

WEIGHTS = [Fraction(k, 900) for k in (500, 90, 80, 70, 60, 50, 40, 10)]  # p_0 … p_7, M = 4
BEFORE = [Fraction(1, 3), Fraction(1, 5), Fraction(1, 7), Fraction(1, 9)]  # ε after each layer
NORMS = [Fraction(k, 10) for k in (10, 13, 11, 17, 19, 23, 29, 31, 37, 41)]
ROWS = [Fraction(k, 10) for k in (10, 9, 7, 8, 6, 5, 4, 3, 2, 1)]
SPREADS = [Fraction(3, 4), Fraction(3, 2), Fraction(1, 4), Fraction(2)]
STEPS = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 8), Fraction(3, 5)]


def balls(values):
    return tuple(map(ball, values))


def made(length, layers, most=10**9):
    """Bounds with all numbers of our choice."""
    uniform = SimpleNamespace(
        span=4, errors=lambda _: list(balls(BEFORE)), states=lambda _: flint.arb(most)
    )
    apart = WindowDistances(balls(SPREADS[:layers]), balls(STEPS[:layers]))
    return WindowBounds(length, uniform, balls(NORMS), balls(ROWS), apart, flint.arb(7))


def recursion(length, layers):
    """r(0) … r(T) from the docstring, token by token."""
    e = r = {0: Fraction(0), 1: Fraction(0)}
    for layer in range(layers):
        b, far, near = 1 << layer, SPREADS[layer], STEPS[layer]
        moved = sum(p * min(far, min(m, 8 - m) * near) for m, p in enumerate(WEIGHTS))
        share = moved + sum(WEIGHTS[1:]) * [Fraction(0), *BEFORE][layer]
        delta, rho = ({k: x + share for k, x in own.items()} for own in (e, r))
        e, r = {}, {}
        for k in range(min(2 * b, length) + 1):
            one, two = (0, k) if k <= b else (k - b, b)
            e[k] = NORMS[one] * delta[two] + delta[one] * NORMS[two] + delta[one] * delta[two]
            if k <= b:
                r[k] = rho[k] + rho[0] * (NORMS[k] + delta[k])
            else:
                r[k] = ROWS[one] * delta[b] + rho[one] * (NORMS[b] + delta[b])
    return [r[k] for k in sorted(r)]


@pytest.mark.parametrize(
    ("length", "layers"), [(1, 0), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3), (8, 3), (9, 4)]
)
def test_errors_of_prefixes_follow_the_recursion(length, layers, monkeypatch):
    monkeypatch.setattr(windows.leak, "weights", lambda c, span: list(balls(WEIGHTS)))
    own, wanted = made(length, layers), recursion(length, layers)
    found = own.errors(Fraction(9))
    assert len(found) == len(wanted) == length + 1
    for one, value in zip(found, wanted, strict=True):
        assert one.is_zero() if value == 0 else check_agreement(one, ball(value)) is None
    together = 7 * ball(sum(x * x for x in wanted)).sqrt()
    assert abs(own.states(Fraction(9)) - together) <= together / flint.arb(2) ** 100
    assert made(length, layers, 0).states(Fraction(9)) == 0, "the lesser of two bounds"


def test_products_and_rows_of_countare_the_lesser_of_their_bounds():
    """α = (0, 2): rows are those of the second state; products of 2 of weight 1/2 or 3."""
    automaton = WFA.of([0, 2], {"a": [[3, 0], [0, "1/2"]]}, [1, 1])
    found = window_bounds(automaton, 2)
    assert [float(x) for x in found.norms] == pytest.approx([1, 3])
    assert [float(x) for x in found.rows] == pytest.approx([1, 0.5])
    assert float(found.readout) == 2 and found.length == 2
    assert len(window_bounds(scalar(2), 1).norms) == 2 and found.layers.span == 2
    nothing = window_bounds(WFA.of([0, 0], automaton.transitions, [1, 1]), 2)
    assert nothing.rows == nothing.norms and nothing.readout == 0


@pytest.mark.parametrize(("length", "longest"), [(1, 1), (2, 1), (4, 2), (5, 4)])
def test_products_are_multiplied_up_to_the_countof_the_last_layer(length, longest, monkeypatch):
    layers, asked = replace(uniform_bounds(counting(), length), grown=None), []
    growth = windows.growth
    monkeypatch.setattr(windows, "growth", lambda a, k: asked.append(k) or growth(a, k))
    window_bounds(counting(), length, layers)
    assert asked == [longest]


def grown(norms, distances, halves):
    return Growth(balls(norms), balls(distances), 0, balls(norms), balls(halves))


@pytest.mark.parametrize(("half", "spreads", "steps"), [
    (9, [2 * 3, 2 * 5, 2 * 7], [2 * 3 * 1, 2 * 5, 2 * 7]),
    (1, [2, 2, 2], [2, 2, 2]),
])  # fmt: skip
def test_beyond_what_is_listed_distances_follow_from_norms(half, spreads, steps, monkeypatch):
    """Through 0 or I, or through I/2; neighbours by 2 max ‖V‖ ‖A - I‖, if that is no more."""
    monkeypatch.setattr(neighbours, "MOST_PAIRS", 0)
    facts = grown([1, 3, 5, 6, 7], [0, 3, 8, 8, 9], [half] * 5)
    found = window_distances(counting(), 3, facts)
    assert [float(x) for x in found.spreads] == spreads
    assert [float(x) for x in found.steps] == steps


def test_neighbours_are_apart_by_the_least_of_three_bounds(monkeypatch):
    """w = 1: 2 · 3 · 1. w = 2: 2 · 3 · N_1, or 2 d N_1. w = 4: 2 · 3 · N_3, or 2 d N_2."""
    monkeypatch.setattr(neighbours, "MOST_PAIRS", 0)
    norms = [Fraction(x) for x in ("1", "1/4", "1/8", "9", "9")]
    facts = SimpleNamespace(
        norms=balls(norms), distances=balls([0, 3]), spread=lambda w: flint.arb(60 + w)
    )
    found = window_distances(counting(), 3, facts)
    assert [float(x) for x in found.spreads] == [61, 62, 64]
    first = 2 * 3
    second = min(2 * 3 / 4, 2 * first / 4)
    assert [float(x) for x in found.steps] == [first, second, min(2 * 3 * 9, 2 * second / 8)]


@pytest.mark.parametrize(("most", "pairs", "shifts"), [
    (17, False, False), (18, True, False), (26, True, False), (27, True, True),
])  # fmt: skip
def test_pairs_and_shifts_are_listed_up_to_a_number(most, pairs, shifts, monkeypatch):
    """The counter: 1 + 2 + 3 products of at most 2 letters, 36 pairs; 3 of at most 1, 27 shifts."""
    monkeypatch.setattr(neighbours, "MOST_PAIRS", most)
    own = neighbours._Windows(counting())
    assert (own.pairs(2) is not None) is pairs and (own.shifts(2) is not None) is shifts


@pytest.mark.parametrize(("n", "small"), [(8, True), (9, False)])
def test_countof_more_than_eight_states_are_not_listed(n, small):
    one = [[int(i == j) for j in range(n)] for i in range(n)]
    own = neighbours._Windows(WFA.of([1] * n, {"a": one}, [1] * n))
    assert (own.up_to(1) is not None) is small


def test_products_that_became_too_many_stay_unlisted(monkeypatch):
    monkeypatch.setattr(neighbours, "MOST_PAIRS", 2)
    own = neighbours._Windows(counting())
    assert len(own.up_to(0)) == 1 and len(own.up_to(1)) == 3
    assert own.up_to(2) is None and own.up_to(1) is None


@pytest.mark.parametrize(("letters", "count", "listed"), [(1, 256, True), (1, 257, False),
                                                            (4, 40, True), (4, 41, False)])  # fmt: skip
def test_at_most_1024_shifts_are_listed(letters, count, listed, monkeypatch):
    """Letters and the empty one on both sides: 4 · 256 = 1024, and 25 · 41 = 1025."""
    own = neighbours._Windows(WFA.of([1], {s: [[1]] for s in "abcd"[:letters]}, [1]))
    monkeypatch.setattr(own, "up_to", lambda w: own.letters[:1] * count)
    found = own.shifts(3)
    assert found == 0 if listed else found is None
