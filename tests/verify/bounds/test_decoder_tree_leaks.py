"""What the heads of the tree decoder read wrongly, at small C and in coarse formats: every term is seen.

The sums over tokens and the losses of a read are computed a second time, in floats, with made-up sizes.
"""

from dataclasses import fields, replace
from fractions import Fraction
from math import exp, isclose, sqrt

import flint
import pytest
from made_up_trees import LEAVES, LENGTH, Numbers, in_floats, made_up, made_up_reach

from constructions.automata.wta import WTA
from verify.bounds import decoder_tree_rounding as rounding
from verify.bounds.budget import TooSoft
from verify.bounds.decoder_tree_classes import ZERO, ClassErrors, NodeErrors, Reads
from verify.bounds.decoder_tree_losses import FormatSizes, RoundedStep
from verify.bounds.decoder_tree_nodes import NodeRecursion, far_leak
from verify.bounds.decoder_tree_rounding import Leftovers, RoundedNodes
from verify.bounds.decoder_tree_step import NodeStep, TreeSizes
from verify.bounds.floating import ONCE, Precision

HALF, C = Fraction(1, 2), 0.5
FORM = Precision("coarse", 13, -37, 127, twice=False)
UNIT, ROOT = 2.0**-13, sqrt(2)
SEEDS = range(4)


def gamma(count, unit=UNIT):
    return count * unit / (1 - count * unit)


def sides(constant, first, apart):
    """A geometric series that bounds a sum over tokens: its first term, and how far the next one is."""
    return exp(-first * constant) / (1 - exp(-apart * constant))


def exact_nodes(seed=0, length=LENGTH):
    return NodeRecursion(made_up_reach(Numbers(seed)), length, 5)


def rounded_nodes(seed=0, length=LENGTH, form=FORM, leaves=LEAVES):
    return RoundedNodes(made_up_reach(Numbers(seed), leaves), length, 5, form)


def agree(found, wanted):
    """All numbers of two records, or of all classes."""
    assert type(found) is type(wanted)
    if isinstance(found, NodeErrors):
        agree(found.idle, wanted.idle)
        assert isclose(found.left, wanted.left, rel_tol=1e-12)
        for one, other in ((found.active, wanted.active), (found.known, wanted.known)):
            assert one.keys() == other.keys()
            for leaves in one:
                agree(one[leaves], other[leaves])
        return
    names = found._fields if isinstance(found, tuple) else [part.name for part in fields(found)]
    for name in names:
        one, other = float(getattr(found, name)), float(getattr(wanted, name))
        assert isclose(one, other, rel_tol=1e-12), (name, one, other)


# softmax


def match_leak(constant, length):
    """Σ_{m≥1} e^{-Cm} + Σ_{m≥2} e^{-Cm} + T e^{-C(T+2)}, term by term."""
    terms = [exp(-constant * m) for m in range(1, 200)]
    return sum(terms) + sum(terms[1:]) + length * exp(-constant * (length + 2))


def test_the_match_head_gives_away_what_its_gaps_say():
    for length in (1, 2, LENGTH):
        assert isclose(exact_nodes(length=length).match_leak(HALF), match_leak(C, length))


@pytest.mark.parametrize(("length", "constant", "far"), [(1, 1, exp(-1)), (2, 1, 0),
                                                         (30, "1/64", 30 * exp(-63 / 64))])  # fmt: skip
def test_who_looks_at_the_beginning_gives_others_the_larger_of_two_sums(length, constant, far):
    """Σ_j e^{-C(j²+3j)}, or T e^{-C(2T+3)}, for one token e^{-C}: each is the larger one somewhere."""
    found = exact_nodes(length=length).match_leak_to_others(Fraction(constant))
    assert isclose(found, max(far, sides(float(Fraction(constant)), 4, 6)))


def test_leaks_are_the_series_of_their_gaps():
    assert isclose(far_leak(flint.arb("0.5")), 2 * sides(C, 4, 5))
    assert isclose(exact_nodes().none_leak(HALF), sides(C, 4, 6))


