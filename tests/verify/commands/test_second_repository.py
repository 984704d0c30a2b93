"""Another repository uses ours in its continuous integration: from a clone, with what that installs."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from constructions import __version__

ROOT = Path(__file__).resolve().parents[3]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (ROOT / ".git").exists(), reason="our repository is not here"),
]


def run(arguments: list[str], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PIP_CONSTRAINT")}
    return subprocess.run(
        arguments, cwd=folder, env=kept | variables, capture_output=True, text=True, check=False
    )


def documented(address: str) -> str:
    """The page on citing, with an address in place of the one to replace."""
    page = (ROOT / "docs" / "cite.md").read_text("utf-8")
    return page.replace("https://github.com/OWNER/assay", address)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("ours") / "clone"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(place)], check=True)
    return place


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """A repository with a manuscript that has one false and one stale mark."""
    folder = tmp_path / "paper"
    folder.mkdir()
    shutil.copy(ROOT / "docs" / "sample" / "manuscript.tex", folder)
    run(["git", "init", "-q"], folder)
    run(["git", "add", "-A"], folder)
    return folder


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    return place / "bin"


def test_the_action_installs_a_clone_and_refuses_the_manuscript(
    clone: Path, paper: Path, environment: Path
) -> None:
    action = yaml.safe_load((clone / "action.yml").read_text("utf-8"))
    install, check = action["runs"]["steps"][1:]
    path = f"{environment}:{os.environ['PATH']}"
    done = run(["bash", "-ec", install["run"]], paper, PATH=path, GITHUB_ACTION_PATH=str(clone))
    assert done.returncode == 0, done.stderr[-2000:]
    found = run(["bash", "-ec", check["run"]], paper, PATH=path, ASSAY_FILES="*.tex")
    assert found.returncode == 1, found.stderr
    assert "3 of 5 marks agree" in found.stdout


def test_the_dependency_of_the_tox_file_is_one_that_pip_installs(
    clone: Path, tmp_path: Path
) -> None:
    run(["git", "tag", "-f", f"v{__version__}"], clone)
    asked = re.findall("deps = ([^`]*)`", documented(f"file://localhost{clone}"))[0]
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--no-deps",
        "--target",
        str(tmp_path),
        asked,
    ]
    done = run(command, tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert (tmp_path / "verify" / "cli.py").exists()


def test_the_hook_of_a_clone_refuses_the_manuscript(
    clone: Path, paper: Path, environment: Path
) -> None:
    """The documented configuration, with the address of the clone, in a file of the paper's."""
    installed = run([str(environment / "pip"), "install", "pre-commit"], paper)
    if installed.returncode:
        pytest.skip("pre-commit cannot be installed here")
    run(["git", "tag", "-f", f"v{__version__}"], clone)
    hook = re.findall(r"```yaml\n(.*?)```", documented(str(clone)), re.DOTALL)[0]
    (paper / ".pre-commit-config.yaml").write_text(hook, "utf-8")
    command = [str(environment / "pre-commit"), "run", "--files", "manuscript.tex"]
    found = run(command, paper, PRE_COMMIT_HOME=str(paper.parent / "home"))
    assert found.returncode == 1, found.stderr
    assert "3 of 5 marks agree" in found.stdout
