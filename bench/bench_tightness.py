"""Ratio of certificates to the worst error that an attack finds: certified / found.

Words and trees are those of `verify.automaton.inputs`, and of the worst word, or the four worst trees,
letters, leaves and rotations are changed one at a time, round by round (`climb`). A ratio of 1 is the best
there is; one below 1 would be a false certificate, and is counted. Models run in the arithmetic of the
certificate; certificates in exact arithmetic are compared with float64 runs, at an ε far above its rounding.
Pairs with a measured error of 0 have no ratio and are counted.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from importlib.util import find_spec
from random import Random
from statistics import median

import flint
import torch

from constructions import theorem1, theorem3
from constructions.automata.families import counting, hmm
from constructions.automata.named import automaton_by_name
from constructions.automata.prediction import predictor
from constructions.automata.random_trees import rational_wta
from constructions.automata.trees import most_leaves
from constructions.automata.wfa import WFA
from constructions.core.errors import InputError
from constructions.core.exact import ceiling
from constructions.exports.built_model import Constants, ExportModel
from constructions.exports.loader import FolderModel, load_model
from constructions.exports.order import Order, settle
from constructions.modules import to_torch
from verify.automaton import rounding, soft
from verify.automaton.export import export, make
from verify.automaton.inputs import climb, neighbours, words
from verify.automaton.rounding_exact import rounded_tree_error
from verify.automaton.sampling import Measurement, attack, inputs
from verify.automaton.variation import largest_variation
from verify.bounds.floating import FORMATS
from verify.bounds.growth import listed_products, products
from verify.bounds.scaled import scaled_products, soft_errors
from verify.bounds.states import state_bounds

ROUNDS, TREE_ROUNDS, TREES_A_ROUND = 2, 8, 4
WORDS: dict[str, WFA] = {
    "counting": counting(),
    "weather": hmm(
        [["1/2", "1/2"], ["1/4", "3/4"]], [["1/3", "1/2"], ["2/3", "1/2"]], [1, 0], "ab"
    ),
    "random:3": automaton_by_name("random:3:3"),
    "hmm:4": automaton_by_name("hmm:4:2"),
    "triangular": WFA.of([1, 0], {"a": [["1/2", 8], [0, "1/2"]], "b": [[1, 0], [0, 1]]}, [0, 1]),
}
SEEDS = range(25)
WORDS |= {f"random:2:{seed}": automaton_by_name(f"random:2:{seed}") for seed in SEEDS}
TREES = {f"rational:{n}:{s}": rational_wta(n, s, "ab") for n in (1, 2, 3) for s in range(1, 11)}
NAMED = {form.name: form for form in FORMATS}
Pair = tuple[str, flint.arb, flint.arb]


def _soft(lengths: tuple[int, ...], share: Fraction) -> Iterator[Pair]:
    """ε is a share of the largest product, but for small ones: float64 rounds by a share of it too."""
    for name, wfa in WORDS.items():
        for length in lengths:
            eps = share * max(1, ceiling(products(wfa, length).up_to(length)))
            model, _ = make(wfa, Order(length, "soft", feedforward="exact", eps=str(eps)))
            constant = model.constants.saturation or Fraction(1)
            certified = soft_errors(wfa, length)(constant)
            yield f"{name} {length}", certified, attack(model, ROUNDS).error


def _decoder(lengths: tuple[int, ...], **asked: str) -> Iterator[Pair]:
    for name, wfa in WORDS.items():
        for length in lengths:
            model, guarantee = make(wfa, Order(length, **asked))  # type: ignore[arg-type]
            certified = guarantee.rounded
            if certified is not None:
                yield f"{name} {length}", flint.arb(certified), attack(model, ROUNDS).error


def one_hot_process(seed: int, n: int = 3) -> WFA:
    """A random process that is always in one of n states: it ends with positive probability."""
    random = Random(seed)
    maps = {symbol: [[Fraction(0)] * n for _ in range(n)] for symbol in "ab"}
    shares = [{symbol: Fraction(random.randint(1, 9), 20) for symbol in "ab"} for _ in range(n)]
    for state, row in enumerate(shares):
        for symbol, share in row.items():
            maps[symbol][state][random.randrange(n)] = share
    return WFA.of([1] + [0] * (n - 1), maps, [1 - sum(row.values()) for row in shares])


@dataclass(frozen=True)
class OwnPass:
    """The transformer's own forward pass, in the type that its library computes in."""

    model: ExportModel

    def outputs(self, batch: list[tuple[str, ...]]) -> torch.Tensor:
        """The logits of words."""
        simulation, order = self.model.simulation, self.model.order
        kind = getattr(torch, order.target.computes_in or order.dtype)
        module = to_torch(simulation, kind, dense=True)
        logits: torch.Tensor = module(torch.tensor([simulation.tokens(word) for word in batch]))
        return logits


