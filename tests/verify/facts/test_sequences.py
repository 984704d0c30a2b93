"""Facts on sequence transformers hold, and each of them is seen to fail on a mutant."""

from dataclasses import replace
from fractions import Fraction

import pytest

from constructions import theorem1
from constructions.arithmetic import FreeMonoid
from constructions.core.matrix import Matrix, Tensor
from constructions.variants import carried_positions, nopads, unrolled
from verify.exactness import generic
from verify.exactness.routing import RoutedWords
from verify.facts import sequences as facts
from verify.facts.registry import Inputs, find, registered
from verify.judge import paper
from verify.judge.verdict import Verdict, own_judgement
from verify.recheck.kinds.sequences import with_pads

EVERY = ["theorem1", "third-head", "no-pads", "unrolled"]


@pytest.mark.parametrize("construction", EVERY)
def test_every_position_ends_with_its_prefix(construction):
    assert facts.words_at_positions(construction, 5, [8]).holds


@pytest.mark.parametrize("module", [theorem1, carried_positions, nopads, unrolled])
@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_codes_and_dense_exact_scores_agree(module, length):
    assert generic.prove_words(length, module.build, FreeMonoid()) is None


def flipped(layer, span):
    return Fraction(2 ** (layer - 1), span)


def shift_by_layer(layer, span):
    return Fraction(-layer, span)


def test_words_name_the_smallest_length_at_which_a_flipped_angle_fails(monkeypatch):
    monkeypatch.setattr(theorem1, "theta", flipped)
    assert facts.words_at_positions("theorem1", 5).witness == {"T": 2, "t": 0}


def test_a_shift_by_l_is_invisible_below_five_letters(monkeypatch):
    monkeypatch.setattr(theorem1, "theta", shift_by_layer)
    assert facts.words_at_positions("theorem1", 4).holds
    assert facts.words_at_positions("theorem1", 5).holds is False


@pytest.mark.parametrize("construction", ["third-head", "no-pads"])
def test_codes_that_are_not_doubled_are_noticed(monkeypatch, construction):
    good = carried_positions.tensor

    def kept(n):
        whole = good(n)
        cosine, sine = carried_positions.inner_layout(n)["code"]
        entries = {k: v for k, v in whole.entries.items() if k != (sine, sine, cosine)}
        return Tensor(whole.shape, entries)

    monkeypatch.setattr(carried_positions, "tensor", kept)
    assert facts.words_at_positions(construction, 5).holds is False


@pytest.mark.parametrize("construction", ["third-head", "no-pads"])
def test_a_third_head_that_carries_nothing_is_noticed(monkeypatch, construction):
    monkeypatch.setattr(
        carried_positions, "code_value", lambda n: Matrix.zeros(2 * n * n + 2, 2 * n * n + 2)
    )
    assert facts.words_at_positions(construction, 5).holds is False


def test_one_layer_fewer_is_not_enough_for_the_unrolled_transformer(monkeypatch):
    good = unrolled.build
    monkeypatch.setattr(unrolled, "build", lambda a, t: good(a, t, t - 1))
    assert facts.words_at_positions("unrolled", 3).witness == {"T": 1, "t": 1}


def test_layers_are_rounds_of_the_scan_and_a_flipped_angle_is_not(monkeypatch):
    assert facts.rounds([1, 2, 3, 5, 8]).holds
    monkeypatch.setattr(theorem1, "theta", flipped)
    assert facts.rounds([4]).witness == {"T": 4, "layer": 1, "t": 1}


def test_heads_look_a_power_of_two_back_and_a_flipped_angle_ahead(monkeypatch):
    assert facts.sources([1, 2, 4, 16]).holds
    monkeypatch.setattr(theorem1, "theta", flipped)
    assert facts.sources([1, 2, 4]).witness == {"T": 2, "row": 0}


def test_one_layer_on_fresh_symbols_sees_a_leak(monkeypatch):
    assert facts.layer_product([1, 2, 3]).holds
    monkeypatch.setattr(theorem1, "value", lambda n, side: Matrix.identity(theorem1.layout(n).size))
    assert facts.layer_product([1, 2, 3]).witness["n"] == 1


