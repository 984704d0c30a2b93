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

import flint

from constructions.decoder import Design, Normalisation, Simulation, build, sizes
from constructions.errors import InputError
from constructions.matrix import Matrix
from constructions.reduction import minimal, reachable
from constructions.wfa import WFA
from constructions.wta import WTA
from verify.bounds.budget import TooSoft
from verify.bounds.decoder import Choice, known, required

MOST_WEIGHTS, LONGEST = 100_000_000, 1 << 14
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

    def __post_init__(self) -> None:
        if self.plain and self.format == "llama":
            raise InputError("--plain", "the flag", "nothing, for llama: its block is gated")

    @property
    def rotary(self) -> bool:
        """Whether positions are angles."""
        return self.format == "llama"

    def design(self) -> Design:
        """The kind of model; its step and K are chosen by the bound."""
        if self.format == "gpt2":
            return Design("gelu", 1, Normalisation.LAYER, 1, Fraction(1, 10**5))
        if self.format == "llama":
            return Design("silu", None, Normalisation.RMS, 1, Fraction(1, 10**6))
        return Design("gelu", 1) if self.plain else Design("silu")

    @property
    def theorem(self) -> str:
        """The theorem's name."""
        return "Theorem A (decoder, plain block)" if not self.design().gated else (
            "Theorem B (decoder, gated block)")  # fmt: skip


@dataclass(frozen=True)
class Made:
    """A decoder, the constants and the error that it keeps, and the automaton it was made for."""

    simulation: Simulation
    choice: Choice
    original: WFA | WTA
    order: Order


def make(automaton: WFA | WTA, order: Order) -> Made:
    """The decoder for an automaton: reduced, with certified constants."""
    if not isinstance(automaton, WFA):
        raise InputError("construction", "decoder", "an automaton over words")
    small, outputs = _smaller(automaton, order)
    length = max(order.length, 2)
    _not_too_large(small.n, length, order)
    try:
        choice = required(known(small, length, outputs), order.eps, order.design(), order.rotary)
    except TooSoft as error:
        raise InputError("--eps", str(order.eps), f"an error that can be kept: {error}") from None
    setting = choice.setting
    simulation = build(small, length, setting.design, setting.saturation, outputs)
    return Made(simulation, choice, automaton, order)


def _smaller(automaton: WFA, order: Order) -> tuple[WFA, Matrix]:
    """The automaton on its reachable space, or the minimal one, and what is read out."""
    if order.minimise:
        least = minimal(automaton)
        return least, Matrix.dense([[weight] for weight in least.beta])
    made = reachable(automaton)
    return made.automaton, made.outputs


def _not_too_large(n: int, length: int, order: Order) -> None:
    """Refused before memory is taken."""
    found = sizes(n, length, order.design())
    weights = found["layers"] * found["d_model"] * (3 * found["d_mlp"] + 4 * found["d_head"])
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
    if setting.design.norm is not Normalisation.NONE:
        found["K (large coordinate)"] = str(setting.design.large)
    return found


def export(automaton: WFA | WTA, order: Order, folder: Path) -> Made:
    """Make a decoder and write it; what was made is returned."""
    from constructions.exports.folder import Note, write

    made = make(automaton, order)
    letter = automaton.alphabet[0]
    note = Note(
        theorem=order.theorem,
        length=order.length,
        constants=constants(made.choice),
        eps=str(order.eps),
        error=upper(made.choice.error),
        readout=WEIGHTS if order.minimise else STATES,
        example=(letter,) * min(order.length, 4),
        states=(automaton.n, made.simulation.automaton.n),
        dtype=order.dtype,
        limits=(LLAMA,) if order.format == "llama" else (),
    )
    write(made.simulation, note, order.format, folder)
    return made


def upper(value: flint.arb) -> str:
    """A decimal with three digits at or above a ball."""
    exact = value.upper()
    if exact == 0:
        return "0"
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
    size = sizes(made.simulation.automaton.n, made.simulation.length, made.simulation.design)
    listed = ", ".join(f"{name} {value}" for name, value in size.items())
    chosen = ", ".join(f"{name} = {value}" for name, value in constants(made.choice).items())
    return [
        f"States: {made.original.n}, in the model {made.simulation.automaton.n}",
        f"Sizes: {listed}",
        f"Constants: {chosen}",
        f"Certified error: {upper(made.choice.error)}, for every position of every word of at most "
        f"{made.order.length} letters, in exact arithmetic",
    ]
