"""The JSON Schemas of `docs/schemas`: they accept what is written, and refuse what is changed."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from record_support import small

import assay
from constructions.exports.formats import NAMES
from constructions.files.reader import read_source

jsonschema = pytest.importorskip("jsonschema")

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "schemas"
EXAMPLES = ROOT / "constructions" / "examples"
SCHEMAS = {
    path.name.removesuffix(".schema.json"): json.loads(path.read_text("utf-8"))
    for path in FOLDER.glob("*.json")
}
ODD = {"unexpected": {"deeper": 0.25}}  # no format has such a value anywhere
Steps = tuple[str | int, ...]


def errors(name: str, document: Any) -> list[str]:
    found = jsonschema.Draft202012Validator(SCHEMAS[name]).iter_errors(document)
    return [f"{error.json_path}: {error.message[:200]}" for error in found]


def published(name: str) -> Any:
    return json.loads((ROOT / "reports" / "published" / f"{name}.json").read_text("utf-8"))


def short(document: Any, most: int = 2) -> Any:
    """The document with at most two elements of a list of records, so that a check is quick."""
    if isinstance(document, dict):
        return {key: short(value, most) for key, value in document.items()}
    if isinstance(document, list):
        cut = document[:most] if all(isinstance(each, dict) for each in document) else document
        return [short(each, most) for each in cut]
    return document


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Folders of a process, a DFA and a table of n-grams, in each format that this machine writes."""
    place = tmp_path_factory.mktemp("models")
    hmm, table = (read_source(EXAMPLES / f"{name}.json") for name in ("hmm", "ngram"))
    counting = assay.families.counting()
    orders = [
        (hmm, "next", "llama"),
        (assay.processes.mess3(), "next", "olmo2"),
        (table, "next", "gpt2"),
        *((counting, "states", name) for name in ("safetensors", "npz", "transformerlens")),
    ]
    return [
        assay.export(source, assay.Order(4, format=name, head=head), place / name).folder
        for source, head, name in orders
    ]


def test_each_schema_is_one_and_is_closed() -> None:
    assert sorted(SCHEMAS) == ["automaton", "certificates", "circuit", "model", "record"]
    for schema in SCHEMAS.values():
        jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("name", ["record", "certificates"])
def test_reports_are_accepted(name: str) -> None:
    assert errors(name, published(name)) == []
    for lacking in ((), ("coq",)):
        judged = small(lacking)
        assert errors(name, getattr(judged, name)) == []


def test_exported_folders_are_accepted(exported: list[Path]) -> None:
    circuits = 0
    for folder in exported:
        for file in folder.glob("*.json"):
            name = {"automaton.json": "automaton", "stream.json": "automaton"}.get(
                file.name, file.stem
            )
            if name in SCHEMAS:
                circuits += name == "circuit"
                assert errors(name, json.loads(file.read_text("utf-8"))) == [], file
    assert circuits >= 4
    formats = {json.loads((f / "model.json").read_text("utf-8"))["format"] for f in exported}
    assert formats == set(NAMES)


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.json")), ids=lambda f: f.stem)
def test_examples_of_automata_are_accepted(file: Path) -> None:
    assert errors("automaton", json.loads(file.read_text("utf-8"))) == []


def paths(document: Any, here: Steps = ()) -> list[Steps]:
    inside = document.items() if isinstance(document, dict) else enumerate(document)
    below = [(*here, key) for key, _ in inside]
    deeper = (
        paths(document[path[-1]], path)
        for path in below
        if isinstance(document[path[-1]], dict | list)
    )
    return below + [path for found in deeper for path in found]


def required(schema: Any) -> list[set[str]]:
    """The required keys of each closed object of a schema."""
    inside = (
        schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    )
    own = [set(schema["required"])] if isinstance(schema, dict) and "required" in schema else []
    return own + [found for each in inside for found in required(each)]


@pytest.fixture(scope="module")
def documents(exported: list[Path]) -> dict[str, list[Any]]:
    read = lambda path: json.loads(path.read_text("utf-8"))  # noqa: E731
    return {
        "record": [short(published("record"))],
        "certificates": [{"schema": c["schema"], "certificates": [c["certificates"][k] for k in (0, 40, 200)]}
                         for c in [published("certificates")]],
        "circuit": [short(read(file)) for folder in exported[:2] for file in folder.glob("circuit.json")],
        "model": [read(folder / "model.json") for folder in exported],
        "automaton": [read(path) for path in EXAMPLES.glob("*.json")],
    }  # fmt: skip


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_a_changed_type_a_missing_and_an_unknown_key_are_refused(
    documents: dict[str, list[Any]], name: str
) -> None:
    """At each place of a document; of the elements of a list, and of like places, at one."""
    closed, seen = required(SCHEMAS[name]), set()
    for document in documents[name]:
        for path in paths(document):
            kind = tuple("*" if isinstance(step, int) else step for step in path)
            if kind in seen:
                continue
            seen.add(kind)
            changed = copy.deepcopy(document)
            parent = changed
            for step in path[:-1]:
                parent = parent[step]
            old, parent[path[-1]] = parent[path[-1]], ODD
            assert errors(name, changed), path
            if any(path[-1] in keys <= set(parent) for keys in closed if isinstance(parent, dict)):
                del parent[path[-1]]
                assert errors(name, changed), path
                parent |= {path[-1]: old, "unexpected": old}
                assert errors(name, changed), path
