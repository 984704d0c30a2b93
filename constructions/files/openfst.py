"""Acceptors in the text form of AT&T's FSM tools and of OpenFst, read exactly.

Format        an arc a line, `source destination symbol [weight]`; a final state a line, `state [weight]`;
              the source of the first line is the initial state, a weight that is left out is 1
Constructs    the WFA α = e_initial, A^σ[p, q] = sum of the weights of the arcs p → q on σ, β = final weights
Symbols       symbols are names, or numbers that a symbol table (`name number` a line) gives names
Weights       `factors` (the default here): a path multiplies them and paths are added, exactly.
              `costs` (the tools' own -log): a weight w means the factor e^(-w), as in the log
              semiring; Infinity is the factor 0. For a rational w other than 0 that number is
              irrational, so it is rounded to the nearest decimal of 17 significant digits, correctly
              (`flint.arb`); the automaton is that of the rounded factors. The tropical semiring's
              minimum over paths is no weighted automaton over the reals

Transducers and empty labels are refused, with the line and what would help.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path

import flint

from constructions.automata.limits import check_size
from constructions.automata.wfa import WFA
from constructions.core.bounded_files import read_text
from constructions.core.errors import InputError
from constructions.core.exact import ball, precisions
from constructions.core.numbers import is_whole, number_from_text

MOST_LINES = 1_000_000  # about twenty seconds
EPSILON = ("<eps>", "<epsilon>", "ε")
Arc = tuple[int, int, str, Fraction]


def read(path: Path | str, symbols: Path | str | None = None, weights: str = "factors") -> WFA:
    """The acceptor in a file, with the names of a symbol table if one is given.

    `weights` says what the numbers are: "factors", or "costs", rounded as the module says.

    Examples:
        >>> from importlib.resources import files
        >>> read(files("constructions") / "examples" / "openfst.att").weight("ab")
        Fraction(1, 16)

    """
    try:
        names = None if symbols is None else read_symbols(symbols)
        return parse(read_text(path), names, weights)
    except InputError as error:
        raise error.at(str(path)) from None


def read_symbols(path: Path | str) -> dict[str, str]:
    """{number: name} of a symbol table."""
    names: dict[str, str] = {}
    for number, fields in _lines(read_text(path)):
        if len(fields) != 2 or not is_whole(fields[1]):
            raise InputError(
                "symbol table", " ".join(fields), "a name and a number", f"{path}, line {number}"
            )
        names[fields[1]] = fields[0]
    return names


def parse(text: str, symbols: Mapping[str, str] | None = None, weights: str = "factors") -> WFA:
    r"""The WFA of an acceptor's text.

    Examples:
        >>> parse("0 1 a 0.5\n1 1 b\n1 0.25").weight("abb")
        Fraction(1, 8)
        >>> float(parse("0 1 a 0.69314718\n1", weights="costs").weight("a"))
        0.5000000002799726

    """
    if weights not in WEIGHTS:
        raise InputError("weights", weights, f"one of {', '.join(WEIGHTS)}")
    number = WEIGHTS[weights]
    arcs: list[Arc] = []
    final: dict[int, Fraction] = {}
    first: int | None = None
    for line, fields in _lines(text):
        where = f"line {line}"
        source = _state(fields[0], where)
        first = source if first is None else first
        if len(fields) <= 2:
            final[source] = _weight(fields[1:], number, where)
        else:
            name = _symbol(fields, symbols, where)
            target, weight = _state(fields[1], where), _weight(fields[3:], number, where)
            arcs.append((source, target, name, weight))
    if first is None or not arcs:
        raise InputError("acceptor", "no arc", "lines 'source destination symbol [weight]'")
    return _automaton(first, arcs, final)


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    count = text.count("\n")
    if count > MOST_LINES:
        raise InputError("file", f"{count} lines", f"at most {MOST_LINES}")
    for number, line in enumerate(text.splitlines(), 1):
        if fields := line.split():
            yield number, fields


def _state(text: str, where: str) -> int:
    if not is_whole(text):
        raise InputError("state", text, "a whole number", where)
    return int(text)


def _weight(fields: list[str], number: Callable[[str], Fraction], where: str) -> Fraction:
    try:
        return number(fields[0]) if fields else Fraction(1)
    except InputError as error:
        raise error.at(where) from None


def _factor(text: str) -> Fraction:
    try:
        return number_from_text(text, "weight")
    except InputError as error:
        if text.lower() not in INFINITE:
            raise
        expected = "a factor; for costs, -log of a factor, say so: --openfst-weights costs"
        raise InputError("weight", text, expected) from error


def _cost(text: str) -> Fraction:
    """e^(-w), rounded to the nearest decimal of DIGITS significant digits."""
    if text.lower() in INFINITE:
        return Fraction(0)
    cost = number_from_text(text, "weight")
    if abs(cost) > LARGEST_COST:
        raise InputError("weight", text, f"a cost between ±{LARGEST_COST}, or Infinity")
    return Fraction(1) if cost == 0 else _exponential(-cost)


def _exponential(power: Fraction) -> Fraction:
    """e^power for power ≠ 0; the number is irrational, so some precision decides its digits."""
    return next(found for bits in precisions() if (found := _digits(power, bits)) is not None)


def _digits(power: Fraction, bits: int) -> Fraction | None:
    """The same at a working precision; None if that does not determine the last digit."""
    with flint.ctx.workprec(bits):
        exact = ball(power)
        before = (exact / flint.arb(10).log()).floor().unique_fmpz()
        if before is None:
            return None
        places = DIGITS - 1 - int(before)
        shifted = exact.exp() * flint.arb(10) ** places + flint.arb(1) / 2
        digits = shifted.floor().unique_fmpz()
    return None if digits is None else Fraction(int(digits)) / Fraction(10) ** places


INFINITE = ("infinity", "inf")
DIGITS, LARGEST_COST = 17, 9000
WEIGHTS: dict[str, Callable[[str], Fraction]] = {"factors": _factor, "costs": _cost}


def _symbol(fields: list[str], symbols: Mapping[str, str] | None, where: str) -> str:
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
    return name


def _automaton(first: int, arcs: list[Arc], final: Mapping[int, Fraction]) -> WFA:
    used = sorted({first, *final, *(q for p, r, _, _ in arcs for q in (p, r))})
    check_size(len(used), len({symbol for _, _, symbol, _ in arcs}), "acceptor")
    index = {state: i for i, state in enumerate(used)}
    n, zero = len(used), Fraction(0)
    maps = {symbol: [[zero] * n for _ in used] for _, _, symbol, _ in arcs}
    for source, target, symbol, weight in arcs:
        maps[symbol][index[source]][index[target]] += weight
    alpha = [Fraction(int(state == first)) for state in used]
    return WFA.of(alpha, maps, [final.get(state, zero) for state in used])
