"""From facts to verdicts: a pure function of the paper's data and of what was found.

    one binding    outcome as expected: supports or refutes · undecided: open · absent: nothing
                   any other outcome, or a crash: broken, which says nothing on the paper
    one interpretation    broken ▸ refuted (with a witness or an impossibility) ▸ proved (the whole range,
                   no condition of ours) ▸ checked ▸ measured ▸ vouched (a person's word alone)
                   ▸ open ▸ unchecked
    statement      the printed interpretation; where that is refuted and the repaired one holds: repaired
    standing       the verdict, lowered to the weakest of what it rests on; a slip lowers nothing

How much of the range was covered (the verdict) and how it was covered (the method) are two axes.
A verdict is not a boolean: `bool(verdict)` raises.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from verify.judge.data import GRADES, METHODS, PERSON, Binding, Paper, Plain, Statement
from verify.judge.outcome import Outcome


class Verdict(StrEnum):
    """Part of a statement's range that was shown; best first."""

    PROVED = "proved"
    CHECKED = "checked"
    MEASURED = "measured"
    VOUCHED = "vouched"
    REPAIRED = "repaired"
    OPEN = "open"
    UNCHECKED = "unchecked"
    REFUTED = "refuted"
    BROKEN = "broken"
    NONE = "no verdict"

    def __bool__(self) -> bool:
        raise TypeError("a verdict is not a boolean: compare it with a member of Verdict")


ORDER = tuple(Verdict)
COMPUTED = frozenset({Verdict.PROVED, Verdict.CHECKED, Verdict.MEASURED})
HOLDS = COMPUTED | {Verdict.VOUCHED}
DECIDED = HOLDS | {Verdict.REPAIRED, Verdict.REFUTED}
WEAKER = {
    "sampled": Verdict.MEASURED,
    "observed": Verdict.MEASURED,
    PERSON: Verdict.VOUCHED,
}
REFERENCE = {
    "proved": "confirmed",
    "checked": "confirmed",
    "measured": "confirmed",
    "repaired": "contradicted",
    "refuted": "contradicted",
    "open": "unknown",
    "unchecked": "unknown",
}
WORDS: Mapping[str, Mapping[str, str]] = {
    "definition": {"proved": "well-formed", "refuted": "ill-formed", "repaired": "ill-formed"},
    "history": REFERENCE,
    "citation": REFERENCE,
    "measurement": {
        "proved": "consistent",
        "checked": "consistent",
        "measured": "consistent",
        "repaired": "inconsistent",
        "refuted": "inconsistent",
        "open": "not repeated",
        "unchecked": "not repeated",
    },
}


class Disagreement(ValueError):
    """Two statements that say the same got different verdicts."""


@dataclass(frozen=True)
class Interpretation:
    """The verdict on one interpretation, and what each of its bindings contributed."""

    name: str
    rank: Verdict
    method: str = ""
    scope: str = ""
    reason: str = ""
    decisive: Binding | None = None
    weights: tuple[tuple[Binding, str], ...] = ()


@dataclass(frozen=True)
class Judgement:
    """Judgement of a statement; `verdict` is the word of its form for `rank`."""

    rank: Verdict
    interpretation: Interpretation
    interpretations: tuple[Interpretation, ...]
    verdict: str = ""
    findings: tuple[str, ...] = ()
    grade: str = ""
    standing: Verdict = Verdict.NONE
    through: str = ""  # the statement that lowered the standing
    witness: Mapping[str, Plain] = field(default_factory=dict)


def word(form: str, rank: Verdict) -> str:
    """A verdict in the words of the statement's form."""
    return WORDS.get(form, {}).get(rank.value, rank.value)


def weigh(binding: Binding, found: Outcome) -> str:
    """Weight of one fact for the statement it is bound to."""
    if found.missing:
        return "absent"
    if found.crash:
        return "broken"
    if found.holds is None:
        return "open"
    if found.holds != (binding.outcome == "holds"):
        return "broken"
    if not binding.refutes:
        return "supports"
    return "refutes" if found.witness or binding.impossibility else "open"


def judge_interpretation(
    name: str, bindings: Sequence[Binding], found: Mapping[str, Outcome]
) -> Interpretation:
    """The verdict on one interpretation."""
    ordered = sorted(bindings, key=lambda b: METHODS.index(b.method))
    weights = tuple((b, weigh(b, found[b.key])) for b in ordered)
    result = _rank_interpretation(weights, found)
    return replace(result, name=name, weights=weights)


def _rank_interpretation(
    weights: Sequence[tuple[Binding, str]], found: Mapping[str, Outcome]
) -> Interpretation:
    def having(weight: str) -> list[Binding]:
        return [b for b, w in weights if w == weight]

    supports, refutes = having("supports"), having("refutes")
    whole = [b for b in supports if b.whole]
    if broken := having("broken"):
        reason = found[broken[0].key].crash or "did not come out as expected"
        return Interpretation("", Verdict.BROKEN, reason=f"{broken[0].fact}: {reason}")
    if refutes and whole:
        reason = f"{whole[0].fact} proves it and {refutes[0].fact} refutes it"
        return Interpretation("", Verdict.BROKEN, reason=reason)
    if refutes:
        return _decision(Verdict.REFUTED, refutes[0])
    if whole:
        return _decision(Verdict.PROVED, whole[0])
    if supports:
        return _decision(WEAKER.get(supports[0].method, Verdict.CHECKED), supports[0])
    if undecided := having("open"):
        return Interpretation("", Verdict.OPEN, reason=f"{undecided[0].fact} does not decide it")
    lacking = sorted({found[b.key].missing for b in having("absent")})
    return Interpretation(
        "", Verdict.UNCHECKED, reason=f"needs {', '.join(lacking)}" if lacking else ""
    )


