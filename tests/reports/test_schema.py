"""The schema accepts a record and names every way in which a mutant breaks it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from reports.schema import RecordError, validate, validator

Record = dict[str, Any]
Path = tuple[str | int, ...]
SCHEMA: Any = validator().schema


def objects(value: Any, path: Path = ()) -> Iterator[Path]:
    """The place of every object inside a record."""
    if isinstance(value, dict):
        yield path
        for key, inner in value.items():
            yield from objects(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from objects(inner, (*path, number))


def at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def test_the_record_is_accepted(record: Record, large: Record) -> None:
    assert validate(record) is None
    assert validate(large) is None


def kinds(record: Record) -> list[Path]:
    """The place of one object of each kind: the record, a claim, a reading, a series, …"""
    return list({frozenset(at(record, path)): path for path in objects(record)}.values())


def test_every_missing_key_is_refused_and_named(record: Record) -> None:
    seen = 0
    for path in kinds(record):
        for key in at(record, path):
            mutant = copy.deepcopy(record)
            del at(mutant, path)[key]
            with pytest.raises(RecordError, match=f"'{key}' is a required property"):
                validate(mutant)
            seen += 1
    wanted = [at(SCHEMA, path) for path in objects(SCHEMA)]
    assert seen == sum(len(node["required"]) for node in wanted if node.get("type") == "object")


def test_every_unknown_key_is_refused_and_named(record: Record) -> None:
    for path in kinds(record):
        mutant = copy.deepcopy(record)
        at(mutant, path)["time"] = "now"
        with pytest.raises(RecordError, match="time"):
            validate(mutant)


def test_every_object_of_the_schema_is_closed_and_requires_all_it_knows() -> None:
    for path in objects(SCHEMA):
        node = at(SCHEMA, path)
        if node.get("type") == "object":
            assert node["additionalProperties"] is False, path
            assert sorted(node["required"]) == sorted(node["properties"]), path


def _rests_on_itself(record: Record) -> None:
    first, second = record["claims"][0], record["claims"][1]
    first["rests_on"], second["rests_on"] = [second["id"]], [first["id"]]


MUTANTS: dict[str, tuple[Callable[[Record], Any], str]] = {
    "an unknown verdict": (lambda r: r["claims"][0].update(verdict="true"), "'true' is not one of"),
    "a path as id": (lambda r: r["figures"][0].update(id="../x"), "does not match"),
    "another paper": (lambda r: r["paper"].update(sha256="0" * 64), "was expected"),
    "a float in a figure": (lambda r: r["figures"][0]["series"][0]["y"].append(0.5), "not of type"),
    "a word in a figure": (lambda r: r["figures"][0]["series"][0]["y"].append("nan"), "not match"),
    "no claims": (lambda r: r.update(claims=[]), r"claims: \[\]"),
    "a claim twice": (lambda r: r["claims"].append(r["claims"][0]), "occurs 2 times"),
    "an unknown ancestor": (lambda r: r["claims"][0]["rests_on"].append("no.such"), "no.such"),
    "an unknown figure": (lambda r: r["evidence"][0]["figures"].append("no-such"), "no-such"),
    "an unknown table": (lambda r: r["evidence"][0]["tables"].append("no-such"), "no-such"),
    "an unknown drawing": (lambda r: r["evidence"][0]["drawings"].append("no-such"), "no-such"),
    "a drawing twice": (lambda r: r["drawings"].append(r["drawings"][0]), "occurs 2 times"),
    "a depth too few": (lambda r: r["drawings"][0]["depths"].pop(), "3 depths for 4 tokens"),
    "a head's depth too few": (
        lambda r: r["drawings"][0]["heads"][0]["depths"].pop(), "has 3 depths for 4 tokens"),
    "an arc before the string": (
        lambda r: r["drawings"][0]["heads"][0]["arcs"].append([0, 1]), "positions from 1 to 4"),
    "an arc beyond the string": (
        lambda r: r["drawings"][0]["heads"][0]["arcs"].append([1, 5]), "positions from 1 to 4"),
    "an arc of three": (
        lambda r: r["drawings"][0]["heads"][0]["arcs"].append([1, 2, 3]), "is too long"),
    "a miss without an arc": (
        lambda r: r["drawings"][0]["heads"][0]["missed"].append(2), "where no arc begins"),
    "evidence out of order": (lambda r: r["evidence"].reverse(), "expected 0"),
    "evidence of another": (
        lambda r: r["claims"][0]["readings"][0]["evidence"].append(2), "does not speak of"),
    "evidence out of range": (
        lambda r: r["claims"][0]["readings"][0]["evidence"].append(999), "evidence 999"),
    "a circle": (_rests_on_itself, "in a circle"),
    "a short series": (lambda r: r["figures"][0]["series"][0]["x"].pop(), "2 x and 3 y"),
    "a short row": (lambda r: r["tables"][0]["rows"][0].pop(), "2 cells for 3 columns"),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_refused_and_its_fault_is_named(record: Record, name: str) -> None:
    spoil, said = MUTANTS[name]
    spoil(record)
    with pytest.raises(RecordError, match=said):
        validate(record)


def test_all_violations_are_told_at_once(record: Record) -> None:
    for claim in record["claims"]:
        claim["rests_on"] = ["no.such"]
    with pytest.raises(RecordError) as caught:
        validate(record)
    assert len(caught.value.violations) == len(record["claims"])
