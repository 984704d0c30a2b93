"""mpmath runs Theorem 3's model on all small trees, with and without MLPs; balls decide.

    tree.measured   as C grows the error keeps the recursion proved for trees, or falls like exp(-C)

The paper prints no recursion for Theorem 3, so that the right side is that of our own statement. Balls
enclose the run on every tree; mpmath runs the worst tree at each C and must agree with them.

C is ⌈k ln 10⌉, at which a softmax row with gap 1 gives away about 10^-k. With MLPs only k near the
digits of ε_mlp are run, if the recursion keeps what the MLPs read within the domain of their bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import flint

from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.core.exact import ball, ceiling
from verify.bounds.measured_tree import TreeModel, TreeSubject
from verify.bounds.outward import decimal_above, decimal_below
from verify.facts.registry import fact
from verify.facts.soft_measured import AGREEMENT, Disagreement, decades_near
from verify.judge.outcome import Outcome


def constant(decades: int) -> int:
    """The least integer C for which exp(-C) ≤ 10^-k."""
    with flint.ctx.workprec(128):
        return int(ceiling((decades * flint.arb(10).log()).ceil()))


@dataclass(frozen=True)
class TreeRun:
    """All trees at one C: the largest errors of each layer, enclosed, and mpmath's on the worst tree."""

    model: TreeModel

    @cached_property
    def layers(self) -> list[tuple[flint.arb, flint.arb]]:
        """For each layer the largest error and the largest error of an MLP."""
        runs = self.model.enclosed()
        worst = max(range(len(runs)), key=lambda i: runs[i][-1][0].mid())
        self._agree(self.model.measured(self.model.subject.trees[worst]), runs[worst])
        found = []
        for layer in zip(*runs, strict=True):
            error, mlp = layer[0]
            for other, another in layer[1:]:
                error, mlp = error.max(other), mlp.max(another)
            found.append((error, mlp))
        return found

    def _agree(self, measured: Sequence[Any], enclosed: Sequence[Any]) -> None:
        with flint.ctx.workprec(self.model.bits):
            for (seen, _), (error, _) in zip(measured, enclosed, strict=True):
                if not abs(flint.arb(str(seen)) - error) <= AGREEMENT * error:
                    raise Disagreement(f"C = {self.model.saturation}: {seen}, {error}")

    @property
    def error(self) -> flint.arb:
        """The largest error after the last layer."""
        return self.layers[-1][0]

    def within(self) -> bool | None:
        """Return True if every layer keeps the recursion; None where the balls overlap."""
        pairs = [(e, b) for (e, _), b in zip(self.layers, self.model.recursion, strict=True)]
        if any(bool(error > bound) for error, bound in pairs):
            return False
        return True if all(bool(error <= bound) for error, bound in pairs) else None


@dataclass(frozen=True)
class TreePanel:
    """One WTA: runs with exact products, and with each MLP."""

    name: str
    subject: TreeSubject
    decades: Sequence[int]
    mlps: Sequence[str]

    @cached_property
    def exact(self) -> list[TreeRun]:
        """The runs with exact products."""
        return [TreeRun(TreeModel(self.subject, constant(k))) for k in self.decades]

    @cached_property
    def floors(self) -> list[tuple[str, Fraction, list[TreeRun]]]:
        """For each ε: the step and the runs."""
        found = []
        for eps in self.mlps:
            step = self.subject.fitted_step(Fraction(eps))
            models = [
                TreeModel(self.subject, constant(k), step) for k in decades_near(eps, self.decades)
            ]
            found.append((eps, step, [TreeRun(each) for each in models if each.keeps_inside()]))
        return found

    def misses(self) -> list[flint.arb]:
        """|-Δ ln(error) / ΔC - 1| between neighbouring C, with exact products."""
        found = []
        for one, two in pairwise(self.exact):
            with flint.ctx.workprec(two.model.bits):
                fall = one.error.log() - two.error.log()
                found.append(abs(fall / (two.model.saturation - one.model.saturation) - 1))
        return found

    def data(self) -> dict[str, Any]:
        """The largest errors after the last layer, beside the bounds, six digits on the safe side."""
        return {
            **columns(self.exact),
            "mlps": [
                {
                    "eps": eps,
                    "step": str(step),
                    "proven": decimal_above(ball(self.subject.proven(step))),
                    **columns(runs),
                    "mlp": [decimal_below(run.layers[-1][1]) for run in runs],
                }
                for eps, step, runs in self.floors
            ],
        }


def columns(runs: Sequence[TreeRun]) -> dict[str, list[str]]:
    """C, error and bound of some runs."""
    return {
        "C": [str(run.model.saturation) for run in runs],
        "error": [decimal_below(run.error) for run in runs],
        "bound": [decimal_below(run.model.recursion[-1]) for run in runs],
    }


@fact("tree.measured", "enclosure", batch=True)
def tree_measured(asked: Sequence[Mapping[str, Any]]) -> list[Outcome]:
    """Every error keeps the recursion for trees, or falls at a rate that comes to 1 as C grows."""
    panels: dict[str, list[TreePanel]] = {}
    found = []
    for parameters in asked:
        rest = {key: value for key, value in parameters.items() if key != "against"}
        made = panels.setdefault(repr(sorted(rest.items())), _panels(**rest))
        found.append(OUTCOMES[parameters["against"]](made))
    return found


def _panels(
    automata: Mapping[str, Mapping[str, Any]],
    leaves: int,
    decades: Sequence[int],
    mlps: Sequence[str] = (),
) -> list[TreePanel]:
    if leaves < 2:
        raise InputError("leaves", leaves, "at least 2, so that there is a layer")
    return [
        TreePanel(
            name, TreeSubject(WTA.of([1] * len(each["tensor"]), **each), leaves), decades, mlps
        )
        for name, each in automata.items()
    ]


def _recursion(panels: Sequence[TreePanel]) -> Outcome:
    verdict: bool | None = True
    for panel in panels:
        for run in [*panel.exact, *(run for *_, runs in panel.floors for run in runs)]:
            kept = run.within()
            if kept is False:
                shown = {"automaton": panel.name, "C": str(run.model.saturation)}
                return Outcome(False, {}, shown)
            verdict = verdict and kept
    return Outcome(verdict, {"panels": {panel.name: panel.data() for panel in panels}})


def _rate(panels: Sequence[TreePanel]) -> Outcome:
    misses = {panel.name: panel.misses() for panel in panels}
    values = {"misses": {name: [decimal_above(m) for m in row] for name, row in misses.items()}}
    for name, row in misses.items():
        if not all(bool(after < before) for before, after in pairwise(row)):
            return Outcome(False, values, {"automaton": name})
    return Outcome(True, values)


OUTCOMES = {"recursion": _recursion, "rate": _rate}
