"""The invariant of the log-depth construction: what every token holds after every layer.

`examine` runs the built weights on trees of one size and names the first token that differs from
the oracle; the fact `logdepth.states` asks for it.

Oracle       μ from the definition of the WTA; marks and pointers from the pebbling game; depths
             from the string. None of it shares code with the weights.
Checked      after the preparation: depths. After every step, at every token: the marks f and g are
             the game's, the pointer of an unpebbled node is the game's, and
               pebbled    M = 0, b = μ(v)
               inactive   M = I, b = 0
               active     b = 0, M μ(c) = μ(v)
               others     f = g = 0, M = 0, b = 0
             and after the last layer every node is pebbled
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
import numpy.typing as npt

from constructions.automata.pebbling import GameState, PebbleMark, play
from constructions.automata.trees import Tree, depths, tokens
from constructions.core.transformer import Tie
from constructions.logdepth import LogDepthSimulation
from verify.exactness import integers
from verify.exactness.integers import EXACT_INT, Array, check_fits, largest_absolute

CODES = {PebbleMark.PEBBLED: 1, PebbleMark.INACTIVE: 2, PebbleMark.ACTIVE: 3}
OTHER = 0


class Pass(integers.IntegerPass):
    """A forward pass of the log-depth construction."""

    def __init__(self, simulation: LogDepthSimulation, trees: Sequence[Tree]) -> None:
        super().__init__(simulation, simulation.plan.layout(), trees)
        self.simulation = simulation


@dataclass(frozen=True)
class Examination:
    """The result of one run over trees of one size."""

    trees: int
    nodes: int
    layers: int
    steps: int
    fault: str
    digest: str


@dataclass(frozen=True)
class Oracle:
    """The oracle for trees of one size, by tree and token: codes, pointers (as rows) and μ."""

    codes: list[Array]
    targets: list[Array]
    states: Array
    depths: Array


def consult_oracle(simulation: LogDepthSimulation, trees: Sequence[Tree]) -> Oracle:
    """Return the expected marks, pointers and states after each layer, for all trees and tokens."""
    size = len(tokens(trees[0])) + 1
    games = [list(play(tree)) for tree in trees]
    longest = max(len(game) for game in games)
    shape = (len(trees), size)
    codes = [np.zeros(shape, dtype=np.int64) for _ in range(longest)]
    targets = [np.zeros(shape, dtype=np.int64) for _ in range(longest)]
    states = np.zeros((*shape, simulation.plan.n), dtype=np.int64)
    deep = np.zeros(shape, dtype=np.int64)
    for k, tree in enumerate(trees):
        symbols = tokens(tree)
        place = simulation.rows(symbols)
        for i, state in simulation.automaton.states(symbols).items():
            check_fits(max(map(abs, state)), EXACT_INT, "a state")
            states[k, place[i]] = state
        deep[k, : len(symbols)] = depths(symbols)
        for time in range(longest):
            _write(games[k][min(time, len(games[k]) - 1)], place, codes[time][k], targets[time][k])
    return Oracle(codes, targets, states, deep)


def _write(state: GameState, place: dict[int, int], codes: Array, targets: Array) -> None:
    for node, mark in state.marks.items():
        codes[place[node]] = CODES[mark]
        targets[place[node]] = place[state.pointers[node]]


def examine(simulation: LogDepthSimulation, trees: Sequence[Tree]) -> Examination:
    """Run the transformer on trees of one size and compare every token after every layer."""
    run, oracle = Pass(simulation, trees), consult_oracle(simulation, trees)
    fault, x = "", run.start
    try:
        for layer, x in zip(count(), run.states(), strict=False):
            fault = fault or _fault(run, oracle, layer, x)
            if fault:
                break
    except Tie as tie:
        fault = f"layer {layer + 1}: {tie}"
    fault = fault or _unfinished_node(run, oracle, x)
    nodes = int((oracle.codes[0] != OTHER).sum())
    layers = len(simulation.transformer.layers)
    steps = len(oracle.codes) - 1
    return Examination(len(trees), nodes, layers, steps, fault, digest(run, x))


def _fault(run: Pass, oracle: Oracle, layer: int, x: Array) -> str:
    """The first violation after a layer, in words, or ""."""
    time = layer - run.simulation.preparation
    if layer >= 1 and (
        place := _first_token(run.column(x, "depth") != oracle.depths, oracle.codes[0])
    ):
        return f"layer {layer}: wrong depth at {_position_text(run, *place)}"
    if time < 0:
        return ""
    at = min(time, len(oracle.codes) - 1)
    for what, wrong in violations(run, oracle, at, x):
        if place := _first_token(wrong):
            return f"layer {layer}: {what} at {_position_text(run, *place)}"
    return ""


def violations(
    run: Pass, oracle: Oracle, time: int, x: Array
) -> Iterator[tuple[str, npt.NDArray[np.bool_]]]:
    """Each part of the invariant with the tokens that break it."""
    codes, targets, mu = oracle.codes[time], oracle.targets[time], oracle.states
    n = run.simulation.plan.n
    matrix = x[..., list(run.layout["matrix"])].reshape(*codes.shape, n, n)
    state = x[..., list(run.layout["state"])]
    pebbled, inactive, active = (codes == code for code in CODES.values())
    yield "mark f is wrong", run.column(x, "pebbled") != pebbled
    yield "mark g is wrong", run.column(x, "inactive") != inactive
    pointer = run.column(x, "pointer") - 1
    yield "the pointer is wrong", (inactive | active) & (pointer != targets)
    yield "b is not μ(v)", (state != np.where(pebbled[..., None], mu, 0)).any(axis=-1)
    one = np.eye(n, dtype=np.int64)
    constant = np.where(inactive[..., None, None], one, 0)
    yield "M is not constant", ~active & (matrix != constant).any(axis=(-1, -2))
    below = np.take_along_axis(mu, targets[..., None], axis=1)
    mapped = _apply_matrices(matrix, below)
    yield "M μ(c) is not μ(v)", active & (mapped != mu).any(axis=-1)


def _apply_matrices(matrix: Array, vector: Array) -> Array:
    """M μ."""
    check_fits(
        largest_absolute(matrix) * largest_absolute(vector) * vector.shape[-1], EXACT_INT, "M μ(c)"
    )
    product: Array = (matrix * vector[..., None, :]).sum(axis=-1)
    return product


def _first_token(
    wrong: npt.NDArray[np.bool_], among: Array | None = None
) -> tuple[int, int] | None:
    """The first wrong token; with `among`, of those tokens that carry a subtree."""
    places = np.argwhere(wrong if among is None else wrong & (among != OTHER))
    return (int(places[0][0]), int(places[0][1])) if len(places) else None


def _position_text(run: Pass, tree: int, row: int) -> str:
    text = "".join(run.symbols[tree])
    brief = text if len(text) <= 40 else f"{text[:39]}…"
    return f"position {row + 1} of {brief}"


def _unfinished_node(run: Pass, oracle: Oracle, x: Array) -> str:
    """A node that is not pebbled after the last layer."""
    place = _first_token(run.column(x, "pebbled") != 1, oracle.codes[0])
    return f"after the last layer no state at {_position_text(run, *place)}" if place else ""


def digest(run: Pass, x: Array) -> str:
    """A hash of the transformer's outputs: every tree's string and its states in order."""
    text = hashlib.sha256()
    for tree, symbols in enumerate(run.symbols):
        states = [
            ",".join(str(int(value)) for value in x[tree, row, list(run.layout["state"])])
            for row in run.simulation.rows(symbols).values()
        ]
        text.update(f"{''.join(symbols)} {' '.join(states)}\n".encode())
    return text.hexdigest()
