"""A construction to take away: weights, a description and a loading script in one folder.

    export(automaton, 64, "exact", Path("model"))     writes
    model/weights.safetensors   the module's state_dict
    model/model.json            sizes, alphabet, length, construction, claims
    model/automaton.json        the automaton, exactly
    model/load.py               ten lines that load the model and run it

Constructions  exact (Theorem 1), soft (Theorem 2 with a given C), tree (Theorem 3 repaired) and
               logdepth (log-depth trees), the last two with soft attention where a C is given
Feed-forward   the exact product, or four hidden units a product with a step h = 2^-k where k is given
               (`fineness`), at several steps h, 2h, … where `levels` says so: with softmax that is the
               model of Theorem 2, or of Theorem 3; `model.json` says which
Limits         `LIMITS` says what a batch may hold and what `torch.export` and `torch.compile` can
               do; the description repeats it

Each file is written whole or not at all; `model.json` comes last and names the others by their
hashes, so that a folder that was half written over is noticed.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, fields
from fractions import Fraction
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors

from constructions import __version__, logdepth, theorem1, theorem2, theorem3
from constructions.arithmetic.torch import measurement_mode
from constructions.automata.trees import balanced_tree
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.blocks.refined import RefinedUnits
from constructions.blocks.smoothing import FourUnits
from constructions.core.activations import SMOOTH
from constructions.core.errors import InputError
from constructions.core.matrix import Matrix
from constructions.core.numbers import number_from_text
from constructions.core.sizes import sizes
from constructions.core.transformer import Attention, Transformer
from constructions.core.writing import write_folder
from constructions.decoder import MOST_LEVELS
from constructions.files.reader import read_automaton, read_text, to_json
from constructions.modules import trees as modules_trees
from constructions.modules.trees import TreeModule
from constructions.modules.words import SequenceModule
from constructions.modules.words import to_torch as sequence_module

SCHEMA = "assay-model-1"
WEIGHTS, DESCRIPTION = "weights.safetensors", "model.json"
AUTOMATON, SCRIPT = "automaton.json", "load.py"
MOST_WEIGHTS, LONGEST, FINEST = 200_000_000, 1 << 16, 1 << 14
DTYPES = {"float64": torch.float64, "float32": torch.float32, "bfloat16": torch.bfloat16}
CLAIMS = {
    "exact": ("thm1", "thm1.restated"),
    "soft": ("thm2", "thm2.choose"),
    "tree": ("thm3", "thm3.depth"),
    "logdepth": ("beyond.logdepth.encoder",),
}
SOFT_CLAIMS = {"tree": ("beyond.tree.soft",), "logdepth": ("beyond.logdepth.soft",)}
LIMITS = (
    "Words of one batch may differ in length; strings of trees that are encoded together may not.",
    "What is certified holds in exact arithmetic. MLPs with a step h divide by h², so that a format with "
    "unit roundoff u adds errors of about u/h² a product; of about u/h where the activation is 0 at 0.",
    "Errors are absolute. The general pass adds numbers as large as the largest state, so that a weight "
    "far below the format's unit roundoff times that size may lose its digits or come out as 0; the "
    "fused pass for trees follows the definition and keeps them where no weight is negative.",
    "torch.export and torch.compile(fullgraph=True) take the module as it is; the size of the batch "
    "and the length may be dynamic: torch.export.Dim, for the length with max= the length above. "
    "The example that torch.export is given then has at least two words of two letters, or two "
    "trees of two leaves. Longer words are refused by the graph's guard.",
    "A graph that was exported or compiled computes all scores of a head at once, unless it is the "
    "exact model for words, which copies the rows it attends to; current_pass() of the module says "
    "which pass a call takes.",
)
LOADER = '''"""Load the model of this folder and run it; needs torch, safetensors and assay."""

from pathlib import Path

from constructions.exports.constructions import load

module, description = load(Path(__file__).parent)
example = description["example"]
print(" ".join(example))
print(module(module.encode([example]))[0])
'''


@dataclass(frozen=True)
class Order:
    """What to build: a construction at a length, with a C where attention is soft.

    `soft` needs a C, trees may have one; `exact` has hard attention. With a `fineness` k the products
    are MLPs of step 2^-k; `note` goes into the description, such as what was certified.
    """

    construction: str
    length: int
    saturation: Fraction | None = None
    dtype: str = "float64"
    fineness: int | None = None
    activation: str = "gelu"
    note: str = ""
    levels: int = 1

    def __post_init__(self) -> None:
        if self.fineness is not None and self.saturation is None:
            raise InputError("fineness", self.fineness, "nothing, where attention is hard")
        if self.fineness is not None and self.activation not in SMOOTH:
            raise InputError("activation", self.activation, f"one of {', '.join(SMOOTH)}")
        if self.construction not in CLAIMS:
            raise InputError("construction", self.construction, f"one of {', '.join(CLAIMS)}")
        if self.dtype not in DTYPES:
            raise InputError("dtype", self.dtype, f"one of {', '.join(DTYPES)}")
        if self.saturation is not None and self.construction == "exact":
            found = f"{self.saturation}, for exact"
            raise InputError("saturation", found, "nothing: its attention is hard")
        if self.saturation is not None and self.saturation <= 0:
            raise InputError("saturation", str(self.saturation), "a number > 0")

    @property
    def units(self) -> RefinedUnits | None:
        """The hidden units of a product, if products are MLPs."""
        if self.fineness is None:
            return None
        return RefinedUnits(FourUnits.of(self.activation, self.fineness), self.levels)

    @property
    def attention(self) -> Attention:
        """Hard, or soft where there is a C."""
        return Attention.HARD if self.saturation is None else Attention.SOFT


def module_for(automaton: WFA | WTA, order: Order) -> SequenceModule | TreeModule:
    """The torch module of a construction for an automaton."""
    checked(automaton, order)
    dtype = DTYPES[order.dtype]
    if isinstance(automaton, WFA):
        return sequence_module(sequence(automaton, order), dtype)
    return modules_trees.to_torch(tree(automaton, order), dtype)


def sequence(automaton: WFA, order: Order) -> theorem1.WordSimulation:
    """Theorem 1's or Theorem 2's simulation of a WFA."""
    if order.construction == "exact":
        return theorem1.build(automaton, order.length)
    if order.saturation is None:
        raise InputError("saturation", "nothing", "a constant C > 0 for soft attention")
    units = order.units
    block = None if units is None else units.block(theorem1.product_block(automaton.n), frozenset())
    feedforward = theorem2.PRODUCT if block is None else block
    return theorem2.build(automaton, order.length, order.saturation, feedforward)


def tree(automaton: WTA, order: Order) -> modules_trees.AnyTreeSimulation:
    """Theorem 3's repaired or the log-depth simulation of a WTA."""
    made, units = _tree(automaton, order), order.units
    return made if units is None else modules_trees.with_units(made, units)


