"""The step h and the constant K of a plain decoder that suit a floating-point format.

Why           constants that keep ε in exact arithmetic may be the wrong ones for a format: a plain block
              with step h misses by O(h²) in exact arithmetic and by about u/h in a format of unit
              roundoff u, so that in float32 a finer step than u^(1/3) makes a model worse
Chosen        from the constants of exact arithmetic on, h = 2^-k is made coarser, then K = 2^k smaller, each
              as long as the certified error with rounding does not grow; a larger C gains little. Where
              no bound is known in the format, the constants are those of the next format with more bits
              in which one is. The choice is a heuristic; what is claimed is the bound at the constants
              that come out, if there is one
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from math import isfinite

from verify.bounds import decoder_rounding
from verify.bounds.decoder import CertifiedSetting, Setting, WordBounds, state_error
from verify.bounds.floating import Precision

Step = Callable[[Setting], Setting | None]
MOST_BITS = 54


@dataclass(frozen=True)
class FormatError:
    """The certified error of a setting in a format, as a number to choose by."""

    bounds: WordBounds
    form: Precision
    unscaled: bool

    def __call__(self, setting: Setting) -> float:
        """Infinite where no bound is known."""
        error = decoder_rounding.state_error(self.bounds, setting, self.form, self.unscaled)
        return float(error.upper())


def setting_for_format(
    bounds: WordBounds, choice: CertifiedSetting, form: Precision, unscaled: bool = False
) -> CertifiedSetting:
    """The setting of a plain decoder with the least certified error in a format, of those tried.

    More bits have a bound wherever fewer have one, so that the fewest are found by bisection.
    """

    @cache
    def best(bits: int) -> Setting | None:
        size = FormatError(bounds, replace(form, bits=bits), unscaled)
        setting = descend(descend(choice.setting, coarser, size), smaller, size)
        return setting if isfinite(size(setting)) else None

    formats = range(form.bits, MOST_BITS)
    setting = best(formats[0])
    if setting is None:
        fewest = bisect_left(formats, True, key=lambda bits: best(bits) is not None)
        setting = best(formats[fewest]) if fewest < len(formats) else None
    if setting is None:
        return choice
    return CertifiedSetting(setting, state_error(bounds, setting), choice.closed_form)


def descend(setting: Setting, step: Step, size: FormatError) -> Setting:
    """The best setting on the way of one step after another, until the first that is worse."""
    best, least = setting, size(setting)
    while (setting := step(setting) or best) is not best:
        now = size(setting)
        if now > least:
            break
        best, least = setting, now
    return best


def coarser(setting: Setting) -> Setting | None:
    """The step 2h."""
    fineness = setting.design.fineness
    if fineness is None or fineness <= 1:
        return None
    return replace(setting, design=replace(setting.design, fineness=fineness - 1))


def smaller(setting: Setting) -> Setting | None:
    """K/2, of a neutralised norm."""
    large = setting.design.large
    if large <= 1:
        return None
    return replace(setting, design=replace(setting.design, large=large // 2))
