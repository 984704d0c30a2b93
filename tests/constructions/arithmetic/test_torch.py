"""PyTorch's tensors: every step of a pass, in each format and for batches."""

from fractions import Fraction

import arithmetic_support as steps
import pytest
import torch

from constructions.arithmetic.torch import Torch, measurement_mode
from constructions.core.matrix import Matrix, Tensor
from constructions.core.transformer import Attention, Mask, Norm


def test_double_precision_is_the_default():
    assert Torch().dtype == torch.float64
    assert Torch().weight(Matrix((1, 1), {(0, 0): Fraction(1, 3)})).tolist() == [[1 / 3]]


def test_weights_are_rounded_once_to_a_narrow_format():
    narrow = Torch(torch.float16)
    assert narrow.weight(Matrix((1, 2), {(0, 1): Fraction(1, 3)})).tolist() == [
        [0, float(torch.tensor(1 / 3).half())]
    ]
    assert narrow.row([Fraction(1, 3)]).dtype == torch.float16


def test_of_equal_scores_a_hard_head_takes_the_first():
    scores, values = Torch().array([[1, 4, 4]] * 3), Torch().array(steps.VALUES)
    assert Torch().mix(scores, values, Attention.HARD, Mask.NONE).tolist() == [[0, 1]] * 3


def test_a_batch_is_computed_element_by_element():
    arithmetic = Torch()
    batch = torch.arange(24, dtype=torch.float64).reshape(2, 3, 4) % 7
    keys, values = batch.flip(1), batch[..., :2]
    tensor = arithmetic.tensor(Tensor((4, 4, 2), {(0, 3, 1): 2, (2, 1, 0): -1}))
    for attention in Attention:
        whole = arithmetic.mix(arithmetic.scores(batch, keys), values, attention, Mask.CAUSAL)
        for i in range(2):
            one = arithmetic.scores(batch[i], keys[i])
            assert torch.equal(whole[i], arithmetic.mix(one, values[i], attention, Mask.CAUSAL))
    for whole, one in (
        (arithmetic.contract(tensor, batch, keys), lambda i: arithmetic.contract(tensor, batch[i], keys[i])),
        (arithmetic.normalise(batch, Norm(True, 2)), lambda i: arithmetic.normalise(batch[i], Norm(True, 2))),
        (arithmetic.renew(batch, keys, range(2)), lambda i: arithmetic.renew(batch[i], keys[i], range(2))),
        (arithmetic.join([batch, keys]), lambda i: arithmetic.join([batch[i], keys[i]])),
    ):  # fmt: skip
        assert all(torch.equal(whole[i], one(i)) for i in range(2))


def test_a_measurement_takes_neither_gradients_nor_the_kernels_of_onednn_and_gives_both_back():
    weight = torch.ones(2, 2, requires_grad=True)
    before = torch.backends.mkldnn.enabled
    with pytest.raises(ZeroDivisionError), measurement_mode():
        assert not torch.backends.mkldnn.enabled and not (weight @ weight).requires_grad
        raise ZeroDivisionError
    assert torch.backends.mkldnn.enabled == before and (weight @ weight).requires_grad
