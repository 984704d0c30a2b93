"""Confirms the rules of docs/protocol.md on the committed records of training runs.

That the runs came out as recorded is taken on trust; what is made of the records is computed again,
and so is the curve of a constructed layer, whose numbers `struct` rounds to float32.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from importlib.resources import files
from math import comb, isqrt
from struct import pack, unpack
from typing import Any

from verify.recheck.declarations import confirms, rational
from verify.recheck.errors import (
    Recomputed,
    Refused,
    abbreviate,
    comparison,
    figure_curve,
)
from verify.recheck.kernel.decimal_cells import exact, pair, rows
from verify.recheck.kernel.statistics import moments, p_value
from verify.recheck.kinds.statistics import rounded, side

Body = Mapping[str, Any]
C = Fraction(19, 20)
ROOT = 10**40  # square roots are enclosed between multiples of its inverse
TASKS = ("layers", "embedding", "pautomac")
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
    raise Refused(f"no committed record of {abbreviate(cell)}, {epochs} epochs")


def firsts(cell: str, epochs: int, what: str = "mse") -> list[str]:
    """The first try of every seed."""
    return [tries[0] for tries in record(cell, epochs)["result"][what]]


def significant(value: Fraction, digits: int = 4) -> str:
    """A rational with the given number of significant digits."""
    with localcontext() as context:
        context.prec = digits
        return str(Decimal(value.numerator) / Decimal(value.denominator))


EPOCHS = (1, 10_000)


@confirms(
    "training.cell", "observed", "training",
    cell=str, epochs=EPOCHS, runs=(2, 1000), factor=rational, level=rational, ratio=str,
)  # fmt: skip
def cell(
    cell: str, epochs: int, runs: int, factor: Fraction, level: Fraction, ratio: str
) -> Recomputed:
    """The rule for a printed mean ± deviation, and the ratio of both means that is quoted."""
    settings = record(cell, epochs)["settings"]
    number, row, column = PLACES[settings["task"]]
    mean, deviation = pair(number, str(settings[row]), str(settings[column]))
    ours = moments([Fraction(e) for e in firsts(cell, epochs)])
    count = len(firsts(cell, epochs))
    bounds = p_value(ours, (exact(mean), exact(deviation) ** 2), (count, runs))
    times = ours[0] / exact(mean)
    shown: dict[str, Any] = {"mean": significant(ours[0]), "printed": f"{mean} ± {deviation}"}
    shown["interval"] = _interval(ours, count)
    shown |= {"ratio": significant(times), "seeds": str(count)}
    shown["p"] = rounded(bounds, 6)
    if ratio != shown["ratio"]:
        return Recomputed(False, shown, {"quoted": ratio, "measured": shown["ratio"]})
    if times * factor >= 1 and times <= factor:
        return Recomputed(True, shown)
    differ = side(bounds, level)
    return Recomputed(False if differ else None, shown, shown if differ else None)


def _interval(ours: tuple[Fraction, Fraction], count: int) -> list[str]:
    """The ends are 2.5 % points of the t distribution with two degrees of freedom.

    Its distribution function is 1/2 + t / (2 √(2 + t²)), so t² = 2 c² / (1 - c²) for c = 0.95.
    """
    if count != 3:
        raise Refused("interval: expected three seeds")
    square = 2 * C**2 / (1 - C**2) * ours[1] / 3
    root = isqrt(square.numerator * ROOT**2 // square.denominator)
    halves = Fraction(root, ROOT), Fraction(root + 1, ROOT)
    ends = [{significant(ours[0] + sign * half) for half in halves} for sign in (-1, 1)]
    if any(len(texts) > 1 for texts in ends):
        raise Refused("interval: an end too near to a rounding")
    return [texts.pop() for texts in ends]


@confirms("training.falls", "observed", "training", cells=[str, 2, 20], epochs=EPOCHS, fall=str)
def falls(cells: list[str], epochs: int, fall: str) -> Recomputed:
    """The rule for the number of layers, and the factor that is quoted."""
    groups = [[Fraction(e) for e in firsts(c, epochs)] for c in cells]
    means = [sum(group, Fraction(0)) / len(group) for group in groups]
    shown: dict[str, Any] = {"means": [significant(mean) for mean in means]}
    shown["fall"] = significant(means[0] / means[-1])
    if means[0] <= means[-1]:
        return Recomputed(False, shown, shown)
    if fall != shown["fall"]:
        return Recomputed(False, shown, {"quoted": fall, "measured": shown["fall"]})
    ordered = means == sorted(set(means), reverse=True)
    return Recomputed(True if ordered and max(groups[-1]) < min(groups[0]) else None, shown)


@confirms("training.rounding", "observed", "training", cell=str, epochs=EPOCHS)
def rounding(cell: str, epochs: int) -> Recomputed:
    """The rule for errors after rounding."""
    found = firsts(cell, epochs, "rounded")
    zeros = sum(Fraction(value) == 0 for value in found)
    shown = {"rounded": found, "least": min(found, key=Fraction)}
    if zeros == len(found):
        return Recomputed(True, shown)
    return Recomputed(None if zeros else False, shown, None if zeros else shown)


@confirms(
    "training.carried", "observed", "training",
    chains=str, independent=str, epochs=EPOCHS, level=rational,
)  # fmt: skip
def carried(chains: str, independent: str, epochs: int, level: Fraction) -> Recomputed:
    """The rule for carried-over tries."""
    carried = record(chains, epochs)["result"]["mse"]
    alone = firsts(independent, epochs)
    with localcontext() as context:
        context.prec = 40
        later = [sum(Decimal(x).log10() for x in row[1:]) / (len(row) - 1) for row in carried]
        single = [Decimal(x).log10() for x in alone]
    groups = [moments([Fraction(x) for x in values]) for values in (later, single)]
    bounds = p_value(groups[0], groups[1], (len(later), len(single)))
    factor = _power(groups[0][0] - groups[1][0])
    shown = {"p": rounded(bounds, 6), "factor": factor, **_of_chains(carried), **_of_tens(alone)}
    differ = side(bounds, level)
    return Recomputed(not differ, shown, shown if differ else None)


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


@confirms(
    "training.spread", "observed", "training", cells=[str, 1, 8], epochs=EPOCHS, most=rational
)
def spread(cells: list[str], epochs: int, most: Fraction) -> Recomputed:
    """The largest mean weight of a head on one distance."""
    models = [record(cell, epochs)["result"]["attention"] for cell in cells]
    heads = [head for layers in models for layer in layers for head in layer]
    largest = sorted((weight for head in heads for weight in head), key=Fraction)[-1]
    return comparison(Fraction(largest) <= most, heads=len(heads), largest=largest)


def _curve(label: str, values: list[str], start: int = 1) -> Body:
    return figure_curve(label, range(start, start + len(values)), values)


def _by_try(name: str, epochs: int) -> list[Body]:
    chains = record(name, epochs)["result"]["mse"]
    if len(chains[0]) > 1:
        return [_curve(f"carried-over, chain {k + 1}", row) for k, row in enumerate(chains)]
    alone = firsts(name, epochs)
    return [_curve("independent, mean of three", [_mean(alone[k::10]) for k in range(10)])]


def _by_position(name: str, epochs: int) -> list[Body]:
    found = record(name, epochs)
    label = f"trained, T = {found['settings']['length']}, L = {found['settings']['layers']}"
    kinds = {"by_position": "words of that length", "beyond": "words twice as long"}
    trained = [
        _curve(f"{label}, {of}", _columns(found["result"][what])) for what, of in kinds.items()
    ]
    return [*trained, _constructed(2 * found["settings"]["length"])]


def _by_distance(name: str, epochs: int) -> list[Body]:
    found = record(name, epochs)
    start = 1 - found["settings"]["length"]
    layers = found["result"]["attention"]
    return [_curve(f"layer {k + 1}", _columns(heads), start) for k, heads in enumerate(layers)]


def _columns(rows: list[list[str]]) -> list[str]:
    return [_mean(list(column)) for column in zip(*rows, strict=True)]


def _constructed(most: int) -> Body:
    """A count of zeros as their number times the average, in float32: the mean square over all words."""
    squares = [_mean_square(letters) for letters in range(1, most + 1)]
    return _curve("one constructed layer, float32, all words", [*map(significant, squares)])


def _mean_square(letters: int) -> Fraction:
    """The mean of the squared error over all words; those with as many zeros have the same."""
    share, total = float32(1 / (letters + 1)), 0.0
    squares = Fraction(0)
    for zeros in range(letters + 1):
        error = Fraction(float32(total * (letters + 1))) - zeros
        squares += comb(letters, zeros) * error**2
        total = float32(total + share)
    return squares / (1 << letters)


def float32(number: float) -> float:
    """The nearest float32; of a sum, product or quotient of two of them it is rounded but once."""
    nearest: float = unpack("<f", pack("<f", number))[0]
    return nearest


DRAWN = {"tries": _by_try, "positions": _by_position, "distances": _by_distance}


@confirms(
    "training.curves", "observed", "training",
    kind=tuple(DRAWN), cells=[str, 1, 20], epochs=EPOCHS,
)  # fmt: skip
def curves(kind: str, cells: list[str], epochs: int) -> Recomputed:
    """The curves of a figure, from the records; the constructed layer's is computed."""
    return Recomputed(True, {"curves": [c for name in cells for c in DRAWN[kind](name, epochs)]})


