"""A person's word: a signature, with name and date, under what the person has read.

It is the weakest kind of evidence. It proves nothing, refutes nothing and repairs nothing; a
statement that rests on it alone has the verdict `vouched`, and the sentence names the person.
"""

from __future__ import annotations

from datetime import date

from verify.facts.registry import fact
from verify.judge.outcome import Outcome


@fact("person.reads", "vouched")
def reads(who: str, when: str, what: str) -> Outcome:
    """A named person has read this and signs for it."""
    if not (who.strip() and what.strip()):
        raise ValueError("a signature needs `who` (a name) and `what` (the text that was read)")
    return Outcome(True, {"who": who, "when": date.fromisoformat(when).isoformat(), "what": what})
