"""Results of our training runs, by the rules of docs/protocol.md, which were fixed before the runs.

    training.cell      the mean of our seeds agrees with a printed mean ± deviation
    training.falls     the error falls with the number of layers
    training.rounding  rounding to integers makes the test error 0
    training.carried   carried-over tries have the errors of independent runs
    training.spread    no head attends mostly to one distance
    training.curves    curves of a figure: errors by try, by position, by distance
    training.cost      what repeating a printed grid takes, in core-hours

All numbers come from the committed records of the cells, but for the curve of a constructed layer.
"""

from __future__ import annotations

from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from constructions.core.errors import InputError
from verify.exactness import one_layer
from verify.experiments import plan, summary
from verify.experiments.printed import Spread, value_of
from verify.experiments.settings import Settings, from_plain
from verify.experiments.statistics import Group, decimal, group, is_below, is_falling, welch
from verify.facts.registry import fact
from verify.judge.outcome import Outcome, comparison, curve

FLOAT32_BITS = 24
SEEDS = 3
CONFIDENCE = Fraction(19, 20)
SHOWN = 4
Curve = dict[str, Any]


def record(cell: str, epochs: int) -> tuple[Settings, dict[str, Any]]:
    """Return the committed record of a cell trained for that number of epochs."""
    for entry in summary.committed_records():
        settings = from_plain(entry["settings"])
        if (settings.cell, settings.epochs) == (cell, epochs):
            return settings, entry["result"]
    raise InputError("committed cell", f"{cell}, {epochs} epochs", "a cell that was trained")


def errors(cell: str, epochs: int) -> list[Fraction]:
    """The test errors of the first try of every seed."""
    return [Fraction(tries[0]) for tries in record(cell, epochs)[1]["mse"]]


def four_digits(value: Fraction) -> str:
    """A rational with four significant digits."""
    return str(Context(SHOWN).divide(Decimal(value.numerator), Decimal(value.denominator)))


@fact("training.cell", "observed")
def cell_agrees(cell: str, epochs: int, runs: int, factor: str, level: str, ratio: str) -> Outcome:
    """Our mean is within a factor of the printed mean; if not, Welch's test must exclude chance.

    `ratio` is what our mean is said to be, with four digits, as a multiple of the printed one.
    """
    settings, _ = record(cell, epochs)
    printed = value_of(settings)
    if printed is None or not printed.deviation:
        raise InputError("cell", cell, "a cell printed with its deviation")
    ours = group(errors(cell, epochs))
    found = compare_means(ours, printed, runs, Fraction(factor), Fraction(level))
    return misquoted(found, "ratio", ratio) or found


def compare_means(
    ours: Group, printed: Spread, runs: int, factor: Fraction, level: Fraction
) -> Outcome:
    """The rule for a printed mean ± deviation."""
    theirs = Group(Fraction(printed.mean), Fraction(printed.deviation) ** 2, runs)
    p = welch(ours, theirs)
    ratio = ours.mean / theirs.mean
    near = 1 / factor <= ratio <= factor
    values: dict[str, Any] = {"mean": four_digits(ours.mean), "printed": str(printed)}
    values["ratio"] = four_digits(ratio)
    values |= {"p": decimal(p), "seeds": str(ours.runs), "interval": interval(ours)}
    if near:
        return Outcome(True, values)
    return Outcome(False, values, values) if is_below(p, level) else Outcome(None, values)


def misquoted(found: Outcome, name: str, quoted: str) -> Outcome | None:
    """A failure where a number that the data quote is not the one that was measured."""
    measured = found.values[name]
    if quoted == measured:
        return None
    return Outcome(False, found.values, {"quoted": quoted, "measured": measured})


