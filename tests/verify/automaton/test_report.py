"""The reader's own automaton: hypotheses with witnesses, sizes, errors, what may be cited."""

from fractions import Fraction

import flint
import pytest
import torch
from multiplication_support import printed_route

from constructions import theorem1, theorem2
from constructions.automata.families import counting, dfa, k_counting, scalar
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.blocks.multiplication import slim_multiplier
from constructions.core.errors import InputError
from constructions.core.installing import how_to_install
from constructions.core.sizes import sizes as measured
from constructions.modules.word_module import to_torch
from verify.automaton import float_runs, rounding
from verify.automaton.report import report
from verify.automaton.report_data import AutomatonReport, Hypothesis, Status
from verify.automaton.sizes import for_sequences
from verify.bounds.floating import FORMATS
from verify.bounds.growth import products

ADDER = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})


SWAP = dfa(2, 0, [0], {"a": [1, 0], "b": [0, 1]})


def named(answer: AutomatonReport, name: str) -> Hypothesis:
    (found,) = [h for h in answer.hypotheses if h.name == name]
    return found


def figure(answer: AutomatonReport, name: str) -> str:
    (found,) = [f.value for f in answer.quantities if f.name == name]
    return found


ALWAYS = {"no attention error after layer 1", "a readout that adds no error"}


def test_an_isometry_meets_what_concerns_norms_of_maps() -> None:
    answer = report(SWAP, 8)
    assert {h.name for h in answer.unmet} == ALWAYS
    assert named(answer, "norms at most 1").status is Status.MET
    assert named(answer, "identity pads no larger than the maps").status is Status.MET


def test_a_norm_above_one_is_named_with_its_symbol() -> None:
    answer = report(counting(), 8)
    assert {h.name for h in answer.unmet} - ALWAYS == {
        "norms at most 1", "products at each layer as small as single maps"
    }  # fmt: skip
    assert "σ = 0" in named(answer, "norms at most 1").witness
    assert "layer 2" in named(answer, "products at each layer as small as single maps").witness
    assert "w = 0^2" in named(answer, "products at each layer as small as single maps").witness


def test_pads_are_larger_than_strict_contractions() -> None:
    answer = report(scalar("1/2"), 4)
    assert {h.name for h in answer.unmet} - ALWAYS == {"identity pads no larger than the maps"}


