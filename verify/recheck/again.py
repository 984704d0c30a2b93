"""The record judged again: every verdict, finding and sentence computed from data and certificates.

verdicts     from the bindings and what the certificates are worth, by the re-checker's own rules
texts        those of the data; findings and observations with the values of their certificates
sentences    composed by the judge's code, the only code shared with it, and held by rules of
             the re-checker's own against what they must say (`said`)
"""

from __future__ import annotations

from collections.abc import Mapping

from verify.judge.sentence import sentence
from verify.recheck import judge
from verify.recheck.data import Data, Table, hash_of
from verify.recheck.errors import Refused, agree, brief, only
from verify.recheck.said import check_sentence

ROW = {
    *("id", "title", "numbered", "form", "section", "places", "text", "says", "under", "limits"),
    *("repair", "cite", "rests_on", "same_as", "aliases", "answered_by", "ours", "hash"),
    *("verdict", "rank", "reading", "method", "scope", "because", "reason", "findings", "grade"),
    *("witness", "standing", "through", "readings", "inherited", "sentence"),
}
FROM_DATA = ("title", "form", "section", "text", "says")
NOT_RUN = "a run of this statement"
LISTS = ("places", "under", "limits", "rests_on", "aliases")


def judge_again(
    record: Table, data: Data, worth: Mapping[str, str], held: Mapping[str, Table]
) -> int:
    """How many statements of a record come out as they are recorded; refuses at the first difference."""
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
        check_sentence(row)
        _same_readings(row, data.statements[name], worth)
        _same_twin(name, data, verdicts)
        _known_reason(row, data.statements[name], record)
    agree("answers", record["answers"], data.answers)
    _same_observations(record, data, held)
    _same_figures(record, data)
    return len(rows)


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
