"""Named blocks of coordinates: where each begins, and what is refused."""

import pytest

from constructions.core.layout import Layout

LAYOUT = Layout(left=4, one=1, right=3, none=0)


def test_blocks_follow_one_another():
    assert [LAYOUT[name] for name in LAYOUT] == [range(4), range(4, 5), range(5, 8), range(8, 8)]
    assert LAYOUT.size == 8
    assert Layout().size == 0
    assert repr(LAYOUT) == "Layout(left=4, one=1, right=3, none=0)"


def test_every_coordinate_has_a_name():
    names = [LAYOUT.name_of(c) for c in range(8)]
    assert names == [
        *(f"left[{k}]" for k in range(4)),
        "one[0]",
        *(f"right[{k}]" for k in range(3)),
    ]
    with pytest.raises(KeyError, match="coordinate 8 is outside of Layout"):
        LAYOUT.name_of(8)


def test_only_a_block_of_one_coordinate_is_a_coordinate():
    assert LAYOUT.at("one") == 4
    for name, count in (("left", 4), ("none", 0)):
        with pytest.raises(KeyError, match=f"block '{name}' has {count} coordinates, expected one"):
            LAYOUT.at(name)


def test_a_vector_is_filled_block_by_block():
    assert LAYOUT.vector({"right": [1, 2, 3], "one": (7,)}) == [0, 0, 0, 0, 7, 1, 2, 3]
    assert LAYOUT.vector({}, rest="x") == ["x"] * 8


def test_an_unknown_block_lists_those_there_are():
    with pytest.raises(KeyError, match="no block 'middle' among left, one, right, none"):
        LAYOUT["middle"]
