"""Readers of the re-checker: each value has one expected shape, and any other is refused."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

LONGEST_NUMBER = 4000  # digits; numbers of the certificates are far shorter


# What data of another shape than expected can raise.
MALFORMED = (
    *(ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, StopIteration),
    *(TypeError, ValueError),
)


class Refused(Exception):
    """The reason for not confirming a record or a certificate.

    Examples:
        >>> print(Refused("thm1: another verdict"))
        thm1: another verdict

    """


class Unreadable(Refused):
    """Input that is no folder with a record, so that no record is refused or confirmed."""

    def __init__(self, what: str, found: str, expected: str) -> None:
        super().__init__(f"{what}: found {found}, expected {expected}")


@dataclass(frozen=True)
class Recomputed:
    """Result of the re-checker's own computation; compared with the whole certificate.

    Examples:
        >>> Recomputed(False, witness={"n": 7}).witness
        {'n': 7}

    """

    holds: bool | None
    values: Mapping[str, Any] = field(default_factory=dict)
    witness: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        """Refuse an answer that holds and fails at once."""
        if self.holds and self.witness is not None:
            raise Refused("the re-checker's answer holds, with a witness of its failure")


@dataclass(frozen=True)
class OneOf:
    """Allowed texts of a value in a certificate: the two ends of an interval, rounded."""

    texts: tuple[str, ...]


def comparison(holds: bool, **shown: Any) -> Recomputed:
    """Result of a comparison; its values are the witness where it fails."""
    return Recomputed(holds, shown, None if holds else shown)


def figure_curve(label: str, x: Iterable[object], y: Iterable[object]) -> dict[str, Any]:
    """A curve of a figure, its numbers as texts."""
    heights = [value if isinstance(value, OneOf) else str(value) for value in y]
    return {"label": label, "x": list(map(str, x)), "y": heights}


def only(body: Mapping[str, Any], names: set[str]) -> None:
    """Refuse an object with a missing or an unknown field."""
    if missing := sorted(names - set(body)):
        raise Refused(f"field {abbreviate(missing[0])} is missing")
    if unknown := sorted(set(body) - names):
        raise Refused(f"field {abbreviate(unknown[0])} is not known")


def integer_in(body: Mapping[str, Any], name: str, least: int, most: int) -> int:
    """An integer within a range in which the fact says something and is decided quickly."""
    value = body.get(name)
    if type(value) is not int or not least <= value <= most:
        raise Refused(f"{name} = {abbreviate(value)}, expected an integer from {least} to {most}")
    return value


def boolean(body: Mapping[str, Any], name: str) -> bool:
    """A field that is true or false."""
    value = body.get(name)
    if type(value) is not bool:
        raise Refused(f"{name} = {abbreviate(value)}, expected true or false")
    return value


def text(body: Mapping[str, Any], name: str) -> str:
    """A field that is a string."""
    value = body.get(name)
    if not isinstance(value, str):
        raise Refused(f"{name} = {abbreviate(value)}, expected text")
    return value


def one_of(body: Mapping[str, Any], name: str, among: Collection[str]) -> str:
    """A field that is one of some texts."""
    value = text(body, name)
    if value not in among:
        raise Refused(f"{name} = {abbreviate(value)}, expected one of {', '.join(among)}")
    return value


def list_in(body: Mapping[str, Any], name: str, least: int = 1, most: int = 100_000) -> list[Any]:
    """A list with at least one entry, so that "for all" is not empty."""
    value = body.get(name)
    if not isinstance(value, list) or not least <= len(value) <= most:
        raise Refused(f"{name}: expected a list of {least} to {most} entries")
    return value


def fraction(value: Any) -> Fraction:
    """A rational number written as "p/q" or "p", in lowest terms."""
    if not isinstance(value, str) or len(value) > LONGEST_NUMBER or "e" in value.lower():
        raise Refused(f"{abbreviate(value)}: expected a rational 'p/q'")
    try:
        number = Fraction(value)
    except (ValueError, ZeroDivisionError):
        raise Refused(f"{abbreviate(value)}: expected a rational 'p/q'") from None
    if str(number) != value:
        raise Refused(f"{abbreviate(value)}: expected the rational in lowest terms")
    return number


def agree(what: str, stated: object, found: object) -> None:
    """Refuse when a stated value is not the one found, type by type: 1 is not true.

    The refusal names the first place that differs.
    """
    if isinstance(stated, dict) and isinstance(found, dict):
        agree(f"{what}: fields", sorted(stated), sorted(found))
        for name, value in found.items():
            agree(f"{what}: {name}", stated[name], value)
    elif isinstance(stated, list) and isinstance(found, list) and len(stated) == len(found):
        for number, (one, other) in enumerate(zip(stated, found, strict=True)):
            agree(f"{what}[{number}]", one, other)
    elif isinstance(found, OneOf):
        if stated not in found.texts:
            raise Refused(f"{what}: stated {abbreviate(stated)}, found {found.texts[0]}")
    elif type(stated) is not type(found) or stated != found:
        raise Refused(f"{what}: stated {abbreviate(stated)}, found {abbreviate(found)}")


def abbreviate(value: object) -> str:
    """A value in a message: short, and without characters that could change a terminal."""
    shown = ascii(value)
    return shown if len(shown) <= 120 else f"{shown[:117]}..."


def one_line(error: Exception) -> str:
    """A refusal as one line of at most 600 characters, whatever text it quotes."""
    line = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(error)
    )
    return line if len(line) <= 600 else f"{line[:597]}..."
