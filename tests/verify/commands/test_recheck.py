"""`assay recheck`: the pages beside a record are compared with it, and statuses tell why."""

import json
import os
from decimal import Decimal

import pytest
from record_support import LIVE, SMALL

import reports
from verify.cli import main
from verify.coq import compile as coq
from verify.coq.sources import Refused as NotProved
from verify.recheck import pages, program
from verify.recheck.errors import Refused
from verify.recheck.program import JudgedPaper
from verify.recheck.shared import coq as kinds
from verify.record import chosen_paper, output, source

ABOUT = ["--about", str(chosen_paper.TEMPLATE)]


@pytest.fixture(scope="module")
def rendered():
    """What is rendered of the small paper's record, once."""
    return reports.render_all(SMALL.record, SMALL.certificates)


@pytest.fixture
def folder(tmp_path, monkeypatch, rendered):
    """The small paper's report, as a run writes it; its facts are not confirmed."""
    report = tmp_path / "report"
    carried = chosen_paper.choose(chosen_paper.TEMPLATE).carried()
    monkeypatch.setattr("reports.render_all", lambda *_: rendered)
    output.write_report(report, SMALL.record, SMALL.certificates, carried)
    monkeypatch.setattr(program, "confirm", lambda *_: None)
    return report


def test_the_folder_of_a_run_is_confirmed(folder, capsys, rendered):
    assert main(["recheck", str(folder), *ABOUT, "--quiet"]) == 0
    said = capsys.readouterr().out
    assert f"{len(rendered)} pages are those of the record" in said
    assert "not confirmed" not in said and "erratum.pdf" not in said


def unconfirmed(folder, capsys):
    """What `recheck` names as not confirmed; its status is of its own."""
    capsys.readouterr()
    assert main(["recheck", str(folder), *ABOUT, "--quiet"]) == 2
    lines = capsys.readouterr().out.splitlines()
    return [line.partition(": ")[2] for line in lines if line.startswith("not confirmed: ")]


# What can be done to a page, and what is said of it
HIDDEN = {
    "deleted": (lambda path: path.unlink(), "missing"),
    "a folder": (lambda path: path.unlink() or path.mkdir(), "no regular file"),
    "a link": (lambda path: path.symlink_to(path.rename(f"{path}.old")), "no regular file"),
    "a pipe": (lambda path: path.unlink() or os.mkfifo(path), "no regular file"),
}


@pytest.mark.parametrize("change", HIDDEN)
@pytest.mark.parametrize("name", ["index.html", "badge.svg", "figures/shares.svg"])
def test_a_page_that_is_not_there_is_not_confirmed(folder, capsys, name, change):
    hide, said = HIDDEN[change]
    hide(folder / name)
    assert f"{name}: {said}" in unconfirmed(folder, capsys)


@pytest.mark.parametrize(
    "name",
    [
        "index.htm",
        "erratum.pdf",
        "INDEX.HTML",
        "figures/new.svg",
        ".hidden",
        "erratum.log",
        "x\x1b[2J",
    ],
)
def test_a_file_that_the_record_does_not_give_is_not_confirmed(folder, capsys, name):
    (folder / name).write_text("everything holds", "utf-8")
    shown = name.encode("unicode_escape").decode()
    assert unconfirmed(folder, capsys) == [f"{shown}: no page of the record"]


def test_folders_of_others_and_linked_folders_are_not_confirmed(folder, capsys):
    (folder / "more").mkdir()
    assert unconfirmed(folder, capsys) == ["more: no page of the record"]
    (folder / "more").rmdir()
    (folder / "figures").rename(folder.parent / "elsewhere")
    (folder / "figures").symlink_to(folder.parent / "elsewhere")
    said = unconfirmed(folder, capsys)
    assert "figures: no page of the record" in said and "figures/shares.svg: missing" in said


def test_many_files_of_others_are_counted(folder, capsys):
    for number in range(30):
        (folder / f"{number}.html").touch()
    said = unconfirmed(folder, capsys)
    assert len(said) == 21 and said[-1] == "10 more"


def test_data_beside_a_report_that_are_not_those_of_the_given_folder_are_not_confirmed(
    folder, tmp_path, capsys
):
    mine = tmp_path / "mine"
    assert main(["new", str(mine)]) == 0
    with (mine / "statements.toml").open("a") as file:
        file.write("# a remark\n")
    capsys.readouterr()
    assert main(["recheck", str(folder), "--about", str(mine), "--quiet"]) == 2
    assert "not confirmed: paper.json: no page of the record" in capsys.readouterr().out
    (folder / "paper.json").unlink()
    assert main(["recheck", str(folder), "--about", str(mine), "--quiet"]) == 2
    assert "not confirmed: paper.json: missing" in capsys.readouterr().out


