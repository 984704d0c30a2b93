"""Layers: which package may import which; and rules that hold for every module."""

import ast
import importlib.util
import os
import re
import sys
from functools import cache
from pathlib import Path

import pytest

import assay
import constructions
import reports
import verify

# What each package may import besides itself. The longest name that fits a module is its layer; a
# module that fits none is an error.
CORE = {"constructions", "constructions.core"}
MATTER = CORE | {"constructions.arithmetic", "constructions.automata"}
USE = MATTER | {"constructions.files", "constructions.running"}
FIRST = USE | {"constructions.theorem1"}
BLOCKS = FIRST | {"constructions.blocks"}
LARGER = (
    "theorem2",
    "theorem3",
    "logdepth",
    "decoder",
    "decoder_tree",
    "language_model",
    "ngram_model",
    "normalised",
)
THEOREMS = {f"constructions.{name}" for name in LARGER}
BUILT = BLOCKS | THEOREMS | {"constructions.variants"}
EXPORTED = BUILT | {f"constructions.{name}" for name in ("modules", "circuits", "exports")}
JUDGED = {"verify.judge"}
COMPUTED = EXPORTED | {"verify.bounds", "verify.exactness", "verify.experiments", "verify.coq"}
REGISTERED = JUDGED | {"verify.facts.registry"}
RECORDED = COMPUTED | REGISTERED | {"verify", "verify.facts", "verify.record", "reports"}
SHOWN = {"reports.automaton", "verify.display"}
ALL = RECORDED | SHOWN | {"verify.automaton", "verify.circuits", "verify.recheck"}
LAYERS: dict[str, set[str]] = {
    "constructions": set(),
    "constructions.core": CORE,
    "constructions.arithmetic": CORE,
    "constructions.automata": CORE,
    "constructions.files": MATTER,
    "constructions.running": MATTER,
    "constructions.theorem1": USE,
    "constructions.blocks": FIRST,
    **dict.fromkeys(THEOREMS, BLOCKS | THEOREMS),
    "constructions.variants": BUILT,
    "constructions.modules": BUILT,
    "constructions.circuits": BLOCKS,
    "constructions.exports": EXPORTED,
    "reports": set(),
    "reports.automaton": {"reports"},
    "verify": set(),
    "verify.judge": set(),
    "verify.paper": set(),
    "verify.template": {"assay"},
    "verify.coq": BUILT,
    "verify.coq.graph": {"verify.coq", "reports"},
    "verify.bounds": BUILT,
    "verify.exactness": BUILT | {"verify.bounds"},
    "verify.experiments": BUILT,
    "verify.display": USE,
    "verify.facts.registry": JUDGED,
    "verify.evidence": REGISTERED | {"verify.coq"},
    "verify.facts": COMPUTED | REGISTERED,
    "verify.record": RECORDED | {"verify.evidence"},
    "verify.rejudge": RECORDED | {"verify.recheck"},
    "verify.recheck": JUDGED | {"verify.coq"},
    "verify.automaton": RECORDED | {"verify.display"},
    "verify.circuits": RECORDED | {"verify.automaton", "verify.display"},
    "verify.commands": ALL | {"verify.rejudge"},
    "verify.cli": CORE | {"verify.commands", "verify.display"},
    "verify.__main__": {"verify.cli"},
    "assay": ALL,
}
# The wording of a sentence and the names of the formats are what both looks at a record share; Coq
# is run by the program's own package, and only when it is asked for.
SHARED_WITH_RECHECK = {
    *("verify.judge.schemas", "verify.judge.sentence"),
    *("verify.coq.compile", "verify.coq.sources"),
}
PACKAGES = (assay, constructions, reports, verify)
OURS = {package.__name__ for package in PACKAGES}


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@cache
def nodes(path: Path) -> list[ast.AST]:
    return list(ast.walk(parsed(path)))


@cache
def is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


