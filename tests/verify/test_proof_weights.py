"""Weights of proofs and program: what agrees gives no line, what differs is named."""

from dataclasses import replace
from functools import partial

import pytest

from constructions import theorem3, theorem3_variants
from constructions.matrix import Matrix
from verify import machine_checked as coq
from verify import proof_weights as weights
from verify.proof_weights import MODELS, Case, Unread, models_of, read, unequal

ONE = {
    "hidden": "size 4 4; 0 0 : h 1; 0 1 : h -1; 0 2 : h 1; 0 3 : h -1; "
    "1 0 : h 1; 1 1 : h -1; 1 2 : h -1; 1 3 : h 1",
    "bias": "size 1 4; 0 0 : b; 0 1 : b; 0 2 : b; 0 3 : b",
    "output": "size 4 4; 0 0 : s 1; 0 1 : s 1; 1 0 : s 1; 1 1 : s 1; "
    "2 0 : s -1; 2 1 : s -1; 3 0 : s -1; 3 1 : s -1",
    "offset": "size 1 4",
}
BY_NAME = {model.name: model for model in MODELS}


def printed(pairs):
    """Pairs of texts as Coq prints them."""
    return "; ".join(f'("{name}", "{text}")' for name, text in pairs.items())


def written(weight):
    """A weight of integers as the text that a proof would print for it."""
    if isinstance(weight, str):
        return weight
    shape = weight.shape if isinstance(weight, Matrix) else ()
    entries = weight.entries if isinstance(weight, Matrix) else weight
    lines = [f"{' '.join(map(str, place))} : {value}" for place, value in entries.items()]
    return "; ".join([" ".join(["size", *map(str, shape)]), *lines])


def word_case(n, length):
    automaton, word = weights.word_sample(n, length)
    return weights.hard_weights(automaton, word), partial(weights.word_number, automaton, word)


def test_weights_that_agree_give_no_line():
    built, number = word_case(1, 2)
    assert list(unequal("size 4 2; 2 0 : 1; 3 1 : 1", built["query"], number)) == []


def test_a_difference_names_its_entry():
    built, number = word_case(1, 2)
    flipped = "size 4 2; 2 0 : cos 1/2; 2 1 : minus sin 1/2; 3 0 : sin 1/2; 3 1 : cos 1/2"
    lines = list(unequal(flipped, built["left key 1"], number))
    assert [line.split(" is ")[0] for line in lines] == ["entry (2, 1)", "entry (3, 0)"]


def test_another_shape_is_a_difference():
    built, number = word_case(1, 2)
    assert "shape" in next(unequal("size 2 1 1", built["tensor"], number))


@pytest.mark.parametrize("name", ["sequences", "mlp", "trees", "free"])
def test_an_unknown_weight_is_refused(name):
    with pytest.raises(Unread, match="tan"):
        BY_NAME[name].cases[0].number(["tan", "1/2"])


def test_an_entry_that_is_printed_twice_is_refused():
    with pytest.raises(Unread, match="twice"):
        read("size 1 1; 0 0 : 1; 0 0 : 1", lambda words: int(words[0]))


def test_the_mlp_that_coq_prints_for_one_state_is_the_program_s():
    assert list(BY_NAME["mlp"].cases[0].differences(printed(ONE))) == []


def test_a_changed_sign_of_the_mlp_is_named_with_its_entry():
    changed = ONE | {"hidden": ONE["hidden"].replace("1 2 : h -1", "1 2 : h 1")}
    (line,) = BY_NAME["mlp"].cases[0].differences(printed(changed))
    assert "hidden: entry (1, 2)" in line


def test_a_missing_unit_and_a_missing_weight_are_differences():
    short = ONE | {"bias": "size 1 3; 0 0 : b; 0 1 : b; 0 2 : b"}
    assert "bias: shape (1, 3)" in next(BY_NAME["mlp"].cases[0].differences(printed(short)))
    del short["bias"]
    assert "weights ['bias']" in next(BY_NAME["mlp"].cases[0].differences(printed(short)))


def hard_tree(name):
    (case,) = [c for c in BY_NAME[name].cases if c.where == "n = 1, [ab]" and "Hard" in c.term]
    return case


@pytest.mark.parametrize("name", ["trees", "free"])
def test_a_changed_mask_or_head_of_the_program_is_seen(name, monkeypatch):
    case: Case = replace(hard_tree(name), number=lambda words: int(words[0]))
    text = printed({key: written(weight) for key, weight in case.program().items()})
    assert list(case.differences(text)) == []
    if name == "trees":
        monkeypatch.setattr(theorem3, "depth_weight", lambda tokens, places: 1)
    else:
        monkeypatch.setattr(theorem3_variants, "itself", theorem3_variants.own)
    assert list(case.differences(text))


def test_every_file_that_is_named_is_there_and_others_have_nothing_to_compare():
    known = set(coq.files())
    for model in MODELS:
        assert model.files <= known
        assert model.cases and "compared entry by entry for n = 1" in model.witness()
    assert models_of("Relu.v") == models_of("Trees.v") == ()
    assert [model.name for model in models_of("Theorem2MLP.v")] == ["sequences", "mlp"]


def test_a_block_that_the_proofs_do_not_have_is_refused():
    layer = theorem3.build(weights.tree_sample(1, "[ab]"), 4).transformer.layers[0]
    with pytest.raises(Unread, match="W_O"):
        weights.products(replace(layer, combine=Matrix.zeros(*layer.combine.shape)))
