"""Small words for the evidence of tree checks: what holds, what fails, and the same scope twice.

The outcome always comes from a comparison; the words only say it. `either` keeps evidence whose
comparison came out as stated and turns the rest around.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from verify.claims.model import Name
from verify.evidence import Arcs, Evidence, Outcome, Strength

SHAPES = {1: 1, 2: 2, 3: 4, 4: 9, 5: 23, 6: 65, 7: 197, 8: 626, 9: 2056}
POSITIONS = {1: 1, 2: 4, 3: 14, 4: 49, 5: 175, 6: 637, 7: 2353, 8: 8788, 9: 33098}
ENGINE = "Python, exact"


def drawn(symbols: Sequence[str]) -> str:
    """A tree's string as a reader sees it."""
    return "".join(symbols)


def arcs(
    label: str, looks: Mapping[int, int], wanted: Mapping[int, int], depths: Sequence[int] = ()
) -> Arcs:
    """Where a head looks from each opening bracket, for a drawing; misses are those not wanted."""
    missed = tuple(i for i in looks if looks[i] != wanted[i])
    return Arcs(label, tuple(looks.items()), missed, tuple(depths))


def all_shapes(leaves: int) -> str:
    """The scope of an exhaustive run over shapes."""
    return f"all {SHAPES[leaves]} ordered tree shapes with at most {leaves} leaves"


def holds(
    claim: str,
    reading: Name,
    strength: Strength,
    scope: str,
    summary: str,
    certificate: dict[str, Any],
    **more: Any,
) -> Evidence:
    """Evidence for a reading."""
    return Evidence(
        claim,
        Outcome.HOLDS,
        strength,
        scope,
        summary,
        reading,
        more.pop("engine", ENGINE),
        certificate,
        **more,
    )


def fails(
    claim: str,
    reading: Name,
    scope: str,
    summary: str,
    certificate: dict[str, Any],
    counterexample: str,
    **more: Any,
) -> Evidence:
    """A counterexample to a reading; its data are exact."""
    return Evidence(
        claim,
        Outcome.FAILS,
        more.pop("strength", Strength.EXACT),
        scope,
        summary,
        reading,
        more.pop("engine", ENGINE),
        certificate,
        counterexample=counterexample,
        **more,
    )


def either(met: bool, evidence: Evidence) -> Evidence:
    """The evidence if its comparison came out as it says.

    Else a reading that was to hold has failed, and a counterexample that was to fail is unknown.
    """
    if met:
        return evidence
    held = evidence.outcome is Outcome.HOLDS
    return replace(
        evidence,
        outcome=Outcome.FAILS if held else Outcome.UNKNOWN,
        strength=Strength.EXACT if held else Strength.OBSERVED,
        certificate=None,
        summary=f"Not confirmed by this run: {evidence.summary}",
        counterexample="",
    )
