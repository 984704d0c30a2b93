"""`verify recheck DIR`, or `python -m verify.recheck DIR`: confirm the facts, then judge again.

    1. read record.json and certificates.json, within limits of size, depth and kind of file
    2. every certificate that a binding asks for is there, once, and no other
    3. each is confirmed by a computation of the re-checker's own; what it cannot run is counted
       as taken on trust
    4. verdicts, standings, grades and findings are computed again from the bindings and compared
       with the record, statement texts included
    5. sentences are composed again by the judge's own code, the only code shared with it, and held
       by rules of the re-checker's own against what they must say (`said`)

Standard library only. A false statement is never confirmed; a true record that was changed in
any place is refused.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections import Counter
from pathlib import Path
from typing import Any

from verify.recheck.again import judge_again
from verify.recheck.data import Data, Table, fingerprint, key, read
from verify.recheck.errors import MALFORMED, Answer, Refused, agree, boolean, brief, escaped, only
from verify.recheck.kinds import confirmations, trusted
from verify.recheck.limits import patience

LARGEST_FILE = 64 << 20
DEEPEST = 40
BRACKET = re.compile(rb"[][{}]")
SCHEMA = "assay-record-2"
CERTIFICATES = "assay-certificates-2"
CERTIFICATE = {"key", "fact", "parameters", "method", "holds", "values", "witness"}
RECORD = {
    *("schema", "assay", "paper", "profile", "cluster", "missing", "certificates", "rechecker"),
    *("statements", "findings", "observations", "figures", "answers"),
}


def main(folder: Path, quiet: bool = False, coq: bool = False) -> int:
    """Recheck a folder; 0 if everything is confirmed, 1 otherwise."""
    try:
        record, certificates = load(folder)
        report = recheck(record, certificates, read(), coq)
    except Refused as error:
        print(f"refused: {escaped(error)}")
        return 1
    for line in report.lines if not quiet else []:
        print(line)
    print(report.summary())
    return 0


class Report:
    """What was confirmed and what was taken on trust."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.confirmed = 0
        self.trust: Counter[str] = Counter()
        self.statements = 0
        self.cluster = False

    def summary(self) -> str:
        """The last line: counts, and in so many words what was not run."""
        parts = [f"{self.confirmed} facts confirmed", f"{self.statements} statements judged again"]
        for need, count in sorted(self.trust.items()):
            parts.append(f"{count} facts taken on trust ({need})")
        used = "a cluster was used" if self.cluster else "no cluster was used"
        return "; ".join([*parts, f"that {used} is taken on trust"])


def load(folder: Path) -> tuple[Table, Table]:
    """The record and the certificates of a folder."""
    record, certificates = (parse(_content(folder, name)) for name in (
        "record.json", "certificates.json"))  # fmt: skip
    agree("schema of the record", record.get("schema"), SCHEMA)
    agree("schema of the certificates", certificates.get("schema"), CERTIFICATES)
    return record, certificates


def _content(folder: Path, name: str) -> bytes:
    """A regular file of the folder itself, not too large; links and devices are refused."""
    path = folder / name
    try:
        info = os.lstat(path)
        if not stat.S_ISREG(info.st_mode):
            raise Refused(f"{name} is no regular file")
        if info.st_size > LARGEST_FILE:
            raise Refused(f"{name} has {info.st_size} bytes, expected at most {LARGEST_FILE}")
        return path.read_bytes()
    except OSError as error:
        raise Refused(f"{brief(str(path))}: {error.strerror}") from None
    except ValueError as error:
        raise Refused(f"{brief(str(path))}: {error}") from None


def parse(content: bytes) -> Table:
    """A JSON object without floats, without duplicate keys, not too deep."""
    try:
        _not_too_deep(content)
        data = json.loads(
            content, parse_float=_no_float, parse_constant=_no_float, object_pairs_hook=_unique
        )
    except (ValueError, RecursionError, MemoryError) as error:
        raise Refused(f"no JSON: {type(error).__name__}: {brief(str(error))}") from None
    if not isinstance(data, dict):
        raise Refused("no JSON object")
    return data


def _not_too_deep(content: bytes) -> None:
    depth = 0
    for bracket in BRACKET.finditer(content):
        depth += 1 if bracket[0] in b"[{" else -1
        if depth > DEEPEST:
            raise ValueError(f"nested more than {DEEPEST} deep")


def _no_float(value: str) -> None:
    raise Refused(f"a float ({brief(value)})")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Refused("a key stands twice")
    return found


def recheck(record: Table, certificates: Table, data: Data, coq: bool = False) -> Report:
    """Refuse the record, or report what was confirmed."""
    try:
        return _recheck(record, certificates, data, coq)
    except MALFORMED as error:
        raise Refused(f"malformed: {type(error).__name__}: {brief(str(error))}") from None


