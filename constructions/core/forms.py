"""Linear forms in named coordinates: the language in which heads and blocks are written down.

Notation      a form maps (block, offset) to a coefficient: `at("one")` is the constant one,
              `plus(at("depth"), times(-1, at("one")))` is the depth less one
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from constructions.core.layout import Layout
from constructions.core.matrix import Entry, Matrix

Form = Mapping[tuple[str, int], Entry]


Pairs = list[tuple[Form, Form]]


def at(block: str, offset: int = 0, scale: Entry = 1) -> Form:
    """scale times one coordinate, which has one name: offsets do not count from the end."""
    if offset < 0:
        raise IndexError(f"offset {offset} of block {block!r}, expected 0 or more")
    return {(block, offset): scale}


def plus(*forms: Form) -> Form:
    """The sum of linear forms."""
    total: dict[tuple[str, int], Entry] = {}
    for form in forms:
        for key, value in form.items():
            total[key] = total[key] + value if key in total else value
    return total


def times(scale: Entry, form: Form) -> Form:
    """A multiple of a linear form."""
    return {key: scale * value for key, value in form.items()}


def block(name: str, size: int) -> list[Form]:
    """The coordinates of a block, one form each."""
    return [at(name, offset) for offset in range(size)]


def columns(layout: Layout, forms: Sequence[Form]) -> Matrix:
    """The matrix whose columns are linear forms."""
    entries = {
        (layout[name][offset], column): value
        for column, form in enumerate(forms)
        for (name, offset), value in form.items()
        if not (isinstance(value, int) and value == 0)
    }
    return Matrix((layout.size, len(forms)), entries)


ONE = at("one")
