"""A false record is never confirmed: forgeries with all digests made anew, over every kind.

Each forgery starts from the record and certificates of the small paper or of our own, changes one
thing, and computes every digest again, so that what refuses it is the mathematics or the judging and
never a hash.
"""

import copy
import json
import os
import subprocess
import sys

import pytest
from record_support import SMALL, certificate, row_of

from verify.recheck import files, program
from verify.recheck.data import hash_of, key
from verify.recheck.errors import Refused, Unreadable, fraction

pytestmark = pytest.mark.usefixtures("confirmed_once")


def test_no_statements_and_no_failing_statements_are_refused(paper):
    record, certificates = paper.copies()
    record["statements"] = []
    assert "statements" in paper.refused(record, certificates)
    record, certificates = paper.copies()
    record["statements"] = [r for r in record["statements"] if r["rank"] != "refuted"]
    paper.refused(record, certificates)


def test_twins_with_two_verdicts_are_refused(paper):
    name = next(n for n, s in paper.data.statements.items() if s.get("same_as"))
    data = copy.deepcopy(paper.data)
    data.statements[name]["same_as"] = paper.some("checked")
    record, certificates = paper.copies()
    row_of(record, name).update(same_as=paper.some("checked"), hash=hash_of(data.statements[name]))
    assert "beside" in paper.refused(record, certificates, data)


def test_a_certificate_dropped_doubled_or_of_another_fact_is_refused(paper):
    record, certificates = paper.copies()
    certificates["certificates"] = [
        c for c in certificates["certificates"] if c["fact"] != paper.kinds[0]
    ]
    assert "missing" in paper.refused(record, certificates)
    record, certificates = paper.copies()
    certificates["certificates"].append(certificates["certificates"][0])
    assert "twice" in paper.refused(record, certificates)
    record, certificates = paper.copies()
    for item in certificates["certificates"]:
        item.update(fact="cell.possible", parameters={"printed": "0.5", "cases": 2})
        item["key"] = key(item["fact"], item["parameters"])
    paper.refused(record, certificates)


def test_a_certificate_that_no_binding_asks_for_is_refused(paper):
    record, certificates = paper.copies()
    more = {**certificate(certificates, paper.kinds[0]), "parameters": {"most": 3}}
    more["key"] = key(more["fact"], more["parameters"])
    certificates["certificates"].append(more)
    certificates["certificates"].sort(key=lambda item: item["key"])
    assert "no binding uses it" in paper.refused(record, certificates)


def forged_data(paper, name, change):
    data = copy.deepcopy(paper.data)
    change(data.statements[name])
    record, certificates = paper.copies()
    row_of(record, name)["hash"] = hash_of(data.statements[name])
    return record, certificates, data


def test_data_that_let_a_finite_method_cover_everything_are_refused(paper):
    name = next(
        n
        for n, s in paper.data.statements.items()
        if s["form"] == "universal"
        and any(b["covers"] != "all" and "outcome" not in b for b in s.get("binding", ()))
    )

    def widen(statement):
        for binding in statement["binding"]:
            binding["covers"] = "all"

    paper.refused(*forged_data(paper, name, widen))


HOSTILE = {
    "float": b'{"schema": 1.5}',
    "infinity": b'{"schema": Infinity}',
    "nan": b'{"schema": NaN}',
    "deep": b"[" * 50_000,
    "twice": b'{"a": 1, "a": 2}',
    "list": b"[]",
    "bytes": b"\xff\xfe",
    "empty": b"",
    "huge number": b'{"a": 1e99999999}',
    "long integer": b'{"a": ' + b"9" * 100_000 + b"}",
    "a mark first": b"\xef\xbb\xbf{}",
    "two bytes a letter": '{"a": "b"}'.encode("utf-16-le"),
    "half a pair": b'{"a": "\\ud800"}',
    "no UTF-8": b'{"a": "\xe4"}',
}


BECAUSE = {
    "float": "a float",
    "infinity": "a float",
    "nan": "a float",
    "deep": "nested more than 40 deep",
    "twice": "a key occurs twice",
    "list": "no JSON object",
    "huge number": "a float",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_json_is_unreadable(name):
    with pytest.raises(Unreadable, match=BECAUSE.get(name, "no JSON: ")):
        files.parse(HOSTILE[name])


def test_links_devices_and_pipes_are_refused(tmp_path):
    for make in (
        lambda p: p.symlink_to("/dev/zero"),
        lambda p: os.mkfifo(p),
        lambda p: p.mkdir(),
    ):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        make(folder / "record.json")
        with pytest.raises(Unreadable, match="found no regular file, expected a file"):
            files.load(folder)


def test_a_name_cannot_fake_a_line_of_the_report(tmp_path, capsys):
    assert program.main(tmp_path / "x\n100 facts confirmed\x1b[2J") == 4
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and "\x1b" not in said.err


@pytest.mark.parametrize("text", ["x\n9 facts confirmed", "\x1b[2J", "\u202ex", "\x00", "\u2028"])
def test_no_text_of_a_record_can_fake_a_line_of_the_report(tmp_path, capsys, text):
    """Names of fields, ids and values of somebody's record, wherever they stand in a refusal."""
    observation = {**SMALL.record["observations"][0], "id": text}
    for change, status in (
        ({text: 1}, 1),
        ({"observations": [observation, *SMALL.record["observations"][1:]]}, 1),
        ({"code": text}, 1),
        ({"missing": {text: text}}, 1),
        ({"schema": text}, 4),
    ):
        (tmp_path / "record.json").write_text(json.dumps({**SMALL.record, **change}))
        (tmp_path / "certificates.json").write_text(json.dumps(SMALL.certificates))
        assert program.main(tmp_path, about=SMALL.about) == status
        said = capsys.readouterr()
        line = said.out if status == 1 else said.err
        assert line.startswith("refused: " if status == 1 else "assay: ")
        assert line.endswith("\n") and line[:-1].isprintable() and len(line) < 700


def test_a_certificate_that_takes_too_long_is_refused():
    from verify.recheck.limits import patience

    with pytest.raises(Refused, match="not confirmed within 1 s"), patience("slow", 1):
        while True:
            pass


def test_a_nul_in_a_name_is_refused(tmp_path):
    with pytest.raises(Refused):
        files.load(tmp_path / "a\0b")


def test_a_number_with_a_huge_exponent_is_refused_at_once():
    for text in ("1e99999999", "1E9", "9" * 5000):
        with pytest.raises(Refused, match="expected a rational"):
            fraction(text)


def test_the_program_by_itself_says_how_it_is_used():
    ended = subprocess.run(
        [sys.executable, "-m", "verify.recheck"],
        capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert ended.returncode != 0 and ended.stderr == "usage: python -m verify.recheck DIR\n"


def test_a_missing_folder_is_no_refused_record(tmp_path, capsys):
    assert program.main(tmp_path / "nothing") == 4
    said = capsys.readouterr()
    assert said.out == "" and "found No such file or directory, expected a file" in said.err


def test_one_fact_on_trust_is_one_fact():
    report = program.Report()
    report.trust.update({"torch": 1, "paper": 2})
    assert report.summary().endswith(
        "2 facts taken on trust (paper); 1 fact taken on trust (torch)"
    )
