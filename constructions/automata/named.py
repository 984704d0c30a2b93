"""Families of automata by name, for sweeps: `scalar:2`, `rotation:1/8`, `hmm:2:7`, …

    scalar:W             one state, one letter, weight W
    counting             counts the letter 0
    k-counting:K[:N]     counts the first K of N letters (N = K + 1 if left out)
    rotation:P/Q         the plane, turned by P/Q of a full turn (irrational entries, exact)
    permutation:N        letters a: the first two states exchanged, b: all states moved on by one
    nilpotent:N          strictly upper triangular letters: all products of N letters are 0
    hmm:N:SEED           a hidden Markov model with N states and letters a, b
    pfa:N:SEED           a probabilistic automaton with N states and letters a, b
    random:N:SEED        rational weights of size at most 1, letters a, b
    mess3[:X:A]          Mess3 with mixing X and clarity A (3/20 and 3/5 if left out)
    rrxor, even, golden  RRXOR, the even process, the golden mean process
    ghmm                 a generalised HMM: negative weights, positive probabilities

Random automata are functions of their seed.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random

from constructions.automata import families, processes
from constructions.automata.wfa import WFA
from constructions.core.errors import InputError
from constructions.core.exact import cos_pi, sin_pi
from constructions.core.numbers import number, whole_number

LARGEST = 8
FINEST = 1000  # zero is decided in a field whose degree grows with the denominator


def automaton_by_name(text: str) -> WFA:
    """The automaton of a family, from its name and parameters.

    Examples:
        >>> print(automaton_by_name("counting").weight("0100"))
        3
        >>> automaton_by_name("hmm:2:7").n
        2

    """
    name, *parameters = text.split(":")
    if name not in FAMILIES:
        raise InputError("family", name, f"one of {', '.join(FAMILIES)}, or a file")
    make, least, most = FAMILIES[name]
    if not least <= len(parameters) <= most:
        raise InputError("family", text, f"{name} with {_count_text(least, most)}")
    return make(*parameters)


def _count_text(least: int, most: int) -> str:
    count = str(least) if least == most else f"{least} to {most}"
    return f"{count} parameters after colons"


def _size(text: str) -> int:
    return whole_number(text, "states", 1, LARGEST)


def _seed(text: str) -> Random:
    return Random(whole_number(text, "seed", 0, 10**9))


def _scalar(weight: str) -> WFA:
    return families.scalar(number(weight, "weight"))


def _k_counting(k: str, letters: str | None = None) -> WFA:
    counted = whole_number(k, "k", 1, LARGEST)
    return families.k_counting(
        counted,
        counted + 1 if letters is None else whole_number(letters, "letters", 1, 2 * LARGEST),
    )


def _rotation(turn: str) -> WFA:
    angle = 2 * number(turn, "turn")
    if angle.denominator > FINEST:
        raise InputError("turn", turn, f"a part of a turn with a denominator up to {FINEST}")
    cosine, sine = cos_pi(angle), sin_pi(angle)
    rows = ((cosine, sine), (-sine, cosine))
    one, zero = Fraction(1), Fraction(0)
    return WFA((one, zero), {"a": rows}, (one, zero))


def _permutation(states: str) -> WFA:
    n = _size(states)
    exchange = [1, 0, *range(2, n)][:n] if n > 1 else [0]
    return families.dfa(n, 0, [0], {"a": exchange, "b": [(q + 1) % n for q in range(n)]})


def _nilpotent(states: str) -> WFA:
    n = _size(states)
    step = [[int(j == i + 1) for j in range(n)] for i in range(n)]
    all_later = [[Fraction(int(j > i), 2) for j in range(n)] for i in range(n)]
    return WFA.of([1] * n, {"a": step, "b": all_later}, [1] * n)


def _distribution(random: Random, size: int) -> list[Fraction]:
    shares = [random.randint(1, 9) for _ in range(size)]
    return [Fraction(share, sum(shares)) for share in shares]


def _hmm(states: str, seed: str) -> WFA:
    n, random = _size(states), _seed(seed)
    transition = [_distribution(random, n) for _ in range(n)]
    emits = [_distribution(random, 2) for _ in range(n)]
    observation = [[emits[q][symbol] for q in range(n)] for symbol in range(2)]
    return families.hmm(transition, observation, _distribution(random, n), ["a", "b"])


def _pfa(states: str, seed: str) -> WFA:
    n, random = _size(states), _seed(seed)
    rows = [_distribution(random, 2 * n + 1) for _ in range(n)]
    letters = {
        symbol: [row[start : start + n] for row in rows] for symbol, start in (("a", 0), ("b", n))
    }
    return families.pfa(_distribution(random, n), letters, [row[-1] for row in rows])


def _random(states: str, seed: str) -> WFA:
    n, random = _size(states), _seed(seed)

    def weight() -> Fraction:
        return Fraction(random.randint(-4, 4), 4)

    letters = {symbol: [[weight() for _ in range(n)] for _ in range(n)] for symbol in "ab"}
    return WFA.of([weight() for _ in range(n)], letters, [weight() for _ in range(n)])


def _mess3(mixing: str = "3/20", clarity: str = "3/5") -> WFA:
    return processes.mess3(number(mixing, "mixing"), number(clarity, "clarity"))


FAMILIES: dict[str, tuple[Callable[..., WFA], int, int]] = {
    "scalar": (_scalar, 1, 1),
    "counting": (families.counting, 0, 0),
    "k-counting": (_k_counting, 1, 2),
    "rotation": (_rotation, 1, 1),
    "permutation": (_permutation, 1, 1),
    "nilpotent": (_nilpotent, 1, 1),
    "hmm": (_hmm, 2, 2),
    "pfa": (_pfa, 2, 2),
    "random": (_random, 2, 2),
    "mess3": (_mess3, 0, 2),
    "rrxor": (processes.rrxor, 0, 0),
    "even": (processes.even_process, 0, 0),
    "golden": (processes.golden_mean, 0, 0),
    "ghmm": (processes.generalised, 0, 0),
}
