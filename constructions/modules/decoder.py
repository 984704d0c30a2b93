"""A decoder as an ordinary `torch.nn.Module`: words of different lengths in one batch.

Use           `DecoderModule(simulation)(module.encode(["abba", "ab"]))` gives a state for each token;
              words are padded on the right, and a causal model never looks there
Passes        `dense=True` is the definition: all scores of a head at once. Without it the module
              takes a pass of `constructions.modules.passes_decoder` where its weights are those of
              `decoder.build`, and says which (`current_pass`) and why (`pass_reason`): `fused` for gated
              blocks where no gradient is needed and no hook is registered, with the units replaced by a
              product of matrices; else `routed` for hard attention, `band` for soft attention without
              gradients at lengths from 512 on, and `blocks`, the definition with hard attention
              in blocks of rows, which decoders behind a norm always take. A hook on a part moves an
              answer by rounding at most (`submodules`)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from constructions.arithmetic.blocks import fits_one_block
from constructions.arithmetic.torch import Torch
from constructions.automata.trees import string
from constructions.automata.wfa import WFA, letters, word_list
from constructions.core.errors import InputError
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
        self.transformer = TransformerModule(simulation.transformer, dtype, dense)
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
            blocks
            >>> with torch.no_grad():
            ...     print(module.current_pass())
            fused

        """
        if self._dense:
            return PassKind.DENSE
        routing = self._routing
        if routing is None or self.places.dtype not in self._widths or not self.is_unchanged():
            return PassKind.BLOCKS
        if routing.gated and not (torch.compiler.is_compiling() or self._is_observed()):
            return PassKind.FUSED
        if routing.hard:
            return PassKind.ROUTED
        few_scores = fits_one_block(self.places, self.places)
        return PassKind.BLOCKS if self.needs_gradients() or few_scores else PassKind.BAND

    def _is_observed(self) -> bool:
        """True if a gradient is needed or a hook is registered."""
        return self.needs_gradients() or self.has_listeners()

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
        if count > self.places.shape[0]:
            most = self.places.shape[0] - 1
            raise InputError("word", f"{count - 1} letters", f"at most {most}, the length")
        if (bad := number_out_of_range(tokens, self.tokens.shape[0] - 1)) is not None:
            raise InputError("token", bad, f"a number from 0 to {self.tokens.shape[0] - 1}")
        x, taken = self.tokens[tokens] + self.places[:count], self.current_pass()
        if taken is PassKind.FUSED:
            return self._fused(x)
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
        if routing is None or taken is PassKind.BLOCKS:
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
