"""Confirms states of weighted tree automata and runs of tree automata, by recursion on pairs.

wta.states            layers by the rule that each construction's heads follow, on polynomials
wta.modes             the monomials of both contractions
wta.hidden-units      which linear forms the units of a parse layer read
comb.word             products of the matrices T ×₂ v_σ against recursion
tree-automaton.runs   runs and possible states of all trees, trees with the same ones together
tree-automaton.bits   runs on balanced trees, squared up height by height
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from verify.recheck.declarations import ByName, Fields, confirms
from verify.recheck.errors import Recomputed, Refused, agree
from verify.recheck.kernel import formula, tree
from verify.recheck.kernel.polynomial import Poly
from verify.recheck.kernel.tree import LETTERS, Automaton, Tree
from verify.recheck.kinds.tree_strings import lettered


@dataclass(frozen=True)
class Generic(Automaton):
    """A WTA of symbols; a product of two states is computed once."""

    known: dict[tuple[int, int], tuple[Any, Any, tuple[Any, ...]]] = field(default_factory=dict)

    def product(self, left: Sequence[Any], right: Sequence[Any]) -> tuple[Any, ...]:
        """T ×₂ left ×₃ right."""
        key = id(left), id(right)
        if key not in self.known:
            # Both factors are kept, so that no other state can get their identity.
            self.known[key] = left, right, super().product(left, right)
        return self.known[key][2]


def generic(n: int, letters: int) -> Generic:
    """Different symbols for all entries of the tensor and of the leaf vectors."""
    span, one = range(n), Poly.symbol
    tensor = tuple(tuple(tuple(one(f"t{a}{b}{c}") for c in span) for b in span) for a in span)
    return Generic(tensor, {s: tuple(one(f"{s}{a}") for a in span) for s in LETTERS[:letters]})


def mirrored(shape: Tree) -> Tree:
    """The tree with all children exchanged."""
    return shape if isinstance(shape, str) else (mirrored(shape[1]), mirrored(shape[0]))


def turned(wta: Generic) -> Generic:
    """The automaton that gives a mirrored tree the state of the tree."""
    n = range(wta.n)
    tensor = tuple(tuple(tuple(wta.tensor[a][c][b] for c in n) for b in n) for a in n)
    return Generic(tensor, wta.leaves)


def by_length(wta: Automaton, tokens: list[str], layers: int, ended: bool) -> Iterator[list[Any]]:
    """Without masks: a bracket reads its right child one layer after the left one's length.

    A token is (state, length); a length of 0 says that nothing is known yet. Until the length is
    known the right head looks at the end token, or, where there is none, at the token itself.
    """
    zero = (0,) * wta.n
    held = [(wta.leaves.get(x, zero), int(x in wta.leaves)) for x in tokens] + [(zero, 0)] * ended
    nowhere = [len(tokens) if ended else i for i in range(len(held))]
    target = nowhere
    yield [state for state, _ in held]
    for _ in range(layers):
        made, aims = list(held), list(nowhere)
        for i in (i for i, x in enumerate(tokens) if x == "["):
            (left, p), (right, q) = held[i + 1], held[target[i]]
            made[i] = (wta.product(left, right), p + q + 2) if p and q else (zero, 0)
            aims[i] = i + 1 + p if p else nowhere[i]
        held, target = made, aims
        yield [state for state, _ in held]


def _runs(construction: str, wta: Generic, shape: Tree) -> list[Any]:
    """The states at all tokens after the last layer."""
    height = tree.nodes(shape)[0].height
    if construction in ("maskless", "clean"):
        ended = construction == "maskless"
        return list(by_length(wta, tree.written(shape), 2 * height, ended))[-1]
    return list(tree.layers_of(wta, tree.written(shape), height))[-1]


CONSTRUCTIONS = ("masked", "maskless", "clean", "closing", "printed")


@confirms("wta.states", "exhaustive", construction=CONSTRUCTIONS, n=(1, 3), leaves=(1, 5))
def states(construction: str, n: int, leaves: int) -> Recomputed:
    """The layers by their rule give the state of every subtree, as the same polynomial."""
    wta, shapes = generic(n, leaves), lettered(leaves)
    run = turned(wta) if construction == "closing" else wta
    positions = 0
    for shape in shapes:
        # Read from the other end, closing brackets are opening ones and the children change places.
        seen = mirrored(shape) if construction == "closing" else shape
        found = _runs(construction, run, seen)
        for node in tree.nodes(seen):
            wanted = wta.state(mirrored(node.tree)) if seen is not shape else wta.state(node.tree)
            positions += 1
            if tuple(found[node.start - 1]) != tuple(wanted):
                shown = {"string": "".join(tree.written(shape)), "position": node.start}
                return Recomputed(False, {}, shown)
    return Recomputed(True, {"trees": len(shapes), "positions": positions})


@confirms("wta.modes", "symbolic", n=(1, 6))
def modes(n: int) -> Recomputed:
    """Entry by entry the triples of indices that meet, for both contractions."""
    for entry in range(n):
        printed, defined = (_met(n, entry, *pair) for pair in CONTRACTED.values())
        if printed != defined:
            shown = {name: _contracted(n, *pair) for name, pair in CONTRACTED.items()}
            return Recomputed(False, {}, {"entry": entry + 1, **shown})
    return Recomputed(True, {"entries": n})


CONTRACTED = {"printed": (0, 1), "defined": (1, 2)}


def _met(n: int, entry: int, left: int, right: int) -> set[tuple[tuple[int, ...], int, int]]:
    """The entries of T that an entry of a contraction meets, each with those of both vectors."""
    free, triples = 3 - left - right, product(range(n), repeat=3)
    return {(t, t[left], t[right]) for t in triples if t[free] == entry}


def _contracted(n: int, left: int, right: int) -> list[str]:
    """T with one entry 1, at (1, 1, n), on the first and the last unit vector in two of its modes."""
    alone, found = (0, 0, n - 1), ["0"] * n
    if (alone[left], alone[right]) == (0, n - 1):
        found[alone[3 - left - right]] = "1"
    return found


@confirms("wta.hidden-units", "exact", most=(1, 40), bound=formula.read)
def hidden_units(most: int, bound: formula.Tree) -> Recomputed:
    """Pairs of children's states, kind times state, their factors, copies and the constant."""
    units = []
    for n in range(1, most + 1):
        left, right, own = ([f"{name}{k}" for k in range(n)] for name in ("left", "right", "own"))
        pairs = [*product(left, right), *(("kind", x) for x in own)]
        copied = product([*own, "one", "count", "kind", "mark"], "+-")
        units.append(len({*pairs, *(x for pair in pairs for x in pair), "constant", *copied}))
        if units[-1] > formula.value(bound, {"n": n}):
            return Recomputed(False, {"units": units}, {"n": n, "units": units[-1]})
    return Recomputed(True, {"units": units})


