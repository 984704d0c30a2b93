"""Fixed-point intervals confirm the measured errors of Theorem 3's model on small trees."""

import flint
from hypothesis import given, settings
from hypothesis import strategies as st

from constructions.automata.trees import tokens
from constructions.automata.wta import WTA
from verify.bounds.measured_tree import TreeModel, TreeSubject
from verify.recheck.kinds.tree_measured import Subject
from verify.recheck.kinds.tree_measured import wta as read_wta

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