def test_many_states_leave_a_norm_of_exactly_one_undecided() -> None:
    n = 50
    half = [[Fraction(int(i == j), 2) for j in range(n)] for i in range(n)]
    turn = {(0, 0): "3/5", (0, 1): "4/5", (1, 0): "-4/5", (1, 1): "3/5"}
    turned = [
        [turn.get((i - j + j % 2, j % 2), 0) if i // 2 == j // 2 else 0 for j in range(n)]
        for i in range(n)
    ]
    for rows, status in ((half, Status.MET), (turned, Status.UNDECIDED)):
        answer = report(WFA.of([1] * n, {"a": rows}, [1] * n), 2)
        assert named(answer, "norms at most 1").status is status
    assert figure(answer, "error of the soft model at this C, float64").startswith("not measured")


def test_relu_cannot_be_met_by_any_automaton() -> None:
    for automaton in (SWAP, ADDER):
        found = named(report(automaton, 4, activation="relu"), "activation smooth at a point")
        assert found.status is Status.CANNOT
        assert "1/8712" in found.witness


@pytest.mark.parametrize("length", [1, 2, 5, 8])
@pytest.mark.parametrize("automaton", [scalar(2), counting(), k_counting(2, 3)], ids=lambda a: a.n)
def test_sizes_in_closed_form_are_those_of_the_built_models(automaton: WFA, length: int) -> None:
    radius, eps = Fraction(2), Fraction(1, 10)
    built = [
        theorem1.build(automaton, length),
        theorem2.build(automaton, length, 9, slim_multiplier(automaton.n, "tanh", radius, eps)),
        theorem2.build(automaton, length, 9, printed_route(automaton.n, "tanh", radius, eps)),
    ]
    for claimed, model in zip(for_sequences(automaton, length), built, strict=True):
        found = measured(model.transformer)
        for name in ("depth", "embedding", "attention", "feedforward", "heads", "parameters"):
            assert getattr(claimed, name) == getattr(found, name), (claimed.name, name)
        assert claimed.tokens == 2 * model.span


def test_a_smaller_constant_would_not_do() -> None:
    answer = report(counting(), 4, Fraction(1, 1000))
    module = to_torch(
        theorem2.build(counting(), 4, int(figure(answer, "saturating constant C")) // 4)
    )
    exact = torch.tensor([[float(w) for w in s] for s in counting().states("0000")])
    with torch.no_grad():
        assert float(torch.linalg.norm(module(module.encode(["0000"]))[0] - exact)) > 1e-3


def test_short_formats_are_not_certain_of_long_rows() -> None:
    with flint.ctx.workprec(128):
        by_name = {p.name: p for p in FORMATS}
        assert not rounding.attention_is_right(by_name["bfloat16"], 64)
        assert not rounding.attention_is_right(by_name["float16"], 64)
        assert rounding.attention_is_right(by_name["float32"], 64)
        assert rounding.attention_is_right(by_name["float64"], 4096)


def test_a_product_that_may_overflow_has_no_bound() -> None:
    with flint.ctx.workprec(128):
        half = next(p for p in FORMATS if p.name == "float16")
        found = products(scalar(2), 16)
        assert not rounding.state_error(half, scalar(2), 16, found).is_finite()
    (row,) = [f for f in report(scalar(2), 16).formats if f.name == "float16"]
    assert (row.certified, row.suffices) == ("none", "no")


def test_tree_hypotheses_name_the_comb() -> None:
    unmet = report(ADDER, 22).unmet
    assert [h.name for h in unmet] == ["depth of order log T"]
    assert "comb with 8 leaves has height 7" in unmet[0].witness
    assert report(ADDER, 4).unmet == ()


def test_the_sentence_comes_with_the_sizes_and_constants_of_the_tables() -> None:
    hmm = WFA.from_hmm([1, 0], [["1/2", "1/2"], [0, 1]], [[1, 0], ["1/4", "3/4"]], "ab")
    answer = report(hmm, 4)
    assert answer.sentence.startswith(
        "Your 2-state HMM is simulated exactly by 2 layers of width 10"
    )
    constant = int(figure(answer, "saturating constant C, with MLPs"))
    assert f"C = {constant:,}" in answer.sentence
    assert "on all 2^4 words" in answer.sentence
    assert answer.certified
    refused = report(hmm, 4, activation="relu")
    assert not refused.certified
    assert "Theorem 2 does not apply" in refused.sentence


BIG = WFA.of([300], {"a": [[300]]}, [1])


def format_row(answer: AutomatonReport, name: str) -> object:
    (row,) = [f for f in answer.formats if f.name == name and f.model in ("exact", "tree")]
    return row


def test_a_state_that_overflows_has_no_certificate() -> None:
    row = format_row(report(BIG, 1, Fraction(1000)), "float16")
    assert (row.certified, row.range, row.suffices) == ("none", "may overflow", "no")
    assert format_row(report(BIG, 1, Fraction(1000)), "float32").suffices == "certified"


def test_underflow_is_ruled_out_only_where_no_weight_is_negative() -> None:
    by_name = {p.name: p for p in FORMATS}
    with flint.ctx.workprec(128):
        assert rounding.nothing_vanishes(by_name["float64"], scalar("1/2"), 64)
        assert not rounding.nothing_vanishes(by_name["float16"], scalar("1/2"), 64)
        assert not rounding.nothing_vanishes(by_name["float64"], scalar("-1/2"), 4)
        assert not rounding.nothing_vanishes(by_name["float64"], scalar("1/1000000"), 64)


def test_a_zero_automaton_needs_no_saturation() -> None:
    answer = report(WFA.of([0], {"a": [[2]]}, [1]), 4)
    assert figure(answer, "saturating constant C") == "0"
    assert figure(answer, "saturating constant C, with MLPs") == "0"
    assert "C = 0 and h = 2^-1 keep all states" in answer.sentence


def test_without_torch_the_tables_give_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(float_runs, "has_torch", lambda: False)
    for automaton in (counting(), ADDER):
        assert all(how_to_install("torch") in row.measured for row in report(automaton, 4).formats)


@pytest.mark.parametrize("length", [0, -3, True, 5000, 10**12])
def test_lengths_out_of_range_are_refused(length: int) -> None:
    with pytest.raises(InputError, match="length"):
        report(counting(), length)


def test_an_eps_too_small_is_refused() -> None:
    with pytest.raises(InputError, match="eps"):
        report(counting(), 4, Fraction(1, 10**1001))
