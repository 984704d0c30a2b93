"""Runs at drawn sizes: built models have the automaton's states, and mutants for large sizes do not."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from constructions import decoder, theorem1
from constructions.core.matrix import Tensor
from constructions.core.transformer import Attention, Mask
from constructions.variants import logdepth_clean, theorem3_clean
from verify.coq import runs, samples
from verify.coq.printed import Unread
from verify.coq.weights import MODELS, run
from verify.recheck.kinds import coq as kinds

SEEDS = (3, 20_260_101)


def test_every_model_that_is_compared_is_run():
    assert runs.RUNS.keys() == MODELS.keys() == kinds.RUNS.keys()


@pytest.mark.parametrize("model", [pytest.param(m, marks=pytest.mark.slow) for m in MODELS])
@pytest.mark.parametrize("seed", SEEDS)
def test_built_models_have_the_automaton_s_states(model, seed):
    assert runs.mistakes(model, seed) == []


@pytest.mark.parametrize("model", ["no-pads", "trees", "free", "tree-units", "mlp"])
def test_small_runs_have_the_automaton_s_states(model):
    assert runs.mistakes(model, samples.new_seed()) == []


# Sizes


def test_the_seed_decides_the_sizes_and_the_re_checker_finds_them_again():
    for seed in range(50):
        for model in MODELS:
            sizes = [draw.sizes for draw in runs.draws(model, seed)]
            assert sizes == kinds.drawn_sizes(model, seed)
    assert len({tuple(kinds.drawn_sizes("sequences", seed)) for seed in range(50)}) == 50


def test_a_run_has_a_new_seed_unless_the_user_gives_one(monkeypatch):
    monkeypatch.delenv(samples.SEED, raising=False)
    assert len({samples.new_seed() for _ in range(5)}) > 1
    monkeypatch.setenv(samples.SEED, "17")
    assert samples.new_seed() == 17


def test_every_seed_draws_a_long_and_a_wide_model():
    for seed in range(50):
        long, wide, *_ = runs.draws("sequences", seed)
        assert theorem1.span(long.length) == 4096
        assert wide.n >= 7
        assert runs.draws("clean-trees", seed)[0].n >= 5
        assert runs.draws("decoder", seed)[0].length > 200


# Mutants that only large sizes show


def wrong_turn(layer, span):
    return Fraction(-(2 ** (layer - 1)) + (span >= 4096), span)


def transposed(n):
    tensor = TENSOR(n)
    swapped = {(b, a, c): x for (a, b, c), x in tensor.entries.items()}
    return Tensor(tensor.shape, swapped) if n >= 7 else tensor


def doubled(automaton):
    units = TAKEN(automaton)
    return [(*rest, 2 * weight) for *rest, weight in units] if automaton.n >= 5 else units


def doubled_states(automaton):
    units = STATES(automaton)
    return [(*rest, 2 * weight) for *rest, weight in units] if automaton.n >= 5 else units


def frozen(self):
    rows = POSITIONS(self)
    return [rows[min(t, 200)] for t in range(len(rows))]


TENSOR, TAKEN = theorem1.tensor, theorem3_clean._letter_removal
STATES = logdepth_clean._states
POSITIONS = decoder.DecoderSimulation.position_rows
MUTANTS = {
    "θ is wrong for spans from 4096 on": ("sequences", 0, theorem1, "theta", wrong_turn),
    "the tensor is transposed for n ≥ 7": ("sequences", 1, theorem1, "tensor", transposed),
    "what is taken away is doubled for n ≥ 5": (
        "clean-trees",
        0,
        theorem3_clean,
        "_letter_removal",
        doubled,
    ),
    "states of logarithmic depth are doubled for n ≥ 5": (
        "logdepth-trees",
        0,
        logdepth_clean,
        "_states",
        doubled_states,
    ),
    "positions of a decoder are frozen from t = 200": (
        "decoder",
        0,
        decoder.DecoderSimulation,
        "position_rows",
        frozen,
    ),
}


@pytest.mark.parametrize("what", [
    pytest.param(what, marks=pytest.mark.slow if "4096" in what else ()) for what in MUTANTS
])  # fmt: skip
def test_a_mutant_for_large_sizes_is_refused(monkeypatch, what):
    model, place, owner, name, change = MUTANTS[what]
    monkeypatch.setitem(runs.RUNS, model, runs.RUNS[model][: place + 1])
    monkeypatch.setattr(runs, "draws", lambda m, seed: DRAWS(m, seed)[place:])
    monkeypatch.setattr(owner, name, change)
    found = [str(line) for line in run(model, SEEDS[0])]
    assert any("the automaton has" in line and "seed 3" in line for line in found)


DRAWS = runs.draws


def test_a_mutant_of_softmax_is_refused(monkeypatch):
    monkeypatch.setattr(runs, "words_saturation", lambda draw: Fraction(2))
    monkeypatch.setattr(runs, "draws", lambda m, seed: DRAWS(m, seed)[3:])
    assert runs.mistakes("sequences", SEEDS[0])


# The arithmetic


def test_a_hard_head_takes_the_largest_score_and_refuses_one_that_is_too_near():
    certain = runs.Certain()
    queries, keys = np.array([[1.0], [2.0]]), np.array([[1.0], [3.0], [2.0]])
    values = np.array([[5.0], [6.0], [7.0]])
    mixed = certain.mix((queries, keys), values, Attention.HARD, Mask.NONE)
    assert mixed.tolist() == [[6.0], [6.0]]
    assert certain.mix((queries, keys[:2]), values[:2], Attention.HARD, Mask.CAUSAL).tolist() == [
        [5.0],
        [6.0],
    ]
    near = np.array([[1.0], [1.0 + 2**-50]])
    with pytest.raises(Unread, match="row 0 are too near"):
        certain.mix((queries, near), values[:2], Attention.HARD, Mask.NONE)


def test_states_of_the_automata_are_small_integers():
    draw = replace(runs.draws("sequences", 1)[1], length=12)
    automaton = samples.words_automaton(draw)
    states = automaton.states(samples.word_of(draw))
    assert {abs(x) for state in states for x in state} <= {0, 1}
    assert len(set(map(tuple, states))) > 3
