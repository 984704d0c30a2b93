"""Which interventions are tried on a tree decoder: drawn by a seed, every edge before any twice.

Trees        random shapes with random leaves, with up to as many leaves as T allows; the first trials
             change nothing
Kinds        interchange of the state of a subtree, or of all that is held of it · a feature, or an entry of
             it, set to 0 · a feature that a block reads as 0 · a head ablated, or moved · a block ablated ·
             an edge removed
Left out     what leaves two scores of a head closer than 1 and not the same: softmax then mixes positions,
             and hard attention is no prediction. Such a draw is made again with another tree, and is left
             out if that happens twelve times
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from random import Random

from constructions.automata.trees import CLOSE, OPEN, Tree, ends, most_leaves, tokens
from constructions.circuits.circuit import EMBED, LOGITS, STREAM, Component, Edge
from constructions.circuits.interventions import (
    AblateBlock,
    AblateFeature,
    AblateHead,
    AblateScratch,
    Interchange,
    Intervention,
    MoveHead,
    RemoveEdge,
)
from constructions.circuits.tree_circuit import STATE, TreeCircuit, TreeHead
from constructions.circuits.tree_components import reads, sizes

ATTEMPTS = 12
NODE = ("known", "inactive", "matrix", STATE)
ABLATED = (*NODE, "pointer", "left")
Word = tuple[str, ...]
Maker = Callable[[Word], Intervention]


def random_tree(leaves: int, letters: tuple[str, ...], random: Random) -> Tree:
    """A tree with so many leaves, split at random."""
    if leaves == 1:
        return random.choice(letters)
    left = random.randint(1, leaves - 1)
    return (random_tree(left, letters, random), random_tree(leaves - left, letters, random))


@dataclass(frozen=True)
class TreeDrawing:
    """Draws trees and interventions for a circuit."""

    circuit: TreeCircuit
    random: Random

    def word(self, least: int = 1) -> Word:
        """The string of a random tree with at least so many tokens, if T allows it."""
        most = most_leaves(self.circuit.length)
        leaves = self.random.randint(min(-(-(least + 2) // 3), most), most)
        letters = tuple(s for s in self.circuit.tokens[:-1] if s not in (OPEN, CLOSE))
        return tokens(random_tree(leaves, letters, self.random))

    def end(self, word: Word) -> int:
        """Where some subtree ends."""
        return self.random.choice(sorted(ends(word).values()))

    def layer(self) -> int:
        """The embedding, or a layer."""
        return self.random.randint(-1, self.circuit.layers - 1)

    def interchange(self, word: Word) -> Intervention:
        """The state of a subtree, or all that is held of it, from a subtree of another tree."""
        other, features = self.word(len(word)), NODE if self.random.random() < 1 / 4 else (STATE,)
        return Interchange(self.layer(), self.end(word), other, self.end(other), features)

    def feature(self, word: Word) -> Intervention:
        """A feature of a subtree, or an entry of it, set to 0."""
        name = self.random.choice(ABLATED)
        size = sizes(self.circuit.n)[name]
        entry = self.random.randrange(size) if self.random.random() < 1 / 2 else None
        return AblateFeature(self.layer(), self.end(word), entry, name)

    def scratch(self, word: Word) -> Intervention:
        """A feature that a block reads as 0."""
        block = self.random.choice(self.blocks())
        names = [name for name in reads(block, STREAM) if name != "one"]
        return AblateScratch(block.layer, self.end(word), self.random.choice(names))

    def blocks(self) -> list[Component]:
        """The blocks that read something."""
        parts = [part for part in self.circuit.components if part.name not in (EMBED, LOGITS)]
        return [part for part in parts if part.head is None and reads(part, STREAM)]

    def heads(self, active: bool) -> list[tuple[int, int]]:
        """Layer and number of the heads, or of those that copy something."""
        return [(part.layer, part.head) for part in self.circuit.components
                if isinstance(part, TreeHead) and part.head is not None
                and (part.copies or not active)]  # fmt: skip

    def ablated_head(self, word: Word) -> Intervention:
        """A head ablated, an idle one too."""
        return AblateHead(*self.random.choice(self.heads(active=False)))

    def moved_head(self, word: Word) -> Intervention:
        """A head that reads so many positions back."""
        chosen = self.random.choice(self.heads(active=True))
        return MoveHead(*chosen, self.random.randint(0, len(word)))

    def block(self, word: Word) -> Intervention:
        """A block ablated."""
        return AblateBlock(self.random.choice(self.blocks()).layer)

    def edges(self) -> Iterator[Edge]:
        """The edges in a random order, again and again, those that carry something first."""
        listed = list(self.circuit.edges)
        self.random.shuffle(listed)
        return cycle(sorted(listed, key=lambda edge: not edge.carries))

    def readable(self, word: Word, change: Intervention) -> bool:
        """Whether hard attention is a prediction: no two scores that compete are closer than 1."""
        gap = self.circuit.values(word, [change]).gap
        return gap is None or bool(gap >= 1)

    def attempt(self, make: Maker) -> tuple[Word, Intervention] | None:
        """A tree and a change of it that can be predicted."""
        for _ in range(ATTEMPTS):
            word = self.word(self.circuit.length // 2)
            change = make(word)
            if self.readable(word, change):
                return word, change
        return None

    def changes(self) -> Iterator[tuple[Word, Intervention]]:
        """Changes of all kinds in turn."""
        edges = self.edges()
        makers: list[Maker | None] = [
            self.interchange, None, self.feature, None, self.ablated_head, self.moved_head, None,
            self.scratch, self.interchange, None, self.block,
        ]  # fmt: skip
        for maker in cycle(makers):
            if maker is None:
                one = next(edges)
                removal = RemoveEdge(one.source, one.target, one.input)
                drawn = self.attempt(lambda word, removal=removal: removal)  # type: ignore[misc]
            else:
                drawn = self.attempt(maker)
            if drawn is not None:
                yield drawn
