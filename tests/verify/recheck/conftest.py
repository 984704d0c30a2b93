"""Forged records: each leaves nearly all certificates as they are, which are confirmed once."""

import pytest
from confirm_support import computed_once
from record_support import BOTH

from verify.recheck import program
from verify.recheck.confirmations import confirmations

ONCE = {
    code: {name: (method, computed_once(each)) for name, (method, each) in confirmed.items()}
    for code in ("", *(paper.about.code for paper in BOTH))
    for confirmed in [confirmations(code)]
}


@pytest.fixture(scope="module")
def confirmed_once():
    """No confirmation is computed twice for what it reads."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(program, "confirmations", lambda code: ONCE[code])
        yield


@pytest.fixture(params=BOTH, ids=str)
def paper(request):
    """The small paper and our own."""
    return request.param
