"""The ten PAutomaC automata of Table 1: descriptors, probabilities, and shortcuts by construction.

Claimed       states, symbols, type and symbol sparsity of ten automata; targets of length T = 64,
              read out by a softmax because states are distributions
Checked       the files against their own solution files, the descriptors against Table 1, the
              states against what a softmax can return, Theorem 1's transformer on every automaton
Notation      n states, ρ the largest sum of a row of some A^a: states after t symbols sum to at
              most ρ^t; any softmax output misses such a state by (1 - ρ^t)² / n² or more
Unlike print  "symbol sparsity" is the share of pairs (state, symbol) that CAN be emitted

The files are not part of this project; without them these checks have nothing to say.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from constructions.pautomac import read_problem
from constructions.wfa import WFA
from verify.bounds.saturation import required_saturation
from verify.check import Job, check
from verify.claims.model import Name
from verify.evidence import Evidence, Outcome, Strength, Table
from verify.experiments import targets
from verify.experiments.consistency import layers_mismatch
from verify.experiments.printed import EPSILON, PRINTED, interval
from verify.experiments.targets import Facts, facts

LENGTH = 64
SMALL = 6
ALLOWED = Fraction(1, 10**9)
ROWS = tuple(f"tab1.row-{number}" for number in PRINTED.one)
DESCRIPTORS = ("tab1.states", "tab1.alphabet", "tab1.type", "tab1.sparsity")
NOT_GIVEN = "data not given"


def given(folder: Path | None) -> list[str]:
    """The problems of Table 1 whose files are in the folder."""
    if folder is None:
        return []
    return [p for p in PRINTED.one if (folder / f"{p}.pautomac_model.txt").exists()]


def unavailable(claims: Sequence[str]) -> Iterator[Evidence]:
    """Say of each claim that the data are not given."""
    for claim in claims:
        yield Evidence(claim, Outcome.UNAVAILABLE, Strength.EXACT, "", NOT_GIVEN)


@check(*DESCRIPTORS, *ROWS, "exp.train.pautomac.types", needs=("pautomac",))
def descriptors_follow_from_the_files(job: Job) -> Iterator[Evidence]:
    """Recompute states, alphabet, type and symbol sparsity of every automaton of Table 1."""
    if set(given(job.pautomac)) != set(PRINTED.one) or job.pautomac is None:
        yield from unavailable((*DESCRIPTORS, *ROWS, "exp.train.pautomac.types"))
        return
    found = [facts(job.pautomac, problem) for problem in PRINTED.one]
    yield from descriptors(found)
    for item in found:
        yield from row(item)


def descriptors(found: Sequence[Facts]) -> Iterator[Evidence]:
    """One descriptor after the other, over all automata."""
    wrong = {item.problem: item.differences(PRINTED.one[item.problem]) for item in found}
    for claim in DESCRIPTORS:
        name = claim.partition(".")[2]
        bad = [problem for problem, names in wrong.items() if name in names]
        told = f"Recomputed from {len(found)} model files; differs for {', '.join(bad) or 'none'}."
        if name == "sparsity":
            told += f" {_cut(found, bad)}"
        yield _exact(claim, not bad, _certificate(found, name, bad), told, ", ".join(bad))
    yield _within_one_unit(found)
    deterministic = [item.problem for item in found if item.type == "DPFA"]
    told = f"Deterministic among the {len(found)} automata: {', '.join(deterministic) or 'none'}."
    body = _certificate(found, "deterministic", deterministic)
    yield _exact("exp.train.pautomac.types", not deterministic, body, told)


def _cut(found: Sequence[Facts], bad: Sequence[str]) -> str:
    cases = [item for item in found if item.problem in bad]
    return " ".join(
        f"Automaton {i.problem}: {i.filled} = {float(i.filled):.6f}, printed "
        f"{PRINTED.one[i.problem].sparsity}."
        for i in cases
    )


def _within_one_unit(found: Sequence[Facts]) -> Evidence:
    """The share of pairs that can be emitted, for one choice in all columns."""
    gaps = [abs(i.filled - Fraction(PRINTED.one[i.problem].sparsity)) for i in found]
    told = (
        "Symbol sparsity is the share of pairs of state and symbol whose probability is not "
        "zero, in all ten columns to within one unit of the last place."
    )
    body = _certificate(found, "share", [])
    holds = max(gaps) < Fraction(1, 10**4)
    return _exact("tab1.sparsity", holds, body, told, reading=Name.CHARITABLE)


def _certificate(found: Sequence[Facts], what: str, bad: Sequence[str]) -> dict[str, Any]:
    return {
        "kind": "pautomac.descriptors",
        "what": what,
        "differs": list(bad),
        "problems": [item.plain() for item in found],
    }


def _exact(
    claim: str,
    holds: bool,
    body: dict[str, Any],
    summary: str,
    counterexample: str = "",
    reading: Name = Name.LITERAL,
    limits: str = "",
) -> Evidence:
    outcome = Outcome.HOLDS if holds else Outcome.FAILS
    return Evidence(
        claim,
        outcome,
        Strength.EXACT,
        "the ten automata of Table 1",
        summary,
        reading=reading,
        certificate=body,
        counterexample=counterexample,
        limits=limits,
    )


def row(item: Facts) -> Iterator[Evidence]:
    """One column of Table 1: descriptors exact, the number of layers only as Table 2 has it."""
    differs = item.differences(PRINTED.one[item.problem])
    told = (
        f"{item.states} states, {item.alphabet} symbols, {item.type}, share of pairs "
        f"{item.filled} = {float(item.filled):.6f}"
    )
    claim = f"tab1.row-{item.problem}"
    if differs:
        body = _certificate([item], differs[0], [item.problem])
        printed = getattr(PRINTED.one[item.problem], differs[0])
        summary = f"The file gives {told}; printed {differs[0]} {printed}."
        yield _exact(claim, False, body, summary, summary)
    elif item.problem not in layers_mismatch(PRINTED):
        known = "agrees with Table 2" if item.problem in PRINTED.two else "is in no other table"
        yield Evidence(
            claim,
            Outcome.HOLDS,
            Strength.OBSERVED,
            f"automaton {item.problem}",
            f"The file gives {told}, as printed; the number of layers {known}.",
            limits="That training needs this number of layers is the authors' observation.",
        )


@check("exp.pautomac.setup", needs=("pautomac",))
def test_probabilities_follow_from_the_models(job: Job) -> Iterator[Evidence]:
    """Recompute every test probability in balls and compare it with the solution file."""
    problems = given(job.pautomac)
    if job.pautomac is None or not problems:
        yield from unavailable(("exp.pautomac.setup",))
        return
    errors = {problem: targets.largest_error(job.pautomac, problem) for problem in problems}
    worst = max(errors.values())
    body: dict[str, Any] = {
        "kind": "pautomac.probabilities",
        "allowed": str(ALLOWED),
        "errors": {problem: str(error) for problem, error in errors.items()},
    }
    yield Evidence(
        "exp.pautomac.setup",
        Outcome.HOLDS if worst <= ALLOWED else Outcome.FAILS,
        Strength.ENCLOSURE,
        f"the automata {', '.join(problems)}, 1000 test words each",
        f"All test probabilities recomputed from the model files agree with the solution files; "
        f"the largest relative error is at most {float(worst):.2g}.",
        engine="flint.arb",
        certificate=body,
        limits="That these files are the authors' targets is seen from Table 1's descriptors.",
    )


@check("exp.train.pautomac.softmax", "exp.train.task", needs=("pautomac",))
def a_softmax_cannot_return_the_states(job: Job) -> Iterator[Evidence]:
    """Bound from below the error of any softmax readout on the automata's states."""
    problems = [p for p in given(job.pautomac) if p in PRINTED.two]
    if job.pautomac is None or not problems:
        yield from unavailable(("exp.train.pautomac.softmax", "exp.train.task"))
        return
    cases = [_floor(read_problem(job.pautomac, int(p)), p) for p in problems]
    yield from softmax(cases)


