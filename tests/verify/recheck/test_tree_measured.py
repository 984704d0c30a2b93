"""Fixed-point intervals confirm the measured errors of Theorem 3's model on small trees."""

import flint
import pytest
from confirm_support import Case, Questions
from facts_support import certificate, refused, refuses
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions.automata.trees import tokens
from constructions.automata.wta import WTA
from verify.bounds.measured_tree import TreeModel, TreeSubject
from verify.facts import tree_measured as facts
from verify.recheck.kinds.tree_measured import Subject
from verify.recheck.kinds.tree_measured import wta as read_wta

SMALL = {
    "automata": {
        "one": {"tensor": [[["-3/2"]]], "leaves": {"a": ["3/2"]}},
        "mixed": {
            "tensor": [[["3/4", "-1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["-1/2", "4/5"]]],
            "leaves": {"a": ["1", "-1/2"]},
        },
    },
    "leaves": 3,
    "decades": [4, 8, 12],
    "mlps": ["1/10000"],
}


def one(**parameters):
    """The fact for one set of parameters."""
    return facts.tree_measured([parameters])[0]


CASES = [
    Case("tree.measured", one, {**SMALL, "against": "recursion"}, optional=("mlps",)),
    Case("tree.measured", one, {**SMALL, "against": "rate"}, optional=("mlps",),
         harmless=(("mlps", []),)),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


def test_every_changed_number_is_refused():
    found = certificate(CASES[0].found)
    panel = found["values"]["panels"]["mixed"]
    [floor] = panel["mlps"]
    for part in (panel, floor):
        for key in {"C", "error", "bound", "mlp"} & set(part):
            for k, old in enumerate(part[key]):
                part[key][k] = f"{float(old) * 1.0001:.6g}" if key != "C" else str(int(old) + 1)
                assert refused("tree.measured", CASES[0].parameters, **found)
                part[key][k] = old
    for key, value in (("step", "1/2"), ("proven", "0.0001"), ("eps", "1/1000")):
        old, floor[key] = floor[key], value
        assert refused("tree.measured", CASES[0].parameters, **found)
        floor[key] = old
    assert not refused("tree.measured", CASES[0].parameters, **found)


@pytest.mark.parametrize(
    ("change", "because"),
    [
        ({"automata": {"one": {"tensor": [[["1"]]]}}}, "leaves"),
        ({"automata": {"one": {"tensor": [[["1"], ["1"]]], "leaves": {"a": ["1"]}}}}, "1 entries"),
        ({"automata": {"one": {"tensor": [[["1"]]], "leaves": {"[": ["1"]}}}}, "letters"),
        ({"leaves": 5}, "leaves"),
        ({"decades": [8, 4, 12]}, "increasing"),
        ({"against": "both"}, "against"),
        ({"mlps": ["1/3"]}, "mlps"),
    ],
)
def test_what_cannot_be_run_is_refused(change, because):
    refuses("tree.measured", {**SMALL, "against": "rate", **change}, because)


weights = st.fractions(-2, 2, max_denominator=6).map(str)


@st.composite
def automata(draw):
    n = draw(st.integers(1, 2))
    row = st.lists(weights, min_size=n, max_size=n)
    tensor = draw(st.lists(st.lists(row, min_size=n, max_size=n), min_size=n, max_size=n))
    return {"tensor": tensor, "leaves": {a: draw(row) for a in draw(st.sampled_from(["a", "ab"]))}}


@given(automata(), st.integers(2, 3), st.integers(1, 60))
@settings(max_examples=15, deadline=None)
def test_balls_and_intervals_enclose_the_same_errors(given_wta, leaves, saturation):
    automaton = WTA.of([1] * len(given_wta["tensor"]), **given_wta)
    model = TreeModel(TreeSubject(automaton, leaves), saturation)
    subject = Subject("one", read_wta(given_wta), leaves)
    assert [tokens(each) for each in model.subject.trees] == [tokens(t) for t in subject.trees]
    runs = model.enclosed()
    layers, sides = subject.run(saturation), subject.recursion(saturation, (0, 0))
    with flint.ctx.workprec(model.bits):
        for number, ((low, high), _) in enumerate(layers):
            top = flint.arb(0)
            for run in runs:
                top = top.max(run[number][0])
            assert meets(top, low, high)
        for bound, (low, high) in zip(model.recursion, sides, strict=True):
            assert meets(bound, low, high)


def meets(ball, low, high):
    ends = (flint.arb(flint.fmpq(x.numerator, x.denominator)) for x in (low, high))
    return ball.overlaps(next(ends).union(next(ends)))
