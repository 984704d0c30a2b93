"""The order of an export: one class for every construction and every format.

    Order(64)                                   a decoder within 1e-6, as safetensors
    Order(64, format="gpt2", eps="1e-4")        the same for GPT2LMHeadModel
    Order(64, "exact")                          the transformer of Theorem 1
    Order(40, "tree", attention="soft")         Theorem 3's, with softmax and MLPs

An order may leave choices open (`AUTO`); `settle` makes them for an automaton and refuses, in one
line, what does not fit together. Nothing here needs torch.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, fields, replace
from fractions import Fraction
from typing import Any

from constructions.core.errors import InputError
from constructions.core.numbers import number
from constructions.exports.formats import NAMES, ExportFormat, format_of

AUTO = "auto"
DECODER = "decoder"
WORDS, TREES = ("exact", "soft"), ("tree", "logdepth")
CONSTRUCTIONS = (DECODER, *WORDS, *TREES)
HARD, SOFT = "hard", "soft"
ATTENTION = {"exact": (HARD,), "soft": (SOFT,), "tree": (HARD, SOFT), "logdepth": (HARD, SOFT)}
MLP, PRODUCT, GATED = "mlp", "exact", "gated"
FEEDFORWARD = (MLP, PRODUCT)
STATES, NEXT = "states", "next"
HEADS = (STATES, NEXT)
DIRECTION = "its stream is normalised and holds the direction of a state, not its size"
DTYPES = ("float64", "float32", "bfloat16")
EPS, VARIATION = Fraction(1, 10**6), Fraction(1, 10**4)  # of states; of a distribution
NGRAM_FORMATS = ("gpt2", "llama")
LEVELS = 3  # of MLPs for trees: with one step h, float64 loses the product on all but small trees
# Eight roundings of 2^-24 of a score of size T² (words) or T³ (trees) stay below half of the gap of 1
# between scores as long as that size is at most 2^20.
FLOAT32 = {"words": 1024, "trees": 100}
BFLOAT16 = ("the 8 bits of bfloat16 tell positions apart up to length 15, and with its rounding an error "
            "is certified for length 1 alone")  # fmt: skip


@dataclass(frozen=True)
class Order:
    """The length T, the construction, the error and the library of an export.

    `eps` is the error to certify (1e-6); `saturation` a C of one's own, with exact products;
    `plain` a decoder's block of MLP units in place of a gated one, `levels` its steps h, 2h, 4h;
    `minimise` keeps the weights f(x) alone; `large` builds what is beyond the size limit. `head`
    is what a decoder returns: `states`, or `next`, logits of the next symbol; then `eps` is a total
    variation (1e-4). With `relative`, a size W, `eps` is relative to outputs of size W and more:
    ε W is certified. `window`: the number of letters that a normalised stream reads back, a power of two.

    Examples:
        >>> Order(64, format="gpt2", eps="1e-4").error
        Fraction(1, 10000)
        >>> Order(64, format="flax")
        Traceback (most recent call last):
        ...
        constructions.core.errors.InputError: format: found flax, expected one of safetensors, \
transformerlens, gpt2, llama, olmo2, npz

    """

    length: int
    construction: str = AUTO
    _: KW_ONLY
    format: str = NAMES[0]
    eps: Fraction | float | str | None = None
    dtype: str = DTYPES[0]
    attention: str = AUTO
    feedforward: str = AUTO
    saturation: Fraction | float | str | None = None
    activation: str = AUTO
    levels: int | None = None
    plain: bool = False
    minimise: bool = False
    large: bool = False
    head: str = STATES
    relative: Fraction | float | str | None = None
    window: int | None = None

    def __repr__(self) -> str:
        given = {f.name: getattr(self, f.name) for f in fields(self)[1:] if f.name != "_"}
        default = {f.name: f.default for f in fields(self)}
        changed = [f", {k}={str(v)!r}" for k, v in given.items() if v != default[k]]
        return f"Order({self.length}{''.join(changed)})"

    def __post_init__(self) -> None:
        choices = {
            "construction": (AUTO, *CONSTRUCTIONS),
            "format": NAMES,
            "dtype": DTYPES,
            "attention": (AUTO, HARD, SOFT),
            "feedforward": (AUTO, *FEEDFORWARD, GATED),
            "head": HEADS,
        }
        for name, possible in choices.items():
            if getattr(self, name) not in possible:
                listed = ", ".join(one for one in possible if one != AUTO)
                raise InputError(name, getattr(self, name), f"one of {listed}")
        for name in ("eps", "saturation", "relative"):
            object.__setattr__(self, name, positive(getattr(self, name), name))
        if not isinstance(self.length, int) or self.length < 1:
            raise InputError("length", self.length, "a whole number ≥ 1")

    @property
    def error(self) -> Fraction:
        """ε, or ε W where it is relative to outputs of size W."""
        default = VARIATION if self.head == NEXT else EPS
        eps = default if self.eps is None else Fraction(self.eps)
        return eps * Fraction(self.relative or 1)

    @property
    def target(self) -> ExportFormat:
        """The format as an object."""
        return format_of(self.format)

    @property
    def language(self) -> bool:
        """Return True if the outputs are logits of the next symbol."""
        return self.head == NEXT

    @property
    def decoder(self) -> bool:
        """Return True for a decoder, False for one of the paper's constructions."""
        return self.construction == DECODER


