"""Questions that every confirmation must answer rightly, asked of one case: fact and parameters."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from facts_support import certificate, confirmed, refused, refuses

from verify.facts.found import Found

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
