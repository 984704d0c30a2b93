"""What a Coq source says: its text without comments and strings, and what it opens and closes.

Comments are nested, and Coq reads strings inside of them too: `(* " *) " *)` is one comment. Outside
of a comment the text `"(*"` is a string and opens nothing. A file is read alone: a comment, a string,
a section or a module that begins in it ends in it, and it ends nothing that it did not begin.
"""

from __future__ import annotations

import re
from functools import cache

PIECE = re.compile(r'"(?:[^"]|"")*"|\(\*|\*\)|"')
OPENING = re.compile(
    r"\b(?P<end>End)\b\s*(?P<closed>[\w']*)"
    r"|\b(?:Section|Module(?:\s+Type)?(?:\s+(?:Import|Export))?)\s+(?P<opened>[\w']+)"
    r"(?P<rest>[^.]*(?:\.[\w'][^.]*)*)"
)


class Unclosed(ValueError):
    """A comment, a string, a section or a module that is not closed where it was opened."""


@cache
def bare(source: str) -> str:
    """A source with a blank for each comment and an empty string for each string."""
    parts: list[str] = []
    depth = position = 0
    for piece in PIECE.finditer(source):
        if piece[0] == '"':
            raise Unclosed("a string does not end")
        parts.append(source[position : piece.start()] if depth == 0 else "")
        position = piece.end()
        parts.append(_visible(piece[0], depth))
        depth = max(0, depth + {"(*": 1, "*)": -1}.get(piece[0], 0))
    if depth:
        raise Unclosed("a comment does not end")
    return "".join([*parts, source[position:]])


def _visible(piece: str, depth: int) -> str:
    """What is left of a string or of a comment's mark; `*)` that closes nothing is two symbols."""
    if piece == "*)":
        return {0: piece, 1: " "}.get(depth, "")
    return '""' if depth == 0 and piece != "(*" else ""


def check_closed(source: str) -> None:
    """Refuse a source that closes what it did not open, or leaves something open."""
    stack: list[str] = []
    for place in OPENING.finditer(bare(source)):
        if place["end"]:
            if not stack or stack.pop() != place["closed"]:
                raise Unclosed(f"End {place['closed']} closes nothing that the file opened")
        elif ":=" not in place["rest"]:
            stack.append(place["opened"])
    if stack:
        raise Unclosed(f"{stack[-1]} is not closed")
