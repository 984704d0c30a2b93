"""Lines of a text: taken on trust, but the certificate must answer the question of its parameters.

text.nowhere    only the paper's source can tell; what the certificate repeats of the question
                must be the question
source.line     compared with the file where the report carries it along
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verify.recheck.data import Data
from verify.recheck.declarations import confirms
from verify.recheck.errors import Recomputed, agree, boolean, integer_in, list_in, text

Table = Mapping[str, Any]


@confirms("text.nowhere", "exhaustive", "paper", words=[str], lines=[(1, 10**6), 2, 2], sha256=str)
def nowhere(
    words: list[str], lines: list[int], sha256: str, certificate: Table, data: Data
) -> Recomputed:
    """Repeat the parameters; a failure names lines within their range."""
    agree("sha256 of the paper", sha256, data.about["source"]["sha256"])
    first, last = lines
    shown = {"first": first, "last": last, "words": words}
    if boolean(certificate, "holds"):
        return Recomputed(True, shown)
    hits = [integer_in({"line": hit}, "line", first, last)
            for hit in list_in(certificate["witness"], "lines")]  # fmt: skip
    agree("order of the lines", hits, sorted(set(hits)))
    return Recomputed(False, shown, {"lines": hits})


@confirms(
    "source.line", "source", "a file of the paper's folder", file=str, line=(1, 10**6), says=str
)
def source_line(file: str, line: int, says: str, certificate: Table, data: Data) -> Recomputed:
    """The line of a file; for a file that is not at hand, the line stated in the certificate."""
    if file in data.texts:
        lines = data.texts[file].splitlines()
        found = lines[line - 1].strip() if line <= len(lines) else ""
    else:
        found = text(certificate["values"], "text")
    values = {"file": file, "line": line, "text": found}
    return Recomputed(found == says.strip(), values, None if found == says.strip() else values)
