"""One step of the tree decoder with errors that are not small: every term of every bound is seen.

The bounds are computed a second time, in floats: those of a move from the polynomials of the step, with a
size and an error for each factor, and those that have other derivations as these say.
"""

from dataclasses import dataclass, fields, replace
from math import isclose, sqrt

import flint
import pytest
from made_up_trees import EXACT_PARTS, LENGTH, MadeUpLosses, in_floats, made_up

from verify.bounds.budget import TooSoft
from verify.bounds.decoder_tree_classes import EXACT, ZERO, ClassErrors, Moves, NodeErrors, Reads
from verify.bounds.decoder_tree_losses import FormatSizes, RoundedStep
from verify.bounds.decoder_tree_step import NodeStep, TreeSizes
from verify.bounds.floating import ONCE

SEEDS = range(6)
FORM = replace(
    ONCE["float32"], bits=13, least=-33
)  # u = 2^-13, and 2^-21 is the least normal number
UNIT = 2.0**-13


def gamma(count):
    return count * UNIT / (1 - count * UNIT)


@dataclass(frozen=True)
class Off:
    """A factor: the size that it has exactly, and what it is off by."""

    size: float
    error: float

    def __add__(self, other):
        return Off(self.size + other.size, self.error + other.error)

    def __mul__(self, other):
        crossed = self.size * other.error + other.size * self.error
        return Off(self.size * other.size, crossed + self.error * other.error)


