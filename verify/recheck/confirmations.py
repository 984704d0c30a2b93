"""Confirmations by fact, and the reasons for taking other facts on trust.

    OURS        the confirmations of the paper that comes with the package (`kinds`)
    TEMPLATE    those of the template that `assay new` writes
    nothing     a paper with code of its own: its facts are taken on trust, by name

To each belong the kinds of evidence that any paper may use (`shared`).
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from verify.recheck.declarations import DECLARED, Confirm, Confirmation

OURS = "verify.recheck.kinds"
TEMPLATE = "verify.template.confirmations"
ANY_PAPER = "verify.recheck.shared"
FOLDER_CODE = "code of the paper's folder"


@cache
def confirmations(code: str = OURS) -> dict[str, tuple[str, Confirm]]:
    """Each fact's method and the function that confirms it."""
    return {fact: (each.method, each.confirm) for fact, each in declared(code)}


@cache
def trust_reasons(code: str = OURS) -> dict[str, str]:
    """The facts that are confirmed only in part, each with the part taken on trust."""
    return {fact: each.trust for fact, each in declared(code) if each.trust}


def trust_reason(fact: str, code: str = OURS) -> str:
    """Part of a fact that is taken on trust; empty if it is confirmed."""
    return trust_reasons(code).get(fact, "") if fact in confirmations(code) else FOLDER_CODE


def declared(code: str) -> list[tuple[str, Confirmation]]:
    """Return the declaration of each fact that this code, or evidence for any paper, confirms."""
    homes = [name for name in (ANY_PAPER, code) if name]
    for name in homes:
        _import(name)
    found = [
        (fact, each)
        for (module, fact), each in DECLARED.items()
        if any(module == home or module.startswith(f"{home}.") for home in homes)
    ]
    if len(dict(found)) < len(found):
        raise ValueError("a fact is confirmed twice")
    return found


def _import(name: str) -> None:
    module = importlib.import_module(name)
    for part in pkgutil.iter_modules(getattr(module, "__path__", ())):
        importlib.import_module(f"{name}.{part.name}")