def positive(value: Any, name: str) -> Fraction | None:
    """A number > 0 in any way it is written, or none."""
    if value is None:
        return None
    exact = number(value, name)
    if exact <= 0:
        raise InputError(name, value, "a number > 0")
    return exact


def settle(order: Order, words: bool) -> Order:
    """The order with every choice made, for words or for trees; refuse options that do not fit together.

    Examples:
        >>> settle(Order(8), words=True).activation
        'silu'
        >>> settle(Order(8, attention="soft"), words=False).construction
        'tree'

    """
    order = replace(order, construction=_construction(order, words))
    if order.window is not None:
        _check_window(order)
    return _decoder(order, words) if order.decoder else _paper(order)


def settle_ngram(order: Order) -> Order:
    """The order of an n-gram table with every choice made: a stock class with ReLU units."""
    order = replace(order, head=NEXT, construction=DECODER)
    if order.format not in NGRAM_FORMATS:
        raise InputError("format", order.format, f"{' or '.join(NGRAM_FORMATS)}, for n-grams")
    if order.dtype == "bfloat16":
        raise InputError("dtype", order.dtype, "float64 or float32")
    kept = {"length", "format", "eps", "dtype", "large", "head", "construction", "plain"}
    for each in fields(order):
        if each.name not in kept and getattr(order, each.name) != each.default:
            raise InputError(each.name, "does not apply to n-grams", "")
    block = MLP if order.format == "gpt2" else GATED
    return replace(order, attention=SOFT, feedforward=block, activation="relu", plain=block == MLP)


def _check_window(order: Order) -> None:
    """A window is a normalised stream's, and a power of two."""
    window = order.window
    if not (order.language and order.target.normalised):
        listed = " or ".join(name for name in NAMES if format_of(name).normalised)
        raise InputError("window", f"applies only to head={NEXT} with format={listed}", "")
    if not isinstance(window, int) or window < 2 or window & (window - 1):
        raise InputError("window", window, "a power of two, 2 or more")


def _construction(order: Order, words: bool) -> str:
    """Return the given construction, if it fits; else a decoder, or the paper's for its options."""
    possible = (DECODER, *(WORDS if words else TREES))
    if order.construction in possible:
        return order.construction
    if order.construction != AUTO:
        listed = f"{', '.join(possible[:2])} or {possible[2]}"
        raise InputError(
            "--construction", order.construction, f"{listed}, for {'words' if words else 'trees'}"
        )
    if (order.attention, order.feedforward, order.saturation) == (AUTO, AUTO, None):
        return DECODER
    if not words:
        return TREES[0]
    return WORDS[0] if order.attention == HARD else WORDS[1]


def _decoder(order: Order, words: bool) -> Order:
    """A decoder: its format says which blocks and activations there are."""
    for name, absent in (("attention", AUTO), ("saturation", None), ("feedforward", AUTO)):
        if getattr(order, name) != absent:
            raise InputError(
                name, "does not apply to decoders, whose constants follow from eps", ""
            )
    target, kind = order.target, "words" if words else "trees"
    if not words and not target.trees:
        listed = ", ".join(name for name in NAMES if format_of(name).trees)
        raise InputError("format", order.format, f"{listed}, for trees")
    for flag in ("plain", "minimise"):
        if not words and getattr(order, flag):
            raise InputError(flag, "applies only to automata over words, not to trees", "")
    if order.plain and not target.smooth:
        raise InputError("plain", f"does not apply to format={order.format}, a gated model", "")
    if order.language:
        _language(order, words)
    elif order.head not in target.heads:
        raise InputError("head", order.head, f"{NEXT}, for format={order.format}: {DIRECTION}")
    _decoder_dtype(order, kind)
    plain = order.plain or not target.gates
    if order.levels not in (None, 1) and not plain:
        raise InputError("levels", order.levels, "1: a gated block multiplies exactly")
    activation = _one_of(target.smooth if plain else target.gates, order.activation)
    return replace(
        order,
        attention=SOFT,
        feedforward=MLP if plain else GATED,
        plain=plain,
        activation=activation,
        levels=order.levels or 1,
    )


