"""A folder beside the pages of its record: what is missing, strange, too large or drawn otherwise."""

import signal
import threading

import pytest

from verify.recheck import folder, limits, program
from verify.recheck.errors import Refused
from verify.recheck.folder import Comparison, compare_folder, strangers
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


def test_a_thousand_names_of_a_folder_are_read(tmp_path, monkeypatch):
    assert folder.MOST_NAMES == 1000
    for name in "abc":
        (tmp_path / name).touch()
    monkeypatch.setattr(folder, "MOST_NAMES", 2)
    assert len(list(strangers(tmp_path, []))) == 0
    assert len(list(strangers(tmp_path, ["other"]))) == 2


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


@pytest.mark.parametrize(("count", "last"), [(20, "line 19"), (21, "1 more"), (23, "3 more")])
def test_twenty_lines_are_printed_and_the_others_counted(count, last):
    lines = tuple(f"line {number}" for number in range(count))
    found = list(program.unconfirmed_lines(lines))
    assert found[:20] == [f"not confirmed: line {number}" for number in range(20)]
    assert len(found) == min(count, 21) and found[-1] == f"not confirmed: {last}"


def test_a_confirmation_has_twenty_seconds_and_leaves_no_alarm(monkeypatch):
    asked = []
    monkeypatch.setattr(limits.signal, "alarm", asked.append)
    with limits.patience("a.fact"):
        assert asked == [20]
    with pytest.raises(Refused, match=r"^a\.fact: no$"), limits.patience("a.fact", 3):
        raise Refused("no")
    assert asked == [20, 0, 3, 0]


def test_beside_the_main_thread_there_is_no_alarm(monkeypatch):
    asked, raised = [], []
    monkeypatch.setattr(limits.signal, "alarm", asked.append)

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


def test_the_alarm_of_before_rings_again_afterwards():
    before = signal.getsignal(signal.SIGALRM)
    with limits.patience("a.fact"):
        assert signal.getsignal(signal.SIGALRM) is not before
    assert signal.getsignal(signal.SIGALRM) is before
