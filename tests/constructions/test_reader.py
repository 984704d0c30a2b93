"""Automata from files: what is read, and one clear line for whatever is not."""

import json
import os
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from constructions.errors import InputError
from constructions.families import counting
from constructions.reader import automaton_from, parse_json, read_automaton, to_json
from constructions.wfa import WFA
from constructions.wta import WTA

WFA_DATA: dict[str, Any] = {
    "kind": "wfa",
    "alpha": [0, 1],
    "transitions": {"a": [[1, 0], ["1/3", 0.25]]},
    "beta": [1, -1],
}
WTA_DATA: dict[str, Any] = {
    "kind": "wta",
    "alpha": [1],
    "tensor": [[["1/2"]]],
    "leaves": {"a": [1], "b": [1e-3]},
}


def stored(folder: Path, content: Any) -> Path:
    path = folder / "automaton.json"
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, encoding="utf-8")
    return path


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_automaton(path)
    line = str(caught.value)
    assert "\n" not in line
    assert str(path) in line
    assert len(line) < 400
    return line


def test_numbers_are_read_exactly(tmp_path: Path) -> None:
    automaton = read_automaton(stored(tmp_path, WFA_DATA))
    assert isinstance(automaton, WFA)
    assert automaton.matrix("a") == ((1, 0), (Fraction(1, 3), Fraction(1, 4)))
    assert automaton.beta == (1, -1)


def test_tree_automata_are_read(tmp_path: Path) -> None:
    automaton = read_automaton(stored(tmp_path, WTA_DATA))
    assert isinstance(automaton, WTA)
    assert automaton.weight(("a", "b")) == Fraction(1, 2000)


def test_decimals_keep_all_their_digits(tmp_path: Path) -> None:
    digits = "0." + "123456789" * 20
    text = json.dumps(WFA_DATA).replace("0.25", digits)
    automaton = read_automaton(stored(tmp_path, text))
    assert isinstance(automaton, WFA)
    assert automaton.matrix("a")[1][1] == Fraction(digits)


@pytest.mark.parametrize("automaton", [counting(), WTA.of([1], [[["-2/3"]]], {"<b>": [7]})])
def test_what_is_written_is_read_back(automaton: WFA | WTA, tmp_path: Path) -> None:
    assert read_automaton(stored(tmp_path, to_json(automaton))) == automaton


def test_a_link_to_a_file_is_followed(tmp_path: Path) -> None:
    link = tmp_path / "link.json"
    link.symlink_to(stored(tmp_path, WFA_DATA))
    assert isinstance(read_automaton(link), WFA)


