"""How errors against the length are put together from their parts, each by hand."""

from fractions import Fraction
from types import SimpleNamespace

import flint
import pytest

from constructions.automata.families import counting
from constructions.automata.wfa import WFA
from constructions.core.errors import InputError
from verify.automaton import precision
from verify.automaton.precision import Bound, ExactModule
from verify.automaton.report_data import SafeLength, Uncertified
from verify.automaton.significance import StateSizes
from verify.bounds.floating import FORMATS
from verify.bounds.state_sizes import SizeBounds

DOUBLE, SINGLE = FORMATS[:2]
INFINITE = flint.arb("inf")


def balls(*values):
    return tuple(flint.arb(value) for value in values)


def sizes(least, greatest):
    return StateSizes(SizeBounds(balls(*least), balls(*greatest)), None, "letters", "state")


SIZES = sizes(("1", "0.5", "0.25"), (2, 8, 16))


def test_lengths_go_up_to_4096():
    assert precision.lengths_between(1, 4096) == tuple(1 << k for k in range(13))
    assert precision.lengths_between(3, 5) == (3, 4, 5)
    for first, last in ((0, 4), (5, 4), (1, 4097)):
        with pytest.raises(InputError, match="A:B with 1 ≤ A ≤ B ≤ 4096"):
            precision.lengths_between(first, last)


@pytest.mark.parametrize(("error", "length", "share"), [
    ("0.125", 1, 0.25), ("0.125", 2, 0.5), ("0.25", 2, None), ("0.25", 1, 0.5), ("0.25", 0, 0.25),
])  # fmt: skip
def test_an_error_is_relative_to_the_least_state_up_to_a_length_and_below_one(error, length, share):
    found = precision.over_least(flint.arb(error), SIZES, length)
    assert found == share if share else not found.is_finite()
    assert not precision.over_least(flint.arb(error), sizes((1, 0), (1, 1)), 1).is_finite()


def test_roundings_of_nonnegative_weights_are_counted_by_states_and_span():
    """n = 2 and T = 3: 4 · 5 roundings."""
    module = ExactModule(counting(), 3, SIZES)
    assert module.share(DOUBLE, 3).overlaps(DOUBLE.gamma(20))
    negative = WFA.of([1], {"a": [[-1]]}, [1])
    assert not ExactModule(negative, 3, SIZES).share(DOUBLE, 3).is_finite()
    tiny = WFA.of(["1e-300"], {"a": [["1e-10"]]}, [1])
    assert not ExactModule(tiny, 3, SIZES).share(DOUBLE, 3).is_finite()


# The absolute bound, whether heads look right, and γ; then what is certified at one letter, where states
# have sizes up to 8 and from 1/2 on
PARTS = {
    "γ is better": (5, True, "0.25", (2, 0.25)),
    "the other is better": ("0.0625", True, "0.25", ("0.0625", "0.125")),
    "heads may look elsewhere": ("0.0625", False, "0.25", (2, "0.25")),
    "no γ": ("0.0625", True, "inf", ("0.0625", "0.125")),
    "nothing": ("0.0625", False, "inf", ("inf", "inf")),
    "what overflows has no γ": ("inf", True, "0.25", ("inf", "inf")),
}


@pytest.mark.parametrize("name", PARTS)
def test_the_exact_module_has_the_least_of_its_bounds(name, monkeypatch):
    absolute, right, share, wanted = PARTS[name]
    monkeypatch.setattr(precision.rounding, "state_error", lambda *_: flint.arb(absolute))
    monkeypatch.setattr(precision.rounding, "attention_is_right", lambda *_: right)
    monkeypatch.setattr(ExactModule, "share", lambda *_: flint.arb(share))
    monkeypatch.setattr(ExactModule, "norms", None)
    found = ExactModule(counting(), 2, SIZES).bound(SINGLE, 1)
    assert (found.model, found.form, found.length) == ("exact", SINGLE, 1)
    assert [float(found.absolute), float(found.relative)] == [float(x) for x in wanted]


def test_the_longest_lengths_within_an_error_are_told_for_each_model_and_format():
    rows = [("exact", DOUBLE, 2, 1, 9), ("exact", DOUBLE, 4, 2, 1), ("exact", SINGLE, 8, 9, 9),
            ("gpt2", DOUBLE, 16, "2.1", "1.9")]  # fmt: skip
    bounds = [Bound(*row[:3], *balls(*row[3:])) for row in rows]
    assert [*precision._safe_lengths(bounds, flint.arb(2))] == [
        SafeLength("exact", "float64", 4, 4), SafeLength("exact", "float32", 0, 0),
        SafeLength("gpt2", "float64", 0, 16),
    ]  # fmt: skip


def seen(*errors):
    found = balls(*errors) if errors else None
    return SimpleNamespace(errors=lambda *_: found)


def test_a_row_has_what_is_certified_and_what_was_seen():
    row = precision._row(Bound("exact", DOUBLE, 4, flint.arb(2), INFINITE), seen(2, 9))
    assert (row.absolute, row.relative) == ("2.00", None)
    assert (row.measured_absolute, row.measured_relative) == ("2.00", "9.00")
    row = precision._row(Bound("exact", DOUBLE, 4, flint.arb(2), flint.arb(1)), seen())
    assert (row.measured_absolute, row.measured_relative) == (None, None)
    row = precision._row(Bound("exact", DOUBLE, 4, INFINITE, flint.arb(1)), seen("inf", 1))
    assert (row.measured_absolute, row.measured_relative) == ("inf", "1.00")


@pytest.mark.parametrize("errors", [("2.5", 0), (0, "1.5"), ("inf", 0)])
def test_what_was_seen_above_a_bound_is_our_fault(errors):
    with pytest.raises(Uncertified, match="exact in float64 at T = 4: measured"):
        precision._row(Bound("exact", DOUBLE, 4, flint.arb(2), flint.arb(1)), seen(*errors))


def test_the_sentence_speaks_of_float64_and_of_where_0_would_do():
    safe = [SafeLength("exact", "float64", 8, 0), SafeLength("exact", "float32", 2, 2),
            SafeLength("gpt2", "float64", 4, 4), SafeLength("decoder", "float64", 0, 4)]  # fmt: skip
    said = precision._sentence(safe, SIZES, (1, 8), Fraction(1, 1000))
    assert said == (
        "Of the lengths up to 8, in float64, certified to stay within 1/1000: Theorem 1's module up to T = 8 "
        "absolutely and at none relative to a state's size, the decoder at none absolutely and up to T = 4 "
        "relative to a state's size."
    )
    small = sizes((0, 0, 0), (2, "0.0005", "0.0001"))
    said = precision._sentence(safe, small, (1, 8), Fraction(1, 1000))
    assert said.endswith("; from t = 1 on the answer 0 would be within 1/1000 of every state too.")


def test_plain_decoders_of_narrow_formats_have_the_constants_of_float32(monkeypatch):
    asked = []
    monkeypatch.setattr(
        precision, "choose_decoder", lambda order, *_: asked.append((order.format, order.dtype))
    )
    decoders = precision.Decoders(counting(), Fraction(1, 1000))
    for name in ("gpt2", "safetensors"):
        for form in ("float64", "float32", "float16", "bfloat16"):
            assert decoders.decision(name, 4, form) is None
    assert asked == [("gpt2", "float64"), ("gpt2", "float32"), ("safetensors", "float64")]
    assert [*decoders.decisions] == [(name, 4, dtype) for name, dtype in asked]
