"""Theorem 3 on the string of a tree alone: no mask, no end token, positions given once.

Claimed       WTAs with n states are simulated on the tokens of str(t) with O(n) coordinates
Constructs    2·height(t) equal layers of three heads on 2n + 8 coordinates; every layer passes the
              positional encoding on. The left head of an opening bracket looks at the next token,
              that of every other token at the token itself; the right head looks where the right
              child begins, once the length of the left one is known, and at the token itself before
Notation      as in `theorem3_variants`; letter: 1 at a letter; vector: -v_σ at a letter, 0 elsewhere
Shown         a letter reads its own state as that of a left child, and vector, letter and letter take
              state, done and size away again: what is multiplied by the right child is 0 there.
              Machine-checked in `verify/coq/CleanTreeStatements.v`, with softmax and MLPs too
Unlike print  print gives another construction, with masks that Section 2.4 does not have
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from constructions.automata.trees import CLOSE, OPEN, check_string
from constructions.automata.wta import WTA
from constructions.core.layout import Layout
from constructions.core.matrix import Entry, Matrix
from constructions.core.transformer import Layer, Mask, Transformer
from constructions.running.simulation import TreeView
from constructions.theorem1 import check_length
from constructions.theorem3 import (
    Column,
    Unit,
    block_values,
    copies,
    greatest_height,
    layer,
    state_copies,
    tensor_units,
)
from constructions.variants.theorem3_variants import Scores, head, maskless_own_head, start_state

KEYS: list[Column] = [{"place.0": 1}, {"place.1": 1}]
CHILD: Scores = ([{"place.0": 2, "kind": 2}, {"one": -1}], KEYS)
AIMED: Scores = ([{"target": 2}, {"one": -1}], KEYS)
READ = ("state", "done", "size")


def layout(n: int) -> Layout:
    """(state, 1, place, kind, done, size, target, letter, vector): 2n + 8 coordinates."""
    return Layout(
        state=n, one=1, place=2, kind=1, done=1, size=1, target=1, letter=1, vector=n
    )  # fmt: skip


def units(automaton: WTA) -> list[Unit]:
    """Units of a layer: products of the children's states, and copies of the other coordinates."""
    n = automaton.n
    copied = ("one", "place.0", "place.1", "kind", "done", "size", "letter")
    units_of_layer: list[Unit] = [
        *tensor_units(automaton),
        *_letter_removal(automaton),
        *state_copies(n),
    ]
    units_of_layer += [*copies(*copied), *copies(*(f"vector.{a}" for a in range(n)))]
    units_of_layer += [("kind", f"state.{a}", f"state.{a}", -1) for a in range(n)]
    units_of_layer += [("kind", "done", "done", -1), ("kind", "size", "size", -1)]
    return [*units_of_layer, *_node(n), *_target(n)]


def _letter_removal(automaton: WTA) -> list[Unit]:
    """The products of `tensor_units` with -v_σ of the letter in the place of the left child."""
    return [
        (left.replace("left.", "vector."), right, out, weight)
        for left, right, out, weight in tensor_units(automaton)
    ]


def _node(n: int) -> list[Unit]:
    """done and size of a node: (left - letter) times right, and 2 for its own brackets."""
    done_l, size_l, done_r, size_r = f"left.{n}", f"left.{n + 1}", f"right.{n}", f"right.{n + 1}"
    return [
        (done_l, done_r, "done", 1), ("letter", done_r, "done", -1),
        (size_l, done_r, "size", 1), (done_l, size_r, "size", 1), ("letter", size_r, "size", -1),
        (done_l, done_r, "size", 2), ("letter", done_r, "size", -3),
    ]  # fmt: skip


def _target(n: int) -> list[Unit]:
    """i, or i + 1 + |left| where the left child is done."""
    return [
        ("one", "place.0", "target", 1), ("one", f"left.{n}", "target", 1),
        ("one", f"left.{n + 1}", "target", 1), ("one", "letter", "target", -2),
    ]  # fmt: skip


def parse_layer(automaton: WTA) -> Layer[Matrix]:
    """The layer that is repeated; it depends neither on the length nor on the tree."""
    coordinates = layout(automaton.n)
    left = head(coordinates, "left", READ, CHILD, Mask.NONE)
    right = head(coordinates, "right", READ, AIMED, Mask.NONE)
    return layer(coordinates, (left, right, maskless_own_head(coordinates)), units(automaton))


@dataclass(frozen=True)
class CleanTreeSimulation(TreeView):
    """A transformer that simulates a WTA on trees whose string has at most `length` tokens."""

    automaton: WTA
    length: int
    transformer: Transformer[Matrix]

    def encode(self, symbols: Sequence[str]) -> list[list[Entry]]:
        """The embedded tokens of str(t), and no others."""
        check_string(symbols, self.length)
        return [self._token(symbol, i) for i, symbol in enumerate(symbols, 1)]

    def _token(self, symbol: str, i: int) -> list[Entry]:
        state, letter = start_state(self.automaton, symbol), int(symbol not in (OPEN, CLOSE))
        extra = [int(symbol == OPEN), letter, letter, i, letter]
        return [*state, 1, i, i * i, *extra, *(-value for value in state)]


def build(automaton: WTA, length: int, layers: int | None = None) -> CleanTreeSimulation:
    """The construction; 2·height layers are enough for every tree.

    Examples:
        >>> pairs = WTA.of([1], [[[1]]], {"a": [2], "b": [3]})
        >>> {i: str(state) for i, (state,) in build(pairs, 7).states("[[ab]a]").items()}
        {1: '12', 2: '6', 3: '2', 4: '3', 6: '2'}

    """
    count = 2 * greatest_height(check_length(length)) if layers is None else layers
    stack = (parse_layer(automaton),) * count
    readout = block_values(layout(automaton.n), "state")
    return CleanTreeSimulation(automaton, length, Transformer(stack, readout))
