"""Judges again, by rules written anew: bindings and confirmed facts → verdicts and standings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from verify.recheck.data import Data, Table, key
from verify.recheck.errors import Refused
from verify.recheck.evidence import Evidence

FOR_ALL = ("machine-checked", "machine-checked-lean", "symbolic")
STRONG = (*FOR_ALL, "exact", "enclosure", "exhaustive", "source", "sampled", "observed")
PERSON = "vouched"  # a person's word, weaker than every computation
WORST_LAST = (
    *("proved", "checked", "measured", "vouched", "repaired", "open", "unchecked", "refuted"),
    *("broken", "no verdict"),
)
COMPUTED = ("proved", "checked", "measured")
TRUE = (*COMPUTED, "vouched")
FAULTY = ("refuted", "repaired")
PARTLY = {"sampled": "measured", "observed": "measured", PERSON: "vouched"}
SEEN = {"proved": 0, "checked": 0, "measured": 0, "repaired": 1, "refuted": 1}
VOCABULARY = {
    "history": ("confirmed", "contradicted", "unknown"),
    "citation": ("confirmed", "contradicted", "unknown"),
    "measurement": ("consistent", "inconsistent", "not repeated"),
}


@dataclass(frozen=True)
class Interpretation:
    """Rank of one interpretation, the binding that decides it, and the weight of each binding."""

    rank: str
    reason: str = ""
    decisive: Table | None = None
    name: str = "printed"
    weights: tuple[tuple[Table, str], ...] = ()

    @property
    def method(self) -> str:
        """The method of the binding that decides."""
        return self.decisive["method"] if self.decisive else ""

    @property
    def scope(self) -> str:
        """The part of the range that is shown; a refutation has none."""
        return scope(self.decisive) if self.decisive and self.rank != "refuted" else ""


@dataclass(frozen=True)
class Verdict:
    """Verdict on a statement: the interpretation that counts, and all interpretations."""

    rank: str
    word: str
    interpretation: Interpretation
    interpretations: tuple[Interpretation, ...]
    grade: str
    findings: tuple[str, ...]


def strength(binding: Table) -> int:
    """The rank of a binding's method, strongest first; a person's word comes last."""
    method = binding["method"]
    return STRONG.index(method) if method in STRONG else len(STRONG)


def against(binding: Table) -> bool:
    """Return True if the binding's expected outcome is evidence against the statement."""
    return binding.get("outcome", "holds") == "fails" or binding.get("impossibility", False) is True


def scope(binding: Table) -> str:
    """The part of the range that a binding covers, its numbers from the parameters."""
    covers: str = binding["covers"]
    if covers != "all":
        for name, value in binding.get("parameters", {}).items():
            covers = covers.replace(f"{{{name}}}", value_text(value))
    return ", assuming ".join([covers, *binding.get("assumes", ())])


