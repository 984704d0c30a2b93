"""A compiled erratum beside its source: the words are the same, or the first other one is named."""

import io
from pathlib import Path

import pypdf
import pytest
from pypdf.generic import ArrayObject, DecodedStreamObject, DictionaryObject, NameObject

from reports.pdf import Piece, difference, first_difference, pieces

FOLDER = Path(__file__).resolve().parents[2] / "reports" / "published"  # not in the wheel
SOURCE = (FOLDER / "erratum.tex").read_text("utf-8")
COMPILED = (FOLDER / "erratum.pdf").read_bytes()


def test_the_published_erratum_has_the_words_of_its_source():
    assert difference(SOURCE, COMPILED) == ""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "Theorem 4 as we abridged it is false",
            "Theorem 4 as we abridged it is not false",
            "'not'",
        ),
        ("Equation (1) is false", "Equation (2) is false", "'2'"),
        ("fewer than $T$ layers", "fewer than $S$ layers", "'layers'"),
        (r"\section{Misprints}", r"\section{Nothing}\section{Misprints}", "'Nothing'"),
        ("The corollary is machine-checked in Coq.", "", "'4'"),
        (r"\end{document}", r"And so on.\end{document}", "'And'"),
        (r"\begin{enumerate}", r"\begin{itemize}", "'The'"),
    ],
)
def test_a_word_a_number_or_a_letter_of_a_formula_that_differs_is_named(old, new, said):
    assert SOURCE.count(old) >= 1
    found = difference(SOURCE.replace(old, new, 1), COMPILED)
    assert found == f"it has not the words of its source where that says {said}"


def test_words_after_the_end_are_named():
    end = SOURCE.index(r"\section{Slips")
    assert difference(SOURCE[:end], COMPILED) == (
        "it says more than its source: '7SlipsinformulasandcitationsSection1Wewr'"
    )


def test_formulas_may_lack_what_no_font_tells_and_have_nothing_of_their_own():
    assert first_difference("a $x_1+\\sigma$ b", "ax1b") == first_difference("a $x$ b", "ab") == ""
    assert first_difference("a $x$ b", "axxb") != "" != first_difference("a $x$ b", "ayb")
    assert list(Piece("x1", is_formula=True).ends("1x2", 0)) == [0, 1, 2]


def test_numbers_that_latex_adds_are_counted_and_what_it_does_not_print_is_left_out():
    source = r"""% a comment with words
    \documentclass[10pt]{article}\begin{document}\section{One} 5\% of \$2 \rule{1ex}{1ex}
    \begin{enumerate}\setlength{\itemsep}{0pt}\item first \item second\end{enumerate}
    \section*{None} \begin{itemize}\item third\end{itemize} \ensuremath{^{a{b}}}\end{document}"""
    assert [each.text for each in pieces(source)] == [
        *("1", "One", "5", "of", "2", "1", "first", "2", "second", "None", "third", "ab")
    ]


def forged(change):
    """The published erratum, changed by the library."""
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(COMPILED))
    change(writer)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def with_link(writer):
    writer.pages[0][NameObject("/Annots")] = ArrayObject()


def with_picture(writer):
    writer.pages[0]["/Resources"][NameObject("/XObject")] = DictionaryObject()


def with_script(writer):
    writer.root_object[NameObject("/OpenAction")] = DictionaryObject()


@pytest.mark.parametrize(
    ("change", "said"),
    [(with_link, "/Annots"), (with_picture, "/XObject"), (with_script, "/OpenAction")],
)
def test_links_pictures_and_scripts_are_named(change, said):
    assert difference(SOURCE, forged(change)) == f"it has more than text ({said})"


@pytest.mark.parametrize(
    ("painted", "said"),
    [
        (b"1 g 0 0 600 800 re f", "it paints with more than text and lines (g)"),
        (b"BT 3 Tr ET", "it paints with more than text and lines (Tr)"),
        (b"BI /W 1 /H 1 /BPC 8 /CS /G ID x EI", "it "),  # some versions cannot read it
        (b"0 0 600 800 re f", "it has 13 lines, its source 12"),
    ],
)
def test_what_is_painted_over_the_text_is_named(painted, said):
    def paint(writer):
        page = writer.pages[0]
        stream = DecodedStreamObject()
        stream.set_data(page.get_contents().get_data() + b"\n" + painted)
        page[NameObject("/Contents")] = writer._add_object(stream)

    assert difference(SOURCE, forged(paint)).startswith(said)


def test_a_page_less_is_named():
    found = difference(SOURCE, forged(lambda writer: writer.remove_page(3)))
    assert found.startswith("it has not the words of its source")


@pytest.mark.parametrize(
    "content", [b"", b"%PDF", b"\0" * 1000, COMPILED[:1000], b"%PDF-1.5\n" * 99]
)
def test_what_is_no_pdf_is_named(content):
    assert difference(SOURCE, content).startswith("it cannot be read (")


def test_what_an_empty_source_does_not_say_is_named_from_its_first_letter():
    assert first_difference("", "") == ""
    assert first_difference("", "abc") == "it says more than its source: 'abc'"
    assert first_difference("a", "abc") == "it says more than its source: 'bc'"
