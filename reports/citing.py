r"""Sentences as LaTeX, with commands in place of the references [1] and [2].

[1], [2]       the paper and the check of it
[1, Thm. 2]    the same with a place: \cite[Thm.~2]{key}
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from reports.escape import latex

LABEL = re.compile(r"( ?)\[([12])(?:, ([^\[\]]*))?\]")
Cite = Callable[[str, str], str]  # of a number, 1 or 2, and of a place, which may be empty


def latex_text(text: str, cite: Cite) -> str:
    """A text as LaTeX, with a citation for each of its labels."""
    parts, done = [], 0
    for label in LABEL.finditer(text):
        space, number, place = label.groups()
        parts += [
            _piece(text[done : label.start()]),
            "~" if space else "",
            cite(number, place or ""),
        ]
        done = label.end()
    return "".join([*parts, _piece(text[done:])])


def by_key(keys: Mapping[str, str]) -> Cite:
    r"""Citations by `\cite`."""
    return lambda number, place: rf"\cite{optional(place)}{{{keys[number]}}}"


def optional(place: str) -> str:
    """A place as an optional argument; nothing for none."""
    return f"[{latex(place).replace('. ', '.~')}]" if place else ""


def _piece(text: str) -> str:
    """A part of a text as LaTeX; a space that opens it stays."""
    return f"{' ' if text[:1] == ' ' else ''}{latex(text)}"
