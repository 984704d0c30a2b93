"""Every sentence of the paper has a statement, and a sentence without one is seen."""

import os
from pathlib import Path

import pytest

from verify.judge.coverage import (
    PAPER_SHA256,
    Coverage,
    SourceError,
    coverage,
    sentences,
    uncovered,
)
from verify.judge.model import Paper, Silent
from verify.judge.paper import load

SOURCE = "\\begin{document}\nOne is a claim.\nTwo is one. Three is another, e.g. this.\n\\end{document}\n"


def paper(*silent):
    return Paper({}, {}, {}, {}, (), silent, (), {})


def test_sentences_end_where_a_reader_sees_them_end():
    assert sentences("It holds, e.g. here. It fails $x$. \\textbf{Yes}") == [
        "It holds, e.g. here.",
        "It fails $x$.",
    ]


def test_a_line_with_one_sentence_is_covered_by_its_line_and_one_with_several_is_not():
    lines = Silent(((2, 3),), "r")
    assert [name for name, _ in uncovered(SOURCE, paper(lines))] == ["3:1", "3:2"]
    single = Silent((), "r", ("3:1", "3:2"))
    assert uncovered(SOURCE, paper(lines, single)) == []


def test_a_text_that_is_no_document_is_refused():
    with pytest.raises(SourceError):
        uncovered("no document", paper())


@pytest.mark.skipif("ASSAY_PAPER" not in os.environ, reason="needs the paper's source")
def test_the_paper_is_covered_sentence_by_sentence():
    found = coverage(Path(os.environ["ASSAY_PAPER"]), load())
    assert found.same_source and found.open == ()


def test_every_id_of_the_first_edition_lives_on_or_is_retired():
    data = Path(__file__).with_name("first_edition_ids.txt").read_text("utf-8").split()
    known = set(load().statements) | {entry.id for entry in load().retired}
    for each in (*load().statements.values(), *load().observations.values()):
        known |= {each.id, *each.aliases}
    assert sorted(set(data) - known) == []


@pytest.mark.parametrize("other", ["0" * 64, "f" * 64, "", PAPER_SHA256[:-1]])
def test_another_source_than_the_one_whose_lines_are_counted_is_noticed(other):
    assert Coverage(PAPER_SHA256, 0, ()).same_source
    assert not Coverage(other, 0, ()).same_source
