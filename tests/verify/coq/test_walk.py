"""What is walked of a model and how it is compared with what Coq printed, part by part."""

from collections import Counter
from fractions import Fraction
from types import SimpleNamespace as Part

import pytest

from constructions.core.matrix import Matrix, Tensor
from constructions.core.transformer import MLP, Bilinear, Layer, Norm
from verify.coq import build, walk, weights, weights_words
from verify.coq.printed import Case, Unit, Unread, form, pairs, read

ONE = Matrix.identity(1)
PLAIN = MLP(Matrix.dense([[3]]), (5,), "relu", Matrix.dense([[7]]), (0,))
PRODUCT = Bilinear(Matrix.dense([[2], [3]]), Matrix.dense([[5], [0]]),
                   Tensor((1, 1, 1), {(0, 0, 0): 7}), Matrix.dense([[1, 11]]))  # fmt: skip


def layer(block, **more):
    return Layer((), ONE, block, **more)


def test_biases_of_zeros_are_left_out_unless_the_proof_prints_them():
    bias = walk.bias_of
    assert bias("b", (0, 0), 2, False) == bias("b", None, 2, False) == {}
    assert bias("b", (0, 2), 2, False) == {"b": Matrix.dense([[0, 2]])}
    assert bias("b", None, 3, True) == {"b": Matrix.dense([[0, 0, 0]])}
    assert bias("b", (0, 2), 2, True) == {"b": Matrix.dense([[0, 2]])}


@pytest.mark.parametrize(
    ("walked", "field"),
    [({"hidden", "activation", "output"}, "bias"),
     ({"hidden", "bias", "activation", "output", "offset", "gain"}, "gain")],
)  # fmt: skip
def test_a_field_that_is_not_walked_or_not_there_is_refused_by_its_name(walked, field, monkeypatch):
    walk.check_fields(PLAIN)
    monkeypatch.setitem(walk.FIELDS, MLP, walked)
    with pytest.raises(Unread, match=f"^MLP has a field {field} that is not compared$"):
        walk.check_fields(PLAIN)


def test_coordinates_that_are_written_anew_are_those_of_the_embedding():
    model, rows = Part(positions=range(1, 3)), [[1, 2, 3, 4], [5, 6, 7, 8]]
    assert walk.encoding(model, rows) == Matrix.dense([[0, 2, 3, 0], [0, 6, 7, 0]])
    assert walk.renewed(model, rows) == Matrix((4, 2), {(1, 0): 1, (2, 1): 1})


def test_products_are_coefficients_of_pairs_of_coordinates():
    assert walk.products(layer(PRODUCT)) == {
        "products": {(0, 0, 0): 70, (0, 0, 1): 770, (1, 0, 0): 105, (1, 0, 1): 1155}}  # fmt: skip
    assert set(walk.bilinear_parts(layer(PRODUCT))) == {
        "left select", "right select", "tensor", "output"}  # fmt: skip
    twice = Tensor((2, 1, 1), {(0, 0, 0): 1, (1, 0, 0): -1})
    both = Bilinear(Matrix.dense([[1, 1]]), ONE, twice, ONE)
    assert walk.products(layer(both)) == {"products": {}}


def test_units_are_counted_whatever_their_order():
    hidden = Matrix.dense([[3, 1, 3], [0, 2, 0]])
    block = MLP(hidden, (5, 0, 5), "relu", Matrix.dense([[7, 0], [0, 2], [7, 0]]), (0, 0))
    assert walk.units(layer(block)) == {
        "activation": "relu",
        "units": Counter(
            {Unit(((0, 3),), 5, ((0, 7),)): 2, Unit(((0, 1), (1, 2)), 0, ((1, 2),)): 1}
        ),
    }
    assert walk.mlp_parts(layer(PLAIN)) == {
        "hidden": Matrix.dense([[3]]), "bias": Matrix.dense([[5]]), "output": Matrix.dense([[7]]),
        "offset": Matrix.dense([[0]]), "activation": "relu"}  # fmt: skip


@pytest.mark.parametrize(
    ("parts", "block", "message"),
    [
        (walk.bilinear_parts, PLAIN, "expected a bilinear block"),
        (walk.products, PLAIN, "expected a bilinear block"),
        (walk.units, PRODUCT, "expected an MLP"),
        (walk.units, MLP(ONE, (0,), "relu", ONE, (1,)), "expected an MLP without an offset"),
    ],
)
def test_another_block_than_that_of_the_proof_is_refused(parts, block, message):
    with pytest.raises(Unread, match=f"^{message}$"):
        parts(layer(block))


@pytest.mark.parametrize(
    ("more", "stream"),
    [
        ({}, "not added to, not normalised"),
        ({"residual": True}, "added to, not normalised"),
        ({"norm": Norm(True, 1)}, f"not added to, normalised: {Norm(True, 1)}"),
        ({"after": (Norm(False, 2), Norm(False, 3))},
         f"not added to, not normalised, normalised behind its blocks: {(Norm(False, 2), Norm(False, 3))}"),
    ],
)  # fmt: skip
def test_the_stream_is_told_in_words(more, stream):
    found = walk.walk_layer("layer 0", layer(PLAIN, **more), walk.mlp_parts, False)
    assert found["layer 0 stream"] == stream


# What Coq printed


def number(words):
    (word,) = words
    return Fraction(word)


def case(**program):
    return Case("n = 1", "term", lambda: program, number, {" stream": "added to"})