class Wanted:
    """The moves in floats."""

    def __init__(self, data, losses):
        self.reach, self.losses = data.reach, losses
        self.r = r = in_floats(data.reads)
        self.idle = idle = in_floats(data.now.idle)
        self.active = {a: in_floats(own) for a, own in data.now.active.items()}
        self.known = {m: in_floats(own) for m, own in data.now.known.items()}
        self.left, self.tau = float(data.now.left), float(data.reach.tensor_norm)
        unknown = [idle, *self.active.values()]
        self.mark, self.state, self.total = (max(getattr(own, part) for own in unknown)
                                             for part in ("mark", "state", "total"))  # fmt: skip
        every = self.every = [*unknown, *self.known.values()]
        self.norm = max(map(float, data.reach.contexts))
        # A read of a target is off by λ times the distance of two values and twice the largest error.
        top, off = max(1, *map(self.context, self.active)), 2 * max(own.map for own in every)
        self.from_zero = r.leak * (top + off) + r.map
        self.from_context = r.leak * (2 * top + off) + r.map
        self.from_own_one = r.leak * ((1 + top) / 2 + off) + r.one
        self.from_one = r.leak * (1 + top + off) + r.map
        self.from_any = max(own.map for own in every) + r.leak * (2 * top + off) + r.settled_map
        self.stray_mark = 2 * r.no_mark + r.no_mark**2
        self.stray = 2 * self.tau * r.no_state * (1 + r.no_mark) + self.stray_mark
        self.stray_state = self.tau * r.no_state**2
        self.width = Off(LENGTH + 1, self.left)

    def context(self, a):
        return float(self.reach.contexts[a])

    def sibling(self, m):
        return float(self.reach.siblings[m])

    def size(self, m):
        return float(self.reach.sizes[m])

    def loss(self, name, *leaves):
        found = getattr(self.losses, name)
        return float(found(*leaves) if leaves else found)

    def itself(self):
        """f, M M_c and b + M b_c of an inactive node."""
        own, r = self.idle, self.r
        mark = Off(0, own.mark) + Off(0, own.mark + own.activity) * Off(0, own.mark + r.next_clear)
        maps = Off(1, own.map) * Off(1, own.map + self.from_own_one)
        state = Off(0, own.state) + Off(1, own.map) * Off(0, own.state + r.own_empty)
        return mark, maps, state

    def idles(self):
        r, (mark, maps, state) = self.r, self.itself()
        near, far = Off(0, self.mark + r.near_clear), Off(0, self.mark + r.far_clear)
        x, y = self.state + r.near_empty, self.state + r.far_empty
        both = near + far + near * far
        maps += Off(1, far.error) * Off(0, self.tau * x) + Off(1, near.error) * Off(0, self.tau * y)
        state = state.error + self.tau * x * y + self.loss("empty")
        return ClassErrors(
            mark=(mark + near * far).error + self.loss("unknown"),
            activity=self.idle.activity + both.error + self.loss("inactive"),
            pointer=self.pointer(self.idle) + (near * self.width).error + far.error,
            map=(maps + both).error + self.loss("identity"),
            sources=0.0,
            state=state,
            total=state,
        )

    def pointer(self, target):
        return target.pointer + self.r.next_pointer + self.loss("pointer")

    def turned(self, *marks):
        """One child is known, and `left - i` of the width counts or not; the worse mark for both."""
        worst = max(marks)
        return self.pointer(self.idle) + (Off(1, worst) * self.width).error + worst

    def begins(self, a):
        r, child, (mark, maps, state) = self.r, self.known[a], self.itself()
        one, clear = Off(1, child.mark + r.mark), Off(0, self.mark + r.clear)
        there, empty = (
            Off(self.sibling(a), self.tau * (child.state + r.state)),
            self.state + r.empty,
        )
        without = Off(0, one.error)  # 1 - F
        maps += without * Off(0, self.tau * empty) + Off(1, clear.error) * there
        maps += Off(0, one.error) + clear * without
        total = state.error + self.loss("empty") + self.total + r.empty + there.error * empty
        direct = state.error + (there * Off(0, empty)).error + self.loss("empty")
        return ClassErrors(
            mark=(mark + clear * one).error + self.loss("unknown"),
            activity=self.idle.activity
            + one.error
            + (clear * without).error
            + self.loss("engaged"),
            pointer=self.turned(one.error, clear.error),
            map=maps.error + self.loss("begun", a),
            sources=0.0,
            state=min(direct, self.norm * total),
            total=total,
        )

    def splits(self, i, j):
        r, (mark, maps, state) = self.r, self.itself()
        one, two = (Off(0, self.known[m].mark + r.mark) for m in (i, j))
        left, right = (
            Off(self.sibling(m), self.tau * (self.known[m].state + r.state)) for m in (i, j)
        )
        moved = (maps + one * right + two * left + one * two).error + self.loss("vanished")
        # T(y, x) is off by T(δy, x) + T(y, δx) + T(δy, δx)
        crossed = left.error / self.tau * right.error
        state = (
            state.error + left.size * right.error / self.tau + right.size * left.error / self.tau
        )
        state += crossed + self.loss("split", i, j)
        return ClassErrors(
            mark=(mark + one + two + one * two).error + self.loss("known"),
            activity=self.idle.activity + (one * two).error + self.loss("engaged"),
            pointer=self.turned(one.error, two.error),
            map=moved,
            sources=moved,
            state=state,
            total=state + max(map(self.size, range(i + j + 1))) * moved,
        )

    def follows(self, a, target, moved):
        own, r = self.active[a], self.r
        read, context = target.state + r.next_empty, Off(self.context(a), own.map)
        lost = self.stray_state + self.loss("empty")
        total = own.total + target.total + r.next_empty + own.map * read + lost
        direct = own.state + (context * Off(0, read)).error + lost
        mark = Off(1, own.mark + own.activity) * Off(0, target.mark + r.next_clear)
        return ClassErrors(
            mark=own.mark + mark.error + r.no_mark**2 + self.loss("unknown"),
            activity=own.activity + self.stray_mark + self.loss("kept_engaged"),
            pointer=self.followed(target),
            map=moved + self.stray,
            sources=0.0,
            state=min(direct, self.norm * total),
            total=total,
        )

    def followed(self, target):
        return self.pointer(target) + self.r.no_mark * (LENGTH + 1 + self.left) + self.r.no_mark

    def keeps(self, a):
        context = Off(self.context(a), self.active[a].map)
        moved = (context * Off(1, self.idle.map + self.from_one)).error
        return self.follows(a, self.idle, moved + self.loss("kept_map", a))

    def joins(self, a, b):
        one, other = (Off(self.context(m), self.active[m].map) for m in (a, b))
        moved = (one * (other + Off(0, self.from_context))).error
        return self.follows(a, self.active[b], moved + self.loss("joined", a, b))

    def jumps(self, i, j):
        own, target, r = self.active[i], self.known[j], self.r
        context = Off(self.context(i), own.map)
        within = max(1.0, *map(self.context, range(i + j)))
        lost = own.map * (target.map + self.from_zero) + self.stray + self.loss("dropped", i, j)
        sources = target.sources + context.size * self.from_zero + lost
        moved = min(context.size * (target.map + self.from_zero) + lost, within**2 * sources)
        state = (context * Off(self.size(j), target.state + r.next_state)).error
        state += own.state + self.stray_state + self.loss("jump", i, j)
        mark = Off(1, own.mark + own.activity) * Off(0, target.mark + r.next_mark)
        largest = max(map(self.size, range(i + j + 1)))
        return ClassErrors(
            mark=own.activity + mark.error + r.no_mark**2 + self.loss("known"),
            activity=own.activity + self.stray_mark + self.loss("kept_engaged"),
            pointer=self.followed(target),
            map=moved,
            sources=sources,
            state=state,
            total=state + largest * min(moved, within * sources),
        )

    def residues(self, m):
        own, r = self.known[m], self.r
        within = max([1.0, *map(self.context, range(m))])
        largest = max(map(self.size, range(m + 1)))
        added = own.map * self.from_any + self.stray + self.loss("remaining", m)
        beside = own.map * (max(each.state for each in self.every) + r.next_state)
        lost = beside + self.stray_state + self.loss("kept_state", m)
        sources, total = own.sources + added, own.total + largest * added + lost
        drift = min(own.map, within * own.sources) * largest
        return {"map": min(within * own.map + added, within**2 * sources), "sources": sources,
                "state": min(own.state + drift + lost, total), "total": total}  # fmt: skip

    def settles(self, m):
        own, r = self.known[m], self.r
        any_mark = max(each.mark for each in self.every) + max(r.next_mark, r.next_clear)
        mark = max(own.mark, own.activity) + (own.mark + own.activity) * any_mark
        furthest = ClassErrors(pointer=max(each.pointer for each in self.every))
        return ClassErrors(
            mark=mark + r.no_mark**2 + self.loss("kept_mark"),
            activity=own.activity + self.stray_mark + self.loss("kept_engaged"),
            pointer=self.followed(furthest),
            **self.residues(m),
        )

    def opens(self):
        own, r = self.known[0], self.r
        mark = Off(1, own.mark + own.activity) * Off(0, own.mark + r.next_clear)
        return ClassErrors(
            mark=own.mark + mark.error + r.no_mark**2 + self.loss("unknown"),
            activity=own.activity + self.stray_mark + self.loss("kept_engaged"),
            pointer=self.followed(own),
            **self.residues(0),
        )


