"""The hypotheses of Theorems 1 and 2, asked of one automaton over sequences.

Asked         Theorem 1: weights, length, a unique maximum in every row of scores
              Theorem 2: activation, bounded inputs of the MLP, norms of maps and of the products
              that each layer multiplies (Equation (1) needs them), a finite C for ε
Notation      M the power of two at or above T; layer l multiplies products of 2^(l-1) maps
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import flint

from constructions.automata.wfa import WFA
from constructions.blocks.multiplication import relu_floor
from constructions.core.activations import PIECEWISE_LINEAR, SMOOTH
from constructions.core.errors import InputError
from constructions.theorem1 import depth, span
from verify.automaton.numbers import at_least, at_most, count, named, shown
from verify.automaton.report_data import Hypothesis, Status
from verify.bounds.growth import ProductNorms, Witness
from verify.bounds.leak import gap

ONE, TWO, EQUATION = "Theorem 1", "Theorem 2", "Equation (1)"
ACTIVATIONS = (*SMOOTH, *PIECEWISE_LINEAR)
LONGEST_WORD = 12
CURVED, PRODUCTS = "curved-activation", "products"


def theorem_one(automaton: WFA, length: int) -> Iterator[Hypothesis]:
    """What the exact construction asks."""
    largest = max(abs(w) for rows in automaton.transitions.values() for row in rows for w in row)
    yield Hypothesis(
        ONE,
        "real weights",
        Status.MET,
        f"{count(automaton.n, 'state')}, {count(len(automaton.alphabet), 'symbol')}, exact "
        f"rationals; the largest weight of a map is {shown(largest)}",
        ("def2.1",),
        "finite-alphabet",
    )
    yield _length(length)
    yield Hypothesis(
        ONE,
        "a unique maximum in every row of scores",
        Status.MET,
        f"the right score beats the next by 1 - cos(π/{span(length)}) ≥ "
        f"{at_least(gap(span(length)))}",
        ("thm1.saturated",),
        "one-maximum",
    )


def _length(length: int) -> Hypothesis:
    padded, name = span(length), "length a power of two"
    if padded == length:
        witness = f"T = {length} is a power of two: {count(depth(length), 'layer')} on {2 * padded} tokens"
        statements: tuple[str, ...] = ("thm1.restated",)
        return Hypothesis(ONE, name, Status.MET, witness, statements, "power-of-two")
    witness = (
        f"T = {length} is padded to {padded}, as the paper's remark allows: "
        f"⌈log2 T⌉ = {count(depth(length), 'layer')} on {2 * padded} tokens"
    )
    statements = ("thm1.any-length",)
    return Hypothesis(ONE, name, Status.NOT_NEEDED, witness, statements, "power-of-two")


def theorem_two(
    automaton: WFA, length: int, found: ProductNorms, words: list[Witness], activation: str
) -> Iterator[Hypothesis]:
    """What the approximate construction and its printed proof ask."""
    yield smooth_activation(automaton.n, activation, TWO)
    yield Hypothesis(
        TWO,
        "inputs of the MLP are bounded",
        Status.MET,
        f"no product of at most {span(length)} factors, maps or identity pads (norm 1), has a norm "
        f"above {_norm(found.up_to(span(length)), found)}",
        ("thm4",),
        "bounded-set",
    )
    yield _contractive(found)
    yield _pads(found)
    yield _products(length, found, words)


def smooth_activation(n: int, activation: str, theorem: str) -> Hypothesis:
    """Whether an MLP with this activation can multiply at a fixed width."""
    name = "activation smooth at a point"
    statements = ("thm4", "beyond.mlp.relu-lower") if activation in PIECEWISE_LINEAR else ("thm4",)
    if activation in SMOOTH:
        point = SMOOTH[activation].point
        witness = f"{named(activation)} has a second derivative other than 0 at {point}"
        return Hypothesis(theorem, name, Status.MET, witness, statements, CURVED)
    if activation not in PIECEWISE_LINEAR:
        raise InputError("activation", activation, f"one of {', '.join(ACTIVATIONS)}")
    floor = relu_floor(4 * n**3)
    witness = (
        f"{named(activation)} is piecewise linear: {4 * n**3} units miss x² on [0, 1] by at least "
        f"{floor}, however they are chosen"
    )
    return Hypothesis(theorem, name, Status.CANNOT, witness, statements, CURVED)


def _contractive(found: ProductNorms) -> Hypothesis:
    symbol, size = max(found.single.items(), key=lambda pair: pair[1].lower())
    if found.contractive:
        top = _norm(found.largest, found)
        witness = f"I - AᵀA is positive semidefinite for every map; the largest norm is ≤ {top}"
        status = Status.MET
    elif size > 1:
        status, witness = Status.NOT_MET, f"‖A^σ‖₂ ≥ {at_least(size)} for σ = {symbol}"
    else:
        status, witness = Status.UNDECIDED, _too_many(found)
    return Hypothesis(EQUATION, "norms at most 1", status, witness, ("eq1",), PRODUCTS)


def _too_many(found: ProductNorms) -> str:
    """Why a hypothesis on the norms of the maps is not decided."""
    return f"‖A^σ‖₂ is at most {at_most(found.largest)}; too many states to decide"


def _norm(bound: flint.arb, found: ProductNorms) -> str:
    """A norm's upper bound as text: exactly 1 where contractions leave a ball around 1."""
    return "1" if found.contractive and not bound < 1 else at_most(bound)