def _floor(automaton: WFA, problem: str) -> dict[str, Any]:
    """The least error that a softmax can have, beside the least one printed."""
    largest = targets.largest_row(automaton)
    least = min(PRINTED.two[problem].cells, key=Fraction)
    floor = targets.softmax_floor(largest, automaton.n, LENGTH)
    return {
        "problem": problem,
        "states": automaton.n,
        "largest": str(largest),
        "printed": least,
        "excluded": floor > interval(least)[1],
        "nonnegative": targets.nonnegative(automaton),
    }


def softmax(cases: Sequence[dict[str, Any]]) -> Iterator[Evidence]:
    """Say whether states sum to one and printed errors can be errors on the states."""
    short = [case for case in cases if Fraction(case["largest"]) < 1]
    body = {"kind": "pautomac.softmax", "length": LENGTH, "cases": list(cases)}
    told = (
        f"In {len(short)} of {len(cases)} automata every step lowers the sum of the state "
        f"(largest factors {', '.join(_decimal(case) for case in short)}), so that no state after "
        f"the first is a distribution."
    )
    claim = "exp.train.pautomac.softmax"
    yield _exact(claim, not short, body, told, f"automaton {short[0]['problem']}" if short else "")
    told = "States have no negative entries: divided by a positive sum, each is a distribution."
    good = all(case["nonnegative"] for case in cases)
    yield _exact(claim, good, body, told, reading=Name.CHARITABLE)
    excluded = [case["problem"] for case in cases if case["excluded"]]
    floors = ", ".join(
        f"{case['problem']}: {float(_floor_of(case)):.2g} > {case['printed']}"
        for case in cases
        if case["excluded"]
    )
    told = (
        f"No softmax output comes as near to the states as Table 2 prints for {len(excluded)} of "
        f"{len(cases)} automata (floor > least printed error: {floors or 'none'}); there the "
        f"targets must have been other vectors, such as states divided by their sum."
    )
    if excluded:
        limits = "The MSE is taken as the mean over all entries, as 'mean reduction' says."
        yield _exact("exp.train.task", False, body, told, floors, limits=limits)
    else:
        scope = "the PAutomaC automata"
        yield Evidence("exp.train.task", Outcome.UNKNOWN, Strength.EXACT, scope, told)


