"""Names for coordinates: a layout maps each name to coordinates of a vector.

layout = Layout(left=4, right=4, position=2)
layout["right"]        range(4, 8)
layout.size            10
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


class Layout:
    """Named, consecutive blocks of coordinates."""

    def __init__(self, **sizes: int) -> None:
        self._blocks: dict[str, range] = {}
        start = 0
        for name, size in sizes.items():
            self._blocks[name] = range(start, start + size)
            start += size
        self.size = start

    def __getitem__(self, name: str) -> range:
        try:
            return self._blocks[name]
        except KeyError:
            raise KeyError(f"no block {name!r} among {', '.join(self._blocks)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._blocks)

    def __repr__(self) -> str:
        return f"Layout({', '.join(f'{name}={len(self[name])}' for name in self)})"

    def at(self, name: str) -> int:
        """The coordinate of a block that has exactly one."""
        block = self[name]
        if len(block) != 1:
            raise KeyError(f"block {name!r} has {len(block)} coordinates, expected one")
        return block[0]

    def vector(self, blocks: Mapping[str, Sequence[Any]], rest: Any = 0) -> list[Any]:
        """A vector with the given blocks, and `rest` in every other coordinate."""
        others = {name: [rest] * len(self[name]) for name in self}
        return [value for name in self for value in blocks.get(name, others[name])]

    def name_of(self, coordinate: int) -> str:
        """`block[offset]` for a coordinate, for messages and drawings."""
        for name, block in self._blocks.items():
            if coordinate in block:
                return f"{name}[{coordinate - block.start}]"
        raise KeyError(f"coordinate {coordinate} is outside of {self!r}")
