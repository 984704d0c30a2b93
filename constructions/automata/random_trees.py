"""Random trees and tree automata: the same seed gives the same one everywhere.

Constructs    random labels for a shape (`pebbling.random_shape`), random integer and rational WTAs
Notation      seeds are integers; nothing here uses the global random state
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

from constructions.automata.pebbling import random_shape
from constructions.automata.trees import Tree, relabelled_tree, tokens
from constructions.automata.wta import WTA


def random_tree(leaves: int, seed: int, alphabet: str = "ab") -> Tree:
    """A random tree with that many leaves: a random shape with random labels."""
    return labelled_shape(random_shape(leaves, Random(seed)), seed, alphabet)


def labelled_shape(shape: Tree, seed: int, alphabet: str = "ab") -> Tree:
    """A shape with random labels."""
    random = Random(seed)
    return relabelled_tree(shape, [random.choice(alphabet) for _ in tokens(shape)])


def random_wta(
    n: int, seed: int, bound: int = 2, alphabet: str = "ab", denominator: int = 1
) -> WTA:
    """A WTA with weights k/denominator, |k| ≤ bound, and no zero leaf vector."""
    random = Random(seed)

    def row() -> list[Fraction]:
        return [Fraction(random.randint(-bound, bound), denominator) for _ in range(n)]

    tensor = [[row() for _ in range(n)] for _ in range(n)]
    first = {symbol: Fraction(random.randint(1, bound), denominator) for symbol in alphabet}
    leaves = {symbol: [first[symbol], *row()[1:]] for symbol in alphabet}
    return WTA.of([1] * n, tensor, leaves)


def rational_wta(n: int, seed: int, alphabet: str = "abcdefghi") -> WTA:
    """A WTA whose weights are proper fractions ±p/q, 1 ≤ p < q ≤ 7; none of them is 0.

    >>> [str(x) for x in rational_wta(2, 1, "a").leaf("a")]
    ['-1/2', '-4/5']
    """
    random = Random(seed)

    def row() -> list[Fraction]:
        return [_proper(random) for _ in range(n)]

    tensor = [[row() for _ in range(n)] for _ in range(n)]
    return WTA.of([1] * n, tensor, {symbol: row() for symbol in alphabet})


def _proper(random: Random) -> Fraction:
    bottom = random.randint(2, 7)
    return Fraction(random.choice((-1, 1)) * random.randint(1, bottom - 1), bottom)
