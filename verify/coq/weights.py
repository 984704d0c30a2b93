"""The weights of the machine-checked proofs and those of the program, entry by entry.

Coq evaluates each model that a theorem is about to text (the files `*Entries.v`), which is
read back and compared with the transformer that `constructions` builds for an automaton whose weights are
rational, of both signs and all different: every layer and head with its attention and mask, W_O, blocks,
readout, positions, tokens, biases, residual connections and normalisations, exactly and without tolerance.

    sequences    Theorems 1 and 2 with exact products, with and without √C
    unrolled     one step of the automaton a layer, T layers
    no-pads      exact simulation on T + 1 tokens, positions carried by a third head
    clean-words  Theorem 2 on T + 1 tokens, positions given once; with products and with MLPs
    mlp          Theorem 2 with the MLP of 4n³ units in every layer
    trees        Theorem 3 with masks and integer positions
    free         Theorem 3 without masks
    clean-trees  Theorem 3 on the string alone, positions given once
    logdepth-trees O(log T) layers for all trees, on the string alone
    logdepth-short the same with depths by one softmax head
    tree-units   the hidden units of the MLPs of all tree models, shared among products
    decoder      Theorems A and B: plain and gated blocks, hard and soft
    tree-decoder the decoder for trees, hard and soft

Sizes         a few small ones (`WORDS`, `TREES`), and larger ones that a seed decides (`drawn`): up to 9
              states, T up to 100, at least 8 letters and C above 1000. Beyond these the built models are
              run against the automaton (`runs`)
Fixed         the forward pass of a proof fixes some parts that its data do not hold; cases name them:
              the attention of sequence models, and that one activation serves all layers

Theorems about no model (strings, norms) have nothing to compare.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial

from verify.coq.build import JOBS, compile_file, compiled, importing
from verify.coq.models import FORMS
from verify.coq.printed import PACK, Case
from verify.coq.runs import draws, mistakes
from verify.coq.samples import Draw, Range, distinct_leaves, drawn_sizes

HEADER = "Import ListNotations. Set Printing Width 10000000. Set Printing Depth 10000000."
SATURATION = Fraction(3)
Sizes = Sequence[tuple[int, int] | tuple[int, int, str]]
LEAVES = 9
WORDS = ((1, 1), (1, 2), (2, 3), (2, 4), (3, 2))
FIVE = ((1, 1), (1, 2), (2, 3), (2, 5), (3, 2))
TREES = ((1, 4, "[ab]"), (2, 7, "[a[bc]]"), (2, 8, "[[ab]a]"), (3, 1, "a"))


@dataclass(frozen=True)
class Difference:
    """A weight of a proof that is not the program's: model, sizes, name of the weight, difference."""

    model: str
    where: str
    weight: str
    what: str

    def __str__(self) -> str:
        return f"{self.model}, {self.where}, {self.weight}: {self.what}"


@dataclass(frozen=True)
class ComparedModel:
    """A model of the proofs: the files of Coq it needs, fixed sizes, and ranges of n and T for drawn ones."""

    name: str
    modules: str
    fixed: Sizes
    ranges: Sequence[tuple[Range, Range]]

    def cases_for(self, seed: int) -> Iterator[Case]:
        """Yield the cases of the fixed sizes and of those that a seed decides."""
        for size in self.fixed:
            yield from (form.case(*size, SATURATION) for form in FORMS[self.name])
        for draw in self.drawn(seed):
            constant = draw.number("C", 1001, 10**6) + Fraction(1, 3)
            tree = (distinct_leaves(draw, LEAVES),) if len(self.fixed[0]) == 3 else ()
            for form in FORMS[self.name]:
                yield form.case(draw.n, draw.length, *tree, constant)

    def drawn(self, seed: int) -> list[Draw]:
        """Return the sizes that a seed decides."""
        return drawn_sizes(seed, f"compared {self.name}", self.ranges)

    def script(self, importing: str, terms: Sequence[str]) -> str:
        """Return the Coq text that evaluates terms, after a sentence that makes the files known."""
        lines = [
            "From Coq Require Import String List Arith.",
            HEADER,
            PACK,
            f"{importing} Import {self.modules}.",
            "Open Scope string_scope.",
        ]
        for place, term in enumerate(terms):
            lines.append(f'Redirect "term{place}" Eval vm_compute in (Packing.pack ({term})).')
        return "\n".join(lines) + "\n"

    @property
    def sizes(self) -> list[str]:
        """Return the fixed sizes in words."""
        return [
            f"n = {n}, T = {length}{''.join(f', {text}' for text in tree)}"
            for n, length, *tree in self.fixed
        ]

    def witness(self, seed: int) -> str:
        """Return one line with the sizes that are compared and those that are run."""
        compared = [*self.sizes, *(draw.sizes for draw in self.drawn(seed))]
        run_at = "; ".join(draw.sizes for draw in draws(self.name, seed))
        return f"{self.name}: compared entry by entry for {'; '.join(compared)}; run at {run_at}"


