"""The recorded verdicts, and how a run compares with them.

`claims/recorded.json` says, for each profile, which verdict each claim is known to get, and how
that changes when a prerequisite is missing. A run that finds anything else says so, and its exit
status tells which way: so that a change of mind, or of a library, is never silent.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verify.check import Check
from verify.claims.model import Claim
from verify.record import Seen
from verify.verdict import DECIDED, ORDER, Verdict, judge

FILE = Path(__file__).parent / "claims" / "recorded.json"
Recorded = dict[str, dict[str, dict[str, str]]]


@dataclass(frozen=True)
class Change:
    """A claim whose verdict is not the recorded one."""

    claim: str
    recorded: str
    found: str


def load(path: Path = FILE) -> Recorded:
    """The recorded verdicts: profile → missing prerequisite ("" for none) → claim → verdict."""
    if not path.exists():
        return {}
    content: Recorded = json.loads(path.read_text("utf-8"))
    return content


def expected(recorded: Recorded, profile: str, missing: Iterable[str]) -> dict[str, str]:
    """The verdicts a run with these prerequisites should find."""
    known = recorded.get(profile, {})
    verdicts = dict(known.get("", {}))
    for need in missing:
        for claim, verdict in known.get(need, {}).items():
            verdicts[claim] = max(verdicts.get(claim, verdict), verdict, key=_rank)
    return verdicts


def _rank(verdict: str) -> int:
    return ORDER.index(Verdict(verdict))


def changes(found: Mapping[str, str], known: Mapping[str, str]) -> list[Change]:
    """The claims whose verdict is not the recorded one; a claim never recorded counts."""
    return [
        Change(claim, known.get(claim, ""), verdict)
        for claim, verdict in found.items()
        if known.get(claim, "") != verdict
    ]


def exit_status(found: Mapping[str, str], changed: Sequence[Change]) -> int:
    """0 as recorded; 1 one changed; 2 something undecided that was decided; 3 broken."""
    if Verdict.BROKEN.value in found.values():
        return 3
    decided = {verdict.value for verdict in DECIDED}
    if any(c.recorded in decided and c.found not in decided for c in changed):
        return 2
    return 1 if changed else 0


def to_record(
    claims: Sequence[Claim], seen: Sequence[Seen], checks: Mapping[str, Check], needs: Iterable[str]
) -> dict[str, dict[str, str]]:
    """What to record for a profile: all verdicts, and the differences without each need."""
    whole = _verdicts(claims, seen)
    table = {"": whole}
    for need in needs:
        without = _verdicts(claims, [s for s in seen if need not in checks[s.check].needs])
        table[need] = {name: verdict for name, verdict in without.items() if whole[name] != verdict}
    return table


def _verdicts(claims: Sequence[Claim], seen: Sequence[Seen]) -> dict[str, str]:
    by_claim: dict[str, list[Any]] = {}
    for item in seen:
        by_claim.setdefault(item.evidence.claim, []).append(item.evidence)
    return {claim.id: judge(claim, by_claim.get(claim.id, [])).verdict.value for claim in claims}
