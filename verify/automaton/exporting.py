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
from constructions.automata.balancing import balanced_reduction
from constructions.automata.reduction import Reduction, minimal_automaton, reachable_reduction
from constructions.automata.trees import CLOSE, OPEN
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.blocks.gated import GATES
from constructions.core.embedding import BOS
from constructions.core.errors import InputError
from constructions.core.exact import ball
from constructions.core.matrix import Matrix
from constructions.decoder import Design, Normalisation
from constructions.exports.widths import as_stored
from verify.bounds import decoder_tree as bounds_trees
from verify.bounds.budget import TooSoft
from verify.bounds.decoder import (
    CertifiedSetting,
    Setting,
    WordBounds,
    required_setting,
    word_bounds,
)
from verify.bounds.decoder_rounding import state_error
from verify.bounds.floating import ONCE
from verify.bounds.outward import rounded_up

MOST_WEIGHTS, LONGEST = 100_000_000, 1 << 14
SMOOTH = ("gelu", "gelu_new", "silu", "tanh")
PLAIN = {"gpt2": ("gelu_new", "gelu", "silu", "tanh"), "transformerlens": SMOOTH[:3]}
TREE_FORMATS = ("safetensors", "transformerlens", "pt2")
TREES = "Theorem C (tree decoder)"
SUBTREES = (
    "the output at a leaf and at a closing bracket is the state of the subtree that ends there"
)
STATES = "the output at position t is the automaton's state after t letters"
WEIGHTS = "the output at position t is the automaton's weight of the first t letters"
LLAMA = ("`LlamaForCausalLM` has no position embedding: positions are angles of RoPE, so C grows like T² as "
         "in the paper, and it normalises and rotates in float32, whatever the type of the weights: "
         "the certified error with rounding counts float32.")  # fmt: skip


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
    activation: str | None = None

    def __post_init__(self) -> None:
        if self.levels != 1 and self.gated:
            raise InputError("--levels", self.levels, "1, for a gated block, which is exact")
        if self.plain and self.format == "llama":
            raise InputError("--plain", "does not apply to --format llama, a gated model", "")
        if self.activation is not None and self.activation not in self.activations:
            raise InputError(
                "--activation", self.activation, f"one of {', '.join(self.activations)}"
            )

    @property
    def gated(self) -> bool:
        """Whether the block is gated: Llama's always, GPT-2's never."""
        return not (self.plain or self.format == "gpt2")

    @property
    def activations(self) -> tuple[str, ...]:
        """What the block can have in the library of the format, the default first."""
        return GATES if self.gated else PLAIN.get(self.format, SMOOTH)

    @property
    def rotary(self) -> bool:
        """Whether positions are angles."""
        return self.format == "llama"

    def design(self) -> Design:
        """The kind of model; its step and K are chosen by the bound."""
        sigma = self.activation or self.activations[0]
        if self.format == "gpt2":
            return Design(sigma, 1, Normalisation.LAYER, 1, Fraction(1, 10**5), self.levels)
        if self.format == "llama":
            return Design(sigma, None, Normalisation.RMS, 1, Fraction(1, 10**6))
        return Design(sigma) if self.gated else Design(sigma, 1, levels=self.levels)

    @property
    def theorem(self) -> str:
        """The theorem's name."""
        return f"Theorem {'B' if self.gated else 'A'} (decoder, {'gated' if self.gated else 'plain'} block)"


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


DTYPES = ("float64", "float32")
FLOAT32 = {"words": 1024, "trees": 100}
SHORT = ("the 8 bits of bfloat16 tell positions apart up to length 15, and with its rounding an error "
         "is certified for length 1 alone")  # fmt: skip


def _checked_dtype(order: Order, kind: str) -> None:
    """Refuse float32 where its rounding may hide the gap of 1 between scores of size T² or T³.

    Eight roundings of 2^-24 of such a score must stay below half of the gap: T² ≤ 2^20, T³ ≤ 2^20.
    """
    if order.dtype not in DTYPES:
        raise InputError("--dtype", order.dtype, f"{' or '.join(DTYPES)}: {SHORT}")
    if order.dtype == "float32" and order.length > FLOAT32[kind]:
        wanted = f"float64, beyond length {FLOAT32[kind]} for {kind}"
        raise InputError("--dtype", f"float32 at length {order.length}", wanted)


@dataclass(frozen=True)
class Plan:
    """A decoder for words before it is built: on which automaton, how large, with which constants."""

    reduction: Reduction
    scaled: bool
    sizes: dict[str, int]
    facts: WordBounds
    choice: CertifiedSetting


def plan_words(automaton: WFA, order: Order) -> Plan:
    """What the decoder for words will be; one that is too large is refused first."""
    small, outputs = _smaller(automaton, order)
    length = max(order.length, 2)
    size = _as_stored(decoder.sizes(small.n, length, order.design()), order.format, small.n)
    _not_too_large(small.n, length, size)
    made, facts, choice = _cheapest(Reduction(small, outputs), length, order)
    return Plan(made, made.automaton != small, size, facts, choice)


def make_words(automaton: WFA, order: Order) -> Made:
    """The decoder for words."""
    _checked_dtype(order, "words")
    plan = plan_words(automaton, order)
    setting, made = plan.choice.setting, plan.reduction
    simulation = decoder.build(
        made.automaton, max(order.length, 2), setting.design, setting.saturation, made.outputs
    )
    rounded = _rounded(plan.facts, setting, order.dtype)
    chosen = constants(plan.choice)
    if plan.scaled:
        chosen["coordinates"] = "scaled by exact powers of two"
    return Made(simulation, plan.sizes, chosen, plan.choice.error, automaton, order, rounded)


Chosen = tuple[Reduction, WordBounds, CertifiedSetting]


