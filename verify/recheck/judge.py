"""Judges again, by rules written anew: bindings and confirmed facts → verdicts and standings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from verify.recheck.data import Data, Table, key
from verify.recheck.errors import Refused

STRONG = ("machine-checked", "symbolic", "exact", "enclosure", "exhaustive", "source", "sampled")
WORST_LAST = (
    *("proved", "checked", "measured", "repaired", "open", "unchecked", "refuted", "broken"),
    "no verdict",
)
TRUE = ("proved", "checked", "measured")
SEEN = {"proved": 0, "checked": 0, "measured": 0, "repaired": 1, "refuted": 1}
VOCABULARY = {
    "history": ("confirmed", "contradicted", "unknown"),
    "citation": ("confirmed", "contradicted", "unknown"),
    "measurement": ("consistent", "inconsistent", "not repeated"),
}


@dataclass(frozen=True)
class Verdict:
    """What comes out for a statement."""

    rank: str
    word: str
    reading: str
    method: str
    scope: str
    grade: str
    findings: tuple[str, ...]


def strength(binding: Table) -> int:
    """The place of a binding's method, strongest first; observed comes last."""
    method = binding["method"]
    return STRONG.index(method) if method in STRONG else len(STRONG)


def against(binding: Table) -> bool:
    """Whether the binding's expected outcome speaks against the statement."""
    return binding.get("outcome", "holds") == "fails" or binding.get("impossibility", False) is True


def scope(binding: Table) -> str:
    """The part of the range that a binding covers, its numbers from the parameters."""
    covers: str = binding["covers"]
    if covers != "all":
        for name, value in binding.get("parameters", {}).items():
            covers = covers.replace(f"{{{name}}}", plain(value))
    return ", assuming ".join([covers, *binding.get("assumes", ())])


def plain(value: Any) -> str:
    """A parameter as it stands in a scope."""
    if isinstance(value, list):
        return ", ".join(plain(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{name} = {plain(item)}" for name, item in value.items())
    return str(value)


def reading(statement: Table, name: str, worth: Mapping[str, str]) -> tuple[str, str, str]:
    """Rank, method and scope of one reading; `worth` says what each certificate is."""
    there = [
        b
        for b in statement.get("binding", ())
        if b.get("reading", "printed") == name and worth[key_of(b)] not in ("absent", "open")
    ]
    there.sort(key=strength)
    opposed = [b for b in there if against(b)]
    support = [b for b in there if not against(b)]
    whole = [b for b in support if b["covers"] == "all" and not b.get("assumes")]
    everything = statement["form"] in ("universal", "asymptotic")
    if everything and any(strength(b) > 1 for b in whole):
        raise Refused(f"{statement['id']}: a finite method covers the whole range")
    if opposed and whole:
        raise Refused(f"{statement['id']}: proved and refuted")
    if opposed:
        if statement["form"] == "possibility" and not opposed[0].get("impossibility"):
            raise Refused(f"{statement['id']}: a failure refutes no possibility")
        return "refuted", opposed[0]["method"], ""
    if whole:
        return "proved", whole[0]["method"], "all"
    if support:
        best = support[0]
        weak = best["method"] in ("sampled", "observed")
        return "measured" if weak else "checked", best["method"], scope(best)
    mine = [b for b in statement.get("binding", ()) if b.get("reading", "printed") == name]
    undecided = any(worth[key_of(b)] == "open" for b in mine)
    return "open" if undecided else "unchecked", "", ""


def key_of(binding: Table) -> str:
    """The name of a binding's certificate."""
    return key(binding["fact"], binding.get("parameters", {}))


def verdict(statement: Table, data: Data, worth: Mapping[str, str]) -> Verdict:
    """The printed reading; or the repaired one, where the printed one is refuted."""
    if statement["form"] == "view":
        return Verdict("no verdict", "no verdict", "printed", "", "", "", touching(statement, data))
    rank, method, extent = reading(statement, "printed", worth)
    which = "printed"
    if rank == "refuted" and "repair" in statement:
        again = reading(statement, "repaired", worth)
        if again[0] in TRUE:
            rank, which, method, extent = "repaired", "repaired", again[1], again[2]
    ids = touching(statement, data)
    grades = [data.findings[name]["grade"] for name in ids]
    faulty = rank in ("refuted", "repaired")
    grade = min(grades, key=("material", "gap", "slip").index, default="") if faulty else ""
    return Verdict(rank, word(statement["form"], rank), which, method, extent, grade, ids)


def touching(statement: Table, data: Data) -> tuple[str, ...]:
    """The findings that touch a statement."""
    return tuple(n for n, entry in data.findings.items() if statement["id"] in entry["touches"])


def word(form: str, rank: str) -> str:
    """A verdict in the words of the statement's form."""
    if form == "definition":
        known = {"proved": "well-formed", "refuted": "ill-formed", "repaired": "ill-formed"}
        return known.get(rank, rank)
    if form in VOCABULARY and rank != "broken":
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
