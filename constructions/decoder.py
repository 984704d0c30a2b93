"""The decoder: every WFA in an ordinary GPT-style decoder with ⌈log₂ T⌉ layers and one head.

Claimed       by us, not by the paper: Theorems A (plain block) and B (gated block) of the guide
Constructs    token and position embeddings, one BOS token, residual stream, one causal head a
              layer, one block a layer; positions are given once, no pads. The
              output at position t is αᵀ A^{x_1 … x_t}, for every word of at most T letters
Stream        window   n²  vec(A^w - I), w the last min(t, 2^l) letters after l layers; BOS: 0
              scratch  n²  0 between layers
              place    2   t/p and (t/p)², p = 2^⌈log₂ T⌉; no layer writes here
              one      1   the constant 1, in gated and in normalised models
Why A - I     (I + X)(I + Y) = I + (X + Y + XY): the stream holds Y, the head adds X, the block adds
              XY alone, and reading the identity means reading 0, which BOS is
Layer l       s = 2^(l-1). Scores 2j(t-s) - j² = (t-s)² - (j-(t-s))² have their maximum at t - s, and
              at BOS where t ≤ s: the window stops at the beginning of the word by itself. The
              value, X, is added to window and scratch. The block reads X in the scratch and
              Y = window - scratch, adds XY to the window and takes X from the scratch
Blocks        gated    2n³ + n² units, products exact (`gated`)
              plain    4n³ units σ(b ± h(x+y)), σ(b ± h(x-y)): their even part is the product up to
                       O(h²), their odd part erases the scratch; with m levels (Richardson: steps
                       h, 2h, … 2^(m-1)h) 4mn³ units and O(h^(2m))
LayerNorm     coordinates zero = 0, plus = K, minus = -K make LN a shift of all coordinates and a
              factor 1 - O(|x|²/K²); every read subtracts the zero coordinate. RMSNorm needs one
              coordinate large = K, which serves as the constant too
Unlike print  Theorem 1 needs 2T tokens, positions in every layer and, with softmax, C of order T²;
              here T + 1 tokens, positions once, and a C that does not grow with T but for log
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from itertools import product as pairs
from typing import Any

import flint

from constructions.automata.wfa import WFA
from constructions.blocks import gated
from constructions.blocks.refined import richardson_weights
from constructions.blocks.smoothing import SIGNS, FourUnits
from constructions.core.activations import smooth_activation
from constructions.core.embedding import BOS, DecoderEmbedding
from constructions.core.errors import InputError, check_fits, symbol_numbers
from constructions.core.exact import ball, ceiling, root
from constructions.core.forms import Form, at, columns, plus, times
from constructions.core.layout import Layout
from constructions.core.matrix import Entry, Matrix
from constructions.core.one_line import of_simulation, one_line
from constructions.core.transformer import (
    MLP,
    Arithmetic,
    Attention,
    Gated,
    Head,
    Layer,
    Mask,
    Norm,
    Transformer,
    run,
)
from constructions.theorem1 import check_length, depth, span

MOST_LEVELS = 4


class Normalisation(StrEnum):
    """The normalisation before each block and before the readout."""

    NONE = "none"
    LAYER = "layer"
    RMS = "rms"


@dataclass(frozen=True)
class Design:
    """The choices: a gated block, or a plain one with step h = 2^-fineness; the normalisation.

    `large` is K and `epsilon` the constant under the root of a normalisation; a plain block may
    have several `levels` of steps.
    """

    activation: str = "silu"
    fineness: int | None = None
    norm: Normalisation = Normalisation.NONE
    large: int = 0
    epsilon: Fraction = Fraction(0)
    levels: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.levels <= (1 if self.fineness is None else MOST_LEVELS):
            raise InputError("levels", self.levels, f"1, or up to {MOST_LEVELS} in a plain block")
        if self.fineness is None:
            gated.check_gate(self.activation)
        else:
            smooth_activation(self.activation)
        if self.norm is not Normalisation.NONE and self.large < 1:
            raise InputError("large", self.large, "a coordinate K ≥ 1, to neutralise a norm")

    @property
    def gated(self) -> bool:
        """True if the block is gated; else it has a step h."""
        return self.fineness is None

    @property
    def step(self) -> Fraction:
        """h."""
        return Fraction(1, 1 << (self.fineness or 0))

    def layout(self, n: int) -> Layout:
        """The coordinates of the stream."""
        extra = {
            Normalisation.NONE: {"one": 1} if self.gated else {},
            Normalisation.LAYER: {"one": 1, "zero": 1, "plus": 1, "minus": 1},
            Normalisation.RMS: {"large": 1},
        }
        return Layout(window=n * n, scratch=n * n, place=2, **extra[self.norm])

    @property
    def one(self) -> Form | None:
        """The constant 1 as a form, if the stream has it."""
        if self.norm is Normalisation.RMS:
            return at("large", 0, Fraction(1, self.large))
        return at("one") if self.gated or self.norm is Normalisation.LAYER else None

    def constants(self) -> dict[str, Entry]:
        """The coordinates that are the same for every token."""
        names: dict[str, Entry] = {"one": 1, "plus": self.large, "minus": -self.large}
        return names | {"large": self.large}

    def normalise(self, width: int) -> Norm | None:
        """LayerNorm with gain K √(2/d), or RMSNorm with gain K / √d."""
        if self.norm is Normalisation.NONE:
            return None
        centred = self.norm is Normalisation.LAYER
        gain = root(Fraction((2 if centred else 1) * self.large**2, width))
        return Norm(centred, gain, self.epsilon)

    def read(self, matrix: Matrix, layout: Layout) -> Matrix:
        """A reading matrix; under LayerNorm its columns add up to 0 on the zero coordinate."""
        if self.norm is not Normalisation.LAYER:
            return matrix
        entries, zero = dict(matrix.entries), layout.at("zero")
        for (_, column), value in matrix.entries.items():
            entries[zero, column] = entries.get((zero, column), 0) - value
        return Matrix(matrix.shape, entries)


GATED = Design()


@dataclass(frozen=True)
class DecoderBuilder:
    """The weights for n states, a length and a design; C is given where attention is soft."""

    n: int
    length: int
    design: Design = GATED
    saturation: Entry | None = None

    @cached_property
    def layout(self) -> Layout:
        """The coordinates of the stream."""
        return self.design.layout(self.n)

    def reading(self, forms: Sequence[Form]) -> Matrix:
        """A matrix that reads the stream."""
        return self.design.read(columns(self.layout, forms), self.layout)

    def entry(self, name: str, row: int, column: int) -> Form:
        """One entry of the matrix in the window or in the scratch."""
        return at(name, row * self.n + column)

    def head(self, layer: int) -> Head[Matrix]:
        """Scores 2j(t-s) - j², times C; the value is the window."""
        p, s = span(self.length), 2 ** (layer - 1)
        factor = 1 if self.saturation is None else self.saturation
        shift: list[Entry] = [-2 * p * s * factor, -p * p * factor]
        query = [at("place", 0, 2 * p * p * factor), {}]
        one = self.design.one
        if one is not None:
            query = [plus(form, times(a, one)) for form, a in zip(query, shift, strict=True)]
        return Head(
            self.reading(query),
            self.reading([at("place", 0), at("place", 1)]),
            self.reading([at("window", c) for c in range(self.n * self.n)]),
            Attention.HARD if self.saturation is None else Attention.SOFT,
            Mask.CAUSAL,
            "back",
            None if one is not None else tuple(shift),
        )

    def combine(self) -> Matrix:
        """W_O: the output of the head is added to the window and to the scratch."""
        copied = Matrix.identity(self.n * self.n)
        targets = {("", "window"): copied, ("", "scratch"): copied}
        return Matrix.blocks(self.n * self.n, self.layout, targets)

    def factors(self) -> list[tuple[Form, Form, Form, Form]]:
        """For all i, k, j: x_ik, y_kj, where x y goes, and where x is erased (once, at j = 0)."""
        terms = []
        for i, k, j in pairs(range(self.n), repeat=3):
            x = self.entry("scratch", i, k)
            y = plus(self.entry("window", k, j), times(-1, self.entry("scratch", k, j)))
            terms.append((x, y, self.entry("window", i, j), x if j == 0 else {}))
        return terms

    @cached_property
    def block(self) -> Gated[Matrix] | MLP[Matrix]:
        """Adds XY to the window and takes X from the scratch; the same in every layer."""
        return self.gated_block() if self.design.gated else self.plain_block()

    def gated_block(self) -> Gated[Matrix]:
        """2n³ + n² units."""
        one, sigma = self.design.one or {}, self.design.activation
        units = [u for x, y, out, _ in self.factors() for u in gated.product_units(x, y, out)]
        for *_, x in self.factors():
            units += gated.linear_units(x, times(-1, x), one, sigma) if x else []
        made = gated.gated_block(self.layout, units, sigma)
        read = self.design.read
        return Gated(
            read(made.inward, self.layout), read(made.gate, self.layout), sigma, made.output
        )

    def plain_block(self) -> MLP[Matrix]:
        """4n³ units a level; those of the first level erase."""
        sigma, bits = smooth_activation(self.design.activation), self.design.fineness or 0
        scale = FourUnits.of(sigma.name, bits).scale
        reads, writes = [], []
        for k, weight in enumerate(richardson_weights(self.design.levels)):
            h, even = self.design.step * 2**k, weight * scale / 4**k
            odd = erasing_weight(sigma.name, bits) if k == 0 else 0
            for x, y, out, erased in self.factors():
                for x_sign, y_sign, sign in SIGNS:
                    reads.append(plus(times(x_sign * h, x), times(y_sign * h, y)))
                    writes.append(plus(times(sign * even, out), times(-x_sign * odd, erased)))
        outward = columns(self.layout, writes).transpose
        bias = (sigma.point,) * len(reads)
        return MLP(self.reading(reads), bias, sigma.name, outward, (0,) * self.layout.size)

    def layer(self, layer: int) -> Layer[Matrix]:
        """Layer l = 1, 2, …; layers differ in one number, the shift s."""
        norm = self.design.normalise(self.layout.size)
        return Layer((self.head(layer),), self.combine(), self.block, True, norm)

    def readout(self, alpha: Sequence[Entry], outputs: Matrix) -> Matrix:
        """(I + X) ↦ αᵀ (I + X) B, the part of I from the constant if there is one."""
        forms: list[Form] = [{} for _ in range(outputs.shape[1])]
        for (j, c), value in outputs.entries.items():
            states = [times(a * value, self.entry("window", i, j)) for i, a in enumerate(alpha)]
            kept = times(alpha[j] * value, self.design.one or {})
            forms[c] = plus(forms[c], kept, *states)
        return self.reading(forms)


def erasing_weight(activation: str, fineness: int) -> Fraction:
    """The weight of the odd part, 1/(4h σ'(b)); exact where σ(u) - σ(-u) = u."""
    sigma = smooth_activation(activation)
    if sigma.odd_part_is_identity:
        return Fraction(1 << fineness, 2)
    with flint.ctx.workprec(8 * fineness + 256):
        slope = sigma.derivative(ball(sigma.point), 1)
        return ceiling(((1 << fineness) / (4 * slope)).mid())


@one_line(of_simulation)
@dataclass(frozen=True)
class DecoderSimulation(DecoderEmbedding):
    """A decoder that simulates an automaton on words of at most `length` letters.

    `outputs` is B: the model returns αᵀ A^{x_1 … x_t} B.
    """

    automaton: WFA
    length: int
    design: Design
    saturation: Entry | None
    outputs: Matrix
    transformer: Transformer[Matrix]

    @property
    def layout(self) -> Layout:
        """The coordinates of the stream."""
        return self.design.layout(self.automaton.n)

    @property
    def symbols(self) -> tuple[str, ...]:
        """The tokens by their numbers: the letters, then BOS."""
        return (*self.automaton.alphabet, BOS)

    def token_rows(self) -> list[list[Entry]]:
        """W_E: vec(A^σ - I) for every letter, and 0 for BOS, last."""
        matrices = [self.automaton.matrix(symbol) for symbol in self.automaton.alphabet]
        letters = [self.layout.vector({"window": minus_identity(matrix)}) for matrix in matrices]
        return [*letters, self.layout.vector({})]

    def position_rows(self) -> list[list[Entry]]:
        """W_pos: t/p, (t/p)² and the constants, for t = 0 … T."""
        p = span(self.length)
        constants = {name: [value] for name, value in self.design.constants().items()}
        places = [Fraction(t, p) for t in range(self.length + 1)]
        return [self.layout.vector({"place": [x, x * x], **constants}) for x in places]

    def tokens(self, word: Sequence[str]) -> list[int]:
        """BOS, then the letters by their numbers."""
        check_fits(len(word), self.length)
        return [self.bos, *symbol_numbers("word", word, self.automaton.alphabet)]

    def states(self, word: Sequence[str], arithmetic: Arithmetic) -> Any:
        """The T + 1 outputs for a word, in the given arithmetic."""
        return run(self.transformer, arithmetic, self.encode(word))


def minus_identity(matrix: Sequence[Sequence[Entry]]) -> list[Entry]:
    """vec(A - I)."""
    return [w - 1 if i == j else w for i, row in enumerate(matrix) for j, w in enumerate(row)]


def build(
    automaton: WFA,
    length: int,
    design: Design = GATED,
    saturation: Entry | None = None,
    outputs: Matrix | None = None,
) -> DecoderSimulation:
    """The decoder for an automaton at length T ≥ 1: hard attention, or softmax with C.

    Examples:
        >>> from constructions.arithmetic import Rational
        >>> from constructions.automata.families import counting
        >>> model = build(counting(), 4, Design("relu"))
        >>> [str(count) for count, _ in model.states("0100", Rational())]
        ['0', '1', '1', '2', '3']

    """
    builder = DecoderBuilder(automaton.n, check_length(length), design, saturation)
    outputs = outputs or Matrix.identity(automaton.n)
    layers = tuple(builder.layer(layer) for layer in range(1, depth(length) + 1))
    bias = None if design.one is not None else constant_part(automaton.alpha, outputs)
    norm = design.normalise(builder.layout.size)
    readout = builder.readout(automaton.alpha, outputs)
    model = Transformer(layers, readout, bias=bias, norm=norm)
    return DecoderSimulation(automaton, length, design, saturation, outputs, model)


def constant_part(alpha: Sequence[Entry], outputs: Matrix) -> tuple[Entry, ...]:
    """αᵀ B."""
    row = Matrix.dense([list(alpha)]) @ outputs
    return tuple(row.rows()[0])


def sizes(n: int, length: int, design: Design = GATED) -> dict[str, int]:
    """The sizes as formulas in n and T, of a model with at least one layer."""
    extra = {Normalisation.NONE: int(design.gated), Normalisation.LAYER: 4, Normalisation.RMS: 1}
    return {
        "layers": depth(length),
        "heads": 1,
        "d_model": 2 * n * n + 2 + extra[design.norm],
        "d_head": max(n * n, 2),
        "d_mlp": 2 * n**3 + n * n if design.gated else 4 * design.levels * n**3,
        "context": length + 1,
    }
