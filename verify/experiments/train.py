"""One cell: AdamW on the mean squared error, each model judged by its best validation state.

All seeds of a cell are trained at once (`stack`). The result depends on the settings alone:
weights, split and order of batches come from one generator for each seed, dropout from one for
the cell, the data from another, and PyTorch works with a single thread, so that a cell that was
killed and begun again ends with the same numbers.

Tries      with `tries` above 1 a model is trained several times in the way of the authors' public
           scripts: before each further try embedding and readout are drawn anew, while the
           encoder goes on from the best state of the try before and AdamW keeps its moments
Reported   the test error of every seed and try, the same after rounding to integers; of the last
           try its error at each position, also on words twice as long as those it was trained on,
           and how much each head attends to each distance
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from verify.experiments.data import Sample, machine, sample, split
from verify.experiments.network import Simulator, redraw
from verify.experiments.settings import Settings
from verify.experiments.stack import Stack, Weights
from verify.experiments.summary import six_digits

LONGER_WORDS = 1_000
JUDGED_AT_ONCE = 250
REDRAWN = ("embedding.weight", "readout.weight", "readout.bias")


@dataclass
class Best:
    """The best state of each model so far, by validation error."""

    errors: Tensor
    epochs: Tensor
    weights: Weights

    def offer(self, epoch: int, errors: Tensor, weights: Weights) -> None:
        """Keep the models that have become better."""
        better = errors < self.errors
        self.errors = torch.where(better, errors, self.errors)
        self.epochs = torch.where(better, epoch, self.epochs)
        for name, kept in self.weights.items():
            kept[better] = weights[name].detach()[better]


@dataclass(frozen=True)
class Parts:
    """Indices of the training, validation and test examples of each seed: (S, count)."""

    train: Tensor
    validation: Tensor
    test: Tensor


@contextmanager
def single_thread() -> Iterator[None]:
    """Run on one thread with a separate random state; restore both afterwards."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        torch.set_num_threads(threads)


def models(settings: Settings, symbols: int, states: int) -> list[Simulator]:
    """A model for each seed, drawn from that seed."""
    simulators = []
    for seed in settings.seeds:
        torch.manual_seed(seed)
        simulators.append(Simulator(settings, symbols, states))
    return simulators


def predictions(stack: Stack, examples: Sample, chosen: Tensor) -> Iterator[tuple[Tensor, Tensor]]:
    """Predicted and target states of chosen examples (S, count), in pieces, in double precision."""
    stack.dropout.active = False
    with torch.no_grad():
        for piece in torch.split(chosen, JUDGED_AT_ONCE, dim=1):
            yield stack(examples.words[piece]).double(), examples.states[piece].double()
    stack.dropout.active = True


def squared_errors(stack: Stack, examples: Sample, chosen: Tensor) -> Tensor:
    """Mean squared errors (S, T) over examples and coordinates."""
    pieces = [((p - y) ** 2).mean(3).sum(1) for p, y in predictions(stack, examples, chosen)]
    return torch.stack(pieces).sum(0) / chosen.shape[1]


def rounded_errors(stack: Stack, examples: Sample, chosen: Tensor) -> Tensor:
    """Mean squared errors (S) after rounding every output to the nearest integer."""
    pieces = [
        ((p.round() - y) ** 2).mean((2, 3)).sum(1) for p, y in predictions(stack, examples, chosen)
    ]
    return torch.stack(pieces).sum(0) / chosen.shape[1]


def one_epoch(
    stack: Stack,
    examples: Sample,
    chosen: Tensor,
    optimizer: torch.optim.Optimizer,
    generators: list[torch.Generator],
) -> None:
    """One pass over the training examples, in a fresh order for each seed."""
    count = chosen.shape[1]
    order = torch.stack([torch.randperm(count, generator=g) for g in generators])
    for batch in torch.split(chosen.gather(1, order), stack.settings.batch, dim=1):
        optimizer.zero_grad()
        error = stack(examples.words[batch]) - examples.states[batch]
        (error**2).mean((1, 2, 3)).sum().backward()
        optimizer.step()


def fit(
    stack: Stack,
    examples: Sample,
    parts: Parts,
    optimizer: torch.optim.Optimizer,
    generators: list[torch.Generator],
) -> tuple[Best, list[Tensor]]:
    """Train for all epochs; return the best states, and the validation errors of each epoch."""
    seeds = len(stack.settings.seeds)
    copies = {name: weight.detach().clone() for name, weight in stack.weights.items()}
    best = Best(torch.full((seeds,), torch.inf).double(), torch.zeros(seeds).long(), copies)
    curve = []
    for epoch in range(1, stack.settings.epochs + 1):
        one_epoch(stack, examples, parts.train, optimizer, generators)
        errors = squared_errors(stack, examples, parts.validation).mean(1)
        best.offer(epoch, errors, stack.weights)
        curve.append(errors)
    return best, curve


