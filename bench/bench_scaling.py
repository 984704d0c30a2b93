"""Growth of time and memory with T and n, with the fitted exponent and the expected one.

    words     all n at once, words of a free monoid through the routing: T words of T letters, so 2
    proof     generic proof by polynomials that share equal parts: n² entries of a product, whose parts
              are sums of n products at n symbols, so 4 in n; T windows of up to T letters, so 2 in T
              (Python's garbage collector, which the proof gives more and more objects, adds to that)
    torch     exact model, float64, one word, by the pass that it chooses: the recurrence, T products of a
              vector by a matrix, so 1 in T and 2 in n; calls cost more than small products, so less
    dense     the same with all scores: N × N of them, so 2 in T
    logdepth  log-depth trees of N leaves, n = 4, fused: N nodes a step and O(log N) steps, so 1 in N
    export    `assay export --construction soft` without its files: C and h, and the worst error of fourteen
              words, whose true states are balls; words by convolutions, so 1 in T (goal: linear)

A dense exponent above 2 is, we think, the scores leaving the processor's cache (33 MB at T = 1024); that is
not measured. Expected exponents are those of the largest term; at small sizes lower terms still count, and
fitted ones lie below. They are fitted by least squares on logarithms, in one run; memory is the peak that
`tracemalloc` sees for the exact engines and the growth of the resident set for torch.
"""

from __future__ import annotations

import resource
import time
import tracemalloc
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from math import log
from multiprocessing import get_context

import torch
from bench_torch import random_automaton
from bench_trees import automaton
from timing import best_time
from torch import nn

from constructions import logdepth
from constructions.automata.named import automaton_by_name
from constructions.automata.random_trees import random_tree
from constructions.automata.trees import tokens
from constructions.exports.order import Order
from constructions.modules import tree_module as modules_trees
from constructions.modules.word_module import to_torch
from constructions.theorem1 import build
from verify.automaton.export import make
from verify.exactness.generic import prove_words


@dataclass(frozen=True)
class ScalingCurve:
    """One curve: sizes, seconds, peak memory, and the exponent one expects."""

    name: str
    expected: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]
    megabytes: tuple[float, ...]

    @property
    def exponent(self) -> float:
        """The slope of log seconds against log size."""
        return slope([log(s) for s in self.sizes], [log(t) for t in self.seconds])


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    """Least squares."""
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    above = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return above / sum((a - mean_x) ** 2 for a in x)


def time_and_memory(function: Callable[[], object]) -> tuple[float, float]:
    """Seconds of one run, and the peak memory of another in megabytes."""
    started = time.process_time()
    function()
    seconds = time.process_time() - started
    tracemalloc.start()
    function()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return seconds, peak / 1e6


def curve(
    name: str, expected: str, sizes: Sequence[int], work: Callable[[int], Callable[[], object]]
) -> ScalingCurve:
    """Measure one curve."""
    points = [time_and_memory(work(size)) for size in sizes]
    return ScalingCurve(name, expected, tuple(sizes), *map(tuple, zip(*points, strict=True)))


def sequence_model(n: int, length: int, dense: bool) -> tuple[nn.Module, torch.Tensor]:
    """The exact model and one word."""
    module = to_torch(build(random_automaton(n, 2), length), dense=dense)
    return module, torch.zeros((1, length), dtype=torch.int64)


def tree_model(leaves: int) -> tuple[nn.Module, torch.Tensor]:
    """The log-depth model and one random tree."""
    string = tokens(random_tree(leaves, 1))
    module = modules_trees.to_torch(logdepth.build(automaton(), len(string)))
    return module, module.encode([string])


def soft_export(length: int) -> None:
    """Build a soft model with its certificate and its measured error."""
    make(automaton_by_name("hmm:3:2"), Order(length, "soft"))


def torch_point(shape: tuple[int, int, str]) -> tuple[float, float]:
    """Seconds and growth of the resident set in megabytes for a torch model at (n, T)."""
    torch.set_num_threads(1)
    n, length, kind = shape
    module, words = (
        tree_model(length) if kind == "tree" else sequence_model(n, length, kind == "dense")
    )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with torch.no_grad():
        module(words)
        seconds = best_time(lambda: module(words), 3)[0]
    return seconds, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1e3


def torch_curve(
    name: str, expected: str, sizes: Sequence[int], shape: Callable[[int], tuple[int, int, str]]
) -> ScalingCurve:
    """Measure the torch model at (n, T) = shape(size), each size in a separate process."""
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
        points = list(pool.map(torch_point, [shape(size) for size in sizes]))
    return ScalingCurve(name, expected, tuple(sizes), *map(tuple, zip(*points, strict=True)))


def curves() -> list[ScalingCurve]:
    """All curves."""
    return [
        torch_curve("torch, n = 8, T", "1", (1024, 2048, 4096, 8192), lambda t: (8, t, "fused")),
        torch_curve("torch, T = 4096, n", "2", (8, 16, 24, 32), lambda n: (n, 4096, "fused")),
        torch_curve("dense, n = 4, T", "2", (256, 512, 1024), lambda t: (4, t, "dense")),
        torch_curve(
            "logdepth, N", "1", (500, 1000, 2000, 4000), lambda leaves: (4, leaves, "tree")
        ),
        curve("export soft, T", "1", (512, 1024, 2048), lambda t: lambda: soft_export(t)),
        curve("words, T", "2", (64, 128, 256, 512), lambda t: lambda: prove_words(t)),
    ]


def main() -> list[ScalingCurve]:
    """Print the table."""
    results = curves()
    print(f"{'what':<20} {'sizes':<24} {'seconds':<34} {'exponent':>9} {'expected':>9} {'peak':>9}")
    for item in results:
        sizes = " ".join(map(str, item.sizes))
        seconds = " ".join(f"{t:.3f}" for t in item.seconds)
        peak = f"{max(item.megabytes):.0f} MB"
        print(
            f"{item.name:<20} {sizes:<24} {seconds:<34} {item.exponent:>9.2f} "
            f"{item.expected:>9} {peak:>9}"
        )
    return results


if __name__ == "__main__":
    main()
