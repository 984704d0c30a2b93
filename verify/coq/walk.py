"""The weights of a built transformer, under the names that the proofs give them.

What is walked is the object that runs: `build(…).transformer`, layer by layer, head by head, with
W_O, the feed-forward block, the readout and the coordinates that are written anew; and the tokens
that `encode` makes. Nothing is taken from the functions that made it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from constructions.core.matrix import Entry, Matrix
from constructions.core.transformer import MLP, Bilinear, Layer, Transformer
from verify.coq.printed import Entries, Unit, Unread, Weight, form

Rows = Sequence[Sequence[Entry]]
Blocks = Callable[[Layer[Matrix]], dict[str, Weight]]


def walk(model: Transformer[Matrix], rows: Rows, blocks: Blocks) -> dict[str, Weight]:
    """All weights of a model and its embedded tokens; `blocks` names those of a feed-forward."""
    found: dict[str, Weight] = {"readout": model.readout, "embedding": Matrix.dense(rows)}
    for place, layer in enumerate(model.layers):
        name = f"layer {place}"
        found[f"{name} combine"] = layer.combine
        found |= {f"{name} {part}": weight for part, weight in blocks(layer).items()}
        for k, head in enumerate(layer.heads):
            found[f"{name} head {k} query"] = head.query
            found[f"{name} head {k} key"] = head.key
            found[f"{name} head {k} value"] = head.value
            found[f"{name} head {k} attention"] = f"{head.attention.value} {head.mask.value}"
    return found


def encoding(model: Transformer[Matrix], rows: Rows) -> Matrix:
    """What is written anew after each layer: some coordinates of the embedding."""
    kept = set(model.positions)
    return Matrix.dense([[x if c in kept else 0 for c, x in enumerate(row)] for row in rows])


def renewed(model: Transformer[Matrix], rows: Rows) -> Matrix:
    """The coordinates that are written anew after each layer, as a matrix that picks them."""
    places = list(model.positions)
    return Matrix((len(rows[0]), len(places)), {(c, k): 1 for k, c in enumerate(places)})


def bilinear_parts(layer: Layer[Matrix]) -> dict[str, Weight]:
    """W_sel on both sides, the tensor and W_out of a bilinear block."""
    block = layer.feedforward
    if not isinstance(block, Bilinear):
        raise Unread("expected a bilinear block")
    return {
        "left select": block.left,
        "right select": block.right,
        "tensor": block.tensor,
        "output": block.output,
    }


def products(layer: Layer[Matrix]) -> dict[str, Weight]:
    """The coefficients of x_a x_b in coordinate c of a bilinear block's output."""
    block = layer.feedforward
    if not isinstance(block, Bilinear):
        raise Unread("expected a bilinear block")
    left, right = block.left.columns(), block.right.columns()
    outward = block.output.transpose.columns()
    total: Entries = {}
    for (a, b, c), weight in block.tensor.entries.items():
        for i, x in left[a].items():
            for j, y in right[b].items():
                for k, z in outward[c].items():
                    total[i, j, k] = total.get((i, j, k), 0) + weight * x * y * z
    return {"products": {place: value for place, value in total.items() if value != 0}}


def mlp_parts(layer: Layer[Matrix]) -> dict[str, Weight]:
    """W_1, b, W_2, c and the activation of an MLP."""
    block = mlp(layer)
    return {
        "hidden": block.hidden,
        "bias": Matrix.dense([list(block.bias)]),
        "output": block.output,
        "offset": Matrix.dense([list(block.offset)]),
        "activation": block.activation,
    }


def units(layer: Layer[Matrix]) -> dict[str, Weight]:
    """The hidden units of an MLP, whatever their order."""
    block = mlp(layer)
    if any(value != 0 for value in block.offset):
        raise Unread("expected an MLP without an offset")
    sides = block.hidden.columns(), block.bias, block.output.transpose.columns()
    found = Counter(
        Unit(form(reads.items()), bias, form(writes.items()))
        for reads, bias, writes in zip(*sides, strict=True)
    )
    return {"units": found, "activation": block.activation}


def mlp(layer: Layer[Matrix]) -> MLP[Matrix]:
    """The MLP of a layer."""
    if not isinstance(layer.feedforward, MLP):
        raise Unread("expected an MLP")
    return layer.feedforward
