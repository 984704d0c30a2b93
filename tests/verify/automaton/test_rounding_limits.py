"""Where the bounds on rounding begin and end: numbers worked out by hand, a little on either side."""

from dataclasses import dataclass, replace
from fractions import Fraction
from types import SimpleNamespace

import flint
import pytest

from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.exact import ball
from verify.automaton import losses_logdepth, rounding, rounding_trees, soft, tree_hypotheses
from verify.automaton.losses_logdepth import LocalLosses
from verify.automaton.rounding_logdepth import Followed
from verify.automaton.rounding_logdepth import state_error as logdepth_error
from verify.bounds import scaled as scaled_bounds
from verify.bounds.floating import FORMATS, Precision
from verify.bounds.growth import products
from verify.bounds.reachable import reachable_bounds
from verify.bounds.states import state_bounds

LITTLE = Fraction(1, 10**6)
TINY = Fraction(1, 2**200)


@dataclass(frozen=True)
class Form(Precision):
    """A format by its unit roundoff, its smallest, its least normal and its largest number."""

    unit: Fraction = TINY
    eta: Fraction = TINY
    least_normal: Fraction = TINY
    top: Fraction = Fraction(2) ** 200

    @property
    def roundoff(self):
        return ball(self.unit)

    @property
    def smallest(self):
        return ball(self.eta)

    @property
    def normal(self):
        return ball(self.least_normal)

    @property
    def largest(self):
        return ball(self.top)


FINE = Form("fine", 400, -400, 400)


@pytest.fixture(autouse=True)
def many_bits():
    with flint.ctx.workprec(256):
        yield


def around(value, **named):
    """A fine format with one of its numbers a little below a value, and with one a little above."""
    (name,) = named
    return [replace(FINE, **{name: value * (1 + sign * LITTLE)}) for sign in (-1, 1)]


def scalar(alpha, weight, letters="a"):
    return WFA.of([alpha], {letter: [[weight]] for letter in letters}, [1])


@pytest.mark.parametrize("length", [4, 7])
def test_heads_look_right_while_two_scores_off_by_seven_roundings_stay_apart(length):
    """2 √2 γ_7 < g, with γ_7 = 7u / (1 - 7u), so that 7u < g / (2 √2 + g)."""
    span = {4: 4, 7: 8}[length]
    gap = 1 - flint.arb.cos_pi_fmpq(flint.fmpq(1, span))
    unit = gap / (2 * flint.arb(2).sqrt() + gap) / 7
    exact = Fraction(int((unit * 2**100).floor().unique_fmpz()), 2**100)
    below, above = around(exact, unit=None)
    assert rounding.attention_is_right(below, length)
    assert not rounding.attention_is_right(above, length)


# α, A and T, and the largest number on the way: 1 of the pads, ‖α‖, a weight, a product of two windows,
# and a state
LARGEST = {
    "pads": ("1/8", "1/8", 4, 1),
    "the first state": (5, "1/2", 4, 5),
    "a letter": ("1/8", 3, 1, 3),
    "a window": ("1/8", 2, 4, 16),
    "the last state": (3, 2, 4, 48),
}


@pytest.mark.parametrize("name", LARGEST)
def test_words_fit_while_the_largest_number_on_the_way_does(name):
    alpha, weight, length, largest = LARGEST[name]
    automaton = scalar(alpha, weight)
    found = products(automaton, length)
    below, above = around(Fraction(largest), top=None)
    assert not rounding.state_error(below, automaton, length, found).is_finite()
    assert rounding.state_error(above, automaton, length, found).is_finite()


def test_roundings_of_sums_make_the_largest_number_larger():
    """Two states: 8 of ‖α‖ ‖|A|‖, times 1 + γ_3, γ_3 = 3u / (1 - 3u) = 3/5 for u = 1/8."""
    automaton = WFA.of([8, 0], {"a": [[0, 0], [0, 0]]}, [1, 1])
    found = products(automaton, 1)
    forms = [replace(form, unit=Fraction(1, 8)) for form in around(Fraction(64, 5), top=None)]
    assert [rounding.state_error(form, automaton, 1, found).is_finite() for form in forms] == [
        *(False, True)
    ]


def test_an_error_beyond_the_largest_number_is_none():
    """α = 0, A = 1/8 and η = 1: state 0 misses by η (1 + 1), state 1 by η (1 + A + e(1)) = 17/8."""
    automaton = scalar(0, "1/8")
    found = products(automaton, 1)
    total = Fraction((4 + (17 / 8) ** 2) ** 0.5)
    forms = [replace(form, eta=Fraction(1)) for form in around(total, top=None)]
    assert [rounding.state_error(form, automaton, 1, found).is_finite() for form in forms] == [
        *(False, True)
    ]


