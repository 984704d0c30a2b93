"""The models of benchmark v1: 54 fixed entries.

DFAs        parity, counters modulo 3 and 5, S₃ and A₄ (solvable groups), A₅ on five points (not solvable),
            a flip-flop and a bounded counter (aperiodic), one without a name: the outputs are one-hot states
n-grams     of a few words, order 2 and 3: language models, in GPT-2 with digital blocks
processes   Mess3, RRXOR, the even process, the golden mean, one with negative weights, random HMMs and
            PFAs: language models with a layer of logarithms, or states
counting    letters, and letters weighted by their place in base 2: the outputs are numbers
sharp, soft the certified error: 10⁻⁸ (a head reads one position), or 10⁻² (softmax leaks, seen by probes)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from constructions.automata import processes
from constructions.automata.families import counting, dfa
from constructions.automata.named import automaton_by_name
from constructions.automata.wfa import WFA
from constructions.exports.order import Order

SHARP, SOFT = "1e-8", "1e-2"
DECOY_MARGIN = 1024
TEXT = ("abba", "ab", "b", "abab")


@dataclass(frozen=True)
class BenchmarkModel:
    """One entry: how the automaton is made and what kind it is, the order, the disguise and its seed."""

    name: str
    family: str
    automaton: Callable[[], WFA]
    order: Order
    disguise: str
    seed: int

    @property
    def built_order(self) -> Order:
        """The order that is built: for a decoy a smaller error, as its square disturbs the norms."""
        if self.disguise != "decoy":
            return self.order
        return replace(self.order, eps=self.order.error / DECOY_MARGIN)

    @property
    def language(self) -> bool:
        """True if it predicts the next symbol."""
        return self.order.language


def moves(maps: dict[str, list[int]]) -> WFA:
    """The DFA with these moves; it starts in state 0, which accepts."""
    return dfa(len(next(iter(maps.values()))), 0, [0], maps)


def modular(k: int) -> WFA:
    """Counts ones modulo k."""
    return moves({"0": list(range(k)), "1": [(i + 1) % k for i in range(k)]})


def bounded(k: int) -> WFA:
    """A counter from 0 to k - 1 that stays at its ends."""
    up = [min(i + 1, k - 1) for i in range(k)]
    return moves({"u": up, "d": [max(i - 1, 0) for i in range(k)]})


def binary() -> WFA:
    """The value of a word in base 2: the state is (value, 1)."""
    return WFA.of([0, 1], {"0": [[2, 0], [0, 1]], "1": [[2, 0], [1, 1]]}, [1, 0])


AUTOMATA: dict[str, tuple[str, Callable[[], WFA]]] = {
    "parity": ("DFA, group", lambda: modular(2)),
    "mod3": ("DFA, group", lambda: modular(3)),
    "mod5": ("DFA, group", lambda: modular(5)),
    "s3": ("DFA, solvable group", lambda: moves({"a": [1, 0, 2], "b": [1, 2, 0]})),
    "a4": ("DFA, solvable group", lambda: moves({"a": [1, 2, 0, 3], "b": [1, 0, 3, 2]})),
    "a5": ("DFA, group not solvable", lambda: moves({"a": [1, 2, 0, 3, 4], "b": [1, 2, 3, 4, 0]})),
    "flipflop": (
        "DFA, aperiodic",
        lambda: moves({"r": [0, 1], "0": [0, 0], "1": [1, 1]}),
    ),
    "bounded": ("DFA, aperiodic", lambda: bounded(4)),
    "dfa": ("DFA", lambda: moves({"a": [2, 3, 3, 1], "b": [0, 2, 1, 0]})),
    "bigram": ("n-gram", lambda: processes.ngram(TEXT, 2)),
    "trigram": ("n-gram", lambda: processes.ngram(TEXT, 3)),
    "mess3": ("HMM", processes.mess3),
    "mess3b": ("HMM", lambda: processes.mess3(Fraction(1, 20), Fraction(17, 20))),
    "rrxor": ("HMM", processes.rrxor),
    "even": ("HMM", processes.even_process),
    "golden": ("HMM", processes.golden_mean),
    "negative": ("generalised HMM", processes.generalised),
    "hmm2": ("HMM, random", lambda: automaton_by_name("hmm:2:7")),
    "hmm3": ("HMM, random", lambda: automaton_by_name("hmm:3:7")),
    "pfa2": ("PFA, random", lambda: automaton_by_name("pfa:2:3")),
    "pfa3": ("PFA, random", lambda: automaton_by_name("pfa:3:5")),
    "counting": ("counting", counting),
    "binary": ("counting", binary),
}

# automaton, format, head, length, certified error, disguise
ROWS = """
parity   gpt2  states 8  sharp none
parity   llama states 8  soft  basis
parity   llama states 16 sharp everything
mod3     llama states 8  sharp none
mod3     gpt2  states 8  soft  basis
mod3     llama states 16 sharp distractors
mod5     llama states 8  sharp basis
mod5     llama states 8  soft  superposition
s3       llama states 8  sharp none
s3       gpt2  states 8  sharp basis
s3       llama states 8  soft  everything
a4       llama states 8  sharp basis
a4       llama states 8  soft  superposition
a5       llama states 8  sharp none
a5       llama states 8  sharp superposition
a5       llama states 8  soft  everything
flipflop gpt2  states 8  sharp none
flipflop llama states 16 soft  distractors
bounded  llama states 8  sharp basis
bounded  llama states 8  soft  everything
dfa      gpt2  states 8  sharp basis
dfa      llama states 8  soft  distractors
bigram   gpt2  next   8  soft  none
bigram   gpt2  next   16 sharp basis
bigram   llama next   8  soft  everything
trigram  gpt2  next   8  soft  basis
trigram  llama next   8  sharp distractors
mess3    llama next   8  soft  none
mess3    llama next   8  soft  basis
mess3    llama next   8  soft  distractors
mess3    gpt2  states 8  sharp basis
mess3b   llama next   8  soft  basis
mess3b   llama states 16 sharp distractors
rrxor    llama next   8  soft  none
rrxor    llama states 8  sharp distractors
even     llama next   8  soft  basis
even     llama next   8  soft  distractors
golden   gpt2  states 16 sharp none
golden   llama next   8  soft  everything
negative llama next   8  soft  basis
negative llama states 8  sharp distractors
hmm2     llama next   8  soft  distractors
hmm2     gpt2  states 8  soft  basis
hmm3     llama next   8  soft  basis
hmm3     llama states 8  sharp distractors
pfa2     llama next   8  soft  basis
pfa3     llama states 8  sharp distractors
counting gpt2  states 16 sharp none
counting llama states 8  soft  everything
binary   llama states 8  sharp superposition
mod3     llama states 8  sharp decoy
mess3    llama states 8  soft  decoy
s3       llama states 8  sharp redundant
mess3    llama next   8  soft  redundant
"""


def benchmark_v1() -> tuple[BenchmarkModel, ...]:
    """Return the models in their order."""
    listed = []
    for number, line in enumerate(ROWS.split("\n")[1:-1]):
        task, form, head, length, error, disguise = line.split()
        family, automaton = AUTOMATA[task]
        eps = {"sharp": SHARP, "soft": SOFT}[error]
        order = Order(int(length), "decoder", format=form, eps=eps, head=head)
        name = f"{number:02d}-{task}-{form}-{error}-{disguise}"
        listed.append(BenchmarkModel(name, family, automaton, order, disguise, 1000 + number))
    return tuple(listed)


VERSIONS: dict[str, Callable[[], tuple[BenchmarkModel, ...]]] = {"v1": benchmark_v1}
