"""Gradients through the band of a soft decoder: those of the definition but for what is left out."""

from fractions import Fraction

import flint
import pytest
import torch
from band_support import RELU, SPAN, STOCHASTIC, handwritten_head, placed_tokens, softmax, words

from constructions.arithmetic.blocks import BlockwiseTorch
from constructions.decoder import build
from constructions.modules.decoder import DecoderModule
from constructions.modules.passes import PassKind, with_heads
from constructions.modules.passes_decoder import (
    BandedHead,
    DecoderRouting,
    unit,
    width,
    with_banded_heads,
)

COUNT, OWN = 40, BandedHead
Gradients = tuple[torch.Tensor, torch.Tensor]


def values_and_factors(dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """Values in [-1, 1], and the factors of a loss that is linear in what the head brings."""
    drawn = torch.rand((2, COUNT, 3), generator=torch.Generator().manual_seed(1), dtype=dtype)
    values, factors = drawn * 2 - 1
    return values, factors


def gradients_by_autograd(constant: int, back: int, dtype: torch.dtype) -> Gradients:
    """The derivatives of the loss by W_Q and W_K, through the band."""
    least = width(Fraction(constant), dtype, COUNT)
    assert least is not None
    values, factors = values_and_factors(dtype)
    head = handwritten_head(constant, back, dtype).map(torch.nn.Parameter)
    routing = DecoderRouting(Fraction(constant), COUNT)
    found = BandedHead(head, back, routing, least).attend(
        BlockwiseTorch(dtype), placed_tokens(values)
    )
    (factors * found).sum().backward()
    assert head.query.grad is not None
    assert head.key.grad is not None
    return head.query.grad, head.key.grad


def gradients_by_definition(
    constant: int, back: int, dtype: torch.dtype
) -> tuple[flint.arb_mat, ...]:
    """The same in balls: Σ D_tj x_t k_jᵀ and Σ D_tj x_j q_tᵀ, D_tj = p_tj (φ_j - Σ p φ), over all rows."""
    values, factors = values_and_factors(dtype)
    tokens, head = placed_tokens(values), handwritten_head(constant, back, dtype)
    by_row = flint.arb_mat(COUNT, COUNT)
    for t, row in enumerate(factors.tolist()):
        shares = softmax(Fraction(constant), t, back)
        gains = [dot(row, value) for value in values[: t + 1].tolist()]
        mean = dot(shares, gains)
        for j, (share, gain) in enumerate(zip(shares, gains, strict=True)):
            by_row[t, j] = share * (gain - mean)
    x, query, key = (flint.arb_mat(part.tolist()) for part in (tokens, head.query, head.key))
    return x.transpose() * by_row * (x * key), x.transpose() * by_row.transpose() * (x * query)


def dot(left: list[flint.arb], right: list[flint.arb]) -> flint.arb:
    return sum((flint.arb(a) * b for a, b in zip(left, right, strict=True)), flint.arb(0))


def largest_distance(found: torch.Tensor, exact: flint.arb_mat) -> flint.arb:
    rows, columns = found.shape
    return max(
        abs(exact[i, j] - found[i, j].item()).upper() for i in range(rows) for j in range(columns)
    )


@pytest.mark.parametrize("constant", [4, 10, 18, 40])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=str)
def test_derivatives_by_queries_and_keys_are_within_their_roundings_of_the_exact_ones(
    constant: int, dtype: torch.dtype
) -> None:
    """φ_j = Σ_c G_c v_jc is in [-3, 3], so a row of D is at most 6 in sum, and what is left out 18u.

    Rounding of a row of D, m columns, to first order: the weights are off by (19 + m)u together (see
    the head's own test), the φ by 9u, their mean by 3(19 + m)u + 9u + 3mu, each difference and product
    by 2u: 6(19 + m) + 9 + 3(19 + m) + 9 + 3m + 12 units, E = 201 + 12m, and 18 more.
    Keys differ by at most 1, tokens and keys are at most 1: W_Q gets one sum of m and one of N terms a
    row, N (E + 18 + 6(m + 2) + 6(N + 1)) units. W_K gets D_tj q_t at row j and its opposite at row j*, so
    twice as much times |q| ≤ 2Cp², where each token adds up at most N(m + 1) terms and W_K N of those.
    Terms of order u² are below a hundredth of these.
    """
    u, columns = float(unit(dtype)), 2 * (width(Fraction(constant), dtype, COUNT) or 0) + 1
    row = 201 + 12 * columns + 18
    query = 1.01 * u * COUNT * (row + 6 * (columns + 2) + 6 * (COUNT + 1))
    key = 1.01 * u * COUNT * 2 * 2 * constant * SPAN**2 * (row + 6 * (COUNT * (columns + 2) + 3))
    for back in (1, 2, 16):
        found = gradients_by_autograd(constant, back, dtype)
        with flint.ctx.workprec(256):
            exact = gradients_by_definition(constant, back, dtype)
            assert largest_distance(found[0], exact[0]) <= query
            assert largest_distance(found[1], exact[1]) <= key


def test_the_band_exchanges_the_heads_of_a_model_and_nothing_else() -> None:
    """With the heads above, a model's gradients are those of the definition by the chain rule."""
    module = DecoderModule(build(STOCHASTIC, 8, RELU, 10))
    model, routing = module.transformer.model(), DecoderRouting(Fraction(10), 8)
    found = with_banded_heads(model, routing, 1)
    assert with_heads(found, [layer.heads for layer in model.layers]) == model
    for number, (layer, own) in enumerate(zip(found.layers, model.layers, strict=True)):
        (head,) = own.heads
        assert layer.heads == (BandedHead(head.current(), 1 << number, routing, 1),)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16], ids=str)
def test_states_are_the_same_whether_gradients_are_tracked_or_not(dtype: torch.dtype) -> None:
    """Queries of size 2 C T² are infinite in float16; the band does not need their values."""
    module, given = DecoderModule(build(STOCHASTIC, 512, RELU, 20), dtype), words(1, 512)
    assert module.current_pass() is PassKind.BAND
    tracked = module(given).detach()
    assert tracked.isfinite().all()
    module.transformer.layers[0].register_forward_hook(lambda *_: None)
    with torch.no_grad():
        assert module.current_pass() is PassKind.BAND
        assert torch.equal(tracked, module(given))


def test_gradients_at_4096_letters_hold_no_square_of_scores() -> None:
    sizes: list[int] = []

    def kept(tensor: torch.Tensor) -> torch.Tensor:
        sizes.append(tensor.untyped_storage().nbytes() // tensor.element_size())
        return tensor

    module = DecoderModule(build(STOCHASTIC, 4096, RELU, 20))
    with torch.autograd.graph.saved_tensors_hooks(kept, lambda tensor: tensor):
        module(words(1, 4096)).sum().backward()
    assert sizes
    assert max(sizes) <= 4097 * 20, "the units of the block: 2n³ + n²"
