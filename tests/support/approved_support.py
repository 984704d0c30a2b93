"""Results that are written down: what is found must be what was approved, to eight digits.

A certified number that is off by little breaks no inequality on examples, and a drawing or a text whose
parts have moved has all its words; both are seen where they differ from what a person has looked at.
`ASSAY_APPROVE=1 pytest tests` writes down what is found: read the difference before it is committed.
In continuous integration (`CI`), where nobody reads it, this is refused.
Eight digits, because the radius of a ball has 30 bits, so that another order of the same operations moves
the ninth; and because a bound may be shown by a vector of floats, whose last bits differ from one processor
to another; what it is off by then is far below 10^-8 of it.
"""

import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from itertools import zip_longest
from math import isclose
from pathlib import Path
from typing import Any

import flint

APPROVE = "ASSAY_APPROVE"
DECIMAL = re.compile(r"(-?[0-9]+\.[0-9]+(?:e[+-]?[0-9]+)?)")


def agree_with_approved(place: Path, name: str, found: Any) -> None:
    """Compare plain data with what a file has under a name."""
    written = json.loads(place.read_text("utf-8")) if place.exists() else {}
    plain = json.loads(json.dumps(found, default=str))
    if os.environ.get(APPROVE) == "1" and written.get(name) != plain:
        assert not os.environ.get("CI"), f"{APPROVE}=1 where CI is set: nobody would read it"
        place.write_text(laid_out({**written, name: plain}) + "\n", "utf-8")
        return
    apart = list(differences(plain, written.get(name)))
    assert not apart, f"{place.name}: {name}, {apart[0]}; {APPROVE}=1 writes it anew"


def laid_out(value: Any, level: int = 0) -> str:
    """JSON with a line for each part of a part of a result, so that a difference can be read."""
    if level > 2 or not value or not isinstance(value, (dict, list)):
        return json.dumps(value, sort_keys=True, ensure_ascii=False)
    lead, deeper = " " * (level + 1), level + 1
    if isinstance(value, list):
        rows, (first, last) = [laid_out(part, deeper) for part in value], "[]"
    else:
        rows = [
            f"{json.dumps(key, ensure_ascii=False)}: {laid_out(value[key], deeper)}"
            for key in sorted(value)
        ]
        first, last = "{}"
    return f"{first}\n{lead}" + f",\n{lead}".join(rows) + f"\n{' ' * level}{last}"


def differences(found: Any, approved: Any, where: str = "") -> Iterator[str]:
    """Where two pieces of plain data differ in more than the last digits of a number."""
    if isinstance(found, dict) and isinstance(approved, dict) and found.keys() == approved.keys():
        for key, value in found.items():
            yield from differences(value, approved[key], f"{where}.{key}")
    elif isinstance(found, list) and isinstance(approved, list) and len(found) == len(approved):
        for i, (one, other) in enumerate(zip(found, approved, strict=True)):
            yield from differences(one, other, f"{where}[{i}]")
    elif not _same(found, approved):
        yield f"{where}: found {found}, approved {approved}"


def _same(found: Any, approved: Any) -> bool:
    """Whether two values are equal, or texts that differ in the last digits of their decimals."""
    if not (isinstance(found, str) and isinstance(approved, str)):
        return type(found) is type(approved) and bool(found == approved)
    parts = zip_longest(DECIMAL.split(found), DECIMAL.split(approved), fillvalue="")
    return all(a == b or _near(a, b) for a, b in parts)


def _near(one: str, other: str) -> bool:
    return all(map(DECIMAL.fullmatch, (one, other))) and isclose(
        float(one), float(other), rel_tol=1e-8
    )


def plain_data(value: Any) -> Any:
    """Balls as their upper ends, records by the fields that count, all else as it is or as text."""
    if isinstance(value, flint.arb):
        return flint.arb(value.upper()).str(12, radius=False)
    if isinstance(value, flint.arb_mat):
        return [plain_data(entry) for entry in value.entries()]
    if is_dataclass(value) and not isinstance(value, type):
        counted = [each.name for each in fields(value) if each.compare]
        return {name: plain_data(getattr(value, name)) for name in counted}
    if isinstance(value, Mapping):
        return {str(key): plain_data(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [plain_data(entry) for entry in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    # the text of an object that has none of its own is its address
    return (
        type(value).__name__
        if type(value).__str__ is object.__str__ and "0x" in repr(value)
        else str(value)
    )