@cache
def evaluated(name: str, seed: int) -> dict[str, str]:
    """Return what Coq prints for each term of a model's cases; evaluated once a process."""
    model = MODELS[name]
    terms = list(dict.fromkeys(case.term for case in model.cases_for(seed)))
    with compiled([f"{module}.v" for module in model.modules.split()]) as build:
        (build / "_Evaluate.v").write_text(model.script(importing(build), terms), "utf-8")
        compile_file(build, "_Evaluate.v")
        return {
            term: (build / f"term{place}.out").read_text("utf-8")
            for place, term in enumerate(terms)
        }


def compare(name: str, seed: int) -> list[Difference]:
    """Return the differences between the weights of a model in the proofs and in the program."""
    printed = evaluated(name, seed)
    return [
        Difference(name, case.where, weight, what)
        for case in MODELS[name].cases_for(seed)
        for weight, what in case.differences(printed[case.term])
    ]


def run(name: str, seed: int) -> list[Difference]:
    """Return where a built model misses the automaton's states, at sizes that a seed decides."""
    return [Difference(name, *line) for line in mistakes(name, seed)]


def compare_all(seed: int, names: Sequence[str]) -> list[Difference]:
    """Return the differences of some models in weights or runs; `JOBS` are evaluated at a time."""
    with ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(partial(evaluated, seed=seed), names))
    return [line for name in names for line in (*compare(name, seed), *run(name, seed))]


# For each model: files, fixed sizes, and ranges of n and T: many states, long words, many letters
MANY, FEW, NINE, ONE, FOUR = (4, 5), (1, 2), (9, 9), (1, 1), (4, 4)
LONG, SOME, PAIR, TALL, ROWS = (65, 100), (8, 12), (2, 3), (41, 70), (33, 40)
SHORT_WORDS, LARGE_TREES, HIGH_TREES = (NINE, (2, 2)), (FEW, LONG), (ONE, TALL)
TREE, ENCODER = "Trees TreeModel TreeLayers", "Trees TreeModel CleanTreeModel LogDepthEncoder"
UNITS = "TreeEntries FreeEntries SharedEntries"
TABLE: dict[str, tuple[str, Sizes, Sequence[tuple[Range, Range]]]] = {
    "sequences": (
        "Model Entries",
        WORDS,
        ((ONE, LONG), (FEW, SOME), (MANY, PAIR), SHORT_WORDS),
    ),
    "unrolled": (
        "Model Unrolled UnrolledEntries",
        WORDS,
        ((FEW, ROWS), (MANY, PAIR), SHORT_WORDS),
    ),
    "no-pads": ("Model NoPads NoPadsEntries", FIVE, ((ONE, LONG), (FEW, SOME), (MANY, PAIR))),
    "clean-words": (
        f"TreeModel FreeModel CleanWords CleanWordsEntries {UNITS}",
        FIVE,
        ((FEW, LONG), (MANY, SOME), SHORT_WORDS),
    ),
    "mlp": (
        "MLPModel MLPEntries",
        ((1, 2), (2, 3), (3, 2)),
        ((ONE, ROWS), (FEW, SOME), (FOUR, (2, 2))),
    ),
    "trees": (f"{TREE} TreeEntries", TREES, (LARGE_TREES, (NINE, (4, 7)))),
    "free": (f"{TREE} FreeModel FreeEntries", TREES, (LARGE_TREES, (NINE, (4, 7)))),
    "clean-trees": (
        f"{TREE} CleanTreeModel CleanTreeEntries",
        TREES,
        (LARGE_TREES, (NINE, (4, 7))),
    ),
    "logdepth-trees": (f"{ENCODER} LogDepthEncoderEntries", TREES, (HIGH_TREES, (NINE, FOUR))),
    "logdepth-short": (
        f"{ENCODER} LogDepthEncoderSum LogDepthEncoderEntries",
        TREES,
        (HIGH_TREES, (NINE, FOUR)),
    ),
    "tree-units": (
        f"{ENCODER} LogDepthEncoderSum LogDepthEncoderEntries TreeLayers FreeModel"
        f" CleanTreeEntries {UNITS}",
        TREES[:2],
        ((ONE, (41, 46)), ((3, 3), FOUR)),
    ),
    "decoder": ("DecoderEntries", WORDS, ((ONE, (33, 64)), (FEW, SOME), (FOUR, (2, 2)))),
    "tree-decoder": (
        "Trees DecoderEntries",
        (*TREES[:2], (2, 10, "[[ab]a]"), TREES[3]),
        ((ONE, LONG), (FOUR, FOUR)),
    ),
}
MODELS = {name: ComparedModel(name, *row) for name, row in TABLE.items()}
