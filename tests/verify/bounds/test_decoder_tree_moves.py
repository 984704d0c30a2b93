"""Every move of the tree decoder with one state: the bound on its error is met, and hardly larger than it.

With one state and weights ±1 a step is a polynomial in numbers that are off by known amounts. It is largest
at some choice of their signs, and there it has to be at the bound: a term too few is exceeded, one too many
leaves a gap.
"""

from dataclasses import fields, replace
from functools import cache
from itertools import product

import flint
import numpy as np
import pytest

from constructions.automata.wta import WTA
from verify.bounds.decoder_tree_classes import ClassErrors, NodeErrors, Reads
from verify.bounds.decoder_tree_step import NodeStep, TreeSizes
from verify.bounds.reachable import reachable_bounds

LENGTH, LEFT = 22, 3e-6
SIGNS = WTA.of([1], [[["-1"]]], {"a": [1], "b": [-1]})


def small(*numbers):
    """Numbers of different sizes whose products are far below them."""
    return [flint.arb(number) * flint.arb(2) ** -20 for number in numbers]


IDLE, ACTIVE, OTHER, KNOWN, CHILD = (
    ClassErrors(*small(*numbers))
    for numbers in ((3, 5, 7, 11, 0, 13, 13), (17, 19, 23, 29, 0, 31, 200), (37, 41, 43, 47, 0, 53, 90),
                    (59, 61, 67, 71, 800, 73, 900), (79, 83, 89, 97, 700, 101, 950))
)  # fmt: skip
NOW = NodeErrors(
    IDLE, {1: ACTIVE, 2: OTHER}, {0: ClassErrors(), 1: CHILD, 2: KNOWN}, flint.arb(LEFT)
)
READS = Reads(*small(*range(103, 103 + 2 * len(fields(Reads)), 2)))
STEP = NodeStep(TreeSizes(reachable_bounds(SIGNS, 8), LENGTH), NOW, READS)
R = {part.name: float(getattr(READS, part.name)) for part in fields(Reads)}
UNKNOWN = ClassErrors(*(max(a, b, c) for a, b, c in zip(IDLE, ACTIVE, OTHER, strict=True)))


NAMES = ("M", "b", "f", "g", "N", "F", "x", "y", "M_c", "b_c", "f_c", "c_c")


class Signs:
    """Numbers off by amounts, at all choices of signs; or not off at all."""

    def __init__(self, count=14):
        self.columns = iter(np.array(list(product((-1.0, 1.0), repeat=count))).T)

    def __call__(self, exact, *amounts):
        """A number that is off by the sum of the amounts."""
        return exact + sum(map(float, amounts)) * next(self.columns)


def exactly(exact, *_):
    return exact


def step(values, way):
    """The step as its weights make it, with T = -1; `way` is left - i."""
    m, b, f, g, near, far, x, y, m_c, b_c, f_c, c_c = (values[name] for name in NAMES)
    both = near + far - near * far
    return {"map": m * m_c - (1 - far) * x - (1 - near) * y - both, "state": b + m * b_c - y * x,
            "mark": f + (1 - f - g) * f_c + near * far, "activity": g - both,
            "pointer": c_c + near * way - far}  # fmt: skip


def own(off, errors, m, f=0.0, g=0.0, b=0.0):
    """M, b, f and g of a token."""
    return {"M": off(m, errors.map), "b": off(b, errors.state), "f": off(f, errors.mark),
            "g": off(g, errors.activity)}  # fmt: skip


def nothing(off):
    """What who is not inactive reads of its children."""
    stray = off(0, R["no_mark"])
    return {"N": stray, "F": stray, "x": off(0, R["no_state"]), "y": off(0, R["no_state"])}


def pointed(off, errors, m, spread, f=0.0, b=0.0, here="map"):
    """What is read of the pointer: M is off by what leaks to a token that differs by the spread."""
    mark, state = ("next_mark", "next_state") if f else ("next_clear", "next_empty")
    return {"M_c": off(m, errors.map, R["leak"] * (spread + 2 * float(NOW.map)), R[here]),
            "b_c": off(b, errors.state, R[state]), "f_c": off(f, errors.mark, R[mark]),
            "c_c": off(0, errors.pointer, R["next_pointer"])}  # fmt: skip


def itself(off):
    """An inactive node, whose pointer names itself: it gives half a leak to one side."""
    read = pointed(off, IDLE, 1, 1, here="one")
    return own(off, IDLE, 1, g=1.0) | read | {"b_c": off(0, IDLE.state, R["own_empty"])}


def idles(off):
    marks = {"N": off(0, UNKNOWN.mark, R["near_clear"]), "F": off(0, UNKNOWN.mark, R["far_clear"])}
    states = {
        "x": off(0, UNKNOWN.state, R["near_empty"]),
        "y": off(0, UNKNOWN.state, R["far_empty"]),
    }
    return itself(off) | marks | states


