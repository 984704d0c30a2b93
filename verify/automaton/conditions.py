"""The conditions of the theorems for one automaton, each with the number that decides it.

    conditions_met(automaton, 16)      all of them, as `assay conditions FILE --length 16` shows them
    of_words(…), of_trees(…)           those of an automaton whose norms and constants are known

`ROWS` lists every condition: its theorem, its name, its statements, and its row in the matrix of
conditions (empty for a conclusion). The errors beside Equation (1) are enclosed in balls, with softmax and
exact products, on some words: an error above the bound is certain, and one below decides nothing about
other words.

Notation      M the power of two at or above T; layer l multiplies products of 2^(l-1) maps
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice
from math import ceil

import flint

from constructions.automata.pebbling import most_steps
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.blocks.multiplication import relu_floor
from constructions.core.activations import PIECEWISE_LINEAR, SMOOTH
from constructions.theorem1 import depth, span
from constructions.theorem3 import greatest_height, most_leaves
from verify.automaton import rounding
from verify.automaton.limits import check
from verify.automaton.numbers import BITS, at_least, at_most, count, named, shown
from verify.automaton.report_data import Hypothesis, Status
from verify.automaton.soft import Softened
from verify.bounds import recursion
from verify.bounds.floating import FORMATS
from verify.bounds.growth import ProductNorms, Witness, products, witnesses
from verify.bounds.leak import gap
from verify.bounds.norms import largest
from verify.bounds.saturation import Fineness, Saturation, required_fineness, uniform_bounds
from verify.bounds.scaled import least_saturation
from verify.bounds.states import state_bounds
from verify.bounds.sweep import SweepRow, Word, chosen_words, row

ONE, TWO, THREE, EQUATION = "Theorem 1", "Theorem 2", "Theorem 3", "Equation (1)"
BEYOND = "Section 4.2, the open question"
ROWS = {
    "weights": (ONE, "real weights", ("def2.1",), "finite-alphabet"),
    "power": (ONE, "length a power of two", ("thm1.restated",), "power-of-two"),
    "padded": (ONE, "length a power of two", ("thm1.any-length",), "power-of-two"),
    "maximum": (ONE, "a unique maximum in every row of scores", ("thm1.saturated",), "one-maximum"),
    "floats": (
        ONE, "hard attention that float32 does not change", ("beyond.precision",), "real-numbers",
    ),
    "inputs": (TWO, "inputs of the MLP are bounded", ("thm4",), "bounded-set"),
    "constant": (TWO, "a finite C for ε", ("thm2.choose",), "growing-constant"),
    "readout": (TWO, "a readout that adds no error", ("thm2.proof",), "readout-factor"),
    "norms": (EQUATION, "norms at most 1", ("eq1",), "products"),
    "pads": (EQUATION, "identity pads no larger than the maps", ("eq1",), "norm-one"),
    "products": (
        EQUATION, "products at each layer as small as single maps", ("eq1", "thm2.error.m"), "products",
    ),
    "later": (EQUATION, "no attention error after layer 1", ("eq1",), "later-attention"),
    "errors": (EQUATION, "errors within Equation (1)", ("eq1",), ""),
    "binary": (THREE, "real weights, binary trees", ("def2.3", "tree.str"), "binary-trees"),
    "states": (THREE, "states are bounded", ("thm4",), "bounded-set"),
    "tree constant": (
        THREE, "a finite C for ε", ("thm3.saturation", "beyond.tree.soft"), "growing-constant",
    ),
    "depth": (THREE, "depth of order log T", ("thm3.depth", "thm3.comb"), "balanced-trees"),
    "all trees": (
        BEYOND, "O(log T) layers for arbitrary trees", ("thm3.question", "beyond.logdepth"),
        "balanced-trees",
    ),
}  # fmt: skip
DECAYED = 20  # C times the gap: softmax leaks about exp(-20)
MOST_WORDS, LONGEST_WORD = 16, 12
LONGEST = 128  # letters, for the errors
MOST_ENTRIES = 40_000  # entries of matrices at all positions of all words: about two seconds
PREPARATION = 2  # layers before the first parse layer
EPS = Fraction(1, 10**6)
Known = tuple[ProductNorms, list[Witness], Saturation, Fineness | None]


def decided(key: str, status: Status, witness: str) -> Hypothesis:
    """Return a row of `ROWS` with its status and the number that decides it."""
    theorem, name, statements, condition = ROWS[key]
    return Hypothesis(theorem, name, status, witness, statements, condition)


def conditions_met(
    automaton: WFA | WTA, length: int, activation: str = "gelu", eps: Fraction = EPS
) -> tuple[Hypothesis, ...]:
    """Return the conditions that concern an automaton at a length, each with what decides it.

    Examples:
        >>> from constructions.automata.families import counting
        >>> [each.status.value for each in conditions_met(counting(), 4) if each.condition == "products"]
        ['not met', 'not met']

    """
    check(automaton, length, eps, activation)
    with flint.ctx.workprec(BITS):
        if isinstance(automaton, WTA):
            return of_trees(automaton, Softened(automaton, length, eps, activation))
        found, known = products(automaton, span(length)), uniform_bounds(automaton, length)
        needed = least_saturation(automaton, length, eps, known)
        smooth = activation in SMOOTH
        fine = required_fineness(automaton, length, eps, activation, known) if smooth else None
        words = witnesses(automaton, [1 << layer for layer in range(depth(length))])
        return of_words(automaton, length, activation, eps, (found, words, needed, fine))


def of_words(
    automaton: WFA, length: int, activation: str, eps: Fraction, known: Known
) -> tuple[Hypothesis, ...]:
    """Return the conditions of Theorems 1 and 2 and of Equation (1), from norms, C and step."""
    found, words, needed, smooth = known
    return (
        _weights(automaton),
        _length(length),
        _one_maximum(length),
        _floats(length),
        smooth_activation(automaton.n, activation, TWO),
        _bounded_inputs(length, found),
        _contractive(found),
        _pads(found),
        _products(length, found, words),
        *_errors(automaton, length, words),
        _saturation(needed, smooth, eps, activation),
        _readout(automaton, length),
    )


def of_trees(automaton: WTA, soft: Softened) -> tuple[Hypothesis, ...]:
    """Return the conditions of Theorem 3, and of the question that Section 4.2 leaves open."""
    leaves, tall = most_leaves(soft.length), greatest_height(soft.length)
    size = largest(state_bounds(automaton, leaves).largest())
    return (
        smooth_activation(automaton.n, soft.activation, THREE),
        _tree_constant(soft),
        decided(
            "binary",
            Status.MET,
            f"{count(automaton.n, 'state')}, {count(len(automaton.alphabet), 'leaf symbol')}; "
            f"|str(t)| = 3N - 2 ≤ {soft.length} allows {leaves} leaves at most",
        ),
        decided(
            "states",
            Status.MET,
            f"no entry of a state exceeds {at_most(size)}, over all these trees",
        ),
        balanced(leaves, tall),
        decided(
            "all trees",
            Status.MET,
            f"{PREPARATION} + {most_steps(leaves)} layers for every tree with at most {leaves} "
            f"leaves, where Theorem 3 takes {PREPARATION} + {tall}",
        ),
    )


def _weights(automaton: WFA) -> Hypothesis:
    top = max(abs(w) for rows in automaton.transitions.values() for row in rows for w in row)
    witness = (
        f"{count(automaton.n, 'state')}, {count(len(automaton.alphabet), 'symbol')}, exact "
        f"rationals; the largest weight of a map is {shown(top)}"
    )
    return decided("weights", Status.MET, witness)


def _length(length: int) -> Hypothesis:
    padded = span(length)
    layers = f"{count(depth(length), 'layer')} on {2 * padded} tokens"
    if padded == length:
        return decided("power", Status.MET, f"T = {length} is a power of two: {layers}")
    witness = (
        f"T = {length} is padded to {padded}, as the paper's remark allows: ⌈log2 T⌉ = {layers}"
    )
    return decided("padded", Status.NOT_NEEDED, witness)


def _one_maximum(length: int) -> Hypothesis:
    ahead = f"1 - cos(π/{span(length)}) ≥ {at_least(gap(span(length)))}"
    return decided("maximum", Status.MET, f"the right score beats the next by {ahead}")


def _floats(length: int) -> Hypothesis:
    """Rounded scores keep their largest entry if twice their error is below the gap."""
    right = [each.name for each in FORMATS if rounding.attention_is_right(each, length)]
    ahead = f"1 - cos(π/{span(length)}) ≥ {at_least(gap(span(length)))}"
    enough = f"certainly enough in {', '.join(right)}" if right else "too little in every format"
    status = Status.MET if "float32" in right else Status.NOT_MET
    return decided("floats", status, f"the right score is ahead by {ahead}: {enough}")


def smooth_activation(n: int, activation: str, theorem: str) -> Hypothesis:
    """Return the condition that an MLP with this activation can multiply at a fixed width."""
    linear = activation in PIECEWISE_LINEAR
    statements = ("thm4", "beyond.mlp.relu-lower") if linear else ("thm4",)
    if linear:
        floor = relu_floor(4 * n**3)
        status = Status.CANNOT
        witness = (
            f"{named(activation)} is piecewise linear: {4 * n**3} units miss x² on [0, 1] by at "
            f"least {floor}, however they are chosen"
        )
    else:
        point, status = SMOOTH[activation].point, Status.MET
        witness = f"{named(activation)} has a second derivative other than 0 at {point}"
    name = "activation smooth at a point"
    return Hypothesis(theorem, name, status, witness, statements, "curved-activation")


def _bounded_inputs(length: int, found: ProductNorms) -> Hypothesis:
    witness = (
        f"no product of at most {span(length)} factors, maps or identity pads (norm 1), has a norm "
        f"above {_norm(found.up_to(span(length)), found)}"
    )
    return decided("inputs", Status.MET, witness)


def _contractive(found: ProductNorms) -> Hypothesis:
    symbol, size = max(found.single.items(), key=lambda pair: pair[1].lower())
    if found.contractive:
        top = _norm(found.largest, found)
        witness = f"I - AᵀA is positive semidefinite for every map; the largest norm is ≤ {top}"
        return decided("norms", Status.MET, witness)
    if size > 1:
        witness = f"‖A^σ‖₂ ≥ {at_least(size)} for σ = {symbol}"
        return decided("norms", Status.NOT_MET, witness)
    return decided("norms", Status.UNDECIDED, _too_many(found))


def _too_many(found: ProductNorms) -> str:
    """Explain why a hypothesis on the norms of the maps is not decided."""
    return f"‖A^σ‖₂ is at most {at_most(found.largest)}; too many states to decide"


def _norm(bound: flint.arb, found: ProductNorms) -> str:
    """Write a norm's upper bound: exactly 1 where contractions leave a ball around 1."""
    return "1" if found.contractive and not bound < 1 else at_most(bound)