def _language(order: Order, words: bool) -> None:
    """Logits of the next symbol are those of a decoder for words, with all its states."""
    if not words:
        raise InputError("head", NEXT, "states, for trees")
    for flag in ("minimise", "relative"):
        if getattr(order, flag):
            raise InputError(flag, f"does not apply to head={NEXT}", "")


def _decoder_dtype(order: Order, kind: str) -> None:
    """Refuse a type whose rounding may hide the gap between scores."""
    if order.dtype == "bfloat16":
        raise InputError("dtype", order.dtype, f"float64 or float32: {BFLOAT16}")
    own = order.target.computes_in is None  # else the type of the weights changes no score
    if own and order.dtype == "float32" and order.length > FLOAT32[kind]:
        wanted = f"float64, beyond length {FLOAT32[kind]} for {kind}"
        raise InputError("dtype", f"float32 at length {order.length}", wanted)


def _one_of(possible: tuple[str, ...], given: str) -> str:
    """Return the given activation, or the first one."""
    if given not in (AUTO, *possible):
        raise InputError("activation", given, f"one of {', '.join(possible)}")
    return possible[0] if given == AUTO else given


def _paper(order: Order) -> Order:
    """One of the paper's constructions: attention, then products, then what belongs to them."""
    model = f"construction={order.construction}"
    if not order.target.paper:
        listed = " or ".join(name for name in NAMES if format_of(name).paper)
        raise InputError("format", order.format, f"{listed}, for {order.construction}")
    if order.dtype not in order.target.dtypes:
        listed = " or ".join(order.target.dtypes)
        raise InputError("dtype", order.dtype, f"{listed}, for format={order.format}")
    for flag in ("plain", "minimise"):
        if getattr(order, flag):
            raise InputError(flag, f"applies only to decoders, not to {model}", "")
    if order.language:
        raise InputError("head", NEXT, f"states, for {model}: only decoders are language models")
    order = replace(order, attention=_attention(order))
    order = replace(order, feedforward=_feedforward(order))
    return _units(order, model)


def _attention(order: Order) -> str:
    """Return the given attention, or the construction's default."""
    possible = ATTENTION[order.construction]
    attention = possible[0] if order.attention == AUTO else order.attention
    if attention not in possible:
        raise InputError("attention", attention, f"{possible[0]}, for {order.construction}")
    if attention == HARD and order.saturation is not None:
        raise InputError("saturation", "applies only to softmax, not to hard attention", "")
    return attention


def _feedforward(order: Order) -> str:
    """Return MLPs where attention is soft, exact products elsewhere, unless the order says otherwise."""
    if order.attention == HARD:
        if order.feedforward not in (AUTO, PRODUCT):
            raise InputError("feedforward", order.feedforward, "exact, where attention is hard")
        return PRODUCT
    if order.saturation is not None and order.feedforward != PRODUCT:
        reason = "needs feedforward=exact: with MLPs, C and h are chosen together"
        raise InputError("saturation", reason, "")
    if order.feedforward == GATED:
        raise InputError("feedforward", GATED, f"mlp or exact, for {order.construction}")
    return MLP if order.feedforward == AUTO else order.feedforward


def _units(order: Order, model: str) -> Order:
    """ε, levels and activation, refused where they would be ignored."""
    from constructions.core.activations import SMOOTH

    for name in ("eps", "relative"):
        if getattr(order, name) is not None and order.attention == HARD:
            reason = f"applies only to softmax, not to {model} with hard attention, which is exact"
            raise InputError(name, reason, "")
        if getattr(order, name) is not None and order.saturation is not None:
            reason = "does not apply with saturation, which gives C"
            raise InputError(name, reason, "")
    several = order.feedforward == MLP and order.construction in TREES
    if order.levels is not None and not several:
        raise InputError("levels", "applies only to decoders and to MLPs for trees", "")
    if order.feedforward != MLP:
        if order.activation != AUTO:
            reason = f"applies only to MLPs and decoders, not to {model} with exact products"
            raise InputError("activation", reason, "")
        return order
    activation = "gelu" if order.activation == AUTO else _one_of(tuple(SMOOTH), order.activation)
    levels = (order.levels or LEVELS) if several else 1
    return replace(order, activation=activation, levels=levels)
