"""The certified sweep against the dense forward pass in mpmath, at the same 200 digits.

T = 16, n = 3: a hidden Markov model with three states and a word of 16 letters. The dense pass is
the one of `constructions.transformer` in `Multiprecision(200)`, which is what one would write
without knowing that all heads share one row of softmax weights. Both run by turns in one process, and
the ratio of their least processor times is printed; the target is 80. It depends on the machine (the
same sources gave 88 on one and 66 on another), and what speeds up the forward pass lowers it.

What limits it: the sweep's time is arithmetic in flint on numbers of 200 digits. By a profile about a
third goes into attention (two products a layer with the circulant matrix), a third into the spectral
norms of all layers, a third into the products of n × n matrices at each position. The dense pass
computes states and no norms; the second ratio is that of the sweep for the error of the states alone.
"""

from __future__ import annotations

from fractions import Fraction

import flint
from timing import alternately

from constructions import theorem2
from constructions.arithmetic import Multiprecision
from constructions.wfa import WFA
from verify.bounds.named import named
from verify.engines.circulant import Sweep, certified

DIGITS, LENGTH, SATURATION = 200, 16, Fraction(1600)
BITS = int(DIGITS * 3.3219281) + 1
TARGET = 80
WORD = tuple("abaabbababbaabab")


def swept(automaton: WFA) -> bool:
    """One certified sweep in balls; whether its digits were enough."""
    if not certified(automaton, [WORD], LENGTH, SATURATION, bits=BITS).decided:
        raise ArithmeticError("the sweep ran out of digits")
    return True


def states_alone(automaton: WFA) -> flint.arb:
    """The certified error of the states, without the norms of the layers."""
    with flint.ctx.workprec(BITS):
        return Sweep(automaton, LENGTH, SATURATION).states(WORD)


def measured() -> tuple[float, float, float]:
    """Seconds of the dense pass, of the sweep, and of the sweep for the states alone."""
    automaton = named("hmm:3:1")
    model = theorem2.build(automaton, LENGTH, SATURATION)
    runs: list[tuple[float, object]] = alternately(
        lambda: model.states(WORD, Multiprecision(DIGITS)),
        lambda: swept(automaton),
        lambda: states_alone(automaton),
    )
    slow, fast, alone = (seconds for seconds, _ in runs)
    return slow, fast, alone


def main() -> tuple[float, float, float]:
    """Print the ratios."""
    slow, fast, alone = measured()
    print(
        f"n = 3, T = {LENGTH}, {DIGITS} digits: dense mpmath pass {slow:.3f} s, certified sweep "
        f"{fast * 1000:.1f} ms, {slow / fast:.0f} times faster (target {TARGET}); for the states "
        f"alone {alone * 1000:.1f} ms, {slow / alone:.0f} times faster"
    )
    return slow, fast, alone


if __name__ == "__main__":
    main()
