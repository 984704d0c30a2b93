"""Theorem 3: the printed gate and modes, what they do at letters and brackets; closing brackets.

Asks          do m² T(left, right) + (1 - m²) v and the modes of the tensor give the states; may
              closing brackets hold anything; can states be read at closing brackets, masks causal
Notation      modes (2, 3): the first index of the tensor is the parent's state (Definition 2.3);
              modes (1, 2): as Section 4.2 and Appendix C write
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sympy

from constructions.arithmetic import Rational
from constructions.exact import Undecided
from constructions.random_trees import rational_wta
from constructions.theorem3_printed import Depth, Printed, Step, contract, markers, parse_layers
from constructions.theorem3_variants import Variant, build_causal, closings
from constructions.transformer import Mask
from constructions.trees import children, height, parse, positions
from constructions.wta import WTA
from verify.check import Job, check
from verify.checks.theorem3 import plain
from verify.claims.model import Name
from verify.engines.tree_evidence import POSITIONS, all_shapes, drawn, either, fails, holds
from verify.engines.tree_rules import strings
from verify.engines.tree_states import Digest
from verify.evidence import Evidence, Strength

LITERAL, CHARITABLE, REPAIRED = Name.LITERAL, Name.CHARITABLE, Name.REPAIRED


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


def wrong_state(automaton: WTA, symbols: Sequence[str], digest: Digest) -> int | None:
    """The first position of I_t whose state is wrong after height(t) layers with the printed gate."""
    states = parse_layers(automaton, symbols, right_children(symbols), height(parse(symbols)))
    wanted = sorted(automaton.states(symbols).items())
    for i, _ in wanted:
        digest.add(states[i - 1])
    return next((i for i, v in wanted if tuple(states[i - 1]) != tuple(v)), None)


@check(
    "thm3.modes", "thm3.gate", "thm3.parse", "thm3.gate.closing", "thm3.mlp-input", "thm3.copy-head"
)
def the_printed_gate_on_every_small_tree(job: Job) -> Iterator[Evidence]:
    """Run the printed gate with right heads, with the printed modes and with the definition's."""
    leaves, digest = 6 if job.full else 5, Digest()
    automaton = rational_wta(2, 12)
    yield from printed_modes(rational_wta(2, 12, "ab"))
    wrong = [s for s in strings(leaves) if wrong_state(automaton, s, digest)]
    text = (
        f"With right heads, modes two and three and the printed gate {len(wrong)} trees have a wrong "
        "state; a third head copies the token, and the gate sees left, right and own state."
    )
    certificate = {
        "kind": "trees.gate",
        "automaton": plain(automaton, leaves),
        "leaves": leaves,
        "digest": digest.text(),
    }
    scope = f"{all_shapes(leaves)}, a random rational WTA with n = 2"
    for claim, reading in (
        ("thm3.modes", REPAIRED),
        ("thm3.gate", REPAIRED),
        ("thm3.parse", REPAIRED),
        ("thm3.mlp-input", CHARITABLE),
        ("thm3.copy-head", REPAIRED),
    ):
        evidence = holds(
            claim,
            reading,
            Strength.EXHAUSTIVE,
            scope,
            text,
            certificate,
            limits="The certificate confirms all states modulo 2^61 - 1, with the printed gate.",
        )
        yield either(not wrong, evidence)
    yield closing_brackets(automaton, leaves)
    yield a_leaf_has_no_children("a")


def a_leaf_has_no_children(symbols: str) -> Evidence:
    """Positions of I_t that begin no pair, so that no child's vector is there to be read."""
    childless = [i for i in positions(symbols) if i not in children(symbols)]
    i = childless[0] if childless else 1
    body = {
        "kind": "trees.position",
        "rule": "left-child",
        "tokens": list(symbols),
        "position": i,
        "printed": str(i + 1),
        "true": str(children(symbols).get(i, (0, 0))[0]),
    }
    evidence = fails(
        "thm3.mlp-input",
        LITERAL,
        f"the tree {symbols}",
        f"{len(childless)} of {len(positions(symbols))} positions of I_t have no children, position {i} "
        "the first of them: the input of a leaf holds no child's vector.",
        body,
        f"The tree {symbols}, position {i}.",
    )
    return either(bool(childless), evidence)


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


