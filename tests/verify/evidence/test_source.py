"""Words that the paper's source does not contain; a file with another hash is not judged."""

import hashlib

from verify.evidence import source as source_text
from verify.facts.registry import Inputs


def searched(tmp_path, text, words, lines):
    file = tmp_path / "paper.tex"
    file.write_text(text)
    known = hashlib.sha256(text.encode()).hexdigest()
    return source_text.words_are_absent(Inputs(paper=file), words, lines, known)


def test_words_are_searched_in_the_lines_in_question_only(tmp_path):
    text = "a Corollary\nnothing\ncorollary\n"
    found = searched(tmp_path, text, ["corollary"], [2, 2])
    assert (found.holds, found.values["first"], found.values["last"]) == (True, 2, 2)
    found = searched(tmp_path, text, ["corollary"], [1, 3])
    assert found.witness == {"lines": [1, 3]}


def test_another_text_than_the_paper_decides_nothing(tmp_path):
    file = tmp_path / "paper.tex"
    file.write_text("nothing\n")
    assert source_text.words_are_absent(Inputs(paper=file), ["corollary"], [1, 1], "0" * 64).missing
