"""`python -m verify.recheck DIR` takes one folder and ends with the status of the re-check."""

import runpy
import sys
from pathlib import Path

import pytest

from verify.recheck import program

SCRIPT = Path(program.__file__).with_name("__main__.py")


@pytest.mark.parametrize(
    ("arguments", "status"),
    [([], "usage: python -m verify.recheck DIR"), (["a", "b"], "usage: python -m verify.recheck DIR"),
     (["a"], 7)],
)  # fmt: skip
def test_one_folder_is_rechecked(arguments, status, monkeypatch):
    asked = []
    monkeypatch.setattr(program, "main", lambda folder: asked.append(folder) or 7)
    monkeypatch.setattr(sys, "argv", ["recheck", *arguments])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(SCRIPT), run_name="__main__")
    assert ended.value.code == status and asked == [Path("a")] * (status == 7)
    assert runpy.run_path(str(SCRIPT))["main"] is program.main
