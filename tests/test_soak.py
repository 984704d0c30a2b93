"""The soak test starts as it is documented, and a command that it repeats ends well."""

import subprocess
import sys
from pathlib import Path

SOAK = Path(__file__).resolve().parent / "tools" / "soak.py"


def test_one_command_is_repeated_outside_pytest(tmp_path: Path) -> None:
    asked = [sys.executable, str(SOAK), "--only", "1"]
    ended = subprocess.run(
        asked, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert "Traceback" not in ended.stderr, ended.stderr
    assert ended.returncode == 0 and ended.stdout
