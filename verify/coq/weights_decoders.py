"""Decoders of the program at given sizes, to be compared with those of the proofs.

    word_cases    Theorem B (gated blocks) and Theorem A (plain blocks), hard and soft
    tree_cases    the tree decoder, hard and soft

Coq prints a decoder in the program's form, which has the same outputs as the form that the theorems
are about (`DecoderForm.same_outputs`). The forward pass of the proofs fixes some parts that their data
do not hold; each case names them: the attention with its mask, the activation, and that every block adds
to a stream without normalisation. With hard attention the proofs on trees average over the maximisers of
a score; the program does so where it attends to all tokens, and refuses a tie elsewhere, where none
occurs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial

from constructions import decoder, decoder_tree
from constructions.blocks.gated import gate_inverse
from constructions.core.activations import smooth_activation
from constructions.core.embedding import DecoderEmbedding
from constructions.core.matrix import Entry, Matrix
from constructions.core.transformer import Attention, Gated, Layer
from constructions.decoder import Design
from verify.coq.printed import Case, Unread, Weight
from verify.coq.walk import DECODER, mlp_parts, walk
from verify.coq.weights_trees import symbols_of, tree_sample
from verify.coq.weights_words import word_sample

FINENESS = 3
NOTHING = "nothing"


def decoder_weights(
    build: Callable[[], DecoderEmbedding], symbols: Sequence[str]
) -> Mapping[str, Weight]:
    """Return the weights of a built decoder and its embeddings."""
    built = build()
    model = built.transformer
    weights = walk(model, built.encode(symbols), decoder_parts, biases=True)
    weights |= {"tokens": Matrix.dense(built.token_rows())}
    weights |= {"places": Matrix.dense(built.position_rows())}
    weights["written anew"] = NOTHING if not model.positions else str(model.positions)
    return weights


def decoder_parts(layer: Layer[Matrix]) -> dict[str, Weight]:
    """Return the weights of a gated or a plain block."""
    if isinstance(layer.feedforward, Gated):
        return gated_parts(layer.feedforward)
    return mlp_parts(layer)


def gated_parts(block: Gated[Matrix]) -> dict[str, Weight]:
    """Return W_in, W_gate, W_out and the activation of a gated block."""
    return {
        "inward": block.inward,
        "gate": block.gate,
        "output": block.output,
        "activation": block.activation,
    }


class Reader:
    """Reads a printed weight as a number; each word is followed by its arguments."""

    def __init__(self, letters: Mapping[str, Callable[..., Entry]], activation: str) -> None:
        self.letters, self.activation = letters, activation

    def __call__(self, words: list[str]) -> Entry:
        """Return the number that some words mean."""
        value, rest = self.first(words)
        if rest:
            raise Unread(f"a weight reads {' '.join(words)!r}")
        return value

    def first(self, words: list[str]) -> tuple[Entry, list[str]]:
        """Return the number at the beginning, and the words behind it."""
        match words:
            case ["over", *rest]:
                value, rest = self.first(rest)
                return self.over(value), rest
            case ["times", k, *rest]:
                value, rest = self.first(rest)
                return int(k) * value, rest
            case ["plus", *rest]:
                left, rest = self.first(rest)
                right, rest = self.first(rest)
                return left + right, rest
        return self.plain(words)

    def over(self, value: Entry) -> Entry:
        """Return value / σ(1)."""
        return gate_inverse(self.activation, value) if value != 0 else 0

    def plain(self, words: list[str]) -> tuple[Entry, list[str]]:
        """Return a number, or a word applied to whole numbers, and the words behind it."""
        match words:
            case [z, *rest] if z.lstrip("-").isdigit():
                return int(z), rest
            case ["ratio", fraction, *rest]:
                return Fraction(fraction), rest
            case ["pergate", k, *rest]:
                return self.over(int(k)), rest
            case [name, *rest] if name in self.letters:
                count = ARITIES[name]
                return self.letters[name](*map(int, rest[:count])), rest[count:]
        raise Unread(f"a weight reads {' '.join(words)!r}")


ARITIES = {"score": 2, "step": 1, "even": 1, "odd": 1, "initial": 1}
ARITIES |= {"transition": 3, "leaf": 2, "tensor": 3}


def score(saturation: Entry | None, width: int, k: int) -> Entry:
    """Return k C √width; in the program's form the width is 1, and C is 1 with hard attention."""
    if width != 1:
        raise Unread(f"a score with the root of {width}")
    return k * (1 if saturation is None else saturation)


