"""Where answers, runs and pictures begin and end, and what is reckoned before them, by hand."""

from fractions import Fraction
from types import SimpleNamespace

import flint
import pytest
from export_support import ADDER, model_of

from constructions.automata.families import counting
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.exports.built_model import Constants
from constructions.exports.order import Order
from verify.automaton import (
    constants,
    decoders,
    enclosure,
    inputs,
    numbers,
    pictures,
    quantities,
    report,
    runs,
    significance,
    sizes,
    soft,
    tree_quantities,
    word_hypotheses,
)

LETTERS = WFA.of([1], {letter: [["1/2"]] for letter in "abcd"}, [1])


class Reached(Exception):
    """What was asked would be computed."""


def reached(*_, **__):
    raise Reached


def of_size(n):
    """As many states as are asked for, and nothing else."""
    return SimpleNamespace(n=n)


def test_lengths_up_to_4096_and_errors_from_1e_minus_1000_on_are_answered():
    least = Fraction(1, 10**1000)
    report.check(4096, least, "gelu")
    with pytest.raises(InputError, match="found 4097, expected at most 4096"):
        report.check(4097, least, "gelu")
    with pytest.raises(InputError, match="at least 1e-1000"):
        report.check(1, least - Fraction(1, 10**2000), "gelu")


@pytest.mark.parametrize(("n", "length", "run"), [(22, 4, True), (23, 4, False), (1, 1024, True),
                                                  (1, 1025, False)])  # fmt: skip
def test_words_are_run_up_to_an_embedding_of_1024_and_a_span_of_1024(n, length, run):
    reason = runs.too_large(of_size(n), length)
    assert (reason == "") is run
    assert run or reason == {
        23: "not measured: embedding 1060, 8 tokens",
        1: "not measured: embedding 4, 4096 tokens",
    }[n]  # fmt: skip


def test_the_memory_of_a_run_is_that_of_its_scores_and_tokens():
    """3 letters: 8 tokens of width 10; 5 words; 8 bytes for 5 · 8² scores and (8 + 15) · 8 · 10 numbers."""
    assert runs.memory(of_size(2), 3) == 8 * (5 * 64 + 23 * 80)
    assert runs.memory(of_size(23), 3) == 0


def test_trees_are_run_up_to_eight_states_and_200_tokens(monkeypatch):
    pytest.importorskip("torch")
    from verify.automaton import measure_trees

    monkeypatch.setattr(measure_trees, "Measured", lambda wta, length: (wta.n, length))
    assert runs.tree_run(of_size(8), 200) == (8, 200)
    assert runs.tree_run(of_size(9), 200).skipped == "not measured: 9 states, length 200"
    assert runs.tree_run(of_size(8), 201).skipped == "not measured: 8 states, length 201"


def test_four_words_are_drawn_and_those_of_another_length_left_out():
    drawn = runs.samples(LETTERS, 3, [("a",) * 3, ("a",) * 2])
    assert len(drawn) == 5 and drawn[4] == ("a",) * 3
    assert {len(word) for word in drawn} == {3}
    assert runs.Skipped("why").slack() == 0.0 and runs.Skipped("why").count == 0


@pytest.mark.parametrize(
    ("n", "length", "work"), [(1, 256, 0), (1, 257, 36864), (4, 8, 0), (4, 9, 32768)]
)
def test_units_are_enclosed_up_to_16384_activations(n, length, work):
    """4 n³ units for each of 2M tokens and each layer; 4 · 512 · 8 are not too many."""
    reason = f"not measured: {work} activations to enclose, more than 16384" if work else ""
    assert enclosure.too_many_units(of_size(n), length) == reason


def test_the_digits_of_a_state_are_those_of_its_weights():
    """n = 2, weights up to 13/2, so 7 · 2 = 14 of 4 bits; α up to 5, 10 of 4 bits: 3 (4 + 1) + 4."""
    automaton = WFA.of([-5, 1], {"a": [["-13/2", 1], [0, 2]]}, [1, 1])
    assert enclosure._size_bits(automaton, 3) == 3 * 5 + 4


