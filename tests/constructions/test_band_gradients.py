"""Gradients through the band of a soft decoder: those of the definition but for what is left out."""

from fractions import Fraction

import flint
import pytest
import torch
from band_support import RELU, SPAN, STOCHASTIC, placed, softmax, words, written

from constructions import passes_decoder
from constructions.arithmetic.blocks import Blocks
from constructions.decoder import build
from constructions.module_decoder import DecoderModule
from constructions.passes import Pass
from constructions.passes_decoder import Banded, Routing, unit, width
from constructions.transformer import Head

COUNT, OWN = 40, Banded
Gradients = tuple[torch.Tensor, torch.Tensor]


def given(dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """Values in [-1, 1], and the factors of a loss that is linear in what the head brings."""
    drawn = torch.rand((2, COUNT, 3), generator=torch.Generator().manual_seed(1), dtype=dtype)
    values, factors = drawn * 2 - 1
    return values, factors


def by_autograd(constant: int, back: int, dtype: torch.dtype) -> Gradients:
    """The derivatives of the loss by W_Q and W_K, through the band."""
    least = width(Fraction(constant), dtype, COUNT)
    assert least is not None
    values, factors = given(dtype)
    head = written(constant, back, dtype).map(torch.nn.Parameter)
    routing = Routing(Fraction(constant), COUNT)
    found = Banded(head, back, routing, least).attend(Blocks(dtype), placed(values))
    (factors * found).sum().backward()
    assert head.query.grad is not None
    assert head.key.grad is not None
    return head.query.grad, head.key.grad


def by_definition(constant: int, back: int, dtype: torch.dtype) -> tuple[flint.arb_mat, ...]:
    """The same in balls: Σ D_tj x_t k_jᵀ and Σ D_tj x_j q_tᵀ, D_tj = p_tj (φ_j - Σ p φ), over all rows."""
    values, factors = given(dtype)
    tokens, head = placed(values), written(constant, back, dtype)
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


def apart(found: torch.Tensor, exact: flint.arb_mat) -> flint.arb:
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
        found = by_autograd(constant, back, dtype)
        with flint.ctx.workprec(256):
            exact = by_definition(constant, back, dtype)
            assert apart(found[0], exact[0]) <= query
            assert apart(found[1], exact[1]) <= key


def test_the_bound_is_far_below_the_derivatives() -> None:
    """The derivative by W_K of a head with C = 10 is about 10⁶ times the bound above."""
    exact = by_definition(10, 2, torch.float64)[1]
    assert max(abs(value) for value in exact.entries()) > 1


class Untracked(Banded):
    """Weights of the band as constants: queries and keys have no derivative."""

    def _scores(self, arithmetic, x, columns, lower):
        return super()._scores(arithmetic, x, columns, lower).detach() + 0 * sum(
            part.sum() for part in (self.head.query, self.head.key)
        )


class Twice(Banded):
    """The derivative by scores, two times."""

    def _scores(self, arithmetic, x, columns, lower):
        found = super()._scores(arithmetic, x, columns, lower)
        return 2 * found - found.detach()


class Narrow(Banded):
    """One column less on either side."""

    def attend(self, arithmetic, x):
        return OWN(self.head, self.back, self.routing, self.width - 1).attend(arithmetic, x)


@pytest.mark.parametrize("mutant", [Untracked, Twice, Narrow])
def test_another_derivative_is_noticed(
    mutant: type[Banded], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "Banded", mutant)
    with pytest.raises(AssertionError):
        test_derivatives_by_queries_and_keys_are_within_their_roundings_of_the_exact_ones(
            10, torch.float64
        )


def answers(module: DecoderModule, length: int) -> dict[str, torch.Tensor]:
    """The gradients of all parameters by name."""
    module(words(2, length)).square().sum().backward()
    return {name: p.grad for name, p in module.named_parameters() if p.grad is not None}


def compare(found: dict[str, torch.Tensor], wanted: dict[str, torch.Tensor]) -> None:
    """Half of the digits of float64, for each parameter: a term that is missing or wrong has none."""
    assert found.keys() == wanted.keys()
    for name, exact in wanted.items():
        assert (found[name] - exact).abs().max() <= 2.0**-26 * exact.abs().max(), name


def test_gradients_of_a_model_are_those_of_the_definition_in_every_parameter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("constructions.module_decoder.few", lambda queries, keys: False)
    for constant, length in ((10, 7), (4, 8)):
        simulation = build(STOCHASTIC, length, RELU, constant)
        module, dense = DecoderModule(simulation), DecoderModule(simulation, dense=True)
        assert module.current_pass() is Pass.BAND
        compare(answers(module, length), answers(dense, length))


@pytest.mark.parametrize("mutant", [Untracked, Twice, Narrow])
def test_another_derivative_of_a_model_is_noticed(
    mutant: type[Banded], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passes_decoder, "Banded", mutant)
    with pytest.raises(AssertionError):
        test_gradients_of_a_model_are_those_of_the_definition_in_every_parameter(monkeypatch)


def test_second_derivatives_are_those_of_the_definition() -> None:
    """The Hessian of a head's loss in its queries, along one direction."""
    values, factors = given(torch.float64)
    found = []
    for attend in (in_the_band, in_full):
        head = written(10, 2, torch.float64).map(torch.nn.Parameter)
        loss = (factors * attend(head, placed(values))).sum()
        (first,) = torch.autograd.grad(loss, head.query, create_graph=True)
        first[3, 0].backward()
        assert head.query.grad is not None
        found.append({"query": head.query.grad})
    compare(*found)


def in_the_band(head: Head[torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    return Banded(head, 2, Routing(Fraction(10), COUNT), 1).attend(Blocks(torch.float64), x)


def in_full(head: Head[torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    found: torch.Tensor = head.attend(Blocks(torch.float64), x)
    return found


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
