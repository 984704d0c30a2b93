"""Sizes of models are compared with the print, and other sizes are noticed."""

import pytest

from constructions import theorem1
from constructions.variants import carried_positions
from verify.facts import sizes as facts

PRINTED = {"depth": "⌈log₂ T⌉", "embedding": "2n²+2", "attention": "2n²+2", "feedforward": "2n²"}


def test_theorem_1_has_its_printed_sizes():
    assert facts.model_sizes("theorem1", PRINTED | {"heads": "2"}, [1, 2, 3], [2, 3, 8]).holds


@pytest.mark.parametrize("name", PRINTED)
def test_another_printed_size_is_noticed(name):
    found = facts.model_sizes("theorem1", {**PRINTED, name: "2n²+7"}, [1], [2])
    assert found.witness["size"] == name
    assert found.witness["printed"] == 9


def test_log_t_is_no_whole_number_at_three_letters():
    assert facts.model_sizes("theorem1", {"depth": "log₂ T"}, [1], [2, 4]).holds
    assert facts.model_sizes("theorem1", {"depth": "log₂ T"}, [1], [2, 3]).witness == {
        "n": 1,
        "T": 3,
        "size": "depth",
        "printed": None,
        "built": 2,
    }


def test_a_layer_too_many_is_noticed(monkeypatch):
    good = theorem1.layers
    monkeypatch.setattr(theorem1, "layers", lambda *a, **k: 2 * good(*a, **k))
    assert facts.model_sizes("theorem1", PRINTED, [1], [2]).witness["built"] == 2


def test_the_model_without_pads_has_one_token_more_than_letters():
    sizes = {"tokens": "T+1", "heads": "3", "embedding": "2n²+2", "feedforward": "2n²+4"}
    assert facts.model_sizes("no-pads", sizes, [1, 2], [2, 3, 5]).holds


def test_a_head_fewer_is_noticed(monkeypatch):
    good = carried_positions.heads
    monkeypatch.setattr(carried_positions, "heads", lambda *a: good(*a)[:2])
    assert facts.model_sizes("no-pads", {"heads": "3"}, [1], [2]).witness["built"] == 2


def test_a_single_letter_needs_no_layer():
    assert facts.model_sizes("theorem1", {"depth": "0", "heads": "0"}, [1], [1]).holds


TREES = {
    "masked": {"embedding": "n+6", "attention": "n+6", "heads": "3", "depth": "h+2"},
    "clean": {"embedding": "2n+8", "attention": "2n+8", "heads": "3", "depth": "2h"},
    "logdepth": {"embedding": "n²+n+12", "heads": "4", "products": "n³+2n²+3n+17"},
}


@pytest.mark.parametrize("construction", TREES)
def test_models_of_trees_have_their_sizes_and_another_size_is_noticed(construction):
    sizes = TREES[construction]
    assert facts.model_sizes(construction, sizes, [1, 2], [4, 7, 10]).holds
    for name in sizes:
        found = facts.model_sizes(construction, {**sizes, name: "n+99"}, [2], [10])
        assert found.witness["size"] == name and found.witness["printed"] == 101


def test_a_logarithm_vanishes_against_the_length_and_half_of_it_does_not():
    assert facts.depth_vanishes("⌈log₂ T⌉").holds
    assert facts.depth_vanishes("7").holds
    assert facts.depth_vanishes("T").witness == {"limit": "1"}
    assert facts.depth_vanishes("2T+5").witness == {"limit": "2"}
