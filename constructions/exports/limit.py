"""One size limit for every model: how many bytes its weights would take, before any are made.

Estimated     all entries of all dense matrices as they are stored, from n, T and the order alone; n are
              the states after the reduction that the export does. For words within a tenth; the units of
              a logarithm count once they are chosen. For trees an upper end, as for a tensor without zeros
Limit         MOST_BYTES of weights, and LONGEST tokens, whose table of positions is made in exact
              numbers. Writing a model takes about three times its weights in memory
Remedies      changes of the order that would stay below the limit, and `large`, which builds it anyway
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from constructions import decoder_tree, logdepth, theorem1, theorem3
from constructions.core.errors import InputError
from constructions.exports import tokenizer
from constructions.exports.build import decoder_length
from constructions.exports.order import DTYPES, GATED, MLP, NGRAM_FORMATS, PRODUCT, Order
from constructions.language_model import SPECIALS

MOST_BYTES, LONGEST = 1 << 30, 1 << 14
SIZE = dict(zip(DTYPES, (8, 4, 2), strict=True))


def decoder_sizes(
    n: int, order: Order, words: bool, symbols: int = 1, units: int | None = None
) -> dict[str, int]:
    """The sizes of a decoder for n states, in the class of its format.

    `units` are those of a symbol's logarithm, 0 while they are not chosen, None in a model without them.
    """
    target = order.target
    if not words:
        return target.stored(decoder_tree.sizes(n, order.length), n)
    design = target.design(order.activation, order.plain, order.levels or 1)
    length = min(decoder_length(order), order.window or order.length + 1)
    size = target.decoder_sizes(n, length, design, symbols) | {"context": decoder_length(order) + 1}
    if units is None:
        digital = order.language and order.plain
        return target.stored(size | ({"d_mlp": 2 * n**3 + 4 * n * n} if digital else {}), n)
    if not target.normalised:
        size |= {"layers": size["layers"] + 1, "d_model": size["d_model"] + symbols}
    return target.stored(size | {"d_mlp": max(size["d_mlp"], symbols * units + 2)}, n)


def weights(
    n: int,
    symbols: int,
    order: Order,
    words: bool,
    units: int | None = None,
    outputs: int | None = None,
) -> int:
    """Return the number of weights of a model of a settled order; `outputs` are n where not given."""
    if order.decoder:
        size = decoder_sizes(n, order, words, symbols, units)
        outputs = symbols + SPECIALS if order.language else 1 if order.minimise else outputs or n
        return _decoder(size, symbols + (1 if words else 3), outputs, order)
    if words:
        return _words(n, symbols, order)
    return _tree(n, order) if order.construction == "tree" else _logdepth(n, order)


def _decoder(size: dict[str, int], tokens: int, outputs: int, order: Order) -> int:
    """Heads, blocks of three or two matrices, norms or biases; embeddings and readout."""
    d, layers, target = size["d_model"], size["layers"], order.target
    heads, block = size["heads"] * size["d_head"], 3 if order.feedforward == GATED else 2
    matrices = layers * d * (4 * heads + block * size["d_mlp"])
    if target.norm == "none":
        biases = layers * (3 * heads + size["d_mlp"] + 2 * d) + outputs
        return matrices + biases + d * (size["context"] + tokens + outputs)
    tables = 2 * max(tokens + len(tokenizer.SPECIALS), outputs)
    if target.rotary:  # and no table of positions
        return matrices + d * (layers * (4 if target.normalised else 2) + 1 + tables)
    return matrices + layers * (9 * d + size["d_mlp"]) + d * (2 + size["context"] + tables)


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


def model_size(n: int, symbols: int, order: Order, words: bool, *more: int | None) -> int:
    """Return the bytes of the weights; `more` as in `weights`."""
    return SIZE[order.dtype] * weights(n, symbols, order, words, *more)


def checked_size(n: int, symbols: int, order: Order, words: bool, *more: int | None) -> None:
    """Refuse, before memory is taken, a model of a settled order that is too large."""
    if order.large:
        return
    if order.length > LONGEST:
        raise InputError("length", order.length, f"at most {LONGEST}, or large=True")

    def size(other: Order) -> int:
        return model_size(n, symbols, other, words, *more)

    if size(order) > MOST_BYTES:
        what = f"{n} states at length {order.length}, about {readable(size(order))} of weights"
        remedies = ", ".join(_remedies(order, words, lambda other: size(other) <= MOST_BYTES))
        raise InputError("automaton", what, f"at most {readable(MOST_BYTES)}: {remedies}")


def _remedies(order: Order, words: bool, fits: Callable[[Order], bool]) -> list[str]:
    """Return changes with which the order stays below the limit, then some that may help, then --large."""
    remedies = []
    if order.dtype == "float64" and fits(replace(order, dtype="float32")):
        remedies.append("dtype=float32 is enough")
    if order.decoder and words and not (order.minimise or order.language):
        remedies.append("minimise=True may need fewer states")
    if order.language and order.format not in NGRAM_FORMATS:
        remedies.append("format=gpt2 needs less if a few last letters give the state")
    if not order.decoder and fits(replace(order, feedforward=PRODUCT)):
        remedies += ["feedforward=exact fits"] if order.feedforward == MLP else []
    lengths = [1 << k for k in range(1, order.length.bit_length()) if 1 << k < order.length]
    shorter = [length for length in lengths if fits(replace(order, length=length))]
    remedies += [f"length={shorter[-1]} fits"] if shorter else []
    return [*remedies, "large=True builds it anyway"]


def readable(size: int) -> str:
    """A number of bytes in GB or MB, of which 1 GB has 2^30."""
    return f"{size / 2**30:.3g} GB" if size >= 1 << 30 else f"{size / 2**20:.3g} MB"
