"""The re-checker lists the products of letters anew and confirms each constant as the least one."""

import copy
from fractions import Fraction
from types import SimpleNamespace

import pytest
from confirm_support import Case, Questions
from facts_support import certificate, confirmed, refused, refuses

from verify.facts import saturation as facts
from verify.recheck.errors import Refused
from verify.recheck.kinds import saturation as kinds

AUTOMATA = {
    "weight 2": {"alpha": ["1"], "transitions": {"a": [["2"]]}},
    "counting": {
        "alpha": ["0", "1"],
        "transitions": {"0": [["1", "0"], ["1", "1"]], "1": [["1", "0"], ["0", "1"]]},
    },
}
PARAMETERS = {"automata": AUTOMATA, "lengths": [2, 4], "eps": "1/1000"}
CASES = [
    Case("saturation.closed-form", facts.closed_form, PARAMETERS),
    Case("saturation.required", facts.least_saturation, PARAMETERS),
]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


@pytest.mark.parametrize("step", [-1, 1])
def test_a_constant_one_off_is_refused(step):
    stated = certificate(facts.closed_form(**PARAMETERS))
    wrong = copy.deepcopy(stated)
    wrong["values"]["constants"]["counting"][1] += step
    assert refused("saturation.closed-form", PARAMETERS, **wrong)
    stated = certificate(facts.least_saturation(**PARAMETERS))
    wrong = copy.deepcopy(stated)
    wrong["values"]["curves"][0]["y"][1] = str(int(wrong["values"]["curves"][0]["y"][1]) + step)
    assert refused("saturation.required", PARAMETERS, **wrong)


def test_a_constant_that_is_far_too_large_is_refused_before_anything_is_computed(monkeypatch):
    asked = {**PARAMETERS, "automata": {"counting": AUTOMATA["counting"]}, "lengths": [4]}
    monkeypatch.setattr(kinds.interval, "exp", lambda *_: pytest.fail("computed"))
    with pytest.raises(Refused, match="expected a number from 0 to"):
        kinds.closed_form(asked, {"values": {"constants": {"counting": [10**9]}}})


def test_the_least_constant_is_decided_by_both_ends_of_the_interval(monkeypatch):
    """What may be enough for the constant before is not shown to fail."""
    found = facts.least_saturation(**PARAMETERS)
    right = kinds.Known.states
    assert confirmed("saturation.required", found, PARAMETERS)
    monkeypatch.setattr(kinds.Known, "states", lambda *asked: (Fraction(0), right(*asked)[1]))
    with pytest.raises(Refused, match="may not be the least"):
        confirmed("saturation.required", found, PARAMETERS)


def test_a_closed_form_that_the_intervals_do_not_decide_is_refused(monkeypatch):
    stated = certificate(facts.closed_form(**PARAMETERS))
    monkeypatch.setattr(kinds.interval, "exp", lambda *_: (Fraction(0), Fraction(10**99)))
    monkeypatch.setattr(kinds.Known, "states", lambda *_: (Fraction(0), Fraction(0)))
    with pytest.raises(Refused, match="not decided"):
        kinds.closed_form(PARAMETERS, stated)


def test_a_word_is_text():
    stated = certificate(facts.least_saturation(**PARAMETERS))
    words = stated["values"]["failing"]["counting"]
    stated["values"]["failing"]["counting"] = [list(word) for word in words]
    assert refused("saturation.required", PARAMETERS, **stated)


def test_a_word_that_does_not_fail_and_a_missing_automaton_are_refused():
    stated = certificate(facts.least_saturation(**PARAMETERS))
    wrong = copy.deepcopy(stated)
    wrong["values"]["failing"]["counting"][1] = "1111"
    assert refused("saturation.required", PARAMETERS, **wrong)
    wrong = copy.deepcopy(stated)
    del wrong["values"]["curves"][0]
    assert refused("saturation.required", PARAMETERS, **wrong)


@pytest.mark.parametrize(
    ("change", "because"),
    [
        ({"automata": {}}, "automata"),
        ({"automata": {"a": []}}, "expected α and transitions"),
        (
            {"automata": {"a": {"alpha": [], "transitions": {"a": [["2"]]}}}},
            "alpha: expected a list of 1 to 2",
        ),
        (
            {"automata": {"a": {"alpha": ["1"] * 3, "transitions": {"a": [["2"]]}}}},
            "alpha: expected a list of 1 to 2",
        ),
        (
            {"automata": {"a": {"alpha": ["1"] * 2, "transitions": {"a": [["2"]]}}}},
            "states: stated 2, found 1",
        ),
        ({"automata": {"a": ["alpha", "transitions"]}}, "expected α and transitions"),
        ({"lengths": []}, "lengths"),
        ({"lengths": [2, 2]}, "increasing"),
        ({"lengths": [16]}, "length"),
        ({"eps": "0"}, "eps"),
        ({"eps": "2"}, "eps"),
    ],
)
def test_parameters_out_of_range_are_refused(change, because):
    refuses("saturation.required", {**PARAMETERS, **change}, because)


THIRD, HALF, TWO, THREE = Fraction(1, 3), Fraction(1, 2), Fraction(2), Fraction(3)


