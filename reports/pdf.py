r"""A compiled erratum beside its LaTeX source: the same words in the same order, and nothing active.

Compared       letters and digits. Those of the prose are the same; a formula has none that its
               source has not. Numbers of sections, of items and of pages are counted here
Refused        more than pdflatex writes here: pictures, links, scripts, colours, hidden text; more
               lines than the source has fractions, roots and rules
Not compared   signs, places, and how the fonts in the PDF draw a letter

A source that is not of the known kind gives a difference, never a confirmation.
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

NESTED = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
SOURCE = re.compile(
    rf"""
      (?P<formula> \$\$.*?\$\$ | (?<!\\)\$[^$]*\$ | \\ensuremath{NESTED} )
    | (?P<layout> \\(?:documentclass|usepackage)(?:\[[^]]*\])?\{{[^{{}}]*\}}
        | \\setlength\{{[^{{}}]*\}}\{{[^{{}}]*\}} | \\rule\{{[^{{}}]*\}}\{{[^{{}}]*\}}
        | \\(?:emergencystretch|hbadness)=[0-9a-z]+ | \\char[0-9]+ )
    | \\(?P<edge>begin|end)\{{(?P<environment>[a-z]+\*?)\}}
    | \\(?P<numbered>section|item)(?![A-Za-z*])
    | \\[A-Za-z]+\*? | \\. | (?P<comment>%[^\n]*)
    | (?P<prose>[A-Za-z0-9]+) | .
    """,
    re.VERBOSE | re.DOTALL,
)
COMMAND = re.compile(r"\\([A-Za-z]+)")
OPERATORS = {"log", "max", "min", "sin", "cos", "tan", "exp", "lim", "sup", "inf", "arg", "tanh"}
LARGE = {"sum": "PX", "prod": "QY", "int": "RZ"}  # the letters in whose place TeX's font has them
LIGATURE = re.compile("[\ufb00-\ufb06]")
CATALOGUE = {"/Type", "/Pages"}
PAGE = {"/Type", "/Contents", "/Resources", "/MediaBox", "/Parent"}
RESOURCES = {"/Font", "/ProcSet"}
# Text in black, and lines: no operator for colours, pictures or text that is not painted.
OPERATORS_OF_PAGES = set(b"BT ET Tf Td Tj TJ q Q cm d J w m l S re f".split())
LINES = {b"S", b"f"}
RULED = re.compile(r"\\(?:[dt]?frac|sqrt|rule|overline|underline)(?![A-Za-z])")


@dataclass(frozen=True)
class Piece:
    """A word of the source, or a formula: what may stand in its place, and nothing else."""

    text: str
    is_formula: bool = False

    def ends(self, words: str, start: int) -> Iterator[int]:
        """Where this piece can end in the words of a PDF if it begins at a place."""
        if not self.is_formula:
            yield from [start + len(self.text)] if words.startswith(self.text, start) else []
            return
        left = Counter(self.text)
        yield start
        for end, letter in enumerate(words[start : start + len(self.text)], start + 1):
            if not left[letter]:
                return
            left[letter] -= 1
            yield end


def difference(source: str, pdf: bytes) -> str:
    """Why a PDF is not the compiled source, in a few words; empty if it has its words."""
    try:
        import pypdf
    except ImportError:
        return "pypdf is not installed, by which it is compared"
    try:
        reader = pypdf.PdfReader(io.BytesIO(pdf), strict=True)
        more = _more_than_text(reader) or _more_than_lines(reader, len(RULED.findall(source)))
        return more or first_difference(source, _words(reader))
    except Exception as error:  # somebody's file: the library raises what it will
        return f"it cannot be read ({type(error).__name__})"


def first_difference(source: str, words: str) -> str:
    """The first place of the source at which a PDF has other words; empty if there is none."""
    places, farthest = {0}, 0
    for piece in pieces(source):
        places = {end for start in places for end in piece.ends(words, start)}
        if not places:
            return f"it has not the words of its source where that says {piece.text[:40]!r}"
        farthest = max(places)
    return (
        "" if len(words) in places else f"it says more than its source: {words[farthest:][:40]!r}"
    )


def pieces(source: str) -> Iterator[Piece]:
    """The words and formulas of a LaTeX source as they are printed, with the numbers LaTeX adds."""
    lists: list[int | None] = []  # the last number of each list that is open; None if it has none
    sections = 0
    for token in SOURCE.finditer(source):
        match token.lastgroup:
            case "formula":
                yield Piece("".join(_letters(token[0])), is_formula=True)
            case "prose":
                yield Piece(token[0])
            case "environment":
                _enter_or_leave(lists, token)
            case "numbered" if token["numbered"] == "section":
                sections += 1
                yield Piece(str(sections))
            case "numbered" if lists and lists[-1] is not None:
                lists[-1] += 1
                yield Piece(str(lists[-1]))


def _enter_or_leave(lists: list[int | None], token: re.Match[str]) -> None:
    if token["edge"] == "begin":
        lists.append(0 if token["environment"] == "enumerate" else None)
    elif lists:
        lists.pop()


def _letters(formula: str) -> Iterator[str]:
    """The letters and digits that a formula can print; names of commands are none."""
    named = COMMAND.sub(lambda command: _printed(command[1]), formula)
    return (letter for letter in named if letter.isascii() and letter.isalnum())


def _printed(command: str) -> str:
    return f" {command if command in OPERATORS else LARGE.get(command, '')} "


def _words(reader: PdfReader) -> str:
    """All letters and digits of a PDF in their order, without the numbers at the foot of pages."""
    texts = [page.extract_text() for page in reader.pages]
    return "".join(_alphanumeric(_body(text, number)) for number, text in enumerate(texts, 1))


def _body(text: str, number: int) -> str:
    body, _, foot = text.rstrip().rpartition("\n")
    return body if foot.strip() == str(number) else text


def _alphanumeric(text: str) -> str:
    joined = LIGATURE.sub(lambda sign: unicodedata.normalize("NFKC", sign[0]), text)
    letters = unicodedata.normalize("NFD", joined)
    return "".join(letter for letter in letters if letter.isascii() and letter.isalnum())


def _more_than_text(reader: PdfReader) -> str:
    """What a PDF has besides text; pictures and links could say something else."""
    tables: list[tuple[Any, set[str]]] = [(reader.root_object, CATALOGUE)]
    for page in reader.pages:
        tables += [(page, PAGE), (page["/Resources"], RESOURCES)]
    strange = sorted(key for table, known in tables for key in set(table) - known)
    return f"it has more than text ({strange[0][:40]})" if strange else ""


def _more_than_lines(reader: PdfReader, rules: int) -> str:
    """What is painted besides letters and as many lines as the source has rules."""
    operations = [operator for page in reader.pages for operator in _operators(page)]
    if strange := sorted(set(operations) - OPERATORS_OF_PAGES):
        return f"it paints with more than text and lines ({strange[0].decode('latin-1')[:40]})"
    drawn = sum(operator in LINES for operator in operations)
    return f"it has {drawn} lines, its source {rules}" if drawn > rules else ""


def _operators(page: PageObject) -> Iterator[bytes]:
    contents = page.get_contents()  # a table, which is empty: its truth says nothing
    yield from () if contents is None else (operator for _, operator in contents.operations)
