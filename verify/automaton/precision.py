"""The precision of each model of an automaton against the length, in each floating-point format.

    precision(automaton, 8, 64)

Computed      for lengths T (powers of two, and both ends), formats and models: the error of every state of
              every word of at most T letters, absolute and relative to its own size, certified and
              measured; and the greatest length up to which it stays within ε
Exact         Theorem 1's module. Absolute: `rounding`, where the format decides every row of scores.
              Relative: where no weight is negative nothing cancels, each number is a sum of products of
              T + 1 weights, and (n + 2)(M + 1) roundings change each by at most γ as long as nothing
              underflows; γ times the greatest state is an absolute bound too. These two hold for the
              passes that compute no scores (fused, recurrence and routed, which the module takes by itself)
Decoders      one for each export format with a bound of its own, with the constants that keep ε in exact
              arithmetic; nothing is built for the bound (`verify.bounds.decoder_rounding`)
Stream        olmo2's, where it applies: the relative error of a state's direction (`precision_stream`)
Relative      of the others: the absolute error over the least size of a state, where that is certified
Measured      `precision_runs`; a measurement bounds nothing
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

import flint

from constructions.automata.entries import check_rational
from constructions.automata.reduction import Reduction
from constructions.automata.wfa import WFA
from constructions.core.errors import InputError
from constructions.core.exact import ball
from constructions.core.one_line import one_line
from constructions.exports.formats import format_of
from constructions.exports.order import DECODER, DTYPES, EPS, Order, settle
from constructions.theorem1 import span
from verify.automaton import precision_stream, rounding
from verify.automaton.constants import Decision, choose_decoder, reduce, reduced_bounds
from verify.automaton.float_runs import NO_TORCH, has_torch
from verify.automaton.numbers import BITS, at_most, shown
from verify.automaton.report_data import SafeLength, Uncertified
from verify.automaton.significance import StateSizes, least_text, sizes_of
from verify.bounds.budget import TooSoft
from verify.bounds.decoder import WordBounds
from verify.bounds.decoder_rounding import state_error
from verify.bounds.floating import FORMATS, ONCE, Precision
from verify.bounds.growth import ProductNorms, listed_products
from verify.bounds.state_sizes import is_nonnegative
from verify.display.progress import silent

if TYPE_CHECKING:
    from verify.automaton.precision_runs import PrecisionRuns

LONGEST = 4096
MOST_STATES = 20  # of automata that are reduced for a decoder
EXACT = "exact"
DECODERS = {"safetensors": "decoder", "gpt2": "gpt2", "llama": "llama"}
TITLES = {EXACT: ("Theorem 1's module",), "decoder": ("the decoder",)}
TOO_MANY = f"Decoders of more than {MOST_STATES} states are not bounded here: assay automaton does."


@dataclass(frozen=True)
class PrecisionRow:
    """The errors of a model in a format up to a length, as text; None for an unknown one."""

    model: str
    format: str
    length: int
    absolute: str | None
    relative: str | None
    measured_absolute: str | None
    measured_relative: str | None


@dataclass(frozen=True)
class SizeRow:
    """The least and the greatest size of a state after a number of letters."""

    length: int
    least: str
    evidence: str
    greatest: str


@one_line(lambda self: self.sentence)
@dataclass(frozen=True)
class PrecisionReport:
    """The precision of all models of one automaton."""

    sentence: str
    states: int
    alphabet: tuple[str, ...]
    eps: str
    lengths: tuple[int, ...]
    sizes: tuple[SizeRow, ...]
    safe: tuple[SafeLength, ...]
    rows: tuple[PrecisionRow, ...]
    measured: str


@dataclass(frozen=True)
class Bound:
    """Certified errors of a model in a format up to a length; infinite where none is."""

    model: str
    form: Precision
    length: int
    absolute: flint.arb
    relative: flint.arb


def precision(
    automaton: WFA,
    first: int,
    last: int,
    eps: Fraction = EPS,
    progress: Callable[[str], None] = silent,
) -> PrecisionReport:
    """The precision of each model at lengths from `first` to `last`.

    Examples:
        >>> import assay
        >>> report = precision(assay.families.counting(), 4, 8)
        >>> [safe.absolute for safe in report.safe if safe.model == "exact"]
        [8, 8, 8, 4]

    """
    check_rational(automaton)
    lengths = lengths_between(first, last)
    with flint.ctx.workprec(BITS):
        progress("sizes of states")
        sizes, decoders = sizes_of(automaton, last), Decoders(automaton, eps)
        progress(EXACT)
        bounds = list(ExactModule(automaton, last, sizes).bounds(lengths))
        for name in DECODERS if automaton.n <= MOST_STATES else ():
            progress(f"decoder, {name}")
            bounds += decoders.bounds(name, lengths, sizes)
        streams = list(_streams(automaton, lengths, eps))
        progress("runs in floating point")
        runs = runs_of(decoders, lengths)
        bounds += streams
        safe = tuple(_safe_lengths(bounds, ball(eps)))
        return PrecisionReport(
            _sentence(safe, sizes, lengths, eps),
            automaton.n,
            automaton.alphabet,
            shown(eps),
            lengths,
            tuple(_size_row(sizes, length) for length in lengths),
            safe,
            tuple(_row(bound, runs) for bound in bounds),
            " ".join(
                (
                    *([precision_stream.NOTE] if streams else []),
                    NO_TORCH if runs is None else runs.description,
                    *([] if automaton.n <= MOST_STATES else [TOO_MANY]),
                )
            ),
        )


def _streams(automaton: WFA, lengths: Sequence[int], eps: Fraction) -> Iterator[Bound]:
    """The normalised stream, of whose states only directions are known."""
    if automaton.n <= MOST_STATES:
        for form, length, error in precision_stream.direction_errors(automaton, lengths, eps):
            yield Bound(precision_stream.MODEL, form, length, flint.arb("inf"), error)


def exact_lengths(
    automaton: WFA, last: int, eps: Fraction, sizes: StateSizes
) -> tuple[SafeLength, ...]:
    """Return the powers of two up to which Theorem 1's module stays within ε, in each format."""
    with flint.ctx.workprec(BITS):
        bounds = ExactModule(automaton, last, sizes).bounds(lengths_between(1, last))
        return tuple(_safe_lengths(list(bounds), ball(eps)))