def changed(data: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {key: value for key, value in {**data, **fields}.items() if value is not None}


@pytest.mark.parametrize(
    ("content", "culprit"),
    [
        (changed(WFA_DATA, beta=[1]), "beta"),
        (changed(WFA_DATA, beta=None), "beta"),
        (changed(WFA_DATA, alpha=[]), "alpha"),
        (changed(WFA_DATA, alpha="11"), "alpha"),
        (changed(WFA_DATA, alpha={"0": 1}), "alpha"),
        (changed(WFA_DATA, alpha=[1, None]), "alpha[1]"),
        (changed(WFA_DATA, alpha=[1, True]), "alpha[1]"),
        (changed(WFA_DATA, alpha=[1, [2]]), "alpha[1]"),
        (changed(WFA_DATA, alpha=[1, "two"]), "alpha[1]"),
        (changed(WFA_DATA, alpha=[1, "1/0"]), "alpha[1]"),
        (changed(WFA_DATA, transitions={}), "transitions"),
        (changed(WFA_DATA, transitions=[[1]]), "transitions"),
        (changed(WFA_DATA, transitions={"": [[1, 0], [0, 1]]}), "symbol"),
        (changed(WFA_DATA, transitions={"a": [[1, 0]]}), "transitions[a]"),
        (changed(WFA_DATA, transitions={"a": [[1, 0], [1]]}), "transitions[a][1]"),
        (changed(WFA_DATA, transitions={"a": "ab"}), "transitions"),
        (changed(WFA_DATA, transitions={"a": 7}), "transitions[a]"),
        (changed(WFA_DATA, gamma=1), "gamma"),
        (changed(WFA_DATA, kind="dfa"), "kind"),
        (changed(WFA_DATA, kind=["wfa"]), "kind"),
        (changed(WFA_DATA, kind=None), "kind"),
        (changed(WTA_DATA, tensor=[[[1], [1]]]), "tensor"),
        (changed(WTA_DATA, tensor=3), "tensor"),
        (changed(WTA_DATA, leaves={"[": [1]}), "leaves"),
        (changed(WTA_DATA, leaves={"a": [1, 2]}), "leaves[a]"),
        (changed(WTA_DATA, leaves={}), "leaves"),
        ([], "file"),
        ("", "line 1"),
        ("{", "line 1"),
        ('{"kind": "wfa",}', "line 1"),
        ("nonsense", "line 1"),
        ("null", "file"),
        ("17", "file"),
    ],
)
def test_the_field_at_fault_is_named(content: Any, culprit: str, tmp_path: Path) -> None:
    assert culprit in refusal(stored(tmp_path, content))


@pytest.mark.parametrize(
    "number",
    [
        "NaN",
        "Infinity",
        "-Infinity",
        '"nan"',
        '"inf"',
        '"1e999999999"',
        "1e999999999",
        "1e-999999999",
        "9" * 1_000_000,
        '"' + "9" * 1_000_000 + '"',
        "0." + "1" * 10**6,
    ],
)
def test_numbers_that_are_none_or_too_large_are_refused_quickly(
    number: str, tmp_path: Path
) -> None:
    text = json.dumps(WFA_DATA).replace("0.25", number)
    started = time.monotonic()
    assert "number" in refusal(stored(tmp_path, text)) or "transitions" in refusal(
        stored(tmp_path, text)
    )
    assert time.monotonic() - started < 5


def test_the_same_key_twice_is_refused(tmp_path: Path) -> None:
    text = json.dumps(WFA_DATA)[:-1] + ', "beta": [0, 0]}'
    assert "the key twice" in refusal(stored(tmp_path, text))


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    assert "nesting" in refusal(stored(tmp_path, "[" * 100_000))
    assert "nesting" in refusal(stored(tmp_path, '{"a":' * 50_000))


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bytes.json"
    path.write_bytes(b'{"kind": "\xff\xfe"}')
    assert "0xff at offset 10" in refusal(path)


def test_too_many_states_are_refused_before_memory_is_taken(tmp_path: Path) -> None:
    data = changed(WFA_DATA, alpha=[0] * 20_000, beta=[0] * 20_000)
    line = refusal(stored(tmp_path, data))
    assert "20000 states (400000000 numbers" in line
    tree = changed(WTA_DATA, alpha=[0] * 20_000)
    assert "8000000000000 numbers" in refusal(stored(tmp_path, tree))


def test_a_file_too_large_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(10 * 1024**3)
    assert "bytes" in refusal(path)


def directory(folder: Path) -> Path:
    return folder


def linked_directory(folder: Path) -> Path:
    (folder / "link").symlink_to(folder)
    return folder / "link"


def broken_link(folder: Path) -> Path:
    (folder / "link").symlink_to(folder / "nowhere")
    return folder / "link"


def endless_link(folder: Path) -> Path:
    (folder / "link").symlink_to(folder / "link")
    return folder / "link"


def missing(folder: Path) -> Path:
    return folder / "missing.json"


def below_a_file(folder: Path) -> Path:
    (folder / "file").write_text("{}")
    return folder / "file" / "automaton.json"


def pipe(folder: Path) -> Path:
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


def device(_: Path) -> Path:
    return Path("/dev/zero")


def long_name(folder: Path) -> Path:
    return folder / ("x" * 300)


PLACES = [
    directory, linked_directory, broken_link, endless_link, missing, below_a_file, pipe, device,
    long_name,
]  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_what_is_no_file_is_one_clear_line(place: Callable[[Path], Path], tmp_path: Path) -> None:
    path = place(tmp_path)
    with pytest.raises(InputError) as caught:
        read_automaton(path)
    assert "file: found" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    path = stored(tmp_path, WFA_DATA)
    path.chmod(0)
    assert "Permission denied" in refusal(path)


def test_a_file_that_cannot_be_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = stored(tmp_path, WFA_DATA)

    def denied(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", denied)
    assert "Permission denied" in refusal(path)


@pytest.mark.parametrize(
    "text", ["1e²", "٣", "1e+٣", "½", "１", "1e4000", "1e-4000", f"{'9' * 300}e3800"]
)
def test_a_number_that_could_not_be_written_again_is_refused(text):
    with pytest.raises(InputError, match="alpha"):
        WFA.of([text], {"a": [[1]]}, [1])


@pytest.mark.parametrize("text", ["1e3999", "1e-3999", f"{'9' * 4000}/{'7' * 3999}1", "-1e3999"])
def test_the_longest_numbers_are_written_and_read_again(text):
    automaton = WFA.of([text], {"a": [[1]]}, [1])
    assert automaton_from(parse_json(to_json(automaton))) == automaton


def test_a_product_too_long_to_be_written_is_refused():
    with pytest.raises(InputError, match="4000 digits"):
        to_json(WFA((Fraction(10) ** 5000,), {"a": ((Fraction(1),),)}, (Fraction(1),)))


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"start": ["1/2", "1/4"]}, "start"),
        ({"transitions": [["1/2", "1/4"], [0, 1]]}, "transitions[0]"),
        ({"transitions": [[1, 0], ["1/2", "1/4"]]}, "transitions[1]"),
        ({"emissions": {"a": ["1/2", "1/4"], "b": ["1/2", "1/4"]}}, "emissions of state 1"),
    ],
)
def test_an_hmm_is_refused_by_the_names_of_its_file(change, field):
    whole = {
        "kind": "hmm",
        "start": ["1/2", "1/2"],
        "transitions": [[1, 0], [0, 1]],
        "emissions": {"a": ["1/2", "1/4"], "b": ["1/2", "3/4"]},
    }
    automaton_from(whole)
    with pytest.raises(InputError) as refused:
        automaton_from({**whole, **change})
    assert refused.value.field == field
