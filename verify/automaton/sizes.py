"""Sizes of the constructions in closed form, equal to those of the built models.

Claimed       Theorem 1: depth log T, embedding 2n² + 2, MLP width 2n²; Theorem 2: MLP width
              2n⁴ + 3n² + 1; Theorem 3: depth 1 + depth(t), embedding n + 4 + p
Computed      the same from n and T, without building anything: an automaton of 500 states has an
              embedding of half a million coordinates, and one may still ask for its sizes
Notation      d embedding, L depth, M padded length; parameters count every entry of every matrix
"""

from __future__ import annotations

from collections.abc import Iterator

from constructions import logdepth, theorem3
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.blocks.multiplication import printed_width
from constructions.blocks.smoothing import smooth_transformer
from constructions.core.sizes import sizes as measured
from constructions.theorem1 import depth, span
from verify.automaton.report_data import Construction
from verify.automaton.soft import LEVELS
from verify.bounds.refined import BoundedRefinedUnits

LARGEST_BUILT = 12
UNITS = BoundedRefinedUnits.of("gelu", 1, LEVELS)  # sizes do not depend on the step
SIZES = ("depth", "embedding", "attention", "feedforward", "heads", "parameters")
SOFT = f"softmax, {4 * LEVELS} GELU units a product, 2 a copy"


def for_sequences(automaton: WFA, length: int) -> Iterator[Construction]:
    """Theorem 1, and Theorem 2 with a slim and with the printed MLP."""
    n, slim, wide = automaton.n, 4 * automaton.n**3, printed_width(automaton.n)
    for name, width, block, note, statements in (
        ("exact", 2 * n * n, _bilinear(n), "hard attention, bilinear layer", ("thm1", "thm1.widths")),
        ("soft, slim MLP", slim, _perceptron(n, slim), "softmax, 4 units a product",
         ("thm2", "beyond.mlp.slim")),
        ("soft, printed MLP", wide, _perceptron(n, wide), "softmax, C(2n²+2, 2) units",
         ("thm2.widths", "thm2.width")),
    ):  # fmt: skip
        yield sequence(name, n, length, width, block, note, statements)


def _bilinear(n: int) -> int:
    """Parameters of the bilinear block: two selectors, the tensor, W_out."""
    return 3 * (2 * n * n + 2) * n * n + n**6


def _perceptron(n: int, units: int) -> int:
    """Parameters of an MLP: two matrices and two biases."""
    return 2 * (2 * n * n + 2) * units + units + 2 * n * n + 2


def sequence(
    name: str, n: int, length: int, width: int, block: int, note: str, statements: tuple[str, ...]
) -> Construction:
    """A construction with Theorem 1's heads and a feed-forward block of the given size."""
    layers, d = depth(length), 2 * n * n + 2
    attention = 2 * (2 * 2 * d + d * d) + 2 * d * d
    there = int(layers > 0)
    return Construction(
        name=name,
        depth=layers,
        embedding=d,
        attention=there * d,
        feedforward=there * width,
        heads=there * 2,
        tokens=2 * span(length),
        parameters=layers * (attention + block) + d * n,
        note=note,
        statements=statements,
    )


def for_trees(automaton: WTA, length: int) -> Iterator[Construction]:
    """Theorem 3 repaired, hard and soft, for all and for balanced trees; the log-depth ones."""
    if automaton.n > LARGEST_BUILT:
        return
    leaves, tall = theorem3.most_leaves(length), theorem3.greatest_height(length)
    low = (leaves - 1).bit_length()
    tree, every = theorem3.build(automaton, length), logdepth.build(automaton, length)
    flat = theorem3.build(automaton, length, height=low)
    soft, soft_every = (
        smooth_transformer(model.transformer, UNITS, layout.at("one"))
        for model, layout in ((tree, tree.plan.layout), (every, every.plan.layout()))
    )
    padovan = f"every tree: Padovan bound for {leaves} leaves"
    balanced = f"trees of height at most ⌈log2 {leaves}⌉ = {low} only"
    for name, model, note, statements in (
        ("tree", tree.transformer, f"every tree: heights up to {tall}", ("thm3.depth",)),
        ("tree, balanced only", flat.transformer, balanced, ("thm3.depth",)),
        ("soft tree", soft, SOFT, ("thm3.saturation", "beyond.tree.soft")),
        ("logdepth", every.transformer, padovan, ("beyond.logdepth.encoder", "thm3.question")),
        ("soft logdepth", soft_every, SOFT, ("beyond.logdepth.soft",)),
    ):
        found = vars(measured(model))
        own = {key: found[key] for key in SIZES}
        yield Construction(name, tokens=length + 1, note=note, statements=statements, **own)
