"""Language models against the automata they are of: a table in Markdown.

    python bench/table_language.py [--lengths 16 64] [--dtypes float32 float64] [--formats NAME …]

Rows          automaton × format × type × T, for every format that holds language models and whose libraries
              are there; safetensors and npz hold the decoder of transformerlens, and are left out
              unless they are named
Certified     total variation of the next-symbol distribution, with rounding in the type where that is
              certified, else in exact arithmetic, marked so
Measured      the largest total variation over all prefixes of words drawn from the automaton, by the model as
              its library loads it
χ²            p-value of the first symbols of sampled words against their exact probabilities: by
              `generate()` where the class has it, else by drawing from softmax
Loss          cross-entropy a symbol on drawn words, and how far it is from -log p(w)/T, which tends to the
              entropy rate
PAutomaC      the model of problem 39, where ASSAY_PAUTOMAC has it
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parent.parent)]
os.environ |= {"TRANSFORMERS_VERBOSITY": "error", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}

import mpmath  # noqa: E402 - the clone's packages are found by the line before
import torch  # noqa: E402

import assay  # noqa: E402
from constructions.automata.prediction import EOS, Predictor  # noqa: E402
from constructions.exports.formats import NAMES, format_of  # noqa: E402
from verify.automaton.variation import largest_variation  # noqa: E402

WORDS, SAMPLES, FIRST, SEED = 4, 4000, 3, 1
SAME = ("safetensors", "npz")  # the decoder of transformerlens
PROBLEM = 39
COMPETITION = f"PAutomaC {PROBLEM}, n = 6"
LONGEST = {COMPETITION: 8}  # beyond, no constants are found that keep the variation
COLUMNS = (
    "automaton",
    "format",
    "type",
    "T",
    "certified",
    "measured",
    "χ² p",
    "loss",
    "loss + log p(w)/T",
)
Automata = dict[str, Callable[[], Any]]


def automata() -> Automata:
    """Deterministic ones, HMMs, one with negative weights, one whose words end, one of a competition."""
    words = ["abba", "ab", "b", "abab"]
    parity = {"a": [[0, "1/2"], ["1/3", 0]], "b": [["1/2", 0], [0, "2/3"]]}
    listed: Automata = {
        "trigrams, n = 6": lambda: assay.processes.ngram(words, 3),
        "parity, n = 2": lambda: assay.WFA.of([1, 0], parity, [1, 1]),
        "Mess3, n = 3": assay.processes.mess3,
        "generalised HMM, n = 3": assay.processes.generalised,
        "PFA with ends, n = 2": lambda: assay.automaton_by_name("pfa:2:1"),
    }
    folder = os.environ.get("ASSAY_PAUTOMAC")
    if folder:
        path = Path(folder) / f"{PROBLEM}.pautomac_model.txt"
        listed[COMPETITION] = lambda: assay.load(path)
    return listed


def formats() -> list[str]:
    """The formats that hold language models."""
    return [
        n for n in NAMES if "next" in getattr(format_of(n), "heads", ("next",)) and n not in SAME
    ]


@dataclass(frozen=True)
class LibraryModel:
    """A model as its library has it, with the source that it is of."""

    model: Any
    source: Predictor

    def logits(self, tokens: torch.Tensor) -> torch.Tensor:
        """Logits in float64 for tokens (batch, t)."""
        with torch.no_grad():
            return self.model.module(tokens).double()

    def numbers(self, word: Sequence[str]) -> list[int]:
        """BOS and the symbols of a word."""
        tokens = self.model.description["tokens"]
        return [tokens.index(symbol) for symbol in (*self.model.description["begin"], *word)]

    def variation(self, words: Sequence[tuple[str, ...]]) -> float:
        """The largest total variation over all prefixes."""
        rows = [(self.logits(torch.tensor([self.numbers(word)]))[0], word) for word in words]
        return max(largest_variation(logits, self.source, word) for logits, word in rows)

    def loss(self, words: Sequence[tuple[str, ...]]) -> float:
        """Cross-entropy a symbol."""
        losses = []
        for word in words:
            numbers = torch.tensor([self.numbers(word)])
            logits = self.logits(numbers)[0, :-1]
            losses.append(float(torch.nn.functional.cross_entropy(logits, numbers[0, 1:])))
        return sum(losses) / len(losses)

    def sample(self) -> Iterator[tuple[str, ...]]:
        """The first symbols of sampled words, up to the end of a word."""
        torch.manual_seed(SEED)
        begin = torch.tensor([self.numbers(())] * SAMPLES)
        library = getattr(self.model.module, "model", None)
        if hasattr(library, "generate"):
            drawn = library.generate(begin, max_new_tokens=FIRST)[:, 1:]
        else:
            drawn = self._drawn(begin)[:, 1:]
        tokens = self.model.description["tokens"]
        for row in drawn.tolist():
            word = [tokens[k] if k < len(tokens) else EOS for k in row]
            yield tuple(word[: word.index(EOS) + 1] if EOS in word else word)

    def _drawn(self, tokens: torch.Tensor) -> torch.Tensor:
        for _ in range(FIRST):
            chances = self.logits(tokens)[:, -1].softmax(-1)
            tokens = torch.cat([tokens, torch.multinomial(chances, 1)], dim=1)
        return tokens

    def fit(self) -> float:
        """The p-value of χ², cells with an expectation below 5 taken together."""
        counts, cells = Counter(self.sample()), [[0.0, 0.0]]
        for word in beginnings(self.source):
            expected = SAMPLES * float(self.source.probability(word))
            cell = [float(counts.pop(word, 0)), expected]
            if expected >= 5:
                cells.append(cell)
            else:
                cells[0] = [cells[0][0] + cell[0], cells[0][1] + expected]
        if counts:
            return 0.0  # a word that the source never emits
        used = [(seen, expected) for seen, expected in cells if expected > 0]
        statistic = sum((seen - expected) ** 2 / expected for seen, expected in used)
        return float(mpmath.gammainc(max(len(used) - 1, 1) / 2, statistic / 2, regularized=True))


def beginnings(source: Predictor) -> list[tuple[str, ...]]:
    """All possible first symbols: FIRST of them, or fewer and EOS."""
    words: list[tuple[str, ...]] = [()]
    for _ in range(FIRST):
        going = [word for word in words if EOS not in word]
        ended = [word for word in words if EOS in word]
        words = ended + [
            (*word, symbol)
            for word in going
            for symbol, chance in source.distribution(word).items()
            if chance > 0
        ]
    return words


def row(name: str, automaton: Any, form: str, dtype: str, length: int) -> tuple[str, ...]:
    """One line of the table; what is refused says why in its place."""
    cells = (name, form, dtype, str(length))
    try:
        order = assay.Order(length, format=form, head="next", dtype=dtype)
        written = assay.export(automaton, order, tempfile.mkdtemp())
        model = LibraryModel(assay.load_model(written.folder), assay.predictor(automaton))
    except assay.InputError as error:
        return (*cells, f"refused ({error.field})", "–", "–", "–", "–")
    random = Random(SEED)
    words = [model.source.sample(length, random) for _ in range(WORDS)]
    exact = -sum(math.log(model.source.probability(word)) for word in words) / WORDS / length
    loss, guarantee = model.loss(words), written.guarantee
    certified = guarantee.rounded or f"{guarantee.error} (exact arithmetic)"
    measured = f"{model.variation(words):.1e}"
    return (
        *cells,
        certified,
        measured,
        f"{model.fit():.2f}",
        f"{loss:.5f}",
        f"{loss - exact:+.1e}",
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, a line as soon as it is there."""
    parser = argparse.ArgumentParser(description="language models against their automata")
    parser.add_argument("--lengths", type=int, nargs="+", default=[16])
    parser.add_argument("--dtypes", nargs="+", default=["float32", "float64"])
    parser.add_argument("--formats", nargs="+", default=formats(), choices=NAMES)
    given, begun = parser.parse_args(arguments), time.process_time()
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}", flush=True)
    for name, make in automata().items():
        automaton = make()
        lengths = sorted({min(length, LONGEST.get(name, length)) for length in given.lengths})
        for form, dtype, length in product(given.formats, given.dtypes, lengths):
            print(f"| {' | '.join(row(name, automaton, form, dtype, length))} |", flush=True)
    print(
        f"\n{time.process_time() - begun:.0f} CPU seconds, torch {torch.__version__}",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
