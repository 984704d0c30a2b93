"""The parts of a report on an automaton over words and on one over trees, as the same attributes.

    Words    the models of Theorems 1 and 2: exact, and soft with exact products or with MLPs
    Trees    Theorem 3's model and the log-depth model, each hard and soft

`report` reads only the attributes that both have, so that there is one path from an automaton to its report.

    models      names of the models with hard attention
    printed     the printed argument that the report comments on
    together    whether an error adds up over the states of a word (the norm of Definition 3.2)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import ceil

import flint

from constructions.automata.pebbling import most_steps
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.activations import SMOOTH
from constructions.theorem1 import depth, span
from constructions.theorem3 import most_leaves
from verify.automaton import (
    conditions,
    decoders,
    float_runs,
    rounding,
    sentence,
    sizes,
)
from verify.automaton.citations import by_statement
from verify.automaton.numbers import at_most, named, shown
from verify.automaton.precision import exact_lengths
from verify.automaton.report_data import (
    Construction,
    Hypothesis,
    Quantity,
    SafeLength,
    certified,
    measured,
)
from verify.automaton.rounding_exact import rounded_tree_error
from verify.automaton.significance import sizes_of
from verify.automaton.soft import Softened
from verify.bounds.floating import Precision
from verify.bounds.growth import listed_products, witnesses
from verify.bounds.norms import largest
from verify.bounds.saturation import Fineness, required_fineness, uniform_bounds
from verify.bounds.scaled import least_saturation, scaled_products
from verify.bounds.states import state_bounds

Progress = Callable[[str], None]
Rounded = tuple[bool, str, flint.arb]


class Words:
    """An automaton over words at a length, with bounds that hold for all words."""

    models, printed, together = ("exact",), "eq1", True

    def __init__(
        self, wfa: WFA, length: int, eps: Fraction, activation: str, progress: Progress
    ) -> None:
        self.automaton, self.length, self.eps, self.activation = wfa, length, eps, activation
        progress("norms of products")
        self.norms = listed_products(wfa, span(length))
        layers = [1 << layer for layer in range(depth(length))]
        *self.large, longest = witnesses(wfa, [*layers, length])
        self.known = uniform_bounds(wfa, length)
        progress("saturating constant")
        self.needed = least_saturation(wfa, length, eps, self.known)
        self.smooth = (
            required_fineness(wfa, length, eps, activation, self.known)
            if activation in SMOOTH
            else None
        )
        progress("decoder")
        self.decoder = decoders.for_words(wfa, length, eps)
        progress("runs in floating point")
        self.words = float_runs.samples(wfa, length, [longest.word])
        self.run = float_runs.word_run(wfa, length, self.words)
        self.scaled, self.sizes = scaled_products(wfa, length), sizes_of(wfa, length)

    @property
    def certified(self) -> bool:
        """Return whether softmax and MLPs certainly stay within ε."""
        return self.smooth is not None

    @property
    def sentence(self) -> str:
        """The report in one sentence."""
        asked = self.automaton, self.length, self.eps, self.activation
        return sentence.for_words(*asked, self.needed, self.smooth)

    @property
    def cited(self) -> tuple[str, ...]:
        """The statements that speak of this automaton with these options."""
        padded = ("thm1.any-length",) if span(self.length) != self.length else ()
        smooth = ("thm2", "thm4") if self.activation in SMOOTH else ()
        return ("thm1", *padded, *smooth, "beyond.nopads")

    def conditions(self) -> tuple[Hypothesis, ...]:
        """The conditions of Theorems 1 and 2."""
        known = self.norms, self.large, self.needed, self.smooth
        return conditions.of_words(self.automaton, self.length, self.activation, self.eps, known)

    def constructions(self) -> Iterator[Construction]:
        """The sizes of Theorems 1 and 2."""
        return sizes.for_sequences(self.automaton, self.length)

    def quantities(self) -> Iterator[Quantity]:
        """Return every constant and error."""
        within = f"within {shown(self.eps)} for all words"
        states = f"Frobenius norm over {self.length + 1} states, exact arithmetic, all words"
        seen = self.run.error("exact", "float64", ceil(self.needed.constant) or 1)
        yield certified(
            "saturating constant C",
            whole(self.needed.constant),
            f"soft attention with exact products stays {within}",
        )
        yield certified("error of the soft model at this C", at_most(self.needed.error), states)
        yield measured(
            "error of the soft model at this C, float64",
            float_runs.text(self.run, seen),
            "sampled words; float64 rounds, which the certificate leaves out",
        )
        what = "exact arithmetic, all words"
        yield Quantity("error of the exact model", "0", what, by_statement("thm1"))
        if self.smooth is not None:
            yield from self._smooth(self.smooth, within, states)

    def _smooth(self, smooth: Fineness, within: str, states: str) -> Iterator[Quantity]:
        """Constants and errors of softmax and MLPs together."""
        units = 4 * self.automaton.n**3
        yield certified(
            "saturating constant C, with MLPs",
            whole(smooth.constant),
            f"softmax and MLPs of 4n³ = {units} units stay {within}",
        )
        yield certified(
            "step of the MLPs",
            f"2^-{smooth.bits}",
            f"four {named(self.activation)} units a product, in every layer",
        )
        yield certified("error of the soft model with MLPs", at_most(smooth.error), states)

    def rounded(self, name: str, form: Precision) -> Rounded:
        """Return whether attention is certainly right in a format, the range, and the error of the states."""
        right = rounding.attention_is_right(form, self.length)
        error = rounding.state_error(form, self.automaton, self.length, self.norms, self.scaled)
        if not error.is_finite():
            range_ = "may overflow"
        elif rounding.nothing_vanishes(form, self.automaton, self.length):
            range_ = "no overflow, no underflow"
        else:
            range_ = "no overflow; may underflow to 0"
        return right, range_, error if right else flint.arb("inf")

    def safe(self) -> tuple[SafeLength, ...]:
        """The lengths up to which each format stays within ε."""
        return exact_lengths(self.automaton, self.length, self.eps, self.sizes)


def whole(value: Fraction) -> str:
    """A saturating constant, rounded up to a whole number."""
    return str(ceil(value))


class Trees:
    """A tree automaton at a length, with bounds that hold for all trees."""

    models, printed, together = ("tree", "logdepth"), "thm3.proof", False

    def __init__(
        self, wta: WTA, length: int, eps: Fraction, activation: str, progress: Progress
    ) -> None:
        self.automaton, self.length, self.eps, self.activation = wta, length, eps, activation
        progress("states of all trees, and runs in floating point")
        self.states = state_bounds(wta, most_leaves(length))
        self.soft = Softened(wta, length, eps, activation)
        self.run = float_runs.tree_run(wta, length)
        self.built = tuple(sizes.for_trees(wta, length))
        self.decoder = decoders.for_trees(wta, length, eps)
        self.sizes = sizes_of(wta, length, largest_entry=True)

    @property
    def certified(self) -> bool:
        """Return whether softmax and MLPs certainly stay within ε."""
        known = self.soft.found.get("tree")
        return known is not None and known.fineness is not None

    @property
    def sentence(self) -> str:
        """The report in one sentence."""
        return sentence.for_trees(self.automaton, self.length, self.eps, self.built, self.soft)

    @property
    def cited(self) -> tuple[str, ...]:
        """The statements that speak of this automaton with these options."""
        smooth = ("thm4",) if self.activation in SMOOTH else ()
        return ("thm3", *smooth, "cor1", "beyond.logdepth")

    def conditions(self) -> tuple[Hypothesis, ...]:
        """The conditions of Theorem 3."""
        return conditions.of_trees(self.automaton, self.soft)

    def constructions(self) -> tuple[Construction, ...]:
        """The sizes of Theorem 3's model and of the log-depth model."""
        return self.built

    def quantities(self) -> Iterator[Quantity]:
        """Layers, and errors of the exact models and of the soft ones."""
        leaves = most_leaves(self.length)
        for name, count, bound, statement in (
            ("tree", leaves - 1, "its height, and two", "thm3.depth"),
            ("log-depth", most_steps(leaves), "Padovan bound, and two", "beyond.logdepth.encoder"),
        ):
            meaning = f"for every tree with |str(t)| ≤ {self.length}: {bound}"
            layers = str(conditions.PREPARATION + count)
            title = f"layers, {name} construction"
            yield Quantity(title, layers, meaning, by_statement(statement))
        both = by_statement("thm3", "beyond.logdepth.encoder")
        meaning = "hard attention, exact arithmetic, all trees"
        yield Quantity("error of both models", "0", meaning, both)
        size = at_most(largest(self.states.largest()))
        yield certified("largest entry of a state", size, "over all trees of that length")
        for name in self.models:
            yield measured(
                f"error of the {name} model, float64",
                float_runs.text(self.run, self.run.error(name, "float64")),
                f"largest entry, {self.run.count} sampled trees",
            )
        yield from self.soft.quantities(self.run)

    def rounded(self, name: str, form: Precision) -> Rounded:
        """Return whether heads are certainly right in a format, the range, and the error of the states."""
        known = self.soft.subjects.get(name)
        bound = None
        if known is not None:
            bound = rounded_tree_error(name, form, self.states, known)
        error = flint.arb("inf") if bound is None else bound
        range_ = "no overflow; may underflow to 0" if error.is_finite() else "not certain"
        return bound is not None, range_, error

    def safe(self) -> tuple[SafeLength, ...]:
        """The lengths up to which each format stays within ε: not computed for trees."""
        return ()
