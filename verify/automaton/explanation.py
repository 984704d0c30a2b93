"""The exact computation of a decoder on one word or tree, layer by layer, for interpretability.

    explain(automaton, symbols)   for every layer and position: where each head reads, from the real
                                  weights in exact arithmetic, and what the stream then holds

For words the held product is computed, not assumed: the same model runs on uninterpreted letters. A
head whose scores are all alike reads every position.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, log10
from typing import Any

from constructions import decoder, decoder_tree
from constructions.arithmetic import Rational
from constructions.arithmetic.free import Combination
from constructions.arithmetic.objects import Objects
from constructions.automata.entries import check_rational
from constructions.automata.trees import CLOSE, OPEN, parse
from constructions.automata.wfa import WFA, letters
from constructions.automata.wta import WTA
from constructions.core.embedding import BOS
from constructions.core.errors import InputError
from constructions.core.transformer import Transformer, realise
from verify.exactness.decoder import GatedWords
from verify.exactness.generic import letter_automaton

LONGEST = 256
MOST_SECONDS = 60
# Measured: seconds that a product of two numbers takes, and more for each digit that they may have.
A_PRODUCT, A_DIGIT = 1e-4, 3e-8


@dataclass(frozen=True)
class Row:
    """A position after a layer: the positions that its heads read, and what it holds."""

    layer: int
    position: int
    token: str
    reads: dict[str, list[int]]
    holds: str
    values: list[str]


def explain(automaton: WFA | WTA, symbols: Sequence[str]) -> list[Row]:
    """Return a row for every layer (0 is the embedding) and every position (0 is BOS).

    Examples:
        >>> from constructions.automata.families import counting
        >>> rows = explain(counting(), "010")
        >>> sorted({row.layer for row in rows})
        [0, 1, 2]

    """
    check_rational(automaton)
    if isinstance(automaton, WFA):
        symbols = letters(symbols, automaton.alphabet)
    if len(symbols) > LONGEST:
        raise InputError("word", f"{len(symbols)} letters", f"at most {LONGEST}, to explain")
    return _words(automaton, symbols) if isinstance(automaton, WFA) else _trees(automaton, symbols)


def affordable(automaton: WFA | WTA, symbols: Sequence[str]) -> None:
    """Refuse a word that takes longer than about a minute, with an estimate."""
    check_rational(automaton)
    seconds = estimate(automaton, symbols)
    if seconds > MOST_SECONDS and len(symbols) <= LONGEST:  # longer ones are refused in any case
        found = f"{automaton.n} states, {len(symbols)} symbols, about {seconds:.0f} s"
        raise InputError("word", found, f"at most about {MOST_SECONDS} s, or large=True")


def estimate(automaton: WFA | WTA, symbols: Sequence[str]) -> float:
    """About how many seconds it takes: n³ products a position and layer, of numbers that grow.

    A product of k weights has k times the digits of the longest numerator and of the denominators'
    least common multiple. A tree's state is multiplied at its own node alone.
    """
    layers = len(symbols).bit_length()
    if isinstance(automaton, WFA):
        factors, places = len(symbols), len(symbols) * layers
        used = [w for s in set(symbols) for row in automaton.matrix(s) for w in row]
    else:
        places = sum(symbol not in (OPEN, CLOSE) for symbol in symbols)
        factors = 2 * places
        used = [w for rows in automaton.tensor for row in rows for w in row]
        used += [w for leaf in automaton.leaves.values() for w in leaf]
    weights = [Fraction(w) for w in used]
    bits = max((abs(w.numerator) for w in weights), default=1).bit_length()
    bits += lcm(*(w.denominator for w in weights)).bit_length()
    products = automaton.n**3
    steps = len(symbols) * layers * products * A_PRODUCT
    return steps + places * products * A_DIGIT * factors * bits * log10(2)


def _passes(
    model: Transformer[Any], rows: list[list[Any]]
) -> Iterator[tuple[Objects, list[dict[str, list[int]]]]]:
    """The stream after each layer, with what each head of the layer read at each position."""
    arithmetic = Rational()
    x = arithmetic.array(rows)
    yield x, [{} for _ in rows]
    for layer in realise(model, arithmetic).layers:
        reads: list[dict[str, list[int]]] = [{} for _ in rows]
        for head in layer.heads:
            scores = head.scores(arithmetic, x)
            for i in range(len(rows)):
                reads[i][head.name] = arithmetic.maximisers(list(scores[i][: i + 1]))
        x = layer(arithmetic, x)
        yield x, reads


def _words(automaton: WFA, word: Sequence[str]) -> list[Row]:
    model = decoder.build(automaton, max(len(word), 2), decoder.Design("relu"))
    products, tokens = _products(word), [BOS, *word]
    return [
        Row(number, t, tokens[t], reads[t], products[number][t], _window(model, x[t]))
        for number, (x, reads) in enumerate(_passes(model.transformer, model.encode(word)))
        for t in range(len(tokens))
    ]


def _window(model: decoder.DecoderSimulation, row: Objects) -> list[str]:
    """The matrix A^w, row by row."""
    n, window = model.automaton.n, [row[c] for c in model.layout["window"]]
    return [str(value + 1 if c % (n + 1) == 0 else value) for c, value in enumerate(window)]


def _products(word: Sequence[str]) -> list[list[str]]:
    """The product that each token holds after each layer, by running on letters."""
    letters = letter_automaton(max(len(word), 1), Combination.letter)
    model = decoder.build(letters, max(len(word), 2))
    arithmetic, place = GatedWords(), model.layout.at("window")
    rows = arithmetic.array(model.encode(letters.alphabet[: len(word)]))
    return [[_named(row[place] + 1, word) for row in x]
            for x in realise(model.transformer, arithmetic).states(arithmetic, rows)]  # fmt: skip


def _named(product: Any, word: Sequence[str]) -> str:
    """I, or the letters of a product of matrices."""
    terms = Combination.of(product).terms
    if len(terms) != 1:
        return f"a sum of {len(terms)} products"
    (letters,) = terms
    return "A[" + " ".join(word[ord(c) - 1] for c in letters) + "]" if letters else "I"


def _trees(automaton: WTA, string: Sequence[str]) -> list[Row]:
    parse(string)
    model = decoder_tree.build(automaton, len(string), "relu")
    tokens = [BOS, *string]
    return [
        Row(number, i, tokens[i], reads[i], *_node(model, x[i], tokens[i]))
        for number, (x, reads) in enumerate(_passes(model.transformer, model.encode(string)))
        for i in range(len(tokens))
    ]


def _node(
    model: decoder_tree.TreeDecoderSimulation, row: Objects, token: str
) -> tuple[str, list[str]]:
    """Describe what the position that ends a subtree holds: its state, a map, or nothing."""
    layout, state = model.layout, [str(row[c]) for c in model.layout["state"]]
    if row[layout.at("known")]:
        return "μ", state
    if token != CLOSE:
        return "", []
    if row[layout.at("inactive")]:
        return "inactive", []
    return f"M μ({row[layout.at('pointer')]})", [str(row[c]) for c in layout["matrix"]]
