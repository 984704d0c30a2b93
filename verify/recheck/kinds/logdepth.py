"""Confirms the construction of logarithmic depth: the game and the states computed again, products of units.

    logdepth.states      every labelled shape by recursion; the hash of all states, and the game's length
                         (that the program's model has these states is taken on trust)
    logdepth.step        the products of the layer, by name, multiplied out and compared with M' … c'

A shape is a letter (a leaf) or a pair of shapes; the game is that of `pebbling`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from verify.recheck.declarations import ByName, confirms
from verify.recheck.errors import (
    Recomputed,
    Refused,
    abbreviate,
    agree,
    integer_in,
    list_in,
    one_of,
    only,
)
from verify.recheck.kernel import tree
from verify.recheck.kernel.polynomial import Poly
from verify.recheck.kinds.pebbling import Game

Table = Mapping[str, Any]
Row = list[int]
LETTERS = "abcd"
KEPT = ("one", "index", "square", "end", "open", "close", "first", "depth", "depth_squared")
SCALARS = (
    *("pebbled", "inactive", "pointer", "near_pebbled", "far_pebbled", "far_place"),
    *("next_pebbled", "next_pointer"),
)
# Each block with the power of n that is its width.
WIDTHS = {
    **dict.fromkeys((*KEPT, *SCALARS), 0),
    **dict.fromkeys(("state", "next_state", "near_state", "far_state"), 1),
    **dict.fromkeys(("matrix", "next_matrix"), 2),
}
WEIGHT = re.compile(r"0|-?([1-9][0-9]{0,2}|(?P<entry>t_[0-9]_[0-9]_[0-9]))", re.ASCII)


WEIGHTS = [(-1000, 1000), 1, 4]
MACHINE = {"tensor": [[WEIGHTS, 1, 4], 1, 4], "letters": ByName(WEIGHTS, known=LETTERS)}


def labels(m: int, leaves: int) -> Iterator[str]:
    """The letters of shape number m: leaf k has letter (3m + k² + ⌊k/2⌋) mod 4."""
    return (LETTERS[(3 * m + k * k + k // 2) % 4] for k in range(leaves))


@confirms(
    "logdepth.states",
    "exhaustive",
    "program",
    **MACHINE,
    leaves=(1, 7),
)
def states(tensor: list[list[Row]], letters: dict[str, Row], leaves: int) -> Recomputed:
    """Trees, nodes, steps and a hash of all states, size by size."""
    wta, rows = tree.automaton(tensor, letters), []
    for count in range(1, leaves + 1):
        hashed, nodes, steps, trees = hashlib.sha256(), 0, 0, 0
        for m, shape in enumerate(tree.shapes(count)):
            lettered = tree.labelled(shape, labels(m, count))
            found = [wta.state(node.tree) for node in tree.nodes(lettered)]
            written = " ".join(",".join(map(str, state)) for state in found)
            hashed.update(f"{''.join(tree.written(lettered))} {written}\n".encode())
            trees, nodes, steps = trees + 1, nodes + len(found), max(steps, Game(shape).steps)
        rows.append((trees, nodes, steps, hashed.hexdigest()))
    columns = [list(column) for column in zip(*rows, strict=True)]
    return Recomputed(True, dict(zip(("trees", "nodes", "steps", "digest"), columns, strict=True)))


@confirms("logdepth.step", "symbolic", n=(1, 3))
def step(n: int, certificate: Table) -> Recomputed:
    """The stated units, multiplied out, are the step in every coordinate."""
    values = certificate.get("values") or {}
    only(values, {"units"})
    units = list_in(values, "units", 1, 400)
    agree("number of units", len(units), products_of(n))
    found: dict[tuple[str, int], Poly] = {}
    for unit in units:
        if not isinstance(unit, dict):
            raise Refused("a unit has a left, a right and an output form")
        only(unit, {"left", "right", "output"})
        value = _form(unit["left"], n) * _form(unit["right"], n)
        for name, offset, weight in _entries(unit["output"], n):
            found[name, offset] = found.get((name, offset), Poly({})) + weight * value
    wanted = expected(n)
    agree("coordinates", sorted(found), sorted(wanted))
    for at, polynomial in wanted.items():
        if found[at] != polynomial:
            raise Refused(f"{at[0]}[{at[1]}] is not what the step says")
    return Recomputed(True, values)


def _weight(given: Any, n: int) -> Poly:
    """A coefficient: an integer, an entry of the automaton's tensor, or minus one."""
    if not isinstance(given, str) or not (parts := WEIGHT.fullmatch(given)):
        raise Refused(f"{abbreviate(given)} is no coefficient")
    entry = parts["entry"]
    if entry and any(int(index) >= n for index in entry.split("_")[1:]):
        raise Refused(f"{abbreviate(given)} is no coefficient: the tensor has {n} states")
    if not entry:
        return Poly.of(int(given))
    return Poly({(entry,): -1 if given[0] == "-" else 1})


