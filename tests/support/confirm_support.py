"""Questions that every confirmation must answer rightly, asked of one case: fact and parameters."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from facts_support import certificate, confirmed, refused, refuses
from tests_support import changes as changed

from verify.judge.outcome import Outcome
from verify.recheck.declarations import Confirm
from verify.recheck.errors import Recomputed, Refused

OUT_OF_RANGE = (0, -5, 10**9, True, "3")
MOST_CHANGES = 4
# A second layer, a second run, a product: there is nothing to ask about 1.
LARGER = {
    "layers.alike": ["length"], "scan.work": ["most"],
    "score.rank": ["length"], "step.some-count": ["longest"], "table.possible": ["runs"],
    "units.reach": ["degree"],
}  # fmt: skip
NO_LISTS = ([], ["x"], "x", [None])


@dataclass(frozen=True)
class Case:
    """A fact with parameters.

    `harmless` are other values of parameters of which the same can be said truly; `optional` are
    parameters that may be absent.
    """

    name: str
    fact: Callable[..., Outcome]
    parameters: Mapping[str, Any]
    harmless: tuple[tuple[str, Any], ...] = ()
    optional: tuple[str, ...] = ()

    @cached_property
    def found(self) -> Outcome:
        """What the fact finds, computed once."""
        return self.fact(**self.parameters)

    @cached_property
    def stated(self) -> dict[str, Any]:
        """Its certificate."""
        return certificate(self.found)

    def __str__(self) -> str:
        return self.name

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
        for key, old in values.items():
            changes[key] = {"values": {**values, key: [old]}}
            changes[f"without {key}"] = {"values": {k: v for k, v in values.items() if k != key}}
        variants = list(changed(values)) if values else []
        for other in variants[:: max(1, len(variants) // MOST_CHANGES)]:
            changes[f"values {other}"] = {"values": other}
        others = {name: {**self.stated, **change} for name, change in changes.items()}
        return [
            name
            for name, other in others.items()
            if other != self.stated and not refused(self.name, self.parameters, **other)
        ]

    def accepted_parameters(self) -> list[str]:
        """Parameters more or less, and lists of something else, that are not refused."""
        less = {
            f"without {key}": {k: v for k, v in self.parameters.items() if k != key}
            for key in self.parameters
            if key not in self.optional
        }
        lists = {
            f"{key} = {value!r}": {**self.parameters, key: value}
            for key, old in self.parameters.items()
            if isinstance(old, list)
            for value in NO_LISTS
            if value != old and (key, value) not in self.harmless
        }
        tried = {"one more": {**self.parameters, "more": 1}, **less, **lists}
        return [name for name, p in tried.items() if not refused(self.name, p, **self.stated)]

    def refuse_numbers(self) -> None:
        """Every whole number out of range is refused before anything is computed."""
        numbers = {key: old for key, old in self.parameters.items() if type(old) is int}
        for key, old in numbers.items():
            for value in OUT_OF_RANGE:
                if (type(value), value) != (int, old) and (key, value) not in self.harmless:
                    refuses(self.name, {**self.parameters, key: value}, "expected")

    def too_small(self) -> list[str]:
        """The numbers at which the confirmation does not answer 1, where the fact does."""
        return [
            key for key, old in self.parameters.items() if type(old) is int and self._small(key)
        ]

    def _small(self, key: str) -> bool:
        parameters = {**self.parameters, key: 1}
        try:
            found = self.fact(**parameters)
        except (ValueError, ZeroDivisionError):
            return False
        try:
            return not confirmed(self.name, found, parameters)
        except Refused as error:
            return str(error).startswith(f"{key} = 1, expected an integer from ")


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
    answers: dict[str, Recomputed] = {}

    def remembered(
        parameters: Mapping[str, Any], certificate: Mapping[str, Any], data: Any = None
    ) -> Recomputed:
        alone, both = (json.dumps(asked) for asked in ([parameters], [parameters, certificate]))
        if alone not in answers and both not in answers:
            watched = Watched(certificate)
            answer = confirm(parameters, watched, data)
            answers[both if watched.read else alone] = answer
        return answers[alone if alone in answers else both]

    return remembered


class Questions:
    """One test a question; a subclass is parametrised by its cases."""

    def test_the_confirmation_comes_to_what_the_fact_found(self, case: Case) -> None:
        assert case.agrees()

    def test_a_changed_outcome_value_or_witness_is_refused(self, case: Case) -> None:
        assert case.accepted_changes() == []

    def test_other_parameters_other_lists_and_numbers_out_of_range_are_refused(
        self, case: Case
    ) -> None:
        assert case.accepted_parameters() == []
        case.refuse_numbers()

    def test_the_smallest_sizes_are_confirmed_too(self, case: Case) -> None:
        assert case.too_small() == LARGER.get(case.name, [])
