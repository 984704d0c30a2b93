"""Rules for a sentence that hold however it was composed.

Sentences are composed by `verify.judge.sentence`, the only code of the judge that the re-checker
uses. So that a fault there cannot be confirmed, each sentence is also checked against its row, and the
note behind it too:

    conditions           are all in the sentence where the statement is said to hold or repaired
    part of the range    is in the sentence where only a part is shown
    repair               what then holds is in the sentence, what was changed in the note
    witness              is in the note, or in the sentence, where the print is said to be false
    notes                are all in the note
    method               nothing is called machine-checked in Coq or Lean that was not
    author               a result of ours is not given to the paper, nor a statement of its to us
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from verify.recheck.errors import Refused, abbreviate

Row = Mapping[str, Any]
HOLDS = ("proved", "checked", "measured", "vouched", "repaired")
FAILS = ("refuted", "repaired")
ASSUMING = "all, assuming "
PROVERS = {
    "machine-checked": "machine-checked in Coq",
    "machine-checked-lean": "machine-checked in Lean",
}
PAPER, GIVEN_TO_PAPER = "[1", "of [1] holds"


def check_sentence(row: Row) -> None:
    """Refuse a sentence or a note that leaves out what it must say, or says what it must not."""
    sentence = row["sentence"].lower()
    both = f"{sentence} {row['note'].lower()}"
    for kind, part in _needed(row):
        if part.rstrip(".").lower() not in sentence:
            raise Refused(f"{row['id']}: the sentence leaves out the {kind} {abbreviate(part)}")
    for kind, part in _noted(row):
        if part.rstrip(".").lower() not in both:
            raise Refused(f"{row['id']}: the note leaves out the {kind} {abbreviate(part)}")
    for part in _forbidden(row):
        if part.lower() in both:
            raise Refused(f"{row['id']}: the sentence may not say {abbreviate(part)}")


def _needed(row: Row) -> Iterator[tuple[str, str]]:
    if row["rank"] in HOLDS:
        yield from (("condition", each) for each in (*row["under"], *row["conditions"]))
        if row["scope"] != "all" and row["verdict"] not in ("confirmed", "contradicted"):
            yield "scope", row["scope"].removeprefix(ASSUMING)
    if row["verdict"] == "repaired":
        yield "repair", row["repair"]["says"]
    if not row["ours"]:
        yield "reference", PAPER


def _noted(row: Row) -> Iterator[tuple[str, str]]:
    yield from (("note", each) for each in row["notes"])
    if row["rank"] in FAILS:
        yield "witness", row["witness"]
    if row["rank"] == "repaired":
        yield "change", row["repair"]["change"]


def _forbidden(row: Row) -> Iterator[str]:
    yield from (said for method, said in PROVERS.items() if row["method"] != method)
    if row["ours"]:
        yield GIVEN_TO_PAPER
