"""How a check of a sentence speaks: one small verification, run anew, with its scope.

A sentence of the abstract or the conclusion repeats what a theorem says. Its check runs the
smallest case itself and states its size; what the sentence rests on is named in the registry and
lowers its standing. No verdict of another check is read here.

    holds     evidence that a statement holds on a scope, or fails with the problem that was found
    refuted   evidence that a counterexample refutes it, or that the counterexample is none
    smallest_exact, smallest_tree, comb_by_doubling   the small cases used more than once
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from constructions import logdepth, theorem1, theorem3
from constructions.arithmetic import Rational
from constructions.pebbling import steps
from constructions.trees import Tree, children, comb, height, positions, tokens
from constructions.wta import WTA
from verify.claims.model import Name
from verify.engines import generic
from verify.engines.trees import generic as generic_wta
from verify.evidence import Evidence, Outcome, Plain, Strength, settled

Certificate = Mapping[str, Plain]
LITERAL, CHARITABLE, REPAIRED = Name.LITERAL, Name.CHARITABLE, Name.REPAIRED
SYMBOLIC, EXACT, EXHAUSTIVE = Strength.SYMBOLIC, Strength.EXACT, Strength.EXHAUSTIVE


def holds(
    claim: str,
    problem: str | None,
    strength: Strength,
    scope: str,
    summary: str,
    certificate: Certificate | None,
    **more: Any,
) -> Evidence:
    """The statement holds on the scope unless a problem was found."""
    item = Evidence(claim, Outcome.HOLDS, strength, scope, summary, certificate=certificate, **more)
    return settled(problem, item)


def refuted(
    claim: str,
    found: bool,
    scope: str,
    counterexample: str,
    certificate: Certificate,
    **more: Any,
) -> Evidence:
    """The counterexample refutes the statement; where it does not work, nothing is decided."""
    item = Evidence(
        claim,
        Outcome.FAILS,
        Strength.EXACT,
        scope,
        counterexample,
        certificate=certificate,
        counterexample=counterexample,
        **more,
    )
    if found:
        return item
    return replace(
        item,
        outcome=Outcome.UNKNOWN,
        summary=f"This would refute it, and does not: {counterexample}",
        counterexample="",
        certificate=None,
    )


def undecided(claim: str, scope: str, reason: str, **more: Any) -> Evidence:
    """What can be said of a statement that is not precise enough to be decided."""
    return Evidence(claim, Outcome.UNKNOWN, Strength.EXACT, scope, reason, **more)


def first(problems: Iterable[str | None]) -> str | None:
    """The first problem there is."""
    return next((problem for problem in problems if problem), None)


def smallest_exact(n: int = 2, length: int = 4) -> str | None:
    """Why Theorem 1's transformer does not give the states of every WFA at these sizes."""
    mismatch = generic.prove(n, length)
    if mismatch is not None:
        return mismatch.why
    layers = len(theorem1.layers(n, length))
    expected = (length - 1).bit_length()
    return None if layers == expected else f"{layers} layers, expected {expected}"


def exact_certificate(n: int = 2, length: int = 4) -> dict[str, Plain]:
    """The certificate of `smallest_exact`, confirmed as one of Theorem 1."""
    return {"kind": "theorem1.exact", "pairs": [[n, length]]}


def adder() -> WTA:
    """A WTA whose root state is (sum of the leaves' values, 1)."""
    return WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})


def tree_problem(
    trees: Sequence[Tree], layers: int | None = None, build: Callable[..., Any] = theorem3.build
) -> str | None:
    """Why Theorem 3's repaired transformer errs on a tree, for every WTA with two states.

    All weights are symbols; `layers` counts the parse layers, else there is one for each height.
    """
    arithmetic, automaton = generic_wta(2)
    for tree in trees:
        symbols = tokens(tree)
        count = height(tree) if layers is None else layers
        model = build(automaton, len(symbols), count, theorem3.Places.LINE)
        outputs, expected = model.states(symbols, arithmetic), automaton.states(symbols)
        if any(list(outputs[i - 1]) != list(expected[i]) for i in positions(symbols)):
            return f"{''.join(symbols)}: a state differs"
    return None


def _equal(found: Sequence[Any], expected: Sequence[Fraction]) -> bool:
    return [Fraction(str(value)) for value in found] == list(expected)


def tree_certificate(trees: Sequence[Tree]) -> dict[str, Plain]:
    """Strings of trees with the adder's value at each root, and the parse layers they take."""
    return {
        "kind": "definitions.trees",
        "trees": [" ".join(tokens(tree)) for tree in trees],
        "roots": [str(adder().state(tree)[0]) for tree in trees],
        "layers": max(map(height, trees)),
    }


def comb_by_doubling(leaves: int) -> tuple[str | None, dict[str, Plain]]:
    """A comb whose states the log-depth transformer gives in fewer layers than its height."""
    tree = comb(["a"] * (leaves - 1) + ["b"])
    symbols = tokens(tree)
    simulation = logdepth.build(adder(), len(symbols))
    layers = simulation.layers_for(tree)
    outputs = simulation.cut(layers).states(symbols, Rational())
    expected = adder().states(symbols)
    wrong = any(not _equal(outputs[i], expected[i]) for i in expected)
    problem = "a state differs" if wrong else None
    if layers >= height(tree):
        problem = f"{layers} layers for height {height(tree)}"
    certificate: dict[str, Plain] = {
        "kind": "definitions.comb",
        "leaves": leaves,
        "height": height(tree),
        "preparation": simulation.preparation,
        "steps": steps(tree),
        "root": str(expected[1][0]),
        "nodes": len(children(symbols)) + leaves,
    }
    return problem, certificate
