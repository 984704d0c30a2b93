"""The scores of the reference methods on every model of the benchmark: a data file, and a table of means.

Data         `reference_scores.json`, beside this file: {model: {column: number or none}}, made again by
             `python bench/table_circuits.py`; four digits. A score that a model does not have is none (every
             component matters, so that there is nothing to rank)
Columns      of patching and attribution the edges; of patching the components; of probes the mean over layers
Table        means over the models of one class and disguise that have the score
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import Any

from verify.circuits.catalogue import BenchmarkModel
from verify.circuits.disguise import DISGUISES

DATA = Path(__file__).with_name("reference_scores.json")
COLUMNS = (
    "patching: precision", "recall", "AUC", "attribution: precision", "recall", "AUC",
    "patching, components: AUC", "probe: R²", "cosine", "interchange", "heads",
)  # fmt: skip
KEYS = (
    *((method, "edges", score) for method in ("patching", "attribution")
      for score in ("precision", "recall", "auc")),
    ("patching", "components", "auc"),
    *(("probe", "features", score) for score in ("R2", "cosine", "interchange")),
    ("heads", "heads", "accuracy"),
)  # fmt: skip
CLASSES = {"gpt2": "GPT-2", "llama": "Llama"}
Scores = Mapping[str, float | None]


def column(key: tuple[str, str, str]) -> str:
    """The name of a column in the data."""
    return " ".join(key)


def scores_of(folder: Path) -> dict[str, float | None]:
    """The scores of all methods on the model of a folder."""
    from verify.circuits.references import METHODS, reference
    from verify.circuits.score import score

    found = {method: score(folder, reference(folder, method)) for method in METHODS}
    return {column(key): rounded(mean(values(found[key[0]], key))) for key in KEYS}


def values(scores: Mapping[str, Mapping[str, float]], key: tuple[str, str, str]) -> list[float]:
    """The numbers of a column: of features one for each layer."""
    _, part, name = key
    parts = [body for label, body in scores.items() if label == part or part == "features"]
    return [body[name] for body in parts if name in body]


def mean(numbers: Sequence[float | None]) -> float | None:
    """The mean of the numbers that are there."""
    present = [x for x in numbers if x is not None and not isnan(x)]
    return sum(present) / len(present) if present else None


def rounded(value: float | None) -> float | None:
    """Four digits."""
    return None if value is None else round(value, 4)


def reference_scores() -> dict[str, dict[str, float | None]]:
    """The data file."""
    body: dict[str, dict[str, float | None]] = json.loads(DATA.read_text("utf-8"))
    return body


def groups(entries: Sequence[BenchmarkModel]) -> dict[str, list[str]]:
    """The names of the models by class, and those of Llama by disguise."""
    listed: dict[str, list[str]] = {}
    classes, disguises = list(CLASSES), list(DISGUISES)

    def order(entry: BenchmarkModel) -> tuple[int, int]:
        return classes.index(entry.order.format), disguises.index(entry.disguise)

    for entry in sorted(entries, key=order):
        kind = CLASSES[entry.order.format]
        label = kind if entry.order.format == "gpt2" else f"{kind}, {entry.disguise}"
        listed.setdefault(label, []).append(entry.name)
    return listed | {"all": [entry.name for entry in entries]}


def reference_table(entries: Sequence[BenchmarkModel], scores: Mapping[str, Scores]) -> str:
    """The table of means, in Markdown."""
    head = ["models", "number", *COLUMNS]
    lines = [head, ["---"] * len(head)]
    for label, names in groups(entries).items():
        present = [scores[name] for name in names if name in scores]
        means = [mean([row[column(key)] for row in present]) for key in KEYS]
        lines.append([label, str(len(present)), *("–" if x is None else f"{x:.2f}" for x in means)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def to_text(scores: Mapping[str, Any]) -> str:
    """The data file, one model a line."""
    lines = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(scores.items())]
    return "{\n" + ",\n".join(lines) + "\n}\n"
