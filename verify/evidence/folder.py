"""Texts of a paper's folder that evidence refers to: read, never run, and never from outside of it."""

from __future__ import annotations

from verify.facts.registry import Inputs

LARGEST = 1 << 20


def text_of(inputs: Inputs, name: str) -> str:
    """A file of the folder as text."""
    if inputs.folder is None:
        raise ValueError("this paper has no folder")
    path = (inputs.folder / name).resolve()
    if not path.is_relative_to(inputs.folder.resolve()) or not path.is_file():
        raise ValueError(f"{name} is no file of the paper's folder")
    if path.stat().st_size > LARGEST:
        raise ValueError(f"{name} has more than {LARGEST} bytes")
    return path.read_text("utf-8")
