"""Measured errors of the models of `precision` on words, absolutely and relative to each state.

Exact         the fused pass of Theorem 1's module in each format: one run at the greatest length, for the
              state after t letters does not depend on what follows, but for the order of its products
Decoders      the dense pass of the model that is exported, built for each length, as long as that is
              small; formats whose library computes in its own way are not run here
Words         those of `inputs.small_words`, among them one that makes states small
Truth         balls with many digits, so that no rounding of the truth counts as an error of the model
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from typing import TYPE_CHECKING

import flint
import torch

from constructions import decoder
from constructions.arithmetic.floats import nearest_float
from constructions.arithmetic.torch import measurement_mode
from constructions.automata.wfa import WFA
from constructions.core.exact import ball
from constructions.exports.build import build
from constructions.exports.formats import format_of
from constructions.modules.decoder import DecoderModule
from constructions.modules.passes import fused_states
from verify.automaton.inputs import Word, small_words
from verify.automaton.precision import DECODERS, EXACT, Seen
from verify.automaton.sampling import truth
from verify.bounds.floating import FORMATS

if TYPE_CHECKING:
    from verify.automaton.precision import Decoders

WORDS, BITS = 6, 192
MOST_WORK = 1 << 27  # products of a run of a decoder: a second or two
TYPES = ("float64", "float32")  # of decoders
States = list[list[flint.arb]]
Errors = tuple[list[flint.arb], list[flint.arb]]


class PrecisionRuns:
    """Runs of the models, with the largest errors up to each number of letters."""

    def __init__(self, decoders: Decoders, lengths: Sequence[int]) -> None:
        self.decoders, self.longest = decoders, lengths[-1]
        self.words = list(islice(small_words(decoders.automaton, self.longest), WORDS))
        with flint.ctx.workprec(BITS):
            balls = decoders.automaton.mapped(ball)
            self.truth = [list(truth(balls, word, weights=False).values()) for word in self.words]
        self.exact = {form.name: self._exact_errors(form.name) for form in FORMATS}
        self.built = {
            (DECODERS[name], dtype, length): seen
            for name in DECODERS
            for length in lengths
            for dtype, seen in self._decoder_errors(name, length)
        }

    @property
    def description(self) -> str:
        """The passes that were measured, and the words."""
        most = max((length for _, _, length in self.built), default=0)
        ran = f"the decoders' dense pass up to T = {most}" if most else "no decoder: too large"
        return (
            f"Measured on {len(self.words)} words (small states, letters alone, in turn): the exact module's "
            f"fused pass, {ran}. A measurement bounds nothing."
        )

    def errors(self, model: str, form: str, length: int) -> Seen | None:
        """The largest absolute and relative error seen up to a length, if the model was run."""
        if model == EXACT:
            absolute, relative = self.exact[form]
            return absolute[length], relative[length]
        return self.built.get((model, form, length))

    def _exact_errors(self, form: str) -> Errors:
        """The largest errors up to each number of letters, over all words."""
        outputs = exact_states(self.decoders.automaton, self.words, getattr(torch, form))
        pairs = [state_errors(*pair) for pair in zip(outputs, self.truth, strict=True)]
        return largest_so_far(pairs)

    def _decoder_errors(self, name: str, length: int) -> Iterator[tuple[str, Seen]]:
        """The errors of one decoder in the formats that it can be run in."""
        automaton, own = self.decoders.automaton, format_of(name).computes_in
        if own is not None or decoder_work(automaton.n, length) > MOST_WORK:
            return
        words = [word[:length] for word in self.words]
        for dtype in TYPES:
            decision = self.decoders.decision(name, length, dtype)
            if decision is None:
                return
            order = self.decoders.order(name, length, dtype)
            model = build(automaton, order, decision.constants, decision.reduction)
            with measurement_mode():
                module = DecoderModule(model.simulation, getattr(torch, dtype), dense=True)
                outputs = [module.states([word])[0].double().tolist() for word in words]
            known = zip(outputs, self.truth, strict=True)
            pairs = [state_errors(rows, exact[: length + 1]) for rows, exact in known]
            absolute, relative = largest_so_far(pairs)
            yield dtype, (absolute[-1], relative[-1])


def decoder_work(n: int, length: int) -> int:
    """Products of one run of a decoder with a gated block on the longest word."""
    size = decoder.sizes(n, max(length, 2))
    token = size["context"] * n * n + 3 * size["d_model"] * size["d_mlp"]
    return size["layers"] * size["context"] * token


def exact_states(
    automaton: WFA, words: Sequence[Word], dtype: torch.dtype
) -> list[list[list[float]]]:
    """The states that the fused pass of Theorem 1's module gives, in a format."""
    index = {symbol: i for i, symbol in enumerate(automaton.alphabet)}
    rows = [
        [[nearest_float(w) for w in row] for row in rows] for rows in automaton.transitions.values()
    ]
    maps = torch.tensor(rows, dtype=torch.float64).to(dtype)
    alpha = torch.tensor([nearest_float(w) for w in automaton.alpha], dtype=torch.float64).to(dtype)
    numbers = torch.tensor([[index[symbol] for symbol in word] for word in words]).T
    with measurement_mode():
        states = fused_states(maps[numbers], alpha.unsqueeze(0)).squeeze(-2)
    found: list[list[list[float]]] = states.double().movedim(0, 1).tolist()
    return found


def state_errors(outputs: Sequence[Sequence[float]], exact: States) -> Errors:
    """The absolute and the relative error after each prefix."""
    with flint.ctx.workprec(BITS):
        apart = [_distance(*pair) for pair in zip(outputs, exact, strict=True)]
        sizes = [_distance([0.0] * len(row), row) for row in exact]
        shares = [_share(*pair) for pair in zip(apart, sizes, strict=True)]
    return apart, shares


def _distance(outputs: Sequence[float], exact: Sequence[flint.arb]) -> flint.arb:
    """The Euclidean distance, as a number; infinite if an output is NaN."""
    pairs = zip(outputs, exact, strict=True)
    total = sum(((flint.arb(x) - y) ** 2 for x, y in pairs), flint.arb(0))
    return total.nonnegative_part().sqrt().mid() if total.is_finite() else flint.arb("inf")


def _share(apart: flint.arb, size: flint.arb) -> flint.arb:
    """An error relative to a size; 0 without an error, infinite for an error relative to the size 0."""
    if apart == 0:
        return flint.arb(0)
    return (apart / size).mid() if size > 0 else flint.arb("inf")


def largest_so_far(pairs: Sequence[Errors]) -> Errors:
    """The largest errors of all words, after each prefix or before."""
    absolute, relative = (
        list(accumulate(map(max, zip(*(pair[kind] for pair in pairs), strict=True)), max))
        for kind in (0, 1)
    )
    return absolute, relative
