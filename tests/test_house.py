"""Who may import whom, and where the package under test comes from."""

import ast
import os
import sys
from functools import cache
from pathlib import Path

import pytest

import constructions
import reports
import verify

ROOMS = {
    "constructions": {"constructions"},
    "reports": {"reports"},
    "verify": {"constructions", "reports", "verify"},
}
# The wording of a sentence is the one thing that both looks at a record share; Coq is run by the
# program's own room, and only when it is asked for.
SHARED_WITH_RECHECK = {"verify.judge.sentence", "verify.coq.compile", "verify.coq.sources"}
LAYERS = {
    "engines": {"engines", "bounds"},
    "bounds": {"bounds", "engines"},
    "coq": {"coq"},
    "experiments": {"experiments"},
    "facts": {"facts", "engines", "bounds", "coq", "experiments"},
    "inspect": {"inspect", "bounds"},
    "judge": {"judge"},
    "recheck": {"recheck"},
}
ALSO = {
    "facts": {"verify.judge.model", "verify.judge.coverage"},
    "inspect": {"verify.record.source", "verify.judge.paper", "verify.automaton.exporting"},
    "judge": {"verify.facts.found"},
    "recheck": {"verify.judge.sentence", "verify.coq.compile", "verify.coq.sources"},
}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(parsed(path)))


@cache
def imported(path: Path) -> set[str]:
    names = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module)
    return names


def sources(package) -> list[Path]:
    return sorted(Path(package.__path__[0]).rglob("*.py"))


@pytest.mark.parametrize("package", [constructions, reports, verify], ids=lambda p: p.__name__)
def test_a_room_imports_only_what_it_may(package):
    allowed = ROOMS[package.__name__]
    for path in sources(package):
        own = {name.partition(".")[0] for name in imported(path)} & set(ROOMS)
        assert own <= allowed, f"{path} imports {own - allowed}"


def test_the_rechecker_imports_the_standard_library_alone():
    for path in sources(verify):
        if path.relative_to(verify.__path__[0]).parts[0] == "recheck":
            for name in imported(path):
                top = name.partition(".")[0]
                own = name.startswith("verify.recheck") or name in SHARED_WITH_RECHECK
                assert top in sys.stdlib_module_names or own, f"{path} imports {name}"


def layer(name: str) -> str:
    return name.removeprefix("verify.").partition(".")[0]


@pytest.mark.parametrize("room", LAYERS)
def test_a_layer_of_verify_imports_only_what_lies_below_it(room):
    for path in sources(verify):
        if path.parent.name != room and room not in path.relative_to(verify.__path__[0]).parts[:1]:
            continue
        for name in imported(path):
            if name.startswith("verify.") and name not in ALSO.get(room, ()):
                assert layer(name) in LAYERS[room], f"{path} imports {name}"


def test_a_foreign_import_would_be_noticed(tmp_path):
    mutant = tmp_path / "mutant.py"
    mutant.write_text("import verify.record.runner\nfrom constructions import wfa\n")
    assert imported(mutant) == {"verify.record.runner", "constructions"}


@pytest.mark.skipif("TOX_ENV_NAME" not in os.environ, reason="run by tox")
def test_the_tests_run_against_the_installed_package():
    assert "site-packages" in constructions.__file__


def test_every_module_says_what_it_is():
    for package in (constructions, reports, verify):
        for path in sources(package):
            assert ast.get_docstring(parsed(path)), path


def test_shipped_code_has_no_assert_and_never_evaluates_text():
    forbidden = {"eval", "exec", "sympify", "parse_expr"}
    for package in (constructions, reports, verify):
        for path in sources(package):
            for node in nodes(path):
                assert not isinstance(node, ast.Assert), path
                if isinstance(node, ast.Call):
                    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                    plain = name == "eval" and isinstance(node.func, ast.Attribute)
                    assert name not in forbidden or plain, f"{path}:{node.lineno} {name}"


# What is filled step by step: sums under way, an error that gets its file, the state of a training.
GROWING = {"Basis", "Best", "Game", "Hidden", "InputError", "_Layers"}


def test_no_record_of_values_can_be_changed_after_it_is_made():
    """Every other dataclass is frozen, so that what was found cannot be altered on its way to a verdict."""
    for package in (constructions, reports, verify):
        for path in sources(package):
            for node in nodes(path):
                if isinstance(node, ast.ClassDef) and node.name not in GROWING:
                    made = [
                        ast.unparse(d) for d in node.decorator_list if "dataclass" in ast.unparse(d)
                    ]
                    assert all("frozen=True" in text for text in made), f"{path}: {node.name}"