def _recheck(record: Table, certificates: Table, data: Data, coq: bool) -> Report:
    only(record, RECORD)
    agree("digest of the certificates", record["certificates"], fingerprint(certificates))
    only(certificates, {"schema", "certificates"})
    held = _by_key(certificates["certificates"])
    report = Report()
    report.cluster = boolean(record, "cluster")
    worth = {name: _worth(each, held, data, record) for name, each in _asked(data).items()}
    strangers = sorted(set(held) - set(worth))
    if strangers:
        raise Refused(f"certificate {brief(strangers[0])}: no binding asks for it")
    report.statements = judge_again(record, data, worth, held)  # cheap, so it comes first
    for name, certificate in sorted(held.items()):
        _confirm(name, certificate, report, coq)
    return report


def _by_key(certificates: list[Table]) -> dict[str, Table]:
    held: dict[str, Table] = {}
    for certificate in certificates:
        only(certificate, CERTIFICATE)
        name = key(certificate["fact"], certificate["parameters"])
        agree("key of a certificate", certificate["key"], name)
        if name in held:
            raise Refused(f"certificate {brief(name)} stands twice")
        held[name] = certificate
    return held


def _asked(data: Data) -> dict[str, list[Table]]:
    """For each certificate the bindings, observations and figures that ask for it."""
    asked: dict[str, list[Table]] = {}
    bindings = [b for s in data.statements.values() for b in s.get("binding", ())]
    others = [*data.observations.values(), *data.figures.values()]
    for entry in [*bindings, *(o for o in others if o.get("fact"))]:
        asked.setdefault(key(entry["fact"], entry.get("parameters", {})), []).append(entry)
    return asked


def _worth(asking: list[Table], held: dict[str, Table], data: Data, record: Table) -> str:
    """Whether a certificate is there, decided, and as each binding expects it."""
    entry = asking[0]
    name = key(entry["fact"], entry.get("parameters", {}))
    if name not in held:
        _may_be_absent(asking, record)
        return "absent"
    certificate = held[name]
    for each in asking:
        if each.get("method"):
            agree(f"{name}: method", certificate["method"], each["method"])
        if "because" in each and certificate["holds"] is not None:
            wanted = each.get("outcome", "holds") == "holds"
            agree(f"{name}: outcome", certificate["holds"], wanted)
            if not wanted and not certificate["witness"]:
                raise Refused(f"{name}: a failure without a witness")
    return "open" if certificate["holds"] is None else "decided"


def _may_be_absent(asking: list[Table], record: Table) -> None:
    """A certificate may be absent only if the run lacked what its fact needs."""
    lacking = set(record["missing"])
    fact = asking[0]["fact"]
    needs = set(trusted().get(fact, ("", ""))[1].split()) | (
        {"full profile"} if all(e.get("profile") == "full" for e in asking) else set()
    )
    if not needs & lacking:
        raise Refused(
            f"the certificate of {fact} {brief(asking[0].get('parameters', {}))} is missing"
        )


def _confirm(name: str, certificate: Table, report: Report, coq: bool) -> None:
    fact = certificate["fact"]
    if fact not in confirmations() and fact not in trusted():
        raise Refused(f"{name}: no confirmation is known for {brief(fact)}")
    if fact in confirmations():
        declared, confirm = confirmations()[fact]
        agree(f"{name}: method", certificate["method"], declared)
        with patience(name):
            answer = confirm(certificate["parameters"], certificate)
        _same(name, certificate, answer)
    if fact in trusted():  # where both are declared, only a part could be confirmed
        declared, need = trusted()[fact]
        agree(f"{name}: method", certificate["method"], declared)
        _on_trust(name, certificate, need, report, coq)
        return
    report.confirmed += 1
    report.lines.append(f"confirmed: {name}")


def _on_trust(name: str, certificate: Table, need: str, report: Report, coq: bool) -> None:
    from verify.recheck.kinds import coq as proofs

    if certificate["fact"] == "coq.theorem":
        proofs.agrees_with_pin(certificate["parameters"], certificate["values"])
        if coq:
            proofs.compile_again(certificate["parameters"])
            report.confirmed += 1
            report.lines.append(f"confirmed by Coq: {name}")
            return
    report.trust[need] += 1
    report.lines.append(f"taken on trust ({need}): {name}")


def _same(name: str, certificate: Table, answer: Answer) -> None:
    agree(f"{name}: holds", certificate["holds"], answer.holds)
    agree(f"{name}: values", certificate["values"], plain(answer.values))
    agree(f"{name}: witness", certificate["witness"], plain(answer.witness))


def plain(value: Any) -> Any:
    """A value as JSON would give it back."""
    return json.loads(json.dumps(value))
