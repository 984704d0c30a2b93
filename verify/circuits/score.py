"""Scores of a method's answer on a model with a known circuit: `assay score DIR answer.json`.

Answer       {"edges": […] or {name: score}, "components": […] or {name: score}, "heads": {head: distance},
             "features": [{"feature": name, "hook": name, "read": d × k, "intercept": k or none}]}; every part
             is optional. The formats of edges are those of `edges`
Edges        precision and recall of a list; of scores, those of the highest, as many as there are true
             ones, and AUC: the probability that a true one is ranked above another, ties a half (the area
             under the ROC curve). Edges that are not scored are ignored and counted. Positional edges,
             which activation patching between words of one length cannot see, have a recall apart.
             Components alike
Heads        the share of copying heads whose distance is right
Features     R² on the test words; the cosine of the largest principal angle to the true subspace, among
             the directions in which the stream varies (by a thousandth of the most, or more); interchange
             accuracy: the projection on the found subspace is exchanged between two words, and the output
             is to be nearer to the exact prediction than half its distance from the unchanged output.
             Words are the test words; interchanges that change less than a thousandth do not count
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from constructions.circuits.circuit import Circuit
from constructions.circuits.file import load_circuit
from constructions.circuits.interventions import Interchange
from constructions.circuits.parts import WINDOW
from constructions.core.bounded_files import read_text
from constructions.core.errors import InputError
from verify.circuits.check import predicted_output
from verify.circuits.edges import edge_name, from_eap_graph, parse_scores
from verify.circuits.library import Library, dense, load_library
from verify.circuits.trials import Drawing
from verify.circuits.truth import truth

Array = npt.NDArray[np.float64]
Word = tuple[str, ...]
INTERCHANGES, WORDS = 16, 32
RANK = 1e-9  # of singular values beside the largest
VISIBLE = 1e-3  # an interchange counts if it changes outputs by more, beside the word's largest
VARYING = 1e-3  # a direction in which streams vary by less, beside the most, counts as still


@dataclass(frozen=True)
class SetScore:
    """Score of a set, or a ranking, compared with the true set."""

    precision: float
    recall: float
    auc: float
    ignored: int
    chosen: frozenset[str]

    def numbers(self) -> dict[str, float]:
        """Return the numbers by name; `ignored` counts names that are not scored."""
        return {"precision": self.precision, "recall": self.recall, "auc": self.auc,
                "ignored": self.ignored}  # fmt: skip

    def recall_of(self, true: set[str]) -> float:
        """Return the share of some true names that were chosen."""
        return len(self.chosen & true) / len(true) if true else float("nan")


def auc(scores: Mapping[str, float], true: set[str]) -> float:
    """The probability that a true one is ranked above a false one, ties a half; nan without either.

    Examples:
        >>> auc({"a": 2.0, "b": 1.0, "c": 0.0}, {"a", "b"})
        1.0

    """
    good = [value for name, value in scores.items() if name in true]
    bad = [value for name, value in scores.items() if name not in true]
    if not good or not bad:
        return float("nan")
    wins = sum((x > y) + (x == y) / 2 for x in good for y in bad)
    return wins / (len(good) * len(bad))


def set_score(answer: Any, names: Sequence[str], true: set[str], field: str) -> SetScore:
    """Return the score of a list or of a ranking of names; what is not ranked has the score 0."""
    given, ranked = parse_scores(answer, field)
    scores = {name: given.get(name, 0.0) for name in names}
    chosen = {name for name in names if scores[name] > 0}
    if ranked:
        highest = sorted(names, key=lambda name: -scores[name])[: len(true)]
        chosen &= set(highest)
    right = len(chosen & true)
    return SetScore(
        right / len(chosen) if chosen else float("nan"),
        right / len(true) if true else float("nan"),
        auc(scores, true),
        len(set(given) - set(names)),
        frozenset(chosen),
    )


def read_answer(path: Path) -> dict[str, Any]:
    """Return the answer of a file, which may be a graph of EAP-IG."""
    text = read_text(path)
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("file", "text that is not JSON", "an answer", str(path)) from None
    if isinstance(body, dict) and {"cfg", "nodes", "edges"} <= set(body):
        return from_eap_graph(body)
    parts = {"edges", "components", "heads", "features"}
    if not isinstance(body, dict) or not body or not set(body) <= parts:
        raise InputError("answer", body, f"at least one of {', '.join(sorted(parts))}", str(path))
    return body


def truth_of_folder(folder: Path, circuit: Circuit) -> dict[str, Any]:
    """truth.json of a benchmark's folder, or the same found now, on random words."""
    path = folder / "truth.json"
    if path.exists():
        body: dict[str, Any] = json.loads(read_text(path))
        return body
    drawing = Drawing(circuit, Random(0))
    return truth(circuit, [drawing.word(circuit.length) for _ in range(WORDS)])


