"""Small things that several tests share."""

from collections.abc import Callable, Iterator
from typing import Any

from constructions.automata.wfa import WFA

# One automaton or more of every family of `constructions.automata.named`.
SWEPT = (
    "scalar:1/2",
    "scalar:1",
    "scalar:-1",
    "scalar:2",
    "counting",
    "k-counting:2",
    "rotation:1/8",
    "permutation:3",
    "nilpotent:3",
    "hmm:2:1",
    "pfa:2:1",
    "random:2:1",
    "mess3",
    "rrxor",
    "even",
    "golden",
    "ghmm",
)


def no_more(text: str) -> Iterator[str]:
    """No further ways to change a text."""
    return iter(())


def changes(value: Any, more: Callable[[str], Iterator[str]] = no_more) -> Iterator[Any]:
    """Every way to change one plain value, to leave one out or to add one."""
    if isinstance(value, dict):
        for key in value:
            yield from ({**value, key: other} for other in changes(value[key], more))
            yield {k: v for k, v in value.items() if k != key}
        yield {**value, "unknown": 1}
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from ([*value[:i], other, *value[i + 1 :]] for other in changes(item, more))
        yield from ([value[:-1]] if value else [])
        yield [*value, 1]
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, str):
        yield f"{value}x"
        yield f"{value}1"
        yield from more(value)
    else:
        yield 0


def is_pfa(automaton: WFA) -> bool:
    """Whether the weights are probabilities as Appendix A.2 asks of a PFA."""
    numbers = [*automaton.alpha, *automaton.beta]
    numbers += [w for rows in automaton.transitions.values() for row in rows for w in row]
    leaving = [
        automaton.beta[q] + sum(sum(rows[q]) for rows in automaton.transitions.values())
        for q in range(automaton.n)
    ]
    return min(numbers) >= 0 and sum(automaton.alpha) == 1 and all(w == 1 for w in leaving)
