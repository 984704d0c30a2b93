"""Log-depth trees: a transformer with 2 + O(log N) layers for WTAs on arbitrary trees.

Asked         Section 4.2 asks whether a construction between the one for sequences and the one
              for trees simulates WTAs on arbitrary trees with O(log T) layers
Constructs    such a transformer, exact with hard attention and a bilinear layer of degree 2: two
              layers of preparation, then one layer whose weights are repeated; heads for the near
              child, the far child and a pointer, and one that copies the token
Invariant     after every layer μ(v) = M μ(c) + b for each node v, with c a node below v or v itself
Notation      N leaves, T = 3N - 2 = |str(t)|; marks f (pebbled: M = 0, b = μ(v)) and g (inactive:
              M = I, b = 0, c = v); neither: active, b = 0, μ(v) = M μ(c)
Unlike print  attention heads use masks and one end token; a mean over all positions so far needs
              saturated attention; depth is counted from the brackets before a position

One step composes all affine maps at once: an inactive node with one known child becomes the map
T(B, ·) of the other child, an active one is composed with the node it points to. How many steps a
tree needs is a pebbling game, `constructions.automata.pebbling`; the weights are in `logdepth_weights`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from constructions.automata.pebbling import most_steps, steps
from constructions.automata.trees import (
    CLOSE,
    OPEN,
    Tree,
    check_string,
    most_leaves,
)
from constructions.automata.wta import WTA
from constructions.blocks.logdepth_step import step_layer
from constructions.blocks.logdepth_weights import LogDepthPlan, preparation
from constructions.core.forms import block, columns
from constructions.core.matrix import Entry, Matrix
from constructions.core.one_line import of_simulation, one_line
from constructions.core.transformer import Arithmetic, Attention, Layer, Transformer
from constructions.running.simulation import TreeView
from constructions.theorem1 import check_length


@one_line(of_simulation)
@dataclass(frozen=True)
class LogDepthSimulation(TreeView):
    """A transformer that simulates a WTA on every tree whose string has at most `length` tokens."""

    automaton: WTA
    plan: LogDepthPlan
    transformer: Transformer[Matrix]

    @property
    def preparation(self) -> int:
        """The number of layers before the first step."""
        return depth(1)

    @property
    def step(self) -> Layer[Matrix]:
        """The layer that is repeated."""
        return step_layer(self.plan)

    def layers_for(self, tree: Tree) -> int:
        """Layers after which every state of this tree is there."""
        return self.preparation + steps(tree)

    def cut(self, layers: int) -> LogDepthSimulation:
        """The same weights with that many layers; the last one is repeated where there are more."""
        given = self.transformer.layers
        more = max(0, layers - len(given)) * (step_layer(self.plan),)
        model = Transformer((given + more)[:layers], self.transformer.readout)
        return LogDepthSimulation(self.automaton, self.plan, model)

    def encode(self, symbols: Sequence[str]) -> list[list[Entry]]:
        """The embedded tokens of str(t), with the end token after them."""
        check_string(symbols, self.plan.length)
        return [self._token(i, symbol) for i, symbol in enumerate([*symbols, None], 1)]

    def _token(self, index: int, symbol: str | None) -> list[Entry]:
        blocks: dict[str, list[Entry]] = {"one": [1], "index": [index]}
        blocks |= {"square": [index * index], "pointer": [index]}
        if symbol is None:
            blocks["end"] = [1]
        elif symbol in (OPEN, CLOSE):
            blocks["open" if symbol == OPEN else "close"] = [1]
            if symbol == OPEN:
                blocks["inactive"] = [1]
                blocks["matrix"] = _identity(self.plan.n)
        else:
            blocks["pebbled"], blocks["state"] = [1], list(self.automaton.leaf(symbol))
        return self.plan.layout().vector(blocks)

    def outputs(self, symbols: Sequence[str], arithmetic: Arithmetic) -> dict[int, Any]:
        """{position of I_t: state of its subtree} as the transformer returns it."""
        rows = super().outputs(symbols, arithmetic)
        return {i: rows[row] for i, row in self.rows(symbols).items()}


def _identity(n: int) -> list[Entry]:
    return [int(i == j) for i in range(n) for j in range(n)]


def depth(length: int) -> int:
    """Layers that are enough for every tree with |str(t)| ≤ length.

    Examples:
        >>> [depth(length) for length in (1, 10, 100, 1000, 4096)]
        [2, 5, 11, 19, 24]

    """
    return 2 + most_steps(most_leaves(check_length(length)))


def build(automaton: WTA, length: int) -> LogDepthSimulation:
    """The transformer for all trees with |str(t)| ≤ length.

    Examples:
        >>> from constructions.arithmetic import Rational
        >>> from constructions.automata.trees import from_text, tokens
        >>> adder = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
        >>> states = build(adder, 7).states(tokens(from_text("[a[ab]]")), Rational())
        >>> {i: str(state[0]) for i, state in states.items()}
        {1: '7', 2: '1', 3: '6', 4: '1', 5: '5'}

    """
    return assemble(automaton, LogDepthPlan(automaton.tensor, check_length(length)))


def soft_simulation(simulation: LogDepthSimulation, saturation: Entry) -> LogDepthSimulation:
    """The same transformer with softmax(C · score) in place of the hard heads."""
    old = simulation.plan
    plan = LogDepthPlan(old.tensor, old.length, Attention.SOFT, saturation)
    return assemble(simulation.automaton, plan)


def assemble(automaton: WTA, plan: LogDepthPlan) -> LogDepthSimulation:
    """Preparation, then as many steps as the worst tree of that length needs."""
    before = preparation(plan)
    count = depth(plan.length) - len(before)
    layers = (*before, *(count * (step_layer(plan),)))
    readout = columns(plan.layout(), block("state", plan.n))
    return LogDepthSimulation(automaton, plan, Transformer(layers, readout))
