"""Every reader against what it was not made for: an automaton, a tree, a number, or one clear line.

`ASSAY_FUZZ=100000` sets the number of inputs, all tests together; a few hundred without it.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import grammar_support
import pytest
import reports_support
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from constructions.automata import strategies
from constructions.automata.named import automaton_by_name
from constructions.automata.trees import from_text, parse, tokens
from constructions.automata.wfa import WFA
from constructions.automata.wta import WTA
from constructions.core.errors import InputError
from constructions.core.numbers import whole_number
from constructions.files.formats import load
from constructions.files.pautomac import WordSample, read_model, read_solution, read_test
from constructions.files.reader import automaton_from_json, parse_json, to_json
from verify.commands.sweep import saturations
from verify.display.arguments import positive

PATIENCE = 10
TESTS = 14
RECORD = reports_support.made()[0]
FULL = "100000" if os.environ.get("ASSAY_FULL") == "1" else "1000"
EXAMPLES = -(-int(os.environ.get("ASSAY_FUZZ", FULL)) // TESTS)
MANY = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
NUMBERS = st.one_of(
    st.sampled_from(
        ["NaN", "-Infinity", "1e999999999", "1e-999999999", "9" * 5000, "1/0", "1e4001", "-0",
         "0x10", "1_0", "٣", " 1", "1 / 2", "∞", "1e", ".", "--1", "1/2/3"]
    ),
    st.integers().map(str),
    st.floats().map(str),
    st.fractions().map(str),
)  # fmt: skip
ATOMS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), NUMBERS
)
JSON = st.recursive(
    ATOMS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=12,
)
RANDOM = st.randoms(use_true_random=False)
NAMES = st.sampled_from(["kind", "alpha", "beta", "transitions", "tensor", "leaves"])


def hangs(*_: Any) -> None:
    raise AssertionError(f"no answer within {PATIENCE} seconds")


def refused(function: Callable[..., Any], *arguments: Any) -> Any:
    """The result, or None if it was refused in one clear line; nothing else may happen."""
    before = signal.signal(signal.SIGPROF, hangs)  # processor time, whatever else runs
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        return function(*arguments)
    except InputError as error:
        line = str(error)
        assert "\n" not in line
        assert len(line) < 1000
        return None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@st.composite
def edited(draw: Any, texts: st.SearchStrategy[str]) -> str:
    """A valid text with a few pieces cut out, doubled or replaced."""
    text = draw(texts)
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(text)))
        stop = min(len(text), start + draw(st.integers(0, 6)))
        piece = draw(
            st.one_of(st.just(""), st.text(max_size=5), NUMBERS, st.just(text[start:stop] * 2))
        )
        text = text[:start] + piece + text[stop:]
    return text


FILES = (strategies.automata() | strategies.tree_automata()).map(to_json)


@MANY
@given(text=edited(FILES) | st.text() | JSON.map(json.dumps))
def test_edited_automaton_files_are_read_or_refused(text: str) -> None:
    automaton = refused(lambda: automaton_from_json(parse_json(text)))
    assert automaton is None or isinstance(automaton, (WFA, WTA))


@MANY
@given(weight=NUMBERS | ATOMS)
def test_any_weight_given_by_the_api_is_a_number_or_refused(weight: Any) -> None:
    automaton = refused(WFA.of, [weight], {"a": [[weight]]}, [weight])
    assert automaton is None or isinstance(automaton.alpha[0], Fraction)


@MANY
@given(
    kind=st.sampled_from(["wfa", "wta"]) | JSON,
    fields=st.dictionaries(NAMES, JSON, min_size=2),
)
def test_wrong_kinds_in_right_places_are_refused(kind: Any, fields: dict[str, Any]) -> None:
    found = refused(lambda: automaton_from_json(parse_json(json.dumps({**fields, "kind": kind}))))
    assert found is None or isinstance(found, WFA | WTA)


@MANY
@given(content=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bytes"
    path.write_bytes(content)
    automaton = refused(load, path)
    assert automaton is None or isinstance(automaton, WFA | WTA)
    for reader, kind in ((read_test, WordSample), (read_solution, tuple)):
        found = refused(reader, path)
        assert found is None or isinstance(found, kind)


MODEL = (
    "I: (state)\n\t(0) 1.0\nF: (state)\n\t(0) 0.25\n\t(1) 1.0\nS: (state,symbol) \n\t(0,0) 0.5\n"
    "\t(0,1) 0.5\nT: (state,symbol,state) \n\t(0,0,0) 1.0\n\t(0,1,1) 8.9e-05\n"
)
WORDS = "3 2\n0\n2 0 1\n4 1 1 0 1\n"
SOLUTION = "3\n0.5\n0.25\n2.5e-1\n"


def test_the_unedited_pautomac_texts_are_read(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text(MODEL)
    assert read_model(path).n == 2
    assert load(path) == read_model(path)
    path.write_text(WORDS)
    assert len(read_test(path).words) == 3
    path.write_text(SOLUTION)
    assert sum(read_solution(path)) == 1


@MANY
@given(text=edited(st.sampled_from([MODEL, WORDS, SOLUTION])))
def test_edited_pautomac_files_are_read_or_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    automaton = refused(read_model, path)
    assert automaton is None or isinstance(automaton, WFA)
    refused(read_test, path)
    refused(read_solution, path)


TREES = strategies.trees("ab").map(lambda tree: " ".join(tokens(tree)))


@MANY
@given(text=edited(TREES) | st.text(alphabet="[]ab, ") | st.text())
def test_any_text_is_a_tree_or_refused(text: str) -> None:
    tree = refused(from_text, text)
    if tree is not None:
        assert parse(tokens(tree)) == tree


@MANY
@given(text=NUMBERS | st.text() | RANDOM.map(grammar_support.length))
def test_any_length_is_a_whole_number_or_refused(text: str) -> None:
    length = refused(whole_number, text, "--length")
    assert length is None or (isinstance(length, int) and length >= 1)


@MANY
@given(text=NUMBERS | st.text() | RANDOM.map(grammar_support.epsilon))
def test_any_eps_is_a_positive_number_or_refused(text: str) -> None:
    eps = refused(positive, text, "--eps")
    assert eps is None or (isinstance(eps, Fraction) and eps > 0)


@MANY
@given(text=edited(st.sampled_from(["400:1600:4", "1:2:3", "1/2:3/2:2"])) | NUMBERS | st.text())
def test_any_range_is_a_grid_or_refused(text: str) -> None:
    grid = refused(saturations, text)
    assert grid is None or all(value > 0 for value in grid)


@MANY
@given(r=RANDOM)
def test_automata_by_grammar_are_read_or_refused(r: Any) -> None:
    text = grammar_support.automaton(r)
    text = grammar_support.edited(r, text) if r.random() < 0.5 else text
    automaton = refused(lambda: automaton_from_json(parse_json(text)))
    assert automaton is None or isinstance(automaton, WFA | WTA)


@MANY
@given(r=RANDOM, kind=st.sampled_from(["zero", "plain", "large"]))
def test_automata_with_true_numbers_are_read_and_written_the_same(r: Any, kind: str) -> None:
    automaton = automaton_from_json(parse_json(grammar_support.automaton(r, kind)))
    assert automaton_from_json(parse_json(to_json(automaton))) == automaton


@MANY
@given(r=RANDOM)
def test_pautomac_models_by_grammar_are_read_or_refused(r: Any, tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_text(grammar_support.edited(r, grammar_support.pautomac(r)), "utf-8")
    automaton = refused(load, path)
    assert automaton is None or isinstance(automaton, WFA | WTA)


@MANY
@given(r=RANDOM)
def test_families_by_grammar_are_automata_or_refused(r: Any) -> None:
    automaton = refused(automaton_by_name, grammar_support.family(r))
    assert automaton is None or isinstance(automaton, WFA)


@pytest.mark.slow
def test_coverage_guided_inputs_are_read_or_refused(tmp_path: Path) -> None:
    pytest.importorskip("atheris")
    tests = Path(__file__).resolve().parents[2]
    asked = ["-max_total_time=60", f"-artifact_prefix={tmp_path}/"]
    ended = subprocess.run(
        [sys.executable, str(tests / "tools" / "coverage_guided.py"), *asked],
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr[-2000:]
    assert "Done" in ended.stderr
