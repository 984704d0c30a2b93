"""Sections 6 and 7 and the checklist: what can be computed of them.

Claims        rel.2rnn, rel.zhao-harder, con.wta-must, con.question.tight, list.setting,
              list.assumptions
Roads         the log-depth transformer on a comb; the tree construction cut short; the pebbling
              bound; second-order recurrent networks as WFAs; a ReLU network against x²
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product
from typing import Any

import sympy

from constructions.multiplication import relu_floor
from constructions.pebbling import comb_steps, most_steps, steps, unordered_shapes
from constructions.trees import CLOSE, OPEN, Tree, comb, height, relabel, shapes, tokens
from constructions.wta import WTA
from verify.check import Job, check
from verify.checks import scan as scan_checks
from verify.checks.preliminaries import symbolic
from verify.checks.statements import (
    CHARITABLE,
    EXHAUSTIVE,
    LITERAL,
    REPAIRED,
    SYMBOLIC,
    comb_by_doubling,
    first,
    holds,
    refuted,
    tree_certificate,
    tree_problem,
    undecided,
)
from verify.engines.printed import count
from verify.engines.trees import generic
from verify.engines.units import linear_floor
from verify.evidence import Evidence, Plain


@check("rel.2rnn")
def second_order_networks(job: Job) -> Iterator[Evidence]:
    """Take a network whose activation squares, and one whose activation is the identity."""
    yield squaring([2 ** (2**t) for t in range(7)])
    sizes = [(1, 1), (2, 2), (3, 2)]
    yield holds(
        "rel.2rnn",
        first(second_order_problem(n, letters) for n, letters in sizes),
        SYMBOLIC,
        f"every tensor with (n, |Σ|) in {sizes}; all words by induction",
        "h ← T ×_1 h ×_2 e_σ is hᵀ A^σ with A^σ the slice of T, and every family A^σ is such slices.",
        {"kind": "definitions.second-order", "sizes": [list(size) for size in sizes]},
        reading=CHARITABLE,
        engine="SymPy",
    )


def squaring(values: Sequence[int]) -> Evidence:
    """One neuron, one letter, h ← h²: values that no WFA has, by growth and by Hankel rank."""
    minors = [sympy.Matrix(k, k, lambda i, j: values[i + j]).det() for k in range(1, 5)]
    squares = all(b == a * a for a, b in pairwise(values))
    return refuted(
        "rel.2rnn",
        squares and values[0] > 1 and all(minors),
        "one neuron, one letter, activation x ↦ x²",
        "h ← h² from h = 2 has the values 2^(2^t); a WFA with n states has |f(a^t)| ≤ K r^t for some "
        "K and r, and Hankel rank at most n, while here the ranks grow: 1, 2, 3, 4, …",
        {
            "kind": "families.second-order",
            "values": list(values),
            "determinants": [str(minor) for minor in minors],
        },
        repair="Ask for a linear activation.",
    )


def second_order_problem(n: int, letters: int) -> str | None:
    """Why the contraction with a one-hot letter is not the step of the WFA of slices."""
    automaton = symbolic(n, letters)
    state = sympy.symbols(f"h:{n}")
    for k, letter in enumerate(automaton.alphabet):
        hot = [int(k == other) for other in range(letters)]
        slices = [automaton.matrix(a) for a in automaton.alphabet]
        network = [
            sum(state[i] * hot[a] * slices[a][i][j] for i, a in product(range(n), range(letters)))
            for j in range(n)
        ]
        step = sympy.Matrix([state]) * sympy.Matrix(automaton.matrix(letter))
        if any(sympy.expand(x - y) != 0 for x, y in zip(network, step, strict=True)):
            return f"n = {n}: letter {letter} gives another state"
    return None


@check("con.wta-must", "con.question.tight")
def fewer_layers_than_the_height(job: Job) -> Iterator[Evidence]:
    """Run the log-depth transformer on a comb, and cut the tree construction short."""
    yield from combs(10)
    yield must(tree_problem)


def must(problem_of: Callable[..., str | None]) -> Evidence:
    """Combs of three heights: one parse layer for each height is enough, one fewer is not."""
    trees = [comb("ab"[: count % 2] + "ab" * (count // 2)) for count in (2, 3, 4)]
    short = [problem_of([tree], height(tree) - 1) is None for tree in trees]
    return holds(
        "con.wta-must",
        problem_of(trees) or ("one parse layer fewer is enough" if any(short) else None),
        EXHAUSTIVE,
        "every WTA with two states, combs of height 1, 2 and 3",
        "The tree construction returns the root's state with one parse layer for each height, as a "
        "polynomial, and not with one layer fewer.",
        tree_certificate(trees),
        reading=CHARITABLE,
        limits="One construction; no lower bound for others.",
    )


def combs(leaves: int) -> Iterator[Evidence]:
    """A comb in fewer layers than its height, and how the layers grow."""
    problem, body = comb_by_doubling(leaves)
    layers = int(str(body["preparation"])) + int(str(body["steps"]))
    text = (
        f"The comb with {leaves} leaves has height {body['height']}; a transformer with {layers} layers "
        "returns the states of all its subtrees exactly."
    )
    scope = f"the comb with {leaves} leaves, one WTA with two states"
    limits = "One WTA here; the log-depth construction is judged for every WTA by its own checks."
    yield refuted("con.wta-must", problem is None, scope, text, body, limits=limits)
    yield from tight(problem, f"{text} ", scope)


def tight(problem: str | None, text: str, scope: str, largest: int = 9) -> Iterator[Evidence]:
    """What is known of tight bounds: nothing below, and one bound that can be improved upon."""
    reason = (
        "languages should exist: to refute it takes smaller sizes for every automaton, to prove it a "
        "lower bound for all transformers of a size. Neither is decided here; what is known of the depth "
        "on arbitrary trees is under the repaired reading."
    )
    for reading, bounds in ((LITERAL, "all of the bounds"), (CHARITABLE, "some of the bounds")):
        said = f"That {bounds} are tight for some language is a statement that {reason}"
        yield undecided("con.question.tight", bounds, said, reading=reading)
    wrong = [
        n for n in range(1, largest + 1) if max(map(steps, unordered_shapes(n))) != most_steps(n)
    ]
    sizes = (4, 16, 64, 256, 1024)
    grown: list[Plain] = [[n, most_steps(n), comb_steps(n)] for n in sizes]
    yield holds(
        "con.question.tight",
        f"trees with {wrong[0]} leaves need more steps" if wrong else problem,
        EXHAUSTIVE,
        f"steps: all shapes with up to {largest} leaves; states: {scope}",
        f"{text}Trees with {', '.join(map(str, sizes))} leaves take at most "
        f"{', '.join(str(most_steps(n)) for n in sizes)} steps after two layers, by Padovan's numbers, "
        "which grow exponentially: the number of layers is logarithmic.",
        {"kind": "definitions.steps", "rows": grown},
        reading=REPAIRED,
        limits="That the states are right on every tree and for every WTA is beyond.logdepth, with "
        "its own scope; the bound on the steps of all trees is beyond.logdepth.steps-bound.",
    )


@check("rel.zhao-harder")
def trees_as_bracketed_words(job: Job) -> Iterator[Evidence]:
    """Compare the states of a generic WTA with inside weights on the tree's bracketed string."""
    yield not_easier(inside, 2, 4 if job.full else 3)


