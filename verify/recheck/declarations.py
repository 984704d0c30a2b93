"""A confirmation, declared in one place: its fact, its method and the range of its parameters.

    @confirms("pebbling.combs", "exhaustive", most=(1, 300))
    def combs(most: int) -> Recomputed: …

Every parameter is declared, so that nothing is computed before each is known and in its range:

    (1, 300)                an integer from 1 to 300
    ("first", "last")       one of these texts
    str, bool, object       a text; true or false; a value that the confirmation reads itself
    [(1, 8)], [str, 2, 3]   a list of such values; of two to three
    Different, Rising       a list without repetition; an increasing list
    ByName, Fields          values by name; an object with exactly these fields
    a function              reads the value, or refuses it

An argument with a default may be left out. A confirmation with the argument `certificate` is given
the certificate, for values that can be confirmed and not found again; one with the argument `data`
the data of the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from inspect import Parameter, signature
from typing import Any

from verify.recheck.errors import (
    Recomputed,
    Refused,
    abbreviate,
    boolean,
    integer_in,
    list_in,
    one_of,
    only,
    text,
)

Confirm = Callable[..., Recomputed]  # of parameters, certificate and, if it asks for them, data
MOST_ENTRIES = 200


@dataclass(frozen=True)
class Confirmation:
    """Method and function that confirm a fact, the part taken on trust, and its parameters."""

    method: str
    confirm: Confirm
    trust: str
    asked: Mapping[str, Any]


DECLARED: dict[tuple[str, str], Confirmation] = {}  # by module and fact


def confirms(
    fact: str, method: str, trust: str = "", **asked: Any
) -> Callable[[Callable[..., Recomputed]], Confirm]:
    """Declare the confirmation of a fact: its method, and the type or range of every parameter.

    Examples:
        >>> @confirms("squares.even", "exhaustive", most=(1, 100))
        ... def even_squares(most: int) -> Recomputed:
        ...     return Recomputed(all(n * n % 2 == n % 2 for n in range(most)))
        >>> even_squares({"most": 7}, {}).holds
        True
        >>> even_squares({"most": 0}, {})
        Traceback (most recent call last):
        ...
        verify.recheck.errors.Refused: most = 0, expected an integer from 1 to 100

    """

    def declare(function: Callable[..., Recomputed]) -> Confirm:
        arguments = signature(function).parameters
        optional = [name for name, a in arguments.items() if a.default is not Parameter.empty]

        def confirm(
            parameters: Mapping[str, Any], certificate: Mapping[str, Any], data: Any = None
        ) -> Recomputed:
            only({**dict.fromkeys(optional), **parameters}, set(asked))
            found = {name: read(asked[name], name, value) for name, value in parameters.items()}
            beside = {"certificate": certificate, "data": data}
            found |= {name: value for name, value in beside.items() if name in arguments}
            return function(**found)

        if (function.__module__, fact) in DECLARED:
            raise ValueError(f"{fact} is declared twice")
        DECLARED[function.__module__, fact] = Confirmation(method, confirm, trust, asked)
        return confirm

    return declare


def read(spec: Any, name: str, value: Any) -> Any:
    """A value as it is declared; anything else is refused."""
    given = {name: value}
    match spec:
        case [int() as least, int() as most] if isinstance(spec, tuple):
            return integer_in(given, name, least, most)
        case tuple():
            return one_of(given, name, spec)
        case [of, *ends]:
            least, most = ends or (1, MOST_ENTRIES)
            return [read(of, name, entry) for entry in list_in(given, name, least, most)]
        case Different() | ByName() | Fields():
            return spec.read(name, value)
    if spec in (str, bool):
        return text(given, name) if spec is str else boolean(given, name)
    return value if spec is object else _named(name, spec, value)


def _named(name: str, reader: Callable[[Any], Any], value: Any) -> Any:
    try:
        return reader(value)
    except Refused as error:
        raise Refused(f"{name}: {error}") from None


@dataclass(frozen=True)
class Different:
    """A list without repetition."""

    of: Any
    least: int = 1
    most: int = MOST_ENTRIES

    def read(self, name: str, value: Any) -> list[Any]:
        """The entries, each as it is declared."""
        found: list[Any] = read([self.of, self.least, self.most], name, value)
        if len(set(found)) < len(found):
            raise Refused(f"{name} = {abbreviate(value)}, expected different entries")
        return found


class Rising(Different):
    """A list that increases."""

    def read(self, name: str, value: Any) -> list[Any]:
        """The entries, each as it is declared."""
        found: list[Any] = read([self.of, self.least, self.most], name, value)
        if found != sorted(set(found)):
            raise Refused(f"{name} = {abbreviate(value)}, expected an increasing list")
        return found


@dataclass(frozen=True)
class ByName:
    """Values by name; where names are known, by some of these."""

    of: Any
    least: int = 1
    most: int = 10
    known: Collection[str] = ()

    def read(self, name: str, value: Any) -> dict[str, Any]:
        """The values, each as it is declared."""
        if not isinstance(value, dict) or not self.least <= len(value) <= self.most:
            expected = f"{self.least} to {self.most} values by name"
            raise Refused(f"{name} = {abbreviate(value)}, expected {expected}")
        if self.known and not set(value) <= set(self.known):
            expected = f"some of {', '.join(sorted(self.known))}"
            raise Refused(f"{name} = {abbreviate(value)}, expected {expected}")
        return {each: read(self.of, each, entry) for each, entry in value.items()}


@dataclass(frozen=True)
class Fields:
    """An object with these fields and no others, each as it is declared."""

    of: Mapping[str, Any]

    def read(self, name: str, value: Any) -> dict[str, Any]:
        """The fields, by name."""
        if not isinstance(value, dict):
            raise Refused(f"{name} = {abbreviate(value)}, expected {', '.join(self.of)}")
        only(value, set(self.of))
        return {each: read(spec, each, value[each]) for each, spec in self.of.items()}


def rational(value: Any) -> Fraction:
    """A number written as a fraction or a decimal."""
    if not isinstance(value, str) or len(value) > 40 or "e" in value.lower():
        raise Refused(f"{abbreviate(value)}, expected a fraction or a decimal")
    return Fraction(value)
