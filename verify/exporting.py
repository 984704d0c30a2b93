"""A decoder for an automaton and an error: reduce, choose the constants, build, write.

Chooses       the design from the format: TransformerLens, torch.export and safetensors get the gated
              block (or the plain one, if asked), GPT-2 the plain block and LayerNorm, Llama the
              gated block, RMSNorm and RoPE
              the constants C, h and K from the certified bound, for all words of at most T letters
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import flint

from constructions import decoder, decoder_tree
from constructions.decoder import Design, Normalisation
from constructions.errors import InputError
from constructions.exports.tokenizer import BOS
from constructions.matrix import Matrix
from constructions.reduction import minimal, reachable
from constructions.trees import CLOSE, OPEN
from constructions.wfa import WFA
from constructions.wta import WTA
from verify.bounds import decoder_tree as bounds_trees
from verify.bounds.budget import TooSoft
from verify.bounds.decoder import Choice, Known, Setting, known, required
from verify.bounds.decoder_rounding import FORMATS, state_error

MOST_WEIGHTS, LONGEST = 100_000_000, 1 << 14
TREE_FORMATS = ("safetensors", "transformerlens", "pt2")
TREES = "Theorem C (tree decoder)"
SUBTREES = (
    "the output at a leaf and at a closing bracket is the state of the subtree that ends there"
)
STATES = "the output at position t is the automaton's state after t letters"
WEIGHTS = "the output at position t is the automaton's weight of the first t letters"
LLAMA = ("The class normalises and rotates in float32, whatever the type of the weights: expect "
         "relative errors of about 1e-6.")  # fmt: skip


@dataclass(frozen=True)
class Order:
    """What to write: the format, the length T, the error ε, plain or gated, all states or weights."""

    format: str
    length: int
    eps: Fraction
    plain: bool = False
    minimise: bool = False
    dtype: str = "float64"
    levels: int = 1

    def __post_init__(self) -> None:
        if self.levels != 1 and not (self.plain or self.format == "gpt2"):
            raise InputError("--levels", self.levels, "1, for a gated block, which is exact")
        if self.plain and self.format == "llama":
            raise InputError("--plain", "the flag", "nothing, for llama: its block is gated")

    @property
    def rotary(self) -> bool:
        """Whether positions are angles."""
        return self.format == "llama"

    def design(self) -> Design:
        """The kind of model; its step and K are chosen by the bound."""
        if self.format == "gpt2":
            return Design("gelu", 1, Normalisation.LAYER, 1, Fraction(1, 10**5), self.levels)
        if self.format == "llama":
            return Design("silu", None, Normalisation.RMS, 1, Fraction(1, 10**6))
        return Design("gelu", 1, levels=self.levels) if self.plain else Design("silu")

    @property
    def theorem(self) -> str:
        """The theorem's name."""
        return "Theorem A (decoder, plain block)" if not self.design().gated else (
            "Theorem B (decoder, gated block)")  # fmt: skip


@dataclass(frozen=True)
class Made:
    """A decoder, its sizes and constants, the error it keeps, and the automaton it was made for."""

    simulation: Any
    sizes: dict[str, int]
    constants: dict[str, str]
    error: flint.arb
    original: WFA | WTA
    order: Order
    rounded: flint.arb | None = None

    @property
    def theorem(self) -> str:
        """The theorem's name."""
        return self.order.theorem if isinstance(self.original, WFA) else TREES

    @property
    def inputs(self) -> str:
        """What the error holds for."""
        what = "word of at most {} letters" if isinstance(self.original, WFA) else (
            "tree whose string has at most {} tokens")  # fmt: skip
        return what.format(self.order.length)

    @property
    def readout(self) -> str:
        """What the outputs are."""
        if not isinstance(self.original, WFA):
            return SUBTREES
        return WEIGHTS if self.order.minimise else STATES


def make(automaton: WFA | WTA, order: Order) -> Made:
    """The decoder for an automaton: reduced, with certified constants."""
    if BOS in automaton.alphabet:
        raise InputError("symbol", BOS, "another name: this one is the token before every word")
    try:
        return make_words(automaton, order) if isinstance(automaton, WFA) else (
            make_trees(automaton, order))  # fmt: skip
    except TooSoft as error:
        raise InputError("--eps", str(order.eps), f"an error that can be kept: {error}") from None


FLOAT32 = {"words": 1024, "trees": 100}


def _tells_apart(order: Order, kind: str) -> None:
    """Refuse float32 where scores of size T² or T³, with a gap of 1, are not told apart.

    Eight roundings of 2^-24 of such a score must stay below half of the gap: T² ≤ 2^20, T³ ≤ 2^20.
    """
    if order.dtype == "float32" and order.length > FLOAT32[kind]:
        wanted = f"float64, beyond length {FLOAT32[kind]} for {kind}"
        raise InputError("--dtype", f"float32 at length {order.length}", wanted)


def make_words(automaton: WFA, order: Order) -> Made:
    """The decoder for words."""
    _tells_apart(order, "words")
    small, outputs = _smaller(automaton, order)
    length = max(order.length, 2)
    size = decoder.sizes(small.n, length, order.design())
    _not_too_large(small.n, length, size)
    facts = known(small, length, outputs)
    choice = required(facts, order.eps, order.design(), order.rotary)
    setting = choice.setting
    simulation = decoder.build(small, length, setting.design, setting.saturation, outputs)
    rounded = _rounded(facts, setting, order.dtype)
    return Made(simulation, size, constants(choice), choice.error, automaton, order, rounded)