@pytest.mark.parametrize(
    "name", ["index.html", "report.md", "assay.tex", "junit.xml", "erratum.tex"]
)
def test_a_page_with_another_text_is_refused(folder, capsys, name):
    page = (folder / name).read_text("utf-8")
    (folder / name).write_text(page.replace("sum", "product", 1), "utf-8")
    assert main(["recheck", str(folder)]) == 1
    assert capsys.readouterr().out == f"refused: {name} is not the page of this record\n"


@pytest.mark.parametrize("content", [b"", b"<svg " * 200_000, b"<" * 10**6, b"x" * 10**7])
def test_a_hostile_page_is_refused_at_once(folder, content):
    (folder / "index.html").write_bytes(content)
    assert main(["recheck", str(folder)]) == 1


ACTIVE = (
    '<svg onload="document.body.innerHTML=1"></svg>',
    '<script href="data:text/javascript,alert(1)"/>',
    '<script xlink:href="#a"/>',
    '<image href="data:image/png;base64,AAAA"/>',
    '<use href="other.svg#proved"/>',
    '<a href="https://example.org" class="x"></a>',
    '<g onclick="x()"></g>',
    "<g onload=x()></g>",
    '<path style="fill: url(https://example.org/a.svg)"/>',
    '<path style="fill: u\\72l(#a)"/>',
    "<!--",
    "<!-- -->",
    '<set attributeName="href" to="x"/>',
    '<g id="\udcff\udcfe" \udcff="1"/>',
)


@pytest.mark.parametrize("more", ACTIVE)
@pytest.mark.parametrize("name", ["figures/shares.svg", "index.html"])
def test_a_drawing_cannot_say_by_an_element_what_its_words_do_not(folder, capsys, name, more):
    """Scripts, pictures, links and comments have no words, but change what a reader sees."""
    path = folder / name
    page = path.read_text("utf-8").replace("</svg>", f"{more}</svg>", 1)
    path.write_bytes(page.encode("utf-8", "surrogateescape"))
    assert main(["recheck", str(folder), *ABOUT, "--quiet"]) == 1
    assert capsys.readouterr().out.startswith(f"refused: {name}")


@pytest.mark.parametrize(
    ("old", "new"),
    [('d="M ', 'd="M 1'), ('d="M ', 'd="M 0 0 L ')],
)
def test_drawings_with_other_lines_are_named_as_not_confirmed(folder, capsys, rendered, old, new):
    for name in ("figures/shares.svg", "badge.svg"):
        path = folder / name
        path.write_text(path.read_text("utf-8").replace(old, new, 1), "utf-8")
    changed = [n for n, page in rendered.items() if (folder / n).read_bytes() != page]
    assert unconfirmed(folder, capsys) == [
        f"{n}: drawn with other lines than here" for n in changed
    ]
    assert main(["recheck", str(folder), *ABOUT, "--quiet"]) == 2
    said = capsys.readouterr().out
    assert f"{len(rendered) - len(changed)} pages are those of the record" in said


PAINT = "position:fixed;inset:0;z-index:9999;background:#fff"
PAINTED = (
    ("<svg ", f'<svg style="{PAINT} URL(data:image/png;base64,AAAA)" '),
    ("<svg ", f'<svg style="{PAINT} &#117;rl(data:image/png;base64,AAAA)" '),
    ("<svg ", f'<svg style="{PAINT} image-set(x)" '),
    ('style="', 'style="opacity: 0; '),
    ("stroke:", "stroke :"),
    ('href="#', 'href="#missing'),
)


@pytest.mark.parametrize(("old", "new"), PAINTED)
def test_a_value_that_our_drawings_have_not_is_refused(folder, capsys, old, new):
    """A style on a drawing could cover the whole page with another answer."""
    path = folder / "figures" / "shares.svg"
    page = path.read_text("utf-8")
    assert old in page
    path.write_text(page.replace(old, new, 1), "utf-8")
    assert main(["recheck", str(folder), *ABOUT, "--quiet"]) == 1
    assert capsys.readouterr().out.startswith("refused: figures/shares.svg")