def worst_variation(automaton: WFA, loaded: OwnPass | FolderModel, length: int) -> float:
    """The largest total variation that is found, over all prefixes: letters are changed as for states."""
    source = predictor(automaton)

    def errors(chosen: Sequence[tuple[str, ...]]) -> list[float]:
        with torch.no_grad():
            logits = [loaded.outputs([word])[0].double() for word in chosen]
        return [largest_variation(x, source, w) for x, w in zip(logits, chosen, strict=True)]

    chosen = list(words(automaton, length).values())
    seen = errors(chosen)
    worst = chosen[max(range(len(chosen)), key=seen.__getitem__)]
    word = climb(errors, [worst], partial(neighbours, letters=automaton.alphabet), ROUNDS)
    return errors([word])[0]


def _language(length: int, form: str, dtype: str) -> Iterator[Pair]:
    """Total variation of one-hot language models, in this package's module.

    Llama's positions are angles, which the module has not: it runs in Transformers, where installed.
    """
    if form == "llama" and not find_spec("transformers"):
        return
    for seed in range(30):
        order = Order(length, head="next", format=form, dtype=dtype)
        automaton = one_hot_process(seed)
        with tempfile.TemporaryDirectory() as place:
            model, guarantee = make(automaton, order)
            loaded: OwnPass | FolderModel = OwnPass(model)
            if form == "llama":
                export(automaton, order, place)
                loaded = load_model(place)
            if guarantee.rounded is not None:
                found = worst_variation(automaton, loaded, length)
                yield f"process {seed}", flint.arb(guarantee.rounded), flint.arb(found)


@dataclass(frozen=True)
class LibraryMeasurement(Measurement):
    """The model as its library loads it, which may compute in another type than that of the weights."""

    loaded: FolderModel

    @property
    def folder(self) -> FolderModel:
        """The loaded model."""
        return self.loaded


def _llama(length: int) -> Iterator[Pair]:
    """Run by Transformers, where it is installed; automata for which no constants are found are left out."""
    for name, wfa in WORDS.items() if find_spec("transformers") else ():
        with tempfile.TemporaryDirectory() as place:
            try:
                written = export(wfa, Order(length, format="llama"), place)
            except InputError:
                continue
            if written.guarantee.rounded is None:
                continue
            measurement = LibraryMeasurement(written.model, True, load_model(place))
            chosen = list(inputs(written.model).values())
            seen = measurement.errors(chosen)
            worst = chosen[max(range(len(chosen)), key=seen.__getitem__)]
            word = climb(measurement.errors, [worst], partial(neighbours, letters=wfa.alphabet), 1)
            found = measurement.errors([word])[0]
        yield f"{name} {length}", flint.arb(written.guarantee.rounded), found


def _exact(name: str, lengths: tuple[int, ...]) -> Iterator[Pair]:
    for label, wfa in WORDS.items():
        for length in lengths:
            order = settle(Order(length, "exact", dtype=name), words=True)
            model = ExportModel(wfa, order, Constants(), theorem1.build(wfa, length))
            grown = listed_products(wfa, theorem1.span(length))
            scaled = scaled_products(wfa, length)
            certified = rounding.state_error(NAMED[name], wfa, length, grown, scaled)
            if certified.is_finite() and rounding.attention_is_right(NAMED[name], length):
                yield f"{label} {length}", certified, attack(model, ROUNDS).error


