"""Lazy imports: the names of a public module are listed once, in the stub (`.pyi`) beside it."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any


def attach(
    module: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a module whose stub imports its names.

    A name is imported when it is first used. Type checkers read the same stub.

    Args:
        module: the module's `__name__`.
        file: the module's `__file__`.

    """
    homes = _homes(module, Path(file).with_suffix(".pyi"))

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        home, inside = homes[name]
        try:
            return (
                getattr(importlib.import_module(home), inside)
                if home != module
                else _part(home, inside)
            )
        except AttributeError:
            return _part(home, inside)

    return get, lambda: sorted(homes), list(homes)


def _part(package: str, name: str) -> Any:
    return importlib.import_module(f"{package}.{name}")


def _homes(module: str, stub: Path) -> dict[str, tuple[str, str]]:
    """Return each public name with the module that defines it and its name there."""
    imports = [n for n in ast.parse(stub.read_text("utf-8")).body if isinstance(n, ast.ImportFrom)]
    return {
        alias.asname or alias.name: (module if node.level else node.module or module, alias.name)
        for node in imports
        for alias in node.names
    }
