"""One training run: AdamW on the mean squared error, judged by its best validation model.

The run depends on its settings alone: weights, order of batches and dropout come from one
generator seeded with `seed`, the data from another, and PyTorch works with a single thread, so
that a run that was killed and begun again ends with the same numbers.

Reported   test error of the model with the best validation error, the same after rounding to
           integers, its error at each position, and, for counting tasks, at each position of
           words twice as long as those it was trained on
"""

import copy
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from verify.experiments.data import Sample, Split, batches, machine, sample, split
from verify.experiments.model import Simulator
from verify.experiments.settings import Settings

Report = Callable[[int, float], None]
LONGER_WORDS = 1_000
JUDGED_AT_ONCE = 500


@dataclass
class Best:
    """The best model so far, by validation error."""

    epoch: int = 0
    error: float = float("inf")
    weights: dict[str, Tensor] | None = None

    def offer(self, epoch: int, error: float, model: Simulator) -> None:
        """Keep the model if it is better."""
        if error < self.error:
            self.epoch, self.error = epoch, error
            self.weights = copy.deepcopy(model.state_dict())


@contextmanager
def reproducible(seed: int) -> Iterator[None]:
    """One thread, and a random state of our own that is put back afterwards."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            yield
    finally:
        torch.set_num_threads(threads)


def squared_errors(model: Simulator, examples: Sample) -> Tensor:
    """Squared errors (N, T, n) in double precision."""
    model.eval()
    with torch.no_grad():
        pieces = torch.split(examples.words, JUDGED_AT_ONCE)
        predicted = torch.cat([model(piece) for piece in pieces])
    return (predicted.double() - examples.states.double()) ** 2


def rounded_error(model: Simulator, examples: Sample) -> float:
    """The mean squared error after rounding every output to the nearest integer."""
    model.eval()
    with torch.no_grad():
        pieces = torch.split(examples.words, JUDGED_AT_ONCE)
        predicted = torch.cat([model(piece) for piece in pieces]).round()
    return float(((predicted.double() - examples.states.double()) ** 2).mean())


def one_epoch(model: Simulator, examples: Sample, optimizer: torch.optim.Optimizer) -> None:
    """One pass over the training examples in a fresh order."""
    model.train()
    for chosen in batches(torch.randperm(len(examples)), model.settings.batch):
        optimizer.zero_grad()
        error = model(examples.words[chosen]) - examples.states[chosen]
        loss = (error**2).mean()
        loss.backward()
        optimizer.step()


def fit(model: Simulator, data: Split, report: Report) -> tuple[Best, list[float]]:
    """Train for all epochs; the validation error of each, and the best model."""
    settings = model.settings
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=float(settings.rate), weight_decay=float(settings.decay)
    )
    best, curve = Best(), []
    for epoch in range(1, settings.epochs + 1):
        one_epoch(model, data.train, optimizer)
        error = float(squared_errors(model, data.validation).mean())
        best.offer(epoch, error, model)
        curve.append(error)
        report(epoch, error)
    return best, curve


def run(
    settings: Settings, folder: Path | None = None, report: Report = lambda epoch, error: None
) -> dict[str, Any]:
    """Train one model and judge it: a record ready for JSON."""
    started = time.monotonic()
    automaton = machine(settings, folder)
    whole = sample(settings, automaton, settings.examples, settings.length, stream=0)
    data = split(whole)
    with reproducible(settings.seed):
        model = Simulator(settings, automaton.symbols, automaton.n)
        best, curve = fit(model, data, report)
        if best.weights is not None:
            model.load_state_dict(best.weights)
        judged = judge(model, data.test)
        if settings.task == "layers" and settings.positions != "learned":
            judged["beyond"] = beyond(model)
    judged |= {"best_epoch": best.epoch, "validation": short(best.error)}
    judged |= {"curve": [short(error) for error in curve], "baseline": baseline(data)}
    judged |= {"parameters": sum(p.numel() for p in model.parameters())}
    return {
        "settings": settings.plain(),
        "result": judged,
        "clock": {"seconds": round(time.monotonic() - started, 1), "torch": torch.__version__},
    }


def judge(model: Simulator, test: Sample) -> dict[str, Any]:
    """What is reported of a model on the test set."""
    errors = squared_errors(model, test)
    return {
        "mse": short(float(errors.mean())),
        "rounded": short(rounded_error(model, test)),
        "largest": short(float(errors.max().sqrt())),
        "by_position": [short(float(x)) for x in errors.mean(dim=(0, 2))],
    }


def beyond(model: Simulator) -> list[str]:
    """The error at each position of words twice as long as the training words."""
    settings = model.settings
    automaton = machine(settings)
    longer = sample(settings, automaton, LONGER_WORDS, 2 * settings.length, stream=1)
    errors = squared_errors(model, longer)
    return [short(float(x)) for x in errors.mean(dim=(0, 2))]


def baseline(data: Split) -> str:
    """The test error of the best guess that knows the position only: the mean training state."""
    guess = data.train.states.double().mean(dim=0)
    return short(float(((data.test.states.double() - guess) ** 2).mean()))


def short(value: float) -> str:
    """Six significant digits as text, so that the record is rounded once."""
    return f"{value:.6g}"