def _tree(length: int, general: bool = False) -> Iterator[Pair]:
    """Attacked in the pass that is run, or in the general one, which the certificate covers too."""
    for label, wta in TREES.items():
        order = settle(Order(length, "tree"), words=False)
        model = ExportModel(wta, order, Constants(), theorem3.build(wta, length))
        subject = soft.subjects(wta, length)["tree"]
        states = state_bounds(wta, most_leaves(length))
        certified = rounded_tree_error("tree", NAMED["float64"], states, subject)
        if certified is not None and certified.is_finite():
            found = attack(model, TREE_ROUNDS, general, TREES_A_ROUND)
            yield f"{label} {length}", certified, found.error


def _tree_decoder(length: int) -> Iterator[Pair]:
    """In exact arithmetic, as the card says it; in float64 rounding is far below."""
    for label, wta in TREES.items():
        model, guarantee = make(wta, Order(length, eps="1e-3"))
        if guarantee.error is not None:
            found = attack(model, TREE_ROUNDS, width=TREES_A_ROUND)
            yield f"{label} {length}", flint.arb(guarantee.error), found.error


ROWS: dict[str, tuple[int, Callable[[], Iterator[Pair]]]] = {
    "Theorem 2, T = 4, 8": (10, lambda: _soft((4, 8), Fraction(1, 1000))),
    "Theorem 2, T = 16, 64": (30, lambda: _soft((16, 64), Fraction(1, 1000))),
    "gated decoder, float64, T = 16, 64": (30, lambda: _decoder((16, 64))),
    "gated decoder, float32, T = 16, 64": (100, lambda: _decoder((16, 64), dtype="float32")),
    "GPT-2 design, float64, T = 16": (100, lambda: _decoder((16,), format="gpt2")),
    "GPT-2 design, float32, T = 8, 16": (
        300,
        lambda: _decoder((8, 16), format="gpt2", dtype="float32"),
    ),
    **{
        f"language, {form}, {dtype}, T = 16": (goal, partial(_language, 16, form, dtype))
        for form in ("llama", "npz", "gpt2", "olmo2")
        for dtype, goal in (("float32", 300), ("float64", 100))
        if (form, dtype) != ("llama", "float64")  # which computes in float32
    },
    "Llama, in Transformers, float32, T = 64": (100, lambda: _llama(64)),
    "exact model, float64, T = 16, 64": (30, lambda: _exact("float64", (16, 64))),
    "exact model, float32, T = 16, 64": (30, lambda: _exact("float32", (16, 64))),
    "Theorem 3, float64, T = 22": (100, lambda: _tree(22)),
    "Theorem 3, general pass, T = 22": (100, lambda: _tree(22, general=True)),
    "tree decoder, float64, T = 22": (100, lambda: _tree_decoder(22)),
    "tree decoder, float64, T = 40": (100, lambda: _tree_decoder(40)),
}


def main() -> dict[str, tuple[float, float, int, int, int]]:
    """Print the table: the median and the largest ratio, and how many certificates were exceeded."""
    torch.set_num_threads(1)
    print(
        f"{'certified / found':38} {'median':>9} {'largest':>9} {'goal':>6} {'pairs':>6}"
        f" {'found 0':>8} {'below 1':>8}"
    )
    table = {}
    for name, (goal, pairs) in ROWS.items():
        seen = list(pairs())
        ratios = [float(certified / found) for _, certified, found in seen if found > 0]
        exceeded = sum(1 for _, certified, found in seen if found > certified)
        middle, top = (median(ratios), max(ratios)) if ratios else (float("nan"),) * 2
        zeros = len(seen) - len(ratios)
        if not seen:
            print(f"{name:38} not run: transformers is not installed", flush=True)
            continue
        numbers = f"{middle:9.3g} {top:9.3g} {goal:6} {len(seen):6} {zeros:8} {exceeded:8}"
        print(f"{name:38} {numbers}", flush=True)
        table[name] = (middle, top, exceeded, len(seen), zeros)
    return table


if __name__ == "__main__":
    main()
