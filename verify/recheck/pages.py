"""Comparison of a page with the page that its record gives: refused, confirmed, or not confirmed.

words      all text outside of drawings, and the words of each drawing, must be the same
elements   a drawing has no element, attribute or link that ours have not: a script, a picture or
           a comment could say something else. Nor has an attribute a value that ours have not, but
           for its numbers: a style could paint over the page
lines      coordinates can differ from machine to machine in their last digits; where more is
           different, the drawing is not confirmed, and the page is named
"""

from __future__ import annotations

import re
from decimal import Decimal

from verify.recheck.errors import Refused, abbreviate

TAG = re.compile(rb"<[^<>]*>")
ELEMENT = re.compile(rb'<(/?[^\s<>/="]+)((?:\s+[^\s<>/="]+="[^"<>]*")*)\s*/?>')
ATTRIBUTE = re.compile(rb'([^\s<>/="]+)="([^"]*)"')
ELSEWHERE = re.compile(rb"\\|url\((?!#)")  # within a drawing nothing is fetched
ID = re.compile(rb"-[pm][0-9a-f]{10}\b")  # a digest of coordinates, their last bits included
NUMBER = re.compile(rb"(?<![0-9.#\w])-?[0-9]{1,9}(?:\.[0-9]{1,9})?(?![0-9.\w])")
GEOMETRY = frozenset({b"d", b"points"})  # as many numbers as there are points
SHAPE = re.compile(rb"[0-9eE.,+\-\sMLHVCSQTAZmlhvcsqtaz]*")
LAST_DIGITS = Decimal("0.0001")  # of a point; coordinates are written with six places


def same_page(name: str, stated: bytes, ours: bytes) -> bool:
    """Return True if a page is the rendered one; refuse a page with other words."""
    if _text(stated) != _text(ours):
        raise Refused(f"{name} is not the page of this record")
    known = set().union(*map(_elements, _drawings(ours)))
    for drawing in _drawings(stated):
        if strange := sorted(_elements(drawing) - known):
            raise Refused(
                f"{name}: a drawing has {abbreviate(b' '.join(strange[0]).decode(errors='replace'))}"
            )
    return stated == ours or _same_lines(stated, ours)


def _drawings(page: bytes) -> list[bytes]:
    return [b"<svg" + part.partition(b"</svg>")[0] for part in page.split(b"<svg")[1:]]


def _text(page: bytes) -> list[bytes]:
    """Parts of a page before, within and after each drawing; of a drawing only its words."""
    first, *rest = page.split(b"<svg")
    found = [first]
    for part in rest:
        drawing, _, after = part.partition(b"</svg>")
        found += [b" ".join(TAG.sub(b" ", b"<svg" + drawing).split()), after]
    return found


def _elements(drawing: bytes) -> set[tuple[bytes, bytes]]:
    """Pairs of an element and one of its attributes; a tag that loads a resource is one pair."""
    found = set()
    for tag in TAG.findall(drawing):
        parts = ELEMENT.fullmatch(tag)
        if parts is None or ELSEWHERE.search(tag):
            found.add((tag, b""))
            continue
        found.add((parts[1], b""))
        for attribute, value in ATTRIBUTE.findall(parts[2]):
            found.add((parts[1], attribute + b"=" + _form(attribute, value)))
    return found


def _form(attribute: bytes, value: bytes) -> bytes:
    """A value without its numbers; for a path, the empty text."""
    if attribute in GEOMETRY and SHAPE.fullmatch(value):
        return b""
    return NUMBER.sub(b"#", ID.sub(b"", value))


def _renumbered(drawings: bytes) -> bytes:
    """Replace the digests in ids by their order, so that equal drawings with other ids compare equal."""
    numbers: dict[bytes, int] = {}
    return ID.sub(lambda name: b"-%d" % numbers.setdefault(name[0], len(numbers)), drawings)


def _same_lines(stated: bytes, ours: bytes) -> bool:
    """Return True if two pages with the same words differ only in last digits of drawings."""
    one, other = (_renumbered(b"".join(_drawings(page))) for page in (stated, ours))
    if NUMBER.sub(b"", one) != NUMBER.sub(b"", other):
        return False
    here, there = (list(map(_decimal, NUMBER.findall(drawing))) for drawing in (one, other))
    if len(here) != len(there):  # a number less leaves the same text where blanks are around it
        return False
    return all(abs(a - b) <= LAST_DIGITS for a, b in zip(here, there, strict=True))


def _decimal(number: bytes) -> Decimal:
    return Decimal(number.decode())
