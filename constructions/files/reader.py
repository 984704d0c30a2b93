"""Automata from files: JSON with exact numbers, checked field by field.

    {"kind": "wfa", "alpha": […], "transitions": {"a": [[…]], …}, "beta": […]}
    {"kind": "wta", "alpha": […], "tensor": [[[…]]], "leaves": {"a": […], …}}
    {"kind": "hmm", "start": […], "transitions": [[…]], "emissions": {"a": […], …}}
    {"kind": "pfa", "initial": […], "transitions": {"a": [[…]], …}, "final": […]}
    {"kind": "dfa", "states": 2, "start": 0, "accepting": [0], "transitions": {"a": [1, 0], …}}
    {"kind": "nfa", "states": 2, "start": [0], "accepting": [1], "transitions": {"a": [[0, 1]], …}}
    {"kind": "regex", "pattern": "(ab)*", "alphabet": ["a", "b"]}
    {"kind": "ngram", "order": 2, "alphabet": ["a", "b"], "counts": [[[], {"a": 2, "<eos>": 1}], …]}

States count from 0. `emissions` has for each symbol its probability in every state. Probabilities sum to 1
up to 10^-6; `"normalise": true` makes them exact. A DFA has for each symbol the next state of every state
(null: none), an NFA the pairs [from, to].

Numbers are JSON numbers, taken as their exact decimal, or strings "p/q". Whatever does not fit
is an `InputError` that names file, field, value and expectation; sizes are checked before
memory is taken.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from constructions.automata.families import dfa, from_hmmlearn, nfa, pfa, probabilistic_automaton
from constructions.automata.limits import MOST_STATES, MOST_SYMBOLS, MOST_WEIGHTS, check_size
from constructions.automata.ngram import Ngram
from constructions.automata.regex import from_fields
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.bounded_files import read_text
from constructions.core.errors import InputError
from constructions.core.numbers import MOST_DIGITS, TOO_LARGE, number_from_text, vector

DEEPEST = 16
STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)


def read_automaton(path: Path | str) -> WFA | WTA:
    """The automaton in a JSON file."""
    where = str(path)
    try:
        return automaton_from_json(parse_json(read_text(path)))
    except InputError as error:
        raise error.at(where) from None


def parse_json(text: str) -> Any:
    """JSON with exact numbers; duplicate keys, NaN and infinities are refused, by their fields."""
    _not_too_many(text)
    _check_depth(text)
    odd: list[RefusedValue] = []
    try:
        data = json.loads(
            text,
            parse_float=partial(_decimal, odd),
            parse_int=partial(_decimal, odd),
            parse_constant=lambda name: _refusal(odd, name, "a finite number"),
            object_pairs_hook=partial(_unique_fields, odd),
        )
    except json.JSONDecodeError as error:
        found = f"{error.msg}, line {error.lineno}, column {error.colno}"
        raise InputError("not valid JSON", found, "") from None
    if odd:
        _locate(data, "")
    return data


@dataclass(frozen=True)
class RefusedValue:
    """The placeholder of a refused value, until its field is known."""

    found: object
    expected: str


def _refusal(odd: list[RefusedValue], found: object, expected: str) -> RefusedValue:
    odd.append(RefusedValue(found, expected))
    return odd[-1]


def _locate(data: Any, field: str) -> None:
    """Refuse the first odd value, with its field."""
    if isinstance(data, RefusedValue):
        raise InputError(field or "file", data.found, data.expected)
    if isinstance(data, dict):
        for key, value in data.items():
            _locate(value, _field_name(field, key))
    elif isinstance(data, list):
        for i, value in enumerate(data):
            _locate(value, f"{field}[{i}]")


def _field_name(field: str, key: str) -> str:
    """The name of a field in a field."""
    return f"{field}[{key}]" if field else key


def _not_too_many(text: str) -> None:
    """Refuse too many numbers before parsing, by the number of commas."""
    commas = text.count(",")
    if commas > MOST_WEIGHTS + 2 * MOST_SYMBOLS:
        raise InputError("file", f"about {commas} values", f"at most {MOST_WEIGHTS} weights")


def _check_depth(text: str) -> None:
    depth = 0
    for part in STRUCTURE.finditer(text):
        first = part[0][0]
        depth += (first in "[{") - (first in "]}")
        if depth > DEEPEST:
            found = f"more than {DEEPEST} levels of nesting"
            raise InputError("file", found, f"at most {DEEPEST}")


def _decimal(odd: list[RefusedValue], text: str) -> Fraction | RefusedValue:
    try:
        return number_from_text(text, "number")
    except InputError as error:
        return _refusal(odd, error.found, error.expected)


def _unique_fields(odd: list[RefusedValue], pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for key, value in pairs:
        fields[key] = _refusal(odd, "the key twice", "each key once") if key in fields else value
    return fields


def read_source(path: Path | str) -> WFA | WTA | Ngram:
    """The automaton or the n-gram table in a JSON file."""
    try:
        return source_from_json(parse_json(read_text(path)))
    except InputError as error:
        raise error.at(str(path)) from None


def source_from_json(data: Any) -> WFA | WTA | Ngram:
    """An automaton or an n-gram table from JSON data."""
    if not isinstance(data, dict) or data.get("kind") != NGRAM:
        return automaton_from_json(data)
    _check_fields(data, NGRAM_FIELDS, ())
    symbols = [str(symbol) for symbol in _list(data["alphabet"], "alphabet")]
    rows = []
    for i, row in enumerate(_list(data["counts"], "counts")):
        if not (isinstance(row, list) and len(row) == 2 and isinstance(row[0], list)):
            raise InputError(f"counts[{i}]", row, "a context and its counts, [[…], {…}]")
        rows.append((tuple(map(str, row[0])), row[1]))
    return Ngram.of(_whole_number(data["order"], "order"), symbols, rows)


def _list(value: Any, field: str) -> list[Any]:
    if not isinstance(value, list):
        raise InputError(field, value, "a list")
    return value


def automaton_from_json(data: Any) -> WFA | WTA:
    """An automaton from JSON data."""
    if not isinstance(data, dict):
        raise InputError("file", type(data).__name__, "a JSON object with a field 'kind'")
    kind = data.get("kind")
    if kind == NGRAM:
        raise InputError("kind", kind, "an automaton: n-grams are for `assay export` alone")
    if not isinstance(kind, str) or kind not in FIELDS:
        raise InputError("kind", kind, f"one of {', '.join(FIELDS)}")
    _check_fields(data, FIELDS[kind], OPTIONAL.get(kind, ()))
    _check_states(data, kind)
    exact = data if kind == "regex" else _exact(data, "")  # a pattern is text
    try:
        return MAKERS[kind](exact)
    except InputError as error:
        raise _renamed_error(error, kind) from None


def _wfa(data: dict[str, Any]) -> WFA:
    return WFA.of(data["alpha"], data["transitions"], data["beta"])


def _wta(data: dict[str, Any]) -> WTA:
    return WTA.of(data["alpha"], data["tensor"], data["leaves"])


def _hmm(data: dict[str, Any]) -> WFA:
    start = vector(data["start"], "start")
    emissions = data["emissions"]
    if isinstance(emissions, list):
        found = "a list" if emissions else "an empty list"
        raise InputError("emissions", found, BY_SYMBOL)
    if not isinstance(emissions, dict) or not emissions:
        raise InputError("emissions", emissions, "at least one symbol with its probabilities")
    columns = [vector(row, f"emissions[{symbol}]") for symbol, row in emissions.items()]
    for symbol, column in zip(emissions, columns, strict=True):
        if len(column) != len(start):
            found, expected = f"{len(column)} numbers", f"{len(start)}, one for each state"
            raise InputError(f"emissions[{symbol}]", found, expected)
    by_state = list(zip(*columns, strict=True))
    normalise = _flag(data, "normalise")
    return from_hmmlearn(start, data["transitions"], by_state, list(emissions), normalise)


def _renamed_error(error: InputError, kind: str) -> InputError:
    """The same error by the field names of the file."""
    field, expected = error.field, error.expected
    for old, new in {**NAMES, **NAMES_OF.get(kind, {})}.items():
        if re.match(rf"{old}\b", field):
            place = field.removeprefix(old)
            if new.endswith("state"):
                place = f" {place.strip('[]').replace('][', ', symbol ')}"
            field = f"{new}{place}"
        expected = re.sub(rf"\b{old}\b", new, expected)
    return InputError(field, error.found, expected, error.where)


def _pfa(data: dict[str, Any]) -> WFA:
    made = pfa(data["initial"], data["transitions"], data["final"])
    return probabilistic_automaton(made, _flag(data, "normalise"))


def _dfa(data: dict[str, Any]) -> WFA:
    n = _states(data)
    moves = {symbol: _next(row, symbol) for symbol, row in _maps(data).items()}
    start, accepting = (
        _whole_number(data["start"], "start"),
        _indices(data["accepting"], "accepting"),
    )
    return dfa(n, start, accepting, moves)


def _nfa(data: dict[str, Any]) -> WFA:
    edges = {symbol: _edges(row, symbol) for symbol, row in _maps(data).items()}
    start, accepting = (_indices(data[name], name) for name in ("start", "accepting"))
    return nfa(_states(data), start, accepting, edges)


def _states(data: dict[str, Any]) -> int:
    n = _whole_number(data["states"], "states")
    if not 1 <= n <= MOST_STATES:
        raise InputError("states", n, f"1 to {MOST_STATES}")
    check_size(n, len(_maps(data)), "states")
    return n


def _maps(data: dict[str, Any]) -> dict[str, Any]:
    maps = data["transitions"]
    if not isinstance(maps, dict) or not maps:
        raise InputError("transitions", maps, "at least one symbol")
    return maps


def _next(row: Any, symbol: str) -> list[int | None]:
    field = f"transitions[{symbol}]"
    if not isinstance(row, list):
        raise InputError(field, row, "a list of next states")
    return [None if q is None else _whole_number(q, f"{field}[{i}]") for i, q in enumerate(row)]


def _edges(row: Any, symbol: str) -> list[tuple[int, int]]:
    field = f"transitions[{symbol}]"
    if not isinstance(row, list):
        raise InputError(field, row, "a list of pairs [from, to]")
    for i, pair in enumerate(row):
        if not isinstance(pair, list) or len(pair) != 2:
            raise InputError(f"{field}[{i}]", pair, "a pair [from, to]")
    return [(_whole_number(q, field), _whole_number(r, field)) for q, r in row]


def _indices(values: Any, field: str) -> list[int]:
    if not isinstance(values, list):
        raise InputError(field, values, "a list of states")
    return [_whole_number(q, f"{field}[{i}]") for i, q in enumerate(values)]


def _whole_number(value: Any, field: str) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, Fraction)) or value % 1 != 0:
        raise InputError(field, value, "a whole number, counted from 0")
    return int(value)


def _flag(data: dict[str, Any], name: str) -> bool:
    value = data.get(name, False)
    if not isinstance(value, bool):
        raise InputError(name, value, "true or false")
    return value


FIELDS = {
    "wfa": ("kind", "alpha", "transitions", "beta"),
    "wta": ("kind", "alpha", "tensor", "leaves"),
    "hmm": ("kind", "start", "transitions", "emissions"),
    "pfa": ("kind", "initial", "transitions", "final"),
    "dfa": ("kind", "states", "start", "accepting", "transitions"),
    "nfa": ("kind", "states", "start", "accepting", "transitions"),
    "regex": ("kind", "pattern", "alphabet"),
}
NGRAM, NGRAM_FIELDS = "ngram", ("kind", "order", "alphabet", "counts")
OPTIONAL = {"hmm": ("normalise",), "pfa": ("normalise",)}
MAKERS: dict[str, Callable[[dict[str, Any]], WFA | WTA]] = {
    "wfa": _wfa,
    "wta": _wta,
    "hmm": _hmm,
    "pfa": _pfa,
    "dfa": _dfa,
    "nfa": _nfa,
    "regex": from_fields,
}
FIRST = {"wfa": "alpha", "wta": "alpha", "hmm": "start", "pfa": "initial"}
LETTERS = {"wta": "leaves", "hmm": "emissions", "regex": "alphabet"}  # else: transitions
# What the constructors call the fields of a file.
NAMES = {"startprob": "start", "transmat": "transitions", "emissionprob": "emissions of state",
         "moves": "transitions", "edges": "transitions"}  # fmt: skip
NAMES_OF = {"hmm": {"alpha": "start"}, "pfa": {"alpha": "initial", "beta": "final"}}
BY_SYMBOL = (
    'for each symbol its probability in every state, {"walk": [0.6, 0.1], "shop": [0.4, 0.9]}; '
    "rows for each state are to be turned, or given to WFA.from_hmm"
)


def _check_fields(data: dict[str, Any], names: Sequence[str], optional: Sequence[str]) -> None:
    for name in data:
        if name not in (*names, *optional):
            near = get_close_matches(name, names, 1, cutoff=0.5)
            hint = f"{near[0]}, or another of" if near else "only"
            raise InputError(name, "an unknown field", f"{hint} {', '.join((*names, *optional))}")
    for name in names:
        if name not in data:
            raise InputError(name, "nothing", "the field to be there")


def _check_states(data: dict[str, Any], kind: str) -> None:
    letters = data[LETTERS.get(kind, "transitions")]
    first = data.get(FIRST.get(kind, ""))
    if isinstance(first, list):
        symbols = len(letters) if isinstance(letters, dict) else 0
        check_size(len(first), symbols, FIRST[kind], 3 if kind == "wta" else 2)


def _exact(data: Any, field: str) -> Any:
    """Convert strings of numbers to exact values; the kind and the symbols stay text."""
    if isinstance(data, dict):
        return {
            key: value if key == "kind" else _exact(value, _field_name(field, key))
            for key, value in data.items()
        }
    if isinstance(data, list):
        return [_exact(value, f"{field}[{i}]") for i, value in enumerate(data)]
    return number_from_text(data, field) if isinstance(data, str) else data


def to_json(automaton: WFA | WTA | Ngram) -> str:
    """The file that `read_source` reads back to the same automaton or table.

    Weights that a PAutomaC model multiplies may be too long for that; then it is refused.

    Examples:
        >>> automaton_from_json(parse_json(to_json(WFA.of([1], {"a": [["1/3"]]}, [1])))).weight("a")
        Fraction(1, 3)

    """
    if isinstance(automaton, Ngram):
        return _ngram_json(automaton)
    body: dict[str, Any] = {"kind": "wfa" if isinstance(automaton, WFA) else "wta"}
    body |= {name: _json_value(getattr(automaton, name)) for name in FIELDS[body["kind"]][1:]}
    return json.dumps(body, indent=1, ensure_ascii=False) + "\n"


def _ngram_json(table: Ngram) -> str:
    """One line for each context."""
    head = {"kind": NGRAM, "order": table.order, "alphabet": list(table.alphabet)}
    rows = [
        json.dumps([list(context), _json_value(dict(row))], ensure_ascii=False)
        for context, row in table.counts.items()
    ]
    start = json.dumps(head, ensure_ascii=False)[:-1]
    return f'{start}, "counts": [\n' + ",\n".join(rows) + "\n]}\n"


def _json_value(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _json_value(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [_json_value(item) for item in value]
    rational = Fraction(value)
    if max(abs(rational.numerator), rational.denominator) >= TOO_LARGE:
        raise InputError("weight", "a very long number", f"p and q of at most {MOST_DIGITS} digits")
    return int(rational) if rational.denominator == 1 else str(rational)
