"""Small words for writing claims: a place in the paper, a reading, a grade.

Notation
    at("3.2", 232, 235)      section and source lines; one line where the last is left out
    charitable, repaired     readings beside the literal one, each with what differs from print
"""

from verify.claims.model import Location, Name, Reading, Severity

SLIP = Severity.SLIP
MATERIAL = Severity.MATERIAL


def at(section: str, first: int, last: int | None = None, label: str | None = None) -> Location:
    """The place of a statement; a single line where `last` is left out."""
    return Location(section, (first, first if last is None else last), label)


def charitable(text: str, differs: str) -> Reading:
    """What the print must mean if it is read in good will."""
    return Reading(Name.CHARITABLE, text, differs)


def repaired(text: str, differs: str) -> Reading:
    """The least change of the print that says something true."""
    return Reading(Name.REPAIRED, text, differs)
