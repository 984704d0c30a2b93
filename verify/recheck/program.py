"""`assay recheck DIR`, or `python -m verify.recheck DIR`: confirm the facts, then judge again.

    1. read record.json and certificates.json, within limits of size, depth and kind of file (`files`)
    2. the header is that of a run of this version on this paper (`header`)
    3. every certificate that a binding asks for is there, once, and no other, except what the run
       could not have (`evidence`); rows without one that no need explains are not confirmed
    4. all that follows from data and certificates (rows with their interpretations, findings, observations,
       figures, sentences) is built again and must be what the record holds, field by field (`rebuild`)
    5. each certificate is confirmed by a computation of the re-checker's own; what it cannot run is
       counted as taken on trust, though compared with the committed data where there are any
    6. the folder holds the pages of the record and nothing else (`folder`)

Standard library only. A false statement is never confirmed; a true record that was changed in
any place is refused. Results that cannot be computed again are named in the last line.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verify.recheck.confirmations import (
    FOLDER_CODE,
    OURS,
    TEMPLATE,
    confirmations,
    trust_reason,
    trust_reasons,
)
from verify.recheck.data import ERRATUM, Data, Table, fingerprint, key, read
from verify.recheck.errors import (
    MALFORMED,
    Recomputed,
    Refused,
    Unreadable,
    abbreviate,
    agree,
    one_line,
    only,
)
from verify.recheck.evidence import (
    NOT_RUN,
    Evidence,
    entries_by_key,
    gather,
    has_long_facts,
)
from verify.recheck.files import load
from verify.recheck.folder import Comparison
from verify.recheck.header import check_header, claims_on_trust
from verify.recheck.limits import patience
from verify.recheck.rebuild import judge_again
from verify.recheck.shared.coq import compile_again

CONFIRMED, REFUSED, UNCONFIRMED, BAD_INPUT = 0, 1, 2, 4
RECORD = {
    *("schema", "assay", "paper", "profile", "missing", "certificates", "rechecker"),
    *("statements", "findings", "observations", "figures", "answers", "base", "code", "erratum"),
    *("trust", "conditions"),
}
COQ = "Coq, run by --coq"
COQ_NOT_RUN = "Coq proofs: not re-run (use --coq)"
MOST_LINES = 20  # on what is not confirmed
Pages = Callable[[Path, Table, Table], Comparison]


def _not_compared(folder: Path, record: Table, certificates: Table) -> Comparison:
    return Comparison("the pages of the folder were not compared with it")


@dataclass(frozen=True)
class JudgedPaper:
    """The data by which a record is judged: a paper's, whose facts `code` confirms, with its proofs.

    `note` names the source of the data, if they are not those of the package; `carried` is true if
    the report itself contains them, so that no independent source supports them.
    """

    data: Data
    code: str = OURS
    proofs: Path | None = None
    note: str = ""
    carried: bool = False


def main(
    folder: Path,
    quiet: bool = False,
    coq: bool = False,
    pages: Pages = _not_compared,
    about: JudgedPaper | None = None,
    watch: AbstractContextManager[object] | None = None,
    verbose: bool = False,
) -> int:
    """Recheck a folder: 0 if it is confirmed, 1 if it is refused, 4 if it is no record.

    2 if something is not confirmed: of the files of the folder, which `pages` compares with the
    record, or of the record. `watch` is entered while it works, before anything is printed.
    `verbose` lists every certificate, `quiet` puts the summary on one line.
    """
    try:
        with watch or nullcontext():
            record, certificates = load(folder)
            about = about or JudgedPaper(read())
            report = recheck(record, certificates, about, coq)
            report.notes += [about.note] if about.note and not about.carried else []
            compared = pages(folder, record, certificates)
    except Unreadable as error:
        print(f"assay: {one_line(error)}", file=sys.stderr)
        return BAD_INPUT
    except Refused as error:
        print(f"refused: {one_line(error)}")
        return REFUSED
    report.notes.append(compared.confirmed)
    if about.carried:
        print(f"not confirmed: {about.note}")
    unconfirmed = [*report.unconfirmed, *compared.unconfirmed]
    for line in [*(report.lines if verbose else []), *unconfirmed_lines(unconfirmed)]:
        print(line)
    print(report.summary() if quiet else report.summary("\n  "))
    return UNCONFIRMED if unconfirmed or about.carried else CONFIRMED


def unconfirmed_lines(unconfirmed: Sequence[str]) -> Iterator[str]:
    """Yield a line for each thing that is not confirmed, for the first ones by name."""
    for line in unconfirmed[:MOST_LINES]:
        yield f"not confirmed: {line}"
    if len(unconfirmed) > MOST_LINES:
        yield f"not confirmed: {len(unconfirmed) - MOST_LINES} more"


class Report:
    """Counts of confirmed and trusted facts, with notes."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.unconfirmed: list[str] = []
        self.confirmed = 0
        self.trust: Counter[str] = Counter()
        self.statements = 0
        self.notes: list[str] = []

    def summary(self, between: str = "; ") -> str:
        """Return the counts, and the parts that were not run or not compared."""
        parts = [f"{_count(self.confirmed, 'fact')} confirmed, "
                 f"{_count(self.statements, 'statement')} judged again"]  # fmt: skip
        for need, count in sorted(self.trust.items()):
            taken = f"{_count(count, 'fact')} taken on trust ({need})"
            parts.append(f"{COQ_NOT_RUN}: {_count(count, 'fact')}" if need == COQ else taken)
        return between.join([*parts, *self.notes])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def recheck(record: Table, certificates: Table, about: JudgedPaper, coq: bool = False) -> Report:
    """Refuse the record, or report what was confirmed."""
    report = Report()
    evidence = judge_record(record, certificates, about)  # cheap, so it comes first
    with _well_formed():
        report.statements = len(record["statements"])
        report.unconfirmed += unexplained(evidence, about.data)
        names = entries_by_key(about.data)
        for name, certificate in sorted(evidence.held.items()):
            found = confirm(name, certificate, about, report, coq)
            report.lines.append(f"{found}{_of_statements(names[name])}")
        report.notes.extend(claims_on_trust(record))
    return report


