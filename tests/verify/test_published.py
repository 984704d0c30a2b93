"""What is published is of this version: its verdicts are the recorded ones, its page their page."""

import json

import pytest

import reports
from verify.claims.registry import CLAIMS
from verify.expectation import expected, load


@pytest.fixture(scope="module")
def folder(repository):
    return repository / "reports" / "published"


@pytest.fixture(scope="module")
def record(folder):
    return json.loads((folder / "record.json").read_text("utf-8"))


def test_every_claim_of_the_registry_is_published_word_for_word(record):
    assert [row["id"] for row in record["claims"]] == [claim.id for claim in CLAIMS]
    assert [row["statement"] for row in record["claims"]] == [claim.statement for claim in CLAIMS]


def test_the_published_verdicts_are_the_recorded_ones(record):
    assert record["profile"] == "full"
    found = {row["id"]: row["verdict"] for row in record["claims"]}
    assert found == expected(load(), "full", record["missing"])


def test_nothing_is_broken_and_what_is_not_decided_has_a_reason(record):
    for row in record["claims"]:
        assert row["verdict"] != "broken"
        if row["verdict"] in ("undecided", "not-checked"):
            assert row["reason"], row["id"]


def test_the_published_files_are_the_renderings_of_the_published_record(folder, record):
    for name, content in reports.render_all(record).items():
        assert (folder / name).read_bytes() == content, name
