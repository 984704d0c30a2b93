"""The counting automata of Section 5.2, and one layer that counts zeros at every length.

counting.state       the k-counting automaton has this state after this word
counting.step        each symbol adds one to its own count, from every state
counting.one-layer   one causal layer returns the zero-counting states, for all T
counting.soft-layer  one soft layer without a mask stays within 3 (T + 1) / (K - 1)
counting.reaches     a trained model is as wide and as deep as Theorem 1's transformer
"""

from __future__ import annotations

from itertools import product

from constructions import theorem1
from constructions.automata.families import k_counting
from verify.exactness import one_layer
from verify.facts.registry import fact
from verify.judge.outcome import Outcome, comparison


@fact("counting.state", "exact")
def state_after_word(counted: int, symbols: int, word: str, expected: list[int]) -> Outcome:
    """The k-counting automaton has this state after this word of digits."""
    state = [int(entry) for entry in k_counting(counted, symbols).states(word)[-1]]
    return comparison(state == expected, state=state)


@fact("counting.step", "symbolic")
def symbols_add_one(counted: list[int], symbols: int) -> Outcome:
    """From every state with last entry 1 a symbol adds one to its own count and nothing else."""
    wrong = [k for k in counted if not one_layer.counts_always(k_counting(k, symbols), k)]
    return comparison(not wrong, wrong=wrong)


@fact("counting.one-layer", "symbolic")
def exact_layer(longest: int) -> Outcome:
    """Induction on t shows the causal layer's states for all T; all short words are run as well."""
    base, goes_on = one_layer.induction()
    wrong = one_layer.first_mismatch(one_layer.one_layer(one_layer.masked_head()), longest)
    holds = base and goes_on and wrong is None
    witness = {"base": base, "step": goes_on, "word": "" if wrong is None else "".join(wrong)}
    return Outcome(holds, {"longest": longest}, None if holds else witness)


@fact("counting.soft-layer", "enclosure")
def soft_layer(longest: int, bases: list[int]) -> Outcome:
    """The error bound as an inequality for all T and K, and in balls on all short words."""
    words = [word for length in range(longest + 1) for word in product("01", repeat=length)]
    seen = {(w, k): one_layer.soft_excess(w, k) for w in words for k in bases}
    if any(excess is None for excess in seen.values()):
        return Outcome(None)
    over = ["".join(word) for (word, _), excess in seen.items() if excess]
    return comparison(one_layer.inequalities() and not over, runs=len(seen), over=over)


@fact("counting.reaches", "exact")
def model_is_large_enough(states: int, length: int, width: int, layers: int) -> Outcome:
    """A trained model is as wide and as deep as Theorem 1's transformer for its task."""
    size, steps = theorem1.layout(states).size, theorem1.depth(length)
    return comparison(width >= size and layers >= steps, width=size, layers=steps)
