"""The weights of the machine-checked proofs and those of the program, entry by entry.

Each model that a theorem of `verify/coq` speaks of is evaluated by Coq for small sizes, printed as
text (`Entries.v`, `NoPadsEntries.v`, `MLPEntries.v`, `TreeEntries.v`, `FreeEntries.v`,
`SharedEntries.v`, `CleanWordsEntries.v`, `CleanTreeEntries.v`, `LogDepthEncoderEntries.v`,
`DecoderEntries.v`, `UnrolledEntries.v`), read back, and
compared with the transformer that `constructions` builds for an automaton whose weights are all
different: every layer and head with its attention and mask, W_O, blocks, readout, positions, tokens,
biases, residual connections and normalisations. Beyond these sizes the built models are run against the
automaton (`runs`).

    sequences    Theorems 1 and 2 with exact products, with and without √C; T no power of two too
    unrolled     one step of the automaton a layer, T layers
    no-pads      exact simulation on T + 1 tokens, positions carried by a third head
    clean-words  Theorem 2 on T + 1 tokens, positions given once
    mlp          Theorem 2 with the MLP of 4n³ units in every layer
    trees        Theorem 3 with masks and integer positions
    free         Theorem 3 without masks
    clean-trees  Theorem 3 on the string alone, positions given once
    logdepth-trees O(log T) layers for all trees, on the string alone
    logdepth-short the same with depths by one softmax head
    tree-units   the hidden units of Theorem 3's MLPs, shared among products; with and without masks
    decoder      Theorems A and B: plain and gated blocks, hard and soft
    tree-decoder the decoder for trees, hard and soft

Not data of the proofs, but fixed by their forward pass, are the attention of sequence models (hard
for `Theorem1.simulator`, softmax for `Theorem2.soft_simulator`) and that one activation serves all
layers; the cases below say them. Theorems about no model (strings, norms) have nothing to compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial

from verify.coq.build import JOBS, compile_file, compiled, importing
from verify.coq.printed import Case
from verify.coq.runs import draws, mistakes
from verify.coq.weights_decoders import tree_cases as tree_decoder_cases
from verify.coq.weights_decoders import word_cases as decoder_cases
from verify.coq.weights_trees import (
    CLEAN,
    LOGDEPTH,
    MASKED,
    MASKLESS,
    SHORT,
    Build,
    clean_hard,
    logdepth_hard,
    logdepth_short,
    made_soft,
    masked_hard,
    masked_soft,
    maskless_hard,
    tree_cases,
    unit_cases,
)
from verify.coq.weights_words import (
    clean_cases,
    mlp_cases,
    no_pads_cases,
    stepwise_cases,
    word_cases,
)

HEADER = "Import ListNotations. Set Printing Width 10000000. Set Printing Depth 10000000."


@dataclass(frozen=True)
class Difference:
    """A weight of a proof that is not the program's: model, sizes, which weight, how it differs."""

    model: str
    where: str
    weight: str
    what: str

    def __str__(self) -> str:
        return f"{self.model}, {self.where}, {self.weight}: {self.what}"


@dataclass(frozen=True)
class Model:
    """A model that proofs speak of: the files of Coq it needs, and the cases compared."""

    name: str
    modules: str
    cases: Sequence[Case]

    def script(self, importing: str) -> str:
        """The Coq text that evaluates all cases, after a sentence that makes the files known."""
        lines = [
            "From Coq Require Import String List Arith.",
            f"{importing} Import {self.modules}.",
            HEADER,
            "Open Scope string_scope.",
        ]
        for place, term in enumerate(self.terms):
            lines.append(f'Redirect "term{place}" Eval vm_compute in ({term}).')
        return "\n".join(lines) + "\n"

    @property
    def terms(self) -> tuple[str, ...]:
        """What Coq evaluates: a term that several cases have in common once."""
        return tuple(dict.fromkeys(case.term for case in self.cases))

    @property
    def sizes(self) -> list[str]:
        """The sizes for which weights are compared."""
        return list(dict.fromkeys(case.where for case in self.cases))

    def witness(self, seed: int) -> str:
        """For which sizes the weights are compared, and at which the model is run."""
        drawn = "; ".join(draw.sizes for draw in draws(self.name, seed))
        return f"{self.name}: compared entry by entry for {'; '.join(self.sizes)}; run at {drawn}"


