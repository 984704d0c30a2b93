"""Passes that know where heads look give the states of the definition: to the last bit, or within
a bound that follows from the number of roundings."""

from fractions import Fraction
from math import cos, exp, log2, pi
from random import Random

import pytest
import torch
from torch.export import Dim

from constructions import theorem1, theorem2
from constructions.arithmetic.balls import Balls
from constructions.arithmetic.exact import Rational
from constructions.automata.families import counting, k_counting
from constructions.automata.wfa import WFA
from constructions.blocks.smoothing import FourUnits
from constructions.core.matrix import Matrix
from constructions.core.transformer import realise
from constructions.modules import passes, recurrence
from constructions.modules.passes import PassKind
from constructions.modules.word_module import SequenceModule, to_torch

RATIONAL = WFA.of(
    [1, "1/3"],
    {"a": [["1/3", "1/7"], ["-2/9", "5/11"]], "b": [["9/10", 0], ["1/6", "-1/3"]]},
    [1, 1],
)
POSITIVE = WFA.of(
    ["1/3", "2/3"],
    {"a": [["1/3", "2/3"], ["2/9", "7/9"]], "b": [["9/10", "1/10"], ["1/6", "5/6"]]},
    [1, 1],
)
DTYPES = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
UNIT = {torch.float64: 2.0**-53, torch.float32: 2.0**-24, torch.bfloat16: 2.0**-8}


def words(automaton: WFA, count: int, length: int) -> torch.Tensor:
    random, letters = Random(3), len(automaton.alphabet)
    return torch.tensor([[random.randrange(letters) for _ in range(length)] for _ in range(count)])


def spelled_word(automaton: WFA, row: torch.Tensor) -> list[str]:
    return [automaton.alphabet[i] for i in row.tolist()]


@pytest.mark.parametrize("length", [1, 2, 3, 8, 11])
def test_the_stored_rows_are_the_unique_maxima_of_the_exact_scores(length: int) -> None:
    simulation = theorem1.build(counting(), length)
    arithmetic, start = Rational(), simulation.encode("")
    stored = passes.routes(len(simulation.transformer.layers), simulation.span)
    x = arithmetic.array(start)
    for layer, rows in zip(simulation.transformer.layers, stored.tolist(), strict=True):
        left, right = (realise_head(head, arithmetic, x) for head in layer.heads)
        assert left == [[row] for row in rows]
        assert right == [[row] for row in range(2 * simulation.span)]


def realise_head(head, arithmetic: Rational, x) -> list[list[int]]:
    scores = head.realised(arithmetic).scores(arithmetic, x)
    return [arithmetic.maximisers(list(row)) for row in scores]


@pytest.mark.parametrize("automaton", [counting(), k_counting(2, 3), RATIONAL], ids=lambda a: a.n)
@pytest.mark.parametrize("dtype", DTYPES[:2], ids=str)
def test_the_routed_pass_gives_states_and_gradients_of_the_definition(
    automaton: WFA, dtype: torch.dtype
) -> None:
    for length, count in ((1, 2), (5, 3), (16, 1), (20, 2)):
        simulation, found = theorem1.build(automaton, length), []
        for dense in (False, True):
            module = to_torch(simulation, dtype, dense=dense)
            assert module.current_pass() is (PassKind.DENSE if dense else PassKind.ROUTED)
            states = module(words(automaton, count, length))
            states.square().sum().backward()
            found.append((states, {name: p.grad for name, p in module.named_parameters()}))
        assert torch.equal(found[0][0], found[1][0])
        for name, gradient in found[1][1].items():
            other = found[0][1][name]
            assert (other is None) == (gradient is None), name
            assert gradient is None or torch.equal(other, gradient), name


