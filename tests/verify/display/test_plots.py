"""Plots: a name is checked before any work, and none needs torch."""

import subprocess
import sys
from pathlib import Path

import pytest

from constructions.core.errors import InputError
from verify.cli import main
from verify.display.arguments import figure_kind

WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None
from verify.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_an_ending_is_a_kind_whatever_its_case() -> None:
    assert figure_kind(Path("b.SVG"), "--plot") == "svg" and figure_kind(None, "--plot") == ""
    with pytest.raises(
        InputError, match=r"--plot: found .txt, expected .* \.svg or \.png or \.pdf"
    ):
        figure_kind(Path("x.txt"), "--plot")


@pytest.mark.parametrize("kind", ["svg", "png", "pdf"])
def test_a_plot_needs_no_torch_and_has_the_same_bytes_twice(tmp_path: Path, kind: str) -> None:
    plots = [tmp_path / f"{name}.{kind}" for name in ("one", "two")]
    for plot in plots:
        asked = ["precision", "scalar:2", "--lengths", "2:4", "--plot", str(plot)]
        ended = subprocess.run([sys.executable, "-c", WITHOUT_TORCH, *asked], capture_output=True)
        assert ended.returncode == 0, ended.stderr
    assert plots[0].read_bytes() == plots[1].read_bytes()


@pytest.mark.parametrize("command", [
    ["precision", "none.json", "--plot"],
    ["sweep", "none.json", "--length", "4", "--saturation", "9", "--plot"],
    ["explain", "none.json", "--word", "a", "--plot"],
])  # fmt: skip
@pytest.mark.parametrize("name", ["x.txt", "none/x.svg"])
def test_a_name_that_cannot_be_written_is_refused_before_anything_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str], name: str
) -> None:
    assert main([*command, str(tmp_path / name)]) == 4
    error = capsys.readouterr().err
    assert error.startswith(f"assay: {command[-1]}: ") and error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
