"""Automata from files: JSON with exact numbers, checked field by field.

    {"kind": "wfa", "alpha": […], "transitions": {"a": [[…]], …}, "beta": […]}
    {"kind": "wta", "alpha": […], "tensor": [[[…]]], "leaves": {"a": […], …}}

Numbers are JSON numbers, taken as their exact decimal, or strings "p/q". Whatever does not fit
is an `InputError` that names file, field, value and expectation; sizes are checked before
memory is taken.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from constructions.errors import InputError
from constructions.wfa import MOST_DIGITS, WFA, written_number
from constructions.wta import WTA

LARGEST_FILE = 64 * 1024 * 1024
MOST_STATES = 512
DEEPEST = 16


def read_automaton(path: Path | str) -> WFA | WTA:
    """The automaton in a JSON file."""
    where = str(path)
    try:
        return automaton_from(parse_json(read_text(path)))
    except InputError as error:
        raise error.at(where) from None


def read_text(path: Path | str) -> str:
    """The text of a regular file of reasonable size."""
    file = Path(path)
    try:
        facts = file.stat()
        if not stat.S_ISREG(facts.st_mode):
            raise InputError("file", _sort(facts.st_mode), "a regular file")
        if facts.st_size > LARGEST_FILE:
            raise InputError("file", f"{facts.st_size} bytes", f"at most {LARGEST_FILE} bytes")
        return file.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        found = f"byte 0x{error.object[error.start]:02x} at offset {error.start}"
        raise InputError("file", found, "text in UTF-8", str(path)) from None
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise error.at(str(path)) from None
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError("file", reason, "a file that can be read", str(path)) from None


def _sort(mode: int) -> str:
    return "a directory" if stat.S_ISDIR(mode) else "a special file"


def parse_json(text: str) -> Any:
    """JSON with exact numbers; duplicate keys, NaN and infinities are refused."""
    _not_too_deep(text)
    try:
        return json.loads(
            text,
            parse_float=_decimal,
            parse_int=_decimal,
            parse_constant=_constant,
            object_pairs_hook=_unique,
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(place, error.msg, "valid JSON") from None
    except RecursionError:
        raise InputError("file", "very deep nesting", f"at most {DEEPEST} levels") from None


def _not_too_deep(text: str) -> None:
    depth, deepest, quoted, escaped = 0, 0, False, False
    for character in text:
        if quoted:
            quoted = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            quoted = True
        elif character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    if deepest > DEEPEST:
        raise InputError("file", f"{deepest} levels of nesting", f"at most {DEEPEST}")


def _decimal(text: str) -> Fraction:
    return written_number(text, "number")


def _constant(text: str) -> Any:
    raise InputError("number", text, "a finite number")


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise InputError(key, "the key twice", "each key once")
        found[key] = value
    return found


def automaton_from(data: Any) -> WFA | WTA:
    """An automaton from JSON data."""
    if not isinstance(data, dict):
        raise InputError("file", type(data).__name__, "a JSON object with a field 'kind'")
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in FIELDS:
        raise InputError("kind", kind, " or ".join(f'"{name}"' for name in FIELDS))
    _fields(data, FIELDS[kind])
    _not_too_large(data)
    data = _exact(data, "")
    if kind == "wfa":
        return WFA.of(data["alpha"], data["transitions"], data["beta"])
    return WTA.of(data["alpha"], data["tensor"], data["leaves"])


FIELDS = {
    "wfa": ("kind", "alpha", "transitions", "beta"),
    "wta": ("kind", "alpha", "tensor", "leaves"),
}


def _fields(data: dict[str, Any], names: Sequence[str]) -> None:
    for name in names:
        if name not in data:
            raise InputError(name, "nothing", "the field to be there")
    for name in data:
        if name not in names:
            raise InputError(name, "an unknown field", f"only {', '.join(names)}")


def _not_too_large(data: dict[str, Any]) -> None:
    alpha = data["alpha"]
    if isinstance(alpha, list) and len(alpha) > MOST_STATES:
        numbers = len(alpha) ** (3 if data["kind"] == "wta" else 2)
        found = f"{len(alpha)} states ({numbers} numbers a matrix or tensor)"
        raise InputError("alpha", found, f"at most {MOST_STATES} states")


def _exact(data: Any, field: str) -> Any:
    """Strings that stand for numbers become exact; the kind and the symbols stay text."""
    if isinstance(data, dict):
        return {
            key: value if key == "kind" else _exact(value, f"{field}.{key}" if field else key)
            for key, value in data.items()
        }
    if isinstance(data, list):
        return [_exact(value, f"{field}[{i}]") for i, value in enumerate(data)]
    return written_number(data, field) if isinstance(data, str) else data


def to_json(automaton: WFA | WTA) -> str:
    """The file that `read_automaton` reads back to the same automaton.

    Weights that a PAutomaC model multiplies may be too long for that; then it is refused.
    """
    body: dict[str, Any] = {"kind": "wfa" if isinstance(automaton, WFA) else "wta"}
    body |= {name: _plain(getattr(automaton, name)) for name in FIELDS[body["kind"]][1:]}
    return json.dumps(body, indent=1, ensure_ascii=False) + "\n"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    rational = Fraction(value)
    if max(abs(rational.numerator), rational.denominator) >= 10**MOST_DIGITS:
        raise InputError("weight", "a very long number", f"p and q of at most {MOST_DIGITS} digits")
    return int(rational) if rational.denominator == 1 else str(rational)
