"""Bands behind a norm: tokens certify their width by the factors that the norm gave them."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import flint
import pytest
import torch
from band_support import STOCHASTIC, words
from rounding_support import differing

from constructions.arithmetic.torch import Torch
from constructions.core.exact import ball
from constructions.decoder import Design, Normalisation, build
from constructions.modules import passes_decoder
from constructions.modules.decoder import DecoderModule
from constructions.modules.passes import PassKind
from constructions.modules.passes_decoder import DecoderRouting, Factor, FactorRange, remainder

NORMS = (Normalisation.LAYER, Normalisation.RMS)
DTYPES = (torch.float64, torch.float32)


def design(norm: Normalisation, large: int = 1 << 12) -> Design:
    return Design("silu", None, norm, large, Fraction(1, 10**5))


def stream(chosen: Design, dtype: torch.dtype, seed: int) -> torch.Tensor:
    """Tokens with random matrices and the constants of the design."""
    layout = chosen.layout(2)
    x = torch.randn((50, layout.size), generator=torch.Generator().manual_seed(seed), dtype=dtype)
    for name, value in chosen.constants().items():
        if name in layout:
            x[:, layout.at(name)] = float(value)
    if "zero" in layout:
        x[:, layout.at("zero")] = 0
    return x


def exact_factors(chosen: Design, x: torch.Tensor) -> list[flint.arb]:
    """gain / √(mean of squares + ε), x centred under LayerNorm, in balls."""
    norm, found = chosen.normalise(x.shape[-1]), []
    assert norm is not None
    for row in x.tolist():
        values = [flint.arb(value) for value in row]
        mean = sum(values, flint.arb(0)) / len(row) if norm.centred else flint.arb(0)
        square = sum(((value - mean) ** 2 for value in values), flint.arb(0)) / len(row)
        found.append(ball(norm.gain) / (square + ball(norm.epsilon)).sqrt())
    return found


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_the_range_that_tokens_show_holds_the_exact_factors(
    norm: Normalisation, dtype: torch.dtype
) -> None:
    chosen = design(norm, 3000)
    factor, made = Factor.of(chosen, 2), chosen.normalise(chosen.layout(2).size)
    assert factor is not None
    assert made is not None
    for seed in range(5):
        x = stream(chosen, dtype, seed)
        seen = factor.seen(Torch(dtype).normalise(x, made))
        assert seen is not None
        with flint.ctx.workprec(200):
            low, high = map(ball, seen)
            assert all(low <= exact <= high for exact in exact_factors(chosen, x))


def test_a_range_without_roundings_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        Factor, "around", lambda _, low, high, *rest: (Fraction(low), Fraction(high))
    )
    for norm in NORMS:
        with pytest.raises(AssertionError):
            test_the_range_that_tokens_show_holds_the_exact_factors(norm, torch.float32)


@pytest.mark.parametrize("columns", [5, 11, 14])
def test_a_range_is_that_of_4d_and_20_roundings(columns: int) -> None:
    """As the module derives it; a fixed number of roundings for one d would be too few for another."""
    share = (4 * columns + 20) * Fraction(1, 1 << 53)
    off = 2 * share / (1 - share)
    factor = Factor(0, None, 1, columns)
    assert factor.around(1.0, 1.5, 0.0, torch.float64) == (1 - off * 3 / 2, (1 + off) * 3 / 2)
    assert factor.around(1.0, 1.0, 2.0, torch.float64) == (1 - 5 * off, 1 + 5 * off)


def test_tokens_that_show_no_range_have_none() -> None:
    factor = Factor.of(design(Normalisation.RMS), 2)
    assert factor is not None
    assert Factor.of(Design("silu"), 2) is None
    ones = torch.full((3, 11), 4096.0, dtype=torch.float64)
    assert factor.seen(ones) is not None
    bad = (ones * float("nan"), ones * float("inf"), -ones, 0 * ones, ones[:0], ones.to("meta"))
    assert [factor.seen(x) for x in bad] == [None] * len(bad)
    assert factor.seen(ones.to(torch.bfloat16)) is None, "γ of 64 roundings is above 1/10"


def outside(constant: int, factors: FactorRange, count: int, back: int, w: int) -> flint.arb:
    """The largest share, relative to that of j*, further than w away: κ_j* = a, κ_j = b or a."""
    low, high = map(ball, factors)
    worst = flint.arb(0)
    for t in range(count):
        best = max(t - back, 0)
        scores = [2 * j * (t - back) - j * j for j in range(t + 1)]
        for own in (low, high):
            away = [j for j in range(t + 1) if abs(j - best) > w]
            gaps = [scores[j] * (high if scores[j] > 0 else low) - scores[best] * low for j in away]
            shares = [(constant * own * gap).exp() for gap in gaps]
            worst = worst.max(sum(shares, flint.arb(0)))
    return worst


@pytest.mark.parametrize("off", ["0", "1/1000", "1/100"])
def test_the_remainder_is_above_what_the_worst_factors_leave_outside(off: str) -> None:
    length, constant, high = 12, 2, Fraction(101, 100)
    low = high - Fraction(off)
    slack = constant * high * (high - low) * length**2
    with flint.ctx.workprec(200):
        for w in range(5):
            bound = remainder(constant * low * low, w, slack)
            for back in (1, 2, 8):
                assert outside(constant, (low, high), length + 1, back, w) <= bound.upper()


def test_a_remainder_that_takes_no_notice_of_factors_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(globals(), "remainder", lambda c, w, slack: passes_decoder.remainder(c, w))
    with pytest.raises(AssertionError):
        test_the_remainder_is_above_what_the_worst_factors_leave_outside("1/100")


def test_a_width_is_that_of_the_worst_factors() -> None:
    low, high = Fraction(99, 100), Fraction(1)
    routing, length = DecoderRouting(Fraction(10), 20), 20
    slack = 10 * high * (high - low) * length**2
    expected = passes_decoder.width(10 * low * low, torch.float64, 9, slack)
    assert routing.width(torch.float64, (low, high)) == expected == 2
    assert routing.width(torch.float64, (high, high)) == 1
    assert routing.width(torch.float64, (Fraction(1, 2), high)) is None
    assert routing.width(torch.float64, None) is None
    half = Fraction(1, 2)
    assert routing.width(torch.float64, (half, half)) == 3, "C κ² = 5/2"
    assert routing.width(torch.float64, (2 - Fraction(1, 2000), Fraction(2))) == 1, "slack 4, not 2"
    hard = DecoderRouting(Fraction(0), length)
    off = Fraction(1, length**2)
    assert hard.width(torch.float64, (1 - off / 2, high)) == 0
    assert hard.width(torch.float64, (1 - off, high)) is None


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> list[int | None]:
    """Short words take the band too; the widths that tokens certify, layer by layer."""
    seen: list[int | None] = []
    own = DecoderRouting.width

    def spied(self: DecoderRouting, dtype: torch.dtype, factors: FactorRange | None) -> int | None:
        seen.append(own(self, dtype, factors))
        return seen[-1]

    monkeypatch.setattr("constructions.modules.decoder.fits_one_block", lambda queries, keys: False)
    monkeypatch.setattr(DecoderRouting, "width", spied)
    return seen


def answers(module: DecoderModule, length: int) -> dict[str, torch.Tensor]:
    """The states, and the gradients of all parameters by name."""
    states = module(words(2, length))
    states.square().sum().backward()
    found = {name: p.grad for name, p in module.named_parameters() if p.grad is not None}
    return {"states": states.detach(), **found}


def differing_heads(chosen: Design, constant: int, length: int, patch: pytest.MonkeyPatch) -> Any:
    """What differs from the definition, head by head, in a model that takes the band."""
    module = DecoderModule(build(STOCHASTIC, length, chosen, constant))
    assert module.current_pass() is PassKind.BAND
    return differing(module, words(2, length), patch)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("large", [1 << 8, 1 << 12])
def test_heads_behind_a_norm_and_their_derivatives_are_within_each_rounding_of_the_definition(
    norm: Normalisation, large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for constant, length, layers in ((10, 7, 3), (4, 9, 4)):
        found = differing_heads(design(norm, large), constant, length, monkeypatch)
        assert found == [[]] * layers


def narrow(own: Callable[..., tuple[torch.Tensor, ...]]) -> Callable[..., tuple[torch.Tensor, ...]]:
    def cut(count: int, back: int, w: int, device: torch.device) -> tuple[torch.Tensor, ...]:
        rows, lower, exist = own(count, back, w, device)
        return rows, lower, exist & ((rows - rows[:, w : w + 1]).abs() < w)

    return cut


def whole_numbers(self, arithmetic, x, columns, lower):
    """Scores as if all factors were 1."""
    return -float(self.routing.saturation) * lower.to(x.dtype)


MUTANTS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "one column less on either side": lambda patch: patch.setattr(
        passes_decoder, "band", narrow(passes_decoder.band)
    ),
    "one token too far back": lambda patch: patch.setattr(
        passes_decoder,
        "band",
        lambda count, back, *rest, own=passes_decoder.band: own(count, back + 1, *rest),
    ),
    "no factors in the scores": lambda patch: patch.setattr(
        passes_decoder.BandedHead, "_scores", whole_numbers
    ),
}


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("mutate", MUTANTS.values(), ids=MUTANTS)
def test_a_wrong_band_behind_a_norm_is_noticed_in_every_head_by_name(
    mutate: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    mutate(monkeypatch)
    found = differing_heads(design(Normalisation.LAYER, 1 << 8), 10, 7, monkeypatch)
    assert found == [["output", "tokens", "query", "key", "value"]] * 3


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("constant", [None, 4])
def test_layers_without_a_certified_width_are_those_of_the_definition_to_the_last_bit(
    norm: Normalisation, constant: int | None, always: list[int | None]
) -> None:
    simulation = build(STOCHASTIC, 30, design(norm, 1), constant)
    found = []
    for dense in (False, True):
        module = DecoderModule(simulation, dense=dense)
        always.clear()
        found.append(answers(module, 30))
        assert always == ([] if dense else [None] * len(module.transformer.layers))
    assert found[0].keys() == found[1].keys()
    assert all(torch.equal(found[0][name], found[1][name]) for name in found[0])


@pytest.mark.parametrize("norm", NORMS)
def test_hard_heads_behind_a_norm_copy_the_rows_of_the_definition(
    norm: Normalisation, always: list[int | None]
) -> None:
    simulation, found = build(STOCHASTIC, 30, design(norm)), []
    for dense in (False, True):
        module = DecoderModule(simulation, dense=dense)
        assert module.current_pass() is (PassKind.DENSE if dense else PassKind.ROUTED)
        always.clear()
        found.append(answers(module, 30))
        assert always == ([] if dense else [0] * len(module.transformer.layers))
    assert found[0].keys() == found[1].keys()
    assert all(torch.equal(found[0][name], found[1][name]) for name in found[0])


def test_a_hard_head_that_asks_no_factors_is_noticed(
    always: list[int | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With K = 2 the factors move the largest score to another row."""
    simulation = build(STOCHASTIC, 30, design(Normalisation.LAYER, 2))
    wanted = DecoderModule(simulation, dense=True)(words(2, 30))
    assert torch.equal(DecoderModule(simulation)(words(2, 30)), wanted)
    monkeypatch.setattr(DecoderRouting, "width", lambda *_: 0)
    assert not torch.allclose(DecoderModule(simulation)(words(2, 30)), wanted)


