"""Sections 3.1 and 3.2: what it is to simulate a WFA, T layers, shortcuts, layers as rounds.

Claims        sim.* but for the scan's own, and scan.crucial
Constructs    the transformer of the remark "one step a layer": token t holds a state, the matrix of
              its letter and a one; each layer takes the state of the token before, times the matrix
Notation      A(x) the T + 1 states of x; M = 2^⌈log₂ T⌉; positions -M+1 … M as in Theorem 1
Unlike print  Definition 3.1 gives f the values R^{T×n} while A(x) has T + 1 rows
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import sympy

from constructions import families, theorem1
from constructions.arithmetic import Word
from constructions.layout import Layout
from constructions.matrix import Matrix, Tensor
from constructions.scan import window
from constructions.transformer import Arithmetic, Bilinear, Head, Layer, Transformer, realise, run
from constructions.wfa import WFA
from verify.check import Job, check
from verify.checks.statements import (
    CHARITABLE,
    EXACT,
    EXHAUSTIVE,
    LITERAL,
    REPAIRED,
    SYMBOLIC,
    first,
    holds,
    refuted,
)
from verify.engines import generic
from verify.engines.routing import RoutedPolynomial, RoutedWords
from verify.evidence import Evidence, Plain

States = Callable[[WFA, tuple[str, ...]], list[Any]]


def all_states(automaton: WFA, word: tuple[str, ...]) -> list[Any]:
    """A(x): the states of all prefixes, from the empty one on."""
    return list(automaton.states(word))


@check("sim.exact.definition", "sim.approx.definition")
def a_word_has_one_state_more_than_letters(job: Job) -> Iterator[Evidence]:
    """Count the rows of A(x) and compare with the rows that the definitions allow."""
    yield from rows(all_states)


def rows(states: States, longest: int = 6) -> Iterator[Evidence]:
    """Both definitions, for the counting automaton and all its words up to a length."""
    automaton = families.counting()
    found = {t: len(states(automaton, ("0",) * t)) for t in range(longest + 1)}
    body: dict[str, Plain] = {
        "kind": "definitions.rows",
        "rows": [[t, r] for t, r in found.items()],
    }
    text = f"T = 1, n = 2: A(0) has {found[1]} rows, f(0) has one."
    problem = rows_problem(states, longest)
    for claim in ("sim.exact.definition", "sim.approx.definition"):
        yield refuted(claim, found[1] != 1, "T = 1", text, body, repair="Let f have T + 1 rows.")
        for reading, count in ((CHARITABLE, "T, the first one left out"), (REPAIRED, "T + 1")):
            yield holds(
                claim,
                problem,
                EXACT,
                f"words of length 0 … {longest}; all lengths, since one letter adds one state",
                f"With {count} rows f(x) and the states have one shape; the norm of a difference in "
                "one entry is that entry, so < ε is decided as meant.",
                body,
                reading=reading,
            )


def rows_problem(states: States, longest: int) -> str | None:
    """Why the rows of some word are not one more than its letters, or the norm is off."""
    automaton = families.counting()
    for length in range(longest + 1):
        for word in automaton.words(length):
            if len(states(automaton, word)) != length + 1:
                return f"word {''.join(word)!r}: {len(states(automaton, word))} states"
    exact = states(automaton, ("0", "1", "0"))
    moved = [list(row) for row in exact]
    moved[1][0] += Fraction(1, 2)
    pairs = zip(exact, moved, strict=True)
    square = sum((a - b) ** 2 for x, y in pairs for a, b in zip(x, y, strict=True))
    return None if square == Fraction(1, 4) else f"the squared norm is {square}"


@check("sim.approx.always")
def the_states_themselves_are_such_a_function(job: Job) -> Iterator[Evidence]:
    """Take the function that sums over paths, and compare it with the states as polynomials."""
    yield from always(by_paths)


def by_paths(automaton: WFA, word: tuple[str, ...]) -> list[Any]:
    """The states of all prefixes, each coordinate a sum over paths."""
    n = automaton.n
    units = [tuple(int(i == j) for i in range(n)) for j in range(n)]
    ends = [WFA(automaton.alpha, automaton.transitions, unit) for unit in units]
    return [[end.weight_by_paths(word[:t]) for end in ends] for t in range(len(word) + 1)]


def always(function: States, length: int = 3) -> Iterator[Evidence]:
    """The distance of a function from A, as polynomials."""
    automaton = generic.generic(2, length, sympy.Symbol)
    word = generic.word(length)
    pairs = zip(function(automaton, word), automaton.states(word), strict=True)
    gaps = [sympy.expand(a - b) for x, y in pairs for a, b in zip(x, y, strict=True)]
    body: dict[str, Plain] = {"kind": "definitions.paths", "n": 2, "length": length, "terms": 16}
    for reading in (LITERAL, CHARITABLE):
        yield holds(
            "sim.approx.always",
            None if not any(gaps) else "the function is not the sequence of states",
            SYMBOLIC,
            f"every WFA with two states, every word of {length} letters and every ε > 0",
            f"x ↦ A(x), computed by sums over paths, is such a function: all {len(gaps)} entries of "
            "its difference from the states are 0 < ε.",
            body,
            reading=reading,
            engine="SymPy",
            limits="This says nothing on transformers; for them it is Theorem 2.",
        )


def recurrent_layout(n: int) -> Layout:
    """(state, matrix of the letter, one, position)."""
    return Layout(state=n, matrix=n * n, one=1, position=2)


def recurrent_layer(n: int, span: int) -> Layer[Matrix]:
    """s_t ← s_{t-1} A^{x_t}: one head reads the token before, one keeps matrix and one."""
    names = recurrent_layout(n)
    here = Matrix.blocks(names, 2, {("position", ""): Matrix.identity(2)})
    turned = theorem1.rotation(theorem1.theta(1, span)).transpose
    before = Matrix.blocks(names, 2, {("position", ""): turned})
    heads = (
        Head(here, before, _keep(names, "state"), name="before"),
        Head(here, here, _keep(names, "matrix", "one"), name="here"),
    )
    both = Layout(first=names.size, second=names.size)
    one = Matrix.identity(names.size)
    combine = Matrix.blocks(both, names.size, {("first", ""): one, ("second", ""): one})
    return Layer(heads, combine, _step_block(n))


def _keep(names: Layout, *blocks: str) -> Matrix:
    parts = {(block, block): Matrix.identity(len(names[block])) for block in blocks}
    return Matrix.blocks(names, names, parts)


def _step_block(n: int) -> Bilinear[Matrix]:
    """Products state × matrix, one × matrix and one × one."""
    names = recurrent_layout(n)
    left, right = Layout(state=n, one=1), Layout(matrix=n * n, one=1)
    result = Layout(state=n, matrix=n * n, one=1)
    ones = {
        (left["state"][i], right["matrix"][i * n + j], result["state"][j]): 1
        for i, j in product(range(n), repeat=2)
    }
    ones |= {(left.at("one"), right["matrix"][m], result["matrix"][m]): 1 for m in range(n * n)}
    ones[left.at("one"), right.at("one"), result.at("one")] = 1
    tensor = Tensor((left.size, right.size, result.size), ones)
    return Bilinear(_take(names, left), _take(names, right), tensor, _take(names, result).transpose)


def _take(names: Layout, chosen: Layout) -> Matrix:
    parts = {(block, block): Matrix.identity(len(chosen[block])) for block in chosen}
    return Matrix.blocks(names, chosen, parts)


def unrolled(automaton: WFA, length: int, layers: int) -> Transformer[Matrix]:
    """A transformer with one step of the automaton a layer."""
    n, span = automaton.n, theorem1.span(length)
    names = recurrent_layout(n)
    readout = Matrix.blocks(names, n, {("state", ""): Matrix.identity(n)})
    return Transformer((recurrent_layer(n, span),) * layers, readout, names["position"])


def embedded(automaton: WFA, word: tuple[str, ...]) -> list[list[Any]]:
    """Every token starts with the state α; pads carry the identity."""
    span = theorem1.span(len(word))
    tokens = []
    for t in range(-span + 1, span + 1):
        inside = 1 <= t <= len(word)
        matrix = automaton.matrix(word[t - 1]) if inside else theorem1.identity(automaton.n)
        flat = [entry for row in matrix for entry in row]
        tokens.append([*automaton.alpha, *flat, 1, *theorem1.position(t, span)])
    return tokens


def unrolled_problem(n: int, length: int, layers: int) -> str | None:
    """Why the unrolled transformer's outputs are not the states, as polynomials."""
    arithmetic = RoutedPolynomial(theorem1.span(length), generic.symbols(n, length))
    automaton = generic.generic(n, length, arithmetic.generators.__getitem__)
    word = generic.word(length)
    outputs = run(unrolled(automaton, length, layers), arithmetic, embedded(automaton, word))
    for t, state in enumerate(automaton.states(word)):
        if list(outputs[t + theorem1.span(length) - 1]) != list(state):
            return f"n = {n}, T = {length}, {layers} layers: state {t} differs"
    return None


