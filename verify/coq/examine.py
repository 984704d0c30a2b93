"""Ask Coq for the pinned theorems' statements, meanings and axioms, and report what differs.

One session checks the definitions behind all wanted theorems; others, one for each set of axioms, check
the statements and print what they assume. A refusal names the theorem or definition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from verify.coq.axioms import REALS, assumptions
from verify.coq.build import JOBS
from verify.coq.pins import Meaning, Pin, unfolding
from verify.coq.session import Denied, answers, printed_type, run_session
from verify.coq.sources import Refused


def disallowed(pinned: Mapping[str, Pin]) -> list[str]:
    """Return a line for each pin that allows more than the axioms of Coq's real numbers."""
    return [
        f"{name} is pinned with {axiom}, which is no axiom of the real numbers"
        for name, pin in pinned.items()
        for axiom in sorted(set(pin.assumptions) - REALS.keys())
    ]


def check_meanings(build: Path, table: Mapping[str, Meaning]) -> list[str]:
    """Return a line for the first name that does not mean what is pinned, if there is one."""
    sentences = [
        (name, sentence)
        for place, (name, entry) in enumerate(table.items())
        for sentence in entry.sentences(name, f"pin{place}")
    ]
    try:
        run_session(build, "Meaning", [sentence for _, sentence in sentences])
    except Denied as error:
        name = sentences[error.place][0]
        return [f"{name} does not mean what is pinned: {error}"]
    return []


def check_statements(build: Path, session: str, pinned: Mapping[str, str]) -> list[str]:
    """Return a line for the first name without its pinned statement, with the one it has."""
    names = list(pinned)
    sentences = [
        f"Definition pin{k} : ({pinned[name]}) := @{name}." for k, name in enumerate(names)
    ]
    try:
        run_session(build, session, sentences)
    except Denied as error:
        name = names[error.place]
        printed = answers(build, f"{session}now", {name: f"Check @{name}."})
        text = printed_type(printed[name])
        return [f"{name} is not the pinned statement: it now reads {text!r}"]
    return []


def beyond(build: Path, session: str, allowed: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return a line for each theorem that uses an axiom that it may not use."""
    term = f"({', '.join(f'@{name}' for name in names)}, tt)"
    used = assumptions(build, session, {"all": term})["all"]
    strangers = sorted(set(used) - set(allowed))
    if not strangers:
        return []
    if len(names) == 1:
        return [f"{names[0]} assumes {', '.join(strangers)}"]
    half = len(names) // 2
    halves = enumerate((names[:half], names[half:]))
    return [line for k, part in halves for line in beyond(build, f"{session}{k}", allowed, part)]


def groups(pinned: Mapping[str, Pin]) -> dict[tuple[str, ...], dict[str, Pin]]:
    """Return the theorems by the axioms that they may use: one question for each group."""
    result: dict[tuple[str, ...], dict[str, Pin]] = {}
    for name, pin in pinned.items():
        result.setdefault(tuple(sorted(pin.assumptions)), {})[name] = pin
    return result


def reasons(
    build: Path, pinned: Mapping[str, Pin], table: Mapping[str, Meaning], modules: Iterable[str]
) -> list[str]:
    """Return the reasons why compiled files do not establish all of the pinned theorems."""
    tasks = [partial(check_meanings, build, unfolding(pinned, table, modules))]
    for k, (allowed, part) in enumerate(groups(pinned).items()):
        statements = {name: pin.statement for name, pin in part.items()}
        tasks.append(partial(check_statements, build, f"Stated{k}x", statements))
        tasks.append(partial(beyond, build, f"Assumed{k}x", allowed, list(part)))
    with ThreadPoolExecutor(JOBS) as pool:
        return [line for lines in pool.map(_call, tasks) for line in lines]


def _call(task: Callable[[], list[str]]) -> list[str]:
    return task()


def examine(
    build: Path, pinned: Mapping[str, Pin], table: Mapping[str, Meaning], modules: Iterable[str]
) -> None:
    """Refuse pinned theorems that the compiled files of a folder do not establish."""
    lines = disallowed(pinned) or (reasons(build, pinned, table, modules) if pinned else [])
    if lines:
        raise Refused("; ".join(lines))


def examine_examples(build: Path, pinned: Mapping[str, str]) -> None:
    """Refuse examples that have another statement than the pinned one, or use another axiom."""
    lines = check_statements(build, "Examples", pinned)
    if lines := lines or beyond(build, "Used", list(REALS), list(pinned)):
        raise Refused("; ".join(lines))
