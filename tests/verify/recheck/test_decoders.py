"""The decoder's confirmations agree with its facts and refuse what is out of range."""

import copy
from dataclasses import dataclass
from fractions import Fraction

import pytest
from confirm_support import Case, Questions
from record_support import LIST, alone

from verify.facts import decoders as facts
from verify.recheck.confirmations import confirmations, trust_reasons
from verify.recheck.errors import Refused
from verify.recheck.kernel.interval import down, sqrt, up
from verify.recheck.kinds import decoders

CASES = [
    Case("decoder.words", facts.words_at_positions, {"most": 6}),
    Case("decoder.states", facts.outputs_are_states, {"states": [1, 2], "lengths": [3]}),
    Case("decoder.layer", facts.layer_multiplies, {"states": [1]}),
    Case(
        "decoder.trees",
        facts.tree_decoder,
        {"leaves": 3, "states": 1, "seed": 1},
        harmless=(("seed", 0),),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
class TestQuestions(Questions):
    """What every confirmation answers."""


def test_all_are_true():
    assert all(case.found.holds for case in CASES)


NEEDED = next(item for item in LIST if item["fact"] == "decoder.needed")


def test_curves_as_they_are_published_are_confirmed():
    alone(NEEDED)


@pytest.mark.parametrize(
    ("curve", "change"),
    [
        (0, {"label": "ours"}),
        (0, {"x": ["1"]}),
        (0, {"more": 1}),
        (0, {"y": ["65.690", "286.600", "1298.625", "5972.323", "27611.073", "30000.000"]}),
        (0, {"y": ["65.690"] * 6}),
        (0, {"y": ["0.000"] * 6}),
        (1, {"y": ["0.000"] * 6}),
        (1, {"y": ["18.563", "21.125", "24.313", "28.125", "32.625", "64.001"]}),
        (1, {"y": ["18.563", "21.125", "24.313", "28.125", "32.625", "1e9"]}),
        (1, {"y": ["18.5630", "21.125", "24.313", "28.125", "32.625", "37.813"]}),
        (1, {"y": []}),
        (1, {"y": ["0.001"] * 6}),
        (1, {"y": ["18.563", "21.125", "24.313", "28.125", "32.625", "37.750"]}),
        (1, {"y": ["18.563", "21.125", "24.313", "28.125", "32.625", "37.875"]}),
        (1, {"y": ["18.563", "21.125", "24.313", "28.125", "32.625", "37.812"]}),
        (1, {"y": ["18.563", "21.125", "24.313", "28.125", "32.625", 37]}),
        (0, {"y": ["131.380", "573.200", "2597.250", "11944.646", "55222.146", "255364.908"]}),
        pytest.param(
            0,
            {"y": ["65690.000", "286600.000", "1298625.000", "5972323.000", "27611073.000",
                   "127682454.000"]},
            marks=pytest.mark.slow,
        ),
        (0, {"y": ["65.590", "286.600", "1298.625", "5972.323", "27611.073", "127682.454"]}),
        (0, {"y": ["65.790", "286.600", "1298.625", "5972.323", "27611.073", "127682.454"]}),
    ],
)  # fmt: skip
def test_curves_that_contradict_what_they_show_are_refused(curve, change):
    forged = copy.deepcopy(NEEDED)
    forged["values"]["curves"][curve].update(change)
    with pytest.raises(Refused):
        alone(forged)


@dataclass
class Undecided:
    """A recursion that says of the stated C that it serves, and of a smaller one nothing."""

    serves: Fraction
    length: int = 4

    def states(self, saturation):
        return (Fraction(0), Fraction(1, 2) if saturation == self.serves else Fraction(2))


@pytest.mark.parametrize("least", [decoders._least_on_circle, decoders._least_of_decoder])
def test_a_smaller_constant_on_which_the_recursion_says_nothing_may_serve(least):
    with pytest.raises(Refused, match="a C below 5 keeps"):
        least(Undecided(Fraction(5)), Fraction(5), Fraction(1))
    with pytest.raises(Refused, match="does not keep"):
        least(Undecided(Fraction(4)), Fraction(5), Fraction(1))


def test_what_only_the_program_can_run_is_counted_as_trusted():
    names = {name for name in trust_reasons() if name.startswith("decoder.")}
    assert names == {"decoder.trees"}


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("decoder.words", {"most": 0}),
        ("decoder.words", {"most": 10**9}),
        ("decoder.states", {"states": [], "lengths": [1]}),
        ("decoder.states", {"states": [0], "lengths": [1]}),
        ("decoder.states", {"states": [1], "lengths": [10**9]}),
        ("decoder.layer", {"states": []}),
    ],
)
def test_sizes_that_say_nothing_or_take_long_are_refused(name, parameters):
    with pytest.raises(Refused):
        confirmations()[name][1](parameters, {})


