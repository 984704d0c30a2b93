"""Every size that Theorem 1 prints, compared with the built model.

Claims        thm1.size.*, thm1.layers, thm1.restated
Notation      n states, T length; the built sizes come from `constructions.sizes`
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from constructions import theorem1
from constructions.sizes import Sizes, sizes
from constructions.wfa import WFA
from verify.check import Job, check
from verify.claims.model import Name
from verify.engines import generic
from verify.evidence import Evidence, Outcome, Strength, Table, settled

HOLDS, FAILS = Outcome.HOLDS, Outcome.FAILS
STATES, LENGTHS = (1, 2, 3, 4, 5, 6), (2, 4, 8, 16, 32, 64)


def measured(n: int, length: int) -> Sizes:
    """The sizes of Theorem 1's model; weights of the automaton do not matter."""
    zero = tuple((0,) * n for _ in range(n))
    return sizes(theorem1.build(WFA((0,) * n, {"a": zero}, (0,) * n), length).transformer)


def table() -> Table:
    """Built sizes for small n and T."""
    header = (
        "n",
        "T",
        "depth",
        "embedding",
        "attention",
        "feed-forward",
        "heads",
        "parameters",
        "non-zero",
    )
    rows = []
    for n in STATES[:4]:
        for length in (2, 8, 64):
            s = measured(n, length)
            cells = (n, length, s.depth, s.embedding, s.attention, s.feedforward, s.heads)
            rows.append(tuple(map(str, (*cells, s.parameters, s.nonzero))))
    return Table("theorem1-sizes", "Sizes of the exact construction", header, tuple(rows))


def compared(claim: str, field: str, printed: str, value: object) -> Evidence:
    """Evidence on a printed size as a function of n."""
    formula = value if callable(value) else (lambda n, _t: value)
    wrong = next(
        (
            (n, t)
            for n in STATES
            for t in LENGTHS
            if getattr(measured(n, t), field) != formula(n, t)
        ),
        None,
    )
    item = Evidence(
        claim, HOLDS, Strength.EXACT, f"n ≤ {STATES[-1]}, T = 2, 4, …, {LENGTHS[-1]}",
        f"The built model's {field} is {printed}, as printed.", engine="exact weights",
        certificate={"kind": "theorem1.size", "field": field, "states": list(STATES),
                     "lengths": list(LENGTHS),
                     "values": [[formula(n, t) for t in LENGTHS] for n in STATES]},
    )  # fmt: skip
    return settled(None if wrong is None else f"(n, T) = {wrong}: {field} is not {printed}", item)


@check("thm1.size.embedding", "thm1.size.attention-width", "thm1.size.mlp-width", "thm1.size.heads")
def printed_widths(job: Job) -> Iterator[Evidence]:
    """Compare embedding, attention and feed-forward widths and heads with the built model."""
    wide = compared("thm1.size.embedding", "embedding", "2n² + 2", lambda n, _: 2 * n * n + 2)
    yield replace(wide, tables=(table(),))
    yield from _attention_width()
    inputs = compared("thm1.size.mlp-width", "feedforward", "2n²", lambda n, _: 2 * n * n)
    yield replace(inputs, reading=Name.CHARITABLE)
    yield replace(inputs, limits="A bilinear layer has no hidden units; its inputs are counted.")
    heads = compared("thm1.size.heads", "heads", "2", 2)
    yield replace(heads, limits="Positional coordinates are written anew after each layer.")
    yield replace(heads, reading=Name.CHARITABLE)


def _attention_width() -> Iterator[Evidence]:
    values = compared(
        "thm1.size.attention-width", "attention", "2n² + 2", lambda n, _: 2 * n * n + 2
    )
    yield replace(values, reading=Name.CHARITABLE)
    query, value = theorem1.query(1).shape[1], theorem1.value(1, "left").shape[1]
    yield Evidence(
        "thm1.size.attention-width", FAILS if query != value else HOLDS, Strength.EXACT, "all n ≥ 1",
        "Section 2.4 gives queries, keys and values one width k; the printed W_Q and W_K have 2 "
        "columns and W_V has 2n² + 2. Padding W_Q and W_K with zero columns would mend it.",
        engine="exact weights", counterexample=f"n = 1: W_Q has {query} columns, W_V has {value}.",
        certificate={"kind": "theorem1.widths", "n": 1, "query": query, "value": value},
    )  # fmt: skip


@check("thm1.size.depth", "thm1.layers", "thm1.restated")
def printed_depth(job: Job) -> Iterator[Evidence]:
    """Compare the depth with log2 T, for powers of two and for every T."""
    lengths = range(1, 131)
    ceiling = all(measured(1, t).depth == (t - 1).bit_length() for t in lengths)
    powers = all(2 ** measured(1, 2**k).depth == 2**k for k in range(8))
    certificate = {"kind": "theorem1.depth", "lengths": list(lengths),
                   "depths": [(t - 1).bit_length() for t in lengths]}  # fmt: skip
    for claim in ("thm1.size.depth", "thm1.layers", "thm1.restated"):
        odd = next(t for t in lengths if 2 ** measured(1, t).depth != t)
        yield Evidence(
            claim, FAILS, Strength.EXACT, f"T = {odd}",
            f"log2 {odd} is no whole number of layers; the built model for T = {odd} has "
            f"{measured(1, odd).depth}.",
            counterexample=f"T = {odd}", certificate={"kind": "theorem1.no-power", "length": odd},
        )  # fmt: skip
        item = Evidence(
            claim, HOLDS, Strength.EXACT, "T = 1, …, 130",
            "The built model, which is proved exact, has ⌈log2 T⌉ layers.",
            reading=Name.REPAIRED, repair="⌈log2 T⌉", certificate=certificate,
        )  # fmt: skip
        yield settled(None if ceiling else "another depth than ⌈log2 T⌉", item)
    item = replace(item, claim="thm1.size.depth", reading=Name.CHARITABLE, repair="",
                   scope="T = 1, 2, …, 128", summary="For T = 2^k the built depth is k.")  # fmt: skip
    yield settled(None if powers else "another depth than log2 T", item)


@check("thm1.size.order")
def printed_orders(job: Job) -> Iterator[Evidence]:
    """The exact sizes are within the printed orders, since they are polynomials of that degree."""
    fine = all(
        (s := measured(n, t)).depth <= t.bit_length()
        and max(s.embedding, s.attention, s.feedforward) <= 4 * n * n
        and s.heads == 2
        for n in STATES
        for t in LENGTHS
    )
    proved = generic.prove(2, 4)
    item = Evidence(
        "thm1.size.order", HOLDS, Strength.EXACT, f"n ≤ {STATES[-1]}, T = 2, …, {LENGTHS[-1]}",
        "Depth is at most 1 + log2 T, all widths are at most 4n², and there are two heads.",
        engine="exact weights",
        certificate={"kind": "theorem1.orders", "states": list(STATES), "lengths": list(LENGTHS)},
    )  # fmt: skip
    yield settled(None if fine and proved is None else "a size outgrows the printed order", item)
