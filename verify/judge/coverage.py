"""Does every sentence of the paper have a statement? The source, cut up, against the registry.

Sentences  the lines of the LaTeX source that say something, each cut at its sentence ends; a
           sentence is named LINE:NUMBER
Covered    a line with one sentence: by any statement or silent entry whose places include it; a
           line with several: each sentence must be named in `sentences` of some entry
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from verify.judge.model import Paper, Silent, Statement

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
SHORT_FORMS = ("e.g.", "i.e.", "et al.", "cf.", "Eq.", "Fig.", "Sec.", "resp.", "w.r.t.", "s.t.")
END = re.compile(r"(?<=[.?!])(?=\s+(?:\\[a-zA-Z]+\{?\s*)?[A-Z$\\(])")
ANSWER = re.compile(r"\\textbf\{[^{}]*\}")  # "Yes" after a question of a form is no sentence


class SourceError(ValueError):
    """The file is no LaTeX document."""


@dataclass(frozen=True)
class Coverage:
    """The number of sentences, those that nothing covers, and whether it is the paper's own source."""

    same_source: bool
    sentences: int
    open: tuple[tuple[str, str], ...]


def body(source: str) -> Iterator[tuple[int, str]]:
    """Numbered lines of the document proper that say something, without comments."""
    lines = list(enumerate(source.splitlines(), start=1))
    starts = [number for number, text in lines if r"\begin{document}" in text]
    if not starts:
        raise SourceError(r"no \begin{document} in the source")
    for number, text in lines:
        spoken = re.sub(r"(?<!\\)%.*", "", text)
        if number > starts[0] and SILENT.match(spoken.strip()) is None:
            yield number, spoken


def sentences(line: str) -> list[str]:
    """A line cut at its sentence ends; dots of short forms end nothing."""
    masked = line.strip()
    for form in SHORT_FORMS:
        masked = masked.replace(form, form.replace(".", "\0"))
    parts = [part.replace("\0", ".").strip() for part in END.split(masked) if part.strip()]
    return [part for part in parts if not ANSWER.fullmatch(part)] or parts


def named(source: str) -> Iterator[tuple[str, str, bool]]:
    """Each sentence with its name, and whether its line holds only this one."""
    for number, text in body(source):
        parts = sentences(text)
        for count, part in enumerate(parts, 1):
            yield f"{number}:{count}", part, len(parts) == 1


def accounted(paper: Paper) -> tuple[set[int], set[str]]:
    """The lines and the single sentences that some entry names; results of ours cover nothing."""
    entries: list[Statement | Silent] = [
        each for each in paper.statements.values() if not each.ours
    ]
    entries += paper.silent
    lines = {n for e in entries for first, last in e.places for n in range(first, last + 1)}
    return lines, {name for e in entries for name in e.sentences}


def uncovered(source: str, paper: Paper) -> list[tuple[str, str]]:
    """The sentences that no entry accounts for."""
    lines, single = accounted(paper)
    return [
        (name, text)
        for name, text, alone in named(source)
        if not (name in single or (alone and int(name.split(":")[0]) in lines))
    ]


def coverage(path: Path, paper: Paper) -> Coverage:
    """The coverage of the source at that path."""
    raw = path.read_bytes()
    source = raw.decode("utf-8")
    same = sha256(raw).hexdigest() == paper.about.source.sha256
    return Coverage(same, sum(1 for _ in named(source)), tuple(uncovered(source, paper)))


def main(arguments: list[str]) -> None:
    """Print the sentences of some lines of a source with their names."""
    source = Path(arguments[0]).read_text("utf-8")
    wanted = {int(number) for number in arguments[1:]}
    for name, text, _ in named(source):
        if not wanted or int(name.split(":")[0]) in wanted:
            print(f"{name}  {text}")


if __name__ == "__main__":
    main(sys.argv[1:])
