"""Trees as strings: which strings are those of trees, and numbers of their positions.

    tree.strings        different trees have different strings; from each position of I_t exactly
                        one substring is a tree's; positions of I_t and nodes are equally many
    tree.strings-in     the strings of trees lie in a set of strings
    tree.one-length     all trees of at most T tokens have exactly T tokens
    tree.not-a-string   no tree has a given string
    tree.rule           two numbers that belong to positions agree on all trees
    tree.markers        letters and the two brackets have different markers

Notation      str(t) as in Section 4.1, with [ and ] for the brackets; I_t positions of no "]"
"""

from __future__ import annotations

from typing import Any

from constructions.automata.trees import CLOSE, OPEN, height, parse, positions, tokens
from constructions.core.errors import InputError
from verify.exactness.combs import end_counts, prefix_free, subtrees, trees_within
from verify.exactness.tree_positions import FUNCTIONS, first_difference, strings
from verify.facts.registry import fact
from verify.judge.outcome import Outcome, comparison

ALPHABET = "abcdefgh"
SETS = ("Σ* ∪ {[, ]}", "(Σ ∪ {[, ]})*")


@fact("tree.strings", "exhaustive")
def all_strings(letters: int, leaves: int) -> Outcome:
    """Strings are injective and prefix-free, ends are unique, nodes are the positions of I_t."""
    trees = trees_within(ALPHABET[:letters], leaves)
    strings_of_trees = {tokens(tree) for tree in trees}
    values = {"trees": len(trees), "positions": sum(len(positions(s)) for s in strings_of_trees)}
    if len(strings_of_trees) != len(trees) or not prefix_free(strings_of_trees):
        return Outcome(False, values, {"trees": len(trees), "strings": len(strings_of_trees)})
    for tree in trees:
        if (wrong := _string_fault(tree, strings_of_trees)) is not None:
            return Outcome(False, values, {"string": "".join(tokens(tree)), **wrong})
    return Outcome(True, values)


def _string_fault(tree: Any, strings_of_trees: set[tuple[str, ...]]) -> dict[str, Any] | None:
    """Return a fault of the string of one tree, or None."""
    string = tokens(tree)
    for i, ends in end_counts(strings_of_trees, string).items():
        if ends != 1:
            return {"position": i, "ends": ends}
    nodes, places = len(subtrees(tree)), len(positions(string))
    if parse(string) != tree or nodes != places:
        return {"nodes": nodes, "positions": places}
    if len(string) != 3 * string.count(CLOSE) + 1 or 3 * height(tree) >= len(string):
        return {"tokens": len(string), "height": height(tree)}
    return None


@fact("tree.strings-in", "exhaustive")
def strings_lie_in(among: str, letters: int, leaves: int) -> Outcome:
    """The string of every tree with at most that many leaves lies in the named set of strings."""
    if among not in SETS:
        raise ValueError(f"among = {among!r}, expected one of {SETS}")
    alphabet = ALPHABET[:letters]
    trees = trees_within(alphabet, leaves)
    for string in map(tokens, trees):
        if not _lies_in(string, among, set(alphabet)):
            return Outcome(False, {}, {"string": "".join(string)})
    return Outcome(True, {"trees": len(trees)})


def _lies_in(string: tuple[str, ...], among: str, letters: set[str]) -> bool:
    """Return whether a string is a word over letters and brackets, or one of the printed set."""
    if among == SETS[1]:
        return set(string) <= letters | {OPEN, CLOSE}
    return set(string) <= letters or string in ((OPEN,), (CLOSE,))


@fact("tree.one-length", "exhaustive")
def one_length(length: int) -> Outcome:
    """Every tree whose string has at most `length` tokens has exactly `length` tokens."""
    lengths = sorted({len(s) for s in strings((length + 2) // 3)})
    shortest = "".join(next(strings(1)))
    values = {"lengths": lengths}
    if lengths == [length]:
        return Outcome(True, values)
    return Outcome(False, values, {"string": shortest, "tokens": len(shortest), "length": length})


@fact("tree.not-a-string", "exact")
def no_tree_has_string(string: str) -> Outcome:
    """No tree has this string."""
    try:
        tree = parse(tuple(string))
    except InputError:
        return Outcome(True)
    return Outcome(False, {}, {"nodes": len(subtrees(tree))})


@fact("tree.rule", "exhaustive")
def numbers_agree(given: str, wanted: str, leaves: int) -> Outcome:
    """At every position of every shape the first number is the second one."""
    one, other = FUNCTIONS[given], FUNCTIONS[wanted]
    trees, wrong, places = 0, 0, 0
    first: dict[str, Any] | None = None
    for symbols in strings(leaves):
        said, true = one(symbols), other(symbols)
        trees, places = trees + 1, places + len(said)
        if (i := first_difference(said, true)) is not None:
            wrong += 1
            first = first or {
                "string": "".join(symbols),
                "position": i,
                "given": str(said[i]),
                "wanted": str(true[i]),
            }
    values = {"trees": trees, "positions": places, "wrong": wrong}
    return Outcome(first is None, values, first)


@fact("tree.markers", "exact")
def markers_differ(letter: int, opening: int, closing: int) -> Outcome:
    """The markers of letters, opening and closing brackets are three different numbers."""
    return comparison(len({letter, opening, closing}) == 3, markers=[letter, opening, closing])
