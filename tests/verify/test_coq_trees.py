"""The tree model in Coq: wrong definitions are not proved."""

import shutil
from pathlib import Path

import pytest

from verify import machine_checked as coq

pytestmark = [
    pytest.mark.coq,
    pytest.mark.skipif(not coq.available(), reason="coqc is not installed"),
]
BASE = ("Sums.v", "Gap.v", "Model.v", "Entries.v", "Sizes.v", "Attention.v", "Theorem1.v")
TREES = ("Trees.v", "Theorem3.v")
NORMS = ("Softmax.v", "Recursion.v", "Spectral.v", "Activation.v")
MODEL = ("TreeModel.v", "TreeBlocks.v", "TreeScores.v", "TreeLayers.v")
SOFT = ("TreeRecursion.v", "TreeSoft.v", "TreeEnd.v")
MLPS = ("TreeContinuity.v", "TreeTargets.v", "TreeInexact.v", "TreeMLP.v")
FILES = (*MODEL, *SOFT, *MLPS)

EARLY = {
    "the depth sums up to i": (
        "(2 + at_mark) at_count (Whole (-1))",
        "(2 + at_mark) at_count (Whole 0)",
        "TreeBlocks.v",
    ),
    "left children have no flag": (
        "Product (2 + at_one) 1 at_mark (Whole 1)",
        "Product (2 + at_one) 1 at_mark (Whole 0)",
        "TreeBlocks.v",
    ),
}
LATE = {
    "beta is too small": (
        "beta : Z := Z.of_nat tokens + 1",
        "beta : Z := Z.of_nat tokens / 2",
        "TreeScores.v",
    ),
    "the end token is too weak": (
        "end_weight : Z := (Z.of_nat tokens + 2) ^ 2",
        "end_weight : Z := Z.of_nat tokens",
        "TreeScores.v",
    ),
    "the flag reads two tokens back": (
        "towards (-1)) places",
        "towards (-2)) places",
        "TreeScores.v",
    ),
    "the right head looks back": (
        "[(at_place, 1%Z)]] (seq 0 n) Anticausal",
        "[(at_place, 1%Z)]] (seq 0 n) Causal",
        "TreeLayers.v",
    ),
    "the left head looks at itself": (
        "scored (towards 1 ++",
        "scored (towards 0 ++",
        "TreeScores.v",
    ),
    "the end token keeps its error": (
        "Rmax (tau * S * delta) (2 * eps) + blk",
        "Rmax (tau * S * delta) eps + blk",
        "TreeRecursion.v",
    ),
    "flags are said to be exact": (
        "flags_off (T : nat) (C : R) : R := 2 * (INR T * exp (- C))",
        "flags_off (T : nat) (C : R) : R := 0",
        "TreeSoft.v",
    ),
    "the blocks add nothing": (
        "Definition off : R := 1 / 1000",
        "Definition off : R := 0",
        "TreeEnd.v",
    ),
    "a hidden unit has the wrong sign": (
        "unit (- h) h (- s)]",
        "unit (- h) h s]",
        "TreeMLP.v",
    ),
}


@pytest.fixture(scope="module")
def ready(tmp_path_factory):
    """A folder in which the files that no mutant touches are compiled."""
    folder = tmp_path_factory.mktemp("trees")
    for file in (*BASE, *TREES):
        shutil.copy(coq.COQ / file, folder)
        coq.compile_file(folder, file)
    return folder


@pytest.fixture(scope="module")
def norms(ready, tmp_path_factory):
    """The same, with the files on norms and softmax."""
    folder = tmp_path_factory.mktemp("norms") / "ready"
    shutil.copytree(ready, folder)
    for file in NORMS:
        shutil.copy(coq.COQ / file, folder)
        coq.compile_file(folder, file)
    return folder


def refused_file(folder: Path, old: str, new: str, last: str) -> str:
    """The first file of the model that a change makes Coq refuse; empty if there is none."""
    files = FILES[: FILES.index(last) + 1]
    sources = {file: (coq.COQ / file).read_text("utf-8") for file in files}
    hits = sum(source.count(old) for source in sources.values())
    assert hits == 1, f"the mutation applies {hits} times"
    for file, source in sources.items():
        (folder / file).write_text(source.replace(old, new), "utf-8")
        try:
            coq.compile_file(folder, file)
        except coq.Refused:
            return file
    return ""


@pytest.mark.parametrize("what", EARLY)
def test_a_wrong_preparing_layer_is_not_proved(ready, tmp_path, what):
    old, new, where = EARLY[what]
    folder = tmp_path / "mutant"
    shutil.copytree(ready, folder)
    assert refused_file(folder, old, new, where) == where


@pytest.mark.slow
@pytest.mark.parametrize("what", LATE)
def test_a_wrong_head_or_recursion_is_not_proved(norms, tmp_path, what):
    old, new, where = LATE[what]
    folder = tmp_path / "mutant"
    shutil.copytree(norms, folder)
    assert refused_file(folder, old, new, where) == where


@pytest.mark.slow
def test_without_a_change_every_file_is_proved(norms, tmp_path):
    folder = tmp_path / "same"
    shutil.copytree(norms, folder)
    name = "Definition tree_model (height : nat)"
    assert refused_file(folder, name, name, FILES[-1]) == ""
