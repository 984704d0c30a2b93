"""A format in which only some kinds of error exist, as large as in `noisy_decoder`, and small automata."""

from dataclasses import dataclass

import flint

from constructions.automata.families import hmm
from constructions.automata.wfa import WFA
from verify.bounds.floating import Precision

DYADIC = hmm(
    [["1/2", "1/2"], ["1/4", "3/4"]], [["1/4", "1/2"], ["3/4", "1/2"]], ["1/2", "1/2"], "ab"
)
WEATHER = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
SIGNED = WFA.of(
    [1, "-1/2"], {"a": [["-1/2", 1], ["3/4", "1/4"]], "b": [[1, "-1/4"], [0, "-1/2"]]}, [1, 1]
)
AUTOMATA = {"dyadic": DYADIC, "signed": SIGNED}
UNIT = 2.0**-14


@dataclass(frozen=True)
class Selected(Precision):
    """A format in which only some kinds of error exist: single roundings, or sums of so many."""

    counts: tuple[int, ...] = ()
    single: bool = False

    @property
    def roundoff(self):
        return flint.arb(UNIT if self.single else 0)

    def gamma(self, count):
        return (
            flint.arb(count * UNIT) / (1 - count * flint.arb(UNIT))
            if count in self.counts
            else flint.arb(0)
        )


def selected(kinds, automaton, length):
    """The format of some kinds: γ_17, γ_{2n+8}, γ_11, γ_{m+4} and, with single roundings, γ_R."""
    nonzero = sum(1 for weight in automaton.alpha if weight)
    own = {"round": (length + 1,), "exp": (17,), "product": (2 * automaton.n + 8,), "erase": (11,),
           "readout": (nonzero + 4,)}  # fmt: skip
    counts = tuple(count for kind in kinds for count in own[kind])
    return Selected("", 14, -4000, 4000, False, counts, "round" in kinds)