def judge_record(record: Table, certificates: Table, about: JudgedPaper) -> Evidence:
    """Refuse a record that does not follow from the data and its certificates, which may be false."""
    data = about.data
    with _well_formed():
        only(record, RECORD)
        check_header(record, data.about, data.texts.get(ERRATUM, ""), has_long_facts(data))
        agree("digest of the certificates", record["certificates"], fingerprint(certificates))
        only(certificates, {"schema", "certificates"})
        evidence = gather(record, certificates, data)
        check_trust(record, {each["fact"] for each in evidence.held.values()}, about.code)
        judge_again(record, data, evidence)
        if about.carried and about.proofs is None:
            _nothing_machine_checked(evidence)
        return evidence


def _nothing_machine_checked(evidence: Evidence) -> None:
    """Refuse theorems without proofs that can be run."""
    for name, certificate in evidence.held.items():
        if certificate["method"].startswith("machine-checked"):
            raise Refused(f"{name}: a machine-checked theorem without its proofs; give --about DIR")


def unexplained(evidence: Evidence, data: Data) -> Iterator[str]:
    """Yield the unconfirmed parts: no evidence at all, or rows without evidence that no need explains."""
    if not evidence.held and evidence.lack:
        yield "the record: it has no certificate"
    for name, statement in data.statements.items():
        absent = [b["fact"] for b in statement.get("binding", ())
                  if evidence.lack.get(key(b["fact"], b.get("parameters", {}))) == NOT_RUN]  # fmt: skip
        if absent:
            yield f"{name}: no certificate of {absent[0]}, and no need that the run lacked"


def _of_statements(entries: Collection[Table]) -> str:
    """Return the statements, observations and figures that a certificate is for."""
    names = dict.fromkeys(str(entry["of"]) for entry in entries)
    return f" ({', '.join(names)})" if names else ""


@contextmanager
def _well_formed() -> Iterator[None]:
    """Refuse malformed data, whatever error Python raises for them."""
    try:
        yield
    except MALFORMED as error:
        raise Refused(f"malformed: {type(error).__name__}: {abbreviate(str(error))}") from None


def check_trust(record: Table, facts: Collection[str], code: str) -> None:
    """Check that the record names exactly the facts that are taken on trust, with their reasons.

    On another paper a run knows the template's confirmations and no others, whatever is used here.
    """
    stated = record["trust"]
    if strangers := sorted(set(stated) - set(facts)):
        raise Refused(f"trust: {abbreviate(strangers[0])} is no fact of the record")
    for fact in sorted(facts):
        reason, said = trust_reason(fact, code), stated.get(fact, "")
        if code == OURS or said not in (FOLDER_CODE, trust_reason(fact, TEMPLATE)):
            agree(f"trust: {fact}", said, reason)


def confirm(name: str, certificate: Table, about: JudgedPaper, report: Report, coq: bool) -> str:
    """Confirm a certificate or refuse it; count it, and return a line on it."""
    fact, known, trust = certificate["fact"], confirmations(about.code), trust_reasons(about.code)
    if fact not in known:
        return _trust_code(name, fact, about, report)
    declared, confirm = known[fact]
    agree(f"{name}: method", certificate["method"], declared)
    with patience(name):
        _same(name, certificate, confirm(certificate["parameters"], certificate, about.data))
    if coq and fact == "coq.theorem":
        compile_again(certificate["parameters"], about.proofs)
        report.confirmed += 1
        return f"confirmed by Coq: {name}"
    if fact in trust:
        report.trust[trust[fact]] += 1
        return f"taken on trust ({trust[fact]}): {name}"
    report.confirmed += 1
    return f"confirmed: {name}"


def _trust_code(name: str, fact: str, about: JudgedPaper, report: Report) -> str:
    """Count a fact of a paper's own code as trusted; refuse one of ours without a confirmation."""
    if about.code:
        raise Refused(f"{name}: no confirmation is known for {abbreviate(fact)}")
    report.trust[f"{FOLDER_CODE}: {one_line(ValueError(fact))}"] += 1
    return f"taken on trust ({FOLDER_CODE}): {name}"


def _same(name: str, certificate: Table, answer: Recomputed) -> None:
    agree(f"{name}: holds", certificate["holds"], answer.holds)
    agree(f"{name}: values", certificate["values"], as_json(answer.values))
    agree(f"{name}: witness", certificate["witness"], as_json(answer.witness))


def as_json(value: Any) -> Any:
    """A value as JSON would return it: keys are strings, and tuples are lists."""
    if isinstance(value, Mapping):
        return {str(name): as_json(each) for name, each in value.items()}
    return [as_json(each) for each in value] if isinstance(value, list | tuple) else value
