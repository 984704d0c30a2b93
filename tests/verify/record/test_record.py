"""The record: one form for one run, wherever its facts come from."""

import json

import pytest
import reports_support

import reports
from verify.judge.outcome import Outcome
from verify.judge.verdict import judge
from verify.record.record import RunInfo, assemble, canonical


def found(values):
    return reports_support.made(**{"f.fails": Outcome(False, values, {"error": "2"})})


def test_facts_with_their_values_in_another_order_give_the_same_bytes():
    """What was kept comes back with sorted names; the page must not show that."""
    values = {"error": "2", "curves": reports_support.CURVES}
    one, two = found(values), found(dict(reversed(values.items())))
    assert reports.render_all(*one) == reports.render_all(*two)


def test_a_record_that_was_written_and_read_renders_to_the_same_bytes():
    record, certificates = reports_support.made()
    read = [json.loads(canonical(data)) for data in (record, certificates)]
    assert reports.render_all(*read) == reports.render_all(record, certificates)


@pytest.mark.parametrize("used", [False, True])
def test_the_record_says_whether_a_cluster_was_used(used):
    small = reports_support.paper()
    facts = {b.key: Outcome(True) for s in small.statements.values() for b in s.binding}
    facts |= {
        key: Outcome(False, {"error": "2"}, {"error": "2"}) for key in facts if "fails" in key
    }
    assert assemble(small, facts, judge(small, facts), RunInfo(cluster=used))[0]["cluster"] is used


def test_floats_have_no_place_in_a_record():
    with pytest.raises(TypeError, match=r"record\.a\[1\]"):
        canonical({"a": [1, 0.5]})
