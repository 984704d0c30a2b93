"""From evidence to verdicts: computed, never typed.

    reading   evidence                                       verdict
              holds, symbolic or exact                       proved
              holds, enclosure or exhaustive                 certified
              holds, sampled or observed                     supported
              fails                                          refuted
              only unknown                                   undecided
              none, or only unavailable                      not-checked
              broken, or both fails and holds for all        broken
    claim     the literal reading's verdict; where that is refuted and a charitable or repaired
              reading is proved or certified: repaired
    standing  the claim's verdict, lowered to that of the weakest claim it rests on; a repaired
              slip lowers nothing, and what is not decided itself has nothing to lower

A verdict is not a boolean: `bool(verdict)` raises.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from verify.claims.model import Claim, Name, Severity
from verify.evidence import Evidence, Outcome, Strength


class Verdict(StrEnum):
    """What may be said of a claim, strongest first."""

    PROVED = "proved"
    CERTIFIED = "certified"
    SUPPORTED = "supported"
    UNDECIDED = "undecided"
    NOT_CHECKED = "not-checked"
    REPAIRED = "repaired"
    REFUTED = "refuted"
    BROKEN = "broken"

    def __bool__(self) -> bool:
        raise TypeError("a verdict is not a boolean: compare it with a member of Verdict")


ORDER = tuple(Verdict)
DECIDED = frozenset(
    {Verdict.PROVED, Verdict.CERTIFIED, Verdict.SUPPORTED, Verdict.REPAIRED, Verdict.REFUTED}
)
RIGOROUS = frozenset({Verdict.PROVED, Verdict.CERTIFIED})
BY_STRENGTH = {
    Strength.SYMBOLIC: Verdict.PROVED,
    Strength.EXACT: Verdict.PROVED,
    Strength.ENCLOSURE: Verdict.CERTIFIED,
    Strength.EXHAUSTIVE: Verdict.CERTIFIED,
    Strength.SAMPLED: Verdict.SUPPORTED,
    Strength.OBSERVED: Verdict.SUPPORTED,
}


@dataclass(frozen=True)
class Finding:
    """The verdict on one reading, with the evidence that decided it."""

    reading: Name
    verdict: Verdict
    decisive: Evidence | None
    reason: str = ""

    @property
    def scope(self) -> str:
        """For which sizes the verdict was shown."""
        return self.decisive.scope if self.decisive else ""


@dataclass(frozen=True)
class Judgement:
    """The verdict on one claim, its readings, and where it stands among its ancestors."""

    claim: Claim
    findings: tuple[Finding, ...]
    verdict: Verdict
    decisive: Finding

    @property
    def grade(self) -> str:
        """How much the trouble matters; empty where there is none."""
        trouble = self.verdict in (Verdict.REFUTED, Verdict.REPAIRED)
        return self.claim.severity.value if trouble else ""


def find(reading: Name, evidence: Sequence[Evidence]) -> Finding:
    """The verdict on one reading."""
    by_outcome: dict[Outcome, list[Evidence]] = {outcome: [] for outcome in Outcome}
    for item in evidence:
        by_outcome[item.outcome].append(item)
    holds, fails = by_outcome[Outcome.HOLDS], by_outcome[Outcome.FAILS]
    if broken := by_outcome[Outcome.BROKEN]:
        return Finding(reading, Verdict.BROKEN, broken[0], broken[0].summary)
    if fails and any(item.strength is Strength.SYMBOLIC for item in holds):
        return Finding(reading, Verdict.BROKEN, fails[0], "one check proves it, another refutes it")
    if fails:
        return Finding(reading, Verdict.REFUTED, strongest(fails))
    if holds:
        best = strongest(holds)
        return Finding(reading, BY_STRENGTH[best.strength], best)
    if unknown := by_outcome[Outcome.UNKNOWN]:
        return Finding(reading, Verdict.UNDECIDED, unknown[0], unknown[0].summary)
    absent = by_outcome[Outcome.UNAVAILABLE]
    reason = absent[0].summary if absent else "no check speaks of it"
    return Finding(reading, Verdict.NOT_CHECKED, absent[0] if absent else None, reason)


def strongest(evidence: Sequence[Evidence]) -> Evidence:
    """The evidence of the strongest kind; the first of equals."""
    order = tuple(Strength)
    return min(evidence, key=lambda item: order.index(item.strength))


def judge(claim: Claim, evidence: Sequence[Evidence]) -> Judgement:
    """The verdict on one claim, from the evidence on its readings."""
    findings = tuple(
        find(reading.name, [item for item in evidence if item.reading is reading.name])
        for reading in claim.all_readings()
    )
    literal = findings[0]
    if literal.verdict is Verdict.NOT_CHECKED and claim.uncheckable:
        literal = Finding(literal.reading, literal.verdict, None, claim.uncheckable)
        findings = (literal, *findings[1:])
    if literal.verdict is Verdict.REFUTED:
        for finding in findings[1:]:
            if finding.verdict in RIGOROUS:
                return Judgement(claim, findings, Verdict.REPAIRED, finding)
    return Judgement(claim, findings, literal.verdict, literal)


def standings(judgements: Mapping[str, Judgement]) -> dict[str, tuple[Verdict, str]]:
    """For each claim its verdict with ancestors counted, and the ancestor that lowered it.

    In a run of some claims only, ancestors that were not run do not count.
    """
    done: dict[str, tuple[Verdict, str]] = {}

    def standing(name: str) -> tuple[Verdict, str]:
        if name not in done:
            own = judgements[name]
            known = [ancestor for ancestor in own.claim.rests_on if ancestor in judgements]
            above = [(*standing(ancestor), ancestor) for ancestor in known]
            done[name] = _lowered(own.verdict, above, judgements)
        return done[name]

    for name in judgements:
        standing(name)
    return done


def _lowered(
    own: Verdict, above: list[tuple[Verdict, str, str]], judgements: Mapping[str, Judgement]
) -> tuple[Verdict, str]:
    lowest, culprit = own, ""
    if own not in DECIDED:
        return own, ""
    for verdict, origin, ancestor in above:
        source = origin or ancestor
        slip = judgements[source].claim.severity is Severity.SLIP
        if slip and verdict is Verdict.REPAIRED:
            continue
        if ORDER.index(verdict) > ORDER.index(lowest):
            lowest, culprit = verdict, source
    return lowest, culprit