def _tree(automaton: WTA, order: Order) -> modules_trees.AnyTreeSimulation:
    """The same with exact products."""
    length, constant = order.length, order.saturation
    if order.construction == "logdepth":
        hard = logdepth.build(automaton, length)
        return hard if constant is None else logdepth.soft_simulation(hard, constant)
    if constant is None:
        return theorem3.build(automaton, length)
    return theorem3.build(automaton, length, attention=Attention.SOFT, saturation=constant)


def sampled_error(automaton: WFA | WTA, order: Order) -> float:
    """The largest error of an entry of a state on one input as long as the length allows."""
    with measurement_mode():
        found, truth = _sampled(automaton, order)
    exact = torch.tensor([[float(w) for w in state] for state in truth], dtype=torch.float64)
    return float((found.double() - exact).abs().max())


def _sampled(automaton: WFA | WTA, order: Order) -> tuple[torch.Tensor, list[Any]]:
    """States of one word, or of one balanced tree, by the model and by the automaton."""
    module, letters = module_for(automaton, order), automaton.alphabet
    if isinstance(automaton, WFA) and isinstance(module, SequenceModule):
        word = [letters[i % len(letters)] for i in range(order.length)]
        return module.states([word])[0], automaton.states(word)
    if isinstance(automaton, WTA) and isinstance(module, TreeModule):
        tree = balanced_tree(
            [letters[i % len(letters)] for i in range(theorem3.most_leaves(order.length))]
        )
        found, truth = module.states([tree])[0], automaton.states(tree)
        return torch.stack([found[i] for i in truth]), list(truth.values())
    raise TypeError("a module of another automaton")