def test_a_circulant_turns_one_row():
    row = [flint.arb(k) for k in (5, 6, 7, 8)]
    turned = enclosure._circulant(row, 1).tolist()
    assert [[int(float(x)) for x in line] for line in turned] == [
        [8, 7, 6, 5], [5, 8, 7, 6], [6, 5, 8, 7], [7, 6, 5, 8],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("constant", "bits"), [("0", 4), ("1", 4), ("3/2", 5), ("93", 10), ("94", 11)]
)
def test_a_score_has_the_bits_of_eleven_times_its_constant(constant, bits):
    assert quantities.score_bits(SimpleNamespace(constant=Fraction(constant))) == bits


def test_six_pairs_of_letters_in_turn_are_measured_and_two_random_words():
    named = inputs.words(LETTERS, 4)
    assert [name for name in named if "and" in name and "in turn" in name] == [
        *("a and b in turn", "a and c in turn", "a and d in turn"),
        *("b and a in turn", "b and c in turn", "b and d in turn"),
    ]
    assert [name for name in named if "random" in name] == ["random word 1", "random word 2"]
    small = list(inputs.small_words(LETTERS, 4))
    assert len(small) == 1 + 4 + 6 + 2 and small[10] == tuple("bdbd")


def test_a_search_changes_the_worst_inputs_and_ends_where_no_change_is_among_them():
    """Errors are numbers of b; from aaa on each round one more letter is changed."""
    rounds = []

    def errors(words):
        rounds.append(len(words))
        return [flint.arb(word.count("b")) for word in words]

    change = lambda word: inputs.neighbours(word, "ab")  # noqa: E731
    assert inputs.climb(errors, [tuple("aaa")], change, 2).count("b") == 2
    assert rounds == [1, 3, 2]
    assert inputs.climb(errors, [tuple("aaa")], change, 9) == tuple("bbb")
    rounds.clear()
    starts = [tuple("aaa"), tuple("baa")]
    assert inputs.climb(errors, starts, change, 1, 2).count("b") == 2
    assert rounds == [2, 4]  # aba and aab, and bba and bab
    assert inputs.climb(errors, starts, change, 0) == tuple("baa")


def test_scales_of_libraries_are_even_where_the_states_are_a_power_of_two_above_one():
    assert [n for n in range(1, 20) if constants.has_even_scale(n)] == [2, 4, 8, 16]


def test_small_pictures_are_drawn_of_long_inputs():
    """Eight letters, and four leaves, that is ten tokens."""
    drawn = pictures.word_picture(counting(), 12, "010101010101")
    assert drawn.tokens == tuple("01010101")
    assert pictures.word_picture(counting(), 3, "0101").tokens == tuple("010")
    assert pictures.tree_picture(ADDER, 40).tokens == tuple("[[ab][ab]]")
    assert pictures.tree_picture(ADDER, 7).tokens.count("[") == 2


def test_pictures_are_drawn_of_up_to_twelve_states(monkeypatch):
    monkeypatch.setattr(pictures.theorem1, "build", reached)
    monkeypatch.setattr(pictures.theorem3, "build", reached)
    tree = SimpleNamespace(n=12, alphabet=("a",))
    with pytest.raises(Reached):
        pictures.word_picture(of_size(12), 3, "aaa")
    with pytest.raises(Reached):
        pictures.tree_picture(tree, 7)
    tree.n = 13
    assert pictures.word_picture(of_size(13), 3, "aaa") is pictures.tree_picture(tree, 7) is None


def test_a_curve_is_drawn_from_two_letters_on_for_a_constant_that_is_not_0(monkeypatch):
    monkeypatch.setattr(pictures, "soft_errors", lambda *_: lambda c: flint.arb(1) / int(c))
    needed = SimpleNamespace(constant=Fraction(16))
    assert len(pictures.word_curves(counting(), 2, needed)) == 1
    assert pictures.word_curves(counting(), 1, needed) == ()
    assert pictures.word_curves(counting(), 2, SimpleNamespace(constant=Fraction(0))) == ()


def test_sizes_and_decoders_of_tree_models_are_given_up_to_twelve_states(monkeypatch):
    for place in (sizes.theorem3, sizes.logdepth, decoders.decoder_tree):
        monkeypatch.setattr(place, "build", reached)
    assert list(sizes.for_trees(of_size(13), 7)) == []
    assert decoders.for_trees(of_size(13), 7, Fraction(1)) is None
    with pytest.raises(Reached):
        list(sizes.for_trees(of_size(12), 7))
    with pytest.raises(Reached):
        decoders.for_trees(of_size(12), 7, Fraction(1))


