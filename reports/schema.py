"""The record's schema: what a renderer may rely on, and every way in which a record breaks it.

Checks        the shape (`schema.json`, JSON Schema 2020-12, no unknown key anywhere), then what
              a schema cannot say: names are unique, names that are used exist, nothing rests on
              itself, a series has as many y as x, a row as many cells as its header, a drawing
              as many depths as tokens and no arc that leaves its string
Says          all violations at once, each with its place and the value found
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any

from jsonschema import Draft202012Validator

Data = Mapping[str, Any]
SHOWN = 20


class RecordError(ValueError):
    """A record that cannot be rendered; the message lists every violation."""

    def __init__(self, violations: list[str]) -> None:
        self.violations = violations
        more = len(violations) - SHOWN
        lines = violations[:SHOWN] + ([f"… and {more} more"] if more > 0 else [])
        super().__init__("the record breaks its schema:\n  " + "\n  ".join(lines))


@cache
def validator() -> Draft202012Validator:
    """The validator of `schema.json`."""
    text = resources.files("reports").joinpath("schema.json").read_text(encoding="utf-8")
    schema = json.loads(text)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def validate(record: Any) -> None:
    """Raise `RecordError` with all violations, or return nothing."""
    if violations := list(_shape(record)) or list(_sense(record)):
        raise RecordError(violations)


def _shape(record: Any) -> Iterator[str]:
    for error in sorted(validator().iter_errors(record), key=lambda e: list(map(str, e.path))):
        place = ".".join(map(str, error.path)) or "record"
        yield f"{place}: {error.message[:200]}"


def _sense(record: Data) -> Iterator[str]:
    yield from _twice("claims", (claim["id"] for claim in record["claims"]))
    yield from _twice("figures", (figure["id"] for figure in record["figures"]))
    yield from _twice("tables", (table["id"] for table in record["tables"]))
    yield from _twice("drawings", (drawing["id"] for drawing in record["drawings"]))
    yield from _numbers(record["evidence"])
    yield from _names(record)
    yield from _cycles(record["claims"])
    for figure in record["figures"]:
        yield from _series(figure)
    for table in record["tables"]:
        yield from _cells(table)
    for drawing in record["drawings"]:
        yield from _heads(drawing)


def _twice(place: str, names: Iterable[str]) -> Iterator[str]:
    for name, count in Counter(names).items():
        if count > 1:
            yield f"{place}: the id {name} occurs {count} times, expected once"


def _numbers(evidence: list[Data]) -> Iterator[str]:
    for place, item in enumerate(evidence):
        if item["number"] != place:
            yield f"evidence.{place}: number {item['number']}, expected {place}"


def _names(record: Data) -> Iterator[str]:
    claims = {claim["id"] for claim in record["claims"]}
    figures = {figure["id"] for figure in record["figures"]}
    tables = {table["id"] for table in record["tables"]}
    drawings = {drawing["id"] for drawing in record["drawings"]}
    for claim in record["claims"]:
        because = [claim["standing_because"]] if claim["standing_because"] else []
        yield from _unknown(claim["id"], "claim", [*claim["rests_on"], *because], claims)
        yield from _misplaced(claim, record["evidence"])
    for item in record["evidence"]:
        place = f"evidence.{item['number']}"
        yield from _unknown(place, "claim", [item["claim"]], claims)
        yield from _unknown(place, "figure", item["figures"], figures)
        yield from _unknown(place, "table", item["tables"], tables)
        yield from _unknown(place, "drawing", item["drawings"], drawings)


def _unknown(place: str, what: str, used: Iterable[str], known: set[str]) -> Iterator[str]:
    for name in used:
        if name not in known:
            yield f"{place}: names the {what} {name}, which the record does not hold"


def _misplaced(claim: Data, evidence: list[Data]) -> Iterator[str]:
    for reading in claim["readings"]:
        for number in reading["evidence"]:
            found = evidence[number] if number < len(evidence) else {"claim": "", "reading": ""}
            if (found["claim"], found["reading"]) != (claim["id"], reading["name"]):
                name = reading["name"]
                yield f"{claim['id']}: evidence {number} does not speak of its {name} reading"


def _cycles(claims: list[Data]) -> Iterator[str]:
    above = {claim["id"]: list(claim["rests_on"]) for claim in claims}
    settled: set[str] = set()
    while True:
        free = {c for c in above if c not in settled and settled.issuperset(above[c])}
        if not free:
            break
        settled |= free
    known = [name for name in above if name not in settled]
    if known and all(ancestor in above for name in known for ancestor in above[name]):
        yield f"claims: these rest on themselves in a circle: {', '.join(known)}"


def _series(figure: Data) -> Iterator[str]:
    for series in figure["series"]:
        if len(series["x"]) != len(series["y"]):
            sizes = f"{len(series['x'])} x and {len(series['y'])} y"
            yield f"figure {figure['id']}: the series {series['label']!r} has {sizes}"


def _cells(table: Data) -> Iterator[str]:
    for number, row in enumerate(table["rows"]):
        if len(row) != len(table["header"]):
            sizes = f"{len(row)} cells for {len(table['header'])} columns"
            yield f"table {table['id']}: row {number} has {sizes}"


def _heads(drawing: Data) -> Iterator[str]:
    size, name = len(drawing["tokens"]), drawing["id"]
    if len(drawing["depths"]) != size:
        yield f"drawing {name}: {len(drawing['depths'])} depths for {size} tokens"
    for head in drawing["heads"]:
        place = f"drawing {name}: the head {head['label']!r}"
        if len(head["depths"]) not in (0, size):
            yield f"{place} has {len(head['depths'])} depths for {size} tokens"
        for arc in head["arcs"]:
            if not all(1 <= position <= size for position in arc):
                yield f"{place} has the arc {arc}, expected positions from 1 to {size}"
        for position in set(head["missed"]) - {source for source, _ in head["arcs"]}:
            yield f"{place} misses from {position}, where no arc begins"
