"""`verify recheck DIR`, or `python -m verify.recheck DIR`: confirm the facts, then judge again.

    1. read record.json and certificates.json, within limits of size, depth and kind of file
    2. every certificate that a binding asks for is there, once, and no other
    3. each is confirmed by a computation of the re-checker's own; what it cannot run is counted
       as taken on trust
    4. verdicts, standings, grades and findings are computed again from the bindings and compared
       with the record, statement texts included

Standard library only. A false statement is never confirmed; a true record that was changed in
any place is refused.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from verify.judge.sentence import sentence
from verify.recheck import judge
from verify.recheck.data import Data, Table, fingerprint, hash_of, key, read
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
ROW = {
    *("id", "title", "numbered", "form", "section", "places", "text", "says", "under", "limits"),
    *("repair", "cite", "rests_on", "same_as", "aliases", "answered_by", "ours", "hash"),
    *("verdict", "rank", "reading", "method", "scope", "because", "reason", "findings", "grade"),
    *("witness", "standing", "through", "readings", "inherited", "sentence"),
}
FROM_DATA = ("title", "form", "section", "text", "says")
NOT_RUN = "a run of this statement"
LISTS = ("places", "under", "limits", "rests_on", "aliases")


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
    _judge_again(record, data, worth, held, report)  # cheap, so it comes first
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


def _judge_again(
    record: Table, data: Data, worth: Mapping[str, str], held: Mapping[str, Table], report: Report
) -> None:
    rows = {row["id"]: row for row in record["statements"]}
    agree("number of statements", len(record["statements"]), len(rows))
    agree("statements", list(rows), list(data.statements))
    verdicts = {n: judge.verdict(s, data, worth) for n, s in data.statements.items()}
    standing = judge.standings(data, verdicts)
    findings = _findings(record, data, held)
    for name, row in rows.items():
        only(row, ROW)
        _same_statement(row, data.statements[name])
        _same_verdict(row, verdicts[name], standing[name])
        agree(f"{name}: witness", row["witness"], _why(row, findings))
        agree(f"{name}: sentence", row["sentence"], sentence(row, rows))
        _same_readings(row, data.statements[name], worth)
        report.statements += 1
        _same_twin(name, data, verdicts)
        _known_reason(row, data.statements[name], record)
    agree("answers", record["answers"], data.answers)
    _same_observations(record, data, held)
    _same_figures(record, data)


def _same_twin(name: str, data: Data, verdicts: Mapping[str, judge.Verdict]) -> None:
    """Statements that say the same have one verdict."""
    if twin := data.statements[name].get("same_as"):
        one, other = verdicts[name], verdicts[twin]
        agree(f"{name}: verdict beside {twin}", (one.rank, one.scope), (other.rank, other.scope))


def _known_reason(row: Table, entry: Table, record: Table) -> None:
    """Why nothing was decided: the reason of the data, a fact, or what the run did not have."""
    reason = row["reason"]
    facts = {f"{b['fact']} does not decide it" for b in entry.get("binding", ())}
    if reason in {"", entry.get("reason", "")} | facts:
        return
    lacking = set(reason.removeprefix("needs ").split(", "))
    if not reason.startswith("needs ") or not lacking <= {*record["missing"], NOT_RUN}:
        raise Refused(f"{row['id']}: the reason {brief(reason)} is not known")


def _same_observations(record: Table, data: Data, held: Mapping[str, Table]) -> None:
    agree("observations", [o["id"] for o in record["observations"]], list(data.observations))
    for row in record["observations"]:
        name, entry = f"observation {row['id']}", data.observations[row["id"]]
        certificate = held.get(judge.key_of(entry)) if entry.get("fact") else None
        wanted = entry.get("outcome", "holds") == "holds"
        seen = certificate is not None and certificate["holds"] is wanted
        shown = certificate["values"] if certificate is not None and seen else None
        plain_values = {k: judge.plain(v) for k, v in (shown or {}).items()}
        text = entry["text"] if shown is None else entry["text"].format_map(plain_values)
        for field, value in (("title", entry["title"]), ("text", text), ("seen", seen)):
            agree(f"{name}: {field}", row[field], value)


def _same_figures(record: Table, data: Data) -> None:
    agree("figures", [f["id"] for f in record["figures"]], list(data.figures))
    for row in record["figures"]:
        entry = data.figures[row["id"]]
        agree(f"figure {row['id']}: key", row["key"], judge.key_of(entry))
        for field, value in entry.items():
            agree(f"figure {row['id']}: {field}", row[field], value)


def _same_statement(row: Table, entry: Table) -> None:
    name = entry["id"]
    agree(f"{name}: hash", row["hash"], hash_of(entry))
    for field in FROM_DATA:
        agree(f"{name}: {field}", row[field], entry[field])
    for field in LISTS:
        agree(f"{name}: {field}", row[field], entry.get(field, []))
    for field, default in (("numbered", ""), ("same_as", ""), ("answered_by", ""), ("repair", None),
                           ("cite", {}), ("ours", False)):  # fmt: skip
        agree(f"{name}: {field}", row[field], entry.get(field, default))


def _same_verdict(row: Table, verdict: judge.Verdict, standing: tuple[str, str]) -> None:
    name = row["id"]
    for field, value in (
        ("rank", verdict.rank),
        ("verdict", verdict.word),
        ("reading", verdict.reading),
        ("method", verdict.method),
        ("scope", verdict.scope),
        ("grade", verdict.grade),
        ("findings", list(verdict.findings)),
        ("standing", standing[0]),
        ("through", standing[1]),
    ):
        agree(f"{name}: {field}", row[field], value)


def _same_readings(row: Table, entry: Table, worth: Mapping[str, str]) -> None:
    """The evidence listed under a statement is that of its bindings, each with its reason."""
    listed = [(r["name"], b) for r in row["readings"] for b in r["bindings"]]
    stated = sorted(
        (name, b["certificate"], b["because"], b["method"], b["scope"], b["expects"])
        for name, b in listed
    )
    bound = sorted(
        (
            b.get("reading", "printed"),
            judge.key_of(b),
            b["because"],
            b["method"],
            judge.scope(b),
            b.get("outcome", "holds"),
        )
        for b in entry.get("binding", ())
    )
    agree(f"{row['id']}: evidence", stated, bound)
    decisive = {b["because"] for b in entry.get("binding", ())} | {""}
    if row["because"] not in decisive:
        raise Refused(f"{row['id']}: its reason is that of no binding")


def _findings(record: Table, data: Data, held: Mapping[str, Table]) -> dict[str, Table]:
    rows = {row["id"]: row for row in record["findings"]}
    agree("findings", [row["id"] for row in record["findings"]], list(data.findings))
    for name, row in rows.items():
        entry = data.findings[name]
        for field in ("title", "grade", "printed", "why", "repair", "touches"):
            agree(f"finding {name}: {field}", row[field], entry[field])
        agree(f"finding {name}: figure", row["figure"], entry.get("figure", ""))
        agree(f"finding {name}: places", row["places"], entry.get("places", []))
        statement, number = entry["shown_by"]
        bound = data.statements[statement]["binding"][number - 1]
        certificate = held.get(judge.key_of(bound))
        agree(f"finding {name}: shown", row["shown"], certificate is not None)
        if certificate is not None:
            seen = {**certificate["values"], **(certificate["witness"] or {})}
            shown = {field: judge.plain(value) for field, value in seen.items()}
            agree(f"finding {name}: witness", row["witness"], entry["witness"].format_map(shown))
        else:
            expected = "the witness was not computed in this run"
            agree(f"finding {name}: witness", row["witness"], expected)
    return rows


def _why(row: Table, findings: Mapping[str, Table]) -> str:
    if row["rank"] not in ("refuted", "repaired"):
        return ""
    graded = [
        findings[n]["witness"] for n in row["findings"] if findings[n]["grade"] == row["grade"]
    ]
    return graded[0] if graded else ""