def _cheapest(made: Reduction, length: int, order: Order) -> Chosen:
    """The automaton as it is or in scaled coordinates, with what is known of it and its constants."""
    scaled, found = balanced_reduction(made), list[Chosen]()
    last: TooSoft | None = None
    for one in [made] if scaled.automaton == made.automaton else [made, scaled]:
        facts = word_bounds(one.automaton, length, one.outputs)
        try:
            found.append(
                (one, facts, required_setting(facts, order.eps, order.design(), order.rotary))
            )
        except TooSoft as error:
            last = error
    if last is not None and not found:
        raise last
    return min(found, key=_cost)


def _cost(chosen: Chosen) -> tuple[int, Fraction, int]:
    """The coarsest step first, then the least C, then the least K."""
    setting = chosen[2].setting
    return setting.design.fineness or 0, setting.saturation, setting.design.large


def _rounded(facts: WordBounds, setting: Setting, dtype: str) -> flint.arb | None:
    """The error with rounding, where it is below the size of the states themselves.

    Llama's own code computes in float32 in part, whatever the weights are.
    """
    found = state_error(facts, setting, ONCE["float32" if setting.rotary else dtype])
    return found if found < facts.readout * facts.reach else None


def make_trees(automaton: WTA, order: Order) -> Made:
    """The decoder for trees."""
    if order.format not in TREE_FORMATS:
        raise InputError("--format", order.format, f"{', '.join(TREE_FORMATS)}, for trees")
    _checked_dtype(order, "trees")
    if order.plain or order.minimise:
        flag = "--plain" if order.plain else "--minimise"
        raise InputError(flag, "applies only to automata over words, not to trees", "")
    size = decoder_tree.sizes(automaton.n, order.length)
    _not_too_large(automaton.n, order.length, size)
    choice = bounds_trees.required_saturation(automaton, order.length, order.eps)
    simulation = decoder_tree.build(
        automaton, order.length, order.design().activation, choice.saturation
    )
    chosen = {"C (saturation)": str(choice.saturation)}
    return Made(simulation, size, chosen, choice.error, automaton, order)


def _smaller(automaton: WFA, order: Order) -> tuple[WFA, Matrix]:
    """The automaton on its reachable space, or the minimal one, and what is read out."""
    if order.minimise:
        least = minimal_automaton(automaton)
        return least, Matrix.dense([[weight] for weight in least.beta])
    made = reachable_reduction(automaton)
    return made.automaton, made.outputs


def _as_stored(size: dict[str, int], form: str, n: int) -> dict[str, int]:
    """The sizes in the library's class."""
    model, head = as_stored(form, n, size["d_model"], size["d_head"])
    return size | {"d_model": model, "d_head": head}


def _not_too_large(n: int, length: int, size: dict[str, int]) -> None:
    """Refused before memory is taken."""
    heads = 4 * size["heads"] * size["d_head"]
    weights = size["layers"] * size["d_model"] * (3 * size["d_mlp"] + heads)
    if length > LONGEST:
        raise InputError("length", length, f"at most {LONGEST}, to build a decoder")
    if weights > MOST_WEIGHTS:
        what = f"{n} states at length {length}, about {weights} weights"
        raise InputError("automaton", what, f"at most {MOST_WEIGHTS} weights")


def constants(choice: CertifiedSetting) -> dict[str, str]:
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
        >>> from constructions.automata.families import counting
        >>> folder = Path(tempfile.mkdtemp()) / "model"
        >>> made = export(counting(), Order("safetensors", 8, Fraction(1, 1000)), folder)
        >>> made.sizes["layers"], sorted(path.name for path in folder.iterdir())
        (3, ['README.md', 'load.py', 'model.json', 'model.safetensors', 'stream.json'])

    """
    from constructions.exports.folder import Note, write
    from verify.automaton.sampling import measured

    made = make(automaton, order)
    known = made.rounded is not None or order.rotary
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
        measured=None
        if known
        else f"{measured(made.simulation, automaton, order.dtype, order.minimise):.1e}",
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
    if not value.is_finite():
        return "unbounded"
    return f"{found:.2e}" if (found := rounded_up(value, 3)) else "0"


def summary(made: Made) -> list[str]:
    """What a user wants to know of what was written."""
    listed = ", ".join(f"{name} {value}" for name, value in made.sizes.items())
    chosen = ", ".join(f"{name} = {decimal(value)}" for name, value in made.constants.items())
    return [
        f"States: {made.original.n}, in the model {made.simulation.automaton.n}",
        f"Sizes: {listed}",
        f"Constants: {chosen}",
        f"Certified error: {upper(made.error)}, for every position of every {made.inputs}, "
        "in exact arithmetic",
        _with_rounding(made),
    ]


def _with_rounding(made: Made) -> str:
    """The certified error with rounding, or that there is none."""
    where = "float32, as Llama's own code has it" if made.order.rotary else made.order.dtype
    if made.rounded is None:
        return f"With rounding in {where}: not certified; see the card"
    line = f"With rounding in {where}: {upper(made.rounded)}, certified"
    return line if made.rounded <= ball(made.order.eps) else f"{line}. {_too_much(made.order)}"


def _too_much(order: Order) -> str:
    """That rounding costs more than was asked, and what costs less."""
    instead = "--dtype float64"
    if order.rotary:
        instead = "--format safetensors or transformerlens, which compute in float64"
    elif order.dtype == "float64":
        instead = "a shorter --length, or a gated block (without --plain, not gpt2)"
    return f"WARNING: this is larger than ε = {float(order.eps):g}, as asked; use {instead}"


def decimal(value: str) -> str:
    """A constant p/q, with its decimal beside it."""
    return f"{value} = {float(Fraction(value)):.10g}" if "/" in value else value
