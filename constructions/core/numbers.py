"""Exact numbers from what people write: decimals, fractions, arrays, whole numbers of a command line.

A float is taken as its shortest decimal, so 0.1 is 1/10. What would take much memory is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

from constructions.core.errors import InputError

MOST_DIGITS = 4000  # of p and of q: Python itself writes no more than 4300


TOO_LARGE = 10**MOST_DIGITS  # computed once: a file may have many numbers


LONGEST_NUMBER = 2 * MOST_DIGITS + 2  # so that what was read can be written as p/q and read again


LARGEST_EXPONENT = MOST_DIGITS


def number(value: Any, field: str) -> Fraction:
    """An exact rational from any number: Python's, NumPy's, torch's, SymPy's, or a string "p/q".

    A float is taken as its shortest decimal: 0.1 is 1/10.
    """
    if isinstance(value, bool):
        raise InputError(field, value, "a number or a string 'p/q'")
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, (str, Real, Decimal)):
        return number_from_text(str(value), field)
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return number(value.item(), field)
    raise InputError(field, value, "a number or a string 'p/q'")


def array(values: Any) -> Any:
    """A torch tensor as NumPy's array; anything else as it is."""
    if not hasattr(values, "detach"):
        return values
    held = values.detach().cpu()
    return (held.float() if str(held.dtype) == "torch.bfloat16" else held).numpy()


def is_whole(text: str, most: int = 9) -> bool:
    """True if a text is at most `most` ASCII digits (`int` would accept digits of any script)."""
    return text.isascii() and text.isdigit() and len(text) <= most


def whole_number(
    text: str, field: str, least: int = 1, most: int | None = None, digits: int = 9
) -> int:
    """Parse a whole number from `least` to `most`, or of at most `digits` digits."""
    longest = digits if most is None else len(str(most))
    if is_whole(text, longest) and least <= int(text) and (most is None or int(text) <= most):
        return int(text)
    if most is not None:
        expected = f"from {least} to {most}"
    elif is_whole(text, len(text)) and len(text) > digits:
        expected = f"of at most {digits} digits"
    else:
        expected = f"≥ {least}"
    raise InputError(field, text, f"a whole number {expected}")


def number_from_text(text: str, field: str) -> Fraction:
    """A decimal or "p/q" as an exact rational, refused if it would take much memory."""
    if len(text) > LONGEST_NUMBER:
        raise InputError(field, f"a number of {len(text)} characters", f"at most {LONGEST_NUMBER}")
    if not text.isascii() or "_" in text:  # Fraction would take digits of every script, and 1_0
        raise InputError(field, text, "a number in the digits 0 to 9")
    exponent = text.lower().partition("e")[2].strip().lstrip("+-")
    if exponent.isdigit() and (len(exponent) > 5 or int(exponent) > LARGEST_EXPONENT):
        raise InputError(field, text, f"an exponent between ±{LARGEST_EXPONENT}")
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise InputError(field, text, "a finite number or a string 'p/q'") from None
    if max(abs(value.numerator), value.denominator) >= TOO_LARGE:
        raise InputError(field, text, f"p and q of at most {MOST_DIGITS} digits")
    return value


def vector(values: Any, field: str) -> tuple[Fraction, ...]:
    """A non-empty row of exact rationals."""
    values = array(values)
    if isinstance(values, (str, Mapping)) or not hasattr(values, "__len__") or not len(values):
        raise InputError(field, values, "a non-empty list of numbers")
    return tuple(number(value, f"{field}[{i}]") for i, value in enumerate(values))


def square(rows: Any, field: str, size: int) -> tuple[tuple[Fraction, ...], ...]:
    """An n × n matrix of exact rationals."""
    rows = array(rows)
    if isinstance(rows, (str, Mapping)) or not hasattr(rows, "__len__"):
        raise InputError(field, rows, f"a list of {size} rows")
    if len(rows) != size:
        raise InputError(field, f"{len(rows)} rows", f"{size}, as many as alpha has numbers")
    matrix = tuple(vector(row, f"{field}[{i}]") for i, row in enumerate(rows))
    for i, row in enumerate(matrix):
        if len(row) != size:
            raise InputError(f"{field}[{i}]", f"{len(row)} numbers", f"{size}, a square matrix")
    return matrix
