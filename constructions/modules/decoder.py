"""A decoder as an ordinary `torch.nn.Module`: words of different lengths in one batch.

Use           `DecoderModule(simulation)(module.encode(["abba", "ab"]))` gives a state for each token;
              words are padded on the right, and a causal model never looks there
Passes        `dense` is the definition: all scores of a head at once. The module takes it where weights
              were changed, a hook is registered or a norm is in the way; elsewhere a pass of
              `constructions.modules.passes_decoder`: `fused` for gated blocks without gradients, with
              the units replaced by a product of matrices; else `routed` for hard attention, and `band`
              for soft attention without gradients at lengths from 512 on. `current_pass` says which,
              `pass_reason` why
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from constructions.arithmetic.torch import Torch
from constructions.automata.trees import string
from constructions.automata.wfa import WFA, letters, word_list
from constructions.core.errors import InputError, check_fits
from constructions.modules import passes_decoder
from constructions.modules.construction import ConstructionModule, number_out_of_range, versions
from constructions.modules.passes import PassKind
from constructions.modules.submodules import TransformerModule, is_same_weight, parts
from constructions.modules.word_module import Turn


class DecoderModule(ConstructionModule):
    """A decoder for words or trees: tokens by number in, BOS first, one output for each out.

    Examples:
        >>> from constructions import decoder
        >>> from constructions.automata.families import counting
        >>> module = DecoderModule(decoder.build(counting(), 4, saturation=40))
        >>> [round(states[-1, 0].item(), 6) for states in module.states(["0100", "0"])]
        [3.0, 1.0]

    """

    def __init__(
        self, simulation: Any, dtype: torch.dtype = torch.float64, dense: bool = False
    ) -> None:
        super().__init__()
        arithmetic = Torch(dtype)
        self.simulation = simulation
        self.tokens = nn.Parameter(arithmetic.array(simulation.token_rows()))
        self.places = nn.Parameter(arithmetic.array(simulation.position_rows()))
        self.transformer = TransformerModule(simulation.transformer, dtype)
        self._dense, self._routing = (
            dense,
            None if dense else passes_decoder.decoder_routing(simulation),
        )
        self._widths = {} if self._routing is None else self._routing.widths()
        self._seen = versions(parts(self))

    def as_built(self) -> bool:
        """True if all weights are the construction's; letters of words may have other windows."""
        layout, array = self.simulation.layout, self.transformer.arithmetic.array
        free = layout["window"] if "window" in layout else range(0)
        fixed = [c for c in range(layout.size) if c not in free]
        return (
            is_same_weight(self.tokens[:, fixed], array(self.simulation.token_rows())[:, fixed])
            and is_same_weight(self.places, array(self.simulation.position_rows()))
            and self.transformer.as_built()
        )

    def current_pass(self) -> PassKind:
        """The pass that a call would take now.

        Examples:
            >>> from constructions import decoder
            >>> from constructions.automata.families import counting
            >>> module = DecoderModule(decoder.build(counting(), 512, saturation=20))
            >>> print(module.current_pass())
            dense
            >>> with torch.no_grad():
            ...     print(module.current_pass())
            fused

        """
        routing = self._routing
        if routing is None or self.places.dtype not in self._widths:
            return PassKind.DENSE
        if self.has_listeners() or not self.is_unchanged():
            return PassKind.DENSE
        if routing.gated and not (torch.compiler.is_compiling() or self.needs_gradients()):
            return PassKind.FUSED
        if routing.hard:
            return PassKind.ROUTED
        general = self.needs_gradients() or self.has_few_scores()
        return PassKind.DENSE if general else PassKind.BAND

    def score_range(self) -> int:
        """T²: a bound of the scores, whose gap is 1."""
        return int(self.places.shape[0]) ** 2

    def encode(self, words: Sequence[Sequence[str]]) -> torch.Tensor:
        """BOS and the letters of each word by number, padded with BOS on the right.

        Examples:
            >>> from constructions import decoder
            >>> from constructions.automata.families import counting
            >>> DecoderModule(decoder.build(counting(), 4)).encode(["01", "0"]).tolist()
            [[2, 0, 1], [2, 0, 2]]

        """
        rows = [self.simulation.tokens(self.symbols(word)) for word in word_list(words)]
        longest = max((len(row) for row in rows), default=1)
        pad = self.simulation.bos
        padded = [row + [pad] * (longest - len(row)) for row in rows]
        return torch.tensor(padded, dtype=torch.int64).reshape(len(rows), longest)

    def symbols(self, word: Any) -> tuple[str, ...]:
        """The letters of a word, or str(t) of a tree in any of its forms."""
        automaton = self.simulation.automaton
        if isinstance(automaton, WFA):
            return letters(word, automaton.alphabet)
        return string(word)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Outputs (batch, t, m) for tokens (batch, t)."""
        count = tokens.shape[-1]
        check_fits(count - 1, self.places.shape[0] - 1)
        if (bad := number_out_of_range(tokens, self.tokens.shape[0] - 1)) is not None:
            raise InputError("token", bad, f"a number from 0 to {self.tokens.shape[0] - 1}")
        x, taken = self.tokens[tokens] + self.places[:count], self.current_pass()
        if taken is PassKind.FUSED:
            return self._fused(x)
        self.warn_of_scores()
        output: torch.Tensor = self.transformer(x, self._turn(taken))
        return output

    def _fused(self, x: torch.Tensor) -> torch.Tensor:
        model, arithmetic = self.transformer.model(), self.transformer.arithmetic
        width = self._widths[self.places.dtype]
        last = passes_decoder.fused_tokens(x, model, arithmetic, self._routing, width)
        output: torch.Tensor = model.read(arithmetic, last)
        return output

    def _turn(self, taken: PassKind) -> Turn | None:
        """Function that replaces the heads of the model in a pass, or None."""
        routing = self._routing
        if routing is None or taken is PassKind.DENSE:
            return None
        width = self._widths[self.places.dtype]
        return lambda model: passes_decoder.with_banded_heads(model, routing, width)

    def states(self, words: Sequence[Sequence[str]]) -> list[torch.Tensor]:
        """The outputs of each word, without those of its padding.

        Examples:
            >>> from constructions import decoder
            >>> from constructions.automata.families import counting
            >>> [found.shape[0] for found in DecoderModule(decoder.build(counting(), 4)).states(["01", ""])]
            [3, 1]

        """
        given = word_list(words)
        outputs = self(self.encode(given))
        counts = [len(self.symbols(word)) + 1 for word in given]
        return [output[:count] for output, count in zip(outputs, counts, strict=True)]
