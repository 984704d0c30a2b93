"""Theorem 3: the Fourier sum for the step of the right head, and how many terms it needs.

Asks          is the printed sum near the step; is the repaired one; does a constant number of terms
              do; how many columns and coordinates that takes
Notation      T = |str(t)|, k the last index of the sum, so k + 1 sines and 2k + 2 coordinates
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import flint

from constructions.random_trees import random_wta
from constructions.theorem3 import Places, Plan, build, leaves_within
from constructions.theorem3_printed import Step, step_value
from constructions.trees import children
from verify.check import Job, check
from verify.claims.model import Name
from verify.engines.fourier import lower_pairs, realised, sufficient, terms_needed
from verify.engines.tree_evidence import either, fails, holds
from verify.engines.tree_rules import strings
from verify.engines.tree_symbols import coordinates
from verify.evidence import Evidence, Figure, Series, Strength, Table

LITERAL, CHARITABLE, REPAIRED = Name.LITERAL, Name.CHARITABLE, Name.REPAIRED
FEW = range(9)
STATES = range(1, 7)
CERTIFIED = "The certificate confirms the least k for T up to 13."


@check("thm3.fourier", "thm3.fourier.constant", "thm3.right-head.shapes", "thm3.left-head.shapes")
def how_many_fourier_terms(job: Job) -> Iterator[Evidence]:
    """Find by balls the least number of terms with which the repaired head is right, against T."""
    leaves = 9 if job.full else 7
    exact = {n: terms_needed(realised(n), 3 * n - 2) for n in range(2, leaves + 1)}
    figure, table = term_trend(exact, (12, 16, 24, 34) if job.full else (12, 16))
    yield literal_step()
    yield from repaired_step(leaves)
    scope = f"all trees with T = 3n - 2 tokens or fewer, n = 2 … {leaves} leaves"
    least = {3 * n - 2: k for n, k in exact.items()}
    certificate = fourier_certificate({t: k for t, k in least.items() if t <= 13})
    grows = all(a < b for a, b in zip(exact.values(), list(exact.values())[1:], strict=False))
    said = ", ".join(f"k = {k} at T = {t}" for t, k in least.items())
    shown = (
        f"T = 4 needs k = {least[4]}; T = 7 needs k = {least[7]}. For fixed k the score at i + 1 "
        "tends to 2 and that of a right child at i + T - 3 to 0 as T grows."
    )
    evidence = fails(
        "thm3.fourier.constant",
        LITERAL,
        scope,
        f"The least k that separates all cases grows with T: {said}.",
        certificate,
        shown,
        strength=Strength.ENCLOSURE,
        figures=(figure,),
        tables=(table,),
        limits=CERTIFIED,
    )
    yield either(grows, evidence)
    evidence = holds(
        "thm3.fourier.constant",
        REPAIRED,
        Strength.ENCLOSURE,
        scope,
        f"The number of terms grows with T: {said}.",
        certificate,
        limits=CERTIFIED,
    )
    yield either(grows, evidence)
    yield from widths(least[4])


def fourier_certificate(least: dict[int, int]) -> dict[str, object]:
    """The least numbers of terms, with the number of pairs that are to be separated."""
    pairs = sum(len(realised((t + 2) // 3)) for t in least)
    return {"kind": "trees.fourier", "terms": [[t, k] for t, k in least.items()], "pairs": pairs}


def term_trend(exact: dict[int, int], more: Sequence[int]) -> tuple[Figure, Table]:
    """The least numbers of terms, and for longer trees a sufficient and a necessary number."""
    rows = [(3 * n - 2, str(k), str(k), 2 * k + 2) for n, k in exact.items()]
    for n in more:
        length = 3 * n - 2
        enough = terms_needed(sufficient(length), length)
        needed = terms_needed(lower_pairs(length), length)
        rows.append((length, str(needed), str(enough), 2 * enough + 2))
    lengths = tuple(str(row[0]) for row in rows)
    series = (
        Series("needed", lengths, tuple(row[1] for row in rows)),
        Series("enough", lengths, tuple(row[2] for row in rows)),
    )
    figure = Figure(
        "fourier-terms",
        "Fourier terms the right head needs",
        "The number of terms grows with the length of the string.",
        "length T of the string",
        "k",
        series,
    )
    table = Table(
        "fourier-terms",
        "Fourier terms against T",
        ("T", "k needed", "k enough", "positional coordinates"),
        tuple((str(a), b, c, str(d)) for a, b, c, d in rows),
    )
    return figure, table


def literal_step() -> Evidence:
    """At T = 4 the printed sum is below ½ at j = i + 2, where 1 is wanted, for k = 0 … 8."""
    with flint.ctx.workprec(128):
        values = [step_value(1, 3, 4, k, Step.LITERAL) for k in FEW]
        below = [k for k, value in enumerate(values) if value < flint.arb("0.5")]
        largest = max(float(value.upper()) for value in values)
    certificate = {
        "kind": "trees.step",
        "length": 4,
        "i": 1,
        "j": 3,
        "terms": below,
        "last": FEW[-1],
    }
    evidence = fails(
        "thm3.fourier",
        LITERAL,
        "T = 4, i = 1, j = 3, k = 0 … 8",
        f"The printed sum at j = i + 2, where it should be about 1, is below ½ for k in {below} "
        f"(at most {largest:.3f}): i - j has the wrong sign, π/T and 4/π are missing.",
        certificate,
        "T = 4, i = 1, j = 3: below ½ for every k from 0 to 8.",
        strength=Strength.ENCLOSURE,
        repair="½ (1 + (4/π) Σ sin((2l+1)(j-i-3/2) π/(T+1)) / (2l+1))",
    )
    return either(below == list(FEW), evidence)


def repaired_step(leaves: int) -> Iterator[Evidence]:
    """With 2T + 1 terms the repaired sum is within ¼ of the step at all offsets."""
    lengths = [3 * n - 2 for n in range(2, leaves + 1)]
    with flint.ctx.workprec(128):
        close = all(
            abs(step_value(0, m, t, 2 * t, Step.REPAIRED) - int(m >= 2)) < flint.arb("0.25")
            for t in lengths
            for m in range(1 - t, t)
        )
    evidence = holds(
        "thm3.fourier",
        REPAIRED,
        Strength.ENCLOSURE,
        f"T = 4, 7, … {lengths[-1]}, k = 2T, all offsets j - i",
        "With k = 2T the repaired sum is within ¼ of the step at every offset.",
        {
            "kind": "trees.step-repaired",
            "lengths": lengths[:4],
            "offsets": sum(2 * t - 1 for t in lengths[:4]),
        },
        limits="Within ¼ at whole offsets; near the jump a Fourier sum never converges evenly. The "
        f"certificate confirms T = {', '.join(map(str, lengths[:4]))}.",
    )
    yield either(close, evidence)


def widths(least: int) -> Iterator[Evidence]:
    """Columns and coordinates with the least number of terms at T = 4."""
    columns, coordinates = 3 + 2 + 2 * (least + 1), 4 + 2 * (least + 1)
    certificate = {"kind": "trees.fourier-width", "length": 4, "terms": least, "columns": columns}
    text = f"At T = 4 the step takes k = {least}: {columns} columns, n + {coordinates} coordinates"
    for claim, rest in (
        ("thm3.right-head.shapes", "not 7 and n + 6"),
        ("thm3.left-head.shapes", "where print has n + 6"),
    ):
        scope = "T = 4, smallest tree [ab]"
        evidence = fails(claim, LITERAL, scope, f"{text}, {rest}.", certificate, f"{text}.")
        yield either(columns > 7, evidence)
    yield left_shapes()
    yield right_shapes()


def left_shapes() -> Evidence:
    """The left head of the repaired construction reads n + 6 coordinates."""
    built = {n: build(random_wta(n, n), 7, height=1).plan.left().query.shape[0] for n in STATES}
    evidence = holds(
        "thm3.left-head.shapes",
        CHARITABLE,
        Strength.EXACT,
        f"p = 2, n = 1 … {STATES[-1]}",
        "n + 4 + p = n + 6 for p = 2, and the left head uses the two of them.",
        {"kind": "trees.size", "what": "embedding", "n": 1, "p": 2, "value": 7},
        limits="The certificate counts the coordinates for n = 1.",
    )
    return either(all(rows == n + 6 for n, rows in built.items()), evidence)


def right_shapes() -> Evidence:
    """The right head of the repaired construction: n + 6 rows, four or three columns."""
    wanted = {Places.CIRCLE: 4, Places.LINE: 3}
    right = True
    for n in STATES:
        for length in (4, 13, 40):
            for places, columns in wanted.items():
                head = build(random_wta(n, n), length, height=1, places=places).plan.right()
                right &= head.query.shape == head.key.shape == (n + 6, columns)
    text = (
        "Without the Fourier sum, masked and with flags at left children, W_Q and W_K of the right "
        "head are (n+6) × 4 on the half circle and (n+6) × 3 with positions (i, i²), whatever T is."
    )
    evidence = holds(
        "thm3.right-head.shapes",
        REPAIRED,
        Strength.EXACT,
        f"built models, n = 1 … {STATES[-1]}, T = 4, 13, 40",
        text,
        forms_certificate(build(random_wta(1, 1), 13, height=1, places=Places.LINE).plan),
        limits="The certificate holds the three columns for n = 1 and T = 13, and confirms that "
        "they find the right child on all shapes up to 5 leaves; four columns are measured.",
    )
    return either(right, evidence)


def forms_certificate(plan: Plan) -> dict[str, object]:
    """The right head of one built model, column by column, and how many right children it finds."""
    head, names = plan.right(), coordinates(plan.layout)
    forms: list[list[dict[str, str]]] = [[{}, {}] for _ in range(head.query.shape[1])]
    for side, matrix in enumerate((head.query, head.key)):
        for (row, column), value in sorted(matrix.entries.items()):
            forms[column][side][names[row]] = str(value)
    leaves = leaves_within(plan.tokens - 1)
    brackets = sum(len(children(symbols)) for symbols in strings(leaves))
    return {
        "kind": "trees.right-forms",
        "n": plan.n,
        "rows": head.query.shape[0],
        "forms": forms,
        "leaves": leaves,
        "brackets": brackets,
    }
