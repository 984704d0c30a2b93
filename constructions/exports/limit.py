"""One size limit for every model: how many bytes its weights would take, before any are made.

Estimated     all entries of all dense matrices as they are stored, from n, T and the order alone.
              Exact for words but for padding; for trees an upper end, as for a tensor without zeros
Limit         MOST_BYTES of weights, and LONGEST tokens, whose table of positions is made in exact
              numbers. Writing a model takes about three times its weights in memory
Remedies      those that would bring this order below the limit, and `large`, which builds it anyway
"""

from __future__ import annotations

from dataclasses import replace

from constructions import decoder_tree, logdepth, theorem1, theorem3
from constructions.core.errors import InputError
from constructions.exports.build import decoder_length
from constructions.exports.order import DTYPES, GATED, MLP, PRODUCT, Order

MOST_BYTES, LONGEST = 1 << 30, 1 << 14
SIZE = dict(zip(DTYPES, (8, 4, 2), strict=True))


def decoder_sizes(n: int, order: Order, words: bool, symbols: int = 1) -> dict[str, int]:
    """The sizes of a decoder for n states, in the class of its format."""
    target = order.target
    if not words:
        return target.stored(decoder_tree.sizes(n, order.length), n)
    design = target.design(order.activation, order.plain, order.levels or 1)
    length = min(decoder_length(order), order.window or order.length + 1)
    return target.stored(target.decoder_sizes(n, length, design, symbols), n)


def weights(n: int, symbols: int, order: Order, words: bool) -> int:
    """How many numbers a model of a settled order holds."""
    if order.decoder:
        size = decoder_sizes(n, order, words, symbols)
        return _decoder(size, symbols + 3, n, order.feedforward == GATED)
    if words:
        return _words(n, symbols, order)
    return _tree(n, order) if order.construction == "tree" else _logdepth(n, order)


def _decoder(size: dict[str, int], tokens: int, outputs: int, gated: bool) -> int:
    """Heads, blocks of three or two matrices, embeddings and readout."""
    heads, block = 4 * size["heads"] * size["d_head"], (3 if gated else 2) * size["d_mlp"]
    biases = 9 * size["d_model"] + heads + size["d_mlp"]
    layers = size["layers"] * (size["d_model"] * (heads + block) + biases)
    return layers + size["d_model"] * (size["context"] + tokens + outputs + 2)


def _words(n: int, symbols: int, order: Order) -> int:
    """Theorem 1's two heads; selectors, the entries of a tensor and W_out, or 4n³ units."""
    d, square = 2 * n * n + 2, n * n
    attention = 2 * (4 * d + d * d) + 2 * d * d
    block = _mlp(4 * n**3, d, d) if order.feedforward == MLP else 3 * d * square + 4 * n**3
    tables = d * n + (symbols + 1) * square + 4 * theorem1.span(order.length)
    return theorem1.depth(order.length) * (attention + block) + tables


def _mlp(units: int, inputs: int, outputs: int) -> int:
    """Two matrices and two biases."""
    return units * (inputs + outputs + 1) + outputs


def _tree(n: int, order: Order) -> int:
    """Theorem 3's parse layers: an entry of a sparse tensor takes four numbers."""
    d, inputs = n + 6, 3 * n + 6
    attention = d * (14 + 2 * n + d) + inputs * inputs
    if order.feedforward == MLP:
        block = _mlp(4 * (order.levels or 1) * (n * n + 2 * n + 4), inputs, d)
    else:
        block = inputs * (2 * n + 8) + 4 * (n**3 + 2 * n + 4) + d * d
    steps = theorem3.greatest_height(order.length)
    return steps * (attention + block) + _preparation(inputs, d, n, order)


def _logdepth(n: int, order: Order) -> int:
    """The step layers: n³ + 2n² + 3n + 17 products."""
    d, inputs, products = n * n + n + 12, 2 * n * n + 4 * n + 17, n**3 + 2 * n * n + 3 * n + 17
    attention = d * (d + 20 + n * n + 3 * n + 5) + inputs * inputs
    if order.feedforward == MLP:
        block = _mlp(4 * (order.levels or 1) * products, inputs, d)
    else:
        block = products * (2 * inputs + d + 4)
    steps = logdepth.depth(order.length) - 2
    return steps * (attention + block) + _preparation(inputs, d, n, order)


def _preparation(inputs: int, d: int, n: int, order: Order) -> int:
    """Two layers that find depths, with a product a coordinate; tokens, positions, the readout."""
    return 2 * (8 * inputs + 64) * inputs + d * (order.length + 9 + n)


def model_size(n: int, symbols: int, order: Order, words: bool) -> int:
    """How many bytes the weights take."""
    return SIZE[order.dtype] * weights(n, symbols, order, words)


def checked_size(n: int, symbols: int, order: Order, words: bool) -> None:
    """Refuse, before memory is taken, a model of a settled order that is too large."""
    if order.large:
        return
    if order.length > LONGEST:
        raise InputError("length", order.length, f"at most {LONGEST}, or large=True")
    size = model_size(n, symbols, order, words)
    if size > MOST_BYTES:
        what = f"{n} states at length {order.length}, about {readable(size)} of weights"
        remedies = ", ".join(_remedies(n, symbols, order, words))
        raise InputError("automaton", what, f"at most {readable(MOST_BYTES)}: {remedies}")


def _remedies(n: int, symbols: int, order: Order, words: bool) -> list[str]:
    """What brings the order below the limit, then what may, then --large."""

    def fits(other: Order) -> bool:
        return model_size(n, symbols, other, words) <= MOST_BYTES

    remedies = []
    if order.dtype == "float64" and fits(replace(order, dtype="float32")):
        remedies.append("dtype=float32 is enough")
    if order.decoder and words and not (order.minimise or order.language):
        remedies.append("minimise=True may need fewer states")
    if not order.decoder and fits(replace(order, feedforward=PRODUCT)):
        remedies += ["feedforward=exact fits"] if order.feedforward == MLP else []
    lengths = [1 << k for k in range(1, order.length.bit_length()) if 1 << k < order.length]
    shorter = [length for length in lengths if fits(replace(order, length=length))]
    remedies += [f"length={shorter[-1]} fits"] if shorter else []
    return [*remedies, "large=True builds it anyway"]


def readable(size: int) -> str:
    """A number of bytes in GB or MB, of which 1 GB has 2^30."""
    return f"{size / 2**30:.3g} GB" if size >= 1 << 30 else f"{size / 2**20:.3g} MB"
