"""The log-depth construction in floating point, as a user would run it.

Claims        beyond.logdepth.construction
Seen          torch float64 with dense weights and all scores, T up to 4096 in the full profile; with
              integer positions and states 0 or 1 nothing is rounded; distributions err by rounding
              alone; on the circle heads still find their targets
Limits        runs are observations; up to which length scores are exact integers is a table of
              beyond.logdepth.sizes
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch

from constructions import logdepth
from constructions.arithmetic.torch import Torch
from constructions.logdepth import Scheme, Simulation
from constructions.trees import Tree, tokens
from constructions.wta import WTA
from verify.check import Job, check
from verify.checks.logdepth_steps import holds
from verify.engines import logdepth_cases as given
from verify.evidence import Evidence, Strength

CONSTRUCTION = "beyond.logdepth.construction"


@dataclass(frozen=True)
class Seen:
    """One run: what was run, how long the string is, the largest error."""

    scheme: Scheme
    automaton: str
    family: str
    length: int
    error: float


@contextmanager
def one_thread() -> Iterator[None]:
    """Torch on one thread, so that checks can run beside each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def float_error(simulation: Simulation, tree: Tree) -> float:
    """The largest error over all positions in torch float64, every score in full."""
    symbols = tokens(tree)
    found = simulation.cut(simulation.layers_for(tree)).states(symbols, Torch())
    wanted = simulation.automaton.states(symbols)
    return max(
        abs(float(x) - float(y)) for i in wanted for x, y in zip(found[i], wanted[i], strict=True)
    )


def seen(leaves: int, full: bool) -> Iterator[Seen]:
    """Runs of both schemes and two automata on some families."""
    trees = given.families(leaves)
    machines: dict[str, WTA] = {"implications": given.implications(), "mixing": given.mixing()}
    plan = [(Scheme.INTEGERS, "implications", name) for name in ("comb", "random", "extremal")]
    plan += [(Scheme.CIRCLE, "implications", "comb"), (Scheme.INTEGERS, "mixing", "random")]
    if full:
        plan += [(Scheme.CIRCLE, "mixing", "random"), (Scheme.INTEGERS, "mixing", "caterpillar")]
    for scheme, machine, family in plan:
        tree = trees[family]
        length = len(tokens(tree))
        simulation = logdepth.build(machines[machine], length, scheme)
        yield Seen(scheme, machine, family, length, float_error(simulation, tree))


@check(CONSTRUCTION)
def torch_runs_long_trees(job: Job) -> Iterator[Evidence]:
    """Run dense weights and all scores in torch float64, both schemes, two automata."""
    with one_thread():
        runs = list(seen(1366 if job.full else 334, job.full))
    whole = [
        run for run in runs if (run.scheme, run.automaton) == (Scheme.INTEGERS, "implications")
    ]
    exact = all(run.error == 0 for run in whole)
    worst = max(runs, key=lambda run: run.error)
    rounding = worst.error <= worst.length * torch.finfo(torch.float64).eps
    yield Evidence(
        CONSTRUCTION,
        holds(exact and rounding),
        Strength.OBSERVED,
        f"torch float64, |str(t)| ≤ {max(run.length for run in runs)}, {len(runs)} runs",
        f"With integer positions and states 0 or 1 nothing is rounded ({len(whole)} trees); the "
        f"largest error of all runs is {worst.error:.1e} ({worst.automaton}, {worst.family}, "
        f"{worst.scheme.value}), less than T roundings.",
        engine="torch",
        counterexample="" if exact and rounding else f"{worst}",
        limits="One floating-point run is an observation, not a bound.",
    )
