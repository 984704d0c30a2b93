"""The weights of the machine-checked proofs and those of the program, entry by entry.

Coq evaluates each model that a theorem is about and prints it as text (the files `*Entries.v`). It is
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

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial

from verify.coq.build import JOBS, compile_file, compiled, importing
from verify.coq.printed import Case
from verify.coq.runs import draws, mistakes
from verify.coq.samples import Draw, distinct_leaves, number
from verify.coq.weights_decoders import tree_cases as tree_decoder_cases
from verify.coq.weights_decoders import word_cases as decoder_cases
from verify.coq.weights_trees import (
    CLEAN,
    LOGDEPTH,
    MASKLESS,
    clean,
    hard_and_soft_cases,
    logdepth,
    masked_cases,
    maskless,
    short_cases,
    unit_cases,
)
from verify.coq.weights_words import (
    clean_cases,
    mlp_cases,
    no_pads_cases,
    printed_cases,
    stepwise_cases,
)

HEADER = "Import ListNotations. Set Printing Width 10000000. Set Printing Depth 10000000."
SATURATION = Fraction(3)
LEAVES = 9
WORDS = ((1, 1), (1, 2), (2, 3), (2, 4), (3, 2))
FIVE = ((1, 1), (1, 2), (2, 3), (2, 5), (3, 2))
TREES = ((1, 4, "[ab]"), (2, 7, "[a[bc]]"), (2, 8, "[[ab]a]"), (3, 1, "a"))
Range = tuple[int, int]


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
    """A model of the proofs: the files of Coq it needs, its cases at given sizes, and which sizes.

    `cases` takes n, T, for trees the string of a tree, and C.
    """

    name: str
    modules: str
    cases: Callable[..., Iterable[Case]]
    fixed: Sequence[tuple[int, int] | tuple[int, int, str]]
    ranges: Sequence[tuple[Range, Range]]

    def cases_for(self, seed: int) -> Iterator[Case]:
        """Yield the cases of the fixed sizes and of those that a seed decides."""
        for size in self.fixed:
            yield from self.cases(*size, SATURATION)
        for draw in self.drawn(seed):
            constant = draw.number("C", 1001, 10**6) + Fraction(1, 3)
            tree = (distinct_leaves(draw, LEAVES),) if len(self.fixed[0]) == 3 else ()
            yield from self.cases(draw.n, draw.length, *tree, constant)

    def drawn(self, seed: int) -> list[Draw]:
        """Return the sizes that a seed decides."""
        return [
            Draw(
                seed,
                f"compared {self.name}",
                place,
                number(seed, f"compared {self.name} {place} n", *states),
                number(seed, f"compared {self.name} {place} T", *lengths),
            )
            for place, (states, lengths) in enumerate(self.ranges)
        ]

    def script(self, importing: str, terms: Sequence[str]) -> str:
        """Return the Coq text that evaluates terms, after a sentence that makes the files known."""
        lines = [
            "From Coq Require Import String List Arith.",
            f"{importing} Import {self.modules}.",
            HEADER,
            "Open Scope string_scope.",
        ]
        for place, term in enumerate(terms):
            lines.append(f'Redirect "term{place}" Eval vm_compute in ({term}).')
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


# Drawn sizes: many states, and a long word or a large tree with many letters
MANY, FEW, NINE = (4, 5), (1, 2), (9, 9)
LONG, SOME, PAIR, TALL = (65, 100), (8, 12), (2, 3), (41, 70)
UNITS_FILES = "TreeEntries FreeEntries SharedEntries"
MODELS = {
    model.name: model
    for model in (
        ComparedModel(
            "sequences",
            "Model Entries",
            printed_cases,
            WORDS,
            (((1, 1), LONG), (FEW, SOME), (MANY, PAIR), (NINE, (2, 2))),
        ),
        ComparedModel(
            "unrolled",
            "Model Unrolled UnrolledEntries",
            stepwise_cases,
            WORDS,
            ((FEW, (33, 40)), (MANY, PAIR), (NINE, (2, 2))),
        ),
        ComparedModel(
            "no-pads",
            "Model NoPads NoPadsEntries",
            no_pads_cases,
            FIVE,
            (((1, 1), LONG), (FEW, SOME), (MANY, PAIR)),
        ),
        ComparedModel(
            "clean-words",
            f"TreeModel FreeModel CleanWords CleanWordsEntries {UNITS_FILES}",
            clean_cases,
            FIVE,
            ((FEW, LONG), (MANY, SOME), (NINE, (2, 2))),
        ),
        ComparedModel(
            "mlp",
            "MLPModel MLPEntries",
            mlp_cases,
            ((1, 2), (2, 3), (3, 2)),
            (((1, 1), (33, 40)), (FEW, SOME), ((4, 4), (2, 2))),
        ),
        ComparedModel(
            "trees",
            "Trees TreeModel TreeLayers TreeEntries",
            masked_cases,
            TREES,
            ((FEW, LONG), (NINE, (4, 7))),
        ),
        ComparedModel(
            "free",
            "Trees TreeModel TreeLayers FreeModel FreeEntries",
            partial(hard_and_soft_cases, MASKLESS, maskless),
            TREES,
            ((FEW, LONG), (NINE, (4, 7))),
        ),
        ComparedModel(
            "clean-trees",
            "Trees TreeModel TreeLayers CleanTreeModel CleanTreeEntries",
            partial(hard_and_soft_cases, CLEAN, clean),
            TREES,
            ((FEW, LONG), (NINE, (4, 7))),
        ),
        ComparedModel(
            "logdepth-trees",
            "Trees TreeModel CleanTreeModel LogDepthEncoder LogDepthEncoderEntries",
            partial(hard_and_soft_cases, LOGDEPTH, logdepth),
            TREES,
            (((1, 1), TALL), (NINE, (4, 4))),
        ),
        ComparedModel(
            "logdepth-short",
            "Trees TreeModel CleanTreeModel LogDepthEncoder LogDepthEncoderSum LogDepthEncoderEntries",
            short_cases,
            TREES,
            (((1, 1), TALL), (NINE, (4, 4))),
        ),
        ComparedModel(
            "tree-units",
            "Trees TreeModel TreeLayers FreeModel CleanTreeModel CleanTreeEntries LogDepthEncoder"
            f" LogDepthEncoderSum LogDepthEncoderEntries {UNITS_FILES}",
            unit_cases,
            TREES[:2],
            (((1, 1), (41, 46)), ((3, 3), (4, 4))),
        ),
        ComparedModel(
            "decoder",
            "DecoderEntries",
            decoder_cases,
            WORDS,
            (((1, 1), (33, 64)), (FEW, SOME), ((4, 4), (2, 2))),
        ),
        ComparedModel(
            "tree-decoder",
            "Trees DecoderEntries",
            tree_decoder_cases,
            (*TREES[:2], (2, 10, "[[ab]a]"), TREES[3]),
            (((1, 1), LONG), ((4, 4), (4, 4))),
        ),
    )
}
