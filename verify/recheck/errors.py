"""How a validator reads a certificate: field by field, and refuses what it does not know."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any


class Refused(Exception):
    """Why a certificate is not confirmed."""


def only(body: Mapping[str, Any], fields: set[str]) -> None:
    """Refuse a certificate with a missing or an unknown field."""
    if missing := sorted(fields - set(body)):
        raise Refused(f"field {missing[0]!r} is missing")
    if unknown := sorted(set(body) - fields):
        raise Refused(f"field {unknown[0]!r} is not known")


def integer(body: Mapping[str, Any], field: str, least: int | None = None) -> int:
    """A field that is an integer, not smaller than `least`."""
    value = body.get(field)
    if isinstance(value, bool) or not isinstance(value, int):
        raise Refused(f"field {field!r} is {value!r}, expected an integer")
    if least is not None and value < least:
        raise Refused(f"field {field!r} is {value}, expected at least {least}")
    return value


def text(body: Mapping[str, Any], field: str) -> str:
    """A field that is a string."""
    value = body.get(field)
    if not isinstance(value, str):
        raise Refused(f"field {field!r} is {value!r}, expected a string")
    return value


def sequence(body: Mapping[str, Any], field: str, length: int | None = None) -> list[Any]:
    """A field that is a list, of the given length."""
    value = body.get(field)
    if not isinstance(value, list) or (length is not None and len(value) != length):
        raise Refused(f"field {field!r}: expected a list" + (f" of {length}" if length else ""))
    return value


def fraction(value: Any) -> Fraction:
    """A rational number written as "p/q" or "p", in lowest terms."""
    if not isinstance(value, str):
        raise Refused(f"{value!r}: expected a rational as a string 'p/q'")
    try:
        number = Fraction(value)
    except (ValueError, ZeroDivisionError):
        raise Refused(f"{value!r}: expected a rational as a string 'p/q'") from None
    if str(number) != value:
        raise Refused(f"{value!r}: expected the rational in lowest terms, {number}")
    return number


def agree(what: str, stated: object, found: object) -> None:
    """Refuse when a stated value is not the one found."""
    if stated != found:
        raise Refused(f"{what}: stated {stated!r}, found {found!r}")
