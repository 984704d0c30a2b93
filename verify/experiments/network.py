"""The trained model: PyTorch's TransformerEncoder between an embedding and a linear readout.

The encoder layer of PyTorch has residual connections, layer norms and biases, which the
transformer of Section 2.4 and the constructions do not have, and a ReLU feed-forward block.
Embedding and readout are drawn uniformly from [-0.1, 0.1], as in the authors' public code.

Positions  `index`       the position 0, 1, … overwrites the last coordinate of the embedding
           `sinusoidal`  the usual sines and cosines are added
           `none`        nothing: the model cannot tell positions apart
"""

import math

import torch
from torch import Tensor, nn

from verify.experiments.settings import Settings

RANGE = 0.1


class Simulator(nn.Module):
    """Words (N, T) to states (N, T, n)."""

    def __init__(self, settings: Settings, symbols: int, states: int) -> None:
        super().__init__()
        self.settings = settings
        layer = nn.TransformerEncoderLayer(
            settings.width,
            settings.heads,
            settings.feedforward,
            float(settings.dropout),
            activation=settings.activation,
            batch_first=True,
        )
        self.encoder = nn.TransformerEncoder(layer, settings.layers, enable_nested_tensor=False)
        self.embedding = nn.Embedding(symbols, settings.width)
        self.readout = nn.Linear(settings.width, states)
        redraw([self.embedding.weight, self.readout.weight, self.readout.bias])
        if settings.initial == "fresh":
            self._redraw_layers()

    def _redraw_layers(self) -> None:
        """Draw every layer anew: PyTorch copies one layer L times, with equal weights."""
        for parameter in self.encoder.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)

    def forward(self, words: Tensor) -> Tensor:
        """The predicted states."""
        tokens = add_positions(self.settings.positions, self.embedding(words))
        mask = _causal_mask(words.shape[1]) if self.settings.causal else None
        output = self.readout(self.encoder(tokens, mask))
        if self.settings.readout == "softmax":
            return torch.softmax(output, dim=-1)
        return torch.as_tensor(output)


def redraw(parameters: list[Tensor], generator: torch.Generator | None = None) -> None:
    """Embedding and readout drawn anew: matrices uniform, the bias (the one vector) zero."""
    with torch.no_grad():
        for parameter in parameters:
            if parameter.dim() > 1:
                parameter.uniform_(-RANGE, RANGE, generator=generator)
            else:
                parameter.zero_()


def add_positions(kind: str, tokens: Tensor) -> Tensor:
    """Add positions to the tokens (…, T, d) by the chosen encoding."""
    return {"index": _set_index, "sinusoidal": _add_sinusoids, "none": _no_positions}[kind](tokens)


def _no_positions(tokens: Tensor) -> Tensor:
    return tokens


def _set_index(tokens: Tensor) -> Tensor:
    *_, length, _ = tokens.shape
    index = torch.arange(length, dtype=tokens.dtype)[:, None]
    return torch.cat([tokens[..., :-1], index.expand(*tokens.shape[:-1], 1)], dim=-1)


def _add_sinusoids(tokens: Tensor) -> Tensor:
    *_, length, width = tokens.shape
    return tokens + sinusoids(length, width)


def sinusoids(length: int, width: int) -> Tensor:
    """Sines and cosines of t / 10000^(2i/width), interleaved."""
    position = torch.arange(length, dtype=torch.float32)[:, None]
    rate = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
    table = torch.zeros(length, width)
    table[:, 0::2] = torch.sin(position * rate)
    table[:, 1::2] = torch.cos(position * rate[: width // 2])
    return table


def _causal_mask(length: int) -> Tensor:
    return nn.Transformer.generate_square_subsequent_mask(length)
