"""Tree constructions as an ordinary `torch.nn.Module`: Theorem 3 repaired, and log-depth.

Constructs    one table of rows for the tokens (letters, brackets, the end token) and one for the
              positions; their sum is the embedding, since no coordinate depends on both
Use           `to_torch(simulation)(module.encode([tokens(tree)]))` gives the state at every
              position of str(t); at positions of I_t it is the state of the subtree

Passes        `fused` where no gradient is needed and the tokens are strings of trees: the routing
              is read off the brackets (`constructions.modules.passes_trees`); else `dense`, the
              definition. `current_pass` says which a call with strings of trees would take and
              `pass_reason` why; a hook on a part makes the module compute scores, of size up to T³,
              and it warns where the format may not tell them apart

All trees that are encoded together have the same number of tokens; `states` and `weight` take any.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import nn

from constructions import logdepth, theorem3
from constructions.arithmetic.floats import nearest_float
from constructions.arithmetic.torch import Torch
from constructions.automata.trees import CLOSE, OPEN, comb, most_leaves, positions, string, tokens
from constructions.automata.wfa import word_list
from constructions.blocks.smoothing import HiddenUnits, smooth_transformer
from constructions.core.errors import InputError, check_fits, symbol_numbers
from constructions.core.matrix import Entry
from constructions.modules import passes_trees
from constructions.modules.construction import ConstructionModule, number_out_of_range, versions
from constructions.modules.passes import PassKind
from constructions.modules.passes_trees import NoTree
from constructions.modules.submodules import TransformerModule, parts

AnyTreeSimulation = theorem3.TreeSimulation | logdepth.LogDepthSimulation
POSITIONAL = ("place", "count", "index", "square", "pointer")


class TreeModule(ConstructionModule):
    """A simulation of a WTA: tokens of str(t) by number in, a state for each position out."""

    def __init__(
        self, simulation: AnyTreeSimulation, dtype: torch.dtype = torch.float64, dense: bool = False
    ) -> None:
        super().__init__()
        arithmetic, table = Torch(dtype), Tables(simulation)
        self.alphabet = simulation.automaton.alphabet
        self.length = longest_string(simulation)
        self._rows = arithmetic.array(table.tokens()), arithmetic.array(table.places())
        self.tokens, self.places = (nn.Parameter(rows.clone()) for rows in self._rows)
        self.transformer = TransformerModule(simulation.transformer, dtype)
        initial = torch.tensor(
            [nearest_float(w) for w in simulation.automaton.alpha], dtype=torch.float64
        )
        self.register_buffer("initial", initial, persistent=False)
        self.register_buffer("tensor", _dense_tensor(simulation, arithmetic), persistent=False)
        self._dense, self._is_hard = (
            dense,
            not dense and passes_trees.is_hard_construction(simulation),
        )
        self._state, self._layers = table.state, passes_trees.steps(simulation)
        self._evaluate = passes_trees.evaluation(simulation)
        self._seen = versions(parts(self))

    tensor: torch.Tensor
    initial: torch.Tensor

    def as_built(self) -> bool:
        """True if all weights but the states of the letters are the construction's."""
        tokens, places = (
            rows.to(device=p.device, dtype=p.dtype).clone()
            for rows, p in zip(self._rows, (self.tokens, self.places), strict=True)
        )
        letters = slice(0, len(self.alphabet)), slice(self._state.start, self._state.stop)
        tokens[letters] = self.tokens[letters].detach()
        same = torch.equal(tokens, self.tokens) and torch.equal(places, self.places)
        return same and self.transformer.as_built()

    def current_pass(self) -> PassKind:
        """The pass that a call with strings of trees would take now."""
        traced = torch.compiler.is_compiling() or self.needs_gradients()
        built = self._is_hard and self.is_unchanged() and not self.has_listeners()
        return PassKind.FUSED if built and not traced else PassKind.DENSE

    def has_routes(self) -> bool:
        """True if the brackets determine the attention targets."""
        return self._is_hard

    def encode(self, trees: Sequence[Any]) -> torch.Tensor:
        """Trees with one number of tokens, in any of the forms of `trees.string`, as numbers."""
        strings, symbols = map(string, word_list(trees)), [*self.alphabet, OPEN, CLOSE]
        rows = [symbol_numbers("tree", each, symbols) for each in strings]
        counts = sorted({len(row) for row in rows})
        if len(counts) > 1:
            found = f"strings of {', '.join(map(str, counts))} tokens"
            raise InputError("trees", found, "trees of equally many tokens; states() takes any")
        check_fits(max(counts, default=1), self.length, "tree", "tokens")
        return torch.tensor(rows, dtype=torch.int64).reshape(len(rows), max(counts, default=1))

    def states(self, trees: Sequence[Any]) -> list[dict[int, torch.Tensor]]:
        """For each tree {position of I_t, from 1: state of its subtree}; sizes may differ."""
        states: dict[int, dict[int, torch.Tensor]] = {}
        strings = [string(tree) for tree in word_list(trees)]
        for count in sorted({len(symbols) for symbols in strings}):
            chosen = [k for k, symbols in enumerate(strings) if len(symbols) == count]
            outputs = self(self.encode([strings[k] for k in chosen]))
            for k, output in zip(chosen, outputs, strict=True):
                states[k] = {i: output[i - 1] for i in positions(strings[k])}
        return [states[k] for k in range(len(strings))]

    def weight(self, trees: Sequence[Any]) -> torch.Tensor:
        """f(t) for each tree: the state of its root times α."""
        roots = [states[1] for states in self.states(trees)]
        rows = torch.stack(roots) if roots else self.tokens.new_zeros((0, len(self.initial)))
        weights: torch.Tensor = rows @ self.initial.to(rows.dtype)
        return weights

    def forward(self, strings: torch.Tensor) -> torch.Tensor:
        """States (batch, |str(t)|, n) for tokens (batch, |str(t)|)."""
        count = strings.shape[-1]
        check_fits(count, self.length, "tree", "tokens")
        most = len(self.alphabet) + 1
        if (bad := number_out_of_range(strings, most)) is not None:
            raise InputError("token", bad, f"a number from 0 to {most}, the closing bracket")
        if self.current_pass() is PassKind.FUSED and not strings.is_meta:
            try:
                return self._fused(strings)
            except (NoTree, RuntimeError):  # no string of a tree, or no values to read: vmap
                pass
        self.warn_of_scores()
        end = strings.new_full((*strings.shape[:-1], 1), self.tokens.shape[0] - 1)
        rows = self.tokens[torch.cat([strings, end], dim=-1)] + self.places[: count + 1]
        output: torch.Tensor = self.transformer(rows)
        return output[..., :count, :]

    def score_range(self) -> int:
        """T³: a bound of the scores, whose gap is 1."""
        return int(self.length) ** 3

    def _fused(self, strings: torch.Tensor) -> torch.Tensor:
        """The states by the routing that the brackets give."""
        opening = len(self.alphabet)
        rows = strings.reshape(-1, strings.shape[-1]).tolist()
        tree = passes_trees.brackets(rows, opening, opening + 1)
        leaves = self.tokens[strings.flatten(), self._state.start : self._state.stop]
        states = self._evaluate(leaves, tree, self.tensor.to(leaves.dtype), self._layers)
        return states.reshape(*strings.shape, -1)


