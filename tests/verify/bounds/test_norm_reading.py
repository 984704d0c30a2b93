"""Reads behind RMSNorm: what torch computes, beside the factor, the errors and the losses claimed."""

from dataclasses import replace
from fractions import Fraction

import flint
import numpy as np
import pytest
import torch

from constructions.decoder import Design, Normalisation
from verify.bounds.decoder import Setting, WordBounds
from verify.bounds.decoder_rounding import DecoderRounding
from verify.bounds.floating import ONCE
from verify.bounds.norm_reading import exact_reading, rms_reading

EPSILON = Fraction(1, 10**6)


def setting(large, norm=Normalisation.RMS):
    return Setting(Design("silu", None, norm, large, EPSILON), Fraction(20))


def normalised(tokens, large, form):
    """As `LlamaRMSNorm` has it: in a format, whatever the type of the tokens, but for the gain."""
    gain = torch.full((tokens.shape[-1],), large / tokens.shape[-1] ** 0.5, dtype=torch.float64)
    short = tokens.to(form)
    variance = short.pow(2).mean(-1, keepdim=True)
    return gain.to(tokens.dtype) * (short * torch.rsqrt(variance + 1e-6)).to(tokens.dtype)


def ratios(large, n, stream, form=torch.float32, size=1.0):
    """Factors by which coordinates are multiplied, in 400 tokens with matrices of n² entries."""
    generator = torch.Generator().manual_seed(large + n)
    width = setting(large).design.layout(n).size
    tokens = size * torch.randn(400, width, generator=generator, dtype=torch.float64)
    tokens[:, -3:-1], tokens[:, -1] = torch.rand(400, 2, generator=generator), large
    tokens = tokens.to(stream)
    square = float((tokens[:, :-3].double() ** 2).sum(-1).max())
    found = normalised(tokens, large, form).double().numpy().astype(np.longdouble)
    return found / tokens.double().numpy(), flint.arb(square)


@pytest.mark.parametrize("stream", [torch.float32, torch.float64])
@pytest.mark.parametrize("n", [1, 2, 4, 16])
@pytest.mark.parametrize("large", [64, 1 << 15, 1 << 26])
def test_reads_of_torch_have_one_factor_and_few_roundings_beside(large, n, stream):
    found, square = ratios(large, n, stream)
    read = rms_reading(setting(large), n, square, ONCE["float32"])
    assert float(np.abs(found - 1).max()) <= read.theta + read.each
    spread = float((found.max(-1) - found.min(-1)).max())
    assert read.each / 2 < spread <= 2 * read.each
    assert read.mean.is_zero()


def test_reads_that_are_not_small_beside_the_constant_move_the_factor():
    """Tokens of size 3 beside K = 64: 1 - κ is θ, which roundings do not explain."""
    found, square = ratios(64, 2, torch.float32, size=3.0)
    form = ONCE["float32"]
    off = float(np.abs(found - 1).max())
    assert off <= rms_reading(setting(64), 2, square, form).theta
    assert off > rms_reading(setting(64), 2, square / 4, form).theta


def test_roundings_of_the_factor_are_seen():
    """Of 31 widths one has a factor that is off by 2 units; 15/2 are claimed."""
    large, read = 1 << 15, rms_reading(setting(1 << 15), 1, flint.arb(0), ONCE["float32"])
    tokens = [torch.tensor([[0.0] * zeros + [float(large)]]) for zeros in range(4, 35)]
    found = [normalised(token, large, torch.float32)[0, -1].item() / large for token in tokens]
    assert 2.0**-23 <= max(abs(factor - 1) for factor in found) <= read.theta


def test_small_squares_that_are_added_one_by_one_count_twice():
    """Beside K² = 2^30, whose next number is 128 away, each 65 is rounded up to 128."""
    large, count = 1 << 15, 32
    total = np.float32(large**2)
    for _ in range(count):
        total += np.float32(65)
    off = 1 - large / float(total) ** 0.5
    read = rms_reading(setting(large), 4, flint.arb(65 * count), ONCE["float32"])
    once = setting(large).shrinkage(flint.arb(65 * count), 4)
    assert once + ONCE["float32"].gamma(15) / 2 < off <= read.theta


def test_what_underflows_is_lost_before_the_gain_multiplies_it():
    """x/K is below the least number; 4τ would not be enough."""
    large, form = 1 << 30, ONCE["float32"]
    tokens = torch.zeros(1, 11)
    tokens[0, 0], tokens[0, -1] = 2.0**-122, large
    found = normalised(tokens, large, torch.float32)[0, 0].item()
    read = rms_reading(setting(large), 2, flint.arb(1), form)
    assert 4 * form.normal < flint.arb(2) ** -122
    assert abs(found - 2.0**-122) > read.theta * 2.0**-122 + read.each * 2.0**-122
    assert abs(found - 2.0**-122) <= read.lost


def test_other_norms_and_constants_have_no_such_reading():
    one, form = flint.arb(1), ONCE["float32"]
    assert rms_reading(setting(1 << 10), 2, one, form) is not None
    assert rms_reading(setting(1 << 10, Normalisation.LAYER), 2, one, form) is None
    assert rms_reading(setting(1000), 2, one, form) is None
    assert rms_reading(setting(2), 2, one, form) is None
    assert exact_reading().exact and exact_reading().pair_shrinkage.is_zero()


@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize("large", [1 << 10, 1 << 15])
def test_reads_of_torchs_layer_norm_are_within_what_is_assumed(large, n):
    """Each coordinate less the zero coordinate, which takes the mean away."""
    chosen, form = setting(large, Normalisation.LAYER), ONCE["float32"]
    chosen = replace(chosen, design=replace(chosen.design, fineness=8))
    layout = chosen.design.layout(n)
    width, generator = layout.size, torch.Generator().manual_seed(large + n)
    zero, plus, minus = (layout[name].start for name in ("zero", "plus", "minus"))
    tokens = torch.randn(400, width, generator=generator)
    tokens[:, zero], tokens[:, plus], tokens[:, minus] = 0, large, -large
    gain = torch.full((width,), large * (2 / width) ** 0.5)
    made = torch.nn.functional.layer_norm(tokens, (width,), gain, None, float(EPSILON)).double()
    kept = [i for i in range(width) if i not in (zero, plus, minus)]
    exact = tokens[:, kept].double()
    square = flint.arb(float((exact**2).sum(-1).max()))
    known = WordBounds(n, 16, (), (), *[flint.arb(1)] * 2, n)
    read = DecoderRounding(known, chosen, form).reading(square)
    off = (made[:, kept] - made[:, [zero]] - exact).abs()
    allowed = float(read.theta) * exact.abs() + float(read.each) * (
        exact.abs() + 2 * float(read.mean)
    )
    assert bool((off <= allowed).all())
    assert float((off / allowed).max()) > 1 / 100
