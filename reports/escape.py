"""Text into LaTeX and Markdown: text of the record is shown literally, never interpreted.

Promises      `latex` gives ASCII only, on one line, with balanced braces and dollar signs; it
              compiles with pdflatex without packages. `markdown` gives one line without live
              markup or HTML.
Notation      formulas are found by `reports.formula` and set by `reports.typeset`; in prose a
              character with a command is replaced; an accented letter becomes its accent; a
              compatibility letter (𝒜, ﬁ) its plain form; anything else its code point, U+XXXX
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

from reports.formula import parts
from reports.nodes import LOWERED, RAISED
from reports.typeset import GREEK, MATH, tex

PLAIN = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%",
    "#": r"\#", "_": r"\_", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\ensuremath{<}", ">": r"\ensuremath{>}", "|": r"\ensuremath{|}", "`": r"{\char96}",
    '"': r"{\char34}", "–": "--", "—": "---", "‘": "`",
    "’": "'", "“": "``", "”": "''", "…": r"\ldots{}", "§": r"\S{}", "¶": r"\P{}",
    "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}", "ø": r"\o{}", "Ø": r"\O{}", "ł": r"\l{}",
    "Ł": r"\L{}", "ı": r"\i{}", "\u00a0": "~", "\u200b": "", "\ufeff": "",
}  # fmt: skip
ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u",
    "\u0307": ".", "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c",
}  # fmt: skip
INVISIBLE = re.compile(  # Unicode's category Cf
    "[\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\U000e0001-\U000e007f]"
)
MARKED = re.compile(r"([\\`*_\[\]|~$#])")
# A person's initial, as in "A. Reader, ": no symbol.
INITIAL = re.compile(
    r"(?:(?<=^)|(?<=, )|(?<=by ))[A-Z]\.(?= [A-Z][^\s,.:;()]+(?:[,.:;)]|$| et al| and | \())"
)
OPENER = re.compile(r"^(\d*)([-+=.)])")


def one_line(text: str) -> str:
    """Return the text with every run of white space one space, without control characters."""
    kept = "".join(c for c in text if c.isspace() or unicodedata.category(c) not in ("Cc", "Cs"))
    return " ".join(kept.split())


def visible(text: str) -> str:
    """Return the text with invisible characters, those that reorder a line too, as U+XXXX.

    Examples:
        >>> visible("a\u202eb")
        'aU+202Eb'

    """
    return INVISIBLE.sub(lambda found: f"U+{ord(found[0]):04X}", text)


def latex(text: object) -> str:
    """Text as LaTeX, with its formulas in mathematical type."""
    line = one_line(unicodedata.normalize("NFC", str(text)))
    pieces: list[str] = []
    done = 0
    for initial in [*INITIAL.finditer(line), None]:
        text = line[done : initial.start() if initial else len(line)]
        for part in parts(text):
            pieces += map(_letter, part) if isinstance(part, str) else [tex(part)]
        if initial:
            pieces.append(initial[0])
            done = initial.end()
    return "".join(_apart(pieces))


def _apart(pieces: list[str]) -> Iterator[str]:
    """The pieces, with an empty group between two that would join to one sign."""
    last = ""
    for piece in pieces:
        if piece and last and piece[0] == last and last in "-',`$":
            yield "{}"
        yield piece
        last = piece[-1:] or last


def _letter(char: str) -> str:
    if char in PLAIN:
        return PLAIN[char]
    if char.isascii():
        return char
    for table, sign in ((RAISED, "^"), (LOWERED, "_")):
        if char in table:
            script = table[char].replace("⊤", r"\top ")
            return rf"\ensuremath{{{sign}{{{script}}}}}"
    if char in MATH:
        return rf"\ensuremath{{{MATH[char]}}}"
    if char in GREEK:
        return rf"\ensuremath{{\{GREEK[char]}}}"
    return _convert_accents(char)


def _convert_accents(char: str) -> str:
    base, *marks = list(unicodedata.normalize("NFD", char))
    if len(marks) == 1 and marks[0] in ACCENTS and base.isascii() and base.isalpha():
        return rf"\{ACCENTS[marks[0]]}{{{base}}}"
    plain = unicodedata.normalize("NFKC", char)
    if plain != char:
        return "".join(_letter(c) for c in plain)
    return rf"\texttt{{U+{ord(char):04X}}}"


def markdown(text: object) -> str:
    """Text as escaped Markdown."""
    line = one_line(str(text))
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    line = MARKED.sub(r"\\\1", line)
    return OPENER.sub(r"\1\\\2", line)


def code(text: object) -> str:
    """Any text as a Markdown code span that also survives a table's cell."""
    line = one_line(str(text))
    longest = max((len(run) for run in re.findall("`+", line)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if line.startswith("`") or line.endswith("`") or not line else ""
    return f"{fence}{pad}{line}{pad}{fence}".replace("|", r"\|")


class Raw(str):
    """Text that a template has written itself and that needs no escape."""

    __slots__ = ()


def finalizer(escape: Callable[[object], str]) -> Callable[[object], str]:
    """For a template engine: every value is escaped unless it is `Raw`."""
    return lambda value: str(value) if isinstance(value, Raw) else escape(value)