def soft_reads(nodes, now, growth=1.0):
    """What softmax adds to each read, at C = 1/2: λ(spread + 2 max error)."""
    every = [in_floats(own) for own in now.all]
    mark, pointer, state, activity = (max(getattr(own, part) for own in every)
                                      for part in ("mark", "pointer", "state", "activity"))  # fmt: skip
    moved = max(float(now.left) + (LENGTH + 1) * activity, pointer)
    constant = C * (1 - 2 * moved)
    lost, beyond = 2 * sides(constant, 1, 3) * growth, 2 * sides(constant, 4, 5) * growth
    none, size = sides(C, 4, 6) * growth, max(float(nodes.reach.sizes[m]) for m in now.known)
    marks, states = lost * (1 + 2 * mark), lost * (size + 2 * state)
    near = Reads(near_clear=lost / 2 * (1 + 4 * mark), near_empty=lost / 2 * (size + 4 * state))
    return replace(
        near,
        mark=marks, clear=marks, next_mark=marks, next_clear=marks,
        state=states + lost * size, next_state=states + lost * size, empty=states, next_empty=states,
        no_mark=none * (1 + mark), no_state=none * (size + state),
        next_pointer=lost * (LENGTH + 1 + 2 * pointer), leak=lost, own_empty=states / 2,
        far_clear=near.near_clear + beyond / 2 * (1 + 2 * mark),
        far_empty=near.near_empty + beyond / 2 * (size + 2 * state),
    )  # fmt: skip


