"""The registry: every claim in the order of the paper, by one name each.

Checked on import: ids are unique and well formed, every `rests_on` names a claim, nothing rests
on itself by any road. A registry that breaks one of these cannot be loaded.
"""

import re
from collections.abc import Iterable, Mapping

from verify.claims import (
    beyond,
    closing,
    corollary,
    experiments,
    families,
    lemma1,
    mlp,
    opening,
    preliminaries,
    scan,
    simulation,
    tables,
    theorem1,
    theorem1_steps,
    theorem2,
    theorem2_errors,
    theorem3,
    theorem3_left,
    theorem3_right,
    training,
    trees,
)
from verify.claims.model import Claim, Kind

PARTS = (
    opening,
    preliminaries,
    simulation,
    theorem1,
    theorem1_steps,
    lemma1,
    theorem2,
    mlp,
    theorem2_errors,
    trees,
    theorem3,
    corollary,
    theorem3_left,
    theorem3_right,
    scan,
    families,
    experiments,
    training,
    tables,
    closing,
    beyond,
)

WELL_FORMED = re.compile(r"[a-z][a-z0-9]*(\.[a-z0-9]+(-[a-z0-9]+)*)+")


class RegistryError(ValueError):
    """The registry contradicts itself."""


def gather(claims: Iterable[Claim]) -> dict[str, Claim]:
    """Claims by id; refuses an id that is malformed or used twice."""
    found: dict[str, Claim] = {}
    for claim in claims:
        if not WELL_FORMED.fullmatch(claim.id):
            raise RegistryError(f"claim id {claim.id!r} is not a dotted lower-case slug")
        if claim.id in found:
            raise RegistryError(f"two claims are called {claim.id}")
        found[claim.id] = claim
    return found


def require_targets(claims: Mapping[str, Claim]) -> None:
    """Refuse a claim that rests on something that is no claim."""
    for claim in claims.values():
        for target in claim.rests_on:
            if target not in claims:
                raise RegistryError(f"claim {claim.id} rests on {target}, which is no claim")


def ancestors(claims: Mapping[str, Claim], id: str) -> tuple[str, ...]:
    """All ids that a claim rests on, nearest first; refuses a circle."""
    seen: list[str] = []
    _climb(claims, id, (), seen)
    return tuple(seen)


def _climb(claims: Mapping[str, Claim], id: str, path: tuple[str, ...], seen: list[str]) -> None:
    """Depth-first walk that knows the path it came by."""
    if id in path:
        raise RegistryError(f"a claim rests on itself: {' → '.join((*path, id))}")
    for target in claims[id].rests_on:
        _climb(claims, target, (*path, id), seen)
        if target not in seen:
            seen.append(target)


def build(claims: Iterable[Claim]) -> dict[str, Claim]:
    """A registry that holds together, or `RegistryError`."""
    found = gather(claims)
    require_targets(found)
    for id in found:
        ancestors(found, id)
    return found


def in_order(claims: Iterable[Claim]) -> list[Claim]:
    """Claims as the paper makes them, line by line; what lies beyond it comes last."""
    return sorted(claims, key=lambda claim: (claim.kind is Kind.BEYOND, claim.where.lines))


BY_ID: dict[str, Claim] = build(in_order(claim for part in PARTS for claim in part.CLAIMS))
CLAIMS: tuple[Claim, ...] = tuple(BY_ID.values())


def claim(id: str) -> Claim:
    """The claim of that id; an unknown id is a `KeyError` that names it."""
    try:
        return BY_ID[id]
    except KeyError:
        raise KeyError(f"there is no claim {id!r}") from None
