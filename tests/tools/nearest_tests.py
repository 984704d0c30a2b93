"""Which files have the tests of a source file, the nearest first; the mutation run asks for them.

Near    files of its room with its name; files that import it, ask `assay` for a name of it, or name a
        fact that it computes or confirms; of a command, files that call it by its name
Far     the same for the modules that import it, and for those that import one of these
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("assay", "constructions", "verify", "reports")
HOPS = 2


def sources(areas: Sequence[str]) -> list[Path]:
    """The Python files among some files and in some folders, each once."""
    found = (ROOT / area for area in areas)
    listed = ([path] if path.is_file() else sorted(path.rglob("*.py")) for path in found)
    return list(dict.fromkeys(path for paths in listed for path in paths))


def module_of(path: Path) -> str:
    """The dotted name of a source file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def public_names() -> dict[str, str]:
    """The module of each public name, by the names that `assay` imports for readers of types."""
    place = ROOT / "assay" / "__init__.py"
    nodes = ast.walk(ast.parse(place.read_text("utf-8"))) if place.exists() else []
    return {
        alias.asname or alias.name: name
        for node in nodes
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
        for name in (node.module, f"{node.module}.{alias.name}")
        if name in source_modules()
    }


@cache
def source_modules() -> dict[str, Path]:
    """Every module of the packages, by its dotted name."""
    return {module_of(path): path for path in sources(PACKAGES)}


@cache
def imports(path: Path) -> frozenset[str]:
    """Every module that a file names in an import, or asks `assay` for by a public name."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            found |= {f"{node.value.id}.{node.attr}"} if node.value.id == "assay" else set()
    asked = {name.removeprefix("assay.") for name in found if name.startswith("assay.")}
    return frozenset(found | {public_names()[name] for name in asked & set(public_names())})


@cache
def loads_by_name(path: Path) -> bool:
    """Whether a file imports modules whose names it computes."""
    return "import_module(" in path.read_text("utf-8")


def importers(module: str, folders: Sequence[str], pattern: str) -> list[Path]:
    """The files of some folders that import a module."""
    files = (path for folder in folders for path in sorted((ROOT / folder).rglob(pattern)))
    return [path for path in files if module in imports(path)]


def users(module: str) -> list[str]:
    """The modules that import one; of one that nobody imports, those beside it that load by name.

    `assay` imports everything: whoever asks it for a name counts as importing the name's module.
    """
    found = importers(module, PACKAGES, "*.py") + importers(module, ["tests/support"], "*.py")
    found = [path for path in found if path.parent != ROOT / "assay"]
    if not found and module in source_modules():
        found = list(filter(loads_by_name, sorted(source_modules()[module].parent.glob("*.py"))))
    return [path.stem if "tests" in path.parts else module_of(path) for path in found]


def called(command: str) -> list[Path]:
    """The files with tests that call a command by its name: main(["show", …]), or with a line "show …"."""
    call = re.compile(rf'[\[(]\s*"{command}",|"{command} [^"]*"')
    texts = {test: test.read_text("utf-8") for test in sorted((ROOT / "tests").rglob("test_*.py"))}
    return [test for test, text in texts.items() if "main(" in text and call.search(text)]


def naming_facts(path: Path) -> list[Path]:
    """The files with tests that name a fact which a source file computes or confirms."""
    facts = re.findall(r'^@(?:fact|confirms)\(\s*"([^"]+)"', path.read_text("utf-8"), re.MULTILINE)
    tests = sorted(ROOT.joinpath("tests").rglob("test_*.py")) if facts else []
    return [test for test in tests if any(f'"{fact}"' in test.read_text("utf-8") for fact in facts)]


def tests_of(path: Path) -> list[Path]:
    """The files with the tests of a source file, the nearest first."""
    module = module_of(path)
    inside = path.relative_to(ROOT).parent
    mirrors = [f"tests/{inside}/test_{path.stem}.py", f"tests/{inside.parent}/test_{path.stem}.py"]
    found = [ROOT / name for name in mirrors if (ROOT / name).exists()]
    found += sorted((ROOT / "tests" / inside.parts[0]).rglob(f"test_{path.stem}.py"))
    near = importers(module, ["tests"], "test_*.py") + naming_facts(path)
    near += called(path.stem.rstrip("_")) if inside.name == "commands" else []
    found += sorted(near, key=lambda test: test.stat().st_size)
    if not found and not users(module) and len(inside.parts) > 1:
        found += sorted((ROOT / "tests" / inside).rglob("test_*.py"))  # loaded from elsewhere
    return list(dict.fromkeys(found))


def tests_of_users(path: Path) -> list[Path]:
    """The files with the tests of the modules that use a source file, then of those that use these."""
    room = ROOT / "tests" / path.relative_to(ROOT).parent
    found: list[Path] = []
    level, seen = [module_of(path)], {module_of(path)}
    for _ in range(HOPS):
        level = [user for module in level for user in users(module) if user not in seen]
        seen |= set(level)
        tests = [test for module in level for test in _tests_of_module(module)]
        found += sorted(tests, key=lambda test: (test.parent != room, test.stat().st_size))
    near = tests_of(path)
    return [test for test in dict.fromkeys(found) if test not in near]


@cache
def _tests_of_module(module: str) -> list[Path]:
    """The tests of a module, or of a file that tests share."""
    if module in source_modules():
        return tests_of(source_modules()[module])
    return importers(module, ["tests"], "test_*.py")


def function_at(path: Path, line: int) -> str:
    """The innermost function or class around a line; empty if there is none."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    nodes = [
        node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, kinds)
    ]
    around = [node for node in nodes if node.lineno <= line <= (node.end_lineno or line)]
    return max(around, key=lambda node: node.lineno).name if around else ""