Seen = tuple[flint.arb, flint.arb]


def runs_of(decoders: Decoders, lengths: Sequence[int]) -> PrecisionRuns | None:
    """The runs, if torch is installed."""
    if not has_torch():
        return None
    from verify.automaton.precision_runs import PrecisionRuns

    return PrecisionRuns(decoders, lengths)


def lengths_between(first: int, last: int) -> tuple[int, ...]:
    """Return both ends and the powers of two between them."""
    if not 1 <= first <= last <= LONGEST:
        raise InputError("lengths", f"{first}:{last}", f"A:B with 1 ≤ A ≤ B ≤ {LONGEST}")
    powers = (1 << k for k in range(LONGEST.bit_length()))
    return tuple(sorted({first, last, *(power for power in powers if first <= power <= last)}))


@dataclass(frozen=True)
class ExactModule:
    """Theorem 1's module in each format."""

    automaton: WFA
    longest: int
    sizes: StateSizes

    @cached_property
    def norms(self) -> ProductNorms:
        """Norms of all products."""
        return listed_products(self.automaton, span(self.longest))

    def bounds(self, lengths: Sequence[int]) -> Iterator[Bound]:
        """The certified errors."""
        for form in FORMATS:
            for length in lengths:
                yield self.bound(form, length)

    def bound(self, form: Precision, length: int) -> Bound:
        """The errors in one format at one length."""
        absolute = rounding.state_error(form, self.automaton, length, self.norms)
        share = self.share(form, length) if absolute.is_finite() else flint.arb("inf")
        if not rounding.attention_is_right(form, length):
            absolute = flint.arb("inf")
        largest = max(self.sizes.bounds.greatest[: length + 1])
        absolute = absolute.min(share * largest) if share.is_finite() else absolute
        relative = share.min(over_least(absolute, self.sizes, length))
        return Bound(EXACT, form, length, absolute, relative)

    def share(self, form: Precision, length: int) -> flint.arb:
        """γ of all roundings if nothing cancels and nothing underflows, else infinity."""
        if not is_nonnegative(self.automaton):
            return flint.arb("inf")
        if not rounding.nothing_vanishes(form, self.automaton, length):
            return flint.arb("inf")
        return form.gamma((self.automaton.n + 2) * (span(length) + 1))


def over_least(absolute: flint.arb, sizes: StateSizes, length: int) -> flint.arb:
    """An absolute error relative to the least certified state of at most that many letters."""
    least = min(sizes.bounds.least[: length + 1])
    share = absolute / least if least > 0 else flint.arb("inf")
    return share.upper() if share < 1 else flint.arb("inf")


