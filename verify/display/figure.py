"""Figures of the command line: which endings there are, and one way to save."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from constructions.core.atomic_files import check_folder
from constructions.core.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = ("svg", "png", "pdf")
DATES = {"svg": "Date", "pdf": "CreationDate"}  # left out: the same figure has the same bytes


def kind(path: Path, option: str, kinds: tuple[str, ...] = KINDS) -> str:
    """The kind of figure that a file's ending asks for; what cannot be is refused before any work."""
    found = path.suffix.removeprefix(".").lower()
    if found not in kinds:
        endings = " or ".join(f".{name}" for name in kinds)
        raise InputError(option, path.suffix or path.name, f"a name that ends in {endings}")
    check_folder(path, option)
    return found


def logarithmic(
    name: str, title: str, alt: str, axes: tuple[str, str], series: list[dict[str, Any]]
) -> dict[str, Any]:
    """Describe a figure of series of decimals on two logarithmic axes, for `reports.figures`."""
    figure = {"id": name, "title": title, "alt": alt, "series": series}
    return figure | {"xlabel": axes[0], "ylabel": axes[1], "xscale": "log", "yscale": "log"}


def saved(figure: Figure, kind: str) -> bytes:
    """The figure as a file of a kind."""
    import matplotlib

    out = io.BytesIO()
    dated = {DATES[kind]: None} if kind in DATES else None
    with matplotlib.rc_context({"svg.hashsalt": "assay"}):  # else ids of paths are drawn at random
        figure.savefig(out, format=kind, bbox_inches="tight", metadata=dated)
    return out.getvalue()
