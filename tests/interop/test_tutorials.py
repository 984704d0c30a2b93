"""The code that README and tutorial show for transformers runs in transformers itself."""

import re
from pathlib import Path

import pytest

from verify.cli import main

pytest.importorskip("transformers")

ROOT = Path(__file__).resolve().parents[2]
CODE = re.compile(r"^```py\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMANDS = re.compile(r"^assay (export hmm.json .*)$", re.MULTILINE)


@pytest.mark.parametrize("page", ["README.md", "docs/model.md"])
def test_the_folder_of_the_page_generates_words_of_the_alphabet(
    page: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = (ROOT / page).read_text("utf-8")
    example = ROOT / "docs" / "examples" / "hmm.json"
    (tmp_path / "hmm.json").write_bytes(example.read_bytes())
    monkeypatch.chdir(tmp_path)
    assert main(COMMANDS.search(text)[1].split()) == 0
    capsys.readouterr()
    (code,) = CODE.findall(text)
    exec(compile(code, page, "exec"), {})
    words = capsys.readouterr().out.replace("<bos>", " ").split()
    assert words[:2] == ["walk", "walk"] and len(words) == 10
    assert set(words) <= {"walk", "shop", "clean"}
