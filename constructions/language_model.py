"""Language models: decoders whose softmax is an automaton's next-symbol distribution.

Claimed       nothing by the paper: its models give states
Constructs    one-hot   a deterministic process: the state is one-hot, and the readout holds log p(σ | q);
                        no further layer. With a digital block errors do not add up over layers
              general   letters scaled by 1/q_σ, so that s(w) = p(w)/q(w) stays near 1; the decoder for
                        f_σ = αᵀÂ^w A^σ v, and one more layer without attention, |Σ| m units, that writes
                        log f_σ (`blocks.logarithm`); Σ_σ f_σ = s(w), which softmax divides by
Notation      p the process, v its weights of what follows (`automata.prediction`), q a distribution of
              letters with Σ q ≤ 1, M the largest f that the logarithm is made for, δM the least
Range         a word drawn from p has s(w_1 … w_t) < s₀ at some t with probability at most s₀ (Ville's
              inequality: 1/s is a non-negative supermartingale that starts at 1)
Impossible    symbols of probability 0 and the special tokens (BOS, and a tokenizer's pad and unknown) have
              the logit `LOW`
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import product

import flint

from constructions.automata.definite import moves_of, short_memory
from constructions.automata.ngram import Ngram, from_moves
from constructions.automata.prediction import Predictor
from constructions.automata.wfa import WFA
from constructions.blocks import gated
from constructions.blocks.digital import HALF_WIDTH, slope_for
from constructions.blocks.logarithm import Logarithm
from constructions.core.errors import InputError
from constructions.core.exact import ball
from constructions.core.forms import Form, at, columns, plus, times
from constructions.core.layout import Layout
from constructions.core.matrix import Entry, Matrix
from constructions.core.one_line import of_simulation, one_line
from constructions.core.transformer import MLP, Gated, Layer, Transformer
from constructions.decoder import DecoderBuilder, DecoderSimulation, Design, build
from constructions.theorem1 import check_length, depth

SPECIALS = 3  # BOS, and what a tokenizer adds: pad and unknown
LOW = -40  # e^-40 = 4e-18, below float64's unit roundoff beside 1
BITS = 80  # of a logarithm in the readout; its error is below 2^-79
RESIDUE = Fraction(1, 1 << 40)  # of a digital AND
SHARES = 1 << 12  # letters are scaled by q_σ = k/4096


@dataclass(frozen=True)
class Deterministic:
    """A deterministic process: its 0/1 moves, and p(σ | q)."""

    moves: WFA
    chances: tuple[dict[str, Fraction], ...]


def deterministic(source: Predictor) -> Deterministic | None:
    """The process as an automaton with one-hot states, or None if it may be in several states at once.

    Examples:
        >>> from constructions.automata.prediction import predictor
        >>> from constructions.automata.processes import golden_mean, ngram
        >>> deterministic(predictor(golden_mean())) is None  # it begins in two states at once
        True
        >>> deterministic(predictor(ngram(["ab", "b"], 2))).moves.n
        3

    """
    process = source.automaton
    if sorted(map(bool, process.alpha)) != [*[False] * (process.n - 1), True]:
        return None
    rows = [row for symbol in process.alphabet for row in process.matrix(symbol)]
    if any(sum(map(bool, row)) > 1 for row in rows):
        return None
    moves = {
        symbol: tuple(tuple(Fraction(bool(w)) for w in row) for row in process.matrix(symbol))
        for symbol in process.alphabet
    }
    start = tuple(Fraction(bool(a)) for a in process.alpha)
    chances = tuple(_chances(process, q) for q in range(process.n))
    return Deterministic(WFA(start, moves, (Fraction(1),) * process.n), chances)


def with_short_memory(process: Deterministic, length: int) -> tuple[Deterministic, int]:
    """The process to build from, and how many layers it needs at a length.

    ⌈log₂ m⌉ layers, and at least one, where the last m symbols settle the state, as in n-grams.

    Examples:
        >>> from constructions.automata.prediction import predictor
        >>> from constructions.automata.processes import ngram
        >>> trigrams = deterministic(predictor(ngram(["abba", "ab"], 3)))
        >>> with_short_memory(trigrams, 1024)[1]
        1

    """
    layers = depth(length)
    memory = short_memory(process.moves) if layers > 1 else None
    if memory is None or memory.letters > 1 << layers - 1:
        return process, layers
    return replace(process, moves=memory.automaton), max(1, depth(max(memory.letters, 1)))


def table_of(process: Deterministic) -> Ngram | None:
    """The process as an n-gram table, if a few last letters settle its state."""
    start = process.moves.alpha.index(1)
    return from_moves(moves_of(process.moves), start, process.chances, process.moves.alphabet)


def _chances(process: WFA, state: int) -> dict[str, Fraction]:
    """p(σ | q); a state without weight ahead is never reached, and gives every symbol 0."""
    onward, ahead = process.beta, process.beta[state]
    weights = {
        symbol: sum(
            (w * v for w, v in zip(process.matrix(symbol)[state], onward, strict=True)), Fraction(0)
        )
        for symbol in process.alphabet
    }
    chances = {symbol: weight / ahead if ahead else weight for symbol, weight in weights.items()}
    for symbol, chance in chances.items():
        if chance < 0:
            found = f"the chance {chance} of {symbol} in state {state}"
            raise InputError("automaton", found, "no negative probability, for a language model")
    return chances


def log_rational(value: Fraction) -> Fraction:
    """A rational within 2^-79 of log p; `LOW` for 0."""
    if value == 0:
        return Fraction(LOW)
    with flint.ctx.workprec(2 * BITS):
        scaled = (ball(value).log() * (1 << BITS)).mid().floor()
        return Fraction(int(scaled.unique_fmpz()), 1 << BITS)


def logits_of_states(process: Deterministic) -> Matrix:
    """B: log p(σ | q) for every state and symbol, and `LOW` for special tokens."""
    specials = [Fraction(LOW)] * SPECIALS
    rows = [[*map(log_rational, each.values()), *specials] for each in process.chances]
    return Matrix.dense(rows)


def digital_slope(activation: str) -> int:
    """κ of a digital block."""
    return slope_for(activation, RESIDUE)


@dataclass(frozen=True)
class LanguageDesign(Design):
    """A decoder's design whose stream may have a block of logits, and whose block may be digital."""

    logits: int = 0
    slope: int | None = None  # κ of a digital block

    def layout(self, n: int) -> Layout:
        """The coordinates of the stream: logits before the places and constants."""
        plain = super().layout(n)
        stream = {name: len(plain[name]) for name in plain}
        first = {name: stream.pop(name) for name in ("window", "scratch")}
        return Layout(**first, **({"logit": self.logits} if self.logits else {}), **stream)

    @classmethod
    def of(cls, design: Design, logits: int = 0, slope: int | None = None) -> LanguageDesign:
        """The same design with room for logits, or with digital blocks."""
        chosen = {field.name: getattr(design, field.name) for field in fields(Design)}
        return cls(**chosen, logits=logits, slope=slope)


