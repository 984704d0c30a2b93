"""Interventions that a check tries: drawn by a seed, all kinds in turn, every edge before any twice.

Words        random letters of the circuit's own tokens, of every length up to T; the first trials change
             nothing. Words of probability 0 are as good as others: predictions hold for all words. But
             of a normalised stream words are drawn whose state is not 0, while there are such letters:
             of a norm's view of 0, which h alone bounds, little is known
Kinds        interchange · a window, or an entry of it, set to 0 · a scratch read as 0 · a head ablated, or
             moved · a block ablated · an edge removed
Left out     entries of a window whose features share directions. For digital blocks, which read whole
             numbers alone: edges that say where a head reads, as means of windows are no whole numbers;
             that these edges are right is seen where nothing is changed, as the machine reads through
             them
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from random import Random

from constructions.circuits.arithmetic import exact_matrix
from constructions.circuits.circuit import Circuit
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
from constructions.circuits.parts import EMBED, KEY, LOGITS, QUERY, WINDOW, Component, Edge

WITHOUT = 8  # one trial in eight changes nothing, and at least two do
Word = tuple[str, ...]


@dataclass(frozen=True)
class Trial:
    """A word, and what is changed while the model reads it."""

    word: Word
    interventions: tuple[Intervention, ...]

    def __str__(self) -> str:
        changes = "; ".join(map(str, self.interventions)) or "no intervention"
        return f"word {' '.join(self.word) or '(empty)'}, {changes}"


@dataclass(frozen=True)
class Drawing:
    """Random trials for a circuit."""

    circuit: Circuit
    random: Random

    def word(self, least: int = 1) -> Word:
        """A random word of at least `least` letters."""
        length = self.random.randint(max(least, 1), self.circuit.length)
        letters = self.circuit.tokens[:-1]
        if self.circuit.normalised:
            return tuple(islice(self.possible_letters(), length))
        return tuple(self.random.choice(letters) for _ in range(length))

    def possible_letters(self) -> Iterator[str]:
        """Letters after which the state is not 0; all letters if there are none."""
        letters, state = self.circuit.tokens[:-1], exact_matrix((self.circuit.readout.alpha,))
        while True:
            after = {x: state * exact_matrix(self.circuit.embedding[x]) for x in letters}
            possible = [x for x in letters if any(after[x].entries())]
            letter = self.random.choice(possible or letters)
            state = after[letter]
            yield letter

    def parts(self, *kinds: str) -> list[Component]:
        """The components of some kinds."""
        return [part for part in self.circuit.components if part.kind in kinds]

    @property
    def copies(self) -> list[Component]:
        """The heads that copy windows."""
        return self.parts("copy")

    @property
    def digital(self) -> bool:
        """True if products are conjunctions of whole numbers."""
        return self.circuit.constants["slope"] is not None

    def layer(self) -> int:
        """The embedding, or a layer after which windows are read."""
        return self.random.choice([-1, *(part.layer for part in self.copies)])

    def interchange(self, length: int) -> Intervention:
        """The window after a layer from the same position of another word."""
        layer = self.layer()
        position = self.random.randint(1, length)
        other = self.word(length)
        return Interchange(layer, position, other, self.random.randint(1, len(other)))

    def feature(self, length: int) -> Intervention:
        """A window, or an entry of it, set to 0."""
        layer = self.layer()
        space = self.circuit.subspaces[self.circuit.feature_name(WINDOW, layer)]
        size = space.read.shape[1]
        entry = (
            self.random.randrange(size)
            if space.independent and self.random.random() < 0.5
            else None
        )
        return AblateFeature(layer, self.random.randint(1, length), entry)

    def scratch(self, length: int) -> Intervention:
        """A scratch read as 0."""
        return AblateScratch(self.random.choice(self.copies).layer, self.random.randint(1, length))

    def head_ablation(self, length: int) -> Intervention:
        """A head ablated, a distractor too."""
        parts = self.circuit.components
        heads = [(part.layer, part.head) for part in parts if part.head is not None]
        return AblateHead(*self.random.choice(heads))

    def head_move(self, length: int) -> Intervention:
        """A head that reads elsewhere."""
        heads = [(part.distance, part.layer, part.head)
                 for part in self.copies if part.head is not None]  # fmt: skip
        distance, layer, head = self.random.choice(heads)
        others = [d for d in range(length + 1) if d != distance]
        return MoveHead(layer, head, self.random.choice(others))

    def block(self, length: int) -> Intervention:
        """A block ablated."""
        blocks = [part for part in self.circuit.components
                  if part.head is None and part.name not in (EMBED, LOGITS)]  # fmt: skip
        return AblateBlock(self.random.choice(blocks).layer)

    def edges(self) -> Iterator[Edge]:
        """The edges in a random order, again and again."""
        listed = [edge for edge in self.circuit.edges if self.testable(edge)]
        self.random.shuffle(listed)
        return cycle(listed)

    def testable(self, edge: Edge) -> bool:
        """Return False for edges that carry constants alone, and for positional ones of a digital model."""
        constants = {f.name for f in self.circuit.features if f.computed.startswith("constant ")}
        if self.digital and edge.carries and edge.input in (QUERY, KEY):
            return False
        if self.circuit.normalised:  # no reader but the last has a norm before it
            return not edge.carries or bool(set(edge.carries) - constants)
        return edge.source != EMBED or bool(set(edge.carries) - constants)

    def trials(self, count: int) -> Iterator[Trial]:
        """Yield about `count` trials: runs without intervention, then random interventions."""
        for _ in range(max(2, count // WITHOUT)):
            yield Trial(self.word(self.circuit.length // 2), ())
        edges = self.edges()

        def edge(length: int) -> Intervention:
            one = next(edges)
            return RemoveEdge(one.source, one.target, one.input)

        tests = [edge] if any(map(self.testable, self.circuit.edges)) else []
        makers = [
            self.interchange,
            *tests,
            self.feature,
            *tests,
            self.head_ablation,
            self.head_move,
            *tests,
            self.scratch,
            self.interchange,
            self.block,
        ]
        for make in cycle(makers):
            word = self.word(self.circuit.length // 2)
            yield Trial(word, (make(len(word)),))


def draw_trials(circuit: Circuit, count: int, seed: int) -> list[Trial]:
    """Return `count` trials for a circuit, the same for the same seed."""
    return list(islice(Drawing(circuit, Random(seed)).trials(count), count))
