"""Hand-computed values of the example files against every export, and what runs without torch."""

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
import torch

from constructions import export
from constructions.formats import load
from constructions.wfa import WFA
from verify.cli import main

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "constructions" / "examples"
# counting: "0100" has three zeros; HMM: see docs/hmm.md; DFA: an even number of a; PAutomaC: 0.4 · 0.4 · 0.5
WORDS = [
    ("wfa.json", "0100", Fraction(3)),
    ("hmm.json", ["walk", "shop"], Fraction(1038, 10000)),
    ("dfa.json", "abab", Fraction(1)),
    ("dfa.json", "ab", Fraction(0)),
    ("pautomac.txt", "01", Fraction(8, 100)),
]
TREES = [("wta.json", "[a [b a]]", Fraction(7)), ("wta.json", "b", Fraction(5))]
EPS = Fraction(1, 1000)


def exported(path: Path, folder: Path, *arguments: str) -> object:
    order = ("--length", "7", "--eps", "1/1000", "--out", str(folder), *arguments)
    assert main(["export", str(path), *order]) == 0
    return export.load(folder)[0]


def near(found: torch.Tensor, wanted: Fraction, beta: float) -> bool:
    """Within ε of every state, hence within ‖β‖ ε of the weight; float64 adds far less."""
    return abs(float(found) - float(wanted)) <= beta * float(EPS) + 1e-12


@pytest.mark.parametrize(
    "arguments", [("exact",), ("soft",), ("soft", "--feedforward", "exact")], ids=" ".join
)
def test_every_export_for_words_gives_the_weight_computed_by_hand(arguments, tmp_path):
    for number, (name, word, weight) in enumerate(WORDS):
        automaton = load(EXAMPLES / name)
        assert automaton.weight(word) == weight
        module = exported(EXAMPLES / name, tmp_path / str(number), "--construction", *arguments)
        bound = 0.0 if arguments == ("exact",) else float(sum(b * b for b in automaton.beta)) ** 0.5
        with torch.no_grad():
            assert near(module.weight([word])[0], weight, bound), (name, word)


@pytest.mark.parametrize("attention", ["hard", "soft"])
@pytest.mark.parametrize("construction", ["tree", "logdepth"])
def test_every_export_for_trees_gives_the_weight_computed_by_hand(
    construction, attention, tmp_path
):
    for number, (name, tree, weight) in enumerate(TREES):
        order = ("--construction", construction, "--attention", attention)
        module = exported(EXAMPLES / name, tmp_path / str(number), *order)
        with torch.no_grad():
            assert near(module.weight([tree])[0], weight, 2.0 if attention == "soft" else 0.0)


def test_a_value_that_is_off_by_more_would_be_noticed():
    assert not near(torch.tensor(3.01), Fraction(3), 1.0)


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
from constructions import theorem1, theorem2, theorem3, logdepth, formats, simulation, regex, openfst
hmm = formats.load("constructions/examples/hmm.json")
print(theorem1.build(hmm, 4).weight(["walk", "shop"]))
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
    assert "the extra assay\\[torch\\]" in done.stdout


def test_commands_on_the_paper_import_without_torch():
    names = ("list_", "show", "cite", "findings", "tex", "recheck", "automaton")
    code = "".join(f"import verify.commands.{name}\n" for name in names)
    done = without_torch(code)
    assert done.returncode == 0, done.stderr


def test_examples_are_words_over_their_alphabets():
    assert isinstance(load(EXAMPLES / "hmm.json"), WFA)
    assert (ROOT / "docs" / "examples").resolve() == EXAMPLES
