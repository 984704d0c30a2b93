"""The console that commands print tables to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Column, Table

from verify.display.terminal import lines


class Screen(Console):
    """Rich's console, with control characters and bidirectional marks escaped."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield Rich's segments with their text escaped; its own colour codes stay."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(lines(text), style)

    def text(self, text: str, **more: Any) -> None:
        """Print a text as it is: without markup, without colours for numbers."""
        self.print(text, markup=False, highlight=False, **more)

    def table(
        self, names: Sequence[str], rows: Iterable[Sequence[object]], title: str | None = None
    ) -> None:
        """Print rows in columns without lines between them; long cells are folded."""
        columns = [Column(name, overflow="fold") for name in names]
        table = Table(*columns, title=title and f"\n{title}", title_justify="left",
                      title_style="bold", box=None, pad_edge=False, padding=(0, 2, 0, 0))  # fmt: skip
        for row in rows:
            table.add_row(*map(str, row))
        self.print(table, markup=False)
