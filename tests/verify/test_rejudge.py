"""A record of a folder is judged again before any command speaks from it."""

import json
from itertools import cycle

import pytest
from record_support import LIVE, SMALL, row_of

from verify.cli import BAD_INPUT, main
from verify.judge import schemas
from verify.recheck.data import fingerprint
from verify.record import chosen_paper, output

COMMANDS = {
    "cite": ["cite", "eq1"],
    "show": ["show", "eq1"],
    "list": ["list", "--json"],
    "findings": ["findings", "--json"],
    "tex": ["tex", "--sty", "."],
}


@pytest.fixture(params=COMMANDS)
def command(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return COMMANDS[request.param]


def write(folder, record, certificates):
    """A folder with this record, all digests made anew."""
    record["certificates"] = fingerprint(certificates)
    folder.mkdir()
    (folder / "record.json").write_text(json.dumps(record), "utf-8")
    (folder / "certificates.json").write_text(json.dumps(certificates), "utf-8")
    return str(folder)


def test_a_true_record_is_judged_again_and_its_facts_are_said_to_be_not_re_checked(
    command, tmp_path, capsys
):
    place = write(tmp_path / "true", *LIVE.copies())
    assert main([*command, "--from", place]) in (0, 1, 2)
    said = capsys.readouterr()
    assert said.err == (
        f"assay: {place}: its verdicts are judged again; its facts are not re-checked, "
        "`assay recheck` confirms them\n"
    )
    assert said.out and "re-checked" not in said.out


def proved(record, certificates):
    row = row_of(record, "eq1")
    row |= {
        "verdict": "proved",
        "rank": "proved",
        "standing": "proved",
        "grade": "",
        "findings": [],
    }


def reworded(record, certificates):
    row_of(record, "eq1")["sentence"] = "Equation (1) of [1] holds [2]."


def another_version(record, certificates):
    record["assay"] = "0.3.0"


def another_paper(record, certificates):
    record["paper"]["title"] = "Another paper"


def another_source(record, certificates):
    record["paper"]["source"]["sha256"] = "0" * 64


def other_data(record, certificates):
    row_of(record, "eq1")["hash"] = "0" * 64


def no_finding(record, certificates):
    del record["findings"][0]


def a_lighter_finding(record, certificates):
    next(each for each in record["findings"] if each["grade"] == "material")["grade"] = "slip"


def no_field(record, certificates):
    del row_of(record, "eq1")["because"]


def no_header(record, certificates):
    del record["rechecker"]


def no_certificate(record, certificates):
    del certificates["certificates"][0]


def no_key(record, certificates):
    del certificates["certificates"][0]["key"]


FORGED = (
    *(proved, reworded, another_version, another_paper, another_source, other_data, no_finding),
    *(a_lighter_finding, no_field, no_header, no_certificate, no_key),
)


@pytest.mark.parametrize(
    ("change", "name"),
    list(zip(FORGED, cycle(COMMANDS), strict=False)),
    ids=lambda each: getattr(each, "__name__", each),
)
def test_no_command_speaks_from_a_record_that_its_facts_do_not_give(
    change, name, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    command = COMMANDS[name]
    record, certificates = LIVE.copies()
    change(record, certificates)
    assert main([*command, "--from", write(tmp_path / "forged", record, certificates)]) == BAD_INPUT
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1
    assert said.err.startswith("assay: ") and (
        "refused: " in said.err or "because is missing" in said.err
    )
    assert not (tmp_path / "assay.tex").exists()


def test_a_record_without_its_certificates_is_refused(command, tmp_path, capsys):
    place = write(tmp_path / "alone", *LIVE.copies())
    (tmp_path / "alone" / "certificates.json").unlink()
    assert main([*command, "--from", place]) == BAD_INPUT
    said = capsys.readouterr()
    assert said.out == "" and "certificates.json" in said.err


def test_whose_data_a_report_on_another_paper_was_judged_by_is_said(tmp_path, capsys):
    about = chosen_paper.choose(chosen_paper.TEMPLATE)
    output.write_report(tmp_path / "report", *SMALL.copies(), about.carried())
    assert main(["list", "--from", str(tmp_path / "report")]) == 2
    assert "judged by the data that the report carries" in capsys.readouterr().err
    mine = tmp_path / "mine"
    assert main(["new", str(mine)]) == 0
    (tmp_path / "report").rename(mine / "report")
    capsys.readouterr()
    assert main(["list", "--about", str(mine)]) == 0
    assert f"judged by the data of {mine}" in capsys.readouterr().err
    data = (mine / "statements.toml").read_text("utf-8")
    (mine / "statements.toml").write_text(data.replace("as pleasant as", "as dull as"), "utf-8")
    assert main(["list", "--about", str(mine)]) == BAD_INPUT
    assert "intro.pleasant: " in capsys.readouterr().err


def test_a_name_that_a_true_record_does_not_have_is_refused_in_one_line(tmp_path, capsys):
    place = write(tmp_path / "true", *LIVE.copies())
    assert main(["cite", "no such", "--from", place]) == BAD_INPUT
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1 and "STATEMENT" in said.err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[]", "paper.json: found no JSON object"),
        ('{"schema": "other"}', "paper.json: found the schema 'other'"),
        (
            json.dumps({"schema": schemas.PAPER, "files": {"paper.toml": "title = 1"}}),
            "paper.toml: ",
        ),
    ],
)
def test_data_that_a_report_carries_and_that_are_none_are_refused_in_one_line(
    tmp_path, capsys, content, said
):
    place = write(tmp_path / "report", *SMALL.copies())
    (tmp_path / "report" / "paper.json").write_text(content, "utf-8")
    assert main(["list", "--from", place]) == BAD_INPUT
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == 1
