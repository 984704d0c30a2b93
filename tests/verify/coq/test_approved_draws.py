"""What the seeds of the runs decide, as it was approved: sizes, and constants C large enough for them."""

from dataclasses import replace
from pathlib import Path

import pytest
from approved_support import agree_with_approved, plain_data

from constructions.automata.trees import tokens
from verify.coq import runs, samples

APPROVED = Path(__file__).with_suffix(".json")
CONSTANTS = (runs.words_saturation, runs.decoder_saturation, runs.trees_saturation)


@pytest.mark.parametrize("model", runs.RUNS)
def test_sizes_and_constants_are_as_approved(model):
    found = [[draw.sizes, *(str(constant(draw)) for constant in CONSTANTS)]
             for draw in runs.draws(model, 1)]  # fmt: skip
    agree_with_approved(APPROVED, model, found)


def test_automata_words_and_trees_are_as_approved():
    draw = replace(runs.draws("sequences", 1)[0], n=3, length=7)
    words, trees = samples.words_automaton(draw), samples.trees_automaton(draw)
    found = [words, samples.word_of(draw), trees, samples.tree_of(draw)]
    agree_with_approved(APPROVED, "samples", plain_data(found))


def test_trees_of_many_leaves_are_as_approved():
    draw = replace(runs.draws("sequences", 1)[0], n=3)
    drawn = [samples.tree_of(replace(draw, length=length)) for length in (15, 55, 100)]
    found = ["".join(tokens(tree)) for tree in drawn]
    agree_with_approved(APPROVED, "trees of many leaves", found)
