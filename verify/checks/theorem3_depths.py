"""Theorem 3: depths in two layers, without a mask to any precision, with one exactly.

Asks          do two layers of Section 2.4 give the depths; does a causal mask make them exact; can a
              head without a mask weigh all previous positions exactly alike
Notation      d_i markers summed strictly before i; c_i 1 at left children; M the growth of the
              coordinates that stand in for a mask
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil

import flint

from constructions.arithmetic import Balls, Rational
from constructions.exact import Undecided
from constructions.random_trees import random_wta
from constructions.sizes import sizes
from constructions.theorem3 import Places, build
from constructions.theorem3_depths import LAYOUT, depths
from constructions.theorem3_printed import open_before
from constructions.transformer import realise
from constructions.wta import WTA
from verify.check import Job, check
from verify.claims.model import Name
from verify.engines.tree_evidence import POSITIONS, all_shapes, drawn, either, fails, holds
from verify.engines.tree_rules import strings
from verify.engines.trees import Batch
from verify.evidence import Evidence, Strength, Table

LITERAL, CHARITABLE, REPAIRED = Name.LITERAL, Name.CHARITABLE, Name.REPAIRED
GROWTHS = (64, 1024, 16384)
UNIT = 10**12
BITS = 256


@check("thm3.two-layers", "thm3.mask")
def depths_in_two_layers(job: Job) -> Iterator[Evidence]:
    """Run two layers without a mask in balls, two layers with one exactly, on all small trees."""
    leaves = 6 if job.full else 4
    yield from without_mask(leaves)
    yield from with_mask(leaves, random_wta(2, 5, alphabet="abcdefgh"))
    yield no_mask(10)


def without_mask(leaves: int) -> Iterator[Evidence]:
    """The depths that softmax gives without a mask, for several growths."""
    errors = {growth: largest_error(leaves, growth) for growth in GROWTHS}
    near = all(e <= error_bound(3 * leaves - 2, m) for m, e in errors.items())
    falls = errors[GROWTHS[-1]] < Fraction(1, 100) and errors[GROWTHS[-1]] < errors[GROWTHS[0]]
    rows = tuple((str(m), rounded_up(e)) for m, e in errors.items())
    title = f"Depths without a mask, all shapes with ≤ {leaves} leaves"
    table = Table("depths-without-mask", title, ("growth M", "largest error"), rows)
    said = ", ".join(f"{e} with M = {m}" for m, e in rows)
    text = (
        f"Two layers of softmax without a mask, {LAYOUT.size} coordinates, come near every depth; the "
        f"largest error is at most {said}. It is at most N (e^(1/M) - 1) + (2N + 2) N e^(-M), which "
        "tends to 0 as M grows, for every T."
    )
    certificate = {
        "kind": "trees.soft-depths",
        "leaves": leaves,
        "errors": [[m, str(e)] for m, e in errors.items()],
    }
    scope = (
        f"{all_shapes(leaves)}, no mask; depths approximate, error at most {rows[-1][1]} with M = "
        f"{rows[-1][0]}; M = {', '.join(map(str, GROWTHS))}, positions M^(2i), M^(1-2i)"
    )
    for claim, reading in (("thm3.two-layers", LITERAL), ("thm3.mask", REPAIRED)):
        evidence = holds(
            claim,
            reading,
            Strength.ENCLOSURE,
            scope,
            text,
            certificate,
            engine="python-flint arb",
            tables=(table,),
            limits="Products by bilinear blocks. Coordinates grow like M^(2T). The bound for every "
            "T is proved in words beside the construction; the runs decide it on the scope alone.",
        )
        yield either(near and falls, evidence)


def rounded_up(error: Fraction) -> str:
    """Six decimals, never below the error."""
    whole, rest = divmod(ceil(error * 10**6), 10**6)
    return f"{whole}.{rest:06d}"


def largest_error(leaves: int, growth: int) -> Fraction:
    """The largest error of a depth on all small shapes, rounded up to 12 digits."""
    with Balls(BITS) as balls:
        largest = flint.arb(0)
        for symbols in strings(leaves):
            for row, true in zip(depths(symbols, growth, balls), open_before(symbols), strict=True):
                largest = largest.max(abs(flint.arb(row[0]) - true))
        ceiling = (largest * UNIT).ceil().unique_fmpz()
    if ceiling is None:
        raise Undecided(f"the largest error at {BITS} bits")
    return Fraction(int(ceiling), UNIT)


def error_bound(length: int, growth: int) -> Fraction:
    """N (e^(1/M) - 1) + (2N + 2) N e^(-M) + 10^(-12), rounded up: the bound beside the construction."""
    with flint.ctx.workprec(BITS):
        spread = (1 / flint.arb(growth)).expm1()
        bound = length * spread + (2 * length + 2) * length * (-flint.arb(growth)).exp()
        return Fraction(int((bound * UNIT).upper().ceil().unique_fmpz()) + 1, UNIT)


def with_mask(leaves: int, automaton: WTA) -> Iterator[Evidence]:
    """The count and mark coordinates after the first two layers of the repaired construction."""
    wrong = [drawn(s) for s in strings(leaves) if not depths_right(s, automaton)]
    scope = all_shapes(leaves)
    text = (
        "After two layers with a causal mask the coordinates hold d_i and d_i² + c_i at every "
        f"position; wrong on {len(wrong)} trees."
    )
    certificate = {
        "kind": "trees.rule",
        "rule": "depth",
        "reading": "repaired",
        "leaves": leaves,
        "positions": POSITIONS[leaves],
    }
    for claim, reading in (("thm3.mask", REPAIRED), ("thm3.two-layers", CHARITABLE)):
        evidence = holds(
            claim,
            reading,
            Strength.EXHAUSTIVE,
            scope,
            text,
            certificate,
            limits="The certificate confirms the sums of markers at all positions of I_t, not the "
            "layers that compute them.",
        )
        yield either(not wrong, evidence)


def staircase(length: int, above: int) -> flint.fmpq_mat:
    """q_i·(k_{j+1} - k_j) for equal weights on exactly j ≤ i: 0 before the diagonal, below 0 on it.

    What stands above the diagonal is free: multiples of `above` are filled in.
    """
    side = range(length - 1)
    entries = [[-1 if i == j else above * (i + 2 * j) if j > i else 0 for j in side] for i in side]
    return flint.fmpq_mat(length - 1, length - 1, [x for row in entries for x in row])


def room(n: int, length: int) -> int:
    """The dimension through which all scores of a head of the built model pass."""
    measured = sizes(build(random_wta(n, n), length).transformer)
    return min(measured.attention, measured.embedding)


def no_mask(length: int, n: int = 1) -> Evidence:
    """Without a mask a head that averages over exactly the positions up to i needs width T - 1."""
    width, rank = room(n, length), min(staircase(length, above).rank() for above in (0, 1, -7))
    shown = f"n = {n}, T = {length}: width {width} as built, where the rank is {rank}."
    evidence = fails(
        "thm3.mask",
        LITERAL,
        f"attention without a mask, n = {n}, T = {length}",
        "Softmax gives no weight 0; and hard attention that averages over exactly the positions up "
        "to i, for all i, needs keys of dimension T - 1: the matrix q_i·(k_{j+1} - k_j) is "
        f"triangular with a diagonal that is not 0. {shown}",
        {"kind": "trees.staircase", "n": n, "length": length, "width": width, "rank": rank},
        shown,
        repair="A causal mask; or softmax and coordinates that grow like M^(2T), to any precision; "
        "or no depths at all, lengths instead.",
        limits="Exactly equal weights; nearly equal ones need no mask. For wider heads take a "
        "greater T.",
    )
    return either(rank > width, evidence)


def depths_right(symbols: Sequence[str], automaton: WTA) -> bool:
    """Whether two layers of the built model give d_i and d_i² + c_i at every token."""
    model = build(automaton, len(symbols), height=0, places=Places.LINE)
    arithmetic, layout = Rational(), model.plan.layout
    passes = list(
        realise(model.transformer, arithmetic).states(
            arithmetic, arithmetic.array(model.encode(symbols))
        )
    )
    batch = Batch((tuple(symbols),))
    return all(
        list(passes[-1][:, layout.at(name)]) == [int(x) for x in wanted[0]]
        for name, wanted in (("count", batch.depths()), ("mark", batch.marks()))
    )
