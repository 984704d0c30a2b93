"""Section 5 and Appendix D.1 as text: what they say of the tables, of each other and of the theory.

Claimed       elbows and thresholds of the curves, more than half of the automata, sizes that the
              theory asks for, how the data are made
Checked       against the printed tables and the sizes of the constructions: embedding 2n² + 2,
              hidden C(2n² + 2, 2), depth ⌈log2 T⌉
Notation      n states, T length, d embedding size, k counted symbols
An elbow      the paper does not define one; here a curve has an elbow where its largest drop
              exceeds all later drops together

What training found is the authors' observation: agreement in print supports, it does not prove.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import log2
from typing import Any

from constructions import theorem1
from verify.check import Job, check
from verify.checks.tables import said
from verify.claims.model import PAPER_SHA256, Name
from verify.evidence import Evidence, Outcome, Strength
from verify.experiments import consistency
from verify.experiments.printed import COUNTED, DEPTHS, LENGTHS, PRINTED, RUNS, Tables
from verify.experiments.settings import UNSAID

LITERAL, CHARITABLE, REPAIRED = Name.LITERAL, Name.CHARITABLE, Name.REPAIRED
PRINT = "the printed tables"
WIDTHS = tuple(int(width) for width in PRINTED.four)
EXAMPLES = 10_000
SHARES = (80, 10, 10)


def seen(claim: str, holds: bool | None, summary: str, **more: Any) -> Evidence:
    """Evidence from what the authors print of their training: it supports, or leaves open."""
    outcome = Outcome.UNKNOWN if holds is None else Outcome.HOLDS if holds else Outcome.FAILS
    return Evidence(claim, outcome, Strength.OBSERVED, PRINT, summary, **more)


def size(
    claim: str, holds: bool, body: dict[str, Any], summary: str, reading: Name = LITERAL
) -> Evidence:
    """Evidence from a size of a construction beside a trained one."""
    return Evidence(
        claim,
        Outcome.HOLDS if holds else Outcome.FAILS,
        Strength.EXACT,
        f"n = {body['states']}, T = {body['length']}",
        summary,
        reading=reading,
        certificate=body,
        counterexample="" if holds else summary,
    )


def compare(what: str, states: int, length: int, trained: int) -> dict[str, Any]:
    """A trained size beside the one of the construction, as a certificate."""
    embedding = theorem1.layout(states).size
    needed = {
        "embedding": embedding,
        "hidden": embedding * (embedding - 1) // 2,
        "depth": theorem1.depth(length),
        "pads": length,
    }[what]
    return {
        "kind": "experiments.sizes",
        "what": what,
        "states": states,
        "length": length,
        "needed": needed,
        "trained": trained,
        "met": trained >= needed,
    }


@check(
    "exp.pautomac.more-than-half",
    "exp.pautomac.inconsistent",
    "exp.pautomac.insufficient",
    "exp.pautomac.complexity",
    "tab2.header",
    "exp.train.pautomac.states",
    "exp.pautomac.information",
)
def the_text_on_pautomac_follows_from_the_tables(job: Job) -> Iterator[Evidence]:
    """Recount what Section 5.1 says of Tables 1 and 2."""
    yield from pautomac_text(PRINTED)


def pautomac_text(tables: Tables) -> Iterator[Evidence]:
    """The statements of Section 5.1 on Tables 1 and 2."""
    solved = consistency.solved(tables)
    below = [p for p, layers in consistency.needed(tables).items() if layers != "-"]
    half = 2 * len(solved) > len(tables.one) and 2 * len(below) > len(tables.two)
    told = (
        f"Table 1 has an entry for {len(solved)} of {len(tables.one)} automata, Table 2 an error "
        f"below 0.001 in {len(below)} of {len(tables.two)} rows."
    )
    limits = "Automaton 4 has no row in Table 2; without it five of ten are printed, which is half."
    yield seen("exp.pautomac.more-than-half", half, told, limits=limits)
    entries = [row.layers for row in tables.one.values()]
    other = any(entry not in ("6", "-") for entry in entries)
    told = f"The entries of Table 1 are {', '.join(entries)}."
    yield said("exp.pautomac.inconsistent", other, "entries", entries, told)
    separating = consistency.separating(tables)
    told = f"No single threshold separates the solved automata; it does for {separating or 'none'}."
    yield said("exp.pautomac.complexity", not separating, "separating", separating, told)
    yield from _insufficient(tables)
    most = max(int(row.states) for row in tables.one.values())
    told = f"The largest automaton of Table 1 has {most} states."
    yield said("exp.train.pautomac.states", most < 20, "most-states", most, told)
    told = "States, alphabet, type and 'symbol sparsity' are printed; the last is not defined."
    limits = "Recomputed, it is the share of pairs that can be emitted, the opposite of the word."
    yield seen("exp.pautomac.information", None, told, limits=limits)
    depths = [str(depth) for depth in DEPTHS]
    told = f"Columns {', '.join(depths)}, as in Section 5.1."
    yield said("tab2.header", depths == ["2", "4", "6", "8", "10"], "depths", depths, told)


def _insufficient(tables: Tables) -> Iterator[Evidence]:
    """Say whether any tried number of layers reaches the error where Table 1 has a dash."""
    claim, found = "exp.pautomac.insufficient", consistency.needed(tables)
    dashes = [p for p, row in tables.one.items() if row.layers == "-"]
    reached = [p for p in dashes if found.get(p, "-") != "-"]
    growing = consistency.growing_dashes(tables)
    limits = (
        f"For {', '.join(growing) or 'none'} the error with {DEPTHS[-1]} layers is above the best one of "
        "the row, so that nothing here says that depth is what lacks."
    )
    if reached or not dashes:
        told = f"Errors below 0.001 are printed for {_list(reached)}."
        yield said(claim, False, "needed", found, told, counterexample=told)
    else:
        told = f"No printed error of {_list(dashes)} is below 0.001, with {_list(DEPTHS)} layers."
        yield seen(claim, True, told, limits=limits)
    told = f"No printed error of {_list(dashes)} is below 0.001."
    yield said(claim, bool(dashes) and not reached, "needed", found, told, reading=CHARITABLE)


@check("exp.pautomac.necessary")
def more_layers_than_are_needed(job: Job) -> Iterator[Evidence]:
    """Set the numbers of layers of Table 1 against the depth of Theorem 1, and against Table 2."""
    yield from necessary(PRINTED, 64)


def necessary(tables: Tables, length: int) -> Iterator[Evidence]:
    """Which numbers exceed the depth that is always enough, and which were not the least."""
    claim, depth = "exp.pautomac.necessary", theorem1.depth(length)
    entries = {p: row.layers for p, row in tables.one.items()}
    over = [p for p, layers in entries.items() if layers != "-" and int(layers) > depth]
    told = (
        f"At T = {length} Theorem 1 gives the exact states of every automaton with {depth} layers; "
        f"Table 1 has more for automata {_list(over) or 'none'}, and so many are not necessary."
    )
    body = {"kind": "experiments.necessary", "length": length, "depth": depth}
    body |= {"entries": entries, "over": over}
    wide = theorem1.layout(max(int(tables.one[p].states) for p in over or entries)).size
    limits = f"The construction is wider than the trained models: its embedding is up to {wide}."
    item = _described(claim, not over, body, told, told if over else "")
    yield replace(item, scope="the printed tables, T = 64", limits=limits)
    wrong, found = consistency.layers_mismatch(tables), consistency.needed(tables)
    told = f"Table 2 gives another least number for these automata: {_list(wrong) or 'none'}."
    more = {"reading": CHARITABLE, "counterexample": told if wrong else ""}
    yield said(claim, not wrong, "layers-mismatch", wrong, told, **more)
    if wrong == ["38"]:
        told = (
            f"With {found['38']} for automaton 38, Table 1 has the least tried number of every row."
        )
        yield said(claim, True, "needed", found, told, reading=REPAIRED)


@check(
    "exp.layers.elbow",
    "exp.layers.negligible",
    "exp.layers.close",
    "fig.layers",
    "exp.k.elbow",
    "exp.k.threshold",
    "fig.embedding",
)
def curves_bend_where_the_text_says(job: Job) -> Iterator[Evidence]:
    """Find the elbow of every column of Tables 3 and 4 and what the mean does after log2 T."""
    yield from curves(PRINTED)


def curves(tables: Tables) -> Iterator[Evidence]:
    """Elbows, and what is left of the fall after the theory's value."""
    bends = [consistency.elbow(tables.three, j) for j in range(len(LENGTHS))]
    told = f"For T = {_list(LENGTHS)} the largest drop ends at L = {_list(bends)}."
    yield seen("exp.layers.elbow", None not in bends, told, limits="'Pronounced' is not defined.")
    yield from _after_log(tables)
    sizes = [consistency.elbow(tables.four, j) for j in range(len(COUNTED))]
    squares = [(k + 1) ** 2 for k in COUNTED]
    told = f"For k = {_list(COUNTED)} the largest drop ends at d = {_list(sizes)}"
    yield seen("exp.k.elbow", None not in sizes, f"{told}.")
    apart = f"{told}; n² is {_list(squares)}."
    yield seen("exp.k.threshold", [str(s) for s in squares] != sizes, apart)
    falls = not consistency.rises(tables.four)
    yield seen("fig.embedding", falls, f"All columns of Table 4 fall. {apart}")