def interval(ours: Group) -> list[str]:
    """The 95 % confidence interval of a mean of three runs.

    With two degrees of freedom Student's quantile is c √(2 / (1 - c²)) for confidence c.
    """
    if ours.runs != SEEDS:
        raise InputError("seeds", ours.runs, f"{SEEDS}, as in the protocol")
    square = CONFIDENCE**2 * 2 / (1 - CONFIDENCE**2) * ours.variance / SEEDS
    context = Context()
    exact = context.divide(Decimal(square.numerator), Decimal(square.denominator))
    half = Fraction(context.sqrt(exact))
    return [four_digits(ours.mean - half), four_digits(ours.mean + half)]


@fact("training.falls", "observed")
def errors_fall(cells: list[str], epochs: int, fall: str) -> Outcome:
    """Means fall along the cells, and every seed of the last is below every seed of the first.

    `fall` is by which factor, with four digits, the first mean is said to be above the last one.
    """
    all_errors = [errors(name, epochs) for name in cells]
    means = [group(values).mean for values in all_errors]
    numbers: dict[str, Any] = {"means": [four_digits(mean) for mean in means]}
    numbers["fall"] = four_digits(means[0] / means[-1])
    if means[-1] >= means[0]:
        return Outcome(False, numbers, numbers)
    clear = is_falling(means) and max(all_errors[-1]) < min(all_errors[0])
    found = Outcome(True if clear else None, numbers)
    return misquoted(found, "fall", fall) or found


@fact("training.rounding", "observed")
def rounding_removes_error(cell: str, epochs: int) -> Outcome:
    """After rounding to integers the test error is 0 for every seed."""
    rounded = [tries[0] for tries in record(cell, epochs)[1]["rounded"]]
    exact = [Fraction(value) == 0 for value in rounded]
    values = {"rounded": rounded, "least": min(rounded, key=Fraction)}
    if any(exact):
        return Outcome(True if all(exact) else None, values)
    return Outcome(False, values, values)


def logarithm(value: str) -> Fraction:
    """log10 of a measured error."""
    return Fraction(Context().log10(Decimal(value)))


@fact("training.carried", "observed")
def carried_over_tries(chains: str, independent: str, epochs: int, level: str) -> Outcome:
    """Tries after the first of a carried-over chain do not differ from independent runs."""
    tries = [[logarithm(x) for x in seed[1:]] for seed in record(chains, epochs)[1]["mse"]]
    later = group([sum(values, Fraction(0)) / len(values) for values in tries])
    alone = group([logarithm(seed[0]) for seed in record(independent, epochs)[1]["mse"]])
    p = welch(later, alone)
    factor = power_of_ten(later.mean - alone.mean)
    numbers = {"p": decimal(p), "factor": factor, **chain_summary(chains, epochs)}
    numbers |= summary_of_tens(independent, epochs)
    differ = is_below(p, Fraction(level))
    if differ is None:
        return Outcome(None, numbers)
    return Outcome(not differ, numbers, numbers if differ else None)


def power_of_ten(exponent: Fraction) -> str:
    """Ten to a power, with three digits."""
    context = Context()
    power = context.divide(Decimal(exponent.numerator), Decimal(exponent.denominator))
    return str(Context(3).plus(context.power(Decimal(10), power)))


def chain_summary(chains: str, epochs: int) -> dict[str, Any]:
    """First try, last try, mean and minimum of each chain."""
    rows = [[Fraction(x) for x in seed] for seed in record(chains, epochs)[1]["mse"]]
    return {
        "first": [four_digits(row[0]) for row in rows],
        "last": [four_digits(row[-1]) for row in rows],
        "means": [four_digits(sum(row, Fraction(0)) / len(row)) for row in rows],
        "minima": [four_digits(min(row)) for row in rows],
    }


def summary_of_tens(independent: str, epochs: int) -> dict[str, Any]:
    """Mean and minimum of each ten independent runs."""
    alone = errors(independent, epochs)
    tens = [alone[at : at + 10] for at in range(0, len(alone), 10)]
    return {
        "independent_means": [four_digits(sum(ten, Fraction(0)) / len(ten)) for ten in tens],
        "independent_minima": [four_digits(min(ten)) for ten in tens],
    }


