"""The reference to the check: record, commit and address, each only where it is known."""

import configparser
import json
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

import constructions
from verify.cli import main
from verify.record import provenance
from verify.record.provenance import Provenance, commit_of, with_fields
from verify.record.source import record_path

ROOT = Path(__file__).parents[3]
ADDRESS = "https://example.org/assay"
ENTRY = "@misc{c,\n  title = {C},\n  note = {Version 1},\n}"


def entry_of(capsys, *options):
    main(["cite", "lem1", "--format", "bibtex", *options])
    return capsys.readouterr().out.partition("@misc{")[2]


@pytest.fixture
def repository(tmp_path):
    if shutil.which("git") is None:
        pytest.skip("git is not installed")

    def git(*words):
        command = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b", *words]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    git("init", "-q")
    (tmp_path / "file").write_text("one", "utf-8")
    git("add", "file")
    git("commit", "-qm", "one")
    return tmp_path, git("rev-parse", "HEAD")


# The record


def test_the_entry_names_the_digest_of_the_record_that_is_cited(capsys, tmp_path):
    digest = sha256(record_path(None).read_bytes()).hexdigest()
    assert f"record.json with SHA-256 {digest[:16]}" in entry_of(capsys)
    changed = record_path(None).read_text("utf-8") + "\n"
    (tmp_path / "record.json").write_text(changed, "utf-8")
    shutil.copy(record_path(None).with_name("certificates.json"), tmp_path)
    other = sha256(changed.encode()).hexdigest()
    assert f"record.json with SHA-256 {other[:16]}" in entry_of(capsys, "--from", str(tmp_path))


# The commit


def test_a_checkout_has_the_commit_that_git_names(repository):
    root, commit = repository
    assert commit_of(root) == commit[:12]


def test_a_checkout_with_changes_is_called_dirty(repository):
    root, commit = repository
    (root / "file").write_text("two", "utf-8")
    assert commit_of(root) == f"{commit[:12]}-dirty"


def test_a_folder_inside_another_repository_does_not_take_its_commit(repository):
    root, _ = repository
    inside = root / "site-packages"
    inside.mkdir()
    assert commit_of(inside) == ""


# The address


def test_without_an_address_no_entry_and_no_text_has_one(capsys):
    assert constructions.__url__ == ""
    assert "url" not in entry_of(capsys)
    main(["cite", "lem1"])
    assert (
        capsys.readouterr()
        .out.rstrip()
        .endswith(f"with SHA-256 {provenance.provenance(None).record}.")
    )


def test_an_address_is_a_field_of_the_entry_and_ends_the_text(capsys, monkeypatch):
    monkeypatch.setattr(constructions, "__url__", ADDRESS)
    assert f"  url = {{{ADDRESS}}},\n" in entry_of(capsys)
    main(["cite", "lem1"])
    assert (
        capsys.readouterr()
        .out.rstrip()
        .endswith(f"with SHA-256 {provenance.provenance(None).record}. {ADDRESS}")
    )


def test_metadata_and_citation_file_have_the_address_of_the_constant_or_none():
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", "utf-8")
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert config["metadata"].get("url", "") == constructions.__url__
    stated = [line for line in citation.splitlines() if line.startswith("repository-code:")]
    assert stated == (
        [f"repository-code: {constructions.__url__}"] if constructions.__url__ else []
    )
    codemeta = json.loads((ROOT / "codemeta.json").read_text("utf-8"))
    assert codemeta.get("codeRepository", "") == constructions.__url__
    assert f"title: {codemeta['name']}" in citation.splitlines()
    assert codemeta["license"].endswith(f"/{config['metadata']['license']}")


# Entries


def test_commit_and_record_stand_in_the_note_that_is_there():
    entry = with_fields(ENTRY, Provenance("ab", "cd", ADDRESS))
    assert entry == (
        "@misc{c,\n  title = {C},\n  note = {Version 1; commit cd; record.json with SHA-256 ab},\n"
        f"  url = {{{ADDRESS}}},\n}}"
    )


@pytest.mark.parametrize("entry", ["@misc{c}", "@misc{c,}", "@misc{c,\n}"])
def test_an_entry_without_a_note_gets_one(entry):
    assert with_fields(entry, Provenance("ab")) == (
        "@misc{c,\n  note = {record.json with SHA-256 ab},\n}"
    )
