"""The settings of one training run: what the paper prints, and what it leaves to be chosen.

Printed in Section 5 and Appendix D: PyTorch's TransformerEncoder, 2 heads, AdamW with learning
rate 0.001, mean squared error, 10 000 examples, split 80/10/10, the model of best validation
error is kept; the lengths, layers and embedding sizes of each task; a softmax at the readout for
the PAutomaC automata and none for the counting ones.

Not printed: everything in `UNSAID`. Each such choice is a field with a default, an option of the
command line and the reason for the default. The authors' public training scripts, which differ
between versions, were read for the defaults of batch size, dropout, epochs and positions.
"""

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from typing import Any

from constructions.errors import InputError

TASKS = ("layers", "embedding", "pautomac")
POSITIONS = ("index", "sinusoidal", "learned", "none")
ACTIVATIONS = ("relu", "gelu")
TARGETS = ("plain", "scaled", "simplex")
ALIGNMENTS = ("after", "before")
READOUTS = ("linear", "softmax")
INITIAL = ("cloned", "fresh")

UNSAID: dict[str, str] = {
    "epochs": "100 in the latest public script; our smaller profiles train for less",
    "batch": "32, as in the public script",
    "activation": "ReLU, the default of PyTorch's encoder layer",
    "dropout": "0.2 in the public script (profile paper); 0 in our profiles, which train briefly",
    "positions": "the position overwrites the last embedding coordinate, as in the public script",
    "targets": "plain counts; PAutomaC states rescaled to sum 1, which a softmax can reach",
    "hidden": "width of the feed-forward block, equal to the embedding as the text suggests",
    "alignment": "row t is the state after t symbols; the initial state is not asked for",
    "symbols": "Section 5 says ten symbols for k-counting, Appendix D says k; ten by default",
    "causal": "no attention mask, as Section 2.4 has none",
    "initial": "all layers begin with the same weights, as PyTorch's encoder clones its layer",
    "decay": "0.01, the default of PyTorch's AdamW",
    "data_seed": "one data set for a cell; the seed of a run draws weights and batches",
}


@dataclass(frozen=True)
class Settings:
    """One run. Two runs with equal settings give equal results on the same machine."""

    task: str
    length: int
    layers: int
    width: int
    seed: int
    symbols: int = 2
    counted: int = 1
    problem: int = 0
    examples: int = 10_000
    epochs: int = 100
    batch: int = 32
    rate: str = "0.001"
    decay: str = "0.01"
    dropout: str = "0.2"
    heads: int = 2
    hidden: int = 0
    activation: str = "relu"
    positions: str = "index"
    targets: str = "plain"
    readout: str = "linear"
    alignment: str = "after"
    causal: bool = False
    initial: str = "cloned"
    data_seed: int = 0

    def __post_init__(self) -> None:
        _one_of("task", self.task, TASKS)
        _one_of("positions", self.positions, POSITIONS)
        _one_of("activation", self.activation, ACTIVATIONS)
        _one_of("targets", self.targets, TARGETS)
        _one_of("alignment", self.alignment, ALIGNMENTS)
        _one_of("readout", self.readout, READOUTS)
        _one_of("initial", self.initial, INITIAL)
        for name in ("length", "layers", "width", "symbols", "counted", "epochs", "batch", "heads"):
            _at_least(name, getattr(self, name), 1)
        _at_least("examples", self.examples, 10)
        _at_least("seed", self.seed, 0)
        if self.width % self.heads:
            raise InputError("width", self.width, f"a multiple of the {self.heads} heads")
        if not 0 <= float(self.dropout) < 1:
            raise InputError("dropout", self.dropout, "at least 0 and below 1")

    @property
    def feedforward(self) -> int:
        """The width of the feed-forward block."""
        return self.hidden or self.width

    @property
    def name(self) -> str:
        """A file name: the cell, the seed, and a digest of all settings."""
        digest = hashlib.sha256(json.dumps(self.plain(), sort_keys=True).encode()).hexdigest()
        return f"{self.cell}-s{self.seed}-{digest[:10]}"

    @property
    def cell(self) -> str:
        """The cell of the paper's table that this run belongs to."""
        if self.task == "layers":
            return f"layers-T{self.length}-L{self.layers}"
        if self.task == "embedding":
            return f"embedding-k{self.counted}-d{self.width}"
        return f"pautomac-{self.problem}-L{self.layers}"

    @property
    def cost(self) -> int:
        """Work of one epoch in arbitrary units, for the estimate of the time left."""
        return self.examples * self.length * self.layers * (self.width + 48)

    def plain(self) -> dict[str, Any]:
        """All fields, ready for JSON."""
        return asdict(self)


def from_plain(data: dict[str, Any]) -> Settings:
    """The settings written by `plain`; unknown or missing fields are refused."""
    wanted = {field.name for field in fields(Settings)}
    if set(data) != wanted:
        odd = ", ".join(sorted(set(data) ^ wanted))
        raise InputError("settings of a stored run", odd, "neither unknown nor missing fields")
    return Settings(**data)


def _one_of(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InputError(name, value, f"one of {', '.join(allowed)}")


def _at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise InputError(name, value, f"at least {least}")
