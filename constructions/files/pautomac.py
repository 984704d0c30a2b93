"""PAutomaC files: probabilistic automata, test words and their probabilities, read exactly.

Defines       a model I, F, S, T: initial probabilities, probability to stop (decided before a
              symbol is emitted), symbol given the state, next state given state and symbol
Constructs    the WFA alpha = I, beta = F, A^a[q, r] = (1 - F[q]) S[q, a] T[q, a, r]
Notation      q, r states and a symbols from 0; symbols of the WFA are named "0", "1", …
Format        sections `I: (state)`, `F: (state)`, `S: (state,symbol)`, `T: (state,symbol,state)`
              in this order, entries `(q,a) decimal`; a test file begins with `count alphabet`,
              then `length s1 s2 …` a line; a solution file has a count, then probabilities

Decimals are taken as the exact rationals that they are, so rows sum to 1 only nearly. Entries of T
for a pair (q, a) that S does not have weigh nothing. What is not understood is refused, with file,
line, field, value and expectation; sizes are limited before memory is taken.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from constructions.automata.wfa import WFA
from constructions.core.bounded_files import read_bytes
from constructions.core.errors import InputError

LARGEST_FILE = 16_000_000
LARGEST_STATES = 1_000
LARGEST_ALPHABET = 1_000
LARGEST_WEIGHTS = 4_000_000
LARGEST_WORD = 100_000
INDEX_DIGITS = 6

SECTIONS = {"I": "(state)", "F": "(state)", "S": "(state,symbol)", "T": "(state,symbol,state)"}
ENTRY = re.compile(r"\s*\((\d+(?:,\d+)*)\)\s+(\S+)\s*")
DECIMAL = re.compile(r"\d{1,40}(?:\.\d{1,40})?(?:[eE][+-]?\d{1,3})?")

Key = tuple[int, ...]
Entries = dict[Key, Fraction]


@dataclass(frozen=True)
class PautomacModel:
    """The four tables of a model file, absent entries left out."""

    initial: Mapping[Key, Fraction]
    final: Mapping[Key, Fraction]
    emission: Mapping[Key, Fraction]
    moves: Mapping[Key, Fraction]

    @property
    def states(self) -> int:
        """The number of states: one more than the largest index."""
        keys = [*self.initial, *self.final, *self.emission, *self.moves]
        return 1 + max(max(key[::2]) for key in keys)

    @property
    def symbols(self) -> int:
        """The number of symbols that occur: one more than the largest index."""
        return 1 + max((key[1] for key in (*self.emission, *self.moves)), default=-1)

    @property
    def kind(self) -> str:
        """`DPFA` if each (q, a) has one next state, `HMM` if that state ignores a, else `PFA`."""
        rows: dict[tuple[int, int], dict[int, Fraction]] = {}
        for (q, a, r), weight in self.moves.items():
            if self.emission.get((q, a)) and weight:
                rows.setdefault((q, a), {})[r] = weight
        if len([q for q in self.initial.values() if q]) == 1 and all(
            len(row) == 1 for row in rows.values()
        ):
            return "DPFA"
        first: dict[int, dict[int, Fraction]] = {}
        for (q, _), row in rows.items():
            if first.setdefault(q, row) != row:
                return "PFA"
        return "HMM"

    def density(self, alphabet: int) -> Fraction:
        """The share of pairs (state, symbol) that can be emitted."""
        present = sum(1 for weight in self.emission.values() if weight)
        return Fraction(present, self.states * alphabet)

    def automaton(self, alphabet: int) -> WFA:
        """The weighted automaton of the model over symbols 0 … alphabet - 1."""
        n = self.states
        zero = Fraction(0)
        weights = [[[zero] * n for _ in range(n)] for _ in range(alphabet)]
        for (q, a, r), move in self.moves.items():
            go = 1 - self.final.get((q,), zero)
            weights[a][q][r] = go * self.emission.get((q, a), zero) * move
        return WFA.of(
            [self.initial.get((q,), zero) for q in range(n)],
            {str(a): weights[a] for a in range(alphabet)},
            [self.final.get((q,), zero) for q in range(n)],
        )


@dataclass(frozen=True)
class WordSample:
    """A test file: the size of the alphabet and the words."""

    alphabet: int
    words: tuple[tuple[str, ...], ...]


def read_model(path: Path, alphabet_size: int | None = None) -> WFA:
    """The automaton of a model file; the alphabet is as large as its largest symbol, or larger."""
    model = read_tables(path)
    used = model.symbols
    size = used if alphabet_size is None else alphabet_size
    if not used <= size <= LARGEST_ALPHABET:
        raise InputError("alphabet size", size, f"{used} to {LARGEST_ALPHABET}", str(path))
    if model.states**2 * size > LARGEST_WEIGHTS:
        found = f"{model.states} states, {size} symbols"
        raise InputError("size", found, f"at most {LARGEST_WEIGHTS} weights", str(path))
    return model.automaton(size)


def read_problem(folder: Path, number: int) -> WFA:
    """The automaton of a numbered problem, with the alphabet that its test file declares."""
    test = folder / f"{number}.pautomac.test"
    size = read_test(test).alphabet if test.exists() else None
    return read_model(folder / f"{number}.pautomac_model.txt", size)


def read_tables(path: Path) -> PautomacModel:
    """The tables of a model file."""
    tables: dict[str, Entries] = {}
    section = ""
    for number, line in _lines(path):
        where = f"{path}, line {number}"
        if not line.strip():
            continue
        if ":" in line:
            section = _section(line, len(tables), where)
            tables[section] = {}
        elif not section:
            raise InputError("section", line, "the header 'I: (state)' first", where)
        else:
            _entry(line, section, tables[section], where)
    if len(tables) != len(SECTIONS):
        found = ", ".join(tables) or "none"
        raise InputError("sections", found, "I, F, S, T in this order", str(path))
    return _complete_model(PautomacModel(tables["I"], tables["F"], tables["S"], tables["T"]), path)


def _section(line: str, seen: int, where: str) -> str:
    name, _, shape = line.strip().partition(":")
    expected = list(SECTIONS)[seen] if seen < len(SECTIONS) else ""
    if not expected:
        raise InputError("section", line, "no section after T", where)
    if name != expected or shape.strip() != SECTIONS[expected]:
        raise InputError("section", line, f"the header '{expected}: {SECTIONS[expected]}'", where)
    return name


def _entry(line: str, section: str, table: Entries, where: str) -> None:
    arity = SECTIONS[section].count(",") + 1
    match = ENTRY.fullmatch(line)
    if match is None or match[1].count(",") + 1 != arity:
        raise InputError(f"entry of {section}", line, f"{SECTIONS[section]} and a decimal", where)
    key = tuple(_index(text, section, where) for text in match[1].split(","))
    if key in table:
        raise InputError(f"entry of {section}", match[1], "each entry once", where)
    table[key] = _probability(match[2], f"{section}({match[1]})", where)
    _check_index(key, section, where)


def _check_index(key: Key, section: str, where: str) -> None:
    state = max(key[::2])
    if state >= LARGEST_STATES:
        raise InputError(f"state in {section}", state, f"below {LARGEST_STATES}", where)
    if len(key) > 1 and key[1] >= LARGEST_ALPHABET:
        raise InputError(f"symbol in {section}", key[1], f"below {LARGEST_ALPHABET}", where)


def _index(text: str, section: str, where: str) -> int:
    if len(text) > INDEX_DIGITS:
        raise InputError(f"index in {section}", text, f"at most {INDEX_DIGITS} digits", where)
    return int(text)


def _probability(text: str, field: str, where: str) -> Fraction:
    value = _decimal(text, field, where)
    if value > 1:
        raise InputError(field, text, "a probability, at most 1", where)
    return value


def _decimal(text: str, field: str, where: str) -> Fraction:
    if DECIMAL.fullmatch(text) is None:
        raise InputError(field, text, "a decimal such as 0.25 or 8.9e-05", where)
    return Fraction(text)


def _complete_model(model: PautomacModel, path: Path) -> PautomacModel:
    if not model.initial or not model.emission:
        raise InputError("model", "no initial state or no emissions", "both", str(path))
    followed = {(q, a) for q, a, _ in model.moves}
    for q, a in model.emission:
        if (q, a) not in followed:
            raise InputError(f"S({q},{a})", "no entry in T", "a next state", str(path))
    return model


def read_test(path: Path) -> WordSample:
    """The words of a test file."""
    lines = _lines(path)
    count, alphabet = _header(lines, 2, path)
    if alphabet > LARGEST_ALPHABET:
        raise InputError("alphabet", alphabet, f"at most {LARGEST_ALPHABET}", f"{path}, line 1")
    words = tuple(_word(line, alphabet, f"{path}, line {n}") for n, line in lines if line.strip())
    _check_count(words, count, path)
    return WordSample(alphabet, words)


def _word(line: str, alphabet: int, where: str) -> tuple[str, ...]:
    length, *symbols = line.split()
    if not length.isdecimal() or len(length) > INDEX_DIGITS or int(length) > LARGEST_WORD:
        raise InputError("length", length, f"a whole number up to {LARGEST_WORD}", where)
    if int(length) != len(symbols):
        raise InputError(
            "length", length, f"{len(symbols)}, the number of symbols on the line", where
        )
    for symbol in symbols:
        if not symbol.isdecimal() or len(symbol) > INDEX_DIGITS or int(symbol) >= alphabet:
            raise InputError("symbol", symbol, f"a number below {alphabet}", where)
    return tuple(str(int(symbol)) for symbol in symbols)


def read_solution(path: Path) -> tuple[Fraction, ...]:
    """The probabilities of a solution file, normalised there over the test words."""
    lines = _lines(path)
    (count,) = _header(lines, 1, path)
    values = tuple(
        _probability(line.strip(), "probability", f"{path}, line {n}")
        for n, line in lines
        if line.strip()
    )
    _check_count(values, count, path)
    return values


def _header(lines: Iterator[tuple[int, str]], size: int, path: Path) -> list[int]:
    line = next((text for _, text in lines), "")
    fields = line.split()
    right = len(fields) == size and all(f.isdecimal() and len(f) <= 9 for f in fields)
    if not right:
        raise InputError("header", line, f"{size} whole numbers", f"{path}, line 1")
    return [int(field) for field in fields]


def _check_count(items: tuple[object, ...], count: int, path: Path) -> None:
    if len(items) != count:
        raise InputError(
            "count", count, f"{len(items)}, the number of lines that follow", f"{path}, line 1"
        )


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The numbered lines of a file of at most `LARGEST_FILE` bytes; CRLF and LF are the same."""
    try:
        text = read_bytes(path, LARGEST_FILE).decode("ascii")
    except UnicodeDecodeError as problem:
        raise InputError("file", f"byte {problem.start}", "plain ASCII", str(path)) from problem
    return iter(enumerate(text.replace("\r\n", "\n").split("\n"), start=1))
