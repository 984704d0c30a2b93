"""What nodes may do in a step, by their leaves: no tree does anything else, and some tree does each thing."""

from fractions import Fraction
from itertools import pairwise

import flint

from constructions.automata.pebbling import PebbleMark, least_leaves, play, unordered_shapes
from constructions.automata.random_trees import rational_wta
from constructions.automata.trees import CLOSE, OPEN, children, most_leaves, positions, tokens
from verify.bounds.decoder_tree_classes import ClassErrors, Moves, NodeErrors, gather
from verify.bounds.decoder_tree_rounding import TreeDecoderErrors
from verify.bounds.floating import ONCE

LEAVES = 12
ONE = ClassErrors()


def moves_by_step(leaves):
    """The moves that are allowed in steps 1, 2, …, with the classes that they fill."""
    now, number = NodeErrors.before_steps(leaves, ONE.mark, ONE.mark), 1
    while now.unknown:
        moves = Moves(leaves, number, now)
        active = [*moves.begins(), *moves.keeps(), *(a + b for a, b in moves.joins())]
        known = [i + j for i, j in [*moves.splits(), *moves.jumps()]]
        yield moves
        now = NodeErrors(
            ONE if moves.idles else None, gather((a, ONE) for a in active),
            gather((m, ONE) for m in [*now.known, *known]), now.left,
        )  # fmt: skip
        number += 1


def seen_moves(tree):
    """(step, move, leaves) for all inner nodes of a tree, from the game itself."""
    symbols = tokens(tree)
    below, states = children(symbols), list(play(tree))
    sizes = sizes_of(below, symbols)
    for step, (old, new) in enumerate(pairwise(states), 1):
        for node, pair in below.items():
            mark, target = old.marks[node], old.pointers[node]
            if mark is PebbleMark.INACTIVE:
                known = [sizes[c] for c in pair if old.marks[c] is PebbleMark.PEBBLED]
                name = ("idles", "begins", "splits")[len(known)]
                yield step, name, (True, *known[:1], tuple(sorted(known)))[len(known)]
            elif mark is PebbleMark.ACTIVE:
                a, rest = sizes[node] - sizes[target], old.marks[target]
                if rest is PebbleMark.INACTIVE:
                    yield step, "keeps", a
                else:
                    other = old.pointers[target] if rest is PebbleMark.ACTIVE else None
                    size = sizes[target] - sizes[other] if other is not None else sizes[target]
                    yield step, "joins" if other is not None else "jumps", (a, size)
            assert new.marks[node] is not PebbleMark.INACTIVE or mark is PebbleMark.INACTIVE


def sizes_of(below, symbols):
    """The leaves of every node; children begin after their parents."""
    sizes = dict.fromkeys(positions(symbols), 1)
    for node in sorted(below, reverse=True):
        sizes[node] = sum(sizes[child] for child in below[node])
    return sizes


def all_seen(leaves):
    shapes = (tree for count in range(2, leaves + 1) for tree in unordered_shapes(count))
    return {move for tree in shapes for move in seen_moves(tree)}


def allowed(leaves):
    found = set()
    for moves in moves_by_step(leaves):
        found |= {(moves.number, "idles", True)} if moves.idles else set()
        for name in ("begins", "keeps", "joins", "splits", "jumps"):
            found |= {(moves.number, name, leaves) for leaves in getattr(moves, name)()}
    return found


def test_no_tree_makes_a_move_that_its_leaves_do_not_allow():
    for leaves in range(2, LEAVES + 1):
        assert all_seen(leaves) <= allowed(leaves)


def test_the_least_leaves_of_every_kind_of_move_are_those_of_some_tree():
    """Known children that begin or split, and nodes that jump: one leaf fewer never occurs, that one does."""
    seen, may = all_seen(LEAVES), allowed(LEAVES)
    for name, size in (("begins", int), ("splits", min), ("jumps", sum)):
        least = [{}, {}]
        for moves, table in ((seen, least[0]), (may, least[1])):
            for step, kind, leaves in moves:
                if kind == name:
                    table[step] = min(table.get(step, LEAVES), size(leaves))
        assert least[0] == least[1], name
    for name in ("idles", "keeps", "joins"):
        steps = [{step for step, kind, _ in moves if kind == name} for moves in (seen, may)]
        assert steps[0] == steps[1], name