@cache
def imported(path: Path) -> frozenset[str]:
    """The modules that a file imports: `from package import module` names the module, not the package."""
    names: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= from_import(path, node)
    return frozenset(names)


def from_import(path: Path, node: ast.ImportFrom) -> set[str]:
    if node.level or not node.module:
        raise AssertionError(
            f"{path}:{node.lineno}: a relative import hides which package is meant"
        )
    if node.module.partition(".")[0] not in OURS:
        return {node.module}
    inside = {alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    return {full if is_module(full) else node.module for full in inside.values()}


def sources(package) -> list[Path]:
    return sorted(Path(package.__path__[0]).rglob("*.py"))


def module_name(package, path: Path) -> str:
    inside = path.relative_to(package.__path__[0]).with_suffix("")
    return ".".join([package.__name__, *(p for p in inside.parts if p != "__init__")])


def layer(module: str) -> str:
    """Return the layer of a module; the top packages hold no other module."""
    fitting = [name for name in LAYERS if module == name or module.startswith(f"{name}.")]
    longest = max(fitting, key=len, default="")
    if longest in OURS - {"reports", "assay"} and module != longest:
        raise AssertionError(f"{module} is in no layer")
    return longest


def violations(module: str, path: Path) -> list[str]:
    """The imports of a module that its layer may not have."""
    own = layer(module)
    foreign = [name for name in imported(path) if name.partition(".")[0] in OURS]
    return [name for name in foreign if layer(name) not in LAYERS[own] | {own}]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda p: p.__name__)
def test_every_module_imports_lower_layers_only(package):
    for path in sources(package):
        module = module_name(package, path)
        assert not violations(module, path), f"{module}: {violations(module, path)}"


def test_no_layer_lies_above_itself():
    """Layers that may import each other are one layer, and only the theorems are."""
    for name, below in LAYERS.items():
        loops = {other for other in below - {name} if name in LAYERS[other]}
        assert not loops or name in THEOREMS, (name, loops)


def test_a_command_imports_no_other_command():
    for path in sources(verify):
        module = module_name(verify, path)
        if layer(module) == "verify.commands":
            others = {name for name in imported(path) if name.startswith("verify.commands.")}
            assert not others, f"{module} imports {others}"


def test_the_rechecker_imports_the_standard_library_alone():
    for path in sources(verify):
        if path.relative_to(verify.__path__[0]).parts[0] == "recheck":
            for name in imported(path):
                top = name.partition(".")[0]
                own = name.startswith("verify.recheck") or name in SHARED_WITH_RECHECK
                assert top in sys.stdlib_module_names or own, f"{path} imports {name}"


# What judges and renders a paper's record knows papers and no automata.
ANY_PAPER = ("verify.judge", "reports")
OF_OUR_PAPER = re.compile(r"automat|transformer|\bwfa\b|pautomac|rizvi|hmm", re.IGNORECASE)


def sources_for_any_paper() -> list[tuple[str, Path]]:
    named = [(module_name(p, path), path) for p in (verify, reports) for path in sources(p)]
    code = [(name, path) for name, path in named if layer(name) in ANY_PAPER]
    folder = Path(reports.__path__[0]) / "templates"
    return code + [(path.name, path) for path in sorted(folder.iterdir())]


def reached(names: set[str]) -> set[str]:
    """All modules of ours that some modules import, directly or by others."""
    paths = {module_name(p, path): path for p in PACKAGES for path in sources(p)}
    found: set[str] = set()
    pending = set(names)
    while pending:
        name = pending.pop()
        if name in paths and name not in found:
            found.add(name)
            pending |= {each for each in imported(paths[name]) if each.partition(".")[0] in OURS}
    return found


def test_the_judge_and_the_renderings_of_a_record_import_nothing_of_constructions():
    names = {name for name, path in sources_for_any_paper() if path.suffix == ".py"}
    assert len(names) > 20
    assert [name for name in sorted(reached(names)) if name.startswith("constructions")] == []
    assert "constructions.core.errors" in reached({"verify.record.plan"})


