"""Answers by simple methods on models with known circuits, for `table_circuits.py`.

They know the components of the library and nothing of the truth.

probe            least squares from the stream to the exact windows of the train words,
                 after each block
patching         activation patching: what a reader sees of a source, or what a component adds, is that of
                 another word (path patching); the score is how far the outputs move
attribution      the same to first order: gradient of the outputs at a reader's input, times the difference of
                 what the source adds (edge attribution patching)
heads            the distance at which a head's attention is largest most often
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch

from constructions.circuits.file import load_circuit
from constructions.circuits.parts import EMBED, LOGITS, WINDOW, Edge
from verify.circuits.edges import edge_name
from verify.circuits.library import Library, load_library
from verify.circuits.run_state import RunState
from verify.circuits.score import VARYING, Scorer, folder_words, truth_of_folder

PAIRS = 4  # of words, each long
METHODS = ("probe", "patching", "attribution", "heads")
Word = tuple[str, ...]


@dataclass(frozen=True)
class Reference:
    """The methods on one model."""

    folder: Path
    library: Library

    @property
    def scorer(self) -> Scorer:
        """Reads words and streams."""
        return Scorer(self.folder, self.library)

    def pairs(self) -> list[tuple[Word, Word]]:
        """Pairs of different words of the same length, from the train words."""
        words = folder_words(self.folder, self.library.circuit, "train")
        longest = max(map(len, words))
        long = [word for word in words if len(word) == longest]
        random = Random(0)
        pairs = [(random.choice(long), random.choice(long)) for _ in range(8 * PAIRS)]
        return [(a, b) for a, b in pairs if a != b][:PAIRS]

    @cached_property
    def edges(self) -> list[Edge]:
        """The edges that are scored."""
        scored = {edge_name([e["source"], e["target"], e["input"]])
                  for e in truth_of_folder(self.folder, self.library.circuit)["edges"]}  # fmt: skip
        return [edge for edge in self.library.circuit.edges if edge.name in scored]

    def probe(self) -> dict[str, Any]:
        """A linear probe of the window after every block."""
        circuit, features = self.library.circuit, []
        words = folder_words(self.folder, circuit, "train")
        copying = {part.layer for part in circuit.components if part.kind == "copy"}
        for hook in circuit.hooks:
            if hook.site == "after" and hook.layer in copying:
                streams, values = self.scorer.data(hook.name, WINDOW, words)
                centre, target = streams.mean(0), values.mean(0)
                read = np.linalg.lstsq(streams - centre, values - target, rcond=VARYING)[0]
                features.append({"feature": WINDOW, "hook": hook.name, "read": read.tolist(),
                                 "intercept": (target - centre @ read).tolist()})  # fmt: skip
        return {"features": features}

    def patching(self) -> dict[str, Any]:
        """Path patching of every edge, and patching of every component."""
        edges = {edge.name: 0.0 for edge in self.edges}
        parts = {part.name: 0.0 for part in self.library.circuit.components
                 if part.name not in (EMBED, LOGITS)}  # fmt: skip
        for word, other in self.pairs():
            clean, corrupt = self.outputs(word), self.contributions(other)
            for edge in self.edges:
                moved = self.outputs(word, edge=edge, corrupt=corrupt)
                edges[edge.name] += float((moved - clean).abs().mean())
            for name in parts:
                moved = self.outputs(word, part=name, corrupt=corrupt)
                parts[name] += float((moved - clean).abs().mean())
        return {"edges": edges, "components": parts}

    def contributions(self, word: Word) -> dict[str, torch.Tensor]:
        """Return what every component adds to the stream."""
        with ExitStack() as stack, torch.no_grad():
            state = self.state(stack, word)
            parts = [p for p in self.library.circuit.components if p.name != LOGITS]
            added = {part.name: state.output_of(part.name) for part in parts}
            return added | {
                f"{part.name} gathered": state.split(state.seen["mixed", part.layer])[
                    :, :, part.head
                ]
                for part in parts
                if part.head is not None
            }

    def state(self, stack: ExitStack, word: Word) -> RunState:
        """A run with everything seen."""
        state = RunState(self.library, stack)
        state.capture()
        self.library.forward(word)
        return state

    def outputs(
        self,
        word: Word,
        edge: Edge | None = None,
        part: str | None = None,
        corrupt: dict[str, torch.Tensor] | None = None,
    ) -> torch.Tensor:
        """The outputs of a word, with one edge or one component as in another word."""
        with ExitStack() as stack, torch.no_grad():
            state = RunState(self.library, stack)
            if edge is not None and corrupt is not None:
                new = corrupt[edge.source]
                state.on_reader(edge.target, edge.input,
                                lambda x: x - state.output_of(edge.source) + new)  # fmt: skip
            if part is not None and corrupt is not None:
                self.patch(state, part, corrupt)
            state.capture()
            return self.library.forward(word)

    def patch(self, state: RunState, name: str, corrupt: dict[str, torch.Tensor]) -> None:
        """Let a component do what it does in another word."""
        part = self.library.circuit.by_name[name]
        if part.head is None:
            state.on("block", part.layer, lambda x: corrupt[name])
        else:
            state.heads(part.layer, part.head, lambda x: corrupt[f"{name} gathered"])

    def attribution(self) -> dict[str, Any]:
        """First-order effect of every edge, summed over the outputs, in absolute value."""
        edges = {edge.name: 0.0 for edge in self.edges}
        for word, other in self.pairs():
            corrupt, clean = self.contributions(other), self.contributions(word)
            gradients = self.gradients(word, self.outputs(other))
            for edge in self.edges:
                change = corrupt[edge.source] - clean[edge.source]
                edges[edge.name] += abs(float((gradients[edge.target, edge.input] * change).sum()))
        return {"edges": edges}

    def gradients(self, word: Word, target: torch.Tensor) -> dict[tuple[str, str], torch.Tensor]:
        """The gradient, at every reader's input, of the outputs' product with where they should go."""
        readers = {(edge.target, edge.input) for edge in self.edges}
        width = next(iter(self.library.matrices.values()))[0].shape[0]
        shape, dtype = (1, len(word) + 1, width), target.dtype
        moves = {reader: torch.zeros(shape, dtype=dtype, requires_grad=True) for reader in readers}
        with ExitStack() as stack, torch.enable_grad():
            state = RunState(self.library, stack)
            for reader, move in moves.items():
                state.on_reader(*reader, lambda x, move=move: x + move)  # type: ignore[misc]
            state.capture()
            outputs = self.library.forward(word)
            goal = (outputs * (target - outputs.detach())).sum()
            found = torch.autograd.grad(goal, list(moves.values()), allow_unused=True)
        zero = torch.zeros(shape, dtype=dtype)
        return {reader: zero if gradient is None else gradient
                for reader, gradient in zip(moves, found, strict=True)}  # fmt: skip

    def heads(self) -> dict[str, Any]:
        """Return the distance at which each head's attention is largest most often."""
        distances: dict[str, Counter[int]] = {}
        for word, _ in self.pairs():
            for layer, pattern in enumerate(self.patterns(word)):
                for head, rows in enumerate(pattern):
                    counts = distances.setdefault(f"head {layer}.{head}", Counter())
                    for t, row in enumerate(rows):
                        at = int(row[: t + 1].argmax())
                        counts[t - at] += at > 0
        return {"heads": {name: max(counts, key=counts.__getitem__)
                          for name, counts in distances.items()}}  # fmt: skip

    def patterns(self, word: Sequence[str]) -> list[torch.Tensor]:
        """The attention (head, t, j) of every layer."""
        tokens = self.library.tokens(word)
        with torch.no_grad():
            if self.library.joint:
                found = self.library.module(tokens, output_attentions=True).attentions
                return [layer[0] for layer in found]
            with ExitStack() as stack:
                state = RunState(self.library, stack)
                for layer in range(self.library.circuit.layers):
                    state.watch("pattern", layer)
                self.library.module(tokens)
            return [state.seen["pattern", layer][0] for layer in range(self.library.circuit.layers)]

    def answer(self, methods: Sequence[str] = METHODS) -> dict[str, dict[str, Any]]:
        """The answers of some methods."""
        return {name: getattr(self, name)() for name in methods}


def reference(folder: Path | str, method: str) -> dict[str, Any]:
    """The answer of a simple method (probe, patching, attribution, heads) on the model of a folder.

    Examples:
        >>> import assay, tempfile
        >>> folder = assay.export(assay.families.counting(), assay.Order(4), tempfile.mkdtemp()).folder
        >>> reference(folder, "heads")["heads"]["head 1.0"]
        2

    """
    place = Path(folder)
    library = load_library(place, load_circuit(place))
    answer: dict[str, Any] = Reference(place, library).answer([method])[method]
    return answer
