"""Disguises: the same exact computation in a different stream, so that a look-up does not find it.

Basis          x becomes x R, R orthogonal, preserved by the norm: a permutation, and blocks of four among the
               coordinates of window and scratch, for RMSNorm ±H₄/2 (Hadamard) with signs, for LayerNorm
               J/2 - I, which keeps the all-ones direction. Constants, places, noise and logits are permuted
               and not mixed: mixed with K or with noise a window would lose its digits
Superposition  the windows of all words span a space of rank r < n²: the stream holds r coordinates, and n²
               features are linear functions of them. Exact, since the space is closed under products
Distractors    noise: `distractors`
Decoy          a copy of the window, four times as large, that a probe reads and no component uses
Redundant      two heads in place of each: both read the same position and copy half of its value
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random

import flint
import numpy as np

from constructions.circuits.arithmetic import exact_matrix
from constructions.circuits.circuit import Circuit
from constructions.circuits.parts import (
    DECOY,
    SCRATCH,
    WINDOW,
    Component,
    Feature,
    Subspace,
)
from constructions.core.matrix import Matrix
from verify.circuits.distractors import Distraction
from verify.circuits.stream_map import DisguisedModel, StreamMap, apply, widening

DECOY_SIZE = 4  # a power of two: how many times the decoy is as large as the window
HADAMARD = [[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]
REGULAR = [[-1, 1, 1, 1], [1, -1, 1, 1], [1, 1, -1, 1], [1, 1, 1, -1]]


def basis(model: DisguisedModel, random: Random) -> StreamMap:
    """A random permutation with signs and blocks of four that preserves the norm."""
    centred = model.circuit.format == "gpt2"
    spaces = model.circuit.subspaces
    free = sorted({row for name in (WINDOW, SCRATCH) for row, _ in spaces[name].read.entries})
    fixed = [c for c in range(model.width) if c not in free]
    random.shuffle(free)
    order = list(range(model.width))
    random.shuffle(order)
    entries: dict[tuple[int, int], Fraction] = {}
    block = REGULAR if centred else HADAMARD
    blocked = len(free) // 4 * 4
    for start in range(0, blocked, 4):
        for i, j in np.ndindex(4, 4):
            entries[free[start + i], order[free[start + j]]] = Fraction(block[i][j], 2)
    for c in [*free[blocked:], *fixed]:
        entries[c, order[c]] = Fraction(1)
    if not centred:
        signs = {c: random.choice((1, -1)) for c in range(model.width)}
        entries = {(i, j): signs[i] * value for (i, j), value in entries.items()}
    into = Matrix((model.width, model.width), entries)
    return StreamMap(into, into.transpose)


def span_of_windows(circuit: Circuit) -> flint.fmpq_mat:
    """A basis in reduced form of span{I, A^w - I}; I too, so that unknown letters fit in."""
    n = circuit.n
    unit = flint.fmpq_mat(n, n, [int(i == j) for i in range(n) for j in range(n)])
    letters = [unit + exact_matrix(circuit.embedding[symbol]) for symbol in circuit.tokens[:-1]]
    rows, pending = [unit.entries()], [unit]
    while pending:
        matrix = pending.pop()
        for letter in letters:
            product = matrix * letter
            candidate = [*rows, product.entries()]
            if flint.fmpq_mat(candidate).rank() == len(candidate):
                rows = candidate
                pending.append(product)
    reduced, _ = flint.fmpq_mat(rows).rref()
    return reduced


def superposition(model: DisguisedModel) -> StreamMap | None:
    """Window and scratch on r coordinates each; none where r = n²."""
    circuit, n = model.circuit, model.circuit.n
    table = [
        [Fraction(int(x.p), int(x.q)) for x in row] for row in span_of_windows(circuit).table()
    ]
    if len(table) == n * n:
        return None
    squeezed = {name: circuit.subspaces[name].coordinates or [] for name in (WINDOW, SCRATCH)}
    taken = {c for where in squeezed.values() for c in where}
    into: dict[tuple[int, int], Fraction] = {}
    back: dict[tuple[int, int], Fraction] = {}
    column = 0
    for where in squeezed.values():
        for row in table:
            pivot = next(j for j, x in enumerate(row) if x)
            into[where[pivot], column] = Fraction(1)
            back |= {(column, where[j]): x for j, x in enumerate(row) if x}
            column += 1
    for c in (c for c in range(model.width) if c not in taken):
        into[c, column] = back[column, c] = Fraction(1)
        column += 1
    return StreamMap(Matrix((model.width, column), into), Matrix((column, model.width), back))


def decoy(model: DisguisedModel) -> DisguisedModel:
    """Return the model with a decoy, whose square is noise for the norms."""
    circuit, first = model.circuit, model.width
    windows = circuit.subspaces[WINDOW].coordinates or []
    plain, count = widening(first, len(windows)), len(windows)
    where = range(first, first + count)
    copies = dict.fromkeys(zip(windows, where, strict=True), DECOY_SIZE)
    into = Matrix(plain.into.shape, {**plain.into.entries, **copies})
    made = apply(model, StreamMap(into, plain.back))
    spaces = apply(model, plain).circuit.subspaces  # a window that is set does not set its copy
    read = Matrix(
        (first + count, count), {(d, i): Fraction(1, DECOY_SIZE) for i, d in enumerate(where)}
    )
    write = Matrix((count, first + count), dict.fromkeys(enumerate(where), DECOY_SIZE))
    meaning = "the same numbers as the window, which no component reads"
    noise = Fraction(str(circuit.constants["noise"])) + DECOY_SIZE**2 * model.most_window
    changed = replace(
        made.circuit,
        subspaces={**spaces, DECOY: Subspace(DECOY, read, write)},
        features=(
            *circuit.features,
            Feature(DECOY, count, meaning, "what writes the window writes it too"),
        ),
        hooks=tuple(replace(hook, holds={**hook.holds, DECOY: meaning}) for hook in circuit.hooks),
        constants={**circuit.constants, "noise": str(noise)},
    )
    return DisguisedModel(made.config, made.weights, changed)


def redundant_heads(model: DisguisedModel) -> DisguisedModel:
    """Return a Llama with two heads in place of each, which bring half of it each."""
    wide = apply(model, widening(model.width, model.width % 2))  # two heads want an even width
    weights = dict(wide.weights)
    for key, value in wide.weights.items():
        if key.endswith(("q_proj.weight", "k_proj.weight", "v_proj.weight")):
            weights[key] = np.concatenate([value, value])
        elif key.endswith("o_proj.weight"):
            weights[key] = np.concatenate([value / 2, value / 2], axis=1)
    parts = tuple(half for part in wide.circuit.components for half in _halves(part))
    circuit = replace(
        wide.circuit,
        components=parts,
        edges=wide.circuit.wiring.edges(parts),
        constants={**wide.circuit.constants, "heads": 2},
    )
    config = wide.config | {"num_attention_heads": 2, "num_key_value_heads": 2}
    return DisguisedModel(config, weights, circuit)


def _halves(part: Component) -> tuple[Component, ...]:
    """Return a head twice, with half of its share; other components as they are."""
    if part.head is None:
        return (part,)
    share = part.share / 2 if part.kind == "copy" else part.share
    return tuple(replace(part, name=f"head {part.layer}.{head}", head=head, share=share)
                 for head in (0, 1))  # fmt: skip


Disguise = Callable[[DisguisedModel, Random], DisguisedModel]


def with_basis(model: DisguisedModel, random: Random) -> DisguisedModel:
    """Another basis."""
    return apply(model, basis(model, random))


def with_superposition(model: DisguisedModel, random: Random) -> DisguisedModel:
    """Fewer coordinates than entries, where the windows allow it; then another basis."""
    change = superposition(model)
    return with_basis(model if change is None else apply(model, change), random)


def with_distractors(model: DisguisedModel, random: Random) -> DisguisedModel:
    """Noise, in another basis."""
    extra = random.randint(1, max(1, model.circuit.layers - 1))
    return with_basis(Distraction(model, random, extra).apply(), random)


def with_everything(model: DisguisedModel, random: Random) -> DisguisedModel:
    """Superposition, noise and another basis."""
    change = superposition(model)
    return with_distractors(model if change is None else apply(model, change), random)


def with_decoy(model: DisguisedModel, random: Random) -> DisguisedModel:
    """Return the model with a decoy, in another basis."""
    return with_basis(decoy(model), random)


def with_redundant_heads(model: DisguisedModel, random: Random) -> DisguisedModel:
    """Return the model with two heads in place of each, in another basis."""
    return with_basis(redundant_heads(model), random)


DISGUISES: dict[str, Disguise] = {
    "none": lambda model, random: model,
    "basis": with_basis,
    "superposition": with_superposition,
    "distractors": with_distractors,
    "everything": with_everything,
    "decoy": with_decoy,
    "redundant": with_redundant_heads,
}
