"""A status badge: how many statements hold, and how many findings there are, in one line."""

from __future__ import annotations

from reports.labels import count_of
from reports.page import environment
from reports.view import View

LEFT, LETTER, PAD = "assay", 7, 8
GREY, BLUE, BROKEN = "#3a424a", "#0c5a86", "#941071"


def badge(view: View) -> bytes:
    """Return the badge as SVG."""
    broken, material = view.counts.get("broken", 0), view.grades["material"]
    counts = count_of(len(view.paper), "statement"), count_of(material, "material finding")
    text = f"{broken} broken" if broken else ", ".join(counts)
    left, right = (LETTER * len(part) + 2 * PAD for part in (LEFT, text))
    boxes = [(0, left, GREY, LEFT), (left, right, BROKEN if broken else BLUE, text)]
    template = environment().get_template("badge.svg.j2")
    return template.render(
        width=left + right, label=f"{LEFT}: {text}", boxes=boxes, pad=PAD
    ).encode()
