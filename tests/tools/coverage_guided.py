"""Coverage-guided inputs for every reader, by Atheris: a result, or one clear line.

    python tests/tools/coverage_guided.py -max_total_time=600

The first byte of an input chooses the reader, the rest is the text. Anything but a refusal in
one line ends the run, with the input in a file that repeats it. Needs the package `atheris`.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import atheris

with atheris.instrument_imports(include=["constructions", "verify"]):
    from constructions.automata.named import automaton_by_name
    from constructions.automata.trees import from_text
    from constructions.core.errors import InputError
    from constructions.core.numbers import number_from_text, whole_number
    from constructions.exports import loader
    from constructions.files import openfst
    from constructions.files.formats import load
    from constructions.files.pautomac import read_model, read_solution, read_test
    from constructions.files.reader import automaton_from_json, parse_json
    from verify.commands.sweep import saturations
    from verify.display.arguments import positive
    from verify.judge import coverage, paper
    from verify.recheck import files
    from verify.recheck.errors import Refused, fraction
    from verify.record.manuscript import marks_of

FOLDER = Path(tempfile.mkdtemp(prefix="assay-atheris-"))


def from_file(reader: Callable[[Path], Any], name: str = "input") -> Callable[[str], Any]:
    """A reader of files as a reader of text."""

    def read(text: str) -> Any:
        path = FOLDER / name
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        return reader(path)

    return read


def exported(path: Path) -> Any:
    """What the description of an exported model orders."""
    return loader._order(
        loader.read_description(path.parent), automaton_by_name("hmm:2:7"), str(path)
    )


PAPER = paper.load()
READERS: tuple[Callable[[str], Any], ...] = (
    from_file(load),
    openfst.parse,
    from_file(openfst.read_symbols),
    from_file(lambda path: list(marks_of(path))),
    lambda text: coverage.uncovered(text, PAPER),
    lambda text: files.parse(text.encode("utf-8", "surrogatepass")),
    fraction,
    lambda text: automaton_from_json(parse_json(text)),
    from_file(read_model),
    from_file(read_test),
    from_file(read_solution),
    from_file(exported, "model.json"),
    from_text,
    automaton_by_name,
    saturations,
    lambda text: number_from_text(text, "number"),
    lambda text: whole_number(text, "--length"),
    lambda text: positive(text, "--eps"),
)


def one(data: bytes) -> None:
    """Give one input to one reader."""
    if not data:
        return
    text = data[1:].decode("utf-8", "surrogateescape")
    try:
        READERS[data[0] % len(READERS)](text)
    except (InputError, Refused, coverage.SourceError) as error:
        if "\n" in str(error) or len(str(error)) > 1000:
            raise RuntimeError(f"no clear line: {error!r}") from None


if __name__ == "__main__":
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()
