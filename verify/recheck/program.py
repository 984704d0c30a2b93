"""`verify recheck DIR`, or `python -m verify.recheck DIR`: confirm or refuse certificates.

Reads DIR/certificates and DIR/record.json and prints one line for each certificate: what it
understood and confirmed, or why it refuses. Every verdict of the record that claims rigour must
have a confirmed certificate. Standard library only.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from verify.recheck import kinds
from verify.recheck.errors import Refused, agree, only, text

WRAPPER = {
    "assay-certificate",
    "claim",
    "reading",
    "outcome",
    "strength",
    "scope",
    "check",
    "body",
    "sha256",
}
RIGOROUS = {"proved", "certified", "refuted", "repaired"}
Validator = Callable[[Mapping[str, Any]], str]


def main(folder: Path, quiet: bool = False) -> int:
    """Recheck a folder; 0 if everything is confirmed, 1 otherwise."""
    try:
        certificates, record = load(folder)
    except Refused as error:
        print(f"refused: {folder}: {error}")
        return 1
    confirmed: set[str] = set()
    for name, content in sorted(certificates.items()):
        try:
            line = f"confirmed: {name}: {recheck(content, evidence_of(record, name))}"
            confirmed.add(name)
        except Refused as error:
            line = f"refused: {name}: {error}"
        if not quiet or name not in confirmed:
            print(line)
    unfounded = without_certificate(record, confirmed)
    for claim in unfounded:
        print(f"refused: claim {claim}: its verdict has no confirmed certificate")
    print(f"{len(confirmed)} confirmed, {len(certificates) - len(confirmed)} refused")
    return 0 if len(confirmed) == len(certificates) and not unfounded else 1


def load(folder: Path) -> tuple[dict[str, bytes], dict[str, Any]]:
    """The certificates that the index names, each with the hash it names, and the record."""
    index = parse(_read(folder / "certificates" / "INDEX.json"))
    only(index, {"assay-index", "certificates"})
    agree("index version", index["assay-index"], 1)
    listed = index["certificates"]
    if not isinstance(listed, dict) or not listed:
        raise Refused("the index names no certificate")
    certificates = {}
    for name, digest in listed.items():
        if Path(name).name != name:
            raise Refused(f"the index names {name!r}, expected a plain file name")
        certificates[name] = _read(folder / "certificates" / name)
        agree(f"hash of {name}", digest, hashlib.sha256(certificates[name]).hexdigest())
    return certificates, parse(_read(folder / "record.json"))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Refused(f"{path.name}: {error.strerror}") from None


def parse(content: bytes) -> dict[str, Any]:
    """A JSON object without floats and without duplicate keys."""
    try:
        data = json.loads(content, parse_float=_no_float, object_pairs_hook=_unique)
    except ValueError as error:
        raise Refused(f"no JSON: {error}") from None
    if not isinstance(data, dict):
        raise Refused("no JSON object")
    return data


def _no_float(value: str) -> None:
    raise Refused(f"a float ({value})")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Refused("a key stands twice")
    return found


def recheck(content: bytes, evidence: Mapping[str, Any]) -> str:
    """Validate one certificate; the echo says what was understood."""
    certificate = parse(content)
    only(certificate, WRAPPER)
    agree("certificate version", certificate["assay-certificate"], 1)
    unsigned = {key: value for key, value in certificate.items() if key != "sha256"}
    agree("sha256", certificate["sha256"], digest(unsigned))
    for field in ("claim", "reading", "outcome", "strength", "scope", "check"):
        agree(f"field {field!r} against the record", text(certificate, field), evidence.get(field))
    body = certificate["body"]
    if not isinstance(body, dict):
        raise Refused("the body is no object")
    kind = text(body, "kind")
    validator = kinds.validators().get(kind)
    if validator is None:
        raise Refused(f"kind {kind!r} is not known")
    try:
        return f"{certificate['claim']} ({certificate['outcome']}): {validator(body)}"
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise Refused(f"malformed: {type(error).__name__}: {error}") from None


def digest(data: Mapping[str, Any]) -> str:
    """The hash of an object in its canonical form."""
    canonical = json.dumps(data, sort_keys=True, ensure_ascii=False, indent=1) + "\n"
    return hashlib.sha256(canonical.encode()).hexdigest()


def evidence_of(record: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The record's row for a certificate."""
    for row in record.get("evidence", []):
        if row.get("certificate") == name:
            return dict(row)
    raise Refused("the record does not know it")


def without_certificate(record: Mapping[str, Any], confirmed: set[str]) -> list[str]:
    """The claims whose rigorous verdict no confirmed certificate carries."""
    carried = {
        (row["claim"], row["reading"])
        for row in record.get("evidence", [])
        if row.get("certificate") in confirmed
    }
    return [
        f"{row['id']} ({reading['name']})"
        for row in record.get("claims", [])
        for reading in row["readings"]
        if reading["verdict"] in RIGOROUS and (row["id"], reading["name"]) not in carried
    ]
