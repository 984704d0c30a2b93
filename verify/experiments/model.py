"""The trained model: PyTorch's TransformerEncoder between an embedding and a linear readout.

The encoder layer of PyTorch has residual connections, layer norms and biases, which the
transformer of Section 2.4 and the constructions do not have, and a ReLU feed-forward block.

Positions  `index`       the position 0, 1, … overwrites the last coordinate of the embedding
           `sinusoidal`  the usual sines and cosines are added
           `learned`     a vector for each position is added; unknown beyond the trained length
           `none`        nothing: the model cannot tell positions apart
"""

import math

import torch
from torch import Tensor, nn

from constructions.errors import InputError
from verify.experiments.settings import Settings


class Simulator(nn.Module):
    """Words (N, T) to states (N, T, n)."""

    def __init__(self, settings: Settings, symbols: int, states: int) -> None:
        super().__init__()
        self.settings = settings
        self.embedding = nn.Embedding(symbols, settings.width)
        layer = nn.TransformerEncoderLayer(
            settings.width,
            settings.heads,
            settings.feedforward,
            float(settings.dropout),
            activation=settings.activation,
            batch_first=True,
        )
        self.encoder = nn.TransformerEncoder(layer, settings.layers, enable_nested_tensor=False)
        self.readout = nn.Linear(settings.width, states)
        if settings.positions == "learned":
            self.places = nn.Parameter(torch.randn(settings.length, settings.width) / 10)
        if settings.initial == "fresh":
            self._redraw()

    def _redraw(self) -> None:
        """Draw every layer anew: PyTorch copies one layer L times, with equal weights."""
        for parameter in self.encoder.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)

    def forward(self, words: Tensor) -> Tensor:
        """The predicted states."""
        tokens = self.place(self.embedding(words))
        mask = _causal_mask(words.shape[1]) if self.settings.causal else None
        output = self.readout(self.encoder(tokens, mask))
        if self.settings.readout == "softmax":
            return torch.softmax(output, dim=-1)
        return torch.as_tensor(output)

    def place(self, tokens: Tensor) -> Tensor:
        """Tell the tokens where they stand."""
        length = tokens.shape[1]
        kind = self.settings.positions
        if kind == "index":
            index = torch.arange(length, dtype=tokens.dtype)[None, :, None]
            return torch.cat([tokens[..., :-1], index.expand(len(tokens), -1, -1)], dim=-1)
        if kind == "sinusoidal":
            return tokens + sinusoids(length, self.settings.width)
        if kind == "learned":
            if length > len(self.places):
                raise InputError("length", length, f"at most {len(self.places)}, as learned")
            return tokens + self.places[:length]
        return tokens


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
