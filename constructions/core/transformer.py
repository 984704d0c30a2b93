"""The transformer of Section 2.4, with one forward pass for every arithmetic.

Claimed       a layer is multi-head attention followed by a feed-forward block, no residuals
Constructs    heads softmax(X W_Q W_Kᵀ Xᵀ) X W_V, hard or soft, joined by W_O; then a bilinear
              layer (Section 2.5) or an MLP; at the end a linear readout
Decoders      what people run has more, all of it optional here: residual connections around both
              blocks, a bias of the queries and of the readout, a gated block, a normalisation of
              the tokens before each block and before the readout, or of what each block adds
Notation      N tokens (rows of X), d embedding dimension, k width of queries and keys
Unlike print  hard attention with ties is undefined in the paper: `HARD` refuses a tie,
              `SATURATED` averages over the maximisers; masks are optional; positional
              coordinates can be written anew after each layer, as the proofs assume

A weight is of type W: exact data (`Matrix`, `Tensor`) in a construction, and whatever an
arithmetic makes of it when the model runs. The pass is written once, in `Transformer.states`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any, Generic, Protocol, TypeVar

from constructions.core.matrix import Entry, Matrix, Tensor

W = TypeVar("W")
Array = Any


class Attention(StrEnum):
    """Map from scores to attention weights: the unique maximum, all maxima alike, or softmax."""

    HARD = "hard"
    SATURATED = "saturated"
    SOFT = "soft"


class Mask(StrEnum):
    """Set of positions j that a position i may attend to."""

    NONE = "none"
    CAUSAL = "causal"
    ANTICAUSAL = "anticausal"
    SELF = "self"

    def visible(self, i: int, count: int) -> range:
        """The positions, of `count` in all, that position i may attend to."""
        match self:
            case Mask.CAUSAL:
                return range(i + 1)
            case Mask.ANTICAUSAL:
                return range(i, count)
            case Mask.SELF:
                return range(i, i + 1)
            case _:
                return range(count)


class Tie(ArithmeticError):
    """A row of scores without a unique maximum, where hard attention wants one."""


class Arithmetic(Protocol):
    """The operations that the forward pass needs of an arithmetic."""

    def weight(self, matrix: Matrix) -> Any:
        """A weight matrix, realised."""

    def tensor(self, tensor: Tensor) -> Any:
        """A tensor, realised."""

    def row(self, values: Sequence[Entry]) -> Any:
        """A row of biases, realised."""

    def array(self, rows: Sequence[Sequence[Entry]]) -> Array:
        """Embedded tokens, realised."""

    def apply(self, x: Array, weight: Any) -> Array:
        """X W."""

    def scores(self, queries: Array, keys: Array) -> Array:
        """Q Kᵀ."""

    def mix(self, scores: Array, values: Array, attention: Attention, mask: Mask) -> Array:
        """The attended values."""

    def join(self, parts: Sequence[Array]) -> Array:
        """Heads side by side."""

    def contract(self, tensor: Any, left: Array, right: Array) -> Array:
        """T ×₁ X_left ×₂ X_right, row by row."""

    def shift(self, x: Array, row: Any) -> Array:
        """A bias added to every row."""

    def activate(self, name: str, x: Array) -> Array:
        """An activation function, entry by entry."""

    def renew(self, x: Array, source: Array, columns: range) -> Array:
        """X with some columns taken from the embedding."""

    def normalise(self, x: Array, norm: Norm) -> Array:
        """Each row divided by its root mean square, times the gain; optionally centred first."""


@dataclass(frozen=True)
class Norm:
    """LayerNorm (`centred`) or RMSNorm: gain · x / √(mean of x² + ε), one gain for all."""

    centred: bool
    gain: Entry
    epsilon: Entry = 0

    def __call__(self, arithmetic: Arithmetic, x: Array) -> Array:
        """The normalised tokens."""
        return arithmetic.normalise(x, self)


class Part:
    """A head or a feed-forward block: its weights are the fields that are matrices, tensors or rows."""

    def weights(self) -> dict[str, Any]:
        """The weights by the names of their fields."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]
        return {name: w for name, w in found.items() if isinstance(w, (Matrix, Tensor, tuple))}

    def realised(self, arithmetic: Arithmetic) -> Any:
        """The part with its exact weights turned into those of an arithmetic."""
        given = {name: realised_weight(w, arithmetic) for name, w in self.weights().items()}
        return replace(self, **given)  # type: ignore[type-var]


