"""The training data: words, and the states that the model must produce for them.

Notation   N words of length T over S symbols; the automaton has n states
           alpha (n), A (S, n, n): the state after x_1 … x_t is alpha A^{x_1} … A^{x_t}

The zero-counting automaton of Section 5 is 1-counting over {0, 1}. The k-counting automaton has
alpha = e_{k+1}: with the printed alpha = (1 0 … 0) it never counts. Words of counting tasks are
uniform; words of a PAutomaC automaton take, at each position, a symbol uniformly among those that
keep the probability positive and can be continued to length T.
"""

from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from constructions.automata.families import k_counting
from constructions.automata.wfa import WFA
from constructions.core.errors import InputError
from constructions.files.pautomac import read_problem
from verify.experiments.settings import Settings


@dataclass(frozen=True)
class Machine:
    """An automaton as double precision tensors."""

    alpha: Tensor
    transitions: Tensor

    @property
    def n(self) -> int:
        """The number of states."""
        return len(self.alpha)

    @property
    def symbols(self) -> int:
        """The size of the alphabet."""
        return len(self.transitions)


@dataclass(frozen=True)
class Sample:
    """Words (N, T) and target states (N, T, n)."""

    words: Tensor
    states: Tensor

    def __len__(self) -> int:
        return len(self.words)


def counting(counted: int, symbols: int) -> Machine:
    """The k-counting automaton with the initial state that makes it count."""
    if counted > symbols:
        raise InputError("counted", counted, f"at most the {symbols} symbols of the alphabet")
    return as_doubles(k_counting(counted, symbols))


def pautomac(folder: Path | None, problem: int) -> Machine:
    """A PAutomaC automaton from the folder that the user gave."""
    if folder is None:
        raise InputError("PAutomaC folder", None, "--pautomac DIR or the variable ASSAY_PAUTOMAC")
    return as_doubles(read_problem(folder, problem))


def as_doubles(automaton: WFA) -> Machine:
    """An exact automaton in double precision, its matrices in the order of the alphabet."""
    floats = automaton.mapped(float)
    matrices = list(floats.transitions.values())
    return Machine(*(torch.tensor(x, dtype=torch.float64) for x in (floats.alpha, matrices)))


def machine(settings: Settings, folder: Path | None = None) -> Machine:
    """The automaton of a run."""
    if settings.task == "pautomac":
        return pautomac(folder, settings.problem)
    return counting(settings.counted, settings.symbols)


def trajectory(machine: Machine, words: Tensor, simplex: bool = False) -> Tensor:
    """All states alpha, alpha A^{x_1}, …: (N, T + 1, n); with `simplex` each rescaled to sum 1."""
    state = machine.alpha.expand(len(words), machine.n)
    states = [state]
    for symbol in words.T:
        state = torch.einsum("bi,bij->bj", state, machine.transitions[symbol])
        if simplex:
            state = state / state.sum(1, keepdim=True)
        states.append(state)
    return torch.stack(states, dim=1)


def uniform_words(machine: Machine, count: int, length: int, rng: torch.Generator) -> Tensor:
    """Words whose symbols are independent and uniform."""
    return torch.randint(machine.symbols, (count, length), generator=rng)


def support_words(machine: Machine, count: int, length: int, rng: torch.Generator) -> Tensor:
    """Words of positive weight, each symbol uniform among those that allow a word of length T."""
    steps = (machine.transitions > 0).double()
    live = _live(steps, length)
    state = (machine.alpha > 0).double().expand(count, machine.n)
    word: list[Tensor] = []
    for position in range(length):
        usable = torch.einsum("aij,j->ia", steps, live[length - position - 1]) > 0
        allowed = ((state @ usable.double()) > 0).double()
        if not bool(allowed.any(1).all()):
            raise InputError("length", length, "a length of a word with non-zero weight")
        symbol = torch.multinomial(allowed, 1, generator=rng).flatten()
        state = (torch.einsum("bi,bij->bj", state, steps[symbol]) > 0).double()
        word.append(symbol)
    return torch.stack(word, dim=1)


def _live(steps: Tensor, length: int) -> list[Tensor]:
    """live[m][q] = 1 if m further symbols can be read from state q."""
    some = (steps.sum(0) > 0).double()
    live = [torch.ones(steps.shape[1], dtype=torch.float64)]
    for _ in range(length):
        live.append(((some @ live[-1]) > 0).double())
    return live


def sample(settings: Settings, machine: Machine, count: int, length: int, stream: int) -> Sample:
    """A sample of the task; `stream` separates training data from later, longer words."""
    rng = torch.Generator().manual_seed(settings.data_seed * 1_000 + stream)
    draw = support_words if settings.task == "pautomac" else uniform_words
    words = draw(machine, count, length, rng)
    states = trajectory(machine, words, settings.targets == "simplex")
    rows = states[:, 1:] if settings.alignment == "after" else states[:, :-1]
    if settings.targets == "scaled":
        rows = rows / settings.length
    return Sample(words, rows.float())


def split(count: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """The numbers of the examples to train on, to select by and to test on: 80, 10, 10 per cent."""
    order = torch.randperm(count, generator=generator)
    first, second = count * 8 // 10, count * 9 // 10
    return order[:first], order[first:second], order[second:]