@pytest.mark.usefixtures("always")
@pytest.mark.parametrize("norm", NORMS)
def test_where_no_value_can_be_read_the_states_are_those_of_the_general_pass_to_the_last_bit(
    norm: Normalisation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passes_decoder, "band", None)
    simulation, given = build(STOCHASTIC, 7, design(norm), 10), words(2, 7)
    module, dense = DecoderModule(simulation), DecoderModule(simulation, dense=True)
    with torch.no_grad():
        wanted = dense(given)
        program = torch.export.export(module, (given,))
        assert torch.equal(program.module()(given), wanted)
        assert torch.equal(torch.compile(module, backend="eager")(given), wanted)
        assert torch.equal(torch.vmap(module)(given), torch.vmap(dense)(given))
        with pytest.raises(TypeError, match="not callable"):
            module(given)  # lays out the band
        assert module.to("meta")(given.to("meta")).shape == wanted.shape


@pytest.mark.parametrize("norm", NORMS)
def test_long_normalised_words_hold_no_square_of_scores(norm: Normalisation) -> None:
    sizes: list[int] = []

    def kept(tensor: torch.Tensor) -> torch.Tensor:
        sizes.append(tensor.untyped_storage().nbytes() // tensor.element_size())
        return tensor

    module = DecoderModule(build(STOCHASTIC, 1024, design(norm), 20))
    assert module.current_pass() is PassKind.BAND
    with torch.autograd.graph.saved_tensors_hooks(kept, lambda tensor: tensor):
        module(words(1, 1024)).sum().backward()
    assert max(sizes) <= 1025 * 20, "the units of the block: 2n³ + n²"
