"""The models of benchmark v1: fifty fixed entries for words and six for trees.

DFAs        parity, counters modulo 3 and 5, S₃ and A₄ (solvable groups), A₅ on five points (not solvable),
            a flip-flop and a bounded counter (aperiodic), one without a name: the outputs are one-hot states
n-grams     of a few words, order 2 and 3: language models, in GPT-2 with digital blocks
processes   Mess3, RRXOR, the even process, the golden mean, one with negative weights, random HMMs and
            PFAs: language models with a layer of logarithms, or states
counting    letters, and letters weighted by their place in base 2: the outputs are numbers
sharp, soft the certified error: 10⁻⁸ (a head reads one position), or 10⁻² (softmax leaks, seen by probes)
trees       NAND and rock, paper, scissors (one-hot states), sums and differences (numbers), a grammar (the
            probability of a tree under each nonterminal): no stock class holds their decoder, so that they
            are folders of safetensors
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from constructions.automata import processes
from constructions.automata.families import counting, dfa
from constructions.automata.named import automaton_by_name
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.exports.order import Order

SHARP, SOFT = "1e-8", "1e-2"
TEXT = ("abba", "ab", "b", "abab")


@dataclass(frozen=True)
class BenchmarkModel:
    """One entry: how the automaton is made and what kind it is, the order, the disguise and its seed."""

    name: str
    family: str
    automaton: Callable[[], WFA | WTA]
    order: Order
    disguise: str
    seed: int

    @property
    def language(self) -> bool:
        """Whether it predicts the next symbol."""
        return self.order.language


def moves(maps: dict[str, list[int]]) -> WFA:
    """The DFA whose letters move its states so; it starts in state 0, which accepts."""
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


def operation(table: dict[tuple[int, int], int], letters: str) -> WTA:
    """One-hot states, combined by a table; letter i is state i. The first state accepts."""
    n = len(letters)
    tensor = [[[int(table[j, k] == i) for k in range(n)] for j in range(n)] for i in range(n)]
    leaves = {s: [int(i == k) for k in range(n)] for i, s in enumerate(letters)}
    return WTA.of([1] + [0] * (n - 1), tensor, leaves)


def nand() -> WTA:
    """NAND of truth values."""
    return operation({(j, k): 1 - j * k for j in range(2) for k in range(2)}, "01")


def winner() -> WTA:
    """Rock, paper, scissors: the winner of two winners. It is commutative and not associative."""
    wins = {(j, k): j if (j - k) % 3 < 2 else k for j in range(3) for k in range(3)}
    return operation(wins, "rps")


def combination(left: int, right: int) -> WTA:
    """left·x + right·y of the values of two subtrees; the state is (value, 1)."""
    return WTA.of([1, 0], [[[0, left], [right, 0]], [[0, 0], [0, 1]]],
                  {"1": [1, 1], "2": [2, 1], "5": [5, 1]})  # fmt: skip


def grammar() -> WTA:
    """A probabilistic grammar S → S A | A B | a, A → B S | a | b, B → A A | b: inside probabilities."""
    rules = {(0, 0, 1): "1/4", (0, 1, 2): "1/2", (1, 2, 0): "1/4", (2, 1, 1): "1/3"}
    tensor = [[[rules.get((i, j, k), 0) for k in range(3)] for j in range(3)] for i in range(3)]
    return WTA.of([1, 0, 0], tensor, {"a": ["1/4", "1/2", 0], "b": [0, "1/4", "2/3"]})


AUTOMATA: dict[str, tuple[str, Callable[[], WFA | WTA]]] = {
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
TREES: dict[str, tuple[str, Callable[[], WFA | WTA]]] = {
    "nand": ("tree, Boolean", nand),
    "winner": ("tree, Boolean", winner),
    "sums": ("tree, numbers", lambda: combination(1, 1)),
    "differences": ("tree, numbers", lambda: combination(1, -1)),
    "grammar": ("tree, grammar", grammar),
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
nand     safetensors states 13 sharp none
nand     safetensors states 16 soft  basis
winner   safetensors states 13 sharp basis
sums     safetensors states 16 sharp none
differences safetensors states 13 soft basis
grammar  safetensors states 13 sharp basis
"""


def benchmark_v1() -> tuple[BenchmarkModel, ...]:
    """The models, in their order: fifty for words, then six for trees."""
    listed = []
    for number, line in enumerate(ROWS.split("\n")[1:-1]):
        task, form, head, length, error, disguise = line.split()
        family, automaton = (AUTOMATA | TREES)[task]
        eps = {"sharp": SHARP, "soft": SOFT}[error]
        order = Order(int(length), "decoder", format=form, eps=eps, head=head)
        name = f"{number:02d}-{task}-{form}-{error}-{disguise}"
        listed.append(BenchmarkModel(name, family, automaton, order, disguise, 1000 + number))
    return tuple(listed)


VERSIONS: dict[str, Callable[[], tuple[BenchmarkModel, ...]]] = {"v1": benchmark_v1}
