"""Does every part of the paper have a claim? The source, cut into units, against the registry.

Units      environments (definition, theorem, lemma, corollary, their repeats, proof, displays,
           tables, figures, algorithms, lists and their items, table rows), footnotes, and the
           paragraphs of running text between them
Covered    a unit is covered if each of its lines that says something lies in the range of a claim
           or in a range of `claim_free`; a printed proof as a whole covers nothing, its steps must
Limits     the source has one line for many a paragraph: a line with several sentences counts as
           covered once a claim stands on it
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from verify.claims.claim_free import CLAIM_FREE, Free
from verify.claims.model import PAPER_SHA256, Claim, Kind

TEXT_INSIDE = frozenset(
    ("abstract", "definition", "theorem", "lemma", "corollary", "reptheorem", "proof")
)
ENVIRONMENTS = TEXT_INSIDE | {
    *("align", "align*", "equation", "table", "table*", "figure", "figure*", "subfigure"),
    *("algorithm", "itemize", "enumerate"),
}
EDGE = re.compile(r"\\(begin|end)\{([a-z]+\*?)\}")
COMMANDS = (
    r"begin|end|label|section\*?|subsection|subsubsection|paragraph|includegraphics"
    r"|bibliographystyle|bibliography|newcommand|vspace"
)
SWITCHES = (
    r"centering|toprule|midrule|bottomrule|hfill|newpage|appendix|onecolumn|twocolumn|newline"
)
SILENT = re.compile(
    rf"^(\\({SWITCHES})\b|\\({COMMANDS})(\[[^\]]*\])?(\{{[^{{}}]*(\{{[^{{}}]*\}}[^{{}}]*)*\}})*"
    r"(\[[^\]]*\])?|[\[\]{}$\s]|\$\$)*$"
)
ITEM = re.compile(r"^\s*\\item\b")
ROW = re.compile(r"&.*\\\\\s*$")
DISPLAY = "$$"
OTHER_SOURCE = (
    "The source is not the paper of the registry (SHA-256 {}); its lines may not be those that "
    "the claims count. "
)


class SourceError(ValueError):
    """The LaTeX source cannot be cut into units."""


@dataclass(frozen=True)
class Unit:
    """A stretch of the source: its kind, its first and last line."""

    kind: str
    first: int
    last: int


@dataclass(frozen=True)
class Gap:
    """A unit and those of its lines that no claim covers."""

    unit: Unit
    lines: tuple[int, ...]


@dataclass(frozen=True)
class Coverage:
    """What was found: the source's hash, the number of units, the gaps."""

    sha256: str
    units: int
    gaps: tuple[Gap, ...]

    @property
    def same_source(self) -> bool:
        """Whether the source is the one whose lines the claims count."""
        return self.sha256 == PAPER_SHA256

    def describe(self) -> str:
        """The outcome in full sentences."""
        source = "" if self.same_source else OTHER_SOURCE.format(self.sha256)
        if not self.gaps:
            return f"{source}All {self.units} units are covered."
        named = "; ".join(
            f"{gap.unit.kind} {gap.unit.first}-{gap.unit.last} at {_spell(gap.lines)}"
            for gap in self.gaps
        )
        return f"{source}{len(self.gaps)} of {self.units} units are not covered: {named}."


def _spell(lines: Sequence[int]) -> str:
    """Line numbers as text."""
    return ", ".join(str(line) for line in lines)


def body(source: str) -> list[tuple[int, str]]:
    """Numbered lines of the document proper; comments and everything before it are blank."""
    lines = list(enumerate(source.splitlines(), start=1))
    starts = [number for number, text in lines if r"\begin{document}" in text]
    if not starts:
        raise SourceError(r"no \begin{document} in the source")
    kept = [(number, text) for number, text in lines if number > starts[0]]
    return [(number, re.sub(r"(?<!\\)%.*", "", text)) for number, text in kept]