def _decimal(case: dict[str, Any]) -> str:
    return f"{float(Fraction(case['largest'])):.4f}"


def _floor_of(case: dict[str, Any]) -> Fraction:
    return targets.softmax_floor(Fraction(case["largest"]), case["states"], LENGTH)


@check("beyond.pautomac", needs=("pautomac",))
def six_layers_give_the_exact_states(job: Job) -> Iterator[Evidence]:
    """Run Theorem 1's attention at T = 64 on words of a free monoid and on the real automata."""
    problems = given(job.pautomac)
    if job.pautomac is None or not problems:
        yield from unavailable(("beyond.pautomac",))
        return
    looks = targets.pattern(LENGTH)
    lines = [_built(read_problem(job.pautomac, int(p)), p, looks, job) for p in problems]
    yield built(targets.prefixes(looks, LENGTH), lines, len(looks))


@dataclass(frozen=True)
class Built:
    """Theorem 1's transformer for one automaton, and how it did on drawn words."""

    problem: str
    states: int
    exact: bool
    float64: float
    constant: str
    soft: str


def _built(automaton: WFA, problem: str, looks: targets.Pattern, job: Job) -> Built:
    words = [targets.support_word(automaton, LENGTH, seed) for seed in range(5 if job.full else 1)]
    exact = all(targets.exact_states_agree(automaton, word, looks) for word in words)
    small = job.full or automaton.n <= SMALL
    constant = required_saturation(automaton, LENGTH, EPSILON).constant if small else None
    told = soft = "in the full profile"
    if constant is not None:
        told = f"{float(constant):.0f}"
        soft = f"{targets.soft_error(automaton, words[0], constant):.1e}"
    error = targets.float_error(automaton, words[0])
    return Built(problem, automaton.n, exact, error, told, soft)


def built(general: bool, lines: Sequence[Built], layers: int) -> Evidence:
    """Say whether the construction reaches the paper's own targets."""
    wrong = [line.problem for line in lines if not line.exact]
    worst = max(line.float64 for line in lines)
    return Evidence(
        "beyond.pautomac",
        Outcome.HOLDS if general and not wrong else Outcome.FAILS,
        Strength.EXACT,
        f"automata {', '.join(line.problem for line in lines)}, all words of length up to {LENGTH}",
        f"With {layers} layers each position t ends with the product of x_1 … x_t whatever the "
        f"matrices are; on drawn words the states of all {len(lines)} automata are equal in "
        f"rationals (wrong: {', '.join(wrong) or 'none'}), and in float64 the error is at most "
        f"{worst:.1e} of the state's sum.",
        engine="flint",
        certificate={
            "kind": "pautomac.scan",
            "length": LENGTH,
            "layers": layers,
            "problems": {line.problem: line.states for line in lines},
        },
        counterexample=", ".join(wrong),
        limits="Hard attention and bilinear layers, not the architecture that was trained.",
        tables=(_beside_the_trained(lines, layers),),
    )


def _beside_the_trained(lines: Sequence[Built], layers: int) -> Table:
    header = (
        "automaton",
        "n",
        "layers",
        "embedding 2n² + 2",
        "float64 error",
        "C for soft attention within 0.001",
        "its float64 error",
        "printed least MSE",
    )
    rows = tuple(
        (
            line.problem,
            str(line.states),
            str(layers),
            str(2 * line.states**2 + 2),
            f"{line.float64:.1e}",
            line.constant,
            line.soft,
            _least(line.problem),
        )
        for line in lines
    )
    return Table("pautomac-constructed", "Constructed and trained, T = 64", header, rows)


def _least(problem: str) -> str:
    row = PRINTED.two.get(problem)
    return min(row.cells, key=Fraction) if row else "not printed"
