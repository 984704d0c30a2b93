"""The significance of a certified error: its size beside the sizes of the states.

Sizes         the greatest state after t letters over all words, certified; the least one certified where
              `verify.bounds.state_sizes` has a bound above 0, else the least that was measured on words
Vacuous       from t on, if every state after t letters or more is at most the error: a model that
              answers 0 there meets the certificate too. Errors in the norm of Definition 3.2 add up over
              all positions, so there the whole rest of the word must be at most the error
Words         those of `inputs.small_words`; what is seen bounds nothing
Relative      an error ε of a state of size at least W is at most ε / W of it
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, islice

import flint

from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.exact import ball
from constructions.exports.built_model import ErrorScale
from constructions.theorem3 import most_leaves
from verify.automaton.inputs import small_words
from verify.automaton.numbers import at_least, at_most, shown
from verify.bounds.norms import matrix
from verify.bounds.state_sizes import BITS, SizeBounds, is_nonnegative, tree_sizes, word_sizes

Errors = Mapping[str, flint.arb]
MOST_WORK = 1 << 22  # products of balls to look for small states with: about a second
CERTIFIED, SEEN = "certified", "seen on words, not certified"
RELATIVE = (
    "For relative accuracy take --construction exact: without negative weights, every number of Theorem 1's "
    "module keeps its digits as long as nothing underflows (assay precision FILE --lengths A:B). Where "
    "weights are probabilities, --head next --format olmo2 gives the distribution of the next symbol from a "
    "normalised stream, whose accuracy does not fall with p(w), certified in total variation."
)
KEEPS = (
    "Relative accuracy is kept nevertheless: without negative weights, every number of this module keeps its "
    "digits as long as nothing underflows (assay precision FILE --lengths A:B)."
)


@dataclass(frozen=True)
class StateSizes:
    """Bounds for every t, and what was seen where there is no lower bound above 0."""

    bounds: SizeBounds
    seen: tuple[flint.arb, ...] | None
    unit: str
    noun: str

    @property
    def length(self) -> int:
        """T, or the most leaves."""
        return len(self.bounds.greatest) - 1

    def least(self, t: int) -> tuple[flint.arb | None, str]:
        """The least size after t letters, with its evidence; none where nothing is known."""
        if self.bounds.least[t] > 0:
            return self.bounds.least[t], CERTIFIED
        if self.seen is None:
            return None, "not known"
        return self.seen[t], SEEN

    def tails(self, together: bool) -> list[flint.arb]:
        """Return for each t the size of all states from t on: the largest, or all together."""
        backwards = [size * size if together else size for size in reversed(self.bounds.greatest)]
        add = (lambda a, b: a + b) if together else flint.arb.max
        found = list(accumulate(backwards, add))[::-1]
        return [size.sqrt().upper() if together else size.upper() for size in found]

    def empty_from(self, error: flint.arb, together: bool = False) -> int | None:
        """The first t from which on the answer 0 certainly meets the error, on all words."""
        tails = self.tails(together)
        return next((t for t, size in enumerate(tails) if size <= error), None)

    def doubtful_from(self, error: flint.arb) -> int | None:
        """The first t from which on some state that was seen is at most the error."""
        if self.seen is None:
            return None
        sizes = list(accumulate(reversed(self.seen), flint.arb.max))[::-1]
        return next((t for t, size in enumerate(sizes) if size <= error), None)

    def relative(self, error: flint.arb) -> flint.arb | None:
        """The error relative to every state, where all have a certified least size."""
        least = self.bounds.least[1:] if self.unit == "leaves" else self.bounds.least
        if not all(bool(size > 0) for size in least):
            return None
        return max((error / size).upper() for size in least)


def sizes_of(automaton: WFA | WTA, length: int, weights: bool = False,
             largest_entry: bool = False) -> StateSizes:  # fmt: skip
    """Return the sizes of the states of all words, or of all trees, up to a length."""
    if isinstance(automaton, WTA):
        bounds = tree_sizes(automaton, most_leaves(length), largest_entry)
        return StateSizes(bounds, None, "leaves", "state of a tree")
    bounds, seen = word_sizes(automaton, length, weights), smallest_seen(automaton, length, weights)
    return StateSizes(bounds, seen, "letters", "weight" if weights else "state")


def smallest_seen(automaton: WFA, length: int, weights: bool) -> tuple[flint.arb, ...]:
    """The least nonzero size after each number of letters, over the chosen words; 0 where all are 0."""
    count = max(1, MOST_WORK // ((length + 1) * (automaton.n**2 + 64)))
    with flint.ctx.workprec(BITS):
        words = islice(small_words(automaton, length), count)
        columns = zip(*(prefix_sizes(automaton, word, weights) for word in words), strict=True)
        return tuple(_least_nonzero(sizes) for sizes in columns)


def _least_nonzero(sizes: Sequence[flint.arb]) -> flint.arb:
    return min((size for size in sizes if size > 0), default=flint.arb(0))


def prefix_sizes(automaton: WFA, word: Sequence[str], weights: bool) -> Iterator[flint.arb]:
    """An upper bound on the size of the state after each prefix; 0 only where it is 0 in balls."""
    maps = {symbol: matrix(rows) for symbol, rows in automaton.transitions.items()}
    state = matrix((automaton.alpha,))
    final = matrix((automaton.beta,)).transpose()
    for symbol in (None, *word):
        state = state if symbol is None else state * maps[symbol]
        row = (state * final if weights else state).entries()
        total = sum((x * x for x in row), flint.arb(0))
        yield total.nonnegative_part().sqrt().upper()


def scale_of(
    automaton: WFA | WTA,
    sizes: StateSizes,
    errors: Errors,
    together: bool = False,
    keeps: bool = False,
) -> ErrorScale:
    """Return the sizes to show beside certified errors, and sentences on what these do not say.

    `keeps` says that they are of the model that keeps relative accuracy itself.
    """
    t, worst = sizes.length, max(errors.values())
    with flint.ctx.workprec(BITS):
        said = (_emptiness(sizes, error, text, together) for text, error in errors.items())
        lines = (_range(sizes), *said, advice(automaton, sizes, worst, keeps))
        least, greatest = least_text(sizes, t), at_most(sizes.bounds.greatest[t])
    return ErrorScale(least, sizes.least(t)[1], greatest, tuple(line for line in lines if line))


def _range(sizes: StateSizes) -> str:
    """The least and the greatest size at the full length."""
    t = sizes.length
    evidence = sizes.least(t)[1]
    unit = {"letters": "letter", "leaves": "leaf"}[sizes.unit] if t == 1 else sizes.unit
    return (
        f"Size of the {sizes.noun} after {t} {unit}: from {least_text(sizes, t)} ({evidence}) to "
        f"{at_most(sizes.bounds.greatest[t])} (certified)."
    )


def least_text(sizes: StateSizes, t: int) -> str:
    """The least size as text: a lower bound rounded down, or what was seen."""
    least, evidence = sizes.least(t)
    if least is None:
        return "an unknown size"
    return at_least(least) if evidence == CERTIFIED else at_most(least)


def _emptiness(sizes: StateSizes, error: flint.arb, text: str, together: bool) -> str:
    """Return the length from which the answer 0 would meet the error too, or the relative error."""
    if not error > 0:
        return ""
    if (t := sizes.empty_from(error, together)) is not None:
        return (
            f"From t = {t} {sizes.unit} on the answer 0 would meet the error {text} too, on every input: "
            "there the certificate says nothing."
        )
    if (t := sizes.doubtful_from(error)) is not None:
        return (
            f"From t = {t} {sizes.unit} on the answer 0 would meet the error {text} too on some inputs that "
            "were seen."
        )
    share = sizes.relative(error)
    if share is not None and share < 1:
        return f"Relative to the size of the {sizes.noun} the error is at most {at_most(share)}."
    return ""


def is_empty(sizes: StateSizes, error: flint.arb) -> bool:
    """Return whether some state, certainly or as far as was seen, is no larger than the error."""
    if not error > 0:
        return False
    least = [sizes.least(t)[0] for t in range(sizes.length + 1)]
    return any(size is not None and bool(size <= error) for size in least)


def advice(automaton: WFA | WTA, sizes: StateSizes, error: flint.arb, keeps: bool = False) -> str:
    """Name a construction that keeps relative accuracy, if this error does not imply it."""
    if isinstance(automaton, WTA) or not is_empty(sizes, error) or not is_nonnegative(automaton):
        return ""
    return KEEPS if keeps else RELATIVE


def relative_sentence(error: flint.arb, weight: Fraction, where: str) -> str:
    """The error relative to a state's own size, on words above a stated weight."""
    with flint.ctx.workprec(BITS):
        share, size = error / ball(weight), shown(weight)
        if not share < 1:
            return (
                f"No relative error is certified {where}: {at_most(error)} is no less than {size}."
            )
        return (
            f"Relative error {where}: at most {at_most(share)} on every input whose size is at least "
            f"{size}; below, nothing is claimed."
        )
