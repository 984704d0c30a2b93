"""The log-depth construction with soft attention and smooth MLPs: a certified error.

Claims        beyond.logdepth.soft
Shown         the recursion of `verify.bounds.budget` gives, for every tree up to a length, an
              error below ε with explicit C and h; runs in balls on all small shapes stay inside it
Notation      C saturation, h = 2^-k step of the multiplying units, ε wanted error
Limits        the recursion is derived in its docstring and run for given lengths; that C grows
              like log T is read off the table, not proved
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import flint

from constructions import logdepth
from constructions.arithmetic import Balls
from constructions.logdepth import Simulation
from constructions.smoothing import FourUnits, smoothed
from constructions.trees import Tree, tokens
from verify.bounds.budget import ball, enough_fineness, enough_saturation, error_bound
from verify.bounds.budget_certificate import certificate
from verify.bounds.logdepth import subject
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
    def units(self) -> FourUnits | None:
        """The hidden units of a product, where there are MLPs."""
        return FourUnits.of(ACTIVATION, self.fineness) if self.fineness else None

    @property
    def bits(self) -> int:
        """Binary digits for balls: the units of an MLP cancel most of theirs."""
        return 256 + 16 * self.fineness


def softened(length: int, eps: Fraction = EPS) -> list[Softened]:
    """Soft attention with exact products, and with smooth MLPs, both within ε for all trees."""
    hard = logdepth.build(given.mixing(), length)
    known = subject(hard)
    saturation = enough_saturation(known, eps / 2)
    fineness = enough_fineness(known, saturation, eps, ACTIVATION)
    units = FourUnits.of(ACTIVATION, fineness)
    soft = logdepth.soften(hard, saturation)
    smooth = replace(soft, transformer=smoothed(soft.transformer, units, known.one))
    return [
        Softened("soft attention, exact products", soft, error_bound(known, saturation)),
        Softened(
            "soft attention, tanh MLPs", smooth, error_bound(known, saturation, units), fineness
        ),
    ]


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
        known = subject(logdepth.build(given.mixing(), length))
        saturation = enough_saturation(known, EPS / 2)
        fineness = enough_fineness(known, saturation, EPS, ACTIVATION)
        layers = len(known.transformer.layers)
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
    known = subject(logdepth.build(given.mixing(), length))
    saturation = enough_saturation(known, EPS / 2)
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
            certificate=certificate(known, given.mixing(), saturation, model.units, EPS),
            counterexample=where,
            limits="The bound is for this automaton and length; where states grow with the leaves, "
            "C grows with them. The certificate takes layers, gap and the sizes of all coordinates "
            "but the states as given.",
            tables=() if model.fineness else (saturations(lengths),),
        )
