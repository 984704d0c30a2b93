"""Rounded scores: how far those of torch move from the target's, beside what is claimed."""

from fractions import Fraction

import flint
import numpy as np
import pytest
import torch
from balls_support import precision_fixture

from constructions.core.exact import ball
from constructions.decoder import Design
from verify.bounds import decoder
from verify.bounds.decoder import Setting
from verify.bounds.decoder_scores import MovedSetting, moved_setting
from verify.bounds.floating import ONCE

working = precision_fixture(4000)
FLOAT32 = ONCE["float32"]


def torch_scores(constant, length, back, scale):
    """Scores of all tokens in float32, by stored weights, as a library with a factor √d has them."""
    p = 1 << (length - 1).bit_length()
    stored = [torch.tensor(float(scale * w)) for w in
              (2 * p * p * constant, -2 * p * back * constant, -p * p * constant)]  # fmt: skip
    place = torch.arange(length + 1, dtype=torch.float64) / p
    first, second = place.float(), (place * place).float()
    queries = torch.stack([stored[0] * first + stored[1], stored[2].expand(length + 1)], dim=-1)
    return (queries @ torch.stack([first, second])) / torch.tensor(scale)


def largest_shift(constant, length, scale):
    """By how much a token's score comes too near to the target's, largest: all of it, and for m = 1."""
    worst, near = -np.inf, -np.inf
    j = np.arange(length + 1)
    for back in (1 << k for k in range((length - 1).bit_length())):
        scores = torch_scores(constant, length, back, scale)
        for t in range(1, length + 1):
            target = max(t - back, 0)
            row = (scores[t, : t + 1] - scores[t, target]).double().numpy()
            gap = (j[: t + 1] - target) * (j[: t + 1] + target - 2 * (t - back))
            shift = row + constant * gap
            worst = max(worst, shift.max())
            near = max(near, shift[np.abs(j[: t + 1] - target) == 1].max())
    return worst, near


@pytest.mark.parametrize(("length", "constant"), [(64, 17.5625), (256, 16.0625), (256, 45.4375)])
@pytest.mark.parametrize("scale", [1.0, 2.0**0.5, 3.0])
def test_scores_of_torch_come_no_nearer_to_the_target_than_claimed(length, constant, scale):
    setting = moved_setting(Setting(Design(), Fraction(constant)), FLOAT32, length, exact=False)
    worst, near = largest_shift(constant, length, scale)
    lost = Fraction(constant) - setting.saturation
    assert near <= ball(lost) + 2 * setting.moved
    assert worst <= ball(lost) * length**2 + 2 * setting.moved


def test_roundings_of_torch_are_seen_where_the_factor_is_no_short_number():
    constant, length = 45.4375, 256
    setting = moved_setting(Setting(Design(), Fraction(constant)), FLOAT32, length, exact=False)
    assert largest_shift(constant, length, 2.0**0.5)[1] > setting.moved / 40


def test_the_leak_of_moved_scores_is_below_that_of_all_roundings_together():
    """5γ_14 CT² for each score, as `decoder_rounding` has it."""
    setting, length = Setting(Design(), Fraction(16)), 256
    moved = moved_setting(setting, FLOAT32, length, exact=False)
    old = decoder.leak(setting.saturation) * (10 * FLOAT32.gamma(14) * 16 * length**2).exp()
    found = moved.leak(length, flint.arb(0))
    assert decoder.leak(setting.saturation) < found < old / 100


def test_exact_scores_are_not_moved():
    setting = Setting(Design(), Fraction(16))
    moved = moved_setting(setting, FLOAT32, 64, exact=True)
    assert moved.saturation == 16 and moved.moved.is_zero()


def test_scores_that_are_too_far_off_have_no_bound():
    """In bfloat16 6γ_10 T is above 1/2 for three letters."""
    setting = Setting(Design(), Fraction(16))
    assert moved_setting(setting, ONCE["bfloat16"], 3, exact=False) is None
    assert moved_setting(setting, ONCE["bfloat16"], 2, exact=False) is not None


@pytest.mark.parametrize("missing", [0, 1, 5])
@pytest.mark.parametrize("constant", [1, 3, 17])
def test_a_token_that_reads_the_beginning_leaks_to_one_side(constant, missing):
    moved = MovedSetting(Design(), Fraction(constant), moved=flint.arb("0.125"))
    total = sum(((-ball(Fraction(constant * m * (m + 2 * missing)))).exp() for m in range(1, 60)),
                flint.arb(0))  # fmt: skip
    found = moved.begin_leak(60, missing) / ball(Fraction(1, 4)).exp()
    assert total <= found <= total * 1.2
    assert missing or 2 * found <= moved.leak(60, flint.arb(0)) * flint.arb("1.0001")


@pytest.mark.parametrize("constant", [40, 400, 14000])
@pytest.mark.parametrize("missing", [0, 1, 7, 15])
def test_angles_leak_from_the_beginning_what_their_scores_do(constant, missing):
    """The scores C cos(ω(t - s - j)) of a token with s - t = d, one by one."""
    length, back = 33, 16
    moved = MovedSetting(Design(), Fraction(constant), rotary=True)
    turn, target = flint.arb.pi() / (length + 1), (-missing * flint.arb.pi() / (length + 1)).cos()
    scores = [constant * (turn * (-missing - j)).cos() for j in range(back - missing + 1)]
    total = sum(((score - constant * target).exp() for score in scores[1:]), flint.arb(0))
    bound = moved.begin_leak(length, missing)
    assert total <= bound * (1 + flint.arb(2) ** -400)
    assert missing > 0 or bound <= total * (1 + flint.arb(2) ** -10)
