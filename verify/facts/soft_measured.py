"""mpmath runs Theorem 2's model with and without its MLPs; balls decide what the runs show.

    soft.measured   as C grows the error keeps the corrected recursion, or Equation (1), or its rate

For each automaton one word is run at each C, in mpmath with the weights that are built, layer by layer:
the error, the attention error and the MLP's own error η, all in spectral norm over all 2M positions.
The same runs are enclosed by balls. mpmath must agree with the balls; every comparison is theirs.

C is ⌈k ln 10 / (1 - cos(π/M))⌉, at which a softmax row gives away about 10^-k. With MLPs only k near the
digits of ε_mlp are run: the error falls with C until it reaches a floor that η sets. η is measured;
`proven` is the bound on it that the construction has, and the one that the corrected recursion uses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil
from typing import Any

import flint

from constructions.automata.wfa import WFA
from constructions.blocks.multiplication import Multiplier, slim_multiplier
from constructions.core.exact import ball, ceiling
from constructions.theorem1 import span
from verify.bounds import decay, measured, sweep
from verify.bounds.leak import gap
from verify.bounds.outward import decimal_above, decimal_below
from verify.bounds.recursion import printed_factor
from verify.facts.registry import fact
from verify.facts.soft_attention import Matrices, automaton
from verify.judge.outcome import Outcome

AGREEMENT = flint.arb(2) ** -36  # spectral norms are taken in floats, of 53 bits
AGAINST = ("corrected", "printed", "rate")
BEYOND = 12  # decades of C beyond the digits of ε_mlp


def constant(decades: int, length: int) -> int:
    """The least integer C for which exp(-C g) ≤ 10^-k."""
    with flint.ctx.workprec(128):
        return int(ceiling((decades * flint.arb(10).log() / gap(span(length))).ceil()))


def digits_of(eps: str) -> int:
    """k for ε = 10^-k."""
    return len(str(Fraction(eps).denominator)) - 1


def decades_near(eps: str, decades: Sequence[int]) -> list[int]:
    """The decades of C at which the floor of an MLP is looked at."""
    k = digits_of(eps)
    return [each for each in decades if k <= 2 * each and each <= k + BEYOND]


class Disagreement(ArithmeticError):
    """mpmath and the balls have different numbers for one run."""


@dataclass(frozen=True)
class Run:
    """One word at one C: the errors in balls, and those measured in mpmath."""

    saturation: int
    balls: sweep.SweepRow
    measured: measured.MeasuredBounds

    def checked(self) -> Run:
        """The run, if mpmath agrees with the balls in every layer."""
        with flint.ctx.workprec(self.balls.run.bits):
            for layer, error in zip(self.measured.layers, self.balls.errors, strict=True):
                seen = flint.arb(str(layer.error))
                if not (abs(seen - error) <= AGREEMENT * error or (seen == 0 and error == 0)):
                    raise Disagreement(f"C = {self.saturation}: {layer.error}, {error}")
        return self


@dataclass(frozen=True)
class Panel:
    """One automaton on one word: runs with exact products, and with each MLP."""

    name: str
    subject: WFA
    word: tuple[str, ...]
    length: int
    decades: Sequence[int]
    mlps: Sequence[Sequence[str]]

    def runs(self, decades: Sequence[int], network: Multiplier | None = None) -> list[Run]:
        """The runs at some decades."""
        found, word = [], self.word
        constants = [Fraction(constant(k, self.length)) for k in decades]
        enclosed = sweep.rows(self.subject, [word], self.length, constants, network)
        for c, row in zip(constants, enclosed, strict=True):
            seen = measured.measure(self.subject, word, self.length, c, network)
            found.append(Run(int(c), row, seen).checked())
        return found

    @cached_property
    def exact(self) -> list[Run]:
        """The runs with exact products."""
        return self.runs(self.decades)

    @cached_property
    def radius(self) -> Fraction:
        """A bound on the entries that an MLP reads: twice the largest entry of an exact token, and 1."""
        stages = measured.exact_scan(self.subject, self.word, self.length)
        entries: list[Any] = [x for tokens in stages[:-1] for token in tokens for x in token.flat]
        largest = max(map(abs, entries))
        return Fraction(ceil(2 * largest) + 1)

    @cached_property
    def floors(self) -> list[tuple[str, str, Multiplier, list[Run]]]:
        """The network and its runs, for each activation and ε."""
        found = []
        for activation, eps in self.mlps:
            network = slim_multiplier(self.subject.n, activation, self.radius, Fraction(eps))
            runs = self.runs(decades_near(eps, self.decades), network)
            found.append((activation, eps, network, runs))
        return found

    @property
    def every(self) -> list[Run]:
        """All runs."""
        return [*self.exact, *(run for *_, runs in self.floors for run in runs)]

    def ratio(self) -> flint.arb:
        """Error over Equation (1)'s bound after the last layer, exact products, at the largest C."""
        *_, last = self.exact
        with flint.ctx.workprec(last.balls.run.bits):
            return last.balls.errors[-1] / last.balls.printed[-1]

    def falls(self) -> list[tuple[flint.arb, flint.arb]]:
        """-Δ ln(error) / (g ΔC) - 1 between neighbouring C, and the bound on it that is derived.

        Exact products, with twice the bits of the other runs: the bound is near 10^-k. Pairs without a
        bound are left out.
        """
        bits = 2 * max(run.balls.run.bits for run in self.exact)
        constants = [run.balls.run.saturation for run in self.exact]
        rows = sweep.rows(self.subject, [self.word], self.length, constants, bits=bits)
        misses = [decay.miss(self.subject, self.word, self.length, c, bits) for c in constants]
        found = []
        with flint.ctx.workprec(bits):
            g = gap(span(self.length))
            for (one, before), (two, after) in pairwise(zip(rows, misses, strict=True)):
                if before is not None and after is not None:
                    whole = g * ball(two.run.saturation - one.run.saturation)
                    fall = one.errors[-1].log() - two.errors[-1].log()
                    found.append((fall / whole - 1, (before + after) / whole))
        return found

    def data(self) -> dict[str, Any]:
        """Return the drawing as plain data."""
        with flint.ctx.workprec(128):
            norm = decimal_above(printed_factor(self.subject) / 2)
        return {
            "label": self.name,
            "states": self.subject.n,
            "norm": norm,
            "word": "".join(self.word),
            **curves(self.exact),
            "mlps": [floor_data(*each) for each in self.floors],
        }


