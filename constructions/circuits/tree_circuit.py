"""The circuit of a tree decoder: features of a node, held where its subtree ends, and what reads them.

Features     those of `constructions.decoder_tree`: known f, inactive g, pointer c, matrix M, state b of μ =
             M μ(c) + b, and what heads bring (near, far, read_…); one, index, square, left
Heads        a head has forms: its score of position j at position t is Σ_r query_r(t) · key_r(j), it reads
             the positions j ≤ t with the largest score, and adds the mean of its copies there. Without a
             query all positions are alike
Form         a sum of entries of features with coefficients: ((feature, entry, coefficient), …)
Positions    `positions` says where every head reads, from the string of the tree alone
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from constructions.automata.trees import string
from constructions.circuits.circuit import CircuitGraph, Component
from constructions.core.errors import InputError, unknown_symbol

if TYPE_CHECKING:
    from constructions.circuits.interventions import Intervention
    from constructions.circuits.tree_machine import TreeTrace

TREE_SCHEMA = "assay-tree-circuit-1"
STATE = "state"
Term = tuple[str, int, Fraction]
Form = tuple[Term, ...]
Copy = tuple[Form, str, int]  # what is read, and the entry of a feature that it is added to
Vector = tuple[Fraction, ...]


@dataclass(frozen=True)
class TreeHead(Component):
    """A head with its forms; `kind` is its name in the construction."""

    query: tuple[Form, ...] = ()
    key: tuple[Form, ...] = ()
    copies: tuple[Copy, ...] = ()


@dataclass(frozen=True)
class TreeCircuit(CircuitGraph):
    """The circuit of a decoder for trees: T and v_σ of the automaton besides.

    Examples:
        >>> import assay, tempfile
        >>> adder = assay.WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
        >>> circuit = assay.circuits.load_circuit(assay.export(adder, assay.Order(10), tempfile.mkdtemp()).folder)
        >>> [str(state[0]) for state in circuit.values("[a[ab]]").outputs]
        ['0', '0', '1', '0', '1', '5', '6', '7']
        >>> circuit.positions("[a[ab]]")["head 2.0"][7]  # the root's right child begins at 3
        (3,)

    """

    content: ClassVar[str] = STATE

    tensor: tuple[tuple[Vector, ...], ...]
    leaves: Mapping[str, Vector]

    def symbols(self, tree: Any) -> list[str]:
        """BOS and str(t) of a tree in any of its forms; what does not fit is refused.

        Examples:
            >>> import assay, tempfile
            >>> one = assay.WTA.of([1], [[[1]]], {"a": [2]})
            >>> folder = assay.export(one, assay.Order(4, format="npz"), tempfile.mkdtemp()).folder
            >>> assay.circuits.load_circuit(folder).symbols("[a a]")
            ['<bos>', '[', 'a', 'a', ']']

        """
        listed = string(tree)
        if len(listed) > self.length:
            raise InputError("tree", f"{len(listed)} tokens", f"at most {self.length}, the length")
        for symbol in listed:
            if symbol not in self.tokens[:-1]:
                raise unknown_symbol("tree", symbol, self.tokens[:-1])
        return [self.bos, *listed]

    def values(self, word: Any, interventions: Sequence[Intervention] = ()) -> TreeTrace:
        """The exact value of every feature at every hook and position, and the outputs.

        Examples:
            >>> import assay, tempfile
            >>> one = assay.WTA.of([1], [[[1]]], {"a": [2]})
            >>> folder = assay.export(one, assay.Order(7), tempfile.mkdtemp()).folder
            >>> trace = assay.circuits.load_circuit(folder).values("[a [a a]]")
            >>> [str(state[0]) for state in trace.outputs]
            ['0', '0', '2', '0', '2', '2', '4', '8']

        """
        from constructions.circuits.tree_machine import run

        return run(self, word, tuple(interventions))

    def positions(self, tree: Any) -> dict[str, list[tuple[int, ...]]]:
        """For every head that reads, where it reads from each position of a tree's string, BOS first.

        Examples:
            >>> import assay, tempfile
            >>> one = assay.WTA.of([1], [[[1]]], {"a": [2]})
            >>> folder = assay.export(one, assay.Order(7), tempfile.mkdtemp()).folder
            >>> assay.circuits.load_circuit(folder).positions("[a a]")["head 0.1"]
            [(0,), (0,), (1,), (2,), (3,)]

        """
        from constructions.circuits.tree_reading import positions_by_layer

        listed = positions_by_layer(self.symbols(tree)[1:], self.layers)
        return {
            part.name: listed[part.layer][part.kind]
            for part in self.components
            if part.kind in listed[part.layer]
        }
