"""A changed copy of the development, for tests that see a proof fail."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from verify.coq.build import available
from verify.coq.sources import COQ


def changed(source: str, old: str, new: str, mark: str = "") -> str:
    """A source with a text replaced: the only one, or all in the one paragraph with a mark."""
    place = next((p for p in source.split("\n\n") if mark in p), "") if mark else source
    times = source.count(mark) if mark else source.count(old)
    assert times == 1 and old in place, f"{mark or old!r} is there {times} times"
    return source.replace(place, place.replace(old, new))


def pytest_collection_modifyitems(items):
    """Tests that need coqc are left out, and said to be, where it is not installed."""
    if not available():
        for item in items:
            if item.get_closest_marker("coq"):
                item.add_marker(pytest.mark.skip(reason="coqc is not installed"))


@pytest.fixture
def mutant(tmp_path) -> Callable[..., Path]:
    """The development with some texts changed: (file, old, new) or (file, old, new, mark)."""

    def made(*changes: tuple[str, ...]) -> Path:
        folder = tmp_path / "mutant"
        folder.mkdir()
        for path in COQ.glob("*"):
            if path.suffix in {".v", ".json"} or path.name == "_CoqProject":
                shutil.copy(path, folder)
        for file, *change in changes:
            source = (folder / file).read_text("utf-8")
            (folder / file).write_text(changed(source, *change), "utf-8")
        return folder

    return made
