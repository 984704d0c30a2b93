"""The longest length that hard attention routes in a floating-point format."""

import pytest

torch = pytest.importorskip("torch")

from constructions.arithmetic.torch import Torch  # noqa: E402
from verify.facts import float_limits  # noqa: E402


def test_short_formats_end_where_the_gap_meets_their_precision():
    found = float_limits.longest_lengths(["bfloat16", "float16"], 64)
    assert found.holds
    assert found.values["curves"][0]["x"] == ["7", "10"]


def test_rows_are_right_at_short_lengths_and_wrong_where_scores_coincide():
    rows = torch.arange(-3, 5)
    assert float_limits.rows_find_their_position(rows, 1, 4, Torch(torch.float32))
    assert not float_limits.rows_find_their_position(rows, 1, 1 << 12, Torch(torch.float16))


def test_another_rotation_is_seen(monkeypatch):
    key = float_limits.theorem1.left_key
    monkeypatch.setattr(
        float_limits.theorem1, "left_key", lambda n, layer, span: key(n, layer + 1, span)
    )
    assert not float_limits.rows_find_their_position(
        torch.arange(-7, 9), 1, 8, Torch(torch.float64)
    )