def set_weights(stack: Stack, weights: Weights) -> None:
    """Set the weights, in place, so that the optimiser keeps hold of them."""
    with torch.no_grad():
        for name, weight in stack.weights.items():
            weight.copy_(weights[name])


def start_again(stack: Stack, generators: list[torch.Generator]) -> None:
    """Draw embedding and readout anew, as the authors' scripts do before each try."""
    for number, generator in enumerate(generators):
        redraw([stack.weights[name].data[number] for name in REDRAWN], generator)


def run(settings: Settings, folder: Path | None = None) -> dict[str, Any]:
    """Train the models of one cell and judge them: a record ready for JSON."""
    started = time.process_time()
    automaton = machine(settings, folder)
    whole = sample(settings, automaton, settings.examples, settings.length, stream=0)
    generators = [torch.Generator().manual_seed(seed) for seed in settings.seeds]
    splits = (split(len(whole), generator) for generator in generators)
    parts = Parts(*(torch.stack(part) for part in zip(*splits, strict=True)))
    with single_thread():
        stack = Stack(settings, models(settings, automaton.symbols, automaton.n))
        result = run_tries(stack, whole, parts, generators)
        result |= report_last_try(stack, whole, parts)
    result["parameters"] = sum(w[0].numel() for w in stack.weights.values())
    result["baseline"] = baseline(whole, parts)
    seconds = round(time.process_time() - started, 1)
    clock = {"cpu_seconds": seconds, "torch": torch.__version__}
    return {"settings": settings.plain(), "result": result, "clock": clock}


def run_tries(
    stack: Stack, whole: Sample, parts: Parts, generators: list[torch.Generator]
) -> dict[str, Any]:
    """All tries of all seeds: test errors, rounded ones, best epochs, and the first curve."""
    settings = stack.settings
    optimizer = torch.optim.AdamW(
        stack.weights.values(),
        lr=float(settings.rate),
        weight_decay=float(settings.decay),
        fused=True,
    )
    tests, rounded, epochs, curves = [], [], [], []
    for number in range(settings.tries):
        if number > 0:
            start_again(stack, generators)
        best, curve = fit(stack, whole, parts, optimizer, generators)
        set_weights(stack, best.weights)
        tests.append(squared_errors(stack, whole, parts.test).mean(1))
        rounded.append(rounded_errors(stack, whole, parts.test))
        epochs.append(best.epochs)
        curves.append(torch.stack(curve))
    return {
        "mse": matrix_as_text(torch.stack(tests, 1)),
        "rounded": matrix_as_text(torch.stack(rounded, 1)),
        "best_epoch": torch.stack(epochs, 1).tolist(),
        "curve": matrix_as_text(curves[0].T),
    }


def report_last_try(stack: Stack, whole: Sample, parts: Parts) -> dict[str, Any]:
    """Results of the models after the last try."""
    report: dict[str, Any] = {
        "by_position": matrix_as_text(squared_errors(stack, whole, parts.test))
    }
    if stack.settings.task == "layers":
        report["beyond"] = matrix_as_text(errors_on_longer_words(stack))
        report["attention"] = [
            matrix_as_text(rows) for rows in attention(stack, whole, parts.test[:, :200])
        ]
    return report


def errors_on_longer_words(stack: Stack) -> Tensor:
    """The errors (S, 2T) at each position of words twice as long as the training words."""
    settings = stack.settings
    longer = sample(settings, machine(settings), LONGER_WORDS, 2 * settings.length, stream=1)
    everything = torch.arange(LONGER_WORDS).expand(len(settings.seeds), -1)
    return squared_errors(stack, longer, everything)


def attention(stack: Stack, examples: Sample, chosen: Tensor) -> list[Tensor]:
    """For the first seed and each layer, (H, 2T - 1): the mean weight at distance j - i."""
    stack.dropout.active = False
    with torch.no_grad():
        stack(examples.words[chosen], look=True)
    stack.dropout.active = True
    return [by_distance(looks[0].double().mean(0)) for looks in stack.seen]


def by_distance(looks: Tensor) -> Tensor:
    """The mean of each diagonal of (H, T, T), from j - i = -(T - 1) to T - 1."""
    *_, length = looks.shape
    shifts = range(-(length - 1), length)
    return torch.stack([looks.diagonal(shift, 1, 2).mean(1) for shift in shifts], 1)


def baseline(whole: Sample, parts: Parts) -> str:
    """The test error of the best guess that knows the position only: the mean training state."""
    guess = whole.states[parts.train[0]].double().mean(dim=0)
    return six_digits(float(((whole.states[parts.test[0]].double() - guess) ** 2).mean()))


def matrix_as_text(values: Tensor) -> list[list[str]]:
    """A matrix as text."""
    return [[six_digits(float(value)) for value in row] for row in values]
