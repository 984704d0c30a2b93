"""What floating point allows: limits are found, and a wrong row is seen."""

import pytest
import torch

from constructions.arithmetic.torch import Torch
from verify.check import Job
from verify.checks import precision
from verify.checks.precision import FORMATS, hard_limit, rows_right, soft_best
from verify.evidence import Outcome, Strength


@pytest.mark.parametrize(
    ("name", "least", "most"), [("bfloat16", 8, 64), ("float16", 16, 256), ("float32", 1024, 16384)]
)
def test_hard_attention_loses_its_position_near_the_root_of_the_precision(name, least, most):
    found = hard_limit(Torch(FORMATS[name]), 64)
    assert least <= found <= most
    assert found & (found - 1) == 0


def test_a_coarser_format_reaches_less():
    limits = [hard_limit(Torch(FORMATS[name]), 64) for name in ("bfloat16", "float16", "float32")]
    assert limits == sorted(limits)
    assert len(set(limits)) == 3


def test_rows_are_right_for_short_words_and_wrong_for_long_ones():
    rows = torch.arange(-7, 9)
    assert rows_right(rows, 1, 8, Torch(torch.bfloat16))
    assert not rows_right(torch.arange(100, 164), 1, 1 << 12, Torch(torch.bfloat16))


def test_soft_attention_reaches_the_rounding_of_its_format():
    for dtype in (torch.float16, torch.float32, torch.float64):
        error, constant = soft_best(Torch(dtype))
        assert error < 4 * torch.finfo(dtype).eps
        assert constant >= 64


def test_the_check_states_every_format(monkeypatch):
    monkeypatch.setattr(
        precision, "FORMATS", {"bfloat16": torch.bfloat16, "float16": torch.float16}
    )
    (item,) = precision.what_each_format_reaches(Job())
    assert item.outcome is Outcome.HOLDS
    assert item.strength is Strength.OBSERVED
    assert len(item.tables[0].rows) == 2


def test_a_format_without_a_limit_is_reported(monkeypatch):
    monkeypatch.setattr(precision, "FORMATS", {"float16": torch.float16})
    monkeypatch.setattr(precision, "LARGEST", 8)
    (item,) = precision.what_each_format_reaches(Job())
    assert item.outcome is Outcome.FAILS