def test_a_product_in_the_other_order_would_be_refused(monkeypatch):
    right = decoders.times
    monkeypatch.setattr(decoders, "times", lambda x, y: right(y, x))
    with pytest.raises(Refused):
        decoders.words({"most": 4}, {})


def test_a_product_of_sums_that_is_none_would_be_refused(monkeypatch):
    monkeypatch.setattr(decoders, "times", lambda x, y: decoders.add(x, y))
    with pytest.raises(Refused, match="the product differs"):
        decoders.layer({"states": [1]}, {})


@pytest.mark.parametrize("most", [1, 2, 5])
def test_every_length_up_to_the_greatest_is_gone_through(most, monkeypatch):
    seen = []
    monkeypatch.setattr(decoders, "exact", seen.append)
    decoders.words({"most": most}, {})
    assert seen == list(range(1, most + 1))
    decoders.states({"states": [1], "lengths": [3, 1]}, {})
    assert seen[most:] == [3, 1]


@dataclass
class Found:
    """A recursion that is asked about two constants, and knows one end of the error of each."""

    above: dict[Fraction, Fraction]
    below: dict[Fraction, Fraction]
    length: int = 4

    def states(self, saturation):
        return self.below.get(saturation, 0), self.above.get(saturation, 9)


ONE, MORE, LESS = Fraction(1), Fraction(1001, 1000), Fraction(999, 1000)


@pytest.mark.parametrize(
    ("at", "before", "because"),
    [(LESS, ONE, ""), (ONE, ONE, "C = 5 does not keep"), (LESS, LESS, "a C below 5 keeps")],
)
def test_a_constant_on_the_circle_keeps_less_than_the_error_and_a_thousandth_less_does_not(
    at, before, because
):
    found = Found({Fraction(5): at}, {Fraction(4995, 1000): before})
    if because:
        with pytest.raises(Refused, match=f"T = 4: {because}"):
            decoders._least_on_circle(found, Fraction(5), ONE)
    else:
        decoders._least_on_circle(found, Fraction(5), ONE)


@pytest.mark.parametrize(
    ("at", "before", "because"),
    [(ONE, MORE, ""), (MORE, MORE, "does not keep"), (ONE, ONE, "a C below .* keeps")],
)
@pytest.mark.parametrize("rounded", [0, Fraction(999, 10**6)])
def test_a_constant_of_the_decoder_is_the_least_multiple_of_a_sixteenth(
    at, before, because, rounded
):
    found = Found({Fraction(81, 16): at}, {Fraction(80, 16): before})
    if because:
        with pytest.raises(Refused, match=f"T = 4: .*{because}"):
            decoders._least_of_decoder(found, Fraction(81, 16) + rounded, ONE)
    else:
        decoders._least_of_decoder(found, Fraction(81, 16) + rounded, ONE)


def test_a_constant_of_the_decoder_is_at_most_64_and_less_than_a_thousandth_above_a_sixteenth():
    decoders._least_of_decoder(
        Found({Fraction(64): ONE}, {Fraction(1023, 16): MORE}), Fraction(64), ONE
    )
    for wrong in (
        Fraction(64) + Fraction(1, 2000),
        Fraction(5) + decoders.THOUSANDTH,
        Fraction(65),
    ):
        with pytest.raises(Refused, match="expected sixteenths up to 64, rounded up"):
            decoders._least_of_decoder(Found({}, {}), wrong, ONE)


