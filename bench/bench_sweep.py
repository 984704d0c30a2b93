"""A certified sweep over C against the dense forward pass in mpmath.

T = 16, n = 3: a hidden Markov model with three states, a word of 16 letters, eight values of C.
The dense pass is the one of `constructions.core.transformer` in mpmath, which is what one would write
without knowing that all heads share one row of softmax weights. Its digits follow C as those of
`verify.bounds.measured` do: subtracting the exact products must leave 128 bits of the error. The
sweep carries the errors themselves and chooses its bits by itself. Both run by turns in one process,
and the ratio of their least processor times is printed; the target is 80. The second ratio is that
of the error of the states alone, which is all that the dense pass gives, and the third gives both
200 digits at one C, where most of the sweep's time is arithmetic on long numbers.

What limits the first: by a profile a third goes into spectral norms of all tokens, a third into
moving numbers between tokens and rows, a fifth into the products with the circulant matrix.
"""

from __future__ import annotations

from fractions import Fraction

from timing import best_times_by_turns

from constructions import theorem2
from constructions.arithmetic import Multiprecision
from constructions.automata.named import automaton_by_name
from constructions.automata.wfa import WFA
from constructions.theorem1 import span
from verify.bounds.circulant import LOG2_10, certified_runs, state_error
from verify.bounds.leak import bits_for
from verify.bounds.sweep import grid

LENGTH, TARGET = 16, 80
CONSTANTS = grid(Fraction(200), Fraction(1600), 8)
DIGITS = 200
WORD = tuple("abaabbababbaabab")


def dense_states(
    automaton: WFA, constants: list[Fraction], digits: int | None = None
) -> list[object]:
    """The states at each C by the dense forward pass in mpmath."""
    needed = [digits or int(bits_for(c, span(LENGTH)) / LOG2_10) for c in constants]
    return [
        theorem2.build(automaton, LENGTH, c).states(WORD, Multiprecision(d))
        for c, d in zip(constants, needed, strict=True)
    ]


def layer_errors(
    automaton: WFA, constants: list[Fraction], bits: int | None = None
) -> list[object]:
    """The certified errors of every layer and of the states at each C."""
    runs = certified_runs(automaton, [WORD], LENGTH, constants, bits)
    if not all(run.is_decided for run in runs):
        raise ArithmeticError("the sweep ran out of digits")
    return [run.states for run in runs]


def state_errors(automaton: WFA) -> list[object]:
    """The certified error of the states at each C, without the norms of the layers."""
    return [state_error(automaton, [WORD], LENGTH, c) for c in CONSTANTS]


def main() -> dict[str, tuple[float, float]]:
    """(seconds of the dense pass, seconds of the sweep), for one C each."""
    automaton, last = automaton_by_name("hmm:3:1"), CONSTANTS[-1:]
    bits = int(DIGITS * LOG2_10) + 1
    runs: list[tuple[float, object]] = best_times_by_turns(
        lambda: dense_states(automaton, CONSTANTS),
        lambda: layer_errors(automaton, CONSTANTS),
        lambda: state_errors(automaton),
        lambda: dense_states(automaton, last, DIGITS),
        lambda: layer_errors(automaton, last, bits),
        repeats=5,
    )
    slow, fast, alone, slow_long, fast_long = (seconds for seconds, _ in runs)
    count = len(CONSTANTS)
    found = {
        "sweep": (slow / count, fast / count),
        "states": (slow / count, alone / count),
        "digits": (slow_long, fast_long),
    }
    titles = (
        f"{count} values of C (target {TARGET})",
        "the states alone",
        f"{DIGITS} digits, one C",
    )
    print(f"n = 3, T = {LENGTH}, for one C: dense mpmath pass, certified sweep")
    for title, (a, b) in zip(titles, found.values(), strict=True):
        print(f"  {title}: {a:.3f} s, {b * 1000:.2f} ms, {a / b:.0f} times faster")
    return found


if __name__ == "__main__":
    main()
