"""Theorem 3 with soft attention and an MLP in every layer: one bound for all trees of a length.

Asks          which C and h bring the error of every state of every tree with |str(t)| ≤ T below ε,
              by the recursion of `verify.bounds.budget`; do runs in balls stay below its bound
Models        the repaired construction with positions on the line and on the circle, and the one
              without masks; the layers that find depths or lengths have MLPs like all others
Notation      C saturation, h = 2^-k step of the hidden units, four tanh units a product
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Any

import flint

from constructions.arithmetic import Balls
from constructions.random_trees import rational_wta
from constructions.smoothing import FourUnits, SoftplusUnits, Units, smoothed, softened
from constructions.theorem3 import Places, TreeSimulation, build
from constructions.theorem3_variants import Variant, build_free
from constructions.trees import shapes, tokens
from constructions.wta import WTA
from verify.bounds.budget import Subject, ball, enough_fineness, enough_saturation, error_bound
from verify.bounds.budget_certificate import certificate
from verify.bounds.trees import free_subject, subject
from verify.check import Job, check
from verify.claims.model import Name
from verify.engines.tree_evidence import holds
from verify.evidence import Evidence, Figure, Outcome, Series, Strength, Table

LITERAL, REPAIRED = Name.LITERAL, Name.REPAIRED
EPS = Fraction(1, 10**6)
ACTIVATION = "tanh"
ALPHABET = "abcd"
Hard = TreeSimulation | Variant


def on_the_line(automaton: WTA, length: int) -> tuple[Hard, Subject]:
    """The repaired construction with integer positions."""
    model = build(automaton, length, places=Places.LINE)
    return model, subject(model)


def on_the_circle(automaton: WTA, length: int) -> tuple[Hard, Subject]:
    """The repaired construction with positions as in print."""
    model = build(automaton, length)
    return model, subject(model)


def without_masks(automaton: WTA, length: int) -> tuple[Hard, Subject]:
    """The construction of Section 2.4's architecture, which has no mask."""
    model = build_free(automaton, length)
    return model, free_subject(model)


MODELS: dict[str, Callable[[WTA, int], tuple[Hard, Subject]]] = {
    "line": on_the_line,
    "circle": on_the_circle,
    "no mask": without_masks,
}


@dataclass(frozen=True)
class Smoothed:
    """A soft transformer with MLPs: its constants, and what it errs at most on every tree."""

    name: str
    known: Subject
    model: Hard
    saturation: int
    fineness: int
    bound: Fraction

    @property
    def units(self) -> FourUnits:
        """The hidden units of a product."""
        return FourUnits.of(ACTIVATION, self.fineness)

    @property
    def bits(self) -> int:
        """Binary digits for balls: units cancel most of theirs, a leak of e^(-Cg) must be seen."""
        return 512 + 16 * self.fineness + ceil(2 * self.saturation * self.known.gap)

    def error(self, symbols: Sequence[str]) -> flint.arb:
        """A ball around the largest error of an entry of a state."""
        with Balls(self.bits) as balls:
            rows = self.model.states(symbols, balls)
            largest = flint.arb(0)
            for i, state in self.model.automaton.states(symbols).items():
                for found, wanted in zip(rows[i - 1], state, strict=True):
                    largest = largest.max(abs(found - balls.element(wanted)))
        return largest

    def against(self, strings: Sequence[Sequence[str]]) -> Compared:
        """Runs on trees, up to the first whose error is certainly above the bound."""
        outcome, worst = Outcome.HOLDS, flint.arb(0)
        for symbols in strings:
            error = self.error(symbols)
            with flint.ctx.workprec(self.bits):
                worst, bound = worst.max(error), ball(self.bound)
                if error > bound:
                    return Compared(self, Outcome.FAILS, error, "".join(symbols))
                if not error <= bound:
                    outcome = Outcome.UNKNOWN
        return Compared(self, outcome, worst, "")


@dataclass(frozen=True)
class Compared:
    """Whether all errors are below the bound, the largest one, the first tree above."""

    model: Smoothed
    outcome: Outcome
    worst: flint.arb
    above: str

    def text(self) -> str:
        """The constants, and what was seen."""
        return (
            f"n = {self.model.model.automaton.n}: C = {self.model.saturation}, "
            f"h = 2^-{self.model.fineness}, largest error in balls "
            f"{self.worst.str(3, radius=False)}"
        )


def smoothed_model(name: str, automaton: WTA, length: int, eps: Fraction = EPS) -> Smoothed:
    """Half of ε for soft attention, the rest for the MLPs."""
    hard, known = MODELS[name](automaton, length)
    saturation = enough_saturation(known, eps / 2)
    fineness = enough_fineness(known, saturation, eps, ACTIVATION)
    units = FourUnits.of(ACTIVATION, fineness)
    soft = softened(hard.transformer, saturation)
    model = replace(hard, transformer=smoothed(soft, units, known.one))
    bound = error_bound(known, saturation, units)
    return Smoothed(name, known, model, saturation, fineness, bound)


def trees_up_to(leaves: int) -> list[tuple[str, ...]]:
    """str(t) of every ordered shape, its leaves lettered in turn."""
    found = []
    for size in range(1, leaves + 1):
        for shape in shapes(size):
            letters = iter(ALPHABET * leaves)
            found.append(tuple(next(letters) if s not in "[]" else s for s in tokens(shape)))
    return found


