"""A folder's model under intervention, in the library that loads it, by torch's own hooks.

Runs         a word with interventions (`run_state`), and reads the stream at every hook of the circuit
Libraries    transformers for gpt2, llama and olmo2, TransformerLens 3 for transformerlens; our own module
             with TransformerLens' hook points for safetensors and npz, and for transformerlens without
             it: the hooks of TransformerLens 4's bridge give tensors of other shapes
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from constructions.arithmetic.torch import measurement_mode
from constructions.circuits.circuit import Circuit
from constructions.circuits.interventions import Interchange, Intervention, check_interventions
from constructions.core.errors import InputError
from constructions.exports.loader import FolderModel, load_model
from verify.circuits.hooked import HookedDecoder
from verify.circuits.run_state import Edit, RunState

Array = npt.NDArray[np.float64]


def dense(matrix: Any) -> torch.Tensor:
    """An exact sparse matrix in float64."""
    rows = torch.zeros(matrix.shape, dtype=torch.float64)
    for (i, j), value in matrix.entries.items():
        rows[i, j] = float(value)
    return rows


@dataclass(frozen=True)
class StreamReading:
    """One run: the stream at every hook by name, and the outputs, in float64."""

    streams: dict[str, torch.Tensor]
    outputs: torch.Tensor


@dataclass(frozen=True)
class Library:
    """A loaded model with its circuit; `name` says whose code runs it."""

    circuit: Circuit
    model: FolderModel
    module: Any
    name: str

    @property
    def joint(self) -> bool:
        """True if heads are read through a norm and projections, as transformers has them."""
        return bool({"norm", "heads"} & set(self.circuit.sites))

    @cached_property
    def matrices(self) -> dict[str, tuple[torch.Tensor, torch.Tensor]]:
        """R and W of every feature."""
        return {name: (dense(space.read), dense(space.write))
                for name, space in self.circuit.subspaces.items()}  # fmt: skip

    def run(
        self,
        word: Sequence[str],
        interventions: Sequence[Intervention] = (),
        edits: Sequence[tuple[str, int, Edit]] = (),
    ) -> StreamReading:
        """The stream and the outputs of a word, with interventions, or edits of a site in a layer."""
        check_interventions(self.circuit, self.circuit.symbols(word), interventions)
        words = {each.word for each in interventions if isinstance(each, Interchange)}
        sources = {other: self.run(other) for other in words}  # before there is any hook
        with ExitStack() as stack, measurement_mode():
            state = RunState(self, stack, sources)
            state.apply_all(interventions)
            for edit in edits:
                state.on(*edit)
            state.capture()
            outputs = self.forward(word)
        return StreamReading(state.streams, outputs[0].double())

    def tokens(self, word: Sequence[str]) -> torch.Tensor:
        """A batch of one word."""
        return torch.tensor([self.model.encode(list(word))], dtype=torch.int64)

    def forward(self, word: Sequence[str]) -> torch.Tensor:
        """The outputs (1, t, m) of a word, with the hooks that are there."""
        found = self.module(self.tokens(word))
        outputs: torch.Tensor = found.logits if hasattr(found, "logits") else found
        return outputs[..., : self.model.description["sizes"]["outputs"]]

    def value(
        self, reading: StreamReading, layer: int, position: int, feature: str
    ) -> torch.Tensor:
        """A feature after a layer at a position, as the circuit's subspace reads it."""
        row = reading.streams[self.hook_after(layer)][position]
        value: torch.Tensor = row @ self.matrices[feature][0]
        return value

    def hook_after(self, layer: int) -> str:
        """The name of the hook after a layer, or of the embedding for -1."""
        for hook in self.circuit.hooks:
            if (hook.site, hook.layer) == ("embedding", 0) and layer < 0:
                return hook.name
            if (hook.site, hook.layer) == ("after", layer):
                return hook.name
        raise InputError("layer", layer, f"from -1 to {self.circuit.layers - 1}")


BRIDGE = "TransformerBridge"  # of TransformerLens 4
TRANSFORMERS = ("gpt2", "llama", "olmo2")  # formats that transformers loads


def load_library(folder: Path, circuit: Circuit) -> Library:
    """Return the model of a folder, loaded by the library of its format or by our own module."""
    model = _load(folder)
    _check_model(circuit, model.description)
    if circuit.format in TRANSFORMERS:
        return Library(circuit, model, model.module.model, "transformers")
    if circuit.format == "transformerlens" and not isinstance(model.module, HookedDecoder):
        return Library(circuit, model, model.module, "TransformerLens")
    if isinstance(model.module, HookedDecoder):
        return Library(circuit, model, model.module, "assay")
    weights = {name: value.detach() for name, value in model.module.named_parameters()}
    return Library(circuit, model, HookedDecoder(weights, model.description), "assay")


def _check_model(circuit: Circuit, note: dict[str, Any]) -> None:
    """Refuse a circuit that does not belong to the model of its folder."""
    found = (circuit.format, circuit.length, list(circuit.tokens), circuit.width, circuit.layers,
             circuit.constants["heads"], circuit.constants["dtype"])  # fmt: skip
    sizes = note["sizes"]
    expected = (note["format"], note["length"], note["tokens"], sizes["d_model"], sizes["layers"],
                sizes["heads"], note["dtype"])  # fmt: skip
    names = ("format", "length", "tokens", "width", "layers", "heads", "dtype")
    given = note["constants"].get("C (saturation)")
    if given is not None and Fraction(given) != Fraction(str(circuit.constants["saturation"])):
        raise InputError(
            "constants.saturation",
            circuit.constants["saturation"],
            f"{given}, the saturation in model.json",
        )
    for name, value, other in zip(names, found, expected, strict=True):
        if value != other:
            raise InputError(name, value, f"{other}, the value in model.json")


def _load(folder: Path) -> FolderModel:
    """Load a folder; with our own module if `HookedTransformer`, whose hooks are named, is missing."""
    try:
        model = load_model(folder)
        if type(model.module).__name__ != BRIDGE:
            return model
    except InputError as error:
        if error.field != "library" or "transformer_lens" not in error.expected:
            raise
    from safetensors.torch import load_file

    from constructions.exports.loader import read_description
    from constructions.exports.safetensors import WEIGHTS
    from constructions.exports.textbook import check_shapes
    from constructions.files.reader import read_automaton

    note = read_description(folder)
    weights = load_file(folder / WEIGHTS)
    check_shapes(weights, note, str(folder))
    module = HookedDecoder(weights, note)
    return FolderModel(module, note, read_automaton(folder / "automaton.json"))
