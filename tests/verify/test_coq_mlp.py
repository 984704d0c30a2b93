"""The MLP of the machine-checked Theorem 2: the program's weights, and proofs that fail when wrong."""

import re
import shutil
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from constructions.multiplication import relu_floor, relu_square
from verify import machine_checked as coq
from verify.proof_weights import multiplier

needs_coq = pytest.mark.skipif(not coq.available(), reason="coqc is not installed")
SIZES = (1, 2, 3)
SUMS = ("Sums.v",)
BELOW = (
    *SUMS,
    "Gap.v",
    "Model.v",
    "Sizes.v",
    "Attention.v",
    "Theorem1.v",
    "Softmax.v",
    "Recursion.v",
)
ALONE = {
    "the factor 4 of the scale": (
        "Theorem units_multiply",
        "4 * h ^ 2 * c * s - 1",
        "2 * h ^ 2 * c * s - 1",
    ),
    "the sign of a unit": (
        "- s * sigma (- h * x + h * y + b).",
        "- s * sigma (- h * x + h * y + b).",
        "s * sigma (- h * x + h * y + b).",
    ),
    "a point where it is not curved": (
        "/\\ derivable_pt_lim slope b c.",
        "slope b c",
        "slope (b + 1) c",
    ),
}
FLAT = ("Definition usable", "/\\ c <> 0.", "/\\ c = c.")
POSITIONS = ("Definition run_mlp_layer", "+ real alpha A C P r c.", "+ 0 * real alpha A C P r c.")
UNITS = {
    "the sign of a left entry": ("left_sign (q : nat)", "| 2 => 1 | _", "| 2 => -1 | _"),
    "the sign of an output": ("out_sign (q : nat)", "| 2 => -1 | _", "| 2 => 1 | _"),
    "the place of the right factor": (
        "Definition right_place",
        "n2 + ((t / n) mod n * n + t mod n)",
        "n2 + (t mod n * n + (t / n) mod n)",
    ),
    "the copy into the right half": (
        "Definition outward_entry",
        "(c =? n2 + out_place (u / 4))",
        "(c =? n + out_place (u / 4))",
    ),
    "the number of units": ("Definition slim_units", "n * n * n * 4", "n * n * n * 3"),
}
FLOOR = {
    "a higher floor": ("Theorem relu_floor", "/ (8 * (INR N + 1) ^ 2)", "/ (7 * (INR N + 1) ^ 2)"),
    "a lower error of the chords": (
        "Theorem relu_attains",
        "/ (8 * INR N ^ 2)",
        "/ (9 * INR N ^ 2)",
    ),
}


def mutated(source: str, change: tuple[str, str, str]) -> str:
    """The source with `old` changed in the paragraph, statement and proof, that holds the mark."""
    mark, old, new = change
    paragraphs = source.split("\n\n")
    hit = [place for place, text in enumerate(paragraphs) if mark in text]
    assert len(hit) == 1, f"the mark stands in {len(hit)} paragraphs"
    assert old in paragraphs[hit[0]], "the mutation does not apply"
    paragraphs[hit[0]] = paragraphs[hit[0]].replace(old, new)
    return "\n\n".join(paragraphs)


def compile_files(folder: Path, files: tuple[str, ...]) -> Path:
    for file in files:
        shutil.copy(coq.COQ / file, folder)
        coq.compile_file(folder, file)
    return folder


def compile_mutant(folder: Path, file: str, change: tuple[str, str, str]) -> None:
    source = (coq.COQ / file).read_text("utf-8")
    (folder / file).write_text(mutated(source, change), "utf-8")
    coq.compile_file(folder, file)


@pytest.fixture(scope="module")
def ready(tmp_path_factory):
    """A folder in which everything that MLP.v is built on is compiled."""
    return compile_files(tmp_path_factory.mktemp("ready"), (*BELOW, "Activation.v"))


def signs(name: str) -> list[int]:
    """The four signs of a definition of MLP.v, read from its source."""
    source = (coq.COQ / "MLP.v").read_text("utf-8")
    line = re.search(rf"Definition {name} \(q : nat\) : Z := match q with (.*) end\.", source)
    assert line
    return [int(case.split("=>")[1]) for case in line.group(1).split(" | ")]