@fact("training.spread", "observed")
def attention_is_spread(cells: list[str], epochs: int, most: str) -> Outcome:
    """No head of these models puts more than a share of its mean attention on one distance."""
    models = [record(cell, epochs)[1]["attention"] for cell in cells]
    rows = [head for layers in models for layer in layers for head in layer]
    largest = max((max(row, key=Fraction) for row in rows), key=Fraction)
    return comparison(Fraction(largest) <= Fraction(most), heads=len(rows), largest=largest)


@fact("training.curves", "observed")
def curves(kind: str, cells: list[str], epochs: int) -> Outcome:
    """The curves of a figure."""
    draw = {
        "tries": _curves_by_try,
        "positions": _curves_by_position,
        "distances": _curves_by_distance,
    }[kind]
    return Outcome(True, {"curves": [curve for name in cells for curve in draw(name, epochs)]})


def _numbered_curve(label: str, values: list[str], start: int = 1) -> Curve:
    return curve(label, range(start, start + len(values)), values)


def _curves_by_try(cell: str, epochs: int) -> list[Curve]:
    """Chains try by try; independent runs, sorted into tens, as the mean of each ten."""
    settings, result = record(cell, epochs)
    if settings.tries > 1:
        return [
            _numbered_curve(f"carried-over, chain {i}", row)
            for i, row in enumerate(result["mse"], 1)
        ]
    alone = errors(cell, epochs)
    columns = [alone[at::10] for at in range(10)]
    means = [four_digits(sum(column, Fraction(0)) / len(column)) for column in columns]
    return [_numbered_curve("independent, mean of three", means)]


def _curves_by_position(cell: str, epochs: int) -> list[Curve]:
    settings, result = record(cell, epochs)
    name = f"trained, T = {settings.length}, L = {settings.layers}"
    within = _numbered_curve(f"{name}, words of that length", _column_means(result["by_position"]))
    longer = _numbered_curve(f"{name}, words twice as long", _column_means(result["beyond"]))
    return [within, longer, _constructed_layer_curve(2 * settings.length)]


def _constructed_layer_curve(length: int) -> Curve:
    """Squared errors of one constructed layer in float32, over all words; some of them are 0."""
    errors = map(four_digits, one_layer.rounding_errors(length, FLOAT32_BITS))
    return _numbered_curve("one constructed layer, float32, all words", [*errors])


def _column_means(rows: list[list[str]]) -> list[str]:
    columns = [[Fraction(x) for x in column] for column in zip(*rows, strict=True)]
    return [four_digits(sum(column, Fraction(0)) / len(column)) for column in columns]


def _curves_by_distance(cell: str, epochs: int) -> list[Curve]:
    """The mean attention of each layer of the first seed by distance j - i."""
    settings, result = record(cell, epochs)
    first = -(settings.length - 1)
    return [
        _numbered_curve(f"layer {layer}", _column_means(heads), first)
        for layer, heads in enumerate(result["attention"], 1)
    ]


@fact("training.cost", "observed")
def cost(tasks: list[str], at_most: int) -> Outcome:
    """Core-hours of the paper's grids, from the largest time that a cell of ours took for its size."""
    rates = []
    for entry in summary.committed_records():
        settings = from_plain(entry["settings"])
        seconds = Fraction(str(entry["clock"]["cpu_seconds"]))
        rates.append(seconds / (settings.cost * settings.epochs))
    hours = {task: round(max(rates) * grid_size(task) / 3600) for task in tasks}
    return comparison(sum(hours.values()) <= at_most, core_hours=hours)


def grid_size(task: str) -> int:
    """The size of the paper's grid of a task, in the units of `Settings.cost`."""
    grid = plan.cells(task, plan.grid(task, "paper"), **plan.PROTOCOLS["authors"])
    return sum(cell.cost * cell.epochs for cell in grid)
