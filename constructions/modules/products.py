"""The gradients of all weights of Theorem 1's module, written out at the construction's weights.

Claimed       in layer l row p of the tokens holds (P_p, P_p, position), and the block makes of it
              C_p = L R with L = P_{p-s}, R = P_p, s = 2^(l-1). Where every weight is the construction's,
              all gradients of a layer are made of sums over rows: Lᵀ dL, Lᵀ dR, Rᵀ dL, Rᵀ dR, the same with
              positions in place of L and R, and L_ik R_kj dC_ij, where dL = dC Rᵀ and dR = Lᵀ dC
Constructs    forward   the products of all windows, layer by layer, of the rows that a state depends on:
                        from 2^l - 1 on after layer l, so that no row wraps around
              backward  these sums, one product of matrices a layer, put where each weight has them:
                        W_V of both heads, W_O, the selections, the tensor and W_out of the bilinear block
Cost          for N rows a layer: a product of (2n² + 4) × N and N × 2n² numbers, three of N matrices of
              n × n, and n³N products of three numbers; d² weights a matrix without zeros and copies
Numbers       those of the dense pass up to rounding: sums over rows are taken in another order. Hard
              attention gives queries and keys no gradient, and positions the gradient 0
Limits        second derivatives (`create_graph`) and those in forward mode are those of the routed pass,
              which is run for them

Notation      n states, d = 2n² + 2, M span, T letters, B words; windows (rows, B, n, n)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from operator import attrgetter
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.forward_ad import unpack_dual
from torch.func import functional_call
from torch.nn import functional

from constructions.modules.passes import PassKind

FORMATS = (torch.float64, torch.float32)
TERMS_AT_ONCE = 1 << 19  # of the gradient of a tensor, which fit a processor's cache
READOUT, LAYERS = "transformer.readout", "transformer.layers"
WEIGHTS = (
    "combine",
    *(f"heads.{side}.value" for side in ("left", "right")),
    *(f"feedforward.{name}" for name in ("left", "right", "tensor", "output")),
)
Gradients = dict[str, Tensor]


def window_products(maps: Tensor, depth: int) -> list[Tensor]:
    """After each layer the products of the rows that a state depends on, from the maps of all rows."""
    windows = [maps]
    for layer in range(depth):
        step, last = 1 << layer, windows[-1]
        windows.append(last[:-step] @ last[step:])
    return windows


class AllWeights(torch.autograd.Function):
    """States as a function of all weights that have a gradient: `places`, `letters`, `readout`, layers."""

    @staticmethod
    def forward(ctx: Any, call: ProductCall, *weights: Tensor) -> Tensor:
        """States (T + 1, B, n)."""
        windows = window_products(call.maps(), call.depth)
        ctx.call = call
        ctx.save_for_backward(*weights, *windows)
        return (call.alpha() @ windows[-1]).squeeze(-2)

    @staticmethod
    def backward(ctx: Any, *outputs: Tensor) -> Any:
        """The gradient of each weight, None for those that need none."""
        needed = ctx.needs_input_grad[1:]
        weights, windows = ctx.saved_tensors[: len(needed)], ctx.saved_tensors[len(needed) :]
        if torch.is_grad_enabled():
            return None, *_general_gradients(ctx.call, weights, needed, outputs[0])
        found = gradients(ctx.call, windows, outputs[0])
        names = zip(ctx.call.weights, needed, strict=True)
        return None, *(found[name] if wanted else None for name, wanted in names)


def _general_gradients(
    call: ProductCall, weights: tuple[Tensor, ...], needed: tuple[bool, ...], output: Tensor
) -> list[Tensor | None]:
    """The gradients by the general pass, which can be differentiated again."""
    chosen = [weight for weight, wanted in zip(weights, needed, strict=True) if wanted]
    found = iter(torch.autograd.grad(call.general(weights), chosen, output, create_graph=True))
    return [next(found) if wanted else None for wanted in needed]


@dataclass(frozen=True)
class ProductCall:
    """A call of a module with words (B, T), and its weights that have a gradient by name."""

    module: Any
    words: Tensor
    weights: Gradients

    @property
    def depth(self) -> int:
        """The number of layers."""
        return len(self.module.transformer.layers)

    @property
    def letters(self) -> Tensor:
        """The numbers of the letters of all rows (rows, B): M pads, then the word."""
        pad = len(self.module.alphabet)
        return functional.pad(self.words, (self.module.span, 0), value=pad).T

    def general(self, weights: Iterable[Tensor]) -> Tensor:
        """States (T + 1, B, n) of some weights by the routed pass."""
        named = {
            f"module.{name}": weight for name, weight in zip(self.weights, weights, strict=True)
        }
        states: Tensor = functional_call(ByLayers(self.module), named, (self.words,))
        return states.movedim(0, 1)

    @property
    def n(self) -> int:
        """The number of states."""
        return self.weights[READOUT].shape[-1]

    def maps(self) -> Tensor:
        """The matrices of all rows (rows, B, n, n)."""
        return self.weights["letters"][self.letters].reshape(*self.letters.shape, self.n, self.n)

    def alpha(self) -> Tensor:
        """α as a row, read from the readout of the right block."""
        square = self.n * self.n
        return self.weights[READOUT][square : 2 * square : self.n, :1].T

    def states(self) -> Tensor:
        """States (T + 1, B, n), with gradients of all weights."""
        states: Tensor = AllWeights.apply(self, *self.weights.values())  # type: ignore[no-untyped-call]
        return states


class ByLayers(nn.Module):
    """A module by its routed pass, in which weights can be exchanged."""

    def __init__(self, module: Any) -> None:
        super().__init__()
        self.module = module

    def forward(self, words: Tensor) -> Tensor:
        """States (B, T + 1, n)."""
        states: Tensor = self.module.by_layers(words, PassKind.ROUTED)
        return states


def product_states(module: Any, words: Tensor) -> Tensor | None:
    """States (…, T + 1, n) with gradients of all weights; None inside transformations of functions."""
    weights = weights_with_gradients(module)
    if _is_hidden(words) or any(map(_has_tangent, weights.values())):
        return None
    flat = words.reshape(prod(words.shape[:-1]), words.shape[-1])
    call = ProductCall(module, flat, weights)
    states = call.states().movedim(0, 1)
    return states.reshape(*words.shape[:-1], *states.shape[1:])


def _has_tangent(weight: Tensor) -> bool:
    """True if forward-mode differentiation follows this weight."""
    return unpack_dual(weight).tangent is not None  # type: ignore[no-untyped-call]


def _is_hidden(words: Tensor) -> bool:
    """True if a transformation of functions, as `vmap`, hides the numbers."""
    try:
        words.data_ptr()
    except RuntimeError:
        return True
    return False


def weights_with_gradients(module: Any) -> Gradients:
    """All weights of a module but its queries and keys, by name."""
    names = [
        "letters",
        "places",
        READOUT,
        *(
            f"{LAYERS}.{k}.{name}"
            for k in range(len(module.transformer.layers))
            for name in WEIGHTS
        ),
    ]
    return {name: attrgetter(name)(module) for name in names}


def gradients(call: ProductCall, windows: Sequence[Tensor], output: Tensor) -> Gradients:
    """The gradients of all weights, from that of the states (T + 1, B, n)."""
    n, places = call.n, call.weights["places"]
    last, first = windows[-1], (1 << call.depth) - 1
    block = _over_rows(last, output)
    where = _over_rows(_positions(places, first, last), output)
    found = {"places": torch.zeros_like(places), READOUT: torch.cat([block, block, where])}
    change = call.alpha().T * output.unsqueeze(-2)
    own, other = torch.zeros(n * n, n * n).to(block), _outer(block, call.alpha())
    for layer in reversed(range(call.depth)):
        step, before = 1 << layer, windows[layer]
        found |= _with_layer_names(
            layer, {"feedforward.output": _pad_positions(torch.cat([own, other], -1))}
        )
        parts = LayerGradients.of(before[:-step], before[step:], change, places, step)
        indices = call.module.transformer.layers[layer].feedforward.tensor_indices
        found |= _with_layer_names(layer, parts.by_name(indices))
        own, other = parts.left[:, : n * n], parts.right[:, n * n :]
        change = torch.zeros_like(before)
        change[:-step] += parts.changes[0]
        change[step:] += parts.changes[1]
    flat = change.reshape(-1, n * n)
    letters = torch.zeros_like(call.weights["letters"])
    return found | {"letters": letters.index_add(0, call.letters.flatten(), flat)}


@dataclass(frozen=True)
class LayerGradients:
    """The blocks of which a layer's gradients are made; rows of weights by columns (dL, dR)."""

    left: Tensor
    right: Tensor
    left_place: Tensor
    right_place: Tensor
    tensor: Tensor
    changes: tuple[Tensor, Tensor]

    @classmethod
    def of(
        cls, left: Tensor, right: Tensor, change: Tensor, places: Tensor, step: int
    ) -> LayerGradients:
        """From L, R and dC (rows, B, n, n), and the positions of all rows."""
        changes = change @ right.mT, left.mT @ change
        positions = [_positions(places, first, left) for first in (step - 1, 2 * step - 1)]
        factors = torch.cat([left.flatten(-2), right.flatten(-2), *positions], -1)
        blocks = _over_rows(factors, torch.cat([part.flatten(-2) for part in changes], -1))
        square = left.shape[-1] ** 2
        tensor = _tensor_gradient(*(x.flatten(0, 1) for x in (left, right, change)))
        own, other, *where = torch.split(blocks, [square, square, 2, 2])
        return cls(own, other, where[0], where[1], tensor, changes)

    def by_name(self, indices: Tensor) -> Gradients:
        """The gradients of the layer's weights; `indices` are those of the tensor's entries."""
        n = len(self.tensor)
        none = torch.zeros_like(self.left)
        positions = torch.zeros_like(self.left_place)
        head = [self.left, none, positions]
        joined = torch.cat([*head, none, self.right, positions])
        ahead, back = torch.cat([self.left, self.right, positions]).chunk(2, -1)
        return {
            "combine": _pad_positions(joined),
            "heads.left.value": _pad_positions(torch.cat([self.left, self.left, self.left_place])),
            "heads.right.value": _pad_positions(
                torch.cat([self.right, self.right, self.right_place])
            ),
            "feedforward.left": ahead,
            "feedforward.right": back,
            "feedforward.tensor": self.tensor.flatten()[indices[:, 0] * n + indices[:, 1] % n],
        }