@check("sim.linear-depth")
def one_step_a_layer(job: Job) -> Iterator[Evidence]:
    """Build the transformer that performs one step a layer and compare polynomials."""
    pairs = [(1, 1), (1, 4), (2, 1), (2, 2), (2, 3), (2, 4)] + (
        [(3, 4), (2, 8)] if job.full else []
    )
    problem = first(unrolled_problem(n, t, t) or _too_many(n, t) for n, t in pairs)
    enough = [[n, t] for n, t in pairs]
    for reading in (LITERAL, CHARITABLE):
        yield holds(
            "sim.linear-depth",
            problem,
            SYMBOLIC,
            f"every WFA and word, (n, T) ∈ {{{', '.join(map(str, pairs))}}}",
            "T layers of hard attention and a bilinear block give all T + 1 states as polynomials; "
            "with T - 1 layers the last state is not there yet.",
            {"kind": "definitions.unrolled", "pairs": enough, "layers": [t for _, t in pairs]},
            reading=reading,
            engine="python-flint fmpz_mpoly",
            limits="With softmax and an MLP it is approximate, as Theorem 2 is.",
        )


def _too_many(n: int, length: int) -> str | None:
    """Why one layer fewer would do as well."""
    fewer = unrolled_problem(n, length, length - 1)
    return None if fewer else f"n = {n}, T = {length}: {length - 1} layers are enough"


