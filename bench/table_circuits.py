"""The reference methods on every model of the benchmark of known circuits: the data of its README.

    python bench/table_circuits.py              all models; six minutes on one core
    python bench/table_circuits.py NAME …       some of them; the others keep their scores

Writes        `verify/circuits/reference_scores.json`, which `assay zoo --benchmark v1` reads, and prints
              the table
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent)]
os.environ |= {"TRANSFORMERS_VERBOSITY": "error", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}

from verify.circuits.benchmark import write_benchmark  # noqa: E402 - the clone's packages come first
from verify.circuits.catalogue import benchmark_v1  # noqa: E402
from verify.circuits.reference_table import (  # noqa: E402
    DATA,
    reference_scores,
    reference_table,
    scores_of,
    to_text,
)


def main(names: list[str]) -> None:
    """Score the named models, or all, and write the data."""
    entries = benchmark_v1()
    known = [entry.name for entry in entries]
    if unknown := sorted(set(names) - set(known)):
        sys.exit(f"no model {unknown[0]!r}; there are {', '.join(known)}")
    scores = reference_scores() if DATA.exists() else {}
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
