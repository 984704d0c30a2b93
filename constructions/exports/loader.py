"""A model from its folder, whatever its construction and its format.

    model = load_model("model")    refuses files that are not those that were exported
    model.states(["abba", "ab"])   the states of each word, or of the subtrees of each tree
    model.weight(["abba", "ab"])   f of each
    model.module                   the module itself: ours, or what the format's library loads

Weights that were trained further are loaded with `changed=True`. Nothing is unpickled.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from constructions.automata.ngram import Ngram
from constructions.automata.prediction import EOS
from constructions.automata.trees import ends, positions, string
from constructions.automata.wfa import WFA, letters, word_list
from constructions.automata.wta import WTA
from constructions.core.bounded_files import LARGEST_WEIGHTS, check_file, read_text
from constructions.core.errors import InputError
from constructions.core.one_line import one_line
from constructions.decoder import MOST_LEVELS
from constructions.exports.build import paper
from constructions.exports.built_model import Constants
from constructions.exports.folder import AUTOMATON, DESCRIPTION, OUTPUTS, SCHEMA
from constructions.exports.formats import NAMES
from constructions.exports.limit import model_size, readable
from constructions.exports.order import (
    AUTO,
    DECODER,
    MLP,
    NEXT,
    PRODUCT,
    STATES,
    Order,
    positive,
    settle,
    settle_ngram,
)
from constructions.files.reader import read_automaton, read_source

if TYPE_CHECKING:
    import torch

FINEST = 1 << 14
ALLOWANCE = 1 << 20
MOST_LAYERS = 10_000
LAST = "an earlier version wrote this folder: export the automaton again"


@one_line(
    lambda self: (
        f"{self.description.get('format', 'module')}, length {self.description['length']}, {self.automaton!r}"
    )
)
@dataclass(frozen=True)
class FolderModel:
    """A model from a folder: its module, what model.json says, and the automaton it simulates."""

    module: Any
    description: dict[str, Any]
    automaton: WFA | WTA | Ngram

    def encode(self, word: Any) -> list[int]:
        """A word, or a tree in any of its forms, as numbers of tokens.

        Examples:
            >>> import assay, tempfile
            >>> written = assay.export(assay.families.counting(), assay.Order(4), tempfile.mkdtemp())
            >>> load_model(written.folder).encode("010")
            [2, 0, 1, 0]

        """
        tokens: list[str] = self.description["tokens"]
        symbols = self._symbols(word)
        for symbol in symbols:
            if symbol not in tokens:
                raise InputError("input", symbol, f"symbols of {', '.join(tokens)}")
        if len(symbols) > self.description["length"]:
            expected = f"at most {self.description['length']}, the length"
            raise InputError("input", f"{len(symbols)} symbols", expected)
        return [tokens.index(symbol) for symbol in (*self.description["begin"], *symbols)]

    def _symbols(self, word: Any) -> tuple[str, ...]:
        if isinstance(self.automaton, WTA):
            return tuple(string(word))
        return tuple(letters(word, [s for s in self.automaton.alphabet if s != EOS]))

    def outputs(self, words: Sequence[Any]) -> list[torch.Tensor]:
        """Return the module's outputs for each input: one row for each token, BOS included.

        Examples:
            >>> import assay, tempfile
            >>> written = assay.export(assay.families.counting(), assay.Order(4), tempfile.mkdtemp())
            >>> [tuple(rows.shape) for rows in load_model(written.folder).outputs(["010", ""])]
            [(4, 2), (1, 2)]

        """
        import torch

        rows = [self.encode(word) for word in word_list(words)]
        outputs: dict[int, torch.Tensor] = {}
        for count in {len(row) for row in rows}:
            chosen = [k for k, row in enumerate(rows) if len(row) == count]
            batch = self.module(torch.tensor([rows[k] for k in chosen], dtype=torch.int64))
            outputs |= dict(zip(chosen, batch, strict=True))
        return [outputs[k] for k in range(len(rows))]

    def states(self, words: Sequence[Any]) -> list[Any]:
        """For each word its states after 0, 1, … letters; for each tree {position: state}.

        Positions are those of I_t, counted from 1, where the subtrees begin.

        Examples:
            >>> import assay, tempfile
            >>> order = assay.Order(4, "exact")
            >>> written = assay.export(assay.families.counting(), order, tempfile.mkdtemp())
            >>> [states[:, 0].tolist() for states in load_model(written.folder).states(["010", ""])]
            [[0.0, 1.0, 1.0, 2.0], [0.0]]

        """
        if not isinstance(self.automaton, WTA):
            return list(self.outputs(words))
        strings = [self._symbols(tree) for tree in word_list(words)]
        pairs = zip(strings, self.outputs(words), strict=True)
        return [self._subtrees(symbols, rows) for symbols, rows in pairs]

    def _subtrees(self, symbols: tuple[str, ...], rows: torch.Tensor) -> dict[int, torch.Tensor]:
        """A decoder, BOS first, has a subtree's state where it ends; the others, where it begins."""
        if self.description["begin"]:
            return {begin: rows[end] for begin, end in ends(symbols).items()}
        return {i: rows[i - 1] for i in positions(symbols)}

    def distributions(self, words: Sequence[Any]) -> list[torch.Tensor]:
        """Of a language model: for each word, the distribution of the next symbol after each prefix.

        Examples:
            >>> import assay, tempfile
            >>> order = assay.Order(4, head="next")
            >>> written = assay.export(assay.processes.golden_mean(), order, tempfile.mkdtemp())
            >>> load_model(written.folder).distributions(["10"])[0][:, :2].round(decimals=3).tolist()
            [[0.667, 0.333], [0.5, 0.5], [1.0, 0.0]]

        """
        if self.description["outputs"] != "logits":
            raise InputError("outputs", self.description["outputs"], "logits: head=next")
        return [rows.softmax(-1) for rows in self.outputs(words)]

    def weight(self, words: Sequence[Any]) -> torch.Tensor:
        """f of each word or tree: its last state, or its root's, times the final weights.

        Examples:
            >>> import assay, tempfile
            >>> adder = assay.WTA.of([1, 0], [[[0, 1], [1, 0]], [[0, 0], [0, 1]]], {"a": [1, 1], "b": [5, 1]})
            >>> written = assay.export(adder, assay.Order(10, "tree"), tempfile.mkdtemp())
            >>> load_model(written.folder).weight(["[a [b a]]", "b"]).tolist()
            [7.0, 5.0]

        """
        import torch

        if isinstance(self.automaton, Ngram):
            raise InputError("outputs", "logits", "states or weights: see distributions")
        if self.description["outputs"] == "weights":
            return torch.stack([rows[-1, 0] for rows in self.outputs(words)])
        last = -1 if isinstance(self.automaton, WFA) else 1  # the whole word, or the root
        states = [rows[last] for rows in self.states(words)]
        final = self.automaton.beta if isinstance(self.automaton, WFA) else self.automaton.alpha
        weights = torch.tensor([float(w) for w in final], dtype=torch.float64)
        return torch.stack(states) @ weights.to(states[0].dtype)


