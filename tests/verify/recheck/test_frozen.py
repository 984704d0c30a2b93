"""What a confirmation has read or computed is not changed afterwards."""

from dataclasses import FrozenInstanceError, fields, is_dataclass

import pytest

from verify.recheck.kinds import decoders, saturation, sequences, tree_states

CLASSES = [
    made
    for module in (decoders, saturation, sequences, tree_states)
    for made in vars(module).values()
    if is_dataclass(made) and made.__module__ == module.__name__
]


@pytest.mark.parametrize("made", CLASSES)
def test_no_field_of_what_is_known_can_be_set(made):
    one = object.__new__(made)
    for field in fields(made):
        with pytest.raises(FrozenInstanceError):
            setattr(one, field.name, None)
