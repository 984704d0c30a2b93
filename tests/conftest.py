"""The tests run against the installed package; what lies beside the repository is optional."""

import gc
import json
import os
import sys
from pathlib import Path

import pytest
from grid_support import quick_or_full
from hypothesis import settings

import verify
from reports import figures

pytest.register_assert_rewrite("balls_support", "confirm_support")
os.environ["PYTHONSAFEPATH"] = (
    "1"  # a program that a test starts here does not take tests/verify for it
)
# Some virtual machines announce AMX and do not allow it: oneDNN's kernels for bfloat16 would end the process.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16")
# Without a deadline, for a busy machine is no failure.
settings.register_profile("assay", deadline=None, max_examples=quick_or_full(50, 200))
settings.load_profile("assay")


gc.disable()  # what is imported and collected stays to the end


def pytest_collection_finish() -> None:
    """Exclude imported and collected objects from garbage collection."""
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session")
def full() -> bool:
    return os.environ.get("ASSAY_FULL") == "1"


@pytest.fixture(scope="session")
def repository() -> Path:
    return Path(__file__).resolve().parents[1]


DRAWN: dict[str, str] = {}


@pytest.fixture
def drawn_once(monkeypatch) -> None:
    """A figure of the same data is not drawn twice: matplotlib takes a third of a second for one.

    That two drawings are the same bytes is a test of the reports, which do without this.
    """
    draw = figures.inline

    def drawn(figure: figures.Data) -> str:
        data = json.dumps(figure, sort_keys=True)
        if data not in DRAWN:
            DRAWN[data] = draw(figure)
        return DRAWN[data]

    monkeypatch.setattr(figures, "inline", drawn)


@pytest.fixture
def program(tmp_path) -> dict[str, str]:
    """An environment in which `assay` is the program under test."""
    script = tmp_path / "bin" / "assay"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m verify "$@"\n', "utf-8")
    script.chmod(0o755)
    path = [str(Path(verify.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        "PATH": f"{script.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(filter(None, path)),
    }