def load_model(folder: Path | str, changed: bool = False) -> FolderModel:
    """The model of a folder that `export` has written.

    Files that are not those that were exported are refused, unless `changed` says that the weights
    may be others: trained further, say.

    Examples:
        >>> import assay, tempfile
        >>> written = assay.export(assay.families.counting(), assay.Order(8), tempfile.mkdtemp())
        >>> model = load_model(written.folder)
        >>> model.weight(["0100", "1"]).round().tolist()
        [3.0, 0.0]

    """
    folder = Path(folder)
    note = read_description(folder)
    automaton = read_source(folder / AUTOMATON)
    target = _order(note, automaton, str(folder / DESCRIPTION)).target
    weights = [name for name in target.files if name != "load.py"]
    for name in [AUTOMATON] if changed else [AUTOMATON, *weights]:
        _check_hash(folder / name, note)
    for name in target.files:
        check_file(folder / name, LARGEST_WEIGHTS)
    _check_tokens(note, automaton, str(folder / DESCRIPTION))
    try:
        module = target.load(folder, note)
    except ImportError as error:
        reason = f"no module {error.name}" if error.name else str(error)
        libraries = ", ".join(target.libraries)
        raise InputError(
            "library", reason, f"{libraries}, for {target.name}", str(folder)
        ) from None
    return FolderModel(module, note, automaton)


def _check_hash(path: Path, note: dict[str, Any]) -> None:
    hashes = note.get("files")
    expected = hashes.get(path.name) if isinstance(hashes, dict) else None
    try:
        check_file(path, LARGEST_WEIGHTS)
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise InputError("file", error.strerror, "a file that can be read", str(path)) from None
    if digest != expected:
        raise InputError("sha256", digest, f"{expected}, as exported", str(path))


def _check_tokens(note: dict[str, Any], automaton: WFA | WTA | Ngram, where: str) -> None:
    """Refuse tokens that are not distinct texts, or lack a symbol of the automaton."""
    tokens = note["tokens"]
    texts = all(isinstance(token, str) for token in [*tokens, *note["begin"], *note["example"]])
    if not texts or len(set(tokens)) < len(tokens):
        raise InputError("tokens", tokens, "distinct texts", where)
    for symbol in [*note["begin"], *note["example"], *(s for s in automaton.alphabet if s != EOS)]:
        if symbol not in tokens:
            raise InputError("tokens", f"no token {symbol}", "a token for every symbol", where)


