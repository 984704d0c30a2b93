"""Every certificate of both papers is confirmed as it is, and refused when it is changed."""

import copy

import pytest
from grid_support import quick_or_full
from record_support import BOTH, certificate
from tests_support import changes

from verify.recheck.errors import Refused

pytestmark = pytest.mark.usefixtures("confirmed_once")


KINDS = [(paper, fact) for paper in BOTH for fact in paper.kinds]
IDS = [f"{paper}-{fact}" for paper, fact in KINDS]
every_kind = pytest.mark.parametrize(("paper", "fact"), KINDS, ids=IDS)


def test_a_true_record_is_confirmed_and_says_what_was_taken_on_trust(paper):
    report = paper.accepted(paper.record, paper.certificates)
    assert report.confirmed > 10 and report.statements == len(paper.data.statements)
    assert len(report.lines) == len(paper.certificates["certificates"])
    assert "Coq proofs: not re-run (use --coq): " in report.summary()
    assert "proved" not in report.summary()


@every_kind
def test_a_flipped_outcome_is_refused(paper, fact):
    record, certificates = paper.copies()
    item = certificate(certificates, fact)
    item["holds"] = not item["holds"]
    paper.refused(record, certificates)


@every_kind
def test_a_flipped_outcome_is_refused_by_the_kind_itself_and_not_only_by_the_binding(paper, fact):
    item = copy.deepcopy(certificate(paper.certificates, fact))
    item["holds"] = not item["holds"]
    item["witness"] = None if item["holds"] else {"x": 1}
    with pytest.raises(Refused):
        paper.alone(item)


@every_kind
def test_every_changed_value_and_witness_is_refused(paper, fact):
    original = certificate(paper.certificates, fact)
    for field in ("values", "witness"):
        variants = list(changes(original[field]))
        for other in variants[:: max(1, len(variants) // quick_or_full(5, 8))]:
            if other == original[field]:
                continue
            with pytest.raises(Refused):
                paper.alone({**copy.deepcopy(original), field: other})


NUMBERS = (0, -1, -5, 10**9)


@every_kind
def test_numbers_out_of_range_and_empty_lists_are_refused_and_nothing_hangs(paper, fact):
    original = certificate(paper.certificates, fact)
    for name, value in original["parameters"].items():
        if type(value) is int:
            others = [n for n in NUMBERS if n != value]
        elif isinstance(value, list):
            others = [[]]
        else:
            continue
        for other in others:
            item = copy.deepcopy(original)
            item["parameters"][name] = other
            try:
                paper.alone(item)
            except Refused:
                continue
            assert _says_something(original, name, other), (fact, name, other)


def _says_something(original, name, other):
    """A changed parameter may be meaningful (a sum of 0, a weight of -1): then it is no size."""
    if name == "terms":  # the sum over l = 0 … terms has one term where terms is 0
        return other == 0
    return other in (0, -1, -5) and original["parameters"][name] in (0, 1, -1, 2, 3)


@pytest.mark.parametrize(
    ("used", "said"), [(False, "no cluster was used"), (True, "a cluster was used")]
)
def test_what_a_record_says_of_a_cluster_is_named_as_trusted(paper, used, said):
    record, certificates = paper.copies()
    record["cluster"] = used
    summary = paper.accepted(record, certificates).summary()
    assert f"that {said} is taken on trust" in summary
