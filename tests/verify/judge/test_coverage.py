"""Every sentence of the paper has a statement, and a sentence without one is seen."""

import os
from pathlib import Path

import pytest
from reports_support import ABOUT

from verify.judge.coverage import (
    Sentence,
    SourceError,
    body,
    covered_places,
    cut_line,
    pieces_of,
    sentences_of,
    uncovered,
)
from verify.judge.data import Paper, Silent, Statement
from verify.judge.paper import load

SOURCE = "\\begin{document}\nOne is a claim.\nTwo is one. Three is another, e.g. this.\n\\end{document}\n"


def paper(*silent):
    return Paper(ABOUT, {}, {}, {}, {}, silent, (), {})


def test_sentences_end_where_a_reader_sees_them_end():
    assert cut_line("It holds, e.g. here. It fails $x$. \\textbf{Yes}") == [
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
    assert uncovered(Path(os.environ["ASSAY_PAPER"]).read_text("utf-8"), load()) == []


DOCUMENT = r"""\title{A title.}
\begin{document}
% a comment
\section{Intro} \label{sec:intro}
\centering \toprule
One holds. % and a remark
100\% of it. \textbf{Bold} words. Is it? \emph{Two} holds!
\[ x = 1 \]
\end{document}
"""


def test_the_body_has_the_lines_that_say_something_without_their_comments():
    assert list(body(DOCUMENT)) == [
        (6, "One holds. "),
        (7, r"100\% of it. \textbf{Bold} words. Is it? \emph{Two} holds!"),
        (8, r"\[ x = 1 \]"),
    ]
    with pytest.raises(SourceError, match=r"no \\begin{document} in the source"):
        list(body("text"))


def test_each_sentence_has_the_name_of_its_line_and_its_number():
    found = list(pieces_of(DOCUMENT))
    assert found[0] == Sentence("One holds.", ("6:1",), True)
    assert [(each.name, each.alone) for each in found[1:]] == [
        ("7:1", False), ("7:2", False), ("7:3", False), ("7:4", False), ("8:1", True),
    ]  # fmt: skip
    assert [each.text for each in found[1:5]] == [
        r"100\% of it.", r"\textbf{Bold} words.", "Is it?", r"\emph{Two} holds!",
    ]  # fmt: skip


def test_results_of_ours_cover_no_line_of_the_paper():
    plain = {"title": "S", "form": "view", "section": "1", "text": "t", "says": "s"}
    theirs = Statement("a", **plain, places=((2, 4), (9, 9)), sentences=("7:1",))
    ours = Statement("b", **plain, places=((6, 6),), sentences=("7:2",), ours=True)
    found = Paper(
        ABOUT,
        {"a": theirs, "b": ours},
        {},
        {},
        {},
        (Silent(((12, 13),), "r", ("8:1",)),),
        (),
        {},
    )
    assert covered_places(found) == ({2, 3, 4, 9, 12, 13}, {"7:1", "8:1"})


WRAPPED = r"""\begin{document}
The first sentence goes over
two lines. The second one
ends here: $x = 1$.

\begin{tabular}{r}
1 & 2 \\
3 & 4 \\
\end{tabular}
A last line without an end
\begin{theorem}
A theorem.
\end{theorem}
\end{document}
"""


def test_a_sentence_goes_on_in_the_next_line_until_it_ends():
    found = {each.name: each for each in sentences_of(WRAPPED)}
    assert list(found) == ["2:1", "3:2", "7:1", "8:1", "10:1", "12:1"]
    assert found["2:1"].text == "The first sentence goes over two lines."
    assert found["3:2"].pieces == ("3:2", "4:1") and found["3:2"].lines == {3, 4}


def test_a_sentence_over_several_lines_is_covered_by_its_lines_or_by_any_of_its_pieces():
    rest = Silent(((7, 12),), "r")
    assert [name for name, _ in uncovered(WRAPPED, paper(rest))] == ["2:1", "3:2"]
    assert [n for n, _ in uncovered(WRAPPED, paper(rest, Silent(((2, 3),), "r")))] == ["3:2"]
    assert uncovered(WRAPPED, paper(rest, Silent(((2, 4),), "r"))) == []
    assert [n for n, _ in uncovered(WRAPPED, paper(rest, Silent((), "r", ("4:1",))))] == ["2:1"]
