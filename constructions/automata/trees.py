"""Binary trees with labelled leaves, and their strings (Sections 2.3 and 4.1).

Defines       the smallest set that contains Σ and with t_1, t_2 also (t_1, t_2); str(t); the
              positions I_t of str(t) that begin a subtree; the map τ from I_t to subtrees
Notation      a leaf is its symbol (a string), an inner node a pair; "[" and "]" are the brackets
              of str(t); positions count from 1, as in the paper
Unlike print  str(t) lies in (Σ ∪ {[, ]})*, not in Σ* ∪ {[, ]}; the symbols must not be brackets

Trees may be deep, so every walk here is a loop, not a recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias, TypeVar

from constructions.core.errors import InputError, check_fits

OPEN, CLOSE = "[", "]"
Tree: TypeAlias = "str | tuple[Tree, Tree]"
Value = TypeVar("Value")


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
        _check_children(open_nodes, position)
    if len(open_nodes) > 1:
        raise InputError(f"tree, position {len(symbols) + 1}", "the end", f"a closing {CLOSE}")
    (trees,) = open_nodes
    if not trees:
        raise InputError("tree, position 1", "nothing", "a symbol or an opening bracket")
    (tree,) = trees
    return tree


def _close(open_nodes: list[list[Tree]], position: int) -> None:
    field = f"tree, position {position}"
    if len(open_nodes) == 1:
        raise InputError(field, CLOSE, "no closing bracket without an opening one")
    match open_nodes.pop():
        case [left, right]:
            open_nodes[-1].append((left, right))
        case children:
            raise InputError(field, f"a node with {len(children)} subtrees", "two subtrees")


def _check_children(open_nodes: list[list[Tree]], position: int) -> None:
    field = f"tree, position {position}"
    if len(open_nodes) == 1 and len(open_nodes[0]) > 1:
        raise InputError(field, "a second tree", "the end of the first one")
    if len(open_nodes) > 1 and len(open_nodes[-1]) > 2:
        raise InputError(field, "a third subtree", f"a closing {CLOSE}")


def check_string(symbols: Sequence[str], most: int) -> None:
    """Refuse a string that is not a tree, or that has too many tokens."""
    parse(symbols)
    check_fits(len(symbols), most, "tree", "tokens")


def from_text(text: str) -> Tree:
    """A tree from text such as ``[a [b b]]``, ``(a (b b))`` or ``[a[bb]]``.

    Commas and blanks are skipped; without blanks every symbol is one character.

    Examples:
        >>> from_text("(a (b b))")
        ('a', ('b', 'b'))

    """
    return parse(split_tokens(text))


def split_tokens(text: str) -> list[str]:
    """The tokens of a text; round brackets count as square ones where no square one is used."""
    if not any(bracket in text for bracket in (OPEN, CLOSE)):
        text = text.replace("(", OPEN).replace(")", CLOSE)
    spaced = text.replace(OPEN, f" {OPEN} ").replace(CLOSE, f" {CLOSE} ").replace(",", " ")
    words = spaced.split()
    if any(character.isspace() for character in text.strip()):
        return words
    return [part for word in words for part in word]


def string(tree: Any) -> tuple[str, ...]:
    """str(t) of a tree in any of its forms, checked.

    A pair, text with [ ] or ( ), the tokens themselves, or an nltk tree whose inner nodes have two
    children each (a node with one child counts as that child; labels of inner nodes are left out).

    Examples:
        >>> string(("a", ("b", "b")))
        ('[', 'a', '[', 'b', 'b', ']', ']')

    """
    if isinstance(tree, str):
        return tokens(parse([tree])) if len(tree) == 1 else tokens(from_text(tree))
    if hasattr(tree, "label") and hasattr(tree, "treepositions"):
        return tokens(from_nltk(tree))
    if isinstance(tree, tuple) and len(tree) == 2 and OPEN not in tree:
        return tokens(_pairs(tree))
    if not isinstance(tree, Sequence):
        raise InputError("tree", tree, "a pair, text such as [a [b b]], tokens, or an nltk tree")
    parse(tree)
    return tuple(tree)


def _pairs(tree: Any) -> Tree:
    """Return the tree if every inner node is a pair and every leaf a string; else refuse it."""
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, (tuple, list)) and len(node) == 2:
            pending += node
        elif not isinstance(node, str):
            found = f"a node with {len(node)} subtrees" if isinstance(node, (tuple, list)) else node
            raise InputError("tree", found, "pairs, with symbols at the leaves")
    pairs: Tree = tree
    return pairs


def from_nltk(tree: Any) -> Tree:
    """A tree from an `nltk.Tree`: leaves are symbols, labels of inner nodes are left out.

    Recursion is bounded by nltk's own, which builds and prints trees that way.
    """
    if isinstance(tree, str):
        return tree
    match list(tree):
        case [only]:
            return from_nltk(only)
        case [left, right]:
            return from_nltk(left), from_nltk(right)
        case children:
            found = f"a node {tree.label()} with {len(children)} subtrees"
            raise InputError("tree", found, "two subtrees: see nltk's chomsky_normal_form()")


def positions(symbols: Sequence[str]) -> list[int]:
    """I_t: the positions of str(t), from 1, that are not closing brackets."""
    return [i for i, symbol in enumerate(symbols, 1) if symbol != CLOSE]


def ends(symbols: Sequence[str]) -> dict[int, int]:
    """For each position of I_t, where a subtree begins, the position where it ends."""
    ends_by_start: dict[int, int] = {}
    opened: list[int] = []
    for i, symbol in enumerate(symbols, 1):
        if symbol == OPEN:
            opened.append(i)
        else:
            ends_by_start[opened.pop() if symbol == CLOSE else i] = i
    return ends_by_start


def most_leaves(length: int) -> int:
    """The largest number of leaves of a tree with |str(t)| = 3·leaves - 2 ≤ T."""
    return (length + 2) // 3


def children(symbols: Sequence[str]) -> dict[int, tuple[int, int]]:
    """For each opening bracket, the positions where its left and right subtree begin."""
    pairs: dict[int, tuple[int, int]] = {}
    pending: list[list[int]] = [[]]
    for i, symbol in enumerate(symbols, 1):
        if symbol == CLOSE:
            opened, left, right = pending.pop()
            pairs[opened] = (left, right)
            continue
        if symbol == OPEN:
            pending[-1].append(i)
            pending.append([i])
        else:
            pending[-1].append(i)
    return pairs


def values_from_below(
    symbols: Sequence[str], leaf: Callable[[str], Value], node: Callable[[Value, Value], Value]
) -> dict[int, Value]:
    """A value for each position of I_t: a leaf's from its symbol, a node's from its children's.

    Examples:
        >>> values_from_below("[a[bc]]", lambda symbol: 1, lambda left, right: left + right)
        {2: 1, 4: 1, 5: 1, 3: 2, 1: 3}

    """
    values: dict[int, Value] = {}
    pending: list[int] = []
    for i, symbol in enumerate(symbols, 1):
        if symbol == CLOSE:
            right, left = pending.pop(), pending.pop()
            values[pending[-1]] = node(values[left], values[right])
        else:
            pending.append(i)
            if symbol != OPEN:
                values[i] = leaf(symbol)
    return values


def depths(symbols: Sequence[str]) -> list[int]:
    """For each position, the number of brackets open before it; a closing one counts as closed."""
    depth, depths_by_position = 0, []
    for symbol in symbols:
        depth -= symbol == CLOSE
        depths_by_position.append(depth)
        depth += symbol == OPEN
    return depths_by_position


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


def relabelled_tree(tree: Tree, labels: Sequence[str]) -> Tree:
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


def balanced_tree(labels: Sequence[str]) -> Tree:
    """Neighbours paired, then these pairs, and so on: no tree with as many leaves is lower."""
    level: list[Tree] = list(labels)
    while len(level) > 1:
        pairs: list[Tree] = [(a, b) for a, b in zip(level[::2], level[1::2], strict=False)]
        level = pairs + level[len(pairs) * 2 :]
    return level[0]
