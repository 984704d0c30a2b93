"""The words of a report: verdicts with mark and colour, grades, methods, interpretations, places.

A verdict is never shown by colour alone, always with its mark and word. Each colour
comes twice, for light and for dark pages, with the tint that lies behind it; the contrast of
every pair is at least 4.5 to 1 (tested from this very table).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Tone:
    """An ink and the tint behind it."""

    ink: str
    tint: str


@dataclass(frozen=True)
class Word:
    """A verdict as a reader sees it."""

    name: str
    mark: str
    meaning: str
    light: Tone
    dark: Tone


GOOD = (Tone("#0b6238", "#e2f1e7"), Tone("#74d3a0", "#12291e"))
PART = (Tone("#0c5a86", "#e0eef7"), Tone("#7cc3f2", "#11283a"))
FAINT = (Tone("#665300", "#f5efd6"), Tone("#dcc766", "#2b270f"))
MENDED = (Tone("#8a4300", "#fae9d8"), Tone("#f3af6b", "#332110"))
BAD = (Tone("#a8141f", "#fbe4e3"), Tone("#ff9690", "#3a1917"))
UNSURE = (Tone("#5f3c99", "#ece6f7"), Tone("#c9adf5", "#261d38"))
GREY = (Tone("#4d5761", "#e9ecef"), Tone("#aeb8c2", "#22282f"))
OURS = (Tone("#941071", "#f9e2f2"), Tone("#f79ad8", "#381731"))
VERDICTS = {
    name: Word(name, mark, meaning, *tones)
    for name, mark, meaning, tones in (
        ("proved", "■", "shown for the whole range of the statement", GOOD),
        ("checked", "◆", "shown rigorously for a stated part of the range", PART),
        ("measured", "○", "samples and floating-point runs only", FAINT),
        ("vouched", "✎", "a named person has read it and signs; nothing was computed", FAINT),
        ("repaired", "↻", "fails as printed; a named repair holds", MENDED),
        ("refuted", "✗", "fails as printed, with a witness", BAD),
        ("open", "?", "looked at, not decided", UNSURE),
        ("unchecked", "–", "not looked at, with the reason", GREY),
        ("well-formed", "■", "a definition that says what it should", GOOD),
        ("ill-formed", "↻", "a definition that needs a small repair", MENDED),
        ("confirmed", "■", "the published source says the same", GOOD),
        ("contradicted", "✗", "the published source says something else", BAD),
        ("unknown", "–", "nobody outside can tell from what is published", GREY),
        ("consistent", "○", "our own runs agree, by a rule fixed beforehand", FAINT),
        ("inconsistent", "✗", "our own runs disagree, by a rule fixed beforehand", BAD),
        ("not repeated", "–", "we have not repeated this measurement", GREY),
        ("no verdict", "·", "a view, a motivation, a question", GREY),
        ("broken", "!", "our own check is broken; it says nothing on the paper", OURS),
    )
}
ORDER = tuple(VERDICTS)
KINDS = {
    "Claims": (
        *("proved", "checked", "measured", "vouched", "repaired", "refuted", "open", "unchecked"),
    ),
    "Definitions": ("well-formed", "ill-formed"),
    "What was done, and what others show": ("confirmed", "contradicted", "unknown"),
    "Trained errors": ("consistent", "inconsistent", "not repeated"),
    "No verdict on the paper": ("no verdict", "broken"),
}
# The one rule for grades; it is printed wherever findings are listed.
GRADES = {
    "material": "a reader who relies on the printed statement or formula gets something false",
    "gap": "the result stands; the printed proof, definition or evidence does not suffice for it",
    "slip": "a reader notices it at once, or nothing depends on it",
}
# Why a finding has this grade for a statement while it has another one as a whole.
ELSEWHERE = {
    "material": "it makes this false",
    "gap": "the result stands",
    "slip": "nothing here depends on it",
}
HEADINGS = {"material": "Material findings", "gap": "Gaps", "slip": "Slips"}
DEFINED = {"proved": "well-formed", "repaired": "ill-formed", "refuted": "ill-formed"}
METHODS = {
    "machine-checked": "machine-checked in Coq",
    "machine-checked-lean": "machine-checked in Lean",
    "symbolic": "symbolic proof for all sizes",
    "exact": "exact computation",
    "enclosure": "interval arithmetic",
    "exhaustive": "all cases, exactly",
    "source": "published source",
    "sampled": "samples",
    "observed": "our own runs",
    "vouched": "a person’s word",
    "": "",
}


@dataclass(frozen=True)
class StateWord:
    """Words for the state of a condition in a theorem; `tone` is a verdict's colour."""

    mark: str
    word: str
    meaning: str
    tone: str


