"""The model of an n-gram table for an order, and its certificate."""

from __future__ import annotations

from constructions.automata.ngram import Ngram
from constructions.core.errors import InputError
from constructions.exports.built_model import Constants, ExportModel, Guarantee
from constructions.exports.limit import LONGEST, MOST_BYTES, SIZE, readable
from constructions.exports.ngram import bytes_needed
from constructions.exports.order import Order, settle_ngram
from constructions.ngram_model import NgramModel
from verify.automaton.certificate import HALF, upper
from verify.automaton.constants import format_precision
from verify.bounds.ngram import ngram_variation

QUANTITY = "in total variation of the next-symbol distribution, after every word"
LIMITS = (
    "After a history that the table does not have, the distribution is that of its longest suffix that it "
    "has; an unknown letter is in no context.",
    "The units are ReLU, which is 0 exactly where it is off.",
)


def make_ngram(table: Ngram, order: Order) -> tuple[ExportModel, Guarantee]:
    """The model and its guarantee, before it is run or written; refuse a model that is too large."""
    order = settle_ngram(order)
    simulation = NgramModel(table, order.length, order.format)
    if not order.large:
        _check_size(simulation, order)
    error, rounded = (
        ngram_variation(simulation),
        ngram_variation(simulation, format_precision(order)),
    )
    certified = upper(rounded) if rounded < HALF else None
    model = ExportModel(table, order, Constants(), simulation)
    return model, Guarantee(QUANTITY, upper(error), certified, limits=LIMITS)


def _check_size(model: NgramModel, order: Order) -> None:
    if order.length > LONGEST:
        raise InputError("length", order.length, f"at most {LONGEST}, or large=True")
    size = bytes_needed(model, SIZE[order.dtype])
    if size > MOST_BYTES:
        found = f"{len(model.contexts)} contexts, about {readable(size)} of weights"
        expected = f"at most {readable(MOST_BYTES)}: a smaller order, or large=True"
        raise InputError("counts", found, expected)
