"""Comparison of a circuit with its model: predictions of the exact machine, and the library's own run.

Compares     at every hook, position and feature, and at the outputs: |model - prediction| ≤ allowance
Allowance    `allowance`: softmax, units, norms and rounding, derived for the run; never chosen
Verdict      agrees · refused: one disagreement is enough, and the first is reported · undecided: some
             allowance is not finite, and nothing disagrees
Weak         where a prediction is no larger than its allowance, 0 would agree too: such numbers are counted
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import flint
import torch

from constructions.circuits.circuit import Circuit
from constructions.circuits.file import load_circuit
from constructions.circuits.parts import Hook
from constructions.circuits.trace import Trace
from constructions.core.exact import ball
from verify.bounds.floating import ONCE
from verify.circuits.allowance import Allowance, allowance
from verify.circuits.library import Library, StreamReading, load_library
from verify.circuits.trials import Trial, draw_trials

AGREES, REFUSED, UNDECIDED = "agrees", "refused", "undecided"


@dataclass(frozen=True)
class Comparison:
    """One number of the model against its prediction."""

    place: str
    position: int
    model: float
    prediction: float
    allowed: float
    trial: Trial

    @property
    def apart(self) -> float:
        """The distance; infinite for NaN."""
        distance = abs(self.model - self.prediction)
        return distance if distance == distance else float("inf")

    @property
    def share(self) -> float:
        """The distance as a share of what is allowed."""
        return self.apart / self.allowed if self.allowed else float("inf") if self.apart else 0.0

    def __str__(self) -> str:
        return (f"{self.place}, position {self.position}: the model has {self.model:.9g}, the circuit "
                f"predicts {self.prediction:.9g}, apart by {self.apart:.2g} where {self.allowed:.2g} is "
                f"allowed ({self.trial})")  # fmt: skip


@dataclass(frozen=True)
class CircuitAnswer:
    """Result of a check: the trials made by kind, the worst comparison, and the first that disagrees.

    `weak` counts the numbers other than 0 that are no larger than what is allowed: 0 would agree too. The
    largest deviations are those of the others.
    """

    library: str
    trials: dict[str, int]
    comparisons: int
    largest: float
    largest_output: float
    worst: Comparison | None
    disagreement: Comparison | None
    unbounded: int
    weak: int

    @property
    def verdict(self) -> str:
        """agrees, refused or undecided."""
        if self.disagreement is not None:
            return REFUSED
        return UNDECIDED if self.unbounded or not self.comparisons else AGREES

    def lines(self) -> Iterator[str]:
        """The answer for people."""
        kinds = ", ".join(f"{count} {kind}" for kind, count in self.trials.items())
        yield f"Run by: {self.library}"
        yield (f"Trials: {kinds}; {self.comparisons} numbers compared, of {self.weak} of which 0 would "
               "agree too")  # fmt: skip
        if self.worst is not None:
            yield (f"Largest deviation: {self.largest:.2g} overall, {self.largest_output:.2g} "
                   f"in the outputs; at most {self.worst.share:.2g} of what is allowed")  # fmt: skip
        if self.disagreement is not None:
            yield f"Refused: {self.disagreement}"
        elif self.verdict == UNDECIDED:
            yield f"Undecided: {self.unbounded} numbers have no finite bound with rounding"
        else:
            yield "The circuit agrees with the model."


def predictions(circuit: Circuit, trial: Trial) -> tuple[Trace, Allowance]:
    """Return the exact machine's predictions, and the allowed deviations of the model."""
    trace = circuit.values(trial.word, trial.interventions)
    return trace, allowance(trace, trial.word, trial.interventions)


