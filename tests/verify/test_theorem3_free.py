"""Theorem 3 without masks: the proof by symbols, rationals, large trees; each seen to fail."""

from dataclasses import replace

import pytest

from constructions.arithmetic import Rational
from constructions.matrix import Matrix, Tensor
from constructions.random_trees import rational_wta
from constructions.theorem3_variants import build_free, free_layer, free_ranks
from constructions.transformer import Mask
from verify.check import Job
from verify.checks import theorem3_free
from verify.engines.tree_proof import Proof
from verify.engines.tree_states import Digest, Free, tally
from verify.engines.tree_weights import plain_layer
from verify.evidence import Outcome
from verify.recheck.errors import Refused
from verify.recheck.kinds import validators

JOB = Job()


def built(n=1):
    proof = Proof(n)
    return proof, free_layer(proof.symbols.automaton, proof.symbols["N"])


def with_head(layer, index, **changes):
    heads = list(layer.heads)
    heads[index] = replace(heads[index], **changes)
    return replace(layer, heads=tuple(heads))


def with_weight(layer, change):
    """The layer with one weight of its block after the other changed."""
    block = layer.feedforward
    for at, value in block.tensor.entries.items():
        entries = {**block.tensor.entries, at: change(value)}
        yield replace(layer, feedforward=replace(block, tensor=Tensor(block.tensor.shape, entries)))


def test_every_step_holds_and_certificates_are_confirmed():
    assert list(Proof(3).failures()) == []
    seen = list(theorem3_free.every_tree_without_masks_by_symbols(JOB))
    assert {item.outcome for item in seen} == {Outcome.HOLDS}
    assert validators()["trees.free-proof"](seen[0].certificate)
    assert "joined by hand" in seen[0].scope


@pytest.mark.parametrize("head", [0, 1, 2])
def test_every_changed_score_breaks_a_step(head):
    proof, layer = built()
    query = layer.heads[head].query
    for at, value in query.entries.items():
        wrong = with_head(layer, head, query=Matrix(query.shape, {**query.entries, at: value + 1}))
        assert list(replace(proof, layer=wrong).failures())


def test_every_changed_weight_of_the_block_breaks_a_step():
    proof, layer = built(2)
    for wrong in with_weight(layer, lambda value: value + 1):
        assert any(name.startswith("block") for name in replace(proof, layer=wrong).failures())


def test_a_mask_a_smaller_end_weight_and_another_value_are_noticed():
    proof, layer = built()
    masked = with_head(layer, 1, mask=Mask.CAUSAL)
    assert list(replace(proof, layer=masked).failures()) == ["masks: right: no mask"]
    weak = free_layer(proof.symbols.automaton, proof.symbols.ring.element(2))
    assert any(x.startswith("left: letter") for x in replace(proof, layer=weak).failures())
    value = Matrix(layer.heads[0].value.shape, {(0, 0): 1})
    assert (
        "masks: left: values" in replace(proof, layer=with_head(layer, 0, value=value)).failures()
    )


def test_a_failing_step_turns_the_evidence_around(monkeypatch):
    monkeypatch.setattr(theorem3_free.Proof, "failures", lambda self: iter(["left: letter"]))
    seen = list(theorem3_free.every_tree_without_masks_by_symbols(JOB))
    assert {item.outcome for item in seen} == {Outcome.FAILS}
    assert "left: letter" in seen[0].summary


def test_built_models_are_the_proved_layers_and_others_are_noticed(monkeypatch):
    assert not list(theorem3_free.unlike(13))
    monkeypatch.setattr(theorem3_free, "build_free", lambda a, t: build_free(a, t, layers=1))
    assert list(theorem3_free.unlike(13)) == ["not 2·height layers"]
    monkeypatch.setattr(theorem3_free, "build_free", lambda a, t: build_free(a, t + 3))
    assert "a layer is another one" in list(theorem3_free.unlike(13))


