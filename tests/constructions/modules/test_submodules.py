"""A transformer as nested modules: names, weights and hooks."""

import pytest
import torch
from torch import nn

from constructions import theorem1
from constructions.arithmetic.torch import Torch
from constructions.automata.families import counting
from constructions.core.matrix import Matrix
from constructions.core.transformer import MLP, Gated, Head, Layer, Transformer, run
from constructions.modules.submodules import (
    TransformerModule,
    has_hooks,
    head_names,
    is_same_weight,
)

MODEL = theorem1.build(counting(), 4).transformer
HEAD = (Matrix.identity(2), Matrix.identity(2), Matrix.identity(2))
UNITS = MLP(Matrix.identity(2), (1, 2), "relu", Matrix.identity(2), (0, 3))
GATED = Gated(Matrix.identity(2), Matrix.identity(2), "relu", Matrix.identity(2))


def layer(block, *heads):
    return Layer(heads, Matrix.identity(2), block, True)


def small_model(block, bias=None):
    head = Head(*HEAD, name="left", bias=(1, 0))
    return Transformer((layer(block, head),), Matrix.identity(2), bias=bias)


@pytest.mark.parametrize("block", [UNITS, GATED], ids=["units", "gated"])
@pytest.mark.parametrize("bias", [None, (5, 7)])
def test_the_pass_is_that_of_the_transformer(block, bias):
    model = small_model(block, bias)
    rows = [[1, 0], [3, 2]]
    found = TransformerModule(model)(torch.tensor(rows).double())
    assert torch.equal(found, run(model, Torch(), rows))


def test_names_read_like_the_paper():
    names = [name for name, _ in TransformerModule(MODEL).named_parameters()]
    for part in ("heads.left.query", "heads.right.value", "combine", "feedforward.tensor"):
        assert f"layers.0.{part}" in names
    assert "readout" in names
    small = dict(TransformerModule(small_model(UNITS, (1, 1))).named_parameters())
    assert {"layers.0.heads.left.bias", "layers.0.feedforward.offset", "bias"} <= set(small)


def test_a_head_has_its_own_name_where_that_is_free():
    heads = [Head(*HEAD, name=name) for name in ("left", "left", "", "values", "right")]
    assert head_names(layer(UNITS, *heads)) == ["left", "head1", "head2", "head3", "right"]


def test_a_weight_that_was_changed_is_no_longer_as_built():
    module = TransformerModule(small_model(UNITS, (5, 7)))
    assert module.as_built()
    for parameter in module.parameters():
        with torch.no_grad():
            parameter.add_(1)
            assert not module.as_built()
            parameter.sub_(1)
    assert module.as_built()
    assert is_same_weight(torch.tensor([0.1]), torch.tensor([0.1], dtype=torch.float64))
    assert not is_same_weight(torch.tensor([0.1]), torch.tensor([0.2], dtype=torch.float64))


@pytest.mark.parametrize(
    "listen",
    ["register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook",
     "register_full_backward_pre_hook"],
)  # fmt: skip
def test_every_kind_of_hook_is_seen(listen):
    module = nn.Linear(1, 1)
    assert not has_hooks([nn.Linear(1, 1), module])
    hook = getattr(module, listen)(lambda *_: None)
    assert has_hooks([nn.Linear(1, 1), module])
    hook.remove()
    assert not has_hooks([module])


def test_hooks_see_the_outputs_of_each_part():
    module, seen = TransformerModule(small_model(UNITS)), {}
    for name in ("layers.0.heads.left", "layers.0.feedforward", "layers.0"):
        module.get_submodule(name).register_forward_hook(
            lambda *given, name=name: seen.__setitem__(name, given[2].tolist())
        )
    module(torch.tensor([[1.0, 0.0]]).double())
    assert seen["layers.0.heads.left"] == [[1, 0]]
    assert seen["layers.0.feedforward"] == [[3, 5]], "relu((2, 0) + (1, 2)) + (0, 3)"
    assert seen["layers.0"] == [[5, 5]]