def longest_string(simulation: AnyTreeSimulation) -> int:
    """The largest |str(t)| = 3N - 2 that the length allows."""
    length = (
        simulation.length
        if isinstance(simulation, theorem3.TreeSimulation)
        else (simulation.plan.length)
    )
    return 3 * most_leaves(length) - 2


class Tables:
    """The embedding as the sum of a table of tokens and a table of positions."""

    def __init__(self, simulation: AnyTreeSimulation) -> None:
        self.simulation = simulation
        layout = _layout(simulation)
        self.state = layout["state"]
        self.positional = {c for name in layout if name in POSITIONAL for c in layout[name]}

    def tokens(self) -> list[list[Entry]]:
        """A row for each letter, for the two brackets and for the end token, last."""
        any_letter, *_ = letters = self.simulation.automaton.alphabet
        rows = [self._part(self.simulation.encode([letter])[0], False) for letter in letters]
        _, end = self.simulation.encode([any_letter])
        opening, closing = end, end
        if longest_string(self.simulation) > 1:
            pair = tokens((any_letter, any_letter))
            opening, _, _, closing, end = self.simulation.encode(pair)
        return [*rows, *(self._part(row, False) for row in (opening, closing, end))]

    def places(self) -> list[list[Entry]]:
        """A row for each position, that of the end token included."""
        any_letter, *_ = self.simulation.automaton.alphabet
        leaves = (longest_string(self.simulation) + 2) // 3
        rows = self.simulation.encode(tokens(comb([any_letter] * leaves)))
        return [self._part(row, True) for row in rows]

    def _part(self, row: Sequence[Entry], positional: bool) -> list[Entry]:
        return [value if (c in self.positional) is positional else 0 for c, value in enumerate(row)]


def _layout(simulation: AnyTreeSimulation) -> Any:
    if isinstance(simulation, theorem3.TreeSimulation):
        return theorem3.layout(simulation.automaton.n)
    return simulation.plan.layout()


def _dense_tensor(simulation: AnyTreeSimulation, arithmetic: Torch) -> torch.Tensor:
    """The automaton's tensor, zeros included."""
    rows = [[w for row in rows for w in row] for rows in simulation.automaton.tensor]
    n = simulation.automaton.n
    return arithmetic.array(rows).reshape(n, n, n)


def with_units(simulation: AnyTreeSimulation, units: HiddenUnits) -> AnyTreeSimulation:
    """The simulation with an MLP in every layer, in place of its products."""
    layout = simulation.plan.layout
    one = (layout() if callable(layout) else layout).at("one")
    return replace(simulation, transformer=smooth_transformer(simulation.transformer, units, one))


def to_torch(
    simulation: AnyTreeSimulation, dtype: torch.dtype = torch.float64, dense: bool = False
) -> TreeModule:
    """The simulation as a module; with `dense` it always computes all scores of a head.

    Examples:
        >>> from constructions.automata.wta import WTA
        >>> pairs = WTA.of([1], [[[1]]], {"a": [2], "b": [3]})
        >>> to_torch(logdepth.build(pairs, 7)).weight(["[a [a b]]", "b"]).tolist()
        [12.0, 3.0]

    """
    return TreeModule(simulation, dtype, dense)