@dataclass(frozen=True)
class LanguageBuilder(DecoderBuilder):
    """The weights of a decoder whose blocks may be digital."""

    design: LanguageDesign = LanguageDesign()

    def plain_block(self) -> MLP[Matrix]:
        """Small steps, or 2n³ + 4n² digital units."""
        if self.design.slope is None:
            return super().plain_block()
        units = [*self.conjunctions(self.design.slope), *self.erasures()]
        reads, biases, writes = zip(*units, strict=True)
        outward = columns(self.layout, writes).transpose
        zeros = (0,) * self.layout.size
        return MLP(self.reading(reads), biases, self.design.activation, outward, zeros)

    def conjunctions(self, slope: int) -> list[tuple[Form, Entry, Form]]:
        """Two units for each AND of an entry of X and one of Y, written into the window.

        X = I + scratch and Y = I + window - scratch, as both hold a matrix less the identity.
        """
        units: list[tuple[Form, Entry, Form]] = []
        for i, k, j in product(range(self.n), repeat=3):
            right = plus(self.entry("window", k, j), times(-1, self.entry("scratch", k, j)))
            both = times(slope, plus(self.entry("scratch", i, k), right))
            level = slope * (int(i == k) + int(k == j) - Fraction(3, 2))
            for sign in (1, -1):
                share = times(Fraction(sign, 2 * HALF_WIDTH), self.entry("window", i, j))
                units.append((both, level + sign * HALF_WIDTH, share))
        return units

    def erasures(self) -> list[tuple[Form, Entry, Form]]:
        """Two units for each entry of window and scratch: σ(u) - σ(-u) = u is taken away from it.

        The window's new matrix is written whole, so that its old one goes, and the identity with it.
        """
        units: list[tuple[Form, Entry, Form]] = []
        for i, j, name in product(range(self.n), range(self.n), ("window", "scratch")):
            entry, one = self.entry(name, i, j), int(name == "window" and i == j)
            units += [(times(sign, entry), sign * one, times(-sign, entry)) for sign in (1, -1)]
        return units