def take(kind: PassKind, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave `recurrence` its formats, or none, so that `fused` is taken."""
    if kind is PassKind.FUSED:
        monkeypatch.setattr(recurrence, "FORMATS", ())


FAST = [(PassKind.FUSED, dtype) for dtype in UNIT] + [
    (PassKind.RECURRENCE, dtype) for dtype in (torch.float64, torch.float32)
]


@pytest.mark.parametrize(("kind", "dtype"), FAST)
@pytest.mark.parametrize("length", [1, 2, 5, 16, 33])
@pytest.mark.parametrize("count", [1, 3])
def test_a_fast_pass_is_within_its_roundings_of_the_exact_states(
    kind: PassKind, dtype: torch.dtype, length: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Weights ≥ 0: every weight and every sum of n products is off by a factor (1 + u)^k."""
    take(kind, monkeypatch)
    module = to_torch(theorem1.build(POSITIVE, length), dtype)
    given = words(POSITIVE, count, length)
    with torch.no_grad():
        assert module.current_pass() is kind
        found = module(given).double()
    for row, states in zip(given, found, strict=True):
        exact = POSITIVE.states(spelled_word(POSITIVE, row))
        for t, (state, wanted) in enumerate(zip(states.tolist(), exact, strict=True)):
            roundings = 2 * (t + 1) + POSITIVE.n * t  # twice rounded weights; t products of n terms
            share = roundings * UNIT[dtype] * 1.001
            bound = share / (1 - share)
            for value, true in zip(state, wanted, strict=True):
                assert abs(Fraction(value) - true) <= Fraction(bound) * true


@pytest.mark.parametrize("kind", [PassKind.FUSED, PassKind.RECURRENCE])
def test_no_word_one_word_and_many_words_fit(
    kind: PassKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(kind, monkeypatch)
    module, given = to_torch(theorem1.build(counting(), 8)), words(counting(), 3, 8)
    with torch.no_grad():
        whole = module(given)
        assert torch.equal(module(given[1]), whole[1])
        assert torch.equal(module(given.reshape(3, 1, 8)).squeeze(1), whole)
        assert module(given[:, :0]).tolist() == [[[0.0, 1.0]]] * 3
        assert module(given[:0]).shape == (0, 9, 2)
        assert torch.equal(torch.vmap(module)(given), whole)
        assert module.to("meta")(given.to("meta")).shape == (3, 9, 2)


def test_rounded_scores_do_not_mislead_a_module_that_knows_its_routes() -> None:
    """At T = 64 bfloat16 cannot tell neighbouring scores apart; the routes are exact."""
    simulation, given = theorem1.build(counting(), 64), words(counting(), 1, 64)
    exact = [[float(w) for w in s] for s in counting().states(spelled_word(counting(), given[0]))]
    with torch.no_grad():
        assert to_torch(simulation, torch.bfloat16)(given)[0].tolist() == exact
        assert to_torch(simulation, torch.bfloat16, dense=True)(given)[0].tolist() != exact


def test_an_exported_graph_holds_no_square_of_scores() -> None:
    module = to_torch(theorem1.build(counting(), 32))
    sizes = {0: Dim("batch"), 1: Dim("length", max=32)}
    program = torch.export.export(module, (words(counting(), 2, 32),), dynamic_shapes=(sizes,))
    shapes = [node.meta["val"].shape for node in program.graph.nodes if has_shape(node)]
    assert shapes
    assert not any(tuple(shape[-2:]) == (64, 64) for shape in shapes)
    given = words(counting(), 3, 17)
    assert torch.equal(program.module()(given), module(given))


def has_shape(node) -> bool:
    return isinstance(node.meta.get("val"), torch.Tensor)


def test_a_model_that_is_no_construction_of_ours_has_no_routes() -> None:
    simulation = theorem1.build(counting(), 4)
    first = simulation.transformer.layers[0]
    heads = tuple(reversed(first.heads))
    assert passes.word_routing(simulation) == passes.WordRouting(None, True)
    turned = type(first)(heads, first.combine, first.feedforward)
    assert passes.word_routing(with_first(simulation, turned)) is None
    other = type(first)(first.heads, Matrix.zeros(*first.combine.shape), first.feedforward)
    assert passes.word_routing(with_first(simulation, other)) == passes.WordRouting(None, False)


def with_first(simulation: theorem1.WordSimulation, layer) -> theorem1.WordSimulation:
    layers = (layer, *simulation.transformer.layers[1:])
    return theorem1.assemble(simulation.automaton, simulation.length, layers)


SOFT = Fraction(40)


def test_the_row_of_softmax_weights_is_that_of_every_token() -> None:
    simulation = theorem2.build(counting(), 8, SOFT)
    row = passes.softmax_row(SOFT, 8)
    with Balls(128) as balls:
        x = balls.array(simulation.encode("01"))
        for number, layer in enumerate(realise(simulation.transformer, balls).layers):
            for head, back in zip(layer.heads, (1 << number, 0), strict=True):
                for t, scores in enumerate(head.scores(balls, x)):
                    weights = balls.softmax(scores)
                    for s, weight in enumerate(weights):
                        assert abs(weight - row[(t - s - back) % 16]) < 2.0**-52


def soft_module(length: int) -> SequenceModule:
    return to_torch(theorem2.build(POSITIVE, length, 4 * length * length))


def test_long_soft_words_take_the_convolution_and_short_ones_the_definition() -> None:
    with torch.no_grad():
        assert soft_module(512).current_pass() is PassKind.CIRCULANT
        assert soft_module(16).current_pass() is PassKind.DENSE
    assert soft_module(512).current_pass() is PassKind.DENSE, (
        "gradients are those of the definition"
    )


@pytest.mark.parametrize("length", [4, 16, 64])
def test_the_convolution_is_within_its_roundings_of_the_definition(
    length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Row sums are 1 and maps stochastic: an error of a row doubles with a layer, 2n a is added.

    a is what one head adds. Scores C cos are off by δ = √2 γ_7 C on either side, so weights by a
    factor e^(2δ) < 1 + 3δ; three transforms of N = 2M numbers by 3 · 8 log2(N) u of a Euclidean norm of
    at most √(N n²) (Higham, Theorem 24.2, η ≤ 8u); sums of weights and values by 2N + 2n + 8 roundings.
    """
    monkeypatch.setattr("constructions.modules.construction.FEW_SCORES", 0)
    constant, given = 4 * length * length, words(POSITIVE, 2, length)
    simulation = theorem2.build(POSITIVE, length, constant)
    module = to_torch(simulation)
    with torch.no_grad():
        assert module.current_pass() is PassKind.CIRCULANT
        found, dense = module(given), to_torch(simulation, dense=True)(given)
    u, tokens, n = 2.0**-53, 2 * length, POSITIVE.n
    scores = 3 * 2**0.5 * 7.01 * u * constant
    transform = 24 * log2(tokens) * u * (tokens * n * n) ** 0.5
    head = scores + transform + (2 * tokens + 2 * n + 8) * u
    assert (found - dense).abs().max() <= (length - 1) * 2 * n * head


def test_soft_models_with_mlps_convolve_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("constructions.modules.construction.FEW_SCORES", 0)
    units = FourUnits.of("tanh", 8).block(theorem1.product_block(2), frozenset())
    simulation = theorem2.build(POSITIVE, 8, 300, units)
    module, given = to_torch(simulation), words(POSITIVE, 1, 8)
    assert passes.word_routing(simulation) == passes.WordRouting(Fraction(300), False)
    with torch.no_grad():
        assert module.current_pass() is PassKind.CIRCULANT
        states = module(given)
    wanted = torch.tensor(
        [[float(w) for w in s] for s in POSITIVE.states(spelled_word(POSITIVE, given[0]))]
    )
    leak = 15 * exp(-300 * (1 - cos(pi / 8)))
    four = FourUnits.of("tanh", 8)
    product = float(four.error(Fraction(2), Fraction(2)).upper())
    product += 4 * 8 * float(four.scale) * 2.0**-53  # four rounded units, each at most 1
    assert (states[0] - wanted).abs().max() <= 7 * 2 * 2 * (2 * leak + 2 * product)