def test_a_certificate_with_another_weight_is_refused():
    body = {"kind": "trees.free-proof", "most": 1, "layers": [plain_layer(Proof(1))]}
    assert validators()["trees.free-proof"](body)
    for head, side, name, value in (
        ("left", 0, "place.0", ["3"]),
        ("right", 0, "target", ["1"]),
        ("own", 0, "place.0", ["1"]),
    ):
        forms = [[dict(form) for form in pair] for pair in body["layers"][0][head]]
        forms[0][side][name] = value
        with pytest.raises(Refused, match="head"):
            validators()["trees.free-proof"](
                {**body, "layers": [{**body["layers"][0], head: forms}]}
            )
    units = body["layers"][0]["units"]
    for k, unit in enumerate(units):
        other = [*units[:k], [*unit[:3], ["7"]], *units[k + 1 :]]
        with pytest.raises(Refused):
            validators()["trees.free-proof"](
                {**body, "layers": [{**body["layers"][0], "units": other}]}
            )


def test_small_trees_are_right_and_a_layer_too_few_is_noticed(monkeypatch):
    seen = list(theorem3_free.every_small_tree_without_masks(JOB))
    assert {item.outcome for item in seen} == {Outcome.HOLDS}
    assert validators()["trees.states"](seen[0].certificate)
    monkeypatch.setattr(theorem3_free, "tallest", lambda length: max((length + 2) // 3 - 2, 0))
    seen = theorem3_free.every_small_tree_without_masks(JOB)
    assert {item.outcome for item in seen} == {Outcome.FAILS}


def test_a_target_that_is_off_by_one_is_noticed(monkeypatch):
    batch = Free((tuple("[[ab][cd]]"),))
    assert tally(batch, rational_wta(2, 12), 4, Digest()).wrong == 0
    assert theorem3_free.engine_agrees("[[ab][cd]]")
    follow = Free.follow
    monkeypatch.setattr(Free, "follow", lambda self, target: follow(self, target - 1))
    assert tally(batch, rational_wta(2, 12), 4, Digest()).wrong > 0
    assert not theorem3_free.engine_agrees("[[ab][cd]]")


def test_a_tie_of_the_right_head_is_an_error():
    batch = Free((tuple("[ab]"),))
    with pytest.raises(ArithmeticError, match="tie"):
        batch.follow(batch.table({"a": 1}) / 2 + 1)


def test_a_position_is_due_two_layers_after_its_left_child():
    assert free_ranks("[[ab]c]") == {3: 0, 4: 0, 2: 2, 6: 0, 1: 4}
    assert free_ranks("[a[bc]]")[1] == 3


def test_symbols_run_through_the_dense_pass_and_a_layer_too_few_is_noticed():
    automaton, arithmetic = rational_wta(2, 12), Rational()
    whole, short = build_free(automaton, 7), build_free(automaton, 7, layers=3)
    assert not theorem3_free.variant_fails(whole, 3, arithmetic, lambda row: None)
    assert theorem3_free.variant_fails(short, 3, arithmetic, lambda row: None) == ["[[ab]c]"]
    seen = list(theorem3_free.small_trees_without_masks_with_symbols(JOB))
    assert {item.outcome for item in seen} == {Outcome.HOLDS}
    assert all(validators()["trees.generic"](item.certificate) for item in seen)
    with pytest.raises(Refused, match="digest"):
        validators()["trees.generic"]({**seen[0].certificate, "leaves": 3})


def test_large_trees_are_right_and_wrong_ranks_are_noticed(monkeypatch):
    seen = list(theorem3_free.large_trees_without_masks(JOB))
    assert {item.outcome for item in seen} == {Outcome.HOLDS}
    body = seen[0].certificate
    assert validators()["trees.families"](body)
    string, layers, digest = body["trees"][0]
    with pytest.raises(Refused, match="layers"):
        validators()["trees.families"](
            {**body, "trees": [[string, layers + 1, digest]], "count": 1}
        )
    monkeypatch.setattr(Free, "due", lambda self, symbols: dict.fromkeys(free_ranks(symbols), 0))
    seen = theorem3_free.large_trees_without_masks(JOB)
    assert {item.outcome for item in seen} == {Outcome.FAILS}


def test_no_head_of_the_construction_has_a_mask():
    model = build_free(rational_wta(2, 12), 13).transformer
    assert {head.mask for layer in model.layers for head in layer.heads} == {Mask.NONE}
