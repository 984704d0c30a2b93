"""Writes a run's record, certificates and report, each file whole or not at all."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import reports
from verify.record import Certificates, Data, canonical
from verify.runner import write_atomically

INDEX = "INDEX.json"


def write_report(out: Path, record: Data, certificates: Certificates) -> None:
    """Write everything; certificates of an earlier run that no longer hold are removed."""
    folder = out / "certificates"
    earlier = _indexed(folder)
    for name, content in certificates.files.items():
        write_atomically(folder / name, content)
    index = {name: hashlib.sha256(body).hexdigest() for name, body in certificates.files.items()}
    write_atomically(folder / INDEX, canonical({"assay-index": 1, "certificates": index}))
    for name in earlier - set(certificates.files):
        (folder / name).unlink(missing_ok=True)
    whole = canonical(record)
    write_atomically(out / "record.json", whole)
    for name, content in reports.render_all(json.loads(whole)).items():
        write_atomically(out / name, content)


def _indexed(folder: Path) -> set[str]:
    try:
        index = json.loads((folder / INDEX).read_text("utf-8"))
        return {name for name in index["certificates"] if Path(name).name == name}
    except (OSError, ValueError, KeyError, TypeError):
        return set()
