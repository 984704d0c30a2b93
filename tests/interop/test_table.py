"""The table of language models: what it measures keeps what is certified, a wrong model does not."""

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

import assay  # noqa: E402

SCRIPT = Path(__file__).resolve().parents[2] / "bench" / "table_language.py"


@pytest.fixture(scope="module")
def table():
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("table_language", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_every_column_of_a_row_keeps_what_is_promised(table):
    trigrams = assay.processes.ngram(["abba", "ab", "b", "abab"], 3)
    cells = dict(
        zip(
            table.COLUMNS,
            table.row("trigrams", trigrams, "safetensors", "float32", 8),
            strict=True,
        )
    )
    assert float(cells["measured"]) <= float(cells["certified"]) < 0.1
    assert float(cells["χ² p"]) > 0.001
    # no symbol of these texts is rarer than 1 in 10 after its context
    assert abs(float(cells["loss + log p(w)/T"])) <= 10 * float(cells["certified"])


def test_samples_of_another_source_do_not_fit(table, tmp_path):
    written = assay.export(assay.processes.mess3(), assay.Order(4, head="next"), tmp_path)
    model = table.LibraryModel(
        assay.load_model(written.folder), assay.predictor(assay.processes.mess3())
    )
    other = assay.predictor(assay.automaton_by_name("mess3:1/20:17/20"))
    wrong, words = replace(model, source=other), [("A", "B")]
    assert model.fit() > 0.001 > wrong.fit()
    assert wrong.variation(words) > 0.05 > model.variation(words)


def test_what_is_refused_says_so_in_its_row(table):
    counting = assay.families.counting()
    assert "refused" in table.row("counting", counting, "safetensors", "float32", 8)[4]


def test_every_format_that_holds_language_models_is_in_the_table(table):
    assert {"gpt2", "llama", "transformerlens"} <= set(table.formats())
