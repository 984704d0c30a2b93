"""The matrices of Appendix B.2, read from the print, evaluated, and held against the built ones.

Claims        thm2.qk, thm2.wout
Roads         each printed formula is data (`verify.engines.printed`): its blocks must fit for every
              n, its value must be the weight of the built model, and rows of the model must go
              through it; the mended formulas go the same way
Notation      y = x W for rows x, as in Section 2.4; ρ the rotation by θ = -π 2^(l-1)/M, M for T
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from constructions import theorem1, theorem2
from constructions.exact import Exact, cos_pi, root
from constructions.matrix import Entry, Matrix
from constructions.transformer import Head
from verify.check import Job, check
from verify.checks.theorem2_sizes import multiplier
from verify.claims.model import Name
from verify.engines import blocks, printed
from verify.engines.printed import Formula, Misfit
from verify.evidence import Evidence, Outcome, Plain, Strength

HOLDS, FAILS = Outcome.HOLDS, Outcome.FAILS
SYMBOLIC, EXACT = Strength.SYMBOLIC, Strength.EXACT
STATES, LENGTHS, CONSTANT = (1, 2, 3), (2, 4, 8), Fraction(3)
SHOWN = 2


@dataclass(frozen=True)
class Scores:
    """W_Q of both heads, which is W_K of the right one, and W_K of the left one."""

    query: Formula
    left_key: Formula

    @classmethod
    def of(cls, query: str, left_key: str) -> Scores:
        """Read from text."""
        return cls(printed.matrix(query), printed.matrix(left_key))


SCORES_PRINTED = Scores.of("√C (0_{n²×2} 0_{n²×2} I_2)ᵀ", "√C (0_{n²×2} 0_{n²×2} ρ)ᵀ")
SCORES_MENDED = Scores.of("√C (0_{2×n²} 0_{2×n²} I_2)ᵀ", "√C (0_{2×n²} 0_{2×n²} ρ)ᵀ")
OUTPUT_PRINTED = printed.matrix("(I_{n²} I_{n²} 0_{n²×2})ᵀ")
OUTPUT_MENDED = printed.matrix("(I_{n²} I_{n²} 0_{n²×2})")


def heights(formula: Formula, n: int = SHOWN) -> list[int]:
    """The numbers of rows of the blocks that stand side by side, for one n."""
    return [int(rows) for row in formula.shapes(n) for rows, _ in row]


def misfit(formula: Formula) -> str | None:
    """For which n the blocks of a formula fit, if not for every n."""
    good = formula.fits()
    if good is None:
        return None
    only = f"only for n ∈ {good}" if good else "for no n"
    return f"the blocks of {formula.text} fit {only}; for n = {SHOWN} their heights are {heights(formula)}"


def evaluated(scores: Scores, n: int, layer: int, span: int) -> dict[str, tuple[Matrix, Matrix]]:
    """W_Q and W_K of both heads by the formulas."""
    factors = {"√C": root(CONSTANT)}
    turned = {"ρ": theorem1.rotation(theorem1.theta(layer, span))}
    query = scores.query.at(n, factors, turned)
    return {"left": (query, scores.left_key.at(n, factors, turned)), "right": (query, query)}


def other_weights(scores: Scores) -> str | None:
    """The first head of a built model whose W_Q or W_K is not the value of its formula."""
    for n in STATES:
        for length in LENGTHS:
            made = theorem2.layers(n, length, CONSTANT)
            for layer, built in enumerate(made, start=1):
                wanted = evaluated(scores, n, layer, theorem1.span(length))
                for head in built.heads:
                    if not same(head, *wanted[head.name]):
                        return f"n = {n}, T = {length}, layer {layer}: head {head.name} differs"
    return None


def same(head: Head[Matrix], query: Matrix, key: Matrix) -> bool:
    """Whether a head has these weights, entry by entry."""
    pairs = ((head.query, query), (head.key, key))
    return all(a.shape == b.shape and _values(a) == _values(b) for a, b in pairs)


def _values(matrix: Matrix) -> dict[tuple[int, int], Exact]:
    found = {at: Exact.of(value) for at, value in matrix.entries.items()}
    return {at: value for at, value in found.items() if value != 0}


def other_scores() -> str | None:
    """The first head whose W_Q W_Kᵀ is not C times that of Theorem 1."""
    for length in LENGTHS:
        pairs = zip(
            theorem2.layers(SHOWN, length, CONSTANT), theorem1.layers(SHOWN, length), strict=True
        )
        for soft, hard in pairs:
            for a, b in zip(soft.heads, hard.heads, strict=True):
                scores, exact = a.query @ a.key.transpose, b.query @ b.key.transpose
                if _values(scores) != _values(exact.scaled(CONSTANT)):
                    return (
                        f"T = {length}: the scores of head {a.name} are not C times the exact ones"
                    )
    return None


@check("thm2.qk")
def query_and_key_as_printed(job: Job) -> Iterator[Evidence]:
    """Evaluate the printed and the mended formulas and compare them with the built heads."""
    yield query_evidence(SCORES_PRINTED, Name.LITERAL)
    yield query_evidence(SCORES_MENDED, Name.REPAIRED)


def query_evidence(scores: Scores, reading: Name) -> Evidence:
    """Whether formulas for W_Q and W_K are matrices, those of the model, and give C times the score."""
    formulas = (scores.query, scores.left_key)
    unfit = [text for formula in formulas if (text := misfit(formula))]
    body: dict[str, Plain] = {
        "kind": "theorem2.blocks", "formulas": [f.text for f in formulas], "n": SHOWN,
        "heights": [heights(f) for f in formulas],
    }  # fmt: skip
    if unfit:
        return Evidence(
            "thm2.qk", FAILS, EXACT, "all n ≥ 1", f"No matrices as printed: {'; '.join(unfit)}.",
            reading, "formulas read and evaluated", body, counterexample=f"{unfit[0]}.",
            repair="Zero blocks 2 × n².",
        )  # fmt: skip
    problem = other_weights(scores) or other_scores()
    if problem:
        return Evidence(
            "thm2.qk", FAILS, EXACT, "the built models", f"{problem}.", reading,
            "formulas read and evaluated", counterexample=problem,
        )  # fmt: skip
    return Evidence(
        "thm2.qk", HOLDS, EXACT,
        f"the blocks for all n; n ≤ {STATES[-1]}, T = 2, 4, 8, all layers and heads, C = 3",
        f"{scores.query.text} and {scores.left_key.text} are the built W_Q and W_K, entry by entry, and "
        "W_Q W_Kᵀ of every head is C times that of Theorem 1, so every score is.",
        reading, "formulas read and evaluated", scores_certificate(),
    )  # fmt: skip


def scores_certificate() -> dict[str, Plain]:
    """W_Q W_Kᵀ / C of the left head of layer 2 at M = 8, as angles of cosines."""
    head = theorem2.heads(1, 2, 8, CONSTANT)[0]
    block = (head.query @ head.key.transpose).entries
    places = theorem1.layout(1)["position"]
    angles = [[str(_angle(block.get((i, j), 0), 8)) for j in places] for i in places]
    return {"kind": "theorem2.scores", "length": 8, "shift": 2, "angles": angles}


def _angle(value: Entry, span: int) -> Fraction:
    """The multiple a of 1/M in [0, 2) with value = C cos(πa)."""
    angles = (Fraction(k, span) for k in range(2 * span))
    return next(angle for angle in angles if Exact.of(value) == CONSTANT * cos_pi(angle))


def copying(n: int) -> Matrix:
    """W_2 of the built MLP without W_out: from the hidden units to the n² entries of the product."""
    left = theorem1.layout(n)["left"]
    whole = multiplier(n).block.output
    kept = {(u, c - left.start): w for (u, c), w in whole.entries.items() if c in left}
    return Matrix((whole.shape[0], len(left)), kept)


def output_problem(formula: Formula) -> str | None:
    """Why W_out by the formula cannot follow the product, or copies it otherwise than the model."""
    for n in STATES:
        try:
            made = printed.through(copying(n), formula.at(n, {}, {}))
        except Misfit as reason:
            return f"n = {n}: {reason}"
        built = multiplier(n).block.output
        if made.shape != built.shape or _values(made) != _values(built):
            return f"n = {n}: the product is not copied into both halves, as in the built MLP"
    return None


@check("thm2.wout")
def output_as_printed(job: Job) -> Iterator[Evidence]:
    """Send the product's rows through the printed and the mended W_out."""
    yield output_evidence(OUTPUT_PRINTED, Name.LITERAL)
    yield output_evidence(OUTPUT_MENDED, Name.REPAIRED)


