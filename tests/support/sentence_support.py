"""Read a sentence as somebody does who has read nothing else: its symbols and its quotations."""

import re
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from typing import Any

from verify.judge.outcome import Outcome
from verify.judge.paper import load
from verify.judge.verdict import judge
from verify.record.record import RunInfo, assemble

# The paper's own symbols that a reader may be expected to know, and those of all mathematics.
KNOWN = frozenset({"n", "T", "ε", "Σ", "α", "A"})
STANDARD = frozenset({"R", "O", "Θ", "π", "I", "I_", "Σ_", "a", "str"})
MARK = r"(?:[_^](?:\{[^}]*\}|\([^)]*\)|\w+)|['ᵀ₀-₉⁰¹²³⁴ⁿ])"
SYMBOL = re.compile(  # no letter of a word; in a product, such as 2Sλ, each letter by itself
    rf"(?<![_^.'’])(?<![A-Za-z]-)(?<![A-Za-z](?=[A-Za-z]))"
    rf"(?:[α-ωΑ-Ωℓ]|[A-Za-z](?![A-Za-z])){MARK}*"
)
# Citations, places, the paper's name of a tree's string, genitives.
LABEL = re.compile(
    r"\[[12][^\]]*\]|(?:Section|Appendix|Definition)s? [A-D0-9][A-D0-9.]*|str\(t\)|(?<=\w)'s\b"
)
POWER = re.compile(r"[ᵀ⁰¹²³⁴ⁿ]+$|\^.*$")
INDEX = re.compile(r"_(?:\{.*\}|.{1,2})$|'+$|[₀-₉]$")  # words, such as mlp, are part of a name
KIND = (
    "activation|angle|automaton|binomial|bounds?|column|constant|degree|degree at most|depth|"
    "distribution|errors?|exponents|filter|final weights|function|head|index|input|layers?|length|"
    "lets|letters?|logits?|markers?|matrices|matrix|node|number|positions?|prefix|probability|"
    "process|product|readings|rotation|row|scale|shares|states?|strings|subtrees|symbol|tensor|"
    "tokens|vectors?|weights|width|words?"
)
COUNTED = (
    "counted|heads|hidden|inputs|layers|leaves|letters|parse layers|sines|states|steps|symbols|"
    "terms|tokens|units"
)
BEFORE = re.compile(
    rf"\b(?:{KIND}) (?:\(|[^ ,;()]{{1,8}}(?:,| and| or) )*$|\b(?:there (?:is|are)|within) $|\[$"
)
BEHIND = re.compile(
    rf" (?:{COUNTED})\b| (?:(?:is|are) (?:the|an?)|of|the|being|counts|after|bounds|bounding) |"
    r" ?= | ≈ | ≥ 1 bound| ≥ \d (?:{COUNTED})\b|-symbol|\]"
)


def symbols(sentence: str) -> Iterator[tuple[str, int, int]]:
    """The symbols of a sentence that a reader does not know, with their places."""
    text = LABEL.sub(lambda found: "." * len(found[0]), sentence)
    for found in SYMBOL.finditer(text):
        letter = INDEX.sub("", POWER.sub("", found[0]))
        indexed = letter in KNOWN | STANDARD and INDEX.search(POWER.sub("", found[0]))
        name = f"{letter}_" if indexed else letter
        if name not in KNOWN | STANDARD:
            yield name, found.start(), found.end()


def undefined(sentence: str) -> list[str]:
    """The symbols that nothing in the sentence defines, each once."""
    seen: dict[str, bool] = {}
    for name, start, end in symbols(sentence):
        defined = BEFORE.search(sentence[:start]) or BEHIND.match(sentence[end:])
        summed = re.search(rf"Σ_\{{?{re.escape(name)}", sentence)
        seen[name] = seen.get(name, False) or defined is not None or summed is not None
    return [name for name, defined in seen.items() if not defined]


def quotations(text: str) -> Iterator[str]:
    """The passages in quotation marks; what an ellipsis separates is quoted piece by piece."""
    for found in re.finditer(r"“([^”]*)”|‘([^’]*)’|``(.*?)''", text):
        pieces = next(filter(None, found.groups()), "").split("…")
        yield from (piece for each in pieces if (piece := normal(each)))


def normal(text: str) -> str:
    """A text without markup, case and line breaks, as quotations are compared."""
    plain = re.sub(r"\\(?:textit|emph|textbf|text)\{|[{}$]", "", text)
    return re.sub(r"[~\s]+", " ", plain).strip(" .").lower()


def digest(quotation: str) -> str:
    """What stands for a quotation in the list of those that are in the source."""
    return sha256(quotation.encode()).hexdigest()[:16]


@cache
def expected_rows() -> list[dict[str, Any]]:
    """The statements of a record in which every fact came out as expected; no witnesses."""
    paper = load()
    asked = [
        *(b for s in paper.statements.values() for b in s.binding),
        *paper.observations.values(),
    ]
    found = {
        each.key: Outcome(True) if each.outcome == "holds" else Outcome(False, {}, {"w": 1})
        for each in asked
        if each.key
    }
    judged = judge(paper, found)
    for finding in paper.findings.values():
        name, number = finding.shown_by
        found[paper.statements[name].binding[number - 1].key] = Outcome(missing="paper")
    drawn = {figure.key: Outcome(missing="paper") for figure in paper.figures.values()}
    rows: list[dict[str, Any]] = assemble(paper, {**drawn, **found}, judged, RunInfo())[0][
        "statements"
    ]
    return rows