def _after_log(tables: Tables) -> Iterator[Evidence]:
    rest = [consistency.after(tables.three, j, int(log2(t))) for j, t in enumerate(LENGTHS)]
    factors = _list([f"{float(factor):.1f}" for factor, _ in rest])
    shares = _list([f"{float(100 * share):.1f} %" for _, share in rest])
    told = (
        f"After log2 T layers the mean still falls by factors of {factors} for T = "
        f"{_list(LENGTHS)}, which is {shares} of the whole fall."
    )
    limits = "No measure of 'negligible' or 'close' is given: small in difference, large in ratio."
    yield seen("exp.layers.negligible", None, told, limits=limits)
    yield seen("exp.layers.close", None, told, limits=limits)
    small = all(2 * share < 1 for _, share in rest)
    yield seen("exp.layers.close", small, told, reading=CHARITABLE)
    yield seen("fig.layers", small, told, limits="The theory gives an upper bound, no threshold.")


def _list(values: Any) -> str:
    return ", ".join(str(value) for value in values)


@check(
    "exp.layers.setup",
    "exp.train.counting.sizes",
    "exp.train.k.grid",
    "tab4.header",
    "exp.plots.announced",
    "tab3.caption",
    "tab4.caption",
    "list.statistics",
)
def grids_of_text_and_tables_agree(job: Job) -> Iterator[Evidence]:
    """Compare the rows and columns of Tables 3 and 4 with the grids that the text announces."""
    yield from grids(PRINTED)


