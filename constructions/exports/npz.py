"""npz: the weights as a NumPy archive; a decoder runs with NumPy alone."""

from __future__ import annotations

import io
import zlib
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import ZIP_STORED, BadZipFile, ZipFile

import numpy as np

from constructions.blocks.gated import GATES
from constructions.core.bounded_files import LARGEST_WEIGHTS, read_bytes
from constructions.core.errors import InputError
from constructions.exports.formats import ExportFormat, Files
from constructions.exports.safetensors import PAPER, SMOOTH, module_from, torch_state
from constructions.exports.stock import Weights, state_dict, typed

if TYPE_CHECKING:
    from constructions.exports.built_model import ExportModel

WEIGHTS = "model.npz"
DECODER = '''"""Load this folder's model and run it; needs numpy alone."""

import json
from math import erf
from pathlib import Path

import numpy as np

here = Path(__file__).parent
note, w = json.loads((here / "model.json").read_text("utf-8")), np.load(here / "model.npz")
sigma = {
    "silu": lambda x: x / (1 + np.exp(-x)),
    "gelu": lambda x: x * (1 + np.vectorize(erf)(x / 2**0.5)) / 2,
    "gelu_new": lambda x: x * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3))) / 2,
    "relu": lambda x: np.maximum(x, 0),
    "tanh": np.tanh,
}[note["activation"]]


def model(tokens):
    """Outputs (batch, t, m) for tokens (batch, t), BOS first."""
    x = w["embed.W_E"][tokens] + w["pos_embed.W_pos"][: tokens.shape[-1]]
    future = np.triu(np.ones((tokens.shape[-1],) * 2, dtype=bool), 1)
    for i in range(note["sizes"]["layers"]):
        a, m = f"blocks.{i}.attn.", f"blocks.{i}.mlp."
        y = x[..., None, :, :]  # one row of tokens for each head
        q, k = y @ w[a + "W_Q"] + w[a + "b_Q"][:, None], y @ w[a + "W_K"]
        scores = np.where(future, -np.inf, q @ k.swapaxes(-1, -2) / q.shape[-1] ** 0.5)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        x = x + (weights @ (y @ w[a + "W_V"]) @ w[a + "W_O"]).sum(-3)
        if note["feedforward"] == "gated":
            hidden = sigma(x @ w[m + "W_gate"]) * (x @ w[m + "W_in"])
        else:
            hidden = sigma(x @ w[m + "W_in"] + w[m + "b_in"])
        x = x + hidden @ w[m + "W_out"]
    return x @ w["unembed.W_U"] + w["unembed.b_U"]


index = {symbol: i for i, symbol in enumerate(note["tokens"])}
example = [*note["begin"], *note["example"]]
print(ascii(example))  # one row of the output for each of these tokens
print(model(np.array([[index[s] for s in example]]))[0])
'''


def archive(weights: Weights) -> bytes:
    """The weights as the bytes of an archive."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **weights)
    return buffer.getvalue()


def check_stored(content: bytes) -> None:
    """Refuse, before memory is taken, an archive whose arrays are larger than its file."""
    with ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        if len(set(names)) < len(names):
            raise ValueError("two arrays of one name")
        for member in archive.infolist():
            if member.compress_type != ZIP_STORED or member.file_size != member.compress_size:
                raise ValueError("a compressed array")
            with archive.open(member) as stream:
                major, _ = np.lib.format.read_magic(stream)
                read = np.lib.format.read_array_header_1_0
                shape, _, kind = (read if major == 1 else np.lib.format.read_array_header_2_0)(
                    stream
                )
            if prod(shape) * kind.itemsize > member.file_size:
                raise ValueError("an array larger than its file")


@dataclass(frozen=True)
class Npz(ExportFormat):
    """Weights in an archive of NumPy arrays by name."""

    def write(self, model: ExportModel) -> Files:
        """The archive and the script."""
        if model.order.decoder:
            weights = typed(state_dict(model.simulation), model.order.dtype)
            return {WEIGHTS: archive(weights), "load.py": DECODER.encode()}
        tensors = torch_state(model.module(), model.order.dtype)
        weights = {name: tensor.numpy() for name, tensor in tensors.items()}
        return {WEIGHTS: archive(weights), "load.py": PAPER.encode()}

    def load(self, folder: Path, description: dict[str, Any]) -> Any:
        """A torch module of ours."""
        import torch

        try:
            content = read_bytes(folder / WEIGHTS, LARGEST_WEIGHTS)
            check_stored(content)
            with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
                weights = {name: torch.from_numpy(arrays[name]) for name in arrays.files}
        except InputError:
            raise
        except (ValueError, EOFError, BadZipFile, TypeError, IndexError, zlib.error, OSError):
            raise InputError(
                "weights",
                "no archive of arrays",
                "an uncompressed file of numpy.savez",
                str(folder / WEIGHTS),
            ) from None
        return module_from(weights, folder, description)


FORMAT = Npz(
    name="npz",
    hub="numpy",
    files=(WEIGHTS, "load.py"),
    libraries=("numpy",),
    gates=GATES,
    smooth=SMOOTH,
    paper=True,
)
