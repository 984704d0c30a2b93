"""Tables of TOML become frozen dataclasses; unknown, missing and ill-typed keys are refused."""

from __future__ import annotations

import typing
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from types import UnionType
from typing import Any, TypeVar

Entry = TypeVar("Entry")
Table = dict[str, Any]
KINDS_OF_VALUES = {str: "text", int: "a whole number", bool: "true or false"}


class InvalidPaper(ValueError):
    """An entry of the data that cannot be used."""


def require(condition: bool, where: str, what: str) -> None:
    """Refuse an entry, with its place."""
    if not condition:
        raise InvalidPaper(f"{where}: {what}")


def build(kind: type[Entry], entry: Any, where: str) -> Entry:
    """A dataclass from a table."""
    require(isinstance(entry, dict), where, f"found {entry!r}, expected a table")
    expected = {f.name: f for f in fields(kind)}  # type: ignore[arg-type]
    for name in entry:
        require(
            name in expected, where, f"unknown key {name!r}, expected one of {', '.join(expected)}"
        )
    for name, f in expected.items():
        optional = f.default is not MISSING or f.default_factory is not MISSING
        require(optional or name in entry, where, f"{name} is missing")
    hints = typing.get_type_hints(kind)
    return kind(**{name: _value(value, hints[name], where, name) for name, value in entry.items()})


def _value(value: Any, hint: Any, where: str, name: str) -> Any:
    """A value of the hinted type; arrays become tuples, tables become dataclasses or stay tables."""
    if is_dataclass(hint) and isinstance(hint, type) and not isinstance(value, hint):
        return build(hint, value, f"{where}: {name}")
    origin = typing.get_origin(hint)
    if origin is tuple:
        return _sequence(value, typing.get_args(hint), where, name)
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        require(isinstance(value, dict), where, f"{name} = {value!r}, expected a table")
        of = typing.get_args(hint)[1]
        return {key: _value(each, of, where, f"{name}.{key}") for key, each in value.items()}
    if origin is UnionType:
        return value
    if hint in KINDS_OF_VALUES:
        expected = KINDS_OF_VALUES[hint]
        require(type(value) is hint, where, f"{name} = {value!r}, expected {expected}")
    return value


def _sequence(value: Any, of: tuple[Any, ...], where: str, name: str) -> tuple[Any, ...]:
    """A list of values of one type, or as many as there are types."""
    if isinstance(value, tuple):
        return value
    require(isinstance(value, list), where, f"{name} = {value!r}, expected a list")
    each = of[0] if of[1] is Ellipsis else None
    hints = [each] * len(value) if each is not None else [*of, *[Any] * len(value)]
    return tuple(
        _value(item, hint, where, f"{name}[{number}]")
        for number, (item, hint) in enumerate(zip(value, hints, strict=False))
    )
