"""Trees and tree automata that several tests share."""

from collections.abc import Sequence
from random import Random

from constructions.automata.tree_automaton import TreeAutomaton
from constructions.automata.trees import CLOSE, OPEN, Tree, balanced_tree


def caterpillar(labels: Sequence[str], hair: int = 2) -> Tree:
    """A comb whose teeth are balanced trees of `hair` leaves."""
    teeth = [balanced_tree(labels[i : i + hair]) for i in range(0, len(labels), hair)]
    tree = teeth[-1]
    for tooth in reversed(teeth[:-1]):
        tree = (tooth, tree)
    return tree


def end_index(symbols: Sequence[str], start: int) -> int:
    """The unique j such that x_start … x_j is the string of a tree, by counting brackets."""
    depth = 0
    for j in range(start, len(symbols) + 1):
        depth += {OPEN: 1, CLOSE: -1}.get(symbols[j - 1], 0)
        if depth == 0:
            return j
    raise ValueError(f"no subtree begins at {start}")


def random_automaton(n: int, seed: int, density: float = 0.3) -> TreeAutomaton:
    """A random non-deterministic tree automaton over {a, b}."""
    random = Random(seed)
    states = range(n)
    rules = [(p, r, q) for p in states for r in states for q in states if random.random() < density]
    leaves = {s: [q for q in states if random.random() < 0.6] for s in "ab"}
    return TreeAutomaton.of(n, leaves, rules, [n - 1])


def maskless_ranks(symbols: Sequence[str]) -> dict[int, int]:
    """For each position of I_t, after how many layers of `build_maskless` its state is there.

    0 at a letter, max(left + 2, right + 1) at a node.
    """
    found: dict[int, int] = {}
    pending: list[int] = []
    for i, symbol in enumerate(symbols, 1):
        if symbol == CLOSE:
            right, left = pending.pop(), pending.pop()
            found[pending[-1]] = max(found[left] + 2, found[right] + 1)
        else:
            pending.append(i)
            if symbol != OPEN:
                found[i] = 0
    return found


def maskless_layers(symbols: Sequence[str]) -> int:
    """How many layers `build_maskless` needs for a tree."""
    return maskless_ranks(symbols)[1]
