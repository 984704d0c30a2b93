"""The certificates that a record must hold, and the weight of each, on three small statements."""

import pytest

from verify.recheck import evidence
from verify.recheck.data import Data, key
from verify.recheck.errors import Refused
from verify.recheck.evidence import NOT_RUN, Evidence, gather
from verify.recheck.header import FULL

AT = {"k": 1}


def binding(fact, **more):
    return {"fact": fact, "parameters": AT, "method": "exact", "because": "b", **more}


def name_of(fact):
    return key(fact, AT)


def certificate(fact, **more):
    given = {"key": name_of(fact), "fact": fact, "parameters": AT, "method": "exact", "holds": True}
    return {**given, "values": {}, "witness": None, **more}


def data(observations=(), figures=(), needs=None, **statements):
    """Statements by id, each a list of bindings or a whole table."""
    tables = {
        name: {"id": name, "binding": each} if isinstance(each, list) else {"id": name, **each}
        for name, each in statements.items()
    }
    others = [{each["id"]: each for each in kind} for kind in (observations, figures)]
    return Data(tables, {}, *others, [], {"needs": needs or {}})


THREE = data(a=[binding("f.a")], b=[binding("f.b")], c=[binding("f.c")], needs={"coq": ["f.b"]})


def record(missing=(), base="", inherited=""):
    rows = [{"id": name, "inherited": name in inherited} for name in "abc"]
    return {"missing": dict.fromkeys(missing, "why"), "base": base, "statements": rows}


def held(*facts, **more):
    return {"certificates": [certificate(fact, **more) for fact in facts]}


def gathered(facts, about=THREE, **said):
    return gather(record(**said), held(*facts), about)


# A whole run


def test_a_whole_run_holds_every_certificate_that_it_could_have():
    found = gathered(["f.a", "f.b", "f.c"])
    assert set(found.held) == {name_of(fact) for fact in ("f.a", "f.b", "f.c")}
    assert found.lack == {} and found.inherited == frozenset()
    assert gathered(["f.a", "f.c"], missing=["coq"]).lack == {name_of("f.b"): "coq"}


@pytest.mark.parametrize(
    ("facts", "missing", "because"),
    [
        (["f.a", "f.b"], [], "the certificate of f.c {'k': 1} is missing"),
        (["f.a", "f.b", "f.c"], ["coq"], "the certificate of f.b {'k': 1} is there without coq"),
    ],
)
def test_a_certificate_that_is_missing_or_there_for_no_reason_is_named(facts, missing, because):
    with pytest.raises(Refused) as reason:
        gathered(facts, missing=missing)
    assert str(reason.value) == because


def test_the_first_of_several_strangers_is_named():
    known = sorted(name_of(fact) for fact in ("f.d", "f.e"))
    with pytest.raises(Refused) as reason:
        gathered(["f.a", "f.b", "f.c", "f.d", "f.e"])
    assert str(reason.value) == f"certificate {known[0]!r}: no binding uses it"


def test_the_first_of_several_rows_that_are_inherited_from_nowhere_is_named():
    with pytest.raises(Refused, match=r"^b: inherited, but the record names no base$"):
        gathered(["f.a", "f.b", "f.c"], inherited="bc")


@pytest.mark.parametrize(
    ("certificates", "because"),
    [
        ([certificate("f.a"), certificate("f.a")], "occurs twice"),
        ([certificate("f.b"), certificate("f.a")], "order of the certificates"),
        ([certificate("f.a", key="f.a")], "key of a certificate"),
        ([{**certificate("f.a"), "more": 1}], "field 'more' is not known"),
    ],
)
def test_certificates_stand_once_and_in_the_order_of_their_keys(certificates, because):
    with pytest.raises(Refused, match=because):
        gather(record(), {"certificates": certificates}, THREE)


# One certificate


@pytest.mark.parametrize(
    ("stated", "asked", "because"),
    [
        ({"holds": None}, {}, r"undecided, but the method 'exact' always decides"),
        ({"holds": 1}, {}, "expected true or false"),
        ({"method": "sampled"}, {}, "method: stated 'sampled', found 'exact'"),
        ({"holds": False}, {}, "outcome: stated False, found True"),
        ({}, {"outcome": "fails"}, "outcome: stated True, found False"),
        ({"holds": False}, {"outcome": "fails"}, "a failure without a witness"),
    ],
)
def test_a_certificate_comes_out_as_its_binding_expects(stated, asked, because):
    one = data(a=[binding("f.a", **asked)])
    with pytest.raises(Refused, match=because):
        gather(record(), held("f.a", **stated), one)


@pytest.mark.parametrize("method", ["enclosure", "sampled", "observed"])
def test_some_methods_may_leave_a_fact_undecided(method):
    one = data(a=[binding("f.a", method=method)])
    found = gather(record(), held("f.a", method=method, holds=None), one)
    assert found.worth(name_of("f.a")) == "open"