def _rounded(facts: Known, setting: Setting, dtype: str) -> flint.arb | None:
    """The error with rounding, where it is known: gated blocks without a norm."""
    plain = not setting.design.gated or setting.design.norm is not Normalisation.NONE
    if plain or dtype not in FORMATS:
        return None
    return state_error(facts, setting.saturation, FORMATS[dtype])


def make_trees(automaton: WTA, order: Order) -> Made:
    """The decoder for trees."""
    if order.format not in TREE_FORMATS:
        raise InputError("--format", order.format, f"{', '.join(TREE_FORMATS)}, for trees")
    _tells_apart(order, "trees")
    if order.plain or order.minimise:
        raise InputError("--plain, --minimise", "a flag", "nothing, for trees")
    size = decoder_tree.sizes(automaton.n, order.length)
    _not_too_large(automaton.n, order.length, size)
    choice = bounds_trees.required(automaton, order.length, order.eps)
    simulation = decoder_tree.build(automaton, order.length, "silu", choice.saturation)
    chosen = {"C (saturation)": str(choice.saturation)}
    return Made(simulation, size, chosen, choice.error, automaton, order)


def _smaller(automaton: WFA, order: Order) -> tuple[WFA, Matrix]:
    """The automaton on its reachable space, or the minimal one, and what is read out."""
    if order.minimise:
        least = minimal(automaton)
        return least, Matrix.dense([[weight] for weight in least.beta])
    made = reachable(automaton)
    return made.automaton, made.outputs


def _not_too_large(n: int, length: int, size: dict[str, int]) -> None:
    """Refused before memory is taken."""
    heads = 4 * size["heads"] * size["d_head"]
    weights = size["layers"] * size["d_model"] * (3 * size["d_mlp"] + heads)
    if length > LONGEST:
        raise InputError("length", length, f"at most {LONGEST}, to build a decoder")
    if weights > MOST_WEIGHTS:
        what = f"{n} states at length {length}, about {weights} weights"
        raise InputError("automaton", what, f"at most {MOST_WEIGHTS} weights")


def constants(choice: Choice) -> dict[str, str]:
    """C, h and K as text."""
    setting = choice.setting
    found = {"C (saturation)": str(setting.saturation)}
    if setting.design.fineness is not None:
        found["h (step)"] = f"2^-{setting.design.fineness}"
        found["levels"] = str(setting.design.levels)
    if setting.design.norm is not Normalisation.NONE:
        found["K (large coordinate)"] = str(setting.design.large)
    return found


def export(automaton: WFA | WTA, order: Order, folder: Path | str) -> Made:
    """Make a decoder and write it; what was made is returned.

    Examples:
        >>> import tempfile
        >>> from constructions.families import counting
        >>> folder = Path(tempfile.mkdtemp()) / "model"
        >>> made = export(counting(), Order("safetensors", 8, Fraction(1, 1000)), folder)
        >>> made.sizes["layers"], sorted(path.name for path in folder.iterdir())
        (3, ['README.md', 'load.py', 'model.json', 'model.safetensors'])

    """
    from constructions.exports.folder import Note, write

    made = make(automaton, order)
    note = Note(
        theorem=made.theorem,
        length=order.length,
        inputs=made.inputs,
        constants=made.constants,
        eps=str(order.eps),
        error=upper(made.error),
        rounded=None if made.rounded is None else upper(made.rounded),
        readout=made.readout,
        example=example(automaton, order.length),
        states=(automaton.n, made.simulation.automaton.n),
        dtype=order.dtype,
        limits=limits(made),
    )
    try:
        write(made.simulation, note, order.format, Path(folder))
    except OverflowError:
        found = "weights beyond the largest float"
        raise InputError("automaton", found, "an automaton or a length with smaller ones") from None
    return made


def limits(made: Made) -> tuple[str, ...]:
    """What the certificate does not cover."""
    found = (LLAMA,) if made.order.format == "llama" else ()
    step = made.constants.get("h (step)")
    if step is not None:
        found = (*found, f"Rounding of the plain block is about the format's unit over h = {step}.")
    return found


def example(automaton: WFA | WTA, length: int) -> tuple[str, ...]:
    """A word or a tree's string to try a model with."""
    letter = automaton.alphabet[0]
    if isinstance(automaton, WFA):
        return (letter,) * min(length, 4)
    return (OPEN, letter, letter, CLOSE) if length >= 4 else (letter,)


def upper(value: flint.arb) -> str:
    """A decimal with three digits at or above a ball."""
    exact = value.upper()
    if exact == 0 or not exact.is_finite():
        return "0" if exact == 0 else "unbounded"
    mantissa, exponent = exact.man_exp()
    number = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    power = 0
    while number * Fraction(10) ** power < 100:
        power += 1
    while number * Fraction(10) ** power >= 1000:
        power -= 1
    digits = -((-number * Fraction(10) ** power) // 1)
    return f"{digits // 100}.{digits % 100:02d}e{2 - power:+d}"


def summary(made: Made) -> list[str]:
    """What a user wants to know of what was written."""
    listed = ", ".join(f"{name} {value}" for name, value in made.sizes.items())
    chosen = ", ".join(f"{name} = {value}" for name, value in made.constants.items())
    return [
        f"States: {made.original.n}, in the model {made.simulation.automaton.n}",
        f"Sizes: {listed}",
        f"Constants: {chosen}",
        f"Certified error: {upper(made.error)}, for every position of every {made.inputs}, "
        "in exact arithmetic",
    ]