def folder_words(folder: Path, circuit: Circuit, part: str = "test") -> list[Word]:
    """The words of a benchmark's folder, or random ones."""
    path = folder / f"{part}.jsonl"
    if path.exists():
        return [tuple(json.loads(line)["word"]) for line in read_text(path).splitlines()]
    drawing = Drawing(circuit, Random(part))
    return [drawing.word() for _ in range(WORDS)]


@dataclass(frozen=True)
class Scorer:
    """Scores answers on one folder."""

    folder: Path
    library: Library

    @property
    def circuit(self) -> Circuit:
        """The circuit of the folder."""
        return self.library.circuit

    def score(self, answer: Mapping[str, Any]) -> dict[str, dict[str, float]]:
        """Return the scores of every part that an answer has."""
        known, scores = truth_of_folder(self.folder, self.circuit), dict[str, dict[str, float]]()
        if "edges" in answer:
            scores["edges"] = self.edges(answer["edges"], known["edges"])
        if "components" in answer:
            parts = {part["name"]: part["matters"] for part in known["components"]}
            true = {name for name, value in parts.items() if value}
            score = set_score(answer["components"], list(parts), true, "components")
            scores["components"] = score.numbers()
        if "heads" in answer:
            right = self.heads(answer["heads"], known["heads"])
            scores["heads"] = {"accuracy": sum(right) / len(right) if right else float("nan")}
        for item in _features(answer.get("features", [])):
            scores[f"{item['feature']} at {item['hook']}"] = self.feature(item)
        return scores

    def heads(self, given: Any, true: Mapping[str, Any]) -> list[bool]:
        """Return for each head whether the distance given is right."""
        if not isinstance(given, Mapping):
            raise InputError("heads", given, "a score for each head, by name")
        return [given.get(name) == distance for name, distance in true.items()]

    def edges(self, given: Any, known: Sequence[Mapping[str, Any]]) -> dict[str, float]:
        """Return the score of edges, and the recall of positional ones apart from that of the others."""
        named = {edge_name([e["source"], e["target"], e["input"]]): e for e in known}
        true = {name for name, edge in named.items() if edge["matters"]}
        places = {name for name in true if named[name].get("positional")}
        score = set_score(given, list(named), true, "edges")
        apart = {"recall_positional": score.recall_of(places),
                 "recall_other": score.recall_of(true - places)} if places else {}  # fmt: skip
        return score.numbers() | apart

    def feature(self, item: Mapping[str, Any]) -> dict[str, float]:
        """R², the angle, and interchange accuracy for a window after a layer."""
        name, hook = item["feature"], item["hook"]
        if name not in self.circuit.subspaces:
            raise InputError("feature", name, f"one of {', '.join(self.circuit.subspaces)}")
        true = dense(self.circuit.subspaces[name].read).numpy()
        read = _numbers(item["read"], "read")
        if read.ndim != 2 or read.shape[0] != true.shape[0]:
            raise InputError(
                "read", f"shape {read.shape}", f"{true.shape[0]} rows, the stream's width"
            )
        streams, values = self.data(hook, name, folder_words(self.folder, self.circuit))
        scores = {"cosine": smallest_cosine(read, true, streams)}
        if read.shape == true.shape:
            predicted = streams @ read + _numbers(item.get("intercept") or 0.0, "intercept")
            scores["R2"] = r_squared(predicted, values)
        sites = {h.name: h for h in self.circuit.hooks if h.site == "after"}
        if name == WINDOW and hook in sites:
            scores["interchange"] = self.interchange(sites[hook].layer, read)
        return scores

    def data(self, hook: str, feature: str, words: Sequence[Word]) -> tuple[Array, Array]:
        """Streams of the model and exact values of a feature, for all positions of some words."""
        streams, values = [], []
        for word in words:
            exact = self.circuit.values(word)[hook][feature]
            streams.append(self.library.run(word).streams[hook].numpy())
            values.append(np.array([[float(x) for x in row] for row in exact]))
        return np.concatenate(streams), np.concatenate(values)

    def interchange(self, layer: int, read: Array) -> float:
        """The share of interchanges with the predicted result, of those whose result can be seen."""
        basis, random = torch.tensor(orthonormal(read)), Random(layer)
        words = folder_words(self.folder, self.circuit)
        made = right = 0
        for _ in range(8 * INTERCHANGES):
            word, other = random.choice(words), random.choice(words)
            t = random.randint(1, min(len(word), len(other)))
            base = self.circuit.values(word)
            change = Interchange(layer, t, other, t, (WINDOW,))
            exact = self.circuit.values(word, [change])
            before, after = row_of(base, t), row_of(exact, t)
            size = max(np.abs(row_of(base, position)).max() for position in range(len(word) + 1))
            if np.abs(after - before).max() > VISIBLE * size:
                made += 1
                right += self.matches_prediction(word, other, layer, t, basis, (before, after))
            if made == INTERCHANGES:
                break
        return right / made if made else float("nan")

    def matches_prediction(
        self,
        word: Word,
        other: Word,
        layer: int,
        t: int,
        basis: torch.Tensor,
        rows: tuple[Array, Array],
    ) -> bool:
        """Check that the exchanged projection gives the predicted output at a position."""
        (before, after), hook = rows, self.library.hook_after(layer)
        source = self.library.run(other).streams[hook][t]

        def edit(x: torch.Tensor) -> torch.Tensor:
            changed = x.clone()
            row = x[0, t].double()
            changed[0, t] = (row + (source - row) @ basis @ basis.T).to(x.dtype)
            return changed

        outputs = self.library.run(word, edits=[("after", layer, edit)]).outputs.numpy()
        distance = np.abs(outputs[t, : len(after)] - after).max()
        return bool(distance <= np.abs(after - before).max() / 2)


