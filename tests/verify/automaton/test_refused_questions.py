"""Questions that have no answer are refused by the field that is in the way, and rare ones are answered."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import flint
import pytest
from export_support import ADDER, model_of

from constructions.automata.families import counting
from constructions.automata.prediction import predictor
from constructions.automata.processes import mess3
from constructions.core.errors import InputError
from constructions.exports.built_model import Constants
from constructions.exports.order import Order, settle
from verify.automaton import (
    certificate,
    citation_status,
    constants,
    explanation,
    export,
    language,
    normalised,
    pictures,
    precision,
    precision_stream,
    report_data,
    rounding,
    rounding_exact,
    runs,
    sampling,
    sentence,
    tree_hypotheses,
    variation,
    word_hypotheses,
)
from verify.automaton import soft as softened
from verify.automaton.report import report
from verify.bounds.budget import TooSoft
from verify.bounds.floating import FORMATS, Precision
from verify.bounds.growth import products
from verify.bounds.states import state_bounds

THOUSANDTH = Fraction(1, 1000)


def soft(*_, **__):
    raise TooSoft("too soft")


def test_an_activation_that_is_not_offered_is_refused_with_those_that_are():
    with pytest.raises(InputError, match=r"--activation: found .*sine.*, expected one of .*gelu"):
        report(counting(), 4, THOUSANDTH, "sine")
    with pytest.raises(InputError, match=r"--activation: found .*sine.*, expected one of .*gelu"):
        word_hypotheses.smooth_activation(2, "sine", "Theorem 2")


def test_a_soft_model_is_certified_up_to_4096_letters_and_not_beyond(monkeypatch):
    from verify.bounds import scaled

    found = SimpleNamespace(constant=Fraction(7, 2))
    monkeypatch.setattr(scaled, "least_saturation", lambda *_: found)
    order = settle(Order(4096, attention="soft", feedforward="exact"), words=True)
    assert constants._words(counting(), order).constants.saturation == 4
    with pytest.raises(InputError, match="found 4097, expected at most 4096"):
        constants._words(counting(), replace(order, length=4097))


def test_a_tree_model_that_is_too_large_asks_for_a_constant(monkeypatch):
    order = settle(Order(7, "tree", attention="soft"), words=False)
    monkeypatch.setattr(softened, "too_large", lambda *_: "not computed: 9 states")
    with pytest.raises(InputError, match=r"--saturation: .*9 states.*with --feedforward exact"):
        constants._trees(ADDER, order)


def test_a_tree_model_without_a_step_asks_for_a_larger_error(monkeypatch):
    order = settle(Order(7, "tree", attention="soft"), words=False)
    monkeypatch.setattr(softened, "required", lambda *_: SimpleNamespace(fineness=None))
    with pytest.raises(InputError, match=r"--eps: .*some step of the MLPs"):
        constants._trees(ADDER, order)


def test_a_tree_model_with_exact_products_keeps_half_the_error_for_its_heads(monkeypatch):
    asked = []
    monkeypatch.setattr(constants, "sufficient_saturation", lambda _, eps: asked.append(eps) or 17)
    order = Order(7, "tree", attention="soft", feedforward="exact", eps="1/100")
    decision = constants._trees(ADDER, settle(order, words=False))
    assert (decision.constants, decision.error) == (Constants(Fraction(17)), Fraction(1, 100))
    assert asked == [Fraction(1, 200)]


@pytest.mark.parametrize("size", [256, 257])
def test_a_word_of_256_letters_is_explained_and_no_longer_one(size, monkeypatch):
    monkeypatch.setattr(explanation, "_words", lambda _, word: list(word))
    if size > 256:
        with pytest.raises(InputError, match=r"257 letters.*at most 256"):
            explanation.explain(counting(), "0" * size)
    else:
        assert len(explanation.explain(counting(), "0" * size)) == size


def test_a_stream_that_holds_more_than_one_product_says_how_many():
    letters = explanation.letter_automaton(2, explanation.Combination.letter)
    a, b = (letters.matrix(symbol)[0][0] for symbol in letters.alphabet)
    assert explanation._named(a, "xy") == "A[x]" and explanation._named(a * b, "xy") == "A[x y]"
    assert explanation._named(a + b, "xy") == "a sum of 2 products"


def test_the_nodes_of_a_tree_are_explained_by_what_is_known_of_them():
    """A leaf knows its state; a closing bracket is inactive, then a map of an open child, then known."""
    rows = explanation.explain(ADDER, "[a[bb]]")
    assert max(row.layer for row in rows) >= 2
    first = {row.position: row.holds for row in rows if row.layer == 0}
    assert first[2] == first[4] == first[5] == "μ" and first[1] == first[3] == ""
    last = [row for row in rows if row.layer == max(each.layer for each in rows)]
    (root,) = [row for row in last if row.position == 7]
    assert (root.holds, root.values) == ("μ", ["11", "1"])  # 1 + 5 + 5
    assert {"inactive", "μ"} <= {row.holds for row in rows if row.token == "]"}


@pytest.mark.parametrize("count", [2, 3])
def test_a_word_is_written_in_full_as_a_power_or_by_its_beginning(count):
    assert word_hypotheses.written(("a",) * count) == f"a^{count}"
    assert word_hypotheses.written(("a",)) == "a"
    most = word_hypotheses.LONGEST_WORD
    word = tuple("ab" * most)
    assert word_hypotheses.written(word[:most]) == " ".join(word[:most])
    assert word_hypotheses.written(word) == f"{' '.join(word[:most])} … ({2 * most} letters)"


def test_a_tree_automaton_without_sizes_or_a_constant_says_so():
    found = sentence.for_trees(ADDER, 7, THOUSANDTH, (), None)
    assert found.endswith("every tree with |str(t)| ≤ 7; it is too large to give sizes.")
    none = SimpleNamespace(found={}, reason="not found: too soft")
    assert sentence._softly(none, THOUSANDTH) == (
        "no C was certified for softmax (not found: too soft)"
    )


def test_a_record_that_cannot_be_had_leaves_standings_empty(monkeypatch):
    def absent(_):
        raise InputError("record", "nothing", "a record")

    monkeypatch.setattr(citation_status.record_source, "load", absent)
    citation_status.recorded.cache_clear()
    try:
        assert citation_status.recorded() == {} and citation_status.by_statement("thm1") == "thm1"
        assert citation_status.as_printed("eq1") == ""
    finally:
        citation_status.recorded.cache_clear()


def test_digits_that_are_not_known_to_be_enough_are_no_evidence():
    found = report_data.too_few_digits("digits", 1024, "keep the state")
    assert (found.value, found.evidence) == ("more than 309", "none")
    assert found.meaning == "to keep the state"
    assert report_data.enough_digits("digits", 53, "keep it").meaning.startswith(
        "16 decimal digits (53 bits)"
    )


def test_a_window_that_does_not_forget_is_refused_with_one_that_does():
    order = settle(Order(64, format="olmo2", head="next", window=2, eps="1/100"), words=True)
    process = normalised.stochastic_form(predictor(mess3()))
    with pytest.raises(InputError, match=r"--window: found 2, expected (\d+) or more") as refused:
        normalised._check_window(process, order)
    enough = int(str(refused.value).split("expected ")[1].split(" or more")[0])
    normalised._check_window(process, replace(order, window=enough))
    with pytest.raises(InputError, match=f"expected {enough} or more"):
        normalised._check_window(process, replace(order, window=enough // 2))


def test_a_window_is_refused_where_letters_need_not_be_forgotten(monkeypatch):
    order = settle(Order(64, format="olmo2", head="next", window=8), words=True)
    process = normalised.stochastic_form(predictor(mess3()))
    monkeypatch.setattr(normalised, "forgotten", lambda *_: flint.arb(1))
    with pytest.raises(InputError, match="nothing: 16384 letters are not enough"):
        normalised._check_window(process, order)
    monkeypatch.setattr(normalised, "shares", lambda _: SimpleNamespace(positive=False))
    with pytest.raises(InputError, match="only where all weights are positive"):
        normalised._check_window(process, order)


def test_a_logarithm_that_does_not_keep_the_variation_is_too_soft(monkeypatch):
    order = settle(Order(6, format="olmo2", head="next"), words=True)
    large = SimpleNamespace(variation=flint.arb(2), ratio=None, chance=flint.arb(0))
    monkeypatch.setattr(normalised, "normalised_variation", lambda *_: large)
    with pytest.raises(TooSoft, match=r"units a logarithm keep 2\.00"):
        normalised.choose_normalised_model(mess3(), order)


@pytest.mark.parametrize(("ratio", "count"), [("1e-3", 1), ("0.2", 0), (None, 0)])
def test_a_ratio_is_told_only_where_it_says_something(ratio, count):
    each = SimpleNamespace(ratio=None if ratio is None else flint.arb(ratio))
    lines = list(normalised._ratios(6, {"in exact arithmetic": each}))
    assert len(lines) == count
    assert all("6 letters" in line and "within 6.1e-3" in line for line in lines)


def test_weights_that_leave_a_large_variation_are_too_soft(monkeypatch):
    order = settle(Order(3, format="llama", head="next", eps="1/4"), words=True)
    monkeypatch.setattr(language, "general_variation", lambda *_: flint.arb(2))
    with pytest.raises(TooSoft, match=r"weights f up to \S+ leave a variation of 2\.0e\+00"):
        language._general(predictor(mess3()), order)


def test_no_error_is_unbounded_and_none_is_certified_without_a_constant():
    assert certificate.upper(flint.arb("inf")) == "unbounded"
    made = model_of(ADDER, Order(4))
    without = replace(made, constants=replace(made.constants, saturation=None))
    assert certificate.tree_decoder_rounding(without, ADDER) is None
    words = model_of(counting(), Order(4))
    decision = constants.Decision(words.constants, None)
    assert certificate.rounded_error(words, decision) is None
    assert certificate.scale(words, decision, None) is None


def test_weights_beyond_the_largest_float_are_refused_and_nothing_is_lost(tmp_path, monkeypatch):
    def overflow(*_):
        raise OverflowError

    monkeypatch.setattr(export, "write", overflow)
    with pytest.raises(InputError, match="found weights beyond the largest float"):
        export.export(counting(), Order(2, attention="hard"), tmp_path / "model")


def test_pictures_and_runs_are_had_up_to_a_number_of_states(monkeypatch):
    monkeypatch.setattr(pictures, "LARGEST_STATES", 2)
    assert pictures.word_picture(counting(), 3, "010") is not None
    assert pictures.tree_picture(ADDER, 7).tokens[0] == "["
    monkeypatch.setattr(pictures, "LARGEST_STATES", 1)
    assert pictures.word_picture(counting(), 3, "010") is None
    assert pictures.tree_picture(ADDER, 7) is None
    monkeypatch.setattr(runs, "LARGEST_STATES", 1)
    skipped = runs.tree_run(ADDER, 7)
    assert skipped.skipped == "not measured: 2 states, length 7"


def test_a_certified_error_below_a_measured_one_is_refused_with_both():
    with pytest.raises(runs.Uncertified, match=r"tree: measured 0\.5, certified 0\.250"):
        runs.consistent("tree", flint.arb("0.25"), 0.5, 0.0)
    runs.consistent("tree", flint.arb("0.25"), 0.5, 0.25)
    runs.consistent("tree", flint.arb("0.25"), 0.5, float("inf"))
    runs.consistent("tree", flint.arb("inf"), 0.5, 0.0)
    runs.consistent("tree", flint.arb("0.25"), None, 0.0)
    with pytest.raises(runs.Uncertified, match="measured inf"):
        runs.consistent("tree", flint.arb("0.25"), float("inf"), 0.0)


@pytest.mark.parametrize(
    ("certified", "seen", "answer"),
    [(True, 9.0, "certified"), (False, None, "unknown"), (False, 0.001, "on samples"),
     (False, 0.0011, "no"), (False, float("inf"), "no"), (False, float("nan"), "no")],
)  # fmt: skip
def test_a_format_suffices_certainly_on_samples_or_not(certified, seen, answer):
    assert runs.suffices(certified, seen, Fraction(0.001)) == answer


def test_the_largest_variation_is_half_the_distance_at_the_worst_prefix():
    """Uniform logits over three symbols and <bos>, which the automaton never emits."""
    import torch

    source = predictor(mess3())
    word = source.example(4)
    rows = [list(map(float, chances.values())) for chances in source.distributions(word)]
    by_hand = [(sum(abs(0.25 - p) for p in row) + 0.25) / 2 for row in rows]
    found = variation.largest_variation(
        torch.zeros(len(rows), 4, dtype=torch.float64), source, word
    )
    assert found == pytest.approx(max(by_hand), rel=1e-12) and max(by_hand) > min(by_hand)


def test_a_variation_is_measured_on_eight_drawn_words_the_likeliest_and_the_least_likely():
    source, made = predictor(mess3()), model_of(counting(), Order(4))
    assert variation.sample_of(made).startswith("8 words of 4 symbols drawn from it")
    long = replace(made, order=replace(made.order, length=65))
    assert (variation.measured_length(made), variation.measured_length(long)) == (4, 64)
    words = variation.sample_words(source, 4)
    assert len(words) == 10 and words[8] == source.example(4)
    chances = [source.distribution(words[9][:t])[words[9][t]] for t in range(4)]
    assert chances == [
        min(p for p in source.distribution(words[9][:t]).values() if p) for t in range(4)
    ]


def test_what_no_constant_keeps_is_unbounded_in_every_format(monkeypatch):
    form = FORMATS[0]
    monkeypatch.setattr(precision_stream, "required_stream", soft)
    found = list(precision_stream.direction_errors(mess3(), [1, 4], THOUSANDTH))
    assert [(length, error.is_finite()) for _, length, error in found] == [(1, False), (4, False)]
    decision = constants.Decision(Constants(), None)
    assert not precision.rounded_error(None, form).is_finite()
    assert not precision.rounded_error(decision, form).is_finite()
    monkeypatch.setattr(sampling, "enclosed_truth", lambda *_: None)
    made = model_of(counting(), Order(4))
    assert not sampling.Measurement(made, True).error(("0",), None).is_finite()


def test_a_significand_that_no_number_of_bits_makes_enough_has_none():
    wide = flint.arb(2) ** 4000
    found = products(counting(), 4)
    assert rounding.bits_for(counting(), 3, found, wide, 64) is not None
    assert rounding.bits_for(counting(), 3, found, flint.arb(0), 64) is None


def test_trees_are_rounded_as_long_as_they_are_small_and_their_sums_short(monkeypatch):
    order = settle(Order(7, "tree", attention="hard"), words=False)
    assert rounding_exact._of_trees(ADDER, 7, FORMATS[0], order.construction) is not None
    monkeypatch.setattr(rounding_exact, "LONGEST_TREE", 6)
    assert rounding_exact._of_trees(ADDER, 7, FORMATS[0], order.construction) is None
    coarse = Precision("coarse", 4, -40, 40)
    found = state_bounds(ADDER, 4)
    assert not tree_hypotheses.rounding(coarse, found).is_finite()
    assert tree_hypotheses.rounding(FORMATS[0], found).is_finite()
