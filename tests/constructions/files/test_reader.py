"""Automata from files: what is read, and one clear line for whatever is not."""

import json
import os
import re
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructions.automata import limits
from constructions.automata.strategies import automata, tree_automata
from constructions.automata.wfa import WFA
from constructions.core.bounded_files import read_text
from constructions.core.errors import InputError
from constructions.files.reader import (
    DEEPEST,
    automaton_from_json,
    parse_json,
    read_automaton,
    to_json,
)

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


HMM_DATA: dict[str, Any] = {
    "kind": "hmm",
    "start": ["1/2", "1/2"],
    "transitions": [["1/4", "3/4"], [1, 0]],
    "emissions": {"x": ["1/3", 1], "y": ["2/3", 0]},
}
NEARLY = {**HMM_DATA, "start": ["1/2", "0.5000001"]}
PFA_DATA: dict[str, Any] = {
    "kind": "pfa", "initial": [1], "transitions": {"a": [["1/2"]]}, "final": ["1/2"],
}  # fmt: skip
DFA_DATA: dict[str, Any] = {
    "kind": "dfa", "states": 2, "start": 0, "accepting": [1], "transitions": {"a": [1, None]},
}  # fmt: skip
NFA_DATA: dict[str, Any] = {
    "kind": "nfa", "states": 2, "start": [0], "accepting": [1], "transitions": {"a": [[0, 1], [1, 1]]},
}  # fmt: skip


def automaton_of(data: dict[str, Any], **changes: Any) -> Any:
    return automaton_from_json(parse_json(json.dumps({**data, **changes})))


def test_every_kind_is_read() -> None:
    assert automaton_of(WFA_DATA).weight("a") == Fraction(1, 3) - Fraction(1, 4) + 0
    assert automaton_of(WTA_DATA).weight("[a b]") == Fraction(1, 2000)
    assert automaton_of(HMM_DATA).weight("x") == Fraction(1, 6) + Fraction(1, 2)
    assert automaton_of(HMM_DATA).alphabet == ("x", "y")
    assert automaton_of(PFA_DATA).weight("a") == Fraction(1, 4)
    assert [automaton_of(DFA_DATA).weight("a" * t) for t in range(3)] == [0, 1, 0]
    assert [automaton_of(NFA_DATA).weight("a" * t) for t in range(4)] == [0, 1, 1, 1]


def test_probabilities_stay_as_they_are_unless_they_are_to_be_normalised() -> None:
    assert automaton_of(NEARLY).alpha == (Fraction(1, 2), Fraction("0.5000001"))
    assert automaton_of(NEARLY, normalise=False).alpha == automaton_of(NEARLY).alpha
    assert sum(automaton_of(NEARLY, normalise=True).alpha) == 1
    near = {**PFA_DATA, "initial": ["0.9999999"]}
    assert automaton_of(near).alpha == (Fraction("0.9999999"),)
    assert automaton_of(near, normalise=True).alpha == (1,)