def with_far_pointer(now):
    """The same errors, but that a pointer is off by more than all else moves scores."""
    return replace(
        now, active={**now.active, 2: now.active[2]._replace(pointer=flint.arb("0.375"))}
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_each_read_is_off_by_the_leak_times_what_values_differ_by(seed):
    nodes, now = exact_nodes(seed), made_up(seed, 2.0**-6).now
    for errors in (now, with_far_pointer(now)):
        agree(nodes.reads(errors, HALF), soft_reads(nodes, errors))
        agree(nodes.reads(errors, HALF, flint.arb(3)), soft_reads(nodes, errors, 3.0))


def test_a_pointer_off_by_half_a_token_is_too_soft_whatever_moved_it():
    nodes, none = exact_nodes(), ClassErrors()
    for own, left in ((none._replace(pointer=flint.arb("0.5")), ZERO), (none, flint.arb("0.5")),
                      (none._replace(activity=flint.arb("0.025")), flint.arb("0.25001"))):  # fmt: skip
        with pytest.raises(TooSoft, match="half a token"):
            nodes.constant(NodeErrors(None, {}, {0: none, 1: own}, left), HALF)
    near = NodeErrors(None, {}, {0: none, 1: none._replace(pointer=flint.arb("0.375"))}, ZERO)
    assert nodes.constant(near, HALF) == 0.125


def test_the_third_layer_reads_with_the_leaks_of_its_two_heads():
    nodes = exact_nodes()
    near, match = 2 * sides(C, 1, 3), match_leak(C, LENGTH)
    none, leaf = max(sides(C, 4, 6), LENGTH * exp(-C * 21)), float(nodes.reach.sizes[1])
    marks = {"mark": near + match, "clear": near + match, "no_mark": none, "near_clear": near / 2,
             "far_clear": near / 2 + match}  # fmt: skip
    states = {"state": 2 * marks["mark"], "empty": marks["mark"], "no_state": none,
              "near_empty": near / 2, "far_empty": marks["far_clear"]}  # fmt: skip
    reads = Reads(**{name: flint.arb(x) for name, x in marks.items()},
                  **{name: flint.arb(x * leaf) for name, x in states.items()})  # fmt: skip
    before = NodeErrors.before_steps(LEAVES, flint.arb(match * (LENGTH + 1)), ZERO)
    agree(nodes.first(HALF), NodeStep(TreeSizes(nodes.reach, LENGTH), before, reads).after(1))


def test_every_layer_after_the_third_is_a_step_of_its_number():
    nodes, saturation = exact_nodes(), Fraction(20)
    layers = list(nodes.errors_by_layer(saturation))
    assert len(layers) == 3
    now = nodes.first(saturation)
    for number, found in enumerate(layers, 1):
        agree(found, now)
        now = NodeStep(nodes.sizes, now, nodes.reads(now, saturation)).after(number + 1)
    assert isclose(nodes.bound(saturation), max(layers[-1].states.values()))


def test_states_of_any_size_have_no_bound():
    reach = replace(made_up_reach(Numbers(0)), tensor_norm=flint.arb("inf"))
    with pytest.raises(TooSoft, match="no finite bound on a state"):
        NodeRecursion(reach, LENGTH, 3).bound(Fraction(20))


# rounding


class WantedRounding:
    """The same in a format, at C = 1/2: W = T + 1, D the largest depth, ε what a depth is off by."""

    def __init__(self, nodes, unit=UNIT):
        self.nodes, self.unit, self.length = nodes, unit, nodes.length
        self.wide, self.deep = nodes.length + 1, max(1, nodes.reach.leaves - 1)
        self.tiny = float(FormatSizes(nodes.reach, nodes.length, nodes.form).tiny)
        self.many, self.erased = self.gamma(2 * self.wide + 12), self.gamma(16)
        self.off = self.wide * self.many + self.gamma(30) * (self.deep + 3) + self.tiny
        self.leaf = float(nodes.reach.sizes[1])

    def gamma(self, count):
        return gamma(count, self.unit)

    def score_growth(self, activity=0.0):
        """Two scores of size 5CW², with a query of four terms, and 14 roundings."""
        return exp(2 * 2 * 5 * C * self.wide**2 * (1 + activity) * self.gamma(14))

    def match_rounding(self, query):
        score = self.gamma(14) * (2 * (query + 1) * self.deep + self.deep**2 + 2)
        return self.wide * (score + self.gamma(25) * (self.deep + self.off) ** 2)

    def match_growth(self):
        moved = 4 * self.off * self.wide + 4 * self.off**2 * self.wide
        return exp(C * (2 * self.match_rounding(self.deep + 1) + moved))

    def match_light(self):
        far = self.length * exp(-C * (self.length + 2))
        return (2 * sum(exp(-C * m) for m in range(3, 200)) + far) * self.match_growth()

    def to_others(self):
        query = self.wide + self.deep + 2
        moved = 8 * (self.off + self.off**2) * self.wide * query
        gap = 2 * self.length + 3 if self.length > 1 else 1
        far = self.length * exp(C * (2 * self.match_rounding(query) + moved - gap))
        near = max(sides(C, 4, 6), self.length * exp(-C * gap))
        return max(near * self.score_growth(), far)

    def read(self, target, top, lost, light):
        """γ of all; of three heavy tokens, and others of weight λ''; or of no heavy one."""
        heavy = 4 * self.many * lost + 4 * light * (1 + self.many)
        ways = [self.many * (target + lost * top), self.gamma(14) * target + heavy * (target + top),
                self.gamma(5) * target + 4 * lost * (1 + self.many) * top]  # fmt: skip
        return min(ways) + self.tiny

    def third_reads(self):
        near, match = 2 * sides(C, 1, 3) * self.score_growth(), match_leak(C, self.length)
        match *= self.match_growth()
        none, both, light = self.to_others(), near + match, self.match_light()
        left = match * self.wide + self.read(self.wide, self.wide, match, light)
        light += 2 * sides(C, 4, 5) * self.score_growth()
        stored = 2 * self.unit * self.leaf + self.tiny
        leaf = self.leaf + stored

        def twice(*sizes):
            return 2 * (1 + self.many) * self.read(*sizes)

        far, nothing = near / 2 + match, twice(0.0, 1.0, none, none)
        clear = twice(0.0, 1.0, both, light) + self.erased
        empty = twice(0.0, leaf, both, light)
        zero = dict.fromkeys((part.name for part in fields(Reads)), 0.0)
        reads = Reads(**zero | {
            "mark": both + twice(1.0, 1.0, both, light) + self.erased,
            "clear": both + clear,
            "state": 2 * both * leaf + twice(leaf, leaf, both, light),
            "empty": both * leaf + empty,
            "no_mark": none + nothing + self.erased,
            "no_state": none * leaf + nothing * max(leaf, 1.0),
            "near_clear": near / 2 + clear,
            "near_empty": near / 2 * leaf + empty,
            "far_clear": far + clear,
            "far_empty": far * leaf + empty,
        })  # fmt: skip
        return left, stored, reads

    def left_square(self, depth):
        deep = depth + self.off
        return self.erased * deep**2 * (1 + self.gamma(25)) + self.tiny


@pytest.mark.parametrize("leaves", [1, 2, LEAVES])
def test_parts_of_a_rounded_recursion_are_those_of_its_derivation(leaves):
    nodes = rounded_nodes(leaves, leaves=leaves)
    wanted, scale = WantedRounding(nodes), flint.arb("0.25")
    assert nodes.largest_depth == wanted.deep
    for found, other in [
        (nodes.many, wanted.many), (nodes.depth_error, wanted.off), (nodes.tiny, wanted.tiny),
        (nodes.score_growth(HALF, scale), wanted.score_growth(0.25)),
        (nodes.match_rounding(3), wanted.match_rounding(3)),
        (nodes.match_growth(HALF), wanted.match_growth()),
        (nodes.match_leak(HALF), match_leak(C, LENGTH) * wanted.match_growth()),
        (nodes.match_light(HALF), wanted.match_light()),
        (nodes.left_square(3), wanted.left_square(3)),
        (nodes.left_square(-2), wanted.left_square(0)),
    ]:  # fmt: skip
        assert isclose(found, other, rel_tol=1e-12)


@pytest.mark.parametrize(("length", "bits"), [(1, 13), (1, 24), (2, 13), (2, 22), (9, 13), (9, 22)])
def test_rounded_heads_give_others_than_the_beginning_the_larger_of_two_sums(length, bits):
    """In coarse formats what the depths move counts, in finer ones the growth of the scores."""
    form = replace(FORM, bits=bits, least=-24 - bits)
    nodes = rounded_nodes(1, length, form, leaves=(length + 2) // 3)
    wanted = WantedRounding(nodes, 2.0**-bits)
    assert isclose(nodes.match_leak_to_others(HALF), wanted.to_others(), rel_tol=1e-12)


@pytest.mark.parametrize("sizes", [(1, 1, 0.5, 0.5), (0.75, 1, 0.05, 2**-16), (1, 0.001, 0.01, 0.01),
                                   (0.75, 2, 0.03, 0.0001)])  # fmt: skip
def test_a_read_loses_the_least_of_three_sums(sizes):
    nodes = rounded_nodes()
    found = nodes.rounded_read(*map(flint.arb, sizes))
    assert isclose(found, WantedRounding(nodes).read(*sizes), rel_tol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_third_layer_reads_rounded_values_twice(seed):
    nodes = rounded_nodes(seed)
    left, stored, reads = WantedRounding(nodes).third_reads()
    before, found = nodes.third_reads(HALF)
    agree(found, reads)
    start = NodeErrors.before_steps(LEAVES, flint.arb(left), flint.arb(stored))
    agree(before, start)


def wanted_leftovers(nodes, now, reads):
    """γ_16 of what was read, by who reads on."""
    exact, wanted = NodeStep(nodes.sizes, now, reads), WantedRounding(nodes)
    r, every = in_floats(reads), [in_floats(own) for own in now.all]
    unknown = [in_floats(own) for own in now.unknown] or [ClassErrors(*[0.0] * 7)]
    size = max(float(nodes.reach.sizes[m]) for m in now.known) + max(own.state for own in every)
    child, clear = max(own.state for own in unknown), max(own.mark for own in unknown)
    rows = [ROOT * float(nodes.reach.rows[a]) for a in now.active]
    changed = exact.other + exact.next_one + exact.from_one + exact.any_map
    maps = max(1.0, *rows, 0.0) + ROOT * (max(own.map for own in every) + float(changed))
    own = float(now.idle.map if now.idle else 0)
    left = Leftovers(
        clear=clear + r.clear + r.near_clear + r.far_clear,
        empty=child + r.empty + r.near_empty + r.far_empty,
        mark=1 + max(own.mark for own in every) + r.mark + r.no_mark,
        state=size + r.state + r.no_state,
        next_clear=max(clear, float(now.known[0].mark)) + r.next_clear,
        next_empty=child + r.next_empty,
        next_state=size + r.next_state + r.next_empty,
        pointer=LENGTH + 1 + max(own.pointer for own in every) + r.next_pointer,
        one=1 + ROOT * (own + float(exact.from_one)),
        map=maps,
        settled_map=maps,
    )
    parts = {part.name: getattr(left, part.name) for part in fields(Leftovers)}
    return Leftovers(**{name: wanted.erased * x + wanted.tiny for name, x in parts.items()})


def without_idle(now):
    return replace(now, idle=None, active={})


@pytest.mark.parametrize("seed", SEEDS)
def test_erasing_leaves_a_share_of_what_was_read(seed):
    nodes, data = rounded_nodes(seed), made_up(seed)
    for now in (data.now, without_idle(data.now)):
        agree(nodes.left_by_reads(now, data.reads), wanted_leftovers(nodes, now, data.reads))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_third_layer_leaves_the_token_before_and_the_depth(seed):
    nodes, data = rounded_nodes(seed), made_up(seed)
    wanted = WantedRounding(nodes)
    state = wanted.erased * (wanted.leaf + float(data.reads.state)) + wanted.tiny
    third = {"next_clear": wanted.erased * (1 + float(data.reads.mark)) + wanted.tiny,
             "next_empty": state, "next_state": state,
             "pointer": wanted.erased * (7 + wanted.off) + wanted.tiny,
             "one": wanted.left_square(4), "map": wanted.left_square(5),
             "settled_map": wanted.left_square(7)}  # fmt: skip
    left = replace(wanted_leftovers(nodes, data.now, data.reads), **third)
    agree(nodes.left_by_third(data.now, data.reads), left)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_rounded_read_adds_roundings_and_leftovers_to_what_softmax_does(seed):
    nodes, of, both = rounded_nodes(seed), Numbers(seed), made_up(seed, 2.0**-6).now
    left = Leftovers(*(of() for _ in fields(Leftovers)))
    o, wanted = in_floats(left), WantedRounding(nodes)
    for now in (both, without_idle(both)):
        every = [in_floats(own) for own in now.all]
        mark, state, pointer, activity = (max(getattr(own, part) for own in every)
                                          for part in ("mark", "state", "pointer", "activity"))  # fmt: skip
        growth = wanted.score_growth(activity)
        soft = soft_reads(nodes, now, growth)
        moved = max(float(now.left) + (LENGTH + 1) * activity, pointer)
        light = 2 * sides(C * (1 - 2 * moved), 4, 5) * growth
        none, maps = sides(C, 4, 6) * growth, float(nodes.sizes.entries_at(now))
        size, top = max(float(nodes.reach.sizes[m]) for m in now.known) + state, 1 + mark
        child = max((float(own.state) for own in now.unknown), default=0.0)
        zero = max(float(own.mark) for own in (*now.unknown, now.known[0]))
        wide = LENGTH + 1 + pointer
        one = 1 + ROOT * float(now.idle.map if now.idle else 0)

        def read(target, most, lost=soft.leak, light=light):
            return wanted.read(target, most, lost, light)

        clear, empty, full = read(zero, top), read(child, size), read(size, size)
        agree(nodes.rounded_reads(now, HALF, left), Reads(
            mark=soft.mark + read(top, top) + o.clear,
            clear=soft.clear + clear + o.clear,
            state=soft.state + full + o.empty,
            empty=soft.empty + empty + o.empty,
            no_mark=soft.no_mark + read(0.0, top, none, none) + o.mark,
            no_state=soft.no_state + read(0.0, size, none, none) + o.state,
            next_mark=soft.next_mark + read(top, top) + o.next_clear,
            next_clear=soft.next_clear + clear + o.next_clear,
            next_pointer=soft.next_pointer + read(wide, wide) + o.pointer,
            next_state=soft.next_state + full + o.next_state,
            next_empty=soft.next_empty + empty + o.next_empty,
            leak=soft.leak,
            map=read(maps, maps) + o.map,
            one=read(one, maps) + o.one,
            settled_map=read(maps, maps) + o.settled_map,
            near_clear=soft.near_clear + clear + o.clear,
            near_empty=soft.near_empty + empty + o.empty,
            far_clear=soft.far_clear + clear + o.clear,
            far_empty=soft.far_empty + empty + o.empty,
            own_empty=soft.own_empty + empty + o.next_empty,
        ))  # fmt: skip


def test_every_rounded_layer_reads_what_the_one_before_has_left():
    nodes, saturation = rounded_nodes(form=ONCE["float64"]), Fraction(40)
    layers = list(nodes.errors_by_layer(saturation))
    assert len(layers) == 3
    before, reads = nodes.third_reads(saturation)
    left = nodes.left_by_third(before, reads)
    for number, found in enumerate(layers, 1):
        losses = RoundedStep(nodes.sizes, before, reads)
        agree(found, NodeStep(nodes.sizes, before, reads, losses).after(number))
        left = left if number == 1 else nodes.left_by_reads(before, reads)
        before, reads = found, nodes.rounded_reads(found, saturation, left)


def test_in_the_first_step_of_three_leaves_no_node_stays_inactive_and_one_begins():
    """Both children of who stays inactive have two leaves or more, and the other child of who begins."""
    softly = NodeRecursion(made_up_reach(Numbers(0), 3), LENGTH, 5).first(Fraction(40))
    form = ONCE["float64"]
    rounded = next(rounded_nodes(form=form, leaves=3).errors_by_layer(Fraction(40)))
    for now in (softly, rounded):
        assert now.idle is None and set(now.active) == {1} and set(now.known) == {0, 1, 2}


# what a format can hold


@pytest.mark.parametrize(("share", "fits"), [("0.9999", True), ("1", False)])
def test_scores_and_products_must_be_below_the_largest_number(share, fits):
    """64 C W³ and 8 K s² (1 + ‖T‖_F), K = 28, with s = 2 + states + √n contexts + D² + the error."""
    nodes = rounded_nodes(form=replace(FORM, most=40))
    scores = flint.arb(2) ** 40 / 64000 * flint.arb(share)
    assert nodes.fits(scores, flint.arb(0)) is fits
    weights = 1 + sqrt(
        sum(float(w) ** 2 for rows in nodes.reach.entrywise.tensor for row in rows for w in row)
    )
    known = 2 + float(max(nodes.reach.sizes)) + ROOT * float(max(nodes.reach.contexts)) + 49
    room = sqrt(2.0**40 / (8 * 28 * weights)) * (float(share) + (0 if fits else 1e-9)) - known
    assert nodes.fits(flint.arb(1), flint.arb(room)) is fits


@pytest.mark.parametrize(("length", "bits", "fits"), [(7, 6, False), (7, 7, True), (6, 6, True)])
def test_squares_of_places_must_have_no_more_bits_than_fit(length, bits, fits):
    """W² = 64 has seven bits, 49 has six."""
    nodes = rounded_nodes(length=length, form=replace(FORM, bits=bits))
    assert nodes.fits(flint.arb(1), flint.arb(0)) is fits


def test_a_depth_may_be_off_by_an_eighth_and_no_more(monkeypatch):
    for error, soft in (("0.125", False), ("0.1251", True)):
        nodes = rounded_nodes(form=ONCE["float64"])
        monkeypatch.setattr(RoundedNodes, "tiny", flint.arb(error) - flint.arb(2) ** -40)
        if soft:
            with pytest.raises(TooSoft, match="an eighth"):
                nodes.depth_error  # noqa: B018
        else:
            assert nodes.depth_error <= 0.125


def test_trees_of_more_than_sixty_four_leaves_have_no_bound(monkeypatch):
    def stop(_, leaves):
        raise LookupError(leaves)

    monkeypatch.setattr(rounding, "reachable_bounds", stop)
    coin = WTA.of([1], [[["1/2"]]], {"a": [1]})
    assert not rounding.state_error(coin, 193, Fraction(60), FORM).is_finite()
    with pytest.raises(LookupError, match="64"):
        rounding.state_error(coin, 190, Fraction(60), FORM)
