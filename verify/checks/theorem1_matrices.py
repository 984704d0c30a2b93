"""The matrices of Appendix B.1, block by block: do they fit, and do they do what is said?

Claims        thm1.qk, thm1.values, thm1.combination, thm1.selectors, thm1.tensor, thm1.wout,
              thm1.readout, thm1.rotation, thm1.embedding and the printed proof as a whole
Roads         shapes as polynomials in n, for every n ≥ 1; entries on generic symbols
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import sympy

from constructions import theorem1
from constructions.arithmetic import Polynomial
from constructions.matrix import Matrix
from verify.check import Job, check
from verify.claims.model import Name
from verify.engines import blocks, generic
from verify.engines.blocks import SQUARE, Block
from verify.evidence import Evidence, Outcome, Plain, Strength, settled

HOLDS, FAILS = Outcome.HOLDS, Outcome.FAILS
D = 2 * SQUARE + 2
QUERY_PRINTED = [[(SQUARE, 2), (SQUARE, 2), (2, 2)]]
QUERY_REPAIRED = [[(2, SQUARE), (2, SQUARE), (2, 2)]]
VALUE_PRINTED = [[(SQUARE, SQUARE), (SQUARE, SQUARE), (SQUARE, 2)]] * 3
VALUE_REPAIRED = [*VALUE_PRINTED[:2], [(2, SQUARE), (2, SQUARE), (2, 2)]]
SELECTOR = [[(SQUARE, SQUARE), (SQUARE, SQUARE), (SQUARE, 2)]]
Table = Sequence[Sequence[Block]]


def fitting(claim: str, table: Table, wanted: Block, transposed: bool) -> Evidence:
    """Evidence on whether a printed table of blocks is a matrix of the wanted shape."""
    rows, columns = blocks.shape(table)
    found = (columns, rows) if transposed else (rows, columns)
    pairs = [*blocks.needed(table), (found[0], wanted[0]), (found[1], wanted[1])]
    good = blocks.fits_for(pairs)
    text = f"The blocks give {found[0]} × {found[1]}, wanted {wanted[0]} × {wanted[1]}"
    certificate: dict[str, Plain] = {
        "kind": "theorem1.blocks",
        "n": 2,
        "blocks": blocks.at(table, 2),
        "transposed": transposed,
        "wanted": [int(sympy.S(size).subs(blocks.N, 2)) for size in wanted],
        "fits": good is None,
    }
    if good is None:
        return Evidence(
            claim, HOLDS, Strength.SYMBOLIC, "all n ≥ 1", f"{text}: they fit for every n.",
            engine="shapes in SymPy", certificate=certificate,
        )  # fmt: skip
    only = f"only for n ∈ {good}" if good else "for no n"
    return Evidence(
        claim, FAILS, Strength.EXACT, "all n ≥ 1", f"{text}: the blocks fit {only}.",
        engine="shapes in SymPy", certificate=certificate,
        counterexample=f"n = 2: blocks of shapes {blocks.at(table, 2)}.",
    )  # fmt: skip


def mended(item: Evidence, repair: str) -> Evidence:
    """The same evidence on the repaired reading."""
    return replace(item, reading=Name.REPAIRED, repair=repair)


@check("thm1.qk", "thm1.values", "thm1.selectors", "thm1.wout")
def do_the_printed_blocks_fit(job: Job) -> Iterator[Evidence]:
    """Compare the shapes of printed and repaired blocks with those the products need."""
    yield fitting("thm1.qk", QUERY_PRINTED, (D, 2), transposed=True)
    yield mended(fitting("thm1.qk", QUERY_REPAIRED, (D, 2), True), "zero blocks 2 × n²")
    yield fitting("thm1.values", VALUE_PRINTED, (D, D), transposed=False)
    yield mended(
        fitting("thm1.values", VALUE_REPAIRED, (D, D), False), "a third block row of 2 rows"
    )
    yield fitting("thm1.selectors", SELECTOR, (D, SQUARE), transposed=True)
    yield fitting("thm1.wout", SELECTOR, (SQUARE, D), transposed=True)
    read = fitting("thm1.wout", SELECTOR, (SQUARE, D), transposed=False)
    yield replace(read, reading=Name.CHARITABLE)
    yield mended(read, "W_out without the transpose")


@check("thm1.rotation")
def rho_is_a_rotation(job: Job) -> Iterator[Evidence]:
    """Multiply ρ_θ by its transpose and take its determinant, for a symbol θ."""
    angle = sympy.Symbol("theta", real=True)
    rho = sympy.Matrix(
        [[sympy.cos(angle), sympy.sin(angle)], [-sympy.sin(angle), sympy.cos(angle)]]
    )
    orthogonal = sympy.simplify(rho * rho.T) == sympy.eye(2)
    proper = sympy.simplify(rho.det()) == 1
    item = Evidence(
        "thm1.rotation", HOLDS, Strength.SYMBOLIC, "all θ",
        "ρ ρᵀ = I and det ρ = 1 for a symbol θ; on row vectors it turns by θ, on columns by -θ.",
        engine="SymPy", certificate={"kind": "theorem1.rotation", "signs": [[1, 1], [-1, 1]]},
    )  # fmt: skip
    yield settled(None if orthogonal and proper else "ρ_θ is no rotation", item)


@check("thm1.values.select", "thm1.tensor", "thm1.combination")
def one_layer_on_fresh_symbols(job: Job) -> Iterator[Evidence]:
    """Run one layer on fresh symbols in every coordinate and read the product off its output."""
    states = list(range(1, 9 if job.full else 6))
    problem = next((bad.why for n in states if (bad := generic.prove_layer(n))), None)
    scope = f"n ≤ {states[-1]}, any routing, symbols in every coordinate"
    certificate: dict[str, Plain] = {"kind": "theorem1.lemma", "states": states}
    for claim, summary in (
        (
            "thm1.values.select",
            "The left head hands on the left map only, the right head the right.",
        ),
        (
            "thm1.tensor",
            "The block returns the product left · right, in this order, in both halves.",
        ),
    ):
        item = Evidence(
            claim, HOLDS, Strength.SYMBOLIC, scope, summary,
            engine="python-flint fmpz_mpoly", certificate=certificate,
        )  # fmt: skip
        yield settled(problem, item)
    yield from _combination(problem, scope, certificate)


def _combination(
    problem: str | None, scope: str, certificate: dict[str, Plain]
) -> Iterator[Evidence]:
    n = 1
    heads = sum(theorem1.value(n, side).shape[1] for side in ("left", "right"))
    taken = theorem1.select(n, "left").shape[0]
    yield Evidence(
        "thm1.combination", FAILS if heads != taken else HOLDS, Strength.EXACT, "all n ≥ 1",
        "Two heads of width 2n² + 2 side by side give 4n² + 4 coordinates, the selectors take "
        "2n² + 2. A linear layer must stand between, and none is printed.",
        engine="shapes", counterexample=f"n = 1: {heads} coordinates where {taken} are taken.",
        certificate={"kind": "theorem1.concatenation", "n": n, "heads": heads, "selector": taken},
    )  # fmt: skip
    item = Evidence(
        "thm1.combination", HOLDS, Strength.SYMBOLIC, scope,
        "With W_O = (I; I) the two heads, which fill different halves, are added.",
        reading=Name.REPAIRED, repair="W_O = (I; I)", certificate=certificate,
        engine="python-flint fmpz_mpoly",
    )  # fmt: skip
    yield settled(problem, item)


@check("thm1.readout", "thm1.embedding", "thm1.embedding.pads")
def readout_and_embedding(job: Job) -> Iterator[Evidence]:
    """Apply the readout to a matrix of symbols, and read the embedding coordinate by coordinate."""
    states = list(range(1, 7))
    problem = next((text for n in states if (text := readout_problem(n))), None)
    item = Evidence(
        "thm1.readout", HOLDS, Strength.SYMBOLIC, "n ≤ 6, every α and every matrix",
        "One matrix of 2n² + 2 rows and n columns, the same at every position, takes vec(A) in the "
        "right half to αᵀA, for symbols α and A.",
        engine="python-flint fmpz_mpoly", certificate={"kind": "theorem1.readout", "states": states},
    )  # fmt: skip
    yield settled(problem, item)
    wrong = next((text for n in states if (text := embedding_problem(n))), None)
    for claim, summary in (
        (
            "thm1.embedding",
            "A token has two copies of vec(A) and the position: 2n² + 2 coordinates.",
        ),
        (
            "thm1.embedding.pads",
            "Tokens at positions ≤ 0 carry vec(I) twice; every output is exact.",
        ),
    ):
        item = Evidence(
            claim, HOLDS, Strength.EXACT, "n ≤ 6, T = 4", summary,
            engine="exact weights", certificate={"kind": "theorem1.embedding", "states": states},
        )  # fmt: skip
        yield settled(wrong, item)


def readout_problem(n: int, readout: Matrix | None = None) -> str | None:
    """Why the readout is not vec(A) ↦ αᵀA, or None."""
    arithmetic = Polynomial(generic.symbols(n, 1))
    automaton = generic.generic(n, 1, arithmetic.generators.__getitem__)
    weight = readout or theorem1.readout(automaton.alpha)
    layout = theorem1.layout(n)
    row: list[object] = [0] * layout.size
    for c, entry in zip(
        layout["right"], (w for r in automaton.matrix("1") for w in r), strict=True
    ):
        row[c] = entry
    found = arithmetic.apply(arithmetic.array([row]), weight)[0]
    expected = automaton.states(("1",))[1]
    same = all(a == b for a, b in zip(found, expected, strict=True))
    return None if same else f"n = {n}: the readout is not αᵀA"


def embedding_problem(n: int) -> str | None:
    """Why a token's embedding is not as printed, or None."""
    arithmetic = Polynomial(generic.symbols(n, 4))
    simulation = theorem1.build(generic.generic(n, 4, arithmetic.generators.__getitem__), 4)
    layout = theorem1.layout(n)
    for t, token in zip(simulation.positions, simulation.encode(generic.word(4)), strict=True):
        square = simulation.automaton.matrix(str(t)) if t > 0 else theorem1.identity(n)
        flat = [w for row in square for w in row]
        if token[: 2 * n * n] != flat + flat or len(token) != layout.size:
            return f"n = {n}: the token at position {t} is embedded otherwise"
    return None


@check("thm1.proof")
def the_printed_proof(job: Job) -> Iterator[Evidence]:
    """The printed construction cannot be run before its shapes are mended; mended, it is exact."""
    item = fitting("thm1.proof", QUERY_PRINTED, (D, 2), transposed=True)
    yield replace(
        item,
        summary="The printed query matrices do not exist for any n ≥ 1, since their blocks have n² "
        "and 2 rows; value rows, the combination of heads and W_out need mending too.",
        repair="zero blocks 2 × n²; a third block row of 2 rows; W_O = (I; I); W_out untransposed",
    )
    pairs = ((1, 2), (2, 2), (2, 4), (3, 4))
    problem = next((bad.why for n, t in pairs if (bad := generic.prove(n, t))), None)
    mend = Evidence(
        "thm1.proof", HOLDS, Strength.SYMBOLIC, f"(n, T) ∈ {{{', '.join(map(str, pairs))}}}",
        "With the four shapes mended the construction gives all T + 1 states of every WFA.",
        reading=Name.REPAIRED, engine="python-flint fmpz_mpoly",
        certificate={"kind": "theorem1.exact", "pairs": [list(pair) for pair in pairs]},
    )  # fmt: skip
    yield settled(problem, mend)
