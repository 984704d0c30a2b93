"""Theorem 3 run on trees: states at all positions, modes of the tensor, hidden units, combs.

    wta.states         a construction gives μ(τ_i) at every position of I_t of every small tree
    wta.modes          contracting modes one and two is contracting modes two and three
    wta.hidden-units   a parse layer with softplus units has at most the stated number of them
    comb.word          a WFA with n + 1 states passes through the states of a WTA on combs

Constructions "masked", "maskless" and "clean" (on the string alone) are ours, "closing" reads states
at closing brackets under causal masks, "printed" has the printed scores and gate with true depths and
an exact step.
Tensor and leaf vectors are different symbols throughout, so that what holds does so for every WTA.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from constructions.automata.random_trees import random_wta
from constructions.automata.trees import comb, ends, height, parse
from constructions.automata.wta import WTA
from constructions.blocks.smoothing import SoftplusUnits, greatest_width, smooth_transformer
from constructions.core.exact import Undecided
from constructions.theorem3 import Places, build
from constructions.variants import theorem3_clean
from constructions.variants.theorem3_printed import (
    DepthReading,
    PrintedHead,
    StepReading,
    contract,
    parse_layers,
)
from constructions.variants.theorem3_variants import build_causal, build_maskless
from verify.exactness.combs import comb_states, words
from verify.exactness.theorem3 import GenericPolynomial, generic_tree_automaton
from verify.exactness.tree_positions import strings
from verify.facts.printed_formulas import count
from verify.facts.registry import fact
from verify.judge.outcome import Outcome

States = Mapping[int, Sequence[Any]]
Run = Callable[[Sequence[str]], States]
STEP = Fraction(1, 8)


def _run_rows(model: Any, ring: GenericPolynomial) -> Run:
    """A model that returns a row for every position."""
    return lambda symbols: dict(enumerate(model.states(symbols, ring), 1))


def _run_closing(automaton: WTA, length: int, ring: GenericPolynomial) -> Run:
    model = build_causal(automaton, length)

    def states(symbols: Sequence[str]) -> States:
        rows = model.states(symbols, ring)
        return {i: rows[end - 1] for i, end in ends(symbols).items()}

    return states


def _run_printed(automaton: WTA, length: int, ring: GenericPolynomial) -> Run:
    def states(symbols: Sequence[str]) -> States:
        layers = height(parse(symbols))
        rows = parse_layers(automaton, symbols, exact_heads(symbols), layers)
        return {i: [ring.element(x) for x in row] for i, row in enumerate(rows, 1)}

    return states


def exact_heads(symbols: Sequence[str]) -> dict[int, int]:
    """Return the target of the right head with an exact step at every position; at a tie, the position."""
    head, targets = PrintedHead(DepthReading.BEFORE, StepReading.EXACT), {}
    for i in range(1, len(symbols) + 1):
        try:
            targets[i] = head.target(i, symbols)
        except Undecided:
            targets[i] = i
    return targets


CONSTRUCTIONS: dict[str, Callable[[WTA, int, GenericPolynomial], Run]] = {
    "masked": lambda wta, length, ring: _run_rows(build(wta, length, places=Places.LINE), ring),
    "maskless": lambda wta, length, ring: _run_rows(build_maskless(wta, length), ring),
    "clean": lambda wta, length, ring: _run_rows(theorem3_clean.build(wta, length), ring),
    "closing": _run_closing,
    "printed": _run_printed,
}


@fact("wta.states", "exhaustive")
def states_on_all_trees(construction: str, n: int, leaves: int) -> Outcome:
    """For every WTA with n states and every small tree the construction gives every state."""
    ring, automaton = generic_tree_automaton(n, letters=leaves)
    run = CONSTRUCTIONS[construction](automaton, 3 * leaves - 2, ring)
    trees = places = 0
    for symbols in strings(leaves):
        outputs, trees = run(symbols), trees + 1
        for i, state in sorted(automaton.states(symbols).items()):
            places += 1
            if [ring.element(x) for x in state] != list(outputs[i]):
                return Outcome(False, {}, {"string": "".join(symbols), "position": i})
    return Outcome(True, {"trees": trees, "positions": places})


@fact("wta.modes", "symbolic")
def modes_agree(n: int) -> Outcome:
    """T ×₁ v_a ×₂ v_b and T ×₂ v_a ×₃ v_b are the same vector for every tensor T."""
    ring, automaton = generic_tree_automaton(n, letters=2)
    left, right = automaton.leaf("a"), automaton.leaf("b")
    printed, defined = (contract(automaton, left, right, pair) for pair in ((1, 2), (2, 3)))
    for a, (one, other) in enumerate(zip(printed, defined, strict=True)):
        if ring.element(one) != ring.element(other):
            return Outcome(False, {}, {"entry": a + 1, **_unit_tensor(n)})
    return Outcome(True, {"entries": n})


def _unit_tensor(n: int) -> dict[str, Any]:
    """The two contractions for the tensor with one entry 1 in the last place of mode three."""
    one = [
        [[int((a, b, c) == (0, 0, n - 1)) for c in range(n)] for b in range(n)] for a in range(n)
    ]
    first, last = [int(a == 0) for a in range(n)], [int(a == n - 1) for a in range(n)]
    automaton = WTA.of([1] * n, one, {"a": first, "b": last})
    left, right = automaton.leaf("a"), automaton.leaf("b")
    names = {"printed": (1, 2), "defined": (2, 3)}
    return {
        name: [str(x) for x in contract(automaton, left, right, pair)]
        for name, pair in names.items()
    }


@fact("wta.hidden-units", "exact")
def hidden_units(most: int, bound: str) -> Outcome:
    """The softplus units of a built parse layer are at most the stated number, n = 1 … most."""
    built = []
    for n in range(1, most + 1):
        hard = build(random_wta(n, n), 7)
        one = hard.plan.layout.at("one")
        smooth = smooth_transformer(hard.transformer, SoftplusUnits(STEP), one)
        built.append(greatest_width(smooth.layers[2:]))
        if built[-1] > count(bound, n=n):
            return Outcome(False, {"units": built}, {"n": n, "units": built[-1]})
    return Outcome(True, {"units": built})


@fact("comb.word", "exhaustive")
def comb_word(n: int, longest: int) -> Outcome:
    """For every WTA with n states a WFA with n + 1 states has its states on all short combs."""
    ring, automaton = generic_tree_automaton(n, letters=2)
    machine = comb_states(automaton)
    for word in words("ab", longest):
        states = machine.states(word[::-1])
        for i in range(len(word)):
            wanted = automaton.state(comb(word[i:]))
            seen = states[len(word) - i][:n]
            if [ring.element(x) for x in wanted] != [ring.element(x) for x in seen]:
                return Outcome(False, {}, {"word": "".join(word), "from": i + 1})
    return Outcome(True, {"states": machine.n, "words": 2 ** (longest + 1) - 2})