CLAIMS = (
    ("beyond.tree.soft", LITERAL),
    ("wta.sim.approximate", REPAIRED),
    ("thm3.error", REPAIRED),
)


@check("beyond.tree.soft", "wta.sim.approximate", "thm3.error", "thm3.exists")
def soft_attention_with_mlps_in_every_layer(job: Job) -> Iterator[Evidence]:
    """Find C and h for all trees of a length, then run every small tree in balls."""
    leaves = 5 if job.full else 4
    automata = [rational_wta(n, n, ALPHABET) for n in ((1, 2, 3) if job.full else (2,))]
    shown: dict[str, Any] = {"figures": (steps(),), "tables": (needs(job.full),)}
    for name in MODELS:
        found = [
            smoothed_model(name, automaton, 3 * leaves - 2).against(trees_up_to(leaves))
            for automaton in automata
        ]
        claims = (*CLAIMS, ("thm3.exists", LITERAL)) if name == "no mask" else CLAIMS
        for claim, reading in claims:
            yield said(claim, reading, found, leaves, shown)
        shown = {}


def said(
    claim: str, reading: Name, runs: list[Compared], leaves: int, shown: dict[str, Any]
) -> Evidence:
    """The evidence of one construction for several automata."""
    last = runs[-1].model
    each = "; ".join(run.text() for run in runs)
    text = (
        f"Four {ACTIVATION} units a product in every layer. {each}. So large a C and so small an h "
        f"bound the error of every state of every tree with |str(t)| ≤ {last.model.length} by {EPS}."
    )
    sizes = ", ".join(str(run.model.model.automaton.n) for run in runs)
    evidence = holds(
        claim,
        reading,
        Strength.ENCLOSURE,
        f"softmax and MLPs in all layers, {described(last.name)}; all trees with at most {leaves} "
        f"leaves, a random rational WTA for each n in {{{sizes}}}, ε = {EPS}",
        text,
        written(last),
        engine="python-flint arb",
        limits="One automaton and one length at a time; that C and h exist for all is the recursion, "
        "derived in `verify.bounds.budget`. The certificate is for the largest n"
        + (". " if last.known.gap == 1 else ", with positions on the line. ")
        + "It takes layers, gap and the sizes of all coordinates but the states as given.",
        **shown,
    )
    bad = next((run for run in runs if run.outcome is not Outcome.HOLDS), runs[0])
    return replace(evidence, outcome=bad.outcome, counterexample=bad.above)


def described(name: str) -> str:
    """A model in words."""
    return "no masks" if name == "no mask" else f"masks, positions on the {name}"


def written(model: Smoothed) -> dict[str, Any]:
    """Plain data; on the circle weights are no rationals, and the line's model stands for it."""
    if model.known.gap != 1:
        length = model.model.length
        model = smoothed_model("line", model.model.automaton, length)
    automaton = model.model.automaton
    return certificate(model.known, automaton, model.saturation, model.units, EPS)


def needs(full: bool) -> Table:
    """C and k that are enough for ε, by length and model."""
    rows = []
    automaton = rational_wta(2, 2, ALPHABET)
    for length in (4, 10, 25, 40, 100, 400) if full else (4, 10, 25, 40):
        found: list[str] = [str(length)]
        for make in MODELS.values():
            known = make(automaton, length)[1]
            saturation = enough_saturation(known, EPS / 2)
            fineness = enough_fineness(known, saturation, EPS, ACTIVATION)
            found += [str(saturation), str(fineness)]
        rows.append(tuple(found))
    header = ("T", *(f"{what}, {name}" for name in MODELS for what in ("C", "k")))
    title = "C and h = 2^-k enough for every tree, ε = 1e-6, n = 2"
    return Table("tree-needs", title, header, tuple(rows))


def steps() -> Figure:
    """Error of the MLPs against the step, on one tree."""
    symbols, fineness, saturation = "[[ab][cd]]", (8, 14, 20, 26, 32), 80
    hard, known = on_the_line(rational_wta(2, 2, ALPHABET), len(symbols))
    soft = softened(hard.transformer, saturation)
    found: dict[str, list[str]] = {"four": [], "shared": []}
    for k in fineness:
        ways: dict[str, Units] = {"four": FourUnits.of(ACTIVATION, k)}
        ways["shared"] = SoftplusUnits(Fraction(1, 1 << k))
        for way, units in ways.items():
            model = replace(hard, transformer=smoothed(soft, units, known.one))
            run = Smoothed("line", known, model, saturation, k, EPS)
            found[way].append(_decimal(run.error(symbols)))
    marks = tuple(str(k) for k in fineness)
    return Figure(
        "tree-step",
        f"Error of MLPs in every layer on {symbols}, C = {saturation}",
        "The certified error falls like h², four times for each bit of the step.",
        "k, step h = 2^-k",
        "log10 of the error",
        (
            Series("four tanh units a product", marks, tuple(found["four"])),
            Series("softplus units, shared", marks, tuple(found["shared"])),
        ),
    )


def _decimal(value: flint.arb) -> str:
    with flint.ctx.workprec(64):
        return f"{float((value.log() / flint.arb(10).log()).mid()):.3f}"
