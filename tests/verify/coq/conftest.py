"""A changed copy of the development, for tests that see a proof fail."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from verify.coq.build import available
from verify.coq.sources import COQ

Change = tuple[str, str, str]


def pytest_collection_modifyitems(items):
    """Tests that need coqc are left out, and said to be, where it is not installed."""
    if not available():
        for item in items:
            if item.get_closest_marker("coq"):
                item.add_marker(pytest.mark.skip(reason="coqc is not installed"))


@pytest.fixture
def mutant(tmp_path) -> Callable[..., Path]:
    """The development with some texts (file, old, new) changed, each of which is there once."""

    def made(*changes: Change) -> Path:
        folder = tmp_path / "mutant"
        folder.mkdir()
        for path in COQ.glob("*"):
            if path.suffix in {".v", ".json"} or path.name == "_CoqProject":
                shutil.copy(path, folder)
        for file, old, new in changes:
            source = (folder / file).read_text("utf-8")
            assert source.count(old) == 1, f"{file}: {old!r} is there {source.count(old)} times"
            (folder / file).write_text(source.replace(old, new), "utf-8")
        return folder

    return made
