"""Binary trees with labelled leaves, and their strings (Sections 2.3 and 4.1).

Defines       the smallest set that contains Σ and with t_1, t_2 also (t_1, t_2); str(t); the
              positions I_t of str(t) that begin a subtree; the map τ from I_t to subtrees
Notation      a leaf is its symbol (a string), an inner node a pair; "[" and "]" are the brackets
              of str(t); positions count from 1, as in the paper
Unlike print  str(t) lies in (Σ ∪ {[, ]})*, not in Σ* ∪ {[, ]}; the symbols must not be brackets

Trees may be deep, so every walk here is a loop, not a recursion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from constructions.errors import InputError

OPEN, CLOSE = "[", "]"
Tree: TypeAlias = "str | tuple[Tree, Tree]"


def tokens(tree: Tree) -> tuple[str, ...]:
    """str(t), one token per symbol or bracket."""
    written: list[str] = []
    pending: list[Tree | None] = [tree]
    while pending:
        node = pending.pop()
        if node is None:
            written.append(CLOSE)
        elif isinstance(node, str):
            written.append(node)
        else:
            written.append(OPEN)
            pending += [None, node[1], node[0]]
    return tuple(written)


def parse(symbols: Sequence[str]) -> Tree:
    """The tree whose string this is; an error names the position that does not fit."""
    open_nodes: list[list[Tree]] = [[]]
    for position, symbol in enumerate(symbols, 1):
        if symbol == OPEN:
            open_nodes.append([])
        elif symbol == CLOSE:
            _close(open_nodes, position)
        else:
            open_nodes[-1].append(symbol)
        _not_too_many(open_nodes, position)
    if len(open_nodes) > 1:
        raise InputError(f"tree, position {len(symbols) + 1}", "the end", f"a closing {CLOSE}")
    if not open_nodes[0]:
        raise InputError("tree, position 1", "nothing", "a symbol or an opening bracket")
    return open_nodes[0][0]


def _close(open_nodes: list[list[Tree]], position: int) -> None:
    field = f"tree, position {position}"
    if len(open_nodes) == 1:
        raise InputError(field, CLOSE, "no closing bracket without an opening one")
    children = open_nodes.pop()
    if len(children) != 2:
        raise InputError(field, f"a node with {len(children)} subtrees", "two subtrees")
    open_nodes[-1].append((children[0], children[1]))


def _not_too_many(open_nodes: list[list[Tree]], position: int) -> None:
    field = f"tree, position {position}"
    if len(open_nodes) == 1 and len(open_nodes[0]) > 1:
        raise InputError(field, "a second tree", "the end of the first one")
    if len(open_nodes) > 1 and len(open_nodes[-1]) > 2:
        raise InputError(field, "a third subtree", f"a closing {CLOSE}")


def from_text(text: str) -> Tree:
    """A tree from text such as ``[a [b b]]`` or ``[a[bb]]``; commas and blanks are skipped."""
    spaced = text.replace(OPEN, f" {OPEN} ").replace(CLOSE, f" {CLOSE} ").replace(",", " ")
    words = spaced.split()
    single = not any(character.isspace() for character in text.strip())
    if single:
        words = [part for word in words for part in word]
    return parse(words)


def positions(symbols: Sequence[str]) -> list[int]:
    """I_t: the positions of str(t), from 1, that are not closing brackets."""
    return [i for i, symbol in enumerate(symbols, 1) if symbol != CLOSE]


def end_index(symbols: Sequence[str], start: int) -> int:
    """The unique j such that x_start … x_j is the string of a tree."""
    depth = 0
    for j in range(start, len(symbols) + 1):
        depth += {OPEN: 1, CLOSE: -1}.get(symbols[j - 1], 0)
        if depth == 0:
            return j
    raise InputError(f"tree, position {start}", symbols[start - 1], "the beginning of a subtree")


def subtree_at(symbols: Sequence[str], position: int) -> Tree:
    """τ(i): the subtree whose string begins at position i of str(t)."""
    return parse(symbols[position - 1 : end_index(symbols, position)])


def children(symbols: Sequence[str]) -> dict[int, tuple[int, int]]:
    """For each opening bracket, the positions where its left and right subtree begin."""
    found: dict[int, tuple[int, int]] = {}
    pending: list[list[int]] = [[]]
    for i, symbol in enumerate(symbols, 1):
        if symbol == CLOSE:
            opened, left, right = pending.pop()
            found[opened] = (left, right)
            continue
        if symbol == OPEN:
            pending[-1].append(i)
            pending.append([i])
        else:
            pending[-1].append(i)
    return found


def depths(symbols: Sequence[str]) -> list[int]:
    """For each position, the number of brackets open before it; a closing one counts as closed."""
    depth, found = 0, []
    for symbol in symbols:
        depth -= symbol == CLOSE
        found.append(depth)
        depth += symbol == OPEN
    return found


def leaves(tree: Tree) -> Iterator[str]:
    """The symbols at the leaves, from left to right."""
    return (symbol for symbol in tokens(tree) if symbol not in (OPEN, CLOSE))


def height(tree: Tree) -> int:
    """The number of edges on the longest way down: 0 for a leaf."""
    return max(depths(tokens(tree)))


def shapes(count: int, label: str = "a") -> Iterator[Tree]:
    """All ordered shapes with that many leaves, every leaf labelled alike."""
    if count == 1:
        yield label
        return
    for left in range(1, count):
        for one in shapes(left, label):
            for other in shapes(count - left, label):
                yield (one, other)


def relabel(tree: Tree, labels: Sequence[str]) -> Tree:
    """The tree of the same shape with the given leaf labels, from left to right."""
    given = iter(labels)
    return parse([s if s in (OPEN, CLOSE) else next(given) for s in tokens(tree)])


def comb(labels: Sequence[str]) -> Tree:
    """(σ_1, (σ_2, (σ_3, …))): the most unbalanced tree."""
    tree: Tree = labels[-1]
    for label in reversed(labels[:-1]):
        tree = (label, tree)
    return tree


def zigzag(labels: Sequence[str]) -> Tree:
    """A comb that turns left and right by turns."""
    tree: Tree = labels[0]
    for k, label in enumerate(labels[1:]):
        tree = (label, tree) if k % 2 else (tree, label)
    return tree


def balanced(labels: Sequence[str]) -> Tree:
    """Halves of halves."""
    level: list[Tree] = list(labels)
    while len(level) > 1:
        pairs: list[Tree] = [(a, b) for a, b in zip(level[::2], level[1::2], strict=False)]
        level = pairs + level[len(pairs) * 2 :]
    return level[0]


def caterpillar(labels: Sequence[str], hair: int = 2) -> Tree:
    """A comb whose teeth are balanced trees of `hair` leaves."""
    teeth = [balanced(labels[i : i + hair]) for i in range(0, len(labels), hair)]
    tree = teeth[-1]
    for tooth in reversed(teeth[:-1]):
        tree = (tooth, tree)
    return tree
