"""Checks on strings of trees, combs and grammars; and certificates on trees, confirmed and refused."""

import copy
import hashlib

import pytest

from constructions.wta import WTA
from verify.check import Job
from verify.checks import tree_texts, tree_words, trees
from verify.claims.model import PAPER_SHA256, Name
from verify.engines.tree_sides import collision, comb_values, inside, prefix_free
from verify.evidence import Outcome
from verify.recheck import trees_side
from verify.recheck.errors import Refused
from verify.recheck.kinds import validators

JOB = Job()
PAIR = {"tensor": [[["1"]]], "leaves": {"a": ["2"], "b": ["3"]}}


def outcomes(evidence):
    return {(item.claim, item.reading): item.outcome for item in evidence}


def confirmed(evidence):
    return all(
        validators()[x.certificate["kind"]](x.certificate) for x in evidence if x.certificate
    )


def test_strings_differ_and_a_writer_that_drops_brackets_is_noticed(monkeypatch):
    seen = list(trees.strings_of_all_small_trees(JOB))
    assert {item.outcome for item in seen} == {Outcome.HOLDS}
    assert confirmed(seen[:1])
    monkeypatch.setattr(trees, "prefix_free", lambda strings: False)
    seen = trees.strings_of_all_small_trees(JOB)
    assert {item.outcome for item in seen} == {Outcome.FAILS}


def test_prefixes_are_found():
    assert prefix_free({("a",), ("[", "a", "b", "]")})
    assert not prefix_free({("a",), ("a", "b")})


def test_slips_have_their_smallest_trees(monkeypatch):
    seen = list(trees.small_slips_on_strings(JOB))
    assert outcomes(seen)["tree.str.injective", Name.LITERAL] is Outcome.FAILS
    assert confirmed(seen)
    monkeypatch.setattr(trees, "collision", lambda letters, leaves: collision("ab", leaves))
    assert trees.bracket_letters().outcome is Outcome.UNKNOWN


def test_lengths_and_states_are_noticed_when_wrong(monkeypatch):
    seen = [*trees.strings_have_their_own_lengths(JOB), *trees.a_wta_computes_bottom_up(JOB)]
    assert Outcome.UNKNOWN not in {item.outcome for item in seen}
    assert confirmed(seen)
    monkeypatch.setattr(WTA, "state", lambda self, tree: (0,) * self.n)
    assert {e.outcome for e in trees.a_wta_computes_bottom_up(JOB)} == {Outcome.FAILS}


def test_a_comb_is_a_word_and_a_wrong_automaton_is_noticed(monkeypatch):
    seen = list(tree_words.a_comb_is_a_word(JOB))
    assert {item.outcome for item in seen} == {Outcome.HOLDS}
    assert confirmed(seen[:1])
    other = WTA.of([1, 1], [[[1, 0], [0, 1]], [[0, 0], [1, 0]]], {"a": [1, 1], "b": [0, 1]})
    monkeypatch.setattr(tree_words, "comb_values", lambda automaton: comb_values(other))
    assert not tree_words.comb_agrees(trees.random_wta(2, 12), 3)


def test_grammars_sum_over_trees_and_a_wrong_sum_is_noticed(monkeypatch):
    seen = list(tree_words.grammars_and_words(JOB))
    assert outcomes(seen)["pre.wta.wcfg", Name.CHARITABLE] is Outcome.HOLDS
    assert outcomes(seen)["pre.wta.wcfg", Name.LITERAL] is Outcome.FAILS
    assert confirmed(seen)
    monkeypatch.setattr(
        tree_words, "inside", lambda rules, branch, word: inside(rules, 2 * branch, word)
    )
    seen = outcomes(tree_words.grammars_and_words(JOB))
    assert seen["pre.wta.wcfg", Name.CHARITABLE] is Outcome.FAILS


def test_another_text_than_the_paper_confirms_nothing(tmp_path):
    other = tmp_path / "paper.tex"
    other.write_text("\\appendix\nA corollary on tree automata.\n")
    seen = list(tree_texts.what_the_text_says(Job(paper=other)))
    assert all(item.certificate is None for item in seen)
    assert Outcome.HOLDS not in {item.outcome for item in seen}
    assert not list(tree_texts.what_the_text_says(Job()))
    assert tree_texts.worded("a\\footnote{b {c} d} e") == "a e"


