"""The hypotheses of Theorems 1 and 2, and of the families, asked of one automaton over sequences.

Asked         Theorem 1: weights, length, a unique maximum in every row of scores
              Theorem 2: activation, bounded inputs of the MLP, norms of maps and of the products
              that each layer multiplies (Equation (1) needs them), a finite C for ε
              Appendix A.2: whether the automaton is a PFA or an HMM (no theorem needs it)
Notation      M the power of two at or above T; layer l multiplies products of 2^(l-1) maps
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice

import flint

from constructions.activations import SMOOTH
from constructions.errors import InputError
from constructions.multiplication import relu_floor
from constructions.theorem1 import depth, span
from constructions.wfa import WFA
from verify.automaton.model import Hypothesis, Status
from verify.automaton.numbers import at_least, at_most, count, shown
from verify.bounds.growth import Products, Witness
from verify.bounds.leak import gap

ONE, TWO, EQUATION = "Theorem 1", "Theorem 2", "Theorem 2, Equation (1)"
FAMILIES = "Appendix A.2"
PIECEWISE = ("relu",)
ACTIVATIONS = (*SMOOTH, *PIECEWISE)
LONGEST_WORD = 12


def theorem_one(automaton: WFA, length: int) -> Iterator[Hypothesis]:
    """What the exact construction asks."""
    largest = max(abs(w) for rows in automaton.transitions.values() for row in rows for w in row)
    yield Hypothesis(
        ONE,
        "real weights",
        Status.MET,
        f"{count(automaton.n, 'state')}, {count(len(automaton.alphabet), 'symbol')}, exact "
        f"rationals; the largest weight of a map is {shown(largest)}",
        ("pre.wfa.definition",),
    )
    yield _length(length)
    yield Hypothesis(
        ONE,
        "a unique maximum in every row of scores",
        Status.MET,
        f"the right score beats the next by 1 - cos(π/{span(length)}) ≥ "
        f"{at_least(gap(span(length)))}",
        ("thm1.argmax",),
    )


def _length(length: int) -> Hypothesis:
    padded = span(length)
    if padded == length:
        witness = f"T = {length} is a power of two: {depth(length)} layers on {2 * padded} tokens"
        return Hypothesis(ONE, "length a power of two", Status.MET, witness, ("thm1.size.depth",))
    witness = (
        f"T = {length} is padded to {padded}, as the paper's remark allows: "
        f"⌈log2 T⌉ = {depth(length)} layers on {2 * padded} tokens"
    )
    return Hypothesis(ONE, "length, padded", Status.MET, witness, ("thm1.any-length",))


def theorem_two(
    automaton: WFA, length: int, found: Products, words: list[Witness], activation: str
) -> Iterator[Hypothesis]:
    """What the approximate construction and its printed proof ask."""
    yield smooth_activation(automaton.n, activation, TWO)
    yield Hypothesis(
        TWO,
        "inputs of the MLP are bounded",
        Status.MET,
        f"no product of at most {span(length)} maps has a norm above "
        f"{at_most(found.up_to(span(length)))}",
        ("mlp.domain",),
    )
    yield _contractive(found)
    yield _pads(found)
    yield _products(length, found, words)


def smooth_activation(n: int, activation: str, theorem: str) -> Hypothesis:
    """Whether an MLP with this activation can multiply at a fixed width."""
    name = "activation smooth at a point"
    claims = ("mlp.activation", "mlp.relu") if activation in PIECEWISE else ("mlp.activation",)
    if activation in SMOOTH:
        point = SMOOTH[activation].point
        witness = f"{activation} has a second derivative other than 0 at {point}"
        return Hypothesis(theorem, name, Status.MET, witness, claims)
    if activation not in PIECEWISE:
        raise InputError("--activation", activation, f"one of {', '.join(ACTIVATIONS)}")
    floor = relu_floor(4 * n**3)
    witness = (
        f"{activation} is linear in pieces: {4 * n**3} units miss x² on [0, 1] by at least "
        f"{floor}, however they are chosen"
    )
    return Hypothesis(theorem, name, Status.CANNOT, witness, claims)


def _contractive(found: Products) -> Hypothesis:
    name = "norms at most 1"
    claims = ("thm2.recursion.contractive",)
    if found.contractive:
        top = at_most(found.largest.min(flint.arb(1)))
        witness = f"I - AᵀA is positive semidefinite for every map; the largest norm is ≤ {top}"
        return Hypothesis(EQUATION, name, Status.MET, witness, claims)
    symbol, size = max(found.single.items(), key=lambda pair: pair[1].lower())
    if size > 1:
        witness = f"‖A^σ‖₂ ≥ {at_least(size)} for σ = {symbol}"
        return Hypothesis(EQUATION, name, Status.NOT_MET, witness, claims)
    witness = f"‖A^σ‖₂ is at most {at_most(found.largest)}; too many states to decide"
    return Hypothesis(EQUATION, name, Status.UNDECIDED, witness, claims)


def _pads(found: Products) -> Hypothesis:
    """The identity pads are factors like the maps; M must count their norm, which is 1."""
    name = "identity pads no larger than the maps"
    claims = ("thm2.recursion.contractive",)
    if found.largest > 1 or (found.contractive and found.reaches_one):
        witness = "some map has a norm of at least 1, that of the pads"
        return Hypothesis(EQUATION, name, Status.MET, witness, claims)
    if found.contractive:
        witness = f"pads have norm 1, every map at most {at_most(found.largest)}: M is too small"
        return Hypothesis(EQUATION, name, Status.NOT_MET, witness, claims)
    witness = f"‖A^σ‖₂ is at most {at_most(found.largest)}; too many states to decide"
    return Hypothesis(EQUATION, name, Status.UNDECIDED, witness, claims)


def _products(length: int, found: Products, words: list[Witness]) -> Hypothesis:
    """Equation (1) takes max ‖A^σ‖₂ for the norm of every factor; layer l has longer factors."""
    name = "products at each layer as small as single maps"
    claims = ("thm2.recursion", "thm2.error.max")
    for layer, witness in enumerate(words, start=1):
        if witness.lower > found.largest.upper():
            text = (
                f"layer {layer}: ‖A^w‖₂ ≥ {at_least(witness.lower)} for w = "
                f"{written(witness.word)}, single maps at most {at_most(found.largest)}"
            )
            return Hypothesis(EQUATION, name, Status.NOT_MET, text, claims)
    per_layer = ", ".join(
        f"{at_most(found.bounds[1 << (layer - 1)])}" for layer in range(1, depth(length) + 1)
    )
    text = f"largest norms of factors, layer by layer: {per_layer or 'no layer'}"
    small = found.contractive or all(
        found.bounds[1 << (layer - 1)] <= found.largest.lower()
        for layer in range(2, depth(length) + 1)
    )
    return Hypothesis(EQUATION, name, Status.MET if small else Status.UNDECIDED, text, claims)


def written(word: tuple[str, ...]) -> str:
    """A word as it is shown: in full if it is short, as a power if it is one letter's."""
    if len(set(word)) == 1 and len(word) > 1:
        return f"{word[0]}^{len(word)}"
    start = " ".join(islice(word, LONGEST_WORD))
    return start if len(word) <= LONGEST_WORD else f"{start} … ({len(word)} letters)"