@pytest.mark.parametrize("saturation", [Fraction(1, 2), Fraction(7)])
def test_the_decoders_recursion_is_run_with_both_ends(saturation, monkeypatch):
    """e^-C in [1/8, 1/4] and e^-3C in [1/16, 1/6]; e' = N e + N f + e f, f = e + 2λ (M + e)."""
    ends = {1: (Fraction(1, 8), Fraction(1, 4)), 3: (Fraction(1, 16), Fraction(1, 6))}
    powers = {(-c * saturation, 160): both for c, both in ends.items()}
    monkeypatch.setattr(decoders, "exp", lambda *asked: powers[asked])
    layers = [((Fraction(2), Fraction(3)), (Fraction(1, 5), Fraction(2, 7))),
              ((Fraction(5), Fraction(7)), (Fraction(1, 3), Fraction(3)))]  # fmt: skip
    found = decoders.Windows(4, layers, (Fraction(2), Fraction(3))).states(saturation)
    wanted = []
    for k, leak in enumerate((Fraction(1, 4) / Fraction(15, 16), Fraction(1, 2) / Fraction(5, 6))):
        e = Fraction(0)
        for norms, distances in layers:
            f = e + 2 * leak * (distances[k] + e)
            e = (down, up)[k](norms[k] * e + norms[k] * f + e * f, 160)
        wanted.append((2, 3)[k] * e)
    assert found == tuple(wanted)


@pytest.mark.parametrize(("length", "layers"), [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (8, 3)])
def test_the_windows_of_a_decoder_double_up_to_half_its_length(length, layers, monkeypatch):
    asked = []

    def growth(letters, longest):
        asked.append((letters, longest))
        return [f"norm {k}" for k in range(longest + 1)], [
            f"distance {k}" for k in range(longest + 1)
        ]

    monkeypatch.setattr(decoders, "growth", growth)
    letter = (Fraction(1),) * 4
    found = decoders.Windows.of(((Fraction(3), Fraction(-4)), {"a": letter}), length)
    places = [1, 2, 4][:layers]
    assert asked == [([letter], (places or [1])[-1])]
    assert found.length == length
    assert found.layers == [(f"norm {k}", f"distance {k}") for k in places]
    assert found.readout == sqrt(Fraction(25 * (length + 1)), 160)


def test_each_point_of_both_curves_is_held_against_its_own_length(monkeypatch):
    asked = []
    for name in ("_least_on_circle", "_least_of_decoder"):
        monkeypatch.setattr(
            decoders, name, lambda found, c, eps, name=name: asked.append((name, found, c, eps))
        )
    monkeypatch.setattr(decoders, "known", lambda automaton, length: ("known", length))
    monkeypatch.setattr(decoders.Windows, "of", lambda automaton, length: ("windows", length))
    drawn = [{"y": ["1.000", "5.000"]}, {"y": ["2.000", "3.000"]}]
    parameters = {"automaton": "counting", "eps": "1/100", "lengths": [4, 8]}
    answer = decoders.needed(parameters, {"values": {"curves": drawn}})
    assert asked == [
        ("_least_on_circle", ("known", 4), 1, Fraction(1, 100)),
        ("_least_of_decoder", ("windows", 4), 2, Fraction(1, 100)),
        ("_least_on_circle", ("known", 8), 5, Fraction(1, 100)),
        ("_least_of_decoder", ("windows", 8), 3, Fraction(1, 100)),
    ]
    places = ["4", "8"]
    assert answer.values["curves"] == [
        {"label": "Theorem 2's circle", "x": places, "y": ["1.000", "5.000"]},
        {"label": "decoder", "x": places, "y": ["2.000", "3.000"]},
    ]
    for count in (1, 3):
        with pytest.raises(Refused, match="curves: expected a list of 2 to 2 entries"):
            decoders.needed(parameters, {"values": {"curves": (drawn * 2)[:count]}})
    for wrong in (["1.000"], ["1.000", "4.000", "9.000"]):
        for curves in ([{"y": wrong}, drawn[1]], [drawn[0], {"y": wrong}]):
            with pytest.raises(Refused, match="y: expected a list of 2 to 2 entries"):
                decoders.needed(parameters, {"values": {"curves": curves}})


def test_positions_hold_the_words_of_their_letters():
    """After layers with steps 1, 2 and 4 position 5 of 5 holds all letters, and the identity less."""
    held = decoders.stream(5)
    assert held == [{}, *({tuple(range(1, t + 1)): 1, (): -1} for t in range(1, 6))]
    assert decoders.stream(1) == [{}, {(1,): 1, (): -1}]
