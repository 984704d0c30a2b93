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
from constructions.core.matrix import Matrix
from constructions.core.sizes import Sizes
from constructions.core.sizes import sizes as measured
from constructions.core.transformer import Transformer
from constructions.theorem1 import depth, span
from verify.automaton.report_data import Construction
from verify.automaton.soft import LEVELS
from verify.bounds.refined import BoundedRefinedUnits

LARGEST_BUILT = 12
UNITS = BoundedRefinedUnits.of("gelu", 1, LEVELS)  # sizes do not depend on the step
SOFT = f"softmax, {4 * LEVELS} GELU units a product, 2 a copy"


def for_sequences(automaton: WFA, length: int) -> Iterator[Construction]:
    """Theorem 1, and Theorem 2 with a slim and with the printed MLP."""
    n = automaton.n
    yield sequence(
        "exact",
        n,
        length,
        2 * n * n,
        _bilinear(n),
        "hard attention, bilinear layer",
        ("thm1", "thm1.widths"),
    )
    yield sequence(
        "soft, slim MLP",
        n,
        length,
        4 * n**3,
        _perceptron(n, 4 * n**3),
        "softmax, 4 units a product",
        ("thm2", "beyond.mlp.slim"),
    )
    wide = printed_width(n)
    yield sequence(
        "soft, printed MLP",
        n,
        length,
        wide,
        _perceptron(n, wide),
        "softmax, C(2n²+2, 2) units",
        ("thm2.widths", "thm2.width"),
    )


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
    leaves = theorem3.most_leaves(length)
    low = (leaves - 1).bit_length()
    tree = theorem3.build(automaton, length)
    every = logdepth.build(automaton, length)
    yield _built(
        "tree",
        tree.transformer,
        length,
        f"every tree: heights up to {theorem3.greatest_height(length)}",
        ("thm3.depth",),
    )
    yield _built(
        "tree, balanced only",
        theorem3.build(automaton, length, height=low).transformer,
        length,
        f"trees of height at most ⌈log2 {leaves}⌉ = {low} only",
        ("thm3.depth",),
    )
    yield _built(
        "soft tree",
        smooth_transformer(tree.transformer, UNITS, tree.plan.layout.at("one")),
        length,
        SOFT,
        ("thm3.saturation", "beyond.tree.soft"),
    )
    yield _built(
        "logdepth",
        every.transformer,
        length,
        f"every tree: Padovan bound for {leaves} leaves",
        ("beyond.logdepth.encoder", "thm3.question"),
    )
    yield _built(
        "soft logdepth",
        smooth_transformer(every.transformer, UNITS, every.plan.layout().at("one")),
        length,
        SOFT,
        ("beyond.logdepth.soft",),
    )


def _built(
    name: str, model: Transformer[Matrix], length: int, note: str, statements: tuple[str, ...]
) -> Construction:
    found: Sizes = measured(model)
    return Construction(
        name=name,
        depth=found.depth,
        embedding=found.embedding,
        attention=found.attention,
        feedforward=found.feedforward,
        heads=found.heads,
        tokens=length + 1,
        parameters=found.parameters,
        note=note,
        statements=statements,
    )
