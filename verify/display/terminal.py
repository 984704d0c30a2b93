"""Text and numbers on a terminal: what could move the cursor or reorder a line is shown escaped."""

from __future__ import annotations

import shutil
import textwrap
import unicodedata
from fractions import Fraction

UNSAFE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def plain(text: str) -> str:
    """Text with control characters, bidirectional marks and line separators as escapes."""
    return "".join(
        c if unicodedata.category(c) not in UNSAFE else c.encode("unicode_escape").decode()
        for c in text
    )


def lines(text: str) -> str:
    """The same for a text of several lines: line ends stay."""
    return "\n".join(plain(line) for line in text.split("\n"))


def paragraph(label: str, text: str) -> str:
    """A label in a column of its own, and a text beside it, as wide as the terminal, 80 at most."""
    width = min(80, max(40, shutil.get_terminal_size().columns))
    return textwrap.fill(
        plain(text), width, initial_indent=f"  {label:<9}", subsequent_indent=" " * 11
    )


def digits(number: Fraction) -> str:
    """All digits of a number; those of an int end at 4300."""
    import flint

    return str(flint.fmpq(number.numerator, number.denominator))
