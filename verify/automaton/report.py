"""The report on an automaton at a length and an ε.

    report(automaton, 64, Fraction(1, 10**6))

Everything that is called certified holds for all words (or trees) of the length; what is called
measured was seen on sampled ones. `certified` of the report says whether softmax and units of the chosen
activation were certified to stay within ε. What words and trees differ in is in `words_and_trees`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

import flint

from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.exact import ball
from verify.automaton import decoders, float_runs
from verify.automaton.citations import as_printed, citable
from verify.automaton.classes import classes
from verify.automaton.limits import check
from verify.automaton.numbers import BITS, shown
from verify.automaton.report_data import AutomatonReport, Format
from verify.automaton.significance import relative_sentence, scale_of
from verify.automaton.words_and_trees import Trees, Words
from verify.bounds.floating import FORMATS
from verify.display.progress import silent

EPS = Fraction(1, 10**6)


def report(
    automaton: WFA | WTA,
    length: int,
    eps: Fraction = EPS,
    activation: str = "gelu",
    source: str = "",
    progress: Callable[[str], None] = silent,
    relative: Fraction | None = None,
) -> AutomatonReport:
    """Report on the theorems for an automaton at a length; `progress` is called with each part's name.

    With `relative`, a size W, ε is relative to states of size W and more: ε W is kept.

    Examples:
        >>> from constructions.automata.families import counting
        >>> report(counting(), 4).sentence.partition(";")[0]
        'Your 2-state weighted automaton is simulated exactly by 2 layers of width 10 at T = 4'

    """
    eps = eps if relative is None else eps * relative
    check(automaton, length, eps, activation)
    with flint.ctx.workprec(BITS):
        parts = (
            Words(automaton, length, eps, activation, progress)
            if isinstance(automaton, WFA)
            else Trees(automaton, length, eps, activation, progress)
        )
        answer = _report(parts, source)
    if relative is None:
        return answer
    line = relative_sentence(ball(eps), relative, "in exact arithmetic")
    return replace(answer, scale=replace(answer.scale, sentences=(*answer.scale.sentences, line)))


def _report(parts: Words | Trees, source: str) -> AutomatonReport:
    """Collect what is known of an automaton."""
    automaton, eps, decoder = parts.automaton, parts.eps, parts.decoder
    return AutomatonReport(
        sentence=parts.sentence,
        certified=parts.certified,
        source=source,
        kind="wfa" if isinstance(automaton, WFA) else "wta",
        states=automaton.n,
        alphabet=automaton.alphabet,
        length=parts.length,
        eps=shown(eps),
        activation=parts.activation,
        hypotheses=parts.conditions(),
        classes=tuple(classes(automaton)),
        constructions=(
            *parts.constructions(),
            *(() if decoder is None else (decoders.construction(decoder),)),
        ),
        quantities=(
            *parts.quantities(),
            *(() if decoder is None else decoders.quantities(decoder, eps)),
        ),
        formats=tuple(_formats(parts)),
        scale=scale_of(automaton, parts.sizes, {shown(eps): ball(eps)}, parts.together),
        safe=parts.safe(),
        cite=citable(parts.cited),
        printed=as_printed(parts.printed),
    )


def _formats(parts: Words | Trees) -> Iterator[Format]:
    """Yield the errors of each model with hard attention in each floating-point format."""
    for name in parts.models:
        for form in FORMATS:
            right, range_, bound = parts.rounded(name, form)
            yield float_runs.format_row(name, form.name, right, range_, bound, parts.run, parts.eps)