@pytest.mark.parametrize(('data', 'changes', 'line'), [
    (HMM_DATA, {"normalise": 1}, "normalise: found 1, expected true or false"),
    (HMM_DATA, {"normalise": None}, "normalise: found nothing, expected true or false"),
    (HMM_DATA, {"emissions": {}}, "emissions: found {}, expected at least one symbol"),
    (HMM_DATA, {"emissions": [1]}, "emissions: found a list, expected for each symbol its"),
    (HMM_DATA, {"emissions": {"x": [1]}}, "emissions[x]: found 1 numbers, expected 2, one for each state"),
    (HMM_DATA, {"start": ["1/2", "1/4"]}, "start: found a sum of 0.75"),
    (HMM_DATA, {"transitions": [[1, 1], [1, 0]]}, "transitions[0]: found a sum of 2"),
    (HMM_DATA, {"emissions": {"x": [1, "1/2"]}}, "emissions of state 1: found a sum of 0.5"),
    (PFA_DATA, {"final": [1]}, "what leaves state 0: found a sum of 1.5"),
    (DFA_DATA, {"states": 0}, "states: found 0, expected 1 to 512"),
    (DFA_DATA, {"states": 513}, "states: found 513, expected 1 to 512"),
    (DFA_DATA, {"states": True}, "states: found true, expected a whole number, counted from 0"),
    (DFA_DATA, {"start": 0.5}, "start: found 1/2, expected a whole number, counted from 0"),
    (DFA_DATA, {"accepting": 1}, "accepting: found 1, expected a list of states"),
    (DFA_DATA, {"accepting": [0, "x"]}, "accepting[1]: found x, expected"),
    (DFA_DATA, {"transitions": {}}, "transitions: found {}, expected at least one symbol"),
    (DFA_DATA, {"transitions": {"a": 1}}, "transitions[a]: found 1, expected a list of next states"),
    (DFA_DATA, {"transitions": {"a": [0, []]}}, "transitions[a][1]: found [], expected a whole number"),
    (NFA_DATA, {"transitions": {"a": 1}}, "transitions[a]: found 1, expected a list of pairs [from, to]"),
    (NFA_DATA, {"transitions": {"a": [[0, 1, 1]]}}, "transitions[a][0]: found [0, 1, 1], expected a pair"),
    (NFA_DATA, {"transitions": {"a": [1]}}, "transitions[a][0]: found 1, expected a pair [from, to]"),
    (WFA_DATA, {"kind": "dfsa"}, "kind: found dfsa, expected one of wfa, wta, hmm, pfa, dfa, nfa, regex"),
    (WFA_DATA, {"kind": 3}, "kind: found 3, expected one of"),
    (WFA_DATA, {"alpa": 1}, "alpa: found an unknown field, expected alpha, or another of kind, alpha"),
    (WFA_DATA, {"qqq": 1}, "qqq: found an unknown field, expected only kind, alpha, transitions, beta"),
    (HMM_DATA, {"startt": 1}, "expected start, or another of kind, start, transitions, emissions, normalise"),
])  # fmt: skip
def test_each_field_has_its_own_line(
    data: dict[str, Any], changes: dict[str, Any], line: str
) -> None:
    with pytest.raises(InputError) as caught:
        automaton_of(data, **changes)
    assert line in str(caught.value)


def test_a_missing_field_is_named() -> None:
    for name in ("alpha", "transitions", "beta"):
        with pytest.raises(
            InputError, match=f"{name}: found nothing, expected the field to be there"
        ):
            automaton_from_json({key: value for key, value in WFA_DATA.items() if key != name})
    with pytest.raises(
        InputError, match="file: found list, expected a JSON object with a field 'kind'"
    ):
        automaton_from_json([])


def test_nesting_is_counted_outside_of_strings() -> None:
    assert DEEPEST == 16
    assert parse_json("[" * 16 + "]" * 16)
    with pytest.raises(
        InputError, match="file: found more than 16 levels of nesting, expected at most 16"
    ):
        parse_json("[" * 17 + "]" * 17)
    with pytest.raises(InputError, match="16 levels"):
        parse_json("[" * 9 + '{"a":' * 8 + "1" + "}" * 8 + "]" * 9)
    assert parse_json("[" + "[]," * 30 + "[]]") == [[]] * 31
    assert parse_json(json.dumps("[" * 40 + '"' + "{" * 40)) == "[" * 40 + '"' + "{" * 40
    assert parse_json(json.dumps("\\")) == "\\"


def test_numbers_are_exact_and_keys_unique() -> None:
    assert parse_json("[0.1, 3, 1e2]") == [Fraction(1, 10), 3, 100]
    with pytest.raises(InputError, match="a: found the key twice, expected each key once"):
        parse_json('{"a": 1, "a": 2}')
    with pytest.raises(InputError, match=r"b\[1\]: found NaN, expected a finite number"):
        parse_json('{"b": [1, NaN]}')
    with pytest.raises(InputError, match=r"t\[a\]\[0\]: found 1e9999, expected an exponent"):
        parse_json('{"t": {"a": [1e9999]}}')
    with pytest.raises(InputError, match=r"t\[a\]: found the key twice, expected each key once"):
        parse_json('{"t": {"a": 1, "a": 2}}')
    with pytest.raises(InputError, match=r"^not valid JSON: Expecting value, line 2, column 2$"):
        parse_json("[1,\n x]")