def test_a_case_lists_what_only_one_side_has_and_what_differs():
    text = '[("a", "size 1 1; 0 0 : 2"); ("b", "size 1 1"); ("c", "hard")]'
    same = {
        "a": Matrix.dense([[2]]),
        "b": Matrix.zeros(1, 1),
        "c": "hard",
        "layer stream": "added to",
    }
    assert list(case(**same).differences(text)) == []
    other = {"a": Matrix.dense([[3]]), "c": "soft", "d": "new", "layer stream": "not added to"}
    assert list(case(**other).differences(text)) == [
        ("b", "only in the proof"), ("d", "only in the program"),
        ("a", "entry (0, 0) is 2 in the proof, 3 in the program"),
        ("c", "hard in the proof, soft in the program"),
        ("layer stream", "added to in the proof, not added to in the program")]  # fmt: skip


def test_terms_of_a_form_are_added_up_and_zeros_left_out():
    assert form([(2, -1), (0, 3), (1, 5), (1, -5), (0, 1), (3, 0)]) == ((0, 4), (2, -1))


def test_names_and_weights_are_read_with_their_shape():
    assert pairs('[("a", "x y"); ("b", "")]') == {"a": "x y", "b": ""}
    assert read("size 2 3; 1 2 : 1/2; 0 0 : -4", number) == (
        (2, 3), {(1, 2): Fraction(1, 2), (0, 0): -4})  # fmt: skip


def test_weights_of_the_mlp_are_multiples_of_its_step_its_scale_and_its_point():
    unit = weights_words.mlp_constants(2)
    found = [
        weights_words.mlp_number(2, 3, text.split()) for text in ("h", "s 3", "b", "h -2", "1")
    ]
    assert found == [unit["h"], 3 * unit["s"], unit["b"], -2 * unit["h"], 1]
    assert unit["h"] > 0 and unit["s"] != unit["h"]


def test_terms_are_evaluated_once_and_answered_for_each_case(monkeypatch, tmp_path):
    asked = []

    class Compiled:
        """A build of the files that are asked for."""

        def __init__(self, files):
            asked.append(files)

        def __enter__(self):
            return tmp_path

        def __exit__(self, *_):
            return None

    def compile_file(folder, file):
        asked.append((file, (folder / file).read_text("utf-8")))
        for place in range(2):
            (folder / f"term{place}.out").write_text(f"answer {place}", "utf-8")

    cases = [Case("n = 1", term, dict, number) for term in ("f 1", "f 2", "f 1")]
    model = weights.Model("own", "Model Entries", cases)
    monkeypatch.setattr(weights, "MODELS", {"own": model})
    monkeypatch.setattr(weights, "compiled", Compiled)
    monkeypatch.setattr(weights, "compile_file", compile_file)
    monkeypatch.setattr(weights, "importing", lambda folder: "From Assay Require ChapterA.")
    assert weights.evaluated.__wrapped__("own") == ("answer 0", "answer 1", "answer 0")
    assert asked == [["Model.v", "Entries.v"],
                     ("Evaluate.v", model.script("From Assay Require ChapterA."))]  # fmt: skip


def test_every_case_has_an_answer_and_every_unit_a_bias(monkeypatch):
    monkeypatch.setattr(weights, "MODELS", {"own": weights.Model("own", "", [case(), case()])})
    monkeypatch.setattr(weights, "evaluated", lambda name: ("",) * 2)
    assert weights.compare("own") == []
    monkeypatch.setattr(weights, "evaluated", lambda name: ("",))
    with pytest.raises(ValueError, match="zip"):
        weights.compare("own")
    with pytest.raises(ValueError, match="zip"):
        walk.units(layer(MLP(ONE, (), "relu", ONE, (0,))))


def test_all_models_are_compared_and_run(monkeypatch):
    monkeypatch.setattr(weights, "evaluated", lambda name: ("",))
    monkeypatch.setattr(weights, "compare", lambda name: [f"{name} compared"])
    monkeypatch.setattr(weights, "run", lambda name, seed: [f"{name} run by {seed}"])
    assert weights.compare_all(7, ["a", "b"]) == [
        "a compared", "a run by 7", "b compared", "b run by 7"]  # fmt: skip


# Compiling


def test_coqc_is_asked_for_its_version_and_its_library_within_a_minute(monkeypatch, tmp_path):
    asked = []
    (tmp_path / "theories").mkdir()
    for name in ("Reals.vo", "theories/List.vo", "theories/List.v"):
        (tmp_path / name).write_text("")

    def run(arguments, folder, seconds):
        asked.append((arguments, seconds))
        return Part(stdout=f"{tmp_path}\n")

    monkeypatch.setattr(build, "run", run)
    assert build.version.__wrapped__() == f"{tmp_path}\n"
    assert build.library_modules.__wrapped__() == {"Reals", "List"}
    assert asked == [(["--version"], 60), (["-where"], 60)]


def test_chapters_that_are_ready_are_compiled_in_their_order_and_no_more_than_may_be(
    monkeypatch, tmp_path
):
    done = []
    monkeypatch.setattr(build, "JOBS", 1)
    monkeypatch.setattr(build, "compile_cached", lambda folder, part, key, cache: done.append(
        (part.name, key)))  # fmt: skip
    below = {"A": (), "B": ("A",), "C": (), "D": ("A",)}
    parts = [Part(name=name, below=required) for name, required in below.items()]
    build.compile_all(tmp_path, parts, {name: f"key {name}" for name in below}, tmp_path)
    assert done == [(name, f"key {name}") for name in below]