def test_a_letter_and_the_first_state_lose_what_underflows():
    """n = 1, u = 0: e(1) = η; f(0) = η, f(1) = f(0) (A + e) + α e + η; state 1 α e + η (1 + A + e)."""
    eta, a, alpha = Fraction(1, 4), Fraction(3), Fraction(2)
    form, automaton = replace(FINE, unit=Fraction(0), eta=eta), scalar(2, 3)
    found = products(automaton, 1)
    errors, _ = rounding.product_errors(form, 1, 1, found)
    carried, _ = rounding.carried_errors(form, 1, errors, found, flint.arb(2))
    moved = eta * (a + eta) + alpha * eta + eta
    assert errors[1].overlaps(ball(eta))
    assert [float(x) for x in carried] == pytest.approx([float(eta), float(moved)], rel=1e-12)
    states = [max(eta, eta * (1 + 1)), max(moved, alpha * eta + eta * (1 + a + eta))]
    whole = sum(float(x) ** 2 for x in states) ** 0.5
    assert float(rounding.state_error(form, automaton, 1, found)) == pytest.approx(whole, rel=1e-12)


def test_in_scaled_coordinates_more_underflows_and_nothing_overflows(monkeypatch):
    """η becomes η ‖D⁻¹‖ there, and the error is ‖D⁻¹‖ times that in the coordinates."""
    asked = []

    def error(precision, automaton, *_):
        asked.append((precision.least, precision.most, automaton))
        return flint.arb(100 if len(asked) == 1 else 3)

    monkeypatch.setattr(rounding, "_state_error", error)
    own, other = scalar(1, 2), scalar(1, 3)
    place = scaled_bounds.Coordinates(other, 4)
    norms = scaled_bounds.ScaledNorms(place, None)
    assert rounding.state_error(FORMATS[1], own, 4, None, [norms]) == 48
    assert asked == [(-149, 127, own), (-145, 1 << 30, other)]


def test_nothing_vanishes_while_few_roundings_are_made():
    """n = 1 and T = 3, M = 4: 3 · 5 roundings, and γ_15 < 1/2 means 15u < 1/3."""
    below, above = around(Fraction(1, 45), unit=None)
    assert rounding.nothing_vanishes(below, scalar(1, 1), 3)
    assert not rounding.nothing_vanishes(above, scalar(1, 1), 3)


# α and A, and the least number on the way at M = 4, which stays above twice the least normal one
SMALLEST = {
    "weights below 1": (["1/2", 0], [["3/4", 0], [2, 1]], Fraction(81, 512)),
    "large weights": ([3, 0], [[2, 0], [5, 0]], Fraction(1)),
    "a large first state": ([3, 5], [["1/2", 1], [0, 0]], Fraction(1, 16)),
    "no weight": ([0, 0], [[0, 0], [0, 0]], Fraction(1)),
}


@pytest.mark.parametrize("name", SMALLEST)
def test_nothing_vanishes_while_the_least_number_is_twice_the_least_normal_one(name):
    alpha, rows, least = SMALLEST[name]
    automaton = WFA.of(alpha, {"a": rows}, [1, 1])
    below, above = around(least / 2, least_normal=None)
    assert rounding.nothing_vanishes(below, automaton, 4)
    assert not rounding.nothing_vanishes(above, automaton, 4)


@pytest.mark.parametrize(("alpha", "weight"), [(-1, 1), (1, -1), ("-1/100", 1)])
def test_something_may_vanish_where_a_weight_is_negative(alpha, weight):
    assert not rounding.nothing_vanishes(FINE, scalar(alpha, weight), 4)


def test_bits_are_looked_for_up_to_twice_as_many_as_are_asked():
    automaton = scalar(1, 1)
    found = products(automaton, 4)
    eps = flint.arb("1e-6")
    asked = []

    def number(enough, most, what):
        asked.append((most, what))
        return next(bits for bits in range(1, most) if enough(bits))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rounding, "least_number", number)
        bits = rounding.bits_for(automaton, 4, found, eps, 100)
    assert asked == [(200, "bits")]
    forms = [rounding.wide_precision(count) for count in (bits - 1, bits)]
    errors = [rounding.state_error(form, automaton, 4, found) for form in forms]
    assert errors[1] <= eps < errors[0]


# T = 2 and a leaf of 3, so that two leaves have 2 · 3 · 3 = 18, and a map is 2 · 3 = 6
TREE = WTA.of([1], [[[2]]], {"a": [3]})


