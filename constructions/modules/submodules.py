"""A transformer as nested torch modules with names, so that hooks and `state_dict` read like the paper.

Constructs    transformer.layers.0.heads.left.query      W_Q of the left head of the first layer
              transformer.layers.0.combine               W_O
              transformer.layers.0.feedforward.tensor    the bilinear layer's tensor; or hidden, bias, …
              transformer.readout
Hooks         heads, feed-forward blocks and layers are modules that are called with the tokens they read,
              so `register_forward_hook` sees what each returns; then heads compute their scores
The pass      is that of `constructions.core.transformer`: a module only lends it its current parameters
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from typing import Any

import torch
from torch import nn

from constructions.arithmetic.torch import Torch
from constructions.core.matrix import Matrix
from constructions.core.transformer import Layer, Transformer, realise


class ModuleAdapter:
    """A module in the place of a part of a transformer, which is called with an arithmetic too."""

    def __init__(self, module: nn.Module) -> None:
        self.module = module

    def __call__(self, arithmetic: Any, x: torch.Tensor) -> torch.Tensor:
        """The output of the module, which uses its own arithmetic."""
        output: torch.Tensor = self.module(x)
        return output


class PartModule(nn.Module):
    """A head or a feed-forward block: its weights as parameters under their own names."""

    def __init__(self, part: Any, arithmetic: Torch) -> None:
        super().__init__()
        self._part, self.arithmetic = part, arithmetic
        self._names: list[str] = []
        self._sizes: dict[str, int] = {}
        for field in fields(part):
            self._keep(field.name, getattr(part, field.name))
        self._part = replace(part, **dict.fromkeys(self._names))

    def _keep(self, name: str, weight: Any) -> None:
        if isinstance(weight, tuple):
            self._sizes[name], indices, weight = weight
            self.register_buffer(f"{name}_indices", indices)
        if isinstance(weight, torch.Tensor):
            self.register_parameter(name, nn.Parameter(weight))
            self._names.append(name)

    def current(self) -> Any:
        """The part with its parameters as they are now."""
        return replace(self._part, **{name: self._weight(name) for name in self._names})

    def _weight(self, name: str) -> Any:
        if name in self._sizes:
            return self._sizes[name], getattr(self, f"{name}_indices"), getattr(self, name)
        return getattr(self, name)


class HeadModule(PartModule):
    """An attention head: maps tokens to the values that they attend to."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """softmax(X W_Q W_Kᵀ Xᵀ) X W_V, or its hard form."""
        output: torch.Tensor = self.current().attend(self.arithmetic, x)
        return output

    def attend(self, _: Any, x: torch.Tensor) -> torch.Tensor:
        """The same, called as the forward pass calls a head."""
        output: torch.Tensor = self(x)
        return output


class FeedForwardModule(PartModule):
    """A bilinear layer, an MLP or a gated block."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The block's output, row by row."""
        output: torch.Tensor = self.current()(self.arithmetic, x)
        return output


class LayerModule(nn.Module):
    """Heads by name, W_O and a feed-forward block."""

    def __init__(self, layer: Layer[Any], arithmetic: Torch) -> None:
        super().__init__()
        self.arithmetic = arithmetic
        heads = zip(head_names(layer), layer.heads, strict=True)
        self.heads = nn.ModuleDict({name: HeadModule(head, arithmetic) for name, head in heads})
        self.combine = nn.Parameter(layer.combine)
        self.feedforward = FeedForwardModule(layer.feedforward, arithmetic)
        self._residual, self._norm, self._after = layer.residual, layer.norm, layer.after

    def current(self) -> Layer[Any]:
        """The layer with its parameters as they are now; its heads and its block are modules."""
        heads: Any = tuple(self.heads.values())
        block: Any = ModuleAdapter(self.feedforward)
        return Layer(heads, self.combine, block, self._residual, self._norm, self._after)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The tokens after the layer."""
        output: torch.Tensor = self.current()(self.arithmetic, x)
        return output


def head_names(layer: Layer[Any]) -> list[str]:
    """A name for each head: its own where that is free, else head0, head1, …"""
    names: list[str] = []
    for number, head in enumerate(layer.heads):
        plain = head.name.isidentifier() and not hasattr(nn.ModuleDict, head.name)
        names.append(head.name if plain and head.name not in names else f"head{number}")
    return names


class TransformerModule(nn.Module):
    """A transformer's weights as parameters; the pass itself is `Transformer.__call__`."""

    def __init__(self, model: Transformer[Matrix], dtype: torch.dtype = torch.float64) -> None:
        super().__init__()
        self.arithmetic = Torch(dtype)
        made = realise(model, self.arithmetic)
        self.layers = nn.ModuleList(LayerModule(layer, self.arithmetic) for layer in made.layers)
        self.readout = nn.Parameter(made.readout)
        self.bias = None if made.bias is None else nn.Parameter(made.bias)
        self._exact = model

    def model(self) -> Transformer[Any]:
        """The transformer with the parameters as they are now."""
        return self._with(tuple(layer.current() for layer in self._layers()))

    def _layers(self) -> Iterator[LayerModule]:
        for layer in self.layers:
            if isinstance(layer, LayerModule):
                yield layer

    def _with(self, layers: Any) -> Transformer[Any]:
        exact = self._exact
        return Transformer(layers, self.readout, exact.positions, self.bias, exact.norm)

    def as_built(self) -> bool:
        """True if every weight is the construction's, rounded to the format."""
        built = dict(TransformerModule(self._exact, self.arithmetic.dtype).named_parameters())
        own = dict(self.named_parameters())
        return own.keys() == built.keys() and all(
            is_same_weight(weight, built[name]) for name, weight in own.items()
        )

    def forward(self, x: torch.Tensor, turn: Any = None) -> torch.Tensor:
        """The readout for embedded tokens (…, N, d); `turn` may exchange the heads."""
        if turn is None:
            return self._call_modules(x)
        output: torch.Tensor = turn(self.model())(self.arithmetic, x)
        return output

    def _call_modules(self, x: torch.Tensor) -> torch.Tensor:
        """The pass that calls every layer, head and block as a module, so that their hooks run."""
        layers = tuple(ModuleAdapter(layer) for layer in self.layers)
        output: torch.Tensor = self._with(layers)(self.arithmetic, x)
        return output


def parts(module: nn.Module) -> list[nn.Module]:
    """The module and all its parts, as `modules` lists them but without their names.

    A deep tree model has thousands, and each call looks for hooks and versions: with names that
    took most of the time of a call.
    """
    modules = [module]
    for part in modules:  # grows on the way
        if part._modules:
            modules += [child for child in part._modules.values() if child is not None]
    return modules


def has_hooks(modules: Iterable[nn.Module]) -> bool:
    """True if a hook is registered on one of these modules."""
    return any(
        module._forward_hooks or module._forward_pre_hooks
        or module._backward_hooks or module._backward_pre_hooks
        for module in modules
    )  # fmt: skip


def is_same_weight(weight: torch.Tensor, exact: torch.Tensor) -> bool:
    """True if a weight is an exact one, rounded to its format."""
    return torch.equal(weight, exact.to(device=weight.device, dtype=weight.dtype))