def _decision(rank: Verdict, by: Binding) -> Interpretation:
    scope = "" if by.refutes else by.scope
    return Interpretation("", rank, by.method, scope, by.because, by)


def own_judgement(statement: Statement, found: Mapping[str, Outcome]) -> Judgement:
    """The judgement on a statement apart from what it rests on."""
    if statement.form == "view":
        none = Interpretation("printed", Verdict.NONE, reason=statement.reason)
        return Judgement(Verdict.NONE, none, (none,), verdict=Verdict.NONE.value)
    interpretations = tuple(
        judge_interpretation(
            name, [b for b in statement.binding if b.interpretation == name], found
        )
        for name in ("printed", *(("repaired",) if statement.repair else ()))
    )
    rank, interpretation = _deciding_interpretation(interpretations)
    if rank is Verdict.UNCHECKED and not interpretation.reason:
        interpretation = replace(interpretation, reason=statement.reason)
    against = [b for b, w in interpretations[0].weights if w == "refutes"]
    witness = (found[against[0].key].witness or found[against[0].key].values) if against else {}
    return Judgement(
        rank, interpretation, interpretations, word(statement.form, rank), witness=witness
    )


def _deciding_interpretation(
    interpretations: Sequence[Interpretation],
) -> tuple[Verdict, Interpretation]:
    printed, *others = interpretations
    for repaired in others:
        if repaired.rank is Verdict.BROKEN:
            return Verdict.BROKEN, repaired
        if printed.rank is Verdict.REFUTED and repaired.rank in COMPUTED:
            return Verdict.REPAIRED, repaired
    return printed.rank, printed


def judge(paper: Paper, found: Mapping[str, Outcome]) -> dict[str, Judgement]:
    """The judgement on every statement, with findings, grade and standing."""
    judged = {name: own_judgement(statement, found) for name, statement in paper.statements.items()}
    for name, statement in paper.statements.items():
        if statement.same_as:
            _agree(name, judged[name], statement.same_as, judged[statement.same_as])
        touching = [f for f in paper.findings.values() if name in f.touches]
        faulty = judged[name].rank in (Verdict.REFUTED, Verdict.REPAIRED)
        grades = [finding.grade_for(name) for finding in touching if faulty]
        worst = min(grades, key=GRADES.index, default="")
        ids = tuple(finding.id for finding in touching)
        judged[name] = replace(judged[name], findings=ids, grade=worst)
    return _standings(paper, judged)


def _agree(name: str, one: Judgement, twin: str, other: Judgement) -> None:
    if Verdict.BROKEN in (one.rank, other.rank):
        return  # our own fault, which is said of the statement that has it
    if (one.rank, one.interpretation.scope) != (other.rank, other.interpretation.scope):
        raise Disagreement(
            f"{name}: {one.verdict} ({one.interpretation.scope}); "
            f"{twin}: {other.verdict} ({other.interpretation.scope})"
        )


def _standings(paper: Paper, judged: Mapping[str, Judgement]) -> dict[str, Judgement]:
    done: dict[str, Judgement] = {}

    def stand(name: str) -> Judgement:
        if name not in done:
            below = {other: stand(other) for other in paper.statements[name].rests_on}
            done[name] = _lower(judged[name], below)
        return done[name]

    return {name: stand(name) for name in judged}


def _lower(own: Judgement, below: Mapping[str, Judgement]) -> Judgement:
    """Lower a standing to the weakest below it; only statements that hold can be lowered."""
    lowest, through = own.rank, ""
    if own.rank in HOLDS | {Verdict.REPAIRED}:
        for name, other in below.items():
            slip = other.standing in (Verdict.REPAIRED, Verdict.REFUTED) and other.grade == "slip"
            counts = not slip and other.standing is not Verdict.NONE
            if counts and ORDER.index(other.standing) > ORDER.index(lowest):
                lowest, through = other.standing, other.through or name
    return replace(own, standing=lowest, through=through)


def expected_judgements(paper: Paper, lacking: Callable[[Binding], str]) -> dict[str, Judgement]:
    """The judgement if each fact that could run came out as its binding says.

    `lacking` gives what a binding's fact needs and the machine does not have, or nothing.
    """
    hoped = {
        b.key: Outcome(missing=need)
        if (need := lacking(b))
        else Outcome(
            b.outcome == "holds", witness={"expected": True} if b.outcome == "fails" else None
        )
        for statement in paper.statements.values()
        for b in statement.binding
    }
    return judge(paper, hoped)


@dataclass(frozen=True)
class Change:
    """A statement whose verdict is not the expected one."""

    statement: str
    expected: str
    found: str


def changes(hoped: Mapping[str, Judgement], got: Mapping[str, Judgement]) -> list[Change]:
    """The statements whose verdict or standing is not the expected one."""
    return [
        Change(name, hoped[name].verdict, judgement.verdict)
        for name, judgement in got.items()
        if (judgement.rank, judgement.standing) != (hoped[name].rank, hoped[name].standing)
    ]


def exit_status(hoped: Mapping[str, Judgement], got: Mapping[str, Judgement]) -> int:
    """Return 0 as expected, 1 if a verdict changed, 2 if one is no longer decided, 3 if one is broken."""
    ranks = {name: judgement.rank for name, judgement in got.items()}
    if Verdict.BROKEN in ranks.values():
        return 3
    if any(hoped[n].rank in DECIDED and rank not in DECIDED for n, rank in ranks.items()):
        return 2
    return 1 if changes(hoped, got) else 0
