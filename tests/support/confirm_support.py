"""Confirmations that are not computed twice."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from verify.recheck.declarations import Confirm
from verify.recheck.errors import Recomputed


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
