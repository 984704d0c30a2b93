"""The sentence a careful author may write, from a row of the record; never more than was shown.

A sentence names the statement, says what holds, for what part of the range, by which method, and
carries every condition and limit. [1] is the paper, [2] is Assay. A statement with a number may
bring a sentence of its own for some verdicts (`cite` in its data); its fields are those of
`_fields`. What a statement rests on is said where it lowers the standing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]
HOW = {
    "machine-checked": "machine-checked in Coq",
    "symbolic": "proved symbolically for all sizes",
    "exact": "by exact computation",
    "enclosure": "certified in interval arithmetic",
    "exhaustive": "all cases checked exactly",
    "source": "read off the published source",
    "sampled": "on samples",
    "observed": "on our own runs",
}
NUMBERED = {
    "proved": "{name} of [1] holds{given}: {says} ({how} [2]).",
    "checked": "{name} of [1] says that {says}{given}; this has been checked for {scope} and not "
    "proved in general ({how} [2]).",
    "measured": "{name} of [1] says that {says}{given}; this agrees with measurements for {scope} "
    "({how} [2]).",
    "repaired": "{name} of [1] does not hold as printed: {witness}. With {change}, it does{extent}"
    "{given}: {repaired} ({how} [2]).",
    "refuted": "{name} of [1] does not hold as printed: {witness} [2].",
}
PLAIN = {
    "proved": "{Says}{given} ([1], {place}; {how} [2]).",
    "checked": "{Says}{given} ([1], {place}); this has been checked for {scope} and not proved in "
    "general ({how} [2]).",
    "measured": "{Says}{given} ([1], {place}); this agrees with measurements for {scope} "
    "({how} [2]).",
    "repaired": "The sentence of [1] ({place}) that {says} does not hold as printed: {witness}. "
    "With {change}, it does{extent}{given}: {repaired} ({how} [2]).",
    "refuted": "The sentence of [1] ({place}) that {says} does not hold: {witness} [2].",
}
SHARED = {
    "well-formed": "{name} of [1] is well-formed{given}: {says} ({how} [2]).",
    "ill-formed": "{name} of [1] is ill-formed as printed: {witness}.{mend}",
    "confirmed": "{Says} ([1], {place}), as the published source confirms ({because} [2]).",
    "contradicted": "In [1] ({place}) it is said that {says}; the published source differs: "
    "{witness} [2].",
    "unknown": "In [1] ({place}) it is said that {says}; this could not be confirmed: {reason} [2].",
    "consistent": "{Says} ([1], {place}); our own runs agree with it for {scope}, by a rule fixed "
    "beforehand [2].",
    "inconsistent": "{Says} ([1], {place}); our own runs disagree, by a rule fixed beforehand: "
    "{witness} [2].",
    "not repeated": "{Says} ([1], {place}); we have not repeated this measurement: {reason} [2].",
    "open": "Whether {says} ([1], {place}) is open: {reason} [2].",
    "unchecked": "Whether {says} ([1], {place}) has not been checked: {reason} [2].",
    "no verdict": "[1] ({place}) holds the view that {says}; {reason}.",
    "broken": "Nothing can be said here of whether {says} ([1], {place}): our own check is broken.",
}
OURS = {
    "proved": "We show in [2] that {says}{given} ({how}).",
    "checked": "We show in [2] that {says}{given}, for {scope} ({how}); the general case is not "
    "proved.",
    "measured": "We measure in [2] that {says}{given}, for {scope} ({how}).",
    "open": "Whether {says} is open [2]: {reason}.",
    "unchecked": "Whether {says} has not been checked in this run of [2]: {reason}.",
    "broken": "Nothing can be said here of whether {says}: our own check is broken [2].",
}


def sentence(row: Row, rows: Mapping[str, Row]) -> str:
    """What may be written of a statement; `rows` are all statements of the record by id."""
    fields = _fields(row)
    template = row["cite"].get(row["verdict"]) or _shape(row)
    text = template.format_map(fields)
    return " ".join(filter(None, [text, _limits(row, text), _resting(row, rows)]))


def _shape(row: Row) -> str:
    verdict = row["verdict"]
    if row["ours"] and verdict in OURS:
        return OURS[verdict]
    own = NUMBERED if row["numbered"] else PLAIN
    return own.get(verdict) or SHARED[verdict]


def _fields(row: Row) -> dict[str, str]:
    repair = row["repair"] or {"change": "", "says": ""}
    scope = "every size" if row["scope"] == "all" else row["scope"]
    partly = row["rank"] == "repaired" and row["scope"] != "all"
    return {
        "name": row["numbered"] or f"“{row['title']}” ({place(row['section'])})",
        "place": place(row["section"]),
        "says": row["says"],
        "Says": row["says"][:1].upper() + row["says"][1:],
        "given": f", given {joined(row['under'])}" if row["under"] else "",
        "how": HOW.get(row["method"], ""),
        "scope": scope,
        "extent": f" for {scope} (not proved in general)" if partly else "",
        "witness": row["witness"].rstrip("."),
        "because": row["because"].rstrip("."),
        "reason": row["reason"].rstrip("."),
        "change": repair["change"],
        "repaired": repair["says"],
        "mend": f" The smallest repair: {repair['change']}." if repair["change"] else "",
    }


def place(section: str) -> str:
    """A section as it is named in running text."""
    if section[:1].isdigit():
        return f"Section {section}"
    if len(section) <= 5 and section[:1] in "ABCD":
        return f"Appendix {section}"
    return section[:1].lower() + section[1:]


def joined(items: Sequence[str]) -> str:
    """Several phrases in a row: "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def _limits(row: Row, text: str) -> str:
    left = [limit for limit in row["limits"] if limit not in text]
    return f"Note: {'; '.join(left)}." if left else ""


def _resting(row: Row, rows: Mapping[str, Row]) -> str:
    if not row["through"] or row["standing"] == row["rank"]:
        return ""
    other = rows[row["through"]]
    named = other["numbered"] or f"“{other['title']}” ({place(other['section'])})"
    return f"It rests on {named} of [1], whose verdict is {other['verdict']}."
