"""The record: one form for one run, wherever its facts come from."""

import json

import pytest
import reports_support

import reports
from verify.judge.outcome import Outcome
from verify.record.record import canonical


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


def test_floats_have_no_place_in_a_record():
    with pytest.raises(TypeError, match=r"record\.a\[1\]"):
        canonical({"a": [1, 0.5]})
