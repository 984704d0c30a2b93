"""The notebooks run, and print what they should."""

import importlib.util
import io
import json
from contextlib import redirect_stdout
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).resolve().parents[2] / "docs" / "notebooks"


def cells(name):
    return [
        cell
        for cell in json.loads((NOTEBOOKS / f"{name}.ipynb").read_text("utf-8"))["cells"]
        if cell["cell_type"] == "code"
    ]


def outputs(name):
    """The output of each cell, run one after the other."""
    names, texts = {"__name__": "notebook"}, []
    for cell in cells(name):
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile("".join(cell["source"]), "notebook", "exec"), names)
        texts.append(printed.getvalue())
    return texts


def test_the_notebook_on_decoders_finds_the_scan():
    pytest.importorskip("transformer_lens")
    printed = "".join(outputs("decoder"))
    assert "kept True" in printed
    assert "2 ['I', 'A[a]', 'A[a b]'" in printed
    assert printed.rstrip().endswith("kept False")


def test_the_notebook_on_language_models_prints_what_it_was_saved_with():
    """With transformers all of it; with Assay's own loader all but what the stream holds."""
    pytest.importorskip("torch")
    printed = outputs("language")
    saved = ["".join(cell["outputs"][0]["text"]) for cell in cells("language")]
    assert "False" not in "".join(saved) and "".join(saved).count("True") == 7
    if importlib.util.find_spec("transformers") is None:
        assert "the stream is read with transformers" in printed.pop()
        saved.pop()
    assert printed == saved


def test_the_notebook_on_circuits_probes_patches_and_scores():
    pytest.importorskip("transformers")
    pytest.importorskip("matplotlib")
    printed = "".join(outputs("circuits"))
    assert "R2 above 0.999: True" in printed and "predicted True" in printed
    assert "agrees in transformers after 24 trials" in printed
    assert "heads {'accuracy': 1.0}" in printed