@cache
def evaluated(name: str) -> tuple[str, ...]:
    """What Coq prints for each case of a model; evaluated once a process."""
    model = MODELS[name]
    with compiled([f"{module}.v" for module in model.modules.split()]) as build:
        (build / "_Evaluate.v").write_text(model.script(importing(build)), "utf-8")
        compile_file(build, "_Evaluate.v")
        printed = {
            term: (build / f"term{place}.out").read_text("utf-8")
            for place, term in enumerate(model.terms)
        }
    return tuple(printed[case.term] for case in model.cases)


def compare(name: str) -> list[Difference]:
    """Where the weights of a model in the proofs and in the program differ (nowhere)."""
    return [
        Difference(name, case.where, weight, what)
        for case, text in zip(MODELS[name].cases, evaluated(name), strict=True)
        for weight, what in case.differences(text)
    ]


def run(name: str, seed: int) -> list[Difference]:
    """Where a built model does not have the automaton's states, at sizes that a seed decides."""
    return [Difference(name, *line) for line in mistakes(name, seed)]


def compare_all(seed: int, names: Sequence[str]) -> list[Difference]:
    """Where the weights or the runs of some models differ; `JOBS` models are evaluated at a time."""
    with ThreadPoolExecutor(JOBS) as pool:
        list(pool.map(evaluated, names))
    return [line for name in names for line in (*compare(name), *run(name, seed))]


def softened(hard: Build) -> tuple[str, Build]:
    """The soft model that a hard one becomes."""
    return "Soft", partial(made_soft, hard)


MODELS = {
    model.name: model
    for model in (
        Model("sequences", "Model Entries", list(word_cases())),
        Model("unrolled", "Model Unrolled UnrolledEntries", list(stepwise_cases())),
        Model("no-pads", "Model NoPads NoPadsEntries", list(no_pads_cases())),
        Model("clean-words", "TreeModel CleanWords CleanWordsEntries", list(clean_cases())),
        Model("mlp", "MLPModel MLPEntries", list(mlp_cases())),
        Model(
            "trees",
            "Trees TreeModel TreeLayers TreeEntries",
            tree_cases(MASKED, ("Hard", masked_hard), ("Soft", masked_soft), softened(masked_hard)),
        ),
        Model(
            "free",
            "Trees TreeModel TreeLayers FreeModel FreeEntries",
            tree_cases(MASKLESS, ("Hard", maskless_hard), softened(maskless_hard)),
        ),
        Model(
            "clean-trees",
            "Trees TreeModel TreeLayers CleanTreeModel CleanTreeEntries",
            tree_cases(CLEAN, ("Hard", clean_hard), softened(clean_hard)),
        ),
        Model(
            "logdepth-trees",
            "Trees TreeModel CleanTreeModel LogDepthEncoder LogDepthEncoderEntries",
            tree_cases(LOGDEPTH, ("Hard", logdepth_hard), softened(logdepth_hard)),
        ),
        Model(
            "logdepth-short",
            "Trees TreeModel CleanTreeModel LogDepthEncoder LogDepthEncoderSum LogDepthEncoderEntries",
            tree_cases(SHORT, ("Soft", logdepth_short)),
        ),
        Model(
            "tree-units",
            "Trees TreeModel TreeLayers FreeModel TreeEntries FreeEntries SharedEntries",
            unit_cases(),
        ),
        Model("decoder", "DecoderEntries", list(decoder_cases())),
        Model("tree-decoder", "Trees DecoderEntries", list(tree_decoder_cases())),
    )
}
