"""Re-checks what is said of the closing sections.

`closing.bracketed`  the state of a tree is the vector of inside weights of its bracketed string: a
                     table over all substrings against the recursion on the tree, at whole numbers
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

from verify.recheck.errors import Refused, agree, integer, only

Body = Mapping[str, Any]
Vector = list[int]
Tree = Any  # a letter, or a pair of trees


def bracketed(body: Body) -> str:
    """All labelled trees up to a size, for one WTA with whole weights."""
    only(body, {"kind", "states", "rules", "leaves", "trees"})
    n, leaves = integer(body, "states", 1), integer(body, "leaves", 1)
    if n > 3 or leaves > 4:
        raise Refused("at most 3 states and 4 leaves are run again")
    agree("rules", integer(body, "rules"), n**3 + 2 * n)
    trees = [tree for count in range(1, leaves + 1) for tree in _trees(count)]
    agree("trees", integer(body, "trees"), len(trees))
    for tree in trees:
        word = _written(tree)
        agree(f"the weights of {word}", _inside(word, n), _state(tree, n))
    return f"{len(trees)} trees: states are inside weights of their bracketed strings"


def _rule(a: int, b: int, c: int) -> int:
    return 3 * a * a + 7 * b + 11 * c * c - 5 * a * b * c + 2


def _leaf(letter: str, a: int) -> int:
    return (a + 2) ** 2 - (3 if letter == "a" else 6)


def _trees(count: int) -> Iterator[Tree]:
    if count == 1:
        yield from "ab"
    for left in range(1, count):
        yield from product(_trees(left), list(_trees(count - left)))


def _written(tree: Tree) -> str:
    return tree if isinstance(tree, str) else f"[{_written(tree[0])}{_written(tree[1])}]"


def _combined(left: Vector, right: Vector, n: int) -> Vector:
    size = range(n)
    return [sum(_rule(a, b, c) * left[b] * right[c] for b in size for c in size) for a in size]


def _state(tree: Tree, n: int) -> Vector:
    if isinstance(tree, str):
        return [_leaf(tree, a) for a in range(n)]
    return _combined(_state(tree[0], n), _state(tree[1], n), n)


def _inside(word: str, n: int) -> Vector:
    """A table of all substrings, shortest first; brackets by themselves have no weight."""
    table: dict[tuple[int, int], Vector] = {}
    for width in range(1, len(word) + 1):
        for i in range(len(word) - width + 1):
            j = i + width
            value = [_leaf(word[i], a) if width == 1 and word[i] in "ab" else 0 for a in range(n)]
            if width >= 4 and word[i] == "[" and word[j - 1] == "]":
                for cut in range(i + 2, j - 1):
                    more = _combined(table[i + 1, cut], table[cut, j - 1], n)
                    value = [x + y for x, y in zip(value, more, strict=True)]
            table[i, j] = value
    return table[0, len(word)]


VALIDATORS: dict[str, Callable[[Body], str]] = {"closing.bracketed": bracketed}
