"""The facts of a paper by name, the method each uses, and what each needs.

A paper's facts are those of its own code (a package, a file or a folder) together with the kinds of
evidence that any paper may use (`verify.evidence`).
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import pkgutil
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.machinery import FileFinder, SourceFileLoader
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from verify.judge.data import METHODS
from verify.judge.outcome import Outcome

AnyRun = TypeVar("AnyRun", bound=Callable[..., Any])
OURS = "verify.facts"
ANY_PAPER = "verify.evidence"


@dataclass(frozen=True)
class Inputs:
    """The inputs of facts: the paper's source, data by name, the paper's folder and its proofs.

    `seed` decides what facts draw at random; the same seed, the same certificates.
    """

    paper: Path | None = None
    data: Mapping[str, Path] = field(default_factory=dict)
    folder: Path | None = None
    proofs: Path | None = None
    seed: int | None = None


@dataclass(frozen=True)
class Fact:
    """A computation; one whose function has the argument `inputs` is given them first.

    One that works in batches gets a list of parameters and returns a list of outcomes.
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


_REGISTERED: dict[tuple[str, str], Fact] = {}  # by module and name


def fact(
    name: str, method: str, needs: tuple[str, ...] = (), batch: bool = False
) -> Callable[[AnyRun], AnyRun]:
    """Register a function as the fact of this name.

    Examples:
        >>> fact("squares.even", "guessed")  # doctest: +IGNORE_EXCEPTION_DETAIL
        Traceback (most recent call last):
        ...
        ValueError: fact squares.even: method 'guessed', expected one of machine-checked, …

    """
    if method not in METHODS:
        raise ValueError(f"fact {name}: method {method!r}, expected one of {', '.join(METHODS)}")

    def register(run: AnyRun) -> AnyRun:
        earlier = _REGISTERED.get((run.__module__, name))
        if earlier is not None and earlier.run.__qualname__ != run.__qualname__:
            raise ValueError(f"two facts are called {name}")
        _REGISTERED[run.__module__, name] = Fact(name, run, method, needs, batch)
        return run

    return register


def registered(code: str = OURS) -> dict[str, Fact]:
    """The facts of some code and the kinds of evidence for any paper, by name.

    The code is a package by its name, or a file or a folder by its absolute path.
    """
    homes = {_imported(ANY_PAPER), *([_loaded(code)] if code else [])}
    facts: dict[str, Fact] = {}
    for (module, name), each in sorted(_REGISTERED.items()):
        if any(module == home or module.startswith(f"{home}.") for home in homes):
            if name in facts:
                raise ValueError(f"two facts are called {name}")
            facts[name] = each
    return dict(sorted(facts.items()))


def _loaded(code: str) -> str:
    return import_path(Path(code)) if Path(code).is_absolute() else _imported(code)


@cache
def _imported(package: str) -> str:
    """Import a package and its modules."""
    module = importlib.import_module(package)
    for part in pkgutil.iter_modules(module.__path__):
        importlib.import_module(f"{package}.{part.name}")
    return package


class CompiledAnew(SourceFileLoader):
    """Compiles a source each time: Python takes a compiled file for one of the same second and length."""

    def path_stats(self, path: str) -> NoReturn:
        """Without a time and a length Python neither reads nor writes a compiled file."""
        raise OSError(f"{path} is compiled anew")


def import_path(path: Path) -> str:
    """Import a file, or a folder as a package, under a name that depends on its contents."""
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    texts = b"\0".join(str(file).encode() + b"\0" + file.read_bytes() for file in files)
    name = f"assay_paper_{hashlib.sha256(texts).hexdigest()[:16]}"
    if name not in sys.modules:
        first = path / "__init__.py" if path.is_dir() else path
        places = [str(path)] if path.is_dir() else None
        loader = CompiledAnew(name, str(first))
        spec = importlib.util.spec_from_file_location(
            name, first, loader=loader, submodule_search_locations=places
        )
        if spec is None:
            raise ImportError(f"{path} is no Python file")
        sys.path_importer_cache[str(path)] = FileFinder(str(path), (CompiledAnew, [".py"]))
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            loader.exec_module(module)
            for part in pkgutil.iter_modules(places) if places else ():
                importlib.import_module(f"{name}.{part.name}")
        except BaseException:
            del sys.modules[name]
            raise
    return name


def find(known: Fact, parameters: list[Mapping[str, Any]], inputs: Inputs) -> list[Outcome]:
    """Run one fact for each set of parameters; a crash is ours and is never an answer."""
    given = (inputs,) if "inputs" in inspect.signature(known.run).parameters else ()
    try:
        if known.batch:
            outcomes = known.run(*given, parameters)
            outcomes = list(outcomes) if isinstance(outcomes, Iterable) else outcomes
            if not isinstance(outcomes, list) or len(outcomes) != len(parameters):
                return [_wrong_type(known, outcomes, f"{len(parameters)} outcomes")] * len(
                    parameters
                )
        else:
            outcomes = [known.run(*given, **each) for each in parameters]
        return [each if isinstance(each, Outcome) else _wrong_type(known, each, "Outcome")
                for each in outcomes]  # fmt: skip
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(where.filename).name}:{where.lineno}"
        return [Outcome(crash=f"{type(error).__name__}: {error} ({place})") for _ in parameters]


def _wrong_type(known: Fact, returned: object, expected: str) -> Outcome:
    """Return a crash that names the fact and the type that it returned instead of an outcome."""
    file = Path(inspect.getsourcefile(known.run) or known.run.__module__).name
    kind = type(returned).__name__
    what = f"{kind} of {len(returned)}" if isinstance(returned, list | tuple) else kind
    return Outcome(crash=f"{file}: returned {what}, expected {expected}")
