"""Facts on texts and code, which are taken on trust, must agree with the committed data."""

import pytest
from facts_support import refused, refuses
from record_support import DATA, LIST, alone

from verify.recheck.confirmations import trust_reasons
from verify.recheck.errors import Refused


@pytest.mark.parametrize("field", ["place", "commit", "does", "value"])
def test_a_lie_about_the_authors_code_is_refused(field):
    item = next(c for c in LIST if c["fact"] == "code.line" and c["holds"] is False)
    alone(item)
    with pytest.raises(Refused, match=f"witness: {field}"):
        alone({**item, "witness": {**item["witness"], field: "the data are invented"}})
    with pytest.raises(Refused, match="values: places"):
        alone({**item, "values": {"places": ["nothing.py:1: invented"]}})


WHERE = {"words": ["tree"], "lines": [3, 9], "sha256": DATA.about["source"]["sha256"]}
SHOWN = {"first": 3, "last": 9, "words": ["tree"]}


def test_the_question_to_the_papers_source_is_repeated_as_it_is():
    assert not refused("text.nowhere", WHERE, values=SHOWN)
    for change in ({"first": 1}, {"last": 10}, {"words": []}, {"more": 1}):
        assert refused("text.nowhere", WHERE, values={**SHOWN, **change})
    assert refused("text.nowhere", {**WHERE, "sha256": "0" * 64}, values=SHOWN)
    assert refused("text.nowhere", WHERE, values=SHOWN, witness={"lines": [4]})


def test_a_word_that_occurs_is_shown_by_lines_of_the_range():
    found = {"holds": False, "values": SHOWN}
    assert not refused("text.nowhere", WHERE, **found, witness={"lines": [3, 9]})
    for lines in ([], [2], [10], ["3"], None, [9, 3], [3, 3]):
        assert refused("text.nowhere", WHERE, **found, witness={"lines": lines})
    assert refused("text.nowhere", WHERE, holds=None, values=SHOWN)


def test_copies_of_tables_differ_somewhere_or_nowhere():
    asked = {"numbers": [1, 2]}
    assert not refused("table.printed", asked, values={"differing": []})
    differing = {"differing": ["Table 1, layers"]}
    assert not refused("table.printed", asked, holds=False, values=differing, witness=differing)
    assert refused("table.printed", asked, values=differing)
    assert refused("table.printed", asked, holds=False, values={"differing": []})
    assert refused("table.printed", asked, holds=None, values={"differing": []})
    refuses("table.printed", {"numbers": [5]}, "an integer from 1 to 4")


def test_all_of_them_are_counted_as_trusted():
    assert {"code.line", "cited.says", "text.nowhere", "table.printed"} <= set(trust_reasons())
