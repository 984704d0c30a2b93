"""Facts about texts: lines of the paper's source and of files in the paper's folder.

text.nowhere    none of some words occurs in some lines of the LaTeX source with the given hash;
                another file is not judged
source.line     a line of a file in the folder (published code, a log, the source) has a text
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from verify.evidence.folder import text_of
from verify.facts.registry import Inputs, fact
from verify.judge.outcome import Outcome


@fact("text.nowhere", "exhaustive", ("paper",))
def words_are_absent(inputs: Inputs, words: list[str], lines: list[int], sha256: str) -> Outcome:
    """None of these words occurs in these lines of the paper's source, whatever their case."""
    source = Path(str(inputs.paper)).read_bytes()
    if hashlib.sha256(source).hexdigest() != sha256:
        return Outcome(missing="the paper's source, in the version that the statements count")
    first, last = lines
    text = source.decode().splitlines()[first - 1 : last]
    hits = [n for n, line in enumerate(text, first) if any(w in line.lower() for w in words)]
    shown = {"first": first, "last": last, "words": words}
    return Outcome(not hits, shown, {"lines": hits} if hits else None)


@fact("source.line", "source")
def line(inputs: Inputs, file: str, line: int, says: str) -> Outcome:
    """The line of the file has this text, spaces at its ends apart."""
    lines = text_of(inputs, file).splitlines()
    found = lines[line - 1].strip() if 1 <= line <= len(lines) else ""
    values = {"file": file, "line": line, "text": found}
    return Outcome(found == says.strip(), values, None if found == says.strip() else values)
