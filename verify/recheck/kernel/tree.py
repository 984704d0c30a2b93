"""Trees, their strings and their weighted automata once more, by recursion; standard library only.

Everything is taken from nested pairs, never from a scan of the string: a tree is a letter or a
pair, `nodes` walks it and notes the place, the level and the height of each subtree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from verify.recheck.errors import Refused
from verify.recheck.kernel.interval import Interval, cos_pi, pi

Tree = Any
Vector = tuple[Any, ...]
LETTERS = "abcdefghijklmnopqrstuvwxyz"
BITS = 64


def read(tokens: Sequence[Any]) -> Tree:
    """The tree of a string; anything else is refused."""
    tree, rest = _read(list(tokens))
    if rest:
        raise Refused(f"{len(rest)} tokens after the end of the tree")
    return tree


def _read(tokens: list[Any]) -> tuple[Tree, list[Any]]:
    if not tokens or not isinstance(tokens[0], str) or tokens[0] in ("]", ""):
        raise Refused("the tokens are no tree")
    if tokens[0] != "[":
        return tokens[0], tokens[1:]
    left, rest = _read(tokens[1:])
    right, rest = _read(rest)
    if not rest or rest[0] != "]":
        raise Refused("the tokens are no tree: a closing bracket is missing")
    return (left, right), rest[1:]


def written(tree: Tree) -> list[str]:
    """str(t)."""
    if isinstance(tree, str):
        return [tree]
    return ["[", *written(tree[0]), *written(tree[1]), "]"]


def size(tree: Tree) -> int:
    """|str(t)| by recursion on the tree."""
    return 1 if isinstance(tree, str) else 2 + size(tree[0]) + size(tree[1])


@dataclass(frozen=True)
class Node:
    """A subtree at its place: where it begins, its level, its height, its children's places."""

    start: int
    level: int
    height: int
    tree: Tree
    left: int = 0
    right: int = 0


def nodes(tree: Tree, start: int = 1, level: int = 0) -> list[Node]:
    """All subtrees, the tree itself first."""
    if isinstance(tree, str):
        return [Node(start, level, 0, tree)]
    left = nodes(tree[0], start + 1, level + 1)
    right = nodes(tree[1], start + 1 + size(tree[0]), level + 1)
    height = 1 + max(left[0].height, right[0].height)
    own = Node(start, level, height, tree, left[0].start, right[0].start)
    return [own, *left, *right]


@cache
def shapes(leaves: int) -> tuple[Tree, ...]:
    """All shapes with that many leaves, unlabelled."""
    if leaves == 1:
        return ("a",)
    return tuple(
        (one, other)
        for left in range(1, leaves)
        for one in shapes(left)
        for other in shapes(leaves - left)
    )


def shapes_within(leaves: int) -> Iterator[Tree]:
    """All shapes with at most that many leaves."""
    for count in range(1, leaves + 1):
        yield from shapes(count)


def markers(tokens: Sequence[str]) -> list[int]:
    """1 for an opening, -1 for a closing bracket, 0 for a letter."""
    return [{"[": 1, "]": -1}.get(symbol, 0) for symbol in tokens]


def printed_depths(tokens: Sequence[str]) -> list[int]:
    """Σ_{j≤i} m_{j+1} with m_{T+1} = 0."""
    m = [*markers(tokens), 0]
    return [sum(m[1 : i + 1]) for i in range(1, len(tokens) + 1)]


def before_depths(tokens: Sequence[str]) -> list[int]:
    """Σ_{j<i} m_j."""
    m = markers(tokens)
    return [sum(m[: i - 1]) for i in range(1, len(tokens) + 1)]


def folded(x: Fraction) -> Fraction:
    """|x| folded into [0, 1]: cos(πx) falls as this grows."""
    x = abs(x) % 2
    return 2 - x if x > 1 else x


def nearest_on_circle(target: int, length: int) -> list[int]:
    """The positions j whose cos(π(target - j)/T) is largest, by exact angles."""
    angle = {j: folded(Fraction(target - j, length)) for j in range(1, length + 1)}
    return [j for j, value in angle.items() if value == min(angle.values())]


def sine(whole: int, turns: Fraction) -> Interval:
    """sin(whole + π·turns) with `whole` in radians."""
    low, high = pi(2 * BITS)
    slack = abs(whole) * (high - low)
    least, most = cos_pi(whole / low + turns - Fraction(1, 2), BITS)
    return least - slack, most + slack


