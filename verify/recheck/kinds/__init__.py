"""Which facts can be confirmed, and how; which are taken on trust, and why.

The modules of this package declare confirmations (`verify.recheck.asked.confirms`), each with its
method, its parameters and, where it goes only part of the way, what is trusted. What a fact needs
to run is another thing (`evidence.NEEDS`).
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from verify.recheck.asked import DECLARED, Confirm


@cache
def confirmations() -> dict[str, tuple[str, Confirm]]:
    """Each fact's method and the function that confirms it."""
    for found in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{found.name}")
    return {fact: (each.method, each.confirm) for fact, each in DECLARED.items()}


@cache
def trusted() -> dict[str, str]:
    """Each fact that is confirmed only in part: what is trusted of it."""
    return {fact: DECLARED[fact].trust for fact in confirmations() if DECLARED[fact].trust}
