"""The sentence a careful author may write, and the note behind it, from a row of the record.

sentence   what is claimed, every condition that restricts it, for what part of the range it is
           shown and by which method, and what lowers its standing; short enough to be pasted
           (at most `WORDS` words, which a test holds for our own paper)
note       conventions, the witness, what was repaired, why there is no verdict; a footnote

Neither says more than was shown. [1] is the paper, [2] is Assay. A statement may define a different
sentence for some verdicts (`cite` in its data); its fields are `FIELDS`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from string import Formatter
from typing import Any

Row = Mapping[str, Any]
WORDS = 60
EXAMPLE_WORDS = 20  # of a witness that is part of the sentence; a longer one is in the note
NOT_COMPUTED = "the witness was not computed in this run"
HOW = {
    "machine-checked": "machine-checked in Coq",
    "machine-checked-lean": "machine-checked in Lean",
    "symbolic": "proved symbolically for all sizes",
    "exact": "by exact computation",
    "enclosure": "certified in interval arithmetic",
    "exhaustive": "all cases checked exactly",
    "source": "read off the published source",
    "sampled": "on samples",
    "observed": "observed in runs",
    "vouched": "by the word of a named person",
}
# Verdicts whose reason is worth a line of the note.
EXPLAINED = ("confirmed", "consistent", "inconsistent")
SYMBOLIC_IN_PART = "by symbolic computation"
NUMBERED = {
    "proved": "{name} of [1] holds{given}: {says} ({how} [2]).",
    "checked": "{name} of [1] states that {says}{given}; in [2] this is checked for {scope} "
    "({how}) and not proved in general.",
    "measured": "{name} of [1] states that {says}{given}; this agrees with measurements for "
    "{scope} ({how} [2]).",
    "repaired": "{name} of [1] does not hold as printed. Corrected{extent}{given}: {repaired} "
    "({how} [2]).",
    "refuted": "{name} of [1] does not hold as printed{example} [2].",
    "vouched": "{name} of [1] states that {says}{given}{part}; nothing was computed: {source} [2].",
}
PLAIN = {
    "proved": "{Says}{given} ([1], {place}; {how} [2]).",
    "checked": "{Says}{given} ([1], {place}); in [2] this is checked for {scope} ({how}) and not "
    "proved in general.",
    "measured": "{Says}{given} ([1], {place}); this agrees with measurements for {scope} "
    "({how} [2]).",
    "repaired": "[1] ({place}) states that {says}; this does not hold as printed. "
    "Corrected{extent}{given}: {repaired} ({how} [2]).",
    "refuted": "[1] ({place}) states that {says}; this does not hold{example} [2].",
    "vouched": "[1] ({place}) states that {says}{given}{part}; nothing was computed: {source} [2].",
}
DEFINITION = {
    "checked": "{named} reads: {says}{given}; it was found well-formed for {scope} ({how} [2]) and "
    "not in general.",
    "unchecked": "{named} reads: {says}; [2] does not check it.",
}
SHARED = {
    "well-formed": "{named} is well-formed{given}: {says} ({how} [2]).",
    "ill-formed": "{named} is ill-formed as printed [2].{repair_note}",
    "unnamed well-formed": "{Says}{given} ([1], {place}); this definition is well-formed ({how} "
    "[2]).",
    "unnamed ill-formed": "By [1] ({place}) {says}; as printed this is ill-formed [2]."
    "{repair_note}",
    "confirmed": "{Says}{given} ([1], {place}); the published source confirms this [2].",
    "contradicted": "[1] ({place}) says that {says}; the published source differs: {witness} [2]."
    "{repair_note}",
    "unknown": "[1] ({place}) says that {says}; [2] could not confirm this.",
    "consistent": "{Says}{given} ([1], {place}); by a rule fixed beforehand the runs of [2] agree "
    "with it ({scope}).",
    "inconsistent": "{Says} ([1], {place}); by a rule fixed beforehand the runs of [2] disagree "
    "with it.{repair_note}",
    "not repeated": "{Says} ([1], {place}); [2] has not repeated this measurement.",
    "undecided": "{Says} ([1], {place}); by a rule fixed beforehand the runs of [2] do not decide "
    "this.",
    "open": "Whether {says} ([1], {place}) is open [2].",
    "unchecked": "Whether {says} ([1], {place}) has not been checked in [2].",
    "no verdict": "[1] ({place}) says that {says}.",
    "broken": "Nothing can be said here of whether {says} ([1], {place}): the check of [2] is "
    "broken.",
}
OURS = {
    "proved": "{Says}{given} ({how} [2]).",
    "checked": "{Says}{given}: checked for {scope} ({how} [2]) and not proved in general.",
    "measured": "{Says}{given}: measured for {scope} ({how} [2]).",
    "vouched": "It is said in [2] that {says}{given}{part}; nothing was computed: {source}.",
    "open": "Whether {says} is open [2].",
    "unchecked": "Whether {says} has not been checked in this run of [2].",
    "broken": "Nothing can be said here of whether {says}: the check of [2] is broken.",
}
# What covers the whole range and assumes something that the paper does not state.
ASSUMING = "all, assuming "
ASSUMED = (
    "{Says}{given} ([1], {place}), assuming {assumed} ({how} [2]); without this it is not proved."
)
OURS_ASSUMED = "{Says}{given} ({how} [2], assuming {assumed})."
PROOF = "See [2] for corrections of the proof."
FIELDS = frozenset({
    *("name", "named", "title", "place", "says", "Says", "given", "how", "scope", "assumed"),
    *("extent", "part", "witness", "example", "because", "source", "change", "repaired", "repair_note"),
})  # fmt: skip


def sentence(row: Row, rows: Mapping[str, Row]) -> str:
    """Sentence on a statement; `rows` are all statements of the record by id."""
    template = row["cite"].get(row["verdict"]) or _shape(row)
    text = template.format_map(_fields(row))
    pointed = "corrections of the proof" in text
    corrected = PROOF if _proof_note(row, rows) and not pointed else ""
    return " ".join(filter(None, (text, corrected, _foundation_note(row, rows))))


def note(row: Row, rows: Mapping[str, Row], needs: Mapping[str, str] | None = None) -> str:
    """Note that explains the sentence: conventions, the witness, the repair.

    `needs` has the words for what facts may need.
    """
    parts = [
        *(_ended(each) for each in row["notes"]),
        *_reasons(row, needs or {}),
        _proof_note(row, rows),
    ]
    return " ".join(filter(None, parts))


def _shape(row: Row) -> str:
    verdict = row["verdict"]
    if verdict == "checked" and row["scope"].startswith(ASSUMING):
        return OURS_ASSUMED if row["ours"] else ASSUMED
    if row["ours"] and verdict in OURS:
        return OURS[verdict]
    if row["form"] == "definition" and verdict in DEFINITION:
        return DEFINITION[verdict]
    if row["form"] == "measurement" and row["rank"] == "open":
        return SHARED["undecided"]
    if row["form"] == "definition" and not row["numbered"] and f"unnamed {verdict}" in SHARED:
        return SHARED[f"unnamed {verdict}"]
    own = NUMBERED if row["numbered"] else PLAIN
    return own.get(verdict) or SHARED[verdict]


def _fields(row: Row) -> dict[str, str]:
    repair = row["repair"] or {"change": "", "says": ""}
    scope = "every size" if row["scope"] == "all" else row["scope"]
    partly = row["rank"] == "repaired" and row["scope"] != "all"
    where = place(row["section"])
    return {
        "name": row["numbered"] or f"The statement of {where}",
        "named": f"{row['numbered']} of [1]"
        if row["numbered"]
        else f"The definition of [1] ({where}) that {row['says']}",
        "title": row["title"],
        "place": where,
        "says": row["says"],
        "Says": begin_sentence(row["says"]),
        "given": _given(row),
        "how": _how(row),
        "scope": scope,
        "assumed": row["scope"].removeprefix(ASSUMING),
        "extent": f" for {scope} (not proved in general)" if partly else "",
        "part": _part(row["scope"]),
        "witness": row["witness"].rstrip("."),
        "example": _example(row),
        "because": row["because"].rstrip("."),
        "source": begin_clause(row["because"].rstrip(".")),
        "change": repair["change"],
        "repaired": repair["says"],
        "repair_note": _repair_note(row, repair),
    }


def _given(row: Row) -> str:
    """The conditions: those that the paper states, and those that it does not state."""
    conditions = [*row["under"], *row["conditions"]]
    return f", given {enumeration(conditions)}" if conditions else ""


def _part(scope: str) -> str:
    """The part of the range, and what is assumed; empty for the whole range."""
    if scope in ("", "all"):
        return ""
    assumed = scope.removeprefix(ASSUMING)
    return f", for {scope}" if assumed == scope else f", assuming {assumed}"


def _reasons(row: Row, needs: Mapping[str, str]) -> Iterator[str]:
    """Yield the reasons: the witness, what the repair changes, why there is no verdict."""
    if row["witness"]:
        yield f"Witness: {_ended(row['witness'])}"
    if row["repair"] and row["rank"] == "repaired":
        yield f"Changed: {_ended(row['repair']['change'])}"
    if row["reason"]:
        yield _ended(begin_sentence(_reason(row["reason"], needs)))
    if row["rank"] in EXPLAINED or row["verdict"] in EXPLAINED:
        yield _ended(row["because"])


def _ended(text: str) -> str:
    """A phrase as a sentence."""
    return f"{begin_sentence(text).rstrip('.')}." if text else ""


def fields_of(template: str) -> set[str]:
    """The fields that a template asks for."""
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def _how(row: Row) -> str:
    if row["method"] == "symbolic" and row["scope"] != "all":
        return SYMBOLIC_IN_PART
    return HOW.get(row["method"], "")


def _example(row: Row) -> str:
    """The witness of a refuted statement, if it is short enough for the sentence."""
    witness = row["witness"].rstrip(".")
    fits = 0 < len(witness.split()) <= EXAMPLE_WORDS and witness != NOT_COMPUTED
    return f", e.g.: {witness}" if fits else ""


def _repair_note(row: Row, repair: Mapping[str, str]) -> str:
    if not repair["change"]:
        return ""
    if row["rank"] == "repaired":
        part = "" if row["scope"] == "all" else f" (checked for {row['scope']})"
        return f" Corrected{_given(row)}: {repair['says']}{part}."
    return f" The smallest repair is {repair['change']}."


def _reason(text: str, needs: Mapping[str, str]) -> str:
    """Return the reason for no verdict; what a run lacked is named in full."""
    if text.startswith("needs "):
        lacking = text.removeprefix("needs ").split(", ")
        return f"it needs {enumeration([needs.get(name, name) for name in lacking])}"
    return text.rstrip(".")


def begin_sentence(text: str) -> str:
    """A clause as the beginning of a sentence; a symbol keeps its letter."""
    first, _, _ = text.partition(" ")
    return text[:1].upper() + text[1:] if first == "a" or _is_word(first) else text


def begin_clause(text: str) -> str:
    """A sentence as a clause; names and abbreviations keep their capital."""
    first, _, _ = text.partition(" ")
    plain = first == "A" or (_is_word(first) and first[1:].islower())
    return text[:1].lower() + text[1:] if plain else text


def _is_word(text: str) -> bool:
    return len(text) > 1 and text.replace("'", "").rstrip(",:;").isalpha()


def place(section: str) -> str:
    """A section as it is named in running text."""
    if section[:1].isdigit():
        return f"Section {section}"
    if section[:1].isupper() and section[1:2] in ("", "."):
        return f"Appendix {section}"
    return section[:1].lower() + section[1:]


def enumeration(items: Sequence[str]) -> str:
    """Several phrases in a row: "a, b and c"."""
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def _proof_note(row: Row, rows: Mapping[str, Row]) -> str:
    """Of a numbered statement that holds: what its printed proof needs, where it needs repair."""
    proof = rows.get(f"{row['id']}.proof")
    if not row["numbered"] or row["rank"] != "proved" or proof is None:
        return ""
    if proof["rank"] != "repaired":
        return ""
    return f"The printed proof holds with {proof['repair']['change']}."


def _foundation_note(row: Row, rows: Mapping[str, Row]) -> str:
    if not row["through"] or row["standing"] == row["rank"]:
        return ""
    other = rows[row["through"]]
    if other["numbered"]:
        return f"It rests on {other['numbered']} of [1], whose verdict is {other['verdict']}."
    where = "" if other["ours"] else f" ([1], {place(other['section'])})"
    return f"It rests on this: {other['says']}{where}; the verdict on it is {other['verdict']}."
