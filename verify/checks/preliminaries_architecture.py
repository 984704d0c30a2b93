"""Sections 2.4 and 2.5: attention, heads, layers, bilinear layers.

Claims        pre.attention.*, pre.transformer.*, pre.bilinear.*
Roads         shapes with names for sizes; the weights of Theorem 1 as built; polynomials
Notation      as in `preliminaries`
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

import sympy

from constructions import families, theorem1, theorem2
from constructions.arithmetic import Symbolic
from constructions.matrix import Tensor
from constructions.multiplication import slim
from constructions.transformer import MLP, Bilinear
from verify.check import Job, check
from verify.checks.preliminaries import fits, shapes
from verify.checks.simulation import layers_problem, letters_held
from verify.checks.statements import (
    CHARITABLE,
    EXACT,
    EXHAUSTIVE,
    LITERAL,
    REPAIRED,
    SYMBOLIC,
    first,
    holds,
    refuted,
)
from verify.evidence import Evidence, Plain


@check(
    "pre.attention.definition",
    "pre.attention.one-width",
    "pre.attention.multihead",
    "pre.transformer.map",
)
def shapes_of_the_architecture(job: Job) -> Iterator[Evidence]:
    """Follow the shapes of Section 2.4, and compare with Theorem 1's weights."""
    attention = shapes("scores", "values")
    yield holds(
        "pre.attention.definition",
        fits("scores", "values"),
        EXACT,
        "all T, d and k",
        "X W_Q W_Kᵀ Xᵀ is T × T and the output T × k.",
        attention,
    )
    yield holds(
        "pre.attention.one-width",
        fits("scores", "two-widths"),
        EXACT,
        "all T, d, k and k'",
        "Nothing asks W_V for the width of W_Q: the output is T × k'.",
        shapes("scores", "two-widths"),
        reading=REPAIRED,
    )
    yield holds(
        "pre.attention.multihead",
        fits("heads"),
        EXACT,
        "all sizes",
        "h outputs side by side are T × hk', and a linear layer of hk' × d gives T × d.",
        shapes("heads"),
        limits="The proof of Theorem 1 does not print that linear layer; it must add the two heads.",
    )
    yield from in_use(theorem1.build(families.counting(), 2))


def in_use(simulation: theorem1.Simulation) -> Iterator[Evidence]:
    """What the constructions use: two widths, twice as many tokens, a readout."""
    model = simulation.transformer
    head = model.layers[0].heads[0]
    query, value = head.query.shape, head.value.shape
    tokens, outputs = len(simulation.positions), model.readout.shape[1]
    body: dict[str, Plain] = {
        "kind": "definitions.in-use",
        "n": simulation.automaton.n,
        "length": simulation.length,
        "query": list(query),
        "value": list(value),
        "tokens": tokens,
        "readout": list(model.readout.shape),
    }
    yield refuted(
        "pre.attention.one-width",
        query != value,
        "Theorem 1, n = 2",
        f"Theorem 1 with n = 2: W_Q is {query[0]} × {query[1]} and W_V is {value[0]} × {value[1]}.",
        body,
        repair="W_V is d × k'.",
    )
    yield refuted(
        "pre.transformer.map",
        tokens != simulation.length or outputs != model.readout.shape[0],
        "Theorem 1, n = 2, T = 2",
        f"Theorem 1 with n = 2, T = 2 works on {tokens} tokens and returns {outputs} coordinates of "
        f"{model.readout.shape[0]}.",
        body,
    )
    kept = all(
        layer.combine.shape[1] == layer.feedforward.output.shape[1] == model.readout.shape[0]
        for layer in model.layers
    )
    yield holds(
        "pre.transformer.map",
        None if kept else "a layer changes the width of tokens",
        EXACT,
        "Theorem 1, n = 2, T = 2; blocks of all layers have one shape",
        "Between embedding and readout every layer maps tokens of d coordinates to such tokens.",
        body,
        reading=CHARITABLE,
    )


@check("pre.attention.hard")
def the_largest_value_of_a_row(job: Job) -> Iterator[Evidence]:
    """Take every order type of a row of up to four scores and set the largest to one."""
    tie = hard((0, 0))
    yield refuted(
        "pre.attention.hard",
        sum(tie) != 1,
        "a row of two equal scores",
        f"The row (0, 0) has two largest values; setting them to 1 gives {tie}, which selects no "
        "single token.",
        {"kind": "definitions.tie", "row": [0, 0], "hard": list(tie)},
        repair="Ask for a unique largest value, or share alike.",
    )
    rows = [row for size in range(1, 5) for row in product(range(size), repeat=size)]
    single = [row for row in rows if row.count(max(row)) == 1]
    yield holds(
        "pre.attention.hard",
        next((f"row {row}" for row in single if sum(hard(row)) != 1), None),
        EXHAUSTIVE,
        "every order type of a row of up to four scores",
        f"In all {len(single)} rows with one largest value exactly one entry becomes 1.",
        {"kind": "definitions.rows-of-scores", "longest": 4, "single": len(single)},
        reading=CHARITABLE,
    )


