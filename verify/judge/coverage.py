"""Comparison of the paper's sentences with the statements: every sentence should have one.

Pieces     the lines of the LaTeX source that say something, each cut at its sentence ends; a piece
           is named LINE:NUMBER
Sentences  pieces; one that is not ended in its line goes on in the next one, as far as no blank line,
           table row or environment comes between
Covered    by any statement or silent entry that names a piece of it in `sentences`; or whose places
           hold all its lines, unless it shares its only line with others, which must be named
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from verify.judge.data import Paper, Silent, Statement

COMMANDS = (
    r"begin|end|label|section\*?|subsection|subsubsection|paragraph|includegraphics"
    r"|bibliographystyle|bibliography|newcommand|vspace"
)
SWITCHES = (
    r"centering|toprule|midrule|bottomrule|hline|hfill|newpage|clearpage|appendix|onecolumn|twocolumn"
    r"|newline|maketitle|tableofcontents|noindent|small|footnotesize|bigskip|medskip|smallskip|par"
)
SILENT = re.compile(
    rf"^(\\({SWITCHES})\b|\\({COMMANDS})(\[[^\]]*\])?(\{{[^{{}}]*(\{{[^{{}}]*\}}[^{{}}]*)*\}})*"
    r"(\[[^\]]*\])?|[\[\]{}$\s]|\$\$)*$"
)
SHORT_FORMS = ("e.g.", "i.e.", "et al.", "cf.", "Eq.", "Fig.", "Sec.", "resp.", "w.r.t.", "s.t.")
END = re.compile(r"(?<=[.?!])(?=\s+(?:\\[a-zA-Z]+\{?\s*)?[A-Z$\\(])")
UNENDED = re.compile(r"[^.?!:]$")  # without what closes a formula or a group
CLOSING = re.compile(r"(\\\\|\$|\}|\\\]|\\\)|['\s])+$")
OPENING = re.compile(r"\s*\\(begin|end|item|bibitem|caption|[a-z]*section|paragraph)\b")
ANSWER = re.compile(r"\\textbf\{[^{}]*\}")  # "Yes" after a question of a form is no sentence


class SourceError(ValueError):
    """The file is no LaTeX document."""


def body(source: str) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of the document's body that contain text, without comments."""
    lines = list(enumerate(source.splitlines(), start=1))
    starts = [number for number, text in lines if r"\begin{document}" in text]
    if not starts:
        raise SourceError(r"no \begin{document} in the source")
    for number, text in lines:
        spoken = re.sub(r"(?<!\\)%.*", "", text)
        if number >= starts[0] and SILENT.match(spoken.strip()) is None:
            yield number, spoken


def cut_line(line: str) -> list[str]:
    """A line cut at its sentence ends; dots of short forms end nothing."""
    masked = line.strip()
    for form in SHORT_FORMS:
        masked = masked.replace(form, form.replace(".", "\0"))
    parts = [part.replace("\0", ".").strip() for part in END.split(masked) if part.strip()]
    return [part for part in parts if not ANSWER.fullmatch(part)] or parts


@dataclass(frozen=True)
class Sentence:
    """A sentence with the names of its pieces; `alone` if no other sentence is on its line or lines."""

    text: str
    pieces: tuple[str, ...]
    alone: bool

    @property
    def name(self) -> str:
        """The name of its first piece."""
        return self.pieces[0]

    @property
    def lines(self) -> set[int]:
        """The lines that it covers."""
        return {int(piece.split(":")[0]) for piece in self.pieces}

    def going_on(self, piece: str, text: str) -> Sentence:
        """The sentence with a further piece, on the next line."""
        return Sentence(f"{self.text} {text}", (*self.pieces, piece), True)


def pieces_of(source: str) -> Iterator[Sentence]:
    """Each piece of a line with its name, and whether its line holds only this one."""
    for number, text in body(source):
        parts = cut_line(text)
        for count, part in enumerate(parts, 1):
            yield Sentence(part, (f"{number}:{count}",), len(parts) == 1)


def sentences_of(source: str) -> list[Sentence]:
    """The sentences, each with all its pieces."""
    found: list[Sentence] = []
    for piece in pieces_of(source):
        if found and _goes_on(found[-1], piece):
            found[-1] = found[-1].going_on(piece.name, piece.text)
        else:
            found.append(piece)
    return found


def _goes_on(sentence: Sentence, piece: Sentence) -> bool:
    """Return True if an unfinished sentence continues with the first piece of the next line."""
    (line,), name = piece.lines, piece.name
    follows = name.endswith(":1") and max(sentence.lines) == line - 1
    row = sentence.text.rstrip().endswith(r"\\")
    unended = UNENDED.search(CLOSING.sub("", sentence.text)) is not None
    return follows and unended and not row and OPENING.match(piece.text) is None


def covered_places(paper: Paper) -> tuple[set[int], set[str]]:
    """The lines and the single sentences that entries name; our own results are not counted."""
    entries: list[Statement | Silent] = [
        each for each in paper.statements.values() if not each.ours
    ]
    entries += paper.silent
    lines = {n for e in entries for first, last in e.places for n in range(first, last + 1)}
    return lines, {name for e in entries for name in e.sentences}


def uncovered(source: str, paper: Paper) -> list[tuple[str, str]]:
    """Return the sentences that no entry accounts for, with their places."""
    lines, single = covered_places(paper)
    return [
        (each.name, each.text)
        for each in sentences_of(source)
        if not (single & set(each.pieces) or (each.alone and each.lines <= lines))
    ]