def curves(runs: Sequence[Run]) -> dict[str, list[str]]:
    """Errors and right sides after the last layer, enclosed: six digits on the safe side."""
    rows = [run.balls for run in runs]
    return {
        "C": [str(run.saturation) for run in runs],
        "error": [decimal_below(row.errors[-1]) for row in rows],
        "printed": [decimal_above(row.printed[-1]) for row in rows],
        "corrected": [decimal_below(row.corrected[-1]) for row in rows],
    }


def floor_data(
    activation: str, eps: str, network: Multiplier, runs: Sequence[Run]
) -> dict[str, Any]:
    """The runs with one MLP: right sides with the measured η, and the proven bound on η."""
    last = [(run.measured.layers[-1], run.measured) for run in runs]
    with flint.ctx.workprec(128):
        proven = decimal_above(ball(network.norm_bound))
    return {
        "activation": activation,
        "eps": eps,
        "step": str(network.step),
        "scale": str(network.scale),
        "proven": proven,
        "C": [str(run.saturation) for run in runs],
        "error": [decimal_below(run.balls.errors[-1]) for run in runs],
        "mlp": [short(layer.mlp) for layer, _ in last],
        "printed": [short(bounds.printed[-1]) for _, bounds in last],
        "corrected": [short(bounds.corrected[-1]) for _, bounds in last],
    }


def short(value: Any) -> str:
    """Six digits of an mpmath number, to the nearest."""
    import mpmath

    return format(Decimal(mpmath.nstr(value, 6)).normalize(), "g")


@fact("soft.measured", "enclosure", batch=True)
def soft_measured(asked: Sequence[Mapping[str, Any]]) -> list[Outcome]:
    """Every error keeps the corrected recursion, or Equation (1), or falls as `bounds.decay` derives."""
    panels: dict[str, list[Panel]] = {}
    found = []
    for parameters in asked:
        rest = {key: value for key, value in parameters.items() if key != "against"}
        made = panels.setdefault(repr(sorted(rest.items())), list(_panels(**rest)))
        found.append(OUTCOMES[parameters["against"]](made))
    return found


def _panels(
    automata: Mapping[str, Matrices],
    words: Mapping[str, str],
    length: int,
    decades: Sequence[int],
    mlps: Sequence[Sequence[str]] = (),
) -> Iterator[Panel]:
    for name, transitions in automata.items():
        yield Panel(name, automaton(transitions), tuple(words[name]), length, decades, mlps)


def _corrected(panels: Sequence[Panel]) -> Outcome:
    for panel in panels:
        for run in panel.every:
            if not run.balls.within(run.balls.corrected):
                return Outcome(False, {}, {**_place(panel, run)})
    drawing = {"length": panels[0].length, "panels": [panel.data() for panel in panels]}
    return Outcome(True, {"drawing": drawing})


def _printed(panels: Sequence[Panel]) -> Outcome:
    ratios = {panel.name: panel.ratio() for panel in panels}
    values = {"ratios": {name: decimal_below(ratio) for name, ratio in ratios.items()}}
    worst = max(panels, key=lambda panel: ratios[panel.name].mid())
    if not ratios[worst.name] > 1:
        return Outcome(True if all(r <= 1 for r in ratios.values()) else None, values)
    shown = {"ratio": decimal_below(ratios[worst.name])}
    return Outcome(False, values, {**_place(worst, worst.exact[-1]), **shown})


def _rate(panels: Sequence[Panel]) -> Outcome:
    falls = {panel.name: panel.falls() for panel in panels}
    values = {
        "misses": {
            name: [decimal_below(abs(miss)) for miss, _ in row] for name, row in falls.items()
        },
        "bounds": {name: [decimal_above(bound) for _, bound in row] for name, row in falls.items()},
    }
    for name, row in falls.items():
        if any(bool(abs(miss) > bound) for miss, bound in row):
            return Outcome(False, values, {"automaton": name})
    pairs = [pair for row in falls.values() for pair in row]
    decided = all(falls.values()) and all(bool(abs(miss) <= bound) for miss, bound in pairs)
    return Outcome(True if decided else None, values)


def _place(panel: Panel, run: Run) -> dict[str, Any]:
    return {
        "automaton": panel.name,
        "word": "".join(panel.word),
        "T": panel.length,
        "C": str(run.saturation),
    }


OUTCOMES = {"corrected": _corrected, "printed": _printed, "rate": _rate}
