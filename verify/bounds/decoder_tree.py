"""The C that the tree decoder needs to keep an error, for all trees up to a length, in exact arithmetic.

Claimed      by us: with C large the error at every position is below any ε; pointers of size T pass
             through softmax, so C grows with log T
Shown        by the recursion of `budget`, from a bound on every coordinate of the hard pass. Two gated units
             are a product whatever σ is, and the units that read the constant one are linear; with the
             residual stream they are added up before absolute values are taken, so that what is erased
             leaves nothing
Sizes        1 for marks; T and T² for positions and pointers; max(1, N - 1) for depths, which are in the
             scratch after the first two layers alone; for states and maps of contexts the bounds of `states`
Gap          positions, depths and pointers are integers, and so are scores: docs/decoder.md shows that the
             largest one of every row is 1 or more above the others
Notation     N leaves, T tokens
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import flint

from constructions.automata.trees import most_leaves
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.core.exact import ball, ceiling
from constructions.core.layout import Layout
from constructions.core.matrix import Entry, Matrix, Tensor
from constructions.core.transformer import Bilinear, Gated, Head, Layer, Mask
from constructions.decoder_tree import TreeDecoderSimulation, build
from verify.bounds.budget import (
    BITS,
    BudgetRecursion,
    BudgetSubject,
    TooSoft,
    sufficient_saturation,
)
from verify.bounds.states import context_tables, maximum, state_bounds

MOST_LEAVES = 256  # the sizes of contexts take N² steps
Sizes = tuple[Fraction, ...]
Blocks = Mapping[str, Sequence[Fraction | int]]


def required_saturation(automaton: WTA, length: int, eps: Fraction) -> tuple[int, flint.arb]:
    """The least whole C whose bound is at most ε, for all trees with |str(t)| ≤ length; and the bound."""
    if most_leaves(length) > MOST_LEAVES:
        raise TooSoft(f"trees have more than {MOST_LEAVES} leaves")
    if eps <= 0:
        raise InputError("eps", str(eps), "a number > 0")
    known = subject(build(automaton, length, "relu"))
    with flint.ctx.workprec(BITS):
        root = ceiling(flint.arb(automaton.n).sqrt())  # of errors of entries, to that of a state
        saturation = sufficient_saturation(known, eps / root)
        return saturation, ball(root * BudgetRecursion(known).bound(saturation))


def subject(model: TreeDecoderSimulation) -> BudgetSubject:
    """The input of the recursion for a decoder with hard heads and ReLU gates, whose weights are rational."""
    one = model.layout.at("one")
    bilinear = {id(layer): bilinear_layer(layer, one) for layer in model.transformer.layers}
    layers = tuple(bilinear[id(layer)] for layer in model.transformer.layers)
    embedded, *early, later = sizes(model.automaton, model.length, model.layout)
    return BudgetSubject(
        transformer=replace(model.transformer, layers=layers),
        embedded=embedded,
        sizes=later,
        tokens=model.length + 1,
        gap=Fraction(1),
        states=model.layout["state"],
        one=one,
        early=tuple(early),
    )


def sizes(automaton: WTA, length: int, layout: Layout) -> list[Sizes]:
    """V for each coordinate of a token, before the first layer, the second, the third and all others."""
    leaves = most_leaves(length)
    with flint.ctx.workprec(BITS):
        found = state_bounds(automaton, leaves)
        leaf, state = (list(map(ceiling, row)) for row in (found.states[0], found.largest()))
        matrix = list(map(ceiling, maximum([table.entries() for table in context_tables(found)])))
    depth, n = max(1, leaves - 1), automaton.n
    marks: Blocks = {"one": [1], "known": [1], "inactive": [1]}
    places: Blocks = {"index": [length], "square": [length**2], "pointer": [length]}
    start: Blocks = {**marks, **places, "matrix": [1] * n**2, "state": leaf}
    first: Blocks = {**start, "read_known": [1], "read_pointer": [depth], "read_state": leaf}
    second: Blocks = {**first, "read_matrix": [depth**2, *(n**2 - 1) * [0]]}
    later: Blocks = {**marks, **places, "left": [length], "matrix": matrix, "state": state}
    known = (start, first, second, later)
    return [tuple(map(Fraction, layout.vector(blocks))) for blocks in known]


def bilinear_layer(layer: Layer[Matrix], one: int) -> Layer[Matrix]:
    """Return the layer without a residual stream, with a bilinear block; a head copies the token."""
    block = layer.feedforward
    if not (isinstance(block, Gated) and layer.residual):
        raise TypeError("expected a gated block with a residual stream")
    size = layer.combine.shape[1]
    same = Matrix.identity(size)
    own = Head(Matrix.zeros(size, 0), Matrix.zeros(size, 0), same, mask=Mask.SELF, name="own")
    below = {(layer.combine.shape[0] + i, i): 1 for i in range(size)}
    rows = layer.combine.shape[0] + size
    combine = Matrix((rows, size), {**layer.combine.entries, **below})
    return Layer((*layer.heads, own), combine, bilinear_block(block, one))


def bilinear_block(block: Gated[Matrix], one: int) -> Bilinear[Matrix]:
    """The sum of a gated block with the token that it reads: linear forms, then products."""
    size, outward = block.inward.shape[0], block.output.transpose.columns()
    units = list(zip(block.inward.columns(), block.gate.columns(), outward, strict=True))
    linear = [unit for unit in units if unit[1] == {one: 1}]
    products = [unit for unit in units if unit[1] != {one: 1}][::2]  # of each pair, the first
    inward = Matrix.of_columns(size, [form for form, _, _ in linear])
    added = inward @ Matrix.of_columns(size, [form for _, _, form in linear]).transpose
    entries = defaultdict[tuple[int, int], Entry](int, added.entries)
    for c in range(size):
        entries[c, c] += 1
    kept = Matrix((size, size), {at: weight for at, weight in entries.items() if weight != 0})
    left = [*Matrix.identity(size).columns(), *(form for form, _, _ in products)]
    right = [*({one: 1} for _ in range(size)), *(gate for _, gate, _ in products)]
    output = [*kept.transpose.columns(), *(form for _, _, form in products)]
    count = range(len(left))
    return Bilinear(
        Matrix.of_columns(size, left),
        Matrix.of_columns(size, right),
        Tensor((len(left),) * 3, {(k, k, k): 1 for k in count}),
        Matrix.of_columns(size, output).transpose,
    )
