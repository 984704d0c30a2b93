"""Interventions in libraries whose projections are joint, on small modules made by hand."""

from types import SimpleNamespace

import pytest

pytest.importorskip("torch")

import torch

from verify.circuits.allowance import RunBounds
from verify.circuits.run_state import RunState

HEADS, WIDTH, SIZE = 2, 3, 6


class Linear:
    """x W + b."""

    def __init__(self, rows, columns, bias=1.0):
        self.weight = torch.arange(float(rows * columns)).reshape(rows, columns)
        self.bias = torch.full((columns,), bias)

    def forward(self, x):
        """Apply it."""
        return x @ self.weight + self.bias


def state(sites, modules, joint=True, **seen):
    """A run with what was seen so far, and modules by site."""
    places = {"head 1.1": (1, 1), "head 0.0": (0, 0), "block 0": (0, None), "embed": (0, None)}
    parts = {name: SimpleNamespace(layer=place[0], head=place[1]) for name, place in places.items()}
    made = object.__new__(RunState)
    made.__dict__.update(
        library=SimpleNamespace(joint=joint), circuit=SimpleNamespace(sites=sites, by_name=parts),
        module=lambda site, layer: (modules[site], None), seen=seen,
        split=lambda x: x.reshape(*x.shape[:-1], HEADS, -1),
    )  # fmt: skip
    return made


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_joint_projection_has_three_parts(number):
    x = torch.zeros(1, 2, 3 * SIZE)
    found = RunState.columns(state({"key": f"attn columns {number}"}, {}), "key", x)
    assert found == slice(number * SIZE, (number + 1) * SIZE)
    assert RunState.columns(state({"key": "k_proj"}, {}), "key", x) == slice(None)


def test_what_a_component_added_is_what_was_seen_or_its_head_projected_alone():
    mixed = torch.arange(2.0 * SIZE).reshape(1, 2, SIZE)
    project = Linear(SIZE, 4)
    run = state({}, {"mixed": project})
    run.seen.update({("embedding", 0): "rows", ("block", 0): "block", ("mixed", 1): mixed})
    assert run.output_of("embed") == "rows" and run.output_of("block 0") == "block"
    alone = mixed.clone()
    alone[..., : SIZE // HEADS] = 0  # the other head
    assert torch.equal(run.output_of("head 1.1"), alone @ project.weight)
    normed = state({"heads": "attn"}, {})
    normed.seen["heads", 1] = "behind a norm"
    assert normed.output_of("head 1.1") == "behind a norm"


@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize("layer", [0, 1])
def test_a_projection_is_computed_again_for_one_head_from_what_it_is_to_see(norm, layer):
    sites = {"key": "attn columns 1"} | ({"norm": "ln"} if norm else {})
    twice = SimpleNamespace(forward=lambda x: 2 * x)
    run = state(sites, {"key": Linear(4, 3 * SIZE), "norm": twice})
    rows = {("embedding", 0): torch.ones(1, 2, 4), ("after", 0): torch.full((1, 2, 4), 3.0)}
    run.seen.update(rows)
    old = torch.full((1, 2, 3 * SIZE), -7.0)
    head = run.circuit.by_name["head 1.1" if layer else "head 0.0"]
    found = RunState.project_again(run, old, head, "key", lambda x: x + 1)
    seen = (rows["after", 0] if layer else rows["embedding", 0]) + 1
    whole = Linear(4, 3 * SIZE).forward(2 * seen if norm else seen)
    half = SIZE // HEADS
    where = slice(SIZE + head.head * half, SIZE + (head.head + 1) * half)
    assert torch.equal(found[..., where], whole[..., where])
    kept = torch.ones(3 * SIZE, dtype=torch.bool)
    kept[where] = False
    assert (found[..., kept] == -7).all() and (old == -7).all()


def test_the_stream_before_a_layer_is_that_after_the_layer_before():
    runs = [SimpleNamespace(embedded=[("a", "b")], after=[[("c",)], [("d", "e")], [("f",)]])] * 2
    before = lambda layer: RunBounds.stream_before(SimpleNamespace(runs=runs), layer)  # noqa: E731
    assert [before(layer) for layer in (0, 1, 2)] == [["a", "b"] * 2, ["c"] * 2, ["d", "e"] * 2]
