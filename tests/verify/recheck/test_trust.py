"""Facts that the re-checker takes on trust are named in the record and beside it on the page."""

import pytest
from markupsafe import escape
from record_support import LIVE

import reports
from reports.view import view
from verify.recheck.confirmations import FOLDER_CODE, OURS, trust_reason, trust_reasons
from verify.recheck.errors import Refused
from verify.recheck.program import check_trust


def test_every_fact_on_trust_is_named_with_its_reason(paper):
    facts = {item["fact"] for item in paper.certificates["certificates"]}
    reasons = trust_reasons(paper.about.code)
    assert paper.record["trust"] == {f: reasons[f] for f in sorted(facts & reasons.keys())}
    assert paper.record["trust"]


@pytest.mark.parametrize("name", ["coq.theorem", "invented"])
@pytest.mark.parametrize("reason", [None, "", "confirmed", FOLDER_CODE])
def test_a_record_that_names_less_more_or_other_reasons_is_refused(name, reason):
    record, certificates = LIVE.copies()
    record["trust"].pop(name, None)
    if reason is not None:
        record["trust"][name] = reason
    if name == "invented" and reason is None:
        assert record == LIVE.record
        return
    assert LIVE.refused(record, certificates).startswith("trust: ")


def test_a_fact_that_is_confirmed_may_not_be_called_trusted_on_our_paper():
    record, certificates = LIVE.copies()
    record["trust"]["decoder.needed"] = "program"
    assert "decoder.needed" in LIVE.refused(record, certificates)


def test_confirmations_of_a_folder_that_is_trusted_confirm_what_the_run_did_not_trust():
    code = "verify.template.confirmations"
    check_trust({"trust": {"squares.suffice": FOLDER_CODE}}, ["squares.suffice"], code)
    with pytest.raises(Refused):
        check_trust({"trust": {"squares.suffice": "a word"}}, ["squares.suffice"], code)
    assert trust_reason("squares.suffice", "") == trust_reason("invented", OURS) == FOLDER_CODE


@pytest.fixture(scope="module")
def pages():
    return reports.render_all(LIVE.record, LIVE.certificates)


def note(fact):
    return f"Not confirmed by the re-checker: taken on trust ({LIVE.record['trust'][fact]})."


def test_figures_on_trust_say_so_beneath_them_and_others_do_not(pages):
    page = pages["index.html"].decode()
    for figure in view(LIVE.record, LIVE.certificates).drawable:
        card = page.partition(f'id="figure-card-{figure["id"]}"')[2].partition("</figure>")[0]
        assert card
        trusted = figure["fact"] in LIVE.record["trust"]
        assert ("Not confirmed by the re-checker" in card) is trusted, figure["id"]
        assert not trusted or str(escape(note(figure["fact"]))) in card


@pytest.mark.parametrize("fact", ["budget.error"])
def test_values_on_trust_say_so_where_they_are_quoted(pages, fact):
    bindings = [b for row in LIVE.record["statements"] for r in row["interpretations"]
                for b in r["bindings"] if b["fact"] == fact]  # fmt: skip
    for binding in bindings:
        page = pages["index.html"].decode()
        quoted = page.partition(f"fact <code>{binding['certificate']}</code>")[2]
        assert note(fact) in quoted.partition("</div>")[0]
    assert bindings


def test_the_text_report_says_the_same(pages):
    text = pages["report.md"].decode().replace("\\", "")
    for fact in ("training.curves", "float.lengths", "budget.error", "code.line"):
        assert note(fact) in text
