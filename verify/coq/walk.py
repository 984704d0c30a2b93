"""The weights of a built transformer, under the names that the proofs give them.

The object that runs is walked, `build(…).transformer`, layer by layer, head by head, with W_O, the
feed-forward block, the readout, all biases, residual connections, normalisations and the coordinates
that are supplied again after each layer; and the tokens that `encode` returns. The functions that made
it are not used. A part with a field that is not walked is refused (`FIELDS`); a bias that is not zero is
a weight that a proof without biases does not have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

from constructions.core.matrix import Entry, Matrix
from constructions.core.transformer import MLP, Bilinear, Gated, Head, Layer, Norm, Transformer
from verify.coq.printed import Entries, Unit, Unread, Weight, form

Rows = Sequence[Sequence[Entry]]
Blocks = Callable[[Layer[Matrix]], dict[str, Weight]]


# All fields of a model; the name of a head is a label.
FIELDS: dict[type, set[str]] = {
    Transformer: {"layers", "readout", "positions", "bias", "norm"},
    Layer: {"heads", "combine", "feedforward", "residual", "norm", "after"},
    Head: {"query", "key", "value", "attention", "mask", "name", "bias"},
    Bilinear: {"left", "right", "tensor", "output"},
    MLP: {"hidden", "bias", "activation", "output", "offset"},
    Gated: {"inward", "gate", "activation", "output"},
}
ENCODER = {" stream": "not added to, not normalised", "before the readout": "not normalised"}
DECODER = {" stream": "added to, not normalised", "before the readout": "not normalised"}


def check_fields(part: Any) -> None:
    """Refuse a part of a model that has other fields than those that are walked."""
    names = {field.name for field in fields(part)}
    if strangers := sorted(names ^ FIELDS.get(type(part), set())):
        raise Unread(f"{type(part).__name__} has a field {strangers[0]} that is not compared")


def walk(
    model: Transformer[Matrix], rows: Rows, blocks: Blocks, biases: bool = False
) -> dict[str, Weight]:
    """Return all weights of a model and its embedded tokens; `blocks` names those of a block.

    Biases that are zero are left out, unless the proof prints them too.
    """
    check_fields(model)
    weights: dict[str, Weight] = {"readout": model.readout, "embedding": Matrix.dense(rows)}
    weights["before the readout"] = normalised(model.norm)
    weights |= bias_of("readout bias", model.bias, model.readout.shape[1], biases)
    for place, layer in enumerate(model.layers):
        weights |= walk_layer(f"layer {place}", layer, blocks, biases)
    return weights


def walk_layer(name: str, layer: Layer[Matrix], blocks: Blocks, biases: bool) -> dict[str, Weight]:
    """Return the weights of one layer."""
    check_fields(layer)
    check_fields(layer.feedforward)
    added = "added to" if layer.residual else "not added to"
    weights: dict[str, Weight] = {
        f"{name} combine": layer.combine,
        f"{name} stream": f"{added}, {normalised(layer.norm)}{normalised_after(layer)}",
        **{f"{name} {part}": weight for part, weight in blocks(layer).items()},
    }
    for k, head in enumerate(layer.heads):
        check_fields(head)
        label = f"{name} head {k}"
        weights[f"{label} query"] = head.query
        weights[f"{label} key"] = head.key
        weights[f"{label} value"] = head.value
        weights[f"{label} attention"] = f"{head.attention.value} {head.mask.value}"
        weights |= bias_of(f"{label} bias", head.bias, head.query.shape[1], biases)
    return weights


def normalised(norm: Norm | None) -> str:
    """Return the normalisation of tokens in words."""
    return "not normalised" if norm is None else f"normalised: {norm}"


def normalised_after(layer: Layer[Matrix]) -> str:
    """Return in words how a layer's additions are normalised; "" if they are not, as in all proofs."""
    return "" if layer.after is None else f", normalised behind its blocks: {layer.after}"


def bias_of(name: str, bias: Sequence[Entry] | None, width: int, always: bool) -> dict[str, Weight]:
    """Return a bias as a matrix of one row, under its name; nothing for zeros, unless `always`."""
    if not always and not any(value != 0 for value in bias or ()):
        return {}
    return {name: Matrix.dense([list(bias or (0,) * width)])}


def encoding(model: Transformer[Matrix], rows: Rows) -> Matrix:
    """Return the embedding's coordinates that are supplied again after each layer."""
    columns = set(model.positions)
    return Matrix.dense([[x if c in columns else 0 for c, x in enumerate(row)] for row in rows])


def renewed(model: Transformer[Matrix], rows: Rows) -> Matrix:
    """Return the matrix that picks the coordinates supplied again after each layer."""
    places = list(model.positions)
    return Matrix((len(rows[0]), len(places)), {(c, k): 1 for k, c in enumerate(places)})


def bilinear_parts(layer: Layer[Matrix]) -> dict[str, Weight]:
    """Return W_sel on both sides, the tensor and W_out of a bilinear block."""
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
    """Return the coefficients of x_a x_b in coordinate c of a bilinear block's output."""
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
    """Return W_1, b, W_2, c and the activation of an MLP."""
    block = mlp(layer)
    return {
        "hidden": block.hidden,
        "bias": Matrix.dense([list(block.bias)]),
        "output": block.output,
        "offset": Matrix.dense([list(block.offset)]),
        "activation": block.activation,
    }


def units(layer: Layer[Matrix]) -> dict[str, Weight]:
    """Return the hidden units of an MLP, without their order."""
    block = mlp(layer)
    if any(value != 0 for value in block.offset):
        raise Unread("expected an MLP without an offset")
    sides = block.hidden.columns(), block.bias, block.output.transpose.columns()
    hidden = Counter(
        Unit(form(reads.items()), bias, form(writes.items()))
        for reads, bias, writes in zip(*sides, strict=True)
    )
    return {"units": hidden, "activation": block.activation}


def mlp(layer: Layer[Matrix]) -> MLP[Matrix]:
    """Return the MLP of a layer; refuse another block."""
    if not isinstance(layer.feedforward, MLP):
        raise Unread("expected an MLP")
    return layer.feedforward