@confirms("comb.word", "exhaustive", n=(1, 3), longest=(1, 6))
def comb_word(n: int, longest: int) -> Recomputed:
    """μ((σ, t)) = M_σ μ(t), so the n + 1 states of the WFA suffice; products against recursion."""
    wta, words = generic(n, 2), 0
    for length in range(1, longest + 1):
        for word in product("ab", repeat=length):
            words += 1
            shape: Tree = word[-1]
            vector: tuple[Any, ...] = wta.leaves[word[-1]]
            for letter in reversed(word[:-1]):
                shape = (letter, shape)
                vector = _times(_matrix(wta, letter), vector)
            if tuple(vector) != tuple(wta.state(shape)):
                raise Refused(f"{''.join(word)}: the product is not the state")
    return Recomputed(True, {"states": n + 1, "words": words})


def _matrix(wta: Generic, letter: str) -> list[list[Any]]:
    span, leaf = range(wta.n), wta.leaves[letter]
    return [[sum(wta.tensor[a][b][c] * leaf[b] for b in span) for c in span] for a in span]


def _times(matrix: list[list[Any]], vector: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(sum(x * y for x, y in zip(row, vector, strict=True)) for row in matrix)


Held = tuple[tuple[int, ...], frozenset[int]]


STATE = (0, 5)
MACHINE = Fields({
    "n": (1, 6), "leaves": ByName([STATE, 0, 6], 1, 3), "rules": [[STATE, 3, 3], 1, 216],
})  # fmt: skip


@dataclass(frozen=True)
class TreeAutomaton:
    """A tree automaton from plain data."""

    n: int
    leaves: dict[str, list[int]]
    rules: list[tuple[int, int, int]]

    @classmethod
    def of(cls, body: Any) -> TreeAutomaton:
        """Known fields, states in range, no rule twice."""
        found = MACHINE.read("automaton", body)
        n, rules = found["n"], [tuple(rule) for rule in found["rules"]]
        if any(q >= n for states in (*found["leaves"].values(), *rules) for q in states):
            raise Refused(f"a state is not one of 0 … {n - 1}")
        if len(set(rules)) != len(rules):
            raise Refused("rules: expected different triples")
        return cls(n, found["leaves"], rules)

    def joined(self, left: Sequence[int], right: Sequence[int]) -> tuple[int, ...]:
        """Runs of a node from those of its children."""
        found = [0] * self.n
        for p, r, q in self.rules:
            found[q] += left[p] * right[r]
        return tuple(found)

    def may(self, left: frozenset[int], right: frozenset[int]) -> frozenset[int]:
        """States a node may be in, from those of its children."""
        return frozenset(q for p, r, q in self.rules if p in left and r in right)

    def levels(self, leaves: int) -> list[Counter[Held]]:
        """For each number of leaves: how many trees have which runs and which possible states."""
        starts = [frozenset(states) for states in self.leaves.values()]
        first = Counter((tuple(int(q in s) for q in range(self.n)), s) for s in starts)
        found = [Counter[Held](), first]
        for size in range(2, leaves + 1):
            level: Counter[Held] = Counter()
            for k in range(1, size):
                for (left, may), a in found[k].items():
                    for (right, might), b in found[size - k].items():
                        level[self.joined(left, right), self.may(may, might)] += a * b
            found.append(level)
        return found[1:]


@confirms("tree-automaton.runs", "exhaustive", automata=[TreeAutomaton.of, 1, 8], leaves=(1, 6))
def runs(automata: list[TreeAutomaton], leaves: int) -> Recomputed:
    """A state is possible exactly if some run ends in it, in all trees of these sizes."""
    positions, largest = 0, []
    for automaton in automata:
        levels = automaton.levels(leaves)
        for counts, states in (held for level in levels for held in level):
            agree("states with a run", {q for q, k in enumerate(counts) if k}, set(states))
        positions += sum((2 * k - 1) * level.total() for k, level in enumerate(levels, 1))
        largest.append(str(max(max(counts) for level in levels for counts, _ in level)))
    return Recomputed(True, {"positions": positions, "largest": largest})


@confirms(
    "tree-automaton.bits", "exact", machine=TreeAutomaton.of, heights=(1, 8), per_leaf=(1, 64)
)
def bits(machine: TreeAutomaton, heights: int, per_leaf: int) -> Recomputed:
    """Runs on balanced trees: both children of a node have the same."""
    counts = tuple(int(q in machine.leaves.get("a", [])) for q in range(machine.n))
    needed = []
    for _ in range(heights):
        counts = machine.joined(counts, counts)
        needed.append(max(counts).bit_length() + 1)
    shown = {"leaves": [2**h for h in range(1, heights + 1)], "bits": needed}
    good = needed == [per_leaf << h for h in range(1, heights + 1)]
    return Recomputed(good, shown, None if good else shown)
