"""The console that commands print tables to."""

from __future__ import annotations

from rich.console import Console


class Screen(Console):
    """Rich's console, which would end the program with status 1 where a reader such as `head` ends."""

    def on_broken_pipe(self) -> None:
        """Let `verify.cli` end as after any other output that nobody reads on."""
        raise BrokenPipeError
