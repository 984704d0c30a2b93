"""Machine-checked theorems: their statements are compared with the pinned ones; `--coq` runs Coq.

Without Coq the re-checker cannot know that a theorem is proved. It can know which statement is
meant: the text that Coq printed is pinned in `statements.json` beside the proofs, with a digest of
all definitions behind it, and a certificate with any other is refused. With `--coq` the files are
compiled in an empty folder, no cache is read, and the pinned examples must apply the theorems.
"""

from __future__ import annotations

import atexit
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from verify.recheck.data import PINS, Data
from verify.recheck.declarations import confirms
from verify.recheck.errors import Recomputed, Refused, abbreviate, text


@cache
def _parsed(pins: str) -> dict[str, dict[str, Any]]:
    statements: dict[str, dict[str, Any]] = json.loads(pins)
    return statements


def pinned(data: Data) -> dict[str, dict[str, Any]]:
    """Return each theorem's statement and assumptions, as Coq printed them, and its digest."""
    return _parsed(data.texts.get(PINS, "{}"))


@confirms("coq.theorem", "machine-checked", "Coq, run by --coq", theorem=str)
def theorem(theorem: str, data: Data) -> Recomputed:
    """A theorem that Coq accepts has the statement and the assumptions that were pinned for it."""
    if theorem not in pinned(data):
        raise Refused(f"no theorem {abbreviate(theorem)} is pinned")
    return Recomputed(True, pinned(data)[theorem])


def compile_again(parameters: Mapping[str, Any], folder: Path | None = None) -> None:
    """Compile the theorem's files and ask Coq; refuse a proof that it does not accept.

    Nothing is taken from the user's cache. All pinned theorems are checked at once; if one of them is
    refused, this one alone. A fault of the examples refuses every theorem.
    """
    from verify.coq.compile import established
    from verify.coq.sources import COQ
    from verify.coq.sources import Refused as NotProved

    name, place = text(parameters, "theorem"), folder or COQ
    try:
        if not _all_are_established(place):
            established([name], place, cache=_own_cache())
        if fault := _fault_of_examples(place):
            raise NotProved(fault)
    except (NotProved, OSError, RuntimeError, ValueError, LookupError) as error:
        raise Refused(f"Coq does not confirm {name}: {error}") from None


@cache
def _own_cache() -> Path:
    """Return a folder for compiled files of this process, deleted when the process ends."""
    place = TemporaryDirectory(prefix="assay-recheck-")
    atexit.register(place.cleanup)
    return Path(place.name)


@cache
def _all_are_established(folder: Path) -> bool:
    """Return whether Coq accepts all pinned theorems of a folder."""
    from verify.coq.compile import established
    from verify.coq.sources import Refused as NotProved

    names = list(_parsed((folder / PINS).read_text("utf-8")))
    try:
        established(names, folder, cache=_own_cache())
    except NotProved:
        return False
    return True


@cache
def _fault_of_examples(folder: Path) -> str:
    """Return why Coq does not accept the pinned examples of a folder, or ""."""
    from verify.coq.compile import check_examples
    from verify.coq.sources import Refused as NotProved

    try:
        check_examples(folder, cache=_own_cache())
    except NotProved as error:
        return str(error)
    return ""
