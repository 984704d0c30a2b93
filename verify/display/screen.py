"""The console that commands print tables to."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from verify.display.terminal import lines


class Screen(Console):
    """Rich's console, which would pass on what moves the cursor or reorders a line."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Rich's segments with their text escaped; its own codes for colours are no text."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(lines(text), style)
