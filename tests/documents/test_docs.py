"""Code and commands of README and docs print what the pages show; README agrees with the published record."""

import ast
import importlib
import io
import json
import re
import runpy
import subprocess
import sys
from contextlib import redirect_stdout
from html import escape
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest

import reports
from constructions import __version__
from reports.page_one import answers
from reports.view import view
from verify.cli import main

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
BLOCK = re.compile(r"^```(python|output)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CELL = re.compile(r"^```\{code-cell\} python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CONSOLE = re.compile(r"^```console\n\$ (.*?)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]


def examples(text: str) -> list[tuple[str, str]]:
    """Return each block of code with the output that the page shows for it."""
    found: list[tuple[str, str]] = []
    for kind, body in BLOCK.findall(text):
        if kind == "python":
            found.append((body, ""))
        else:
            found[-1] = (found[-1][0], body)
    return found


def differences(text: str) -> list[str]:
    """Return the blocks of a page whose output differs from the page."""
    names: dict[str, object] = {"__name__": "page"}
    wrong = []
    for code, expected in examples(text):
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(code, "page", "exec"), names)
        if printed.getvalue().rstrip() != expected.rstrip():
            wrong.append(f"{code}\nprinted\n{printed.getvalue()}\nexpected\n{expected}")
    return wrong


@pytest.mark.parametrize(
    ("page", "least"),
    [
        ("README.md", 1),
        ("docs/guide.md", 8),
        ("docs/model.md", 2),
        ("docs/decoder.md", 2),
        pytest.param("docs/hmm.md", 5, marks=pytest.mark.slow),
        ("docs/language.md", 2),
        ("docs/circuits.md", 2),
    ],
)
def test_blocks_of_a_page_print_what_it_shows(page: str, least: int) -> None:
    pytest.importorskip("torch")
    text = (ROOT / page).read_text("utf-8")
    assert len(examples(text)) >= least
    assert differences(text) == []


def test_a_page_with_wrong_output_is_noticed() -> None:
    page = "```python\nprint(1 + 1)\n```\n\n```output\n3\n```\n"
    assert len(differences(page)) == 1
    assert differences(page.replace("3", "2")) == []


def commands() -> list[tuple[str, str]]:
    return [found for page in PAGES for found in CONSOLE.findall(page.read_text("utf-8"))]


@pytest.mark.parametrize(("command", "expected"), commands(), ids=lambda text: text[:24])
def test_a_console_command_prints_what_the_page_shows(
    command: str, expected: str, program: dict[str, str]
) -> None:
    done = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, env=program, capture_output=True, text=True
    )
    assert done.stdout.rstrip() == expected.rstrip(), done.stderr


