"""Exact simulation on T + 1 tokens: no pads, positions given once, every length T ≥ 1.

Claimed       the assumptions of Theorem 1's proof "are only for ease of exposition"
Constructs    a token for the beginning and one for each letter; three hard heads, a bilinear block,
              ⌈log₂ T⌉ layers, embedding dimension 2n² + 2. A query that points before the first
              token finds that token nearest, which holds the empty product
Notation      n states; L = ⌈log₂ T⌉; the code of position t has angle π·t·s·2^(l-1) in layer l,
              with s = 1/(T·2^L): in the last layer the angles are at most π/2
Why it works  the angles of a query and a key differ by at most π(T + 2^(L-1))/(2T) < π, so that
              the score, the cosine of the difference, is largest at the nearest key alone
"""

from __future__ import annotations

from fractions import Fraction

from constructions import theorem1
from constructions.automata.wfa import WFA
from constructions.variants import carried_positions


def step(length: int) -> Fraction:
    """The angle of position 1 in the first layer, over π."""
    return Fraction(1, length << theorem1.depth(length))


def build(automaton: WFA, length: int) -> carried_positions.CarriedSimulation:
    """A transformer that returns all m + 1 states of a word of m ≤ T letters on m + 1 tokens.

    >>> from constructions.arithmetic import Rational
    >>> from constructions.automata.families import counting
    >>> [str(count) for count, _ in build(counting(), 3).states("010", Rational())]
    ['0', '1', '1', '2']
    """
    return carried_positions.assemble(
        automaton, length, step(theorem1.check_length(length)), padded=False
    )