def test_moves_are_those_whose_leaves_the_step_and_the_tree_allow():
    """ℓ_1, ℓ_2, ℓ_3, ℓ_4 = 2, 3, 4, 6; of eight leaves, with made-up classes."""
    assert [least_leaves(k) for k in range(5)] == [1, 2, 3, 4, 6]
    now = NodeErrors(
        ONE, dict.fromkeys((1, 2, 4), ONE), dict.fromkeys((0, 1, 2, 3, 5), ONE), ONE.mark
    )
    found = Moves(8, 3, now)
    assert (found.before, found.least) == (3, 4)
    assert found.idles and not Moves(7, 3, now).idles  # two children of four leaves
    assert list(found.begins()) == [3] and list(Moves(9, 3, now).begins()) == [3, 5]
    assert list(found.keeps()) == [1, 2] and list(Moves(10, 3, now).keeps()) == [1, 2, 4]
    # two contexts, and two leaves below; the node has six leaves at least
    assert list(found.joins()) == [(1, 1), (1, 2), (1, 4), (2, 1), (2, 2), (2, 4), (4, 1), (4, 2)]
    assert list(Moves(6, 3, now).joins()) == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert list(Moves(5, 3, now).joins()) == []
    assert list(found.splits()) == [(3, 3), (3, 5)]
    assert list(found.jumps()) == [(1, 3), (1, 5), (2, 2), (2, 3), (2, 5), (4, 2), (4, 3)]
    first = Moves(8, 1, now)
    assert list(first.begins()) == [1, 2, 3, 5]  # an opening bracket is no child
    assert list(first.splits()) == [
        (1, 1),
        (1, 2),
        (1, 3),
        (1, 5),
        (2, 2),
        (2, 3),
        (2, 5),
        (3, 3),
        (3, 5),
    ]
    none = Moves(8, 3, NodeErrors(None, now.active, now.known, ONE.mark))
    assert not none.idles and not [*none.begins(), *none.keeps(), *none.splits()]
    assert list(none.joins()) == list(found.joins()) and list(none.jumps()) == list(found.jumps())


def test_the_worst_errors_of_some_classes_are_the_largest_of_each_part():
    one, two, three, four = (ClassErrors(*map(flint.arb, numbers)) for numbers in
                             ((1, 2, 3, 4, 5, 6, 7), (7, 6, 5, 4, 3, 2, 1), (2, 9, 0, 8, 0, 0, 0),
                              (3, 0, 9, 0, 0, 9, 9)))  # fmt: skip
    assert [*map(float, one.worst(two))] == [7, 6, 5, 4, 5, 6, 7]
    assert gather([(3, one), (2, two), (3, two)]) == {3: one.worst(two), 2: two}
    now = NodeErrors(one, {1: three}, {0: four, 1: two}, flint.arb(0))
    assert now.all == (one, three, four, two) and now.unknown == (one, three)
    parts = (now.mark, now.activity, now.pointer, now.map, now.state)
    assert [*map(float, parts)] == [7, 9, 9, 8, 9]
    children = (now.child_mark, now.clear_mark, now.child_state, now.child_total)
    assert [*map(float, children)] == [2, 3, 6, 7]
    assert now.states == {1: two.state}
    start = NodeErrors.before_steps(2, flint.arb(5), flint.arb(6))
    assert start.idle == ONE and start.left == 5 and start.active == {}
    assert start.known == {0: ONE, 1: ClassErrors(state=flint.arb(6), total=flint.arb(6))}
    assert NodeErrors.before_steps(1, flint.arb(5), flint.arb(6)).idle is None


def test_a_single_leaf_makes_no_move():
    assert allowed(1) == set()
    assert {move[1] for move in allowed(2)} == {"splits"}


def deepest(leaves, mark):
    """The largest depth of a node with that mark after the first step of some tree."""
    depths = set()
    for count in range(2, leaves + 1):
        for tree in unordered_shapes(count):
            symbols, state = tokens(tree), list(play(tree))[1]
            depths |= {
                symbols[: node - 1].count(OPEN) - symbols[: node - 1].count(CLOSE)
                for node, own in state.marks.items()
                if own is mark
            }
    return max(depths)


def test_squares_of_depths_are_left_up_to_the_deepest_node_of_a_class():
    automaton, length, saturation = rational_wta(2, 2, "ab"), 25, Fraction(14)
    leaves = most_leaves(length)
    nodes = TreeDecoderErrors.of(automaton, length, ONCE["float32"])
    left = nodes.left_by_third(*nodes.third_reads(saturation))
    for found, mark in (
        (left.one, "INACTIVE"),
        (left.map, "ACTIVE"),
        (left.settled_map, "PEBBLED"),
    ):
        assert found.overlaps(nodes.left_square(deepest(leaves, PebbleMark[mark])))