@one_line(of_simulation)
@dataclass(frozen=True)
class LanguageModel(DecoderSimulation):
    """A decoder that is a language model of a source of symbols.

    `logarithm` are the units of the last layer, if it takes logarithms, of f/M with M = `largest`.
    """

    source: Predictor
    logarithm: Logarithm | None = None
    largest: Fraction | None = None


def build_one_hot(
    source: Predictor,
    length: int,
    design: Design,
    saturation: Entry | None = None,
    layers: int | None = None,
    digital: bool = False,
    process: Deterministic | None = None,
) -> LanguageModel:
    """The language model of a deterministic process: its readout holds the logarithms.

    `layers` fewer than ⌈log₂ T⌉ make a model that reads the last 2^layers symbols, from the start state;
    it is exact where these settle the state (`with_short_memory`, whose `process` is then given).
    """
    process = process or deterministic(source)
    if process is None:
        found = "several states at once after some word"
        raise InputError("automaton", found, "a deterministic process, for one-hot states")
    slope = digital_slope(design.activation) if digital else None
    chosen, outputs = LanguageDesign.of(design, slope=slope), logits_of_states(process)
    model = build(process.moves, length, chosen, saturation, outputs)
    builder = LanguageBuilder(process.moves.n, check_length(length), chosen, saturation)
    count = depth(length) if layers is None else layers
    blocks = tuple(builder.layer(layer) for layer in range(1, count + 1))
    transformer = replace(model.transformer, layers=blocks)
    return LanguageModel(process.moves, length, chosen, saturation, outputs, transformer, source)


def letter_shares(source: Predictor) -> dict[str, Fraction]:
    """q: how often each symbol comes in the long run, as k/4096 with Σ q ≤ 1 and q > 0.

    From the stationary distribution in floating point: any q will do for what is claimed, a near one
    keeps s(w) near 1.
    """
    import numpy as np

    process, n = source.automaton, source.automaton.n
    maps = {s: np.array(process.matrix(s), dtype=float) for s in process.alphabet}
    onward, state = np.array(process.beta, dtype=float), np.array(process.alpha, dtype=float)
    total, step = np.zeros(n), sum(maps.values())
    for _ in range(256):
        state = state @ step
        total += state
    weights = {symbol: max(float(total @ each @ onward), 0.0) for symbol, each in maps.items()}
    whole = sum(weights.values())
    counts = {
        s: max(1, int(weight / whole * (SHARES - len(maps)))) for s, weight in weights.items()
    }
    return {symbol: Fraction(count, SHARES) for symbol, count in counts.items()}


def scaled(source: Predictor, shares: dict[str, Fraction]) -> WFA:
    """The process with every letter divided by its share: weights are s(w) = p(w)/q(w)."""
    process = source.automaton
    letters = {
        symbol: tuple(tuple(w / shares[symbol] for w in row) for row in process.matrix(symbol))
        for symbol in process.alphabet
    }
    return WFA(process.alpha, letters, process.beta)


def symbol_weights(source: Predictor) -> Matrix:
    """F: column σ is A^σ v, so that the state times F has the entries f_σ."""
    process = source.automaton
    columns_of = [
        [sum(w * v for w, v in zip(row, process.beta, strict=True)) for row in process.matrix(s)]
        for s in process.alphabet
    ]
    return Matrix.dense([list(row) for row in zip(*columns_of, strict=True)])