@dataclass(frozen=True)
class Decoders:
    """The decoders of an automaton, with what holds for all words of each candidate, found once."""

    automaton: WFA
    eps: Fraction
    cache: dict[tuple[int, int], WordBounds] = field(default_factory=dict)
    decisions: dict[tuple[str, int, str], Decision | None] = field(default_factory=dict)

    @cached_property
    def candidates(self) -> tuple[Reduction, ...]:
        """The reduced automata that a decoder of any format and length can be built for."""
        return reduce(self.automaton, self.order("safetensors", 2))

    def order(self, name: str, length: int, dtype: str = DTYPES[0]) -> Order:
        """The order of a decoder in an export format, of any size and length."""
        order = Order(length, DECODER, format=name, eps=self.eps, large=True)
        return replace(settle(order, words=True), dtype=dtype)

    def facts(self, candidate: Reduction, length: int) -> WordBounds:
        """Return bounds that hold for all words of a candidate."""
        key = id(candidate), length
        if key not in self.cache:
            self.cache[key] = reduced_bounds(candidate, length)
        return self.cache[key]

    def decision(self, name: str, length: int, form: str = DTYPES[0]) -> Decision | None:
        """The constants of a decoder for a format; none where none keep ε.

        Only plain blocks have other ones in another format; narrower formats have those of float32.
        """
        plain = self.order(name, length).plain
        key = name, length, "float32" if plain and form != DTYPES[0] else DTYPES[0]
        if key not in self.decisions:
            self.decisions[key] = self._decide(*key)
        return self.decisions[key]

    def _decide(self, name: str, length: int, dtype: str) -> Decision | None:
        try:
            return choose_decoder(self.order(name, length, dtype), self.candidates, self.facts)
        except TooSoft:
            return None

    def bounds(self, name: str, lengths: Sequence[int], sizes: StateSizes) -> Iterator[Bound]:
        """The certified errors of a decoder in every format that its library computes in."""
        own = format_of(name).computes_in
        for form, length in product(FORMATS, lengths):
            if own in (None, form.name):
                absolute = rounded_error(self.decision(name, length, form.name), form)
                relative = over_least(absolute, sizes, length)
                yield Bound(DECODERS[name], form, length, absolute, relative)


def rounded_error(decision: Decision | None, form: Precision) -> flint.arb:
    """The error with rounding; infinite where it is no less than the states themselves may be."""
    if decision is None or decision.facts is None or decision.choice is None:
        return flint.arb("inf")
    facts = decision.facts
    error = state_error(facts, decision.choice.setting, ONCE[form.name])
    return error if error < facts.readout * facts.reach else flint.arb("inf")


def _safe_lengths(bounds: Sequence[Bound], eps: flint.arb) -> Iterator[SafeLength]:
    """Yield for each model and format the longest length within ε."""
    pairs = dict.fromkeys((bound.model, bound.form.name) for bound in bounds)
    for model, form in pairs:
        own = [bound for bound in bounds if (bound.model, bound.form.name) == (model, form)]
        absolute, relative = (
            max((bound.length for bound in own if getattr(bound, kind) <= eps), default=0)
            for kind in ("absolute", "relative")
        )
        yield SafeLength(model, form, absolute, relative)


def _size_row(sizes: StateSizes, length: int) -> SizeRow:
    greatest = at_most(sizes.bounds.greatest[length])
    return SizeRow(length, least_text(sizes, length), sizes.least(length)[1], greatest)


def _row(bound: Bound, runs: PrecisionRuns | None) -> PrecisionRow:
    """The certified and the measured errors; raise `Uncertified` if a measured one is larger."""
    form, certified = bound.form.name, (bound.absolute, bound.relative)
    seen = None if runs is None else runs.errors(bound.model, form, bound.length)
    for error, limit in zip(seen or (), certified, strict=False):
        if limit.is_finite() and error > limit:
            what = f"{bound.model} in {form} at T = {bound.length}"
            raise Uncertified(f"{what}: measured {_text(error)}, certified {_text(limit)}")
    texts = [None if not error.is_finite() else at_most(error) for error in certified]
    measured = (None, None) if seen is None else (_text(seen[0]), _text(seen[1]))
    return PrecisionRow(bound.model, form, bound.length, texts[0], texts[1], *measured)


def _text(error: flint.arb) -> str:
    return at_most(error) if error.is_finite() else "inf"


def _sentence(
    safe: Sequence[SafeLength], sizes: StateSizes, lengths: Sequence[int], eps: Fraction
) -> str:
    """Return the longest lengths within ε in float64, and the length from which the answer 0 is within ε."""
    said = [
        f"{title} {_up_to(row.absolute)} absolutely and {_up_to(row.relative)} relative to a state's size"
        for row in safe
        for title in TITLES.get(row.model, ())
        if row.format == FORMATS[0].name
    ]
    text = (
        f"Of the lengths up to {lengths[-1]}, in float64, certified to stay within {shown(eps)}: "
        f"{', '.join(said)}"
    )
    empty = sizes.empty_from(ball(eps))
    if empty is None:
        return f"{text}."
    return (
        f"{text}; from t = {empty} on the answer 0 would be within {shown(eps)} of every state too."
    )


def _up_to(length: int) -> str:
    return f"up to T = {length}" if length else "at none"
