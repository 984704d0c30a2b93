"""Certificates on states of whole families of trees, modulo 2^61 - 1, by recursion on pairs.

Kinds         trees.states: all shapes up to a number of leaves, each leaf with a letter of its own;
              a digest of all states at all positions, for rational automata
              trees.generic: the same with a different number for each entry of tensor and leaves
              trees.families: single trees, written out, with their layers and a digest each

A rational p/q is taken as p·q^(-1) modulo the prime; equal residues of all states make equal
states all but certain, and a weight that is changed changes the digest. Heads are exact.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from verify.recheck.errors import Refused, agree, integer, only, sequence, text
from verify.recheck.treework import (
    LETTERS,
    PRIME,
    Automaton,
    Tree,
    automaton,
    few,
    labelled,
    layers_of,
    layers_without_masks,
    nodes,
    read,
    right_rule,
    shapes_within,
    size,
    written,
)

Body = Mapping[str, Any]
LAYERS_TO = 8
ROADS = ("masks", "lengths")


@dataclass(frozen=True)
class Residues(Automaton):
    """An automaton modulo the prime; equal subtrees and equal factors are computed once."""

    known: dict[Any, tuple[int, ...]] = field(default_factory=dict)
    seen: dict[Tree, tuple[int, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, exact: Automaton) -> Residues:
        """The residues of rational weights."""
        tensor = tuple(tuple(_residues(row) for row in rows) for rows in exact.tensor)
        return cls(tensor, {symbol: _residues(v) for symbol, v in exact.leaves.items()})

    def product(self, left: Sequence[int], right: Sequence[int]) -> tuple[int, ...]:
        """T ×₂ left ×₃ right modulo the prime."""
        key = (left, right)
        if key not in self.known:
            self.known[key] = tuple(x % PRIME for x in super().product(left, right))
        return self.known[key]

    def state(self, tree: Tree) -> tuple[int, ...]:
        """μ(t) modulo the prime."""
        if tree not in self.seen:
            self.seen[tree] = super().state(tree)
        return self.seen[tree]


def _residues(row: Sequence[Any]) -> tuple[int, ...]:
    return tuple(x.numerator * pow(x.denominator, -1, PRIME) % PRIME for x in row)


def lettered(item: Any, leaves: int) -> Residues:
    """An automaton with one letter for each leaf, and no more."""
    found = automaton(item)
    agree("letters", "".join(found.leaves), LETTERS[:leaves])
    return Residues.of(found)


def heads_right(tree: Tree, road: str) -> None:
    """Where an opening bracket looks: the left child at i + 1, the right one by rule or length."""
    whole = nodes(tree)
    found = right_rule(written(tree)) if road == "masks" else {}
    for node in (node for node in whole if node.right):
        by_length = node.start + 1 + size(node.tree[0])
        agree("right child", found.get(node.start, by_length), node.right)
        agree("left child", node.left, node.start + 1)


def layers_right(wta: Residues, tree: Tree, road: str) -> None:
    """After each layer a subtree holds its state if it is due, and 0 before."""
    whole, zero = nodes(tree), (0,) * wta.n
    due = layers_without_masks(tree) if road == "lengths" else {n.start: n.height for n in whole}
    last = due[1]
    runs = (
        without_masks(wta, tree, last) if road == "lengths" else layers_of(wta, written(tree), last)
    )
    for layer, states in enumerate(runs):
        for node in whole:
            wanted = wta.state(node.tree) if due[node.start] <= layer else zero
            agree(f"layer {layer}, position {node.start}", states[node.start - 1], wanted)


def without_masks(wta: Residues, tree: Tree, layers: int) -> Iterator[list[tuple[int, ...]]]:
    """The states at all positions after each layer; a bracket follows the length of its left child.

    A token is (state, length); a length of 0 says that nothing is known yet. The right child is
    read one layer after the length of the left one has come.
    """
    tokens, zero = written(tree), (0,) * wta.n
    held = [(wta.leaves.get(x, zero), int(x in wta.leaves)) for x in tokens] + [(zero, 0)]
    target = [len(tokens)] * len(held)
    yield [state for state, _ in held]
    for _ in range(layers):
        made, aims = list(held), [len(tokens)] * len(held)
        for i in (i for i, x in enumerate(tokens) if x == "["):
            (left, p), (right, q) = held[i + 1], held[target[i]]
            made[i] = (wta.product(left, right), p + q + 2) if p and q else (zero, 0)
            aims[i] = i + 1 + p if p else len(tokens)
        held, target = made, aims
        yield [state for state, _ in held]


def states(body: Body) -> str:
    """All shapes: heads right, layers right on the small ones, the digest of all states the same."""
    only(body, {"kind", "road", "leaves", "shapes", "positions", "automata", "digest"})
    return _states(json.dumps(body, sort_keys=True))


@cache
def _states(content: str) -> str:
    body = json.loads(content)
    leaves, road = few(body), _road(body)
    machines = [lettered(item, leaves) for item in sequence(body, "automata")]
    trees = [labelled(shape, iter(LETTERS)) for shape in shapes_within(leaves)]
    for tree in trees:
        heads_right(tree, road)
    for wta in machines:
        for tree in (t for t in trees if len(written(t)) <= 3 * LAYERS_TO - 2):
            layers_right(wta, tree, road)
    found = digest(
        wta.state(node.tree) for wta in machines for tree in trees for node in nodes(tree)
    )
    agree("shapes", integer(body, "shapes"), len(trees))
    agree("positions", integer(body, "positions"), sum(len(nodes(tree)) for tree in trees))
    agree("digest of the states", text(body, "digest"), found)
    return (
        f"{len(trees)} shapes, {body['positions']} positions, {len(machines)} automata: heads and "
        f"states right, layers up to {min(leaves, LAYERS_TO)} leaves"
    )


def generic(body: Body) -> str:
    """The identity of polynomials at one point: entry number k is 7^(k+1) modulo the prime."""
    only(body, {"kind", "road", "n", "leaves", "digest"})
    n, leaves, road = integer(body, "n", 1), few(body, 6), _road(body)
    numbers = iter([pow(7, k + 1, PRIME) for k in range(n**3 + n * leaves)])
    states = range(n)
    tensor = tuple(tuple(tuple(next(numbers) for _ in states) for _ in states) for _ in states)
    wta = Residues(tensor, {x: tuple(next(numbers) for _ in states) for x in LETTERS[:leaves]})
    trees = [labelled(shape, iter(LETTERS)) for shape in shapes_within(leaves)]
    for tree in trees:
        heads_right(tree, road)
        layers_right(wta, tree, road)
    found = digest(wta.state(node.tree) for tree in trees for node in nodes(tree))
    agree("digest of the states", text(body, "digest"), found)
    return f"n = {n}: the same values on all shapes up to {leaves} leaves, at one point"


def families(body: Body) -> str:
    """Single trees without masks: after so many layers, and no fewer, every state is right."""
    only(body, {"kind", "automaton", "trees", "count"})
    wta = Residues.of(automaton(body["automaton"]))
    for string, layers, stated in sequence(body, "trees", integer(body, "count", 1)):
        tree = read(list(string))
        agree("layers", layers, layers_without_masks(tree)[1])
        heads_right(tree, "lengths")
        layers_right(wta, tree, "lengths")
        agree("digest of the states", stated, digest(wta.state(n.tree) for n in nodes(tree)))
    return f"{len(body['trees'])} trees without masks: layers and states right"


def _road(body: Body) -> str:
    road = text(body, "road")
    if road not in ROADS:
        raise Refused(f"road {road!r} is not known")
    return road


def digest(values: Iterator[tuple[int, ...]]) -> str:
    """A hash of states, in order."""
    whole = hashlib.sha256()
    for state in values:
        whole.update((",".join(map(str, state)) + ";").encode())
    return whole.hexdigest()


VALIDATORS: dict[str, Callable[[Body], str]] = {
    "trees.states": states,
    "trees.generic": generic,
    "trees.families": families,
}