def _features(items: Any) -> Sequence[Mapping[str, Any]]:
    """Return the features of an answer; refuse one without its name, hook or matrix."""
    if not isinstance(items, list):
        raise InputError("features", items, "a list of features")
    for item in items:
        if not isinstance(item, Mapping) or not {"feature", "hook", "read"} <= set(item):
            raise InputError("features", item, "records with feature, hook and read")
    return items


def _numbers(values: Any, field: str) -> Array:
    try:
        found = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(field, values, "a list of numbers") from None
    if not np.isfinite(found).all():
        raise InputError(field, "a number that is not finite", "finite numbers")
    return found


def row_of(trace: Any, position: int) -> Array:
    """The outputs of the exact machine at a position."""
    count = len(trace.outputs[position])
    return np.array([predicted_output(trace, position, c) for c in range(count)])


def orthonormal(matrix: Array, least: float = RANK) -> Array:
    """A basis of the column space, without directions whose size is below a share of the largest."""
    left, sizes, _ = np.linalg.svd(matrix, full_matrices=False)
    kept = sizes > least * sizes[:1]  # they are in order, the largest first
    basis: Array = left[:, kept]
    return basis


def smallest_cosine(found: Array, true: Array, streams: Array) -> float:
    """The cosine of the largest principal angle, within the directions in which streams vary."""
    varying = orthonormal((streams - streams.mean(0)).T, VARYING)
    inside = [orthonormal(varying @ (varying.T @ each), VARYING) for each in (found, true)]
    if min(each.shape[1] for each in inside) == 0:
        return 0.0
    if inside[0].shape[1] < inside[1].shape[1]:
        return 0.0  # a direction of the true subspace is orthogonal to all that was found
    return float(np.linalg.svd(inside[1].T @ inside[0], compute_uv=False).min())


def r_squared(predicted: Array, exact: Array) -> float:
    """1 - residual / variance, over all entries that vary."""
    total = ((exact - exact.mean(0)) ** 2).sum()
    return float(1 - ((predicted - exact) ** 2).sum() / total) if total else float("nan")


def score(
    folder: Path | str, answer: Path | str | Mapping[str, Any]
) -> dict[str, dict[str, float]]:
    """The scores of an answer, a file or the same as a dictionary, on the model of a folder.

    Examples:
        >>> import assay, tempfile
        >>> folder = assay.export(assay.families.counting(), assay.Order(4), tempfile.mkdtemp()).folder
        >>> score(folder, {"heads": {"head 0.0": 1, "head 1.0": 3}})
        {'heads': {'accuracy': 0.5}}

    """
    place = Path(folder)
    given = answer if isinstance(answer, Mapping) else read_answer(Path(answer))
    library = load_library(place, load_circuit(place))
    return Scorer(place, library).score(given)