@pytest.mark.parametrize(("off", "same"), [("0.000002", True), ("0.01", False), ("100", False)])
def test_lines_may_differ_in_their_last_digits_alone(off, same):
    page = b'<svg><path id="a-p0123456789" d="M 1.5 2"/></svg>'
    other = page.replace(b"1.5", str(Decimal("1.5") + Decimal(off)).encode())
    assert pages.same_page("x", other.replace(b"p0123456789", b"pabcdefabcd"), page) is same


def test_the_program_by_itself_says_that_pages_were_not_compared(folder, capsys):
    assert program.main(folder, quiet=True, about=SMALL.about) == 0
    assert "the pages of the folder were not compared" in capsys.readouterr().out


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"\xff\xfe{}", b"\xef\xbb\xbf{}", b'{"schema": "\\ud800"}', b"[1.5]"]
)
def test_what_is_no_record_ends_with_the_status_of_bad_input(folder, capsys, content):
    (folder / "record.json").write_bytes(content)
    assert main(["recheck", str(folder)]) == 4
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1
    assert "record.json: found " in said.err and ", expected " in said.err


def test_a_missing_folder_ends_with_the_status_of_bad_input(tmp_path, capsys):
    assert main(["recheck", str(tmp_path / "none")]) == 4
    said = capsys.readouterr()
    assert said.out == "" and "found No such file or directory, expected " in said.err


def test_a_record_that_was_changed_is_refused(folder, capsys):
    text = (folder / "record.json").read_text("utf-8")
    (folder / "record.json").write_text(
        text.replace('"rank": "refuted"', '"rank": "proved"'), "utf-8"
    )
    assert main(["recheck", str(folder)]) == 1
    assert capsys.readouterr().out.startswith("refused: ")


def test_without_coq_the_proofs_cannot_be_run_again(folder, monkeypatch, capsys):
    monkeypatch.setenv("PATH", "")
    assert main(["recheck", str(folder), "--coq"]) == 4
    assert "--coq: found no coqc, expected an installed Coq" in capsys.readouterr().err


def test_a_proof_with_a_gap_is_refused_in_one_line(folder, monkeypatch, capsys):
    def gap(names, folder, cache):
        raise NotProved("Lemma1.v: Admitted")

    kinds._all_are_established.cache_clear()
    monkeypatch.setattr(coq, "established", gap)
    monkeypatch.setattr("shutil.which", lambda name: name)
    monkeypatch.setattr(
        program, "confirm", lambda name, item, *_: kinds.compile_again({"theorem": name})
    )
    assert main(["recheck", str(folder), "--coq"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("refused: Coq does not confirm ") and out.endswith("Lemma1.v: Admitted\n")


# Whose data a record is judged by


def test_a_report_that_is_judged_by_the_data_that_it_carries_is_not_confirmed(folder, capsys):
    assert main(["recheck", str(folder), "--quiet"]) == 2
    first = capsys.readouterr().out.splitlines()[0]
    assert first.startswith("not confirmed: judged by the data that the report carries")
    holds = next(r["id"] for r in SMALL.record["statements"] if source.holds_as_printed(r))
    assert main(["cite", holds, "--from", str(folder)]) == 2


@pytest.mark.parametrize("change", ["title", "cyrillic", "key", "text", "bibtex", "url"])
@pytest.mark.parametrize("command", [["recheck"], ["cite", "intro.pleasant", "--from"]])
def test_carried_data_under_the_name_of_our_paper_are_refused(folder, capsys, change, command):
    """A report whose data differ from ours in the digest of the source only is no report of ours."""
    ours = LIVE.data.about
    texts = chosen_paper.choose(chosen_paper.TEMPLATE).carried()
    about, old = texts["paper.toml"], SMALL.data.about
    new = {"title": ours["title"], "cyrillic": ours["title"].replace("a", "\u0430", 2)}.get(change)
    if new:
        about = about.replace(json.dumps(old["title"]), json.dumps(new))
    elif change == "url":
        about = about.replace("venue =", f"url = {json.dumps(ours['url'])}\nvenue =", 1)
    elif change == "bibtex":
        about = about.replace(old["paper"]["bibtex"], ours["paper"]["bibtex"])
    else:
        about = about.replace(json.dumps(old["paper"][change]), json.dumps(ours["paper"][change]))
    assert about != texts["paper.toml"]
    carry(folder, **{"paper.toml": about})
    assert main([*command, str(folder)]) == 4
    assert "of this package's paper" in capsys.readouterr().err


def test_carried_theorems_without_their_proofs_are_refused(folder, capsys, monkeypatch):
    """Words such as "machine-checked" need proofs that somebody else can run."""
    carry(folder, **{"statements.json": "{}"})
    assert main(["cite", "intro.pleasant", "--from", str(folder)]) == 4
    assert "its pinned theorems are not those of its proofs" in capsys.readouterr().err
    about = JudgedPaper(SMALL.data, SMALL.about.code, None, "", carried=True)
    with pytest.raises(Refused, match="a machine-checked theorem without its proofs"):
        program.judge_record(SMALL.record, SMALL.certificates, about)


def test_a_report_is_judged_by_the_data_of_a_folder_that_is_given(folder, tmp_path, capsys):
    mine = tmp_path / "mine"
    assert main(["new", str(mine)]) == 0
    assert main(["recheck", str(folder), "--about", str(mine), "--quiet"]) == 0
    assert f"judged by the data of {mine}" in capsys.readouterr().out
    data = (mine / "statements.toml").read_text("utf-8")
    (mine / "statements.toml").write_text(data.replace("as pleasant as", "as dull as"), "utf-8")
    assert main(["recheck", str(folder), "--about", str(mine), "--quiet"]) == 1
    assert capsys.readouterr().out.startswith("refused: intro.pleasant: ")


def carry(folder, **files):
    """Change files that a report carries along."""
    carried = json.loads((folder / "paper.json").read_text("utf-8"))
    carried["files"] |= files
    (folder / "paper.json").write_text(json.dumps(carried), "utf-8")


def test_a_report_on_our_paper_cannot_bring_data_of_its_own(folder, capsys):
    texts = chosen_paper.choose(chosen_paper.TEMPLATE).carried()
    other, ours = SMALL.data.about["source"]["sha256"], LIVE.data.about["source"]["sha256"]
    carry(folder, **{"paper.toml": texts["paper.toml"].replace(other, ours)})
    assert main(["recheck", str(folder)]) == 4
    assert "only the package's data judge this one" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("statements.toml", "[[statement]", "statements.toml: "),
        ("paper.toml", "title = 1", "paper.toml: "),
        ("erratum.tex", r"\input{/etc/passwd}", "has no place in an erratum"),
    ],
)
def test_data_that_break_a_rule_are_bad_input(folder, capsys, name, text, said):
    carry(folder, **{name: text})
    assert main(["recheck", str(folder)]) == 4
    line = capsys.readouterr().err
    assert said in line and line.count("\n") == 1


