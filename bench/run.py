"""Runs every benchmark of this folder and prints its table; `run.py NAME` runs one.

A benchmark is a module `bench_NAME.py` with a function `main()` that measures in one run and
prints ratios to what a user would write instead.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path


def main(names: list[str]) -> None:
    """Run the named benchmarks, all of them if none is named."""
    here = Path(__file__).parent
    sys.path.insert(0, str(here))
    known = sorted(path.stem.removeprefix("bench_") for path in here.glob("bench_*.py"))
    for name in names or known:
        if name not in known:
            sys.exit(f"no benchmark {name!r}; there are {', '.join(known)}")
        print(f"\n== {name}", flush=True)
        importlib.import_module(f"bench_{name}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
