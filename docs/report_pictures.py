"""Copies the README's pictures from a report: `python docs/report_pictures.py [DIR]`.

DIR is a folder that `assay run --profile full --out DIR` wrote; the published report if left out.
`tests/documents/test_pictures.py` holds the copies against the published report.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent
PUBLISHED = HERE.parent / "reports" / "published"
PICTURES = ("error-against-c.svg", "contents-of-tokens.svg")


def copy(report: Path) -> None:
    """Copy each picture beside this file."""
    for name in PICTURES:
        shutil.copyfile(report / "figures" / name, HERE / name)


if __name__ == "__main__":
    copy(Path(sys.argv[1]) if len(sys.argv) > 1 else PUBLISHED)
