"""Laws of all renderings: they contain what the record says, set it safely, and lose nothing."""

import re
from html import unescape
from unicodedata import normalize

from grid_support import quick_or_full
from hypothesis import given, settings
from hypothesis import strategies as st
from reports_support import made

from reports import render_all
from reports.citing import by_key, latex_text
from reports.escape import latex, markdown
from reports.junit import junit
from reports.labels import ELSEWHERE, GRADES, VERDICTS, grading
from reports.page_one import answers, permission
from reports.texts import latex_macros, markdown_report
from reports.typeset import html
from reports.view import view
from verify.judge.data import FORMS

LINES = st.text("aAbITxn2iσΣεℓ()[]{}|‖⌈⌉_^'*-+=/<\\,.·≤×√²ⁿ₁⁻ &`“é%#$~½′", max_size=30)
WORDS = st.text("abc <>&_^$#%{}\\|~`σ₁²≤", min_size=1, max_size=30).map(str.strip).filter(bool)
PLACES = ("title", "text", "sentence", "note")


def shown_as_text(page_):
    """A page's text: without elements, white space as in running text."""
    return " ".join(unescape(re.sub(r"<[^>]*>", "", page_)).split())


@settings(max_examples=200, deadline=None)
@given(LINES)
def test_a_line_set_in_html_has_the_same_letters(line):
    """Round trip: without its elements a line has what was typed (a transpose, ᵀ, may become ⊤)."""
    shown = unescape(re.sub(r"<[^>]*>", "", html(line)))
    one, other = (
        sorted(letter for letter in normalize("NFKC", text) if letter.isalnum())
        for text in (line, shown)
    )
    assert one == other


@settings(max_examples=quick_or_full(8, 30), deadline=None)
@given(st.lists(WORDS, min_size=len(PLACES), max_size=len(PLACES)), st.integers(0, 20))
def test_every_rendering_contains_exactly_the_record(words, which):
    record, certificates = made()
    row = record["statements"][which % len(record["statements"])]
    row |= dict(zip(PLACES, words, strict=True))
    found = view(record, certificates)
    sentence = row["sentence"]
    assert latex(sentence) in latex_macros(found).decode()
    assert markdown(sentence) in markdown_report(found).decode()
    opened = render_all(record, certificates)["index.html"].decode()
    assert html(sentence).replace("\u00a0", " ") in opened.replace("\u00a0", " ")
    for field in ("title", "text"):
        if not row["ours"] or field == "title":
            assert shown_as_text(html(row[field])) in shown_as_text(opened)


@given(
    st.sampled_from(sorted(VERDICTS)),
    st.booleans(),
    st.lists(WORDS, max_size=1),
    st.sampled_from(FORMS),
)
def test_plain_yes_is_only_for_proofs_without_conditions(standing, ours, given_, form):
    row = {"standing": standing, "ours": ours, "under": [], "conditions": given_, "form": form}
    said = permission(row, "C")
    proved = standing == "proved" and form != "measurement"
    assert (said == "Yes") == (proved and not ours and not given_)
    assert said.startswith("Yes") == proved
    assert ("C’s" in said) == (proved and ours)


@given(WORDS, st.sampled_from("12"), WORDS)
def test_labels_become_citations_and_all_else_is_escaped(before, number, after):
    cite = by_key({"1": "p", "2": "c"})
    key = {"1": "p", "2": "c"}[number]
    assert latex_text(f"{before} [{number}] {after}", cite) == (
        f"{latex(before)}~\\cite{{{key}}} {latex(after)}"
    )
    assert rf"\cite[Thm.~2]{{{key}}}" in latex_text(f"{before} [{number}, Thm. 2].", cite)


@given(
    st.sampled_from(sorted(GRADES)),
    st.dictionaries(st.sampled_from("ab"), st.sampled_from(sorted(GRADES))),
)
def test_a_finding_s_other_grades_come_with_their_reason(grade, others):
    text = grading({"grade": grade, "grades": others})
    assert bool(text) == bool(others)
    for name, other in others.items():
        assert re.search(rf"{other} for [^;]*\b{name}\b[^;]*, since {ELSEWHERE[other]}", text)


def test_every_statement_is_a_test_of_the_suite_and_every_answer_a_row():
    found = view(*made())
    names = re.findall(r'<testcase[^>]* name="([^"]+)"', junit(found).decode())
    assert set(names) == {row["id"] for row in found.record["statements"]}
    assert [row.name for row in answers(found)] == [one["name"] for one in found.record["answers"]]
