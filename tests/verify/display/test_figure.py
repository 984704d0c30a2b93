"""Figures: endings are checked before any work, and nothing needs torch."""

import subprocess
import sys
from pathlib import Path

import pytest

from constructions.core.errors import InputError
from verify.cli import main
from verify.display import figure

WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None
from verify.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_an_ending_is_a_kind_whatever_its_case() -> None:
    assert figure.kind(Path("b.SVG"), "--plot") == "svg"
    with pytest.raises(
        InputError, match=r"--plot: found .txt, expected .* \.svg or \.png or \.pdf"
    ):
        figure.kind(Path("x.txt"), "--plot")


@pytest.mark.parametrize(
    ("kind", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")]
)
def test_a_figure_is_the_same_bytes_twice(kind: str, start: bytes) -> None:
    from matplotlib.figure import Figure

    one, two = (figure.saved(Figure(figsize=(1, 1)), kind) for _ in range(2))
    assert one.startswith(start)
    assert one == two


def test_a_plot_needs_no_torch(tmp_path: Path) -> None:
    asked = ["needed", "scalar:2", "--lengths", "8:8", "--plot", str(tmp_path / "x.svg")]
    ended = subprocess.run([sys.executable, "-c", WITHOUT_TORCH, *asked], capture_output=True)
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "x.svg").exists()


@pytest.mark.parametrize("command", [
    ["needed", "scalar:2"],
    ["sweep", "scalar:2", "--length", "2", "--saturation", "9"],
])  # fmt: skip
@pytest.mark.parametrize("name", ["x.txt", "none/x.svg"])
def test_a_plot_that_cannot_be_written_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str], name: str
) -> None:
    assert main([*command, "--plot", str(tmp_path / name)]) == 4
    assert "--plot: " in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [
    ["automaton", "none.json", "--length", "4", "--html"],
    ["sweep", "none.json", "--length", "4", "--saturation", "9", "--csv"],
    ["explain", "none.json", "--word", "a", "--plot"],
    ["draw", "[ab]", "--out"],
])  # fmt: skip
def test_a_missing_folder_is_refused_before_anything_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    assert main([*command, str(tmp_path / "none" / "x.svg")]) == 4
    assert f"{command[-1]}: no such folder" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_a_drawing_is_svg_and_says_where_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["draw", "[ab]", "--out", str(tmp_path / "d.png")]) == 4
    assert "a name that ends in .svg" in capsys.readouterr().err
    assert main(["draw", "[ab]", "--out", str(tmp_path / "d.svg")]) == 0
    assert capsys.readouterr().out == f"Written: {tmp_path / 'd.svg'}\n"
