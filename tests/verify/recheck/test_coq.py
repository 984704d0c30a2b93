"""Machine-checked theorems: the pinned text, and what Coq says when it is asked again."""

import json
from importlib.resources import files

import pytest

from verify.coq import compile as coq
from verify.recheck.errors import Refused
from verify.recheck.kinds import coq as kinds

PINNED = json.loads((files("verify") / "coq" / "statements.json").read_text("utf-8"))
NAME = next(iter(PINNED))


def test_the_pinned_text_is_accepted_and_any_other_is_refused():
    kinds.agrees_with_pin({"theorem": NAME}, PINNED[NAME])
    for field in ("statement", "assumptions"):
        with pytest.raises(Refused, match=f"{field} of "):
            kinds.agrees_with_pin({"theorem": NAME}, {**PINNED[NAME], field: "True"})
    with pytest.raises(Refused, match="no theorem none is pinned"):
        kinds.agrees_with_pin({"theorem": "none"}, PINNED[NAME])


@pytest.mark.parametrize("error", [OSError, RuntimeError, ValueError, LookupError])
def test_a_proof_that_coq_does_not_accept_is_refused(error, monkeypatch):
    def fails(names):
        raise error("not accepted")

    monkeypatch.setattr(coq, "established", fails)
    with pytest.raises(Refused, match=f"Coq does not confirm {NAME}: not accepted"):
        kinds.compile_again({"theorem": NAME})
    monkeypatch.setattr(coq, "established", lambda names: {})
    kinds.compile_again({"theorem": NAME})