def _pads(found: ProductNorms) -> Hypothesis:
    """Compare the pads, factors of norm 1, with the maps: M must count the largest."""
    if found.largest > 1 or (found.contractive and found.reaches_one):
        witness = "some map has a norm of at least 1, that of the pads"
        return decided("pads", Status.MET, witness)
    if found.contractive:
        top = _norm(found.largest, found)
        witness = f"pads have norm 1, every map at most {top}: M is too small"
        return decided("pads", Status.NOT_MET, witness)
    return decided("pads", Status.UNDECIDED, _too_many(found))


def _products(length: int, found: ProductNorms, words: list[Witness]) -> Hypothesis:
    """Equation (1) takes max ‖A^σ‖₂ for the norm of every factor; layer l has longer factors."""
    for layer, witness in enumerate(words, start=1):
        if witness.lower > found.largest.upper():
            text = (
                f"layer {layer}: ‖A^w‖₂ ≥ {at_least(witness.lower)} for w = "
                f"{written(witness.word)}, single maps at most {at_most(found.largest)}"
            )
            return decided("products", Status.NOT_MET, text)
    bounds = [found.bounds[1 << layer] for layer in range(depth(length))]
    per_layer = ", ".join(_norm(bound, found) for bound in bounds)
    text = f"largest norms of factors, layer by layer: {per_layer or 'no layer'}"
    small = found.contractive or all(bound <= found.largest.lower() for bound in bounds[1:])
    return decided("products", Status.MET if small else Status.UNDECIDED, text)


