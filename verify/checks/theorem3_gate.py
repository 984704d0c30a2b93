"""Theorem 3: the printed gate and modes, what they do at letters and brackets, and the variants.

Asks          do m² T(left, right) + (1 - m²) v and the modes of the tensor give the states; may
              closing brackets hold anything; can one do without masks, or with causal ones
Notation      modes (2, 3): the first index of the tensor is the parent's state (Definition 2.3);
              modes (1, 2): as Section 4.2 and Appendix C write
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import flint
import sympy

from constructions.arithmetic import Balls, Rational
from constructions.exact import Undecided
from constructions.random_trees import random_wta
from constructions.theorem3_printed import Depth, Printed, Step, contract, markers, parse_layers
from constructions.theorem3_variants import (
    Variant,
    build_causal,
    build_free,
    closings,
    free_layers,
)
from constructions.transformer import Attention, Layer, Mask, Transformer
from constructions.trees import children, height, parse
from constructions.wta import WTA
from verify.check import Job, check
from verify.checks.theorem3 import POSITIONS, plain
from verify.claims.model import Name
from verify.engines.tree_evidence import all_shapes, drawn, either, fails, holds
from verify.engines.tree_rules import strings
from verify.evidence import Evidence, Strength

LITERAL, CHARITABLE, REPAIRED = Name.LITERAL, Name.CHARITABLE, Name.REPAIRED
LETTERS = "abcdefgh"


def right_children(symbols: Sequence[str]) -> dict[int, int]:
    """Where the right head should look."""
    return {i: right for i, (_, right) in children(symbols).items()}


def all_heads(symbols: Sequence[str]) -> dict[int, int]:
    """Where the right head with an exact step looks from every position; a tie: at the position."""
    head, found = Printed(Depth.BEFORE, Step.EXACT), {}
    for i in range(1, len(symbols) + 1):
        try:
            found[i] = head.attended(i, symbols)
        except Undecided:
            found[i] = i
    return found


def wrong_state(
    automaton: WTA, symbols: Sequence[str], right: dict[int, int], modes: tuple[int, int]
) -> int | None:
    """The first position of I_t whose state is wrong after height(t) layers with the printed gate."""
    states = parse_layers(automaton, symbols, right, height(parse(symbols)), modes)
    wanted = automaton.states(symbols)
    return next((i for i, v in wanted.items() if tuple(states[i - 1]) != tuple(v)), None)


@check(
    "thm3.modes", "thm3.gate", "thm3.parse", "thm3.gate.closing", "thm3.mlp-input", "thm3.copy-head"
)
def the_printed_gate_on_every_small_tree(job: Job) -> Iterator[Evidence]:
    """Run the printed gate with right heads, with the printed modes and with the definition's."""
    leaves = 6 if job.full else 5
    automaton = random_wta(2, 5, alphabet=LETTERS)
    yield from printed_modes(automaton)
    wrong = [s for s in strings(leaves) if wrong_state(automaton, s, right_children(s), (2, 3))]
    text = (
        f"With right heads, modes two and three and the printed gate {len(wrong)} trees have a wrong "
        "state; a third head copies the token, and the gate sees left, right and own state."
    )
    certificate = {"kind": "trees.gate", "automaton": plain(automaton), "leaves": leaves}
    scope = f"{all_shapes(leaves)}, one WTA with n = 2"
    for claim, reading in (
        ("thm3.modes", REPAIRED),
        ("thm3.gate", REPAIRED),
        ("thm3.parse", REPAIRED),
        ("thm3.mlp-input", CHARITABLE),
        ("thm3.copy-head", REPAIRED),
    ):
        evidence = holds(claim, reading, Strength.EXHAUSTIVE, scope, text, certificate)
        yield either(not wrong, evidence)
    yield closing_brackets(automaton, leaves, not wrong, certificate)
    letters = {
        "kind": "trees.position",
        "rule": "left-child",
        "tokens": ["a"],
        "position": 1,
        "printed": "2",
        "true": "0",
    }
    yield fails(
        "thm3.mlp-input",
        LITERAL,
        "the tree a",
        "A leaf is in I_t and has no children, so its input holds no child's vector.",
        letters,
        "The one-leaf tree a, position 1.",
    )


