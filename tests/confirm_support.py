"""Questions that every confirmation must answer rightly, asked of one case: fact and parameters."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from facts_support import certificate, confirmed, refused, refuses

from verify.facts.found import Found
from verify.recheck.errors import Answer
from verify.recheck.kinds import Confirm

OUT_OF_RANGE = (0, -5, 10**9, True, "3")
NO_LISTS = ([], ["x"], "x", [None])


@dataclass(frozen=True)
class Case:
    """A fact with parameters; `harmless` are numbers of parameters that are in range, too."""

    name: str
    fact: Callable[..., Found]
    parameters: Mapping[str, Any]
    harmless: tuple[tuple[str, int], ...] = ()

    @cached_property
    def found(self) -> Found:
        """What the fact finds, computed once."""
        return self.fact(**self.parameters)

    @cached_property
    def stated(self) -> dict[str, Any]:
        """Its certificate."""
        return certificate(self.found)

    def agrees(self) -> bool:
        """The confirmation comes to what the fact found."""
        return confirmed(self.name, self.found, self.parameters)

    def accepted_changes(self) -> list[str]:
        """Changes of the outcome, of a value or of the witness that are not refused."""
        values = self.stated["values"]
        changes = {
            "flipped": {"holds": not self.stated["holds"]},
            "undecided": {"holds": None},
            "another value": {"values": {**values, "more": 1}},
            "another witness": {"witness": {"T": 2}},
        }
        changes |= {key: {"values": {**values, key: [old]}} for key, old in values.items()}
        return [
            name
            for name, change in changes.items()
            if not refused(self.name, self.parameters, **{**self.stated, **change})
        ]

    def accepted_parameters(self) -> list[str]:
        """Parameters more or less, and lists of something else, that are not refused."""
        less = {
            f"without {key}": {k: v for k, v in self.parameters.items() if k != key}
            for key in self.parameters
        }
        lists = {
            f"{key} = {value!r}": {**self.parameters, key: value}
            for key, old in self.parameters.items()
            if isinstance(old, list)
            for value in NO_LISTS
        }
        tried = {"one more": {**self.parameters, "more": 1}, **less, **lists}
        return [name for name, p in tried.items() if not refused(self.name, p, **self.stated)]

    def refuses_numbers(self) -> None:
        """Every whole number out of range is refused before anything is computed."""
        for key, old in self.parameters.items():
            for value in OUT_OF_RANGE if type(old) is int else ():
                if (type(value), value) != (int, old) and (key, value) not in self.harmless:
                    refuses(self.name, {**self.parameters, key: value}, "expected")


class Watched(Mapping[str, Any]):
    """A certificate that knows whether anything was read from it."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self.body, self.read = body, False

    def __getitem__(self, key: str) -> Any:
        self.read = True
        return self.body[key]

    def __iter__(self) -> Iterator[str]:
        self.read = True
        return iter(self.body)

    def __len__(self) -> int:
        self.read = True
        return len(self.body)


def computed_once(confirm: Confirm) -> Confirm:
    """The confirmation, which is not computed twice for the same input.

    What it answers depends on the parameters alone where it reads nothing from the certificate.
    """
    answers: dict[str, Answer] = {}

    def remembered(parameters: Mapping[str, Any], certificate: Mapping[str, Any]) -> Answer:
        alone, both = (json.dumps(asked) for asked in ([parameters], [parameters, certificate]))
        if alone not in answers and both not in answers:
            watched = Watched(certificate)
            answer = confirm(parameters, watched)
            answers[both if watched.read else alone] = answer
        return answers[alone if alone in answers else both]

    return remembered