def check(found, wanted, where=""):
    for part, one, other in zip(ClassErrors._fields, found, wanted, strict=True):
        assert isclose(one, other, rel_tol=1e-12), (where, part, float(one), other)


@pytest.mark.parametrize("seed", SEEDS)
def test_each_move_is_off_by_what_the_factors_of_its_polynomials_are(seed):
    data, losses = made_up(seed), MadeUpLosses()
    step = NodeStep(TreeSizes(data.reach, LENGTH), data.now, data.reads, losses)
    wanted = Wanted(data, losses)
    check(step.idles(), wanted.idles(), "idles")
    check(step.opens(), wanted.opens(), "opens")
    for name, pairs in {"begins": [(1,), (2,), (5,)], "keeps": [(1,), (2,), (3,)],
                        "joins": [(1, 2), (2, 1), (3, 3)], "splits": [(1, 2), (3, 5), (2, 2)],
                        "jumps": [(1, 2), (3, 5), (2, 3)],
                        "settles": [(1,), (2,), (3,), (5,)]}.items():  # fmt: skip
        for leaves in pairs:
            check(getattr(step, name)(*leaves), getattr(wanted, name)(*leaves), f"{name} {leaves}")


def with_few_sources(data):
    """The same, but that maps that are 0 are off by much more than their sources, and reads are good."""
    known = {m: own._replace(sources=own.sources / 1024) for m, own in data.now.known.items()}
    reads = Reads(**{part.name: getattr(data.reads, part.name) / 1024 for part in fields(Reads)})
    return replace(data, now=replace(data.now, known=known), reads=reads)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_map_that_vanishes_is_off_by_no_more_than_its_sources_between_contexts(seed):
    data = with_few_sources(made_up(seed))
    step, wanted = (
        NodeStep(TreeSizes(data.reach, LENGTH), data.now, data.reads),
        Wanted(data, EXACT),
    )
    check(step.jumps(3, 5), wanted.jumps(3, 5))
    check(step.jumps(1, 2), wanted.jumps(1, 2))
    for m in (1, 2, 3, 5):
        check(step.settles(m), wanted.settles(m))