def printed_modes(automaton: WTA) -> Iterator[Evidence]:
    """On [ab] modes one and two give another vector than the definition."""
    left, right = automaton.leaf("a"), automaton.leaf("b")
    said, true = (contract(automaton, left, right, modes) for modes in ((1, 2), (2, 3)))
    certificate = {
        "kind": "trees.modes",
        "automaton": plain(automaton),
        "left": "a",
        "right": "b",
        "printed": [str(x) for x in said],
        "true": [str(x) for x in true],
    }
    text = f"On [ab] modes one and two give {_row(said)}, Definition 2.3 gives {_row(true)}"
    for claim in ("thm3.modes", "thm3.gate", "thm3.parse"):
        evidence = fails(
            claim,
            LITERAL,
            "the smallest tree with a bracket",
            f"{text}.",
            certificate,
            f"{text}, for a tensor that is not symmetric.",
        )
        yield either(tuple(said) != tuple(true), evidence)


def _row(vector: Sequence[Any]) -> str:
    return f"({', '.join(str(x) for x in vector)})"


def closing_brackets(
    automaton: WTA, leaves: int, right: bool, certificate: dict[str, Any]
) -> Evidence:
    """Closing brackets come to hold values that are not 0, and no node ever reads them."""
    held = 0
    for symbols in strings(leaves):
        states = parse_layers(automaton, symbols, all_heads(symbols), height(parse(symbols)))
        held += any(any(v) and s == "]" for v, s in zip(states, symbols, strict=True))
        right &= all(tuple(states[i - 1]) == v for i, v in automaton.states(symbols).items())
    text = (
        f"With m² = 1 at closing brackets too, {held} trees end with a closing bracket that is not "
        "0; yet every state of I_t is right, since no head of an opening bracket looks at one."
    )
    evidence = holds(
        "thm3.gate.closing",
        LITERAL,
        Strength.EXHAUSTIVE,
        all_shapes(leaves),
        text,
        certificate,
        limits="For hard attention; soft attention leaks these values too.",
    )
    return either(right, evidence)


@check("thm3.invariant", "thm3.invariant.first", "thm3.obs.depth-one")
def the_printed_parse_layers(job: Job) -> Iterator[Evidence]:
    """Run the printed heads and gate on the smallest trees and look for a wrong state."""
    automaton = WTA.of([1], [[[1]]], {"a": [2], "b": [3]})
    symbols = tuple("[ab]")
    right = Printed(Depth.PRINTED, Step.LITERAL, 0).right(symbols)
    state = parse_layers(automaton, symbols, right, 1)[0]
    true = automaton.states(symbols)[1]
    certificate = {
        "kind": "trees.state",
        "automaton": plain(automaton),
        "tokens": list(symbols),
        "right": right[1],
        "state": [str(x) for x in state],
        "true": [str(x) for x in true],
    }
    text = f"With n = 1, v_a = 2, v_b = 3 the printed heads give {_row(state)} for [ab], not {_row(true)}"
    for claim in ("thm3.invariant", "thm3.invariant.first", "thm3.obs.depth-one"):
        evidence = fails(
            claim,
            LITERAL,
            "the smallest tree with a bracket",
            f"{text}.",
            certificate,
            f"{text}: both heads read a.",
        )
        yield either(state != true, evidence)


@check("thm3.gate.degree", "thm3.marker")
def the_degree_of_the_gate(job: Job) -> Iterator[Evidence]:
    """Expand the printed map with symbols and read off its degree."""
    m, *rest = sympy.symbols("m t l r v")
    t, left, right, own = rest
    polynomial = sympy.Poly(m**2 * t * left * right + (1 - m**2) * own, m, left, right, own)
    degree = polynomial.total_degree()
    text = f"m² T(left, right) + (1 - m²) v has degree {degree} in its inputs, from m²·left·right."
    evidence = holds(
        "thm3.gate.degree",
        LITERAL,
        Strength.SYMBOLIC,
        "all n",
        text,
        {"kind": "trees.degree", "degree": degree},
        engine="SymPy",
    )
    yield either(degree == 4, evidence)
    letter, opening, closing = markers(("a", "[", "]"))
    certificate = {"kind": "trees.markers", "letter": letter, "open": opening, "close": closing}
    text = f"Letters, opening and closing brackets have markers {letter}, {opening} and {closing}."
    scope = "the three kinds of symbol"
    evidence = holds("thm3.marker", LITERAL, Strength.EXACT, scope, text, certificate)
    yield either(len({letter, opening, closing}) == 3, evidence)


def variant_fails(model: Variant, leaves: int) -> list[str]:
    """The trees on which a variant gives a wrong state, in exact arithmetic."""
    arithmetic, found = Rational(), []
    for symbols in strings(leaves):
        rows, ends = model.states(symbols, arithmetic), closings(symbols)
        for i, state in model.automaton.states(symbols).items():
            row = rows[(ends[i] if model.causal else i) - 1]
            if any(x != arithmetic.element(y) for x, y in zip(row, state, strict=True)):
                found.append(drawn(symbols))
                break
    return found


