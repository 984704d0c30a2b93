"""What a computation found: no statement, no reading, no prose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Found:
    """The outcome of one fact.

    `holds` is None where the computation does not decide. `values` are what it computed, as plain
    data (numbers as integers or exact text, never floats). `witness` is the smallest data that
    let somebody else see a failure. `missing` names what was not at hand; `crash` is the message of an
    error in our own program.
    """

    holds: bool | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    witness: Mapping[str, Any] | None = None
    missing: str = ""
    crash: str = ""


def compared(holds: bool, **shown: Any) -> Found:
    """What a comparison shows; where it fails, what it shows is the witness."""
    return Found(holds, shown, None if holds else shown)


def first(problems: Iterable[Mapping[str, Any] | None]) -> Found:
    """Holds where there is no problem; the first problem is the witness."""
    witness = next((problem for problem in problems if problem is not None), None)
    return Found(witness is None, {}, witness)


def curve(label: str, x: Iterable[object], y: Iterable[object]) -> dict[str, Any]:
    """A curve of a figure, as plain data: its numbers are text."""
    return {"label": label, "x": [str(value) for value in x], "y": [str(value) for value in y]}