def build_general(
    source: Predictor,
    length: int,
    design: Design,
    saturation: Entry | None,
    log: Logarithm,
    largest: Fraction,
    layers: int | None = None,
) -> LanguageModel:
    """The language model of any process: a decoder for f_σ, and a layer for their logarithms.

    `log` is made for [δ, 1] and reads f_σ/M, with M = `largest`; `layers` fewer than ⌈log₂ T⌉ make a
    model that reads the last 2^layers symbols, from the start distribution on.
    """
    shares = letter_shares(source)
    automaton, outputs = scaled(source, shares), symbol_weights(source)
    chosen = LanguageDesign.of(design, logits=len(source.symbols))
    model = build(automaton, length, chosen, saturation, outputs)
    builder = LanguageBuilder(automaton.n, check_length(length), chosen, saturation)
    head = LogHead(builder, log, symbol_ratios(builder, automaton.alpha, outputs, largest))
    kept = model.transformer.layers if layers is None else model.transformer.layers[:layers]
    transformer = Transformer(
        (*kept, head.layer()),
        builder.reading(head.readings()),
        bias=head.bias(),
        norm=chosen.normalise(builder.layout.size),
    )
    return LanguageModel(
        automaton, length, chosen, saturation, outputs, transformer, source, log, largest
    )


def symbol_ratios(
    builder: LanguageBuilder, alpha: Sequence[Entry], outputs: Matrix, largest: Fraction
) -> list[tuple[Form, Fraction]]:
    """f_σ/M as a form of the stream and a constant, for every symbol."""
    n, rows, ratios = builder.n, outputs.rows(), []
    for symbol in range(outputs.shape[1]):
        parts = [
            times(alpha[i] * rows[j][symbol] / largest, builder.entry("window", i, j))
            for i, j in product(range(n), repeat=2)
        ]
        still = sum(alpha[j] * rows[j][symbol] for j in range(n)) / largest
        ratios.append((plus(*parts), Fraction(still)))
    return ratios


@dataclass(frozen=True)
class LogHead:
    """The last layer and the readout: log f_σ for every symbol, `LOW` for special tokens.

    `ratios` are f_σ/M, each a form of the stream and a constant.
    """

    builder: DecoderBuilder
    log: Logarithm
    ratios: Sequence[tuple[Form, Fraction]]

    def layer(self) -> Layer[Matrix]:
        """No heads, and the units of the logarithm."""
        size, design = self.builder.layout.size, self.builder.design
        block = self.gated_block() if design.gated else self.plain(self.units())
        return Layer((), Matrix((0, size), {}), block, True, design.normalise(size))

    def units(self) -> list[tuple[Form, Fraction, Form]]:
        """|Σ| m units that write -Σ w σ(s(1 - x/k)) into the logits: form, constant, output."""
        return [
            (times(-rate, form), self.log.sharpness - rate * still, at("logit", c, -weight))
            for c, (form, still) in enumerate(self.ratios)
            for rate, weight in zip(self.rates, self.log.weights, strict=True)
        ]

    @property
    def rates(self) -> list[Fraction]:
        """s/k for every knot."""
        return [self.log.sharpness / knot for knot in self.log.knots]

    def gated_block(self, more: Sequence[gated.GatedUnit] = ()) -> Gated[Matrix]:
        """Units 1 · σ(form): the gate multiplies; `more` units are added after them."""
        design, layout = self.builder.design, self.builder.layout
        one = design.one or {}
        listed = [gated.GatedUnit(one, plus(z, times(z0, one)), out) for z, z0, out in self.units()]
        made = gated.gated_block(layout, [*listed, *more], design.activation)
        inward, gate = design.read(made.inward, layout), design.read(made.gate, layout)
        return Gated(inward, gate, design.activation, made.output)

    def plain(self, units: Sequence[tuple[Form, Fraction, Form]]) -> MLP[Matrix]:
        """Units σ(form + bias)."""
        reads, biases, writes = zip(*units, strict=True)
        layout = self.builder.layout
        outward = columns(layout, writes).transpose
        sigma = self.builder.design.activation
        return MLP(self.builder.reading(reads), biases, sigma, outward, (0,) * layout.size)

    def readings(self) -> list[Form]:
        """c + b f_σ/M + logit, and `LOW` for special tokens; constants from the stream if it has them."""
        one = self.builder.design.one
        forms = []
        for c, (form, still) in enumerate(self.ratios):
            constant = self.log.offset + self.log.slope * still
            fixed = {} if one is None else times(constant, one)
            forms.append(plus(at("logit", c), times(self.log.slope, form), fixed))
        return [*forms, *[{} if one is None else times(LOW, one)] * SPECIALS]

    def bias(self) -> tuple[Entry, ...] | None:
        """The constants of the readout, where the stream has no constant one."""
        if self.builder.design.one is not None:
            return None
        fixed = [self.log.offset + self.log.slope * still for _, still in self.ratios]
        return (*fixed, *[Fraction(LOW)] * SPECIALS)
