"""An ordinary `torch.nn.Module` made of a construction: save it, load it, train it further.

Constructs    one parameter for every weight matrix, tensor and bias of a transformer, in modules with
              names (`submodules`); the forward pass is that of `constructions.core.transformer`
Use           `to_torch(simulation)(torch.tensor([[0, 1, 1]]))` gives the states of a word whose
              letters are given by their number in the alphabet
Passes        `dense=True` is the definition: all scores of a head at once. Without it the module
              takes the fastest pass of `constructions.modules.passes` that its weights allow and says
              which (`current_pass`) and why (`pass_reason`): `recurrence` where no gradient is needed,
              `fused` where that of the letters is, `routed` where those of other weights are,
              `circulant` for soft attention on long words, `dense` where weights were changed or a
              hook is registered
Numbers       `fused` and `recurrence` multiply the maps that the tokens hold, in the order of the layers
              or letter by letter. They are the transformer's as its heads are known to copy these
              maps and its blocks to multiply them (`passes.word_routing` compares the exact weights);
              in floating point the passes differ by rounding, within one certificate for all
Gradients     `train_letters` leaves those of the letters alone: those of the definition up to
              rounding, for the price of a recurrence's. Those of all weights are sums over all tokens
              for each of d² entries of every matrix

    module = to_torch(theorem1.build(automaton, 8))
    torch.save(module.state_dict(), "model.pt")

Whether weights were changed is seen by their version counters, which an edit through `.data` leaves
alone: call `recheck` after one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from constructions.arithmetic.floats import nearest_float
from constructions.arithmetic.torch import Torch
from constructions.automata.wfa import letters, word_list
from constructions.core.errors import InputError, check_fits, symbol_numbers
from constructions.core.transformer import Transformer
from constructions.modules import passes, recurrence
from constructions.modules.construction import (
    GRADIENTS,
    ConstructionModule,
    Versions,
    number_out_of_range,
    versions,
)
from constructions.modules.passes import PassKind
from constructions.modules.submodules import TransformerModule, has_hooks, is_same_weight, parts
from constructions.theorem1 import WordSimulation, identity, position

Turn = Callable[[Transformer[Any]], Transformer[Any]]


class SequenceModule(ConstructionModule):
    """A simulation of a WFA: letters by number in, all T + 1 states out."""

    final: torch.Tensor
    routes: torch.Tensor
    softmax_row: torch.Tensor

    def __init__(
        self, simulation: WordSimulation, dtype: torch.dtype = torch.float64, dense: bool = False
    ) -> None:
        super().__init__()
        arithmetic = Torch(dtype)
        self.alphabet = simulation.automaton.alphabet
        self.length, self.span = simulation.length, simulation.span
        self.letters = nn.Parameter(arithmetic.array(_letters(simulation)))
        self._places = [position(t, simulation.span) for t in simulation.positions]
        self.places = nn.Parameter(arithmetic.array(self._places))
        self.transformer = TransformerModule(simulation.transformer, dtype)
        self._dense, self._routing = dense, None if dense else passes.word_routing(simulation)
        self._store(simulation, dtype)
        self._seen = versions(parts(self))

    def _store(self, simulation: WordSimulation, dtype: torch.dtype) -> None:
        """Store the attention targets as buffers, which are no part of the saved weights."""
        routing, n = self._routing, simulation.automaton.n
        routes, row = torch.empty(0), torch.empty(0)
        if routing is not None and routing.saturation is not None:
            weights = passes.softmax_row(routing.saturation, self.span)
            row = torch.tensor(weights, dtype=torch.float64)
        elif routing is not None:
            routes = passes.routes(len(simulation.transformer.layers), self.span)
        final = torch.tensor(
            [nearest_float(w) for w in simulation.automaton.beta], dtype=torch.float64
        )
        self.register_buffer("final", final, persistent=False)
        self.register_buffer("routes", routes, persistent=False)
        self.register_buffer("softmax_row", row, persistent=False)
        self._alpha = (slice(n * n, 2 * n * n, n), 0)

    def as_built(self) -> bool:
        """True if all weights but the letters' are the construction's."""
        exact = self.transformer.arithmetic.array(self._places)
        return (
            self._pad_is_identity()
            and is_same_weight(self.places, exact)
            and self.transformer.as_built()
        )

    def _pad_is_identity(self) -> bool:
        """True if the last letter is vec(I)."""
        n = self.transformer.readout.shape[-1]
        pad = torch.eye(n, dtype=self.letters.dtype, device=self.letters.device).flatten()
        return torch.equal(self.letters[-1], pad)

    def _compare(self, current: Versions) -> None:
        """Compare weights; where only letters were written, as a step of training does, the pad."""
        (places, counts), (own, seen) = current, self._seen
        if self._same and places == own and counts[1:] == seen[1:]:
            self._seen, self._same = current, self._pad_is_identity()
        else:
            self.recheck()

    def current_pass(self) -> PassKind:
        """The pass that a call would take now.

        Examples:
            >>> from constructions import theorem1
            >>> from constructions.automata.families import counting
            >>> module = to_torch(theorem1.build(counting(), 1024))
            >>> with torch.no_grad():
            ...     print(module.current_pass())
            recurrence

        """
        found = parts(self)
        if self._routing is None or has_hooks(found[1:]) or not self._unchanged(found):
            return PassKind.DENSE
        if self._routing.saturation is not None:
            general = self.needs_gradients() or self.has_few_scores()
            return PassKind.DENSE if general else PassKind.CIRCULANT
        general = torch.compiler.is_compiling() or not self._routing.products
        if general or self.needs_gradients(besides=self.letters):
            return PassKind.ROUTED
        return PassKind.RECURRENCE if self._can_take_recurrence() else PassKind.FUSED

    def score_range(self) -> int:
        """1 / (1 - cos(π/M)) is at most M²/2."""
        return self.span**2 // 2

    def pass_reason(self) -> str:
        """Reason for the pass that a call would take now, in a few words."""
        reason = super().pass_reason()
        if reason == GRADIENTS and not self.needs_gradients(besides=self.letters):
            return "gradients of the letters alone are needed"
        return reason

    def _can_take_recurrence(self) -> bool:
        """True if no gradients are needed and the letters have a device and a type for it."""
        letters = self.letters
        known = letters.device.type == "cpu" and letters.dtype in recurrence.FORMATS
        return known and not self.needs_gradients()

    def train_letters(self) -> SequenceModule:
        """Leave gradients of the letters alone, which keep the fast pass.

        The pass stays as long as the pad, the last letter, is not changed.

        Examples:
            >>> from constructions import theorem1
            >>> from constructions.automata.families import counting
            >>> module = to_torch(theorem1.build(counting(), 4)).train_letters()
            >>> module.weight(["0100"]).sum().backward()
            >>> print(module.current_pass(), module.letters.grad[0].tolist())
            fused [3.0, 1.0, 3.0, 3.0]

        """
        self.requires_grad_(False)
        self.letters.requires_grad_()
        return self

    def encode(self, words: Sequence[Sequence[str]]) -> torch.Tensor:
        """Words as numbers of letters; shorter ones are padded on the right, which moves no state.

        Examples:
            >>> from constructions import theorem1
            >>> from constructions.automata.families import counting
            >>> to_torch(theorem1.build(counting(), 4)).encode(["01", "0100"]).tolist()
            [[0, 1, 2, 2], [0, 1, 0, 0]]

        """
        rows = [symbol_numbers("word", letters(word, self.alphabet), self.alphabet)
                for word in word_list(words)]  # fmt: skip
        longest, pad = max(map(len, rows), default=0), len(self.alphabet)
        check_fits(longest, self.length)
        padded = [[*row, *[pad] * (longest - len(row))] for row in rows]
        return torch.tensor(padded, dtype=torch.int64).reshape(len(rows), longest)

    def states(self, words: Sequence[Sequence[str]]) -> list[torch.Tensor]:
        """For each word its T + 1 states; lengths may differ.

        Examples:
            >>> from constructions import theorem1
            >>> from constructions.automata.families import counting
            >>> module = to_torch(theorem1.build(counting(), 4))
            >>> [states[:, 0].tolist() for states in module.states(["01", "0100"])]
            [[0.0, 1.0, 1.0], [0.0, 1.0, 1.0, 2.0, 3.0]]

        """
        given = word_list(words)
        outputs = self(self.encode(given))
        return [output[: len(word) + 1] for output, word in zip(outputs, given, strict=True)]

    def weight(self, words: Sequence[Sequence[str]]) -> torch.Tensor:
        """f(x) for each word: its last state times β."""
        weights: torch.Tensor = self(self.encode(words))[:, -1] @ self.final.to(self.letters.dtype)
        return weights

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        """States (batch, T + 1, n) for letters (batch, T)."""
        taken = self.current_pass()
        if taken is PassKind.RECURRENCE and (states := self._recurrence(words)) is not None:
            return states
        if taken in (PassKind.FUSED, PassKind.RECURRENCE):
            return self._fused(self._fitting(words))
        return self.by_layers(words, taken)

    def by_layers(self, words: torch.Tensor, taken: PassKind) -> torch.Tensor:
        """The states by the forward pass of a transformer, with its heads or with others."""
        self.warn_of_scores()
        turn: Turn | None = None
        if taken is PassKind.ROUTED:
            turn = lambda model: passes.with_pointed_heads(model, self.routes)  # noqa: E731
        elif taken is PassKind.CIRCULANT:
            turn = lambda model: passes.with_convolved_heads(model, self.softmax_row)  # noqa: E731
        output: torch.Tensor = self.transformer(self.embed(words), turn)
        return output[..., self.span - 1 : self.span + words.shape[-1], :]

    def _fused(self, words: torch.Tensor) -> torch.Tensor:
        alpha = self.transformer.readout[self._alpha]
        n, gradients = len(alpha), self.needs_gradients()
        start = torch.stack([alpha, self._change_by_pad(alpha)]) if gradients else alpha[None]
        maps = functional.embedding(words.movedim(-1, 0), self.letters)
        states = passes.fused_states(maps.reshape(*maps.shape[:-1], n, n), start).movedim(0, -3)
        if not gradients:
            return states.squeeze(-2)
        pads = self.span - torch.arange(words.shape[-1] + 1, device=alpha.device)
        own, moved = states.unbind(-2)
        return own + pads.unsqueeze(-1) * moved

    def _change_by_pad(self, alpha: torch.Tensor) -> torch.Tensor:
        """Change of α by one pad P = I before a word: αᵀ(P - I), which is 0 with a derivative.

        Before state t there are M - t pads, and (αᵀPᵏ)' = k αᵀP' at P = I.
        """
        n = len(alpha)
        pad = self.letters[-1].reshape(n, n)
        return alpha @ (pad - torch.eye(n, dtype=pad.dtype, device=pad.device))

    def _recurrence(self, words: torch.Tensor) -> torch.Tensor | None:
        """The states letter by letter; None inside of torch transformations that hide the numbers."""
        *batch, length = words.shape
        try:
            numbers = self._fitting(words).numpy().reshape(prod(batch), length)
        except RuntimeError:
            return None
        alpha = self.transformer.readout.detach().numpy()[self._alpha]
        n = len(alpha)
        maps = self.letters.detach().numpy().reshape(-1, n, n)
        states = recurrence.recurrent_states(maps, alpha, numbers).swapaxes(0, 1)
        return torch.from_numpy(states.reshape(*batch, length + 1, n))

    def _fitting(self, words: torch.Tensor) -> torch.Tensor:
        count = words.shape[-1]
        check_fits(count, self.length)
        if (bad := number_out_of_range(words, self.letters.shape[0] - 1)) is not None:
            most = len(self.alphabet)
            raise InputError("letter", bad, f"a number from 0 to {most - 1}, or {most} for a pad")
        return words

    def embed(self, words: torch.Tensor) -> torch.Tensor:
        """Tokens (batch, 2T, d): pads, the word, pads, each with its position."""
        count = self._fitting(words).shape[-1]
        around, pad = (self.span, self.span - count), self.letters.shape[0] - 1
        tokens = self.letters[functional.pad(words, around, value=pad)]
        places = self.places.expand(*tokens.shape[:-1], 2)
        return torch.cat([tokens, tokens, places], dim=-1)


def to_torch(
    simulation: WordSimulation, dtype: torch.dtype = torch.float64, dense: bool = False
) -> SequenceModule:
    """The simulation as a module in the given floating-point type.

    Without `dense` the module takes the fastest pass that gives the same states
    (`SequenceModule.current_pass`). Without gradients this may be the automaton's own recurrence, letter
    by letter, which evaluates no attention. `dense=True` forces the transformer's pass, with all scores
    of a head at once.

    Examples:
        >>> from constructions import theorem1
        >>> from constructions.automata.families import counting
        >>> to_torch(theorem1.build(counting(), 8)).weight(["0100", "11", ""]).tolist()
        [3.0, 0.0, 0.0]

    """
    return SequenceModule(simulation, dtype, dense)


def _letters(simulation: WordSimulation) -> list[list[Any]]:
    """vec(A^σ) for every letter, and vec(I) for the pad, last."""
    automaton = simulation.automaton
    matrices = [automaton.matrix(symbol) for symbol in automaton.alphabet]
    return [[w for row in rows for w in row] for rows in [*matrices, identity(automaton.n)]]