def realised_weight(weight: Any, arithmetic: Arithmetic) -> Any:
    """A matrix, a tensor or a row of biases in an arithmetic."""
    if isinstance(weight, Matrix):
        return arithmetic.weight(weight)
    return arithmetic.tensor(weight) if isinstance(weight, Tensor) else arithmetic.row(weight)


@dataclass(frozen=True)
class Head(Part, Generic[W]):
    """One attention head: W_Q, W_K of d × k and W_V of d × v, b_Q of k numbers or none."""

    query: W
    key: W
    value: W
    attention: Attention = Attention.HARD
    mask: Mask = Mask.NONE
    name: str = ""
    bias: Any = None

    def scores(self, arithmetic: Arithmetic, x: Array) -> Array:
        """(X W_Q + b_Q) W_Kᵀ Xᵀ."""
        queries = arithmetic.apply(x, self.query)
        if self.bias is not None:
            queries = arithmetic.shift(queries, self.bias)
        return arithmetic.scores(queries, arithmetic.apply(x, self.key))

    def attend(self, arithmetic: Arithmetic, x: Array) -> Array:
        """softmax(X W_Q W_Kᵀ Xᵀ) X W_V, or its hard form."""
        values = arithmetic.apply(x, self.value)
        if self.mask is Mask.SELF:
            return values
        return arithmetic.mix(self.scores(arithmetic, x), values, self.attention, self.mask)


@dataclass(frozen=True)
class Bilinear(Part, Generic[W]):
    """T ×₁ (x W_left) ×₂ (x W_right), then W_out: the bilinear layer of Section 2.5."""

    left: W
    right: W
    tensor: Any
    output: W

    def __call__(self, arithmetic: Arithmetic, x: Array) -> Array:
        """The block's output, row by row."""
        left, right = arithmetic.apply(x, self.left), arithmetic.apply(x, self.right)
        return arithmetic.apply(arithmetic.contract(self.tensor, left, right), self.output)


@dataclass(frozen=True)
class MLP(Part, Generic[W]):
    """σ(x W_1 + b) W_2 + c: one hidden layer, row by row."""

    hidden: W
    bias: Any
    activation: str
    output: W
    offset: Any

    def __call__(self, arithmetic: Arithmetic, x: Array) -> Array:
        """The block's output, row by row."""
        hidden = arithmetic.shift(arithmetic.apply(x, self.hidden), self.bias)
        active = arithmetic.activate(self.activation, hidden)
        return arithmetic.shift(arithmetic.apply(active, self.output), self.offset)


@dataclass(frozen=True)
class Gated(Part, Generic[W]):
    """((x W_in) ∘ σ(x W_gate)) W_out: the gated block of SwiGLU, GEGLU and ReGLU, without biases."""

    inward: W
    gate: W
    activation: str
    output: W

    def __call__(self, arithmetic: Arithmetic, x: Array) -> Array:
        """The block's output, row by row."""
        gate = arithmetic.activate(self.activation, arithmetic.apply(x, self.gate))
        return arithmetic.apply(arithmetic.apply(x, self.inward) * gate, self.output)