SAMPLES = [
    {"kind": "trees.position", "rule": "depth", "tokens": list("[ab]"), "position": 2,
     "printed": "0", "true": "1"},
    {"kind": "trees.rule", "rule": "depth", "reading": "repaired", "leaves": 3, "positions": 14},
    {"kind": "trees.left-head", "longest": 6, "turn": 1, "positions": 20},
    {"kind": "trees.left-last", "length": 4, "attended": 4},
    {"kind": "trees.nearness", "longest": 6, "steps": 20},
    {"kind": "trees.right-head", "depth": "printed", "step": "literal", "tokens": list("[ab]"),
     "position": 1, "child": 3, "attended": [[0, 2]]},
    {"kind": "trees.early-head", "step": "literal", "tokens": list("[[a[bc]]d]"), "position": 1,
     "attended": [[k, 2] for k in range(9)]},
    {"kind": "trees.step-head", "leaves": 4, "brackets": 20},
    {"kind": "trees.never-early", "leaves": 4, "brackets": 20, "longest": 24},
    {"kind": "trees.rank", "length": 10, "rank": 8, "width": 7},
    {"kind": "trees.step", "length": 4, "i": 1, "j": 3, "terms": [0, 1], "last": 1},
    {"kind": "trees.step-repaired", "lengths": [4], "offsets": 7},
    {"kind": "trees.fourier", "terms": [[4, 2]], "pairs": 2},
    {"kind": "trees.fourier-width", "length": 4, "terms": 2, "columns": 11},
    {"kind": "trees.shapes", "leaves": 4, "shapes": 9, "positions": 49, "automata": [PAIR]},
    {"kind": "trees.state", "automaton": PAIR, "tokens": list("[ab]"), "right": 2, "state": ["4"],
     "true": ["6"]},
    {"kind": "trees.staircase", "n": 1, "length": 10, "width": 7, "rank": 9},
    {"kind": "trees.layers", "rows": [[16, 4, 15], [100, 7, 99]], "count": 2},
    {"kind": "trees.sizes", "road": "masks", "rows": [[1, 7, 4, 7, 7, 3]], "count": 1},
    {"kind": "trees.conventions", "printed": [["[ab]", 2], ["a", 0]], "leaves": [1, 0]},
    {"kind": "trees.order", "values": [715, 1820, 3876, 7315, 12650, 20475], "degree": 4},
    {"kind": "trees.square", "longest": 4, "step": "1/64", "bound": "3/128"},
    {"kind": "trees.layer-count", "rows": [[0, 2], [1, 3], [2, 4]], "count": 3},
    {"kind": "trees.size", "what": "embedding", "n": 3, "p": 2, "value": 9},
    {"kind": "trees.degree", "degree": 4},
    {"kind": "trees.markers", "letter": 0, "open": 1, "close": -1},
    {"kind": "trees.strings", "letters": 2, "leaves": 3, "trees": 22},
    {"kind": "trees.word", "tokens": list("[ab]"), "alphabet": ["a", "b"]},
    {"kind": "trees.repeated", "tokens": list("[aa]"), "subtrees": 2, "positions": 3},
    {"kind": "trees.lengths", "length": 4, "tokens": ["a"]},
    {"kind": "trees.loop", "loop": "1", "leaf": "1", "sums": ["1", "2"]},
    {"kind": "trees.cancel", "automaton": {"tensor": [[["1", "0"], ["0", "0"]],
     [["-1", "0"], ["0", "0"]]], "leaves": {"a": ["1", "0"]}}, "alpha": ["1", "1"],
     "tokens": list("[aa]"), "state": ["1", "-1"]},
    {"kind": "trees.heights", "leaves": 4, "shapes": 9},
    {"kind": "trees.convention", "tokens": list("[ab]"), "height": 1, "layers": 3},
    {"kind": "trees.leak", "bits": 20, "circle": [[8, 208]]},
    {"kind": "trees.bilinear", "n": 3},
    {"kind": "trees.pair-letter", "letters": ["a", ["a", "a"]]},
    {"kind": "trees.growth", "leaf": "2", "eta": "1/1000", "layers": 2, "error": "9001/1000000"},
]  # fmt: skip


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample["kind"])
def test_a_certificate_is_confirmed_and_refused_without_or_with_another_field(sample):
    validate = validators()[sample["kind"]]
    assert validate(sample)
    with pytest.raises(Refused, match="not known"):
        validate({**sample, "extra": 1})
    for field in set(sample) - {"kind"}:
        with pytest.raises(Refused, match="missing"):
            validate({key: value for key, value in sample.items() if key != field})