def test_layers_share_their_block_and_leave_the_positions_unwritten(monkeypatch):
    found = facts.layers_are_alike(2, 16)
    assert found.holds
    assert found.values == {"unwritten": [8, 9]}
    numbers = iter(range(9))
    good = theorem1.product_block
    monkeypatch.setattr(theorem1, "product_block", lambda n: replace(good(n), tensor=next(numbers)))
    assert facts.layers_are_alike(2, 16).witness == {"layer": 2}


def test_the_readout_gives_the_state_and_its_transpose_does_not(monkeypatch):
    assert facts.readout([1, 2, 3]).holds
    good = theorem1.readout

    def transposed(alpha):
        n = len(alpha)
        entries = {
            (n * n + (r - n * n) % n * n + (r - n * n) // n, j): v
            for (r, j), v in good(alpha).entries.items()
        }
        return Matrix((2 * n * n + 2, n), entries)

    monkeypatch.setattr(theorem1, "readout", transposed)
    assert facts.readout([1, 2]).witness == {"n": 2, "coordinate": 0}


def test_every_even_number_of_pads_is_enough():
    found = facts.pads_suffice([4, 8], fewer=True)
    assert found.holds
    assert found.values == {"enough": [[4, [2, 4]], [8, [2, 4, 6, 8]]]}
    assert facts.pads_suffice([2], fewer=True).witness == {"T": 2, "enough": [2]}


def test_without_pads_the_printed_construction_fails_from_two_letters_on():
    assert facts.pads_needed([2, 4]).holds
    assert facts.pads_needed([2, 1]).witness == {"T": 1}


@pytest.mark.parametrize("length", [1, 2, 3, 5, 6, 8])
def test_the_numbers_of_pads_that_suffice_are_those_of_another_computation(length):
    """Powers of two or not; up to M pads, which are always enough."""
    span = 1 << (length - 1).bit_length()
    found = {count: facts.enough_pads(length, count) for count in range(span + 1)}
    assert found == {count: with_pads(length, count) for count in range(span + 1)}
    assert found[span] and found[0] is (length == 1)


def test_a_word_has_one_state_more_than_letters():
    assert facts.rows("T", 4).witness == {"T": 1, "declared": 1, "listed": 2}
    assert facts.rows("T+1", 4).holds


def test_hard_attention_takes_the_nearest_code_and_refuses_a_tie():
    from constructions.core.transformer import Tie

    arithmetic = RoutedWords(4)
    codes = arithmetic.array([theorem1.position(t, 4) for t in (0, 2, 3)])
    asked = arithmetic.array([theorem1.position(t, 4) for t in (-1, 2, 5)])
    assert list(arithmetic.scores(asked, codes)) == [0, 1, 2]
    with pytest.raises(Tie):
        arithmetic.scores(arithmetic.array([theorem1.position(1, 4)]), codes)


@pytest.mark.parametrize(
    ("name", "module", "angle", "turned"),
    [
        ("thm1", carried_positions, "shift", lambda layer, step: step * (1 << 2 * (layer - 1))),
        ("thm1.any-length", theorem1, "theta", flipped),
    ],
)
def test_a_flipped_angle_of_ours_makes_a_statement_broken_and_never_refuted(
    monkeypatch, name, module, angle, turned
):
    statement = paper.load().statements[name]
    bindings = [b for b in statement.binding if b.fact != "coq.theorem"]
    alone = replace(statement, binding=tuple(bindings))

    def verdict():
        known = registered()
        found = {b.key: find(known[b.fact], [b.parameters], Inputs())[0] for b in bindings}
        return own_judgement(alone, found).rank

    assert verdict() is Verdict.CHECKED
    monkeypatch.setattr(module, angle, turned)
    assert verdict() is Verdict.BROKEN


@pytest.mark.parametrize("half", ["left", "position"])
def test_a_readout_that_reads_more_than_the_right_half_is_noticed(half, monkeypatch):
    right, layout = theorem1.readout, theorem1.layout
    assert facts.readout([2]).holds

    def wrong(alpha):
        found = right(alpha)
        return replace(found, entries={**found.entries, (layout(2)[half][0], 1): 1})

    monkeypatch.setattr(theorem1, "readout", wrong)
    assert facts.readout([2]).witness == {"n": 2, "coordinate": 1}
