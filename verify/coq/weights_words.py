"""Sequence models of the program, small enough to be compared with those of the proofs.

    hard_build   Theorem 1
    soft_build   Theorem 2 with exact products
    mlp_build    Theorem 2 with the MLP of 4n³ units in every layer
    stepwise     one step of the automaton a layer, T layers
    no_pads      the exact model on T + 1 tokens
    clean        Theorem 2 on T + 1 tokens, positions given once

The automaton has weights that are all different, so that an entry in the wrong place shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache, partial
from itertools import count, islice

from constructions import theorem1, theorem2
from constructions.automata.wfa import WFA
from constructions.blocks.multiplication import Multiplier, slim_multiplier
from constructions.blocks.smoothing import soft_transformer
from constructions.core.exact import cos_pi, root, sin_pi
from constructions.core.matrix import Entry
from constructions.core.transformer import Attention
from constructions.theorem1 import PaddedWords, WordSimulation
from constructions.variants import nopads, theorem2_clean, unrolled
from verify.coq.printed import Case, Unread, Weight
from verify.coq.walk import (
    ENCODER,
    Blocks,
    bilinear_parts,
    encoding,
    mlp_parts,
    products,
    renewed,
    walk,
)

SATURATION = Fraction(2)
ACTIVATION = "tanh"
NOTHING = "nothing"


@cache
def word_sample(n: int, length: int) -> tuple[WFA, tuple[str, ...]]:
    """An automaton whose weights are all different, and a word of different letters."""
    numbers = count(2)
    word = tuple(str(t) for t in range(1, length + 1))
    square = {letter: [list(islice(numbers, n)) for _ in range(n)] for letter in word}
    vector = list(islice(numbers, n))
    return WFA.of(vector, square, vector), word


def word_weights(
    build: Callable[[WFA, int], PaddedWords], blocks: Blocks, n: int, length: int
) -> Mapping[str, Weight]:
    """The weights of a built sequence model, its tokens and the rows of its T + 1 answers."""
    automaton, word = word_sample(n, length)
    simulation = build(automaton, length)
    rows = simulation.encode(word)
    weights = walk(simulation.transformer, rows, blocks)
    weights["encoding"] = encoding(simulation.transformer, rows)
    weights["rows"] = " ".join(str(simulation.row(t)) for t in range(simulation.span + 1))
    return weights


def word_number(n: int, length: int, words: list[str]) -> Entry:
    """One weight of the proof as an exact number; there is no letter outside the word."""
    automaton, word = word_sample(n, length)
    match words:
        case ["0" | "1" as digit]:
            return int(digit)
        case ["cos" | "sin" as name, angle]:
            return (cos_pi if name == "cos" else sin_pi)(Fraction(angle))
        case ["minus", *rest]:
            return -word_number(n, length, rest)
        case ["rootC", *rest]:
            return root(SATURATION) * word_number(n, length, rest)
        case ["alpha", i]:
            return automaton.alpha[int(i)]
        case ["letter", t, i, j] if not 0 < int(t) <= length:
            return int(i == j)
        case ["letter", t, i, j]:
            return automaton.matrix(word[int(t) - 1])[int(i)][int(j)]
    raise Unread(f"a weight reads {' '.join(words)!r}")


def hard_build(automaton: WFA, length: int) -> WordSimulation:
    """Theorem 1's model."""
    return theorem1.build(automaton, length)


def soft_build(automaton: WFA, length: int) -> WordSimulation:
    """Theorem 2 with exact products."""
    return theorem2.build(automaton, length, SATURATION)


def mlp_build(automaton: WFA, length: int) -> WordSimulation:
    """Theorem 2 with the MLP of 4n³ units."""
    return theorem2.build(automaton, length, SATURATION, multiplier(automaton.n))


def multiplier(n: int) -> Multiplier:
    """The MLP of 4n³ units, with some step and scale."""
    return slim_multiplier(n, ACTIVATION, Fraction(2), Fraction(1, 1000))


@cache
def mlp_constants(n: int) -> dict[str, Fraction]:
    """The step h, the scale s and the point b."""
    product = multiplier(n)
    return {"h": product.step, "s": product.scale, "b": product.point}