def _pads(found: ProductNorms) -> Hypothesis:
    """The identity pads are factors like the maps; M must count their norm, which is 1."""
    if found.largest > 1 or (found.contractive and found.reaches_one):
        status, witness = Status.MET, "some map has a norm of at least 1, that of the pads"
    elif found.contractive:
        top = _norm(found.largest, found)
        status, witness = (
            Status.NOT_MET,
            f"pads have norm 1, every map at most {top}: M is too small",
        )
    else:
        status, witness = Status.UNDECIDED, _too_many(found)
    name = "identity pads no larger than the maps"
    return Hypothesis(EQUATION, name, status, witness, ("eq1",), "norm-one")


def _products(length: int, found: ProductNorms, words: list[Witness]) -> Hypothesis:
    """Equation (1) takes max ‖A^σ‖₂ for the norm of every factor; layer l has longer factors."""
    name = "products at each layer as small as single maps"
    statements = ("eq1", "thm2.error.m")
    for layer, witness in enumerate(words, start=1):
        if witness.lower > found.largest.upper():
            text = (
                f"layer {layer}: ‖A^w‖₂ ≥ {at_least(witness.lower)} for w = "
                f"{written(witness.word)}, single maps at most {at_most(found.largest)}"
            )
            return Hypothesis(EQUATION, name, Status.NOT_MET, text, statements, PRODUCTS)
    per_layer = ", ".join(
        _norm(found.bounds[1 << (layer - 1)], found) for layer in range(1, depth(length) + 1)
    )
    text = f"largest norms of factors, layer by layer: {per_layer or 'no layer'}"
    small = found.contractive or all(
        found.bounds[1 << (layer - 1)] <= found.largest.lower()
        for layer in range(2, depth(length) + 1)
    )
    status = Status.MET if small else Status.UNDECIDED
    return Hypothesis(EQUATION, name, status, text, statements, PRODUCTS)


def written(word: tuple[str, ...]) -> str:
    """A word as it is shown: in full if it is short, as a power if it is one letter's."""
    if len(set(word)) == 1 and len(word) > 1:
        return f"{word[0]}^{len(word)}"
    start = " ".join(islice(word, LONGEST_WORD))
    return start if len(word) <= LONGEST_WORD else f"{start} … ({len(word)} letters)"
