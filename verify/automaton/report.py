"""From an automaton, a length and an ε to the answer.

    report(automaton, 64, Fraction(1, 10**6))

Everything that is called certified holds for all words (or trees) of the length; what is called
measured was seen on sampled ones. `certified` of the answer says whether softmax and units of the asked
activation were certified to stay within ε.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import flint

from constructions import theorem1
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.activations import SMOOTH
from constructions.core.errors import InputError
from constructions.core.exact import ball
from constructions.theorem1 import depth, span
from constructions.theorem3 import most_leaves
from verify.automaton import (
    classes,
    conditions,
    decoders,
    pictures,
    quantities,
    runs,
    sentence,
    sizes,
    tree_hypotheses,
    tree_quantities,
    word_hypotheses,
)
from verify.automaton.citation_status import as_printed, citable
from verify.automaton.numbers import BITS, shown
from verify.automaton.precision import exact_lengths
from verify.automaton.report_data import AutomatonReport
from verify.automaton.significance import relative_sentence, scale_of, sizes_of
from verify.automaton.soft import Softened
from verify.bounds.growth import products, witnesses
from verify.bounds.reachable import reachable_bounds
from verify.bounds.saturation import required_fineness, uniform_bounds
from verify.bounds.scaled import least_saturation, scaled_products
from verify.display.progress import silent

LONGEST = 4096
EPS = Fraction(1, 10**6)
SMALLEST_EPS = Fraction(1, 10**1000)


def report(
    automaton: WFA | WTA,
    length: int,
    eps: Fraction = EPS,
    activation: str = "gelu",
    source: str = "",
    progress: Callable[[str], None] = silent,
    relative: Fraction | None = None,
) -> AutomatonReport:
    """What the theorems give an automaton at a length; `progress` is called with the name of each part.

    With `relative`, a size W, ε is relative to states of size W and more: ε W is kept.

    Examples:
        >>> from constructions.automata.families import counting
        >>> report(counting(), 4).sentence.partition(";")[0]
        'Your 2-state weighted automaton is simulated exactly by 2 layers of width 10 at T = 4'

    """
    eps = eps if relative is None else eps * relative
    check(length, eps, activation)
    with flint.ctx.workprec(BITS):
        if isinstance(automaton, WFA):
            answer = _sequences(automaton, length, eps, activation, source, progress)
        else:
            progress("states of all trees, and runs in floating point")
            answer = _trees(automaton, length, eps, activation, source)
    return answer if relative is None else _relative(answer, eps, relative)


def _relative(answer: AutomatonReport, eps: Fraction, weight: Fraction) -> AutomatonReport:
    """The answer with the sentence on relative errors."""
    line = relative_sentence(ball(eps), weight, "in exact arithmetic")
    scale = replace(answer.scale, sentences=(*answer.scale.sentences, line))
    return replace(answer, scale=scale)


def check(length: int, eps: Fraction, activation: str) -> None:
    """Refuse a length, an ε or an activation that no answer is given for."""
    theorem1.check_length(length)
    if length > LONGEST:
        raise InputError("length", length, f"at most {LONGEST}")
    if eps < SMALLEST_EPS:
        raise InputError("eps", shown(eps), "a number of at least 1e-1000")
    if activation not in word_hypotheses.ACTIVATIONS:
        known = ", ".join(word_hypotheses.ACTIVATIONS)
        raise InputError("activation", activation, f"one of {known}")


def _sequences(
    wfa: WFA,
    length: int,
    eps: Fraction,
    activation: str,
    source: str,
    progress: Callable[[str], None],
) -> AutomatonReport:
    progress("norms of products")
    found = products(wfa, span(length))
    lengths = [1 << layer for layer in range(depth(length))]
    words = witnesses(wfa, [*lengths, length] if lengths else [length])
    known = uniform_bounds(wfa, length)
    progress("saturating constant")
    needed = least_saturation(wfa, length, eps, known)
    smooth = (
        required_fineness(wfa, length, eps, activation, known) if activation in SMOOTH else None
    )
    progress("decoder")
    gpt = decoders.for_words(wfa, length, eps, known)
    progress(f"runs in floating point: about {runs.memory(wfa, length) // 10**6} MB at most")
    sample = runs.samples(wfa, length, [words[-1].word])
    run = runs.sequence_run(wfa, length, needed, sample)
    scaled, beside = scaled_products(wfa, length), sizes_of(wfa, length)
    asked = quantities.Asked(
        wfa, length, eps, activation, found, scaled, needed, smooth, run, sample[0]
    )
    return AutomatonReport(
        sentence=sentence.for_words(wfa, length, eps, activation, needed, smooth),
        certified=smooth is not None,
        **_head(wfa, length, eps, activation, source),
        hypotheses=conditions.of_words(
            wfa, length, activation, eps, (found, words[:-1], needed, smooth)
        ),
        classes=tuple(classes.classes(wfa)),
        constructions=(*sizes.for_sequences(wfa, length), decoders.construction(gpt)),
        quantities=(*quantities.quantities(asked), *decoders.quantities(gpt, eps)),
        formats=tuple(quantities.formats(asked)),
        scale=scale_of(wfa, beside, {shown(eps): ball(eps)}, together=True),
        safe=exact_lengths(wfa, length, eps, beside),
        curves=pictures.word_curves(wfa, length, needed, known),
        picture=pictures.word_picture(wfa, length, sample[0]),
        cite=citable(cited(wfa, length, activation)),
        printed=as_printed("eq1"),
    )


def _head(
    automaton: WFA | WTA, length: int, eps: Fraction, activation: str, source: str
) -> dict[str, Any]:
    """What was asked."""
    return {
        "source": source,
        "kind": "wfa" if isinstance(automaton, WFA) else "wta",
        "states": automaton.n,
        "alphabet": automaton.alphabet,
        "length": length,
        "eps": shown(eps),
        "activation": activation,
    }


def cited(automaton: WFA | WTA, length: int, activation: str) -> tuple[str, ...]:
    """The statements that speak of this automaton with these options."""
    smooth = activation in SMOOTH
    if isinstance(automaton, WTA):
        return ("thm3", *(("thm4",) if smooth else ()), "cor1", "beyond.logdepth")
    padded = ("thm1.any-length",) if span(length) != length else ()
    return ("thm1", *padded, *(("thm2", "thm4") if smooth else ()), "beyond.nopads")


def _trees(wta: WTA, length: int, eps: Fraction, activation: str, source: str) -> AutomatonReport:
    reach = reachable_bounds(wta, most_leaves(length))
    soft = Softened(wta, length, eps, activation)
    run = runs.tree_run(wta, length)
    built = tuple(sizes.for_trees(wta, length))
    known = soft.found.get("tree")
    subject = soft.subjects.get("tree")
    gpt = decoders.for_trees(wta, length, eps)
    return AutomatonReport(
        sentence=sentence.for_trees(wta, length, eps, built, soft),
        certified=known is not None and known.fineness is not None,
        **_head(wta, length, eps, activation, source),
        hypotheses=conditions.of_trees(wta, length, activation, soft),
        classes=tuple(tree_hypotheses.classes(wta)),
        constructions=built if gpt is None else (*built, decoders.construction(gpt)),
        quantities=(
            *tree_quantities.quantities(length, eps, reach, subject, run),
            *soft.quantities(run),
            *(() if gpt is None else decoders.quantities(gpt, eps)),
        ),
        formats=tuple(tree_quantities.formats(eps, length, reach, soft.subjects, run)),
        scale=scale_of(wta, sizes_of(wta, length, largest_entry=True), {shown(eps): ball(eps)}),
        safe=(),
        curves=pictures.tree_curves(soft),
        picture=pictures.tree_picture(wta, length),
        cite=citable(cited(wta, length, activation)),
        printed=as_printed("thm3.proof"),
    )