WRONG = [
    ("trees.position", "true", "0"), ("trees.position", "position", 4),
    ("trees.position", "tokens", list("[ab")), ("trees.position", "rule", "other"),
    ("trees.position", "printed", "0/1"), ("trees.rule", "positions", 13),
    ("trees.rule", "reading", "literal"), ("trees.rule", "leaves", 12),
    ("trees.left-head", "turn", -1), ("trees.left-last", "attended", 5),
    ("trees.right-head", "child", 4), ("trees.right-head", "attended", [[0, 3]]),
    ("trees.right-head", "depth", "other"), ("trees.right-head", "step", "other"),
    ("trees.rank", "rank", 9), ("trees.rank", "width", 8), ("trees.step", "j", 2),
    ("trees.step", "i", 2), ("trees.fourier", "terms", [[4, 1]]),
    ("trees.fourier", "terms", [[4, 3]]), ("trees.fourier-width", "columns", 7),
    ("trees.shapes", "shapes", 10), ("trees.shapes", "positions", 48),
    ("trees.shapes", "automata", [{"tensor": [[["1"]]], "leaves": {"a": ["1", "2"]}}]),
    ("trees.state", "right", 3), ("trees.state", "true", ["5"]),
    ("trees.staircase", "width", 9), ("trees.staircase", "length", 11), ("trees.staircase", "n", 2),
    ("trees.layers", "rows", [[17, 4, 16]]), ("trees.layers", "rows", [[16, 4, 16]]),
    ("trees.sizes", "rows", [[1, 7, 4, 8, 7, 3]]), ("trees.sizes", "road", "lengths"),
    ("trees.sizes", "road", "other"), ("trees.conventions", "leaves", [1, 1]),
    ("trees.conventions", "printed", [["[ab]", 1], ["a", 0]]), ("trees.order", "degree", 3),
    ("trees.square", "longest", 5), ("trees.square", "bound", "1/128"),
    ("trees.layer-count", "rows", [[0, 2], [1, 2]]), ("trees.layer-count", "rows", [[1, 3]]),
    ("trees.early-head", "attended", [[k, 3] for k in range(9)]),
    ("trees.early-head", "attended", [[0, 2]]), ("trees.early-head", "position", 3),
    ("trees.early-head", "tokens", list("[ab]")), ("trees.early-head", "step", "repaired"),
    ("trees.never-early", "brackets", 19), ("trees.never-early", "longest", 25),
    ("trees.step-head", "brackets", 21), ("trees.left-head", "positions", 21),
    ("trees.nearness", "steps", 21), ("trees.step", "last", 2), ("trees.heights", "shapes", 8),
    ("trees.step-repaired", "offsets", 8), ("trees.fourier", "pairs", 3),
    ("trees.size", "value", 10), ("trees.size", "what", "other"), ("trees.degree", "degree", 3),
    ("trees.markers", "close", 1), ("trees.strings", "trees", 21), ("trees.word", "tokens", ["a"]),
    ("trees.repeated", "tokens", list("[ab]")), ("trees.lengths", "length", 1),
    ("trees.loop", "loop", "1/2"), ("trees.cancel", "alpha", ["1", "2"]),
    ("trees.convention", "layers", 2), ("trees.convention", "height", 2),
    ("trees.leak", "circle", [[8, 60]]), ("trees.growth", "error", "1"),
    ("trees.pair-letter", "letters", ["a", ["a", "b"]]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "field", "value"), WRONG)
def test_a_certificate_that_states_something_wrong_is_refused(kind, field, value):
    sample = next(copy.deepcopy(s) for s in SAMPLES if s["kind"] == kind)
    with pytest.raises(Refused):
        validators()[kind]({**sample, field: value})


def sealed(**changes):
    body = {"kind": "trees.text", "sha256": PAPER_SHA256, "needles": ["x"], "lines": [1, 2],
            "found": [], "expected": 0, **changes}  # fmt: skip
    return tree_texts.sealed({key: value for key, value in body.items() if key != "seal"})


def test_text_certificates_want_the_paper_they_know_and_their_seal(monkeypatch):
    monkeypatch.delenv("ASSAY_PAPER", raising=False)
    validate = validators()["trees.text"]
    assert "not searched again" in validate(sealed())
    with pytest.raises(Refused, match="sha256"):
        validate(sealed(sha256="0" * 64))
    with pytest.raises(Refused, match="seal"):
        validate({**sealed(), "needles": ["y"]})
    with pytest.raises(Refused, match="lines in the passage"):
        validate(sealed(expected=1))
    with pytest.raises(Refused, match="out of order"):
        validate(sealed(found=[9, 8]))


def test_text_certificates_are_searched_again_where_the_source_is_at_hand(monkeypatch, tmp_path):
    source = tmp_path / "paper.tex"
    source.write_text("one\nsame words\\footnote{a {b}} here\nsame  words here\n")
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    monkeypatch.setattr(trees_side, "PAPER", digest)
    monkeypatch.setenv("ASSAY_PAPER", str(source))
    body = sealed(sha256=digest, needles=["same"], found=[2, 3], expected=1)
    assert "searched again" in validators()["trees.text"](body)
    with pytest.raises(Refused, match="lines in the source"):
        validators()["trees.text"](sealed(sha256=digest, needles=["same"], found=[2], expected=1))
    same = hashlib.sha256(b"same words here").hexdigest()
    again = {"kind": "trees.restated", "sha256": digest, "lines": [2, 3], "digests": [same, same]}
    assert "derived again" in validators()["trees.restated"](tree_texts.sealed(again))
    other = {**again, "lines": [1, 3]}
    with pytest.raises(Refused, match="line 1"):
        validators()["trees.restated"](tree_texts.sealed(other))
