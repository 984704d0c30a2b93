"""A folder beside the pages of its record: what is missing, strange, too large or drawn otherwise."""

import signal
import threading

import pytest

from verify.recheck import limits
from verify.recheck.errors import Refused
from verify.recheck.folder import Comparison, compare_folder
from verify.record.output import checksums

PAGES = {"index.html": b"words", "figures/a.svg": b"<svg><path d='M 1'/></svg>"}


@pytest.fixture
def report(tmp_path):
    (tmp_path / "figures").mkdir()
    for name, page in PAGES.items():
        (tmp_path / name).write_bytes(page)
    (tmp_path / "record.json").write_text("{}")
    return tmp_path


def test_a_folder_with_its_pages_and_data_is_confirmed(report):
    found = compare_folder(report, PAGES, ["record.json"])
    assert found == Comparison("2 pages are those of the record", ())


def test_what_is_missing_or_strange_is_named_and_not_counted(report):
    (report / "figures" / "a.svg").unlink()
    (report / "more").mkdir()
    (report / "figures" / "b.svg").touch()
    found = compare_folder(report, PAGES, ["record.json", "paper.json"])
    assert found.confirmed == "1 pages are those of the record"
    assert found.unconfirmed == (
        "more: no page of the record", "figures/b.svg: no page of the record", "paper.json: missing",
        "figures/a.svg: missing",
    )  # fmt: skip


@pytest.mark.parametrize("name", ["erratum.pdf", "figures/erratum.pdf", "INDEX.HTML"])
def test_a_compiled_erratum_is_no_part_of_a_confirmed_folder(report, name):
    """A PDF can show other words than its source; nothing of it is compared."""
    (report / name).write_bytes(b"%PDF-1.5")
    found = compare_folder(report, PAGES, ["record.json"])
    assert found.unconfirmed == (f"{name}: no page of the record",)


def test_digests_are_those_of_the_files(report):
    (report / "SHA256SUMS").write_bytes(checksums({**PAGES, "record.json": b"{}"}))
    assert not compare_folder(report, PAGES, ["record.json"]).unconfirmed
    (report / "record.json").write_text("{ }")
    found = compare_folder(report, PAGES, ["record.json"])
    assert found.unconfirmed == ("SHA256SUMS: digests of other files",)


def test_no_timer_is_set_beside_the_main_thread(monkeypatch):
    asked, raised = [], []
    monkeypatch.setattr(limits.signal, "setitimer", lambda *of: asked.append(of))

    def confirm():
        try:
            with limits.patience("a.fact"):
                raise ValueError("no number")
        except Refused as error:
            raised.append(str(error))

    thread = threading.Thread(target=confirm)
    thread.start()
    thread.join()
    assert asked == [] and raised == ["a.fact: malformed: ValueError: 'no number'"]


def test_the_handler_of_before_is_restored():
    before = signal.getsignal(signal.SIGPROF)
    with limits.patience("a.fact"):
        assert signal.getsignal(signal.SIGPROF) is not before
    assert signal.getsignal(signal.SIGPROF) is before
