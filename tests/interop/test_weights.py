"""Weights computed by hand against every decoder that a library's own class loads.

Run by `tox run -e interop`; skipped where a library is missing.
"""

import pytest
from hand_support import TREES, WORDS, decoded, exported, near

LIBRARIES = {"transformerlens": "transformer_lens", "gpt2": "transformers", "llama": "transformers"}


@pytest.mark.parametrize("name", LIBRARIES)
def test_every_decoder_of_a_library_gives_the_weight_computed_by_hand(tmp_path, name):
    pytest.importorskip(LIBRARIES[name])
    trees = TREES if name == "transformerlens" else []
    for number, (file, given, weight) in enumerate([*WORDS, *trees]):
        folder = exported(file, tmp_path / str(number), "--format", name)
        found, weights = decoded(file, given, folder)
        assert near(found, weight, weights), (file, given, found)