def read_description(folder: Path) -> dict[str, Any]:
    """model.json, if it is one of this schema."""
    where = str(folder / DESCRIPTION)
    text = read_text(folder / DESCRIPTION)
    try:
        note = json.loads(text)
    except (ValueError, RecursionError):  # a number of more than 4300 digits is a ValueError
        raise InputError(
            "file", "text that is not JSON", "the description of a model", where
        ) from None
    schema = note.get("schema") if isinstance(note, dict) else None
    if schema != SCHEMA:
        old = str(schema).startswith("assay-")
        raise InputError("schema", schema, f"{SCHEMA}; {LAST}" if old else SCHEMA, where)
    if note.get("format") not in NAMES:
        raise InputError("format", note.get("format"), f"one of {', '.join(NAMES)}", where)
    _check_fields(note, FIELDS, where)
    if note["outputs"] not in OUTPUTS:
        raise InputError("outputs", note["outputs"], " or ".join(OUTPUTS), where)
    _check_fields(note["sizes"], dict.fromkeys(("layers", "outputs"), int), where)
    if not 0 <= note["sizes"]["layers"] <= MOST_LAYERS:
        raise InputError("layers", note["sizes"]["layers"], f"at most {MOST_LAYERS}", where)
    return dict(note)


NONE = type(None)
FIELDS: dict[str, Any] = {
    **dict.fromkeys(("construction", "dtype", "attention", "feedforward", "outputs"), str),
    **dict.fromkeys(("tokens", "begin", "example"), list),
    **dict.fromkeys(("activation", "saturation"), (str, NONE)),
    **dict.fromkeys(("fineness", "levels"), (int, NONE)),
    "length": int,
    "sizes": dict,
}


def _check_fields(body: dict[str, Any], fields: dict[str, Any], where: str) -> None:
    """Refuse a description without a field, or with a value of another type."""
    for name, kinds in fields.items():
        if name not in body or not isinstance(body[name], kinds):
            raise InputError(name, body.get(name), "the value that was exported", where)


def construction(folder: Path, note: dict[str, Any]) -> Any:
    """The torch module of one of the paper's constructions, built anew from its constants."""
    import torch

    from constructions.modules import to_torch

    automaton, where = read_automaton(folder / AUTOMATON), str(folder / DESCRIPTION)
    order = _order(note, automaton, where)
    stored = sum((folder / name).stat().st_size for name in order.target.files)
    size = model_size(automaton.n, len(automaton.alphabet), order, isinstance(automaton, WFA))
    if size > 4 * stored + ALLOWANCE:  # the estimate for trees is up to three times too large
        expected = f"a length whose weights are the {readable(stored)} of the folder"
        raise InputError("length", order.length, expected, where)
    try:
        simulation = paper(automaton, order, _constants(note))
    except InputError as error:
        raise error.at(where) from None
    return to_torch(simulation, getattr(torch, order.dtype))


def _order(note: dict[str, Any], automaton: WFA | WTA | Ngram, where: str) -> Order:
    """The order of a description; its constants are not chosen again."""
    decoder = note["construction"] == DECODER
    choices = {} if decoder else {name: note[name] for name in ("attention", "feedforward")}
    if not decoder and note["saturation"] is not None and note["feedforward"] == PRODUCT:
        choices["saturation"] = note["saturation"]
    table = isinstance(automaton, Ngram)
    try:
        order = Order(
            note["length"],
            note["construction"],
            format=note["format"],
            dtype=note["dtype"],
            activation=AUTO if table else note["activation"] or AUTO,
            head=NEXT if note["outputs"] == "logits" else STATES,
            plain=decoder and note["feedforward"] == MLP and isinstance(automaton, WFA),
            **choices,
        )
        settled = settle_ngram(order) if table else settle(order, isinstance(automaton, WFA))
    except InputError as error:
        raise error.at(where) from None
    for name in ("attention", "feedforward"):
        if note[name] != getattr(settled, name):
            raise InputError(name, note[name], getattr(settled, name), where)
    return settled


def _constants(note: dict[str, Any]) -> Constants:
    return Constants(
        positive(note["saturation"], "saturation"),
        None if note["fineness"] is None else _whole(note, "fineness", FINEST),
        1 if note["levels"] is None else _whole(note, "levels", MOST_LEVELS),
    )


def _whole(note: dict[str, Any], name: str, most: int) -> int:
    value = note[name]
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise InputError(name, value, f"a whole number from 1 to {most}")
    return value
