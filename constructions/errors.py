"""What is wrong with an input, in one line that names the field, the value and the expectation."""

from dataclasses import dataclass

LONGEST = 60


def shown(value: object) -> str:
    """A value as it appears in a message: printable, on one line, not longer than `LONGEST`."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except ValueError:  # Python writes no whole number of more than 4300 digits
        text = f"a very long {type(value).__name__}"
    text = text.encode("unicode_escape").decode("ascii")
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _plain(text: str) -> str:
    """Text without control characters, so that a message stays one line."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


@dataclass
class InputError(ValueError):
    """Bad input: where it stands, which field, what was found, what was expected."""

    field: str
    found: object
    expected: str
    where: str = ""

    def __str__(self) -> str:
        place = f"{_plain(self.where)}: " if self.where else ""
        return f"{place}{_plain(self.field)}: found {shown(self.found)}, expected {self.expected}"

    def at(self, where: str) -> "InputError":
        """The same error, placed in a file (a place already given stays)."""
        return InputError(self.field, self.found, self.expected, self.where or where)
