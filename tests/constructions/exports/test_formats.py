"""Every format is an object of one module, and states its limits without its library."""

import subprocess
import sys
from pathlib import Path

import pytest

import constructions.exports
from constructions.decoder import Normalisation
from constructions.exports.formats import NAMES, ExportFormat, format_of
from constructions.exports.order import DTYPES


@pytest.mark.parametrize("name", NAMES)
def test_a_format_is_the_object_of_the_module_with_its_name(name):
    target = format_of(name)
    assert isinstance(target, ExportFormat)
    assert target.name == name
    assert "load.py" in target.files
    assert target.gates or target.smooth
    assert set(target.dtypes) <= set(DTYPES)
    design = target.design((target.gates or target.smooth)[0], not target.gates, 1)
    assert design.norm is Normalisation(target.norm)


def test_every_module_with_a_format_is_registered():
    folder = Path(constructions.exports.__path__[0])
    modules = {
        path.stem for path in folder.glob("*.py") if "\nFORMAT = " in path.read_text("utf-8")
    }
    assert modules == set(NAMES)


LIGHT = """
import sys
for name in ("torch", "transformers", "transformer_lens", "safetensors"):
    sys.modules[name] = None
from constructions.exports.formats import NAMES, format_of
from verify.cli import parser
asked = parser(["export"]).parse_args(["export", "x", "--length", "4", "--format", "npz", "--out", "y"])
assert "numpy" not in sys.modules and "flint" not in sys.modules
assert all(format_of(name).name == name for name in NAMES)
"""


def test_the_choices_of_the_command_line_need_no_library():
    done = subprocess.run([sys.executable, "-c", LIGHT], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
