"""The decoder that `assay export` writes by default: its sizes, its C and the error it keeps.

The numbers are those of the export: an automaton over words is reduced, then C is chosen. Where the export
refuses, or reduction or the choice of C takes long, there are sizes and a reason in place of C.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import flint

from constructions import decoder, decoder_tree
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.core.sizes import sizes as measured
from constructions.exports.limit import decoder_sizes
from constructions.exports.order import DECODER, Order, settle
from verify.automaton.constants import choose, exact_error, reduce
from verify.automaton.numbers import at_most, shown
from verify.automaton.report_data import Construction, Quantity, certified
from verify.automaton.sizes import LARGEST_BUILT
from verify.bounds.budget import TooSoft

NAME = "decoder"
MOST_STATES = 20  # to reduce, which takes a second there and a quarter of a minute at 60
MOST_WORK = 1 << 22  # for trees; two or three seconds
EXPORTED = "what assay export writes: softmax, gated block"
TOO_LARGE = "softmax, gated block; too large for assay export"
WORDS = ("beyond.decoder", "beyond.decoder.soft")
TREES = ("beyond.decoder.trees", "beyond.decoder.trees.soft")


@dataclass(frozen=True)
class Decoder:
    """Sizes of the decoder; its C and the error that C keeps, or the reason why no C is known."""

    sizes: dict[str, int]
    parameters: int
    note: str
    statements: tuple[str, ...]
    saturation: Fraction | None = None
    error: flint.arb | Fraction | None = None
    reason: str = ""


def for_words(wfa: WFA, length: int, eps: Fraction) -> Decoder:
    """The decoder of an automaton over words."""
    size = decoder.sizes(wfa.n, max(length, 2))
    count, why, note = _parameters(wfa.n, wfa.n, size), f"not computed: {wfa.n} states", EXPORTED
    try:
        if wfa.n <= MOST_STATES:
            return _exported(wfa, settle(Order(length, DECODER, eps=eps), words=True))
    except InputError:
        why, note = "not computed: too large for assay export", TOO_LARGE
    except TooSoft as error:
        why = f"not found: {error}"
    return Decoder(size, count, note, WORDS, reason=why)


def _exported(wfa: WFA, order: Order) -> Decoder:
    """Return the decoder that the export writes."""
    candidates = reduce(wfa, order)
    decision = choose(wfa, order, candidates)
    n = candidates[0].automaton.n
    size = decoder_sizes(n, order, words=True)
    note = EXPORTED if n == wfa.n else f"{EXPORTED}; {n} of {wfa.n} states are enough"
    return Decoder(size, _parameters(n, wfa.n, size), note, WORDS,
                   decision.constants.saturation, exact_error(decision))  # fmt: skip


def _parameters(n: int, outputs: int, size: dict[str, int]) -> int:
    """Entries of all matrices: query and key of width 2, value and W_O of n², three of the block."""
    width = size["d_model"]
    return size["layers"] * width * (3 * size["d_mlp"] + 4 + 2 * n * n) + width * outputs


def for_trees(wta: WTA, length: int, eps: Fraction) -> Decoder | None:
    """The decoder of a tree automaton; none where the models are too large to build."""
    if wta.n > LARGEST_BUILT:
        return None
    size = decoder_tree.sizes(wta.n, length)
    count = measured(decoder_tree.build(wta, length).transformer).parameters
    if wta.n**3 * length**2 > MOST_WORK:
        why = f"not computed: {wta.n} states, length {length}"
        return Decoder(size, count, EXPORTED, TREES, reason=why)
    try:
        made = choose(wta, settle(Order(length, DECODER, eps=eps), words=False), ())
    except TooSoft as error:
        return Decoder(size, count, EXPORTED, TREES, reason=f"not found: {error}")
    return Decoder(size, count, EXPORTED, TREES, made.constants.saturation, made.error)


def construction(found: Decoder) -> Construction:
    """The decoder as a row of the table of constructions."""
    size = found.sizes
    return Construction(
        name=NAME,
        depth=size["layers"],
        embedding=size["d_model"],
        attention=size["d_head"],
        feedforward=size["d_mlp"],
        heads=size["heads"],
        tokens=size["context"],
        parameters=found.parameters,
        note=found.note,
        statements=found.statements,
    )


def quantities(found: Decoder, eps: Fraction) -> Iterator[Quantity]:
    """C of the decoder, and the error that it keeps."""
    name = "saturating constant C, decoder"
    meaning = f"softmax and a gated block keep every state of every input within {shown(eps)}"
    if found.saturation is None or found.error is None:
        yield Quantity(name, found.reason, meaning, "none")
        return
    yield certified(name, f"{float(found.saturation):.10g}", meaning)
    where = "largest over all positions of all inputs, exact arithmetic"
    yield certified("error of the decoder at this C", at_most(found.error), where)
