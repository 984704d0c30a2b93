"""Several models trained at once: the weights of all seeds stacked along a first axis.

A model of this size spends most of its time on the overhead of single operations, so one batched
operation for all seeds is cheaper than one operation for each. The layer below is PyTorch's
encoder layer with its defaults (post-norm, residual connections, dropout on the attention
weights and after each block), written with batched products; a test compares the two.

Notation   S seeds, B words in a batch, T length, d width, H heads
Dropout    keeps an entry if 16 random bits are at least ⌊p 2^16⌋, so the rate 0.2 is 0.199997
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from verify.experiments.network import Simulator, add_positions
from verify.experiments.settings import Settings

Weights = dict[str, Tensor]
DRAWS = 1 << 16
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": functional.relu,
    "gelu": functional.gelu,
}


class Dropout:
    """Dropout masks from a separate generator; inactive during evaluation."""

    def __init__(self, rate: float, seeds: Sequence[int]) -> None:
        self.cut = int(rate * DRAWS)
        self.scale = np.float32(DRAWS / (DRAWS - self.cut))
        self.draws = np.random.default_rng(list(seeds))
        self.active = True

    def __call__(self, x: Tensor) -> Tensor:
        """The tensor with entries set to 0, the others enlarged."""
        if not self.active or self.cut == 0:
            return x
        bits = np.frombuffer(self.draws.bytes(2 * x.numel()), np.uint16)
        kept = np.multiply(bits >= self.cut, self.scale, dtype=np.float32)
        return x * torch.from_numpy(kept).view(x.shape)


class Stack(nn.Module):
    """Words (S, B, T) to states (S, B, T, n), with separate weights for each of the S seeds."""

    def __init__(self, settings: Settings, models: Sequence[Simulator]) -> None:
        super().__init__()
        self.settings = settings
        states = [model.state_dict() for model in models]
        self.weights: Weights = {
            name: torch.stack([state[name] for state in states]).requires_grad_()
            for name in states[0]
        }
        self.dropout = Dropout(float(settings.dropout), settings.seeds)
        self.seen: list[Tensor] = []  # attention weights of the last pass, if kept

    def forward(self, words: Tensor, look: bool = False) -> Tensor:
        """The predicted states; `look` keeps the attention weights (S, B, H, T, T) of each layer."""
        s, b, t = words.shape
        self.seen = []
        chosen = self.weights["embedding.weight"][torch.arange(s)[:, None, None], words]
        x = add_positions(self.settings.positions, chosen).reshape(s, b * t, -1)
        for layer in range(self.settings.layers):
            x = self._layer(x, f"encoder.layers.{layer}.", (s, b, t), look)
        output = self._linear(x, "readout.").view(s, b, t, -1)
        return output.softmax(-1) if self.settings.readout == "softmax" else output

    def _layer(self, x: Tensor, name: str, shape: tuple[int, int, int], look: bool) -> Tensor:
        drop = self.dropout
        x = self._norm(x + drop(self._attention(x, name, shape, look)), f"{name}norm1.")
        hidden = drop(ACTIVATIONS[self.settings.activation](self._linear(x, f"{name}linear1.")))
        return self._norm(x + drop(self._linear(hidden, f"{name}linear2.")), f"{name}norm2.")

    def _attention(self, x: Tensor, name: str, shape: tuple[int, int, int], look: bool) -> Tensor:
        s, b, t = shape
        heads, size = self.settings.heads, self.settings.width // self.settings.heads
        both = self._linear(x, f"{name}self_attn.in_proj_").view(s * b, t, 3, heads, size)
        query, key, value = both.permute(2, 0, 3, 1, 4).reshape(3, s * b * heads, t, size)
        scores = torch.bmm(query, key.transpose(1, 2)) / math.sqrt(size)
        if self.settings.causal:
            scores = scores + torch.full((t, t), -math.inf).triu(1)
        looks = scores.softmax(-1)
        if look:
            self.seen.append(looks.detach().view(s, b, heads, t, t))
        mixed = torch.bmm(self.dropout(looks), value).view(s, b, heads, t, size)
        joined = mixed.transpose(2, 3).reshape(s, b * t, heads * size)
        return self._linear(joined, f"{name}self_attn.out_proj.")

    def _linear(self, x: Tensor, name: str) -> Tensor:
        weight, bias = self.weights[f"{name}weight"], self.weights[f"{name}bias"]
        return torch.baddbmm(bias[:, None], x, weight.transpose(1, 2))

    def _norm(self, x: Tensor, name: str) -> Tensor:
        weight, bias = self.weights[f"{name}weight"], self.weights[f"{name}bias"]
        return functional.layer_norm(x, x.shape[-1:]) * weight[:, None] + bias[:, None]
