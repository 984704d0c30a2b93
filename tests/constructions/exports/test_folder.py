"""The folder of a model: what model.json and the card say, and what is refused."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest
from safetensors.torch import load

from constructions import decoder
from constructions.automata.families import counting
from constructions.core.errors import InputError
from constructions.decoder import Design
from constructions.exports.folder import Note, body, card, write

MODEL = decoder.build(counting(), 4, Design(), 40)
NOTE = Note(
    theorem="Theorem B", length=4, inputs="word of at most 4 letters", constants={"C": "40"},
    eps="1/1000", error="0.0004", readout="logits are states", example=("0", "1"), states=(3, 2),
)  # fmt: skip


def test_model_json_has_sizes_constants_and_coordinates():
    found = body(MODEL, NOTE, "transformerlens")
    assert found["schema"] == "assay-decoder-1"
    assert found["coordinates"] == {
        "window": [0, 4], "scratch": [4, 8], "place": [8, 10], "one": [10, 11],
    }  # fmt: skip
    assert (found["states"], found["states_in_the_model"]) == (3, 2)
    assert found["tokens"] == ["0", "1", "<bos>"]
    assert found["dtype"] == "float64"
    assert found["limits"] == []
    assert found["certified_error_with_rounding"] is None is found["measured_error"]
    assert (found["sizes"]["model"], found["sizes"]["head"]) == (11, 4)


def test_llama_has_no_places_and_gpt2_a_head_as_wide_as_the_stream():
    llama = body(MODEL, NOTE, "llama")
    assert llama["coordinates"] == {"window": [0, 4], "scratch": [4, 8], "one": [8, 9]}
    assert (llama["sizes"]["model"], llama["sizes"]["head"]) == (9, 4)
    gpt2 = body(MODEL, NOTE, "gpt2")
    assert (gpt2["sizes"]["model"], gpt2["sizes"]["head"]) == (11, 11)


def test_a_card_says_what_model_json_says():
    found = body(MODEL, replace(NOTE, limits=("first", "second")), "safetensors")
    text = card(found, "print(1)\n")
    assert "so that logits are states, for every word of at most 4 letters." in text
    assert "It is a model of Theorem B, made by Assay" in text
    assert "**Certified error: 0.0004** (asked for: 1/1000)" in text
    assert "| layers | 2 |" in text
    assert "| C | 40 |" in text
    assert "\n- first\n- second\n" in text
    assert "window 0–3, scratch 4–7, place 8–9, one 10." in text
    assert "2 of the 3 states" in text
    assert text.endswith("\n```python\nprint(1)\n```\n")
    assert "```" not in card(found, "")


def test_sizes_that_are_nothing_are_left_out_of_the_card():
    plain = decoder.build(counting(), 4, Design("gelu", 8), 40)
    assert "| gated |" not in card(body(plain, NOTE, "safetensors"), "")
    assert "| gated | True |" in card(body(MODEL, NOTE, "safetensors"), "")


@pytest.mark.parametrize(
    ("note", "words"),
    [
        (NOTE, "Rounding in float64 comes on top; it is not certified.\n"),
        (
            replace(NOTE, measured="1e-9"),
            "it is measured, not certified: 1e-9 in all on one input.",
        ),
        (
            replace(NOTE, rounded="2e-9"),
            "With rounding in float64: 2e-9, if every operation rounds once",
        ),
        (replace(NOTE, rounded="2e-9", dtype="float32"), "With rounding in float32: 2e-9"),
    ],
)
def test_the_card_says_what_rounding_adds(note, words):
    assert words in card(body(MODEL, note, "safetensors"), "")


@pytest.mark.parametrize("name", ["safetensors", "transformerlens", "gpt2"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_weights_are_written_in_the_format_asked_for(tmp_path, name, dtype):
    model = decoder.build(counting(), 4, Design("gelu", 8), 40)
    assert write(model, replace(NOTE, dtype=dtype), name, tmp_path / "x") == tmp_path / "x"
    weights = load((tmp_path / "x" / "model.safetensors").read_bytes())
    assert {str(w.dtype) for w in weights.values()} == {f"torch.{dtype}"}
    note = json.loads((tmp_path / "x" / "model.json").read_text("utf-8"))
    assert note == json.loads(json.dumps(body(model, replace(NOTE, dtype=dtype), name)))
    stream = json.loads((tmp_path / "x" / "stream.json").read_text("utf-8"))
    assert [Fraction(weight) for weight in stream["alpha"]] == [0, 1]
    script = (tmp_path / "x" / "load.py").read_text("utf-8")
    assert script in (tmp_path / "x" / "README.md").read_text("utf-8")


def test_the_script_quotes_an_example_with_quotes(tmp_path):
    quoted = replace(NOTE, example=('"', "\\"))
    write(decoder.build(counting(), 4, Design("gelu", 8), 40), quoted, "gpt2", tmp_path)
    script = (tmp_path / "load.py").read_text("utf-8")
    assert 'tokenizer(["\\" \\\\"], return_tensors="pt")' in script
    assert "logits[..., :2]" in script
    compile(script, "load.py", "exec")


@pytest.mark.parametrize(
    ("name", "dtype", "words"),
    [
        (
            "onnx",
            "float64",
            "format: found onnx, expected one of transformerlens, gpt2, llama, pt2",
        ),
        ("gpt2", "float16", "dtype: found float16, expected one of float64, float32"),
    ],
)
def test_other_formats_are_refused(tmp_path, name, dtype, words):
    with pytest.raises(InputError, match=words):
        write(MODEL, replace(NOTE, dtype=dtype), name, tmp_path)
    assert not list(tmp_path.iterdir())