@pytest.mark.parametrize(
    ("work", "reason"), [(2**3 * 7**2, ""), (391, "not computed: 2 states, length 7")]
)
def test_a_tree_decoder_is_bounded_while_that_is_little_work(work, reason, monkeypatch):
    monkeypatch.setattr(decoders, "MOST_WORK", work)
    assert decoders.for_trees(ADDER, 7, Fraction(1, 1000)).reason == reason


def test_decoders_have_as_many_parameters_as_their_matrices():
    """Two layers of width 7: 3 · 5 + 4 + 2 · 3² columns each, and a readout of 4."""
    size = {"d_model": 7, "layers": 2, "d_mlp": 5}
    assert decoders._parameters(3, 4, size) == 2 * 7 * (15 + 4 + 18) + 28


def test_decoders_are_reduced_up_to_twenty_states(monkeypatch):
    monkeypatch.setattr(decoders, "_exported", reached)
    monkeypatch.setattr(decoders, "_as_it_is", lambda *_: "as it is")
    with pytest.raises(Reached):
        decoders.for_words(of_size(20), 4, Fraction(1), None)
    assert decoders.for_words(of_size(21), 4, Fraction(1), None) == "as it is"


@pytest.mark.parametrize(
    ("n", "length", "large"), [(4, 100, False), (5, 100, True), (4, 101, True)]
)
def test_units_of_trees_are_run_up_to_four_states_and_a_hundred_tokens(
    n, length, large, monkeypatch
):
    monkeypatch.setattr(soft, "too_large", lambda *_: "too large")
    assert soft.Softened(of_size(n), length, Fraction(1), "gelu").large is large


def test_a_constant_too_small_for_any_step_is_doubled_up_to_five_times(monkeypatch):
    tried = []

    def fineness(_, saturation, *__):
        tried.append(saturation)
        return 8 if saturation >= enough else None

    monkeypatch.setattr(soft, "sufficient_saturation", lambda _, eps: tried.append(eps) or 3)
    monkeypatch.setattr(soft, "_fineness", fineness)
    monkeypatch.setattr(soft, "_within_reach", lambda *_: True)
    monkeypatch.setattr(soft, "error_bound", lambda known, saturation, units: saturation)
    for enough, found in ((3, (3, 8)), (12, (12, 8)), (96, (96, 8)), (97, (3, None))):
        tried.clear()
        chosen = soft.required(None, Fraction(1, 4), "gelu")
        assert (chosen.saturation, chosen.fineness) == found
        assert tried[0] == Fraction(1, 8)
        assert tried[1:] == [3 << k for k in range(6) if k == 0 or 3 << (k - 1) < enough]


def test_trees_are_bounded_entry_by_entry_while_they_have_few_leaves(monkeypatch):
    monkeypatch.setattr(tree_quantities, "entrywise_leaves", lambda n: 3 * n)
    found = SimpleNamespace(states=[0] * 6, tensor=[0] * 2)
    assert tree_quantities.small(found)
    found.states.append(0)
    assert not tree_quantities.small(found)


def test_twelve_letters_of_a_word_are_written():
    assert word_hypotheses.written(tuple("ab" * 6)) == "a b a b a b a b a b a b"
    assert word_hypotheses.written(tuple("ab" * 7)) == "a b a b a b a b a b a b … (14 letters)"


@pytest.mark.parametrize(("work", "count"), [(5 * 65, 1), (10 * 65 - 1, 1), (10 * 65, 2), (1, 1)])
def test_small_states_are_looked_for_on_as_many_words_as_time_allows(work, count, monkeypatch):
    """T = 4 and n = 1: 5 states of 1² + 64 steps for each word."""
    seen = []
    monkeypatch.setattr(significance, "MOST_WORK", work)
    sizes_of = significance.prefix_sizes

    def counted(automaton, word, weights):
        seen.append(word)
        return sizes_of(automaton, word, weights)

    monkeypatch.setattr(significance, "prefix_sizes", counted)
    significance.smallest_seen(LETTERS, 4, False)
    assert len(seen) == count