@pytest.mark.parametrize("number", [1, 2, 3])
def test_after_a_step_each_class_has_the_worst_of_all_moves_that_lead_to_it(number):
    data, losses = made_up(number), MadeUpLosses()
    step = NodeStep(TreeSizes(data.reach, LENGTH), data.now, data.reads, losses)
    moves, wanted = Moves(data.reach.leaves, number, data.now), Wanted(data, losses)
    found = step.after(number)
    assert moves.idles and found.left == data.now.left
    check(found.idle, wanted.idles())
    active = [(a, wanted.begins(a)) for a in moves.begins()]
    active += [(a, wanted.keeps(a)) for a in moves.keeps()]
    active += [(a + b, wanted.joins(a, b)) for a, b in moves.joins()]
    known = [(0, wanted.opens()), *((m, wanted.settles(m)) for m in (1, 2, 3, 5))]
    known += [(i + j, wanted.splits(i, j)) for i, j in moves.splits()]
    known += [(i + j, wanted.jumps(i, j)) for i, j in moves.jumps()]
    for classes, candidates in ((found.active, active), (found.known, known)):
        assert set(classes) == {leaves for leaves, _ in candidates}
        for leaves, own in classes.items():
            check(
                own, map(max, *(errors for m, errors in [*candidates, *candidates] if m == leaves))
            )


def test_sizes_of_a_tree_are_the_largest_of_its_parts_so_far():
    data = made_up(3)
    sizes, reach = TreeSizes(data.reach, LENGTH), data.reach
    assert sizes.norm == max(reach.contexts)
    assert sizes.states_within == [max(reach.sizes[: m + 1]) for m in range(9)]
    assert sizes.contexts_within == [reach.contexts[0]] + [
        max(reach.contexts[:m]) for m in range(1, 9)
    ]
    assert sizes.state_at(data.now) == max(reach.sizes[m] for m in (0, 1, 2, 3, 5))
    assert sizes.map_at(data.now) == max(1, *reach.contexts[1:4])
    assert sizes.map_at(replace(data.now, active={})) == 1


# what rounding takes


def format_sizes(data):
    return FormatSizes(data.reach, LENGTH, FORM)


def frobenius(rows):
    return sqrt(sum(float(w) ** 2 for row in rows for w in row))


def tensor_of(reach):
    """|T| as a matrix of two rows, and a bound on its norm."""
    rows = [[float(w) for row in part for w in row] for part in reach.entrywise.tensor]
    sums, columns = max(map(sum, rows)), max(map(sum, zip(*rows, strict=True)))
    return rows, min(frobenius(rows), sqrt(sums * columns))


