"""Theorem 2: soft attention and an MLP simulate every WFA approximately (Appendix B.2).

Claimed       depth log₂ T, embedding 2n² + 2, attention width 2n² + 2, MLP width 2n⁴ + 3n² + 1,
              two heads; the error falls below any ε as the saturating constant C grows
Constructs    Theorem 1's transformer with W_Q and W_K times √C and softmax in place of hard
              attention; the feed-forward block is the exact product, which isolates the error of
              attention, or an MLP that multiplies
Notation      C saturating constant: a row of scores is C cos(π(t - s - 2^(l-1))/M), and the row
              of softmax weights depends on t - s - 2^(l-1) modulo 2M only
Unlike print  shapes as in Theorem 1; the MLP is written out (see `multiplication`), since the
              paper gives none; its output matrix holds W_out
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from constructions.automata.wfa import WFA
from constructions.blocks.multiplication import Multiplier
from constructions.core.errors import InputError
from constructions.core.exact import Exact, root
from constructions.core.matrix import Matrix
from constructions.core.numbers import number
from constructions.core.transformer import MLP, Attention, Bilinear, Head, Layer
from constructions.theorem1 import (
    WordSimulation,
    assemble,
    check_length,
    combine,
    depth,
    product_block,
    span,
)
from constructions.theorem1 import heads as hard_heads

PRODUCT = "product"
FeedForward = str | Multiplier | MLP[Matrix]


def heads(n: int, layer: int, span: int, saturation: Fraction) -> tuple[Head[Matrix], ...]:
    """The heads of Theorem 1 with √C on W_Q and W_K, and softmax."""
    factor = root(saturation)
    return tuple(
        _saturated_head(head, factor) for head in hard_heads(n, layer, span, Attention.SOFT)
    )


def _saturated_head(head: Head[Matrix], factor: Exact) -> Head[Matrix]:
    return replace(head, query=head.query.scaled(factor), key=head.key.scaled(factor))


def block(n: int, feedforward: FeedForward) -> Bilinear[Matrix] | MLP[Matrix]:
    """The feed-forward block: the exact product, or an MLP."""
    if isinstance(feedforward, Multiplier):
        if feedforward.n != n:
            raise InputError("feedforward", f"matrices of size {feedforward.n}", f"size {n}")
        return feedforward.block
    if isinstance(feedforward, MLP):
        return feedforward
    if feedforward == PRODUCT:
        return product_block(n)
    raise InputError("feedforward", feedforward, f"'{PRODUCT}', a multiplier or an MLP")


def check_saturation(saturation: Fraction | int | str) -> Fraction:
    """A rational C > 0, or a clear error."""
    value = number(saturation, "saturation")
    if value <= 0:
        raise InputError("saturation", str(value), "a number > 0")
    return value


def layers(
    n: int, length: int, saturation: Fraction, feedforward: FeedForward = PRODUCT
) -> tuple[Layer[Matrix], ...]:
    """⌈log₂ T⌉ layers, alike but for θ."""
    return tuple(
        Layer(heads(n, layer, span(length), saturation), combine(n), block(n, feedforward))
        for layer in range(1, depth(length) + 1)
    )


def build(
    automaton: WFA,
    length: int,
    saturation: Fraction | int | str,
    feedforward: FeedForward = PRODUCT,
) -> WordSimulation:
    """Theorem 2's transformer for an automaton at length T ≥ 1 with saturating constant C.

    Examples:
        >>> from constructions.arithmetic import Multiprecision
        >>> from constructions.automata.families import counting
        >>> model = build(counting(), 4, 40)
        >>> round(float(model.states("0100", Multiprecision(30))[-1][0]), 3)
        3.0

    """
    constant = check_saturation(saturation)
    return assemble(
        automaton, length, layers(automaton.n, check_length(length), constant, feedforward)
    )
