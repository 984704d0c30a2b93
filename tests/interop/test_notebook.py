"""The notebook on decoders runs, and prints what it should."""

import io
import json
from contextlib import redirect_stdout
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).resolve().parents[2] / "docs" / "notebooks" / "decoder.ipynb"


def test_the_notebook_on_decoders_finds_the_scan():
    pytest.importorskip("transformer_lens")
    names, printed = {"__name__": "notebook"}, io.StringIO()
    for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            with redirect_stdout(printed):
                exec(compile("".join(cell["source"]), "notebook", "exec"), names)
    assert "kept True" in printed.getvalue()
    assert "2 ['I', 'A[a]', 'A[a b]'" in printed.getvalue()
    assert printed.getvalue().rstrip().endswith("kept False")
