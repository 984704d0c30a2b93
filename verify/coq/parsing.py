"""Coq source text: without comments and strings, cut into sentences, and which commands it uses.

Comments are nested, and Coq reads strings inside of them too: `(* " *) " *)` is one comment. A notation
can make a new token of any string, so a string that holds `(*`, `*)` or a quotation mark is refused: it
could change what counts as a comment. Only ASCII is accepted outside of comments.

A file may only use the commands of `ALLOWED`. None of them writes a file, loads something that is not
required, changes Coq's options, or adds an axiom outside of a section.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

PIECE = re.compile(r'"(?:[^"]|"")*"|\(\*|\*\)|"')
TOKEN = re.compile(r"\(\*|\*\)|.\".", re.DOTALL)
UNPRINTABLE = re.compile(r"[^\n\r\t -~]")
NO_TERM = re.compile(r'[^\n\t -~]|\.(?=\s|$)|"|\(\*|\*\)')
SENTENCE_END = re.compile(r"\.(?=\s|$)")
# Bullets, braces and goal selectors, behind which a command can begin.
BEFORE = re.compile(r"(?:[-+*{}\s]+|(?:all|par|!|\d[\d\s,-]*|\[\s*[\w']+\s*\])\s*:\s*)+")
REQUIRE = re.compile(
    r"From\s+(Coq|Assay)\s+Require(?:\s+Import)?\s+(?!Import\b|Export\b)([\w\s]+)$"
)
ALLOWED = re.compile(
    r"(?:(?:Local|Global)\s+)?"
    r"(?:Lemma|Theorem|Corollary|Remark|Fact|Proposition|Example|Proof|Qed|Defined"
    r"|Definition|Fixpoint|CoFixpoint|Let|Inductive|CoInductive|Variant|Record|Structure|Class|Instance"
    r"|Section|End|Context|Variables?|Hypothes[ie]s|Arguments|Implicit\s+Types?"
    r"|Notation|Infix|Open\s+Scope|Close\s+Scope|Import|Ltac|Hint"
    r"|Check|Print\s+Assumptions\s+[\w.']+$|Add\s+(?:Ring|Field|Parametric|Morphism))\b"
)


class Unreadable(ValueError):
    """A source whose comments and strings cannot be separated from its code."""


@cache
def bare(source: str) -> str:
    """Return a source with a blank for each comment and an empty string for each string."""
    parts: list[str] = []
    depth = position = 0
    for piece in PIECE.finditer(source):
        if piece[0] == '"':
            raise Unreadable("a string does not end")
        if depth == 0 and piece[0][0] == '"' and TOKEN.search(piece[0]):
            raise Unreadable("a string holds a quotation mark, (* or *)")
        parts.append(source[position : piece.start()] if depth == 0 else "")
        position = piece.end()
        parts.append(_visible(piece[0], depth))
        depth = max(0, depth + {"(*": 1, "*)": -1}.get(piece[0], 0))
    if depth:
        raise Unreadable("a comment does not end")
    text = "".join([*parts, source[position:]])
    if strange := UNPRINTABLE.search(text):
        raise Unreadable(f"the character {strange[0]!r} is not ASCII")
    return text


def _visible(piece: str, depth: int) -> str:
    """Return the code left of a string or comment mark; `*)` outside of a comment is two symbols."""
    if piece == "*)":
        return {0: piece, 1: " "}.get(depth, "")
    return '""' if depth == 0 and piece != "(*" else ""


def sentences(source: str) -> Iterator[str]:
    """Yield the sentences of a source, without bullets, braces and goal selectors before them."""
    for part in SENTENCE_END.split(bare(source)):
        if sentence := re.sub(rf"\A{BEFORE.pattern}", "", part).strip():
            yield sentence


def requirements(source: str) -> Iterator[tuple[str, str]]:
    """Yield each required module with its library, `Coq` or `Assay`."""
    for sentence in sentences(source):
        if match := REQUIRE.match(sentence):
            yield from ((match[1], name) for name in match[2].split())


def foreign_commands(source: str) -> Iterator[str]:
    """Yield the first words of each sentence that is no tactic and no allowed command."""
    for sentence in sentences(source):
        tactic = sentence[0].islower() or sentence[0] in "(["
        if not (tactic or ALLOWED.match(sentence) or REQUIRE.match(sentence)):
            yield " ".join(sentence.split()[:3])


def check_term(text: str) -> None:
    """Refuse a text that is not one term in balanced parentheses, and so could hold a command."""
    depth = 0
    for mark in re.findall(r"[()]", text):
        depth += 1 if mark == "(" else -1
        if depth < 0:
            break
    if depth or NO_TERM.search(text):
        raise Unreadable(f"{text[:80]!r} is not a term")