@pytest.mark.parametrize("seed", SEEDS)
def test_sizes_in_a_format_are_those_of_two_states(seed):
    """K < 2n² + 6n + 8; what underflows is 8 (K + T + 1) times squares of sizes, weights and τ."""
    data = made_up(seed)
    sizes, reach, root = format_sizes(data), data.reach, sqrt(2)
    rows, spectral = tensor_of(reach)
    assert sizes.n == 2 and sizes.terms == 28 and isclose(sizes.root, root)
    assert isclose(sizes.tensor[0], spectral) and isclose(sizes.tensor[1], frobenius(rows))
    size = 1 + float(max(reach.sizes)) + root * float(max(reach.contexts)) + LENGTH
    tiny = 8 * (28 + LENGTH + 1) * size**2 * (1 + frobenius(rows)) * 2.0**-21
    assert isclose(sizes.tiny, tiny)
    maps = [root * float(row) for row in reach.rows[1:4]]
    off = root * max(float(own.map) for own in data.now.all)
    assert isclose(sizes.frobenius(2), maps[1])
    assert isclose(sizes.frobenius_at(data.now), max(root, *maps) + off)
    assert isclose(sizes.entries_at(data.now), max(1, *maps) + off)
    none = replace(data.now, active={})
    off = root * max(float(own.map) for own in none.all)
    assert isclose(sizes.frobenius_at(none), root + off)
    assert isclose(sizes.entries_at(none), 1 + off)


class WantedLosses:
    """The losses of a step in floats, by the terms of `decoder_tree_losses`."""

    def __init__(self, data):
        self.data, self.exact = data, Wanted(data, MadeUpLosses())
        self.r, self.tiny, self.root = self.exact.r, float(format_sizes(data).tiny), sqrt(2)
        r, every = self.r, self.exact.every
        marks = (r.mark, r.clear, r.no_mark, r.next_mark, r.next_clear, r.near_clear, r.far_clear)
        self.e = max(own.mark for own in every) + max(own.activity for own in every) + max(marks)
        rows, self.spectral = tensor_of(data.reach)
        self.tensor = frobenius(rows)
        self.maps, self.states = gamma(41), gamma(37)  # 6n + 29 and 2n² + 2n + 25
        known = max(float(data.reach.sizes[m]) for m in data.now.known)
        self.state = known + max(own.state for own in every) + r.state + r.next_state
        self.nothing = self.exact.state + r.empty + r.next_empty
        self.stray = self.maps * (2 * self.tensor * r.no_state + 3 * r.no_mark) * (1 + self.e)
        self.stray_state = (self.states + UNIT) * self.spectral * r.no_state**2 + self.tiny
        self.off = self.exact.idle.map
        self.near_one = 2 * (1 + self.off) * (self.off + self.exact.from_own_one)
        self.largest_map = float(format_sizes(data).frobenius_at(data.now))

    def marks(self):
        """Of marks that turn, terms up to 1, or up to 3; of others terms of the size of errors."""
        e, r, block = self.e, self.r, gamma(30)
        kept = 2 * e + 2 * e**2
        turned = UNIT * (4 * (1 + e) ** 2 + 2 * (1 + e)) + self.tiny
        furthest = max(own.pointer for own in self.exact.every)
        far = LENGTH + 1 + furthest + r.next_pointer + self.exact.left
        return {
            "known": block * ((1 + e) ** 2 + kept) + turned,
            "kept_mark": (block + gamma(16)) * kept + turned,
            "unknown": block * kept + UNIT * (2 * kept + 2 * e) + self.tiny,
            "inactive": 2 * block * kept + UNIT * (1 + 2 * e) + self.tiny,
            "engaged": 3 * (block + UNIT) * (1 + e) ** 2 + self.tiny,
            "kept_engaged": 2 * (block + UNIT) * kept + self.tiny,
            "pointer": 4 * gamma(44) * far * (1 + e) + self.tiny,
        }

    def maps_and_states(self):
        e, both, nothing = self.e, self.maps + UNIT, self.nothing
        identity = self.near_one + 2 * (1 + e) * self.tensor * nothing + 2 * e * (2 + e)
        vanished = 3 * (1 + e) ** 2 + 2 * e * self.tensor * self.state + self.near_one
        held = (self.largest_map + self.spectral * self.state) * nothing
        return {
            "identity": self.maps * identity + UNIT * (1 + self.root * self.off) + self.tiny,
            "vanished": both * vanished + self.tiny,
            "empty": (self.states + UNIT) * (self.exact.state + held) + self.stray_state,
        }

    def map_size(self, a):
        return self.root * (float(self.data.reach.rows[a]) + self.exact.active[a].map)

    def state_size(self, m):
        return self.exact.size(m) + self.exact.known[m].state + self.r.state

    def begun(self, a):
        e = self.e
        sums = self.tensor * (self.state_size(a) + self.nothing) * (1 + e) + (1 + e) ** 3
        sums += 2 * e + self.near_one
        return (self.maps + UNIT) * sums + UNIT * self.root * (1 + self.off) + self.tiny

    def kept_map(self, a):
        apart = self.root * (self.off + self.exact.from_one)
        return self.map_size(a) * (self.maps * apart + UNIT * (1 + apart)) + self.stray + self.tiny

    def joined(self, b, c):
        other = self.map_size(c) + self.root * self.exact.from_context
        lost = (self.maps + UNIT) * (1 + other) + UNIT
        return self.map_size(b) * lost + self.stray + self.tiny

    def dropped(self, i, j):
        rest = self.root * (self.exact.known[j].map + self.exact.from_zero)
        return (self.maps + UNIT) * self.map_size(i) * (1 + rest) + self.stray + self.tiny

    def remaining(self, m):
        read = 1 + self.largest_map + self.root * self.exact.from_any
        own = self.root * self.exact.known[m].map
        return (self.maps + UNIT) * own * read + self.stray + self.tiny

    def kept_state(self, m):
        own = self.exact.known[m]
        added = (self.states + UNIT) * self.root * own.map * self.state
        return UNIT * (self.exact.size(m) + own.state) + added + self.stray_state

    def split(self, i, j):
        product = self.spectral * self.state_size(i) * self.state_size(j)
        own = self.root * (1 + self.off) * self.nothing
        kept = UNIT * self.exact.state
        return (self.states + UNIT) * (product + own) + kept + self.tiny

    def jump(self, i, j):
        size = self.exact.size(j) + self.exact.known[j].state + self.r.next_state
        lost = (self.states + UNIT) * self.map_size(i) * size
        return lost + UNIT * self.exact.state + self.stray_state


