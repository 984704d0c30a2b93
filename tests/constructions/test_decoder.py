"""The decoder: exact with a gate and hard attention, close with softmax; its layout."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import pytest

from constructions import decoder
from constructions.arithmetic import Balls, Floats, Rational
from constructions.automata.families import counting, hmm
from constructions.automata.wfa import WFA
from constructions.core.errors import InputError
from constructions.core.matrix import Matrix
from constructions.core.transformer import Gated, Mask, realise, run
from constructions.decoder import Design, Normalisation

RELU = Design("relu")
WEATHER = hmm([["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab")
DESIGNS = {
    "gated silu": Design(),
    "gated gelu": Design("gelu"),
    "gated relu": RELU,
    "gelu": Design("gelu", 16),
    "silu": Design("silu", 16),
    "softplus": Design("softplus", 16),
    "tanh": Design("tanh", 16),
    "gated gelu_new": Design("gelu_new"),
    "gelu_new": Design("gelu_new", 16),
    "gelu, two levels": Design("gelu", 8, levels=2),
    "silu, three levels": Design("silu", 6, levels=3),
    "gelu with LayerNorm": Design("gelu", 16, Normalisation.LAYER, 1 << 20, Fraction(1, 10**5)),
    "gated with LayerNorm": Design("silu", None, Normalisation.LAYER, 1 << 20),
    "gated with RMSNorm": Design("silu", None, Normalisation.RMS, 1 << 20, Fraction(1, 10**6)),
}


def largest_error(found, exact):
    return max(abs(float(x) - float(y)) for a, b in zip(found, exact, strict=True)
               for x, y in zip(a, b, strict=True))  # fmt: skip


def exact_states(states):
    return [tuple(Fraction(int(x.p), int(x.q)) for x in row) for row in states]


@pytest.mark.parametrize("name", DESIGNS)
def test_every_design_is_near_the_states_with_softmax(name):
    word = "abbabaa"
    with Balls(160) as balls:
        model = decoder.build(WEATHER, 7, DESIGNS[name], 40)
        assert largest_error(model.states(word, balls), WEATHER.states(word)) < 1e-7
    if name not in {"tanh", "softplus"}:  # their four values do not vanish with h: rounding / h²
        assert largest_error(model.states(word, Floats()), WEATHER.states(word)) < 1e-7


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize(("n", "length"), [(1, 2), (2, 5), (3, 8), (2, 9)])
def test_sizes_follow_the_formulas(name, n, length):
    design, formulas = DESIGNS[name], decoder.sizes(n, length, DESIGNS[name])
    model = decoder.build(WFA.of([1] * n, {"a": [[1] * n] * n}, [1] * n), length, design)
    (head,), block = model.transformer.layers[0].heads, model.transformer.layers[0].feedforward
    assert len(model.transformer.layers) == formulas["layers"]
    assert model.layout.size == model.transformer.readout.shape[0] == formulas["d_model"]
    assert max(head.query.shape[1], head.value.shape[1]) == formulas["d_head"]
    assert block.output.shape == (formulas["d_mlp"], formulas["d_model"])
    assert len(model.position_rows()) == formulas["context"]


def test_layers_hold_nothing_of_the_automaton_and_differ_in_the_shift_alone():
    one, two = decoder.build(counting(), 16), decoder.build(WEATHER, 16)
    assert one.transformer.layers == two.transformer.layers
    first = one.transformer.layers[0]
    for number, layer in enumerate(one.transformer.layers):
        assert layer.feedforward == first.feedforward
        assert layer.combine == first.combine
        changed = {at for at, v in layer.heads[0].query.entries.items()
                   if v != first.heads[0].query.entries[at]}  # fmt: skip
        assert changed == ({(one.layout.at("one"), 0)} if number else set())


def test_places_stay_the_scratch_is_erased_and_bos_stays_zero():
    model = decoder.build(WEATHER, 8, RELU)
    arithmetic = Rational()
    x = arithmetic.array(model.encode("abbabbab"))
    layout = model.layout
    for state in realise(model.transformer, arithmetic).states(arithmetic, x):
        assert (state[:, layout["place"]] == x[:, layout["place"]]).all()
        assert not state[:, layout["scratch"]].any()
        assert not state[0, layout["window"]].any()


def test_the_mask_is_not_needed():
    model = decoder.build(WEATHER, 8, RELU)
    open_ = tuple(replace(layer, heads=tuple(replace(h, mask=Mask.NONE) for h in layer.heads))
                  for layer in model.transformer.layers)  # fmt: skip
    found = run(replace(model.transformer, layers=open_), Rational(), model.encode("abbaabab"))
    assert exact_states(found) == WEATHER.states("abbaabab")


def test_a_readout_maps_the_states():
    model = decoder.build(WEATHER, 5, RELU, outputs=Matrix.dense([[b] for b in WEATHER.beta]))
    found = model.states("abbab", Rational())
    assert [row[0] for row in exact_states(found)] == [
        WEATHER.weight("abbab"[:t]) for t in range(6)
    ]


@pytest.mark.parametrize("flip", ["output", "gate", "query"])
def test_a_changed_weight_is_noticed(flip):
    model = decoder.build(WEATHER, 4, RELU)
    layer = model.transformer.layers[0]
    block = layer.feedforward
    assert isinstance(block, Gated)
    if flip == "query":
        head = layer.heads[0]
        shift = {(model.layout.at("one"), 0): 0}
        query = Matrix(head.query.shape, {**head.query.entries, **shift})
        broken = replace(layer, heads=(replace(head, query=query),))
    else:
        flipped = getattr(block, flip).scaled(-1)
        broken = replace(layer, feedforward=replace(block, **{flip: flipped}))
    mutant = replace(model.transformer, layers=(broken, *model.transformer.layers[1:]))
    wrong = 0
    for word in product("ab", repeat=4):
        found = run(mutant, Rational(), model.encode(word))
        wrong += exact_states(found) != WEATHER.states(word)
    assert wrong > 0


def test_layernorm_without_its_coordinates_would_fail():
    design = replace(DESIGNS["gated with LayerNorm"], large=1)
    with Balls(128) as balls:
        found = decoder.build(WEATHER, 4, design, 40).states("abba", balls)
        assert largest_error(found, WEATHER.states("abba")) > 1e-2


@pytest.mark.parametrize("bad", [
    lambda: Design("tanh"),
    lambda: Design("relu", 8),
    lambda: Design(norm=Normalisation.LAYER),
    lambda: Design("silu", levels=2),
    lambda: Design("gelu", 8, levels=5),
    lambda: decoder.build(WEATHER, 0),
    lambda: decoder.build(WEATHER, 2).encode("abb"),
    lambda: decoder.build(WEATHER, 2).encode("ac"),
])  # fmt: skip
def test_inputs_that_do_not_fit_are_refused_by_name(bad):
    with pytest.raises(InputError):
        bad()


def test_a_neutralised_norm_has_a_k_of_one_or_more():
    assert Design(norm=Normalisation.RMS, large=1).large == 1
    with pytest.raises(InputError, match="large: found 0, expected a coordinate K ≥ 1"):
        Design(norm=Normalisation.RMS)