def _with_layer_names(layer: int, found: Gradients) -> Gradients:
    return {f"{LAYERS}.{layer}.{name}": gradient for name, gradient in found.items()}


def _pad_positions(block: Tensor) -> Tensor:
    """With the columns of the two positions, which nothing reads."""
    return functional.pad(block, (0, 2))


def _positions(places: Tensor, first: int, rows: Tensor) -> Tensor:
    """The positions of as many rows as there are, from the first on, for each word (rows, B, 2)."""
    return places[first : first + len(rows)].unsqueeze(1).expand(-1, rows.shape[1], -1)


def _over_rows(factors: Tensor, changes: Tensor) -> Tensor:
    """Σ factorᵀ · change over rows and words."""
    left, right = (x.flatten(2).flatten(0, 1) for x in (factors, changes))
    return left.T @ right


def _outer(block: Tensor, alpha: Tensor) -> Tensor:
    """Σ Pᵀ dC from Σ Pᵀ ds, where dC = α ds."""
    return (alpha.reshape(-1, 1) * block.unsqueeze(1)).flatten(1)


def _tensor_gradient(left: Tensor, right: Tensor, change: Tensor) -> Tensor:
    """Σ L_ik R_kj dC_ij over rows (rows, n, n), as (i, k, j)."""
    n = left.shape[-1]
    total = torch.zeros(n, n, n).to(left)
    together = max(1, TERMS_AT_ONCE // n**3)
    for parts in zip(*(torch.split(x, together) for x in (left, right, change)), strict=True):
        one, two, three = parts
        total += (one.unsqueeze(-1) * two.unsqueeze(-3) * three.unsqueeze(-2)).sum(0)
    return total
