"""The reference methods on every model of the benchmark of known circuits: the table of docs/circuits.md.

    python bench/table_circuits.py              all models; six minutes on one core
    python bench/table_circuits.py NAME …       some of them; the others keep their scores

Data          `table_circuits.json`, {model: {column: number or null}}, four digits. A score that a model does
              not have is null: every component matters, so that there is nothing to rank
Columns       of patching and attribution the edges; of patching the components; of probes means over layers
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parent.parent)]
os.environ |= {"TRANSFORMERS_VERBOSITY": "error", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}

from circuit_methods import METHODS, reference  # noqa: E402 - the clone's packages come first

from verify.circuits.benchmark import write_benchmark  # noqa: E402
from verify.circuits.catalogue import BenchmarkModel, benchmark_v1  # noqa: E402
from verify.circuits.disguise import DISGUISES  # noqa: E402
from verify.circuits.score import score  # noqa: E402

DATA = Path(__file__).with_suffix(".json")
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
    """Return the name of a column in the data."""
    return " ".join(key)


def scores_of(folder: Path) -> dict[str, float | None]:
    """Return the scores of all methods on the model of a folder."""
    found = {method: score(folder, reference(folder, method)) for method in METHODS}
    return {column(key): round_digits(mean(values(found[key[0]], key))) for key in KEYS}


def values(scores: Mapping[str, Mapping[str, float]], key: tuple[str, str, str]) -> list[float]:
    """Return the numbers of a column: of features one for each layer."""
    _, part, name = key
    parts = [body for label, body in scores.items() if label == part or part == "features"]
    return [body[name] for body in parts if name in body]


def mean(numbers: Sequence[float | None]) -> float | None:
    """Return the mean of the numbers that are there."""
    present = [x for x in numbers if x is not None and not isnan(x)]
    return sum(present) / len(present) if present else None


def round_digits(value: float | None) -> float | None:
    """Round to four digits."""
    return None if value is None else round(value, 4)


def groups(entries: Sequence[BenchmarkModel]) -> dict[str, list[str]]:
    """Return the names of the models by class, and those of Llama by disguise."""
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
    """Return the table of means, in Markdown."""
    head = ["models", "number", *COLUMNS]
    lines = [head, ["---"] * len(head)]
    for label, names in groups(entries).items():
        present = [scores[name] for name in names if name in scores]
        means = [mean([row[column(key)] for row in present]) for key in KEYS]
        lines.append([label, str(len(present)), *("–" if x is None else f"{x:.2f}" for x in means)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def to_text(scores: Mapping[str, Any]) -> str:
    """Return the data file, one model a line."""
    lines = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(scores.items())]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main(names: list[str]) -> None:
    """Score the named models, or all, and write the data."""
    entries = benchmark_v1()
    known = [entry.name for entry in entries]
    if unknown := sorted(set(names) - set(known)):
        sys.exit(f"no model {unknown[0]!r}; there are {', '.join(known)}")
    scores: dict[str, Scores] = json.loads(DATA.read_text("utf-8")) if DATA.exists() else {}
    scores = {name: row for name, row in scores.items() if name in known}
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "benchmark"
        for name in names or known:
            started = time.process_time()
            write_benchmark("v1", out, force=True, chosen=[name])
            scores[name] = scores_of(out / name)
            print(f"{name}: {time.process_time() - started:.0f} s", file=sys.stderr, flush=True)
            DATA.write_text(to_text(scores), "utf-8")
    print(reference_table(entries, scores))


if __name__ == "__main__":
    main(sys.argv[1:])
