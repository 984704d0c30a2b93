"""The model of Theorem 2 with softmax attention and an MLP of 4n³ units in every layer.

soft-model.sizes   its sizes are as printed, whatever C and the MLP's error
model.precision    it keeps all states of all words of one length within ε
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

from constructions import theorem2
from constructions.blocks.multiplication import slim_multiplier
from constructions.core.exact import ball
from constructions.core.sizes import sizes as measured
from verify.bounds.circulant import state_error
from verify.facts.registry import fact
from verify.facts.sizes import first_difference, zero_automaton
from verify.facts.soft_attention import Matrices, automaton
from verify.facts.units import multiplier_weights
from verify.judge.outcome import Outcome


def built_sizes(n: int, length: int, saturation: str, tolerance: str) -> dict[str, Any]:
    """The sizes of one built model by name."""
    network = slim_multiplier(n, "tanh", Fraction(n), Fraction(tolerance))
    model = theorem2.build(zero_automaton(n), length, Fraction(saturation), network)
    sizes = measured(model.transformer)
    return {**vars(sizes), "units": sizes.feedforward}


@fact("soft-model.sizes", "exact")
def model_sizes(
    sizes: dict[str, str],
    states: list[int],
    lengths: list[int],
    saturations: list[str],
    tolerances: list[str],
) -> Outcome:
    """Each named size of every built model is as printed, for each n, T, C and error of the MLP."""
    for n, length, *precision in product(states, lengths, saturations, tolerances):
        real = built_sizes(n, length, *precision)
        # A model without layers has no width of heads and blocks.
        asked = {k: v for k, v in sizes.items() if k in ("depth", "embedding") or real["depth"]}
        if wrong := first_difference(asked, real, n, length):
            return Outcome(False, {}, wrong)
    return Outcome(True)


@fact("model.precision", "enclosure")
def states_within_precision(
    alpha: list[str],
    transitions: Matrices,
    length: int,
    saturation: str,
    activation: str,
    radius: str,
    tolerance: str,
    eps: str,
) -> Outcome:
    """Softmax attention and an MLP of 4n³ units in every layer keep all states within ε.

    All words of length T are run; the MLP multiplies within `tolerance` where entries are at most R.
    """
    subject = automaton(transitions, alpha)
    network = slim_multiplier(subject.n, activation, Fraction(radius), Fraction(tolerance))
    for word in subject.words(length):
        error = state_error(subject, [word], length, Fraction(saturation), network)
        if not error < ball(Fraction(eps)):
            return Outcome(False, {}, {"word": "".join(word), "C": saturation})
    return Outcome(True, {"units": network.units, **multiplier_weights(network)})