def test_a_certificate_is_absent_open_or_decided():
    found = Evidence({"x": {"holds": None}, "y": {"holds": False}}, {"z": "coq"})
    assert [found.worth(name) for name in "xyz"] == ["open", "decided", "absent"]
    refuted = data(a=[binding("f.a", outcome="fails")])
    gather(record(), held("f.a", holds=False, witness={"n": 1}), refuted)


def test_an_observation_says_what_it_saw_whatever_came_out():
    seen = {"id": "o", "fact": "f.a", "parameters": AT, "method": "exact"}
    nothing = {"id": "p", "title": "without a fact"}
    one = data(observations=[seen, nothing])
    for holds in (True, False):
        assert gather(record(), held("f.a", holds=holds), one).lack == {}


# What a run may lack


def test_the_full_profile_is_lacking_only_where_everybody_leaves_a_fact_to_it():
    long, short = binding("f.a", profile="full"), binding("f.a")
    for entries, missing, wanted in (
        ([long, long], {FULL: ""}, FULL),
        ([long, short], {FULL: ""}, ""),
        ([long], {}, ""),
        ([long], {"coq": "", FULL: ""}, "coq"),
    ):
        assert evidence.lacking_need(entries, "coq", missing) == wanted
    assert evidence.has_long_facts(data(a=[short], b=[long]))
    assert not evidence.has_long_facts(data(a=[short]))


# An update of an earlier record


def test_an_update_marks_what_it_could_not_have_run():
    found = gathered(["f.a", "f.b"], missing=["coq"], base="earlier", inherited="a")
    assert found.lack == {name_of("f.c"): NOT_RUN} and found.inherited == {"a", "b"}
    found = gathered(["f.a"], missing=["coq"], base="earlier")
    assert found.lack == {name_of("f.b"): "coq", name_of("f.c"): NOT_RUN}
    assert found.inherited == set()
    with pytest.raises(Refused, match=r"^c: inherited, but it has no certificate$"):
        gathered(["f.a", "f.b"], base="earlier", inherited="ac")


# A part of the published record


@pytest.fixture
def published(monkeypatch):
    known = {name_of(fact): certificate(fact) for fact in ("f.a", "f.b", "f.c")}
    monkeypatch.setattr(evidence, "published", lambda: known)
    return known


def test_a_part_takes_over_what_it_could_not_run(published):
    found = gathered(["f.a", "f.b", "f.c"], missing=["coq"], base="published", inherited="c")
    assert found.lack == {} and found.inherited == {"b", "c"}
    assert gathered(["f.a", "f.b", "f.c"], base="published").inherited == set()
    found = gathered(["f.a", "f.c"], missing=["coq"], base="published")
    assert found.lack == {name_of("f.b"): "coq"} and found.inherited == set()


def test_what_was_run_anew_is_not_inherited(published):
    published[name_of("f.a")] = certificate("f.a", values={"n": 1})
    found = gathered(["f.a", "f.b", "f.c"], base="published", inherited="ab")
    assert found.inherited == {"b"}


def test_what_was_neither_run_nor_taken_over_is_refused(published):
    with pytest.raises(Refused, match=rf"^{name_of('f.c')}: neither run nor taken over$"):
        gathered(["f.a", "f.b"], base="published")
    published[name_of("f.b")] = certificate("f.b", values={"n": 1})
    with pytest.raises(
        Refused, match=rf"^{name_of('f.b')}: neither run without coq nor taken over$"
    ):
        gathered(["f.a", "f.b", "f.c"], missing=["coq"], base="published")
    del published[name_of("f.c")]
    assert gathered(["f.a", "f.b"], base="published").lack == {name_of("f.c"): NOT_RUN}


def resting(**others):
    """a rests on b; both need Coq."""
    below = {"a": {"binding": [binding("f.a")], "rests_on": ["b"]}, "b": [binding("f.b")]}
    return data(**{**below, "c": [binding("f.c")], **others}, needs={"coq": ["f.a", "f.b"]})


def test_a_statement_that_was_run_without_coq_was_run_with_all_that_it_rests_on(published):
    said = {"missing": ["coq"], "base": "published"}
    gathered(["f.c"], resting(), **said)
    gathered(["f.a", "f.b", "f.c"], resting(), **said)
    with pytest.raises(
        Refused, match=f"{name_of('f.b')}: there without coq, though others are left out"
    ):
        gathered(["f.b", "f.c"], resting(), **said)


def test_what_others_ask_for_may_stay(published):
    said = {"missing": ["coq"], "base": "published"}
    gathered(["f.b", "f.c"], resting(c=[binding("f.c"), binding("f.b")]), **said)
    figure = {"id": "g", "fact": "f.b", "parameters": AT, "method": "exact"}
    for statements, stays in ((["c"], True), (["a"], False), (["b", "c"], False)):
        asked = resting(figures=[{**figure, "statements": statements}])
        if stays:
            gathered(["f.b", "f.c"], asked, **said)
        else:
            with pytest.raises(Refused, match="though others are left out"):
                gathered(["f.b", "f.c"], asked, **said)
    gathered(["f.b", "f.c"], resting(observations=[{**figure, "id": "o"}]), **said)
