"""How large the log-depth transformer is, beside the paper's constructions, and how deep on trees.

Claims        beyond.logdepth.sizes; the figure and the tables also serve beyond.logdepth
Shown         embedding n² + O(n), four heads (one copies), n³ + O(n²) products, and weights whose
              number depends on n alone; layers against leaves for every family; for each format of
              floating point the length up to which every score is an exact integer
Compared      Theorem 3 (repaired), Theorem 1 on a comb read as a word, this construction
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log2
from typing import Any

import flint

from constructions import logdepth, theorem1, theorem3
from constructions.logdepth import Scheme
from constructions.logdepth_step import step_layer, step_reads
from constructions.logdepth_weights import Plan, preparation
from constructions.matrix import Matrix
from constructions.pebbling import most_steps, steps
from constructions.sizes import Sizes, sizes
from constructions.transformer import Bilinear, Transformer
from constructions.trees import height, tokens
from constructions.wfa import WFA
from constructions.wta import WTA
from verify.bounds.budget import ball, score_size
from verify.bounds.logdepth import position_sizes
from verify.bounds.logdepth import sizes as sizes_of
from verify.check import Job, check
from verify.checks.logdepth_steps import holds, said
from verify.engines import logdepth_cases as given
from verify.evidence import Evidence, Figure, Series, Strength, Table

SIZES = "beyond.logdepth.sizes"
MAIN = "beyond.logdepth"
FORMATS = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}
COMPARED_LEAVES = 64


def generic_plan(n: int, length: int, scheme: Scheme) -> Plan:
    """The weights for a tensor full of ones."""
    return Plan((((1,) * n,) * n,) * n, length, scheme)


def measured(n: int, scheme: Scheme) -> dict[str, int]:
    """What the built step layer measures."""
    plan = generic_plan(n, 10, scheme)
    layer = step_layer(plan)
    block = layer.feedforward
    return {
        "n": n,
        "pointer": plan.width,
        "embedding": plan.layout().size,
        "heads": len(layer.heads),
        "reads": plan.layout().size + sum(step_reads(plan).values()),
        "units": block.left.shape[1] if isinstance(block, Bilinear) else 0,
    }


def formula(n: int, scheme: Scheme) -> dict[str, int]:
    """The same numbers from the names of the blocks."""
    width = 1 if scheme is Scheme.INTEGERS else 2
    embedding = n * n + n + 10 + 2 * width
    units = n**3 + 2 * n**2 + 3 * n + 13 + 4 * width
    reads = embedding + n * n + 3 * n + 3 + 2 * width
    found = {"n": n, "pointer": width, "embedding": embedding, "heads": 4}
    return found | {"reads": reads, "units": units}


def distinct(model: Transformer[Matrix]) -> Transformer[Matrix]:
    """The model with each layer that is repeated kept once."""
    kept = tuple(dict.fromkeys(id(layer) for layer in model.layers))
    by_id = {id(layer): layer for layer in model.layers}
    return Transformer(tuple(by_id[key] for key in kept), model.readout, model.positions)


def parameters(n: int, length: int, scheme: Scheme) -> int:
    """Entries of all weights, the repeated layer counted once."""
    plan = generic_plan(n, length, scheme)
    layers = (*preparation(plan), step_layer(plan))
    readout = Matrix.zeros(plan.layout().size, n)
    return sizes(Transformer(layers, readout)).parameters


@check(SIZES)
def the_sizes_follow_their_formulas(job: Job) -> Iterator[Evidence]:
    """Measure built models and compare with formulas in n; vary the length."""
    limit = 8 if job.full else 5
    rows = [measured(n, scheme) for scheme in Scheme for n in range(1, limit + 1)]
    wanted = [formula(n, scheme) for scheme in Scheme for n in range(1, limit + 1)]
    grows = [
        (n, scheme.value)
        for scheme in Scheme
        for n in (1, 2, 3)
        if len({parameters(n, length, scheme) for length in (1, 10, 100, 1000)}) != 1
    ]
    good = rows == wanted and not grows
    count = parameters(2, 10, Scheme.INTEGERS)
    yield Evidence(
        SIZES,
        holds(good),
        Strength.EXACT,
        f"n ≤ {limit}, both schemes of positions, lengths 1 to 1000",
        said(
            good,
            f"Embedding n² + n + 12 (circle: 14), three heads and one that copies, "
            f"n³ + 2n² + 3n + 17 (circle: 21) products of degree two; {count} weights for n = 2, "
            "whatever the length or the tree.",
        ),
        engine="built models",
        certificate={"kind": "logdepth.sizes", "rows": rows},
        counterexample="" if good else f"{grows or 'a size differs from its formula'}",
        tables=(compared(given.automaton(2)), exact_lengths()),
    )


def comb_automaton(machine: WTA) -> WFA:
    """The WFA that reads a comb as a word: A^σ = T(v_σ, ·), transposed into row convention."""
    n = range(machine.n)
    matrices = {
        letter: [[sum(machine.tensor[i][j][q] * state[j] for j in n) for q in n] for i in n]
        for letter, state in machine.leaves.items()
    }
    return WFA.of(machine.alpha, matrices, machine.leaves["a"])


def compared(machine: WTA) -> Table:
    """Sizes of each construction for the comb with 64 leaves and for all trees of its length."""
    leaves, length = COMPARED_LEAVES, 3 * COMPARED_LEAVES - 2
    entries: dict[str, Any] = {
        "Theorem 3, repaired, any tree": theorem3.build(machine, length),
        "Theorem 1 on the comb as a word": theorem1.build(comb_automaton(machine), leaves - 1),
    }
    for scheme in Scheme:
        name = f"log depth, {scheme.value}, any tree"
        entries[name] = logdepth.build(machine, length, scheme)
    rows = tuple(_row(name, sizes(entry.transformer), entry) for name, entry in entries.items())
    columns = "construction, layers, embedding, heads, attention width, feed-forward"
    header = (*columns.split(", "), "distinct weights", "of them not 0", "largest weight")
    title = f"Sizes for trees with {leaves} leaves (|str(t)| = {length}), n = {machine.n}"
    return Table("logdepth-sizes", title, header, rows)


def _row(name: str, found: Sizes, entry: Any) -> tuple[str, ...]:
    once = sizes(distinct(entry.transformer))
    numbers = [found.depth, found.embedding, found.heads, found.attention, found.feedforward]
    numbers += [once.parameters, once.nonzero]
    return (name, *(str(number) for number in numbers), found.largest.str(6, radius=False))


def reach(plan: Plan) -> flint.arb:
    """A bound on every partial sum of every score; no head reads a state."""
    layers = (*preparation(plan), step_layer(plan))
    known = [ball(size) for size in sizes_of(plan, position_sizes(plan))]
    return score_size([head for layer in layers for head in layer.heads], known)


def exact_length(bits: int, variant: logdepth.Variant) -> int:
    """The largest length at which every score is an integer of at most so many bits."""
    machine = given.implications()

    def fits(length: int) -> bool:
        simulation = logdepth.build(machine, length, variant=variant)
        return bool(reach(simulation.plan) < flint.arb(2) ** bits)

    low, high = 0, 1
    while fits(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def exact_lengths() -> Table:
    """For each format the length up to which scores are exact, by variant."""
    variants = (logdepth.Variant.OPENING, logdepth.Variant.PARENT)
    rows = tuple(
        (name, str(bits), *(str(exact_length(bits, variant)) for variant in variants))
        for name, bits in FORMATS.items()
    )
    header = ("format", "bits", "length, far child by depth", "length, far child by parent")
    title = "Up to which |str(t)| every score is an exact integer"
    return Table("logdepth-floats", title, header, rows)


def counted(leaves: tuple[int, ...]) -> dict[str, list[tuple[int, int, int]]]:
    """(leaves, layers, height) for one tree of each family and size."""
    found: dict[str, list[tuple[int, int, int]]] = {}
    for size in leaves:
        for name, tree in given.families(size).items():
            count = (len(tokens(tree)) + 2) // 3
            found.setdefault(name, []).append((count, 2 + steps(tree), height(tree)))
    return found


def figure(counts: dict[str, list[tuple[int, int, int]]], leaves: tuple[int, ...]) -> Figure:
    """Layers against leaves, with the bound, log2 N and the height of combs."""
    curves = [
        Series(name, tuple(str(n) for n, _, _ in rows), tuple(str(k) for _, k, _ in rows))
        for name, rows in counts.items()
    ]
    x = tuple(str(n) for n in leaves)
    bound = tuple(str(2 + most_steps(n)) for n in leaves)
    tall = tuple(str(2 + n - 1) for n in leaves)
    curves += [
        Series("bound 2 + max{k : P_k - 1 ≤ N}", x, bound, "dashed"),
        Series("log2 N", x, tuple(f"{log2(n):.4f}" for n in leaves), "dashed"),
        Series("2 + height of the comb (Theorem 3)", x, tall, "points"),
    ]
    return Figure(
        "logdepth-layers",
        "Layers of the log-depth construction",
        "Layers against leaves for seven families of trees: all stay below the Padovan bound and "
        "grow like log N, where the height of a comb grows like N.",
        "leaves N",
        "layers",
        tuple(curves),
        xscale="log",
        yscale="log",
    )


@check(MAIN)
def layers_grow_like_the_logarithm(job: Job) -> Iterator[Evidence]:
    """Count layers for trees of every family, and compare with bound and height."""
    leaves = (4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4000)
    counts = counted(leaves)
    wrong = [
        f"{name} with {n} leaves"
        for name, rows in counts.items()
        for n, layers, tall in rows
        if layers > 2 + most_steps(n) or layers > 2 + tall
    ]
    last = {name: rows[-1][1] for name, rows in counts.items()}
    told = ", ".join(f"{name} {layers}" for name, layers in last.items())
    yield Evidence(
        MAIN,
        holds(not wrong),
        Strength.SAMPLED,
        f"seven families, {leaves[0]} to {leaves[-1]} leaves, one tree each",
        f"With about {leaves[-1]} leaves the layers needed are: {told}; the bound is "
        f"{2 + most_steps(leaves[-1])}, the comb's height {leaves[-1] - 1}.",
        engine="the game",
        counterexample=wrong[0] if wrong else "",
        figures=(figure(counts, leaves),),
    )
