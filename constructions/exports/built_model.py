"""A built model and its guarantee: the two values that become a folder.

ExportModel   the user's automaton, the settled order, the constants, and the exact simulation
Guarantee     the certified and measured errors, with the statements they rest on, as text. It is made
              by `verify`; this package knows no statement
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from constructions.automata.ngram import Ngram
from constructions.automata.trees import CLOSE, OPEN
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.embedding import BOS
from constructions.core.errors import InputError
from constructions.core.layout import Layout
from constructions.core.one_line import one_line
from constructions.core.sizes import sizes
from constructions.exports.ngram import sizes as ngram_sizes
from constructions.exports.order import Order
from constructions.ngram_model import NgramModel

STATES = "the output at position t is the automaton's state after t letters"
WEIGHTS = "the output at position t is the automaton's weight of the first t letters"
NEXT_SYMBOL = (
    "softmax of the logits at position t is the automaton's distribution of the next symbol after t "
    "letters"
)
SUBTREES = (
    "the output at a leaf and at a closing bracket is the state of the subtree that ends there"
)
OPENINGS = (
    "the output at a leaf and at an opening bracket is the state of the subtree that begins there"
)


@dataclass(frozen=True)
class Constants:
    """C; k of the step h = 2^-k of MLP units and its number of levels; K of a neutralised norm.

    None where a model has no such constant. `scaled`: the stream's automaton is the reduced one in
    coordinates scaled by powers of two. Of language models: κ of digital blocks, the units of a
    logarithm, and s₀, the weight below which nothing is claimed.
    """

    saturation: Fraction | None = None
    fineness: int | None = None
    levels: int = 1
    large: int | None = None
    scaled: bool = False
    slope: int | None = None
    units: int | None = None
    least_weight: Fraction | None = None

    def rows(self) -> dict[str, str]:
        """Each constant that the model has, with its name for people."""
        listed = {"C (saturation)": None if self.saturation is None else str(self.saturation)}
        if self.fineness is not None:
            listed |= {"h (step)": f"2^-{self.fineness}", "levels": str(self.levels)}
        listed["K (constant coordinate that undoes norms)"] = (
            None if self.large is None else str(self.large)
        )
        listed["κ (slope of digital units)"] = None if self.slope is None else str(self.slope)
        listed["units a logarithm"] = None if self.units is None else str(self.units)
        least = self.least_weight
        listed["s₀ (least p(w)/q(w) that is certified)"] = None if least is None else str(least)
        listed["coordinates"] = "scaled by exact powers of two" if self.scaled else None
        return {name: text for name, text in listed.items() if text is not None}


@dataclass(frozen=True)
class ErrorScale:
    """The size of the outputs at the full length, as text, to compare an error with; and conclusions.

    `least` has its evidence (certified, seen, not known); `greatest` is certified.
    """

    least: str
    evidence: str
    greatest: str
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True)
class Guarantee:
    """The known error of a model, as text; None where nothing is known.

    `error` in exact arithmetic and `rounded` with rounding are certified for every input,
    `measured` is the error on `sample` in the class `ran_in`, if the model was run (else `not_run`
    is the reason). All are of `quantity`, whose size is `scale`. `useless`: the measured error is not
    finite, or as large as that of a model that knows nothing. `fragile`: what a cast or a training
    step does to it.
    """

    quantity: str
    error: str | None
    rounded: str | None = None
    measured: str | None = None
    sample: str = ""
    claims: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
    scale: ErrorScale | None = None
    ran_in: str = ""
    not_run: str = ""
    useless: bool = False
    fragile: tuple[str, ...] = ()

    def headline(self, model: ExportModel) -> str:
        """The measured error with its class and type, then the certified ones."""
        parts = [] if self.measured is None else [f"measured {self.measured}"]
        parts.append(
            "rounding not certified" if self.rounded is None else f"certified {self.rounded}"
        )
        where = ", ".join(filter(None, (self.ran_in, model.arithmetic)))
        line = f"{where}: {', '.join(parts)}; exact arithmetic: "
        known = f"{self.error} certified" if self.error else "nothing certified, for a given C"
        return f"{f'Not run: {self.not_run}. ' if self.not_run else ''}{line}{known}"


@one_line(lambda self: f"{self.order.format}, length {self.order.length}, {self.automaton!r}")
@dataclass(frozen=True)
class ExportModel:
    """An exact simulation of a user's automaton, ready to be written."""

    automaton: WFA | WTA | Ngram
    order: Order
    constants: Constants
    simulation: Any

    @property
    def words(self) -> bool:
        """Return True if the model reads words, False if it reads trees."""
        return not isinstance(self.automaton, WTA)

    @property
    def theorem(self) -> str:
        """The theorem that the construction is of."""
        order, plain = self.order, self.order.plain
        if isinstance(self.automaton, Ngram):
            return "an n-gram model in one layer (docs/language.md)"
        if order.language:
            kind = "decoder with a normalised stream" if order.target.normalised else "decoder"
            return f"a {kind} whose logits are those of the next symbol (docs/language.md)"
        if order.decoder and not self.words:
            return "Theorem C (tree decoder)"
        return {
            "decoder": f"Theorem {'A (decoder, plain' if plain else 'B (decoder, gated'} block)",
            "exact": "Theorem 1 (hard attention)",
            "soft": "Theorem 2 (softmax)",
            "tree": f"Theorem 3, repaired ({order.attention} attention)",
            "logdepth": f"the log-depth construction for trees ({order.attention} attention)",
        }[order.construction]

    @property
    def inputs(self) -> str:
        """Return a description of the inputs."""
        what = (
            "word of at most {} letter" if self.words else "tree whose string has at most {} token"
        )
        return what.format(self.order.length) + "s" * (self.order.length != 1)

    @property
    def readout(self) -> str:
        """Return a description of the outputs."""
        if not self.words:
            return SUBTREES if self.order.decoder else OPENINGS
        if self.order.language:
            return NEXT_SYMBOL
        return WEIGHTS if self.order.minimise else STATES

    @property
    def example(self) -> list[str]:
        """A word or a tree's string to try it with."""
        letter, length = self.stream.alphabet[0], self.order.length
        if self.order.language:
            return list(self.simulation.source.example(min(length, 4)))
        if self.words:
            return [letter] * min(length, 4)
        return [OPEN, letter, letter, CLOSE] if length >= 4 else [letter]

    @property
    def arithmetic(self) -> str:
        """The type of the weights, and the type in which the class computes if that is different."""
        dtype, own = self.order.dtype, self.order.target.computes_in
        return dtype if own in (None, dtype) else f"{dtype} weights, norms in {own}"

    @property
    def begin(self) -> list[str]:
        """Return the tokens before every input."""
        return [BOS] if self.order.decoder else []

    @property
    def tokens(self) -> Sequence[str]:
        """The tokens by their numbers."""
        if self.order.decoder:
            symbols: Sequence[str] = self.simulation.symbols
            return symbols
        return (*self.automaton.alphabet, *(() if self.words else (OPEN, CLOSE)))

    @property
    def weighted(self) -> WFA | WTA:
        """The user's automaton, of a model that is not of an n-gram table."""
        if isinstance(self.automaton, Ngram):
            raise InputError("automaton", "an n-gram table", "a weighted automaton")
        return self.automaton

    @property
    def stream(self) -> WFA | WTA:
        """The automaton whose matrices the model holds."""
        automaton: WFA | WTA = self.simulation.automaton
        return automaton

    @property
    def context(self) -> int:
        """Return the largest number of tokens of an input: BOS, pads and end tokens included."""
        if self.order.decoder:
            return int(self.simulation.context)
        return len(self.simulation.positions) if self.words else self.order.length + 1

    @cached_property
    def sizes(self) -> dict[str, Any]:
        """The sizes as the library's class has them; entries, nonzero and largest before padding."""
        if isinstance(self.simulation, NgramModel):
            return ngram_sizes(self.simulation)
        exact = sizes(self.simulation.transformer)
        own = {
            "layers": exact.depth,
            "heads": exact.heads,
            "d_model": exact.embedding,
            "d_head": exact.attention,
            "d_mlp": exact.feedforward,
        }
        if self.order.decoder:
            own = self.order.target.stored(own, self.stream.n)
        return own | {
            "context": self.context,
            "vocabulary": len(self.tokens),
            "outputs": self.simulation.transformer.readout.shape[1],
            "entries": exact.parameters,
            "nonzero": exact.nonzero,
            "largest": exact.largest.str(8, radius=False),
        }

    @property
    def coordinates(self) -> dict[str, list[int]]:
        """Return the first and the last coordinate + 1 of each block of a decoder's stream."""
        if not self.order.decoder:
            return {}
        own, without = self.simulation.layout, self.order.target.coordinates_without
        stored = Layout(**{block: len(own[block]) for block in own if block not in without})
        return {block: [stored[block].start, stored[block].stop] for block in stored}

    def module(self, dense: bool = False) -> Any:
        """Return the model as a torch module in the type of the order."""
        import torch

        from constructions.modules import to_torch

        return to_torch(self.simulation, getattr(torch, self.order.dtype), dense)