@dataclass(frozen=True)
class Layer(Generic[W]):
    """f_mlp ∘ f_attn: heads, joined by W_O, then a feed-forward block.

    With `residual` each block's output is added to what came in; `norm` comes before each block,
    `after` has the norms of what attention adds and of what the block adds.
    """

    heads: tuple[Head[W], ...]
    combine: W
    feedforward: Bilinear[W] | MLP[W] | Gated[W]
    residual: bool = False
    norm: Norm | None = None
    after: tuple[Norm, Norm] | None = None

    def attend(self, arithmetic: Arithmetic, x: Array) -> Array:
        """The attention block f_attn."""
        if not self.heads:
            return x
        read = x if self.norm is None else self.norm(arithmetic, x)
        joined = arithmetic.join([head.attend(arithmetic, read) for head in self.heads])
        added = arithmetic.apply(joined, self.combine)
        added = added if self.after is None else self.after[0](arithmetic, added)
        return x + added if self.residual else added

    def __call__(self, arithmetic: Arithmetic, x: Array) -> Array:
        """The layer's output."""
        return self.feed(arithmetic, self.attend(arithmetic, x))

    def feed(self, arithmetic: Arithmetic, x: Array) -> Array:
        """The feed-forward block f_mlp, row by row."""
        read = x if self.norm is None else self.norm(arithmetic, x)
        added = self.feedforward(arithmetic, read)
        added = added if self.after is None else self.after[1](arithmetic, added)
        return x + added if self.residual else added


@dataclass(frozen=True)
class Transformer(Generic[W]):
    """L layers, then a readout; `positions` are written anew after each layer."""

    layers: tuple[Layer[W], ...]
    readout: W
    positions: range = range(0)
    bias: Any = None
    norm: Norm | None = None

    def states(self, arithmetic: Arithmetic, x: Array) -> Iterator[Array]:
        """The forward pass: the embedding, then the tokens after each layer."""
        start = x
        yield x
        for layer in self.layers:
            x = arithmetic.renew(layer(arithmetic, x), start, self.positions)
            yield x

    def __call__(self, arithmetic: Arithmetic, x: Array) -> Array:
        """The readout after the last layer."""
        for state in self.states(arithmetic, x):
            last = state
        return self.read(arithmetic, last)

    def outputs_at(self, arithmetic: Arithmetic, x: Array, rows: slice) -> Array:
        """The readout of some tokens, for which alone the last block runs: it acts row by row."""
        if not self.layers:
            return self.read(arithmetic, x[rows])
        before, last = replace(self, layers=self.layers[:-1]), self.layers[-1]
        for state in before.states(arithmetic, x):
            tokens = state
        output = last.feed(arithmetic, last.attend(arithmetic, tokens)[rows])
        return self.read(arithmetic, arithmetic.renew(output, x[rows], self.positions))

    def read(self, arithmetic: Arithmetic, x: Array) -> Array:
        """The readout of tokens."""
        last = x if self.norm is None else self.norm(arithmetic, x)
        output = arithmetic.apply(last, self.readout)
        return output if self.bias is None else arithmetic.shift(output, self.bias)


def realise(model: Transformer[Matrix], arithmetic: Arithmetic) -> Transformer[Any]:
    """The model with its exact weights turned into those of an arithmetic."""
    layers = tuple(realise_layer(layer, arithmetic) for layer in model.layers)
    bias = None if model.bias is None else arithmetic.row(model.bias)
    readout = arithmetic.weight(model.readout)
    return Transformer(layers, readout, model.positions, bias, model.norm)


def realise_layer(layer: Layer[Matrix], arithmetic: Arithmetic) -> Layer[Any]:
    """One layer with its exact weights turned into those of an arithmetic."""
    return replace(
        layer,
        heads=tuple(head.realised(arithmetic) for head in layer.heads),
        combine=arithmetic.weight(layer.combine),
        feedforward=layer.feedforward.realised(arithmetic),
    )


def run(
    model: Transformer[Matrix],
    arithmetic: Arithmetic,
    rows: Sequence[Sequence[Entry]],
    rows_read: slice = slice(None),
) -> Array:
    """Readout of the model on embedded tokens, in the given arithmetic, at the chosen rows."""
    return realise(model, arithmetic).outputs_at(arithmetic, arithmetic.array(rows), rows_read)