def steps(activation: str) -> dict[str, Callable[[int], Entry]]:
    """Return k h, k/(4h² σ''(0)) and k/(4h σ'(0)) for SiLU, whose derivatives at 0 are both 1/2."""
    if activation != "silu" or smooth_activation(activation).point != 0:
        raise Unread(f"the derivatives of {activation}")
    h, half = Fraction(1, 1 << FINENESS), Fraction(1, 2)
    return {
        "step": lambda k: k * h,
        "even": lambda k: k / (4 * h * h * half),
        "odd": lambda k: k / (4 * h * half),
    }


def fixed(saturation: Entry | None, activation: str) -> dict[str, str]:
    """Return the parts that the forward pass of the proofs fixes."""
    attention = Attention.HARD if saturation is None else Attention.SOFT
    return {
        " attention": f"{attention.value} causal",
        " activation": activation,
        "written anew": NOTHING,
        **DECODER,
    }


def word_number(n: int, length: int, design: Design, saturation: Entry | None) -> Reader:
    """Return the reader of the weights of a decoder on words."""
    automaton, _ = word_sample(n, length)
    letters: dict[str, Callable[..., Entry]] = {
        "score": partial(score, saturation),
        "initial": lambda i: automaton.alpha[i],
        "transition": lambda a, i, j: automaton.matrix(automaton.alphabet[a])[i][j],
    }
    more = {} if design.gated else steps(design.activation)
    return Reader(letters | more, design.activation)


def word_cases(n: int, length: int, saturation: Fraction) -> Iterator[Case]:
    """Yield the decoder gated with ReLU and SiLU, and plain with SiLU, hard and soft."""
    automaton, word = word_sample(n, length)
    letters = "; ".join(str(automaton.alphabet.index(letter)) for letter in word)
    for design, constant in (
        (Design("relu"), None),
        (Design("silu"), saturation),
        (Design("silu", FINENESS), None),
        (Design("silu", FINENESS), saturation),
    ):
        gated = "true" if design.gated else "false"
        build = partial(built_words, n, length, design, constant)
        yield Case(
            f"n = {n}, T = {length}",
            f"words_decoder {n} {length} {length} {gated} [{letters}]",
            partial(decoder_weights, build, word),
            word_number(n, length, design, constant),
            fixed(constant, design.activation),
        )


def built_words(n: int, length: int, design: Design, saturation: Entry | None) -> DecoderEmbedding:
    """Return the decoder of an automaton with different weights."""
    return decoder.build(word_sample(n, length)[0], length, design, saturation)


def tree_number(n: int, symbols: str, activation: str, saturation: Entry | None) -> Reader:
    """Return the reader of the weights of a tree decoder."""
    automaton = tree_sample(n, symbols)
    letters: dict[str, Callable[..., Entry]] = {
        "score": partial(score, saturation),
        "leaf": lambda a, i: automaton.leaf(automaton.alphabet[a])[i],
        "tensor": lambda a, left, right: automaton.tensor[a][left][right],
    }
    return Reader(letters, activation)


def tree_cases(n: int, length: int, symbols: str, saturation: Fraction) -> Iterator[Case]:
    """Yield the tree decoder, hard and soft."""
    numbers = {letter: a for a, letter in enumerate(tree_sample(n, symbols).alphabet)}
    for activation, constant in (("relu", None), ("silu", saturation)):
        build = partial(built_trees, n, length, symbols, activation, constant)
        averaged = {} if constant else {"layer 0 head 0 attention": "saturated causal"}
        yield Case(
            f"n = {n}, T = {length}, {symbols}",
            f"trees_decoder {n} {len(numbers)} {length} {symbols_of(symbols, numbers.get)}",
            partial(decoder_weights, build, symbols),
            tree_number(n, symbols, activation, constant),
            fixed(constant, activation) | averaged,
        )


def built_trees(
    n: int, length: int, symbols: str, activation: str, saturation: Entry | None
) -> DecoderEmbedding:
    """Return the tree decoder of an automaton with different weights."""
    return decoder_tree.build(tree_sample(n, symbols), length, activation, saturation)
