"""A folder beside the pages of its record: what is missing, strange, too large or drawn otherwise."""

import signal
import threading

import pytest

from verify.recheck import folder, limits, program
from verify.recheck.errors import Refused
from verify.recheck.folder import Comparison, compare_folder, strangers

PAGES = {"index.html": b"words", "figures/a.svg": b"<svg><path d='M 1'/></svg>"}


def nothing(source, content):
    """No PDF is compared here."""
    raise AssertionError("there is no PDF")


@pytest.fixture
def report(tmp_path):
    (tmp_path / "figures").mkdir()
    for name, page in PAGES.items():
        (tmp_path / name).write_bytes(page)
    (tmp_path / "record.json").write_text("{}")
    return tmp_path


def test_a_folder_with_its_pages_and_data_is_confirmed(report):
    found = compare_folder(report, PAGES, ["record.json"], nothing)
    assert found == Comparison("2 pages are those of the record", ())


def test_what_is_missing_or_strange_is_named_and_not_counted(report):
    (report / "figures" / "a.svg").unlink()
    (report / "more").mkdir()
    (report / "figures" / "b.svg").touch()
    found = compare_folder(report, PAGES, ["record.json", "paper.json"], nothing)
    assert found.confirmed == "1 pages are those of the record"
    assert found.unconfirmed == (
        "more: no page of the record", "figures/b.svg: no page of the record", "paper.json: missing",
        "figures/a.svg: missing",
    )  # fmt: skip


def test_a_page_is_read_up_to_twice_its_length(report, monkeypatch):
    read = []
    monkeypatch.setattr(folder, "same_page", lambda name, content, page: read.append(content))
    (report / "index.html").write_bytes(b"x" * 99)
    found = compare_folder(report, {"index.html": b"words"}, ["record.json"], nothing)
    assert read == [b"x" * 10]
    assert "index.html: drawn with other lines than here" in found.unconfirmed


def test_a_thousand_names_of_a_folder_are_read(tmp_path, monkeypatch):
    assert folder.MOST_NAMES == 1000
    for name in "abc":
        (tmp_path / name).touch()
    monkeypatch.setattr(folder, "MOST_NAMES", 2)
    assert len(list(strangers(tmp_path, []))) == 0
    assert len(list(strangers(tmp_path, ["other"]))) == 2


@pytest.mark.parametrize(("size", "fault"), [(8, ""), (9, "more than 8 bytes")])
def test_a_compiled_erratum_is_read_up_to_its_largest_size(size, fault, tmp_path, monkeypatch):
    assert folder.LARGEST_PDF == 4 * 1024 * 1024
    monkeypatch.setattr(folder, "LARGEST_PDF", 8)
    (tmp_path / "erratum.pdf").write_bytes(b"x" * size)
    (tmp_path / "erratum.tex").write_bytes(b"words")
    asked = []
    found = compare_folder(
        tmp_path, {"erratum.tex": b"words"}, [], lambda *both: asked.append(both) or ""
    )
    assert asked == ([] if fault else [("words", b"x" * 8)])
    assert found.unconfirmed == ((f"erratum.pdf: {fault}",) if fault else ())
    assert ("has the words of" in found.confirmed) is not bool(fault)


def test_a_compiled_erratum_that_takes_too_long_is_not_confirmed(tmp_path):
    for name in ("erratum.pdf", "erratum.tex"):
        (tmp_path / name).write_bytes(b"words")

    def endless(source, content):
        raise Refused("not within its time")

    found = compare_folder(tmp_path, {"erratum.tex": b"words"}, [], endless)
    assert found.unconfirmed == ("erratum.pdf: it cannot be read in time",)


def test_a_page_that_may_not_be_read_is_not_confirmed(report, monkeypatch):
    monkeypatch.setattr(folder.os, "access", lambda path, how: path.name != "index.html")
    found = compare_folder(report, PAGES, ["record.json"], nothing)
    assert found.unconfirmed == ("index.html: it may not be read",)


@pytest.mark.parametrize(("count", "last"), [(20, "line 19"), (21, "1 more"), (23, "3 more")])
def test_twenty_lines_are_printed_and_the_others_counted(count, last):
    lines = tuple(f"line {number}" for number in range(count))
    found = list(program._unconfirmed_lines(Comparison("", lines)))
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