def families(automaton: WFA) -> Iterator[Hypothesis]:
    """Whether the weights are those of a PFA or of an HMM."""
    yield _family("probabilistic automaton (PFA)", "fam.pfa.stochastic", _pfa(automaton))
    yield _family("hidden Markov model (HMM)", "fam.hmm.definition", _hmm(automaton))


def _family(name: str, claim: str, trouble: str) -> Hypothesis:
    status = Status.NOT_MET if trouble else Status.MET
    witness = trouble or "non-negative, and every sum that must be 1 is exactly 1"
    return Hypothesis(FAMILIES, name, status, witness, (claim,), required=False)


def _negative(automaton: WFA) -> str:
    for name, vector in (("alpha", automaton.alpha), ("beta", automaton.beta)):
        for i, weight in enumerate(vector):
            if weight < 0:
                return f"{name}[{i}] = {shown(weight)} is negative"
    for symbol, rows in automaton.transitions.items():
        for i, row in enumerate(rows):
            for j, weight in enumerate(row):
                if weight < 0:
                    return f"the weight of {symbol} from {i} to {j} is {shown(weight)}"
    return ""


def _pfa(automaton: WFA) -> str:
    """What keeps the automaton from being a PFA, or nothing."""
    leaving = [b + move for b, move in zip(automaton.beta, _moves(automaton), strict=True)]
    return _negative(automaton) or _sums(automaton, leaving, "leaves state {}, with stopping,")


def _hmm(automaton: WFA) -> str:
    """What keeps the automaton from being an HMM with β = 1, or nothing."""
    for i, weight in enumerate(automaton.beta):
        if weight != 1:
            return f"beta[{i}] = {shown(weight)}, expected 1"
    return _negative(automaton) or _sums(automaton, _moves(automaton), "leaves state {}")


def _moves(automaton: WFA) -> list[Fraction]:
    return [
        sum(
            (sum(rows[q], start=Fraction(0)) for rows in automaton.transitions.values()),
            start=Fraction(0),
        )
        for q in range(automaton.n)
    ]


def _sums(automaton: WFA, leaving: list[Fraction], text: str) -> str:
    if sum(automaton.alpha) != 1:
        return f"alpha sums to {_near_one(sum(automaton.alpha, start=Fraction(0)))}"
    for q, total in enumerate(leaving):
        if total != 1:
            return f"what {text.format(q)} sums to {_near_one(total)}"
    return ""


def _near_one(total: Fraction) -> str:
    """A sum that is not 1, by its distance from 1 where that is small."""
    off = total - 1
    if abs(off) >= Fraction(1, 1000):
        return shown(total)
    return f"1 {'+' if off > 0 else '-'} {shown(abs(off)).removeprefix('about ')}"