def local_losses(form, leaves=2):
    found = reachable_bounds(TREE, leaves)
    losses = LocalLosses(form, found)
    Followed(losses, found.contexts).run(losses)
    return losses


def test_trees_of_logarithmic_depth_fit_while_twice_their_reach_does():
    """2 (18² + 2) (1 + 2) = 1956."""
    below, above = around(Fraction(1956), top=None)
    assert not local_losses(below).fits() and local_losses(above).fits()


def test_a_map_may_be_the_largest_number_of_a_tree():
    """T = 2 and a leaf of 1/8: states 1/8 and 1/32; the empty context is 1: 2 (1 + 2) (1 + 2) = 18."""
    found = reachable_bounds(WTA.of([1], [[[2]]], {"a": ["1/8"]}), 2)
    fits = []
    for form in around(Fraction(18), top=None):
        losses = LocalLosses(form, found)
        Followed(losses, found.contexts).run(losses)
        fits.append(losses.fits())
    assert fits == [False, True]


def test_each_operation_of_a_tree_loses_what_underflows():
    """u = 0 and n = 1: a leaf η; T(x, y) η (2 + 1 + x y) and T e e; C x η and d e; ρ η (1 + x)."""
    eta = Fraction(1, 1024)
    losses = local_losses(replace(FINE, unit=Fraction(0), eta=eta), 3)
    leaf = eta
    state = 3 + leaf
    split = eta * (2 + 1 + state * state) + 2 * leaf * leaf
    base = eta * (1 + state)
    d = 2 * leaf + base
    e = 2 * (6 * leaf) + split
    found = [losses.stored, losses.split(1, 1), losses.base(1), losses.maps[1], losses.errors[2]]
    assert [float(x) for x in found] == pytest.approx(
        [*map(float, (leaf, split, base, d, e))], rel=1e-9
    )
    jump, product = eta + d * e, eta + d * d
    found = [losses.jump(1, 2), losses.product(1, 1)]
    assert [float(x) for x in found] == pytest.approx([float(jump), float(product)], rel=1e-9)


# All weights are 1, and leaves are unit vectors: norms of states are 1, and bounds on entries are (1, 1)
UNIT = WTA.of([1, 1], [[[1, 1], [1, 1]]] * 2, {"a": [1, 0], "b": [0, 1]})


def unit_losses(form=FINE):
    found = reachable_bounds(UNIT, 2)
    losses = LocalLosses(form, found)
    Followed(losses, found.contexts).run(losses)
    return losses


def test_norms_bound_what_sums_of_entries_overestimate(monkeypatch):
    """Two leaves in all: γ_6 √8 s s' of T(x, y), and γ_2 F s of C x, F = √2 · √2."""
    monkeypatch.setattr(losses_logdepth, "MOST_TERMS", 0)
    u = Fraction(1, 2**20)
    losses = unit_losses(replace(FINE, unit=u))
    e, d = losses.errors[1], losses.maps[1]
    assert float(e) == pytest.approx(float(u) * 2**0.5, rel=1e-12)
    size, gamma = 1 + float(e), [float(k * u / (1 - k * u)) for k in range(7)]
    split = gamma[6] * 8**0.5 * size**2 + 8**0.5 * float(e) ** 2
    jump = gamma[2] * 2**0.5 * (2**0.5 + float(d)) * size + float(d * e)
    found = [float(losses.split(1, 1)), float(losses.jump(1, 1))]
    assert found == pytest.approx([split, jump], rel=1e-12)


def test_all_weights_of_a_state_count_in_the_reach_of_a_tree():
    """No entry exceeds 1: 2 (1 + 2) (1 + 4 · 1) = 30."""
    below, above = around(Fraction(30), top=None)
    assert not unit_losses(below).fits() and unit_losses(above).fits()


@pytest.mark.parametrize(
    ("terms", "pairs", "siblings"), [(32, 4, 4), (31, 0, 4), (16, 0, 4), (15, 0, 2)]
)
def test_states_are_listed_while_they_have_few_terms(terms, pairs, siblings, monkeypatch):
    """Two leaves, and two: 2 · 2 · 2³ terms of pairs; 2 · 2³ of T(x, ·), or T(·, x), else one of each."""
    losses = unit_losses()
    monkeypatch.setattr(losses_logdepth, "MOST_TERMS", terms)
    assert len(losses._listed_pairs(1, 1)) == pairs
    assert len([*losses._sibling_terms(1)]) == siblings
    assert losses._listed_pairs(1, 9) == losses._listed_pairs(9, 1) == []


