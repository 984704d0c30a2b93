"""A normalised stream: a language model that keeps relative accuracy, however small p(w) is.

Claimed       nothing by the paper: the states of its models shrink like p(w)
Constructs    a decoder whose norms follow attention and follow the block, before their output
              is added to the stream (Olmo 2's kind). What a layer writes is a matrix of norm near 1,
              in separate coordinates, so that no size is ever added to a smaller one
Stream        one      1   the constant 1
              windowl  n²  W_l ∝ A^w, w the last min(t, 2^l) letters, for l = 0 … L-1; BOS: W_0 ∝ I
              readl    n²  X_l ∝ W_{l-1} of token t - 2^(l-1), for l = 1 … L
              belief   n   ∝ αᵀA^w, the state's direction
              logit    |Σ| -Σ w σ(s(1 - x/k)), the units of log f_σ
              big      1   K, behind the last two norms
              place    2   cos ωt and sin ωt, ω = π/(T+1)
Layer l       scores C cos(ω(t - s - j)), s = 2^(l-1), are largest at j = t - s, and at BOS where t < s.
              Behind attention: X_l. The block multiplies, exactly (`gated`): W_l ∝ X_l W_{l-1}; in layer
              L the belief, ∝ αᵀ X_L W_{L-1}. Each is multiplied by G before its norm, so that the
              norm's ε counts for nothing, and by a power of two behind it
Layer L + 1   no attention; f_σ = belief · A^σ 1, and |Σ| m units for log f_σ (`blocks.logarithm`). K beside
              them makes this norm, and the last one, a factor 1 - O(|x|²/K²)
Automaton     a process without negative weights in its stochastic form: states without a future or
              out of reach are left out, A^σ_ij v_j / v_i in place of A^σ_ij, so that Σ A^σ 1 = 1
Notation      T length, L = ⌈log₂ T⌉, ν the norm of what is written, M the largest f_σ
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import isqrt

from constructions.automata.prediction import Predictor
from constructions.automata.wfa import WFA
from constructions.blocks import gated
from constructions.blocks.logarithm import Logarithm
from constructions.core.embedding import BOS
from constructions.core.errors import InputError
from constructions.core.exact import cos_pi, root, sin_pi
from constructions.core.forms import Form, at, columns, plus, times
from constructions.core.layout import Layout
from constructions.core.matrix import Entry, Matrix
from constructions.core.transformer import (
    Attention,
    Gated,
    Head,
    Layer,
    Mask,
    Norm,
    Transformer,
)
from constructions.decoder import DecoderBuilder, Design, Normalisation
from constructions.language_model import LanguageModel, LogHead, symbol_weights
from constructions.theorem1 import check_length, depth

GAIN = 1 << 60  # G: its square, and those of all that is multiplied by it, fit float32
LARGE = 1 << 40  # K
EPSILON = Fraction(1, 10**6)


def stochastic_form(source: Predictor) -> WFA:
    """The process with Σ A^σ 1 = 1, on the states that are reached and have a future.

    Examples:
        >>> from constructions.automata.families import pfa
        >>> from constructions.automata.prediction import predictor
        >>> form = stochastic_form(predictor(pfa([1], {"a": [["1/2"]]}, ["1/2"])))
        >>> [str(form.matrix(symbol)[0][0]) for symbol in form.alphabet]
        ['1/2', '1/2']

    """
    process = source.automaton
    for name, row in (("alpha", process.alpha), *_rows(process)):
        if min(row) < 0:
            expected = "no negative ones: where weights cancel, relative accuracy is lost"
            raise InputError(name, f"the weight {min(row)}", expected)
    kept = [i for i in _reachable_states(process) if process.beta[i] > 0]
    beta = [process.beta[i] for i in kept]
    letters = {
        symbol: tuple(
            tuple(matrix[i][j] * process.beta[j] / process.beta[i] for j in kept) for i in kept
        )
        for symbol, matrix in process.transitions.items()
    }
    start = tuple(Fraction(process.alpha[i]) * v for i, v in zip(kept, beta, strict=True))
    return WFA(start, letters, (Fraction(1),) * len(kept))


def _rows(process: WFA) -> list[tuple[str, Sequence[Entry]]]:
    return [
        (f"transitions[{symbol}]", row)
        for symbol, matrix in process.transitions.items()
        for row in matrix
    ]


def _reachable_states(process: WFA) -> list[int]:
    """The states that some word leads to, in their order."""
    found = {i for i, weight in enumerate(process.alpha) if weight}
    while True:
        further = {
            j
            for matrix in process.transitions.values()
            for i in found
            for j, weight in enumerate(matrix[i])
            if weight
        }
        if further <= found:
            return sorted(found)
        found |= further


def near_unit(matrix: Sequence[Sequence[Entry]]) -> list[Entry]:
    """vec(A) scaled by a power of two to a Frobenius norm in (1/2, 1]; 0 stays 0."""
    entries = [Fraction(entry) for row in matrix for entry in row]
    square = sum((entry * entry for entry in entries), Fraction(0))
    if not square:
        return list(entries)
    scale = Fraction(1)
    while square * scale * scale > 1:
        scale /= 2
    while 4 * square * scale * scale <= 1:
        scale *= 2
    return [scale * entry for entry in entries]


@dataclass(frozen=True)
class NormalisedDesign(Design):
    """Design with one norm behind each block, for `layers` layers and `logits` symbols."""

    norm: Normalisation = Normalisation.RMS
    large: int = LARGE
    epsilon: Fraction = EPSILON
    layers: int = 1
    logits: int = 1

    def layout(self, n: int) -> Layout:
        """The coordinates of the stream, an even number."""
        windows = {f"window{layer}": n * n for layer in range(self.layers)}
        reads = {f"read{layer}": n * n for layer in range(1, self.layers + 1)}
        rest = {"belief": n, "logit": self.logits, "big": 1, "place": 2}
        odd = (1 + n + self.logits + 3) % 2
        return Layout(one=1, **windows, **reads, **rest, **({"spare": 1} if odd else {}))

    @property
    def one(self) -> Form:
        """Linear form of the constant 1, which has its own coordinate."""
        return at("one")

    def normalise_written(self, n: int) -> Norm:
        """x ↦ ν x/|x|, with ν = √d/2^k in (1/2, 1]: only directions count, so 2^-k is as good as 1/√d."""
        return Norm(False, Fraction(1, written_power(self.layout(n).size)), self.epsilon)


def written_power(width: int) -> int:
    """The least power of two whose square is at least d."""
    return 1 << (isqrt(width - 1)).bit_length()


@dataclass(frozen=True)
class NormalisedBuilder(DecoderBuilder):
    """The weights for an automaton in its stochastic form."""

    design: NormalisedDesign = NormalisedDesign()

    def head(self, layer: int) -> Head[Matrix]:
        """Scores C cos(ω(t - s - j)); the value is the window of the layer before."""
        turn = Fraction(2 ** (layer - 1), self.length + 1)
        factor = 1 if self.saturation is None else self.saturation
        cosine, sine = cos_pi(turn) * factor, sin_pi(turn) * factor
        query = [
            plus(at("place", 0, cosine), at("place", 1, sine)),
            plus(at("place", 1, cosine), at("place", 0, -sine)),
        ]
        values = [at(f"window{layer - 1}", c) for c in range(self.n * self.n)]
        return Head(
            columns(self.layout, query),
            columns(self.layout, [at("place", 0), at("place", 1)]),
            columns(self.layout, values),
            Attention.HARD if self.saturation is None else Attention.SOFT,
            Mask.CAUSAL,
            "back",
        )

    def layer(self, layer: int, alpha: Sequence[Entry] = ()) -> Layer[Matrix]:
        """Layer l = 1 … L; the last one multiplies by α as well."""
        copied = Matrix.identity(self.n * self.n).scaled(GAIN)
        combine = Matrix.blocks(self.n * self.n, self.layout, {("", f"read{layer}"): copied})
        norm = self.design.normalise_written(self.n)
        block = self.product_block(layer, alpha)
        return Layer((self.head(layer),), combine, block, True, None, (norm, norm))

    def product_block(self, layer: int, alpha: Sequence[Entry]) -> Gated[Matrix]:
        """2n³ units for X_l W_{l-1}, or 2n² for αᵀ X_L W_{L-1}."""
        read, window, n = f"read{layer}", f"window{layer - 1}", self.n
        terms: list[tuple[Form, Form, Form]] = []
        for k, j in product(range(n), repeat=2):
            right = self.entry(window, k, j)
            if alpha:
                left = plus(*(times(a, self.entry(read, i, k)) for i, a in enumerate(alpha)))
                terms.append((left, right, at("belief", j, GAIN)))
                continue
            for i in range(n):
                out = times(GAIN, self.entry(f"window{layer}", i, j))
                terms.append((self.entry(read, i, k), right, out))
        units = [unit for term in terms for unit in gated.product_units(*term)]
        return gated.gated_block(self.layout, units, self.design.activation)

    def log_layer(self, head: LogHead) -> Layer[Matrix]:
        """No heads; the units of the logarithm, and two that write K."""
        size, one = self.layout.size, self.design.one
        block = head.gated_block(gated.product_units(one, one, at("big", 0, self.design.large)))
        norm = self.last_norm()
        return Layer((), Matrix((0, size), {}), block, True, None, (norm, norm))

    def last_norm(self) -> Norm:
        """x ↦ K x/|x|, which is x up to 1 - O(|x|²/K²) where K is one of its coordinates."""
        large = Fraction(self.design.large**2, self.layout.size)
        return Norm(False, root(large), self.design.epsilon)


@dataclass(frozen=True)
class NormalisedModel(LanguageModel):
    """The language model of a process without negative weights; `automaton` is its stochastic form."""

    design: NormalisedDesign

    def token_rows(self) -> list[list[Entry]]:
        """W_E: each letter's matrix, near norm 1, and the identity for BOS, last."""
        matrices = [self.automaton.matrix(symbol) for symbol in self.automaton.alphabet]
        return [self.token_row(matrix) for matrix in (*matrices, Matrix.identity(self.n).rows())]

    def token_row(self, matrix: Sequence[Sequence[Entry]]) -> list[Entry]:
        """The embedding of a token with this matrix."""
        return self.layout.vector({"one": [1], "window0": near_unit(matrix)})

    def position_rows(self) -> list[list[Entry]]:
        """W_pos: the angle ωt as cosine and sine, for t = 0 … T."""
        turns = [Fraction(t, self.length + 1) for t in range(self.length + 1)]
        return [self.layout.vector({"place": [cos_pi(turn), sin_pi(turn)]}) for turn in turns]

    @property
    def n(self) -> int:
        """The number of states."""
        return self.automaton.n

    @property
    def symbols(self) -> tuple[str, ...]:
        """The tokens by their numbers: the letters, then BOS."""
        return (*self.automaton.alphabet, BOS)


