"""Tree automata by counting runs: a state is possible exactly if its count of runs is above ½.

    tree-automaton.runs    the repaired layers on counts of runs give the possible states
    tree-automaton.bits    counts of runs on balanced trees need a number of bits for each leaf

Notation      an automaton is given as {n, leaves: {letter: states}, rules: [[p, r, q], …]}: a node
              may be in q if its children may be in p and r. The count of q is the number of runs
              that end in q; weights are 0 and 1, so counts never cancel
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from constructions import theorem3
from constructions.automata.tree_automaton import (
    TreeAutomaton,
    run_counting_automaton,
    states_above_half,
)
from constructions.automata.trees import Tree, balanced_tree, tokens
from constructions.theorem3 import Places
from verify.exactness.combs import trees_within
from verify.exactness.integers import IntegerPass
from verify.facts.registry import fact
from verify.judge.outcome import Outcome, comparison


def automaton(given: dict[str, Any]) -> TreeAutomaton:
    """A tree automaton from plain data; which states are final plays no part here."""
    rules = [(p, r, q) for p, r, q in given["rules"]]
    return TreeAutomaton.of(given["n"], given["leaves"], rules, [0])


@fact("tree-automaton.runs", "exhaustive")
def run_counts_decide(automata: list[dict[str, Any]], leaves: int) -> Outcome:
    """At every position of every small tree the states with a count above ½ are the possible ones."""
    places, largest = 0, []
    for number, given in enumerate(automata, 1):
        machine = automaton(given)
        counts, most = run_counting_automaton(machine), 0
        for string, last in _run_counts(counts, "".join(sorted(given["leaves"])), leaves):
            for i, possible in machine.possible_states(string).items():
                seen = [int(x) for x in last[i - 1]]
                places, most = places + 1, max(most, *seen)
                if states_above_half([Fraction(x) for x in seen]) != possible:
                    witness = {"automaton": number, "string": "".join(string), "position": i}
                    return Outcome(False, {}, witness)
        largest.append(str(most))
    return Outcome(True, {"positions": places, "largest": largest})


def _run_counts(counts: Any, letters: str, leaves: int) -> Any:
    """Each tree's string with the counts that the parse layers give at its positions."""
    by_length: dict[int, list[Tree]] = {}
    for tree in trees_within(letters, leaves):
        by_length.setdefault(len(tokens(tree)), []).append(tree)
    for length, group in by_length.items():
        model = theorem3.build(counts, length, places=Places.LINE)
        *_, last = IntegerPass(model, model.plan.layout, group).states()
        yield from zip(map(tokens, group), last[..., list(model.plan.layout["state"])], strict=True)


@fact("tree-automaton.bits", "exact")
def bits_of_run_counts(machine: dict[str, Any], heights: int, per_leaf: int) -> Outcome:
    """Counts of runs on balanced trees of height 1 … heights need exactly that number of bits per leaf."""
    counts = run_counting_automaton(automaton(machine))
    needed = []
    for h in range(1, heights + 1):
        most = max(counts.state(balanced_tree(["a"] * 2**h)))
        needed.append(int(most).bit_length() + 1)
    leaves = [2**h for h in range(1, heights + 1)]
    return comparison(needed == [per_leaf * count for count in leaves], leaves=leaves, bits=needed)