def output_evidence(formula: Formula, reading: Name) -> Evidence:
    """Whether W_out by the formula takes n² coordinates to two copies of them."""
    rows = int(formula.shape()[0].subs(blocks.N, SHOWN))
    columns = int(formula.shape()[1].subs(blocks.N, SHOWN))
    body: dict[str, Plain] = {
        "kind": "theorem2.output", "formula": formula.text, "n": SHOWN, "shape": [rows, columns],
        "row": copying(SHOWN).shape[1],
    }  # fmt: skip
    problem = output_problem(formula)
    if problem is None:
        return Evidence(
            "thm2.wout", HOLDS, EXACT, f"n ≤ {STATES[-1]}",
            f"W_2 times {formula.text} is the output matrix of the built MLP, entry by entry: it writes "
            "the same product into both halves and nothing into the position.",
            reading, "formulas read and evaluated", body,
        )  # fmt: skip
    good = blocks.fits_for([(formula.shape()[0], blocks.SQUARE)])
    for_n = "for every n" if good is None else f"for n ∈ {good}" if good else "for no n"
    return Evidence(
        "thm2.wout", FAILS, EXACT, "all n ≥ 1",
        f"{formula.text} has {_written(formula.shape()[0])} rows; the product has n² coordinates, and "
        f"they fit {for_n}. {problem}.", reading, "formulas read and evaluated", body,
        counterexample=f"{problem}.", repair="(I I 0), without the transpose.",
    )  # fmt: skip


def _written(size: object) -> str:
    """A polynomial in n as it is printed."""
    return str(size).replace("**2", "²").replace("*", "")