Weights = Sequence[Any]


def inside(automaton: WTA, word: Sequence[str]) -> Weights:
    """Inside weights of A → [ B C ] with weight T(A, B, C) and A → σ with weight v_σ(A)."""
    states = range(automaton.n)
    if len(word) == 1:
        return automaton.leaves.get(word[0], (0,) * automaton.n)
    total: list[Any] = [0 for _ in states]
    if len(word) < 4 or (word[0], word[-1]) != (OPEN, CLOSE):
        return total
    for cut in range(2, len(word) - 1):
        left, right = inside(automaton, word[1:cut]), inside(automaton, word[cut:-1])
        for a, b, c in product(states, repeat=3):
            total[a] = total[a] + automaton.tensor[a][b][c] * left[b] * right[c]
    return total


def not_easier(weights: Callable[[WTA, Sequence[str]], Weights], n: int, leaves: int) -> Evidence:
    """The states of every WTA with n states on all small trees, as weights of words."""
    arithmetic, automaton = generic(n)
    trees = [
        relabel(shape, labels)
        for count in range(1, leaves + 1)
        for shape in shapes(count)
        for labels in product("ab", repeat=count)
    ]
    wrong = [tree for tree in trees if differ(weights(automaton, tokens(tree)), automaton, tree)]
    return holds(
        "rel.zhao-harder",
        f"{''.join(tokens(wrong[0]))}: another inside weight" if wrong else None,
        SYMBOLIC,
        f"every WTA with {n} states over two letters, all {len(trees)} trees with up to {leaves} leaves",
        "The state of a tree is the vector of inside weights of its bracketed string, in the grammar with "
        "rules A → [ B C ] and A → σ: who computes inside weights computes states of WTAs too.",
        {
            "kind": "closing.bracketed",
            "states": n,
            "rules": len(arithmetic.generators),
            "leaves": leaves,
            "trees": len(trees),
        },
        reading=REPAIRED,
        limits="A reduction: the one task is not easier. That it is harder is not shown.",
    )


def differ(found: Weights, automaton: WTA, tree: Tree) -> bool:
    """Whether inside weights are not the state of a tree, as polynomials."""
    return any(a != b for a, b in zip(found, automaton.state(tree), strict=True))


@check("list.setting")
def a_definition_and_an_algorithm(job: Job) -> Iterator[Evidence]:
    """Run the printed pseudocode on its smallest input."""
    yield scan_checks.fails(
        "list.setting", "printed", "the last running product is never computed as printed"
    )


@check("list.assumptions")
def an_assumption_that_is_missing(job: Job) -> Iterator[Evidence]:
    """Approximate x² by ReLU networks of the width that the quoted theorem gives."""
    yield relu(int(count("C(m+d, d)", m=1, d=2)))


def relu(units: int) -> Evidence:
    """d = 2, one variable: N = C(1 + 2, 2) = 3 units, linear on four pieces of [0, 1]."""
    floor = relu_floor(units)
    forced = linear_floor(units, {(2,): 1})
    body: dict[str, Any] = {"kind": "definitions.relu", "units": units, "floor": str(floor)}
    return refuted(
        "list.assumptions",
        floor == forced and floor > 0,
        "Theorem of Appendix B.2 for ReLU, which is no polynomial",
        f"f(x) = x² on [0, 1], N = {units} ReLU units: the network is linear on {units + 1} pieces, one "
        f"of length at least 1/{units + 1}, and misses x² there by at least {floor}, for every choice "
        "of weights; the printed hypothesis on σ admits ReLU.",
        body,
        repair="Ask for a smooth activation and biases.",
    )