def hard(row: Sequence[int]) -> tuple[int, ...]:
    """The largest value set to 1, all others to 0, as printed."""
    return tuple(int(value == max(row)) for value in row)


@check("pre.bilinear.definition", "pre.bilinear.universal")
def bilinear_layers(job: Job) -> Iterator[Evidence]:
    """Write a generic bilinear map as a tensor of its values on basis vectors."""
    sizes = [(1, 1, 1), (2, 1, 2), (2, 3, 1), (2, 2, 3)]
    problem = first(bilinear_problem(*size) for size in sizes)
    body: dict[str, Plain] = {"kind": "definitions.bilinear", "sizes": [list(s) for s in sizes]}
    yield holds(
        "pre.bilinear.definition",
        problem,
        SYMBOLIC,
        f"(d_1, d_2, d_3) in {sizes}",
        "Modes 1 and 2 of a d_1 × d_2 × d_3 tensor contract with x_1 and x_2, d_3 numbers remain, "
        "to which b is added.",
        body,
        engine="SymPy",
    )
    for reading in (LITERAL, CHARITABLE):
        yield holds(
            "pre.bilinear.universal",
            problem,
            SYMBOLIC,
            f"every bilinear map with (d_1, d_2, d_3) in {sizes}",
            "A map that is linear in each argument is the contraction of the tensor of its values "
            "on basis vectors, with b = 0.",
            body,
            reading=reading,
            engine="SymPy",
            limits="A layer with b ≠ 0 is affine in each argument, not bilinear.",
        )


def bilinear_problem(one: int, two: int, three: int) -> str | None:
    """Why a map given on basis vectors is not what the layer computes with the tensor of them."""
    x, y = sympy.symbols(f"x:{one}"), sympy.symbols(f"y:{two}")
    values = {
        (a, b, c): sympy.Symbol(f"B{a}_{b}_{c}")
        for a, b, c in product(range(one), range(two), range(three))
    }
    extended = [
        sum(x[a] * sum(y[b] * values[a, b, c] for b in range(two)) for a in range(one))
        for c in range(three)
    ]
    arithmetic = Symbolic()
    tensor = arithmetic.tensor(Tensor((one, two, three), values))
    found = arithmetic.contract(tensor, arithmetic.array([x]), arithmetic.array([y]))[0]
    gaps = [sympy.expand(p - q) for p, q in zip(extended, found, strict=True)]
    return None if not any(gaps) else f"sizes {(one, two, three)}"


@check("pre.transformer.composition", "pre.transformer.mlp")
def layers_are_composed_in_order(job: Job) -> Iterator[Evidence]:
    """Compose the layers of Theorem 1 by hand, and look at the blocks of Theorems 1 and 2."""
    lengths = [1, 2, 4, 8]
    yield holds(
        "pre.transformer.composition",
        first(layers_problem(t) for t in lengths),
        EXHAUSTIVE,
        "Theorem 1's layers, T ∈ {1, 2, 4, 8}, every WFA",
        "Attention, then feed-forward, layer 1 first: after layer l every token holds its window.",
        {"kind": "scan.layers", "lengths": lengths, "letters": [letters_held(t) for t in lengths]},
        reading=CHARITABLE,
    )
    exact = theorem1.build(families.counting(), 2).transformer.layers
    product_mlp = slim(2, "tanh", Fraction(2), Fraction(1, 2))
    soft = theorem2.build(families.counting(), 2, 1, product_mlp).transformer.layers
    named = [type(layer.feedforward) for layer in (*exact, *soft)]
    fine = named == [Bilinear, MLP]
    yield holds(
        "pre.transformer.mlp",
        None if fine else f"blocks are {named}",
        EXACT,
        "n = 2, T = 2",
        "Theorem 1's block is a bilinear layer, Theorem 2's an MLP with one hidden layer.",
        {"kind": "definitions.blocks", "theorem1": "bilinear", "theorem2": "mlp"},
        reading=CHARITABLE,
    )
