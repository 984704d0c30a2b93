"""Tree models of the program, small enough to be compared with those of the proofs.

    masked   Theorem 3 with masks and integer positions, built hard, built soft, or made soft
    maskless Theorem 3 without masks
    clean    Theorem 3 on the string alone: no mask, no end token, positions given once
    logdepth O(log T) layers for all trees, on the string alone; and with depths by one softmax head
    units    the first two with the hidden units that take the place of their products

The automaton has weights that are all different, so that an entry in the wrong place shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, partial
from itertools import count, islice
from math import ceil, exp

from constructions import theorem3
from constructions.automata.pebbling import most_steps
from constructions.automata.trees import CLOSE, OPEN, most_leaves
from constructions.automata.wta import WTA
from constructions.blocks.smoothing import FourUnits, smooth_transformer, soft_transformer
from constructions.core.matrix import Entry, Matrix
from constructions.core.transformer import Attention, Transformer
from constructions.theorem3 import Places
from constructions.variants import logdepth_clean, theorem3_clean, theorem3_variants
from verify.coq.printed import Case, Unread, Weight
from verify.coq.walk import ENCODER, Blocks, products, renewed, units, walk

SATURATION = Fraction(2)
ACTIVATION = "tanh"
UNITS = FourUnits.of(ACTIVATION, 3)
BASE, SINK = 5, 3
FACTOR = ceil(exp(SINK))


@cache
def tree_sample(n: int, symbols: str) -> WTA:
    """An automaton whose weights are all different."""
    numbers = count(2)
    tensor = [[list(islice(numbers, n)) for _ in range(n)] for _ in range(n)]
    letters = sorted(set(symbols) - {OPEN, CLOSE})
    alpha = list(islice(numbers, n))
    return WTA.of(alpha, tensor, {letter: list(islice(numbers, n)) for letter in letters})


Tree = tuple[Transformer[Matrix], list[list[Entry]]]
TREES = ((1, 4, "[ab]"), (2, 7, "[a[bc]]"), (2, 8, "[[ab]a]"), (3, 1, "a"))


Build = Callable[[int, int, str], Tree]


def masked_hard(n: int, length: int, symbols: str) -> Tree:
    """Theorem 3 on the line, hard."""
    built = theorem3.build(tree_sample(n, symbols), length, places=Places.LINE)
    return built.transformer, built.encode(symbols)


def masked_soft(n: int, length: int, symbols: str) -> Tree:
    """Theorem 3 on the line, built with softmax."""
    automaton = tree_sample(n, symbols)
    built = theorem3.build(automaton, length, None, Places.LINE, Attention.SOFT, SATURATION)
    return built.transformer, built.encode(symbols)


def maskless_hard(n: int, length: int, symbols: str) -> Tree:
    """Theorem 3 without masks, hard."""
    built = theorem3_variants.build_maskless(tree_sample(n, symbols), length)
    return built.transformer, built.encode(symbols)


def clean_hard(n: int, length: int, symbols: str) -> Tree:
    """Theorem 3 on the string alone, hard."""
    built = theorem3_clean.build(tree_sample(n, symbols), length)
    return built.transformer, built.encode(symbols)


def logdepth_hard(n: int, length: int, symbols: str) -> Tree:
    """O(log T) layers on the string alone, hard."""
    built = logdepth_clean.build(tree_sample(n, symbols), length)
    return built.transformer, built.encode(symbols)


def logdepth_short(n: int, length: int, symbols: str) -> Tree:
    """2 layers and the steps, with softmax."""
    built = logdepth_clean.build_short(tree_sample(n, symbols), length, SATURATION, BASE, SINK)
    return built.transformer, built.encode(symbols)


def made_soft(hard: Build, n: int, length: int, symbols: str) -> Tree:
    """A hard model, softened."""
    model, rows = hard(n, length, symbols)
    return soft_transformer(model, SATURATION), rows


def with_units(hard: Build, n: int, length: int, symbols: str) -> Tree:
    """A hard model, softened, with an MLP in every layer; the constant one follows the state."""
    model, rows = made_soft(hard, n, length, symbols)
    return smooth_transformer(model, UNITS, n), rows


def tree_weights(
    build: Build, blocks: Blocks, n: int, length: int, symbols: str
) -> Mapping[str, Weight]:
    """The weights of a built tree model and its tokens."""
    model, rows = build(n, length, symbols)
    return walk(model, rows, blocks) | {"renewed": renewed(model, rows)}


def tree_number(n: int, symbols: str, words: list[str]) -> Entry:
    """A whole number or its inverse, C times one, an entry of the tensor or of a leaf's vector, -1 times it,
    a power of the base, the sink, h, s or b.
    """
    automaton = tree_sample(n, symbols)
    match words:
        case ["minus", *rest]:
            return -tree_number(n, symbols, rest)
        case ["C", z]:
            return SATURATION * int(z)
        case ["entry", a, b, c]:  # from n on: the same with the other sign
            sign, row = (1, int(a)) if int(a) < n else (-1, int(a) - n)
            return sign * automaton.tensor[row][int(b)][int(c)]
        case ["inverse", z]:
            return Fraction(1, int(z))
        case ["vector", r, k]:
            return automaton.leaf(symbols[int(r)])[int(k)]
        case ["low", r]:
            return Fraction(1, BASE ** (2 * int(r) + 1))
        case ["high", r]:
            return BASE ** (2 * int(r))
        case ["sink"]:
            return SINK
        case ["h" | "s" | "b" as name]:
            return {"h": UNITS.step, "s": UNITS.scale, "b": UNITS.activation.point}[name]
        case [z] if z.lstrip("-").isdigit():
            return int(z)
    raise Unread(f"a weight reads {' '.join(words)!r}")


def symbols_of(symbols: str, number: Callable[[str], int | None] = ord) -> str:
    """A string of a tree as a list in Coq, whose letters have numbers."""
    names = {OPEN: "Open", CLOSE: "Close"}
    return "[" + "; ".join(names.get(s, f"Sym {number(s)}") for s in symbols) + "]"


# What Coq evaluates: n states, at most T tokens and N with the end token, hard or soft, a string.
MASKED = "tree_weights_of {n} {T} (tallest {T}) {mode} {string}"
MASKLESS = "free_weights_of {n} {T} (2 * tallest {T}) {mode} {string}"
CLEAN = "clean_weights_of {n} (2 * tallest {T}) {mode} {string}"  # the weights know no length
LOGDEPTH = "encoder_weights_of {n} {T} {steps} {mode} {string}"
SHORT = "short_weights_of {n} {T} (Coq.ZArith.BinInt.Z.of_nat {A}) {steps} {string}"
MASKED_UNITS = "units_of (tree_model {n} {N} Soft (tallest {T}))"
MASKLESS_UNITS = "units_of (free_model {n} {N} Soft (2 * tallest {T}))"


def tree_cases(term: str, *builders: tuple[str, Build]) -> list[Case]:
    """Four small strings, by every way to build the model."""
    return [_case(term, mode, build, products, *tree) for tree in TREES for mode, build in builders]


def unit_cases() -> list[Case]:
    """The same strings; the layers' units beside all other weights."""
    pairs = ((MASKED, MASKED_UNITS, masked_hard), (MASKLESS, MASKLESS_UNITS, maskless_hard))
    return [
        _case(
            f"List.app (without_products ({term})) ({units_term})",
            "Soft",
            partial(with_units, hard),
            units,
            *tree,
        )
        for tree in TREES
        for term, units_term, hard in pairs
    ]


def _case(
    term: str,
    mode: str,
    build: Build,
    blocks: Blocks,
    n: int,
    length: int,
    symbols: str,
) -> Case:
    steps = most_steps(most_leaves(length))
    sizes = {"n": n, "T": length, "N": length + 1, "steps": steps, "A": FACTOR}
    return Case(
        f"n = {n}, T = {length}, {symbols}",
        term.format(**sizes, mode=mode, string=symbols_of(symbols)),
        partial(tree_weights, build, blocks, n, length, symbols),
        partial(tree_number, n, symbols),
        {" activation": ACTIVATION, **ENCODER},
    )
