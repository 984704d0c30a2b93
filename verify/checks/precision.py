"""What floating point allows: hard attention at large T, soft attention at its best C.

Claims        beyond.precision
Roads         PyTorch, with the weights and the operations of the modules that a user would load;
              for each format the largest power of two T at which every row looked at has its one
              maximum at the right position, and the smallest error over a grid of C
Notation      the right score beats the next by 1 - cos(π/T) ≈ 5/T², so that a format with unit
              roundoff u loses it near T ≈ √(5/u)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite, log2
from random import Random

import torch

from constructions import theorem1, theorem2
from constructions.arithmetic.torch import Torch
from constructions.module import to_torch
from verify.bounds.named import named
from verify.check import Job, check
from verify.evidence import Evidence, Figure, Outcome, Series, Strength, Table, settled

FORMATS: dict[str, torch.dtype] = {
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
    "float32": torch.float32,
    "float64": torch.float64,
}
ROWS, WINDOW = 192, 48
LARGEST = 1 << 30


@dataclass(frozen=True)
class Limit:
    """What one format reaches."""

    format: str
    hard: int
    soft: float
    constant: int
    length: int


def codes(positions: torch.Tensor, span: int, arithmetic: Torch) -> torch.Tensor:
    """Tokens of one state that carry nothing but their position."""
    angle = positions.to(torch.float64) * (torch.pi / span)
    ones = torch.ones_like(angle)
    return torch.stack([ones, ones, angle.cos(), angle.sin()], dim=-1).to(arithmetic.dtype)


def rows_right(rows: torch.Tensor, layer: int, span: int, arithmetic: Torch) -> bool:
    """Whether the left head's rows have their one maximum 2^(l-1) positions to the left."""
    reach = min(WINDOW, span - 1)
    target = rows - (1 << (layer - 1))
    near = target[:, None] + torch.arange(-reach, reach + 1)
    query = arithmetic.apply(
        codes(rows[:, None], span, arithmetic), arithmetic.weight(theorem1.query(1))
    )
    weight = arithmetic.weight(theorem1.left_key(1, layer, span))
    scores = arithmetic.scores(query, arithmetic.apply(codes(near, span, arithmetic), weight))
    best = scores == scores.amax(dim=-1, keepdim=True)
    wanted = torch.arange(-reach, reach + 1) == 0
    return bool((best == wanted).all())


def hard_limit(arithmetic: Torch, count: int = ROWS) -> int:
    """The largest power of two T up to which every row looked at is right, in layers 1 and 2."""
    span = 1
    while span < LARGEST and _right(2 * span, arithmetic, count):
        span *= 2
    return span


def _right(span: int, arithmetic: Torch, count: int) -> bool:
    positions = range(-span + 1, span + 1)
    random = Random(span)
    chosen = positions if 2 * span <= count else [random.choice(positions) for _ in range(count)]
    rows = torch.tensor(list(chosen))
    layers = range(1, min(2, span.bit_length() - 1) + 1)
    return all(rows_right(rows, layer, span, arithmetic) for layer in layers)


def soft_best(arithmetic: Torch, length: int = 8) -> tuple[float, int]:
    """(smallest largest error of the states over a grid of C, that C) for one word."""
    automaton, word = named("hmm:2:1"), "abaabbab"[:length]
    exact = torch.tensor(
        [[float(x) for x in row] for row in automaton.states(word)], dtype=torch.float64
    )
    errors = {}
    for power in range(2, 18):
        module = to_torch(theorem2.build(automaton, length, 1 << power), arithmetic.dtype)
        with torch.no_grad():
            states = module(module.encode([word]))[0].to(torch.float64)
        errors[1 << power] = float((states - exact).abs().max())
    finite = {c: error for c, error in errors.items() if isfinite(error)}
    best = min(finite, key=lambda c: finite[c])
    return finite[best], best


def limits(count: int = ROWS) -> list[Limit]:
    """The limits of every format."""
    found = []
    for name, dtype in FORMATS.items():
        arithmetic = Torch(dtype)
        error, constant = soft_best(arithmetic)
        found.append(Limit(name, hard_limit(arithmetic, count), error, constant, 8))
    return found


def expected(dtype: torch.dtype) -> int:
    """The power of two nearest √(5/u), where the gap 5/T² meets the unit roundoff."""
    return 1 << round(log2((5 / torch.finfo(dtype).eps) ** 0.5))


@check("beyond.precision")
def what_each_format_reaches(job: Job) -> Iterator[Evidence]:
    """Double T until a row of hard attention goes wrong; sweep C for soft attention."""
    found = limits(ROWS * 8 if job.full else ROWS)
    late = [limit.format for limit in found if limit.hard >= LARGEST]
    text = "; ".join(
        f"{limit.format}: T = {limit.hard}, soft error {limit.soft:.2g} at C = {limit.constant}"
        for limit in found
    )
    item = Evidence(
        "beyond.precision", Outcome.HOLDS, Strength.OBSERVED,
        f"powers of two T, {ROWS} rows each, left head of layers 1 and 2; a hidden Markov model at T = 8",
        f"Largest T at which hard attention picks the right position: {text}.",
        engine=f"PyTorch {torch.__version__.partition('+')[0]}",
        tables=(limit_table(found),), figures=(limit_figure(found),),
        limits="Rows are sampled for T above 96, so that the T stated may still have a wrong row; at "
        "twice that T a wrong row was seen.",
    )  # fmt: skip
    yield settled(f"No limit up to {LARGEST} for {late[0]}." if late else None, item)


def limit_table(found: list[Limit]) -> Table:
    """One row a format."""
    rows = tuple(
        (limit.format, str(limit.hard), str(expected(FORMATS[limit.format])), f"{limit.soft:.3g}",
         str(limit.constant))
        for limit in found
    )  # fmt: skip
    header = ("format", "largest T, hard", "√(5/u)", "smallest soft error", "at C")
    return Table("precision-limits", "What floating point allows", header, rows)


def limit_figure(found: list[Limit]) -> Figure:
    """Largest T and smallest soft error against the bits of the significand."""
    bits = tuple(str(round(-log2(torch.finfo(FORMATS[limit.format]).eps))) for limit in found)
    errors = tuple(f"{-log2(limit.soft):.3f}" if limit.soft else "60" for limit in found)
    return Figure(
        "precision", "Precision limits of four formats",
        "Both curves rise with the bits of the significand, the first with half the slope.",
        "bits of the significand", "log₂",
        (
            Series("largest T of hard attention", bits, tuple(f"{log2(x.hard):.0f}" for x in found),
                   "points"),
            Series("-log₂ of the smallest soft error, T = 8", bits, errors, "points"),
        ),
    )  # fmt: skip