CONDITION_STATES = {
    "stated": StateWord("●", "stated", "in the theorem, its proof or a definition", "proved"),
    "used, not stated": StateWord("◐", "used", "used in print, not stated", "measured"),
    "needed, missing in print": StateWord(
        "▲", "missing", "needed by the printed argument, and missing in print", "repaired"
    ),
    "false as printed": StateWord("✕", "false", "does not hold as printed", "refuted"),
    "not needed": StateWord("○", "not needed", "shown without it", "unchecked"),
}
NOT_SHOWN = StateWord("?", "not shown", "this run lacks the facts that show the state", "open")


def slug(verdict: str) -> str:
    """A verdict as part of a CSS class."""
    return verdict.replace(" ", "-")


GROUND = {
    "light": {
        "page": "#f5f6f6",
        "card": "#ffffff",
        "sunk": "#edeff0",
        "ink": "#13181d",
        "muted": "#505b66",
        "rule": "#cfd5da",
        "accent": "#17497a",
        "focus": "#b34700",
    },
    "dark": {
        "page": "#0e1215",
        "card": "#151a1f",
        "sunk": "#1c2229",
        "ink": "#e8ebee",
        "muted": "#a6b0ba",
        "rule": "#323b44",
        "accent": "#93c5f5",
        "focus": "#ffb454",
    },
}

BASES = {"published": "the published record", "earlier": "an earlier report", "": "nowhere"}
INTERPRETATIONS = {"printed": "as printed", "repaired": "repaired"}


def place(section: str) -> str:
    """A section as a reader names it: Section 3.2, Appendix B.1, Abstract."""
    if section[:1].isdigit():
        return f"Section {section}"
    if section[:1].isupper() and section[1:2] in ("", "."):
        return f"Appendix {section}"
    return section[:1].upper() + section[1:]


def lines(first: int, last: int) -> str:
    """Source lines in words."""
    return f"line {first}" if first == last else f"lines {first}–{last}"


def grading(finding: Mapping[str, Any]) -> str:
    """The statements for which a finding has another grade, with the reason, or ""."""
    parts = []
    for grade, why in ELSEWHERE.items():
        names = [name for name, other in finding["grades"].items() if other == grade]
        parts += [f"{grade} for {', '.join(names)}, since {why}"] if names else []
    return "; ".join(parts)


def grade_counts(grades: Sequence[str]) -> str:
    """Number of findings of each grade, worst first: 3 material, 1 gap, 4 slips."""
    return ", ".join(
        count_of(grades.count(grade), grade, "material" if grade == "material" else "")
        for grade in GRADES
        if grade in grades
    )


def count_of(number: int, one: str, many: str = "") -> str:
    """A number with its noun."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def value_text(value: object) -> str:
    """A value of a certificate as text."""
    if isinstance(value, list):
        return ", ".join(value_text(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{name} = {value_text(item)}" for name, item in value.items())
    return str(value)


def as_sentence(text: str) -> str:
    """A phrase as a sentence: a capital first, unless it opens with a symbol; a full stop last."""
    whole = text if text.endswith((".", "!", "?")) else f"{text}."
    first = whole.split(" ", 1)[0].rstrip(".,:;")
    opens = first == "a" or (len(first) > 1 and first.isalpha())
    return whole[:1].upper() + whole[1:] if opens else whole


# The names that templates of pages and of texts may use.
TEMPLATE_NAMES: dict[str, Any] = {
    "verdicts": VERDICTS,
    "bases": BASES,
    "interpretations": INTERPRETATIONS,
    "methods": METHODS,
    "grades": GRADES,
    "grading": grading,
    "kinds": KINDS,
    "headings": HEADINGS,
    "states": CONDITION_STATES,
    "slug": slug,
    "place": place,
    "lines": lines,
    "counted": count_of,
    "ended": as_sentence,
    "shown": value_text,
}
