"""What is compared with the proofs, as it was approved: terms, weights of the built models, numbers."""

import hashlib
from collections import Counter
from pathlib import Path

import pytest
from approved_support import agree_with_approved

from constructions.core.matrix import Matrix, Tensor
from verify.coq import weights_decoders, weights_trees, weights_words
from verify.coq.printed import Unit, Unread, read_unit, unequal_units
from verify.coq.weights import MODELS, Difference

APPROVED = Path(__file__).with_suffix(".json")
WORDS = ["0", "1", "cos 1/4", "sin 1/3", "minus alpha 1", "rootC 1", "rootC minus 1", "alpha 0",
         "letter 0 1 1", "letter 0 0 1", "letter 1 0 1", "letter 3 1 0", "letter 4 1 1"]  # fmt: skip
TREES = ["7", "-3", "minus 4", "C 3", "entry 1 0 1", "entry 2 0 1", "entry 3 1 1", "inverse 5",
         "vector 1 1", "vector 2 0", "low 2", "high 2", "sink", "h", "s", "b"]  # fmt: skip


def in_words(weight):
    """A weight as text, without respect to the order in which its entries were made."""
    if isinstance(weight, (Matrix, Tensor)):
        return f"{weight.shape} {sorted((at, str(x)) for at, x in weight.entries.items())}"
    if isinstance(weight, Counter):
        return str(sorted((str(unit), times) for unit, times in weight.items()))
    if isinstance(weight, dict):
        return str(sorted((at, str(x)) for at, x in weight.items()))
    return str(weight)


def digest(weights):
    texts = "\n".join(f"{name}: {in_words(weights[name])}" for name in sorted(weights))
    return f"{len(weights)} weights, sha256 {hashlib.sha256(texts.encode()).hexdigest()[:16]}"


@pytest.mark.parametrize("name", MODELS)
def test_the_weights_of_a_model_are_as_approved(name):
    found = [[case.where, case.term, dict(case.fixed), digest(case.program())]
             for case in MODELS[name].cases]  # fmt: skip
    agree_with_approved(APPROVED, name, found)


def test_numbers_of_proofs_read_as_approved():
    found = {
        "words": [str(weights_words.word_number(2, 3, text.split())) for text in WORDS],
        "clean": [str(weights_words.clean_number(2, 3, text.split()))
                  for text in ("C 3", "-12", *WORDS)],
        "trees": [str(weights_trees.tree_number(2, "[ab]", text.split())) for text in TREES],
    }  # fmt: skip
    agree_with_approved(APPROVED, "numbers", found)


@pytest.mark.parametrize(
    "read",
    [lambda words: weights_words.word_number(2, 3, words),
     lambda words: weights_words.clean_number(2, 3, words),
     lambda words: weights_trees.tree_number(2, "[ab]", words)],
)  # fmt: skip
def test_a_number_that_is_not_understood_is_refused_with_its_words(read):
    with pytest.raises(Unread, match="a weight reads 'luck of 7'"):
        read(["luck", "of", "7"])


def test_numbers_of_decoders_read_as_approved():
    relu, silu = weights_decoders.Design("relu"), weights_decoders.Design("silu", 3)
    readers = {
        "gated": weights_decoders.word_number(2, 3, relu, None),
        "plain": weights_decoders.word_number(2, 3, silu, weights_decoders.SATURATION),
        "tree": weights_decoders.tree_number(2, "[ab]", "silu", weights_decoders.SATURATION),
    }
    common = ["-4", "ratio 2/3", "over 0", "times 3 7", "plus 2 ratio 1/2", "score 1 5"]
    words = ["initial 1", "transition 2 0 1", "pergate 3", "over times 2 5"]
    asked = {"gated": [*common, *words], "plain": [*common, *words[:2], "step 3", "even 3", "odd 3"],
             "tree": [*common, "leaf 1 0", "tensor 1 0 1"]}  # fmt: skip
    found = {name: [str(reader(text.split())) for text in asked[name]]
             for name, reader in readers.items()}  # fmt: skip
    agree_with_approved(APPROVED, "numbers of decoders", found)
    for reader in readers.values():
        for text in ("luck", "3 4", "score 2 1"):
            with pytest.raises(Unread):
                reader(text.split())
    with pytest.raises(Unread, match="the derivatives of gelu"):
        weights_decoders.steps("gelu")


def test_a_script_evaluates_each_term_once_after_what_it_needs():
    model = MODELS["sequences"]
    lines = model.script("From Assay Require ChapterFirst.").splitlines()
    assert lines[1] == f"From Assay Require ChapterFirst. Import {model.modules}."
    asked = [line for line in lines if line.startswith("Redirect")]
    assert asked == [f'Redirect "term{k}" Eval vm_compute in ({term}).'
                     for k, term in enumerate(dict.fromkeys(case.term for case in model.cases))]  # fmt: skip
    assert model.witness(1).startswith(f"sequences: compared entry by entry for {model.sizes[0]}; ")
    assert str(Difference("trees", "n = 1", "readout", "other")) == "trees, n = 1, readout: other"


def test_hidden_units_that_only_one_side_has_are_told_with_their_number():
    numbers = {"h": 2, "s": 3, "b": 5, "1": 1, "7": 7}
    unit = read_unit("0 1 0 1 -1 : 4 = 7 , 2 = 1", lambda words: numbers[words[0]])
    assert unit == Unit(((0, 4),), 5, ((2, -3), (4, -21)))
    other = read_unit("0 1 1 -1 1 : 4 = 7", lambda words: numbers[words[0]])
    assert other == Unit(((0, 2), (1, -2)), 5, ((4, 21),))
    lines = list(unequal_units(Counter({unit: 2}), Counter({unit: 1, other: 3})))
    assert [line.partition(": ")[0] for line in lines] == [
        "1 hidden unit(s) only in the proof", "3 hidden unit(s) only in the program"]  # fmt: skip
    assert list(unequal_units(Counter({unit: 2}), Counter({unit: 2}))) == []
