"""Which facts can be confirmed, and how; which are taken on trust, and why.

A module of this package declares `CONFIRM`, from a fact's name to its method and the function
that confirms it, and may declare `TRUST`, from a fact's name to its method and what it needs
(several needs are separated by spaces). A fact in both is confirmed as far as it goes and counted
as trusted.
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
def _declared() -> tuple[dict[str, tuple[str, Confirm]], dict[str, tuple[str, str]]]:
    confirm: dict[str, tuple[str, Confirm]] = {}
    trust: dict[str, tuple[str, str]] = {}
    for found in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{found.name}")
        confirm |= getattr(module, "CONFIRM", {})
        trust |= getattr(module, "TRUST", {})
    return confirm, trust


def confirmations() -> dict[str, tuple[str, Confirm]]:
    """Each fact's method and the function that confirms it."""
    return _declared()[0]


def trusted() -> dict[str, tuple[str, str]]:
    """Each fact that cannot be confirmed here: its method and what it needs."""
    return _declared()[1]
