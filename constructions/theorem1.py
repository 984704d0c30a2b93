"""Theorem 1: hard attention and a bilinear layer simulate every WFA exactly (Appendix B.1).

Claimed       depth log₂ T, embedding 2n² + 2, attention width 2n² + 2, MLP width 2n², two heads
Constructs    on 2M tokens, M = 2^⌈log₂ T⌉, positions -M+1 … M: layer l multiplies each token's
              matrix by the one 2^(l-1) positions to its left; after all layers position t holds
              A^{x_1 … x_t}, for t = 0 … T
Notation      n states; left, right: the two copies of vec(A), row by row; P_1, P_2: cos and sin of
              πt/M; ρ_θ the rotation by θ = -π 2^(l-1)/M
Unlike print  W_Q, W_K are d × 2 with lower block I_2 or ρ_θᵀ: the printed blocks do not fit
              together; W_V is d × d; W_out is n² × d, not its transpose; the tensor is n²×n²×n²;
              M instead of T where T is no power of two, as the paper's remark on padding asks
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from numbers import Integral
from typing import Any

from constructions.automata.wfa import WFA, Square
from constructions.core.errors import InputError, check_fits
from constructions.core.exact import Exact, cos_pi, sin_pi
from constructions.core.layout import Layout
from constructions.core.matrix import Entry, Matrix, Tensor
from constructions.core.one_line import of_simulation, one_line
from constructions.core.transformer import (
    Arithmetic,
    Attention,
    Bilinear,
    Head,
    Layer,
    Transformer,
    run,
)
from constructions.running.simulation import PAD, WordView

SHORT = 8


def layout(n: int) -> Layout:
    """(x_L, x_R, x_P): two copies of a vectorised matrix, and the position."""
    return Layout(left=n * n, right=n * n, position=2)


def depth(length: int) -> int:
    """⌈log₂ T⌉ layers."""
    return (length - 1).bit_length()


def span(length: int) -> int:
    """M, the power of two the construction works with."""
    return 1 << depth(length)


def theta(layer: int, span: int) -> Fraction:
    """θ/π = -2^(l-1)/M for layer l = 1, 2, …"""
    return Fraction(-(2 ** (layer - 1)), span)


def rotation(angle: Fraction) -> Matrix:
    """ρ_θ = ((cos θ, sin θ), (-sin θ, cos θ)), θ = π·angle."""
    cosine, sine = cos_pi(angle), sin_pi(angle)
    return Matrix((2, 2), {(0, 0): cosine, (0, 1): sine, (1, 0): -sine, (1, 1): cosine})


def position(t: int, span: int) -> tuple[Exact, Exact]:
    """P_1(t) = cos(πt/M), P_2(t) = sin(πt/M)."""
    return cos_pi(Fraction(t, span)), sin_pi(Fraction(t, span))


def select_position(names: Layout, block: Matrix) -> Matrix:
    """(0 0 block)ᵀ: d × 2, the lower block transposed."""
    return Matrix.blocks(names, 2, {("position", ""): block.transpose})


def query(n: int) -> Matrix:
    """W_Q of both heads, and W_K of the right one."""
    return select_position(layout(n), Matrix.identity(2))


def left_key(n: int, layer: int, span: int) -> Matrix:
    """W_K of the left head: the position, turned by θ."""
    return select_position(layout(n), rotation(theta(layer, span)))


def value(n: int, side: str) -> Matrix:
    """W_V: keeps the left or the right block of the embedding."""
    return kept_blocks(layout(n), side)


def kept_blocks(names: Layout, *blocks: str) -> Matrix:
    """W_V: keeps some blocks of an embedding."""
    parts = {(name, name): Matrix.identity(len(names[name])) for name in blocks}
    return Matrix.blocks(names, names, parts)


def combine(n: int) -> Matrix:
    """W_O = (I; I): the two heads, which fill different blocks, are added."""
    return summed_heads(layout(n), "left", "right")


def summed_heads(names: Layout, *heads: str) -> Matrix:
    """W_O = (I; …; I): the outputs of the heads are added."""
    one = Matrix.identity(names.size)
    joined = Layout(**dict.fromkeys(heads, names.size))
    return Matrix.blocks(joined, names.size, {(head, ""): one for head in heads})


def select(n: int, side: str) -> Matrix:
    """W_sel: d × n², picks the left or the right block."""
    return Matrix.blocks(layout(n), n * n, {(side, ""): Matrix.identity(n * n)})


def tensor(n: int) -> Tensor:
    """Lemma 1: T((i',j'), (i'',j''), (i,j)) = 1 where i' = i, j' = i'', j'' = j."""
    ones = {(i * n + k, k * n + j, i * n + j): 1 for i, k, j in product(range(n), repeat=3)}
    return Tensor((n * n, n * n, n * n), ones)


def output(n: int) -> Matrix:
    """W_out: n² × d, copies the product into the left and the right block."""
    one = Matrix.identity(n * n)
    return Matrix.blocks(n * n, layout(n), {("", "left"): one, ("", "right"): one})


def readout(alpha: Sequence[Entry], names: Layout | None = None, block: str = "right") -> Matrix:
    """vec(A) ↦ αᵀ A, read from the right block, or from a block of another embedding."""
    n = len(alpha)
    part = {(i * n + j, j): alpha[i] for i in range(n) for j in range(n) if alpha[i] != 0}
    return Matrix.blocks(names or layout(n), n, {(block, ""): Matrix((n * n, n), part)})


def heads(n: int, layer: int, span: int, attention: Attention) -> tuple[Head[Matrix], ...]:
    """The left head looks 2^(l-1) positions back, the right head at its own position."""
    left = Head(query(n), left_key(n, layer, span), value(n, "left"), attention, name="left")
    right = Head(query(n), query(n), value(n, "right"), attention, name="right")
    return left, right


def product_block(n: int) -> Bilinear[Matrix]:
    """The bilinear layer that multiplies the left matrix by the right one."""
    return Bilinear(select(n, "left"), select(n, "right"), tensor(n), output(n))


def layers(n: int, length: int, attention: Attention = Attention.HARD) -> tuple[Layer[Matrix], ...]:
    """⌈log₂ T⌉ layers, alike but for θ."""
    return tuple(
        Layer(heads(n, layer, span(length), attention), combine(n), product_block(n))
        for layer in range(1, depth(length) + 1)
    )


class PaddedWords(WordView):
    """A transformer on the matrices of a word's letters, with identities around them."""

    automaton: WFA
    length: int
    transformer: Transformer[Matrix]

    @property
    def span(self) -> int:
        """M: half of the number of tokens."""
        return span(self.length)

    @property
    def positions(self) -> range:
        """-M+1 … M, one for each token."""
        return range(-self.span + 1, self.span + 1)

    def encode(self, word: Sequence[str]) -> list[list[Entry]]:
        """The embedded tokens: identities outside of the word, matrices inside."""
        check_fits(len(word), self.length)
        return [self.token(self._letter(word, t), t) for t in self.positions]

    def _letter(self, word: Sequence[str], t: int) -> list[Entry]:
        """vec(A) of the letter at position t, or vec(I)."""
        inside = 1 <= t <= len(word)
        matrix = self.automaton.matrix(word[t - 1]) if inside else identity(self.automaton.n)
        return [weight for row in matrix for weight in row]

    def token(self, letter: list[Entry], t: int) -> list[Entry]:
        """The token at position t: two copies of the matrix of its letter, and the position."""
        return [*letter, *letter, *position(t, self.span)]

    def outputs(self, word: Sequence[str], arithmetic: Arithmetic) -> Any:
        """The T + 1 states the transformer returns for a word, in the given arithmetic."""
        return run(self.transformer, arithmetic, self.encode(word), self.prefixes(word))

    def prefixes(self, word: Sequence[str]) -> slice:
        """The rows of positions 0 … T, one for each prefix of the word."""
        return slice(self.row(0), self.row(len(word)) + 1)

    def row(self, t: int) -> int:
        """The row of the token at position t."""
        return t - self.positions.start

    def names(self, word: Sequence[str]) -> list[str]:
        """A name for each token: the letters, and pads around them."""
        return [word[t - 1] if 1 <= t <= len(word) else PAD for t in self.positions]

    def contents(self, word: Sequence[str]) -> list[list[str]]:
        """For positions 0 … T: after l layers the product of the last 2^l letters, in words."""
        return windows(word, [1 << k for k in range(len(self.transformer.layers) + 1)])


