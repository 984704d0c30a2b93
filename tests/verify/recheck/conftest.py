"""Forged records: each leaves nearly all certificates as they are, which are confirmed once."""

import pytest
from confirm_support import computed_once

from verify.recheck import program
from verify.recheck.confirmations import confirmations

ONCE = {
    name: (method, computed_once(confirm)) for name, (method, confirm) in confirmations().items()
}


@pytest.fixture
def confirmed_once(monkeypatch) -> None:
    """No confirmation is computed twice for what it reads."""
    monkeypatch.setattr(program, "confirmations", lambda code: ONCE)