@check("thm3.exists", "thm3.causal-variant", "thm3.mask")
def variants_without_masks_and_with_causal_ones(job: Job) -> Iterator[Evidence]:
    """Run the variant without masks, and the one with causal masks and closing brackets."""
    leaves = 6 if job.full else 5
    automaton = random_wta(2, 5, alphabet=LETTERS)
    free = build_free(automaton, 3 * leaves - 2)
    wrong = variant_fails(free, leaves)
    masks = {head.mask for layer in free.transformer.layers for head in layer.heads}
    most = max(free_layers(s) - 2 * height(parse(s)) for s in strings(leaves))
    certificate = {"kind": "trees.free", "leaves": leaves, "positions": POSITIONS[leaves]}
    text = (
        f"Without any mask, with n + 7 coordinates, three heads and at most 2·height(t) layers, "
        f"{len(wrong)} trees have a wrong state: a bracket learns the length of its left subtree, "
        f"and so where its right one begins. {soft_words(automaton)}"
    )
    met = not wrong and masks <= {Mask.NONE, Mask.SELF} and most <= 0
    scope = f"{all_shapes(leaves)}, one WTA with n = 2, positions (i, i²)"
    for claim, reading in (("thm3.exists", LITERAL), ("thm3.mask", REPAIRED)):
        evidence = holds(
            claim,
            reading,
            Strength.EXHAUSTIVE,
            scope,
            text,
            certificate,
            limits="Hard attention and bilinear blocks are exact; soft attention tends "
            "to them as C grows, because every argmax is unique.",
        )
        yield either(met, evidence)
    yield from causal(automaton, leaves)


def causal(automaton: WTA, leaves: int) -> Iterator[Evidence]:
    """The variant with causal masks; and the printed heads, mirrored."""
    model = build_causal(automaton, 3 * leaves - 2)
    wrong = variant_fails(model, leaves)
    masks = {head.mask for layer in model.transformer.layers for head in layer.heads}
    text = (
        f"With causal masks only, states at closing brackets, 3 + height(t) layers and n + 7 "
        f"coordinates, {len(wrong)} trees have a wrong state."
    )
    scope = f"{all_shapes(leaves)}, one WTA with n = 2"
    certificate = {"kind": "trees.causal", "leaves": leaves, "positions": POSITIONS[leaves]}
    evidence = holds("thm3.causal-variant", REPAIRED, Strength.EXHAUSTIVE, scope, text, certificate)
    yield either(not wrong and masks <= {Mask.CAUSAL, Mask.SELF}, evidence)
    symbols = tuple("[ab]")
    looks = Printed(Depth.PRINTED, Step.LITERAL, 0).attended(1, symbols)
    mirrored = f"Mirrored, the printed head of [ab] looks from 4 to {5 - looks}, not to 2"
    certificate = {
        "kind": "trees.right-head",
        "depth": "printed",
        "step": "literal",
        "tokens": list(symbols),
        "position": 1,
        "child": 3,
        "attended": [[0, looks]],
    }
    evidence = fails(
        "thm3.causal-variant",
        LITERAL,
        "the smallest tree with a bracket",
        f"{mirrored}: the same scores, read from the other end.",
        certificate,
        f"{mirrored}.",
    )
    yield either(looks != 3, evidence)


def soften(model: Variant, saturation: int) -> Variant:
    """A variant with softmax in place of hard attention, queries times C."""

    def soft(layer: Layer[Any]) -> Layer[Any]:
        heads = tuple(
            replace(head, query=head.query.scaled(saturation), attention=Attention.SOFT)
            for head in layer.heads
        )
        return replace(layer, heads=heads)

    layers = tuple(soft(layer) for layer in model.transformer.layers)
    old = model.transformer
    return replace(model, transformer=Transformer(layers, old.readout, old.positions))


def soft_words(automaton: WTA) -> str:
    """The certified error of soft attention without masks on one tree, in words."""
    symbols, saturation = tuple("[[ab]c]"), 60
    model = soften(build_free(automaton, len(symbols), free_layers(symbols)), saturation)
    with Balls(1500) as balls:
        rows = model.states(symbols, balls)
        largest = flint.arb(0)
        for i, state in automaton.states(symbols).items():
            for x, y in zip(rows[i - 1], state, strict=True):
                largest = largest.max(abs(flint.arb(x) - balls.element(Fraction(y))))
        below = bool(largest < flint.arb(10) ** -9)
    error = "below 1e-9" if below else f"at most {float(largest.upper()):.1e}"
    return f"With softmax and C = {saturation} the error on [[ab]c] is {error}."