@pytest.mark.parametrize(("bits", "length"), [(5, 6), (6, 14)])
def test_pointers_are_exact_while_four_times_the_places_are_below_the_significand(bits, length):
    """4 (T + 1) < 2^bits."""
    form = replace(FINE, bits=bits)
    found = reachable_bounds(TREE, 2)
    assert logdepth_error(form, found, length).is_finite()
    assert not logdepth_error(form, found, length + 1).is_finite()


def test_a_tree_is_followed_up_to_forty_leaves():
    form = replace(FINE, top=Fraction(2) ** 4000)
    small = WTA.of([1], [[["1/2"]]], {"a": ["1/2"]})
    assert logdepth_error(form, reachable_bounds(small, 9), 40).is_finite()
    assert not logdepth_error(form, reachable_bounds(small, 41), 40).is_finite()


def test_the_states_of_theorem_three_fit_while_their_products_do():
    """(18 + E)² (1 + 2) for the largest state; T alone, where states are small."""
    below, above = around(Fraction(972), top=None)
    found = state_bounds(TREE, 2)
    assert not tree_hypotheses.rounding(below, found).is_finite()
    assert tree_hypotheses.rounding(above, found).is_finite()
    small = state_bounds(WTA.of([1], [[[2]]], {"a": ["1/1000"]}), 2)
    below, above = around(Fraction(2), top=None)
    assert not tree_hypotheses.rounding(below, small).is_finite()
    assert tree_hypotheses.rounding(above, small).is_finite()


def test_the_states_of_theorem_three_are_bounded_while_four_gammas_are_below_one():
    """γ_6 < 1/4 means 6u < 1/5."""
    below, above = around(Fraction(1, 30), unit=None)
    found = state_bounds(TREE, 2)
    assert tree_hypotheses.rounding(below, found).is_finite()
    assert not tree_hypotheses.rounding(above, found).is_finite()


def test_a_state_of_theorem_three_is_off_by_its_formula():
    """E_1 = u B + η; E_2 = (2 T E B + T E² + γ S + η U) / (1 - 2γ), S = T (B + E)² + 2 B_2, γ = γ_6."""
    u, eta = Fraction(1, 1024), Fraction(1, 512)
    found = tree_hypotheses.rounding(replace(FINE, unit=u, eta=eta), state_bounds(TREE, 2))
    one, gamma = u * 3 + eta, 6 * u / (1 - 6 * u)
    size = 2 * (3 + one) ** 2 + 2 * 18
    lost = eta * (2 + 1 + (3 + one) ** 2)
    two = (2 * 2 * one * 3 + 2 * one**2 + gamma * size + lost) / (1 - 2 * gamma)
    assert float(found) == pytest.approx(float(two), rel=1e-12)


def test_a_form_and_a_mean_are_off_by_their_formulas():
    """Σ |w| e + γ_{t+2} Σ |w| (V + e) + η Σ (1 + V + e); a mean of R: e + γ_{R+3} (V + e) + R η."""
    u, eta = Fraction(1, 4096), Fraction(1, 64)
    form = replace(FINE, unit=u, eta=eta)
    subject = soft.subjects(TREE, 4)["tree"]
    layer, sizes = rounding_trees.stages(subject)[0]
    rounded = rounding_trees.Rounded(layer, sizes, subject, form, set(range(len(sizes))))
    own = rounding_trees.AbsoluteForm({0: Fraction(-3), 1: Fraction(1, 2)})
    values, errors = [flint.arb(5), flint.arb(7)], [ball(Fraction(1, 8)), ball(Fraction(1, 4))]
    moved = Fraction(3, 8) + Fraction(1, 8)
    size = 15 + Fraction(7, 2) + moved
    lost = eta * (2 + 5 + Fraction(1, 8) + 7 + Fraction(1, 4))
    wanted = moved + 4 * u / (1 - 4 * u) * size + lost
    assert float(rounded.form(own, values, errors)) == pytest.approx(float(wanted), rel=1e-12)
    copied = rounding_trees.AbsoluteForm({1: Fraction(-1)})
    assert rounded.form(copied, values, errors) == errors[1]
    doubled = rounding_trees.AbsoluteForm({1: Fraction(2)})
    wanted = (
        Fraction(1, 2)
        + 3 * u / (1 - 3 * u) * (14 + Fraction(1, 2))
        + eta * (1 + 7 + Fraction(1, 4))
    )
    assert float(rounded.form(doubled, values, errors)) == pytest.approx(float(wanted), rel=1e-12)
    number, tiny = rounded._lost(0, flint.arb(3), flint.arb(5)), eta
    share = (2 * rounded.writers[0] + 4) * u
    wanted = 3 * (share / (1 - share) * 5 + tiny) + tiny * 6
    assert float(number) == pytest.approx(float(wanted), rel=1e-12)


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_coordinate_fits_while_twice_its_size_with_its_error_does(sign):
    subject = soft.subjects(TREE, 4)["tree"]
    layer, sizes = rounding_trees.stages(subject)[0]
    form = replace(FINE, top=Fraction(10) * (1 + sign * LITTLE))
    rounded = rounding_trees.Rounded(layer, sizes, subject, form, set())
    assert rounded._within(flint.arb(1), flint.arb(4)).is_finite() == (sign > 0)