def largest_weight(n: int) -> Fraction:
    """M ≥ √n ≥ |belief|₁ ≥ f_σ, as f_σ is the belief times a column of entries up to 1."""
    scale = 1 << 10
    return Fraction(isqrt(n * scale * scale) + 2, scale)  # with room for rounding


def build(
    source: Predictor,
    length: int,
    saturation: Entry | None,
    log: Logarithm,
    window: int | None = None,
) -> NormalisedModel:
    """The model of a process at length T ≥ 2: hard attention, or softmax with C.

    `log` is made for [δ, 1] and reads f_σ/M. A `window` of W letters, a power of two, takes log₂ W
    layers: the model reads the last W letters, from the start distribution on.
    """
    automaton, layers = stochastic_form(source), depth(min(check_length(length), window or length))
    if layers < 1:
        raise InputError("length", length, "2 or more, for a layer")
    design = NormalisedDesign(log.activation, layers=layers, logits=len(automaton.alphabet))
    builder = NormalisedBuilder(automaton.n, length, design, saturation)
    outputs = symbol_weights(Predictor(automaton, source.ends))
    head = LogHead(builder, log, belief_ratios(outputs))
    windows = [builder.layer(layer) for layer in range(1, layers)]
    blocks = (*windows, builder.layer(layers, automaton.alpha), builder.log_layer(head))
    readout = builder.reading(head.readings())
    transformer = Transformer(blocks, readout, norm=builder.last_norm())
    return NormalisedModel(
        automaton, length, design, saturation, outputs, transformer, source, log,
        largest_weight(automaton.n),
    )  # fmt: skip


def belief_ratios(outputs: Matrix) -> list[tuple[Form, Fraction]]:
    """f_σ/M as forms of the belief."""
    n, count = outputs.shape
    share, rows = 1 / largest_weight(n), outputs.rows()
    forms = [plus(*(at("belief", j, share * rows[j][c]) for j in range(n))) for c in range(count)]
    return [(form, Fraction(0)) for form in forms]


def sizes(n: int, length: int, symbols: int) -> dict[str, int]:
    """The sizes as formulas in n, T and |Σ|; the units of logarithms are not counted."""
    layers = depth(length)
    width = NormalisedDesign(layers=layers, logits=symbols).layout(n).size
    return {
        "layers": layers + 1,
        "heads": 1,
        "d_model": width,
        "d_head": width,
        "d_mlp": 2 * n ** (3 if layers > 1 else 2),
        "context": length + 1,
    }