def test_no_code_of_the_folder_that_is_read_is_run(folder, tmp_path, capsys, monkeypatch):
    monkeypatch.undo()
    mine, trace = tmp_path / "mine", tmp_path / "trace"
    main(["new", str(mine)])
    for name in ("facts.py", "confirmations.py"):
        with (mine / name).open("a") as file:
            file.write(f"\nopen({str(trace)!r}, 'a').write({name!r})\n")
    main(["recheck", str(folder), "--about", str(mine), "--quiet"])
    assert not trace.exists()
    assert "code of the paper's folder: squares.suffice" in capsys.readouterr().out
    assert main(["run", "--about", str(mine), "--jobs", "1"]) == 4
    assert "expected --trust" in capsys.readouterr().err and not trace.exists()
    assert main(["lint", "--about", str(mine)]) == 4 and not trace.exists()


def test_a_mark_that_is_not_there_is_not_confirmed():
    """Digests of ids may differ from machine to machine, but every use must mean the same mark."""
    page = b'<svg><path id="a-m0123456789" d="M 1 2"/><use href="#a-m0123456789" x="1"/></svg>'
    renamed = page.replace(b"m0123456789", b"mabcdefabcd")
    missing = page.replace(b'href="#a-m0123456789"', b'href="#a-mabcdefabcd"')
    assert pages.same_page("x", renamed, page) is True
    assert pages.same_page("x", missing, page) is False


@pytest.mark.parametrize("points", [b"M 1 2 L 3 ", b"M  2 L 3 4", b"M 1 2 L 3 4 5", b"M 1 2 L  "])
def test_a_drawing_with_a_number_less_or_more_is_not_confirmed(points):
    page = b'<svg><path d="M 1 2 L 3 4"/></svg>'
    assert pages.same_page("x", page, page) is True
    assert pages.same_page("x", page.replace(b"M 1 2 L 3 4", points), page) is False


def test_a_drawing_less_is_refused():
    page = b'<svg><path d="M 1 2"/></svg> and <svg><path d="M 1 2"/></svg>'
    with pytest.raises(Refused, match="is not the page"):
        pages.same_page("x", page.partition(b" and ")[0], page)
