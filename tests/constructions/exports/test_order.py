"""An order: choices that are left open are made for the automaton, what does not fit is one line."""

from fractions import Fraction

import pytest

from constructions.core.errors import InputError
from constructions.exports.formats import NAMES, format_of
from constructions.exports.order import CONSTRUCTIONS, DTYPES, Order, settle


def test_an_order_is_a_decoder_within_a_millionth_unless_asked():
    order = settle(Order(8), words=True)
    assert (order.construction, order.format, order.dtype) == (
        "decoder",
        "safetensors",
        "float64",
    )
    assert (order.attention, order.feedforward, order.activation) == ("soft", "gated", "silu")
    assert order.error == Fraction(1, 10**6)
    assert not order.large


@pytest.mark.parametrize("eps", [Fraction(1, 1000), "1/1000", "1e-3", 0.001])
def test_an_error_may_be_written_in_any_way(eps):
    assert Order(8, eps=eps).error == Fraction(1, 1000)


@pytest.mark.parametrize(
    ("asked", "words", "settled"),
    [
        ({"attention": "soft"}, True, ("soft", "soft", "mlp", "gelu", 1)),
        ({"attention": "hard"}, True, ("exact", "hard", "exact", "auto", None)),
        ({"feedforward": "exact"}, True, ("soft", "soft", "exact", "auto", None)),
        ({"attention": "soft"}, False, ("tree", "soft", "mlp", "gelu", 3)),
        ({"attention": "hard"}, False, ("tree", "hard", "exact", "auto", None)),
        ({"construction": "logdepth"}, False, ("logdepth", "hard", "exact", "auto", None)),
        ({"construction": "logdepth", "attention": "soft", "levels": 2, "activation": "silu"},
         False, ("logdepth", "soft", "mlp", "silu", 2)),
        ({"saturation": 9, "feedforward": "exact"}, True, ("soft", "soft", "exact", "auto", None)),
        ({"plain": True, "levels": 2}, True, ("decoder", "soft", "mlp", "gelu", 2)),
        ({"format": "gpt2"}, True, ("decoder", "soft", "mlp", "gelu_new", 1)),
        ({"format": "llama"}, True, ("decoder", "soft", "gated", "silu", 1)),
    ],
)  # fmt: skip
def test_open_choices_are_made_for_the_automaton(asked, words, settled):
    order = settle(Order(8, **asked), words)
    names = ("construction", "attention", "feedforward", "activation", "levels")
    assert tuple(getattr(order, name) for name in names) == settled


@pytest.mark.parametrize(
    ("asked", "words", "line"),
    [
        ({"construction": "magic"}, True, "construction: found magic, expected one of decoder"),
        ({"format": "flax"}, True, "format: found flax, expected one of safetensors"),
        ({"dtype": "int8"}, True, "dtype: found int8, expected one of float64, float32"),
        ({"eps": 0}, True, "eps: found 0, expected a number > 0"),
        ({"saturation": "-1"}, True, "saturation: found -1, expected a number > 0"),
        ({"length": 0}, True, "length: found 0, expected a whole number"),
        ({"length": "8"}, True, "length: found 8, expected a whole number"),
        ({"construction": "tree"}, True, "expected decoder, exact or soft, for words"),
        ({"construction": "soft"}, False, "expected decoder, tree or logdepth, for trees"),
        ({"construction": "decoder", "attention": "soft"}, True, "does not apply to decoders"),
        ({"construction": "decoder", "saturation": 4}, True, "does not apply to decoders"),
        ({"construction": "decoder", "feedforward": "mlp"}, True, "does not apply to decoders"),
        ({"format": "gpt2"}, False, "format: found gpt2, expected safetensors, transformerlens"),
        ({"plain": True}, False, "plain: applies only to automata over words, not to trees"),
        ({"minimise": True}, False, "minimise: applies only to automata over words"),
        ({"format": "olmo2"}, True, "head: found states, expected next, for format=olmo2: its"),
        ({"format": "olmo2", "head": "next", "window": 6}, True, "window: found 6, expected a power"),
        ({"format": "llama", "head": "next", "window": 4}, True, "window: applies only to head=next"),
        ({"format": "olmo2", "head": "next"}, False, "format: found olmo2, expected"),
        ({"plain": True, "format": "llama"}, True, "plain: does not apply to format=llama"),
        ({"levels": 2}, True, "levels: found 2, expected 1: a gated block"),
        ({"activation": "tanh"}, True, "activation: found tanh, expected one of silu"),
        ({"activation": "relu", "format": "gpt2"}, True, "activation: found relu"),
        ({"activation": "tanh", "plain": True, "format": "transformerlens"}, True,
         "activation: found tanh"),
        ({"dtype": "bfloat16"}, True, "up to length 15"),
        ({"dtype": "float32", "length": 1025}, True, "float64, beyond length 1024 for words"),
        ({"dtype": "float32", "length": 101}, False, "float64, beyond length 100 for trees"),
        ({"construction": "exact", "format": "gpt2"}, True,
         "format: found gpt2, expected safetensors or npz, for exact"),
        ({"construction": "exact", "format": "npz", "dtype": "bfloat16"}, True,
         "float64 or float32, for format=npz"),
        ({"construction": "exact", "minimise": True}, True,
         "minimise: applies only to decoders, not to construction=exact"),
        ({"construction": "exact", "attention": "soft"}, True,
         "attention: found soft, expected hard, for exact"),
        ({"construction": "soft", "attention": "hard"}, True, "expected soft, for soft"),
        ({"construction": "exact", "saturation": 5}, True, "saturation: applies only to softmax"),
        ({"construction": "exact", "feedforward": "mlp"}, True, "exact, where attention is hard"),
        ({"construction": "soft", "feedforward": "gated"}, True, "mlp or exact, for soft"),
        ({"construction": "soft", "saturation": 5}, True, "saturation: needs feedforward=exact"),
        ({"construction": "exact", "eps": 1}, True, "eps: applies only to softmax"),
        ({"construction": "soft", "eps": 1, "saturation": 5, "feedforward": "exact"}, True,
         "eps: does not apply with saturation"),
        ({"construction": "soft", "levels": 2}, True, "levels: applies only to decoders and to MLPs"),
        ({"construction": "exact", "activation": "gelu"}, True, "applies only to MLPs and decoders"),
        ({"construction": "soft", "activation": "relu"}, True, "activation: found relu"),
    ],
)  # fmt: skip
def test_what_does_not_fit_together_is_one_clear_line(asked, words, line):
    with pytest.raises(InputError) as caught:
        settle(Order(**{"length": 8} | asked), words)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_every_construction_and_type_can_be_ordered():
    for construction in CONSTRUCTIONS:
        words = construction in ("decoder", "exact", "soft")
        assert settle(Order(8, construction), words).construction == construction
    for dtype in DTYPES:
        assert settle(Order(8, "exact", dtype=dtype), words=True).dtype == dtype


@pytest.mark.parametrize("name", NAMES)
def test_a_format_takes_every_activation_it_offers_and_has_its_first_as_the_default(name):
    target = format_of(name)
    for plain, activations in ((True, target.smooth), (False, target.gates)):
        for sigma in activations:
            asked = Order(8, format=name, plain=plain, activation=sigma, head=target.heads[0])
            order = settle(asked, words=True)
            assert (order.activation, order.plain) == (sigma, plain)
        if activations:
            order = settle(Order(8, format=name, plain=plain, head=target.heads[0]), words=True)
            assert order.activation == activations[0]
