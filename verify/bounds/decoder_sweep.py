"""C needed against T: the paper's circle beside the decoder, for one automaton and one ε.

Shown         both columns are certified for all words of length T, in the norm of Definition 3.2: the
              Frobenius norm of the errors of all T + 1 states is at most ε. A decoder that keeps
              every state within ε/√(T+1) does that
Notation      circle: Theorem 2's model on 2M tokens, C of order T²; decoder: the gated one, C of
              order log T · log N + log 1/ε; closed: the closed form of each
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, isqrt

from constructions.automata.wfa import WFA
from constructions.core.exact import ceiling
from constructions.decoder import Design
from verify.bounds import decoder, saturation
from verify.bounds.decoder_settings import required_setting


@dataclass(frozen=True)
class NeededSaturation:
    """The C that each construction needs at one length, and what their closed forms give."""

    length: int
    circle: Fraction
    decoder: Fraction
    circle_closed: Fraction
    decoder_closed: Fraction

    @property
    def ratio(self) -> Fraction:
        """Ratio of the circle's C to the decoder's."""
        return self.circle / self.decoder


def needed_saturations(
    automaton: WFA, lengths: Sequence[int], eps: Fraction, by_layers: bool = False
) -> tuple[NeededSaturation, ...]:
    """The C that Theorem 2's circle and the decoder need to stay within ε, a row for each length.

    `by_layers` takes the decoder's recursion over layers alone, which the re-checker has too, without
    what is gained by looking at letters and at neighbouring windows.

    Examples:
        >>> from constructions.automata.named import automaton_by_name
        >>> rows = needed_saturations(automaton_by_name("hmm:2:7"), (8, 16), Fraction(1, 10**6))
        >>> [float(row.decoder) for row in rows]
        [16.75, 17.375]

    """
    return tuple(_row(automaton, length, eps, by_layers) for length in lengths)


def share(eps: Fraction, length: int) -> Fraction:
    """A rational at most ε/√(T+1)."""
    return eps * isqrt((length + 1) << 20) / Fraction((length + 1) << 10)


def _row(automaton: WFA, length: int, eps: Fraction, by_layers: bool) -> NeededSaturation:
    circle = saturation.required_saturation(automaton, length, eps)
    bounds = decoder.word_bounds(automaton, length)
    bounds = replace(bounds, windows=None, apart=None) if by_layers else bounds
    ours = required_setting(bounds, share(eps, length), Design())
    closed = ceil(ceiling(ours.closed_form))
    constant = ours.setting.saturation
    return NeededSaturation(length, circle.constant, constant, circle.closed_form, Fraction(closed))
