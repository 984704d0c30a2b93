"""The folder of a model: its files, what model.json and the card say, and what is left of others."""

import hashlib
import json
import os
from dataclasses import replace
from fractions import Fraction

import pytest
from export_support import ADDER, NOTHING, STATE_FORMATS, counter, model_of, written
from safetensors.torch import load

from constructions.automata.families import counting
from constructions.automata.reduction import Reduction
from constructions.automata.wfa import WFA
from constructions.circuits.sites import SITES
from constructions.core.errors import InputError
from constructions.core.matrix import Matrix
from constructions.exports.build import build
from constructions.exports.built_model import Constants
from constructions.exports.card import card
from constructions.exports.folder import description, write
from constructions.exports.formats import format_of
from constructions.exports.order import Order, settle

EVERY = {"README.md", "automaton.json", "model.json"}
GATED = model_of(counting(), Order(4))


def read(folder):
    return json.loads((folder / "model.json").read_text("utf-8"))


@pytest.mark.parametrize("name", STATE_FORMATS)
def test_a_folder_has_the_files_of_its_format_a_card_and_the_automaton(name, tmp_path):
    folder = counter(tmp_path, 4, format=name)
    circuit = {"circuit.json"} if name in SITES else set()
    files = EVERY | circuit | set(format_of(name).files)
    assert {path.name for path in folder.iterdir()} == files
    note = read(folder)
    hashes = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
    assert note["files"] == {n: digest for n, digest in hashes.items() if n != "model.json"}
    assert (note["format"], note["schema"]) == (name, "assay-model-2")
    script = (folder / "load.py").read_text("utf-8")
    assert script in (folder / "README.md").read_text("utf-8")
    compile(script, "load.py", "exec")


@pytest.mark.parametrize("automaton", [counting(), ADDER], ids=["words", "trees"])
@pytest.mark.parametrize("name", STATE_FORMATS)
def test_a_decoder_says_where_its_stream_holds_what(name, automaton):
    order = Order(4, format=name)
    if automaton is ADDER and not format_of(name).trees:
        with pytest.raises(InputError, match="for trees"):
            model_of(automaton, order)
        return
    model = model_of(automaton, order)
    blocks = model.coordinates.values()
    assert sum(end - first for first, end in blocks) == model.sizes["d_model"]


def test_model_json_has_sizes_constants_and_coordinates():
    note = description(GATED, NOTHING)
    assert note["coordinates"] == {
        "window": [0, 4], "scratch": [4, 8], "place": [8, 10], "one": [10, 11],
    }  # fmt: skip
    assert (note["states"], note["states_in_the_model"]) == (2, 2)
    assert (note["tokens"], note["begin"]) == (["0", "1", "<bos>"], ["<bos>"])
    assert (note["example"], note["inputs"]) == (["0"] * 4, "word of at most 4 letters")
    assert (note["constants"], note["saturation"]) == ({"C (saturation)": "300"}, "300")
    assert (note["feedforward"], note["activation"]) == ("gated", "silu")
    assert note["certified_error_with_rounding"] is None is note["measured_error"]
    sizes = {name: note["sizes"][name] for name in ("layers", "d_model", "d_head", "outputs")}
    assert sizes == {"layers": 2, "d_model": 11, "d_head": 4, "outputs": 2}


def test_a_construction_of_the_paper_is_described_in_the_same_words():
    note = description(model_of(counting(), Order(4, "soft", feedforward="exact")), NOTHING)
    assert set(note) == set(description(GATED, NOTHING))
    assert (note["tokens"], note["begin"], note["coordinates"]) == (["0", "1"], [], {})
    assert (note["attention"], note["feedforward"], note["activation"]) == ("soft", "exact", None)
    assert (note["sizes"]["layers"], note["sizes"]["d_model"]) == (2, 10)
    assert (note["sizes"]["context"], note["sizes"]["vocabulary"]) == (8, 2)
    assert note["sizes"]["largest"] == "17.320508", "the root of 300"
    tree = description(model_of(ADDER, Order(4, "logdepth", attention="soft", levels=2)), NOTHING)
    assert (tree["feedforward"], tree["activation"], tree["levels"]) == ("mlp", "gelu", 2)
    assert (tree["tokens"], tree["example"]) == (["a", "b", "[", "]"], ["[", "a", "a", "]"])
    short = description(model_of(ADDER, Order(3, "tree")), NOTHING)
    assert (short["example"], short["saturation"], short["asked_error"]) == (["a"], None, None)