def grids(tables: Tables) -> Iterator[Evidence]:
    """Rows and columns against the text."""
    layers, widths = list(tables.three), list(tables.four)
    ten = layers == [str(layer) for layer in range(1, 11)]
    told = f"Table 3 has rows L = {_list(layers)} and columns T = {_list(LENGTHS)}."
    for claim in ("exp.layers.setup", "exp.train.counting.sizes"):
        yield said(claim, ten and LENGTHS == (16, 32, 64), "rows-table-3", layers, told)
    told = f"Table 4 has rows d = {_list(widths)} and columns k = {_list(COUNTED)}."
    good = widths == ["2", "4", "8", "16", "32", "64"] and COUNTED == (2, 4, 6, 8)
    for claim in ("exp.train.k.grid", "tab4.header"):
        yield said(claim, good, "rows-table-4", widths, told)
    counts = {3: tables.three, 4: tables.four}
    for number, table in counts.items():
        each = [len(cells) for cells in table.values()]
        name = f"columns-table-{number}"
        own = all(cell.deviation for cells in table.values() for cell in cells)
        told = f"Each of the {len(each)} rows of Table {number} has deviations of its own: {own}."
        across = {"counterexample": "a deviation across rows would be one for each column"}
        yield said(f"tab{number}.caption", len(each) == 1, name, each, told, **across)
        yield said(f"tab{number}.caption", own, name, each, told, reading=CHARITABLE)
        if number == 3:
            yield said("exp.plots.announced", own, name, each, told)
    wrong = consistency.impossible(tables.four, RUNS - 1)
    told = "The divisor of the deviation is not said, and one cell of Table 4 is impossible."
    yield said("list.statistics", not wrong, "impossible-table-4-sample", wrong, told)


@check(
    "exp.pautomac.width",
    "exp.train.counting.width",
    "exp.train.k.depth",
    "exp.train.k.widths",
    "exp.k.n-squared",
)
def trained_sizes_beside_constructed_ones(job: Job) -> Iterator[Evidence]:
    """Compare every trained width and depth with what the constructions take."""
    least = min(int(row.states) for row in PRINTED.one.values())
    small = compare("embedding", least, 64, 64)
    told = f"Six states, the fewest of Table 1, take an embedding of {small['needed']} > 64."
    yield size("exp.pautomac.width", bool(small["met"]), small, told)
    yield size("exp.pautomac.width", not small["met"], small, told, CHARITABLE)
    wide = compare("embedding", 2, 16, 16)
    told = f"Two states take an embedding of {wide['needed']}, and 16 is used."
    yield size("exp.train.counting.width", bool(wide["met"]), wide, told)
    shallow = compare("depth", 3, 32, 4)
    told = f"At T = 32 the construction has {shallow['needed']} layers; four are trained."
    yield size("exp.train.k.depth", bool(shallow["met"]), shallow, told)
    yield size("exp.train.k.depth", not shallow["met"], shallow, told, CHARITABLE)
    yield from _widths()


