"""Sequence models of the program at given sizes, to be compared with those of the proofs.

    printed_cases   Theorem 1, and Theorem 2 with exact products
    mlp_cases       Theorem 2 with the MLP of 4n³ units in every layer
    stepwise_cases  one step of the automaton a layer, T layers
    no_pads_cases   the exact model on T + 1 tokens
    clean_cases     Theorem 2 on T + 1 tokens, positions given once, hard, soft and with MLPs

Each takes n, T and C, and returns the cases of this size. The automaton's weights are rational, of both
signs and all different, so that a wrong, rounded or misplaced entry shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache, partial
from itertools import islice

from constructions import theorem1, theorem2
from constructions.automata.wfa import WFA
from constructions.blocks.multiplication import Multiplier, slim_multiplier
from constructions.blocks.smoothing import FourUnits, smooth_transformer, soft_transformer
from constructions.core.exact import cos_pi, root, sin_pi
from constructions.core.matrix import Entry
from constructions.core.transformer import Attention
from constructions.theorem1 import PaddedWords
from constructions.variants import nopads, theorem2_clean, unrolled
from verify.coq.printed import Case, Unread, Weight
from verify.coq.samples import distinct_numbers
from verify.coq.walk import (
    ENCODER,
    Blocks,
    bilinear_parts,
    encoding,
    mlp_parts,
    products,
    renewed,
    units,
    walk,
)

ACTIVATION = "tanh"
UNITS = FourUnits.of(ACTIVATION, 3)
NOTHING = "nothing"


@cache
def word_sample(n: int, length: int) -> tuple[WFA, tuple[str, ...]]:
    """Return an automaton whose weights are all different, and a word of different letters."""
    numbers = distinct_numbers()
    word = tuple(str(t) for t in range(1, length + 1))
    square = {letter: [list(islice(numbers, n)) for _ in range(n)] for letter in word}
    return WFA.of(list(islice(numbers, n)), square, list(islice(numbers, n))), word


def word_weights(
    build: Callable[[WFA, int], PaddedWords], blocks: Blocks, n: int, length: int
) -> Mapping[str, Weight]:
    """Return the weights of a built sequence model, its tokens and the rows of its T + 1 outputs."""
    automaton, word = word_sample(n, length)
    simulation = build(automaton, length)
    rows = simulation.encode(word)
    weights = walk(simulation.transformer, rows, blocks)
    weights["encoding"] = encoding(simulation.transformer, rows)
    weights["rows"] = " ".join(str(simulation.row(t)) for t in range(simulation.span + 1))
    return weights


def word_number(n: int, length: int, saturation: Fraction, words: list[str]) -> Entry:
    """Return one weight of the proof as an exact number; there is no letter outside the word."""
    automaton, word = word_sample(n, length)
    match words:
        case [z] if z.lstrip("-").isdigit():
            return int(z)
        case ["cos" | "sin" as name, angle]:
            return (cos_pi if name == "cos" else sin_pi)(Fraction(angle))
        case ["minus", *rest]:
            return -word_number(n, length, saturation, rest)
        case ["rootC", *rest]:
            return root(saturation) * word_number(n, length, saturation, rest)
        case ["C", z]:
            return saturation * int(z)
        case ["alpha", i]:
            return automaton.alpha[int(i)]
        case ["letter", t, i, j] if not 0 < int(t) <= length:
            return int(i == j)
        case ["letter", t, i, j]:
            return automaton.matrix(word[int(t) - 1])[int(i)][int(j)]
        case ["h" | "s" | "b" as name]:
            return {"h": UNITS.step, "s": UNITS.scale, "b": UNITS.activation.point}[name]
    raise Unread(f"a weight reads {' '.join(words)!r}")


def sizes(n: int, length: int) -> str:
    """Return the sizes in words."""
    return f"n = {n}, T = {length}"


def printed_cases(n: int, length: int, saturation: Fraction) -> Iterator[Case]:
    """Yield Theorem 1, and Theorem 2 with exact products, whose scores are multiplied by √C."""

    def hard(automaton: WFA, length: int) -> PaddedWords:
        return theorem1.build(automaton, length)

    def soft(automaton: WFA, length: int) -> PaddedWords:
        return theorem2.build(automaton, length, saturation)

    for scale, build, attention in (
        ("(fun w => w)", hard, Attention.HARD),
        ("RootC", soft, Attention.SOFT),
    ):
        yield Case(
            sizes(n, length),
            f"weights_of {n} (Nat.log2_up {length}) {scale}",
            partial(word_weights, build, bilinear_parts, n, length),
            partial(word_number, n, length, saturation),
            {" attention": f"{attention.value} none", **ENCODER},
        )


@cache
def multiplier(n: int) -> Multiplier:
    """Return the MLP of 4n³ units, with some step and scale."""
    return slim_multiplier(n, ACTIVATION, Fraction(2), Fraction(1, 1000))


def mlp_number(n: int, length: int, saturation: Fraction, words: list[str]) -> Entry:
    """Return a multiple of the step h, the scale s or the point b, or a weight of a sequence model."""
    product = multiplier(n)
    unit = {"h": product.step, "s": product.scale, "b": product.point}
    if words[0] in unit:
        return unit[words[0]] * int(words[1] if len(words) > 1 else 1)
    return word_number(n, length, saturation, words)


def mlp_cases(n: int, length: int, saturation: Fraction) -> Iterator[Case]:
    """Yield Theorem 2 with MLPs."""

    def build(automaton: WFA, length: int) -> PaddedWords:
        return theorem2.build(automaton, length, saturation, multiplier(n))

    yield Case(
        sizes(n, length),
        f"mlp_weights_of {n} (Nat.log2_up {length}) 0",
        partial(word_weights, build, mlp_parts, n, length),
        partial(mlp_number, n, length, saturation),
        {" attention": f"{Attention.SOFT.value} none", " activation": ACTIVATION, **ENCODER},
    )


def stepwise_cases(n: int, length: int, saturation: Fraction) -> Iterator[Case]:
    """Yield the model with one step of the automaton a layer."""

    def build(automaton: WFA, length: int) -> PaddedWords:
        return unrolled.build(automaton, length)

    yield Case(
        sizes(n, length),
        f"unrolled_weights_of {n} (Nat.log2_up {length}) {length}",
        partial(word_weights, build, bilinear_parts, n, length),
        partial(word_number, n, length, saturation),
        {" attention": f"{Attention.HARD.value} none", **ENCODER},
    )


def no_pads(n: int, length: int) -> Mapping[str, Weight]:
    """Return the weights and the tokens of the exact model without pads."""
    automaton, word = word_sample(n, length)
    simulation = nopads.build(automaton, length)
    model = simulation.transformer
    weights = walk(model, simulation.encode(word), bilinear_parts)
    return weights | {"written anew": NOTHING if not model.positions else str(model.positions)}


def no_pads_cases(n: int, length: int, saturation: Fraction) -> Iterator[Case]:
    """Yield the exact model without pads."""
    yield Case(
        sizes(n, length),
        f"clean_weights {n} {length}",
        partial(no_pads, n, length),
        partial(word_number, n, length, saturation),
        {" attention": f"{Attention.HARD.value} none", "written anew": NOTHING, **ENCODER},
    )


def clean(
    attention: Attention, mlp: bool, n: int, length: int, saturation: Fraction
) -> Mapping[str, Weight]:
    """Return the weights and tokens of Theorem 2 on the word alone: hard, soft, or with MLPs."""
    automaton, word = word_sample(n, length)
    built = theorem2_clean.build(automaton, length)
    rows, model = built.encode(word), built.transformer
    if attention is Attention.SOFT:
        model = soft_transformer(model, saturation)
    if mlp:
        model = smooth_transformer(model, UNITS, n * n)
    return walk(model, rows, units if mlp else products) | {"renewed": renewed(model, rows)}


def clean_cases(n: int, length: int, saturation: Fraction) -> Iterator[Case]:
    """Yield Theorem 2 on the word alone, hard, soft, and soft with MLPs."""
    layers = f"(Nat.log2_up {length})"
    model = f"word_weights_of {n} {length} {layers}"
    hidden = f"units_of (TreeModel.Transformer (word_model {n} Soft {layers}) nil nil)"
    for term, attention, mlp in (
        (f"{model} Hard", Attention.HARD, False),
        (f"{model} Soft", Attention.SOFT, False),
        (f"List.app (without_products ({model} Soft)) ({hidden})", Attention.SOFT, True),
    ):
        yield Case(
            sizes(n, length),
            term,
            partial(clean, attention, mlp, n, length, saturation),
            partial(word_number, n, length, saturation),
            {" activation": ACTIVATION, **ENCODER},
        )
