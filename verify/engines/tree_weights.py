"""The weights of layers as plain data, with N a symbol: what the certificates of proofs hold.

Notation      a weight is a list of the coefficients of 1, N, N², … as text, or the name t012 of an
              entry of the tensor; a head is a list of pairs of linear forms, a block a list of
              units [a, b, c, weight]: weight · x_a · x_b is added to coordinate c
"""

from __future__ import annotations

from typing import Any

from constructions.matrix import Matrix
from constructions.theorem3 import END, joined
from constructions.theorem3_variants import free_token
from constructions.transformer import Bilinear
from constructions.trees import CLOSE, OPEN
from verify.engines.tree_proof import Proof
from verify.engines.tree_proof_masked import MaskedProof
from verify.engines.tree_symbols import Symbols, Weights, coordinates, named_row

Plain = Any


def plain_layer(proof: Proof) -> dict[str, Plain]:
    """The three heads, the block and the embedded tokens of the layer without masks."""
    weights = proof.weights
    return {
        "n": proof.n,
        "left": _head(weights, 0),
        "right": _head(weights, 1),
        "own": _head(weights, 2),
        "units": _units(weights),
        "start": {
            name: _start(proof, symbol)
            for name, symbol in (("letter", "a"), ("open", OPEN), ("close", CLOSE), ("end", END))
        },
    }


def plain_masked(proof: MaskedProof) -> dict[str, Plain]:
    """The heads that have scores and the three blocks of the construction with masks."""
    first, second, parse = (proof.weights(kind) for kind in ("first", "second", "parse"))
    return {
        "n": proof.n,
        "previous": _head(first, 1),
        "left": _head(parse, 0),
        "right": _head(parse, 1),
        "first": _units(first),
        "second": _units(second),
        "parse": _units(parse),
    }


def _head(weights: Weights, index: int) -> list[list[dict[str, Plain]]]:
    head, names = weights.layer.heads[index], coordinates(weights.layout)
    forms: list[list[dict[str, Plain]]] = [[{}, {}] for _ in range(head.query.shape[1])]
    for side, matrix in enumerate((head.query, head.key)):
        for (row, k), value in sorted(matrix.entries.items()):
            forms[k][side][names[row]] = _weight(weights.symbols, value)
    return forms


def _units(weights: Weights) -> list[list[Plain]]:
    block = weights.layer.feedforward
    if not isinstance(block, Bilinear):
        raise TypeError("the layer has no bilinear block")
    inputs = coordinates(joined(weights.layout, weights.layer.heads))
    outputs = coordinates(weights.layout)
    left, right = _columns(block.left, inputs), _columns(block.right, inputs)
    return sorted(
        [left[a], right[b], outputs[c], _weight(weights.symbols, value)]
        for (a, b, c), value in block.tensor.entries.items()
    )


def _columns(selector: Matrix, names: list[str]) -> dict[int, str]:
    return {column: names[row] for row, column in selector.entries}


def _start(proof: Proof, symbol: str) -> dict[str, Plain]:
    symbols = proof.symbols
    row = free_token(symbols.automaton, symbol, symbols["i"], symbols["N"])
    named = named_row(proof.layout, row)
    return {x: _weight(symbols, v) for x, v in named.items() if not x.startswith("place")}


def _weight(symbols: Symbols, value: Any) -> Plain:
    """Coefficients of powers of N, or the name of a symbol."""
    polynomial, known = symbols.ring.element(value), symbols.ring.generators
    names = list(known)
    if polynomial in known.values() and str(polynomial) != "N":
        return str(polynomial)
    where, found = names.index("N"), {}
    for powers, coefficient in zip(polynomial.monoms(), polynomial.coeffs(), strict=True):
        if sum(powers) != powers[where]:
            raise ValueError(f"weight {polynomial} depends on more than N")
        found[powers[where]] = str(coefficient)
    return [found.get(k, "0") for k in range(max(found, default=0) + 1)]