def _widths() -> Iterator[Evidence]:
    largest = compare("embedding", max(COUNTED) + 1, 32, max(WIDTHS))
    told = (
        f"For k = 8 the construction takes {largest['needed']} and n² is 81; the largest trained "
        f"embedding is {max(WIDTHS)}."
    )
    yield size("exp.train.k.widths", bool(largest["met"]), largest, told)
    square = compare("embedding", max(COUNTED) + 1, 32, (max(COUNTED) + 1) ** 2)
    told = f"For n = 9 the theorems' embedding is {square['needed']}; n² is 81."
    yield size("exp.k.n-squared", bool(square["needed"] == 81), square, told)
    told = "2n² + 2 ≤ 4n² for every n ≥ 1, so n² is right up to a constant factor."
    factor = all(theorem1.layout(k + 1).size <= 4 * (k + 1) ** 2 for k in COUNTED)
    yield size("exp.k.n-squared", factor, square, told, CHARITABLE)
    enough = all(theorem1.layout(k + 1).size == 2 * (k + 1) ** 2 + 2 for k in COUNTED)
    told = "The construction has embedding 2n² + 2 for n = 3, 5, 7, 9."
    yield size("exp.k.n-squared", enough, square, told, REPAIRED)


@check(
    "exp.train.split",
    "exp.train.architecture",
    "exp.train.counting.data",
    "exp.train.examples",
    "exp.train.k.same",
)
def data_and_architecture_as_described(job: Job) -> Iterator[Evidence]:
    """Check shares, head sizes and the data procedure of Appendix D.1."""
    parts = [EXAMPLES * share // 100 for share in SHARES]
    body: dict[str, Any] = {"kind": "experiments.split", "examples": EXAMPLES}
    body |= {"shares": list(SHARES), "parts": parts}
    told = f"{_list(SHARES)} per cent of {EXAMPLES} examples are {_list(parts)}."
    yield _described("exp.train.split", sum(parts) == EXAMPLES, body, told)
    widths = sorted({*WIDTHS, 16, 64})
    even = all(width % 2 == 0 for width in widths)
    body = {"kind": "experiments.heads", "heads": 2, "widths": widths, "divide": even}
    yield _described("exp.train.architecture", even, body, f"Two heads divide {_list(widths)}.")
    body = {"kind": "experiments.data", "lengths": list(LENGTHS), "examples": EXAMPLES}
    told = (
        "One sequence for each t in [T] makes 16, 32 or 64 sequences, not 10 000; drawn from Σ "
        "they have one symbol; T rows leave out one of the T + 1 states of Definition 3.1."
    )
    yield _described("exp.train.counting.data", EXAMPLES in LENGTHS, body, told, told)
    told = "The number is stated once; the data procedure printed for counting makes T examples."
    yield seen("exp.train.examples", None, told)
    told = "The passage names the alphabet as the one difference; nothing else bears on it."
    yield seen("exp.train.k.same", None, told)


def _described(
    claim: str, holds: bool, body: dict[str, Any], told: str, counterexample: str = ""
) -> Evidence:
    return Evidence(
        claim,
        Outcome.HOLDS if holds else Outcome.FAILS,
        Strength.EXACT,
        "Appendix D.1",
        told,
        certificate=body,
        counterexample=counterexample,
    )


WORDS = {
    "epochs": ("number of epochs", "epochs =", "epoch "),
    "batch": ("batch",),
    "dropout": ("dropout",),
    "activation": ("activation", "relu"),
    "positions": ("positional encoding", "position embedding"),
}


@check("list.training", needs=("paper",))
def training_details_are_given(job: Job) -> Iterator[Evidence]:
    """Look for epochs, batch size, dropout, activation and positions in the source."""
    if job.paper is None:
        told = "paper source not given"
        yield Evidence("list.training", Outcome.UNAVAILABLE, Strength.EXACT, "", told)
        return
    yield details(job.paper.read_text(encoding="utf-8"))


def details(source: str) -> Evidence:
    """Say which choices the experimental part does not mention."""
    start = source.find("\\section{EXPERIMENTS}")
    end = source.find("\\section{RELATED WORKS}")
    part = source[start:end] + source[source.rfind("\\section{Experiments}") :]
    unsaid = [name for name, words in WORDS.items() if not any(w in part.lower() for w in words)]
    body = {"kind": "experiments.unsaid", "paper": PAPER_SHA256, "unsaid": unsaid}
    told = (
        f"The experimental part never mentions {_list(unsaid) or 'nothing that was looked for'}; "
        f"{len(UNSAID)} choices had to be made to train again."
    )
    return _described("list.training", not unsaid, body, told, _list(unsaid))
