"""Acceptors in the text form of AT&T's FSM tools and of OpenFst, read exactly.

Format        an arc a line, `source destination symbol [weight]`; a final state a line, `state [weight]`;
              the source of the first line is the initial state, a weight that is left out is 1
Constructs    the WFA α = e_initial, A^σ[p, q] = sum of the weights of the arcs p → q on σ, β = final weights
Symbols       symbols are names, or numbers that a symbol table (`name number` a line) gives names
Unlike print  weights here are factors: a path multiplies them and paths are added. The tools' default
              weights are costs, -log of a factor, whose exponentials are not rational: map them to factors
              first (`fstmap --map_type=to_log` and exp, or write probabilities)

Transducers and empty labels are refused, with the line and what would help.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path

from constructions.errors import InputError
from constructions.reader import MOST_STATES, read_text
from constructions.wfa import WFA, written_number

EPSILON = ("<eps>", "<epsilon>", "ε")
Arc = tuple[int, int, str, Fraction]


def read(path: Path | str, symbols: Path | str | None = None) -> WFA:
    """The acceptor in a file, with the names of a symbol table if one is given.

    Examples:
        >>> from importlib.resources import files
        >>> read(files("constructions") / "examples" / "openfst.att").weight("ab")
        Fraction(1, 16)

    """
    try:
        return parse(read_text(path), None if symbols is None else read_symbols(symbols))
    except InputError as error:
        raise error.at(str(path)) from None


def read_symbols(path: Path | str) -> dict[str, str]:
    """{number: name} of a symbol table."""
    found: dict[str, str] = {}
    for number, fields in _lines(read_text(path)):
        if len(fields) != 2 or not fields[1].isdecimal():
            raise InputError(
                "symbol table", " ".join(fields), "a name and a number", f"{path}, line {number}"
            )
        found[fields[1]] = fields[0]
    return found


def parse(text: str, symbols: Mapping[str, str] | None = None) -> WFA:
    r"""The WFA of an acceptor's text.

    Examples:
        >>> parse("0 1 a 0.5\n1 1 b\n1 0.25").weight("abb")
        Fraction(1, 8)

    """
    arcs: list[Arc] = []
    final: dict[int, Fraction] = {}
    first: int | None = None
    for line, fields in _lines(text):
        where = f"line {line}"
        source = _state(fields[0], where)
        first = source if first is None else first
        if len(fields) <= 2:
            final[source] = _weight(fields[1:], where)
        else:
            arcs.append(_arc(fields, source, symbols, where))
    if first is None or not arcs:
        raise InputError("acceptor", "no arc", "lines 'source destination symbol [weight]'")
    return _automaton(first, arcs, final)


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(text.splitlines(), 1):
        if fields := line.split():
            yield number, fields


def _state(text: str, where: str) -> int:
    if not text.isdecimal() or len(text) > 9:
        raise InputError("state", text, "a whole number", where)
    return int(text)


def _weight(fields: list[str], where: str) -> Fraction:
    try:
        return written_number(fields[0], "weight") if fields else Fraction(1)
    except InputError as error:
        raise error.at(where) from None


def _arc(fields: list[str], source: int, symbols: Mapping[str, str] | None, where: str) -> Arc:
    if len(fields) > 4:
        found = f"{len(fields)} fields"
        raise InputError("arc", found, "an acceptor, at most 4 fields; transducers have 5", where)
    name = fields[2]
    if symbols is not None:
        if name not in symbols and name not in symbols.values():
            raise InputError("symbol", name, "a number of the symbol table", where)
        name = symbols.get(name, name)
    if name in EPSILON or (symbols is not None and fields[2] == "0"):
        raise InputError("symbol", name, "no empty label: fstrmepsilon removes them", where)
    return source, _state(fields[1], where), name, _weight(fields[3:], where)


def _automaton(first: int, arcs: list[Arc], final: Mapping[int, Fraction]) -> WFA:
    used = sorted({first, *final, *(q for p, r, _, _ in arcs for q in (p, r))})
    if len(used) > MOST_STATES:
        raise InputError("acceptor", f"{len(used)} states", f"at most {MOST_STATES}")
    index = {state: i for i, state in enumerate(used)}
    n, zero = len(used), Fraction(0)
    maps = {symbol: [[zero] * n for _ in used] for _, _, symbol, _ in arcs}
    for source, target, symbol, weight in arcs:
        maps[symbol][index[source]][index[target]] += weight
    alpha = [Fraction(int(state == first)) for state in used]
    return WFA.of(alpha, maps, [final.get(state, zero) for state in used])