def transformer_of(automaton: WFA | WTA, order: Order) -> Transformer[Matrix]:
    """The exact weights of a construction."""
    if isinstance(automaton, WFA):
        return sequence(automaton, order).transformer
    return tree(automaton, order).transformer


def export(automaton: WFA | WTA, order: Order, folder: Path | str) -> Path:
    """Write the folder and return it.

    Examples:
        >>> import tempfile
        >>> from constructions.automata.families import counting
        >>> folder = export(counting(), Order("exact", 8), Path(tempfile.mkdtemp()) / "model")
        >>> sorted(path.name for path in folder.iterdir())
        ['automaton.json', 'load.py', 'model.json', 'weights.safetensors']

    """
    folder, module = Path(folder), module_for(automaton, order)
    files = {
        WEIGHTS: save_tensors(_contiguous(module)),
        AUTOMATON: to_json(automaton).encode(),
        SCRIPT: LOADER.encode(),
    }
    body = description(automaton, order)
    body["files"] = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    files[DESCRIPTION] = (json.dumps(body, indent=1) + "\n").encode()
    write_folder(folder, files, "--out")
    return folder


def _contiguous(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    found = {name: tensor.detach().contiguous() for name, tensor in module.state_dict().items()}
    return finite(found)


def finite(weights: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The weights, if their type can hold them: a narrow one makes infinities of large numbers."""
    for name, tensor in weights.items():
        if not torch.isfinite(tensor).all():
            most = torch.finfo(tensor.dtype).max
            kind = str(tensor.dtype).removeprefix("torch.")
            raise InputError(
                "weight", f"infinity in {name}", f"numbers below {most:.1e}, for {kind}"
            )
    return weights


def checked(automaton: WFA | WTA, order: Order) -> WFA | WTA:
    """The automaton, if it fits the construction and the model is not too large to build.

    Refused before memory is taken: the tokens, and the dense weights of a layer times the layers.
    """
    n, length = automaton.n, theorem1.check_length(order.length)
    kind = "automata over words" if isinstance(automaton, WFA) else "tree automata"
    possible = ("exact", "soft") if isinstance(automaton, WFA) else ("tree", "logdepth")
    if order.construction not in possible:
        raise InputError("construction", order.construction, f"{' or '.join(possible)}, for {kind}")
    if isinstance(automaton, WFA):
        weights = 12 * (n * n + 1) ** 2 * 2 * theorem1.depth(length)
    else:
        weights = (n + 8) ** (2 if order.construction == "tree" else 5) * 4 * max(1, length // 3)
    if length > LONGEST:
        raise InputError("length", length, f"at most {LONGEST}, to build a model")
    if weights > MOST_WEIGHTS:
        found = f"{n} states at length {length}, about {weights} weights"
        raise InputError("automaton", found, f"at most {MOST_WEIGHTS} weights")
    return automaton


def description(automaton: WFA | WTA, order: Order) -> dict[str, Any]:
    """What a reader of the folder wants to know, as plain data."""
    found = sizes(transformer_of(automaton, order))
    measured = {field.name: getattr(found, field.name) for field in fields(found)}
    measured["largest"] = found.largest.str(8, radius=False)
    return {
        "schema": SCHEMA,
        "assay": __version__,
        "construction": order.construction,
        "length": order.length,
        "attention": order.attention.value,
        "saturation": None if order.saturation is None else str(order.saturation),
        "feedforward": "exact product" if order.fineness is None else "mlp",
        "activation": None if order.fineness is None else order.activation,
        "fineness": order.fineness,
        "levels": None if order.fineness is None else order.levels,
        "note": order.note,
        "dtype": order.dtype,
        "states": automaton.n,
        "alphabet": list(automaton.alphabet),
        "example": _example(automaton, order.length),
        "sizes": measured,
        "claims": list(claims(order)),
        "limits": list(LIMITS),
    }


def claims(order: Order) -> tuple[str, ...]:
    """The claims that speak of the construction."""
    more = SOFT_CLAIMS.get(order.construction, ()) if order.attention is Attention.SOFT else ()
    return (*CLAIMS[order.construction], *more)


def _example(automaton: WFA | WTA, length: int) -> list[str]:
    letter = automaton.alphabet[0]
    if isinstance(automaton, WFA):
        return [letter] * min(length, 4)
    return ["[", letter, letter, "]"] if length >= 4 else [letter]


def load(
    folder: Path | str, changed: bool = False
) -> tuple[SequenceModule | TreeModule, dict[str, Any]]:
    """The module with its weights from the folder, and the description.

    Files that are not those that were exported are refused, unless `changed` says that the
    weights may be others: trained further, say.

    Examples:
        >>> import tempfile
        >>> from constructions.automata.families import counting
        >>> module, body = load(export(counting(), Order("exact", 8), Path(tempfile.mkdtemp()) / "model"))
        >>> body["construction"], module.weight(["0100"]).tolist()
        ('exact', [3.0])

    """
    folder = Path(folder)
    body = _described(folder)
    for name in (AUTOMATON,) if changed else (AUTOMATON, WEIGHTS):
        _unchanged(folder / name, body.get("files"))
    order = _order(body, str(folder / DESCRIPTION))
    automaton = read_automaton(folder / AUTOMATON)
    module = module_for(automaton, order)
    try:
        module.load_state_dict(load_tensors(_bytes(folder / WEIGHTS)))
    except (SafetensorError, RuntimeError) as error:
        reason = str(error).strip().split("\n")[-1].strip()
        raise InputError("weights", reason, "the module's weights", str(folder / WEIGHTS)) from None
    return module, body


def _unchanged(path: Path, hashes: Any) -> None:
    known = hashes.get(path.name) if isinstance(hashes, dict) else None
    found = hashlib.sha256(_bytes(path)).hexdigest()
    if found != known:
        raise InputError("sha256", found, f"{known}, as exported", str(path))


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError("file", error.strerror, "a file that can be read", str(path)) from None


def _described(folder: Path) -> dict[str, Any]:
    where = str(folder / DESCRIPTION)
    try:
        body = json.loads(read_text(folder / DESCRIPTION))
    except (ValueError, RecursionError):  # a number of more than 4300 digits is a ValueError
        raise InputError("file", "no JSON", "the description of a model", where) from None
    if not isinstance(body, dict) or body.get("schema") != SCHEMA:
        raise InputError("schema", "another one", SCHEMA, where)
    return body


def _order(body: dict[str, Any], where: str) -> Order:
    saturation, length = body.get("saturation"), body.get("length")
    if not isinstance(length, int):
        raise InputError("length", length, "a whole number ≥ 1", where)
    try:
        return Order(
            str(body.get("construction")),
            theorem1.check_length(length),
            None if saturation is None else number_from_text(str(saturation), "saturation"),
            str(body.get("dtype")),
            _fineness(body.get("fineness")),
            str(body.get("activation") or "gelu"),
            str(body.get("note", "")),
            _levels(body.get("levels")),
        )
    except InputError as error:
        raise error.at(where) from None


def _fineness(value: Any) -> int | None:
    """k of the step 2^-k; folders of version 0.2 have none."""
    if value is None:
        return None
    if not isinstance(value, int) or not 1 <= value <= FINEST:
        raise InputError("fineness", value, f"a whole number from 1 to {FINEST}")
    return value


def _levels(value: Any) -> int:
    """The number of steps; earlier folders have none, and one step."""
    if value is None:
        return 1
    if not isinstance(value, int) or not 1 <= value <= MOST_LEVELS:
        raise InputError("levels", value, f"a whole number from 1 to {MOST_LEVELS}")
    return value
