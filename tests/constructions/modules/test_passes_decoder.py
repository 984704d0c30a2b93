"""Decoders that know where their heads look: the band of soft heads holds all that a format resolves."""

from fractions import Fraction

import flint
import pytest
import torch
from band_support import RELU, STOCHASTIC, handwritten_head, placed_tokens, softmax, words

from constructions import decoder_tree
from constructions.arithmetic.exact import Rational
from constructions.arithmetic.torch import Torch
from constructions.automata.wta import WTA
from constructions.core.transformer import realise
from constructions.decoder import DecoderSimulation, Design, Normalisation, build
from constructions.modules import passes_decoder
from constructions.modules.decoder import DecoderModule
from constructions.modules.passes import PassKind
from constructions.modules.passes_decoder import BandedHead, DecoderRouting, unit, width

DESIGNS = {"gated": RELU, "silu": Design("silu"), "plain": Design("gelu", 8)}
DTYPES = (torch.float64, torch.float32)
CASES = ((40, 1), (40, 2), (10, 3), (10, 7), (20, 33), (2, 64), (1, 100))


def exact_scores(simulation: DecoderSimulation) -> list[list[list[flint.fmpq]]]:
    """The scores of every layer, from the exact weights; places are the same in every layer."""
    arithmetic = Rational()
    x = arithmetic.array(simulation.encode("a" * simulation.length))
    layers = realise(simulation.transformer, arithmetic).layers
    return [[list(row) for row in layer.heads[0].scores(arithmetic, x)] for layer in layers]


@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
@pytest.mark.parametrize("length", [2, 3, 7, 8, 11])
def test_scores_of_the_band_are_the_exact_differences(design: Design, length: int) -> None:
    constant = Fraction(37, 2)
    for number, layer in enumerate(exact_scores(build(STOCHASTIC, length, design, constant))):
        found = passes_decoder.band(length + 1, 1 << number, 3, torch.device("cpu"))
        for t, (*row, scores) in enumerate(
            zip(*map(torch.Tensor.tolist, found), layer, strict=True)
        ):
            best = max(range(t + 1), key=scores.__getitem__)
            band = [(j, lower) for j, lower, exists in zip(*row, strict=True) if exists]
            assert [j for j, _ in band] == [j for j in range(t + 1) if abs(j - best) <= 3]
            assert all(2 * (scores[best] - scores[j]) == 37 * lower for j, lower in band)


def tail_sum(saturation: Fraction, width: int) -> flint.arb:
    """2 Σ e^(-Ck²) over k = w + 1 … w + 300, a lower bound of the whole tail."""
    constant = flint.arb(saturation.numerator) / saturation.denominator
    terms = ((-constant * k * k).exp() for k in range(width + 1, width + 301))
    return 2 * sum(terms, flint.arb(0))


CONSTANTS = tuple(map(Fraction, ("1/50", "1/2", "1", "4", "147/8", "40", "100000")))


@pytest.mark.parametrize("constant", CONSTANTS, ids=str)
def test_the_remainder_is_above_the_tail_and_the_width_is_the_least(constant: Fraction) -> None:
    with flint.ctx.workprec(256):
        for dtype in passes_decoder.FORMATS:
            least, u = width(constant, dtype, 1000), flint.arb(unit(dtype).numerator)
            u /= unit(dtype).denominator
            assert least is not None
            for w in range(least + 2):
                assert tail_sum(constant, w) <= passes_decoder.remainder(constant, w).upper()
            assert tail_sum(constant, least) <= u
            assert least == 0 or tail_sum(constant, least - 1) > u
            assert least == 0 or width(constant, dtype, least - 1) is None


@pytest.mark.parametrize("constant", [1, 4, 10, 18, 40])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_head_is_within_its_roundings_of_the_exact_softmax(
    constant: int, dtype: torch.dtype
) -> None:
    """Values are in [-1, 1], so leaving out a share r ≤ u moves a mean by at most 2u.

    Scores -x are rounded once, exponentials by 8 units, so weights p by the factor 1 + (x + 8)u, their
    sum of m terms by Σ p(x + 8)u + mu, the quotient by u; Σ px ≤ 1 for C ≥ 1. Together 2 · 9u + (m + 1)u,
    and (m + 1)u for the sum of m products. Terms of order u² are below a hundredth of these.
    """
    least, count = width(Fraction(constant), dtype, 40), 40
    assert least is not None
    u, columns = float(unit(dtype)), 2 * least + 1
    bound = 1.01 * u * (2 + 18 + 2 * (columns + 1))
    values = torch.rand((count, 3), generator=torch.Generator().manual_seed(1), dtype=dtype) * 2 - 1
    tokens, routing = placed_tokens(values), DecoderRouting(Fraction(constant), 40)
    for back in (1, 2, 16):
        head = handwritten_head(constant, back, dtype)
        found = BandedHead(head, back, routing, least).attend(Torch(dtype), tokens)
        for t, row in enumerate(found.tolist()):
            assert distance(Fraction(constant), t, back, values[: t + 1], row) <= bound


def distance(
    constant: Fraction, t: int, back: int, values: torch.Tensor, found: list[float]
) -> flint.arb:
    """The largest difference of a coordinate from the exact mean of the values."""
    with flint.ctx.workprec(256):
        shares = softmax(constant, t, back)
        columns = zip(values.T.tolist(), found, strict=True)
        return max(
            abs(sum((p * v for p, v in zip(shares, column, strict=True)), flint.arb(0)) - mean)
            for column, mean in columns
        ).upper()


