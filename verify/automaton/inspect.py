"""From an automaton, a length and an ε to the answer.

    inspect(automaton, 64, Fraction(1, 10**6))

Everything that is called certified holds for all words (or trees) of the length; what is called
measured was seen on sampled ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import ceil, log10

import flint
import torch

from constructions import theorem1, theorem2
from constructions.activations import SMOOTH
from constructions.errors import InputError
from constructions.exact import ball
from constructions.smoothing import FourUnits
from constructions.theorem1 import depth, span
from constructions.theorem3 import leaves_within
from constructions.wfa import WFA
from constructions.wta import WTA
from verify.automaton import (
    measure,
    measure_trees,
    rounding,
    sequences,
    sizes,
    tree_figures,
    trees,
)
from verify.automaton.model import Answer, Citable, Figure, Format, Hypothesis, Status
from verify.automaton.numbers import BITS, at_most, shown
from verify.automaton.progress import silent
from verify.automaton.soft import Softened
from verify.automaton.standing import by_claim, recorded, suffices
from verify.bounds.growth import Products, products, witnesses
from verify.bounds.saturation import (
    Fineness,
    Saturation,
    required_fineness,
    required_saturation,
    uniform,
)
from verify.bounds.states import state_bounds
from verify.claims.registry import CLAIMS

LONGEST = 4096
MOST_BITS = 1 << 20
EPS = Fraction(1, 10**6)
SMALLEST_EPS = Fraction(1, 10**1000)
DTYPES = {
    "float64": torch.float64,
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
}


def inspect(
    automaton: WFA | WTA,
    length: int,
    eps: Fraction = EPS,
    activation: str = "tanh",
    source: str = "",
    progress: Callable[[str], None] = silent,
) -> Answer:
    """What the theorems give an automaton at a length; `progress` hears which part is next."""
    _checked(length, eps)
    with flint.ctx.workprec(BITS):
        if isinstance(automaton, WFA):
            return _sequences(automaton, length, eps, activation, source, progress)
        progress("states of all trees, and runs in floating point")
        return _trees(automaton, length, eps, activation, source)


def _checked(length: int, eps: Fraction) -> None:
    theorem1.checked(length)
    if length > LONGEST:
        raise InputError("length", length, f"at most {LONGEST}")
    if eps < SMALLEST_EPS:
        raise InputError("eps", shown(eps), "a number of at least 1e-1000")


def _sequences(
    wfa: WFA,
    length: int,
    eps: Fraction,
    activation: str,
    source: str,
    progress: Callable[[str], None],
) -> Answer:
    progress("norms of products")
    found = products(wfa, span(length))
    lengths = [1 << layer for layer in range(depth(length))]
    words = witnesses(wfa, [*lengths, length] if lengths else [length])
    known = uniform(wfa, length)
    progress("saturating constant")
    needed = required_saturation(wfa, length, eps, known=known)
    smooth = (
        required_fineness(wfa, length, eps, activation, known) if activation in SMOOTH else None
    )
    hypotheses = [
        *sequences.theorem_one(wfa, length),
        *sequences.theorem_two(wfa, length, found, words[:-1], activation),
        _saturation(needed, eps),
        *sequences.families(wfa),
    ]
    megabytes = measure.memory(wfa, length) // 10**6
    progress(f"runs in floating point: about {megabytes} MB at most")
    run = Measured(wfa, length, needed, words[-1].word)
    return _answer(
        source,
        wfa,
        length,
        eps,
        hypotheses,
        constructions=tuple(sizes.for_sequences(wfa, length)),
        figures=(
            *_figures(wfa, length, eps, found, needed, run),
            *_smooth_figures(wfa, length, eps, activation, smooth, run),
        ),
        formats=tuple(_formats(wfa, length, eps, found, run)),
    )


WFA_CLAIMS = ("thm1.exact", "thm1.any-length", "thm2.exists", "thm2.choose", "thm2.frobenius")
WTA_CLAIMS = ("thm3.exists", "thm3.depth.arbitrary", "thm3.depth.balanced", "beyond.logdepth")


def citable(automaton: WFA | WTA, length: int) -> tuple[Citable, ...]:
    """The claims that speak of this automaton, each with its recorded verdict."""
    chosen = WFA_CLAIMS if isinstance(automaton, WFA) else WTA_CLAIMS
    padded = span(length) != length
    verdicts = recorded()
    return tuple(
        Citable(claim.id, claim.title, verdicts.get(claim.id, ""))
        for claim in CLAIMS
        if claim.id in chosen and (padded or claim.id != "thm1.any-length")
    )


def _answer(
    source: str,
    automaton: WFA | WTA,
    length: int,
    eps: Fraction,
    hypotheses: list[Hypothesis],
    **parts: tuple[object, ...],
) -> Answer:
    return Answer(
        source=source,
        kind="wfa" if isinstance(automaton, WFA) else "wta",
        states=automaton.n,
        alphabet=automaton.alphabet,
        length=length,
        eps=shown(eps),
        hypotheses=tuple(hypotheses),
        cite=citable(automaton, length),
        **parts,  # type: ignore[arg-type]
    )


def _saturation(needed: Saturation, eps: Fraction) -> Hypothesis:
    witness = (
        f"C = {_constant(needed.constant)} keeps the states of every word within {shown(eps)}; "
        f"the closed form asks {_constant(needed.closed_form)}"
    )
    return Hypothesis("Theorem 2", "a finite C for ε", Status.MET, witness, ("thm2.choose",))


def _constant(value: Fraction) -> str:
    """A saturating constant, rounded up to a whole number."""
    return str(ceil(value))


class Measured:
    """Runs of the built models on sampled words."""

    def __init__(self, wfa: WFA, length: int, needed: Saturation, worst: tuple[str, ...]) -> None:
        self.skipped = measure.too_large(wfa, length)
        if self.skipped:
            return
        self.words = measure.samples(wfa, length, [worst])
        self.truth = [measure.exact_states(wfa, word) for word in self.words]
        self.exact = theorem1.build(wfa, length)
        self.soft = theorem2.build(wfa, length, ceil(needed.constant) or 1)
        self.tokens = measure.embedded(self.exact, self.words)

    def error(self, dtype: str, soft: bool = False) -> float | None:
        """The largest error seen, or None where nothing was run."""
        if self.skipped:
            return None
        model = self.soft if soft else self.exact
        return measure.largest_error(model, DTYPES[dtype], self.tokens, self.truth)

    def text(self, error: float | None) -> str:
        """An error as text."""
        return self.skipped if error is None else f"{error:.3g}"

    def smooth_error(self, wfa: WFA, length: int, smooth: Fineness, activation: str) -> str:
        """The error of softmax and MLPs on one word, in balls."""
        reason = self.skipped or measure.too_many_units(wfa, length)
        if reason:
            return reason
        units = FourUnits.of(activation, smooth.bits)
        return at_most(measure.smooth_error(wfa, self.words[0], ceil(smooth.constant), units))


def _figures(
    wfa: WFA, length: int, eps: Fraction, found: Products, needed: Saturation, run: Measured
) -> Iterator[Figure]:
    yield Figure(
        "saturating constant C",
        _constant(needed.constant),
        f"soft attention with exact products stays within {shown(eps)} for all words",
        "certified",
    )
    yield Figure(
        "error of the soft model at this C",
        at_most(needed.error),
        f"Frobenius norm over {length + 1} states, exact arithmetic, all words",
        "certified",
    )
    yield Figure(
        "error of the soft model at this C, float64",
        run.text(run.error("float64", soft=True)),
        "the same on sampled words, rounding included",
        "measured",
    )
    yield Figure(
        "error of the exact model", "0", "exact arithmetic, all words", by_claim("thm1.exact")
    )
    bits = rounding.bits_for(wfa, length, found, ball(eps), MOST_BITS)
    yield Figure(
        "decimal digits",
        "unbounded" if bits is None else str(_digits(bits)),
        f"so many keep the exact model within {shown(eps)} for all words ({bits} bits)",
        "certified",
    )
    yield Figure(
        "decimal digits of a soft score",
        str(_digits(_score_bits(needed))),
        "so many keep every score C cos within 1",
        "certified",
    )


def _smooth_figures(
    wfa: WFA, length: int, eps: Fraction, activation: str, smooth: Fineness | None, run: Measured
) -> Iterator[Figure]:
    """What softmax and MLPs ask together; nothing where no MLP of this activation multiplies."""
    if smooth is None:
        return
    yield Figure(
        "saturating constant C, with MLPs",
        _constant(smooth.constant),
        f"softmax and MLPs of 4n³ = {4 * wfa.n**3} units stay within {shown(eps)} for all words",
        "certified",
    )
    yield Figure(
        "step of the MLPs",
        f"2^-{smooth.bits}",
        f"four {activation} units a product, in every layer",
        "certified",
    )
    yield Figure(
        "error of the soft model with MLPs",
        at_most(smooth.error),
        f"Frobenius norm over {length + 1} states, exact arithmetic, all words",
        "certified",
    )
    yield Figure(
        "error of the soft model with MLPs, balls",
        run.smooth_error(wfa, length, smooth, activation),
        "the same on one sampled word, enclosed",
        "measured",
    )


def _digits(bits: int) -> int:
    return ceil(bits * log10(2))


def _score_bits(needed: Saturation) -> int:
    """Bits p with C √2 γ_7 ≤ 1 for u = 2^-p: √2 · 7 · 1.001 < 10, and 10 C u / (1 - 7u) ≤ 1."""
    return (11 * max(1, ceil(needed.constant))).bit_length()


def _formats(
    wfa: WFA, length: int, eps: Fraction, found: Products, run: Measured
) -> Iterator[Format]:
    for precision in rounding.FORMATS:
        right = rounding.attention_is_right(precision, length)
        bound = rounding.state_error(precision, wfa, length, found) if right else flint.arb("inf")
        seen = run.error(precision.name)
        yield Format(
            precision.name,
            "certainly right" if right else "not certain",
            at_most(bound),
            run.text(seen),
            suffices(bool(bound <= ball(eps)), seen, eps),
        )


def _trees(wta: WTA, length: int, eps: Fraction, activation: str, source: str) -> Answer:
    found = state_bounds(wta, leaves_within(length))
    soft = Softened(wta, length, eps, activation)
    run = measure_trees.Measured(wta, length)
    hypotheses = [
        sequences.smooth_activation(wta.n, activation, trees.THREE),
        soft.hypothesis(),
        *trees.hypotheses(wta, length, found.largest()),
    ]
    known = soft.subjects.get("tree")
    return _answer(
        source,
        wta,
        length,
        eps,
        hypotheses,
        constructions=tuple(sizes.for_trees(wta, length)),
        figures=(*tree_figures.figures(length, eps, found, known, run), *soft.figures(run)),
        formats=tuple(tree_figures.formats(eps, found, known, run)),
    )