@check("sim.shortcut.definition", "sim.shortcuts-exist")
def depth_against_length(job: Job) -> Iterator[Evidence]:
    """Ask what L ≤ o(T) says for one T, and take the limit of ⌈log₂ T⌉ / T."""
    length = 8
    bounds = [[t, min(t, length)] for t in range(1, 4 * length + 1)]
    met = bounds[length - 1][1] == length and max(b for _, b in bounds) == length
    yield refuted(
        "sim.shortcut.definition",
        met,
        "a single T",
        f"T = {length}: g(t) = min(t, {length}) is bounded, so in o(t), and g({length}) = {length}; "
        "taken for each T by itself, T layers, which every WFA allows, count as a shortcut.",
        {"kind": "definitions.little-o", "length": length, "bound": bounds},
        repair="Ask for depths L(T) with L(T)/T → 0.",
    )
    problem = limit_problem(lambda t: sympy.log(t, 2) + 1)
    depths: list[Plain] = [[k, len(theorem1.layers(1, 2**k))] for k in range(1, 11)]
    body: dict[str, Plain] = {"kind": "definitions.shortcut", "depths": depths}
    yield holds(
        "sim.shortcut.definition",
        problem,
        SYMBOLIC,
        "all T ≥ 1",
        "As a condition on the sequence of depths it separates: ⌈log₂ T⌉ / T → 0, while T / T → 1.",
        body,
        reading=REPAIRED,
        engine="SymPy",
    )
    lengths = [*range(1, 18)]
    wrong = first(found.why for t in lengths if (found := generic.prove_words(t)) is not None)
    yield holds(
        "sim.shortcuts-exist",
        first((problem, wrong)),
        EXACT,
        f"every WFA of every size, T = 1 … {lengths[-1]}",
        "With hard attention and a bilinear block ⌈log₂ T⌉ layers give all states, and "
        "⌈log₂ T⌉ / T → 0.",
        {"kind": "theorem1.words", "lengths": lengths},
        engine="words",
    )


def limit_problem(depth: Callable[[Any], Any]) -> str | None:
    """Why an upper bound of the depth does not vanish against T, or T itself does."""
    t = sympy.Symbol("T", positive=True)
    if sympy.limit(depth(t) / t, t, sympy.oo) != 0:
        return "the depth does not vanish against T"
    return None if sympy.limit(t / t, t, sympy.oo) == 1 else "T vanishes against T"


@check("sim.composition", "scan.crucial")
def layers_are_rounds(job: Job) -> Iterator[Evidence]:
    """Compare what each token holds after each layer of Theorem 1 with the rounds of the scan."""
    lengths = [1, 2, 3, 4, 5, 8, 16] + ([32, 33, 64] if job.full else [])
    problem = first(layers_problem(t) for t in lengths)
    held: list[Plain] = [letters_held(t) for t in lengths]
    for claim, reading in (
        ("sim.composition", LITERAL),
        ("sim.composition", CHARITABLE),
        ("scan.crucial", LITERAL),
    ):
        yield holds(
            claim,
            problem,
            EXHAUSTIVE,
            f"every WFA of every size, T ∈ {{{', '.join(map(str, lengths))}}}",
            "After layer l the token at position t holds A^{x_s … x_t} with s = max(1, t - 2^l + 1): "
            "the element of round l of the mended scan, in reading order.",
            {"kind": "scan.layers", "lengths": lengths, "letters": held},
            reading=reading,
            engine="words through the weights of Theorem 1",
            limits="The printed pseudocode composes in the reverse order. Theorem 2 has the same "
            "routing up to the leak of softmax.",
        )


def letters_held(length: int) -> int:
    """How many letters the tokens of a word hold together, over all layers."""
    layers = range(1, (length - 1).bit_length() + 1)
    return sum(len(window(t, layer)) for layer in layers for t in range(length))


def layers_problem(length: int, build: Callable[..., Any] = theorem1.build) -> str | None:
    """Why the tokens after some layer are not the elements of that round of the scan."""
    matrices = {letter: ((Word(chr(int(letter))),),) for letter in generic.word(length)}
    simulation = build(WFA((1,), matrices, (1,)), length)
    arithmetic: Arithmetic = RoutedWords(theorem1.span(length))
    model = realise(simulation.transformer, arithmetic)
    start = arithmetic.array(simulation.encode(generic.word(length)))
    column = theorem1.layout(1)["right"][0]
    for layer, tokens in enumerate(model.states(arithmetic, start)):
        for t in range(length):
            expected = "".join(chr(k + 1) for k in window(t, layer))
            if tokens[simulation.row(t + 1), column] != Word(expected):
                return f"T = {length}, layer {layer}: position {t + 1} holds another product"
    return None