def closing_brackets(automaton: WTA, leaves: int) -> Evidence:
    """Closing brackets come to hold values that are not 0, and no node ever reads them."""
    held, right, digest = 0, True, Digest()
    for symbols in strings(leaves):
        states = parse_layers(automaton, symbols, all_heads(symbols), height(parse(symbols)))
        held += any(any(v) and s == "]" for v, s in zip(states, symbols, strict=True))
        right &= all(tuple(states[i - 1]) == v for i, v in automaton.states(symbols).items())
        for state in states:
            digest.add(state)
    text = (
        f"With m² = 1 at closing brackets too, {held} trees end with a closing bracket that is not "
        "0; yet every state of I_t is right, since no head of an opening bracket looks at one."
    )
    certificate = {
        "kind": "trees.closing",
        "automaton": plain(automaton, leaves),
        "leaves": leaves,
        "held": held,
        "digest": digest.text(),
    }
    evidence = holds(
        "thm3.gate.closing",
        LITERAL,
        Strength.EXHAUSTIVE,
        f"{all_shapes(leaves)}, a random rational WTA with n = 2",
        text,
        certificate,
        limits="For hard attention; soft attention leaks these values too. The certificate "
        "confirms what every token holds at the end, modulo 2^61 - 1.",
    )
    return either(right and held > 0, evidence)


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


def gate_degree() -> int:
    """The degree of the printed map in its inputs."""
    m, t, left, right, own = sympy.symbols("m t l r v")
    polynomial = sympy.Poly(m**2 * t * left * right + (1 - m**2) * own, m, left, right, own)
    return int(polynomial.total_degree())


@check("thm3.gate.degree", "thm3.marker")
def the_degree_of_the_gate(job: Job) -> Iterator[Evidence]:
    """Expand the printed map with symbols and read off its degree."""
    degree = gate_degree()
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


def causal_fails(model: Variant, leaves: int, digest: Digest) -> list[str]:
    """The trees on which the causal variant gives a wrong state, in exact arithmetic."""
    arithmetic, found = Rational(), []
    for symbols in strings(leaves):
        rows, ends, wrong = model.states(symbols, arithmetic), closings(symbols), False
        for i, state in sorted(model.automaton.states(symbols).items()):
            row = rows[ends[i] - 1]
            digest.add(row)
            wrong |= any(x != arithmetic.element(y) for x, y in zip(row, state, strict=True))
        found += [drawn(symbols)] * wrong
    return found


@check("thm3.causal-variant")
def states_at_closing_brackets(job: Job) -> Iterator[Evidence]:
    """Run the variant with causal masks and closing brackets; and the printed heads, mirrored."""
    leaves, digest = 6 if job.full else 5, Digest()
    automaton = rational_wta(2, 12)
    model = build_causal(automaton, 3 * leaves - 2)
    wrong = causal_fails(model, leaves, digest)
    masks = {head.mask for layer in model.transformer.layers for head in layer.heads}
    text = (
        f"With causal masks only, states at closing brackets, 3 + height(t) layers and n + 7 "
        f"coordinates, {len(wrong)} trees have a wrong state."
    )
    scope = f"{all_shapes(leaves)}, a random rational WTA with n = 2"
    certificate = {
        "kind": "trees.causal",
        "leaves": leaves,
        "positions": POSITIONS[leaves],
        "automaton": plain(automaton, leaves),
        "digest": digest.text(),
    }
    evidence = holds(
        "thm3.causal-variant",
        REPAIRED,
        Strength.EXHAUSTIVE,
        scope,
        text,
        certificate,
        limits="The certificate confirms where both heads of a closing bracket look, and the states "
        "modulo 2^61 - 1 by recursion; not the first three layers.",
    )
    yield either(not wrong and masks <= {Mask.CAUSAL, Mask.SELF}, evidence)
    yield mirrored()


def mirrored() -> Evidence:
    """The printed right head, read from the other end of [ab]."""
    symbols = tuple("[ab]")
    looks = Printed(Depth.PRINTED, Step.LITERAL, 0).attended(1, symbols)
    text = f"Mirrored, the printed head of [ab] looks from 4 to {5 - looks}, not to 2"
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
        f"{text}: the same scores, read from the other end.",
        certificate,
        f"{text}.",
    )
    return either(looks != 3, evidence)