@dataclass(frozen=True)
class TrialRun:
    """One trial in the library, beside its prediction."""

    library: Library
    trial: Trial
    reading: StreamReading
    trace: Trace
    allowed: Allowance

    def comparisons(self) -> Iterator[Comparison]:
        """Yield the comparisons of every feature at every hook, then of the outputs."""
        for hook in self.library.circuit.hooks:
            yield from self.at_hook(hook)
        yield from self.outputs()

    def at_hook(self, hook: Hook) -> Iterator[Comparison]:
        """The features at a hook."""
        stream = self.reading.streams[hook.name]
        for name, rows in self.allowed.numbers(hook).items():
            values = (stream @ self.library.matrices[name][0]).tolist()
            slack = self.slack(stream, name)
            for t, row in enumerate(rows):
                for i, (prediction, bound) in enumerate(row):
                    allowed = bound + slack[t][i] + self.unit * abs(prediction)
                    place = f"{name}[{i}] at {hook.name}"
                    yield Comparison(place, t, values[t][i], prediction, allowed, self.trial)

    @property
    def unit(self) -> float:
        """The rounding of a prediction; of an additive stream, of coordinates that hold it."""
        circuit = self.library.circuit
        form = ONCE[str(circuit.constants["computes_in"])]
        return 2**-50 if circuit.normalised else 4 * float(form.roundoff)

    def slack(self, stream: torch.Tensor, name: str) -> list[list[float]]:
        """Return the rounding of what an additive stream adds to coordinates, and of their sum."""
        steps = 0 if self.library.circuit.normalised else self.library.circuit.layers / 2 + 1
        read, _ = self.library.matrices[name]
        found: list[list[float]] = (steps * self.unit * (stream.abs() @ read.abs())).tolist()
        return found

    def outputs(self) -> Iterator[Comparison]:
        """The outputs, or the logits that the units of a logarithm give."""
        for t, row in enumerate(self.trace.outputs):
            for c in range(len(row)):
                value = predicted_output(self.trace, t, c)
                bound = self.allowed.outputs[t][c] + 2**-50 * abs(value)
                found = float(self.reading.outputs[t, c])
                yield Comparison(f"output {c}", t, found, value, bound, self.trial)


def predicted_output(trace: Trace, position: int, output: int) -> float:
    """An output of the exact machine; with a logarithm, c + b y - Σ w σ(s(1 - x/k)).

    y is f/M as the readout sees it, x as the units see it: without interventions they are the same.
    """
    readout = trace.circuit.readout
    log = readout.logarithm
    if log is None:
        return float(trace.outputs[position][output])
    with flint.ctx.workprec(128):
        seen = trace.argument(position, output)
        total = ball(log.offset) + ball(log.slope) * trace.linear(position, output)
        if trace.has_logits:
            total += log(seen) - ball(log.offset) - ball(log.slope) * seen
        return float((total * trace.last_factor(position)).mid())


def run_trial(library: Library, trial: Trial) -> TrialRun:
    """One trial in the library and in the machine."""
    trace, allowed = predictions(library.circuit, trial)
    with torch.no_grad():
        reading = library.run(trial.word, trial.interventions)
    return TrialRun(library, trial, reading, trace, allowed)


def check(folder: Path | str, seed: int = 0, interventions: int = 64) -> CircuitAnswer:
    """Compare the circuit of a folder with its model on trials drawn by a seed.

    Examples:
        >>> import assay, tempfile
        >>> written = assay.export(assay.families.counting(), assay.Order(4), tempfile.mkdtemp())
        >>> check(written.folder, interventions=12).verdict
        'agrees'

    """
    circuit = load_circuit(folder)
    library = load_library(Path(folder), circuit)
    return answer(library, draw_trials(circuit, interventions, seed))


def answer(library: Library, trials: Sequence[Trial]) -> CircuitAnswer:
    """Run trials until the first disagreement, and return the result."""
    kinds, count, unbounded, weak = Counter[str](), 0, 0, 0
    worst: Comparison | None = None
    disagreement: Comparison | None = None
    deviations = {True: 0.0, False: 0.0}
    for trial in trials:
        kinds[kind_of(trial)] += 1
        for each in run_trial(library, trial).comparisons():
            count += 1
            unbounded += each.allowed == float("inf")
            is_weak = 0 < abs(each.prediction) <= each.allowed
            weak += is_weak
            output = each.place.startswith("output")
            if not is_weak:
                deviations[output] = max(deviations[output], each.apart)
            worst = each if worst is None or each.share > worst.share else worst
            if disagreement is None and each.apart > each.allowed:
                disagreement = each
        if disagreement is not None:
            break
    return CircuitAnswer(
        library.name, dict(kinds), count, max(deviations.values()), deviations[True],
        worst, disagreement, unbounded, weak,
    )  # fmt: skip


def kind_of(trial: Trial) -> str:
    """Return the kind of a trial, in a few words."""
    names: dict[str, str] = {
        "Interchange": "interchanges",
        "RemoveEdge": "edges removed",
        "AblateFeature": "features set to 0",
        "AblateScratch": "features read as 0",
        "AblateHead": "heads ablated",
        "MoveHead": "heads moved",
        "AblateBlock": "blocks ablated",
    }
    changed: list[Any] = list(trial.interventions)
    return names[type(changed[0]).__name__] if changed else "without intervention"