SHELL = re.compile(r"^```(sh|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRECISION_ROW = re.compile(r"(\w+ +\w+ +\d+ +\S+ +\S+ +)(\S+) +(\S+) *")


def same_line(shown: str, printed: str) -> bool:
    """Compare a line of a page with a printed one, of which it may be the beginning.

    The last two columns of a table of precision are measured in floating point, which depends on the
    processor: there both lines have the same decimal order, give or take one.
    """
    rows = PRECISION_ROW.fullmatch(shown), PRECISION_ROW.fullmatch(printed)
    if rows[0] is None or rows[1] is None:
        return printed.startswith(shown.partition("…")[0])
    numbers = [[float(row[i].replace("–", "nan")) for i in (2, 3)] for row in rows if row]
    return rows[0][1] == rows[1][1] and all(
        str(a) == str(b) == "nan" or 0.1 <= a / b <= 10 for a, b in zip(*numbers, strict=True)
    )


def test_only_measured_columns_may_differ_from_a_page() -> None:
    row = "decoder  float32   16  2.94e-6       –             1.31e-7       6.10"
    assert same_line(row, row.replace("1.31e-7", "1.42e-7").replace("6.10", "12.9"))
    assert not same_line(row, row.replace("2.94", "2.95"))
    assert not same_line(row, row.replace("1.31e-7", "1.42e-5"))
    assert not same_line(row, row.replace("6.10", "–"))


def follow(page: Path, program: dict[str, str], folder: Path) -> int:
    """Run a page's commands in order, in an empty folder, and return the number of blocks.

    Each line that the page shows must be the beginning of a line that the block above it printed.
    """
    env = {k: v for k, v in program.items() if k not in ("ASSAY_PAPER", "ASSAY_PAUTOMAC")}
    blocks = SHELL.findall(page.read_text("utf-8"))
    printed = ""
    for kind, text in blocks:
        if kind == "sh":
            done = subprocess.run(
                ["bash", "-ec", text], cwd=folder, env=env, capture_output=True, text=True
            )
            assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"
            printed = done.stdout
        else:
            for line in text.splitlines():
                if "ForCausalLM, " in line and not find_spec("transformers"):
                    continue  # the first line of an export names the class that ran
                if line.startswith("Measured on:") and not find_spec("transformers"):
                    continue
                assert any(same_line(line, each) for each in printed.splitlines()), line
    return len(blocks)


@pytest.mark.parametrize(
    ("page", "least"),
    [
        ("README.md", 4),
        pytest.param("docs/model.md", 6, marks=pytest.mark.slow),
        pytest.param("docs/precision.md", 2, marks=pytest.mark.slow),
    ],
)
def test_a_tutorial_prints_what_the_page_shows(
    page: str, least: int, program: dict[str, str], tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    assert follow(ROOT / page, program, tmp_path) >= least


def test_a_tutorial_with_wrong_output_is_noticed(program: dict[str, str], tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```sh\necho one; echo two\n```\n```text\ntwo\n```\n")
    assert follow(page, program, tmp_path) == 2
    page.write_text("```sh\necho one; echo two\n```\n```text\nwo\n```\n")
    with pytest.raises(AssertionError):
        follow(page, program, tmp_path)


@pytest.mark.slow
def test_the_tutorial_on_your_own_paper_prints_what_it_shows(
    program: dict[str, str], tmp_path: Path
) -> None:
    assert follow(DOCS / "your-paper.md", program, tmp_path) >= 10
    record = json.loads((tmp_path / "mine" / "report" / "record.json").read_text("utf-8"))
    rows = {row["id"]: row["verdict"] for row in record["statements"]}
    assert rows["cubes.1729"] == "proved" and record["base"] == ""


def test_there_are_commands_to_run() -> None:
    assert {command.split()[1] for command, _ in commands()} >= {"cite", "tex"}


def published() -> tuple[dict, dict]:
    folder = Path(reports.__file__).parent / "published"
    record, certificates = (
        json.loads((folder / name).read_text("utf-8"))
        for name in ("record.json", "certificates.json")
    )
    return record, certificates


def rows_of_the_answer(record: dict, certificates: dict) -> list[str]:
    return [
        f"| {one.name} | {one.permission[:1].lower()}{one.permission[1:]} | {one.about} "
        f"| {one.evidence} |"
        for one in answers(view(record, certificates))
    ]


def test_the_answer_of_the_readme_is_the_published_one() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    rows = rows_of_the_answer(*published())
    assert len(rows) == 10
    assert [row for row in rows if row not in text] == []


class Shown(list):
    """What the cells of a page show: stands in for IPython's display."""

    def display(self, value: object) -> None:
        markup = getattr(value, "_repr_html_", None)
        self.append(markup() if markup else str(value))


class HTML(str):
    """Stands in for IPython's class: markup that is shown as it is."""

    def _repr_html_(self) -> str:
        return str(self)


def cell_output(code: str, names: dict[str, object]) -> str:
    """What a cell prints and displays; as in a notebook, an expression at its end is displayed."""
    *body, last = ast.parse(code).body
    shown, printed = Shown(), io.StringIO()
    names["display"] = shown.display
    with redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "gallery", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "gallery", "eval"), names)
            if value is not None:
                shown.display(value)
        else:
            exec(compile(ast.Module([last], []), "gallery", "exec"), names)
    return printed.getvalue() + "\n".join(shown)


def test_the_gallery_runs_and_shows_every_published_figure_with_its_caption(
    drawn_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(version_info=(9, 0)))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(HTML=HTML))
    text = (DOCS / "gallery.md").read_text("utf-8")
    names: dict[str, object] = {"__name__": "gallery"}
    outputs = [cell_output(code, names) for code in CELL.findall(text)]
    assert len(outputs) == text.count("```{code-cell}") >= 6
    assert ["<svg" in output for output in outputs] == [True, False, True, False, False, True]
    for figure in published()[0]["figures"]:
        assert f"<b>{escape(figure['title'])}.</b> {escape(figure['caption'])}" in outputs[-1]
    assert outputs[-1].count("<figure>") == len(published()[0]["figures"])
    for line in outputs[-2].splitlines():
        _, found, exact = line.split()
        assert abs(float(found) - float(exact)) <= 1e-6


