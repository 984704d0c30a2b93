"""Tree models of the program at given sizes, to be compared with those of the proofs.

    masked_cases    Theorem 3 with masks and integer positions: built hard, built soft, or made soft
    maskless_cases  Theorem 3 without masks
    clean_cases     Theorem 3 on the string alone: no mask, no end token, positions given once
    logdepth_cases  O(log T) layers for all trees, on the string alone
    short_cases     the same with depths by one softmax head
    units_cases     all of these with the hidden units that take the place of their products

Each takes n, T, the string of a tree and C. The automaton's weights are rational, of both signs and all
different, so that a wrong, rounded or misplaced entry shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache, partial
from itertools import islice
from math import ceil, exp
from typing import Any

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
from verify.coq.samples import distinct_numbers
from verify.coq.walk import ENCODER, Blocks, products, renewed, units, walk

ACTIVATION = "tanh"
UNITS = FourUnits.of(ACTIVATION, 3)
BASE, SINK = 5, 3
FACTOR = ceil(exp(SINK))
Tree = tuple[Transformer[Matrix], list[list[Entry]]]
Build = Callable[[int, int, str, Fraction], Tree]


@cache
def tree_sample(n: int, symbols: str) -> WTA:
    """Return an automaton whose weights are all different."""
    numbers = distinct_numbers()
    tensor = [[list(islice(numbers, n)) for _ in range(n)] for _ in range(n)]
    letters = sorted(set(symbols) - {OPEN, CLOSE})
    alpha = list(islice(numbers, n))
    return WTA.of(alpha, tensor, {letter: list(islice(numbers, n)) for letter in letters})


# The built models: the transformer and the embedded tokens of a string


def masked(n: int, length: int, symbols: str, saturation: Fraction) -> Tree:
    """Build Theorem 3 on the line, hard."""
    built = theorem3.build(tree_sample(n, symbols), length, places=Places.LINE)
    return built.transformer, built.encode(symbols)


def masked_soft(n: int, length: int, symbols: str, saturation: Fraction) -> Tree:
    """Build Theorem 3 on the line with softmax."""
    automaton = tree_sample(n, symbols)
    built = theorem3.build(automaton, length, None, Places.LINE, Attention.SOFT, saturation)
    return built.transformer, built.encode(symbols)


def maskless(n: int, length: int, symbols: str, saturation: Fraction) -> Tree:
    """Build Theorem 3 without masks, hard."""
    built = theorem3_variants.build_maskless(tree_sample(n, symbols), length)
    return built.transformer, built.encode(symbols)


def clean(n: int, length: int, symbols: str, saturation: Fraction) -> Tree:
    """Build Theorem 3 on the string alone, hard."""
    built = theorem3_clean.build(tree_sample(n, symbols), length)
    return built.transformer, built.encode(symbols)


def logdepth(n: int, length: int, symbols: str, saturation: Fraction) -> Tree:
    """Build O(log T) layers on the string alone, hard."""
    built = logdepth_clean.build(tree_sample(n, symbols), length)
    return built.transformer, built.encode(symbols)


def short(n: int, length: int, symbols: str, saturation: Fraction) -> Tree:
    """Build 2 layers and the steps, with softmax."""
    built = logdepth_clean.build_short(tree_sample(n, symbols), length, saturation, BASE, SINK)
    return built.transformer, built.encode(symbols)


def softened(hard: Build, n: int, length: int, symbols: str, saturation: Fraction) -> Tree:
    """Soften the heads of a hard model."""
    model, rows = hard(n, length, symbols, saturation)
    return soft_transformer(model, saturation), rows


def with_units(soft: Build, n: int, length: int, symbols: str, saturation: Fraction) -> Tree:
    """Put an MLP into every layer of a model; the constant one follows the state."""
    model, rows = soft(n, length, symbols, saturation)
    return smooth_transformer(model, UNITS, n), rows


def tree_weights(
    build: Build, blocks: Blocks, n: int, length: int, symbols: str, saturation: Fraction
) -> Mapping[str, Weight]:
    """Return the weights of a built tree model and its tokens."""
    model, rows = build(n, length, symbols, saturation)
    return walk(model, rows, blocks) | {"renewed": renewed(model, rows)}


def tree_number(n: int, symbols: str, saturation: Fraction, words: list[str]) -> Entry:
    """Return a whole number or its inverse, C times one, an entry of the tensor or of a leaf's vector,
    -1 times it, a power of the base, the sink, h, s or b.
    """
    automaton = tree_sample(n, symbols)
    match words:
        case ["minus", *rest]:
            return -tree_number(n, symbols, saturation, rest)
        case ["C", z]:
            return saturation * int(z)
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
    """Return a string of a tree as a list in Coq, whose letters have numbers."""
    names = {OPEN: "Open", CLOSE: "Close"}
    return "[" + "; ".join(names.get(s, f"Sym {number(s)}") for s in symbols) + "]"


# Terms for n states, at most T tokens and N with the end token, an attention and a string
MASKED = "tree_weights_of {n} {T} (tallest {T}) {mode} {string}"
MASKLESS = "free_weights_of {n} {T} (2 * tallest {T}) {mode} {string}"
CLEAN = "clean_weights_of {n} (2 * tallest {T}) {mode} {string}"  # the weights depend on no length
LOGDEPTH = "encoder_weights_of {n} {T} {steps} {mode} {string}"
SHORT = "short_weights_of {n} {T} (Coq.ZArith.BinInt.Z.of_nat {A}) {steps} {string}"
UNITS_OF = {
    MASKED: "tree_model {n} {N} Soft (tallest {T})",
    MASKLESS: "free_model {n} {N} Soft (2 * tallest {T})",
    CLEAN: "clean_model {n} Soft (2 * tallest {T})",
    LOGDEPTH: "encoder {n} {T} Soft {steps}",
    SHORT: "short_encoder {n} {T} (Coq.ZArith.BinInt.Z.of_nat {A}) {steps}",
}


def masked_cases(*size: Any) -> list[Case]:
    """Return Theorem 3 with masks, hard, soft and made soft."""
    soft = partial(softened, masked)
    return [_case(MASKED, "Hard", masked, *size), _case(MASKED, "Soft", masked_soft, *size),
            _case(MASKED, "Soft", soft, *size)]  # fmt: skip


def hard_and_soft_cases(term: str, hard: Build, *size: Any) -> list[Case]:
    """Return a model, hard and made soft."""
    return [_case(term, "Hard", hard, *size), _case(term, "Soft", partial(softened, hard), *size)]


def short_cases(*size: Any) -> list[Case]:
    """Return the model with depths by one head, which is soft."""
    return [_case(SHORT, "Soft", short, *size)]


def unit_cases(*size: Any) -> list[Case]:
    """Return all of these with hidden units in the place of products."""
    models = ((MASKED, masked), (MASKLESS, maskless), (CLEAN, clean), (LOGDEPTH, logdepth))
    soft: list[tuple[str, Build]] = [(term, partial(softened, hard)) for term, hard in models]
    return [
        _case(
            f"List.app (without_products ({term})) (units_of ({UNITS_OF[term]}))",
            "Soft",
            partial(with_units, build),
            *size,
            blocks=units,
        )
        for term, build in (*soft, (SHORT, short))
    ]


def _case(
    term: str,
    mode: str,
    build: Build,
    n: int,
    length: int,
    symbols: str,
    saturation: Fraction,
    *,
    blocks: Blocks = products,
) -> Case:
    steps = most_steps(most_leaves(length))
    numbers = {"n": n, "T": length, "N": length + 1, "steps": steps, "A": FACTOR}
    return Case(
        f"n = {n}, T = {length}, {symbols}",
        term.format(**numbers, mode=mode, string=symbols_of(symbols)),
        partial(tree_weights, build, blocks, n, length, symbols, saturation),
        partial(tree_number, n, symbols, saturation),
        {" activation": ACTIVATION, **ENCODER},
    )