def environments(lines: Iterable[tuple[int, str]]) -> Iterator[Unit]:
    """Each environment of interest, closed properly."""
    open_: list[tuple[str, int]] = []
    for number, text in lines:
        for edge, name in EDGE.findall(text):
            if edge == "begin":
                open_.append((name, number))
            elif name != "document":
                yield from _close(open_, name, number)
    if open_:
        raise SourceError(f"environment {open_[-1][0]} of line {open_[-1][1]} is not closed")


def _close(open_: list[tuple[str, int]], name: str, number: int) -> Iterator[Unit]:
    """Take the innermost environment off the stack; it must have that name."""
    if not open_ or open_[-1][0] != name:
        raise SourceError(f"line {number} closes {name}, which is not the innermost environment")
    _, first = open_.pop()
    if name in ENVIRONMENTS:
        yield Unit(name, first, number)


def displays(lines: Iterable[tuple[int, str]]) -> Iterator[Unit]:
    """Formulas between double dollars."""
    first: int | None = None
    for number, text in lines:
        for _ in range(text.count(DISPLAY)):
            if first is None:
                first = number
            else:
                yield Unit("display", first, number)
                first = None
    if first is not None:
        raise SourceError(f"the formula of line {first} is not closed")


def single_lines(lines: Iterable[tuple[int, str]]) -> Iterator[Unit]:
    """Footnotes, items and table rows, named by the line they start on."""
    for number, text in lines:
        if r"\footnote{" in text:
            yield Unit("footnote", number, number)
        if ITEM.match(text):
            yield Unit("item", number, number)
        if ROW.search(text):
            yield Unit("row", number, number)


def paragraphs(lines: Sequence[tuple[int, str]], taken: Iterable[Unit]) -> Iterator[Unit]:
    """Runs of text outside all other units; environments of text are looked into."""
    inside = {
        number
        for unit in taken
        if unit.kind not in TEXT_INSIDE
        for number in range(unit.first, unit.last + 1)
    }
    run: list[int] = []
    for number, text in [*lines, (0, "")]:
        if number not in inside and says_something(text):
            run.append(number)
        elif run:
            yield Unit("paragraph", run[0], run[-1])
            run = []


def units(source: str) -> tuple[Unit, ...]:
    """The source cut into units, in the order of their first lines."""
    lines = body(source)
    found = [*environments(lines), *displays(lines), *single_lines(lines)]
    found.extend(paragraphs(lines, tuple(found)))
    return tuple(sorted(found, key=lambda unit: (unit.first, -unit.last, unit.kind)))


def says_something(text: str) -> bool:
    """Whether a line holds more than layout commands."""
    return SILENT.match(text.strip()) is None


def covered_lines(claims: Iterable[Claim], free: Iterable[Free]) -> frozenset[int]:
    """All lines that a claim, other than a proof as a whole, or a reason accounts for."""
    ranges = [claim.where.lines for claim in claims if claim.kind not in (Kind.PROOF, Kind.BEYOND)]
    ranges += [(entry.first, entry.last) for entry in free]
    return frozenset(line for first, last in ranges for line in range(first, last + 1))


def uncovered(
    source: str, claims: Iterable[Claim], free: Iterable[Free] = CLAIM_FREE
) -> tuple[Gap, ...]:
    """The units with lines that nothing accounts for."""
    known = covered_lines(claims, free)
    open_lines = [
        number for number, text in body(source) if number not in known and says_something(text)
    ]
    gaps = (
        Gap(unit, tuple(line for line in open_lines if unit.first <= line <= unit.last))
        for unit in units(source)
    )
    return tuple(gap for gap in gaps if gap.lines)


def coverage(path: Path, claims: Iterable[Claim]) -> Coverage:
    """The coverage of the source at that path by these claims."""
    raw = path.read_bytes()
    source = raw.decode("utf-8")
    return Coverage(sha256(raw).hexdigest(), len(units(source)), uncovered(source, claims))