@pytest.mark.parametrize(("constant", "length"), CASES)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("kind", [PassKind.BAND, PassKind.FUSED])
def test_the_band_is_within_its_roundings_of_the_definition(
    kind: PassKind,
    constant: int,
    length: int,
    dtype: torch.dtype,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Windows are A - I with A stochastic: entries are at most 1, row sums at most 2.

    One head: 2u for what is left out, and (20 + 2m)u of roundings in each pass, as for one head above,
    m = 2w + 1 and m = N tokens; scores of the dense pass are whole numbers that the format holds. One
    block with ReLU gates, entry by entry: window + X 2u, Y = window - scratch u more, which X multiplies
    (row sums 2: 6u), n products and their sum 2(n + 1)u, the new window u: (11 + 2n)u in each pass; the
    scratch is erased exactly. The fused block has the first, the n products and the last of these
    roundings alone. With row sums n times these, a difference e becomes 2e + n(head + block),
    in all (2^L - 1) n (head + block). The readout adds 2(n + 2)u in each pass. Terms of order u² are below
    a hundredth of these.
    """
    monkeypatch.setattr("constructions.modules.construction.FEW_SCORES", 0)
    simulation, given = build(STOCHASTIC, length, RELU, constant), words(3, length)
    module, u, n = DecoderModule(simulation, dtype), float(unit(dtype)), STOCHASTIC.n
    if kind is PassKind.BAND:  # as in a graph
        monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    with torch.no_grad():
        assert module.current_pass() is kind
        found, dense = module(given), DecoderModule(simulation, dtype, dense=True)(given)
    assert 2 * constant * length * length < 1 / u
    columns = 2 * (width(Fraction(constant), dtype, length) or 0) + 1
    head = 2 + (20 + 2 * columns) + (20 + 2 * (length + 1))
    block, layers = 2 * (11 + 2 * n), len(simulation.transformer.layers)
    bound = 1.01 * u * ((2**layers - 1) * n * (head + block) + 4 * (n + 2))
    assert (found - dense).abs().max() <= bound


@pytest.mark.parametrize("constant", [None, 40, 10])
def test_other_letters_another_bos_and_no_bos_are_used_in_the_fused_pass(
    constant: int | None,
) -> None:
    """A head reads the first token, whatever it is, when nothing lies further back."""
    simulation, given = build(STOCHASTIC, 5, RELU, constant), words(4, 5)
    given[0, 0] = 1
    module, dense = (DecoderModule(simulation, dense=dense) for dense in (False, True))
    with torch.no_grad():
        for row in (0, simulation.bos):
            for one in (module, dense):
                one.tokens[row, 1] += 0.25
            assert module.current_pass() is PassKind.FUSED
            torch.testing.assert_close(module(given), dense(given), rtol=0, atol=1e-13)


def test_plain_blocks_gradients_and_hooks_keep_their_units() -> None:
    plain = DecoderModule(build(STOCHASTIC, 4, Design("gelu", fineness=8), None))
    own = DecoderModule(build(STOCHASTIC, 4, RELU, None))
    assert own.current_pass() is PassKind.ROUTED
    with torch.no_grad():
        assert plain.current_pass() is PassKind.ROUTED
        assert own.current_pass() is PassKind.FUSED
        own.transformer.layers[0].feedforward.register_forward_hook(lambda *_: None)
        assert own.current_pass() is PassKind.DENSE


def states_and_gradients(module: DecoderModule, given: torch.Tensor) -> list[torch.Tensor]:
    """The states and the gradients of all parameters; an empty tensor replaces a missing gradient."""
    states = module(given)
    states.square().sum().backward()
    gradients = [p.grad for p in module.parameters()]
    return [states, *(torch.empty(0) if g is None else g for g in gradients)]


@pytest.mark.parametrize("design", DESIGNS.values(), ids=DESIGNS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_hard_heads_copy_known_rows_with_states_and_gradients_of_the_definition(
    design: Design, dtype: torch.dtype
) -> None:
    for length, count in ((1, 2), (2, 1), (5, 3), (20, 2)):
        simulation, given = build(STOCHASTIC, length, design), words(count, length)
        module, dense = (DecoderModule(simulation, dtype, dense) for dense in (False, True))
        assert (module.current_pass(), dense.current_pass()) == (PassKind.ROUTED, PassKind.DENSE)
        assert all(
            map(
                torch.equal, states_and_gradients(module, given), states_and_gradients(dense, given)
            )
        )


@pytest.mark.parametrize("norm", [Normalisation.LAYER, Normalisation.RMS])
@pytest.mark.parametrize("constant", [None, 20])
def test_decoders_behind_a_norm_take_the_general_pass(
    norm: Normalisation, constant: int | None
) -> None:
    design = Design("silu", norm=norm, large=1 << 12, epsilon=Fraction(1, 10**5))
    module = DecoderModule(build(STOCHASTIC, 512, design, constant))
    with torch.no_grad():
        assert module.current_pass() is PassKind.DENSE


def test_other_models_have_no_band() -> None:
    for constant in (-1, 0):
        assert passes_decoder.decoder_routing(build(STOCHASTIC, 512, RELU, constant)) is None
    leaves = WTA.of([1], [[[1]]], {"a": [1]})
    assert passes_decoder.decoder_routing(decoder_tree.build(leaves, 4, saturation=20)) is None
    wide = passes_decoder.decoder_routing(build(STOCHASTIC, 512, RELU, Fraction(1, 10**6)))
    assert wide is not None
    assert not wide.widths()