def by_the_definition(n: int) -> tuple[dict, dict]:
    """The entries of inward_entry and outward_entry of MLP.v, as multiples of h and of s."""
    left, right, out = signs("left_sign"), signs("right_sign"), signs("out_sign")
    inward, outward = {}, {}
    for t, q in product(range(n**3), range(4)):
        unit, first, middle, last = 4 * t + q, t // n // n, t // n % n, t % n
        inward[t // n, unit] = left[q]
        inward[n * n + middle * n + last, unit] = right[q]
        for half in (0, n * n):
            outward[unit, half + first * n + last] = out[q]
    return inward, outward


# Proof and program


@pytest.mark.parametrize("n", SIZES)
def test_the_definition_gives_the_weights_of_the_program(n):
    made = multiplier(n)
    inward, outward = by_the_definition(n)
    assert {place: k * made.step for place, k in inward.items()} == dict(made.block.hidden.entries)
    assert {place: k * made.scale for place, k in outward.items()} == dict(
        made.block.output.entries
    )
    assert made.units == 4 * n**3


def test_the_places_read_above_are_those_of_the_definition():
    source = (coq.COQ / "MLP.v").read_text("utf-8")
    for line in (
        "Definition left_place (t : nat) : nat := t / n.",
        "Definition right_place (t : nat) : nat := n2 + ((t / n) mod n * n + t mod n).",
        "Definition out_place (t : nat) : nat := t / n / n * n + t mod n.",
        "if ((c =? out_place (u / 4)) || (c =? n2 + out_place (u / 4)))%nat",
    ):
        assert source.count(line) == 1


@pytest.mark.parametrize("pieces", [1, 2, 5])
def test_the_chords_of_the_proof_are_the_program_s(pieces):
    block = relu_square(pieces)
    assert dict(block.hidden.entries) == {(0, k): 1 for k in range(pieces)}
    assert list(block.bias) == [-Fraction(k, pieces) for k in range(pieces)]
    assert [block.output.entries[k, 0] for k in range(pieces)] == [
        Fraction(2 if k else 1, pieces) for k in range(pieces)
    ]
    assert list(block.offset) == [-Fraction(1, 8 * pieces**2)]


def test_the_floor_of_the_proof_is_the_program_s():
    source = (coq.COQ / "Relu.v").read_text("utf-8")
    assert "/ (8 * (INR N + 1) ^ 2) <= Rabs (net x - x ^ 2)" in source
    assert [relu_floor(units) for units in (1, 9)] == [Fraction(1, 32), Fraction(1, 800)]


# Mutants: the proofs are about these definitions and no others


@needs_coq
@pytest.mark.coq
@pytest.mark.parametrize("what", ALONE)
def test_a_changed_activation_is_not_proved(tmp_path, what):
    with pytest.raises(coq.Refused, match=r"Activation\.v"):
        compile_mutant(tmp_path, "Activation.v", ALONE[what])


@needs_coq
@pytest.mark.coq
@pytest.mark.slow
@pytest.mark.parametrize("what", FLOOR)
def test_a_better_bound_for_relu_is_not_proved(tmp_path, what):
    compile_files(tmp_path, (*SUMS, "Activation.v"))
    with pytest.raises(coq.Refused, match=r"Relu\.v"):
        compile_mutant(tmp_path, "Relu.v", FLOOR[what])


@needs_coq
@pytest.mark.coq
@pytest.mark.slow
@pytest.mark.parametrize("what", UNITS)
def test_a_changed_unit_is_not_proved(ready, tmp_path, what):
    folder = tmp_path / "mutant"
    shutil.copytree(ready, folder)
    with pytest.raises(coq.Refused, match=r"MLP\.v"):
        compile_mutant(folder, "MLP.v", UNITS[what])


@needs_coq
@pytest.mark.coq
@pytest.mark.slow
def test_an_activation_that_may_be_flat_is_not_proved_to_multiply(ready, tmp_path):
    folder = tmp_path / "mutant"
    shutil.copytree(ready, folder)
    compile_mutant(folder, "Activation.v", FLAT)
    with pytest.raises(coq.Refused, match=r"MLP\.v"):
        compile_files(folder, ("MLP.v",))


@needs_coq
@pytest.mark.coq
@pytest.mark.slow
def test_a_layer_without_positions_is_not_proved_to_carry_them(ready, tmp_path):
    folder = tmp_path / "mutant"
    shutil.copytree(ready, folder)
    compile_files(folder, ("MLP.v",))
    with pytest.raises(coq.Refused, match=r"MLPModel\.v"):
        compile_mutant(folder, "MLPModel.v", POSITIONS)
