"""Errors of an input: one line that names the field, the value and the expectation."""

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Rational

LONGEST = 60
LONGEST_PLACE = 400
MOST = 20
LISTED = 8
LINE = "line "
NO_FILE = "no such file"


def message_text(value: object) -> str:
    """A value as it appears in a message: printable, on one line, not longer than `LONGEST`."""
    try:
        text = value_text(value)
    except ValueError:  # Python writes no whole number of more than 4300 digits
        text = f"a very long {type(value).__name__}"
    text = text.encode("unicode_escape").decode("ascii")
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def value_text(value: object) -> str:
    """A value as a reader writes it, never as Python represents it."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, OSError):
        return value.strerror or "an error of the system"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(value_text(item) for item in value[:MOST])}]"
    if isinstance(value, dict):
        return f"{{{', '.join(value_text(key) for key in list(value)[:MOST])}}}"
    if isinstance(value, (str, int, float, Rational)):
        return str(value)
    return f"a value of type {type(value).__name__}"


def _one_line(text: str) -> str:
    """Text without control characters, so that a message stays one line."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def unknown_symbol(field: str, symbol: object, alphabet: Sequence[str]) -> "InputError":
    """Return the error for a symbol that is not in the alphabet; a number is named as such.

    Examples:
        >>> print(unknown_symbol("word", 0, ["0", "1"]))
        word: found the number 0, expected the string "0": symbols are text

    """
    more = len(alphabet) - LISTED
    listed = ", ".join(alphabet[:LISTED]) + (f" and {more} more" if more > 0 else "")
    if isinstance(symbol, str):
        return InputError(field, symbol, f"a symbol of the alphabet {listed}")
    if str(symbol) in alphabet:
        return InputError(field, f"the number {symbol}", f'the string "{symbol}": symbols are text')
    return InputError(field, symbol, f"a string, one of the alphabet {listed}")


@dataclass
class InputError(ValueError):
    """Bad input: its place, its field, the value, and what was expected.

    Where nothing in particular was expected, the message ends with what was found.

    Examples:
        >>> print(InputError("alpha[0]", None, "a number", "model.json"))
        model.json: alpha[0]: found nothing, expected a number

    """

    field: str
    found: object
    expected: str
    where: str = ""

    def __str__(self) -> str:
        where = _one_line(self.where)
        where = where if len(where) <= LONGEST_PLACE else f"{where[: LONGEST_PLACE - 1]}…"
        place = f"{where}: " if where else ""
        if not self.expected:
            return f"{place}{_one_line(self.field)}: {_one_line(value_text(self.found))}"
        expected = _one_line(self.expected)
        found = message_text(self.found) or "an empty text"
        return f"{place}{_one_line(self.field)}: found {found}, expected {expected}"

    def at(self, where: str) -> "InputError":
        """Return the error with the name of its file, unless it names one already.

        Examples:
            >>> print(InputError("length", 0, "a whole number ≥ 1").at("model.json"))
            model.json: length: found 0, expected a whole number ≥ 1

        """
        if self.field == NO_FILE:
            return self  # it names the file already
        place = f"{where}, {self.where}" if self.where.startswith(LINE) else self.where or where
        return InputError(self.field, self.found, self.expected, place)


def check_fits(count: int, most: int, field: str = "word", unit: str = "letters") -> None:
    """Refuse an input that is longer than a model's length.

    Examples:
        >>> check_fits(5, 4)
        Traceback (most recent call last):
        ...
        constructions.core.errors.InputError: word: found 5 letters, expected at most 4, the length

    """
    if count > most:
        raise InputError(field, f"{count} {unit}", f"at most {most}, the length")


def symbol_numbers(field: str, symbols: Sequence[object], alphabet: Sequence[str]) -> list[int]:
    """Return the number of each symbol in an alphabet; refuse an unknown symbol.

    Examples:
        >>> symbol_numbers("word", "abba", "ab")
        [0, 1, 1, 0]

    """
    index: dict[object, int] = {symbol: i for i, symbol in enumerate(alphabet)}
    try:
        return [index[symbol] for symbol in symbols]
    except (KeyError, TypeError):
        wrong = next(symbol for symbol in symbols if symbol not in list(index))
        raise unknown_symbol(field, wrong, alphabet) from None
