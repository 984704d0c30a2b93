"""A confirmation gets values as declared; anything else is refused."""

from fractions import Fraction

import pytest
from record_support import LIVE

from verify.recheck import declarations as asked
from verify.recheck.confirmations import confirmations, trust_reasons
from verify.recheck.errors import Recomputed, Refused

TRUSTED = {
    "program": {"budget.error", "decoder.trees", "logdepth.states"},
    "Coq, run by --coq": {"coq.theorem"},
    "Coq's weights, not run by --coq": {"coq.weights"},
    "coqchk, not run by --coq": {"coq.checked"},
    "code": {"code.line"},
    "cited works": {"cited.says"},
    "paper": {"table.printed", "text.nowhere"},
    "torch": {"float.lengths"},
    "pautomac": {f"pautomac.{name}" for name in (
        "descriptors", "no-type", "probabilities", "sparsity")},
    "training": {f"training.{name}" for name in (
        "carried", "cell", "cost", "curves", "falls", "rounding", "spread")},
    "Lean, taken from a build log": {"lean.theorem"},
    "a file of the paper's folder": {"source.line"},
    "a person's word": {"person.reads"},
}  # fmt: skip


def test_what_is_taken_on_trust_is_known_by_name():
    """A fact that is confirmed only in part cannot come to be counted as confirmed."""
    assert trust_reasons() == {name: need for need, names in TRUSTED.items() for name in names}
    assert {item["fact"] for item in LIVE.certificates["certificates"]} <= set(confirmations())


GOOD = [
    ((1, 3), 3),
    (("a", "b"), "b"),
    (str, ""),
    (bool, False),
    (object, [None]),
    ([(1, 3)], [3, 3]),
    ([[str, 1, 1], 0, 2], [["a"]]),
    (asked.Different((1, 3)), [3, 1]),
    (asked.Rising((1, 3)), [1, 3]),
    (asked.ByName((1, 3)), {"x": 1}),
    (asked.ByName((1, 3)), dict.fromkeys("abcdefghij", 1)),
    ([(1, 3)], [1] * 200),
    (asked.ByName(str, known=("x", "y")), {"y": "1"}),
    (asked.Fields({"x": (1, 3), "y": str}), {"y": "1", "x": 1}),
]
BAD = [
    ((1, 3), (0, 4, True, "1", None, [1], 1.0)),
    (("a", "b"), ("c", "", None, 1, ["a"])),
    (str, (None, 1, ["a"])),
    (bool, (0, 1, None, "true")),
    ([(1, 3)], ([], [4], [1] * 201, "1", None, {"a": 1})),
    ([[str, 1, 1], 0, 2], ([[]], [["a", "a"]], [["a"]] * 3, ["a"])),
    (asked.Different((1, 3)), ([], [1, 1], [4], 1)),
    (asked.Rising((1, 3)), ([], [1, 1], [3, 1], [4])),
    (asked.ByName((1, 3)), ({}, {"x": 4}, dict.fromkeys(range(11), 1), [1], None)),
    (asked.ByName(str, known=("x", "y")), ({"z": "1"}, {"x": "1", "z": "1"}, {})),
    (asked.Fields({"x": (1, 3)}), ({"x": 4}, [1], None, 1)),
    (asked.rational, ("1e99999999", "1E9", 1, None, "1" * 41)),
]


@pytest.mark.parametrize(("spec", "value"), GOOD)
def test_a_value_as_declared_is_given_on(spec, value):
    assert asked.read(spec, "size", value) == value


@pytest.mark.parametrize(("spec", "value"), [(spec, v) for spec, bad in BAD for v in bad])
def test_any_other_value_is_refused_by_its_name(spec, value):
    with pytest.raises(Refused, match="expected") as reason:
        asked.read(spec, "size", value)
    assert "size" in str(reason.value) or "x" in str(reason.value)


@pytest.mark.parametrize(
    ("value", "because"), [({}, "'x' is missing"), ({"x": 1, "more": 1}, "'more' is not known")]
)
def test_an_object_has_exactly_its_fields(value, because):
    with pytest.raises(Refused, match=because):
        asked.read(asked.Fields({"x": (1, 3)}), "size", value)


@pytest.mark.parametrize("text", ["1/20", "0.05", "0.05".ljust(40, "0")])
def test_rationals_are_written_as_fractions_or_decimals(text):
    assert asked.rational(text) == Fraction(1, 20)


@pytest.fixture
def declared(monkeypatch):
    monkeypatch.setattr(asked, "DECLARED", {})

    @asked.confirms("a.fact", "exact", "somebody", most=(1, 9), also=(1, 9))
    def confirm(most, certificate, also=5):
        return Recomputed(True, {"most": most, "also": also, "stated": certificate["values"]})

    return confirm


def test_a_confirmation_is_given_what_was_asked_and_the_certificate(declared):
    assert declared({"most": 2}, {"values": 7}).values == {"most": 2, "also": 5, "stated": 7}
    assert declared({"most": 2, "also": 3}, {"values": 7}).values["also"] == 3
    found = asked.DECLARED[__name__, "a.fact"]
    assert (found.method, found.trust) == ("exact", "somebody")


@pytest.mark.parametrize(
    ("parameters", "because"),
    [
        ({}, "field 'most' is missing"),
        ({"most": 1, "more": 1}, "field 'more' is not known"),
        ({"most": 0}, "most = 0, expected an integer from 1 to 9"),
        ({"most": 1, "also": 10}, "also = 10, expected"),
        ({"most": 1, "certificate": {}}, "field 'certificate' is not known"),
    ],
)
def test_parameters_that_are_not_declared_are_refused(declared, parameters, because):
    with pytest.raises(Refused, match=because):
        declared(parameters, {"values": 1})


def test_no_fact_is_declared_twice(declared):
    with pytest.raises(ValueError, match=r"a\.fact is declared twice"):
        asked.confirms("a.fact", "exact")(lambda: Recomputed(True))