def test_a_ball_is_a_number_where_its_ends_agree_to_a_twentieth():
    """From 0.95 to 1.0 they do, from 0.94 on they do not."""
    assert numbers.between(flint.arb("0.975", "0.0249")) == "1.00"
    assert numbers.between(flint.arb("0.97", "0.0299")) == "at most 1.00"


def test_an_export_with_a_constant_of_0_takes_1(monkeypatch):
    from verify.bounds import scaled

    monkeypatch.setattr(
        scaled, "least_saturation", lambda *_: SimpleNamespace(constant=Fraction(0))
    )
    order = model_of(counting(), Order(4, attention="soft", feedforward="exact")).order
    assert constants._words(counting(), order).constants.saturation == 1


def test_slack_is_a_rounding_of_the_largest_true_state():
    torch = pytest.importorskip("torch")
    from verify.automaton import measure, measure_trees

    run = object.__new__(measure.Measured)
    run.truth = [torch.tensor([[3.0, 4.0]]), torch.tensor([[1.0, 0.0]])]
    assert run.slack() == 5 * 2.0**-52
    truth = measure_trees.Truth.of(WTA.of([1], [[[2]]], {"a": [-3]}), tuple("[aa]"))
    assert truth.states.tolist() == [[-3.0], [-3.0], [18.0]]
    assert truth.positions.tolist() == [1, 2, 0]
    assert truth.slack == 18 * 2.0**-52


def test_the_work_of_a_decoder_is_that_of_its_scores_and_its_block(monkeypatch):
    """Two layers, 5 tokens, each with 5 · 2² products of values and three matrices of 7 · 3."""
    pytest.importorskip("torch")
    from verify.automaton import precision_runs

    asked = []
    size = {"context": 5, "d_model": 7, "d_mlp": 3, "layers": 2}
    monkeypatch.setattr(precision_runs.decoder, "sizes", lambda *given: asked.append(given) or size)
    assert (
        precision_runs.decoder_work(2, 1) == precision_runs.decoder_work(2, 9) == 2 * 5 * (20 + 63)
    )
    assert asked == [(2, 2), (2, 9)]


@pytest.mark.parametrize(("power", "bits"), [(-1000, 26), (-1024, 2), (-1030, 1), (7, 1033)])
def test_bits_are_guessed_from_the_error_with_1024(power, bits, monkeypatch):
    """An error of 2^power is halved by each bit; for ε = 1/4 as many are missing as lie between them."""
    error = flint.arb(2) ** power
    monkeypatch.setattr(
        tree_quantities, "rounding_error", lambda *_: error * (1 - flint.arb("1e-9"))
    )
    assert tree_quantities._guess(Fraction(1, 4), None) == bits
    monkeypatch.setattr(tree_quantities, "rounding_error", lambda *_: flint.arb("inf"))
    assert tree_quantities._guess(Fraction(1, 4), None) == 1


def test_the_coarsest_step_is_the_cheapest_then_the_least_constant_then_the_least_k():
    """Each number is decisive only where those before it are equal."""
    given = [Constants(Fraction(c), step, 1, large) for step, c, large in
             ((9, 1, 1), (8, 3, 1), (8, 2, 7), (8, 2, 6), (None, 5, 9), (None, 5, None))]  # fmt: skip
    costs = [constants._cost(constants.Decision(each)) for each in given]
    assert sorted(range(6), key=costs.__getitem__) == [5, 4, 3, 2, 1, 0]


def test_digits_are_doubled_until_the_true_states_are_narrow(monkeypatch):
    """256, 512, … bits; where even 2^16 do not make them narrow, there is no truth."""
    pytest.importorskip("torch")
    from verify.automaton import sampling

    asked = []

    def truth(automaton, word, weights):
        asked.append(flint.ctx.prec)
        wide = 2.0**-60 if flint.ctx.prec < enough else 0
        return {0: [flint.arb(1, wide)]}

    monkeypatch.setattr(sampling, "truth", truth)
    for enough, bits in (
        (0, [256]),
        (1024, [256, 512, 1024]),
        (1 << 17, [256 << k for k in range(9)]),
    ):
        asked.clear()
        found = sampling.enclosed_truth(counting(), (), False)
        assert asked == bits and (found is None) == (enough == 1 << 17)