@confirms("training.cost", "observed", "training", tasks=[TASKS, 1, 3], at_most=(1, 10**6))
def cost(tasks: list[str], at_most: int) -> Recomputed:
    """Core-hours of the printed grids at the rate of our dearest cell."""
    rates = [
        Fraction(str(each["clock"]["cpu_seconds"])) / _work(each["settings"]) for each in records()
    ]
    hours = {}
    for task in tasks:
        grid = _printed_grid(task)
        hours[task] = round(max(rates) * sum(map(_work, grid)) / 3600)
    return comparison(sum(hours.values()) <= at_most, core_hours=hours)


def _work(settings: Body) -> int:
    """Weights of a layer, roughly, times tokens times layers times epochs, for all runs."""
    runs = len(settings["seeds"]) * settings["tries"] * settings["epochs"]
    tokens = settings["examples"] * settings["length"] * settings["layers"]
    return int(runs * tokens * (settings["width"] + 48))


def _printed_grid(task: str) -> list[Body]:
    """The cells of Tables 3, 4 and 2 with ten runs of 100 epochs; Table 2 has a row for each automaton."""
    common = {"seeds": range(10), "tries": 1, "epochs": 100, "examples": 10_000}
    number, row, column = {"pautomac": (2, "problem", "layers"), **PLACES}[task]
    fixed = {
        "layers": {"width": 16},
        "embedding": {"length": 32, "layers": 4},
        "pautomac": {"length": 64, "width": 64},
    }[task]
    heads = rows(1)["layers"] if task == "pautomac" else rows(number)
    columns = next(iter(rows(number).values()))
    return [{**common, **fixed, row: int(r), column: int(c)} for r in heads for c in columns]