def step(i: int, j: int, length: int, terms: int, kind: str) -> Interval:
    """The printed or repaired Fourier sum for [j ≥ i+2]."""
    if kind == "exact":
        return Fraction(int(j >= i + 2)), Fraction(int(j >= i + 2))
    low = high = Fraction(0)
    for odd in (2 * k + 1 for k in range(terms + 1)):
        a, b = _one_sine(i, j, length, odd, kind)
        low, high = low + a / odd, high + b / odd
    if kind == "repaired":
        below, above = pi(BITS)
        ends = [4 * x / y for x in (low, high) for y in (below, above)]
        low, high = min(ends), max(ends)
    return (1 + low) / 2, (1 + high) / 2


@cache
def _one_sine(i: int, j: int, length: int, odd: int, kind: str) -> Interval:
    if kind == "literal":
        return sine(odd * (i - j), Fraction(-5 * odd, 4 * length))
    if kind == "scaled":
        return sine(0, Fraction(odd * (4 * (i - j) - 5), 4 * length))
    if kind == "repaired":
        return sine(0, Fraction(odd * (2 * (j - i) - 3), 2 * (length + 1)))
    raise Refused(f"step {kind!r} is not known")


def near(i: int, j: int, length: int, terms: int, kind: str) -> Interval:
    """cos(π(i+2-j)/T) + 2 [j ≥ i+2]."""
    a, b = cos_pi(Fraction(i + 2 - j, length), BITS)
    c, d = step(i, j, length, terms, kind)
    return a + 2 * c, b + 2 * d


def running(i: int, depth: Sequence[int]) -> list[int]:
    """The positions with the least (1 - (d_j - d_i))²."""
    penalty = [(1 - (d - depth[i - 1])) ** 2 for d in depth]
    return [j for j, value in enumerate(penalty, 1) if value == min(penalty)]


@dataclass(frozen=True)
class Automaton:
    """A WTA with integer weights: tensor[a][b][c] and leaf vectors."""

    tensor: tuple[tuple[Vector, ...], ...]
    leaves: dict[str, Vector]

    @property
    def n(self) -> int:
        """The number of states."""
        return len(self.tensor)

    def product(self, left: Sequence[Any], right: Sequence[Any]) -> tuple[Any, ...]:
        """T ×₂ left ×₃ right."""
        n = range(self.n)
        return tuple(
            sum(self.tensor[a][b][c] * left[b] * right[c] for b in n for c in n) for a in n
        )

    def state(self, tree: Tree) -> tuple[Any, ...]:
        """μ(t), by recursion."""
        if isinstance(tree, str):
            if tree not in self.leaves:
                raise Refused(f"leaf {tree!r} is not in the alphabet")
            return self.leaves[tree]
        return self.product(self.state(tree[0]), self.state(tree[1]))


def automaton(tensor: Sequence[Any], leaves: Mapping[str, Sequence[Any]]) -> Automaton:
    """A WTA from rows of weights; rows of another length are refused."""
    n = len(tensor)
    rows = [*leaves.values(), *(row for part in tensor for row in part)]
    if {*map(len, tensor), *map(len, rows)} != {n} or set(leaves) & {"[", "]", ""}:
        raise Refused(f"tensor, leaves: expected {n} weights a row, and vectors for letters")
    cube = tuple(tuple(map(tuple, part)) for part in tensor)
    return Automaton(cube, {letter: tuple(row) for letter, row in leaves.items()})


def right_rule(tokens: Sequence[str]) -> dict[int, int]:
    """The repaired right head: the nearest j ≥ i with d_j = d_i + 1 that follows no "["."""
    d = before_depths(tokens)
    found = {}
    for i in (i for i, symbol in enumerate(tokens, 1) if symbol == "["):
        fits = [
            j
            for j in range(i, len(tokens) + 1)
            if d[j - 1] == d[i - 1] + 1 and tokens[j - 2] != "["
        ]
        found[i] = min(fits, default=0)
    return found


def labelled(tree: Tree, letters: Iterator[str]) -> Tree:
    """The same shape with letters from left to right."""
    if isinstance(tree, str):
        return next(letters)
    left = labelled(tree[0], letters)
    return left, labelled(tree[1], letters)


def layers_of(
    wta: Automaton, tokens: Sequence[str], layers: int
) -> Iterator[list[tuple[Any, ...]]]:
    """The states at all positions after 0, 1, … parse layers: left at i + 1, right by the rule."""
    zero = (0,) * wta.n
    right = right_rule(tokens)
    states = [wta.leaves.get(token, zero) for token in tokens]
    yield states
    for _ in range(layers):
        states = [
            wta.product(states[i], states[right[i] - 1]) if i in right else states[i - 1]
            for i in range(1, len(tokens) + 1)
        ]
        yield states
