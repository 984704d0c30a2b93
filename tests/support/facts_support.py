"""What tests of facts and of their confirmations share."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from verify.judge.outcome import Outcome
from verify.recheck import confirmations as kinds
from verify.recheck.data import read
from verify.recheck.errors import MALFORMED, Recomputed, Refused, agree
from verify.recheck.program import as_json

DATA = read()


def certificate(found: Outcome) -> dict[str, Any]:
    """The part of a certificate that a confirmation looks at."""
    return {"holds": found.holds, "values": dict(found.values), "witness": found.witness}


def same(answer: Recomputed, stated: Mapping[str, Any]) -> bool:
    """Whether an answer is what the certificate states, as the program compares them."""
    found = {"holds": answer.holds, "values": answer.values, "witness": answer.witness}
    try:
        agree("certificate", as_json(stated), as_json(found))
    except Refused:
        return False
    return True


def confirmed(name: str, found: Outcome, parameters: Mapping[str, Any]) -> bool:
    """Whether the re-checker's own computation comes to what the fact found."""
    stated = certificate(found)
    return same(kinds.confirmations()[name][1](_as_read(parameters), stated, DATA), stated)


def _as_read(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as a file has them: equal to those of the program, and none of them the same object."""
    found: dict[str, Any] = json.loads(json.dumps(parameters))
    return found


def refused(name: str, parameters: Mapping[str, Any], **stated: Any) -> bool:
    """Whether a certificate is refused: another answer, or none at all, as the program sees it."""
    given = {"holds": True, "values": {}, "witness": None} | stated
    try:
        return not same(kinds.confirmations()[name][1](parameters, given, DATA), given)
    except (Refused, *MALFORMED):
        return True


def refuses(name: str, parameters: Mapping[str, Any], because: str) -> None:
    """Parameters that say nothing, or too much, are refused before anything is computed."""
    with pytest.raises(Refused, match=because):
        stated = {"holds": True, "values": {}, "witness": None}
        kinds.confirmations()[name][1](parameters, stated, DATA)