@pytest.mark.parametrize("seed", SEEDS)
def test_a_step_loses_to_rounding_what_the_sizes_of_its_terms_say(seed):
    data = made_up(seed)
    found = RoundedStep(format_sizes(data), data.now, data.reads)
    wanted = WantedLosses(data)
    parts = wanted.marks() | wanted.maps_and_states()
    assert set(parts) == set(EXACT_PARTS)
    for name, loss in parts.items():
        assert isclose(getattr(found, name), loss, rel_tol=1e-12), name
    for name, leaves in {"begun": (2,), "kept_map": (1,), "joined": (1, 3), "dropped": (2, 3),
                         "remaining": (5,), "kept_state": (3,), "split": (1, 5),
                         "jump": (2, 3)}.items():  # fmt: skip
        loss = getattr(wanted, name)(*leaves)
        assert isclose(getattr(found, name)(*leaves), loss, rel_tol=1e-12), name


def test_marks_that_may_be_off_by_one_are_too_soft():
    """f, g and what is read of a mark by any head add up to 1, or to a little less."""
    data, names = made_up(0), ("mark", "clear", "no_mark", "next_mark", "next_clear", "near_clear",
                               "far_clear")  # fmt: skip
    own = ClassErrors(mark=flint.arb("0.25"), activity=flint.arb("0.125"))
    now = NodeErrors(own, {}, {0: ClassErrors(), 1: ClassErrors()}, ZERO)
    for name in names:
        for most in ("0.625", "0.75"):
            with pytest.raises(TooSoft, match="a mark may be off by 1"):
                RoundedStep(format_sizes(data), now, Reads(**{name: flint.arb(most)}))
        found = RoundedStep(format_sizes(data), now, Reads(**{name: flint.arb("0.5")}))
        assert found.e == 0.875
