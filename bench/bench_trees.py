"""Tree models at 1,000 leaves, n = 4, float64, against a recursive evaluation in torch.

    tree        Theorem 3 repaired, with as many layers as the tree needs; logdepth: 2 + O(log N) layers;
                modules as `to_torch` gives them, without gradients, routing read off the brackets
    recursion   μ(t_1, t_2) = T(μ(t_1), μ(t_2)) for each inner node, by `einsum` as one writes it, and
                by two products, the fastest way to write it

CPU seconds of one thread, by turns in one run. A random tree, a comb and a balanced tree: a comb has a
layer for each node, so that nothing can be done at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import torch
from timing import best_times_by_turns

from constructions import logdepth, theorem3
from constructions.automata.random_trees import random_tree
from constructions.automata.trees import CLOSE, OPEN, balanced_tree, comb, height, parse, tokens
from constructions.automata.wta import WTA
from constructions.modules import tree_module as modules_trees
from constructions.modules.passes import PassKind

LEAVES, STATES = 1000, 4
Row = tuple[str, str, float, float, float]


def automaton(n: int = STATES) -> WTA:
    """Small positive weights: states neither vanish nor overflow."""
    random = Random(5)
    tensor = [
        [[f"{random.randint(1, 9)}/{5 * n * n}" for _ in range(n)] for _ in range(n)]
        for _ in range(n)
    ]
    leaves = {letter: [f"{random.randint(5, 9)}/7" for _ in range(n)] for letter in "ab"}
    return WTA.of([1] + [0] * (n - 1), tensor, leaves)


def strings(leaves: int = LEAVES) -> dict[str, tuple[str, ...]]:
    """The trees by shape."""
    letters = ["a", "b"] * (leaves // 2)
    return {
        "random": tokens(random_tree(leaves, 1)),
        "comb": tokens(comb(letters)),
        "balanced": tokens(balanced_tree(letters)),
    }


def recursion(
    join: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    leaves: dict[str, torch.Tensor],
    string: Sequence[str],
) -> torch.Tensor:
    """The state of the root, by a stack: a recursion that deep trees do not break."""
    waiting: list[torch.Tensor] = []
    for symbol in string:
        if symbol == CLOSE:
            right, left = waiting.pop(), waiting.pop()
            waiting.append(join(left, right))
        elif symbol != OPEN:
            waiting.append(leaves[symbol])
    return waiting[0]


def timing_row(name: str, shape: str, string: tuple[str, ...]) -> Row:
    """(model, shape, seconds of the model, of the recursion by einsum, by two products)."""
    wta = automaton()
    if name == "tree":
        simulation = theorem3.build(wta, len(string), height(parse(string)))
        module = modules_trees.to_torch(simulation)
    else:
        module = modules_trees.to_torch(logdepth.build(wta, len(string)))
    tensor = module.tensor
    letters = {s: torch.tensor([float(w) for w in wta.leaf(s)], dtype=torch.float64) for s in "ab"}
    given = module.encode([string])
    with torch.no_grad():
        if module.current_pass() is not PassKind.FUSED:
            raise ArithmeticError(f"the module takes the pass {module.current_pass()}")
        (own, found), (written, root), (fast, _) = best_times_by_turns(
            lambda: module(given)[0, 0],
            lambda: recursion(
                lambda x, y: torch.einsum("abc,b,c->a", tensor, x, y), letters, string
            ),
            lambda: recursion(lambda x, y: (tensor @ y) @ x, letters, string),
            repeats=5,
        )
    if not torch.allclose(found, root):
        raise ArithmeticError(f"{name}, {shape}: another state than the recursion's")
    return name, shape, own, written, fast


def main() -> list[Row]:
    """Print the table."""
    torch.set_num_threads(1)
    rows = [timing_row(name, *item) for name in ("tree", "logdepth") for item in strings().items()]
    print(f"{LEAVES} leaves, n = {STATES}, float64, one thread")
    print(
        f"{'model':<10} {'tree':<10} {'model':>10} {'einsum':>10} {'ratio':>7} {'products':>10} {'ratio':>7}"
    )
    for name, shape, own, written, fast in rows:
        print(
            f"{name:<10} {shape:<10} {own:>8.4f} s {written:>8.4f} s {own / written:>7.2f} "
            f"{fast:>8.4f} s {own / fast:>7.2f}"
        )
    return rows


if __name__ == "__main__":
    main()
