"""The words of a report: verdicts with mark and colour, readings, kinds of evidence, places.

A verdict is never shown by colour alone: mark and word always stand beside it. Each colour
comes twice, for light and for dark pages, with the tint that lies behind it; the contrast of
every pair is at least 4.5 to 1 (tested from this very table).
"""

from __future__ import annotations

from dataclasses import dataclass


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


VERDICTS = {
    word.name: word
    for word in (
        Word(
            "proved",
            "■",
            "shown exactly, for the stated scope",
            Tone("#0b6238", "#e2f1e7"),
            Tone("#74d3a0", "#12291e"),
        ),
        Word(
            "certified",
            "◆",
            "shown by rigorous enclosure or exhaustion, for the stated scope",
            Tone("#0c5a86", "#e0eef7"),
            Tone("#7cc3f2", "#11283a"),
        ),
        Word(
            "supported",
            "○",
            "measured only",
            Tone("#665300", "#f5efd6"),
            Tone("#dcc766", "#2b270f"),
        ),
        Word(
            "undecided",
            "?",
            "looked at, not decided",
            Tone("#5f3c99", "#ece6f7"),
            Tone("#c9adf5", "#261d38"),
        ),
        Word(
            "not-checked",
            "–",
            "not checked, with the reason",
            Tone("#4d5761", "#e9ecef"),
            Tone("#aeb8c2", "#22282f"),
        ),
        Word(
            "repaired",
            "↻",
            "fails as printed; a stated reading or repair is proved or certified",
            Tone("#8a4300", "#fae9d8"),
            Tone("#f3af6b", "#332110"),
        ),
        Word(
            "refuted",
            "✗",
            "fails as printed, with a counterexample",
            Tone("#a8141f", "#fbe4e3"),
            Tone("#ff9690", "#3a1917"),
        ),
        Word(
            "broken",
            "!",
            "our check is broken and says nothing on the claim",
            Tone("#941071", "#f9e2f2"),
            Tone("#f79ad8", "#381731"),
        ),
    )
}
ORDER = tuple(VERDICTS)
HOLDS = ("proved", "certified")

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

READINGS = {
    "literal": "as printed",
    "charitable": "read in good will",
    "repaired": "repaired",
}
STRENGTHS = {
    "symbolic": "symbolic proof",
    "exact": "exact computation",
    "enclosure": "rigorous enclosure",
    "exhaustive": "exhaustion of all cases",
    "sampled": "samples",
    "observed": "observed runs",
    "": "none",
}
OUTCOMES = {
    "holds": "holds",
    "fails": "fails",
    "unknown": "unknown",
    "unavailable": "not available",
    "broken": "broken",
}


def place(section: str) -> str:
    """A section as a reader names it: Section 3.2, Appendix B.1, Abstract."""
    if section[:1].isdigit():
        return f"Section {section}"
    if section[:1] in "ABCD" and section[1:2] in ("", "."):
        return f"Appendix {section}"
    return section[:1].upper() + section[1:]


def lines(first: int, last: int) -> str:
    """Source lines in words."""
    return f"line {first}" if first == last else f"lines {first}–{last}"


def listed(names: list[str]) -> str:
    """Names in a row with `and` before the last."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun."""
    return f"{number} {one if number == 1 else many or one + 's'}"
