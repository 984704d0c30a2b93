"""The recursion of `budget` as plain data: layers by the forms of their heads and products.

Only constructions with rational weights and scores that are integers (gap 1) are written; the
re-checker runs the recursion again in rationals, with tanh units.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from constructions.automata.wta import WTA
from constructions.blocks.smoothing import FourUnits, products
from constructions.core.matrix import Entry, Matrix
from constructions.core.transformer import Bilinear, Layer
from verify.bounds.budget import BudgetSubject

Plain = list[list[Any]]


def certificate(
    subject: BudgetSubject,
    automaton: WTA,
    saturation: int,
    units: FourUnits | None,
    bound: Fraction,
) -> dict[str, Any]:
    """Layers, sizes, C and h, and the stated bound."""
    if subject.gap != 1 or (units is not None and units.activation.name != "tanh"):
        raise ValueError("only integer scores and tanh units are written as plain data")
    given = subject.transformer.layers
    distinct = list({id(layer): layer for layer in given}.values())
    return {
        "tokens": subject.tokens,
        "saturation": saturation,
        "smooth": None if units is None else units_data(units),
        "embedded": [str(size) for size in subject.embedded],
        "sizes": [str(size) for size in subject.sizes],
        "states": list(subject.states),
        "renewed": list(subject.transformer.positions),
        "layers": [layer_data(layer) for layer in distinct],
        "order": [next(i for i, one in enumerate(distinct) if one is layer) for layer in given],
        "automaton": automaton_data(automaton),
        "bound": str(bound),
    }


def units_data(units: FourUnits) -> dict[str, Any]:
    """h = 2^-bits and the scale."""
    return {"bits": units.step.denominator.bit_length() - 1, "scale": str(units.scale)}


def automaton_data(automaton: WTA) -> dict[str, Any]:
    """The tensor and the leaves of a WTA."""
    tensor = [[[str(w) for w in row] for row in rows] for rows in automaton.tensor]
    return {"tensor": tensor, "leaves": {s: list(map(str, v)) for s, v in automaton.leaves.items()}}


def layer_data(layer: Layer[Matrix]) -> dict[str, Any]:
    """The forms of a layer's heads and of its products."""
    block = layer.feedforward
    if not isinstance(block, Bilinear):
        raise TypeError("only bilinear layers are written out")
    heads = [
        {part: _matrix(getattr(head, part)) for part in ("query", "key", "value")}
        for head in layer.heads
    ]
    terms = products(block)
    return {
        "heads": heads,
        "left": [entry for k, p in enumerate(terms) for entry in _column(p.left, k)],
        "right": [entry for k, p in enumerate(terms) for entry in _column(p.right, k)],
        "output": [
            [k, c, str(Fraction(w))] for k, p in enumerate(terms) for c, w in p.output.items()
        ],
    }


def _matrix(matrix: Matrix) -> Plain:
    return [entry for k, form in enumerate(matrix.columns()) for entry in _column(form, k)]


def _column(form: Mapping[int, Entry], column: int) -> Plain:
    return [[row, column, str(Fraction(weight))] for row, weight in form.items()]
