"""The invariant of the tree decoder: what every position holds after every layer, on one tree.

Oracle       the pebbling game says after which layer a subtree is finished; states are those of
             the automaton, from its definition
Checked      the largest score of every row is 1 or more above the others (the mean has equal ones);
             where a subtree ends: its state, from the layer on that the game names, and 0
             before, and its mark likewise; all subtrees are finished after the last layer; the
             scratch coordinates are 0 from layer 3 on; one, index and square keep their values

`first_violation` names the first thing that differs; the fact `decoder.trees` asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from constructions.arithmetic import Rational
from constructions.arithmetic.objects import Objects
from constructions.automata.pebbling import times
from constructions.automata.trees import Tree, ends, tokens
from constructions.core.transformer import Head, realise
from constructions.decoder_tree import TreeDecoderSimulation
from verify.exactness.generic import Mismatch

FIXED = ("one", "index", "square")
SCRATCH = ("near", "near_state", "far", "far_state", "read_matrix", "read_state", "read_known",
           "read_pointer")  # fmt: skip


def first_violation(simulation: TreeDecoderSimulation, tree: Tree) -> Mismatch | None:
    """The first violation on one tree, or None; the simulation has ReLU gates and hard heads."""
    string, arithmetic = tokens(tree), Rational()
    start = x = arithmetic.array(simulation.encode(string))
    expected = _Oracle(simulation, tree, string)
    for number, layer in enumerate(realise(simulation.transformer, arithmetic).layers, 1):
        for head in layer.heads:
            if violation := _score_without_gap(head, head.scores(arithmetic, x), number):
                return violation
        x = layer(arithmetic, x)
        if violation := expected.violated(x, start, number):
            return violation
    return expected.unfinished(len(simulation.transformer.layers))


def _score_without_gap(head: Head[Any], scores: Objects, number: int) -> Mismatch | None:
    """A row whose largest score is not 1 or more above the others; the mean has equal scores."""
    if head.query.shape[1] == 0:
        return None
    for i in range(1, len(scores)):
        first, second = sorted(scores[i][: i + 1], reverse=True)[:2]
        if first - second < 1:
            return Mismatch(i, number, f"layer {number}, head {head.name}: gap {first - second}")
    return None


class _Oracle:
    """The expected contents of the stream after each layer."""

    def __init__(
        self, simulation: TreeDecoderSimulation, tree: Tree, string: Sequence[str]
    ) -> None:
        self.layout, last = simulation.layout, ends(string)
        self.pebbled = {last[node]: time for node, time in times(tree).items()}
        exact = simulation.automaton.states(string)
        self.states = {last[node]: state for node, state in exact.items()}

    def violated(self, x: Objects, start: Objects, number: int) -> Mismatch | None:
        """The first violation after layer `number`."""
        for name in FIXED:
            if (x[:, list(self.layout[name])] != start[:, list(self.layout[name])]).any():
                return Mismatch(-1, number, f"layer {number}: {name} was written")
        if number >= 3:
            for name in SCRATCH:
                if x[:, list(self.layout[name])].any():
                    return Mismatch(-1, number, f"layer {number}: {name} is not 0")
        return self._nodes(x, max(number - 2, 0), number)

    def unfinished(self, layers: int) -> Mismatch | None:
        """A subtree that the game finishes only after the last layer."""
        for row, time in self.pebbled.items():
            if time > max(layers - 2, 0):
                return Mismatch(
                    row, layers, f"position {row} is not finished after {layers} layers"
                )
        return None

    def _nodes(self, x: Objects, time: int, number: int) -> Mismatch | None:
        for row, state in self.states.items():
            finished = self.pebbled[row] <= time
            state_here = [x[row, c] for c in self.layout["state"]]
            wanted = list(state) if finished else [0] * len(state)
            if [str(value) for value in state_here] != [str(value) for value in wanted]:
                return Mismatch(row, number, f"layer {number}, position {row}: another state")
            if bool(x[row, self.layout.at("known")]) is not finished:
                return Mismatch(row, number, f"layer {number}, position {row}: another mark")
        return None
