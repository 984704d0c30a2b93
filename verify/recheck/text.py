"""Certificates about the text of the paper.

`text.quote`  strings counted in ranges of lines, passages that are the same, hashes of the lines

The paper is no part of this program. Without it a certificate is confirmed as far as it goes by
itself: the seal, the paper's hash, ranges, counts that contain each other. Where the environment
variable ASSAY_PAPER names the source, every hash and every count is derived again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from verify.recheck.errors import Refused, agree, only, sequence, text

Body = Mapping[str, Any]
PAPER = "f4c4ba0a91ffd817f0bf49d3fdfac62ed34e8a6d00420ebf296bae88e325f889"
LINES = 1039


def quote(body: Body) -> str:
    """Facts about the text."""
    only(body, {"kind", "paper", "quotes", "counts", "same", "seal"})
    agree("paper", text(body, "paper"), PAPER)
    facts = {key: value for key, value in body.items() if key != "seal"}
    written = json.dumps(facts, sort_keys=True, ensure_ascii=False)
    agree("seal", text(body, "seal"), hashlib.sha256(written.encode()).hexdigest())
    quotes = {_range(row): _hash(row[2]) for row in sequence(body, "quotes")}
    counts, same = sequence(body, "counts"), sequence(body, "same")
    if not counts and not same:
        raise Refused("no fact is stated")
    for row in [*counts, *same]:
        if _range(row) not in quotes:
            raise Refused(f"lines {row[0]}-{row[1]} are not among the quoted ones")
    _consistent(counts)
    if len({_hash(row[2]) for row in same}) > 1 or len(same) == 1:
        raise Refused("passages that should be the same have different hashes")
    again = (
        _derive(body) if os.environ.get("ASSAY_PAPER") else "not counted again without the source"
    )
    return f"{len(counts)} counts, {len(same)} passages; {again}"


def _range(row: list[Any]) -> tuple[int, int]:
    first, last = row[0], row[1]
    if type(first) is not int or type(last) is not int or not 1 <= first <= last <= LINES:
        raise Refused(f"lines {first!r}-{last!r} are not lines of the paper")
    return first, last


def _hash(value: Any) -> str:
    if not isinstance(value, str) or len(value) != 64 or set(value) - set("0123456789abcdef"):
        raise Refused(f"{value!r} is no SHA-256")
    return value


def _consistent(counts: list[Any]) -> None:
    """A string occurs no more often in a part than in the whole."""
    for first, last, needle, times in counts:
        if not isinstance(needle, str) or not needle or type(times) is not int or times < 0:
            raise Refused(f"count {needle!r}: {times!r}")
        for a, b, other, within in counts:
            if other == needle and first <= a and b <= last and within > times:
                raise Refused(f"{needle!r} occurs more often in lines {a}-{b} than in more lines")


def _derive(body: Body) -> str:
    content = Path(os.environ["ASSAY_PAPER"]).read_bytes()
    agree("hash of the source", hashlib.sha256(content).hexdigest(), PAPER)
    lines = content.decode("utf-8").split("\n")
    for first, last, stated in body["quotes"]:
        found = hashlib.sha256("\n".join(lines[first - 1 : last]).encode()).hexdigest()
        agree(f"hash of lines {first}-{last}", stated, found)
    for first, last, needle, times in body["counts"]:
        whole = _words(" ".join(lines[first - 1 : last]))
        agree(f"{needle!r} in lines {first}-{last}", times, len(whole.split(_words(needle))) - 1)
    for first, last, stated in body["same"]:
        plain = _plain("\n".join(lines[first - 1 : last]))
        agree(f"passage {first}-{last}", stated, hashlib.sha256(plain.encode()).hexdigest())
    return "all counted again in the source"


def _words(passage: str) -> str:
    padded = " ".join(passage.lower().split())
    return f" {padded}" if passage[:1].isspace() else padded


def _plain(passage: str) -> str:
    """Without footnotes, labels, environments and blanks, read character by character."""
    kept, i = [], 0
    while i < len(passage):
        command = next(
            (
                c
                for c in (r"\footnote{", r"\label{", r"\begin{", r"\end{")
                if passage.startswith(c, i)
            ),
            None,
        )
        if command is None:
            kept.append(passage[i])
            i += 1
            continue
        i = _closed(passage, i + len(command) - 1)
        if command in (r"\begin{", r"\end{") and passage[i : i + 1] == "{":
            i = _closed(passage, i)
    return "".join("".join(kept).split())


def _closed(passage: str, start: int) -> int:
    """The position after the brace that closes the one at `start`."""
    depth = 0
    for i in range(start, len(passage)):
        depth += {"{": 1, "}": -1}.get(passage[i], 0)
        if depth == 0:
            return i + 1
    raise Refused("a brace is not closed")


VALIDATORS: dict[str, Callable[[Body], str]] = {"text.quote": quote}
