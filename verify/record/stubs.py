r"""A paper's folder from its LaTeX source: a stub for each numbered statement and table, with its lines.

Theorem-like environments are those that the source declares by `\newtheorem`, and the usual names for the
usual kinds. Numbers follow the counters of `\newtheorem` (shared, or within sections); an environment
that is starred or not declared gets no number where it cannot have one.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

from verify.judge.paper import ERRATUM

KINDS = {
    "theorem": ("Theorem", "thm", "universal"),
    "lemma": ("Lemma", "lem", "universal"),
    "proposition": ("Proposition", "prop", "universal"),
    "corollary": ("Corollary", "cor", "universal"),
    "definition": ("Definition", "def", "definition"),
    "table": ("Table", "tab", "measurement"),
}
DECLARED = re.compile(
    r"\\newtheorem(\*?)\s*\{([^{}]+)\}\s*(?:\[([^][]+)\])?\s*\{([^{}]+)\}\s*(?:\[([^][]+)\])?"
)
TOKEN = re.compile(
    r"\\(begin|end)\s*\{([^{}]+)\}|\\(section|subsection)(\*?)\s*[\[{]|\\(appendix)\b"
)
COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
LITERAL = ("verbatim", "verbatim*", "lstlisting", "comment", "minted")
TITLE = re.compile(r"\\title\s*(?:\[[^]]*\])?\s*\{((?:[^{}]|\{[^{}]*\})*)\}")


@dataclass(frozen=True)
class Stub:
    """A numbered statement of the source; `number` is "" for an environment without one."""

    kind: str
    number: str
    section: str
    first: int
    last: int

    @property
    def name(self) -> str:
        """The paper's own name of it, such as Theorem 2."""
        return f"{KINDS[self.kind][0]} {self.number}".strip()


@dataclass(frozen=True)
class Environment:
    """A theorem-like environment: its kind, the counter it uses and the counter that resets that one."""

    kind: str
    counter: str
    within: str = ""


def environments(source: str) -> dict[str, Environment]:
    """Return the environments that may hold statements, by name."""
    found = {name: Environment(name, name) for name in KINDS}
    found["table*"] = Environment("table", "table")
    within: dict[str, str] = {}
    for star, name, shared, title, parent in DECLARED.findall(source):
        kind = title.strip().lower()
        within[name] = parent if not shared else within.get(shared, "")
        if kind in KINDS:
            found[name] = Environment(kind, "" if star else shared or name, within[name])
    return found


def stubs(source: str) -> list[Stub]:
    """Return the statements of a LaTeX source in its order, with their lines."""
    lines = [COMMENT.sub(r"\1", line) for line in source.split("\n")]
    known = environments("\n".join(lines))
    counters: Counter[str] = Counter()
    appendix, literal = False, ""
    opened: list[tuple[str, int, str, str, int]] = []
    found: dict[int, Stub] = {}
    begun = 0

    def section() -> str:
        if not counters["section"]:
            return "" if not appendix else "A"
        return chr(64 + counters["section"]) if appendix else str(counters["section"])

    def subsection() -> str:
        return f"{section()}.{counters['subsection']}" if counters["subsection"] else section()

    for line, text in enumerate(lines, 1):
        for token in TOKEN.finditer(text):
            edge, name, level, star, letters = token.groups()
            if literal:
                literal = "" if (edge, name) == ("end", literal) else literal
            elif edge == "begin" and name in LITERAL:
                literal = name
            elif letters:
                appendix, counters["section"], counters["subsection"] = True, 0, 0
            elif level and not star:
                counters[level] += 1
                if level == "section":
                    counters["subsection"] = 0
                _reset(counters, known, level)
            elif edge == "begin" and name in known:
                each = known[name]
                counters[each.counter] += 1
                outer = {"section": section(), "subsection": subsection()}.get(each.within, "")
                number = ".".join(filter(None, (outer, str(counters[each.counter]))))
                opened.append((name, line, number if each.counter else "", subsection(), begun))
                begun += 1
            elif edge == "end" and opened and opened[-1][0] == name:
                _, first, number, place, order = opened.pop()
                found[order] = Stub(known[name].kind, number, place or "0", first, line)
    return [found[order] for order in sorted(found)]


def _reset(counters: Counter[str], known: dict[str, Environment], level: str) -> None:
    """Reset the counters that start anew with each section."""
    for each in known.values():
        if each.within == level or (each.within == "subsection" and level == "section"):
            counters[each.counter] = 0


def folder(source: bytes, name: str) -> dict[str, bytes]:
    """Return the files of a paper's folder by name; an encoding error is left to the caller."""
    text = source.decode("utf-8")
    name = name if name.endswith(".tex") and name != ERRATUM else "paper.tex"
    match = TITLE.search(text)
    title = " ".join(re.sub(r"\\\\|~", " ", match[1]).split()) if match else name
    files = {
        "paper.toml": "".join(_about(title, name, sha256(source).hexdigest())),
        "statements.toml": "\n".join(_statements(text, name)),
    }
    return {name: source, **{file: text.encode() for file, text in files.items()}}


def _about(title: str, name: str, digest: str) -> Iterator[str]:
    quoted, file = _toml(title), _toml(name)
    yield f'title = {quoted}\nauthors = []\nvenue = ""\nyear = 0\n\n'
    yield f'[source]\nname = {_toml(f"the LaTeX source {name}")}\nfile = {file}\nsha256 = "{digest}"\n\n'
    yield f'[paper] # [1] in sentences\nkey = "paper"\ntext = {quoted}\nbibtex = "@misc{{paper}}"\n\n'
    text = "A check of [1], made with Assay {version}."
    yield f'[check] # [2] in sentences\nkey = "check"\ntext = "{text}"\nbibtex = "@misc{{check}}"\n'


def _statements(text: str, name: str) -> Iterator[str]:
    yield f"# The statements of {name}, in its order. Write text and says yourself, then bindings.\n"
    used: Counter[str] = Counter()
    for each in stubs(text):
        _, short, form = KINDS[each.kind]
        first = f"{short}{each.number}" if each.number else f"{short}-line{each.first}"
        used[first] += 1
        ident = first if used[first] == 1 else f"{first}-{used[first]}"
        yield "[[statement]]"
        yield f'id = "{ident}"'
        if each.number and used[first] == 1:
            yield f'numbered = "{each.name}"'
        yield f'title = "{each.name}"\nform = "{form}"\nsection = "{each.section}"'
        yield f"places = [[{each.first}, {each.last}]]"
        yield f'text = "{each.name}, to be written in your own words."'
        yield f'says = "{each.name} holds"\nreason = "it has not been read yet"\n'


def _toml(text: str) -> str:
    """Return a text as a TOML string."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