def written(word: tuple[str, ...]) -> str:
    """Write a word in full if it is short, as a power if it has one letter only."""
    if len(set(word)) == 1 and len(word) > 1:
        return f"{word[0]}^{len(word)}"
    start = " ".join(islice(word, LONGEST_WORD))
    return start if len(word) <= LONGEST_WORD else f"{start} … ({len(word)} letters)"


def _saturation(
    needed: Saturation, smooth: Fineness | None, eps: Fraction, activation: str
) -> Hypothesis:
    witness = (
        f"with exact products, C = {ceil(needed.constant)} keeps the states of every word within "
        f"{shown(eps)} (the closed-form bound would require C = {ceil(needed.closed_form)})"
    )
    if smooth is not None:
        witness += f"; with {named(activation)} MLPs, C = {ceil(smooth.constant)} does"
    return decided("constant", Status.MET, witness)


def _tree_constant(soft: Softened) -> Hypothesis:
    """Return whether a finite C, and a step for the MLPs, were found for Theorem 3."""
    if "tree" not in soft.found:
        return decided("tree constant", Status.UNDECIDED, soft.reason)
    found = soft.found["tree"]
    mlps = "" if found.fineness is None else f" and MLPs with h = 2^-{found.fineness}"
    witness = (
        f"C = {found.saturation}{mlps} keep every state of every tree within {shown(soft.eps)}"
    )
    return decided("tree constant", Status.MET, witness)


