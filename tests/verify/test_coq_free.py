"""The tree model without masks in Coq: the program's weights, and wrong definitions not proved."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from verify import machine_checked as coq
from verify.proof_weights import MODELS, PAIR

pytestmark = [
    pytest.mark.coq,
    pytest.mark.skipif(not coq.available(), reason="coqc is not installed"),
]
PROOF = (
    "FreeModel.v",
    "FreeBlocks.v",
    "FreeStates.v",
    "FreeLayers.v",
    "FreeInexact.v",
    "FreeMLP.v",
)
TEXT = ("FreeModel.v", "FreeEntries.v")
FREE = next(model for model in MODELS if model.name == "free")
Change = tuple[tuple[str, str], ...]

EARLY: dict[str, tuple[Change, str]] = {
    "the left head is causal": (
        (
            (
                "scored mode next_queries next_keys passed Everywhere",
                "scored mode next_queries next_keys passed Causal",
            ),
        ),
        "FreeModel.v",
    ),
    "the right head sees what comes after": (
        (
            (
                "scored mode aimed_queries (places n) passed Everywhere",
                "scored mode aimed_queries (places n) passed Anticausal",
            ),
        ),
        "FreeModel.v",
    ),
}
LATE: dict[str, tuple[Change, str]] = {
    "letters are not done": (
        (("| 4 => Whole (letter_of s)", "| 4 => Whole 0"),),
        "FreeBlocks.v",
    ),
    "the target is off by one": (
        (
            ("free_target (Whole (1 - beyond))", "free_target (Whole (2 - beyond))"),
            ("+ (1 - IZR (beyond tokens)) *", "+ (2 - IZR (beyond tokens)) *"),
        ),
        "FreeLayers.v",
    ),
    "the size leaves out the brackets": (
        (("free_size (Whole 2)", "free_size (Whole 0)"), ("+ 2 * both", "+ 0 * both")),
        "FreeLayers.v",
    ),
    "the end token is too weak": (
        (
            (
                "(- end_weight tokens)%Z); (free_kind, end_weight tokens)",
                "(- Z.of_nat tokens)%Z); (free_kind, Z.of_nat tokens)",
            ),
        ),
        "FreeLayers.v",
    ),
    "without a target the right head looks inside": (
        (("beyond : Z := Z.of_nat tokens + 1", "beyond : Z := Z.of_nat tokens / 2"),),
        "FreeLayers.v",
    ),
    "the third head looks at the next token": (
        (
            (
                "own_queries : list whole := [[(at_place n, 2%Z)]",
                "own_queries : list whole := [[(at_place n, 2%Z); (at_one n, 2%Z)]",
            ),
        ),
        "FreeLayers.v",
    ),
    "a node is done one layer after its left child": (
        (("Node a b => Nat.max (rank a + 2)", "Node a b => Nat.max (rank a + 1)"),),
        "FreeLayers.v",
    ),
    "as many layers as the height": (
        (("Hard T (2 * height) i k", "Hard T height i k"),),
        "FreeLayers.v",
    ),
    "a target may be outside the bound": (
        (("<= aim T t l r <= Z.of_nat T + 2", "<= aim T t l r <= Z.of_nat T"),),
        "FreeInexact.v",
    ),
    "a hidden unit less": (
        (("products ly)) <= 68 * n ^ 3", "products ly)) <= 67 * n ^ 3"),),
        "FreeMLP.v",
    ),
}


def below(files: Sequence[str]) -> list[str]:
    """The files that the given ones are built on, in the order of compilation."""
    needed = {name for file in files for name in coq.requires(coq.COQ, file)} - set(files)
    return [file for file in coq.files() if file in needed]


def put(folder: Path, files: Sequence[str]) -> Path:
    """Compile files of the development in a folder."""
    for file in files:
        shutil.copy(coq.COQ / file, folder)
        coq.compile_file(folder, file)
    return folder


@pytest.fixture(scope="module")
def ready(tmp_path_factory):
    """A folder in which all that the model and its text are built on is compiled."""
    return put(tmp_path_factory.mktemp("free"), below(TEXT))


@pytest.fixture(scope="module")
def norms(ready, tmp_path_factory):
    """The same, with all that the theorems are built on."""
    folder = tmp_path_factory.mktemp("norms") / "ready"
    shutil.copytree(ready, folder)
    return put(folder, [file for file in below(PROOF) if not (folder / f"{file}o").exists()])


def refused_file(folder: Path, change: Change, last: str) -> str:
    """The first file that a change makes Coq refuse; empty if there is none."""
    sources = {file: (coq.COQ / file).read_text("utf-8") for file in PROOF[: PROOF.index(last) + 1]}
    for old, new in change:
        hits = sum(source.count(old) for source in sources.values())
        assert hits == 1, f"{old!r} is there {hits} times"
        sources = {file: source.replace(old, new) for file, source in sources.items()}
    for file, source in sources.items():
        (folder / file).write_text(source, "utf-8")
        try:
            coq.compile_file(folder, file)
        except coq.Refused:
            return file
    return ""


@pytest.mark.parametrize("what", EARLY)
def test_a_wrong_model_is_not_proved(ready, tmp_path, what):
    change, where = EARLY[what]
    folder = tmp_path / "mutant"
    shutil.copytree(ready, folder)
    assert refused_file(folder, change, where) == where


@pytest.mark.slow
@pytest.mark.parametrize("what", LATE)
def test_a_wrong_head_block_or_bound_is_not_proved(norms, tmp_path, what):
    change, where = LATE[what]
    folder = tmp_path / "mutant"
    shutil.copytree(norms, folder)
    assert refused_file(folder, change, where) == where


@pytest.mark.slow
def test_without_a_change_every_file_is_proved(norms, tmp_path):
    folder = tmp_path / "same"
    shutil.copytree(norms, folder)
    assert refused_file(folder, (), PROOF[-1]) == ""


# The weights of the proof and of the program


@pytest.fixture(scope="module")
def printed(ready, tmp_path_factory):
    """The weights of the proof for every case, as the text that Coq prints."""
    folder = tmp_path_factory.mktemp("entries") / "ready"
    shutil.copytree(ready, folder)
    put(folder, TEXT)
    (folder / "Evaluate.v").write_text(FREE.script(), "utf-8")
    coq.compile_file(folder, "Evaluate.v")
    return [
        (folder / f"{FREE.name}{place}.out").read_text("utf-8") for place in range(len(FREE.cases))
    ]


@pytest.mark.parametrize("place", range(len(FREE.cases)))
def test_the_weights_of_the_proof_are_the_program_s(printed, place):
    assert list(FREE.cases[place].differences(printed[place])) == []
    assert len(PAIR.findall(printed[place])) == 3 + 2 * (1 + 4 * 3)


def test_no_head_of_the_proof_has_a_mask(printed):
    pairs = [pair for text in printed for pair in PAIR.findall(text)]
    masks = {said.split()[1] for name, said in pairs if name.endswith("attention")}
    assert masks == {"none"}


def test_a_changed_weight_is_a_difference_by_name(printed):
    text = printed[0].replace("1 4 6 : 2", "1 4 6 : 3", 1).replace('"hard none"', '"hard self"', 1)
    found = list(FREE.cases[0].differences(text))
    assert len(found) == 2
    assert "attention: hard self in the proof" in found[0]
    assert "products: entry (1, 4, 6) is 3 in the proof, 2 in the program" in found[1]


def test_hard_weights_are_not_those_of_softmax(printed):
    hard, soft = FREE.cases[:2]
    assert hard.where == soft.where
    assert any("head 2 query" in line for line in soft.differences(printed[0]))
