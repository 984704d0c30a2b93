"""What the seeds of the runs decide, as it was approved: sizes, and constants C large enough for them."""

from pathlib import Path

import pytest
from approved_support import agree_with_approved

from verify.coq import runs

APPROVED = Path(__file__).with_suffix(".json")
CONSTANTS = (runs.words_saturation, runs.decoder_saturation, runs.trees_saturation)


@pytest.mark.parametrize("model", runs.RUNS)
def test_sizes_and_constants_are_as_approved(model):
    found = [[draw.sizes, *(str(constant(draw)) for constant in CONSTANTS)]
             for draw in runs.draws(model, 1)]  # fmt: skip
    agree_with_approved(APPROVED, model, found)
