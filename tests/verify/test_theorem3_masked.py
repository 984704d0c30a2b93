"""Theorem 3 with depths and masks, for all trees by symbols: every changed weight breaks a step."""

from dataclasses import replace

import pytest

from constructions.matrix import Matrix, Tensor
from constructions.theorem3 import Places, Plan, build
from constructions.transformer import Mask
from verify.check import Job
from verify.checks import theorem3
from verify.engines.tree_proof_masked import MaskedProof
from verify.engines.tree_weights import plain_masked
from verify.evidence import Outcome
from verify.recheck.errors import Refused
from verify.recheck.kinds import validators

JOB = Job()


def with_head(layer, index, **changes):
    heads = list(layer.heads)
    heads[index] = replace(heads[index], **changes)
    return replace(layer, heads=tuple(heads))


def changed(matrix, change):
    """A matrix with one entry after the other changed."""
    for at, value in matrix.entries.items():
        yield Matrix(matrix.shape, {**matrix.entries, at: change(value)})


def failures(proof, kind, layer):
    return list(replace(proof, layers={kind: layer}).failures())


def test_every_step_holds_and_the_certificate_is_confirmed():
    assert list(MaskedProof(3).failures()) == []
    seen = list(theorem3.every_tree_with_masks_by_symbols(JOB))
    assert {item.outcome for item in seen} == {Outcome.HOLDS}
    assert validators()["trees.masked-proof"](seen[0].certificate)
    assert "joined by hand" in seen[0].scope


@pytest.mark.parametrize(("kind", "head"), [("first", 1), ("parse", 0), ("parse", 1)])
def test_every_changed_score_breaks_a_step(kind, head):
    proof = MaskedProof(1)
    layer = proof.weights(kind).layer
    for query in changed(layer.heads[head].query, lambda value: value + 1):
        assert failures(proof, kind, with_head(layer, head, query=query))
    for key in changed(layer.heads[head].key, lambda value: -value):
        assert failures(proof, kind, with_head(layer, head, key=key))


@pytest.mark.parametrize("kind", ["first", "second", "parse"])
def test_every_changed_weight_of_a_block_breaks_a_step(kind):
    proof = MaskedProof(2)
    layer = proof.weights(kind).layer
    tensor = layer.feedforward.tensor
    for at, value in tensor.entries.items():
        block = replace(
            layer.feedforward, tensor=Tensor(tensor.shape, {**tensor.entries, at: value + 1})
        )
        assert failures(proof, kind, replace(layer, feedforward=block))


def test_another_mask_and_a_smaller_weight_are_noticed():
    proof = MaskedProof(1)
    parse = proof.weights("parse").layer
    assert failures(proof, "parse", with_head(parse, 1, mask=Mask.NONE)) == ["masks: parse"]
    weak = Plan(1, 3, Places.LINE).parse_layer(proof.symbols.automaton)
    found = failures(proof, "parse", weak)
    assert "right: gap" in found
    assert "left: letter over kind 0" in found


def test_a_failing_step_turns_the_evidence_around(monkeypatch):
    monkeypatch.setattr(MaskedProof, "failures", lambda self: iter(["right: gap"]))
    seen = list(theorem3.every_tree_with_masks_by_symbols(JOB))
    assert {item.outcome for item in seen} == {Outcome.FAILS}


def test_built_models_are_the_proved_layers_and_others_are_noticed(monkeypatch):
    assert not list(theorem3.unlike(13))
    monkeypatch.setattr(theorem3, "build", lambda a, t, places: build(a, t, 1, places))
    assert list(theorem3.unlike(13)) == ["not one parse layer for each height"]
    monkeypatch.setattr(theorem3, "build", lambda a, t, places: build(a, t, None, Places.CIRCLE))
    found = list(theorem3.unlike(13))
    assert "a layer that finds depths is another one" in found
    assert "token 2 is embedded otherwise" in found


def test_a_certificate_with_another_weight_is_refused():
    body = {"kind": "trees.masked-proof", "most": 1, "layers": [plain_masked(MaskedProof(1))]}
    assert validators()["trees.masked-proof"](body)
    for part in ("first", "second", "parse"):
        units = body["layers"][0][part]
        for k, unit in enumerate(units):
            other = [*units[:k], [*unit[:3], ["7"]], *units[k + 1 :]]
            with pytest.raises(Refused, match=part):
                validators()["trees.masked-proof"](
                    {**body, "layers": [{**body["layers"][0], part: other}]}
                )
