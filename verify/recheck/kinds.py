"""Which validator reads which kind of certificate: gathered from the modules beside this one."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any


@cache
def validators() -> dict[str, Callable[[Mapping[str, Any]], str]]:
    """All validators by kind; two of one kind are an error."""
    found: dict[str, Callable[[Mapping[str, Any]], str]] = {}
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if module.name in {"program", "kinds", "errors", "bounds", "__main__"}:
            continue
        own = getattr(importlib.import_module(f"verify.recheck.{module.name}"), "VALIDATORS", {})
        if twice := set(own) & set(found):
            raise ValueError(f"two validators for {sorted(twice)}")
        found |= own
    return found
