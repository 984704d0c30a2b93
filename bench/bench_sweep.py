"""The certified sweep against the dense forward pass in mpmath, at the same 200 digits.

T = 16, n = 3: a hidden Markov model with three states and a word of 16 letters. The dense pass is
the one of `constructions.transformer` in `Multiprecision(200)`, which is what one would write
without knowing that all heads share one row of softmax weights. Both run in one process, one after
the other, and the ratio of their processor times is printed; the target is 80.
"""

from __future__ import annotations

from fractions import Fraction
from time import process_time

from constructions import theorem2
from constructions.arithmetic import Multiprecision
from verify.bounds.named import named
from verify.engines.circulant import certified

DIGITS, LENGTH, SATURATION = 200, 16, Fraction(1600)
TARGET = 80
WORD = tuple("abaabbababbaabab")


def dense(rounds: int = 2) -> float:
    """Seconds of processor time of one dense forward pass in mpmath, the best of two."""
    model = theorem2.build(named("hmm:3:1"), LENGTH, SATURATION)
    times = []
    for _ in range(rounds):
        start = process_time()
        model.states(WORD, Multiprecision(DIGITS))
        times.append(process_time() - start)
    return min(times)


def swept(rounds: int = 20) -> float:
    """Seconds of processor time of one certified sweep in balls, the best of a few."""
    automaton, bits = named("hmm:3:1"), int(DIGITS * 3.3219281) + 1
    times = []
    for _ in range(rounds):
        start = process_time()
        run = certified(automaton, [WORD], LENGTH, SATURATION, bits=bits)
        times.append(process_time() - start)
        if not run.decided:
            raise ArithmeticError("the sweep ran out of digits")
    return min(times)


def ratio() -> tuple[float, float, float]:
    """(dense seconds, sweep seconds, their ratio), in one run."""
    slow, fast = dense(), swept()
    return slow, fast, slow / fast


def main() -> tuple[float, float, float]:
    """Print the ratio."""
    slow, fast, times = ratio()
    print(
        f"n = 3, T = {LENGTH}, {DIGITS} digits: dense mpmath pass {slow:.3f} s, certified sweep "
        f"{fast * 1000:.1f} ms, {times:.0f} times faster (target {TARGET})"
    )
    return slow, fast, times


if __name__ == "__main__":
    main()