def one_known(**changes):
    """A length with two layers, all of whose enclosures are wide."""
    fields = {
        "alpha": (Fraction(1),), "letters": {"a": (Fraction(2),)}, "length": 3, "size": 4,
        "norms": [(Fraction(2), Fraction(3)), (Fraction(5), Fraction(7))],
        "diameters": [(HALF, Fraction(1)), (THIRD, TWO)], "readout": (TWO, THREE),
    }  # fmt: skip
    return kinds.Known(**{**fields, **changes})


def test_the_recursion_for_all_words_is_run_with_both_ends(monkeypatch):
    """δ = e + λ D and e' = 2 N δ + δ²: λ = 1/3 from below, 1/2 from above."""
    asked = []
    monkeypatch.setattr(
        kinds, "Model", lambda *given: asked.append(given) or SimpleNamespace(leak=(THIRD, HALF))
    )
    ends = []
    for leak, k in ((THIRD, 0), (HALF, 1)):
        known, error = one_known(), Fraction(0)
        for norm, diameter in zip(known.norms, known.diameters, strict=True):
            delta = error + leak * diameter[k]
            error = 2 * norm[k] * delta + delta**2
        ends.append(known.readout[k] * error)
    assert one_known().states(Fraction(9)) == tuple(ends)
    assert asked == [(1, 3, Fraction(9))]


@pytest.mark.parametrize(
    ("power", "answer"),
    [
        ((420, 421), True),
        ((419, 420), None),
        ((111, 112), None),
        ((110, 111), None),
        ((109, 110), False),
    ],
)
def test_a_closed_form_serves_if_its_exponential_is_certainly_large_enough(
    power, answer, monkeypatch
):
    """1 - cos(π/4) in [1/4, 1/2], C = 8, and the exponential between 111 and 420, or beside it."""
    monkeypatch.setattr(kinds.interval, "cos_pi", lambda a, bits: {
        (Fraction(1, 4), 160): (HALF, Fraction(3, 4))}[a, bits])  # fmt: skip
    ends = {(Fraction(2), 160): (Fraction(power[0]), Fraction(-9)),
            (Fraction(4), 160): (Fraction(10**9), Fraction(power[1]))}  # fmt: skip
    monkeypatch.setattr(kinds.interval, "exp", lambda *asked: ends[asked])
    monkeypatch.setattr(kinds.Known, "_inside", lambda _, end, eps: (111, 420)[end] * 16 * eps)
    if answer is None:
        with pytest.raises(Refused, match="not decided"):
            one_known().closed_form_serves(8, Fraction(1, 16))
    else:
        assert one_known().closed_form_serves(8, Fraction(1, 16)) is answer


@pytest.mark.parametrize(("eps", "share"), [(Fraction(1, 100), 200), (Fraction(4), 1)])
def test_the_closed_form_has_the_gain_of_all_layers_and_the_readout(eps, share):
    """G = 3 · 5 (3 · 2 · 1/2 + 1/3) = 50 from below, times 2M - 1 = 7 and max(1, F/ε)."""
    assert one_known()._inside(0, eps) == 7 * 50 * share
    assert one_known()._inside(1, TWO) == 7 * 21 * (9 + 2) * Fraction(3, 2)


@pytest.mark.parametrize(("size", "layers"), [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (8, 3)])
def test_an_automaton_at_a_length_has_the_norms_of_its_windows(size, layers, monkeypatch):
    """Words of at most 1, 2, 4, … letters, up to half of M."""
    asked = []

    def growth(letters, longest):
        asked.append((letters, longest))
        norms = [(Fraction(10 * k), Fraction(10 * k + 2)) for k in range(longest + 1)]
        return norms, [(Fraction(9 * k + 3), Fraction(11 * k)) for k in range(longest + 1)]

    monkeypatch.setattr(kinds, "growth", growth)
    letter = (Fraction(1),) * 4
    found = kinds.known(((Fraction(3), Fraction(-4)), {"a": letter}), size)
    places = [1, 2, 4][:layers]
    assert asked == [([letter], (places or [1])[-1])]
    assert (found.length, found.size) == (size, 2**layers)
    assert found.norms == [(10 * k, 10 * k + 2) for k in places]
    assert found.diameters == [
        (2 * min(10 * k, 9 * k + 3), 2 * min(10 * k + 2, 11 * k)) for k in places
    ]
    assert found.readout == kinds.interval.sqrt(Fraction(25 * (size + 1)), 160)


def test_norms_and_distances_of_words_grow_with_their_lengths():
    """One state with weights 2 and -1/2: |w| is largest for 2^k, |w - 1| for 2^k or -1/2 · 2^(k-1)."""
    norms, distances = kinds.growth([(Fraction(2),), (Fraction(-1, 2),)], 3)
    assert norms == [(1, 1), (2, 2), (4, 4), (8, 8)]
    assert distances == [(0, 0), (Fraction(3, 2),) * 2, (3, 3), (7, 7)]
    norms, distances = kinds.growth([(THIRD,)], 2)
    assert norms == [(1, 1)] * 3
    for (low, high), exact in zip(distances[1:], (Fraction(2, 3), Fraction(8, 9)), strict=True):
        assert low < exact < high < low + Fraction(2, 2**160)
        assert low == kinds.interval.down(exact, 160)


