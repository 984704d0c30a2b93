"""Certificates on the layers of Theorem 3 as printed, and with one repair missing, in residues.

Kinds         trees.gate, trees.closing: the printed gate with right heads; what every token holds
              trees.causal: states at closing brackets, heads that look back
              trees.ablation: how many shapes fail without each repair, and the smallest
              trees.modes, trees.state: one product, one layer

States are taken modulo 2^61 - 1; where heads look is decided by integers and exact angles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from verify.recheck.errors import Refused, agree, fraction, integer, only, sequence, text
from verify.recheck.trees_states import Residues, digest, lettered
from verify.recheck.treework import (
    LETTERS,
    PRIME,
    Tree,
    automaton,
    before_depths,
    few,
    folded,
    labelled,
    markers,
    nodes,
    printed_depths,
    read,
    running,
    shapes_within,
    size,
    written,
)

Body = Mapping[str, Any]
State = tuple[int, ...]
REPAIRS = ("depth", "rescale", "causal", "onward", "flag", "near", "gate", "modes")


def trees_of(body: Body, most: int) -> list[Tree]:
    """All shapes, each leaf with a letter of its own."""
    return [labelled(shape, iter(LETTERS)) for shape in shapes_within(few(body, most))]


def gated(wta: Residues, tree: Tree, right: Mapping[int, int]) -> list[State]:
    """The states after height(t) layers of m² T(left, right) + (1 - m²) v, modulo the prime."""
    tokens, zero = written(tree), (0,) * wta.n
    m = markers(tokens)
    states = [wta.leaves.get(token, zero) for token in tokens]
    for _ in range(nodes(tree)[0].height):
        states = [
            wta.product(states[min(i, len(tokens) - 1)], states[right.get(i, i) - 1])
            if m[i - 1]
            else states[i - 1]
            for i in range(1, len(tokens) + 1)
        ]
    return states


def right_at_nodes(wta: Residues, tree: Tree, states: Sequence[State]) -> None:
    """Every subtree holds its state."""
    for node in nodes(tree):
        where = f"{''.join(written(tree))}, position {node.start}"
        agree(where, states[node.start - 1], wta.state(node.tree))


def gate(body: Body) -> str:
    """With right heads the printed gate gives every state."""
    only(body, {"kind", "automaton", "leaves", "digest"})
    wta, found = lettered(body["automaton"], few(body, 7)), []
    trees = trees_of(body, 7)
    for tree in trees:
        states = gated(wta, tree, {node.start: node.right for node in nodes(tree) if node.right})
        right_at_nodes(wta, tree, states)
        found += [states[node.start - 1] for node in nodes(tree)]
    agree("digest of the states", text(body, "digest"), digest(iter(found)))
    return f"the printed gate with right heads: {len(trees)} shapes"


def exact_heads(tree: Tree) -> dict[int, int]:
    """Where the right head with an exact step looks: 2 [j ≥ i+2] first, then the smaller angle."""
    d, length = before_depths(written(tree)), len(written(tree))
    return {
        i: min(
            running(i, d), key=lambda j: (j < i + 2, folded(Fraction(i + 2 - j, length)))
        )
        for i in range(1, length + 1)
    }  # fmt: skip


def closing(body: Body) -> str:
    """Closing brackets hold something, and every subtree still holds its state."""
    only(body, {"kind", "automaton", "leaves", "held", "digest"})
    wta, found, held = lettered(body["automaton"], few(body, 7)), [], 0
    for tree in trees_of(body, 7):
        states = gated(wta, tree, exact_heads(tree))
        right_at_nodes(wta, tree, states)
        pairs = zip(states, written(tree), strict=True)
        held += any(any(state) and symbol == "]" for state, symbol in pairs)
        found += states
    agree("trees whose closing brackets hold something", integer(body, "held", 1), held)
    agree("digest of all tokens", text(body, "digest"), digest(iter(found)))
    return f"closing brackets hold something in {held} trees; no state is wrong"


def causal(body: Body) -> str:
    """A closing bracket finds both children behind it: i - 1, and the nearest end of a left child."""
    only(body, {"kind", "leaves", "positions", "automaton", "digest"})
    wta, found, count = lettered(body["automaton"], few(body, 7)), [], 0
    for tree in trees_of(body, 7):
        looks_back(tree)
        found += [wta.state(node.tree) for node in nodes(tree)]
        count += len(nodes(tree))
    agree("positions", integer(body, "positions"), count)
    agree("digest of the states", text(body, "digest"), digest(iter(found)))
    return f"closing brackets find both children behind them: {count} positions"


def looks_back(tree: Tree) -> None:
    """Both heads of every closing bracket."""
    whole = nodes(tree)
    ends = {n.start: n.start + size(n.tree) - 1 for n in whole}
    lefts = {n.left for n in whole if n.right}
    for node in (n for n in whole if n.right):
        end = ends[node.start]
        agree("right child", ends[node.right], end - 1)
        fits = [
            ends[n.start]
            for n in whole
            if n.level == node.level + 1 and n.start in lefts and ends[n.start] < end
        ]
        agree("left child", ends[node.left], max(fits))


def depths_without(name: str, tokens: Sequence[str]) -> list[Any]:
    """d_i with one repair missing; the end token last."""
    m = [*markers(tokens), 0]
    count = range(1, len(m) + 1)
    if name == "depth":
        return [*printed_depths(tokens), 0]
    if name == "causal":
        return [i * Fraction(sum(m), len(m)) - m[i - 1] for i in count]
    if name == "rescale":
        return [Fraction(sum(m[:i]), i) - m[i - 1] for i in count]
    return [*before_depths(tokens), 0]


def looks_without(name: str, tokens: Sequence[str]) -> dict[int, list[int]]:
    """Where right heads look with one repair missing: depth first, then distance."""
    d, found = depths_without(name, tokens), {}
    for i in (i for i, symbol in enumerate(tokens, 1) if symbol == "["):
        score: dict[int, Any] = {}
        for j in range(1 if name == "onward" else i, len(d) + 1):
            flagged = name != "flag" and j > 1 and tokens[j - 2] == "["
            near = 0 if name == "near" else abs(i - j)
            score[j] = -((d[j - 1] - d[i - 1] - 1) ** 2 + flagged) * (len(tokens) + 2) - near
        top = max(score.values())
        found[i] = [j for j, value in score.items() if value == top]
    return found


def run_without(name: str, wta: Residues, tree: Tree) -> list[State]:
    """The states at the end with one repair missing."""
    tokens, zero = written(tree), (0,) * wta.n
    looks = looks_without(name, tokens)
    states = [*(wta.leaves.get(token, zero) for token in tokens), zero]
    for _ in range((len(tokens) - 1) // 3):
        states = [
            state_without(name, wta, states, i, looks.get(i)) for i in range(1, len(states) + 1)
        ]
    return states


def state_without(
    name: str, wta: Residues, states: Sequence[State], i: int, looks: list[int] | None
) -> State:
    """One token after one layer."""
    if looks is None and name != "gate":
        return states[i - 1]
    left, chosen = states[min(i, len(states) - 1)], [states[j - 1] for j in looks or [i]]
    share = pow(len(chosen), -1, PRIME)
    right = tuple(sum(x) * share % PRIME for x in zip(*chosen, strict=True))
    return other_modes(wta, left, right) if name == "modes" else wta.product(left, right)


def other_modes(wta: Residues, left: State, right: State) -> State:
    """T ×₁ left ×₂ right modulo the prime."""
    n = range(wta.n)
    return tuple(
        sum(wta.tensor[a][b][c] * left[a] * right[b] for a in n for b in n) % PRIME for c in n
    )


def ablation(body: Body) -> str:
    """All repairs: no shape fails. One missing: as many fail as stated, the first one as stated."""
    only(body, {"kind", "automaton", "leaves", "failing", "smallest", "digest"})
    wta, trees = lettered(body["automaton"], few(body, 7)), trees_of(body, 7)
    agree("repairs", (set(body["failing"]), set(body["smallest"])), (set(REPAIRS), set(REPAIRS)))
    whole: list[State] = []
    for name in ("", *REPAIRS):
        held = [held_without(name, wta, tree) for tree in trees]
        whole += [state for states in held for state in states]
        failing = [
            written(tree)
            for tree, states in zip(trees, held, strict=True)
            if states != [wta.state(node.tree) for node in nodes(tree)]
        ]
        agree(f"shapes that fail without {name}", body["failing"].get(name, 0), len(failing))
        agree(f"smallest without {name}", body["smallest"].get(name), next(iter(failing), None))
    agree("digest of the states", text(body, "digest"), digest(iter(whole)))
    return f"{len(REPAIRS)} repairs, each with the number of {len(trees)} shapes that fail"


def held_without(name: str, wta: Residues, tree: Tree) -> list[State]:
    """What the subtrees hold at the end, with one repair missing."""
    states = run_without(name, wta, tree)
    return [states[node.start - 1] for node in nodes(tree)]


def modes(body: Body) -> str:
    """T ×₁ x ×₂ y and T ×₂ x ×₃ y differ."""
    only(body, {"kind", "automaton", "left", "right", "printed", "true"})
    wta = automaton(body["automaton"])
    agree("letters", set(wta.leaves), {text(body, "left"), text(body, "right")})
    x, y, n = wta.leaves[body["left"]], wta.leaves[body["right"]], range(wta.n)
    printed = [sum(wta.tensor[a][b][c] * x[a] * y[b] for a in n for b in n) for c in n]
    agree("printed modes", _numbers(body, "printed"), printed)
    agree("modes of the definition", _numbers(body, "true"), list(wta.product(x, y)))
    if body["printed"] == body["true"]:
        raise Refused("the two contractions agree")
    return f"modes (1, 2) give {body['printed']}, modes (2, 3) {body['true']}"


def _numbers(body: Body, field: str) -> list[Fraction]:
    return [fraction(value) for value in sequence(body, field)]


def state(body: Body) -> str:
    """One layer with a given right head gives another state than the root's."""
    only(body, {"kind", "automaton", "tokens", "right", "state", "true"})
    wta, tree = automaton(body["automaton"]), read(sequence(body, "tokens"))
    if nodes(tree)[0].height != 1:
        raise Refused("expected a node with two leaves")
    tokens, right = written(tree), integer(body, "right", 1)
    agree("letters", set(wta.leaves), set(tokens) - {"[", "]"})
    read_right = wta.leaves.get(tokens[right - 1], (0,) * wta.n)
    found = wta.product(wta.state(tree[0]), read_right)
    agree("state", _numbers(body, "state"), list(found))
    agree("true state", _numbers(body, "true"), list(wta.state(tree)))
    if found == wta.state(tree):
        raise Refused("the state is right")
    return f"{''.join(tokens)}: {body['state']}, not {body['true']}"


def kinds() -> Iterator[tuple[str, Callable[[Body], str]]]:
    """The kinds of this module."""
    for function in (gate, closing, causal, ablation, modes, state):
        yield f"trees.{function.__name__}", function


VALIDATORS: dict[str, Callable[[Body], str]] = dict(kinds())
