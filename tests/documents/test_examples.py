"""Hand-computed values of the example files against every export, and what runs without torch."""

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
import torch
from hand_support import EPS, EXAMPLES, TREES, WORDS, decoded, exported, near

from constructions.automata.wfa import WFA
from constructions.exports.loader import load_model
from constructions.files.formats import load

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "arguments", [("exact",), ("soft",), ("soft", "--feedforward", "exact")], ids=" ".join
)
def test_every_export_for_words_gives_the_weight_computed_by_hand(arguments, tmp_path):
    for number, (name, word, weight) in enumerate(WORDS):
        automaton = load(EXAMPLES / name)
        assert automaton.weight(word) == weight
        folder = exported(name, tmp_path / str(number), "--construction", *arguments)
        with torch.no_grad():
            found = float(load_model(folder).weight([word])[0])
        assert near(found, weight, automaton.beta, EPS * (arguments != ("exact",))), (name, word)


@pytest.mark.parametrize(
    "arguments",
    [("hard",), ("soft",), ("soft", "--feedforward", "exact")],
    ids=" ".join,
)
@pytest.mark.parametrize("construction", ["tree", "logdepth"])
def test_every_export_for_trees_gives_the_weight_computed_by_hand(
    construction, arguments, tmp_path
):
    for number, (name, tree, weight) in enumerate(TREES):
        order = ("--construction", construction, "--attention", *arguments)
        folder = exported(name, tmp_path / str(number), *order)
        with torch.no_grad():
            found = float(load_model(folder).weight([tree])[0])
        # ε is for each of the two entries of a state
        assert near(found, weight, (1, 1), EPS * (arguments != ("hard",))), tree


@pytest.mark.parametrize(
    "arguments",
    [("safetensors",), ("safetensors", "--plain")],
    ids=" ".join,
)
def test_every_decoder_that_torch_loads_gives_the_weight_computed_by_hand(arguments, tmp_path):
    """GPT-2's, Llama's and TransformerLens' classes load theirs in tests/interop."""
    trees = TREES if "--plain" not in arguments else []
    for name in {name: None for name, _, _ in [*WORDS, *trees]}:
        exported(name, tmp_path / name, "--format", *arguments)
    for name, given, weight in [*WORDS, *trees]:
        found, weights = decoded(name, given, tmp_path / name)
        assert near(found, weight, weights), (name, given, found)


def test_a_value_that_is_off_by_more_would_be_noticed(tmp_path):
    assert not near(3.01, Fraction(3), (Fraction(1), Fraction(0)))
    folder = exported("wfa.json", tmp_path)
    found, weights = decoded("wfa.json", "0101", folder)
    assert not near(found, Fraction(3), weights)


WITHOUT = """
import importlib.util, sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Refuse())
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "torch" else found(name, *rest)
"""


def without_torch(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT + code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )


def test_constructions_import_and_run_without_torch():
    code = """
import assay
from constructions.automata import regex
from constructions.files import openfst
assay.theorem2, assay.theorem3, assay.logdepth, assay.decoder
hmm = assay.load("constructions/examples/hmm.json")
print(assay.theorem1.build(hmm, 4).weight(["walk", "shop"]))
"""
    done = without_torch(code)
    assert (done.stdout, done.returncode) == ("519/5000\n", 0), done.stderr


def test_the_answer_comes_without_torch_and_names_the_extra():
    code = """
from verify.cli import main
sys.exit(main(["automaton", "constructions/examples/hmm.json", "--length", "4", "--markdown"]))
"""
    done = without_torch(code)
    assert done.returncode == 0, done.stderr
    assert "Your 2-state HMM is simulated exactly" in done.stdout
    assert "needs torch; pip install '.\\[torch\\]' in the clone" in done.stdout


def test_commands_on_the_paper_import_without_torch():
    names = ("list", "show", "cite", "findings", "tex", "recheck", "automaton")
    code = "".join(f"import verify.commands.{name}\n" for name in names)
    done = without_torch(code)
    assert done.returncode == 0, done.stderr


def test_examples_are_words_over_their_alphabets():
    assert isinstance(load(EXAMPLES / "hmm.json"), WFA)
    assert (ROOT / "docs" / "examples").resolve() == EXAMPLES