def test_the_heads_of_a_tree_look_right_while_twice_the_error_of_a_score_is_below_the_gap():
    subject = soft.subjects(TREE, 4)["tree"]
    twice = 2 * rounding_trees.score_error(FORMATS[1], subject)
    exact = Fraction(int((twice * 2**120).floor().unique_fmpz()), 2**120)
    below, above = (replace(subject, gap=exact * (1 + sign * LITTLE)) for sign in (-1, 1))
    assert rounding_trees.attention_is_right(FORMATS[1], above)
    assert not rounding_trees.attention_is_right(FORMATS[1], below)


def test_a_score_is_off_by_its_formula_and_fits_while_its_terms_do():
    """Pairs of a query and a key: Σ (q e' + e k + e e') + γ_3 Σ (q + e) (k + e') + 2 η."""
    u, eta = Fraction(1, 4096), Fraction(1, 64)
    subject = soft.subjects(TREE, 4)["tree"]
    layer, sizes = rounding_trees.stages(subject)[0]
    head = SimpleNamespace(query=[2, 3], key=[5, 7], query_sizes=[2, 3], key_sizes=[5, 7])
    total = (2 + 3) * (5 + 6) + (3 + 4) * (7 + 8)
    moved = 2 * 6 + 3 * 5 + 3 * 6 + 3 * 8 + 4 * 7 + 4 * 8
    for top, fits in ((Fraction(total), False), (total + LITTLE, True)):
        form = replace(FINE, unit=u, eta=eta, top=top)
        rounded = rounding_trees.Rounded(layer, sizes, subject, form, set())
        rounded.form = lambda own, *_: flint.arb(own + 1)
        found = rounded._score(head, [])
        wanted = moved + 3 * u / (1 - 3 * u) * total + 2 * eta
        assert found.is_finite() == fits
        assert not fits or float(found) == pytest.approx(float(wanted), rel=1e-12)


def test_a_mean_loses_more_than_a_read():
    """e + γ_{R+3} (V + e) + R η of R tokens."""
    u, eta = Fraction(1, 4096), Fraction(1, 64)
    subject = soft.subjects(TREE, 4)["tree"]
    layer, sizes = rounding_trees.stages(subject)[0]
    form = replace(FINE, unit=u, eta=eta)
    rounded = rounding_trees.Rounded(layer, sizes, subject, form, set())
    rounded.form = lambda own, *_: flint.arb(own)
    read = SimpleNamespace(value=[2, 5], sizes=[7, 11], mean=False)
    assert rounded._read(read, []) == [2, 5]
    read.mean, count = True, subject.tokens
    share = (count + 3) * u / (1 - (count + 3) * u)
    wanted = [float(e + share * (v + e) + count * eta) for e, v in ((2, 7), (5, 11))]
    assert [float(x) for x in rounded._read(read, [])] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize(("weight", "reach"), [(Fraction(1, 2), 7), (Fraction(-4), 32)])
def test_a_product_is_computed_before_its_weight_where_an_output_must_fit(weight, reach):
    """x y is 3 and misses by 1: 2 (max(1, |w|) 3 + |w| 1) must stay below the largest number."""
    subject = soft.subjects(TREE, 4)["tree"]
    layer, sizes = rounding_trees.stages(subject)[0]
    (place, *_) = (i for i in range(len(sizes)) if i not in subject.transformer.positions)
    output = rounding_trees.AbsoluteForm({place: weight})
    found = []
    for form in around(Fraction(reach), top=None):
        rounded = rounding_trees.Rounded(layer, sizes, subject, form, set())
        rounded.heads, rounded.products = [], [SimpleNamespace(exact=True, output=output)]
        rounded._product = lambda *_: (flint.arb(1), flint.arb(3))
        found.append(rounded.after([])[place])
    assert not found[0].is_finite() and float(found[1]) == pytest.approx(float(abs(weight)))
