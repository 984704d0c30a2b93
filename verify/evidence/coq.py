"""Theorems that Coq establishes, with the statement that is pinned for each.

The proofs of a paper are in a folder: `_CoqProject`, the files it lists, and `statements.json` with the
closed statement of each theorem, the axioms that it may use and a digest of what it means (of the
constants of `definitions.json`). `python -m verify.coq.compile --pin` writes the pins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verify.facts.registry import Inputs, fact
from verify.judge.outcome import Outcome

if TYPE_CHECKING:
    from verify.coq.pins import Pin


@fact("coq.theorem", "machine-checked", needs=("coq",), batch=True)
def theorems(inputs: Inputs, asked: Sequence[Mapping[str, Any]]) -> list[Outcome]:
    """Coq accepts the theorem as pinned, with at most the axioms of its real numbers."""
    from verify.coq.compile import established
    from verify.coq.sources import COQ, Refused

    folder = inputs.proofs or COQ
    names = [str(parameters["theorem"]) for parameters in asked]
    try:
        pinned = established(names, folder)
    except Refused:
        return [_alone(name, folder) for name in names]
    return [_outcome(pinned[name]) for name in names]


def _alone(name: str, folder: Path) -> Outcome:
    """Return the outcome of one theorem by itself, so that a fault is reported where it belongs."""
    from verify.coq.compile import established
    from verify.coq.sources import Refused

    try:
        return _outcome(established([name], folder)[name])
    except Refused as error:
        return Outcome(crash=str(error))


def _outcome(theorem: Pin) -> Outcome:
    values = {
        "statement": theorem.statement,
        "assumptions": sorted(theorem.assumptions),
        "definitions": theorem.definitions,
    }
    return Outcome(True, values)
