"""Page one: the answer in ten lines, computed from the record.

1      how many statements were looked at, and how many have which verdict
2 – 5  which numbered statements hold as printed, hold repaired, fail, or are not settled
6 – 9  the sentence for Theorems 1, 2, 3 and Corollary 1, each with its printed proof
10     what this run did not see, and what inherits a weakness
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reports.numbered import Row
from reports.view import View
from reports.words import HOLDS, VERDICTS, counted, listed

NONE = "No numbered statement."
OPEN = ("supported", "undecided", "not-checked", "broken")
MAIN = ("Theorem 1", "Theorem 2", "Theorem 3", "Corollary 1")


@dataclass(frozen=True)
class Line:
    """One line of the answer: what it is about, the text, and a claim to turn to."""

    topic: str
    text: str
    verdict: str = ""
    claim: str = ""


def answer(view: View) -> list[Line]:
    """The ten lines."""
    return [_counts(view), *_settled(view.rows), *_main(view.rows), _unseen(view)]


def _counts(view: View) -> Line:
    beyond = sum(claim.data["kind"] == "beyond" for claim in view.claims)
    total = counted(len(view.claims) - beyond, "statement") + " of the paper"
    more = f" and {beyond} beyond it" if beyond else ""
    parts = [f"{number} {name}" for name, number in view.counts.items()]
    return Line("All claims", f"{total}{more}: {listed(parts)}.")


def _settled(rows: Sequence[Row]) -> list[Line]:
    return [
        Line("Hold as printed", _scoped(_named(rows, *HOLDS)), "proved"),
        Line("Hold repaired", _named(rows, "repaired"), "repaired"),
        Line("Fail as printed", _named(rows, "refuted"), "refuted"),
        Line("Not settled", _open(rows), "undecided"),
    ]


def _scoped(names: str) -> str:
    """The names, with the reminder that a verdict goes no further than its scope."""
    return (
        names if names == NONE else f"{names.removesuffix('.')}; each for the scope stated below."
    )


def _named(rows: Sequence[Row], *verdicts: str) -> str:
    names = [_name(row) for row in rows if row.verdict in verdicts]
    return f"{listed(names)}." if names else NONE


def _name(row: Row) -> str:
    """The statement's name, with its standing where an ancestor lowers it."""
    claim = row.speaker
    if claim is None or claim["standing"] == claim["verdict"]:
        return row.statement.name
    return f"{row.statement.name} (with ancestors {claim['standing']})"


def _open(rows: Sequence[Row]) -> str:
    found = {verdict: _named(rows, verdict) for verdict in OPEN}
    parts = [f"{verdict}: {names[:-1]}" for verdict, names in found.items() if names != NONE]
    return f"{'; '.join(parts)}." if parts else NONE


def _main(rows: Sequence[Row]) -> list[Line]:
    by_name = {row.statement.name: row for row in rows}
    return [_sentence(by_name[name]) for name in MAIN]


def _sentence(row: Row) -> Line:
    name, head = row.statement.name, row.head
    if head is None:
        return Line(name, "No claim of the record speaks of it.", "not-checked")
    proof = f" Its printed proof: {row.proof['verdict']}." if row.proof else ""
    return Line(name, f"{head['cite']}{proof}", head["verdict"], head["id"])


def _unseen(view: View) -> Line:
    lowered = [claim for claim in view.claims if claim.lowered]
    causes = dict.fromkeys(claim.data["standing_because"] for claim in lowered)
    shown = listed(list(causes)[:4]) + (" and others" if len(causes) > 4 else "")
    heirs = counted(len(lowered), "claim inherits", "claims inherit")
    weak = f" {heirs} a weakness, from {shown}." if lowered else ""
    missing = view.record["missing"]
    absent = f" Not at hand: {listed(missing)}." if missing else " Nothing it needs was missing."
    return Line("This run", f"Profile {view.record['profile']}.{absent}{weak}")


def legend(view: View) -> list[tuple[str, str, str, int]]:
    """Mark, word, meaning and count of every verdict."""
    counts = view.counts
    return [(w.mark, w.name, w.meaning, counts.get(w.name, 0)) for w in VERDICTS.values()]