def test_at_most_1024_products_of_letters_are_listed():
    letters = [(Fraction(prime),) for prime in (2, 3, 5, 7)]
    assert len(kinds.growth(letters, 3)[0]) == 4
    many = [(Fraction(k),) for k in range(1, 1026)]
    assert len(kinds.growth(many[:1024], 1)[0]) == 2
    with pytest.raises(Refused, match="more than 1024 products of letters"):
        kinds.growth(many, 1)


def stating(at, before, failing, **changes):
    """What is found of C = 6 and of C = 5, and by how much the word fails at C/2 = 3."""

    class Found(SimpleNamespace):
        def states(self, saturation):
            return {6: (Fraction(0), at), 5: (before, Fraction(9))}[saturation]

    def model(n, length, saturation):
        assert (n, length, saturation) == (1, 2, 3)
        wanted = ((Fraction(1),), [(TWO,), (THREE,)])
        error = lambda *given: (failing, Fraction(9)) if given == wanted else None  # noqa: E731
        return SimpleNamespace(state_error=error)

    letters = {"a": (TWO,), "b": (THREE,)}
    return Found(alpha=(Fraction(1),), letters=letters, length=2, **changes), model


@pytest.mark.parametrize(
    ("at", "before", "failing", "because"),
    [
        (HALF, Fraction(1), TWO, ""),
        (Fraction(1), Fraction(1), TWO, "no integer that the recursion allows"),
        (HALF, HALF, TWO, "may not be the least integer"),
        (HALF, Fraction(1), Fraction(1), "C/2 = 3 may be enough for the word 'ab'"),
    ],
)
def test_a_constant_keeps_the_error_the_one_before_does_not_and_its_half_fails(
    at, before, failing, because, monkeypatch
):
    found, model = stating(at, before, failing)
    monkeypatch.setattr(kinds, "Model", model)
    if because:
        with pytest.raises(Refused, match=because):
            kinds._confirm(found, Fraction(6), "ab", Fraction(1))
    else:
        kinds._confirm(found, Fraction(6), "ab", Fraction(1))
        with pytest.raises(Refused, match="letters of the word"):
            kinds._confirm(found, Fraction(6), "aba", Fraction(1))


@pytest.mark.parametrize(
    ("saturation", "because"),
    [(Fraction(13, 2), "no integer"), (Fraction(1), "may not be the least")],
)
def test_a_constant_is_a_whole_number_above_one(saturation, because):
    found = SimpleNamespace(states=lambda c: (Fraction(9 * (c < 1)), Fraction(0)))
    with pytest.raises(Refused, match=because):
        kinds._confirm(found, saturation, "ab", Fraction(1))


@pytest.mark.parametrize("part", ["curves", "failing"])
def test_there_are_as_many_constants_and_words_as_lengths(part):
    values = copy.deepcopy(certificate(facts.least_saturation(**PARAMETERS))["values"])
    points = values["curves"][1]["y"] if part == "curves" else values["failing"]["counting"]
    points.pop()
    with pytest.raises(ValueError, match="shorter"):
        kinds.required(PARAMETERS, {"values": values})


@pytest.mark.parametrize(
    ("value", "top", "fits"),
    [(7, "99/100", True), (7, "1", False), (6, "0", False), (8, "0", False)],
)
def test_the_closed_form_is_the_least_that_serves_and_keeps_the_error(
    value, top, fits, monkeypatch
):
    made = {"a": {"alpha": ["1"], "transitions": {"a": [["2"]]}}}
    found = SimpleNamespace(
        closed_form_serves=lambda c, eps: c >= 7 and eps == 1,
        states=lambda c: (Fraction(0), Fraction(top) if c == value else Fraction(9)),
    )
    asked = []
    monkeypatch.setattr(kinds, "known", lambda given, size: asked.append((given, size)) or found)
    parameters = {"automata": made, "lengths": [2, 4], "eps": "1"}
    stated = {"values": {"constants": {"a": [value, value]}}}
    if fits:
        assert kinds.closed_form(parameters, stated).values == stated["values"]
        assert asked == [(((1,), {"a": (2,)}), size) for size in (2, 4)]
    else:
        with pytest.raises(Refused, match=f"'a', T = 2: C = {value} is not the closed form"):
            kinds.closed_form(parameters, stated)
    for count in (1, 3):
        with pytest.raises(Refused, match="number of constants"):
            kinds.closed_form(parameters, {"values": {"constants": {"a": [value] * count}}})


def test_the_largest_norms_are_those_before_or_those_of_longer_words():
    """Each end by itself: what was found before is between 1/2 and 9."""
    before = (HALF, Fraction(9))
    assert kinds._largest(before, [(Fraction(1, 4),)]) == before
    assert kinds._largest(before, [(Fraction(1, 4),), (Fraction(-2),)]) == (2, 9)
    assert kinds._largest(before, [(Fraction(16),), (Fraction(2),)]) == (16, 16)
