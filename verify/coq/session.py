"""Sessions of Coq: run sentences on compiled files, return what Coq prints, report what it refuses.

The files of the development are required and not imported: what they define is named with its file,
`Model.forward`, and neither a notation nor a constant of theirs can change what `iff`, `R` or `+` mean
in a pinned statement.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from verify.coq.build import compile_file, importing
from verify.coq.sources import Refused

LIBRARY = (
    "From Coq Require FunctionalExtensionality ClassicalDedekindReals.",
    "From Coq Require Import Reals ZArith List String.",
    "Import ListNotations.",
    "Open Scope R_scope.",
)
PRINTING = ("Set Printing Width 10000000.", "Set Printing Depth 10000000.")
UNFOLDED = "Set Printing All."


class Denied(Refused):
    """A sentence that Coq does not accept: its place, and Coq's words."""

    def __init__(self, place: int, words: str) -> None:
        super().__init__(words)
        self.place = place


def run_session(build: Path, name: str, sentences: Sequence[str]) -> None:
    """Run sentences, each on a line of its own, on the files compiled in a folder."""
    opening = [importing(build), *LIBRARY, *PRINTING]
    (build / f"_{name}.v").write_text("\n".join([*opening, *sentences]) + "\n", "utf-8")
    try:
        compile_file(build, f"_{name}.v")
    except Refused as error:
        line = re.search(rf'File "\./_{name}\.v", line (\d+)', str(error))
        if gone := re.search(r"The reference (\w+)\.([\w']+) was not found", str(error)):
            raise Refused(f"{gone[1]}.v: no theorem or definition is called {gone[2]}") from None
        if not line:
            raise
        place = int(line[1]) - len(opening) - 1
        if not 0 <= place < len(sentences):
            raise
        raise Denied(place, str(error)) from None


def answers(
    build: Path, name: str, questions: Mapping[str, str], before: Sequence[str] = ()
) -> dict[str, str]:
    """Return what Coq prints for each question, by its label; some sentences come before them."""
    asked = [f'Redirect "{name}_{k}" {question}' for k, question in enumerate(questions.values())]
    run_session(build, name, [*before, *asked])
    printed = ((build / f"{name}_{k}.out").read_text("utf-8") for k in range(len(questions)))
    return dict(zip(questions, printed, strict=True))


def printed_type(answer: str) -> str:
    """Return the type in the answer to `Check`, on one line."""
    return " ".join(answer.partition(" : ")[2].split())
