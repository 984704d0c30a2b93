"""Settings of one training run: the paper's values, and choices that it does not print.

Printed in Section 5 and Appendix D: PyTorch's TransformerEncoder, 2 heads, AdamW with learning
rate 0.001, mean squared error, 10 000 examples, split 80/10/10, the model of best validation
error is selected; the lengths, layers and embedding sizes of each task; a softmax at the readout for
the PAutomaC automata and none for the counting ones.

Not printed: everything in `UNSAID`. Each such choice is a field with a default, an option of the
command line and the reason for the default. Defaults are those of the authors' public code
(michaelrizvi/wfa2tf; `authors_code.toml` names file and line).
"""

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from typing import Any

from constructions.core.errors import InputError
from constructions.core.numbers import number_from_text

ALLOWED: dict[str, tuple[str, ...]] = {
    "task": ("layers", "embedding", "pautomac"),
    "activation": ("relu", "gelu"),
    "positions": ("index", "sinusoidal", "none"),
    "targets": ("plain", "scaled", "simplex"),
    "alignment": ("after", "before"),
    "readout": ("linear", "softmax"),
    "initial": ("cloned", "fresh"),
}
TASKS = ALLOWED["task"]
LARGEST, LARGEST_RATE = 10**9, 1000
LEAST = {
    **dict.fromkeys(("length", "layers", "width", "symbols", "counted", "epochs", "batch"), 1),
    **dict.fromkeys(("heads", "tries"), 1),
    **dict.fromkeys(("problem", "hidden", "data_seed"), 0),
    "examples": 10,
}

UNSAID: dict[str, str] = {
    "epochs": "100 in the authors' code (protocol authors); fewer in ours",
    "batch": "32, as in the authors' code",
    "activation": "ReLU, the default of PyTorch's encoder layer",
    "dropout": "0.2 in the authors' code (protocol authors); 0 in ours, which trains briefly",
    "positions": "the position overwrites the last embedding coordinate, as in the authors' code",
    "targets": "plain counts; PAutomaC states rescaled to sum 1, as in the authors' code",
    "hidden": "width of the feed-forward block, equal to the embedding as the text suggests",
    "alignment": "row t is the state after t symbols; the initial state is no row",
    "symbols": "ten for k-counting, as Section 5 and the authors' code have it; Appendix D says k",
    "causal": "no attention mask, as in Section 2.4 and in the authors' code",
    "initial": "all layers begin with the same weights, as PyTorch's encoder clones its layer",
    "decay": "0.01, the default of PyTorch's AdamW",
    "data_seed": "one data set for a cell; a seed draws weights, split and batches",
    "tries": "1: runs are independent; more repeats the carried-over tries of the authors' code",
}


@dataclass(frozen=True)
class Settings:
    """One cell with all its seeds. Equal settings give equal results on the same machine."""

    task: str
    length: int
    layers: int
    width: int
    seeds: tuple[int, ...]
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
    tries: int = 1

    def __post_init__(self) -> None:
        for name, allowed in ALLOWED.items():
            if getattr(self, name) not in allowed:
                raise InputError(name, getattr(self, name), f"one of {', '.join(allowed)}")
        for name, least in LEAST.items():
            _check_whole(name, getattr(self, name), least)
        if not self.seeds or min(self.seeds) < 0 or len(set(self.seeds)) < len(self.seeds):
            raise InputError("seeds", str(self.seeds), "different whole numbers, at least one")
        if self.width % self.heads:
            raise InputError("width", self.width, f"a multiple of the {self.heads} heads")
        if not 0 <= _number("dropout", self.dropout) < 1:
            raise InputError("dropout", self.dropout, "at least 0 and below 1")
        if not 0 < _number("rate", self.rate) <= LARGEST_RATE:
            raise InputError("rate", self.rate, f"above 0 and at most {LARGEST_RATE}")
        if not 0 <= _number("decay", self.decay) <= LARGEST_RATE:
            raise InputError("decay", self.decay, f"from 0 to {LARGEST_RATE}")

    @property
    def feedforward(self) -> int:
        """The width of the feed-forward block."""
        return self.hidden or self.width

    @property
    def name(self) -> str:
        """A file name: the cell, and a digest of all settings."""
        digest = hashlib.sha256(json.dumps(self.plain(), sort_keys=True).encode()).hexdigest()
        return f"{self.cell}-{digest[:10]}"

    @property
    def cell(self) -> str:
        """The cell of the paper's table that this run belongs to."""
        if self.task == "layers":
            chain = f"-tries{self.tries}" if self.tries > 1 else ""
            return f"layers-T{self.length}-L{self.layers}{chain}"
        if self.task == "embedding":
            return f"embedding-k{self.counted}-d{self.width}"
        return f"pautomac-{self.problem}-L{self.layers}"

    @property
    def cost(self) -> int:
        """Work of one epoch in arbitrary units, for the estimate of the time left."""
        models = len(self.seeds) * self.tries
        return models * self.examples * self.length * self.layers * (self.width + 48)

    def plain(self) -> dict[str, Any]:
        """All fields, ready for JSON."""
        return {**asdict(self), "seeds": list(self.seeds)}


def from_plain(data: dict[str, Any]) -> Settings:
    """The settings written by `plain`; unknown or missing fields are refused."""
    wanted = {field.name for field in fields(Settings)}
    if set(data) != wanted:
        odd = ", ".join(sorted(set(data) ^ wanted))
        raise InputError("settings of a stored run", odd, "exactly the fields of a settings record")
    return Settings(**{**data, "seeds": tuple(data["seeds"])})


def _check_whole(name: str, value: int, least: int) -> None:
    if not least <= value <= LARGEST:
        raise InputError(name, value, f"a whole number from {least} to {LARGEST}")


def _number(name: str, text: str) -> float:
    """Parse a number for PyTorch; the settings store its text, so that 0.10 stays 0.10."""
    return float(number_from_text(text, name))
