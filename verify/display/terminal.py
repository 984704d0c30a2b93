"""Text and numbers on a terminal: characters that move the cursor or reorder a line are escaped."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
import unicodedata
from fractions import Fraction

WITHIN_LINES = re.compile(r"[^\n\t]+")
UNSAFE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def plain(text: str) -> str:
    """Text with control characters, bidirectional marks and line separators as escapes."""
    return "".join(
        c if unicodedata.category(c) not in UNSAFE else c.encode("unicode_escape").decode()
        for c in text
    )


def lines(text: str) -> str:
    """Escape a text of several lines as `plain` does; line ends and tabs stay."""
    return WITHIN_LINES.sub(lambda part: plain(part[0]), text)


def say(text: str, end: str = "\n", error: bool = False) -> None:
    """Print a text of one or several lines; all commands print with this function."""
    print(lines(text), end=end, file=sys.stderr if error else sys.stdout)


def paragraph(label: str, text: str) -> str:
    """A label in the first column and a text in the second, as wide as the terminal, at most 80."""
    width = min(80, max(40, shutil.get_terminal_size().columns))
    return textwrap.fill(
        plain(text), width, initial_indent=f"  {label:<9}", subsequent_indent=" " * 11
    )


def digits(number: Fraction) -> str:
    """Write a number with all its digits; `str` refuses more than 4300."""
    import flint

    return str(flint.fmpq(number.numerator, number.denominator))
