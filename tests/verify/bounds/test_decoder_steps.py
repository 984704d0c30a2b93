"""The tree decoder's blocks, for every tensor and every gate; a changed block is refuted."""

import pytest
from decoder_steps import prove_first, prove_preparation, prove_step

from constructions.decoder_tree import TreeDecoderBuilder


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("prove", [prove_step, prove_first, prove_preparation])
def test_a_block_does_what_the_game_says_in_every_case(n, prove):
    assert prove(n) is None


class KeepsScratch(TreeDecoderBuilder):
    def erasing_units(self, *names):
        return super().erasing_units(*names[1:])


class TurnsChildren(TreeDecoderBuilder):
    def _maps(self):
        turned = tuple(tuple(zip(*rows, strict=True)) for rows in self.tensor)
        return TreeDecoderBuilder(turned, self.length)._maps()


class ForgetsTheJump(TreeDecoderBuilder):
    def jump_units(self):
        return self.erasing_units("read_pointer")


@pytest.mark.parametrize(("mutant", "prove"), [
    (KeepsScratch, prove_step),
    (KeepsScratch, prove_first),
    (KeepsScratch, prove_preparation),
    (TurnsChildren, prove_step),
    (TurnsChildren, prove_first),
    (ForgetsTheJump, prove_step),
])  # fmt: skip
def test_a_changed_block_is_refuted(mutant, prove):
    assert prove(2, mutant) is not None
