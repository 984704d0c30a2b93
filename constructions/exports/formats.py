"""A format is an object: what a library's class can hold, which files it reads, how it is loaded.

To add one    a module of this package with the name of the format, whose `FORMAT` is a `ExportFormat`; its
              name in `NAMES`; a test. The command line, the order, the folder, the size limit, the
              card and the loader ask the object.
Default       the first name. Modules are imported when a format is used; none needs torch or another
              library to say what it can hold
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from constructions.decoder import Design
    from constructions.exports.built_model import ExportModel

NAMES = ("safetensors", "transformerlens", "gpt2", "llama", "olmo2", "npz")
Files = dict[str, bytes]


@dataclass(frozen=True, kw_only=True)
class ExportFormat:
    """The properties of a format. Subclasses write weights to files and load them.

    `files` are the names of what `write` returns, `libraries` what `load.py` imports. `gates` and
    `smooth` are the activations of gated and of plain blocks, the default first; none where the
    class has no such block. `norm` (none, layer, rms) is applied before each block, with `epsilon`
    under its root; in a `normalised` one behind each block. `rotary`: positions are angles.
    `computes_in`: what its code rounds to, whatever the weights are. `coordinates_without`: blocks
    of the stream that the class leaves out. `trees`: it holds tree decoders; `paper`: the paper's
    constructions too. `heads`: what its outputs can be.
    `limits` are sentences for the card, `extra_files` what only some models have. `places`: where
    the library has the embedded tokens, the attention weights of block {} and the stream behind it,
    by the names of its hooks or modules. `hub`: the library's name on the Hugging Face Hub.
    """

    name: str
    hub: str = "pytorch"
    files: tuple[str, ...]
    libraries: tuple[str, ...]
    gates: tuple[str, ...]
    smooth: tuple[str, ...]
    norm: str = "none"
    epsilon: Fraction = Fraction(0)
    rotary: bool = False
    normalised: bool = False
    computes_in: str | None = None
    coordinates_without: tuple[str, ...] = ()
    trees: bool = True
    paper: bool = False
    heads: tuple[str, ...] = ("states", "next")
    dtypes: tuple[str, ...] = ("float64", "float32")
    limits: tuple[str, ...] = ()
    extra_files: tuple[str, ...] = ()
    places: tuple[str, str, str] | None = None

    def design(self, activation: str, plain: bool, levels: int) -> Design:
        """The kind of decoder, with the coarsest step and the least K: the bound chooses them."""
        from constructions.decoder import Design, Normalisation

        norm = Normalisation(self.norm)
        large = 0 if norm is Normalisation.NONE else 1
        return Design(activation, 1 if plain else None, norm, large, self.epsilon, levels)

    def decoder_sizes(self, n: int, length: int, design: Design, symbols: int) -> dict[str, int]:
        """The sizes of the construction for n states, before any of it is built."""
        from constructions import decoder

        return decoder.sizes(n, length, design)

    def stored(self, sizes: dict[str, int], n: int) -> dict[str, int]:
        """The sizes of a decoder in the class, from those of the construction for n states."""
        return sizes

    def write(self, model: ExportModel) -> Files:
        """The files of the format, `load.py` among them."""
        raise NotImplementedError

    def load(self, folder: Path, description: dict[str, Any]) -> Any:
        """A callable that maps tokens (batch, t) to outputs (batch, t, m), as torch tensors."""
        raise NotImplementedError


@cache
def format_of(name: str) -> ExportFormat:
    """The format with a name of `NAMES`.

    Examples:
        >>> format_of("llama").norm, format_of("llama").trees
        ('rms', False)

    """
    target: ExportFormat = importlib.import_module(f"constructions.exports.{name}").FORMAT
    return target
