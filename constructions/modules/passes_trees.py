"""Passes of the tree models that read the routing off the string, in time linear in the string.

Claimed       in every parse layer an opening bracket attends to the beginnings of its two subtrees
              (`theorem3`); in every step an inactive node attends to its children and an active one
              where its pointer points (`logdepth`, `pebbling`)
Constructs    the same states from the brackets alone, for strings in numbers of tokens:
              `states_by_height`    theorem3: after l layers exactly the subtrees of height ≤ l hold
                                    their states, so each node is computed once, with its height
              `states_by_pebbling`  log-depth: in a step only the nodes change whose mark or pointer
                                    does
Notation      nodes are rows of the flattened batch; μ(v) = M μ(c) + b as in `logdepth`
Unlike dense  a layer's sum of products is added in another order, and nodes that a layer leaves alone
              are not computed again
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from constructions import logdepth, theorem3
from constructions.core.transformer import Attention

Rows = npt.NDArray[np.int64]
Marks = npt.NDArray[np.bool_]
AnyTreeSimulation = theorem3.TreeSimulation | logdepth.LogDepthSimulation
Evaluation = Callable[[Tensor, "Brackets", Tensor, int], Tensor]


def is_hard_construction(simulation: AnyTreeSimulation) -> bool:
    """True if all weights are, as exact data, those of a hard construction."""
    plan, given = simulation.plan, simulation.transformer
    if plan.attention is not Attention.HARD or steps(simulation) < 0:
        return False
    if isinstance(simulation, theorem3.TreeSimulation):
        layers, places = steps(simulation), simulation.plan.places
        built = theorem3.build(simulation.automaton, simulation.length, layers, places).transformer
    else:
        whole = logdepth.assemble(simulation.automaton, simulation.plan)
        built = whole.cut(len(given.layers)).transformer
    pairs = zip(given.layers, built.layers, strict=True)
    distinct = {(id(one), id(other)): (one, other) for one, other in pairs}
    alike = all(one == other for one, other in distinct.values())
    return alike and (given.readout, given.positions) == (built.readout, built.positions)


def steps(simulation: AnyTreeSimulation) -> int:
    """Number of layers after the preparation."""
    before = 2 if isinstance(simulation, theorem3.TreeSimulation) else simulation.preparation
    return len(simulation.transformer.layers) - before


def evaluation(simulation: AnyTreeSimulation) -> Evaluation:
    """The pass of the construction."""
    return (
        states_by_height if isinstance(simulation, theorem3.TreeSimulation) else states_by_pebbling
    )


@dataclass(frozen=True)
class Brackets:
    """The inner nodes of a batch of trees, with their children and their heights."""

    nodes: Rows
    left: Rows
    right: Rows
    heights: Rows


class NoTree(ValueError):
    """Tokens that are the string of no tree."""


def brackets(strings: Sequence[Sequence[int]], opening: int, closing: int) -> Brackets:
    """The inner nodes of each string, by one walk with a stack."""
    nodes: list[tuple[int, int, int, int]] = []
    start = 0
    for string in strings:
        _walk(string, opening, closing, start, nodes)
        start += len(string)
    columns = np.array(nodes, dtype=np.int64).reshape(-1, 4).T
    return Brackets(*columns)


def _walk(
    string: Sequence[int],
    opening: int,
    closing: int,
    start: int,
    found: list[tuple[int, int, int, int]],
) -> None:
    whole: list[tuple[int, int]] = []  # finished subtrees that wait for a sibling or a parent
    opened: list[tuple[int, int]] = []  # opening brackets, and how many subtrees stood before
    for i, token in enumerate(string, start):
        if token == opening:
            opened.append((i, len(whole)))
        elif token == closing:
            if not opened or len(whole) != opened[-1][1] + 2:
                raise NoTree(f"a closing bracket at {i - start}")
            (left, one), (right, two) = whole[-2:]
            node, height = opened.pop()[0], max(one, two) + 1
            found.append((node, left, right, height))
            whole[-2:] = [(node, height)]
        else:
            whole.append((i, 0))
    if opened or len(whole) != 1:
        raise NoTree("brackets that do not make one tree")


def states_by_height(states: Tensor, tree: Brackets, tensor: Tensor, layers: int) -> Tensor:
    """The states of all subtrees of height ≤ `layers`, from those of the leaves (rows, n)."""
    order = np.argsort(tree.heights, kind="stable")
    nodes, left, right = (side[order] for side in (tree.nodes, tree.left, tree.right))
    states = states.clone()
    for start, stop, alone in node_runs(np.bincount(tree.heights, minlength=1)[1 : layers + 1]):
        some = slice(start, stop)
        if alone:
            _climb(states, nodes[some], left[some], right[some], tensor)
        else:
            rows, one, two = (_index(side[some], states) for side in (nodes, left, right))
            states.index_copy_(0, rows, tensor_values(tensor, states[one], states[two]))
    return states


def node_runs(counts: Rows) -> list[tuple[int, int, bool]]:
    """Return the ranges of nodes, ordered by height, to compute together: one height, or all the nodes
    of consecutive heights that have one node each (True).

    >>> node_runs(np.array([2, 1, 1, 3, 1]))
    [(0, 2, False), (2, 4, True), (4, 7, False), (7, 8, True)]
    """
    runs: list[tuple[int, int, bool]] = []
    for count in counts.tolist():
        start = runs[-1][1] if runs else 0
        if count == 1 and runs and runs[-1][2]:
            runs[-1] = (runs[-1][0], start + 1, True)
        else:
            runs.append((start, start + count, count == 1))
    return runs


def _climb(states: Tensor, nodes: Rows, left: Rows, right: Rows, tensor: Tensor) -> None:
    """Compute the nodes one after the other: in a comb each node needs the one below it.

    From the second on, one child of each is the node before it, and the other was known before all
    of them: one product gives the maps T(x, ·) and T(·, y) of all nodes, and each node is then one
    small product.
    """
    below = np.concatenate([left[:1], nodes[:-1]])
    from_left = left == below
    maps = tensor.new_empty((len(nodes), *tensor.shape[1:]))
    for chosen, towards, known in (
        (from_left, right_contraction, right),
        (~from_left, left_contraction, left),
    ):
        maps[_index(chosen, states)] = towards(tensor, states[_index(known[chosen], states)])
    state, computed = states[int(left[0])], []
    for matrix in maps.unbind(0):
        state = torch.mv(matrix, state)
        computed.append(state)
    states[_index(nodes, states)] = torch.stack(computed)


def tensor_values(tensor: Tensor, left: Tensor, right: Tensor) -> Tensor:
    """T(x, y) for rows x, y: Σ T_abc x_b y_c."""
    return (left_contraction(tensor, left) @ right.unsqueeze(-1)).squeeze(-1)


def left_contraction(tensor: Tensor, left: Tensor) -> Tensor:
    """The matrices T(x, ·) for rows x."""
    n = tensor.shape[0]
    return (left @ tensor.transpose(0, 1).reshape(n, n * n)).reshape(-1, n, n)


def right_contraction(tensor: Tensor, right: Tensor) -> Tensor:
    """The matrices T(·, y) for rows y."""
    n = tensor.shape[0]
    return (right @ tensor.permute(2, 0, 1).reshape(n, n * n)).reshape(-1, n, n)


@dataclass
class BatchedGame:
    """The pebbling game on all trees of a batch: marks and pointers of the nodes, as rows."""

    tree: Brackets
    pebbled: Marks
    inactive: Marks
    pointer: Rows

    @classmethod
    def start(cls, rows: int, tree: Brackets) -> BatchedGame:
        """Leaves pebbled, inner nodes inactive; rows that are no nodes count as pebbled."""
        inactive = np.zeros(rows, dtype=np.bool_)
        inactive[tree.nodes] = True
        return cls(tree, ~inactive, inactive, np.arange(rows))

    def moves(self) -> Moves:
        """Moves of the next step: the nodes that it changes, and how."""
        tree = self.tree
        idle = self.inactive[tree.nodes]
        near, far = self.pebbled[tree.left], self.pebbled[tree.right]
        active = tree.nodes[~self.pebbled[tree.nodes] & ~idle]
        target = self.pointer[active]
        ready = self.pebbled[target]
        onward = ~ready & ~self.inactive[target]
        return Moves(
            idle & near & far, idle & near & ~far, idle & ~near & far, active[ready], active[onward]
        )

    def advance(self, moves: Moves) -> None:
        """The marks and pointers after the step."""
        tree = self.tree
        self.pointer[moves.onward] = self.pointer[self.pointer[moves.onward]]
        self.pointer[tree.nodes[moves.near]] = tree.right[moves.near]
        self.pointer[tree.nodes[moves.far]] = tree.left[moves.far]
        self.pebbled[tree.nodes[moves.both]] = self.pebbled[moves.ready] = True
        self.inactive[tree.nodes[moves.both | moves.near | moves.far]] = False


@dataclass(frozen=True)
class Moves:
    """One step: inactive nodes with both children pebbled, with the near or with the far one (as
    marks on inner nodes); active nodes that point to a pebbled or to an active node (as rows).
    """

    both: Marks
    near: Marks
    far: Marks
    ready: Rows
    onward: Rows


def states_by_pebbling(states: Tensor, tree: Brackets, tensor: Tensor, steps: int) -> Tensor:
    """Compute the states b after `steps` steps of pebbling from those of the leaves (rows, n)."""
    game, n = BatchedGame.start(len(states), tree), tensor.shape[0]
    maps = states.new_zeros((len(states), n, n))
    for _ in range(steps):
        if game.pebbled.all():
            break
        moves = game.moves()
        read = states, maps
        states = _states_after(game, moves, *read, tensor)
        maps = _maps_after(game, moves, *read, tensor)
        game.advance(moves)
    return states


def _states_after(
    game: BatchedGame, moves: Moves, states: Tensor, maps: Tensor, tensor: Tensor
) -> Tensor:
    """b ← T(b_near, b_far), and b ← M b_c."""
    tree, ready = game.tree, _index(moves.ready, states)
    left, right = (_index(side[moves.both], states) for side in (tree.left, tree.right))
    joined = tensor_values(tensor, states[left], states[right])
    below = states[_index(game.pointer[moves.ready], states)]
    moved = (maps[ready] @ below.unsqueeze(-1)).squeeze(-1)
    after = states.index_copy(0, _index(tree.nodes[moves.both], states), joined)
    return after.index_copy(0, ready, moved)


def _maps_after(
    game: BatchedGame, moves: Moves, states: Tensor, maps: Tensor, tensor: Tensor
) -> Tensor:
    """M ← T(b_near, ·), M ← T(·, b_far), and M ← M M_c."""
    tree, onward = game.tree, _index(moves.onward, states)
    near = left_contraction(tensor, states[_index(tree.left[moves.near], states)])
    far = right_contraction(tensor, states[_index(tree.right[moves.far], states)])
    composed = maps[onward] @ maps[_index(game.pointer[moves.onward], states)]
    after = maps.index_copy(0, _index(tree.nodes[moves.near], states), near)
    after = after.index_copy(0, _index(tree.nodes[moves.far], states), far)
    return after.index_copy(0, onward, composed)


def _index(rows: Rows | Marks, states: Tensor) -> Tensor:
    """Rows, or marks, as an index on the device of the states."""
    return torch.from_numpy(rows).to(states.device)
