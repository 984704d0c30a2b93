"""The size of the states beside a certified error, and the lengths at which the error is no smaller."""

import json
from dataclasses import asdict
from fractions import Fraction
from io import StringIO

import flint
import pytest
from rich.console import Console

from constructions.automata.families import counting, hmm
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.core.exact import ball
from constructions.exports.folder import contents
from constructions.exports.order import Order
from reports import automaton as render
from verify.automaton.export import export, make
from verify.automaton.inputs import smallest_word
from verify.automaton.report import report
from verify.automaton.significance import (
    CERTIFIED,
    SEEN,
    is_empty,
    relative_sentence,
    scale_of,
    sizes_of,
    smallest_seen,
)

THREE = hmm(
    [["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], ["1/4", "1/4", "1/2"]],
    [["1/5", "1/10", "1/4"], ["1/5", "3/10", "1/4"], ["3/5", "3/5", "1/2"]],
    ["1/3", "1/3", "1/3"], "abc",
)  # fmt: skip
FADING = WFA.of([1, 1], {"a": [["1/10", 0], [0, 0]], "b": [[1, 0], [0, 1]]}, [1, 1])
ROTATION = WFA.of([1, 0], {"a": [["3/5", "4/5"], ["-4/5", "3/5"]]}, [1, 0])
LEAVES = WTA.of([1, 0], [[["3/4", "1/3"], ["1/2", "1/5"]], [["1/4", "2/3"], ["1/2", "4/5"]]],
                {"a": ["1/2", "1/2"], "b": ["1/5", "4/5"]})  # fmt: skip
EPS = Fraction(1, 10**6)


def emptiness(automaton, length, eps=EPS, together=False):
    sizes = sizes_of(automaton, length)
    return " ".join(scale_of(automaton, sizes, {"ε": ball(eps)}, together).sentences)


def test_an_hmm_of_64_letters_is_told_that_0_would_meet_its_certificate(tmp_path):
    """p(a^64) is about 6e-47, so an error of 1e-6 says nothing of it; console and card say so."""
    assert Fraction(1, 10**47) < THREE.weight("a" * 64) < Fraction(1, 10**46)
    written = export(THREE, Order(64), tmp_path / "model")
    said = "on the answer 0 would meet the error"
    assert said in written.summary() and said in (tmp_path / "model" / "README.md").read_text()
    assert written.guarantee.scale.evidence == CERTIFIED
    assert float(written.guarantee.scale.least) < 1e-46 < float(written.guarantee.scale.greatest)
    assert "--construction exact" in written.summary() and "--head next" in written.summary()


def test_the_length_from_which_0_meets_the_error_is_the_first_one():
    """All states of t letters and more are within ε at the t that is named, and not one before."""
    sizes = sizes_of(THREE, 64)
    first = sizes.empty_from(ball(EPS))
    assert sizes.bounds.greatest[first] <= ball(EPS) < sizes.bounds.greatest[first - 1]
    assert f"From t = {first} letters on" in emptiness(THREE, 64)


def test_errors_that_add_up_over_a_word_take_longer_to_say_nothing():
    slow = WFA.of([1], {"a": [["99/100"]]}, [1])
    sizes, error = sizes_of(slow, 2000), ball(Fraction(1, 100))
    assert sizes.empty_from(error) < sizes.empty_from(error, together=True)


def test_states_that_stay_large_have_a_relative_error_instead():
    said = emptiness(counting(), 64)
    assert (
        "answer 0" not in said and "Relative to the size of the state the error is at most" in said
    )


def test_small_states_of_some_words_are_seen_and_not_called_certified():
    """b^t keeps the state, a^t makes it small: 0 meets the error on some words alone."""
    sizes = sizes_of(FADING, 12)
    assert sizes.empty_from(ball(EPS)) is None
    assert "on some inputs that were seen" in emptiness(FADING, 12)
    cancelling = sizes_of(ROTATION, 12)
    assert cancelling.least(12)[1] == SEEN and sizes.least(12)[1] == CERTIFIED


def test_the_greedy_word_finds_the_smallest_state_and_avoids_0():
    assert smallest_word(FADING, 4) == ("a",) * 4
    seen = smallest_seen(FADING, 4, weights=False)[4]
    assert abs(seen - ball(Fraction(1, 10**4))) < ball(Fraction(1, 10**15))
    dead = WFA.of([1, 0], {"a": [[0, 0], [0, 0]], "b": [["1/2", 0], [0, 0]]}, [1, 1])
    assert smallest_word(dead, 3) == ("b",) * 3


def test_the_exact_model_is_not_advised_against_itself():
    _, guarantee = make(THREE, Order(64, "exact"))
    assert guarantee.error == "0" and float(guarantee.rounded) > 0
    size, empty, kept = guarantee.scale.sentences
    assert "Size of the state" in size and "Relative accuracy is kept" in kept
    assert f"would meet the error {guarantee.rounded} too" in empty


def test_a_c_that_was_given_has_no_error_and_no_scale():
    order = Order(8, attention="soft", feedforward="exact", saturation=50)
    assert make(THREE, order)[1].scale is None


def test_answers_and_trees_have_their_sizes_too():
    answer = report(THREE, 32)
    assert any("answer 0 would meet the error 1e-6" in line for line in answer.scale.sentences)
    trees = report(LEAVES, 10)
    assert trees.scale.evidence == CERTIFIED and "leaves" in trees.scale.sentences[0]


def test_every_rendering_of_the_answer_has_the_sentence():
    answer = asdict(report(THREE, 32))
    console = Console(record=True, width=400, file=StringIO())
    render.terminal(answer, console, long=False)
    said = "on the answer 0 would meet the error"
    for text in (render.markdown(answer), console.export_text()):
        assert said in text
    assert json.loads(render.data(answer))["scale"]["evidence"] == CERTIFIED


def test_relative_errors_are_certified_above_a_stated_size():
    """ε = 1e-3 relative to states of size 1e-4 and more asks for 1e-7."""
    order = Order(8, eps="1e-3", relative="1e-4")
    assert order.error == Fraction(1, 10**7)
    model, guarantee = make(THREE, order)
    assert float(guarantee.error) <= 1e-7
    assert any(line.startswith("Relative error in exact arithmetic: at most")
               for line in guarantee.scale.sentences)  # fmt: skip
    assert "Relative error" in contents(model, guarantee)["README.md"].decode()
    answer = report(THREE, 8, Fraction(1, 1000), relative=Fraction(1, 10**4))
    assert answer.eps == "1e-7" and "Relative error" in answer.scale.sentences[-1]


def test_a_relative_error_of_1_or_more_is_none():
    assert relative_sentence(flint.arb("1e-3"), Fraction(1, 10**4), "here").startswith(
        "No relative"
    )
    assert relative_sentence(flint.arb("1e-5"), Fraction(1, 10**4), "here").startswith("Relative")


@pytest.mark.parametrize("changes", [
    {"construction": "exact"}, {"head": "next"},
    {"attention": "soft", "feedforward": "exact", "saturation": 9},
])  # fmt: skip
def test_relative_is_refused_where_it_would_be_ignored(changes):
    with pytest.raises(InputError, match="relative"):
        make(THREE, Order(4, relative="1/10", **changes))


def test_an_error_of_0_empties_no_state_and_any_other_empties_a_state_of_0():
    sizes = sizes_of(WFA.of([1], {"a": [[0]]}, [1]), 2)
    assert not is_empty(sizes, flint.arb(0))
    assert is_empty(sizes, ball(EPS))
    assert not is_empty(sizes_of(ROTATION, 2), ball(EPS))
