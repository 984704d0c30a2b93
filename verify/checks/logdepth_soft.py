"""The log-depth construction with soft attention and smooth MLPs: a certified error.

Claims        beyond.logdepth.soft
Shown         the recursion of `verify.bounds.logdepth` gives, for every tree up to a length, an
              error below ε with explicit C and h; runs in balls on all small shapes stay inside it
Notation      C saturation, h = 2^-k step of the multiplying units, ε wanted error
Limits        the recursion is derived in its docstring and run for given lengths; that C grows
              like log T is read off the table, not proved
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint

from constructions import logdepth
from constructions.arithmetic import Balls
from constructions.logdepth import Simulation
from constructions.logdepth_mlp import Fineness, with_mlps
from constructions.logdepth_step import step_layer
from constructions.logdepth_weights import preparation
from constructions.matrix import Matrix
from constructions.transformer import Bilinear, Layer
from constructions.trees import Tree, tokens
from verify.bounds.logdepth import (
    ball,
    block_sizes,
    enough_fineness,
    enough_saturation,
    error_bound,
)
from verify.check import Job, check
from verify.engines import logdepth_cases as given
from verify.evidence import Evidence, Outcome, Strength, Table

SOFT = "beyond.logdepth.soft"
EPS = Fraction(1, 10**6)
ACTIVATION = "tanh"


@dataclass(frozen=True)
class Softened:
    """A soft simulation, what it errs at most, and k of its step 2^-k (0: exact products)."""

    name: str
    simulation: Simulation
    bound: Fraction
    fineness: int = 0

    @property
    def bits(self) -> int:
        """Binary digits for balls: the units of an MLP cancel most of theirs."""
        return 256 + 16 * self.fineness


def softened(length: int, eps: Fraction = EPS) -> list[Softened]:
    """Soft attention with exact products, and with smooth MLPs, both within ε for all trees."""
    hard = logdepth.build(given.mixing(), length)
    saturation = enough_saturation(hard, eps / 2)
    soft = logdepth.soften(hard, saturation)
    fineness, bound = enough_fineness(hard, saturation, eps, ACTIVATION)
    smooth = with_mlps(soft, Fineness.of(ACTIVATION, fineness))
    exact = Softened("soft attention, exact products", soft, error_bound(hard, saturation))
    return [exact, Softened("soft attention, tanh MLPs", smooth, bound, fineness)]


def largest_error(model: Softened, tree: Tree) -> flint.arb:
    """A ball around the largest error of a state, at any position of one tree."""
    symbols = tokens(tree)
    wanted = model.simulation.automaton.states(symbols)
    largest = flint.arb(0)
    with Balls(model.bits) as balls:
        found = model.simulation.states(symbols, balls)
        for i, state in wanted.items():
            for one, other in zip(found[i], state, strict=True):
                largest = largest.max(abs(one - balls.element(other)))
    return largest


def compared(model: Softened, trees: list[Tree]) -> tuple[Outcome, flint.arb, str]:
    """(whether all errors are inside the bound, the largest one, the first tree outside)."""
    worst, outcome = flint.arb(0), Outcome.HOLDS
    for tree in trees:
        error = largest_error(model, tree)
        worst = worst.max(error)
        with flint.ctx.workprec(model.bits):
            if error > ball(model.bound):
                return Outcome.FAILS, error, "".join(tokens(tree))
            if not error <= ball(model.bound):
                outcome = Outcome.UNKNOWN
    return outcome, worst, ""


def plain_layer(layer: Layer[Matrix]) -> dict[str, Any]:
    """A layer's weights as plain data."""
    block = layer.feedforward
    if not isinstance(block, Bilinear):
        raise TypeError("only bilinear layers are written out")
    heads = [
        {"query": _plain(head.query), "key": _plain(head.key), "value": _plain(head.value)}
        for head in layer.heads
    ]
    parts = {"left": block.left, "right": block.right, "output": block.output}
    return {"heads": heads, **{name: _plain(part) for name, part in parts.items()}}


def _plain(matrix: Matrix) -> list[list[Any]]:
    entries = matrix.entries.items()
    return [[row, column, str(Fraction(weight))] for (row, column), weight in entries]


def certificate(hard: Simulation, saturation: int, fineness: int) -> dict[str, Any]:
    """The weights, the sizes of the hard values, C and h; the bound is ε."""
    layout, sizes = hard.plan.layout(), block_sizes(hard)
    scale = Fineness.of(ACTIVATION, fineness).scale if fineness else None
    return {
        "kind": "logdepth.soft",
        "tokens": hard.plan.length + 1,
        "saturation": saturation,
        "smooth": {"bits": fineness, "scale": str(scale)} if fineness else None,
        "sizes": [str(Fraction(sizes.get(name, 1))) for name in layout for _ in layout[name]],
        "state": list(layout["state"]),
        "preparation": [plain_layer(layer) for layer in preparation(hard.plan)],
        "step": plain_layer(step_layer(hard.plan)),
        "steps": len(hard.transformer.layers) - hard.preparation,
        "bound": str(EPS),
    }


def digits(value: Fraction) -> str:
    """A small number as 10 to a power, rounded up."""
    power = 0
    while value * 10 ** (power + 1) <= 1 and power < 400:
        power += 1
    return f"1e-{power}"


def saturations(lengths: tuple[int, ...]) -> Table:
    """C and h that are enough for ε, by length."""
    rows = []
    for length in lengths:
        hard = logdepth.build(given.mixing(), length)
        saturation = enough_saturation(hard, EPS / 2)
        fineness, _ = enough_fineness(hard, saturation, EPS, ACTIVATION)
        layers = len(hard.transformer.layers)
        rows.append((str(length), str(layers), str(saturation), f"2^-{fineness}"))
    header = ("length T", "layers", "C enough for 1e-6", "step h of the MLPs (tanh)")
    return Table("logdepth-saturation", "What soft attention and MLPs need", header, tuple(rows))


@check(SOFT)
def soft_attention_and_mlps_stay_within_the_bound(job: Job) -> Iterator[Evidence]:
    """Compute the bound for all trees of a length and run all small shapes in balls."""
    leaves = 5 if job.full else 4
    length = 3 * leaves - 2
    trees = [tree for size in range(1, leaves + 1) for tree in given.labelled(size)]
    lengths = (10, 25, 100, 1000, 4096) if job.full else (10, 25, 100, 1000)
    hard = logdepth.build(given.mixing(), length)
    saturation = enough_saturation(hard, EPS / 2)
    for model in softened(length):
        outcome, worst, where = compared(model, trees)
        yield Evidence(
            SOFT,
            outcome,
            Strength.ENCLOSURE,
            f"{model.name}: a probabilistic WTA with two states, all {len(trees)} ordered shapes "
            f"with at most {leaves} leaves",
            f"At C = {saturation} the recursion bounds every error by {digits(model.bound)} for "
            f"all trees with |str(t)| ≤ {length}; the largest error seen in balls is "
            f"{worst.str(3, radius=False)}.",
            engine="flint.arb",
            certificate=certificate(hard, saturation, model.fineness),
            counterexample=where,
            limits="The bound is for this automaton and length; with weights that grow (κν > 1) "
            "the sizes in the recursion grow with the leaves, and C with them.",
            tables=() if model.fineness else (saturations(lengths),),
        )