def begins(off):
    """The left child, of state 1, is known: M becomes -1, and the pointer goes to the token before."""
    children = {"N": off(0, UNKNOWN.mark, R["clear"]), "F": off(1, CHILD.mark, R["mark"]),
                "x": off(0, UNKNOWN.state, R["empty"]), "y": off(1, CHILD.state, R["state"])}  # fmt: skip
    return itself(off) | children


def begins_to_the_left(off):
    """The right child is known, and the pointer goes to the left one."""
    found = begins(off)
    return found | {"N": found["F"], "F": found["N"], "x": found["y"], "y": found["x"]}


def splits(off):
    children = {"N": off(1, CHILD.mark, R["mark"]), "F": off(1, KNOWN.mark, R["mark"]),
                "x": off(1, CHILD.state, R["state"]), "y": off(1, KNOWN.state, R["state"])}  # fmt: skip
    return itself(off) | children


def splits_in_turn(off):
    found = splits(off)
    return found | {"N": found["F"], "F": found["N"], "x": found["y"], "y": found["x"]}


def keeps(off):
    return own(off, ACTIVE, -1) | nothing(off) | pointed(off, IDLE, 1, 2)


def joins(off):
    return own(off, ACTIVE, -1) | nothing(off) | pointed(off, OTHER, 1, 2)


def jumps(off):
    return own(off, ACTIVE, -1) | nothing(off) | pointed(off, KNOWN, 0, 1, f=1.0, b=1.0)


def settles(off, mark=0.0):
    """A known node, whose pointer may name any other; here one with a map of 1 and a state of 1."""
    leak = R["leak"] * (2 + 2 * float(NOW.map))
    read = {"M_c": off(1, NOW.map, leak, R["settled_map"]), "b_c": off(1, NOW.state, R["next_state"]),
            "f_c": mark, "c_c": off(0, NOW.pointer, R["next_pointer"])}  # fmt: skip
    return own(off, KNOWN, 0, f=1.0, b=1.0) | nothing(off) | read


def settles_on_a_known_one(off):
    return settles(off, 1.0)


MOVES = {
    "idles": (STEP.idles(), idles),
    "begins": (STEP.begins(1), begins, begins_to_the_left),
    "splits": (STEP.splits(2, 1), splits, splits_in_turn),
    "keeps": (STEP.keeps(1), keeps),
    "joins": (STEP.joins(1, 2), joins),
    "jumps": (STEP.jumps(1, 2), jumps),
    "settles": (STEP.settles(2), settles, settles_on_a_known_one),
}


@cache
def largest_errors(move):
    """The largest errors over all signs and variants of a move."""
    worst = dict.fromkeys(("mark", "activity", "pointer", "map", "state"), 0.0)
    for values in MOVES[move][1:]:
        signs = Signs()
        seen = step(values(signs), signs(-(LENGTH + 1), LEFT))
        for part, exact in step(values(exactly), -(LENGTH + 1)).items():
            worst[part] = max(worst[part], np.abs(seen[part] - exact).max())
    return worst


@pytest.mark.parametrize("move", MOVES)
def test_the_bound_of_a_move_is_what_its_errors_add_up_to(move):
    for part, error in largest_errors(move).items():
        limit = float(getattr(MOVES[move][0], part))
        assert 0.99 * limit <= error * (1 - 1e-9) <= limit, (part, error / limit)


def test_a_move_without_one_of_its_errors_has_a_bound_that_is_exceeded():
    """Any error of a class, and any read, that some move takes."""
    for name in R:
        less = NodeStep(STEP.sizes, NOW, replace(READS, **{name: flint.arb(0)}))
        moves = {"idles": less.idles(), "begins": less.begins(1), "splits": less.splits(2, 1),
                 "keeps": less.keeps(1), "joins": less.joins(1, 2), "jumps": less.jumps(1, 2),
                 "settles": less.settles(2)}  # fmt: skip
        assert any(
            error > float(getattr(bound, part))
            for move, bound in moves.items()
            for part, error in largest_errors(move).items()
        ), name


def settled(own, reads):
    """The bounds of a known node of three leaves after one more step."""
    now = NodeErrors(IDLE, NOW.active, {**NOW.known, 3: own}, NOW.left)
    return NodeStep(STEP.sizes, now, reads).settles(3)


@pytest.mark.parametrize("move", ["splits", "jumps"])
def test_what_is_left_of_a_map_adds_to_the_state_once_and_what_comes_later_too(move):
    """The pointer names a known node, first with strays from BOS; then another one, without."""
    seen = step(MOVES[move][1](Signs()), -(LENGTH + 1))
    first = settled(MOVES[move][0], Reads(no_mark=READS.no_mark))
    second = settled(first, Reads())
    once = np.abs(seen["state"] + seen["map"] + 1).max()
    twice = once + 2 * R["no_mark"]
    assert 0.99 * float(first.state) <= once <= float(first.state)
    assert 0.99 * float(second.state) <= twice <= float(second.state)