def test_an_automaton_that_was_reduced_stands_beside_the_given_one(tmp_path):
    idle = WFA.of([1, 0], {"a": [[1, 0], [1, 1]]}, [1, 1])
    small = Reduction(WFA.of([1], {"a": [[1]]}, [1]), Matrix.dense([[1, 0]]))
    order = settle(Order(4), words=True)
    model = build(idle, order, Constants(Fraction(40)), small)
    note = read(write(model, NOTHING, tmp_path))
    assert (note["states"], note["states_in_the_model"]) == (2, 1)
    assert note["matrices"] == "stream.json"
    assert json.loads((tmp_path / "stream.json").read_text("utf-8"))["alpha"] == [1]
    assert json.loads((tmp_path / "automaton.json").read_text("utf-8"))["alpha"] == [1, 0]
    assert "1 of the 2 states; it is in `stream.json`" in (tmp_path / "README.md").read_text()


@pytest.mark.parametrize("name", ["safetensors", "transformerlens", "gpt2", "llama"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_weights_are_written_in_the_type_asked_for(tmp_path, name, dtype):
    counter(tmp_path, 4, format=name, dtype=dtype)
    weights = load((tmp_path / "model.safetensors").read_bytes())
    assert {str(w.dtype) for w in weights.values()} == {f"torch.{dtype}"}


def test_what_an_earlier_model_left_is_removed_and_nothing_else(tmp_path):
    counter(tmp_path, 4, format="gpt2")
    (tmp_path / "notes.txt").write_text("mine")
    counter(tmp_path, 4, format="npz")
    names = {path.name for path in tmp_path.iterdir()}
    assert names == EVERY | {"model.npz", "load.py", "circuit.json", "notes.txt"}


def test_a_write_that_fails_leaves_the_previous_model_whole(tmp_path, monkeypatch):
    folder = counter(tmp_path, 4, format="npz")
    before = {file.name: file.read_bytes() for file in folder.iterdir()}

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="No space left on device"):
        counter(tmp_path, 8)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_a_file_where_the_folder_should_be_is_refused(tmp_path):
    (tmp_path / "file").write_text("here")
    with pytest.raises(InputError, match="a writable path"):
        written(tmp_path / "file", counting(), 4)


def test_a_card_says_what_model_json_says():
    note = description(GATED, replace(NOTHING, limits=("first", "second")))
    text = card(note, "print(1)\n")
    assert "so that the output at position t is the automaton's state after t letters" in text
    assert "for every word of at most 4 letters." in text
    assert "It is Theorem B (decoder, gated block), made by Assay" in text
    assert "0.0004 certified**, in the Euclidean norm (for eps = 1/1000000)." in text
    assert "| layers | 2 |" in text
    assert "| C (saturation) | 300 |" in text
    assert "\n- first\n- second\n" in text
    assert "window 0–3, scratch 4–7, place 8–9, one 10." in text
    assert "2 of the 2 states; it is in `automaton.json`" in text
    assert text.endswith("\n```python\nprint(1)\n```\n")


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({}, "float64: rounding not certified; exact arithmetic: 0.0004 certified"),
        ({"measured": "1e-9", "ran_in": "Own"},
         "Own, float64: measured 1e-9, rounding not certified; exact arithmetic: 0.0004 certified"),
        ({"rounded": "2e-9", "not_run": "torch is not installed"},
         "Not run: torch is not installed. float64: certified 2e-9; exact arithmetic: 0.0004 certified"),
        ({"error": None},
         "float64: rounding not certified; exact arithmetic: nothing certified, for a given C"),
    ],
)  # fmt: skip
def test_the_first_line_is_what_was_measured_then_what_is_certified(changes, line):
    guarantee = replace(NOTHING, **changes)
    assert guarantee.headline(GATED) == line
    text = card(description(GATED, guarantee), "")
    assert f"**{line}**" in text and ("every operation rounds once" in text) is (
        "rounded" in changes
    )
