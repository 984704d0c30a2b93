"""A decoder as a torch module: padded batches, and what is refused."""

import pytest
import torch

from constructions import decoder_tree
from constructions.decoder import build
from constructions.errors import InputError
from constructions.families import counting, hmm
from constructions.module_decoder import DecoderModule
from constructions.wfa import WFA
from constructions.wta import WTA

HMM = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")


def test_words_of_different_lengths_share_a_batch_without_mixing():
    module = DecoderModule(build(HMM, 7, saturation=30))
    words = ["abbabba", "", "b", "ab"]
    for word, found in zip(words, module.states(words), strict=True):
        exact = torch.tensor(
            [[float(x) for x in state] for state in HMM.states(word)], dtype=torch.float64
        )
        assert found.shape == exact.shape
        assert torch.allclose(found, exact, rtol=0, atol=1e-9)
        assert torch.equal(found, module.states(["aaaaaaa", word])[1])


def test_a_longer_word_is_refused():
    module = DecoderModule(build(HMM, 3, saturation=30))
    with pytest.raises(InputError, match="word"):
        module(torch.zeros((1, 5), dtype=torch.int64))


def test_a_decoder_takes_an_empty_batch_and_names_tokens_out_of_range():
    module = DecoderModule(build(counting(), 4, saturation=40))
    assert module.encode([]).shape == (0, 1)
    assert module.states([]) == []
    for number in (-1, 3):
        with pytest.raises(InputError, match=f"token: found {number}, expected a number from 0 to"):
            module(torch.tensor([[2, number]]))


def test_a_decoder_reads_words_and_trees_as_the_other_models_do():
    long = DecoderModule(build(WFA.of([1], {"a": [[2]], "aa": [[3]]}, [1]), 4, saturation=40))
    with pytest.raises(InputError, match="expected a list of symbols: aa has several characters"):
        long.states(["aaa"])
    adder = WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
    trees = DecoderModule(decoder_tree.build(adder, 10, saturation=40))
    for tree in ("[a [b a]]", "(a (b a))", ("a", ("b", "a"))):
        (found,) = trees.states([tree])
        assert round(found[-1, 0].item(), 6) == 7


def test_the_refusal_of_a_longer_word_counts_its_letters():
    """Five tokens are BOS and four letters."""
    module = DecoderModule(build(HMM, 3, saturation=30))
    with pytest.raises(InputError, match="4 letters, expected at most 3"):
        module(torch.zeros((1, 5), dtype=torch.int64))
