"""The constants C, h and K of a decoder: those that keep ε, and those that suit a floating-point format.

Kept          the coarsest C, then the step h, then K whose certified error in exact arithmetic is within
              its share of ε. `closed_form` is a C that `verify.bounds.decoder` has in closed form
Format        a plain block with step h misses by O(h²) in exact arithmetic and by about u/h in a format of
              unit roundoff u, so that in float32 a finer step than u^(1/3) makes a model worse. From the
              constants of exact arithmetic on, h = 2^-k is made coarser, then K = 2^k smaller, each as long
              as the certified error with rounding does not grow; a larger C gains little. Where no bound is
              known in the format, the constants are those of the next format with more bits in which one
              is. The choice is a heuristic; what is claimed is the bound at the constants that come out
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import isfinite

import flint

from constructions.core.errors import InputError
from constructions.core.exact import ball
from constructions.decoder import Design, Normalisation
from verify.bounds.budget import FINEST, MOST_SATURATION, least_number
from verify.bounds.decoder import BITS, GRID, Setting, WordBounds
from verify.bounds.decoder_rounding import exact_error, state_error
from verify.bounds.floating import Precision
from verify.bounds.norms import largest

Fits = Callable[[Setting, int], bool]
Enough = Callable[[Setting], bool]
Step = Callable[[Setting], Setting | None]
MOST_BITS = 54
MOST_LARGE = 200


def closed_form(bounds: WordBounds, eps: Fraction) -> flint.arb:
    """C = ln(2.2/λ), for a gated block without a norm and attention without RoPE."""
    with flint.ctx.workprec(BITS):
        gain = flint.arb(0)
        for big, far in zip(bounds.norms, bounds.distances, strict=True):
            gain = (2 * big + 1) * gain + 2 * big * far
        top = largest([flint.arb(1), *bounds.norms]) + largest(bounds.distances)
        inverse = (16 * top).max(4 * gain).max(bounds.readout * gain / ball(eps))
        return (ball(Fraction(11, 5)) * inverse).log()


@dataclass(frozen=True)
class CertifiedSetting:
    """A setting that certainly keeps ε, and the error that it certainly keeps."""

    setting: Setting
    error: flint.arb
    closed_form: flint.arb


def required_setting(
    bounds: WordBounds,
    eps: Fraction,
    design: Design,
    rotary: bool = False,
    most_large: int = MOST_LARGE,
) -> CertifiedSetting:
    """The setting of `least_setting` for states within ε."""

    def error(setting: Setting) -> flint.arb:
        return exact_error(bounds, setting)

    setting = least_setting(error, eps, design, rotary, most_large)
    target = eps / _parts(design)
    return CertifiedSetting(setting, error(setting), closed_form(bounds, target))


def least_setting(
    error: Callable[[Setting], flint.arb],
    eps: Fraction,
    design: Design,
    rotary: bool = False,
    most_large: int = MOST_LARGE,
) -> Setting:
    """The coarsest C, then h, then K = 2^k with k at most `most_large`, each with its share of ε.

    A given step or K of the design says which kind of model is wanted, not its value.
    """
    if eps <= 0:
        raise InputError("eps", str(eps), "a number > 0")
    parts = _parts(design)

    def fits(setting: Setting, share: int) -> bool:
        return bool(error(setting) <= ball(share * eps / parts))

    def at(count: int) -> Setting:
        return Setting(Design("relu"), Fraction(count, GRID), rotary)

    setting = at(least_number(lambda count: fits(at(count), 1), MOST_SATURATION, "C"))
    if design.gated:
        setting = replace(setting, design=Design(design.activation))
    else:
        setting = _with_fineness(setting, design, fits)
    if design.norm is not Normalisation.NONE:
        setting = _with_constant(setting, design, most_large, lambda found: fits(found, parts))
        twice = replace(setting, saturation=2 * setting.saturation)
        setting = twice if rotary and fits(twice, parts) else setting
    return setting


def _parts(design: Design) -> int:
    """The number of constants that share ε."""
    return 1 + (not design.gated) + (design.norm is not Normalisation.NONE)


def _with_fineness(setting: Setting, design: Design, fits: Fits) -> Setting:
    """The setting with the coarsest step h = 2^-k that keeps its share."""

    def at(bits: int) -> Setting:
        return replace(setting, design=Design(design.activation, bits, levels=design.levels))

    return at(least_number(lambda bits: fits(at(bits), 2), FINEST, "k of a step h = 2^-k"))


def _with_constant(setting: Setting, design: Design, most: int, fits: Enough) -> Setting:
    """The setting with the least K = 2^k, k ≤ `most`, that keeps its share."""
    old = setting.design

    def at(bits: int) -> Setting:
        made = replace(old, norm=design.norm, large=1 << bits, epsilon=design.epsilon)
        return replace(setting, design=made)

    return at(least_number(lambda bits: fits(at(bits)), most, "k of a coordinate K = 2^k"))


@dataclass(frozen=True)
class FormatError:
    """The certified error of a setting in a format, as a number to choose by."""

    bounds: WordBounds
    form: Precision
    unscaled: bool

    def __call__(self, setting: Setting) -> float:
        """Infinite where no bound is known."""
        error = state_error(self.bounds, setting, self.form, self.unscaled)
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
    return CertifiedSetting(setting, exact_error(bounds, setting), choice.closed_form)


def descend(setting: Setting, step: Step, size: FormatError) -> Setting:
    """The last setting before a step makes it worse."""
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
