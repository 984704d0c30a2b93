"""Confirms the rules of docs/protocol.md on the committed records of training runs.

That the runs came out as recorded is taken on trust; what is made of them is computed again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

from verify.recheck.errors import Answer, Refused, brief, compared, listed, only, text, whole
from verify.recheck.kernel.decimal_cells import exact, pair
from verify.recheck.kernel.statistics import moments, p_value
from verify.recheck.kinds.statistics import rounded, side

Body = Mapping[str, Any]
C = Fraction(19, 20)
NEAR = Fraction(1, 50)  # four digits of an end leave this much of its squared distance
PLACES = {"layers": (3, "layers", "length"), "embedding": (4, "width", "counted")}


@cache
def records() -> list[dict[str, Any]]:
    """The committed records."""
    path = files("verify") / "experiments" / "results" / "protocol.json"
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))
    return found


def name_of(settings: Body) -> str:
    """The name of a cell."""
    if settings["task"] == "embedding":
        return f"embedding-k{settings['counted']}-d{settings['width']}"
    chain = f"-tries{settings['tries']}" if settings["tries"] > 1 else ""
    return f"layers-T{settings['length']}-L{settings['layers']}{chain}"


def record(cell: str, epochs: int) -> dict[str, Any]:
    """The record of a cell."""
    for each in records():
        if (name_of(each["settings"]), each["settings"]["epochs"]) == (cell, epochs):
            return each
    raise Refused(f"no committed record of {brief(cell)}, {epochs} epochs")


def firsts(cell: str, epochs: int, what: str = "mse") -> list[str]:
    """The first try of every seed."""
    return [tries[0] for tries in record(cell, epochs)["result"][what]]


def significant(value: Fraction, digits: int = 4) -> str:
    """A rational with so many significant digits."""
    with localcontext() as context:
        context.prec = digits
        return str(Decimal(value.numerator) / Decimal(value.denominator))


def cell(body: Body, certificate: Body) -> Answer:
    """The rule for a printed mean ± deviation."""
    only(body, {"cell", "epochs", "runs", "factor", "level"})
    name, epochs = text(body, "cell"), whole(body, "epochs", 1, 10_000)
    runs, factor = whole(body, "runs", 2, 1000), Fraction(text(body, "factor"))
    settings = record(name, epochs)["settings"]
    number, row, column = PLACES[settings["task"]]
    mean, deviation = pair(number, str(settings[row]), str(settings[column]))
    ours = moments([Fraction(e) for e in firsts(name, epochs)])
    count = len(firsts(name, epochs))
    bounds = p_value(ours, (exact(mean), exact(deviation) ** 2), (count, runs))
    ratio = ours[0] / exact(mean)
    shown: dict[str, Any] = {"mean": significant(ours[0]), "printed": f"{mean} ± {deviation}"}
    shown["interval"] = _interval(ours, count, certificate["values"]["interval"])
    shown |= {"ratio": significant(ratio), "seeds": str(count)}
    shown["p"] = rounded(certificate["values"]["p"], bounds, 6)
    if ratio * factor >= 1 and ratio <= factor:
        return Answer(True, shown)
    differ = side(bounds, Fraction(text(body, "level")))
    return Answer(False if differ else None, shown, shown if differ else None)


def _interval(ours: tuple[Fraction, Fraction], count: int, stated: Any) -> list[str]:
    """Both stated ends lie at the 2.5 % points of the t distribution with two degrees of freedom.

    Its distribution function is 1/2 + t / (2 √(2 + t²)), so t² = 2 c² / (1 - c²) for c = 0.95.
    """
    if count != 3 or not isinstance(stated, list) or len(stated) != 2:
        raise Refused("interval: expected two ends for three seeds")
    for end, sign in zip(stated, (-1, 1), strict=True):
        gap = (Fraction(end) - ours[0]) * sign
        square = gap**2 * 3 / ours[1]
        if gap <= 0 or abs(square * (1 - C**2) / (2 * C**2) - 1) > NEAR:
            raise Refused(f"interval: {brief(end)} is no end of it")
    return stated


def falls(body: Body, certificate: Body) -> Answer:
    """The rule for the number of layers."""
    only(body, {"cells", "epochs"})
    epochs = whole(body, "epochs", 1, 10_000)
    groups = [[Fraction(e) for e in firsts(c, epochs)] for c in listed(body, "cells", 2, 20)]
    means = [sum(group, Fraction(0)) / len(group) for group in groups]
    shown = {"means": [significant(mean) for mean in means]}
    if means[0] <= means[-1]:
        return Answer(False, shown, shown)
    ordered = means == sorted(set(means), reverse=True)
    return Answer(True if ordered and max(groups[-1]) < min(groups[0]) else None, shown)


def rounding(body: Body, certificate: Body) -> Answer:
    """The rule for errors after rounding."""
    only(body, {"cell", "epochs"})
    found = firsts(text(body, "cell"), whole(body, "epochs", 1, 10_000), "rounded")
    zeros = sum(Fraction(value) == 0 for value in found)
    shown = {"rounded": found, "least": min(found, key=Fraction)}
    if zeros == len(found):
        return Answer(True, shown)
    return Answer(None if zeros else False, shown, None if zeros else shown)


def carried(body: Body, certificate: Body) -> Answer:
    """The rule for carried-over tries."""
    only(body, {"chains", "independent", "epochs", "level"})
    epochs = whole(body, "epochs", 1, 10_000)
    chains = record(text(body, "chains"), epochs)["result"]["mse"]
    alone = firsts(text(body, "independent"), epochs)
    with localcontext() as context:
        context.prec = 40
        later = [sum(Decimal(x).log10() for x in row[1:]) / (len(row) - 1) for row in chains]
        single = [Decimal(x).log10() for x in alone]
    groups = [moments([Fraction(x) for x in values]) for values in (later, single)]
    bounds = p_value(groups[0], groups[1], (len(later), len(single)))
    shown = {"p": rounded(certificate["values"]["p"], bounds, 6)}
    shown |= {
        "factor": _power(groups[0][0] - groups[1][0]),
        **_of_chains(chains),
        **_of_tens(alone),
    }
    differ = side(bounds, Fraction(text(body, "level")))
    return Answer(not differ, shown, shown if differ else None)


def _power(exponent: Fraction) -> str:
    with localcontext() as context:
        context.prec = 40
        value = Decimal(10) ** (Decimal(exponent.numerator) / Decimal(exponent.denominator))
    return significant(Fraction(value), 3)


def _mean(values: list[str]) -> str:
    return significant(sum(map(Fraction, values), Fraction(0)) / len(values))


def _least(values: list[str]) -> str:
    return significant(min(map(Fraction, values)))


def _of_chains(chains: list[list[str]]) -> dict[str, Any]:
    return {
        "first": [_mean(row[:1]) for row in chains],
        "last": [_mean(row[-1:]) for row in chains],
        "means": [_mean(row) for row in chains],
        "minima": [_least(row) for row in chains],
    }


def _of_tens(alone: list[str]) -> dict[str, Any]:
    tens = [alone[at : at + 10] for at in range(0, len(alone), 10)]
    return {
        "independent_means": [_mean(ten) for ten in tens],
        "independent_minima": [_least(ten) for ten in tens],
    }


def spread(body: Body, certificate: Body) -> Answer:
    """The largest mean weight of a head on one distance."""
    only(body, {"cell", "epochs", "most"})
    found = record(text(body, "cell"), whole(body, "epochs", 1, 10_000))["result"]["attention"]
    heads = [head for layer in found for head in layer]
    largest = sorted((weight for head in heads for weight in head), key=Fraction)[-1]
    within = Fraction(largest) <= Fraction(text(body, "most"))
    return compared(within, heads=len(heads), largest=largest)


CONFIRM = {
    "training.spread": ("observed", spread),
    "training.cell": ("observed", cell),
    "training.falls": ("observed", falls),
    "training.rounding": ("observed", rounding),
    "training.carried": ("observed", carried),
}
