"""Which facts can be confirmed, and how; which are taken on trust, and why.

A module of this package declares `CONFIRM`, from a fact's name to its method and the function
that confirms it, and may declare `TRUST`, from the name of a fact that is confirmed only as far as
it goes to what is trusted of it. What a fact needs to run is another thing (`evidence.NEEDS`).
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from verify.recheck.errors import Answer

Confirm = Callable[[Mapping[str, Any], Mapping[str, Any]], Answer]


@cache
def _declared() -> tuple[dict[str, tuple[str, Confirm]], dict[str, str]]:
    confirm: dict[str, tuple[str, Confirm]] = {}
    trust: dict[str, str] = {}
    for found in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{found.name}")
        confirm |= getattr(module, "CONFIRM", {})
        trust |= getattr(module, "TRUST", {})
    return confirm, trust


def confirmations() -> dict[str, tuple[str, Confirm]]:
    """Each fact's method and the function that confirms it."""
    return _declared()[0]


def trusted() -> dict[str, str]:
    """Each fact that is confirmed only in part: what is trusted of it."""
    return _declared()[1]
