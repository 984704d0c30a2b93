"""Machine-checked theorems: their statements are compared with the pinned ones; `--coq` runs Coq.

Without Coq the re-checker cannot know that a theorem is proved. It can know which statement is
meant: the text that Coq printed is pinned in `statements.json` beside the proofs, and a certificate
with any other text is refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from verify.recheck.data import PINS, Data
from verify.recheck.declarations import confirms
from verify.recheck.errors import Answer, Refused, abbreviate, text


@cache
def _parsed(pins: str) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(pins)
    return found


def pinned(data: Data) -> dict[str, dict[str, Any]]:
    """The statement and the assumptions of each theorem, as Coq printed them."""
    return _parsed(data.texts.get(PINS, "{}"))


@confirms("coq.theorem", "machine-checked", "Coq, run by --coq", theorem=str)
def theorem(theorem: str, data: Data) -> Answer:
    """A theorem that Coq accepts has the statement and the assumptions that were pinned for it."""
    if theorem not in pinned(data):
        raise Refused(f"no theorem {abbreviate(theorem)} is pinned")
    return Answer(True, pinned(data)[theorem])


def compile_again(parameters: Mapping[str, Any], folder: Path | None = None) -> None:
    """Run Coq on the theorem; a proof it does not accept is refused."""
    from verify.coq.compile import established
    from verify.coq.sources import COQ
    from verify.coq.sources import Refused as NotProved

    name = text(parameters, "theorem")
    try:
        established([name], folder or COQ)
    except (NotProved, OSError, RuntimeError, ValueError, LookupError) as error:
        raise Refused(f"Coq does not confirm {name}: {error}") from None