def test_every_page_of_the_site_is_in_one_list_of_the_home_page() -> None:
    home = (DOCS / "index.md").read_text("utf-8")
    listed = [
        name
        for block in re.findall(r"^```\{toctree\}\n(.*?)^```$", home, re.MULTILINE | re.DOTALL)
        for line in block.split("\n\n")[1].splitlines()
        for name in [line.partition("<")[2].rstrip(">") or line]
    ]
    pages = [*DOCS.glob("*.md"), *DOCS.glob("notebooks/*.ipynb")]
    there = {str(page.relative_to(DOCS).with_suffix("")) for page in pages} - {"index"}
    assert sorted(listed) == sorted(there)


def test_the_picture_is_what_its_script_draws_today(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    names = runpy.run_path(str(DOCS / "picture.py"))
    names["main"](tmp_path / "picture.svg")
    assert (tmp_path / "picture.svg").read_bytes() == (DOCS / "picture.svg").read_bytes()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_to_a_file_of_the_repository_has_its_file(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


ROW = re.compile(r"^\| `assay ([a-z]+)(.*?)` \| (.*) \|$", re.MULTILINE)


def test_the_page_of_commands_has_a_row_for_every_command_and_no_other() -> None:
    rows = [command for command, *_ in ROW.findall((DOCS / "commands.md").read_text("utf-8"))]
    folder = Path(importlib.import_module("verify.commands").__path__[0])
    there = {path.stem for path in folder.glob("[a-z]*.py")}
    assert sorted(rows) == sorted(there)


def test_options_of_the_page_of_commands_are_in_the_help(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for command, *texts in ROW.findall((DOCS / "commands.md").read_text("utf-8")):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        known = set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
        assert set(re.findall(r"--[a-z-]+", " ".join(texts))) <= known, command


def test_the_version_is_the_same_everywhere() -> None:
    assert f"version: {__version__}" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert json.loads((ROOT / "codemeta.json").read_text("utf-8"))["version"] == __version__
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.search(r"^## (\S+)", changes, re.MULTILINE)[1] == __version__


FIELDS = re.compile(r"^\| `assay (.*?json.*?)` \| an (array|object) \| (.*) \|$", re.MULTILINE)
FILES = {" A B ": " {0} {0} ", "FILE": "{0}", "length T": "length 2", "word W": "word 01"}


def printed_fields(command: str, capsys: pytest.CaptureFixture[str]) -> set[str]:
    """The fields of what a command prints as JSON, of its first entry if it is an array."""
    for placeholder, text in FILES.items():
        command = command.replace(placeholder, text)
    main(command.format(DOCS / "examples" / "wfa.json").split())
    found = json.loads(capsys.readouterr().out)
    return set(found[0] if isinstance(found, list) else found)


def test_programs_get_the_fields_that_the_page_names(capsys: pytest.CaptureFixture[str]) -> None:
    rows = FIELDS.findall((DOCS / "cite.md").read_text("utf-8"))
    assert len(rows) == 9
    for command, _, listed in rows:
        found = printed_fields(command, capsys)
        named = set(re.findall(r"[a-z_]+", re.sub(r"\(.*?\)", "", listed)))
        if listed.endswith("…"):
            assert named <= found
        elif not listed.startswith("those of"):
            assert named == found, command
