"""An ordinary `torch.nn.Module` made of a construction: save it, load it, train it further.

Constructs    one parameter for every weight matrix, tensor and bias of a transformer; the
              forward pass is the one of `constructions.transformer`
Use           `to_torch(simulation)(torch.tensor([[0, 1, 1]]))` gives the states of a word whose
              letters are given by their number in the alphabet
Two passes    hard attention looks at a block of rows at a time (`arithmetic.blocks`), so that long
              words need neither the time nor the memory of all scores at once; `dense=True` is the
              reference, which holds them. Weights and states are the same

    module = to_torch(theorem1.build(automaton, 8))
    torch.save(module.state_dict(), "model.pt")
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from constructions.arithmetic.blocks import Blocks
from constructions.arithmetic.torch import Torch
from constructions.errors import InputError
from constructions.matrix import Matrix
from constructions.theorem1 import Simulation, identity, position
from constructions.transformer import (
    MLP,
    Bilinear,
    Gated,
    Layer,
    Transformer,
    realise,
)


class TransformerModule(nn.Module):
    """A transformer's weights as parameters; the pass itself is `Transformer.__call__`."""

    def __init__(
        self, model: Transformer[Matrix], dtype: torch.dtype = torch.float64, dense: bool = False
    ) -> None:
        super().__init__()
        self.arithmetic: Torch = Torch(dtype) if dense else Blocks(dtype)
        self.weights = nn.ParameterDict()
        self._model = _named(realise(model, self.arithmetic), self._keep)

    def _keep(self, name: str, weight: Any) -> str | tuple[int, str, str]:
        """Store a weight under a name and return the name."""
        if isinstance(weight, tuple):
            size, indices, values = weight
            self.register_buffer(f"{name}_indices".replace(".", "_"), indices)
            self.weights[name.replace(".", "_")] = nn.Parameter(values)
            return size, f"{name}_indices".replace(".", "_"), name.replace(".", "_")
        self.weights[name.replace(".", "_")] = nn.Parameter(weight)
        return name.replace(".", "_")

    def _fetch(self, _: str, name: Any) -> Any:
        if isinstance(name, tuple):
            size, indices, values = name
            return size, getattr(self, indices), self.weights[values]
        return self.weights[name]

    def model(self) -> Transformer[Any]:
        """The transformer with the parameters as they are now."""
        return _named(self._model, self._fetch)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The readout for embedded tokens (…, N, d)."""
        output: torch.Tensor = self.model()(self.arithmetic, x)
        return output


class SequenceModule(nn.Module):
    """A simulation of a WFA: letters by number in, all T + 1 states out."""

    def __init__(
        self, simulation: Simulation, dtype: torch.dtype = torch.float64, dense: bool = False
    ) -> None:
        super().__init__()
        arithmetic = Torch(dtype)
        self.alphabet = simulation.automaton.alphabet
        self.length, self.span = simulation.length, simulation.span
        self.letters = nn.Parameter(arithmetic.array(_letters(simulation)))
        places = [position(t, simulation.span) for t in simulation.positions]
        self.places = nn.Parameter(arithmetic.array(places))
        self.transformer = TransformerModule(simulation.transformer, dtype, dense)

    def encode(self, words: Sequence[Sequence[str]]) -> torch.Tensor:
        """Words of one length as numbers of letters."""
        index = {symbol: i for i, symbol in enumerate(self.alphabet)}
        for word in words:
            for symbol in word:
                if symbol not in index:
                    raise InputError("word", symbol, f"a symbol of {', '.join(self.alphabet)}")
        return torch.tensor(
            [[index[symbol] for symbol in word] for word in words], dtype=torch.int64
        )

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        """States (batch, T + 1, n) for letters (batch, T)."""
        count = words.shape[-1]
        output: torch.Tensor = self.transformer(self.embed(words))
        return output[..., self.span - 1 : self.span + count, :]

    def embed(self, words: torch.Tensor) -> torch.Tensor:
        """Tokens (batch, 2T, d): pads, the word, pads, each with its position."""
        count = words.shape[-1]
        if count > self.length:
            raise InputError("word", f"{count} letters", f"at most {self.length}, the length")
        around, pad = (self.span, self.span - count), self.letters.shape[0] - 1
        tokens = self.letters[functional.pad(words, around, value=pad)]
        places = self.places.expand(*tokens.shape[:-1], 2)
        return torch.cat([tokens, tokens, places], dim=-1)


def to_torch(
    simulation: Simulation, dtype: torch.dtype = torch.float64, dense: bool = False
) -> SequenceModule:
    """The simulation as a module in the given floating-point type.

    Hard attention runs in blocks of rows, fast and small at large T; `dense` asks for the reference
    pass, which holds all scores of a head at once.
    """
    return SequenceModule(simulation, dtype, dense)


def _letters(simulation: Simulation) -> list[list[Any]]:
    """vec(A^σ) for every letter, and vec(I) for the pad, last."""
    automaton = simulation.automaton
    matrices = [automaton.matrix(symbol) for symbol in automaton.alphabet]
    return [[w for row in rows for w in row] for rows in [*matrices, identity(automaton.n)]]


def _named(model: Transformer[Any], visit: Any) -> Transformer[Any]:
    """The model with every weight passed through `visit(name, weight)`."""
    layers = tuple(_named_layer(f"layer{i}", layer, visit) for i, layer in enumerate(model.layers))
    bias = None if model.bias is None else visit("readout.bias", model.bias)
    return replace(model, layers=layers, readout=visit("readout", model.readout), bias=bias)


def _named_layer(name: str, layer: Layer[Any], visit: Any) -> Layer[Any]:
    heads = tuple(
        replace(
            head,
            query=visit(f"{name}.head{i}.query", head.query),
            key=visit(f"{name}.head{i}.key", head.key),
            value=visit(f"{name}.head{i}.value", head.value),
            bias=None if head.bias is None else visit(f"{name}.head{i}.bias", head.bias),
        )
        for i, head in enumerate(layer.heads)
    )
    combine = visit(f"{name}.combine", layer.combine)
    block = _named_block(f"{name}.feedforward", layer.feedforward, visit)
    return replace(layer, heads=heads, combine=combine, feedforward=block)


def _named_block(name: str, block: Any, visit: Any) -> Bilinear[Any] | MLP[Any] | Gated[Any]:
    if isinstance(block, Gated):
        return Gated(
            visit(f"{name}.inward", block.inward),
            visit(f"{name}.gate", block.gate),
            block.activation,
            visit(f"{name}.output", block.output),
        )
    if isinstance(block, Bilinear):
        return Bilinear(
            visit(f"{name}.left", block.left),
            visit(f"{name}.right", block.right),
            visit(f"{name}.tensor", block.tensor),
            visit(f"{name}.output", block.output),
        )
    return MLP(
        visit(f"{name}.hidden", block.hidden),
        visit(f"{name}.bias", block.bias),
        block.activation,
        visit(f"{name}.output", block.output),
        visit(f"{name}.offset", block.offset),
    )