def word_cases() -> Iterator[Case]:
    """Five sizes, T = 1 and T = 3 among them, with and without √C."""
    for n, length in ((1, 1), (1, 2), (2, 3), (2, 4), (3, 2)):
        for scale, build, attention in (
            ("(fun w => w)", hard_build, Attention.HARD),
            ("RootC", soft_build, Attention.SOFT),
        ):
            yield Case(
                f"n = {n}, T = {length}",
                f"weights_of {n} (Nat.log2_up {length}) {scale}",
                partial(word_weights, build, bilinear_parts, n, length),
                partial(word_number, n, length),
                {" attention": f"{attention.value} none", **ENCODER},
            )


def mlp_number(n: int, length: int, words: list[str]) -> Entry:
    """A multiple of the step h, of the scale s or of the point b; or a weight of a sequence model."""
    unit = mlp_constants(n)
    if words[0] in unit:
        return unit[words[0]] * int(words[1] if len(words) > 1 else 1)
    return word_number(n, length, words)


def mlp_cases() -> Iterator[Case]:
    """Theorem 2 with MLPs, for three sizes."""
    for n, length in ((1, 2), (2, 3), (3, 2)):
        yield Case(
            f"n = {n}, T = {length}",
            f"mlp_weights_of {n} (Nat.log2_up {length}) 0",
            partial(word_weights, mlp_build, mlp_parts, n, length),
            partial(mlp_number, n, length),
            {" attention": f"{Attention.SOFT.value} none", " activation": ACTIVATION, **ENCODER},
        )


def stepwise(automaton: WFA, length: int) -> PaddedWords:
    """One step of the automaton a layer."""
    return unrolled.build(automaton, length)


def stepwise_cases() -> Iterator[Case]:
    """The sizes of Theorem 1, with T layers."""
    for n, length in ((1, 1), (1, 2), (2, 3), (2, 4), (3, 2)):
        yield Case(
            f"n = {n}, T = {length}",
            f"unrolled_weights_of {n} (Nat.log2_up {length}) {length}",
            partial(word_weights, stepwise, bilinear_parts, n, length),
            partial(word_number, n, length),
            {" attention": f"{Attention.HARD.value} none", **ENCODER},
        )


def no_pads(n: int, length: int) -> Mapping[str, Weight]:
    """The weights and the tokens of the exact model without pads."""
    automaton, word = word_sample(n, length)
    simulation = nopads.build(automaton, length)
    model = simulation.transformer
    weights = walk(model, simulation.encode(word), bilinear_parts)
    return weights | {"written anew": NOTHING if not model.positions else str(model.positions)}


def no_pads_cases() -> Iterator[Case]:
    """Five sizes, T = 1 and lengths that are no powers of two among them."""
    for n, length in ((1, 1), (1, 2), (2, 3), (2, 5), (3, 2)):
        yield Case(
            f"n = {n}, T = {length}",
            f"clean_weights {n} {length}",
            partial(no_pads, n, length),
            partial(word_number, n, length),
            {" attention": f"{Attention.HARD.value} none", "written anew": NOTHING, **ENCODER},
        )


def clean(attention: Attention, n: int, length: int) -> Mapping[str, Weight]:
    """The weights and the tokens of Theorem 2 on the word alone, hard or softened."""
    automaton, word = word_sample(n, length)
    built = theorem2_clean.build(automaton, length)
    rows, model = built.encode(word), built.transformer
    if attention is Attention.SOFT:
        model = soft_transformer(model, SATURATION)
    return walk(model, rows, products) | {"renewed": renewed(model, rows)}


def clean_number(n: int, length: int, words: list[str]) -> Entry:
    """A whole number, C times one, or a weight of a sequence model."""
    match words:
        case ["C", z]:
            return SATURATION * int(z)
        case [z] if z.lstrip("-").isdigit():
            return int(z)
    return word_number(n, length, words)


def clean_cases() -> Iterator[Case]:
    """The same sizes, hard and soft."""
    for n, length in ((1, 1), (1, 2), (2, 3), (2, 5), (3, 2)):
        for mode, attention in (("Hard", Attention.HARD), ("Soft", Attention.SOFT)):
            yield Case(
                f"n = {n}, T = {length}",
                f"word_weights_of {n} {length} (Nat.log2_up {length}) {mode}",
                partial(clean, attention, n, length),
                partial(clean_number, n, length),
                ENCODER,
            )
