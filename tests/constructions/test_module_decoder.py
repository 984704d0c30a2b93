"""A decoder as a torch module: padded batches, and what is refused."""

import pytest
import torch

from constructions.decoder import build
from constructions.errors import InputError
from constructions.families import hmm
from constructions.module_decoder import DecoderModule

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