def _entries(given: Any, n: int) -> list[tuple[str, int, Poly]]:
    """The entries of a form: block, offset and coefficient."""
    entries = list_in({"form": given}, "form", 1, 400)
    if any(not isinstance(entry, list) or len(entry) != 3 for entry in entries):
        raise Refused("a form has entries [block, offset, coefficient]")
    return [(*_coordinate(name, at, n), _weight(weight, n)) for name, at, weight in entries]


def _coordinate(name: Any, at: Any, n: int) -> tuple[str, int]:
    """A block of the embedding, or of what a head has fetched, and a place in it."""
    block = one_of({"block": name}, "block", tuple(WIDTHS))
    return block, integer_in({"at": at}, "at", 0, n ** WIDTHS[block] - 1)


def _form(given: Any, n: int) -> Poly:
    return sum((weight * var(name, at) for name, at, weight in _entries(given, n)), Poly({}))


def var(name: str, offset: int = 0) -> Poly:
    """A coordinate; the constant one is 1."""
    return Poly.of(1) if name == "one" else Poly.symbol(f"{name}_{offset}")


def expected(n: int) -> dict[tuple[str, int], Poly]:
    """M', b', f', g', c', and the other coordinates unchanged."""
    left, right, f, g = map(var, ("near_pebbled", "far_pebbled", "pebbled", "inactive"))
    some = left + right - left * right
    wanted = {(name, 0): var(name) for name in KEPT}
    wanted["pebbled", 0] = f + (1 - f - g) * var("next_pebbled") + left * right
    wanted["inactive", 0] = g - some
    wanted["pointer", 0] = var("next_pointer") + left * (var("far_place") - var("index")) + right
    for a, q in product(range(n), repeat=2):
        diagonal = some if a == q else 0
        wanted["matrix", a * n + q] = _matrix(n, a, q, left, right) - diagonal
    return wanted | {("state", a): _state(n, a) for a in range(n)}


def _tensor(a: int, j: int, k: int) -> Poly:
    return Poly.symbol(f"t_{a}_{j}_{k}")


def _state(n: int, a: int) -> Poly:
    moved = [var("matrix", a * n + k) * var("next_state", k) for k in range(n)]
    made = [
        _tensor(a, j, k) * var("near_state", j) * var("far_state", k)
        for j, k in product(range(n), repeat=2)
    ]
    return sum([*moved, *made], var("state", a))


def _matrix(n: int, a: int, q: int, left: Poly, right: Poly) -> Poly:
    chain = sum(var("matrix", a * n + k) * var("next_matrix", k * n + q) for k in range(n))
    known_left = sum(_tensor(a, j, q) * var("near_state", j) for j in range(n))
    known_right = sum(_tensor(a, q, k) * var("far_state", k) for k in range(n))
    return (1 - right) * known_left + (1 - left) * known_right + chain


# The products that make marks, pointer and the diagonal of M, each of two scalars.
SINGLE = ("f", "g", "(1-f-g) f_c", "N F", "N + F", "c_c", "N (far - i)", "F (near - i)")


def products_of(n: int) -> int:
    """M M_c; M b_c and pairs of children's states; T(B, ·), T(·, B) and b; the rest one by one."""
    return n**3 + (n**2 + n**2) + (n + n + n) + len(KEPT) + len(SINGLE)
