"""A person's word: the signed text is repeated, and taken on trust."""

from __future__ import annotations

from datetime import date

from verify.recheck.declarations import confirms
from verify.recheck.errors import Recomputed, Refused, abbreviate


@confirms("person.reads", "vouched", "a person's word", who=str, when=str, what=str)
def reads(who: str, when: str, what: str) -> Recomputed:
    """Confirm a signature: the name, the date and the words of the data."""
    try:
        day = date.fromisoformat(when).isoformat()
    except ValueError:
        raise Refused(f"when = {abbreviate(when)}, expected a date") from None
    if not who.strip() or not what.strip():
        raise Refused("a signature has a name and says what was read")
    return Recomputed(True, {"who": who, "when": day, "what": what})
