"""Transformers that simulate weighted automata over words: contents of tokens and targets of heads.

Constructions are named as in `verify.exactness.sequences`. Lengths are T ≥ 1, n is the number of
states. Positions are counted as in the paper: 0 before the first letter, t after the letter t.

    sequence.words     which product of letters each position ends with (all n at once)
    sequence.rounds    after layer l the tokens are the elements of round l of the scan
    attention.sources  which position each head of each layer attends
    layer.product      one layer on fresh symbols puts left times right into both halves
    layers.alike       all layers share one feed-forward block, and what it leaves out
    readout.states     the readout takes vec(A) to αᵀA
    pads.enough        which numbers of identity pads are enough
    pads.needed        without any pad the construction fails
    states.rows        how many states a word of T letters has
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from constructions import theorem1
from constructions.arithmetic import FreeMonoid, MonoidWord, Polynomial
from constructions.automata import families
from constructions.core.transformer import Tie, realise
from verify.exactness import generic, sequences
from verify.exactness.routing import RoutedWords
from verify.facts import printed_formulas as printed
from verify.facts.registry import fact
from verify.judge.outcome import Outcome, first_problem


@fact("sequence.words", "exact")
def words_at_positions(construction: str, most: int, also: Sequence[int] = ()) -> Outcome:
    """For T = 1 … most, and the lengths in `also`, position t ends with the product of letters 1 … t."""
    lengths = (*range(1, most + 1), *also)
    return first_problem(
        _mismatch_witness(sequences.word_mismatch(construction, t), T=t) for t in lengths
    )


def _mismatch_witness(mismatch: generic.Mismatch | None, **sizes: int) -> dict[str, Any] | None:
    """The sizes and the position of a mismatch, if there is one."""
    return None if mismatch is None else {**sizes, "t": mismatch.position}


@fact("sequence.rounds", "exhaustive")
def rounds(lengths: Sequence[int]) -> Outcome:
    """After layer l of Theorem 1 position t holds the product of letters max(1, t - 2^l + 1) … t."""
    return first_problem(_wrong_round(length) for length in lengths)


def window(j: int, done: int) -> range:
    """The indices whose product position j holds after `done` rounds of the scan."""
    return range(max(0, j + 1 - (1 << done)), j + 1)


def _wrong_round(length: int) -> dict[str, Any] | None:
    word = generic.word(length)
    simulation = theorem1.build(generic.letter_automaton(length), length)
    arithmetic = RoutedWords(theorem1.span(length))
    model = realise(simulation.transformer, arithmetic)
    column = theorem1.layout(1)["right"][0]
    start = arithmetic.array(simulation.encode(word))
    for layer, tokens in enumerate(model.states(arithmetic, start)):
        for t in range(1, length + 1):
            expected = "".join(chr(k + 1) for k in window(t - 1, layer))
            if tokens[simulation.row(t), column] != MonoidWord(expected):
                return {"T": length, "layer": layer, "t": t}
    return None


@fact("attention.sources", "exact")
def sources(lengths: Sequence[int]) -> Outcome:
    """In layer l the left head attends t - 2^(l-1) modulo 2M, the right head t, and nothing else ties."""
    return first_problem(_wrong_source(length) for length in lengths)


def _wrong_source(length: int) -> dict[str, Any] | None:
    try:
        mismatch = generic.prove_routing(length)
    except Tie:
        return {"T": length, "row": -1}
    return None if mismatch is None else {"T": length, "row": mismatch.position}


@fact("layer.product", "exact")
def layer_product(states: Sequence[int]) -> Outcome:
    """One layer, wherever its heads look, carries the left matrix times the right one, twice."""
    return first_problem(_wrong_product(n) for n in states)


def _wrong_product(n: int) -> dict[str, Any] | None:
    mismatch = generic.prove_layer(n)
    return None if mismatch is None else {"n": n, "coordinate": mismatch.coordinate}


@fact("layers.alike", "exact")
def layers_are_alike(n: int, length: int) -> Outcome:
    """All layers have one feed-forward block; `unwritten` lists what W_out leaves at zero."""
    layers = theorem1.layers(n, length)
    blocks = [layer.feedforward for layer in layers]
    other = next((number for number, block in enumerate(blocks, 1) if block != blocks[0]), None)
    written = {column for _, column in theorem1.output(n).entries}
    unwritten = [c for c in range(theorem1.layout(n).size) if c not in written]
    return Outcome(
        other is None, {"unwritten": unwritten}, None if other is None else {"layer": other}
    )


@fact("readout.states", "exact")
def readout(states: Sequence[int]) -> Outcome:
    """For symbols α and A the readout takes vec(A) in the right half to αᵀA."""
    return first_problem(_wrong_readout(n) for n in states)


def _wrong_readout(n: int) -> dict[str, Any] | None:
    arithmetic = Polynomial([*generic.symbols(n, 1), "other"])
    automaton = generic.generic_automaton(n, 1, arithmetic.generators.__getitem__)
    row: list[object] = [arithmetic.generators["other"]] * theorem1.layout(n).size
    flat = [weight for line in automaton.matrix("1") for weight in line]
    for coordinate, entry in zip(theorem1.layout(n)["right"], flat, strict=True):
        row[coordinate] = entry
    [outputs] = arithmetic.apply(arithmetic.array([row]), theorem1.readout(automaton.alpha))
    _, wanted = automaton.states(("1",))
    pairs = enumerate(zip(outputs, wanted, strict=True))
    wrong = (j for j, (output, entry) in pairs if output != entry)
    return next(({"n": n, "coordinate": j} for j in wrong), None)


def enough_pads(length: int, count: int) -> bool:
    """Return whether with `count` pads every row has one maximum and every output there is right.

    With fewer than M pads a query may find no key with its own code; hard attention then takes the
    nearest code on the circle, or meets a tie. Letters of a free monoid represent all matrices.
    """
    simulation = theorem1.build(generic.letter_automaton(length), length)
    rows = simulation.encode(generic.word(length))[simulation.span - count :]
    arithmetic = FreeMonoid()
    try:
        model = realise(simulation.transformer, arithmetic)
        outputs = model(arithmetic, arithmetic.array(rows))
    except Tie:
        return False
    first = 0 if count else 1
    return all(outputs[t + count - 1][0] == generic.prefix(t) for t in range(first, length + 1))


@fact("pads.enough", "exhaustive")
def pads_suffice(lengths: Sequence[int], fewer: bool) -> Outcome:
    """With T pads every output is right; where `fewer` is true, some smaller number is enough too."""
    enough = {t: [k for k in range(1, t + 1) if enough_pads(t, k)] for t in lengths}
    values = {"enough": [[length, counts] for length, counts in enough.items()]}
    for length, counts in enough.items():
        if length not in counts or (fewer and min(counts) == length):
            return Outcome(False, values, {"T": length, "enough": counts})
    return Outcome(True, values)


@fact("pads.needed", "exhaustive")
def pads_needed(lengths: Sequence[int]) -> Outcome:
    """Without any pad the construction of Theorem 1 gets some state wrong, for each T."""
    return first_problem({"T": length} if enough_pads(length, 0) else None for length in lengths)


@fact("states.rows", "exhaustive")
def rows(declared: str, most: int) -> Outcome:
    """Every word of T = 1 … most letters has as many states as declared, a count in T."""
    automaton = families.counting()
    for length in range(1, most + 1):
        for word in automaton.words(length):
            listed, wanted = len(automaton.states(word)), printed.count(declared, T=length)
            if listed != wanted:
                return Outcome(False, {}, {"T": length, "declared": int(wanted), "listed": listed})
    return Outcome(True)