def _readout(automaton: WFA, length: int) -> Hypothesis:
    """The printed proof bounds products; states differ by at most this factor more."""
    factor = recursion.readout_factor(automaton, length)
    if factor <= 1:
        status, size = Status.MET, f"at most {at_most(factor)}"
    elif factor > 1:
        status, size = Status.NOT_MET, f"at least {at_least(factor)}"
    else:
        status, size = Status.UNDECIDED, f"about {at_most(factor)}"
    witness = f"errors of states are up to ‖α‖ √(T+1) times those of products, which is {size}"
    return decided("readout", status, witness)


def balanced(leaves: int, tall: int) -> Hypothesis:
    """Depth of order log T: true for all trees of this length only if all of them are balanced."""
    low = (leaves - 1).bit_length()
    if tall <= low:
        witness = f"every tree with at most {leaves} leaves has height at most ⌈log2 {leaves}⌉"
        return decided("depth", Status.MET, witness)
    witness = (
        f"the comb with {leaves} leaves has height {tall}, balanced trees have {low}: "
        f"{PREPARATION + tall} layers for all trees, {PREPARATION + low} for balanced ones"
    )
    return decided("depth", Status.NOT_MET, witness)


def _errors(automaton: WFA, length: int, words: Sequence[Witness]) -> Iterator[Hypothesis]:
    """Yield the errors of the soft model in balls, beside Equation (1)."""
    chosen = _sampled(automaton, length, words)
    if depth(length) < 1:
        yield decided("errors", Status.MET, "the model has no layer")
    elif not chosen:
        yield decided("errors", Status.UNDECIDED, "too much to compute")
    else:
        constant = Fraction(ceil(DECAYED / float(gap(span(length)).mid())))
        seen = row(automaton, chosen, length, constant)
        with flint.ctx.workprec(seen.run.bits):
            yield _later(seen)
            yield _exceeded(seen, len(chosen))


def _sampled(automaton: WFA, length: int, words: Sequence[Witness]) -> list[Word]:
    """Choose words of a sweep that take about two seconds together, those with large products first."""
    if length > LONGEST:
        return []
    large = [(one.word * length)[:length] for one in words]
    every = dict.fromkeys([*reversed(large), *chosen_words(automaton, length, MOST_WORDS)[0]])
    most = MOST_ENTRIES // (automaton.n**2 * span(length))
    return list(every)[: min(most, MOST_WORDS)]


def _later(seen: SweepRow) -> Hypothesis:
    """Compare the attention errors of later layers with that of the first."""
    first, *later = [layer.attention for layer in seen.run.layers]
    worst = max(later, key=lambda share: float(share.mid()), default=flint.arb(0))
    if worst > 0 and first > 0:
        text = f"in a later layer it is at least {at_least(worst / first)} times that of layer 1"
        return decided("later", Status.NOT_MET, text)
    if worst > 0:
        return decided(
            "later", Status.NOT_MET, f"it is at least {at_least(worst)} in a later layer"
        )
    if not later:
        return decided("later", Status.MET, "there is one layer")
    return decided("later", Status.UNDECIDED, "none was found on the words looked at")


def _exceeded(seen: SweepRow, words: int) -> Hypothesis:
    """Return the largest ratio of an error to Equation (1), over layers."""
    pairs = zip(seen.errors, seen.printed, strict=True)
    ratios = [error / bound for error, bound in pairs if bound > 0]
    constant = f"C = {seen.run.saturation}, exact products, {count(words, 'word')}"
    if not ratios:
        return decided("errors", Status.UNDECIDED, f"no error was found ({constant})")
    worst = max(ratios, key=lambda ratio: float(ratio.mid()))
    if worst > 1:
        text = f"an error is at least {at_least(worst)} times the printed bound ({constant})"
        return decided("errors", Status.NOT_MET, text)
    text = f"no error found exceeds {at_most(worst)} times the printed bound ({constant})"
    return decided("errors", Status.UNDECIDED, text)