@one_line(of_simulation)
@dataclass(frozen=True)
class WordSimulation(PaddedWords):
    """A transformer that simulates an automaton on words of at most `length` letters."""

    automaton: WFA
    length: int
    transformer: Transformer[Matrix]


def windows(word: Sequence[str], sizes: Sequence[int]) -> list[list[str]]:
    """For each size, and each prefix of a word, the product of that number of last letters, in words."""
    return [[factor(word, t, size) for t in range(len(word) + 1)] for size in sizes]


def factor(word: Sequence[str], end: int, most: int) -> str:
    """The last `most` of the first `end` letters, or their first and last number if long."""
    start = max(0, end - most)
    between = "" if all(len(symbol) == 1 for symbol in word) else " "
    text = between.join(word[start:end])
    if end - start > 1 and len(text) > SHORT:
        return f"{start + 1}–{end}"
    return text or "I"


def identity(n: int) -> Square:
    """I_n, the matrix of a pad."""
    return tuple(tuple(int(i == j) for j in range(n)) for i in range(n))


def build(automaton: WFA, length: int) -> WordSimulation:
    """Theorem 1's transformer for an automaton at length T ≥ 1.

    Examples:
        >>> from constructions.arithmetic import Rational
        >>> from constructions.automata.families import counting
        >>> [str(count) for count, _ in build(counting(), 4).states("0100", Rational())]
        ['0', '1', '1', '2', '3']

    """
    return assemble(automaton, length, layers(automaton.n, check_length(length)))


def check_length(length: Any) -> int:
    """A length T ≥ 1, or a clear error."""
    if isinstance(length, bool) or not isinstance(length, Integral) or length < 1:
        found = f"the text {length}" if isinstance(length, str) else length
        raise InputError("length", found, "a whole number ≥ 1")
    return int(length)


def assemble(automaton: WFA, length: int, layers: tuple[Layer[Matrix], ...]) -> WordSimulation:
    """The layers with the automaton's readout; positions are written anew after each layer."""
    coordinates = layout(automaton.n)["position"]
    model = Transformer(layers, readout(automaton.alpha), coordinates)
    return WordSimulation(automaton, check_length(length), model)
