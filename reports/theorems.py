"""A page of machine-checked theorems: what each says, which it rests on, which rest on it.

Takes         plain data: theorems named `File.name` with their statements, axioms and pages, and what each
              uses
Constructs    one HTML file without script: a drawing of the theorems of one file, those that one would
              cite, with all that they rest on directly (`reports.graph`), and below it every theorem by
              file with links both ways
Trusts        nothing: the template engine escapes every value
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from reports.graph import HEIGHT, WIDTH, Drawing, draw
from reports.page import environment

TEMPLATE = "theorems.html.j2"


@dataclass(frozen=True)
class TheoremEntry:
    """A theorem as the page has it; `page` is where its proof is shown."""

    name: str
    page: str
    statement: str
    axioms: tuple[str, ...]
    uses: tuple[str, ...]

    @property
    def file(self) -> str:
        """The file that it is in."""
        return self.name.partition(".")[0]

    @property
    def title(self) -> str:
        """Its name in its file."""
        return self.name.partition(".")[2]


def used_by(theorems: Iterable[TheoremEntry]) -> dict[str, list[str]]:
    """Map each theorem to those that rest directly on it."""
    found: dict[str, list[str]] = {}
    for theorem in theorems:
        for other in theorem.uses:
            found.setdefault(other, []).append(theorem.name)
    return found


def drawing_of(theorems: Mapping[str, TheoremEntry], file: str) -> Drawing:
    """The theorems of a file and what they rest on directly."""
    cited = [name for name, theorem in theorems.items() if theorem.file == file]
    edges = [(other, name) for name in cited for other in theorems[name].uses]
    return draw(list(dict.fromkeys([*(a for a, _ in edges), *cited])), edges)


def page(theorems: Sequence[TheoremEntry], cited: str) -> str:
    """The page; the theorems of the file `cited` are drawn."""
    by_name = {theorem.name: theorem for theorem in sorted(theorems, key=lambda each: each.name)}
    files = [(file, list(each)) for file, each in groupby(by_name.values(), lambda t: t.file)]
    return (
        environment()
        .get_template(TEMPLATE)
        .render(
            theorems=by_name,
            files=files,
            used_by=used_by(by_name.values()),
            cited=cited,
            drawing=drawing_of(by_name, cited),
            width=WIDTH,
            height=HEIGHT,
        )
    )