def test_the_judge_and_the_renderings_of_a_record_know_nothing_of_our_paper():
    for name, path in sources_for_any_paper():
        hit = OF_OUR_PAPER.search(path.read_text("utf-8"))
        assert hit is None, f"{name}: {hit[0] if hit else ''}"
    assert OF_OUR_PAPER.search(
        (Path(reports.__path__[0]) / "automaton" / "__init__.py").read_text()
    )


MUTANTS = {
    "a module of a layer above": "from verify import automaton",
    "a module of a layer above, from its package": "from verify.automaton import export",
    "a name of a module above": "from verify.automaton.export import export",
    "a module of a layer above, whole": "import verify.automaton.export",
    "a module inside a function": "def late():\n    from verify.record import runner",
    "another package": "from constructions.core.errors import InputError",
}


@pytest.mark.parametrize("line", MUTANTS.values(), ids=MUTANTS.keys())
def test_an_import_from_above_is_refused(tmp_path, line):
    mutant = tmp_path / "names.py"
    mutant.write_text(f"{line}\n")
    assert violations("verify.judge.names", mutant)


def test_a_relative_import_is_refused(tmp_path):
    mutant = tmp_path / "names.py"
    mutant.write_text("from . import model\n")
    with pytest.raises(AssertionError, match="relative import"):
        violations("verify.judge.names", mutant)


def test_a_module_in_no_layer_is_refused():
    with pytest.raises(AssertionError, match="in no layer"):
        layer("verify.loose")


def test_an_import_from_the_same_layer_or_below_is_allowed(tmp_path):
    allowed = tmp_path / "names.py"
    allowed.write_text("import json\nfrom verify.judge import data\n")
    assert not violations("verify.judge.names", allowed)


@pytest.mark.skipif("TOX_ENV_NAME" not in os.environ, reason="run by tox")
def test_the_tests_run_against_the_installed_package():
    assert "site-packages" in constructions.__file__


def test_every_module_has_a_docstring():
    for package in PACKAGES:
        for path in sources(package):
            assert ast.get_docstring(parsed(path)), path


def test_shipped_code_has_no_assert_and_never_evaluates_text():
    forbidden = {"eval", "exec", "sympify", "parse_expr"}
    for package in PACKAGES:
        for path in sources(package):
            for node in nodes(path):
                assert not isinstance(node, ast.Assert), path
                if isinstance(node, ast.Call):
                    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                    plain = name == "eval" and isinstance(node.func, ast.Attribute)
                    assert name not in forbidden or plain, f"{path}:{node.lineno} {name}"


# What is filled step by step: sums under way, an error that gets its file, the state of a training.
GROWING = {"Basis", "BatchedGame", "Best", "HiddenLayer", "InputError", "_Layers"}


def test_no_record_of_values_can_be_changed_after_it_is_made():
    """Every other dataclass is frozen, so that what was found cannot be altered on its way to a verdict."""
    for package in PACKAGES:
        for path in sources(package):
            for node in nodes(path):
                if isinstance(node, ast.ClassDef) and node.name not in GROWING:
                    made = [
                        ast.unparse(d) for d in node.decorator_list if "dataclass" in ast.unparse(d)
                    ]
                    assert all("frozen=True" in text for text in made), f"{path}: {node.name}"


def print_calls(path: Path) -> list[str]:
    """The calls by which a module prints past `verify.display`, which escapes what moves a cursor."""
    calls = [ast.unparse(node.func) for node in nodes(path) if isinstance(node, ast.Call)]
    return [name for name in calls if name in ("print", "sys.stdout.write", "Console")]


def test_commands_print_through_the_display_alone(tmp_path):
    for path in sources(verify):
        if layer(module_name(verify, path)) in ("verify.commands", "verify.automaton"):
            assert not print_calls(path), path
    mutant = tmp_path / "loud.py"
    mutant.write_text("print(1)\nimport sys\nsys.stdout.write('x')\n")
    assert len(print_calls(mutant)) == 2
