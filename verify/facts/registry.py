"""The facts by name, the method each uses, and what each needs."""

from __future__ import annotations

import importlib
import pkgutil
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from verify import facts
from verify.judge.model import METHODS, NEEDS
from verify.judge.outcome import Outcome

AnyRun = TypeVar("AnyRun", bound=Callable[..., Any])
DATA = ("pautomac", "paper")


@dataclass(frozen=True)
class Inputs:
    """Material of the user's that facts may look at."""

    pautomac: Path | None = None
    paper: Path | None = None


@dataclass(frozen=True)
class Fact:
    """A computation; one that needs data gets the inputs as its first argument.

    One that works in batches gets a list of parameters and returns a list of `Outcome`.
    """

    id: str
    run: Callable[..., Any]
    method: str
    needs: tuple[str, ...]
    batch: bool = False

    @property
    def title(self) -> str:
        """The first line of its docstring."""
        return (self.run.__doc__ or "").strip().split("\n", maxsplit=1)[0]


_REGISTERED: dict[str, Fact] = {}


def fact(
    name: str, method: str, needs: tuple[str, ...] = (), batch: bool = False
) -> Callable[[AnyRun], AnyRun]:
    """Register a function as the fact of this name."""
    if method not in METHODS or not set(needs) <= set(NEEDS):
        raise ValueError(f"fact {name}: method {method!r}, needs {needs!r}")

    def register(run: AnyRun) -> AnyRun:
        known = _REGISTERED.get(name)
        if known is not None and known.run.__module__ != run.__module__:
            raise ValueError(f"two facts are called {name}")
        _REGISTERED[name] = Fact(name, run, method, needs, batch)
        return run

    return register


@cache
def _import_all() -> None:
    for module in pkgutil.iter_modules(facts.__path__):
        importlib.import_module(f"verify.facts.{module.name}")


def registered() -> dict[str, Fact]:
    """All facts by name."""
    _import_all()
    return dict(sorted(_REGISTERED.items()))


def find(known: Fact, parameters: list[Mapping[str, Any]], inputs: Inputs) -> list[Outcome]:
    """Run one fact for each set of parameters; a crash is ours and is never an answer."""
    given = (inputs,) if set(known.needs) & set(DATA) else ()
    try:
        if known.batch:
            return list(known.run(*given, parameters))
        return [known.run(*given, **each) for each in parameters]
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(where.filename).name}:{where.lineno}"
        return [Outcome(crash=f"{type(error).__name__}: {error} ({place})") for _ in parameters]