def test_a_file_of_the_largest_size_is_read(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("abc", "utf-8")
    assert read_text(tmp_path / "x", 3) == "abc"
    with pytest.raises(InputError, match="file: found 3 bytes, expected at most 2 bytes"):
        read_text(tmp_path / "x", 2)


def stored_file(folder: Path, content: Any) -> Path:
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


def test_the_mark_that_windows_puts_before_text_is_read_over(tmp_path: Path) -> None:
    path = stored_file(tmp_path, WFA_DATA)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read_automaton(path) == read_automaton(stored_file(tmp_path, WFA_DATA))


def test_decimals_keep_all_their_digits(tmp_path: Path) -> None:
    digits = "0." + "123456789" * 20
    text = json.dumps(WFA_DATA).replace("0.25", digits)
    automaton = read_automaton(stored_file(tmp_path, text))
    assert isinstance(automaton, WFA)
    assert automaton.matrix("a")[1][1] == Fraction(digits)


@given(automaton=st.one_of(automata(), tree_automata()))
def test_written_files_are_read_back(automaton: Any) -> None:
    assert automaton_from_json(parse_json(to_json(automaton))) == automaton


def test_a_link_to_a_file_is_followed(tmp_path: Path) -> None:
    link = tmp_path / "link.json"
    link.symlink_to(stored_file(tmp_path, WFA_DATA))
    assert isinstance(read_automaton(link), WFA)


def changed_data(data: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {key: value for key, value in {**data, **fields}.items() if value is not None}


KINDS = [WFA_DATA, WTA_DATA, HMM_DATA, PFA_DATA, DFA_DATA, NFA_DATA]
NO_NUMBERS = ("two", "1/0", "nan", True, [2], {"a": 1})
PYTHON = ("Fraction(", "None", "True", "Error(", "Decimal(")


def places_of(value: Any, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of all values in JSON data: keys and numbers, outermost first."""
    if not isinstance(value, (dict, list)):
        return [place]
    items = value.items() if isinstance(value, dict) else enumerate(value)
    return [place, *(p for key, inner in items for p in places_of(inner, (*place, key)))]


def replaced(value: Any, place: tuple[Any, ...], other: Any) -> Any:
    """The data with another value in one place."""
    if not place:
        return other
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[place[0]] = replaced(copy[place[0]], place[1:], other)
    return copy


@given(kind=st.sampled_from(KINDS), data=st.data())
def test_a_file_with_a_changed_value_is_read_or_refused_by_the_name_of_its_field(
    kind: dict[str, Any], data: st.DataObject
) -> None:
    """A value that is no number, in the place of one, is refused by the name of that place."""
    place = data.draw(st.sampled_from([p for p in places_of(kind) if p and p != ("kind",)]))
    other = data.draw(st.sampled_from([*NO_NUMBERS, None, [], {}, -1, 7, 0.5, "ab"]))
    old = kind
    for key in place:
        old = old[key]
    name = str(place[0]) + "".join(f"[{key}]" for key in place[1:])
    try:
        automaton_of(replaced(kind, place, other))
    except InputError as error:
        line = str(error)
        assert "\n" not in line and len(line) < 400
        assert not any(word in line for word in PYTHON)
        fields = {
            *kind,
            "symbol",
            "what leaves state 0",
            "emissions of state 0",
            "emissions of state 1",
        }
        assert re.split(r"[\[,]", error.field)[0] in fields
        if kind["kind"] in ("wfa", "wta", "pfa", "hmm") and not isinstance(old, (dict, list)):
            assert error.field == name or other in (-1, 7, 0.5)
    else:
        assert other not in NO_NUMBERS or isinstance(old, (dict, list))


@pytest.mark.parametrize("content", ["", "{", '{"kind": "wfa",}', "nonsense", "null", "17", "[]"])
def test_text_that_is_no_object_is_refused(content: str, tmp_path: Path) -> None:
    assert "line 1" in (line := refusal(stored_file(tmp_path, content))) or "file" in line


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
    assert "number" in refusal(stored_file(tmp_path, text)) or "transitions" in refusal(
        stored_file(tmp_path, text)
    )
    assert time.monotonic() - started < 5


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bytes.json"
    path.write_bytes(b'{"kind": "\xff\xfe"}')
    assert "0xff at offset 10" in refusal(path)


def test_too_many_states_are_refused_before_allocation(tmp_path: Path) -> None:
    data = changed_data(WFA_DATA, alpha=[0] * 20_000, beta=[0] * 20_000)
    line = refusal(stored_file(tmp_path, data))
    assert "20000 states (400000000 numbers" in line
    tree = changed_data(WTA_DATA, alpha=[0] * 20_000)
    assert "8000000000000 numbers" in refusal(stored_file(tmp_path, tree))


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


def missing_file(folder: Path) -> Path:
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


FOUND, MISSING = "file: found ", "no such file: "
PLACES = {
    directory: FOUND, linked_directory: FOUND, broken_link: MISSING, endless_link: FOUND,
    missing_file: MISSING, below_a_file: FOUND, pipe: FOUND, device: FOUND, long_name: FOUND,
}  # fmt: skip


@pytest.mark.parametrize(("place", "start"), PLACES.items())
def test_a_path_without_a_file_gets_one_line(
    place: Callable[[Path], Path], start: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        read_automaton(place(tmp_path))
    assert start in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    path = stored_file(tmp_path, WFA_DATA)
    path.chmod(0)
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
    assert automaton_from_json(parse_json(to_json(automaton))) == automaton


def test_a_product_too_long_to_be_written_is_refused():
    with pytest.raises(InputError, match="4000 digits"):
        to_json(WFA((Fraction(10) ** 5000,), {"a": ((Fraction(1),),)}, (Fraction(1),)))


SIZES = {
    "wfa": ({"alpha": [1] * 9, "transitions": {"a": [], "b": []}, "beta": [1]}, "alpha", 162),
    "pfa": ({"initial": [1] * 9, "transitions": {"a": [], "b": []}, "final": []}, "initial", 162),
    "hmm": ({"start": [1] * 9, "transitions": [], "emissions": {"a": [], "b": []}}, "start", 162),
    "wta": ({"alpha": [1] * 5, "tensor": [], "leaves": {"a": [], "b": []}}, "alpha", 135),
    "dfa": ({"states": 9, "start": 0, "accepting": [], "transitions": {"a": [], "b": []}}, "states", 162),
    "nfa": ({"states": 9, "start": [], "accepting": [], "transitions": {"a": [], "b": []}}, "states", 162),
}  # fmt: skip


@pytest.mark.parametrize("kind", SIZES)
def test_sizes_are_limited_before_matrices_take_memory(kind, monkeypatch):
    data, field, weights = SIZES[kind]
    text = json.dumps({"kind": kind, **data})
    monkeypatch.setattr(limits, "MOST_WEIGHTS", weights - 1)
    with pytest.raises(InputError, match=f"{field}: found . states and 2 symbols, {weights} wei"):
        automaton_from_json(parse_json(text))
    monkeypatch.setattr(limits, "MOST_SYMBOLS", 1)
    with pytest.raises(InputError, match="alphabet: found 2 symbols, expected at most 1"):
        automaton_from_json(parse_json(text))


@pytest.mark.parametrize(("data", "words"), [
    ({"kind": "hmm", "start": [1], "transitions": [["1e400"]], "emissions": {"a": [1]}},
     "transitions[0]: found a sum of 1.00000e+400, expected a sum of 1"),
    ({"kind": "pfa", "initial": [1], "transitions": {"a": [["1e400"]]}, "final": [1]},
     "what leaves state 0: found a sum of 1.00000e+400"),
    ({"kind": "pfa", "initial": [1, 0], "transitions": {"a": [[0, 1], [0, 0]]}, "final": [1]},
     "final: found 1 numbers, expected 2, as many as initial"),
    ({"kind": "pfa", "initial": [1, 0], "transitions": {"a": [[0, 1]]}, "final": [1, 1]},
     "transitions[a]: found 1 rows, expected 2, as many as initial has numbers"),
    ({"kind": "hmm", "start": [1, 0], "transitions": [[1, 0]], "emissions": {"a": [1, 1]}},
     "transitions: found 1 rows, expected 2, as many as start has numbers"),
    ({"kind": "hmm", "start": [1], "transitions": [[1]], "emissions": [[1, 0]]},
     'in every state, {"walk": [0.6, 0.1], "shop": [0.4, 0.9]}; rows for each state are to be turned'),
])  # fmt: skip
def test_errors_use_the_names_of_the_file_and_say_the_orientation(data, words):
    with pytest.raises(InputError) as caught:
        automaton_from_json(parse_json(json.dumps(data)))
    assert words in str(caught.value)