def value_text(value: Any) -> str:
    """A parameter as text of a scope."""
    if isinstance(value, list):
        return ", ".join(value_text(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{name} = {value_text(item)}" for name, item in value.items())
    return str(value)


def interpretation(statement: Table, name: str, evidence: Evidence) -> Interpretation:
    """One interpretation, from its bindings in the order of their strength."""
    mine = [b for b in statement.get("binding", ()) if b.get("interpretation", "printed") == name]
    mine.sort(key=strength)
    weights = tuple((b, weight(b, evidence)) for b in mine)
    return replace(_rank(statement, weights, evidence), name=name, weights=weights)


def weight(binding: Table, evidence: Evidence) -> str:
    """Weight of a binding for its statement."""
    worth = evidence.worth(key_of(binding))
    if worth != "decided":
        return worth
    return "refutes" if against(binding) else "supports"


def _rank(
    statement: Table, weights: Sequence[tuple[Table, str]], evidence: Evidence
) -> Interpretation:
    opposed = [b for b, what in weights if what == "refutes"]
    support = [b for b, what in weights if what == "supports"]
    whole = [
        b for b in support
        if b["covers"] == "all" and not b.get("assumes") and b["method"] != PERSON
    ]  # fmt: skip
    _check_possible(statement, opposed, whole)
    if opposed:
        return _decision("refuted", opposed[0])
    if whole:
        return _decision("proved", whole[0])
    if support:
        return _decision(PARTLY.get(support[0]["method"], "checked"), support[0])
    for binding, what in weights:
        if what == "open":
            return Interpretation("open", f"{binding['fact']} does not decide it")
    lacking = sorted({evidence.lack[key_of(b)] for b, _ in weights})
    return Interpretation("unchecked", f"needs {', '.join(lacking)}" if lacking else "")


def _decision(rank: str, binding: Table) -> Interpretation:
    return Interpretation(rank, binding["because"], binding)


def _check_possible(statement: Table, opposed: list[Table], whole: list[Table]) -> None:
    """Refuse evidence that contradicts itself or says more than its method can."""
    everything = statement["form"] in ("universal", "asymptotic")
    if everything and any(b["method"] not in FOR_ALL for b in whole):
        raise Refused(f"{statement['id']}: a finite method covers the whole range")
    if any(b["method"] == PERSON for b in opposed):
        raise Refused(f"{statement['id']}: a person's word refutes nothing")
    if opposed and whole:
        raise Refused(f"{statement['id']}: proved and refuted")
    failures = [b for b in opposed if not b.get("impossibility")]
    if statement["form"] == "possibility" and failures:
        raise Refused(f"{statement['id']}: a failure refutes no possibility")


def key_of(binding: Table) -> str:
    """The name of a binding's certificate."""
    return key(binding["fact"], binding.get("parameters", {}))


def verdict(statement: Table, data: Data, evidence: Evidence) -> Verdict:
    """The printed interpretation; or the repaired one, where the printed one is refuted."""
    ids = findings_on(statement, data)
    if statement["form"] == "view":
        none = Interpretation("no verdict", statement.get("reason", ""))
        return Verdict(none.rank, none.rank, none, (none,), "", ids)
    names = ("printed", "repaired") if "repair" in statement else ("printed",)
    interpretations = tuple(interpretation(statement, name, evidence) for name in names)
    rank, chosen = interpretations[0].rank, interpretations[0]
    if rank == "refuted" and interpretations[-1].rank in COMPUTED:
        rank, chosen = "repaired", interpretations[-1]
    if rank == "unchecked" and not chosen.reason:
        chosen = replace(chosen, reason=statement.get("reason", ""))
    grades = [grade_for(statement["id"], data.findings[name]) for name in ids]
    faulty = rank in ("refuted", "repaired")
    grade = min(grades, key=("material", "gap", "slip").index, default="") if faulty else ""
    return Verdict(rank, word(statement["form"], rank), chosen, interpretations, grade, ids)


def grade_for(statement: str, finding: Table) -> str:
    """Grade of a finding for a statement that it touches."""
    grade: str = finding.get("grades", {}).get(statement, finding["grade"])
    return grade


def findings_on(statement: Table, data: Data) -> tuple[str, ...]:
    """The findings that touch a statement."""
    return tuple(n for n, entry in data.findings.items() if statement["id"] in entry["touches"])


def word(form: str, rank: str) -> str:
    """A verdict in the words of the statement's form."""
    if form == "definition":
        known = {"proved": "well-formed", "refuted": "ill-formed", "repaired": "ill-formed"}
        return known.get(rank, rank)
    if form in VOCABULARY and rank not in ("broken", "vouched"):
        return VOCABULARY[form][SEEN.get(rank, 2)]
    return rank


def standings(data: Data, verdicts: Mapping[str, Verdict]) -> dict[str, tuple[str, str]]:
    """For each statement the weakest verdict it rests on, itself included, and the culprit."""
    done: dict[str, tuple[str, str]] = {}

    def of(name: str) -> tuple[str, str]:
        if name not in done:
            done[name] = ("", "")  # a circle ends here; the data loader refuses circles
            done[name] = lowered(name)
        return done[name]

    def lowered(name: str) -> tuple[str, str]:
        lowest, culprit = verdicts[name].rank, ""
        if lowest not in (*TRUE, "repaired"):
            return lowest, ""
        for below in data.statements[name].get("rests_on", ()):
            rank, deeper = of(below)
            slip = rank in ("repaired", "refuted") and verdicts[below].grade == "slip"
            if slip or rank == "no verdict":
                continue
            if WORST_LAST.index(rank) > WORST_LAST.index(lowest):
                lowest, culprit = rank, deeper or below
        return lowest, culprit

    return {name: of(name) for name in verdicts}
